// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ib_client: devices that come, go, change their name or their network
 * namespace, and the table of them.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "burst.h"
#include "compat.h"
#include "count.h"
#include "device.h"
#include "log.h"

/*
 * Protects the lists, the names and the port state, and makes each change one
 * with its record: with it held, all of it is true of the newest seq. Taken in
 * process context only, below the core's locks; drivers are not called with it
 * held.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(live);
static LIST_HEAD(gone);			/* oldest first */
static atomic_t last_generation;

/* The driver is asked here, which may take its time. */
static struct workqueue_struct *look_wq;

/* Every struct rdmaev_dev by its generation; read under RCU. */
static DEFINE_XARRAY(table);

/*
 * The newest of each index; read under RCU. The core keeps an index as long as
 * there are objects of the device.
 */
static DEFINE_XARRAY(newest);

/*
 * A number for each network namespace, never used again: records of a device
 * that is gone are shown by it, when the namespace may be gone, too.
 */
struct net_number {
	u64 id;
};

static unsigned int net_number_slot;
static atomic64_t last_net_id;

static int __net_init net_number_init(struct net *net)
{
	struct net_number *number = net_generic(net, net_number_slot);

	number->id = atomic64_inc_return(&last_net_id);
	return 0;
}

static struct pernet_operations net_number_ops = {
	.init = net_number_init,
	.id = &net_number_slot,
	.size = sizeof(struct net_number),
};

/** rdmaev_net_id - number of a network namespace, never given twice */
u64 rdmaev_net_id(const struct net *net)
{
	const struct net_number *number = net_generic(net, net_number_slot);

	return number->id;
}

/** rdmaev_device_find - device of a generation or NULL; under RCU */
struct rdmaev_dev *rdmaev_device_find(u32 generation)
{
	return xa_load(&table, generation);
}

/**
 * rdmaev_device_of - what is known of a device that has objects
 * @ib: device; the object keeps it
 *
 * ULPs may have it before we are told of it, and after.
 *
 * Context: any, under RCU.
 *
 * Return: it, also when it was removed while its REMOVE record is in the log; NULL
 * if there is none, or it has moved to another network namespace since.
 */
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib)
{
	struct rdmaev_dev *dev = xa_load(&newest, ib->index);

	if (dev && dev->net == rdmaev_net_id(read_pnet(&ib->coredev.rdma_net)))
		return dev;
	return NULL;
}

/** rdmaev_device_generation - generation of a device that has objects, or 0 */
u32 rdmaev_device_generation(const struct ib_device *ib)
{
	const struct rdmaev_dev *dev;
	u32 generation;

	rcu_read_lock();
	dev = rdmaev_device_of(ib);
	generation = dev ? dev->generation : 0;
	rcu_read_unlock();
	return generation;
}

/**
 * rdmaev_device_look - have the ports that were asked for looked at
 * @dev: device, with its event handler registered or being removed
 * @delay: after so many jiffies
 *
 * Context: any but NMI.
 */
void rdmaev_device_look(struct rdmaev_dev *dev, unsigned long delay)
{
	queue_delayed_work(look_wq, &dev->work, delay);
}

/** rdmaev_state_lock - keep devices and ports from changing */
void rdmaev_state_lock(void)
{
	mutex_lock(&devices_lock);
}

/** rdmaev_state_unlock - the other half of rdmaev_state_lock() */
void rdmaev_state_unlock(void)
{
	mutex_unlock(&devices_lock);
}

/* No device is in the namespace NULL: it has access if all have. */
static bool is_shared(const struct ib_device *ib)
{
	return rdma_dev_access_netns(ib, NULL);
}

/* Under RCU. Do all namespaces have this device? */
static bool was_shared(const struct rdmaev_dev *dev)
{
	const struct ib_device *ib = rcu_dereference(dev->ib);

	if (ib)
		return is_shared(ib);
	smp_rmb();		/* pairs with smp_wmb() in remove_one() */
	return dev->shared;
}

