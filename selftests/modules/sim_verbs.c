// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated HCAs: objects of kernel ULPs. They can be made, QPs go through their
 * states, and nothing is ever transferred: a posted request fails, a CQ stays
 * empty.
 *
 * reg_user_mr is left out: then the core takes the device for one without
 * kernel verbs, and ib_mad, ib_cm, rdma_cm, ib_ipoib and the like keep away.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "sim.h"

/* Each starts with the core's structure, which the core allocates it by. */
struct sim_pd {
	struct ib_pd ib;
};

struct sim_cq {
	struct ib_cq ib;
	struct sim_object object;
};

struct sim_srq {
	struct ib_srq ib;
	struct sim_object object;
};

struct sim_qp {
	struct ib_qp ib;
	struct sim_object object;
	enum ib_qp_state state;
};

struct sim_wq {
	struct ib_wq ib;
	struct sim_object object;
};

/* What create_cq() gets for a CQ of a program: another type since Linux 6.11. */
#define is_udata							\
	__builtin_types_compatible_p(					\
		typeof(((const struct ib_device_ops *)NULL)->create_cq), \
		int (*)(struct ib_cq *, const struct ib_cq_init_attr *,	\
			struct ib_udata *))
#define cq_udata_t							\
	typeof(*__builtin_choose_expr(is_udata, (struct ib_udata *)NULL, \
				      (struct uverbs_attr_bundle *)NULL))

/* From now on it can be told to report events. */
static void publish(struct sim_dev *sim, struct sim_object *obj,
		    enum sim_type type)
{
	obj->type = type;
	spin_lock_init(&obj->lock);
	down_write(&sim->objects_lock);
	list_add_tail(&obj->list, &sim->objects);
	up_write(&sim->objects_lock);
}

/* Waits for events that it is reporting; there are none afterwards. */
static void retract(struct sim_dev *sim, struct sim_object *obj)
{
	down_write(&sim->objects_lock);
	list_del(&obj->list);
	up_write(&sim->objects_lock);
}

/* 24 bits; 0 and 1 are special QPs. Tests do not use them up. */
static u32 next_number(struct sim_dev *sim)
{
	u32 number;

	down_write(&sim->objects_lock);
	number = ++sim->last_number;
	up_write(&sim->objects_lock);
	return number;
}

static int sim_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	attr->sys_image_guid = ib->node_guid;
	attr->max_pkeys = SIM_TABLE;
	attr->max_pd = 1024;
	attr->max_cq = 1024;
	attr->max_cqe = 1024;
	attr->max_srq = 1024;
	attr->max_srq_wr = 1024;
	attr->max_srq_sge = 4;
	attr->max_qp = 1024;
	attr->max_qp_wr = 1024;
	attr->max_send_sge = 4;
	attr->max_recv_sge = 4;
	return 0;
}

static int sim_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int sim_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

/*
 * For the local_dma_lkey of a PD. Devices that have one of their own say so in
 * a flag, which is not the same in all kernels.
 */
static struct ib_mr *sim_get_dma_mr(struct ib_pd *pd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ?: ERR_PTR(-ENOMEM);
}

static int sim_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

static int sim_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			 cq_udata_t *udata)
{
	struct sim_cq *cq = container_of(ibcq, struct sim_cq, ib);

	ibcq->cqe = attr->cqe;
	cq->object.cq = ibcq;
	publish(to_sim(ibcq->device), &cq->object, SIM_CQ);
	return 0;
}

static int sim_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct sim_cq *cq = container_of(ibcq, struct sim_cq, ib);

	retract(to_sim(ibcq->device), &cq->object);
	return 0;
}

static int sim_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	return 0;
}

static int sim_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

static int sim_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
			  struct ib_udata *udata)
{
	struct sim_srq *srq = container_of(ibsrq, struct sim_srq, ib);

	srq->object.srq = ibsrq;
	publish(to_sim(ibsrq->device), &srq->object, SIM_SRQ);
	return 0;
}

