/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Permissions. The same rules apply to the node and to netlink:
 *
 *  - Events and state of devices and their ports are visible to every reader
 *    that can see the device in its network namespace, as in sysfs.
 *  - Events of QPs, CQs, SRQs and WQs are visible to the owner of the object:
 *    the same user, and a process in the reader's pid namespace. The initial
 *    pid namespace contains all processes.
 *  - All other data, including counters of objects and their sums, is visible
 *    to administrators: of the host; of the namespace, for a device that it has
 *    exclusively.
 */
#ifndef RDMAEV_ACCESS_H
#define RDMAEV_ACCESS_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_cred - reader credentials
 * @net: number of the network namespace. Not a reference, which would keep the
 *	namespace, and the devices in it, from being removed
 * @net_admin: may administer that namespace
 * @host_admin: may administer the initial namespace
 * @all: may see everything: @host_admin, and in the initial namespace
 * @uid: user, in the initial user namespace; U32_MAX: owns no object
 * @pid_ns: id of the pid namespace, see rdmaev_record_set_owner(); 0: the
 *	initial one, which contains all processes
 */
struct rdmaev_cred {
	u64 net;
	bool net_admin;
	bool host_admin;
	bool all;
	u32 uid;
	u32 pid_ns;
};

struct task_struct;
struct net;
struct rdmaev_dev;

int rdmaev_access_init(void);
void rdmaev_access_exit(void);

u64 rdmaev_net_id(const struct net *net);

void rdmaev_cred_init(struct rdmaev_cred *cred, const struct net *net);

void rdmaev_access_keep(struct rdmaev_dev *dev);
bool rdmaev_may_access(const struct rdmaev_dev *dev,
		       const struct rdmaev_cred *cred);
bool rdmaev_may_administer(const struct rdmaev_dev *dev,
			   const struct rdmaev_cred *cred);
bool rdmaev_device_exists(const struct rdmaev_cred *cred, u32 index);
bool rdmaev_device_visible(u32 generation, const struct rdmaev_cred *cred,
			   bool affiliated);
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_cred *cred);

void rdmaev_record_set_owner(struct rdmaev_record *rec,
			     struct task_struct *task);

#endif /* RDMAEV_ACCESS_H */
