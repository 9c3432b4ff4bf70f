/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Marks on a line of the chart: warnings, and errors above them */
#ifndef ULIB_CHART_MARKS_H
#define ULIB_CHART_MARKS_H

#include "chart_rows.h"
#include "page.h"

/* @next: which record follows which; @y: top of the marks */
void write_all_marks(const struct page *p, const struct row_records *records,
		     const uint32_t *next, unsigned int y);

#endif /* ULIB_CHART_MARKS_H */
