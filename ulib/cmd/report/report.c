// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Write the page of rdmaev report. */
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "base/complain.h"
#include "catalogue.h"
#include "chart.h"
#include "format.h"
#include "incident/incident_parts.h"
#include "incident/incident_remedy.h"
#include "incident/incident_rules.h"
#include "page.h"
#include "report.h"

static const char style[] =
#include "report_css.h"
	;

static const char script[] =
#include "report_js.h"
	;

/* As the policy of the page names the script: no other one runs. */
static const char script_hash[] =
#include "report_hash.h"
	;

/* Deeper trees are cut. */
#define DEPTH_MAX	32

/* Before the first record, so that its mark is whole */
#define MARGIN(span)	((span) / 50)

static bool has_shown(const struct report *report, size_t root)
{
	size_t i;

	for (i = root; i != NONE; i = next_in_tree(report->log, root, i))
		if (report->shown[i])
			return true;
	return false;
}

static int choose_incidents(struct report *report)
{
	size_t i = report->log->count, k;

	report->incidents = calloc(REPORT_INCIDENTS, sizeof(*report->incidents));
	if (!report->incidents) {
		complain("out of memory");
		return -1;
	}
	while (i--) {
		if (report->log->nodes[i].parent != NONE || !has_shown(report, i) ||
		    !is_incident(report->log, i))
			continue;
		if (report->incidents_count == REPORT_INCIDENTS)
			report->older_incidents++;
		else
			report->incidents[report->incidents_count++] = summarize(report->log, i);
	}
	for (k = 0; k < report->incidents_count / 2; k++) {
		struct incident *other = &report->incidents[report->incidents_count - 1 - k];
		struct incident last = *other;

		*other = report->incidents[k];
		report->incidents[k] = last;
	}
	return 0;
}

int prepare_report(struct report *report)
{
	const struct incident_log *log = report->log;
	size_t i;

	if (!report->end_ns)
		report->end_ns = report->now.boottime_ns;
	for (i = 0; i < log->count && !report->shown[i]; i++)
		;
	if (!report->begin_ns && i < log->count) {
		uint64_t first = log->nodes[i].r.boottime_ns, margin;

		margin = first < report->end_ns ? MARGIN(report->end_ns - first) : 0;
		report->begin_ns = first > margin ? first - margin : 1;
	}
	if (!report->begin_ns)
		report->begin_ns = 1;
	if (report->end_ns <= report->begin_ns)
		report->end_ns = report->begin_ns + 1000000;
	return choose_incidents(report);
}

void free_report(struct report *report)
{
	free(report->shown);
	free(report->ports);
	free(report->incidents);
}

static void write_moment(const struct page *p, uint64_t boottime_ns)
{
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	text_time(&t, page_realtime(p, boottime_ns), boottime_ns, p->report->style);
	page_words(p, &t);
}

static void write_host(const struct page *p)
{
	char buf[1024];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	text_words(&t, p->report->host);
	page_words(p, &t);
}

