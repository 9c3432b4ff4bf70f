// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ports of a device: after an event they are looked at again, and each
 * difference from what was known becomes a record.
 *
 * The state is always read, never taken from the event: the core drops events
 * when memory is short, and may change their order.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <rdma/ib_cache.h>

#include "count.h"
#include "device.h"

/*
 * The first event has its port looked at right away. Those that follow within
 * this time share a look: a query may go to the hardware, and events may come
 * by the thousand. What happens in between is not lost, as the events are
 * recorded one by one and counted.
 */
#define LOOK_INTERVAL	msecs_to_jiffies(10)

/*
 * A query that failed is made again, this often, each time after twice as long. Where
 * it was for want of memory it goes on, as that is not for good.
 */
#define LOOK_RETRIES	5

/* What a look at a port found, but for the tables. */
struct port_look {
	u64 value[RDMAEV_PORT_CODES];
	unsigned int ngids;
	unsigned int npkeys;
};

/* What has been asked, and why, since the last look. */
struct port_events {
	bool attr;
	u32 drops;
	u64 cause[RDMAEV_PORT_CODES];
};

static bool is_active(u64 state)
{
	return state >= IB_PORT_ACTIVE;
}

/* May sleep in the driver. */
static int query(struct ib_device *ib, unsigned int num, struct port_look *look)
{
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(ib, num, &attr);
	if (ret)
		return ret;
	look->value[RDMAEV_PORT_STATE] = attr.state;
	look->value[RDMAEV_PORT_PHYS_STATE] = attr.phys_state;
	look->value[RDMAEV_PORT_LID] = attr.lid;
	look->value[RDMAEV_PORT_SM_LID] = attr.sm_lid;
	look->value[RDMAEV_PORT_SPEED] = attr.active_speed;
	look->value[RDMAEV_PORT_WIDTH] = attr.active_width;
	look->ngids = max(attr.gid_tbl_len, 0);
	look->npkeys = attr.pkey_tbl_len;
	return 0;
}

/* The two tables come from the core's cache, which is brought up to date
 * before our handler is called; so this does not go to the hardware.
 */
static void get_gid(struct ib_device *ib, unsigned int num, unsigned int index,
		    union ib_gid *gid)
{
	if (rdma_query_gid(ib, num, index, gid))
		memset(gid, 0, sizeof(*gid));
}

static u16 get_pkey(struct ib_device *ib, unsigned int num, unsigned int index)
{
	u16 pkey;

	return ib_get_cached_pkey(ib, num, index, &pkey) ? 0 : pkey;
}

static int make_tables(struct rdmaev_dev_port *port,
		       const struct port_look *look)
{
	union ib_gid *gids;
	u16 *pkeys;

	gids = kvcalloc(look->ngids, sizeof(*gids), GFP_KERNEL);
	pkeys = kvcalloc(look->npkeys, sizeof(*pkeys), GFP_KERNEL);
	if ((look->ngids && !gids) || (look->npkeys && !pkeys)) {
		kvfree(gids);
		kvfree(pkeys);
		return -ENOMEM;
	}
	port->gids = gids;
	port->ngids = look->ngids;
	port->pkeys = pkeys;
	port->npkeys = look->npkeys;
	return 0;
}

static u32 protocols(struct ib_device *ib, unsigned int num)
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
 * The first look, which later ones are compared with. A port that cannot be
 * queried now keeps zeros, so that the first look that works tells all.
 */
static int first_look(struct rdmaev_dev_port *port, struct ib_device *ib)
{
	struct port_look look = {};
	u64 now = ktime_get_boot_fast_ns();
	unsigned int i;
	int ret;

	port->link_layer = rdma_port_get_link_layer(ib, port->num);
	port->protocols = protocols(ib, port->num);
	for (i = 1; i < RDMAEV_PORT_CODES; i++)
		port->since_ns[i] = now;

	if (query(ib, port->num, &look))
		return 0;
	ret = make_tables(port, &look);
	if (ret)
		return ret;
	memcpy(port->value, look.value, sizeof(port->value));
	for (i = 0; i < port->ngids; i++)
		get_gid(ib, port->num, i, &port->gids[i]);
	for (i = 0; i < port->npkeys; i++)
		port->pkeys[i] = get_pkey(ib, port->num, i);
	port->up = is_active(port->value[RDMAEV_PORT_STATE]);
	port->up_since_ns = now;
	return 0;
}

