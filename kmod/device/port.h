/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queries of ports: when, and what follows */
#ifndef RDMAEV_PORT_H
#define RDMAEV_PORT_H

#include "device.h"

int rdmaev_ports_init(struct rdmaev_dev *dev, struct ib_device *ib);
void rdmaev_ports_follow(struct rdmaev_dev *dev, const struct rdmaev_dev *old);
void rdmaev_ports_removed(struct rdmaev_dev *dev);
void rdmaev_ports_work(struct work_struct *work);

#endif /* RDMAEV_PORT_H */
