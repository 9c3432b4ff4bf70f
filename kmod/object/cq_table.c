// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of CQs */
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "cq.h"
#include "cq_table.h"
#include "device/device.h"
#include "device/device_table.h"
#include "list_page.h"

#define BUCKET_BITS	13

/*
 * Protects the table and rdmaev_dev.cq_sums, and keeps a CQ found in the table
 * from being destroyed. Taken in process context, below the core's locks. With
 * it held, only raw locks, notify.lock and RCU are taken, no driver is called,
 * and no memory is allocated: an allocation may wait until another CQ is
 * destroyed or created.
 */
static DEFINE_MUTEX(cqs_lock);
static struct rb_root cqs_by_id = RB_ROOT;	/* in order of creation */
static u64 cqs_last_id;
static u32 cqs_count;			/* read without the lock */
static u32 cqs_added, cqs_removed;	/* in total */
static LIST_HEAD(cqs_summed);		/* struct rdmaev_cq_sums */

/*
 * By address of the CQ; read under RCU. The lock protects changes of the
 * buckets. Raw: the observer finds CQs in any context.
 */
static DEFINE_RAW_SPINLOCK(buckets_lock);
static struct hlist_head cq_buckets[1 << BUCKET_BITS];

/* Observed CQs that are in their bucket, and have no id yet */
static LLIST_HEAD(cqs_found);

/** rdmaev_cqs_is_empty - test whether there are no CQs */
bool rdmaev_cqs_is_empty(void)
{
	return !READ_ONCE(cqs_count);
}

static struct hlist_head *cqs_bucket(const struct ib_cq *ib_cq)
{
	return &cq_buckets[hash_ptr(ib_cq, BUCKET_BITS)];
}

/**
 * rdmaev_cq_find - look up a CQ
 * @ib_cq: its address; the CQ need not exist
 *
 * Context: any but NMI, under RCU.
 *
 * Return: the state of the CQ, NULL if it is not in the table.
 */
struct rdmaev_cq_state *rdmaev_cq_find(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq;

	hlist_for_each_entry_rcu(cq, cqs_bucket(ib_cq), by_cq) {
		if (cq->pub.cq == ib_cq)
			return cq;
	}
	return NULL;
}

/* Insert a CQ whose id is larger than all others. */
static void cqs_insert(struct rdmaev_cq_state *cq)
{
	struct rb_node **link = &cqs_by_id.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = &parent->rb_right;
	}
	rb_link_node(&cq->by_id, parent, link);
	rb_insert_color(&cq->by_id, &cqs_by_id);
}

/*
 * Called with cqs_lock held. The id says when the CQ was created, and not how many CQs
 * there were before, which would count those of others. In microseconds, so that
 * JavaScript has numbers for it.
 */
static void cqs_give_id(struct rdmaev_cq_state *cq)
{
	cqs_last_id = max(cqs_last_id + 1, div_u64(cq->since_ns, NSEC_PER_USEC));
	cq->id = cqs_last_id;
	cqs_insert(cq);
	WRITE_ONCE(cqs_count, cqs_count + 1);
	cqs_added++;
}

/*
 * Give their id to CQs that the observer has found. Called with cqs_lock held,
 * by all who walk by id.
 */
static void cqs_set_ids(void)
{
	struct llist_node *found = llist_del_all(&cqs_found);
	struct rdmaev_cq_state *cq, *next;

	/* The oldest first */
	found = llist_reverse_order(found);
	llist_for_each_entry_safe(cq, next, found, found)
		cqs_give_id(cq);
}

/** rdmaev_cqs_set_ids - give their id to CQs that the observer has found */
void rdmaev_cqs_set_ids(void)
{
	mutex_lock(&cqs_lock);
	cqs_set_ids();
	mutex_unlock(&cqs_lock);
}

/* Called with buckets_lock held. */
static struct rdmaev_cq_state *cqs_find(const struct ib_cq *ib_cq,
					bool is_observed)
{
	struct rdmaev_cq_state *cq;

	hlist_for_each_entry(cq, cqs_bucket(ib_cq), by_cq) {
		if (cq->pub.cq == ib_cq && !cq->plain == !is_observed)
			return cq;
	}
	return NULL;
}

/*
 * Before an observed CQ of the same address in the bucket, so that
 * rdmaev_cq_find() finds the CQ of its ULP. Returns false if there is one of a
 * ULP, or an observed one that this would be another of.
 */
static bool cqs_add_to_bucket(struct rdmaev_cq_state *cq)
{
	const struct ib_cq *ib_cq = cq->pub.cq;
	unsigned long flags;
	bool is_new;

	raw_spin_lock_irqsave(&buckets_lock, flags);
	is_new = !cqs_find(ib_cq, false) &&
		 (!cq->plain || !cqs_find(ib_cq, true));
	if (is_new)
		hlist_add_head_rcu(&cq->by_cq, cqs_bucket(ib_cq));
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	return is_new;
}