static void write_head(const struct page *p)
{
	page_put(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	page_printf(p, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n",
		    script_hash);
	page_put(p, "<meta name=\"viewport\" content=\"width=device-width\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>rdmaev report of ");
	write_host(p);
	page_printf(p, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
	page_put(p, "<nav><a href=\"#incidents\">Incidents</a> <a href=\"#records\">Records</a></nav>\n"
		 "<header>\n<h1>RDMA on ");
	write_host(p);
	page_put(p, "</h1>\n<p>");
	write_moment(p, p->report->begin_ns);
	page_put(p, " to ");
	write_moment(p, p->report->end_ns);
	page_put(p, ", ");
	page_duration(p, p->report->end_ns - p->report->begin_ns);
	page_put(p, "; Linux ");
	page_text(p, p->report->kernel);
	page_put(p, "</p>\n");
}

static size_t count_severity(const struct report *report, unsigned int severity)
{
	size_t i, n = 0;

	for (i = 0; i < report->log->count; i++)
		n += report->shown[i] && report->log->nodes[i].r.severity == severity;
	return n;
}

/* @class: for a number other than 0 */
static void write_number(const struct page *p, const char *class, size_t n,
			 const char *one, const char *many)
{
	page_printf(p, "<li%s%s%s><b>%zu</b> %s</li>\n", n && *class ? " class=\"" : "",
		    n ? class : "", n && *class ? "\"" : "", n, n == 1 ? one : many);
}

static void write_numbers(const struct page *p)
{
	const struct report *report = p->report;
	size_t active = 0, present = 0, lost = 0, i;

	for (i = 0; i < report->ports_count; i++) {
		present += !(report->ports[i].flags & RDMAEV_PORT_FLAG_REMOVED);
		active += !(report->ports[i].flags & RDMAEV_PORT_FLAG_REMOVED) &&
			  report->ports[i].state >= RDMAEV_STATE_ACTIVE;
	}
	for (i = 0; i < report->log->losses_count; i++)
		lost += report->log->losses[i].body.lost.count;
	page_put(p, "<ul class=\"numbers\">\n");
	page_printf(p, "<li%s><b>%zu of %zu</b> port%s ACTIVE now</li>\n",
		    active < present ? " class=\"e\"" : "", active, present,
		    present == 1 ? "" : "s");
	write_number(p, "", report->incidents_count + report->older_incidents,
		     "incident", "incidents");
	write_number(p, "e", count_severity(report, RDMAEV_SEVERITY_ERROR), "error",
		     "errors");
	write_number(p, "w", count_severity(report, RDMAEV_SEVERITY_WARNING), "warning",
		     "warnings");
	write_number(p, "", report->shown_count, "record", "records");
	if (lost)
		write_number(p, "w", lost, "record overwritten", "records overwritten");
	page_put(p, "</ul>\n");
}

/* What the page does not have, and why */
static void write_missing(const struct page *p)
{
	const struct report *report = p->report;
	const struct incident_log *log = report->log;
	size_t i;

	if (report->older)
		page_printf(p, "<p class=\"missing\">%zu older records are not on this page: rdmaev report -n shows more.</p>\n",
			    report->older);
	if (log->losses_count)
		page_put(p, "<div id=\"losses\">\n");
	for (i = 0; i < log->losses_count; i++) {
		const struct rdmaev_lost_body *lost = &log->losses[i].body.lost;
		size_t k = find_from(log, lost->last + 1);

		page_printf(p, "<p class=\"missing\">%llu record%s",
			    (unsigned long long)lost->count,
			    lost->count == 1 ? " " : "s ");
		if (log->losses[i].ring < RDMAEV_RINGS)
			page_printf(p, "of the ring %s ", ring_name(log->losses[i].ring));
		page_put(p, "before ");
		if (k < log->count)
			page_time(p, &log->nodes[k].r);
		else
			page_put(p, "the end");
		page_printf(p, " (#%llu to #%llu) %s overwritten.</p>\n",
			    (unsigned long long)lost->first,
			    (unsigned long long)lost->last,
			    lost->count == 1 ? "was" : "were");
	}
	if (log->losses_count)
		page_put(p, "</div>\n");
}

static void write_key(const struct page *p)
{
	page_put(p, "<p class=\"key\"><i class=\"k4\"></i> ACTIVE <i class=\"k1\"></i> DOWN"
		 " <i class=\"k2\"></i> INIT, ARMED <i class=\"k0\"></i> unknown, or not observed"
		 " <i class=\"bar\"></i> outage <i class=\"e\">&#9650;</i> error"
		 " <i class=\"w\">&#9670;</i> warning; each is a link to its record</p>\n");
}

static void write_node(const struct page *p, size_t root, size_t i)
{
	const struct node *node = &p->report->log->nodes[i];
	const struct rdmaev_record *from = &p->report->log->nodes[root].r;
	char buf[4096];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	page_printf(p, "<li class=\"%s\"><span>", page_class(node->r.severity));
	put_after(&t, from, &node->r);
	page_words(p, &t);
	t.len = 0;
	page_put(p, "</span> <b>");
	page_event(p, node->r.kind, node->r.code);
	page_put(p, "</b> ");
	page_seq(p, node->r.seq);
	page_put(p, " ");
	if (node->r.generation != from->generation ||
	    (node->r.port != RDMAEV_NO_PORT && node->r.port != from->port)) {
		page_place(p, &node->r);
		page_put(p, " ");
	}
	put_detail(&t, &node->r);
	page_words(p, &t);
	if (node->rule)
		page_printf(p, " <i>(%s)</i>", node->rule->words);
}

static void write_below(const struct page *p, size_t root, size_t parent,
			unsigned int depth)
{
	const struct node *nodes = p->report->log->nodes;
	struct fold folds[FOLDS] = { 0 };
	char buf[64];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	size_t i;

	if (depth > DEPTH_MAX || nodes[parent].child == NONE)
		return;
	count_children(p->report->log, parent, folds);
	page_put(p, "\n<ul>\n");
	for (i = nodes[parent].child; i != NONE; i = nodes[i].sibling) {
		struct fold *fold = find_fold(folds, &nodes[i].r);
		/* One more line is no shorter than the record. */
		bool is_folded = fold && fold->total > SHOWN + 1 && ++fold->seen > SHOWN;

		if (is_folded && fold->seen == SHOWN + 1) {
			page_printf(p, "<li>%zu more: ", fold->total - SHOWN);
			page_event(p, fold->kind, fold->code);
			page_put(p, ", the last ");
			put_after(&t, &nodes[root].r, &nodes[fold->last].r);
			page_words(p, &t);
			t.len = 0;
			page_put(p, "</li>\n");
		}
		if (is_folded)
			continue;
		write_node(p, root, i);
		write_below(p, root, i, depth + 1);
		page_put(p, "</li>\n");
	}
	page_put(p, "</ul>\n");
}

static void write_incident_end(const struct page *p, const struct incident *incident)
{
	const struct node *nodes = p->report->log->nodes;
	struct victims victims = find_victims(p->report->log, incident->root);
	const struct rdmaev_record *r = &nodes[incident->root].r;
	const char *advice = incident_remedy(r);
	char buf[NAMES * (NAME_SIZE + 2) + 32];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	if (incident->end != NONE) {
		page_put(p, "<p>Over after ");
		page_duration(p, incident_ns(p->report->log, incident));
		page_put(p, ": ");
		page_event(p, nodes[incident->end].r.kind, nodes[incident->end].r.code);
		page_put(p, " ");
		page_seq(p, nodes[incident->end].r.seq);
		page_put(p, "</p>\n");
	}
	if (victims.count) {
		put_victims(&t, &victims);
		page_put(p, "<p>Hit: <b>");
		page_words(p, &t);
		page_put(p, "</b></p>\n");
	}
	if (advice) {
		page_put(p, "<p class=\"remedy\">Remedy: ");
		page_text(p, advice);
		page_put(p, "</p>\n");
	}
}

static void write_incident(const struct page *p, const struct incident *incident)
{
	const struct rdmaev_record *r = &p->report->log->nodes[incident->root].r;

	page_printf(p, "<article id=\"i%llu\" class=\"%s\">\n<h3>", (unsigned long long)r->seq,
		    page_class(incident->severity));
	page_place(p, r);
	page_put(p, " ");
	page_event(p, r->kind, r->code);
	page_put(p, " <small>");
	page_time(p, r);
	page_put(p, "</small></h3>\n");
	if (r->cause) {
		page_put(p, "<p>Follows from ");
		page_seq(p, r->cause);
		page_put(p, ", overwritten</p>\n");
	}
	page_put(p, "<ul>\n");
	write_node(p, incident->root, incident->root);
	write_below(p, incident->root, incident->root, 1);
	page_put(p, "</li>\n</ul>\n");
	write_incident_end(p, incident);
	page_put(p, "</article>\n");
}

static void write_incidents(const struct page *p)
{
	const struct report *report = p->report;
	size_t i;

	page_put(p, "<aside id=\"incidents\" aria-label=\"Incidents\">\n<h2>Incidents</h2>\n");
	if (!report->incidents_count)
		page_put(p, "<p>None.</p>\n");
	if (report->older_incidents)
		page_printf(p, "<p class=\"missing\">%zu older ones are not here: rdmaev why -n shows more.</p>\n",
			    report->older_incidents);
	for (i = 0; i < report->incidents_count; i++)
		write_incident(p, &report->incidents[i]);
	page_put(p, "</aside>\n");
}

static void write_row(const struct page *p, const struct rdmaev_record *r)
{
	char buf[4096];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	unsigned long long seq = r->seq;

	page_printf(p, "<tr id=\"r%llu\" class=\"%s\" data-t=\"%.3f\"><td><a href=\"#r%llu\">#%llu</a><td>",
		    seq, page_class(r->severity), axis_ms(p, r->boottime_ns), seq, seq);
	page_time(p, r);
	page_put(p, "<td>");
	page_place(p, r);
	page_put(p, "<td>");
	page_event(p, r->kind, r->code);
	page_put(p, "<td>");
	put_detail(&t, r);
	page_words(p, &t);
	page_put(p, "<td>");
	if (r->cause)
		page_seq(p, r->cause);
	page_put(p, "\n");
}

static void write_records(const struct page *p)
{
	size_t i;

	page_put(p, "<h2 id=\"records\">Records</h2>\n");
	if (!p->report->shown_count) {
		page_put(p, "<p>None.</p>\n");
		return;
	}
	page_put(p, "<table>\n<tr><th scope=\"col\">Record<th scope=\"col\">Time<th scope=\"col\">Port"
		 "<th scope=\"col\">Event<th scope=\"col\">What happened<th scope=\"col\">Cause\n");
	for (i = 0; i < p->report->log->count; i++)
		if (p->report->shown[i])
			write_row(p, &p->report->log->nodes[i].r);
	page_put(p, "</table>\n");
}

/* Length of the date that all times of the page have, with the blank after it */
static size_t find_date_len(const struct page *p)
{
	char first[64], last[64];
	struct text a = { .buf = first, .size = sizeof(first) };
	struct text b = { .buf = last, .size = sizeof(last) };
	size_t len;

	if (p->report->style & RDMAEV_STYLE_MONO)
		return 0;
	text_time(&a, page_realtime(p, p->report->begin_ns), 0, p->report->style);
	text_time(&b, page_realtime(p, p->report->end_ns), 0, p->report->style);
	text_end(&a);
	text_end(&b);
	len = strcspn(first, " ");
	return first[len] && !strncmp(first, last, len) ? len + 1 : 0;
}

int write_report(FILE *out, const struct report *report)
{
	struct page p = { .out = out, .report = report };

	p.date_len = find_date_len(&p);
	write_head(&p);
	write_numbers(&p);
	write_missing(&p);
	page_put(&p, "</header>\n<section id=\"chart\" aria-label=\"Chart\">\n");
	if (write_chart(&p) < 0)
		return -1;
	write_key(&p);
	page_put(&p, "</section>\n");
	write_incidents(&p);
	page_put(&p, "<main>\n");
	write_records(&p);
	page_put(&p, "</main>\n");
	page_printf(&p, "<script>%s</script>\n</body>\n</html>\n", script);
	if (fflush(out) || ferror(out)) {
		complain("out of memory");
		return -1;
	}
	return 0;
}