/* As rdma_dev_access_netns(); a device stays in a namespace till remove(). */
static bool may_access(const struct rdmaev_dev *dev,
		       const struct rdmaev_viewer *viewer)
{
	return viewer->all || viewer->net == dev->net || was_shared(dev);
}

static bool is_selected(const struct rdmaev_dev *dev, u32 device,
			const struct rdmaev_viewer *viewer)
{
	return (device == RDMAEV_ANY || device == dev->index) &&
	       may_access(dev, viewer);
}

/*
 * Affiliated events belong to the owner of the object, so those of others and of
 * the kernel are for the administrator: of the host where all have the
 * device, else of the namespace that has it. A namespace of users makes everybody
 * an administrator of their own.
 */
static bool may_administer(const struct rdmaev_dev *dev,
			   const struct rdmaev_viewer *viewer)
{
	if (was_shared(dev))
		return viewer->host_admin;
	return viewer->net_admin && viewer->net == dev->net;
}

/**
 * rdmaev_device_visible - may somebody know what happens on a device
 * @generation: generation of the device
 * @viewer: who
 * @affiliated: to an object that belongs to somebody, not to the device as a
 *	whole or to a port
 *
 * Context: any.
 *
 * Return: true if so, or if it was when the device was there. False where that
 * is forgotten.
 */
bool rdmaev_device_visible(u32 generation, const struct rdmaev_viewer *viewer,
			   bool affiliated)
{
	struct rdmaev_dev *dev;
	bool visible = false;

	if (viewer->all)
		return true;
	rcu_read_lock();
	dev = xa_load(&table, generation);
	if (dev)
		visible = affiliated ? may_administer(dev, viewer) :
				       may_access(dev, viewer);
	rcu_read_unlock();
	return visible;
}

/**
 * rdmaev_record_visible - may somebody see a record
 * @rec: record, but for one of a loss
 * @viewer: who
 *
 * Context: any.
 *
 * Return: true if so: see rdmaev_device_visible(), and affiliated events of one's
 * own objects.
 */
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_viewer *viewer)
{
	bool affiliated = rec->object_type >= RDMAEV_OBJECT_QP;

	if (rdmaev_device_visible(rec->generation, viewer, affiliated))
		return true;
	return affiliated && rec->kind == RDMAEV_KIND_ASYNC &&
	       rec->body.async.known & RDMAEV_KNOWN_UID &&
	       rec->body.async.uid == viewer->uid &&
	       rdmaev_device_visible(rec->generation, viewer, false);
}

/**
 * rdmaev_device_exists - is there a device of this index
 * @viewer: who asks; one that must not be seen is not there
 * @index: index
 */
bool rdmaev_device_exists(const struct rdmaev_viewer *viewer, u32 index)
{
	const struct rdmaev_dev *dev;
	bool exists = false;

	mutex_lock(&devices_lock);
	rcu_read_lock();
	list_for_each_entry(dev, &live, list)
		exists = exists || (dev->index == index &&
				    may_access(dev, viewer));
	rcu_read_unlock();
	mutex_unlock(&devices_lock);
	return exists;
}

/**
 * rdmaev_device_cq_sums - what the CQs of a device have counted that are gone
 * @generation: generation of the device
 *
 * Context: RCU read lock, for as long as the result is used.
 *
 * Return: the sums, NULL if the device is forgotten.
 */
struct rdmaev_cq_stats *rdmaev_device_cq_sums(u32 generation)
{
	struct rdmaev_dev *dev = xa_load(&table, generation);

	return dev ? &dev->cq_sums : NULL;
}

/* Called with devices_lock held, in one with the change that it tells. */
static u64 report(struct rdmaev_dev *dev, u16 code)
{
	struct rdmaev_record rec = {
		.device = dev->index,
		.generation = dev->generation,
		.kind = RDMAEV_KIND_DEVICE,
		.code = code,
		.object_type = RDMAEV_OBJECT_DEVICE,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_RDMAEV,
		.ring = RDMAEV_RING_PORT,
		.count = 1,
		.body.device.node_guid = dev->node_guid,
	};

	strscpy(rec.body.device.name, dev->name, sizeof(rec.body.device.name));
	return rdmaev_append(dev, &rec);
}