/**
 * rdmaev_ports_init - make the ports of a device and look at them
 * @dev: device, not published yet
 * @ib: its ib_device
 *
 * Return: 0 or -ENOMEM; then what was made is to be freed all the same.
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
	rdma_for_each_port(ib, num) {
		struct rdmaev_dev_port *port = &dev->ports[dev->nports++];

		port->num = num;
		ret = first_look(port, ib);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rdmaev_ports_free_tables - free what the ports of a device do not need to be told of
 * @dev: device, with no look under way and none to come
 */
void rdmaev_ports_free_tables(struct rdmaev_dev *dev)
{
	unsigned int i;

	for (i = 0; dev->ports && i < dev->nports; i++) {
		kvfree(dev->ports[i].gids);
		dev->ports[i].gids = NULL;
		kvfree(dev->ports[i].pkeys);
		dev->ports[i].pkeys = NULL;
	}
}

/* What an event says has changed; 0 for those that say nothing of the kind. */
static unsigned int event_code(unsigned int event)
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

/* events_lock is held, for this and the next. */
static void note_up(struct rdmaev_dev_port *port)
{
	if (!port->up)
		port->up_since_ns = ktime_get_boot_fast_ns();
	port->up = true;
}

static void note_down(struct rdmaev_dev_port *port)
{
	s64 passed = ktime_get_boot_fast_ns() - port->up_since_ns;
	u64 time = max(passed, 1LL);

	if (!port->up_shortest_ns || time < port->up_shortest_ns)
		WRITE_ONCE(port->up_shortest_ns, time);
	if (time > port->up_longest_ns)
		WRITE_ONCE(port->up_longest_ns, time);
	port->up = false;
}

static void note_event(struct rdmaev_dev_port *port, unsigned int event,
		       u64 seq)
{
	unsigned int code = event_code(event);

	port->asked = true;
	/* The core knows the tables: their events need not bother the driver. */
	if (code != RDMAEV_PORT_GID && code != RDMAEV_PORT_PKEY)
		port->asked_attr = true;
	/* Handlers run side by side: the newest is not always the last. */
	port->cause[0] = max(port->cause[0], seq);
	port->cause[code] = max(port->cause[code], seq);
	if (event == IB_EVENT_PORT_ACTIVE) {
		note_up(port);
	} else if (event == IB_EVENT_PORT_ERR && port->up) {
		note_down(port);
		port->drops++;
	}
}

/**
 * rdmaev_ports_ask - have a look taken at a port
 * @dev: device
 * @port: port number, 0: all ports
 * @event: the event that says so
 * @seq: its seq
 *
 * Context: any but NMI.
 */
void rdmaev_ports_ask(struct rdmaev_dev *dev, unsigned int port,
		      unsigned int event, u64 seq)
{
	unsigned long next = READ_ONCE(dev->next_look);
	unsigned long now = jiffies;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&dev->events_lock, flags);
	for (i = 0; i < dev->nports; i++) {
		if (!port || dev->ports[i].num == port)
			note_event(&dev->ports[i], event, seq);
	}
	raw_spin_unlock_irqrestore(&dev->events_lock, flags);
	rdmaev_device_look(dev, time_before(now, next) ? next - now : 0);
}

static bool take_events(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			struct port_events *events)
{
	bool asked;

	raw_spin_lock_irq(&dev->events_lock);
	asked = port->asked;
	/* What a failed look has put back waits for the next one. */
	if (asked) {
		events->attr = port->asked_attr;
		events->drops = port->drops;
		memcpy(events->cause, port->cause, sizeof(events->cause));
		port->asked = false;
		port->asked_attr = false;
		port->drops = 0;
		memset(port->cause, 0, sizeof(port->cause));
	}
	raw_spin_unlock_irq(&dev->events_lock);
	return asked;
}

