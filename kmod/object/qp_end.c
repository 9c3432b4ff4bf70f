// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ends of QPs, while the observer is loaded, and objects that could not be made.
 *
 * A device moves a QP to SQE or ERR by itself when a request fails, and says so to nobody
 * but who polls the CQ. So the driver is asked for the state of a QP of a process before it
 * destroys it, if the last request left the QP in a state from which that may have
 * happened. If it has reported SQE or ERR to somebody else since, that is known. On hardware
 * a question takes its time: a device gets a limited number in a
 * second, and a payer half as many on all devices, but few of those that are left when half
 * are used. QPs that should have been asked and were not are counted for who pays.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/oom.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "cause.h"
#include "device/access.h"
#include "device/device.h"
#include "device/device_table.h"
#include "device/payer.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "owner.h"
#include "qp_end.h"
#include "qp_entry.h"
#include "qp_record.h"

/*
 * Protects how many questions devices have had. In process context; payer_lock is taken with
 * it held.
 */
static DEFINE_RAW_SPINLOCK(qp_ask_lock);

/* Called with qp_ask_lock held, under RCU. */
static bool qp_device_may_ask(struct rdmaev_dev *dev, u32 payer, u32 max)
{
	unsigned long second = jiffies / HZ;

	if (dev->asked_at != second) {
		dev->asked_at = second;
		dev->asked = 0;
	}
	if (dev->asked >= max)
		max = 0;
	else
		max = DIV_ROUND_UP(max, dev->asked < max / 2 ? 2 : 16);
	if (!rdmaev_payer_may_ask(payer, max))
		return false;
	dev->asked++;
	return true;
}

/*
 * Copy what is known of a QP. With @ends, its end is recorded once, also if the driver
 * refuses and is asked again. Returns false if it has been.
 */
static bool qp_get_known(const struct ib_qp *qp, struct qp_before *before, bool ends)
{
	struct qp_entry *entry;
	unsigned long flags;
	bool is_first = true;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry) {
		before->info = entry->info;
		before->peer = entry->peer;
		is_first = !entry->is_ending;
		entry->is_ending |= ends;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return is_first;
}

/*
 * Can a QP have failed by itself, as far as is known? Drivers have more than one state of
 * other types. Called with rdmaev_objects_lock held.
 */
static bool qp_may_have_failed(const struct ib_qp *qp, const struct qp_entry *entry)
{
	return entry->info.known & RDMAEV_KNOWN_QP_STATE &&
	       entry->info.qp_state >= RDMAEV_QP_RTR && entry->info.qp_state <= RDMAEV_QP_SQD &&
	       rdmaev_qp_is_user(qp) &&
	       (qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC ||
		qp->qp_type == IB_QPT_UD || qp->qp_type == IB_QPT_XRC_INI ||
		qp->qp_type == IB_QPT_XRC_TGT);
}

/*
 * Is the driver to be asked? Once for each state: a driver may refuse to destroy the QP, and
 * be asked again. @seen: set to the state that it has reported, -1: none
 */
static bool qp_is_to_ask(const struct ib_qp *qp, int *seen)
{
	struct qp_entry *entry;
	bool is_to_ask = false;
	unsigned long flags;

	*seen = -1;
	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry && qp_may_have_failed(qp, entry)) {
		if (entry->seen)
			*seen = entry->seen;
		else
			is_to_ask = !entry->is_asked;
		entry->is_asked = true;
	}
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return is_to_ask;
}

/**
 * rdmaev_qp_query_asked - somebody asks the driver for the state of a QP
 * @qp: QP, its caller holds it
 *
 * Context: any but NMI.
 *
 * Return: @moves for rdmaev_qp_query_answered().
 */
u32 rdmaev_qp_query_asked(const struct ib_qp *qp)
{
	const struct qp_entry *entry;
	unsigned long flags;
	u32 moves = 0;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry)
		moves = entry->moves;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
	return moves;
}
EXPORT_SYMBOL_GPL(rdmaev_qp_query_asked);

/**
 * rdmaev_qp_query_answered - note the state of a QP that its driver has reported
 * @qp: QP, its caller holds it
 * @state: SQE or ERR
 * @moves: from before the driver was asked
 *
 * If nobody asks for that state until the QP ends, it has failed by itself. Not earlier: a
 * request that has moved it may be about to return. One that has returned since says more.
 *
 * Context: any but NMI.
 */
void rdmaev_qp_query_answered(const struct ib_qp *qp, enum ib_qp_state state, u32 moves)
{
	struct qp_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_objects_lock, flags);
	entry = qp_find(qp);
	if (entry && entry->moves == moves)
		entry->seen = state;
	raw_spin_unlock_irqrestore(&rdmaev_objects_lock, flags);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_query_answered);

