// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs that are returned less often. Where the device cannot do it, the loop does: it
 * polls the CQ at each notification, keeps the completions, and returns the CQ when
 * they are enough, one of them has failed, or the first of them is old enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop.h"

/* The limit of the kernel's structure for devices, as is that of the number */
#define DEVICE_MAX 65535

/**
 * struct moderation - of a CQ
 * @period_ns: longest time that a completion is kept
 * @due_ns: CLOCK_MONOTONIC when the CQ is returned at the latest; 0: nothing is kept
 * @max: number of completions for which it is returned, length of @wc
 * @first: first one that is kept
 * @count: number of those that are kept
 * @wc: completions
 */
struct moderation {
	int64_t period_ns;
	int64_t due_ns;
	unsigned int max;
	unsigned int first;
	unsigned int count;
	struct ibv_wc wc[];
};

static bool moderate_has_failed(const struct ibv_wc *wc, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			return true;
	}
	return false;
}

/* The timer of the loop is for the CQ that is due first. */
static void moderate_set_timer(struct rdmaev_loop *loop, int64_t due_ns)
{
	struct itimerspec at = {
		.it_value = {
			.tv_sec = (time_t)(due_ns / 1000000000),
			.tv_nsec = (long)(due_ns % 1000000000),
		},
	};

	if (loop->timer_ns && loop->timer_ns <= due_ns)
		return;
	loop->timer_ns = due_ns;
	timerfd_settime(loop->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* Poll until the CQ is empty and armed. True: nothing to be returned yet */
static bool moderate_fill(struct entry *e, struct ibv_cq *cq)
{
	struct moderation *m = e->moderation;
	bool was_armed;
	int n;

	do {
		struct ibv_wc *wc = m->wc + m->first + m->count;

		was_armed = e->armed;
		n = ibv_poll_cq(cq, (int)(m->max - m->first - m->count), wc);
		if (n < 0)
			return false;
		m->count += n;
		if (m->first + m->count == m->max || moderate_has_failed(wc, n))
			return false;
		if (!was_armed && ibv_req_notify_cq(cq, e->solicited))
			return false;
		e->armed = true;
	} while (!was_armed);
	return true;
}

bool loop_moderate_hold(struct rdmaev_loop *loop, struct entry *e)
{
	struct moderation *m = e->moderation;

	if (!m || !moderate_fill(e, (void *)(uintptr_t)e->object))
		return false;
	if (m->count && !m->due_ns) {
		m->due_ns = loop_monotonic() + m->period_ns;
		moderate_set_timer(loop, m->due_ns);
	}
	return true;
}

int loop_moderate_pop(struct entry *e, int n, struct ibv_wc *wc)
{
	struct moderation *m = e->moderation;

	if (!m || !m->count)
		return 0;
	if ((unsigned int)n > m->count)
		n = (int)m->count;
	memcpy(wc, m->wc + m->first, n * sizeof(*wc));
	m->count -= n;
	m->first = m->count ? m->first + n : 0;
	m->due_ns = 0;
	return n;
}

/* The CQs that are due; the timer for the next one */
void loop_moderate_expire(struct rdmaev_loop *loop)
{
	int64_t now = loop_monotonic(), next = 0;
	struct entry *e;
	uint64_t times;
	unsigned int i;

	if (read(loop->timer, &times, sizeof(times)) != sizeof(times))
		return;
	loop->timer_ns = 0;
	for (i = 0; i < BUCKETS; i++) {
		for (e = loop->bucket[i]; e; e = e->next) {
			struct moderation *m = e->moderation;

			if (!m || !m->due_ns || e->ready)
				continue;
			if (m->due_ns <= now)
				loop_ready(loop, e);
			else if (!next || m->due_ns < next)
				next = m->due_ns;
		}
	}
	if (next)
		moderate_set_timer(loop, next);
}

/* 0, or a negative error */
static int moderate_open_timer(struct rdmaev_loop *loop)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = loop };
	int fd;

	if (loop->timer >= 0)
		return 0;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event)) {
		int error = -errno;

		close(fd);
		return error;
	}
	loop->timer = fd;
	return 0;
}

/* True if the device does it */
static bool moderate_by_device(struct ibv_cq *cq, uint32_t count, uint32_t period_us)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = (uint16_t)count, .cq_period = (uint16_t)period_us },
	};

	/* Too long for a device: it shall do nothing of its own. */
	if (period_us > DEVICE_MAX)
		attr.moderate = (struct ibv_moderate_cq){ 0 };
	return !ibv_modify_cq(cq, &attr) && period_us <= DEVICE_MAX;
}

/* 0, or a negative error */
static int moderate_by_loop(struct rdmaev_loop *loop, struct entry *e, uint32_t count,
			    uint32_t period_us)
{
	struct moderation *m;
	int error = moderate_open_timer(loop);

	if (error)
		return error;
	m = calloc(1, sizeof(*m) + count * sizeof(m->wc[0]));
	if (!m)
		return -ENOMEM;
	m->max = count;
	m->period_ns = period_us * 1000LL;
	e->moderation = m;
	return 0;
}

/* 0, or a negative error */
static int moderate_set(struct rdmaev_loop *loop, struct ibv_cq *cq, uint32_t count,
			uint32_t period_us)
{
	struct entry *e = loop_find(loop, cq);

	if (!e)
		return -ENOENT;
	if (e->moderation && e->moderation->count)
		return -EBUSY;
	free(e->moderation);
	e->moderation = NULL;
	if (moderate_by_device(cq, count, period_us) || count <= 1)
		return 0;
	return moderate_by_loop(loop, e, count, period_us);
}

int rdmaev_loop_moderate_cq(struct rdmaev_loop *loop, struct ibv_cq *cq,
			    uint32_t count, uint32_t period_us)
{
	int state, error = -EINVAL;

	if (count <= RDMAEV_LOOP_MODERATE_MAX && (count <= 1 || period_us)) {
		state = loop_lock(loop);
		error = moderate_set(loop, cq, count, period_us);
		loop_unlock(loop, state);
	}
	if (!error)
		return 0;
	errno = -error;
	return -1;
}
