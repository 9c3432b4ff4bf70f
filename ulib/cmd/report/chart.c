// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The chart of a report, from the top: incidents, ports with their states, outages
 * and marks, and what failed. All of it is links to records, with a title each.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "base/complain.h"
#include "blindness.h"
#include "catalogue.h"
#include "chart.h"
#include "chart_marks.h"
#include "chart_rows.h"
#include "port_bands.h"

/* Heights of lines, in units of the SVG */
#define AXIS_HEIGHT	30
#define TITLE_HEIGHT	26
#define SPAN_HEIGHT	22
#define PORT_HEIGHT	50
#define OWNER_HEIGHT	20
#define OBJECT_HEIGHT	18

/* Lines of incidents; the last one takes all that have no room, without a text */
#define SPAN_LINES	6
#define NO_TEXT		0x80

/* A width of text of names, which is an estimate */
#define NAME_LETTER	8.2

/**
 * struct chart - a chart being written
 * @p: page
 * @rows: lines
 * @lines: of each incident on the page, with NO_TEXT where that has no room
 * @lines_count: lines that they take
 * @y: top of the next line
 */
struct chart {
	const struct page *p;
	struct chart_rows rows;
	unsigned char *lines;
	unsigned int lines_count;
	unsigned int y;
};

/* Where an incident ends: with the record that says so, or its last one */
static uint64_t span_end(const struct report *report, const struct incident *incident)
{
	if (incident->end != NONE)
		return report->log->nodes[incident->end].r.boottime_ns;
	return incident->last_ns;
}

static size_t span_letters(const struct report *report, const struct incident *incident)
{
	const struct rdmaev_record *r = &report->log->nodes[incident->root].r;
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	text_printf(&t, "#%llu ", (unsigned long long)r->seq);
	put_event_name(&t, r->kind, r->code);
	return t.len;
}

/**
 * struct bar - from a time to another one
 * @from_ns: CLOCK_BOOTTIME at its left end
 * @to_ns: CLOCK_BOOTTIME at its right end
 * @from: left end
 * @to: right end
 */
struct bar {
	uint64_t from_ns;
	uint64_t to_ns;
	double from;
	double to;
};

/* @least: how wide it is at least */
static struct bar find_bar(const struct page *p, uint64_t from_ns, uint64_t to_ns,
			   double least)
{
	struct bar bar = {
		.from_ns = from_ns, .to_ns = to_ns,
		.from = axis_at(p, from_ns), .to = axis_at(p, to_ns),
	};

	if (bar.to < bar.from + least)
		bar.to = bar.from + least;
	return bar;
}

/**
 * struct place - where an incident is
 * @bar: its bar
 * @text: left end of its text
 * @left: left end of both
 * @right: right end of both
 */
struct place {
	struct bar bar;
	double text;
	double left;
	double right;
};

static struct place find_place(const struct page *p, const struct incident *incident)
{
	const struct rdmaev_record *r = &p->report->log->nodes[incident->root].r;
	double letters = CHART_LETTER * (double)span_letters(p->report, incident);
	struct place place = {
		.bar = find_bar(p, r->boottime_ns, span_end(p->report, incident),
				CHART_LEAST),
	};

	place.text = place.bar.to + 4;
	place.left = place.bar.from;
	place.right = place.text + letters;
	/* At the right end the text is on the left. */
	if (place.right > CHART_WIDTH) {
		place.text = place.bar.from - 4 - letters;
		place.left = place.text;
		place.right = place.bar.to;
	}
	return place;
}

/* Give each incident a line where it covers no other, if there is one. */
static int place_incidents(struct chart *c)
{
	const struct report *report = c->p->report;
	double ends[SPAN_LINES] = { 0 };
	size_t i;

	c->lines = calloc(report->incidents_count + 1, 1);
	if (!c->lines)
		return -1;
	for (i = 0; i < report->incidents_count; i++) {
		struct place place = find_place(c->p, &report->incidents[i]);
		unsigned int line = 0;

		while (line < SPAN_LINES - 1 && ends[line] > place.left)
			line++;
		c->lines[i] = (unsigned char)line;
		if (ends[line] > place.left)
			c->lines[i] |= NO_TEXT;
		else
			ends[line] = place.right + 4;
		if (line >= c->lines_count)
			c->lines_count = line + 1;
	}
	return 0;
}

static void write_rect(const struct page *p, const char *class, const struct bar *bar,
		       unsigned int y, unsigned int height)
{
	page_printf(p, "<rect class=\"%s\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" data-t=\"%.3f %.3f\"/>",
		    class, bar->from, y, bar->to - bar->from, height,
		    axis_ms(p, bar->from_ns), axis_ms(p, bar->to_ns));
}

