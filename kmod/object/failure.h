/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Failed completions of QPs */
#ifndef RDMAEV_FAILURE_H
#define RDMAEV_FAILURE_H

#include <linux/list.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

void rdmaev_cause_wc(struct rdmaev_record *rec, struct list_head *of_cq);
bool rdmaev_cause_count_flush(u32 device, u32 generation, u8 object_type,
			      u32 object);
void rdmaev_cause_end_cq(struct list_head *of_cq);

#endif /* RDMAEV_FAILURE_H */
