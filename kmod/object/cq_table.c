// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of CQs, their counters and lists. */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "cq.h"
#include "cq_table.h"
#include "device/access.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/snapshot.h"
#include "device/turn.h"
#include "log/log.h"
#include "ulp_table.h"

/* CQs visited before the lock is dropped for other users */
#define STRIDE	RDMAEV_CQ_PAGE

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
static LIST_HEAD(cqs_summed);		/* struct cq_sums */

/*
 * By address of the CQ; read under RCU. The lock protects changes of the
 * buckets. Raw: the observer finds CQs in any context.
 */
static DEFINE_RAW_SPINLOCK(buckets_lock);
static struct hlist_head cq_buckets[1 << BUCKET_BITS];

/* Observed CQs that are in their bucket, and have no id yet */
static LLIST_HEAD(cqs_found);

/** rdmaev_cq_generation - get the generation of the device, 0 if unknown */
u32 rdmaev_cq_generation(struct rdmaev_cq_state *cq)
{
	u32 generation = READ_ONCE(cq->generation);

	/* The core may have added the device to the ULP before rdmaev. */
	if (unlikely(!generation && cq->ib)) {
		generation = rdmaev_device_generation(cq->ib);
		WRITE_ONCE(cq->generation, generation);
	}
	return generation;
}

/** rdmaev_cq_set_number - set the number in RDMA netlink; 0 if it has none */
void rdmaev_cq_set_number(struct rdmaev_cq_state *cq,
			  const struct ib_cq *ib_cq)
{
	const struct rdma_restrack_entry *res = &ib_cq->res;

	cq->has_number = res->valid && !rdmaev_is_hidden(res);
	cq->number = cq->has_number ? res->id : 0;
}

static void cq_sum_add(struct rdmaev_cq_counts *sum,
		       const struct rdmaev_cq_counts *counts)
{
	unsigned long last = READ_ONCE(counts->last);
	int i;

	for (i = 0; i < RDMAEV_WC_OPCODES; i++)
		sum->completions[i] += READ_ONCE(counts->completions[i]);
	sum->polls += READ_ONCE(counts->polls);
	sum->empty_polls += READ_ONCE(counts->empty_polls);
	sum->notifications += READ_ONCE(counts->notifications);
	if (!sum->last || (last && time_after(last, sum->last)))
		sum->last = last;
}

/** rdmaev_cq_sum - sum up the counters of all CPUs; interrupts are on */
void rdmaev_cq_sum(const struct rdmaev_cq_state *cq,
		   struct rdmaev_cq_counts *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	if (cq->plain) {
		cq_sum_add(sum, &cq->plain->counts);
		sum->notifications = atomic64_read(&cq->plain->notifications);
		return;
	}
	for_each_possible_cpu(cpu)
		cq_sum_add(sum, per_cpu_ptr(cq->counts, cpu));
}

/** rdmaev_cq_successes - sum up the successful completions in counters */
u64 rdmaev_cq_successes(const struct rdmaev_cq_counts *sum)
{
	u64 successes = 0;
	int i;

	for (i = 0; i < RDMAEV_WC_OPCODES; i++)
		successes += sum->completions[i];
	return successes;
}

/** rdmaev_cq_failures - sum up unsuccessful completions; in any context */
u64 rdmaev_cq_failures(const struct rdmaev_cq_state *cq)
{
	u64 failures = 0;
	int i;

	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		failures += atomic64_read(&cq->failures[i]);
	return failures;
}

/**
 * rdmaev_cq_append - append a record about a CQ
 * @cq: CQ
 * @code: &enum rdmaev_completion_code
 * @count: count of the record
 * @cause: seq of the record that it follows from
 * @body: body, complete except for the name of the ULP, which is filled in
 *
 * Context: any but NMI.
 *
 * Return: seq of the record, 0 if the ULP is not registered.
 */
u64 rdmaev_cq_append(struct rdmaev_cq_state *cq, u16 code, u32 count, u64 cause,
		     struct rdmaev_completion_body *body)
{
	struct rdmaev_record rec = {
		.cause = cause,
		.device = cq->device,
		.generation = rdmaev_cq_generation(cq),
		.kind = RDMAEV_KIND_COMPLETION,
		.code = code,
		.object_type = RDMAEV_OBJECT_CQ,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = cq->plain ? RDMAEV_SOURCE_OBSERVER :
				      RDMAEV_SOURCE_ULP,
		.ring = RDMAEV_RING_INFO,
		.object = cq->number,
		.count = count,
	};