static void write_title(struct chart *c, const char *words)
{
	page_printf(c->p, "<text class=\"head\" x=\"0\" y=\"%u\">%s</text>\n", c->y + 18,
		    words);
	c->y += TITLE_HEIGHT;
}

static void write_incident(struct chart *c, size_t i)
{
	const struct page *p = c->p;
	const struct incident *incident = &p->report->incidents[i];
	const struct rdmaev_record *r = &p->report->log->nodes[incident->root].r;
	unsigned int y = c->y + (c->lines[i] & ~NO_TEXT) * SPAN_HEIGHT;
	struct place place = find_place(p, incident);
	unsigned long long seq = r->seq;

	page_printf(p, "<a class=\"incident\" href=\"#i%llu\"><title>Incident #%llu, ", seq, seq);
	page_place(p, r);
	page_put(p, " ");
	page_event(p, r->kind, r->code);
	page_printf(p, ": %zu record%s</title>", incident->records,
		    incident->records == 1 ? "" : "s");
	write_rect(p, page_class(incident->severity), &place.bar, y + 4, 12);
	if (!(c->lines[i] & NO_TEXT)) {
		page_printf(p, "<text x=\"%.1f\" y=\"%u\">#%llu ", place.text, y + 14,
			    seq);
		page_event(p, r->kind, r->code);
		page_put(p, "</text>");
	}
	page_link_end(p);
}

static void write_incidents(struct chart *c)
{
	size_t i;

	if (!c->p->report->incidents_count)
		return;
	write_title(c, "Incidents");
	for (i = 0; i < c->p->report->incidents_count; i++)
		write_incident(c, i);
	c->y += c->lines_count * SPAN_HEIGHT;
}

/* CLOCK_BOOTTIME of the newest record up to @seq, or of the next one after it */
static uint64_t time_near(const struct report *report, uint64_t seq, bool next)
{
	const struct incident_log *log = report->log;
	size_t i = find_from(log, seq + 1);

	if (next)
		return i < log->count ? log->nodes[i].r.boottime_ns : report->end_ns;
	return i ? log->nodes[i - 1].r.boottime_ns : report->begin_ns;
}

static void write_losses(struct chart *c)
{
	const struct report *report = c->p->report;
	size_t i;

	if (!report->log->losses_count)
		return;
	write_title(c, "Overwritten");
	for (i = 0; i < report->log->losses_count; i++) {
		const struct rdmaev_lost_body *lost = &report->log->losses[i].body.lost;
		struct bar bar = find_bar(c->p, time_near(report, lost->first, false),
					  time_near(report, lost->last, true), CHART_LEAST);

		page_printf(c->p, "<a class=\"loss\" href=\"#losses\"><title>%llu records were overwritten, #%llu to #%llu</title>",
			    (unsigned long long)lost->count,
			    (unsigned long long)lost->first,
			    (unsigned long long)lost->last);
		write_rect(c->p, "s0", &bar, c->y + 2, 12);
		page_link_end(c->p);
	}
	c->y += SPAN_HEIGHT;
}

static const char *state_words(unsigned int state)
{
	const char *name = state_name(state);

	return state == RDMAEV_STATE_NOP ? "unknown" : name ? name : "other";
}

/* ACTIVE is thin, and what is not is as high as it is bad. */
static unsigned int state_height(unsigned int state)
{
	switch (state) {
	case RDMAEV_STATE_NOP:
		return 6;
	case RDMAEV_STATE_DOWN:
		return 20;
	case RDMAEV_STATE_INIT:
	case RDMAEV_STATE_ARMED:
	case RDMAEV_STATE_ACTIVE_DEFER:
		return 14;
	default:
		return state == RDMAEV_STATE_ACTIVE ? 8 : 14;
	}
}

static void write_span(const struct page *p, const struct port_span *span,
		       unsigned int y)
{
	const char *words = state_words(span->state);
	bool can_vanish = span->state == RDMAEV_STATE_ACTIVE || span->state == RDMAEV_STATE_NOP;
	struct bar bar = find_bar(p, span->from_ns, span->to_ns, can_vanish ? 0 : CHART_LEAST);
	unsigned int height = state_height(span->state);
	char class[16] = "s0";
	struct text t = { .buf = class, .size = sizeof(class) };
	bool has_room;

	if (span->to_ns < p->report->begin_ns || span->from_ns > p->report->end_ns)
		return;
	text_printf(&t, "s%u", span->state);
	text_end(&t);
	page_link(p, span->seq);
	page_printf(p, "<title>%s for ", words);
	page_duration(p, span->to_ns - span->from_ns);
	if (span->seq)
		page_printf(p, ", #%llu", (unsigned long long)span->seq);
	page_put(p, "</title>");
	write_rect(p, class, &bar, y + (20 - height) / 2, height);
	has_room = bar.to - bar.from > CHART_LETTER * (double)strlen(words) + 8;
	if (height > 10)
		page_printf(p, "<text class=\"on\" x=\"%.1f\" y=\"%u\"%s>%s</text>",
			    (bar.from + bar.to) / 2, y + 14,
			    has_room ? "" : " display=\"none\"", words);
	page_link_end(p);
}

