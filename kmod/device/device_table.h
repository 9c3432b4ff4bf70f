/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The table of devices, present and recently removed */
#ifndef RDMAEV_DEVICE_TABLE_H
#define RDMAEV_DEVICE_TABLE_H

#include "device.h"

void rdmaev_state_lock(void);
void rdmaev_state_unlock(void);
struct rdmaev_dev *rdmaev_device_find(u32 generation);
u64 rdmaev_append_of(struct rdmaev_record *rec);
struct rdmaev_dev *rdmaev_device_newest(u32 index);
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib);
u32 rdmaev_device_generation(const struct ib_device *ib);
void rdmaev_devices_for_each(void (*fn)(struct rdmaev_dev *dev, void *data),
			     void *data);
int rdmaev_device_store(struct rdmaev_dev *dev);
bool rdmaev_device_has_moved(const struct rdmaev_dev *dev);
const struct rdmaev_dev *rdmaev_device_set_previous(struct rdmaev_dev *dev);
void rdmaev_device_add(struct rdmaev_dev *dev);
void rdmaev_device_forget(u32 index);
void rdmaev_device_free_tables(struct rdmaev_dev *dev);
void rdmaev_device_free(struct rdmaev_dev *dev);
void rdmaev_device_remove(struct rdmaev_dev *dev);
void rdmaev_devices_evict(void);

#endif /* RDMAEV_DEVICE_TABLE_H */
