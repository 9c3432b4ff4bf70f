// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe of a port: one request at a time, its completion, and what follows
 * if that does not come. The CQ is armed before the request is posted, and
 * polled after the completion handler was called, or when the request is lost:
 * then the completion is in the CQ if only the notification was lost.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "make.h"
#include "port.h"
#include "probe.h"
#include "prober.h"
#include "watch.h"

#define BACKOFF_MIN_MS	100	/* of a probe that is switched off */
#define BACKOFF_MAX_MS	60000

/* Result of a step: the next one is due when something happens */
#define NEVER		ULONG_MAX

static unsigned long probe_until(unsigned long at)
{
	long left = at - jiffies;

	return max(left, 0L);
}

/* Take the objects down, and try again later, each time after a longer time. */
static void probe_back_off(struct probe_port *port)
{
	unsigned int interval = READ_ONCE(port->dev->interval_ms) ?:
				BACKOFF_MIN_MS;

	probe_unmake(port);
	port->posted_ns = 0;
	port->backoff_ms = clamp_t(unsigned int, 2 * port->backoff_ms, interval,
				   max_t(unsigned int, interval,
					 BACKOFF_MAX_MS));
	port->next_at = jiffies + msecs_to_jiffies(port->backoff_ms);
}

static void probe_count_completion(struct probe_port *port, u64 ns)
{
	struct rdmaev_probe *info = &port->info;

	spin_lock(&port->lock);
	info->completed++;
	info->newest_ns = ns;
	info->longest_ns = max(info->longest_ns, ns);
	info->latency[min_t(unsigned int, ilog2(ns | 1),
			    RDMAEV_PROBE_BUCKETS - 1)]++;
	spin_unlock(&port->lock);
}

static void probe_count(struct probe_port *port, u64 *counter)
{
	spin_lock(&port->lock);
	(*counter)++;
	spin_unlock(&port->lock);
}

static void probe_failed(struct probe_port *port, unsigned int call, int error)
{
	const struct rdmaev_probe_body body = {
		.call = call,
		.error = error,
	};

	/* What ends with the device does not say that it was in trouble. */
	if (!READ_ONCE(port->is_leaving)) {
		probe_count(port, &port->info.failed);
		probe_trouble(port, RDMAEV_PROBE_FAILED, &body);
	}
	probe_back_off(port);
}

/*
 * Returns the number of completions of the request, at most 1, with its status.
 * Others there are none of: the peer of a connection posts nothing.
 */
static int probe_poll(struct probe_port *port, struct ib_wc *wc)
{
	probe_call(port, RDMAEV_PROBE_CALL_POLL_CQ);
	return rdmaev_poll_cq(port->obj.rcq, 1, wc);
}

/* 0, or -errno. If completions are there already, act as if notified. */
static int probe_arm(struct probe_port *port)
{
	int ret;

	probe_call(port, RDMAEV_PROBE_CALL_REQ_NOTIFY);
	ret = ib_req_notify_cq(port->obj.rcq->cq, IB_CQ_NEXT_COMP |
						  IB_CQ_REPORT_MISSED_EVENTS);
	if (ret > 0 && port->posted_ns)
		atomic64_cmpxchg(&port->notified_ns, 0,
				 ktime_get_boot_fast_ns());
	return min(ret, 0);
}

static unsigned long probe_send(struct probe_port *port)
{
	int ret;

	atomic64_set(&port->notified_ns, 0);
	ret = probe_arm(port);
	if (ret) {
		probe_failed(port, RDMAEV_PROBE_CALL_REQ_NOTIFY, ret);
		return probe_until(port->next_at);
	}
	port->is_late = false;
	port->posted_at = jiffies;
	port->posted_ns = ktime_get_boot_fast_ns();
	probe_count(port, &port->info.sent);
	probe_call(port, RDMAEV_PROBE_CALL_POST_SEND);
	ret = probe_post(port);
	if (ret) {
		probe_failed(port, RDMAEV_PROBE_CALL_POST_SEND, ret);
		return probe_until(port->next_at);
	}
	return msecs_to_jiffies(min(probe_late_ms() ?: UINT_MAX,
				    probe_lost_ms()));
}

static bool probe_is_active(struct probe_port *port)
{
	struct rdmaev_probed_port state;

	rdmaev_probe_get_port(probe_ib(port), port->num, &state);
	return state.is_active;
}

/* Objects that the driver does not destroy are tried again, as after a failure. */
static unsigned long probe_rest(struct probe_port *port)
{
	int ret = probe_unmake(port);

	if (ret) {
		probe_failed(port, port->call, ret);
		return probe_until(port->next_at);
	}
	port->posted_ns = 0;
	port->backoff_ms = 0;
	probe_trouble_forget(port);
	probe_set_state(port, RDMAEV_PROBE_STATE_INACTIVE);
	port->next_at = jiffies;
	return msecs_to_jiffies(READ_ONCE(port->dev->interval_ms));
}

static unsigned long probe_completed(struct probe_port *port,
				     const struct ib_wc *wc)
{
	u64 ns = atomic64_read(&port->notified_ns);

	/* Of a device that notified without a completion before the request */
	if (ns < port->posted_ns)
		ns = ktime_get_boot_fast_ns();
	ns -= port->posted_ns;
	if (wc->status != IB_WC_SUCCESS) {
		/* The port went down meanwhile: that is known otherwise. */
		if (!probe_is_active(port))
			return probe_rest(port);
		probe_failed(port, RDMAEV_PROBE_CALL_NONE, wc->status);
		return probe_until(port->next_at);
	}
	port->next_at = port->posted_at +
			msecs_to_jiffies(READ_ONCE(port->dev->interval_ms));
	port->posted_ns = 0;
	port->backoff_ms = 0;
	probe_count_completion(port, ns);
	probe_trouble_end(port);
	return probe_until(port->next_at);
}

