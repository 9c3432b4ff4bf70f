// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of kernel ULPs: what ULPs and drivers call. What ULPs need to know stands
 * in <rdma/rdmaev.h>.
 *
 * Who polls successful completions takes no lock, and writes to memory of the
 * CPU only.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cq.h"

/*
 * By enum ib_wc_opcode, which needs no more than a byte. What is not listed is
 * RDMAEV_WC_OTHER, which is 0.
 */
static const u8 opcodes[U8_MAX + 1] = {
	[IB_WC_SEND] = RDMAEV_WC_SEND,
	[IB_WC_RDMA_WRITE] = RDMAEV_WC_WRITE,
	[IB_WC_RDMA_READ] = RDMAEV_WC_READ,
	[IB_WC_COMP_SWAP] = RDMAEV_WC_ATOMIC,
	[IB_WC_FETCH_ADD] = RDMAEV_WC_ATOMIC,
	[IB_WC_BIND_MW] = RDMAEV_WC_MEMORY,
	[IB_WC_LOCAL_INV] = RDMAEV_WC_MEMORY,
	[IB_WC_LSO] = RDMAEV_WC_SEND,
	[IB_WC_REG_MR] = RDMAEV_WC_MEMORY,
	[IB_WC_MASKED_COMP_SWAP] = RDMAEV_WC_ATOMIC,
	[IB_WC_MASKED_FETCH_ADD] = RDMAEV_WC_ATOMIC,
	[IB_WC_RECV] = RDMAEV_WC_RECV,
	[IB_WC_RECV_RDMA_WITH_IMM] = RDMAEV_WC_RECV_IMM,
};

/** rdmaev_wc_opcode - &enum rdmaev_wc_opcode of a completion */
unsigned int rdmaev_wc_opcode(const struct ib_wc *wc)
{
	return opcodes[(u8)wc->opcode];
}

/* At most 15 instructions for a success, with its share of a poll of 16. */
static __always_inline void count_wc(struct rdmaev_cq_state *cq,
				     struct rdmaev_cq_counts __percpu *counts,
				     const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		this_cpu_inc(counts->completions[opcodes[(u8)wc->opcode]]);
	else
		rdmaev_wc_failed(cq, wc);
}

static void note_batch(struct rdmaev_cq_state *cq, int n)
{
	int largest = READ_ONCE(cq->largest_batch);

	while (n > largest) {
		int before = cmpxchg(&cq->largest_batch, largest, n);

		if (before == largest)
			break;
		largest = before;
	}
}

static __always_inline void count_poll(struct rdmaev_cq_state *cq,
				       const struct ib_wc *wc, int n)
{
	struct rdmaev_cq_counts __percpu *counts = cq->counts;
	int i;

	this_cpu_inc(counts->polls);
	this_cpu_write(counts->last, jiffies);
	if (unlikely(n > READ_ONCE(cq->largest_batch)))
		note_batch(cq, n);
	for (i = 0; i < n; i++)
		count_wc(cq, counts, &wc[i]);
}

/*
 * What happened before a poll is over with it. Cleared before the CQ is polled: a
 * notification that comes meanwhile may tell of what is not found any more.
 * Returns true for the first poll after a notification.
 */
static bool attend(struct rdmaev_cq_state *cq)
{
	bool notified;

	notified = test_and_clear_bit(RDMAEV_ATTENTION_NOTIFIED,
				      &cq->attention);
	if (test_bit(RDMAEV_ATTENTION_STALLED, &cq->attention))
		rdmaev_stall_over(cq);
	if (notified)
		atomic_set(&cq->unfollowed, 0);
	return notified;
}

/**
 * rdmaev_poll_cq - ib_poll_cq(), accounted for
 * @rcq: of rdmaev_create_cq()
 * @num_entries: room in @wc
 * @wc: completions
 *
 * The QPs of unsuccessful completions must still be there.
 *
 * Context: as ib_poll_cq() of the driver: any, but not in the completion handler.
 *
 * Return: as ib_poll_cq().
 */
