/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Hooks on notifications and polls of CQs */
#ifndef OBSERVE_CQ_HOOK_H
#define OBSERVE_CQ_HOOK_H

#include <linux/types.h>

#include "compat_trace.h"

struct ib_cq;
struct ib_wc;

RDMAEV_FTRACE_FN(observe_user_notification);
void observe_cq_free(void *data, const struct ib_cq *cq);
void observe_cq_schedule(void *data, struct ib_cq *cq);
void observe_cq_poll(void *data, const struct ib_cq *cq, int requested, int rc);
int observe_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc);
u64 observe_kernel_cqs_missed(void);

#endif /* OBSERVE_CQ_HOOK_H */
