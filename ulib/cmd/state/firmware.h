/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Version of the firmware of a device */
#ifndef ULIB_FIRMWARE_H
#define ULIB_FIRMWARE_H

#include <stdbool.h>

#include <rdmaev.h>

/* Room for a version; the kernel has 32 bytes for it. */
#define FIRMWARE_SIZE	64

/* The version, in @version; NULL if it has none or it cannot be read here. */
const char *firmware_version(const struct rdmaev_device *device,
			     char version[FIRMWARE_SIZE]);

/* True if sysfs, as the command sees it, has this device */
bool is_in_sysfs(const struct rdmaev_device *device);

#endif /* ULIB_FIRMWARE_H */
