/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev for kernel ULPs: records the events of your QPs, CQs, SRQs and WQs and your
 * failed completions under your name, and counts what your CQs do.
 *
 * Events
 *
 * rdmaev receives device and port events itself. Those of an object go to the
 * object's own handler only, so its ULP reports them from there:
 *
 *	static struct rdmaev_ulp my_ulp = RDMAEV_ULP_INIT("my_ulp");
 *
 *	static void my_qp_event(struct ib_event *event, void *context)
 *	{
 *		rdmaev_report(&my_ulp, event);
 *		...
 *	}
 *
 *	rdmaev_ulp_register(&my_ulp);
 *
 * What happened to an object is remembered by device and number, so that a record can
 * name its cause: an error of a CQ or SRQ for 5 seconds, a failure of a QP for a
 * minute. Call rdmaev_qp_flushed() before a QP is destroyed, and after it was reset,
 * or a later QP of the same number may get the cause of the earlier one.
 *
 * Completions
 *
 * There are two sorts of CQs. QPs get the cq of what is returned.
 *
 *  - rdmaev_create_cq() instead of ib_create_cq(): the ULP arms and polls by
 *    rdmaev_req_notify_cq() and rdmaev_poll_cq(). Its two handlers are called as
 *    before, with its own context, which is in cq_context, too.
 *  - rdmaev_attach_cq(), for a CQ of ib_alloc_cq() or ib_cq_pool_get(): the ULP
 *    passes on the completions that it gets, by rdmaev_count_wc() in each done(), or
 *    by rdmaev_count_poll() where it polls itself (IB_POLL_DIRECT). Polls, arms and
 *    notifications of such a CQ are not counted.
 *
 * The QP of a failed completion
 *
 * wc->qp is the address of a QP, and nothing says whether that QP still exists: some
 * drivers leave completions of a destroyed QP in the CQ, and a QP can be destroyed
 * between the poll and the look at it. So rdmaev reads it only where the ULP has promised
 * that it may: RDMAEV_CQ_NAME_QP. The promise is the one that ib_drain_qp() exists
 * for. A QP is not destroyed before all of its requests were polled, and the calls
 * of rdmaev_poll_cq(), rdmaev_count_wc() and rdmaev_count_poll() with their completions
 * have returned. Then failures are recorded for each QP, with its number, port, CQs and
 * SRQ. Without the promise they are recorded for the CQ: its first failure, and how many
 * requests were flushed after it. All other counters are the same.
 *
 * A failed completion of a CQ that no QP uses any more breaks the promise. The kernel
 * log says so once, and it is recorded for the CQ. A promise broken in another way
 * cannot be detected, and makes rdmaev read freed memory.
 *
 * Drain requests
 *
 * A completion is counted where the ULP gets it, and so are the two of ib_drain_qp().
 * In a CQ of ib_alloc_cq() it does not get them: the core polls them and calls its own
 * done(). From a CQ of rdmaev_create_cq() the ULP polls them, as any flushed request, and
 * has to call done() of their wr_cqe, or ib_drain_qp() does not return. The core asks for
 * a CQ of ib_alloc_cq() for ib_drain_qp(); a ULP with a CQ of its own, whose
 * accounts are to be about its own requests alone, waits for its own last completions.
 *
 * Stalls
 *
 * A CQ of rdmaev_create_cq() that was notified and has not been polled since, for the
 * module parameter stall_ms, is recorded as stalled. rdmaev never arms or polls a CQ
 * of its own accord.
 *
 * Order
 *
 * Register the ULP, create CQs, create QPs on them; destroy the QPs, destroy the CQs,
 * unregister the ULP.
 *
 * Building
 *
 * Where CONFIG_INFINIBAND_RDMAEV is set, the functions are those of the module, and
 * the ULP is loaded after it. Otherwise they are inline, do nothing but call the verbs
 * that they stand for, and the ULP is compiled without a change.
 *
 * `make modules_install` puts this header, the ABI header and Module.symvers into
 * /usr/src/rdmaev/KERNELRELEASE. The Kbuild of a ULP outside of the kernel's tree:
 *
 *	rdmaev := /usr/src/rdmaev/$(KERNELRELEASE)
 *	ccflags-y += -I$(rdmaev)/include -DCONFIG_INFINIBAND_RDMAEV_MODULE=1
 *	KBUILD_EXTRA_SYMBOLS += $(rdmaev)/Module.symvers
 */
