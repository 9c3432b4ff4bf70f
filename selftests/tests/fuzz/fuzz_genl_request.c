// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's netlink requests: each command, by do and by dump, with its
 * attributes, some of them wrong.
 *
 * Every attribute is sent to every command. A request with an attribute that
 * the command takes, and that is not in the table below, fails the test: it is
 * expected to be refused. With a new command or attribute this file does not
 * compile.
 */
#include <assert.h>

#include "fuzz_genl.h"

static_assert(RDMAEV_CMD_MAX == RDMAEV_CMD_QP_GET, "a new command");
static_assert(RDMAEV_A_INFO_MAX == RDMAEV_A_INFO_OBSERVER_OFF, "a new attribute");
static_assert(RDMAEV_A_PROBE_MAX == RDMAEV_A_PROBE_SEQ, "a new attribute");
static_assert(RDMAEV_A_QP_MAX == RDMAEV_A_QP_SEQ, "a new attribute");
static_assert(RDMAEV_A_DEVICE_MAX == RDMAEV_A_DEVICE_CONNECTING, "a new attribute");
static_assert(RDMAEV_A_PORT_MAX == RDMAEV_A_PORT_QUERY_FAILED_SINCE_NS, "a new attribute");
static_assert(RDMAEV_A_COUNTER_MAX == RDMAEV_A_COUNTER_SEQ, "a new attribute");
static_assert(RDMAEV_A_CQ_MAX == RDMAEV_A_CQ_SEQ, "a new attribute");
static_assert(RDMAEV_A_RECORD_MAX == RDMAEV_A_RECORD_PROBE_BODY, "a new attribute");
static_assert(RDMAEV_A_FILTER_MAX == 9, "a new attribute");
static_assert(RDMAEV_A_KIND_CODE_MAX == RDMAEV_A_KIND_CODE_CODES, "a new attribute");
static_assert(RDMAEV_A_TARGET_MAX == RDMAEV_A_TARGET_PORT, "a new attribute");

#define TYPES		48U		/* more than any set has */
#define NEST		0xffff		/* as a size: any */

#define LIST(number, type, attrs) \
	.nr = RDMAEV_IOC_##number, .entry = sizeof(struct type), .set = &(attrs)

static const struct command commands[] = {
	{
		.cmd = RDMAEV_CMD_INFO_GET, .name = "info-get", .where = IN_DO,
	}, {
		.cmd = RDMAEV_CMD_DEVICE_GET, .name = "device-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_DEVICE_REMOVED, 0, IN_DUMP },
		},
		LIST(DEVICES, rdmaev_device, rdmaev_device_attrs),
	}, {
		.cmd = RDMAEV_CMD_PORT_GET, .name = "port-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_PORT_DEVICE, 4, IN_DUMP },
			{ RDMAEV_A_PORT_REMOVED, 0, IN_DUMP },
		},
		LIST(PORTS, rdmaev_port, rdmaev_port_attrs),
	}, {
		.cmd = RDMAEV_CMD_COUNTER_GET, .name = "counter-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_COUNTER_DEVICE, 4, IN_DUMP },
			{ RDMAEV_A_COUNTER_PORT, 4, IN_DUMP },
			{ RDMAEV_A_COUNTER_REMOVED, 0, IN_DUMP },
		},
		LIST(COUNTERS, rdmaev_counter, rdmaev_counter_attrs),
	}, {
		.cmd = RDMAEV_CMD_CQ_GET, .name = "cq-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_CQ_DEVICE, 4, IN_DUMP },
			{ RDMAEV_A_CQ_SUMS, 0, IN_DUMP },
		},
		LIST(CQS, rdmaev_cq_stats, rdmaev_cq_attrs),
	}, {
		.cmd = RDMAEV_CMD_HISTORY_GET, .name = "history-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_RECORD_SEQ, 8, IN_DO | NEEDED | IN_DUMP },
			{ RDMAEV_A_RECORD_FILTER, NEST, IN_DUMP },
		},
	}, {
		.cmd = RDMAEV_CMD_PROBE_GET, .name = "probe-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_PROBE_DEVICE, 4, IN_DUMP },
		},
		LIST(PROBES, rdmaev_probe, rdmaev_probe_attrs),
	}, {
		.cmd = RDMAEV_CMD_QP_GET, .name = "qp-get", .where = IN_DUMP,
		.rules = {
			{ RDMAEV_A_QP_DEVICE, 4, IN_DUMP },
		},
		LIST(QPS, rdmaev_qp, rdmaev_qp_attrs),
	},
};

static_assert(ARRAY_SIZE(commands) == GENL_COMMANDS, "all but the notification");

const struct command *request_command(unsigned int which)
{
	return &commands[which];
}

const void *request_value(const struct request *req, uint16_t type)
{
	const void *value = NULL;
	unsigned int i;

	/* The last one counts. */
	for (i = 0; i < req->n; i++) {
		if ((req->attrs[i].type & NLA_TYPE_MASK) == type)
			value = req->attrs[i].bytes;
	}
	return value;
}

