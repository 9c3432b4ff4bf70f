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

/* Set the parameter of a hook, with its name for lists. */
#define OBSERVE_IF(param)	.wanted = &(param), .parameter = #param

/**
 * struct observe_hook - a hook on a function
 * @symbol: name of the function
 * @module: name of its module
 * @wanted: module parameter that enables it
 * @parameter: name of that, NULL: always enabled
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @flags: RDMAEV_HOOK_FLAG_*
 * @unless: another hook, earlier in the table: this one is not armed if that
 *	is; NULL: none
 * @missed: number of calls that could not be taken into account, NULL: none
 * @fn: called at the entry of the function
 * @ops: its registration
 * @is_armed: it is registered
 * @status: &enum rdmaev_hook_state, or -errno if it could not be armed; 0: not
 *	known yet. Read without a lock
 *
 * Armed when its module is loaded, disarmed when that goes; changed under
 * hook_lock of hook.c.
 */
struct observe_hook {
	const char *symbol;
	const char *module;
	const bool *wanted;
	const char *parameter;
	u32 facts;
	u32 flags;
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
void observe_hook_describe(const struct observe_hook *hook,
			   struct rdmaev_hook *entry);
void observe_status_describe(int status, bool wanted,
			     struct rdmaev_hook *entry);

#endif /* OBSERVE_HOOK_H */
