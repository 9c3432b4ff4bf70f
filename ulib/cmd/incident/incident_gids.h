/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which changes of GIDs follow from the outage of their port */
#ifndef ULIB_INCIDENT_GIDS_H
#define ULIB_INCIDENT_GIDS_H

#include "incident.h"

/*
 * True if the outage that record @down began explains record @i, a change of the
 * GID table of the same port.
 */
bool outage_explains_gids(const struct incident_log *log, size_t down, size_t i);

#endif /* ULIB_INCIDENT_GIDS_H */
