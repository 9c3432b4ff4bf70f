// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One reader of the log.
 *
 * A reader that waits is armed: it is on a list, and the lanes that it follows
 * are wanted. An append to a wanted lane makes rdmaev_stream_wake_all() run,
 * which looks at what is new for each armed reader, wakes and disarms those
 * that have something to read, and leaves the others alone. So appends cost
 * the same whatever the number of readers, and nobody is woken for nothing.
 *
 * No wake-up is missed: a reader arms itself first and looks at the log then.
 * What is appended before it is armed it sees itself; what is appended after
 * finds the lane wanted. Both sides take the log's lock in between.
 *
 * Order of locks: read_lock, armed_lock, stream lock, the log's lock.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "stream.h"

/* Records that are looked at in one go with interrupts off. */
#define LOOK_MAX	64

/*
 * Protects the list, rdmaev_stream.armed, and that the wanted lanes are those
 * of the list. Taken in hard interrupt.
 */
static DEFINE_SPINLOCK(armed_lock);
static LIST_HEAD(armed_streams);

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

static bool is_wanted(const struct rdmaev_filter *f,
		      const struct rdmaev_record *rec)
{
	return (!f->kinds || f->kinds & BIT(rec->kind)) &&
	       (!f->classes || f->classes & BIT(rec->event_class)) &&
	       is_code_in(f->codes[rec->kind], rec->code) &&
	       (f->object_type == RDMAEV_ANY ||
		f->object_type == rec->object_type) &&
	       (f->object == RDMAEV_ANY || f->object == rec->object) &&
	       (f->pid == RDMAEV_ANY || f->pid == rec->pid) &&
	       is_target_in(f, rec);
}

/*
 * Affiliated events belong to the owner of the object. No source names an
 * owner other than the kernel so far, so they are the administrator's.
 */
static bool is_allowed(const struct rdmaev_stream *s,
		       const struct rdmaev_record *rec)
{
	if (!s->may_all && rec->object_type >= RDMAEV_OBJECT_QP)
		return false;
	return rdmaev_device_visible(rec->generation, &s->viewer);
}

static bool is_match(const struct rdmaev_stream *s,
		     const struct rdmaev_record *rec)
{
	if (rec->kind == RDMAEV_KIND_LOST)
		return true;
	return (!s->filtered || is_wanted(&s->filter, rec)) &&
	       is_allowed(s, rec);
}

