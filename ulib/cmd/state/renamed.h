/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records of a device from before it got the name by which it is selected */
#ifndef ULIB_RENAMED_H
#define ULIB_RENAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "option/arguments.h"

/**
 * struct renamed - names of devices, if one that is selected was renamed
 * @devices: present and removed devices, @count of them, as they are called now
 * @seq: seq of the newest record that they include
 */
struct renamed {
	struct rdmaev_device *devices;
	size_t count;
	uint64_t seq;
};

/*
 * Find devices that had another name than the one that selects them: the kernel's
 * filter would reject their earlier records. Without one the list is empty. 0, or -1
 * after a message. The caller frees @devices.
 */
int find_renamed(struct rdmaev *h, struct renamed *renamed,
		 const struct target *targets, size_t count);

/* True if a target selects the record by a name at its time, or by that of now. */
bool is_of_renamed(const struct renamed *renamed, const struct target *targets,
		   size_t count, const struct rdmaev_record *r);

/*
 * Say under which name there is a device that the target does not name: it was renamed,
 * or that is its network device. False: there is none. Changes filter and position of
 * @h
 */
bool complain_other_name(struct rdmaev *h, const struct target *target);

/* The device that this one was before it was removed and added again, or NULL */
const struct rdmaev_device *device_before(const struct rdmaev_device *devices, size_t count,
					  const struct rdmaev_device *device);

/* The last other name that it had, of those before, or NULL */
const char *name_before(const struct rdmaev_device *devices, size_t count,
			const struct rdmaev_device *device);

/* Name of the device with this generation, or NULL */
const char *name_now(const struct rdmaev_device *devices, size_t count,
		     uint32_t generation);

#endif /* ULIB_RENAMED_H */
