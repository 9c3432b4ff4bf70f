// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The log of rdmaev alone, without devices and files: a copy of its code in a
 * module of its own, under load from all CPUs. It runs when it is loaded;
 * loading fails with EIO if the log broke a promise, and the kernel log says
 * which one. It cannot be loaded beside rdmaev: both have the same tracepoint.
 *
 *	insmod rdmaev_logtest.ko [records=N] [writers=N] [readers=N]
 *		[events=N] [filter=1]
 *	insmod rdmaev_logtest.ko bench=N
 *		prints "append ns=" for N appends, and "held ns=": for how long
 *		of it the log's lock was held
 */
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeper_internal.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

/* How often the log's lock was taken; protected by that lock */
static u64 locked;

/*
 * For the measurement one CPU runs nothing else: total time with interrupts off
 * for the lock.
 */
static DEFINE_STATIC_KEY_FALSE(measured);
static cycles_t held, held_since;

static unsigned long lock_log(raw_spinlock_t *lock) __acquires(lock)
{
	unsigned long flags;

	if (static_branch_unlikely(&measured))
		held_since = get_cycles();
	raw_spin_lock_irqsave(lock, flags);
	locked++;
	return flags;
}

static void unlock_log(raw_spinlock_t *lock, unsigned long flags)
	__releases(lock)
{
	raw_spin_unlock_irqrestore(lock, flags);
	if (static_branch_unlikely(&measured))
		held += get_cycles() - held_since;
}

#undef raw_spin_lock_irqsave
#undef raw_spin_unlock_irqrestore
#define raw_spin_lock_irqsave(lock, flags)	((flags) = lock_log(lock))
#define raw_spin_unlock_irqrestore(lock, flags)	unlock_log(lock, flags)

#include "../../kmod/log/log.c"
#include "../../kmod/log/log_read.c"
#include "../../kmod/log/catalogue.c"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "compat.h"

static unsigned int records = RDMAEV_RECORDS_MIN;
module_param(records, uint, 0444);
MODULE_PARM_DESC(records, "records per ring");
static unsigned int writers = 3;
module_param(writers, uint, 0444);
MODULE_PARM_DESC(writers, "threads that append; every other one in hard interrupt");
static unsigned int readers = 4;
module_param(readers, uint, 0444);
MODULE_PARM_DESC(readers, "threads that read, each at a pace of its own");
static unsigned int events = 50000;
module_param(events, uint, 0444);
MODULE_PARM_DESC(events, "records that each writer appends");
static bool filter;
module_param(filter, bool, 0444);
MODULE_PARM_DESC(filter, "readers follow some rings only");
static unsigned int bench;
module_param(bench, uint, 0444);
MODULE_PARM_DESC(bench, "measure so many appends instead");

/* Of all appended records: each adds one */
static struct rdmaev_log_counter counter;
static atomic64_t appended[RDMAEV_RINGS];
static atomic_t writers_left;
static atomic_t broken;

#define CHECK(cond, ...) do {						\
	if (!(cond) && atomic_inc_return(&broken) < 20)			\
		pr_err("logtest: " #cond ": " __VA_ARGS__);		\
} while (0)

struct writer {
	struct task_struct *task;
	struct completion done;
	struct irq_work work;
	struct completion irq_done;
	unsigned int num;
	struct rdmaev_record rec;
};

struct reader {
	struct task_struct *task;
	struct completion done;
	struct rdmaev_cursor cur;
	unsigned int num;
	u64 delivered[RDMAEV_RINGS];
	u64 lost[RDMAEV_RINGS + 1];
	u64 prev;
	u64 had;
	struct rdmaev_record recs[32];
};

static atomic_t wakes;

static void count_wake(unsigned int who)
{
	if (!(who & RDMAEV_WAKE_ANY))
		return;
	atomic_inc(&wakes);
	rdmaev_log_want_any();
}

static void append_in_irq(struct irq_work *work)
{
	struct writer *w = container_of(work, struct writer, work);

	rdmaev_log_append(&w->rec, NULL, &counter);
	complete(&w->irq_done);
}

