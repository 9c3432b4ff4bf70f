/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Notification records */
#ifndef RDMAEV_CQ_NOTIFY_H
#define RDMAEV_CQ_NOTIFY_H

#include <linux/types.h>

struct rdmaev_cq_state;
struct rdmaev_cred;

void rdmaev_notify_init(struct rdmaev_cq_state *cq);
void rdmaev_notify_count(struct rdmaev_cq_state *cq);
void rdmaev_notify_end(struct rdmaev_cq_state *cq);
int rdmaev_notify_set(const struct rdmaev_cred *cred, void *owner,
		      u32 device, u32 number, u32 every, u32 delay_us);
void rdmaev_notify_release(const struct rdmaev_cred *cred, void *owner);

#endif /* RDMAEV_CQ_NOTIFY_H */
