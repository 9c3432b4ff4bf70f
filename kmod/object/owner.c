// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Owners of the objects of processes, while the observer is loaded: who made a QP, CQ
 * or PD, as that process was in the thread that made it. SRQs and WQs belong to the
 * owner of their PD.
 *
 * ib_core has the thread, too, but what that may do later says nothing: a
 * program of a user can make QPs and become one of root, which runs without the limits
 * of the user. So an object that has no entry here has no owner: it has been made when
 * nothing was observed and was not found afterwards, or its process had more objects
 * than its share. Who pays for it is what the process is now, but never root.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device/access.h"
#include "device/payer.h"
#include "object_table.h"
#include "owner.h"

/**
 * struct owner_entry - owner of an object
 * @obj: its entry in the table
 * @task: what the core has for the thread, which that keeps, and the entry does not: if
 *	the core has another one later, this is the entry of an object that had the
 *	address before, and whose end was missed. On Linux 5.10 a QP has the thread of
 *	its PD
 * @started: when that thread began: another one may have its address later. Execution
 *	of a program by a thread but the first changes it, and leaves no owner
 * @owner: the owner
 *
 * From the creation of the object until the driver has destroyed it; without
 * rdma_restrack_commit_del(), as on Linux 5.10, until the core stops tracking it, which
 * is before that for a QP. An entry whose end was missed counts for its user until an
 * object has the address, or the observer is unloaded.
 */
struct owner_entry {
	struct rdmaev_object obj;
	const struct task_struct *task;
	u64 started;
	struct rdmaev_owner owner;
};

/* Find an entry by its address. Called with rdmaev_objects_lock held, as the next ones. */
static struct owner_entry *owner_find(const struct rdma_restrack_entry *res)
{
	struct rdmaev_object *obj = rdmaev_object_find(RDMAEV_SHARE_OWNERS, res);

	return obj ? container_of(obj, struct owner_entry, obj) : NULL;
}

static void owner_remove(const struct rdma_restrack_entry *res)
{
	struct owner_entry *entry = owner_find(res);

	if (entry)
		rdmaev_object_remove(&entry->obj);
}

static u64 owner_started(const struct task_struct *task)
{
	return task ? READ_ONCE(task->start_boottime) : 0;
}

static void owner_add(const struct rdma_restrack_entry *res,
		      const struct rdmaev_owner *owner)
{
	struct owner_entry *entry;
	struct rdmaev_object *obj;

	owner_remove(res);
	obj = rdmaev_object_add(RDMAEV_SHARE_OWNERS, res, true, owner->payer);
	if (!obj)
		return;
	entry = container_of(obj, struct owner_entry, obj);
	entry->owner = *owner;
	entry->task = res->task;
	entry->started = owner_started(entry->task);
}

/* The entry of an object that the core tracks, NULL if there is none */
static const struct owner_entry *owner_get(const struct rdma_restrack_entry *res)
{
	const struct owner_entry *entry = owner_find(res);
	const struct task_struct *task = READ_ONCE(res->task);

	/* On Linux 5.10 the core has dropped it when the driver is asked to destroy a QP. */
	if (!entry || !task)
		return entry;
	return entry->task == task && entry->started == owner_started(task) ? entry : NULL;
}

/*
 * Without an owner, root may have been somebody else. Root's own programs that are older
 * than the observer do not pay for these.
 */
static u32 owner_payer_unknown(const struct rdma_restrack_entry *res)
{
	return rdmaev_owner_payer_now(res) ?: RDMAEV_PAYER_NO_OWNER;
}

/**
 * rdmaev_owner_find_locked - rdmaev_owner_find() with rdmaev_objects_lock held, or of
 * an object of the kernel
 * @owner: as there
 * @res: as there
 */
