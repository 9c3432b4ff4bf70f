/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How many outages a port had in the last hour */
#ifndef ULIB_OUTAGES_H
#define ULIB_OUTAGES_H

#include <stdint.h>

/**
 * struct outages_known - what the module and the log have about outages of a port
 * @total: outages since its device was added: a counter
 * @kept: those of which the log has the record
 * @recent: those of them since @hour_ns
 * @added_ns: CLOCK_BOOTTIME when its device was added
 * @changed_ns: CLOCK_BOOTTIME of its newest change of state, also if the log does not
 *	have that record any more; 0: there was none
 * @kept_ns: CLOCK_BOOTTIME from which on the log has all records of ports
 * @hour_ns: CLOCK_BOOTTIME when the last hour began
 */
struct outages_known {
	uint64_t total;
	uint64_t kept;
	uint64_t recent;
	uint64_t added_ns;
	uint64_t changed_ns;
	uint64_t kept_ns;
	uint64_t hour_ns;
};

/**
 * struct outages - outages of a port in the last hour
 * @least: at least so many
 * @most: at most so many; not @least if records of that hour were overwritten
 */
struct outages {
	uint64_t least;
	uint64_t most;
};

struct outages recent_outages(const struct outages_known *known);

#endif /* ULIB_OUTAGES_H */
