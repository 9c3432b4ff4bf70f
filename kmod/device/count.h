/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the records of a device, by port, kind and code. Every record
 * passes here on its way from its source to the log.
 */
#ifndef RDMAEV_COUNT_H
#define RDMAEV_COUNT_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "log/log.h"

struct rdmaev_counts;
struct rdmaev_dev;

/**
 * struct rdmaev_counter_id - port, kind and code of a counter
 * @port: number of the port, 0: none
 * @kind: &enum rdmaev_kind
 * @code: code of that kind, or RDMAEV_CODE_OTHER for all codes without a
 *	counter of their own
 */
struct rdmaev_counter_id {
	u32 port;
	u16 kind;
	u16 code;
};

struct rdmaev_counts *rdmaev_counts_alloc(unsigned int first_port,
					  unsigned int nports);
void rdmaev_counts_free(struct rdmaev_counts *counts);

u64 rdmaev_append(struct rdmaev_dev *dev, struct rdmaev_record *rec);
void rdmaev_count(struct rdmaev_dev *dev, u32 port, unsigned int kind,
		  unsigned int code);

void rdmaev_count_connecting(struct rdmaev_dev *dev, u64 ns);

typedef void (*rdmaev_counter_fn)(const struct rdmaev_counter_id *id,
				  const struct rdmaev_log_counter *counter,
				  void *data);

/*
 * Call @fn for each counter that is not zero, with @affiliated also for those
 * of affiliated events. Under RCU, or with devices_lock held.
 */
void rdmaev_counts_for_each(const struct rdmaev_counts *counts, bool affiliated,
			    rdmaev_counter_fn fn, void *data);

#endif /* RDMAEV_COUNT_H */
