// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The rules of incidents. The kernel gives a record its cause where it knows
 * it. A rule joins others, but only if the log itself shows the connection: the
 * same port while it is down, the same device after it failed, the two ends of
 * one connection, the same QP.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "incident_gids.h"
#include "incident_rules.h"

#define SECOND	1000000000ULL

/*
 * A PORT_ERR that no query confirms ends after this time, twice as long as the
 * kernel repeats the query.
 */
#define UNCONFIRMED_NS	(10 * SECOND)

/*
 * What follows from a failed device does so within this time; its reset, which
 * removes it, at any time.
 */
#define FAILED_NS	(60 * SECOND)

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

/* Records that end what another kind of record began */
static const struct {
	unsigned int kind;
	unsigned int code;
	unsigned int end_kind;
	unsigned int end_code;
} ends[] = {
	{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL,
	  RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE },
	/* Of a port that was down when the module was loaded */
	{ RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE,
	  RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END },
	{ RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_STUCK,
	  RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_RETURNED },
	{ RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_STALLED,
	  RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED },
	{ RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_BLIND,
	  RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_SEEING },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_LATE, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_LOST, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_FAILED, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_STUCK, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
};

bool is_end(const struct rdmaev_record *root, const struct rdmaev_record *r)
{
	size_t i;

	if (takes_down(root))
		return brings_up(r) && r->port == root->port;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (is_code(root, ends[i].kind, ends[i].code) &&
		    is_code(r, ends[i].end_kind, ends[i].end_code))
			return r->port == root->port;
	return false;
}

bool is_end_of_device(const struct rdmaev_record *root, const struct rdmaev_record *r)
{
	size_t i;

	if (!is_code(r, RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE) ||
	    r->generation != root->generation)
		return false;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (is_code(root, ends[i].kind, ends[i].code))
			return true;
	return takes_down(root);
}

static bool is_about_port(const struct rdmaev_record *r)
{
	return r->object_type == RDMAEV_OBJECT_PORT && r->port != RDMAEV_NO_PORT;
}

/* What happens to QPs and connections whose packets get no answer */
static bool is_unreachable(const struct rdmaev_record *r)
{
	static const struct {
		unsigned int kind;
		unsigned int code;
	} codes[] = {
		{ RDMAEV_KIND_WC, RDMAEV_WC_LOC_QP_OP_ERR },
		{ RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR },
		{ RDMAEV_KIND_WC, RDMAEV_WC_WR_FLUSH_ERR },
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

	/*
	 * Closed in order: both ends could be reached. siw closes its connections
	 * when its network device is about to go down, some milliseconds before
	 * PORT_ERR, and the records are those of a peer that ends: no request, status
	 * 0. An administrator who stops a service on both hosts and then sets the
	 * link down gets the same records, so no time is short enough for a rule.
	 */
	if (is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) && !r->body.cm.status)
		return false;
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
		(r->port == RDMAEV_NO_PORT && ports_of(log, r->generation) == 1));
}

static bool is_down(const struct incident_log *log, const struct rule_port *port,
		    const struct rdmaev_record *r)
{
	return port->down != NONE &&
	       (port->is_confirmed ||
		r->boottime_ns < log->nodes[port->down].r.boottime_ns + UNCONFIRMED_NS);
}

/*
 * A process that moves its own QP to ERR may do so for any reason, whatever the
 * state of the port; and one that has a kernel module move a QP, as by writing to a
 * file in sysfs, does what a person wants. If the QP failed before, the rule for
 * records of one QP joins them; and if it was to close a connection, and the peer
 * did not answer, the port is the reason for that.
 */
static bool is_own_request(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && r->body.qp.caller_pid &&
	       (!r->pid || r->body.qp.caller_pid == r->pid);
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
			break;
	if (p == state->ports_count || (is_own_request(r) && !log->nodes[i].is_unanswered) ||
	    (is_gid_change(r) && !outage_explains_gids(log, state->ports[p].down, i)))
		return NONE;
	return state->ports[p].down;
}

static bool is_fatal(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL);
}

static size_t device_failed_parent(const struct incident_log *log,
				   const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const bool is_removed = is_code(r, RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE);
	size_t d = state->failed_count;

	if (!is_about_port(r) && !is_unreachable(r) && !is_removed && !is_fatal(r))
		return NONE;
	/* Its GIDs are addresses of the host, which come and go as before. */
	if (is_gid_change(r))
		return NONE;
	/* The newest: it may fail more than once. */
	while (d--) {
		const size_t failed = state->failed[d].record;

		if (state->failed[d].generation != r->generation)
			continue;
		return is_removed ||
		       r->boottime_ns < log->nodes[failed].r.boottime_ns + FAILED_NS ?
		       failed : NONE;
	}
	return NONE;
}

static bool is_about_qp(const struct rdmaev_record *r, uint32_t generation,
			uint32_t qp)
{
	return r->object_type == RDMAEV_OBJECT_QP && r->generation == generation &&
	       r->object == qp && r->body.info.known & RDMAEV_KNOWN_OBJECT;
}

/* The request moved the QP that is the peer of the closed one to ERR. */
static bool is_of_peer_qp(const struct rdmaev_record *closed,
			  const struct rdmaev_record *other)
{
	return closed->body.info.known & RDMAEV_KNOWN_OBJECT &&
	       is_about_qp(other, closed->generation, closed->body.cm.peer_qpn) &&
	       is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_ERR) &&
	       other->body.info.known & RDMAEV_KNOWN_PEER_QPN &&
	       other->body.qp.peer.qpn == closed->object;
}

