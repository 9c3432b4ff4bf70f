/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* When the observer did not observe, as its records tell */
#ifndef ULIB_BLINDNESS_H
#define ULIB_BLINDNESS_H

#include "report.h"

/**
 * struct blindness - a time in which nothing, or not all, was observed
 * @from_ns: CLOCK_BOOTTIME of its beginning
 * @to_ns: and of its end, or of the end of the page
 * @seq: record of it
 * @is_off: the module was not loaded
 */
struct blindness {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t seq;
	bool is_off;
};

/* True if the record of number @i of the log begins one, which is filled in. */
bool find_blindness(const struct report *report, size_t i, struct blindness *blindness);

#endif /* ULIB_BLINDNESS_H */
