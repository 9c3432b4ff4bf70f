/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on connections of rdma_cm */
#ifndef OBSERVE_CM_HOOK_H
#define OBSERVE_CM_HOOK_H

#include "compat_trace.h"

struct rdma_cm_event;
struct rdma_cm_id;

RDMAEV_FTRACE_FN(observe_cm_used);
RDMAEV_FTRACE_FN(observe_cm_connect);
void observe_cm_event(void *data, const struct rdma_cm_id *id,
		      const struct rdma_cm_event *event);
void observe_cm_destroy(void *data, const struct rdma_cm_id *id);
void observe_cms_start(void);

#endif /* OBSERVE_CM_HOOK_H */
