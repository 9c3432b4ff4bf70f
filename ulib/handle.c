// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A reader: open, wait, read, seek, and what else the node can be asked. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

static int node_info(int fd, struct rdmaev_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ioctl(fd, RDMAEV_IOC_INFO, info);
}

static void close_quietly(int fd)
{
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
}

/* Open the node and make sure that it is one. */
int node_open(const char *path)
{
	struct rdmaev_info info;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (node_info(fd, &info) < 0 || info.abi_version < ABI_OLDEST ||
	    info.record_size != RDMAEV_RECORD_SIZE) {
		close(fd);
		errno = ENOTSUP;
		return -1;
	}
	return fd;
}

struct rdmaev *rdmaev_open(const char *path, unsigned int flags)
{
	struct rdmaev *h;

	if (flags & ~RDMAEV_NONBLOCK) {
		errno = EINVAL;
		return NULL;
	}
	if (!path)
		path = RDMAEV_NODE;

	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->nonblock = flags & RDMAEV_NONBLOCK;
	h->watermark = 1;
	h->devices_pass = true;
	h->fd = node_open(path);
	if (h->fd < 0)
		goto err_free;
	if (names_open(&h->names, path) < 0)
		goto err_close;
	errno = pthread_mutex_init(&h->lock, NULL);
	if (errno)
		goto err_names;
	return h;

err_names:
	names_close(&h->names);
err_close:
	close_quietly(h->fd);
err_free:
	free(h);
	return NULL;
}

void rdmaev_close(struct rdmaev *h)
{
	if (!h)
		return;
	names_close(&h->names);
	close_quietly(h->fd);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

int rdmaev_fd(const struct rdmaev *h)
{
	return h->fd;
}

/*
 * The lock is only held over calls that do not wait. They are cancellation
 * points all the same, and a thread must not be cancelled with the lock held.
 */
static int lock(struct rdmaev *h)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&h->lock);
	return state;
}

static void unlock(struct rdmaev *h, int state)
{
	pthread_mutex_unlock(&h->lock);
	pthread_setcancelstate(state, NULL);
}

int rdmaev_wait(struct rdmaev *h, int64_t timeout_ns)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };
	struct timespec timeout = { 0 };
	int n;

	if (timeout_ns > 0) {
		timeout.tv_sec = (time_t)(timeout_ns / 1000000000);
		timeout.tv_nsec = (long)(timeout_ns % 1000000000);
	}
	n = ppoll(&p, 1, timeout_ns < 0 ? NULL : &timeout, NULL);
	if (n <= 0)
		return n;
	if (p.revents & POLLIN)
		return 1;
	errno = p.revents & POLLNVAL ? EBADF : EIO;
	return -1;
}

/* One read(2), with what it tells about names. Called with the lock held. */
static ssize_t take_batch(struct rdmaev *h, struct rdmaev_event *events, size_t n)
{
	struct rdmaev_record records[BATCH];
	ssize_t size;
	size_t i;

	if (n > BATCH)
		n = BATCH;
	size = read(h->fd, records, n * sizeof(records[0]));
	if (size < 0)
		return -1;
	if (!size || (size_t)size % sizeof(records[0])) {
		errno = EIO;
		return -1;
	}
	n = (size_t)size / sizeof(records[0]);
	for (i = 0; i < n; i++) {
		names_learn(&h->names, &records[i]);
		memset(&events[i], 0, sizeof(events[i]));
		events[i].record = records[i];
	}
	if (!h->devices_pass)
		h->names.behind = true;
	names_fill(&h->names, events, n);
	return (ssize_t)n;
}

static ssize_t take(struct rdmaev *h, struct rdmaev_event *events, size_t n)
{
	size_t taken = 0;
	ssize_t got = 0;
	int state;

	state = lock(h);
	while (taken < n) {
		size_t want = n - taken < BATCH ? n - taken : BATCH;

		got = take_batch(h, events + taken, want);
		if (got < 0)
			break;
		taken += (size_t)got;
		if ((size_t)got < want)
			break;
	}
	unlock(h, state);
	return taken ? (ssize_t)taken : got;
}

static uint32_t watermark(struct rdmaev *h)
{
	int state = lock(h);
	uint32_t records = h->watermark;

	unlock(h, state);
	return records;
}

ssize_t rdmaev_read(struct rdmaev *h, struct rdmaev_event *events, size_t n)
{
	ssize_t got;

	if (!n) {
		errno = EINVAL;
		return -1;
	}
	if (h->nonblock)
		return take(h, events, n);

	/*
	 * Another thread may be faster after either wait: then wait again. The
	 * first one only makes a difference if fewer records than are there
	 * can be too few.
	 */
	if (watermark(h) > 1 && rdmaev_wait(h, -1) < 0)
		return -1;
	for (;;) {
		got = take(h, events, n);
		if (got >= 0 || errno != EAGAIN)
			return got;
		if (rdmaev_wait(h, -1) < 0)
			return -1;
	}
}

