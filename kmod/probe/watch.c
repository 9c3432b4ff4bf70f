// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The state of a probe and its records, each once until the probe is OK again;
 * and calls of the driver that do not return: nothing can end such a call, but
 * it is on record as long as it lasts.
 */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "probe.h"
#include "prober.h"
#include "watch.h"

struct workqueue_struct *probe_wq;

static unsigned int late_ms = 100;
module_param_named(probe_late_ms, late_ms, uint, 0644);
MODULE_PARM_DESC(probe_late_ms, "milliseconds after which a request that has not completed is recorded as PROBE_LATE (default 100, 0: never)");

static unsigned int lost_ms = 5000;
module_param_named(probe_lost_ms, lost_ms, uint, 0644);
MODULE_PARM_DESC(probe_lost_ms, "milliseconds after which it is recorded as PROBE_LOST, and a call of the driver as PROBE_STUCK (default 5000, at least 100)");

#define LOST_MS_MIN	100

/** probe_late_ms - return after how many milliseconds a request is late */
unsigned int probe_late_ms(void)
{
	return READ_ONCE(late_ms);
}

/** probe_lost_ms - return after how many milliseconds a request is lost */
unsigned int probe_lost_ms(void)
{
	return max_t(unsigned int, READ_ONCE(lost_ms), LOST_MS_MIN);
}

static void probe_state_set(struct probe_port *port, unsigned int state)
{
	lockdep_assert_held(&port->lock);
	if (port->info.state == state)
		return;
	port->info.state = state;
	port->info.since_ns = ktime_get_boot_fast_ns();
}

/**
 * probe_set_state - set the state that the list shows
 * @port: port
 * @state: &enum rdmaev_probe_state, none of those that have records
 */
void probe_set_state(struct probe_port *port, unsigned int state)
{
	spin_lock(&port->lock);
	probe_state_set(port, state);
	port->info.call = 0;
	port->info.error = 0;
	spin_unlock(&port->lock);
}

/* With the lock of the port. Returns the time. */
static u64 probe_report(struct probe_port *port, unsigned int code,
			const struct rdmaev_probe_body *about, u64 *seq)
{
	struct rdmaev_probe_body body = *about;

	lockdep_assert_held(&port->lock);
	body.sent = port->info.sent;
	body.qp = port->info.qp;
	body.cq = port->info.cq;
	body.method = port->info.method;
	*seq = rdmaev_probe_report(probe_ib(port), port->num, code, &body,
				   port->trouble_seq);
	return ktime_get_boot_fast_ns();
}

static const unsigned int state_of_trouble[] = {
	[RDMAEV_PROBE_LATE] = RDMAEV_PROBE_STATE_LATE,
	[RDMAEV_PROBE_LOST] = RDMAEV_PROBE_STATE_LOST,
	[RDMAEV_PROBE_FAILED] = RDMAEV_PROBE_STATE_FAILED,
	[RDMAEV_PROBE_STUCK] = RDMAEV_PROBE_STATE_STUCK,
};

static void probe_trouble_begin(struct probe_port *port, unsigned int code,
				const struct rdmaev_probe_body *about)
{
	u64 seq, now;

	/* A request that is late is less than what happened to others. */
	if (code != RDMAEV_PROBE_LATE || !(port->troubles & ~BIT(code))) {
		probe_state_set(port, state_of_trouble[code]);
		port->info.call = about->call;
		port->info.error = about->error;
	}
	if (port->troubles & BIT(code))
		return;
	now = probe_report(port, code, about, &seq);
	port->troubles |= BIT(code);
	if (port->trouble_seq)
		return;
	port->trouble_seq = seq;
	port->trouble_ns = now;
}

/**
 * probe_trouble - record that the probe is in trouble, once until it is OK
 * @port: port
 * @code: &enum rdmaev_probe_code
 * @about: body of the record, as far as it is about this request
 */
void probe_trouble(struct probe_port *port, unsigned int code,
		   const struct rdmaev_probe_body *about)
{
	spin_lock(&port->lock);
	probe_trouble_begin(port, code, about);
	spin_unlock(&port->lock);
}

