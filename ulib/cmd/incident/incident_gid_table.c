// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* GID tables of ports: which GID was removed by which record, and is not back */
#include <string.h>

#include "incident_codes.h"
#include "incident_gid_table.h"

bool is_empty_gid(const uint8_t gid[RDMAEV_GID_SIZE])
{
	static const uint8_t empty[RDMAEV_GID_SIZE];

	return !memcmp(gid, empty, sizeof(empty));
}

bool is_ipv4_gid(const uint8_t gid[RDMAEV_GID_SIZE])
{
	static const uint8_t prefix[] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid, prefix, sizeof(prefix));
}

static uint64_t gid_key(uint32_t generation, uint32_t port, const uint8_t gid[RDMAEV_GID_SIZE])
{
	return key_add_bytes(key_of(generation, port), gid, RDMAEV_GID_SIZE);
}

static uint64_t index_key(uint32_t generation, uint32_t port, uint32_t index)
{
	return key_add(key_of(generation, port), index);
}

static bool is_of_port(const struct rdmaev_record *r, uint32_t generation, uint32_t port)
{
	return is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID) && r->generation == generation &&
	       r->port == port;
}

/* Record @back has the GID that record @removed had removed. */
static bool is_same_gid(const struct rdmaev_record *removed,
			const struct rdmaev_record *back)
{
	const struct rdmaev_port_body *before = &removed->body.port;
	const struct rdmaev_port_body *after = &back->body.port;

	return is_of_port(removed, back->generation, back->port) &&
	       !memcmp(before->before.gid, after->after.gid, RDMAEV_GID_SIZE) &&
	       before->gid_type_before == after->gid_type_after &&
	       before->netdev_before == after->netdev_after;
}

size_t find_removed_gid(const struct incident_log *log, const struct rule_state *state,
			const struct rdmaev_record *back)
{
	const uint64_t key = gid_key(back->generation, back->port, back->body.port.after.gid);
	size_t i;

	if (is_empty_gid(back->body.port.after.gid))
		return NONE;
	for (i = chain_newest(&state->by_end, key); i != NONE;
	     i = chain_older(&state->by_end, i))
		if (is_same_gid(&log->nodes[i].r, back))
			return i;
	return NONE;
}

/* The newest record before @at that added the GID, or NONE */
static size_t find_added(const struct incident_log *log, const struct rule_state *state,
			 const struct gid_place *gid, size_t at)
{
	const uint64_t key = gid_key(gid->generation, gid->port, gid->gid);
	size_t i;

	for (i = chain_newest(&state->by_qp, key); i != NONE;
	     i = chain_older(&state->by_qp, i))
		if (i < at && is_of_port(&log->nodes[i].r, gid->generation, gid->port) &&
		    !memcmp(log->nodes[i].r.body.port.after.gid, gid->gid, RDMAEV_GID_SIZE))
			return i;
	return NONE;
}

size_t find_gone(const struct incident_log *log, const struct rule_state *state,
		 const struct gid_place *gid, size_t at)
{
	const uint64_t key = gid_key(gid->generation, gid->port, gid->gid);
	const size_t added = find_added(log, state, gid, at);
	size_t newest = NONE, i;

	for (i = chain_newest(&state->by_end, key); i != NONE && (added == NONE || i > added);
	     i = chain_older(&state->by_end, i)) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (i >= at || !is_of_port(r, gid->generation, gid->port) ||
		    memcmp(r->body.port.before.gid, gid->gid, RDMAEV_GID_SIZE))
			continue;
		if (newest == NONE)
			newest = i;
		/* The same address can have entries of several types. */
		if (added == NONE ||
		    r->body.port.index == log->nodes[added].r.body.port.index)
			return newest;
	}
	return NONE;
}

size_t find_emptied(const struct incident_log *log, const struct rule_state *state,
		    uint32_t generation, uint32_t port, uint32_t index)
{
	size_t i;

	for (i = chain_newest(&state->by_peer, index_key(generation, port, index)); i != NONE;
	     i = chain_older(&state->by_peer, i)) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (is_of_port(r, generation, port) && r->body.port.index == index)
			return is_empty_gid(r->body.port.after.gid) ? i : NONE;
	}
	return NONE;
}

void note_gid_change(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rdmaev_port_body *body = &r->body.port;

	if (!is_empty_gid(body->before.gid))
		chain_add(&state->by_end, gid_key(r->generation, r->port, body->before.gid), i);
	if (!is_empty_gid(body->after.gid))
		chain_add(&state->by_qp, gid_key(r->generation, r->port, body->after.gid), i);
	chain_add(&state->by_peer, index_key(r->generation, r->port, body->index), i);
}
