// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_observe: QPs, CQs, SRQs, WQs and connections of all ULPs and all
 * programs, without changing any of them. Hooks on functions of ib_core
 * report to rdmaev, which has the records, the permissions and the readers.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include <internal/version.h>

#include "canary.h"
#include "cm_hook.h"
#include "cq_hook.h"
#include "create_hook.h"
#include "event_hook.h"
#include "existing.h"
#include "ftrace.h"
#include "handler.h"
#include "hook.h"
#include "object_hook.h"
#include "operation.h"
#include "qp_hook.h"
#include "refusal.h"
#include "session.h"
#include "state.h"
#include "tracepoint.h"
#include "trial.h"

static bool user = true;
module_param(user, bool, 0444);
MODULE_PARM_DESC(user, "observe events of objects of processes, and notifications of their CQs (default yes)");

static bool kernel = true;
module_param(kernel, bool, 0444);
MODULE_PARM_DESC(kernel, "observe events of objects of ULPs, and CQs that ib_core polls for them (default yes)");

static bool states = true;
module_param(states, bool, 0444);
MODULE_PARM_DESC(states, "observe the states of QPs (default yes)");

static bool connections = true;
module_param(connections, bool, 0444);
MODULE_PARM_DESC(connections, "observe events of connections of rdma_cm (default yes)");

static bool polls;
module_param(polls, bool, 0444);
MODULE_PARM_DESC(polls, "observe CQs that ULPs poll, which makes each poll slower (default no)");

static const bool always = true;

/* The ends of objects first: what is added must be seen to end. */
enum { TRACEPOINT_CQ_FREE, TRACEPOINT_CM_DESTROY };

static struct observe_tracepoint tracepoints[] = {
	/* The end of CQs of ib_alloc_cq(), also of those that ULPs poll */
	[TRACEPOINT_CQ_FREE] = {
	  .name = "cq_free", .module = "ib_core",
	  .wanted = &always, .probe = observe_cq_free,
	  .facts = RDMAEV_OBSERVED_KERNEL_CQS },
	[TRACEPOINT_CM_DESTROY] = {
	  .name = "cm_id_destroy", .module = "rdma_cm",
	  .wanted = &connections, .probe = observe_cm_destroy,
	  .facts = RDMAEV_OBSERVED_CONNECTIONS },
	{ .name = "cq_schedule", .module = "ib_core", .wanted = &kernel,
	  .probe = observe_cq_schedule, .facts = RDMAEV_OBSERVED_KERNEL_CQS,
	  .needs = &tracepoints[TRACEPOINT_CQ_FREE].status },
	{ .name = "cq_poll", .module = "ib_core", .wanted = &kernel,
	  .probe = observe_cq_poll, .facts = RDMAEV_OBSERVED_KERNEL_CQS,
	  .needs = &tracepoints[TRACEPOINT_CQ_FREE].status,
	  .missed = observe_kernel_cqs_missed },
	{ .name = "cm_event_handler", .module = "rdma_cm",
	  .wanted = &connections, .probe = observe_cm_event,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTIONS },
};

/* The ends of objects first, as above */
enum { HOOK_COMMIT_DEL, HOOK_DEL, HOOK_BEGIN_DEL, HOOK_ADD, HOOK_QP_EVENT, HOOK_CREATE_CQ };

