/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the records of a device, by port, kind and code. Every record
 * passes here on its way from its source to the log.
 */
#ifndef RDMAEV_COUNT_H
#define RDMAEV_COUNT_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "log.h"

/* Counters of a port, in the order of kind and code */
#define RDMAEV_DEVICE_TALLIES		8
#define RDMAEV_PORT_TALLIES		16
#define RDMAEV_ASYNC_TALLIES		64
#define RDMAEV_WC_TALLIES		32
#define RDMAEV_COMPLETION_TALLIES	8
#define RDMAEV_TALLIES			128

/**
 * struct rdmaev_counts - counters of a device in one generation
 * @rcu: for freeing
 * @first_port: number of its first port
 * @rows: number of rows of RDMAEV_TALLIES counters: one for records about no
 *	port, then one for each port
 * @tally: all counters
 *
 * Belongs to a &struct rdmaev_dev, and is freed a grace period after its
 * removal from there. Event handlers need no RCU, as they end before; all
 * others use it under RCU.
 */
struct rdmaev_counts {
	struct rcu_head rcu;
	unsigned int first_port;
	unsigned int rows;
	struct rdmaev_tally tally[];
};

struct rdmaev_dev;

/**
 * struct rdmaev_tally_id - port, kind and code of a counter
 * @port: number of the port, 0: none
 * @kind: &enum rdmaev_kind
 * @code: code of that kind, or RDMAEV_CODE_OTHER for all codes without a
 *	counter of their own
 */
struct rdmaev_tally_id {
	u32 port;
	u16 kind;
	u16 code;
};

struct rdmaev_counts *rdmaev_counts_alloc(unsigned int first_port,
					  unsigned int nports);

u64 rdmaev_append(struct rdmaev_dev *dev, struct rdmaev_record *rec);
u64 rdmaev_append_of(struct rdmaev_record *rec);

typedef void (*rdmaev_tally_fn)(const struct rdmaev_tally_id *id,
				const struct rdmaev_tally *tally, void *data);

/*
 * Call @fn for each counter that is not zero, with @affiliated also for those
 * of affiliated events. Under RCU, or with devices_lock held.
 */
void rdmaev_counts_for_each(const struct rdmaev_counts *counts, bool affiliated,
			    rdmaev_tally_fn fn, void *data);

#endif /* RDMAEV_COUNT_H */