/*
 * The look failed: the next one is to do its work, and to know what it was
 * told. A device on its way out refuses for good, a busy one for a while.
 */
static void put_back_events(struct rdmaev_dev *dev,
			    struct rdmaev_dev_port *port,
			    const struct port_events *events, int error)
{
	bool again = port->tries < LOOK_RETRIES || error == -ENOMEM;
	unsigned int i;

	raw_spin_lock_irq(&dev->events_lock);
	port->drops += events->drops;
	for (i = 0; i < RDMAEV_PORT_CODES; i++)
		port->cause[i] = max(port->cause[i], events->cause[i]);
	port->asked_attr = true;
	if (again)
		port->asked = true;
	raw_spin_unlock_irq(&dev->events_lock);
	if (port->tries < LOOK_RETRIES)
		port->tries++;
	if (again)
		rdmaev_device_look(dev, LOOK_INTERVAL << port->tries);
}

/*
 * Bring what the events said in line with what was seen. Events that came
 * since take_events() ask for another look, which will do so for them.
 */
static void settle(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
		   bool active, struct port_events *events)
{
	bool was_active = is_active(port->value[RDMAEV_PORT_STATE]);

	raw_spin_lock_irq(&dev->events_lock);
	if (was_active && !active && !events->drops) {
		/* Seen before it was told: telling must not count it again. */
		events->drops = 1;
		if (port->drops)
			port->drops--;
		else if (port->up)
			note_down(port);
	}
	/* Some drivers tell PORT_ACTIVE first and are so later: believe them. */
	if (!port->asked && active)
		note_up(port);
	raw_spin_unlock_irq(&dev->events_lock);
}

static void count_flaps(struct rdmaev_dev_port *port, u32 flaps)
{
	u64 now = div64_u64(ktime_get_boottime_ns(), 60 * NSEC_PER_SEC);

	if (!flaps)
		return;
	/* Those of an hour ago make room. */
	if (now - port->flap_minute >= RDMAEV_FLAP_MINUTES)
		memset(port->minute_flaps, 0, sizeof(port->minute_flaps));
	else
		while (port->flap_minute != now)
			port->minute_flaps[++port->flap_minute %
					   RDMAEV_FLAP_MINUTES] = 0;
	port->flap_minute = now;
	port->minute_flaps[now % RDMAEV_FLAP_MINUTES] += flaps;
	port->flaps += flaps;
}

/** rdmaev_port_flaps_hour - how often a port left ACTIVE in this hour */
u32 rdmaev_port_flaps_hour(const struct rdmaev_dev_port *port)
{
	u64 now = div64_u64(ktime_get_boottime_ns(), 60 * NSEC_PER_SEC);
	u64 age = now - port->flap_minute;
	u32 flaps = 0;

	/* The clock may have fewer minutes than that. */
	for (; age < RDMAEV_FLAP_MINUTES && age <= now; age++)
		flaps += port->minute_flaps[(now - age) % RDMAEV_FLAP_MINUTES];
	return flaps;
}

static u64 cause_of(const struct port_events *events, unsigned int code)
{
	if (code == RDMAEV_PORT_PHYS_STATE)
		code = RDMAEV_PORT_STATE;
	return events->cause[code] ?: events->cause[0];
}

static void report(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
		   const struct port_events *events, unsigned int code,
		   const struct rdmaev_port_body *body)
{
	struct rdmaev_record rec = {
		.cause = cause_of(events, code),
		.device = dev->index,
		.generation = dev->generation,
		.port = port->num,
		.kind = RDMAEV_KIND_PORT,
		.code = code,
		.object_type = RDMAEV_OBJECT_PORT,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_RDMAEV,
		/* Whoever may change addresses can make any number of these. */
		.ring = code == RDMAEV_PORT_GID ? RDMAEV_RING_INFO :
						  RDMAEV_RING_PORT,
		.count = 1,
		.body.port = *body,
	};

	rec.body.port.flaps = port->flaps;
	if (code == RDMAEV_PORT_STATE)
		port->transitions++;
	if (code == RDMAEV_PORT_STATE && events->drops)
		rec.severity = RDMAEV_SEVERITY_ERROR;
	rdmaev_append(dev, &rec);
}

