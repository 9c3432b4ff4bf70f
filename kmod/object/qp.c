// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs, while the observer is loaded: requests to move or destroy them, and a
 * table of their state and peer, as the last successful requests set them. A
 * request that ends a QP, or fails, is a record; others are frequent and only
 * counted.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmaev_ulp.h>

#include "cause.h"
#include "device/access.h"
#include "device/burst.h"
#include "device/count.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "log/log.h"
#include "object.h"
#include "object_table.h"
#include "owner.h"
#include "qp.h"

/**
 * struct qp_entry - what is known of a QP
 * @obj: its entry in the table. Another QP may have got the address: compare
 *	the number, see qp_find_by_cq() as well
 * @port: its port, 0 if unknown
 * @is_found: the state is that of a query, not of a request
 * @info: type, CQs and SRQ, state and peer. With a QP of the kernel,
 *	source_name is the ULP; else uid, pid_ns and known have the owner
 *
 * From the first successful request to move the QP until it is destroyed.
 */
struct qp_entry {
	struct rdmaev_object obj;
	u32 port;
	bool is_found;
	struct rdmaev_object_info info;
};

#define QP_KNOWN_PEER							\
	(RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID)

/* What requests to move a QP set */
#define QP_KNOWN_MOVED	(RDMAEV_KNOWN_QP_STATE | QP_KNOWN_PEER)

/* Of its owner */
#define QP_KNOWN_OWNER	(RDMAEV_KNOWN_UID | RDMAEV_KNOWN_SETID)

DEFINE_STATIC_KEY_FALSE(rdmaev_qps_observed);

/*
 * Find the entry of an address, also if another QP had it. Called with
 * rdmaev_objects_lock held, as the next ones.
 */
static __always_inline struct qp_entry *qp_find_address(const struct ib_qp *qp)
{
	struct rdmaev_object *obj = rdmaev_object_find(RDMAEV_SHARE_QPS, qp);

	return obj ? container_of(obj, struct qp_entry, obj) : NULL;
}

static __always_inline struct qp_entry *qp_find(const struct ib_qp *qp)
{
	struct qp_entry *entry = qp_find_address(qp);

	return entry && entry->obj.number == qp->qp_num ? entry : NULL;
}

/*
 * Name of the ULP of a QP of the kernel: those of rdma_create_qp() are named
 * after rdma_cm, their PD is not.
 */
static void qp_name_ulp(char *name, size_t size, const struct ib_qp *qp)
{
	const struct ib_pd *pd = READ_ONCE(qp->pd);

	strscpy(name, pd && pd->res.kern_name ? pd->res.kern_name : "", size);
}

static void qp_remove(const struct ib_qp *qp)
{
	struct qp_entry *entry = qp_find_address(qp);

	if (entry)
		rdmaev_object_remove(&entry->obj);
}

/*
 * XRC target QPs have no owner in the core: the process that asks pays for them. It
 * may have become root since.
 */
static u32 qp_payer_who_asks(void)
{
	struct rdmaev_owner owner;

	if (!in_task() || current->flags & PF_KTHREAD)
		return RDMAEV_PAYER_UNKNOWN;
	rdmaev_owner_init(&owner, current);
	return owner.payer ?: RDMAEV_PAYER_NOT_ROOT;
}

static struct qp_entry *qp_add(const struct ib_qp *qp)
{
	bool is_user = rdmaev_qp_is_user(qp);
	struct rdmaev_owner owner;
	struct rdmaev_object *obj;
	struct qp_entry *entry;

	/* Of a QP that had the address before: its end was missed. */
	qp_remove(qp);
	if (!rdmaev_owner_find_locked(&owner, &qp->res) &&
	    rdma_is_kernel_res(&qp->res) && is_user)
		owner.payer = qp_payer_who_asks();
	obj = rdmaev_object_add(RDMAEV_SHARE_QPS, qp, is_user, owner.payer);
	if (!obj)
		return NULL;
	rdmaev_object_set_number(obj, qp->device->index, qp->qp_num);
	entry = container_of(obj, struct qp_entry, obj);
	memset(&entry->info, 0, sizeof(entry->info));
	rdmaev_fill_qp(&entry->info, qp);
	if (is_user) {
		entry->info.uid = owner.uid;
		entry->info.pid_ns = owner.pid_ns;
		entry->info.known |= owner.known & QP_KNOWN_OWNER;
	} else {
		qp_name_ulp(entry->info.source_name,
			    sizeof(entry->info.source_name), qp);
	}
	return entry;
}

