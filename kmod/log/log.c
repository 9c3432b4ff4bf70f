// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event log: appending, counters, and waking those who wait for records.
 * For its protocol see log_rings.h; log_read.c reads it.
 */
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/processor.h>
#include <linux/pvclock_gtod.h>
#include <linux/string.h>
#include <linux/timekeeper_internal.h>
#include <linux/vmalloc.h>

#include "log.h"
#include "log_rings.h"

static const struct rdmaev_log_name log_no_name;

/* rdmaev_log_counter.seq while the other fields change: larger than any seq */
#define COUNTER_CHANGES	U64_MAX

struct rdmaev_log rdmaev_log;

static void log_wake_fn(struct irq_work *work)
{
	const struct rdmaev_listener *listener;
	unsigned long flags;
	unsigned int hit;

	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	hit = rdmaev_log.hit;
	rdmaev_log.hit = 0;
	listener = rdmaev_log.unnotified ? rdmaev_log.listener : NULL;
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
	if (hit)
		rdmaev_log.wake(hit);
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

	if (rdmaev_log.real_offset != offset)
		WRITE_ONCE(rdmaev_log.real_offset, offset);
	return NOTIFY_OK;
}

static struct notifier_block log_clock_notifier = {
	.notifier_call = log_clock_changed,
};

