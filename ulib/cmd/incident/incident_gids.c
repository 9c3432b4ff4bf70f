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

#include "incident_gids.h"
#include "incident_state.h"

/* As long as the kernel repeats a query that contradicts an event */
#define SETTLE_NS	(5 * SECOND)

static bool is_port_record(const struct rdmaev_record *r, unsigned int code)
{
	return r->kind == RDMAEV_KIND_PORT && r->code == code;
}

static bool is_same_port(const struct rdmaev_record *a, const struct rdmaev_record *b)
{
	return a->generation == b->generation && a->port == b->port;
}

static bool is_empty_gid(const uint8_t gid[RDMAEV_GID_SIZE])
{
	static const uint8_t empty[RDMAEV_GID_SIZE];

	return !memcmp(gid, empty, sizeof(empty));
}

/* ::ffff:192.0.2.1 */
static bool is_ipv4_gid(const uint8_t gid[RDMAEV_GID_SIZE])
{
	static const uint8_t prefix[] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid, prefix, sizeof(prefix));
}

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

/* The query that found the port down found its network device set down. */
static bool is_admin_outage(const struct incident_log *log, size_t down)
{
	size_t i;

	for (i = down; i < log->count; i++) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (is_port_record(r, RDMAEV_PORT_STATE) &&
		    is_same_port(r, &log->nodes[down].r))
			return r->body.port.outage_flags & RDMAEV_OUTAGE_ADMIN;
	}
	return false;
}

/* A GID that the kernel removes when the network device is set down */
static bool is_gid_removed(const struct incident_log *log, size_t down, size_t i)
{
	const struct rdmaev_record *begin = &log->nodes[down].r;
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rdmaev_port_body *body = &r->body.port;

	return is_port_record(r, RDMAEV_PORT_GID) && is_same_port(r, begin) &&
	       is_empty_gid(body->after.gid) && !is_empty_gid(body->before.gid) &&
	       !is_ipv4_gid(body->before.gid) && is_roce_type(body->gid_type_before) &&
	       body->netdev_before && body->netdev_before == netdev_of_port(log, r) &&
	       r->boottime_ns <= begin->boottime_ns + SETTLE_NS &&
	       is_admin_outage(log, down);
}

/* Record @back has the GID that record @removed had removed. */
static bool is_same_gid(const struct rdmaev_record *removed,
			const struct rdmaev_record *back)
{
	const struct rdmaev_port_body *before = &removed->body.port;
	const struct rdmaev_port_body *after = &back->body.port;

	return !memcmp(before->before.gid, after->after.gid, RDMAEV_GID_SIZE) &&
	       before->gid_type_before == after->gid_type_after &&
	       before->netdev_before == after->netdev_after;
}

/* A GID that this outage has removed returns. */
static bool is_gid_returned(const struct incident_log *log, size_t down, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t before;

	if (!is_port_record(r, RDMAEV_PORT_GID) || !is_empty_gid(r->body.port.before.gid))
		return false;
	for (before = down + 1; before < i; before++)
		if (is_gid_removed(log, down, before) &&
		    is_same_gid(&log->nodes[before].r, r))
			return true;
	return false;
}

static bool is_gid_explained(const struct incident_log *log, size_t down, size_t i)
{
	return is_gid_removed(log, down, i) || is_gid_returned(log, down, i);
}

/* The event does not say what has changed: the records that follow from it do. */
static bool are_all_explained(const struct incident_log *log, size_t down, size_t event)
{
	const struct rdmaev_record *from = &log->nodes[event].r;
	bool any = false;
	size_t i;

	for (i = event + 1; i < log->count; i++) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (r->boottime_ns > from->boottime_ns + 2 * SETTLE_NS)
			break;
		if (r->cause != from->seq)
			continue;
		if (!is_gid_explained(log, down, i))
			return false;
		any = true;
	}
	return any;
}

bool outage_explains_gids(const struct incident_log *log, size_t down, size_t i)
{
	if (is_port_record(&log->nodes[i].r, RDMAEV_PORT_GID))
		return is_gid_explained(log, down, i);
	return are_all_explained(log, down, i);
}
