/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Beside each table or switch that has an entry for every record kind: a new kind
 * does not compile before all of them have one.
 */
#ifndef RDMAEV_KINDS_H
#define RDMAEV_KINDS_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

#define RDMAEV_HAS_KINDS_UP_TO(kind)					\
	static_assert(RDMAEV_KIND_##kind == RDMAEV_KIND_MAX,		\
		      "an entry for a record kind is missing")

#endif /* RDMAEV_KINDS_H */
