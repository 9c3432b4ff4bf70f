// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What records say of QPs, CQs, SRQs and WQs: their numbers, and whose they are.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "object.h"

/* So that one function fills in either. */
#define ASYNC_AT(field)	offsetof(struct rdmaev_async_body, field)
static_assert(offsetof(struct rdmaev_wc_body, known) == ASYNC_AT(known));
static_assert(offsetof(struct rdmaev_wc_body, send_cq) == ASYNC_AT(send_cq));
static_assert(offsetof(struct rdmaev_wc_body, recv_cq) == ASYNC_AT(recv_cq));
static_assert(offsetof(struct rdmaev_wc_body, srq) == ASYNC_AT(srq));

/* Number as RDMA netlink gives it to user space, if it does. */
static void set_number(struct rdmaev_record *rec, u32 known, u32 *number,
		       const struct rdma_restrack_entry *res)
{
	if (!res->valid || res->no_track)
		return;
	*number = res->id;
	rec->body.async.known |= known;
}

static void set_recv_cq(struct rdmaev_record *rec, const struct ib_cq *cq)
{
	if (cq)
		set_number(rec, RDMAEV_KNOWN_RECV_CQ, &rec->body.async.recv_cq,
			   &cq->res);
}

/* The port that a QP was bound to, or the only one that it can use. */
static u32 qp_port(const struct ib_qp *qp)
{
	if (qp->port)
		return qp->port;
	return qp->device->phys_port_cnt == 1 ? rdma_start_port(qp->device) : 0;
}

/**
 * rdmaev_describe_qp - fill in what a record says of a QP
 * @rec: record, of RDMAEV_KIND_ASYNC or _WC: their bodies begin alike
 * @qp: QP. Drivers may change the CQs of a user's QP while it is there
 *
 * Context: any.
 *
 * Return: the entry that has its owner.
 */
const struct rdma_restrack_entry *
rdmaev_describe_qp(struct rdmaev_record *rec, const struct ib_qp *qp)
{
	struct rdmaev_async_body *body = &rec->body.async;
	const struct ib_cq *send_cq = READ_ONCE(qp->send_cq);
	const struct ib_srq *srq = READ_ONCE(qp->srq);
	/* An XRC target QP that is shared has port and owner in the real one. */
	const struct ib_qp *real = qp->real_qp ?: qp;

	rec->object = qp->qp_num;
	rec->port = qp_port(real);
	body->known |= RDMAEV_KNOWN_OBJECT;
	/* XRC target QPs have no CQ, and XRC QPs their SRQ per packet. */
	if (send_cq)
		set_number(rec, RDMAEV_KNOWN_SEND_CQ, &body->send_cq,
			   &send_cq->res);
	set_recv_cq(rec, READ_ONCE(qp->recv_cq));
	if (srq)
		set_number(rec, RDMAEV_KNOWN_SRQ, &body->srq, &srq->res);
	return &real->res;
}

static const struct rdma_restrack_entry *
describe_srq(struct rdmaev_record *rec, const struct ib_srq *srq)
{
	set_number(rec, RDMAEV_KNOWN_OBJECT, &rec->object, &srq->res);
	if (ib_srq_has_cq(srq->srq_type))
		set_recv_cq(rec, srq->ext.cq);
	return &srq->res;
}

/* The core fills in some of it only when the driver has created it. */
static const struct rdma_restrack_entry *
describe_wq(struct rdmaev_record *rec, const struct ib_wq *wq)
{
	const struct ib_pd *pd = READ_ONCE(wq->pd);

	rec->object = wq->wq_num;
	rec->body.async.known |= RDMAEV_KNOWN_OBJECT;
	set_recv_cq(rec, READ_ONCE(wq->cq));
	/* Has no entry of its own; who has the PD has the WQ. */
	return pd ? &pd->res : NULL;
}

/**
 * rdmaev_describe - fill in what element of an event is
 * @rec: record of the event
 * @event: event. Its element belongs to who has the handler, so it is there until
 *	the handler returns, with all that it uses
 * @type: what element is
 * @ib: set to the device of it
 *
 * Context: any.
 *
 * Return: the entry that has the owner, NULL if it is not known.
 */
const struct rdma_restrack_entry *
rdmaev_describe(struct rdmaev_record *rec, const struct ib_event *event,
		enum rdmaev_object_type type, const struct ib_device **ib)
{
	switch (type) {
	case RDMAEV_OBJECT_QP:
		*ib = event->element.qp->device;
		return rdmaev_describe_qp(rec, event->element.qp);
	case RDMAEV_OBJECT_CQ:
		*ib = event->element.cq->device;
		set_number(rec, RDMAEV_KNOWN_OBJECT, &rec->object,
			   &event->element.cq->res);
		return &event->element.cq->res;
	case RDMAEV_OBJECT_SRQ:
		*ib = event->element.srq->device;
		return describe_srq(rec, event->element.srq);
	case RDMAEV_OBJECT_WQ:
		*ib = event->element.wq->device ?: *ib;
		return describe_wq(rec, event->element.wq);
	default:
		return NULL;
	}
}

/**
 * rdmaev_name_owner - fill in the process that owns an object
 * @rec: record about it, of RDMAEV_KIND_ASYNC
 * @res: entry that has the owner, or NULL
 *
 * Context: any.
 */
void rdmaev_name_owner(struct rdmaev_record *rec,
		       const struct rdma_restrack_entry *res)
{
	struct rdmaev_async_body *body = &rec->body.async;
	struct task_struct *task;

	if (!res || rdma_is_kernel_res(res))
		return;
	/* Who passes on an event of somebody else's object has watched it. */
	rec->source = RDMAEV_SOURCE_OBSERVER;
	/* The core puts it when the driver has destroyed the object. */
	task = READ_ONCE(res->task);
	if (!task)
		return;
	rec->pid = task_tgid_nr(task);
	/* It may be changing its name; what is read always ends. */
	strscpy(body->comm, task->comm, sizeof(body->comm));
}
