// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs: notifications of those of processes, notifications and completions of
 * those that the RDMA core polls for kernel ULPs.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "compat.h"
#include "observe.h"
#include "observer.h"

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

/* No hook on ib_destroy_qp_user(): another QP may have the number next. */
static bool objects_flush_qps;

/** observe_ends_flush_qps - the end of QPs is observed as that of all objects */
void observe_ends_flush_qps(void)
{
	WRITE_ONCE(objects_flush_qps, true);
}

static const struct ib_device *observe_qp_leaves(const struct ib_qp *qp)
{
	if (READ_ONCE(objects_flush_qps))
		rdmaev_qp_flushed(qp);
	return qp->device;
}

/* The object leaves the resource tracking, and may be destroyed. */
static void observe_object_leaves(const struct rdma_restrack_entry *res)
{
	const struct ib_device *ib;

	if (res->type == RDMA_RESTRACK_CQ)
		ib = container_of(res, struct ib_cq, res)->device;
	else if (res->type == RDMA_RESTRACK_QP)
		ib = observe_qp_leaves(container_of(res, struct ib_qp, res));
	else if (rdmaev_srq_of(res))
		ib = rdmaev_srq_of(res)->device;
	else
		return;
	observe_existing_end(ib, res->type);
}

static void observe_object_ended(const struct rdma_restrack_entry *res)
{
	if (res->type == RDMA_RESTRACK_CQ)
		rdmaev_cq_not_observed(container_of(res, struct ib_cq, res));
	else if (res->type == RDMA_RESTRACK_QP)
		rdmaev_qp_ended(container_of(res, struct ib_qp, res));
}

/* There is no rdma_restrack_commit_del(), as on Linux 5.10. */
static bool objects_end_by_del;

/** observe_ends_by_del - rdma_restrack_del() is the end of all objects */
void observe_ends_by_del(void)
{
	WRITE_ONCE(objects_end_by_del, true);
}

/* rdma_restrack_begin_del(): before the driver is asked to destroy the object */
RDMAEV_FTRACE_FN(observe_object_begin_del)
{
	observe_object_leaves((void *)RDMAEV_FTRACE_ARG(0));
}

/*
 * rdma_restrack_del(): in kernels without the other two, the driver has
 * destroyed the object. In others it is called before that, and for a CQ only
 * by ib_free_cq(), which traces cq_free later.
 */
RDMAEV_FTRACE_FN(observe_object_del)
{
	const struct rdma_restrack_entry *res = (void *)RDMAEV_FTRACE_ARG(0);

	observe_object_leaves(res);
	if (READ_ONCE(objects_end_by_del))
		observe_object_ended(res);
}

/* rdma_restrack_commit_del(): the driver has destroyed the object. */
RDMAEV_FTRACE_FN(observe_object_end)
{
	observe_object_ended((void *)RDMAEV_FTRACE_ARG(0));
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
