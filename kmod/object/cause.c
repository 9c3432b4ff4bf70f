// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Causes: the earlier record that a record follows from. One table, under one
 * lock, holds by device, object type, number and owner:
 *
 *  - QPs that failed. An entry is open while failed completions of the QP
 *    arrive. It is closed, with a record of their number, when the owner
 *    reports that no more follow, when the CQ is destroyed, after CAUSE_QUIET without
 *    another one, or after CAUSE_LONG in any case. After CAUSE_QUIET or CAUSE_LONG the closed
 *    entry is kept for CAUSE_KEPT: requests flushed later get the same cause, and a
 *    new failure begins a new entry.
 *  - CQs and SRQs that had an error. QP_FATAL of each QP on them follows at
 *    once. Some drivers continue after CQ_ERR (soft RoCE, siw): a failure much
 *    later has its own cause.
 *  - Ports that left ACTIVE.
 *
 * An event that has no record, with seq 0, is the cause of nothing.
 *
 * Entries belong to the owner of the object: the kernel, or a user. What one
 * owner does, or claims, is the cause of nothing of another.
 *
 * Of the entries for users, who pays for one has an eighth: what he has above that
 * takes the place of what he had before.
 *
 * Each sort of entry has its own limit, so many of one sort do not evict
 * another: above all, QPs that fail with a port do not evict the port. When
 * more QPs fail than the table holds, the oldest entries are evicted, with a
 * record of their count so far. Requests of an evicted QP that are flushed
 * later have no known cause, but are not taken for an intended flush. These
 * records can be many, so they do not go to the ring that holds the rdmaev_causes.
 *
 * A million requests can be flushed at a time, on all CPUs. All but the first
 * of a QP are counted without the lock: see rdmaev_cause_count_flush().
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cause.h"
#include "cause_table.h"
#include "device/access.h"
#include "device/device_table.h"
#include "log/log.h"
#include "object.h"
#include "owner.h"

#define QUEUE_MAX_NS	(5 * NSEC_PER_SEC)

static unsigned int port_err_ms = 30000;
module_param(port_err_ms, uint, 0644);
MODULE_PARM_DESC(port_err_ms, "milliseconds after PORT_ERR within which it is the cause of RETRY_EXC_ERR (default 30000)");

/* Time of the last error of a queue: of the kernel, of a user */
static u64 cause_queue_ns[2];

/* Of an error of an object on the device of a record, and of the same owner */
static struct cause_key cause_key_error(const struct rdmaev_record *rec,
					u8 type, u32 number)
{
	return cause_key(rec->device, rec->generation, type, number, false,
			 cause_owner(rec));
}

/*
 * Return seq of the error of an object if it is newer than @since and less than
 * @max_ns ago, else 0.
 */
static u64 cause_find_error(const struct cause_key *key, u64 since, u64 max_ns)
{
	struct cause *c = rdmaev_cause_lookup(key);
	u64 oldest = ktime_get_boot_fast_ns() - max_ns;

	/* Signed: @max_ns may be longer than the time since boot. */
	if (!c || c->seq <= since || (s64)(c->boottime_ns - oldest) <= 0)
		return 0;
	return c->seq;
}

