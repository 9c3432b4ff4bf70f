/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records of bursts: what several events have in common */
#ifndef RDMAEV_BURST_RECORD_H
#define RDMAEV_BURST_RECORD_H

#include <linux/build_bug.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

void rdmaev_burst_forget_object(struct rdmaev_record *rec);
void rdmaev_burst_merge(struct rdmaev_record *sum, const struct rdmaev_record *rec);

/* What the request or event came to */
static inline s32 rdmaev_burst_result(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_QP:
		return rec->body.qp.result;
	case RDMAEV_KIND_CM:
		return rec->body.cm.status;
	default:
		return 0;
	}
}

static inline bool rdmaev_burst_has_same_owner(const struct rdmaev_record *a,
					       const struct rdmaev_record *b)
{
	return !memcmp(a->body.info.owner, b->body.info.owner, sizeof(a->body.info.owner));
}

/* The same for all of a burst of a ULP */
static inline bool rdmaev_burst_has_same_result(const struct rdmaev_record *a,
						const struct rdmaev_record *b)
{
	return rdmaev_burst_result(a) == rdmaev_burst_result(b) ||
	       (a->kind == RDMAEV_KIND_CM && a->code == RDMAEV_CM_REJECTED);
}

static inline bool rdmaev_burst_has_same_object(const struct rdmaev_record *a,
						const struct rdmaev_record *b)
{
	return a->object_type == b->object_type && a->object == b->object;
}

#endif /* RDMAEV_BURST_RECORD_H */