static unsigned long probe_lost(struct probe_port *port, u64 ns)
{
	struct rdmaev_probe_body body = { .time_ns = ns };
	struct ib_wc wc;

	if (probe_poll(port, &wc) > 0)
		body.flags = RDMAEV_PROBE_IN_CQ;
	if (!port->is_late)
		probe_count(port, &port->info.late);
	probe_count(port, &port->info.lost);
	probe_trouble(port, RDMAEV_PROBE_LOST, &body);
	probe_back_off(port);
	return probe_until(port->next_at);
}

static void probe_late(struct probe_port *port, u64 ns)
{
	const struct rdmaev_probe_body body = { .time_ns = ns };

	if (port->is_late)
		return;
	port->is_late = true;
	probe_count(port, &port->info.late);
	probe_trouble(port, RDMAEV_PROBE_LATE, &body);
}

/* A request is outstanding. */
static unsigned long probe_wait(struct probe_port *port)
{
	const u64 late = (u64)probe_late_ms() * NSEC_PER_MSEC;
	const u64 lost = (u64)probe_lost_ms() * NSEC_PER_MSEC;
	struct ib_wc wc;
	u64 ns;
	int n;

	if (atomic64_read(&port->notified_ns)) {
		n = probe_poll(port, &wc);
		if (n > 0)
			return probe_completed(port, &wc);
		/* Devices may notify without a completion. */
		atomic64_set(&port->notified_ns, 0);
		n = n ?: probe_arm(port);
		if (n) {
			probe_failed(port, port->call, n);
			return probe_until(port->next_at);
		}
		if (atomic64_read(&port->notified_ns))
			return 0;
	}
	ns = ktime_get_boot_fast_ns() - port->posted_ns;
	if (ns >= lost)
		return probe_lost(port, ns);
	if (late && ns >= late)
		probe_late(port, ns);
	else if (late)
		return nsecs_to_jiffies(min(late, lost) - ns) + 1;
	return nsecs_to_jiffies(lost - ns) + 1;
}

/* Returns after how many jiffies the next step is due, or NEVER. */
static unsigned long probe_step(struct probe_port *port)
{
	unsigned int interval = READ_ONCE(port->dev->interval_ms);
	unsigned long limit, left;
	int ret;

	if (READ_ONCE(port->is_leaving))
		return NEVER;
	if (!interval) {
		left = probe_rest(port);
		if (port->obj.pd)
			return left;
		probe_set_state(port, RDMAEV_PROBE_STATE_OFF);
		return NEVER;
	}
	if (!probe_is_active(port))
		return probe_rest(port);
	if (port->posted_ns)
		return probe_wait(port);
	/* The interval may be shorter now. */
	limit = jiffies + msecs_to_jiffies(max(interval, port->backoff_ms));
	if (time_after(port->next_at, limit))
		port->next_at = limit;
	if (time_before(jiffies, port->next_at))
		return probe_until(port->next_at);
	if (port->info.state < RDMAEV_PROBE_STATE_STARTING)
		probe_set_state(port, RDMAEV_PROBE_STATE_STARTING);
	if (!port->is_up) {
		ret = probe_unmake(port) ?: probe_make(port);
		if (ret) {
			probe_failed(port, port->call, ret);
			return probe_until(port->next_at);
		}
	}
	if (READ_ONCE(port->is_leaving))
		return NEVER;
	return probe_send(port);
}

static void probe_port_work(struct work_struct *work)
{
	struct probe_port *port = container_of(to_delayed_work(work),
					       struct probe_port, work);
	unsigned long next;

	probe_watch_begin(port);
	next = probe_step(port);
	probe_watch_end(port);
	/* The completion handler may have queued it for now: that stays. */
	if (next != NEVER && !READ_ONCE(port->is_leaving))
		queue_delayed_work(probe_wq, &port->work, next);
}

/**
 * probe_port_init - initialize the probe of a port, not started
 * @port: port, zero
 * @dev: its device
 * @num: number of the port
 * @generation: generation of the device
 */
void probe_port_init(struct probe_port *port, struct probe_dev *dev, u32 num,
		     u32 generation)
{
	port->dev = dev;
	port->num = num;
	INIT_DELAYED_WORK(&port->work, probe_port_work);
	INIT_DELAYED_WORK(&port->watch, probe_watch_work);
	init_waitqueue_head(&port->cm_wait);
	spin_lock_init(&port->lock);
	port->next_at = jiffies;
	port->info.device = dev->ib->index;
	port->info.generation = generation;
	port->info.port = num;
	port->info.since_ns = ktime_get_boot_fast_ns();
}

/**
 * probe_port_start - have the port probed as its device says, or not any more
 * @port: port
 */
void probe_port_start(struct probe_port *port)
{
	mod_delayed_work(probe_wq, &port->work, 0);
}

/**
 * probe_port_stop - end the probe; only the driver's calls are waited for
 * @port: port that is leaving, and not started again
 *
 * Return: 0; -errno: the driver has not destroyed an object, which still uses
 * @port.
 */
int probe_port_stop(struct probe_port *port)
{
	int ret;

	wake_up_all(&port->cm_wait);
	cancel_delayed_work_sync(&port->work);
	probe_watch_begin(port);
	ret = probe_unmake(port);
	probe_watch_end(port);
	/* The completion handler could queue it until the CQ was destroyed. */
	cancel_delayed_work_sync(&port->work);
	return ret;
}
