// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Owners that connect again, to the address of a peer that closed their connection, could
 * not be reached any more, or refused them.
 */
#include <string.h>

#include "incident_codes.h"
#include "incident_retry.h"
#include "incident_state.h"
#include "text.h"

/* From the end of one attempt to the next: later it is not said that one follows from the other. */
#define AGAIN_NS	(60 * SECOND)

/* The core moves the QP of a refused connection to ERR just before the owner hears of it. */
#define REFUSED_NS	SECOND

bool is_accepted(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_CONNECT_RESPONSE) ||
	       is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_ESTABLISHED);
}

/* An attempt to connect that failed */
static bool is_failed(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_ADDR_ERROR) ||
	       is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_ROUTE_ERROR) ||
	       is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_CONNECT_ERROR) ||
	       is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_UNREACHABLE) ||
	       is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED);
}

static bool is_about_connection(const struct rdmaev_record *r)
{
	return (is_failed(r) || is_accepted(r) ||
		is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED)) &&
	       r->body.info.known & RDMAEV_KNOWN_PEER_ADDR &&
	       (r->pid || *r->body.info.owner);
}

/* The name is that of a thread, if it is a process: a connection may be of another one. */
static bool is_same_owner(const struct rdmaev_record *a, const struct rdmaev_record *b)
{
	const struct rdmaev_object_info *x = &a->body.info, *y = &b->body.info;

	return a->pid == b->pid && x->pid_ns == y->pid_ns && x->uid == y->uid &&
	       (a->pid || !memcmp(x->owner, y->owner, sizeof(x->owner)));
}

/* Before an address is resolved the device is not known: it makes no difference. */
static uint64_t connection_key(const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *cm = &r->body.cm;

	return key_add_bytes(key_of(r->pid, cm->peer_port), cm->peer_addr,
			     sizeof(cm->peer_addr));
}

/* An attempt to connect may take minutes until it fails: when did it begin? */
static uint64_t began_ns(const struct rdmaev_record *r)
{
	return r->boottime_ns - r->body.cm.connecting_ns;
}

/* The newest record about a connection of the same owner to the same peer, or NONE */
static size_t find_before(const struct incident_log *log, const struct rule_state *state,
			  const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *cm = &r->body.cm;
	size_t i;

	for (i = chain_newest(&state->by_connection, connection_key(r)); i != NONE;
	     i = chain_older(&state->by_connection, i)) {
		const struct rdmaev_record *other = &log->nodes[i].r;
		const struct rdmaev_cm_body *before = &other->body.cm;

		if (began_ns(r) > other->boottime_ns + AGAIN_NS)
			return NONE;
		if (is_same_owner(r, other) && cm->family == before->family &&
		    cm->peer_port == before->peer_port &&
		    !memcmp(cm->peer_addr, before->peer_addr, sizeof(cm->peer_addr)))
			return i;
	}
	return NONE;
}

/* Did the owner itself ask for what ended the connection? */
static bool was_closed_by_owner(const struct incident_log *log, size_t closed)
{
	const struct rdmaev_record *root = &log->nodes[root_of(log, closed)].r;

	return is_own_request(root) && is_same_owner(root, &log->nodes[closed].r);
}

/*
 * Attempts follow from the connection that was lost, or from the first of them, not each
 * from the one before. A new connection that is accepted follows from that, too: it is
 * the end of it.
 */
static size_t connects_again_parent(const struct incident_log *log,
				    const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct node *before;
	size_t b;

	if (!is_about_connection(r) || is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
		return NONE;
	b = find_before(log, state, r);
	if (b == NONE)
		return NONE;
	before = &log->nodes[b];
	if (is_attempt(before))
		/* Accepted, and then refused: it is about another connection. */
		return is_accepted(&before->r) && !is_accepted(r) ? NONE : before->parent;
	return is_accepted(&before->r) || was_closed_by_owner(log, b) ? NONE : b;
}

const struct incident_rule connects_again_rule = {
	.name = "connects_again",
	.words = "connects there again",
	.parent = connects_again_parent,
	.kind = RDMAEV_KIND_CM,
};

struct attempts attempts_after(const struct incident_log *log, size_t lost)
{
	struct attempts attempts = { .last = NONE };
	size_t i;

	for (i = log->nodes[lost].child; i != NONE; i = log->nodes[i].sibling) {
		if (!is_attempt(&log->nodes[i]))
			continue;
		attempts.last = i;
		attempts.count++;
	}
	return attempts;
}

static const struct incident_rule refused_rule = {
	.name = "refused",
	.words = "as the connection failed",
};

/* The QP of an attempt that failed was moved to ERR because of that. */
static void join_qp(struct incident_log *log, const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t qp = chain_newest(&state->by_qp, key_of(r->generation, r->object));
	struct node *node;

	while (qp != NONE && !is_about_qp(&log->nodes[qp].r, r->generation, r->object))
		qp = chain_older(&state->by_qp, qp);
	/* What the attempt follows from cannot follow from it. */
	if (qp == NONE || root_of(log, i) == qp)
		return;
	node = &log->nodes[qp];
	if (is_code(&node->r, RDMAEV_KIND_QP, RDMAEV_QP_ERR) && !node->r.cause &&
	    node->parent == NONE && node->r.body.info.known & RDMAEV_KNOWN_QP_STATE &&
	    node->r.body.info.qp_state < RDMAEV_QP_RTS &&
	    r->boottime_ns <= node->r.boottime_ns + REFUSED_NS) {
		node->parent = (uint32_t)i;
		node->rule = &refused_rule;
	}
}

void note_retry(struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;

	if (is_failed(r) && r->body.info.known & RDMAEV_KNOWN_OBJECT)
		join_qp(log, state, i);
	if (is_about_connection(r))
		chain_add(&state->by_connection, connection_key(r), i);
}
