/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the log has about ports: the last error, who had errors, recent outages */
#ifndef ULIB_HISTORY_H
#define ULIB_HISTORY_H

#include "outages.h"
#include "snapshot.h"

/* Names of owners that are kept */
#define OWNERS		3
#define OWNER_SIZE	80

/* How far back outages count as recent */
#define RECENT_NS	3600000000000ULL

/**
 * struct history - what the log has about a port
 * @last_error: the newest record with severity error; seq 0: none
 * @owners: owners of the QPs and connections of such records, the last
 *	@owners_count different ones, the newest first
 * @owners_count: number of @owners
 * @last_owned: the newest record of the first of them; seq 0: there is none
 * @connection_ns: CLOCK_BOOTTIME of the newest connection that failed, on this port or
 *	before it was bound to a device; 0: none has
 * @known: what @recent is computed from
 * @recent: outages in the last hour
 */
struct history {
	struct rdmaev_record last_error;
	char owners[OWNERS][OWNER_SIZE];
	size_t owners_count;
	struct rdmaev_record last_owned;
	uint64_t connection_ns;
	struct outages_known known;
	struct outages recent;
};

/*
 * Read the log up to the time of the snapshot: an array with the history of each
 * port. A record about a device counts for each of its ports. The caller frees;
 * NULL after a message. Changes filter and position of @h.
 */
struct history *read_history(struct rdmaev *h, const struct snapshot *s);

#endif /* ULIB_HISTORY_H */
