// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What follows from a GID that is removed: what fails on its port while it is not back,
 * if a record names the GID. It can be that of this end, or of the other end, if both are
 * on this port. A GID that nobody uses is removed without consequences.
 */
#include "incident_codes.h"
#include "incident_gid_removed.h"
#include "incident_gid_table.h"
#include "incident_gids.h"
#include "incident_state.h"

/* A failure of a QP whose packets are not sent, or get no answer */
static bool is_failure(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_WC, RDMAEV_WC_LOC_QP_OP_ERR) ||
	       is_code(r, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR) ||
	       is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL) ||
	       is_code(r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PATH_MIG_ERR) ||
	       is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_FAILED);
}

static bool is_failed_request(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && r->body.qp.result && r->code <= RDMAEV_QP_ERR;
}

static size_t find_gone_in(const struct incident_log *log, const struct rule_state *state,
			   const struct rdmaev_record *r, uint32_t known, const uint8_t *gid,
			   size_t at)
{
	const struct gid_place place = {
		.generation = r->generation, .port = port_of(log, r), .gid = gid,
	};

	return r->body.info.known & known ? find_gone(log, state, &place, at) : NONE;
}

static size_t gone_of_connection(const struct incident_log *log, const struct rule_state *state,
				 const struct rdmaev_record *r, size_t at)
{
	size_t removed = find_gone_in(log, state, r, RDMAEV_KNOWN_LOCAL_ADDR,
				      r->body.cm.local_addr, at);

	return removed != NONE ? removed :
	       find_gone_in(log, state, r, RDMAEV_KNOWN_PEER_ADDR, r->body.cm.peer_addr, at);
}

/* The port's own GID in it, or that this index is empty */
static size_t gone_of_request(const struct incident_log *log, const struct rule_state *state,
			      const struct rdmaev_record *r, size_t at)
{
	const struct rdmaev_qp_body *qp = &r->body.qp;

	if (qp->info.known & RDMAEV_KNOWN_GID)
		return find_gone_in(log, state, r, RDMAEV_KNOWN_GID, qp->origin.gid, at);
	if (qp->info.known & RDMAEV_KNOWN_GID_INDEX)
		return find_emptied(log, state, r->generation, port_of(log, r), qp->gid_index);
	return NONE;
}

static size_t gid_removed_parent(const struct incident_log *log,
				 const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t removed = NONE;

	if (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID)) {
		removed = find_removed_gid(log, state, r);
		return removed != NONE && log->nodes[removed].end == NONE ? removed : NONE;
	}
	if (r->kind == RDMAEV_KIND_CM)
		return is_unreachable(r) ? gone_of_connection(log, state, r, i) : NONE;
	if (is_failed_request(r))
		removed = gone_of_request(log, state, r, i);
	else if (!is_failure(r))
		return NONE;
	return removed != NONE ? removed :
	       find_gone_in(log, state, r, RDMAEV_KNOWN_PEER_GID, r->body.async.peer.gid, i);
}

const struct incident_rule gid_removed_rule = {
	.name = "gid_removed",
	.words = "the GID was removed",
	.parent = gid_removed_parent,
};

/*
 * The event does not say what has changed: the records that follow from it do, and it
 * follows from what all of them do.
 */
static void join_event(struct incident_log *log, size_t event,
		       const struct incident_rule *rule, size_t parent)
{
	struct node *node = &log->nodes[event];

	if (node->is_several)
		return;
	if (!node->rule && parent != NONE) {
		node->rule = rule;
		node->parent = (uint32_t)parent;
	} else if (parent == NONE ||
		   root_of(log, node->parent) != root_of(log, parent)) {
		node->rule = NULL;
		node->parent = NONE;
		node->is_several = true;
	}
}

static void note_change(struct incident_log *log, struct rule_state *state, size_t i)
{
	const size_t event = log->nodes[i].parent;
	size_t removed = gid_removed_parent(log, state, i), outage;

	if (event != NONE && !log->nodes[event].r.cause &&
	    is_code(&log->nodes[event].r, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_GID_CHANGE)) {
		outage = find_gid_outage(log, state, event, i);
		if (outage != NONE)
			join_event(log, event, &gid_of_outage_rule, outage);
		else
			join_event(log, event, &gid_removed_rule, removed);
	}
	if (removed != NONE)
		log->nodes[removed].end = (uint32_t)i;
	note_gid_change(log, state, i);
}

/*
 * A failed completion does not say from which address it was sent; the end of the
 * connection, which follows from it, does.
 */
static void note_address(struct incident_log *log, const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	size_t first = i, removed;

	while (log->nodes[first].parent != NONE &&
	       is_about_qp(&log->nodes[log->nodes[first].parent].r, r->generation, r->object))
		first = log->nodes[first].parent;
	if (log->nodes[first].parent != NONE || log->nodes[first].r.cause ||
	    !is_failure(&log->nodes[first].r))
		return;
	removed = gone_of_connection(log, state, r, first);
	if (removed == NONE)
		return;
	log->nodes[first].parent = (uint32_t)removed;
	log->nodes[first].rule = &gid_removed_rule;
}

void note_gid(struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;

	if (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID))
		note_change(log, state, i);
	else if (r->kind == RDMAEV_KIND_CM)
		note_address(log, state, i);
}
