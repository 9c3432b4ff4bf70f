// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Does the observer see what it says it does? A CQ and a QP of its own, on each device for a
 * moment: no hook reports them, but each notes that it was called as it expects. So a
 * change of ib_core that no compiler sees, and a module that takes an operation
 * away, are known before anything has been missed. What the kernel refuses shows nothing.
 *
 * Nobody else can use the objects, nothing is posted, and no other object is touched.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "operation.h"
#include "trial.h"

/* What takes a QP */
#define TRIAL_QP	(OBSERVE_TRY_CREATE_QP | OBSERVE_TRY_MODIFY_QP | OBSERVE_TRY_QUERY_QP | \
			 OBSERVE_TRY_DESTROY_QP | OBSERVE_TRY_QP_HANDLER)

u32 observe_trial_seen;

/* OBSERVE_TRY_*: what the kernel has done for the trial that runs. One at a time */
static u32 trial_tried;

/* By bit of OBSERVE_TRY_* */
static const char * const trial_names[] = {
	"create_cq", "create_qp", "modify_qp", "query_qp", "destroy_qp", "poll_cq",
	"notifications of CQs that ib_core polls", "polls of ib_core",
	"the event handlers of CQs", "the event handlers of QPs",
};

static const struct {
	u32 what;
	u32 fact;
} trial_table[] = {
	{ OBSERVE_TRY_CREATE_CQ | OBSERVE_TRY_CREATE_QP | OBSERVE_TRY_MODIFY_QP,
	  RDMAEV_OBSERVED_QP_STATES },
	{ OBSERVE_TRY_QUERY_QP | OBSERVE_TRY_DESTROY_QP, RDMAEV_OBSERVED_QP_ENDS },
	{ OBSERVE_TRY_POLL_CQ, RDMAEV_OBSERVED_POLLED_CQS },
	{ OBSERVE_TRY_NOTIFY | OBSERVE_TRY_CORE_POLL, RDMAEV_OBSERVED_KERNEL_CQS },
	{ OBSERVE_TRY_CQ_HANDLER | OBSERVE_TRY_QP_HANDLER, RDMAEV_OBSERVED_KERNEL_EVENTS },
};

static void trial_event(struct ib_event *event, void *context)
{
}

static void trial_comp(struct ib_cq *cq, void *context)
{
}

/* A CQ that the core polls */
static void trial_core_cq(struct ib_device *ib)
{
	struct ib_cq *cq = ib_alloc_cq(ib, &observe_trial_seen, 1, 0, IB_POLL_WORKQUEUE);

	if (IS_ERR(cq))
		return;
	/* As its driver does after a completion */
	cq->comp_handler(cq, cq->cq_context);
	flush_work(&cq->work);
	trial_tried |= OBSERVE_TRY_CREATE_CQ | OBSERVE_TRY_NOTIFY | OBSERVE_TRY_CORE_POLL;
	ib_free_cq(cq);
}

static void trial_qp(struct ib_pd *pd, struct ib_cq *cq)
{
	struct ib_qp_init_attr init = {
		.event_handler = trial_event,
		.qp_context = &observe_trial_seen,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = rdma_start_port(pd->device),
	};
	struct ib_qp *qp = ib_create_qp(pd, &init);

	if (IS_ERR(qp))
		return;
	trial_tried |= OBSERVE_TRY_CREATE_QP | OBSERVE_TRY_QP_HANDLER;
	if (!observe_device_is_leaving(pd->device) &&
	    !ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			  IB_QP_ACCESS_FLAGS))
		trial_tried |= OBSERVE_TRY_MODIFY_QP;
	if (!observe_device_is_leaving(pd->device) &&
	    !ib_query_qp(qp, &attr, IB_QP_STATE, &init))
		trial_tried |= OBSERVE_TRY_QUERY_QP;
	if (!ib_destroy_qp(qp))
		trial_tried |= OBSERVE_TRY_DESTROY_QP;
}

/* A CQ that a ULP polls, and a QP with it if @has_qp */
static void trial_ulp_cq(struct ib_device *ib, bool has_qp)
{
	const struct ib_cq_init_attr attr = { .cqe = 1 };
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_wc wc;

	cq = ib_create_cq(ib, trial_comp, trial_event, &observe_trial_seen, &attr);
	if (IS_ERR(cq))
		return;
	trial_tried |= OBSERVE_TRY_CREATE_CQ | OBSERVE_TRY_CQ_HANDLER;
	if (!ib_poll_cq(cq, 1, &wc))
		trial_tried |= OBSERVE_TRY_POLL_CQ;
	pd = has_qp && !observe_device_is_leaving(ib) ? ib_alloc_pd(ib, 0) : NULL;
	if (!IS_ERR_OR_NULL(pd)) {
		trial_qp(pd, cq);
		ib_dealloc_pd(pd);
	}
	ib_destroy_cq(cq);
}

/**
 * observe_trial - try a device; one at a time
 * @ib: device, whose caller holds it
 * @what: OBSERVE_TRY_*: what is to be seen
 *
 * What the kernel or the driver refuses is as it was: unseen, or not.
 *
 * Context: process, may sleep for as long as the driver does.
 */
void observe_trial(struct ib_device *ib, u32 what)
{
	unsigned long news;
	unsigned int bit;
	u32 seen;

	/* Those without verbs for the kernel, and those whose operations are not replaced */
	if (!what || !ib->kverbs_provider || observe_device_is_leaving(ib))
		return;
	trial_tried = 0;
	WRITE_ONCE(observe_trial_seen, 0);
	if (what & (OBSERVE_TRY_NOTIFY | OBSERVE_TRY_CORE_POLL))
		trial_core_cq(ib);
	if (!observe_device_is_leaving(ib))
		trial_ulp_cq(ib, what & TRIAL_QP);
	seen = READ_ONCE(observe_trial_seen);
	news = observe_device_tried(ib, seen, what & trial_tried & ~seen);
	for_each_set_bit(bit, &news, ARRAY_SIZE(trial_names))
		dev_warn(&ib->dev, "rdmaev_observe is not called for %s\n", trial_names[bit]);
}

/** observe_trial_unseen - return RDMAEV_OBSERVED_* that trials have not seen of devices */
u32 observe_trial_unseen(void)
{
	u32 unseen = observe_device_unseen(NULL);
	u32 facts = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(trial_table); i++) {
		if (trial_table[i].what & unseen)
			facts |= trial_table[i].fact;
	}
	return facts;
}
