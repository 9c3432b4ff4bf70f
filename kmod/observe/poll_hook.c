// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs that kernel ULPs poll themselves: poll queues of nvme-rdma, IPoIB, SMC,
 * RDS. ib_poll_cq() is inline and calls the operation of the device, so that
 * operation is replaced by one that counts what the driver's has returned. Every
 * poll on the device gets slower by that, so a parameter has to ask for it.
 *
 * Lifetime: a device has the driver's operation again before its entry is
 * freed, and before the module goes. Another module that has replaced the
 * operation since calls this one: then the entry stays, and so does the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "cq_hook.h"
#include "hook.h"
#include "object/cq_observed.h"
#include "poll_hook.h"

#define POLL_BUCKET_BITS	6

typedef int (*poll_cq_fn)(struct ib_cq *cq, int n, struct ib_wc *wc);

/**
 * struct poll_device - a device whose operation is replaced
 * @node: node in its bucket
 * @ib: device, a key
 * @poll_cq: operation of the driver
 * @is_removed: the device was removed, or moves to another network namespace,
 *	with the operation of another module. There is a reference to it
 * @rcu: frees it
 */
struct poll_device {
	struct hlist_node node;
	struct ib_device *ib;
	poll_cq_fn poll_cq;
	bool is_removed;
	struct rcu_head rcu;
};

/* Read under RCU. poll_mutex protects changes, and the next two. */
static struct hlist_head poll_buckets[1 << POLL_BUCKET_BITS];
static DEFINE_MUTEX(poll_mutex);
static bool poll_is_held;		/* this module cannot be unloaded */
/* As in struct observe_entry; -errno: of a device */
static int poll_status = OBSERVE_OFF;

static int observe_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc);

static struct hlist_head *poll_bucket(const struct ib_device *ib)
{
	return &poll_buckets[hash_ptr(ib, POLL_BUCKET_BITS)];
}

/* Called under RCU, or with poll_mutex held. */
static struct poll_device *poll_find(const struct ib_device *ib)
{
	struct poll_device *dev;

	hlist_for_each_entry_rcu(dev, poll_bucket(ib), node,
				 lockdep_is_held(&poll_mutex)) {
		if (dev->ib == ib)
			return dev;
	}
	return NULL;
}

/*
 * Does a ULP poll the CQ? The core's tracepoint shows those that the core polls.
 * Those of ib_create_cq() have no @wc.
 */
static bool poll_is_direct(const struct ib_cq *cq)
{
	return rdma_is_kernel_res(&cq->res) &&
	       (!cq->wc || cq->poll_ctx == IB_POLL_DIRECT);
}

/*
 * Find the operation of the driver. An entry is added before the operation is
 * replaced, and removed after it is restored: if there is none, the device has
 * the driver's. Called under RCU.
 */
static poll_cq_fn poll_original(const struct ib_device *ib)
{
	const struct poll_device *dev;
	poll_cq_fn poll_cq;

	for (;;) {
		dev = poll_find(ib);
		if (dev)
			return dev->poll_cq;
		/* Pairs with smp_store_release() in poll_replace(). */
		poll_cq = smp_load_acquire(&ib->ops.poll_cq);
		if (poll_cq != observe_poll_cq)
			return poll_cq;
	}
}

/* In place of the operation of a driver: any context */
static int observe_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	poll_cq_fn poll_cq;
	int done;

	rcu_read_lock();
	poll_cq = poll_original(cq->device);
	done = poll_cq(cq, n, wc);
	if (poll_is_direct(cq))
		rdmaev_observe_direct_poll(cq, wc, done);
	rcu_read_unlock();
	return done;
}

/* Called with poll_mutex held. 0 or -ENOMEM */
static int poll_replace(struct ib_device *ib)
{
	struct poll_device *dev = poll_find(ib);

	/* It has moved, and the other module's operation still calls this one. */
	if (dev) {
		dev->is_removed = false;
		put_device(&ib->dev);
		return 0;
	}
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->ib = ib;
	dev->poll_cq = ib->ops.poll_cq;
	hlist_add_head_rcu(&dev->node, poll_bucket(ib));
	/* Pairs with smp_load_acquire() in poll_original(). */
	smp_store_release(&ib->ops.poll_cq, observe_poll_cq);
	return 0;
}

static int poll_add(struct ib_device *ib)
{
	int ret;

	if (!ib->ops.poll_cq)
		return -EOPNOTSUPP;
	mutex_lock(&poll_mutex);
	ret = poll_replace(ib);
	if (ret)
		poll_status = ret;
	mutex_unlock(&poll_mutex);
	return ret;
}

