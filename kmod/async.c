// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Asynchronous events that a device reports to its event handlers */
#include "async.h"
#include "device/device.h"
#include "device/port_event.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "object/cause.h"

/*
 * Return the port of an event, or RDMAEV_NO_PORT. The type of the event defines the
 * contents of element, and drivers do report affiliated events here (cxgb4:
 * SRQ_LIMIT_REACHED): a pointer must not be taken for a port. The element of an
 * unknown type may be either, so only a valid port number of this device
 * counts.
 */
static unsigned int async_event_port(const struct rdmaev_dev *dev,
				     const struct ib_event *event,
				     bool affiliated)
{
	if (affiliated || event->event == IB_EVENT_DEVICE_FATAL ||
	    !dev->nports ||
	    event->element.port_num - dev->ports[0].num >= dev->nports)
		return RDMAEV_NO_PORT;
	return event->element.port_num;
}

/**
 * rdmaev_async_handler - record an event, then query the port
 * @handler: handler in &struct rdmaev_dev
 * @event: event
 *
 * Context: the core calls it in process context, possibly on several CPUs at
 * once. Works in any context but NMI. Calls no driver.
 */
void rdmaev_async_handler(struct ib_event_handler *handler,
			  struct ib_event *event)
{
	struct rdmaev_dev *dev = container_of(handler, struct rdmaev_dev,
					      handler);
	struct rdmaev_event_traits traits = rdmaev_event_traits(RDMAEV_KIND_ASYNC, event->event);
	bool is_affiliated = traits.object_type >= RDMAEV_OBJECT_QP;
	struct rdmaev_record rec __uninitialized;

	/* The record has no body. */
	rdmaev_record_begin(&rec, RDMAEV_KIND_ASYNC, RDMAEV_SOURCE_HANDLER);
	rec.device = dev->index;
	rec.generation = dev->generation;
	rec.port = async_event_port(dev, event, is_affiliated);
	rdmaev_record_set_traits(&rec, event->event, traits);
	rdmaev_record_of_handler(dev, &rec);

	/* An unknown event may be about a port: a query is harmless. */
	if (is_affiliated || event->event == IB_EVENT_DEVICE_FATAL)
		return;
	rdmaev_ports_query(dev, event->event, &rec);
}
