// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated HCAs: QPs and SRQs. A QP is connected to itself: a send takes a
 * receive request of its own, and both complete before ib_post_send() returns.
 * No data is moved. A send fails on request, without a receive request, or with
 * an unknown opcode. With NAME/hold, the last send of each QP completes when
 * that ends, and others not at all.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "context.h"
#include "files.h"
#include "sim.h"

#define VENDOR_ERR	0x80	/* plus the status */

/* Receive requests; protected by the lock of the QP or SRQ */
struct queue {
	u64 *wr_id;
	unsigned int size;
	unsigned int oldest;		/* index */
	unsigned int used;
};

struct sim_srq {
	struct ib_srq ib;
	struct sim_object object;
	raw_spinlock_t lock;		/* nests inside that of a QP */
	struct queue recv;
};

/* Number of requests that have to fail with this status */
struct failure {
	enum ib_wc_status status;
	unsigned int count;
};

/*
 * @lock: protects the following members. Held during completions, so also when
 *	a completion handler is called: posting to the QP there hangs
 * @state: changed under the lock, by one caller at a time
 */
struct sim_qp {
	struct ib_qp ib;
	struct sim_object object;
	bool signal_all;
	raw_spinlock_t lock;		/* taken before those of SRQs and CQs */
	enum ib_qp_state state;
	struct queue recv;
	struct failure fail_send;
	struct failure fail_recv;
	struct ib_wc held;
	bool is_held;
};

static struct sim_qp *to_qp(struct ib_qp *ib)
{
	return container_of(ib, struct sim_qp, ib);
}

static struct sim_srq *to_srq(struct ib_srq *ib)
{
	return container_of(ib, struct sim_srq, ib);
}

static int queue_init(struct queue *q, u32 size)
{
	q->wr_id = kvmalloc_array(size, sizeof(*q->wr_id), GFP_KERNEL);
	if (!q->wr_id)
		return -ENOMEM;
	q->size = size;
	return 0;
}

static bool push(struct queue *q, u64 wr_id)
{
	unsigned int i = q->oldest + q->used;

	if (q->used == q->size)
		return false;
	q->wr_id[i < q->size ? i : i - q->size] = wr_id;
	q->used++;
	return true;
}

static bool pop(struct queue *q, u64 *wr_id)
{
	if (!q->used)
		return false;
	*wr_id = q->wr_id[q->oldest];
	if (++q->oldest == q->size)
		q->oldest = 0;
	q->used--;
	return true;
}

static bool fails(struct failure *f, enum ib_wc_status *status)
{
	if (!f->count)
		return false;
	f->count--;
	*status = f->status;
	return true;
}

static void complete_send(struct sim_qp *qp, u64 wr_id,
			  enum ib_wc_status status, enum ib_wc_opcode opcode)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = opcode,
		.vendor_err = status ? VENDOR_ERR + status : 0,
		.qp = &qp->ib,
	};

	if (READ_ONCE(to_sim(qp->ib.device)->held)) {
		qp->held = wc;
		qp->is_held = true;
		return;
	}
	sim_cq_add(qp->ib.send_cq, &wc, status);
}

/* @wr: the received request; NULL: none */
static void complete_recv(struct sim_qp *qp, u64 wr_id,
			  enum ib_wc_status status,
			  const struct ib_send_wr *wr)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.vendor_err = status ? VENDOR_ERR + status : 0,
		.qp = &qp->ib,
		.src_qp = qp->ib.qp_num,
	};
	bool solicited = status || (wr && wr->send_flags & IB_SEND_SOLICITED);

	switch (wr ? wr->opcode : IB_WR_SEND) {
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wc.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		fallthrough;
	case IB_WR_SEND_WITH_IMM:
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = wr->ex.imm_data;
		break;
	case IB_WR_SEND_WITH_INV:
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = wr->ex.invalidate_rkey;
		break;
	default:
		break;
	}
	sim_cq_add(qp->ib.recv_cq, &wc, solicited);
}

/* Requests on an SRQ are not flushed. */
static void to_error(struct sim_qp *qp)
{
	u64 wr_id;

	WRITE_ONCE(qp->state, IB_QPS_ERR);
	while (pop(&qp->recv, &wr_id))
		complete_recv(qp, wr_id, IB_WC_WR_FLUSH_ERR, NULL);
}