static struct observe_hook hooks[] = {
	[HOOK_COMMIT_DEL] = {
	  .symbol = "rdma_restrack_commit_del", .module = "ib_core",
	  .wanted = &always, .fn = observe_object_end,
	  .facts = RDMAEV_OBSERVED_USER_CQS,
	  .is_alternative = true },
	[HOOK_DEL] = {
	  .symbol = "rdma_restrack_del", .module = "ib_core",
	  .wanted = &always, .fn = observe_object_del,
	  .facts = RDMAEV_OBSERVED_USER_CQS,
	  .is_alternative = true },
	[HOOK_BEGIN_DEL] = {
	  .symbol = "rdma_restrack_begin_del", .module = "ib_core",
	  .wanted = &always, .fn = observe_object_begin_del,
	  .facts = RDMAEV_OBSERVED_USER_CQS,
	  .is_alternative = true },
	[HOOK_ADD] = {
	  .symbol = "rdma_restrack_add", .module = "ib_core",
	  .wanted = &always, .fn = observe_object_begin,
	  .facts = RDMAEV_OBSERVED_USER_EVENTS },
	/* Since Linux 6.11 */
	[HOOK_QP_EVENT] = {
	  .symbol = "__ib_qp_event_handler", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_kernel_qp,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
	  .is_alternative = true },
	[HOOK_CREATE_CQ] = {
	  .symbol = "__ib_create_cq", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_create_cq,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
	  .missed = observe_handlers_missed },
	{ .symbol = "ib_uverbs_qp_event_handler", .module = "ib_uverbs",
	  .wanted = &user, .fn = observe_user_qp,
	  .facts = RDMAEV_OBSERVED_USER_EVENTS },
	{ .symbol = "ib_uverbs_cq_event_handler", .module = "ib_uverbs",
	  .wanted = &user, .fn = observe_user_cq,
	  .facts = RDMAEV_OBSERVED_USER_EVENTS },
	{ .symbol = "ib_uverbs_srq_event_handler", .module = "ib_uverbs",
	  .wanted = &user, .fn = observe_user_srq,
	  .facts = RDMAEV_OBSERVED_USER_EVENTS },
	{ .symbol = "ib_uverbs_wq_event_handler", .module = "ib_uverbs",
	  .wanted = &user, .fn = observe_user_wq,
	  .facts = RDMAEV_OBSERVED_USER_EVENTS },
	{ .symbol = "ib_uverbs_comp_handler", .module = "ib_uverbs",
	  .wanted = &user, .fn = observe_user_notification,
	  .facts = RDMAEV_OBSERVED_USER_CQS },
	/* Up to Linux 6.10; the handlers of CQs and SRQs on all kernels */
	{ .symbol = "ib_create_qp_kernel", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_create_qp,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
	  .is_alternative = true,
	  .unless = &hooks[HOOK_QP_EVENT] },
	{ .symbol = "ib_create_named_qp", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_create_qp,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
	  .is_alternative = true,
	  .unless = &hooks[HOOK_QP_EVENT] },
	{ .symbol = "ib_create_qp", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_create_qp,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
	  .is_alternative = true,
	  .unless = &hooks[HOOK_QP_EVENT] },
	{ .symbol = "ib_create_srq_user", .module = "ib_core",
	  .wanted = &kernel, .fn = observe_create_srq,
	  .facts = RDMAEV_OBSERVED_KERNEL_EVENTS },
	{ .symbol = "rdma_bind_addr", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_used,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS },
	{ .symbol = "rdma_listen", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_used,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS },
	{ .symbol = "rdma_resolve_addr", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_resolve,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS },
	{ .symbol = "rdma_connect_ece", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_connect,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS },
	{ .symbol = "rdma_accept_ece", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_connect,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS,
	  .is_alternative = true },
	/* Up to Linux 5.10 in place of the one before */
	{ .symbol = "__rdma_accept_ece", .module = "rdma_cm",
	  .wanted = &connections, .fn = observe_cm_connect,
	  .needs = &tracepoints[TRACEPOINT_CM_DESTROY].status,
	  .facts = RDMAEV_OBSERVED_CONNECTION_OWNERS,
	  .is_alternative = true },
};

/* In place of the operations that follow. So they have the types of the kernel's headers. */
static const struct ib_device_ops observe_ops = {
	.modify_qp = observe_modify_qp,
	.query_qp = observe_query_qp,
	.destroy_qp = observe_destroy_qp,
	.create_qp = observe_driver_create_qp,
	.create_cq = observe_driver_create_cq,
#ifdef HAVE_CREATE_USER_CQ
	.create_user_cq = observe_driver_create_user_cq,
#endif
	.create_srq = observe_driver_create_srq,
	.poll_cq = observe_poll_cq,
};

