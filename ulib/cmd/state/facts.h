/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the observer observes, and what not and why */
#ifndef ULIB_FACTS_H
#define ULIB_FACTS_H

#include <stdbool.h>

#include <rdmaev.h>

#include "text.h"

/* Bits of facts */
#define FACTS_MAX	32

enum fact_state {
	FACT_NONE,	/* the observer is not loaded, or does not have this fact */
	FACT_OBSERVED,
	FACT_WAITING,
	FACT_MISSING,
	FACT_OFF,
	FACT_BLIND,
	FACT_FAILED,
};

/* @bit: number of a bit RDMAEV_OBSERVED_* */
enum fact_state fact_state(const struct rdmaev_observed *o, unsigned int bit);
/* Is it observed with a gap, or not though it could be? */
bool fact_needs_care(const struct rdmaev_observed *o, unsigned int bit);

void put_fact(struct text *t, unsigned int bit);
const char *fact_state_name(enum fact_state state);
/* Nothing if the fact is observed without a gap. */
void put_why(struct text *t, const struct rdmaev_observed *o, unsigned int bit);
/* Nothing if there is nothing to do, or nothing that helps. */
void put_remedy(struct text *t, const struct rdmaev_observed *o, unsigned int bit);

#endif /* ULIB_FACTS_H */