/* A record whose contents show whether all of it is from one append */
static void make_record(struct rdmaev_record *rec, u64 token)
{
	u64 *words = (u64 *)rec->body.bytes;
	unsigned int i;

	memset(rec, 0, sizeof(*rec));
	rec->cause = token;
	rec->ring = hash_64(token, 32) % RDMAEV_RINGS;
	rec->kind = RDMAEV_KIND_ASYNC;
	rec->count = 1;
	for (i = 0; i < sizeof(rec->body) / sizeof(u64); i++)
		words[i] = token + i;
}

static int write_fn(void *data)
{
	struct writer *w = data;
	unsigned int i;

	for (i = 0; i < events; i++) {
		make_record(&w->rec, ((u64)w->num << 32) + i);
		atomic64_inc(&appended[w->rec.ring]);
		if (w->num & 1) {
			irq_work_queue(&w->work);
			wait_for_completion(&w->irq_done);
			reinit_completion(&w->irq_done);
		} else {
			rdmaev_log_append(&w->rec, NULL, &counter);
		}
		if (i % 1024 == 1023)
			cond_resched();
	}
	atomic_dec(&writers_left);
	complete(&w->done);
	return 0;
}

static void check_record(struct reader *r, const struct rdmaev_record *rec)
{
	const u64 *words = (const u64 *)rec->body.bytes;
	unsigned int i;

	CHECK(rec->seq > r->prev, "%llu after %llu\n", rec->seq, r->prev);
	r->prev = rec->seq;
	if (rec->kind == RDMAEV_KIND_LOST) {
		const struct rdmaev_lost_body *lost = &rec->body.lost;

		CHECK(lost->count && lost->first <= lost->last &&
		      lost->last - lost->first + 1 >= lost->count,
		      "%llu from %llu to %llu\n", lost->count, lost->first,
		      lost->last);
		r->lost[min_t(u8, rec->ring, RDMAEV_RINGS)] += lost->count;
		r->had += lost->count;
		return;
	}
	CHECK(rec->ring < RDMAEV_RINGS && r->cur.rings & BIT(rec->ring),
	      "ring %u\n", rec->ring);
	for (i = 0; i < sizeof(rec->body) / sizeof(u64); i++)
		CHECK(words[i] == rec->cause + i, "torn record %llu\n",
		      rec->seq);
	r->delivered[rec->ring]++;
	r->had++;
}

static size_t take(struct reader *r, size_t max)
{
	size_t n, i;

	n = rdmaev_log_read(&r->cur, r->recs, max);
	for (i = 0; i < n; i++)
		check_record(r, &r->recs[i]);
	return n;
}

static bool has_gap(const struct rdmaev_cursor *cur)
{
	unsigned int i;

	for (i = 0; i <= RDMAEV_RINGS; i++) {
		if (cur->gap[i].count)
			return true;
	}
	return false;
}

static int read_fn(void *data)
{
	struct reader *r = data;
	unsigned int i = 0;

	while (atomic_read(&writers_left)) {
		take(r, 1 + i % 32);
		/* From no delay to longer than it takes to fill the ring */
		if (r->num && i % (64 >> min(r->num, 5U)) == 0)
			usleep_range(10 * r->num, 20 * r->num);
		else
			cond_resched();
		i++;
		/* A seek to the current position changes no sum. */
		if (i % 512 == 0 && !has_gap(&r->cur)) {
			int ret = rdmaev_log_seek(&r->cur, r->cur.seen + 1);

			CHECK(!ret, "seek: %d\n", ret);
		}
	}
	while (take(r, 32))
		;
	complete(&r->done);
	return 0;
}

