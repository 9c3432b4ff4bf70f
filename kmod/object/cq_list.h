/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lists of CQs, and of their sums by device, for readers */
#ifndef RDMAEV_CQ_LIST_H
#define RDMAEV_CQ_LIST_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "list_page.h"

struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq);

/* Of &struct rdmaev_cq_stats: CQs of ULPs, and observed ones */
extern const struct rdmaev_page_ops rdmaev_cq_pages;

#endif /* RDMAEV_CQ_LIST_H */
