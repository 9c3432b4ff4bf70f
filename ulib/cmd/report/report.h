/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The page of rdmaev report: HTML made of records and of a list of ports. Nothing
 * here reads the log, so that selftests/report can make pages of its own.
 */
#ifndef ULIB_REPORT_H
#define ULIB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rdmaev.h>

#include "incident/incident.h"
#include "option/when.h"

/**
 * struct report - contents of a page
 * @host: name of the host
 * @kernel: release of its kernel
 * @log: the log; trees and states of ports are made of all of its records
 * @shown: true for each record of @log that has a row on the page
 * @shown_count: number of them
 * @older: selected records that have none, as there are too many
 * @ports: ports that have a band, also those without a record, @ports_count of
 *	them
 * @incidents: incidents on the page, @incidents_count of them, in the order of
 *	the log
 * @older_incidents: others that are older
 * @now: when it was made
 * @begin_ns: CLOCK_BOOTTIME of the left end of the chart
 * @end_ns: CLOCK_BOOTTIME of the right end
 * @style: RDMAEV_STYLE_* of times
 */
struct report {
	const char *host;
	const char *kernel;
	const struct incident_log *log;
	bool *shown;
	size_t shown_count;
	size_t older;
	struct rdmaev_port *ports;
	size_t ports_count;
	struct incident *incidents;
	size_t incidents_count;
	size_t older_incidents;
	struct now now;
	uint64_t begin_ns;
	uint64_t end_ns;
	unsigned int style;
};

/* Incidents on a page; more of them are older ones */
#define REPORT_INCIDENTS	100

/*
 * Fill incidents, begin_ns (if it is 0) and end_ns (if it is 0) from the rest. 0,
 * or -1 after a message. Free it in either case.
 */
int prepare_report(struct report *report);
void free_report(struct report *report);

/* Write the page; 0, or -1 after a message. */
int write_report(FILE *out, const struct report *report);

#endif /* ULIB_REPORT_H */