void rdmaev_filter_init(struct rdmaev_filter *f)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(*f);
}

static bool devices_pass(const struct rdmaev_filter *f)
{
	return (!f->kinds || f->kinds & 1U << RDMAEV_KIND_DEVICE) &&
	       (!f->classes || f->classes & 1U << RDMAEV_CLASS_INFO) &&
	       (!f->object_types || f->object_types & 1U << RDMAEV_OBJECT_DEVICE) &&
	       !f->codes[RDMAEV_KIND_DEVICE] && !f->flags && !f->targets;
}

int rdmaev_set_filter(struct rdmaev *h, const struct rdmaev_filter *f)
{
	/* A program may know a longer one than this library. */
	union {
		struct rdmaev_filter known;
		char bytes[4096];
	} copy;
	int state, ret;

	rdmaev_filter_init(&copy.known);
	if (f && (f->size < sizeof(*f) || f->size > sizeof(copy))) {
		errno = f->size < sizeof(*f) ? EINVAL : E2BIG;
		return -1;
	}
	if (f)
		memcpy(&copy, f, f->size);

	state = lock(h);
	ret = ioctl(h->fd, RDMAEV_IOC_FILTER, &copy);
	if (!ret) {
		h->devices_pass = devices_pass(&copy.known);
		h->names.behind = true;
	}
	unlock(h, state);
	return ret;
}

int rdmaev_set_wakeup(struct rdmaev *h, uint32_t records, uint32_t delay_us)
{
	struct rdmaev_wakeup wakeup = {
		.size = sizeof(wakeup),
		.watermark = records,
		.delay_us = delay_us,
	};
	int state, ret;

	state = lock(h);
	ret = ioctl(h->fd, RDMAEV_IOC_WAKEUP, &wakeup);
	if (!ret)
		h->watermark = records;
	unlock(h, state);
	return ret;
}

int64_t rdmaev_seek(struct rdmaev *h, int64_t offset, int whence)
{
	int64_t position;
	int state;

	state = lock(h);
	position = lseek(h->fd, offset, whence);
	/* Device records may lie in what was jumped over. */
	h->names.behind = true;
	unlock(h, state);
	return position;
}

int rdmaev_info(struct rdmaev *h, struct rdmaev_info *info)
{
	return node_info(h->fd, info);
}

static uint32_t to_count(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

ssize_t node_devices(int fd, struct rdmaev_device *list, size_t entry_size,
		     size_t n, unsigned int flags, uint64_t *seq)
{
	struct rdmaev_devices devices = {
		.size = sizeof(devices),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
	};

	if (ioctl(fd, RDMAEV_IOC_DEVICES, &devices) < 0)
		return -1;
	if (seq)
		*seq = devices.seq;
	return (ssize_t)devices.count;
}

ssize_t rdmaev_devices_sized(struct rdmaev *h, struct rdmaev_device *list,
			     size_t entry_size, size_t n, unsigned int flags,
			     uint64_t *seq)
{
	return node_devices(h->fd, list, entry_size, n, flags, seq);
}

ssize_t rdmaev_ports_sized(struct rdmaev *h, uint32_t device,
			   unsigned int flags, struct rdmaev_port *list,
			   size_t entry_size, size_t n, uint64_t *seq)
{
	struct rdmaev_ports ports = {
		.size = sizeof(ports),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
		.device = device,
	};

	if (ioctl(h->fd, RDMAEV_IOC_PORTS, &ports) < 0)
		return -1;
	if (seq)
		*seq = ports.seq;
	return (ssize_t)ports.count;
}

ssize_t rdmaev_counters_sized(struct rdmaev *h, uint32_t device, uint32_t port,
			      unsigned int flags, struct rdmaev_counter *list,
			      size_t entry_size, size_t n, uint64_t *seq)
{
	struct rdmaev_counters counters = {
		.size = sizeof(counters),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
		.device = device,
		.port = port,
	};

	if (ioctl(h->fd, RDMAEV_IOC_COUNTERS, &counters) < 0)
		return -1;
	if (seq)
		*seq = counters.seq;
	return (ssize_t)counters.count;
}

ssize_t rdmaev_cqs_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			 uint64_t after, struct rdmaev_cq_stats *list,
			 size_t entry_size, size_t n, uint64_t *seq)
{
	struct rdmaev_cqs cqs = {
		.size = sizeof(cqs),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
		.after = after,
		.device = device,
	};

	if (ioctl(h->fd, RDMAEV_IOC_CQS, &cqs) < 0)
		return -1;
	if (seq)
		*seq = cqs.seq;
	return (ssize_t)cqs.count;
}

int rdmaev_notify(struct rdmaev *h, uint32_t device, uint32_t cq,
		  uint32_t every, uint32_t delay_us)
{
	struct rdmaev_notify notify = {
		.size = sizeof(notify),
		.device = device,
		.cq = cq,
		.every = every,
		.delay_us = delay_us,
	};

	return ioctl(h->fd, RDMAEV_IOC_NOTIFY, &notify);
}
