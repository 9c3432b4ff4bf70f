// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rules about QPs, their peers and connections */
#include <limits.h>
#include <string.h>

#include "incident_codes.h"
#include "incident_qp.h"
#include "incident_state.h"

/* Numbers of QPs are used again: the kernel's own limit for the same QP */
#define SAME_QP_NS	(60 * SECOND)

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

const struct incident_rule other_end_rule = {
	"other_end", "the other end, on this host", other_end_parent,
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
			return log->nodes[before].rule == &same_qp_rule ?
			       log->nodes[before].parent : before;
	}
	return NONE;
}

const struct incident_rule same_qp_rule = {
	"same_qp", "of the same QP", same_qp_parent,
};
