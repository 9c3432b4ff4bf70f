/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Addresses of this host's devices: is a peer here, or on another host? */
#ifndef ULIB_INCIDENT_OWN_H
#define ULIB_INCIDENT_OWN_H

#include "incident.h"

/*
 * Note an address of a device before records are joined; 0, or -1 if memory is short. An
 * empty GID is none.
 */
int add_own(struct incident_log *log, uint32_t generation, const uint8_t gid[RDMAEV_GID_SIZE]);

/*
 * Note those that ports and records have: GIDs that a port has or had, and addresses of
 * this end of connections. 0, or -1 if memory is short.
 */
int list_own(struct incident_log *log);

/* Is or was it an address of the device, as far as is known? */
bool is_own(const struct incident_log *log, uint32_t generation,
	    const uint8_t gid[RDMAEV_GID_SIZE]);
bool is_own_lid(const struct incident_log *log, uint32_t generation, uint32_t lid);

#endif /* ULIB_INCIDENT_OWN_H */
