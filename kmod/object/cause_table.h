/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The table of rdmaev_causes: see cause.c. Inline, as flushed requests are counted without the
 * lock.
 */
#ifndef RDMAEV_CAUSE_TABLE_H
#define RDMAEV_CAUSE_TABLE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#define CAUSE_BUCKET_BITS	13

#define CAUSE_QUIET	HZ
#define CAUSE_LONG	(10 * HZ)
#define CAUSE_KEPT	(60 * HZ)

/*
 * Sorts of entries, see cause.c. QPs and queues of processes have their own: a
 * process can make many of them fail.
 */
enum cause_type {
	CAUSE_QP,
	CAUSE_USER_QP,
	CAUSE_QUEUE,
	CAUSE_USER_QUEUE,
	CAUSE_PORT,
	CAUSE_TYPES,
};

/**
 * struct cause_key - what an entry is about
 * @where: generation of the device (0: unknown) and number of the object
 * @what: index of the device, type of the object, whether it belongs to a QP
 * @owner: 0: the kernel; else CAUSE_OF_USER and 32 bits that are the real user,
 *	or U32_MAX: unknown. A program with rights of another user
 *	(CAUSE_OF_SETID) has another owner than those of who started it; so has one
 *	in another pid namespace, of whose number there are 30 bits
 */
struct cause_key {
	u64 where;
	u64 what;
	u64 owner;
};

/**
 * struct cause - an entry
 * @next: next in its bucket
 * @list: node in the list of open entries, or in that of the unused or closed
 *	ones of its type
 * @of: node in the list of the CQ of the last failed completion, if any; of a
 *	user's, in that of who pays for it
 * @type: &enum cause_type, never changed
 * @account: account that pays for it, if it is a user's
 * @key: what it is about
 * @flow: upper half: how often it was closed; lower half: requests flushed
 *	since the last record. While the lower half is 0, counting needs the
 *	lock
 * @opened: jiffies when it was opened
 * @last: jiffies of the last failed completion; of a closed entry, when it was
 *	closed
 * @is_open: the entry is in the list of open ones
 * @is_recorded: its first failed completion has a record, or was counted
 * @is_orphan: its cause may have been evicted
 * @is_counted: its failure has no record, as it was counted with others, see burst.c
 * @is_drained: QP_LAST_WQE_REACHED was reported
 * @is_requested: @seq is a request to move the QP to Error, and nothing failed
 *	before
 * @source: source of the record of the first failed completion without a
 *	record of its own; @code, @port and @first belong to the same completion
 * @code: its status
 * @pass: pass of the work that checked it last
 * @folded: failed completions since the last record, except flushed ones
 * @port: port of the QP
 * @seq: seq of the record that others follow from; 0: unknown
 * @event: seq of the event that first reported the failure of a QP; 0: none
 * @cm: seq of the last event of the QP's connection; 0: none
 * @since: errors with this seq or an older one are not rdmaev_causes for this QP
 * @boottime_ns: CLOCK_BOOTTIME of the error of a queue or port
 * @first: record body of the first failed completion without a record
 *
 * Changed with rdmaev_cause_lock held. @next, @key, @flow, @opened and @last are read
 * without it, and @flow and @last also written. Never freed before the table, so
 * a lockless reader may find the entry of another object; @flow shows this.
 */
struct cause {
	struct cause *next;
	struct list_head list;
	struct list_head of;
	u8 type;
	u16 account;
	struct cause_key key;
	atomic64_t flow;
	unsigned long opened;
	unsigned long last;
	bool is_open;
	bool is_recorded;
	bool is_orphan;
	bool is_counted;
	bool is_drained;
	bool is_requested;
	u8 source;
	u16 code;
	u32 pass;
	u32 folded;
	u32 port;
	u64 seq;
	u64 event;
	u64 cm;
	u64 since;
	u64 boottime_ns;
	struct rdmaev_wc_body first;
};

