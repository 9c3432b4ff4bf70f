/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What follows from a GID that is removed, and its return */
#ifndef ULIB_INCIDENT_GID_REMOVED_H
#define ULIB_INCIDENT_GID_REMOVED_H

#include "incident_rules.h"

extern const struct incident_rule gid_removed_rule;

/*
 * Note a change of a GID, and join the event that is its cause; or the address of a
 * connection, and join what had failed before it.
 */
void note_gid(struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_GID_REMOVED_H */
