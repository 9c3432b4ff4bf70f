// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects that exist when the observer is loaded, or sees again, or that a ULP has made on
 * a device before the observer has replaced its operations: state and peer
 * of QPs, the handlers of those of ULPs, and the owners of those of processes. The
 * same walk over the devices serves the trial.
 *
 * They are found in the core's resource tracking. It has no walk for other
 * modules, so the ids are tried one after the other until as many were found as
 * there are. A reference is held for one object at a time, while its driver
 * reports the attributes, as for `rdma resource show`; and one to the device
 * that is walked, which cannot be removed meanwhile.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "compat.h"
#include "device/payer.h"
#include "existing.h"
#include "handler.h"
#include "object/object_table.h"
#include "object/owner.h"
#include "object/qp.h"
#include "operation.h"
#include "session.h"
#include "trial.h"

/* QP numbers have 24 bits. Other ids are small, unless very many were used. */
#define EXISTING_QPS_MAX	BIT(24)
#define EXISTING_IDS_MAX	BIT(20)

/* Ids between two counts of all objects */
#define EXISTING_ROUND		BIT(14)

static unsigned int existing_what;	/* OBSERVE_EXISTING_* */
static u32 existing_try;		/* OBSERVE_TRY_* */

/* What is walked. Hooks count objects that end in it, see existing_walk(). */
static const struct ib_device *existing_ib;
static enum rdma_restrack_type existing_type;
static atomic_t existing_ended;

/* Protects what follows. Taken with locks of the core held */
static DEFINE_MUTEX(existing_lock);

/* The device to walk next: the first with a larger index than the last one */
static struct ib_device *existing_next;
static s64 existing_last;

/*
 * What the work is to do: report all objects, or those of devices from an index on, and try
 * these devices, or those from another index on, and those of which something is unseen
 */
static bool existing_all;
static s64 existing_from = S64_MAX;
static s64 existing_try_from = S64_MAX;
static u32 existing_try_what;
static unsigned int existing_requests;	/* see observe_existing_is_pending() */
static unsigned int existing_done;

static void existing_work_fn(struct work_struct *work);
static DECLARE_WORK(existing_work, existing_work_fn);

static void existing_query(struct ib_qp *qp)
{
	/* Some drivers report no state. */
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR + 1 };
	struct ib_qp_init_attr init = {};
	int attr_mask = IB_QP_STATE;

	if (qp->qp_type == IB_QPT_SMI || qp->qp_type == IB_QPT_GSI)
		return;
	/* Some refuse what their QPs of other types do not have. */
	if (qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC)
		attr_mask |= IB_QP_AV | IB_QP_DEST_QPN;
	rdmaev_qp_query_begin(qp);
	if (!ib_query_qp(qp, &attr, attr_mask, &init) &&
	    attr.qp_state <= IB_QPS_ERR)
		rdmaev_qp_exists(qp, &attr);
}

static void existing_owner(struct rdma_restrack_entry *res)
{
	rdmaev_owner_exists(res);
}

static void existing_qp(struct rdma_restrack_entry *res)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);

	/* XRC target QPs are those of processes; they have the core's handler. */
	if (existing_what & OBSERVE_EXISTING_QP_HANDLERS &&
	    rdma_is_kernel_res(res) && qp->qp_type != IB_QPT_XRC_TGT)
		observe_handler_learn(qp->event_handler, RDMAEV_OBJECT_QP);
	if (existing_what & OBSERVE_EXISTING_STATES)
		existing_query(qp);
}

static void existing_cq(struct rdma_restrack_entry *res)
{
	if (rdma_is_kernel_res(res))
		observe_handler_learn(container_of(res, struct ib_cq, res)->event_handler,
				      RDMAEV_OBJECT_CQ);
}

static bool existing_get(struct ib_device *ib, enum rdma_restrack_type type,
			 u32 id, void (*fn)(struct rdma_restrack_entry *res))
{
	struct rdma_restrack_entry *res;

	/* It may wait for memory: not with a reference. */
	rdmaev_objects_make_room(RDMAEV_SHARE_OWNERS);
	rdmaev_objects_make_room(RDMAEV_SHARE_QPS);
	res = rdma_restrack_get_byid(ib, type, id);
	if (IS_ERR(res))
		return false;
	fn(res);
	rdma_restrack_put(res);
	return true;
}

/*
 * Call @fn for the objects of a type, of which @found have been found. Objects
 * may come and go meanwhile: those that come are seen by the hooks; those that
 * were found and have gone are not counted any more, so all that go count as if
 * they were such, from before the core does not count them. Returns how many
 * were not found, 0 if their number is unknown.
 */
