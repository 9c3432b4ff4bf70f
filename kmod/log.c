// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event log.
 *
 * Each ring has a buffer, and all writers have one lock. The lock gives out seq
 * and orders the copies, so the order over rings is strict. Readers never take
 * it, not to seek or to count a loss either: they copy what they need and then
 * check whether it was overwritten meanwhile.
 *
 * Publishing, for the record with index i of a ring of n records:
 *
 *	writer (rlog.lock held)		reader
 *
 *	t = i - n + 1			limit = rlog.seq	(D, acquire)
 *	note what t - 1 was		read head		(C, acquire)
 *	evicted[t & 1] = its seq	if pos < head: copy its slot
 *	tail = t	(E, release)
 *	smp_wmb()		(A)	smp_rmb()		(A)
 *	copy into the slot		tail > pos: the copy is void
 *	head = i + 1	(B, release)
 *	rlog.seq = seq	(D, release)
 *
 * (A) If the reader's copy has a byte of a newer record, the reader also sees
 *     the tail that the writer moved before it wrote that byte.
 * (B) pairs with (C): a slot below head is complete.
 * (D) With limit read first, every record up to limit is below the heads read
 *     after it, in every ring. So what is picked as the smallest seq not
 *     above limit is the smallest there is, and the order is strict.
 * (E) A reader that sees a tail also sees the evicted seq that belongs to it, and
 *     what was noted of everything evicted before. As there are two evicted seqs,
 *     that one is overwritten only after tail has moved on (A), which the reader
 *     sees when it looks at tail again. What was noted may already be of the next
 *     record, whose tail is to follow in a moment.
 *
 * No step of a reader has to be repeated unless a ring has evicted a record within
 * the few instructions that it took. An append takes far longer than that, so a
 * reader gets on however many there are. Where a reader sees half of what a writer
 * stores, it waits for the rest: the writer has interrupts off and a few stores to go.
 */
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/processor.h>
#include <linux/pvclock_gtod.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeper_internal.h>
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
};

/*
 * The newest evicted record of each severity, kind and code, so that a reader can
 * find out whether any of what was evicted was for it.
 */
struct rdmaev_log_evicted {
	u64 severity[RDMAEV_LOG_SEVERITIES];
	u64 kind[RDMAEV_KINDS];
	u64 code[RDMAEV_KINDS][RDMAEV_CODE_OTHER + 1];
};

static const struct rdmaev_log_name log_no_name;

/* In rdmaev_tally.seq while the rest of it changes: larger than any */
#define TALLY_CHANGES	U64_MAX

/*
 * Three groups, each with cache lines of its own.
 *
 * Writers' own. Readers stay away from it, but for a look at @evicted when they
 * seek or have lost records:
 * @lock: protects all writing in the first two groups. Raw, and with interrupts
 *	off: appends come from hard interrupts, on PREEMPT_RT too. Innermost lock
 *	of all.
 * @wanted: by severity and kind, the codes of which a new record makes @wake call.
 *	A record clears its bit, until somebody wants it again
 * @hits: by kind, the codes of those that did, see rdmaev_log_take_hits()
 * @hit: who is to be woken and has not been yet, RDMAEV_WAKE_*
 * @listener: NULL: there is none
 * @listened: oldest record that it wants and has not been told of; 0: none
 * @wake_work: calls @wake and the listener
 * @evicted: seq of the newest record that each ring has overwritten, where its
 *	tail is even and where it is odd (E)
 *
 * Published: written by each append, polled by readers. One line:
 * @seq: seq of the newest record (D)
 * @ring: positions in the rings
 * @wanted_any: any new record makes @wake call
 *
 * Hardly ever written:
 * @mask: records in a ring less one
 * @slots: the records of each ring
 * @evicted_of: what each ring has evicted, by sort; what this points to is written
 *	under @lock
 * @real_offset: CLOCK_REALTIME less CLOCK_BOOTTIME, see log_clock_changed()
 * @wake: see rdmaev_log_init()
 */
