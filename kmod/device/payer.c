// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Accounts of those who pay for what processes do, see struct rdmaev_owner:
 *
 *  - Records. A payer may cause PAYER_RECORDS records about objects of his
 *    processes at once, and one more every PAYER_EACH_NS; the records of bursts
 *    that end are not among them. What is above that is counted, and recorded
 *    as OBSERVER_SUPPRESSED.
 *  - Shares of tables, in entries. Calls about observed objects that have no
 *    entry are counted, and recorded as OBSERVER_MISSED. So are QPs whose state was not
 *    asked before their end, see qp_end.c.
 *
 * Counts are recorded a second after the first: at most one record of each for a
 * payer and second. The records of root have no limit: an administrator, also in
 * a container that is in the initial user namespace.
 *
 * At most RDMAEV_PAYERS payers have an account of their own at a time. One that holds
 * nothing, and that has not been used for as long as it takes for its records to
 * be whole, is given to the next payer. Until there is one, further payers share
 * the first, as do all who are unknown.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <uapi/rdma/rdmaev.h>

#include "count.h"
#include "log/catalogue.h"
#include "payer.h"
#include "work.h"

#define BUCKET_BITS	8
#define PAYER_RECORDS	256
#define PAYER_EACH_NS	(NSEC_PER_SEC / 16)
#define PAYER_REPORT_NS	NSEC_PER_SEC

/* Accounts looked at for one that can be given to another payer */
#define PAYER_TRIES	8

/* Words of a CPU for what is missed again, see payer_again */
#define AGAIN_WORDS	8
#define AGAIN_COUNT	GENMASK_ULL(23, 0)
#define AGAIN_TICK	GENMASK_ULL(30, 24)
#define AGAIN_USED	BIT_ULL(31)
#define AGAIN_PAYER	GENMASK_ULL(63, 32)

/* What is counted: calls about objects without an entry, and what follows */
#define PAYER_NOT_ASKED		RDMAEV_SHARE_OBJECTS	/* QPs whose state was not asked */
#define PAYER_SUPPRESSED	(RDMAEV_SHARE_OBJECTS + 1)	/* events */
#define PAYER_COUNTS		(RDMAEV_SHARE_OBJECTS + 2)

/**
 * struct payer - an account
 * @hash: node in the bucket of @uid
 * @list: node in payers_idle, in the order of their last use, if nothing is held
 * @due: node in payers_due, in the order of @since_ns, if one of @counts is not 0
 * @uid: user, in the initial user namespace
 * @full_ns: time at which the records are whole again; each puts it off by
 *	PAYER_EACH_NS
 * @asked: QPs whose state was asked in the second @asked_at
 * @asked_at: jiffies, in seconds
 * @since_ns: time of the first of @counts
 * @counts: what is not on record, see PAYER_COUNTS
 * @held: entries held, by share
 * @held_in_all: their sum
 */
struct payer {
	struct hlist_node hash;
	struct list_head list;
	struct list_head due;
	u32 uid;
	u64 full_ns;
	u32 asked;
	unsigned long asked_at;
	u64 since_ns;
	u64 counts[PAYER_COUNTS];
	u32 held[RDMAEV_SHARES];
	u32 held_in_all;
};

/*
 * Protects the accounts. Raw, and with interrupts off: events arrive in hard
 * interrupt. Taken with burst_lock, cause_lock or rdmaev_objects_lock held; only
 * work is queued under it.
 */
static DEFINE_RAW_SPINLOCK(payer_lock);
static struct payer *payers;
static unsigned int payers_count;	/* accounts that have had a user */
static struct hlist_head payer_buckets[1 << BUCKET_BITS];
static LIST_HEAD(payers_idle);
static LIST_HEAD(payers_due);

/*
 * Calls about CQs without an entry arrive as often as their processes like. After
 * one has been counted in the account, those of the same payer, CPU and tick are
 * counted in a word, without the lock. Set with payer_lock held, while the payer
 * is due; payer_report_due() takes the counts of all words after it has taken
 * those of the payers that were due. So none is forgotten.
 */
static DEFINE_PER_CPU(u64 [AGAIN_WORDS], payer_again);

static void payer_report_due(struct work_struct *work);
static DECLARE_DELAYED_WORK(payer_work, payer_report_due);

static struct hlist_head *payer_bucket(u32 uid)
{
	return &payer_buckets[hash_32(uid, BUCKET_BITS)];
}

