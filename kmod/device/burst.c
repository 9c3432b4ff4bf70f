// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bursts: the first of several equal events are recorded at once. Repetitions
 * within burst_ms are counted, and their number is recorded when that time is
 * over. The sum of the counts is the number of events.
 *
 * Of objects of the kernel, asynchronous events of severity info and GID_CHANGE
 * are folded from the first on. They are equal if code, device, port, object and
 * source are; the record has the related objects (CQs) of the first event. Events
 * of an object whose number is unknown cannot be compared.
 *
 * Events of QPs, CQs, SRQs and connections of the kernel can be the work of who
 * reaches a ULP through the network. Of these, and of the first events of their
 * bursts, a ULP may have a share on a device, see ulp_share.c. Those above that are
 * folded, in bursts that are ULP_BURST times as long and have no record of their first
 * event. They are equal if ULP, kind, code, severity, result, device, port and source
 * are, of whatever object; but not the reason of a refusal, which a peer chooses.
 *
 * Of objects of processes, all events are: a process can make as many as it
 * likes. The first BURST_SINGLES are recorded at once, fewer if half of what the
 * payer may cause is used up. They are equal if the process, kind, code, result,
 * device, port and source are, of whatever object. What is left is limited by
 * payer.c.
 *
 * A record that has the count of events of whatever object, or reason, has one only if
 * all of them had the same.
 *
 * At most BURSTS bursts exist at a time, BURSTS_USER of them of processes and
 * BURSTS_PAYER of one payer. Further events are recorded one by one, as are those of
 * processes whose user is unknown; for one of a ULP above its share, the burst that is
 * due next ends.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "access.h"
#include "burst.h"
#include "burst_record.h"
#include "count.h"
#include "device.h"
#include "device_table.h"
#include "log/log.h"
#include "payer.h"
#include "ulp_share.h"
#include "work.h"

#define BURSTS		1536
#define BURSTS_USER	512
#define BURSTS_PAYER	128
#define BURST_SINGLES	16
#define ULP_BURST	16
#define BUCKET_BITS	8

unsigned int rdmaev_burst_ms = 1000;
module_param_named(burst_ms, rdmaev_burst_ms, uint, 0644);
MODULE_PARM_DESC(burst_ms, "milliseconds in which repetitions of an event of a process, of an info event of a QP, CQ, SRQ or WQ, or of GID_CHANGE of a port, are folded into one record after the first; sixteen times as long for what a ULP has above its share of a ring (default 1000, 0: never)");

/* What the events of a burst have in common, see above */
enum burst_type {
	BURST_OBJECT,		/* an object of the kernel */
	BURST_PROCESS,
	BURST_ULP,		/* a ULP above its share */
	BURST_TYPES,
};

/**
 * struct burst - an event that may repeat
 * @hash: node in its bucket
 * @list: node in bursts_unused, or in bursts_open in the order of @until
 * @until: jiffies when the burst ends
 * @recorded: number of events with a record of their own
 * @count: sum of the counts of others
 * @is_mixed: these are about several objects
 * @type: &enum burst_type
 * @account: account that pays for it, if it is of a process; -1: root
 * @rec: record of the first event; seq is 0 if that has none of its own
 */
struct burst {
	struct hlist_node hash;
	struct list_head list;
	unsigned long until;
	u32 recorded;
	u32 count;
	bool is_mixed;
	u8 type;
	int account;
	struct rdmaev_record rec;
};

/*
 * Protects the table. Raw, and with interrupts off: events arrive in hard
 * interrupt. The log's lock is taken with it held, so that the record of a
 * burst precedes the first record of the next one.
 */
static DEFINE_RAW_SPINLOCK(burst_lock);
static struct burst *bursts;
static struct hlist_head burst_buckets[BURST_TYPES][1 << BUCKET_BITS];
static LIST_HEAD(bursts_unused);
static LIST_HEAD(bursts_open);
static unsigned int bursts_user;	/* of processes */
static unsigned int bursts_root;	/* of these, of root */

static void burst_end_due(struct work_struct *work);
static DECLARE_DELAYED_WORK(burst_work, burst_end_due);

/* Bytes of a record from device on, where it has no gap */
#define BURST_UP_TO(member)						\
	(offsetofend(struct rdmaev_record, member) -			\
	 offsetof(struct rdmaev_record, device))

static __always_inline bool burst_is_same(const struct rdmaev_record *a,
					  const struct rdmaev_record *b,
					  enum burst_type type)
{
	static_assert(BURST_UP_TO(code) == 16 && BURST_UP_TO(object) == 24);

