/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on requests that move QPs */
#ifndef OBSERVE_QP_HOOK_H
#define OBSERVE_QP_HOOK_H

#include <linux/types.h>

#include "compat_trace.h"
#include "hook.h"

RDMAEV_FTRACE_FN(observe_qp_destroy);
int observe_qps_init(void);
void observe_qps_exit(void);
u64 observe_qps_missed(void);
void observe_qps_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_QP_HOOK_H */