/* Returns @known, with what the request sets. */
static __always_inline u32 qp_set_peer(struct rdmaev_object_info *info, u32 known,
				       const struct ib_qp_attr *attr, int attr_mask)
{
	const struct rdma_ah_attr *ah = &attr->ah_attr;

	if (!(attr_mask & (IB_QP_DEST_QPN | IB_QP_AV)))
		return known;
	if (attr_mask & IB_QP_DEST_QPN) {
		info->peer_qpn = attr->dest_qp_num;
		known |= RDMAEV_KNOWN_PEER_QPN;
	}
	if (!(attr_mask & IB_QP_AV))
		return known;
	known &= ~(RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID);
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH) {
		memcpy(info->peer_gid, rdma_ah_read_grh(ah)->dgid.raw,
		       sizeof(info->peer_gid));
		known |= RDMAEV_KNOWN_PEER_GID;
	}
	if (ah->type == RDMA_AH_ATTR_TYPE_IB) {
		info->peer_lid = rdma_ah_get_dlid(ah);
		known |= RDMAEV_KNOWN_PEER_LID;
	}
	return known;
}

static void qp_copy_peer(struct rdmaev_object_info *to,
			 const struct rdmaev_object_info *from)
{
	to->known |= from->known & QP_KNOWN_PEER;
	to->peer_qpn = from->peer_qpn;
	to->peer_lid = from->peer_lid;
	memcpy(to->peer_gid, from->peer_gid, sizeof(to->peer_gid));
}

/* Note a successful request. Called with rdmaev_objects_lock held. */
static __always_inline void qp_entry_set(struct qp_entry *entry, const struct ib_qp *qp,
					 const struct ib_qp_attr *attr, int attr_mask)
{
	struct rdmaev_object_info *info = &entry->info;
	enum ib_qp_state state = attr->qp_state;
	u32 known = info->known;

	/* With a state up to INIT a new connection begins. */
	if (state <= IB_QPS_INIT)
		known &= ~QP_KNOWN_PEER;
	known = qp_set_peer(info, known, attr, attr_mask);
	info->known = known | RDMAEV_KNOWN_QP_STATE;
	info->qp_state = state;
	entry->is_found = false;
	entry->port = rdmaev_qp_port(qp);
}

/* Copy what is known to @before, then note the request if it was a success. */
static void qp_update(const struct ib_qp *qp, const struct ib_qp_attr *attr, int attr_mask,
		      bool is_success, struct rdmaev_object_info *before)
{
	struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry)
		*before = entry->info;
	/* The query may have seen what this request has done. */
	if (entry && entry->is_found && before->qp_state == attr->qp_state)
		before->known &= ~RDMAEV_KNOWN_QP_STATE;
	if (is_success && !entry)
		entry = qp_add(qp);
	if (is_success && entry) {
		qp_entry_set(entry, qp, attr, attr_mask);
		/* What this request set is known of its record, too. */
		qp_copy_peer(before, &entry->info);
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}

/**
 * rdmaev_qp_fill_state - fill in the state and the peer of a QP
 * @info: filled in, and the bits of what is known set
 * @qp: QP
 *
 * Context: any but NMI.
 */
void rdmaev_qp_fill_state(struct rdmaev_object_info *info,
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
		qp_copy_peer(info, &entry->info);
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
	if ((entry->info.known & RDMAEV_KNOWN_SEND_CQ && entry->info.send_cq == cq) ||
	    (entry->info.known & RDMAEV_KNOWN_RECV_CQ && entry->info.recv_cq == cq))
		return entry;
	return NULL;
}

