/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queries that take too long */
#ifndef RDMAEV_PORT_STUCK_H
#define RDMAEV_PORT_STUCK_H

#include "device.h"

void rdmaev_query_begin(struct rdmaev_dev *dev, struct rdmaev_dev_port *port);
void rdmaev_query_end(struct rdmaev_dev *dev);
void rdmaev_stuck_work(struct work_struct *work);

#endif /* RDMAEV_PORT_STUCK_H */
