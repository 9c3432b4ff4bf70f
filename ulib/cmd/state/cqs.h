/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of CQs, for rdmaev cqs and rdmaev stats */
#ifndef ULIB_CQS_H
#define ULIB_CQS_H

#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "output/table.h"
#include "text.h"

/* CQs of all devices. 0, or -1 after a message; free *@list in either case. */
int list_cqs(struct rdmaev *h, unsigned int flags, struct rdmaev_cq_stats **list,
	     size_t *count, uint64_t *seq);

#define COUNTER_TITLES								\
	"NOTIFIED", "POLLS", "EMPTY", "COMPLETED", "FAILED", "FLUSHED", "LAST"

/* Failed completions, flushed ones too */
uint64_t failures(const struct rdmaev_cq_stats *stats);

void fill_counters(struct table *table, const struct rdmaev_cq_stats *stats,
		   uint64_t now);

/* Keys from "since_ns" to "failures". */
void key_counters(struct text *t, const struct rdmaev_cq_stats *stats);

#endif /* ULIB_CQS_H */
