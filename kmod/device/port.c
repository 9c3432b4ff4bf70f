// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ports of a device: each event triggers a query of its port, and each
 * difference from the previous query becomes a record (port_record.c).
 *
 * The state always comes from a query, never from an event: the core drops
 * events when memory is short and may reorder them, and some drivers report
 * PORT_ACTIVE too early. While the last event contradicts the query, the query
 * is repeated for up to MISMATCH_TIME; then the query decides. All ports are
 * also queried every poll_ms, when the parts of the device are checked, too
 * (parts.c).
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "device.h"
#include "device_table.h"
#include "outage.h"
#include "parts.h"
#include "port.h"
#include "port_event.h"
#include "port_query.h"
#include "port_record.h"
#include "port_stuck.h"
#include "work.h"

/*
 * The first event triggers a query immediately. Events within this time after a
 * query share the next one: a query may access the hardware, and thousands of
 * events may arrive. Each event is still recorded and counted.
 */
#define QUERY_INTERVAL	msecs_to_jiffies(10)

/*
 * Number of retries of a failed query, with the delay doubled each time: 0.6
 * seconds in all. After -ENOMEM retries continue without limit. An event does not
 * make them sooner.
 */
#define FAILURE_RETRIES	5

/*
 * A query that contradicts PORT_ACTIVE or PORT_ERR is repeated for this time
 * after the event. The delay of each repetition is the time since the event.
 */
#define MISMATCH_TIME	(5 * HZ)

static unsigned int poll_ms = 30000;

/* Query all ports now, and start a new interval. devices_lock is held. */
static void port_poll_soon(struct rdmaev_dev *dev, void *unused)
{
	if (!dev->ib || dev->is_leaving)
		return;
	WRITE_ONCE(dev->poll_at, jiffies);
	mod_delayed_work(rdmaev_query_wq, &dev->work, 0);
}

static int port_set_poll_ms(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_uint(val, kp);

	if (ret)
		return ret;
	rdmaev_state_lock();
	rdmaev_devices_for_each(port_poll_soon, NULL);
	rdmaev_state_unlock();
	return 0;
}

static const struct kernel_param_ops poll_ms_ops = {
	.set = port_set_poll_ms,
	.get = param_get_uint,
};
module_param_cb(poll_ms, &poll_ms_ops, &poll_ms, 0644);
MODULE_PARM_DESC(poll_ms, "interval in milliseconds at which every port is queried, in addition to queries after events, and the nodes of every device are looked up (default 30000, 0: never)");

/*
 * Make the first query, which the next one is compared with. A port whose query
 * fails keeps zeros, so the first successful query records all attributes.
 */
static int port_first_query(struct rdmaev_dev_port *port, struct ib_device *ib)
{
	struct rdmaev_port_query res = {};
	u64 now = ktime_get_boot_fast_ns();
	unsigned int i;
	int ret;

	raw_spin_lock_init(&port->event_lock);
	port->link_layer = rdma_port_get_link_layer(ib, port->num);
	port->protocols = rdmaev_port_protocols(ib, port->num);
	port->queried_ns = now;
	for (i = 1; i < RDMAEV_PORT_CODES; i++)
		port->since_ns[i] = now;

	port->query_error = rdmaev_port_query_driver(ib, port->num, &res);
	if (port->query_error) {
		port->query_failed_ns = now;
		return 0;
	}
	ret = rdmaev_port_make_tables(port, &res);
	if (ret)
		return ret;
	memcpy(port->value, res.value, sizeof(port->value));
	for (i = 0; i < port->ngids; i++)
		rdmaev_port_get_gid(ib, port->num, i, &port->gids[i]);
	for (i = 0; i < port->npkeys; i++)
		port->pkeys[i] = rdmaev_port_get_pkey(ib, port->num, i);
	rdmaev_port_note_link(port);
	port->up = rdmaev_port_is_active(port->value[RDMAEV_PORT_STATE]);
	return 0;
}

