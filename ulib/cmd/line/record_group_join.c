// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which group a record joins. An error joins only the PORT_ERR that it
 * confirms; any other error, and a loss, is a group of its own.
 */
#include "catalogue.h"
#include "record_group_join.h"

/* One without joins the group of its port if the last record was not longer ago. */
#define PORT_NS		1000000000ULL

/* Records of a group, at most */
#define RECORDS_MAX	4096

static bool is_same_port(const struct record_group *h, const struct rdmaev_record *r)
{
	return record_group_first(h)->generation == r->generation &&
	       record_group_first(h)->port == r->port;
}

const struct rdmaev_record *record_group_find(const struct record_group *h,
					      unsigned int kind, unsigned int code)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->records[i].kind == kind && h->records[i].code == code)
			return &h->records[i];
	return NULL;
}

bool record_group_shows(const struct record_group *h, const struct rdmaev_record *r)
{
	const struct catalogue_entry *entry = record_group_shown_by(r);

	return entry && record_group_find(h, entry->kind, entry->code);
}

/* A port left ACTIVE: of this nothing but its own consequences is a part. */
static bool is_outage(const struct record_group *h)
{
	return record_group_find(h, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR) ||
	       record_group_first(h)->severity == RDMAEV_SEVERITY_ERROR;
}

bool record_group_is_past(const struct record_group *h, const struct rdmaev_record *r)
{
	bool leaves = r->severity == RDMAEV_SEVERITY_ERROR &&
		      ((r->kind == RDMAEV_KIND_ASYNC && r->code == RDMAEV_ASYNC_PORT_ERR) ||
		       (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_STATE));

	return leaves && is_same_port(h, r) && !is_outage(h);
}

static bool is_cause(const struct rdmaev_record *in, const struct rdmaev_record *r)
{
	if (r->cause)
		return in->seq == r->cause || in->cause == r->cause;
	/* Differences found by the same query, without an event */
	return !in->cause && in->kind == RDMAEV_KIND_PORT &&
	       r->kind == RDMAEV_KIND_PORT && r->boottime_ns - in->boottime_ns < PORT_NS;
}

static bool has_cause(const struct record_group *h, const struct rdmaev_record *r)
{
	size_t i;

	if (r->boottime_ns - record_group_first(h)->boottime_ns > RECORD_GROUP_CAUSE_NS)
		return false;
	for (i = h->count; i > 0; i--)
		if (is_cause(&h->records[i - 1], r))
			return true;
	return false;
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
	if (!h->open || !is_same_port(h, r) || !is_consistent(h, r) ||
	    h->count == RECORDS_MAX)
		return false;
	if (h->is_past)
		return r->cause && !is_return(r) && has_cause(h, r);
	if (has_cause(h, r))
		return true;
	return (role == RECORD_GROUP_PORT || !r->cause) && !is_outage(h) &&
	       r->boottime_ns - record_group_last(h)->boottime_ns <= PORT_NS &&
	       r->boottime_ns - record_group_first(h)->boottime_ns <= RECORD_GROUP_CAUSE_NS;
}

struct record_group *record_group_to_join(const struct record_groups *all,
					  const struct rdmaev_record *r,
				    enum record_group_role role)
{
	struct record_group *h, *found = NULL;

	if (role == RECORD_GROUP_BEGINS)
		return NULL;
	for (h = all->open; h; h = h->next)
		if (record_group_joins(h, r, role))
			found = h;
	return found;
}