static u32 qp_payer(const struct ib_qp *qp)
{
	struct rdmaev_owner owner;

	/* XRC target QPs have no owner in the core. */
	if (rdma_is_kernel_res(&qp->res))
		return rdmaev_qp_payer_who_asks();
	rdmaev_owner_find(&owner, &qp->res);
	return owner.payer;
}

/**
 * rdmaev_qp_may_ask - may the driver be asked for the state of a QP that ends?
 * @qp: QP, its caller holds it
 * @max: QPs of a device that are asked in a second; 0: this one cannot be
 * @seen: set to the state that the driver has reported to somebody, -1: none
 *
 * Context: process.
 *
 * Return: false if it cannot have failed by itself, or its state is known, or it must not be
 * asked: that was counted for who pays for it.
 */
bool rdmaev_qp_may_ask(const struct ib_qp *qp, u32 max, int *seen)
{
	struct rdmaev_dev *dev;
	unsigned long flags;
	bool may_ask;
	u32 payer;

	if (!qp_is_to_ask(qp, seen))
		return false;
	payer = qp_payer(qp);
	rcu_read_lock();
	dev = rdmaev_device_of(qp->device);
	raw_spin_lock_irqsave(&qp_ask_lock, flags);
	may_ask = dev ? qp_device_may_ask(dev, payer, max) : rdmaev_payer_may_ask(payer, 0);
	raw_spin_unlock_irqrestore(&qp_ask_lock, flags);
	rcu_read_unlock();
	return may_ask;
}
EXPORT_SYMBOL_GPL(rdmaev_qp_may_ask);

/** rdmaev_qp_not_asked - after rdmaev_qp_may_ask(): the driver did not answer */
void rdmaev_qp_not_asked(const struct ib_qp *qp)
{
	rdmaev_payer_may_ask(qp_payer(qp), 0);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_not_asked);

/* Record that the QP had failed. Called under RCU. Returns seq of the record. */
static u64 qp_record_failed(struct rdmaev_dev *dev, struct rdmaev_record rec, u32 payer)
{
	unsigned int ring = rec.ring;	/* of the process */

	rdmaev_record_set_code(&rec, RDMAEV_QP_FAILED);
	rec.ring = ring;
	return rdmaev_record(dev, &rec, payer);
}

/*
 * Record the end of a QP before the driver disconnects it: what others see of that follows.
 * @state: in which it was found, -1: unknown. Not inline: the record needs much of the
 * stack.
 */
static noinline void qp_record_end(const struct ib_qp *qp, int state, bool is_exit)
{
	bool has_failed = state == IB_QPS_SQE || state == IB_QPS_ERR;
	struct qp_before before = {};
	struct rdmaev_record rec;
	struct rdmaev_dev *dev;
	u64 failed = 0;
	u32 payer;

	if (!qp_get_known(qp, &before, true))
		return;
	if (has_failed)
		before.info.qp_state = state;
	rcu_read_lock();
	dev = rdmaev_device_of(qp->device);
	payer = rdmaev_qp_record_begin(&rec, RDMAEV_QP_DESTROY, dev, qp, &before, "");
	if (has_failed)
		failed = qp_record_failed(dev, rec, payer);
	if (is_exit) {
		rec.body.qp.signal = current->signal->group_exit_code & 0x7f;
		if (rec.body.qp.signal)
			rec.severity = RDMAEV_SEVERITY_WARNING;
		if (rec.body.qp.signal == SIGKILL && tsk_is_oom_victim(current))
			rec.body.qp.flags |= RDMAEV_QP_FLAG_OUT_OF_MEMORY;
		rec.cause = failed;
		rdmaev_record(dev, &rec, payer);
	}
	rcu_read_unlock();
}

/**
 * rdmaev_qp_end_begin - report that the driver is about to be asked to destroy a QP
 * @end: filled in
 * @qp: QP, its caller holds it
 * @state: state that the driver has reported, -1: unknown
 *
 * Context: any but NMI, in the thread that destroys it.
 */
void rdmaev_qp_end_begin(struct rdmaev_qp_end *end, const struct ib_qp *qp, int state)
{
	bool is_exit = in_task() && current->flags & PF_EXITING;

	if (is_exit || state == IB_QPS_SQE || state == IB_QPS_ERR)
		qp_record_end(qp, state, is_exit);
	memset(&end->flush, 0, sizeof(end->flush));
	end->payer = rdmaev_cause_flush_begin(&end->flush, qp);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_end_begin);