static struct {
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	unsigned int hit;
	const struct rdmaev_listener *listener;
	u64 listened;
	struct irq_work wake_work;
	u64 evicted[RDMAEV_RINGS][2];
	u64 wanted[RDMAEV_LOG_SEVERITIES][RDMAEV_KINDS];
	u64 hits[RDMAEV_KINDS];

	u64 seq ____cacheline_aligned_in_smp;
	struct rdmaev_log_ring ring[RDMAEV_RINGS];
	bool wanted_any;

	unsigned long mask ____cacheline_aligned_in_smp;
	struct rdmaev_record *slots[RDMAEV_RINGS];
	struct rdmaev_log_evicted *evicted_of[RDMAEV_RINGS];
	s64 real_offset;
	void (*wake)(unsigned int who);
} rlog;

static struct rdmaev_record *log_slot(unsigned int which, unsigned long index)
{
	return &rlog.slots[which][index & rlog.mask];
}

static void log_wake_fn(struct irq_work *work)
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

/*
 * Both clocks are CLOCK_MONOTONIC plus an offset, which changes when a clock is
 * set or the machine was suspended, so to read one of them is enough. The
 * timekeeper calls this with its lock held after each change, and on each tick.
 */
static int log_clock_changed(struct notifier_block *nb, unsigned long was_set,
			     void *data)
{
	const struct timekeeper *tk = data;
	s64 offset = ktime_to_ns(ktime_sub(tk->offs_real, tk->offs_boot));

	if (rlog.real_offset != offset)
		WRITE_ONCE(rlog.real_offset, offset);
	return NOTIFY_OK;
}

static struct notifier_block log_clock_notifier = {
	.notifier_call = log_clock_changed,
};

static void log_set_times(struct rdmaev_record *rec)
{
	rec->boottime_ns = ktime_get_boot_fast_ns();
	rec->realtime_ns = rec->boottime_ns + READ_ONCE(rlog.real_offset);
}

static void log_free_rings(void)
{
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		vfree(rlog.slots[i]);
		rlog.slots[i] = NULL;
		kvfree(rlog.evicted_of[i]);
		rlog.evicted_of[i] = NULL;
	}
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
	init_irq_work(&rlog.wake_work, log_wake_fn);
	rlog.wake = wake;
	rlog.mask = records - 1;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		/* Who loads with too many is told by rdmaev_init(). */
		rlog.slots[i] = __vmalloc(array_size(records,
						     sizeof(struct rdmaev_record)),
					  GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		rlog.evicted_of[i] = kvzalloc(sizeof(*rlog.evicted_of[i]),
					      GFP_KERNEL);
		if (!rlog.slots[i] || !rlog.evicted_of[i]) {
			log_free_rings();
			return -ENOMEM;
		}
	}
	/* Calls back at once, so that the offset is right from the start. */
	pvclock_gtod_register_notifier(&log_clock_notifier);
	return 0;
}

/**
 * rdmaev_log_exit - free the log
 *
 * There must be no writer and no reader any more.
 */
void rdmaev_log_exit(void)
{
	pvclock_gtod_unregister_notifier(&log_clock_notifier);
	irq_work_sync(&rlog.wake_work);
	log_free_rings();
}

/* Make room for one record; @oldest is the oldest. The lock is held. */
static void log_evict(unsigned int which, const struct rdmaev_record *oldest)
{
	struct rdmaev_log_evicted *of = rlog.evicted_of[which];
	struct rdmaev_log_ring *ring = &rlog.ring[which];
	unsigned long tail = ring->tail + 1;
	u64 seq = oldest->seq;

	WRITE_ONCE(of->severity[oldest->severity], seq);
	WRITE_ONCE(of->kind[oldest->kind], seq);
	WRITE_ONCE(of->code[oldest->kind][rdmaev_code_bit(oldest->code)], seq);
	WRITE_ONCE(rlog.evicted[which][tail & 1], seq);
	smp_store_release(&ring->tail, tail);		/* (E) */
	smp_wmb();					/* (A) */
}

