/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CQs: their counters, stalls and notification records. */
#ifndef RDMAEV_CQ_H
#define RDMAEV_CQ_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "device/access.h"

/* Bits of struct rdmaev_cq_state.poll_flags: tasks of the next poll */
#define RDMAEV_POLL_NOTIFIED	0	/* first poll after a notification */
#define RDMAEV_POLL_STALLED	1	/* poll that ends a stall */

/**
 * struct rdmaev_cq_counts - counters of a CQ on one CPU
 * @completions: successful completions by &enum rdmaev_wc_opcode
 * @polls: polls
 * @empty_polls: first polls after a notification that returned no completion
 * @notifications: notifications
 * @last: jiffies of the last poll or notification
 */
struct rdmaev_cq_counts {
	u64 completions[RDMAEV_OPCODES];
	u64 polls;
	u64 empty_polls;
	u64 notifications;
	unsigned long last;
};

/**
 * struct rdmaev_cq_plain - counters of an observed CQ
 * @counts: completions and polls. ib_core polls a CQ in one context at a
 *	time, and others are counted under a lock, so they are plain.
 *	@counts.notifications is not used; @counts.last is also written by
 *	notifications
 * @notifications: notifications, which may arrive on several CPUs at a time
 *
 * Not per CPU: there may be tens of thousands of CQs.
 */
struct rdmaev_cq_plain {
	struct rdmaev_cq_counts counts;
	atomic64_t notifications;
};

/**
 * struct rdmaev_cq_stall - stall of a CQ
 * @notified: jiffies of the first notification since the last poll
 * @lock: protects @seq and @since, and the change of RDMAEV_POLL_STALLED
 *	together with its record. Raw: CQs are polled in any context
 * @seq: seq of the record of the stall
 * @since: jiffies when the stall began
 */
struct rdmaev_cq_stall {
	unsigned long notified;
	raw_spinlock_t lock;	/* protects seq and since */
	u64 seq;
	unsigned long since;
};

/**
 * struct rdmaev_cq_notify - notification records of a CQ
 * @owner: the reader that requested them, NULL: none. Protected by the table's
 *	lock
 * @every: append a record after this many notifications; 0: none
 * @delay: jiffies after the first notification until a record; 0: no limit
 * @count: notifications since the last record
 * @first: jiffies of the first of them
 * @start_ns: CLOCK_BOOTTIME of the first of them
 * @lock: protects @base and @base_failures, and serializes records
 * @base: counters at the last record
 * @base_failures: failures at the last record
 * @full: appends a record after @every notifications
 * @late: appends a record after @delay
 */
struct rdmaev_cq_notify {
	void *owner;
	u32 every;
	unsigned long delay;
	atomic_t count;
	unsigned long first;
	u64 start_ns;
	struct mutex lock;	/* protects base and base_failures */
	struct rdmaev_cq_counts base;
	u64 base_failures;
	struct work_struct full;
	struct delayed_work late;
};

