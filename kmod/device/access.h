/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Permissions. The same rules apply to the node and to netlink:
 *
 *  - Events and state of devices and their ports are visible to every reader
 *    that can see the device in its network namespace, as in sysfs.
 *  - Events and counters of QPs, CQs, SRQs, WQs and connections, and requests
 *    for QPs, are visible to the owner of the object: the same user, and a
 *    process in the reader's pid namespace. The initial pid namespace contains
 *    all processes. A process that has rights of another user or group has no
 *    owner but the administrator.
 *  - Notes of ULPs are visible as events of their objects, also if they
 *    are about a port or device. Events of objects that have an unknown number,
 *    or one that does not fit to the object, are visible to the owner as well.
 *  - Records about the observer, and what it observes, are visible to
 *    every reader: without them it cannot tell whether nothing happened, or
 *    nothing was observed. They name no device, object or process. How much of
 *    a user was suppressed or missed is for that user, in the initial pid
 *    namespace.
 *  - All other data, including objects of the kernel and sums of counters, is
 *    visible to administrators: of the host; of the namespace, for a device
 *    that it has exclusively.
 */
#ifndef RDMAEV_ACCESS_H
#define RDMAEV_ACCESS_H

#include <linux/sched.h>
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
 * @payer: as in &struct rdmaev_owner
 * @pid_ns: id of the pid namespace, as in &struct rdmaev_owner; 0: the
 *	initial one, which contains all processes
 */
struct rdmaev_cred {
	u64 net;
	bool net_admin;
	bool host_admin;
	bool all;
	u32 uid;
	u32 payer;
	u32 pid_ns;
};

/**
 * struct rdmaev_owner - process that owns an object, as it was when it made the object
 * @pid: its pid, in the initial pid namespace
 * @started: start time of its first thread: another process may have @pid later
 * @uid: its user, in the initial user namespace
 * @payer: who pays for what it does, see payer.c: @uid; if it is in a user
 *	namespace, who made the outermost one, and so may have as many users as
 *	are mapped into it: its owner, or if that is root the root in it. Or one
 *	of RDMAEV_PAYER_*
 * @pid_ns: id of its pid namespace, with _PID_NS; 0: the initial one
 * @known: RDMAEV_KNOWN_UID, _PID_NS, _CGROUP and _SETID, as in the body of a record.
 *	With _SETID its real, effective and saved user, or group, differ, as
 *	those of a set-user-ID program. Who started it may not see what it does,
 *	as he may not trace it
 * @cgroup: id of its cgroup, with CONFIG_CGROUPS
 * @comm: name of the thread
 */
struct rdmaev_owner {
	u32 pid;
	u32 uid;
	u32 payer;
	u32 pid_ns;
	u32 known;
	u64 started;
	u64 cgroup;
	char comm[TASK_COMM_LEN];
};

struct rdma_restrack_entry;
struct task_struct;
struct net;
struct pid_namespace;
struct rdmaev_dev;

int rdmaev_access_init(void);
void rdmaev_access_exit(void);

u64 rdmaev_net_id(const struct net *net);

void rdmaev_cred_init(struct rdmaev_cred *cred, const struct net *net);

bool rdmaev_may_access(const struct rdmaev_dev *dev,
		       const struct rdmaev_cred *cred);
bool rdmaev_may_administer(const struct rdmaev_dev *dev,
			   const struct rdmaev_cred *cred);
bool rdmaev_device_exists(const struct rdmaev_cred *cred, u32 index);
bool rdmaev_device_visible(u32 generation, const struct rdmaev_cred *cred,
			   bool affiliated);
u64 rdmaev_cred_owners(const struct rdmaev_cred *cred);
u64 rdmaev_record_owners(const struct rdmaev_record *rec);
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_cred *cred);

void rdmaev_owner_init(struct rdmaev_owner *owner, struct task_struct *task);
u32 rdmaev_owner_payer_now(const struct rdma_restrack_entry *res);
u32 rdmaev_owner_pid(const struct rdmaev_owner *owner);
u32 rdmaev_owner_payer(const struct rdmaev_owner *owner,
		       const struct rdma_restrack_entry *res);
u32 rdmaev_pid_of_reader(u32 number, u64 time_ns, struct pid_namespace *ns);
bool rdmaev_object_visible(u32 generation, const struct rdmaev_owner *owner,
			   const struct rdmaev_cred *cred);
u32 rdmaev_record_set_owner(struct rdmaev_record *rec, const struct rdmaev_owner *owner,
			    const struct rdma_restrack_entry *res);

/* Bits of known that are about the process that owns an object */
#define RDMAEV_KNOWN_OWNER \
	(RDMAEV_KNOWN_UID | RDMAEV_KNOWN_PID_NS | RDMAEV_KNOWN_CGROUP | RDMAEV_KNOWN_SETID)

/*
 * Does the body have the user who owns the object?
 */
static inline bool rdmaev_record_has_uid(const struct rdmaev_record *rec)
{
	return (rec->kind == RDMAEV_KIND_ASYNC ||
		rec->kind == RDMAEV_KIND_QP || rec->kind == RDMAEV_KIND_CM ||
		rec->kind == RDMAEV_KIND_OBSERVER) &&
	       rec->body.info.known & RDMAEV_KNOWN_UID;
}

/*
 * Is the record about an object with an owner? A note belongs to its ULP,
 * whatever it is about. So does an event of an object that does not say of
 * which: its number is unknown, or does not fit to the object.
 */
static inline bool rdmaev_record_is_affiliated(const struct rdmaev_record *rec)
{
	return rec->object_type >= RDMAEV_OBJECT_QP ||
	       rec->kind == RDMAEV_KIND_NOTE ||
	       (rec->kind == RDMAEV_KIND_ASYNC &&
		rec->source != RDMAEV_SOURCE_HANDLER) ||
	       (rec->kind == RDMAEV_KIND_OBSERVER &&
		rec->ring == RDMAEV_RING_USER);
}

#endif /* RDMAEV_ACCESS_H */
