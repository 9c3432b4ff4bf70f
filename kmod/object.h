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

/* One function fills in either body: both begin alike. */
#define ASYNC_AT(field)	offsetof(struct rdmaev_async_body, field)
static_assert(offsetof(struct rdmaev_wc_body, known) == ASYNC_AT(known));
static_assert(offsetof(struct rdmaev_wc_body, send_cq) == ASYNC_AT(send_cq));
static_assert(offsetof(struct rdmaev_wc_body, recv_cq) == ASYNC_AT(recv_cq));
static_assert(offsetof(struct rdmaev_wc_body, srq) == ASYNC_AT(srq));
static_assert(offsetof(struct rdmaev_wc_body, uid) == ASYNC_AT(uid));
static_assert(offsetof(struct rdmaev_wc_body, qp_type) == ASYNC_AT(qp_type));
static_assert(offsetof(struct rdmaev_wc_body, cgroup) == ASYNC_AT(cgroup));
static_assert(offsetof(struct rdmaev_wc_body, source_name) ==
	      ASYNC_AT(source_name));
static_assert(offsetof(struct rdmaev_wc_body, comm) == ASYNC_AT(comm));
static_assert(offsetof(struct rdmaev_wc_body, peer_qpn) == ASYNC_AT(peer_qpn));
static_assert(offsetof(struct rdmaev_wc_body, peer_gid) == ASYNC_AT(peer_gid));

/* Set the number that RDMA netlink shows to user space, if it shows one. */
static inline void
rdmaev_set_number(struct rdmaev_record *rec, u32 known, u32 *number,
		  const struct rdma_restrack_entry *res)
{
	if (!res->valid || rdmaev_is_hidden(res))
		return;
	*number = res->id;
	rec->body.async.known |= known;
}

static inline void
rdmaev_set_srq(struct rdmaev_record *rec, u32 known, u32 *number,
	       const struct ib_srq *srq)
{
	const struct rdma_restrack_entry *res = rdmaev_srq_res(srq);

	if (res)
		rdmaev_set_number(rec, known, number, res);
}

static inline void
rdmaev_set_recv_cq(struct rdmaev_record *rec, const struct ib_cq *cq)
{
	if (cq)
		rdmaev_set_number(rec, RDMAEV_KNOWN_RECV_CQ,
				  &rec->body.async.recv_cq, &cq->res);
}

/* Return the port that a QP is bound to, or the only port that it can use. */
static inline u32 rdmaev_qp_port(const struct ib_qp *qp)
{
	if (qp->port)
		return qp->port;
	return qp->device->phys_port_cnt == 1 ? rdma_start_port(qp->device) : 0;
}

/**
 * rdmaev_describe_qp - fill in the QP of a record
 * @rec: record of RDMAEV_KIND_ASYNC or _WC: their bodies begin alike
 * @qp: QP. Drivers may change the CQs of a user's QP during its lifetime
 *
 * Context: any.
 *
 * Return: the entry that has its owner.
 */
static inline const struct rdma_restrack_entry *
rdmaev_describe_qp(struct rdmaev_record *rec, const struct ib_qp *qp)
{
	struct rdmaev_async_body *body = &rec->body.async;
	const struct ib_cq *send_cq = READ_ONCE(qp->send_cq);
	const struct ib_srq *srq = READ_ONCE(qp->srq);
	/* The real QP of a shared XRC target QP has the port and the owner. */
	const struct ib_qp *real = qp->real_qp ?: qp;

	rec->object = qp->qp_num;
	rec->port = rdmaev_qp_port(real);
	body->known |= RDMAEV_KNOWN_OBJECT;
	/* Larger types are internal to the core and not part of verbs. */
	if (qp->qp_type <= U8_MAX) {
		body->qp_type = qp->qp_type;
		body->known |= RDMAEV_KNOWN_QP_TYPE;
	}
	/* XRC target QPs have no CQ, and XRC QPs get their SRQ per packet. */
	if (send_cq)
		rdmaev_set_number(rec, RDMAEV_KNOWN_SEND_CQ, &body->send_cq,
				  &send_cq->res);
	rdmaev_set_recv_cq(rec, READ_ONCE(qp->recv_cq));
	if (srq)
		rdmaev_set_srq(rec, RDMAEV_KNOWN_SRQ, &body->srq, srq);
	return &real->res;
}

#endif /* RDMAEV_OBJECT_H */
