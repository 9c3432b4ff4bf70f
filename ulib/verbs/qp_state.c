// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transitions of QP states as a table: which there are, and which attributes
 * ibv_modify_qp() needs and takes for each.
 *
 * The table of InfiniBand is that of ib_core, qp_state_table in
 * drivers/infiniband/core/verbs.c, which ib_modify_qp_is_ok() reads. It is the
 * same in Linux 5.10 to 7.3, a test compares them, but for IBV_QP_RATE_LIMIT: 7.3
 * leaves it to the driver, others have it for raw packets alone. Two things come from
 * modify_qp() in drivers/infiniband/core/uverbs_cmd.c, through which a program
 * has to go: attributes of XRC QPs that it takes out of the mask, and the port
 * that it adds to an address outside of INIT -> RTR, which a UC QP cannot have.
 * That RoCE has no alternate path is in _ib_modify_qp() of core/verbs.c.
 */
#include <errno.h>
#include <string.h>

#include "qp_state.h"

/* Types of QPs as a mask */
#define RC	(1U << 0)
#define UC	(1U << 1)
#define UD	(1U << 2)
#define RAW	(1U << 3)
#define XRC_S	(1U << 4)
#define XRC_R	(1U << 5)
#define CONN	(RC | UC | XRC_S | XRC_R)

#define A(name) IBV_QP_##name
#define CONN_INIT (A(PKEY_INDEX) | A(PORT) | A(ACCESS_FLAGS))
#define UD_INIT	(A(PKEY_INDEX) | A(PORT) | A(QKEY))
#define PEER	(A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN))
#define PEER_RD	(PEER | A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER))
#define SEND	(A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) | A(SQ_PSN) | A(MAX_QP_RD_ATOMIC))
#define PATH	(A(ALT_PATH) | A(ACCESS_FLAGS) | A(PATH_MIG_STATE))
#define LIVE	(PATH | A(CUR_STATE))
#define LIVE_RD	(LIVE | A(MIN_RNR_TIMER))
#define DRAINED	(PATH | A(AV) | A(PORT) | A(PKEY_INDEX) | A(TIMEOUT))

/* All that ib_uverbs takes without the extended command, but the state */
#define STANDARD ((1U << 21) - 1 - A(STATE))

struct qp_row {
	uint8_t from;
	uint8_t to;
	uint8_t types;
	uint32_t required;
	uint32_t optional;
};

#define ROW(from, to, types, required, optional) \
	{ IBV_QPS_##from, IBV_QPS_##to, types, required, optional }

/* A transition that has no row for a type takes no attributes */
static const struct qp_row qp_rows[] = {
	ROW(RESET, INIT, CONN, CONN_INIT, 0),
	ROW(RESET, INIT, UD, UD_INIT, 0),
	ROW(RESET, INIT, RAW, A(PORT), 0),
	ROW(INIT, INIT, CONN, 0, CONN_INIT),
	ROW(INIT, INIT, UD, 0, UD_INIT),
	ROW(INIT, RTR, UC | XRC_S, PEER, A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX)),
	ROW(INIT, RTR, RC | XRC_R, PEER_RD, A(ALT_PATH) | A(ACCESS_FLAGS) | A(PKEY_INDEX)),
	ROW(INIT, RTR, UD, 0, A(PKEY_INDEX) | A(QKEY)),
	ROW(RTR, RTS, RC, SEND, LIVE_RD),
	ROW(RTR, RTS, XRC_S, SEND, LIVE),
	ROW(RTR, RTS, XRC_R, A(TIMEOUT) | A(SQ_PSN), LIVE_RD),
	ROW(RTR, RTS, UC, A(SQ_PSN), LIVE),
	ROW(RTR, RTS, UD, A(SQ_PSN), A(CUR_STATE) | A(QKEY)),
	ROW(RTR, RTS, RAW, 0, A(RATE_LIMIT)),
	ROW(RTS, RTS, RC | XRC_R, 0, LIVE_RD),
	ROW(RTS, RTS, UC | XRC_S, 0, LIVE),
	ROW(RTS, RTS, UD, 0, A(CUR_STATE) | A(QKEY)),
	ROW(RTS, RTS, RAW, 0, A(RATE_LIMIT)),
	ROW(RTS, SQD, CONN | UD, 0, A(EN_SQD_ASYNC_NOTIFY)),
	ROW(SQD, RTS, RC | XRC_R, 0, LIVE_RD),
	ROW(SQD, RTS, UC | XRC_S, 0, LIVE),
	ROW(SQD, RTS, UD, 0, A(CUR_STATE) | A(QKEY)),
	ROW(SQD, SQD, RC, 0, DRAINED | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC) |
	    A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER)),
	ROW(SQD, SQD, XRC_S, 0, DRAINED | A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_QP_RD_ATOMIC)),
	ROW(SQD, SQD, XRC_R, 0, DRAINED | A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER)),
	ROW(SQD, SQD, UC, 0, PATH | A(PKEY_INDEX)),
	ROW(SQD, SQD, UD, 0, A(PKEY_INDEX) | A(QKEY)),
	ROW(SQE, RTS, UD, 0, A(CUR_STATE) | A(QKEY)),
	ROW(SQE, RTS, UC, 0, A(CUR_STATE) | A(ACCESS_FLAGS)),
};

