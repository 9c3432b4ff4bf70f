// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of rdmaev_causes: see cause.c */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "cause_table.h"
#include "device/burst.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "work.h"

#define PASS		(HZ / 10)	/* minimum time between two passes */

static const unsigned int cause_max[CAUSE_TYPES] = {
	[CAUSE_QP] = 16384,
	[CAUSE_USER_QP] = 4096,
	[CAUSE_QUEUE] = 1024,
	[CAUSE_USER_QUEUE] = 1024,
	[CAUSE_PORT] = 256,
};

/*
 * Protects the table. Raw, and with interrupts off: CQs are polled, and events
 * arrive, in any context. The locks of bursts and of the log are taken with it
 * held, so that records are in the order of the changes to the table.
 */
DEFINE_RAW_SPINLOCK(rdmaev_cause_lock);
struct cause *rdmaev_causes;		/* NULL until a ULP registers */
struct cause *rdmaev_cause_buckets[1 << CAUSE_BUCKET_BITS];
static LIST_HEAD(cause_open);		/* of CAUSE_QP alone */
static struct list_head cause_unused[CAUSE_TYPES];
static struct list_head cause_closed[CAUSE_TYPES];	/* by last */

static bool cause_evicted;		/* a cause was evicted */
static unsigned long cause_evicted_at;	/* jiffies of the last one */

#define CAUSE_PAYERS	8	/* how many it takes to fill a type */

/* Entries of an account, from the oldest on */
struct cause_share {
	struct list_head list;
	unsigned int count;
};

/* Of CAUSE_USER_QP, then of CAUSE_USER_QUEUE; allocated with the table */
static struct cause_share *cause_shares;

static void cause_work_fn(struct work_struct *unused);
static DECLARE_DELAYED_WORK(cause_work, cause_work_fn);

/*
 * Return the count and reset it. The new upper half of @flow makes a concurrent
 * lockless increment fail.
 */
static u32 cause_pop_flow(struct cause *c)
{
	u64 closed = ((u64)atomic64_read(&c->flow) >> 32) + 1;

	return (u32)atomic64_xchg(&c->flow, closed << 32);
}