static void write_outage(const struct page *p, const struct port_outage *outage,
			 unsigned int y)
{
	struct bar bar = find_bar(p, outage->from_ns, outage->to_ns, CHART_LEAST);

	if (outage->to_ns < p->report->begin_ns || outage->from_ns > p->report->end_ns)
		return;
	page_printf(p, "<g class=\"outage%s\">", outage->is_long ? " long" : "");
	page_link(p, outage->seq);
	page_put(p, "<title>");
	if (outage->count > 1)
		page_printf(p, "%u outages of ", outage->count);
	else
		page_put(p, "Outage of ");
	page_duration(p, outage->to_ns - outage->from_ns);
	page_put(p, outage->is_over ? "" : ", not over");
	if (outage->seq)
		page_printf(p, ", #%llu", (unsigned long long)outage->seq);
	page_put(p, "</title>");
	write_rect(p, "bar", &bar, y, 4);
	page_put(p, "</a></g>\n");
}

/* A name at the left, cut if it is longer than there is room, with all of it as title */
static void write_name(const struct page *p, const char *class, unsigned int x,
		       unsigned int y, const char *name)
{
	size_t room = (size_t)((CHART_LEFT - 8 - x) / NAME_LETTER);
	char cut[CHART_LEFT];

	page_printf(p, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, y);
	if (strlen(name) > room) {
		page_put(p, "<title>");
		page_text(p, name);
		page_put(p, "</title>");
		snprintf(cut, sizeof(cut), "%.*s...", (int)room - 3, name);
		name = cut;
	}
	page_text(p, name);
	page_put(p, "</text>\n");
}

static void write_port_name(const struct page *p, const struct port_row *row,
			    const struct port_bands *bands, unsigned int y)
{
	char buf[5 * RDMAEV_DEVICE_NAME_SIZE];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	const struct port_span *last = NULL;

	if (bands->spans_count)
		last = &bands->spans[bands->spans_count - 1];
	text_name(&t, row->generation ? row->name : "all-devices");
	if (row->port != RDMAEV_NO_PORT)
		text_printf(&t, "/%u", row->port);
	text_end(&t);
	write_name(p, "name", 0, y + 15, buf);
	page_printf(p, "<text class=\"dim\" x=\"0\" y=\"%u\">", y + 30);
	if (row->port == RDMAEV_NO_PORT)
		page_put(p, row->generation ? "the device as a whole" : "observer");
	else if (!last || last->to_ns < p->report->end_ns)
		page_put(p, "removed");
	else
		page_put(p, state_words(last->state));
	if (row->port != RDMAEV_NO_PORT && last && last->to_ns >= p->report->end_ns) {
		page_put(p, " for ");
		page_duration(p, last->to_ns - last->from_ns);
	}
	page_put(p, "</text>\n");
}

/* One time without the observer: what has no mark there may have failed. */
static void write_blind(const struct page *p, const struct blindness *blindness,
			unsigned int y, unsigned int height)
{
	const struct report *report = p->report;
	struct bar bar = find_bar(p, blindness->from_ns, blindness->to_ns, CHART_LEAST);

	if (blindness->to_ns < report->begin_ns || blindness->from_ns > report->end_ns)
		return;
	page_put(p, "<g class=\"blind\">");
	page_link(p, blindness->seq);
	page_printf(p, "<title>%s for ", blindness->is_off ? "No observer" :
							     "The observer was blind");
	page_duration(p, blindness->to_ns - blindness->from_ns);
	page_printf(p, ", #%llu</title>", (unsigned long long)blindness->seq);
	write_rect(p, "s0", &bar, y, height);
	page_put(p, "</a></g>\n");
}

static void write_all_blind(const struct page *p, unsigned int y, unsigned int height)
{
	struct blindness blindness;
	size_t i;

	for (i = 0; i < p->report->log->count; i++)
		if (find_blindness(p->report, i, &blindness))
			write_blind(p, &blindness, y, height);
}

