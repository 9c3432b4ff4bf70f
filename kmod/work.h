/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_WORK_H
#define RDMAEV_WORK_H

struct workqueue_struct;

/*
 * rdmaev_query_wq: port queries, which call the driver and may take long.
 * rdmaev_user_wq: wakes tasks of users, who may have very many.
 * rdmaev_walk_wq: walks through tables for users.
 * rdmaev_wq: all other work. A ULP that destroys a CQ waits for some of it, and may do that
 * to write back memory.
 */
extern struct workqueue_struct *rdmaev_query_wq;
extern struct workqueue_struct *rdmaev_user_wq;
extern struct workqueue_struct *rdmaev_walk_wq;
extern struct workqueue_struct *rdmaev_wq;

int rdmaev_work_init(void);
void rdmaev_work_exit(void);

#endif /* RDMAEV_WORK_H */
