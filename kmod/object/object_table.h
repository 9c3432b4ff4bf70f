/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One table of all objects that are observed, with a share for each user */
#ifndef RDMAEV_OBJECT_TABLE_H
#define RDMAEV_OBJECT_TABLE_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "device/payer.h"

/**
 * struct rdmaev_object - what is known of every observed object. First member
 *	of what else is known of those of its type
 * @by_address: node in its bucket, or in the list of unused entries of its type
 * @by_number: node in its bucket, if its number is a key as well
 * @address: key that is never dereferenced
 * @device: index of the device, with @number
 * @number: number of the object on that device, if that is a key
 * @share: &enum rdmaev_share, never changed
 * @account: account that pays for it, -1: it belongs to the kernel
 *
 * Allocated by the work, as objects are found in any context, or by
 * rdmaev_objects_make_one(). Taken when one is found, put back when it ends, and
 * freed by the work if very many are unused. Changed with rdmaev_objects_lock
 * held, and only then to be looked at; CQs are in no bucket, and have their own
 * rules, see cq_observed.c.
 */
struct rdmaev_object {
	struct hlist_node by_address;
	struct hlist_node by_number;
	const void *address;
	u32 device;
	u32 number;
	u16 share;
	s16 account;
};

/*
 * Protects the table. Raw, and with interrupts off: objects are found in any
 * context. Held for one object at a time; payer_lock is taken in it.
 */
extern raw_spinlock_t rdmaev_objects_lock;

static inline bool rdmaev_object_is_user(const struct rdmaev_object *obj)
{
	return obj->account >= 0;
}

#define RDMAEV_OBJECT_BITS	14

/* By address. Protected by rdmaev_objects_lock, too */
extern struct hlist_head rdmaev_object_buckets[1 << RDMAEV_OBJECT_BITS];

static inline struct hlist_head *rdmaev_object_bucket(const void *address)
{
	return &rdmaev_object_buckets[hash_ptr(address, RDMAEV_OBJECT_BITS)];
}

/**
 * rdmaev_object_find - find an object by its address
 * @share: &enum rdmaev_share
 * @address: address
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: entry, which may be that of an object which had the address before;
 * or NULL.
 */
static inline struct rdmaev_object *rdmaev_object_find(enum rdmaev_share share,
						       const void *address)
{
	struct rdmaev_object *obj;

	hlist_for_each_entry(obj, rdmaev_object_bucket(address), by_address) {
		if (obj->address == address && obj->share == share)
			return obj;
	}
	return NULL;
}

int rdmaev_objects_begin(enum rdmaev_share share, size_t size,
			 void (*init)(struct rdmaev_object *obj));
void rdmaev_objects_make_one(enum rdmaev_share share);
void rdmaev_objects_remove(bool (*is_kept)(const struct rdmaev_object *obj));
void rdmaev_objects_end(void);

/* With rdmaev_objects_lock held */
struct rdmaev_object *rdmaev_object_alloc(enum rdmaev_share share, bool is_user,
					  u32 payer);
void rdmaev_object_put(struct rdmaev_object *obj);
struct rdmaev_object *rdmaev_object_find_number(enum rdmaev_share share,
						u32 device, u32 number);
struct rdmaev_object *rdmaev_object_add(enum rdmaev_share share,
					const void *address, bool is_user,
					u32 payer);
void rdmaev_object_set_number(struct rdmaev_object *obj, u32 device,
			      u32 number);
void rdmaev_object_remove(struct rdmaev_object *obj);

/* For the module rdmaev_observe */
void rdmaev_objects_make_room(enum rdmaev_share share);
u64 rdmaev_objects_missed(enum rdmaev_share share);

#endif /* RDMAEV_OBJECT_TABLE_H */
