// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev_ulp: CQs and QPs under load, and their completions */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ulp.h"

#define POLL_BATCH	8

/*
 * Another source than that of the objects: tests look at the share that one has
 * beside the other.
 */
struct rdmaev_ulp run_ulp = RDMAEV_ULP_INIT("cqtest");
struct workqueue_struct *run_wq;

int parse_kind(const char *name)
{
	static const char * const names[] = {
		[CREATED] = "created",
		[ATTACHED] = "attached",
		[DIRECT] = "direct",
		[POOL] = "pool",
		[SOFTIRQ] = "softirq",
		[WORKQUEUE] = "workqueue",
		[PROCESSED] = "processed",
		[POLLED] = "polled",
	};

	return match_string(names, ARRAY_SIZE(names), name);
}

/* Written after the documentation of verbs, not after rdmaev's table. */
static enum rdmaev_wc_opcode kind_of(enum ib_wc_opcode opcode)
{
	switch (opcode) {
	case IB_WC_SEND:
	case IB_WC_LSO:
		return RDMAEV_OPCODE_SEND;
	case IB_WC_RDMA_WRITE:
		return RDMAEV_OPCODE_WRITE;
	case IB_WC_RDMA_READ:
		return RDMAEV_OPCODE_READ;
	case IB_WC_COMP_SWAP:
	case IB_WC_FETCH_ADD:
	case IB_WC_MASKED_COMP_SWAP:
	case IB_WC_MASKED_FETCH_ADD:
		return RDMAEV_OPCODE_ATOMIC;
	case IB_WC_REG_MR:
	case IB_WC_LOCAL_INV:
	case IB_WC_BIND_MW:
		return RDMAEV_OPCODE_MEMORY;
	case IB_WC_RECV:
		return RDMAEV_OPCODE_RECV;
	case IB_WC_RECV_RDMA_WITH_IMM:
		return RDMAEV_OPCODE_RECV_IMM;
	default:
		return RDMAEV_OPCODE_OTHER;
	}
}

void count(struct wc_counts *counts, const struct ib_wc *wc)
{
	u32 status = min_t(u32, wc->status, RDMAEV_WC_STATUSES - 1);

	if (status == IB_WC_SUCCESS)
		atomic_long_inc(&counts->success[kind_of(wc->opcode)]);
	else
		atomic_long_inc(&counts->failures[status]);
}

void consume(const struct ib_wc *wc)
{
	struct qp *qp = container_of(wc->wr_cqe, struct qp, cqe);
	struct cq *cq = qp->cq;

	if (READ_ONCE(cq->dead))
		atomic_inc(&cq->late);
	count(&cq->counts, wc);
	/* The memory may be freed as soon as the waiting thread sees this. */
	atomic_long_inc(&qp->consumed);
}

static bool is_attached(const struct cq *cq)
{
	return cq->kind == ATTACHED || cq->kind == DIRECT || cq->kind == POOL;
}

static void done(struct ib_cq *ib, struct ib_wc *wc)
{
	struct qp *qp = container_of(wc->wr_cqe, struct qp, cqe);

	/* The core polls a DIRECT one, too, while it drains a QP. */
	if (is_attached(qp->cq))
		rdmaev_count_wc(qp->cq->rcq, wc);
	consume(wc);
}

/* Poll once; returns the number of completions. */
int poll(struct cq *cq, int n)
{
	struct ib_wc wc[POLL_BATCH];
	int i;

	n = min(n, POLL_BATCH);
	atomic_long_inc(&cq->polls);
	if (cq->kind == PROCESSED)
		return ib_process_cq_direct(cq->rcq->cq, n);
	if (cq->kind == DIRECT || cq->kind == POLLED) {
		n = ib_poll_cq(cq->rcq->cq, n, wc);
		if (cq->kind == DIRECT)
			rdmaev_count_poll(cq->rcq, wc, n);
	} else {
		n = rdmaev_poll_cq(cq->rcq, n, wc);
	}
	for (i = 0; i < n; i++)
		consume(&wc[i]);
	return n;
}

static void qp_event(struct ib_event *event, void *context)
{
	rdmaev_report(&run_ulp, event);
}

static void cq_event(struct ib_event *event, void *context)
{
	struct cq *cq = context;

	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(&cq->overruns);
}

/* The driver's lock of the CQ is held: it must not be polled or armed here. */
void completed(struct ib_cq *ib, void *context)
{
	struct cq *cq = context;

	if (READ_ONCE(cq->dead))
		atomic_inc(&cq->late);
	if (!irqs_disabled())
		atomic_inc(&cq->irqs_on);
	atomic_long_inc(&cq->wakes);
	if (cq->wake)
		cq->wake(cq);
}

static struct ib_cq *alloc_ib_cq(struct cq *cq)
{
	static const enum ib_poll_context contexts[] = {
		[ATTACHED] = IB_POLL_SOFTIRQ,
		[DIRECT] = IB_POLL_DIRECT,
		[SOFTIRQ] = IB_POLL_SOFTIRQ,
		[WORKQUEUE] = IB_POLL_UNBOUND_WORKQUEUE,
		[PROCESSED] = IB_POLL_DIRECT,
	};

	if (cq->kind == POOL)
		return ib_cq_pool_get(cq->kit->ib, cq->cqe, 0, IB_POLL_SOFTIRQ);
	return ib_alloc_cq(cq->kit->ib, cq, cq->cqe, 0, contexts[cq->kind]);
}

static void free_ib_cq(struct cq *cq, struct ib_cq *ib)
{
	if (cq->kind == POOL)
		ib_cq_pool_put(ib, cq->cqe);
	else
		ib_free_cq(ib);
}

