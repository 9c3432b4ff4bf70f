// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The stall detector: CQs that hold completions which nobody polls, though a
 * notification was asked for and should have come, or did come.
 *
 * No verb tells whether a CQ holds completions, but to arm it does, with
 * IB_CQ_REPORT_MISSED_EVENTS. A CQ that is armed for the next completion may be armed
 * again: nothing changes. What is found then may have come a moment ago; so the CQ is
 * stalled if there still is something stall_ms later, and it was not polled in between.
 *
 * One that was notified, and has not been polled for stall_ms since, is armed
 * once. Its ULP is notified once more at most, as if it had done so itself. That
 * notification, too, says that there are completions: some drivers (mlx4, mlx5) make
 * one for those that are there, and do not report them.
 *
 * No other CQ is touched: one that nobody armed is nobody's to arm; and where
 * solicited completions were asked for, others may well wait. Always armed for the
 * next completion, as some drivers (siw) would forget a request for that over one for
 * solicited ones, and a ULP may make it meanwhile.
 *
 * Each CQ is looked at LOOKS times in stall_ms.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "cq.h"

#define LOOKS		4
#define STALL_MAX_MS	(24 * 3600 * MSEC_PER_SEC)

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look);
static bool is_running;		/* under the module's parameter lock */

static unsigned int stall_ms = 10000;

/* Called with the module's parameter lock held. */
static int set_stall_ms(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int ret = kstrtouint(val, 0, &ms);

	if (ret)
		return ret;
	if (ms > STALL_MAX_MS)
		return -ERANGE;
	WRITE_ONCE(stall_ms, ms);
	if (is_running)
		mod_delayed_work(rdmaev_cq_wq, &look_work, 0);
	return 0;
}

static const struct kernel_param_ops stall_ms_ops = {
	.set = set_stall_ms,
	.get = param_get_uint,
};
module_param_cb(stall_ms, &stall_ms_ops, &stall_ms, 0644);
MODULE_PARM_DESC(stall_ms, "milliseconds after which a CQ that holds completions and is not polled counts as stalled, up to a day (default 10000; 0: never)");

static u64 polls_of(const struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_counts sum;

	rdmaev_cq_sum(cq, &sum);
	return sum.polls;
}

static bool is_notified(const struct rdmaev_cq_state *cq)
{
	return test_bit(RDMAEV_ATTENTION_NOTIFIED, &cq->attention);
}

/* stall->lock is held. */
static void tell(struct rdmaev_cq_state *cq, u16 code)
{
	struct rdmaev_completion_body body = {
		.time_ns = jiffies64_to_nsecs(jiffies - cq->stall.since),
		/* The poll that ends it may have begun to count anew. */
		.notifications = max(atomic_read(&cq->unfollowed),
				     (int)is_notified(cq)),
		.failures = rdmaev_cq_failures(cq),
	};
	struct rdmaev_cq_counts sum;
	u64 seq;

	rdmaev_cq_sum(cq, &sum);
	body.completions = rdmaev_cq_successes(&sum);
	body.empty_polls = sum.empty_polls;
	seq = rdmaev_cq_append(cq, code, 1, cq->stall.seq, &body);
	cq->stall.seq = code == RDMAEV_COMPLETION_STALLED ? seq : 0;
}

/**
 * rdmaev_stall_over - a CQ that was stalled is polled
 * @cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_stall_over(struct rdmaev_cq_state *cq)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cq->stall.lock, flags);
	if (test_and_clear_bit(RDMAEV_ATTENTION_STALLED, &cq->attention))
		tell(cq, RDMAEV_COMPLETION_RECOVERED);
	raw_spin_unlock_irqrestore(&cq->stall.lock, flags);
}

static void begin_stall(struct rdmaev_cq_state *cq)
{
	unsigned long flags;

	/* What was found may have been left by a poll just now. */
	if (polls_of(cq) != cq->stall.polls)
		return;
	/* Until a poll is counted: the one that ends it may be at work still. */
	cq->stall.state = RDMAEV_STALL_TOLD;
	raw_spin_lock_irqsave(&cq->stall.lock, flags);
	tell(cq, RDMAEV_COMPLETION_STALLED);
	set_bit(RDMAEV_ATTENTION_STALLED, &cq->attention);
	raw_spin_unlock_irqrestore(&cq->stall.lock, flags);
}