static int sim_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct sim_srq *srq = container_of(ibsrq, struct sim_srq, ib);

	retract(to_sim(ibsrq->device), &srq->object);
	return 0;
}

static int sim_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
			 struct ib_udata *udata)
{
	struct sim_qp *qp = container_of(ibqp, struct sim_qp, ib);
	struct sim_dev *sim = to_sim(ibqp->device);

	if (attr->qp_type != IB_QPT_RC && attr->qp_type != IB_QPT_UC &&
	    attr->qp_type != IB_QPT_UD)
		return -EOPNOTSUPP;
	ibqp->qp_num = next_number(sim);
	qp->state = IB_QPS_RESET;
	qp->object.qp = ibqp;
	publish(sim, &qp->object, SIM_QP);
	return 0;
}

/* The core does not call it twice at once for a QP; query_qp() any time. */
static int sim_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	struct sim_qp *qp = container_of(ibqp, struct sim_qp, ib);
	enum ib_qp_state state = mask & IB_QP_STATE ? attr->qp_state : qp->state;

	if (!ib_modify_qp_is_ok(qp->state, state, ibqp->qp_type, mask))
		return -EINVAL;
	WRITE_ONCE(qp->state, state);
	return 0;
}

static int sim_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init_attr)
{
	struct sim_qp *qp = container_of(ibqp, struct sim_qp, ib);

	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->port_num = ibqp->port;
	return 0;
}

static int sim_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct sim_qp *qp = container_of(ibqp, struct sim_qp, ib);

	retract(to_sim(ibqp->device), &qp->object);
	return 0;
}

static int sim_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad_wr)
{
	*bad_wr = wr;
	return -EOPNOTSUPP;
}

static int sim_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return -EOPNOTSUPP;
}

/* The core fills in the rest of a WQ when this has returned. */
static struct ib_wq *sim_create_wq(struct ib_pd *pd,
				   struct ib_wq_init_attr *attr,
				   struct ib_udata *udata)
{
	struct sim_dev *sim = to_sim(pd->device);
	struct sim_wq *wq;

	wq = kzalloc(sizeof(*wq), GFP_KERNEL);
	if (!wq)
		return ERR_PTR(-ENOMEM);
	wq->ib.device = pd->device;
	wq->ib.wq_num = next_number(sim);
	wq->object.wq = &wq->ib;
	publish(sim, &wq->object, SIM_WQ);
	return &wq->ib;
}

static int sim_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask,
			 struct ib_udata *udata)
{
	if (mask & IB_WQ_STATE)
		wq->state = attr->wq_state;
	return 0;
}

static int sim_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata)
{
	struct sim_wq *wq = container_of(ibwq, struct sim_wq, ib);

	retract(to_sim(ibwq->device), &wq->object);
	kfree(wq);
	return 0;
}

/* The core moves only devices that have it to another network namespace. */
static void sim_disassociate_ucontext(struct ib_ucontext *context)
{
}

const struct ib_device_ops sim_verbs_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = sim_query_device,
	.alloc_pd = sim_alloc_pd,
	.dealloc_pd = sim_dealloc_pd,
	.get_dma_mr = sim_get_dma_mr,
	.dereg_mr = sim_dereg_mr,
	.create_cq = sim_create_cq,
	.destroy_cq = sim_destroy_cq,
	.poll_cq = sim_poll_cq,
	.req_notify_cq = sim_req_notify_cq,
	.create_srq = sim_create_srq,
	.destroy_srq = sim_destroy_srq,
	.create_qp = sim_create_qp,
	.modify_qp = sim_modify_qp,
	.query_qp = sim_query_qp,
	.destroy_qp = sim_destroy_qp,
	.post_send = sim_post_send,
	.post_recv = sim_post_recv,
	.create_wq = sim_create_wq,
	.modify_wq = sim_modify_wq,
	.destroy_wq = sim_destroy_wq,
	.disassociate_ucontext = sim_disassociate_ucontext,

	INIT_RDMA_OBJ_SIZE(ib_pd, sim_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, sim_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, sim_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, sim_qp, ib),
};