#ifndef _RDMA_RDMAEV_ULP_H
#define _RDMA_RDMAEV_ULP_H

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kconfig.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_ulp - a ULP, as records name it
 * @name: NUL-terminated, not empty; any bytes, readers make them safe to show.
 *	Constant while registered, and as long as there are CQs of it
 *
 * Belongs to the ULP; made by RDMAEV_ULP_INIT(), or zero but for the name. Stays
 * as long as rdmaev_report() may be called with it, and as long as there are CQs of it.
 */
struct rdmaev_ulp {
	char name[RDMAEV_SOURCE_NAME_SIZE];
	/* private: */
	unsigned int registered;
};

/* Initializer of a struct rdmaev_ulp. The name is a string of at most 23 bytes. */
#define RDMAEV_ULP_INIT(its_name)	{ .name = its_name }

/* flags of rdmaev_create_cq() and rdmaev_attach_cq() */
#define RDMAEV_CQ_PUBLIC_WR_ID	BIT(0)	/* wr_id is no address: show it */
#define RDMAEV_CQ_NAME_QP	BIT(1)	/* wc->qp may be read, see above */

/**
 * struct rdmaev_cq - a CQ whose work is counted
 * @cq: the CQ
 *
 * Belongs to rdmaev. Freed by rdmaev_destroy_cq() or rdmaev_detach_cq().
 */
struct rdmaev_cq {
	struct ib_cq *cq;
	/* private: */
	unsigned int kind;
};

/* private: rdmaev_cq.kind */
enum {
	RDMAEV_CQ_KIND_CREATED,
	RDMAEV_CQ_KIND_ATTACHED,
};

#if IS_REACHABLE(CONFIG_INFINIBAND_RDMAEV)

/**
 * rdmaev_ulp_register - start to record events and failures of a ULP
 * @ulp: never registered, or unregistered again. One call at a time for it
 *
 * A ULP may go on if this fails: nothing of it is recorded, and everything else
 * works as it does otherwise.
 *
 * Context: process, may sleep. The first ULP has a table allocated (3.7 MB).
 *
 * Return: 0; -EINVAL if the name is empty or has no NUL at its end, -EBUSY if
 * it is registered, -ENOMEM.
 */
int rdmaev_ulp_register(struct rdmaev_ulp *ulp);

/**
 * rdmaev_ulp_unregister - stop to record events and failures of a ULP
 * @ulp: the ULP; one that is not registered is left alone
 *
 * A fence for rdmaev_report(): when this returns, no event of the ULP is being
 * recorded. Its CQs go on to be counted, and their handlers to be called. Requests
 * that were flushed before are recorded a second later at most; repeats of an event
 * when their burst ends.
 *
 * Context: process, may sleep; one call at a time. Waits for a grace period of RCU.
 */
void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp);

/**
 * rdmaev_report - record an event of a QP, CQ, SRQ or WQ
 * @ulp: ULP in whose handler this is called
 * @event: event, as the handler got it
 *
 * The type of the event says what its element is, as the verbs define it: pass on what
 * the driver gave. One that does not look like that, and the element of an event that
 * rdmaev does not know, is recorded as unknown. Nothing is recorded for a
 * ULP that is not registered, nor of events of a device or port, which rdmaev has
 * from the device itself. Calls no driver, takes only raw locks, does not sleep.
 *
 * Context: any but NMI, with any lock held. The object of the event exists until it
 * returns, as it does during its handler.
 */
void rdmaev_report(struct rdmaev_ulp *ulp, const struct ib_event *event);

