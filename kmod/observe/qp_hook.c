// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States of QPs: each request to move one, with its result, and the end of a QP, in place
 * of the operations of the device. Requests that ib_core refuses by itself, as it
 * cannot resolve an address, do not reach those: a kretprobe has them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device/payer.h"
#include "ftrace.h"
#include "hook.h"
#include "object_hook.h"
#include "object/object.h"
#include "object/object_table.h"
#include "object/qp_end.h"
#include "object/qp_request.h"
#include "operation.h"
#include "qp_hook.h"
#include "symbol.h"
#include "trial.h"

#define QP_STACK	24	/* return addresses to search for the caller */

/*
 * Requests with an address that may run at the same time; more are counted in nmissed. Of
 * processes, which can have them wait for a peer's address, at most QP_SHARE and as many
 * more for each payer; once half are in use, QP_FEW for each payer. The last QP_SHARE are
 * for the kernel.
 */
#define QP_REQUESTS	1024
#define QP_SHARE	128
#define QP_FEW		8

/* Only requests that set one of these can be refused by the core. */
#define QP_ADDRESS	(IB_QP_AV | IB_QP_ALT_PATH)

/* Requests of processes that have not returned */
static atomic_t qp_of_processes = ATOMIC_INIT(0);

/**
 * struct qp_request - a request with an address that has not returned
 * @qp: QP, exists until the request returns
 * @attr: its attributes, likewise
 * @attr_mask: which attributes are set
 * @account: of rdmaev_qp_request_begin(), or QP_BY_*
 */
struct qp_request {
	const struct ib_qp *qp;
	const struct ib_qp_attr *attr;
	int attr_mask;
	int account;
};

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

/* Of requests of processes: besides the accounts of rdmaev_qp_request_begin() */
#define QP_BY_KERNEL	(-1)
#define QP_BY_PROCESS	(-2)

/* One of many requests of processes, @n. Returns false if it is missed. */
static noinline bool qp_request_charge(struct qp_request *req, int n)
{
	u32 max = QP_SHARE;

	if (n > QP_REQUESTS / 2)
		max = n <= QP_REQUESTS - QP_SHARE ? QP_FEW : 0;
	req->account = rdmaev_qp_request_begin(max);
	if (req->account >= 0)
		return true;
	atomic_dec(&qp_of_processes);
	return false;
}

/*
 * Entry of _ib_modify_qp(), which the exported functions and ib_drain_qp()
 * call. Returns 1 to ignore the call.
 */
static int qp_modify_entry(struct kretprobe_instance *instance,
			   struct pt_regs *regs)
{
	struct qp_request *req = (struct qp_request *)instance->data;

	req->attr_mask = regs_get_kernel_argument(regs, 2);
	if (!(req->attr_mask & IB_QP_STATE) || !(req->attr_mask & QP_ADDRESS))
		return 1;
	req->qp = (void *)regs_get_kernel_argument(regs, 0);
	req->attr = (void *)regs_get_kernel_argument(regs, 1);
	if (rdmaev_qp_is_user(req->qp)) {
		int n = atomic_inc_return(&qp_of_processes);

		req->account = QP_BY_PROCESS;
		if (unlikely(n > QP_SHARE) && !qp_request_charge(req, n))
			return 1;
	} else {
		req->account = QP_BY_KERNEL;
	}
	return 0;
}

static int qp_modify_return(struct kretprobe_instance *instance,
			    struct pt_regs *regs)
{
	struct qp_request *req = (struct qp_request *)instance->data;
	int ret = (int)regs_return_value(regs);

	/* observe_modify_qp() has seen it otherwise. */
	if (ret)
		rdmaev_qp_moved(req->qp, req->attr, req->attr_mask, ret, "");
	if (req->account == QP_BY_KERNEL)
		return 0;
	atomic_dec(&qp_of_processes);
	if (unlikely(req->account >= 0))
		rdmaev_qp_request_end(req->account);
	return 0;
}

static struct kretprobe qp_modify = {
	.kp.symbol_name = "_ib_modify_qp",
	.entry_handler = qp_modify_entry,
	.handler = qp_modify_return,
	.data_size = sizeof(struct qp_request),
	.maxactive = QP_REQUESTS,
};

/* As in struct observe_entry; OFF until it is wanted */
static int qp_status = OBSERVE_OFF;

/** observe_qps_init - observe requests to move QPs; 0 or -errno */
int observe_qps_init(void)
{
	int ret = register_kretprobe(&qp_modify);

	qp_status = ret ?: OBSERVE_ARMED;
	if (ret == -ENOENT)
		qp_status = OBSERVE_MISSING;
	if (ret)
		pr_warn("states of QPs are not observed: no kretprobe on %s (%d)\n",
			qp_modify.kp.symbol_name, ret);
	return ret;
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

	/* Of those with an address, the kretprobe has what is refused, by the driver or not. */
	if (!observe_is_trial(qp->qp_context, OBSERVE_TRY_MODIFY_QP) &&
	    attr_mask & IB_QP_STATE && (!ret || !(attr_mask & QP_ADDRESS) ||
				       qp_status != OBSERVE_ARMED)) {
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
 * Because too many ran, because another kprobe did on their CPU, or because QPs
 * of the kernel had no room in the table.
 */
u64 observe_qps_missed(void)
{
	/* Written by any CPU, without a lock. */
	return data_race(qp_modify.nmissed + qp_modify.kp.nmissed) +
	       rdmaev_objects_missed(RDMAEV_SHARE_QPS);
}

/**
 * observe_qps_each - visit the kretprobe
 * @visit: called for it
 * @data: for @visit
 */
void observe_qps_each(observe_visit_fn visit, void *data)
{
	const struct observe_entry entry = {
		.symbol = qp_modify.kp.symbol_name,
		.module = "ib_core",
		.facts = RDMAEV_OBSERVED_QP_STATES,
		.mechanism = OBSERVES_BY_KPROBE,
		.status = qp_status,
		.missed = observe_qps_missed(),
	};

	visit(&entry, data);
}

/** observe_qps_exit - the opposite of observe_qps_init() that succeeded */
void observe_qps_exit(void)
{
	observe_ftrace_keep_on();
	unregister_kretprobe(&qp_modify);
	if (qp_modify.nmissed)
		pr_warn("%d requests to move QPs were missed\n",
			qp_modify.nmissed);
}
