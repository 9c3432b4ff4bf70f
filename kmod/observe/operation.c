// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations of devices that are replaced. struct ib_device has the table by value, and
 * the core calls what is there: so the result is seen, and what the caller asked for,
 * in its context, without any tracing.
 *
 * Lifetime: the operations of a device are replaced after its entry is in the table. They
 * stay replaced while the device is being removed, as the objects on it end then; and are
 * restored when it has gone, or this module goes, before the entry leaves the table; that is
 * freed after a grace period. What an entry knows of the driver is shared by all devices
 * with the same operations, and kept until this module goes. Another module that has
 * replaced an operation since calls the function of this one: then the entry stays, and so
 * does this module.
 *
 * A call may take as long as a process likes, whose memory the driver needs. So it keeps
 * this module from being unloaded, and nothing waits for it, but for those few that begin
 * while this module goes already.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "operation.h"

#define OPERATION_BUCKET_BITS	6

/**
 * struct operation_driver - operations that devices had when they came
 * @list: in operation_drivers
 * @ops: a copy of them
 */
struct operation_driver {
	struct list_head list;
	const struct ib_device_ops *ops;
};

/**
 * struct operation_device - a device whose operations are replaced
 * @node: node in its bucket
 * @ib: device, a key; with a reference once the core has removed it
 * @driver: operations of its driver
 * @is_leaving: it is being removed, or moves to another network namespace; written under
 *	operation_mutex
 * @unseen: OBSERVE_TRY_*: what a trial should have seen of it and has not; likewise
 * @rcu: frees it
 */
struct operation_device {
	struct hlist_node node;
	struct ib_device *ib;
	const struct ib_device_ops *driver;
	bool is_leaving;
	u32 unseen;
	struct rcu_head rcu;
};

/* Read under RCU. operation_mutex protects changes, and the next five. */
static struct hlist_head operation_buckets[1 << OPERATION_BUCKET_BITS];
static LIST_HEAD(operation_drivers);
static DEFINE_MUTEX(operation_mutex);
static bool operation_is_held;		/* this module cannot be unloaded */
static unsigned int operation_failed;	/* devices without an entry, for lack of memory */
static s64 operation_late = S64_MAX;	/* see observe_operations_late() */
static unsigned long operation_others;	/* sum of the functions in place of ours, last time */

static const struct ib_device_ops *operation_ours;	/* functions of this module */
static const struct observe_operation *operation_table;
static unsigned int operation_count;

/* Calls that have not returned, but those under RCU */
static atomic_t operation_calls = ATOMIC_INIT(0);

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
 * observe_driver_ops - get the operations of the driver
 * @ib: device, whose caller holds it
 *
 * Context: any but NMI, under RCU.
 *
 * Return: the operations that are replaced, or were when the call began.
 */
const struct ib_device_ops *observe_driver_ops(const struct ib_device *ib)
{
	const struct operation_device *dev = operation_find(ib);

	if (likely(dev))
		return dev->driver;
	/*
	 * They have been restored since. Pairs with cmpxchg() in operation_restore(): who does
	 * not see the entry any more sees that.
	 */
	smp_rmb();
	return &ib->ops;
}

/**
 * observe_operation_enter - a call that may sleep begins
 * @ib: device, whose caller holds it
 * @is_held: set, for observe_operation_leave()
 *
 * Context: any but NMI.
 *
 * Return: as observe_driver_ops().
 */
const struct ib_device_ops *observe_operation_enter(const struct ib_device *ib, bool *is_held)
{
	const struct ib_device_ops *driver;

	*is_held = try_module_get(THIS_MODULE);
	atomic_inc(&operation_calls);
	rcu_read_lock();
	driver = observe_driver_ops(ib);
	rcu_read_unlock();
	return driver;
}

/** observe_operation_leave - the opposite */
void observe_operation_leave(bool is_held)
{
	/* Pairs with atomic_read_acquire() in operation_end(). */
	atomic_dec_return_release(&operation_calls);
	if (is_held)
		module_put(THIS_MODULE);
}

