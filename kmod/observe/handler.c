// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Affiliated events of ULPs. ib_core passes them only to the
 * handler of the object; up to Linux 6.10 nothing of the core runs before, and
 * for CQs and SRQs on no kernel. So handlers are learnt by their address, from
 * the functions that create an object and from objects that exist already, and
 * each is hooked: a ULP has one or two.
 *
 * A handler is hooked by a work, so an event in the first milliseconds of the
 * first object of a ULP is not seen.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "compat.h"
#include "handler.h"
#include "hook.h"
#include "symbol.h"
#include "trial.h"
#include "ulp/event.h"

#define HANDLERS_MAX	40	/* hooked at the same time; others are counted */

/**
 * struct observe_handler - a handler of events
 * @address: its address, 0: the entry is unused
 * @types: mask of BIT(&enum rdmaev_object_type): objects that have it. One more
 *	may be added while the hook runs
 * @trace: registration of the hook
 * @status: as in &struct observe_entry; 0: the work will arm it
 * @symbol: the function at @address, known before @status
 *
 * From the first object with this handler until the module of the handler goes,
 * when all of them have been destroyed: no address of a module that has gone is
 * hooked, but for one that ftrace has not let go of; its entry is not used again.
 */
struct observe_handler {
	unsigned long address;
	unsigned int types;
	struct observe_ftrace trace;
	int status;
	struct rdmaev_symbol symbol;
};

static struct observe_handler handlers[HANDLERS_MAX];
/* BIT(RDMAEV_OBJECT_QP) if a hook of the core sees events of QPs, else 0 */
static unsigned int handler_other_types;
static u64 handlers_missed;	/* objects whose handler found no entry */

/*
 * handler_lock protects all of that but @trace and @symbol. handler_mutex is
 * taken before it, protects those, and keeps an entry in use. Raw: objects
 * may be created in any context in which hooks run.
 */
static DEFINE_RAW_SPINLOCK(handler_lock);
static DEFINE_MUTEX(handler_mutex);

static void handler_arm_fn(struct work_struct *work);
static DECLARE_WORK(handler_arm_work, handler_arm_fn);

/* The handler of a ULP is called. */
static RDMAEV_FTRACE_FN(observe_handler_called)
{
	const struct observe_handler *handler =
		container_of(ops, struct observe_handler, trace.ops);

	rdmaev_observe_kernel_event((void *)RDMAEV_FTRACE_ARG(0),
				    READ_ONCE(handler->types),
				    READ_ONCE(handler_other_types),
				    rdmaev_symbol_module(&handler->symbol));
}

/* Called with handler_lock held. */
static struct observe_handler *handler_find(unsigned long address)
{
	struct observe_handler *handler;

	for (handler = handlers; handler < handlers + HANDLERS_MAX; handler++) {
		if (handler->address == address)
			return handler;
	}
	return NULL;
}

/**
 * observe_handler_learn - hook the handler of an object of a ULP
 * @fn: handler, may be NULL
 * @type: &enum rdmaev_object_type
 *
 * Context: any but NMI. The object exists, so the module of the handler does.
 */
void observe_handler_learn(void (*fn)(struct ib_event *event, void *context),
			   unsigned int type)
{
	unsigned long address = (unsigned long)fn;
	struct observe_handler *handler;
	bool is_new = false;
	unsigned long flags;

	if (!fn)
		return;
	raw_spin_lock_irqsave(&handler_lock, flags);
	handler = handler_find(address);
	if (!handler) {
		handler = handler_find(0);
		is_new = handler;
	}
	if (is_new) {
		handler->types = 0;
		handler->status = 0;
		WRITE_ONCE(handler->address, address);
	}
	if (handler)
		WRITE_ONCE(handler->types, handler->types | BIT(type));
	else
		handlers_missed++;
	raw_spin_unlock_irqrestore(&handler_lock, flags);
	if (is_new)
		queue_work(system_dfl_wq, &handler_arm_work);
}

/* ib_create_qp_kernel(pd, init_attr, caller), ib_create_qp(pd, init_attr) */
RDMAEV_FTRACE_FN(observe_create_qp)
{
	const struct ib_qp_init_attr *init = (void *)RDMAEV_FTRACE_ARG(1);

	/* Up to Linux 5.10, those of processes are created by this function. */
	if (init->qp_type != IB_QPT_XRC_TGT &&
	    !observe_is_trial(init->qp_context, OBSERVE_TRY_QP_HANDLER))
		observe_handler_learn(init->event_handler, RDMAEV_OBJECT_QP);
}

/* __ib_create_cq(device, comp_handler, event_handler, cq_context, ...), for the kernel */
RDMAEV_FTRACE_FN(observe_create_cq)
{
	if (!observe_is_trial((void *)RDMAEV_FTRACE_ARG(3), OBSERVE_TRY_CQ_HANDLER))
		observe_handler_learn((void *)RDMAEV_FTRACE_ARG(2), RDMAEV_OBJECT_CQ);
}