/*
 * Count a record. The lock is held, so there is no other writer; readers see by
 * seq what changes under their hands, see rdmaev_log_copy_tally().
 */
static void log_count_record(struct rdmaev_tally *tally,
			     const struct rdmaev_record *rec)
{
	WRITE_ONCE(tally->seq, TALLY_CHANGES);
	smp_wmb();					/* (F) */
	WRITE_ONCE(tally->count, tally->count + rec->count);
	WRITE_ONCE(tally->boottime_ns, rec->boottime_ns);
	WRITE_ONCE(tally->realtime_ns, rec->realtime_ns);
	smp_store_release(&tally->seq, rec->seq);	/* (G) */
}

/*
 * Is anybody to be woken for a record? Called with the lock held. Returns true
 * if so, and nobody is on the way to do it yet.
 */
static bool log_note_hit(const struct rdmaev_record *rec)
{
	const u64 bit = BIT_ULL(rdmaev_code_bit(rec->code));
	u64 *wanted = &rlog.wanted[rec->severity][rec->kind];
	bool is_first = !rlog.hit;

	if (likely(!(*wanted & bit) && !rlog.wanted_any))
		return false;
	if (rlog.wanted_any) {
		WRITE_ONCE(rlog.wanted_any, false);
		rlog.hit |= RDMAEV_WAKE_ANY;
	}
	if (*wanted & bit) {
		*wanted &= ~bit;
		rlog.hits[rec->kind] |= bit;
		rlog.hit |= RDMAEV_WAKE_SOME;
	}
	return is_first;
}

/*
 * Fill a slot, but for what it has already: mostly the record before was one like this.
 * The lock is held, so the name stays for the copy.
 */
static void log_fill_slot(struct rdmaev_record *slot,
			  const struct rdmaev_record *rec,
			  const struct rdmaev_log_name *name)
{
	if (rdmaev_has_body(rec))
		memcpy(&slot->body, &rec->body, sizeof(slot->body));
	else if (rdmaev_has_body(slot))
		memset(&slot->body, 0, sizeof(slot->body));
	if (slot->generation != rec->generation || READ_ONCE(name->changed))
		memcpy(slot->device_name, rdmaev_log_name_text(name),
		       sizeof(slot->device_name));
	memcpy(slot, rec, offsetof(struct rdmaev_record, device_name));
}

/**
 * rdmaev_log_append - append a record
 * @rec: complete but for seq and the two times, which are filled in, and the name of
 *	the device. The body is not looked at if it has none, see rdmaev_has_body()
 * @name: name of the device; NULL: none
 * @tally: where it is counted, may be NULL
 *
 * Context: any but NMI, with any lock held. Neither sleeps nor allocates.
 *
 * Return: seq of the record.
 */
u64 rdmaev_log_append(struct rdmaev_record *rec,
		      const struct rdmaev_log_name *name,
		      struct rdmaev_tally *tally)
{
	unsigned int which = rec->ring;
	struct rdmaev_log_ring *ring = &rlog.ring[which];
	struct rdmaev_record *slot;
	unsigned long head, flags;
	bool notify;
	u64 seq;

	if (!name)
		name = &log_no_name;
	raw_spin_lock_irqsave(&rlog.lock, flags);
	/* Inside, so that times are in the order of seq as far as clocks are. */
	log_set_times(rec);
	seq = rlog.seq + 1;
	rec->seq = seq;

	head = ring->head;
	slot = log_slot(which, head);
	if (head - ring->tail > rlog.mask)
		log_evict(which, slot);
	log_fill_slot(slot, rec, name);
	if (tally)
		log_count_record(tally, rec);
	smp_store_release(&ring->head, head + 1);	/* (B) */
	smp_store_release(&rlog.seq, seq);		/* (D) */
	notify = log_note_hit(rec);
	/* One that it has not come for yet makes it see this one, too. */
	if (rlog.listener && !rlog.listened && rlog.listener->wants(rec)) {
		rlog.listened = seq;
		notify = true;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);

