// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Outages of a port in the last hour. The log has their times until it overwrites
 * the records; their number since the device was added, and the time of the newest
 * change, are counters, which stay.
 */
#include "outages.h"

struct outages recent_outages(const struct outages_known *known)
{
	struct outages outages = { known->recent, known->recent };

	if (known->total <= known->kept)
		return outages;
	if (known->added_ns >= known->hour_ns)
		return (struct outages){ known->total, known->total };
	/* What was overwritten is older than all that is kept, and than the newest change. */
	if (known->kept_ns > known->hour_ns && known->changed_ns > known->hour_ns)
		outages.most += known->total - known->kept;
	return outages;
}