#define TO(state) (1U << IBV_QPS_##state)

/* Transitions of all types: from a state to those in the mask */
static const uint8_t qp_next[] = {
	[IBV_QPS_RESET] = TO(RESET) | TO(INIT),
	[IBV_QPS_INIT] = TO(RESET) | TO(INIT) | TO(RTR) | TO(ERR),
	[IBV_QPS_RTR] = TO(RESET) | TO(RTS) | TO(ERR),
	[IBV_QPS_RTS] = TO(RESET) | TO(RTS) | TO(SQD) | TO(ERR),
	[IBV_QPS_SQD] = TO(RESET) | TO(RTS) | TO(SQD) | TO(ERR),
	[IBV_QPS_SQE] = TO(RESET) | TO(RTS) | TO(ERR),
	[IBV_QPS_ERR] = TO(RESET) | TO(ERR),
};

/*
 * iWARP has no RESET, INIT and RTR, but one state Idle; SQD is Closing and SQE
 * is Terminate: both end the connection. A QP cannot be reset: drivers ignore
 * that, or make it an error. See siw_qp_modify(), irdma_modify_qp() and
 * c4iw_ib_modify_qp() in the kernel.
 */
static const uint8_t iwarp_next[] = {
	[IBV_QPS_RESET] = TO(INIT) | TO(ERR),
	[IBV_QPS_INIT] = TO(INIT) | TO(RTR) | TO(RTS) | TO(ERR),
	[IBV_QPS_RTR] = TO(RTR) | TO(RTS) | TO(ERR),
	[IBV_QPS_RTS] = TO(RTS) | TO(SQD) | TO(SQE) | TO(ERR),
	[IBV_QPS_SQD] = TO(ERR),
	[IBV_QPS_SQE] = TO(ERR),
	[IBV_QPS_ERR] = TO(ERR),
};

static unsigned int qp_type_bit(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RC;
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_UD:
		return UD;
	case IBV_QPT_RAW_PACKET:
		return RAW;
	case IBV_QPT_XRC_SEND:
		return XRC_S;
	case IBV_QPT_XRC_RECV:
		return XRC_R;
	default:
		return 0;
	}
}

/* What modify_qp_mask() of ib_uverbs takes out */
static uint32_t qp_ignored(unsigned int type)
{
	switch (type) {
	case XRC_S:
		return A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER);
	case XRC_R:
		return A(MAX_QP_RD_ATOMIC) | A(RETRY_CNT) | A(RNR_RETRY);
	default:
		return 0;
	}
}

static void qp_set_row(struct qp_rule *rule, unsigned int type, unsigned int from,
		       unsigned int to)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qp_rows); i++) {
		const struct qp_row *row = &qp_rows[i];

		if (row->from == from && row->to == to && row->types & type) {
			rule->required = row->required;
			rule->optional = row->optional;
			return;
		}
	}
}

static void iwarp_set(struct qp_rule *rule, unsigned int from, unsigned int to)
{
	rule->optional = A(ACCESS_FLAGS);
	rule->ignored = STANDARD & ~rule->optional;
	if (to == IBV_QPS_RTS && from != IBV_QPS_RTS)
		rule->flags = RDMAEV_QP_BY_CM;
}

int qp_rule_find(enum rdmaev_qp_transport transport, enum ibv_qp_type type,
		 unsigned int from, unsigned int to, struct qp_rule *rule)
{
	unsigned int bit = qp_type_bit(type);
	const uint8_t *next = transport == RDMAEV_QP_IWARP ? iwarp_next : qp_next;

	memset(rule, 0, sizeof(*rule));
	if (!bit)
		return -ENOTSUP;
	if (from > IBV_QPS_ERR || to > IBV_QPS_ERR || transport > RDMAEV_QP_IWARP ||
	    !(next[from] & 1U << to))
		return -EINVAL;
	if (transport == RDMAEV_QP_IWARP) {
		iwarp_set(rule, from, to);
		return 0;
	}
	qp_set_row(rule, bit, from, to);
	rule->ignored = qp_ignored(bit);
	if (transport == RDMAEV_QP_ROCE) {
		rule->optional &= ~(uint32_t)A(ALT_PATH);
		if ((rule->required | rule->optional) & A(AV))
			rule->flags = RDMAEV_QP_NEEDS_GRH;
	}
	return 0;
}

int rdmaev_qp_transition(enum rdmaev_qp_transport transport,
			 enum ibv_qp_type type, enum ibv_qp_state from,
			 enum ibv_qp_state to, struct rdmaev_qp_transition *t)
{
	struct qp_rule rule;
	int error;

	error = t->size < sizeof(*t) ? -EINVAL : qp_rule_find(transport, type, from, to, &rule);
	if (error) {
		errno = -error;
		return -1;
	}
	t->required = rule.required;
	t->optional = rule.optional;
	t->ignored = rule.ignored;
	t->flags = rule.flags;
	return 0;
}
