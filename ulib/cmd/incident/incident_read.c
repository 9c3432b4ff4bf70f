// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read the log, and join its records. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "incident_read.h"
#include "output/open.h"
#include "state/snapshot.h"

#define BATCH	256

/* Read the newest records, up to @newest. */
static int read_records(struct rdmaev *h, struct incident_log *log, uint64_t newest)
{
	struct rdmaev_record records[BATCH];
	size_t room = 0;
	ssize_t n;

	if (rdmaev_seek(h, -(int64_t)INCIDENT_RECORDS, SEEK_END) < 0) {
		complain("cannot read the log: %s", reader_error());
		return -1;
	}
	for (;;) {
		do
			n = rdmaev_read(h, records, BATCH);
		while (n < 0 && errno == EINTR);
		if (n <= 0 && recorded_all(errno))
			return 0;
		if (n <= 0) {
			complain("cannot read the log: %s", reader_error());
			return -1;
		}
		if (add_records(log, &room, records, (size_t)n) < 0) {
			complain("out of memory");
			return -1;
		}
		if (records[n - 1].seq >= newest)
			return 0;
	}
}

int read_incidents(struct rdmaev *h, struct incident_log *log)
{
	struct snapshot snapshot = { .devices = NULL };
	struct rdmaev_info info;

	memset(log, 0, sizeof(*log));
	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	log->instance = info.instance;
	if (take_snapshot(h, &snapshot, true, false) < 0)
		return -1;
	log->devices = snapshot.devices;
	log->devices_count = snapshot.devices_count;
	log->ports = snapshot.ports;
	log->ports_count = snapshot.ports_count;
	if (!info.newest_seq)
		return 0;
	if (read_records(h, log, info.newest_seq) < 0)
		return -1;
	if (join_records(log) < 0) {
		complain("out of memory");
		return -1;
	}
	return 0;
}

int read_lost(struct rdmaev *h, uint64_t now, struct lost_list *lost)
{
	struct rdmaev_filter filter;

	*lost = (struct lost_list){ .now = now };
	rdmaev_filter_init(&filter);
	if (rdmaev_set_filter(h, &filter) < 0) {
		complain("cannot read the log: %s", reader_error());
		return -1;
	}
	if (read_incidents(h, &lost->log) < 0)
		return -1;
	if (list_lost(lost) < 0) {
		complain("out of memory");
		return -1;
	}
	return 0;
}
