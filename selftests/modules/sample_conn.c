// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A connection of a device with itself: two RC or UD QPs, through the RDMA CM,
 * which works for InfiniBand, RoCE and iWARP alike.
 *
 * A ULP records the events of its QPs and SRQs by rdmaev_report() in their
 * event handlers. See end_qps() for the end of QPs, so that the failures of
 * their requests are recorded as theirs.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "compat.h"
#include "sample.h"

/* Time limit for flushed requests, in case the driver loses one */
#define FLUSH_MS	2000

/* RC: 4.096 us << 16 for an answer. Usual values are seconds. */
#define ACK_TIMEOUT	16

/*
 * @impatient: shorter, one retry, and a receive request has to be there at once
 */
#define SHORT_TIMEOUT	14
#define SHORT_RETRY	1

/* Any context in which the driver calls these. */
static void qp_event(struct ib_event *event, void *context)
{
	rdmaev_report(&sample_ulp, event);
	sample_note_event(context, "qp", event->element.qp->qp_num,
			  event->event);
}

static void srq_event(struct ib_event *event, void *context)
{
	rdmaev_report(&sample_ulp, event);
	sample_note_event(context, "srq", srq_number(event->element.srq),
			  event->event);
}

static int create_srq(struct sample_end *end)
{
	struct ib_srq_init_attr attr = {
		.event_handler = srq_event,
		.srq_context = end,
		.attr = { .max_wr = SAMPLE_RECV_WR, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq;

	srq = ib_create_srq(end->pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	end->srq = srq;
	end->srq_number = srq_number(srq);
	return 0;
}

static int create_qp(struct sample_end *end, unsigned int send_wr)
{
	struct ib_qp_init_attr attr = {
		.event_handler = qp_event,
		.qp_context = end,
		.send_cq = end->cq[SAMPLE_SEND].rcq->cq,
		.recv_cq = end->cq[SAMPLE_RECV].rcq->cq,
		.srq = end->srq,
		.cap = {
			.max_send_wr = send_wr,
			.max_recv_wr = SAMPLE_RECV_WR,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = end->conn->setup->ud ? IB_QPT_UD : IB_QPT_RC,
	};
	int ret;

	ret = rdma_create_qp(end->id, end->pd, &attr);
	if (ret)
		return ret;
	end->qp_number = end->id->qp->qp_num;
	return 0;
}

static int map_buf(struct sample_end *end)
{
	struct ib_device *ib = end->id->device;
	u64 addr;

	end->buf = kzalloc(SAMPLE_BUF_SIZE, GFP_KERNEL);
	if (!end->buf)
		return -ENOMEM;
	addr = ib_dma_map_single(ib, end->buf, SAMPLE_BUF_SIZE,
				 DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(ib, addr)) {
		kfree(end->buf);
		end->buf = NULL;
		return -ENOMEM;
	}
	end->addr = addr;
	return 0;
}

/* On failure, sample_disconnect() destroys what was created. */
static int create_end(struct sample_end *end, unsigned int send_wr,
		      unsigned int send_cqe, bool srq)
{
	struct ib_pd *pd;
	int ret;

	pd = ib_alloc_pd(end->id->device, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	end->pd = pd;
	ret = map_buf(end);
	if (!ret)
		ret = sample_cq_create(&end->cq[SAMPLE_SEND], send_cqe);
	if (!ret)
		ret = sample_cq_create(&end->cq[SAMPLE_RECV], SAMPLE_RECV_WR);
	if (!ret && srq)
		ret = create_srq(end);
	if (!ret)
		ret = create_qp(end, send_wr);
	return ret;
}

/**
 * sample_destroy_qp - destroy the QP of an end
 * @end: end; all requests posted to the QP have completed
 *
 * Context: process.
 */
void sample_destroy_qp(struct sample_end *end)
{
	/*
	 * Records flushed requests now, and a later QP of this number is not
	 * taken for this one.
	 */
	rdmaev_qp_flushed(end->id->qp);
	rdma_destroy_qp(end->id);
}

/**
 * sample_reset_qp - move the QP of an end to Reset
 * @end: end; requests posted to the QP disappear without a completion
 *
 * Context: process.
 *
 * Return: 0 or -errno.
 */
int sample_reset_qp(struct sample_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	int ret, i;

	ret = ib_modify_qp(end->id->qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	/* The QP has a new life, also for rdmaev. */
	rdmaev_qp_flushed(end->id->qp);
	for (i = 0; i < SAMPLE_QUEUES; i++)
		end->cq[i].posted = end->cq[i].done;
	return 0;
}

/* Bottom up: destroying an object is the fence for its events. */
static void destroy_end(struct sample_end *end)
{
	int i;

	if (!end->id)
		return;
	if (end->id->qp)
		sample_destroy_qp(end);
	if (end->ah)
		rdma_destroy_ah(end->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (end->srq)
		ib_destroy_srq(end->srq);
	for (i = 0; i < SAMPLE_QUEUES; i++)
		sample_cq_destroy(&end->cq[i]);
	if (end->buf)
		ib_dma_unmap_single(end->id->device, end->addr, SAMPLE_BUF_SIZE,
				    DMA_BIDIRECTIONAL);
	kfree(end->buf);
	if (end->pd)
		ib_dealloc_pd(end->pd);
	/* Last: it holds a reference to the device. */
	rdma_destroy_id(end->id);
	/* An event of the other end may compare it. */
	WRITE_ONCE(end->id, NULL);
}

/*
 * Process context. The CM does not call it twice at once for one id, but for
 * the two ends at once.
 */
static int cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	const struct rdma_ud_param *ud = &event->param.ud;
	struct sample_conn *conn = id->context;
	struct sample_end *end;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		/*
		 * Only the id of this connection is accepted; the CM destroys
		 * others.
		 */
		if (conn->passive.id)
			return -EBUSY;
		conn->passive.id = id;
	}
	/* Of the end whose event this is, it does not change. */
	end = id == READ_ONCE(conn->active.id) ? &conn->active : &conn->passive;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		WRITE_ONCE(conn->cm_error, -ECONNREFUSED);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* The QP is destroyed with the ids, not here. */
		schedule_work(&conn->removal);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (conn->setup->ud) {
			struct rdma_ah_attr attr = ud->ah_attr;
			struct ib_ah *ah;

			ah = rdma_create_ah(end->pd, &attr,
					    RDMA_CREATE_AH_SLEEPABLE);
			if (IS_ERR(ah)) {
				WRITE_ONCE(conn->cm_error, PTR_ERR(ah));
				break;
			}
			end->ah = ah;
			end->remote_qpn = ud->qp_num;
			end->remote_qkey = ud->qkey;
		}
		set_bit(event->event, &end->cm_events);
		break;
	default:
		set_bit(event->event, &end->cm_events);
		break;
	}
	wake_up(&conn->wait);
	return 0;
}

/**
 * sample_wait_cm - wait for the CM
 * @end: end
 * @event: event to wait for
 *
 * Return: 0; -ETIMEDOUT or the error of the connection.
 */
int sample_wait_cm(struct sample_end *end, enum rdma_cm_event_type event)
{
	struct sample_conn *conn = end->conn;

	if (!wait_event_timeout(conn->wait,
				test_bit(event, &end->cm_events) ||
				READ_ONCE(conn->cm_error),
				msecs_to_jiffies(SAMPLE_TIMEOUT_MS)))
		return -ETIMEDOUT;
	return conn->cm_error;
}

static int create_id(struct sample_conn *conn, struct rdma_cm_id **id)
{
	const bool ud = conn->setup->ud;
	struct rdma_cm_id *new;

	new = rdma_create_id(&init_net, cm_event, conn,
			     ud ? RDMA_PS_UDP : RDMA_PS_TCP,
			     ud ? IB_QPT_UD : IB_QPT_RC);
	if (IS_ERR(new))
		return PTR_ERR(new);
	*id = new;
	return 0;
}

static int listen(struct sample_conn *conn, const struct sample_target *target)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = target->address,
	};
	struct rdma_cm_id *id;
	int ret;

	ret = create_id(conn, &conn->listener);
	if (ret)
		return ret;
	id = conn->listener;
	ret = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (ret)
		return ret;
	/*
	 * The address selects the device; check here that it is the requested
	 * one.
	 */
	if (!id->device || strcmp(dev_name(&id->device->dev), target->device))
		return -ENODEV;
	/* iWARP has connections only. */
	if (conn->setup->ud && rdma_protocol_iwarp(id->device, id->port_num))
		return -EOPNOTSUPP;
	return rdma_listen(id, 1);
}

static int resolve(struct sample_conn *conn)
{
	struct sample_end *end = &conn->active;
	int ret;

	ret = create_id(conn, &end->id);
	if (!ret && !conn->setup->ud)
		ret = rdma_set_ack_timeout(end->id, conn->setup->impatient ?
					   SHORT_TIMEOUT : ACK_TIMEOUT);
	if (ret)
		return ret;
	ret = rdma_resolve_addr(end->id, NULL,
				(struct sockaddr *)
				&conn->listener->route.addr.src_addr,
				SAMPLE_TIMEOUT_MS);
	if (!ret)
		ret = sample_wait_cm(end, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (!ret)
		ret = rdma_resolve_route(end->id, SAMPLE_TIMEOUT_MS);
	if (!ret)
		ret = sample_wait_cm(end, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return ret;
}

static void init_end(struct sample_end *end, struct sample_conn *conn,
		     const char *name)
{
	int i;

	*end = (struct sample_end) { .conn = conn, .name = name };
	for (i = 0; i < SAMPLE_QUEUES; i++) {
		end->cq[i].end = end;
		end->cq[i].queue = i;
		end->cq[i].kind = conn->kind;
	}
}

static int establish(struct sample_conn *conn)
{
	const struct sample_setup *setup = conn->setup;
	const bool reads = !setup->no_reads ||
			   !rdma_protocol_iwarp(conn->active.id->device,
						conn->active.id->port_num);
	struct rdma_conn_param param = {
		.responder_resources = reads ? 4 : 0,
		.initiator_depth = reads ? 4 : 0,
		.retry_count = setup->impatient ? SHORT_RETRY : 7,
		.rnr_retry_count = setup->impatient ? 0 : 7,
	};
	int ret;

	ret = rdma_connect(conn->active.id, &param);
	if (!ret)
		ret = sample_wait_cm(&conn->passive,
				     RDMA_CM_EVENT_CONNECT_REQUEST);
	if (!ret)
		ret = create_end(&conn->passive, SAMPLE_SEND_WR, SAMPLE_SEND_WR,
				 setup->srq);
	if (ret)
		return ret;
	rdma_lock_handler(conn->passive.id);
	ret = rdma_accept(conn->passive.id, &param);
	rdma_unlock_handler(conn->passive.id);
	if (!ret)
		ret = sample_wait_cm(&conn->active, RDMA_CM_EVENT_ESTABLISHED);
	/* The CM reports a requested UD QP at once, as its owner knows it. */
	if (!ret && !setup->ud)
		ret = sample_wait_cm(&conn->passive, RDMA_CM_EVENT_ESTABLISHED);
	return ret;
}

static void removal_work(struct work_struct *work)
{
	struct sample_conn *conn = container_of(work, struct sample_conn,
						removal);

	mutex_lock(&conn->mutex);
	sample_disconnect(conn);
	mutex_unlock(&conn->mutex);
}

/**
 * sample_conn_init - prepare for sample_connect()
 * @conn: connection, zero
 */
void sample_conn_init(struct sample_conn *conn)
{
	mutex_init(&conn->mutex);
	INIT_WORK(&conn->removal, removal_work);
	init_waitqueue_head(&conn->wait);
	spin_lock_init(&conn->lock);
}

/**
 * sample_connect - connect a device with itself
 * @conn: connection, not connected; call sample_disconnect() also if this fails
 * @target: device
 * @setup: properties, valid until then
 *
 * Context: process, with the mutex of the connection.
 *
 * Return: 0; -ENODEV if the address is not of that device, -EOPNOTSUPP for UD
 * if it has none, other -errno.
 */
int sample_connect(struct sample_conn *conn, const struct sample_target *target,
		   const struct sample_setup *setup)
{
	unsigned int send_wr = setup->send_wr ?: SAMPLE_SEND_WR;
	int ret;

	conn->setup = setup;
	conn->kind = target->kind;
	conn->cm_error = 0;
	conn->events = 0;
	init_end(&conn->active, conn, "active");
	init_end(&conn->passive, conn, "passive");
	/* This can be turned off for the loop of this ULP only. */
	if (setup->hold && target->kind != SAMPLE_CREATED)
		return -EINVAL;
	conn->active.cq[SAMPLE_SEND].held = setup->hold;

	ret = listen(conn, target);
	if (!ret)
		ret = resolve(conn);
	if (!ret)
		ret = create_end(&conn->active, send_wr,
				 setup->send_cqe ?: send_wr, false);
	return ret ?: establish(conn);
}

static bool flushed(const struct sample_end *end)
{
	int i;

	/* A CQ that had an error has lost completions. */
	if (!end->id || !end->id->qp || READ_ONCE(end->cq_failed))
		return true;
	for (i = 0; i < SAMPLE_QUEUES; i++) {
		/* Requests on an SRQ stay there. */
		if (i == SAMPLE_RECV && end->srq)
			continue;
		/* A driver may also complete a request that it refused. */
		if ((int)(end->cq[i].posted - READ_ONCE(end->cq[i].done)) > 0)
			return false;
	}
	return true;
}

static void end_qp(struct sample_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	if (end->id && end->id->qp)
		ib_modify_qp(end->id->qp, &attr, IB_QP_STATE);
}

/*
 * Wait until all posted requests have completed, while the QPs exist: rdmaev
 * reads the QP of a failed completion. ib_drain_qp() does this for a ULP that
 * does not count its requests, with one more request for each queue; it is for
 * RC QPs.
 */
static void end_qps(struct sample_conn *conn)
{
	unsigned long until = jiffies + msecs_to_jiffies(FLUSH_MS);
	unsigned int seen;

	end_qp(&conn->active);
	end_qp(&conn->passive);
	do {
		seen = sample_progress(conn);
		if (flushed(&conn->active) && flushed(&conn->passive))
			return;
	} while (sample_wait_progress(conn, seen, until));
}

/**
 * sample_disconnect - take a connection apart
 * @conn: connection, complete or not
 *
 * When it returns nothing is completed and no event of its objects comes any
 * more.
 *
 * Context: process, with the mutex of the connection.
 */
void sample_disconnect(struct sample_conn *conn)
{
	/* First, so that no passive end is created meanwhile. */
	if (conn->listener)
		rdma_destroy_id(conn->listener);
	conn->listener = NULL;
	if (conn->active.id && !conn->setup->ud)
		rdma_disconnect(conn->active.id);
	end_qps(conn);
	destroy_end(&conn->active);
	destroy_end(&conn->passive);
}

static unsigned int done(const struct sample_cq *scq)
{
	/* Pairs with smp_store_release(): polled completions are stored. */
	return smp_load_acquire(&scq->done);
}

/**
 * sample_progress - count completions and events
 * @conn: connection
 *
 * Return: number of completions and events so far, which only grows.
 */
unsigned int sample_progress(struct sample_conn *conn)
{
	unsigned int sum = READ_ONCE(conn->events);
	int i;

	for (i = 0; i < SAMPLE_QUEUES; i++) {
		sample_cq_poll(&conn->active.cq[i]);
		sample_cq_poll(&conn->passive.cq[i]);
		sum += done(&conn->active.cq[i]) + done(&conn->passive.cq[i]);
	}
	return sum;
}

/**
 * sample_wait_progress - wait for more completions or events
 * @conn: connection
 * @seen: what sample_progress() has returned
 * @until: time limit in jiffies
 *
 * Return: true if there were some.
 */
bool sample_wait_progress(struct sample_conn *conn, unsigned int seen,
			  unsigned long until)
{
	long left = until - jiffies;

	if (conn->kind != SAMPLE_DIRECT)
		return left > 0 &&
		       wait_event_timeout(conn->wait,
					  sample_progress(conn) != seen, left);
	/* Nothing wakes a thread that has to poll. */
	while (sample_progress(conn) == seen) {
		if (time_after(jiffies, until))
			return false;
		usleep_range(20, 50);
	}
	return true;
}

/**
 * sample_wait_done - wait for completions
 * @scq: CQ
 * @done: total number of completions to wait for
 *
 * Return: 0 or -ETIMEDOUT.
 */
int sample_wait_done(struct sample_cq *scq, unsigned int done)
{
	unsigned long until = jiffies + msecs_to_jiffies(SAMPLE_TIMEOUT_MS);
	struct sample_conn *conn = scq->end->conn;
	unsigned int seen;

	do {
		seen = sample_progress(conn);
		if (READ_ONCE(scq->done) >= done)
			return 0;
	} while (sample_wait_progress(conn, seen, until));
	return -ETIMEDOUT;
}
