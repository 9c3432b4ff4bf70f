/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev for kernel ULPs: have the events of your QPs, CQs, SRQs and WQs and your
 * failed completions recorded, under your name, and your CQs accounted for.
 *
 * Events
 *
 * Device and port events rdmaev hears itself. Those of an object go to the
 * object's own handler only, so its ULP has to pass them on:
 *
 *	static struct rdmaev_ulp my_ulp = { .name = "my_ulp" };
 *
 *	rdmaev_ulp_register(&my_ulp);
 *	...
 *	rdmaev_object_init(&conn->object, &my_ulp, RDMAEV_OBJECT_QP,
 *			   my_qp_event, conn);
 *	init_attr.event_handler = rdmaev_event_handler;
 *	init_attr.qp_context = &conn->object;
 *	ib_create_qp(pd, &init_attr);
 *
 * my_qp_event(event, conn) is called as before, after the event was recorded.
 * A ULP that keeps its own handler calls rdmaev_report() in it instead.
 *
 * A CQ passes its context to the completion handler, too: there it is the
 * &struct rdmaev_object then, and the ULP's own is in its context.
 *
 * Order: register the ULP, init the object, create the QP, CQ, SRQ or WQ;
 * destroy that, unregister the ULP. Destroying is the driver's fence for
 * the events of an object, unregistering is ours for all of a ULP.
 *
 * Completions
 *
 * A CQ that is to be accounted for is made in one of three ways; the QPs get
 * the cq of what is returned, in each of them.
 *
 *  - rdmaev_create_cq() instead of ib_create_cq(): the ULP arms and polls by
 *    rdmaev_req_notify_cq() and rdmaev_poll_cq(), and its two handlers are
 *    called as before.
 *  - rdmaev_alloc_cq() instead of ib_alloc_cq(): rdmaev arms and polls, and
 *    calls the done() of each request's &struct ib_cqe.
 *  - rdmaev_attach_cq(), for a CQ of ib_alloc_cq() or ib_cq_pool_get(): the ULP
 *    hands over what it is given, by rdmaev_count_wc() in each done(), or
 *    by rdmaev_count_poll() where it polls itself (IB_POLL_DIRECT). Completions
 *    are all that is seen of such a CQ.
 *
 * When completions fail, the QP is looked at. So it must be there until those
 * that failed were polled. ib_drain_qp() sees to that, but not for CQs of
 * rdmaev_create_cq(): the core would poll them, past the accounts; their ULP waits for
 * its own last completions. Call rdmaev_qp_flushed() when they were: before ib_destroy_qp(),
 * or when the QP was reset to be used again. What was flushed is recorded then.
 * Without it that takes a second longer, and a new QP that gets the same number
 * soon may have what is flushed of it put down to the failure of the old one.
 *
 * Order: register the ULP, make the CQ, create QPs on it; destroy these, destroy
 * the CQ, unregister the ULP.
 *
 * Whether a CQ holds completions that nobody polls is found out by arming it, see
 * RDMAEV_COMPLETION_STALLED. A CQ of rdmaev_create_cq() that was notified, and has not
 * been polled for stall_ms, may be notified once more for that.
 *
 * There are three ways to use this header:
 *
 *  - Linked. Where CONFIG_INFINIBAND_RDMAEV is set, the functions are those of
 *    the module, and a ULP that uses them is loaded after it. A ULP outside of
 *    the kernel's tree sets it in its Kbuild,
 *	ccflags-y += -DCONFIG_INFINIBAND_RDMAEV_MODULE=1
 *    and names our Module.symvers in KBUILD_EXTRA_SYMBOLS.
 *  - Not there. Otherwise they do nothing but call the ULP's own handler, or the
 *    verbs that they stand for, and the ULP is compiled without a change.
 *    (Those of ib_alloc_cq() have no event handler.)
 *  - At run time. rdmaev_get() finds the functions if the module is loaded, and
 *    the ULP is loaded without it as well. It is for a ULP that is built
 *    once for hosts with and without rdmaev: a linked one could not be loaded
 *    on the latter. It works wherever the functions are not linked.
 */
