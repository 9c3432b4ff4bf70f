/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The objects of a probe */
#ifndef PROBE_MAKE_H
#define PROBE_MAKE_H

#include "probe.h"

extern struct rdmaev_ulp probe_ulp;

int probe_make(struct probe_port *port);
int probe_unmake(struct probe_port *port);
int probe_post(struct probe_port *port);
void probe_notified(struct ib_cq *cq, void *context);
void probe_qp_event(struct ib_event *event, void *context);

#endif /* PROBE_MAKE_H */
