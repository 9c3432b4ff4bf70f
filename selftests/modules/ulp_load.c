// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_ulp: load and wakeup.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ulp.h"

#define THREADS		8
#define WINDOW		48	/* completions in progress per thread */
#define TAIL		40	/* failures at a time */
#define EVERY		256	/* requests */
#define POLLERS		2
#define SPINS		3000

struct thread {
	struct work_struct work;
	struct qp qp;
	struct rnd_state rnd;
	long count;		/* in: requests; wakeup: bursts */
	long posted;		/* completions expected for them */
	bool lost;
	struct run *run;
};

struct poller {
	struct work_struct work;
	struct cq *cq;
	bool stop;
};

struct run {
	bool stop;
	atomic_long_t met;	/* threads at the end of their bursts */
	struct poller pollers[POLLERS];
	unsigned int threads;
	struct thread thread[THREADS];
};

/* The Nth online CPU, starting over after the last. */
static int nth_cpu(unsigned int n)
{
	int cpu = cpumask_first(cpu_online_mask);

	for (n %= num_online_cpus(); n; n--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu;
}

static bool must_stop(const struct thread *t)
{
	return READ_ONCE(t->run->stop) || READ_ONCE(t->qp.cq->kit->gone);
}

static void post_any(struct thread *t)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_SEND, IB_WR_SEND_WITH_IMM, IB_WR_SEND_WITH_INV,
		IB_WR_RDMA_WRITE_WITH_IMM,
		/* Opcodes from here on are of received messages. */
		IB_WR_RDMA_WRITE, IB_WR_RDMA_READ, IB_WR_RDMA_READ_WITH_INV,
		IB_WR_ATOMIC_CMP_AND_SWP, IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_MASKED_ATOMIC_CMP_AND_SWP,
		IB_WR_MASKED_ATOMIC_FETCH_AND_ADD, IB_WR_LSO,
		IB_WR_LOCAL_INV, IB_WR_REG_MR,
	};
	unsigned int i = prandom_u32_state(&t->rnd) % ARRAY_SIZE(opcodes);

	t->posted++;
	if (i < 4) {
		post_recv(&t->qp, 1);
		t->posted++;
	}
	post(&t->qp, opcodes[i]);
}

/* One failure, and flushed requests. False: a completion was lost. */
static bool fail(struct thread *t)
{
	if (!wait_consumed(&t->qp, t->posted))
		return false;
	post_recv(&t->qp, TAIL - 3);
	post_bad(&t->qp);
	post(&t->qp, IB_WR_SEND);
	post(&t->qp, IB_WR_RDMA_READ);
	t->posted += TAIL;
	return wait_consumed(&t->qp, t->posted) && !reset_qp(t->qp.ib, 1);
}

static void load(struct work_struct *work)
{
	struct thread *t = container_of(work, struct thread, work);

	while (t->count && !must_stop(t)) {
		if (!wait_consumed(&t->qp, t->posted - (WINDOW - 2)))
			break;
		post_any(t);
		t->count--;
		if (t->count % EVERY == 0 && !fail(t))
			break;
		cond_resched();
	}
	t->lost = !wait_consumed(&t->qp, t->posted);
}

static void poll_on(struct work_struct *work)
{
	struct poller *p = container_of(work, struct poller, work);

	while (!READ_ONCE(p->stop)) {
		if (!poll(p->cq, 1 + (jiffies & 7)))
			usleep_range(5, 20);
		cond_resched();
	}
}

static void start_pollers(struct poller *p, struct cq *cq)
{
	int i;

	for (i = 0; i < POLLERS; i++) {
		p[i].cq = cq;
		INIT_WORK(&p[i].work, poll_on);
		queue_work_on(nth_cpu(i), run_wq, &p[i].work);
	}
}

static void stop_pollers(struct poller *p)
{
	int i;

	for (i = 0; i < POLLERS; i++) {
		WRITE_ONCE(p[i].stop, true);
		flush_work(&p[i].work);
	}
}

/* If completions were lost, the QPs may still be in use, but none will come. */
static void destroy_qps(struct run *run)
{
	while (run->threads--)
		destroy_qp(&run->thread[run->threads].qp);
}

static struct run *make_run(struct cq *cq, unsigned int threads, u64 seed,
			    work_func_t fn)
{
	struct run *run = kzalloc(sizeof(*run), GFP_KERNEL);
	struct thread *t;
	int ret;

	if (!run)
		return ERR_PTR(-ENOMEM);
	for (; run->threads < threads; run->threads++) {
		t = &run->thread[run->threads];
		t->run = run;
		INIT_WORK(&t->work, fn);
		prandom_seed_state(&t->rnd, seed + run->threads);
		ret = make_qp(&t->qp, cq, cq, 1);
		if (ret) {
			destroy_qps(run);
			kfree(run);
			return ERR_PTR(ret);
		}
	}
	return run;
}

/*
 * Run all threads to their end. Number of posted requests; -1: some were lost.
 */
static long run_threads(struct run *run)
{
	long posted = 0;
	bool lost = false;
	int i;

	for (i = 0; i < run->threads; i++)
		queue_work_on(nth_cpu(i), run_wq, &run->thread[i].work);
	for (i = 0; i < run->threads; i++) {
		flush_work(&run->thread[i].work);
		posted += run->thread[i].posted;
		lost |= run->thread[i].lost;
	}
	return lost ? -1 : posted;
}

/* A CQ that is kept after the command */
static struct cq *keep_cq(struct kit *kit, enum cq_kind kind, u32 cqe)
{
	struct cq *cq;
	int ret;

