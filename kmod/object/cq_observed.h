/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CQs that the observer reports */
#ifndef RDMAEV_CQ_OBSERVED_H
#define RDMAEV_CQ_OBSERVED_H

#include <linux/types.h>

struct ib_cq;
struct ib_wc;

int rdmaev_cqs_observe_begin(void);
void rdmaev_cqs_observe_forget(bool is_unowned);
void rdmaev_cqs_observe_end(void);

/* What the module rdmaev_observe reports */
void rdmaev_observe_user_cq(const struct ib_cq *ib_cq);
void rdmaev_observe_schedule(const struct ib_cq *ib_cq);
void rdmaev_observe_poll(const struct ib_cq *ib_cq, const struct ib_wc *wc,
			 int n);
void rdmaev_observe_direct_poll(const struct ib_cq *ib_cq,
				const struct ib_wc *wc, int n);
void rdmaev_cq_not_observed(const struct ib_cq *ib_cq);

#endif /* RDMAEV_CQ_OBSERVED_H */
