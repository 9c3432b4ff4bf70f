// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States and outages of a port over time. A record of a state has the state before
 * and since when, so the time before the first record is known, too; what is
 * between two records that do not fit together is unknown.
 */
#include <stdlib.h>

#include "port_bands.h"

/**
 * struct walk - a port while its records are read
 * @report: what they are of
 * @bands: what was found so far
 * @now: entry in the list of ports, or NULL
 * @at_ns: end of the last span
 * @state: state since then
 * @seq: record of that, 0: none
 * @newest: newest record of the port so far
 * @is_removed: the device was removed
 */
struct walk {
	const struct report *report;
	struct port_bands bands;
	const struct rdmaev_port *now;
	uint64_t at_ns;
	unsigned int state;
	uint64_t seq;
	uint64_t newest;
	bool is_removed;
};

static bool is_active(uint64_t state)
{
	return state >= RDMAEV_STATE_ACTIVE;
}

/* Append a span up to @to; then comes @state. */
static void add_span(struct walk *w, uint64_t to, unsigned int state, uint64_t seq)
{
	struct port_bands *bands = &w->bands;
	struct port_span *larger;

	if (to > w->at_ns) {
		larger = realloc(bands->spans, (bands->spans_count + 1) * sizeof(*larger));
		if (!larger) {
			bands->is_full = true;
			return;
		}
		bands->spans = larger;
		larger[bands->spans_count++] = (struct port_span){
			.from_ns = w->at_ns, .to_ns = to, .state = w->state, .seq = w->seq,
		};
		w->at_ns = to;
	}
	w->state = state;
	w->seq = seq;
}

/* Records between these two were overwritten. */
static bool is_gap(const struct incident_log *log, uint64_t after, uint64_t before)
{
	size_t i;

	for (i = 0; i < log->losses_count; i++) {
		const struct rdmaev_record *r = &log->losses[i];

		if (r->body.lost.last > after && r->body.lost.first < before &&
		    (r->ring == RDMAEV_RING_PORT || r->ring == RDMAEV_RING_ANY))
			return true;
	}
	return false;
}

/* At @at the port was in this state, and had been since @since. */
static void note_state(struct walk *w, uint64_t at, uint64_t since,
		       unsigned int state, uint64_t seq)
{
	bool fits = w->state == state && !is_gap(w->report->log, w->newest, seq);

	if (since > w->at_ns && since <= at && !fits) {
		add_span(w, since, RDMAEV_STATE_NOP, 0);
		add_span(w, since, state, 0);
	} else if (!fits) {
		w->state = state;
		w->seq = 0;
	}
}

static struct port_outage *add_outage(struct walk *w, uint64_t from, uint64_t seq)
{
	struct port_bands *bands = &w->bands;
	struct port_outage *larger;

	larger = realloc(bands->outages, (bands->outages_count + 1) * sizeof(*larger));
	if (!larger) {
		bands->is_full = true;
		return NULL;
	}
	bands->outages = larger;
	larger[bands->outages_count] = (struct port_outage){
		.from_ns = from, .to_ns = w->report->end_ns, .seq = seq, .count = 1,
	};
	return &larger[bands->outages_count++];
}

static void note_outage(struct walk *w, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;
	struct port_outage *outage = NULL;
	bool is_unseen = r->code == RDMAEV_PORT_OUTAGE_UNSEEN;
	bool is_end = is_unseen || r->code == RDMAEV_PORT_OUTAGE_END ||
		      (r->code == RDMAEV_PORT_STATE && is_active(body->after.number));

	if (!body->down_since_ns)
		return;
	if (w->bands.outages_count)
		outage = &w->bands.outages[w->bands.outages_count - 1];
	if (!outage || is_unseen || outage->from_ns != body->down_since_ns)
		outage = add_outage(w, body->down_since_ns, r->seq);
	if (!outage)
		return;
	if (is_unseen)
		outage->count = r->count;
	if (is_end) {
		outage->is_over = true;
		outage->to_ns = body->down_since_ns + body->down_ns;
	}
	if (r->code == RDMAEV_PORT_OUTAGE || r->code == RDMAEV_PORT_OUTAGE_END)
		outage->is_long = true;
}

/* The device is removed, and with it the port. */
static void note_removal(struct walk *w, uint64_t at)
{
	size_t i;

	add_span(w, at, RDMAEV_STATE_NOP, 0);
	w->is_removed = true;
	for (i = 0; i < w->bands.outages_count; i++) {
		struct port_outage *outage = &w->bands.outages[i];

		if (!outage->is_over) {
			outage->is_over = true;
			outage->to_ns = at;
		}
	}
}

static void note_port_record(struct walk *w, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;
	uint64_t since = r->boottime_ns - body->previous_ns;

	if (body->previous_ns > r->boottime_ns)
		since = 0;
	if (r->code == RDMAEV_PORT_STATE) {
		note_state(w, r->boottime_ns, since, (unsigned int)body->before.number,
			   r->seq);
		add_span(w, r->boottime_ns, (unsigned int)body->after.number, r->seq);
	} else if (r->code == RDMAEV_PORT_OUTAGE_UNSEEN) {
		note_state(w, r->boottime_ns, r->boottime_ns, RDMAEV_STATE_ACTIVE, r->seq);
	} else {
		note_outage(w, r);
		return;
	}
	note_outage(w, r);
	w->newest = r->seq;
}

/* From the last record to the end of the page */
static void note_now(struct walk *w)
{
	const struct rdmaev_port *now = w->now;
	uint64_t end = w->report->end_ns;
	bool is_open = w->bands.outages_count &&
		       !w->bands.outages[w->bands.outages_count - 1].is_over;

	if (w->is_removed)
		return;
	if (now && !(now->flags & (RDMAEV_PORT_FLAG_REMOVED | RDMAEV_PORT_FLAG_REMOVING))) {
		note_state(w, w->report->now.boottime_ns, now->state_since_ns, now->state,
			   UINT64_MAX);
		if (now->down_since_ns && !is_open)
			add_outage(w, now->down_since_ns, 0);
	}
	add_span(w, end, w->state, w->seq);
}

/* When the device was added, as far as that is known */
static uint64_t added_ns(const struct report *report, uint32_t generation)
{
	const struct incident_log *log = report->log;
	size_t i;

	for (i = 0; i < log->devices_count; i++)
		if (log->devices[i].generation == generation)
			return log->devices[i].since_ns;
	return report->begin_ns;
}

struct port_bands find_bands(const struct report *report, const struct chart_rows *rows,
			     const struct port_row *row)
{
	const struct node *nodes = report->log->nodes;
	struct walk w = { .report = report, .now = row->now };
	size_t removal = find_removal(report->log, row->generation), i;

	w.at_ns = added_ns(report, row->generation);
	for (i = row->changes.first; i < removal; i = rows->next_change[i])
		note_port_record(&w, &nodes[i].r);
	if (removal != NONE)
		note_removal(&w, nodes[removal].r.boottime_ns);
	note_now(&w);
	return w.bands;
}

void free_bands(struct port_bands *bands)
{
	free(bands->spans);
	free(bands->outages);
}
