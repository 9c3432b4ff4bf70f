/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A loop, for the files that read its sources */
#ifndef ULIB_VERBS_LOOP_H
#define ULIB_VERBS_LOOP_H

#include <pthread.h>
#include <stdbool.h>

#include "verbs.h"

#define QUEUE_MAX	256
#define RECENT_MAX	64
#define BUCKETS		256

enum entry_kind {
	ENTRY_CONTEXT,
	ENTRY_CHANNEL,
	ENTRY_CQ,
	ENTRY_QP,
	ENTRY_SRQ,
	ENTRY_WQ,
	ENTRY_READER,
};

/**
 * struct entry - what was added to a loop
 * @next: in its bucket
 * @kind: &enum entry_kind
 * @fd: descriptor to wait on, or -1
 * @object: the object, key of the entry
 * @context: its context; NULL of a reader
 * @user: the program's pointer
 * @ready_next: of CQs: next one that is to be returned
 * @ready: of CQs: it may have completions. Not again in the list before it is
 *	polled
 * @armed: of CQs: armed, and no notification was read since
 * @solicited: of CQs: armed for solicited completions
 * @events: of CQs: notifications read and not acknowledged, in loop_cq_collect()
 * @failed: of QPs: status of its first failure; 0: none
 * @doubtful: of QPs: an event or failure since its state was asked
 * @moderation: of CQs that the loop returns less often; else NULL
 */
struct entry {
	struct entry *next;
	enum entry_kind kind;
	int fd;
	const void *object;
	struct ibv_context *context;
	void *user;
	struct entry *ready_next;
	bool ready;
	bool armed;
	bool solicited;
	unsigned int events;
	uint32_t failed;
	bool doubtful;
	struct moderation *moderation;
};

/* An event of libibverbs that was returned without a record */
struct recent {
	uint64_t id;
	uint32_t code;
	uint32_t object_type;
	uint32_t number;
	uint32_t port;
	struct ibv_context *context;
};

/**
 * struct rdmaev_loop - a loop
 * @epoll: descriptor of all sources and of @more
 * @more: eventfd: readable while there is something to return, and until a read
 *	finds nothing
 * @timer: timerfd for CQs that are returned less often, or -1
 * @lock: protects all below, and objects that were added against their end, as
 *	they are removed before. Held over ibv_poll_cq(), ibv_query_qp() and
 *	acknowledgments, never while waiting
 * @more_set: state of @more
 * @timer_ns: CLOCK_MONOTONIC to which @timer is set, 0: it is not
 * @skipped: reads in a row that returned what was there, without looking for more
 * @turn: CQs and other events take turns
 * @last_id: newest id
 * @bucket: entries by the address of their object
 * @ready_first: CQs to return, in order
 * @ready_last: the last one
 * @head: first event of @queue
 * @count: number of events in @queue, a ring
 * @queue: events that have not been returned
 * @recent_at: oldest entry of @recent
 * @recent: events that a later record may be about
 */
struct rdmaev_loop {
	int epoll;
	int more;
	int timer;
	pthread_mutex_t lock;
	bool more_set;
	int64_t timer_ns;
	unsigned int skipped;
	bool turn;
	uint64_t last_id;
	struct entry *bucket[BUCKETS];
	struct entry *ready_first;
	struct entry *ready_last;
	unsigned int head;
	unsigned int count;
	struct rdmaev_verbs_event queue[QUEUE_MAX];
	unsigned int recent_at;
	struct recent recent[RECENT_MAX];
};

/* loop_table.c */

/* Returns what loop_unlock() restores: no thread is cancelled with the lock. */
int loop_lock(struct rdmaev_loop *loop);
void loop_unlock(struct rdmaev_loop *loop, int state);
struct entry *loop_find(const struct rdmaev_loop *loop, const void *object);
/* Calls @match for each entry until it returns true; that entry, or NULL. */
struct entry *loop_search(const struct rdmaev_loop *loop,
			  bool (*match)(const struct entry *e, const void *arg),
			  const void *arg);
/* -1 with errno; takes the lock. @template is copied. */
int loop_add(struct rdmaev_loop *loop, const struct entry *template);
void loop_unlink(struct rdmaev_loop *loop, struct entry *e);
/* No more waiting for it, as its descriptor is dead */
void loop_unwatch(struct rdmaev_loop *loop, struct entry *e);

/* loop_queue.c: with the lock held */

/* A new event at the end of the queue, which has room; NULL if not. */
struct rdmaev_verbs_event *loop_push(struct rdmaev_loop *loop);
void loop_push_hangup(struct rdmaev_loop *loop, const struct entry *e, int error);
struct rdmaev_verbs_event *loop_queued(struct rdmaev_loop *loop, unsigned int i);
void loop_pop(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev);
void loop_drop(struct rdmaev_loop *loop, const void *object);
void loop_ready(struct rdmaev_loop *loop, struct entry *cq);
struct entry *loop_pop_ready(struct rdmaev_loop *loop);
/* Makes the descriptor readable, if there is something to return */
void loop_update(struct rdmaev_loop *loop);
/* Not readable any more: not before a read found nothing, as that costs */
void loop_clear(struct rdmaev_loop *loop);
uint64_t loop_now(void);
int64_t loop_monotonic(void);
void event_set_words(struct rdmaev_verbs_event *ev, unsigned int kind);

/* Readers of sources: with the lock held, without waiting */
void loop_async_collect(struct rdmaev_loop *loop, struct entry *e);
void loop_cq_collect(struct rdmaev_loop *loop, struct entry *e);
void loop_record_collect(struct rdmaev_loop *loop, struct entry *e);

/* loop_moderate.c: with the lock held */

/* Keeps what a notification was for. False: return the CQ now */
bool loop_moderate_hold(struct rdmaev_loop *loop, struct entry *cq);
/* Completions that were kept: their number, 0 to @n */
int loop_moderate_pop(struct entry *cq, int n, struct ibv_wc *wc);
void loop_moderate_expire(struct rdmaev_loop *loop);

/* loop_record.c */
void loop_match_queued(struct rdmaev_loop *loop, struct rdmaev_verbs_event *ev);
/* qp_watch.c: the state of a QP, if it can be asked */
void event_set_qp_state(struct rdmaev_verbs_event *ev, struct ibv_qp *qp);

#endif /* ULIB_VERBS_LOOP_H */