/* A CQ of ib_core, which rdmaev knows by rdmaev_attach_cq() or not at all */
static struct rdmaev_cq *attach(struct cq *cq, unsigned int flags)
{
	struct ib_cq *ib = alloc_ib_cq(cq);
	struct rdmaev_cq *rcq;

	if (IS_ERR(ib))
		return ERR_CAST(ib);
	cq->plain.cq = ib;
	if (!is_attached(cq))
		return &cq->plain;
	rcq = rdmaev_attach_cq(cq->ulp ?: &run_ulp, ib, flags);
	if (IS_ERR(rcq))
		free_ib_cq(cq, ib);
	return rcq;
}

/*
 * @cq: zero, or with ulp, or with wake and its work. QPs are destroyed when all is polled,
 *	unless the flags have NO_PROMISE.
 */
int make_cq(struct cq *cq, struct kit *kit, enum cq_kind kind, u32 cqe,
	    unsigned int flags)
{
	struct ib_cq_init_attr attr = { .cqe = cqe };

	flags = flags & NO_PROMISE ? flags & ~NO_PROMISE :
				     flags | RDMAEV_CQ_NAME_QP;
	cq->kit = kit;
	cq->kind = kind;
	cq->cqe = cqe;
	switch (kind) {
	case CREATED:
		cq->rcq = rdmaev_create_cq(&run_ulp, kit->ib, completed,
					   cq_event, cq, &attr, flags);
		break;
	case POLLED:
		cq->plain.cq = ib_create_cq(kit->ib, NULL, cq_event, cq, &attr);
		if (IS_ERR(cq->plain.cq))
			return PTR_ERR(cq->plain.cq);
		cq->rcq = &cq->plain;
		break;
	default:
		cq->rcq = attach(cq, flags);
		break;
	}
	return PTR_ERR_OR_ZERO(cq->rcq);
}

/* It has no QPs any more, and only its owner uses it. */
void destroy_cq(struct cq *cq)
{
	struct ib_cq *ib = cq->rcq->cq;

	if (cq->kind == CREATED) {
		rdmaev_destroy_cq(cq->rcq);
	} else if (cq->kind == POLLED) {
		ib_destroy_cq(ib);
	} else {
		if (is_attached(cq))
			rdmaev_detach_cq(cq->rcq);
		free_ib_cq(cq, ib);
	}
	WRITE_ONCE(cq->dead, true);
}

/* Destroy the kept CQ. */
void forget(struct kit *kit)
{
	if (!kit->kept)
		return;
	destroy_cq(kit->kept);
	kfree(kit->kept);
	kit->kept = NULL;
}

int init_qp(struct ib_qp *qp, u32 port)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = port };

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_ACCESS_FLAGS);
}

int connect_qp(struct ib_qp *qp, u32 port)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.dest_qp_num = qp->qp_num,
		.path_mtu = IB_MTU_4096,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
	};
	int ret;

	ret = init_qp(qp, port);
	if (ret)
		return ret;
	rdma_ah_set_port_num(&attr.ah_attr, port);
	/* Simulated QPs reach themselves by any. */
	if (rdma_protocol_ib(qp->device, port)) {
		attr.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
		rdma_ah_set_dlid(&attr.ah_attr, 4711);
	}
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV |
			   IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			    IB_QP_MAX_QP_RD_ATOMIC);
}

/* All failures were polled. The QP can be used again. */
int reset_qp(struct ib_qp *qp, u32 port)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	int ret;

	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	rdmaev_qp_flushed(qp);
	return connect_qp(qp, port);
}

int error_qp(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

/* Completions are counted in @send_cq, also those of @recv_cq. */
int make_qp(struct qp *qp, struct cq *send_cq, struct cq *recv_cq, u32 port)
{
	struct ib_qp_init_attr init = {
		.send_cq = send_cq->rcq->cq,
		.recv_cq = recv_cq->rcq->cq,
		.cap = {
			.max_send_wr = 64,
			.max_recv_wr = 64,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
		.event_handler = qp_event,
	};
	int ret;

	qp->cq = send_cq;
	qp->cqe.done = done;
	atomic_long_set(&qp->consumed, 0);
	qp->ib = ib_create_qp(send_cq->kit->pd, &init);
	if (IS_ERR(qp->ib))
		return PTR_ERR(qp->ib);
	ret = connect_qp(qp->ib, port);
	if (ret)
		ib_destroy_qp(qp->ib);
	return ret;
}

/* All failures were polled. */
void destroy_qp(struct qp *qp)
{
	rdmaev_qp_flushed(qp->ib);
	ib_destroy_qp(qp->ib);
}

void post_recv(struct qp *qp, unsigned int n)
{
	struct ib_recv_wr wr = { .wr_cqe = &qp->cqe };

	while (n--)
		WARN_ON(ib_post_recv(qp->ib, &wr, NULL));
}

void post(struct qp *qp, enum ib_wr_opcode opcode)
{
	/* Drivers may allocate a larger one. */
	struct ib_rdma_wr wr = {
		.wr.wr_cqe = &qp->cqe,
		.wr.opcode = opcode,
	};

	WARN_ON(ib_post_send(qp->ib, &wr.wr, NULL));
}

/* Post a request that fails with LOC_QP_OP_ERR. */
void post_bad(struct qp *qp)
{
	post(qp, IB_WR_RESERVED1);
}

/* Wait until @n completions were consumed; false if they do not come. */
bool wait_consumed(struct qp *qp, long n)
{
	unsigned long end = jiffies + 10 * HZ;

	while (atomic_long_read(&qp->consumed) < n) {
		if (time_after(jiffies, end))
			return false;
		usleep_range(5, 20);
	}
	return true;
}
