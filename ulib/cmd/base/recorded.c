// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The recording that a command reads: of the time and the host, the command asks the
 * recording too, as those on which it runs now have nothing to do with it.
 */
#include <errno.h>

#include "recorded.h"

static const struct recording_file *recorded;
static uint64_t later_ns;

void recorded_use(const struct recording_file *file)
{
	recorded = file;
	later_ns = 0;
}

void recorded_go_on(uint64_t realtime_ns)
{
	later_ns = realtime_ns - recorded->realtime_ns;
}

uint64_t recorded_boottime(void)
{
	return recorded->boottime_ns + later_ns;
}

uint64_t recorded_realtime(void)
{
	return recorded->realtime_ns + later_ns;
}

const struct recording_file *recorded_file(void)
{
	return recorded;
}

const struct recording_host_port *recorded_host_port(uint32_t generation, uint32_t port)
{
	const struct recording_entries *list = &recorded->lists[RECORDING_HOST_PORTS];
	const struct recording_host_port *ports = (const void *)list->entries;
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (ports[i].generation == generation && ports[i].port == port)
			return &ports[i];
	return NULL;
}

bool recorded_all(int error)
{
	return error == EAGAIN || (recorded && (error == ENODATA || error == EBADMSG));
}