int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries, struct ib_wc *wc)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	bool notified = unlikely(READ_ONCE(cq->attention)) && attend(cq);
	int n = ib_poll_cq(rcq->cq, num_entries, wc);

	count_poll(cq, wc, n);
	if (unlikely(notified) && !n)
		this_cpu_inc(cq->counts->empty_polls);
	return n;
}
EXPORT_SYMBOL_GPL(rdmaev_poll_cq);

/**
 * rdmaev_count_wc - account for a completion that the core has polled
 * @rcq: of rdmaev_attach_cq()
 * @wc: what done() was called with
 *
 * The QP of an unsuccessful completion must still be there.
 *
 * Context: any but NMI.
 */
void rdmaev_count_wc(struct rdmaev_cq *rcq, const struct ib_wc *wc)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	struct rdmaev_cq_counts __percpu *counts = cq->counts;

	/* The same as count_wc(), but shorter. */
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		rdmaev_wc_failed(cq, wc);
		return;
	}
	this_cpu_inc(counts->completions[opcodes[(u8)wc->opcode]]);
	this_cpu_write(counts->last, jiffies);
}
EXPORT_SYMBOL_GPL(rdmaev_count_wc);

/**
 * rdmaev_count_poll - account for a poll, and what it found
 * @rcq: of rdmaev_attach_cq()
 * @wc: completions
 * @n: how many; what ib_poll_cq() returned
 *
 * For each completion either this or rdmaev_count_wc(). Otherwise as that.
 */
void rdmaev_count_poll(struct rdmaev_cq *rcq, const struct ib_wc *wc, int n)
{
	count_poll(rdmaev_to_state(rcq), wc, n);
}
EXPORT_SYMBOL_GPL(rdmaev_count_poll);

/**
 * rdmaev_req_notify_cq - ib_req_notify_cq(), accounted for
 * @rcq: of rdmaev_create_cq()
 * @flags: as of ib_req_notify_cq()
 *
 * A CQ that is armed for the next completion stays so when it is armed for
 * solicited ones, with drivers that would forget it, too. While the notification is
 * on its way it still counts as armed: it may be notified once more then, but no
 * notification is ever missed.
 *
 * Context: as ib_req_notify_cq() of the driver: any, but not in the completion
 * handler.
 *
 * Return: as ib_req_notify_cq().
 */
int rdmaev_req_notify_cq(struct rdmaev_cq *rcq, enum ib_cq_notify_flags flags)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	const int next = (flags & ~IB_CQ_SOLICITED_MASK) | IB_CQ_NEXT_COMP;
	int ret;

	this_cpu_inc(cq->counts->arms);
	this_cpu_write(cq->counts->last, jiffies);
	/*
	 * Before the driver is asked, as it may notify at once. That of an earlier
	 * request may clear it again: then it is not known that the CQ is armed,
	 * and nobody takes it for stalled without a notification.
	 */
	if (flags & IB_CQ_NEXT_COMP) {
		/* Pairs with smp_mb() below, on another CPU. */
		smp_store_mb(cq->armed, IB_CQ_NEXT_COMP);
		flags = next;
	} else if (cmpxchg(&cq->armed, 0, IB_CQ_SOLICITED) == IB_CQ_NEXT_COMP) {
		flags = next;
	}
	ret = ib_req_notify_cq(rcq->cq, flags);
	/* Somebody may have armed it for the next one before the driver was asked. */
	if (flags != next) {
		smp_mb();	/* pairs with smp_store_mb() above */
		if (READ_ONCE(cq->armed) == IB_CQ_NEXT_COMP)
			ret = ib_req_notify_cq(rcq->cq, next);
	}
	if (ret > 0)
		this_cpu_inc(cq->counts->missed_events);
	else if (ret < 0)
		WRITE_ONCE(cq->armed, 0);
	return ret;
}
EXPORT_SYMBOL_GPL(rdmaev_req_notify_cq);

