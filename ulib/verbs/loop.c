// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A loop: open, add, remove, wait and read. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"

/* Sources that are read before events are returned */
#define SOURCES 64
/* While there are events to return, look for others in one of so many reads */
#define SKIP 16

static int loop_init(struct rdmaev_loop *loop)
{
	struct epoll_event event = { .events = EPOLLIN };
	int error;

	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->more = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	loop->timer = -1;
	if (loop->epoll < 0 || loop->more < 0 ||
	    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->more, &event))
		return errno;
	error = pthread_mutex_init(&loop->lock, NULL);
	return error;
}

static void loop_close_fds(const struct rdmaev_loop *loop)
{
	if (loop->epoll >= 0)
		close(loop->epoll);
	if (loop->more >= 0)
		close(loop->more);
	if (loop->timer >= 0)
		close(loop->timer);
}

struct rdmaev_loop *rdmaev_loop_open(unsigned int flags)
{
	struct rdmaev_loop *loop;
	int error;

	if (flags) {
		errno = EINVAL;
		return NULL;
	}
	loop = calloc(1, sizeof(*loop));
	if (!loop)
		return NULL;
	error = loop_init(loop);
	if (!error)
		return loop;
	loop_close_fds(loop);
	free(loop);
	errno = error;
	return NULL;
}

void rdmaev_loop_close(struct rdmaev_loop *loop)
{
	int error = errno;
	unsigned int i;

	if (!loop)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while (loop->bucket[i])
			loop_unlink(loop, loop->bucket[i]);
	}
	loop_close_fds(loop);
	pthread_mutex_destroy(&loop->lock);
	free(loop);
	errno = error;
}

int rdmaev_loop_fd(const struct rdmaev_loop *loop)
{
	return loop->epoll;
}

int rdmaev_loop_add_context(struct rdmaev_loop *loop,
			    struct ibv_context *context, void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_CONTEXT,
		.fd = context->async_fd,
		.object = context,
		.context = context,
		.user = user,
	});
}

int rdmaev_loop_add_channel(struct rdmaev_loop *loop,
			    struct ibv_comp_channel *channel, void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_CHANNEL,
		.fd = channel->fd,
		.object = channel,
		.context = channel->context,
		.user = user,
	});
}

int rdmaev_loop_add_cq(struct rdmaev_loop *loop, struct ibv_cq *cq, void *user,
		       unsigned int flags)
{
	if (flags & ~RDMAEV_LOOP_SOLICITED) {
		errno = EINVAL;
		return -1;
	}
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_CQ,
		.fd = -1,
		.object = cq,
		.context = cq->context,
		.user = user,
		.solicited = flags & RDMAEV_LOOP_SOLICITED,
	});
}

int rdmaev_loop_add_qp(struct rdmaev_loop *loop, struct ibv_qp *qp, void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_QP,
		.fd = -1,
		.object = qp,
		.context = qp->context,
		.user = user,
	});
}

int rdmaev_loop_add_srq(struct rdmaev_loop *loop, struct ibv_srq *srq,
			void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_SRQ,
		.fd = -1,
		.object = srq,
		.context = srq->context,
		.user = user,
	});
}

int rdmaev_loop_add_wq(struct rdmaev_loop *loop, struct ibv_wq *wq, void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_WQ,
		.fd = -1,
		.object = wq,
		.context = wq->context,
		.user = user,
	});
}

int rdmaev_loop_add_reader(struct rdmaev_loop *loop, struct rdmaev *reader,
			   void *user)
{
	return loop_add(loop, &(struct entry) {
		.kind = ENTRY_READER,
		.fd = rdmaev_fd(reader),
		.object = reader,
		.user = user,
	});
}

int rdmaev_loop_remove(struct rdmaev_loop *loop, const void *object)
{
	int state = loop_lock(loop);
	struct entry *e = loop_find(loop, object);

	if (e) {
		loop_drop(loop, object);
		loop_unlink(loop, e);
		loop_update(loop);
	}
	loop_unlock(loop, state);
	if (e)
		return 0;
	errno = ENOENT;
	return -1;
}