bool rdmaev_owner_find_locked(struct rdmaev_owner *owner,
			      const struct rdma_restrack_entry *res)
{
	bool is_kernel = rdma_is_kernel_res(res);
	const struct owner_entry *entry = is_kernel ? NULL : owner_get(res);

	if (entry) {
		*owner = entry->owner;
		owner->payer = rdmaev_owner_payer(&entry->owner, res);
	} else {
		*owner = (struct rdmaev_owner) {
			.uid = U32_MAX,
			.payer = is_kernel ? RDMAEV_PAYER_UNKNOWN :
					     owner_payer_unknown(res),
		};
	}
	return entry;
}

/**
 * rdmaev_owner_find - get the process that owns an object
 * @owner: filled in
 * @res: QP, CQ or PD
 *
 * Context: any but NMI.
 *
 * Return: false if the object belongs to the kernel, or its owner is unknown: then
 * only the payer is set.
 */
bool rdmaev_owner_find(struct rdmaev_owner *owner,
		       const struct rdma_restrack_entry *res)
{
	unsigned long flags;
	bool is_found;

	if (rdma_is_kernel_res(res))
		return rdmaev_owner_find_locked(owner, res);
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	is_found = rdmaev_owner_find_locked(owner, res);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return is_found;
}

/**
 * rdmaev_record_find_owner - set the process that owns the object of a record
 * @rec: as for rdmaev_record_set_owner(); unchanged if no owner is known
 * @res: QP, CQ or PD of a process
 *
 * Context: any but NMI.
 *
 * Return: who pays for the owner.
 */
u32 rdmaev_record_find_owner(struct rdmaev_record *rec,
			     const struct rdma_restrack_entry *res)
{
	const struct owner_entry *entry;
	unsigned long flags;
	u32 payer;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = owner_get(res);
	payer = entry ? rdmaev_record_set_owner(rec, &entry->owner, res) :
			owner_payer_unknown(res);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return payer;
}

/**
 * rdmaev_owner_begin - note that the current process has made an object
 * @res: QP, CQ or PD of a process that the core begins to track
 *
 * Context: process, in the thread that makes it; may not sleep.
 */
void rdmaev_owner_begin(const struct rdma_restrack_entry *res)
{
	struct rdmaev_owner owner;
	unsigned long flags;

	/* A thread that works for a process does not have its user. */
	if (current->flags & PF_KTHREAD)
		return;
	/* Without an entry it would have no owner until it ends. */
	rdmaev_objects_make_one(RDMAEV_SHARE_OWNERS);
	rdmaev_owner_init(&owner, current);
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	owner_add(res, &owner);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_owner_begin);

/**
 * rdmaev_owner_exists - note the owner of an object, unless it has been seen to begin
 * @res: QP, CQ or PD of a process; the caller holds a reference, so that its end is
 *	seen later
 *
 * What its process was when it made the object is unknown. Root may have been somebody
 * else then, and has limits here.
 *
 * Context: process.
 */
void rdmaev_owner_exists(const struct rdma_restrack_entry *res)
{
	struct rdmaev_owner owner;

	if (rdma_is_kernel_res(res))
		return;
	/* The reference keeps the task. */
	rdmaev_owner_init(&owner, res->task);
	if (!owner.payer)
		owner.payer = RDMAEV_PAYER_NOT_ROOT;
	raw_spin_lock_irq(&rdmaev_objects_lock);
	if (!owner_get(res))
		owner_add(res, &owner);
	raw_spin_unlock_irq(&rdmaev_objects_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_owner_exists);

/**
 * rdmaev_owner_end - note that an object has been destroyed
 * @res: QP, CQ or PD of a process
 *
 * Context: any but NMI.
 */
void rdmaev_owner_end(const struct rdma_restrack_entry *res)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	owner_remove(res);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_owner_end);

/** rdmaev_owners_observe_begin - prepare the table; 0 or -ENOMEM */
int rdmaev_owners_observe_begin(void)
{
	return rdmaev_objects_begin(RDMAEV_SHARE_OWNERS,
				    sizeof(struct owner_entry), NULL);
}
