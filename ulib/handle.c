// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A reader: open, wait, read, seek, and what else can be asked. The transport
 * knows how; here are locks and names.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

static struct transport *open_transport(const char *path, unsigned int flags)
{
	struct transport *t;

	if (flags & RDMAEV_NETLINK)
		return netlink_ops.open(NULL, true);
	t = node_ops.open(path, true);
	/* A container has no node, but may have the family. */
	if (!t && !path &&
	    (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		t = netlink_ops.open(NULL, true);
	return t;
}

struct rdmaev *rdmaev_open(const char *path, unsigned int flags)
{
	struct transport *second;
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
	h->devices_pass = true;
	h->transport = open_transport(path, flags);
	if (!h->transport)
		goto err_free;
	second = h->transport->ops->open(path, false);
	if (!second || names_open(&h->names, second) < 0)
		goto err_close;
	errno = pthread_mutex_init(&h->lock, NULL);
	if (errno)
		goto err_names;
	return h;

err_names:
	error = errno;
	names_close(&h->names);
	errno = error;
err_close:
	error = errno;
	h->transport->ops->close(h->transport);
	errno = error;
err_free:
	free(h);
	return NULL;
}

void rdmaev_close(struct rdmaev *h)
{
	int error = errno;

	if (!h)
		return;
	names_close(&h->names);
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
	if (p.revents & POLLIN)
		return 1;
	errno = p.revents & POLLNVAL ? EBADF : EIO;
	return -1;
}

static int ready(struct rdmaev *h)
{
	int state = lock(h);
	int ret = h->transport->ops->ready(h->transport);

	unlock(h, state);
	return ret;
}

int rdmaev_wait(struct rdmaev *h, int64_t timeout_ns)
{
	int64_t until = INT64_MAX, left = timeout_ns;
	int ret;

	if (!h->transport->ops->ready)
		return wait_readable(h, timeout_ns);

	/* A time that is too far away to be told is no time at all. */
	if (timeout_ns > 0 &&
	    __builtin_add_overflow(now_ns(), timeout_ns, &until))
		left = -1;
	for (;;) {
		ret = ready(h);
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

/* What is to be had in one go, with what it tells about names. Locked. */
static ssize_t take_batch(struct rdmaev *h, struct rdmaev_event *events, size_t n)
{
	struct rdmaev_record records[BATCH];
	ssize_t got, i;

	got = h->transport->ops->read(h->transport, records, n);
	if (got < 0)
		return -1;
	for (i = 0; i < got; i++) {
		names_learn(&h->names, &records[i]);
		memset(&events[i], 0, sizeof(events[i]));
		events[i].record = records[i];
	}
	if (!h->devices_pass)
		h->names.behind = true;
	names_fill(&h->names, events, (size_t)got);
	return got;
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

/* Are there codes of a kind that do not pass? */
static bool has_codes(const struct rdmaev_filter *f, unsigned int kind)
{
	unsigned int i;

	for (i = 0; i < f->kind_codes && i < RDMAEV_FILTER_CODES; i++)
		if (f->kind_code[i].kind == kind)
			return true;
	return false;
}

static bool devices_pass(const struct rdmaev_filter *f)
{
	return (!f->kinds || f->kinds & 1U << RDMAEV_KIND_DEVICE) &&
	       (!f->severities || f->severities & 1U << RDMAEV_SEVERITY_INFO) &&
	       (!f->object_types || f->object_types & 1U << RDMAEV_OBJECT_DEVICE) &&
	       !has_codes(f, RDMAEV_KIND_DEVICE) && !f->flags && !f->targets;
}

int rdmaev_set_filter(struct rdmaev *h, const struct rdmaev_filter *f)
{
	/* A program may know a longer one than this library. */
	union {
		struct rdmaev_filter known;
		char bytes[FILTER_MAX];
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
	ret = h->transport->ops->set_filter(h->transport, &copy.known);
	if (!ret) {
		h->devices_pass = devices_pass(&copy.known);
		h->names.behind = true;
	}
	unlock(h, state);
	return ret;
}

int rdmaev_set_wakeup(struct rdmaev *h, uint32_t records, uint32_t delay_us)
{
	int state, ret;

	state = lock(h);
	ret = h->transport->ops->set_wakeup(h->transport, records, delay_us);
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
	position = h->transport->ops->seek(h->transport, offset, whence);
	/* Device records may lie in what was jumped over. */
	h->names.behind = true;
	unlock(h, state);
	return position;
}

int rdmaev_info(struct rdmaev *h, struct rdmaev_info *info)
{
	int state, ret;

	state = lock(h);
	ret = h->transport->ops->info(h->transport, info);
	unlock(h, state);
	return ret;
}

static uint32_t to_count(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* What a list tells besides its entries. */
static ssize_t answer(int ret, uint32_t count, uint64_t newest, uint64_t *seq)
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

	state = lock(h);
	ret = h->transport->ops->devices(h->transport, &devices);
	unlock(h, state);
	return answer(ret, devices.count, devices.seq, seq);
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

	state = lock(h);
	ret = h->transport->ops->ports(h->transport, &ports);
	unlock(h, state);
	return answer(ret, ports.count, ports.seq, seq);
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

	state = lock(h);
	ret = h->transport->ops->counters(h->transport, &counters);
	unlock(h, state);
	return answer(ret, counters.count, counters.seq, seq);
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

	state = lock(h);
	ret = h->transport->ops->cqs(h->transport, &cqs);
	unlock(h, state);
	return answer(ret, cqs.count, cqs.seq, seq);
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

	state = lock(h);
	ret = h->transport->ops->notify(h->transport, &notify);
	unlock(h, state);
	return ret;
}
