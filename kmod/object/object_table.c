// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One table of all objects that the observer has found: QPs, CQs, rdma_cm_ids, and
 * the owners of objects of processes.
 *
 * Objects of the kernel have room that no process can take. Of what is there for
 * objects of processes, one payer can take an eighth (see payer.c), and root half.
 * Of those that did not fit nothing is known but how many calls were about them,
 * by payer.
 */
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "device/payer.h"
#include "object_table.h"
#include "work.h"

#define NUMBER_BITS		12

/**
 * struct object_pool - entries for objects of one type
 * @max: entries of the kernel, of processes
 * @stock: unused entries to be there; the work makes them if a quarter is
 *	missing, and frees what is more than twice as many. If it is late, the
 *	last quarter is for the kernel, if it has entries of the type, the eighth
 *	before for payers who have few entries
 * @size: size of an entry, 0: none are made
 * @init: called for each new one, may be NULL
 * @unused: unused entries
 * @unused_count: their number
 * @used: entries in use, of the kernel, of processes
 * @missed: calls about objects of the kernel without an entry
 */
struct object_pool {
	u32 max[2];
	u32 stock;
	size_t size;
	void (*init)(struct rdmaev_object *obj);
	struct hlist_head unused;
	u32 unused_count;
	u32 used[2];
	u64 missed;
};

DEFINE_RAW_SPINLOCK(rdmaev_objects_lock);
struct hlist_head rdmaev_object_buckets[1 << RDMAEV_OBJECT_BITS];
static struct hlist_head object_numbers[1 << NUMBER_BITS];
static u32 object_seed;		/* processes can choose numbers */

static struct object_pool object_pools[RDMAEV_SHARE_OBJECTS] = {
	[RDMAEV_SHARE_QPS] = { .max = { 65536, 196608 }, .stock = 2048 },
	[RDMAEV_SHARE_CQS] = { .max = { 32768, 32768 }, .stock = 512 },
	[RDMAEV_SHARE_CONNECTIONS] = { .max = { 16384, 65536 }, .stock = 2048 },
	[RDMAEV_SHARE_OWNERS] = { .max = { 0, 262144 }, .stock = 1024 },
};

static void object_work_fn(struct work_struct *work);
static DECLARE_WORK(object_work, object_work_fn);

/* Called with rdmaev_objects_lock held, as the next one. */
static void object_add_unused(struct object_pool *pool,
			      struct rdmaev_object *obj)
{
	hlist_add_head(&obj->by_address, &pool->unused);
	WRITE_ONCE(pool->unused_count, pool->unused_count + 1);
}

static struct rdmaev_object *object_del_unused(struct object_pool *pool)
{
	struct rdmaev_object *obj = hlist_entry(pool->unused.first,
						struct rdmaev_object,
						by_address);

	hlist_del_init(&obj->by_address);
	WRITE_ONCE(pool->unused_count, pool->unused_count - 1);
	return obj;
}

/*
 * Make an entry of a size, which the end of the observer may set to 0 meanwhile.
 * Returns false if there is no memory.
 */
static bool object_make(struct object_pool *pool, size_t size, gfp_t gfp)
{
	struct rdmaev_object *obj = kzalloc(size, gfp | __GFP_NOWARN);

	if (!obj)
		return false;
	obj->share = pool - object_pools;
	if (pool->init)
		pool->init(obj);
	raw_spin_lock_irq(&rdmaev_objects_lock);
	object_add_unused(pool, obj);
	raw_spin_unlock_irq(&rdmaev_objects_lock);
	return true;
}

static void object_fill(struct object_pool *pool, size_t size)
{
	while (READ_ONCE(pool->unused_count) < pool->stock &&
	       object_make(pool, size, GFP_KERNEL))
		cond_resched();
}

/* Free unused entries above a number. */
static void object_trim(struct object_pool *pool, u32 max)
{
	struct rdmaev_object *obj;

	do {
		obj = NULL;
		raw_spin_lock_irq(&rdmaev_objects_lock);
		if (pool->unused_count > max)
			obj = object_del_unused(pool);
		raw_spin_unlock_irq(&rdmaev_objects_lock);
		kfree(obj);
		cond_resched();
	} while (obj);
}

static bool object_is_short(const struct object_pool *pool)
{
	return READ_ONCE(pool->unused_count) < pool->stock / 4 * 3;
}

