// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Records of bursts: what is left of one that stands for several events */
#include <linux/string.h>

#include "access.h"
#include "burst_record.h"

/** rdmaev_burst_forget_object - leave of a record what is true of events of any object */
void rdmaev_burst_forget_object(struct rdmaev_record *rec)
{
	typeof(rec->body) first = rec->body;
	typeof(rec->body) *body = &rec->body;

	rec->object = 0;
	memset(body, 0, sizeof(*body));
	body->info = first.info;
	body->info.known &= RDMAEV_KNOWN_OWNER;
	body->info.qp_type = 0;
	body->info.qp_state = 0;
	switch (rec->kind) {
	case RDMAEV_KIND_QP:
		body->qp.result = first.qp.result;
		body->qp.signal = first.qp.signal;
		break;
	case RDMAEV_KIND_CM:
		body->cm.status = first.cm.status;
		break;
	case RDMAEV_KIND_WC:
		body->wc.folded = first.wc.folded;
		break;
	}
}

/**
 * rdmaev_burst_merge - leave of the record of a burst what is true of another event, too
 * @sum: record of the burst
 * @rec: the other event; kind, owner and what else bursts of ULPs compare are the same
 */
void rdmaev_burst_merge(struct rdmaev_record *sum, const struct rdmaev_record *rec)
{
	if (sum->object_type != rec->object_type)
		sum->object_type = RDMAEV_OBJECT_NONE;
	if (sum->cause != rec->cause)
		sum->cause = 0;
	if (rec->kind == RDMAEV_KIND_WC)
		sum->body.wc.folded += rec->body.wc.folded;
	if (rdmaev_burst_result(sum) != rdmaev_burst_result(rec))
		sum->body.cm.status = 0;
}
