// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev over generic netlink with a kernel that is newer, broken or hostile: what
 * it answers is made up here. Attributes are short, long or nested where they must
 * not be, lengths are wrong, numbers and kinds unknown, names any bytes; messages are
 * cut, late, of somebody else, or do not come. Run under AddressSanitizer and UBSan,
 * which stop at what they find; memory that is given away is exactly as long as told.
 *
 *	hostile [SEED [ROUNDS]]		says nothing if all is well
 */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <rdma/rdmaev_netlink.h>
#include <sys/socket.h>

#include <rdmaev.h>

#include "common.h"

#define FAMILY		0x51
#define PART_ROOM	20000
#define PARTS_MAX	4

static uint64_t seed = 1;
static unsigned long rounds = 1000;
static unsigned long round_now;
static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)(rnd() >> 33) % n;
}

static int one_in(unsigned int n)
{
	return !below(n);
}

static void __attribute__((format(printf, 1, 2), noreturn))
fail(const char *format, ...)
{
	va_list ap;

	printf("seed %llu round %lu: ", (unsigned long long)seed, round_now);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	exit(1);
}

/* Memory of just that length, so that a byte more is found. */
static void *exactly(size_t size)
{
	void *p = malloc(size);

	if (!p && size)
		fail("no memory");
	return p;
}

/* The kernel */

static struct {
	char bytes[PART_ROOM];
	size_t len;
} part;

static int parts_left;
static uint32_t seq;
static uint16_t asked_family;
static uint8_t asked_cmd;
static int dumps;

/* Room for an attribute; its length may lie. */
static void put_attr(unsigned int type, const void *data, size_t size)
{
	struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + size),
		.nla_type = (uint16_t)type,
	};

	if (part.len + NLA_HDRLEN + NLA_ALIGN(size) > sizeof(part.bytes))
		return;
	if (one_in(200))
		attr.nla_len = (uint16_t)rnd();
	if (one_in(20))
		attr.nla_type |= NLA_F_NESTED;
	memcpy(part.bytes + part.len, &attr, sizeof(attr));
	memset(part.bytes + part.len + NLA_HDRLEN, 0, NLA_ALIGN(size));
	if (size)
		memcpy(part.bytes + part.len + NLA_HDRLEN, data, size);
	part.len += NLA_HDRLEN + NLA_ALIGN(size);
}

static void put_u32(unsigned int type, uint32_t value)
{
	put_attr(type, &value, sizeof(value));
}

static void put_random(unsigned int type)
{
	static const size_t sizes[] = { 0, 1, 2, 2, 4, 4, 4, 8, 8, 8, 16, 24, 56, 64 };
	char data[300];
	size_t size = sizes[below(ARRAY_SIZE(sizes))], i;

	if (one_in(20))
		size = below(sizeof(data));
	/* Small numbers mean something more often than large ones. */
	memset(data, 0, sizeof(data));
	if (size && !one_in(3))
		data[0] = (char)below(24);
	else
		for (i = 0; i < size; i++)
			data[i] = (char)rnd();
	put_attr(type, data, size);
}

static void put_nested(unsigned int type, unsigned int depth)
{
	size_t at = part.len;
	unsigned int i, n = below(12);
	struct nlattr attr;

	put_attr(type, NULL, 0);
	if (part.len == at)
		return;
	for (i = 0; i < n; i++) {
		if (depth && one_in(4))
			put_nested(below(12), depth - 1);
		else
			put_random(below(16));
	}
	memcpy(&attr, part.bytes + at, sizeof(attr));
	attr.nla_len = (uint16_t)(part.len - at);
	memcpy(part.bytes + at, &attr, sizeof(attr));
}

/* One that is right, so that the rest is come to at all. */
static void put_good_info(void)
{
	uint64_t number = 1000 + below(100);

	put_u32(RDMAEV_A_INFO_ABI_VERSION, RDMAEV_ABI_VERSION);
	put_u32(RDMAEV_A_INFO_RECORD_SIZE, RDMAEV_RECORD_SIZE);
	put_u32(RDMAEV_A_INFO_RING_RECORDS, 8192);
	put_attr(RDMAEV_A_INFO_NEWEST_SEQ, &number, sizeof(number));
}