/**
 * rdmaev_set_cq_moderation - rdma_set_cq_moderation(), kept in mind
 * @rcq: of rdmaev_create_cq() or rdmaev_alloc_cq()
 * @count: completions per notification
 * @period: microseconds after which one comes at the latest
 *
 * Return: as rdma_set_cq_moderation(), -EOPNOTSUPP of one that is attached.
 */
int rdmaev_set_cq_moderation(struct rdmaev_cq *rcq, u16 count, u16 period)
{
	int ret;

	if (rcq->kind == RDMAEV_CQ_KIND_ATTACHED)
		return -EOPNOTSUPP;
	ret = rdma_set_cq_moderation(rcq->cq, count, period);
	if (!ret)
		WRITE_ONCE(rdmaev_to_state(rcq)->moderation,
			   (u32)count << 16 | period);
	return ret;
}
EXPORT_SYMBOL_GPL(rdmaev_set_cq_moderation);

/* What the driver calls ends when the CQ is about to be destroyed. */
static bool begin_handler(struct rdmaev_cq_state *cq)
{
	return refcount_inc_not_zero(&cq->handlers);
}

static void end_handler(struct rdmaev_cq_state *cq)
{
	if (refcount_dec_and_test(&cq->handlers))
		complete(&cq->handlers_gone);
}

/* In any context, with the driver's lock of the CQ held: it calls no verb. */
static void notified(struct ib_cq *ib_cq, void *context)
{
	struct rdmaev_cq_state *cq = context;

	if (!begin_handler(cq))
		return;
	this_cpu_inc(cq->counts->notifications);
	this_cpu_write(cq->counts->last, jiffies);
	WRITE_ONCE(cq->armed, 0);
	atomic_inc(&cq->unfollowed);
	set_bit(RDMAEV_ATTENTION_NOTIFIED, &cq->attention);
	if (unlikely(READ_ONCE(cq->notify.every)))
		rdmaev_notify_count(cq);
	if (cq->pub.kind == RDMAEV_CQ_KIND_MANAGED)
		rdmaev_manage_notified(cq);
	else if (cq->comp_handler)
		cq->comp_handler(ib_cq, cq->context);
	end_handler(cq);
}

static void had_event(struct ib_event *event, void *context)
{
	struct rdmaev_cq_state *cq = context;

	if (!begin_handler(cq))
		return;
	rdmaev_event_handler(event, &cq->object);
	end_handler(cq);
}

static struct rdmaev_cq_state *alloc_cq(struct rdmaev_ulp *ulp,
					struct ib_device *ib, unsigned int kind,
					unsigned int flags)
{
	struct rdmaev_cq_state *cq;

	if (flags & ~RDMAEV_CQ_PUBLIC_WR_ID ||
	    strnlen(ulp->name, sizeof(ulp->name)) == sizeof(ulp->name))
		return ERR_PTR(-EINVAL);
	if (rdmaev_wc_prepare())
		return ERR_PTR(-ENOMEM);
	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return ERR_PTR(-ENOMEM);
	/* The ULP is told; no need to have the log full of it. */
	cq->counts = alloc_percpu_gfp(struct rdmaev_cq_counts,
				      GFP_KERNEL | __GFP_NOWARN);
	if (!cq->counts) {
		kfree(cq);
		return ERR_PTR(-ENOMEM);
	}
	cq->pub.kind = kind;
	cq->flags = flags;
	cq->ulp = ulp;
	cq->ib = ib;
	cq->since_ns = ktime_get_boot_fast_ns();
	refcount_set(&cq->handlers, 1);
	init_completion(&cq->handlers_gone);
	INIT_LIST_HEAD(&cq->episodes);
	raw_spin_lock_init(&cq->stall.lock);
	rdmaev_notify_init(cq);
	return cq;
}

