/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the records of a device, by port, kind and code. Every record
 * passes here on its way from its source to the log.
 */
#ifndef RDMAEV_COUNT_H
#define RDMAEV_COUNT_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "log/log.h"

/* Counters of a port, in the order of kind and code */
#define RDMAEV_COUNT_DEVICE		8
#define RDMAEV_COUNT_PORT		16
#define RDMAEV_COUNT_ASYNC		64
#define RDMAEV_COUNT_WC			32
#define RDMAEV_COUNT_COMPLETION		8
#define RDMAEV_COUNT_QP			48
#define RDMAEV_COUNT_CM			32
#define RDMAEV_COUNT_NOTE		8
#define RDMAEV_COUNT_PROBE		8
#define RDMAEV_COUNT_ALL		224

/* What may be counted without a record */
#define RDMAEV_COUNT_UNRECORDED						\
	(RDMAEV_COUNT_ASYNC + RDMAEV_COUNT_QP + RDMAEV_COUNT_CM +	\
	 RDMAEV_COUNT_NOTE)

/**
 * struct rdmaev_counts_row - counters of a port
 * @counter: records
 * @unrecorded: what was counted without a record, in addition to that; without
 *	the log's lock, which costs more than all the rest
 */
struct rdmaev_counts_row {
	struct rdmaev_log_counter counter[RDMAEV_COUNT_ALL];
	atomic64_t unrecorded[RDMAEV_COUNT_UNRECORDED];
};

/**
 * struct rdmaev_counts - counters of a device in one generation
 * @rcu: for freeing
 * @first_port: number of its first port
 * @rows: number of rows
 * @row: counters: of records about no port, then of each port
 *
 * Belongs to a &struct rdmaev_dev, and is freed a grace period after its
 * removal from there. Event handlers need no RCU, as they end before; all
 * others use it under RCU.
 */
struct rdmaev_counts {
	struct rcu_head rcu;
	unsigned int first_port;
	unsigned int rows;
	struct rdmaev_counts_row row[];
};

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

u64 rdmaev_append(struct rdmaev_dev *dev, struct rdmaev_record *rec);
u64 rdmaev_append_of(struct rdmaev_record *rec);
void rdmaev_count(struct rdmaev_dev *dev, u32 port, unsigned int kind,
		  unsigned int code);

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
