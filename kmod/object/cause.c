// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Causes: the earlier record that a record follows from. One table, under one
 * lock, holds by device, object type, number and owner:
 *
 *  - QPs that failed. An entry is open while failed completions of the QP
 *    arrive. It is closed, with a record of their number, when the owner
 *    reports that no more follow, when the CQ is destroyed, after QUIET without
 *    another one, or after LONG in any case. After QUIET or LONG the closed
 *    entry is kept for KEPT: requests flushed later get the same cause, and a
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
 * records can be many, so they do not go to the ring that holds the causes.
 *
 * A million requests can be flushed at a time, on all CPUs. All but the first
 * of a QP are counted without the lock: see rdmaev_cause_count_flush().
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cause.h"
#include "device/access.h"
#include "device/burst.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "log/log.h"
#include "object.h"
#include "owner.h"
#include "work.h"

#define BUCKET_BITS	13

#define QUIET		HZ
#define LONG		(10 * HZ)
#define KEPT		(60 * HZ)
#define PASS		(HZ / 10)	/* minimum time between two passes */
#define QUEUE_MAX_NS	(5 * NSEC_PER_SEC)

static unsigned int port_err_ms = 30000;
module_param(port_err_ms, uint, 0644);
MODULE_PARM_DESC(port_err_ms, "milliseconds after PORT_ERR within which it is the cause of RETRY_EXC_ERR (default 30000)");

/*
 * Sorts of entries, see above. QPs and queues of processes have their own: a
 * process can make many of them fail.
 */
enum cause_sort {
	CAUSE_QP,
	CAUSE_USER_QP,
	CAUSE_QUEUE,
	CAUSE_USER_QUEUE,
	CAUSE_PORT,
	CAUSE_SORTS,
};

static const unsigned int cause_max[CAUSE_SORTS] = {
	[CAUSE_QP] = 16384,
	[CAUSE_USER_QP] = 4096,
	[CAUSE_QUEUE] = 1024,
	[CAUSE_USER_QUEUE] = 1024,
	[CAUSE_PORT] = 256,
};

/**
 * struct cause_key - what an entry is about
 * @where: generation of the device (0: unknown) and number of the object
 * @what: index of the device, type of the object, whether it belongs to a QP
 * @owner: 0: the kernel; else CAUSE_OF_USER and 32 bits that are the real user,
 *	or U32_MAX: unknown. A program with rights of another user
 *	(CAUSE_OF_SETID) has another owner than those of who started it; so has one
 *	in another pid namespace, of whose number there are 30 bits
 */
struct cause_key {
	u64 where;
	u64 what;
	u64 owner;
};

/**
 * struct cause - an entry
 * @next: next in its bucket
 * @list: node in the list of open entries, or in that of the unused or closed
 *	ones of its sort
 * @of: node in the list of the CQ of the last failed completion, if any; of a
 *	user's, in that of who pays for it
 * @sort: &enum cause_sort, never changed
 * @account: account that pays for it, if it is a user's
 * @key: what it is about
 * @flow: upper half: how often it was closed; lower half: requests flushed
 *	since the last record. While the lower half is 0, counting needs the
 *	lock
 * @opened: jiffies when it was opened
 * @last: jiffies of the last failed completion; of a closed entry, when it was
 *	closed
 * @is_open: the entry is in the list of open ones
 * @is_recorded: its first failed completion has a record, or was counted
 * @is_orphan: its cause may have been evicted
 * @is_counted: its failure has no record, as it was counted with others, see burst.c
 * @is_drained: QP_LAST_WQE_REACHED was reported
 * @is_requested: @seq is a request to move the QP to Error, and nothing failed
 *	before
 * @source: source of the record of the first failed completion without a
 *	record of its own; @code, @port and @first belong to the same completion
 * @code: its status
 * @pass: pass of the work that checked it last
 * @folded: failed completions since the last record, except flushed ones
 * @port: port of the QP
 * @seq: seq of the record that others follow from; 0: unknown
 * @event: seq of the event that first reported the failure of a QP; 0: none
 * @cm: seq of the last event of the QP's connection; 0: none
 * @since: errors with this seq or an older one are not causes for this QP
 * @boottime_ns: CLOCK_BOOTTIME of the error of a queue or port
 * @first: record body of the first failed completion without a record
 *
 * Changed with cause_lock held. @next, @key, @flow, @opened and @last are read
 * without it, and @flow and @last also written. Never freed before the table, so
 * a lockless reader may find the entry of another object; @flow shows this.
 */
