// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ULP feed: events of QPs, CQs, SRQs and WQs, which go to the handler of
 * the object only. What ULPs need to know stands in <rdma/rdmaev.h>.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev.h>

#include "access.h"
#include "burst.h"
#include "catalogue.h"
#include "cause.h"
#include "cq.h"
#include "device.h"
#include "log.h"
#include "object.h"
#include "ulp.h"

/* struct rdmaev_ulp.state */
enum {
	ULP_NEW,		/* zero: not recorded, but the ULP is called */
	ULP_REGISTERED,
	ULP_GONE,		/* neither */
};

/*
 * Held while a ULP is looked at and called. Sleepable, as it must
 * not be us who forbids a ULP what its driver allows. Events of objects come
 * often enough from hard interrupt, where it is allowed as well.
 */
DEFINE_STATIC_SRCU(feed_srcu);

/**
 * rdmaev_ulp_register - have the events of a ULP recorded from now on
 * @ulp: zero but for its name, or unregistered. One call at a time for it
 *
 * A ULP may go on if this fails: its handlers are called all the same.
 *
 * Context: any.
 *
 * Return: 0; -EINVAL if the name is empty or has no NUL at its end, -EBUSY if
 * it is registered.
 */
int rdmaev_ulp_register(struct rdmaev_ulp *ulp)
{
	size_t len = strnlen(ulp->name, sizeof(ulp->name));

	if (!len || len == sizeof(ulp->name))
		return -EINVAL;
	if (READ_ONCE(ulp->state) == ULP_REGISTERED)
		return -EBUSY;
	memset(ulp->name + len, 0, sizeof(ulp->name) - len);
	/* Pairs with smp_load_acquire() of state: the name first. */
	smp_store_release(&ulp->state, ULP_REGISTERED);
	return 0;
}
EXPORT_SYMBOL_GPL(rdmaev_ulp_register);

/**
 * rdmaev_ulp_unregister - end what rdmaev_ulp_register() began
 * @ulp: the ULP; one that was not registered is left alone
 *
 * A fence: when it returns no event of the ULP is being recorded, no event
 * handler of it that was called from here runs, and none will be called. So a
 * ULP that still waits for events of its objects destroys these first. CQs that it
 * has go on, but what happens to them is not recorded, but for what is on its way; how
 * many requests were flushed before is, a second later at most, and the closing
 * record of repeats that were counted when their time is up.
 *
 * Context: process, one call at a time. Not from an event handler, nor with a
 * lock held that an event handler of any ULP takes: it waits for those that run.
 */
void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp)
{
	might_sleep();
	if (ulp->state != ULP_REGISTERED)
		return;
	WRITE_ONCE(ulp->state, ULP_GONE);
	synchronize_srcu(&feed_srcu);
}
EXPORT_SYMBOL_GPL(rdmaev_ulp_unregister);

/** rdmaev_ulp_is_registered - is what happens to its objects recorded */
bool rdmaev_ulp_is_registered(const struct rdmaev_ulp *ulp)
{
	/* Pairs with smp_store_release() in rdmaev_ulp_register(). */
	return smp_load_acquire(&ulp->state) == ULP_REGISTERED;
}

/**
 * rdmaev_object_init - make ready to record the events of an object
 * @object: belongs to the ULP; see &struct rdmaev_object
 * @ulp: the ULP, registered or not yet
 * @type: RDMAEV_OBJECT_QP, _CQ, _SRQ or _WQ
 * @event_handler: the ULP's own handler, or NULL
 * @context: for that handler
 *
 * To be called before the QP, CQ, SRQ or WQ is created, anew for each: what
 * happened before to others of the same number is not held against it.
 *
 * Context: any.
 */
