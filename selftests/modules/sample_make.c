// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The faults. Each is made; completions and events for it differ between
 * devices and drivers, and are tested.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "sample.h"

/* More than a device can do during a check whether it has begun */
#define MANY_WR		8192

/*
 * An R_Key that does not exist: devices take the part above the low byte for an
 * index, and no device has that many.
 */
#define UNKNOWN_RKEY	0xfffffe00

/* A QP with this bit in its number does not exist either. */
#define UNKNOWN_QP	0x800000

static int wait_send(struct sample_conn *conn, unsigned int count)
{
	return sample_wait_done(&conn->active.cq[SAMPLE_SEND], count);
}

static int wait_recv(struct sample_conn *conn, unsigned int count)
{
	return sample_wait_done(&conn->passive.cq[SAMPLE_RECV], count);
}

static int post_good(struct sample_conn *conn, enum ib_wr_opcode opcode,
		     unsigned int count)
{
	struct sample_request req = sample_good_request(conn, opcode);

	return sample_post(conn, &req, count);
}

/* One request, whatever its result is */
static int try(struct sample_conn *conn, const struct sample_request *req)
{
	int ret = sample_post(conn, req, 1);

	return ret ?: wait_send(conn, conn->active.cq[SAMPLE_SEND].posted);
}

static int try_good(struct sample_conn *conn, enum ib_wr_opcode opcode)
{
	struct sample_request req = sample_good_request(conn, opcode);

	return try(conn, &req);
}

static int try_rkey(struct sample_conn *conn, enum ib_wr_opcode opcode,
		    u32 rkey)
{
	struct sample_request req = sample_good_request(conn, opcode);

	req.rkey = rkey;
	return try(conn, &req);
}

/* An existing R_Key, but of another PD */
static u32 foreign_rkey(struct sample_conn *conn)
{
	return conn->active.pd->unsafe_global_rkey;
}

/* No fault */
static int make_nothing(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	if (!ret)
		ret = try_good(conn, IB_WR_SEND);
	return ret ?: wait_recv(conn, 1);
}

/* RTS to SQD with outstanding sends: some are done, most are not. */
static int make_sq_drained(struct sample_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD };
	int ret = post_good(conn, IB_WR_RDMA_WRITE, MANY_WR);

	if (!ret)
		ret = wait_send(conn, 1);
	return ret ?: ib_modify_qp(conn->active.id->qp, &attr, IB_QP_STATE);
}

/* One receive request fewer than the limit of the armed SRQ */
static int make_srq_limit(struct sample_conn *conn)
{
	struct ib_srq_attr attr = { .srq_limit = 4 };
	int ret = sample_post_good_recvs(&conn->passive, 8);

	if (!ret)
		ret = ib_modify_srq(conn->passive.srq, &attr, IB_SRQ_LIMIT);
	if (!ret)
		ret = post_good(conn, IB_WR_SEND, 5);
	if (!ret)
		ret = wait_recv(conn, 5);
	return ret;
}

static void wait_event_of(struct sample_conn *conn, unsigned int events)
{
	wait_event_timeout(conn->wait, READ_ONCE(conn->events) >= events,
			   msecs_to_jiffies(SAMPLE_TIMEOUT_MS));
}

/*
 * One completion more than the CQ holds. Polling makes room, so it has to wait
 * for the event, or as long as an event could take.
 */
static int make_cq_overflow(struct sample_conn *conn)
{
	struct sample_cq *scq = &conn->active.cq[SAMPLE_SEND];
	int ret = post_good(conn, IB_WR_RDMA_WRITE, scq->rcq->cq->cqe + 1);

	if (!ret)
		wait_event_of(conn, 1);
	sample_cq_release(scq);
	return ret;
}

