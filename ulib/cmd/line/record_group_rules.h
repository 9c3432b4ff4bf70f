/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which records make record_groups: the RECORD_GROUP rows of the catalogue */
#ifndef ULIB_RECORD_GROUP_RULES_H
#define ULIB_RECORD_GROUP_RULES_H

#include <rdmaev.h>

struct catalogue_entry;

/**
 * enum record_group_role - what a record does in a group
 * @RECORD_GROUP_NONE: nothing, it is a line of its own
 * @RECORD_GROUP_BEGINS: begins one, and joins none
 * @RECORD_GROUP_PORT: joins that of its port, or begins one
 * @RECORD_GROUP_CAUSE: joins that of its cause; without a cause as @RECORD_GROUP_PORT
 * @RECORD_GROUP_OWNER: joins that of the same request for other QPs of its owner, or begins one
 */
enum record_group_role {
	RECORD_GROUP_NONE,
	RECORD_GROUP_BEGINS,
	RECORD_GROUP_PORT,
	RECORD_GROUP_CAUSE,
	RECORD_GROUP_OWNER,
};

enum record_group_role record_group_role(const struct rdmaev_record *r);

/* The attribute whose records show what the event @r says, or NULL */
const struct catalogue_entry *record_group_shown_by(const struct rdmaev_record *r);

#endif /* ULIB_RECORD_GROUP_RULES_H */
