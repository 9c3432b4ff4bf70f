// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting requests: the wr_cqe of each names its queue. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "sample.h"

/**
 * sample_good_request - return a valid request
 * @conn: connection
 * @opcode: what to do
 *
 * Return: the request.
 */
struct sample_request sample_good_request(struct sample_conn *conn,
					  enum ib_wr_opcode opcode)
{
	const bool is_atomic = opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
			       opcode == IB_WR_ATOMIC_FETCH_AND_ADD;

	return (struct sample_request) {
		.opcode = opcode,
		.addr = conn->active.addr,
		.length = is_atomic ? sizeof(u64) : SAMPLE_MESSAGE,
		.lkey = conn->active.pd->local_dma_lkey,
		.remote_addr = conn->passive.addr,
		.rkey = conn->passive.pd->unsafe_global_rkey,
	};
}

/*
 * One of the members of a union: opcode and QP determine which one a driver
 * uses.
 */
union send_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
};

static void fill(union send_wr *w, const struct sample_end *end,
		 const struct sample_request *req)
{
	switch (req->opcode) {
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		w->atomic.remote_addr = req->remote_addr;
		w->atomic.rkey = req->rkey;
		w->atomic.compare_add = 1;
		break;
	case IB_WR_SEND_WITH_INV:
		w->wr.ex.invalidate_rkey = req->rkey;
		break;
	case IB_WR_SEND:
		if (!end->ah)
			break;
		w->ud.ah = end->ah;
		w->ud.remote_qpn = end->remote_qpn;
		w->ud.remote_qkey = end->remote_qkey;
		break;
	default:
		w->rdma.remote_addr = req->remote_addr;
		w->rdma.rkey = req->rkey;
		break;
	}
}

/**
 * sample_post - post a request to the active end
 * @conn: connection
 * @req: request
 * @count: number of copies, posted at once
 *
 * Return: 0 or -errno, also from the driver.
 */
int sample_post(struct sample_conn *conn, const struct sample_request *req,
		unsigned int count)
{
	struct sample_end *end = &conn->active;
	struct sample_cq *scq = &end->cq[SAMPLE_SEND];
	struct ib_sge sge = {
		.addr = req->addr,
		.length = req->length,
		.lkey = req->lkey,
	};
	const struct ib_send_wr *bad;
	union send_wr *w;
	unsigned int i;
	int ret;

	w = kvcalloc(count, sizeof(*w), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		w[i].wr.next = i + 1 < count ? &w[i + 1].wr : NULL;
		w[i].wr.wr_cqe = &scq->cqe;
		w[i].wr.sg_list = &sge;
		w[i].wr.num_sge = 1;
		w[i].wr.opcode = req->opcode;
		fill(&w[i], end, req);
	}
	ret = ib_post_send(end->id->qp, &w[0].wr, &bad);
	if (!ret)
		scq->posted += count;
	kvfree(w);
	return ret;
}

/**
 * sample_post_recvs - post receive requests
 * @end: end
 * @addr: destination of the messages
 * @length: their maximum length
 * @lkey: for that
 * @count: number of requests
 *
 * Return: 0 or -errno.
 */
int sample_post_recvs(struct sample_end *end, u64 addr, u32 length, u32 lkey,
		      unsigned int count)
{
	struct sample_cq *scq = &end->cq[SAMPLE_RECV];
	struct ib_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &scq->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};
	const struct ib_recv_wr *bad;
	int ret = 0;

	while (!ret && count--) {
		ret = end->srq ? ib_post_srq_recv(end->srq, &wr, &bad) :
				 ib_post_recv(end->id->qp, &wr, &bad);
		if (!ret)
			scq->posted++;
	}
	return ret;
}

/**
 * sample_post_good_recvs - post valid receive requests
 * @end: end
 * @count: number of requests
 *
 * Return: 0 or -errno.
 */
int sample_post_good_recvs(struct sample_end *end, unsigned int count)
{
	u32 length = SAMPLE_MESSAGE;

	if (end->conn->setup->ud)
		length += SAMPLE_GRH;
	return sample_post_recvs(end, end->addr, length,
				 end->pd->local_dma_lkey, count);
}
