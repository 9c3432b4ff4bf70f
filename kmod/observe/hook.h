/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The module rdmaev_observe: hooks on functions of other modules that report to
 * rdmaev what nobody else reports.
 *
 * A hook runs in the context of the function, which may be hard interrupt with
 * a driver's lock held. It does not sleep, calls no driver and changes nothing; in
 * process context it may allocate without waiting. The objects that the function is
 * called with exist while it runs, because its caller holds them, and are not used
 * later.
 */
#ifndef OBSERVE_HOOK_H
#define OBSERVE_HOOK_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "compat_trace.h"

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

/**
 * struct observe_entry - a hook, for those that look at all of them
 * @symbol: name of the function, tracepoint or operation
 * @module: name of its module, empty: the kernel itself
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @mechanism: RDMAEV_OBSERVES_BY_*, one of them
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

/**
 * struct observe_hook - a hook on a function
 * @symbol: name of the function
 * @module: name of its module
 * @wanted: module parameter that enables it
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @is_alternative: as in &struct observe_entry
 * @unless: another hook, earlier in the table: this one is not armed if that
 *	is; NULL: none
 * @missed: number of calls that could not be taken into account, NULL: none
 * @fn: called at the entry of the function
 * @ops: its registration
 * @is_armed: it is registered
 * @status: as in &struct observe_entry; 0: not known yet. Read without a lock
 *
 * Armed when its module is loaded, disarmed when that goes; changed under
 * hook_lock of hook.c.
 */
struct observe_hook {
	const char *symbol;
	const char *module;
	const bool *wanted;
	u32 facts;
	bool is_alternative;
	const struct observe_hook *unless;
	u64 (*missed)(void);
	ftrace_func_t fn;
	struct ftrace_ops ops;
	bool is_armed;
	int status;
};

/* Bytes of "function [module]" */
#define OBSERVE_SYMBOL	96

int observe_hooks_init(struct observe_hook *hooks, unsigned int count);
void observe_hooks_exit(void);
bool observe_hooks_armed(const bool *wanted);
bool observe_split_symbol(char *symbol, char **module);
void observe_hooks_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_HOOK_H */
