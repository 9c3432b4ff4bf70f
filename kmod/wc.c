// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions that failed: one record for each time that a QP fails, and one
 * for what followed.
 *
 * An episode is what is known of a QP that has failed. It is open while failed
 * completions of it come, and ends with the record that tells how many these were:
 * when the owner says that there are no more, or destroys the CQ; when none has come
 * for QUIET; after LONG in any case. Then it is kept for a while, so that what
 * is flushed later is put down to the same cause, and a new failure begins another.
 *
 * There are EPISODES of them, however many QPs fail. Where more fail at a time the
 * oldest make room, with a record of what they have counted so far; what is flushed
 * of such a QP later has no cause that is known, and is not taken for one whose owner
 * wanted it. There may be many records of that, so they do not go where causes are.
 */
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "cause.h"
#include "count.h"
#include "cq.h"
#include "device.h"
#include "object.h"
#include "ulp.h"

#define EPISODES	16384
#define BUCKET_BITS	13

#define QUIET		HZ
#define LONG		(10 * HZ)
#define KEPT		(60 * HZ)

static unsigned int port_err_ms = 30000;
module_param(port_err_ms, uint, 0644);
MODULE_PARM_DESC(port_err_ms, "milliseconds after PORT_ERR within which RETRY_EXC_ERR is put down to it (default 30000)");

/**
 * struct episode - a QP that has failed
 * @hash: in its bucket, while it is in use
 * @list: free, open or closed
 * @of_cq: among those of the CQ that had the last failed completion, if any
 * @device: index of the device
 * @generation: of the device, 0 if it is not known
 * @object: number of the QP; of the CQ where the driver does not name a QP
 * @object_type: which of the two
 * @is_open: in which list
 * @is_told: there is a record of its first failure
 * @is_orphan: a cause may have been forgotten to make room
 * @cause: seq of that record, or of an event that says why; 0: none known
 * @opened: jiffies when it began
 * @last: jiffies of the last failed completion; of a closed one when it was closed
 * @flushed: how many were flushed since the last record,
 * @folded: and how many failed otherwise
 * @port: port of the QP
 * @code: status of the first of these; this and the rest for the record of them
 * @first: body of that record
 *
 * Belongs to whoever holds the lock. A CQ that goes takes its own along.
 */
struct episode {
	struct hlist_node hash;
	struct list_head list;
	struct list_head of_cq;
	u32 device;
	u32 generation;
	u32 object;
	u8 object_type;
	bool is_open;
	bool is_told;
	bool is_orphan;
	u64 cause;
	unsigned long opened;
	unsigned long last;
	u32 flushed;
	u32 folded;
	u32 port;
	u16 code;
	struct rdmaev_wc_body first;
};

/*
 * Protects all of it. Raw, and with interrupts off: CQs are polled in any context.
 * The locks of causes and of the log are taken with it held, so that records
 * are in the order of what they tell.
 */
static DEFINE_RAW_SPINLOCK(lock);
static struct episode *episodes;	/* NULL until there is a CQ */
static struct hlist_head buckets[1 << BUCKET_BITS];
static LIST_HEAD(free);
static LIST_HEAD(open);			/* by last */
static LIST_HEAD(closed);		/* by last */
static bool made_room;			/* a cause was forgotten, */
static unsigned long made_room_at;	/* jiffies: lately */

static siphash_key_t wr_id_key;
static DEFINE_MUTEX(prepare_lock);	/* one makes it, the others wait */

static void close_quiet(struct work_struct *work);
static DECLARE_DELAYED_WORK(close_work, close_quiet);

static void close(struct episode *ep)
{
	struct rdmaev_record rec = {
		.cause = ep->cause,
		.device = ep->device,
		.generation = ep->generation,
		.port = ep->port,
		.kind = RDMAEV_KIND_WC,
		.code = ep->flushed ? IB_WC_WR_FLUSH_ERR : ep->code,
		.object_type = ep->object_type,
		.severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_ULP,
		.ring = RDMAEV_RING_ERROR,
		.object = ep->object,
		.count = ep->flushed ?: ep->folded,
		.body.wc = ep->first,
	};

	ep->is_open = false;
	ep->last = jiffies;
	list_move_tail(&ep->list, &closed);
	if (!rec.count)
		return;
	if (ep->flushed)
		rec.body.wc.folded = ep->folded;
	if (ep->flushed && !ep->cause) {
		rec.ring = RDMAEV_RING_INFO;
		if (!ep->is_orphan)
			rec.severity = RDMAEV_SEVERITY_INFO;
	}
	rdmaev_append_of(&rec);
	ep->flushed = 0;
	ep->folded = 0;
}

