// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rules about QPs, their peers and connections */
#include <limits.h>
#include <string.h>

#include "incident_codes.h"
#include "incident_own.h"
#include "incident_qp.h"
#include "incident_state.h"
#include "text.h"

/* Numbers of QPs are used again: the kernel's own limit for the same QP */
#define SAME_QP_NS	(60 * SECOND)

typedef bool (*is_match_fn)(const struct rdmaev_record *r,
			    const struct rdmaev_record *other);

/* The newest record of a key that matches @r, if it is new enough; else NONE */
static size_t find_newest(const struct incident_log *log, const struct chain *chain,
			  uint64_t key, const struct rdmaev_record *r, is_match_fn is_match)
{
	size_t i;

	for (i = chain_newest(chain, key); i != NONE; i = chain_older(chain, i)) {
		const struct rdmaev_record *other = &log->nodes[i].r;

		if (r->boottime_ns > other->boottime_ns + SAME_QP_NS)
			return NONE;
		if (is_match(r, other))
			return i;
	}
	return NONE;
}

static bool has_known(const struct rdmaev_record *r, uint32_t known)
{
	return (r->body.info.known & known) == known;
}

static uint64_t peer_key(uint32_t generation, uint32_t qp, uint32_t peer)
{
	return key_add(key_of(generation, qp), peer);
}

/*
 * Is the peer of a connection, if its address is known, on this host? Another host can have
 * a QP of this number.
 */
static bool is_peer_here(const struct incident_log *log, const struct rdmaev_record *closed)
{
	return !has_known(closed, RDMAEV_KNOWN_PEER_ADDR) ||
	       is_own(log, closed->generation, closed->body.cm.peer_addr);
}

/* The request moved the QP that is the peer of the closed one to ERR. */
static bool is_of_peer_qp(const struct rdmaev_record *closed,
			  const struct rdmaev_record *other)
{
	return is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_ERR) &&
	       is_about_qp(other, closed->generation, closed->body.cm.peer_qpn) &&
	       other->body.qp.peer.qpn == closed->object;
}

static uint64_t gid_key(uint32_t generation, uint32_t qp, const uint8_t gid[RDMAEV_GID_SIZE])
{
	return key_add_bytes(key_of(generation, qp), gid, RDMAEV_GID_SIZE);
}

/*
 * A program's connection has no number of the peer's QP. The QP that was moved to
 * ERR or destroyed names its peer, and where that is: at the address of this end.
 */
static bool is_of_peer_gid(const struct rdmaev_record *closed,
			   const struct rdmaev_record *other)
{
	const struct rdmaev_cm_body *cm = &closed->body.cm;
	const struct rdmaev_qp_body *qp = &other->body.qp;

	return other->kind == RDMAEV_KIND_QP && other->generation == closed->generation &&
	       qp->peer.qpn == closed->object &&
	       !memcmp(qp->peer.gid, cm->local_addr, sizeof(qp->peer.gid));
}

static uint64_t address_key(uint32_t generation, const uint8_t a[16], uint16_t a_port,
			    const uint8_t b[16], uint16_t b_port)
{
	uint64_t key = key_of(generation, (uint32_t)a_port << 16 | b_port);

	return key_add_bytes(key_add_bytes(key, a, 16), b, 16);
}

/* The other record is about the same connection, seen from its other end. */
static bool is_of_peer_addr(const struct rdmaev_record *closed,
			    const struct rdmaev_record *other)
{
	const struct rdmaev_cm_body *a = &closed->body.cm, *b = &other->body.cm;

	return other->kind == RDMAEV_KIND_CM && other->generation == closed->generation &&
	       a->family == b->family &&
	       a->local_port == b->peer_port && a->peer_port == b->local_port &&
	       !memcmp(a->local_addr, b->peer_addr, sizeof(a->local_addr)) &&
	       !memcmp(a->peer_addr, b->local_addr, sizeof(a->peer_addr));
}

static size_t other_end_by_gid(const struct incident_log *log, const struct rule_state *state,
			       const struct rdmaev_record *r)
{
	if (!has_known(r, RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_LOCAL_ADDR))
		return NONE;
	return find_newest(log, &state->by_end,
			   gid_key(r->generation, r->object, r->body.cm.local_addr), r,
			   is_of_peer_gid);
}

