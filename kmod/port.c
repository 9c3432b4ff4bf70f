// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ports of a device: each event triggers a query of its port, and each
 * difference from the previous query becomes a record.
 *
 * The state always comes from a query, never from an event: the core drops
 * events when memory is short and may reorder them, and some drivers report
 * PORT_ACTIVE too early. While the last event contradicts the query, the query
 * is repeated for up to MISMATCH_TIME; then the query decides. All ports are
 * also queried every poll_ms.
 *
 * An outage begins and ends where queries find the port not ACTIVE, then ACTIVE
 * again. Its times are those of the events, if they tell.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <rdma/ib_cache.h>

#include "compat.h"
#include "count.h"
#include "device.h"
#include "work.h"

/*
 * The first event triggers a query immediately. Events within this time after a
 * query share the next one: a query may access the hardware, and thousands of
 * events may arrive. Each event is still recorded and counted.
 */
#define QUERY_INTERVAL	msecs_to_jiffies(10)

/*
 * Number of retries of a failed query, with the delay doubled each time: 0.6
 * seconds in all. After -ENOMEM retries continue without limit.
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
MODULE_PARM_DESC(poll_ms, "interval in milliseconds at which every port is queried, in addition to queries after events (default 30000, 0: never)");

static unsigned int outage_ms = 7000;

/* Look for outages that are due now. devices_lock is held. */
static void port_outages_soon(struct rdmaev_dev *dev, void *unused)
{
	if (dev->ib && !dev->is_leaving)
		mod_delayed_work(rdmaev_query_wq, &dev->work, 0);
}

static int port_set_outage_ms(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_uint(val, kp);

	if (ret)
		return ret;
	rdmaev_state_lock();
	rdmaev_devices_for_each(port_outages_soon, NULL);
	rdmaev_state_unlock();
	return 0;
}

static const struct kernel_param_ops outage_ms_ops = {
	.set = port_set_outage_ms,
	.get = param_get_uint,
};
module_param_cb(outage_ms, &outage_ms_ops, &outage_ms, 0644);
MODULE_PARM_DESC(outage_ms, "milliseconds after which a port that is not ACTIVE is recorded as PORT_OUTAGE (default 7000, 0: never)");

/*
 * Result of a query, without the tables.
 * @admin_down: the port is not ACTIVE, and its network device is down
 */
struct port_query {
	u64 value[RDMAEV_PORT_CODES];
	bool admin_down;
	unsigned int ngids;
	unsigned int npkeys;
};

/*
 * Data from event handlers for the query: see &struct rdmaev_dev_port.
 * @pending: an event or a retry requests the query
 */
struct port_events {
	bool pending;
	bool attr;
	unsigned int reported;
	u32 outages;
	struct rdmaev_outage_history history;
	u64 cause[RDMAEV_PORT_CODES];
};

static bool port_is_active(u64 state)
{
	return state >= IB_PORT_ACTIVE;
}

/*
 * Has a person or a program set the network device of a port down? Without one,
 * or when it is being unregistered, nobody has. The start of closing it counts:
 * a driver may report PORT_ERR before IFF_UP is cleared.
 */
static bool port_is_admin_down(struct ib_device *ib, unsigned int num)
{
	struct net_device *netdev;
	bool down;

	if (!rdma_protocol_roce(ib, num) && !rdma_protocol_iwarp(ib, num))
		return false;
	netdev = rdmaev_get_netdev(ib, num);
	if (!netdev)
		return false;
	/* A bit-field up to Linux 6.8, so no READ_ONCE() */
	down = data_race(netdev->reg_state == NETREG_REGISTERED) &&
	       (!netif_running(netdev) ||
		!(READ_ONCE(netdev->flags) & IFF_UP));
	dev_put(netdev);
	return down;
}

