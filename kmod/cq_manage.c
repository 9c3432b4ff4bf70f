// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs that are armed and polled here, for ULPs that want no more than done() of
 * each request called.
 *
 * No wake-up is lost: the CQ is polled till it is empty, armed, and polled once
 * more. What comes before it is armed is found by that poll (and told by drivers
 * that report missed events); what comes later makes a notification. One that comes
 * while the CQ is being polled makes it be polled again: a work item that runs can
 * be queued, and for irq_poll, which cannot, there is rdmaev_cq_state.again.
 */
#include <linux/slab.h>

#include "compat.h"
#include "cq.h"

/* Completions in one go, and before others have their turn. */
#define BATCH		16
#define BUDGET		256
#define WORK_BUDGET	65536

static struct workqueue_struct *poll_wq;

/* Returns how many; @budget if there may be more. */
static int poll(struct rdmaev_cq_state *cq, int budget)
{
	int done = 0;

	while (done < budget) {
		int max = min(BATCH, budget - done), n, i;

		n = rdmaev_poll_cq(&cq->pub, max, cq->wcs);
		for (i = 0; i < n; i++) {
			struct ib_wc *wc = &cq->wcs[i];

			if (!WARN_ON_ONCE(!wc->wr_cqe))
				wc->wr_cqe->done(cq->pub.cq, wc);
		}
		if (n > 0)
			done += n;
		if (n < max)
			break;
	}
	return done;
}

/*
 * Returns @budget if there may be more; fewer if the CQ is empty and armed. One
 * caller at a time.
 */
static int poll_and_arm(struct rdmaev_cq_state *cq, int budget)
{
	int done = poll(cq, budget);

	if (done == budget ||
	    rdmaev_req_notify_cq(&cq->pub, IB_CQ_NEXT_COMP |
				 IB_CQ_REPORT_MISSED_EVENTS) > 0 ||
	    poll(cq, BATCH) > 0)
		return budget;
	return done;
}

static int poll_in_softirq(struct irq_poll *iop, int budget)
{
	struct rdmaev_cq_state *cq = container_of(iop, struct rdmaev_cq_state,
						  iop);
	int done;

	/* Before the CQ is polled: what is set later makes it be polled again. */
	smp_store_mb(cq->again, false);
	done = poll_and_arm(cq, budget);
	if (done == budget)
		return budget;
	irq_poll_complete(iop);
	/*
	 * Pairs with smp_mb() in rdmaev_manage_notified(): either that schedules,
	 * as polling has ended, or it was early enough to be seen here.
	 */
	smp_mb();
	if (READ_ONCE(cq->again))
		irq_poll_sched(iop);
	return done;
}

static void poll_in_work(struct work_struct *work)
{
	struct rdmaev_cq_state *cq = container_of(work, struct rdmaev_cq_state,
						  work);

	if (poll_and_arm(cq, WORK_BUDGET) == WORK_BUDGET)
		queue_work(poll_wq, &cq->work);
}

/** rdmaev_manage_notified - have a CQ polled soon; in any context */
void rdmaev_manage_notified(struct rdmaev_cq_state *cq)
{
	if (cq->poll_ctx == IB_POLL_WORKQUEUE) {
		queue_work(poll_wq, &cq->work);
		return;
	}
	WRITE_ONCE(cq->again, true);
	smp_mb();			/* pairs with that in poll_in_softirq() */
	irq_poll_sched(&cq->iop);
}

/** rdmaev_manage_prepare - make ready to poll a CQ; 0 or -ENOMEM */
int rdmaev_manage_prepare(struct rdmaev_cq_state *cq,
			  enum ib_poll_context poll_ctx)
{
	/* Zero, as not every driver fills in all of it. */
	cq->wcs = kcalloc(BATCH, sizeof(*cq->wcs), GFP_KERNEL);
	if (!cq->wcs)
		return -ENOMEM;
	cq->poll_ctx = poll_ctx;
	INIT_WORK(&cq->work, poll_in_work);
	irq_poll_init(&cq->iop, BUDGET, poll_in_softirq);
	return 0;
}

/**
 * rdmaev_manage_stop - poll a CQ no more; it is not notified any more
 * @cq: of rdmaev_manage_prepare()
 *
 * poll_in_softirq() may be past irq_poll_complete(), and look at the CQ for a moment
 * more; what it schedules is refused. So the CQ is freed by RCU, of which a softirq is
 * a reader.
 */
void rdmaev_manage_stop(struct rdmaev_cq_state *cq)
{
	if (cq->poll_ctx == IB_POLL_WORKQUEUE)
		cancel_work_sync(&cq->work);
	else
		irq_poll_disable(&cq->iop);
}

/** rdmaev_manage_free - free what rdmaev_manage_prepare() made, if anything */
void rdmaev_manage_free(struct rdmaev_cq_state *cq)
{
	kfree(cq->wcs);
}

/** rdmaev_manage_init - 0 or -ENOMEM */
int rdmaev_manage_init(void)
{
	/* As the core's: completions may be what writes to a disk. */
	poll_wq = alloc_workqueue("rdmaev_poll", WQ_HIGHPRI | WQ_MEM_RECLAIM |
				  WQ_PERCPU, 0);
	return poll_wq ? 0 : -ENOMEM;
}

/** rdmaev_manage_exit - there is no CQ any more */
void rdmaev_manage_exit(void)
{
	destroy_workqueue(poll_wq);
}
