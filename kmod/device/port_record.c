// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records of ports: each difference between two queries, and outages.
 *
 * An outage begins and ends where queries find the port not ACTIVE, then ACTIVE
 * again. Its times are those of the events, if they tell.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "count.h"
#include "device.h"
#include "device_table.h"
#include "log/catalogue.h"
#include "outage.h"
#include "port_query.h"
#include "port_record.h"
#include "work.h"

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
MODULE_PARM_DESC(outage_ms, "milliseconds after which a port that is not ACTIVE any more is recorded as PORT_OUTAGE (default 7000, 0: never)");

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

/**
 * rdmaev_port_note_link - note that a port is ACTIVE, and its link if it is the
 *	fastest so far
 * @port: port, just queried; nothing happens if it is not ACTIVE
 */
void rdmaev_port_note_link(struct rdmaev_dev_port *port)
{
	u64 speed = port->value[RDMAEV_PORT_SPEED];
	u64 width = port->value[RDMAEV_PORT_WIDTH];

	if (!rdmaev_port_is_active(port->value[RDMAEV_PORT_STATE]))
		return;
	port->was_active = true;
	if (port_rate(speed, width) <= port_rate(port->best_speed, port->best_width))
		return;
	port->best_speed = speed;
	port->best_width = width;
}

/**
 * rdmaev_port_outage_left - get the time until an outage is to be recorded
 * @port: port
 * @now: CLOCK_BOOTTIME
 *
 * The work calls it without devices_lock: nothing else changes the outage until
 * the work is cancelled.
 *
 * Return: nanoseconds, 0: now, -1: there is no outage, or it was recorded.
 */
s64 rdmaev_port_outage_left(const struct rdmaev_dev_port *port, u64 now)
{
	const struct rdmaev_outage *outage = &port->outage;
	u64 limit = (u64)READ_ONCE(outage_ms) * NSEC_PER_MSEC;
	s64 passed = now - outage->since_ns;

	if (!limit || !outage->since_ns || outage->reported_seq)
		return -1;
	return max((s64)limit - passed, 0LL);
}

static u64 port_cause_of(const struct rdmaev_port_events *events,
			 unsigned int code)
{
	if (code == RDMAEV_PORT_PHYS_STATE)
		code = RDMAEV_PORT_STATE;
	return events->cause[code] ?: events->cause[0];
}

/* @severity: other than that of the usual case; 0: none */
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
		.source = RDMAEV_SOURCE_RDMAEV,
		.count = count,
		.body.port = *body,
	};

	rdmaev_record_set_code(&rec, code);
	if (severity)
		rec.severity = severity;
	rec.body.port.outages = port->outages;
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

/**
 * rdmaev_port_report_outage - record an outage if it is due
 * @dev: device, devices_lock is held
 * @port: port
 * @ns: when, CLOCK_BOOTTIME
 */
void rdmaev_port_report_outage(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port, u64 ns)
{
	struct rdmaev_outage_times times = rdmaev_outage_at(&port->outage, ns);
	bool unknown = times.flags & RDMAEV_OUTAGE_AT_ADD;
	struct rdmaev_port_body body;

	if (rdmaev_port_outage_left(port, ns))
		return;
	memset(&body, 0, sizeof(body));
	port_put_times(&body, &times);
	body.before.number = unknown ? 0 : IB_PORT_ACTIVE;
	body.after.number = port->value[RDMAEV_PORT_STATE];
	/* A link may need some time after its device was added: no error. */
	port->outage.reported_seq =
		port_report(dev, port, port->outage.seq, RDMAEV_PORT_OUTAGE,
			    unknown ? RDMAEV_SEVERITY_WARNING : 0, 1, &body);
}

/**
 * rdmaev_port_report_query - record a query that is stuck, or has returned
 * @dev: device, devices_lock is held
 * @port: port
 * @code: RDMAEV_PORT_QUERY_STUCK or RDMAEV_PORT_QUERY_RETURNED
 * @cause: seq of the record before, or 0
 * @ns: how long it has taken
 *
 * Return: seq of the record.
 */
u64 rdmaev_port_report_query(struct rdmaev_dev *dev,
			     struct rdmaev_dev_port *port, unsigned int code,
			     u64 cause, u64 ns)
{
	struct rdmaev_port_body body = { .previous_ns = ns };

	return port_report(dev, port, cause, code, 0, 1, &body);
}

/*
 * The port was not ACTIVE, and is now. Returns the cause of the record that
 * ends the outage, 0: there is none.
 */
static u64 port_end_outage(struct rdmaev_dev *dev,
			   struct rdmaev_dev_port *port,
			   const struct rdmaev_port_events *events, u64 now,
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
	rdmaev_port_report_outage(dev, port, history->back_ns ?: port->queried_ns);
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
	port_report(dev, port, cause, RDMAEV_PORT_OUTAGE_END, 0, 1, &body);
}

/* The port is not ACTIVE, and was, or was in an earlier generation. */
static void port_begin_outage(struct rdmaev_dev_port *port,
			      const struct rdmaev_port_events *events, bool was_active,
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
			      const struct rdmaev_port_query *res,
			      const struct rdmaev_port_events *events, u64 now,
			      struct rdmaev_port_body *body)
{
	bool was_active = rdmaev_port_is_active(body->before.number);
	bool active = rdmaev_port_is_active(body->after.number);
	unsigned int severity = 0;
	u64 outage = 0, seq;