/**
 * rdmaev_create_cq - create a CQ by ib_create_cq(), and count what it does
 * @ulp: the ULP, registered or not
 * @device: device
 * @comp_handler: the ULP's completion handler, or NULL
 * @event_handler: the ULP's handler of events of the CQ, or NULL. rdmaev has recorded
 *	them when it is called: rdmaev_report() would do it once more
 * @context: what both handlers are called with, and cq_context of the CQ
 * @attr: as of ib_create_cq()
 * @flags: RDMAEV_CQ_PUBLIC_WR_ID: the wr_id of requests may be shown to
 *	administrators; RDMAEV_CQ_NAME_QP: see above; or 0
 *
 * Failures and stalls are recorded while the ULP is registered; counted always.
 *
 * Context: process, may sleep.
 *
 * Return: the CQ for rdmaev_destroy_cq(), or ERR_PTR: those of ib_create_cq(), -ENOMEM,
 * -EINVAL for unknown flags or a name without NUL.
 */
struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags);

/**
 * rdmaev_destroy_cq - destroy a CQ
 * @rcq: of rdmaev_create_cq(), no longer in use: its QPs are destroyed, and nobody
 *	polls or arms it
 *
 * A fence: when it returns, no handler of the CQ runs, and none will be called. What
 * was flushed is recorded.
 *
 * Context: process, may sleep. Not from these handlers, nor with a lock held that they
 * take.
 */
void rdmaev_destroy_cq(struct rdmaev_cq *rcq);

/**
 * rdmaev_attach_cq - count completions of a CQ of the core
 * @ulp: the ULP, registered or not
 * @cq: of ib_alloc_cq() or ib_cq_pool_get()
 * @flags: as of rdmaev_create_cq(); requests with a &struct ib_cqe have an address
 *
 * Context: process, may sleep.
 *
 * Return: for rdmaev_count_wc() and the like until rdmaev_detach_cq(), or ERR_PTR:
 * -EBUSY if it is attached or of rdmaev_create_cq(): a CQ of the pool may be shared
 * with a ULP that attached it first, and one that attaches it later does without;
 * -ENOMEM, -EINVAL as of rdmaev_create_cq().
 */
struct rdmaev_cq *rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq,
				   unsigned int flags);

/**
 * rdmaev_detach_cq - count completions of a CQ of the core no longer
 * @rcq: of rdmaev_attach_cq(); the CQ still exists, and no call for it runs
 *
 * What was flushed is recorded.
 *
 * Context: process, may sleep.
 */
void rdmaev_detach_cq(struct rdmaev_cq *rcq);

/**
 * rdmaev_req_notify_cq - arm a CQ by ib_req_notify_cq(), and count it
 * @rcq: of rdmaev_create_cq()
 * @flags: as of ib_req_notify_cq()
 *
 * Context: as ib_req_notify_cq() of the driver: any, but not in the completion
 * handler.
 *
 * Return: as ib_req_notify_cq(): < 0 failed; > 0 only with
 * IB_CQ_REPORT_MISSED_EVENTS: there may be completions, so poll again; else 0.
 */
int rdmaev_req_notify_cq(struct rdmaev_cq *rcq, enum ib_cq_notify_flags flags);

/**
 * rdmaev_poll_cq - poll a CQ by ib_poll_cq(), and count what was found
 * @rcq: of rdmaev_create_cq()
 * @num_entries: room in @wc
 * @wc: completions
 *
 * Context: as ib_poll_cq() of the driver: any, but not in the completion handler.
 *
 * Return: as ib_poll_cq(): how many completions; < 0 if it failed, which counts as
 * a poll that found nothing.
 */
int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries, struct ib_wc *wc);

/**
 * rdmaev_set_cq_moderation - rdma_set_cq_moderation(), shown with the CQ
 * @rcq: of rdmaev_create_cq()
 * @count: completions per notification
 * @period: microseconds after which one comes at the latest
 *
 * Context: process, may sleep.
 *
 * Return: as rdma_set_cq_moderation(); -EOPNOTSUPP for one that is attached.
 */
int rdmaev_set_cq_moderation(struct rdmaev_cq *rcq, u16 count, u16 period);

