// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way of a record from its source, and causes: the earlier record that a record
 * follows from. The tables of rules have what is looked for, and noted, for each code; of
 * failed completions, failure.c.
 *
 * One table, under one lock, holds by device, object type, number and owner:
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
 * Each type of entry has its own limit, so many of one type do not evict
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
#include <linux/stddef.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cause.h"
#include "cause_table.h"
#include "device/access.h"
#include "device/device.h"
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

/* Is the object of a record known? */
static bool cause_has_object(const struct rdmaev_record *rec)
{
	return rec->body.info.known & RDMAEV_KNOWN_OBJECT;
}

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

static void cause_note_error(enum cause_type type, u8 object_type, u32 number,
			     const struct rdmaev_record *rec, u32 payer)
{
	struct cause_key key = cause_key_error(rec, object_type, number);
	unsigned long flags;
	struct cause *c;

	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	if (!rdmaev_causes)
		goto out;
	c = rdmaev_cause_lookup(&key) ?: rdmaev_cause_begin(type, &key, payer);
	WRITE_ONCE(c->last, jiffies);
	rdmaev_cause_is_newest(c);
	c->seq = rec->seq;
	c->boottime_ns = rec->boottime_ns;
	/* After that time the entry goes back to its user's share. */
	if (type == CAUSE_USER_QUEUE)
		rdmaev_cause_expire_later();
	if (type != CAUSE_PORT)
		WRITE_ONCE(cause_queue_ns[!!key.owner], rec->boottime_ns);
out:
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/*
 * Remember the error of a CQ or SRQ. One whose device is unknown could be mistaken for
 * another.
 */
static void cause_open_queue(const struct rdmaev_record *rec, u32 payer)
{
	if (rec->seq && rec->generation && cause_has_object(rec))
		cause_note_error(cause_owner(rec) ? CAUSE_USER_QUEUE : CAUSE_QUEUE,
				 rec->object_type, rec->object, rec, payer);
}

/**
 * rdmaev_cause_open_port - remember that a port left ACTIVE
 * @rec: record of the event, appended
 *
 * Context: any but NMI.
 */
void rdmaev_cause_open_port(const struct rdmaev_record *rec)
{
	if (rec->port != RDMAEV_NO_PORT)
		cause_note_error(CAUSE_PORT, RDMAEV_OBJECT_PORT, rec->port, rec, 0);
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
	const struct rdmaev_queues *queues = &rec->body.async.queues;
	const u32 known = rec->body.info.known;
	u64 seq = 0;

	if (known & RDMAEV_KNOWN_SEND_CQ)
		seq = cause_of_queue(rec, RDMAEV_OBJECT_CQ, queues->send_cq, since);
	if (known & RDMAEV_KNOWN_RECV_CQ)
		seq = max(seq, cause_of_queue(rec, RDMAEV_OBJECT_CQ, queues->recv_cq, since));
	if (known & RDMAEV_KNOWN_SRQ)
		seq = max(seq, cause_of_queue(rec, RDMAEV_OBJECT_SRQ, queues->srq, since));
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

	if (rec->port == RDMAEV_NO_PORT)
		return 0;
	return cause_find_error(&key, 0, (u64)READ_ONCE(port_err_ms) * NSEC_PER_MSEC);
}

/*
 * Find the newest error of the CQs and the SRQ of a QP within QUEUE_MAX_NS. Returns 0 also
 * if its record is still being appended.
 */
static u64 cause_from_queue(const struct rdmaev_record *rec)
{
	u64 seq = 0, since = 0;
	unsigned long flags;
	struct cause *c;

	if (!cause_has_queue_error(cause_owner(rec)))
		return 0;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_has_object(rec) ? cause_find_qp(rec) : NULL;
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

/* Remember the event that reports why a QP is in Error. */
static void cause_open_failure(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	/* One of a ULP that was counted is a failure all the same. */
	if (!cause_has_object(rec) || (!rec->seq && cause_owner(rec)))
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

/*
 * Remember that a QP was moved to Error on request. Requests that are flushed follow from
 * that, unless the QP has failed before.
 */
static void cause_open_move(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	if (!rec->seq || !cause_has_object(rec))
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

/*
 * Remember the event that ended the connection of a QP. A request to move the QP to Error
 * follows from that, and so do requests that are flushed without one, unless the QP has
 * failed before.
 */
static void cause_open_connection(const struct rdmaev_record *rec, u32 payer)
{
	unsigned long flags;
	struct cause *c;

	if (!rec->seq || !rec->generation || !cause_has_object(rec))
		return;
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	c = cause_find_qp(rec) ?: cause_begin_qp(rec, payer);
	c->cm = rec->seq;
	cause_keep(c);
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_of_end - find what the end of a QP follows from
 * @rec: record about the QP
 *
 * Context: any but NMI.
 *
 * Return: seq of the failure of the QP, or of an earlier request to move it to
 * Error, or of an event of its connection; 0 if none of them is known.
 */
u64 rdmaev_cause_of_end(const struct rdmaev_record *rec)
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

/*
 * Find the failure that QP_LAST_WQE_REACHED follows from: the event that reported it, else
 * the first failed completion. Returns 0 if neither is known, or if this failure already had
 * a QP_LAST_WQE_REACHED.
 */
static u64 cause_from_failure(const struct rdmaev_record *rec)
{
	unsigned long flags;
	struct cause *c;
	u64 seq = 0;

	if (!cause_has_object(rec))
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

const struct rdmaev_cause_rule rdmaev_async_rules[RDMAEV_ASYNC_RULES] = {
	[IB_EVENT_CQ_ERR] = { .opens = CAUSE_OPENS_QUEUE },
	[IB_EVENT_SRQ_ERR] = { .opens = CAUSE_OPENS_QUEUE },
	/* The first of them put the QP in Error, the others follow. */
	[IB_EVENT_QP_FATAL] = { .from = CAUSE_FROM_QUEUE, .opens = CAUSE_OPENS_FAILURE },
	[IB_EVENT_QP_REQ_ERR] = { .opens = CAUSE_OPENS_FAILURE },
	[IB_EVENT_QP_ACCESS_ERR] = { .opens = CAUSE_OPENS_FAILURE },
	[IB_EVENT_QP_LAST_WQE_REACHED] = { .from = CAUSE_FROM_FAILURE },
	[RDMAEV_ASYNC_RULES - 1] = { },		/* of this, and all above */
};

/* Of a request that was not refused */
static const struct rdmaev_cause_rule qp_rules[] = {
	[RDMAEV_QP_RESET] = { .from = CAUSE_FROM_END },
	[RDMAEV_QP_SQD] = { .from = CAUSE_FROM_END },
	[RDMAEV_QP_SQE] = { .from = CAUSE_FROM_END },
	[RDMAEV_QP_ERR] = { .from = CAUSE_FROM_END, .opens = CAUSE_OPENS_MOVE },
	[RDMAEV_QP_DESTROY] = { .from = CAUSE_FROM_END },
	/* If an event, or the end of its connection, is on record, the state is no news. */
	[RDMAEV_QP_FAILED] = { .from = CAUSE_FROM_END, .known = RDMAEV_SEVERITY_INFO },
};

/* rdma_cm moves the QP to ERR before some of the others. */
static const struct rdmaev_cause_rule cm_disconnected_rule = {
	.from = CAUSE_FROM_END, .opens = CAUSE_OPENS_CONNECTION,
};

static const struct rdmaev_cause_rule cm_removal_rule = {
	.from = CAUSE_FROM_REMOVAL, .opens = CAUSE_OPENS_CONNECTION,
};

/* Of others, which refuse or end a connection, or are about to */
static const struct rdmaev_cause_rule cm_rule = { .opens = CAUSE_OPENS_CONNECTION };
static const struct rdmaev_cause_rule note_rule = { .from = CAUSE_FROM_END };
static const struct rdmaev_cause_rule no_rule;

static const struct rdmaev_cause_rule *cause_rule(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_QP:
		if (rec->body.qp.result || rec->code >= ARRAY_SIZE(qp_rules))
			return &no_rule;
		return &qp_rules[rec->code];
	case RDMAEV_KIND_CM:
		switch (rec->code) {
		case RDMAEV_CM_CONNECT_RESPONSE:
		case RDMAEV_CM_ESTABLISHED:
			return &no_rule;
		case RDMAEV_CM_DISCONNECTED:
			return &cm_disconnected_rule;
		case RDMAEV_CM_DEVICE_REMOVAL:
			return &cm_removal_rule;
		default:
			return &cm_rule;
		}
	case RDMAEV_KIND_NOTE:
		return &note_rule;
	default:
		return &no_rule;
	}
}

static u64 cause_from(const struct rdmaev_dev *dev, const struct rdmaev_record *rec,
		      enum rdmaev_cause_from from)
{
	switch (from) {
	case CAUSE_FROM_QUEUE:
		return cause_from_queue(rec);
	case CAUSE_FROM_FAILURE:
		return cause_from_failure(rec);
	case CAUSE_FROM_END:
		return cause_has_object(rec) ? rdmaev_cause_of_end(rec) : 0;
	case CAUSE_FROM_REMOVAL:
		return dev ? READ_ONCE(dev->removed_seq) : 0;
	default:
		return 0;
	}
}

/**
 * rdmaev_cause_find - find what a record follows from, unless its source knows it
 * @dev: device of the record, NULL: unknown
 * @rec: record, of which it sets the cause, and the severity that follows from having one
 * @rule: its rule, with @from
 *
 * Context: any but NMI, under RCU.
 */
void rdmaev_cause_find(const struct rdmaev_dev *dev, struct rdmaev_record *rec,
		       const struct rdmaev_cause_rule *rule)
{
	if (!rec->cause)
		rec->cause = cause_from(dev, rec, rule->from);
	if (rec->cause && rule->known)
		rec->severity = rule->known;
}

/**
 * rdmaev_cause_open - note a record for those that may follow from it
 * @rec: record, appended
 * @opens: of its rule
 * @payer: as for rdmaev_record()
 *
 * Context: any but NMI.
 */
void rdmaev_cause_open(const struct rdmaev_record *rec, enum rdmaev_cause_opens opens,
		       u32 payer)
{
	switch (opens) {
	case CAUSE_OPENS_QUEUE:
		cause_open_queue(rec, payer);
		break;
	case CAUSE_OPENS_FAILURE:
		cause_open_failure(rec, payer);
		break;
	case CAUSE_OPENS_MOVE:
		cause_open_move(rec, payer);
		break;
	case CAUSE_OPENS_CONNECTION:
		cause_open_connection(rec, payer);
		break;
	case CAUSE_OPENS_NOTHING:
		break;
	}
}

/**
 * rdmaev_record - record what a source has filled in
 * @dev: device of the record, NULL: unknown
 * @rec: record of kind QP, CM or NOTE. Its cause is found, unless the source knows it. Events
 *	have rdmaev_record_event(), failed completions rdmaev_cause_wc()
 * @payer: of RDMAEV_RING_USER: who pays for the process, see &struct rdmaev_owner
 *
 * It is recorded, or counted, with what it follows from; then what may follow from it is
 * noted.
 *
 * Context: any but NMI, under RCU.
 *
 * Return: as rdmaev_burst_append().
 */
u64 rdmaev_record(struct rdmaev_dev *dev, struct rdmaev_record *rec, u32 payer)
{
	const struct rdmaev_cause_rule *rule = cause_rule(rec);

	if (rule->from)
		rdmaev_cause_find(dev, rec, rule);
	/* Notes have a limit of their own. */
	if (rec->kind == RDMAEV_KIND_NOTE)
		rdmaev_append(dev, rec);
	else
		rdmaev_burst_append(dev, rec, payer);
	if (rule->opens)
		rdmaev_cause_open(rec, rule->opens, payer);
	return rec->seq;
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
		rdmaev_fill_qp(&rec->body.info, &rec->body.async.queues, qp);
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
