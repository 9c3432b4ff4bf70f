/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer knows of QPs */
#ifndef RDMAEV_QP_H
#define RDMAEV_QP_H

#include <linux/jump_label.h>
#include <uapi/rdma/rdmaev.h>

struct ib_qp;
struct ib_qp_attr;
struct rdmaev_owner;

/* The owner of the QP with a number that a process has named */
enum rdmaev_qp_owner {
	RDMAEV_QP_NOT_KNOWN,
	RDMAEV_QP_OF_OWNER,
	RDMAEV_QP_OF_OTHERS,
};

/* The observer is loaded. */
DECLARE_STATIC_KEY_FALSE(rdmaev_qps_observed);

int rdmaev_qps_observe_begin(void);
void rdmaev_qps_observe_end(void);
void rdmaev_qps_forget_unowned(void);
void rdmaev_qp_fill_state(struct rdmaev_object_info *info, struct rdmaev_peer *peer,
			  const struct ib_qp *qp);
bool rdmaev_qp_describe_known(struct rdmaev_record *rec,
			      const struct ib_qp *qp, u32 cq);
bool rdmaev_qp_known(const struct ib_qp *qp, u32 *number,
		     struct rdmaev_object_info *info, struct rdmaev_peer *peer);
enum rdmaev_qp_owner rdmaev_qp_belongs_to(u32 device, u32 number,
					  const struct rdmaev_owner *owner);
bool rdmaev_qp_known_number(const struct ib_qp *qp, u32 device, u32 cq, u32 *number);

/*
 * Fill in state and peer of the QP of a record of RDMAEV_KIND_ASYNC or _WC, if the
 * observer knows them. @qp is not read if the record has another object.
 */
static inline void rdmaev_describe_qp_state(struct rdmaev_record *rec,
					    const struct ib_qp *qp)
{
	if (static_branch_unlikely(&rdmaev_qps_observed) &&
	    rec->object_type == RDMAEV_OBJECT_QP)
		rdmaev_qp_fill_state(&rec->body.info, &rec->body.async.peer, qp);
}

/* What the module rdmaev_observe reports */
void rdmaev_qp_query_begin(const struct ib_qp *qp);
void rdmaev_qp_exists(const struct ib_qp *qp, const struct ib_qp_attr *attr);
void rdmaev_qp_ended(const struct ib_qp *qp);

#endif /* RDMAEV_QP_H */