	if (type == BURST_OBJECT)
		return !memcmp(&a->device, &b->device, BURST_UP_TO(object)) &&
		       (!rdmaev_has_body(a) || rdmaev_burst_has_same_owner(a, b));
	if (memcmp(&a->device, &b->device, BURST_UP_TO(code)) ||
	    a->severity != b->severity || a->source != b->source ||
	    a->ring != b->ring)
		return false;
	if (type == BURST_ULP)
		return rdmaev_burst_has_same_result(a, b) && rdmaev_burst_has_same_owner(a, b);
	return a->pid == b->pid && a->body.info.uid == b->body.info.uid &&
	       a->body.info.pid_ns == b->body.info.pid_ns &&
	       !((a->body.info.known ^ b->body.info.known) & RDMAEV_KNOWN_OWNER) &&
	       rdmaev_burst_result(a) == rdmaev_burst_result(b);
}

static __always_inline struct hlist_head *
burst_bucket(const struct rdmaev_record *rec, enum burst_type type)
{
	u64 what = rec->port | (u64)rec->kind << 32 | (u64)rec->code << 48;
	u64 where = (u64)rec->generation << 32;

	if (type == BURST_OBJECT)
		where |= rec->object;
	else if (type == BURST_PROCESS)
		where |= rec->pid;
	return &burst_buckets[type][hash_64(what ^ where, BUCKET_BITS)];
}

static __always_inline struct burst *
burst_find(const struct rdmaev_record *rec, enum burst_type type)
{
	struct burst *burst;

	hlist_for_each_entry(burst, burst_bucket(rec, type), hash) {
		if (burst_is_same(&burst->rec, rec, type))
			return burst;
	}
	return NULL;
}

/*
 * Take a burst for a payer. Returns false if he has as many as he may. Root, whose
 * records have no limit, needs no account.
 */
static bool burst_pay(u32 payer, int *account)
{
	*account = -1;
	if (bursts_user >= BURSTS_USER)
		return false;
	if (!payer) {
		if (bursts_root >= BURSTS_PAYER)
			return false;
		bursts_root++;
	} else {
		*account = rdmaev_payer_charge(payer, RDMAEV_SHARE_BURSTS,
					       BURSTS_PAYER);
		if (*account < 0)
			return false;
	}
	bursts_user++;
	return true;
}

static void burst_give_back(int account)
{
	if (account < 0)
		bursts_root--;
	else
		rdmaev_payer_uncharge(account, RDMAEV_SHARE_BURSTS);
	bursts_user--;
}

/* Returns NULL if there is no room. */
static struct burst *burst_begin(const struct rdmaev_record *rec,
				 enum burst_type type, u32 payer,
				 unsigned long window)
{
	struct burst *burst = list_first_entry_or_null(&bursts_unused,
						       struct burst, list);
	struct burst *before;
	int account = -1;

	if (!burst || (type == BURST_PROCESS && !burst_pay(payer, &account)))
		return NULL;
	burst->until = jiffies + window;
	burst->recorded = 1;
	burst->count = 0;
	burst->is_mixed = false;
	burst->type = type;
	burst->account = account;
	burst->rec = *rec;
	hlist_add_head(&burst->hash, burst_bucket(rec, type));
	/* Usually last, but for those of ULPs, which are few. */
	list_for_each_entry_reverse(before, &bursts_open, list) {
		if (time_before_eq(before->until, burst->until))
			break;
	}
	list_move(&burst->list, &before->list);
	if (list_is_first(&burst->list, &bursts_open))
		mod_delayed_work(rdmaev_wq, &burst_work, window);
	return burst;
}

static void burst_end(struct burst *burst)
{
	struct rdmaev_record *rec = &burst->rec;

	hlist_del(&burst->hash);
	list_move(&burst->list, &bursts_unused);
	if (burst->type == BURST_PROCESS)
		burst_give_back(burst->account);
	if (!burst->count)
		return;
	if (burst->is_mixed)
		rdmaev_burst_forget_object(rec);
	if (rec->seq)
		rec->cause = rec->seq;
	rec->count = burst->count;
	rdmaev_append_of(rec);
}

/* Count an event that is folded, of whatever object. */
static void burst_count(struct burst *burst, struct rdmaev_record *rec)
{
	burst->count += rec->count;
	burst->is_mixed |= !rdmaev_burst_has_same_object(&burst->rec, rec) ||
			   !(rec->body.info.known & RDMAEV_KNOWN_OBJECT);
	rec->boottime_ns = ktime_get_boot_fast_ns();
	/* What follows from an event of one object follows from no other. */
	rec->seq = 0;
}

