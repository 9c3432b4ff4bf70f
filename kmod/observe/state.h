/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What is observed, and what is not and why */
#ifndef OBSERVE_STATE_H
#define OBSERVE_STATE_H

#include <linux/types.h>

void observe_state_start(void);
void observe_state_update(u32 blind, u32 blind_facts);
void observe_state_stop(void);

#endif /* OBSERVE_STATE_H */
