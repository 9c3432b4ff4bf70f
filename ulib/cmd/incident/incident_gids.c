// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which changes of GIDs follow from the outage of their port. If the network
 * device of a RoCE port is set down, the kernel removes its IPv6 addresses, and
 * their GIDs with them; the same GIDs return when it is set up. All other changes
 * have a cause of their own: somebody adds or deletes an address (those of IPv4
 * stay), or another network device goes, such as a VLAN. The loss of the carrier
 * removes no GID, and on InfiniBand the subnet manager decides.
 */
#include <string.h>

#include "incident_codes.h"
#include "incident_gid_table.h"
#include "incident_gids.h"
#include "incident_port.h"
#include "incident_state.h"

/* As long as the kernel repeats a query that contradicts an event */
#define SETTLE_NS	(5 * SECOND)

static bool is_roce_type(uint32_t type)
{
	return type == RDMAEV_GID_ROCE_V1 || type == RDMAEV_GID_ROCE_V2;
}

/* Index of the network device of the port; 0: unknown */
static uint32_t netdev_of_port(const struct incident_log *log,
			       const struct rdmaev_record *r)
{
	size_t p;

	for (p = 0; p < log->ports_count; p++)
		if (log->ports[p].generation == r->generation &&
		    log->ports[p].port == r->port)
			return log->ports[p].netdev;
	return 0;
}

/* A GID that the kernel removes when the network device is set down */
static bool is_gid_removed(const struct incident_log *log, size_t down, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rdmaev_port_body *body = &r->body.port;

	return log->nodes[down].is_admin &&
	       is_empty_gid(body->after.gid) && !is_empty_gid(body->before.gid) &&
	       !is_ipv4_gid(body->before.gid) && is_roce_type(body->gid_type_before) &&
	       body->netdev_before && body->netdev_before == netdev_of_port(log, r) &&
	       r->boottime_ns <= log->nodes[down].r.boottime_ns + SETTLE_NS;
}

/* A GID that this outage has removed returns. */
static bool is_gid_returned(const struct incident_log *log, const struct rule_state *state,
			    size_t down, const struct rdmaev_record *r)
{
	size_t removed;

	if (!is_empty_gid(r->body.port.before.gid))
		return false;
	removed = find_removed_gid(log, state, r);
	return removed != NONE && removed > down && is_gid_removed(log, down, removed);
}

size_t find_gid_outage(const struct incident_log *log, const struct rule_state *state,
		       size_t at, size_t i)
{
	size_t down = down_record(log, state, at);

	return down != NONE && (is_gid_removed(log, down, i) ||
				is_gid_returned(log, state, down, &log->nodes[i].r)) ?
	       down : NONE;
}

static size_t gid_of_outage_parent(const struct incident_log *log,
				   const struct rule_state *state, size_t i)
{
	if (!is_code(&log->nodes[i].r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID))
		return NONE;
	return find_gid_outage(log, state, i, i);
}

const struct incident_rule gid_of_outage_rule = {
	.name = PORT_DOWN_NAME,
	.words = PORT_DOWN_WORDS,
	.parent = gid_of_outage_parent,
	.kind = RDMAEV_KIND_PORT,
};