static void put_good_record(void)
{
	static uint64_t next;
	uint16_t kind = (uint16_t)below(RDMAEV_KIND_MAX + 2), code = (uint16_t)below(32);

	next += below(3);
	put_attr(RDMAEV_A_RECORD_SEQ, &next, sizeof(next));
	put_attr(RDMAEV_A_RECORD_KIND, &kind, sizeof(kind));
	put_attr(RDMAEV_A_RECORD_CODE, &code, sizeof(code));
	put_u32(RDMAEV_A_RECORD_GENERATION, below(5));
	put_u32(RDMAEV_A_RECORD_DEVICE, below(3));
	put_nested(RDMAEV_A_RECORD_DEVICE_BODY +
		   below(RDMAEV_A_RECORD_MAX + 1 - RDMAEV_A_RECORD_DEVICE_BODY), 0);
}

static void put_group(const char *name, uint32_t id)
{
	size_t at = part.len;
	struct nlattr attr;

	put_attr(1, NULL, 0);
	put_attr(CTRL_ATTR_MCAST_GRP_NAME, name, strlen(name) + !one_in(50));
	put_u32(CTRL_ATTR_MCAST_GRP_ID, id);
	memcpy(&attr, part.bytes + at, sizeof(attr));
	attr.nla_len = (uint16_t)(part.len - at);
	memcpy(part.bytes + at, &attr, sizeof(attr));
}

static void put_family(void)
{
	uint16_t id = FAMILY;
	struct nlattr attr;
	size_t at;

	put_attr(CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	at = part.len;
	put_attr(CTRL_ATTR_MCAST_GROUPS, NULL, 0);
	put_group("notify", 3);
	put_group(RDMAEV_MCGRP_ALL, 4);
	put_group(RDMAEV_MCGRP_DEVICE, 5);
	memcpy(&attr, part.bytes + at, sizeof(attr));
	attr.nla_len = (uint16_t)(part.len - at);
	memcpy(part.bytes + at, &attr, sizeof(attr));
}

static void put_body(void)
{
	unsigned int i, n = below(20);

	if (asked_family == GENL_ID_CTRL)
		put_family();
	else if (asked_cmd == RDMAEV_CMD_INFO_GET)
		put_good_info();
	else if (asked_cmd == RDMAEV_CMD_HISTORY_GET && !one_in(8))
		put_good_record();
	/* What is found is good most of the time: nothing is opened otherwise. */
	if (asked_cmd == RDMAEV_CMD_INFO_GET || asked_family == GENL_ID_CTRL)
		n = one_in(10) ? n : 0;
	for (i = 0; i < n; i++) {
		if (one_in(6))
			put_nested(below(30), 2);
		else
			put_random(below(30));
	}
}

static void put_message(unsigned int type)
{
	struct nlmsghdr nl = { .nlmsg_type = (uint16_t)type, .nlmsg_seq = seq };
	size_t at = part.len;
	int error = 0;

	if (at + 1000 > sizeof(part.bytes))
		return;
	if (one_in(100))
		nl.nlmsg_seq = (uint32_t)rnd();
	if (one_in(50))
		nl.nlmsg_flags = NLM_F_DUMP_INTR;
	part.len += NLMSG_HDRLEN;
	if (type == NLMSG_DONE || type == NLMSG_ERROR) {
		if (one_in(30))
			error = one_in(3) ? (int)rnd() : -(int)below(140);
		memcpy(part.bytes + part.len, &error, sizeof(error));
		part.len += sizeof(error);
	} else {
		memset(part.bytes + part.len, 0, GENL_HDRLEN);
		part.len += GENL_HDRLEN;
		put_body();
	}
	nl.nlmsg_len = (uint32_t)(part.len - at);
	if (one_in(300))
		nl.nlmsg_len = (uint32_t)rnd() >> below(32);
	memcpy(part.bytes + at, &nl, sizeof(nl));
	part.len = NLMSG_ALIGN(part.len);
}

static void make_part(void)
{
	unsigned int n = dumps ? below(8) : 1, i;

	part.len = 0;
	parts_left--;
	for (i = 0; i < n; i++)
		put_message(one_in(100) ? below(0x60) : asked_family);
	if (parts_left < 1)
		put_message(dumps ? NLMSG_DONE : NLMSG_ERROR);
	if (one_in(100) && part.len)
		part.len = below((unsigned int)part.len);
	while (one_in(30) && part.len)
		part.bytes[below((unsigned int)part.len)] = (char)rnd();
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
	} head;
	size_t len = 0, i;

	if (one_in(300)) {
		errno = below(2) ? ENOBUFS : EPERM;
		return -1;
	}
	if (msg->msg_iov[0].iov_len < sizeof(head))
		fail("a request is too short");
	memcpy(&head, msg->msg_iov[0].iov_base, sizeof(head));
	for (i = 0; i < msg->msg_iovlen; i++)
		len += msg->msg_iov[i].iov_len;
	if (head.nl.nlmsg_len != len)
		fail("a request of %zu bytes says %u", len, head.nl.nlmsg_len);
	seq = head.nl.nlmsg_seq;
	asked_family = head.nl.nlmsg_type;
	asked_cmd = asked_family == GENL_ID_CTRL ? 0 : head.genl.cmd;
	dumps = !!(head.nl.nlmsg_flags & NLM_F_DUMP);
	parts_left = 1 + (dumps ? (int)below(PARTS_MAX) : 0);
	return (ssize_t)len;
}

