/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event log: writers append in any context, readers follow with cursors
 * of their own. Knows records and rings, and nothing of RDMA.
 */
#ifndef RDMAEV_LOG_H
#define RDMAEV_LOG_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#define RDMAEV_RECORDS_MIN	64U
#define RDMAEV_RECORDS_MAX	1048576U

#define RDMAEV_RING_MASK	((1U << RDMAEV_RINGS) - 1)

/* Severities that a record can have, and 0 */
#define RDMAEV_LOG_SEVERITIES	4

/* Kinds that there is room for, and 0 */
#define RDMAEV_KINDS	8

/**
 * struct rdmaev_interest - records that a reader can want
 * @codes: for each kind, bit n: code n, bit 63: every code from 63 on
 * @severities: bit n: severity n
 *
 * A reader may reject more than this, never less.
 */
struct rdmaev_interest {
	u64 codes[RDMAEV_KINDS];
	u32 severities;
};

static inline unsigned int rdmaev_code_bit(unsigned int code)
{
	return min_t(unsigned int, code, RDMAEV_CODE_OTHER);
}

/**
 * struct rdmaev_gap - a loss that has been found and not been told yet
 * @first: lower bound of the seq of its oldest record
 * @last: seq of its newest record
 * @count: how many records; 0: no loss
 */
struct rdmaev_gap {
	u64 first;
	u64 last;
	u64 count;
};

/**
 * struct rdmaev_cursor - a place in the log
 * @limit: newest seq that had been published when the cursor last looked
 * @seen: every record of @rings up to this seq has been passed
 * @rings: bit n: ring n is followed; see rdmaev_log_follow()
 * @wants: NULL: every record; else a ring in which nothing of this was overwritten
 *	has no loss
 * @pos: index of the next record in each ring, counted from its first
 * @next: seq of that record, or of the last of the gap before it; 0 where it
 *	is not known
 * @gap: loss before @pos in each ring; the one more is a loss whose share in
 *	each ring cannot be known (RDMAEV_RING_ANY)
 *
 * Owned by whoever holds it; the log keeps no pointer to cursors, and a copy
 * is as good as the original.
 */
struct rdmaev_cursor {
	u64 limit;
	u64 seen;
	unsigned int rings;
	const struct rdmaev_interest *wants;
	unsigned long pos[RDMAEV_RINGS];
	u64 next[RDMAEV_RINGS];
	struct rdmaev_gap gap[RDMAEV_RINGS + 1];
};

/**
 * struct rdmaev_tally - what became of the records of one sort
 * @count: sum of their counts
 * @seq: seq of the newest, 0: there was none
 * @boottime_ns: its boottime_ns
 * @realtime_ns: its realtime_ns
 *
 * Belongs to whoever appends to it. Written under the log's lock, so that it is in
 * one with the log: it has what its seq says, neither more nor less. To be read by
 * rdmaev_log_copy_tally(), which takes no lock.
 */
struct rdmaev_tally {
	u64 count;
	u64 seq;
	u64 boottime_ns;
	u64 realtime_ns;
};

/**
 * struct rdmaev_listener - who is told of records, besides those that read
 * @wants: is there anybody for a record; called with the log's lock held, in
 *	any context but NMI
 * @tell: called once after records that were wanted; from irq_work, as wake
 */
struct rdmaev_listener {
	bool (*wants)(const struct rdmaev_record *rec);
	void (*tell)(void);
};

/* Who is to be woken */
#define RDMAEV_WAKE_ANY		BIT(0)	/* readers that want every record */
#define RDMAEV_WAKE_SOME	BIT(1)	/* those that want what was hit */

int rdmaev_log_init(unsigned int records, void (*wake)(unsigned int who));
void rdmaev_log_exit(void);

u64 rdmaev_log_append(struct rdmaev_record *rec, struct rdmaev_tally *tally);
void rdmaev_log_copy_tally(struct rdmaev_tally *to,
			   const struct rdmaev_tally *from);

unsigned int rdmaev_log_records(void);
u64 rdmaev_log_newest(void);
u64 rdmaev_log_oldest(void);
bool rdmaev_log_has(unsigned int ring, u64 seq);

int rdmaev_log_seek(struct rdmaev_cursor *cur, u64 seq);
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur);
void rdmaev_log_seek_end(struct rdmaev_cursor *cur);
void rdmaev_log_settle(struct rdmaev_cursor *cur);
void rdmaev_log_follow(struct rdmaev_cursor *cur, unsigned int rings);
size_t rdmaev_log_read(struct rdmaev_cursor *cur, struct rdmaev_record *recs,
		       size_t max);

u64 rdmaev_log_want(const struct rdmaev_interest *interest);
void rdmaev_log_want_any(void);
void rdmaev_log_take_hits(u64 *hits);
void rdmaev_log_set_listener(const struct rdmaev_listener *listener);
u64 rdmaev_log_take_wanted(void);

#endif /* RDMAEV_LOG_H */