static void free_cq(struct rdmaev_cq_state *cq)
{
	rdmaev_manage_free(cq);
	free_percpu(cq->counts);
	kfree_rcu(cq, rcu);
}

/* Nothing is called, counted or read any more when it returns. */
static void stop_cq(struct rdmaev_cq_state *cq)
{
	end_handler(cq);
	wait_for_completion(&cq->handlers_gone);
	if (cq->pub.kind == RDMAEV_CQ_KIND_MANAGED)
		rdmaev_manage_stop(cq);
	rdmaev_wc_forget_cq(cq);
	rdmaev_cqs_remove(cq);
	/* Last, as up to here a reader could have asked for records. */
	rdmaev_notify_end(cq);
}

/* Frees it if it cannot be made. */
static struct rdmaev_cq *
make_cq(struct rdmaev_cq_state *cq,
	void (*event_handler)(struct ib_event *event, void *context),
	void *context, const struct ib_cq_init_attr *attr)
{
	int ret;

	cq->context = context;
	rdmaev_object_init(&cq->object, cq->ulp, RDMAEV_OBJECT_CQ,
			   event_handler, context);
	/* The name is what `rdma resource show cq` has for its owner. */
	cq->pub.cq = __ib_create_cq(cq->ib, notified, had_event, cq, attr,
				    cq->ulp->name);
	ret = PTR_ERR_OR_ZERO(cq->pub.cq);
	if (ret)
		goto err_free;
	/* Or ib_drain_qp() polls it, past the accounts and besides us. */
	if (cq->pub.kind == RDMAEV_CQ_KIND_MANAGED)
		cq->pub.cq->poll_ctx = cq->poll_ctx;
	ret = rdmaev_cqs_add(cq);
	if (ret)
		goto err_destroy;
	return &cq->pub;

err_destroy:
	ib_destroy_cq(cq->pub.cq);
err_free:
	free_cq(cq);
	return ERR_PTR(ret);
}

/**
 * rdmaev_create_cq - ib_create_cq(), accounted for
 * @ulp: the ULP, registered or not; its name is constant as long as the CQ
 *	is there
 * @device: device
 * @comp_handler: the ULP's completion handler, or NULL
 * @event_handler: the ULP's handler of events of the CQ, or NULL. They are
 *	recorded, too
 * @context: what both are called with
 * @attr: as of ib_create_cq()
 * @flags: RDMAEV_CQ_PUBLIC_WR_ID if the wr_id of its requests may be shown to
 *	administrators, as they are no addresses; or 0
 *
 * Failures and the like are recorded while the ULP is registered; counted always.
 *
 * Context: process.
 *
 * Return: the CQ for rdmaev_destroy_cq(), or ERR_PTR: of ib_create_cq(), -ENOMEM,
 * -EINVAL for unknown flags, or a name without NUL.
 */
struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags)
{
	struct rdmaev_cq_state *cq;

	cq = alloc_cq(ulp, device, RDMAEV_CQ_KIND_CREATED, flags);
	if (IS_ERR(cq))
		return ERR_CAST(cq);
	cq->comp_handler = comp_handler;
	return make_cq(cq, event_handler, context, attr);
}
EXPORT_SYMBOL_GPL(rdmaev_create_cq);

/**
 * rdmaev_alloc_cq - ib_alloc_cq(), accounted for, and with an event handler
 * @ulp: as of rdmaev_create_cq()
 * @device: device
 * @event_handler: as of rdmaev_create_cq()
 * @context: what it is called with
 * @attr: as of ib_create_cq()
 * @poll_ctx: IB_POLL_SOFTIRQ or IB_POLL_WORKQUEUE: where the CQ is polled and
 *	done() is called
 *
 * Requests have a &struct ib_cqe for a wr_id, the done() of which is called with
 * the CQ and the completion, for one completion of a CQ at a time. The context in the
 * CQ is not the ULP's. There is no adaptive moderation as with ib_alloc_cq().
 *
 * Context: process.
 *
 * Return: the CQ for rdmaev_destroy_cq(), or ERR_PTR: of ib_create_cq(), -ENOMEM,
 * -EINVAL for another @poll_ctx.
 */
