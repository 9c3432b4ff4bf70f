// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which group a record joins. An error of a port joins only the PORT_ERR that it
 * confirms; any other one, and a loss, is a group of its own. Requests for QPs join
 * those of the same owner that say the same.
 */
#include <string.h>

#include "record_group_join.h"
#include "record_group_parts.h"

/* One without joins the group of its port or owner if the last record was not longer ago. */
#define PORT_NS		1000000000ULL

size_t record_group_bucket(const struct rdmaev_record *r)
{
	uint32_t about = r->kind == RDMAEV_KIND_QP ? r->pid * 61 + r->code : r->port;

	return (r->generation * 31 + about) % RECORD_GROUP_BUCKETS;
}

/* Requests that differ in their QP alone, and what that is connected to */
static bool is_same_request(const struct rdmaev_record *a, const struct rdmaev_record *b)
{
	const struct rdmaev_qp_body *p = &a->body.qp, *q = &b->body.qp;
	const uint32_t same = RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_CALLER | RDMAEV_KNOWN_OBJECT;

	return !((p->info.known ^ q->info.known) & same) &&
	       p->info.qp_state == q->info.qp_state && !a->cause == !b->cause &&
	       p->caller_pid == q->caller_pid &&
	       !memcmp(p->caller_comm, q->caller_comm, sizeof(p->caller_comm)) &&
	       (!(p->info.known & RDMAEV_KNOWN_CALLER) ||
		!memcmp(&p->origin, &q->origin, sizeof(p->origin)));
}

/* A failed request says with whom. */
static bool is_same_path(const struct rdmaev_qp_body *p, const struct rdmaev_qp_body *q)
{
	return p->info.known == q->info.known && p->peer.lid == q->peer.lid &&
	       !memcmp(p->peer.gid, q->peer.gid, sizeof(p->peer.gid)) &&
	       p->gid_index == q->gid_index && p->path_mtu == q->path_mtu &&
	       !memcmp(&p->origin, &q->origin, sizeof(p->origin));
}

static bool is_same_owner(const struct rdmaev_record *a, const struct rdmaev_record *b)
{
	const struct rdmaev_qp_body *p = &a->body.qp, *q = &b->body.qp;

	return a->pid == b->pid && a->code == b->code && a->severity == b->severity &&
	       p->result == q->result && p->signal == q->signal &&
	       p->flags == q->flags &&
	       !((p->info.known ^ q->info.known) & RDMAEV_KNOWN_UID) &&
	       p->info.uid == q->info.uid && p->info.pid_ns == q->info.pid_ns &&
	       !memcmp(p->info.owner, q->info.owner, sizeof(p->info.owner));
}

bool record_group_is_alike(const struct record_group *h, const struct rdmaev_record *r)
{
	const struct rdmaev_record *first = record_group_first(h);
	bool is_qp = r->kind == RDMAEV_KIND_QP;
	bool was_qp = first->kind == RDMAEV_KIND_QP;

	if (first->generation != r->generation || first->port != r->port || was_qp != is_qp)
		return false;
	if (!is_qp)
		return true;
	if (!is_same_owner(first, r))
		return false;
	/* The sum of a burst has not what can differ in it. */
	return record_is_sum(r) || (is_same_request(first, r) &&
				    (!r->body.qp.result ||
				     is_same_path(&first->body.qp, &r->body.qp)));
}

/* Requests for QPs of an owner, or the sum of those that follow one of these */
static bool joins_requests(const struct record_group *h, const struct rdmaev_record *r)
{
	if (record_is_sum(r))
		return record_group_has_cause(h, r->cause);
	return r->boottime_ns - h->last_boottime_ns <= PORT_NS;
}

/* A port left ACTIVE: of this nothing but its own consequences is a part. */
static bool is_outage(const struct record_group *h)
{
	return record_group_find(h, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR) ||
	       record_group_first(h)->severity == RDMAEV_SEVERITY_ERROR;
}

void record_group_note_past(const struct record_groups *all, const struct rdmaev_record *r)
{
	struct record_group *h;

	if (r->severity != RDMAEV_SEVERITY_ERROR ||
	    !((r->kind == RDMAEV_KIND_ASYNC && r->code == RDMAEV_ASYNC_PORT_ERR) ||
	      (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_STATE)))
		return;
	for (h = all->buckets[record_group_bucket(r)]; h; h = h->older)
		if (record_group_is_alike(h, r) && !is_outage(h))
			h->is_past = true;
}

static bool has_cause(const struct record_group *h, const struct rdmaev_record *r)
{
	if (r->cause)
		return record_group_has_cause(h, r->cause);
	/* Differences found by the same query, without an event */
	return h->found_ns && r->kind == RDMAEV_KIND_PORT &&
	       r->boottime_ns - h->found_ns < PORT_NS;
}

/* That the port is ACTIVE again is another group than the last time. */
static bool is_return(const struct rdmaev_record *r)
{
	return (r->kind == RDMAEV_KIND_ASYNC && r->code == RDMAEV_ASYNC_PORT_ACTIVE) ||
	       (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_STATE);
}

/* What the line of @h would hide, or contradict, must not join it. */
static bool is_consistent(const struct record_group *h, const struct rdmaev_record *r)
{
	bool has_state = record_group_find(h, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	bool is_state = r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_STATE;
	bool has_error = record_group_find(h, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR);

	if (r->severity == RDMAEV_SEVERITY_ERROR)
		return is_state && has_error && !has_state;
	if (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_OUTAGE_UNSEEN)
		return has_error && !has_state;
	return !(is_state && is_outage(h));
}

static bool record_group_joins(const struct record_group *h, const struct rdmaev_record *r,
			       enum record_group_role role)
{
	if (!record_group_is_alike(h, r) ||
	    r->boottime_ns - record_group_first(h)->boottime_ns > RECORD_GROUP_CAUSE_NS)
		return false;
	if (role == RECORD_GROUP_OWNER)
		return joins_requests(h, r);
	if (!is_consistent(h, r))
		return false;
	if (h->is_past)
		return r->cause && !is_return(r) && has_cause(h, r);
	if (has_cause(h, r))
		return true;
	return (role == RECORD_GROUP_PORT || !r->cause) && !is_outage(h) &&
	       r->boottime_ns - h->last_boottime_ns <= PORT_NS;
}

struct record_group *record_group_to_join(const struct record_groups *all,
					  const struct rdmaev_record *r,
				    enum record_group_role role)
{
	struct record_group *h;

	if (role == RECORD_GROUP_BEGINS)
		return NULL;
	for (h = all->buckets[record_group_bucket(r)]; h; h = h->older)
		if (record_group_joins(h, r, role))
			return h;
	return NULL;
}
