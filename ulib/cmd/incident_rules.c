// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The rules of incidents. The kernel gives a record its cause where it knows
 * it. A rule joins others, but only if the log itself shows the connection: the
 * same port while it is down, the same device after it failed, the two ends of
 * one connection, the same QP.
 */
#include <stdlib.h>

#include "incident_rules.h"

#define SECOND	1000000000ULL

/*
 * A PORT_ERR that no query confirms ends after this time, twice as long as the
 * kernel repeats the query.
 */
#define UNCONFIRMED_NS	(10 * SECOND)

/* Numbers of QPs are used again: the kernel's own limit for the same QP */
#define SAME_QP_NS	(60 * SECOND)

/**
 * struct rule_port - a port that is or was down
 * @generation: generation of its device
 * @port: its number
 * @down: record that took it down, NONE: it is not down
 * @is_confirmed: its state was not ACTIVE
 */
struct rule_port {
	uint32_t generation;
	uint32_t port;
	size_t down;
	bool is_confirmed;
};

/**
 * struct rule_device - a device that failed
 * @generation: its generation
 * @record: the record of that
 */
struct rule_device {
	uint32_t generation;
	size_t record;
};

static bool is_code(const struct rdmaev_record *r, unsigned int kind,
		    unsigned int code)
{
	return r->kind == kind && r->code == code;
}

static bool is_active(uint64_t state)
{
	return state >= RDMAEV_STATE_ACTIVE;
}

/* The port left ACTIVE. */
static bool takes_down(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR) ||
	       (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE) &&
		is_active(r->body.port.before.number) &&
		!is_active(r->body.port.after.number));
}

/* The port is ACTIVE, or was again. */
static bool brings_up(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ACTIVE) ||
	       is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN) ||
	       (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE) &&
		is_active(r->body.port.after.number));
}

bool is_end(const struct rdmaev_record *root, const struct rdmaev_record *r)
{
	if (takes_down(root))
		return brings_up(r) && r->port == root->port;
	return is_code(r, RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED) ||
	       is_code(r, RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_SEEING);
}

static bool is_about_port(const struct rdmaev_record *r)
{
	return r->object_type == RDMAEV_OBJECT_PORT && r->port;
}

/* What happens to QPs and connections whose packets get no answer */
static bool is_unreachable(const struct rdmaev_record *r)
{
	static const struct {
		unsigned int kind;
		unsigned int code;
	} codes[] = {
		{ RDMAEV_KIND_WC, RDMAEV_STATUS_LOC_QP_OP_ERR },
		{ RDMAEV_KIND_WC, RDMAEV_STATUS_RETRY_EXC_ERR },
		{ RDMAEV_KIND_WC, RDMAEV_STATUS_WR_FLUSH_ERR },
		{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL },
		{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PATH_MIG_ERR },
		{ RDMAEV_KIND_QP, RDMAEV_QP_ERR },
		{ RDMAEV_KIND_CM, RDMAEV_CM_ADDR_ERROR },
		{ RDMAEV_KIND_CM, RDMAEV_CM_ROUTE_ERROR },
		{ RDMAEV_KIND_CM, RDMAEV_CM_CONNECT_ERROR },
		{ RDMAEV_KIND_CM, RDMAEV_CM_UNREACHABLE },
		{ RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (is_code(r, codes[i].kind, codes[i].code))
			return true;
	return false;
}

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
		(!r->port && ports_of(log, r->generation) == 1));
}

static bool is_down(const struct incident_log *log, const struct rule_port *port,
		    const struct rdmaev_record *r)
{
	return port->down != NONE &&
	       (port->is_confirmed ||
		r->boottime_ns < log->nodes[port->down].r.boottime_ns + UNCONFIRMED_NS);
}

static size_t port_down_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t p;

	if (!is_about_port(r) && !is_unreachable(r))
		return NONE;
	for (p = 0; p < state->ports_count; p++)
		if (is_on_port(log, r, &state->ports[p]) &&
		    is_down(log, &state->ports[p], r))
			return state->ports[p].down;
	return NONE;
}

static size_t device_failed_parent(const struct incident_log *log,
				   const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t d;

	if (!is_about_port(r) && !is_unreachable(r) &&
	    !is_code(r, RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE))
		return NONE;
	for (d = 0; d < state->failed_count; d++)
		if (state->failed[d].generation == r->generation)
			return state->failed[d].record;
	return NONE;
}

static bool is_about_qp(const struct rdmaev_record *r, uint32_t generation,
			uint32_t qp)
{
	return r->object_type == RDMAEV_OBJECT_QP && r->generation == generation &&
	       r->object == qp;
}

/*
 * The two ends of a connection are QPs of one device: the request that moved the
 * other end to ERR names this one as its peer.
 */
static size_t other_end_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t before = i;

	(void)state;
	if (!is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) ||
	    !(r->body.cm.known & RDMAEV_KNOWN_PEER_QPN) ||
	    !(r->body.cm.known & RDMAEV_KNOWN_OBJECT))
		return NONE;
	while (before--) {
		const struct rdmaev_record *other = &log->nodes[before].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			break;
		if (is_about_qp(other, r->generation, r->body.cm.peer_qpn) &&
		    is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_ERR) &&
		    other->body.qp.known & RDMAEV_KNOWN_PEER_QPN &&
		    other->body.qp.peer_qpn == r->object)
			return before;
	}
	return NONE;
}

static size_t same_qp_parent(const struct incident_log *log,
			     const struct rule_state *state, size_t i);

static bool is_of_same_qp(const struct node *node)
{
	return node->rule && node->rule->parent == same_qp_parent;
}

/*
 * A QP that failed is closed and destroyed: records of one QP follow from the
 * first of them, not each from the one before.
 */
static size_t same_qp_parent(const struct incident_log *log,
			     const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t before = i;

	(void)state;
	if (r->kind != RDMAEV_KIND_QP &&
	    !is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
		return NONE;
	if (r->kind == RDMAEV_KIND_CM &&
	    !(r->body.cm.known & RDMAEV_KNOWN_OBJECT))
		return NONE;
	while (before--) {
		const struct rdmaev_record *other = &log->nodes[before].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			break;
		if (!is_about_qp(other, r->generation, r->object))
			continue;
		/* Another QP of that number */
		if (is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY))
			break;
		if (other->kind == RDMAEV_KIND_WC || other->kind == RDMAEV_KIND_ASYNC ||
		    other->kind == RDMAEV_KIND_QP)
			return is_of_same_qp(&log->nodes[before]) ?
			       log->nodes[before].parent : before;
	}
	return NONE;
}

/* The first that finds a parent applies. */
static const struct incident_rule rules[] = {
	{ "device_failed", "the device had failed", device_failed_parent },
	{ "port_down", "the port was down", port_down_parent },
	{ "other_end", "the other end, on this host", other_end_parent },
	{ "same_qp", "of the same QP", same_qp_parent },
};

const struct incident_rule *find_rule(const struct incident_log *log,
				      const struct rule_state *state, size_t i,
				      size_t *parent)
{
	size_t rule;

	for (rule = 0; rule < ARRAY_SIZE(rules); rule++) {
		*parent = rules[rule].parent(log, state, i);
		if (*parent != NONE)
			return &rules[rule];
	}
	return NULL;
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
	/* Of several, all but the first belong to the first. */
	if (is_code(&node->r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL) &&
	    node->parent == NONE)
		note_failed(state, &node->r, i);
}

void free_rule_state(struct rule_state *state)
{
	free(state->ports);
	free(state->failed);
}
