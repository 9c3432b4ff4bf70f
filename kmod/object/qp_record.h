/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records of requests for QPs */
#ifndef RDMAEV_QP_RECORD_H
#define RDMAEV_QP_RECORD_H

#include <linux/types.h>

struct ib_qp;
struct rdmaev_dev;
struct qp_before;
struct rdmaev_record;

void rdmaev_qp_record_caller(struct rdmaev_record *rec, const char *caller);
u32 rdmaev_qp_record_begin(struct rdmaev_record *rec, unsigned int code,
			   const struct rdmaev_dev *dev, const struct ib_qp *qp,
			   const struct qp_before *before,
			   const char *caller);

#endif /* RDMAEV_QP_RECORD_H */