static const struct observe_operation operations[] = {
	{ .name = "modify_qp", .offset = offsetof(struct ib_device, ops.modify_qp),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_STATES,
	  .missed = observe_qps_missed },
	{ .name = "query_qp", .offset = offsetof(struct ib_device, ops.query_qp),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_ENDS },
	{ .name = "destroy_qp", .offset = offsetof(struct ib_device, ops.destroy_qp),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_ENDS },
	{ .name = "create_qp", .offset = offsetof(struct ib_device, ops.create_qp),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_STATES },
	{ .name = "create_cq", .offset = offsetof(struct ib_device, ops.create_cq),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_STATES },
#ifdef HAVE_CREATE_USER_CQ
	{ .name = "create_user_cq", .offset = offsetof(struct ib_device, ops.create_user_cq),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_STATES },
#endif
	{ .name = "create_srq", .offset = offsetof(struct ib_device, ops.create_srq),
	  .wanted = &states, .facts = RDMAEV_OBSERVED_QP_STATES },
	{ .name = "poll_cq", .offset = offsetof(struct ib_device, ops.poll_cq),
	  .wanted = &polls, .facts = RDMAEV_OBSERVED_POLLED_CQS,
	  .needs = &tracepoints[TRACEPOINT_CQ_FREE].status,
	  /* The tracepoints have those of both, too. */
	  .missed = observe_kernel_cqs_missed },
};

/*
 * RDMAEV_OBSERVED_*: what the hooks observe. ib_uverbs and rdma_cm may be loaded
 * later.
 */
static u32 observe_traced(void)
{
	u32 facts = 0;

	if (user)
		facts |= RDMAEV_OBSERVED_USER_EVENTS | RDMAEV_OBSERVED_USER_CQS;
	if (observe_hooks_armed(&kernel))
		facts |= RDMAEV_OBSERVED_KERNEL_EVENTS;
	if (connections)
		facts |= RDMAEV_OBSERVED_CONNECTION_OWNERS;
	return facts;
}

/* What the probes of tracepoints observe */
static u32 observe_tracepoints(void)
{
	u32 facts = 0;

	if (observe_tracepoints_registered(&kernel))
		facts |= RDMAEV_OBSERVED_KERNEL_CQS;
	if (connections)
		facts |= RDMAEV_OBSERVED_CONNECTIONS;
	return facts;
}

/* What is observed by operations */
static u32 observe_replaced(void)
{
	return (states ? RDMAEV_OBSERVED_QP_STATES | RDMAEV_OBSERVED_QP_ENDS : 0) |
	       (polls ? RDMAEV_OBSERVED_POLLED_CQS : 0);
}

/* Kretprobes of refusal.c are registered. */
static bool refusals_observed;

/* What has not been seen because the observer was not loaded */
static unsigned int observe_unseen(void)
{
	unsigned int what = 0;

	if (kernel)
		what |= OBSERVE_EXISTING_HANDLERS;
	/* Others do not keep an object that somebody has a reference to. */
	if (!hooks[HOOK_COMMIT_DEL].trace.is_armed)
		return what;
	what |= OBSERVE_EXISTING_OWNERS;
	if (states)
		what |= OBSERVE_EXISTING_STATES;
	if (kernel && !hooks[HOOK_QP_EVENT].trace.is_armed)
		what |= OBSERVE_EXISTING_QP_HANDLERS;
	return what;
}

