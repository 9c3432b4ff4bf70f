// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The removal of a device: since when, and by whom */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "removal.h"

/**
 * rdmaev_removal_begin - note that ib_core has begun to remove a device
 * @dev: device; devices_lock is held. Nothing changes if that is known already
 *
 * Context: process, in the task that removes it.
 */
void rdmaev_removal_begin(struct rdmaev_dev *dev)
{
	static_assert(sizeof(dev->remover_comm) == TASK_COMM_LEN);
	if (dev->is_leaving)
		return;
	dev->is_leaving = true;
	dev->removing_ns = ktime_get_boot_fast_ns();
	/* A worker does not say who has queued its work. */
	if (current->flags & PF_KTHREAD)
		return;
	dev->remover_pid = task_tgid_nr(current);
	strscpy_pad(dev->remover_comm, current->comm, sizeof(dev->remover_comm));
}

/**
 * rdmaev_removal_describe - fill in what the record of a removal says
 * @dev: device; devices_lock is held
 * @rec: its RDMAEV_DEVICE_REMOVE record
 */
void rdmaev_removal_describe(const struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	struct rdmaev_device_body *body = &rec->body.device;

	body->removing_since_ns = dev->removing_ns;
	body->remover_pid = dev->remover_pid;
	memcpy(body->remover_comm, dev->remover_comm, sizeof(body->remover_comm));
}