/* Query the driver, which may sleep. */
static int port_query(struct ib_device *ib, unsigned int num,
		      struct port_query *res)
{
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(ib, num, &attr);
	if (ret)
		return ret;
	res->value[RDMAEV_PORT_STATE] = attr.state;
	res->value[RDMAEV_PORT_PHYS_STATE] = attr.phys_state;
	res->value[RDMAEV_PORT_LID] = attr.lid;
	res->value[RDMAEV_PORT_SM_LID] = attr.sm_lid;
	res->value[RDMAEV_PORT_SPEED] = attr.active_speed;
	res->value[RDMAEV_PORT_WIDTH] = attr.active_width;
	res->ngids = max(attr.gid_tbl_len, 0);
	res->npkeys = attr.pkey_tbl_len;
	res->admin_down = !port_is_active(attr.state) &&
			  port_is_admin_down(ib, num);
	return 0;
}

/* Data rate in tenths of Gb/s; 0: not known. */
static u32 port_rate(u64 speed, u64 width)
{
	/* By bit of enum ib_port_speed, SDR to XDR, as the rate in sysfs */
	static const u16 rates[] = {
		25, 50, 100, 100, 140, 250, 500, 1000, 2000,
	};
	unsigned int bit = speed ? __ffs64(speed) : 0;
	int lanes = width <= U8_MAX ? ib_width_enum_to_int(width) : -1;

	if (!is_power_of_2(speed) || bit >= ARRAY_SIZE(rates) || lanes < 0)
		return 0;
	return rates[bit] * lanes;
}

/* Note the link of an ACTIVE port if it is the fastest so far. */
static void port_note_link(struct rdmaev_dev_port *port)
{
	u64 speed = port->value[RDMAEV_PORT_SPEED];
	u64 width = port->value[RDMAEV_PORT_WIDTH];

	if (!port_is_active(port->value[RDMAEV_PORT_STATE]) ||
	    port_rate(speed, width) <= port_rate(port->best_speed,
						 port->best_width))
		return;
	port->best_speed = speed;
	port->best_width = width;
}

static u32 port_gid_type(struct ib_device *ib, const struct ib_gid_attr *attr)
{
	if (rdma_protocol_iwarp(ib, attr->port_num))
		return RDMAEV_GID_IWARP;
	if (!rdma_protocol_roce(ib, attr->port_num))
		return RDMAEV_GID_IB;
	return attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
	       RDMAEV_GID_ROCE_V2 : RDMAEV_GID_ROCE_V1;
}

/*
 * The GID and P_Key tables come from the core's cache, which the core updates
 * before it calls our event handler, so the hardware is not accessed. The
 * reference to the entry is dropped before return, so the core can delete it.
 */
static void port_get_gid(struct ib_device *ib, unsigned int num,
			 unsigned int index, struct rdmaev_gid *gid)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(ib, num, index);
	const struct net_device *ndev;

	memset(gid, 0, sizeof(*gid));
	if (IS_ERR(attr))
		return;
	/* A zero GID is an empty entry; some drivers report it as valid. */
	if (memchr_inv(attr->gid.raw, 0, sizeof(attr->gid.raw))) {
		gid->gid = attr->gid;
		gid->type = port_gid_type(ib, attr);
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		if (!IS_ERR(ndev))
			gid->netdev = ndev->ifindex;
		rcu_read_unlock();
	}
	rdma_put_gid_attr(attr);
}

/* An entry that the core is deleting may have no network device any more. */
static bool port_is_same_gid(const struct rdmaev_gid *a,
			     const struct rdmaev_gid *b)
{
	return !memcmp(&a->gid, &b->gid, sizeof(a->gid)) && a->type == b->type &&
	       (a->netdev == b->netdev || !a->netdev || !b->netdev);
}

static u16 port_get_pkey(struct ib_device *ib, unsigned int num,
			 unsigned int index)
{
	u16 pkey;

	return ib_get_cached_pkey(ib, num, index, &pkey) ? 0 : pkey;
}

