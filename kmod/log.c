// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event log.
 *
 * Each ring has its own buffer; one lock serializes all writers. The lock
 * assigns seq and orders the copies, so the order across rings is strict.
 * Readers never take it, not even to seek or to count a loss: they copy the
 * data that they need and then check whether it was overwritten meanwhile.
 *
 * Publishing, for the record with index i of a ring of n records:
 *
 *	writer (rlog.lock held)		reader
 *
 *	t = i - n + 1			limit = rlog.seq	(D, acquire)
 *	store marks of record t - 1	read head		(C, acquire)
 *	evicted[t & 1] = its seq	if pos < head: copy its slot
 *	tail = t	(E, release)
 *	smp_wmb()		(A)	smp_rmb()		(A)
 *	copy into the slot		tail > pos: the copy is void
 *	head = i + 1	(B, release)
 *	rlog.seq = seq	(D, release)
 *
 * "Marks" is struct rdmaev_log_evicted.
 *
 * (A) If the reader's copy has a byte of a newer record, the reader also sees
 *     the tail that the writer stored before it wrote that byte.
 * (B) pairs with (C): a slot below head is complete.
 * (D) The reader reads limit first, so every record up to limit is below the
 *     heads that it reads afterwards, in every ring. The smallest seq that it
 *     finds not above limit is therefore the smallest that exists, and the
 *     order is strict.
 * (E) A reader that sees a tail also sees the evicted seq that belongs to it,
 *     and the marks of all records evicted before. A ring has two evicted
 *     seqs, so the one that belongs to a tail is overwritten only after tail
 *     has advanced (A), which the reader detects when it reads tail again. The
 *     marks may already be those of the next record, whose tail follows.
 *
 * A reader repeats a step only if a ring evicted a record during the few
 * instructions of that step. An append takes much longer, so readers make
 * progress under any load. A reader that sees only part of a writer's stores
 * waits for the rest: the writer has interrupts off and only a few stores left.
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
 * @head and @tail count from the first record ever appended. The ring keeps the
 * records in [tail, head), each at its index modulo the size of the ring.
 */
struct rdmaev_log_ring {
	unsigned long head;
	unsigned long tail;
};

/*
 * The seq of the newest evicted record of each severity, kind and code. A
 * reader finds out from this whether any evicted record matched its filter.
 */
struct rdmaev_log_evicted {
	u64 severity[RDMAEV_LOG_SEVERITIES];
	u64 kind[RDMAEV_KINDS];
	u64 code[RDMAEV_KINDS][RDMAEV_CODE_OTHER + 1];
};

static const struct rdmaev_log_name log_no_name;

/* rdmaev_log_counter.seq while the other fields change: larger than any seq */
#define COUNTER_CHANGES	U64_MAX

/*
 * Three groups, each with its own cache lines.
 *
 * Writers only. Readers access this group only for @evicted, when they seek or
 * have lost records:
 * @lock: protects all writes to the first two groups. Raw, and taken with
 *	interrupts off: hard interrupts append records, on PREEMPT_RT too.
 *	Innermost lock of the module
 * @wanted: by severity and kind, the codes for which a new record calls @wake.
 *	The record clears the bit; readers set it again
 * @hits: by kind, the codes of records that cleared a bit, see
 *	rdmaev_log_take_hits()
 * @hit: RDMAEV_WAKE_*: readers that @wake_work has yet to wake
 * @listener: listener, or NULL
 * @unnotified: seq of the oldest record that the listener wants and has not yet
 *	taken; 0: none
 * @wake_work: calls @wake and the listener
 * @evicted: seq of the newest record that each ring has overwritten, for an
 *	even and for an odd tail (E)
 *
 * Published: each append writes it, readers poll it. One cache line:
 * @seq: seq of the newest record (D)
 * @ring: positions in the rings
 * @wanted_any: any new record calls @wake
 *
 * Rarely written:
 * @mask: records in a ring, minus one
 * @slots: the records of each ring
 * @evicted_of: marks of the evicted records of each ring; the structures are
 *	written under @lock
 * @real_offset: CLOCK_REALTIME minus CLOCK_BOOTTIME, see log_clock_changed()
 * @wake: see rdmaev_log_init()
 */
static struct {
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	unsigned int hit;
	const struct rdmaev_listener *listener;
	u64 unnotified;
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
	listener = rlog.unnotified ? rlog.listener : NULL;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	if (hit)
		rlog.wake(hit);
	if (listener)
		listener->notify();
}

