// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The records of a group: the first and the last of those that say the same, and counts. */
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "internal.h"
#include "record_group_parts.h"
#include "record_group_rules.h"

static bool is_empty(const union rdmaev_port_value *value)
{
	static const union rdmaev_port_value empty;

	return !memcmp(value, &empty, sizeof(empty));
}

enum change record_change(const struct rdmaev_record *r)
{
	if (r->kind != RDMAEV_KIND_PORT ||
	    (r->code != RDMAEV_PORT_GID && r->code != RDMAEV_PORT_PKEY))
		return CHANGE_NONE;
	if (is_empty(&r->body.port.before))
		return CHANGE_ADDED;
	return is_empty(&r->body.port.after) ? CHANGE_REMOVED : CHANGE_CHANGED;
}

bool record_is_sum(const struct rdmaev_record *r)
{
	return r->kind == RDMAEV_KIND_QP && r->cause && !event_has_object(r);
}

static bool is_of_part(const struct record_group_part *part, const struct rdmaev_record *r)
{
	return part->first.kind == r->kind && part->first.code == r->code &&
	       part->first.severity == r->severity &&
	       record_change(&part->first) == record_change(r) &&
	       record_is_sum(&part->first) == record_is_sum(r);
}

static void part_append(struct record_group_part *part, const struct rdmaev_record *r)
{
	*(part->count ? &part->last : &part->first) = *r;
	part->count++;
	part->occurrences += r->count;
	if (!r->cause)
		part->uncaused = r->seq;
}

/* The part that @r belongs to, which may be a new one; NULL: no memory */
static struct record_group_part *find_part(struct record_group *h, const struct rdmaev_record *r)
{
	struct record_group_part *part = &h->parts, *next;

	while (part->count && !is_of_part(part, r)) {
		next = part->next;
		if (!next) {
			next = calloc(1, sizeof(*next));
			if (!next)
				return NULL;
			part->next = next;
		}
		part = next;
	}
	return part;
}

bool record_group_has_cause(const struct record_group *h, uint64_t cause)
{
	size_t i = h->causes_count;
	size_t oldest = i > RECORD_GROUP_CAUSES ? i - RECORD_GROUP_CAUSES : 0;

	while (i-- > oldest)
		if (h->causes[i % RECORD_GROUP_CAUSES] == cause)
			return true;
	return false;
}

static void note_cause(struct record_group *h, uint64_t cause)
{
	if (cause && !record_group_has_cause(h, cause))
		h->causes[h->causes_count++ % RECORD_GROUP_CAUSES] = cause;
}

static void note_causes(struct record_group *h, const struct rdmaev_record *r)
{
	/* Nothing follows from an entry of a table, and there can be many. */
	if (record_change(r) == CHANGE_NONE)
		note_cause(h, r->seq);
	/* Requests for QPs belong together without. */
	if (r->kind != RDMAEV_KIND_QP)
		note_cause(h, r->cause);
	if (!r->cause && r->kind == RDMAEV_KIND_PORT)
		h->found_ns = r->boottime_ns;
}

static void note_state(struct record_group *h, const struct rdmaev_record *r)
{
	if (r->kind != RDMAEV_KIND_PORT || r->code != RDMAEV_PORT_STATE)
		return;
	if (h->states_count < RECORD_GROUP_STATES)
		h->states[h->states_count] = r->body.port.after.number;
	h->states_count++;
}

/* Put a number in its place of the table; false: it is there already. */
static bool place_number(uint64_t *numbers, size_t room, uint64_t number)
{
	/* Devices may give out multiples of a power of two. */
	size_t i = (size_t)(number * 0x9e3779b97f4a7c15ULL >> 32) % room;

	while (numbers[i] && numbers[i] != number)
		i = (i + 1) % room;
	if (numbers[i])
		return false;
	numbers[i] = number;
	return true;
}

/* Three quarters of the table are used, at most. */
static int grow_numbers(struct record_group *h)
{
	size_t room = h->numbers_room ? 2 * h->numbers_room : 16, i;
	uint64_t *numbers;

	if (h->qps < h->numbers_room / 4 * 3)
		return 0;
	numbers = calloc(room, sizeof(*numbers));
	if (!numbers)
		return -1;
	if (!h->numbers_room)
		place_number(numbers, room, (uint64_t)record_group_first(h)->object + 1);
	for (i = 0; i < h->numbers_room; i++)
		if (h->numbers[i])
			place_number(numbers, room, h->numbers[i]);
	free(h->numbers);
	h->numbers = numbers;
	h->numbers_room = room;
	return 0;
}

/* That of the first record needs no table, as most lines have no other. */
static int note_number(struct record_group *h, const struct rdmaev_record *r)
{
	if (r->kind != RDMAEV_KIND_QP || !event_has_object(r))
		return 0;
	if (!h->count) {
		h->qps = 1;
		return 0;
	}
	if (grow_numbers(h) < 0)
		return -1;
	h->qps += place_number(h->numbers, h->numbers_room, (uint64_t)r->object + 1);
	return 0;
}

int record_group_append(struct record_group *h, const struct rdmaev_record *r, int64_t now_ns)
{
	struct record_group_part *part = find_part(h, r);

	if (!part || note_number(h, r) < 0)
		return -1;
	part_append(part, r);
	h->causes_differ |= r->cause != record_group_first(h)->cause;
	note_causes(h, r);
	note_state(h, r);
	h->count++;
	h->last_seq = r->seq;
	h->last_boottime_ns = r->boottime_ns;
	h->last_ns = now_ns;
	return 0;
}

const struct rdmaev_record *record_group_part_last(const struct record_group_part *part)
{
	return part->count > 1 ? &part->last : &part->first;
}

const struct rdmaev_record *record_group_find(const struct record_group *h,
					      unsigned int kind, unsigned int code)
{
	const struct record_group_part *part;

	/* They are in the order of their first records. */
	for (part = &h->parts; part; part = part->next)
		if (part->first.kind == kind && part->first.code == code)
			return &part->first;
	return NULL;
}

const struct rdmaev_record *record_group_find_last(const struct record_group *h,
						   unsigned int kind, unsigned int code)
{
	const struct rdmaev_record *r, *last = NULL;
	const struct record_group_part *part;

	for (part = &h->parts; part; part = part->next) {
		r = record_group_part_last(part);
		if (r->kind == kind && r->code == code && (!last || r->seq > last->seq))
			last = r;
	}
	return last;
}

bool record_group_shows(const struct record_group *h, const struct rdmaev_record *r)
{
	const struct catalogue_entry *entry = record_group_shown_by(r);

	return entry && record_group_find(h, entry->kind, entry->code);
}
