// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ib_client: devices are added, removed, renamed or moved to another
 * network namespace.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "async.h"
#include "client.h"
#include "device/access.h"
#include "device/burst.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/port.h"
#include "device/port_event.h"
#include "device/port_stuck.h"
#include "device/removal.h"
#include "herald.h"
#include "log/catalogue.h"
#include "netdev.h"
#include "work.h"

static struct ib_client client;

static_assert(RDMAEV_DEVICE_NAME_SIZE >= IB_DEVICE_NAME_MAX);

/*
 * devices_lock is held, so this is the only writer. Records copy the name with
 * interrupts off: after a grace period no CPU reads the other text.
 */
static void client_set_name(struct rdmaev_dev *dev, const char *name)
{
	unsigned int next = !dev->name.now;

	/* A concurrent append that does not see it yet may use the old name. */
	WRITE_ONCE(dev->name.changed, dev->name.text[!next][0]);
	if (dev->name_gp)
		cond_synchronize_rcu(dev->name_gp);
	strscpy_pad(dev->name.text[next], name, sizeof(dev->name.text[next]));
	/* Pairs with smp_load_acquire() in rdmaev_log_name_text(). */
	smp_store_release(&dev->name.now, next);
	dev->name_gp = get_state_synchronize_rcu();
}

/*
 * Returns seq of the record. devices_lock is held from the reported change until
 * this returns.
 */
static u64 client_report(struct rdmaev_dev *dev, u16 code,
			 const char *old_name)
{
	struct rdmaev_record rec = {
		.cause = dev->removed_seq,
		.device = dev->index,
		.generation = dev->generation,
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_DEVICE,
		.source = RDMAEV_SOURCE_RDMAEV,
		.count = 1,
		.body.device.node_guid = dev->node_guid,
	};

	rdmaev_record_set_code(&rec, code);
	strscpy(rec.body.device.old_name, old_name,
		sizeof(rec.body.device.old_name));
	if (code == RDMAEV_DEVICE_REMOVE || code == RDMAEV_DEVICE_REMOVED)
		rdmaev_removal_describe(dev, &rec);
	return rdmaev_append(dev, &rec);
}

/* @old: the removed device that it was before, or NULL. devices_lock is held. */
static void client_report_add(struct rdmaev_dev *dev, const struct rdmaev_dev *old)
{
	const char *old_name = old ? rdmaev_device_name(old) : "";

	if (!strcmp(old_name, rdmaev_device_name(dev)))
		old_name = "";
	client_report(dev, rdmaev_device_has_moved(dev) ?
			   RDMAEV_DEVICE_NETNS : RDMAEV_DEVICE_ADD, old_name);
}

static struct rdmaev_dev *client_alloc(struct ib_device *ib)
{
	struct rdmaev_counts *counts;
	struct rdmaev_dev *dev;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->ib = ib;
	INIT_IB_EVENT_HANDLER(&dev->handler, ib, rdmaev_async_handler);
	INIT_DELAYED_WORK(&dev->work, rdmaev_ports_work);
	INIT_DELAYED_WORK(&dev->stuck_work, rdmaev_stuck_work);
	dev->next_query = jiffies;
	dev->index = ib->index;
	dev->node_type = ib->node_type;
	dev->node_guid = be64_to_cpu(ib->node_guid);
	dev->netns = read_pnet(&ib->coredev.rdma_net);
	dev->net = rdmaev_net_id(dev->netns);
	if (ib->ops.owner)
		strscpy(dev->driver, module_name(ib->ops.owner),
			sizeof(dev->driver));
	atomic_set(&dev->sources, BIT(RDMAEV_SOURCE_RDMAEV) |
				  BIT(RDMAEV_SOURCE_HANDLER));
	if (rdmaev_ports_init(dev, ib))
		goto err;
	counts = rdmaev_counts_alloc(rdma_start_port(ib), dev->nports);
	if (!counts)
		goto err;
	RCU_INIT_POINTER(dev->counts, counts);
	return dev;

err:
	rdmaev_device_free(dev);
	return NULL;
}

/*
 * The core delays remove(), and a rename by devices_rwsem, until this returns.
 */
