/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Groups: records that belong together by cause and make one line of watch
 * and log. The rules are the RECORD_GROUP rows of internal/catalogue.def. What a
 * group keeps, and what a record costs, does not grow with its records.
 */
#ifndef ULIB_RECORD_GROUP_H
#define ULIB_RECORD_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

/*
 * A live line waits for more records of its group until none has come for
 * this time, but not longer than the second time in all.
 */
#define RECORD_GROUP_QUIET_NS	250000000LL
#define RECORD_GROUP_HOLD_NS	1000000000LL

/* Causes that a group remembers: the newest */
#define RECORD_GROUP_CAUSES	32

/* States that a line names between the first and the last one: the oldest */
#define RECORD_GROUP_STATES	8

/**
 * struct record_group_part - records of a group that say the same of different values
 * @next: the part that began after it
 * @first: the first record; those of a part have its kind, code and severity, and, for an
 *	entry of a table, all add, remove or change one
 * @last: the last one, if @count is above 1
 * @count: number of records
 * @occurrences: sum of what they stand for
 * @uncaused: seq of the newest that has no cause; 0: none
 */
struct record_group_part {
	struct record_group_part *next;
	struct rdmaev_record first;
	struct rdmaev_record last;
	size_t count;
	uint64_t occurrences;
	uint64_t uncaused;
};

/**
 * struct record_group - records that are one line, in the order of the log
 * @next: the group that began after it
 * @older: the next older open group in its bucket
 * @parts: its records; the first part begins with the first of them
 * @count: number of them
 * @last_seq: seq of the last one
 * @last_boottime_ns: time of the last one
 * @found_ns: time of the last one that a query found without an event; 0: none
 * @causes: what a record that belongs to them can have as its cause
 * @causes_count: number of those that there have been
 * @states: of a port, after its changes of state
 * @states_count: number of changes
 * @numbers: numbers of the QPs that it is about, as a hash table with @numbers_room places;
 *	each is one above the number, 0: free
 * @numbers_room: same; 0 as long as there is one number at most
 * @qps: how many numbers there are
 * @causes_differ: its records have not all the same cause
 * @open: more records can join it
 * @is_past: its port has left ACTIVE since, so it says nothing of its state any more
 * @begun_ns: CLOCK_MONOTONIC when the first one was read
 * @last_ns: CLOCK_MONOTONIC when the last one was read
 */
struct record_group {
	struct record_group *next;
	struct record_group *older;
	struct record_group_part parts;
	size_t count;
	uint64_t last_seq;
	uint64_t last_boottime_ns;
	uint64_t found_ns;
	uint64_t causes[RECORD_GROUP_CAUSES];
	size_t causes_count;
	uint64_t states[RECORD_GROUP_STATES];
	size_t states_count;
	uint64_t *numbers;
	size_t numbers_room;
	size_t qps;
	bool causes_differ;
	bool open;
	bool is_past;
	int64_t begun_ns;
	int64_t last_ns;
};

/* Events of taken record_groups that are remembered */
#define RECORD_GROUP_EVENTS	64

#define RECORD_GROUP_BUCKETS	256

/**
 * struct record_groups - a queue in the order of first records
 * @joins: join records by the rules; false: each record is a line
 * @limit: keep only the newest so many, for log -n; LOST records do not count;
 *	0: keep all
 * @first: the oldest; NULL: there is none
 * @last: the newest
 * @open: the oldest that is open; NULL: none is
 * @behind: number of those from @open on
 * @buckets: those that are open, by what they are about, the newest first
 * @counted: those that are no LOST records
 * @dropped: seq of the newest record that was dropped because of @limit
 * @events: seqs of events of record_groups that were taken, in which a record shows
 *	what the event says
 * @events_next: where in @events the next one goes
 */
struct record_groups {
	bool joins;
	uint64_t limit;
	struct record_group *first;
	struct record_group *last;
	struct record_group *open;
	size_t behind;
	struct record_group *buckets[RECORD_GROUP_BUCKETS];
	uint64_t counted;
	uint64_t dropped;
	uint64_t events[RECORD_GROUP_EVENTS];
	size_t events_next;
};

/* Add a record that was read at @now_ns of monotonic(); 0, or -1: no memory. */
int record_group_add(struct record_groups *all, const struct rdmaev_record *r,
		     int64_t now_ns);

/* No record can join what has begun before. */
void record_group_close(struct record_groups *all);

/* Close what has waited long enough at @now_ns. */
void record_group_expire(struct record_groups *all, int64_t now_ns);

/* When to call record_group_expire() for the oldest; -1: there is none */
int64_t record_group_deadline(const struct record_groups *all);

/*
 * Remove the oldest group, if it is closed and @limit does not keep it; the
 * caller frees it. NULL: there is none.
 */
struct record_group *record_group_pop(struct record_groups *all);

void record_group_free(struct record_group *h);
void record_group_free_all(struct record_groups *all);

/* Seq of the oldest record that was not taken; 0: there is none */
uint64_t record_group_oldest(const struct record_groups *all);

#endif /* ULIB_RECORD_GROUP_H */
