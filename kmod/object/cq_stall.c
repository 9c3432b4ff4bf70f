// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The stall detector. A CQ is stalled if it was notified and has not been
 * polled for stall_ms since: its ULP does not respond to its notifications.
 * Nothing else is a stall. No verb reports whether a CQ holds completions, and
 * CQs are never armed to find out: with some drivers (mlx4, mlx5, hns) that
 * could cost the ULP its own notification.
 *
 * Each CQ is checked STALL_CHECKS times in stall_ms.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "cq.h"
#include "cq_stall.h"
#include "cq_table.h"
#include "work.h"

#define STALL_CHECKS		4
#define STALL_MAX_MS	(24 * 3600 * MSEC_PER_SEC)

static void stall_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(stall_work, stall_fn);
static bool stall_is_running;		/* protected by the parameter lock */

static unsigned int stall_ms = 10000;

/* Called with the module's parameter lock held. */
static int stall_set_ms(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int ret = kstrtouint(val, 0, &ms);

	if (ret)
		return ret;
	if (ms > STALL_MAX_MS)
		return -ERANGE;
	WRITE_ONCE(stall_ms, ms);
	if (stall_is_running)
		mod_delayed_work(rdmaev_wq, &stall_work, 0);
	return 0;
}

static const struct kernel_param_ops stall_ms_ops = {
	.set = stall_set_ms,
	.get = param_get_uint,
};
module_param_cb(stall_ms, &stall_ms_ops, &stall_ms, 0644);
MODULE_PARM_DESC(stall_ms, "milliseconds after which a CQ that was notified and not polled counts as stalled, up to a day (default 10000; 0: never)");

/* Called with stall->lock held. */
static u64 stall_append(struct rdmaev_cq_state *cq, u16 code, u64 cause,
			const struct rdmaev_cq_counts *sum)
{
	struct rdmaev_completion_body body = {
		.time_ns = jiffies64_to_nsecs(jiffies - cq->stall.since),
		/* The poll that ends the stall may have reset it already. */
		.notifications = max(atomic_read(&cq->unpolled), 1),
	};

	if (sum) {
		body.completions = rdmaev_cq_successes(sum);
		body.empty_polls = sum->empty_polls;
		body.failures = rdmaev_cq_failures(cq);
	}
	return rdmaev_cq_append(cq, code, 1, cause, &body);
}

/**
 * rdmaev_stall_over - end the stall of a CQ that is polled
 * @cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_stall_over(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_stall *stall = &cq->stall;
	unsigned long flags;

	raw_spin_lock_irqsave(&stall->lock, flags);
	if (test_and_clear_bit(RDMAEV_POLL_STALLED, &cq->poll_flags))
		stall_append(cq, RDMAEV_COMPLETION_RECOVERED, stall->seq, NULL);
	raw_spin_unlock_irqrestore(&stall->lock, flags);
}

static bool stall_is_due(const struct rdmaev_cq_state *cq, unsigned long limit)
{
	if (!test_bit(RDMAEV_POLL_NOTIFIED, &cq->poll_flags))
		return false;
	smp_rmb();	/* pairs with smp_wmb() in rdmaev_cq_note_notified() */
	return time_after_eq(jiffies, READ_ONCE(cq->stall.notified) + limit);
}

/* Not inline: it is rare, and needs much of the stack. */
static noinline void stall_begin(struct rdmaev_cq_state *cq, unsigned long limit)
{
	struct rdmaev_cq_stall *stall = &cq->stall;
	struct rdmaev_cq_counts sum;
	unsigned long flags;

	/* Before interrupts are off: summing takes time with many CPUs. */
	rdmaev_cq_sum(cq, &sum);
	raw_spin_lock_irqsave(&stall->lock, flags);
	if (stall_is_due(cq, limit)) {
		stall->since = READ_ONCE(stall->notified);
		stall->seq = stall_append(cq, RDMAEV_COMPLETION_STALLED, 0,
					  &sum);
		set_bit(RDMAEV_POLL_STALLED, &cq->poll_flags);
	}
	raw_spin_unlock_irqrestore(&stall->lock, flags);
	/*
	 * Pairs with test_and_clear_bit() in rdmaev_cq_begin_poll(): either a
	 * concurrent poll ends the stall, or the test below sees the poll.
	 */
	smp_mb__after_atomic();
	if (!test_bit(RDMAEV_POLL_NOTIFIED, &cq->poll_flags))
		rdmaev_stall_over(cq);
}

static int stall_check(struct rdmaev_cq_state *cq, void *data)
{
	unsigned long limit = *(unsigned long *)data;

	if (stall_is_due(cq, limit) &&
	    !test_bit(RDMAEV_POLL_STALLED, &cq->poll_flags))
		stall_begin(cq, limit);
	return 0;
}

static void stall_fn(struct work_struct *work)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (!limit)
		return;
	rdmaev_cqs_for_each(stall_check, &limit);
	rdmaev_stall_watch();
}

/** rdmaev_stall_watch - schedule the next check, if there are any CQs */
void rdmaev_stall_watch(void)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (limit && !rdmaev_cqs_is_empty())
		queue_delayed_work(rdmaev_wq, &stall_work,
				   DIV_ROUND_UP(limit, STALL_CHECKS));
}

/** rdmaev_stall_init - check when stall_ms changes; rdmaev_wq exists */
void rdmaev_stall_init(void)
{
	kernel_param_lock(THIS_MODULE);
	stall_is_running = true;
	kernel_param_unlock(THIS_MODULE);
}

/** rdmaev_stall_exit - stop checking; no CQs are left */
void rdmaev_stall_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	stall_is_running = false;
	kernel_param_unlock(THIS_MODULE);
	cancel_delayed_work_sync(&stall_work);
}
