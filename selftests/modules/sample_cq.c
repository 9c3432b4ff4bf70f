// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of a ULP that are accounted for, one for each work queue. There are two
 * sorts, depending on who polls:
 *
 *  - The ULP has a loop of its own: rdmaev_create_cq(), and the loop calls
 *    rdmaev_poll_cq().
 *  - The core polls, after ib_alloc_cq() or ib_cq_pool_get(), or the ULP polls
 *    a CQ of these itself (IB_POLL_DIRECT): rdmaev_attach_cq(), and one call
 *    where completions are consumed.
 *
 * With both, requests carry a struct ib_cqe instead of a number.
 */
#include <linux/sched.h>

#include "compat.h"
#include "sample.h"

/* Completions per poll */
#define BATCH	8

/*
 * Registered as long as it may have objects; records have its name as their
 * source.
 */
struct rdmaev_ulp sample_ulp = RDMAEV_ULP_INIT("rdmaev_sample");

const char * const sample_kinds[SAMPLE_KINDS] = {
	[SAMPLE_CREATED] = "created",
	[SAMPLE_ATTACHED] = "attached",
	[SAMPLE_DIRECT] = "direct",
};

/**
 * sample_opcode - opcode of a completion
 * @wc: completion; drivers set any opcode in a failed one
 *
 * Return: &enum rdmaev_wc_opcode. It is the same in all kernels.
 */
unsigned int sample_opcode(const struct ib_wc *wc)
{
	switch (wc->opcode) {
	case IB_WC_SEND:
		return RDMAEV_OPCODE_SEND;
	case IB_WC_RDMA_WRITE:
		return RDMAEV_OPCODE_WRITE;
	case IB_WC_RDMA_READ:
		return RDMAEV_OPCODE_READ;
	case IB_WC_COMP_SWAP:
	case IB_WC_FETCH_ADD:
		return RDMAEV_OPCODE_ATOMIC;
	case IB_WC_REG_MR:
		return RDMAEV_OPCODE_MEMORY;
	case IB_WC_RECV:
		return RDMAEV_OPCODE_RECV;
	case IB_WC_RECV_RDMA_WITH_IMM:
		return RDMAEV_OPCODE_RECV_IMM;
	default:
		return RDMAEV_OPCODE_OTHER;
	}
}

/* The ULP's work. One completion of a CQ at a time. */
static void take(struct sample_cq *scq, const struct ib_wc *wc)
{
	scq->statuses[min_t(unsigned int, wc->status, IB_WC_GENERAL_ERR)]++;
	if (wc->status == IB_WC_SUCCESS)
		scq->opcodes[sample_opcode(wc)]++;
	else if (wc->status == IB_WC_WR_FLUSH_ERR && !scq->flush.status)
		scq->flush = *wc;
	else if (wc->status != IB_WC_WR_FLUSH_ERR && !scq->cause.status)
		scq->cause = *wc;
	/* Pairs with smp_load_acquire() in sample_conn.c. */
	smp_store_release(&scq->done, scq->done + 1);
	wake_up(&scq->end->conn->wait);
}

static struct sample_cq *cq_of(const struct ib_wc *wc)
{
	return container_of(wc->wr_cqe, struct sample_cq, cqe);
}

/* Any context in which the CQ is polled. */
static void request_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct sample_cq *scq = cq_of(wc);

	/*
	 * First, as the QP of a failed completion must still exist. Of an
	 * attached CQ, rdmaev gets only these completions.
	 */
	if (scq->kind == SAMPLE_ATTACHED)
		rdmaev_count_wc(scq->rcq, wc);
	take(scq, wc);
}

/* Its own requests have no done(), as nobody else calls that; drain requests have. */
static void polled(struct sample_cq *scq, struct ib_wc *wc)
{
	if (wc->wr_cqe->done)
		wc->wr_cqe->done(scq->rcq->cq, wc);
	else
		request_done(scq->rcq->cq, wc);
}

/*
 * The loop of a ULP that polls itself: poll until the CQ is empty, arm it, and
 * poll again if a completion came before that. IB_CQ_REPORT_MISSED_EVENTS makes
 * drivers report this; without it, a ULP has to poll once more after each
 * arming, mostly in vain.
 */
