/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Affiliated events that the observer reports; for ULPs see rdmaev_report() */
#ifndef RDMAEV_EVENT_H
#define RDMAEV_EVENT_H

#include <linux/types.h>

struct ib_event;

void rdmaev_observe_event(const struct ib_event *event,
			  unsigned int object_type);
void rdmaev_observe_kernel_event(const struct ib_event *event,
				 unsigned int object_types,
				 unsigned int other_types, const char *module);

#endif /* RDMAEV_EVENT_H */
