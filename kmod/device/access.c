// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Permissions for devices and records. access.h has the rules. */
#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "access.h"
#include "device.h"
#include "device_table.h"
#include "payer.h"

/*
 * A number for each network namespace, never reused: it decides who may see
 * records of a removed device, possibly after the namespace was removed.
 */
struct net_number {
	u64 id;
};

static unsigned int net_number_slot;
static atomic64_t last_net_id;

static int __net_init net_number_init(struct net *net)
{
	struct net_number *number = net_generic(net, net_number_slot);

	number->id = atomic64_inc_return(&last_net_id);
	return 0;
}

static struct pernet_operations net_number_ops = {
	.init = net_number_init,
	.id = &net_number_slot,
	.size = sizeof(struct net_number),
};

/** rdmaev_net_id - return the number of a network namespace, which is unique */
u64 rdmaev_net_id(const struct net *net)
{
	const struct net_number *number = net_generic(net, net_number_slot);

	return number->id;
}

/*
 * The log outlives processes and namespaces, and the kernel reuses the numbers
 * of both. Compared by number alone, a reader could pass for the owner of an
 * object of a process or namespace that no longer exists. A pid namespace is
 * identified by its number and the start time of its first process, hashed with
 * a secret key to fit in a record.
 */
static siphash_key_t pid_ns_key;

/* Id of a pid namespace; 0: the initial one. Returns false if unknown. RCU is held. */
static bool pid_ns_id(const struct pid *pid, u32 *id)
{
	const struct pid_namespace *ns;
	const struct task_struct *first;

	*id = 0;
	if (!pid)
		return false;
	ns = pid->numbers[pid->level].ns;
	if (ns == &init_pid_ns)
		return true;
	/* It exists while any other process in the namespace exists. */
	first = READ_ONCE(ns->child_reaper);
	if (!first)
		return false;
	*id = siphash_2u64(ns->ns.inum, first->group_leader->start_boottime, &pid_ns_key) ?: 1;
	return true;
}

/*
 * The records of root have no limit, so root of the host never pays for a user
 * namespace. Called under RCU, as the next one.
 */
static noinline u32 access_payer_in_namespace(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	kuid_t root;

	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return __kuid_val(ns->owner);
	root = make_kuid(ns, 0);
	if (!uid_valid(root))
		return RDMAEV_PAYER_NOT_ROOT;
	if (!uid_eq(root, GLOBAL_ROOT_UID))
		return __kuid_val(root);
	/* Uids are the same inside and outside. */
	return uid_eq(cred->uid, GLOBAL_ROOT_UID) ? RDMAEV_PAYER_NOT_ROOT :
						    __kuid_val(cred->uid);
}

/* Who pays for a process, see struct rdmaev_owner */
static __always_inline u32 access_payer(const struct cred *cred)
{
	return likely(cred->user_ns == &init_user_ns) ? __kuid_val(cred->uid) :
							access_payer_in_namespace(cred);
}

/**
 * rdmaev_cred_init - set credentials to those of the current process
 * @cred: credentials; @net_admin, @host_admin and @all, which need
 *	capabilities, are left to the caller
 * @net: network namespace
 */
void rdmaev_cred_init(struct rdmaev_cred *cred, const struct net *net)
{
	*cred = (struct rdmaev_cred) {
		.net = rdmaev_net_id(net),
		.uid = from_kuid(&init_user_ns, current_euid()),
	};
	rcu_read_lock();
	cred->payer = access_payer(current_cred());
	/* 0 would mean the initial namespace: own no object instead. */
	if (task_active_pid_ns(current) != &init_pid_ns &&
	    !pid_ns_id(task_tgid(current), &cred->pid_ns))
		cred->uid = U32_MAX;
	rcu_read_unlock();
}

/**
 * rdmaev_owner_init - describe a process that owns an object
 * @owner: filled in
 * @task: a thread of that process, which may have exited: then its pid and its pid
 *	namespace are unknown, and only readers in the initial one see its objects
 *
 * Context: any but NMI.
 */
