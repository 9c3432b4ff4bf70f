// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations of devices that are replaced. struct ib_device has the table by value, and
 * the core calls what is there: so the result is seen, and what the caller asked for,
 * in its context, without any tracing.
 *
 * Lifetime: the operations of a device are replaced after its entry is in the table. They
 * stay replaced while the device is being removed, as the objects on it end then; and are
 * restored when it has gone, or this module goes, before the entry leaves the table.
 * Another module that has replaced an operation since calls the function of this one: then
 * the entry stays, and so does this module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <rdma/ib_verbs.h>

#include "operation.h"

#define OPERATION_BUCKET_BITS	6

/**
 * struct operation_device - a device whose operations are replaced
 * @node: node in its bucket
 * @ib: device, a key; with a reference once the core has removed it, until it has gone
 * @driver: its operations. @driver.is_leaving is written under operation_mutex, and read
 *	without it
 * @rcu: frees it
 */
struct operation_device {
	struct hlist_node node;
	struct ib_device *ib;
	struct observe_driver driver;
	struct rcu_head rcu;
};

/* Read under RCU. operation_mutex protects changes, and the next two. */
static struct hlist_head operation_buckets[1 << OPERATION_BUCKET_BITS];
static DEFINE_MUTEX(operation_mutex);
static bool operation_is_held;		/* this module cannot be unloaded */
static int operation_status = OBSERVE_OFF;	/* -errno: of a device */

static const struct observe_operation *operation_table;
static unsigned int operation_count;

/* Calls of functions that are in place of an operation and may sleep */
DEFINE_STATIC_SRCU(operation_srcu);

/** observe_operation_enter - a call that may sleep begins; returns a key */
int observe_operation_enter(void)
{
	return srcu_read_lock(&operation_srcu);
}

/** observe_operation_leave - the opposite */
void observe_operation_leave(int key)
{
	srcu_read_unlock(&operation_srcu, key);
}

static struct hlist_head *operation_bucket(const struct ib_device *ib)
{
	return &operation_buckets[hash_ptr(ib, OPERATION_BUCKET_BITS)];
}

/* Called under RCU, or with operation_mutex held. */
static struct operation_device *operation_find(const struct ib_device *ib)
{
	struct operation_device *dev;

	hlist_for_each_entry_rcu(dev, operation_bucket(ib), node,
				 lockdep_is_held(&operation_mutex)) {
		if (dev->ib == ib)
			return dev;
	}
	return NULL;
}

/**
 * observe_driver_of - get the driver's operations of a device
 * @ib: device
 *
 * Context: any but NMI, under RCU.
 *
 * Return: NULL if none is replaced.
 */
const struct observe_driver *observe_driver_of(const struct ib_device *ib)
{
	const struct operation_device *dev = operation_find(ib);

	return dev ? &dev->driver : NULL;
}

/** observe_operations_replaced - are the operations of a device replaced? */
bool observe_operations_replaced(const struct ib_device *ib)
{
	bool is_replaced;

	rcu_read_lock();
	is_replaced = operation_find(ib);
	rcu_read_unlock();
	return is_replaced;
}

static void **operation_of(struct ib_device_ops *ops, const struct observe_operation *op)
{
	return (void **)((u8 *)ops + op->offset);
}

/* Is it one that is replaced on a device? A driver may not have it. */
static bool operation_is_ours(struct operation_device *dev, const struct observe_operation *op)
{
	return *op->wanted && *operation_of(&dev->driver.ops, op);
}

/* Called with operation_mutex held. 0 or -ENOMEM */
static int operation_replace(struct ib_device *ib)
{
	struct operation_device *dev = operation_find(ib);
	const struct observe_operation *op;

	/* It has moved to another network namespace. */
	if (dev) {
		WRITE_ONCE(dev->driver.is_leaving, false);
		put_device(&ib->dev);
		return 0;
	}
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->ib = ib;
	dev->driver.ops = ib->ops;
	hlist_add_head_rcu(&dev->node, operation_bucket(ib));
	for (op = operation_table; op < operation_table + operation_count; op++) {
		/* Pairs with smp_load_acquire() in observe_driver_op(). */
		if (operation_is_ours(dev, op))
			smp_store_release(operation_of(&ib->ops, op), op->fn);
	}
	return 0;
}

static int operation_add(struct ib_device *ib)
{
	int ret;

	mutex_lock(&operation_mutex);
	ret = operation_replace(ib);
	if (ret)
		operation_status = ret;
	mutex_unlock(&operation_mutex);
	return ret;
}

static void operation_remove(struct ib_device *ib, void *data)
{
	struct operation_device *dev;

	mutex_lock(&operation_mutex);
	dev = operation_find(ib);
	if (dev) {
		get_device(&ib->dev);
		WRITE_ONCE(dev->driver.is_leaving, true);
	}
	mutex_unlock(&operation_mutex);
}

static struct ib_client operation_client = {
	.name = "rdmaev_observe_ops",
	.add = operation_add,
	.remove = operation_remove,
	.no_kverbs_req = 1,
};

/*
 * Which operation of a device has another module replaced since, so that it calls the
 * function of this one? NULL: none, as of a device that has gone: nobody calls its
 * operations. Called with operation_mutex held.
 */
