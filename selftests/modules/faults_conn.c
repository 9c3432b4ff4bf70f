// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The connection that a fault happens on: an RC QP connected to another one of
 * the same device, through the RDMA CM, which knows how to do that with
 * InfiniBand, RoCE and iWARP alike.
 *
 * Also an example of how a ULP has the events of its objects recorded: one
 * struct rdmaev_object for each QP, CQ and SRQ, made ready before that is
 * created, with rdmaev_event_handler() as its event handler.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "faults.h"

#define DEFAULT_WR	16
#define RECV_WR		64

static void note_event(struct faults_end *end, const char *object, u32 number,
		       unsigned int code)
{
	struct faults_conn *conn = end->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (conn->events < FAULTS_EVENTS) {
		conn->event[conn->events] = (struct faults_event) {
			.end = end,
			.object = object,
			.number = number,
			.code = code,
		};
	}
	conn->events++;
	spin_unlock_irqrestore(&conn->lock, flags);
}

/*
 * These are called by rdmaev_event_handler(), in whatever context the driver
 * calls that.
 */
static void qp_event(struct ib_event *event, void *context)
{
	note_event(context, "qp", event->element.qp->qp_num, event->event);
}

static void cq_event(struct ib_event *event, void *context)
{
	note_event(context, "cq", event->element.cq->res.id, event->event);
}

static void srq_event(struct ib_event *event, void *context)
{
	note_event(context, "srq", event->element.srq->res.id, event->event);
}

static int create_cq(struct faults_end *end, enum faults_queue queue,
		     unsigned int cqe)
{
	struct rdmaev_object *object = &end->cq_object[queue];
	struct ib_cq_init_attr attr = { .cqe = cqe };
	struct ib_cq *cq;

	rdmaev_object_init(object, &faults_ulp, RDMAEV_OBJECT_CQ, cq_event,
			   end);
	/* Never armed, so there is no completion handler to call. */
	cq = ib_create_cq(end->id->device, NULL, rdmaev_event_handler, object,
			  &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	end->cq[queue] = cq;
	end->number.cq[queue] = cq->res.id;
	return 0;
}

static int create_srq(struct faults_end *end)
{
	struct ib_srq_init_attr attr = {
		.event_handler = rdmaev_event_handler,
		.srq_context = &end->srq_object,
		.attr = { .max_wr = RECV_WR, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq;

	rdmaev_object_init(&end->srq_object, &faults_ulp, RDMAEV_OBJECT_SRQ,
			   srq_event, end);
	srq = ib_create_srq(end->pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	end->srq = srq;
	end->number.srq = srq->res.id;
	return 0;
}

static int create_qp(struct faults_end *end, unsigned int send_wr)
{
	struct ib_qp_init_attr attr = {
		.event_handler = rdmaev_event_handler,
		.qp_context = &end->qp_object,
		.send_cq = end->cq[FAULTS_SEND],
		.recv_cq = end->cq[FAULTS_RECV],
		.srq = end->srq,
		.cap = {
			.max_send_wr = send_wr,
			.max_recv_wr = RECV_WR,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
	};
	int ret;

	rdmaev_object_init(&end->qp_object, &faults_ulp, RDMAEV_OBJECT_QP,
			   qp_event, end);
	ret = rdma_create_qp(end->id, end->pd, &attr);
	if (ret)
		return ret;
	end->number.qp = end->id->qp->qp_num;
	return 0;
}

static int map_buf(struct faults_end *end)
{
	struct ib_device *ib = end->id->device;
	u64 addr;

	end->buf = kzalloc(FAULTS_BUF_SIZE, GFP_KERNEL);
	if (!end->buf)
		return -ENOMEM;
	addr = ib_dma_map_single(ib, end->buf, FAULTS_BUF_SIZE,
				 DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(ib, addr)) {
		kfree(end->buf);
		end->buf = NULL;
		return -ENOMEM;
	}
	end->addr = addr;
	return 0;
}

/* What was made when it fails is for faults_disconnect(). */
static int create_end(struct faults_end *end, unsigned int send_wr,
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
		ret = create_cq(end, FAULTS_SEND, send_cqe);
	if (!ret)
		ret = create_cq(end, FAULTS_RECV, RECV_WR);
	if (!ret && srq)
		ret = create_srq(end);
	if (!ret)
		ret = create_qp(end, send_wr);
	return ret;
}

/* Bottom up: destroying an object is the fence for its events. */
static void destroy_end(struct faults_end *end)
{
	int i;

	if (!end->id)
		return;
	if (end->id->qp)
		rdma_destroy_qp(end->id);
	if (end->srq)
		ib_destroy_srq(end->srq);
	for (i = 0; i < FAULTS_QUEUES; i++) {
		if (end->cq[i])
			ib_destroy_cq(end->cq[i]);
	}
	if (end->buf)
		ib_dma_unmap_single(end->id->device, end->addr, FAULTS_BUF_SIZE,
				    DMA_BIDIRECTIONAL);
	kfree(end->buf);
	if (end->pd)
		ib_dealloc_pd(end->pd);
	/* Last: it keeps the device. */
	rdma_destroy_id(end->id);
}

/*
 * Process context. The CM calls it for one id at a time, but for the two ends
 * at once.
 */
static int cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct faults_conn *conn = id->context;
	struct faults_end *end;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		/* Only ours is wanted; the CM destroys the id of another. */
		if (conn->passive.id)
			return -EBUSY;
		conn->passive.id = id;
	}
	end = id == conn->active.id ? &conn->active : &conn->passive;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		WRITE_ONCE(conn->cm_error, -ECONNREFUSED);
		break;
	default:
		set_bit(event->event, &end->cm_events);
		break;
	}
	wake_up(&conn->wait);
	return 0;
}

static int wait_cm(struct faults_end *end, enum rdma_cm_event_type event)
{
	struct faults_conn *conn = end->conn;

	if (!wait_event_timeout(conn->wait,
				test_bit(event, &end->cm_events) ||
				READ_ONCE(conn->cm_error),
				msecs_to_jiffies(FAULTS_TIMEOUT_MS)))
		return -ETIMEDOUT;
	return conn->cm_error;
}

static int create_id(struct faults_conn *conn, struct rdma_cm_id **id)
{
	struct rdma_cm_id *new = rdma_create_id(&init_net, cm_event, conn,
						RDMA_PS_TCP, IB_QPT_RC);

	if (IS_ERR(new))
		return PTR_ERR(new);
	*id = new;
	return 0;
}

static int listen(struct faults_conn *conn, const char *device, __be32 address)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = address,
	};
	int ret;

	ret = create_id(conn, &conn->listener);
	if (ret)
		return ret;
	ret = rdma_bind_addr(conn->listener, (struct sockaddr *)&addr);
	if (ret)
		return ret;
	/* The address decides; that it is the device meant is looked at here. */
	if (!conn->listener->device ||
	    strcmp(dev_name(&conn->listener->device->dev), device))
		return -ENODEV;
	return rdma_listen(conn->listener, 1);
}

