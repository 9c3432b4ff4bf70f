// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reading the event log: cursors, seeking, and losses. Without a lock: see
 * log_rings.h.
 */
#include <linux/processor.h>
#include <linux/string.h>

#include "log.h"
#include "log_read.h"
#include "log_rings.h"

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
	return data_race(READ_ONCE(rdmaev_log_slot(which, index)->seq));
}

/* Return the index of the oldest record kept; @evicted: seq before it, or 0. */
static unsigned long log_read_tail(unsigned int which, u64 *evicted)
{
	const struct rdmaev_log_ring *ring = &rdmaev_log.ring[which];
	unsigned long tail;

	do {
		tail = smp_load_acquire(&ring->tail);	/* (E) */
		*evicted = READ_ONCE(rdmaev_log.evicted[which][tail & 1]);
	} while (unlikely(log_overwritten(ring, tail)));
	return tail;
}

/*
 * Return seq and index of the oldest record kept; of an empty ring, 0 and the
 * index of the next record.
 */
static u64 log_read_oldest(unsigned int which, unsigned long *index)
{
	const struct rdmaev_log_ring *ring = &rdmaev_log.ring[which];
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
	const struct rdmaev_log_ring *ring = &rdmaev_log.ring[which];
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
		before += cur->pos[i];
		if (evicted < seq)
			continue;
		lossy |= BIT(i);
		which = i;
		last = max(last, evicted);
	}

	/* A loss by later evictions is found when the cursor reads. */
	if (!(lossy & cur->rings))
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
		if (seq)
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
		cur->gap[i].count = 0;
	}
	cur->rings = rings;
}

/*
 * The record at pos was evicted; its seq is at least @first. Record the loss up
 * to the current tail: catching up with a ring that is continuously overwritten
 * would never end. Returns seq of the newest lost record.
 */
static u64 log_note_loss(struct rdmaev_cursor *cur, int i, u64 first)
{
	struct rdmaev_gap *gap = &cur->gap[i];
	unsigned long tail = log_read_tail(i, &gap->last);

	gap->first = first;
	gap->count = tail - cur->pos[i];
	cur->pos[i] = tail;
	return gap->last;
}

/* Has the cursor passed all records of a ring? */
static bool log_is_at_head(const struct rdmaev_cursor *cur, unsigned long i)
{
	return cur->pos[i] == smp_load_acquire(&rdmaev_log.ring[i].head); /* (C) */
}

/*
 * Return seq of the next record or loss in a ring. The cursor is not at the head.
 */
static u64 log_peek(struct rdmaev_cursor *cur, unsigned int i)
{
	u64 seq = log_seq_at(i, cur->pos[i]);

	if (unlikely(log_overwritten(&rdmaev_log.ring[i], cur->pos[i])))
		seq = log_note_loss(cur, i, cur->seen + 1);
	return seq;
}

static void log_make_loss(struct rdmaev_record *rec,
			  const struct rdmaev_gap *gap, unsigned int ring)
{
	memset(rec, 0, sizeof(*rec));
	rec->seq = gap->last;
	rdmaev_log_set_times(rec);
	rec->port = RDMAEV_NO_PORT;
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
		  smp_load_acquire(&rdmaev_log.ring[run->ring].head) - pos);	/* (C) */
	n = min_t(size_t, n, rdmaev_log.mask + 1 - (pos & rdmaev_log.mask));
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
	run->recs = rdmaev_log_slot(run->ring, pos);
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
	unsigned int i;

	for (;;) {
		if (cur->seen >= cur->limit) {
			cur->limit = smp_load_acquire(&rdmaev_log.seq);	/* (D) */
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
			u64 next = cur->next[i];

			if (!next) {
				/* Usually so in all rings but one */
				if (log_is_at_head(cur, i))
					continue;
				if (!(cur->rings & BIT(i)))
					continue;
				next = log_peek(cur, i);
				cur->next[i] = next;
			}
			bound = min(bound, max(best, next));
			if (next < best) {
				best = next;
				run->ring = i;
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
	if (unlikely(log_overwritten(&rdmaev_log.ring[i], cur->pos[i]))) {
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
