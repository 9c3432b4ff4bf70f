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
#include <rdma/ib_verbs.h>

#include "access.h"
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
static LIST_HEAD(removed);		/* the last ones, oldest first */
static unsigned int removed_count;
static u32 last_generation;

/* Port queries call the driver, which may take its time. */
static struct workqueue_struct *query_wq;

/*
 * By generation: each struct rdmaev_dev of both lists. Of EVICTED_KEPT more, at
 * about nine bytes each, a value that says who may see their records, until as many
 * have been added since. Read under RCU, written with devices_lock held.
 */
static DEFINE_XARRAY(table);

#define EVICTED_KEPT	2048U

/*
 * The same by index, the newest first: the core keeps an index as long as there are
 * objects of the device. Read under RCU, written with devices_lock held.
 */
#define INDEX_BUCKETS	64

static struct hlist_head by_index[INDEX_BUCKETS];

/** rdmaev_device_find - device of a generation or NULL; under RCU */
struct rdmaev_dev *rdmaev_device_find(u32 generation)
{
	void *entry = xa_load(&table, generation);

	return xa_is_value(entry) ? NULL : entry;
}

/* The namespace and whether it was shared, in one number. */
static void *evicted_entry(const struct rdmaev_dev *dev)
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
	void *entry = xa_load(&table, generation);

	if (!xa_is_value(entry))
		return false;
	*net = xa_to_value(entry) >> 1;
	*shared = xa_to_value(entry) & 1;
	return true;
}

