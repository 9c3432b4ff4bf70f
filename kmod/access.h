/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who may see what. One rule for the node and for netlink:
 *
 *  - Facts about devices and their ports are for everybody who can see the device in
 *    that network namespace: sysfs shows them to all.
 *  - Events of QPs, CQs, SRQs and WQs are for the owner of the object: the same user,
 *    and a process of the reader's pid namespace. From the first pid namespace
 *    every process can be seen.
 *  - Everything else, sums and counters of objects too, is for administrators: of the
 *    host; of the namespace, for a device that is exclusively its own.
 */
#ifndef RDMAEV_ACCESS_H
#define RDMAEV_ACCESS_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_cred - reader credentials
 * @net: number of the network namespace; the number, as a reference would keep
 *	the namespace from ending, and its devices in it
 * @net_admin: may administer that namespace
 * @host_admin: may administer the first namespace
 * @all: may see everything: @host_admin, and in the first namespace
 * @uid: user, as the first user namespace has it; U32_MAX: owns nothing
 * @pid_ns: id of the pid namespace, see rdmaev_record_set_owner(); 0: the first,
 *	which has all processes
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
