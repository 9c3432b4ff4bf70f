// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* State and failures of QPs that were added to a loop. */
#include <errno.h>
#include <string.h>

#include "loop.h"

void event_set_qp_state(struct rdmaev_verbs_event *ev, struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		return;
	ev->qp_state = attr.qp_state;
	ev->flags |= RDMAEV_VERBS_QP_STATE;
}

struct failed_qp {
	const struct ibv_cq *cq;
	uint32_t number;
};

static bool qp_has_failed(const struct entry *e, const void *arg)
{
	const struct ibv_qp *qp = e->object;
	const struct failed_qp *f = arg;

	return e->kind == ENTRY_QP && qp->qp_num == f->number &&
	       (qp->send_cq == f->cq || qp->recv_cq == f->cq);
}

/* A QP that was reset since may fail for another reason. */
static void qp_forget_failure(struct entry *e, const struct rdmaev_verbs_event *ev)
{
	if (ev->flags & RDMAEV_VERBS_QP_STATE && ev->qp_state != IBV_QPS_ERR &&
	    ev->qp_state != IBV_QPS_SQE)
		e->failed = 0;
}

static void qp_set_failure(struct rdmaev_verbs_event *ev, struct entry *e)
{
	ev->object = (void *)(uintptr_t)e->object;
	ev->user = e->user;
	e->doubtful = true;
	event_set_qp_state(ev, ev->object);
	if (ev->code == IBV_WC_WR_FLUSH_ERR) {
		ev->flags |= RDMAEV_VERBS_FLUSHED;
	} else if (!e->failed) {
		ev->flags |= RDMAEV_VERBS_FIRST;
		e->failed = ev->code;
	}
	ev->first_status = e->failed;
	qp_forget_failure(e, ev);
}

int rdmaev_loop_wc_sized(struct rdmaev_loop *loop, struct ibv_cq *cq,
			 const struct ibv_wc *wc, struct rdmaev_verbs_event *ev,
			 size_t entry_size)
{
	struct failed_qp f = { cq, wc->qp_num };
	struct rdmaev_verbs_event failure = {
		.type = RDMAEV_VERBS_WC,
		.code = wc->status,
		.object_type = RDMAEV_OBJECT_QP,
		.number = wc->qp_num,
		.context = cq->context,
	};
	struct entry *added, *qp;
	int state;

	if (wc->status == IBV_WC_SUCCESS || entry_size < sizeof(failure)) {
		errno = EINVAL;
		return -1;
	}
	failure.boottime_ns = loop_now();
	event_set_words(&failure, RDMAEV_KIND_WC);
	state = loop_lock(loop);
	added = loop_find(loop, cq);
	qp = loop_search(loop, qp_has_failed, &f);
	failure.id = ++loop->last_id;
	if (qp)
		qp_set_failure(&failure, qp);
	loop_unlock(loop, state);
	if (!added) {
		errno = ENOENT;
		return -1;
	}
	*ev = failure;
	return 0;
}

/* libibverbs keeps the state that ibv_modify_qp() or ibv_query_qp() came to. */
static int qp_ask_state(struct entry *e, struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int error;

	if (e->doubtful) {
		error = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
		if (error)
			return -error;
		e->doubtful = false;
	}
	return qp->state;
}

int rdmaev_loop_qp_state(struct rdmaev_loop *loop, struct ibv_qp *qp)
{
	int state = loop_lock(loop), ret = -ENOENT;
	struct entry *e = loop_find(loop, qp);

	if (e)
		ret = qp_ask_state(e, qp);
	loop_unlock(loop, state);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}
