/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects that could not be made */
#ifndef OBSERVE_CREATE_HOOK_H
#define OBSERVE_CREATE_HOOK_H

#include "compat.h"

struct ib_cq;
struct ib_cq_init_attr;
struct ib_pd;
struct ib_qp;
struct ib_qp_init_attr;
struct ib_srq;
struct ib_srq_init_attr;
struct ib_udata;

/* Up to Linux 5.14 the driver makes the QP. */
#ifdef HAVE_IB_QP_SIZE
int observe_driver_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			     struct ib_udata *udata);
#else
struct ib_qp *observe_driver_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr,
				       struct ib_udata *udata);
#endif
int observe_driver_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			     struct rdmaev_create_cq_data *data);
#ifdef HAVE_CREATE_USER_CQ
int observe_driver_create_user_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
				  struct rdmaev_create_cq_data *data);
#endif
int observe_driver_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
			      struct ib_udata *udata);

#endif /* OBSERVE_CREATE_HOOK_H */