struct cause {
	struct cause *next;
	struct list_head list;
	struct list_head of;
	u8 sort;
	u16 account;
	struct cause_key key;
	atomic64_t flow;
	unsigned long opened;
	unsigned long last;
	bool is_open;
	bool is_recorded;
	bool is_orphan;
	bool is_counted;
	bool is_drained;
	bool is_requested;
	u8 source;
	u16 code;
	u32 pass;
	u32 folded;
	u32 port;
	u64 seq;
	u64 event;
	u64 cm;
	u64 since;
	u64 boottime_ns;
	struct rdmaev_wc_body first;
};

/*
 * Protects the table. Raw, and with interrupts off: CQs are polled, and events
 * arrive, in any context. The locks of bursts and of the log are taken with it
 * held, so that records are in the order of the changes to the table.
 */
static DEFINE_RAW_SPINLOCK(cause_lock);
static struct cause *causes;		/* NULL until a ULP registers */
static struct cause *cause_buckets[1 << BUCKET_BITS];
static LIST_HEAD(cause_open);		/* of CAUSE_QP alone */
static struct list_head cause_unused[CAUSE_SORTS];
static struct list_head cause_closed[CAUSE_SORTS];	/* by last */

static bool cause_evicted;		/* a cause was evicted */
static unsigned long cause_evicted_at;	/* jiffies of the last one */

#define CAUSE_PAYERS	8	/* how many it takes to fill a sort */

/* Entries of an account, from the oldest on */
struct cause_share {
	struct list_head list;
	unsigned int count;
};

/* Of CAUSE_USER_QP, then of CAUSE_USER_QUEUE; allocated with the table */
static struct cause_share *cause_shares;

/* Time of the last error of a queue: of the kernel, of a user */
static u64 cause_queue_ns[2];

static void cause_work_fn(struct work_struct *unused);
static DECLARE_DELAYED_WORK(cause_work, cause_work_fn);

#define CAUSE_OF_USER	BIT_ULL(63)
#define CAUSE_OF_SETID	BIT_ULL(62)
#define CAUSE_PID_NS	GENMASK_ULL(61, 32)

static u64 cause_owner(const struct rdmaev_record *rec)
{
	const struct rdmaev_object_info *info = &rec->body.info;
	u64 owner = CAUSE_OF_USER;

	if (rec->ring != RDMAEV_RING_USER)
		return 0;
	if (!(info->known & RDMAEV_KNOWN_UID))
		return owner | U32_MAX;
	if (info->known & RDMAEV_KNOWN_SETID)
		owner |= CAUSE_OF_SETID;
	return owner | ((u64)info->pid_ns << 32 & CAUSE_PID_NS) | info->uid;
}

static struct cause_key cause_key(u32 device, u32 generation, u8 type,
				  u32 number, bool is_qp, u64 owner)
{
	return (struct cause_key) {
		.where = (u64)generation << 32 | number,
		.what = (u64)device << 16 | is_qp << 8 | type,
		.owner = owner,
	};
}

/* Of the QP that a record is about */
static struct cause_key cause_key_qp(const struct rdmaev_record *rec)
{
	return cause_key(rec->device, rec->generation, rec->object_type,
			 rec->object, true, cause_owner(rec));
}

/* Of an error of an object on the device of a record, and of the same owner */
static struct cause_key cause_key_error(const struct rdmaev_record *rec,
					u8 type, u32 number)
{
	return cause_key(rec->device, rec->generation, type, number, false,
			 cause_owner(rec));
}

static struct cause **cause_bucket(const struct cause_key *key)
{
	return &cause_buckets[hash_64(key->where ^ key->what << 16 ^
				      key->owner << 24, BUCKET_BITS)];
}

/* Also without the lock, of a key that may change meanwhile */
static bool cause_is_of(const struct cause *c, const struct cause_key *key)
{
	return READ_ONCE(c->key.where) == key->where &&
	       READ_ONCE(c->key.what) == key->what &&
	       READ_ONCE(c->key.owner) == key->owner;
}