static void object_work_fn(struct work_struct *work)
{
	struct object_pool *pool;
	size_t size;

	for (pool = object_pools; pool < object_pools + RDMAEV_SHARE_OBJECTS;
	     pool++) {
		size = smp_load_acquire(&pool->size);	/* rdmaev_objects_begin() */
		if (!size)
			object_trim(pool, 0);
		else if (object_is_short(pool))
			object_fill(pool, size);
		else if (READ_ONCE(pool->unused_count) > 2 * pool->stock)
			object_trim(pool, pool->stock);
	}
}

/* How many entries a payer may have now */
static u32 object_share(const struct object_pool *pool, u32 payer)
{
	u32 share = pool->max[true] / (payer ? 8 : 2);

	if (pool->unused_count > pool->stock / 8 * 3)
		return share;
	return min(share, pool->stock / 8);
}

/**
 * rdmaev_object_alloc - take an unused entry
 * @id: &enum rdmaev_share
 * @is_user: for an object of a process
 * @payer: who pays for that
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: an entry with the contents that it had when it was put back; NULL if
 * none is left, or @payer has too many: the call was counted.
 */
struct rdmaev_object *rdmaev_object_alloc(enum rdmaev_share id, bool is_user,
					  u32 payer)
{
	struct object_pool *pool = &object_pools[id];
	u32 kept = is_user && pool->max[false] ? pool->stock / 4 : 0;
	struct rdmaev_object *obj;
	int account = -1;

	if (object_is_short(pool))
		queue_work(rdmaev_wq, &object_work);
	if (pool->unused_count <= kept ||
	    pool->used[is_user] >= pool->max[is_user]) {
		if (is_user)
			rdmaev_payer_miss(payer, id);
		goto missed;
	}
	if (is_user) {
		account = rdmaev_payer_charge(payer, id,
					      object_share(pool, payer));
		if (account < 0)
			goto missed;
	}
	pool->used[is_user]++;
	obj = object_del_unused(pool);
	obj->account = account;
	return obj;

missed:
	if (!is_user)
		pool->missed++;
	return NULL;
}

/**
 * rdmaev_object_put - put an entry back that is in no bucket
 * @obj: entry, as it was taken
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 */
void rdmaev_object_put(struct rdmaev_object *obj)
{
	struct object_pool *pool = &object_pools[obj->share];
	bool is_user = rdmaev_object_is_user(obj);

	if (is_user)
		rdmaev_payer_uncharge(obj->account, obj->share);
	pool->used[is_user]--;
	object_add_unused(pool, obj);
	/* After the end, it is one of which a ULP has just ended the observation. */
	if (pool->unused_count == 2 * pool->stock + 1 ||
	    !READ_ONCE(pool->size))
		queue_work(rdmaev_wq, &object_work);
}

static struct hlist_head *object_number_bucket(u32 device, u32 number)
{
	return &object_numbers[jhash_2words(number, device, object_seed) %
			       ARRAY_SIZE(object_numbers)];
}

/**
 * rdmaev_object_find_number - find an object by its number
 * @share: &enum rdmaev_share
 * @device: index of its device
 * @number: number of rdmaev_object_set_number()
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: the newest entry that has it, or NULL.
 */
struct rdmaev_object *rdmaev_object_find_number(enum rdmaev_share share,
						u32 device, u32 number)
{
	struct rdmaev_object *obj;

	hlist_for_each_entry(obj, object_number_bucket(device, number),
			     by_number) {
		if (obj->number == number && obj->device == device &&
		    obj->share == share)
			return obj;
	}
	return NULL;
}

/**
 * rdmaev_object_add - add an object that is not in the table
 * @share: &enum rdmaev_share
 * @address: its address
 * @is_user: it belongs to a process
 * @payer: who pays for that
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: as rdmaev_object_alloc().
 */
struct rdmaev_object *rdmaev_object_add(enum rdmaev_share share,
					const void *address, bool is_user,
					u32 payer)
{
	struct rdmaev_object *obj = rdmaev_object_alloc(share, is_user, payer);

	if (!obj)
		return NULL;
	obj->address = address;
	hlist_add_head(&obj->by_address, rdmaev_object_bucket(address));
	return obj;
}