/* From any position on, all records up to the newest are delivered or lost. */
static int seek_fn(void *data)
{
	struct reader *r = data;
	struct rdmaev_cursor *cur = &r->cur;
	unsigned int i = 0, n;
	u64 seq;

	while (atomic_read(&writers_left)) {
		u64 newest = rdmaev_log_newest();
		int ret = 0;

		switch (i++ % 4) {
		case 0:
			rdmaev_log_seek_oldest(cur);
			break;
		case 1:
			rdmaev_log_seek_end(cur);
			CHECK(cur->seen >= newest, "at %llu, not %llu\n",
			      cur->seen, newest);
			break;
		default:
			/*
			 * Most have overwritten this record, others have all.
			 */
			seq = hash_64(i, 32) % (8 * (u64)records);
			ret = rdmaev_log_seek(cur, newest -
					      min(newest, seq) + 1);
		}
		CHECK(!ret, "seek: %d\n", ret);
		seq = cur->seen;
		r->prev = seq;
		r->had = 0;
		for (n = 0; n < 8; n++)
			take(r, 1 + (i + n) % 32);
		while (has_gap(cur) && take(r, 1))
			;
		/*
		 * The losses of one ring may be newer than the oldest record of
		 * others.
		 */
		if (i % 4 == 1)
			CHECK(r->had <= cur->seen - seq, "%llu from %llu to %llu\n",
			      r->had, seq, cur->seen);
		else
			CHECK(r->had == cur->seen - seq, "%llu from %llu to %llu\n",
			      r->had, seq, cur->seen);
		cond_resched();
	}
	complete(&r->done);
	return 0;
}

/* The counters equal the appended records at any time. */
static int count_fn(void *data)
{
	struct rdmaev_log_counter copy;
	struct reader *r = data;

	while (atomic_read(&writers_left)) {
		u64 oldest, newest = rdmaev_log_newest();

		rdmaev_log_copy_counter(&copy, &counter);
		CHECK(copy.count == copy.seq && copy.seq >= newest &&
		      copy.seq <= rdmaev_log_newest() &&
		      copy.boottime_ns >= r->prev,
		      "%llu of %llu, newest %llu\n", copy.count, copy.seq,
		      newest);
		r->prev = copy.boottime_ns;
		oldest = rdmaev_log_oldest();
		CHECK(oldest <= rdmaev_log_newest() + 1, "oldest %llu\n",
		      oldest);
		r->had++;
		cond_resched();
	}
	CHECK(r->had, "nothing counted\n");
	complete(&r->done);
	return 0;
}

static void check_sums(struct reader *r)
{
	u64 delivered = 0, lost = r->lost[RDMAEV_RINGS], all = 0;
	unsigned int i;

	for (i = 0; i < RDMAEV_RINGS; i++) {
		u64 n = atomic64_read(&appended[i]);

		if (!(r->cur.rings & BIT(i)))
			continue;
		delivered += r->delivered[i];
		lost += r->lost[i];
		all += n;
		/* Without a shared loss, it is exact for the ring. */
		if (!r->lost[RDMAEV_RINGS])
			CHECK(r->delivered[i] + r->lost[i] == n,
			      "reader %u, ring %u: %llu + %llu of %llu\n",
			      r->num, i, r->delivered[i], r->lost[i], n);
	}
	/* A shared loss includes rings that the filter excludes. */
	CHECK(delivered + lost == all ||
	      (filter && r->lost[RDMAEV_RINGS] && delivered + lost > all),
	      "reader %u: %llu + %llu of %llu\n", r->num, delivered, lost, all);
	pr_info("logtest: reader %u: %llu delivered + %llu lost\n", r->num,
		delivered, lost);
}

/* No operation of a reader takes the lock of the writers. */
static void check_unlocked(void)
{
	struct rdmaev_log_counter copy;
	struct rdmaev_record rec;
	struct reader *r;
	unsigned int i;
	u64 before;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return;
	r->cur.rings = RDMAEV_RING_MASK;
	rdmaev_log_seek_end(&r->cur);
	for (i = 0; i < 4 * RDMAEV_RINGS * records; i++) {
		make_record(&rec, i);
		rdmaev_log_append(&rec, NULL, NULL);
	}
	/* The irq_work queued by the appends takes it. */
	irq_work_sync(&rdmaev_log.wake_work);
	before = locked;
	CHECK(take(r, 32) && (r->lost[0] || r->lost[1] || r->lost[2]),
	      "nothing was lost\n");
	rdmaev_log_seek_oldest(&r->cur);
	CHECK(!rdmaev_log_seek(&r->cur, 1), "seek\n");
	r->prev = 0;
	CHECK(take(r, 32) && !r->cur.gap[RDMAEV_RINGS].count, "no loss of all\n");
	rdmaev_log_follow(&r->cur, 1);
	rdmaev_log_follow(&r->cur, RDMAEV_RING_MASK);
	rdmaev_log_seek_end(&r->cur);
	CHECK(rdmaev_log_oldest() > 1, "all kept\n");
	rdmaev_log_copy_counter(&copy, &counter);
	CHECK(locked == before, "taken %llu times\n", locked - before);
	kfree(r);
}

