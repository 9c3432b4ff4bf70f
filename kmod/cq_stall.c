// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The stall detector: CQs that hold completions which nobody polls, though a
 * notification was asked for and should have come, or did come.
 *
 * No verb tells whether a CQ holds completions, but to arm it does, with
 * IB_CQ_REPORT_MISSED_EVENTS. A CQ that is armed for the next completion may be armed
 * again: nothing changes. One that was notified, and has not been polled or armed
 * since, is notified once more at most, which its ULP has to be ready for. No other CQ
 * is touched: one that nobody armed is nobody's to arm; and where solicited
 * completions were asked for, others may well wait. Always armed for the next
 * completion, as some drivers would forget a request for that over one for solicited
 * ones, and a ULP may make it meanwhile.
 *
 * Completions that are found may have come a moment ago, so they count from then on:
 * a CQ is stalled if there still are some after stall_ms, and it was not
 * polled in between. That is looked at LOOKS times in stall_ms.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "cq.h"

#define LOOKS		4
#define STALL_MAX_MS	(24 * 3600 * MSEC_PER_SEC)

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look);
static struct workqueue_struct *stall_wq;

static unsigned int stall_ms = 10000;

/* Under the module's parameter lock, so that there is a queue or none. */
static int set_stall_ms(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int ret = kstrtouint(val, 0, &ms);

	if (ret)
		return ret;
	if (ms > STALL_MAX_MS)
		return -ERANGE;
	WRITE_ONCE(stall_ms, ms);
	if (stall_wq)
		mod_delayed_work(stall_wq, &look_work, 0);
	return 0;
}

static const struct kernel_param_ops stall_ms_ops = {
	.set = set_stall_ms,
	.get = param_get_uint,
};
module_param_cb(stall_ms, &stall_ms_ops, &stall_ms, 0644);
MODULE_PARM_DESC(stall_ms, "milliseconds after which a CQ that holds completions and is not polled counts as stalled, up to a day (default 10000; 0: never)");

static void tell(struct rdmaev_cq_state *cq, u16 code)
{
	struct rdmaev_completion_body body = {
		.time_ns = jiffies_to_nsecs(jiffies - cq->stall.since),
		.notifications = atomic_read(&cq->unfollowed),
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

	raw_spin_lock_irqsave(&cq->stall.lock, flags);
	tell(cq, RDMAEV_COMPLETION_STALLED);
	set_bit(RDMAEV_ATTENTION_STALLED, &cq->attention);
	raw_spin_unlock_irqrestore(&cq->stall.lock, flags);
}

/* Does it hold completions? Only asked where it may be armed, see above. */
static bool holds_completions(struct rdmaev_cq_state *cq)
{
	unsigned int armed = READ_ONCE(cq->armed);

	if (armed ? armed != IB_CQ_NEXT_COMP :
		    !test_bit(RDMAEV_ATTENTION_NOTIFIED, &cq->attention))
		return false;
	return ib_req_notify_cq(cq->pub.cq, IB_CQ_NEXT_COMP |
				IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

static int look_at(struct rdmaev_cq_state *cq, void *data)
{
	unsigned long limit = *(unsigned long *)data;
	struct rdmaev_cq_stall *stall = &cq->stall;
	struct rdmaev_cq_counts sum;

	if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED)
		return 0;
	rdmaev_cq_sum(cq, &sum);
	if (sum.polls != stall->polls) {
		stall->polls = sum.polls;
		stall->waiting = false;
		/* If it was polled while it was being told. */
		if (test_bit(RDMAEV_ATTENTION_STALLED, &cq->attention))
			rdmaev_stall_over(cq);
		return 0;
	}
	if (test_bit(RDMAEV_ATTENTION_STALLED, &cq->attention))
		return 0;
	if (!holds_completions(cq)) {
		stall->waiting = false;
	} else if (!stall->waiting) {
		stall->waiting = true;
		stall->since = jiffies;
	} else if (time_after_eq(jiffies, stall->since + limit)) {
		begin_stall(cq);
	}
	return 0;
}

static void look(struct work_struct *work)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (!limit)
		return;
	rdmaev_cqs_for_each(look_at, &limit);
	if (!rdmaev_cqs_is_empty())
		queue_delayed_work(stall_wq, &look_work,
				   DIV_ROUND_UP(limit, LOOKS));
}

/** rdmaev_stall_watch - there is a CQ to look at */
void rdmaev_stall_watch(void)
{
	unsigned long limit = msecs_to_jiffies(READ_ONCE(stall_ms));

	if (limit)
		queue_delayed_work(stall_wq, &look_work,
				   DIV_ROUND_UP(limit, LOOKS));
}

/** rdmaev_stall_init - 0 or -ENOMEM */
int rdmaev_stall_init(void)
{
	stall_wq = alloc_workqueue("rdmaev_stall", WQ_UNBOUND, 0);
	return stall_wq ? 0 : -ENOMEM;
}

/** rdmaev_stall_exit - there is no CQ any more */
void rdmaev_stall_exit(void)
{
	struct workqueue_struct *wq = stall_wq;

	kernel_param_lock(THIS_MODULE);
	stall_wq = NULL;
	kernel_param_unlock(THIS_MODULE);
	cancel_delayed_work_sync(&look_work);
	destroy_workqueue(wq);
}
