// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* State of ports and devices while records are joined, in the order of the log */
#include <stdlib.h>

#include "incident_codes.h"
#include "incident_state.h"

/*
 * A PORT_ERR that no query confirms ends after this time, twice as long as the
 * kernel repeats the query.
 */
#define UNCONFIRMED_NS	(10 * SECOND)

static uint32_t ports_of(const struct incident_log *log, uint32_t generation)
{
	size_t d;

	for (d = 0; d < log->devices_count; d++)
		if (log->devices[d].generation == generation)
			return log->devices[d].ports;
	return 0;
}

/* A record of a QP may have no port: it is that of a device with one. */
static bool is_on_port(const struct incident_log *log,
		       const struct rdmaev_record *r, const struct rule_port *port)
{
	return r->generation == port->generation &&
	       (r->port == port->port ||
		(r->port == RDMAEV_NO_PORT && ports_of(log, r->generation) == 1));
}

static bool is_down(const struct incident_log *log, const struct rule_port *port,
		    const struct rdmaev_record *r)
{
	return port->down != NONE &&
	       (port->is_confirmed ||
		r->boottime_ns < log->nodes[port->down].r.boottime_ns + UNCONFIRMED_NS);
}

size_t down_record(const struct incident_log *log, const struct rule_state *state,
		   const struct rdmaev_record *r)
{
	size_t p;

	for (p = 0; p < state->ports_count; p++)
		if (is_on_port(log, r, &state->ports[p]) &&
		    is_down(log, &state->ports[p], r))
			return state->ports[p].down;
	return NONE;
}

static struct rule_port *rule_port(struct rule_state *state,
				   const struct rdmaev_record *r)
{
	struct rule_port *larger;
	size_t p;

	for (p = 0; p < state->ports_count; p++)
		if (state->ports[p].generation == r->generation &&
		    state->ports[p].port == r->port)
			return &state->ports[p];
	larger = realloc(state->ports, (p + 1) * sizeof(*larger));
	if (!larger) {
		state->is_full = true;
		return NULL;
	}
	state->ports = larger;
	state->ports_count++;
	larger[p] = (struct rule_port){
		.generation = r->generation, .port = r->port, .down = NONE,
	};
	return &larger[p];
}

static void note_port(const struct incident_log *log, struct rule_state *state,
		      size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	struct rule_port *port = rule_port(state, r);

	if (!port)
		return;
	if (brings_up(r)) {
		port->down = NONE;
	} else if (takes_down(r)) {
		if (!is_down(log, port, r)) {
			port->down = i;
			port->is_confirmed = false;
		}
		port->is_confirmed |= r->kind == RDMAEV_KIND_PORT;
	}
}

static void note_failed(struct rule_state *state, const struct rdmaev_record *r,
			size_t i)
{
	struct rule_device *larger;

	larger = realloc(state->failed, (state->failed_count + 1) * sizeof(*larger));
	if (!larger) {
		state->is_full = true;
		return;
	}
	state->failed = larger;
	larger[state->failed_count++] = (struct rule_device){
		.generation = r->generation, .record = i,
	};
}

void note_record(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct node *node = &log->nodes[i];

	if (takes_down(&node->r) || brings_up(&node->r))
		note_port(log, state, i);
	/* Of several at the same time, all but the first belong to the first. */
	if (is_fatal(&node->r) && node->parent == NONE)
		note_failed(state, &node->r, i);
}

void free_rule_state(struct rule_state *state)
{
	free(state->ports);
	free(state->failed);
}
