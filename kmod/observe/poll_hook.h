/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CQs that ULPs poll */
#ifndef OBSERVE_POLL_HOOK_H
#define OBSERVE_POLL_HOOK_H

#include <linux/types.h>

struct rdmaev_hook;

int observe_polls_init(void);
void observe_polls_exit(void);
void observe_polls_check(void);
void observe_polls_describe(struct rdmaev_hook *entry, bool is_on, u64 missed);

#endif /* OBSERVE_POLL_HOOK_H */