struct rdmaev_cq *
rdmaev_alloc_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		void (*event_handler)(struct ib_event *event, void *context),
		void *context, const struct ib_cq_init_attr *attr,
		enum ib_poll_context poll_ctx)
{
	struct rdmaev_cq_state *cq;
	struct rdmaev_cq *rcq;
	int ret;

	if (poll_ctx != IB_POLL_SOFTIRQ && poll_ctx != IB_POLL_WORKQUEUE)
		return ERR_PTR(-EINVAL);
	cq = alloc_cq(ulp, device, RDMAEV_CQ_KIND_MANAGED, 0);
	if (IS_ERR(cq))
		return ERR_CAST(cq);
	ret = rdmaev_manage_prepare(cq, poll_ctx);
	if (ret) {
		free_cq(cq);
		return ERR_PTR(ret);
	}
	rcq = make_cq(cq, event_handler, context, attr);
	if (!IS_ERR(rcq))
		rdmaev_req_notify_cq(rcq, IB_CQ_NEXT_COMP);
	return rcq;
}
EXPORT_SYMBOL_GPL(rdmaev_alloc_cq);

/**
 * rdmaev_destroy_cq - destroy a CQ
 * @rcq: of rdmaev_create_cq() or rdmaev_alloc_cq(), no longer in use: its QPs are
 *	destroyed, and nobody polls or arms it
 *
 * A fence: when it returns no handler of the ULP and no done() runs that was
 * called for this CQ, and none will be called. What was flushed is recorded.
 *
 * Context: process. Not from these, nor with a lock held that they take.
 */
void rdmaev_destroy_cq(struct rdmaev_cq *rcq)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);

	might_sleep();
	stop_cq(cq);
	/* One that is still in use stays, with the handlers that are called for it. */
	if (WARN_ON_ONCE(ib_destroy_cq_user(rcq->cq, NULL)))
		__module_get(THIS_MODULE);
	else
		free_cq(cq);
}
EXPORT_SYMBOL_GPL(rdmaev_destroy_cq);

/**
 * rdmaev_attach_cq - account for a CQ of the core
 * @ulp: as of rdmaev_create_cq()
 * @cq: of ib_alloc_cq(), or of ib_cq_pool_get(). One of the pool may be shared:
 *	then each of its users attaches and counts what is its own
 * @flags: as of rdmaev_create_cq(); requests with a &struct ib_cqe have an address
 *
 * Context: process.
 *
 * Return: for rdmaev_count_wc() and the like until rdmaev_detach_cq(), or ERR_PTR:
 * -ENOMEM, -EINVAL for unknown flags.
 */
struct rdmaev_cq *rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq,
				   unsigned int flags)
{
	struct rdmaev_cq_state *state;
	int ret;

	state = alloc_cq(ulp, cq->device, RDMAEV_CQ_KIND_ATTACHED, flags);
	if (IS_ERR(state))
		return ERR_CAST(state);
	state->pub.cq = cq;
	ret = rdmaev_cqs_add(state);
	if (ret) {
		free_cq(state);
		return ERR_PTR(ret);
	}
	return &state->pub;
}
EXPORT_SYMBOL_GPL(rdmaev_attach_cq);

/**
 * rdmaev_detach_cq - account no longer for a CQ of the core
 * @rcq: of rdmaev_attach_cq(); the CQ is still there, and no call for it runs
 *
 * What was flushed is recorded.
 *
 * Context: process.
 */
void rdmaev_detach_cq(struct rdmaev_cq *rcq)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);

	might_sleep();
	stop_cq(cq);
	free_cq(cq);
}
EXPORT_SYMBOL_GPL(rdmaev_detach_cq);
