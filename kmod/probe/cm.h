/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The connection of a probe on an iWARP device */
#ifndef PROBE_CM_H
#define PROBE_CM_H

#include "probe.h"

int probe_cm_make(struct probe_port *port, struct ib_qp_init_attr *attr);
void probe_cm_unmake(struct probe_port *port);

#endif /* PROBE_CM_H */
