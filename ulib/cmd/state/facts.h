/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer observes, and what not and why */
#ifndef ULIB_FACTS_H
#define ULIB_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "text.h"

/* Bits of facts */
#define FACTS_MAX	32

/**
 * struct observer - the hooks of the observer
 * @hooks: hooks, @count of them
 * @seq: newest record when they were listed
 */
struct observer {
	struct rdmaev_hook *hooks;
	size_t count;
	uint64_t seq;
};

/**
 * struct fact_state - how a fact is observed
 * @bit: number of its bit RDMAEV_OBSERVED_*
 * @state: enum rdmaev_hook_state, that of @hook; RDMAEV_HOOK_ARMED: observed
 * @hook: the hook that decides on the state
 * @missed: calls that its hooks have missed
 */
struct fact_state {
	unsigned int bit;
	uint32_t state;
	const struct rdmaev_hook *hook;
	uint64_t missed;
};

/*
 * List the hooks; none if the observer is not loaded. 0, or -1 with errno. The
 * caller frees @hooks of @o, which are NULL before the first call, in either
 * case.
 */
int list_hooks(struct rdmaev *h, struct observer *o);
/* False if no hook observes the fact, in this version of the kernel module. */
bool find_fact(const struct observer *o, unsigned int bit, struct fact_state *fact);

void put_fact(struct text *t, unsigned int bit);
/* "observed" or the name of the state of a hook, NULL if that is unknown */
const char *fact_state_name(uint32_t state);
/* Nothing if the fact is observed without a gap. */
void put_why(struct text *t, const struct fact_state *fact);
/* Nothing if there is nothing to do, or nothing that helps. */
void put_remedy(struct text *t, const struct fact_state *fact);

#endif /* ULIB_FACTS_H */
