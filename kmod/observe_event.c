// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Affiliated events: those of a QP, CQ, SRQ or WQ, which the RDMA core passes
 * only to the handler of the object.
 */
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "observe.h"
#include "observer.h"

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
 * __ib_qp_event_handler() of the RDMA core: events of all QPs. Those of
 * processes go on to ib_uverbs, whose handler is hooked, too; those of a ULP
 * that reports its events itself are left to it.
 */
RDMAEV_FTRACE_FN(observe_kernel_qp)
{
	const struct ib_event *event = (void *)RDMAEV_FTRACE_ARG(0);
	const struct ib_qp *qp = event->element.qp;

	if (rdma_is_kernel_res(&qp->res) && !rdmaev_ulp_reports(qp))
		rdmaev_observe_event(event, RDMAEV_OBJECT_QP);
}
