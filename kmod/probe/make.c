// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The objects of a probe: PD, CQ, and a QP that is connected to itself, or
 * sends to itself. A request has no data, so that no memory is registered.
 */
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>

#include "cm.h"
#include "make.h"
#include "probe.h"
#include "prober.h"
#include "watch.h"

struct rdmaev_ulp probe_ulp = RDMAEV_ULP_INIT("rdmaev_probe");

/* 4.096 us << 14 = 67 ms for an acknowledgment, 7 retries: half a second */
#define ACK_TIMEOUT	14
#define RETRIES		7
#define QKEY		0x11111111

/* Number of hops for RoCE v2 to the port itself */
#define HOP_LIMIT	64

/* Context: any. The driver's lock of the CQ may be held. */
void probe_notified(struct ib_cq *cq, void *context)
{
	struct probe_port *port = context;

	atomic64_cmpxchg(&port->notified_ns, 0, ktime_get_boot_fast_ns());
	if (!READ_ONCE(port->is_leaving))
		mod_delayed_work(probe_wq, &port->work, 0);
}

/* Context: any. */
void probe_qp_event(struct ib_event *event, void *context)
{
	rdmaev_report(&probe_ulp, event);
}

/*
 * How good a GID is for a path to the port itself: RoCE v2 over IPv4 has the
 * route of any connection to a local address. 0: useless.
 */
static unsigned int probe_rate_gid(const struct ib_gid_attr *gid)
{
	if (gid->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return 1;
	return ipv6_addr_v4mapped((const struct in6_addr *)&gid->gid) ? 3 : 2;
}

/* Returns the index of the best GID of a port, < 0: it has none. */
static int probe_find_gid(struct ib_device *ib, u32 num)
{
	const int len = ib->port_data[num].immutable.gid_tbl_len;
	unsigned int rate, best_rate = 0;
	const struct ib_gid_attr *gid;
	int i, best = -ENOENT;

	for (i = 0; i < len && best_rate < 3; i++) {
		gid = rdma_get_gid_attr(ib, num, i);
		if (IS_ERR(gid))
			continue;
		rate = probe_rate_gid(gid);
		rdma_put_gid_attr(gid);
		if (rate > best_rate) {
			best_rate = rate;
			best = i;
		}
	}
	return best;
}

static int probe_set_grh(struct rdma_ah_attr *ah, struct ib_device *ib, u32 num)
{
	const struct ib_gid_attr *gid;
	int ret, i = probe_find_gid(ib, num);
	u16 vlan;

	if (i < 0)
		return i;
	gid = rdma_get_gid_attr(ib, num, i);
	if (IS_ERR(gid))
		return PTR_ERR(gid);
	rdma_ah_set_grh(ah, (union ib_gid *)&gid->gid, 0, i, HOP_LIMIT, 0);
	ret = 0;
	if (ah->type == RDMA_AH_ATTR_TYPE_ROCE)
		ret = rdma_read_gid_l2_fields(gid, &vlan, ah->roce.dmac);
	rdma_put_gid_attr(gid);
	return ret;
}

/* The path from the port to itself */
static int probe_set_path(struct rdma_ah_attr *ah, struct probe_port *port)
{
	struct ib_device *ib = probe_ib(port);
	struct rdmaev_probed_port state;

	memset(ah, 0, sizeof(*ah));
	ah->type = rdma_ah_find_type(ib, port->num);
	rdma_ah_set_port_num(ah, port->num);
	if (ah->type == RDMA_AH_ATTR_TYPE_ROCE)
		return probe_set_grh(ah, ib, port->num);
	rdmaev_probe_get_port(ib, port->num, &state);
	rdma_ah_set_dlid(ah, state.lid);
	if (rdma_is_grh_required(ib, port->num))
		return probe_set_grh(ah, ib, port->num);
	return 0;
}

static int probe_modify_qp(struct probe_port *port, struct ib_qp_attr *attr,
			   int mask)
{
	probe_call(port, RDMAEV_PROBE_CALL_MODIFY_QP);
	return ib_modify_qp(port->obj.qp, attr, mask | IB_QP_STATE);
}

/* Connect the RC QP to itself. */
static int probe_connect_rc(struct probe_port *port)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = port->num,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
		.path_mtu = IB_MTU_256,
		.dest_qp_num = port->obj.qp->qp_num,
		.min_rnr_timer = 12,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
	};
	int ret;

	ret = probe_modify_qp(port, &attr, IB_QP_PKEY_INDEX | IB_QP_PORT |
					   IB_QP_ACCESS_FLAGS);
	ret = ret ?: probe_set_path(&attr.ah_attr, port);
	attr.qp_state = IB_QPS_RTR;
	ret = ret ?: probe_modify_qp(port, &attr, IB_QP_AV | IB_QP_PATH_MTU |
				     IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				     IB_QP_MAX_DEST_RD_ATOMIC |
				     IB_QP_MIN_RNR_TIMER);
	attr.qp_state = IB_QPS_RTS;
	return ret ?: probe_modify_qp(port, &attr, IB_QP_TIMEOUT |
				      IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				      IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

/* Have the UD QP send to itself. */
static int probe_address_ud(struct probe_port *port)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = port->num,
		.qkey = QKEY,
	};
	struct rdma_ah_attr path;
	struct ib_ah *ah;
	int ret;

	ret = probe_modify_qp(port, &attr, IB_QP_PKEY_INDEX | IB_QP_PORT |
					   IB_QP_QKEY);
	attr.qp_state = IB_QPS_RTR;
	ret = ret ?: probe_modify_qp(port, &attr, 0);
	attr.qp_state = IB_QPS_RTS;
	ret = ret ?: probe_modify_qp(port, &attr, IB_QP_SQ_PSN);
	ret = ret ?: probe_set_path(&path, port);
	if (ret)
		return ret;
	probe_call(port, RDMAEV_PROBE_CALL_CREATE_AH);
	ah = rdma_create_ah(port->obj.pd, &path, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	port->obj.ah = ah;
	return 0;
}

