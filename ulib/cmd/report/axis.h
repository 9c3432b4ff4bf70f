/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The time axis of the chart */
#ifndef ULIB_AXIS_H
#define ULIB_AXIS_H

#include "page.h"

/* Of the chart, in units of its SVG: names on the left, times on the right */
#define CHART_WIDTH	900
#define CHART_LEFT	190
#define CHART_RIGHT	890

/* A width of text of the chart's smaller size, which is an estimate */
#define CHART_LETTER	7.2

/* What is short must be seen, too. */
#define CHART_LEAST	2.0

/* Where a time is; times outside are at the ends. */
double axis_at(const struct page *p, uint64_t boottime_ns);

/* Milliseconds from the beginning of the axis, for the script that zooms it */
double axis_ms(const struct page *p, uint64_t boottime_ns);

/* Lines from @top to @bottom, with their times above */
void write_axis(const struct page *p, unsigned int top, unsigned int bottom);

#endif /* ULIB_AXIS_H */
