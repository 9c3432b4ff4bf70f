// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The faults. Each is made to happen; what the device and its driver then tell,
 * by completion and by event, differs, and is what tests are about.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "faults.h"

/*
 * So short that siw sends one in a piece. It fails a longer one that SQD
 * interrupts.
 */
#define MESSAGE		16

/* More than a device can do while we look whether it has begun. */
#define MANY_WR		8192

static int wait_wcs(struct faults_end *end, enum faults_queue queue,
		    unsigned int count)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(FAULTS_TIMEOUT_MS);

	while (faults_poll(end, queue) < count) {
		if (time_after(jiffies, deadline))
			return -ETIMEDOUT;
		usleep_range(20, 50);
	}
	return 0;
}

/* Post so many of a request to the active end, all at once. */
static int post_sends(struct faults_conn *conn, enum ib_wr_opcode opcode,
		      u32 rkey, u32 lkey, unsigned int count)
{
	struct faults_end *end = &conn->active;
	struct ib_sge sge = {
		.addr = end->addr,
		.length = MESSAGE,
		.lkey = lkey,
	};
	const struct ib_send_wr *bad;
	struct ib_rdma_wr *wr;
	unsigned int i;
	int ret;

	wr = kvcalloc(count, sizeof(*wr), GFP_KERNEL);
	if (!wr)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		wr[i].wr.next = i + 1 < count ? &wr[i + 1].wr : NULL;
		wr[i].wr.wr_id = i;
		wr[i].wr.sg_list = &sge;
		wr[i].wr.num_sge = 1;
		wr[i].wr.opcode = opcode;
		wr[i].remote_addr = conn->passive.addr;
		wr[i].rkey = rkey;
	}
	ret = ib_post_send(end->id->qp, &wr[0].wr, &bad);
	kvfree(wr);
	return ret;
}

static int post_good_sends(struct faults_conn *conn, enum ib_wr_opcode opcode,
			   unsigned int count)
{
	return post_sends(conn, opcode, conn->passive.pd->unsafe_global_rkey,
			  conn->active.pd->local_dma_lkey, count);
}

static int post_recvs(struct faults_end *end, u32 lkey, u32 length,
		      unsigned int count)
{
	struct ib_sge sge = {
		.addr = end->addr,
		.length = length,
		.lkey = lkey,
	};
	struct ib_recv_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
	};
	const struct ib_recv_wr *bad;
	int ret = 0;

	while (!ret && count--) {
		ret = end->srq ? ib_post_srq_recv(end->srq, &wr, &bad) :
				 ib_post_recv(end->id->qp, &wr, &bad);
	}
	return ret;
}

static int post_good_recvs(struct faults_end *end, unsigned int count)
{
	return post_recvs(end, end->pd->local_dma_lkey, MESSAGE, count);
}

/* One request, the R_Key of which may be wrong; however it ends. */
static int remote_access(struct faults_conn *conn, enum ib_wr_opcode opcode,
			 u32 rkey)
{
	int ret = post_sends(conn, opcode, rkey,
			     conn->active.pd->local_dma_lkey, 1);

	return ret ?: wait_wcs(&conn->active, FAULTS_SEND, 1);
}

/* An R_Key that there is, but of another PD. */
static u32 foreign_rkey(struct faults_conn *conn)
{
	return conn->active.pd->unsafe_global_rkey;
}

/*
 * An R_Key that there is not: devices take what comes above the low byte for an
 * index, and no device has that many.
 */
#define UNKNOWN_RKEY	0xfffffe00

/* RTS to SQD with sends outstanding: some are done, most are not. */
static int make_sq_drained(struct faults_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD };
	int ret = post_good_sends(conn, IB_WR_RDMA_WRITE, MANY_WR);

	if (!ret)
		ret = wait_wcs(&conn->active, FAULTS_SEND, 1);
	return ret ?: ib_modify_qp(conn->active.id->qp, &attr, IB_QP_STATE);
}

/* One receive request fewer than the limit that the SRQ was armed with. */
static int make_srq_limit(struct faults_conn *conn)
{
	struct ib_srq_attr attr = { .srq_limit = 4 };
	int ret = post_good_recvs(&conn->passive, 8);

	if (!ret)
		ret = ib_modify_srq(conn->passive.srq, &attr, IB_SRQ_LIMIT);
	if (!ret)
		ret = post_good_sends(conn, IB_WR_SEND, 5);
	if (!ret)
		ret = wait_wcs(&conn->passive, FAULTS_RECV, 5);
	return ret;
}

