/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on connections of rdma_cm */
#ifndef OBSERVE_CM_HOOK_H
#define OBSERVE_CM_HOOK_H

#include "compat_trace.h"

struct rdma_cm_event;
struct rdma_id_private;

RDMAEV_FTRACE_FN(observe_cm_used);
RDMAEV_FTRACE_FN(observe_cm_resolve);
RDMAEV_FTRACE_FN(observe_cm_connect);
void observe_cm_event(void *data, const struct rdma_id_private *private,
		      const struct rdma_cm_event *event);
void observe_cm_destroy(void *data, const struct rdma_id_private *private);

#endif /* OBSERVE_CM_HOOK_H */
