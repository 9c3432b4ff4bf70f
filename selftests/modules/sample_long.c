// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages longer than the port allows (max_msg_sz), without as much memory: a
 * memory region that has the same page repeatedly.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>

#include "sample.h"

/*
 * siw has no limit, newer soft RoCE has this one. They refuse longer messages
 * before they access the memory, so none is needed.
 */
#define LONGEST		0x80000000U
#define UNTOUCHED	0xc0000000U

/**
 * struct long_buf - memory of more than max_msg_sz
 * @addr: DMA address
 * @length: its length
 * @lkey: L_Key
 * @rkey: R_Key
 * @mr: region, NULL if there is no memory
 * @pages: of the region
 */
struct long_buf {
	u64 addr;
	u32 length;
	u32 lkey;
	u32 rkey;
	struct ib_mr *mr;
	struct sg_table pages;
};

static int register_mr(struct sample_end *end, struct ib_mr *mr)
{
	struct sample_cq *scq = &end->cq[SAMPLE_SEND];
	struct ib_reg_wr wr = {
		.wr.wr_cqe = &scq->cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ |
			  IB_ACCESS_REMOTE_WRITE,
	};
	const struct ib_send_wr *bad;
	int ret = ib_post_send(end->id->qp, &wr.wr, &bad);

	if (ret)
		return ret;
	scq->posted++;
	return sample_wait_done(scq, scq->posted);
}

static int map_pages(struct sample_end *end, struct long_buf *b,
		     unsigned int count)
{
	struct ib_device *ib = end->id->device;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	ret = sg_alloc_table(&b->pages, count, GFP_KERNEL);
	if (ret)
		return ret;
	for_each_sg(b->pages.sgl, sg, count, i)
		sg_set_buf(sg, end->buf, SAMPLE_BUF_SIZE);
	if (ib_dma_map_sg(ib, b->pages.sgl, count, DMA_BIDIRECTIONAL) == count)
		return 0;
	sg_free_table(&b->pages);
	return -ENOMEM;
}

static void put_long_buf(struct sample_end *end, struct long_buf *b)
{
	if (!b->mr)
		return;
	ib_dereg_mr(b->mr);
	ib_dma_unmap_sg(end->id->device, b->pages.sgl, b->pages.orig_nents,
			DMA_BIDIRECTIONAL);
	sg_free_table(&b->pages);
}

static int get_long_buf(struct sample_end *end, struct long_buf *b)
{
	struct ib_port_attr port;
	unsigned int count;
	struct ib_mr *mr;
	int ret;

	memset(b, 0, sizeof(*b));
	ret = ib_query_port(end->id->device, end->id->port_num, &port);
	if (ret)
		return ret;
	if (port.max_msg_sz >= LONGEST) {
		b->addr = end->addr;
		b->length = UNTOUCHED;
		b->lkey = end->pd->local_dma_lkey;
		b->rkey = end->pd->unsafe_global_rkey;
		return 0;
	}

	b->length = port.max_msg_sz + SAMPLE_MESSAGE;
	count = DIV_ROUND_UP(b->length, SAMPLE_BUF_SIZE);
	ret = map_pages(end, b, count);
	if (ret)
		return ret;
	mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, count);
	if (IS_ERR(mr)) {
		ib_dma_unmap_sg(end->id->device, b->pages.sgl, count,
				DMA_BIDIRECTIONAL);
		sg_free_table(&b->pages);
		return PTR_ERR(mr);
	}
	b->mr = mr;
	ret = ib_map_mr_sg(mr, b->pages.sgl, count, NULL, SAMPLE_BUF_SIZE);
	if (ret == count) {
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
		ret = register_mr(end, mr);
	} else {
		ret = ret < 0 ? ret : -EINVAL;
	}
	if (ret) {
		put_long_buf(end, b);
		return ret;
	}
	b->addr = mr->iova;
	b->lkey = mr->lkey;
	b->rkey = mr->rkey;
	return 0;
}

static int make_long(struct sample_conn *conn, enum ib_wr_opcode opcode,
		     bool recv)
{
	struct sample_end *active = &conn->active, *passive = &conn->passive;
	struct sample_request req = { .opcode = opcode };
	struct long_buf local, remote;
	int ret;

	ret = get_long_buf(active, &local);
	if (ret)
		return ret;
	ret = get_long_buf(passive, &remote);
	if (ret)
		goto out;

	if (recv && remote.mr)
		ret = sample_post_recvs(passive, remote.addr, remote.length,
					remote.lkey, 1);
	else if (recv)
		ret = sample_post_good_recvs(passive, 1);
	req.addr = local.addr;
	req.length = local.length;
	req.lkey = local.lkey;
	req.remote_addr = remote.addr;
	req.rkey = remote.rkey;
	if (!ret)
		ret = sample_post(conn, &req, 1);
	if (!ret)
		ret = sample_wait_done(&active->cq[SAMPLE_SEND],
				       active->cq[SAMPLE_SEND].posted);
	put_long_buf(passive, &remote);
out:
	put_long_buf(active, &local);
	return ret;
}

int sample_make_send_long(struct sample_conn *conn)
{
	return make_long(conn, IB_WR_SEND, true);
}

int sample_make_write_long(struct sample_conn *conn)
{
	return make_long(conn, IB_WR_RDMA_WRITE, false);
}

int sample_make_write_imm_long(struct sample_conn *conn)
{
	return make_long(conn, IB_WR_RDMA_WRITE_WITH_IMM, true);
}

int sample_make_read_long(struct sample_conn *conn)
{
	return make_long(conn, IB_WR_RDMA_READ, false);
}
