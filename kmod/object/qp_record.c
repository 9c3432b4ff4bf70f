// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What records of requests for QPs have in common */
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device/access.h"
#include "device/device.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "owner.h"
#include "qp_entry.h"
#include "qp_record.h"

/**
 * rdmaev_qp_record_caller - fill in who asks
 * @rec: record of RDMAEV_KIND_QP
 * @caller: function that asks, empty: a program, or unknown
 *
 * Context: any but NMI, in the thread that asks.
 */
void rdmaev_qp_record_caller(struct rdmaev_record *rec, const char *caller)
{
	struct rdmaev_qp_body *body = &rec->body.qp;

	if (*caller) {
		strscpy(body->origin.caller, caller, sizeof(body->origin.caller));
		body->info.known |= RDMAEV_KNOWN_CALLER;
	}
	if (in_task()) {
		/* Its lock may sleep; a change of the name leaves an end. */
		strscpy(body->caller_comm, current->comm,
			sizeof(body->caller_comm));
		if (!(current->flags & PF_KTHREAD))
			body->caller_pid = task_tgid_nr(current);
	}
}

/**
 * rdmaev_qp_record_begin - begin a record of a request for a QP
 * @rec: filled in, but for result and signal
 * @code: its code
 * @dev: its device, NULL: unknown
 * @qp: QP
 * @before: its state and peer, as far as they are known
 * @caller: function that asked, empty: a program, or unknown
 *
 * Context: any but NMI, in the thread that asks.
 *
 * Return: who pays for it, if it is of a process.
 */
u32 rdmaev_qp_record_begin(struct rdmaev_record *rec, unsigned int code,
			   const struct rdmaev_dev *dev, const struct ib_qp *qp,
			   const struct qp_before *before,
			   const char *caller)
{
	struct rdmaev_qp_body *body = &rec->body.qp;
	u32 payer = RDMAEV_PAYER_UNKNOWN;

	memset(rec, 0, sizeof(*rec));
	rdmaev_record_begin(rec, RDMAEV_KIND_QP, RDMAEV_SOURCE_OBSERVER);
	rec->device = qp->device->index;
	rec->generation = dev ? dev->generation : 0;
	rec->port = rdmaev_qp_port(qp);
	rdmaev_record_set_code(rec, code);
	if (rdmaev_qp_is_user(qp))
		rec->ring = RDMAEV_RING_USER;
	rec->object = qp->qp_num;
	body->info.known = RDMAEV_KNOWN_OBJECT | (before->info.known & QP_KNOWN_MOVED);
	body->info.qp_state = before->info.qp_state;
	body->peer = before->peer;
	if (qp->qp_type <= U8_MAX) {
		body->info.qp_type = qp->qp_type;
		body->info.known |= RDMAEV_KNOWN_QP_TYPE;
	}
	if (!rdma_is_kernel_res(&qp->res))
		payer = rdmaev_record_find_owner(rec, &qp->res);
	else if (rdmaev_qp_is_user(qp))
		payer = rdmaev_qp_payer_who_asks();
	else
		qp_name_ulp(body->info.owner, sizeof(body->info.owner), qp);
	rdmaev_qp_record_caller(rec, caller);
	return payer;
}
