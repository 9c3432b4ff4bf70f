// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A reader: open, wait, read, seek, and queries. The transport implements them;
 * this file does the locking.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "recording.h"

/* Most records per rdmaev_read(): bounds the time that it holds the lock. */
#define READ_MAX	4096

static struct transport *open_transport(const char *path, unsigned int flags)
{
	struct transport *t;
	struct stat st;

	if (flags & RDMAEV_NETLINK)
		return netlink_ops.open(NULL);
	if (path && !stat(path, &st) && S_ISREG(st.st_mode))
		return recording_ops.open(path);
	t = node_ops.open(path);
	/* A container may have the family but no node. */
	if (!t && !path &&
	    (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		t = netlink_ops.open(NULL);
	return t;
}

struct rdmaev *rdmaev_open(const char *path, unsigned int flags)
{
	struct rdmaev *h;
	int error;

	if (flags & ~(RDMAEV_NONBLOCK | RDMAEV_NETLINK) ||
	    (path && flags & RDMAEV_NETLINK)) {
		errno = EINVAL;
		return NULL;
	}

	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->nonblock = flags & RDMAEV_NONBLOCK;
	h->watermark = 1;
	h->transport = open_transport(path, flags);
	if (!h->transport) {
		error = errno;
		free(h);
		errno = error;
		return NULL;
	}
	error = pthread_mutex_init(&h->lock, NULL);
	if (!error)
		return h;
	h->transport->ops->close(h->transport);
	free(h);
	errno = error;
	return NULL;
}

void rdmaev_close(struct rdmaev *h)
{
	int error = errno;

	if (!h)
		return;
	h->transport->ops->close(h->transport);
	pthread_mutex_destroy(&h->lock);
	free(h);
	errno = error;
}

int rdmaev_fd(const struct rdmaev *h)
{
	return h->transport->fd;
}

/*
 * The lock is held only over calls that do not wait. They are cancellation
 * points nevertheless, and a thread must not be cancelled with the lock held.
 */
static int handle_lock(struct rdmaev *h)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&h->lock);
	return state;
}

static void handle_release(struct transport *t)
{
	if (t->ops->release)
		t->ops->release(t);
}

