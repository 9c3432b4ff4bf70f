/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* States and outages of a port over time, as its records tell them */
#ifndef ULIB_PORT_BANDS_H
#define ULIB_PORT_BANDS_H

#include "chart_rows.h"

/**
 * struct port_span - a time in which a port was in one state
 * @from_ns: CLOCK_BOOTTIME of its beginning
 * @to_ns: and of its end
 * @state: enum rdmaev_port_state; RDMAEV_STATE_NOP: unknown
 * @seq: record that began it, 0: none
 */
struct port_span {
	uint64_t from_ns;
	uint64_t to_ns;
	unsigned int state;
	uint64_t seq;
};

/**
 * struct port_outage - a time in which a port was not ACTIVE
 * @from_ns: CLOCK_BOOTTIME of its beginning
 * @to_ns: and of its end, or of the end of the page
 * @seq: first record about it, 0: none
 * @count: outages that it stands for, if no query saw them, else 1
 * @is_over: it has ended
 * @is_long: there is a record that it is longer than outage_ms
 */
struct port_outage {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t seq;
	uint32_t count;
	bool is_over;
	bool is_long;
};

/**
 * struct port_bands - a port over time
 * @spans: one after the other, without a gap, @spans_count of them
 * @outages: in the order of their beginning, @outages_count of them
 * @is_full: out of memory
 */
struct port_bands {
	struct port_span *spans;
	size_t spans_count;
	struct port_outage *outages;
	size_t outages_count;
	bool is_full;
};

/* The port of a line. Free the result. */
struct port_bands find_bands(const struct report *report, const struct chart_rows *rows,
			     const struct port_row *row);
void free_bands(struct port_bands *bands);

#endif /* ULIB_PORT_BANDS_H */