#ifndef _RDMA_RDMAEV_H
#define _RDMA_RDMAEV_H

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kconfig.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_ulp - a ULP, as records name it
 * @name: NUL-terminated, not empty; any bytes, readers make them safe to show.
 *	Constant while registered
 *
 * Belongs to the ULP, zero but for the name before it is registered. Must stay
 * as long as an object of it can have events, and as long as it has CQs, registered
 * or not.
 */
struct rdmaev_ulp {
	char name[RDMAEV_SOURCE_NAME_SIZE];
	/* private: */
	unsigned int state;
	u64 reserved[4];
};

/**
 * struct rdmaev_object - a QP, CQ, SRQ or WQ whose events are recorded
 * @ulp: whose it is
 * @type: RDMAEV_OBJECT_QP, _CQ, _SRQ or _WQ: what element of its events is,
 *	known or unknown
 * @event_handler: the ULP's own handler, may be NULL
 * @context: what that one is called with
 *
 * Belongs to the ULP, which makes it by rdmaev_object_init() and keeps it until
 * the QP, CQ, SRQ or WQ is destroyed. One for each: it also remembers what
 * happened to the object so far, for &struct rdmaev_record.cause.
 */
struct rdmaev_object {
	struct rdmaev_ulp *ulp;
	enum rdmaev_object_type type;
	void (*event_handler)(struct ib_event *event, void *context);
	void *context;
	/* private: */
	u64 since;
	u64 failed;
	u64 reserved[2];
};

/* flags of rdmaev_create_cq() and rdmaev_attach_cq() */
#define RDMAEV_CQ_PUBLIC_WR_ID	BIT(0)	/* wr_id is no address: show it */

/**
 * struct rdmaev_cq - a CQ that is accounted for
 * @cq: the CQ
 *
 * Belongs to rdmaev. Goes with rdmaev_destroy_cq() or rdmaev_detach_cq().
 */
struct rdmaev_cq {
	struct ib_cq *cq;
	/* private: */
	unsigned int kind;
};

/**
 * struct rdmaev_ops - the functions below, for a ULP that finds them at run
 *	time
 * @size: bytes of this structure as the module knows it; grows at the end
 * @ulp_size: bytes of &struct rdmaev_ulp there; they are the ULP's own
 * @object_size: bytes of &struct rdmaev_object there; the same
 * @ulp_register: rdmaev_ulp_register()
 * @ulp_unregister: rdmaev_ulp_unregister()
 * @object_init: rdmaev_object_init()
 * @object_reset: rdmaev_object_reset()
 * @event_handler: rdmaev_event_handler()
 * @report: rdmaev_report()
 * @create_cq: rdmaev_create_cq()
 * @alloc_cq: rdmaev_alloc_cq()
 * @destroy_cq: rdmaev_destroy_cq()
 * @attach_cq: rdmaev_attach_cq()
 * @detach_cq: rdmaev_detach_cq()
 * @req_notify_cq: rdmaev_req_notify_cq()
 * @poll_cq: rdmaev_poll_cq()
 * @set_cq_moderation: rdmaev_set_cq_moderation()
 * @count_wc: rdmaev_count_wc()
 * @count_poll: rdmaev_count_poll()
 * @qp_flushed: rdmaev_qp_flushed()
 */
