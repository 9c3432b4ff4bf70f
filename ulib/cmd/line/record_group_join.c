// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which group a record joins. An error joins only the PORT_ERR that it
 * confirms; any other error, and a loss, is a group of its own.
 */
#include "record_group_join.h"
#include "record_group_parts.h"

/* One without joins the group of its port if the last record was not longer ago. */
#define PORT_NS		1000000000ULL

size_t record_group_bucket(const struct rdmaev_record *r)
{
	return (r->generation * 31 + r->port) % RECORD_GROUP_BUCKETS;
}

bool record_group_is_alike(const struct record_group *h, const struct rdmaev_record *r)
{
	return record_group_first(h)->generation == r->generation &&
	       record_group_first(h)->port == r->port;
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
	if (!record_group_is_alike(h, r) || !is_consistent(h, r) ||
	    r->boottime_ns - record_group_first(h)->boottime_ns > RECORD_GROUP_CAUSE_NS)
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
