/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The table of QP transitions, for the checks */
#ifndef ULIB_VERBS_QP_STATE_H
#define ULIB_VERBS_QP_STATE_H

#include "verbs.h"

/* As struct rdmaev_qp_transition */
struct qp_rule {
	uint32_t required;
	uint32_t optional;
	uint32_t ignored;
	uint32_t flags;
};

/* 0, -EINVAL: no such transition, or -ENOTSUP: type of QP is unknown. */
int qp_rule_find(enum rdmaev_qp_transport transport, enum ibv_qp_type type,
		 unsigned int from, unsigned int to, struct qp_rule *rule);

#endif /* ULIB_VERBS_QP_STATE_H */