static int client_add(struct ib_device *ib)
{
	static const struct rdmaev_record none = { .port = RDMAEV_NO_PORT };
	const struct rdmaev_dev *old;
	struct rdmaev_dev *dev;
	int ret = -ENOMEM;

	dev = client_alloc(ib);
	if (!dev)
		goto err;
	ret = rdmaev_device_store(dev);
	if (ret)
		goto err_free;

	rdmaev_state_lock();
	client_set_name(dev, ib->name);
	dev->since_ns = ktime_get_boot_fast_ns();
	old = rdmaev_device_set_previous(dev);
	client_report_add(dev, old);
	if (old)
		rdmaev_ports_follow(dev, old);
	rdmaev_device_add(dev);
	rdmaev_state_unlock();

	ib_set_client_data(ib, &client, dev);
	ib_register_event_handler(&dev->handler);
	/* Changes between the first query and now raised no event here. */
	rdmaev_ports_query(dev, 0, &none);
	return 0;

err_free:
	rdmaev_device_free(dev);
err:
	rdmaev_device_forget(ib->index);
	dev_warn(&ib->dev, "rdmaev: out of memory (%d), device will not be monitored; reload rdmaev to retry\n",
		 ret);
	return ret;
}

/* devices_lock is held. Sets *@data if a removal goes on. */
static void client_see_removal(struct rdmaev_dev *dev, void *data)
{
	bool *goes_on = data;

	/* It is there, or its removal has ended. */
	if (!dev->sysfs)
		return;
	if (rdmaev_removal_goes_on(dev)) {
		*goes_on = true;
		return;
	}
	if (dev->removal_is_long)
		client_report(dev, RDMAEV_DEVICE_REMOVED, "");
	rdmaev_removal_end(dev);
}

static void client_see_removals(struct work_struct *work);
static DECLARE_DELAYED_WORK(client_removals, client_see_removals);

static void client_see_removals(struct work_struct *work)
{
	bool goes_on = false;

	rdmaev_state_lock();
	rdmaev_devices_for_each(client_see_removal, &goes_on);
	rdmaev_state_unlock();
	if (goes_on)
		queue_delayed_work(rdmaev_query_wq, &client_removals, HZ);
}

/* No device is added or removed any more. */
static void client_evict(void)
{
	cancel_delayed_work_sync(&client_removals);
	rdmaev_devices_evict();
}

/* May sleep. Waits only for handlers and work. */
static void client_remove(struct ib_device *ib, void *data)
{
	struct rdmaev_dev *dev = data;

	rdmaev_state_lock();
	rdmaev_removal_begin(dev);	/* no poll is started */
	rdmaev_state_unlock();
	ib_unregister_event_handler(&dev->handler);
	cancel_delayed_work_sync(&dev->work);
	rdmaev_burst_end(dev->generation);

	rdmaev_state_lock();
	dev->was_shared = rdma_dev_access_netns(ib, NULL);
	WRITE_ONCE(dev->removed_seq,
		   client_report(dev, RDMAEV_DEVICE_REMOVE, ""));
	rdmaev_ports_removed(dev);
	rdmaev_removal_continue(dev);
	/* Pairs with smp_load_acquire() in access_is_shared(). */
	smp_store_release(&dev->ib, NULL);
	rdmaev_device_free_tables(dev);
	rdmaev_device_remove(dev);
	rdmaev_state_unlock();
	queue_delayed_work(rdmaev_query_wq, &client_removals, HZ);
}

static void client_rename(struct ib_device *ib, void *data)
{
	char old_name[RDMAEV_DEVICE_NAME_SIZE];
	struct rdmaev_dev *dev = data;

	rdmaev_state_lock();
	if (strcmp(rdmaev_device_name(dev), ib->name)) {
		memcpy(old_name, rdmaev_device_name(dev), sizeof(old_name));
		client_set_name(dev, ib->name);
		client_report(dev, RDMAEV_DEVICE_RENAME, old_name);
	}
	rdmaev_state_unlock();
}

static struct ib_client client = {
	.name = "rdmaev",
	.add = client_add,
	.remove = client_remove,
	.rename = client_rename,
	.no_kverbs_req = 1,
};

/**
 * rdmaev_client_init - start monitoring all devices
 *
 * Return: 0 or -errno. On success all present devices have been recorded.
 */
int rdmaev_client_init(void)
{
	int ret = ib_register_client(&client);

	/* The core has removed all devices that it had added. */
	if (ret)
		goto err;
	ret = rdmaev_heralds_init();
	if (ret)
		goto err_client;
	ret = rdmaev_netdev_init();
	if (ret)
		goto err_heralds;
	return 0;

err_heralds:
	rdmaev_heralds_exit();
err_client:
	ib_unregister_client(&client);
err:
	client_evict();
	return ret;
}

/** rdmaev_client_exit - stop monitoring all devices, and evict them */
void rdmaev_client_exit(void)
{
	ib_unregister_client(&client);
	rdmaev_netdev_exit();
	rdmaev_heralds_exit();
	client_evict();
}
