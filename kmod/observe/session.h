/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Begin and end of what the module rdmaev_observe reports, its hooks, and records about
 * the observer itself; not for ULPs
 */
#ifndef RDMAEV_SESSION_H
#define RDMAEV_SESSION_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

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

int rdmaev_observe_begin(void);
void rdmaev_observe_end(void);
void rdmaev_observe_forget(void);
void rdmaev_observe_owners_found(void);
void rdmaev_hooks_register(const struct rdmaev_hook_ops *ops);
void rdmaev_hooks_unregister(void);
struct rdmaev_hook *rdmaev_hook_list(const struct rdmaev_cred *cred, u32 *count,
				     u64 *seq);
u64 rdmaev_observer_report(unsigned int code,
			   const struct rdmaev_observer_body *body, u64 count,
			   u64 cause);

#endif /* RDMAEV_SESSION_H */