/* Called with poll_mutex held. Returns false if another module replaced it. */
static bool poll_restore(struct poll_device *dev)
{
	if (cmpxchg(&dev->ib->ops.poll_cq, observe_poll_cq, dev->poll_cq) !=
	    observe_poll_cq)
		return false;
	hlist_del_rcu(&dev->node);
	kfree_rcu(dev, rcu);
	return true;
}

/* No ULP polls a removed device: it does not matter who has replaced the operation. */
static void poll_remove(struct ib_device *ib, void *data)
{
	struct poll_device *dev;

	mutex_lock(&poll_mutex);
	dev = poll_find(ib);
	if (dev && !poll_restore(dev)) {
		get_device(&ib->dev);
		dev->is_removed = true;
	}
	mutex_unlock(&poll_mutex);
}

static struct ib_client poll_client = {
	.name = "rdmaev_observe_poll",
	.add = poll_add,
	.remove = poll_remove,
	.no_kverbs_req = 1,
};

/*
 * Return a device on which another module has replaced the operation since, and
 * calls the one of this module. A device that moves to another network namespace
 * remains registered. Called with poll_mutex held.
 */
static const struct poll_device *poll_find_covered(void)
{
	const struct poll_device *dev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(poll_buckets); i++) {
		hlist_for_each_entry(dev, &poll_buckets[i], node) {
			if (dev->is_removed ?
			    device_is_registered(&dev->ib->dev) :
			    READ_ONCE(dev->ib->ops.poll_cq) != observe_poll_cq)
				return dev;
		}
	}
	return NULL;
}

/**
 * observe_polls_check - keep the module while it cannot be unloaded
 *
 * Context: process, may sleep. Called every few seconds.
 */
void observe_polls_check(void)
{
	const struct poll_device *dev;

	mutex_lock(&poll_mutex);
	dev = poll_find_covered();
	if (dev && !poll_is_held && try_module_get(THIS_MODULE)) {
		poll_is_held = true;
		dev_warn(&dev->ib->dev, "rdmaev_observe cannot be unloaded: %ps has replaced its poll_cq; unload that first\n",
			 dev->ib->ops.poll_cq);
	} else if (!dev && poll_is_held) {
		poll_is_held = false;
		module_put(THIS_MODULE);
	}
	mutex_unlock(&poll_mutex);
}

/*
 * Wait for calls of observe_poll_cq(). Under RCU they are in the driver, which
 * on PREEMPT_RT may block; before and after that they can only be preempted.
 */
static void poll_wait_for_calls(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu();
	synchronize_rcu_tasks();
}

/** observe_polls_init - replace the operation of all devices; 0 or -errno */
int observe_polls_init(void)
{
	int ret;

	poll_status = OBSERVE_ARMED;
	ret = ib_register_client(&poll_client);
	/* The core has removed the devices that it had added. */
	if (ret)
		poll_wait_for_calls();
	return ret;
}

/* Wait until no other module calls observe_poll_cq() any more. */
static void poll_wait_for_others(void)
{
	const struct poll_device *covered;

	do {
		mutex_lock(&poll_mutex);
		covered = poll_find_covered();
		if (covered)
			dev_warn_once(&covered->ib->dev, "rdmaev_observe waits: %ps has replaced its poll_cq; unload that first\n",
				      covered->ib->ops.poll_cq);
		mutex_unlock(&poll_mutex);
		if (covered)
			msleep(1000);
	} while (covered);
}

/** observe_polls_exit - the opposite, returns when no call runs any more */
void observe_polls_exit(void)
{
	struct poll_device *dev;
	struct hlist_node *next;
	unsigned int i;

	poll_wait_for_others();
	ib_unregister_client(&poll_client);
	/* Meanwhile another module may have come. */
	poll_wait_for_others();
	poll_wait_for_calls();
	/* Those of removed devices; kfree_rcu() of others needs no module. */
	for (i = 0; i < ARRAY_SIZE(poll_buckets); i++) {
		hlist_for_each_entry_safe(dev, next, &poll_buckets[i], node) {
			hlist_del(&dev->node);
			put_device(&dev->ib->dev);
			kfree(dev);
		}
	}
}

/**
 * observe_polls_each - visit the operation
 * @visit: called for it
 * @data: for @visit
 */
void observe_polls_each(observe_visit_fn visit, void *data)
{
	const struct observe_entry entry = {
		.symbol = "poll_cq",
		.module = "ib_core",
		.facts = RDMAEV_OBSERVED_POLLED_CQS,
		.mechanism = RDMAEV_OBSERVES_BY_OPERATION,
		.status = READ_ONCE(poll_status),
		/* The tracepoints have those of both, too. */
		.missed = observe_kernel_cqs_missed(),
	};

	visit(&entry, data);
}
