/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The same asynchronous event again and again: one record for all that follow. */
#ifndef RDMAEV_BURST_H
#define RDMAEV_BURST_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct rdmaev_dev;

int rdmaev_burst_init(void);
void rdmaev_burst_exit(void);

u64 rdmaev_burst_append(struct rdmaev_dev *dev, struct rdmaev_record *rec);
void rdmaev_burst_end(u32 generation);

#endif /* RDMAEV_BURST_H */