/* Is there no room for a record in the sums of a burst? */
static __always_inline bool burst_is_full(const struct burst *burst,
					  const struct rdmaev_record *rec,
					  enum burst_type type)
{
	return rec->count > U32_MAX - burst->count ||
	       (type != BURST_OBJECT && rec->kind == RDMAEV_KIND_WC &&
		rec->body.wc.folded > U32_MAX - burst->rec.body.wc.folded);
}

/* End the burst that a record would belong to if it is due, else return it. */
static __always_inline struct burst *
burst_find_open(const struct rdmaev_record *rec, enum burst_type type)
{
	struct burst *burst = burst_find(rec, type);

	/* The work may be late. */
	if (!burst || (time_before(jiffies, burst->until) &&
		       !burst_is_full(burst, rec, type)))
		return burst;
	burst_end(burst);
	return NULL;
}

/* Count an event of a ULP that may have no record, with the others. */
static void burst_ulp_fold(struct rdmaev_record *rec, unsigned int ms)
{
	unsigned long window = min_t(unsigned long, msecs_to_jiffies(ms),
				     MAX_JIFFY_OFFSET / ULP_BURST);
	struct burst *burst = burst_find_open(rec, BURST_ULP);

	if (burst) {
		burst_count(burst, rec);
		rdmaev_burst_merge(&burst->rec, rec);
		return;
	}
	rec->seq = 0;
	rec->boottime_ns = ktime_get_boot_fast_ns();
	if (list_empty(&bursts_unused))
		burst_end(list_first_entry(&bursts_open, struct burst, list));
	burst = burst_begin(rec, BURST_ULP, 0, max(ULP_BURST * window, 1UL));
	burst->recorded = 0;
	burst->count = rec->count;
}

/**
 * rdmaev_burst_ulp - record an event of an object of a ULP, or count it with others
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(); rdmaev_is_of_ulp()
 *
 * Context: as rdmaev_append().
 *
 * Return: as rdmaev_burst_append().
 */
u64 rdmaev_burst_ulp(struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	unsigned int ms = READ_ONCE(rdmaev_burst_ms);
	unsigned long flags;

	raw_spin_lock_irqsave(&burst_lock, flags);
	if (!ms || rdmaev_ulp_may_record(dev, rec->body.info.owner, rec->ring))
		rdmaev_append(dev, rec);
	else
		burst_ulp_fold(rec, ms);
	raw_spin_unlock_irqrestore(&burst_lock, flags);
	return rec->seq;
}

/* jiffies of @ms, at least one */
static unsigned long burst_window(unsigned int ms)
{
	return max(msecs_to_jiffies(ms), 1UL);
}

/* Record an event of the kernel that may repeat, and begin its burst, or count it. */
static noinline void burst_begin_of_kernel(struct rdmaev_dev *dev,
					   struct rdmaev_record *rec)
{
	unsigned int ms = READ_ONCE(rdmaev_burst_ms);

	if (rec->source == RDMAEV_SOURCE_HANDLER || !ms ||
	    rdmaev_ulp_may_record(dev, rec->body.info.owner, rec->ring)) {
		rdmaev_append(dev, rec);
		if (ms)
			burst_begin(rec, BURST_OBJECT, 0, burst_window(ms));
		return;
	}
	/* As it is not about one object, it is no foldable event any more. */
	rec->object = 0;
	rec->body.info.known &= ~RDMAEV_KNOWN_OBJECT;
	burst_ulp_fold(rec, ms);
}

/**
 * rdmaev_burst_fold - count an event of the kernel with its burst, or record it and
 * begin one
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(), with a count of 1; rdmaev_is_foldable()
 *
 * Context: as rdmaev_append().
 *
 * Return: as rdmaev_burst_append().
 */
u64 rdmaev_burst_fold(struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	struct burst *burst;
	unsigned long flags;

	raw_spin_lock_irqsave(&burst_lock, flags);
	burst = burst_find_open(rec, BURST_OBJECT);
	if (likely(burst)) {
		burst->count++;
		rec->seq = burst->rec.seq;
	} else {
		burst_begin_of_kernel(dev, rec);
	}
	raw_spin_unlock_irqrestore(&burst_lock, flags);
	return rec->seq;
}

