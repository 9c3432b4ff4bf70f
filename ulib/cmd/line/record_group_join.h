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

/* The bucket of groups that are about the same as @r */
size_t record_group_bucket(const struct rdmaev_record *r);

/* True if @h is about the same as @r */
bool record_group_is_alike(const struct record_group *h, const struct rdmaev_record *r);

/* The newest group that @r joins, or NULL */
struct record_group *record_group_to_join(const struct record_groups *all,
					  const struct rdmaev_record *r,
				    enum record_group_role role);

/* Note that @r says that the port of open groups, which are not about that, left ACTIVE. */
void record_group_note_past(const struct record_groups *all, const struct rdmaev_record *r);

#endif /* ULIB_RECORD_GROUP_JOIN_H */