	forget(kit);
	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	ret = make_cq(cq, kit, kind, cqe, 0);
	if (ret) {
		kfree(cq);
		return ERR_PTR(ret);
	}
	kit->kept = cq;
	return cq;
}

static bool is_polled_here(int kind)
{
	return kind == CREATED || kind == DIRECT || kind == PROCESSED ||
	       kind == POLLED;
}

int run_load(struct kit *kit, const char *args, struct result *res)
{
	unsigned int threads, i;
	long count, posted;
	struct run *run;
	ktime_t start;
	struct cq *cq;
	char name[16];
	int kind;

	if (sscanf(args, "%15s %u %ld", name, &threads, &count) != 3 ||
	    threads < 1 || threads > THREADS)
		return -EINVAL;
	kind = parse_kind(name);
	if (kind < 0)
		return kind;
	cq = keep_cq(kit, kind, threads * WINDOW);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	run = make_run(cq, threads, 0, load);
	if (IS_ERR(run))
		return PTR_ERR(run);
	for (i = 0; i < threads; i++)
		run->thread[i].count = count;
	if (is_polled_here(kind))
		start_pollers(run->pollers, cq);
	start = ktime_get();
	posted = run_threads(run);
	tell(res, "ms=%lld posted=%ld lost=%d",
	     ktime_ms_delta(ktime_get(), start), posted, posted < 0);
	if (is_polled_here(kind))
		stop_pollers(run->pollers);
	destroy_qps(run);
	tell_cq(res, cq);
	kfree(run);
	return 0;
}

/*
 * Wait for @n; false if they do not come for long. Mostly they come at once; if
 * not, the thread that brings them may need this CPU, or the hypervisor may run
 * another one.
 */
static bool wait_long(struct thread *t, const atomic_long_t *count, long n)
{
	unsigned long end = jiffies + 20 * HZ;
	unsigned int spins = 0;

	while (atomic_long_read(count) < n) {
		if (must_stop(t))
			return true;
		if (time_after(jiffies, end))
			return false;
		cpu_relax();
		/*
		 * cond_resched() does nothing on kernels that preempt lazily.
		 */
		if (++spins > SPINS)
			usleep_range(20, 50);
		else if (spins % 16 == 0)
			schedule();
	}
	return true;
}

static void delay(unsigned int loops)
{
	while (loops--)
		barrier();
}

/*
 * With bottom halves off, a thread woken in a softirq runs when they are
 * enabled again; otherwise the softirq runs in a thread, which takes longer.
 */
static void post_write(struct thread *t, bool in_thread)
{
	t->posted++;
	if (!in_thread)
		local_bh_disable();
	post(&t->qp, IB_WR_RDMA_WRITE);
	if (!in_thread)
		local_bh_enable();
}

/*
 * The producers wait for each other, too: a notification for later requests of
 * one of them would hide that the other one got none.
 */
static void produce(struct work_struct *work)
{
	struct thread *t = container_of(work, struct thread, work);
	atomic_long_t *met = &t->run->met;
	u32 rnd, burst;
	long round;

	for (round = 1; t->count && !must_stop(t); round++, t->count--) {
		rnd = prandom_u32_state(&t->rnd);
		for (burst = 1 + (rnd & 7); burst; burst--) {
			post_write(t, !(rnd & 0xff00));
			delay(rnd >> 16 & 0x7f);
			rnd = rnd * 5 + 1;
		}
		if (!wait_long(t, &t->qp.consumed, t->posted)) {
			t->lost = true;
			WRITE_ONCE(t->run->stop, true);
		}
		atomic_long_inc(met);
		wait_long(t, met, 2 * round);
	}
}

static void consumer(struct work_struct *work)
{
	struct cq *cq = container_of(work, struct cq, work);

	atomic_long_inc(&cq->arms);
	ib_req_notify_cq(cq->rcq->cq, IB_CQ_NEXT_COMP);
	while (poll(cq, 8))
		;
}

static void wake_consumer(struct cq *cq)
{
	queue_work(system_highpri_wq, &cq->work);
}

int run_wakeup(struct kit *kit, const char *args, struct result *res)
{
	u32 seed = get_random_u32();
	long rounds, posted;
	struct run *run;
	ktime_t start;
	struct cq *cq;
	char name[16];
	int kind;

	if (sscanf(args, "%15s %ld %u", name, &rounds, &seed) < 2)
		return -EINVAL;
	kind = parse_kind(name);
	if (kind < 0 || (kind != CREATED && is_polled_here(kind)))
		return -EINVAL;
	cq = keep_cq(kit, kind, 64);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	run = make_run(cq, 2, seed, produce);
	if (IS_ERR(run))
		return PTR_ERR(run);
	run->thread[0].count = rounds / 2;
	run->thread[1].count = rounds / 2;
	if (kind == CREATED) {
		INIT_WORK(&cq->work, consumer);
		cq->wake = wake_consumer;
		atomic_long_inc(&cq->arms);
		ib_req_notify_cq(cq->rcq->cq, IB_CQ_NEXT_COMP);
	}
	start = ktime_get();
	posted = run_threads(run);
	tell(res, "ms=%lld seed=%u rounds=%ld posted=%ld lost=%d",
	     ktime_ms_delta(ktime_get(), start), seed,
	     rounds - run->thread[0].count - run->thread[1].count, posted,
	     posted < 0);
	destroy_qps(run);
	if (kind == CREATED)
		cancel_work_sync(&cq->work);
	tell_cq(res, cq);
	kfree(run);
	return 0;
}
