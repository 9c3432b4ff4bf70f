// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Events of a loop that have not been returned, and CQs to be polled. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"

int64_t loop_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t loop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct rdmaev_verbs_event *loop_queued(struct rdmaev_loop *loop, unsigned int i)
{
	return &loop->queue[(loop->head + i) % QUEUE_MAX];
}

struct rdmaev_verbs_event *loop_push(struct rdmaev_loop *loop)
{
	struct rdmaev_verbs_event *ev;

	if (loop->count == QUEUE_MAX)
		return NULL;
	ev = loop_queued(loop, loop->count++);
	memset(ev, 0, sizeof(*ev));
	ev->id = ++loop->last_id;
	ev->boottime_ns = loop_now();
	return ev;
}

void loop_push_hangup(struct rdmaev_loop *loop, const struct entry *e, int error)
{
	struct rdmaev_verbs_event *ev = loop_push(loop);

	if (!ev)
		return;
	ev->type = RDMAEV_VERBS_HANGUP;
	ev->code = (uint32_t)error;
	ev->user = e->user;
	/* Returned as it was given */
	ev->object = (void *)(uintptr_t)e->object;
	ev->context = e->context;
}

void event_set_words(struct rdmaev_verbs_event *ev, unsigned int kind)
{
	ev->name = rdmaev_event_name(kind, ev->code);
	ev->text = rdmaev_event_describe(kind, ev->code);
	ev->advice = rdmaev_event_advice(kind, ev->code);
}

static void queue_remember(struct rdmaev_loop *loop, const struct rdmaev_verbs_event *ev)
{
	struct recent *r = &loop->recent[loop->recent_at++ % RECENT_MAX];

	r->id = ev->id;
	r->code = ev->code;
	r->object_type = ev->object_type;
	r->number = ev->number;
	r->port = ev->port;
	r->context = ev->context;
}

void loop_pop(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev)
{
	*ev = *loop_queued(loop, 0);
	loop->head = (loop->head + 1) % QUEUE_MAX;
	loop->count--;
	if (ev->type == RDMAEV_VERBS_ASYNC && !ev->record.seq)
		queue_remember(loop, ev);
}

/* Of the object itself, or of a context that it is */
static bool queue_is_about(const struct rdmaev_verbs_event *ev, const void *object)
{
	return ev->object == object || ev->context == object;
}

static void queue_drop_ready(struct rdmaev_loop *loop, const void *object)
{
	struct entry **at = &loop->ready_first;

	loop->ready_last = NULL;
	while (*at) {
		if ((*at)->object == object) {
			*at = (*at)->ready_next;
			continue;
		}
		loop->ready_last = *at;
		at = &(*at)->ready_next;
	}
}

void loop_drop(struct rdmaev_loop *loop, const void *object)
{
	unsigned int i, kept = 0;

	for (i = 0; i < loop->count; i++) {
		const struct rdmaev_verbs_event *ev = loop_queued(loop, i);

		if (!queue_is_about(ev, object))
			*loop_queued(loop, kept++) = *ev;
	}
	loop->count = kept;
	for (i = 0; i < RECENT_MAX; i++) {
		if (loop->recent[i].context == object)
			loop->recent[i].id = 0;
	}
	queue_drop_ready(loop, object);
}

void loop_ready(struct rdmaev_loop *loop, struct entry *cq)
{
	cq->ready = true;
	cq->ready_next = NULL;
	if (loop->ready_last)
		loop->ready_last->ready_next = cq;
	else
		loop->ready_first = cq;
	loop->ready_last = cq;
}

struct entry *loop_pop_ready(struct rdmaev_loop *loop)
{
	struct entry *cq = loop->ready_first;

	if (!cq)
		return NULL;
	loop->ready_first = cq->ready_next;
	if (!loop->ready_first)
		loop->ready_last = NULL;
	cq->ready_next = NULL;
	return cq;
}

void loop_update(struct rdmaev_loop *loop)
{
	const uint64_t one = 1;

	if (loop->more_set || (!loop->count && !loop->ready_first))
		return;
	/* Cannot fail: the counter is 0 */
	if (write(loop->more, &one, sizeof(one)) == sizeof(one))
		loop->more_set = true;
}

void loop_clear(struct rdmaev_loop *loop)
{
	uint64_t count;

	/* Cannot fail: the counter is 1 */
	if (loop->more_set && read(loop->more, &count, sizeof(count)) == sizeof(count))
		loop->more_set = false;
}
