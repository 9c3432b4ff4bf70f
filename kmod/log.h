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

/* The handler of a device knows of nothing that would be in a body. */
static inline bool rdmaev_has_body(const struct rdmaev_record *rec)
{
	return rec->source != RDMAEV_SOURCE_HANDLER;
}

/**
 * rdmaev_record_begin - begin a record where each instruction counts
 * @rec: record, __uninitialized
 * @kind: &enum rdmaev_kind
 * @source: &enum rdmaev_source
 *
 * All but what the log fills in, and the body.
 */
static __always_inline void
rdmaev_record_begin(struct rdmaev_record *rec, unsigned int kind,
		    unsigned int source)
{
	rec->cause = 0;
	rec->device = 0;
	rec->generation = 0;
	rec->port = 0;
	rec->kind = kind;
	rec->code = 0;
	rec->object_type = RDMAEV_OBJECT_NONE;
	rec->severity = 0;
	rec->source = source;
	rec->ring = 0;
	rec->object = 0;
	rec->count = 1;
	rec->pid = 0;
}

/**
 * struct rdmaev_log_name - name of a device, for its records
 * @changed: it has had another one, so that a record of the same device in the log
 *	may have that
 * @now: which one it is
 * @text: with zeros up to the end; the other one may be written when a grace period
 *	has passed since it was the name
 */
struct rdmaev_log_name {
	bool changed;
	unsigned int now;
	char text[2][RDMAEV_DEVICE_NAME_SIZE];
};

static inline const char *
rdmaev_log_name_text(const struct rdmaev_log_name *name)
{
	/* Pairs with smp_store_release() in set_device_name(). */
	return name->text[smp_load_acquire(&name->now)];
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
 * @passed: nothing of the ring up to this seq is still to be told as lost; may be
 *	larger than @seen
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
	u64 passed[RDMAEV_RINGS];
	struct rdmaev_gap gap[RDMAEV_RINGS + 1];
};

/**
 * struct rdmaev_run - what comes next for a cursor, see rdmaev_log_next()
 * @recs: records of one ring, as the log keeps them; or that of a loss
 * @n: how many
 * @ring: the ring, RDMAEV_RINGS: a loss of several
 * @first: seq of the first
 * @last: seq of the last
 * @next: seq of the one that comes after them in the ring, 0: not known
 */
struct rdmaev_run {
	const struct rdmaev_record *recs;
	size_t n;
	unsigned int ring;
	u64 first;
	u64 last;
	u64 next;
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

u64 rdmaev_log_append(struct rdmaev_record *rec,
		      const struct rdmaev_log_name *name,
		      struct rdmaev_tally *tally);
void rdmaev_log_copy_tally(struct rdmaev_tally *to,
			   const struct rdmaev_tally *from);

unsigned int rdmaev_log_records(void);
u64 rdmaev_log_newest(void);
u64 rdmaev_log_oldest(void);

int rdmaev_log_seek(struct rdmaev_cursor *cur, u64 seq);
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur);
void rdmaev_log_seek_end(struct rdmaev_cursor *cur);
void rdmaev_log_settle(struct rdmaev_cursor *cur);
void rdmaev_log_follow(struct rdmaev_cursor *cur, unsigned int rings);
size_t rdmaev_log_next(struct rdmaev_cursor *cur, size_t max,
		       struct rdmaev_run *run, struct rdmaev_record *loss);
bool rdmaev_log_pass(struct rdmaev_cursor *cur, const struct rdmaev_run *run);
size_t rdmaev_log_read(struct rdmaev_cursor *cur, struct rdmaev_record *recs,
		       size_t max);

u64 rdmaev_log_want(const struct rdmaev_interest *interest);
void rdmaev_log_want_any(void);
void rdmaev_log_take_hits(u64 *hits);
void rdmaev_log_set_listener(const struct rdmaev_listener *listener);
u64 rdmaev_log_take_wanted(void);

#endif /* RDMAEV_LOG_H */