static int write_port(struct chart *c, size_t i)
{
	const struct port_row *row = &c->rows.ports[i];
	const struct page *p = c->p;
	struct port_bands bands = { .spans = NULL };
	size_t k;
	int ret;

	if (row->port != RDMAEV_NO_PORT)
		bands = find_bands(p->report, &c->rows, row);
	page_put(p, "<g class=\"port\">\n");
	write_port_name(p, row, &bands, c->y);
	for (k = 0; k < bands.spans_count; k++)
		write_span(p, &bands.spans[k], c->y + 2);
	for (k = 0; k < bands.outages_count; k++)
		write_outage(p, &bands.outages[k], c->y + 24);
	if (!row->generation)
		write_all_blind(p, c->y + 2, 20);
	write_all_marks(p, &row->marks, c->rows.next_on_port, c->y + 31);
	page_put(p, "</g>\n");
	ret = bands.is_full ? -1 : 0;
	free_bands(&bands);
	c->y += PORT_HEIGHT;
	return ret;
}

/* "QP 17 on rxe0/1", or "others" for the line that they share */
static void write_object_name(const struct page *p, const struct owner_rows *owner,
			      size_t k, unsigned int y)
{
	const struct object_row *object = &owner->objects[k];
	char buf[5 * RDMAEV_DEVICE_NAME_SIZE];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	size_t letters = 0;

	if (k == ROW_OBJECTS)
		return write_name(p, "dim", 12, y + 13, "others");
	if (object->type >= RDMAEV_OBJECT_QP && object_name(object->type)) {
		text_put(&t, object_name(object->type));
		for (; letters < t.len; letters++)
			buf[letters] = (char)toupper(buf[letters]);
		if (object->is_known)
			text_printf(&t, " %u", object->number);
		text_put(&t, " on ");
	}
	put_place(&t, object->place);
	text_end(&t);
	write_name(p, "dim", 12, y + 13, buf);
}

static void write_owner(struct chart *c, size_t i)
{
	const struct owner_rows *owner = &c->rows.owners[i];
	const struct page *p = c->p;
	size_t k, n = owner->count + (owner->more > 0);

	page_put(p, "<g class=\"owner\">\n");
	write_name(p, "name", 0, c->y + 15, *owner->name ? owner->name : "owner unknown");
	c->y += OWNER_HEIGHT;
	for (k = 0; k < n; k++) {
		write_object_name(p, owner, k, c->y);
		page_printf(p, "<path class=\"rail\" d=\"M%u %uH%u\"/>\n", CHART_LEFT,
			    c->y + 9, CHART_RIGHT);
		write_all_marks(p, &owner->marks[k], c->rows.next_on_object, c->y + 4);
		c->y += OBJECT_HEIGHT;
	}
	page_put(p, "</g>\n");
}

static unsigned int chart_height(const struct chart *c)
{
	const struct report *report = c->p->report;
	unsigned int height = AXIS_HEIGHT + 8;
	size_t i;

	if (report->incidents_count)
		height += TITLE_HEIGHT + c->lines_count * SPAN_HEIGHT;
	if (report->log->losses_count)
		height += TITLE_HEIGHT + SPAN_HEIGHT;
	if (c->rows.ports_count)
		height += TITLE_HEIGHT + (unsigned int)c->rows.ports_count * PORT_HEIGHT;
	if (c->rows.owners_count)
		height += TITLE_HEIGHT;
	for (i = 0; i < c->rows.owners_count; i++)
		height += OWNER_HEIGHT + OBJECT_HEIGHT *
			  (unsigned int)(c->rows.owners[i].count +
					 (c->rows.owners[i].more > 0));
	return height;
}

static const char defs[] =
	"<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\""
	" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"ground\"/>"
	"<path d=\"M0 0V6\" class=\"stroke\"/></pattern></defs>\n";

static int write_all(struct chart *c)
{
	unsigned int height = chart_height(c);
	size_t i;

	page_printf(c->p, "<svg viewBox=\"0 0 %u %u\" role=\"group\" aria-label=\"Ports, incidents and errors over time; the tables below have the same as text\">\n",
		    CHART_WIDTH, height);
	page_put(c->p, defs);
	write_axis(c->p, AXIS_HEIGHT, height);
	c->y = AXIS_HEIGHT;
	write_incidents(c);
	write_losses(c);
	if (c->rows.ports_count)
		write_title(c, "Ports");
	for (i = 0; i < c->rows.ports_count; i++)
		if (write_port(c, i) < 0)
			return -1;
	if (c->rows.owners_count)
		write_title(c, "QPs and processes that failed");
	if (c->rows.owners_count)
		write_all_blind(c->p, c->y, height - c->y);
	for (i = 0; i < c->rows.owners_count; i++)
		write_owner(c, i);
	page_put(c->p, "</svg>\n");
	return 0;
}

int write_chart(const struct page *p)
{
	struct chart c = { .p = p };
	int ret = find_rows(&c.rows, p->report);

	if (!ret && (place_incidents(&c) < 0 || write_all(&c) < 0)) {
		complain("out of memory");
		ret = -1;
	}
	free_rows(&c.rows);
	free(c.lines);
	return ret;
}
