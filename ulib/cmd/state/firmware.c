// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read the version of the firmware from sysfs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/recorded.h"
#include "firmware.h"

/* The first line of an attribute; false if there is none or it is empty. */
static bool read_attribute(const char *device, const char *name,
			   char line[FIRMWARE_SIZE])
{
	char path[sizeof("/sys/class/infiniband//") + RDMAEV_DEVICE_NAME_SIZE + 16];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/%s", device, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, FIRMWARE_SIZE - 1);
	close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/*
 * Which devices sysfs has depends on the network namespace in which it was mounted,
 * not on that of the reader: a device of this name may be another one. Its GUID
 * says so.
 */
bool is_in_sysfs(const struct rdmaev_device *device)
{
	char there[FIRMWARE_SIZE], guid[FIRMWARE_SIZE];
	struct text t = { .buf = guid, .size = sizeof(guid) };

	text_guid(&t, device->node_guid);
	text_end(&t);
	return read_attribute(device->name, "node_guid", there) && !strcmp(there, guid);
}

const char *firmware_version(const struct rdmaev_device *device,
			     char version[FIRMWARE_SIZE])
{
	const struct recording_facts *facts;

	if (recorded_file()) {
		facts = recorded_facts(device->generation, 0);
		return facts && *facts->firmware ? facts->firmware : NULL;
	}
	if (device->flags & RDMAEV_DEVICE_FLAG_REMOVED || !is_in_sysfs(device) ||
	    !read_attribute(device->name, "fw_ver", version))
		return NULL;
	return version;
}
