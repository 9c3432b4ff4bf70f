// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a reader waits for, and how it is woken.
 *
 * A reader that waits is armed: it is on a list, and the log has requests for
 * records of the kinds, codes and severities that can pass its filter. The
 * first of these records queues stream_wake_fn(), which runs in a thread. It
 * reads the new records for each armed reader that wants records of that kind
 * and code, disarms and wakes the readers that have a record to read, and
 * leaves the others armed. So the cost of an append does not depend on the
 * number of readers, and a reader costs nothing while no record matches its
 * interest. If many are armed, the new records are first read once for all of
 * them, which tells for most readers that none of these passes their filter.
 *
 * A wake-up says that there is a record that the reader may see, and nothing about
 * others: a reader is woken only for a match after the newest record at the time when
 * it was armed. If many records have to be read to find that, a reader without all
 * rights is taken off the list, and its own work reads them, for which nobody else
 * waits.
 *
 * After each half of a ring, stream_wake_fn() moves the position of armed readers
 * ahead that have nothing to read, so that the ring does not overtake them: a
 * reader that waits has no loss of records that it does not get.
 *
 * No wake-up is missed: a reader first arms itself and then reads the log. It
 * finds records appended before it was armed itself; a record appended later
 * finds itself wanted. Both sides take the log's lock in between. A wanted
 * record cancels its request. stream_wake_fn() then reads the log for the
 * readers that wanted it, renews their requests, and reads once more to find
 * records appended in between.
 *
 * Readers of all records share one wait queue. No record has to be matched for
 * them: the first record after one of them began to wait wakes them all,
 * directly from the log's irq_work while they are few.
 *
 * Order of locks: read_lock, stream_armed_lock, stream_lock, the log's lock.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "device/access.h"
#include "filter.h"
#include "log/log.h"
#include "log/log_read.h"
#include "stream.h"
#include "stream_ahead.h"
#include "stream_news.h"
#include "stream_wake.h"
#include "work.h"

/* Of more armed readers than this, new records are first read for all of them. */
#define EACH_MAX	4

/* Readers of all records, up to this number, are woken with interrupts off */
#define DIRECT_MAX	8

/*
 * Protects the list, its length, rdmaev_stream.armed and .check_again. For each
 * armed reader either its requests are set in the log, or stream_wake_fn() will
 * read the log for it.
 */
static DEFINE_SPINLOCK(stream_armed_lock);
static LIST_HEAD(stream_armed);
static unsigned int stream_armed_count;	/* counts those in stream_wake_fn() */

/* Wait queue of readers of all records, besides their own; number of readers */
static DECLARE_WAIT_QUEUE_HEAD(stream_plain_waitq);
static atomic_t stream_plain = ATOMIC_INIT(0);
static bool stream_plain_hit;		/* stream_wake_fn() must wake them */

static bool stream_is_half;		/* stream_wake_fn() must move readers */

/*
 * A reader of all records with watermark 1 can read as soon as the log has a
 * record after its position.
 */
static bool stream_is_simple(const struct rdmaev_stream *s)
{
	return READ_ONCE(s->plain) && READ_ONCE(s->watermark) == 1;
}

static bool stream_has_match(struct rdmaev_stream *s)
{
	/* If it is changing, the reader is reading. */
	return data_race(READ_ONCE(s->matched));
}

static void stream_wake_fn(struct work_struct *work);
static DECLARE_WORK(stream_wake_work, stream_wake_fn);

/*
 * Have stream_wake_fn() read the log for this reader, which does not know of the
 * records that it finds: its delay has passed, or a signal has interrupted it.
 */
static void stream_check_soon(struct rdmaev_stream *s)
{
	spin_lock(&stream_armed_lock);
	if (s->armed) {
		s->check_again = true;
		WRITE_ONCE(s->wake_after, 0);
		queue_work(rdmaev_wq, &stream_wake_work);
	}
	spin_unlock(&stream_armed_lock);
}