static void drop(struct episode *ep)
{
	if (ep->is_open)
		close(ep);
	hlist_del(&ep->hash);
	list_del(&ep->of_cq);
	list_move(&ep->list, &free);
}

/* Jiffies until the time is over, 0 if it is; one look at the clock. */
static unsigned long remaining(const struct episode *ep, unsigned long time)
{
	long left = ep->last + time - jiffies;

	return max(left, 0L);
}

static struct hlist_head *bucket_of(const struct rdmaev_record *rec)
{
	return &buckets[hash_32(rec->object ^ rec->device << 20, BUCKET_BITS)];
}

static struct episode *find(const struct rdmaev_record *rec)
{
	struct episode *ep;

	hlist_for_each_entry(ep, bucket_of(rec), hash) {
		if (ep->object != rec->object || ep->device != rec->device ||
		    ep->generation != rec->generation ||
		    ep->object_type != rec->object_type)
			continue;
		if (ep->is_open || remaining(ep, KEPT))
			return ep;
		drop(ep);
		return NULL;
	}
	return NULL;
}

/* An unused one; the one longest quiet has to make room if there is none. */
static struct episode *take(void)
{
	struct episode *ep;

	ep = list_first_entry_or_null(&free, struct episode, list) ?:
	     list_first_entry_or_null(&closed, struct episode, list) ?:
	     list_first_entry(&open, struct episode, list);
	if (list_empty(&free)) {
		if (ep->cause && (ep->is_open || remaining(ep, KEPT))) {
			made_room = true;
			made_room_at = jiffies;
		}
		drop(ep);
	}
	return ep;
}

static struct episode *begin(const struct rdmaev_record *rec)
{
	struct episode *ep = take();

	*ep = (struct episode) {
		.list = ep->list,
		.device = rec->device,
		.generation = rec->generation,
		.object = rec->object,
		.object_type = rec->object_type,
		.is_orphan = made_room &&
			     time_before(jiffies, made_room_at + KEPT),
	};
	INIT_LIST_HEAD(&ep->of_cq);
	hlist_add_head(&ep->hash, bucket_of(rec));
	return ep;
}

static void reopen(struct episode *ep, struct rdmaev_cq_state *cq)
{
	if (!ep->is_open) {
		ep->is_open = true;
		ep->opened = jiffies;
		/* With others it comes no later than for them. */
		if (list_empty(&open))
			mod_delayed_work(rdmaev_cq_wq, &close_work, QUIET);
	}
	ep->last = jiffies;
	list_move_tail(&ep->list, &open);
	list_move(&ep->of_cq, &cq->episodes);
}

/* Of a completion that has no record of its own. */
static void keep_first(struct episode *ep, const struct rdmaev_record *rec,
		       bool is_flush)
{
	/* One that was flushed goes before others. */
	if (ep->flushed || (ep->folded && !is_flush))
		return;
	ep->port = rec->port;
	ep->code = rec->code;
	ep->first = rec->body.wc;
}

static u64 cause_of(const struct rdmaev_record *rec)
{
	if (rec->code != IB_WC_RETRY_EXC_ERR || !rec->port)
		return 0;
	return rdmaev_cause_find_port(rec, (u64)READ_ONCE(port_err_ms) *
					   NSEC_PER_MSEC);
}

static void note(struct rdmaev_cq_state *cq, struct rdmaev_record *rec)
{
	bool is_flush = rec->code == IB_WC_WR_FLUSH_ERR;
	struct episode *ep = find(rec);
	bool is_first;

	/* What it is known for was told, so this is another failure. */
	if (ep && !is_flush && ep->is_told && !ep->is_open) {
		drop(ep);
		ep = NULL;
	}
	if (!ep)
		ep = begin(rec);
	is_first = !ep->is_open;
	reopen(ep, cq);
	/* The QP goes on after that one: no cause of what may follow. */
	if (rec->code == IB_WC_REM_ABORT_ERR && is_first) {
		rdmaev_append_of(rec);
		return;
	}
	if (!is_flush && !ep->is_told && rec->code != IB_WC_REM_ABORT_ERR) {
		/* Those of that kind came before, and do not follow from it. */
		if (ep->folded) {
			close(ep);
			reopen(ep, cq);
		}
		rec->cause = cause_of(rec);
		ep->cause = rdmaev_append_of(rec);
		ep->is_told = true;
		return;
	}
	keep_first(ep, rec, is_flush);
	if (is_flush)
		ep->flushed++;
	else
		ep->folded++;
	if (time_after(jiffies, ep->opened + LONG))
		close(ep);
}

