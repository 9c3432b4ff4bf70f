/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What went wrong lately with CQs, SRQs and ports, as QPs fail because of it. */
#ifndef RDMAEV_CAUSE_H
#define RDMAEV_CAUSE_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

void rdmaev_cause_note(const struct rdmaev_record *rec);
void rdmaev_cause_note_port(const struct rdmaev_record *rec);
u64 rdmaev_cause_find(const struct rdmaev_record *rec, u64 since);
u64 rdmaev_cause_find_port(const struct rdmaev_record *rec, u64 max_ns);

#endif /* RDMAEV_CAUSE_H */
