/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Reading the log, each reader with its own cursor. */
#ifndef RDMAEV_LOG_READ_H
#define RDMAEV_LOG_READ_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_gap - a loss that was found and not yet reported to the reader
 * @first: lower bound of the seq of its oldest record
 * @last: seq of its newest record
 * @count: number of records; 0: no loss
 */
struct rdmaev_gap {
	u64 first;
	u64 last;
	u64 count;
};

/**
 * struct rdmaev_cursor - a position in the log
 * @limit: newest seq published when the cursor last read it
 * @seen: all records of @rings up to this seq have been read
 * @rings: bit n: the cursor follows ring n; see rdmaev_log_follow()
 * @pos: index of the next record in each ring, counted from its first
 * @next: seq of that record, or of the last record of the gap before it; 0 if
 *	not known
 * @gap: loss before @pos in each ring; the additional entry is a loss whose
 *	share in each ring is not known (RDMAEV_RING_ANY)
 *
 * Belongs to the caller. The log keeps no pointer to cursors, and they can be
 * copied.
 */
struct rdmaev_cursor {
	u64 limit;
	u64 seen;
	unsigned int rings;
	unsigned long pos[RDMAEV_RINGS];
	u64 next[RDMAEV_RINGS];
	struct rdmaev_gap gap[RDMAEV_RINGS + 1];
};

/**
 * struct rdmaev_run - the next records for a cursor, see rdmaev_log_next()
 * @recs: consecutive records of one ring, in the log; or the record of a loss
 * @n: number of records
 * @ring: the ring; RDMAEV_RINGS: a loss in several rings
 * @first: seq of the first
 * @last: seq of the last
 * @next: seq of the record that follows them in the ring, 0: not known
 */
struct rdmaev_run {
	const struct rdmaev_record *recs;
	size_t n;
	unsigned int ring;
	u64 first;
	u64 last;
	u64 next;
};

u64 rdmaev_log_oldest(void);

int rdmaev_log_seek(struct rdmaev_cursor *cur, u64 seq);
void rdmaev_log_seek_oldest(struct rdmaev_cursor *cur);
void rdmaev_log_seek_end(struct rdmaev_cursor *cur);
void rdmaev_log_follow(struct rdmaev_cursor *cur, unsigned int rings);
size_t rdmaev_log_next(struct rdmaev_cursor *cur, size_t max,
		       struct rdmaev_run *run, struct rdmaev_record *loss);
bool rdmaev_log_pass(struct rdmaev_cursor *cur, const struct rdmaev_run *run);
size_t rdmaev_log_read(struct rdmaev_cursor *cur, struct rdmaev_record *recs,
		       size_t max);

#endif /* RDMAEV_LOG_READ_H */