static u32 existing_walk(struct ib_device *ib, enum rdma_restrack_type type,
			 u32 found, u32 max,
			 void (*fn)(struct rdma_restrack_entry *res))
{
	u32 total = 0, id;

	for (id = 0; id < max; id++) {
		/* Not for each: all are counted. */
		if (found >= total || !(id % EXISTING_ROUND))
			total = rdmaev_restrack_count(ib, type) +
				atomic_read(&existing_ended);
		if (found >= total)
			return 0;
		found += existing_get(ib, type, id, fn);
		cond_resched();
	}
	return atomic_read(&existing_ended) ? 0 : total - found;
}

/* Before the first object of a type is looked for */
static void existing_begin(const struct ib_device *ib,
			   enum rdma_restrack_type type)
{
	WRITE_ONCE(existing_ib, NULL);
	/* Hooks that have seen the last one are done. */
	synchronize_rcu();
	existing_type = type;
	atomic_set(&existing_ended, 0);
	/* Pairs with smp_load_acquire() in observe_existing_end(). */
	smp_store_release(&existing_ib, ib);
}

static void existing_walk_qps(struct ib_device *ib,
			      void (*fn)(struct rdma_restrack_entry *res))
{
	u32 found = 0, id;
	unsigned int port;

	existing_begin(ib, RDMA_RESTRACK_QP);
	/* Those of management have the port in their id. */
	rdma_for_each_port(ib, port) {
		for (id = 0; id < 2; id++)
			found += existing_get(ib, RDMA_RESTRACK_QP,
					      port << 24 | id, fn);
	}
	existing_walk(ib, RDMA_RESTRACK_QP, found, EXISTING_QPS_MAX, fn);
}

static u32 existing_walk_ids(struct ib_device *ib, enum rdma_restrack_type type,
			     void (*fn)(struct rdma_restrack_entry *res))
{
	existing_begin(ib, type);
	return existing_walk(ib, type, 0, EXISTING_IDS_MAX, fn);
}

#ifdef HAVE_SRQ_RES
static void existing_srq(struct rdma_restrack_entry *res)
{
	if (rdma_is_kernel_res(res))
		observe_handler_learn(container_of(res, struct ib_srq, res)->event_handler,
				      RDMAEV_OBJECT_SRQ);
}

static u32 existing_walk_srqs(struct ib_device *ib)
{
	return existing_walk_ids(ib, RDMA_RESTRACK_SRQ, existing_srq);
}
#else
static u32 existing_walk_srqs(struct ib_device *ib)
{
	return 0;
}
#endif

static u32 existing_walk_owners(struct ib_device *ib)
{
	existing_walk_ids(ib, RDMA_RESTRACK_PD, existing_owner);
	existing_walk_qps(ib, existing_owner);
	existing_walk_ids(ib, RDMA_RESTRACK_CQ, existing_owner);
	return 0;
}

/* Returns how many objects with handlers were not found. */
static u32 existing_walk_device(struct ib_device *ib)
{
	if (existing_what & (OBSERVE_EXISTING_QP_HANDLERS |
			     OBSERVE_EXISTING_STATES))
		existing_walk_qps(ib, existing_qp);
	if (!(existing_what & OBSERVE_EXISTING_HANDLERS))
		return 0;
	return existing_walk_ids(ib, RDMA_RESTRACK_CQ, existing_cq) +
	       existing_walk_srqs(ib);
}

/* With locks of the core held: only choose a device. */
static int existing_add(struct ib_device *ib)
{
	mutex_lock(&existing_lock);
	if (ib->index > existing_last &&
	    (!existing_next || ib->index < existing_next->index) &&
	    ib_device_try_get(ib)) {
		if (existing_next)
			ib_device_put(existing_next);
		existing_next = ib;
	}
	mutex_unlock(&existing_lock);
	/* remove() is not needed for it. */
	return -EOPNOTSUPP;
}

static struct ib_client existing_client = {
	.name = "rdmaev_observe",
	.add = existing_add,
	.no_kverbs_req = 1,
};

/*
 * Walk the devices from an index on. Only one is kept at a time: its driver may not return
 * from a query. One walk at a time: at load, then the work.
 */
static int existing_walk_devices(s64 from, u32 (*walk)(struct ib_device *ib), u64 *missed)
{
	struct ib_device *ib;
	int ret;

	existing_last = from - 1;
	for (;;) {
		ret = ib_register_client(&existing_client);
		if (!ret)
			ib_unregister_client(&existing_client);
		ib = existing_next;
		existing_next = NULL;
		if (!ib)
			break;
		existing_last = ib->index;
		if (!ret)
			*missed += walk(ib);
		ib_device_put(ib);
	}
	WRITE_ONCE(existing_ib, NULL);
	return ret;
}