/**
 * probe_trouble_end - a request has completed: the probe is OK
 * @port: port
 */
void probe_trouble_end(struct probe_port *port)
{
	struct rdmaev_probe_body body = {};
	u64 seq;

	spin_lock(&port->lock);
	probe_state_set(port, RDMAEV_PROBE_STATE_OK);
	port->info.call = 0;
	port->info.error = 0;
	if (port->troubles) {
		body.time_ns = ktime_get_boot_fast_ns() - port->trouble_ns;
		probe_report(port, RDMAEV_PROBE_OK, &body, &seq);
		port->troubles = 0;
		port->trouble_seq = 0;
	}
	spin_unlock(&port->lock);
}

/**
 * probe_trouble_forget - the port is not probed any more, or not ACTIVE
 * @port: port
 */
void probe_trouble_forget(struct probe_port *port)
{
	spin_lock(&port->lock);
	port->troubles = 0;
	port->trouble_seq = 0;
	spin_unlock(&port->lock);
}

/**
 * probe_set_method - note how the port is probed
 * @port: port
 * @method: &enum rdmaev_probe_method
 */
void probe_set_method(struct probe_port *port, unsigned int method)
{
	spin_lock(&port->lock);
	port->info.method = method;
	spin_unlock(&port->lock);
}

/**
 * probe_set_objects - note the numbers of the objects, after they were made
 * @port: port
 * @qp: number of the QP, 0: none
 * @cq: number of the CQ, if there is a QP
 */
void probe_set_objects(struct probe_port *port, u32 qp, u32 cq)
{
	spin_lock(&port->lock);
	port->info.qp = qp;
	port->info.cq = cq;
	/* The first ones are no others' replacement. */
	port->info.rebuilt += qp && port->info.sent;
	spin_unlock(&port->lock);
}

/**
 * probe_call - note which call follows
 * @port: port
 * @call: &enum rdmaev_probe_call
 *
 * Context: the work of the port, or probe_port_stop().
 */
void probe_call(struct probe_port *port, unsigned int call)
{
	spin_lock(&port->lock);
	port->call = call;
	port->call_ns = ktime_get_boot_fast_ns();
	spin_unlock(&port->lock);
}

/**
 * probe_watch_begin - watch the calls of the driver until probe_watch_end()
 * @port: port
 */
void probe_watch_begin(struct probe_port *port)
{
	probe_call(port, RDMAEV_PROBE_CALL_NONE);
	queue_delayed_work(probe_wq, &port->watch,
			   msecs_to_jiffies(probe_lost_ms()));
}

/**
 * probe_watch_end - all calls of the driver have returned
 * @port: port
 */
void probe_watch_end(struct probe_port *port)
{
	probe_call(port, RDMAEV_PROBE_CALL_NONE);
	cancel_delayed_work_sync(&port->watch);
	spin_lock(&port->lock);
	if (port->info.state == RDMAEV_PROBE_STATE_STUCK)
		probe_state_set(port, port->calm_state);
	spin_unlock(&port->lock);
}

/**
 * probe_watch_work - record a call of the driver that has not returned
 * @work: watch in &struct probe_port
 *
 * Runs again, as one call may return in time and the next one not.
 * probe_watch_end() cancels it, so it does not outlive the work of the port.
 */
void probe_watch_work(struct work_struct *work)
{
	struct probe_port *port = container_of(to_delayed_work(work),
					       struct probe_port, watch);
	const u64 limit = (u64)probe_lost_ms() * NSEC_PER_MSEC;
	struct rdmaev_probe_body body = {};

	spin_lock(&port->lock);
	body.call = port->call;
	body.time_ns = ktime_get_boot_fast_ns() - port->call_ns;
	if (body.call && body.time_ns >= limit &&
	    port->info.state != RDMAEV_PROBE_STATE_STUCK) {
		port->calm_state = port->info.state;
		probe_trouble_begin(port, RDMAEV_PROBE_STUCK, &body);
	}
	spin_unlock(&port->lock);
	queue_delayed_work(probe_wq, &port->watch,
			   msecs_to_jiffies(probe_lost_ms()));
}
