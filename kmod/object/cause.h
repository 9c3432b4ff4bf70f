/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Causes of records: failures of QPs, errors of CQs and SRQs, ports that left
 * ACTIVE.
 */
#ifndef RDMAEV_CAUSE_H
#define RDMAEV_CAUSE_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct ib_qp;

/* Events */
void rdmaev_cause_note(const struct rdmaev_record *rec, u32 payer);
void rdmaev_cause_note_port(const struct rdmaev_record *rec);
void rdmaev_cause_note_failure(const struct rdmaev_record *rec, u32 payer);
void rdmaev_cause_note_cm(const struct rdmaev_record *rec, u32 payer);
void rdmaev_cause_note_move(const struct rdmaev_record *rec, u32 payer);
u64 rdmaev_cause_find(const struct rdmaev_record *rec);
u64 rdmaev_cause_find_failure(const struct rdmaev_record *rec);
u64 rdmaev_cause_of_port(const struct rdmaev_record *rec);
u64 rdmaev_cause_of_move(const struct rdmaev_record *rec);
u32 rdmaev_cause_flush_begin(struct rdmaev_record *rec, const struct ib_qp *qp);
void rdmaev_cause_flush(const struct rdmaev_record *rec, u32 payer);

#endif /* RDMAEV_CAUSE_H */