uint32_t request_number(const struct request *req, uint16_t type, uint32_t otherwise)
{
	const uint32_t *value = request_value(req, type);

	return value ? *value : otherwise;
}

static void add(struct request *req, uint16_t type, uint16_t size, uint64_t value)
{
	req->attrs[req->n].type = type;
	req->attrs[req->n].size = size;
	memset(req->attrs[req->n].bytes, 0, sizeof(req->attrs[req->n].bytes));
	req->attrs[req->n++].u64 = size == 4 ? (uint32_t)value : value;
}

/* A valid value; the object that it names need not exist. */
static uint64_t choose_value(const struct request *req, uint16_t type)
{
	uint8_t cmd = req->c->cmd;
	int exists;

	if (cmd == RDMAEV_CMD_HISTORY_GET)
		return one_in(8) ? odd_number() : 1 + below(log_newest() + 2);
	if (cmd == RDMAEV_CMD_COUNTER_GET && type == RDMAEV_A_COUNTER_PORT)
		return one_in(16) ? odd_number() : below(4);
	/* All others are devices. */
	if (cmd == RDMAEV_CMD_CQ_GET)
		return one_in(4) ? choose_device(&exists) : fuzz.live[0];
	return one_in(16) ? RDMAEV_ANY : choose_device(&exists);
}

/* A wrong attribute in the nest of a filter */
static void spoil_nest(struct genl *g)
{
	uint32_t nest;
	int i;

	may_fail(EINVAL);
	may_fail(ERANGE);
	switch (below(10)) {
	case 0:
		genl_u32(g, RDMAEV_A_FILTER_MAX + 1 + below(20), rnd());
		break;
	case 1:
		genl_u32(g, RDMAEV_A_FILTER_KINDS, wrong_bit(0xffe));
		break;
	case 2:
		genl_u32(g, RDMAEV_A_FILTER_SEVERITIES, wrong_bit(0x0e));
		break;
	case 3:
		genl_u32(g, RDMAEV_A_FILTER_OBJECT_TYPES, wrong_bit(0x7f));
		break;
	case 4:		/* too large */
		genl_u64(g, one_in(3) ? RDMAEV_A_FILTER_OBJECT :
			    one_in(2) ? RDMAEV_A_FILTER_PID : RDMAEV_A_FILTER_UID,
			 rnd() | 1ULL << (32 + below(32)));
		break;
	case 5:
		genl_codes(g, one_in(2) ? 0 : RDMAEV_KIND_MAX + 1 + below(1000), 1);
		break;
	case 6:		/* one is missing or unknown, or no codes */
		nest = genl_nest(g, RDMAEV_A_FILTER_KIND_CODE);
		i = below(4);
		if (i != 0)
			genl_u32(g, RDMAEV_A_KIND_CODE_KIND, RDMAEV_KIND_LOST);
		if (i != 1)
			genl_u64(g, RDMAEV_A_KIND_CODE_CODES, i != 2);
		if (i == 3)
			genl_u32(g, RDMAEV_A_KIND_CODE_MAX + 1 + below(20), rnd());
		genl_nest_end(g, nest);
		break;
	case 7:
		nest = genl_nest(g, RDMAEV_A_FILTER_TARGET);
		genl_u32(g, RDMAEV_A_TARGET_PORT, rnd());
		if (one_in(2)) {
			genl_put(g, RDMAEV_A_TARGET_DEVICE_NAME, "sim0", 5);
			genl_u32(g, RDMAEV_A_TARGET_MAX + 1 + below(20), rnd());
		}
		genl_nest_end(g, nest);
		break;
	case 8:
		genl_target(g, one_in(3) ? "" : one_in(2) ? "*sim0" : "sim*0*", below(3));
		break;
	default:
		for (i = 0; i <= RDMAEV_TARGETS; i++)
			genl_target(g, "sim0", i);
		break;
	}
}

static void add_filter(struct request *req)
{
	static struct genl tool;
	uint32_t nest;
	size_t len;

	memset(&req->filter, 0, sizeof(req->filter));
	fill_filter(&req->filter);
	genl_begin(&tool, 0, 0);
	nest = genl_nest(&tool, RDMAEV_A_RECORD_FILTER);
	genl_filter(&tool, &req->filter);
	if (one_in(4))
		spoil_nest(&tool);
	genl_nest_end(&tool, nest);
	len = tool.req.hdr.nlmsg_len - nest - NLA_HDRLEN;
	add(req, RDMAEV_A_RECORD_FILTER | NLA_F_NESTED, len, 0);
	memcpy(req->attrs[req->n - 1].bytes, tool.req.bytes + nest + NLA_HDRLEN, len);
}

