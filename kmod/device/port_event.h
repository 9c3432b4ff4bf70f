/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What event handlers note for the next query of a port */
#ifndef RDMAEV_PORT_EVENT_H
#define RDMAEV_PORT_EVENT_H

#include "device.h"
#include "port_record.h"

void rdmaev_ports_query(struct rdmaev_dev *dev, unsigned int event,
			const struct rdmaev_record *rec);
bool rdmaev_port_pop_events(struct rdmaev_dev_port *port, bool poll,
			    struct rdmaev_port_events *events);
void rdmaev_port_put_back_events(struct rdmaev_dev_port *port,
				 const struct rdmaev_port_events *events, bool retry,
				 unsigned long delay);

#endif /* RDMAEV_PORT_EVENT_H */