/** observe_device_is_leaving - is the device known to be being removed? */
bool observe_device_is_leaving(const struct ib_device *ib)
{
	const struct operation_device *dev;
	bool is_leaving;

	rcu_read_lock();
	dev = operation_find(ib);
	is_leaving = !dev || READ_ONCE(dev->is_leaving);
	rcu_read_unlock();
	return is_leaving;
}

/**
 * observe_device_tried - note what a trial has seen of a device, as far as it was tried
 * @ib: device
 * @seen: OBSERVE_TRY_*
 * @unseen: OBSERVE_TRY_*
 *
 * Context: process, may sleep.
 *
 * Return: what is unseen for the first time.
 */
u32 observe_device_tried(const struct ib_device *ib, u32 seen, u32 unseen)
{
	struct operation_device *dev;
	u32 before = ~0;

	mutex_lock(&operation_mutex);
	dev = operation_find(ib);
	if (dev) {
		before = dev->unseen;
		dev->unseen = (before & ~seen) | unseen;
	}
	mutex_unlock(&operation_mutex);
	return unseen & ~before;
}

/**
 * observe_device_unseen - return OBSERVE_TRY_* that trials have not seen of a device
 * @ib: device, NULL: of any that is there
 *
 * Context: process, may sleep.
 */
u32 observe_device_unseen(const struct ib_device *ib)
{
	const struct operation_device *dev;
	u32 unseen = 0;
	unsigned int i;

	mutex_lock(&operation_mutex);
	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry(dev, &operation_buckets[i], node) {
			if ((!ib || dev->ib == ib) && !dev->is_leaving)
				unseen |= dev->unseen;
		}
	}
	mutex_unlock(&operation_mutex);
	return unseen;
}

/** observe_ends_replaced - is the operation of a device that destroys QPs replaced? */
bool observe_ends_replaced(const struct ib_device *ib)
{
	const struct operation_device *dev;
	bool is_replaced;

	rcu_read_lock();
	dev = operation_find(ib);
	/* Or by another module that calls ours */
	is_replaced = dev && READ_ONCE(ib->ops.destroy_qp) != dev->driver->destroy_qp;
	rcu_read_unlock();
	return is_replaced;
}

/* The place of an operation in a device */
static void **operation_of(struct ib_device *ib, const struct observe_operation *op)
{
	return (void **)((u8 *)ib + op->offset);
}

/* The function that a table has for an operation, NULL: none */
static void *operation_in(const struct ib_device_ops *ops, const struct observe_operation *op)
{
	return *(void **)((u8 *)ops + op->offset - offsetof(struct ib_device, ops));
}

/* Is it one that is replaced on a device? A driver may not have it. */
static bool operation_is_ours(const struct operation_device *dev,
			      const struct observe_operation *op)
{
	return *op->wanted && (!op->needs || *op->needs == OBSERVE_ARMED) &&
	       operation_in(dev->driver, op);
}

/* Operations of a driver, NULL without memory. Called with operation_mutex held. */
static const struct ib_device_ops *operation_driver(const struct ib_device_ops *ops)
{
	struct operation_driver *driver;

	list_for_each_entry(driver, &operation_drivers, list) {
		if (!memcmp(driver->ops, ops, sizeof(*ops)))
			return driver->ops;
	}
	driver = kzalloc(sizeof(*driver), GFP_KERNEL);
	if (!driver)
		return NULL;
	driver->ops = kmemdup(ops, sizeof(*ops), GFP_KERNEL);
	if (!driver->ops) {
		kfree(driver);
		return NULL;
	}
	list_add(&driver->list, &operation_drivers);
	return driver->ops;
}