static void loop_collect_from(struct rdmaev_loop *loop, struct entry *e)
{
	switch (e->kind) {
	case ENTRY_CONTEXT:
		loop_async_collect(loop, e);
		break;
	case ENTRY_CHANNEL:
		loop_cq_collect(loop, e);
		break;
	default:
		loop_record_collect(loop, e);
		break;
	}
}

/*
 * Read all that is there, as far as there is room, without waiting. While there
 * is something to return, not each time: it is a system call.
 */
static void loop_collect(struct rdmaev_loop *loop)
{
	struct epoll_event events[SOURCES];
	int n, i;

	if ((loop->count || loop->ready_first) && ++loop->skipped < SKIP)
		return;
	loop->skipped = 0;
	n = epoll_wait(loop->epoll, events, SOURCES, 0);
	for (i = 0; i < n; i++) {
		/* NULL: the eventfd */
		if (events[i].data.ptr == loop)
			loop_moderate_expire(loop);
		else if (events[i].data.ptr)
			loop_collect_from(loop, events[i].data.ptr);
	}
}

static void loop_pop_cq(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev)
{
	const struct entry *cq = loop_pop_ready(loop);

	memset(ev, 0, sizeof(*ev));
	ev->type = RDMAEV_VERBS_CQ;
	ev->object_type = RDMAEV_OBJECT_CQ;
	ev->id = ++loop->last_id;
	ev->user = cq->user;
	ev->object = (void *)(uintptr_t)cq->object;
	ev->context = cq->context;
}

/* Events and CQs take turns. */
static bool loop_pop_one(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev)
{
	loop->turn = !loop->turn;
	if (loop->ready_first && (loop->turn || !loop->count))
		loop_pop_cq(loop, ev);
	else if (loop->count)
		loop_pop(loop, ev);
	else
		return false;
	return true;
}

/* In place, as to copy an event costs more than to make it */
static size_t loop_read(struct rdmaev_loop *loop, char *events, size_t entry_size, size_t n)
{
	const size_t size = sizeof(struct rdmaev_verbs_event);
	int state = loop_lock(loop);
	size_t got;

	loop_collect(loop);
	for (got = 0; got < n && loop_pop_one(loop, (void *)events); got++) {
		memset(events + size, 0, entry_size - size);
		events += entry_size;
	}
	loop_update(loop);
	if (!got)
		loop_clear(loop);
	loop_unlock(loop, state);
	return got;
}

/* 0: may be readable, or the time is over; -1 with errno */
static int loop_wait(const struct rdmaev_loop *loop, int64_t left)
{
	struct pollfd p = { .fd = loop->epoll, .events = POLLIN };
	struct timespec timeout = { 0 };

	if (left > 0) {
		timeout.tv_sec = (time_t)(left / 1000000000);
		timeout.tv_nsec = (long)(left % 1000000000);
	}
	return ppoll(&p, 1, left < 0 ? NULL : &timeout, NULL) < 0 ? -1 : 0;
}

ssize_t rdmaev_loop_read_sized(struct rdmaev_loop *loop,
			       struct rdmaev_verbs_event *events,
			       size_t entry_size, size_t n, int64_t timeout_ns)
{
	int64_t until = 0, left = timeout_ns;
	size_t got;

	if (!n || entry_size < sizeof(*events) || entry_size % 8) {
		errno = EINVAL;
		return -1;
	}
	/* A timeout too large to represent means no timeout. */
	if (timeout_ns > 0 && __builtin_add_overflow(loop_monotonic(), timeout_ns, &until))
		left = -1;
	for (;;) {
		got = loop_read(loop, (char *)events, entry_size, n);
		if (got || !left)
			return (ssize_t)got;
		if (loop_wait(loop, left))
			return -1;
		if (left > 0) {
			left = until - loop_monotonic();
			if (left < 0)
				left = 0;
		}
	}
}
