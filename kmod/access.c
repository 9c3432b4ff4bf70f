// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who may see what: of devices, and of records. The rule stands in access.h.
 */
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
#include <linux/uidgid.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <rdma/ib_verbs.h>

#include "access.h"
#include "device.h"

/*
 * A number for each network namespace, never used again: records of a device
 * that is gone are shown by it, when the namespace may be gone, too.
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

/** rdmaev_net_id - number of a network namespace, never given twice */
u64 rdmaev_net_id(const struct net *net)
{
	const struct net_number *number = net_generic(net, net_number_slot);

	return number->id;
}

/*
 * The log outlives processes and namespaces, and both their numbers are given
 * again: by the number of a process that has ended, or of a namespace that has, a
 * reader would be taken for the owner of what is not its own. A namespace is the
 * same one if its first process began at the same time, too. That is hashed, with a
 * key that nobody has, so that it fits in a record.
 */
static siphash_key_t pid_ns_key;

/* 0 for the first namespace, and where it is not known. Under RCU. */
static u32 pid_ns_id(const struct pid *pid)
{
	const struct pid_namespace *ns;
	const struct task_struct *first;
	u32 id;

	if (!pid)
		return 0;
	ns = pid->numbers[pid->level].ns;
	if (ns == &init_pid_ns)
		return 0;
	/* It is there as long as there is any other process in the namespace. */
	first = READ_ONCE(ns->child_reaper);
	if (!first)
		return 0;
	id = siphash_2u64(ns->ns.inum, first->group_leader->start_boottime,
			  &pid_ns_key);
	return id ?: 1;
}

/**
 * rdmaev_cred_init - take the credentials of the process that runs
 * @cred: filled in but for what takes capabilities
 * @net: network namespace
 */
void rdmaev_cred_init(struct rdmaev_cred *cred, const struct net *net)
{
	*cred = (struct rdmaev_cred) {
		.net = rdmaev_net_id(net),
		.uid = from_kuid(&init_user_ns, current_euid()),
	};
	if (task_active_pid_ns(current) == &init_pid_ns)
		return;
	rcu_read_lock();
	cred->pid_ns = pid_ns_id(task_tgid(current));
	rcu_read_unlock();
	/* Not known is not the first. */
	if (!cred->pid_ns)
		cred->uid = U32_MAX;
}

/**
 * rdmaev_record_set_owner - put the process into a record that owns the object
 * @rec: record of an asynchronous event
 * @task: a thread of that process, which may have ended
 *
 * Of a process that has ended, the pid namespace is not known any more: then only
 * readers of the first one see the record.
 *
 * Context: any but NMI.
 */
void rdmaev_record_set_owner(struct rdmaev_record *rec,
			     struct task_struct *task)
{
	struct rdmaev_async_body *body = &rec->body.async;

	rec->pid = task_tgid_nr(task);
	body->uid = from_kuid(&init_user_ns, task_uid(task));
	body->known |= RDMAEV_KNOWN_UID;
	rcu_read_lock();
	body->pid_ns = pid_ns_id(task_tgid(task));
#ifdef CONFIG_CGROUPS
	body->cgroup = cgroup_id(task_dfl_cgroup(task));
	body->known |= RDMAEV_KNOWN_CGROUP;
#endif
	rcu_read_unlock();
}

/*
 * Whether network namespaces share all devices is one global setting of the core,
 * and to be had only by asking about a device: this one, which is never registered
 * and belongs to the first namespace.
 */
struct netns_probe {
	struct ib_device ib;
};

static struct netns_probe *netns_probe;

/* No device is in the namespace NULL: it has access if all have. */
static bool access_is_shared(void)
{
	return rdma_dev_access_netns(&netns_probe->ib, NULL);
}

/* Do all namespaces have this device, or had it when it was removed? */
static bool access_was_shared(const struct rdmaev_dev *dev)
{
	enum rdmaev_netns_mode mode = READ_ONCE(dev->netns_mode);

	return mode == RDMAEV_NETNS_CURRENT ? access_is_shared() :
					      mode == RDMAEV_NETNS_SHARED;
}

/** rdmaev_access_keep - keep who may see a device that is being removed */
void rdmaev_access_keep(struct rdmaev_dev *dev)
{
	WRITE_ONCE(dev->netns_mode, access_is_shared() ? RDMAEV_NETNS_SHARED :
							 RDMAEV_NETNS_EXCLUSIVE);
}

static bool access_may_see(u64 net, bool shared, const struct rdmaev_cred *cred)
{
	return cred->all || cred->net == net || shared;
}

