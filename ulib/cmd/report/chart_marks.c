// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Marks on a line of the chart. Records that are too close to each other share one; it
 * also says which they are, so that report.js can take them apart.
 */
#include "axis.h"
#include "chart_marks.h"

/* Half units: marks that are closer are one. */
static long chart_bucket(const struct page *p, size_t i)
{
	return (long)(2 * axis_at(p, p->report->log->nodes[i].r.boottime_ns));
}

/* From record @first to record @last, those of the severity of the first one, without it */
static void write_more(const struct page *p, size_t first, size_t last, const uint32_t *next)
{
	const struct node *nodes = p->report->log->nodes;
	const char *before = " data-more=\"";
	size_t i = first;

	while (i != last) {
		i = next[i];
		if (nodes[i].r.severity != nodes[first].r.severity)
			continue;
		page_printf(p, "%s%llu", before, (unsigned long long)nodes[i].r.seq);
		before = " ";
	}
	page_put(p, "\"");
}

/* One mark for @n records from record @first to record @last of the log */
static void write_mark(const struct page *p, size_t first, size_t last, size_t n,
		       const uint32_t *next, unsigned int y)
{
	const struct node *nodes = p->report->log->nodes;
	const struct rdmaev_record *r = &nodes[first].r;
	double x = axis_at(p, r->boottime_ns);

	page_printf(p, "<a href=\"#r%llu\"", (unsigned long long)r->seq);
	if (n > 1)
		write_more(p, first, last, next);
	page_put(p, "><title>");
	page_time(p, r);
	page_put(p, " ");
	page_event(p, r->kind, r->code);
	if (n > 1)
		page_printf(p, " and %zu more", n - 1);
	page_printf(p, ", #%llu", (unsigned long long)r->seq);
	if (n > 1)
		page_printf(p, " to #%llu", (unsigned long long)nodes[last].r.seq);
	if (r->severity == RDMAEV_SEVERITY_ERROR)
		page_printf(p, "</title><path d=\"M%.1f %ul4 9h-8z\"/></a>\n", x, y);
	else
		page_printf(p, "</title><path d=\"M%.1f %ul4 5-4 5-4-5z\"/></a>\n", x, y);
}

/* The marks of a line, of this severity */
static void write_marks(const struct page *p, const struct row_records *records,
			const uint32_t *next, unsigned int severity, unsigned int y)
{
	const struct node *nodes = p->report->log->nodes;
	size_t first = NONE, last = NONE, n = 0, i;

	page_printf(p, "<g class=\"marks %s\">\n", page_class(severity));
	for (i = records->first; i != NONE; i = next[i]) {
		if (nodes[i].r.severity != severity)
			continue;
		if (n && chart_bucket(p, i) != chart_bucket(p, first)) {
			write_mark(p, first, last, n, next, y);
			n = 0;
		}
		if (!n)
			first = i;
		last = i;
		n++;
	}
	if (n)
		write_mark(p, first, last, n, next, y);
	page_put(p, "</g>\n");
}

void write_all_marks(const struct page *p, const struct row_records *records,
		     const uint32_t *next, unsigned int y)
{
	write_marks(p, records, next, RDMAEV_SEVERITY_WARNING, y);
	write_marks(p, records, next, RDMAEV_SEVERITY_ERROR, y);
}