/*
 * Let an attachment count with the first attachment of its CQ. Called with cqs_lock held,
 * so the first stays in the table. Returns false if the CQ is not attached.
 */
static bool cqs_share(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_state *first;
	unsigned long flags;

	raw_spin_lock_irqsave(&buckets_lock, flags);
	first = cqs_find(cq->pub.cq, false);
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	if (!first || first->pub.kind != RDMAEV_CQ_KIND_ATTACHED)
		return false;
	first->more++;
	/* With one ULP, an attachment of it is always left, so its name can be read. */
	if (first->ulp != cq->ulp)
		first->is_shared = true;
	cq->first = first;
	return true;
}

/**
 * rdmaev_cqs_add - add a CQ to the table
 * @cq: CQ. If it is attached already, only @first is set, for another attachment
 *
 * Return: 0; -EBUSY: it is in the table, and one of both is not an attachment.
 */
int rdmaev_cqs_add(struct rdmaev_cq_state *cq)
{
	int ret = -EBUSY;

	cq->device = cq->ib->index;
	rdmaev_cq_set_number(cq, cq->pub.cq);
	mutex_lock(&cqs_lock);
	cqs_set_ids();
	if (cqs_add_to_bucket(cq)) {
		ret = 0;
		cqs_give_id(cq);
	} else if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED && cqs_share(cq)) {
		ret = 0;
	}
	mutex_unlock(&cqs_lock);
	return ret;
}

/**
 * rdmaev_cqs_add_observed - add an observed CQ to the table
 * @cq: CQ
 *
 * It gets its id later.
 *
 * Context: any but NMI, under RCU.
 *
 * Return: false if it is there, observed or not.
 */
bool rdmaev_cqs_add_observed(struct rdmaev_cq_state *cq)
{
	if (!cqs_add_to_bucket(cq))
		return false;
	llist_add(&cq->found, &cqs_found);
	return true;
}

/* Called with buckets_lock held. It can still be found under RCU. */
static void cqs_end(struct rdmaev_cq_state *cq)
{
	hlist_del_init_rcu(&cq->by_cq);
	WRITE_ONCE(cq->is_ended, true);
}

/**
 * rdmaev_cqs_end_observed - take an observed CQ out of its bucket
 * @ib_cq: CQ, not dereferenced
 *
 * It is listed no more, and counts in its device.
 *
 * Context: any but NMI.
 *
 * Return: the CQ, for rdmaev_cqs_remove() after an RCU grace period; NULL if it
 * is not observed.
 */
struct rdmaev_cq_state *rdmaev_cqs_end_observed(const struct ib_cq *ib_cq)
{
	struct rdmaev_cq_state *cq;
	unsigned long flags;

	raw_spin_lock_irqsave(&buckets_lock, flags);
	cq = cqs_find(ib_cq, true);
	if (cq)
		cqs_end(cq);
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	return cq;
}

/**
 * rdmaev_cqs_end - take an observed CQ out of its bucket
 * @cq: CQ, found under RCU
 *
 * Return: true if it was there, so that the caller has to remove it.
 */
bool rdmaev_cqs_end(struct rdmaev_cq_state *cq)
{
	unsigned long flags;
	bool is_first;

	raw_spin_lock_irqsave(&buckets_lock, flags);
	is_first = !cq->is_ended;
	if (is_first)
		cqs_end(cq);
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	return is_first;
}

/**
 * rdmaev_cqs_end_next_observed - likewise with the next that is observed
 * @bucket: bucket to begin with, 0 for the first call; updated
 * @before_ns: CLOCK_BOOTTIME; CQs that are observed since then are left alone
 * @is_unowned: only those of processes whose owner is unknown
 *
 * Return: as rdmaev_cqs_end_observed(); NULL: none is left.
 */
struct rdmaev_cq_state *rdmaev_cqs_end_next_observed(unsigned int *bucket,
						     u64 before_ns,
						     bool is_unowned)
{
	struct rdmaev_cq_state *cq, *found = NULL;
	unsigned long flags;

	for (; *bucket < ARRAY_SIZE(cq_buckets); ++*bucket) {
		raw_spin_lock_irqsave(&buckets_lock, flags);
		hlist_for_each_entry(cq, &cq_buckets[*bucket], by_cq) {
			if (!cq->plain || cq->since_ns >= before_ns)
				continue;
			if (is_unowned && !(cq->owner && cq->owner->uid == U32_MAX))
				continue;
			found = cq;
			cqs_end(cq);
			break;
		}
		raw_spin_unlock_irqrestore(&buckets_lock, flags);
		if (found)
			break;
	}
	return found;
}

static struct rdmaev_cq_stats *cqs_find_sum(const struct rdmaev_cq_sums *all,
					    u32 generation)
{
	u32 i;

	for (i = 0; i < all->count; i++) {
		if (all->sums[i].generation == generation)
			return &all->sums[i];
	}
	return NULL;
}

/*
 * Add the counters of a CQ that is removed to those of its device, also for
 * walks that have not come to it. Called with cqs_lock held.
 */