static int port_make_tables(struct rdmaev_dev_port *port,
			    const struct port_query *res)
{
	struct rdmaev_gid *gids;
	u16 *pkeys;

	gids = kvcalloc(res->ngids, sizeof(*gids), GFP_KERNEL);
	pkeys = kvcalloc(res->npkeys, sizeof(*pkeys), GFP_KERNEL);
	if ((res->ngids && !gids) || (res->npkeys && !pkeys)) {
		kvfree(gids);
		kvfree(pkeys);
		return -ENOMEM;
	}
	port->gids = gids;
	port->ngids = res->ngids;
	port->pkeys = pkeys;
	port->npkeys = res->npkeys;
	return 0;
}

static u32 port_protocols(struct ib_device *ib, unsigned int num)
{
	u32 mask = 0;

	if (rdma_protocol_ib(ib, num))
		mask |= RDMAEV_PROTOCOL_IB;
	if (rdma_protocol_roce(ib, num))
		mask |= RDMAEV_PROTOCOL_ROCE;
	if (rdma_protocol_iwarp(ib, num))
		mask |= RDMAEV_PROTOCOL_IWARP;
	return mask;
}

/*
 * Make the first query, which the next one is compared with. A port whose query
 * fails keeps zeros, so the first successful query records all attributes.
 */