static struct payer *payer_find(u32 uid)
{
	struct payer *payer;

	hlist_for_each_entry(payer, payer_bucket(uid), hash) {
		if (payer->uid == uid)
			return payer;
	}
	return NULL;
}

static struct payer *payer_open(struct payer *payer, u32 uid)
{
	payer->uid = uid;
	payer->full_ns = 0;
	payer->asked = 0;
	hlist_add_head(&payer->hash, payer_bucket(uid));
	return payer;
}

/* For a user without one. @now: the time */
static struct payer *payer_begin(u32 uid, u64 now)
{
	struct payer *payer;
	unsigned int tries = PAYER_TRIES;

	if (payers_count < RDMAEV_PAYERS) {
		payer = &payers[payers_count];
		INIT_LIST_HEAD(&payer->list);
		INIT_LIST_HEAD(&payer->due);
		/* The first stays. */
		if (payers_count++)
			list_add_tail(&payer->list, &payers_idle);
		return payer_open(payer, uid);
	}
	list_for_each_entry(payer, &payers_idle, list) {
		if (payer->full_ns <= now && list_empty(&payer->due)) {
			hlist_del(&payer->hash);
			return payer_open(payer, uid);
		}
		if (!--tries)
			break;
	}
	return &payers[0];
}

/* After each use, and when nothing is held any more */
static void payer_note_idle(struct payer *payer)
{
	if (!payer->held_in_all && payer != &payers[0])
		list_move_tail(&payer->list, &payers_idle);
}

static void payer_count(struct payer *payer, unsigned int what, u64 n, u64 now)
{
	payer->counts[what] += n;
	if (!list_empty(&payer->due))
		return;
	payer->since_ns = now;
	if (list_empty(&payers_due))
		mod_delayed_work(rdmaev_wq, &payer_work, HZ);
	list_add_tail(&payer->due, &payers_due);
}

/* What a word has before any of its payer is counted in it in this tick */
static u64 payer_again_begin(u32 uid)
{
	return FIELD_PREP(AGAIN_PAYER, uid) | AGAIN_USED |
	       FIELD_PREP(AGAIN_TICK, jiffies);
}

static void payer_pop_again(u64 *word, u64 begin, u64 now)
{
	u64 again = xchg(word, begin);
	u32 uid = FIELD_GET(AGAIN_PAYER, again);

	if (again & AGAIN_COUNT)
		payer_count(payer_find(uid) ?: &payers[0], RDMAEV_SHARE_CQS,
			    again & AGAIN_COUNT, now);
}

static void payer_miss(struct payer *payer, u32 uid, enum rdmaev_share share)
{
	u64 now = ktime_get_mono_fast_ns();

	payer_count(payer, share, 1, now);
	if (share == RDMAEV_SHARE_CQS)
		payer_pop_again(this_cpu_ptr(&payer_again[uid % AGAIN_WORDS]),
				payer_again_begin(uid), now);
}

/**
 * rdmaev_payer_miss_again - count a call about a CQ if one of the same payer has
 * just been missed
 * @uid: payer
 *
 * Context: any but NMI, on one CPU. Takes no lock.
 *
 * Return: false if it was not counted: there may be an entry.
 */
bool rdmaev_payer_miss_again(u32 uid)
{
	u64 *word = this_cpu_ptr(&payer_again[uid % AGAIN_WORDS]);
	u64 again = READ_ONCE(*word);

	/* If an interrupt or payer_report_due() is faster, it is counted there. */
	return (again & ~AGAIN_COUNT) == payer_again_begin(uid) &&
	       (again & AGAIN_COUNT) != AGAIN_COUNT &&
	       cmpxchg(word, again, again + 1) == again;
}

/**
 * rdmaev_payer_may_record - take one from the records that a payer may cause
 * @uid: payer
 * @can_fold: the event repeats one on record. It takes nothing of the last half
 *	of the records, which is for those that do not: others may be able to
 *	make a user's objects repeat an event
 *
 * Context: any but NMI, with any lock held except those of the log.
 *
 * Return: false if the event must not be recorded. It was counted, unless
 * @can_fold.
 */