void rdmaev_cause_close(struct cause *c)
{
	u32 flushed = cause_pop_flow(c);
	struct rdmaev_record rec = {
		.cause = cause_of_end(c),
		.device = c->key.what >> 16,
		.generation = c->key.where >> 32,
		.port = c->port,
		.kind = RDMAEV_KIND_WC,
		.source = c->source,
		.object = (u32)c->key.where,
		.count = flushed ?: c->folded,
		.body.wc = c->first,
	};

	c->is_open = false;
	WRITE_ONCE(c->last, jiffies);
	list_move_tail(&c->list, &cause_closed[c->type]);
	if (!rec.count)
		return;
	rdmaev_record_set_code(&rec, flushed ? IB_WC_WR_FLUSH_ERR : c->code);
	rec.object_type = c->key.what & U8_MAX;
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

static bool cause_is_users(enum cause_type type)
{
	return type == CAUSE_USER_QP || type == CAUSE_USER_QUEUE;
}

static struct cause_share *cause_share(enum cause_type type, u16 account)
{
	return &cause_shares[account + (type == CAUSE_USER_QUEUE ?
					RDMAEV_PAYERS : 0)];
}

static void cause_leave_share(const struct cause *c)
{
	cause_share(c->type, c->account)->count--;
	rdmaev_payer_uncharge(c->account, RDMAEV_SHARE_CAUSES);
}

void rdmaev_cause_drop(struct cause *c)
{
	struct cause **at = cause_bucket(&c->key);

	if (cause_is_users(c->type))
		cause_leave_share(c);
	if (c->is_open)
		rdmaev_cause_close(c);
	while (*at != c)
		at = &(*at)->next;
	WRITE_ONCE(*at, c->next);
	list_del_init(&c->of);
	list_move(&c->list, &cause_unused[c->type]);
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

struct cause *rdmaev_cause_lookup(const struct cause_key *key)
{
	struct cause *c;

	for (c = *cause_bucket(key); c; c = c->next) {
		if (cause_is_of(c, key))
			break;
	}
	if (c && c->type <= CAUSE_USER_QP && !c->is_open &&
	    !cause_left(c, CAUSE_KEPT)) {
		rdmaev_cause_drop(c);
		return NULL;
	}
	return c;
}

/* Make the entry the last of its type, and of its share, to be evicted. */
void rdmaev_cause_is_newest(struct cause *c)
{
	/* It often is already. */
	if (list_is_last(&c->list, &cause_closed[c->type]))
		return;
	list_move_tail(&c->list, &cause_closed[c->type]);
	if (cause_is_users(c->type))
		list_move_tail(&c->of,
			       &cause_share(c->type, c->account)->list);
}

/*
 * Take one more for a payer. If he has as many as he may, evict his oldest entry.
 * Returns his account.
 */
static u16 cause_join_share(enum cause_type type, u32 payer)
{
	/* It never refuses: the sum of both types is not what is limited. */
	u16 account = rdmaev_payer_charge(payer, RDMAEV_SHARE_CAUSES, U32_MAX);
	struct cause_share *share = cause_share(type, account);

	if (share->count >= cause_max[type] / CAUSE_PAYERS)
		rdmaev_cause_drop(list_first_entry(&share->list, struct cause, of));
	share->count++;
	return account;
}

/*
 * Take an unused entry of a type. If all are used, evict the oldest closed one.
 * If all are open, which only those of CAUSE_QP can be, evict the first of these.
 */
static struct cause *cause_alloc(enum cause_type type)
{
	struct cause *c;

	if (list_empty(&cause_unused[type])) {
		c = list_first_entry_or_null(&cause_closed[type], struct cause,
					     list) ?:
		    list_first_entry(&cause_open, struct cause, list);
		if (type == CAUSE_QP && cause_has_failed(c) &&
		    (c->is_open || cause_left(c, CAUSE_KEPT))) {
			cause_evicted = true;
			cause_evicted_at = jiffies;
		}
		rdmaev_cause_drop(c);
	}
	return list_first_entry(&cause_unused[type], struct cause, list);
}

/* Add a closed entry. What follows @last is zero. */
struct cause *rdmaev_cause_begin(enum cause_type type,
				 const struct cause_key *key, u32 payer)
{
	struct cause **at = cause_bucket(key);
	u16 account = 0;
	struct cause *c;

	if (cause_is_users(type))
		account = cause_join_share(type, payer);
	c = cause_alloc(type);
	c->account = account;
	WRITE_ONCE(c->key.where, key->where);
	WRITE_ONCE(c->key.what, key->what);
	WRITE_ONCE(c->key.owner, key->owner);
	WRITE_ONCE(c->last, jiffies);
	memset((u8 *)c + offsetof(struct cause, is_open), 0,
	       sizeof(*c) - offsetof(struct cause, is_open));
	c->is_orphan = cause_evicted &&
		       time_before(jiffies, cause_evicted_at + CAUSE_KEPT);
	rdmaev_cause_is_newest(c);
	WRITE_ONCE(c->next, *at);
	/*
	 * Pairs with READ_ONCE() in rdmaev_cause_count_flush(): the entry is
	 * complete before it is visible.
	 */
	smp_store_release(at, c);
	return c;
}

void rdmaev_cause_reopen(struct cause *c, struct list_head *of_cq)
{
	if (!c->is_open) {
		c->is_open = true;
		WRITE_ONCE(c->opened, jiffies);
		/* With other open entries the work is due no later. */
		if (list_empty(&cause_open))
			mod_delayed_work(rdmaev_wq, &cause_work, CAUSE_QUIET);
		list_move_tail(&c->list, &cause_open);
	}
	WRITE_ONCE(c->last, jiffies);
	list_move(&c->of, of_cq);
}

/* Entries are kept for CAUSE_KEPT from now on. */
void rdmaev_cause_expire_later(void)
{
	queue_delayed_work(rdmaev_wq, &cause_work, CAUSE_KEPT);
}

/* Check one open entry. Returns false after the last one of the pass. */
static bool cause_close_one(u32 pass, unsigned long *again)
{
	struct cause *c = list_first_entry_or_null(&cause_open, struct cause,
						   list);
	unsigned long left;

	if (!c || c->pass == pass)
		return false;
	c->pass = pass;
	left = cause_left(c, CAUSE_QUIET);
	if (!left) {
		rdmaev_cause_close(c);
	} else {
		list_move_tail(&c->list, &cause_open);
		*again = min(*again, max_t(unsigned long, left, PASS));
	}
	return true;
}

static bool cause_expire_one(enum cause_type type, unsigned long *again)
{
	struct cause *c = list_first_entry_or_null(&cause_closed[type],
						   struct cause, list);
	unsigned long left;

	if (!c)
		return false;
	left = cause_left(c, CAUSE_KEPT);
	if (left) {
		*again = min(*again, left);
		return false;
	}
	rdmaev_cause_drop(c);
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
		raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
		more = cause_close_one(pass, &again) ||
		       cause_expire_one(CAUSE_QP, &again) ||
		       cause_expire_one(CAUSE_USER_QP, &again) ||
		       cause_expire_one(CAUSE_USER_QUEUE, &again);
		/*
		 * An event may have queued it meanwhile, for a much later time.
		 */
		if (!more && again < MAX_JIFFY_OFFSET)
			mod_delayed_work(rdmaev_wq, &cause_work, again);
		raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
		cond_resched();
	} while (more);
}

/** rdmaev_causes_prepare - allocate for the first ULP; 0 or -ENOMEM */
int rdmaev_causes_prepare(void)
{
	static DEFINE_MUTEX(lock);	/* one caller at a time */
	unsigned int n = 0, type, i;
	struct cause_share *shares;
	struct cause *all, *c;
	unsigned long flags;
	int ret = 0;

	mutex_lock(&lock);
	if (rdmaev_causes)
		goto out;
	for (type = 0; type < CAUSE_TYPES; type++)
		n += cause_max[type];
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
	for (c = all, type = 0; type < CAUSE_TYPES; type++) {
		INIT_LIST_HEAD(&cause_unused[type]);
		INIT_LIST_HEAD(&cause_closed[type]);
		for (i = 0; i < cause_max[type]; i++, c++) {
			c->type = type;
			INIT_LIST_HEAD(&c->of);
			list_add_tail(&c->list, &cause_unused[type]);
		}
	}
	/*
	 * Until then nobody looks at the lists: who adds an entry has seen
	 * @rdmaev_causes, or is called after this returned, and the work runs only
	 * once there is an entry.
	 */
	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	cause_shares = shares;
	rdmaev_causes = all;
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
out:
	mutex_unlock(&lock);
	return ret;
}

/** rdmaev_causes_exit - free the table; no CQs are left and no events arrive */
void rdmaev_causes_exit(void)
{
	cancel_delayed_work_sync(&cause_work);
	kvfree(rdmaev_causes);
	kvfree(cause_shares);
}
