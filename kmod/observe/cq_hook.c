// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs: notifications of those of processes, notifications and completions of
 * those that ib_core polls for ULPs.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>
#include <trace/events/rdma_core.h>

#include "cq_hook.h"
#include "device/payer.h"
#include "object/cq_observed.h"
#include "object/object_table.h"
#include "operation.h"
#include "trial.h"

/*
 * The core polls CQs that it polls by itself this many completions at a time,
 * into cq->wc. CQs that a ULP polls by ib_process_cq_direct() it polls 8 at a
 * time, onto the stack, and so it does with others while it drains an SRQ.
 */
#define CQ_BATCH	16

/* Handler of ib_uverbs: notification of a CQ of a process */
RDMAEV_FTRACE_FN(observe_user_notification)
{
	rdmaev_observe_user_cq((void *)RDMAEV_FTRACE_ARG(0));
}

/* Probe of cq_free: nobody polls the CQ any more. */
void observe_cq_free(void *data, const struct ib_cq *cq)
{
	rdmaev_cq_not_observed(cq);
}

/* Probe of cq_schedule: the driver has notified of a completion. */
void observe_cq_schedule(void *data, struct ib_cq *cq)
{
	if (!observe_is_trial(cq->cq_context, OBSERVE_TRY_NOTIFY))
		rdmaev_observe_schedule(cq);
}

/* Probe of cq_poll: after a poll, before done() of its completions. */
void observe_cq_poll(void *data, const struct ib_cq *cq, int requested, int rc)
{
	if (cq->poll_ctx != IB_POLL_DIRECT && requested == CQ_BATCH &&
	    !observe_is_trial(cq->cq_context, OBSERVE_TRY_CORE_POLL))
		rdmaev_observe_poll(cq, cq->wc, rc);
}

/* The types of the probes are those of the tracepoints, or this does not compile. */
static inline void __maybe_unused cq_check_probes(void)
{
	check_trace_callback_type_cq_free(observe_cq_free);
	check_trace_callback_type_cq_schedule(observe_cq_schedule);
	check_trace_callback_type_cq_poll(observe_cq_poll);
}

/*
 * Does a ULP poll the CQ? The core's tracepoint shows those that the core polls.
 * Those of ib_create_cq() have no @wc.
 */
static bool cq_is_polled_by_ulp(const struct ib_cq *cq)
{
	return rdma_is_kernel_res(&cq->res) &&
	       (!cq->wc || cq->poll_ctx == IB_POLL_DIRECT);
}

/**
 * observe_poll_cq - in place of the operation
 * @cq: CQ
 * @n: completions that fit into @wc
 * @wc: completions
 *
 * CQs that ULPs poll themselves: poll queues of nvme-rdma, IPoIB, SMC, RDS.
 * Every poll on the device gets slower by this, so a parameter has to ask for it.
 *
 * Context: any.
 */
int observe_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	int done;

	/* It does not sleep, and observe_operation_enter() would cost more. */
	rcu_read_lock();
	done = observe_driver_ops(cq->device)->poll_cq(cq, n, wc);
	if (cq_is_polled_by_ulp(cq) && !observe_is_trial(cq->cq_context, OBSERVE_TRY_POLL_CQ))
		rdmaev_observe_direct_poll(cq, wc, done);
	rcu_read_unlock();
	return done;
}

/** observe_kernel_cqs_missed - get the calls missed about CQs of the kernel */
u64 observe_kernel_cqs_missed(void)
{
	return rdmaev_objects_missed(RDMAEV_SHARE_CQS);
}
