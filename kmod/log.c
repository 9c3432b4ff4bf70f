// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event log.
 *
 * A ring for each ring, one lock for all writers. The lock gives out seq
 * and orders the copies, so the order over rings is strict. Readers take no
 * lock: they copy a record and then look whether it was overwritten
 * meanwhile. They do take it where they lost records or seek, which is rare.
 *
 * Publishing, for the record with index i of a ring of n records:
 *
 *	writer (log.lock held)		reader
 *
 *	tail = i - n + 1		limit = rlog.seq	(D, acquire)
 *	smp_wmb()		(A)	read head		(C, acquire)
 *	copy into the slot		if pos < head: copy its slot
 *	head = i + 1	(B, release)	smp_rmb()		(A)
 *	rlog.seq = seq	(D, release)	tail > pos: the copy is void
 *
 * (A) Where the reader's copy has a byte of a newer record, it also sees the
 *     tail that the writer moved before writing it.
 * (B) pairs with (C): a slot below head is complete.
 * (D) With limit read first, every record up to limit is below the heads read
 *     after it, in every ring. So what is picked as the smallest seq not
 *     above limit is the smallest there is, and the order is strict.
 * (E) Where note_loss() sees a tail, it also sees what was noted of everything
 *     overwritten below it.
 */
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "log.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#ifndef CONFIG_64BIT
#error "rdmaev reads 64-bit positions without a lock and needs a 64-bit kernel"
#endif

/*
 * @head and @tail count from the first record ever appended: those in
 * [tail, head) are kept, at their index modulo the size of the ring.
 */
struct rdmaev_log_ring {
	unsigned long head;
	unsigned long tail;
	u64 evicted;			/* seq of the newest overwritten */
	struct rdmaev_log_evicted *evicted_of;
	struct rdmaev_record *slots;
};

/*
 * The newest overwritten record of each severity, kind and code, so that a reader
 * can find out whether any of what was overwritten was for it.
 */
struct rdmaev_log_evicted {
	u64 severity[RDMAEV_LOG_SEVERITIES];
	u64 kind[RDMAEV_KINDS];
	u64 code[RDMAEV_KINDS][64];
};

/*
 * @lock: protects all writing below. Raw, and with interrupts off: appends
 *	come from hard interrupts, on PREEMPT_RT too. Innermost lock of all.
 * @seq: seq of the newest record, read without the lock (D)
 * @wanted_any: any new record makes @wake call
 * @wanted: by severity and kind, the codes of which a new record does. A record
 *	clears its bit, until somebody wants it again
 * @hits: by kind, the codes of those that did, see rdmaev_log_take_hits()
 * @hit: who is to be woken and has not been yet, RDMAEV_WAKE_*
 * @listener: NULL: there is none
 * @listened: oldest record that it wants and has not been told of; 0: none
 */
static struct {
	raw_spinlock_t lock;
	u64 seq;
	unsigned int hit;
	bool wanted_any;
	const struct rdmaev_listener *listener;
	u64 listened;
	u64 wanted[RDMAEV_LOG_SEVERITIES][RDMAEV_KINDS];
	u64 hits[RDMAEV_KINDS];
	unsigned long mask;
	struct rdmaev_log_ring ring[RDMAEV_RINGS];
	struct irq_work wake_work;
	void (*wake)(unsigned int who);
} rlog;

static struct rdmaev_record *slot_at(struct rdmaev_log_ring *ring,
				     unsigned long index)
{
	return &ring->slots[index & rlog.mask];
}

static void wake_work_fn(struct irq_work *work)
{
	const struct rdmaev_listener *listener;
	unsigned long flags;
	unsigned int hit;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	hit = rlog.hit;
	rlog.hit = 0;
	listener = rlog.listened ? rlog.listener : NULL;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	if (hit)
		rlog.wake(hit);
	if (listener)
		listener->tell();
}

/**
 * rdmaev_log_init - make the log
 * @records: records that each ring keeps, a power of two from
 *	RDMAEV_RECORDS_MIN to RDMAEV_RECORDS_MAX
 * @wake: called once after records that were wanted, see rdmaev_log_want();
 *	from irq_work: in hard interrupt, or in a thread on PREEMPT_RT
 *
 * Return: 0 or -ENOMEM.
 */
