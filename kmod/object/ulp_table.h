/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The ULPs that are registered */
#ifndef RDMAEV_ULP_TABLE_H
#define RDMAEV_ULP_TABLE_H

#include <asm/barrier.h>
#include <rdma/rdmaev_ulp.h>

/* Are events of a ULP recorded? */
static inline bool rdmaev_ulp_is_registered(const struct rdmaev_ulp *ulp)
{
	/*
	 * Pairs with smp_store_release() in rdmaev_ulp_register(): the name and
	 * the table of causes are ready.
	 */
	return smp_load_acquire(&ulp->registered);
}

bool rdmaev_ulp_reports(const char *module);

#endif /* RDMAEV_ULP_TABLE_H */
