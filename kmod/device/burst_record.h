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

/* Who has the object of a record: a ULP, or the thread that made it */
static inline const char *rdmaev_burst_owner(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_QP:
		return rec->body.qp.owner;
	case RDMAEV_KIND_CM:
		return rec->body.cm.owner;
	default:
		return rec->body.info.source_name;
	}
}

static inline bool rdmaev_burst_has_same_owner(const struct rdmaev_record *a,
					       const struct rdmaev_record *b)
{
	static_assert(sizeof(a->body.qp.owner) == RDMAEV_SOURCE_NAME_SIZE &&
		      sizeof(a->body.cm.owner) == RDMAEV_SOURCE_NAME_SIZE);

	return !memcmp(rdmaev_burst_owner(a), rdmaev_burst_owner(b), RDMAEV_SOURCE_NAME_SIZE);
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
