/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which record says that an incident is over */
#ifndef ULIB_INCIDENT_END_H
#define ULIB_INCIDENT_END_H

#include <stdbool.h>

#include <rdmaev.h>

/* True if the record says that what the root of its tree began is over. */
bool is_end(const struct rdmaev_record *root, const struct rdmaev_record *r);

/* True if the removal of its device ends what the root began. */
bool ends_with_device(const struct rdmaev_record *root);

#endif /* ULIB_INCIDENT_END_H */