/* Lanes in which a record can be that the filter lets pass. */
static unsigned int filter_lanes(const struct rdmaev_filter *f)
{
	const u32 wc = BIT(RDMAEV_KIND_WC) | BIT(RDMAEV_KIND_COMPLETION);
	unsigned int lanes = RDMAEV_LANE_MASK;

	if (!f->kinds)
		return lanes;
	if (!(f->kinds & ~BIT(RDMAEV_KIND_DEVICE)))
		return BIT(RDMAEV_LANE_PORT);
	if (!(f->kinds & ~wc))
		lanes &= ~BIT(RDMAEV_LANE_PORT);
	return lanes;
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
	mod_delayed_work(system_wq, &s->delay_work,
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
	unsigned long flags;
	bool more, due;

	do {
		spin_lock_irqsave(&s->lock, flags);
		more = look_ahead(s, LOOK_MAX);
		due = !more && is_due(s);
		spin_unlock_irqrestore(&s->lock, flags);
	} while (more);
	return due;
}

/**
 * rdmaev_stream_arm - have the stream woken when there is something new
 * @s: stream
 *
 * Holds for one wake-up. To be called when on waitq, and before looking whether
 * to wait.
 */
void rdmaev_stream_arm(struct rdmaev_stream *s)
{
	unsigned long flags;

	/*
	 * Whoever disarms it wakes the waitq afterwards. The lock of the waitq,
	 * taken on both sides, makes that wake-up find us.
	 */
	if (READ_ONCE(s->armed))
		return;
	spin_lock_irqsave(&armed_lock, flags);
	if (!s->armed) {
		WRITE_ONCE(s->armed, true);
		list_add_tail(&s->list, &armed_streams);
		rdmaev_log_want(s->lanes);
	}
	spin_unlock_irqrestore(&armed_lock, flags);
}

/* armed_lock is held. */
static void wake(struct rdmaev_stream *s)
{
	WRITE_ONCE(s->armed, false);
	list_del(&s->list);
	wake_up_interruptible_poll(&s->waitq, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&s->fasync, SIGIO, POLL_IN);
}

/**
 * rdmaev_stream_wake_all - wake all readers that have something to read
 *
 * A reader with more to look at than is good to do here is woken to look for
 * itself. One that waits again with records unread (edge-triggered epoll) is
 * woken by whatever is new.
 *
 * Context: any that may take a spinlock with interrupts off.
 */
void rdmaev_stream_wake_all(void)
{
	struct rdmaev_stream *s, *next;
	unsigned int lanes = 0;
	unsigned long flags;

	spin_lock_irqsave(&armed_lock, flags);
	list_for_each_entry_safe(s, next, &armed_streams, list) {
		bool ready;

		spin_lock(&s->lock);
		ready = look_ahead(s, LOOK_MAX) || is_due(s);
		spin_unlock(&s->lock);
		if (ready)
			wake(s);
		else
			lanes |= s->lanes;
	}
	rdmaev_log_set_wanted(lanes);
	spin_unlock_irqrestore(&armed_lock, flags);
}

/* What the reader waits for has changed: let those that wait look again. */
static void kick(struct rdmaev_stream *s)
{
	wake_up_interruptible_poll(&s->waitq, EPOLLIN | EPOLLRDNORM);
}

static void delay_over(struct work_struct *work)
{
	struct rdmaev_stream *s = container_of(to_delayed_work(work),
					       struct rdmaev_stream,
					       delay_work);
	unsigned long flags;

	if (!rdmaev_stream_ready(s))
		return;
	spin_lock_irqsave(&armed_lock, flags);
	if (s->armed)
		wake(s);
	spin_unlock_irqrestore(&armed_lock, flags);
}

/**
 * rdmaev_stream_new - make a reader that starts at now
 * @net: its network namespace
 * @admin: it may see all that its namespace has, and all namespaces if it is
 *	in the first one
 *
 * Return: the stream or ERR_PTR(-ENOMEM).
 */
struct rdmaev_stream *rdmaev_stream_new(const struct net *net, bool admin)
{
	struct rdmaev_stream *s;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->batch = kmalloc_array(RDMAEV_BATCH, sizeof(*s->batch), GFP_KERNEL);
	if (!s->batch) {
		kfree(s);
		return ERR_PTR(-ENOMEM);
	}
	s->viewer.net = rdmaev_net_id(net);
	s->viewer.all = admin && net_eq(net, &init_net);
	s->may_all = admin;
	mutex_init(&s->read_lock);
	spin_lock_init(&s->lock);
	s->watermark = 1;
	s->lanes = RDMAEV_LANE_MASK;
	s->cursor.lanes = RDMAEV_LANE_MASK;
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
	unsigned long flags;

	spin_lock_irqsave(&armed_lock, flags);
	if (s->armed)
		list_del(&s->list);
	s->armed = false;
	spin_unlock_irqrestore(&armed_lock, flags);
	/* Off the list nothing starts it any more. */
	cancel_delayed_work_sync(&s->delay_work);
	kfree(s->batch);
	kfree(s);
}

/*
 * Fill the batch with up to @max records from @cur on. Returns how many, fewer
 * than @max only if there are no more, and adds what is lost to @lost.
 */
static size_t fill_batch(struct rdmaev_stream *s, struct rdmaev_cursor *cur,
			 size_t max, u64 *lost)
{
	size_t n = 0;

	do {
		struct rdmaev_record *rec = &s->batch[n];
		struct rdmaev_record *end;

		end = rec + rdmaev_log_read(cur, rec, max - n);
		if (rec == end)
			break;
		for (; rec < end; rec++) {
			if (!is_match(s, rec))
				continue;
			if (unlikely(rec->kind == RDMAEV_KIND_LOST))
				*lost += rec->body.lost.count;
			if (rec != &s->batch[n])
				s->batch[n] = *rec;
			n++;
		}
	} while (n < max);
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
		spin_lock_irq(&s->lock);
		cur = s->cursor;
		spin_unlock_irq(&s->lock);

		max = min_t(size_t, room, RDMAEV_BATCH);
		n = fill_batch(s, &cur, max, &lost);
		if (n && copy_to_user(buf + done, s->batch,
				      n * sizeof(*s->batch))) {
			done = done ?: -EFAULT;
			break;
		}

		spin_lock_irq(&s->lock);
		s->cursor = cur;
		s->lost += lost;
		look_anew(s);
		spin_unlock_irq(&s->lock);

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
 * Return: 0 or -ERESTARTSYS.
 */
int rdmaev_stream_wait(struct rdmaev_stream *s)
{
	return wait_event_interruptible(s->waitq, ({
		rdmaev_stream_arm(s);
		rdmaev_stream_ready(s);
	}));
}

static int seek_to(struct rdmaev_cursor *cur, loff_t offset, int whence)
{
	u64 newest = rdmaev_log_newest();

	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		if (offset < 0 && -(u64)offset > cur->seen)
			return -EINVAL;
		if (check_add_overflow(offset, (loff_t)cur->seen + 1, &offset))
			return -EINVAL;
		break;
	case SEEK_END:
		if (!offset) {
			rdmaev_log_seek_end(cur);
			return 0;
		}
		if (offset > 0)
			return -ENXIO;
		if (-(u64)offset > newest)
			return -EINVAL;
		offset += newest + 1;
		break;
	default:
		return -EINVAL;
	}
	if (offset < 0)
		return -EINVAL;
	if (offset)
		return rdmaev_log_seek(cur, offset);
	rdmaev_log_seek_oldest(cur);
	return 0;
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
	spin_lock_irq(&s->lock);
	cur = s->cursor;
	ret = seek_to(&cur, offset, whence);
	if (!ret) {
		s->cursor = cur;
		look_anew(s);
		ret = cur.seen + 1;
	}
	spin_unlock_irq(&s->lock);
	mutex_unlock(&s->read_lock);
	kick(s);
	return ret;
}

static bool is_valid_filter(const struct rdmaev_filter *f)
{
	const u32 kinds = GENMASK(RDMAEV_KIND_LOST, RDMAEV_KIND_DEVICE);
	const u32 classes = GENMASK(RDMAEV_CLASS_ERROR, RDMAEV_CLASS_INFO);
	unsigned int i;

	if (f->flags || f->kinds & ~kinds || f->classes & ~classes ||
	    f->targets > RDMAEV_TARGETS)
		return false;
	if (f->object_type != RDMAEV_ANY && f->object_type > RDMAEV_OBJECT_WQ)
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
	unsigned int lanes;

	if (!is_valid_filter(filter))
		return -EINVAL;
	lanes = filter_lanes(filter);

	if (mutex_lock_interruptible(&s->read_lock))
		return -ERESTARTSYS;
	spin_lock_irq(&s->lock);
	s->filter = *filter;
	s->filtered = true;
	if (lanes != s->cursor.lanes) {
		s->cursor.lanes = lanes;
		/* Find the place in lanes that were not followed so far. */
		rdmaev_log_seek(&s->cursor, s->cursor.seen + 1);
	}
	look_anew(s);
	spin_unlock_irq(&s->lock);

	spin_lock_irq(&armed_lock);
	s->lanes = lanes;
	if (s->armed)
		rdmaev_log_want(lanes);
	spin_unlock_irq(&armed_lock);
	mutex_unlock(&s->read_lock);
	kick(s);
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
	spin_lock_irq(&s->lock);
	s->watermark = watermark;
	s->delay_ns = (u64)delay_us * NSEC_PER_USEC;
	look_anew(s);
	spin_unlock_irq(&s->lock);
	kick(s);
	return 0;
}