static void compare_values(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			   const struct port_look *look,
			   const struct port_events *events)
{
	u64 now = ktime_get_boot_fast_ns();
	unsigned int code;

	for (code = RDMAEV_PORT_STATE; code <= RDMAEV_PORT_WIDTH; code++) {
		struct rdmaev_port_body body;

		if (port->value[code] == look->value[code] &&
		    !(code == RDMAEV_PORT_STATE && events->drops))
			continue;
		/* All of it: readers get the whole of the unions. */
		memset(&body, 0, sizeof(body));
		body.previous_ns = now - port->since_ns[code];
		body.before.number = port->value[code];
		body.after.number = look->value[code];
		port->value[code] = look->value[code];
		port->since_ns[code] = now;
		report(dev, port, events, code, &body);
	}
}

static void compare_pkeys(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			  struct ib_device *ib,
			  const struct port_events *events)
{
	struct rdmaev_port_body body;
	unsigned int i;

	for (i = 0; i < port->npkeys; i++) {
		u16 pkey = get_pkey(ib, port->num, i);

		if (pkey == port->pkeys[i])
			continue;
		memset(&body, 0, sizeof(body));
		body.index = i;
		body.before.number = port->pkeys[i];
		body.after.number = pkey;
		port->pkeys[i] = pkey;
		report(dev, port, events, RDMAEV_PORT_PKEY, &body);
	}
}

static void compare_gids(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
			 struct ib_device *ib, const struct port_events *events)
{
	struct rdmaev_port_body body;
	union ib_gid gid;
	unsigned int i;

	for (i = 0; i < port->ngids; i++) {
		get_gid(ib, port->num, i, &gid);
		if (!memcmp(&gid, &port->gids[i], sizeof(gid)))
			continue;
		memset(&body, 0, sizeof(body));
		body.index = i;
		memcpy(body.before.gid, port->gids[i].raw, sizeof(gid));
		memcpy(body.after.gid, gid.raw, sizeof(gid));
		port->gids[i] = gid;
		report(dev, port, events, RDMAEV_PORT_GID, &body);
	}
}

static void look_again(struct rdmaev_dev *dev, struct rdmaev_dev_port *port,
		       struct ib_device *ib)
{
	struct port_events events = {};
	struct port_look look = {};
	bool attr, first;
	int ret = 0;

	if (!take_events(dev, port, &events))
		return;
	/* The first look, too, where that has failed so far. */
	first = !port->gids && !port->pkeys;
	attr = events.attr || first;
	if (attr)
		ret = query(ib, port->num, &look);
	if (!ret && first)
		ret = make_tables(port, &look);
	if (ret) {
		put_back_events(dev, port, &events, ret);
		return;
	}
	port->tries = 0;

	rdmaev_state_lock();
	if (attr) {
		settle(dev, port, is_active(look.value[RDMAEV_PORT_STATE]),
		       &events);
		count_flaps(port, events.drops);
		compare_values(dev, port, &look, &events);
	}
	compare_pkeys(dev, port, ib, &events);
	compare_gids(dev, port, ib, &events);
	rdmaev_state_unlock();
}

/**
 * rdmaev_ports_work - look at the ports that were asked for
 * @work: work in &struct rdmaev_dev
 *
 * remove() waits for this, so ib_device is there.
 */
void rdmaev_ports_work(struct work_struct *work)
{
	struct rdmaev_dev *dev = container_of(to_delayed_work(work),
					      struct rdmaev_dev, work);
	struct ib_device *ib = rcu_dereference_protected(dev->ib, true);
	unsigned int i;

	for (i = 0; i < dev->nports; i++)
		look_again(dev, &dev->ports[i], ib);
	WRITE_ONCE(dev->next_look, jiffies + LOOK_INTERVAL);
}