static size_t other_end_by_address(const struct incident_log *log,
				   const struct rule_state *state,
				   const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *cm = &r->body.cm;

	if (!has_known(r, RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR))
		return NONE;
	return find_newest(log, &state->by_end,
			   address_key(r->generation, cm->peer_addr, cm->peer_port,
				       cm->local_addr, cm->local_port), r, is_of_peer_addr);
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
	size_t gid, address;

	if (!is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
		return NONE;
	if (has_known(r, RDMAEV_KNOWN_PEER_QPN))
		return !has_known(r, RDMAEV_KNOWN_OBJECT) || !is_peer_here(log, r) ? NONE :
		       find_newest(log, &state->by_peer,
				   peer_key(r->generation, r->body.cm.peer_qpn, r->object), r,
				   is_of_peer_qp);
	gid = other_end_by_gid(log, state, r);
	address = other_end_by_address(log, state, r);
	/* The newer one */
	return gid == NONE || (address != NONE && address > gid) ? address : gid;
}

const struct incident_rule other_end_rule = {
	.name = "other_end",
	.words = "the other end, on this host",
	.parent = other_end_parent,
	.kind = RDMAEV_KIND_CM,
};

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

static bool ends_connection(const struct rdmaev_record *r, const struct rdmaev_record *other)
{
	return is_about_qp(other, r->generation, r->object) &&
	       (is_code(other, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) ||
		is_code(other, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY));
}

/*
 * A connection is closed once, so after that the number is of another QP. A ULP
 * leaves no record when it destroys one.
 */
static bool was_closed(const struct incident_log *log, const struct rule_state *state,
		       const struct rdmaev_record *r)
{
	size_t end = find_newest(log, &state->by_qp, key_of(r->generation, r->object), r,
				 ends_connection);

	return end != NONE && log->nodes[end].r.kind == RDMAEV_KIND_CM;
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
	const uint64_t key = key_of(r->generation, r->object);
	size_t before;

	if (r->kind != RDMAEV_KIND_QP &&
	    !is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED))
		return NONE;
	if (r->kind == RDMAEV_KIND_CM &&
	    (!has_known(r, RDMAEV_KNOWN_OBJECT) || was_closed(log, state, r)))
		return NONE;
	for (before = chain_newest(&state->by_qp, key); before != NONE;
	     before = chain_older(&state->by_qp, before)) {
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
			return log->nodes[before].rule == &same_qp_rule ?
			       log->nodes[before].parent : before;
	}
	return NONE;
}

const struct incident_rule same_qp_rule = {
	.name = "same_qp",
	.words = "of the same QP",
	.parent = same_qp_parent,
};

/* A process has a ULP move its QPs to ERR: so close is one request to the next. */
#define SAME_CALL_NS	SECOND

static bool is_call(const struct rdmaev_record *r)
{
	return is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_ERR) && !r->body.qp.result && !r->pid &&
	       r->body.qp.caller_pid;
}

static uint64_t call_key(const struct rdmaev_record *r)
{
	/* The end of a name makes no difference for the hash. */
	return key_add_bytes(key_of(r->generation, r->body.qp.caller_pid), r->body.info.owner,
			     sizeof(r->body.info.owner) / 8 * 8);
}

static bool is_same_call(const struct rdmaev_record *r, const struct rdmaev_record *other)
{
	return is_call(other) && other->generation == r->generation &&
	       other->body.qp.caller_pid == r->body.qp.caller_pid &&
	       !memcmp(other->body.info.owner, r->body.info.owner,
		       sizeof(r->body.info.owner)) &&
	       !memcmp(other->body.qp.caller_comm, r->body.qp.caller_comm,
		       sizeof(r->body.qp.caller_comm));
}

/*
 * Of a ULP with many QPs, a process that writes to a file in sysfs, or removes a target,
 * has all of them closed: requests follow from the first of them.
 */
static size_t same_call_parent(const struct incident_log *log,
			       const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct node *before;
	size_t b;

	if (!is_call(r))
		return NONE;
	b = find_newest(log, &state->by_connection, call_key(r), r, is_same_call);
	if (b == NONE)
		return NONE;
	before = &log->nodes[b];
	if (r->boottime_ns > before->r.boottime_ns + SAME_CALL_NS)
		return NONE;
	if (before->rule == &same_call_rule)
		return before->parent;
	return before->parent == NONE && !before->r.cause ? b : NONE;
}

const struct incident_rule same_call_rule = {
	.name = "same_call",
	.words = "the same process, of the same ULP",
	.parent = same_call_parent,
	.kind = RDMAEV_KIND_QP,
};

/* What a QP that fails because of its peer can report, or be found with */
static bool fails_with_peer(const struct rdmaev_record *r)
{
	switch (r->kind) {
	case RDMAEV_KIND_QP:
		return r->code == RDMAEV_QP_FAILED;
	case RDMAEV_KIND_WC:
		return r->code == RDMAEV_WC_RETRY_EXC_ERR ||
		       r->code == RDMAEV_WC_RNR_RETRY_EXC_ERR ||
		       r->code == RDMAEV_WC_REM_INV_REQ_ERR ||
		       r->code == RDMAEV_WC_REM_ACCESS_ERR ||
		       r->code == RDMAEV_WC_REM_OP_ERR;
	case RDMAEV_KIND_ASYNC:
		return r->code == RDMAEV_ASYNC_QP_FATAL ||
		       r->code == RDMAEV_ASYNC_QP_REQ_ERR ||
		       r->code == RDMAEV_ASYNC_QP_ACCESS_ERR;
	default:
		return false;
	}
}