static bool take_recv(struct sim_qp *qp, u64 *wr_id)
{
	struct sim_srq *srq;
	bool taken;

	if (!qp->ib.srq)
		return pop(&qp->recv, wr_id);
	srq = to_srq(qp->ib.srq);
	raw_spin_lock(&srq->lock);
	taken = pop(&srq->recv, wr_id);
	raw_spin_unlock(&srq->lock);
	return taken;
}

/* Returns the status for the sender. A datagram that nobody receives is lost. */
static enum ib_wc_status arrive(struct sim_qp *qp, const struct ib_send_wr *wr)
{
	enum ib_wc_status status = IB_WC_SUCCESS;
	u64 wr_id;

	if (!take_recv(qp, &wr_id))
		return qp->ib.qp_type == IB_QPT_UD ? IB_WC_SUCCESS :
						     IB_WC_RNR_RETRY_EXC_ERR;
	fails(&qp->fail_recv, &status);
	complete_recv(qp, wr_id, status, wr);
	switch (status) {
	case IB_WC_SUCCESS:
		return IB_WC_SUCCESS;
	case IB_WC_LOC_LEN_ERR:
		return IB_WC_REM_INV_REQ_ERR;
	default:
		return IB_WC_REM_OP_ERR;
	}
}

static bool needs_recv(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_SEND || opcode == IB_WR_SEND_WITH_IMM ||
	       opcode == IB_WR_SEND_WITH_INV ||
	       opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

/* False: unknown opcode; it has that of a SEND then. */
static bool wc_opcode(enum ib_wr_opcode wr, enum ib_wc_opcode *wc)
{
	*wc = IB_WC_SEND;
	switch (wr) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return true;
	case IB_WR_LSO:
		*wc = IB_WC_LSO;
		return true;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		*wc = IB_WC_RDMA_WRITE;
		return true;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		*wc = IB_WC_RDMA_READ;
		return true;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		*wc = IB_WC_COMP_SWAP;
		return true;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		*wc = IB_WC_FETCH_ADD;
		return true;
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
		*wc = IB_WC_MASKED_COMP_SWAP;
		return true;
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
		*wc = IB_WC_MASKED_FETCH_ADD;
		return true;
	case IB_WR_LOCAL_INV:
		*wc = IB_WC_LOCAL_INV;
		return true;
	case IB_WR_REG_MR:
	case IB_WR_REG_MR_INTEGRITY:
		*wc = IB_WC_REG_MR;
		return true;
	default:
		return false;
	}
}

static void send(struct sim_qp *qp, const struct ib_send_wr *wr)
{
	enum ib_wc_status status = IB_WC_SUCCESS;
	enum ib_wc_opcode opcode;
	bool known;

	known = wc_opcode(wr->opcode, &opcode);
	if (fails(&qp->fail_send, &status))
		;
	else if (qp->state == IB_QPS_ERR)
		status = IB_WC_WR_FLUSH_ERR;
	else if (!known)
		status = IB_WC_LOC_QP_OP_ERR;
	else if (needs_recv(wr->opcode))
		status = arrive(qp, wr);

	if (status || qp->signal_all || wr->send_flags & IB_SEND_SIGNALED)
		complete_send(qp, wr->wr_id, status, opcode);
	if (status && qp->state != IB_QPS_ERR)
		to_error(qp);
}

static int sim_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad_wr)
{
	struct sim_qp *qp = to_qp(ibqp);
	unsigned long flags;
	int ret = sim_fault(ibqp->device, SIM_POST_SEND);

	if (ret)
		return ret;
	raw_spin_lock_irqsave(&qp->lock, flags);
	if (qp->state == IB_QPS_RTS || qp->state == IB_QPS_ERR) {
		for (; wr; wr = wr->next)
			send(qp, wr);
	} else {
		*bad_wr = wr;
		ret = -EINVAL;
	}
	raw_spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

static int sim_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	struct sim_qp *qp = to_qp(ibqp);
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&qp->lock, flags);
	if (qp->state == IB_QPS_RESET || ibqp->srq)
		ret = -EINVAL;
	for (; !ret && wr; wr = wr->next) {
		if (qp->state == IB_QPS_ERR)
			complete_recv(qp, wr->wr_id, IB_WC_WR_FLUSH_ERR, NULL);
		else if (!push(&qp->recv, wr->wr_id))
			ret = -ENOMEM;
		if (ret)
			break;
	}
	if (ret)
		*bad_wr = wr;
	raw_spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

