// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Affiliated events: those of QPs, CQs, SRQs and WQs, which ib_core passes
 * only to the handler of the object. ULPs report theirs, the observer those
 * of programs and of other ULPs. <rdma/rdmaev_ulp.h> documents rdmaev_report().
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "event.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "object/cause.h"
#include "object/object.h"
#include "object/owner.h"
#include "object/qp.h"
#include "object/ulp_table.h"

static const struct rdma_restrack_entry *
ulp_describe_srq(struct rdmaev_record *rec, const struct ib_srq *srq)
{
	rdmaev_set_srq(&rec->body.info, RDMAEV_KNOWN_OBJECT, &rec->object,
		       srq);
	if (ib_srq_has_cq(srq->srq_type))
		rdmaev_set_recv_cq(&rec->body.info, &rec->body.async.queues, srq->ext.cq);
	return &srq->pd->res;
}

/* The core sets some fields of a WQ only after the driver has created it. */
static const struct rdma_restrack_entry *
ulp_describe_wq(struct rdmaev_record *rec, const struct ib_wq *wq)
{
	const struct ib_pd *pd = READ_ONCE(wq->pd);

	rec->object = wq->wq_num;
	rec->body.info.known |= RDMAEV_KNOWN_OBJECT;
	rdmaev_set_recv_cq(&rec->body.info, &rec->body.async.queues, READ_ONCE(wq->cq));
	/* A WQ has no entry of its own. */
	return pd ? &pd->res : NULL;
}

/*
 * Fill in the object of an event. The owner of the handler owns the object, so
 * it and all objects that it uses exist until the handler returns. Returns the
 * entry that has the owner, NULL if unknown.
 */
static __always_inline const struct rdma_restrack_entry *
ulp_describe(struct rdmaev_record *rec, const struct ib_event *event,
	     const struct ib_device **ib)
{
	const struct rdma_restrack_entry *res;

	/* The usual case first. */
	if (likely(rec->object_type == RDMAEV_OBJECT_QP)) {
		res = rdmaev_describe_qp(rec, event->element.qp);
	} else if (rec->object_type == RDMAEV_OBJECT_CQ) {
		res = &event->element.cq->res;
		rdmaev_set_number(&rec->body.info, RDMAEV_KNOWN_OBJECT,
				  &rec->object, res);
	} else if (rec->object_type == RDMAEV_OBJECT_SRQ) {
		res = ulp_describe_srq(rec, event->element.srq);
	} else if (rec->object_type == RDMAEV_OBJECT_WQ) {
		res = ulp_describe_wq(rec, event->element.wq);
	} else {
		/* An event of unknown number may be about anything. */
		return NULL;
	}
	/* All objects begin with the device, see below. */
	*ib = event->element.qp->device ?: *ib;
	return res;
}

static_assert(offsetof(struct ib_qp, device) == 0 &&
	      offsetof(struct ib_cq, device) == 0 &&
	      offsetof(struct ib_srq, device) == 0 &&
	      offsetof(struct ib_wq, device) == 0);

/* Entry that has the name of the ULP of an object, NULL if unknown. */
static const struct rdma_restrack_entry *
ulp_res_of_object(const struct ib_event *event, u8 object_type)
{
	const struct ib_pd *pd;

	switch (object_type) {
	case RDMAEV_OBJECT_QP:
		/* QPs of rdma_create_qp() are named after rdma_cm. */
		pd = READ_ONCE(event->element.qp->pd);
		return pd ? &pd->res : &event->element.qp->res;
	case RDMAEV_OBJECT_CQ:
		return &event->element.cq->res;
	case RDMAEV_OBJECT_SRQ:
		return &event->element.srq->pd->res;
	default:
		return NULL;
	}
}

/* Name of the ULP that has allocated an object, by that of its PD. */
static const char *ulp_of_object(const struct ib_event *event, u8 object_type)
{
	const struct rdma_restrack_entry *res =
		ulp_res_of_object(event, object_type);

	if (!res || !rdma_is_kernel_res(res) || !res->kern_name)
		return "";
	return res->kern_name;
}

/* Returns who pays for the owner. */
static __always_inline u32
ulp_name_owner(struct rdmaev_record *rec, const struct rdma_restrack_entry *res)
{
	if (!res || rdma_is_kernel_res(res))
		return RDMAEV_PAYER_UNKNOWN;
	/* A ULP that reports an event of a process's object observes it. */
	rec->source = RDMAEV_SOURCE_OBSERVER;
	rec->ring = RDMAEV_RING_USER;
	memset(rec->body.info.owner, 0, sizeof(rec->body.info.owner));
	return rdmaev_record_find_owner(rec, res);
}

/*
 * Called under RCU, for the device and for rdmaev_ulp_unregister(). @source is
 * RDMAEV_SOURCE_ULP, or RDMAEV_SOURCE_OBSERVER: then @ulp is NULL, and the event
 * is about an object of @object_type, with @is_user of a process, known or not.
 */
