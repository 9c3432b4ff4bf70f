// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests to move QPs, while the observer is loaded. A request that ends a QP, or fails,
 * is a record; others are frequent and only counted.
 */
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cause.h"
#include "device/access.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "qp_entry.h"
#include "qp_record.h"
#include "qp_request.h"

/* Copy what is known to @before, then note the request if it was a success. */
static void qp_update(const struct ib_qp *qp, const struct ib_qp_attr *attr, int attr_mask,
		      bool is_success, struct qp_before *before)
{
	struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry) {
		before->info = entry->info;
		before->peer = entry->peer;
	}
	/* The query may have seen what this request has done. */
	if (entry && entry->is_found && before->info.qp_state == attr->qp_state)
		before->info.known &= ~RDMAEV_KNOWN_QP_STATE;
	if (is_success && !entry)
		entry = rdmaev_qp_add(qp);
	if (is_success && entry) {
		qp_entry_set(entry, qp, attr, attr_mask);
		/*
		 * What this request set is known of its record, too. A QP that is reset
		 * has no peer any more: the record has the one that it had.
		 */
		if (attr->qp_state != IB_QPS_RESET)
			qp_copy_peer(&before->info, &before->peer, entry);
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	/* A request that failed: the peer that it asked for */
	if (!is_success)
		before->info.known = qp_set_peer(&before->peer, before->info.known, attr,
						 attr_mask);
}

/* Count a request that is no record. Called under RCU. */
static void qp_count_move(const struct ib_qp *qp, u32 port, const struct ib_qp_attr *attr)
{
	struct rdmaev_dev *dev = rdmaev_device_of(qp->device);

	rdmaev_count(dev, port, RDMAEV_KIND_QP, attr->qp_state);
}

/*
 * Is a request for RESET one that drops requests of a QP in use? They do not complete. In
 * ERR they have.
 */
static __always_inline bool qp_reset_drops(enum ib_qp_state before)
{
	return before > IB_QPS_INIT && before < IB_QPS_ERR;
}

/*
 * Note a success that is no record. Returns the state before, ERR if it is unknown; if that
 * makes it a record, it has not been noted.
 */
static __always_inline enum ib_qp_state
qp_note_move(const struct ib_qp *qp, const struct ib_qp_attr *attr, int attr_mask)
{
	enum ib_qp_state before = IB_QPS_ERR;
	struct qp_entry *entry;
	unsigned long flags;
	u32 port;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (likely(entry))
		before = entry->info.qp_state;
	else
		entry = rdmaev_qp_add(qp);
	if (unlikely(attr->qp_state == IB_QPS_RESET && qp_reset_drops(before))) {
		raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
		return before;
	}
	if (likely(entry))
		qp_entry_set(entry, qp, attr, attr_mask);
	port = entry ? entry->port : rdmaev_qp_port(qp);
	raw_spin_unlock(&rdmaev_objects_lock);
	/* While interrupts are off, it is under RCU. */
	qp_count_move(qp, port, attr);
	local_irq_restore(flags);
	return before;
}

