/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rules about QPs, their peers and connections */
#ifndef ULIB_INCIDENT_QP_H
#define ULIB_INCIDENT_QP_H

#include "incident_rules.h"

extern const struct incident_rule other_end_rule;
extern const struct incident_rule same_qp_rule;
extern const struct incident_rule same_call_rule;
extern const struct incident_rule peer_qp_rule;

/* Note record @i for those that may follow from it. */
void note_qp(const struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_QP_H */