static void handle_unlock(struct rdmaev *h, int state)
{
	pthread_mutex_unlock(&h->lock);
	pthread_setcancelstate(state, NULL);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int wait_readable(struct rdmaev *h, int64_t timeout_ns)
{
	struct pollfd p = { .fd = h->transport->fd, .events = POLLIN };
	struct timespec timeout = { 0 };
	int n;

	if (timeout_ns > 0) {
		timeout.tv_sec = (time_t)(timeout_ns / 1000000000);
		timeout.tv_nsec = (long)(timeout_ns % 1000000000);
	}
	n = ppoll(&p, 1, timeout_ns < 0 ? NULL : &timeout, NULL);
	if (n <= 0)
		return n;
	if (__atomic_load_n(&h->transport->released, __ATOMIC_RELAXED) ||
	    (p.revents & POLLHUP && h->transport->ops->release)) {
		int state = handle_lock(h);

		handle_release(h->transport);
		handle_unlock(h, state);
		errno = ENODEV;
		return -1;
	}
	if (p.revents & POLLIN)
		return 1;
	errno = p.revents & POLLNVAL ? EBADF : EIO;
	return -1;
}

static int handle_ready(struct rdmaev *h)
{
	int state = handle_lock(h);
	int ret = h->transport->ops->ready(h->transport);

	handle_unlock(h, state);
	return ret;
}

int rdmaev_wait(struct rdmaev *h, int64_t timeout_ns)
{
	int64_t until = INT64_MAX, left = timeout_ns;
	int ret;

	if (!h->transport->ops->ready)
		return wait_readable(h, timeout_ns);

	/* A timeout too large to represent means no timeout. */
	if (timeout_ns > 0 &&
	    __builtin_add_overflow(now_ns(), timeout_ns, &until))
		left = -1;
	for (;;) {
		ret = handle_ready(h);
		if (ret || !left)
			return ret;
		if (left > 0) {
			left = until - now_ns();
			if (left < 0)
				left = 0;
		}
		ret = wait_readable(h, left);
		if (ret <= 0)
			return ret;
	}
}

/*
 * Programs may use names as strings, so terminate them whatever the kernel
 * sent.
 */
static void terminate_names(struct rdmaev_record *record)
{
	record->device_name[sizeof(record->device_name) - 1] = '\0';
	if (record->kind == RDMAEV_KIND_DEVICE) {
		struct rdmaev_device_body *body = &record->body.device;

		body->old_name[sizeof(body->old_name) - 1] = '\0';
		body->remover_comm[sizeof(body->remover_comm) - 1] = '\0';
		body->netdev[sizeof(body->netdev) - 1] = '\0';
	}
}

static ssize_t handle_read(struct rdmaev *h, struct rdmaev_record *records, size_t n)
{
	ssize_t got, i;
	int state;

	state = handle_lock(h);
	got = h->transport->ops->read(h->transport, records,
				      n < READ_MAX ? n : READ_MAX);
	handle_unlock(h, state);
	for (i = 0; i < got; i++)
		terminate_names(&records[i]);
	return got;
}

static uint32_t handle_watermark(struct rdmaev *h)
{
	int state = handle_lock(h);
	uint32_t records = h->watermark;

	handle_unlock(h, state);
	return records;
}

ssize_t rdmaev_read(struct rdmaev *h, struct rdmaev_record *records, size_t n)
{
	ssize_t got;

	if (!n) {
		errno = EINVAL;
		return -1;
	}
	if (h->nonblock)
		return handle_read(h, records, n);

	/*
	 * Another thread may take the records after either wait; wait again
	 * then. The first wait differs only if fewer records than are available
	 * can be too few.
	 */
	if (handle_watermark(h) > 1 && rdmaev_wait(h, -1) < 0)
		return -1;
	for (;;) {
		got = handle_read(h, records, n);
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

int rdmaev_set_filter(struct rdmaev *h, const struct rdmaev_filter *f)
{
	/* The program's structure may be longer than this library's. */
	union {
		struct rdmaev_filter known;
		char bytes[FILTER_MAX];
	} copy;
	int state, ret;

	rdmaev_filter_init(&copy.known);
	if (f && (f->size < RDMAEV_FILTER_SIZE_VER0 || f->size > sizeof(copy))) {
		errno = f->size < RDMAEV_FILTER_SIZE_VER0 ? EINVAL : E2BIG;
		return -1;
	}
	if (f)
		memcpy(&copy, f, f->size);

	state = handle_lock(h);
	ret = h->transport->ops->set_filter(h->transport, &copy.known);
	handle_unlock(h, state);
	return ret;
}

int rdmaev_set_wakeup(struct rdmaev *h, uint32_t records, uint32_t delay_us)
{
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->set_wakeup(h->transport, records, delay_us);
	if (!ret)
		h->watermark = records;
	handle_unlock(h, state);
	return ret;
}

int64_t rdmaev_seek(struct rdmaev *h, int64_t offset, int whence)
{
	int64_t position;
	int state;

	state = handle_lock(h);
	position = h->transport->ops->seek(h->transport, offset, whence);
	handle_unlock(h, state);
	return position;
}

int rdmaev_info_sized(struct rdmaev *h, struct rdmaev_info *info, size_t size)
{
	struct rdmaev_info all;
	int state, ret;

	if (size < RDMAEV_INFO_SIZE_VER0) {
		errno = EINVAL;
		return -1;
	}
	state = handle_lock(h);
	ret = h->transport->ops->info(h->transport, &all);
	handle_unlock(h, state);
	if (ret < 0)
		return ret;
	memset(info, 0, size);
	memcpy(info, &all, size < sizeof(all) ? size : sizeof(all));
	return ret;
}

static uint32_t to_count(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Store the seq of a list and return its length, or -1. */
static ssize_t list_result(int ret, uint32_t count, uint64_t newest, uint64_t *seq)
{
	if (ret < 0)
		return -1;
	if (seq)
		*seq = newest;
	return (ssize_t)count;
}

ssize_t rdmaev_devices_sized(struct rdmaev *h, struct rdmaev_device *list,
			     size_t entry_size, size_t n, unsigned int flags,
			     uint64_t *seq)
{
	struct rdmaev_devices devices = {
		.size = sizeof(devices),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
	};
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->devices(h->transport, &devices);
	handle_unlock(h, state);
	return list_result(ret, devices.count, devices.seq, seq);
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
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->ports(h->transport, &ports);
	handle_unlock(h, state);
	return list_result(ret, ports.count, ports.seq, seq);
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
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->counters(h->transport, &counters);
	handle_unlock(h, state);
	return list_result(ret, counters.count, counters.seq, seq);
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
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->cqs(h->transport, &cqs);
	handle_unlock(h, state);
	return list_result(ret, cqs.count, cqs.seq, seq);
}

ssize_t rdmaev_probes_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			    struct rdmaev_probe *list, size_t entry_size,
			    size_t n, uint64_t *seq)
{
	struct rdmaev_probes probes = {
		.size = sizeof(probes),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
		.device = device,
	};
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->probes(h->transport, &probes);
	handle_unlock(h, state);
	return list_result(ret, probes.count, probes.seq, seq);
}

ssize_t rdmaev_qps_sized(struct rdmaev *h, uint32_t device, unsigned int flags,
			 uint64_t after, struct rdmaev_qp *list,
			 size_t entry_size, size_t n, uint64_t *seq)
{
	struct rdmaev_qps qps = {
		.size = sizeof(qps),
		.flags = flags,
		.entry_size = to_count(entry_size),
		.count = to_count(n),
		.entries = (uintptr_t)list,
		.after = after,
		.device = device,
	};
	int state, ret;

	state = handle_lock(h);
	ret = h->transport->ops->qps(h->transport, &qps);
	handle_unlock(h, state);
	return list_result(ret, qps.count, qps.seq, seq);
}

int rdmaev_probe_set(struct rdmaev *h, uint32_t device, uint32_t interval_ms)
{
	const struct rdmaev_probe_set set = {
		.size = sizeof(set),
		.device = device,
		.interval_ms = interval_ms,
	};
	int state, ret;

	if (!h->transport->ops->probe) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	state = handle_lock(h);
	ret = h->transport->ops->probe(h->transport, &set);
	handle_unlock(h, state);
	return ret;
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
	int state, ret;

	if (!h->transport->ops->notify) {
		errno = EOPNOTSUPP;
		return -1;
	}
	state = handle_lock(h);
	ret = h->transport->ops->notify(h->transport, &notify);
	handle_unlock(h, state);
	return ret;
}
