/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Who made an object of a process */
#ifndef RDMAEV_OWNER_H
#define RDMAEV_OWNER_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct rdma_restrack_entry;
struct rdmaev_owner;

int rdmaev_owners_observe_begin(void);
u32 rdmaev_record_find_owner(struct rdmaev_record *rec,
			     const struct rdma_restrack_entry *res);
bool rdmaev_owner_find(struct rdmaev_owner *owner,
		       const struct rdma_restrack_entry *res);
bool rdmaev_owner_find_locked(struct rdmaev_owner *owner,
			      const struct rdma_restrack_entry *res);

/* What the module rdmaev_observe reports */
void rdmaev_owner_begin(const struct rdma_restrack_entry *res);
void rdmaev_owner_exists(const struct rdma_restrack_entry *res);
void rdmaev_owner_end(const struct rdma_restrack_entry *res);

#endif /* RDMAEV_OWNER_H */