/**
 * struct rdmaev_cq_state - state of a CQ
 * @pub: the part that the ULP sees. First member
 * @poll_flags: RDMAEV_POLL_*
 * @counts: counters per CPU; NULL if it is observed; those of @first if that is set
 * @plain: counters of an observed CQ, else NULL
 * @flags: RDMAEV_CQ_PUBLIC_WR_ID, RDMAEV_CQ_NAME_QP, RDMAEV_CQ_WR_CQE
 * @ulp: ULP of the CQ, or of this attachment
 * @first: the first attachment of the CQ, which has the counters; NULL: this one
 *	has them, and is in the table. Constant after rdmaev_cqs_add()
 * @more: other attachments that count here. Protected by the table's lock
 * @is_shared: several ULPs have attached the CQ. Protected by the table's lock
 * @owner: process that owns the CQ, which is observed; NULL: none
 * @ib: its device; NULL if it is observed
 * @device: index of the device
 * @generation: generation of the device, 0 while unknown
 * @number: its number in RDMA netlink
 * @has_number: RDMA netlink shows it
 * @is_ended: it is observed, and was destroyed
 * @cqe: capacity of an observed CQ
 * @id: key in the table
 * @by_id: node in the table by @id
 * @found: node in the list of observed CQs without an id
 * @by_cq: node in the table by the address of the CQ
 * @since_ns: CLOCK_BOOTTIME when it was created or attached
 * @comp_handler: the ULP's completion handler, may be NULL
 * @event_handler: the ULP's event handler, may be NULL
 * @handlers: one reference for the CQ, one for each running handler
 * @handlers_gone: completed when @handlers drops to 0
 * @unpolled: notifications since the last poll
 * @failures: unsuccessful completions, by status; not used if @first is set
 * @causes: failures of QPs that were polled from it, or that this attachment has
 *	reported, see cause.c
 * @stall: for the stall detector
 * @notify: for notification records
 * @rcu: frees it
 *
 * The ULP creates and frees it, and makes no other call during or after the one
 * that frees it. Until then it is in the table. Readers, the stall detector and
 * requests for notification records find it there by its id, under the table's
 * lock. Calls from the driver find it by the address of the CQ, under RCU,
 * because cq_context belongs to the ULP; they hold a reference in @handlers.
 * The last call drops the CQ's own reference and waits for the others; later
 * handlers find 0. It is freed a grace period after the driver has destroyed
 * the CQ.
 *
 * A CQ of ib_core may be attached several times, by one ULP or by several. The
 * first attachment is in the table and has the counters. It is freed when the
 * last attachment is detached. Its own ULP may be gone before: lists do not read
 * @ulp if @is_shared. The other attachments have the ULP, the flags and the
 * @causes of their calls, and nobody else finds them.
 *
 * An observed CQ is not ours: pub.cq is the key by which hooks find it, and is
 * dereferenced only in a hook that is called with the CQ. cq_observed.c creates
 * and frees its state.
 *
 * The first cache line is what a poll reads. It is written only for
 * notifications and stalls.
 */
struct rdmaev_cq_state {
	struct rdmaev_cq pub;
	unsigned long poll_flags;
	struct rdmaev_cq_counts __percpu *counts;
	struct rdmaev_cq_plain *plain;

	unsigned int flags;
	struct rdmaev_ulp *ulp;
	struct rdmaev_cq_state *first;
	u32 more;
	bool is_shared;
	const struct rdmaev_owner *owner;
	struct ib_device *ib;
	u32 device;
	u32 generation;
	u32 number;
	bool has_number;
	bool is_ended;
	u32 cqe;
	u64 id;
	struct rb_node by_id;
	struct llist_node found;
	struct hlist_node by_cq;
	u64 since_ns;

	ib_comp_handler comp_handler;
	void (*event_handler)(struct ib_event *event, void *context);
	refcount_t handlers;
	struct completion handlers_gone;
	atomic_t unpolled;

	atomic64_t failures[RDMAEV_WC_STATUSES];
	struct list_head causes;
	struct rdmaev_cq_stall stall;
	struct rdmaev_cq_notify notify;
	struct rcu_head rcu;
};

static inline struct rdmaev_cq_state *rdmaev_to_state(struct rdmaev_cq *rcq)
{
	return container_of(rcq, struct rdmaev_cq_state, pub);
}

u32 rdmaev_cq_generation(struct rdmaev_cq_state *cq);
void rdmaev_cq_set_number(struct rdmaev_cq_state *cq,
			  const struct ib_cq *ib_cq);
void rdmaev_cq_sum(const struct rdmaev_cq_state *cq,
		   struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_successes(const struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_failures(const struct rdmaev_cq_state *cq);
u64 rdmaev_cq_append(struct rdmaev_cq_state *cq, u16 code, u32 count, u64 cause,
		     struct rdmaev_completion_body *body);
void rdmaev_cq_fill(struct rdmaev_cq_stats *entry, struct rdmaev_cq_state *cq);
void rdmaev_cq_stats_add(struct rdmaev_cq_stats *sum,
			 const struct rdmaev_cq_stats *entry);

#endif /* RDMAEV_CQ_H */