/* Record an event of a process, and begin its burst, or count it. */
static void burst_begin_of_process(struct rdmaev_dev *dev,
				   struct rdmaev_record *rec, u32 payer,
				   bool can_fold)
{
	unsigned int ms = READ_ONCE(rdmaev_burst_ms);

	if (rdmaev_payer_may_record(payer, false)) {
		rdmaev_append(dev, rec);
		if (can_fold && ms)
			burst_begin(rec, BURST_PROCESS, payer, burst_window(ms));
	} else {
		rdmaev_count(dev, rec->port, rec->kind, rec->code);
		rec->seq = 0;
	}
}

/**
 * rdmaev_burst_process - count an event of a process, or record it and begin a burst
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(); of RDMAEV_RING_USER
 * @payer: as for rdmaev_burst_append()
 *
 * Context: as rdmaev_append().
 *
 * Return: as rdmaev_burst_append().
 */
u64 rdmaev_burst_process(struct rdmaev_dev *dev, struct rdmaev_record *rec,
			 u32 payer)
{
	/* Of an unknown user it could be of several. */
	bool can_fold = rec->body.info.known & RDMAEV_KNOWN_UID;
	struct burst *burst = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&burst_lock, flags);
	if (can_fold)
		burst = burst_find_open(rec, BURST_PROCESS);
	if (!burst) {
		burst_begin_of_process(dev, rec, payer, can_fold);
	} else if (burst->recorded < BURST_SINGLES &&
		   rdmaev_payer_may_record(payer, true)) {
		burst->recorded++;
		rdmaev_append(dev, rec);
	} else {
		burst_count(burst, rec);
	}
	raw_spin_unlock_irqrestore(&burst_lock, flags);
	return rec->seq;
}

/**
 * rdmaev_burst_append_of - find the device of a record of a ULP by its generation,
 * then record or count it
 * @rec: as for rdmaev_burst_append()
 *
 * Context: as rdmaev_append().
 *
 * Return: as rdmaev_burst_append().
 */
u64 rdmaev_burst_append_of(struct rdmaev_record *rec)
{
	u64 seq;

	rcu_read_lock();
	seq = rdmaev_burst_append(rdmaev_device_find(rec->generation), rec, 0);
	rcu_read_unlock();
	return seq;
}

/*
 * End one burst if it is due, with the lock held. Returns false if none is due;
 * @again is then set to the jiffies until the next, 0 if there is none.
 */
static bool burst_end_one(unsigned long *again)
{
	struct burst *burst = list_first_entry_or_null(&bursts_open,
						       struct burst, list);
	long left;

	*again = 0;
	if (!burst)
		return false;
	left = burst->until - jiffies;
	if (left > 0) {
		*again = left;
		return false;
	}
	burst_end(burst);
	return true;
}

static void burst_end_due(struct work_struct *work)
{
	unsigned long flags, again;
	bool more;

	/* One at a time: there may be many, and interrupts are off. */
	do {
		raw_spin_lock_irqsave(&burst_lock, flags);
		more = burst_end_one(&again);
		if (again)
			mod_delayed_work(rdmaev_wq, &burst_work, again);
		raw_spin_unlock_irqrestore(&burst_lock, flags);
		cond_resched();
	} while (more);
}

static struct burst *burst_find_of(u32 generation)
{
	struct burst *burst;

	list_for_each_entry(burst, &bursts_open, list) {
		if (burst->rec.generation == generation)
			return burst;
	}
	return NULL;
}

/** rdmaev_burst_end - end the bursts of a device that is being removed */
void rdmaev_burst_end(u32 generation)
{
	struct burst *burst;
	unsigned long flags;

	do {
		raw_spin_lock_irqsave(&burst_lock, flags);
		burst = burst_find_of(generation);
		if (burst)
			burst_end(burst);
		raw_spin_unlock_irqrestore(&burst_lock, flags);
	} while (burst);
}

/** rdmaev_burst_init - allocate; before the first event; 0 or -ENOMEM */
int rdmaev_burst_init(void)
{
	int i;

	bursts = kvcalloc(BURSTS, sizeof(*bursts), GFP_KERNEL);
	if (!bursts)
		return -ENOMEM;
	for (i = 0; i < BURSTS; i++)
		list_add_tail(&bursts[i].list, &bursts_unused);
	return 0;
}

/** rdmaev_burst_exit - free the table; no more events arrive */
void rdmaev_burst_exit(void)
{
	cancel_delayed_work_sync(&burst_work);
	kvfree(bursts);
}