/* ib_create_srq_user(pd, init_attr, uobject, udata): NULL for the kernel */
RDMAEV_FTRACE_FN(observe_create_srq)
{
	const struct ib_srq_init_attr *init = (void *)RDMAEV_FTRACE_ARG(1);

	if (!RDMAEV_FTRACE_ARG(2))
		observe_handler_learn(init->event_handler,
				      RDMAEV_OBJECT_SRQ);
}

static void handler_arm_fn(struct work_struct *work)
{
	struct observe_handler *handler;
	unsigned long address;
	int status;

	mutex_lock(&handler_mutex);
	for (handler = handlers; handler < handlers + HANDLERS_MAX; handler++) {
		raw_spin_lock_irq(&handler_lock);
		address = handler->status ? 0 : handler->address;
		raw_spin_unlock_irq(&handler_lock);
		if (!address)
			continue;
		rdmaev_symbol_get(&handler->symbol, (void *)address);
		status = observe_ftrace_arm(&handler->trace, observe_handler_called, NULL,
					    address);
		raw_spin_lock_irq(&handler_lock);
		handler->status = status;
		raw_spin_unlock_irq(&handler_lock);
	}
	mutex_unlock(&handler_mutex);
}

/*
 * Called with handler_mutex held. Waits for callbacks that run, then the entry
 * is unused. Returns -errno if ftrace has not let go of it.
 */
static int handler_forget(struct observe_handler *handler)
{
	int ret = observe_ftrace_disarm(&handler->trace);

	raw_spin_lock_irq(&handler_lock);
	if (ret)
		handler->status = ret;
	else
		WRITE_ONCE(handler->address, 0);
	raw_spin_unlock_irq(&handler_lock);
	return ret;
}

static int handler_module_notify(struct notifier_block *block,
				 unsigned long state, void *data)
{
	const struct module *mod = data;
	struct observe_handler *handler;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&handler_mutex);
	for (handler = handlers; handler < handlers + HANDLERS_MAX; handler++) {
		unsigned long address = READ_ONCE(handler->address);

		if (address && within_module(address, mod))
			handler_forget(handler);
	}
	mutex_unlock(&handler_mutex);
	return NOTIFY_OK;
}

static struct notifier_block handler_notifier = {
	.notifier_call = handler_module_notify,
};

/** observe_handlers_without_qps - another hook sees events of QPs */
void observe_handlers_without_qps(void)
{
	WRITE_ONCE(handler_other_types, BIT(RDMAEV_OBJECT_QP));
}

/** observe_handlers_init - be ready to learn handlers; 0 or -errno */
int observe_handlers_init(void)
{
	return register_module_notifier(&handler_notifier);
}

/* Returns -errno of those that ftrace has not let go of. */
static int handlers_forget(void)
{
	struct observe_handler *handler;
	int ret = 0;

	mutex_lock(&handler_mutex);
	for (handler = handlers; handler < handlers + HANDLERS_MAX; handler++)
		ret = handler_forget(handler) ?: ret;
	mutex_unlock(&handler_mutex);
	return ret;
}

/**
 * observe_handlers_exit - unhook all; nothing is learnt any more
 *
 * Call observe_ftrace_end() when all of this module is disarmed.
 */
void observe_handlers_exit(void)
{
	cancel_work_sync(&handler_arm_work);
	observe_ftrace_keep_on();
	while (observe_ftrace_waits(handlers_forget()))
		;
	/* Not before: a module that goes is not to leave a hook. */
	unregister_module_notifier(&handler_notifier);
}

/**
 * observe_handlers_miss - note objects whose handlers could not be learnt
 * @count: number of objects
 */
void observe_handlers_miss(u64 count)
{
	raw_spin_lock_irq(&handler_lock);
	handlers_missed += count;
	raw_spin_unlock_irq(&handler_lock);
}

/** observe_handlers_missed - return how many objects have an unhooked handler */
u64 observe_handlers_missed(void)
{
	unsigned long flags;
	u64 missed;

	raw_spin_lock_irqsave(&handler_lock, flags);
	missed = handlers_missed;
	raw_spin_unlock_irqrestore(&handler_lock, flags);
	return missed;
}

/**
 * observe_handlers_each - visit hooked handlers
 * @visit: called for each, with handler_lock held
 * @data: for @visit
 */
void observe_handlers_each(observe_visit_fn visit, void *data)
{
	struct observe_handler *handler;

	for (handler = handlers; handler < handlers + HANDLERS_MAX; handler++) {
		raw_spin_lock_irq(&handler_lock);
		if (handler->address && handler->status) {
			const struct observe_entry entry = {
				.symbol = handler->symbol.text,
				.module = rdmaev_symbol_module(&handler->symbol),
				.facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
				.mechanism = OBSERVES_BY_FTRACE,
				.status = handler->status,
			};

			visit(&entry, data);
		}
		raw_spin_unlock_irq(&handler_lock);
	}
}
