// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The line of a group. Everything that its records say of the port is in it,
 * in the words of the catalogue; the rest is for -v.
 */
#include "catalogue.h"
#include "format.h"
#include "record_group.h"
#include "record_group_line.h"
#include "record_group_parts.h"

/**
 * struct parts - what a line says, one after the other
 * @t: text of the line
 * @between: what comes before the next part
 */
struct parts {
	struct text *t;
	const char *between;
};

static void next_part(struct parts *parts)
{
	text_put(parts->t, parts->between);
	parts->between = "; ";
}

/* The last record of an attribute */
static const struct rdmaev_record *find_last(const struct record_group *h,
					     unsigned int code)
{
	return record_group_find_last(h, RDMAEV_KIND_PORT, code);
}

/* The record that a line without a change of state is named after */
static const struct rdmaev_record *most_severe(const struct record_group *h)
{
	const struct rdmaev_record *worst = record_group_first(h);
	const struct record_group_part *part;

	for (part = h->parts.next; part; part = part->next)
		if (part->first.severity > worst->severity)
			worst = &part->first;
	return worst;
}

/* "was DOWN for 3s, then INIT, ARMED" */
static void put_states(struct parts *parts, const struct record_group *h)
{
	const struct rdmaev_record *r = record_group_find(h, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	const struct rdmaev_record *last = find_last(h, RDMAEV_PORT_STATE);
	struct text *t = parts->t;
	size_t i;

	if (!r)
		return;
	next_part(parts);
	text_put(t, "was ");
	put_port_value(t, r->code, &r->body.port.before);
	if (r->body.port.previous_ns) {
		text_put(t, " for ");
		text_duration(t, r->body.port.previous_ns);
	}
	/* The last one is what the line begins with. */
	for (i = 0; i + 1 < h->states_count && i < RECORD_GROUP_STATES; i++) {
		const union rdmaev_port_value state = { .number = h->states[i] };

		text_put(t, i ? ", " : ", then ");
		put_port_value(t, RDMAEV_PORT_STATE, &state);
	}
	if (i + 1 < h->states_count)
		text_printf(t, ", and %zu more", h->states_count - 1 - i);
	/* The count changes only when the port leaves ACTIVE. */
	if (last->body.port.outages && last->body.port.before.number == RDMAEV_STATE_ACTIVE) {
		next_part(parts);
		text_printf(t, "outage %u", last->body.port.outages);
	}
}

/* "LID 1 -> 5", over all changes */
static void put_attribute(struct parts *parts, const struct record_group *h,
			  unsigned int code, const char *name)
{
	const struct rdmaev_record *r, *last = find_last(h, code);

	if (!last)
		return;
	r = record_group_find(h, RDMAEV_KIND_PORT, code);
	next_part(parts);
	text_printf(parts->t, "%s ", name);
	put_port_value(parts->t, code, &r->body.port.before);
	text_put(parts->t, " -> ");
	put_port_value(parts->t, code, &last->body.port.after);
}

static void put_entry(struct text *t, const struct rdmaev_record *r)
{
	put_port_value(t, r->code, record_change(r) == CHANGE_REMOVED ?
		       &r->body.port.before : &r->body.port.after);
}

/* "20 added (::ffff:10.0.0.1 ... ::ffff:10.0.0.20)" */
static void put_changes(struct parts *parts, const struct record_group *h,
			unsigned int code, const char *name, enum change change)
{
	static const char * const words[] = {
		[CHANGE_ADDED] = "added",
		[CHANGE_REMOVED] = "removed",
		[CHANGE_CHANGED] = "changed",
	};
	const struct rdmaev_record *first = NULL, *last = NULL;
	const struct record_group_part *part;
	size_t n = 0;

	for (part = &h->parts; part; part = part->next) {
		const struct rdmaev_record *r = record_group_part_last(part);

		if (r->kind != RDMAEV_KIND_PORT || r->code != code || record_change(r) != change)
			continue;
		if (!n)
			first = &part->first;
		if (!n || r->seq > last->seq)
			last = r;
		n += part->count;
	}
	if (!n)
		return;
	next_part(parts);
	text_printf(parts->t, "%zu %s%s %s (", n, name, n == 1 ? "" : "s", words[change]);
	put_entry(parts->t, first);
	if (n > 1) {
		text_put(parts->t, n > 2 ? " ... " : ", ");
		put_entry(parts->t, last);
	}
	text_put(parts->t, ")");
}

/* Changes of a table of the port */
static void put_table(struct parts *parts, const struct record_group *h,
		      unsigned int code, const char *name)
{
	const struct rdmaev_record *r = record_group_find(h, RDMAEV_KIND_PORT, code);
	enum change change;

	if (r && r == find_last(h, code)) {
		next_part(parts);
		text_printf(parts->t, "%s ", name);
		put_port_change(parts->t, r);
		return;
	}
	for (change = CHANGE_ADDED; change <= CHANGE_CHANGED; change++)
		put_changes(parts, h, code, name, change);
}

static void put_outages(struct parts *parts, const struct record_group *h)
{
	const struct rdmaev_record *r;

	r = record_group_find(h, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN);
	if (r) {
		next_part(parts);
		put_unseen_outages(parts->t, r);
	}
	r = record_group_find(h, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END);
	if (r) {
		next_part(parts);
		text_put(parts->t, "end of an outage of ");
		put_outage_time(parts->t, r);
	}
}

/* How often an event was reported */
static uint64_t count_event(const struct record_group *h, const struct rdmaev_record *r)
{
	const struct record_group_part *part;
	uint64_t n = 0;

	for (part = &h->parts; part; part = part->next)
		if (part->first.kind == r->kind && part->first.code == r->code)
			n += part->occurrences;
	return n;
}

/* Events that no attribute shows, each once */
static void put_events(struct parts *parts, const struct record_group *h,
		       const struct rdmaev_record *name)
{
	const struct record_group_part *part;

	for (part = &h->parts; part; part = part->next) {
		const struct rdmaev_record *r = &part->first;
		unsigned long long n;

		if (r->kind != RDMAEV_KIND_ASYNC || record_group_shows(h, r) ||
		    record_group_find(h, r->kind, r->code) != r)
			continue;
		n = count_event(h, r);
		if (name->kind == r->kind && name->code == r->code && n == 1)
			continue;
		next_part(parts);
		put_event_name(parts->t, r->kind, r->code);
		if (n > 1)
			text_printf(parts->t, " x%llu", n);
	}
}

/* "16 QPs of python3[1234]: RTS -> ERR (QP 17 ... QP 32); 184 more: -> ERR" */
static void put_requests(struct text *t, const struct record_group *h)
{
	const struct rdmaev_record *first = record_group_first(h), *last;
	const struct record_group_part *part;

	put_qps_detail(t, first, h->qps, h->parts.occurrences);
	last = record_group_part_last(&h->parts);
	if (h->qps > 1)
		text_printf(t, " (QP %u%sQP %u)", first->object, h->qps > 2 ? " ... " : ", ",
			    last->object);
	else if (h->qps)
		text_printf(t, " (QP %u)", first->object);
	for (part = h->parts.next; part; part = part->next) {
		text_put(t, "; ");
		put_qps_more(t, &part->first, part->occurrences);
	}
}

static void put_parts(struct parts *parts, const struct record_group *h,
		      const struct rdmaev_record *name)
{
	put_states(parts, h);
	put_attribute(parts, h, RDMAEV_PORT_PHYS_STATE, "physical state");
	put_attribute(parts, h, RDMAEV_PORT_LID, "LID");
	put_attribute(parts, h, RDMAEV_PORT_SM_LID, "SM LID");
	put_attribute(parts, h, RDMAEV_PORT_SPEED, "speed");
	put_attribute(parts, h, RDMAEV_PORT_WIDTH, "width");
	put_attribute(parts, h, RDMAEV_PORT_MTU, "MTU");
	put_table(parts, h, RDMAEV_PORT_GID, "GID");
	put_table(parts, h, RDMAEV_PORT_PKEY, "P_Key");
	put_outages(parts, h);
	put_events(parts, h, name);
}

static char mark_of(unsigned int severity)
{
	switch (severity) {
	case RDMAEV_SEVERITY_ERROR:
		return 'E';
	case RDMAEV_SEVERITY_WARNING:
		return 'W';
	case RDMAEV_SEVERITY_INFO:
		return 'I';
	default:
		return '?';
	}
}

/* Colour of the mark and the name; the state decides before the severity. */
static const char *color_of(const struct rdmaev_record *name,
			    const struct rdmaev_record *worst)
{
	const char *color = event_color(worst);

	if (worst->severity < RDMAEV_SEVERITY_ERROR && *event_color(name))
		return event_color(name);
	if (!*color && worst->severity == RDMAEV_SEVERITY_WARNING)
		return YELLOW;
	return color;
}

/* Which records the line stands for */
static void put_seqs(struct text *t, const struct record_group *h)
{
	const struct rdmaev_record *first = record_group_first(h);

	text_printf(t, "#%llu", (unsigned long long)first->seq);
	if (h->count > 1)
		text_printf(t, "-#%llu (%zu records)",
			    (unsigned long long)h->last_seq, h->count);
	if (first->cause && !(first->kind == RDMAEV_KIND_QP && h->causes_differ))
		text_printf(t, " <- #%llu", (unsigned long long)first->cause);
}

void record_group_line(struct text *t, const struct record_group *h, unsigned int style)
{
	const struct rdmaev_record *first = record_group_first(h);
	const struct rdmaev_record *state = find_last(h, RDMAEV_PORT_STATE);
	const struct rdmaev_record *worst = most_severe(h);
	const struct rdmaev_record *name = state ? state : worst;
	struct parts parts = { .t = t, .between = state ? "(" : "" };
	bool has_color = style & RDMAEV_STYLE_COLOR;
	const char *color = has_color ? color_of(name, worst) : "";
	const char *plain = *color ? PLAIN : "";
	size_t column;

	text_time(t, first->realtime_ns, first->boottime_ns, style);
	text_printf(t, " %s%c%s ", color, mark_of(worst->severity), plain);
	put_where(t, first);
	text_put(t, color);
	column = t->len;
	if (state)
		put_port_value(t, RDMAEV_PORT_STATE, &state->body.port.after);
	else
		put_event_name(t, name->kind, name->code);
	text_pad(t, column, COLUMN_EVENT);
	text_put(t, plain);
	text_put(t, " ");
	column = t->len;
	if (first->kind == RDMAEV_KIND_QP && h->count > 1) {
		put_requests(t, h);
	} else if (state || h->count > 1) {
		put_parts(&parts, h, name);
		if (state)
			text_put(t, ")");
	} else {
		put_detail(t, first);
	}
	text_put(t, t->len == column ? " " : "  ");
	text_put(t, has_color ? DIM : "");
	put_seqs(t, h);
	text_put(t, has_color ? PLAIN : "");
}