/* Called with operation_mutex held. Returns false without memory. */
static bool operation_replace(struct ib_device *ib)
{
	struct operation_device *dev = operation_find(ib);
	const struct observe_operation *op;

	/* It has moved to another network namespace. */
	if (dev) {
		WRITE_ONCE(dev->is_leaving, false);
		put_device(&ib->dev);
		return true;
	}
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return false;
	dev->driver = operation_driver(&ib->ops);
	if (!dev->driver) {
		kfree(dev);
		return false;
	}
	dev->ib = ib;
	hlist_add_head_rcu(&dev->node, operation_bucket(ib));
	for (op = operation_table; op < operation_table + operation_count; op++) {
		/* Full barrier: who calls the function finds the entry. */
		if (operation_is_ours(dev, op))
			xchg(operation_of(ib, op), operation_in(operation_ours, op));
	}
	operation_late = min_t(s64, operation_late, ib->index);
	return true;
}

/* A device without an entry is one of the client, too: so it is seen to go. */
static int operation_add(struct ib_device *ib)
{
	mutex_lock(&operation_mutex);
	if (!operation_replace(ib))
		WRITE_ONCE(operation_failed, operation_failed + 1);
	mutex_unlock(&operation_mutex);
	return 0;
}

static void operation_remove(struct ib_device *ib, void *data)
{
	struct operation_device *dev;

	mutex_lock(&operation_mutex);
	dev = operation_find(ib);
	if (dev) {
		get_device(&ib->dev);
		WRITE_ONCE(dev->is_leaving, true);
	} else {
		WRITE_ONCE(operation_failed, operation_failed - 1);
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
static const struct observe_operation *operation_covered(const struct operation_device *dev)
{
	const struct observe_operation *op;
	const void *fn;

	if (!device_is_registered(&dev->ib->dev))
		return NULL;
	for (op = operation_table; op < operation_table + operation_count; op++) {
		fn = READ_ONCE(*operation_of(dev->ib, op));
		if (operation_is_ours(dev, op) && fn != operation_in(operation_ours, op) &&
		    fn != operation_in(dev->driver, op))
			return op;
	}
	return NULL;
}

/* Called with operation_mutex held. Returns false if an operation is covered. */
static bool operation_restore(struct operation_device *dev)
{
	const struct observe_operation *op;

	for (op = operation_table; op < operation_table + operation_count; op++) {
		/* Pairs with smp_rmb() in observe_driver_ops(). */
		if (operation_is_ours(dev, op))
			cmpxchg(operation_of(dev->ib, op), operation_in(operation_ours, op),
				operation_in(dev->driver, op));
	}
	return !operation_covered(dev);
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

/*
 * The sum of the functions that others have put in place of those of this module: whether
 * they call those, a trial shows. Called with operation_mutex held.
 */
static unsigned long operation_sum_others(void)
{
	const struct observe_operation *op;
	const struct operation_device *dev;
	unsigned long sum = 0;
	unsigned int i;
	void *fn;

	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry(dev, &operation_buckets[i], node) {
			for (op = operation_table; op < operation_table + operation_count; op++) {
				fn = READ_ONCE(*operation_of(dev->ib, op));
				if (operation_is_ours(dev, op) &&
				    fn != operation_in(operation_ours, op))
					sum += (unsigned long)fn;
			}
		}
	}
	return sum;
}

static bool operation_has_gone(const struct operation_device *dev)
{
	return dev->is_leaving && !device_is_registered(&dev->ib->dev);
}

/*
 * Restore the operations of all devices that the core has removed, or only of those that
 * have gone, and forget them. Returns false if an operation is covered.
 */
static bool operation_restore_all(bool only_gone)
{
	struct operation_device *dev;
	struct hlist_node *next;
	bool is_restored = true;
	unsigned int i;

	mutex_lock(&operation_mutex);
	for (i = 0; i < ARRAY_SIZE(operation_buckets); i++) {
		hlist_for_each_entry_safe(dev, next, &operation_buckets[i], node) {
			if (only_gone && !operation_has_gone(dev))
				continue;
			if (!operation_restore(dev)) {
				is_restored = false;
				continue;
			}
			hlist_del_rcu(&dev->node);
			put_device(&dev->ib->dev);
			kfree_rcu(dev, rcu);
		}
	}
	mutex_unlock(&operation_mutex);
	return is_restored;
}

/**
 * observe_operations_late - which devices have come?
 *
 * Clients of the core that were there before this module may have made objects on them before
 * their operations were replaced.
 *
 * Context: process, may sleep.
 *
 * Return: the smallest index of those that have come since the last call, S64_MAX: none.
 */
s64 observe_operations_late(void)
{
	s64 late;

	mutex_lock(&operation_mutex);
	late = operation_late;
	operation_late = S64_MAX;
	mutex_unlock(&operation_mutex);
	return late;
}

/**
 * observe_operations_check - forget devices that have gone, and keep the module while it
 * cannot be unloaded
 *
 * Context: process, may sleep. Called every few seconds.
 *
 * Return: true if another module has replaced operations since the last call, or restored
 * some.
 */
bool observe_operations_check(void)
{
	const struct observe_operation *op;
	struct ib_device *ib;
	unsigned long others;
	bool is_changed;

	operation_restore_all(true);
	mutex_lock(&operation_mutex);
	others = operation_sum_others();
	is_changed = others != operation_others;
	operation_others = others;
	op = operation_find_covered(&ib);
	if (op && !operation_is_held && try_module_get(THIS_MODULE)) {
		operation_is_held = true;
		dev_warn(&ib->dev, "rdmaev_observe cannot be unloaded: %ps has replaced its %s; unload that first\n",
			 *operation_of(ib, op), op->name);
	} else if (!op && operation_is_held) {
		operation_is_held = false;
		module_put(THIS_MODULE);
	}
	mutex_unlock(&operation_mutex);
	return is_changed;
}

/*
 * The core has removed all devices. Wait until no other module calls a function of this one
 * any more, and for those calls: before they are counted, and after that, they can only
 * be preempted. Where this module could not be loaded, they may hold it in vain.
 */
static void operation_end(void)
{
	struct operation_driver *driver, *next;
	const struct observe_operation *op;
	struct ib_device *ib;

	while (!operation_restore_all(false)) {
		mutex_lock(&operation_mutex);
		op = operation_find_covered(&ib);
		if (op)
			dev_warn_once(&ib->dev, "rdmaev_observe waits: %ps has replaced its %s; unload that first\n",
				      *operation_of(ib, op), op->name);
		mutex_unlock(&operation_mutex);
		msleep(1000);
	}
	synchronize_rcu_tasks();
	synchronize_rcu();
	/* Pairs with atomic_dec_return_release() in observe_operation_leave(). */
	while (atomic_read_acquire(&operation_calls))
		msleep(20);
	synchronize_rcu_tasks();
	list_for_each_entry_safe(driver, next, &operation_drivers, list) {
		kfree(driver->ops);
		kfree(driver);
	}
}

/**
 * observe_operations_init - replace operations of all devices
 * @ours: the functions in their place
 * @operations: operations
 * @count: number of operations
 *
 * Return: 0 or -errno.
 */
int observe_operations_init(const struct ib_device_ops *ours,
			    const struct observe_operation *operations,
			    unsigned int count)
{
	int ret;

	operation_ours = ours;
	operation_table = operations;
	operation_count = count;
	ret = ib_register_client(&operation_client);
	/* The core has removed the devices that it had added. */
	if (ret)
		operation_end();
	return ret;
}

/** observe_operations_exit - the opposite, returns when no call runs any more */
void observe_operations_exit(void)
{
	ib_unregister_client(&operation_client);
	operation_end();
}

static int operation_status_of(const struct observe_operation *op)
{
	if (!*op->wanted)
		return OBSERVE_OFF;
	if (op->needs && *op->needs != OBSERVE_ARMED)
		return *op->needs;
	return READ_ONCE(operation_failed) ? -ENOMEM : OBSERVE_ARMED;
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
			.mechanism = OBSERVES_BY_OPERATION,
			.status = operation_status_of(op),
			.missed = op->missed ? op->missed() : 0,
		};

		visit(&entry, data);
	}
}
