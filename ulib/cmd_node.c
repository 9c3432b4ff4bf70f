// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The node as commands use it, and messages about what is wrong with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

struct rdmaev *open_node(const struct options *o, unsigned int flags)
{
	const char *path = o->node ? o->node : RDMAEV_NODE;
	struct rdmaev *h = rdmaev_open(path, flags);

	if (h)
		return h;
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		complain("%s is not there: load the module (modprobe rdmaev)", path);
		break;
	case ENODEV:
	case ENXIO:
		complain("%s has no module behind it: load it (modprobe rdmaev)", path);
		break;
	case EACCES:
	case EPERM:
		complain("%s may not be opened: %s", path,
			 "join group rdma (usermod -aG rdma USER) or run as root");
		break;
	case ENOTSUP:
		complain("%s is not an rdmaev node, or of an ABI unknown here: %s",
			 path, "install command and module of one version");
		break;
	default:
		complain("%s: %s", path, strerror(errno));
	}
	return NULL;
}

void complain_old_module(void)
{
	complain("the module that is loaded is older than this command and knows no CQs: %s",
		 "load the one that came with it (rmmod rdmaev, modprobe rdmaev)");
}

ssize_t list_devices(struct rdmaev *h, struct rdmaev_device **list,
		     uint64_t *seq)
{
	size_t room = 16;
	ssize_t n;

	*list = NULL;
	for (;;) {
		struct rdmaev_device *larger;

		larger = realloc(*list, room * sizeof(**list));
		if (!larger) {
			n = -1;
			break;
		}
		*list = larger;
		n = rdmaev_devices(h, *list, room, 0, seq);
		if (n < 0 || (size_t)n <= room)
			break;
		room = (size_t)n + 4;
	}
	if (n < 0)
		complain("cannot list the devices: %s", strerror(errno));
	return n;
}

int select_devices(struct rdmaev_device *list, size_t *count, int argc,
		   char **argv)
{
	size_t d, kept = 0;
	int i;

	for (i = 0; i < argc; i++) {
		for (d = 0; d < *count; d++)
			if (!strcmp(argv[i], list[d].name))
				break;
		if (d == *count) {
			complain("%s: no such device (rdmaev devices lists them)",
				 argv[i]);
			return -1;
		}
	}
	for (d = 0; argc && d < *count; d++) {
		for (i = 0; i < argc; i++)
			if (!strcmp(argv[i], list[d].name))
				break;
		if (i < argc)
			list[kept++] = list[d];
	}
	if (argc)
		*count = kept;
	return 0;
}

uint64_t boottime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