/**
 * rdmaev_stream_ready - check whether the reader has enough records to read
 * @s: stream, armed
 *
 * Many records may have to be read to find the next match. A signal interrupts
 * that; stream_wake_fn() then continues in a thread and wakes the reader when
 * it finds a match.
 *
 * Return: true if so, as set by rdmaev_stream_set_wakeup().
 */
bool rdmaev_stream_ready(struct rdmaev_stream *s)
{
	bool more, due;

	if (stream_is_simple(s))
		return rdmaev_stream_has_next(s);
	for (;;) {
		spin_lock(&s->stream_lock);
		more = rdmaev_stream_read_ahead(s, RDMAEV_AHEAD_MAX, 0);
		due = !more && rdmaev_stream_is_due(s);
		spin_unlock(&s->stream_lock);
		if (!more)
			return due;
		if (signal_pending(current)) {
			stream_check_soon(s);
			return false;
		}
		cond_resched();
	}
}

/**
 * rdmaev_stream_shared_waitq - return the shared wait queue of a stream
 * @s: stream
 *
 * Return: wait queue that wakes the stream in addition to its own, or NULL.
 */
wait_queue_head_t *rdmaev_stream_shared_waitq(struct rdmaev_stream *s)
{
	return READ_ONCE(s->plain) ? &stream_plain_waitq : NULL;
}

/**
 * rdmaev_stream_wake_shared - wake all readers on the shared wait queue
 * @events: events for poll(); streams that they do not concern wait again
 */
void rdmaev_stream_wake_shared(__poll_t events)
{
	__wake_up(&stream_plain_waitq, TASK_NORMAL, 0, poll_to_key(events));
}

/**
 * rdmaev_stream_arm - request one wake-up of a stream for new records
 * @s: stream
 *
 * Call it after adding the reader to its wait queues, and before checking
 * whether to wait.
 */
void rdmaev_stream_arm(struct rdmaev_stream *s)
{
	if (stream_is_simple(s)) {
		rdmaev_log_want_any();
		return;
	}
	/* If it is disarmed concurrently, it is being woken. */
	if (READ_ONCE(s->armed))
		return;
	spin_lock(&stream_armed_lock);
	if (!s->armed) {
		WRITE_ONCE(s->armed, true);
		s->check_again = false;
		/* The caller looks at these itself. */
		WRITE_ONCE(s->wake_after, rdmaev_log_newest());
		WRITE_ONCE(stream_armed_count, stream_armed_count + 1);
		/* Users may have many: the administrator does not wait for them. */
		if (s->cred.all)
			list_add(&s->list, &stream_armed);
		else
			list_add_tail(&s->list, &stream_armed);
		rdmaev_log_want(&s->match.interest);
	}
	spin_unlock(&stream_armed_lock);
}

/* stream_armed_lock is held. */
static void stream_disarm(struct rdmaev_stream *s)
{
	WRITE_ONCE(s->armed, false);
	WRITE_ONCE(s->is_behind, false);
	WRITE_ONCE(stream_armed_count, stream_armed_count - 1);
	list_del_init(&s->list);
}

static void stream_notify(struct rdmaev_stream *s)
{
	wake_up_interruptible_poll(&s->waitq, EPOLLIN | EPOLLRDNORM);
}

/*
 * Read ahead a step of the way, and find out whether the reader must be woken, as
 * @due. Returns true if there is more to read. s->stream_lock is not held.
 */
static bool stream_look(struct rdmaev_stream *s, bool *due)
{
	/* Set to 0 with check_again, or with the reader off the list. */
	u64 after = READ_ONCE(s->wake_after);
	bool more;

	spin_lock(&s->stream_lock);
	more = rdmaev_stream_read_ahead(s, RDMAEV_AHEAD_MAX, after);
	*due = !more && rdmaev_stream_is_due(s) && s->matched_seq > after;
	spin_unlock(&s->stream_lock);
	return more;
}

