/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The records of a group, of which its line needs only some */
#ifndef ULIB_RECORD_GROUP_PARTS_H
#define ULIB_RECORD_GROUP_PARTS_H

#include "record_group.h"

/* What became of an entry of a table of a port */
enum change {
	CHANGE_NONE,	/* the record is about something else */
	CHANGE_ADDED,
	CHANGE_REMOVED,
	CHANGE_CHANGED,
};

enum change record_change(const struct rdmaev_record *r);

/*
 * True if it stands for requests for QPs that have no records of their own: the end of a
 * burst, whose first record is its cause
 */
bool record_is_sum(const struct rdmaev_record *r);

static inline const struct rdmaev_record *record_group_first(const struct record_group *h)
{
	return &h->parts.first;
}

/* Take in a record, at the end; 0, or -1: no memory. */
int record_group_append(struct record_group *h, const struct rdmaev_record *r, int64_t now_ns);

/* True if a record of @h is the cause of one that has the cause @cause, or has the same. */
bool record_group_has_cause(const struct record_group *h, uint64_t cause);

/* The last record of a part */
const struct rdmaev_record *record_group_part_last(const struct record_group_part *part);

/* The first and the last record of @h with this code, or NULL */
const struct rdmaev_record *record_group_find(const struct record_group *h,
					      unsigned int kind, unsigned int code);
const struct rdmaev_record *record_group_find_last(const struct record_group *h,
						   unsigned int kind, unsigned int code);

/* True if a record of @h shows what the event @r says */
bool record_group_shows(const struct record_group *h, const struct rdmaev_record *r);

#endif /* ULIB_RECORD_GROUP_PARTS_H */
