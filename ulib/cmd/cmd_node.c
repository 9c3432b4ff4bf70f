// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Open the node for commands, and print messages about its problems. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

static struct rdmaev *open_netlink(unsigned int flags)
{
	struct rdmaev *h = rdmaev_open(NULL, flags | RDMAEV_NETLINK);

	if (h)
		return h;
	switch (errno) {
	case ENOENT:
		complain("no generic netlink family rdmaev: load the module (modprobe rdmaev)");
		break;
	case ENOTSUP:
		complain("unsupported version of the generic netlink family rdmaev: %s",
			 "install the same version of command and module");
		break;
	default:
		complain("generic netlink: %s", strerror(errno));
	}
	return NULL;
}

void complain_node(const char *path)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		complain("%s does not exist: load the module (modprobe rdmaev)", path);
		break;
	case ENODEV:
	case ENXIO:
		complain("%s: module not loaded: load it (modprobe rdmaev)", path);
		break;
	case EACCES:
	case EPERM:
		complain("%s: access denied: %s", path,
			 "its mode is not 0444, or the container denies access; try --netlink");
		break;
	case ENOTSUP:
		complain("%s: not an rdmaev node, or unsupported ABI version: %s",
			 path, "install the same version of command and module");
		break;
	default:
		complain("%s: %s", path, strerror(errno));
	}
}

static struct rdmaev *try_open(const struct options *o, unsigned int flags)
{
	const char *path = o->node ? o->node : RDMAEV_NODE;
	struct rdmaev *h;

	if (o->netlink && o->node) {
		complain("--node and --netlink exclude each other");
		return NULL;
	}
	if (o->netlink)
		return open_netlink(flags);
	h = rdmaev_open(o->node, flags);

	if (h)
		return h;
	complain_node(path);
	return NULL;
}

struct rdmaev *open_node(const struct options *o, unsigned int flags)
{
	struct rdmaev *h = try_open(o, flags);

	output_set_reader(h);
	return h;
}

void close_node(struct rdmaev *h)
{
	output_set_reader(NULL);
	rdmaev_close(h);
}

static bool released;

const char *reader_error(void)
{
	if (errno != ENODEV)
		return strerror(errno);
	released = true;
	return "all readers were hung up (rdmaev release), or the module was unloaded";
}

bool is_released(void)
{
	return released;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t boottime(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t realtime(void)
{
	return clock_ns(CLOCK_REALTIME);
}

int64_t monotonic(void)
{
	return (int64_t)clock_ns(CLOCK_MONOTONIC);
}

const struct timespec *time_until(int64_t deadline, struct timespec *ts)
{
	int64_t left = deadline - monotonic();

	if (left < 0)
		left = 0;
	ts->tv_sec = (time_t)(left / 1000000000);
	ts->tv_nsec = (long)(left % 1000000000);
	return ts;
}

unsigned int time_style(const struct options *o)
{
	return (o->utc ? RDMAEV_STYLE_UTC : 0) | (o->mono ? RDMAEV_STYLE_MONO : 0);
}
