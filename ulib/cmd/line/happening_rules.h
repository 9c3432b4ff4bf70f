/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which records make happenings: the HAPPENING rows of the catalogue */
#ifndef ULIB_HAPPENING_RULES_H
#define ULIB_HAPPENING_RULES_H

#include <rdmaev.h>

struct fact;

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

/* The attribute whose records show what the event @r says, or NULL */
const struct fact *happening_shown_by(const struct rdmaev_record *r);

#endif /* ULIB_HAPPENING_RULES_H */