	trace_rdmaev_record(rec, name);
	if (notify)
		irq_work_queue(&rlog.wake_work);
	return seq;
}

/**
 * rdmaev_log_copy_tally - copy a tally that may be written meanwhile
 * @to: copy: all of it is of one seq
 * @from: tally
 *
 * A record that was the newest before the call is in it, and what is in it can be
 * read.
 *
 * The copy is good if seq was the same before (G) and after it (F), and has been
 * published (D). A writer that has not done so yet has interrupts off and a few
 * stores to go. To be overtaken time and again takes an append to this very tally
 * each time, which takes many times as long as a copy. So this ends, whoever
 * appends.
 *
 * Context: any but NMI.
 */
void rdmaev_log_copy_tally(struct rdmaev_tally *to,
			   const struct rdmaev_tally *from)
{
	for (;;) {
		to->seq = smp_load_acquire(&from->seq);	/* (G) */
		to->count = READ_ONCE(from->count);
		to->boottime_ns = READ_ONCE(from->boottime_ns);
		to->realtime_ns = READ_ONCE(from->realtime_ns);
		smp_rmb();				/* (F) */
		if (READ_ONCE(from->seq) == to->seq &&
		    to->seq <= rdmaev_log_newest())	/* (D) */
			break;
		cpu_relax();
	}
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

/* Is the record at @index gone, or was it while something was read before? */
static bool log_overwritten(const struct rdmaev_log_ring *ring,
			    unsigned long index)
{
	smp_rmb();					/* (A) */
	return (long)(READ_ONCE(ring->tail) - index) > 0;
}

/* A record's seq, void if log_overwritten() says so then. */
static u64 log_seq_at(unsigned int which, unsigned long index)
{
	/* It may race with a writer; then it is not used. */
	return data_race(READ_ONCE(log_slot(which, index)->seq));
}

/* Index of the oldest record kept, and seq of the one before it, 0: none. */
static unsigned long log_read_tail(unsigned int which, u64 *evicted)
{
	const struct rdmaev_log_ring *ring = &rlog.ring[which];
	unsigned long tail;

	do {
		tail = smp_load_acquire(&ring->tail);	/* (E) */
		*evicted = READ_ONCE(rlog.evicted[which][tail & 1]);
	} while (unlikely(log_overwritten(ring, tail)));
	return tail;
}

/* seq and index of the oldest record kept; 0 and that of the next if there is none */
static u64 log_read_oldest(unsigned int which, unsigned long *index)
{
	const struct rdmaev_log_ring *ring = &rlog.ring[which];
	u64 seq;

	do {
		*index = smp_load_acquire(&ring->tail);	/* (E) */
		if (*index == smp_load_acquire(&ring->head))	/* (C) */
			return 0;
		seq = log_seq_at(which, *index);
	} while (unlikely(log_overwritten(ring, *index)));
	return seq;
}

/*
 * Index of the first record kept of @seq or newer. There has been a record of
 * @seq - 1. If @evicted is not less than @seq, some such are gone: those in front
 * of the one that is returned, up to @evicted.
 *
 * What is gone meanwhile makes what is left to search smaller, as any other
 * answer: no writer can make this take longer.
 */
static unsigned long log_find_seq(unsigned int which, u64 seq, u64 *evicted)
{
	const struct rdmaev_log_ring *ring = &rlog.ring[which];
	unsigned long low = log_read_tail(which, evicted);
	unsigned long high = smp_load_acquire(&ring->head);	/* (C) */

	while (*evicted < seq && low != high) {
		unsigned long mid = low + (high - low) / 2;
		u64 found = log_seq_at(which, mid);

		if (unlikely(log_overwritten(ring, mid)))
			low = log_read_tail(which, evicted);
		else if (found < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * rdmaev_log_oldest - seq of the oldest record kept, 0 if there is none
 *
 * It was the oldest at some time during the call.
 */
u64 rdmaev_log_oldest(void)
{
	unsigned long index;
	u64 oldest = 0;
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		u64 seq = log_read_oldest(i, &index);

		if (seq && (!oldest || seq < oldest))
			oldest = seq;
	}
	return oldest;
}

/*
 * Was a record with a seq above @after evicted that the cursor wants? Exact but for
 * the severity: it is enough that one record had the kind and code, and one the
 * severity. Returns 0: no; else the seq up to which the two are.
 */
static u64 log_newest_evicted(unsigned int which,
			      const struct rdmaev_interest *wants, u64 after)
{
	const struct rdmaev_log_evicted *of = rlog.evicted_of[which];
	u64 severity = 0, kind = 0;
	unsigned int i;

	if (!wants)
		return 1;
	for (i = 0; i < RDMAEV_LOG_SEVERITIES; i++) {
		if (wants->severities & BIT(i))
			severity = max(severity, READ_ONCE(of->severity[i]));
	}
	if (severity <= after)
		return 0;
	for (i = 0; i < RDMAEV_KINDS; i++) {
		u64 codes = wants->codes[i], seq = READ_ONCE(of->kind[i]);

		if (!codes || seq <= after)
			continue;
		if (codes == U64_MAX)
			kind = max(kind, seq);
		for (; codes != U64_MAX && codes; codes &= codes - 1)
			kind = max(kind, READ_ONCE(of->code[i][__ffs64(codes)]));
	}
	return kind > after ? max(severity, kind) : 0;
}

/**
 * rdmaev_log_seek - make a record the next one
 * @cur: cursor; its rings are kept
 * @seq: seq of the record, from 1 to the newest and one more
 *
 * What is no longer kept becomes a loss, if a ring that is followed has its
 * part in it. How much of it was in each ring is known only if it was all in
 * one, but the sum over all rings is exact: no seq is unused. Of the records
 * before @seq each is in front of the place of @seq in one of the rings, so what
 * is in front of @pos beyond them is missing. This needs no moment at which all
 * rings are as they were found.
 *
 * Return: 0, or -ENXIO for a seq that has yet to be given.
 */
int rdmaev_log_seek(struct rdmaev_cursor *cur, u64 seq)
{
	u64 newest = rdmaev_log_newest(), before = 0, last = 0;
	unsigned int lossy = 0;
	int i, which = 0;

	if (seq > newest + 1)
		return -ENXIO;
	memset(cur->gap, 0, sizeof(cur->gap));
	cur->limit = newest;
	cur->seen = seq - 1;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		u64 evicted;

		cur->pos[i] = log_find_seq(i, seq, &evicted);
		cur->next[i] = 0;
		cur->passed[i] = evicted;
		before += cur->pos[i];
		if (evicted < seq)
			continue;
		lossy |= BIT(i);
		which = i;
		last = max(last, evicted);
	}

	/* What was evicted since then, too, is a loss that is found later. */
	for (i = 0; i < RDMAEV_RINGS; i++) {
		if (lossy & cur->rings & BIT(i) &&
		    log_newest_evicted(i, cur->wants, seq - 1))
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
	cur->gap[which].count = before - (seq - 1);
	return 0;
}

/**
 * rdmaev_log_seek_oldest - make the oldest record kept the next one
 * @cur: cursor; its rings are kept. Nothing is lost to it so far
 */
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur)
{
	u64 newest = rdmaev_log_newest();
	int i;

	memset(cur->gap, 0, sizeof(cur->gap));
	cur->limit = newest;
	/* What comes into an empty ring is newer than that. */
	cur->seen = newest;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		u64 seq = log_read_oldest(i, &cur->pos[i]);

		cur->next[i] = 0;
		cur->passed[i] = 0;
		if (!seq)
			continue;
		cur->passed[i] = seq - 1;
		cur->seen = min(cur->seen, seq - 1);
	}
}

/**
 * rdmaev_log_seek_end - make the next record that will be appended the next
 * @cur: cursor; its rings are kept
 */
void rdmaev_log_seek_end(struct rdmaev_cursor *cur)
{
	rdmaev_log_seek(cur, rdmaev_log_newest() + 1);
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
	u64 evicted;
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		if (!((rings ^ cur->rings) & BIT(i)))
			continue;
		cur->pos[i] = log_find_seq(i, cur->seen + 1, &evicted);
		cur->next[i] = 0;
		cur->passed[i] = evicted;
		cur->gap[i].count = 0;
	}
	cur->rings = rings;
}

