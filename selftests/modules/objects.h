/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects that have events, and the events as their drivers report them */
#ifndef RDMAEV_TEST_OBJECTS_H
#define RDMAEV_TEST_OBJECTS_H

#include <linux/string.h>
#include <rdma/ib_verbs.h>

enum object_type {
	OBJECT_QP,
	OBJECT_CQ,
	OBJECT_SRQ,
	OBJECT_WQ,
};

/* -EINVAL: there is none. */
static inline int find_object_type(const char *name)
{
	static const char * const names[] = {
		[OBJECT_QP] = "qp",
		[OBJECT_CQ] = "cq",
		[OBJECT_SRQ] = "srq",
		[OBJECT_WQ] = "wq",
	};

	return match_string(names, ARRAY_SIZE(names), name);
}

/* An event of an object, and the handler that gets it, NULL: none */
struct report {
	struct ib_event event;
	void (*handler)(struct ib_event *event, void *context);
	void *context;
};

/*
 * Let the report, which has the device and the type of the event, be about an
 * object. The type of the event says what its element is, also if the handler
 * of another object gets it: cxgb4 reports errors of CQs to QPs.
 */
static inline void set_object(struct report *rep, enum object_type type,
			      void *object)
{
	struct ib_qp *qp = object;
	struct ib_cq *cq = object;
	struct ib_srq *srq = object;
	struct ib_wq *wq = object;

	switch (type) {
	case OBJECT_QP:
		rep->event.element.qp = qp;
		if (rep->event.event == IB_EVENT_CQ_ERR)
			rep->event.element.cq = qp->send_cq;
		rep->handler = qp->event_handler;
		rep->context = qp->qp_context;
		break;
	case OBJECT_CQ:
		rep->event.element.cq = cq;
		rep->handler = cq->event_handler;
		rep->context = cq->cq_context;
		break;
	case OBJECT_SRQ:
		rep->event.element.srq = srq;
		rep->handler = srq->event_handler;
		rep->context = srq->srq_context;
		break;
	case OBJECT_WQ:
		rep->event.element.wq = wq;
		rep->handler = wq->event_handler;
		rep->context = wq->wq_context;
		break;
	}
}

#endif /* RDMAEV_TEST_OBJECTS_H */