static u32 cause_flushed(const struct cause *c)
{
	return (u32)atomic64_read(&c->flow);
}

/*
 * Return the count and reset it. The new upper half of @flow makes a concurrent
 * lockless increment fail.
 */
static u32 cause_take_flow(struct cause *c)
{
	u64 closed = ((u64)atomic64_read(&c->flow) >> 32) + 1;

	return (u32)atomic64_xchg(&c->flow, closed << 32);
}

/* Has the QP failed, or been moved to Error, with a record or without? */
static bool cause_has_failed(const struct cause *c)
{
	return c->seq || c->is_counted;
}

/* Seq of what the end of a QP follows from, 0: unknown */
static u64 cause_of_end(const struct cause *c)
{
	return cause_has_failed(c) ? c->seq : c->cm;
}

static void cause_close(struct cause *c)
{
	u32 flushed = cause_take_flow(c);
	struct rdmaev_record rec = {
		.cause = cause_of_end(c),
		.device = c->key.what >> 16,
		.generation = c->key.where >> 32,
		.port = c->port,
		.kind = RDMAEV_KIND_WC,
		.code = flushed ? IB_WC_WR_FLUSH_ERR : c->code,
		.object_type = c->key.what & U8_MAX,
		.severity = RDMAEV_SEVERITY_ERROR,
		.source = c->source,
		.ring = RDMAEV_RING_ERROR,
		.object = (u32)c->key.where,
		.count = flushed ?: c->folded,
		.body.wc = c->first,
	};

	c->is_open = false;
	WRITE_ONCE(c->last, jiffies);
	list_move_tail(&c->list, &cause_closed[c->sort]);
	if (!rec.count)
		return;
	if (flushed)
		rec.body.wc.folded = c->folded;
	if (flushed && (!cause_has_failed(c) || c->is_requested)) {
		rec.ring = RDMAEV_RING_INFO;
		if (!c->is_orphan)
			rec.severity = RDMAEV_SEVERITY_INFO;
	}
	rdmaev_burst_append_of(&rec);
	c->folded = 0;
}

static bool cause_is_users(enum cause_sort sort)
{
	return sort == CAUSE_USER_QP || sort == CAUSE_USER_QUEUE;
}

static struct cause_share *cause_share(enum cause_sort sort, u16 account)
{
	return &cause_shares[account + (sort == CAUSE_USER_QUEUE ?
					RDMAEV_PAYERS : 0)];
}

static void cause_leave_share(const struct cause *c)
{
	cause_share(c->sort, c->account)->count--;
	rdmaev_payer_give_back(c->account, RDMAEV_SHARE_CAUSES);
}

static void cause_drop(struct cause *c)
{
	struct cause **at = cause_bucket(&c->key);

	if (cause_is_users(c->sort))
		cause_leave_share(c);
	if (c->is_open)
		cause_close(c);
	while (*at != c)
		at = &(*at)->next;
	WRITE_ONCE(*at, c->next);
	list_del_init(&c->of);
	list_move(&c->list, &cause_unused[c->sort]);
}

/*
 * Return the jiffies until @time after @last, 0 if it is over. Reads the clock
 * once.
 */
static unsigned long cause_left(const struct cause *c, unsigned long time)
{
	long left = READ_ONCE(c->last) + time - jiffies;

	return max(left, 0L);
}

static struct cause *cause_find(const struct cause_key *key)
{
	struct cause *c;

	for (c = *cause_bucket(key); c; c = c->next) {
		if (cause_is_of(c, key))
			break;
	}
	if (c && c->sort <= CAUSE_USER_QP && !c->is_open &&
	    !cause_left(c, KEPT)) {
		cause_drop(c);
		return NULL;
	}
	return c;
}

/* Make the entry the last of its sort, and of its share, to be evicted. */
static void cause_is_newest(struct cause *c)
{
	/* It often is already. */
	if (list_is_last(&c->list, &cause_closed[c->sort]))
		return;
	list_move_tail(&c->list, &cause_closed[c->sort]);
	if (cause_is_users(c->sort))
		list_move_tail(&c->of,
			       &cause_share(c->sort, c->account)->list);
}