static void cause_note_error(enum cause_sort sort, u8 type, u32 number,
			     const struct rdmaev_record *rec, u32 payer)
{
	struct cause_key key = cause_key_error(rec, type, number);
	unsigned long flags;
	struct cause *c;

	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	if (!rdmaev_causes)
		goto out;
	c = rdmaev_cause_lookup(&key) ?: rdmaev_cause_begin(sort, &key, payer);
	WRITE_ONCE(c->last, jiffies);
	rdmaev_cause_is_newest(c);
	c->seq = rec->seq;
	c->boottime_ns = rec->boottime_ns;
	/* After that time the entry goes back to its user's share. */
	if (sort == CAUSE_USER_QUEUE)
		rdmaev_cause_expire_later();
	if (sort != CAUSE_PORT)
		WRITE_ONCE(cause_queue_ns[!!key.owner], rec->boottime_ns);
out:
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_note - remember the error of a CQ or SRQ
 * @rec: its record, appended
 * @payer: as for rdmaev_burst_append()
 *
 * Ignores an error whose device or number is unknown: it could be mistaken for
 * another.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note(const struct rdmaev_record *rec, u32 payer)
{
	enum cause_sort sort = cause_owner(rec) ? CAUSE_USER_QUEUE :
						  CAUSE_QUEUE;

	if (rec->seq && rec->generation &&
	    rec->body.info.known & RDMAEV_KNOWN_OBJECT)
		cause_note_error(sort, rec->object_type, rec->object, rec,
				 payer);
}

/**
 * rdmaev_cause_note_port - remember that a port left ACTIVE
 * @rec: record of the event, appended
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note_port(const struct rdmaev_record *rec)
{
	if (rec->port)
		cause_note_error(CAUSE_PORT, RDMAEV_OBJECT_PORT, rec->port,
				 rec, 0);
}

/*
 * Had a queue of the kernel, or of a user, an error within QUEUE_MAX_NS? Without
 * the lock: usually none had.
 */
static bool cause_has_queue_error(bool is_user)
{
	u64 last = READ_ONCE(cause_queue_ns[is_user]);

	/* Signed: the clock of another CPU may be ahead. */
	return last && (s64)(ktime_get_boot_fast_ns() - last) <
			       (s64)QUEUE_MAX_NS;
}

static u64 cause_of_queue(const struct rdmaev_record *rec, u8 type, u32 number, u64 since)
{
	struct cause_key key = cause_key_error(rec, type, number);

	return cause_find_error(&key, since, QUEUE_MAX_NS);
}

/* Seq of the newest error of the CQs and the SRQ of a QP after @since, else 0. */
static u64 cause_find_queue_error(const struct rdmaev_record *rec, u64 since)
{
	const struct rdmaev_object_info *info = &rec->body.info;
	u64 seq = 0;

	if (info->known & RDMAEV_KNOWN_SEND_CQ)
		seq = cause_of_queue(rec, RDMAEV_OBJECT_CQ, info->send_cq, since);
	if (info->known & RDMAEV_KNOWN_RECV_CQ)
		seq = max(seq, cause_of_queue(rec, RDMAEV_OBJECT_CQ, info->recv_cq, since));
	if (info->known & RDMAEV_KNOWN_SRQ)
		seq = max(seq, cause_of_queue(rec, RDMAEV_OBJECT_SRQ, info->srq, since));
	return seq;
}

/**
 * rdmaev_cause_of_port - find the newest event with which the port of a record left ACTIVE
 * @rec: record
 *
 * Context: any but NMI, with rdmaev_cause_lock held.
 *
 * Return: its seq; 0 if there is none within port_err_ms.
 */
u64 rdmaev_cause_of_port(const struct rdmaev_record *rec)
{
	/* Ports belong to nobody. */
	struct cause_key key = cause_key(rec->device, rec->generation, RDMAEV_OBJECT_PORT,
					 rec->port, false, 0);

	if (!rec->port)
		return 0;
	return cause_find_error(&key, 0, (u64)READ_ONCE(port_err_ms) * NSEC_PER_MSEC);
}

/**
 * rdmaev_cause_find - find the queue error that a QP failure follows from
 * @rec: record about the QP, with its CQs and SRQ
 *
 * Context: any but NMI.
 *
 * Return: seq of the newest error of its CQs and SRQ within QUEUE_MAX_NS; 0 if
 * there is none, or if its record is still being appended.
 */
u64 rdmaev_cause_find(const struct rdmaev_record *rec)
{
	const struct rdmaev_object_info *info = &rec->body.info;
	u64 seq = 0, since = 0;
	unsigned long flags;
	struct cause *c;

	if (!cause_has_queue_error(cause_owner(rec)))
		return 0;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = info->known & RDMAEV_KNOWN_OBJECT ? cause_find_qp(rec) : NULL;
	if (c)
		since = c->since;
	seq = cause_find_queue_error(rec, since);
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
	return seq;
}

/* Keep an entry for CAUSE_KEPT from now on, if it is not open. */
static void cause_keep(struct cause *c)
{
	if (c->is_open)
		return;
	WRITE_ONCE(c->last, jiffies);
	rdmaev_cause_is_newest(c);
	rdmaev_cause_expire_later();
}

/**
 * rdmaev_cause_note_failure - remember the event that reports why a QP is in
 * Error
 * @rec: its record, appended
 * @payer: as for rdmaev_burst_append()
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note_failure(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	/* One of a ULP that was counted is a failure all the same. */
	if (!(rec->body.info.known & RDMAEV_KNOWN_OBJECT) ||
	    (!rec->seq && cause_owner(rec)))
		return;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	if (!rdmaev_causes)
		goto out;
	c = cause_find_qp(rec);
	/* The previous failure was recorded and closed: this is a new one. */
	if (c && c->is_recorded && !c->is_open) {
		rdmaev_cause_drop(c);
		c = NULL;
	}
	if (!c)
		c = cause_begin_qp(rec, payer);
	if (c->is_drained) {
		c->is_drained = false;
		c->event = 0;
	}
	if (!c->event)
		c->event = rec->seq;
	if (!c->seq)
		c->seq = rec->seq;
	c->is_counted = !c->seq;
	cause_keep(c);
out:
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_note_move - remember that a QP was moved to Error on request
 * @rec: its record, appended
 * @payer: as for rdmaev_burst_append()
 *
 * Requests that are flushed follow from that, unless the QP has failed before.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note_move(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	if (!rec->seq)
		return;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec) ?: cause_begin_qp(rec, payer);
	if (!cause_has_failed(c)) {
		c->seq = rec->seq;
		c->event = rec->seq;
		c->is_requested = true;
	}
	cause_keep(c);
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_note_cm - remember the event that ended the connection of a QP
 * @rec: its record, appended
 * @payer: as for rdmaev_burst_append()
 *
 * A request to move the QP to Error follows from that, and so do requests that
 * are flushed without one, unless the QP has failed before.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note_cm(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	if (!rec->seq || !rec->generation ||
	    !(rec->body.cm.known & RDMAEV_KNOWN_OBJECT))
		return;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec) ?: cause_begin_qp(rec, payer);
	c->cm = rec->seq;
	cause_keep(c);
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_of_move - find the failure that a request to end a QP follows
 * from
 * @rec: record about the QP
 *
 * Context: any but NMI.
 *
 * Return: seq of the failure of the QP, or of an earlier request to move it to
 * Error, or of an event of its connection; 0 if none of them is known.
 */
u64 rdmaev_cause_of_move(const struct rdmaev_record *rec)
{
	unsigned long flags;
	struct cause *c;
	u64 seq;

	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec);
	seq = c ? cause_of_end(c) : 0;
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
	return seq;
}