struct rdmaev_ops {
	size_t size;
	size_t ulp_size;
	size_t object_size;
	int (*ulp_register)(struct rdmaev_ulp *ulp);
	void (*ulp_unregister)(struct rdmaev_ulp *ulp);
	void (*object_init)(struct rdmaev_object *object,
			    struct rdmaev_ulp *ulp,
			    enum rdmaev_object_type type,
			    void (*event_handler)(struct ib_event *event,
						  void *context),
			    void *context);
	void (*object_reset)(struct rdmaev_object *object);
	void (*event_handler)(struct ib_event *event, void *object);
	void (*report)(struct rdmaev_object *object,
		       const struct ib_event *event);
	struct rdmaev_cq *(*create_cq)(struct rdmaev_ulp *ulp,
				       struct ib_device *device,
				       ib_comp_handler comp_handler,
				       void (*event_handler)(struct ib_event *event,
							     void *context),
				       void *context,
				       const struct ib_cq_init_attr *attr,
				       unsigned int flags);
	struct rdmaev_cq *(*alloc_cq)(struct rdmaev_ulp *ulp,
				      struct ib_device *device,
				      void (*event_handler)(struct ib_event *event,
							    void *context),
				      void *context,
				      const struct ib_cq_init_attr *attr,
				      enum ib_poll_context poll_ctx);
	void (*destroy_cq)(struct rdmaev_cq *rcq);
	struct rdmaev_cq *(*attach_cq)(struct rdmaev_ulp *ulp,
				       struct ib_cq *cq, unsigned int flags);
	void (*detach_cq)(struct rdmaev_cq *rcq);
	int (*req_notify_cq)(struct rdmaev_cq *rcq,
			     enum ib_cq_notify_flags flags);
	int (*poll_cq)(struct rdmaev_cq *rcq, int num_entries,
		       struct ib_wc *wc);
	int (*set_cq_moderation)(struct rdmaev_cq *rcq, u16 count, u16 period);
	void (*count_wc)(struct rdmaev_cq *rcq, const struct ib_wc *wc);
	void (*count_poll)(struct rdmaev_cq *rcq, const struct ib_wc *wc,
			   int n);
	void (*qp_flushed)(const struct ib_qp *qp);
};

extern const struct rdmaev_ops rdmaev_ulp_ops;

/**
 * rdmaev_put - give back what rdmaev_get() found
 *
 * To be called when no object has an event handler of these functions any more,
 * none of the functions is being called, and the ULP is unregistered: the module
 * may be unloaded then.
 *
 * Context: as rdmaev_get().
 */
static inline void rdmaev_put(void)
{
	symbol_put(rdmaev_ulp_ops);
}

/**
 * rdmaev_get - find the functions of the module at run time
 *
 * While they are held the module stays loaded. One that is loaded later is
 * found by the next call; a good time for it is the add() of the ULP's
 * ib_client. What functions of this header have made is not for those that are found,
 * nor the other way round.
 *
 * Context: process.
 *
 * Return: the functions, for rdmaev_put(); NULL if the module is not loaded,
 * or is of another version that does not fit this header.
 */
static inline const struct rdmaev_ops *rdmaev_get(void)
{
	const struct rdmaev_ops *ops = symbol_get(rdmaev_ulp_ops);

	/* No checksum of the symbol is compared here. */
	if (ops && (ops->size < sizeof(*ops) ||
		    ops->ulp_size != sizeof(struct rdmaev_ulp) ||
		    ops->object_size != sizeof(struct rdmaev_object))) {
		rdmaev_put();
		ops = NULL;
	}
	return ops;
}

#if IS_REACHABLE(CONFIG_INFINIBAND_RDMAEV)

int rdmaev_ulp_register(struct rdmaev_ulp *ulp);
void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp);

void rdmaev_object_init(struct rdmaev_object *object,
			struct rdmaev_ulp *ulp,
			enum rdmaev_object_type type,
			void (*event_handler)(struct ib_event *event,
					      void *context),
			void *context);
void rdmaev_object_reset(struct rdmaev_object *object);
void rdmaev_event_handler(struct ib_event *event, void *object);
void rdmaev_report(struct rdmaev_object *object, const struct ib_event *event);