/* What is gone at pos is lost, up to what has seq @newest at least. */
static void log_extend_gap(struct rdmaev_cursor *cur, int i, u64 newest)
{
	struct rdmaev_gap *gap = &cur->gap[i];
	unsigned long tail;

	for (;;) {
		tail = log_read_tail(i, &gap->last);
		if (gap->last >= newest)
			break;
		/* The writer that noted it is about to move tail. */
		cpu_relax();
	}
	gap->count += tail - cur->pos[i];
	cur->pos[i] = tail;
}

/*
 * The record at pos is gone, and has a seq of @first or more. Remember how much went
 * with it, as it is now: to chase a ring that is being overwritten all the time
 * would never end. Returns seq of the newest of the gap; 0 if there is nothing in
 * it that the cursor wants, then that is passed.
 *
 * Up to the tail that is read first log_newest_evicted() sees everything evicted.
 * Where that finds a record, it is below the tail that is read then.
 */
static u64 log_note_loss(struct rdmaev_cursor *cur, int i, u64 first)
{
	u64 evicted, newest;
	unsigned long tail = log_read_tail(i, &evicted);	/* (E) */

	newest = log_newest_evicted(i, cur->wants,
				    max(first - 1, cur->passed[i]));
	if (!newest) {
		cur->pos[i] = tail;
		cur->passed[i] = evicted;
		return 0;
	}
	cur->gap[i].first = first;
	log_extend_gap(cur, i, newest);
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
		    !log_overwritten(&rlog.ring[i], cur->pos[i]))
			continue;
		if (cur->gap[i].count) {
			log_extend_gap(cur, i, 0);
			cur->next[i] = cur->gap[i].last;
		} else {
			cur->next[i] = log_note_loss(cur, i, cur->seen + 1);
		}
	}
}

