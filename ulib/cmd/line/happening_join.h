/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which happening a record joins */
#ifndef ULIB_HAPPENING_JOIN_H
#define ULIB_HAPPENING_JOIN_H

#include "happening.h"
#include "happening_rules.h"

/*
 * A record that has its cause in a happening joins it for this time: as long as
 * the kernel repeats a query that contradicts the event.
 */
#define HAPPENING_CAUSE_NS	5000000000ULL

static inline const struct rdmaev_record *happening_first(const struct happening *h)
{
	return &h->records[0];
}

static inline const struct rdmaev_record *happening_last(const struct happening *h)
{
	return &h->records[h->count - 1];
}

/* The newest happening that @r joins, or NULL */
struct happening *happening_to_join(const struct happenings *all,
				    const struct rdmaev_record *r,
				    enum happening_role role);

/* True if @r says that the port of @h has left ACTIVE, which @h is not about */
bool happening_is_past(const struct happening *h, const struct rdmaev_record *r);

/* The first record of @h with this code, or NULL */
const struct rdmaev_record *happening_find(const struct happening *h,
					   unsigned int kind, unsigned int code);

/* True if a record of @h shows what the event @r says */
bool happening_shows(const struct happening *h, const struct rdmaev_record *r);

#endif /* ULIB_HAPPENING_JOIN_H */