void rdmaev_owner_init(struct rdmaev_owner *owner, struct task_struct *task)
{
	const struct task_struct *first;
	const struct cred *cred;

	owner->cgroup = 0;
	rcu_read_lock();
	/* Not task_tgid_nr(): another process may have the number of one that ended. */
	owner->pid = pid_nr(task_tgid(task));
	/* Nor task->group_leader, which may have been freed before a thread. */
	first = pid_task(task_tgid(task), PIDTYPE_TGID);
	owner->started = first ? first->start_boottime : 0;
	cred = __task_cred(task);
	owner->uid = __kuid_val(cred->uid);	/* as init_user_ns has it */
	owner->payer = access_payer(cred);
	owner->known = RDMAEV_KNOWN_UID;
	if (!uid_eq(cred->uid, cred->euid) || !uid_eq(cred->uid, cred->suid) ||
	    !gid_eq(cred->gid, cred->egid) || !gid_eq(cred->gid, cred->sgid))
		owner->known |= RDMAEV_KNOWN_SETID;
	if (pid_ns_id(task_tgid(task), &owner->pid_ns))
		owner->known |= RDMAEV_KNOWN_PID_NS;
#ifdef CONFIG_CGROUPS
	owner->cgroup = cgroup_id(task_dfl_cgroup(task));
	owner->known |= RDMAEV_KNOWN_CGROUP;
#endif
	rcu_read_unlock();
	/* Its lock may sleep; a change of the name leaves an end. */
	strscpy_pad(owner->comm, task->comm, sizeof(owner->comm));
}

/**
 * rdmaev_owner_payer_now - get who pays for a process as it is now
 * @res: object of the process
 *
 * Context: any but NMI, while the core tracks the object, or is about to end that.
 *
 * Return: as @payer of &struct rdmaev_owner.
 */
u32 rdmaev_owner_payer_now(const struct rdma_restrack_entry *res)
{
	struct task_struct *task = READ_ONCE(res->task);
	u32 payer;

	if (!task)
		return RDMAEV_PAYER_UNKNOWN;
	rcu_read_lock();
	payer = access_payer(__task_cred(task));
	rcu_read_unlock();
	return payer;
}

/* Another process may have the pid now. Called under RCU, as the next ones. */
static noinline const struct task_struct *
access_search_process(const struct rdmaev_owner *owner)
{
	const struct task_struct *task =
		pid_task(find_pid_ns(owner->pid, &init_pid_ns), PIDTYPE_TGID);

	return task && task->start_boottime == owner->started ? task : NULL;
}

/*
 * The first thread of the process of an owner, NULL if that has ended. @task: what the
 * core has for the thread that made the object, or NULL: has it not ended, its process
 * has not, either.
 */
static __always_inline const struct task_struct *
access_process(const struct rdmaev_owner *owner, const struct task_struct *task)
{
	/* If it ends meanwhile, RCU keeps both. */
	if (task && data_race(pid_alive(task)) && task->tgid == owner->pid)
		return READ_ONCE(task->group_leader);
	return access_search_process(owner);
}

/* Who pays for root if its process has this thread */
static __always_inline u32 access_payer_of_root(const struct task_struct *task)
{
	return task ? access_payer(__task_cred(task)) : RDMAEV_PAYER_NOT_ROOT;
}

/*
 * Only who was root and still is has no limit. The thread that made an object may have
 * ended before its process became one of a user.
 */
static __always_inline u32 access_payer_still(const struct rdmaev_owner *owner,
					      const struct task_struct *process,
					      const struct task_struct *task)
{
	u32 payer = owner->payer ?: access_payer_of_root(process);

	return payer || !task || task == process ? payer : access_payer_of_root(task);
}

/* What the core has for the thread that made an object */
static const struct task_struct *access_task(const struct rdma_restrack_entry *res)
{
	return res ? READ_ONCE(res->task) : NULL;
}

/**
 * rdmaev_owner_pid - get the pid of an owner
 * @owner: owner
 *
 * Context: any but NMI.
 *
 * Return: 0 if it has ended.
 */
u32 rdmaev_owner_pid(const struct rdmaev_owner *owner)
{
	u32 pid;

	rcu_read_lock();
	pid = access_search_process(owner) ? owner->pid : 0;
	rcu_read_unlock();
	return pid;
}

/**
 * rdmaev_owner_payer - get who pays for an owner
 * @owner: owner
 * @res: object of its process
 *
 * Context: as for rdmaev_owner_payer_now().
 *
 * Return: as @payer of &struct rdmaev_owner; root only if it still is.
 */
u32 rdmaev_owner_payer(const struct rdmaev_owner *owner,
		       const struct rdma_restrack_entry *res)
{
	const struct task_struct *task = access_task(res);
	u32 payer = owner->payer;

	if (payer)
		return payer;
	rcu_read_lock();
	payer = access_payer_still(owner, access_process(owner, task), task);
	rcu_read_unlock();
	return payer;
}

