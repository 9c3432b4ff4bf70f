/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev for ULPs: record events of your QPs, CQs, SRQs and WQs and your
 * failed completions under your name, and count completions, polls and
 * notifications of your CQs.
 *
 * Events
 *
 * rdmaev receives device and port events itself. ib_core passes events of
 * an object only to the handler of that object, so its ULP reports them from
 * there:
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
 * To find causes, rdmaev remembers errors of a CQ or SRQ for 5 seconds and the
 * failure of a QP for a minute, by device and number. Call rdmaev_qp_flushed()
 * before destroying a QP and after resetting one; otherwise a later QP with the
 * same number may get the cause of the earlier one.
 *
 * Notes
 *
 * What a ULP would print about a device or connection, rdmaev_note() records,
 * in order with the events that it follows from:
 *
 *	rdmaev_note(&my_ulp, RDMAEV_SEVERITY_ERROR, NULL, 0, queue->qp,
 *		    "%s: keep-alive expired, reconnecting", ctrl->name);
 *
 * Completions
 *
 * There are two ways. Create QPs with the cq of the struct rdmaev_cq.
 *
 *  - rdmaev_create_cq() in place of ib_create_cq(): the ULP polls with
 *    rdmaev_poll_cq(), and arms with ib_req_notify_cq(). Its handlers are called
 *    as usual, with its own context, which is also cq_context.
 *  - rdmaev_attach_cq(), for a CQ of ib_alloc_cq() or ib_cq_pool_get(): each
 *    done() of the ULP calls rdmaev_count_wc(). ib_core calls done() when it
 *    polls the CQ (IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE,
 *    IB_POLL_UNBOUND_WORKQUEUE), and in ib_process_cq_direct(), by which the ULP
 *    polls it (IB_POLL_DIRECT). A ULP that polls an IB_POLL_DIRECT CQ by
 *    ib_poll_cq() calls rdmaev_count_poll() after each poll; ib_drain_qp() still
 *    calls done(). Notifications of an attached CQ are not counted, and polls
 *    only by rdmaev_count_poll().
 *
 * Shared CQs
 *
 * ib_cq_pool_get() may return a CQ that this ULP or another one already uses.
 * Call rdmaev_attach_cq() after each ib_cq_pool_get(), and rdmaev_detach_cq()
 * before the ib_cq_pool_put() that belongs to it, in any order. The attachments
 * of a CQ have the same counters, and lists show the CQ once: under the name of
 * its ULP or, after several ULPs attached it, as of "ib_core". The record of a
 * failed completion has the name of the ULP that counts it.
 *
 * The observer does not count a CQ while it is attached. So completions of a ULP
 * that shares the CQ without attaching it are not counted.
 *
 * The QP of a failed completion
 *
 * wc->qp is the address of a QP that may no longer exist: some drivers leave
 * completions of a destroyed QP in the CQ, and a QP can be destroyed between
 * poll and use. So rdmaev reads wc->qp only if the ULP promises by
 * RDMAEV_CQ_NAME_QP that the QP exists: the ULP does not destroy a QP before
 * all of its requests were polled, as ib_drain_qp() ensures, and
 * rdmaev_poll_cq(), rdmaev_count_wc() and rdmaev_count_poll() have returned
 * with their completions. Then failures are recorded per QP, with its number,
 * port, CQs and SRQ. Without the promise they are recorded per CQ, whichever
 * ULPs share it: the first failure, and the number of requests flushed after
 * it. Counters are the same.
 *
 * A failed completion in a CQ that no QP uses any more breaks the promise. A
 * warning in the kernel log says so once, and the record is about the CQ. A
 * promise broken in another way cannot be detected, and makes rdmaev read freed
 * memory.
 *
 * Drain requests
 *
 * The requests of ib_drain_qp() are not those of the ULP: their completions are
 * not counted and not recorded, in no kind of CQ, whoever polls it. rdmaev
 * knows them by their done(), so a CQ that the ULP polls by rdmaev_poll_cq() or
 * ib_poll_cq() must have RDMAEV_CQ_WR_CQE: each request has a &struct ib_cqe,
 * which exists until rdmaev_poll_cq() or rdmaev_count_poll() has returned with
 * its completion. Without it the ULP itself could not tell them from its own,
 * and must not use ib_drain_qp(), which returns when their done() was called.
 * This needs CONFIG_KALLSYMS; without it they are counted as flushed requests.
 *
 * Stalls
 *
 * A CQ of rdmaev_create_cq() that was notified and has not been polled for
 * stall_ms (a module parameter) since is recorded as stalled. rdmaev itself
 * never arms or polls a CQ.
 *
 * Order
 *
 * Register the ULP, create CQs, create QPs on them; destroy the QPs, destroy
 * the CQs, unregister the ULP.
 *
 * Building
 *
 * With CONFIG_INFINIBAND_RDMAEV the functions are in the module rdmaev, which
 * is loaded before the ULP. Without it they are inline, and only call the verbs
 * that they stand for.
 *
 * `make modules_install` installs this header, the ABI header and
 * Module.symvers in /lib/modules/KERNELRELEASE/rdmaev. Kbuild of an out-of-tree
 * ULP:
 *
 *	rdmaev := /lib/modules/$(KERNELRELEASE)/rdmaev
 *	ccflags-y += -I$(rdmaev)/include -DCONFIG_INFINIBAND_RDMAEV_MODULE=1
 *	KBUILD_EXTRA_SYMBOLS += $(rdmaev)/Module.symvers
 */
