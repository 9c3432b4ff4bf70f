// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections of rdma_cm: each event on its way to the owner of an rdma_cm_id,
 * and requests of programs, which show the owner and the QP.
 */
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "cm_hook.h"
#include "hook.h"
#include "object/cm.h"
#include "symbol.h"

#define CM_LISTENER "cma_listen_handler"	/* handler of rdma_cm itself */

static bool cm_is_user(const struct rdmaev_symbol *handler)
{
	/* In a kernel with rdma_ucm built in there is no name of a module. */
	return handler->roles & RDMAEV_SYMBOL_USER ||
	       (!handler->roles && strstarts(handler->text, "ucma_event_handler"));
}

static bool cm_is_of_user(const struct rdma_cm_id *id)
{
	struct rdmaev_symbol handler;

	rdmaev_symbol_get(&handler, READ_ONCE(id->event_handler));
	return cm_is_user(&handler);
}

static void cm_used(const struct rdma_cm_id *id)
{
	if (cm_is_of_user(id))
		rdmaev_cm_used(id, NULL);
}

/* rdma_bind_addr() and rdma_listen(), which programs and ULPs call, and each other */
RDMAEV_FTRACE_FN(observe_cm_used)
{
	cm_used((void *)RDMAEV_FTRACE_ARG(0));
}

static void cm_resolve(const struct rdma_cm_id *id)
{
	rdmaev_cm_resolve(id, cm_is_of_user(id));
}

/* rdma_resolve_addr(): from here on, the owner connects. */
RDMAEV_FTRACE_FN(observe_cm_resolve)
{
	cm_resolve((void *)RDMAEV_FTRACE_ARG(0));
}

/*
 * rdma_connect_ece() and rdma_accept_ece(): only rdma_ucm calls them. The
 * parameters are in the kernel, and missing in the last step of a program that
 * connects.
 */
RDMAEV_FTRACE_FN(observe_cm_connect)
{
	rdmaev_cm_used((void *)RDMAEV_FTRACE_ARG(0), (void *)RDMAEV_FTRACE_ARG(1));
}

/* rdma_cm's own structure, which is not in a header, begins with the id. */
static const struct rdma_cm_id *cm_id_of(const struct rdma_id_private *private)
{
	return (const struct rdma_cm_id *)private;
}

/* Probe of cm_event_handler: before the handler of the id */
void observe_cm_event(void *data, const struct rdma_id_private *private,
		      const struct rdma_cm_event *event)
{
	const struct rdma_cm_id *id = cm_id_of(private);
	struct rdmaev_symbol handler = {};

	if (rdmaev_cm_is_recorded(event->event) || rdmaev_cm_is_accepted(event->event)) {
		rdmaev_symbol_get(&handler, READ_ONCE(id->event_handler));
		/* rdma_cm's own ids for listening on all devices: one for each device */
		if (strstarts(handler.text, CM_LISTENER))
			return;
	}
	rdmaev_cm_event(id, event->event, event->status, rdmaev_symbol_module(&handler),
			cm_is_user(&handler));
}

/* Probe of cm_id_destroy: no event comes after it. */
void observe_cm_destroy(void *data, const struct rdma_id_private *private)
{
	rdmaev_cm_destroyed(cm_id_of(private));
}
