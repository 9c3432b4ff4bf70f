/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Parts of an incident that why and report show */
#ifndef ULIB_INCIDENT_PARTS_H
#define ULIB_INCIDENT_PARTS_H

#include "incident.h"

/* Owners that are named, and the size of a name */
#define NAMES		16
#define NAME_SIZE	80

/* Of more records of an event that follow from the same one, so many are shown */
#define SHOWN		4
/* Different events that are folded so */
#define FOLDS		16

/**
 * struct victims - whose work an incident hit
 * @names: "NAME" or "NAME[PID]", @count of them
 * @of: a record of each
 * @others: more than that
 */
struct victims {
	char names[NAMES][NAME_SIZE];
	const struct rdmaev_record *of[NAMES];
	size_t count;
	bool others;
};

struct victims find_victims(const struct incident_log *log, size_t root);
/* "NAME, NAME[PID] and others" */
void put_victims(struct text *t, const struct victims *victims);

/* "rxe0/1", "rxe0" or "-" */
void put_place(struct text *t, const struct rdmaev_record *r);

/* How long an incident that has an end was: an outage may have begun before its record */
uint64_t incident_ns(const struct incident_log *log, const struct incident *incident);

/* "+3ms", or "-3ms" of a record that is earlier than @from: a root may come later */
void put_after(struct text *t, const struct rdmaev_record *from,
	       const struct rdmaev_record *to);

/* Nanoseconds from one record to another, 0 if it is earlier */
uint64_t after(const struct rdmaev_record *from, const struct rdmaev_record *to);

/**
 * struct fold - how many children of a record are of an event
 * @kind: kind of the event
 * @code: its code
 * @total: number of them
 * @seen: number so far
 * @last: the last of them
 */
struct fold {
	unsigned int kind;
	unsigned int code;
	size_t total;
	size_t seen;
	size_t last;
};

/* The counter of this event; NULL: no room, so these are not folded. */
struct fold *find_fold(struct fold *folds, const struct rdmaev_record *r);
void count_children(const struct incident_log *log, size_t parent,
		    struct fold *folds);

#endif /* ULIB_INCIDENT_PARTS_H */
