// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Notification records: those of CQs that a reader has asked for, summed up, so
 * that a program can wait for kernel completions without a flood of records.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "access.h"
#include "cq.h"
#include "device.h"

/* notify->lock is held, and there is something to tell. */
static void tell(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_notify *notify = &cq->notify;
	struct rdmaev_completion_body body = {
		.time_ns = ktime_get_boot_fast_ns() - notify->start_ns,
		.notifications = notify->count,
	};
	u64 failures = rdmaev_cq_failures(cq);
	struct rdmaev_cq_counts sum;

	rdmaev_cq_sum(cq, &sum);
	body.completions = rdmaev_cq_successes(&sum) -
			   rdmaev_cq_successes(&notify->base);
	body.failures = failures - notify->base_failures;
	body.empty_polls = sum.empty_polls - notify->base.empty_polls;
	notify->base = sum;
	notify->base_failures = failures;
	rdmaev_cq_append(cq, RDMAEV_COMPLETION_NOTIFIED, notify->count, 0,
			 &body);
	notify->count = 0;
}

static void delay_over(struct work_struct *work)
{
	struct rdmaev_cq_state *cq = container_of(to_delayed_work(work),
						  struct rdmaev_cq_state,
						  notify.work);
	struct rdmaev_cq_notify *notify = &cq->notify;
	unsigned long flags;
	long left;

	raw_spin_lock_irqsave(&notify->lock, flags);
	left = notify->first + notify->delay - jiffies;
	/* It may be that of an earlier request, or of earlier notifications. */
	if (!notify->count || !notify->delay)
		goto out;
	if (left <= 0)
		tell(cq);
	else
		queue_delayed_work(rdmaev_cq_wq, &notify->work, left);
out:
	raw_spin_unlock_irqrestore(&notify->lock, flags);
}

/**
 * rdmaev_notify_count - a CQ that somebody has asked for is notified
 * @cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_notify_count(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_notify *notify = &cq->notify;
	unsigned long flags;

	raw_spin_lock_irqsave(&notify->lock, flags);
	if (!notify->every)
		goto out;
	if (!notify->count++) {
		notify->first = jiffies;
		notify->start_ns = ktime_get_boot_fast_ns();
		if (notify->delay)
			mod_delayed_work(rdmaev_cq_wq, &notify->work,
					 notify->delay);
	}
	if (notify->count >= notify->every)
		tell(cq);
out:
	raw_spin_unlock_irqrestore(&notify->lock, flags);
}

/* The table's lock is held, or the CQ is not in it. */
static void change(struct rdmaev_cq_state *cq, void *owner, u32 every,
		   unsigned long delay)
{
	struct rdmaev_cq_notify *notify = &cq->notify;
	unsigned long flags;

	notify->owner = owner;
	raw_spin_lock_irqsave(&notify->lock, flags);
	if (notify->count)
		tell(cq);
	rdmaev_cq_sum(cq, &notify->base);
	notify->base_failures = rdmaev_cq_failures(cq);
	WRITE_ONCE(notify->every, every);
	notify->delay = delay;
	raw_spin_unlock_irqrestore(&notify->lock, flags);
}

/** rdmaev_notify_init - nobody has asked for a CQ yet */
void rdmaev_notify_init(struct rdmaev_cq_state *cq)
{
	raw_spin_lock_init(&cq->notify.lock);
	INIT_DELAYED_WORK(&cq->notify.work, delay_over);
}

/** rdmaev_notify_end - a CQ goes; it is not in the table any more */
void rdmaev_notify_end(struct rdmaev_cq_state *cq)
{
	change(cq, NULL, 0, 0);
	cancel_delayed_work_sync(&cq->notify.work);
}

/* What to change, and what came of it. */
struct notify_request {
	const struct rdmaev_cred *cred;
	void *owner;
	u32 device;
	u32 number;
	u32 every;
	unsigned long delay;
};

static int set_one(struct rdmaev_cq_state *cq, void *data)
{
	const struct notify_request *req = data;
	u32 number;

	if (cq->ib->index != req->device || !rdmaev_cq_number(cq, &number) ||
	    number != req->number ||
	    !rdmaev_device_visible(rdmaev_cq_generation(cq), req->cred, true))
		return 0;
	if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED)
		return -EOPNOTSUPP;
	if (cq->notify.owner && cq->notify.owner != req->owner)
		return -EBUSY;
	change(cq, req->every ? req->owner : NULL, req->every, req->delay);
	return 1;
}

/**
 * rdmaev_notify_set - have the notifications of a CQ recorded
 * @cred: who asks
 * @owner: stands for it, see rdmaev_notify_release()
 * @device: index of the device
 * @number: number of the CQ
 * @every: as in &struct rdmaev_notify
 * @delay_us: the same
 *
 * Return: 0; -ENODEV, -ENOENT, -EBUSY or -EOPNOTSUPP as for RDMAEV_IOC_NOTIFY.
 */
int rdmaev_notify_set(const struct rdmaev_cred *cred, void *owner,
		      u32 device, u32 number, u32 every, u32 delay_us)
{
	struct notify_request req = {
		.cred = cred,
		.owner = owner,
		.device = device,
		.number = number,
		.every = every,
		.delay = usecs_to_jiffies(delay_us),
	};
	int ret;

	if (!rdmaev_device_exists(cred, device))
		return -ENODEV;
	ret = rdmaev_cqs_for_each(set_one, &req);
	if (!ret)
		return -ENOENT;
	return min(ret, 0);
}

static int release_one(struct rdmaev_cq_state *cq, void *owner)
{
	if (cq->notify.owner == owner)
		change(cq, NULL, 0, 0);
	return 0;
}

/** rdmaev_notify_release - record nothing more that @owner has asked for */
void rdmaev_notify_release(void *owner)
{
	rdmaev_cqs_for_each(release_one, owner);
}
