// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Notification records: summaries of the notifications of a CQ, on request of a
 * reader, so that a program can wait for kernel completions without a flood of
 * records. The notification itself, in hard interrupt, only counts and queues
 * the work that appends the record.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "cq.h"
#include "cq_notify.h"
#include "cq_table.h"
#include "device/access.h"
#include "device/turn.h"
#include "work.h"

/* Called with notify->lock held. */
static void notify_append(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_notify *notify = &cq->notify;
	struct rdmaev_completion_body body = {};
	u64 start_ns = READ_ONCE(notify->start_ns);
	struct rdmaev_cq_counts sum;
	u64 failures;
	int count;

	/*
	 * The next notification begins a new record, and writes start_ns again.
	 */
	count = atomic_xchg(&notify->count, 0);
	if (!count)
		return;
	rdmaev_cq_sum(cq, &sum);
	failures = rdmaev_cq_failures(cq);
	body.time_ns = ktime_get_boot_fast_ns() - start_ns;
	body.notifications = count;
	body.completions = rdmaev_cq_successes(&sum) -
			   rdmaev_cq_successes(&notify->base);
	body.failures = failures - notify->base_failures;
	body.empty_polls = sum.empty_polls - notify->base.empty_polls;
	notify->base = sum;
	notify->base_failures = failures;
	rdmaev_cq_append(cq, RDMAEV_COMPLETION_NOTIFIED, count, 0, &body);
}

static void notify_full_fn(struct work_struct *work)
{
	struct rdmaev_cq_state *cq = container_of(work, struct rdmaev_cq_state,
						  notify.full);
	struct rdmaev_cq_notify *notify = &cq->notify;

	mutex_lock(&notify->lock);
	/* With fewer, the work was queued for an earlier record or request. */
	if (notify->every && atomic_read(&notify->count) >= notify->every)
		notify_append(cq);
	mutex_unlock(&notify->lock);
}

static void notify_late_fn(struct work_struct *work)
{
	struct rdmaev_cq_state *cq = container_of(to_delayed_work(work),
						  struct rdmaev_cq_state,
						  notify.late);
	struct rdmaev_cq_notify *notify = &cq->notify;
	long left;

	mutex_lock(&notify->lock);
	left = READ_ONCE(notify->first) + notify->delay - jiffies;
	/* The work may be that of an earlier request or record. */
	if (notify->every && notify->delay && atomic_read(&notify->count)) {
		if (left <= 0)
			notify_append(cq);
		else
			queue_delayed_work(rdmaev_wq, &notify->late, left);
	}
	mutex_unlock(&notify->lock);
}

/**
 * rdmaev_notify_count - count a notification of a CQ with notification records
 * @cq: CQ
 *
 * Context: any but NMI.
 */
void rdmaev_notify_count(struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_notify *notify = &cq->notify;
	u32 every = READ_ONCE(notify->every), count;

	/*
	 * Before it is counted: the work reads the time once the count is not
	 * 0.
	 */
	if (!atomic_read(&notify->count)) {
		WRITE_ONCE(notify->first, jiffies);
		WRITE_ONCE(notify->start_ns, ktime_get_boot_fast_ns());
	}
	/*
	 * Count before testing for pending work: that work then includes this
	 * one.
	 */
	count = atomic_inc_return(&notify->count);
	if (count >= every) {
		if (!work_pending(&notify->full))
			queue_work(rdmaev_wq, &notify->full);
		return;
	}
	if (count == 1 && READ_ONCE(notify->delay))
		queue_delayed_work(rdmaev_wq, &notify->late,
				   READ_ONCE(notify->delay));
}

/* Called with the table's lock held, or for a CQ that is not in the table. */
static void notify_update(struct rdmaev_cq_state *cq, void *owner, u32 every,
			  unsigned long delay)
{
	struct rdmaev_cq_notify *notify = &cq->notify;

	notify->owner = owner;
	mutex_lock(&notify->lock);
	if (notify->every)
		notify_append(cq);
	rdmaev_cq_sum(cq, &notify->base);
	notify->base_failures = rdmaev_cq_failures(cq);
	/*
	 * Drop what a late handler counted, or counts now, without a request.
	 */
	if (!notify->every)
		atomic_set(&notify->count, 0);
	WRITE_ONCE(notify->delay, delay);
	WRITE_ONCE(notify->every, every);
	mutex_unlock(&notify->lock);
}

/** rdmaev_notify_init - initialize a CQ without notification records */
void rdmaev_notify_init(struct rdmaev_cq_state *cq)
{
	mutex_init(&cq->notify.lock);
	INIT_WORK(&cq->notify.full, notify_full_fn);
	INIT_DELAYED_WORK(&cq->notify.late, notify_late_fn);
}

/** rdmaev_notify_end - stop notification records; @cq has left the table */
void rdmaev_notify_end(struct rdmaev_cq_state *cq)
{
	notify_update(cq, NULL, 0, 0);
	cancel_work_sync(&cq->notify.full);
	cancel_delayed_work_sync(&cq->notify.late);
}

/* Arguments of rdmaev_notify_set() */
struct notify_request {
	const struct rdmaev_cred *cred;
	void *owner;
	u32 device;
	u32 number;
	u32 every;
	unsigned long delay;
	int ret;
};

static int notify_set_one(struct rdmaev_cq_state *cq, void *data)
{
	const struct notify_request *req = data;

	if (cq->device != req->device || !cq->has_number ||
	    cq->number != req->number || READ_ONCE(cq->is_ended) ||
	    !rdmaev_device_visible(rdmaev_cq_generation(cq), req->cred, true))
		return 0;
	if (cq->pub.kind != RDMAEV_CQ_KIND_CREATED)
		return -EOPNOTSUPP;
	if (cq->notify.owner && cq->notify.owner != req->owner)
		return -EBUSY;
	notify_update(cq, req->every ? req->owner : NULL, req->every,
		      req->delay);
	return 1;
}

static void notify_walk(void *data)
{
	struct notify_request *req = data;

	req->ret = rdmaev_cqs_for_each(notify_set_one, req);
}

/**
 * rdmaev_notify_set - record the notifications of a CQ, or stop recording
 * @cred: credentials of the reader
 * @owner: identifies the reader, see rdmaev_notify_release()
 * @device: index of the device
 * @number: number of the CQ
 * @every: as in &struct rdmaev_notify; 0: stop
 * @delay_us: as in &struct rdmaev_notify
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
	ret = rdmaev_turn(cred, notify_walk, &req);
	if (ret)
		return ret;
	if (!req.ret)
		return -ENOENT;
	return min(req.ret, 0);
}

static int notify_release_one(struct rdmaev_cq_state *cq, void *owner)
{
	if (cq->notify.owner == owner)
		notify_update(cq, NULL, 0, 0);
	return 0;
}

static void notify_release_walk(void *owner)
{
	rdmaev_cqs_for_each(notify_release_one, owner);
}

/**
 * rdmaev_notify_release - stop all notification records of a reader
 * @cred: its credentials
 * @owner: as of rdmaev_notify_set()
 */
void rdmaev_notify_release(const struct rdmaev_cred *cred, void *owner)
{
	rdmaev_walk(cred, notify_release_walk, owner);
}
