/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Connections that their owners try to have again, for status */
#ifndef ULIB_INCIDENT_LOST_H
#define ULIB_INCIDENT_LOST_H

#include <rdmaev.h>

#include "incident.h"

/*
 * An owner whose last attempt failed longer ago does not try any more, as far as the log
 * shows: an attempt may take more than a minute until it fails.
 */
#define TRYING_NS	120000000000ULL

/**
 * struct lost_list - connections that are lost
 * @log: the log as trees
 * @list: records of their end, or of the first attempt that failed, @count of them
 * @now: CLOCK_BOOTTIME at which they are lost
 */
struct lost_list {
	struct incident_log log;
	size_t *list;
	size_t count;
	uint64_t now;
};

/* List those of the log, whose records were joined. 0, or -1 if memory is short. */
int list_lost(struct lost_list *lost);
/* Free it, whether reading has failed or not. */
void free_lost(struct lost_list *lost);

/* Was the connection one of this port? */
bool is_lost_on(const struct lost_list *lost, size_t item, const struct rdmaev_port *port);

/* "NAME" or "NAME[PID]" of its owner */
void put_lost_owner(struct text *t, const struct lost_list *lost, size_t item);
/*
 * "nvme_rdma is not connected to 10.9.0.1:4420 for 32s: 3 attempts have failed, the last
 * 2s ago (CM_REJECTED)"
 */
void put_lost(struct text *t, const struct lost_list *lost, size_t item);
void json_lost(struct text *t, const struct lost_list *lost, size_t item);

#endif /* ULIB_INCIDENT_LOST_H */