static int sim_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			     const struct ib_recv_wr **bad_wr)
{
	struct sim_srq *srq = to_srq(ibsrq);
	unsigned long flags;

	raw_spin_lock_irqsave(&srq->lock, flags);
	for (; wr && push(&srq->recv, wr->wr_id); wr = wr->next)
		;
	raw_spin_unlock_irqrestore(&srq->lock, flags);
	if (!wr)
		return 0;
	*bad_wr = wr;
	return -ENOMEM;
}

static int sim_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
			  struct ib_udata *udata)
{
	struct sim_srq *srq = to_srq(ibsrq);

	if (queue_init(&srq->recv, attr->attr.max_wr))
		return -ENOMEM;
	raw_spin_lock_init(&srq->lock);
	srq->object.srq = ibsrq;
	number_srq(ibsrq, sim_next_number(to_sim(ibsrq->device)));
	sim_publish(to_sim(ibsrq->device), &srq->object, OBJECT_SRQ);
	return 0;
}

static int sim_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct sim_srq *srq = to_srq(ibsrq);

	sim_retract(to_sim(ibsrq->device), &srq->object);
	kvfree(srq->recv.wr_id);
	return 0;
}

static int sim_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
			 struct ib_udata *udata)
{
	struct sim_dev *sim = to_sim(ibqp->device);
	struct sim_qp *qp = to_qp(ibqp);
	int ret = sim_fault(ibqp->device, SIM_CREATE_QP);

	if (!ret && attr->qp_type == IB_QPT_RC)
		ret = sim_fault(ibqp->device, SIM_CREATE_RC);
	if (ret)
		return ret;
	if (attr->qp_type != IB_QPT_RC && attr->qp_type != IB_QPT_UC &&
	    attr->qp_type != IB_QPT_UD)
		return -EOPNOTSUPP;
	if (queue_init(&qp->recv, attr->srq ? 0 : attr->cap.max_recv_wr))
		return -ENOMEM;
	ibqp->qp_num = sim_next_number(sim);
	raw_spin_lock_init(&qp->lock);
	qp->signal_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	qp->object.qp = ibqp;
	sim_publish(sim, &qp->object, OBJECT_QP);
	return 0;
}

static int sim_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	struct sim_qp *qp = to_qp(ibqp);
	enum ib_qp_state state;
	unsigned long flags;
	int ret = sim_fault(ibqp->device, SIM_MODIFY_QP);

	if (ret)
		return ret;
	raw_spin_lock_irqsave(&qp->lock, flags);
	state = mask & IB_QP_STATE ? attr->qp_state : qp->state;
	if (!ib_modify_qp_is_ok(qp->state, state, ibqp->qp_type, mask)) {
		ret = -EINVAL;
	} else if (state == IB_QPS_ERR) {
		to_error(qp);
	} else {
		WRITE_ONCE(qp->state, state);
		if (state == IB_QPS_RESET) {
			qp->recv.used = 0;
			qp->fail_send.count = 0;
			qp->fail_recv.count = 0;
		}
	}
	raw_spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

static int sim_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init_attr)
{
	attr->qp_state = READ_ONCE(to_qp(ibqp)->state);
	attr->cur_qp_state = attr->qp_state;
	attr->port_num = ibqp->port;
	return 0;
}

/* Its completions stay in the CQs. */
static int sim_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct sim_qp *qp = to_qp(ibqp);
	int ret = sim_fault(ibqp->device, SIM_DESTROY_QP);

	if (ret)
		return ret;
	sim_retract(to_sim(ibqp->device), &qp->object);
	kvfree(qp->recv.wr_id);
	return 0;
}

DEFINE_QP_OPS(sim_qp_life_ops, sim_qp, ib, sim_create_qp, sim_destroy_qp);

const struct ib_device_ops sim_qp_ops = {
	.create_srq = sim_create_srq,
	.destroy_srq = sim_destroy_srq,
	.post_srq_recv = sim_post_srq_recv,
	.modify_qp = sim_modify_qp,
	.query_qp = sim_query_qp,
	.post_send = sim_post_send,
	.post_recv = sim_post_recv,

	INIT_RDMA_OBJ_SIZE(ib_srq, sim_srq, ib),
};

