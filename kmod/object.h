/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_OBJECT_H
#define RDMAEV_OBJECT_H

#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

const struct rdma_restrack_entry *
rdmaev_describe_qp(struct rdmaev_record *rec, const struct ib_qp *qp);
const struct rdma_restrack_entry *
rdmaev_describe(struct rdmaev_record *rec, const struct ib_event *event,
		enum rdmaev_object_type type, const struct ib_device **ib);
void rdmaev_name_owner(struct rdmaev_record *rec,
		       const struct rdma_restrack_entry *res);

#endif /* RDMAEV_OBJECT_H */
