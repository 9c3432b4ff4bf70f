/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The probe of a port: when it posts, and what comes of it */
#ifndef PROBE_PORT_H
#define PROBE_PORT_H

#include "probe.h"

void probe_port_init(struct probe_port *port, struct probe_dev *dev, u32 num,
		     u32 generation);
void probe_port_start(struct probe_port *port);
int probe_port_stop(struct probe_port *port);

#endif /* PROBE_PORT_H */