#ifndef _RDMA_RDMAEV_ULP_H
#define _RDMA_RDMAEV_ULP_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_ulp - a ULP
 * @name: name in records, NUL-terminated, not empty, printable ASCII without /.
 *	Constant while registered and while the ULP has CQs
 * @module: KBUILD_MODNAME of the ULP, by which ib_core names its PDs, so
 *	that the observer leaves its events to rdmaev_report(). NULL: as @name
 *
 * Belongs to the ULP, which initializes it by RDMAEV_ULP_INIT(), or zeroes it
 * and sets the name. Must exist while rdmaev_report() and rdmaev_note() may be
 * called with it and while the ULP has CQs.
 */
struct rdmaev_ulp {
	char name[RDMAEV_OWNER_SIZE];
	const char *module;
	/* private: */
	u64 state[8] __aligned(8);
};

/* Initializer of a struct rdmaev_ulp. The name is a string of at most 19 bytes */
#define RDMAEV_ULP_INIT(its_name)					\
	{ .name = its_name, .module = KBUILD_MODNAME }

/* flags of rdmaev_create_cq() and rdmaev_attach_cq() */
#define RDMAEV_CQ_PUBLIC_WR_ID	BIT(0)	/* wr_id is no address, record it */
#define RDMAEV_CQ_NAME_QP	BIT(1)	/* wc->qp may be read, see above */
#define RDMAEV_CQ_WR_CQE	BIT(2)	/* wr_cqe may be read, see above */

/**
 * struct rdmaev_cq - a CQ with counters
 * @cq: the CQ
 *
 * Belongs to rdmaev. Freed by rdmaev_destroy_cq() or rdmaev_detach_cq(). Each
 * rdmaev_attach_cq() returns another one.
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
	RDMAEV_CQ_KIND_OBSERVED,
};

#if IS_REACHABLE(CONFIG_INFINIBAND_RDMAEV)

/**
 * rdmaev_ulp_register - start recording events and failures of a ULP
 * @ulp: ULP that is not registered. One call at a time for the same ULP
 *
 * A ULP may continue if this fails: nothing of it is recorded, and all other
 * functions work as usual.
 *
 * Context: process, may sleep. The first call allocates a table (6.6 MB).
 *
 * Return: 0; -EINVAL: the name is empty, not NUL-terminated or not printable, or has
 * a /; -EBUSY: the ULP is registered; -ENOMEM.
 */