/**
 * rdmaev_ports_init - allocate the ports of a device and query them
 * @dev: device, not published yet
 * @ib: its ib_device
 *
 * Return: 0 or -ENOMEM; the caller frees the ports in both cases.
 */
int rdmaev_ports_init(struct rdmaev_dev *dev, struct ib_device *ib)
{
	unsigned int num, n = 0;
	int ret;

	rdma_for_each_port(ib, num)
		n++;
	dev->ports = kvcalloc(n, sizeof(*dev->ports), GFP_KERNEL);
	if (!dev->ports)
		return -ENOMEM;
	dev->poll_at = jiffies + msecs_to_jiffies(READ_ONCE(poll_ms));
	rdma_for_each_port(ib, num) {
		struct rdmaev_dev_port *port = &dev->ports[dev->nports++];

		port->num = num;
		ret = port_first_query(port, ib);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rdmaev_ports_follow - take over what is known of the ports of a removed device
 * @dev: device to be added; devices_lock is held
 * @old: the removed device that it was before
 *
 * A port that was ACTIVE then has an outage if it is not now. Whether its network
 * device is down is for the next query.
 */
void rdmaev_ports_follow(struct rdmaev_dev *dev, const struct rdmaev_dev *old)
{
	unsigned int i;

	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_dev_port *port = &dev->ports[i];

		if (!old->ports[i].was_active)
			continue;
		port->was_active = true;
		if (!port->up && !port->query_error)
			rdmaev_outage_begin(&port->outage, port->queried_ns, 0,
					    RDMAEV_OUTAGE_AT_ADD);
	}
}

static void port_note_failure(struct rdmaev_dev_port *port, int error)
{
	rdmaev_state_lock();
	if (!port->query_error)
		port->query_failed_ns = ktime_get_boot_fast_ns();
	port->query_error = error;
	rdmaev_state_unlock();
}

/*
 * Retry a failed query a few times: a busy device recovers, one that is being
 * removed does not.
 */
static void port_query_failed(struct rdmaev_dev_port *port,
			      const struct rdmaev_port_events *events, int error)
{
	bool retry = events->pending && (port->failures < FAILURE_RETRIES ||
					 error == -ENOMEM);
	unsigned long delay;

	port_note_failure(port, error);
	if (retry && port->failures < FAILURE_RETRIES)
		port->failures++;
	delay = QUERY_INTERVAL << port->failures;
	raw_spin_lock_irq(&port->event_lock);
	rdmaev_port_put_back_events(port, events, retry, delay);
	port->backs_off = true;
	port->retry_at = jiffies + delay;
	/* That of an event since the query began */
	if (port->query_pending && time_before(port->query_at, port->retry_at))
		port->query_at = port->retry_at;
	raw_spin_unlock_irq(&port->event_lock);
}

/*
 * Repeat the query for the last state event, which reports the last of
 * @outages. port->event_lock is held.
 */
static void port_retry_mismatch(struct rdmaev_dev_port *port,
				struct rdmaev_port_events *events, u32 outages)
{
	unsigned long passed = jiffies - port->reported_at;
	u64 seq = events->cause[RDMAEV_PORT_STATE];
	struct rdmaev_port_events rest = {
		.reported = events->reported,
		.outages = outages,
		.cause = {
			[0] = seq,
			[RDMAEV_PORT_STATE] = seq,
			[RDMAEV_PORT_OUTAGE_UNSEEN] =
				events->cause[RDMAEV_PORT_OUTAGE_UNSEEN],
		},
	};

	if (outages) {
		rest.history = events->history;
		rest.history.back_ns = 0;
		events->history = (struct rdmaev_outage_history) {
			.back_ns = events->history.back_ns,
		};
	}
	/* If a newer event has a query pending, its time does not change. */
	rdmaev_port_put_back_events(port, &rest, true,
				    clamp(passed, 2 * QUERY_INTERVAL, MISMATCH_TIME));
}

/*
 * Reconcile the events with the query. Events noted since
 * rdmaev_port_pop_events() have their own query.
 * @unseen: set to the number of outages that no query shows
 *
 * Return: true if the query is final, false if it contradicts the last event
 * and will be repeated.
 */
static bool port_match_events(struct rdmaev_dev_port *port, bool active,
			      struct rdmaev_port_events *events, u32 *unseen)
{
	u64 now = ktime_get_boot_fast_ns();
	bool was_active = rdmaev_port_is_active(port->value[RDMAEV_PORT_STATE]);
	bool mismatch, newer, is_final;

	raw_spin_lock_irq(&port->event_lock);
	port->backs_off = false;
	if (was_active && !active && !events->outages) {
		/* If its event follows, it must not count the outage again. */
		events->outages = 1;
		if (port->reported_outages) {
			port->reported_outages--;
			rdmaev_history_pop_down(&port->history,
						&events->history);
		} else {
			port->up = false;
		}
	}
	*unseen = events->outages;
	/*
	 * The state shows one outage. Only an event shows that the port was up
	 * between two queries that find it down; these outages are not counted.
	 */
	if (!active)
		*unseen = was_active ? *unseen - 1 : 0;

	mismatch = events->reported &&
		   (events->reported == IB_EVENT_PORT_ACTIVE) != active;
	newer = port->reported;
	is_final = !mismatch ||
		   (!newer && jiffies - port->reported_at >= MISMATCH_TIME);
	if (!is_final) {
		if (active && port->found_up_ns < events->history.down_ns)
			port->found_up_ns = now;
		port_retry_mismatch(port, events, active ? *unseen : 0);
		if (active)
			*unseen = 0;
	}
	if (!newer && !active)
		port->up = false;
	else if (!newer && is_final)
		port->up = true;
	raw_spin_unlock_irq(&port->event_lock);
	return is_final;
}

/* devices_lock is held. */
static void port_cmp_attr(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			  const struct rdmaev_port_query *res,
			  struct rdmaev_port_events *events)
{
	bool was_active = rdmaev_port_is_active(port->value[RDMAEV_PORT_STATE]);
	bool active = rdmaev_port_is_active(res->value[RDMAEV_PORT_STATE]);
	struct rdmaev_port_events ended;
	u32 unseen;
	bool is_final = port_match_events(port, active, events, &unseen);

	/*
	 * From ACTIVE, unseen outages precede the change of state, which is the
	 * last outage of the events; else they follow it.
	 */
	if (was_active) {
		ended = *events;
		if (!active)
			ended.history.down_ns = 0;
		rdmaev_port_report_unseen(dev, port, &ended, unseen);
	}
	rdmaev_port_cmp_values(dev, port, res, events);
	if (!was_active)
		rdmaev_port_report_unseen(dev, port, events, unseen);
	if (!active && port->outage.since_ns)
		rdmaev_outage_set_admin(&port->outage, res->admin_down,
					ktime_get_boot_fast_ns());
	if (is_final)
		port->queried_ns = ktime_get_boot_fast_ns();
}

static void port_query_again(struct rdmaev_dev *dev,
			     struct rdmaev_dev_port *port, bool poll)
{
	struct rdmaev_port_events events = {};
	struct rdmaev_port_query res = {};
	bool attr, first;
	int ret = 0;

	if (!rdmaev_port_pop_events(port, poll, &events))
		return;
	/* Without tables, no query has succeeded yet. */
	first = !port->gids && !port->pkeys;
	attr = events.attr || first;
	if (attr) {
		rdmaev_query_begin(dev, port);
		ret = rdmaev_port_query_driver(dev->ib, port->num, &res);
		rdmaev_query_end(dev);
	}
	if (!ret && first)
		ret = rdmaev_port_make_tables(port, &res);
	if (ret) {
		port_query_failed(port, &events, ret);
		return;
	}
	port->failures = 0;

	rdmaev_state_lock();
	if (attr) {
		port->query_error = 0;
		port_cmp_attr(dev, port, &res, &events);
	}
	rdmaev_port_cmp_pkeys(dev, port, &events);
	rdmaev_port_cmp_gids(dev, port, &events);
	rdmaev_state_unlock();
}

/*
 * Record an outage if it is due. The port was queried for that, but the query
 * may have failed.
 */
static void port_check_outage(struct rdmaev_dev *dev,
			      struct rdmaev_dev_port *port)
{
	rdmaev_state_lock();
	rdmaev_port_report_outage(dev, port, ktime_get_boot_fast_ns());
	rdmaev_state_unlock();
}

/**
 * rdmaev_ports_removed - end the outages of a device that is being removed
 * @dev: device; no query runs or will run, and devices_lock is held
 *
 * Readers of removed devices see since when a port was down.
 */
void rdmaev_ports_removed(struct rdmaev_dev *dev)
{
	u64 now = ktime_get_boot_fast_ns();
	unsigned int i;

	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_outage *outage = &dev->ports[i].outage;
		struct rdmaev_outage_times times;

		if (!outage->since_ns)
			continue;
		times = rdmaev_outage_end(outage, now, 0);
		outage->since_ns = times.since_ns;
		outage->flags = times.flags;
	}
}