/*
 * The core gives an index anew only after it has given all others, and keeps
 * it when it moves a device; so the same index back at once is a move.
 */
static bool has_moved(const struct rdmaev_dev *dev)
{
	const struct rdmaev_dev *old;

	list_for_each_entry_reverse(old, &gone, list) {
		if (old->index == dev->index)
			return old->node_guid == dev->node_guid &&
			       old->net != dev->net;
	}
	return false;
}

/* Its last state is not told any more. devices_lock is held, or it is not known. */
static void free_state(struct rdmaev_dev *dev)
{
	rdmaev_ports_free_tables(dev);
	kvfree(dev->ports);
	dev->ports = NULL;
	rdmaev_counts_free(rcu_replace_pointer(dev->counts, NULL, true));
}

static void free_dev(struct rdmaev_dev *dev)
{
	free_state(dev);
	kfree(dev);
}

static struct rdmaev_dev *alloc_dev(struct ib_device *ib)
{
	struct rdmaev_counts *counts;
	struct rdmaev_dev *dev;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	RCU_INIT_POINTER(dev->ib, ib);
	INIT_IB_EVENT_HANDLER(&dev->handler, ib, rdmaev_async_handler);
	INIT_DELAYED_WORK(&dev->work, rdmaev_ports_work);
	dev->next_look = jiffies;
	raw_spin_lock_init(&dev->events_lock);
	dev->index = ib->index;
	dev->node_type = ib->node_type;
	dev->node_guid = be64_to_cpu(ib->node_guid);
	dev->net = rdmaev_net_id(read_pnet(&ib->coredev.rdma_net));
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
	free_dev(dev);
	return NULL;
}

static struct ib_client client;

/* The core holds off remove() and, by devices_rwsem, a rename meanwhile. */
static int add_one(struct ib_device *ib)
{
	struct rdmaev_dev *dev;
	int ret;

	dev = alloc_dev(ib);
	if (!dev) {
		ret = -ENOMEM;
		goto err;
	}

	dev->generation = atomic_inc_return(&last_generation);
	ret = xa_err(xa_store(&table, dev->generation, dev, GFP_KERNEL));
	if (ret)
		goto err_free;
	/* A little early, as it may need memory: complete but for its record. */
	ret = xa_err(xa_store(&newest, dev->index, dev, GFP_KERNEL));
	if (ret)
		goto err_table;

	mutex_lock(&devices_lock);
	strscpy(dev->name, ib->name, sizeof(dev->name));
	dev->since_ns = ktime_get_boot_fast_ns();
	report(dev, has_moved(dev) ? RDMAEV_DEVICE_NETNS : RDMAEV_DEVICE_ADD);
	list_add_tail(&dev->list, &live);
	mutex_unlock(&devices_lock);

	ib_set_client_data(ib, &client, dev);
	ib_register_event_handler(&dev->handler);
	/* What changed between the first look and now raised no event here. */
	rdmaev_ports_ask(dev, 0, UINT_MAX, 0);
	return 0;

err_table:
	xa_erase(&table, dev->generation);
err_free:
	free_dev(dev);
err:
	dev_warn(&ib->dev, "not recorded by rdmaev: out of memory (%d). Load it anew when there is some\n",
		 ret);
	return ret;
}

/* devices_lock is held. */
static void forget(struct rdmaev_dev *old)
{
	list_del(&old->list);
	free_state(old);
	xa_erase(&table, old->generation);
	/* Unless the index is another one's by now. */
	xa_cmpxchg(&newest, old->index, old, NULL, 0);
	kfree_rcu(old, rcu);
}

/* Those that the log has nothing of any more. */
static void forget_old(void)
{
	struct rdmaev_dev *old, *next;

	list_for_each_entry_safe(old, next, &gone, list) {
		if (rdmaev_log_has(RDMAEV_RING_PORT, old->removed))
			break;
		forget(old);
	}
}