int rdmaev_ulp_register(struct rdmaev_ulp *ulp);

/**
 * rdmaev_ulp_unregister - stop recording events and failures of a ULP
 * @ulp: ULP; nothing happens if it is not registered
 *
 * A fence for rdmaev_report() and rdmaev_note(): after it returns, no event and
 * no note of the ULP is being recorded. Counters of its CQs go on, and their
 * handlers are still called.
 * Requests that were flushed before are recorded within a second, repetitions
 * of an event when their burst ends.
 *
 * Context: process, may sleep; one call at a time. Waits for an RCU grace
 * period.
 */
void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp);

/**
 * rdmaev_report - record an event of a QP, CQ, SRQ or WQ
 * @ulp: ULP whose handler calls this
 * @event: event, as the handler received it
 *
 * The type of the event determines which element is read, as verbs define it;
 * the element of an event of unknown type is not read. Events of a ULP that is
 * not registered are ignored, and those of devices and ports, which rdmaev
 * receives itself. Calls no driver, takes only raw locks, does not sleep.
 *
 * Context: any but NMI, with any lock held. The object of the event must exist
 * until this returns, as it does during its handler.
 */
void rdmaev_report(struct rdmaev_ulp *ulp, const struct ib_event *event);

/**
 * rdmaev_note - record what happened, in the words of the ULP
 * @ulp: ULP
 * @severity: &enum rdmaev_severity; a smaller number is taken for
 *	RDMAEV_SEVERITY_INFO, a larger one for RDMAEV_SEVERITY_ERROR
 * @device: device that the note is about, NULL: none, or that of @qp
 * @port: port number; RDMAEV_NO_PORT: that of @qp, or no particular port
 * @qp: QP that the note is about, or NULL. If its failure is known, that is the
 *	cause of the record
 * @fmt: text, as for printk(), without a level; a newline at its end is
 *	removed. At most 63 bytes are recorded, and bytes that are not
 *	printable ASCII as question marks
 *
 * Name what happened to a connection or device, not each request. A ULP may
 * record 64 notes of each severity at once, and one more every 100 ms (module
 * parameter note_ms). Others are only counted, and the next one that is
 * recorded has their number. Notes of a ULP that is not registered are ignored.
 * Allocates nothing, takes only raw locks, does not sleep.
 *
 * Context: any but NMI, with any lock held. @device and @qp exist until this
 * returns.
 */
__printf(6, 7)
void rdmaev_note(struct rdmaev_ulp *ulp, enum rdmaev_severity severity,
		 const struct ib_device *device, u32 port,
		 const struct ib_qp *qp, const char *fmt, ...);

/**
 * rdmaev_create_cq - create a CQ with counters by ib_create_cq()
 * @ulp: ULP, registered or not
 * @device: device
 * @comp_handler: completion handler of the ULP, or NULL
 * @event_handler: event handler of the ULP, or NULL. rdmaev records the event
 *	before it calls this; rdmaev_report() would record it twice
 * @context: argument of both handlers, and cq_context of the CQ
 * @attr: as for ib_create_cq()
 * @flags: 0, or RDMAEV_CQ_PUBLIC_WR_ID: administrators may see the wr_id of
 *	requests; RDMAEV_CQ_NAME_QP, RDMAEV_CQ_WR_CQE: see above
 *
 * Failures and stalls are recorded while the ULP is registered, and counted
 * always.
 *
 * Context: process, may sleep.
 *
 * Return: the CQ for rdmaev_destroy_cq(), or ERR_PTR: errors of ib_create_cq(),
 * -ENOMEM, -EINVAL: unknown flags, both RDMAEV_CQ_PUBLIC_WR_ID and
 * RDMAEV_CQ_WR_CQE, as a wr_cqe is an address, or the name is not
 * NUL-terminated.
 */
struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags);

