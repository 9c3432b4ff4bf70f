/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The chart of a report: time from left to right, a line for all that can fail */
#ifndef ULIB_CHART_H
#define ULIB_CHART_H

#include "page.h"

/* Write it as SVG; 0, or -1 after a message. */
int write_chart(const struct page *p);

#endif /* ULIB_CHART_H */
