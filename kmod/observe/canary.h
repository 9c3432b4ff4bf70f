/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Whether functions are traced */
#ifndef OBSERVE_CANARY_H
#define OBSERVE_CANARY_H

#include <linux/types.h>

void observe_canary_start(u32 traced, u32 probed, u32 tracepoints,
			  u32 operations);
void observe_canary_stop(void);

#endif /* OBSERVE_CANARY_H */
