// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs that the observer reports: those of processes, and those that the RDMA
 * core polls for ULPs (ib_alloc_cq(), ib_cq_pool_get()), and, if asked
 * for, those that ULPs poll.
 *
 * A CQ is added when it is first seen in use, in any context. It is ended when
 * the core forgets the CQ, and its entry put back by the work. The address of the
 * CQ is a key: it is dereferenced only while a hook has it as an argument.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "failure.h"
#include "cq.h"
#include "cq_notify.h"
#include "cq_observed.h"
#include "cq_stall.h"
#include "cq_table.h"
#include "device/access.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "object_table.h"
#include "owner.h"
#include "ulp_table.h"
#include "wc.h"
#include "work.h"

/**
 * struct observed_cq - an observed CQ
 * @obj: its entry in the table of objects, in no bucket
 * @state: its state
 * @ulp: its name: of the ULP, or of the process
 * @plain: its counters
 * @poll_lock: protects @plain of one that its ULP polls, on any CPU. Raw: CQs
 *	are polled in any context
 * @owner: process that owns it
 * @node: node in the list of ended ones
 */
struct observed_cq {
	struct rdmaev_object obj;
	struct rdmaev_cq_state state;
	struct rdmaev_ulp ulp;
	struct rdmaev_cq_plain plain;
	raw_spinlock_t poll_lock;
	struct rdmaev_owner owner;
	struct llist_node node;
};

static LLIST_HEAD(observed_ended);
static bool observed_is_on;

static void observed_fn(struct work_struct *work);
static DECLARE_WORK(observed_work, observed_fn);

static struct observed_cq *observed_of(struct rdmaev_cq_state *cq)
{
	return container_of(cq, struct observed_cq, state);
}

static void observed_init(struct rdmaev_object *obj)
{
	struct observed_cq *cq = container_of(obj, struct observed_cq, obj);

	rdmaev_ulp_state(&cq->ulp)->registered = 1;
	cq->state.pub.kind = RDMAEV_CQ_KIND_OBSERVED;
	cq->state.ulp = &cq->ulp;
	cq->state.plain = &cq->plain;
	INIT_LIST_HEAD(&cq->state.causes);
	raw_spin_lock_init(&cq->state.stall.lock);
	raw_spin_lock_init(&cq->poll_lock);
	rdmaev_notify_init(&cq->state);
}

static struct observed_cq *observed_alloc(bool is_user, u32 payer)
{
	struct rdmaev_object *obj;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	obj = rdmaev_object_alloc(RDMAEV_SHARE_CQS, is_user, payer);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return obj ? container_of(obj, struct observed_cq, obj) : NULL;
}

/* Put back an entry that was not used, or is as new. */
static void observed_put(struct observed_cq *cq)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	rdmaev_object_put(&cq->obj);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}

static void observed_free_ended(void)
{
	struct llist_node *ended = llist_del_all(&observed_ended);
	struct observed_cq *cq, *next;
	struct rdmaev_object obj;

	if (!ended)
		return;
	/* No hook counts in them any more. */
	synchronize_rcu();
	llist_for_each_entry_safe(cq, next, ended, node) {
		rdmaev_cause_end_cq(&cq->state.causes);
		rdmaev_cqs_remove(&cq->state);
		/* A walk that found it has the lock of the table. */
		obj = cq->obj;
		memset(cq, 0, sizeof(*cq));
		cq->obj = obj;
		observed_init(&cq->obj);
		observed_put(cq);
	}
}

static void observed_fn(struct work_struct *work)
{
	observed_free_ended();
	rdmaev_cqs_set_ids();
	rdmaev_stall_watch();
}

static void observed_name(struct observed_cq *cq,
			  const struct rdma_restrack_entry *res)
{
	const char *name = cq->owner.comm;

	if (rdma_is_kernel_res(res))
		name = res->kern_name ?: "";
	memset(cq->ulp.name, 0, sizeof(cq->ulp.name));
	strscpy(cq->ulp.name, name, sizeof(cq->ulp.name));
}

static void observed_end(struct observed_cq *cq)
{
	llist_add(&cq->node, &observed_ended);
	queue_work(rdmaev_wq, &observed_work);
}