/**
 * rdmaev_record_set_owner - set the process that owns the object of a record
 * @rec: record of RDMAEV_KIND_ASYNC, _QP or _CM, without an owner
 * @owner: that process, known
 * @res: the object, NULL if the core does not track it
 *
 * Context: any but NMI; with @res as for rdmaev_owner_payer_now().
 *
 * Return: as rdmaev_owner_payer().
 */
u32 rdmaev_record_set_owner(struct rdmaev_record *rec, const struct rdmaev_owner *owner,
			    const struct rdma_restrack_entry *res)
{
	const struct task_struct *task = access_task(res), *process;
	struct rdmaev_object_info *info = &rec->body.info;
	u32 payer;

	static_assert(sizeof(owner->comm) <= sizeof(info->owner));
	rcu_read_lock();
	process = access_process(owner, task);
	rec->pid = process ? owner->pid : 0;
	payer = access_payer_still(owner, process, task);
	rcu_read_unlock();
	info->uid = owner->uid;
	info->pid_ns = owner->pid_ns;
	info->cgroup = owner->cgroup;
	info->known |= owner->known;
	memcpy(info->owner, owner->comm, sizeof(owner->comm));
	return payer;
}

/*
 * Is the device shared by all network namespaces, or was it when it was removed? One
 * global setting of ib_core decides; it is exported only as the access to a
 * device. No device is in namespace NULL, which has access only if all are shared.
 */
static bool access_is_shared(const struct rdmaev_dev *dev)
{
	const struct ib_device *ib;
	bool shared;

	/* The core frees a device after a grace period. */
	rcu_read_lock();
	/* Pairs with smp_store_release() in client_remove(). */
	ib = smp_load_acquire(&dev->ib);
	shared = ib ? rdma_dev_access_netns(ib, NULL) : dev->was_shared;
	rcu_read_unlock();
	return shared;
}

/**
 * rdmaev_may_access - check whether a reader may see a device
 * @dev: device
 * @cred: credentials of the reader
 *
 * The rule of rdma_dev_access_netns(). A device stays in a namespace until it
 * is removed.
 */
bool rdmaev_may_access(const struct rdmaev_dev *dev,
		       const struct rdmaev_cred *cred)
{
	return cred->all || cred->net == dev->net || access_is_shared(dev);
}

/**
 * rdmaev_may_administer - check whether a reader may see all affiliated events
 * @dev: device
 * @cred: credentials of the reader
 *
 * Affiliated events belong to the owner of the object. Those of other owners
 * and of the kernel are visible to an administrator: of the host, if the device
 * is shared, else of the namespace that has the device. In a user namespace any
 * user can be an administrator.
 */
bool rdmaev_may_administer(const struct rdmaev_dev *dev,
			   const struct rdmaev_cred *cred)
{
	if (access_is_shared(dev))
		return cred->host_admin;
	return cred->net_admin && cred->net == dev->net;
}

/**
 * rdmaev_device_exists - check whether a device of this index exists
 * @cred: credentials of the reader; a device that it may not see does not exist
 * @index: index of the device
 */
bool rdmaev_device_exists(const struct rdmaev_cred *cred, u32 index)
{
	const struct rdmaev_dev *dev;
	bool exists;

	/* Without the lock: who asks for devices that do not exist delays nobody. */
	rcu_read_lock();
	dev = rdmaev_device_newest(index);
	exists = dev && READ_ONCE(dev->ib) && rdmaev_may_access(dev, cred);
	rcu_read_unlock();
	return exists;
}

/**
 * rdmaev_device_visible - check whether a reader may see events of a device
 * @generation: generation of the device
 * @cred: credentials of the reader
 * @affiliated: events of an object with an owner, not of the device or a port
 *
 * Context: any.
 *
 * Return: true if so, or if it was so when the device was removed; of a device that is
 * no longer kept, only for the administrator of the host.
 */
bool rdmaev_device_visible(u32 generation, const struct rdmaev_cred *cred,
			   bool affiliated)
{
	const struct rdmaev_dev *dev;
	bool visible;

	if (cred->all)
		return true;
	rcu_read_lock();
	dev = rdmaev_device_find(generation);
	visible = dev && (affiliated ? rdmaev_may_administer(dev, cred) :
				       rdmaev_may_access(dev, cred));
	rcu_read_unlock();
	return visible;
}

