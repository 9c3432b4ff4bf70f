// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Budgets: a user may cause BUDGET_RECORDS records about objects of his
 * processes at once, and one more every BUDGET_EACH_NS; the records of bursts
 * that end are not among them. What is above that is counted, and recorded as
 * OBSERVER_SUPPRESSED a second after the first: one record a user and second.
 *
 * At most BUDGETS users have a budget of their own at a time. A budget that has
 * not been used for as long as it takes to fill is given to the next user. Until
 * there is one, further users share the first, as do all whose number is unknown.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <uapi/rdma/rdmaev.h>

#include "budget.h"
#include "observer.h"
#include "work.h"

#define BUDGETS		1024
#define BUCKET_BITS	8
#define BUDGET_RECORDS	256
#define BUDGET_EACH_NS	(NSEC_PER_SEC / 16)
#define BUDGET_REPORT_NS	NSEC_PER_SEC

/* Of users who share a budget, and of those who are unknown */
#define NOBODY		U32_MAX

/**
 * struct budget - what a user may still record
 * @hash: node in the bucket of @uid
 * @list: node in budgets_used, in the order of their last use
 * @due: node in budgets_due, in the order of @since_ns, if @suppressed is not 0
 * @uid: user, in the initial user namespace
 * @full_ns: time at which the budget is full again; each record puts it off by
 *	BUDGET_EACH_NS
 * @since_ns: time of the first event of @suppressed
 * @suppressed: number of events above the budget that are not on record
 */
struct budget {
	struct hlist_node hash;
	struct list_head list;
	struct list_head due;
	u32 uid;
	u64 full_ns;
	u64 since_ns;
	u64 suppressed;
};

/*
 * Protects the table. Raw, and with interrupts off: events arrive in hard
 * interrupt. Taken with burst_lock held; only work is queued under it.
 */
static DEFINE_RAW_SPINLOCK(budget_lock);
static struct budget *budgets;
static unsigned int budgets_count;	/* entries that have had a user */
static struct hlist_head budget_buckets[1 << BUCKET_BITS];
static LIST_HEAD(budgets_used);
static LIST_HEAD(budgets_due);

static void budget_report_due(struct work_struct *work);
static DECLARE_DELAYED_WORK(budget_work, budget_report_due);

static struct hlist_head *budget_bucket(u32 uid)
{
	return &budget_buckets[hash_32(uid, BUCKET_BITS)];
}

static struct budget *budget_find(u32 uid)
{
	struct budget *budget;

	hlist_for_each_entry(budget, budget_bucket(uid), hash) {
		if (budget->uid == uid)
			return budget;
	}
	return NULL;
}

static void budget_give(struct budget *budget, u32 uid)
{
	budget->uid = uid;
	budget->full_ns = 0;
	hlist_add_head(&budget->hash, budget_bucket(uid));
}

/* For a user without one. @now: the time */
static struct budget *budget_begin(u32 uid, u64 now)
{
	struct budget *budget;

	if (budgets_count < BUDGETS) {
		budget = &budgets[budgets_count++];
		list_add_tail(&budget->list, &budgets_used);
	} else {
		budget = list_first_entry(&budgets_used, struct budget, list);
		if (budget->full_ns > now || budget->suppressed)
			return &budgets[0];
		hlist_del(&budget->hash);
	}
	budget_give(budget, uid);
	return budget;
}

static void budget_suppress(struct budget *budget, u64 now)
{
	if (budget->suppressed++)
		return;
	budget->since_ns = now;
	if (list_empty(&budgets_due))
		mod_delayed_work(rdmaev_wq, &budget_work, HZ);
	list_add_tail(&budget->due, &budgets_due);
}

/**
 * rdmaev_budget_take - take a record from the budget of a user
 * @uid: real user, in the initial user namespace; U32_MAX: unknown
 * @can_fold: the event repeats one on record. It takes nothing of the last half
 *	of the budget, which is for those that do not: others may be able to
 *	make a user's objects repeat an event
 *
 * Context: any but NMI, with any lock held except those of the log.
 *
 * Return: false if the event must not be recorded. It was counted, unless
 * @can_fold.
 */
bool rdmaev_budget_take(u32 uid, bool can_fold)
{
	u64 room = (can_fold ? BUDGET_RECORDS / 2 : BUDGET_RECORDS) *
		   BUDGET_EACH_NS;
	u64 now = ktime_get_mono_fast_ns(), full;
	struct budget *budget;
	unsigned long flags;
	bool may_record;

	raw_spin_lock_irqsave(&budget_lock, flags);
	budget = budget_find(uid) ?: budget_begin(uid, now);
	/* The first stays, and is in no list. */
	if (budget != &budgets[0])
		list_move_tail(&budget->list, &budgets_used);
	full = max(budget->full_ns, now) + BUDGET_EACH_NS;
	may_record = full <= now + room;
	if (may_record)
		budget->full_ns = full;
	else if (!can_fold)
		budget_suppress(budget, now);
	raw_spin_unlock_irqrestore(&budget_lock, flags);
	return may_record;
}

/* Return the first user whose suppressed events are to be recorded now. */
static struct budget *budget_find_due(u64 now)
{
	struct budget *budget = list_first_entry_or_null(&budgets_due,
							 struct budget, due);
	s64 left;

	if (!budget)
		return NULL;
	left = budget->since_ns + BUDGET_REPORT_NS - now;
	if (left <= 0)
		return budget;
	mod_delayed_work(rdmaev_wq, &budget_work, nsecs_to_jiffies(left) + 1);
	return NULL;
}

/*
 * Take the suppressed events of one user, whose record is then made without the
 * lock. Returns false if none are due.
 */
static bool budget_take_suppressed(struct rdmaev_observer_body *body,
				   u64 *suppressed)
{
	u64 now = ktime_get_mono_fast_ns();
	struct budget *budget;
	unsigned long flags;

	raw_spin_lock_irqsave(&budget_lock, flags);
	budget = budget_find_due(now);
	if (budget) {
		list_del(&budget->due);
		*suppressed = budget->suppressed;
		budget->suppressed = 0;
		*body = (struct rdmaev_observer_body) {
			.known = budget->uid == NOBODY ? 0 : RDMAEV_KNOWN_UID,
			.uid = budget->uid == NOBODY ? 0 : budget->uid,
			.time_ns = now - budget->since_ns,
		};
	}
	raw_spin_unlock_irqrestore(&budget_lock, flags);
	return budget;
}

static void budget_report_due(struct work_struct *work)
{
	struct rdmaev_observer_body body;
	u64 suppressed;

	while (budget_take_suppressed(&body, &suppressed)) {
		rdmaev_observer_report(RDMAEV_OBSERVER_SUPPRESSED, &body,
				       suppressed, 0);
		cond_resched();
	}
}

/** rdmaev_budget_init - allocate; before the first event; 0 or -ENOMEM */
int rdmaev_budget_init(void)
{
	budgets = kvcalloc(BUDGETS, sizeof(*budgets), GFP_KERNEL);
	if (!budgets)
		return -ENOMEM;
	budget_give(&budgets[budgets_count++], NOBODY);
	return 0;
}

/** rdmaev_budget_exit - free the table; no more events arrive */
void rdmaev_budget_exit(void)
{
	cancel_delayed_work_sync(&budget_work);
	kvfree(budgets);
}
