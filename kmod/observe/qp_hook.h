/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests that move QPs, and their ends */
#ifndef OBSERVE_QP_HOOK_H
#define OBSERVE_QP_HOOK_H

#include <linux/types.h>

struct ib_qp;
struct ib_qp_attr;
struct ib_qp_init_attr;
struct ib_udata;

int observe_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		      struct ib_udata *udata);
int observe_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		     struct ib_qp_init_attr *init);
int observe_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
u64 observe_qps_missed(void);

#endif /* OBSERVE_QP_HOOK_H */
