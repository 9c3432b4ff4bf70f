/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lists of CQs, and of their sums by device, for readers */
#ifndef RDMAEV_CQ_LIST_H
#define RDMAEV_CQ_LIST_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "cq_table.h"

struct pid_namespace;
struct rdmaev_cred;
struct user_namespace;

struct rdmaev_cq_stats *rdmaev_cq_list(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 room,
				       u32 *written, u32 *count, u64 *seq);
struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq);

/**
 * struct rdmaev_cq_page - a page of a long list of CQs
 * @after: id of the last CQ before the page; on return of the last CQ visited
 * @until: id of the newest CQ when the first page was read
 * @seq: newest seq before the page was read
 * @changes: differs from that of another page if CQs were added or removed
 *	between, for a reader that may see all
 * @count: entries used
 * @only_count: leave @entries as they are
 * @entries: CQs
 */
struct rdmaev_cq_page {
	u64 after;
	u64 until;
	u64 seq;
	u32 changes;
	u32 count;
	bool only_count;
	struct rdmaev_cq_stats entries[RDMAEV_CQ_PAGE];
};

int rdmaev_cq_page(const struct rdmaev_cred *cred, u32 device,
		   struct rdmaev_cq_page *page);
void rdmaev_cq_translate(struct rdmaev_cq_stats *entries, u32 count,
			 struct pid_namespace *pids,
			 struct user_namespace *users);

#endif /* RDMAEV_CQ_LIST_H */
