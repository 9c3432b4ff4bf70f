/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The way of a record from its source, with its cause: failures of QPs, errors of CQs and
 * SRQs, ports that left ACTIVE.
 */
#ifndef RDMAEV_CAUSE_H
#define RDMAEV_CAUSE_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct ib_qp;
struct rdmaev_dev;

u64 rdmaev_record(struct rdmaev_dev *dev, struct rdmaev_record *rec, u32 payer);
u64 rdmaev_cause_of_port(const struct rdmaev_record *rec);
u64 rdmaev_cause_of_end(const struct rdmaev_record *rec);
u32 rdmaev_cause_flush_begin(struct rdmaev_record *rec, const struct ib_qp *qp);
void rdmaev_cause_flush(const struct rdmaev_record *rec, u32 payer);

#endif /* RDMAEV_CAUSE_H */
