// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_ulp: churn and fail.
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

#define WINDOW		48
#define RECVS		5	/* flushed receive requests */
#define BURST		3000	/* most QPs at a time */

struct churn {
	struct work_struct work;
	struct cq cq;
	struct qp qp;
	long posted;
	bool stop;
	bool stopped;
};

/* As fast as it can. */
static void post_on(struct work_struct *work)
{
	struct churn *c = container_of(work, struct churn, work);

	while (!READ_ONCE(c->stop)) {
		if (c->posted - atomic_long_read(&c->qp.consumed) >= WINDOW) {
			cpu_relax();
			cond_resched();
			continue;
		}
		WRITE_ONCE(c->posted, c->posted + 1);
		post(&c->qp, IB_WR_RDMA_WRITE);
	}
	/* Pairs with smp_load_acquire() in churn_once(). */
	smp_store_release(&c->stopped, true);
}

static void consumer(struct work_struct *work)
{
	struct cq *cq = container_of(work, struct cq, work);

	ib_req_notify_cq(cq->rcq->cq, IB_CQ_NEXT_COMP);
	while (poll(cq, 8))
		;
}

static void wake_consumer(struct cq *cq)
{
	queue_work(system_highpri_wq, &cq->work);
}

/*
 * Under load: let the QP fail and check that all failures were polled, or leave
 * successful completions unpolled. False: completions were lost.
 */
static bool churn_once(struct churn *c, bool fail, unsigned int us)
{
	bool all = true;

	INIT_WORK(&c->work, post_on);
	c->stop = false;
	c->stopped = false;
	c->posted = 0;
	queue_work_on(cpumask_last(cpu_online_mask), run_wq, &c->work);
	/* Two are there, however late that CPU runs. */
	while (READ_ONCE(c->posted) < 3)
		cond_resched();
	usleep_range(us, us + 1);
	if (fail) {
		error_qp(c->qp.ib);
		usleep_range(us / 4, us / 4 + 1);
	}
	WRITE_ONCE(c->stop, true);
	/*
	 * Not asleep: its last completions have to arrive while the next lines
	 * run.
	 */
	while (!smp_load_acquire(&c->stopped)) {
		cpu_relax();
		cond_resched();
	}
	if (fail && c->cq.kind == ATTACHED) {
		ib_drain_qp(c->qp.ib);
		all = atomic_long_read(&c->qp.consumed) == c->posted;
	} else if (fail || c->cq.kind == ATTACHED) {
		all = wait_consumed(&c->qp, c->posted);
	}
	destroy_qp(&c->qp);
	if (c->cq.kind == CREATED)
		cancel_work_sync(&c->cq.work);
	destroy_cq(&c->cq);
	flush_work(&c->work);
	return all;
}

int run_churn(struct kit *kit, const char *args, struct result *res)
{
	struct churn *c;
	struct rnd_state rnd;
	u32 seed = get_random_u32();
	long rounds, i, posted = 0;
	int kind, ret, lost = 0, late = 0, irqs_on = 0, overruns = 0;
	char name[16];
	ktime_t start;

	if (sscanf(args, "%15s %ld %u", name, &rounds, &seed) < 2)
		return -EINVAL;
	kind = parse_kind(name);
	if (kind < 0 || kind == DIRECT)
		return -EINVAL;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	prandom_seed_state(&rnd, seed);
	start = ktime_get();
	for (i = 0; i < rounds && !lost && !READ_ONCE(kit->gone); i++) {
		memset(&c->cq, 0, sizeof(c->cq));
		if (kind == CREATED) {
			INIT_WORK(&c->cq.work, consumer);
			c->cq.wake = wake_consumer;
		}
		ret = make_cq(&c->cq, kit, kind, WINDOW + 2, 0);
		if (ret)
			goto out;
		ret = make_qp(&c->qp, &c->cq, &c->cq, 1);
		if (ret) {
			destroy_cq(&c->cq);
			goto out;
		}
		if (kind == CREATED)
			ib_req_notify_cq(c->cq.rcq->cq, IB_CQ_NEXT_COMP);
		lost = !churn_once(c, i & 1, prandom_u32_state(&rnd) % 200);
		posted += c->posted;
		/* Handler calls from now on are late. */
		usleep_range(20, 40);
		late += atomic_read(&c->cq.late);
		irqs_on += atomic_read(&c->cq.irqs_on);
		overruns += atomic_read(&c->cq.overruns);
	}
	ret = 0;
	tell(res, "ms=%lld seed=%u rounds=%ld posted=%ld lost=%d late=%d irqs_on=%d overruns=%d",
	     ktime_ms_delta(ktime_get(), start), seed, i, posted, lost, late,
	     irqs_on, overruns);
out:
	kfree(c);
	return ret;
}

struct failing {
	struct cq send, recv;
	struct qp qp[BURST];
};

static int fail_qps(struct failing *f, int n)
{
	int made, i, ret = 0;

	for (made = 0; made < n && !ret; made++) {
		ret = make_qp(&f->qp[made], &f->send, &f->recv, 1);
		if (ret)
			break;
		post_recv(&f->qp[made], RECVS);
	}
	if (!ret) {
		for (i = 0; i < n; i++)
			post_bad(&f->qp[i]);
		/* First failures, and flushed requests after them */
		while (poll(&f->send, 8))
			;
		while (poll(&f->recv, 8))
			;
	}
	while (made--)
		destroy_qp(&f->qp[made]);
	return ret;
}

int run_fail(struct kit *kit, const char *args, struct result *res)
{
	int count, left, step, ret;
	struct failing *f;
	ktime_t start;

	if (sscanf(args, "%d %d", &count, &step) != 2 || step < 1 ||
	    step > BURST)
		return -EINVAL;
	f = kvzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	ret = make_cq(&f->send, kit, CREATED, BURST, 0);
	if (ret)
		goto out;
	ret = make_cq(&f->recv, kit, CREATED, BURST * RECVS, 0);
	if (ret)
		goto out_send;
	start = ktime_get();
	for (left = count; left > 0 && !ret && !READ_ONCE(kit->gone);
	     left -= step) {
		ret = fail_qps(f, min(left, step));
		cond_resched();
	}
	tell(res, "ms=%lld left=%d", ktime_ms_delta(ktime_get(), start),
	     max(left, 0));
	/* Both are counted in the CQ of the send queue. */
	tell_cq(res, &f->send);
	destroy_cq(&f->recv);
out_send:
	destroy_cq(&f->send);
out:
	kvfree(f);
	return ret;
}
