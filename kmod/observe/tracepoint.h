/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Probes of tracepoints */
#ifndef OBSERVE_TRACEPOINT_H
#define OBSERVE_TRACEPOINT_H

#include <linux/types.h>

#include "entry.h"

struct tracepoint;

/**
 * struct observe_tracepoint - a probe of a tracepoint
 * @name: name of the tracepoint
 * @module: name of its module
 * @wanted: module parameter that enables it
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @needs: status of what ends the entries that this one begins: not registered unless
 *	that is armed; NULL: none
 * @missed: number of calls that could not be taken into account, NULL: none
 * @probe: called with NULL and the arguments of the tracepoint
 * @tp: the tracepoint if the probe is registered, else NULL; changed by the
 *	notifiers of modules, one at a time
 * @status: as in &struct observe_entry; 0: not known yet
 */
struct observe_tracepoint {
	const char *name;
	const char *module;
	const bool *wanted;
	u32 facts;
	const int *needs;
	u64 (*missed)(void);
	void *probe;
	struct tracepoint *tp;
	int status;
};

int observe_tracepoints_init(struct observe_tracepoint *tracepoints,
			     unsigned int count);
void observe_tracepoints_exit(void);
bool observe_tracepoints_registered(const bool *wanted);
void observe_tracepoints_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_TRACEPOINT_H */
