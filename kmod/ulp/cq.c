// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of ULPs: creating and destroying them, and their handlers.
 * <rdma/rdmaev_ulp.h> documents the functions.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "log/catalogue.h"
#include "object/failure.h"
#include "object/cq.h"
#include "object/cq_notify.h"
#include "object/cq_observed.h"
#include "object/cq_stall.h"
#include "object/cq_table.h"

/*
 * Find the CQ for a handler, and take a reference for cq_end_handler(). NULL if
 * the CQ is about to be destroyed.
 */
static __always_inline struct rdmaev_cq_state *
cq_begin_handler(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq;

	/* Cheaper than rcu_read_lock(): usually interrupts are off here. */
	rcu_read_lock_sched();
	cq = rdmaev_cq_find(ib_cq);
	if (cq && !refcount_inc_not_zero(&cq->handlers))
		cq = NULL;
	rcu_read_unlock_sched();
	return cq;
}

static __always_inline void cq_end_handler(struct rdmaev_cq_state *cq)
{
	if (refcount_dec_and_test(&cq->handlers))
		complete(&cq->handlers_gone);
}

/*
 * Called in any context, with the driver's lock of the CQ held: calls no verb.
 */
static void cq_notified(struct ib_cq *ib_cq, void *context)
{
	struct rdmaev_cq_state *cq = cq_begin_handler(ib_cq);

	if (!cq)
		return;
	this_cpu_inc(cq->counts->notifications);
	this_cpu_write(cq->counts->last, jiffies);
	rdmaev_cq_note_notified(cq);
	if (unlikely(READ_ONCE(cq->notify.every)))
		rdmaev_notify_count(cq);
	if (cq->comp_handler)
		cq->comp_handler(ib_cq, context);
	cq_end_handler(cq);
}

static void cq_event(struct ib_event *event, void *context)
{
	struct rdmaev_cq_state *cq = cq_begin_handler(event->element.cq);

	if (!cq)
		return;
	/*
	 * The element is the CQ: do not report an event of another object type.
	 */
	if (event->event == IB_EVENT_CQ_ERR ||
	    rdmaev_event_traits(RDMAEV_KIND_ASYNC, event->event).object_type == RDMAEV_OBJECT_NONE)
		rdmaev_report(cq->ulp, event);
	if (cq->event_handler)
		cq->event_handler(event, context);
	cq_end_handler(cq);
}

static struct rdmaev_cq_state *cq_alloc(struct rdmaev_ulp *ulp,
					struct ib_device *ib, unsigned int kind,
					unsigned int flags)
{
	struct rdmaev_cq_state *cq;

	if (flags & ~(RDMAEV_CQ_PUBLIC_WR_ID | RDMAEV_CQ_NAME_QP |
		      RDMAEV_CQ_WR_CQE) ||
	    (flags & RDMAEV_CQ_PUBLIC_WR_ID && flags & RDMAEV_CQ_WR_CQE) ||
	    strnlen(ulp->name, sizeof(ulp->name)) == sizeof(ulp->name))
		return ERR_PTR(-EINVAL);
	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	/* The ULP gets the error; do not fill the kernel log as well. */
	cq->counts = alloc_percpu_gfp(struct rdmaev_cq_counts,
				      GFP_KERNEL | __GFP_NOWARN);
	if (!cq->counts) {
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}
	cq->pub.kind = kind;
	cq->flags = flags;
	cq->ulp = ulp;
	cq->ib = ib;
	cq->since_ns = ktime_get_boot_fast_ns();
	refcount_set(&cq->handlers, 1);
	init_completion(&cq->handlers_gone);
	INIT_LIST_HEAD(&cq->causes);
	raw_spin_lock_init(&cq->stall.lock);
	rdmaev_notify_init(cq);
	return cq;
}

static void cq_free(struct rdmaev_cq_state *cq)
{
	free_percpu(cq->counts);
	kfree_rcu(cq, rcu);
}

/* Stop handlers, counting and readers; none is left on return. */
static void cq_stop(struct rdmaev_cq_state *cq)
{
	cq_end_handler(cq);
	wait_for_completion(&cq->handlers_gone);
	rdmaev_cause_end_cq(&cq->causes);
	rdmaev_cqs_remove(cq);
	/* Last: until here a reader could request records. */
	rdmaev_notify_end(cq);
}

struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags)
{
	struct rdmaev_cq_state *cq;
	int ret;

	cq = cq_alloc(ulp, device, RDMAEV_CQ_KIND_CREATED, flags);
	if (IS_ERR(cq))
		return ERR_CAST(cq);
	cq->comp_handler = comp_handler;
	cq->event_handler = event_handler;
	/* `rdma resource show cq` shows the name as the owner. */
	cq->pub.cq = __ib_create_cq(device, cq_notified, cq_event, context,
				    attr, ulp->name);
	ret = PTR_ERR_OR_ZERO(cq->pub.cq);
	if (ret)
		goto err_free;
	/* No handler runs yet: the ULP cannot arm the CQ or put a QP on it. */
	ret = rdmaev_cqs_add(cq);
	if (ret)
		goto err_destroy;
	rdmaev_stall_watch();
	return &cq->pub;

err_destroy:
	ib_destroy_cq(cq->pub.cq);
err_free:
	cq_free(cq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(rdmaev_create_cq);

void rdmaev_destroy_cq(struct rdmaev_cq *rcq)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);

	might_sleep();
	cq_stop(cq);
	/*
	 * A CQ in use is not destroyed and keeps our handlers, which no longer
	 * find it.
	 */
	if (WARN_ON_ONCE(ib_destroy_cq_user(rcq->cq, NULL)))
		__module_get(THIS_MODULE);
	cq_free(cq);
}
EXPORT_SYMBOL_GPL(rdmaev_destroy_cq);

struct rdmaev_cq *rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq,
				   unsigned int flags)
{
	struct rdmaev_cq_state *state;
	int ret;

	state = cq_alloc(ulp, cq->device, RDMAEV_CQ_KIND_ATTACHED, flags);
	if (IS_ERR(state))
		return ERR_CAST(state);
	state->pub.cq = cq;
	ret = rdmaev_cqs_add(state);
	if (ret) {
		cq_free(state);
		return ERR_PTR(ret);
	}
	if (state->first) {
		free_percpu(state->counts);
		state->counts = state->first->counts;
	}
	/* From now on its ULP counts. */
	rdmaev_cq_not_observed(cq);
	rdmaev_stall_watch();
	return &state->pub;
}
EXPORT_SYMBOL_GPL(rdmaev_attach_cq);

void rdmaev_detach_cq(struct rdmaev_cq *rcq)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	struct rdmaev_cq_state *first = cq->first ?: cq;

	might_sleep();
	rdmaev_cause_end_cq(&cq->causes);
	/* It was never in the table, so nobody else has found it. */
	if (cq != first)
		kfree(cq);
	/* An attached CQ has no handlers of ours, and no notification records. */
	if (rdmaev_cqs_remove(first))
		cq_free(first);
}
EXPORT_SYMBOL_GPL(rdmaev_detach_cq);
