/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Table, counters and lists of CQs */
#ifndef RDMAEV_CQ_TABLE_H
#define RDMAEV_CQ_TABLE_H

#include "cq.h"

struct pid_namespace;
struct rdmaev_cred;
struct user_namespace;

bool rdmaev_cqs_is_empty(void);
int rdmaev_cqs_add(struct rdmaev_cq_state *cq);
bool rdmaev_cqs_add_observed(struct rdmaev_cq_state *cq);
bool rdmaev_cqs_end(struct rdmaev_cq_state *cq);
struct rdmaev_cq_state *rdmaev_cqs_end_observed(const struct ib_cq *ib_cq);
struct rdmaev_cq_state *rdmaev_cqs_end_next_observed(unsigned int *bucket,
						     u64 before_ns,
						     bool is_unowned);
void rdmaev_cqs_settle(void);
void rdmaev_cqs_remove(struct rdmaev_cq_state *cq);
struct rdmaev_cq_state *rdmaev_cq_find(const struct ib_cq *ib_cq);
u32 rdmaev_cq_generation(struct rdmaev_cq_state *cq);
void rdmaev_cq_set_number(struct rdmaev_cq_state *cq,
			  const struct ib_cq *ib_cq);
void rdmaev_cq_sum(const struct rdmaev_cq_state *cq,
		   struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_successes(const struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_failures(const struct rdmaev_cq_state *cq);
u64 rdmaev_cq_append(struct rdmaev_cq_state *cq, u16 code, u32 count, u64 cause,
		     struct rdmaev_completion_body *body);
struct rdmaev_cq_stats *rdmaev_cq_list(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 room,
				       u32 *written, u32 *count, u64 *seq);
struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq);

#define RDMAEV_CQ_PAGE	32

/**
 * struct rdmaev_cq_page - a page of a long list of CQs
 * @after: id of the last CQ before the page; on return of the last CQ visited
 * @seq: newest seq before the page was read
 * @changes: differs from that of another page if CQs were added or removed
 *	between, for a reader that may see all
 * @count: entries used
 * @entries: CQs
 */
struct rdmaev_cq_page {
	u64 after;
	u64 seq;
	u32 changes;
	u32 count;
	struct rdmaev_cq_stats entries[RDMAEV_CQ_PAGE];
};

void rdmaev_cq_translate(struct rdmaev_cq_stats *entries, u32 count,
			 struct pid_namespace *pids,
			 struct user_namespace *users);
bool rdmaev_cq_page(const struct rdmaev_cred *cred, u32 device,
		    struct rdmaev_cq_page *page);

/*
 * Call @fn for each CQ with the table's lock held; stop when it returns other
 * than 0. The lock is dropped now and then between calls.
 */
int rdmaev_cqs_for_each(int (*fn)(struct rdmaev_cq_state *cq, void *data),
			void *data);

#endif /* RDMAEV_CQ_TABLE_H */
