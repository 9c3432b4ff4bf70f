// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rules about ports that are down or have another hardware address, and devices that fail
 * or are removed
 */
#include "incident_codes.h"
#include "incident_port.h"
#include "incident_state.h"

/*
 * What follows from a failed device does so within this time; its reset, which
 * removes it, at any time.
 */
#define FAILED_NS	(60 * SECOND)

/* ib_core queues PORT_ERR: what the port's link has caused can be recorded before it. */
#define QUEUED_NS	(2 * SECOND)

static size_t device_failed_parent(const struct incident_log *log,
				   const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t failed;

	if (!is_about_port(r) && !is_unreachable(r) && !is_removal(r) && !is_fatal(r))
		return NONE;
	/* Its GIDs are addresses of the host, which come and go as before. */
	if (is_gid_change(r))
		return NONE;
	/* The newest: it may fail more than once. */
	failed = failed_record(state, r->generation);
	if (failed == NONE || is_removal(r))
		return failed;
	return r->boottime_ns < log->nodes[failed].r.boottime_ns + FAILED_NS ? failed : NONE;
}

const struct incident_rule device_failed_rule = {
	.name = "device_failed",
	.words = "the device had failed",
	.parent = device_failed_parent,
};

/* A process moves its own QP, for any reason. A person who removes a device is another one. */
static bool is_of_own_process(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && r->pid && r->body.qp.caller_pid == r->pid;
}

/*
 * The kernel removes the device from its users in the reverse order of their
 * registration, so some of their records come before that of the removal, which has the
 * time at which it began. What a user does before that, or an administrator who stops a
 * service first, looks the same without a removal.
 */
static size_t device_removed_parent(const struct incident_log *log,
				    const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const bool is_asked = is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DEVICE_REMOVAL);
	size_t removal;

	(void)state;
	if (!is_asked && !is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_FAILED) &&
	    (!is_unreachable(r) || is_of_own_process(r)))
		return NONE;
	removal = find_removal(log, r->generation);
	if (removal == NONE || is_asked)
		return removal;
	return r->boottime_ns >= log->nodes[removal].r.body.device.removing_since_ns ?
	       removal : NONE;
}

const struct incident_rule device_removed_rule = {
	.name = "device_removed",
	.words = "the device was being removed",
	.parent = device_removed_parent,
};

static size_t port_down_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;

	/* Changes of GIDs have a rule of their own. */
	if ((!is_about_port(r) && !is_unreachable(r)) || is_gid_change(r) ||
	    (is_own_request(r) && !log->nodes[i].is_unanswered))
		return NONE;
	return down_record(log, state, i);
}

const struct incident_rule port_down_rule = {
	.name = PORT_DOWN_NAME,
	.words = PORT_DOWN_WORDS,
	.parent = port_down_parent,
};

/* Of one change of an address, all connections have their event within this time. */
#define ADDR_CHANGE_NS	SECOND

static bool is_addr_change(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_ADDR_CHANGE) && r->generation;
}

/* Each connection through the network device has an event: they follow from the first. */
static size_t same_change_parent(const struct incident_log *log,
				 const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rule_place *port;

	if (!is_addr_change(r))
		return NONE;
	port = find_place(state, r->generation, port_of(log, r));
	if (!port || port->changed == NONE ||
	    r->boottime_ns > log->nodes[port->changed].r.boottime_ns + ADDR_CHANGE_NS)
		return NONE;
	return port->changed;
}

const struct incident_rule same_change_rule = {
	.name = "same_change",
	.words = "the same change of the hardware address",
	.parent = same_change_parent,
	.kind = RDMAEV_KIND_CM,
};

void note_change(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct node *node = &log->nodes[i];
	struct rule_place *port;

	if (!is_addr_change(&node->r) || node->parent != NONE)
		return;
	port = make_place(state, node->r.generation, port_of(log, &node->r));
	if (port)
		port->changed = (uint32_t)i;
}

const struct incident_rule before_port_down_rule = {
	.name = "before_port_down",
	.words = "just before the port was down",
};

/* No packet gets an answer, and nobody asked for that. */
static bool is_unasked(const struct rdmaev_record *r)
{
	return is_unreachable(r) && r->kind != RDMAEV_KIND_QP &&
	       !is_code(r, RDMAEV_KIND_WC, RDMAEV_WC_WR_FLUSH_ERR);
}

/* When the port changed, as far as the record says */
static uint64_t change_ns(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_PORT && r->body.port.down_since_ns ?
	       r->body.port.down_since_ns : r->boottime_ns;
}

static void note_failure(struct incident_log *log, struct rule_state *state, size_t i)
{
	struct node *node = &log->nodes[i];
	struct rule_place *port = make_place(state, node->r.generation, port_of(log, &node->r));

	if (!port)
		return;
	node->end = port->unasked;
	port->unasked = (uint32_t)i;
}

/* The port went down with record @i: join what failed before. */
static void join_failures(struct incident_log *log, struct rule_place *port, size_t i)
{
	const uint64_t changed = change_ns(&log->nodes[i].r);
	size_t failure = port->unasked;

	while (failure != NONE && log->nodes[failure].r.boottime_ns + QUEUED_NS >= changed) {
		struct node *node = &log->nodes[failure];

		/* It has no other cause: a later record may have joined it. */
		if (node->parent == NONE) {
			node->parent = (uint32_t)i;
			node->rule = &before_port_down_rule;
		}
		failure = node->end;
	}
}

void note_failures(struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	struct rule_place *port;

	if (!r->cause && log->nodes[i].parent == NONE && is_unasked(r)) {
		note_failure(log, state, i);
		return;
	}
	port = takes_down(r) ? find_place(state, r->generation, r->port) : NULL;
	if (!port)
		return;
	if (port->down == i)
		join_failures(log, port, i);
	port->unasked = NONE;
}
