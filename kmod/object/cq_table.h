/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The table of CQs */
#ifndef RDMAEV_CQ_TABLE_H
#define RDMAEV_CQ_TABLE_H

#include "cq.h"

bool rdmaev_cqs_is_empty(void);
int rdmaev_cqs_add(struct rdmaev_cq_state *cq);
bool rdmaev_cqs_add_observed(struct rdmaev_cq_state *cq);
bool rdmaev_cqs_end(struct rdmaev_cq_state *cq);
struct rdmaev_cq_state *rdmaev_cqs_end_observed(const struct ib_cq *ib_cq);
struct rdmaev_cq_state *rdmaev_cqs_end_next_observed(unsigned int *bucket,
						     u64 before_ns,
						     bool is_unowned);
void rdmaev_cqs_set_ids(void);
bool rdmaev_cqs_remove(struct rdmaev_cq_state *cq);
struct rdmaev_cq_state *rdmaev_cq_find(const struct ib_cq *ib_cq);

/**
 * struct rdmaev_cq_walk - a walk through the table
 * @last: id of the last CQ visited; 0: none
 * @newest: id of the newest CQ by then
 * @changes: how many CQs had been added and removed by then
 * @ret: what the function returned
 */
struct rdmaev_cq_walk {
	u64 last;
	u64 newest;
	u32 changes;
	int ret;
};

typedef int (*rdmaev_cq_fn)(struct rdmaev_cq_state *cq, void *data);

bool rdmaev_cqs_walk(struct rdmaev_cq_walk *walk, rdmaev_cq_fn fn, void *data);
int rdmaev_cqs_for_each(rdmaev_cq_fn fn, void *data);

/**
 * struct rdmaev_cq_sums - counters of CQs that are being summed up
 * @list: in the list of those, for CQs that are removed meanwhile
 * @walk: the walk, zero
 * @sums: sums by device
 * @count: number of devices
 */
struct rdmaev_cq_sums {
	struct list_head list;
	struct rdmaev_cq_walk walk;
	struct rdmaev_cq_stats *sums;
	u32 count;
};

void rdmaev_cqs_sum_up(void *data);

#endif /* RDMAEV_CQ_TABLE_H */