/**
 * rdmaev_cause_find_failure - find the failure that QP_LAST_WQE_REACHED follows
 * from
 * @rec: record about the QP
 *
 * Context: any but NMI.
 *
 * Return: seq of the event that reported the failure of the QP, else of the
 * first failed completion; 0 if neither is known, or if this failure already
 * had a QP_LAST_WQE_REACHED.
 */
u64 rdmaev_cause_find_failure(const struct rdmaev_record *rec)
{
	unsigned long flags;
	struct cause *c;
	u64 seq = 0;

	if (!(rec->body.info.known & RDMAEV_KNOWN_OBJECT))
		return 0;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec);
	if (c && !c->is_drained) {
		seq = c->event ?: c->seq;
		c->is_drained = true;
	}
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
	return seq;
}

/**
 * rdmaev_cause_flush_begin - describe a QP for rdmaev_cause_flush()
 * @rec: zero, filled in
 * @qp: QP
 *
 * Context: any but NMI.
 *
 * Return: who pays for it, if it is of a process.
 */
u32 rdmaev_cause_flush_begin(struct rdmaev_record *rec, const struct ib_qp *qp)
{
	bool is_user = rdmaev_qp_is_user(qp);
	struct rdmaev_owner owner;

	rec->device = qp->device->index;
	rec->generation = rdmaev_device_generation(qp->device);
	rec->object_type = RDMAEV_OBJECT_QP;
	rec->object = qp->qp_num;
	if (is_user)
		rec->ring = RDMAEV_RING_USER;
	if (rdmaev_owner_find(&owner, &qp->res))
		rdmaev_record_set_owner(rec, &owner, &qp->res);
	if (cause_has_queue_error(is_user))
		rdmaev_fill_qp(&rec->body.info, qp);
	return owner.payer;
}

/**
 * rdmaev_cause_flush - forget the failure of a QP
 * @rec: of rdmaev_cause_flush_begin(). The QP may have been destroyed since
 * @payer: what that has returned
 *
 * Context: any but NMI.
 */
void rdmaev_cause_flush(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec);
	if (c)
		rdmaev_cause_drop(c);
	/*
	 * Errors of queues are rare and expire by themselves after
	 * QUEUE_MAX_NS.
	 */
	if (rdmaev_causes && cause_find_queue_error(rec, 0)) {
		cause_begin_qp(rec, payer)->since = rdmaev_log_newest();
		rdmaev_cause_expire_later();
	}
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/* See <rdma/rdmaev_ulp.h>. */
void rdmaev_qp_flushed(const struct ib_qp *qp)
{
	struct rdmaev_record rec = {};
	u32 payer = rdmaev_cause_flush_begin(&rec, qp);

	rdmaev_cause_flush(&rec, payer);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_flushed);
