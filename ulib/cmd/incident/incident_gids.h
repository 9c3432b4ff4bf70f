/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which changes of GIDs follow from the outage of their port */
#ifndef ULIB_INCIDENT_GIDS_H
#define ULIB_INCIDENT_GIDS_H

#include "incident_rules.h"

extern const struct incident_rule gid_of_outage_rule;

/* The outage at the time of record @at, if it explains PORT_GID record @i; else NONE */
size_t find_gid_outage(const struct incident_log *log, const struct rule_state *state,
		       size_t at, size_t i);

#endif /* ULIB_INCIDENT_GIDS_H */
