/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on begin and end of objects */
#ifndef OBSERVE_OBJECT_HOOK_H
#define OBSERVE_OBJECT_HOOK_H

#include "compat_trace.h"

struct ib_qp;

RDMAEV_FTRACE_FN(observe_object_begin);
RDMAEV_FTRACE_FN(observe_object_begin_del);
RDMAEV_FTRACE_FN(observe_object_del);
RDMAEV_FTRACE_FN(observe_object_end);
void observe_ends_by_del(void);
void observe_ends_flush_qps(void);
void observe_qp_is_destroyed(const struct ib_qp *qp);
void observe_qp_has_ended(const struct ib_qp *qp);

#endif /* OBSERVE_OBJECT_HOOK_H */
