// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shares of ULPs: records about objects of one, on one device, fill at most a quarter
 * of a ring at once, and are one more every ULP_EACH_NS. What is above that is counted,
 * see burst.c.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "device.h"
#include "log/log.h"
#include "ulp_share.h"

#define ULP_EACH_NS	(NSEC_PER_SEC / 4)

/* Of devices that are unknown */
static struct rdmaev_ulp_share ulp_shares[RDMAEV_ULP_SHARES];

/* The share of a ULP; if all have been taken, the last, which has no name */
static struct rdmaev_ulp_share *ulp_share_find(struct rdmaev_dev *dev,
					       const char *ulp, u64 now)
{
	struct rdmaev_ulp_share *share, *unused = NULL;
	struct rdmaev_ulp_share *shares = dev ? dev->ulp_shares : ulp_shares;
	struct rdmaev_ulp_share *last = shares + RDMAEV_ULP_SHARES - 1;

	for (share = shares; share < last; share++) {
		if (!memcmp(share->name, ulp, sizeof(share->name)))
			return share;
		if (!unused && max(share->full_ns[0], share->full_ns[1]) <= now)
			unused = share;
	}
	if (!unused)
		return last;
	memcpy(unused->name, ulp, sizeof(unused->name));
	return unused;
}

/**
 * rdmaev_ulp_may_record - take one from the records that a ULP may have
 * @dev: device of the record, NULL: unknown
 * @ulp: name of the ULP, RDMAEV_OWNER_SIZE bytes
 * @ring: RDMAEV_RING_INFO or _ERROR
 *
 * Context: any but NMI, with burst_lock of burst.c held.
 *
 * Return: false if it has as many as it may.
 */
bool rdmaev_ulp_may_record(struct rdmaev_dev *dev, const char *ulp,
			   unsigned int ring)
{
	u64 now = ktime_get_mono_fast_ns(), *full, next;
	struct rdmaev_ulp_share *share;

	share = ulp_share_find(dev, ulp, now);
	full = &share->full_ns[ring == RDMAEV_RING_ERROR];
	next = max(*full, now) + ULP_EACH_NS;
	if (next > now + rdmaev_log_records() / 4 * ULP_EACH_NS)
		return false;
	*full = next;
	return true;
}