/*
 * Time at which an outage is to be recorded, in jiffies: after a suspend, whose
 * time they do not include, later than it is due. Returns false if there is
 * none.
 */
static bool port_outage_due(const struct rdmaev_dev_port *port,
			    unsigned long *at)
{
	s64 left = rdmaev_port_outage_left(port, ktime_get_boot_fast_ns());
	unsigned int ms;

	if (left < 0)
		return false;
	ms = min_t(u64, div_u64(left, NSEC_PER_MSEC), UINT_MAX);
	*at = jiffies + msecs_to_jiffies(ms) + 1;
	return true;
}

/*
 * Time of the next query, a retry, the poll or an outage that will be due, in
 * jiffies. Returns false if none is due.
 */
static bool port_next_query(struct rdmaev_dev *dev, unsigned long *at)
{
	bool found = READ_ONCE(poll_ms);
	unsigned int i;

	*at = READ_ONCE(dev->poll_at);
	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_dev_port *port = &dev->ports[i];
		unsigned long due;

		if (port_outage_due(port, &due) &&
		    (!found || time_before(due, *at))) {
			*at = due;
			found = true;
		}
		raw_spin_lock_irq(&port->event_lock);
		if (port->query_pending &&
		    (!found || time_before(port->query_at, *at))) {
			*at = port->query_at;
			found = true;
		}
		raw_spin_unlock_irq(&port->event_lock);
	}
	return found;
}

