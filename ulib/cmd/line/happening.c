// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The queue of happenings */
#include <stdlib.h>

#include "happening.h"
#include "happening_join.h"

/* Happenings behind an open one, at most */
#define QUEUE_MAX	1024

/* Find the oldest open one again, after some were closed. */
static void skip_closed(struct happenings *all)
{
	while (all->open && !all->open->open) {
		all->open = all->open->next;
		all->behind--;
	}
}

/* Close what no record at the time of @r or later can join. */
static void close_old(struct happenings *all, const struct rdmaev_record *r)
{
	bool breaks = r->kind == RDMAEV_KIND_LOST;
	struct happening *h;

	for (h = all->open; h; h = h->next) {
		if (breaks ||
		    (r->kind == RDMAEV_KIND_DEVICE &&
		     happening_first(h)->generation == r->generation) ||
		    r->boottime_ns - happening_first(h)->boottime_ns > HAPPENING_CAUSE_NS)
			h->open = false;
		if (happening_is_past(h, r))
			h->is_past = true;
	}
	skip_closed(all);
}

static int happening_append(struct happening *h, const struct rdmaev_record *r, int64_t now_ns)
{
	if (h->count == h->room) {
		size_t room = h->room ? 4 * h->room : 1;
		struct rdmaev_record *records;

		records = realloc(h->records, room * sizeof(*records));
		if (!records)
			return -1;
		h->records = records;
		h->room = room;
	}
	h->records[h->count++] = *r;
	h->last_ns = now_ns;
	return 0;
}

static bool is_lost(const struct happening *h)
{
	return happening_first(h)->kind == RDMAEV_KIND_LOST;
}

static void remember_events(struct happenings *all, const struct happening *h)
{
	size_t i;

	for (i = 0; all->joins && i < h->count; i++) {
		const struct rdmaev_record *r = &h->records[i];

		if (r->kind != RDMAEV_KIND_ASYNC || r->cause || !happening_shows(h, r))
			continue;
		all->events[all->events_next] = r->seq;
		all->events_next = (all->events_next + 1) % HAPPENING_EVENTS;
	}
}

/*
 * The record that closes a burst of events comes when their line is printed
 * already, and says nothing that this does not.
 */
static bool is_shown(const struct happenings *all, const struct rdmaev_record *r)
{
	size_t i;

	if (r->kind != RDMAEV_KIND_ASYNC || !r->cause ||
	    r->severity != RDMAEV_SEVERITY_INFO)
		return false;
	for (i = 0; i < HAPPENING_EVENTS; i++)
		if (all->events[i] == r->cause)
			return true;
	return false;
}

static struct happening *happening_unlink(struct happenings *all)
{
	struct happening *h = all->first;

	remember_events(all, h);
	all->first = h->next;
	if (!all->first)
		all->last = NULL;
	all->counted -= !is_lost(h);
	return h;
}

/* A loss before the oldest one that is kept does not matter either. */
static void drop_old(struct happenings *all)
{
	while (all->limit && all->first && !all->first->open &&
	       (all->counted > all->limit || (all->dropped && is_lost(all->first)))) {
		struct happening *h = happening_unlink(all);

		if (happening_last(h)->seq > all->dropped)
			all->dropped = happening_last(h)->seq;
		happening_free(h);
	}
}

static int happening_begin(struct happenings *all, const struct rdmaev_record *r, bool open,
			   int64_t now_ns)
{
	struct happening *h = calloc(1, sizeof(*h));

	if (!h || happening_append(h, r, now_ns) < 0) {
		free(h);
		return -1;
	}
	h->open = open;
	h->begun_ns = now_ns;
	if (all->last)
		all->last->next = h;
	else
		all->first = h;
	all->last = h;
	if (open && !all->open)
		all->open = h;
	if (all->open)
		all->behind++;
	all->counted += !is_lost(h);
	return 0;
}

int happening_add(struct happenings *all, const struct rdmaev_record *r,
		  int64_t now_ns)
{
	enum happening_role role = all->joins ? happening_role(r) : HAPPENING_NONE;
	struct happening *h = NULL;
	int ret;

	if (all->joins)
		close_old(all, r);
	if (role != HAPPENING_NONE)
		h = happening_to_join(all, r, role);
	if (role != HAPPENING_NONE && !h && is_shown(all, r))
		return 0;
	ret = h ? happening_append(h, r, now_ns) :
		  happening_begin(all, r, role != HAPPENING_NONE, now_ns);
	if (all->behind > QUEUE_MAX)
		all->open->open = false;
	skip_closed(all);
	drop_old(all);
	return ret;
}

void happening_close(struct happenings *all)
{
	struct happening *h;

	for (h = all->open; h; h = h->next)
		h->open = false;
	skip_closed(all);
	drop_old(all);
	/* What is left is to be printed. */
	all->limit = 0;
}

static int64_t happening_due(const struct happening *h)
{
	int64_t quiet = h->last_ns + HAPPENING_QUIET_NS;
	int64_t hold = h->begun_ns + HAPPENING_HOLD_NS;

	return quiet < hold ? quiet : hold;
}

void happening_expire(struct happenings *all, int64_t now_ns)
{
	struct happening *h;

	for (h = all->open; h; h = h->next)
		if (happening_due(h) <= now_ns)
			h->open = false;
	skip_closed(all);
}

int64_t happening_deadline(const struct happenings *all)
{
	return all->first && !all->limit ? happening_due(all->first) : -1;
}

struct happening *happening_take(struct happenings *all)
{
	if (!all->first || all->first->open || all->limit)
		return NULL;
	return happening_unlink(all);
}

void happening_free(struct happening *h)
{
	free(h->records);
	free(h);
}

void happening_free_all(struct happenings *all)
{
	all->open = NULL;
	while (all->first)
		happening_free(happening_unlink(all));
}

uint64_t happening_oldest(const struct happenings *all)
{
	const struct rdmaev_record *r;

	if (!all->first)
		return 0;
	r = happening_first(all->first);
	/* A loss has the seq of its end. */
	return is_lost(all->first) ? r->body.lost.first : r->seq;
}
