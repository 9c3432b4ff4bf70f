/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How many records a ULP may have on a device */
#ifndef RDMAEV_ULP_SHARE_H
#define RDMAEV_ULP_SHARE_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct rdmaev_dev;

/* ULPs of a device have one share each, further ones share the last */
#define RDMAEV_ULP_SHARES	8

/**
 * struct rdmaev_ulp_share - records about objects of a ULP on a device
 * @name: the ULP. One whose share is whole gives it to the next
 * @full_ns: time at which its share of RDMAEV_RING_INFO, _ERROR is whole again
 */
struct rdmaev_ulp_share {
	char name[RDMAEV_OWNER_SIZE];
	u64 full_ns[2];
};

bool rdmaev_ulp_may_record(struct rdmaev_dev *dev, const char *ulp,
			   unsigned int ring);

#endif /* RDMAEV_ULP_SHARE_H */
