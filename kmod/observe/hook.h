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

#include <linux/types.h>

#include "entry.h"
#include "ftrace.h"

/**
 * struct observe_hook - a hook on a function
 * @symbol: name of the function
 * @module: name of its module
 * @wanted: module parameter that enables it
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @is_alternative: as in &struct observe_entry
 * @unless: another hook, earlier in the table: this one is not armed if that
 *	is; NULL: none
 * @needs: status of what ends the entries that this one begins: it is not armed
 *	unless that is; NULL: none
 * @missed: number of calls that could not be taken into account, NULL: none
 * @fn: called at the entry of the function
 * @trace: its registration
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
	const int *needs;
	u64 (*missed)(void);
	ftrace_func_t fn;
	struct observe_ftrace trace;
	int status;
};

int observe_hooks_init(struct observe_hook *hooks, unsigned int count);
void observe_hooks_exit(void);
bool observe_hooks_armed(const bool *wanted);
void observe_hooks_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_HOOK_H */
