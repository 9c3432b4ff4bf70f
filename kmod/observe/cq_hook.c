// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs: notifications of those of processes, notifications and completions of
 * those that the RDMA core polls for kernel ULPs.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cq_hook.h"
#include "device/payer.h"
#include "object/cq_observed.h"
#include "object/object_table.h"

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
void observe_cq_schedule(void *data, const struct ib_cq *cq)
{
	rdmaev_observe_schedule(cq);
}

/* Probe of cq_poll: after a poll, before done() of its completions. */
void observe_cq_poll(void *data, const struct ib_cq *cq, int requested, int rc)
{
	if (cq->poll_ctx != IB_POLL_DIRECT && requested == CQ_BATCH)
		rdmaev_observe_poll(cq, cq->wc, rc);
}

/** observe_kernel_cqs_missed - get the calls missed about CQs of the kernel */
u64 observe_kernel_cqs_missed(void)
{
	return rdmaev_objects_missed(RDMAEV_SHARE_CQS);
}