/**
 * rdmaev_count_wc - count a completion that the core has polled
 * @rcq: of rdmaev_attach_cq()
 * @wc: what done() was called with
 *
 * Context: any but NMI.
 */
void rdmaev_count_wc(struct rdmaev_cq *rcq, const struct ib_wc *wc);

/**
 * rdmaev_count_poll - count a poll, and what it found
 * @rcq: of rdmaev_attach_cq()
 * @wc: completions
 * @n: what ib_poll_cq() returned: how many; < 0, a poll that failed, counts as one
 *	that found nothing
 *
 * For each completion either this or rdmaev_count_wc().
 *
 * Context: any but NMI.
 */
void rdmaev_count_poll(struct rdmaev_cq *rcq, const struct ib_wc *wc, int n);

/**
 * rdmaev_qp_flushed - forget why a QP failed
 * @qp: QP, which exists, all failed completions of which were polled: before it is
 *	destroyed, or after it was reset
 *
 * What was flushed is recorded now; without this call a second later. Errors of its
 * CQs and SRQ so far are no cause of what happens to a QP of its number later.
 *
 * Context: any but NMI.
 */
void rdmaev_qp_flushed(const struct ib_qp *qp);

#else

static inline int rdmaev_ulp_register(struct rdmaev_ulp *ulp)
{
	return 0;
}

static inline void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp)
{
}

static inline void rdmaev_report(struct rdmaev_ulp *ulp,
				 const struct ib_event *event)
{
}

/* private: */
static inline struct rdmaev_cq *rdmaev_wrap_cq(struct ib_cq *cq,
					       unsigned int kind)
{
	struct rdmaev_cq *rcq;

	if (IS_ERR(cq))
		return ERR_CAST(cq);
	rcq = kzalloc(sizeof(*rcq), GFP_KERNEL);
	if (rcq) {
		rcq->cq = cq;
		rcq->kind = kind;
		return rcq;
	}
	return ERR_PTR(-ENOMEM);
}

static inline struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags)
{
	struct ib_cq *cq = __ib_create_cq(device, comp_handler, event_handler,
					  context, attr, ulp->name);
	struct rdmaev_cq *rcq = rdmaev_wrap_cq(cq, RDMAEV_CQ_KIND_CREATED);

	if (IS_ERR(rcq) && !IS_ERR(cq))
		ib_destroy_cq(cq);
	return rcq;
}

static inline void rdmaev_destroy_cq(struct rdmaev_cq *rcq)
{
	ib_destroy_cq(rcq->cq);
	kfree(rcq);
}

static inline struct rdmaev_cq *
rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq, unsigned int flags)
{
	return rdmaev_wrap_cq(cq, RDMAEV_CQ_KIND_ATTACHED);
}

static inline void rdmaev_detach_cq(struct rdmaev_cq *rcq)
{
	kfree(rcq);
}

static inline int rdmaev_req_notify_cq(struct rdmaev_cq *rcq,
				       enum ib_cq_notify_flags flags)
{
	return ib_req_notify_cq(rcq->cq, flags);
}

static inline int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries,
				 struct ib_wc *wc)
{
	return ib_poll_cq(rcq->cq, num_entries, wc);
}

static inline int rdmaev_set_cq_moderation(struct rdmaev_cq *rcq, u16 count,
					   u16 period)
{
	return rcq->kind == RDMAEV_CQ_KIND_ATTACHED ? -EOPNOTSUPP :
				rdma_set_cq_moderation(rcq->cq, count, period);
}

static inline void rdmaev_count_wc(struct rdmaev_cq *rcq,
				   const struct ib_wc *wc)
{
}

static inline void rdmaev_count_poll(struct rdmaev_cq *rcq,
				     const struct ib_wc *wc, int n)
{
}

static inline void rdmaev_qp_flushed(const struct ib_qp *qp)
{
}

#endif /* CONFIG_INFINIBAND_RDMAEV */

#endif /* _RDMA_RDMAEV_ULP_H */
