/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The rings of the event log, and how log.c writes and log_read.c reads them.
 *
 * Each ring has its own buffer; one lock serializes all writers. The lock
 * assigns seq and orders the copies, so the order across rings is strict.
 * Readers never take it, not even to seek or to count a loss: they copy the
 * data that they need and then check whether it was overwritten meanwhile.
 *
 * Publishing, for the record with index i of a ring of n records:
 *
 *	writer, with lock		reader
 *
 *	t = i - n + 1			limit = seq	(D, acquire)
 *	evicted[t & 1] = seq of t - 1	read head		(C, acquire)
 *	tail = t	(E, release)	if pos < head: copy its slot
 *	smp_wmb()		(A)	smp_rmb()		(A)
 *	copy into the slot		tail > pos: the copy is void
 *	head = i + 1	(B, release)
 *	seq = that of i	(D, release)
 *
 * (A) If the reader's copy has a byte of a newer record, the reader also sees
 *     the tail that the writer stored before it wrote that byte.
 * (B) pairs with (C): a slot below head is complete.
 * (D) The reader reads limit first, so every record up to limit is below the
 *     heads that it reads afterwards, in every ring. The smallest seq that it
 *     finds not above limit is therefore the smallest that exists, and the
 *     order is strict.
 * (E) A reader that sees a tail also sees the evicted seq that belongs to it. A
 *     ring has two evicted seqs, so the one that belongs to a tail is
 *     overwritten only after tail has advanced (A), which the reader detects
 *     when it reads tail again.
 *
 * A reader repeats a step only if a ring evicted a record during the few
 * instructions of that step. An append takes much longer, so readers make
 * progress under any load. A reader that sees only part of a writer's stores
 * waits for the rest: the writer has interrupts off and only a few stores left.
 */
#ifndef RDMAEV_LOG_RINGS_H
#define RDMAEV_LOG_RINGS_H

#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "log.h"

#ifndef CONFIG_64BIT
#error "rdmaev reads 64-bit positions without a lock and needs a 64-bit kernel"
#endif

/**
 * struct rdmaev_log_ring - positions in a ring
 * @head: index of the next record
 * @tail: index of the oldest record kept
 *
 * Indices count from the first record ever appended. The ring keeps the records
 * in [tail, head), each at its index modulo the size of the ring.
 */
struct rdmaev_log_ring {
	unsigned long head;
	unsigned long tail;
};

/**
 * struct rdmaev_log - the log
 * @lock: protects all writes to the fields before @mask. Raw, and taken with
 *	interrupts off: hard interrupts append records, on PREEMPT_RT too.
 *	Innermost lock of the module
 * @hit: RDMAEV_WAKE_*: readers that @wake_work has yet to wake
 * @listener: listener, or NULL
 * @unnotified: seq of the oldest record that the listener wants and has not yet
 *	taken; 0: none
 * @wake_work: calls @wake and the listener
 * @evicted: seq of the newest record that each ring has overwritten, for an
 *	even and for an odd tail (E)
 * @wanted: by kind and severity, the codes for which a new record calls @wake.
 *	The record clears the bit; readers set it again
 * @hits: by kind, the codes of records that cleared a bit, see
 *	rdmaev_log_pop_hits()
 * @seq: seq of the newest record (D)
 * @ring: positions in the rings
 * @wanted_any: any new record calls @wake
 * @mask: records in a ring, minus one
 * @slots: the records of each ring
 * @real_offset: CLOCK_REALTIME minus CLOCK_BOOTTIME, see log_clock_changed()
 * @wake: see rdmaev_log_init()
 *
 * Three groups, each with its own cache lines. From @lock on: writers only;
 * readers access these only for @evicted, when they seek or have lost records.
 * From @seq on, one line: each append writes it, and readers poll it. From
 * @mask on: rarely written.
 *
 * Exists as long as the module. The rings are there from rdmaev_log_init() to
 * rdmaev_log_exit().
 */
struct rdmaev_log {
	raw_spinlock_t lock ____cacheline_aligned_in_smp;
	unsigned int hit;
	const struct rdmaev_listener *listener;
	u64 unnotified;
	struct irq_work wake_work;
	u64 evicted[RDMAEV_RINGS][2];
	u64 wanted[RDMAEV_KINDS][RDMAEV_LOG_SEVERITIES];
	u64 hits[RDMAEV_KINDS];

	u64 seq ____cacheline_aligned_in_smp;
	struct rdmaev_log_ring ring[RDMAEV_RINGS];
	bool wanted_any;

	unsigned long mask ____cacheline_aligned_in_smp;
	struct rdmaev_record *slots[RDMAEV_RINGS];
	s64 real_offset;
	void (*wake)(unsigned int who);
};

extern struct rdmaev_log rdmaev_log;

static inline struct rdmaev_record *
rdmaev_log_slot(unsigned int which, unsigned long index)
{
	return &rdmaev_log.slots[which][index & rdmaev_log.mask];
}

static inline void rdmaev_log_set_times(struct rdmaev_record *rec)
{
	rec->boottime_ns = ktime_get_boot_fast_ns();
	rec->realtime_ns = rec->boottime_ns + READ_ONCE(rdmaev_log.real_offset);
}

#endif /* RDMAEV_LOG_RINGS_H */