/*
 * A reader that is behind has come to the end of the log. Returns true if it must be
 * woken; else stream_check() renews its requests. It may not be armed any more.
 */
static bool stream_catch_up(struct rdmaev_stream *s, bool due)
{
	spin_lock(&stream_armed_lock);
	if (!s->is_behind) {
		due = false;
	} else if (due) {
		stream_disarm(s);
	} else {
		WRITE_ONCE(s->is_behind, false);
		s->check_again = true;
		list_add_tail(&s->list, &stream_armed);
		queue_work(rdmaev_wq, &stream_wake_work);
	}
	spin_unlock(&stream_armed_lock);
	return due;
}

/*
 * Wake the tasks of a reader; one of them may have armed it again since, so that it is
 * behind now. Then read ahead for it.
 */
static void stream_notify_fn(struct work_struct *work)
{
	struct rdmaev_stream *s = container_of(work, struct rdmaev_stream,
					       notify_work);
	bool due, must_notify;

	spin_lock(&stream_armed_lock);
	must_notify = s->must_notify;
	s->must_notify = false;
	spin_unlock(&stream_armed_lock);
	if (must_notify)
		stream_notify(s);
	if (!READ_ONCE(s->is_behind))
		return;
	if (stream_look(s, &due))
		queue_work(rdmaev_user_wq, work);
	else if (stream_catch_up(s, due))
		stream_notify(s);
}

/*
 * stream_armed_lock is held. A user may have many tasks wait with one file: others
 * do not wait until these have been woken.
 */
static void stream_wake(struct rdmaev_stream *s)
{
	stream_disarm(s);
	if (s->cred.all) {
		stream_notify(s);
		return;
	}
	s->must_notify = true;
	queue_work(rdmaev_user_wq, &s->notify_work);
}

static void stream_wake_plain(void)
{
	wake_up_interruptible_poll(&stream_plain_waitq, EPOLLIN | EPOLLRDNORM);
}

/* stream_armed_lock is held. */
static void stream_wait_behind(struct rdmaev_stream *s)
{
	WRITE_ONCE(s->is_behind, true);
	list_del_init(&s->list);
	queue_work(rdmaev_user_wq, &s->notify_work);
}

/*
 * Wake a reader that has enough records to read, else renew its requests in the
 * log. A second pass finds a record appended before the renewal. If there are many
 * to examine, readers with all rights do not wait for one without.
 * stream_armed_lock is held.
 */
static void stream_check(struct rdmaev_stream *s)
{
	bool more, due, is_second = false;

	for (;;) {
		more = stream_look(s, &due);
		if (due) {
			stream_wake(s);
			return;
		}
		if (more || is_second)
			break;
		rdmaev_log_want(&s->match.interest);
		is_second = true;
	}
	if (more && !s->cred.all) {
		stream_wait_behind(s);
		return;
	}
	list_move_tail(&s->list, &stream_armed);
	s->check_again = more;
	if (more)
		queue_work(rdmaev_wq, &stream_wake_work);
}

/*
 * Move a reader past the records after seq @seen, if it has nothing to read and none
 * of them match. Returns false if it may have. stream_armed_lock is held.
 */
static bool stream_pass(struct rdmaev_stream *s, const struct rdmaev_stream_news *news,
			u64 seen)
{
	unsigned int rings;
	bool has_none;

	if (s->check_again || rdmaev_stream_news_can_match(news, s))
		return false;
	spin_lock(&s->stream_lock);
	has_none = !s->matched && s->cursor.seen >= seen;
	if (has_none && s->cursor.seen < news->end.seen) {
		rings = s->cursor.rings;
		s->cursor = news->end;
		s->cursor.rings = rings;
		rdmaev_stream_restart_ahead(s);
	}
	spin_unlock(&s->stream_lock);
	return has_none;
}

/*
 * Renew the requests of all readers that were hit. What is appended before that is
 * read after it. Returns the seq up to which all have read, but for those that are
 * not passed anyway. stream_armed_lock is held.
 */