static int resolve(struct faults_conn *conn)
{
	struct faults_end *end = &conn->active;
	int ret;

	ret = create_id(conn, &end->id);
	if (ret)
		return ret;
	ret = rdma_resolve_addr(end->id, NULL,
				(struct sockaddr *)
				&conn->listener->route.addr.src_addr,
				FAULTS_TIMEOUT_MS);
	if (!ret)
		ret = wait_cm(end, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (!ret)
		ret = rdma_resolve_route(end->id, FAULTS_TIMEOUT_MS);
	if (!ret)
		ret = wait_cm(end, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return ret;
}

/**
 * faults_connect - connect a device with itself
 * @conn: connection; faults_disconnect() it also if this fails
 * @device: name of the device
 * @address: its IPv4 address
 * @setup: how, to stay until then
 *
 * Context: process.
 *
 * Return: 0; -ENODEV if the address is not of that device, other -errno.
 */
int faults_connect(struct faults_conn *conn, const char *device,
		   __be32 address, const struct faults_setup *setup)
{
	unsigned int send_wr = setup->send_wr ?: DEFAULT_WR;
	struct rdma_conn_param param = {
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	memset(conn, 0, sizeof(*conn));
	conn->setup = setup;
	conn->active.conn = conn;
	conn->active.name = "active";
	conn->passive.conn = conn;
	conn->passive.name = "passive";
	init_waitqueue_head(&conn->wait);
	spin_lock_init(&conn->lock);

	ret = listen(conn, device, address);
	if (!ret)
		ret = resolve(conn);
	if (!ret)
		ret = create_end(&conn->active, send_wr,
				 setup->send_cqe ?: send_wr, false);
	if (!ret)
		ret = rdma_connect(conn->active.id, &param);
	if (!ret)
		ret = wait_cm(&conn->passive, RDMA_CM_EVENT_CONNECT_REQUEST);
	if (!ret)
		ret = create_end(&conn->passive, DEFAULT_WR, DEFAULT_WR,
				 setup->srq);
	if (ret)
		return ret;
	rdma_lock_handler(conn->passive.id);
	ret = rdma_accept(conn->passive.id, &param);
	rdma_unlock_handler(conn->passive.id);
	if (!ret)
		ret = wait_cm(&conn->active, RDMA_CM_EVENT_ESTABLISHED);
	if (!ret)
		ret = wait_cm(&conn->passive, RDMA_CM_EVENT_ESTABLISHED);
	return ret;
}

/**
 * faults_disconnect - take a connection apart
 * @conn: connection, whole or not
 *
 * When it returns no event of its objects comes any more.
 *
 * Context: process.
 */
void faults_disconnect(struct faults_conn *conn)
{
	/* First, so that no passive end comes to be meanwhile. */
	if (conn->listener)
		rdma_destroy_id(conn->listener);
	if (conn->active.id)
		rdma_disconnect(conn->active.id);
	destroy_end(&conn->active);
	destroy_end(&conn->passive);
}

/**
 * faults_poll - count the completions that are there
 * @end: end
 * @queue: its queue
 *
 * Return: how many the queue has had in all.
 */
unsigned int faults_poll(struct faults_end *end, enum faults_queue queue)
{
	unsigned int *wcs = end->wcs[queue];
	unsigned int total = 0, i;
	struct ib_wc wc;

	while (ib_poll_cq(end->cq[queue], 1, &wc) > 0)
		wcs[min_t(unsigned int, wc.status, IB_WC_GENERAL_ERR)]++;
	for (i = 0; i <= IB_WC_GENERAL_ERR; i++)
		total += wcs[i];
	return total;
}
