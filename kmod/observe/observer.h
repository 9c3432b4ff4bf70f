/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the module rdmaev_observe reports to rdmaev; not for ULPs */
#ifndef RDMAEV_OBSERVER_H
#define RDMAEV_OBSERVER_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "device/payer.h"

struct ib_cq;
struct ib_event;
struct ib_qp;
struct ib_qp_attr;
struct ib_wc;
struct rdma_cm_id;
struct rdma_conn_param;
struct rdma_restrack_entry;
struct rdmaev_cred;

/* As many as the observer has, at most */
#define RDMAEV_HOOKS_MAX	96

/**
 * struct rdmaev_hook_ops - hooks of the observer, for lists
 * @list: fill in @max entries at most, all zero, and return their number. In
 *	process context, may sleep; one call at a time
 *
 * Exists, with what @list reads, until rdmaev_hooks_unregister() returns.
 */
struct rdmaev_hook_ops {
	u32 (*list)(struct rdmaev_hook *entries, u32 max);
};

/* session.c */
int rdmaev_observe_begin(void);
void rdmaev_observe_end(void);
void rdmaev_observe_forget(void);
void rdmaev_observe_owners_found(void);
void rdmaev_hooks_register(const struct rdmaev_hook_ops *ops);
void rdmaev_hooks_unregister(void);
struct rdmaev_hook *rdmaev_hook_list(const struct rdmaev_cred *cred, u32 *count,
				     u64 *seq);

/* event.c */
void rdmaev_observe_event(const struct ib_event *event,
			  unsigned int object_type);
void rdmaev_observe_kernel_event(const struct ib_event *event,
				 unsigned int object_types,
				 unsigned int other_types, const char *module);

u64 rdmaev_observer_report(unsigned int code,
			   const struct rdmaev_observer_body *body, u64 count,
			   u64 cause);

/* owner.c */
void rdmaev_owner_begin(const struct rdma_restrack_entry *res);
void rdmaev_owner_exists(const struct rdma_restrack_entry *res);
void rdmaev_owner_end(const struct rdma_restrack_entry *res);

/* qp.c */
int rdmaev_qp_request_begin(const struct ib_qp *qp, u32 max);
void rdmaev_qp_request_end(int account);
void rdmaev_qp_moved(const struct ib_qp *qp, const struct ib_qp_attr *attr,
		     int attr_mask, int result, const char *caller);
void rdmaev_qp_destroyed(const struct ib_qp *qp);
void rdmaev_qp_query_begin(const struct ib_qp *qp);
void rdmaev_qp_exists(const struct ib_qp *qp, const struct ib_qp_attr *attr);
void rdmaev_qp_ended(const struct ib_qp *qp);

/* cq_observed.c */
void rdmaev_observe_user_cq(const struct ib_cq *ib_cq);
void rdmaev_observe_schedule(const struct ib_cq *ib_cq);
void rdmaev_observe_poll(const struct ib_cq *ib_cq, const struct ib_wc *wc,
			 int n);
void rdmaev_observe_direct_poll(const struct ib_cq *ib_cq,
				const struct ib_wc *wc, int n);
void rdmaev_cq_not_observed(const struct ib_cq *ib_cq);

/* object_table.c */
void rdmaev_objects_make_room(enum rdmaev_share sort);
u64 rdmaev_objects_missed(enum rdmaev_share sort);

/* cm.c */
void rdmaev_cm_used(const struct rdma_cm_id *id,
		    const struct rdma_conn_param *param);
void rdmaev_cm_destroyed(const struct rdma_cm_id *id);
void rdmaev_cm_event(const struct rdma_cm_id *id, unsigned int event,
		     int status, const char *module, bool is_user);

/* Events that make, end or keep a connection as wanted are only counted. */
static inline bool rdmaev_cm_is_recorded(unsigned int event)
{
	switch (event) {
	case RDMAEV_CM_ADDR_RESOLVED:
	case RDMAEV_CM_ROUTE_RESOLVED:
	case RDMAEV_CM_CONNECT_REQUEST:
	case RDMAEV_CM_CONNECT_RESPONSE:
	case RDMAEV_CM_ESTABLISHED:
	case RDMAEV_CM_MULTICAST_JOIN:
	case RDMAEV_CM_TIMEWAIT_EXIT:
	case RDMAEV_CM_ADDRINFO_RESOLVED:
	case RDMAEV_CM_USER:
	case RDMAEV_CM_INTERNAL:
		return false;
	default:
		return true;
	}
}

/* States that a QP is moved to when it fails or ends; others are frequent. */
static inline bool rdmaev_qp_state_ends(unsigned int state)
{
	return state == RDMAEV_QP_ERR || state == RDMAEV_QP_SQE ||
	       state == RDMAEV_QP_SQD;
}

#endif /* RDMAEV_OBSERVER_H */