ssize_t __wrap_recvfrom(int fd, void *buf, size_t room, int flags,
			struct sockaddr *addr, socklen_t *addr_len)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };

	if (parts_left < 1 || one_in(500)) {
		errno = one_in(2) ? EAGAIN : ENOBUFS;
		return -1;
	}
	if (one_in(50))
		from.nl_pid = 4711;
	else
		make_part();
	memcpy(addr, &from, sizeof(from));
	*addr_len = sizeof(from);
	memcpy(buf, part.bytes, part.len < room ? part.len : room);
	return (ssize_t)part.len;
}

ssize_t __wrap_recv(int fd, void *buf, size_t room, int flags)
{
	errno = EAGAIN;
	return -1;
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return 0;
}

int __wrap_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return 0;
}

/* The program */

/* No byte that acts on a terminal, and in JSON no string that does not end. */
static void check_text(const char *text, unsigned int style)
{
	int in_string = 0;
	const char *s;

	for (s = text; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < 0x20 && !(c == '\033' && style & RDMAEV_STYLE_COLOR)) || c == 0x7f ||
		    (c > 0x7f && style != RDMAEV_STYLE_JSON))
			fail("byte %#x in: %s", c, text);
		if (style != RDMAEV_STYLE_JSON)
			continue;
		if (in_string && c == '\\' && s[1])
			s++;
		else if (c == '"')
			in_string = !in_string;
	}
	if (style == RDMAEV_STYLE_JSON && (in_string || *text != '{' || s[-1] != '}'))
		fail("no JSON object: %s", text);
}

static void format(const struct rdmaev_record *event)
{
	static const unsigned int styles[] = {
		RDMAEV_STYLE_JSON, RDMAEV_STYLE_HUMAN, RDMAEV_STYLE_UTC,
		RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR,
	};
	unsigned int style = styles[below(4)];
	size_t room = below(1200);
	char *buf = exactly(room);
	int len;

	len = rdmaev_format(event, style, buf, room);
	if (len < 1)
		fail("formatted to %d bytes", len);
	if (room && strlen(buf) != ((size_t)len < room ? (size_t)len : room - 1))
		fail("%d bytes are %zu", len, strlen(buf));
	if ((size_t)len < room)
		check_text(buf, style);
	free(buf);
	rdmaev_event_name(event->kind, event->code);
	rdmaev_event_describe(event->kind, event->code);
	rdmaev_event_advice(event->kind, event->code);
	rdmaev_cm_reason_name(event->body.cm.status);
}