/* Those that leave alone what verbs do not define; as they are in Linux 6.1. */
static bool has_opcode(enum rdma_driver_id driver)
{
	switch (driver) {
	case RDMA_DRIVER_MLX4:
	case RDMA_DRIVER_MLX5:
	case RDMA_DRIVER_MTHCA:
	case RDMA_DRIVER_OCRDMA:
	case RDMA_DRIVER_RXE:
		return false;
	default:
		return true;
	}
}

static bool has_vendor_err(enum rdma_driver_id driver)
{
	return driver != RDMA_DRIVER_OCRDMA;
}

static unsigned int opcode_of(const struct rdmaev_cq_state *cq,
			      const struct ib_wc *wc)
{
	if (has_opcode(cq->ib->ops.driver_id))
		return rdmaev_wc_opcode(wc);
	if (wc->qp && wc->qp->recv_cq == cq->pub.cq &&
	    wc->qp->send_cq != cq->pub.cq)
		return RDMAEV_WC_RECV;
	return RDMAEV_WC_OTHER;
}

/* What the completion says of its QP, if the driver names one, and of its CQ. */
static void describe(struct rdmaev_record *rec, struct rdmaev_cq_state *cq,
		     const struct ib_wc *wc)
{
	struct rdmaev_wc_body *body = &rec->body.wc;

	if (wc->qp) {
		rec->object_type = RDMAEV_OBJECT_QP;
		rdmaev_describe_qp(rec, wc->qp);
	} else {
		rec->object_type = RDMAEV_OBJECT_CQ;
		if (rdmaev_cq_number(cq, &rec->object))
			body->known |= RDMAEV_KNOWN_OBJECT;
	}
	if (rdmaev_cq_number(cq, &body->cq))
		body->known |= RDMAEV_KNOWN_CQ;
	if (has_vendor_err(cq->ib->ops.driver_id))
		body->vendor_err = wc->vendor_err;
	body->opcode = opcode_of(cq, wc);
	body->wr_id = wc->wr_id;
	/* Those of ib_drain_qp() are addresses in any case. */
	if (cq->flags & RDMAEV_CQ_PUBLIC_WR_ID && (s64)wc->wr_id >= 0)
		body->known |= RDMAEV_KNOWN_WR_ID;
	else
		body->wr_id = siphash_1u64(wc->wr_id, &wr_id_key);
	memcpy(body->source_name, cq->ulp->name, sizeof(body->source_name));
}

/**
 * rdmaev_wc_failed - a completion that was polled is not a success
 * @cq: where it was polled
 * @wc: completion; its QP is still there
 *
 * Context: any but NMI.
 */
