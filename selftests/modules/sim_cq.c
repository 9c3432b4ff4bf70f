// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulated HCAs: completion queues. The completion handler is called with the
 * lock of the CQ held and interrupts off, as in soft RoCE since Linux 6.2:
 * arming or polling the CQ there hangs. All locks are raw: on PREEMPT_RT, too,
 * messages arrive in hard interrupt.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "files.h"
#include "sim.h"

struct sim_cq {
	struct ib_cq ib;
	struct sim_object object;
	raw_spinlock_t lock;		/* protects the following members */
	struct ib_wc *ring;
	unsigned int oldest;		/* index in the ring */
	unsigned int used;
	enum ib_cq_notify_flags armed;	/* IB_CQ_SOLICITED, _NEXT_COMP, 0 */
	bool muted;
};

static struct sim_cq *to_cq(struct ib_cq *ib)
{
	return container_of(ib, struct sim_cq, ib);
}

static int sim_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			 cq_udata_t *udata)
{
	struct sim_cq *cq = to_cq(ibcq);

	int ret = sim_fault(ibcq->device, SIM_CREATE_CQ);

	if (ret)
		return ret;
	if (!attr->cqe || attr->cqe > SIM_MAX_CQE)
		return -EINVAL;
	cq->ring = kvmalloc_array(attr->cqe, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	ibcq->cqe = attr->cqe;
	raw_spin_lock_init(&cq->lock);
	cq->object.cq = ibcq;
	sim_publish(to_sim(ibcq->device), &cq->object, OBJECT_CQ);
	return 0;
}

/* The core does not destroy a CQ that has QPs. */
static int sim_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct sim_cq *cq = to_cq(ibcq);

	sim_fault(ibcq->device, SIM_DESTROY_CQ);
	sim_retract(to_sim(ibcq->device), &cq->object);
	/*
	 * The core's softirq releases a CQ before it arms it for the last time,
	 * and does not wait for that when the CQ is freed (irq_poll_complete()
	 * in ib_poll_handler(), irq_poll_disable() in ib_free_cq()). A softirq
	 * is an RCU reader.
	 */
	if (ibcq->poll_ctx == IB_POLL_SOFTIRQ)
		synchronize_rcu();
	kvfree(cq->ring);
	return 0;
}

static int sim_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct sim_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int i = sim_fault(ibcq->device, SIM_POLL_CQ);

	if (i)
		return i;
	raw_spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < n && cq->used; i++) {
		wc[i] = cq->ring[cq->oldest];
		if (++cq->oldest == ibcq->cqe)
			cq->oldest = 0;
		cq->used--;
	}
	raw_spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

static int sim_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags how)
{
	struct sim_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int missed = sim_fault(ibcq->device, SIM_REQ_NOTIFY);

	if (missed)
		return missed;
	raw_spin_lock_irqsave(&cq->lock, flags);
	/* The next completion has precedence, in either order. */
	cq->armed = max(cq->armed, how & IB_CQ_SOLICITED_MASK);
	missed = how & IB_CQ_REPORT_MISSED_EVENTS && cq->used;
	raw_spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

static void report_overrun(struct ib_cq *ibcq)
{
	struct ib_event event = {
		.device = ibcq->device,
		.element.cq = ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	if (ibcq->event_handler)
		ibcq->event_handler(&event, ibcq->cq_context);
}

/* Of a QP of the CQ, so both exist. Any context but NMI. */
void sim_cq_add(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited)
{
	struct sim_cq *cq = to_cq(ibcq);
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&cq->lock, flags);
	if (cq->used == ibcq->cqe) {
		raw_spin_unlock_irqrestore(&cq->lock, flags);
		report_overrun(ibcq);
		return;
	}
	i = cq->oldest + cq->used++;
	cq->ring[i < ibcq->cqe ? i : i - ibcq->cqe] = *wc;
	if (cq->armed == IB_CQ_NEXT_COMP ||
	    (cq->armed == IB_CQ_SOLICITED && solicited)) {
		cq->armed = 0;
		if (!cq->muted)
			ibcq->comp_handler(ibcq, ibcq->cq_context);
	}
	raw_spin_unlock_irqrestore(&cq->lock, flags);
}

const struct ib_device_ops sim_cq_ops = {
	.create_cq = sim_create_cq,
	.destroy_cq = sim_destroy_cq,
	.poll_cq = sim_poll_cq,
	.req_notify_cq = sim_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_cq, sim_cq, ib),
};

static int mute(struct sim_dev *sim, u32 number, bool muted)
{
	struct sim_object *obj;
	struct sim_cq *cq;

	down_read(&sim->objects_lock);
	obj = sim_find_object(sim, OBJECT_CQ, number);
	if (obj) {
		cq = to_cq(obj->cq);
		raw_spin_lock_irq(&cq->lock);
		cq->muted = muted;
		raw_spin_unlock_irq(&cq->lock);
	}
	up_read(&sim->objects_lock);
	return obj ? 0 : -ENOENT;
}

static int mute_write(void *data, const char *text)
{
	unsigned int number, muted;

	if (sscanf(text, "%u %u", &number, &muted) != 2 || muted > 1)
		return -EINVAL;
	return mute(data, number, muted);
}
DEFINE_WRITE_ATTRIBUTE(mute);

/* After the device has its directory */
void sim_cq_files(struct sim_dev *sim)
{
	debugfs_create_file("mute", 0200, sim->dir, sim, &mute_fops);
	debugfs_create_u32("driver", 0600, sim->dir,
			   (u32 *)&sim->ib.ops.driver_id);
}
