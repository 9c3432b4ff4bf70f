/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What can be done about an incident */
#ifndef ULIB_INCIDENT_REMEDY_H
#define ULIB_INCIDENT_REMEDY_H

#include <rdmaev.h>

/* The remedy for a root, by what its record has; else that of its event; NULL: none is known */
const char *incident_remedy(const struct rdmaev_record *r);

#endif /* ULIB_INCIDENT_REMEDY_H */
