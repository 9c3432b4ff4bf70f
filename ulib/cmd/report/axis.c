// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The time axis of the chart. */
#include <stdlib.h>
#include <time.h>

#include "axis.h"

#define MS		1000000ULL
#define SECOND		1000000000ULL
#define MINUTE		(60 * SECOND)
#define HOUR		(60 * MINUTE)
#define DAY		(24 * HOUR)

/* Lines at most */
#define TICKS		9

static const uint64_t steps[] = {
	MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS, 200 * MS, 500 * MS,
	SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
	MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
	HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
	DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY,
};

double axis_at(const struct page *p, uint64_t boottime_ns)
{
	uint64_t begin = p->report->begin_ns, end = p->report->end_ns;

	if (boottime_ns <= begin)
		return CHART_LEFT;
	if (boottime_ns >= end)
		return CHART_RIGHT;
	return CHART_LEFT + (double)(boottime_ns - begin) / (double)(end - begin) *
			    (CHART_RIGHT - CHART_LEFT);
}

double axis_ms(const struct page *p, uint64_t boottime_ns)
{
	return (double)(int64_t)(boottime_ns - p->report->begin_ns) / MS;
}

static uint64_t choose_step(uint64_t span)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(steps) - 1 && span / steps[i] >= TICKS)
		i++;
	return steps[i];
}

/* Nanoseconds from CLOCK_BOOTTIME to the clock that the page shows */
static int64_t clock_offset(const struct page *p)
{
	uint64_t now = page_realtime(p, p->report->end_ns);
	time_t seconds = (time_t)(now / SECOND);
	struct tm tm = { .tm_gmtoff = 0 };

	if (p->report->style & RDMAEV_STYLE_MONO)
		return 0;
	if (!(p->report->style & RDMAEV_STYLE_UTC))
		localtime_r(&seconds, &tm);
	return (int64_t)(now - p->report->end_ns) + tm.tm_gmtoff * (int64_t)SECOND;
}

/* @clock_ns: on that clock */
static void write_label(const struct page *p, uint64_t clock_ns, uint64_t step)
{
	time_t seconds = (time_t)(clock_ns / SECOND);
	unsigned int ms = (unsigned int)(clock_ns / MS % 1000);
	char label[32] = "";
	struct tm tm;

	if (p->report->style & RDMAEV_STYLE_MONO) {
		page_printf(p, "%llu.%03us", (unsigned long long)seconds, ms);
		return;
	}
	gmtime_r(&seconds, &tm);
	strftime(label, sizeof(label), step >= DAY ? "%m-%d" :
		 step >= MINUTE ? "%H:%M" : "%H:%M:%S", &tm);
	page_text(p, label);
	if (step < SECOND)
		page_printf(p, ".%03u", ms);
}

/* What report.js needs to draw another axis; times are milliseconds */
static void write_data(const struct page *p, int64_t offset)
{
	uint64_t begin = p->report->begin_ns, end = p->report->end_ns;
	size_t i;

	page_printf(p, " data-left=\"%d\" data-right=\"%d\" data-least=\"%.0f\" data-letter=\"%.1f\"",
		    CHART_LEFT, CHART_RIGHT, CHART_LEAST, CHART_LETTER);
	page_printf(p, " data-begin=\"%.3f\" data-span=\"%.3f\"%s",
		    (double)((int64_t)begin + offset) / MS, axis_ms(p, end),
		    p->report->style & RDMAEV_STYLE_MONO ? " data-mono=\"\"" : "");
	page_printf(p, " data-ticks=\"%d\" data-steps=\"", TICKS);
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		page_printf(p, "%s%llu", i ? " " : "", (unsigned long long)(steps[i] / MS));
	page_put(p, "\"");
}

void write_axis(const struct page *p, unsigned int top, unsigned int bottom)
{
	uint64_t begin = p->report->begin_ns, end = p->report->end_ns;
	uint64_t step = choose_step(end - begin);
	int64_t offset = clock_offset(p);
	uint64_t at = begin + (uint64_t)offset;

	page_put(p, "<g class=\"axis\"");
	write_data(p, offset);
	page_put(p, ">\n");
	for (at += step - 1 - (at - 1) % step; at <= end + (uint64_t)offset; at += step) {
		double x = axis_at(p, at - (uint64_t)offset);

		page_printf(p, "<path d=\"M%.1f %uV%u\"/><text%s x=\"%.1f\" y=\"%u\">", x,
			    top, bottom, x > CHART_RIGHT - 20 ? " class=\"end\"" : "",
			    x, top - 5);
		write_label(p, at, step);
		page_put(p, "</text>\n");
	}
	page_put(p, "</g>\n");
}