void request_fill(struct request *req)
{
	const struct rule *rule;

	for (rule = req->c->rules; rule < req->c->rules + RULES && rule->type; rule++) {
		int is_needed = !req->is_dump && rule->where & NEEDED;

		if (!(rule->where & (req->is_dump ? IN_DUMP : IN_DO)) ||
		    (!is_needed && one_in(2)))
			continue;
		if (rule->size == NEST)
			add_filter(req);
		else
			add(req, rule->type, rule->size,
			    rule->size ? choose_value(req, rule->type) : 0);
	}
}

static int is_taken(const struct request *req, uint16_t type)
{
	const struct rule *rule;

	for (rule = req->c->rules; rule < req->c->rules + RULES && rule->type; rule++) {
		if (rule->type == type)
			return rule->where & (req->is_dump ? IN_DUMP : IN_DO);
	}
	return 0;
}

/* True if it is required and occurs once */
static int is_the_one(const struct request *req, unsigned int which)
{
	uint16_t type = req->attrs[which].type;
	const struct rule *rule;
	unsigned int i, n = 0;

	for (i = 0; i < req->n; i++)
		n += (req->attrs[i].type & NLA_TYPE_MASK) == (type & NLA_TYPE_MASK);
	for (rule = req->c->rules; rule < req->c->rules + RULES && rule->type; rule++) {
		if (rule->type == type)
			return n == 1 && !req->is_dump && rule->where & NEEDED;
	}
	return 0;
}

/* Attributes of numbers have 4 or 8 bytes. */
static int is_number(const struct request *req, unsigned int which)
{
	uint16_t type = req->attrs[which].type & NLA_TYPE_MASK;
	const struct rule *rule;

	for (rule = req->c->rules; rule < req->c->rules + RULES && rule->type; rule++) {
		if (rule->type == type)
			return rule->size == 4 || rule->size == 8;
	}
	return 0;
}

/* Make a part of the request wrong, or only unusual. */
void request_spoil(struct request *req)
{
	unsigned int i = req->n ? below(req->n) : 0;
	const struct rule *rule;
	uint16_t type;

	switch (below(8)) {
	case 0:		/* an attribute of the other kind of request */
		rule = &req->c->rules[below(ARRAY_SIZE(req->c->rules))];
		if (rule->type && !is_taken(req, rule->type)) {
			add(req, rule->type, rule->size == NEST ? 0 : rule->size, 1);
			may_fail(EINVAL);
			return;
		}
		/* Or an attribute of neither kind */
		do {
			type = one_in(8) ? TYPES + below(0x3fff - TYPES) : below(TYPES);
		} while (is_taken(req, type));
		add(req, type, 4 * below(4), rnd());
		may_fail(EINVAL);
		may_fail(ERANGE);
		return;
	case 1:
		req->more = 1 + below(3);
		may_fail(EINVAL);
		return;
	}
	if (!req->n)
		return;
	switch (below(6)) {
	case 0:		/* another length */
		if (req->attrs[i].size && one_in(2))
			req->attrs[i].size--;
		else
			req->attrs[i].size += 1 + below(100);
		/* Another length of the same number, which is valid */
		if (req->attrs[i].size == 8 && is_number(req, i))
			return;
		may_fail(EINVAL);
		may_fail(ERANGE);
		break;
	case 1:		/* a nest without its flag, or a flag only */
		req->attrs[i].type ^= NLA_F_NESTED;
		may_fail(EINVAL);
		break;
	case 2:		/* a bit that is ignored */
		req->attrs[i].type |= NLA_F_NET_BYTEORDER;
		break;
	case 3:		/* the same attribute twice */
		if (req->n < ARRAY_SIZE(req->attrs))
			req->attrs[req->n++] = req->attrs[i];
		break;
	case 4:		/* one is missing */
		if (!is_the_one(req, i))
			break;
		may_fail(EINVAL);
		memmove(&req->attrs[i], &req->attrs[i + 1],
			(req->n - i - 1) * sizeof(req->attrs[0]));
		req->n--;
		break;
	default:	/* the end is missing, unless it is only padding */
		req->cut = 1 + below(3);
		if (req->cut > -(unsigned int)req->attrs[req->n - 1].size % NLA_ALIGNTO)
			may_fail(EINVAL);
		break;
	}
}

void request_put(struct genl *g, const struct request *req)
{
	unsigned int i;

	genl_begin(g, req->c->cmd, req->is_dump ? NLM_F_DUMP : NLM_F_ACK);
	for (i = 0; i < req->n && g->req.hdr.nlmsg_len + sizeof(req->attrs[i].bytes) <
	     sizeof(g->req); i++)
		genl_put(g, req->attrs[i].type, req->attrs[i].bytes, req->attrs[i].size);
	memset(g->req.bytes + g->req.hdr.nlmsg_len, 0, req->more);
	g->req.hdr.nlmsg_len += req->more;
	g->req.hdr.nlmsg_len -= req->cut;
	fuzz.arg = g->req.bytes;
	fuzz.arg_size = g->req.hdr.nlmsg_len;
}