void rdmaev_object_init(struct rdmaev_object *object,
			struct rdmaev_ulp *ulp,
			enum rdmaev_object_type type,
			void (*event_handler)(struct ib_event *event,
					      void *context),
			void *context)
{
	*object = (struct rdmaev_object) {
		.ulp = ulp,
		.type = type,
		.event_handler = event_handler,
		.context = context,
		.since = rdmaev_log_newest(),
	};
}
EXPORT_SYMBOL_GPL(rdmaev_object_init);

/**
 * rdmaev_object_reset - let bygones be bygones, when a QP was reset
 * @object: QP; it may have events meanwhile
 *
 * Context: any.
 */
void rdmaev_object_reset(struct rdmaev_object *object)
{
	WRITE_ONCE(object->since, rdmaev_log_newest());
	WRITE_ONCE(object->failed, 0);
}
EXPORT_SYMBOL_GPL(rdmaev_object_reset);

static const struct rdma_restrack_entry *
describe_srq(struct rdmaev_record *rec, const struct ib_srq *srq)
{
	rdmaev_set_number(rec, RDMAEV_KNOWN_OBJECT, &rec->object,
			  rdmaev_srq_res(srq));
	if (ib_srq_has_cq(srq->srq_type))
		rdmaev_set_recv_cq(rec, srq->ext.cq);
	return rdmaev_srq_owner(srq);
}

/* The core fills in some of it only when the driver has created it. */
static const struct rdma_restrack_entry *
describe_wq(struct rdmaev_record *rec, const struct ib_wq *wq)
{
	const struct ib_pd *pd = READ_ONCE(wq->pd);

	rec->object = wq->wq_num;
	rec->body.async.known |= RDMAEV_KNOWN_OBJECT;
	rdmaev_set_recv_cq(rec, READ_ONCE(wq->cq));
	/* Has no entry of its own; who has the PD has the WQ. */
	return pd ? &pd->res : NULL;
}

/*
 * Fill in what element of the event is. It belongs to who has the handler, so
 * it is there until the handler returns, with all that it uses. Returns the
 * entry that has the owner, NULL if it is not known.
 */