static void poll_work(struct work_struct *work)
{
	struct sample_cq *scq = container_of(work, struct sample_cq, work);
	struct ib_wc wc[BATCH];
	int i, n;

	/* Runs once more when the CQ is destroyed: see sample_cq_destroy(). */
	if (READ_ONCE(scq->held))
		return;
	do {
		while ((n = rdmaev_poll_cq(scq->rcq, BATCH, wc)) > 0) {
			for (i = 0; i < n; i++)
				polled(scq, &wc[i]);
			cond_resched();
		}
	} while (ib_req_notify_cq(scq->rcq->cq, IB_CQ_NEXT_COMP |
				  IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

/*
 * The notification: with interrupts off, with some drivers under the lock of
 * the CQ. So it leaves everything to the work item; arming or polling here
 * deadlocks.
 */
static void notified(struct ib_cq *cq, void *context)
{
	struct sample_cq *scq = context;

	queue_work(system_dfl_wq, &scq->work);
}

/* rdmaev has recorded it already. No more completions will come. */
static void cq_event(struct ib_event *event, void *context)
{
	struct sample_cq *scq = context;

	WRITE_ONCE(scq->end->cq_failed, true);
	sample_note_event(scq->end, "cq", event->element.cq->res.id,
			  event->event);
}

/*
 * RDMAEV_CQ_NAME_QP: a QP is destroyed when all its completions were polled,
 * see end_qps() in sample_conn.c. RDMAEV_CQ_WR_CQE: all requests have a wr_cqe.
 */
static struct rdmaev_cq *create(struct sample_cq *scq, unsigned int cqe)
{
	struct ib_cq_init_attr attr = { .cqe = cqe };
	struct rdmaev_cq *rcq;

	INIT_WORK(&scq->work, poll_work);
	rcq = rdmaev_create_cq(&sample_ulp, scq->end->id->device, notified,
			       cq_event, scq, &attr,
			       RDMAEV_CQ_NAME_QP | RDMAEV_CQ_WR_CQE);
	if (!IS_ERR(rcq))
		ib_req_notify_cq(rcq->cq, IB_CQ_NEXT_COMP);
	return rcq;
}

static struct rdmaev_cq *attach(struct sample_cq *scq, unsigned int cqe,
				enum ib_poll_context context)
{
	struct rdmaev_cq *rcq;
	struct ib_cq *cq;

	cq = ib_alloc_cq(scq->end->id->device, scq, cqe, 0, context);
	if (IS_ERR(cq))
		return ERR_CAST(cq);
	rcq = rdmaev_attach_cq(&sample_ulp, cq,
			       RDMAEV_CQ_NAME_QP | RDMAEV_CQ_WR_CQE);
	if (IS_ERR(rcq))
		ib_free_cq(cq);
	return rcq;
}

/**
 * sample_cq_create - make the CQ of a work queue
 * @scq: CQ, with its end, queue and kind
 * @cqe: completions that it can hold, at least
 *
 * Context: process, before there are QPs that use it.
 *
 * Return: 0 or -errno.
 */
int sample_cq_create(struct sample_cq *scq, unsigned int cqe)
{
	struct rdmaev_cq *rcq;

	/* See polled() */
	scq->cqe.done = scq->kind == SAMPLE_CREATED ? NULL : request_done;
	switch (scq->kind) {
	case SAMPLE_CREATED:
		rcq = create(scq, cqe);
		break;
	case SAMPLE_ATTACHED:
		rcq = attach(scq, cqe, IB_POLL_WORKQUEUE);
		break;
	case SAMPLE_DIRECT:
		rcq = attach(scq, cqe, IB_POLL_DIRECT);
		break;
	default:
		return -EINVAL;
	}
	if (IS_ERR(rcq))
		return PTR_ERR(rcq);
	scq->rcq = rcq;
	scq->number = rcq->cq->res.id;
	return 0;
}

/**
 * sample_cq_destroy - destroy the CQ of a work queue
 * @scq: CQ, created or not; no QP uses it any more
 *
 * Context: process.
 */
void sample_cq_destroy(struct sample_cq *scq)
{
	struct rdmaev_cq *rcq = scq->rcq;
	struct ib_cq *cq;

	if (!rcq)
		return;
	switch (scq->kind) {
	case SAMPLE_CREATED:
		/*
		 * Until the CQ is destroyed, a notification may start the work
		 * item again, which then has to leave the CQ alone.
		 */
		WRITE_ONCE(scq->held, true);
		flush_work(&scq->work);
		rdmaev_destroy_cq(rcq);
		flush_work(&scq->work);
		break;
	case SAMPLE_ATTACHED:
	case SAMPLE_DIRECT:
		cq = rcq->cq;
		rdmaev_detach_cq(rcq);
		ib_free_cq(cq);
		break;
	default:
		break;
	}
	scq->rcq = NULL;
}

/**
 * sample_cq_release - poll a CQ that was held
 * @scq: CQ, SAMPLE_CREATED
 */
void sample_cq_release(struct sample_cq *scq)
{
	WRITE_ONCE(scq->held, false);
	queue_work(system_dfl_wq, &scq->work);
}

/**
 * sample_cq_poll - poll a CQ that nobody else polls
 * @scq: CQ; nothing is done unless it is SAMPLE_DIRECT
 *
 * Context: that of the ULP, one at a time.
 */
void sample_cq_poll(struct sample_cq *scq)
{
	struct ib_wc wc[BATCH];
	int i, n;

	if (scq->kind != SAMPLE_DIRECT || !scq->rcq)
		return;
	do {
		n = ib_poll_cq(scq->rcq->cq, BATCH, wc);
		/*
		 * First, as in request_done(); also after a poll that finds
		 * nothing.
		 */
		rdmaev_count_poll(scq->rcq, wc, n);
		for (i = 0; i < n; i++)
			take(cq_of(&wc[i]), &wc[i]);
	} while (n > 0);
}
