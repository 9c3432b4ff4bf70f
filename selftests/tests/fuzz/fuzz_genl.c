// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fuzzer's netlink requests: each command, by do and by dump, with the
 * attributes that it takes, and then with something wrong in them. What is answered
 * must be what the node answers; a dump of records must have what a reader would get.
 *
 * Every attribute is sent to every command: one that a command takes and that is
 * not in our table fails, as it is expected to be refused. And a new one does not
 * compile, so that somebody looks:
 */
#include <assert.h>

#include "fuzz.h"
#include "genl.h"

static_assert(RDMAEV_CMD_MAX == RDMAEV_CMD_EVENT_NTF, "a new command");
static_assert(RDMAEV_A_INFO_MAX == RDMAEV_A_INFO_NEWEST_SEQ, "a new attribute");
static_assert(RDMAEV_A_DEVICE_MAX == RDMAEV_A_DEVICE_SEQ, "a new attribute");
static_assert(RDMAEV_A_PORT_MAX == RDMAEV_A_PORT_SEQ, "a new attribute");
static_assert(RDMAEV_A_COUNTER_MAX == RDMAEV_A_COUNTER_SEQ, "a new attribute");
static_assert(RDMAEV_A_CQ_MAX == RDMAEV_A_CQ_SEQ, "a new attribute");
static_assert(RDMAEV_A_RECORD_MAX == RDMAEV_A_RECORD_POSITION, "a new attribute");
static_assert(RDMAEV_A_FILTER_MAX == RDMAEV_A_FILTER_TARGET, "a new attribute");
static_assert(RDMAEV_A_KIND_CODE_MAX == RDMAEV_A_KIND_CODE_CODES, "a new attribute");
static_assert(RDMAEV_A_TARGET_MAX == RDMAEV_A_TARGET_PORT, "a new attribute");

#define ROOM		2048U
#define TYPES		48U		/* more than any set has */
#define NEST_MAX	4096U		/* of what is nested */
#define NEST		0xffff		/* as a size: as much as it has */

/* Where an attribute may be, and where it must be. */
#define IN_DO		1
#define NEEDED		2
#define IN_DUMP		4

struct rule {
	uint16_t type;
	uint16_t size;
	int where;
};

/**
 * struct command - a command of the family
 * @cmd: its number
 * @name: its name
 * @where: IN_DO, IN_DUMP
 * @rules: attributes that it takes
 * @nr: ioctl that answers the same, if it is a list
 * @entry: size of an entry of that
 * @fields: attributes of an answer
 * @nfields: how many
 */
struct command {
	uint8_t cmd;
	const char *name;
	int where;
	struct rule rules[5];
	unsigned int nr;
	uint32_t entry;
	const struct rdmaev_attr_set *set;
};

#define LIST(number, type, attrs) \
	.nr = RDMAEV_IOC_##number, .entry = sizeof(struct type), .set = &(attrs)

static const struct command commands[] = {
	{
		.cmd = RDMAEV_CMD_INFO_GET, .name = "info-get", .where = IN_DO,
	}, {
		.cmd = RDMAEV_CMD_DEVICE_GET, .name = "device-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_DEVICE_INDEX, 4, IN_DO | NEEDED },
			{ RDMAEV_A_DEVICE_REMOVED, 0, IN_DUMP },
		},
		LIST(DEVICES, rdmaev_device, rdmaev_device_attrs),
	}, {
		.cmd = RDMAEV_CMD_PORT_GET, .name = "port-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_PORT_DEVICE, 4, IN_DO | NEEDED | IN_DUMP },
			{ RDMAEV_A_PORT_PORT, 4, IN_DO | NEEDED },
			{ RDMAEV_A_PORT_REMOVED, 0, IN_DUMP },
		},
		LIST(PORTS, rdmaev_port, rdmaev_port_attrs),
	}, {
		.cmd = RDMAEV_CMD_COUNTER_GET, .name = "counter-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_COUNTER_DEVICE, 4, IN_DO | NEEDED | IN_DUMP },
			{ RDMAEV_A_COUNTER_PORT, 4, IN_DO | IN_DUMP },
			{ RDMAEV_A_COUNTER_KIND, 4, IN_DO | NEEDED },
			{ RDMAEV_A_COUNTER_CODE, 4, IN_DO | NEEDED },
			{ RDMAEV_A_COUNTER_REMOVED, 0, IN_DUMP },
		},
		LIST(COUNTERS, rdmaev_counter, rdmaev_counter_attrs),
	}, {
		.cmd = RDMAEV_CMD_CQ_GET, .name = "cq-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_CQ_DEVICE, 4, IN_DO | NEEDED | IN_DUMP },
			{ RDMAEV_A_CQ_CQ, 4, IN_DO | NEEDED },
			{ RDMAEV_A_CQ_SUMS, 0, IN_DUMP },
		},
		LIST(CQS, rdmaev_cq_stats, rdmaev_cq_attrs),
	}, {
		.cmd = RDMAEV_CMD_HISTORY_GET, .name = "history-get", .where = IN_DO | IN_DUMP,
		.rules = {
			{ RDMAEV_A_RECORD_SEQ, 8, IN_DO | NEEDED | IN_DUMP },
			{ RDMAEV_A_RECORD_FILTER, NEST, IN_DUMP },
		},
	},
};