/**
 * rdmaev_ports_work - query the ports with pending queries
 * @work: work in &struct rdmaev_dev
 *
 * client_remove() waits for this, so the ib_device exists.
 */
void rdmaev_ports_work(struct work_struct *work)
{
	struct rdmaev_dev *dev = container_of(to_delayed_work(work),
					      struct rdmaev_dev, work);
	unsigned int ms = READ_ONCE(poll_ms);
	unsigned long now, at;
	unsigned int i;
	bool poll;

	atomic_xchg(&dev->query_queued, 0);
	poll = ms && time_after_eq(jiffies, READ_ONCE(dev->poll_at));
	if (poll)
		WRITE_ONCE(dev->poll_at, jiffies + max(msecs_to_jiffies(ms),
						       QUERY_INTERVAL));
	/* First: the driver may not return from a query. */
	if (poll)
		rdmaev_parts_check(dev);
	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_dev_port *port = &dev->ports[i];
		bool due = !rdmaev_port_outage_left(port, ktime_get_boot_fast_ns());

		port_query_again(dev, port, poll || due);
		if (due)
			port_check_outage(dev, port);
	}
	now = jiffies;
	WRITE_ONCE(dev->next_query, now + QUERY_INTERVAL);
	/* If an event has queued the work since, this has no effect. */
	if (port_next_query(dev, &at))
		queue_delayed_work(rdmaev_query_wq, &dev->work,
				   time_before(now, at) ? at - now : 0);
}