/* The state of the last ones is kept. devices_lock is held. */
static void forget_states(void)
{
	struct rdmaev_dev *old;
	unsigned int n = 0;

	list_for_each_entry_reverse(old, &gone, list) {
		if (++n <= RDMAEV_GONE_KEPT)
			continue;
		if (!old->ports)
			break;
		free_state(old);
	}
}

/* Nobody looks any more, and no device is followed. */
static void forget_all(void)
{
	while (!list_empty(&gone))
		forget(list_first_entry(&gone, struct rdmaev_dev, list));
	xa_destroy(&table);
	xa_destroy(&newest);
}

/* May sleep, and waits for nothing but handlers, work and RCU readers. */
static void remove_one(struct ib_device *ib, void *data)
{
	struct rdmaev_dev *dev = data;

	ib_unregister_event_handler(&dev->handler);
	cancel_delayed_work_sync(&dev->work);
	rdmaev_burst_end(dev->generation);

	mutex_lock(&devices_lock);
	dev->shared = is_shared(ib);
	dev->removed = report(dev, RDMAEV_DEVICE_REMOVE);
	smp_wmb();		/* pairs with smp_rmb() in was_shared() */
	RCU_INIT_POINTER(dev->ib, NULL);
	rdmaev_ports_free_tables(dev);
	list_move_tail(&dev->list, &gone);
	forget_old();
	forget_states();
	mutex_unlock(&devices_lock);

	/* For rdmaev_device_visible() and the lists, which read ib under RCU. */
	synchronize_rcu();
}

static void rename_one(struct ib_device *ib, void *data)
{
	struct rdmaev_dev *dev = data;

	mutex_lock(&devices_lock);
	if (strcmp(dev->name, ib->name)) {
		strscpy(dev->name, ib->name, sizeof(dev->name));
		report(dev, RDMAEV_DEVICE_RENAME);
	}
	mutex_unlock(&devices_lock);
}

static struct ib_client client = {
	.name = "rdmaev",
	.add = add_one,
	.remove = remove_one,
	.rename = rename_one,
	.no_kverbs_req = 1,
};

/**
 * rdmaev_device_init - start to follow all devices
 *
 * Return: 0 or -errno. On return the devices that were there are recorded.
 */
int rdmaev_device_init(void)
{
	int ret;

	look_wq = alloc_workqueue("rdmaev_look", WQ_UNBOUND, 0);
	if (!look_wq)
		return -ENOMEM;
	ret = register_pernet_subsys(&net_number_ops);
	if (ret)
		goto err_wq;
	ret = ib_register_client(&client);
	if (ret)
		goto err_pernet;
	return 0;

err_pernet:
	/* The core has removed those again that it had added before it failed. */
	forget_all();
	unregister_pernet_subsys(&net_number_ops);
err_wq:
	destroy_workqueue(look_wq);
	return ret;
}

/** rdmaev_device_exit - follow no device any more, and forget all */
void rdmaev_device_exit(void)
{
	ib_unregister_client(&client);
	forget_all();
	unregister_pernet_subsys(&net_number_ops);
	destroy_workqueue(look_wq);
	/* kfree_rcu() runs code of the kernel only: nothing to wait for. */
}

/** rdmaev_devices_for_each - see device.h */
bool rdmaev_devices_for_each(const struct rdmaev_viewer *viewer, u32 device,
			     bool with_gone,
			     void (*fn)(struct rdmaev_dev *dev, bool is_gone,
					bool affiliated, void *data),
			     void *data, u64 *seq)
{
	struct rdmaev_dev *dev;
	bool found = false;

	mutex_lock(&devices_lock);
	rcu_read_lock();
	*seq = rdmaev_log_newest();
	list_for_each_entry(dev, &gone, list) {
		if (!with_gone || !is_selected(dev, device, viewer))
			continue;
		found = true;
		fn(dev, true, may_administer(dev, viewer), data);
	}
	list_for_each_entry(dev, &live, list) {
		if (!is_selected(dev, device, viewer))
			continue;
		found = true;
		fn(dev, false, may_administer(dev, viewer), data);
	}
	rcu_read_unlock();
	mutex_unlock(&devices_lock);
	return found;
}