/*
 * One completion more than the CQ holds. Polling makes room, so that has to wait
 * for the event, or as long as one could take to come.
 */
static int make_cq_overflow(struct faults_conn *conn)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(FAULTS_TIMEOUT_MS);
	int ret = post_good_sends(conn, IB_WR_RDMA_WRITE,
				  conn->active.cq[FAULTS_SEND]->cqe + 1);

	while (!ret && !READ_ONCE(conn->events) &&
	       time_before(jiffies, deadline))
		usleep_range(1000, 2000);
	return ret;
}

/* A QP that has received from an SRQ goes to Error. */
static int make_last_wqe(struct faults_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret = post_good_recvs(&conn->passive, 4);

	if (!ret)
		ret = post_good_sends(conn, IB_WR_SEND, 1);
	if (!ret)
		ret = wait_wcs(&conn->passive, FAULTS_RECV, 1);
	if (!ret)
		ret = ib_modify_qp(conn->passive.id->qp, &attr, IB_QP_STATE);
	return ret;
}

static int make_write_foreign_rkey(struct faults_conn *conn)
{
	return remote_access(conn, IB_WR_RDMA_WRITE, foreign_rkey(conn));
}

static int make_write_unknown_rkey(struct faults_conn *conn)
{
	return remote_access(conn, IB_WR_RDMA_WRITE, UNKNOWN_RKEY);
}

static int make_read_foreign_rkey(struct faults_conn *conn)
{
	return remote_access(conn, IB_WR_RDMA_READ, foreign_rkey(conn));
}

static int make_read_unknown_rkey(struct faults_conn *conn)
{
	return remote_access(conn, IB_WR_RDMA_READ, UNKNOWN_RKEY);
}

/* The L_Key of a SEND is of another PD. */
static int make_send_foreign_lkey(struct faults_conn *conn)
{
	int ret = post_good_recvs(&conn->passive, 1);

	if (!ret)
		ret = post_sends(conn, IB_WR_SEND, 0,
				 conn->passive.pd->local_dma_lkey, 1);
	return ret ?: wait_wcs(&conn->active, FAULTS_SEND, 1);
}

static int make_bad_recv(struct faults_conn *conn, u32 lkey, u32 length)
{
	int ret = post_recvs(&conn->passive, lkey, length, 1);

	if (!ret)
		ret = post_good_sends(conn, IB_WR_SEND, 1);
	if (!ret)
		ret = wait_wcs(&conn->passive, FAULTS_RECV, 1);
	return ret ?: wait_wcs(&conn->active, FAULTS_SEND, 1);
}

/* The L_Key of a receive request is of another PD. */
static int make_recv_foreign_lkey(struct faults_conn *conn)
{
	return make_bad_recv(conn, conn->active.pd->local_dma_lkey, MESSAGE);
}

/* The message is longer than the receive request. */
static int make_recv_short(struct faults_conn *conn)
{
	return make_bad_recv(conn, conn->passive.pd->local_dma_lkey,
			     MESSAGE / 2);
}

/* No fault at all. */
static int make_nothing(struct faults_conn *conn)
{
	int ret = post_good_recvs(&conn->passive, 1);

	if (!ret)
		ret = post_good_sends(conn, IB_WR_SEND, 1);
	if (!ret)
		ret = wait_wcs(&conn->passive, FAULTS_RECV, 1);
	return ret ?: wait_wcs(&conn->active, FAULTS_SEND, 1);
}

static const struct fault faults[] = {
	{ "nothing", {}, make_nothing },
	{ "sq_drained", { .send_wr = MANY_WR }, make_sq_drained },
	{ "srq_limit", { .srq = true }, make_srq_limit },
	{ "cq_overflow", { .send_cqe = 4 }, make_cq_overflow },
	{ "last_wqe", { .srq = true }, make_last_wqe },
	{ "write_foreign_rkey", { .srq = true }, make_write_foreign_rkey },
	{ "write_unknown_rkey", {}, make_write_unknown_rkey },
	{ "read_foreign_rkey", {}, make_read_foreign_rkey },
	{ "read_unknown_rkey", {}, make_read_unknown_rkey },
	{ "send_foreign_lkey", {}, make_send_foreign_lkey },
	{ "recv_foreign_lkey", {}, make_recv_foreign_lkey },
	{ "recv_short", {}, make_recv_short },
};

/**
 * fault_find - look up a fault
 * @name: its name
 *
 * Return: the fault, NULL if there is none of that name.
 */
const struct fault *fault_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(faults[i].name, name))
			return &faults[i];
	}
	return NULL;
}
