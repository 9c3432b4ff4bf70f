// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The module's workqueues */
#include <linux/kernel.h>
#include <linux/workqueue.h>

#include "work.h"

struct workqueue_struct *rdmaev_wq;
struct workqueue_struct *rdmaev_query_wq;
struct workqueue_struct *rdmaev_user_wq;
struct workqueue_struct *rdmaev_walk_wq;

static const struct {
	struct workqueue_struct **wq;
	const char *name;
	unsigned int flags;
} queues[] = {
	{ &rdmaev_wq, "rdmaev", WQ_MEM_RECLAIM },
	{ &rdmaev_query_wq, "rdmaev_query" },
	{ &rdmaev_user_wq, "rdmaev_user" },
	{ &rdmaev_walk_wq, "rdmaev_walk" },
};

/** rdmaev_work_init - allocate the workqueues; 0 or -ENOMEM */
int rdmaev_work_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		*queues[i].wq = alloc_workqueue("%s", WQ_UNBOUND | queues[i].flags, 0,
						queues[i].name);
		if (!*queues[i].wq)
			goto err;
	}
	return 0;

err:
	while (i--)
		destroy_workqueue(*queues[i].wq);
	return -ENOMEM;
}

/** rdmaev_work_exit - free the workqueues; no work is queued any more */
void rdmaev_work_exit(void)
{
	unsigned int i = ARRAY_SIZE(queues);

	while (i--)
		destroy_workqueue(*queues[i].wq);
}