extern raw_spinlock_t rdmaev_cause_lock;
extern struct cause *rdmaev_causes;	/* NULL until a ULP registers */
extern struct cause *rdmaev_cause_buckets[1 << CAUSE_BUCKET_BITS];

#define CAUSE_OF_USER	BIT_ULL(63)
#define CAUSE_OF_SETID	BIT_ULL(62)
#define CAUSE_PID_NS	GENMASK_ULL(61, 32)

static inline u64 cause_owner(const struct rdmaev_record *rec)
{
	const struct rdmaev_object_info *info = &rec->body.info;
	u64 owner = CAUSE_OF_USER;

	if (rec->ring != RDMAEV_RING_USER)
		return 0;
	if (!(info->known & RDMAEV_KNOWN_UID))
		return owner | U32_MAX;
	if (info->known & RDMAEV_KNOWN_SETID)
		owner |= CAUSE_OF_SETID;
	if (!(info->known & RDMAEV_KNOWN_PID_NS))
		return owner | CAUSE_PID_NS | info->uid;
	return owner | ((u64)info->pid_ns << 32 & CAUSE_PID_NS) | info->uid;
}

static inline struct cause_key cause_key(u32 device, u32 generation, u8 type,
					 u32 number, bool is_qp, u64 owner)
{
	return (struct cause_key) {
		.where = (u64)generation << 32 | number,
		.what = (u64)device << 16 | is_qp << 8 | type,
		.owner = owner,
	};
}

/* Of the QP that a record is about */
static inline struct cause_key cause_key_qp(const struct rdmaev_record *rec)
{
	return cause_key(rec->device, rec->generation, rec->object_type,
			 rec->object, true, cause_owner(rec));
}

static inline struct cause **cause_bucket(const struct cause_key *key)
{
	return &rdmaev_cause_buckets[hash_64(key->where ^ key->what << 16 ^
					     key->owner << 24, CAUSE_BUCKET_BITS)];
}

/* Also without the lock, of a key that may change meanwhile */
static inline bool cause_is_of(const struct cause *c, const struct cause_key *key)
{
	return READ_ONCE(c->key.where) == key->where &&
	       READ_ONCE(c->key.what) == key->what &&
	       READ_ONCE(c->key.owner) == key->owner;
}

static inline u32 cause_flushed(const struct cause *c)
{
	return (u32)atomic64_read(&c->flow);
}

/* Has the QP failed, or been moved to Error, with a record or without? */
static inline bool cause_has_failed(const struct cause *c)
{
	return c->seq || c->is_counted;
}

/* Seq of what the end of a QP follows from, 0: unknown */
static inline u64 cause_of_end(const struct cause *c)
{
	return cause_has_failed(c) ? c->seq : c->cm;
}

/* All of them are called with rdmaev_cause_lock held, but the last two. */
struct cause *rdmaev_cause_lookup(const struct cause_key *key);
struct cause *rdmaev_cause_begin(enum cause_type type, const struct cause_key *key, u32 payer);
void rdmaev_cause_reopen(struct cause *c, struct list_head *of_cq);
void rdmaev_cause_close(struct cause *c);
void rdmaev_cause_drop(struct cause *c);
void rdmaev_cause_is_newest(struct cause *c);
void rdmaev_cause_expire_later(void);
int rdmaev_causes_prepare(void);
void rdmaev_causes_exit(void);

static inline struct cause *cause_find_qp(const struct rdmaev_record *rec)
{
	struct cause_key key = cause_key_qp(rec);

	return rdmaev_cause_lookup(&key);
}

static inline struct cause *cause_begin_qp(const struct rdmaev_record *rec, u32 payer)
{
	struct cause_key key = cause_key_qp(rec);

	return rdmaev_cause_begin(key.owner ? CAUSE_USER_QP : CAUSE_QP, &key, payer);
}

#endif /* RDMAEV_CAUSE_TABLE_H */
