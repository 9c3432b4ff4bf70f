/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The CQs that are accounted for.
 */
#ifndef RDMAEV_CQ_H
#define RDMAEV_CQ_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

/* Bits of struct rdmaev_cq_state.poll_flags: what the next poll has to do */
#define RDMAEV_POLL_NOTIFIED	0	/* it is the first one after a notification */
#define RDMAEV_POLL_STALLED	1	/* it ends a stall */

/**
 * struct rdmaev_cq_counts - what one CPU has counted
 * @completions: by &enum rdmaev_wc_opcode
 * @polls: polls
 * @empty_polls: first ones after a notification that found nothing
 * @notifications: notifications
 * @arms: requests for one
 * @missed_events: those that told of completions
 * @last: jiffies of the last poll, arm or notification
 */
struct rdmaev_cq_counts {
	u64 completions[RDMAEV_WC_OPCODES];
	u64 polls;
	u64 empty_polls;
	u64 notifications;
	u64 arms;
	u64 missed_events;
	unsigned long last;
};

/**
 * struct rdmaev_cq_stall - the stall of a CQ
 * @notified: jiffies of the first notification since the last poll
 * @lock: protects the rest, and the change of RDMAEV_POLL_STALLED with its record.
 *	Raw: CQs are polled in any context
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
 * struct rdmaev_cq_notify - how notifications of a CQ are recorded
 * @owner: the reader who asked for it, NULL: nobody. Under the table's lock
 * @every: a record for at least so many; 0: none
 * @delay: or so many jiffies after the first; 0: not
 * @count: notifications since the last record
 * @first: jiffies of the first of them
 * @start_ns: CLOCK_BOOTTIME of it
 * @lock: protects @base and @base_failures, and one makes a record at a time
 * @base: sums at the last record
 * @base_failures: failures then
 * @full: makes a record when there are @every
 * @late: makes a record when the delay is over
 */
struct rdmaev_cq_notify {
	void *owner;
	u32 every;
	unsigned long delay;
	atomic_t count;
	unsigned long first;
	u64 start_ns;
	struct mutex lock;	/* protects the sums */
	struct rdmaev_cq_counts base;
	u64 base_failures;
	struct work_struct full;
	struct delayed_work late;
};

/**
 * struct rdmaev_cq_state - all there is of a &struct rdmaev_cq
 * @pub: what the ULP has. First
 * @poll_flags: RDMAEV_POLL_*
 * @largest_batch: the most completions that one poll returned
 * @counts: per CPU
 * @flags: RDMAEV_CQ_PUBLIC_WR_ID, RDMAEV_CQ_NAME_QP
 * @ulp: whose it is
 * @ib: its device
 * @generation: of the device, 0 while it is not known
 * @id: key in the table
 * @by_id: in the table
 * @by_cq: in the table by the address of the CQ
 * @since_ns: CLOCK_BOOTTIME when it was made
 * @moderation: completions in the upper half, microseconds in the lower
 * @comp_handler: the ULP's, may be NULL
 * @event_handler: the same
 * @handlers: one for the CQ, one for each handler that runs
 * @handlers_gone: completed when that is 0
 * @unpolled: notifications since the last poll
 * @failures: unsuccessful completions, by status
 * @causes: failures of QPs that were polled from it, see cause.c
 * @stall: for the stall detector
 * @notify: for notification records
 * @rcu: frees it
 *
 * Made and freed by the ULP's calls, which it must not make after or during
 * the last. It is in the table meanwhile. Readers, the stall detector and those who ask
 * for notification records find it there by its id, under the table's lock; what
 * the driver calls finds it by the address of the CQ, under RCU, as cq_context is
 * the ULP's, and holds a reference in @handlers. The last call drops the CQ's own and
 * waits for the others, and handlers that come later find 0. It is freed after a grace
 * period when the driver has destroyed the CQ.
 *
 * The first cache line is what a poll reads; it is written when the CQ is notified,
 * and by what goes wrong.
 */
