/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* CQs that ULPs poll */
#ifndef OBSERVE_POLL_HOOK_H
#define OBSERVE_POLL_HOOK_H

#include <linux/types.h>

#include "hook.h"

int observe_polls_init(void);
void observe_polls_exit(void);
void observe_polls_check(void);
void observe_polls_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_POLL_HOOK_H */