bool rdmaev_payer_may_record(u32 uid, bool can_fold)
{
	u64 room = (can_fold ? PAYER_RECORDS / 2 : PAYER_RECORDS) *
		   PAYER_EACH_NS;
	u64 now, full;
	struct payer *payer;
	unsigned long flags;
	bool may_record;

	if (!uid)
		return true;
	now = ktime_get_mono_fast_ns();
	raw_spin_lock_irqsave(&payer_lock, flags);
	payer = payer_find(uid) ?: payer_begin(uid, now);
	payer_note_idle(payer);
	full = max(payer->full_ns, now) + PAYER_EACH_NS;
	may_record = full <= now + room;
	if (may_record)
		payer->full_ns = full;
	else if (!can_fold)
		payer_count(payer, PAYER_SUPPRESSED, 1, now);
	raw_spin_unlock_irqrestore(&payer_lock, flags);
	return may_record;
}

/**
 * rdmaev_payer_may_ask - take one from the QPs of a payer whose state may be asked
 * @uid: payer
 * @max: how many in a second
 *
 * Context: as for rdmaev_payer_may_record().
 *
 * Return: false if he has had as many. It was counted.
 */
bool rdmaev_payer_may_ask(u32 uid, u32 max)
{
	u64 now = ktime_get_mono_fast_ns();
	unsigned long second = jiffies / HZ;
	struct payer *payer;
	unsigned long flags;
	bool may_ask;

	raw_spin_lock_irqsave(&payer_lock, flags);
	payer = payer_find(uid) ?: payer_begin(uid, now);
	payer_note_idle(payer);
	if (payer->asked_at != second) {
		payer->asked_at = second;
		payer->asked = 0;
	}
	may_ask = payer->asked < max;
	if (may_ask)
		payer->asked++;
	else
		payer_count(payer, PAYER_NOT_ASKED, 1, now);
	raw_spin_unlock_irqrestore(&payer_lock, flags);
	return may_ask;
}

/**
 * rdmaev_payer_charge - take an entry from a payer's share of a table
 * @uid: payer
 * @share: table
 * @max: his share
 *
 * Context: any but NMI, with any lock held except those of the log.
 *
 * Return: account for rdmaev_payer_uncharge(); -1 if he holds as many as he
 * may, which was counted if it is a table of objects.
 */
int rdmaev_payer_charge(u32 uid, enum rdmaev_share share, u32 max)
{
	struct payer *payer;
	unsigned long flags;
	int account = -1;

	raw_spin_lock_irqsave(&payer_lock, flags);
	payer = payer_find(uid);
	if (unlikely(!payer))
		payer = payer_begin(uid, ktime_get_mono_fast_ns());
	if (payer->held[share] < max) {
		payer->held[share]++;
		if (!payer->held_in_all++)
			list_del_init(&payer->list);
		account = payer - payers;
	} else if (share < RDMAEV_SHARE_OBJECTS) {
		payer_miss(payer, uid, share);
	}
	raw_spin_unlock_irqrestore(&payer_lock, flags);
	return account;
}

/**
 * rdmaev_payer_uncharge - give an entry back
 * @account: what rdmaev_payer_charge() has returned
 * @share: table
 *
 * Context: as rdmaev_payer_charge().
 */
void rdmaev_payer_uncharge(unsigned int account, enum rdmaev_share share)
{
	struct payer *payer = &payers[account];
	unsigned long flags;

	raw_spin_lock_irqsave(&payer_lock, flags);
	payer->held[share]--;
	payer->held_in_all--;
	payer_note_idle(payer);
	raw_spin_unlock_irqrestore(&payer_lock, flags);
}

/**
 * rdmaev_payers_forget - give back all entries of a share
 * @share: table; its entries are neither taken nor given back any more
 */
void rdmaev_payers_forget(enum rdmaev_share share)
{
	struct payer *payer;

	raw_spin_lock_irq(&payer_lock);
	for (payer = payers; payer < payers + payers_count; payer++) {
		if (!payer->held[share])
			continue;
		payer->held_in_all -= payer->held[share];
		payer->held[share] = 0;
		payer_note_idle(payer);
	}
	raw_spin_unlock_irq(&payer_lock);
}

/**
 * rdmaev_payer_miss - count what has no entry although his share has room
 * @uid: payer
 * @share: table of objects
 *
 * Context: as rdmaev_payer_charge().
 */
void rdmaev_payer_miss(u32 uid, enum rdmaev_share share)
{
	struct payer *payer;
	unsigned long flags;

	raw_spin_lock_irqsave(&payer_lock, flags);
	payer = payer_find(uid) ?:
			payer_begin(uid, ktime_get_mono_fast_ns());
	payer_miss(payer, uid, share);
	payer_note_idle(payer);
	raw_spin_unlock_irqrestore(&payer_lock, flags);
}