static void read_some(struct rdmaev *h)
{
	size_t n = 1 + below(one_in(4) ? 150 : 6);
	struct rdmaev_record *ev = exactly(n * sizeof(*ev));
	ssize_t got = rdmaev_read(h, ev, n), i;

	if (got > (ssize_t)n || !got || got < -1)
		fail("%zd events read", got);
	for (i = 0; i < got; i++) {
		if (!memchr(ev[i].device_name, 0, sizeof(ev[i].device_name)) ||
		    !memchr(ev[i].body.device.old_name, 0, sizeof(ev[i].body.device.old_name)))
			fail("a name has no end");
		format(&ev[i]);
	}
	free(ev);
}

static void list_some(struct rdmaev *h)
{
	static const size_t smallest[] = {
		sizeof(struct rdmaev_device), sizeof(struct rdmaev_port),
		sizeof(struct rdmaev_counter), sizeof(struct rdmaev_cq_stats),
		sizeof(struct rdmaev_probe), sizeof(struct rdmaev_qp),
	};
	unsigned int what = below(6);
	size_t size = smallest[what] + (one_in(3) ? below(500) & ~7U : 0), n = below(12);
	void *list = exactly(size * n);

	switch (what) {
	case 0:
		rdmaev_devices_sized(h, list, size, n, RDMAEV_DEVICES_REMOVED, NULL);
		break;
	case 1:
		rdmaev_ports_sized(h, RDMAEV_ANY, 0, list, size, n, NULL);
		break;
	case 2:
		rdmaev_counters_sized(h, 1, 1, 0, list, size, n, NULL);
		break;
	case 3:
		rdmaev_cqs_sized(h, RDMAEV_ANY, 0, below(2), list, size, n, NULL);
		break;
	case 4:
		rdmaev_probes_sized(h, RDMAEV_ANY, 0, list, size, n, NULL);
		break;
	case 5:
		rdmaev_qps_sized(h, RDMAEV_ANY, 0, below(2), list, size, n, NULL);
		break;
	}
	free(list);
}

static void use(struct rdmaev *h)
{
	static const int whences[] = { SEEK_SET, SEEK_CUR, SEEK_END };
	struct rdmaev_filter filter;
	struct rdmaev_info info;
	unsigned int i;

	switch (below(9)) {
	case 0:
		rdmaev_info(h, &info);
		break;
	case 1:
		rdmaev_seek(h, (int64_t)below(2000) - 1000, whences[below(3)]);
		break;
	case 2:
		rdmaev_filter_init(&filter);
		filter.kinds = below(64) * 2;
		filter.targets = below(RDMAEV_TARGETS + 2);
		for (i = 0; i < filter.targets && i < RDMAEV_TARGETS; i++)
			memset(filter.target[i].device, 'a', below(65));
		for (i = 1; i <= RDMAEV_KIND_MAX; i++)
			filter.codes[i] = below(2);
		filter.codes[below(32)] = !below(8);
		rdmaev_set_filter(h, &filter);
		break;
	case 3:
		rdmaev_set_wakeup(h, 1 + below(20), below(2) * 1000);
		break;
	case 4:
		rdmaev_wait(h, 0);
		break;
	case 5:
		list_some(h);
		break;
	case 6:
		rdmaev_notify(h, 1, 2, 3, 4);
		break;
	default:
		read_some(h);
		break;
	}
}

int main(int argc, char **argv)
{
	unsigned long opened = 0;
	struct rdmaev *h;
	unsigned int i;

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		rounds = strtoul(argv[2], NULL, 0);
	for (round_now = 0; round_now < rounds; round_now++) {
		/* So that a round can be had again without those before it. */
		state = (seed << 32 ^ round_now) + 1;
		for (i = 0; i < 10; i++)
			rnd();
		h = rdmaev_open(NULL, RDMAEV_NETLINK | RDMAEV_NONBLOCK);
		if (!h)
			continue;
		opened++;
		for (i = 0; i < 20; i++)
			use(h);
		rdmaev_close(h);
	}
	if (opened < rounds / 4)
		fail("only %lu handles of %lu could be opened", opened, rounds);
	return 0;
}
