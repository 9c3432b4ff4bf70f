// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs, while the observer is loaded: a table of their state and peer, as the last
 * successful requests set them.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device/access.h"
#include "device/payer.h"
#include "owner.h"
#include "qp.h"
#include "qp_entry.h"

DEFINE_STATIC_KEY_FALSE(rdmaev_qps_observed);

/**
 * rdmaev_qp_fill_state - fill in the state and the peer of a QP
 * @info: state filled in, and the bits of what is known set
 * @peer: filled in
 * @qp: QP
 *
 * Context: any but NMI.
 */
void rdmaev_qp_fill_state(struct rdmaev_object_info *info, struct rdmaev_peer *peer,
			  const struct ib_qp *qp)
{
	const struct qp_entry *entry;
	unsigned long flags;

	/* The real QP of a shared XRC target QP is the one that is moved. */
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp->real_qp ?: qp);
	if (entry) {
		info->known |= entry->info.known & RDMAEV_KNOWN_QP_STATE;
		info->qp_state = entry->info.qp_state;
		qp_copy_peer(info, peer, entry);
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}

/*
 * Find the entry of a QP of the kernel that may have been destroyed: a QP of a process
 * may have the address now.
 */
static const struct qp_entry *qp_find_of_kernel(const struct ib_qp *qp)
{
	const struct qp_entry *entry = qp_find_address(qp);

	return entry && entry->obj.account < 0 ? entry : NULL;
}

/*
 * The same by a CQ that it uses, as another QP of the kernel may have the address, too.
 * Called with rdmaev_objects_lock held.
 */
static const struct qp_entry *qp_find_by_cq(const struct ib_qp *qp, u32 device, u32 cq)
{
	const struct qp_entry *entry = qp_find_of_kernel(qp);

	if (!entry || entry->obj.device != device)
		return NULL;
	if ((entry->info.known & RDMAEV_KNOWN_SEND_CQ && entry->queues.send_cq == cq) ||
	    (entry->info.known & RDMAEV_KNOWN_RECV_CQ && entry->queues.recv_cq == cq))
		return entry;
	return NULL;
}

/**
 * rdmaev_qp_describe_known - fill in the QP of a completion
 * @rec: of RDMAEV_KIND_WC: object, port and body filled in, with the name of the ULP
 * @qp: QP of the completion, which may have been destroyed: not dereferenced
 * @cq: number of the CQ of the completion, of a ULP on the device of @rec
 *
 * Context: any but NMI.
 *
 * Return: false if nothing is known of the QP; @rec is unchanged.
 */