static_assert(ARRAY_SIZE(commands) == RDMAEV_CMD_MAX - 1, "all but the notification");

/**
 * struct request - a request, before it is put together
 * @c: its command
 * @is_dump: NLM_F_DUMP
 * @n: attributes
 * @attrs: attributes; the last ones may be wrong
 * @filter: what is in that of a filter, if it is in order
 * @cut: bytes that are missing at its end
 * @more: bytes that are no attribute there
 */
struct request {
	const struct command *c;
	int is_dump;
	unsigned int n;
	struct {
		uint16_t type;
		uint16_t size;
		union {
			char bytes[NEST_MAX + 100];
			__u16 u16;
			__u32 u32;
			__u64 u64;
		};
	} attrs[10];
	struct rdmaev_filter filter;
	unsigned int cut;
	unsigned int more;
};

static struct genl sock = { .fd = -1 };		/* asks */
static struct genl ear = { .fd = -1 };		/* listens */
static int in_all;				/* the ear is in the group all */
static int in_device;				/* and in device */
static int was_in_device;			/* and was, so that much comes twice */
static uint64_t heard;				/* the last it has heard of all; 0: unsure */
static int has_overrun;				/* and unsure until it has heard all there is */

static char list[ROOM * sizeof(struct rdmaev_cq_stats)];

static void open_sock(void)
{
	if (sock.fd >= 0)
		genl_close(&sock);
	if (genl_open(&sock)) {
		perror("netlink");
		exit(1);
	}
}

static void open_ear(void)
{
	if (ear.fd >= 0)
		genl_close(&ear);
	if (genl_open(&ear)) {
		perror("netlink");
		exit(1);
	}
	in_all = 0;
	in_device = 0;
	was_in_device = 0;
	has_overrun = 0;
	heard = 0;
}

void genl_begin_epoch(void)
{
	open_sock();
	open_ear();
}

void genl_end_epoch(void)
{
	if (sock.fd >= 0)
		genl_close(&sock);
	if (ear.fd >= 0)
		genl_close(&ear);
	sock.fd = -1;
	ear.fd = -1;
}

static const void *value_of(const struct request *req, uint16_t type)
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

static uint32_t number_of(const struct request *req, uint16_t type, uint32_t otherwise)
{
	const uint32_t *value = value_of(req, type);

	return value ? *value : otherwise;
}

