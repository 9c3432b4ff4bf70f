/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lists of devices, ports and counters */
#ifndef RDMAEV_SNAPSHOT_H
#define RDMAEV_SNAPSHOT_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

struct rdmaev_cred;
struct pid_namespace;

struct rdmaev_device *rdmaev_device_list(const struct rdmaev_cred *cred,
					 struct pid_namespace *pids,
					 bool with_removed, u32 *count, u64 *seq);
struct rdmaev_port *rdmaev_port_list(const struct rdmaev_cred *cred,
				     u32 device, bool with_removed, u32 *count,
				     u64 *seq);
struct rdmaev_counter *rdmaev_counter_list(const struct rdmaev_cred *cred,
					   u32 device, u32 port, bool with_removed,
					   u32 *count, u64 *seq);

#endif /* RDMAEV_SNAPSHOT_H */
