// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of ports: noted by the event handlers in any context, until a query takes
 * them. Each queues a query of its port.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "device.h"
#include "outage.h"
#include "port_event.h"
#include "port_record.h"
#include "work.h"

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

/*
 * Called with port->event_lock held. Not inlined: it would cost the events that do not
 * report a state.
 */
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
		port->up = true;
		return;
	}
	port->cause[RDMAEV_PORT_OUTAGE_UNSEEN] =
		max(port->cause[RDMAEV_PORT_OUTAGE_UNSEEN], seq);
	if (port->up) {
		port->up = false;
		rdmaev_history_down(&port->history, ns, seq);
		port->reported_outages++;
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
	if (port->backs_off && time_before(port->query_at, port->retry_at))
		port->query_at = port->retry_at;
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
 * @rec: its record, appended, with the number of a port of the device, or
 *	RDMAEV_NO_PORT: all ports. If its seq is 0: no event
 *
 * Context: any but NMI.
 */
void rdmaev_ports_query(struct rdmaev_dev *dev, unsigned int event,
			const struct rdmaev_record *rec)
{
	unsigned long next, now;
	unsigned int i;

	/*
	 * Lock one port at a time, as interrupts are off meanwhile. An event
	 * without a port reports no change of a port's state.
	 */
	if (rec->port != RDMAEV_NO_PORT)
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
	now = jiffies;
	next = READ_ONCE(dev->next_query);
	mod_delayed_work(rdmaev_query_wq, &dev->work,
			 time_before(now, next) ? next - now : 0);
}

/**
 * rdmaev_port_pop_events - take the noted events of a port
 * @port: port
 * @poll: all ports are to be queried
 * @events: set to them
 *
 * Return: false if no query is due.
 */
bool rdmaev_port_pop_events(struct rdmaev_dev_port *port, bool poll,
			    struct rdmaev_port_events *events)
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
		events->outages = port->reported_outages;
		events->history = port->history;
		memcpy(events->cause, port->cause, sizeof(events->cause));
		port->query_pending = false;
		port->attr_pending = false;
		port->reported = 0;
		port->reported_outages = 0;
		memset(&port->history, 0, sizeof(port->history));
		memset(port->cause, 0, sizeof(port->cause));
	}
	raw_spin_unlock_irq(&port->event_lock);
	return due;
}

/**
 * rdmaev_port_put_back_events - put back events that a query could not match
 * @port: port, whose event_lock is held
 * @events: events; the next query gets them
 * @retry: queue a query after @delay, unless an event has queued an earlier one
 * @delay: in jiffies
 */
void rdmaev_port_put_back_events(struct rdmaev_dev_port *port,
				 const struct rdmaev_port_events *events, bool retry,
				 unsigned long delay)
{
	unsigned int i;

	port->reported_outages += events->outages;
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