static int hammer(void)
{
	struct writer *w;
	struct reader *r, *others;
	unsigned int i;
	int ret = -ENOMEM;

	w = kcalloc(writers, sizeof(*w), GFP_KERNEL);
	/* Two more: one that seeks, and one that reads the counters */
	r = kcalloc(readers + 2, sizeof(*r), GFP_KERNEL);
	others = r + readers;
	if (!w || !r)
		goto out;
	atomic_set(&writers_left, writers);
	rdmaev_log_want_any();
	for (i = 0; i < readers; i++) {
		r[i].num = i;
		init_completion(&r[i].done);
		r[i].cur.rings = filter ? 1 + i % RDMAEV_RING_MASK :
					  RDMAEV_RING_MASK;
		rdmaev_log_seek_end(&r[i].cur);
		r[i].task = kthread_run(read_fn, &r[i], "logtest_r/%u", i);
	}
	for (i = 0; i < 2; i++) {
		init_completion(&others[i].done);
		others[i].cur.rings = RDMAEV_RING_MASK;
		others[i].task = kthread_run(i ? count_fn : seek_fn, &others[i],
					     "logtest_o/%u", i);
	}
	for (i = 0; i < writers; i++) {
		w[i].num = i;
		init_completion(&w[i].done);
		init_completion(&w[i].irq_done);
		w[i].work = IRQ_WORK_INIT_HARD(append_in_irq);
		w[i].task = kthread_run(write_fn, &w[i], "logtest_w/%u", i);
		if (IS_ERR(w[i].task))
			atomic_dec(&writers_left);
	}
	for (i = 0; i < writers; i++) {
		if (!IS_ERR(w[i].task))
			wait_for_completion(&w[i].done);
	}
	for (i = 0; i < readers + 2; i++) {
		if (!IS_ERR(r[i].task))
			wait_for_completion(&r[i].done);
	}
	for (i = 0; i < readers; i++)
		check_sums(&r[i]);
	CHECK(rdmaev_log_newest() == (u64)writers * events, "newest %llu\n",
	      rdmaev_log_newest());
	CHECK(atomic_read(&wakes) > 0, "nobody was woken\n");
	check_unlocked();
	ret = atomic_read(&broken) ? -EIO : 0;
out:
	kfree(w);
	kfree(r);
	return ret;
}

static void measure(void)
{
	struct rdmaev_record rec;
	u64 start, empty, ns;
	cycles_t cycles;
	unsigned int i;

	make_record(&rec, 1);
	start = ktime_get_ns();
	for (i = 0; i < bench; i++)
		barrier();
	empty = ktime_get_ns() - start;
	start = ktime_get_ns();
	for (i = 0; i < bench; i++) {
		barrier();
		rdmaev_log_append(&rec, NULL, &counter);
	}
	pr_info("logtest: append ns=%llu\n", ktime_get_ns() - start - empty);

	/* Without the cost of the measurement itself */
	static_branch_enable(&measured);
	start = ktime_get_ns();
	cycles = get_cycles();
	for (i = 0; i < bench; i++) {
		held_since = get_cycles();
		held -= get_cycles() - held_since;
		rdmaev_log_append(&rec, NULL, &counter);
	}
	cycles = get_cycles() - cycles;
	ns = ktime_get_ns() - start;
	pr_info("logtest: held ns=%llu\n",
		div64_u64(held * (ns >> 10), cycles >> 10));
}

static int __init logtest_init(void)
{
	int ret;

	ret = rdmaev_log_init(records, count_wake);
	if (ret)
		return ret;
	if (bench)
		measure();
	else
		ret = hammer();
	if (ret)
		rdmaev_log_exit();
	return ret;
}

static void __exit logtest_exit(void)
{
	rdmaev_log_exit();
}

module_init(logtest_init);
module_exit(logtest_exit);

MODULE_DESCRIPTION("Test of the log of rdmaev");
MODULE_LICENSE("Dual BSD/GPL");