/* Return the first payer whose counts are to be recorded now. */
static struct payer *payer_find_due(u64 now)
{
	struct payer *payer = list_first_entry_or_null(&payers_due,
						       struct payer, due);
	s64 left;

	if (!payer)
		return NULL;
	left = payer->since_ns + PAYER_REPORT_NS - now;
	if (left <= 0)
		return payer;
	mod_delayed_work(rdmaev_wq, &payer_work, nsecs_to_jiffies(left) + 1);
	return NULL;
}

/*
 * Take the counts of one payer, whose records are then made without the lock.
 * Returns false if none are due.
 */
static bool payer_pop_counts(struct payer *copy, u64 *time_ns)
{
	u64 now = ktime_get_mono_fast_ns();
	struct payer *payer;
	unsigned long flags;

	raw_spin_lock_irqsave(&payer_lock, flags);
	payer = payer_find_due(now);
	if (payer) {
		list_del_init(&payer->due);
		*copy = *payer;
		*time_ns = now - payer->since_ns;
		memset(payer->counts, 0, sizeof(payer->counts));
	}
	raw_spin_unlock_irqrestore(&payer_lock, flags);
	return payer;
}

static void payer_report(const struct payer *payer, unsigned int what,
			 u64 time_ns)
{
	static const u32 facts[PAYER_COUNTS] = {
		[RDMAEV_SHARE_QPS] = RDMAEV_OBSERVED_QP_STATES,
		[RDMAEV_SHARE_CQS] = RDMAEV_OBSERVED_USER_CQS,
		[RDMAEV_SHARE_CONNECTIONS] = RDMAEV_OBSERVED_CONNECTION_OWNERS,
		[RDMAEV_SHARE_OWNERS] = RDMAEV_OBSERVED_USER_EVENTS,
		[PAYER_NOT_ASKED] = RDMAEV_OBSERVED_QP_ENDS,
	};
	bool is_known = payer->uid < RDMAEV_PAYER_USERS;
	struct rdmaev_record rec = {
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_OBSERVER,
		.source = RDMAEV_SOURCE_OBSERVER,
		.count = min_t(u64, payer->counts[what], U32_MAX),
		.body.observer = {
			.info.known = is_known ? RDMAEV_KNOWN_UID : 0,
			.info.uid = is_known ? payer->uid : 0,
			.facts = facts[what],
			.time_ns = time_ns,
		},
	};

	rdmaev_record_set_code(&rec, what == PAYER_SUPPRESSED ? RDMAEV_OBSERVER_SUPPRESSED :
								RDMAEV_OBSERVER_MISSED);
	rec.ring = RDMAEV_RING_USER;
	/* Most of the QPs that were not asked have not failed. */
	if (what == PAYER_NOT_ASKED)
		rec.severity = RDMAEV_SEVERITY_INFO;
	rdmaev_append(NULL, &rec);
}

static void payer_pop_all_again(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		raw_spin_lock_irq(&payer_lock);
		for (i = 0; i < AGAIN_WORDS; i++)
			payer_pop_again(per_cpu_ptr(&payer_again[i], cpu), 0,
					ktime_get_mono_fast_ns());
		raw_spin_unlock_irq(&payer_lock);
	}
}

static void payer_report_due(struct work_struct *work)
{
	struct payer payer;
	unsigned int what;
	u64 time_ns;

	while (payer_pop_counts(&payer, &time_ns)) {
		for (what = 0; what < PAYER_COUNTS; what++) {
			if (payer.counts[what])
				payer_report(&payer, what, time_ns);
		}
		cond_resched();
	}
	payer_pop_all_again();
}

/** rdmaev_payers_init - allocate; before the first event; 0 or -ENOMEM */
int rdmaev_payers_init(void)
{
	payers = kvcalloc(RDMAEV_PAYERS, sizeof(*payers), GFP_KERNEL);
	if (!payers)
		return -ENOMEM;
	payer_begin(RDMAEV_PAYER_UNKNOWN, 0);
	return 0;
}

/** rdmaev_payers_exit - free the accounts; no more events arrive */
void rdmaev_payers_exit(void)
{
	cancel_delayed_work_sync(&payer_work);
	kvfree(payers);
}
