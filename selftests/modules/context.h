/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Contexts in which drivers report events */
#ifndef RDMAEV_TEST_CONTEXT_H
#define RDMAEV_TEST_CONTEXT_H

#include <linux/bottom_half.h>
#include <linux/irq_work.h>
#include <linux/string.h>

#include "compat.h"

struct irq_call {
	struct irq_work work;
	void (*fn)(void *data);
	void *data;
};

static inline void irq_call_fn(struct irq_work *work)
{
	struct irq_call *call = container_of(work, struct irq_call, work);

	call->fn(call->data);
}

/* Hard interrupt, also on PREEMPT_RT: fn() must not take a lock that sleeps. */
static inline void call_in_hardirq(void (*fn)(void *data), void *data)
{
	struct irq_call call = {
		.work = IRQ_WORK_INIT_HARD(irq_call_fn),
		.fn = fn,
		.data = data,
	};

	irq_work_queue(&call.work);
	/* Also waits for the last access to it, which comes after fn(). */
	irq_work_sync(&call.work);
}

/* May sleep, but not in fn(). False: there is no such context. */
static inline bool call_in_context(const char *context,
				   void (*fn)(void *data), void *data)
{
	if (!strcmp(context, "process")) {
		fn(data);
	} else if (!strcmp(context, "softirq")) {
		local_bh_disable();
		fn(data);
		local_bh_enable();
	} else if (!strcmp(context, "hardirq")) {
		call_in_hardirq(fn, data);
	} else {
		return false;
	}
	return true;
}

#endif /* RDMAEV_TEST_CONTEXT_H */
