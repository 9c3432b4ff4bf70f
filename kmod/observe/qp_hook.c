// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States of QPs: each request to move one, with its result, and the end of a QP, in place
 * of the operations of the device. refusal.c has requests that do not reach those.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "object_hook.h"
#include "object/object.h"
#include "object/object_table.h"
#include "object/qp_end.h"
#include "object/qp_request.h"
#include "operation.h"
#include "qp_hook.h"
#include "refusal.h"
#include "symbol.h"
#include "trial.h"

#define QP_STACK	24	/* return addresses to search for the caller */

/*
 * Find the first function of a ULP on the stack. Empty if a program asked: for a QP of a
 * process there is no need to search.
 */
static void qp_find_caller(const struct ib_qp *qp, char *caller, size_t size)
{
	unsigned long stack[QP_STACK];
	struct rdmaev_symbol symbol;
	unsigned int n, i;

	caller[0] = '\0';
	if (rdmaev_qp_is_user(qp))
		return;
	n = stack_trace_save(stack, QP_STACK, 0);
	for (i = 0; i < n; i++) {
		rdmaev_symbol_get(&symbol, (void *)stack[i]);
		if (symbol.roles & RDMAEV_SYMBOL_USER)
			return;
		if (!(symbol.roles & RDMAEV_SYMBOL_MODULE) ||
		    symbol.roles & RDMAEV_SYMBOL_CORE)
			continue;
		strscpy(caller, symbol.text, size);
		return;
	}
}

/**
 * observe_modify_qp - in place of the operation
 * @qp: QP
 * @attr: attributes
 * @attr_mask: which of them are set
 * @udata: of the process
 *
 * Context: process.
 */
int observe_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		      struct ib_udata *udata)
{
	char caller[sizeof_field(union rdmaev_origin, caller)] = "";
	bool is_held;
	int ret = observe_operation_enter(qp->device, &is_held)->modify_qp(qp, attr, attr_mask,
									  udata);

	if (!observe_is_trial(qp->qp_context, OBSERVE_TRY_MODIFY_QP) &&
	    attr_mask & IB_QP_STATE && (!ret || !observe_refusal_sees_move(attr_mask))) {
		/* A search takes long, so requests for other states have no caller. */
		if (rdmaev_qp_state_ends(attr->qp_state))
			qp_find_caller(qp, caller, sizeof(caller));
		rdmaev_qp_moved(qp, attr, attr_mask, ret, caller);
	}
	observe_operation_leave(is_held);
	return ret;
}

/**
 * observe_query_qp - in place of the operation
 * @qp: QP
 * @attr: set to attributes
 * @attr_mask: which of them are wanted
 * @init: set to attributes of its creation
 *
 * Context: process.
 */
int observe_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		     struct ib_qp_init_attr *init)
{
	const struct ib_device_ops *driver;
	bool is_held;
	u32 moves;
	int ret;

	driver = observe_operation_enter(qp->device, &is_held);
	moves = rdmaev_qp_query_asked(qp);
	ret = driver->query_qp(qp, attr, attr_mask, init);
	if (!observe_is_trial(qp->qp_context, OBSERVE_TRY_QUERY_QP) &&
	    !ret && attr_mask & IB_QP_STATE &&
	    (attr->qp_state == IB_QPS_SQE || attr->qp_state == IB_QPS_ERR))
		rdmaev_qp_query_answered(qp, attr->qp_state, moves);
	observe_operation_leave(is_held);
	return ret;
}

static unsigned int query_qps = 100;
module_param(query_qps, uint, 0644);
MODULE_PARM_DESC(query_qps, "QPs of processes of which rdmaev_observe queries the state before their end, per device and second; of one user half as many on all devices (default 100; 0: none)");

/*
 * Find out the state of a QP that may have failed. Not inline: the attributes need much of
 * the stack. Returns -1 if the driver was not asked, or does not say.
 */
static noinline int qp_ask(const struct ib_device_ops *driver, struct ib_qp *qp)
{
	/* Some drivers report no state. */
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR + 1 };
	struct ib_qp_init_attr init = {};
	u32 max = READ_ONCE(query_qps);
	int seen;

	if (!max)
		return -1;
	/* A driver may wait in vain for a device that is being removed. */
	if (!driver->query_qp || observe_device_is_leaving(qp->device))
		max = 0;
	if (!rdmaev_qp_may_ask(qp, max, &seen))
		return seen;
	if (driver->query_qp(qp, &attr, IB_QP_STATE, &init)) {
		rdmaev_qp_not_asked(qp);
		return -1;
	}
	return attr.qp_state;
}

/**
 * observe_destroy_qp - in place of the operation
 * @qp: QP
 * @udata: of the process
 *
 * Context: process.
 */
int observe_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	const struct ib_device_ops *driver;
	struct rdmaev_qp_end end;
	bool is_held;
	int ret;

	driver = observe_operation_enter(qp->device, &is_held);
	observe_is_trial(qp->qp_context, OBSERVE_TRY_DESTROY_QP);
	rdmaev_qp_end_begin(&end, qp, qp_ask(driver, qp));
	observe_qp_is_destroyed(qp);
	ret = driver->destroy_qp(qp, udata);
	if (!ret)
		observe_qp_has_ended(qp);
	rdmaev_qp_end(&end, qp, ret);
	observe_operation_leave(is_held);
	return ret;
}

/**
 * observe_qps_missed - return how many calls were missed, 0 if not observed
 *
 * Because QPs of the kernel had no room in the table.
 */
u64 observe_qps_missed(void)
{
	return rdmaev_objects_missed(RDMAEV_SHARE_QPS);
}
