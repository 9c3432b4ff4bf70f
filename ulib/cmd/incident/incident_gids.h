/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which changes of GIDs follow from the outage of their port */
#ifndef ULIB_INCIDENT_GIDS_H
#define ULIB_INCIDENT_GIDS_H

#include "incident_rules.h"

extern const struct incident_rule gid_of_outage_rule;

/* Note a change of a GID, and join the event that is its cause. */
void note_gid(struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_GIDS_H */
