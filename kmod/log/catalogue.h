/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_CATALOGUE_H
#define RDMAEV_CATALOGUE_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "log.h"

/**
 * struct rdmaev_event_traits - properties of all events of a kind and code
 * @object_type: &enum rdmaev_object_type
 * @severity: &enum rdmaev_severity, in the usual case
 * @ring: &enum rdmaev_ring, likewise
 */
struct rdmaev_event_traits {
	u8 object_type;
	u8 severity;
	u8 ring;
};

extern const struct rdmaev_event_traits rdmaev_traits[RDMAEV_KINDS][RDMAEV_CODE_BIT_OTHER];

struct rdmaev_event_traits rdmaev_unknown_traits(unsigned int kind);
const char *rdmaev_event_name(unsigned int kind, unsigned int code);

/* Has the catalogue a code of a kind? */
static __always_inline bool rdmaev_is_known_code(unsigned int kind, unsigned int code)
{
	return code < RDMAEV_CODE_BIT_OTHER && rdmaev_traits[kind][code].severity;
}

/**
 * rdmaev_event_traits - look up an event; inline, as each event needs it
 * @kind: &enum rdmaev_kind, below RDMAEV_KINDS
 * @code: code of that kind, or any other number
 */
static __always_inline struct rdmaev_event_traits
rdmaev_event_traits(unsigned int kind, unsigned int code)
{
	if (likely(rdmaev_is_known_code(kind, code)))
		return rdmaev_traits[kind][code];
	return rdmaev_unknown_traits(kind);
}

/* Set the code of a record, and what follows from it. */
static __always_inline void rdmaev_record_set_traits(struct rdmaev_record *rec, unsigned int code,
						     struct rdmaev_event_traits traits)
{
	rec->code = min_t(unsigned int, code, U16_MAX);
	rec->object_type = traits.object_type;
	rec->severity = traits.severity;
	rec->ring = traits.ring;
}

/**
 * rdmaev_record_set_code - set the code of a record, and what follows from it
 * @rec: record, of which the kind is set
 * @code: code of that kind
 *
 * Object type, severity and ring are those of the usual case.
 */
static inline void rdmaev_record_set_code(struct rdmaev_record *rec, unsigned int code)
{
	rdmaev_record_set_traits(rec, code, rdmaev_event_traits(rec->kind, code));
}

#endif /* RDMAEV_CATALOGUE_H */