/*
 * A program's connection has no number of the peer's QP. The QP that was moved to
 * ERR or destroyed names its peer, and where that is: at the address of this end.
 */
static bool is_of_peer_gid(const struct rdmaev_record *closed,
			   const struct rdmaev_record *other)
{
	const uint32_t peer = RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID;
	const uint32_t end = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_LOCAL_ADDR;
	const struct rdmaev_cm_body *cm = &closed->body.cm;
	const struct rdmaev_qp_body *qp = &other->body.qp;

	return (is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_ERR) ||
		is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY)) &&
	       other->generation == closed->generation &&
	       (cm->info.known & end) == end && (qp->info.known & peer) == peer &&
	       qp->peer.qpn == closed->object && other->object != closed->object &&
	       !memcmp(qp->peer.gid, cm->local_addr, sizeof(qp->peer.gid));
}

/* The other record is about the same connection, seen from its other end. */
static bool is_of_peer_addr(const struct rdmaev_record *closed,
			    const struct rdmaev_record *other)
{
	const uint32_t addrs = RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR;
	const struct rdmaev_cm_body *a = &closed->body.cm, *b = &other->body.cm;

	return is_code(other, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) &&
	       other->generation == closed->generation &&
	       (a->info.known & b->info.known & addrs) == addrs && a->family == b->family &&
	       a->local_port == b->peer_port && a->peer_port == b->local_port &&
	       !memcmp(a->local_addr, b->peer_addr, sizeof(a->local_addr)) &&
	       !memcmp(a->peer_addr, b->local_addr, sizeof(a->peer_addr));
}

/*
 * The two ends of a connection are QPs of one device: the request that moved the
 * other end to ERR names this one as its peer. iWARP has no number of the peer's
 * QP: its other end was closed with the same addresses, exchanged.
 */
static size_t other_end_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t before = i;

	(void)state;
	if (!is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
		return NONE;
	while (before--) {
		const struct rdmaev_record *other = &log->nodes[before].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			break;
		if (r->body.info.known & RDMAEV_KNOWN_PEER_QPN ?
		    is_of_peer_qp(r, other) :
		    is_of_peer_gid(r, other) || is_of_peer_addr(r, other))
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

/* Highest state in which the QP can be after the record; UINT_MAX: unknown */
static unsigned int state_after(const struct rdmaev_record *r)
{
	if (r->kind == RDMAEV_KIND_WC ||
	    (r->kind == RDMAEV_KIND_ASYNC && r->severity == RDMAEV_SEVERITY_ERROR))
		return RDMAEV_QP_ERR;
	if (r->kind != RDMAEV_KIND_QP)
		return UINT_MAX;
	if (r->code == RDMAEV_QP_FAILED)
		return RDMAEV_QP_ERR;
	if (!r->body.qp.result)
		return r->code;
	return r->body.info.known & RDMAEV_KNOWN_QP_STATE ? r->body.info.qp_state : UINT_MAX;
}

/* The core knows the state that a request has set. */
static bool is_request_done(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && !r->body.qp.result;
}

/* With RDMAEV_KNOWN_PEER_QPN: number of the peer's QP */
static uint32_t peer_qpn(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_CM ? r->body.cm.peer_qpn : r->body.async.peer.qpn;
}

/*
 * Is @r about another QP, or about the same one after it was reset? A number is
 * used again, and a process that goes on leaves no record when it destroys a QP.
 * The core does not notice when a device moves a QP from RTS to ERR, so only a QP
 * that is set up again has an earlier state, or RTS after a request for ERR.
 */
static bool is_later_qp(const struct rdmaev_record *before,
			const struct rdmaev_record *r)
{
	const uint32_t known = before->body.info.known & r->body.info.known;
	const unsigned int after_it = state_after(before);

	if (known & RDMAEV_KNOWN_PEER_QPN && peer_qpn(before) != peer_qpn(r))
		return true;
	if (before->pid && r->pid && before->pid != r->pid)
		return true;
	return r->kind == RDMAEV_KIND_QP && after_it != UINT_MAX &&
	       r->body.info.known & RDMAEV_KNOWN_QP_STATE &&
	       (r->body.info.qp_state < RDMAEV_QP_RTS || is_request_done(before)) &&
	       r->body.info.qp_state < after_it;
}

/*
 * A connection is closed once, so after that the number is of another QP. A ULP
 * leaves no record when it destroys one.
 */
static bool was_closed(const struct incident_log *log, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t before = i;

	while (before--) {
		const struct rdmaev_record *other = &log->nodes[before].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			return false;
		if (!is_about_qp(other, r->generation, r->object))
			continue;
		if (is_code(other, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
			return true;
		if (is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY))
			return false;
	}
	return false;
}

/* A process that exits destroys its QP first: it makes no other of that number. */
static bool is_closed_by_exit(const struct rdmaev_record *destroyed,
			      const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_CM && r->pid && r->pid == destroyed->pid;
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
	    (!(r->body.info.known & RDMAEV_KNOWN_OBJECT) || was_closed(log, i)))
		return NONE;
	while (before--) {
		const struct rdmaev_record *other = &log->nodes[before].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			break;
		if (!is_about_qp(other, r->generation, r->object))
			continue;
		if (is_later_qp(other, r) ||
		    (is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY) &&
		     !is_closed_by_exit(other, r)))
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
	/* Of several at the same time, all but the first belong to the first. */
	if (is_fatal(&node->r) && node->parent == NONE)
		note_failed(state, &node->r, i);
}

void free_rule_state(struct rule_state *state)
{
	free(state->ports);
	free(state->failed);
}