	port->transitions++;
	if (was_active && !active) {
		port->outages++;
		severity = RDMAEV_SEVERITY_ERROR;
	}
	if (active)
		outage = port_end_outage(dev, port, events, now, body);
	else if (port->was_active && !port->outage.since_ns)
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

static u64 port_link_rate(const u64 *value)
{
	return port_rate(value[RDMAEV_PORT_SPEED], value[RDMAEV_PORT_WIDTH]);
}

/* Record a new speed or width of a port that is ACTIVE. */
static void port_report_link(struct rdmaev_dev *dev,
			     struct rdmaev_dev_port *port, u64 cause,
			     unsigned int code, bool slower,
			     const struct rdmaev_port_body *body)
{
	u32 before = port_link_rate(port->value);

	port->value[code] = body->after.number;
	/* Not the wider of a link that is slower because of its speed */
	slower = slower && port_link_rate(port->value) < before;
	port_report(dev, port, cause, code, slower ? RDMAEV_SEVERITY_WARNING : 0, 1, body);
}

/* Is the link slower than the last one of the port that was ACTIVE? */
static bool port_is_slower(const struct rdmaev_dev_port *port,
			   const struct rdmaev_port_query *res)
{
	u32 rate = port_link_rate(res->value);

	return port->best_speed && rate && rate < port_link_rate(port->value);
}

/**
 * rdmaev_port_cmp_values - record what differs from the previous query
 * @dev: device, devices_lock is held
 * @port: port, of the previous query
 * @res: this query
 * @events: events since the previous one
 *
 * Speed, width and MTU of a port that is not ACTIVE mean nothing: those of its last
 * link are kept, so that they are compared with those of the next.
 */
void rdmaev_port_cmp_values(struct rdmaev_dev *dev,
			    struct rdmaev_dev_port *port,
			    const struct rdmaev_port_query *res,
			    const struct rdmaev_port_events *events)
{
	bool active = rdmaev_port_is_active(res->value[RDMAEV_PORT_STATE]);
	static const u8 codes[] = {
		RDMAEV_PORT_STATE, RDMAEV_PORT_PHYS_STATE, RDMAEV_PORT_LID, RDMAEV_PORT_SM_LID,
		RDMAEV_PORT_SPEED, RDMAEV_PORT_WIDTH, RDMAEV_PORT_MTU,
	};
	bool slower = port_is_slower(port, res);
	u64 now = ktime_get_boot_fast_ns();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		unsigned int code = codes[i];
		bool is_link = code == RDMAEV_PORT_SPEED ||
			       code == RDMAEV_PORT_WIDTH;
		bool is_mtu = code == RDMAEV_PORT_MTU;
		struct rdmaev_port_body body;
		u32 severity;

		if (port->value[code] == res->value[code] ||
		    ((is_link || is_mtu) && !active))
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
		if (is_link) {
			port_report_link(dev, port,
					 port_cause_of(events, code), code,
					 slower, &body);
			continue;
		}
		/* Not smaller than what a port had that was never ACTIVE */
		severity = is_mtu && port->best_speed && res->value[code] < port->value[code] ?
			   RDMAEV_SEVERITY_WARNING : 0;
		port->value[code] = res->value[code];
		port_report(dev, port, port_cause_of(events, code), code, severity, 1, &body);
	}
	rdmaev_port_note_link(port);
}

/**
 * rdmaev_port_report_unseen - record outages that ended before the query
 * @dev: device, devices_lock is held
 * @port: port
 * @events: events that report them
 * @outages: their number; nothing happens if it is 0
 */
void rdmaev_port_report_unseen(struct rdmaev_dev *dev,
			       struct rdmaev_dev_port *port,
			       const struct rdmaev_port_events *events, u32 outages)
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
	body.before.number = port->outages;
	port->outages += outages;
	body.after.number = port->outages;
	port->since_ns[RDMAEV_PORT_STATE] = now;
	port_report(dev, port,
		    port_cause_of(events, RDMAEV_PORT_OUTAGE_UNSEEN),
		    RDMAEV_PORT_OUTAGE_UNSEEN, 0, outages,
		    &body);
}

/** rdmaev_port_cmp_pkeys - the same for the P_Key table */
void rdmaev_port_cmp_pkeys(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			   const struct rdmaev_port_events *events)
{
	struct rdmaev_port_body body;
	unsigned int i;

	for (i = 0; i < port->npkeys; i++) {
		u16 pkey = rdmaev_port_get_pkey(dev->ib, port->num, i);

		if (pkey == port->pkeys[i])
			continue;
		memset(&body, 0, sizeof(body));
		body.index = i;
		body.before.number = port->pkeys[i];
		body.after.number = pkey;
		port->pkeys[i] = pkey;
		port_report(dev, port, port_cause_of(events, RDMAEV_PORT_PKEY),
			    RDMAEV_PORT_PKEY, 0, 1, &body);
	}
}

/* An entry that the core is deleting may have no network device any more. */
static bool port_is_same_gid(const struct rdmaev_gid *a,
			     const struct rdmaev_gid *b)
{
	return !memcmp(&a->gid, &b->gid, sizeof(a->gid)) && a->type == b->type &&
	       (a->netdev == b->netdev || !a->netdev || !b->netdev);
}

/** rdmaev_port_cmp_gids - the same for the GID table */
void rdmaev_port_cmp_gids(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			  const struct rdmaev_port_events *events)
{
	struct rdmaev_port_body body;
	struct rdmaev_gid gid;
	unsigned int i;

	for (i = 0; i < port->ngids; i++) {
		struct rdmaev_gid *known = &port->gids[i];

		rdmaev_port_get_gid(dev->ib, port->num, i, &gid);
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
			    RDMAEV_PORT_GID, 0, 1, &body);
	}
}