static u64 stream_renew(const u64 *hits)
{
	u64 seen = rdmaev_log_newest();
	struct rdmaev_interest all = {};
	LIST_HEAD(todo);
	unsigned int i;

	list_splice_init(&stream_armed, &todo);
	while (!list_empty(&todo)) {
		struct rdmaev_stream *s = list_first_entry(&todo,
							   struct rdmaev_stream,
							   list);
		/* A concurrent read() moves it further. */
		u64 pos = data_race(READ_ONCE(s->cursor.seen));

		list_move_tail(&s->list, &stream_armed);
		if (pos < seen && !s->check_again && !stream_has_match(s))
			seen = pos;
		if (rdmaev_stream_is_hit(s, hits)) {
			for (i = 0; i < RDMAEV_KINDS; i++)
				all.codes[i] |= s->match.interest.codes[i] &
						hits[i];
			all.severities |= s->match.interest.severities;
		}
		/* Who arms itself now makes its own requests. */
		cond_resched_lock(&stream_armed_lock);
	}
	if (all.severities)
		rdmaev_log_want(&all);
	return seen;
}

/*
 * Wake the readers that have enough records to read. That includes a reader
 * that waits again with unread records (edge-triggered epoll): a new record may
 * wake it. A reader with more than RDMAEV_AHEAD_MAX records to examine is continued in
 * the next run.
 */
static void stream_wake_fn(struct work_struct *work)
{
	static struct rdmaev_stream_news news;
	bool is_half = xchg(&stream_is_half, false);
	u64 seen = 0, hits[RDMAEV_KINDS];
	bool use_news, is_hit;
	LIST_HEAD(todo);

	if (xchg(&stream_plain_hit, false))
		stream_wake_plain();
	spin_lock(&stream_armed_lock);
	rdmaev_log_pop_hits(hits);
	use_news = is_half || stream_armed_count > EACH_MAX;
	if (use_news) {
		/* Nothing is read twice because somebody lags behind. */
		seen = max(stream_renew(hits), news.end.seen);
		rdmaev_stream_news_read(&news, &stream_armed_lock, seen);
	}
	list_splice_init(&stream_armed, &todo);
	while (!list_empty(&todo)) {
		struct rdmaev_stream *s = list_first_entry(&todo,
							   struct rdmaev_stream,
							   list);

		is_hit = s->check_again || rdmaev_stream_is_hit(s, hits);
		/* What changed for it was not told before its requests were renewed. */
		if (use_news && stream_pass(s, &news, seen))
			list_move_tail(&s->list, &stream_armed);
		else if (is_hit || (is_half && !stream_has_match(s)))
			stream_check(s);
		else
			list_move_tail(&s->list, &stream_armed);
		/*
		 * Readers may be added or removed; each armed one stays on a
		 * list.
		 */
		cond_resched_lock(&stream_armed_lock);
	}
	spin_unlock(&stream_armed_lock);
}

/**
 * rdmaev_stream_wake_soon - wake readers that have records to read
 * @who: RDMAEV_WAKE_*
 *
 * Wakes few readers directly, others from stream_wake_fn().
 *
 * Context: any but NMI.
 */
void rdmaev_stream_wake_soon(unsigned int who)
{
	bool in_thread = who & (RDMAEV_WAKE_SOME | RDMAEV_WAKE_AHEAD) &&
			 READ_ONCE(stream_armed_count);

	if (in_thread && who & RDMAEV_WAKE_AHEAD)
		WRITE_ONCE(stream_is_half, true);
	if (who & RDMAEV_WAKE_ANY) {
		if (atomic_read(&stream_plain) <= DIRECT_MAX) {
			stream_wake_plain();
		} else {
			WRITE_ONCE(stream_plain_hit, true);
			in_thread = true;
		}
	}
	if (in_thread)
		queue_work(rdmaev_wq, &stream_wake_work);
}

static void stream_delay_over(struct work_struct *work)
{
	stream_check_soon(container_of(to_delayed_work(work),
				       struct rdmaev_stream, delay_work));
}

