// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * When does ib_core begin to remove a device? It calls remove() of its clients in the
 * reverse order of their registration, and one that waits, for a program or a peer,
 * delays all that are registered before it. The client that monitors devices can be one
 * of those, and cannot be registered again and again: a device would be added each time.
 *
 * So there are two more clients, the heralds, which do nothing else. A while after a
 * module was loaded, as that may have registered a client, the one that is not
 * registered is, and then the other one is unregistered. Each device says which of them
 * have it. A removal has begun when the last of them loses it: if a herald loses it
 * because it is unregistered, the other one has it, unless ib_core has stopped to give
 * the device to new clients, which is the first step of its removal.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "device/device_table.h"
#include "device/removal.h"
#include "herald.h"
#include "work.h"

/* From when a module is loaded until the heralds change: modules are loaded in groups. */
#define HERALD_DELAY	HZ

static int herald_add(struct ib_device *ib, unsigned int herald)
{
	struct rdmaev_dev *dev;

	rdmaev_state_lock();
	dev = rdmaev_device_newest(ib->index);
	/* Without memory the device has no entry. */
	if (dev && dev->ib == ib)
		dev->heralds |= BIT(herald);
	rdmaev_state_unlock();
	return 0;
}

static void herald_remove(struct ib_device *ib, unsigned int herald)
{
	struct rdmaev_dev *dev;

	rdmaev_state_lock();
	dev = rdmaev_device_newest(ib->index);
	if (dev && dev->ib == ib && dev->heralds & BIT(herald)) {
		dev->heralds &= ~BIT(herald);
		if (!dev->heralds)
			rdmaev_removal_begin(dev);
	}
	rdmaev_state_unlock();
}

static int herald_add_first(struct ib_device *ib)
{
	return herald_add(ib, 0);
}

static void herald_remove_first(struct ib_device *ib, void *data)
{
	herald_remove(ib, 0);
}

static int herald_add_second(struct ib_device *ib)
{
	return herald_add(ib, 1);
}

static void herald_remove_second(struct ib_device *ib, void *data)
{
	herald_remove(ib, 1);
}

static struct ib_client heralds[] = {
	{
		.name = "rdmaev_herald0",
		.add = herald_add_first,
		.remove = herald_remove_first,
		.no_kverbs_req = 1,
	}, {
		.name = "rdmaev_herald1",
		.add = herald_add_second,
		.remove = herald_remove_second,
		.no_kverbs_req = 1,
	},
};

/* The herald that is registered; of herald_init() and the work */
static unsigned int herald_now;

static void herald_change(struct work_struct *work)
{
	/* Without memory the one of before stays. */
	if (ib_register_client(&heralds[!herald_now]))
		return;
	ib_unregister_client(&heralds[herald_now]);
	herald_now = !herald_now;
}

static DECLARE_DELAYED_WORK(herald_work, herald_change);

static int herald_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == MODULE_STATE_LIVE)
		queue_delayed_work(rdmaev_query_wq, &herald_work, HERALD_DELAY);
	return NOTIFY_DONE;
}

static struct notifier_block herald_modules = {
	.notifier_call = herald_module_event,
};

/**
 * rdmaev_heralds_init - see removals begin
 *
 * Return: 0 or -errno.
 */
int rdmaev_heralds_init(void)
{
	int ret = ib_register_client(&heralds[herald_now]);

	if (ret)
		return ret;
	ret = register_module_notifier(&herald_modules);
	if (ret)
		ib_unregister_client(&heralds[herald_now]);
	else
		/* This module, too, and built into the kernel all clients come after it. */
		queue_delayed_work(rdmaev_query_wq, &herald_work, HERALD_DELAY);
	return ret;
}

/** rdmaev_heralds_exit - undo it; no device has an entry any more */
void rdmaev_heralds_exit(void)
{
	unregister_module_notifier(&herald_modules);
	cancel_delayed_work_sync(&herald_work);
	ib_unregister_client(&heralds[herald_now]);
}