static int port_first_query(struct rdmaev_dev_port *port, struct ib_device *ib)
{
	struct port_query res = {};
	u64 now = ktime_get_boot_fast_ns();
	unsigned int i;
	int ret;

	raw_spin_lock_init(&port->event_lock);
	port->link_layer = rdma_port_get_link_layer(ib, port->num);
	port->protocols = port_protocols(ib, port->num);
	port->queried_ns = now;
	for (i = 1; i < RDMAEV_PORT_CODES; i++)
		port->since_ns[i] = now;

	if (port_query(ib, port->num, &res))
		return 0;
	ret = port_make_tables(port, &res);
	if (ret)
		return ret;
	memcpy(port->value, res.value, sizeof(port->value));
	for (i = 0; i < port->ngids; i++)
		port_get_gid(ib, port->num, i, &port->gids[i]);
	for (i = 0; i < port->npkeys; i++)
		port->pkeys[i] = port_get_pkey(ib, port->num, i);
	port_note_link(port);
	port->up = port_is_active(port->value[RDMAEV_PORT_STATE]);
	port->up_since_ns = now;
	if (!port->up) {
		rdmaev_outage_begin(&port->outage, now, 0,
				    RDMAEV_OUTAGE_AT_ADD);
		rdmaev_outage_set_admin(&port->outage, res.admin_down, now);
	}
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

/* Attribute that an event reports as changed; 0 if it reports none. */
static unsigned int port_event_code(unsigned int event)
{
	switch (event) {
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
		return RDMAEV_PORT_STATE;
	case IB_EVENT_LID_CHANGE:
		return RDMAEV_PORT_LID;
	case IB_EVENT_PKEY_CHANGE:
		return RDMAEV_PORT_PKEY;
	case IB_EVENT_SM_CHANGE:
		return RDMAEV_PORT_SM_LID;
	case IB_EVENT_GID_CHANGE:
		return RDMAEV_PORT_GID;
	}
	return 0;
}

/* port->event_lock is held here and in the next two functions. */
static void port_note_up(struct rdmaev_dev_port *port, u64 ns)
{
	if (!port->up)
		port->up_since_ns = ns;
	port->up = true;
}

static void port_note_down(struct rdmaev_dev_port *port, u64 ns)
{
	s64 passed = ns - port->up_since_ns;
	u64 time = max(passed, 1LL);

	if (!port->up_shortest_ns || time < port->up_shortest_ns)
		WRITE_ONCE(port->up_shortest_ns, time);
	if (time > port->up_longest_ns)
		WRITE_ONCE(port->up_longest_ns, time);
	port->up = false;
}

/* Not inlined: it would cost the events that do not report a state. */
static noinline void port_note_state_event(struct rdmaev_dev_port *port,
					   unsigned int event,
					   const struct rdmaev_record *rec)
{
	u64 seq = rec->seq, ns = rec->boottime_ns;

	/* Handlers run in parallel: the newest event may not be noted last. */
	if (seq >= port->reported_seq) {
		port->reported = event;
		port->reported_seq = seq;
		port->reported_at = jiffies;
	}
	if (event == IB_EVENT_PORT_ACTIVE) {
		if (!port->up)
			rdmaev_history_up(&port->history, ns);
		port_note_up(port, ns);
		return;
	}
	port->cause[RDMAEV_PORT_OUTAGE_UNSEEN] =
		max(port->cause[RDMAEV_PORT_OUTAGE_UNSEEN], seq);
	if (port->up) {
		port_note_down(port, ns);
		rdmaev_history_down(&port->history, ns, seq);
		port->outages++;
	}
}

static void port_note_event(struct rdmaev_dev_port *port, unsigned int event,
			    const struct rdmaev_record *rec)
{
	unsigned int code = port_event_code(event);
	unsigned long flags;
	u64 seq = rec->seq;

	raw_spin_lock_irqsave(&port->event_lock, flags);
	port->query_pending = true;
	port->query_at = jiffies;
	/* The core caches the tables: their events need no driver query. */
	if (code != RDMAEV_PORT_GID && code != RDMAEV_PORT_PKEY)
		port->attr_pending = true;
	port->cause[0] = max(port->cause[0], seq);
	port->cause[code] = max(port->cause[code], seq);
	if (code == RDMAEV_PORT_STATE)
		port_note_state_event(port, event, rec);
	raw_spin_unlock_irqrestore(&port->event_lock, flags);
}

/**
 * rdmaev_ports_query - queue a query of a port
 * @dev: device
 * @event: event that triggers the query
 * @rec: its record, appended, with the number of a port of the device, 0: all
 *	ports. Of an empty one: no event
 *
 * Context: any but NMI.
 */
void rdmaev_ports_query(struct rdmaev_dev *dev, unsigned int event,
			const struct rdmaev_record *rec)
{
	unsigned long next, now = jiffies;
	unsigned int i;

	/*
	 * Lock one port at a time, as interrupts are off meanwhile. An event
	 * without a port reports no change of a port's state.
	 */
	if (rec->port)
		port_note_event(&dev->ports[rec->port - dev->ports[0].num],
				event, rec);
	else
		for (i = 0; i < dev->nports; i++)
			port_note_event(&dev->ports[i], UINT_MAX, rec);

	/*
	 * Full barrier, pairs with that in rdmaev_ports_work(): the work sees
	 * the noted event.
	 */
	if (atomic_xchg(&dev->query_queued, 1))
		return;
	next = READ_ONCE(dev->next_query);
	mod_delayed_work(rdmaev_query_wq, &dev->work,
			 time_before(now, next) ? next - now : 0);
}

/* Take the noted events of a port. Returns false if no query is due. */
static bool port_take_events(struct rdmaev_dev_port *port, bool poll,
			     struct port_events *events)
{
	bool due;

	raw_spin_lock_irq(&port->event_lock);
	/* A retry that is pending replaces the poll. */
	due = port->query_pending ? time_after_eq(jiffies, port->query_at) : poll;
	/* Events that a failed query put back wait for the next one. */
	if (due) {
		events->pending = port->query_pending;
		events->attr = port->attr_pending || poll;
		events->reported = port->reported;
		events->outages = port->outages;
		events->history = port->history;
		memcpy(events->cause, port->cause, sizeof(events->cause));
		port->query_pending = false;
		port->attr_pending = false;
		port->reported = 0;
		port->outages = 0;
		memset(&port->history, 0, sizeof(port->history));
		memset(port->cause, 0, sizeof(port->cause));
	}
	raw_spin_unlock_irq(&port->event_lock);
	return due;
}

/*
 * Put back events that this query could not settle, for the next one.
 * port->event_lock is held.
 * @retry: queue a query after @delay, unless an event has queued an earlier one
 */
static void port_put_back_events(struct rdmaev_dev_port *port,
				 const struct port_events *events, bool retry,
				 unsigned long delay)
{
	unsigned int i;

	port->outages += events->outages;
	rdmaev_history_put_back(&port->history, &events->history);
	for (i = 0; i < RDMAEV_PORT_CODES; i++)
		port->cause[i] = max(port->cause[i], events->cause[i]);
	if (!port->reported)
		port->reported = events->reported;
	port->attr_pending = true;
	if (!retry || port->query_pending)
		return;
	port->query_pending = true;
	port->query_at = jiffies + delay;
}

/*
 * Retry a failed query a few times: a busy device recovers, one that is being
 * removed does not.
 */
static void port_query_failed(struct rdmaev_dev_port *port,
			      const struct port_events *events, int error)
{
	bool retry = events->pending && (port->failures < FAILURE_RETRIES ||
					 error == -ENOMEM);

	if (retry && port->failures < FAILURE_RETRIES)
		port->failures++;
	raw_spin_lock_irq(&port->event_lock);
	port_put_back_events(port, events, retry,
			     QUERY_INTERVAL << port->failures);
	raw_spin_unlock_irq(&port->event_lock);
}

/*
 * Repeat the query for the last state event, which reports the last of
 * @outages. port->event_lock is held.
 */
static void port_retry_mismatch(struct rdmaev_dev_port *port,
				struct port_events *events, u32 outages)
{
	unsigned long passed = jiffies - port->reported_at;
	u64 seq = events->cause[RDMAEV_PORT_STATE];
	struct port_events rest = {
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
	port_put_back_events(port, &rest, true,
			     clamp(passed, 2 * QUERY_INTERVAL, MISMATCH_TIME));
}

/*
 * Reconcile the events with the query. Events noted since port_take_events()
 * have their own query.
 * @unseen: set to the number of outages that no query shows
 *
 * Return: true if the query is final, false if it contradicts the last event
 * and will be repeated.
 */
static bool port_settle_events(struct rdmaev_dev_port *port, bool active,
			       struct port_events *events, u32 *unseen)
{
	u64 now = ktime_get_boot_fast_ns();
	bool was_active = port_is_active(port->value[RDMAEV_PORT_STATE]);
	bool mismatch, newer, is_final;

	raw_spin_lock_irq(&port->event_lock);
	if (was_active && !active && !events->outages) {
		/* If its event follows, it must not count the outage again. */
		events->outages = 1;
		if (port->outages) {
			port->outages--;
			rdmaev_history_take_down(&port->history,
						 &events->history);
		} else if (port->up) {
			port_note_down(port, now);
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
		port_note_up(port, now);
	raw_spin_unlock_irq(&port->event_lock);
	return is_final;
}

/*
 * Return the nanoseconds until the outage of a port is to be recorded, 0: now,
 * -1: there is none, or it was recorded.
 *
 * The work calls it without devices_lock: nothing else changes the outage until
 * the work is cancelled.
 */
static s64 port_outage_left(const struct rdmaev_dev_port *port, u64 now)
{
	const struct rdmaev_outage *outage = &port->outage;
	u64 limit = (u64)READ_ONCE(outage_ms) * NSEC_PER_MSEC;
	s64 passed = now - outage->since_ns;

	if (!limit || !outage->since_ns || outage->reported_seq)
		return -1;
	return max((s64)limit - passed, 0LL);
}

static u64 port_cause_of(const struct port_events *events, unsigned int code)
{
	if (code == RDMAEV_PORT_PHYS_STATE)
		code = RDMAEV_PORT_STATE;
	return events->cause[code] ?: events->cause[0];
}

static u64 port_report(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
		       u64 cause, unsigned int code, unsigned int severity,
		       u32 count, const struct rdmaev_port_body *body)
{
	struct rdmaev_record rec = {
		.cause = cause,
		.device = dev->index,
		.generation = dev->generation,
		.port = port->num,
		.kind = RDMAEV_KIND_PORT,
		.code = code,
		.object_type = RDMAEV_OBJECT_PORT,
		.severity = severity,
		.source = RDMAEV_SOURCE_RDMAEV,
		/* Users who may change addresses can cause any number. */
		.ring = code == RDMAEV_PORT_GID ? RDMAEV_RING_INFO :
						  RDMAEV_RING_PORT,
		.count = count,
		.body.port = *body,
	};

	rec.body.port.flaps = port->flaps;
	return rdmaev_append(dev, &rec);
}

static void port_put_times(struct rdmaev_port_body *body,
			   const struct rdmaev_outage_times *times)
{
	body->down_since_ns = times->since_ns;
	body->down_ns = times->ns;
	body->down_admin_ns = times->admin_ns;
	body->outage_flags = times->flags;
}

/* Record an outage that is due @ns. devices_lock is held. */
static void port_report_outage(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port, u64 ns)
{
	struct rdmaev_outage_times times = rdmaev_outage_at(&port->outage, ns);
	bool unknown = times.flags & RDMAEV_OUTAGE_AT_ADD;
	struct rdmaev_port_body body;

	if (port_outage_left(port, ns))
		return;
	memset(&body, 0, sizeof(body));
	port_put_times(&body, &times);
	body.before.number = unknown ? 0 : IB_PORT_ACTIVE;
	body.after.number = port->value[RDMAEV_PORT_STATE];
	/* A port that never was ACTIVE may have no cable: no error. */
	port->outage.reported_seq =
		port_report(dev, port, port->outage.seq, RDMAEV_PORT_OUTAGE,
			    unknown ? RDMAEV_SEVERITY_WARNING :
				      RDMAEV_SEVERITY_ERROR, 1, &body);
}

/*
 * The port was not ACTIVE, and is now. Returns the cause of the record that
 * ends the outage, 0: there is none.
 */
static u64 port_end_outage(struct rdmaev_dev *dev,
			   struct rdmaev_dev_port *port,
			   const struct port_events *events, u64 now,
			   struct rdmaev_port_body *body)
{
	const struct rdmaev_outage_history *history = &events->history;
	u32 flags = history->back_ns ? 0 : RDMAEV_OUTAGE_END_FOUND;
	/* A port that went down again was ACTIVE before. */
	u64 end = history->back_ns ?: history->down_ns ?: now;
	struct rdmaev_outage_times times;
	u64 reported;

	if (!port->outage.since_ns)
		return 0;
	/*
	 * The work may be late, by the time that the system was suspended.
	 * Without an event, it is certain up to the last query only.
	 */
	port_report_outage(dev, port, history->back_ns ?: port->queried_ns);
	reported = port->outage.reported_seq;
	times = rdmaev_outage_end(&port->outage, end, flags);
	port_put_times(body, &times);
	return reported;
}

static void port_report_end(struct rdmaev_dev *dev,
			    struct rdmaev_dev_port *port, u64 cause,
			    const struct rdmaev_port_body *state)
{
	struct rdmaev_port_body body = *state;

	body.previous_ns = 0;
	port_report(dev, port, cause, RDMAEV_PORT_OUTAGE_END,
		    RDMAEV_SEVERITY_WARNING, 1, &body);
}

/* The port is not ACTIVE, and was, or was never queried before. */
static void port_begin_outage(struct rdmaev_dev_port *port,
			      const struct port_events *events, bool was_active,
			      bool admin_down, u64 now,
			      struct rdmaev_port_body *body)
{
	const struct rdmaev_outage_history *history = &events->history;
	u64 since = now, seq = 0;
	u32 flags = 0;

	if (!was_active) {
		flags = RDMAEV_OUTAGE_AT_ADD;
	} else if (history->down_ns) {
		since = history->down_ns;
		seq = history->down_seq;
	} else {
		flags = RDMAEV_OUTAGE_BEGIN_FOUND;
	}
	rdmaev_outage_begin(&port->outage, since, seq, flags);
	rdmaev_outage_set_admin(&port->outage, admin_down, since);
	body->down_since_ns = since;
	body->outage_flags = port->outage.flags;
}

/* Record a change of the state, and the outage that ends with it. */
static void port_report_state(struct rdmaev_dev *dev,
			      struct rdmaev_dev_port *port,
			      const struct port_query *res,
			      const struct port_events *events, u64 now,
			      struct rdmaev_port_body *body)
{
	bool was_active = port_is_active(body->before.number);
	bool active = port_is_active(body->after.number);
	unsigned int severity = RDMAEV_SEVERITY_INFO;
	u64 outage = 0, seq;

	port->transitions++;
	if (was_active && !active) {
		port->flaps++;
		severity = RDMAEV_SEVERITY_ERROR;
	}
	if (active)
		outage = port_end_outage(dev, port, events, now, body);
	else if (!port->outage.since_ns)
		port_begin_outage(port, events, was_active, res->admin_down,
				  now, body);
	port->value[RDMAEV_PORT_STATE] = body->after.number;
	seq = port_report(dev, port, port_cause_of(events, RDMAEV_PORT_STATE),
			  RDMAEV_PORT_STATE, severity, 1, body);
	if (was_active && !active && !port->outage.seq)
		port->outage.seq = seq;
	if (outage)
		port_report_end(dev, port, outage, body);
}

static void port_cmp_values(struct rdmaev_dev *dev,
			    struct rdmaev_dev_port *port,
			    const struct port_query *res,
			    const struct port_events *events)
{
	u64 now = ktime_get_boot_fast_ns();
	unsigned int code;

	for (code = RDMAEV_PORT_STATE; code <= RDMAEV_PORT_WIDTH; code++) {
		struct rdmaev_port_body body;

		if (port->value[code] == res->value[code])
			continue;
		/* Clear all of it: readers get the whole unions. */
		memset(&body, 0, sizeof(body));
		body.previous_ns = now - port->since_ns[code];
		body.before.number = port->value[code];
		body.after.number = res->value[code];
		port->since_ns[code] = now;
		if (code == RDMAEV_PORT_STATE) {
			port_report_state(dev, port, res, events, now, &body);
			continue;
		}
		port->value[code] = res->value[code];
		port_report(dev, port, port_cause_of(events, code), code,
			    RDMAEV_SEVERITY_INFO, 1, &body);
	}
	port_note_link(port);
}

/* Report outages that ended before the port was queried. */
static void port_report_unseen(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port,
			       const struct port_events *events, u32 outages)
{
	u64 now = ktime_get_boot_fast_ns();
	struct rdmaev_outage_times times;
	struct rdmaev_port_body body;
	u64 found_up = port->found_up_ns;

	if (!outages)
		return;
	if (found_up < events->history.down_ns)
		found_up = now;
	times = rdmaev_outage_add(&port->outage, &events->history, found_up);
	memset(&body, 0, sizeof(body));
	port_put_times(&body, &times);
	body.previous_ns = now - port->queried_ns;
	body.before.number = port->flaps;
	port->flaps += outages;
	body.after.number = port->flaps;
	port->since_ns[RDMAEV_PORT_STATE] = now;
	port_report(dev, port,
		    port_cause_of(events, RDMAEV_PORT_OUTAGE_UNSEEN),
		    RDMAEV_PORT_OUTAGE_UNSEEN, RDMAEV_SEVERITY_WARNING, outages,
		    &body);
}

static void port_cmp_pkeys(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			   const struct port_events *events)
{
	struct rdmaev_port_body body;
	unsigned int i;

	for (i = 0; i < port->npkeys; i++) {
		u16 pkey = port_get_pkey(dev->ib, port->num, i);

		if (pkey == port->pkeys[i])
			continue;
		memset(&body, 0, sizeof(body));
		body.index = i;
		body.before.number = port->pkeys[i];
		body.after.number = pkey;
		port->pkeys[i] = pkey;
		port_report(dev, port, port_cause_of(events, RDMAEV_PORT_PKEY),
			    RDMAEV_PORT_PKEY, RDMAEV_SEVERITY_INFO, 1, &body);
	}
}

static void port_cmp_gids(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			  const struct port_events *events)
{
	struct rdmaev_port_body body;
	struct rdmaev_gid gid;
	unsigned int i;

	for (i = 0; i < port->ngids; i++) {
		struct rdmaev_gid *known = &port->gids[i];

		port_get_gid(dev->ib, port->num, i, &gid);
		if (port_is_same_gid(&gid, known))
			continue;
		memset(&body, 0, sizeof(body));
		body.index = i;
		memcpy(body.before.gid, known->gid.raw, sizeof(known->gid));
		memcpy(body.after.gid, gid.gid.raw, sizeof(gid.gid));
		body.gid_type_before = known->type;
		body.gid_type_after = gid.type;
		body.netdev_before = known->netdev;
		body.netdev_after = gid.netdev;
		*known = gid;
		port_report(dev, port, port_cause_of(events, RDMAEV_PORT_GID),
			    RDMAEV_PORT_GID, RDMAEV_SEVERITY_INFO, 1, &body);
	}
}

/* devices_lock is held. */
static void port_cmp_attr(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			  const struct port_query *res,
			  struct port_events *events)
{
	bool was_active = port_is_active(port->value[RDMAEV_PORT_STATE]);
	bool active = port_is_active(res->value[RDMAEV_PORT_STATE]);
	struct port_events ended;
	u32 unseen;
	bool is_final = port_settle_events(port, active, events, &unseen);

	/*
	 * From ACTIVE, unseen outages precede the change of state, which is the
	 * last outage of the events; else they follow it.
	 */
	if (was_active) {
		ended = *events;
		if (!active)
			ended.history.down_ns = 0;
		port_report_unseen(dev, port, &ended, unseen);
	}
	port_cmp_values(dev, port, res, events);
	if (!was_active)
		port_report_unseen(dev, port, events, unseen);
	if (!active && port->outage.since_ns)
		rdmaev_outage_set_admin(&port->outage, res->admin_down,
					ktime_get_boot_fast_ns());
	if (is_final)
		port->queried_ns = ktime_get_boot_fast_ns();
}

static void port_query_again(struct rdmaev_dev *dev,
			     struct rdmaev_dev_port *port, bool poll)
{
	struct port_events events = {};
	struct port_query res = {};
	bool attr, first;
	int ret = 0;

	if (!port_take_events(port, poll, &events))
		return;
	/* Without tables, no query has succeeded yet. */
	first = !port->gids && !port->pkeys;
	attr = events.attr || first;
	if (attr)
		ret = port_query(dev->ib, port->num, &res);
	if (!ret && first)
		ret = port_make_tables(port, &res);
	if (ret) {
		port_query_failed(port, &events, ret);
		return;
	}
	port->failures = 0;

	rdmaev_state_lock();
	if (attr)
		port_cmp_attr(dev, port, &res, &events);
	port_cmp_pkeys(dev, port, &events);
	port_cmp_gids(dev, port, &events);
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
	port_report_outage(dev, port, ktime_get_boot_fast_ns());
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
	s64 left = port_outage_left(port, ktime_get_boot_fast_ns());
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
	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_dev_port *port = &dev->ports[i];
		bool due = !port_outage_left(port, ktime_get_boot_fast_ns());

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