struct rdmaev_cq *
rdmaev_create_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		 ib_comp_handler comp_handler,
		 void (*event_handler)(struct ib_event *event, void *context),
		 void *context, const struct ib_cq_init_attr *attr,
		 unsigned int flags);
struct rdmaev_cq *
rdmaev_alloc_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		void (*event_handler)(struct ib_event *event, void *context),
		void *context, const struct ib_cq_init_attr *attr,
		enum ib_poll_context poll_ctx);
void rdmaev_destroy_cq(struct rdmaev_cq *rcq);
struct rdmaev_cq *rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq,
				   unsigned int flags);
void rdmaev_detach_cq(struct rdmaev_cq *rcq);

int rdmaev_req_notify_cq(struct rdmaev_cq *rcq, enum ib_cq_notify_flags flags);
int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries, struct ib_wc *wc);
int rdmaev_set_cq_moderation(struct rdmaev_cq *rcq, u16 count, u16 period);
void rdmaev_count_wc(struct rdmaev_cq *rcq, const struct ib_wc *wc);
void rdmaev_count_poll(struct rdmaev_cq *rcq, const struct ib_wc *wc, int n);
void rdmaev_qp_flushed(const struct ib_qp *qp);

#else

static inline int rdmaev_ulp_register(struct rdmaev_ulp *ulp)
{
	return 0;
}

static inline void rdmaev_ulp_unregister(struct rdmaev_ulp *ulp)
{
}

static inline void
rdmaev_object_init(struct rdmaev_object *object, struct rdmaev_ulp *ulp,
		   enum rdmaev_object_type type,
		   void (*event_handler)(struct ib_event *event, void *context),
		   void *context)
{
	*object = (struct rdmaev_object) {
		.ulp = ulp,
		.type = type,
		.event_handler = event_handler,
		.context = context,
	};
}

static inline void rdmaev_object_reset(struct rdmaev_object *object)
{
}

static inline void rdmaev_event_handler(struct ib_event *event, void *object)
{
	struct rdmaev_object *obj = object;

	if (obj->event_handler)
		obj->event_handler(event, obj->context);
}

static inline void rdmaev_report(struct rdmaev_object *object,
				 const struct ib_event *event)
{
}

/* private: kind 0 is of ib_create_cq(), 1 of ib_alloc_cq(), 2 the ULP's own */
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
	struct rdmaev_cq *rcq = rdmaev_wrap_cq(cq, 0);

	if (IS_ERR(rcq) && !IS_ERR(cq))
		ib_destroy_cq(cq);
	return rcq;
}

static inline struct rdmaev_cq *
rdmaev_alloc_cq(struct rdmaev_ulp *ulp, struct ib_device *device,
		void (*event_handler)(struct ib_event *event, void *context),
		void *context, const struct ib_cq_init_attr *attr,
		enum ib_poll_context poll_ctx)
{
	struct rdmaev_cq *rcq;
	struct ib_cq *cq;

	if (poll_ctx != IB_POLL_SOFTIRQ && poll_ctx != IB_POLL_WORKQUEUE)
		return ERR_PTR(-EINVAL);
	cq = __ib_alloc_cq(device, context, attr->cqe, attr->comp_vector,
			   poll_ctx, ulp->name);
	rcq = rdmaev_wrap_cq(cq, 1);
	if (IS_ERR(rcq) && !IS_ERR(cq))
		ib_free_cq(cq);
	return rcq;
}

static inline void rdmaev_destroy_cq(struct rdmaev_cq *rcq)
{
	if (rcq->kind)
		ib_free_cq(rcq->cq);
	else
		ib_destroy_cq(rcq->cq);
	kfree(rcq);
}

static inline struct rdmaev_cq *
rdmaev_attach_cq(struct rdmaev_ulp *ulp, struct ib_cq *cq, unsigned int flags)
{
	return rdmaev_wrap_cq(cq, 2);
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
	return rcq->kind == 2 ? -EOPNOTSUPP :
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

#endif /* _RDMA_RDMAEV_H */