/* The list that the node has for a request; how many, or -errno. */
static int ask_node(const struct request *req)
{
	union {
		struct rdmaev_devices list;
		struct rdmaev_ports ports;
		struct rdmaev_cqs cqs;
		struct rdmaev_counters counters;
	} arg = {
		.list.entry_size = req->c->entry,
		.list.count = ROOM,
		.list.entries = (uintptr_t)list,
	};

	switch (req->c->cmd) {
	case RDMAEV_CMD_DEVICE_GET:
		arg.list.size = sizeof(arg.list);
		arg.list.flags = !!value_of(req, RDMAEV_A_DEVICE_REMOVED);
		break;
	case RDMAEV_CMD_PORT_GET:
		arg.list.size = sizeof(arg.ports);
		arg.list.flags = !!value_of(req, RDMAEV_A_PORT_REMOVED);
		arg.ports.device = number_of(req, RDMAEV_A_PORT_DEVICE, RDMAEV_ANY);
		break;
	case RDMAEV_CMD_COUNTER_GET:
		arg.list.size = sizeof(arg.counters);
		arg.list.flags = !!value_of(req, RDMAEV_A_COUNTER_REMOVED);
		arg.counters.device = number_of(req, RDMAEV_A_COUNTER_DEVICE, RDMAEV_ANY);
		arg.counters.port = number_of(req, RDMAEV_A_COUNTER_PORT,
					      req->is_dump ? RDMAEV_ANY : 0);
		break;
	case RDMAEV_CMD_CQ_GET:
		arg.list.size = sizeof(arg.cqs);
		arg.list.flags = !!value_of(req, RDMAEV_A_CQ_SUMS);
		arg.cqs.device = number_of(req, RDMAEV_A_CQ_DEVICE, RDMAEV_ANY);
		break;
	}
	if (ioctl(fuzz.readers[0].fd, req->c->nr, &arg))
		return -errno;
	if (arg.list.count > ROOM)
		bad("%u are more than there can be", arg.list.count);
	return arg.list.count;
}

/* When a CQ was last used is known to some ticks only. */
static void forget_time(const struct command *c, void *entry)
{
	if (c->cmd == RDMAEV_CMD_CQ_GET)
		((struct rdmaev_cq_stats *)entry)->last_ns = 0;
}

/* Which of the list is asked for by do, -1: none of it. */
static int find_entry(const struct request *req, int n)
{
	const struct rdmaev_device *devices = (void *)list;
	const struct rdmaev_port *ports = (void *)list;
	const struct rdmaev_counter *counters = (void *)list;
	const struct rdmaev_cq_stats *cqs = (void *)list;
	const __u32 *kind = value_of(req, RDMAEV_A_COUNTER_KIND);
	const __u32 *code = value_of(req, RDMAEV_A_COUNTER_CODE);
	int i;

	for (i = 0; i < n; i++) {
		switch (req->c->cmd) {
		case RDMAEV_CMD_DEVICE_GET:
			if (devices[i].index == number_of(req, RDMAEV_A_DEVICE_INDEX, 0))
				return i;
			break;
		case RDMAEV_CMD_PORT_GET:
			if (ports[i].port == number_of(req, RDMAEV_A_PORT_PORT, 0))
				return i;
			break;
		case RDMAEV_CMD_COUNTER_GET:
			if (counters[i].kind == *kind && counters[i].code == *code)
				return i;
			break;
		case RDMAEV_CMD_CQ_GET:
			if (cqs[i].flags & RDMAEV_CQ_NUMBERED &&
			    cqs[i].cq == number_of(req, RDMAEV_A_CQ_CQ, 0))
				return i;
			break;
		}
	}
	return -1;
}

static void add(struct request *req, uint16_t type, uint16_t size, uint64_t value)
{
	req->attrs[req->n].type = type;
	req->attrs[req->n].size = size;
	memset(req->attrs[req->n].bytes, 0, sizeof(req->attrs[req->n].bytes));
	req->attrs[req->n++].u64 = size == 4 ? (uint32_t)value : value;
}

/* A value that is fine as such: what it names need not be there. */
static uint64_t choose_value(const struct request *req, uint16_t type)
{
	uint8_t cmd = req->c->cmd;
	int exists;

	/* These have the same number in all sets that have a device. */
	if (cmd == RDMAEV_CMD_DEVICE_GET)
		return choose_device(&exists);
	if (cmd == RDMAEV_CMD_HISTORY_GET)
		return one_in(8) ? odd_number() : 1 + below(log_newest() + 2);
	if (cmd == RDMAEV_CMD_CQ_GET) {
		if (type == RDMAEV_A_CQ_DEVICE)
			return one_in(4) ? choose_device(&exists) : fuzz.live[0];
		return one_in(4) ? 0x40000000 | below(100) :
				   fuzz.cqs[below(fuzz.ncqs)].number;
	}
	if (type == RDMAEV_A_COUNTER_DEVICE || type == RDMAEV_A_PORT_DEVICE)
		return one_in(16) ? RDMAEV_ANY : choose_device(&exists);
	if (cmd == RDMAEV_CMD_PORT_GET || type == RDMAEV_A_COUNTER_PORT)
		return one_in(16) ? odd_number() : below(4);
	if (type == RDMAEV_A_COUNTER_KIND)
		return one_in(16) ? below(1 << 16) : 1 + below(RDMAEV_KIND_LOST);
	return one_in(2) ? 1 + below(2) : below(70);
}

