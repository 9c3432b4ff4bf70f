/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rules that join records without a cause to the record that they follow from */
#ifndef ULIB_INCIDENT_RULES_H
#define ULIB_INCIDENT_RULES_H

#include "incident.h"

/**
 * struct rule_state - state of ports and devices while the log is read
 * @ports: ports that have been down, @ports_count of them
 * @failed: devices that failed, @failed_count of them
 * @is_full: out of memory
 */
struct rule_state {
	struct rule_port *ports;
	size_t ports_count;
	struct rule_device *failed;
	size_t failed_count;
	bool is_full;
};

/**
 * struct incident_rule - a rule
 * @name: for JSON
 * @words: for people, why the record belongs there
 * @parent: returns the record that record @i follows from, or NONE. It is one
 *	before @i
 */
struct incident_rule {
	const char *name;
	const char *words;
	size_t (*parent)(const struct incident_log *log,
			 const struct rule_state *state, size_t i);
};

/* The rule that joins record @i, and its parent; NULL: none does. */
const struct incident_rule *find_rule(const struct incident_log *log,
				      const struct rule_state *state, size_t i,
				      size_t *parent);

/* Note what record @i says about its port and device, after it was joined. */
void note_record(const struct incident_log *log, struct rule_state *state, size_t i);
void free_rule_state(struct rule_state *state);

/* True if the record says that what the root of its tree began is over. */
bool is_end(const struct rdmaev_record *root, const struct rdmaev_record *r);

/* True if the record ends it as its device was removed, whose tree it may not be in */
bool is_end_of_device(const struct rdmaev_record *root, const struct rdmaev_record *r);

#endif /* ULIB_INCIDENT_RULES_H */