/** rdmaev_stream_wake_init - prepare a new stream for wake-ups */
void rdmaev_stream_wake_init(struct rdmaev_stream *s)
{
	if (s->counted)
		atomic_inc(&stream_plain);
	init_waitqueue_head(&s->waitq);
	INIT_DELAYED_WORK(&s->delay_work, stream_delay_over);
	INIT_WORK(&s->notify_work, stream_notify_fn);
}

/** rdmaev_stream_wake_end - no wake-up of the stream runs or comes any more */
void rdmaev_stream_wake_end(struct rdmaev_stream *s)
{
	if (s->counted)
		atomic_dec(&stream_plain);
	spin_lock(&stream_armed_lock);
	if (s->armed)
		stream_disarm(s);
	spin_unlock(&stream_armed_lock);
	/* Nothing queues them once the stream is not armed, but the first the second. */
	cancel_work_sync(&s->notify_work);
	cancel_delayed_work_sync(&s->delay_work);
}

/**
 * rdmaev_stream_wait - wait until the reader has enough records to read
 * @s: stream
 *
 * Return: 0, also if the stream is hung up, or -ERESTARTSYS.
 */
int rdmaev_stream_wait(struct rdmaev_stream *s)
{
	int ret;

	if (stream_is_simple(s)) {
		ret = wait_event_interruptible(stream_plain_waitq,
					       READ_ONCE(s->hung_up) || ({
			rdmaev_stream_arm(s);
			rdmaev_stream_ready(s) || !stream_is_simple(s);
		}));
		/* A concurrent ioctl may have set a filter or a watermark. */
		if (ret || stream_is_simple(s))
			return ret;
	}
	return wait_event_interruptible(s->waitq, READ_ONCE(s->hung_up) || ({
		rdmaev_stream_arm(s);
		rdmaev_stream_ready(s);
	}));
}

/**
 * rdmaev_stream_wake_others - wake other tasks that wait with this file
 * @s: stream: its position, filter or watermark has changed
 *
 * They see for themselves whether there is something to read.
 */
void rdmaev_stream_wake_others(struct rdmaev_stream *s)
{
	if (s->counted)
		stream_wake_plain();
	spin_lock(&stream_armed_lock);
	if (s->armed)
		stream_wake(s);
	spin_unlock(&stream_armed_lock);
}

/*
 * Translate a pid from the reader's pid namespace to that of records; if it
 * does not exist, to one that no record has.
 */
static u32 stream_pid_of_record(const struct rdmaev_stream *s, u32 pid)
{
	struct pid *found;
	u32 nr = U32_MAX;

	if (!pid || !s->pids)
		return pid;
	rcu_read_lock();
	found = find_pid_ns(pid, s->pids);
	if (found)
		nr = pid_nr(found);
	rcu_read_unlock();
	return nr;
}

/**
 * rdmaev_stream_set_filter - set the filter of a reader
 * @s: stream
 * @filter: filter, checked here. Allocated by kmalloc(); belongs to the stream
 *	on success
 *
 * Return: 0, -EINVAL or -ERESTARTSYS.
 */
int rdmaev_stream_set_filter(struct rdmaev_stream *s,
			     const struct rdmaev_filter *filter)
{
	const struct rdmaev_filter *old;
	unsigned int rings;

	if (!rdmaev_filter_is_valid(filter))
		return -EINVAL;
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	spin_lock(&stream_armed_lock);
	spin_lock(&s->stream_lock);
	old = s->match.filter;
	rings = rdmaev_match_set(&s->match, filter,
				 stream_pid_of_record(s, filter->pid), s->users);
	WRITE_ONCE(s->plain, false);
	rdmaev_log_follow(&s->cursor, rings);
	rdmaev_stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	spin_unlock(&stream_armed_lock);
	mutex_unlock(&s->read_lock);
	kfree(old);
	rdmaev_stream_wake_others(s);
	return 0;
}
