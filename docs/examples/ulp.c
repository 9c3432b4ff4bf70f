// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A ULP that reports to rdmaev. On each device it has a QP with one request. See Kbuild. */
#include <linux/module.h>
#include <rdma/rdmaev_ulp.h>

struct example {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct rdmaev_cq *counted;
	struct ib_qp *qp;
	struct ib_cqe recv;
};

static struct rdmaev_ulp example_ulp = RDMAEV_ULP_INIT("rdmaev_example");
static struct ib_client example_client;

static void example_event(struct ib_event *event, void *context)
{
	rdmaev_report(&example_ulp, event);
}

static void example_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct example *e = container_of(wc->wr_cqe, struct example, recv);

	rdmaev_count_wc(e->counted, wc);
}

static int example_start(struct example *e, struct ib_device *ib)
{
	struct ib_qp_attr init = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	struct ib_qp_init_attr attr = {
		.event_handler = example_event,
		.cap = { .max_send_wr = 1, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IB_QPT_RC,
	};

	e->recv.done = example_done;
	e->pd = ib_alloc_pd(ib, 0);
	e->cq = ib_alloc_cq_any(ib, e, 4, IB_POLL_WORKQUEUE);
	if (IS_ERR(e->pd) || IS_ERR(e->cq))
		return PTR_ERR_OR_ZERO(e->pd) ?: PTR_ERR(e->cq);
	e->counted = rdmaev_attach_cq(&example_ulp, e->cq, RDMAEV_CQ_NAME_QP | RDMAEV_CQ_WR_CQE);
	if (IS_ERR(e->counted))
		return PTR_ERR(e->counted);
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	e->qp = ib_create_qp(e->pd, &attr);
	if (IS_ERR(e->qp))
		return PTR_ERR(e->qp);
	return ib_modify_qp(e->qp, &init, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    IB_QP_ACCESS_FLAGS) ?:
	       ib_post_recv(e->qp, &(struct ib_recv_wr){ .wr_cqe = &e->recv }, NULL);
}

/* Called also if example_start() failed */
static void example_remove(struct ib_device *ib, void *data)
{
	struct example *e = data;

	if (!IS_ERR_OR_NULL(e->qp)) {
		ib_drain_qp(e->qp);	/* as RDMAEV_CQ_NAME_QP promises */
		rdmaev_qp_flushed(e->qp);
		ib_destroy_qp(e->qp);
	}
	if (!IS_ERR_OR_NULL(e->counted))
		rdmaev_detach_cq(e->counted);
	if (!IS_ERR_OR_NULL(e->cq))
		ib_free_cq(e->cq);
	if (!IS_ERR_OR_NULL(e->pd))
		ib_dealloc_pd(e->pd);
	kfree(e);
}

static int example_add(struct ib_device *ib)
{
	struct example *e;
	int ret;

	if (rdma_protocol_iwarp(ib, 1))
		return -EOPNOTSUPP;	/* rdma_cm connects its QPs */
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	ret = example_start(e, ib);
	if (ret) {
		rdmaev_note(&example_ulp, RDMAEV_SEVERITY_ERROR, ib, 1, NULL, "not ready: %d", ret);
		example_remove(ib, e);
		return ret;
	}
	rdmaev_note(&example_ulp, RDMAEV_SEVERITY_INFO, ib, 1, e->qp, "ready");
	ib_set_client_data(ib, &example_client, e);
	return 0;
}

static struct ib_client example_client = {
	.name = "rdmaev_example",
	.add = example_add,
	.remove = example_remove,
};

static int __init example_init(void)
{
	int ret = rdmaev_ulp_register(&example_ulp) ?: ib_register_client(&example_client);

	if (ret)
		rdmaev_ulp_unregister(&example_ulp);
	return ret;
}
module_init(example_init);

static void __exit example_exit(void)
{
	ib_unregister_client(&example_client);
	rdmaev_ulp_unregister(&example_ulp);
}
module_exit(example_exit);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Example of a ULP that reports to rdmaev");