/*
 * Both clocks are CLOCK_MONOTONIC plus an offset. The offset changes only when
 * a clock is set or after a suspend, so reading one clock is enough. The
 * timekeeper calls this after each change and on each tick, with its lock held.
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
 * rdmaev_log_init - allocate the log
 * @records: records that each ring keeps, a power of two from
 *	RDMAEV_RECORDS_MIN to RDMAEV_RECORDS_MAX
 * @wake: called once after wanted records were appended, see rdmaev_log_want();
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
		/* rdmaev_init() reports a failure: no warning needed here. */
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
	/*
	 * Calls the notifier immediately: the offset is valid from the start.
	 */
	pvclock_gtod_register_notifier(&log_clock_notifier);
	return 0;
}

/**
 * rdmaev_log_exit - free the log
 *
 * All writers and readers have finished.
 */
void rdmaev_log_exit(void)
{
	pvclock_gtod_unregister_notifier(&log_clock_notifier);
	irq_work_sync(&rlog.wake_work);
	log_free_rings();
}

/* Evict the oldest record, @oldest, to free its slot. rlog.lock is held. */
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
 * Add a record to a counter. rlog.lock is held, so there is no other writer.
 * Readers detect a concurrent change by seq, see rdmaev_log_copy_counter().
 */
static void log_count_record(struct rdmaev_log_counter *counter,
			     const struct rdmaev_record *rec)
{
	WRITE_ONCE(counter->seq, COUNTER_CHANGES);
	smp_wmb();					/* (F) */
	WRITE_ONCE(counter->count, counter->count + rec->count);
	WRITE_ONCE(counter->boottime_ns, rec->boottime_ns);
	WRITE_ONCE(counter->realtime_ns, rec->realtime_ns);
	smp_store_release(&counter->seq, rec->seq);	/* (G) */
}

/*
 * Mark the readers that want a record as to be woken. rlog.lock is held.
 * Returns true if the caller must queue wake_work: this record is wanted, and
 * no earlier record has queued it.
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
 * Fill a slot. Parts that are already right are not copied: usually the slot
 * holds an older record of the same device. rlog.lock is held, with interrupts
 * off, so the name stays valid during the copy.
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
 * rdmaev_log_append - append a record to the log
 * @rec: complete record, except for the name of the device, seq and the two
 *	times; the function sets seq and the times. The body is not read if the
 *	record has none, see rdmaev_has_body()
 * @name: name of the device, or NULL
 * @counter: counter to add the record to, or NULL
 *
 * Context: any but NMI, with any lock held. Neither sleeps nor allocates.
 *
 * Return: seq of the record.
 */
u64 rdmaev_log_append(struct rdmaev_record *rec,
		      const struct rdmaev_log_name *name,
		      struct rdmaev_log_counter *counter)
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
	/* Under the lock, so times ascend with seq as far as the clocks do. */
	log_set_times(rec);
	seq = rlog.seq + 1;
	rec->seq = seq;

	head = ring->head;
	slot = log_slot(which, head);
	if (head - ring->tail > rlog.mask)
		log_evict(which, slot);
	log_fill_slot(slot, rec, name);
	if (counter)
		log_count_record(counter, rec);
	smp_store_release(&ring->head, head + 1);	/* (B) */
	smp_store_release(&rlog.seq, seq);		/* (D) */
	notify = log_note_hit(rec);
	/* An untaken record already makes the listener read this one, too. */
	if (rlog.listener && !rlog.unnotified && rlog.listener->wants(rec)) {
		rlog.unnotified = seq;
		notify = true;
	}
	raw_spin_unlock_irqrestore(&rlog.lock, flags);

	trace_rdmaev_record(rec, name);
	if (notify)
		irq_work_queue(&rlog.wake_work);
	return seq;
}

/**
 * rdmaev_log_count - add one to a counter, without a record
 * @counter: counter; its seq and times remain those of its last record
 *
 * Context: any but NMI.
 */
void rdmaev_log_count(struct rdmaev_log_counter *counter)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	WRITE_ONCE(counter->count, counter->count + 1);
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_copy_counter - copy a counter that may change concurrently
 * @to: copy: all of its fields belong to one seq
 * @from: counter
 *
 * The copy includes every record that was published before the call, and only
 * records that can be read.
 *
 * The copy is valid if seq was the same before (G) and after it (F), and has
 * been published (D). A writer that has yet to publish it has interrupts off
 * and only a few stores left. Each further attempt requires another append to
 * this counter, which takes many times as long as a copy, so the loop ends
 * under any load.
 *
 * Context: any but NMI.
 */
