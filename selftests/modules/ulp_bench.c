// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev_ulp: bench.
 */
#include <linux/bottom_half.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ulp.h"

#define BATCH	16

enum way {
	PLAIN,			/* ib_poll_cq() alone */
	POLL,			/* rdmaev_poll_cq() */
	LOOP,			/* ib_poll_cq(), and read each completion */
	COUNT,			/* the same, with rdmaev_count_wc() */
};

static noinline void loop(const struct ib_wc *wc, const struct ib_wc *end)
{
	for (; wc < end; wc++)
		READ_ONCE(wc->wr_cqe);
}

static noinline void count_each(struct rdmaev_cq *rcq, const struct ib_wc *wc,
				const struct ib_wc *end)
{
	for (; wc < end; wc++) {
		READ_ONCE(wc->wr_cqe);
		rdmaev_count_wc(rcq, wc);
	}
}

static int poll_by(enum way way, struct cq *cq, struct ib_wc *wcs, int n)
{
	if (way == POLL)
		return rdmaev_poll_cq(cq->rcq, n, wcs);
	n = ib_poll_cq(cq->rcq->cq, n, wcs);
	if (way == LOOP)
		loop(wcs, wcs + n);
	else if (way == COUNT)
		count_each(cq->rcq, wcs, wcs + n);
	return n;
}

/* Nanoseconds to poll @count completions, @batch at a time */
static s64 measure(enum way way, struct qp *qp, struct ib_wc *wcs, int batch,
		   int count)
{
	unsigned long flags;
	u64 start, ns = 0;
	int i, n;

	for (; count > 0; count -= batch) {
		for (i = 0; i < batch; i++)
			post(qp, IB_WR_RDMA_WRITE);
		local_irq_save(flags);
		start = ktime_get_raw_ns();
		n = poll_by(way, qp->cq, wcs, batch);
		ns += ktime_get_raw_ns() - start;
		local_irq_restore(flags);
		if (n != batch)
			return -EIO;
	}
	return ns;
}

static int compare(struct kit *kit, enum cq_kind kind, enum way base,
		   enum way way, int batch, int count, struct result *res)
{
	struct ib_wc *wcs = kcalloc(BATCH, sizeof(*wcs), GFP_KERNEL);
	struct cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	int ret = -ENOMEM;
	s64 plain, ns;
	struct qp qp;

	if (!cq || !wcs)
		goto free;
	ret = make_cq(cq, kit, kind, BATCH, 0);
	if (ret)
		goto free;
	ret = make_qp(&qp, cq, cq, 1);
	if (ret)
		goto destroy;
	plain = measure(base, &qp, wcs, batch, count);
	ns = measure(way, &qp, wcs, batch, count);
	if (plain < 0 || ns < 0)
		ret = -EIO;
	else
		tell(res, " %lld", ns - plain);
	destroy_qp(&qp);
destroy:
	destroy_cq(cq);
free:
	kfree(cq);
	kfree(wcs);
	return ret;
}

/* Cost of one more flushed request of a QP that has failed before */
static int flush(struct kit *kit, int count, struct result *res)
{
	struct cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	struct ib_wc wc = { .status = IB_WC_LOC_QP_OP_ERR };
	struct qp qp;
	u64 start;
	int ret = -ENOMEM, i;

	if (!cq)
		return ret;
	ret = make_cq(cq, kit, DIRECT, BATCH, 0);
	if (ret)
		goto free;
	ret = make_qp(&qp, cq, cq, 1);
	if (ret)
		goto destroy;
	wc.qp = qp.ib;
	rdmaev_count_wc(cq->rcq, &wc);
	wc.status = IB_WC_WR_FLUSH_ERR;
	rdmaev_count_wc(cq->rcq, &wc);
	start = ktime_get_raw_ns();
	for (i = 0; i < count; i++)
		rdmaev_count_wc(cq->rcq, &wc);
	tell(res, " %lld", ktime_get_raw_ns() - start);
	destroy_qp(&qp);
destroy:
	destroy_cq(cq);
free:
	kfree(cq);
	return ret;
}

/*
 * Time in which ib_core is notified, polls @batch completions and passes
 * them on, for @count completions. Nothing of rdmaev is called here.
 */
int run_softirq(struct kit *kit, const char *args, struct result *res)
{
	struct cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	int ret = -ENOMEM, count, batch, i;
	long posted = 0;
	struct qp qp;
	u64 start, ns = 0;

	if (!cq)
		return ret;
	ret = -EINVAL;
	if (sscanf(args, "%d %d", &count, &batch) != 2 || batch < 1 ||
	    batch > BATCH)
		goto free;
	ret = make_cq(cq, kit, SOFTIRQ, BATCH, 0);
	if (ret)
		goto free;
	ret = make_qp(&qp, cq, cq, 1);
	if (ret)
		goto destroy;
	for (; count > 0; count -= batch) {
		local_bh_disable();
		start = ktime_get_raw_ns();
		post(&qp, IB_WR_RDMA_WRITE);
		ns += ktime_get_raw_ns() - start;
		for (i = 1; i < batch; i++)
			post(&qp, IB_WR_RDMA_WRITE);
		start = ktime_get_raw_ns();
		/* The core polls here, or ksoftirqd lets it. */
		local_bh_enable();
		posted += batch;
		while (atomic_long_read(&qp.consumed) < posted)
			cond_resched();
		ns += ktime_get_raw_ns() - start;
	}
	tell(res, "ns=%llu", ns);
	destroy_qp(&qp);
destroy:
	destroy_cq(cq);
free:
	kfree(cq);
	return ret;
}

int run_polled(struct kit *kit, const char *args, struct result *res)
{
	struct ib_wc *wcs = kcalloc(BATCH, sizeof(*wcs), GFP_KERNEL);
	struct cq *cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	int count, batch, ret = -ENOMEM;
	struct qp qp;
	s64 ns;

	if (!cq || !wcs)
		goto free;
	ret = -EINVAL;
	if (sscanf(args, "%d %d", &count, &batch) != 2 || batch < 1 ||
	    batch > BATCH)
		goto free;
	ret = make_cq(cq, kit, POLLED, BATCH, 0);
	if (ret)
		goto free;
	ret = make_qp(&qp, cq, cq, 1);
	if (ret)
		goto destroy;
	ns = measure(PLAIN, &qp, wcs, batch, count);
	if (ns < 0)
		ret = ns;
	else
		tell(res, "ns=%lld", ns);
	destroy_qp(&qp);
destroy:
	destroy_cq(cq);
free:
	kfree(cq);
	kfree(wcs);
	return ret;
}

int run_bench(struct kit *kit, const char *args, struct result *res)
{
	int count, ret;

	ret = kstrtoint(args, 10, &count);
	if (ret || count % BATCH)
		return ret ?: -EINVAL;
	tell(res, "ns");
	ret = compare(kit, CREATED, PLAIN, POLL, BATCH, count, res);
	if (!ret)
		ret = compare(kit, CREATED, PLAIN, POLL, 1, count, res);
	if (!ret)
		ret = compare(kit, DIRECT, LOOP, COUNT, BATCH, count, res);
	if (!ret)
		ret = flush(kit, count, res);
	return ret;
}
