/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers by the binary logarithm of a time */
#ifndef ULIB_HISTOGRAM_H
#define ULIB_HISTOGRAM_H

#include <rdmaev.h>

#include "output.h"

#define HISTOGRAM_BUCKETS	32

/*
 * An empty line, @title, and a line with a bar for each number from the first to the last that is
 * not 0; nothing if all are. Number n counts times from 2^n of @unit_ns on, [0] shorter ones, too.
 */
enum output print_histogram(const char *title, const __u64 counts[HISTOGRAM_BUCKETS],
			    uint64_t unit_ns);

/* [0,3,..] */
void json_histogram(struct text *t, const __u64 counts[HISTOGRAM_BUCKETS]);

#endif /* ULIB_HISTOGRAM_H */
