/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The newest records of a log that is read from its beginning, for log -n. */
#ifndef ULIB_NEWEST_H
#define ULIB_NEWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

/**
 * struct newest - a queue of the newest records
 * @limit: how many to keep; LOST records do not count
 * @counted: records kept that are no LOST records
 * @records: kept records, a circular buffer
 * @room: length of @records
 * @first: index of the oldest
 * @used: number of records kept
 * @dropped: seq of the newest record that was not kept, 0: none
 */
struct newest {
	uint64_t limit;
	uint64_t counted;
	struct rdmaev_record *records;
	size_t room;
	size_t first;
	size_t used;
	uint64_t dropped;
};

/* Append a record, drop the oldest if there are too many. 0, or -1: no memory. */
int newest_add(struct newest *n, const struct rdmaev_record *r);
/* Remove the oldest record that is kept; false: there is none. */
bool newest_take(struct newest *n, struct rdmaev_record *r);
void newest_free(struct newest *n);

#endif /* ULIB_NEWEST_H */
