// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One reader of the log.
 *
 * A reader that waits is armed: it is on a list, and the rings that it follows
 * are wanted. An append to a wanted ring makes wake_fn() run, in a thread,
 * which looks at what is new for each armed reader, wakes and disarms those
 * that have something to read, and leaves the others alone. So appends cost
 * the same whatever the number of readers, and a reader for which nothing
 * matches sleeps on.
 *
 * No wake-up is missed: a reader arms itself first and looks at the log then.
 * What is appended before it is armed it sees itself; what is appended after
 * finds the ring wanted. Both sides take the log's lock in between. The first
 * such append unwants all rings, until wake_fn() has looked for everybody; if
 * there was another one meanwhile it looks again.
 *
 * Order of locks: read_lock, armed_lock, stream lock, the log's lock.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "stream.h"

/* Records that are looked at in one go with a lock held. */
#define LOOK_MAX	64

/*
 * Protects the list, rdmaev_stream.armed and .rings. The rings of all that are
 * armed are wanted, or wake_fn() is going to look at them.
 */
static DEFINE_SPINLOCK(armed_lock);
static LIST_HEAD(armed_streams);

static struct workqueue_struct *wake_wq;

static bool is_code_in(u64 codes, unsigned int code)
{
	return !codes || codes & BIT_ULL(min(code, 63U));
}

static bool is_target_in(const struct rdmaev_filter *f,
			 const struct rdmaev_record *rec)
{
	unsigned int i;

	if (!f->targets)
		return true;
	for (i = 0; i < f->targets; i++) {
		const struct rdmaev_target *t = &f->target[i];

		if (t->device == rec->device && rec->generation &&
		    (!t->port || !rec->port || t->port == rec->port))
			return true;
	}
	return false;
}

/* Pid of a record, as a reader in another namespace has it; 0 if it has none. */
static u32 pid_of_reader(const struct rdmaev_stream *s, u32 pid)
{
	u32 nr;

	rcu_read_lock();
	nr = pid_nr_ns(find_pid_ns(pid, &init_pid_ns), s->pids);
	rcu_read_unlock();
	return nr;
}

/* Pid of the reader, as records have it; one that no record has if unknown. */
static u32 pid_of_record(const struct rdmaev_stream *s, u32 pid)
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

/* Numbers of process and user, as the reader has them. */
static void translate(const struct rdmaev_stream *s, struct rdmaev_record *rec)
{
	if (s->pids && rec->pid)
		rec->pid = pid_of_reader(s, rec->pid);
	if (s->users && rec->kind == RDMAEV_KIND_ASYNC &&
	    rec->body.async.known & RDMAEV_KNOWN_UID)
		rec->body.async.uid =
			from_kuid_munged(s->users,
					 KUIDT_INIT(rec->body.async.uid));
}

static bool is_wanted(const struct rdmaev_filter *f, u32 owner,
		      const struct rdmaev_record *rec)
{
	return (!f->kinds || f->kinds & BIT(rec->kind)) &&
	       (!f->severities || f->severities & BIT(rec->severity)) &&
	       is_code_in(f->codes[rec->kind], rec->code) &&
	       (!f->object_types || f->object_types & BIT(rec->object_type)) &&
	       (!(f->flags & RDMAEV_FILTER_OBJECT) ||
		f->object == rec->object) &&
	       (!(f->flags & RDMAEV_FILTER_PID) || owner == rec->pid) &&
	       is_target_in(f, rec);
}

static bool is_match(const struct rdmaev_stream *s,
		     const struct rdmaev_record *rec)
{
	if (rec->kind == RDMAEV_KIND_LOST)
		return true;
	if (s->filtered && !is_wanted(&s->filter, s->owner, rec))
		return false;
	return s->cred.all || rdmaev_record_visible(rec, &s->cred);
}

/* Rings in which a record can be that the filter lets pass. */
static unsigned int filter_rings(const struct rdmaev_filter *f)
{
	const u32 wc = BIT(RDMAEV_KIND_WC) | BIT(RDMAEV_KIND_COMPLETION);
	unsigned int rings = RDMAEV_RING_MASK;

	if (!f->kinds)
		return rings;
	if (!(f->kinds & ~BIT(RDMAEV_KIND_DEVICE)))
		return BIT(RDMAEV_RING_PORT);
	if (!(f->kinds & ~wc))
		rings &= ~BIT(RDMAEV_RING_PORT);
	return rings;
}

/*
 * Look at up to @max records that have not been looked at. Called with the
 * stream's lock held. Returns false when all were.
 */