/**
 * rdmaev_qp_describe_known - fill in the QP of a completion
 * @rec: object, port and body filled in, source_name with the ULP
 * @qp: QP of the completion, which may have been destroyed: not dereferenced
 * @cq: number of the CQ of the completion, of a kernel ULP on the device of @rec
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
		rec->body.info.known |= RDMAEV_KNOWN_OBJECT;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return entry;
}

/**
 * rdmaev_qp_known_number - get the number of the QP of a completion
 * @qp: QP, which may have been destroyed: not dereferenced
 * @device: index of the device
 * @cq: number of the CQ of the completion, of a kernel ULP
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
	       info->pid_ns == owner->pid_ns &&
	       !((info->known ^ owner->known) & RDMAEV_KNOWN_SETID) ?
		       RDMAEV_QP_OF_OWNER : RDMAEV_QP_OF_OTHERS;
}

/**
 * rdmaev_qp_known - get what is known of a QP of the kernel
 * @qp: QP, which may have been destroyed: not dereferenced
 * @number: set to its number
 * @info: set as far as it is known
 *
 * Context: any but NMI.
 *
 * Return: false if nothing is known of the QP.
 */
bool rdmaev_qp_known(const struct ib_qp *qp, u32 *number,
		     struct rdmaev_object_info *info)
{
	const struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find_of_kernel(qp);
	if (entry) {
		*number = entry->obj.number;
		*info = entry->info;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return entry;
}

/*
 * Fill in everything but code, result and signal. Returns who pays for it, if it
 * is of a process.
 */
static u32 qp_begin_record(struct rdmaev_record *rec, struct rdmaev_dev *dev,
			   const struct ib_qp *qp,
			   const struct rdmaev_object_info *before,
			   const char *caller)
{
	struct rdmaev_qp_body *body = &rec->body.qp;
	u32 payer = RDMAEV_PAYER_UNKNOWN;

	memset(rec, 0, sizeof(*rec));
	rdmaev_record_begin(rec, RDMAEV_KIND_QP, RDMAEV_SOURCE_OBSERVER);
	rec->device = qp->device->index;
	rec->generation = dev ? dev->generation : 0;
	rec->port = rdmaev_qp_port(qp);
	rec->object_type = RDMAEV_OBJECT_QP;
	rec->severity = RDMAEV_SEVERITY_INFO;
	rec->ring = rdmaev_qp_is_user(qp) ? RDMAEV_RING_USER :
					    RDMAEV_RING_INFO;
	rec->object = qp->qp_num;
	body->known = RDMAEV_KNOWN_OBJECT | (before->known & QP_KNOWN_MOVED);
	body->before = before->qp_state;
	body->peer_qpn = before->peer_qpn;
	body->peer_lid = before->peer_lid;
	memcpy(body->peer_gid, before->peer_gid, sizeof(body->peer_gid));
	if (qp->qp_type <= U8_MAX) {
		body->qp_type = qp->qp_type;
		body->known |= RDMAEV_KNOWN_QP_TYPE;
	}
	if (!rdma_is_kernel_res(&qp->res))
		payer = rdmaev_record_find_owner(rec, body->owner, &qp->res);
	else if (rdmaev_qp_is_user(qp))
		payer = qp_payer_who_asks();
	else
		qp_name_ulp(body->owner, sizeof(body->owner), qp);
	strscpy(body->caller, caller, sizeof(body->caller));
	if (in_task()) {
		/* Its lock may sleep; a change of the name leaves an end. */
		strscpy(body->caller_comm, current->comm,
			sizeof(body->caller_comm));
		if (!(current->flags & PF_KTHREAD))
			body->caller_pid = task_tgid_nr(current);
	}
	return payer;
}

/* Count a request that is no record. Called under RCU. */
static void qp_count_move(const struct ib_qp *qp, u32 port, const struct ib_qp_attr *attr)
{
	struct rdmaev_dev *dev = rdmaev_device_of(qp->device);

	rdmaev_count(dev, port, RDMAEV_KIND_QP, attr->qp_state);
}

/* Note a success that is no record. Returns the state before, ERR if it is unknown. */
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
		entry = qp_add(qp);
	if (likely(entry))
		qp_entry_set(entry, qp, attr, attr_mask);
	port = entry ? entry->port : rdmaev_qp_port(qp);
	raw_spin_unlock(&rdmaev_objects_lock);
	/* While interrupts are off, it is under RCU. */
	qp_count_move(qp, port, attr);
	local_irq_restore(flags);
	return before;
}