/*
 * Add a CQ. Returns NULL if it is being destroyed, if nothing is observed, or if
 * there is no room.
 */
static noinline struct rdmaev_cq_state *
observed_add(const struct ib_cq *ib_cq, struct rdmaev_cq_state *stale)
{
	bool is_user = !rdma_is_kernel_res(&ib_cq->res);
	struct rdmaev_owner owner;
	struct observed_cq *cq;

	/* Of another CQ that had the address, whose end was missed */
	if (stale && rdmaev_cqs_end(stale))
		observed_end(observed_of(stale));
	if (!ib_cq->res.valid || !READ_ONCE(observed_is_on))
		return NULL;
	/* Without a lock: a process may have as many notifications as it likes. */
	if (is_user && rdmaev_payer_miss_again(rdmaev_owner_payer_now(&ib_cq->res)))
		return NULL;
	rdmaev_owner_find(&owner, &ib_cq->res);
	cq = observed_alloc(is_user, owner.payer);
	if (!cq)
		return NULL;
	cq->state.pub.cq = (struct ib_cq *)ib_cq;
	cq->state.device = ib_cq->device->index;
	cq->state.generation = rdmaev_device_generation(ib_cq->device);
	cq->state.cqe = ib_cq->cqe;
	/* The core calls done() of each completion that it polls. */
	cq->state.flags = ib_cq->wc && ib_cq->poll_ctx != IB_POLL_DIRECT ?
				  RDMAEV_CQ_WR_CQE : 0;
	cq->state.since_ns = ktime_get_boot_fast_ns();
	rdmaev_cq_set_number(&cq->state, ib_cq);
	cq->owner = owner;
	observed_name(cq, &ib_cq->res);
	cq->state.owner = is_user ? &cq->owner : NULL;
	if (!rdmaev_cqs_add_observed(&cq->state)) {
		/* Another CPU has added it. */
		observed_put(cq);
		return rdmaev_cq_find(ib_cq);
	}
	/* Gives it an id, and watches for stalls. */
	queue_work(rdmaev_wq, &observed_work);
	return &cq->state;
}

/* Is it the state of a CQ whose end was missed, and not of this one? */
static bool observed_is_stale(const struct rdmaev_cq_state *cq,
			      const struct ib_cq *ib_cq)
{
	return cq->plain && ((cq->has_number && cq->number != ib_cq->res.id) ||
			     cq->device != ib_cq->device->index);
}

/*
 * Find a CQ, or add it. NULL if it is not to be counted here: its ULP does, or
 * it cannot be added. Called under RCU, with a CQ that exists.
 */
static __always_inline struct rdmaev_cq_state *
observed_find(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq = rdmaev_cq_find(ib_cq);

	if (unlikely(!cq || observed_is_stale(cq, ib_cq)))
		cq = observed_add(ib_cq, cq);
	if (unlikely(!cq || !cq->plain))
		return NULL;
	/* The core may have added the device to its owner before rdmaev. */
	if (unlikely(!READ_ONCE(cq->generation)))
		WRITE_ONCE(cq->generation,
			   rdmaev_device_generation(ib_cq->device));
	return cq;
}

static void observed_notify(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_plain *plain = cq->plain;

	atomic64_inc(&plain->notifications);
	WRITE_ONCE(plain->counts.last, jiffies);
}

/**
 * rdmaev_observe_user_cq - count a notification of a CQ of a process
 * @ib_cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_observe_user_cq(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq;

	rcu_read_lock_sched();
	cq = observed_find(ib_cq);
	if (likely(cq))
		observed_notify(cq);
	rcu_read_unlock_sched();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_user_cq);

/**
 * rdmaev_observe_schedule - count a notification of a CQ that the core polls
 * @ib_cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_observe_schedule(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq;

	rcu_read_lock_sched();
	cq = observed_find(ib_cq);
	if (likely(cq)) {
		observed_notify(cq);
		/* Only if polls are seen can a stall be. */
		if (READ_ONCE(cq->plain->counts.polls))
			rdmaev_cq_note_notified(cq);
	}
	rcu_read_unlock_sched();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_schedule);

static void observed_inc(u64 *counter)
{
	WRITE_ONCE(*counter, *counter + 1);
}