static bool look_ahead(struct rdmaev_stream *s, unsigned int max)
{
	struct rdmaev_record rec;

	while (s->matched < s->watermark) {
		if (!max--)
			return true;
		if (!rdmaev_log_read(&s->ahead, &rec, 1))
			break;
		if (is_match(s, &rec) && !s->matched++)
			s->first_ns = rec.boottime_ns;
		/* Nothing that the reader gets so far: it need not come by. */
		if (!s->matched)
			s->cursor = s->ahead;
	}
	return false;
}

/* Forget what was looked at: the place or the filter has changed. */
static void look_anew(struct rdmaev_stream *s)
{
	s->ahead = s->cursor;
	s->matched = 0;
}

/*
 * Called with the stream's lock held, when all was looked at. Where the delay
 * is not over yet, see to it that somebody comes back then.
 */
static bool is_due(struct rdmaev_stream *s)
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
	mod_delayed_work(wake_wq, &s->delay_work,
			 nsecs_to_jiffies(due - now) + 1);
	return false;
}

/**
 * rdmaev_stream_ready - is there something to read
 * @s: stream
 *
 * Return: true if so, in the terms of rdmaev_stream_set_wakeup().
 */
bool rdmaev_stream_ready(struct rdmaev_stream *s)
{
	bool more, due;

	for (;;) {
		spin_lock(&s->lock);
		more = look_ahead(s, LOOK_MAX);
		due = !more && is_due(s);
		spin_unlock(&s->lock);
		if (!more)
			return due;
		cond_resched();
	}
}

/**
 * rdmaev_stream_arm - have the stream woken when there is something new
 * @s: stream
 *
 * Holds for one wake-up. To be called before looking whether to wait.
 */
void rdmaev_stream_arm(struct rdmaev_stream *s)
{
	spin_lock(&armed_lock);
	if (!s->armed) {
		s->armed = true;
		list_add_tail(&s->list, &armed_streams);
		rdmaev_log_want(s->rings);
	}
	spin_unlock(&armed_lock);
}

/* armed_lock is held. */
static void wake(struct rdmaev_stream *s)
{
	s->armed = false;
	list_del(&s->list);
	wake_up_interruptible_poll(&s->waitq, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&s->fasync, SIGIO, POLL_IN);
}

static void wake_fn(struct work_struct *work);
static DECLARE_WORK(wake_work, wake_fn);

/*
 * Wake those that have something to read; and one that waits again with records
 * unread (edge-triggered epoll), as it may be told of what is new. One with
 * more to look at than is good to do with a lock held has its turn again.
 */
static void wake_fn(struct work_struct *work)
{
	u64 newest = rdmaev_log_newest();
	unsigned int rings = 0;
	LIST_HEAD(todo);

	spin_lock(&armed_lock);
	list_splice_init(&armed_streams, &todo);
	while (!list_empty(&todo)) {
		struct rdmaev_stream *s = list_first_entry(&todo,
							   struct rdmaev_stream,
							   list);
		bool more, ready;

		spin_lock(&s->lock);
		more = look_ahead(s, LOOK_MAX);
		ready = !more && is_due(s);
		spin_unlock(&s->lock);
		if (ready) {
			wake(s);
		} else {
			list_move_tail(&s->list, &armed_streams);
			rings |= s->rings;
		}
		if (more)
			queue_work(wake_wq, &wake_work);
		/* Others may come or go; those on the way are on a list, too. */
		cond_resched_lock(&armed_lock);
	}
	/* What came since may be for one that has had its turn already. */
	if (rings && rdmaev_log_want(rings) != newest)
		queue_work(wake_wq, &wake_work);
	spin_unlock(&armed_lock);
}

/**
 * rdmaev_stream_wake_soon - have readers woken that have something to read
 *
 * Context: any but NMI.
 */
void rdmaev_stream_wake_soon(void)
{
	queue_work(wake_wq, &wake_work);
}

/* What this reader waits for has changed, or it has waited long enough. */
static void wake_if_ready(struct rdmaev_stream *s)
{
	if (!rdmaev_stream_ready(s))
		return;
	spin_lock(&armed_lock);
	if (s->armed)
		wake(s);
	spin_unlock(&armed_lock);
}

static void delay_over(struct work_struct *work)
{
	wake_if_ready(container_of(to_delayed_work(work), struct rdmaev_stream,
				   delay_work));
}

/** rdmaev_stream_init - to be called before the first append */
int rdmaev_stream_init(void)
{
	wake_wq = alloc_workqueue("rdmaev_wake", WQ_UNBOUND, 0);
	return wake_wq ? 0 : -ENOMEM;
}

/** rdmaev_stream_exit - to be called when nothing is appended any more */
void rdmaev_stream_exit(void)
{
	destroy_workqueue(wake_wq);
}