/*
 * Take one more for a payer. If he has as many as he may, evict his oldest entry.
 * Returns his account.
 */
static u16 cause_join_share(enum cause_sort sort, u32 payer)
{
	/* It never refuses: the sum of both sorts is not what is limited. */
	u16 account = rdmaev_payer_take(payer, RDMAEV_SHARE_CAUSES, U32_MAX);
	struct cause_share *share = cause_share(sort, account);

	if (share->count >= cause_max[sort] / CAUSE_PAYERS)
		cause_drop(list_first_entry(&share->list, struct cause, of));
	share->count++;
	return account;
}

/*
 * Take an unused entry of a sort. If all are used, evict the oldest closed one.
 * If all are open, which only those of CAUSE_QP can be, evict the first of these.
 */
static struct cause *cause_take(enum cause_sort sort)
{
	struct cause *c;

	if (list_empty(&cause_unused[sort])) {
		c = list_first_entry_or_null(&cause_closed[sort], struct cause,
					     list) ?:
		    list_first_entry(&cause_open, struct cause, list);
		if (sort == CAUSE_QP && cause_has_failed(c) &&
		    (c->is_open || cause_left(c, KEPT))) {
			cause_evicted = true;
			cause_evicted_at = jiffies;
		}
		cause_drop(c);
	}
	return list_first_entry(&cause_unused[sort], struct cause, list);
}

/* Add a closed entry. What follows @last is zero. */
static struct cause *cause_begin(enum cause_sort sort,
				 const struct cause_key *key, u32 payer)
{
	struct cause **at = cause_bucket(key);
	u16 account = 0;
	struct cause *c;

	if (cause_is_users(sort))
		account = cause_join_share(sort, payer);
	c = cause_take(sort);
	c->account = account;
	WRITE_ONCE(c->key.where, key->where);
	WRITE_ONCE(c->key.what, key->what);
	WRITE_ONCE(c->key.owner, key->owner);
	WRITE_ONCE(c->last, jiffies);
	memset((u8 *)c + offsetof(struct cause, is_open), 0,
	       sizeof(*c) - offsetof(struct cause, is_open));
	c->is_orphan = cause_evicted &&
		       time_before(jiffies, cause_evicted_at + KEPT);
	cause_is_newest(c);
	WRITE_ONCE(c->next, *at);
	/*
	 * Pairs with READ_ONCE() in rdmaev_cause_count_flush(): the entry is
	 * complete before it is visible.
	 */
	smp_store_release(at, c);
	return c;
}

static void cause_reopen(struct cause *c, struct list_head *of_cq)
{
	if (!c->is_open) {
		c->is_open = true;
		WRITE_ONCE(c->opened, jiffies);
		/* With other open entries the work is due no later. */
		if (list_empty(&cause_open))
			mod_delayed_work(rdmaev_wq, &cause_work, QUIET);
		list_move_tail(&c->list, &cause_open);
	}
	WRITE_ONCE(c->last, jiffies);
	list_move(&c->of, of_cq);
}

/*
 * Return seq of the error of an object if it is newer than @since and less than
 * @max_ns ago, else 0.
 */