/* Owners first: QPs and CQs are found with theirs. */
static int existing_report(u64 *missed)
{
	int ret = 0;

	if (existing_what & OBSERVE_EXISTING_OWNERS) {
		ret = existing_walk_devices(0, existing_walk_owners, missed);
		rdmaev_observe_owners_found();
	}
	return ret ?: existing_walk_devices(0, existing_walk_device, missed);
}

/* Of the walk that tries devices */
static s64 trial_from;
static u32 trial_what;

static u32 existing_try_device(struct ib_device *ib)
{
	if (ib->index >= trial_from || observe_device_unseen(ib))
		observe_trial(ib, trial_what);
	return 0;
}

static int existing_try_from_on(s64 from, u32 what)
{
	u64 missed = 0;

	trial_from = from;
	trial_what = what;
	return existing_walk_devices(observe_device_unseen(NULL) ? 0 : from,
				     existing_try_device, &missed);
}

/**
 * observe_existing - report the objects that exist, then make some to see if the hooks see
 * @what: OBSERVE_EXISTING_*
 * @try: OBSERVE_TRY_*
 *
 * The hooks are armed, so that no object comes unseen meanwhile.
 *
 * Return: 0 or -errno.
 */
int observe_existing(unsigned int what, u32 try)
{
	u64 missed = 0;
	int ret;

	existing_what = what;
	existing_try = try;
	ret = existing_report(&missed);
	observe_handlers_miss(missed);
	return ret ?: existing_try_from_on(0, try);
}

static void existing_work_fn(struct work_struct *work)
{
	unsigned int requests;
	s64 from, try_from;
	u64 missed = 0;
	bool all;
	u32 what;

	mutex_lock(&existing_lock);
	all = existing_all;
	from = existing_from;
	try_from = existing_try_from;
	what = existing_try_what;
	requests = existing_requests;
	existing_all = false;
	existing_from = S64_MAX;
	existing_try_from = S64_MAX;
	mutex_unlock(&existing_lock);
	/* Those that were missed before are missed again. */
	if (all)
		existing_report(&missed);
	else if (from != S64_MAX)
		existing_walk_devices(from, existing_walk_device, &missed);
	existing_try_from_on(try_from, what);
	mutex_lock(&existing_lock);
	existing_done = requests;
	mutex_unlock(&existing_lock);
}

/**
 * observe_existing_again - report objects once more, and try devices
 * @all: report all, after the observer was blind
 * @from: index of the first device whose objects are reported otherwise, S64_MAX: none
 * @try_from: index of the first device that is tried, besides those of which something is
 *	unseen
 * @blind: OBSERVES_BY_*: mechanisms that are blind: what they observe is not tried
 *
 * Context: process, may sleep.
 */
void observe_existing_again(bool all, s64 from, s64 try_from, u32 blind)
{
	mutex_lock(&existing_lock);
	existing_all |= all;
	existing_from = min(existing_from, from);
	existing_try_from = min(existing_try_from, try_from);
	existing_try_what = existing_try;
	if (blind & OBSERVES_BY_FTRACE)
		existing_try_what &= ~(OBSERVE_TRY_CQ_HANDLER | OBSERVE_TRY_QP_HANDLER);
	existing_requests++;
	mutex_unlock(&existing_lock);
	queue_work(system_dfl_wq, &existing_work);
}

/** observe_existing_is_pending - has all that not been done yet? */
bool observe_existing_is_pending(void)
{
	bool is_pending;

	mutex_lock(&existing_lock);
	is_pending = existing_requests != existing_done;
	mutex_unlock(&existing_lock);
	return is_pending;
}

/** observe_existing_stop - wait for that; it does not begin any more */
void observe_existing_stop(void)
{
	cancel_work_sync(&existing_work);
}

/**
 * observe_existing_end - note that an object is about to end
 * @ib: its device
 * @type: its type
 *
 * Context: any but NMI, from a hook, before the core stops counting it.
 */
void observe_existing_end(const struct ib_device *ib,
			  enum rdma_restrack_type type)
{
	rcu_read_lock();
	/* Pairs with smp_store_release() in existing_begin(). */
	if (smp_load_acquire(&existing_ib) == ib && existing_type == type)
		atomic_inc(&existing_ended);
	rcu_read_unlock();
}
