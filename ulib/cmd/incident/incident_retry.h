/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rule about owners that connect again */
#ifndef ULIB_INCIDENT_RETRY_H
#define ULIB_INCIDENT_RETRY_H

#include "incident_rules.h"

extern const struct incident_rule connects_again_rule;

/* The peer has accepted. */
bool is_accepted(const struct rdmaev_record *r);

/* Note record @i, after it was joined. */
void note_retry(struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_RETRY_H */
