/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The removal of a device: since when, by whom, and why */
#ifndef RDMAEV_REMOVAL_H
#define RDMAEV_REMOVAL_H

#include "device.h"

/* With devices_lock held */
void rdmaev_removal_expect(struct rdmaev_dev *dev, enum rdmaev_netdev_change change,
			   const char *netdev);
void rdmaev_removal_begin(struct rdmaev_dev *dev);
void rdmaev_removal_describe(const struct rdmaev_dev *dev, struct rdmaev_record *rec);
void rdmaev_removal_continue(struct rdmaev_dev *dev);
bool rdmaev_removal_goes_on(struct rdmaev_dev *dev);
bool rdmaev_removal_has_ended(const struct rdmaev_dev *dev);
void rdmaev_removal_end(struct rdmaev_dev *dev);

#endif /* RDMAEV_REMOVAL_H */