/**
 * rdmaev_stream_new - make a reader that starts at now, for this process
 * @cred: who reads
 *
 * Return: the stream or ERR_PTR(-ENOMEM).
 */
struct rdmaev_stream *rdmaev_stream_new(const struct rdmaev_cred *cred)
{
	struct rdmaev_stream *s;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->batch = kmalloc_array(RDMAEV_BATCH, sizeof(*s->batch),
				 GFP_KERNEL_ACCOUNT);
	if (!s->batch) {
		kfree(s);
		return ERR_PTR(-ENOMEM);
	}
	s->cred = *cred;
	if (task_active_pid_ns(current) != &init_pid_ns)
		s->pids = get_pid_ns(task_active_pid_ns(current));
	if (current_user_ns() != &init_user_ns)
		s->users = get_user_ns(current_user_ns());
	mutex_init(&s->read_lock);
	spin_lock_init(&s->lock);
	s->watermark = 1;
	s->rings = RDMAEV_RING_MASK;
	s->cursor.rings = RDMAEV_RING_MASK;
	rdmaev_log_seek_end(&s->cursor);
	look_anew(s);
	init_waitqueue_head(&s->waitq);
	INIT_DELAYED_WORK(&s->delay_work, delay_over);
	return s;
}

/**
 * rdmaev_stream_free - free a reader
 * @s: stream, with nobody in a call with it or waiting
 */
void rdmaev_stream_free(struct rdmaev_stream *s)
{
	spin_lock(&armed_lock);
	if (s->armed)
		list_del(&s->list);
	s->armed = false;
	spin_unlock(&armed_lock);
	/* Off the list nothing starts it any more. */
	cancel_delayed_work_sync(&s->delay_work);
	if (s->pids)
		put_pid_ns(s->pids);
	if (s->users)
		put_user_ns(s->users);
	kfree(s->batch);
	kfree(s);
}

/**
 * rdmaev_stream_take - make a record that of the reader
 * @s: stream
 * @rec: record of the log; its pid and user become those of the reader
 *
 * Return: true; false if the reader does not get it.
 */
bool rdmaev_stream_take(struct rdmaev_stream *s, struct rdmaev_record *rec)
{
	if (!is_match(s, rec))
		return false;
	rdmaev_record_hide_owner(rec);
	if (unlikely(s->pids || s->users))
		translate(s, rec);
	return true;
}

/*
 * Fill the batch with up to @max records from @cur on. Returns how many, fewer
 * than @max only if there are no more, and adds what is lost to @lost.
 */
static size_t fill_batch(struct rdmaev_stream *s, struct rdmaev_cursor *cur,
			 size_t max, u64 *lost)
{
	size_t n = 0;

	/* With a filter it may be a long way to the next. */
	do {
		struct rdmaev_record *rec = &s->batch[n];
		struct rdmaev_record *end;

		end = rec + rdmaev_log_read(cur, rec, max - n);
		if (rec == end)
			break;
		for (; rec < end; rec++) {
			if (!rdmaev_stream_take(s, rec))
				continue;
			if (unlikely(rec->kind == RDMAEV_KIND_LOST))
				*lost += rec->body.lost.count;
			if (rec != &s->batch[n])
				s->batch[n] = *rec;
			n++;
		}
		cond_resched();
	} while (n < max && !fatal_signal_pending(current));
	return n;
}

/**
 * rdmaev_stream_read - give records to the reader
 * @s: stream
 * @buf: where to
 * @len: room there
 *
 * Does not wait for records. The position moves only past what has arrived.
 *
 * Return: bytes, 0 if there is nothing, -EFAULT, -EINVAL if no record fits,
 * -ERESTARTSYS.
 */
ssize_t rdmaev_stream_read(struct rdmaev_stream *s, char __user *buf,
			   size_t len)
{
	size_t room = len / sizeof(struct rdmaev_record);
	struct rdmaev_cursor cur;
	ssize_t done = 0;
	size_t n, max;

	if (!room)
		return -EINVAL;
	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	do {
		u64 lost = 0;

		/* Only looking ahead moves it meanwhile, past nothing of ours. */
		spin_lock(&s->lock);
		cur = s->cursor;
		spin_unlock(&s->lock);

		max = min_t(size_t, room, RDMAEV_BATCH);
		n = fill_batch(s, &cur, max, &lost);
		if (n && copy_to_user(buf + done, s->batch,
				      n * sizeof(*s->batch))) {
			done = done ?: -EFAULT;
			break;
		}

		spin_lock(&s->lock);
		s->cursor = cur;
		s->lost += lost;
		look_anew(s);
		spin_unlock(&s->lock);

		done += n * sizeof(*s->batch);
		room -= n;
	} while (n == max && room && !signal_pending(current));
	mutex_unlock(&s->read_lock);
	return done;
}

