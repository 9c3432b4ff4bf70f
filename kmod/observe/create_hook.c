// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* QPs, CQs and SRQs that a driver could not make, in place of its operations */
#include <linux/err.h>
#include <rdma/ib_verbs.h>

#include "create_hook.h"
#include "object/qp_end.h"
#include "operation.h"
#include "trial.h"

/*
 * Report an object that was not made. @name: of the ULP of an object of the kernel, NULL if
 * unknown
 */
static void create_failed(const struct ib_device *ib, enum rdmaev_object_type type,
			  int qp_type, bool is_user, const char *name, int result)
{
	rdmaev_create_failed(ib, type, qp_type, is_user ? NULL : name ?: "", result);
}

static const char *create_name_of_pd(const struct ib_pd *pd)
{
	return pd ? pd->res.kern_name : NULL;
}

/* The core makes XRC target QPs of processes as if they were the kernel's, which makes none. */
static bool create_qp_is_user(const struct ib_qp_init_attr *attr, const struct ib_udata *udata)
{
	return udata || attr->qp_type == IB_QPT_XRC_TGT;
}

#ifdef HAVE_IB_QP_SIZE
int observe_driver_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			     struct ib_udata *udata)
{
	bool is_held;
	int ret = observe_operation_enter(qp->device, &is_held)->create_qp(qp, attr, udata);

	if (!observe_is_trial(attr->qp_context, OBSERVE_TRY_CREATE_QP) && ret)
		create_failed(qp->device, RDMAEV_OBJECT_QP, attr->qp_type,
			      create_qp_is_user(attr, udata),
			      create_name_of_pd(qp->pd), ret);
	observe_operation_leave(is_held);
	return ret;
}
#else
struct ib_qp *observe_driver_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr,
				       struct ib_udata *udata)
{
	/* XRC target QPs have no PD. */
	struct ib_device *ib = pd ? pd->device : attr->xrcd->device;
	bool is_held;
	struct ib_qp *qp = observe_operation_enter(ib, &is_held)->create_qp(pd, attr, udata);

	if (!observe_is_trial(attr->qp_context, OBSERVE_TRY_CREATE_QP) && IS_ERR(qp))
		create_failed(ib, RDMAEV_OBJECT_QP, attr->qp_type,
			      create_qp_is_user(attr, udata),
			      create_name_of_pd(pd), PTR_ERR(qp));
	observe_operation_leave(is_held);
	return qp;
}
#endif

static void create_cq_failed(const struct ib_cq *cq, int result)
{
	create_failed(cq->device, RDMAEV_OBJECT_CQ, -1, cq->uobject, cq->res.kern_name,
		      result);
}

int observe_driver_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			     struct rdmaev_create_cq_data *data)
{
	bool is_held;
	int ret = observe_operation_enter(cq->device, &is_held)->create_cq(cq, attr, data);

	if (!observe_is_trial(cq->cq_context, OBSERVE_TRY_CREATE_CQ) && ret)
		create_cq_failed(cq, ret);
	observe_operation_leave(is_held);
	return ret;
}

#ifdef HAVE_CREATE_USER_CQ
int observe_driver_create_user_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
				  struct rdmaev_create_cq_data *data)
{
	bool is_held;
	int ret = observe_operation_enter(cq->device, &is_held)->create_user_cq(cq, attr, data);

	if (ret)
		create_cq_failed(cq, ret);
	observe_operation_leave(is_held);
	return ret;
}
#endif

int observe_driver_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
			      struct ib_udata *udata)
{
	bool is_held;
	int ret = observe_operation_enter(srq->device, &is_held)->create_srq(srq, attr, udata);

	if (ret)
		create_failed(srq->device, RDMAEV_OBJECT_SRQ, -1, udata,
			      create_name_of_pd(srq->pd), ret);
	observe_operation_leave(is_held);
	return ret;
}
