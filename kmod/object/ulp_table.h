/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The ULPs that are registered */
#ifndef RDMAEV_ULP_TABLE_H
#define RDMAEV_ULP_TABLE_H

#include <asm/barrier.h>
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <rdma/rdmaev_ulp.h>

/**
 * struct rdmaev_ulp_state - private part of struct rdmaev_ulp, in its state
 * @registered: events of the ULP are recorded
 * @list: in the list of registered ULPs; read under RCU
 * @notes_until: by &enum rdmaev_note_code, when its limit of notes is free again
 * @notes_suppressed: notes that have no record, since the last one that has
 */
struct rdmaev_ulp_state {
	unsigned int registered;
	struct list_head list;
	atomic64_t notes_until[RDMAEV_SEVERITY_ERROR];
	atomic64_t notes_suppressed;
};

static_assert(sizeof(struct rdmaev_ulp_state) <= sizeof_field(struct rdmaev_ulp, state));
static_assert(offsetof(struct rdmaev_ulp, state) % __alignof__(struct rdmaev_ulp_state) == 0);

static inline struct rdmaev_ulp_state *rdmaev_ulp_state(const struct rdmaev_ulp *ulp)
{
	return (struct rdmaev_ulp_state *)ulp->state;
}

static inline const struct rdmaev_ulp *rdmaev_ulp_of(const struct rdmaev_ulp_state *state)
{
	return container_of((const u64 *)state, struct rdmaev_ulp, state[0]);
}

/* Are events of a ULP recorded? */
static inline bool rdmaev_ulp_is_registered(const struct rdmaev_ulp *ulp)
{
	/*
	 * Pairs with smp_store_release() in rdmaev_ulp_register(): the name and
	 * the table of causes are ready.
	 */
	return smp_load_acquire(&rdmaev_ulp_state(ulp)->registered);
}

bool rdmaev_ulp_reports(const char *module);

#endif /* RDMAEV_ULP_TABLE_H */