void rdmaev_log_copy_counter(struct rdmaev_log_counter *to,
			     const struct rdmaev_log_counter *from)
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

/** rdmaev_log_records - return the number of records that each ring keeps */
unsigned int rdmaev_log_records(void)
{
	return rlog.mask + 1;
}

/**
 * rdmaev_log_newest - return seq of the newest record, 0 if the log is empty
 */
u64 rdmaev_log_newest(void)
{
	return smp_load_acquire(&rlog.seq);		/* (D) */
}

/*
 * Has the record at @index been evicted? If not, earlier reads of it are valid.
 */
static bool log_overwritten(const struct rdmaev_log_ring *ring,
			    unsigned long index)
{
	smp_rmb();					/* (A) */
	return (long)(READ_ONCE(ring->tail) - index) > 0;
}

/* Read a record's seq. Valid only if log_overwritten() then returns false. */
static u64 log_seq_at(unsigned int which, unsigned long index)
{
	/* May race with a writer; log_overwritten() then discards the value. */
	return data_race(READ_ONCE(log_slot(which, index)->seq));
}

/* Return the index of the oldest record kept; @evicted: seq before it, or 0. */
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

/*
 * Return seq and index of the oldest record kept; of an empty ring, 0 and the
 * index of the next record.
 */
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
 * Return the index of the first record kept with seq @seq or newer. A record
 * with seq @seq - 1 exists or existed. If @evicted is not less than @seq,
 * records from @seq on have been evicted: those before the returned index, up
 * to @evicted.
 *
 * An eviction during the search narrows the range, as every other step does:
 * writers cannot prolong the search.
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
 * rdmaev_log_oldest - return seq of the oldest record kept, 0 if there is none
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
 * Was a record with a seq above @after evicted that the cursor wants? Exact
 * except for the severity: the record with the kind and code and the record
 * with the severity may be two different ones. Returns 0 if not, else the seq
 * up to which both were found.
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
 * rdmaev_log_seek - move a cursor to a record
 * @cur: cursor; its rings do not change
 * @seq: seq of the record, from 1 to the newest and one more
 *
 * Records that are no longer kept become a loss if a ring that the cursor
 * follows had some of them. The share of each ring is known only if all of them
 * were in one ring. The total over all rings is exact, as every seq is used:
 * each of the @seq - 1 records before @seq precedes the position of @seq in one
 * of the rings, so all other records before @pos are lost. The rings need not
 * have been in the state found at the same time.
 *
 * Return: 0, or -ENXIO if @seq is past the end of the log.
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

	/* A loss by later evictions is found when the cursor reads. */
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
 * rdmaev_log_seek_oldest - move a cursor to the oldest record kept
 * @cur: cursor; its rings do not change. It has no loss then
 */
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur)
{
	u64 newest = rdmaev_log_newest();
	int i;

	memset(cur->gap, 0, sizeof(cur->gap));
	cur->limit = newest;
	/* Records appended to an empty ring are newer than that. */
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
 * rdmaev_log_seek_end - move a cursor to the end of the log
 * @cur: cursor; its rings do not change
 */
void rdmaev_log_seek_end(struct rdmaev_cursor *cur)
{
	rdmaev_log_seek(cur, rdmaev_log_newest() + 1);
}

/**
 * rdmaev_log_follow - change the rings that a cursor follows
 * @cur: cursor
 * @rings: bit n: ring n
 *
 * Records that a ring evicted while the cursor did not follow it are not a
 * loss: the reader did not want them.
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

/* Add the evicted records at pos to the loss, at least up to seq @newest. */
static void log_extend_gap(struct rdmaev_cursor *cur, int i, u64 newest)
{
	struct rdmaev_gap *gap = &cur->gap[i];
	unsigned long tail;

	for (;;) {
		tail = log_read_tail(i, &gap->last);
		if (gap->last >= newest)
			break;
		/* The writer that stored the mark is about to advance tail. */
		cpu_relax();
	}
	gap->count += tail - cur->pos[i];
	cur->pos[i] = tail;
}

/*
 * The record at pos was evicted; its seq is at least @first. Record the loss up
 * to the current tail: catching up with a ring that is continuously overwritten
 * would never end. Returns seq of the newest lost record. Returns 0 if the
 * cursor wants none of them; the cursor is then past them.
 *
 * log_newest_evicted() sees the marks of all records evicted up to the tail
 * that is read first. A record that it finds is below the tail that
 * log_extend_gap() reads.
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
 * rdmaev_log_settle - record the losses up to now
 * @cur: cursor
 *
 * Call it before changing the records that the cursor wants: losses up to now
 * are determined by the old selection.
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

/* Return seq of the next record or loss in a ring, 0 if there is none. */
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
 * Find the records of a ring from the cursor's position on with a seq below
 * @bound, at most @max. The first one has seq @first. All reads may race with a
 * writer; rdmaev_log_pass() then discards the result.
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
	/* Each seq is used once, so at most bound - first are below bound. */
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
 * rdmaev_log_next - find the next records of one ring, or the next loss
 * @cur: cursor; its position does not change
 * @max: largest number of records, at least 1
 * @run: set to the records
 * @loss: buffer for the record of a loss
 *
 * The records in @run may be overwritten at any time. Copy them first; the copy
 * is valid if rdmaev_log_pass() then returns true.
 *
 * Context: any.
 *
 * Return: number of records; 0 if there is none after the cursor.
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

		/* best: lowest seq; bound: lowest seq of the other rings. */
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
		/* All records up to limit have been read. */
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
 * rdmaev_log_pass - advance a cursor past the records of rdmaev_log_next()
 * @cur: cursor, unchanged since rdmaev_log_next()
 * @run: result of rdmaev_log_next()
 *
 * Return: true, or false if the records were overwritten: the copy is void, the
 * cursor has not advanced, and rdmaev_log_next() returns the loss.
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
 * rdmaev_log_read - read the next records, and the losses between them
 * @cur: cursor; advanced past the records returned. One caller at a time
 * @recs: buffer for the records
 * @max: number of records that fit
 *
 * Context: any.
 *
 * Return: number of records. Less than @max only if there is none after the
 * cursor.
 */
size_t rdmaev_log_read(struct rdmaev_cursor *cur, struct rdmaev_record *recs,
		       size_t max)
{
	struct rdmaev_run run;
	size_t n = 0;

	while (n < max && rdmaev_log_next(cur, max - n, &run, &recs[n])) {
		if (run.recs != &recs[n]) {
			/* May race with a writer; then the copy is void. */
			data_race(memcpy(&recs[n], run.recs,
					 run.n * sizeof(*recs)));
		}
		if (rdmaev_log_pass(cur, &run))
			n += run.n;
	}
	return n;
}

/**
 * rdmaev_log_want - request one call of wake for the next matching record
 * @interest: severities, kinds and codes to match; each combination is a
 *	separate request
 *
 * If the caller reads the log after this call and does not find a record, the
 * append of that record calls wake: both take rlog.lock.
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
 * rdmaev_log_want_any - request one call of wake for the next record
 *
 * Like rdmaev_log_want(). The caller must be on its wait queue already: if the
 * next record is already wanted, it wakes everyone on the queue.
 */
void rdmaev_log_want_any(void)
{
	unsigned long flags;

	/*
	 * Pairs with the release below: records appended before that are
	 * visible to this reader, too.
	 */
	if (smp_load_acquire(&rlog.wanted_any))
		return;
	raw_spin_lock_irqsave(&rlog.lock, flags);
	smp_store_release(&rlog.wanted_any, true);	/* see above */
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
}

/**
 * rdmaev_log_take_hits - take the codes for which wake was called
 * @hits: set to the codes of each kind that were wanted and appended since the
 *	last call
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
 * rdmaev_log_set_listener - set the listener that is notified of records
 * @listener: listener; NULL: none, and no call of the listener runs on return
 */
void rdmaev_log_set_listener(const struct rdmaev_listener *listener)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	rlog.listener = listener;
	rlog.unnotified = 0;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	if (!listener)
		irq_work_sync(&rlog.wake_work);
}

/**
 * rdmaev_log_take_wanted - take the oldest record that the listener wants
 *
 * Return: seq of the oldest one since the last call, 0 if there is none.
 */
u64 rdmaev_log_take_wanted(void)
{
	unsigned long flags;
	u64 seq;

	raw_spin_lock_irqsave(&rlog.lock, flags);
	seq = rlog.unnotified;
	rlog.unnotified = 0;
	raw_spin_unlock_irqrestore(&rlog.lock, flags);
	return seq;
}