static const struct rdma_restrack_entry *
describe(struct rdmaev_record *rec, const struct ib_event *event,
	 enum rdmaev_object_type type, const struct ib_device **ib)
{
	switch (type) {
	case RDMAEV_OBJECT_QP:
		*ib = event->element.qp->device;
		return rdmaev_describe_qp(rec, event->element.qp);
	case RDMAEV_OBJECT_CQ:
		*ib = event->element.cq->device;
		rdmaev_set_number(rec, RDMAEV_KNOWN_OBJECT, &rec->object,
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

static void name_owner(struct rdmaev_record *rec,
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
	rdmaev_record_set_owner(rec, task);
	/* It may be changing its name; what is read always ends. */
	strscpy(body->comm, task->comm, sizeof(body->comm));
}

static void record(struct rdmaev_object *obj, const struct ib_event *event)
{
	struct rdmaev_event_facts facts = rdmaev_event_facts(event->event);
	const struct ib_device *ib = event->device;
	struct rdmaev_record rec = {
		.kind = RDMAEV_KIND_ASYNC,
		.code = min_t(unsigned int, event->event, U16_MAX),
		.object_type = facts.object_type ?: obj->type,
		.severity = facts.severity,
		.source = RDMAEV_SOURCE_ULP,
		.ring = facts.ring,
		.count = 1,
	};
	const bool is_qp = rec.object_type == RDMAEV_OBJECT_QP;
	struct rdmaev_dev *dev = NULL;
	u64 seq;

	/* Of devices and ports we know from the device itself. */
	if (rec.object_type < RDMAEV_OBJECT_QP)
		return;
	memcpy(rec.body.async.source_name, obj->ulp->name,
	       sizeof(rec.body.async.source_name));
	/* Where driver and ULP disagree on what element is, leave it alone. */
	if (rec.object_type == obj->type)
		name_owner(&rec, describe(&rec, event, obj->type, &ib));
	rcu_read_lock();
	if (ib) {
		dev = rdmaev_device_of(ib);
		rec.device = ib->index;
		rec.generation = dev ? dev->generation : 0;
	}

	if (is_qp && event->event == IB_EVENT_QP_FATAL)
		rec.cause = rdmaev_cause_find(&rec, READ_ONCE(obj->since));
	/* Once for each time that a QP fails. */
	if (is_qp && event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		rec.cause = xchg(&obj->failed, 0) ?: rdmaev_wc_cause(&rec);

	seq = rdmaev_burst_append(dev, &rec);
	rcu_read_unlock();

	switch (event->event) {
	case IB_EVENT_CQ_ERR:
	case IB_EVENT_SRQ_ERR:
		rdmaev_cause_note(&rec);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		/* The first put it in Error, the others follow. */
		cmpxchg(&obj->failed, 0, seq);
		if (obj->type == RDMAEV_OBJECT_QP)
			rdmaev_wc_note_event(&rec);
		break;
	default:
		break;
	}
}

/**
 * rdmaev_report - record an event, for an event handler of the ULP's own
 * @object: what the event is about
 * @event: event, as the handler was given it
 *
 * Nothing is recorded of a ULP that is not registered, nor of events that
 * are about the device or a port.
 *
 * Context: any but NMI, with any lock held.
 */
void rdmaev_report(struct rdmaev_object *object, const struct ib_event *event)
{
	int idx = srcu_read_lock(&feed_srcu);

	if (rdmaev_ulp_is_registered(object->ulp))
		record(object, event);
	srcu_read_unlock(&feed_srcu, idx);
}
EXPORT_SYMBOL_GPL(rdmaev_report);

/**
 * rdmaev_event_handler - record an event, then call the ULP's own handler
 * @event: event
 * @object: &struct rdmaev_object that it is about
 *
 * For event_handler in &struct ib_qp_init_attr, &struct ib_srq_init_attr and
 * &struct ib_wq_init_attr, and of ib_create_cq(), with @object as the context.
 *
 * Context: that in which the driver calls it; so is the ULP's handler.
 */
void rdmaev_event_handler(struct ib_event *event, void *object)
{
	struct rdmaev_object *obj = object;
	int idx = srcu_read_lock(&feed_srcu);
	/* Pairs with smp_store_release() in rdmaev_ulp_register(). */
	unsigned int state = smp_load_acquire(&obj->ulp->state);

	if (state == ULP_REGISTERED)
		record(obj, event);
	if (state != ULP_GONE && obj->event_handler)
		obj->event_handler(event, obj->context);
	srcu_read_unlock(&feed_srcu, idx);
}
EXPORT_SYMBOL_GPL(rdmaev_event_handler);

const struct rdmaev_ops rdmaev_ulp_ops = {
	.size = sizeof(struct rdmaev_ops),
	.ulp_size = sizeof(struct rdmaev_ulp),
	.object_size = sizeof(struct rdmaev_object),
	.ulp_register = rdmaev_ulp_register,
	.ulp_unregister = rdmaev_ulp_unregister,
	.object_init = rdmaev_object_init,
	.object_reset = rdmaev_object_reset,
	.event_handler = rdmaev_event_handler,
	.report = rdmaev_report,
	.create_cq = rdmaev_create_cq,
	.alloc_cq = rdmaev_alloc_cq,
	.destroy_cq = rdmaev_destroy_cq,
	.attach_cq = rdmaev_attach_cq,
	.detach_cq = rdmaev_detach_cq,
	.req_notify_cq = rdmaev_req_notify_cq,
	.poll_cq = rdmaev_poll_cq,
	.set_cq_moderation = rdmaev_set_cq_moderation,
	.count_wc = rdmaev_count_wc,
	.count_poll = rdmaev_count_poll,
	.qp_flushed = rdmaev_qp_flushed,
};
EXPORT_SYMBOL_GPL(rdmaev_ulp_ops);