bool rdmaev_qp_describe_known(struct rdmaev_record *rec, const struct ib_qp *qp,
			      u32 cq)
{
	const struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find_by_cq(qp, rec->device, cq);
	if (entry) {
		rec->object_type = RDMAEV_OBJECT_QP;
		rec->object = entry->obj.number;
		rec->port = entry->port;
		rec->body.info = entry->info;
		rec->body.wc.peer = entry->peer;
		rec->body.wc.queues = entry->queues;
		rec->body.info.known |= RDMAEV_KNOWN_OBJECT;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return entry;
}

/**
 * rdmaev_qp_known_number - get the number of the QP of a completion
 * @qp: QP, which may have been destroyed: not dereferenced
 * @device: index of the device
 * @cq: number of the CQ of the completion, of a ULP
 * @number: set to its number
 *
 * Context: any but NMI.
 *
 * Return: false if nothing is known of the QP.
 */
bool rdmaev_qp_known_number(const struct ib_qp *qp, u32 device, u32 cq, u32 *number)
{
	const struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find_by_cq(qp, device, cq);
	if (entry)
		*number = entry->obj.number;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return entry;
}

/**
 * rdmaev_qp_belongs_to - check the number of a QP that a process has named
 * @device: index of the device
 * @number: number of the QP
 * @owner: process
 *
 * Context: any but NMI, with rdmaev_objects_lock held.
 *
 * Return: whether such a QP is known, and belongs to the user of the process.
 */
enum rdmaev_qp_owner rdmaev_qp_belongs_to(u32 device, u32 number,
					  const struct rdmaev_owner *owner)
{
	struct rdmaev_object *obj =
		rdmaev_object_find_number(RDMAEV_SHARE_QPS, device, number);
	const struct rdmaev_object_info *info;

	if (!obj)
		return RDMAEV_QP_NOT_KNOWN;
	info = &container_of(obj, struct qp_entry, obj)->info;
	return info->known & RDMAEV_KNOWN_UID && info->uid == owner->uid &&
	       info->known & owner->known & RDMAEV_KNOWN_PID_NS &&
	       info->pid_ns == owner->pid_ns &&
	       !((info->known ^ owner->known) & RDMAEV_KNOWN_SETID) ?
		       RDMAEV_QP_OF_OWNER : RDMAEV_QP_OF_OTHERS;
}

/**
 * rdmaev_qp_known - get what is known of a QP of the kernel
 * @qp: QP, which may have been destroyed: not dereferenced
 * @number: set to its number
 * @info: set as far as it is known
 * @peer: likewise
 *
 * Context: any but NMI.
 *
 * Return: false if nothing is known of the QP.
 */
bool rdmaev_qp_known(const struct ib_qp *qp, u32 *number,
		     struct rdmaev_object_info *info, struct rdmaev_peer *peer)
{
	const struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find_of_kernel(qp);
	if (entry) {
		*number = entry->obj.number;
		*info = entry->info;
		*peer = entry->peer;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return entry;
}

/* QP that rdmaev_qp_exists() will report, NULL: none, or it has ended */
static const struct ib_qp *qp_queried;

/**
 * rdmaev_qp_query_begin - the driver is about to be queried about a QP
 * @qp: QP, one at a time; the caller holds a reference to its restrack entry
 */
void rdmaev_qp_query_begin(const struct ib_qp *qp)
{
	raw_spin_lock_irq(&rdmaev_objects_lock);
	qp_queried = qp;
	raw_spin_unlock_irq(&rdmaev_objects_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_query_begin);

/* Is the peer among the attributes that a driver reports? */
static bool qp_has_peer(const struct ib_qp *qp, const struct ib_qp_attr *attr)
{
	static const u8 none[sizeof_field(struct rdmaev_peer, gid)];
	u32 port = rdmaev_qp_port(qp);

	if (port == RDMAEV_NO_PORT)
		port = rdma_start_port(qp->device);
	if ((qp->qp_type != IB_QPT_RC && qp->qp_type != IB_QPT_UC) ||
	    attr->qp_state <= IB_QPS_INIT || !attr->dest_qp_num ||
	    rdma_protocol_iwarp(qp->device, port))
		return false;
	return !(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH) ||
	       memcmp(rdma_ah_read_grh(&attr->ah_attr)->dgid.raw, none,
		      sizeof(none));
}

/**
 * rdmaev_qp_exists - report a QP that exists since before the observer
 * @qp: QP of rdmaev_qp_query_begin()
 * @attr: what its driver reports: state, destination and address handle
 *
 * Context: process.
 */
void rdmaev_qp_exists(const struct ib_qp *qp, const struct ib_qp_attr *attr)
{
	int attr_mask = qp_has_peer(qp, attr) ? IB_QP_DEST_QPN | IB_QP_AV : 0;
	struct qp_entry *entry = NULL;

	raw_spin_lock_irq(&rdmaev_objects_lock);
	/* A request since then says more. */
	if (qp_queried == qp && !qp_find(qp))
		entry = rdmaev_qp_add(qp);
	if (entry) {
		qp_entry_set(entry, qp, attr, attr_mask);
		entry->is_found = true;
	}
	qp_queried = NULL;
	raw_spin_unlock_irq(&rdmaev_objects_lock);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_exists);

/**
 * rdmaev_qp_ended - report that the core forgets a QP
 * @qp: QP, not dereferenced
 *
 * Context: any but NMI.
 */
void rdmaev_qp_ended(const struct ib_qp *qp)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	/* Added after rdmaev_qp_destroyed(), or about to be */
	rdmaev_qp_remove(qp);
	if (qp_queried == qp)
		qp_queried = NULL;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_ended);

static bool qp_is_kept(const struct rdmaev_object *obj)
{
	return obj->share != RDMAEV_SHARE_QPS || obj->account < 0 ||
	       container_of(obj, struct qp_entry, obj)->info.known & RDMAEV_KNOWN_UID;
}

/** rdmaev_qps_forget_unowned - forget those of processes whose owner is unknown */
void rdmaev_qps_forget_unowned(void)
{
	rdmaev_objects_remove(qp_is_kept);
}

/** rdmaev_qps_observe_begin - prepare the table; 0 or -ENOMEM */
int rdmaev_qps_observe_begin(void)
{
	int ret = rdmaev_objects_begin(RDMAEV_SHARE_QPS,
				       sizeof(struct qp_entry), NULL);

	if (!ret)
		static_branch_enable(&rdmaev_qps_observed);
	return ret;
}

/** rdmaev_qps_observe_end - no hook runs any more */
void rdmaev_qps_observe_end(void)
{
	static_branch_disable(&rdmaev_qps_observed);
}