/* The port's own GID of a failed request. It has none if that is why it failed. */
static void qp_record_gid(struct rdmaev_qp_body *body, struct ib_device *ib,
			  const struct rdma_ah_attr *ah)
{
	union ib_gid gid;

	body->gid_index = rdma_ah_read_grh(ah)->sgid_index;
	body->info.known |= RDMAEV_KNOWN_GID_INDEX;
	/*
	 * The lock of the GID table may sleep on PREEMPT_RT, and a kretprobe must not. Only
	 * a request for SQD or ERR can have a caller, which takes the place.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || body->info.known & RDMAEV_KNOWN_CALLER ||
	    rdma_query_gid(ib, rdma_ah_get_port_num(ah), body->gid_index, &gid) ||
	    rdma_is_zero_gid(&gid))
		return;
	memcpy(body->origin.gid, gid.raw, sizeof(body->origin.gid));
	body->info.known |= RDMAEV_KNOWN_GID;
}

/* What a failed request asked for, besides the peer */
static void qp_record_path(struct rdmaev_qp_body *body, struct ib_device *ib,
			   const struct ib_qp_attr *attr, int attr_mask)
{
	if (attr_mask & IB_QP_AV && rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH)
		qp_record_gid(body, ib, &attr->ah_attr);
	if (attr_mask & IB_QP_PATH_MTU) {
		body->path_mtu = max(ib_mtu_enum_to_int(attr->path_mtu), 0);
		body->info.known |= RDMAEV_KNOWN_PATH_MTU;
	}
}

/* Not inline: the record needs much of the stack. */
static noinline void qp_record_move(const struct ib_qp *qp,
				    const struct ib_qp_attr *attr,
				    int attr_mask, int result,
				    const char *caller)
{
	struct qp_before before = {};
	struct rdmaev_record rec;
	struct rdmaev_dev *dev;
	u32 payer;

	qp_update(qp, attr, attr_mask, !result, &before);
	rcu_read_lock();
	/* Each ib_drain_qp() moves it to ERR twice, whatever it is in. */
	if (!result && before.info.known & RDMAEV_KNOWN_QP_STATE &&
	    before.info.qp_state == attr->qp_state) {
		qp_count_move(qp, rdmaev_qp_port(qp), attr);
		goto out;
	}
	dev = rdmaev_device_of(qp->device);
	payer = rdmaev_qp_record_begin(&rec, attr->qp_state, dev, qp, &before, caller);
	if (result) {
		rec.severity = RDMAEV_SEVERITY_WARNING;
		rec.body.qp.result = result;
		qp_record_path(&rec.body.qp, qp->device, attr, attr_mask);
	}
	rdmaev_record(dev, &rec, payer);
out:
	rcu_read_unlock();
}

/**
 * rdmaev_qp_request_begin - take from the requests that a payer may have at a time
 * @max: the share of a payer
 *
 * If he has as many as he may, this one is missed: it was counted, and has no record if it
 * is refused.
 *
 * Context: any but NMI, in the thread that asks.
 *
 * Return: account for rdmaev_qp_request_end(), or -1.
 */
int rdmaev_qp_request_begin(u32 max)
{
	struct rdmaev_owner owner;
	int account;

	rdmaev_owner_init(&owner, current);
	account = rdmaev_payer_charge(owner.payer, RDMAEV_SHARE_REQUESTS, max);
	if (account < 0)
		rdmaev_payer_miss(owner.payer, RDMAEV_SHARE_QPS);
	return account;
}
EXPORT_SYMBOL_GPL(rdmaev_qp_request_begin);

/** rdmaev_qp_request_end - the opposite of rdmaev_qp_request_begin() */
void rdmaev_qp_request_end(int account)
{
	rdmaev_payer_uncharge(account, RDMAEV_SHARE_REQUESTS);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_request_end);

/**
 * rdmaev_qp_moved - report that a request to move a QP has returned
 * @qp: QP, its caller holds it
 * @attr: attributes of the request
 * @attr_mask: which of them are set; IB_QP_STATE is
 * @result: 0 or -errno
 * @caller: function that asked, empty: a program
 *
 * Context: any but NMI, in the thread that asked.
 */
void rdmaev_qp_moved(const struct ib_qp *qp, const struct ib_qp_attr *attr,
		     int attr_mask, int result, const char *caller)
{
	enum ib_qp_state before;

	if (result || rdmaev_qp_state_ends(attr->qp_state)) {
		qp_record_move(qp, attr, attr_mask, result, caller);
		return;
	}
	before = qp_note_move(qp, attr, attr_mask);
	/* Before RTR nothing can have failed. */
	if (attr->qp_state != IB_QPS_RESET || before <= IB_QPS_INIT)
		return;
	if (qp_reset_drops(before))
		qp_record_move(qp, attr, attr_mask, 0, caller);
	rdmaev_qp_flushed(qp);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_moved);