/**
 * rdmaev_device_of - what is known of a device that has objects
 * @ib: device; the object keeps it
 *
 * ULPs may have it before we are told of it, and after.
 *
 * Context: any, under RCU.
 *
 * Return: it, also if it is one of the RDMAEV_GONE_KEPT that were removed last; NULL
 * if there is none, or it has moved to another network namespace since.
 */
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib)
{
	struct rdmaev_dev *dev;

	hlist_for_each_entry_rcu(dev, &by_index[ib->index % INDEX_BUCKETS],
				 of_index) {
		if (dev->index == ib->index)
			return net_eq(dev->netns, read_pnet(&ib->coredev.rdma_net)) ?
			       dev : NULL;
	}
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
 * rdmaev_device_query - have the ports that need it queried
 * @dev: device, with its event handler registered
 * @delay: after this many jiffies, whatever was asked for before
 *
 * Context: any but NMI.
 */
void rdmaev_device_query(struct rdmaev_dev *dev, unsigned long delay)
{
	mod_delayed_work(query_wq, &dev->work, delay);
}

/**
 * rdmaev_device_query_later - the same, unless it was asked for since
 * @dev: device
 * @delay: after this many jiffies
 *
 * Context: the work itself.
 */
void rdmaev_device_query_later(struct rdmaev_dev *dev, unsigned long delay)
{
	queue_delayed_work(query_wq, &dev->work, delay);
}

/** rdmaev_devices_poll - query all ports now, and begin a new interval */
void rdmaev_devices_poll(void)
{
	struct rdmaev_dev *dev;

	mutex_lock(&devices_lock);
	list_for_each_entry(dev, &live, list) {
		if (dev->is_leaving)
			continue;
		WRITE_ONCE(dev->poll_at, jiffies);
		rdmaev_device_query(dev, 0);
	}
	mutex_unlock(&devices_lock);
}

/**
 * rdmaev_device_is_leaving - has the removal of a device begun
 * @dev: device that is not removed yet; devices_lock is held, so it stays that
 *
 * The core removes clients one after the other, and holds this mutex from before
 * the first of them on. It does so while a device moves to another network
 * namespace, too.
 */
bool rdmaev_device_is_leaving(struct rdmaev_dev *dev)
{
	return dev->is_leaving || mutex_is_locked(&dev->ib->unregistration_lock);
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

static bool is_selected(const struct rdmaev_dev *dev, u32 device,
			const struct rdmaev_cred *cred)
{
	return (device == RDMAEV_ANY || device == dev->index) &&
	       rdmaev_may_access(dev, cred);
}

/**
 * rdmaev_device_exists - is there a device of this index
 * @cred: who asks; one that must not be seen is not there
 * @index: index
 */
bool rdmaev_device_exists(const struct rdmaev_cred *cred, u32 index)
{
	const struct rdmaev_dev *dev;
	bool exists = false;

	mutex_lock(&devices_lock);
	list_for_each_entry(dev, &live, list)
		exists = exists || (dev->index == index &&
				    rdmaev_may_access(dev, cred));
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
	struct rdmaev_dev *dev = rdmaev_device_find(generation);

	return dev ? &dev->cq_sums : NULL;
}

static_assert(RDMAEV_DEVICE_NAME_SIZE >= IB_DEVICE_NAME_MAX);

/*
 * Called with devices_lock held, which keeps other writers out. Records take the name
 * with interrupts off, so there is no reader of the other text after a grace period.
 */
static void set_device_name(struct rdmaev_dev *dev, const char *name)
{
	unsigned int next = !dev->name.now;

	/* Whoever appends and does not see it yet may still use the old name. */
	WRITE_ONCE(dev->name.changed, dev->name.text[!next][0]);
	if (dev->name_gp)
		cond_synchronize_rcu(dev->name_gp);
	strscpy_pad(dev->name.text[next], name, sizeof(dev->name.text[next]));
	/* Pairs with smp_load_acquire() in rdmaev_log_name_text(). */
	smp_store_release(&dev->name.now, next);
	dev->name_gp = get_state_synchronize_rcu();
}

/* Called with devices_lock held, in one with the change that it reports. */
static u64 report_device(struct rdmaev_dev *dev, u16 code, const char *old_name)
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

	strscpy(rec.body.device.old_name, old_name,
		sizeof(rec.body.device.old_name));
	return rdmaev_append(dev, &rec);
}

/*
 * The core gives an index anew only after it has given all others, and keeps
 * it when it moves a device; so the same index back at once is a move.
 */
static bool has_moved(const struct rdmaev_dev *dev)
{
	const struct rdmaev_dev *old;

	list_for_each_entry_reverse(old, &removed, list) {
		if (old->index == dev->index)
			return old->node_guid == dev->node_guid &&
			       old->net != dev->net;
	}
	return false;
}

/*
 * Nobody finds it any more. Ports are read with devices_lock held only, the rest
 * under RCU, too.
 */
static void free_dev(struct rdmaev_dev *dev)
{
	rdmaev_ports_free_tables(dev);
	kvfree(dev->ports);
	rdmaev_counts_free(rcu_dereference_protected(dev->counts, true));
	kfree_rcu(dev, rcu);
}

static struct rdmaev_dev *alloc_dev(struct ib_device *ib)
{
	struct rdmaev_counts *counts;
	struct rdmaev_dev *dev;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->ib = ib;
	INIT_IB_EVENT_HANDLER(&dev->handler, ib, rdmaev_async_handler);
	INIT_DELAYED_WORK(&dev->work, rdmaev_ports_work);
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
	free_dev(dev);
	return NULL;
}

static struct ib_client client;

/* An old device for each new one: the table does not grow. */
static u32 next_generation(void)
{
	u32 generation, old;

	mutex_lock(&devices_lock);
	generation = ++last_generation;
	old = generation - EVICTED_KEPT;
	if (generation > EVICTED_KEPT && xa_is_value(xa_load(&table, old)))
		xa_erase(&table, old);
	mutex_unlock(&devices_lock);
	return generation;
}

/* What happens to objects of this index is of none of those that had it before. */
static void forget_index(u32 index)
{
	struct rdmaev_dev *dev;
	struct hlist_node *next;

	mutex_lock(&devices_lock);
	hlist_for_each_entry_safe(dev, next, &by_index[index % INDEX_BUCKETS],
				  of_index) {
		if (dev->index == index)
			hlist_del_init_rcu(&dev->of_index);
	}
	mutex_unlock(&devices_lock);
}

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

	dev->generation = next_generation();
	ret = xa_err(xa_store(&table, dev->generation, dev, GFP_KERNEL));
	if (ret)
		goto err_free;

	mutex_lock(&devices_lock);
	set_device_name(dev, ib->name);
	dev->since_ns = ktime_get_boot_fast_ns();
	report_device(dev, has_moved(dev) ? RDMAEV_DEVICE_NETNS :
					    RDMAEV_DEVICE_ADD, "");
	list_add_tail(&dev->list, &live);
	hlist_add_head_rcu(&dev->of_index,
			   &by_index[dev->index % INDEX_BUCKETS]);
	mutex_unlock(&devices_lock);

	ib_set_client_data(ib, &client, dev);
	ib_register_event_handler(&dev->handler);
	/* What changed between the first query and now raised no event here. */
	rdmaev_ports_query(dev, 0, 0, 0);
	return 0;

err_free:
	free_dev(dev);
err:
	forget_index(ib->index);
	dev_warn(&ib->dev, "not recorded by rdmaev: out of memory (%d). Load it anew when there is some\n",
		 ret);
	return ret;
}