/**
 * rdmaev_destroy_cq - destroy a CQ
 * @rcq: of rdmaev_create_cq(), no longer in use: its QPs are destroyed, and
 *	nobody polls or arms it
 *
 * A fence: after it returns, no handler of the CQ runs, and none will be
 * called. Flushed requests are recorded.
 *
 * Context: process, may sleep. Not from these handlers, and not with a lock
 * held that they take.
 */
void rdmaev_destroy_cq(struct rdmaev_cq *rcq);

/**
 * rdmaev_attach_cq - add counters to a CQ of ib_core
 * @ulp: ULP, registered or not
 * @cq: CQ of ib_alloc_cq() or ib_cq_pool_get(), whoever else uses it or has
 *	attached it
 * @flags: as for rdmaev_create_cq(), for completions that are counted with the
 *	returned struct rdmaev_cq
 *
 * Call this before creating QPs on the CQ: the observer may have counted
 * completions of requests that were posted before.
 *
 * Context: process, may sleep.
 *
 * Return: the CQ for rdmaev_count_wc() and rdmaev_count_poll() until
 * rdmaev_detach_cq(), or ERR_PTR: -EBUSY: the CQ is of rdmaev_create_cq();
 * -ENOMEM; -EINVAL as for rdmaev_create_cq().
 */
struct rdmaev_cq *rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq,
				   unsigned int flags);

/**
 * rdmaev_detach_cq - end what one rdmaev_attach_cq() has begun
 * @rcq: of rdmaev_attach_cq(), no longer in use: the QPs of the ULP on the CQ
 *	are destroyed. The CQ still exists, and other attachments of it continue
 *
 * Flushed requests that were counted with @rcq are recorded. The last call for a
 * CQ removes its counters.
 *
 * Context: process, may sleep.
 */
void rdmaev_detach_cq(struct rdmaev_cq *rcq);

/**
 * rdmaev_poll_cq - poll a CQ by ib_poll_cq(), and count the completions
 * @rcq: of rdmaev_create_cq()
 * @num_entries: room in @wc
 * @wc: completions
 *
 * Context: as ib_poll_cq() of the driver: any, but not in the completion
 * handler.
 *
 * Return: as ib_poll_cq(): number of completions; < 0: failed, which is counted
 * as an empty poll.
 */
int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries, struct ib_wc *wc);

/**
 * rdmaev_count_wc - count a completion that was passed to done()
 * @rcq: of rdmaev_attach_cq(), by the ULP of the done()
 * @wc: argument of done()
 *
 * Context: any but NMI.
 */
void rdmaev_count_wc(struct rdmaev_cq *rcq, const struct ib_wc *wc);

/**
 * rdmaev_count_poll - count a poll by ib_poll_cq() and its completions
 * @rcq: of rdmaev_attach_cq(), for a CQ with IB_POLL_DIRECT
 * @wc: completions
 * @n: return value of ib_poll_cq(): number of completions; < 0: failed, which
 *	is counted as an empty poll
 *
 * Call either this or rdmaev_count_wc() for a completion, not both; with
 * RDMAEV_CQ_WR_CQE before any done() of @wc.
 *
 * Context: any but NMI.
 */
void rdmaev_count_poll(struct rdmaev_cq *rcq, const struct ib_wc *wc, int n);

/**
 * rdmaev_qp_flushed - forget the failure of a QP
 * @qp: QP that exists, with all failed completions polled: before it is
 *	destroyed, or after it was reset
 *
 * Flushed requests are recorded now, without this call a second later. Earlier
 * errors of its CQs and SRQ are not the cause of later events of a QP with the
 * same number.
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

static inline __printf(6, 7)
void rdmaev_note(struct rdmaev_ulp *ulp, enum rdmaev_severity severity,
		 const struct ib_device *device, u32 port,
		 const struct ib_qp *qp, const char *fmt, ...)
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

static inline int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries,
				 struct ib_wc *wc)
{
	return ib_poll_cq(rcq->cq, num_entries, wc);
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
