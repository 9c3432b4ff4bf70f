/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A program that uses libibverbs: two QPs on one CQ */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "verbs.h"

/* Two QPs that are connected with each other, or not yet */
struct program {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel;	/* of the CQ, or NULL */
	struct ibv_qp *qp[2];
	union ibv_gid gid;
	int gid_index;	/* of @gid; 0 unless it has been set */
};

/* On @dev; with a completion channel if @events. Returns 0 if it fails. */
static inline int program_begin(struct program *p, const char *dev, int events)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	int i;

	p->ctx = verbs_open(dev);
	p->pd = p->ctx ? ibv_alloc_pd(p->ctx) : NULL;
	p->channel = p->pd && events ? ibv_create_comp_channel(p->ctx) : NULL;
	p->cq = p->pd ? ibv_create_cq(p->ctx, 15, NULL, p->channel, 0) : NULL;
	if (!p->cq || (events && !p->channel) || ibv_query_gid(p->ctx, 1, 0, &p->gid))
		return 0;
	attr.send_cq = p->cq;
	attr.recv_cq = p->cq;
	for (i = 0; i < 2; i++) {
		p->qp[i] = ibv_create_qp(p->pd, &attr);
		if (!p->qp[i])
			return 0;
	}
	return 1;
}

static inline void program_end(struct program *p)
{
	ibv_destroy_qp(p->qp[0]);
	ibv_destroy_qp(p->qp[1]);
	ibv_destroy_cq(p->cq);
	if (p->channel)
		ibv_destroy_comp_channel(p->channel);
	ibv_dealloc_pd(p->pd);
	ibv_close_device(p->ctx);
}

/* One more QP, with another CQ for receives */
static inline struct ibv_qp *program_qp(const struct program *p, struct ibv_cq *recv_cq)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.send_cq = p->cq,
		.recv_cq = recv_cq,
	};

	return ibv_create_qp(p->pd, &attr);
}

static inline int move(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static inline int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

/* Use the address of the port in IPv4. Returns 0 if it has none. */
static inline int program_find_ipv4(struct program *p)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };
	int i;

	for (i = 0; !ibv_query_gid(p->ctx, 1, i, &p->gid); i++) {
		if (memcmp(p->gid.raw, prefix, sizeof(prefix)))
			continue;
		p->gid_index = i;
		return 1;
	}
	return 0;
}

/* From the GID with an index */
static inline int connect_to_by(struct ibv_qp *qp, uint32_t peer, const union ibv_gid *gid,
				int index)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = *gid, .hop_limit = 1,
				      .sgid_index = index } },
	};
	int ret = to_init(qp);

	if (ret)
		return ret;
	ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS,
		.timeout = 17,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static inline int connect_to(struct ibv_qp *qp, uint32_t peer, const union ibv_gid *gid)
{
	return connect_to_by(qp, peer, gid, 0);
}

#endif /* PROGRAM_H */
