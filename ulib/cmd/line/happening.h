/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Happenings: records that belong together by cause and make one line of watch
 * and log. The rules are the HAPPENING rows of internal/catalogue.def.
 */
#ifndef ULIB_HAPPENING_H
#define ULIB_HAPPENING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

/*
 * A live line waits for more records of its happening until none has come for
 * this time, but not longer than the second time in all.
 */
#define HAPPENING_QUIET_NS	250000000LL
#define HAPPENING_HOLD_NS	1000000000LL

/**
 * struct happening - records that are one line, in the order of the log
 * @next: the happening that began after it
 * @records: its records, @count of them, room for @room
 * @open: more records can join it
 * @is_past: its port has left ACTIVE since, so it says nothing of its state any more
 * @begun_ns: CLOCK_MONOTONIC when the first one was read
 * @last_ns: CLOCK_MONOTONIC when the last one was read
 */
struct happening {
	struct happening *next;
	struct rdmaev_record *records;
	size_t count;
	size_t room;
	bool open;
	bool is_past;
	int64_t begun_ns;
	int64_t last_ns;
};

/* Events of taken happenings that are remembered */
#define HAPPENING_EVENTS	64

/**
 * struct happenings - a queue in the order of first records
 * @joins: join records by the rules; false: each record is a line
 * @limit: keep only the newest so many, for log -n; LOST records do not count;
 *	0: keep all
 * @first: the oldest; NULL: there is none
 * @last: the newest
 * @open: the oldest that is open; NULL: none is
 * @behind: number of those from @open on
 * @counted: those that are no LOST records
 * @dropped: seq of the newest record that was dropped because of @limit
 * @events: seqs of events of happenings that were taken, in which a record shows
 *	what the event says
 * @events_next: where in @events the next one goes
 */
struct happenings {
	bool joins;
	uint64_t limit;
	struct happening *first;
	struct happening *last;
	struct happening *open;
	size_t behind;
	uint64_t counted;
	uint64_t dropped;
	uint64_t events[HAPPENING_EVENTS];
	size_t events_next;
};

/* Add a record that was read at @now_ns of monotonic(); 0, or -1: no memory. */
int happening_add(struct happenings *all, const struct rdmaev_record *r,
		  int64_t now_ns);

/* No record can join what has begun before. */
void happening_close(struct happenings *all);

/* Close what has waited long enough at @now_ns. */
void happening_expire(struct happenings *all, int64_t now_ns);

/* When to call happening_expire() for the oldest; -1: there is none */
int64_t happening_deadline(const struct happenings *all);

/*
 * Remove the oldest happening, if it is closed and @limit does not keep it; the
 * caller frees it. NULL: there is none.
 */
struct happening *happening_take(struct happenings *all);

void happening_free(struct happening *h);
void happening_free_all(struct happenings *all);

/* Seq of the oldest record that was not taken; 0: there is none */
uint64_t happening_oldest(const struct happenings *all);

#endif /* ULIB_HAPPENING_H */