/* OBSERVE_TRY_*: what is to be seen of objects of the observer's own */
static u32 observe_try(void)
{
	const struct observe_hook *hook;
	u32 try = 0;

	if (states)
		try |= OBSERVE_TRY_CREATE_CQ | OBSERVE_TRY_CREATE_QP | OBSERVE_TRY_MODIFY_QP |
		       OBSERVE_TRY_QUERY_QP | OBSERVE_TRY_DESTROY_QP;
	if (polls && tracepoints[TRACEPOINT_CQ_FREE].tp)
		try |= OBSERVE_TRY_POLL_CQ;
	if (observe_tracepoints_registered(&kernel))
		try |= OBSERVE_TRY_NOTIFY | OBSERVE_TRY_CORE_POLL;
	if (hooks[HOOK_CREATE_CQ].trace.is_armed)
		try |= OBSERVE_TRY_CQ_HANDLER;
	for (hook = hooks; hook < hooks + ARRAY_SIZE(hooks); hook++) {
		if (hook->fn == observe_create_qp && hook->trace.is_armed)
			try |= OBSERVE_TRY_QP_HANDLER;
	}
	return try;
}

/*
 * rdma_restrack_del() is the end of all objects only where there are not the other
 * two; a function that cannot be traced looks as if there were none.
 */
static bool observe_sees_ends(void)
{
	return hooks[HOOK_COMMIT_DEL].trace.is_armed ||
	       (hooks[HOOK_DEL].trace.is_armed &&
		hooks[HOOK_COMMIT_DEL].status == OBSERVE_MISSING &&
		hooks[HOOK_BEGIN_DEL].status == OBSERVE_MISSING);
}

static int __init observe_init(void)
{
	int ret = rdmaev_observe_begin();

	if (ret)
		return ret;
	/* Connections are added by hooks, and end by tracepoints. */
	ret = observe_tracepoints_init(tracepoints, ARRAY_SIZE(tracepoints));
	if (ret)
		goto err_begin;
	ret = observe_handlers_init();
	if (ret)
		goto err_tracepoints;
	refusals_observed = states && observe_refusals_init();
	ret = observe_hooks_init(hooks, ARRAY_SIZE(hooks));
	if (ret)
		goto err_refusals;
	if (!observe_sees_ends()) {
		pr_err("the ends of objects cannot be observed: no ftrace on %s\n",
		       hooks[HOOK_DEL].symbol);
		ret = -EOPNOTSUPP;
		goto err_hooks;
	}
	if (!hooks[HOOK_ADD].trace.is_armed)
		pr_warn("the owners of objects are not observed: no ftrace on %s\n",
			hooks[HOOK_ADD].symbol);
	if (!hooks[HOOK_COMMIT_DEL].trace.is_armed)
		observe_ends_by_del();
	if (!states)
		observe_ends_flush_qps();
	if (hooks[HOOK_QP_EVENT].trace.is_armed)
		observe_handlers_without_qps();
	/* Before QPs are queried: what they say is older than a request then. */
	ret = observe_operations_init(&observe_ops, operations, ARRAY_SIZE(operations));
	if (ret)
		goto err_hooks;
	/* Those that come from now on are late. */
	observe_operations_late();
	ret = observe_existing(observe_unseen(), observe_try());
	if (ret)
		goto err_operations;
	observe_state_start();
	observe_canary_start(observe_traced(),
			     refusals_observed ? RDMAEV_OBSERVED_QP_STATES : 0,
			     observe_tracepoints(),
			     observe_replaced());
	return 0;

err_operations:
	observe_operations_exit();
err_hooks:
	observe_hooks_exit();
err_refusals:
	if (refusals_observed)
		observe_refusals_exit();
	observe_handlers_exit();
err_tracepoints:
	observe_tracepoints_exit();
	observe_ftrace_end();
err_begin:
	rdmaev_observe_end();
	return ret;
}

static void __exit observe_exit(void)
{
	observe_canary_stop();
	observe_existing_stop();
	observe_operations_exit();
	observe_hooks_exit();
	observe_handlers_exit();
	if (refusals_observed)
		observe_refusals_exit();
	observe_tracepoints_exit();
	observe_ftrace_end();
	rdmaev_observe_end();
}

module_init(observe_init);
module_exit(observe_exit);

MODULE_DESCRIPTION("Observer for rdmaev: objects of all ULPs and programs");
MODULE_AUTHOR("The rdmaev authors");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(RDMAEV_VERSION);