static int fail(struct sim_dev *sim, u32 number, bool recv,
		const struct failure *failure)
{
	struct sim_object *obj;
	struct sim_qp *qp;

	down_read(&sim->objects_lock);
	obj = sim_find_object(sim, OBJECT_QP, number);
	if (obj) {
		qp = to_qp(obj->qp);
		raw_spin_lock_irq(&qp->lock);
		if (recv)
			qp->fail_recv = *failure;
		else
			qp->fail_send = *failure;
		raw_spin_unlock_irq(&qp->lock);
	}
	up_read(&sim->objects_lock);
	return obj ? 0 : -ENOENT;
}

static int fail_write(void *data, const char *text)
{
	struct failure failure = { .count = 1 };
	unsigned int number, status;
	bool recv = false;

	if (sscanf(text, "%u recv:%u %u", &number, &status,
		   &failure.count) >= 2)
		recv = true;
	else if (sscanf(text, "%u %u %u", &number, &status, &failure.count) < 2)
		return -EINVAL;
	if (!status)
		return -EINVAL;
	failure.status = status;
	return fail(data, number, recv, &failure);
}
DEFINE_WRITE_ATTRIBUTE(fail);

struct message {
	struct sim_qp *qp;
	struct ib_send_wr wr;
	int ret;
};

/* From elsewhere: the sender gets no completion. */
static void message_arrives(void *data)
{
	struct message *msg = data;
	struct sim_qp *qp = msg->qp;
	enum ib_wc_status status;
	unsigned long flags;

	raw_spin_lock_irqsave(&qp->lock, flags);
	if (qp->state != IB_QPS_RTR && qp->state != IB_QPS_RTS) {
		msg->ret = -ENOTCONN;
	} else {
		status = arrive(qp, &msg->wr);
		if (status == IB_WC_RNR_RETRY_EXC_ERR)
			msg->ret = -ENOBUFS;
		else if (status)
			to_error(qp);
	}
	raw_spin_unlock_irqrestore(&qp->lock, flags);
}

static int receive(struct sim_dev *sim, u32 number, const char *context,
		   bool solicited)
{
	struct message msg = {
		.wr.opcode = IB_WR_SEND,
		.wr.send_flags = solicited ? IB_SEND_SOLICITED : 0,
	};
	struct sim_object *obj;

	down_read(&sim->objects_lock);
	obj = sim_find_object(sim, OBJECT_QP, number);
	if (!obj) {
		msg.ret = -ENOENT;
	} else {
		msg.qp = to_qp(obj->qp);
		if (!call_in_context(context, message_arrives, &msg))
			msg.ret = -EINVAL;
	}
	up_read(&sim->objects_lock);
	return msg.ret;
}

static int receive_write(void *data, const char *text)
{
	char context[16] = "process", how[16] = "";
	unsigned int number, count, i;
	int ret = 0;

	if (sscanf(text, "%u %u %15s %15s", &number, &count, context, how) < 2 ||
	    (*how && strcmp(how, "solicited")))
		return -EINVAL;
	for (i = 0; i < count && !ret; i++)
		ret = receive(data, number, context, *how);
	return ret;
}
DEFINE_WRITE_ATTRIBUTE(receive);

static void release_held(struct sim_qp *qp)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&qp->lock, flags);
	if (qp->is_held)
		sim_cq_add(qp->ib.send_cq, &qp->held, qp->held.status);
	qp->is_held = false;
	raw_spin_unlock_irqrestore(&qp->lock, flags);
}

static int hold_write(void *data, const char *text)
{
	struct sim_dev *sim = data;
	struct sim_object *obj;
	bool held;
	int ret;

	ret = kstrtobool(text, &held);
	if (ret)
		return ret;
	WRITE_ONCE(sim->held, held);
	if (held)
		return 0;
	down_read(&sim->objects_lock);
	list_for_each_entry(obj, &sim->objects, list) {
		if (obj->type == OBJECT_QP)
			release_held(to_qp(obj->qp));
	}
	up_read(&sim->objects_lock);
	return 0;
}
DEFINE_WRITE_ATTRIBUTE(hold);

/* After the device has its directory */
void sim_qp_files(struct sim_dev *sim)
{
	debugfs_create_file("fail", 0200, sim->dir, sim, &fail_fops);
	debugfs_create_file("receive", 0200, sim->dir, sim, &receive_fops);
	debugfs_create_file("hold", 0200, sim->dir, sim, &hold_fops);
}