/* Not inline: the record needs much of the stack. */
static noinline void qp_record_move(const struct ib_qp *qp,
				    const struct ib_qp_attr *attr,
				    int attr_mask, int result,
				    const char *caller)
{
	struct rdmaev_object_info before = {};
	struct rdmaev_record rec;
	struct rdmaev_dev *dev;
	u32 payer;

	qp_update(qp, attr, attr_mask, !result, &before);
	rcu_read_lock();
	/* Each ib_drain_qp() moves it to ERR twice, whatever it is in. */
	if (!result && before.known & RDMAEV_KNOWN_QP_STATE &&
	    before.qp_state == attr->qp_state) {
		qp_count_move(qp, rdmaev_qp_port(qp), attr);
		goto out;
	}
	dev = rdmaev_device_of(qp->device);
	payer = qp_begin_record(&rec, dev, qp, &before, caller);
	rec.code = attr->qp_state;
	if (result) {
		rec.severity = RDMAEV_SEVERITY_WARNING;
		rec.body.qp.result = result;
	} else {
		rec.cause = rdmaev_cause_of_move(&rec);
	}
	rdmaev_burst_append(dev, &rec, payer);
	if (!result && attr->qp_state == IB_QPS_ERR)
		rdmaev_cause_note_move(&rec, payer);
out:
	rcu_read_unlock();
}

/**
 * rdmaev_qp_request_begin - take from the requests that a payer may have at a time
 * @qp: QP of a process, its caller holds it
 * @max: the share of a payer
 *
 * If he has as many as he may, this one is missed: it was counted, and the state of
 * the QP is unknown from now on.
 *
 * Context: any but NMI, in the thread that asks.
 *
 * Return: account for rdmaev_qp_request_end(), or -1.
 */
int rdmaev_qp_request_begin(const struct ib_qp *qp, u32 max)
{
	struct rdmaev_owner owner;
	struct qp_entry *entry;
	unsigned long flags;
	int account;

	rdmaev_owner_init(&owner, current);
	account = rdmaev_payer_take(owner.payer, RDMAEV_SHARE_REQUESTS, max);
	if (account >= 0)
		return account;
	rdmaev_payer_miss(owner.payer, RDMAEV_SHARE_QPS);
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry)
		entry->info.known &= ~QP_KNOWN_MOVED;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return -1;
}
EXPORT_SYMBOL_GPL(rdmaev_qp_request_begin);

/** rdmaev_qp_request_end - the opposite of rdmaev_qp_request_begin() */
void rdmaev_qp_request_end(int account)
{
	rdmaev_payer_give_back(account, RDMAEV_SHARE_REQUESTS);
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
	if (attr->qp_state == IB_QPS_RESET && before > IB_QPS_INIT)
		rdmaev_qp_flushed(qp);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_moved);

/**
 * rdmaev_qp_destroyed - report that a QP is about to be destroyed
 * @qp: QP, its caller holds it
 *
 * Context: any but NMI, in the thread that destroys it.
 */
void rdmaev_qp_destroyed(const struct ib_qp *qp)
{
	struct rdmaev_object_info before = {};
	struct rdmaev_record rec;
	struct rdmaev_dev *dev;
	unsigned long flags;
	struct qp_entry *entry;
	u32 payer;

	/* One of several handles of an XRC target QP: the QP remains. */
	if (qp->real_qp && qp->real_qp != qp)
		return;
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry)
		before = entry->info;
	qp_remove(qp);
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);

	if (in_task() && current->flags & PF_EXITING) {
		rcu_read_lock();
		dev = rdmaev_device_of(qp->device);
		payer = qp_begin_record(&rec, dev, qp, &before, "");
		rec.code = RDMAEV_QP_DESTROY;
		rec.body.qp.signal = current->signal->group_exit_code & 0x7f;
		if (rec.body.qp.signal)
			rec.severity = RDMAEV_SEVERITY_WARNING;
		rec.cause = rdmaev_cause_of_move(&rec);
		rdmaev_burst_append(dev, &rec, payer);
		rcu_read_unlock();
	}
	rdmaev_qp_flushed(qp);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_destroyed);

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
	static const u8 none[sizeof_field(struct rdmaev_object_info, peer_gid)];
	u32 port = rdmaev_qp_port(qp) ?: rdma_start_port(qp->device);

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
		entry = qp_add(qp);
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
	qp_remove(qp);
	if (qp_queried == qp)
		qp_queried = NULL;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_ended);

static bool qp_is_kept(const struct rdmaev_object *obj)
{
	return obj->sort != RDMAEV_SHARE_QPS || obj->account < 0 ||
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
