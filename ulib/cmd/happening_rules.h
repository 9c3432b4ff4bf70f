/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which records make happenings: the HAPPENING rows of the catalogue */
#ifndef ULIB_HAPPENING_RULES_H
#define ULIB_HAPPENING_RULES_H

#include "happening.h"

/**
 * enum happening_role - what a record does in a happening
 * @HAPPENING_NONE: nothing, it is a line of its own
 * @HAPPENING_BEGINS: begins one, and joins none
 * @HAPPENING_PORT: joins that of its port, or begins one
 * @HAPPENING_CAUSE: joins that of its cause; without a cause as @HAPPENING_PORT
 */
enum happening_role {
	HAPPENING_NONE,
	HAPPENING_BEGINS,
	HAPPENING_PORT,
	HAPPENING_CAUSE,
};

enum happening_role happening_role(const struct rdmaev_record *r);

/* True if a record of @h shows what the event @r says */
bool happening_shows(const struct happening *h, const struct rdmaev_record *r);

/* The first record of @h with this code, or NULL */
const struct rdmaev_record *happening_find(const struct happening *h,
					   unsigned int kind, unsigned int code);

#endif /* ULIB_HAPPENING_RULES_H */