static bool access_may_administer(u64 net, bool shared,
				  const struct rdmaev_cred *cred)
{
	if (shared)
		return cred->host_admin;
	return cred->net_admin && cred->net == net;
}

/**
 * rdmaev_may_access - may a reader see a device
 * @dev: device
 * @cred: credentials of the reader
 *
 * The rule of rdma_dev_access_netns(); a device stays in a namespace until it is
 * removed.
 */
bool rdmaev_may_access(const struct rdmaev_dev *dev,
		       const struct rdmaev_cred *cred)
{
	return access_may_see(dev->net, access_was_shared(dev), cred);
}

/**
 * rdmaev_may_administer - may a reader see affiliated events of all on a device
 * @dev: device
 * @cred: credentials of the reader
 *
 * Affiliated events belong to the owner of the object, so those of others and of
 * the kernel are for the administrator: of the host where all have the
 * device, else of the namespace that has it. A namespace of users makes everybody
 * an administrator of their own.
 */
bool rdmaev_may_administer(const struct rdmaev_dev *dev,
			   const struct rdmaev_cred *cred)
{
	return access_may_administer(dev->net, access_was_shared(dev), cred);
}

/**
 * rdmaev_device_exists - is there a device of this index
 * @cred: who asks; one that must not be seen is not there
 * @index: index
 */
bool rdmaev_device_exists(const struct rdmaev_cred *cred, u32 index)
{
	const struct rdmaev_dev *dev;
	bool exists;

	rdmaev_state_lock();
	dev = rdmaev_device_newest(index);
	exists = dev && dev->ib && rdmaev_may_access(dev, cred);
	rdmaev_state_unlock();
	return exists;
}

/**
 * rdmaev_device_visible - may somebody know what happens on a device
 * @generation: generation of the device
 * @cred: who
 * @affiliated: to an object that belongs to somebody, not to the device as a
 *	whole or to a port
 *
 * Context: any.
 *
 * Return: true if so, or if it was when the device was there. Where that is
 * forgotten, only the administrator of the host may.
 */
bool rdmaev_device_visible(u32 generation, const struct rdmaev_cred *cred,
			   bool affiliated)
{
	const struct rdmaev_dev *dev;
	bool shared, known = true;
	u64 net;

	if (cred->all)
		return true;
	rcu_read_lock();
	dev = rdmaev_device_find(generation);
	if (dev) {
		net = dev->net;
		shared = access_was_shared(dev);
	} else {
		known = rdmaev_device_evicted(generation, &net, &shared);
	}
	rcu_read_unlock();
	if (!known)
		return false;
	return affiliated ? access_may_administer(net, shared, cred) :
			    access_may_see(net, shared, cred);
}

/* Is it about an object of the reader's own? */
static bool record_is_own(const struct rdmaev_record *rec,
			  const struct rdmaev_cred *cred)
{
	return rec->kind == RDMAEV_KIND_ASYNC &&
	       rec->body.async.known & RDMAEV_KNOWN_UID &&
	       rec->body.async.uid == cred->uid && cred->uid != U32_MAX &&
	       (!cred->pid_ns || rec->body.async.pid_ns == cred->pid_ns);
}

/**
 * rdmaev_record_visible - may somebody see a record
 * @rec: record, but for one of a loss
 * @cred: who
 *
 * Context: any.
 *
 * Return: true if so: see rdmaev_device_visible(), and affiliated events of one's
 * own objects.
 */
bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_cred *cred)
{
	bool affiliated = rec->object_type >= RDMAEV_OBJECT_QP;

	if (rdmaev_device_visible(rec->generation, cred, affiliated))
		return true;
	return affiliated && record_is_own(rec, cred) &&
	       rdmaev_device_visible(rec->generation, cred, false);
}

/** rdmaev_access_init - number the network namespaces; 0 or -errno */
int rdmaev_access_init(void)
{
	int ret;

	get_random_bytes(&pid_ns_key, sizeof(pid_ns_key));
	netns_probe = ib_alloc_device(netns_probe, ib);
	if (!netns_probe)
		return -ENOMEM;
	ret = register_pernet_subsys(&net_number_ops);
	if (ret)
		ib_dealloc_device(&netns_probe->ib);
	return ret;
}

/** rdmaev_access_exit - nobody asks who may see what any more */
void rdmaev_access_exit(void)
{
	unregister_pernet_subsys(&net_number_ops);
	ib_dealloc_device(&netns_probe->ib);
}
