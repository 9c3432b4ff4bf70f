/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer reports about requests to move QPs */
#ifndef RDMAEV_QP_REQUEST_H
#define RDMAEV_QP_REQUEST_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct ib_qp;
struct ib_qp_attr;

int rdmaev_qp_request_begin(u32 max);
void rdmaev_qp_request_end(int account);
void rdmaev_qp_moved(const struct ib_qp *qp, const struct ib_qp_attr *attr,
		     int attr_mask, int result, const char *caller);

/* States that a QP is moved to when it fails or ends; others are frequent. */
static inline bool rdmaev_qp_state_ends(unsigned int state)
{
	return state == RDMAEV_QP_ERR || state == RDMAEV_QP_SQE ||
	       state == RDMAEV_QP_SQD;
}

#endif /* RDMAEV_QP_REQUEST_H */
