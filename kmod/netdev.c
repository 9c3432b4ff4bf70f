// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Network devices that leave, and take an RDMA device with them: soft RoCE and siw have
 * ib_core unregister a device when its network device is deleted, or moves to another
 * network namespace.
 */
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <rdma/ib_verbs.h>

#include "device/device_table.h"
#include "device/removal.h"
#include "netdev.h"

/* Drivers that have ib_core unregister a device when its network device leaves */
static const enum rdma_driver_id netdev_drivers[] = { RDMA_DRIVER_RXE, RDMA_DRIVER_SIW };

static void netdev_leaves(const struct net_device *netdev, struct ib_device *ib)
{
	struct rdmaev_dev *dev;

	rdmaev_state_lock();
	dev = rdmaev_device_newest(ib->index);
	/* While it moves it stays registered. */
	if (dev && dev->ib == ib)
		rdmaev_removal_expect(dev, netdev->reg_state == NETREG_REGISTERED ?
					   RDMAEV_NETDEV_MOVED : RDMAEV_NETDEV_DELETED,
				      netdev->name);
	rdmaev_state_unlock();
}

/*
 * The RTNL is held. devices_lock is taken in it, whose holders take no such lock, but only
 * if a device of these drivers is on the network device: all others pay for two searches
 * in ib_core, under RCU.
 */
static int netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct ib_device *ib;
	unsigned int i;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	for (i = 0; i < ARRAY_SIZE(netdev_drivers); i++) {
		ib = ib_device_get_by_netdev(netdev, netdev_drivers[i]);
		if (!ib)
			continue;
		netdev_leaves(netdev, ib);
		ib_device_put(ib);
	}
	return NOTIFY_DONE;
}

/* Before drivers, which have ib_core remove their devices at once. */
static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
	.priority = INT_MAX,
};

/** rdmaev_netdev_init - note network devices that leave; 0 or -errno */
int rdmaev_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

/**
 * rdmaev_netdev_exit - undo it
 *
 * The core says that all network devices leave, so no device is monitored any more.
 */
void rdmaev_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
