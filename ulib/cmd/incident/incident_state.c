// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the log has shown so far, while records are joined in its order */
#include <stdlib.h>

#include "incident_codes.h"
#include "incident_state.h"

/*
 * A PORT_ERR that no query confirms ends after this time, twice as long as the
 * kernel repeats the query.
 */
#define UNCONFIRMED_NS	(10 * SECOND)

/* Of a switch, as ib_core has it in enum rdma_node_type */
#define NODE_TYPE_SWITCH	2

struct rule_place *find_place(const struct rule_state *state, uint32_t generation,
			      uint32_t port)
{
	size_t p;

	for (p = chain_newest(&state->by_place, key_of(generation, port)); p != NONE;
	     p = chain_older(&state->by_place, p))
		if (state->places[p].generation == generation && state->places[p].port == port)
			return &state->places[p];
	return NULL;
}

struct rule_place *make_place(struct rule_state *state, uint32_t generation, uint32_t port)
{
	struct rule_place *place = find_place(state, generation, port);
	const size_t p = state->places_count;

	if (place)
		return place;
	/* It is a power of 2: all are in use. */
	if (!(p & (p - 1))) {
		place = realloc(state->places, (p ? 2 * p : 1) * sizeof(*place));
		if (!place) {
			state->is_full = true;
			return NULL;
		}
		state->places = place;
	}
	state->places[p] = (struct rule_place){
		.generation = generation, .port = port,
		.down = NONE, .up = NONE, .failed = NONE,
		.first = NONE, .last = NONE, .unasked = NONE, .changed = NONE,
	};
	state->places_count++;
	chain_add(&state->by_place, key_of(generation, port), p);
	return &state->places[p];
}

/* Note which outages begin with a network device that was set down. */
static void note_admin(struct incident_log *log, struct rule_state *state)
{
	size_t i = log->count;

	while (i-- && !state->is_full) {
		struct node *node = &log->nodes[i];
		const bool is_state = is_code(&node->r, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
		struct rule_place *place;

		if (!is_state && !takes_down(&node->r))
			continue;
		place = make_place(state, node->r.generation, node->r.port);
		if (place && is_state)
			place->is_admin = node->r.body.port.outage_flags & RDMAEV_OUTAGE_ADMIN;
		node->is_admin = place && place->is_admin;
	}
}

void rule_state_init(struct rule_state *state, struct incident_log *log)
{
	*state = (struct rule_state){ .places = NULL };
	/* A record makes one place at most. */
	state->is_full = chain_init(&state->by_place, log->count) < 0 ||
			 chain_init(&state->by_qp, log->count) < 0 ||
			 chain_init(&state->by_peer, log->count) < 0 ||
			 chain_init(&state->by_end, log->count) < 0 ||
			 chain_init(&state->by_connection, log->count) < 0;
	note_admin(log, state);
}

void rule_state_free(struct rule_state *state)
{
	free(state->places);
	chain_free(&state->by_place);
	chain_free(&state->by_qp);
	chain_free(&state->by_peer);
	chain_free(&state->by_end);
	chain_free(&state->by_connection);
}

uint32_t port_of(const struct incident_log *log, const struct rdmaev_record *r)
{
	size_t d;

	if (r->port != RDMAEV_NO_PORT)
		return r->port;
	for (d = 0; d < log->devices_count; d++)
		if (log->devices[d].generation == r->generation)
			break;
	if (d == log->devices_count || log->devices[d].ports != 1)
		return RDMAEV_NO_PORT;
	return log->devices[d].node_type == NODE_TYPE_SWITCH ? 0 : 1;
}

/* Was the port down when record @i was appended? */
static bool is_down(const struct incident_log *log, const struct rule_place *place, size_t i)
{
	return place->down != NONE && place->down < i && (place->up == NONE || i < place->up) &&
	       (place->is_confirmed ||
		log->nodes[i].r.boottime_ns <
			log->nodes[place->down].r.boottime_ns + UNCONFIRMED_NS);
}

size_t down_record(const struct incident_log *log, const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rule_place *place = find_place(state, r->generation, port_of(log, r));

	return place && is_down(log, place, i) ? place->down : NONE;
}

size_t failed_record(const struct rule_state *state, uint32_t generation)
{
	const struct rule_place *place = find_place(state, generation, RDMAEV_NO_PORT);

	return place ? place->failed : NONE;
}

static void note_port(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	struct rule_place *place = make_place(state, r->generation, r->port);

	if (!place)
		return;
	if (brings_up(r)) {
		if (place->up == NONE)
			place->up = i;
	} else {
		if (!is_down(log, place, i)) {
			place->down = i;
			place->up = NONE;
			place->is_confirmed = false;
		}
		place->is_confirmed |= r->kind == RDMAEV_KIND_PORT;
	}
}

static void note_failed(struct rule_state *state, uint32_t generation, size_t i)
{
	struct rule_place *place = make_place(state, generation, RDMAEV_NO_PORT);

	if (place)
		place->failed = i;
}

void note_place(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct node *node = &log->nodes[i];

	if (takes_down(&node->r) || brings_up(&node->r))
		note_port(log, state, i);
	/* Of several at the same time, all but the first belong to the first. */
	if (is_fatal(&node->r) && node->parent == NONE)
		note_failed(state, node->r.generation, i);
}
