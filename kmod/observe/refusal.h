/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests that are refused before a driver is asked */
#ifndef OBSERVE_REFUSAL_H
#define OBSERVE_REFUSAL_H

#include <linux/types.h>

#include "entry.h"

bool observe_refusal_sees_move(int attr_mask);
bool observe_refusals_init(void);
void observe_refusals_exit(void);
u64 observe_refusals_missed(void);
void observe_refusals_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_REFUSAL_H */