static const struct observe_operation *operation_covered(struct operation_device *dev)
{
	const struct observe_operation *op;
	const void *fn;

	if (!device_is_registered(&dev->ib->dev))
		return NULL;
	for (op = operation_table; op < operation_table + operation_count; op++) {
		fn = READ_ONCE(*operation_of(&dev->ib->ops, op));
		if (operation_is_ours(dev, op) && fn != op->fn &&
		    fn != *operation_of(&dev->driver.ops, op))
			return op;
	}
	return NULL;
}

/* Called with operation_mutex held. Returns false if an operation is covered. */
static bool operation_restore(struct operation_device *dev)
{
	const struct observe_operation *op;

	for (op = operation_table; op < operation_table + operation_count; op++) {
		if (operation_is_ours(dev, op))
			cmpxchg(operation_of(&dev->ib->ops, op), op->fn,
				*operation_of(&dev->driver.ops, op));
	}
	return !operation_covered(dev);
}

/* Of a device that the core has removed. Called with operation_mutex held. */
static void operation_free(struct operation_device *dev)
{
	hlist_del_rcu(&dev->node);
	put_device(&dev->ib->dev);
	kfree_rcu(dev, rcu);
}

/* Find a covered operation, and its device. Called with operation_mutex held. */
static const struct observe_operation *operation_find_covered(struct ib_device **ib)
{
	const struct observe_operation *op;
	struct operation_device *dev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry(dev, &operation_buckets[i], node) {
			op = operation_covered(dev);
			if (!op)
				continue;
			*ib = dev->ib;
			return op;
		}
	}
	return NULL;
}

/* Called with operation_mutex held. */
static void operation_free_gone(void)
{
	struct operation_device *dev;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry_safe(dev, next, &operation_buckets[i], node) {
			if (!dev->driver.is_leaving ||
			    device_is_registered(&dev->ib->dev))
				continue;
			operation_restore(dev);
			operation_free(dev);
		}
	}
}

/**
 * observe_operations_check - forget devices that have gone, and keep the module while it
 * cannot be unloaded
 *
 * Context: process, may sleep. Called every few seconds.
 */
void observe_operations_check(void)
{
	const struct observe_operation *op;
	struct ib_device *ib;

	mutex_lock(&operation_mutex);
	operation_free_gone();
	op = operation_find_covered(&ib);
	if (op && !operation_is_held && try_module_get(THIS_MODULE)) {
		operation_is_held = true;
		dev_warn(&ib->dev, "rdmaev_observe cannot be unloaded: %ps has replaced its %s; unload that first\n",
			 *operation_of(&ib->ops, op), op->name);
	} else if (!op && operation_is_held) {
		operation_is_held = false;
		module_put(THIS_MODULE);
	}
	mutex_unlock(&operation_mutex);
}

/*
 * Wait for calls. Under SRCU, or under RCU those of poll_cq, they are in the driver, which
 * may block, on PREEMPT_RT also under RCU; before and after that they can only be
 * preempted.
 */
static void operation_wait_for_calls(void)
{
	synchronize_rcu_tasks();
	synchronize_srcu(&operation_srcu);
	synchronize_rcu();
	synchronize_rcu_tasks();
}

/* All devices are leaving. Returns false if one has an operation of another module. */
static bool operation_restore_all(void)
{
	const struct observe_operation *op;
	struct operation_device *dev;
	struct hlist_node *next;
	bool is_restored = true;
	unsigned int i;

	mutex_lock(&operation_mutex);
	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry_safe(dev, next, &operation_buckets[i], node) {
			if (operation_restore(dev)) {
				operation_free(dev);
				continue;
			}
			is_restored = false;
			op = operation_covered(dev);
			if (op)
				dev_warn_once(&dev->ib->dev, "rdmaev_observe waits: %ps has replaced its %s; unload that first\n",
					      *operation_of(&dev->ib->ops, op), op->name);
		}
	}
	mutex_unlock(&operation_mutex);
	return is_restored;
}

/**
 * observe_operations_init - replace operations of all devices
 * @operations: operations
 * @count: number of operations
 *
 * Return: 0 or -errno.
 */
int observe_operations_init(const struct observe_operation *operations,
			    unsigned int count)
{
	int ret;

	operation_table = operations;
	operation_count = count;
	operation_status = OBSERVE_ARMED;
	ret = ib_register_client(&operation_client);
	/* The core has removed the devices that it had added. */
	if (ret) {
		while (!operation_restore_all())
			msleep(1000);
		operation_wait_for_calls();
	}
	return ret;
}

/** observe_operations_exit - the opposite, returns when no call runs any more */
void observe_operations_exit(void)
{
	ib_unregister_client(&operation_client);
	while (!operation_restore_all())
		msleep(1000);
	operation_wait_for_calls();
}

/**
 * observe_operations_each - visit all operations
 * @visit: called for each
 * @data: for @visit
 */
void observe_operations_each(observe_visit_fn visit, void *data)
{
	const struct observe_operation *op;

	for (op = operation_table; op < operation_table + operation_count; op++) {
		const struct observe_entry entry = {
			.symbol = op->name,
			.module = "ib_core",
			.facts = op->facts,
			.mechanism = RDMAEV_OBSERVES_BY_OPERATION,
			.status = *op->wanted ? READ_ONCE(operation_status) :
						OBSERVE_OFF,
			.missed = op->missed ? op->missed() : 0,
		};

		visit(&entry, data);
	}
}
