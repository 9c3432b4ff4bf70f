// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One reader of the log.
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
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "device/access.h"
#include "device/payer.h"
#include "filter.h"
#include "log/log.h"
#include "log/log_read.h"
#include "stream.h"
#include "work.h"

/*
 * Readers that a payer may have: open files of the node, and dumps of history. Root
 * has no limit.
 */
#define STREAM_SHARE	1024

/* Number of records to read with a lock held */
#define AHEAD_MAX	64

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

/**
 * struct stream_news - what the new records are like, for all armed readers
 * @end: position after them
 * @interest: their kinds, codes and severities
 * @devices: rdmaev_device_bit() of their devices
 * @owners: bits of those who may see them, see rdmaev_cred_owners()
 * @may_match: nothing is known, so they may match every filter
 *
 * Of stream_wake_fn() alone.
 */
struct stream_news {
	struct rdmaev_cursor end;
	struct rdmaev_interest interest;
	u64 devices;
	u64 owners;
	bool may_match;
};

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

/* Translate the pids and the uid of a record to the reader's namespaces. */
static void stream_translate(const struct rdmaev_stream *s,
			     struct rdmaev_record *rec)
{
	if (s->pids && rec->pid)
		rec->pid = rdmaev_pid_of_reader(rec->pid, rec->boottime_ns,
						s->pids);
	if (s->pids && rec->kind == RDMAEV_KIND_QP && rec->body.qp.caller_pid)
		rec->body.qp.caller_pid =
			rdmaev_pid_of_reader(rec->body.qp.caller_pid,
					     rec->boottime_ns, s->pids);
	if (s->users && rdmaev_record_has_uid(rec))
		rec->body.info.uid =
			from_kuid_munged(s->users,
					 KUIDT_INIT(rec->body.info.uid));
}

static bool stream_matches(const struct rdmaev_stream *s,
			   const struct rdmaev_record *rec)
{
	if (rec->kind == RDMAEV_KIND_LOST)
		return true;
	if (!rdmaev_match(&s->match, rec))
		return false;
	return s->cred.all || rdmaev_record_visible(rec, &s->cred);
}

/* Note the first record that matches. */
static void stream_set_first(struct rdmaev_stream *s,
			     const struct rdmaev_record *rec)
{
	s->first_ns = rec->boottime_ns;
	s->first_seq = rec->kind == RDMAEV_KIND_LOST ? rec->body.lost.first :
						       rec->seq;
}

/*
 * Read ahead up to @max records and count those that match. s->stream_lock is
 * held. Returns false at the end of the log, or at the watermark with a match after
 * seq @after.
 */
static bool stream_read_ahead(struct rdmaev_stream *s, size_t max, u64 after)
{
	size_t i, n, batch = 1;

	if (!s->is_ahead) {
		s->ahead = s->cursor;
		s->is_ahead = true;
	}
	while (s->matched < s->watermark || s->matched_seq <= after) {
		if (!max)
			return true;
		if (s->matched >= s->watermark && s->ahead.seen < after)
			rdmaev_log_seek(&s->ahead, after + 1);
		/* Usually the first record matches. */
		batch = min(batch, max);
		n = rdmaev_log_read(&s->ahead, s->ahead_rec, batch);
		for (i = 0; i < n; i++) {
			if (!stream_matches(s, &s->ahead_rec[i]))
				continue;
			s->matched_seq = s->ahead_rec[i].seq;
			if (!s->matched++)
				stream_set_first(s, &s->ahead_rec[i]);
		}
		/*
		 * No match yet: advance the position past these records, and
		 * past those of rings that it does not follow.
		 */
		if (!s->matched && s->cursor.seen != s->ahead.seen)
			s->cursor = s->ahead;
		if (n < batch)
			break;
		max -= n;
		batch = RDMAEV_AHEAD_BATCH;
	}
	return false;
}

