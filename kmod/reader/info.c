// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a reader has to know of the module and its log */
#include <linux/random.h>
#include <uapi/rdma/rdmaev.h>

#include "info.h"
#include "log/log.h"
#include "log/log_read.h"
#include "observe/session.h"

static u64 info_instance;	/* identifies this load of the module */

/** rdmaev_info_init - choose the number of this load of the module */
void rdmaev_info_init(void)
{
	info_instance = get_random_u64();
}

/** rdmaev_info_get - fill in the part of RDMAEV_IOC_INFO about the log and the observer */
void rdmaev_info_get(struct rdmaev_info *info)
{
	*info = (struct rdmaev_info) {
		.size = sizeof(*info),
		.abi_version = RDMAEV_ABI_VERSION,
		.instance = info_instance,
		.record_size = RDMAEV_RECORD_SIZE,
		.rings = RDMAEV_RINGS,
		.ring_records = rdmaev_log_records(),
		.oldest_seq = rdmaev_log_oldest(),
	};
	info->newest_seq = rdmaev_log_newest();
	rdmaev_observed_get(&info->observer);
}