static void log_free_rings(void)
{
	int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		vfree(rdmaev_log.slots[i]);
		rdmaev_log.slots[i] = NULL;
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

	raw_spin_lock_init(&rdmaev_log.lock);
	init_irq_work(&rdmaev_log.wake_work, log_wake_fn);
	rdmaev_log.wake = wake;
	rdmaev_log.mask = records - 1;
	for (i = 0; i < RDMAEV_RINGS; i++) {
		/* rdmaev_init() reports a failure: no warning needed here. */
		rdmaev_log.slots[i] =
			__vmalloc(array_size(records, sizeof(struct rdmaev_record)),
				  GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		if (!rdmaev_log.slots[i]) {
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
	irq_work_sync(&rdmaev_log.wake_work);
	log_free_rings();
}

/* Evict the oldest record, @oldest, to free its slot. With the log's lock. */
static void log_evict(unsigned int which, const struct rdmaev_record *oldest)
{
	struct rdmaev_log_ring *ring = &rdmaev_log.ring[which];
	unsigned long tail = ring->tail + 1;

	WRITE_ONCE(rdmaev_log.evicted[which][tail & 1], oldest->seq);
	smp_store_release(&ring->tail, tail);		/* (E) */
	smp_wmb();					/* (A) */
}

/*
 * Add a record to a counter. With the log's lock, so there is no other writer.
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
 * Mark the readers that want a record as to be woken. With the log's lock.
 * Returns true if the caller must queue wake_work: this record is wanted, and
 * no earlier record has queued it.
 */
static bool log_note_hit(const struct rdmaev_record *rec)
{
	const unsigned int code = rdmaev_code_bit(rec->code);
	u64 *wanted = &rdmaev_log.wanted[rec->kind][rec->severity];
	bool is_first = !rdmaev_log.hit;
	bool is_wanted = *wanted >> code & 1;

	if (likely(!is_wanted && !rdmaev_log.wanted_any))
		return false;
	if (rdmaev_log.wanted_any) {
		WRITE_ONCE(rdmaev_log.wanted_any, false);
		rdmaev_log.hit |= RDMAEV_WAKE_ANY;
	}
	if (is_wanted) {
		*wanted &= ~BIT_ULL(code);
		rdmaev_log.hits[rec->kind] |= BIT_ULL(code);
		rdmaev_log.hit |= RDMAEV_WAKE_SOME;
	}
	return is_first;
}

/*
 * Have readers that wait moved ahead, before the ring overtakes them. With the
 * log's lock; returns as log_note_hit().
 */
static bool log_note_half(void)
{
	bool is_first = !rdmaev_log.hit;

	rdmaev_log.hit |= RDMAEV_WAKE_AHEAD;
	return is_first;
}

/*
 * Fill a slot. Parts that are already right are not copied: usually the slot
 * holds an older record of the same device. With the log's lock, so interrupts
 * are off, and the name stays valid during the copy.
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
	struct rdmaev_log_ring *ring = &rdmaev_log.ring[which];
	struct rdmaev_record *slot;
	unsigned long head, flags;
	bool notify;
	u64 seq;

	if (!name)
		name = &log_no_name;
	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	/* Under the lock, so times ascend with seq as far as the clocks do. */
	rdmaev_log_set_times(rec);
	seq = rdmaev_log.seq + 1;
	rec->seq = seq;

	head = ring->head;
	slot = rdmaev_log_slot(which, head);
	if (head - ring->tail > rdmaev_log.mask)
		log_evict(which, slot);
	log_fill_slot(slot, rec, name);
	if (counter)
		log_count_record(counter, rec);
	smp_store_release(&ring->head, head + 1);	/* (B) */
	smp_store_release(&rdmaev_log.seq, seq);		/* (D) */
	notify = log_note_hit(rec);
	if (unlikely(!((head + 1) & (rdmaev_log.mask >> 1))))
		notify |= log_note_half();
	/* An untaken record already makes the listener read this one, too. */
	if (rdmaev_log.listener && !rdmaev_log.unnotified &&
	    rdmaev_log.listener->wants(rec)) {
		rdmaev_log.unnotified = seq;
		notify = true;
	}
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);

	if (notify)
		irq_work_queue(&rdmaev_log.wake_work);
	return seq;
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
	return rdmaev_log.mask + 1;
}

/**
 * rdmaev_log_newest - return seq of the newest record, 0 if the log is empty
 */
u64 rdmaev_log_newest(void)
{
	return smp_load_acquire(&rdmaev_log.seq);		/* (D) */
}

/**
 * rdmaev_log_want - request one call of wake for the next matching record
 * @interest: severities, kinds and codes to match; each combination is a
 *	separate request
 *
 * If the caller reads the log after this call and does not find a record, the
 * append of that record calls wake: both take the log's lock.
 *
 * Return: seq of the newest record.
 */
u64 rdmaev_log_want(const struct rdmaev_interest *interest)
{
	unsigned long flags;
	unsigned int i, k;
	u64 newest;

	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	for (i = 0; i < RDMAEV_LOG_SEVERITIES; i++) {
		if (!(interest->severities & BIT(i)))
			continue;
		for (k = 0; k < RDMAEV_KINDS; k++)
			rdmaev_log.wanted[k][i] |= interest->codes[k];
	}
	newest = rdmaev_log.seq;
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
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
	if (smp_load_acquire(&rdmaev_log.wanted_any))
		return;
	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	smp_store_release(&rdmaev_log.wanted_any, true);	/* see above */
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
}

/**
 * rdmaev_log_pop_hits - take the codes for which wake was called
 * @hits: set to the codes of each kind that were wanted and appended since the
 *	last call
 */
void rdmaev_log_pop_hits(u64 *hits)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	memcpy(hits, rdmaev_log.hits, sizeof(rdmaev_log.hits));
	memset(rdmaev_log.hits, 0, sizeof(rdmaev_log.hits));
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
}

/**
 * rdmaev_log_set_listener - set the listener that is notified of records
 * @listener: listener; NULL: none, and no call of the listener runs on return
 */
void rdmaev_log_set_listener(const struct rdmaev_listener *listener)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	rdmaev_log.listener = listener;
	rdmaev_log.unnotified = 0;
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
	if (!listener)
		irq_work_sync(&rdmaev_log.wake_work);
}

/**
 * rdmaev_log_pop_wanted - take the oldest record that the listener wants
 *
 * Return: seq of the oldest one since the last call, 0 if there is none.
 */
u64 rdmaev_log_pop_wanted(void)
{
	unsigned long flags;
	u64 seq;

	raw_spin_lock_irqsave(&rdmaev_log.lock, flags);
	seq = rdmaev_log.unnotified;
	rdmaev_log.unnotified = 0;
	raw_spin_unlock_irqrestore(&rdmaev_log.lock, flags);
	return seq;
}
