// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What was added to a loop, by the address of the object. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "loop.h"

int loop_lock(struct rdmaev_loop *loop)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&loop->lock);
	return state;
}

void loop_unlock(struct rdmaev_loop *loop, int state)
{
	pthread_mutex_unlock(&loop->lock);
	pthread_setcancelstate(state, NULL);
}

static unsigned int table_bucket(const void *object)
{
	return (unsigned int)((uintptr_t)object >> 4) % BUCKETS;
}

struct entry *loop_find(const struct rdmaev_loop *loop, const void *object)
{
	struct entry *e = loop->bucket[table_bucket(object)];

	while (e && e->object != object)
		e = e->next;
	return e;
}

struct entry *loop_search(const struct rdmaev_loop *loop,
			  bool (*match)(const struct entry *e, const void *arg),
			  const void *arg)
{
	struct entry *e;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (e = loop->bucket[i]; e; e = e->next) {
			if (match(e, arg))
				return e;
		}
	}
	return NULL;
}

/* 0, or an error */
static int table_watch(struct rdmaev_loop *loop, struct entry *e)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = e };
	int flags;

	if (e->fd < 0)
		return 0;
	flags = fcntl(e->fd, F_GETFL);
	if (flags < 0 || fcntl(e->fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    epoll_ctl(loop->epoll, EPOLL_CTL_ADD, e->fd, &event) < 0)
		return errno;
	return 0;
}

void loop_unwatch(struct rdmaev_loop *loop, struct entry *e)
{
	if (e->fd >= 0)
		epoll_ctl(loop->epoll, EPOLL_CTL_DEL, e->fd, NULL);
	e->fd = -1;
}

/* 0, or an error; frees @e then */
static int table_link(struct rdmaev_loop *loop, struct entry *e)
{
	struct entry **bucket = &loop->bucket[table_bucket(e->object)];
	int error = loop_find(loop, e->object) ? EEXIST : table_watch(loop, e);

	if (error) {
		free(e);
		return error;
	}
	e->next = *bucket;
	*bucket = e;
	if (e->kind == ENTRY_CQ)
		loop_ready(loop, e);
	loop_update(loop);
	return 0;
}

int loop_add(struct rdmaev_loop *loop, const struct entry *template)
{
	struct entry *e = malloc(sizeof(*e));
	int state, error;

	if (!e)
		return -1;
	*e = *template;
	state = loop_lock(loop);
	error = table_link(loop, e);
	loop_unlock(loop, state);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

void loop_unlink(struct rdmaev_loop *loop, struct entry *e)
{
	struct entry **at = &loop->bucket[table_bucket(e->object)];

	loop_unwatch(loop, e);
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	free(e->moderation);
	free(e);
}
