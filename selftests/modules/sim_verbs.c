// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated HCAs: objects of ULPs but CQs, SRQs and QPs, which have
 * their own files. WQs have no function.
 *
 * reg_user_mr is left out, unless the device is created with "verbs": then the
 * core takes it for one without kernel verbs, and ib_mad, ib_cm, rdma_cm,
 * ib_ipoib and the like do not attach.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "sim.h"

/* Each starts with the core's structure; the core allocates it. */
struct sim_pd {
	struct ib_pd ib;
};

struct sim_ah {
	struct ib_ah ib;
};

struct sim_ucontext {
	struct ib_ucontext ib;
};

struct sim_wq {
	struct ib_wq ib;
	struct sim_object object;
};

/* From now on it can report events. */
void sim_publish(struct sim_dev *sim, struct sim_object *obj,
		 enum object_type type)
{
	obj->type = type;
	raw_spin_lock_init(&obj->lock);
	down_write(&sim->objects_lock);
	list_add_tail(&obj->list, &sim->objects);
	up_write(&sim->objects_lock);
}

/* Waits for events that it is reporting; none come afterwards. */
void sim_retract(struct sim_dev *sim, struct sim_object *obj)
{
	down_write(&sim->objects_lock);
	list_del(&obj->list);
	up_write(&sim->objects_lock);
}

/* 24 bits; 0 and 1 are special QPs. Tests do not use all of them. */
u32 sim_next_number(struct sim_dev *sim)
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
	attr->max_cqe = SIM_MAX_CQE;
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
	return sim_fault(pd->device, SIM_ALLOC_PD);
}

static int sim_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

/*
 * For the local_dma_lkey of a PD. Devices that have their own say so in a flag,
 * which differs between kernels.
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

static int sim_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			 struct ib_udata *udata)
{
	return sim_fault(ah->device, SIM_CREATE_AH);
}

static int sim_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return sim_fault(ah->device, SIM_DESTROY_AH);
}

/* The core fills in the other members of a WQ after this. */
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
	wq->ib.wq_num = sim_next_number(sim);
	wq->object.wq = &wq->ib;
	sim_publish(sim, &wq->object, OBJECT_WQ);
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

	sim_retract(to_sim(ibwq->device), &wq->object);
	kfree(wq);
	return 0;
}

/*
 * The core moves only devices with this function to another network namespace.
 */
static void sim_disassociate_ucontext(struct ib_ucontext *context)
{
}

const struct ib_device_ops sim_verbs_ops = {
	.owner = THIS_MODULE,
	.driver_id = SIM_DRIVER_ID,
	.query_device = sim_query_device,
	.alloc_pd = sim_alloc_pd,
	.dealloc_pd = sim_dealloc_pd,
	.get_dma_mr = sim_get_dma_mr,
	.dereg_mr = sim_dereg_mr,
	.create_ah = sim_create_ah,
	.destroy_ah = sim_destroy_ah,
	.create_wq = sim_create_wq,
	.modify_wq = sim_modify_wq,
	.destroy_wq = sim_destroy_wq,
	.disassociate_ucontext = sim_disassociate_ucontext,

	INIT_RDMA_OBJ_SIZE(ib_ah, sim_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, sim_pd, ib),
};

/* Its type differs between kernels; nobody calls it. */
static struct ib_mr *sim_reg_user_mr(void)
{
	return ERR_PTR(-EOPNOTSUPP);
}

const struct ib_device_ops sim_kernel_verbs_ops = {
	.reg_user_mr = (void *)sim_reg_user_mr,
};

/* Programs see the node of ib_uverbs, and cannot use it. */
static int sim_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return -EOPNOTSUPP;
}

static void sim_dealloc_ucontext(struct ib_ucontext *context)
{
}

const struct ib_device_ops sim_user_verbs_ops = {
	.alloc_ucontext = sim_alloc_ucontext,
	.dealloc_ucontext = sim_dealloc_ucontext,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, sim_ucontext, ib),
};