/* seq of what comes next in a ring, 0 if there is nothing. */
static u64 log_peek(struct rdmaev_cursor *cur, int i)
{
	struct rdmaev_log_ring *ring = &rlog.ring[i];
	u64 seq;

	do {
		if (cur->pos[i] == smp_load_acquire(&ring->head))	/* (C) */
			return 0;
		seq = log_seq_at(i, cur->pos[i]);
		if (unlikely(log_overwritten(ring, cur->pos[i])))
			seq = log_note_loss(cur, i, cur->seen + 1);
	} while (!seq);
	return seq;
}

static void log_make_loss(struct rdmaev_record *rec,
			  const struct rdmaev_gap *gap, unsigned int ring)
{
	memset(rec, 0, sizeof(*rec));
	rec->seq = gap->last;
	log_set_times(rec);
	rec->kind = RDMAEV_KIND_LOST;
	rec->severity = RDMAEV_SEVERITY_ERROR;
	rec->ring = ring < RDMAEV_RINGS ? ring : RDMAEV_RING_ANY;
	rec->count = min_t(u64, gap->count, U32_MAX);
	rec->body.lost.first = gap->first;
	rec->body.lost.last = gap->last;
	rec->body.lost.count = gap->count;
}

/*
 * The records of a ring from its position on that have a seq below @bound, at most
 * @max. The first one has seq @first. All that is found here may race with a writer;
 * then rdmaev_log_pass() throws it away.
 */
