/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Begin and end of what the module rdmaev_observe reports, what it observes, and
 * records about the observer itself; not for ULPs
 */
#ifndef RDMAEV_SESSION_H
#define RDMAEV_SESSION_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

int rdmaev_observe_begin(void);
void rdmaev_observe_end(void);
void rdmaev_observe_forget(void);
void rdmaev_observe_owners_found(void);
void rdmaev_observed_set(const struct rdmaev_observed *observed);
void rdmaev_observed_get(struct rdmaev_observed *observed);
u64 rdmaev_observer_report(unsigned int code,
			   const struct rdmaev_observer_body *body, u64 count,
			   u64 cause);

#endif /* RDMAEV_SESSION_H */