/* Discard what was read ahead: the position or the filter has changed. */
static void stream_restart_ahead(struct rdmaev_stream *s)
{
	s->is_ahead = false;
	s->matched = 0;
	s->matched_seq = 0;
}

/*
 * Are there enough records to read? s->stream_lock is held, and stream_read_ahead()
 * has returned false. If the delay has not passed yet, queue delay_work for that
 * time.
 */
static bool stream_is_due(struct rdmaev_stream *s)
{
	u64 now, due;

	if (s->matched >= s->watermark)
		return true;
	if (!s->matched || !s->delay_ns)
		return false;
	now = ktime_get_boot_fast_ns();
	due = s->first_ns + s->delay_ns;
	if (now >= due)
		return true;
	mod_delayed_work(rdmaev_wq, &s->delay_work,
			 nsecs_to_jiffies(due - now) + 1);
	return false;
}

/*
 * A reader of all records with watermark 1 can read as soon as the log has a
 * record after its position.
 */
static bool stream_is_simple(const struct rdmaev_stream *s)
{
	return READ_ONCE(s->plain) && READ_ONCE(s->watermark) == 1;
}

static bool stream_has_next(struct rdmaev_stream *s)
{
	/* A concurrent seek that changes it wakes the waiting readers. */
	return rdmaev_log_newest() > data_race(READ_ONCE(s->cursor.seen));
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
		return stream_has_next(s);
	for (;;) {
		spin_lock(&s->stream_lock);
		more = stream_read_ahead(s, AHEAD_MAX, 0);
		due = !more && stream_is_due(s);
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
	more = stream_read_ahead(s, AHEAD_MAX, after);
	*due = !more && stream_is_due(s) && s->matched_seq > after;
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

static bool stream_is_hit(const struct rdmaev_stream *s, const u64 *hits)
{
	unsigned int i;

	for (i = 0; i < RDMAEV_KINDS; i++) {
		if (s->match.interest.codes[i] & hits[i])
			return true;
	}
	return false;
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
 * Returns false if it may match every filter. It may be overwritten meanwhile: some
 * bits are too many then.
 */
static bool news_add(struct stream_news *news, const struct rdmaev_record *rec)
{
	unsigned int kind = READ_ONCE(rec->kind);

	if (kind == RDMAEV_KIND_LOST || kind >= RDMAEV_KINDS)
		return false;
	news->interest.codes[kind] |= BIT_ULL(rdmaev_code_bit(rec->code));
	news->interest.severities |= BIT(rec->severity);
	news->devices |= rdmaev_device_bit(rec->device_name);
	/* A filter may pass these for another reason than this name. */
	if (kind == RDMAEV_KIND_OBSERVER || kind == RDMAEV_KIND_DEVICE)
		news->devices = U64_MAX;
	news->owners |= rdmaev_record_owners(rec);
	return true;
}

/*
 * Read the records after seq @seen once, in the log. stream_armed_lock is held, and
 * dropped in between.
 */
static void news_read(struct stream_news *news, u64 seen)
{
	static struct rdmaev_record loss;
	struct rdmaev_cursor *cur = &news->end;
	u64 newest = rdmaev_log_newest();
	struct rdmaev_run run;
	size_t i, n;

	memset(news, 0, sizeof(*news));
	cur->rings = RDMAEV_RING_MASK;
	rdmaev_log_seek(cur, seen + 1);
	while (cur->seen < newest) {
		n = rdmaev_log_next(cur, AHEAD_MAX, &run, &loss);
		if (!n)
			break;
		for (i = 0; i < n; i++) {
			/* If it is overwritten, a loss follows. */
			if (!data_race(news_add(news, &run.recs[i])))
				news->may_match = true;
		}
		rdmaev_log_pass(cur, &run);
		cond_resched_lock(&stream_armed_lock);
	}
	/* A loss that was found and is newer than that is not told to others. */
	for (i = 0; i < ARRAY_SIZE(cur->gap); i++) {
		if (cur->gap[i].count)
			news->may_match = true;
	}
	/* Who takes the position may follow other rings. */
	memset(cur->next, 0, sizeof(cur->next));
}

/* Can one of the new records match? stream_armed_lock is held. */
static bool news_can_match(const struct stream_news *news,
			   const struct rdmaev_stream *s)
{
	const struct rdmaev_match *match = &s->match;

	return news->may_match ||
	       (stream_is_hit(s, news->interest.codes) &&
		match->interest.severities & news->interest.severities &&
		match->devices & news->devices &&
		rdmaev_cred_owners(&s->cred) & news->owners);
}

/*
 * Move a reader past the records after seq @seen, if it has nothing to read and none
 * of them match. Returns false if it may have. stream_armed_lock is held.
 */
static bool stream_pass(struct rdmaev_stream *s, const struct stream_news *news,
			u64 seen)
{
	unsigned int rings;
	bool has_none;

	if (s->check_again || news_can_match(news, s))
		return false;
	spin_lock(&s->stream_lock);
	has_none = !s->matched && s->cursor.seen >= seen;
	if (has_none && s->cursor.seen < news->end.seen) {
		rings = s->cursor.rings;
		s->cursor = news->end;
		s->cursor.rings = rings;
		stream_restart_ahead(s);
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
		if (stream_is_hit(s, hits)) {
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
 * wake it. A reader with more than AHEAD_MAX records to examine is continued in
 * the next run.
 */
static void stream_wake_fn(struct work_struct *work)
{
	static struct stream_news news;
	bool is_half = xchg(&stream_is_half, false);
	u64 seen = 0, hits[RDMAEV_KINDS];
	bool use_news, is_hit;
	LIST_HEAD(todo);

	if (xchg(&stream_plain_hit, false))
		stream_wake_plain();
	spin_lock(&stream_armed_lock);
	rdmaev_log_take_hits(hits);
	use_news = is_half || stream_armed_count > EACH_MAX;
	if (use_news) {
		/* Nothing is read twice because somebody lags behind. */
		seen = max(stream_renew(hits), news.end.seen);
		news_read(&news, seen);
	}
	list_splice_init(&stream_armed, &todo);
	while (!list_empty(&todo)) {
		struct rdmaev_stream *s = list_first_entry(&todo,
							   struct rdmaev_stream,
							   list);

		is_hit = s->check_again || stream_is_hit(s, hits);
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

static void stream_give_back(int account)
{
	if (account >= 0)
		rdmaev_payer_give_back(account, RDMAEV_SHARE_STREAMS);
}

/**
 * rdmaev_stream_new - create a reader for the current process
 * @cred: credentials of the reader
 *
 * It starts at the end of the log.
 *
 * Return: the stream; ERR_PTR(-EMFILE): who pays for the process has
 * STREAM_SHARE of them; ERR_PTR(-ENOMEM).
 */
struct rdmaev_stream *rdmaev_stream_new(const struct rdmaev_cred *cred)
{
	struct rdmaev_stream *s;
	int account = -1;

	if (cred->payer) {
		account = rdmaev_payer_take(cred->payer, RDMAEV_SHARE_STREAMS,
					    STREAM_SHARE);
		if (account < 0)
			return ERR_PTR(-EMFILE);
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		goto err_account;
	s->batch = kmalloc_array(RDMAEV_BATCH, sizeof(*s->batch),
				 GFP_KERNEL_ACCOUNT);
	if (!s->batch)
		goto err_stream;
	s->account = account;
	s->cred = *cred;
	if (task_active_pid_ns(current) != &init_pid_ns)
		s->pids = get_pid_ns(task_active_pid_ns(current));
	if (current_user_ns() != &init_user_ns)
		s->users = get_user_ns(current_user_ns());
	mutex_init(&s->read_lock);
	spin_lock_init(&s->stream_lock);
	s->watermark = 1;
	s->plain = cred->all && !s->pids && !s->users;
	s->counted = s->plain;
	if (s->counted)
		atomic_inc(&stream_plain);
	s->cursor.rings = rdmaev_match_set(&s->match, NULL, 0);
	rdmaev_log_seek_end(&s->cursor);
	stream_restart_ahead(s);
	init_waitqueue_head(&s->waitq);
	INIT_DELAYED_WORK(&s->delay_work, stream_delay_over);
	INIT_WORK(&s->notify_work, stream_notify_fn);
	return s;

err_stream:
	kfree(s);
err_account:
	stream_give_back(account);
	return ERR_PTR(-ENOMEM);
}

/**
 * rdmaev_stream_free - free a reader
 * @s: stream; no call with it runs, and no task waits on its queues
 */
void rdmaev_stream_free(struct rdmaev_stream *s)
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
	if (s->pids)
		put_pid_ns(s->pids);
	if (s->users)
		put_user_ns(s->users);
	stream_give_back(s->account);
	kfree(s->match.filter);
	kfree(s->batch);
	kfree(s);
}

/**
 * rdmaev_stream_take - check and translate a record for a reader
 * @s: stream
 * @rec: record of the log; its pid and uid are translated to the reader's
 *	namespaces
 *
 * Return: true; false if the reader does not get the record.
 */
bool rdmaev_stream_take(struct rdmaev_stream *s, struct rdmaev_record *rec)
{
	if (!stream_matches(s, rec))
		return false;
	if (unlikely(s->pids || s->users))
		stream_translate(s, rec);
	return true;
}

/* With a constant size the compiler drops the run-time size checks. */
static __always_inline unsigned long
stream_give(char __user *buf, const struct rdmaev_record *recs, size_t n)
{
	if (n == 1)
		return copy_to_user(buf, recs, sizeof(*recs));
	return copy_to_user(buf, recs, n * sizeof(*recs));
}

static u64 stream_lost_in(const struct rdmaev_record *rec)
{
	return unlikely(rec->kind == RDMAEV_KIND_LOST) ? rec->body.lost.count : 0;
}

/*
 * Fill the batch with up to @max records from @cur on, and add the number of
 * lost records to @lost. Returns the number of records. It is less than @max
 * only at the end of the log or after a signal; @more is set in the latter
 * case. A filter may reject many records before the next match.
 */
static size_t stream_fill_batch(struct rdmaev_stream *s,
				struct rdmaev_cursor *cur, size_t max,
				u64 *lost, bool *more)
{
	size_t n = 0;

	for (;;) {
		struct rdmaev_record *rec = &s->batch[n];
		struct rdmaev_record *end;
		size_t room = max - n;

		end = rec + rdmaev_log_read(cur, rec, room);
		*more = rec + room == end;
		for (; rec < end; rec++) {
			if (!rdmaev_stream_take(s, rec))
				continue;
			*lost += stream_lost_in(rec);
			if (rec != &s->batch[n])
				s->batch[n] = *rec;
			n++;
		}
		if (n == max || !*more || signal_pending(current))
			return n;
		cond_resched();
	}
}

/*
 * Copy the next records to a reader that does not get all records. The reader
 * must never see one that it may not get, so they are filtered before the copy.
 * Returns bytes, 0 if there are no records, or -EFAULT.
 */
static ssize_t stream_read_some(struct rdmaev_stream *s, char __user *buf,
				size_t room, bool *more)
{
	struct rdmaev_cursor cur;
	u64 lost = 0;
	size_t n;

	/*
	 * Under read_lock only reading ahead moves it, past rejected records.
	 */
	spin_lock(&s->stream_lock);
	cur = s->cursor;
	spin_unlock(&s->stream_lock);

	n = stream_fill_batch(s, &cur, min_t(size_t, room, RDMAEV_BATCH), &lost,
			      more);
	if (stream_give(buf, s->batch, n))
		return -EFAULT;

	spin_lock(&s->stream_lock);
	s->cursor = cur;
	s->lost += lost;
	stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	return n * sizeof(*s->batch);
}

/* Shorter runs are copied through the batch, if more records follow */
#define RUN_MIN		4

/*
 * Copy the next records to a reader of all records, directly from the log. If a
 * record is overwritten during the copy, the buffer has bytes of another
 * record, which this reader may also see; the copy is repeated.
 *
 * read_lock is held, so no other task moves the cursor, and reading ahead
 * rejects no record of this reader.
 */
static ssize_t stream_read_plain(struct rdmaev_stream *s, char __user *buf,
				 size_t room, bool *more)
{
	struct rdmaev_record *loss = s->batch;
	struct rdmaev_run run __uninitialized;
	size_t n;
	bool ok;

	do {
		spin_lock(&s->stream_lock);
		n = rdmaev_log_next(&s->cursor, min_t(size_t, room, RDMAEV_BATCH),
				    &run, loss);
		spin_unlock(&s->stream_lock);
		if (!n) {
			*more = false;
			return 0;
		}
		*more = run.last < rdmaev_log_newest();
		if (n < room && n < RUN_MIN && *more)
			return stream_read_some(s, buf, room, more);
		/* May race with a writer; rdmaev_log_pass() then voids it. */
		if (data_race(stream_give(buf, run.recs, n)))
			return -EFAULT;

		spin_lock(&s->stream_lock);
		ok = rdmaev_log_pass(&s->cursor, &run);
		if (ok && run.recs == loss)
			s->lost += stream_lost_in(loss);
		stream_restart_ahead(s);
		spin_unlock(&s->stream_lock);
	} while (!ok);
	return n * sizeof(*loss);
}

/**
 * rdmaev_stream_read - copy records to the reader
 * @s: stream
 * @buf: buffer of the reader
 * @len: its size in bytes, at least a record
 *
 * Does not wait for records. The position advances only past records that were
 * copied or that the filter rejects.
 *
 * Return: bytes; 0 if there are no records; -EFAULT; -ERESTARTSYS.
 */
ssize_t rdmaev_stream_read(struct rdmaev_stream *s, char __user *buf,
			   size_t len)
{
	size_t room = len / sizeof(struct rdmaev_record);
	bool more = false;
	ssize_t done = 0;

	if (READ_ONCE(s->plain) && !stream_has_next(s))
		return 0;
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	do {
		ssize_t n = s->plain ?
			stream_read_plain(s, buf + done, room, &more) :
			stream_read_some(s, buf + done, room, &more);

		if (n < 0) {
			done = done ?: n;
			break;
		}
		done += n;
		room -= n / sizeof(struct rdmaev_record);
	} while (more && room && !signal_pending(current));
	mutex_unlock(&s->read_lock);
	/* Here, in the reader's own time, and not in notify_work */
	if (!s->cred.all && READ_ONCE(s->armed))
		rdmaev_stream_ready(s);
	/* The restarted call continues from there. */
	if (!done && more)
		return -ERESTARTSYS;
	return done;
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

/*
 * Wake other tasks that wait with this file: their condition has changed. They see
 * for themselves whether there is something to read.
 */
static void stream_wake_others(struct rdmaev_stream *s)
{
	if (s->counted)
		stream_wake_plain();
	spin_lock(&stream_armed_lock);
	if (s->armed)
		stream_wake(s);
	spin_unlock(&stream_armed_lock);
}

/**
 * rdmaev_stream_position - return the position of a reader
 * @s: stream
 *
 * For a reader that may not see all records, that is the next one that it gets. How
 * far reading ahead has come depends on records that it may not see.
 *
 * Return: seq of the next record.
 */
u64 rdmaev_stream_position(struct rdmaev_stream *s)
{
	unsigned long rounds = RDMAEV_RINGS * rdmaev_log_records() / AHEAD_MAX + 1;
	u64 position;
	bool more;

	do {
		spin_lock(&s->stream_lock);
		more = !s->cred.all && !s->matched &&
		       stream_read_ahead(s, AHEAD_MAX, 0);
		position = !s->cred.all && s->matched ? s->first_seq :
							s->cursor.seen + 1;
		spin_unlock(&s->stream_lock);
		cond_resched();
	} while (more && rounds--);
	/* Another task seeks back all the time, or many records are appended. */
	return more ? rdmaev_log_newest() + 1 : position;
}

static int stream_seek_to(struct rdmaev_cursor *cur, loff_t offset, int whence,
			  u64 position)
{
	u64 newest = rdmaev_log_newest();

	switch (whence) {
	case SEEK_SET:
		if (!offset) {
			rdmaev_log_seek_oldest(cur);
			return 0;
		}
		break;
	case SEEK_CUR:
		if (check_add_overflow(offset, (loff_t)position, &offset))
			return -ENXIO;
		break;
	case SEEK_END:
		if (!offset) {
			rdmaev_log_seek_end(cur);
			return 0;
		}
		if (offset > 0)
			return -ENXIO;
		offset = max_t(loff_t, offset + (loff_t)newest + 1, 1);
		break;
	default:
		return -EINVAL;
	}
	return offset > 0 ? rdmaev_log_seek(cur, offset) : -EINVAL;
}

/**
 * rdmaev_stream_seek - change the position of a reader
 * @s: stream
 * @offset: as for lseek() in the ABI header
 * @whence: SEEK_SET, SEEK_CUR or SEEK_END
 *
 * Return: seq of the next record, -EINVAL, -ENXIO or -ERESTARTSYS.
 */
loff_t rdmaev_stream_seek(struct rdmaev_stream *s, loff_t offset, int whence)
{
	struct rdmaev_cursor cur;
	u64 position = 0;
	loff_t ret;

	/* A query must not discard losses to report. */
	if (whence == SEEK_CUR && !offset)
		return rdmaev_stream_position(s);
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	if (whence == SEEK_CUR)
		position = rdmaev_stream_position(s);
	spin_lock(&s->stream_lock);
	cur = s->cursor;
	ret = stream_seek_to(&cur, offset, whence, position);
	if (!ret) {
		s->cursor = cur;
		stream_restart_ahead(s);
		ret = cur.seen + 1;
	}
	spin_unlock(&s->stream_lock);
	mutex_unlock(&s->read_lock);
	/* Other tasks may wait with the same file. */
	if (ret >= 0)
		stream_wake_others(s);
	return ret;
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
				 stream_pid_of_record(s, filter->pid));
	WRITE_ONCE(s->plain, false);
	rdmaev_log_follow(&s->cursor, rings);
	stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	spin_unlock(&stream_armed_lock);
	mutex_unlock(&s->read_lock);
	kfree(old);
	stream_wake_others(s);
	return 0;
}

/**
 * rdmaev_stream_set_wakeup - set when the reader is woken
 * @s: stream
 * @watermark: as in &struct rdmaev_wakeup
 * @delay_us: as in &struct rdmaev_wakeup
 *
 * Return: 0 or -EINVAL.
 */
int rdmaev_stream_set_wakeup(struct rdmaev_stream *s, u32 watermark,
			     u32 delay_us)
{
	if (!watermark || watermark > rdmaev_log_records() ||
	    delay_us > RDMAEV_DELAY_MAX_US)
		return -EINVAL;
	spin_lock(&s->stream_lock);
	WRITE_ONCE(s->watermark, watermark);
	s->delay_ns = (u64)delay_us * NSEC_PER_USEC;
	stream_restart_ahead(s);
	spin_unlock(&s->stream_lock);
	stream_wake_others(s);
	return 0;
}
