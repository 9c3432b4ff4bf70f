/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fill in the fields of a record about a QP or CQ. Inline, as their events are
 * recorded in hard interrupt, with a driver's lock held.
 */
#ifndef RDMAEV_OBJECT_H
#define RDMAEV_OBJECT_H

#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "compat.h"

/* Set the number that RDMA netlink shows to user space, if it shows one. */
static inline void
rdmaev_set_number(struct rdmaev_object_info *info, u32 known, u32 *number,
		  const struct rdma_restrack_entry *res)
{
	if (!res->valid || rdmaev_is_hidden(res))
		return;
	*number = res->id;
	info->known |= known;
}

static inline void
rdmaev_set_srq(struct rdmaev_object_info *info, u32 known, u32 *number,
	       const struct ib_srq *srq)
{
	const struct rdma_restrack_entry *res = rdmaev_srq_res(srq);

	if (res)
		rdmaev_set_number(info, known, number, res);
}

static inline void
rdmaev_set_recv_cq(struct rdmaev_object_info *info, struct rdmaev_queues *queues,
		   const struct ib_cq *cq)
{
	if (cq)
		rdmaev_set_number(info, RDMAEV_KNOWN_RECV_CQ, &queues->recv_cq,
				  &cq->res);
}

/*
 * Does a QP belong to a process? To the core, XRC target QPs of processes look
 * like those of the kernel, which makes none.
 */
static inline bool rdmaev_qp_is_user(const struct ib_qp *qp)
{
	return !rdma_is_kernel_res(&qp->res) || qp->qp_type == IB_QPT_XRC_TGT;
}

/* Return the port that a QP is bound to, or the only port that it can use, if there is one. */
static inline u32 rdmaev_qp_port(const struct ib_qp *qp)
{
	if (qp->port)
		return qp->port;
	return qp->device->phys_port_cnt == 1 ? rdma_start_port(qp->device) : RDMAEV_NO_PORT;
}

/*
 * Fill in type, CQs and SRQ of a QP. Drivers may change the CQs of a user's QP
 * during its lifetime.
 */
static inline void rdmaev_fill_qp(struct rdmaev_object_info *info,
				  struct rdmaev_queues *queues,
				  const struct ib_qp *qp)
{
	const struct ib_cq *send_cq = READ_ONCE(qp->send_cq);
	const struct ib_srq *srq = READ_ONCE(qp->srq);

	/* Larger types are internal to the core and not part of verbs. */
	if (qp->qp_type <= U8_MAX) {
		info->qp_type = qp->qp_type;
		info->known |= RDMAEV_KNOWN_QP_TYPE;
	}
	/* XRC target QPs have no CQ, and XRC QPs get their SRQ per packet. */
	if (send_cq)
		rdmaev_set_number(info, RDMAEV_KNOWN_SEND_CQ, &queues->send_cq,
				  &send_cq->res);
	rdmaev_set_recv_cq(info, queues, READ_ONCE(qp->recv_cq));
	if (srq)
		rdmaev_set_srq(info, RDMAEV_KNOWN_SRQ, &queues->srq, srq);
}

/**
 * rdmaev_describe_qp - fill in the QP of a record
 * @rec: record of RDMAEV_KIND_ASYNC or _WC: their bodies begin alike, see attributes.h
 * @qp: QP
 *
 * Context: any.
 *
 * Return: the entry that has its owner.
 */
static inline const struct rdma_restrack_entry *
rdmaev_describe_qp(struct rdmaev_record *rec, const struct ib_qp *qp)
{
	/* The real QP of a shared XRC target QP has the port and the owner. */
	const struct ib_qp *real = qp->real_qp ?: qp;

	rec->object = qp->qp_num;
	rec->port = rdmaev_qp_port(real);
	rec->body.info.known |= RDMAEV_KNOWN_OBJECT;
	rdmaev_fill_qp(&rec->body.info, &rec->body.async.queues, qp);
	return &real->res;
}

#endif /* RDMAEV_OBJECT_H */