static u64 cause_find_error(const struct cause_key *key, u64 since, u64 max_ns)
{
	struct cause *c = cause_find(key);
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

	raw_spin_lock_irqsave(&cause_lock, flags);
	if (!causes)
		goto out;
	c = cause_find(&key) ?: cause_begin(sort, &key, payer);
	WRITE_ONCE(c->last, jiffies);
	cause_is_newest(c);
	c->seq = rec->seq;
	c->boottime_ns = rec->boottime_ns;
	/* After that time the entry goes back to its user's share. */
	if (sort == CAUSE_USER_QUEUE)
		queue_delayed_work(rdmaev_wq, &cause_work, KEPT);
	if (sort != CAUSE_PORT)
		WRITE_ONCE(cause_queue_ns[!!key.owner], rec->boottime_ns);
out:
	raw_spin_unlock_irqrestore(&cause_lock, flags);
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

static struct cause *cause_find_qp(const struct rdmaev_record *rec)
{
	struct cause_key key = cause_key_qp(rec);

	return cause_find(&key);
}

static struct cause *cause_begin_qp(const struct rdmaev_record *rec, u32 payer)
{
	struct cause_key key = cause_key_qp(rec);

	return cause_begin(key.owner ? CAUSE_USER_QP : CAUSE_QP, &key, payer);
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

/* Seq of the newest event with which the port of a record left ACTIVE, else 0 */
static u64 cause_of_port(const struct rdmaev_record *rec)
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
	raw_spin_lock_irqsave(&cause_lock, flags);
	c = info->known & RDMAEV_KNOWN_OBJECT ? cause_find_qp(rec) : NULL;
	if (c)
		since = c->since;
	seq = cause_find_queue_error(rec, since);
	raw_spin_unlock_irqrestore(&cause_lock, flags);
	return seq;
}

/* Keep an entry for KEPT from now on, if it is not open. */
static void cause_keep(struct cause *c)
{
	if (c->is_open)
		return;
	WRITE_ONCE(c->last, jiffies);
	cause_is_newest(c);
	queue_delayed_work(rdmaev_wq, &cause_work, KEPT);
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
	raw_spin_lock_irqsave(&cause_lock, flags);
	if (!causes)
		goto out;
	c = cause_find_qp(rec);
	/* The previous failure was recorded and closed: this is a new one. */
	if (c && c->is_recorded && !c->is_open) {
		cause_drop(c);
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
	raw_spin_unlock_irqrestore(&cause_lock, flags);
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
	raw_spin_lock_irqsave(&cause_lock, flags);
	c = cause_find_qp(rec) ?: cause_begin_qp(rec, payer);
	if (!cause_has_failed(c)) {
		c->seq = rec->seq;
		c->event = rec->seq;
		c->is_requested = true;
	}
	cause_keep(c);
	raw_spin_unlock_irqrestore(&cause_lock, flags);
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
	raw_spin_lock_irqsave(&cause_lock, flags);
	c = cause_find_qp(rec) ?: cause_begin_qp(rec, payer);
	c->cm = rec->seq;
	cause_keep(c);
	raw_spin_unlock_irqrestore(&cause_lock, flags);
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

	raw_spin_lock_irqsave(&cause_lock, flags);
	c = cause_find_qp(rec);
	seq = c ? cause_of_end(c) : 0;
	raw_spin_unlock_irqrestore(&cause_lock, flags);
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
	raw_spin_lock_irqsave(&cause_lock, flags);
	c = cause_find_qp(rec);
	if (c && !c->is_drained) {
		seq = c->event ?: c->seq;
		c->is_drained = true;
	}
	raw_spin_unlock_irqrestore(&cause_lock, flags);
	return seq;
}

/* Keep the first completion that has no record of its own. */
static void cause_keep_first(struct cause *c, const struct rdmaev_record *rec,
			     bool is_flush)
{
	/* A flushed completion takes precedence over others. */
	if (cause_flushed(c) || (c->folded && !is_flush))
		return;
	c->source = rec->source;
	c->port = rec->port;
	c->code = rec->code;
	c->first = rec->body.wc;
}

static void cause_note_wc(struct rdmaev_record *rec, struct list_head *of_cq)
{
	bool is_flush = rec->code == IB_WC_WR_FLUSH_ERR;
	struct cause *c = cause_find_qp(rec);
	bool is_first;
	u64 seq;

	/* The previous failure was recorded and closed: this is a new one. */
	if (c && !is_flush && c->is_recorded && !c->is_open) {
		cause_drop(c);
		c = NULL;
	}
	if (!c)
		c = cause_begin_qp(rec, 0);
	is_first = !c->is_open;
	cause_reopen(c, of_cq);
	/* The QP continues after this status, so it causes no later failure. */
	if (rec->code == IB_WC_REM_ABORT_ERR && is_first) {
		rdmaev_burst_append_of(rec);
		return;
	}
	if (!is_flush && !c->is_recorded && rec->code != IB_WC_REM_ABORT_ERR) {
		/* Earlier REM_ABORT_ERRs do not follow from this one. */
		if (c->folded) {
			cause_close(c);
			cause_reopen(c, of_cq);
		}
		if (rec->code == IB_WC_RETRY_EXC_ERR)
			rec->cause = cause_of_port(rec);
		seq = rdmaev_burst_append_of(rec);
		if (seq || c->is_requested)
			c->seq = seq;
		c->is_counted = !c->seq;
		c->is_recorded = true;
		c->is_requested = false;
		return;
	}
	cause_keep_first(c, rec, is_flush);
	/*
	 * Pairs with atomic64_read_acquire() in rdmaev_cause_count_flush(),
	 * which counts the following ones without the lock.
	 */
	if (is_flush)
		atomic64_inc_return(&c->flow);
	else
		c->folded++;
	if (cause_flushed(c) == U32_MAX ||
	    time_after(jiffies, c->opened + LONG))
		cause_close(c);
}

/**
 * rdmaev_cause_wc - record a failed completion, or count it with its QP
 * @rec: record about the QP, or about the CQ if the QP is unknown
 * @of_cq: causes of the CQ that it was polled from, for rdmaev_cause_end_cq()
 *
 * A ULP must be, or have been, registered.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_wc(struct rdmaev_record *rec, struct list_head *of_cq)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cause_lock, flags);
	cause_note_wc(rec, of_cq);
	raw_spin_unlock_irqrestore(&cause_lock, flags);
}

/**
 * rdmaev_cause_count_flush - count a flushed request of a QP, without a lock
 * @device: index of the device
 * @generation: generation of the device
 * @object_type: object type, as in its record
 * @object: number, as in its record
 *
 * A concurrent change may give an entry to another object. Closing an entry
 * changes the upper half of @flow, so the increment counts only if @flow has
 * not changed since before @key was read. Missing an entry is harmless:
 * rdmaev_cause_wc() finds it.
 *
 * Context: any but NMI.
 *
 * Return: false if this is the first request, or if it needs the lock for
 * another reason: call rdmaev_cause_wc() then.
 */
bool rdmaev_cause_count_flush(u32 device, u32 generation, u8 object_type,
			      u32 object)
{
	struct cause_key key = cause_key(device, generation, object_type,
					 object, true, 0);
	unsigned long now = jiffies;
	struct cause *c;
	s64 flow;

	/* Pairs with smp_store_release() in cause_begin(). */
	for (c = READ_ONCE(*cause_bucket(&key)); c;
	     c = READ_ONCE(c->next)) {
		/*
		 * Pairs with atomic64_inc_return() in cause_note_wc(): the key
		 * is read after the count.
		 */
		flow = atomic64_read_acquire(&c->flow);
		if (!cause_is_of(c, &key))
			continue;
		if (!(u32)flow || (u32)flow == U32_MAX ||
		    time_after(now, READ_ONCE(c->opened) + LONG))
			return false;
		if (READ_ONCE(c->last) != now)
			WRITE_ONCE(c->last, now);
		return atomic64_try_cmpxchg(&c->flow, &flow, flow + 1);
	}
	return false;
}

/**
 * rdmaev_cause_end_cq - record flushed requests before a CQ is destroyed
 * @of_cq: as of rdmaev_cause_wc()
 */
void rdmaev_cause_end_cq(struct list_head *of_cq)
{
	unsigned long flags;
	struct cause *c;

	/* One at a time: there may be many, and interrupts are off. */
	do {
		raw_spin_lock_irqsave(&cause_lock, flags);
		c = list_first_entry_or_null(of_cq, struct cause, of);
		if (c)
			cause_drop(c);
		raw_spin_unlock_irqrestore(&cause_lock, flags);
	} while (c);
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

	raw_spin_lock_irqsave(&cause_lock, flags);
	c = cause_find_qp(rec);
	if (c)
		cause_drop(c);
	/*
	 * Errors of queues are rare and expire by themselves after
	 * QUEUE_MAX_NS.
	 */
	if (causes && cause_find_queue_error(rec, 0)) {
		cause_begin_qp(rec, payer)->since = rdmaev_log_newest();
		queue_delayed_work(rdmaev_wq, &cause_work, KEPT);
	}
	raw_spin_unlock_irqrestore(&cause_lock, flags);
}

/* See <rdma/rdmaev_ulp.h>. */
void rdmaev_qp_flushed(const struct ib_qp *qp)
{
	struct rdmaev_record rec = {};
	u32 payer = rdmaev_cause_flush_begin(&rec, qp);

	rdmaev_cause_flush(&rec, payer);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_flushed);

/* Check one open entry. Returns false after the last one of the pass. */
static bool cause_close_one(u32 pass, unsigned long *again)
{
	struct cause *c = list_first_entry_or_null(&cause_open, struct cause,
						   list);
	unsigned long left;

	if (!c || c->pass == pass)
		return false;
	c->pass = pass;
	left = cause_left(c, QUIET);
	if (!left) {
		cause_close(c);
	} else {
		list_move_tail(&c->list, &cause_open);
		*again = min(*again, max_t(unsigned long, left, PASS));
	}
	return true;
}

static bool cause_expire_one(enum cause_sort sort, unsigned long *again)
{
	struct cause *c = list_first_entry_or_null(&cause_closed[sort],
						   struct cause, list);
	unsigned long left;

	if (!c)
		return false;
	left = cause_left(c, KEPT);
	if (left) {
		*again = min(*again, left);
		return false;
	}
	cause_drop(c);
	return true;
}

static void cause_work_fn(struct work_struct *unused)
{
	unsigned long flags, again = MAX_JIFFY_OFFSET;
	static u32 pass;
	bool more;

	pass++;
	/* One at a time: there may be many, and interrupts are off. */
	do {
		raw_spin_lock_irqsave(&cause_lock, flags);
		more = cause_close_one(pass, &again) ||
		       cause_expire_one(CAUSE_QP, &again) ||
		       cause_expire_one(CAUSE_USER_QP, &again) ||
		       cause_expire_one(CAUSE_USER_QUEUE, &again);
		/*
		 * An event may have queued it meanwhile, for a much later time.
		 */
		if (!more && again < MAX_JIFFY_OFFSET)
			mod_delayed_work(rdmaev_wq, &cause_work, again);
		raw_spin_unlock_irqrestore(&cause_lock, flags);
		cond_resched();
	} while (more);
}

/** rdmaev_causes_prepare - allocate for the first ULP; 0 or -ENOMEM */
int rdmaev_causes_prepare(void)
{
	static DEFINE_MUTEX(lock);	/* one caller at a time */
	unsigned int n = 0, sort, i;
	struct cause_share *shares;
	struct cause *all, *c;
	unsigned long flags;
	int ret = 0;

	mutex_lock(&lock);
	if (causes)
		goto out;
	for (sort = 0; sort < CAUSE_SORTS; sort++)
		n += cause_max[sort];
	all = kvcalloc(n, sizeof(*all), GFP_KERNEL);
	shares = kvcalloc(2 * RDMAEV_PAYERS, sizeof(*shares), GFP_KERNEL);
	if (!all || !shares) {
		kvfree(all);
		kvfree(shares);
		ret = -ENOMEM;
		goto out;
	}
	for (i = 0; i < 2 * RDMAEV_PAYERS; i++)
		INIT_LIST_HEAD(&shares[i].list);
	for (c = all, sort = 0; sort < CAUSE_SORTS; sort++) {
		INIT_LIST_HEAD(&cause_unused[sort]);
		INIT_LIST_HEAD(&cause_closed[sort]);
		for (i = 0; i < cause_max[sort]; i++, c++) {
			c->sort = sort;
			INIT_LIST_HEAD(&c->of);
			list_add_tail(&c->list, &cause_unused[sort]);
		}
	}
	/*
	 * Until then nobody looks at the lists: who adds an entry has seen
	 * @causes, or is called after this returned, and the work runs only
	 * once there is an entry.
	 */
	raw_spin_lock_irqsave(&cause_lock, flags);
	cause_shares = shares;
	causes = all;
	raw_spin_unlock_irqrestore(&cause_lock, flags);
out:
	mutex_unlock(&lock);
	return ret;
}

/** rdmaev_causes_exit - free the table; no CQs are left and no events arrive */
void rdmaev_causes_exit(void)
{
	cancel_delayed_work_sync(&cause_work);
	kvfree(causes);
	kvfree(cause_shares);
}