struct rdmaev_cq_state {
	struct rdmaev_cq pub;
	unsigned long poll_flags;
	int largest_batch;
	struct rdmaev_cq_counts __percpu *counts;

	unsigned int flags;
	struct rdmaev_ulp *ulp;
	struct ib_device *ib;
	u32 generation;
	u32 moderation;
	u64 id;
	struct rb_node by_id;
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

struct rdmaev_cred;

static inline struct rdmaev_cq_state *rdmaev_to_state(struct rdmaev_cq *rcq)
{
	return container_of(rcq, struct rdmaev_cq_state, pub);
}

/* cq_table.c: all CQs, and what is read of them */
bool rdmaev_cqs_is_empty(void);
int rdmaev_cqs_add(struct rdmaev_cq_state *cq);
void rdmaev_cqs_remove(struct rdmaev_cq_state *cq);
struct rdmaev_cq_state *rdmaev_cq_find(const struct ib_cq *ib_cq);
u32 rdmaev_cq_generation(struct rdmaev_cq_state *cq);
bool rdmaev_cq_number(const struct rdmaev_cq_state *cq, u32 *number);
void rdmaev_cq_sum(const struct rdmaev_cq_state *cq,
		   struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_successes(const struct rdmaev_cq_counts *sum);
u64 rdmaev_cq_failures(const struct rdmaev_cq_state *cq);
u64 rdmaev_cq_append(struct rdmaev_cq_state *cq, u16 code, u32 count, u64 cause,
		     struct rdmaev_completion_body *body);
struct rdmaev_cq_stats *rdmaev_cq_list(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 room,
				       u32 *written, u32 *count, u64 *seq);
struct rdmaev_cq_stats *rdmaev_cq_sums(const struct rdmaev_cred *cred,
				       u32 device, u64 after, u32 *count,
				       u64 *seq);

#define RDMAEV_CQ_PAGE	32

/**
 * struct rdmaev_cq_page - some of the CQs of a long list
 * @after: id of the last one before it, then of the last one that was looked at
 * @seq: newest seq before
 * @changes: another number if CQs have come or gone since another page
 * @count: entries used
 * @entries: CQs
 */
struct rdmaev_cq_page {
	u64 after;
	u64 seq;
	u32 changes;
	u32 count;
	struct rdmaev_cq_stats entries[RDMAEV_CQ_PAGE];
};

bool rdmaev_cq_page(const struct rdmaev_cred *cred, u32 device,
		    struct rdmaev_cq_page *page);

/*
 * Called for each CQ with the table's lock held; ends at another value than 0. The
 * lock is not held throughout.
 */
int rdmaev_cqs_for_each(int (*fn)(struct rdmaev_cq_state *cq, void *data),
			void *data);

/* cq_stall.c: CQs that were notified and are not polled */
void rdmaev_stall_init(void);
void rdmaev_stall_exit(void);
void rdmaev_stall_watch(void);
void rdmaev_stall_over(struct rdmaev_cq_state *cq);

/* cq_notify.c: notification records */
void rdmaev_notify_init(struct rdmaev_cq_state *cq);
void rdmaev_notify_count(struct rdmaev_cq_state *cq);
void rdmaev_notify_end(struct rdmaev_cq_state *cq);
int rdmaev_notify_set(const struct rdmaev_cred *cred, void *owner,
		      u32 device, u32 number, u32 every, u32 delay_us);
void rdmaev_notify_release(void *owner);

/* wc.c: what completions say, and those that failed */
extern const u8 rdmaev_wc_opcodes[U8_MAX + 1];

void rdmaev_wc_init(void);
void rdmaev_wc_failed(struct rdmaev_cq_state *cq, const struct ib_wc *wc);

/* &enum rdmaev_wc_opcode of a completion */
static inline unsigned int rdmaev_wc_opcode(const struct ib_wc *wc)
{
	return rdmaev_wc_opcodes[(u8)wc->opcode];
}

#endif /* RDMAEV_CQ_H */
