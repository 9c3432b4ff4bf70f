// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The removal of a device: since when, by whom, and why */
#include <linux/kernfs.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "removal.h"

/* A removal that is seen to take as long has a record of its end. */
#define REMOVAL_LONG_NS	(5 * NSEC_PER_SEC)

/**
 * rdmaev_removal_expect - note that a network device of a device leaves
 * @dev: device; devices_lock is held
 * @change: how it leaves
 * @netdev: its name
 */
void rdmaev_removal_expect(struct rdmaev_dev *dev, enum rdmaev_netdev_change change,
			   const char *netdev)
{
	static_assert(sizeof(dev->netdev) == IFNAMSIZ);
	/* It cannot be the reason of a removal that has begun before. */
	if (dev->is_leaving)
		return;
	dev->netdev_change = change;
	strscpy_pad(dev->netdev, netdev, sizeof(dev->netdev));
}

/*
 * Drivers queue a removal by ib_unregister_device_queued() when the network device leaves,
 * and for no other reason. All others remove a device in the context of who asks for it.
 */
static bool removal_was_queued(struct ib_device *ib)
{
	return current_work() == &ib->unregistration_work;
}

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
	if (!removal_was_queued(dev->ib))
		dev->netdev_change = RDMAEV_NETDEV_NONE;
	/* A worker does not say who has queued its work. */
	if (current->flags & PF_KTHREAD)
		return;
	dev->remover_pid = task_tgid_nr(current);
	strscpy_pad(dev->remover_comm, current->comm, sizeof(dev->remover_comm));
}

/**
 * rdmaev_removal_describe - fill in what the record of a removal says
 * @dev: device; devices_lock is held
 * @rec: its RDMAEV_DEVICE_REMOVE or RDMAEV_DEVICE_REMOVED record
 */
void rdmaev_removal_describe(const struct rdmaev_dev *dev, struct rdmaev_record *rec)
{
	struct rdmaev_device_body *body = &rec->body.device;

	body->removing_since_ns = dev->removing_ns;
	body->remover_pid = dev->remover_pid;
	memcpy(body->remover_comm, dev->remover_comm, sizeof(body->remover_comm));
	body->netdev_change = dev->netdev_change;
	if (dev->netdev_change)
		memcpy(body->netdev, dev->netdev, sizeof(body->netdev));
}

/**
 * rdmaev_removal_continue - note that ib_core goes on to remove other clients
 * @dev: device that rdmaev no longer monitors; devices_lock is held
 *
 * When does that end? ib_core takes the directory of the device out of sysfs when all
 * clients have returned, and nobody uses the device any more. Only the node of sysfs is
 * kept here, which delays nothing.
 */
void rdmaev_removal_continue(struct rdmaev_dev *dev)
{
	dev->sysfs = dev->ib->dev.kobj.sd;
	kernfs_get(dev->sysfs);
}

/** rdmaev_removal_has_ended - of a device that rdmaev no longer monitors */
bool rdmaev_removal_has_ended(const struct rdmaev_dev *dev)
{
	/* As in kernfs: below 0 once it has been taken out. */
	return !dev->sysfs || atomic_read(&dev->sysfs->active) < 0;
}

/**
 * rdmaev_removal_goes_on - look after a removal that ib_core goes on with
 * @dev: device that rdmaev no longer monitors; devices_lock is held
 *
 * Return: it has not ended.
 */
bool rdmaev_removal_goes_on(struct rdmaev_dev *dev)
{
	if (rdmaev_removal_has_ended(dev))
		return false;
	if (ktime_get_boot_fast_ns() - dev->removing_ns >= REMOVAL_LONG_NS)
		dev->removal_is_long = true;
	return true;
}

/** rdmaev_removal_end - forget a removal, as the device is there again, or freed */
void rdmaev_removal_end(struct rdmaev_dev *dev)
{
	kernfs_put(dev->sysfs);
	dev->sysfs = NULL;
}
