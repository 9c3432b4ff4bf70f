// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Begin and end of objects, as the resource tracking of ib_core has them.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "compat.h"
#include "existing.h"
#include "object/cq_observed.h"
#include "object/owner.h"
#include "object/qp.h"
#include "object_hook.h"
#include "operation.h"

static bool observe_has_owner(const struct rdma_restrack_entry *res)
{
	return !rdma_is_kernel_res(res) &&
	       (res->type == RDMA_RESTRACK_QP || res->type == RDMA_RESTRACK_CQ ||
		res->type == RDMA_RESTRACK_PD);
}

/* rdma_restrack_add(): the driver has made the object. */
RDMAEV_FTRACE_FN(observe_object_begin)
{
	const struct rdma_restrack_entry *res = (void *)RDMAEV_FTRACE_ARG(0);

	if (observe_has_owner(res))
		rdmaev_owner_begin(res);
}

/* Ends of QPs are not observed by operations: another QP may have the number next. */
static bool objects_flush_qps;

/** observe_ends_flush_qps - the end of QPs is observed as that of all objects */
void observe_ends_flush_qps(void)
{
	WRITE_ONCE(objects_flush_qps, true);
}

/* Does observe_destroy_qp() see the end of the QP? */
static bool observe_qp_ends_by_operation(const struct ib_qp *qp)
{
	return !READ_ONCE(objects_flush_qps) && observe_ends_replaced(qp->device);
}

static const struct ib_device *observe_qp_leaves(const struct ib_qp *qp)
{
	if (!observe_qp_ends_by_operation(qp))
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
	else if (res->type == RDMA_RESTRACK_PD)
		ib = container_of(res, struct ib_pd, res)->device;
	else if (rdmaev_srq_of(res))
		ib = rdmaev_srq_of(res)->device;
	else
		return;
	observe_existing_end(ib, res->type);
}

static void observe_object_ended(const struct rdma_restrack_entry *res)
{
	if (observe_has_owner(res))
		rdmaev_owner_end(res);
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
 * destroyed the object, or is about to destroy the QP. In others it is called
 * before that, and for a CQ only by ib_free_cq(), which traces cq_free later.
 */
RDMAEV_FTRACE_FN(observe_object_del)
{
	const struct rdma_restrack_entry *res = (void *)RDMAEV_FTRACE_ARG(0);

	observe_object_leaves(res);
	if (!READ_ONCE(objects_end_by_del))
		return;
	/* The driver is asked to destroy the QP next. */
	if (res->type == RDMA_RESTRACK_QP &&
	    observe_qp_ends_by_operation(container_of(res, struct ib_qp, res)))
		return;
	observe_object_ended(res);
}

/**
 * observe_qp_is_destroyed - note that a driver is about to be asked to destroy a QP
 * @qp: QP
 *
 * Where there is no rdma_restrack_commit_del(), the core has forgotten it already, and the
 * driver frees it. If the driver refuses, nothing is known of it from now on.
 *
 * Context: process.
 */
void observe_qp_is_destroyed(const struct ib_qp *qp)
{
	if (READ_ONCE(objects_end_by_del))
		observe_object_ended(&qp->res);
}

/**
 * observe_qp_has_ended - note that a driver has destroyed a QP
 * @qp: QP, not dereferenced
 *
 * Also while rdma_restrack_commit_del() cannot be traced. Without that function another QP
 * may have the address already.
 *
 * Context: process.
 */
void observe_qp_has_ended(const struct ib_qp *qp)
{
	if (!READ_ONCE(objects_end_by_del))
		rdmaev_qp_ended(qp);
}

/* rdma_restrack_commit_del(): the driver has destroyed the object. */
RDMAEV_FTRACE_FN(observe_object_end)
{
	observe_object_ended((void *)RDMAEV_FTRACE_ARG(0));
}