static bool holds_completions(struct rdmaev_cq_state *cq)
{
	return ib_req_notify_cq(cq->pub.cq, IB_CQ_NEXT_COMP |
				IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

static bool is_armed_and_stalled(struct rdmaev_cq_state *cq,
				 unsigned long limit)
{
	struct rdmaev_cq_stall *stall = &cq->stall;

	if (!holds_completions(cq)) {
		stall->state = RDMAEV_STALL_NONE;
		return false;
	}
	if (stall->state == RDMAEV_STALL_FOUND)
		return time_after_eq(jiffies, stall->since + limit);
	stall->state = RDMAEV_STALL_FOUND;
	stall->since = jiffies;
	return false;
}

static bool is_notified_and_stalled(struct rdmaev_cq_state *cq,
				    unsigned long limit)
{
	struct rdmaev_cq_stall *stall = &cq->stall;

	switch (stall->state) {
	case RDMAEV_STALL_NONE:
		stall->state = RDMAEV_STALL_NOTIFIED;
		stall->since = jiffies;
		return false;
	case RDMAEV_STALL_ASKED:
		if (atomic_read(&cq->unfollowed) == stall->unfollowed)
			return false;
		/* What comes that late is no answer, but news. */
		if (time_before(jiffies, stall->since + 2 * limit))
			return true;
		stall->state = RDMAEV_STALL_NOTIFIED;
		stall->since = jiffies;
		return false;
	default:
		if (time_before(jiffies, stall->since + limit))
			return false;
		stall->state = RDMAEV_STALL_ASKED;
		stall->unfollowed = atomic_read(&cq->unfollowed);
		return holds_completions(cq);
	}
}

static int look_at(struct rdmaev_cq_state *cq, void *data)
{
	unsigned long limit = *(unsigned long *)data;
	struct rdmaev_cq_stall *stall = &cq->stall;
	unsigned int armed = READ_ONCE(cq->armed);
	u64 polls;

	if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED)
		return 0;
	polls = polls_of(cq);
	if (polls != stall->polls) {
		stall->polls = polls;
		stall->state = RDMAEV_STALL_NONE;
		/* If it was polled while it was being told. */
		rdmaev_stall_over(cq);
		return 0;
	}
	if (stall->state == RDMAEV_STALL_TOLD)
		return 0;
	if (armed == IB_CQ_NEXT_COMP) {
		if (is_armed_and_stalled(cq, limit))
			begin_stall(cq);
	} else if (!armed && is_notified(cq)) {
		if (is_notified_and_stalled(cq, limit))
			begin_stall(cq);
	} else {
		stall->state = RDMAEV_STALL_NONE;
	}
	return 0;
}

static void look(struct work_struct *work)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (!limit)
		return;
	rdmaev_cqs_for_each(look_at, &limit);
	rdmaev_stall_watch();
}

/** rdmaev_stall_watch - look at the CQs soon, if there are any */
void rdmaev_stall_watch(void)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (limit && !rdmaev_cqs_is_empty())
		queue_delayed_work(rdmaev_cq_wq, &look_work,
				   DIV_ROUND_UP(limit, LOOKS));
}

/** rdmaev_stall_init - look at once when stall_ms changes; there is a queue */
void rdmaev_stall_init(void)
{
	kernel_param_lock(THIS_MODULE);
	is_running = true;
	kernel_param_unlock(THIS_MODULE);
}

/** rdmaev_stall_exit - there is no CQ any more */
void rdmaev_stall_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	is_running = false;
	kernel_param_unlock(THIS_MODULE);
	cancel_delayed_work_sync(&look_work);
}
