// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Affiliated events: those of a QP, CQ, SRQ or WQ, which ib_core passes
 * only to the handler of the object.
 */
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "event_hook.h"
#include "ulp/event.h"

/* Handlers of ib_uverbs: events of objects of processes. */
RDMAEV_FTRACE_FN(observe_user_qp)
{
	rdmaev_observe_event((void *)RDMAEV_FTRACE_ARG(0), RDMAEV_OBJECT_QP);
}

RDMAEV_FTRACE_FN(observe_user_cq)
{
	rdmaev_observe_event((void *)RDMAEV_FTRACE_ARG(0), RDMAEV_OBJECT_CQ);
}

RDMAEV_FTRACE_FN(observe_user_srq)
{
	rdmaev_observe_event((void *)RDMAEV_FTRACE_ARG(0), RDMAEV_OBJECT_SRQ);
}

RDMAEV_FTRACE_FN(observe_user_wq)
{
	rdmaev_observe_event((void *)RDMAEV_FTRACE_ARG(0), RDMAEV_OBJECT_WQ);
}

/*
 * __ib_qp_event_handler() of ib_core: events of all QPs. Those of
 * processes go on to ib_uverbs, whose handler is hooked, too.
 */
RDMAEV_FTRACE_FN(observe_kernel_qp)
{
	const struct ib_event *event = (void *)RDMAEV_FTRACE_ARG(0);

	/* Some drivers pass CQ_ERR of a CQ. */
	if (event->event != IB_EVENT_CQ_ERR &&
	    !rdma_is_kernel_res(&event->element.qp->res))
		return;
	rdmaev_observe_kernel_event(event, BIT(RDMAEV_OBJECT_QP), 0, NULL);
}
