/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ends of QPs, and objects that could not be made */
#ifndef RDMAEV_QP_END_H
#define RDMAEV_QP_END_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_qp_end - a QP that its driver is asked to destroy
 * @flush: of rdmaev_cause_flush_begin()
 * @payer: likewise
 */
struct rdmaev_qp_end {
	struct rdmaev_record flush;
	u32 payer;
};

bool rdmaev_qp_may_ask(const struct ib_qp *qp, u32 max, int *seen);
u32 rdmaev_qp_query_asked(const struct ib_qp *qp);
void rdmaev_qp_query_answered(const struct ib_qp *qp, enum ib_qp_state state, u32 moves);
void rdmaev_qp_not_asked(const struct ib_qp *qp);
void rdmaev_qp_end_begin(struct rdmaev_qp_end *end, const struct ib_qp *qp, int state);
void rdmaev_qp_end(const struct rdmaev_qp_end *end, const struct ib_qp *qp, int result);
void rdmaev_create_failed(const struct ib_device *ib, enum rdmaev_object_type type,
			  int qp_type, const char *ulp, int result);
void rdmaev_create_refused(const struct ib_device *ib, unsigned int code, int result);

#endif /* RDMAEV_QP_END_H */
