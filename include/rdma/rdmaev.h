/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev for kernel ULPs: have the events of your QPs, CQs, SRQs and WQs
 * recorded, under your name.
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
 * There are three ways to use this header:
 *
 *  - Linked. Where CONFIG_INFINIBAND_RDMAEV is set, the functions are those of
 *    the module, and a ULP that uses them is loaded after it. A ULP outside of
 *    the kernel's tree sets it in its Kbuild,
 *	ccflags-y += -DCONFIG_INFINIBAND_RDMAEV_MODULE=1
 *    and names our Module.symvers in KBUILD_EXTRA_SYMBOLS.
 *  - Not there. Otherwise they do nothing but call the ULP's own handler, and
 *    the ULP is compiled without a change.
 *  - At run time. rdmaev_get() finds the functions if the module is loaded, and
 *    the ULP is loaded without it as well. It is for a ULP that is built
 *    once for hosts with and without rdmaev: a linked one could not be loaded
 *    on the latter. It works wherever the functions are not linked.
 */
#ifndef _RDMA_RDMAEV_H
#define _RDMA_RDMAEV_H

#include <linux/kconfig.h>
#include <linux/module.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

/**
 * struct rdmaev_ulp - a ULP, as records name it
 * @name: NUL-terminated, not empty; any bytes, readers make them safe to show.
 *	Constant while registered
 *
 * Belongs to the ULP, zero but for the name before it is registered. Must stay
 * as long as an object of it can have events, unregistered or not.
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
 * ib_client.
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

#endif /* CONFIG_INFINIBAND_RDMAEV */

#endif /* _RDMA_RDMAEV_H */