void rdmaev_wc_failed(struct rdmaev_cq_state *cq, const struct ib_wc *wc)
{
	unsigned int status = wc->status;
	struct rdmaev_record rec = {
		.device = cq->ib->index,
		.generation = rdmaev_cq_generation(cq),
		.kind = RDMAEV_KIND_WC,
		.code = min_t(unsigned int, status, U16_MAX),
		.severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_ULP,
		.ring = RDMAEV_RING_ERROR,
		.count = 1,
	};
	unsigned long flags;

	this_cpu_write(cq->counts->last, jiffies);
	/* Before its record: who knows of that finds it counted. */
	atomic64_inc(&cq->failures[min_t(unsigned int, status,
					 RDMAEV_WC_STATUSES - 1)]);
	if (!rdmaev_ulp_is_registered(cq->ulp))
		return;
	describe(&rec, cq, wc);
	raw_spin_lock_irqsave(&lock, flags);
	note(cq, &rec);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/**
 * rdmaev_qp_flushed - nothing more of a QP fails for the reason that it had
 * @qp: QP, all failed completions of which were polled: before it is destroyed, or
 *	after it was reset
 *
 * What was flushed is recorded now.
 *
 * Context: any but NMI.
 */
void rdmaev_qp_flushed(const struct ib_qp *qp)
{
	struct rdmaev_record rec = {
		.device = qp->device->index,
		.generation = rdmaev_device_generation(qp->device),
		.object_type = RDMAEV_OBJECT_QP,
		.object = qp->qp_num,
	};
	struct episode *ep;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	ep = find(&rec);
	if (ep)
		drop(ep);
	raw_spin_unlock_irqrestore(&lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_flushed);

/** rdmaev_wc_forget_cq - a CQ goes, and its QPs are gone: tell what was flushed */
void rdmaev_wc_forget_cq(struct rdmaev_cq_state *cq)
{
	struct episode *ep;
	unsigned long flags;

	/* One at a time: there may be many, and interrupts are off. */
	do {
		raw_spin_lock_irqsave(&lock, flags);
		ep = list_first_entry_or_null(&cq->episodes, struct episode,
					      of_cq);
		if (ep)
			drop(ep);
		raw_spin_unlock_irqrestore(&lock, flags);
	} while (ep);
}

/* QPs of processes have no CQ here, and processes can make many fail. */
static bool is_of_ulp(const struct rdmaev_record *rec)
{
	return rec->source == RDMAEV_SOURCE_ULP &&
	       rec->body.async.known & RDMAEV_KNOWN_OBJECT;
}

/**
 * rdmaev_wc_note_event - an event says why a QP is in Error
 * @rec: its record, appended
 *
 * Context: any but NMI.
 */
void rdmaev_wc_note_event(const struct rdmaev_record *rec)
{
	struct episode *ep;
	unsigned long flags;

	if (!is_of_ulp(rec))
		return;
	raw_spin_lock_irqsave(&lock, flags);
	if (!episodes)
		goto out;
	ep = find(rec);
	/* What it is known for was told, so this is another failure. */
	if (ep && ep->is_told && !ep->is_open) {
		drop(ep);
		ep = NULL;
	}
	if (!ep)
		ep = begin(rec);
	if (!ep->cause)
		ep->cause = rec->seq;
	if (!ep->is_open) {
		ep->last = jiffies;
		list_move_tail(&ep->list, &closed);
		queue_delayed_work(rdmaev_cq_wq, &close_work, KEPT);
	}
out:
	raw_spin_unlock_irqrestore(&lock, flags);
}

/**
 * rdmaev_wc_cause - the first failure of a QP that is known
 * @rec: record about the QP
 *
 * Context: any but NMI.
 *
 * Return: seq of the record of it, or 0.
 */
u64 rdmaev_wc_cause(const struct rdmaev_record *rec)
{
	struct episode *ep;
	unsigned long flags;
	u64 cause;

	if (!is_of_ulp(rec))
		return 0;
	raw_spin_lock_irqsave(&lock, flags);
	ep = find(rec);
	cause = ep ? ep->cause : 0;
	raw_spin_unlock_irqrestore(&lock, flags);
	return cause;
}

/* One step with the lock held. False: nothing to do for @again jiffies, if not 0. */
static bool close_one(unsigned long *again)
{
	struct episode *ep;

	ep = list_first_entry_or_null(&open, struct episode, list);
	*again = ep ? remaining(ep, QUIET) : 0;
	if (ep && !*again) {
		close(ep);
		return true;
	}
	if (*again)
		return false;
	ep = list_first_entry_or_null(&closed, struct episode, list);
	*again = ep ? remaining(ep, KEPT) : 0;
	if (ep && !*again) {
		drop(ep);
		return true;
	}
	return false;
}

static void close_quiet(struct work_struct *work)
{
	unsigned long flags, again;
	bool more;

	do {
		raw_spin_lock_irqsave(&lock, flags);
		more = close_one(&again);
		/* It may be pending by now, for an event, and much later. */
		if (!more && again)
			mod_delayed_work(rdmaev_cq_wq, &close_work, again);
		raw_spin_unlock_irqrestore(&lock, flags);
		cond_resched();
	} while (more);
}

/** rdmaev_wc_prepare - there is going to be a CQ; 0 or -ENOMEM */
int rdmaev_wc_prepare(void)
{
	struct episode *all;
	LIST_HEAD(unused);
	unsigned long flags;
	int ret = 0, i;

	mutex_lock(&prepare_lock);
	if (episodes)
		goto out;
	all = kvcalloc(EPISODES, sizeof(*all), GFP_KERNEL);
	if (!all) {
		ret = -ENOMEM;
		goto out;
	}
	get_random_bytes(&wr_id_key, sizeof(wr_id_key));
	for (i = 0; i < EPISODES; i++)
		list_add_tail(&all[i].list, &unused);
	raw_spin_lock_irqsave(&lock, flags);
	list_splice(&unused, &free);
	episodes = all;
	raw_spin_unlock_irqrestore(&lock, flags);
out:
	mutex_unlock(&prepare_lock);
	return ret;
}

/** rdmaev_wc_exit - there is no CQ any more, and no event of a QP comes */
void rdmaev_wc_exit(void)
{
	cancel_delayed_work_sync(&close_work);
	kvfree(episodes);
}
