/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which group a record joins */
#ifndef ULIB_RECORD_GROUP_JOIN_H
#define ULIB_RECORD_GROUP_JOIN_H

#include "record_group.h"
#include "record_group_rules.h"

/*
 * A record that has its cause in a group joins it for this time: as long as
 * the kernel repeats a query that contradicts the event.
 */
#define RECORD_GROUP_CAUSE_NS	5000000000ULL

static inline const struct rdmaev_record *record_group_first(const struct record_group *h)
{
	return &h->records[0];
}

static inline const struct rdmaev_record *record_group_last(const struct record_group *h)
{
	return &h->records[h->count - 1];
}

/* The newest group that @r joins, or NULL */
struct record_group *record_group_to_join(const struct record_groups *all,
					  const struct rdmaev_record *r,
				    enum record_group_role role);

/* True if @r says that the port of @h has left ACTIVE, which @h is not about */
bool record_group_is_past(const struct record_group *h, const struct rdmaev_record *r);

/* The first record of @h with this code, or NULL */
const struct rdmaev_record *record_group_find(const struct record_group *h,
					      unsigned int kind, unsigned int code);

/* True if a record of @h shows what the event @r says */
bool record_group_shows(const struct record_group *h, const struct rdmaev_record *r);

#endif /* ULIB_RECORD_GROUP_JOIN_H */
