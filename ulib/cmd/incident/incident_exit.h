/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QPs that end with their process */
#ifndef ULIB_INCIDENT_EXIT_H
#define ULIB_INCIDENT_EXIT_H

#include "incident_rules.h"

extern const struct incident_rule same_exit_rule;

/* True if the QP was destroyed because its process ended. */
bool is_destroyed_by_exit(const struct rdmaev_record *r);

/* Note a QP that ends with its process, after it was joined. */
void note_exit(const struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_EXIT_H */
