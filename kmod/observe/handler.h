/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Handlers of ULPs */
#ifndef OBSERVE_HANDLER_H
#define OBSERVE_HANDLER_H

#include <linux/types.h>

#include "compat_trace.h"
#include "entry.h"

struct ib_event;

RDMAEV_FTRACE_FN(observe_create_qp);
RDMAEV_FTRACE_FN(observe_create_cq);
RDMAEV_FTRACE_FN(observe_create_srq);
void observe_handler_learn(void (*fn)(struct ib_event *event, void *context),
			   unsigned int type);
int observe_handlers_init(void);
void observe_handlers_without_qps(void);
void observe_handlers_exit(void);
void observe_handlers_miss(u64 count);
u64 observe_handlers_missed(void);
void observe_handlers_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_HANDLER_H */
