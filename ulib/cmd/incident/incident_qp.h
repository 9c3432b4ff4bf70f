/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rules about QPs, their peers and connections */
#ifndef ULIB_INCIDENT_QP_H
#define ULIB_INCIDENT_QP_H

#include "incident_rules.h"

extern const struct incident_rule other_end_rule;
extern const struct incident_rule same_qp_rule;

#endif /* ULIB_INCIDENT_QP_H */
