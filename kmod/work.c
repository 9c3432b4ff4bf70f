// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The module's workqueues */
#include <linux/workqueue.h>

#include "work.h"

struct workqueue_struct *rdmaev_wq;
struct workqueue_struct *rdmaev_query_wq;
struct workqueue_struct *rdmaev_user_wq;

/** rdmaev_work_init - allocate the workqueues; 0 or -ENOMEM */
int rdmaev_work_init(void)
{
	rdmaev_wq = alloc_workqueue("rdmaev", WQ_UNBOUND, 0);
	if (!rdmaev_wq)
		return -ENOMEM;
	rdmaev_query_wq = alloc_workqueue("rdmaev_query", WQ_UNBOUND, 0);
	if (!rdmaev_query_wq)
		goto err_wq;
	rdmaev_user_wq = alloc_workqueue("rdmaev_user", WQ_UNBOUND, 0);
	if (!rdmaev_user_wq)
		goto err_query_wq;
	return 0;

err_query_wq:
	destroy_workqueue(rdmaev_query_wq);
err_wq:
	destroy_workqueue(rdmaev_wq);
	return -ENOMEM;
}

/** rdmaev_work_exit - free the workqueues; no work is queued any more */
void rdmaev_work_exit(void)
{
	destroy_workqueue(rdmaev_user_wq);
	destroy_workqueue(rdmaev_query_wq);
	destroy_workqueue(rdmaev_wq);
}
