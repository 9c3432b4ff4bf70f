// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The node as a transport: each open file is a reader in the kernel, so each
 * call maps to one system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

/* Close the node and put another descriptor under its number. */
static void node_release(struct transport *t)
{
	int error = errno;
	int fd;

	if (t->released)
		return;
	/* Without a descriptor, the next call tries again. */
	fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd >= 0) {
		if (dup3(fd, t->fd, O_CLOEXEC) >= 0)
			__atomic_store_n(&t->released, true, __ATOMIC_RELAXED);
		close(fd);
	}
	errno = error;
}

/* Return the result of a call; ENODEV can refer to a device or to the node. */
static int64_t node_checked(struct transport *t, int64_t ret)
{
	struct pollfd p = { .fd = t->fd };

	if (ret < 0 && errno == ENODEV && poll(&p, 1, 0) == 1 &&
	    p.revents & POLLHUP)
		node_release(t);
	if (!t->released)
		return ret;
	/* What is there instead of the node has answered otherwise. */
	errno = ENODEV;
	return -1;
}

static int node_info(struct transport *t, struct rdmaev_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_INFO, info));
}

static void node_close(struct transport *t)
{
	close(t->fd);
	free(t);
}

/* Open the node and make sure that it is one. */
static struct transport *node_open(const char *path)
{
	struct rdmaev_info info;
	struct transport *t;
	int error;

	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->ops = &node_ops;
	t->fd = open(path ? path : RDMAEV_NODE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (t->fd < 0) {
		error = errno;
		free(t);
		errno = error;
		return NULL;
	}
	if (node_info(t, &info) < 0 || info.abi_version < ABI_OLDEST ||
	    info.record_size != RDMAEV_RECORD_SIZE) {
		node_close(t);
		errno = ENOTSUP;
		return NULL;
	}
	return t;
}

static ssize_t node_read(struct transport *t, struct rdmaev_record *records,
			 size_t n)
{
	ssize_t size;

	if (t->released)
		return node_checked(t, -1);
	size = read(t->fd, records, n * sizeof(*records));
	if (size < 0)
		return node_checked(t, -1);
	if (!size || (size_t)size % sizeof(*records)) {
		errno = EIO;
		return -1;
	}
	return size / (ssize_t)sizeof(*records);
}

static int node_set_filter(struct transport *t, const struct rdmaev_filter *f)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_FILTER, f));
}

static int node_set_wakeup(struct transport *t, uint32_t records,
			   uint32_t delay_us)
{
	struct rdmaev_wakeup wakeup = {
		.size = sizeof(wakeup),
		.watermark = records,
		.delay_us = delay_us,
	};

	return node_checked(t, ioctl(t->fd, RDMAEV_IOC_WAKEUP, &wakeup));
}

static int64_t node_seek(struct transport *t, int64_t offset, int whence)
{
	return node_checked(t, lseek(t->fd, offset, whence));
}

static int node_devices(struct transport *t, struct rdmaev_devices *devices)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_DEVICES, devices));
}

static int node_ports(struct transport *t, struct rdmaev_ports *ports)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_PORTS, ports));
}

static int node_counters(struct transport *t, struct rdmaev_counters *counters)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_COUNTERS, counters));
}

static int node_cqs(struct transport *t, struct rdmaev_cqs *cqs)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_CQS, cqs));
}

static int node_qps(struct transport *t, struct rdmaev_qps *qps)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_QPS, qps));
}

static int node_probes(struct transport *t, struct rdmaev_probes *probes)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_PROBES, probes));
}

static int node_probe(struct transport *t, const struct rdmaev_probe_set *set)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_PROBE, set));
}

static int node_notify(struct transport *t, const struct rdmaev_notify *notify)
{
	return (int)node_checked(t, ioctl(t->fd, RDMAEV_IOC_NOTIFY, notify));
}

const struct transport_ops node_ops = {
	.open = node_open,
	.close = node_close,
	.read = node_read,
	.set_filter = node_set_filter,
	.set_wakeup = node_set_wakeup,
	.seek = node_seek,
	.info = node_info,
	.devices = node_devices,
	.ports = node_ports,
	.counters = node_counters,
	.cqs = node_cqs,
	.probes = node_probes,
	.qps = node_qps,
	.notify = node_notify,
	.probe = node_probe,
	.release = node_release,
};
