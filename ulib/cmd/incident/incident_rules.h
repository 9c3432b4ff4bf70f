/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rules that join records without a cause to the record that they follow from */
#ifndef ULIB_INCIDENT_RULES_H
#define ULIB_INCIDENT_RULES_H

#include "incident.h"

struct rule_state;

/**
 * struct incident_rule - a rule
 * @name: for JSON
 * @words: for people, why the record belongs there
 * @parent: returns the record that record @i follows from, or NONE. It may
 *	be a later one. NULL: a record is joined when that one comes
 * @kind: RDMAEV_KIND_* of the records that it joins; 0: of several
 */
struct incident_rule {
	const char *name;
	const char *words;
	size_t (*parent)(const struct incident_log *log,
			 const struct rule_state *state, size_t i);
	unsigned int kind;
};

/* The rule that joins record @i, and its parent; NULL: none does. */
const struct incident_rule *find_rule(const struct incident_log *log,
				      const struct rule_state *state, size_t i,
				      size_t *parent);

/* Note record @i for those that follow, after it was joined. */
void note_record(struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_RULES_H */
