// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check a call of ibv_modify_qp() before it is made: a driver answers EINVAL,
 * whatever is wrong.
 */
#include <errno.h>
#include <string.h>

#include "qp_state.h"

/* Later versions only append fields */
static int qp_check_store(const struct rdmaev_qp_check *result, int error,
			  struct rdmaev_qp_check *check)
{
	if (check && check->size < sizeof(*check)) {
		errno = EINVAL;
		return -1;
	}
	if (check) {
		uint32_t size = check->size;

		*check = *result;
		check->size = size;
	}
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

static void qp_check_mask(struct rdmaev_qp_check *c, const struct qp_rule *rule,
			  unsigned int mask)
{
	c->missing = rule->required & ~mask;
	c->unwanted = mask & ~(rule->required | rule->optional | rule->ignored | IBV_QP_STATE);
	if (c->from != c->to)
		c->missing |= IBV_QP_STATE & ~mask;
	if (c->missing)
		c->problems |= RDMAEV_QP_MISSING;
	if (c->unwanted)
		c->problems |= RDMAEV_QP_UNWANTED;
	if (rule->flags & RDMAEV_QP_BY_CM)
		c->problems |= RDMAEV_QP_ONLY_BY_CM;
}

/* 0 or a negative error; fills in @c */
static int qp_check_transition(struct rdmaev_qp_check *c, unsigned int mask)
{
	struct qp_rule rule;
	int error;

	error = qp_rule_find((enum rdmaev_qp_transport)c->transport, (enum ibv_qp_type)c->type,
			     c->from, c->to, &rule);
	if (error == -EINVAL)
		c->problems = RDMAEV_QP_NO_TRANSITION;
	if (error)
		return error;
	qp_check_mask(c, &rule, mask);
	return c->problems ? -EINVAL : 0;
}

int rdmaev_qp_transition_check(enum rdmaev_qp_transport transport,
			       enum ibv_qp_type type, enum ibv_qp_state from,
			       enum ibv_qp_state to, unsigned int mask,
			       struct rdmaev_qp_check *check)
{
	struct rdmaev_qp_check c = {
		.transport = transport,
		.type = type,
		.from = from,
		.to = to,
	};
	int error = qp_check_transition(&c, mask);

	return qp_check_store(&c, error, check);
}

/* Port that the QP has, or will have by this call; 0: none yet */
static uint8_t qp_check_port(const struct ibv_qp_attr *now, const struct ibv_qp_attr *attr,
			     unsigned int mask)
{
	if (mask & IBV_QP_PORT)
		return attr->port_num;
	return now->port_num;
}

/* 0 or a negative error */
static int qp_find_transport(struct ibv_qp *qp, uint8_t port, uint32_t *transport)
{
	struct ibv_port_attr attr;
	int error;

	if (qp->context->device->transport_type == IBV_TRANSPORT_IWARP) {
		*transport = RDMAEV_QP_IWARP;
		return 0;
	}
	/* Before INIT it has no port, and takes no attribute that depends on it */
	error = ibv_query_port(qp->context, port ? port : 1, &attr);
	if (error)
		return -error;
	*transport = attr.link_layer == IBV_LINK_LAYER_ETHERNET ? RDMAEV_QP_ROCE : RDMAEV_QP_IB;
	return 0;
}

/*
 * As modify_qp() in the kernel's uverbs_cmd.c: on the way to RTR the address has
 * the port of the QP; later both may move to another one, together.
 */
static void qp_check_address(struct rdmaev_qp_check *c, const struct ibv_qp_attr *attr,
			     unsigned int mask, uint8_t port)
{
	if (!(mask & IBV_QP_AV) || c->transport == RDMAEV_QP_IWARP)
		return;
	if (c->transport == RDMAEV_QP_ROCE && !attr->ah_attr.is_global)
		c->problems |= RDMAEV_QP_NO_GRH;
	if ((c->to == IBV_QPS_RTR || mask & IBV_QP_PORT) && attr->ah_attr.port_num != port)
		c->problems |= RDMAEV_QP_OTHER_PORT;
}

int rdmaev_qp_modify_check(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			   unsigned int mask, struct rdmaev_qp_check *check)
{
	struct rdmaev_qp_check c = { .type = qp->qp_type };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr now;
	uint8_t port;
	int error;

	error = ibv_query_qp(qp, &now, IBV_QP_STATE | IBV_QP_PORT, &init);
	if (error)
		return qp_check_store(&c, -error, check);
	c.from = mask & IBV_QP_CUR_STATE ? attr->cur_qp_state : now.qp_state;
	c.to = mask & IBV_QP_STATE ? attr->qp_state : c.from;
	port = qp_check_port(&now, attr, mask);
	error = qp_find_transport(qp, port, &c.transport);
	if (error)
		return qp_check_store(&c, error, check);
	error = qp_check_transition(&c, mask);
	if (error == -EINVAL || !error) {
		qp_check_address(&c, attr, mask, port);
		error = c.problems ? -EINVAL : 0;
	}
	return qp_check_store(&c, error, check);
}