/* A QP that has received from an SRQ goes to Error. */
static int make_last_wqe(struct sample_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int ret = sample_post_good_recvs(&conn->passive, 4);

	if (!ret)
		ret = post_good(conn, IB_WR_SEND, 1);
	if (!ret)
		ret = wait_recv(conn, 1);
	if (!ret)
		ret = ib_modify_qp(conn->passive.id->qp, &attr, IB_QP_STATE);
	return ret;
}

static int try_recv(struct sample_conn *conn, u32 length, u32 lkey)
{
	int ret = sample_post_recvs(&conn->passive, conn->passive.addr, length,
				    lkey, 1);

	return ret ?: try_good(conn, IB_WR_SEND);
}

/* The L_Key of a receive request is of another PD. */
static int make_send_lkey(struct sample_conn *conn)
{
	int ret = try_recv(conn, SAMPLE_MESSAGE,
			   conn->active.pd->local_dma_lkey);

	return ret ?: wait_recv(conn, 1);
}

/* The message is longer than the receive request. */
static int make_send_length(struct sample_conn *conn)
{
	int ret = try_recv(conn, SAMPLE_MESSAGE / 2,
			   conn->passive.pd->local_dma_lkey);

	return ret ?: wait_recv(conn, 1);
}

/* The receiver has to invalidate an R_Key that it does not have. */
static int make_send_other(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	if (!ret)
		ret = try_rkey(conn, IB_WR_SEND_WITH_INV, UNKNOWN_RKEY);
	return ret ?: wait_recv(conn, 1);
}

static int make_send_rnr(struct sample_conn *conn)
{
	return try_good(conn, IB_WR_SEND);
}

static int make_write_rkey(struct sample_conn *conn)
{
	return try_rkey(conn, IB_WR_RDMA_WRITE, foreign_rkey(conn));
}

static int make_write_rkey_unknown(struct sample_conn *conn)
{
	return try_rkey(conn, IB_WR_RDMA_WRITE, UNKNOWN_RKEY);
}

static int make_write_imm_rkey(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	return ret ?: try_rkey(conn, IB_WR_RDMA_WRITE_WITH_IMM,
			       foreign_rkey(conn));
}

static int make_write_imm_rnr(struct sample_conn *conn)
{
	return try_good(conn, IB_WR_RDMA_WRITE_WITH_IMM);
}

/*
 * A receive request, too, so that the passive end has a request that can fail.
 */
static int make_read_rkey(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	return ret ?: try_rkey(conn, IB_WR_RDMA_READ, foreign_rkey(conn));
}

static int make_read_rkey_unknown(struct sample_conn *conn)
{
	return try_rkey(conn, IB_WR_RDMA_READ, UNKNOWN_RKEY);
}

static int make_atomic_rkey(struct sample_conn *conn)
{
	return try_rkey(conn, IB_WR_ATOMIC_FETCH_AND_ADD, foreign_rkey(conn));
}

static int make_atomic_align(struct sample_conn *conn)
{
	struct sample_request req =
		sample_good_request(conn, IB_WR_ATOMIC_FETCH_AND_ADD);

	req.remote_addr += 4;
	return try(conn, &req);
}

static bool is_iwarp(const struct sample_end *end)
{
	return rdma_protocol_iwarp(end->id->device, end->id->port_num);
}

/*
 * The passive end allows no RDMA READ or ATOMIC, and the active one does not
 * know it. With iWARP it does, see @no_reads: there is no other way.
 */
static int try_depth(struct sample_conn *conn, enum ib_wr_opcode opcode)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD };
	struct ib_qp *qp = conn->passive.id->qp;
	int ret;

	if (is_iwarp(&conn->active))
		return try_good(conn, opcode);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	/* SQ_DRAINED: the number can be changed only afterwards */
	wait_event_of(conn, 1);
	ret = ib_modify_qp(qp, &attr, IB_QP_MAX_DEST_RD_ATOMIC);
	attr.qp_state = IB_QPS_RTS;
	if (!ret)
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	return ret ?: try_good(conn, opcode);
}