/* Count a poll. One at a time for a CQ. Called under RCU. */
static __always_inline void observed_polled(struct rdmaev_cq_state *cq,
					    const struct ib_wc *wc, int n)
{
	struct rdmaev_cq_counts *counts = &cq->plain->counts;
	bool notified;
	int i;

	notified = READ_ONCE(cq->poll_flags) && rdmaev_cq_begin_poll(cq);
	observed_inc(&counts->polls);
	WRITE_ONCE(counts->last, jiffies);
	if (notified && !n)
		observed_inc(&counts->empty_polls);
	for (i = 0; i < n; i++) {
		if (likely(wc[i].status == IB_WC_SUCCESS))
			observed_inc(&counts->completions[rdmaev_wc_opcode(&wc[i])]);
		else
			rdmaev_wc_failed(cq, &wc[i]);
	}
}

/**
 * rdmaev_observe_poll - count a poll by the core, and its completions
 * @ib_cq: CQ
 * @wc: completions, before they are passed to their ULP
 * @n: return value of ib_poll_cq()
 *
 * Context: any but NMI, one at a time for a CQ.
 */
void rdmaev_observe_poll(const struct ib_cq *ib_cq, const struct ib_wc *wc,
			 int n)
{
	struct rdmaev_cq_state *cq;

	rcu_read_lock_sched();
	cq = observed_find(ib_cq);
	if (likely(cq))
		observed_polled(cq, wc, n);
	rcu_read_unlock_sched();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_poll);

/**
 * rdmaev_observe_direct_poll - count a poll by a ULP, and its completions
 * @ib_cq: CQ
 * @wc: completions
 * @n: return value of ib_poll_cq()
 *
 * Context: any but NMI, also several at a time for a CQ.
 */
void rdmaev_observe_direct_poll(const struct ib_cq *ib_cq,
				const struct ib_wc *wc, int n)
{
	struct rdmaev_cq_state *cq;
	unsigned long flags;

	rcu_read_lock_sched();
	cq = observed_find(ib_cq);
	if (likely(cq)) {
		raw_spin_lock_irqsave(&observed_of(cq)->poll_lock, flags);
		observed_polled(cq, wc, n);
		raw_spin_unlock_irqrestore(&observed_of(cq)->poll_lock, flags);
	}
	rcu_read_unlock_sched();
}
EXPORT_SYMBOL_GPL(rdmaev_observe_direct_poll);

/**
 * rdmaev_cq_not_observed - end the observation of a CQ
 * @ib_cq: CQ, not dereferenced; it may not be observed
 *
 * Context: any but NMI.
 */
void rdmaev_cq_not_observed(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq = rdmaev_cqs_end_observed(ib_cq);

	if (cq)
		observed_end(observed_of(cq));
}
EXPORT_SYMBOL_GPL(rdmaev_cq_not_observed);

/**
 * rdmaev_cqs_observe_forget - end all
 * @is_unowned: those of processes whose owner is unknown
 *
 * Hooks may run and add CQs again: those stay.
 */
void rdmaev_cqs_observe_forget(bool is_unowned)
{
	u64 now = ktime_get_boot_fast_ns();
	struct rdmaev_cq_state *cq;
	unsigned int bucket = 0;

	while ((cq = rdmaev_cqs_end_next_observed(&bucket, now, is_unowned))) {
		observed_end(observed_of(cq));
		cond_resched();
	}
}

/** rdmaev_cqs_observe_begin - prepare the table; 0 or -ENOMEM */
int rdmaev_cqs_observe_begin(void)
{
	int ret = rdmaev_objects_begin(RDMAEV_SHARE_CQS,
				       sizeof(struct observed_cq),
				       observed_init);

	WRITE_ONCE(observed_is_on, !ret);
	return ret;
}

/** rdmaev_cqs_observe_end - put all back; no hook runs any more */
void rdmaev_cqs_observe_end(void)
{
	WRITE_ONCE(observed_is_on, false);
	rdmaev_cqs_observe_forget(false);
	/* A ULP that attaches a CQ now may have queued it. */
	cancel_work_sync(&observed_work);
	observed_free_ended();
}
