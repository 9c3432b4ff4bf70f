/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Owners that connect again */
#ifndef ULIB_INCIDENT_RETRY_H
#define ULIB_INCIDENT_RETRY_H

#include "incident_rules.h"

extern const struct incident_rule connects_again_rule;

/* An owner connects again, after the record that this one follows from. */
static inline bool is_attempt(const struct node *node)
{
	return node->rule == &connects_again_rule;
}

/**
 * struct attempts - attempts of an owner to have a connection again
 * @last: record of the last one, NONE: there was none
 * @count: number of them: all have failed, or only the last ones are accepted
 */
struct attempts {
	size_t last;
	size_t count;
};

/* Those that follow from record @lost, after records were joined. */
struct attempts attempts_after(const struct incident_log *log, size_t lost);

/* The peer has accepted. */
bool is_accepted(const struct rdmaev_record *r);

/* Note record @i, after it was joined. */
void note_retry(struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_RETRY_H */
