/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What hooks, probes and operations have in common for those that look at all of them */
#ifndef OBSERVE_ENTRY_H
#define OBSERVE_ENTRY_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

/*
 * State of a hook. What several hooks observe has the largest of their states: one
 * that is off is so on purpose, whatever is wrong with others.
 */
enum observe_state {
	OBSERVE_ARMED = 1,	/* calls reach the observer */
	OBSERVE_WAITING,	/* its module is not loaded; armed when that is */
	OBSERVE_MISSING,	/* no such function, or it cannot be traced */
	OBSERVE_BLIND,		/* armed, but calls do not reach the observer */
	OBSERVE_FAILED,		/* it could not be armed */
	OBSERVE_OFF,		/* a parameter or another hook makes it needless */
	OBSERVE_STATES
};

/* How a hook is armed */
#define OBSERVES_BY_FTRACE	BIT(0)
#define OBSERVES_BY_KPROBE	BIT(1)
#define OBSERVES_BY_TRACEPOINT	BIT(2)
#define OBSERVES_BY_OPERATION	BIT(3)	/* of a device, replaced */

/**
 * struct observe_entry - a hook, for those that look at all of them
 * @symbol: name of the function, tracepoint or operation
 * @module: name of its module, empty: the kernel itself
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @mechanism: OBSERVES_BY_*, one of them
 * @is_alternative: kernels have one function or another; one of the hooks of a
 *	fact for which this is true suffices
 * @status: &enum observe_state, or -errno: FAILED
 * @missed: number of calls that were not taken into account
 */
struct observe_entry {
	const char *symbol;
	const char *module;
	u32 facts;
	u32 mechanism;
	bool is_alternative;
	int status;
	u64 missed;
};

/* Called with one hook after the other, and a lock held perhaps: must not sleep */
typedef void (*observe_visit_fn)(const struct observe_entry *entry, void *data);

#endif /* OBSERVE_ENTRY_H */