/* Something in the nest of a filter that is wrong. */
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
		genl_u32(g, RDMAEV_A_FILTER_KINDS, wrong_bit(0x7e));
		break;
	case 2:
		genl_u32(g, RDMAEV_A_FILTER_SEVERITIES, wrong_bit(0x0e));
		break;
	case 3:
		genl_u32(g, RDMAEV_A_FILTER_OBJECT_TYPES, wrong_bit(0x7f));
		break;
	case 4:		/* too large */
		genl_u64(g, one_in(2) ? RDMAEV_A_FILTER_OBJECT : RDMAEV_A_FILTER_PID,
			 rnd() | 1ULL << (32 + below(32)));
		break;
	case 5:
		genl_codes(g, one_in(2) ? 0 : RDMAEV_KIND_LOST + 1 + below(1000), 1);
		break;
	case 6:		/* one of the two is not there, or there are none, or one more */
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

static void fill_request(struct request *req)
{
	const struct rule *rule;

	for (rule = req->c->rules; rule < req->c->rules + 5 && rule->type; rule++) {
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

	for (rule = req->c->rules; rule < req->c->rules + 5 && rule->type; rule++) {
		if (rule->type == type)
			return rule->where & (req->is_dump ? IN_DUMP : IN_DO);
	}
	return 0;
}

/* Is it needed, and there once? */
static int is_the_one(const struct request *req, unsigned int which)
{
	uint16_t type = req->attrs[which].type;
	const struct rule *rule;
	unsigned int i, n = 0;

	for (i = 0; i < req->n; i++)
		n += (req->attrs[i].type & NLA_TYPE_MASK) == (type & NLA_TYPE_MASK);
	for (rule = req->c->rules; rule < req->c->rules + 5 && rule->type; rule++) {
		if (rule->type == type)
			return n == 1 && !req->is_dump && rule->where & NEEDED;
	}
	return 0;
}

/* Those that take a number take one of 4 or 8 bytes, if it is no enum. */
static int is_number(const struct request *req, unsigned int which)
{
	uint16_t type = req->attrs[which].type & NLA_TYPE_MASK;
	const struct rule *rule;

	if (req->c->cmd == RDMAEV_CMD_COUNTER_GET && type == RDMAEV_A_COUNTER_KIND)
		return 0;
	for (rule = req->c->rules; rule < req->c->rules + 5 && rule->type; rule++) {
		if (rule->type == type)
			return rule->size == 4 || rule->size == 8;
	}
	return 0;
}

/* Make something of it wrong, or only unusual. */
static void spoil_request(struct request *req)
{
	unsigned int i = req->n ? below(req->n) : 0;
	const struct rule *rule;
	uint16_t type;

	switch (below(8)) {
	case 0:		/* for the other sort of request, as it would be there */
		rule = &req->c->rules[below(ARRAY_SIZE(req->c->rules))];
		if (rule->type && !is_taken(req, rule->type)) {
			add(req, rule->type, rule->size == NEST ? 0 : rule->size, 1);
			may_fail(EINVAL);
			return;
		}
		/* Or for neither. */
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
	case 0:		/* a length that it has not */
		if (req->attrs[i].size && one_in(2))
			req->attrs[i].size--;
		else
			req->attrs[i].size += 1 + below(100);
		/* One that it may have, and the same number. */
		if (req->attrs[i].size == 8 && is_number(req, i))
			return;
		may_fail(EINVAL);
		may_fail(ERANGE);
		break;
	case 1:		/* a nest of whatever there is, or none where one is to be */
		req->attrs[i].type ^= NLA_F_NESTED;
		may_fail(EINVAL);
		break;
	case 2:		/* a bit that nobody looks at */
		req->attrs[i].type |= NLA_F_NET_BYTEORDER;
		break;
	case 3:		/* the same again */
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
	default:	/* the end is, unless it is but padding */
		req->cut = 1 + below(3);
		if (req->cut > -(unsigned int)req->attrs[req->n - 1].size % NLA_ALIGNTO)
			may_fail(EINVAL);
		break;
	}
}

static void put_together(struct genl *g, const struct request *req)
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

/* What the values that it has make of a request that is well-formed. */
static void predict_history(const struct request *req)
{
	const __u64 *seq = value_of(req, RDMAEV_A_RECORD_SEQ);

	if (seq && *seq > log_newest() + 1)
		may_fail(ENXIO);
	if (req->is_dump)
		return;
	if (!*seq)
		may_fail(EINVAL);
	else if (!log_record(*seq))
		may_fail(ENOENT);
}

/* Returns the index in the list that a do is to be answered with. */
static int predict(const struct request *req, int *count)
{
	int at = -1;

	*count = 0;
	if (req->c->cmd == RDMAEV_CMD_HISTORY_GET)
		predict_history(req);
	if (!req->c->nr)
		return at;
	if (req->c->cmd == RDMAEV_CMD_COUNTER_GET && !req->is_dump) {
		const __u32 *kind = value_of(req, RDMAEV_A_COUNTER_KIND);

		if (!*kind || *kind > RDMAEV_KIND_LOST)
			may_fail(ERANGE);
	}
	*count = ask_node(req);
	if (*count < 0) {
		may_fail(-*count);
		*count = 0;
		return at;
	}
	if (req->is_dump)
		return at;
	at = find_entry(req, *count);
	/* Of all devices there is none. */
	if (at < 0 || number_of(req, req->c->rules[0].type, 0) == RDMAEV_ANY) {
		may_fail(req->c->cmd == RDMAEV_CMD_DEVICE_GET ||
			 number_of(req, req->c->rules[0].type, 0) == RDMAEV_ANY ?
			 ENODEV : ENOENT);
		at = -1;
	}
	return at;
}

/* Do the messages have what the list has? @from: its first entry. */
static void check_answer(const struct request *req, int from, int count, uint64_t newest)
{
	static char entry[sizeof(struct rdmaev_cq_stats)];
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int n = 0, missing, differs = 0;

	while ((nlh = genl_next(&sock))) {
		genl_attrs(nlh, tb);
		memset(entry, 0, sizeof(entry));
		missing = genl_missing(tb, req->c->set, 0) +
			  genl_fill(tb, req->c->set, entry);
		if (missing)
			bad("%d attributes are missing", missing);
		forget_time(req->c, entry);
		if (n < count) {
			forget_time(req->c, list + (from + n) * req->c->entry);
			differs |= memcmp(entry, list + (from + n) * req->c->entry,
					  req->c->entry);
		}
		n++;
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (sock.error || fuzz.nallowed || fuzz.racing)
		return;
	log_catch_up();
	if (log_newest() != newest)
		return;
	if (n != count)
		bad("%d entries, and the node has %d", n, count);
	else if (differs)
		bad("not what the node tells");
}

static void check_info(void)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int n = 0;

	while ((nlh = genl_next(&sock))) {
		n++;
		genl_attrs(nlh, tb);
		if (genl_number(tb[RDMAEV_A_INFO_INSTANCE]) != fuzz.instance ||
		    genl_number(tb[RDMAEV_A_INFO_FEATURES]) != fuzz.features ||
		    genl_number(tb[RDMAEV_A_INFO_RING_RECORDS]) != fuzz.records)
			bad("not what the node tells");
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (!sock.error && n != 1)
		bad("%d answers", n);
}

/* A dump has what somebody gets who opens the node, moves and reads to the end. */
static void check_history(const struct request *req, uint64_t newest)
{
	static struct rdmaev_record recs[8192];
	const struct rdmaev_filter *f = value_of(req, RDMAEV_A_RECORD_FILTER) ?
						&req->filter : NULL;
	const __u64 *seq = value_of(req, RDMAEV_A_RECORD_SEQ);
	uint64_t position = 0, first = seq ? *seq : 0;
	const struct nlmsghdr *nlh;
	struct reader r = { .plain = 1 };
	size_t n = 0;

	fuzz.values[1] = first;
	if (f) {
		fuzz.values[2] = f->kinds;
		r.plain = 0;
		r.filter = *f;
	}
	reader_moved(&r, first ? first : log_oldest(), !first);
	while ((nlh = genl_next(&sock))) {
		uint64_t at = genl_position(nlh);

		if (at) {
			if (at < position)
				bad("goes back to %llu", (unsigned long long)at);
			position = at;
		} else if (n < ARRAY_SIZE(recs) && genl_record(nlh, &recs[n++])) {
			bad("attributes are missing");
		}
	}
	judge(sock.error ? -1 : 0, sock.error);
	if (sock.error || fuzz.nallowed || fuzz.racing)
		return;
	log_catch_up();
	/* What came meanwhile may have overwritten what was the oldest. */
	if (log_newest() != newest)
		return;
	if (!req->is_dump) {
		if (n != 1 || memcmp(recs, log_any_record(first), sizeof(recs[0])))
			bad("not the record that others get");
		return;
	}
	reader_take(&r, recs, n, n + 1, newest);
	if (position < newest + 1 || position > log_newest() + 1)
		bad("to go on from %llu, and not %llu", (unsigned long long)position,
		    (unsigned long long)newest + 1);
}

static void act_request(void)
{
	struct request req = {
		.c = &commands[below(ARRAY_SIZE(commands))],
		.is_dump = one_in(2),
	};
	uint64_t newest = log_newest();
	int at, count;

	begin_call(req.c->name, req.is_dump, 0, 0);
	fill_request(&req);
	if (!(req.c->where & (req.is_dump ? IN_DUMP : IN_DO))) {
		may_fail(EOPNOTSUPP);
		put_together(&sock, &req);
		genl_send(&sock);
		while (genl_next(&sock))
			;
		judge(sock.error ? -1 : 0, sock.error);
		return;
	}
	at = predict(&req, &count);
	if (one_in(3))
		spoil_request(&req);
	/* What is wrong already might become right again. */
	if (one_in(8) && !fuzz.nallowed)
		spoil_request(&req);
	if (fuzz.racing) {
		may_fail(ENOENT);
		may_fail(ENXIO);
		fuzz.may_succeed = 1;
	}
	put_together(&sock, &req);
	if (genl_send(&sock)) {
		bad("not sent: %s", strerror(errno));
		return;
	}
	switch (req.c->cmd) {
	case RDMAEV_CMD_INFO_GET:
		check_info();
		break;
	case RDMAEV_CMD_HISTORY_GET:
		check_history(&req, newest);
		break;
	default:
		check_answer(&req, at < 0 ? 0 : at, req.is_dump ? count : at >= 0, newest);
		break;
	}
}

/* What is no request of anybody; that it is answered with an error is enough. */
static void act_garbage(void)
{
	unsigned int i, len = below(one_in(2) ? 16 : 200);
	char *bytes;

	begin_call("garbage", len, 0, 0);
	genl_begin(&sock, one_in(2) ? below(256) : below(RDMAEV_CMD_MAX + 2),
		   NLM_F_ACK | (one_in(2) ? NLM_F_DUMP : 0));
	bytes = sock.req.bytes + sock.req.hdr.nlmsg_len;
	for (i = 0; i < len; i++)
		bytes[i] = one_in(2) ? 0 : rnd();
	sock.req.hdr.nlmsg_len += len;
	/* Shorter than it has to be. */
	if (one_in(4))
		sock.req.hdr.nlmsg_len = NLMSG_HDRLEN + below(GENL_HDRLEN);
	if (one_in(8))
		sock.req.hdr.nlmsg_flags |= rnd() & 0xff00;
	if (genl_send(&sock))
		return;
	while (genl_next(&sock))
		;
	open_sock();
}

/* Sockets with hardly any room, dumps that nobody reads to the end, two at a time. */
static void act_abandon(void)
{
	static struct genl g;
	char small[64];
	int one = 1, i;

	begin_call("abandon", 0, 0, 0);
	if (genl_open(&g))
		return;
	if (one_in(2))
		setsockopt(g.fd, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	if (one_in(2))
		genl_join(&g, g.group_all);
	genl_begin(&g, one_in(2) ? RDMAEV_CMD_HISTORY_GET :
		   commands[1 + below(4)].cmd, NLM_F_DUMP);
	genl_send(&g);
	for (i = below(4); i; i--) {
		recv(g.fd, small, below(sizeof(small)), MSG_DONTWAIT);
		if (one_in(2)) {
			genl_begin(&g, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
			genl_send(&g);
		} else if (one_in(2)) {
			genl_begin(&g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
			genl_send(&g);
		}
	}
	genl_close(&g);
}

/* With a dump on its way, on the same socket: a second one is not for now. */
static void act_interleave(void)
{
	begin_call("interleave", 0, 0, 0);
	genl_begin(&sock, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_send(&sock);
	genl_begin(&sock, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
	if (send(sock.fd, &sock.req, sock.req.hdr.nlmsg_len, 0) < 0)
		bad("not sent: %s", strerror(errno));
	genl_begin(&sock, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	if (send(sock.fd, &sock.req, sock.req.hdr.nlmsg_len, 0) < 0)
		bad("not sent: %s", strerror(errno));
	while (genl_next(&sock))
		;
	/* The first may have fitted, and have ended before the second. */
	if (sock.error && sock.error != EBUSY)
		bad("%s, and not busy", strerror(sock.error));
	open_sock();
}

/* What the ear hears is what was appended, all of it unless it says so. */
void genl_listen(int wait)
{
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;

	if (fuzz.racing || (!in_all && !in_device))
		return;
	begin_call("listen", in_all, in_device, 0);
	for (;;) {
		int more = wait && in_all && heard && heard < log_newest();

		nlh = genl_receive(&ear, more ? 5000 : 0);
		/* This comes before what was there when something did not fit. */
		if (!nlh && ear.error == ENOBUFS) {
			has_overrun = 1;
			heard = 0;
			continue;
		}
		if (!nlh) {
			has_overrun = 0;
			if (more)
				bad("heard up to %llu of %llu", (unsigned long long)heard,
				    (unsigned long long)log_newest());
			return;
		}
		if (nlh->nlmsg_type != ear.family)
			continue;
		if (genl_record(nlh, &rec))
			bad("attributes are missing");
		log_catch_up();
		if (rec.kind == RDMAEV_KIND_LOST) {
			heard = 0;
			continue;
		}
		if (!rec.seq || rec.seq > log_newest() ||
		    memcmp(&rec, log_any_record(rec.seq), sizeof(rec)))
			bad("not the record that others get");
		if (!in_all && rec.object_type >= RDMAEV_OBJECT_QP)
			bad("only for administrators");
		/* In both groups what is for all comes twice. */
		if (heard && in_all && rec.seq != heard + 1 && !(was_in_device && rec.seq <= heard))
			bad("record %llu comes after %llu", (unsigned long long)rec.seq,
			    (unsigned long long)heard);
		if (in_all && !has_overrun && rec.seq > heard)
			heard = rec.seq;
	}
}

static void act_groups(void)
{
	uint32_t group;
	int is_all = one_in(2), is_in, what;

	genl_listen(1);
	begin_call("groups", is_all, 0, 0);
	group = is_all ? ear.group_all : ear.group_device;
	is_in = is_all ? in_all : in_device;
	what = is_in ? NETLINK_DROP_MEMBERSHIP : NETLINK_ADD_MEMBERSHIP;
	log_catch_up();
	if (setsockopt(ear.fd, SOL_NETLINK, what, &group, sizeof(group)))
		bad("%s", strerror(errno));
	if (is_all) {
		in_all = !is_in;
		/* From the next one on; if there was none meanwhile, that is known. */
		heard = log_newest();
		log_catch_up();
		if (heard != log_newest())
			heard = 0;
	} else {
		in_device = !is_in;
		was_in_device = 1;
	}
}

void do_genl(void)
{
	switch (below(32)) {
	case 0:
		act_garbage();
		break;
	case 1:
		act_abandon();
		break;
	case 2:
		act_interleave();
		break;
	case 3:
		act_groups();
		break;
	default:
		act_request();
		break;
	}
}