/**
 * rdmaev_object_set_number - make its number a key as well
 * @obj: an object that was added
 * @device: index of its device
 * @number: its number
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 */
void rdmaev_object_set_number(struct rdmaev_object *obj, u32 device, u32 number)
{
	obj->device = device;
	obj->number = number;
	hlist_add_head(&obj->by_number, object_number_bucket(device, number));
}

/**
 * rdmaev_object_remove - remove an object, and put its entry back
 * @obj: object that was added
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 */
void rdmaev_object_remove(struct rdmaev_object *obj)
{
	hlist_del_init(&obj->by_number);
	hlist_del(&obj->by_address);
	rdmaev_object_put(obj);
}

/**
 * rdmaev_objects_make_room - make entries of a type if there are few
 * @id: &enum rdmaev_share
 *
 * Context: process, may sleep.
 */
void rdmaev_objects_make_room(enum rdmaev_share id)
{
	if (likely(!object_is_short(&object_pools[id])))
		return;
	queue_work(rdmaev_wq, &object_work);
	flush_work(&object_work);
}
EXPORT_SYMBOL_GPL(rdmaev_objects_make_room);

/**
 * rdmaev_objects_make_one - make an entry of a type if there are few
 * @id: &enum rdmaev_share
 *
 * Context: process, may not sleep; with interrupts enabled, and no lock held.
 */
void rdmaev_objects_make_one(enum rdmaev_share id)
{
	struct object_pool *pool = &object_pools[id];
	size_t size;

	if (likely(!object_is_short(pool)))
		return;
	/* There, memory needs locks that sleep: the stock has to do. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible())
		return;
	size = smp_load_acquire(&pool->size);	/* rdmaev_objects_begin() */
	if (size)
		object_make(pool, size, GFP_ATOMIC);
}

/**
 * rdmaev_objects_begin - prepare for objects of a type
 * @id: &enum rdmaev_share
 * @size: size of their entries
 * @init: called for each new entry, which is zero; in process context. May be
 *	NULL
 *
 * Return: 0 or -ENOMEM.
 */
int rdmaev_objects_begin(enum rdmaev_share id, size_t size,
			 void (*init)(struct rdmaev_object *obj))
{
	struct object_pool *pool = &object_pools[id];

	if (!object_seed)
		object_seed = get_random_u32();
	pool->missed = 0;
	pool->init = init;
	/* The work may run for another type. Pairs with object_work_fn(). */
	smp_store_release(&pool->size, size);
	rdmaev_objects_make_room(id);
	return READ_ONCE(pool->unused_count) ? 0 : -ENOMEM;
}

/**
 * rdmaev_objects_missed - get the calls about objects of the kernel that had no
 * entry
 * @id: &enum rdmaev_share
 *
 * Since rdmaev_objects_begin(). Those about objects of processes have records for
 * each payer.
 */
u64 rdmaev_objects_missed(enum rdmaev_share id)
{
	unsigned long flags;
	u64 missed;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	missed = object_pools[id].missed;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return missed;
}
EXPORT_SYMBOL_GPL(rdmaev_objects_missed);

/**
 * rdmaev_objects_remove - remove objects; others may be added
 * @is_kept: called for each, with rdmaev_objects_lock held
 */
void rdmaev_objects_remove(bool (*is_kept)(const struct rdmaev_object *obj))
{
	struct hlist_head *head;
	struct rdmaev_object *obj;
	struct hlist_node *next;

	for (head = rdmaev_object_buckets;
	     head < rdmaev_object_buckets + ARRAY_SIZE(rdmaev_object_buckets);
	     head++) {
		raw_spin_lock_irq(&rdmaev_objects_lock);
		hlist_for_each_entry_safe(obj, next, head, by_address) {
			if (!is_kept(obj))
				rdmaev_object_remove(obj);
		}
		raw_spin_unlock_irq(&rdmaev_objects_lock);
		cond_resched();
	}
}

static bool object_is_kept(const struct rdmaev_object *obj)
{
	return false;
}

/**
 * rdmaev_objects_end - remove all objects, and free everything
 *
 * None is added any more. Others may still search for one.
 */
void rdmaev_objects_end(void)
{
	struct object_pool *pool;

	rdmaev_objects_remove(object_is_kept);
	for (pool = object_pools; pool < object_pools + RDMAEV_SHARE_OBJECTS;
	     pool++)
		WRITE_ONCE(pool->size, 0);
	queue_work(rdmaev_wq, &object_work);
	flush_work(&object_work);
}