	if (!rdmaev_ulp_is_registered(cq->ulp))
		return 0;
	/* Keep a stall and its end in one ring, where records are rare. */
	if (code != RDMAEV_COMPLETION_NOTIFIED)
		rec.ring = RDMAEV_RING_ERROR;
	if (code == RDMAEV_COMPLETION_STALLED)
		rec.severity = RDMAEV_SEVERITY_WARNING;
	memcpy(body->source_name, cq->ulp->name, sizeof(body->source_name));
	rec.body.completion = *body;
	return rdmaev_append_of(&rec);
}

static void cqs_fill(struct rdmaev_cq_stats *entry, struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_counts sum;
	u64 now = ktime_get_boot_fast_ns();
	int i;

	memset(entry, 0, sizeof(*entry));
	entry->id = cq->id;
	entry->device = cq->device;
	entry->generation = rdmaev_cq_generation(cq);
	entry->cq = cq->number;
	if (cq->has_number)
		entry->flags |= RDMAEV_CQ_NUMBERED;
	if (cq->plain)
		entry->flags |= RDMAEV_CQ_OBSERVED;
	if (cq->owner) {
		entry->flags |= RDMAEV_CQ_USER;
		entry->pid = rdmaev_owner_pid(cq->owner);
		/* The overflow user, if it is unknown */
		entry->uid = from_kuid_munged(&init_user_ns,
					      KUIDT_INIT(cq->owner->uid));
	}
	if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED)
		entry->flags |= RDMAEV_CQ_ATTACHED;
	if (test_bit(RDMAEV_POLL_STALLED, &cq->poll_flags))
		entry->flags |= RDMAEV_CQ_STALLED;
	if (READ_ONCE(cq->notify.every))
		entry->flags |= RDMAEV_CQ_NOTIFIED;
	entry->cqs = !READ_ONCE(cq->is_ended);
	entry->cqe = cq->plain ? READ_ONCE(cq->cqe) : cq->pub.cq->cqe;
	entry->since_ns = cq->since_ns;

	/* Failures newer than the seq of the list may be included: harmless. */
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		entry->failures[i] = atomic64_read(&cq->failures[i]);
	rdmaev_cq_sum(cq, &sum);
	if (sum.last)
		entry->last_ns = max(now - jiffies64_to_nsecs(jiffies - sum.last),
				     cq->since_ns);
	entry->notifications = sum.notifications;
	entry->polls = sum.polls;
	entry->empty_polls = sum.empty_polls;
	memcpy(entry->completions, sum.completions, sizeof(sum.completions));
	strscpy(entry->owner, cq->ulp->name, sizeof(entry->owner));
}

static void cqs_sum_add(struct rdmaev_cq_stats *sum,
			const struct rdmaev_cq_stats *entry)
{
	int i;

	sum->cqs += entry->cqs;
	sum->last_ns = max(sum->last_ns, entry->last_ns);
	sum->notifications += entry->notifications;
	sum->polls += entry->polls;
	sum->empty_polls += entry->empty_polls;
	for (i = 0; i < RDMAEV_WC_OPCODES; i++)
		sum->completions[i] += entry->completions[i];
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		sum->failures[i] += entry->failures[i];
}

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
static void cqs_settle(void)
{
	struct llist_node *found = llist_del_all(&cqs_found);
	struct rdmaev_cq_state *cq, *next;

	/* The oldest first */
	found = llist_reverse_order(found);
	llist_for_each_entry_safe(cq, next, found, found)
		cqs_give_id(cq);
}

