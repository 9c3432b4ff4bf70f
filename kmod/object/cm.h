/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer has reported about connections of rdma_cm */
#ifndef RDMAEV_CM_H
#define RDMAEV_CM_H

#include <linux/time64.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

/* An accepted connection of a program that took longer is recorded */
#define RDMAEV_CM_LONG_NS	NSEC_PER_SEC

struct rdma_cm_id;
struct rdma_conn_param;

int rdmaev_cms_observe_begin(void);
void rdmaev_cms_forget(void);

/* What the module rdmaev_observe reports */
void rdmaev_cm_used(const struct rdma_cm_id *id,
		    const struct rdma_conn_param *param);
void rdmaev_cm_resolve(const struct rdma_cm_id *id, bool is_user);
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

/*
 * The peer has accepted: what the owner of the id still does is its own time. The event
 * is recorded if it took long, or the owner is a ULP that connects.
 */
static inline bool rdmaev_cm_is_accepted(unsigned int event)
{
	return event == RDMAEV_CM_CONNECT_RESPONSE || event == RDMAEV_CM_ESTABLISHED;
}

#endif /* RDMAEV_CM_H */