/**
 * rdmaev_pid_of_reader - translate a pid to the pid namespace of a reader
 * @number: pid of a process, in the initial one
 * @time_ns: CLOCK_BOOTTIME at which it was that of this process
 * @ns: namespace of the reader
 *
 * Return: pid in @ns; 0: the process is not in it, or has ended.
 */
u32 rdmaev_pid_of_reader(u32 number, u64 time_ns, struct pid_namespace *ns)
{
	const struct task_struct *task;
	struct pid *pid;
	u32 nr = 0;

	rcu_read_lock();
	pid = find_pid_ns(number, &init_pid_ns);
	task = pid_task(pid, PIDTYPE_PID);
	/* Another process may have the number now. */
	if (task && task->start_boottime <= time_ns)
		nr = pid_nr_ns(pid, ns);
	rcu_read_unlock();
	return nr;
}

static bool access_is_owner(const struct rdmaev_owner *owner,
			    const struct rdmaev_cred *cred)
{
	return owner->uid == cred->uid && cred->uid != U32_MAX &&
	       !(owner->known & RDMAEV_KNOWN_SETID) &&
	       (!cred->pid_ns || owner->pid_ns == cred->pid_ns);
}

/**
 * rdmaev_object_visible - check whether a reader may see an object
 * @generation: generation of its device
 * @owner: process that owns it; only uid, pid_ns and known are used. NULL: none
 * @cred: credentials of the reader
 *
 * Context: any.
 *
 * Return: true for an administrator of the device, and for the owner.
 */
bool rdmaev_object_visible(u32 generation, const struct rdmaev_owner *owner,
			   const struct rdmaev_cred *cred)
{
	if (rdmaev_device_visible(generation, cred, true))
		return true;
	return owner && access_is_owner(owner, cred) &&
	       rdmaev_device_visible(generation, cred, false);
}

#define OWNER_NONE	BIT_ULL(63)	/* for every reader of the device */
#define OWNER_UNKNOWN	BIT_ULL(62)	/* for administrators */

static u64 access_owner_bit(u32 uid)
{
	return BIT_ULL(uid % 62);
}

/**
 * rdmaev_cred_owners - whose records a reader can see
 * @cred: credentials of the reader
 *
 * Return: bits of rdmaev_record_owners(). No other record is visible to it, and
 * not all of these.
 */
u64 rdmaev_cred_owners(const struct rdmaev_cred *cred)
{
	if (cred->all || cred->host_admin || cred->net_admin)
		return U64_MAX;
	return OWNER_NONE | access_owner_bit(cred->uid);
}

/** rdmaev_record_owners - one bit for the owner of a record */
u64 rdmaev_record_owners(const struct rdmaev_record *rec)
{
	if (!rdmaev_record_is_affiliated(rec))
		return OWNER_NONE;
	return rdmaev_record_has_uid(rec) ?
		       access_owner_bit(rec->body.info.uid) : OWNER_UNKNOWN;
}

/**
 * rdmaev_record_visible - check whether a reader may see a record
 * @rec: record, not that of a loss
 * @cred: credentials of the reader
 *
 * Context: any.
 *
 * Return: true if rdmaev_device_visible(), for an affiliated event of the
 * reader's own object, for a record of its own connection that has no device
 * yet, or of what was suppressed or missed of it, and for any other about the
 * observer.
 */
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_cred *cred)
{
	struct rdmaev_owner owner = {
		.uid = rec->body.info.uid,
		.pid_ns = rec->body.info.pid_ns,
		.known = rec->body.info.known,
	};

	if (!rdmaev_record_is_affiliated(rec))
		return rec->kind == RDMAEV_KIND_OBSERVER ||
		       rdmaev_device_visible(rec->generation, cred, false);
	if ((rec->kind == RDMAEV_KIND_CM ||
	     rec->kind == RDMAEV_KIND_OBSERVER) && !rec->generation &&
	    rdmaev_record_has_uid(rec) && access_is_owner(&owner, cred))
		return true;
	return rdmaev_object_visible(rec->generation,
				     rdmaev_record_has_uid(rec) ? &owner : NULL,
				     cred);
}

/** rdmaev_access_init - start numbering network namespaces; 0 or -errno */
int rdmaev_access_init(void)
{
	get_random_bytes(&pid_ns_key, sizeof(pid_ns_key));
	return register_pernet_subsys(&net_number_ops);
}

/** rdmaev_access_exit - free everything; no permission check runs any more */
void rdmaev_access_exit(void)
{
	unregister_pernet_subsys(&net_number_ops);
}
