// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions without lost wake-ups. A CQ is ready, or it was armed and found
 * empty by a poll after that: then the next completion makes a notification,
 * which makes it ready.
 */
#include <errno.h>

#include "loop.h"

/* Notifications read from a channel before they are acknowledged */
#define BATCH 64

static void cq_notified(struct rdmaev_loop *loop, struct entry *e)
{
	e->armed = false;
	if (!e->ready && !loop_moderate_hold(loop, e))
		loop_ready(loop, e);
}

/* Acknowledge all notifications of each CQ by one call. */
static void cq_ack(struct rdmaev_loop *loop, struct ibv_cq **cqs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct entry *e = loop_find(loop, cqs[i]);

		if (!e) {
			ibv_ack_cq_events(cqs[i], 1);
		} else if (e->events) {
			ibv_ack_cq_events(cqs[i], e->events);
			e->events = 0;
		}
	}
}

static unsigned int cq_read(struct rdmaev_loop *loop, struct ibv_comp_channel *channel,
			    struct ibv_cq **cqs)
{
	unsigned int n;
	void *context;

	for (n = 0; n < BATCH; n++) {
		struct entry *e;

		if (ibv_get_cq_event(channel, &cqs[n], &context))
			break;
		e = loop_find(loop, cqs[n]);
		if (!e)
			continue;
		e->events++;
		cq_notified(loop, e);
	}
	return n;
}

void loop_cq_collect(struct rdmaev_loop *loop, struct entry *channel)
{
	struct ibv_comp_channel *c = (void *)(uintptr_t)channel->object;
	struct ibv_cq *cqs[BATCH];
	unsigned int n;
	int error;

	do {
		errno = 0;
		n = cq_read(loop, c, cqs);
		error = errno;
		cq_ack(loop, cqs, n);
	} while (n == BATCH);
	if (error == EAGAIN || error == EINTR)
		return;
	loop_push_hangup(loop, channel, error ? error : EIO);
	loop_unwatch(loop, channel);
}

/* Poll, and arm and poll again if that was all; the number, or a negative error */
static int cq_poll_device(struct entry *e, struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int got = ibv_poll_cq(cq, n, wc), more, error;

	if (got < 0)
		return -EIO;
	if (got == n)
		return n;
	if (!e->armed) {
		error = ibv_req_notify_cq(cq, e->solicited);
		if (error)
			return -error;
		e->armed = true;
	}
	more = ibv_poll_cq(cq, n - got, wc + got);
	if (more < 0)
		return -EIO;
	/* Empty after it was armed: only now is it safe to wait. */
	if (got + more < n)
		e->ready = false;
	return got + more;
}

/* What was kept first; an error after that is found again the next time */
static int cq_poll(struct entry *e, struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int kept = loop_moderate_pop(e, n, wc), got;

	if (kept == n)
		return n;
	got = cq_poll_device(e, cq, n - kept, wc + kept);
	return got < 0 && kept ? kept : got + kept;
}

/* The same, with the lock */
static int cq_poll_entry(struct rdmaev_loop *loop, struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct entry *e = loop_find(loop, cq);
	bool listed;
	int ret;

	if (!e)
		return -ENOENT;
	/* Polled without having been returned: it stays in the list. */
	listed = e->ready && (e->ready_next || loop->ready_last == e);
	e->ready = true;
	ret = cq_poll(e, cq, n, wc);
	if (listed)
		e->ready = true;
	else if (e->ready && ret >= 0)
		loop_ready(loop, e);
	loop_update(loop);
	return ret;
}

int rdmaev_loop_poll_cq(struct rdmaev_loop *loop, struct ibv_cq *cq, int n,
			struct ibv_wc *wc)
{
	int state, ret;

	if (n < 1) {
		errno = EINVAL;
		return -1;
	}
	state = loop_lock(loop);
	ret = cq_poll_entry(loop, cq, n, wc);
	loop_unlock(loop, state);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}
