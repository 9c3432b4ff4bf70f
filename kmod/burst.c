// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bursts: the first of several equal asynchronous events is recorded at once.
 * Repetitions within burst_ms are counted, and their number is recorded when
 * that time is over. The sum of the counts is the number of events.
 *
 * Only events of severity info about objects, and GID_CHANGE, are folded, as no
 * others repeat that often. Events are equal if code, device, port, object and
 * source are; the record has the related objects (CQs) of the first event.
 * Events of an object whose number is unknown cannot be compared.
 *
 * At most BURSTS bursts exist at a time. Further events are recorded one by
 * one.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "burst.h"
#include "count.h"
#include "work.h"

#define BURSTS		1024
#define BUCKET_BITS	8

unsigned int rdmaev_burst_ms = 1000;
module_param_named(burst_ms, rdmaev_burst_ms, uint, 0644);
MODULE_PARM_DESC(burst_ms, "milliseconds in which repetitions of an info event of a QP, CQ, SRQ or WQ, or of GID_CHANGE of a port, are folded into one record after the first (default 1000, 0: never)");

/**
 * struct burst - an event that may repeat
 * @hash: node in its bucket
 * @list: node in bursts_unused, or in bursts_open in the order of @until
 * @until: jiffies when the burst ends
 * @count: number of repetitions
 * @rec: record of the first event
 */
struct burst {
	struct hlist_node hash;
	struct list_head list;
	unsigned long until;
	u32 count;
	struct rdmaev_record rec;
};

/*
 * Protects the table. Raw, and with interrupts off: events arrive in hard
 * interrupt. The log's lock is taken with it held, so that the record of a
 * burst precedes the first record of the next one.
 */
static DEFINE_RAW_SPINLOCK(burst_lock);
static struct burst *bursts;
static struct hlist_head burst_buckets[1 << BUCKET_BITS];
static LIST_HEAD(bursts_unused);
static LIST_HEAD(bursts_open);

static void burst_end_due(struct work_struct *work);
static DECLARE_DELAYED_WORK(burst_work, burst_end_due);

static bool burst_is_same(const struct rdmaev_record *a,
			  const struct rdmaev_record *b)
{
	return a->generation == b->generation && a->device == b->device &&
	       a->port == b->port && a->code == b->code &&
	       a->object_type == b->object_type && a->object == b->object &&
	       a->source == b->source && a->pid == b->pid &&
	       (!rdmaev_has_body(a) ||
		(a->body.info.uid == b->body.info.uid &&
		 !memcmp(a->body.info.source_name, b->body.info.source_name,
			 sizeof(a->body.info.source_name))));
}

static struct hlist_head *burst_bucket(const struct rdmaev_record *rec)
{
	return &burst_buckets[hash_32(rec->object ^ rec->generation << 16 ^
				      rec->port << 8 ^ rec->code, BUCKET_BITS)];
}

static struct burst *burst_find(const struct rdmaev_record *rec)
{
	struct burst *burst;

	hlist_for_each_entry(burst, burst_bucket(rec), hash) {
		if (burst_is_same(&burst->rec, rec))
			return burst;
	}
	return NULL;
}

static void burst_begin(const struct rdmaev_record *rec, unsigned long window)
{
	struct burst *burst = list_first_entry_or_null(&bursts_unused,
						       struct burst, list);
	struct burst *before;

	if (!burst)
		return;
	burst->until = jiffies + window;
	burst->count = 0;
	burst->rec = *rec;
	hlist_add_head(&burst->hash, burst_bucket(rec));
	/* Usually last, but not if burst_ms was reduced since others began. */
	list_for_each_entry_reverse(before, &bursts_open, list) {
		if (time_before_eq(before->until, burst->until))
			break;
	}
	list_move(&burst->list, &before->list);
	if (list_is_first(&burst->list, &bursts_open))
		mod_delayed_work(rdmaev_wq, &burst_work, window);
}

static void burst_end(struct burst *burst)
{
	struct rdmaev_record *rec = &burst->rec;

	hlist_del(&burst->hash);
	list_move(&burst->list, &bursts_unused);
	if (!burst->count)
		return;
	rec->cause = rec->seq;
	rec->count = burst->count;
	rdmaev_append_of(rec);
}

/**
 * rdmaev_burst_fold - count an event with its burst, or record it and begin one
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(), with a count of 1; rdmaev_is_foldable()
 *
 * Context: as rdmaev_append().
 *
 * Return: seq of the record, or of the first record of the burst; also set in
 * @rec.
 */
u64 rdmaev_burst_fold(struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	unsigned int ms = READ_ONCE(rdmaev_burst_ms);
	struct burst *burst;
	unsigned long flags;

	raw_spin_lock_irqsave(&burst_lock, flags);
	burst = burst_find(rec);
	/* The work may be late, and a count may be at its maximum. */
	if (burst && (time_after_eq(jiffies, burst->until) ||
		      burst->count == U32_MAX)) {
		burst_end(burst);
		burst = NULL;
	}
	if (burst) {
		burst->count++;
		rec->seq = burst->rec.seq;
		rec->boottime_ns = ktime_get_boot_fast_ns();
	} else {
		rdmaev_append(dev, rec);
		burst_begin(rec, max(msecs_to_jiffies(ms), 1UL));
	}
	raw_spin_unlock_irqrestore(&burst_lock, flags);
	return rec->seq;
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