int rdmaev_log_init(unsigned int records, void (*wake)(unsigned int who))
{
	int i;

	raw_spin_lock_init(&rlog.lock);
	init_irq_work(&rlog.wake_work, wake_work_fn);
	rlog.wake = wake;
	rlog.mask = records - 1;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		/* Who loads with too many is told by rdmaev_init(). */
		rlog.ring[i].slots = __vmalloc(array_size(records,
							  sizeof(struct rdmaev_record)),
					       GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		rlog.ring[i].evicted_of = kvzalloc(sizeof(*rlog.ring[i].evicted_of),
						   GFP_KERNEL);
		if (!rlog.ring[i].slots || !rlog.ring[i].evicted_of) {
			rdmaev_log_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * rdmaev_log_exit - free the log
 *
 * There must be no writer and no reader any more.
 */
void rdmaev_log_exit(void)
{
	int i;

	irq_work_sync(&rlog.wake_work);
	for (i = 0; i < RDMAEV_RINGS; i++) {
		vfree(rlog.ring[i].slots);
		rlog.ring[i].slots = NULL;
		kvfree(rlog.ring[i].evicted_of);
		rlog.ring[i].evicted_of = NULL;
	}
}

/* The record at tail is about to be overwritten. Called with the lock held. */
static void note_evicted(struct rdmaev_log_ring *ring,
			 const struct rdmaev_record *rec)
{
	struct rdmaev_log_evicted *of = ring->evicted_of;

	ring->evicted = rec->seq;
	WRITE_ONCE(of->severity[rec->severity], rec->seq);
	WRITE_ONCE(of->kind[rec->kind], rec->seq);
	WRITE_ONCE(of->code[rec->kind][rdmaev_code_bit(rec->code)], rec->seq);
}

/*
 * Is anybody to be woken for a record? Called with the lock held. Returns true
 * if so, and nobody is on the way to do it yet.
 */
static bool note_hit(const struct rdmaev_record *rec)
{
	const u64 bit = BIT_ULL(rdmaev_code_bit(rec->code));
	u64 *wanted = &rlog.wanted[rec->severity][rec->kind];
	unsigned int hit = 0;
	bool is_first;

	if (rlog.wanted_any) {
		WRITE_ONCE(rlog.wanted_any, false);
		hit = RDMAEV_WAKE_ANY;
	}
	if (*wanted & bit) {
		*wanted &= ~bit;
		rlog.hits[rec->kind] |= bit;
		hit |= RDMAEV_WAKE_SOME;
	}
	is_first = hit && !rlog.hit;
	rlog.hit |= hit;
	return is_first;
}

/**
 * rdmaev_log_append - append a record
 * @rec: complete but for seq and the two times, which are filled in
 * @tally: where it is counted, may be NULL
 *
 * Context: any but NMI, with any lock held. Neither sleeps nor allocates.
 *
 * Return: seq of the record.
 */
u64 rdmaev_log_append(struct rdmaev_record *rec, struct rdmaev_tally *tally)
{
	struct rdmaev_log_ring *ring = &rlog.ring[rec->ring];
	struct rdmaev_record *slot;
	unsigned long head, flags;
	bool notify;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	/* Inside, so that times are in the order of seq as far as clocks are. */
	rec->boottime_ns = ktime_get_boot_fast_ns();
	rec->realtime_ns = ktime_get_real_fast_ns();
	rec->seq = rlog.seq + 1;

	head = ring->head;
	slot = slot_at(ring, head);
	if (head - ring->tail > rlog.mask) {
		note_evicted(ring, slot);
		smp_wmb();				/* (E) */
		WRITE_ONCE(ring->tail, ring->tail + 1);
		smp_wmb();				/* (A) */
	}
	memcpy(slot, rec, sizeof(*slot));
	if (tally) {
		tally->count += rec->count;
		tally->seq = rec->seq;
		tally->boottime_ns = rec->boottime_ns;
		tally->realtime_ns = rec->realtime_ns;
	}
	smp_store_release(&ring->head, head + 1);	/* (B) */
	smp_store_release(&rlog.seq, rec->seq);		/* (D) */
	notify = note_hit(rec);
	/* One that it has not come for yet makes it see this one, too. */
	if (rlog.listener && !rlog.listened && rlog.listener->wants(rec)) {
		rlog.listened = rec->seq;
		notify = true;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);

	trace_rdmaev_record(rec);
	if (notify)
		irq_work_queue(&rlog.wake_work);
	return rec->seq;
}

/**
 * rdmaev_log_copy_tallies - have tallies that are each true of one seq
 * @to: copies
 * @from: tallies
 * @n: how many; interrupts are off meanwhile
 *
 * What the newest record was before is in them.
 */
void rdmaev_log_copy_tallies(struct rdmaev_tally *to,
			     const struct rdmaev_tally *from, unsigned int n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	memcpy(to, from, n * sizeof(*to));
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/** rdmaev_log_records - records that each ring keeps */
unsigned int rdmaev_log_records(void)
{
	return rlog.mask + 1;
}

/** rdmaev_log_newest - seq of the newest record, 0 if there is none */
u64 rdmaev_log_newest(void)
{
	return smp_load_acquire(&rlog.seq);		/* (D) */
}

/* Called with the lock held. */
static u64 oldest_locked(void)
{
	u64 oldest = 0;
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		struct rdmaev_log_ring *ring = &rlog.ring[i];
		u64 seq;

		if (ring->head == ring->tail)
			continue;
		seq = slot_at(ring, ring->tail)->seq;
		if (!oldest || seq < oldest)
			oldest = seq;
	}
	return oldest;
}

/** rdmaev_log_oldest - seq of the oldest record kept, 0 if there is none */
u64 rdmaev_log_oldest(void)
{
	unsigned long flags;
	u64 oldest;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	oldest = oldest_locked();
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	return oldest;
}

/** rdmaev_log_has - is a record of this seq in a ring still kept */
bool rdmaev_log_has(unsigned int which, u64 seq)
{
	unsigned long flags;
	bool has;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	has = rlog.ring[which].evicted < seq;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	return has;
}

/* Index of the first kept record of @seq or newer. The lock is held. */
static unsigned long find_locked(struct rdmaev_log_ring *ring, u64 seq)
{
	unsigned long low = ring->tail, high = ring->head;

	while (low != high) {
		unsigned long mid = low + (high - low) / 2;

		if (slot_at(ring, mid)->seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Was a record with a seq above @after overwritten that the cursor wants? Exact but
 * for the severity: to be true it is enough that one record had the kind and
 * code, and one the severity.
 */
static bool is_evicted(const struct rdmaev_log_ring *ring,
		       const struct rdmaev_interest *wants, u64 after)
{
	const struct rdmaev_log_evicted *of = ring->evicted_of;
	unsigned int i;

	if (!wants)
		return true;
	for (i = 0; i < RDMAEV_LOG_SEVERITIES; i++) {
		if (wants->severities & BIT(i) &&
		    READ_ONCE(of->severity[i]) > after)
			break;
	}
	if (i == RDMAEV_LOG_SEVERITIES)
		return false;
	for (i = 0; i < RDMAEV_KINDS; i++) {
		u64 codes = wants->codes[i];

		if (!codes || READ_ONCE(of->kind[i]) <= after)
			continue;
		if (codes == U64_MAX)
			return true;
		for (; codes; codes &= codes - 1) {
			if (READ_ONCE(of->code[i][__ffs64(codes)]) > after)
				return true;
		}
	}
	return false;
}

/**
 * rdmaev_log_seek - make a record the next one
 * @cur: cursor; its rings are kept
 * @seq: seq of the record, from 1 to the newest and one more
 *
 * What is no longer kept becomes a loss, if a ring that is followed has its
 * part in it. How much of it was in each ring is known only if it was all in
 * one, but the sum over all rings is exact: no seq is unused.
 *
 * Return: 0, or -ENXIO for a seq that has yet to be given.
 */
int rdmaev_log_seek(struct rdmaev_cursor *cur, u64 seq)
{
	unsigned int lossy = 0;
	unsigned long flags;
	u64 missing, last = 0;
	int i, which = 0;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	if (seq > rlog.seq + 1) {
		raw_spin_unlock_irqrestore(&rlog.lock, flags);
		return -ENXIO;
	}
	memset(cur->gap, 0, sizeof(cur->gap));
	cur->limit = rlog.seq;
	cur->seen = seq - 1;
	missing = rlog.seq + 1 - seq;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		struct rdmaev_log_ring *ring = &rlog.ring[i];

		cur->pos[i] = find_locked(ring, seq);
		cur->next[i] = 0;
		missing -= ring->head - cur->pos[i];
		if (ring->evicted < seq)
			continue;
		lossy |= BIT(i);
		which = i;
		last = max(last, ring->evicted);
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);

	/* What was overwritten since then, too, is a loss that is found later. */
	for (i = 0; i < RDMAEV_RINGS; i++) {
		if (lossy & cur->rings & BIT(i) &&
		    is_evicted(&rlog.ring[i], cur->wants, seq - 1))
			break;
	}
	if (i == RDMAEV_RINGS)
		return 0;
	if (lossy & ~BIT(which))
		which = RDMAEV_RINGS;
	else
		cur->next[which] = last;
	cur->gap[which].first = seq;
	cur->gap[which].last = last;
	cur->gap[which].count = missing;
	return 0;
}

/**
 * rdmaev_log_seek_oldest - make the oldest record kept the next one
 * @cur: cursor; its rings are kept. Nothing is lost to it so far
 */
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur)
{
	unsigned long flags;
	u64 oldest;
	int i;

	memset(cur->gap, 0, sizeof(cur->gap));
	raw_spin_lock_irqsave(&rlog.lock, flags);
	oldest = oldest_locked();
	cur->limit = rlog.seq;
	cur->seen = oldest ? oldest - 1 : rlog.seq;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		cur->pos[i] = rlog.ring[i].tail;
		cur->next[i] = 0;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_seek_end - make the next record that will be appended the next
 * @cur: cursor; its rings are kept
 */
void rdmaev_log_seek_end(struct rdmaev_cursor *cur)
{
	unsigned long flags;
	int i;

	memset(cur->gap, 0, sizeof(cur->gap));
	raw_spin_lock_irqsave(&rlog.lock, flags);
	cur->limit = rlog.seq;
	cur->seen = rlog.seq;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		cur->pos[i] = rlog.ring[i].head;
		cur->next[i] = 0;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_follow - follow other rings from here on
 * @cur: cursor
 * @rings: bit n: ring n
 *
 * What rings that were not followed have overwritten meanwhile is no loss:
 * nobody wanted it.
 */
void rdmaev_log_follow(struct rdmaev_cursor *cur, unsigned int rings)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	for (i = 0; i < RDMAEV_RINGS; i++) {
		if (!((rings ^ cur->rings) & BIT(i)))
			continue;
		cur->pos[i] = find_locked(&rlog.ring[i], cur->seen + 1);
		cur->next[i] = 0;
		cur->gap[i].count = 0;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	cur->rings = rings;
}

static bool overwritten(const struct rdmaev_log_ring *ring, unsigned long index)
{
	smp_rmb();					/* (A) */
	return (long)(READ_ONCE(ring->tail) - index) > 0;
}

/* What is gone at pos is lost. */
static void extend_gap(struct rdmaev_cursor *cur, int i)
{
	struct rdmaev_log_ring *ring = &rlog.ring[i];
	struct rdmaev_gap *gap = &cur->gap[i];
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	gap->count += ring->tail - cur->pos[i];
	gap->last = ring->evicted;
	cur->pos[i] = ring->tail;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/*
 * The record at pos is gone, and has a seq of @first or more. Remember how much went
 * with it, as it is now: to chase a ring that is being overwritten all the time
 * would never end. Returns seq of the newest of the gap; 0 if there is nothing in
 * it that the cursor wants, then that is passed.
 *
 * Up to the tail that is read first everything overwritten is seen by is_evicted().
 * Where that finds a record, it is below the tail that is read then.
 */
static u64 note_loss(struct rdmaev_cursor *cur, int i, u64 first)
{
	struct rdmaev_log_ring *ring = &rlog.ring[i];
	unsigned long tail;

	if (cur->wants) {
		tail = READ_ONCE(ring->tail);
		smp_rmb();				/* (E) */
		if (!is_evicted(ring, cur->wants, first - 1)) {
			cur->pos[i] = tail;
			return 0;
		}
	}
	cur->gap[i].first = first;
	extend_gap(cur, i);
	return cur->gap[i].last;
}

/**
 * rdmaev_log_settle - find the losses up to now
 * @cur: cursor
 *
 * To be called before what it wants changes: what is overwritten so far is a loss
 * in the terms of what it has wanted.
 */
void rdmaev_log_settle(struct rdmaev_cursor *cur)
{
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		if (!(cur->rings & BIT(i)) ||
		    !overwritten(&rlog.ring[i], cur->pos[i]))
			continue;
		if (cur->gap[i].count) {
			extend_gap(cur, i);
			cur->next[i] = cur->gap[i].last;
		} else {
			cur->next[i] = note_loss(cur, i, cur->seen + 1);
		}
	}
}

/* seq of what comes next in a ring, 0 if there is nothing. */
static u64 peek(struct rdmaev_cursor *cur, int i)
{
	struct rdmaev_log_ring *ring = &rlog.ring[i];
	u64 seq;

	do {
		if (cur->pos[i] == smp_load_acquire(&ring->head))	/* (C) */
			return 0;
		/* May race with a writer, as in copy_run(); then it is not used. */
		seq = data_race(READ_ONCE(slot_at(ring, cur->pos[i])->seq));
		if (unlikely(overwritten(ring, cur->pos[i])))
			seq = note_loss(cur, i, cur->seen + 1);
	} while (!seq);
	return seq;
}

static void tell_loss(struct rdmaev_cursor *cur, int i,
		      struct rdmaev_record *rec)
{
	struct rdmaev_gap *gap = &cur->gap[i];

	memset(rec, 0, sizeof(*rec));
	rec->seq = gap->last;
	rec->boottime_ns = ktime_get_boot_fast_ns();
	rec->realtime_ns = ktime_get_real_fast_ns();
	rec->kind = RDMAEV_KIND_LOST;
	rec->severity = RDMAEV_SEVERITY_ERROR;
	rec->ring = i < RDMAEV_RINGS ? i : RDMAEV_RING_ANY;
	rec->count = min_t(u64, gap->count, U32_MAX);
	rec->body.lost.first = gap->first;
	rec->body.lost.last = gap->last;
	rec->body.lost.count = gap->count;

	cur->seen = gap->last;
	gap->count = 0;
	if (i < RDMAEV_RINGS)
		cur->next[i] = 0;
}

/*
 * Copy up to @max records of a ring from its position on, those with a seq
 * below @bound. The one at the position is @first. Returns how many, 0 if that
 * one was overwritten meanwhile.
 */
static size_t copy_run(struct rdmaev_cursor *cur, int i, u64 first, u64 bound,
		       struct rdmaev_record *recs, size_t max)
{
	struct rdmaev_log_ring *ring = &rlog.ring[i];
	unsigned long pos = cur->pos[i];
	size_t n, taken = 1;

	n = min_t(size_t, max, smp_load_acquire(&ring->head) - pos);	/* (C) */
	n = min_t(size_t, n, rlog.mask + 1 - (pos & rlog.mask));
	/* A seq is used once: there cannot be more below the bound. */
	n = min_t(u64, n, bound - first);

	/* The copy may race with a writer; then it is thrown away. */
	data_race(memcpy(recs, slot_at(ring, pos), n * sizeof(*recs)));
	if (unlikely(overwritten(ring, pos))) {
		cur->next[i] = note_loss(cur, i, first);
		return 0;
	}
	while (taken < n && recs[taken].seq < bound)
		taken++;
	cur->pos[i] = pos + taken;
	cur->next[i] = taken < n ? recs[taken].seq : 0;
	cur->seen = recs[taken - 1].seq;
	return taken;
}

/**
 * rdmaev_log_read - take the next records, and the losses between them
 * @cur: cursor; moved past what was taken. One caller at a time
 * @recs: filled in
 * @max: room there
 *
 * Context: any.
 *
 * Return: how many. Fewer than @max only if there is nothing after the cursor.
 */
size_t rdmaev_log_read(struct rdmaev_cursor *cur, struct rdmaev_record *recs,
		       size_t max)
{
	size_t n = 0;

	while (n < max) {
		u64 best = U64_MAX, bound;
		int i, pick = 0;

		if (cur->seen >= cur->limit) {
			cur->limit = smp_load_acquire(&rlog.seq);	/* (D) */
			if (cur->seen >= cur->limit)
				break;
		}

		/* What comes first, and what comes first of the others. */
		bound = cur->limit + 1;
		if (unlikely(cur->gap[RDMAEV_RINGS].count)) {
			best = cur->gap[RDMAEV_RINGS].last;
			pick = RDMAEV_RINGS;
		}
		for (i = 0; i < RDMAEV_RINGS; i++) {
			if (!(cur->rings & BIT(i)))
				continue;
			if (!cur->next[i])
				cur->next[i] = peek(cur, i);
			if (!cur->next[i])
				continue;
			if (cur->next[i] < best) {
				bound = min(bound, best);
				best = cur->next[i];
				pick = i;
			} else {
				bound = min(bound, cur->next[i]);
			}
		}

		if (best > cur->limit) {
			/* All up to limit has been passed. */
			cur->seen = cur->limit;
		} else if (unlikely(cur->gap[pick].count)) {
			tell_loss(cur, pick, &recs[n++]);
		} else {
			n += copy_run(cur, pick, best, bound, &recs[n],
				      max - n);
		}
	}
	return n;
}

/**
 * rdmaev_log_want - have wake called once for the next record of each sort
 * @interest: sorts
 *
 * An append that is not seen by a look at the log after this call makes wake
 * run: both take the log's lock.
 *
 * Return: seq of the newest record.
 */
u64 rdmaev_log_want(const struct rdmaev_interest *interest)
{
	unsigned long flags;
	unsigned int i, k;
	u64 newest;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	for (i = 0; i < RDMAEV_LOG_SEVERITIES; i++) {
		if (!(interest->severities & BIT(i)))
			continue;
		for (k = 0; k < RDMAEV_KINDS; k++)
			rlog.wanted[i][k] |= interest->codes[k];
	}
	newest = rlog.seq;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	return newest;
}

/**
 * rdmaev_log_want_any - have wake called once for the next record
 *
 * As rdmaev_log_want(). To be called by one that is on its wait queue: where the
 * next record is wanted already, it will be woken with all that wait for it.
 */
void rdmaev_log_want_any(void)
{
	unsigned long flags;

	/* What was appended before somebody else wanted it, this one sees, too. */
	if (smp_load_acquire(&rlog.wanted_any))
		return;
	raw_spin_lock_irqsave(&rlog.lock, flags);
	smp_store_release(&rlog.wanted_any, true);	/* see above */
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_take_hits - for what wake was called
 * @hits: for each kind, the codes of which a record was wanted and has come since
 *	the last call
 */
void rdmaev_log_take_hits(u64 *hits)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	memcpy(hits, rlog.hits, sizeof(rlog.hits));
	memset(rlog.hits, 0, sizeof(rlog.hits));
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_set_listener - have somebody told of records
 * @listener: who; NULL: nobody any more, and nobody is being told on return
 */
void rdmaev_log_set_listener(const struct rdmaev_listener *listener)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	rlog.listener = listener;
	rlog.listened = 0;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	if (!listener)
		irq_work_sync(&rlog.wake_work);
}

/**
 * rdmaev_log_take_wanted - where the records begin that the listener wants
 *
 * Return: seq of the oldest one since the last call; 0: there was none.
 */
u64 rdmaev_log_take_wanted(void)
{
	unsigned long flags;
	u64 seq;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	seq = rlog.listened;
	rlog.listened = 0;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	return seq;
}