static void log_find_run(const struct rdmaev_cursor *cur,
			 struct rdmaev_run *run, u64 first, u64 bound,
			 size_t max)
{
	unsigned long pos = cur->pos[run->ring];
	size_t n;

	n = min_t(size_t, max,
		  smp_load_acquire(&rlog.ring[run->ring].head) - pos);	/* (C) */
	n = min_t(size_t, n, rlog.mask + 1 - (pos & rlog.mask));
	/* A seq is used once: there cannot be more below the bound. */
	n = min_t(u64, n, bound - first);

	run->first = first;
	run->last = first;
	run->next = 0;
	for (; n > 1; n--) {
		u64 seq = log_seq_at(run->ring, pos + n - 1);

		if (seq < bound) {
			run->last = seq;
			break;
		}
		run->next = seq;
	}
	run->recs = log_slot(run->ring, pos);
	run->n = n;
}

/**
 * rdmaev_log_next - find what comes next: records of one ring, or a loss
 * @cur: cursor; what comes next for it stays the same
 * @max: so many records, at least 1
 * @run: filled in
 * @loss: room for the record of a loss
 *
 * What @run has may be overwritten at any time. It is to be copied, wherever to, and
 * good if rdmaev_log_pass() says so then.
 *
 * Context: any.
 *
 * Return: how many records; 0 if there is nothing after the cursor.
 */
size_t rdmaev_log_next(struct rdmaev_cursor *cur, size_t max,
		       struct rdmaev_run *run, struct rdmaev_record *loss)
{
	u64 best, bound;
	int i;

	for (;;) {
		if (cur->seen >= cur->limit) {
			cur->limit = smp_load_acquire(&rlog.seq);	/* (D) */
			if (cur->seen >= cur->limit)
				return 0;
		}

		/* What comes first, and what comes first of the others. */
		best = U64_MAX;
		bound = cur->limit + 1;
		if (unlikely(cur->gap[RDMAEV_RINGS].count)) {
			best = cur->gap[RDMAEV_RINGS].last;
			run->ring = RDMAEV_RINGS;
		}
		for (i = 0; i < RDMAEV_RINGS; i++) {
			if (!(cur->rings & BIT(i)))
				continue;
			if (!cur->next[i])
				cur->next[i] = log_peek(cur, i);
			if (!cur->next[i])
				continue;
			if (cur->next[i] < best) {
				bound = min(bound, best);
				best = cur->next[i];
				run->ring = i;
			} else {
				bound = min(bound, cur->next[i]);
			}
		}

		if (best <= cur->limit)
			break;
		/* All up to limit has been passed. */
		cur->seen = cur->limit;
	}
	if (unlikely(cur->gap[run->ring].count)) {
		log_make_loss(loss, &cur->gap[run->ring], run->ring);
		run->recs = loss;
		run->n = 1;
		run->last = loss->seq;
	} else {
		log_find_run(cur, run, best, bound, max);
	}
	return run->n;
}

/**
 * rdmaev_log_pass - move past what rdmaev_log_next() has found
 * @cur: cursor, as that has left it
 * @run: from there
 *
 * Return: true; false if it was overwritten: then what was copied is void, nothing is
 * passed, and the loss comes next.
 */
bool rdmaev_log_pass(struct rdmaev_cursor *cur, const struct rdmaev_run *run)
{
	unsigned int i = run->ring;

	if (unlikely(cur->gap[i].count)) {
		cur->seen = cur->gap[i].last;
		cur->gap[i].count = 0;
		if (i < RDMAEV_RINGS)
			cur->next[i] = 0;
		return true;
	}
	if (unlikely(log_overwritten(&rlog.ring[i], cur->pos[i]))) {
		cur->next[i] = log_note_loss(cur, i, run->first);
		return false;
	}
	cur->pos[i] += run->n;
	cur->next[i] = run->next;
	cur->seen = run->last;
	return true;
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
	struct rdmaev_run run;
	size_t n = 0;

	while (n < max && rdmaev_log_next(cur, max - n, &run, &recs[n])) {
		if (run.recs != &recs[n]) {
			/* It may race with a writer; then it is void. */
			data_race(memcpy(&recs[n], run.recs,
					 run.n * sizeof(*recs)));
		}
		if (rdmaev_log_pass(cur, &run))
			n += run.n;
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
