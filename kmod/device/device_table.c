// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of devices: the present ones, and those removed last. */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "count.h"
#include "device.h"
#include "device_table.h"
#include "removal.h"

/*
 * Protects the lists, the names and the port state. Held from each change until
 * its record is appended: a holder sees the state as of the newest seq. Taken
 * in process context only, below ib_core's locks. No driver is called
 * with it held.
 */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices_live);
static LIST_HEAD(devices_removed);	/* those removed last, oldest first */
static unsigned int devices_removed_count;
static u32 last_generation;

/*
 * The devices of both lists by generation. Read under RCU, written under
 * devices_lock.
 */
static DEFINE_XARRAY(device_table);

/*
 * The devices by index, the newest first: ib_core keeps an index while
 * objects of the device exist. Read under RCU, written under devices_lock.
 */
#define INDEX_BUCKETS	64

static struct hlist_head devices_by_index[INDEX_BUCKETS];

/** rdmaev_state_lock - lock the state of devices and ports */
void rdmaev_state_lock(void)
{
	mutex_lock(&devices_lock);
}

/** rdmaev_state_unlock - unlock the state of devices and ports */
void rdmaev_state_unlock(void)
{
	mutex_unlock(&devices_lock);
}

/** rdmaev_device_find - find a device by generation, or NULL; under RCU */
struct rdmaev_dev *rdmaev_device_find(u32 generation)
{
	return xa_load(&device_table, generation);
}

/**
 * rdmaev_append_of - find the device of a record by its generation, then append
 * it
 * @rec: as for rdmaev_log_append()
 *
 * Context: as rdmaev_append().
 *
 * Return: seq of the record.
 */
u64 rdmaev_append_of(struct rdmaev_record *rec)
{
	u64 seq;

	rcu_read_lock();
	seq = rdmaev_append(rdmaev_device_find(rec->generation), rec);
	rcu_read_unlock();
	return seq;
}

static struct hlist_head *device_bucket(u32 index)
{
	return &devices_by_index[index % INDEX_BUCKETS];
}

/** rdmaev_device_newest - get newest of an index; under RCU or devices_lock */
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
 * rdmaev_device_of - find the entry of a device that has objects
 * @ib: device; the object keeps it
 *
 * ULPs may use a device before client_add() and after client_remove().
 *
 * Context: any, under RCU.
 *
 * Return: the entry, also if it is one of the RDMAEV_REMOVED_KEPT removed last;
 * NULL if it does not exist, or if the device has since moved to another
 * network namespace.
 */
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib)
{
	struct rdmaev_dev *dev = rdmaev_device_newest(ib->index);

	return dev && net_eq(dev->netns, read_pnet(&ib->coredev.rdma_net)) ?
	       dev : NULL;
}

/** rdmaev_device_generation - get generation of a device with objects, or 0 */
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
 * rdmaev_devices_for_each - call a function for each device; under devices_lock
 * @fn: function; called for removed devices first
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

/** rdmaev_device_store - number a device and store it; 0 or -ENOMEM */
int rdmaev_device_store(struct rdmaev_dev *dev)
{
	mutex_lock(&devices_lock);
	dev->generation = ++last_generation;
	mutex_unlock(&devices_lock);
	return xa_err(xa_store(&device_table, dev->generation, dev,
			       GFP_KERNEL));
}

/**
 * rdmaev_device_has_moved - check whether a device comes from another namespace
 * @dev: device to be added; devices_lock is held
 *
 * ib_core keeps the index of a device that it moves to another network
 * namespace. It reuses the index of a removed device only after it has assigned
 * all others. So a device that is added with the index and GUID, but not the
 * namespace, of a removed one was moved.
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

static bool device_is_same(const struct rdmaev_dev *a, const struct rdmaev_dev *b)
{
	return a->node_guid && a->node_guid == b->node_guid && a->net == b->net &&
	       a->nports == b->nports && !strcmp(a->driver, b->driver);
}

/**
 * rdmaev_device_set_previous - find the removed device that a new one was before
 * @dev: device to be added; devices_lock is held
 *
 * The node GUID tells, unless two devices had it at the same time, as soft RoCE has
 * that of its network device.
 *
 * Return: the removed device, or NULL.
 */
const struct rdmaev_dev *rdmaev_device_set_previous(struct rdmaev_dev *dev)
{
	struct rdmaev_dev *old;

	list_for_each_entry(old, &devices_live, list) {
		if (device_is_same(old, dev)) {
			old->shares_guid = true;
			dev->shares_guid = true;
		}
	}
	list_for_each_entry_reverse(old, &devices_removed, list) {
		if (!device_is_same(old, dev))
			continue;
		if (old->shares_guid || dev->shares_guid)
			return NULL;
		dev->previous = old->generation;
		return old;
	}
	return NULL;
}

/*
 * A device of this index is there again, moved to another network namespace: the removal
 * of the one before has ended. devices_lock is held.
 */
static void device_end_removal(u32 index)
{
	struct rdmaev_dev *dev;

	list_for_each_entry(dev, &devices_removed, list) {
		if (dev->index == index)
			rdmaev_removal_end(dev);
	}
}

/** rdmaev_device_add - add a device to the lists; under devices_lock */
void rdmaev_device_add(struct rdmaev_dev *dev)
{
	device_end_removal(dev->index);
	list_add_tail(&dev->list, &devices_live);
	hlist_add_head_rcu(&dev->of_index, device_bucket(dev->index));
}

/** rdmaev_device_forget - unlink all devices of an index; adding one failed */
void rdmaev_device_forget(u32 index)
{
	struct rdmaev_dev *dev;
	struct hlist_node *next;

	mutex_lock(&devices_lock);
	device_end_removal(index);
	hlist_for_each_entry_safe(dev, next, device_bucket(index), of_index) {
		if (dev->index == index)
			hlist_del_init_rcu(&dev->of_index);
	}
	mutex_unlock(&devices_lock);
}

/**
 * rdmaev_device_free_tables - free the GID and P_Key tables of a device's ports
 * @dev: device; no query runs or will run
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

/** rdmaev_device_free - free a device that is no longer in a list or table */
void rdmaev_device_free(struct rdmaev_dev *dev)
{
	/* Ports are read only under devices_lock, the rest also under RCU. */
	rdmaev_device_free_tables(dev);
	rdmaev_removal_end(dev);
	kvfree(dev->ports);
	rdmaev_counts_free(rcu_dereference_protected(dev->counts, true));
	kfree_rcu(dev, rcu);
}

/* Evict the device that was removed longest ago. devices_lock is held. */
static void device_evict_oldest(void)
{
	struct rdmaev_dev *old = list_first_entry(&devices_removed,
						  struct rdmaev_dev, list);

	list_del(&old->list);
	devices_removed_count--;
	xa_erase(&device_table, old->generation);
	hlist_del_init_rcu(&old->of_index);
	rdmaev_device_free(old);
}

/** rdmaev_device_remove - list a device as removed; under devices_lock */
void rdmaev_device_remove(struct rdmaev_dev *dev)
{
	list_move_tail(&dev->list, &devices_removed);
	if (++devices_removed_count > RDMAEV_REMOVED_KEPT)
		device_evict_oldest();
}

/** rdmaev_devices_evict - evict all; no reader and no live device exists */
void rdmaev_devices_evict(void)
{
	mutex_lock(&devices_lock);
	while (devices_removed_count)
		device_evict_oldest();
	mutex_unlock(&devices_lock);
	xa_destroy(&device_table);
	/* kfree_rcu() runs no code of this module: no need to wait for it. */
}