static int make_read_depth(struct sample_conn *conn)
{
	return try_depth(conn, IB_WR_RDMA_READ);
}

static int make_atomic_depth(struct sample_conn *conn)
{
	return try_depth(conn, IB_WR_ATOMIC_FETCH_AND_ADD);
}

/* The passive QP allows no RDMA READ, whatever the R_Key says. */
static int make_other(struct sample_conn *conn)
{
	struct ib_qp_attr attr = {
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
	};
	int ret = ib_modify_qp(conn->passive.id->qp, &attr, IB_QP_ACCESS_FLAGS);

	return ret ?: try_good(conn, IB_WR_RDMA_READ);
}

/* The L_Key of a SEND is of another PD. */
static int make_local_lkey(struct sample_conn *conn)
{
	struct sample_request req = sample_good_request(conn, IB_WR_SEND);
	int ret = sample_post_good_recvs(&conn->passive, 1);

	req.lkey = conn->passive.pd->local_dma_lkey;
	return ret ?: try(conn, &req);
}

/*
 * An iWARP connection ends with its TCP connection, and the active end is
 * notified.
 */
static int wait_closed(struct sample_conn *conn)
{
	if (!is_iwarp(&conn->active))
		return 0;
	return sample_wait_cm(&conn->active, RDMA_CM_EVENT_DISCONNECTED);
}

/* The same as write-rkey, until both ends know that the connection is closed, too */
static int make_write_rkey_closed(struct sample_conn *conn)
{
	int ret = make_write_rkey(conn) ?: wait_closed(conn);

	if (ret || !is_iwarp(&conn->passive))
		return ret;
	return sample_wait_cm(&conn->passive, RDMA_CM_EVENT_DISCONNECTED);
}

static int make_peer_gone(struct sample_conn *conn)
{
	int ret;

	sample_destroy_qp(&conn->passive);
	ret = wait_closed(conn);
	return ret ?: try_good(conn, IB_WR_SEND);
}

/* A message to show that all works; then the test takes the port down. */
static int wait_port_down(struct sample_conn *conn)
{
	unsigned long until = jiffies + msecs_to_jiffies(SAMPLE_TIMEOUT_MS);
	struct rdma_cm_id *id = conn->active.id;
	struct ib_port_attr port;
	int ret = sample_post_good_recvs(&conn->passive, 1);

	if (!ret)
		ret = make_nothing(conn);
	while (!ret) {
		ret = ib_query_port(id->device, id->port_num, &port);
		if (!ret && port.state != IB_PORT_ACTIVE)
			break;
		if (time_after(jiffies, until))
			return -ETIMEDOUT;
		msleep(20);
	}
	return ret;
}

/* Another message when the port is not ACTIVE any more */
static int make_link_down(struct sample_conn *conn)
{
	int ret = wait_port_down(conn) ?: wait_closed(conn);

	return ret ?: try_good(conn, IB_WR_SEND);
}

/* The same with a driver that keeps its connections nevertheless */
static int make_link_down_kept(struct sample_conn *conn)
{
	return wait_port_down(conn) ?: try_good(conn, IB_WR_SEND);
}

/* The passive QP exists, but in Reset. */
static int make_dropped_state(struct sample_conn *conn)
{
	int ret = sample_reset_qp(&conn->passive);

	return ret ?: try_good(conn, IB_WR_SEND);
}

static int modify_to(struct sample_end *end, enum ib_qp_state state, u32 dest)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, ret;

	ret = rdma_init_qp_attr(end->id, &attr, &mask);
	if (ret)
		return ret;
	attr.dest_qp_num = dest;
	return ib_modify_qp(end->id->qp, &attr, mask);
}

