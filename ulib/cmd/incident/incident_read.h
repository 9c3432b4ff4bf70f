/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Incidents out of the log */
#ifndef ULIB_INCIDENT_READ_H
#define ULIB_INCIDENT_READ_H

#include <rdmaev.h>

#include "incident_lost.h"

/* Read the log and join it; 0, or -1 after a message. Free it in either case. */
int read_incidents(struct rdmaev *h, struct incident_log *log);

/* The same, with the connections that are lost at @now. Changes the filter of @h. */
int read_lost(struct rdmaev *h, uint64_t now, struct lost_list *lost);

#endif /* ULIB_INCIDENT_READ_H */