static void cqs_add_removed(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_stats entry, *sum;
	const struct rdmaev_cq_sums *all;
	struct rdmaev_dev *dev;

	rdmaev_cq_fill(&entry, cq);
	entry.cqs = 0;
	rcu_read_lock();
	dev = rdmaev_device_find(entry.generation);
	if (dev)
		rdmaev_cq_stats_add(&dev->cq_sums, &entry);
	rcu_read_unlock();
	list_for_each_entry(all, &cqs_summed, list) {
		sum = cqs_find_sum(all, entry.generation);
		if (sum && cq->id > all->walk.last)
			rdmaev_cq_stats_add(sum, &entry);
	}
}

/**
 * rdmaev_cqs_remove - remove a CQ from the table and add its counters to its
 * device
 * @cq: CQ; nothing counts in it any more, except for other attachments
 *
 * Return: false if other attachments are left, so it stays in the table.
 */
bool rdmaev_cqs_remove(struct rdmaev_cq_state *cq)
{
	unsigned long flags;

	mutex_lock(&cqs_lock);
	if (cq->more) {
		cq->more--;
		mutex_unlock(&cqs_lock);
		return false;
	}
	cqs_set_ids();
	cqs_add_removed(cq);
	rb_erase(&cq->by_id, &cqs_by_id);
	/* An observed CQ has left its bucket. */
	raw_spin_lock_irqsave(&buckets_lock, flags);
	hlist_del_init_rcu(&cq->by_cq);
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	WRITE_ONCE(cqs_count, cqs_count - 1);
	cqs_removed++;
	mutex_unlock(&cqs_lock);
	return true;
}

static struct rdmaev_cq_state *cqs_first_after(u64 id)
{
	struct rdmaev_cq_state *found = NULL, *cq;
	struct rb_node *node = cqs_by_id.rb_node;

	while (node) {
		cq = rb_entry(node, struct rdmaev_cq_state, by_id);
		if (cq->id > id) {
			found = cq;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * rdmaev_cqs_walk - call a function for the next RDMAEV_PAGE_ENTRIES CQs
 * @walk: zero, or with the id of the last CQ before them
 * @fn: called for each with the table's lock held; the walk ends if it returns other
 *	than 0
 * @data: for @fn
 *
 * Return: true if there may be more.
 */
bool rdmaev_cqs_walk(struct rdmaev_cq_walk *walk, rdmaev_cq_fn fn, void *data)
{
	struct rdmaev_cq_state *cq;
	struct rb_node *node;
	int left;

	mutex_lock(&cqs_lock);
	cqs_set_ids();
	walk->newest = cqs_last_id;
	walk->changes = cqs_added + cqs_removed;
	cq = cqs_first_after(walk->last);
	node = cq ? &cq->by_id : NULL;
	for (left = RDMAEV_PAGE_ENTRIES; node && left && !walk->ret; left--) {
		cq = rb_entry(node, struct rdmaev_cq_state, by_id);
		node = rb_next(node);
		walk->last = cq->id;
		walk->ret = fn(cq, data);
	}
	mutex_unlock(&cqs_lock);
	return node && !walk->ret;
}

/**
 * rdmaev_cqs_for_each - call a function for each CQ
 * @fn: as for rdmaev_cqs_walk()
 * @data: for @fn
 *
 * Return: 0, or what @fn has returned.
 */
int rdmaev_cqs_for_each(rdmaev_cq_fn fn, void *data)
{
	struct rdmaev_cq_walk walk = {};

	while (rdmaev_cqs_walk(&walk, fn, data))
		cond_resched();
	return walk.ret;
}

static int cqs_sum_one(struct rdmaev_cq_state *cq, void *data)
{
	const struct rdmaev_cq_sums *all = data;
	struct rdmaev_cq_stats *sum, entry;

	sum = cqs_find_sum(all, rdmaev_cq_generation(cq));
	if (sum) {
		rdmaev_cq_fill(&entry, cq);
		rdmaev_cq_stats_add(sum, &entry);
	}
	return 0;
}

/** rdmaev_cqs_sum_up - sum up the counters of CQs by device, in struct rdmaev_cq_sums */
void rdmaev_cqs_sum_up(void *data)
{
	struct rdmaev_cq_sums *all = data;
	const struct rdmaev_dev *dev;
	u32 i;

	mutex_lock(&cqs_lock);
	for (i = 0; i < all->count; i++) {
		rcu_read_lock();
		dev = rdmaev_device_find(all->sums[i].generation);
		if (dev)
			rdmaev_cq_stats_add(&all->sums[i], &dev->cq_sums);
		rcu_read_unlock();
	}
	list_add(&all->list, &cqs_summed);
	mutex_unlock(&cqs_lock);
	while (rdmaev_cqs_walk(&all->walk, cqs_sum_one, all))
		cond_resched();
	mutex_lock(&cqs_lock);
	list_del(&all->list);
	mutex_unlock(&cqs_lock);
}
