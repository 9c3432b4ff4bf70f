/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* GID tables of ports: which GID was removed by which record, and is not back */
#ifndef ULIB_INCIDENT_GID_TABLE_H
#define ULIB_INCIDENT_GID_TABLE_H

#include "incident_state.h"

/**
 * struct gid_place - a GID of a port
 * @generation: generation of the device
 * @port: port
 * @gid: GID
 */
struct gid_place {
	uint32_t generation;
	uint32_t port;
	const uint8_t *gid;
};

bool is_empty_gid(const uint8_t gid[RDMAEV_GID_SIZE]);
/* ::ffff:192.0.2.1 */
bool is_ipv4_gid(const uint8_t gid[RDMAEV_GID_SIZE]);

/* The last removal of the GID that record @back adds, of equal type and netdev; or NONE */
size_t find_removed_gid(const struct incident_log *log, const struct rule_state *state,
			const struct rdmaev_record *back);

/* The removal after which the port had the GID at no index when @at was appended, or NONE */
size_t find_gone(const struct incident_log *log, const struct rule_state *state,
		 const struct gid_place *gid, size_t at);

/* The removal after which this index of the GID table is empty, or NONE */
size_t find_emptied(const struct incident_log *log, const struct rule_state *state,
		    uint32_t generation, uint32_t port, uint32_t index);

/* Note a PORT_GID record. */
void note_gid_change(const struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_GID_TABLE_H */