static __always_inline void ulp_record(unsigned int source,
				       const struct rdmaev_ulp *ulp,
				       const struct ib_event *event,
				       unsigned int object_type, bool is_user)
{
	struct rdmaev_event_traits traits = rdmaev_event_traits(RDMAEV_KIND_ASYNC, event->event);
	const struct ib_device *ib = event->device;
	struct rdmaev_record rec __uninitialized;
	struct rdmaev_dev *dev = NULL;
	u32 payer;

	/* The device's own handler records events of devices and ports. */
	if (traits.object_type == RDMAEV_OBJECT_DEVICE ||
	    traits.object_type == RDMAEV_OBJECT_PORT)
		return;
	if (source == RDMAEV_SOURCE_ULP)
		object_type = traits.object_type;
	rdmaev_record_begin(&rec, RDMAEV_KIND_ASYNC, source);
	memset(&rec.body, 0, sizeof(rec.body));
	rdmaev_record_set_traits(&rec, event->event, traits);
	rec.object_type = object_type;
	if (is_user)
		rec.ring = RDMAEV_RING_USER;
	if (source == RDMAEV_SOURCE_ULP) {
		memcpy(rec.body.info.owner, ulp->name, sizeof(rec.body.info.owner));
	} else if (!is_user) {
		strscpy(rec.body.info.owner, ulp_of_object(event, rec.object_type),
			sizeof(rec.body.info.owner));
	}
	payer = ulp_name_owner(&rec, ulp_describe(&rec, event, &ib));
	rdmaev_describe_qp_state(&rec, event->element.qp);
	if (ib) {
		dev = rdmaev_device_of(ib);
		rec.device = ib->index;
		rec.generation = dev ? dev->generation : 0;
	}
	/* The usual case by itself, as it has no payer */
	if (source == RDMAEV_SOURCE_ULP && likely(rec.ring != RDMAEV_RING_USER))
		rdmaev_record_event(dev, &rec, RDMAEV_PAYER_UNKNOWN);
	else
		rdmaev_record_event(dev, &rec, payer);
}

void rdmaev_report(struct rdmaev_ulp *ulp, const struct ib_event *event)
{
	rcu_read_lock();
	if (rdmaev_ulp_is_registered(ulp))
		ulp_record(RDMAEV_SOURCE_ULP, ulp, event, RDMAEV_OBJECT_NONE,
			   false);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(rdmaev_report);

/*
 * Record an event that its owner does not report. If verbs define it for another
 * type than @object_type, the object is unknown: some drivers pass CQ_ERR of a
 * CQ to the handler of a QP, with one or the other element.
 */
static void ulp_observe(const struct ib_event *event, unsigned int object_type,
			bool is_user)
{
	unsigned int type = rdmaev_event_traits(RDMAEV_KIND_ASYNC, event->event).object_type;

	if (type != RDMAEV_OBJECT_NONE && type != object_type)
		object_type = RDMAEV_OBJECT_NONE;
	rcu_read_lock();
	ulp_record(RDMAEV_SOURCE_OBSERVER, NULL, event, object_type, is_user);
	rcu_read_unlock();
}

/**
 * rdmaev_observe_event - record an event of an object of a process
 * @event: event, on its way to the handler of ib_uverbs
 * @object_type: &enum rdmaev_object_type that the handler is for
 *
 * Context: as rdmaev_report(). rdmaev_observe_begin() was called.
 */
void rdmaev_observe_event(const struct ib_event *event,
			  unsigned int object_type)
{
	ulp_observe(event, object_type, true);
}
EXPORT_SYMBOL_GPL(rdmaev_observe_event);

/**
 * rdmaev_observe_kernel_event - record an event if a ULP does not report
 * @event: event, on its way to the handler of the object
 * @object_types: mask of BIT(&enum rdmaev_object_type): objects that have this
 *	handler
 * @other_types: likewise: events of these are observed elsewhere
 * @module: module of the handler; some drivers pass it events of other objects.
 *	NULL: it is the core's
 *
 * Events of objects of processes, which may pass here, too, are left to their
 * own handlers.
 *
 * Context: as rdmaev_report(). rdmaev_observe_begin() was called.
 */
void rdmaev_observe_kernel_event(const struct ib_event *event,
				 unsigned int object_types,
				 unsigned int other_types, const char *module)
{
	unsigned int type = rdmaev_event_traits(RDMAEV_KIND_ASYNC, event->event).object_type;
	const struct rdma_restrack_entry *res;

	if (other_types & BIT(type))
		return;
	/* An event of unknown number may be about one of @other_types. */
	if (hweight32(object_types) == 1 && type == RDMAEV_OBJECT_NONE &&
	    !other_types)
		type = __ffs(object_types);
	else if (!(object_types & BIT(type)))
		type = RDMAEV_OBJECT_NONE;
	res = ulp_res_of_object(event, type);
	if (res && !rdma_is_kernel_res(res))
		return;
	if (!rdmaev_ulp_reports(res ? ulp_of_object(event, type) : module ?: ""))
		ulp_observe(event, type, false);
}
EXPORT_SYMBOL_GPL(rdmaev_observe_kernel_event);
