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
#ifndef RDMAEV_OBSERVE_H
#define RDMAEV_OBSERVE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/restrack.h>
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

/**
 * struct observe_tracepoint - a probe of a tracepoint
 * @name: name of the tracepoint
 * @module: name of its module
 * @wanted: module parameter that enables it
 * @parameter: name of that, NULL: always enabled
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @missed: number of calls that could not be taken into account, NULL: none
 * @probe: called with NULL and the arguments of the tracepoint
 * @tp: the tracepoint if the probe is registered, else NULL; changed by the
 *	notifiers of modules, one at a time
 * @status: as in &struct observe_hook
 */
struct observe_tracepoint {
	const char *name;
	const char *module;
	const bool *wanted;
	const char *parameter;
	u32 facts;
	u64 (*missed)(void);
	void *probe;
	struct tracepoint *tp;
	int status;
};

/* Bytes of "function [module]" */
#define OBSERVE_SYMBOL	96

struct ib_cq;
struct ib_device;
struct ib_event;
struct rdma_cm_event;
struct rdma_cm_id;
struct tracepoint;

/* hook.c: the hooks */
int observe_hooks_init(struct observe_hook *hooks, unsigned int count);
void observe_hooks_exit(void);
bool observe_hooks_armed(const bool *wanted);
bool observe_split_symbol(char *symbol, char **module);
void observe_hook_describe(const struct observe_hook *hook,
			   struct rdmaev_hook *entry);
void observe_status_describe(int status, bool wanted,
			     struct rdmaev_hook *entry);

/* handler.c: handlers of kernel ULPs */
RDMAEV_FTRACE_FN(observe_create_qp);
RDMAEV_FTRACE_FN(observe_create_cq);
RDMAEV_FTRACE_FN(observe_create_srq);
void observe_handler_learn(void (*fn)(struct ib_event *event, void *context),
			   unsigned int type);
int observe_handlers_init(void);
void observe_handlers_without_qps(void);
void observe_handlers_exit(void);
void observe_handlers_miss(u64 count);
u64 observe_handlers_missed(void);
#define OBSERVE_HANDLERS_MAX	40	/* hooked at the same time */
unsigned int observe_handlers_describe(struct rdmaev_hook *entry,
				       unsigned int max);

/* existing.c: objects that exist already. What to report of them: */
#define OBSERVE_EXISTING_STATES		BIT(0)	/* of QPs */
#define OBSERVE_EXISTING_QP_HANDLERS	BIT(1)	/* of kernel ULPs */
#define OBSERVE_EXISTING_HANDLERS	BIT(2)	/* of their CQs and SRQs */
#define OBSERVE_EXISTING_OWNERS		BIT(3)	/* of objects of processes */
int observe_existing(unsigned int what);
void observe_existing_again(void);
void observe_existing_stop(void);
void observe_existing_end(const struct ib_device *ib,
			  enum rdma_restrack_type type);

/* tracepoint.c: the tracepoints */
int observe_tracepoints_init(struct observe_tracepoint *tracepoints,
			     unsigned int count);
void observe_tracepoints_exit(void);
bool observe_tracepoints_registered(const bool *wanted);
void observe_tracepoint_describe(const struct observe_tracepoint *t,
				 struct rdmaev_hook *entry);

/* object_hook.c: begin and end of objects */
RDMAEV_FTRACE_FN(observe_object_begin);
RDMAEV_FTRACE_FN(observe_object_begin_del);
RDMAEV_FTRACE_FN(observe_object_del);
RDMAEV_FTRACE_FN(observe_object_end);
void observe_ends_by_del(void);
void observe_ends_flush_qps(void);

/* event_hook.c: affiliated events */
RDMAEV_FTRACE_FN(observe_user_qp);
RDMAEV_FTRACE_FN(observe_user_cq);
RDMAEV_FTRACE_FN(observe_user_srq);
RDMAEV_FTRACE_FN(observe_user_wq);
RDMAEV_FTRACE_FN(observe_kernel_qp);

/* qp_hook.c: states of QPs */
RDMAEV_FTRACE_FN(observe_qp_destroy);
int observe_qps_init(void);
void observe_qps_exit(void);
u64 observe_qps_missed(void);
void observe_qps_describe(struct rdmaev_hook *entry);

/* poll_hook.c: CQs that ULPs poll */
int observe_polls_init(void);
void observe_polls_exit(void);
void observe_polls_check(void);
void observe_polls_describe(struct rdmaev_hook *entry, bool is_on, u64 missed);

/* cm_hook.c: connections */
RDMAEV_FTRACE_FN(observe_cm_used);
RDMAEV_FTRACE_FN(observe_cm_connect);
void observe_cm_event(void *data, const struct rdma_cm_id *id,
		      const struct rdma_cm_event *event);
void observe_cm_destroy(void *data, const struct rdma_cm_id *id);
void observe_cms_start(void);

/* canary.c: whether functions are traced */
void observe_canary_start(u32 traced, u32 probed, u32 tracepoints,
			  u32 operations);
void observe_canary_stop(void);
bool observe_canary_is_blind(u32 mechanism);

/* cq_hook.c: CQs */
RDMAEV_FTRACE_FN(observe_user_notification);
void observe_cq_free(void *data, const struct ib_cq *cq);
void observe_cq_schedule(void *data, const struct ib_cq *cq);
void observe_cq_poll(void *data, const struct ib_cq *cq, int requested, int rc);
u64 observe_kernel_cqs_missed(void);

#endif /* RDMAEV_OBSERVE_H */