/* The active QP, connected again, to a QP that does not exist */
static int make_dropped_number(struct sample_conn *conn)
{
	u32 dest = conn->passive.qp_number | UNKNOWN_QP;
	struct sample_end *end = &conn->active;
	int ret;

	/* Its packets belong to a connection, and have no other address. */
	if (is_iwarp(end))
		return -EOPNOTSUPP;
	ret = sample_reset_qp(end);
	if (!ret)
		ret = modify_to(end, IB_QPS_INIT, dest);
	if (!ret)
		ret = modify_to(end, IB_QPS_RTR, dest);
	if (!ret)
		ret = modify_to(end, IB_QPS_RTS, dest);
	return ret ?: try_good(conn, IB_WR_SEND);
}

/* UD: the message is longer than the receive request. */
static int make_ud_length(struct sample_conn *conn)
{
	return try_recv(conn, SAMPLE_GRH + SAMPLE_MESSAGE / 2,
			conn->passive.pd->local_dma_lkey);
}

static int make_ud_number(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	conn->active.remote_qpn |= UNKNOWN_QP;
	return ret ?: try_good(conn, IB_WR_SEND);
}

static int make_ud_qkey(struct sample_conn *conn)
{
	int ret = sample_post_good_recvs(&conn->passive, 1);

	conn->active.remote_qkey++;
	return ret ?: try_good(conn, IB_WR_SEND);
}

#define IMPATIENT	{ .impatient = true }
#define UD		{ .ud = true }

static const struct sample_fault faults[] = {
	{ "nothing", {}, make_nothing },
	{ "sq-drained", { .send_wr = MANY_WR }, make_sq_drained },
	{ "srq-limit", { .srq = true }, make_srq_limit },
	{ "cq-overflow", { .send_cqe = 4, .hold = true }, make_cq_overflow },
	{ "last-wqe", { .srq = true }, make_last_wqe },

	{ "send-lkey", {}, make_send_lkey },
	{ "send-length", {}, make_send_length },
	{ "send-max-msg", {}, sample_make_send_long },
	{ "send-other", {}, make_send_other },
	{ "send-rnr", IMPATIENT, make_send_rnr },
	{ "write-rkey", { .srq = true }, make_write_rkey },
	{ "write-rkey-closed", { .srq = true }, make_write_rkey_closed },
	{ "write-rkey-unknown", {}, make_write_rkey_unknown },
	{ "write-imm-rkey", {}, make_write_imm_rkey },
	{ "write-imm-rnr", IMPATIENT, make_write_imm_rnr },
	{ "write-max-msg", {}, sample_make_write_long },
	{ "write-imm-max-msg", {}, sample_make_write_imm_long },
	{ "read-rkey", {}, make_read_rkey },
	{ "read-rkey-unknown", {}, make_read_rkey_unknown },
	{ "read-depth", { .no_reads = true }, make_read_depth },
	{ "read-max-msg", {}, sample_make_read_long },
	{ "atomic-rkey", {}, make_atomic_rkey },
	{ "atomic-depth", { .no_reads = true }, make_atomic_depth },
	{ "atomic-align", {}, make_atomic_align },
	{ "other", {}, make_other },
	{ "local-lkey", {}, make_local_lkey },
	{ "peer-gone", IMPATIENT, make_peer_gone },
	{ "link-down", IMPATIENT, make_link_down },
	{ "link-down-kept", IMPATIENT, make_link_down_kept },
	{ "dropped-state", IMPATIENT, make_dropped_state },
	{ "dropped-number", IMPATIENT, make_dropped_number },

	{ "ud-nothing", UD, make_nothing },
	{ "ud-length", UD, make_ud_length },
	{ "ud-number", UD, make_ud_number },
	{ "ud-qkey", UD, make_ud_qkey },
};

/**
 * sample_find_fault - look up a fault
 * @name: its name
 *
 * Return: the fault, NULL if there is no fault of that name.
 */
const struct sample_fault *sample_find_fault(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(faults[i].name, name))
			return &faults[i];
	}
	return NULL;
}
