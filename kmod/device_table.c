// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of devices: those that there are, and the last that were removed.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "count.h"
#include "device.h"

/*
 * Protects the lists, the names and the port state, and makes each change one
 * with its record: with it held, all of it is true of the newest seq. Taken in
 * process context only, below the core's locks; drivers are not called with it
 * held.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices_live);
static LIST_HEAD(devices_removed);	/* the last ones, oldest first */
static unsigned int devices_removed_count;
static u32 last_generation;

/*
 * By generation: each struct rdmaev_dev of both lists. Of EVICTED_KEPT more, at
 * about nine bytes each, a value that says who may see their records, until as
 * many have been added since. Read under RCU, written with devices_lock held.
 */
static DEFINE_XARRAY(device_table);

#define EVICTED_KEPT	2048U

/*
 * The same by index, the newest first: the core keeps an index as long as there
 * are objects of the device. Read under RCU, written with devices_lock held.
 */
#define INDEX_BUCKETS	64

static struct hlist_head devices_by_index[INDEX_BUCKETS];

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

/** rdmaev_device_find - device of a generation or NULL; under RCU */
struct rdmaev_dev *rdmaev_device_find(u32 generation)
{
	void *entry = xa_load(&device_table, generation);

	return xa_is_value(entry) ? NULL : entry;
}

/* The namespace and whether it was shared, in one number. */
static void *device_evicted_entry(const struct rdmaev_dev *dev)
{
	return xa_mk_value(dev->net << 1 |
			   (dev->netns_mode == RDMAEV_NETNS_SHARED));
}

/**
 * rdmaev_device_evicted - what is still known of a device removed long ago
 * @generation: its generation
 * @net: set to the number of its network namespace
 * @shared: set to whether all namespaces had it
 *
 * Return: false if nothing is.
 */
bool rdmaev_device_evicted(u32 generation, u64 *net, bool *shared)
{
	void *entry = xa_load(&device_table, generation);

	if (!xa_is_value(entry))
		return false;
	*net = xa_to_value(entry) >> 1;
	*shared = xa_to_value(entry) & 1;
	return true;
}

static struct hlist_head *device_bucket(u32 index)
{
	return &devices_by_index[index % INDEX_BUCKETS];
}

/** rdmaev_device_newest - newest of an index; under RCU or devices_lock */
struct rdmaev_dev *rdmaev_device_newest(u32 index)
{
	struct rdmaev_dev *dev;

	hlist_for_each_entry_rcu(dev, device_bucket(index), of_index,
				 lockdep_is_held(&devices_lock)) {
		if (dev->index == index)
			return dev;
	}
	return NULL;
}

