/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The stall detector: CQs that were notified and are not polled */
#ifndef RDMAEV_CQ_STALL_H
#define RDMAEV_CQ_STALL_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>

#include "cq.h"

void rdmaev_stall_init(void);
void rdmaev_stall_exit(void);
void rdmaev_stall_watch(void);
void rdmaev_stall_over(struct rdmaev_cq_state *cq);

/* Note a notification, for the stall detector and the next poll. */
static inline void rdmaev_cq_note_notified(struct rdmaev_cq_state *cq)
{
	atomic_inc(&cq->unpolled);
	if (test_bit(RDMAEV_POLL_NOTIFIED, &cq->poll_flags))
		return;
	WRITE_ONCE(cq->stall.notified, jiffies);
	/* Pairs with smp_rmb() in stall_is_due(). */
	smp_wmb();
	set_bit(RDMAEV_POLL_NOTIFIED, &cq->poll_flags);
}

/*
 * Clear the flags before the CQ is polled: the poll may miss completions of a
 * notification that arrives during it. Returns true for the first poll after a
 * notification. The observer calls it after the poll, and misses a stall that
 * begins in between.
 */
static inline bool rdmaev_cq_begin_poll(struct rdmaev_cq_state *cq)
{
	/* Pairs with smp_mb__after_atomic() in stall_begin(). */
	bool notified = test_and_clear_bit(RDMAEV_POLL_NOTIFIED,
					   &cq->poll_flags);

	if (test_bit(RDMAEV_POLL_STALLED, &cq->poll_flags))
		rdmaev_stall_over(cq);
	if (notified)
		atomic_set(&cq->unpolled, 0);
	return notified;
}

#endif /* RDMAEV_CQ_STALL_H */