static int probe_create_qp(struct probe_port *port,
			   struct ib_qp_init_attr *attr)
{
	struct ib_qp *qp;

	probe_call(port, RDMAEV_PROBE_CALL_CREATE_QP);
	qp = ib_create_qp(port->obj.pd, attr);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	port->obj.qp = qp;
	return 0;
}

/* RC where the device has it, else UD */
static int probe_make_qp(struct probe_port *port, struct ib_qp_init_attr *attr)
{
	int ret = probe_create_qp(port, attr);

	probe_set_method(port, RDMAEV_PROBE_BY_RC);
	if (!ret)
		return probe_connect_rc(port);
	if (ret != -EOPNOTSUPP && ret != -EINVAL)
		return ret;
	attr->qp_type = IB_QPT_UD;
	ret = probe_create_qp(port, attr);
	if (ret)
		return ret;
	probe_set_method(port, RDMAEV_PROBE_BY_UD);
	return probe_address_ud(port);
}

static int probe_make_cq(struct probe_port *port)
{
	const struct ib_cq_init_attr attr = { .cqe = 4 };
	struct rdmaev_cq *rcq;
	struct ib_pd *pd;

	probe_call(port, RDMAEV_PROBE_CALL_ALLOC_PD);
	pd = ib_alloc_pd(probe_ib(port), 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	port->obj.pd = pd;
	probe_call(port, RDMAEV_PROBE_CALL_CREATE_CQ);
	rcq = rdmaev_create_cq(&probe_ulp, probe_ib(port), probe_notified, NULL,
			       port, &attr, RDMAEV_CQ_NAME_QP);
	if (IS_ERR(rcq))
		return PTR_ERR(rcq);
	port->obj.rcq = rcq;
	return 0;
}

/**
 * probe_make - make the objects of a probe
 * @port: port without objects
 *
 * Return: 0 or -errno; then probe_unmake() destroys what was made.
 */
int probe_make(struct probe_port *port)
{
	struct ib_qp_init_attr attr = {
		.event_handler = probe_qp_event,
		.qp_context = port,
		.cap = { .max_send_wr = 1, .max_send_sge = 1,
			 .max_recv_wr = 1, .max_recv_sge = 1 },
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int ret = probe_make_cq(port);

	if (ret)
		return ret;
	attr.send_cq = port->obj.rcq->cq;
	attr.recv_cq = port->obj.rcq->cq;
	if (rdma_protocol_iwarp(probe_ib(port), port->num))
		ret = probe_cm_make(port, &attr);
	else
		ret = probe_make_qp(port, &attr);
	if (ret)
		return ret;
	probe_set_objects(port, port->obj.qp->qp_num, port->obj.rcq->cq->res.id);
	port->is_up = true;
	return 0;
}

static int probe_destroy_ah(struct probe_port *port)
{
	int ret;

	if (!port->obj.ah)
		return 0;
	probe_call(port, RDMAEV_PROBE_CALL_DESTROY_AH);
	ret = rdma_destroy_ah_user(port->obj.ah, RDMA_DESTROY_AH_SLEEPABLE,
				   NULL);
	if (!ret)
		port->obj.ah = NULL;
	return ret;
}

static int probe_destroy_qp(struct probe_port *port)
{
	int ret;

	if (!port->obj.qp)
		return 0;
	probe_call(port, RDMAEV_PROBE_CALL_DESTROY_QP);
	rdmaev_qp_flushed(port->obj.qp);
	if (port->obj.id) {
		rdma_destroy_qp(port->obj.id);
		ret = 0;
	} else {
		ret = ib_destroy_qp_user(port->obj.qp, NULL);
	}
	if (!ret)
		port->obj.qp = NULL;
	return ret;
}

/**
 * probe_unmake - destroy the objects of a probe, as far as they exist
 * @port: port; nothing happens if it has none
 *
 * Return: 0; -errno: the driver has not destroyed an object. That and what it
 * uses still exist: call this again.
 */
int probe_unmake(struct probe_port *port)
{
	struct probe_objects *obj = &port->obj;
	int ret;

	if (!obj->pd)
		return 0;
	port->is_up = false;
	probe_set_objects(port, 0, 0);
	ret = probe_destroy_ah(port) ?: probe_destroy_qp(port);
	if (ret)
		return ret;
	probe_cm_unmake(port);
	if (obj->rcq) {
		probe_call(port, RDMAEV_PROBE_CALL_DESTROY_CQ);
		rdmaev_destroy_cq(obj->rcq);
		obj->rcq = NULL;
	}
	probe_call(port, RDMAEV_PROBE_CALL_DEALLOC_PD);
	ib_dealloc_pd(obj->pd);
	obj->pd = NULL;
	return 0;
}

/**
 * probe_post - post the request
 * @port: port with its objects
 *
 * Return: 0 or -errno.
 */
int probe_post(struct probe_port *port)
{
	struct ib_rdma_wr write = {
		.wr.opcode = IB_WR_RDMA_WRITE,
		.wr.send_flags = IB_SEND_SIGNALED,
	};
	struct ib_ud_wr send = {
		.wr.opcode = IB_WR_SEND,
		.wr.send_flags = IB_SEND_SIGNALED,
		.ah = port->obj.ah,
		.remote_qpn = port->obj.qp->qp_num,
		.remote_qkey = QKEY,
	};

	return ib_post_send(port->obj.qp, port->obj.ah ? &send.wr : &write.wr,
			    NULL);
}