/* The QP answers no more: it failed, or was moved to ERR or destroyed. */
static bool ends_qp(const struct rdmaev_record *r)
{
	if (r->kind == RDMAEV_KIND_QP)
		return !r->body.qp.result && (r->code == RDMAEV_QP_ERR ||
					      r->code == RDMAEV_QP_DESTROY ||
					      r->code == RDMAEV_QP_FAILED);
	return (r->kind == RDMAEV_KIND_WC || r->kind == RDMAEV_KIND_ASYNC) &&
	       r->severity == RDMAEV_SEVERITY_ERROR;
}

/*
 * Is the peer of a QP on this host? Programs on two hosts that do the same have QPs of the
 * same numbers.
 */
static bool is_qp_here(const struct incident_log *log, const struct rdmaev_record *r)
{
	const struct rdmaev_peer *peer = &r->body.async.peer;

	if (has_known(r, RDMAEV_KNOWN_PEER_GID))
		return is_own(log, r->generation, peer->gid);
	return has_known(r, RDMAEV_KNOWN_PEER_LID) &&
	       is_own_lid(log, r->generation, peer->lid);
}

/* Each of two QPs names the other one as its peer. */
static bool is_of_failed_peer(const struct rdmaev_record *r, const struct rdmaev_record *other)
{
	return is_about_qp(other, r->generation, r->body.async.peer.qpn) &&
	       other->body.async.peer.qpn == r->object;
}

/* Has the QP of record @r another one since record @ended of its peer? */
static bool is_used_again(const struct incident_log *log, const struct rule_state *state,
			  const struct rdmaev_record *r, size_t ended)
{
	const uint64_t own = key_of(r->generation, r->object);
	const uint64_t peer = key_of(r->generation, r->body.async.peer.qpn);
	size_t i;

	for (i = chain_newest(&state->by_qp, own); i != NONE && i > ended;
	     i = chain_older(&state->by_qp, i)) {
		const struct node *node = &log->nodes[i];

		if (!is_about_qp(&node->r, r->generation, r->object))
			continue;
		if (is_later_qp(&node->r, r) ||
		    is_code(&node->r, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY))
			return true;
		/* It was still the same one then. */
		if (node->rule == &peer_qp_rule)
			break;
	}
	for (i = chain_newest(&state->by_qp, peer); i != NONE && i > ended;
	     i = chain_older(&state->by_qp, i))
		if (is_about_qp(&log->nodes[i].r, r->generation, r->body.async.peer.qpn))
			return is_later_qp(&log->nodes[ended].r, &log->nodes[i].r);
	return false;
}

static size_t peer_qp_parent(const struct incident_log *log,
			     const struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const uint32_t peer = r->body.async.peer.qpn;
	size_t ended;

	if (!fails_with_peer(r) || !has_known(r, RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_PEER_QPN) ||
	    peer == r->object)
		return NONE;
	ended = find_newest(log, &state->by_peer, peer_key(r->generation, peer, r->object), r,
			    is_of_failed_peer);
	if (ended == NONE || !is_qp_here(log, r) || !is_qp_here(log, &log->nodes[ended].r))
		return NONE;
	return is_used_again(log, state, r, ended) ? NONE : ended;
}

const struct incident_rule peer_qp_rule = {
	.name = "peer_qp",
	.words = "its peer had ended, on this host",
	.parent = peer_qp_parent,
};

void note_qp(const struct incident_log *log, struct rule_state *state, size_t i)
{
	const struct rdmaev_record *r = &log->nodes[i].r;
	const struct rdmaev_qp_body *qp = &r->body.qp;
	const struct rdmaev_cm_body *cm = &r->body.cm;
	const bool is_moved = is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_ERR);

	if (is_call(r))
		chain_add(&state->by_connection, call_key(r), i);
	if (is_about_qp(r, r->generation, r->object))
		chain_add(&state->by_qp, key_of(r->generation, r->object), i);
	if (ends_qp(r) && has_known(r, RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_PEER_QPN))
		chain_add(&state->by_peer, peer_key(r->generation, r->object, qp->peer.qpn), i);
	/* A QP whose peer has the same number is connected to another host. */
	if ((is_moved || is_code(r, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY)) &&
	    has_known(r, RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID) &&
	    qp->peer.qpn != r->object)
		chain_add(&state->by_end, gid_key(r->generation, qp->peer.qpn, qp->peer.gid), i);
	if (is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) &&
	    has_known(r, RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR))
		chain_add(&state->by_end,
			  address_key(r->generation, cm->local_addr, cm->local_port,
				      cm->peer_addr, cm->peer_port), i);
}