/**
 * rdmaev_device_of - what is known of a device that has objects
 * @ib: device; the object keeps it
 *
 * ULPs may have it before we are told of it, and after.
 *
 * Context: any, under RCU.
 *
 * Return: it, also if it is one of the RDMAEV_REMOVED_KEPT that were removed last;
 * NULL if there is none, or it has moved to another network namespace since.
 */
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib)
{
	struct rdmaev_dev *dev = rdmaev_device_newest(ib->index);

	return dev && net_eq(dev->netns, read_pnet(&ib->coredev.rdma_net)) ?
	       dev : NULL;
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
 * rdmaev_device_is_leaving - has the removal of a device begun
 * @dev: device that is not removed yet; devices_lock is held, so it stays that
 *
 * The core removes clients one after the other, and holds this mutex from before
 * the first of them on; while a device moves to another network namespace, too.
 */
bool rdmaev_device_is_leaving(struct rdmaev_dev *dev)
{
	return dev->is_leaving || mutex_is_locked(&dev->ib->unregistration_lock);
}

/**
 * rdmaev_devices_for_each - call a function for each device; under devices_lock
 * @fn: function, gets those that were removed first
 * @data: its second argument
 */
void rdmaev_devices_for_each(void (*fn)(struct rdmaev_dev *dev, void *data),
			     void *data)
{
	struct rdmaev_dev *dev;

	list_for_each_entry(dev, &devices_removed, list)
		fn(dev, data);
	list_for_each_entry(dev, &devices_live, list)
		fn(dev, data);
}

/** rdmaev_device_store - number a device, put it in the table; 0 or -ENOMEM */
int rdmaev_device_store(struct rdmaev_dev *dev)
{
	u32 old;

	mutex_lock(&devices_lock);
	dev->generation = ++last_generation;
	/* An old device for each new one: the table does not grow. */
	old = dev->generation - EVICTED_KEPT;
	if (dev->generation > EVICTED_KEPT &&
	    xa_is_value(xa_load(&device_table, old)))
		xa_erase(&device_table, old);
	mutex_unlock(&devices_lock);
	return xa_err(xa_store(&device_table, dev->generation, dev,
			       GFP_KERNEL));
}

/**
 * rdmaev_device_has_moved - has a device been in another network namespace
 * @dev: device that is to be added; devices_lock is held
 *
 * The core gives an index anew only after it has given all others, and keeps
 * it when it moves a device; so the same index back at once is a move.
 */
bool rdmaev_device_has_moved(const struct rdmaev_dev *dev)
{
	const struct rdmaev_dev *old;

	list_for_each_entry_reverse(old, &devices_removed, list) {
		if (old->index == dev->index)
			return old->node_guid == dev->node_guid &&
			       old->net != dev->net;
	}
	return false;
}

/** rdmaev_device_add - have a device found by its index; under devices_lock */
void rdmaev_device_add(struct rdmaev_dev *dev)
{
	list_add_tail(&dev->list, &devices_live);
	hlist_add_head_rcu(&dev->of_index, device_bucket(dev->index));
}

/** rdmaev_device_forget - forget those of an index, as adding one has failed */
void rdmaev_device_forget(u32 index)
{
	struct rdmaev_dev *dev;
	struct hlist_node *next;

	mutex_lock(&devices_lock);
	hlist_for_each_entry_safe(dev, next, device_bucket(index), of_index) {
		if (dev->index == index)
			hlist_del_init_rcu(&dev->of_index);
	}
	mutex_unlock(&devices_lock);
}

/**
 * rdmaev_device_free_tables - free the GID and P_Key tables of a device's ports
 * @dev: device, with no query under way and none to come
 */
void rdmaev_device_free_tables(struct rdmaev_dev *dev)
{
	unsigned int i;

	for (i = 0; dev->ports && i < dev->nports; i++) {
		kvfree(dev->ports[i].gids);
		dev->ports[i].gids = NULL;
		kvfree(dev->ports[i].pkeys);
		dev->ports[i].pkeys = NULL;
	}
}

/** rdmaev_device_free - free a device that nobody finds any more */
void rdmaev_device_free(struct rdmaev_dev *dev)
{
	/* Ports are read under devices_lock only, the rest under RCU, too. */
	rdmaev_device_free_tables(dev);
	kvfree(dev->ports);
	kvfree_rcu(rcu_dereference_protected(dev->counts, true), rcu);
	kfree_rcu(dev, rcu);
}

/* The device removed longest ago of those that are kept. Under devices_lock. */
static void device_evict_oldest(void)
{
	struct rdmaev_dev *old = list_first_entry(&devices_removed,
						  struct rdmaev_dev, list);

	list_del(&old->list);
	devices_removed_count--;
	/* The entry is there, so the value needs no memory. */
	if (last_generation - old->generation < EVICTED_KEPT)
		xa_store(&device_table, old->generation,
			 device_evicted_entry(old), 0);
	else
		xa_erase(&device_table, old->generation);
	hlist_del_init_rcu(&old->of_index);
	rdmaev_device_free(old);
}

/** rdmaev_device_remove - keep a device as one that was; under devices_lock */
void rdmaev_device_remove(struct rdmaev_dev *dev)
{
	list_move_tail(&dev->list, &devices_removed);
	if (++devices_removed_count > RDMAEV_REMOVED_KEPT)
		device_evict_oldest();
}

/** rdmaev_devices_evict - evict all; there are no readers and no live devices */
void rdmaev_devices_evict(void)
{
	mutex_lock(&devices_lock);
	while (devices_removed_count)
		device_evict_oldest();
	mutex_unlock(&devices_lock);
	xa_destroy(&device_table);
	/* kfree_rcu() runs code of the kernel only: nothing to wait for. */
}
