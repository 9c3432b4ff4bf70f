/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on handlers of affiliated events */
#ifndef OBSERVE_EVENT_HOOK_H
#define OBSERVE_EVENT_HOOK_H

#include "compat_trace.h"

RDMAEV_FTRACE_FN(observe_user_qp);
RDMAEV_FTRACE_FN(observe_user_cq);
RDMAEV_FTRACE_FN(observe_user_srq);
RDMAEV_FTRACE_FN(observe_user_wq);
RDMAEV_FTRACE_FN(observe_kernel_qp);

#endif /* OBSERVE_EVENT_HOOK_H */
