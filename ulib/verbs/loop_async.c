// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events of a context: read, acknowledged and queued in one go.
 *
 * Why no destroy hangs, and no event comes after it: an object's destroy waits
 * for acknowledgments of events that have been read, and the kernel drops those
 * that have not. So between the read and the acknowledgment the object exists,
 * and that is when all is taken from it. After that the event has its address,
 * as a key: events of objects that are not in the table are dropped, and
 * rdmaev_loop_remove(), which comes before destroy, drops queued ones.
 */
#include <errno.h>

#include "loop.h"

/* Newest event that libibverbs knows: others look like those of a port */
#define KNOWN_MAX IBV_EVENT_WQ_FATAL

/* Type and address of the object of an event; NULL for port and device */
static const void *async_object(const struct ibv_async_event *event, uint32_t *type)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		*type = RDMAEV_OBJECT_CQ;
		return event->element.cq;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		*type = RDMAEV_OBJECT_QP;
		return event->element.qp;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		*type = RDMAEV_OBJECT_SRQ;
		return event->element.srq;
	case IBV_EVENT_WQ_FATAL:
		*type = RDMAEV_OBJECT_WQ;
		return event->element.wq;
	case IBV_EVENT_DEVICE_FATAL:
		*type = RDMAEV_OBJECT_DEVICE;
		return NULL;
	default:
		*type = RDMAEV_OBJECT_PORT;
		return NULL;
	}
}

/* An error after which the state of a QP is doubtful */
static bool async_changes_state(unsigned int code)
{
	return code == IBV_EVENT_QP_FATAL || code == IBV_EVENT_QP_REQ_ERR ||
	       code == IBV_EVENT_QP_ACCESS_ERR || code == IBV_EVENT_QP_LAST_WQE_REACHED ||
	       code == IBV_EVENT_SQ_DRAINED;
}

static void async_set_object(struct rdmaev_verbs_event *ev, struct entry *e)
{
	ev->object = (void *)(uintptr_t)e->object;
	ev->user = e->user;
	if (e->kind == ENTRY_QP) {
		const struct ibv_qp *qp = e->object;

		ev->number = qp->qp_num;
		e->doubtful = true;
		if (async_changes_state(ev->code))
			event_set_qp_state(ev, ev->object);
	} else if (e->kind == ENTRY_WQ) {
		const struct ibv_wq *wq = e->object;

		ev->number = wq->wq_num;
	}
}

static void async_queue(struct rdmaev_loop *loop, struct entry *context,
			const struct ibv_async_event *event)
{
	struct rdmaev_verbs_event *ev;
	const void *object;
	struct entry *e;
	uint32_t type;

	object = async_object(event, &type);
	e = object ? loop_find(loop, object) : NULL;
	if (object && !e)
		return;
	ev = loop_push(loop);
	if (!ev)
		return;
	ev->type = RDMAEV_VERBS_ASYNC;
	ev->code = event->event_type;
	ev->object_type = type;
	ev->context = context->context;
	if (e)
		async_set_object(ev, e);
	else
		ev->user = context->user;
	if (type == RDMAEV_OBJECT_PORT)
		ev->port = (uint32_t)event->element.port_num;
	event_set_words(ev, RDMAEV_KIND_ASYNC);
	loop_match_queued(loop, ev);
}

/* libibverbs stores the lower half of the object's address as a port */
static bool async_is_object(const struct entry *e, const void *arg)
{
	const struct ibv_async_event *event = arg;

	return (e->kind == ENTRY_CQ || e->kind == ENTRY_QP || e->kind == ENTRY_SRQ ||
		e->kind == ENTRY_WQ) && (int)(uintptr_t)e->object == event->element.port_num;
}

/*
 * An event of an object that libibverbs does not know: the kernel counted it for
 * the object, and ibv_ack_async_event() does nothing.
 */
static void async_ack_unknown(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed)
{
	pthread_mutex_lock(mutex);
	++*completed;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}

static void async_queue_unknown(struct rdmaev_loop *loop, struct entry *context, struct entry *e,
				unsigned int code)
{
	static const uint8_t types[] = {
		[ENTRY_CQ] = RDMAEV_OBJECT_CQ,
		[ENTRY_QP] = RDMAEV_OBJECT_QP,
		[ENTRY_SRQ] = RDMAEV_OBJECT_SRQ,
		[ENTRY_WQ] = RDMAEV_OBJECT_WQ,
	};
	struct rdmaev_verbs_event *ev = loop_push(loop);
	struct ibv_srq *srq = (void *)(uintptr_t)e->object;
	struct ibv_cq *cq = (void *)(uintptr_t)e->object;
	struct ibv_qp *qp = (void *)(uintptr_t)e->object;
	struct ibv_wq *wq = (void *)(uintptr_t)e->object;

	if (ev) {
		ev->type = RDMAEV_VERBS_ASYNC;
		ev->code = code;
		ev->object_type = types[e->kind];
		ev->context = context->context;
		async_set_object(ev, e);
		event_set_words(ev, RDMAEV_KIND_ASYNC);
		loop_match_queued(loop, ev);
	}
	switch (e->kind) {
	case ENTRY_CQ:
		async_ack_unknown(&cq->mutex, &cq->cond, &cq->async_events_completed);
		break;
	case ENTRY_QP:
		async_ack_unknown(&qp->mutex, &qp->cond, &qp->events_completed);
		break;
	case ENTRY_SRQ:
		async_ack_unknown(&srq->mutex, &srq->cond, &srq->events_completed);
		break;
	default:
		async_ack_unknown(&wq->mutex, &wq->cond, &wq->events_completed);
		break;
	}
}

static void async_handle(struct rdmaev_loop *loop, struct entry *context,
			 struct ibv_async_event *event)
{
	struct entry *e = NULL;

	if (event->event_type > KNOWN_MAX)
		e = loop_search(loop, async_is_object, event);
	if (e) {
		async_queue_unknown(loop, context, e, event->event_type);
		return;
	}
	async_queue(loop, context, event);
	ibv_ack_async_event(event);
}

void loop_async_collect(struct rdmaev_loop *loop, struct entry *context)
{
	struct ibv_async_event event;

	while (loop->count < QUEUE_MAX) {
		if (!ibv_get_async_event(context->context, &event)) {
			async_handle(loop, context, &event);
			continue;
		}
		if (errno != EAGAIN && errno != EINTR) {
			loop_push_hangup(loop, context, errno);
			loop_unwatch(loop, context);
		}
		return;
	}
}