/**
 * rdmaev_stream_wait - wait until there is something to read
 * @s: stream
 *
 * Return: 0, also when it is hung up, or -ERESTARTSYS.
 */
int rdmaev_stream_wait(struct rdmaev_stream *s)
{
	return wait_event_interruptible(s->waitq, READ_ONCE(s->hung_up) || ({
		rdmaev_stream_arm(s);
		rdmaev_stream_ready(s);
	}));
}

static int seek_to(struct rdmaev_cursor *cur, loff_t offset, int whence)
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
		/* Telling the place must not touch what is yet to be told. */
		if (!offset)
			return 0;
		if (check_add_overflow(offset, (loff_t)cur->seen + 1, &offset))
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
 * rdmaev_stream_seek - go to another place
 * @s: stream
 * @offset: as lseek() in the ABI header
 * @whence: SEEK_SET, SEEK_CUR or SEEK_END
 *
 * Return: seq of the next record, -EINVAL, -ENXIO or -ERESTARTSYS.
 */
loff_t rdmaev_stream_seek(struct rdmaev_stream *s, loff_t offset, int whence)
{
	struct rdmaev_cursor cur;
	loff_t ret;

	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	spin_lock(&s->lock);
	cur = s->cursor;
	ret = seek_to(&cur, offset, whence);
	if (!ret) {
		s->cursor = cur;
		look_anew(s);
		ret = cur.seen + 1;
	}
	spin_unlock(&s->lock);
	mutex_unlock(&s->read_lock);
	/* Others may wait with the same file. */
	wake_if_ready(s);
	return ret;
}

static bool is_valid_filter(const struct rdmaev_filter *f)
{
	const u32 kinds = GENMASK(RDMAEV_KIND_LOST, RDMAEV_KIND_DEVICE);
	const u32 severities = GENMASK(RDMAEV_SEVERITY_ERROR, RDMAEV_SEVERITY_INFO);
	const u32 types = GENMASK(RDMAEV_OBJECT_WQ, RDMAEV_OBJECT_NONE);
	unsigned int i;

	if (f->flags & ~(RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID) ||
	    f->kinds & ~kinds || f->severities & ~severities ||
	    f->object_types & ~types || f->targets > RDMAEV_TARGETS)
		return false;
	if ((f->object && !(f->flags & RDMAEV_FILTER_OBJECT)) ||
	    (f->pid && !(f->flags & RDMAEV_FILTER_PID)))
		return false;
	for (i = 0; i < RDMAEV_KINDS; i++) {
		if (f->codes[i] && !(kinds & BIT(i)))
			return false;
	}
	for (i = f->targets; i < RDMAEV_TARGETS; i++) {
		if (f->target[i].device || f->target[i].port)
			return false;
	}
	return true;
}

/**
 * rdmaev_stream_set_filter - change what the reader wants
 * @s: stream
 * @filter: filter, checked here
 *
 * Return: 0, -EINVAL or -ERESTARTSYS.
 */
int rdmaev_stream_set_filter(struct rdmaev_stream *s,
			     const struct rdmaev_filter *filter)
{
	unsigned int rings;

	if (!is_valid_filter(filter))
		return -EINVAL;
	rings = filter_rings(filter);

	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	/* Wanted before it is looked for: nothing falls in between. */
	spin_lock(&armed_lock);
	s->rings = rings;
	if (s->armed)
		rdmaev_log_want(rings);
	spin_unlock(&armed_lock);

	spin_lock(&s->lock);
	s->filter = *filter;
	s->owner = pid_of_record(s, filter->pid);
	s->filtered = true;
	rdmaev_log_follow(&s->cursor, rings);
	look_anew(s);
	spin_unlock(&s->lock);
	mutex_unlock(&s->read_lock);
	wake_if_ready(s);
	return 0;
}

/**
 * rdmaev_stream_set_wakeup - change when the reader is woken
 * @s: stream
 * @watermark: as in &struct rdmaev_wakeup
 * @delay_us: as there
 *
 * Return: 0 or -EINVAL.
 */
int rdmaev_stream_set_wakeup(struct rdmaev_stream *s, u32 watermark,
			     u32 delay_us)
{
	if (!watermark || watermark > rdmaev_log_records() ||
	    delay_us > RDMAEV_DELAY_MAX_US)
		return -EINVAL;
	spin_lock(&s->lock);
	s->watermark = watermark;
	s->delay_ns = (u64)delay_us * NSEC_PER_USEC;
	look_anew(s);
	spin_unlock(&s->lock);
	wake_if_ready(s);
	return 0;
}