static noinline void qp_record_refused(const struct ib_qp *qp, int result)
{
	struct qp_before before = {};
	struct rdmaev_record rec;
	struct rdmaev_dev *dev;
	u32 payer;

	qp_get_known(qp, &before, false);
	rcu_read_lock();
	dev = rdmaev_device_of(qp->device);
	payer = rdmaev_qp_record_begin(&rec, RDMAEV_QP_DESTROY, dev, qp, &before, "");
	rec.severity = RDMAEV_SEVERITY_WARNING;
	rec.body.qp.result = result;
	rdmaev_record(dev, &rec, payer);
	rcu_read_unlock();
}

/**
 * rdmaev_qp_end - report what the driver has answered
 * @end: of rdmaev_qp_end_begin()
 * @qp: QP, which exists only if the driver has refused
 * @result: 0 or -errno
 *
 * Context: any but NMI, in the thread that asked.
 */
void rdmaev_qp_end(const struct rdmaev_qp_end *end, const struct ib_qp *qp, int result)
{
	if (result)
		qp_record_refused(qp, result);
	else
		rdmaev_cause_flush(&end->flush, end->payer);
}
EXPORT_SYMBOL_GPL(rdmaev_qp_end);

static const u16 create_codes[] = {
	[RDMAEV_OBJECT_QP] = RDMAEV_QP_CREATE,
	[RDMAEV_OBJECT_CQ] = RDMAEV_QP_CREATE_CQ,
	[RDMAEV_OBJECT_SRQ] = RDMAEV_QP_CREATE_SRQ,
};

/* The owner of an object that was not made is who asked. Returns who pays. */
static u32 create_set_owner(struct rdmaev_record *rec)
{
	struct rdmaev_owner owner;

	rec->ring = RDMAEV_RING_USER;
	if (current->flags & PF_KTHREAD)
		return RDMAEV_PAYER_UNKNOWN;
	rdmaev_owner_init(&owner, current);
	return rdmaev_record_set_owner(rec, &owner, NULL);
}

static void create_record(struct rdmaev_record *rec, const struct ib_device *ib, u32 payer,
			  int result)
{
	struct rdmaev_dev *dev;

	rec->device = ib->index;
	rec->body.qp.result = result;
	rdmaev_qp_record_caller(rec, "");
	rcu_read_lock();
	dev = rdmaev_device_of(ib);
	rec->generation = dev ? dev->generation : 0;
	rdmaev_record(dev, rec, payer);
	rcu_read_unlock();
}

/**
 * rdmaev_create_failed - report that a driver could not make an object
 * @ib: device
 * @type: QP, CQ or SRQ
 * @qp_type: type of a QP, else -1
 * @ulp: name of the ULP of an object of the kernel, empty: unknown; NULL: the object would
 *	be one of the process whose thread this is
 * @result: -errno
 *
 * Context: process, in the thread that asked.
 */
void rdmaev_create_failed(const struct ib_device *ib, enum rdmaev_object_type type,
			  int qp_type, const char *ulp, int result)
{
	u32 payer = RDMAEV_PAYER_UNKNOWN;
	struct rdmaev_record rec = {};

	rdmaev_record_begin(&rec, RDMAEV_KIND_QP, RDMAEV_SOURCE_OBSERVER);
	rdmaev_record_set_code(&rec, create_codes[type]);
	if (qp_type >= 0 && qp_type <= U8_MAX) {
		rec.body.info.qp_type = qp_type;
		rec.body.info.known = RDMAEV_KNOWN_QP_TYPE;
	}
	if (ulp)
		strscpy(rec.body.info.owner, ulp, sizeof(rec.body.info.owner));
	else
		payer = create_set_owner(&rec);
	create_record(&rec, ib, payer, result);
}
EXPORT_SYMBOL_GPL(rdmaev_create_failed);

/**
 * rdmaev_create_refused - report that a process may not make an object
 * @ib: device
 * @code: RDMAEV_QP_CREATE_OBJECT or _CREATE_CONTEXT
 * @result: -errno
 *
 * Context: any but NMI, in the thread that asked.
 */
void rdmaev_create_refused(const struct ib_device *ib, unsigned int code, int result)
{
	struct rdmaev_record rec = {};

	rdmaev_record_begin(&rec, RDMAEV_KIND_QP, RDMAEV_SOURCE_OBSERVER);
	rdmaev_record_set_code(&rec, code);
	create_record(&rec, ib, create_set_owner(&rec), result);
}
EXPORT_SYMBOL_GPL(rdmaev_create_refused);
