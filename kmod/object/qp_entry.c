// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entries of QPs in the table of objects */
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device/access.h"
#include "device/payer.h"
#include "owner.h"
#include "qp_entry.h"

static u64 qp_order;	/* of the newest one, protected by rdmaev_objects_lock */

/** rdmaev_qp_remove - remove the entry of an address, with rdmaev_objects_lock held */
void rdmaev_qp_remove(const struct ib_qp *qp)
{
	struct qp_entry *entry = qp_find_address(qp);

	if (entry)
		rdmaev_object_remove(&entry->obj);
}

/**
 * rdmaev_qp_payer_who_asks - who pays for an XRC target QP
 *
 * They have no owner in the core: the process that asks pays for them. It may have become
 * root since.
 */
u32 rdmaev_qp_payer_who_asks(void)
{
	struct rdmaev_owner owner;

	if (!in_task() || current->flags & PF_KTHREAD)
		return RDMAEV_PAYER_UNKNOWN;
	rdmaev_owner_init(&owner, current);
	return owner.payer ?: RDMAEV_PAYER_NOT_ROOT;
}

/**
 * rdmaev_qp_add - add an entry
 * @qp: QP that has none
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: the entry, without a state; NULL if there is no room.
 */
struct qp_entry *rdmaev_qp_add(const struct ib_qp *qp)
{
	bool is_user = rdmaev_qp_is_user(qp);
	struct rdmaev_owner owner;
	struct rdmaev_object *obj;
	struct qp_entry *entry;

	/* Of a QP that had the address before: its end was missed. */
	rdmaev_qp_remove(qp);
	if (!rdmaev_owner_find_locked(&owner, &qp->res) &&
	    rdma_is_kernel_res(&qp->res) && is_user)
		owner.payer = rdmaev_qp_payer_who_asks();
	obj = rdmaev_object_add(RDMAEV_SHARE_QPS, qp, is_user, owner.payer);
	if (!obj)
		return NULL;
	rdmaev_object_set_number(obj, qp->device->index, qp->qp_num);
	entry = container_of(obj, struct qp_entry, obj);
	memset(&entry->info, 0, sizeof(entry->info));
	memset(&entry->peer, 0, sizeof(entry->peer));
	memset(&entry->queues, 0, sizeof(entry->queues));
	entry->is_asked = false;
	entry->is_ending = false;
	entry->seen = 0;
	entry->order = ++qp_order;
	entry->pid = owner.pid;
	entry->started = owner.started;
	rdmaev_fill_qp(&entry->info, &entry->queues, qp);
	if (is_user) {
		entry->info.uid = owner.uid;
		entry->info.pid_ns = owner.pid_ns;
		entry->info.cgroup = owner.cgroup;
		entry->info.known |= owner.known & RDMAEV_KNOWN_OWNER;
		strscpy(entry->info.owner, owner.comm, sizeof(entry->info.owner));
	} else {
		qp_name_ulp(entry->info.owner, sizeof(entry->info.owner), qp);
	}
	return entry;
}