/** rdmaev_cqs_settle - give their id to CQs that the observer has found */
void rdmaev_cqs_settle(void)
{
	mutex_lock(&cqs_lock);
	cqs_settle();
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

/** rdmaev_cqs_add - add a CQ to the table; 0, or -EBUSY if it is there */
int rdmaev_cqs_add(struct rdmaev_cq_state *cq)
{
	int ret = -EBUSY;

	cq->device = cq->ib->index;
	rdmaev_cq_set_number(cq, cq->pub.cq);
	mutex_lock(&cqs_lock);
	cqs_settle();
	if (cqs_add_to_bucket(cq)) {
		ret = 0;
		cqs_give_id(cq);
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

/**
 * struct cq_walk - a walk through the table
 * @id: id of the current CQ, at the end of the last one; 0: none
 * @cq: current CQ; NULL: look it up
 * @stride: CQs visited so far
 */
struct cq_walk {
	u64 id;
	struct rdmaev_cq_state *cq;
	u32 stride;
};

/**
 * struct cq_sums - counters of CQs that are being summed up
 * @list: node in cqs_summed
 * @walk: walk, which drops the lock in between
 * @sums: sums by device
 * @count: number of devices
 */
struct cq_sums {
	struct list_head list;
	struct cq_walk walk;
	struct rdmaev_cq_stats *sums;
	u32 count;
};

static struct rdmaev_cq_stats *cqs_find_sum(const struct cq_sums *all,
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
	const struct cq_sums *all;
	struct rdmaev_dev *dev;

	cqs_fill(&entry, cq);
	entry.cqs = 0;
	rcu_read_lock();
	dev = rdmaev_device_find(entry.generation);
	if (dev)
		cqs_sum_add(&dev->cq_sums, &entry);
	rcu_read_unlock();
	list_for_each_entry(all, &cqs_summed, list) {
		sum = cqs_find_sum(all, entry.generation);
		if (sum && cq->id > all->walk.id)
			cqs_sum_add(sum, &entry);
	}
}

/**
 * rdmaev_cqs_remove - remove a CQ from the table and add its counters to its
 * device
 * @cq: CQ; nothing counts in it any more
 */
void rdmaev_cqs_remove(struct rdmaev_cq_state *cq)
{
	unsigned long flags;

	mutex_lock(&cqs_lock);
	cqs_settle();
	cqs_add_removed(cq);
	rb_erase(&cq->by_id, &cqs_by_id);
	/* An observed CQ has left its bucket. */
	raw_spin_lock_irqsave(&buckets_lock, flags);
	hlist_del_init_rcu(&cq->by_cq);
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
	WRITE_ONCE(cqs_count, cqs_count - 1);
	cqs_removed++;
	mutex_unlock(&cqs_lock);
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

/*
 * Return the next CQ, NULL if there is none. Called with cqs_lock held; with
 * @yields, drops it for a moment after each STRIDE CQs.
 */
static struct rdmaev_cq_state *cqs_next(struct cq_walk *walk, bool yields)
{
	struct rb_node *node;

	if (yields && ++walk->stride % STRIDE == 0) {
		mutex_unlock(&cqs_lock);
		cond_resched();
		mutex_lock(&cqs_lock);
		walk->cq = NULL;
	}
	if (walk->cq) {
		node = rb_next(&walk->cq->by_id);
		walk->cq = node ? rb_entry(node, struct rdmaev_cq_state, by_id) :
				  NULL;
	} else {
		walk->cq = cqs_first_after(walk->id);
	}
	if (walk->cq)
		walk->id = walk->cq->id;
	return walk->cq;
}

/** rdmaev_cqs_for_each - call a function for each CQ, see cq_table.h */
int rdmaev_cqs_for_each(int (*fn)(struct rdmaev_cq_state *cq, void *data),
			void *data)
{
	struct rdmaev_cq_state *cq;
	struct cq_walk walk = {};
	int ret = 0;

	mutex_lock(&cqs_lock);
	cqs_settle();
	while (!ret && (cq = cqs_next(&walk, true)))
		ret = fn(cq, data);
	mutex_unlock(&cqs_lock);
	return ret;
}

static bool cqs_is_visible(struct rdmaev_cq_state *cq, u32 device,
			   const struct rdmaev_cred *cred)
{
	return (device == RDMAEV_ANY || cq->device == device) &&
	       !READ_ONCE(cq->is_ended) &&
	       rdmaev_object_visible(rdmaev_cq_generation(cq), cq->owner, cred);
}

/**
 * struct cq_list - CQs that a reader sees
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @after: list only CQs with a larger id
 * @entries: array for these
 * @max: its length; 0: only count them
 * @count: how many there are
 */
struct cq_list {
	const struct rdmaev_cred *cred;
	u32 device;
	u64 after;
	struct rdmaev_cq_stats *entries;
	u32 max;
	u32 count;
};

static void cqs_describe(void *data)
{
	struct cq_list *list = data;
	struct cq_walk walk = { .id = list->after };
	struct rdmaev_cq_state *cq;

	list->count = 0;
	mutex_lock(&cqs_lock);
	cqs_settle();
	while ((cq = cqs_next(&walk, true))) {
		if (!cqs_is_visible(cq, list->device, list->cred))
			continue;
		if (list->count < list->max)
			cqs_fill(&list->entries[list->count], cq);
		list->count++;
	}
	mutex_unlock(&cqs_lock);
}

/* Set @count to an upper bound; it is not worth a walk for a reader of all. */
static int cqs_bound(struct cq_list *list)
{
	if (!list->cred->all)
		return rdmaev_turn(list->cred, cqs_describe, list);
	rdmaev_cqs_settle();
	list->count = READ_ONCE(cqs_count);
	return 0;
}

/**
 * rdmaev_cq_list - list the CQs visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @after: list only CQs with a larger id
 * @room: maximum number of entries
 * @written: set to the number of entries
 * @count: set to the number of entries without @room
 * @seq: set to the newest seq before the list was made
 *
 * Its memory, which may be the reader's to give back as late as he likes, is no more
 * than his own CQs need.
 *
 * Return: array for kvfree(), or ERR_PTR: -ENOMEM; -EINTR: the reader is being killed;
 * -ENODEV if the device does not exist.
 */
struct rdmaev_cq_stats *rdmaev_cq_list(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 room,
				       u32 *written, u32 *count, u64 *seq)
{
	struct cq_list list = {
		.cred = cred,
		.device = device,
		.after = after,
	};
	int ret;

	if (device != RDMAEV_ANY && !rdmaev_device_exists(cred, device))
		return ERR_PTR(-ENODEV);
	ret = cqs_bound(&list);
	if (ret)
		return ERR_PTR(ret);
	list.max = min(room, list.count);
	/* One more entry: an empty array would look like a failure. */
	list.entries = kvcalloc((size_t)list.max + 1, sizeof(*list.entries),
				GFP_KERNEL_ACCOUNT);
	if (!list.entries)
		return ERR_PTR(-ENOMEM);
	*seq = rdmaev_log_newest();
	ret = rdmaev_turn(cred, cqs_describe, &list);
	if (ret) {
		kvfree(list.entries);
		return ERR_PTR(ret);
	}
	*written = min(list.count, list.max);
	/* A list that is not full is complete: ignore CQs added meanwhile. */
	*count = *written < room ? *written : list.count;
	return list.entries;
}

/**
 * rdmaev_cq_translate - translate pids and uids to the namespaces of a reader
 * @entries: CQs
 * @count: number of them
 * @pids: pid namespace; NULL: the initial one
 * @users: user namespace; NULL: the initial one
 */
void rdmaev_cq_translate(struct rdmaev_cq_stats *entries, u32 count,
			 struct pid_namespace *pids,
			 struct user_namespace *users)
{
	struct rdmaev_cq_stats *entry;

	for (entry = entries; entry < entries + count; entry++) {
		if (!(entry->flags & RDMAEV_CQ_USER))
			continue;
		if (pids)
			entry->pid = rdmaev_pid_of_reader(entry->pid,
							  entry->since_ns, pids);
		if (users)
			entry->uid = from_kuid_munged(users,
						      KUIDT_INIT(entry->uid));
	}
}

/* Arguments and result of cqs_read_page() */
struct cq_page_request {
	const struct rdmaev_cred *cred;
	u32 device;
	struct rdmaev_cq_page *page;
	bool more;
};

static void cqs_read_page(void *data)
{
	struct cq_page_request *req = data;
	struct rdmaev_cq_page *page = req->page;
	struct cq_walk walk = { .id = page->after };
	struct rdmaev_cq_state *cq = NULL;
	u32 slots;

	mutex_lock(&cqs_lock);
	cqs_settle();
	/* When others make CQs is not told. */
	page->changes = req->cred->all ? cqs_added + cqs_removed + 1 : 1;
	for (slots = 0; slots < RDMAEV_CQ_PAGE; slots++) {
		cq = cqs_next(&walk, false);
		if (!cq)
			break;
		if (cqs_is_visible(cq, req->device, req->cred))
			cqs_fill(&page->entries[page->count++], cq);
	}
	mutex_unlock(&cqs_lock);
	page->after = walk.id;
	req->more = cq;
}

/**
 * rdmaev_cq_page - read the next page of the CQs visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @page: page, filled in with CQs after id @after
 *
 * Visits at most as many CQs as the page has entries, so it holds the lock
 * briefly.
 *
 * Return: true if there may be more; false also if the reader is being killed.
 */
bool rdmaev_cq_page(const struct rdmaev_cred *cred, u32 device,
		    struct rdmaev_cq_page *page)
{
	struct cq_page_request req = {
		.cred = cred,
		.device = device,
		.page = page,
	};

	page->count = 0;
	page->seq = rdmaev_log_newest();
	return !rdmaev_turn(cred, cqs_read_page, &req) && req.more;
}

/* Sum up the counters of CQs by device. */
static void cqs_sum_up(void *data)
{
	struct cq_sums *all = data;
	struct rdmaev_cq_stats *sum, entry;
	const struct rdmaev_dev *dev;
	struct rdmaev_cq_state *cq;
	u32 i;

	mutex_lock(&cqs_lock);
	cqs_settle();
	for (i = 0; i < all->count; i++) {
		rcu_read_lock();
		dev = rdmaev_device_find(all->sums[i].generation);
		if (dev)
			cqs_sum_add(&all->sums[i], &dev->cq_sums);
		rcu_read_unlock();
	}
	list_add(&all->list, &cqs_summed);
	while ((cq = cqs_next(&all->walk, true))) {
		sum = cqs_find_sum(all, rdmaev_cq_generation(cq));
		if (!sum)
			continue;
		cqs_fill(&entry, cq);
		cqs_sum_add(sum, &entry);
	}
	list_del(&all->list);
	mutex_unlock(&cqs_lock);
}

static int cqs_compare(const void *a, const void *b)
{
	const struct rdmaev_device *left = a, *right = b;

	return left->generation < right->generation ? -1 : 1;
}

static u32 cqs_begin_sums(struct rdmaev_cq_stats *sums,
			  const struct rdmaev_cred *cred, u32 device, u64 after,
			  const struct rdmaev_device *devices, u32 n)
{
	u32 count = 0, i;

	for (i = 0; i < n; i++) {
		if ((device != RDMAEV_ANY && devices[i].index != device) ||
		    devices[i].generation <= after ||
		    !rdmaev_device_visible(devices[i].generation, cred, true))
			continue;
		sums[count++] = (struct rdmaev_cq_stats) {
			.id = devices[i].generation,
			.device = devices[i].index,
			.generation = devices[i].generation,
			.flags = RDMAEV_CQ_SUM,
			.since_ns = devices[i].since_ns,
		};
	}
	return count;
}

/**
 * rdmaev_cq_sums - list the CQ sums of devices visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @after: list only devices with a larger generation
 * @count: set to the number of entries
 * @seq: set to the newest seq before the list was made
 *
 * Return: as rdmaev_cq_list().
 */
struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq)
{
	struct rdmaev_device *devices;
	struct cq_sums all = {};
	u32 n;

	if (device != RDMAEV_ANY && !rdmaev_device_exists(cred, device))
		return ERR_PTR(-ENODEV);
	devices = rdmaev_device_list(cred, false, &n, seq);
	if (IS_ERR(devices))
		return ERR_CAST(devices);
	sort(devices, n, sizeof(*devices), cqs_compare, NULL);
	all.sums = kvcalloc((size_t)n + 1, sizeof(*all.sums), GFP_KERNEL_ACCOUNT);
	if (all.sums)
		all.count = cqs_begin_sums(all.sums, cred, device, after, devices, n);
	kvfree(devices);
	if (!all.sums)
		return ERR_PTR(-ENOMEM);
	*count = all.count;
	if (all.count && rdmaev_turn(cred, cqs_sum_up, &all)) {
		kvfree(all.sums);
		return ERR_PTR(-EINTR);
	}
	return all.sums;
}
