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
#include "incident_gids.h"
#include "incident_port.h"
#include "incident_state.h"

/* As long as the kernel repeats a query that contradicts an event */
#define SETTLE_NS	(5 * SECOND)

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

static uint64_t gid_key(const struct rdmaev_record *r, const uint8_t gid[RDMAEV_GID_SIZE])
{
	return key_add_bytes(key_of(r->generation, r->port), gid, RDMAEV_GID_SIZE);
}

/* Record @back has the GID that record @removed had removed. */
static bool is_same_gid(const struct rdmaev_record *removed,
			const struct rdmaev_record *back)
{
	const struct rdmaev_port_body *before = &removed->body.port;
	const struct rdmaev_port_body *after = &back->body.port;

	return is_code(removed, RDMAEV_KIND_PORT, RDMAEV_PORT_GID) &&
	       removed->generation == back->generation && removed->port == back->port &&
	       !memcmp(before->before.gid, after->after.gid, RDMAEV_GID_SIZE) &&
	       before->gid_type_before == after->gid_type_after &&
	       before->netdev_before == after->netdev_after;
}

/* The last removal of the GID that record @back adds, or NONE */
static size_t find_removed(const struct incident_log *log, const struct rule_state *state,
			   const struct rdmaev_record *back)
{
	const uint64_t key = gid_key(back, back->body.port.after.gid);
	size_t i;

	for (i = chain_newest(&state->by_end, key); i != NONE;
	     i = chain_older(&state->by_end, i))
		if (is_same_gid(&log->nodes[i].r, back))
			return i;
	return NONE;
}

/* A GID that this outage has removed returns. */
static bool is_gid_returned(const struct incident_log *log, const struct rule_state *state,
			    size_t down, const struct rdmaev_record *r)
{
	size_t removed;

	if (!is_empty_gid(r->body.port.before.gid))
		return false;
	removed = find_removed(log, state, r);
	return removed != NONE && removed > down && is_gid_removed(log, down, removed);
}

/* The outage at the time of record @at, if it explains record @i; else NONE */
static size_t find_outage(const struct incident_log *log, const struct rule_state *state,
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
	return find_outage(log, state, i, i);
}

const struct incident_rule gid_of_outage_rule = { PORT_DOWN, gid_of_outage_parent };

/*
 * The event does not say what has changed: the records that follow from it do, and it
 * follows from what all of them do.
 */
static void join_event(struct node *event, const struct incident_rule *rule, size_t parent)
{
	if (event->is_several)
		return;
	if (event->rule ? event->parent == parent : parent != NONE) {
		event->rule = rule;
		event->parent = parent;
		return;
	}
	event->rule = NULL;
	event->parent = NONE;
	event->is_several = true;
}

void note_gid(struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const size_t event = log->nodes[i].parent;

	if (!is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID))
		return;
	if (event != NONE && !log->nodes[event].r.cause &&
	    is_code(&log->nodes[event].r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_GID_CHANGE))
		join_event(&log->nodes[event], &gid_of_outage_rule,
			   find_outage(log, state, event, i));
	if (!is_empty_gid(r->body.port.before.gid))
		chain_add(&state->by_end, gid_key(r, r->body.port.before.gid), i);
}
