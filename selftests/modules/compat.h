/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between kernels for the test modules, which are nowhere else in
 * them. The module's own are used, too. kmod/compat.mk finds out HAVE_...
 */
#ifndef RDMAEV_TEST_COMPAT_H
#define RDMAEV_TEST_COMPAT_H

#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "../../kmod/compat.h"

/* Newer kernels require flags for the former behaviour of queues. */
#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

/* u8 up to Linux 5.12, u32 since. */
#define port_num_t	typeof(((struct ib_event *)NULL)->element.port_num)

/*
 * Argument of create_cq() for a CQ of a program: another type since Linux 6.11.
 */
#define is_udata							\
	__builtin_types_compatible_p(					\
		typeof(((const struct ib_device_ops *)NULL)->create_cq), \
		int (*)(struct ib_cq *, const struct ib_cq_init_attr *,	\
			struct ib_udata *))
#define cq_udata_t							\
	typeof(*__builtin_choose_expr(is_udata, (struct ib_udata *)NULL, \
				      (struct uverbs_attr_bundle *)NULL))

/* Since Linux 5.11; before, no PREEMPT_RT had it and all work was hard. */
#ifndef IRQ_WORK_INIT_HARD
#define IRQ_WORK_INIT_HARD(_func)	((struct irq_work){ .func = (_func) })
#endif

/*
 * The number of an SRQ, 0: it has none yet. Kernels that do not track SRQs have
 * no number, so the simulated driver stores one in a field for XRC.
 */
static inline u32 srq_number(const struct ib_srq *srq)
{
#ifdef HAVE_SRQ_RES
	return srq->res.valid ? srq->res.id : 0;
#else
	return srq->ext.xrc.srq_num;
#endif
}

static inline void number_srq(struct ib_srq *srq, u32 number)
{
#ifndef HAVE_SRQ_RES
	srq->ext.xrc.srq_num = number;
#endif
}

/* They cannot be looked up by a number either. */
#ifndef HAVE_SRQ_RES
#define RDMA_RESTRACK_SRQ	RDMA_RESTRACK_MAX
#endif

static inline struct ib_srq *srq_of_res(struct rdma_restrack_entry *res)
{
#ifdef HAVE_SRQ_RES
	return container_of(res, struct ib_srq, res);
#else
	return NULL;
#endif
}

static inline struct rdma_restrack_entry *
get_res(struct ib_device *ib, enum rdma_restrack_type type, u32 number)
{
	if (type == RDMA_RESTRACK_MAX)
		return ERR_PTR(-EOPNOTSUPP);
	return rdma_restrack_get_byid(ib, type, number);
}

/*
 * Define the operations that make and end QPs: @type begins with the member
 * @member, a struct ib_qp. Up to Linux 5.14 a driver allocates it, and the core
 * fills it in only then.
 */
#ifdef HAVE_IB_QP_SIZE
#define DEFINE_QP_OPS(name, type, member, create, destroy)		\
const struct ib_device_ops name = {					\
	.create_qp = create,						\
	.destroy_qp = destroy,						\
	INIT_RDMA_OBJ_SIZE(ib_qp, type, member),			\
}
#else
static inline void fill_in_qp(struct ib_qp *qp, struct ib_pd *pd,
			      const struct ib_qp_init_attr *attr)
{
	qp->device = pd->device;
	qp->pd = pd;
	qp->real_qp = qp;
	qp->qp_type = attr->qp_type;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->event_handler = attr->event_handler;
	qp->qp_context = attr->qp_context;
}

/* Newer kernels require that the QP begins with the core's structure. */
#define DEFINE_QP_OPS(name, type, member, create, destroy)		\
static_assert(offsetof(struct type, member) == 0);			\
									\
static struct ib_qp *name##_create(struct ib_pd *pd,			\
				   struct ib_qp_init_attr *attr,	\
				   struct ib_udata *udata)		\
{									\
	struct type *own = kzalloc(sizeof(*own), GFP_KERNEL);		\
	struct ib_qp *qp = (struct ib_qp *)own;				\
	int ret;							\
									\
	if (!qp)							\
		return ERR_PTR(-ENOMEM);				\
	fill_in_qp(qp, pd, attr);					\
	ret = create(qp, attr, udata);					\
	if (!ret)							\
		return qp;						\
	kfree(qp);							\
	return ERR_PTR(ret);						\
}									\
									\
static int name##_destroy(struct ib_qp *qp, struct ib_udata *udata)	\
{									\
	int ret = destroy(qp, udata);					\
									\
	if (!ret)							\
		kfree(qp);						\
	return ret;							\
}									\
									\
const struct ib_device_ops name = {					\
	.create_qp = name##_create,					\
	.destroy_qp = name##_destroy,					\
}
#endif

#endif /* RDMAEV_TEST_COMPAT_H */