/* The device removed longest ago of those that are kept. devices_lock is held. */
static void evict_oldest(void)
{
	struct rdmaev_dev *old = list_first_entry(&removed, struct rdmaev_dev,
						  list);

	list_del(&old->list);
	removed_count--;
	/* The entry is there, so the value needs no memory. */
	if (last_generation - old->generation < EVICTED_KEPT)
		xa_store(&table, old->generation, evicted_entry(old), 0);
	else
		xa_erase(&table, old->generation);
	hlist_del_init_rcu(&old->of_index);
	free_dev(old);
}

/* There are no readers any more, and no devices. */
static void evict_all(void)
{
	mutex_lock(&devices_lock);
	while (removed_count)
		evict_oldest();
	mutex_unlock(&devices_lock);
	xa_destroy(&table);
}

/* May sleep, and waits for nothing but handlers and work. */
static void remove_one(struct ib_device *ib, void *data)
{
	struct rdmaev_dev *dev = data;

	mutex_lock(&devices_lock);
	dev->is_leaving = true;		/* rdmaev_devices_poll() leaves it alone */
	mutex_unlock(&devices_lock);
	ib_unregister_event_handler(&dev->handler);
	cancel_delayed_work_sync(&dev->work);
	rdmaev_burst_end(dev->generation);

	mutex_lock(&devices_lock);
	rdmaev_access_keep(dev);
	report_device(dev, RDMAEV_DEVICE_REMOVE, "");
	dev->ib = NULL;
	rdmaev_ports_free_tables(dev);
	list_move_tail(&dev->list, &removed);
	if (++removed_count > RDMAEV_GONE_KEPT)
		evict_oldest();
	mutex_unlock(&devices_lock);
}

static void rename_one(struct ib_device *ib, void *data)
{
	char old_name[RDMAEV_DEVICE_NAME_SIZE];
	struct rdmaev_dev *dev = data;

	mutex_lock(&devices_lock);
	if (strcmp(rdmaev_device_name(dev), ib->name)) {
		memcpy(old_name, rdmaev_device_name(dev), sizeof(old_name));
		set_device_name(dev, ib->name);
		report_device(dev, RDMAEV_DEVICE_RENAME, old_name);
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

	query_wq = alloc_workqueue("rdmaev_query", WQ_UNBOUND, 0);
	if (!query_wq)
		return -ENOMEM;
	ret = ib_register_client(&client);
	if (ret) {
		/* The core has removed those again that it had added before. */
		evict_all();
		destroy_workqueue(query_wq);
	}
	return ret;
}

/** rdmaev_device_exit - follow no device any more, and forget all */
void rdmaev_device_exit(void)
{
	ib_unregister_client(&client);
	evict_all();
	destroy_workqueue(query_wq);
	/* kfree_rcu() runs code of the kernel only: nothing to wait for. */
}

/** rdmaev_devices_for_each - see device.h */
bool rdmaev_devices_for_each(const struct rdmaev_cred *cred, u32 device,
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
	list_for_each_entry(dev, &removed, list) {
		if (!with_gone || !is_selected(dev, device, cred))
			continue;
		found = true;
		fn(dev, true, rdmaev_may_administer(dev, cred), data);
	}
	list_for_each_entry(dev, &live, list) {
		if (!is_selected(dev, device, cred))
			continue;
		found = true;
		fn(dev, false, rdmaev_may_administer(dev, cred), data);
	}
	rcu_read_unlock();
	mutex_unlock(&devices_lock);
	return found;
}
