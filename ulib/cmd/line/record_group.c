// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The queue of record_groups */
#include <stdlib.h>
#include <string.h>

#include "record_group.h"
#include "record_group_join.h"
#include "record_group_parts.h"

/* Groups behind an open one, at most */
#define QUEUE_MAX	1024

/* Open groups about the same, at most: a record that comes later joins no older one. */
#define ALIKE_MAX	8

/* Find the oldest open one again, after some were closed. */
static void skip_closed(struct record_groups *all)
{
	while (all->open && !all->open->open) {
		all->open = all->open->next;
		all->behind--;
	}
}

static void group_close(struct record_groups *all, struct record_group *h)
{
	struct record_group **at = &all->buckets[record_group_bucket(record_group_first(h))];

	while (*at != h)
		at = &(*at)->older;
	*at = h->older;
	h->open = false;
}

static bool is_broken(const struct record_group *h, const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_LOST ||
	       (r->kind == RDMAEV_KIND_DEVICE &&
		record_group_first(h)->generation == r->generation);
}

/* Close what no record at the time of @r or later can join. */
static void close_old(struct record_groups *all, const struct rdmaev_record *r)
{
	struct record_group *h;

	while (all->open && r->boottime_ns - record_group_first(all->open)->boottime_ns >
			    RECORD_GROUP_CAUSE_NS) {
		group_close(all, all->open);
		skip_closed(all);
	}
	if (r->kind != RDMAEV_KIND_LOST && r->kind != RDMAEV_KIND_DEVICE)
		return;
	for (h = all->open; h; h = h->next)
		if (h->open && is_broken(h, r))
			group_close(all, h);
	skip_closed(all);
}

static bool is_lost(const struct record_group *h)
{
	return record_group_first(h)->kind == RDMAEV_KIND_LOST;
}

static void remember_events(struct record_groups *all, const struct record_group *h)
{
	const struct record_group_part *part;

	for (part = &h->parts; all->joins && part; part = part->next) {
		if (part->first.kind != RDMAEV_KIND_ASYNC || !part->uncaused ||
		    !record_group_shows(h, &part->first))
			continue;
		/* Earlier bursts of the event ended before this one began. */
		all->events[all->events_next] = part->uncaused;
		all->events_next = (all->events_next + 1) % RECORD_GROUP_EVENTS;
	}
}

/*
 * The record that closes a burst of events comes when their line is printed
 * already, and says nothing that this does not.
 */
static bool is_shown(const struct record_groups *all, const struct rdmaev_record *r)
{
	size_t i;

	if (r->kind != RDMAEV_KIND_ASYNC || !r->cause ||
	    r->severity != RDMAEV_SEVERITY_INFO)
		return false;
	for (i = 0; i < RECORD_GROUP_EVENTS; i++)
		if (all->events[i] == r->cause)
			return true;
	return false;
}

static struct record_group *record_group_unlink(struct record_groups *all)
{
	struct record_group *h = all->first;

	remember_events(all, h);
	all->first = h->next;
	if (!all->first)
		all->last = NULL;
	all->counted -= !is_lost(h);
	return h;
}

/* A loss before the oldest one that is kept does not matter either. */
static void drop_old(struct record_groups *all)
{
	while (all->limit && all->first && !all->first->open &&
	       (all->counted > all->limit || (all->dropped && is_lost(all->first)))) {
		struct record_group *h = record_group_unlink(all);

		if (h->last_seq > all->dropped)
			all->dropped = h->last_seq;
		record_group_free(h);
	}
}

/* Make @h one that records can join. */
static void group_open(struct record_groups *all, struct record_group *h)
{
	const struct rdmaev_record *r = record_group_first(h);
	struct record_group **bucket = &all->buckets[record_group_bucket(r)];
	struct record_group *other, *oldest = NULL;
	size_t alike = 0;

	for (other = *bucket; other; other = other->older) {
		if (!record_group_is_alike(other, r))
			continue;
		oldest = other;
		alike++;
	}
	if (alike == ALIKE_MAX)
		group_close(all, oldest);
	h->open = true;
	h->older = *bucket;
	*bucket = h;
	if (!all->open)
		all->open = h;
}

static int record_group_begin(struct record_groups *all, const struct rdmaev_record *r, bool open,
			      int64_t now_ns)
{
	struct record_group *h = calloc(1, sizeof(*h));

	if (!h)
		return -1;
	if (record_group_append(h, r, now_ns) < 0) {
		record_group_free(h);
		return -1;
	}
	h->begun_ns = now_ns;
	if (all->last)
		all->last->next = h;
	else
		all->first = h;
	all->last = h;
	if (open)
		group_open(all, h);
	if (all->open)
		all->behind++;
	all->counted += !is_lost(h);
	return 0;
}

int record_group_add(struct record_groups *all, const struct rdmaev_record *r,
		     int64_t now_ns)
{
	enum record_group_role role = all->joins ? record_group_role(r) : RECORD_GROUP_NONE;
	struct record_group *h = NULL;
	int ret;

	if (all->joins)
		close_old(all, r);
	if (role != RECORD_GROUP_NONE) {
		record_group_note_past(all, r);
		h = record_group_to_join(all, r, role);
		if (!h && is_shown(all, r))
			return 0;
	}
	ret = h ? record_group_append(h, r, now_ns) :
		  record_group_begin(all, r, role != RECORD_GROUP_NONE, now_ns);
	skip_closed(all);
	if (all->behind > QUEUE_MAX) {
		group_close(all, all->open);
		skip_closed(all);
	}
	drop_old(all);
	return ret;
}

void record_group_close(struct record_groups *all)
{
	struct record_group *h;

	for (h = all->open; h; h = h->next)
		if (h->open)
			group_close(all, h);
	skip_closed(all);
	drop_old(all);
	/* What is left is to be printed. */
	all->limit = 0;
}

static int64_t record_group_due(const struct record_group *h)
{
	int64_t quiet = h->last_ns + RECORD_GROUP_QUIET_NS;
	int64_t hold = h->begun_ns + RECORD_GROUP_HOLD_NS;

	return quiet < hold ? quiet : hold;
}

void record_group_expire(struct record_groups *all, int64_t now_ns)
{
	struct record_group *h;

	for (h = all->open; h; h = h->next)
		if (h->open && record_group_due(h) <= now_ns)
			group_close(all, h);
	skip_closed(all);
}

int64_t record_group_deadline(const struct record_groups *all)
{
	return all->first && !all->limit ? record_group_due(all->first) : -1;
}

struct record_group *record_group_pop(struct record_groups *all)
{
	if (!all->first || all->first->open || all->limit)
		return NULL;
	return record_group_unlink(all);
}

void record_group_free(struct record_group *h)
{
	struct record_group_part *part = h->parts.next, *next;

	for (; part; part = next) {
		next = part->next;
		free(part);
	}
	free(h->numbers);
	free(h);
}

void record_group_free_all(struct record_groups *all)
{
	all->open = NULL;
	memset(all->buckets, 0, sizeof(all->buckets));
	while (all->first)
		record_group_free(record_group_unlink(all));
}

uint64_t record_group_oldest(const struct record_groups *all)
{
	const struct rdmaev_record *r;

	if (!all->first)
		return 0;
	r = record_group_first(all->first);
	/* A loss has the seq of its end. */
	return is_lost(all->first) ? r->body.lost.first : r->seq;
}
