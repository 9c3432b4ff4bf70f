/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Nodes that a device should have */
#ifndef RDMAEV_PARTS_H
#define RDMAEV_PARTS_H

struct rdmaev_dev;

void rdmaev_parts_check(struct rdmaev_dev *dev);

#endif /* RDMAEV_PARTS_H */
