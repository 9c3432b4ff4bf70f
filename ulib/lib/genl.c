// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The subset of generic netlink that this library needs. The kernel answers a
 * request while it is sent, and continues a dump while the previous part is
 * received, so calls here wait for the kernel only.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "genl.h"

/* Answers arrive in parts of up to this size; the kernel makes them fit. */
#define PART_MAX	16384

/* A missing answer is not expected: fail rather than hang. */
#define ANSWER_SEC	10

int genl_open(struct genl *g, uint16_t family)
{
	struct timeval limit = { .tv_sec = ANSWER_SEC };

	g->family = family;
	g->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (g->fd < 0)
		return -1;
	return setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

void genl_close(struct genl *g)
{
	if (g->fd >= 0)
		close(g->fd);
	g->fd = -1;
}

/*
 * Use another socket from now on: the remaining answers on this one are unknown
 * or not wanted. Permissions depend on the sender, so a new socket has the
 * same.
 */
void genl_renew(struct genl *g)
{
	int error = errno;

	genl_close(g);
	genl_open(g, g->family);
	errno = error;
}

void genl_begin(struct request *r, uint8_t cmd, bool dump)
{
	r->cmd = cmd;
	r->dump = dump;
	r->len = 0;
}

void genl_put(struct request *r, uint16_t type, const void *data, size_t size)
{
	struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + size),
		.nla_type = type,
	};
	char *at = r->attrs + r->len;

	memset(at, 0, NLA_HDRLEN + NLA_ALIGN(size));
	memcpy(at, &attr, sizeof(attr));
	if (size)
		memcpy(at + NLA_HDRLEN, data, size);
	r->len += NLA_HDRLEN + NLA_ALIGN(size);
}

void genl_put_u32(struct request *r, uint16_t type, uint32_t value)
{
	genl_put(r, type, &value, sizeof(value));
}

size_t genl_nest_begin(struct request *r, uint16_t type)
{
	size_t nest = r->len;

	genl_put(r, type | NLA_F_NESTED, NULL, 0);
	return nest;
}

void genl_nest_end(struct request *r, size_t nest)
{
	struct nlattr attr;

	memcpy(&attr, r->attrs + nest, sizeof(attr));
	attr.nla_len = (uint16_t)(r->len - nest);
	memcpy(r->attrs + nest, &attr, sizeof(attr));
}

int genl_send(struct genl *g, const struct request *r)
{
	struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
	} head = {
		.nl.nlmsg_len = (uint32_t)(sizeof(head) + r->len),
		.nl.nlmsg_type = g->family,
		.nl.nlmsg_flags = NLM_F_REQUEST | (r->dump ? NLM_F_DUMP : NLM_F_ACK),
		.genl.cmd = r->cmd,
		.genl.version = 1,
	};
	struct iovec iov[] = {
		{ .iov_base = &head, .iov_len = sizeof(head) },
		{ .iov_base = (void *)(uintptr_t)r->attrs, .iov_len = r->len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	/* Opening another socket may have failed for lack of memory. */
	if (g->fd < 0 && genl_open(g, g->family) < 0)
		return -1;
	head.nl.nlmsg_seq = ++g->seq;
	g->interrupted = false;
	g->dumps = r->dump;
	do
		n = sendmsg(g->fd, &msg, 0);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

/* Receive one part of an answer from the kernel. */
static ssize_t receive_part(int fd, void *buf, size_t room)
{
	struct sockaddr_nl from;
	socklen_t from_len;
	ssize_t n;

	do {
		from_len = sizeof(from);
		n = recvfrom(fd, buf, room, MSG_TRUNC,
			     (struct sockaddr *)&from, &from_len);
	} while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid));
	if (n > (ssize_t)room) {
		errno = EMSGSIZE;
		n = -1;
	}
	if (n < 0 && errno == EAGAIN)
		errno = EIO;
	return n;
}

/* NLMSG_ERROR and NLMSG_DONE both begin with the result: 0 or negative. */
static int error_of(const struct nlmsghdr *nl)
{
	int error = 0;

	if (nl->nlmsg_len >= NLMSG_HDRLEN + sizeof(error))
		memcpy(&error, (const char *)nl + NLMSG_HDRLEN, sizeof(error));
	return error;
}

/*
 * Handle one message. Returns 0 if it ends the answer, else 1; @error: the
 * first one.
 */
static int take_message(struct genl *g, const struct nlmsghdr *nl, genl_fn fn,
			void *arg, int *error)
{
	const size_t head = NLMSG_HDRLEN + GENL_HDRLEN;
	struct attrs attrs;
	int told;

	if (nl->nlmsg_seq != g->seq)
		return 1;
	if (nl->nlmsg_flags & NLM_F_DUMP_INTR)
		g->interrupted = true;
	if (nl->nlmsg_type == NLMSG_DONE || nl->nlmsg_type == NLMSG_ERROR) {
		told = error_of(nl);
		if (told && !*error)
			*error = -told;
		return 0;
	}
	if (nl->nlmsg_type != g->family || nl->nlmsg_len < head || !fn || *error)
		return 1;
	attrs.at = (const char *)nl + head;
	attrs.left = nl->nlmsg_len - head;
	if (fn(arg, attrs) < 0)
		*error = errno;
	return 1;
}

/*
 * A failed dump may still be active: if the kernel had no memory for a part, it
 * repeats that part and refuses other dumps on this socket. Without a dump keep
 * the socket, because state requested through it would end with it.
 */
static void give_up(struct genl *g)
{
	if (g->dumps)
		genl_renew(g);
}

/*
 * Receive the next part of the answer to the last request, and pass its
 * messages to @fn unless it is NULL. Returns 1 if more parts follow, 0 at the
 * end, and -1 if the answer is an error or @fn failed; no part follows after an
 * error.
 */
int genl_receive(struct genl *g, genl_fn fn, void *arg)
{
	union {
		struct nlmsghdr first;
		char bytes[PART_MAX];
	} part;
	size_t at = 0, end;
	int more = 1, error = 0;
	ssize_t n;

	n = receive_part(g->fd, &part, sizeof(part));
	if (n < 0) {
		give_up(g);
		return -1;
	}
	end = (size_t)n;
	while (end - at >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nl = (const void *)(part.bytes + at);

		if (nl->nlmsg_len < sizeof(*nl) || nl->nlmsg_len > end - at)
			break;
		more &= take_message(g, nl, fn, arg, &error);
		if (end - at <= NLMSG_ALIGN(nl->nlmsg_len))
			break;
		at += NLMSG_ALIGN(nl->nlmsg_len);
	}
	if (!error)
		return more;
	while (more > 0)
		more = genl_receive(g, NULL, NULL);
	if (!more)
		give_up(g);
	errno = error;
	return -1;
}

/* Send a request and receive the whole answer. */
int genl_call(struct genl *g, const struct request *r, genl_fn fn, void *arg)
{
	int ret;

	if (genl_send(g, r) < 0)
		return -1;
	do
		ret = genl_receive(g, fn, arg);
	while (ret > 0);
	return ret;
}

bool attr_next(struct attrs *attrs, struct attr *attr)
{
	struct nlattr nla;
	size_t step;

	if (attrs->left < NLA_HDRLEN)
		return false;
	memcpy(&nla, attrs->at, sizeof(nla));
	if (nla.nla_len < NLA_HDRLEN || nla.nla_len > attrs->left)
		return false;
	attr->type = nla.nla_type & NLA_TYPE_MASK;
	attr->size = nla.nla_len - NLA_HDRLEN;
	attr->data = attrs->at + NLA_HDRLEN;
	step = NLA_ALIGN(nla.nla_len);
	if (step > attrs->left)
		step = attrs->left;
	attrs->at += step;
	attrs->left -= step;
	return true;
}

static struct attrs attr_nested(const struct attr *attr)
{
	return (struct attrs){ .at = attr->data, .left = attr->size };
}

static uint32_t attr_number(const struct attr *attr)
{
	uint16_t u16 = 0;
	uint32_t u32 = 0;

	if (attr->size == sizeof(u32))
		memcpy(&u32, attr->data, sizeof(u32));
	else if (attr->size == sizeof(u16))
		memcpy(&u16, attr->data, sizeof(u16));
	return u32 + u16;
}

static void take_group(struct genl_family *f, struct attrs attrs)
{
	const char *name = NULL;
	struct attr attr;
	uint32_t id = 0;
	size_t i;

	while (attr_next(&attrs, &attr)) {
		if (attr.type == CTRL_ATTR_MCAST_GRP_ID)
			id = attr_number(&attr);
		else if (attr.type == CTRL_ATTR_MCAST_GRP_NAME && attr.size &&
			 !attr.data[attr.size - 1])
			name = attr.data;
	}
	for (i = 0; name && i < 2; i++) {
		if (f->group_name[i] && !strcmp(f->group_name[i], name))
			f->group[i] = id;
	}
}

static int take_family(void *arg, struct attrs attrs)
{
	struct genl_family *f = arg;
	struct attrs groups;
	struct attr attr;

	while (attr_next(&attrs, &attr)) {
		if (attr.type == CTRL_ATTR_FAMILY_ID)
			f->id = (uint16_t)attr_number(&attr);
		if (attr.type != CTRL_ATTR_MCAST_GROUPS)
			continue;
		groups = attr_nested(&attr);
		while (attr_next(&groups, &attr))
			take_group(f, attr_nested(&attr));
	}
	return 0;
}

/* Fails with ENOENT if the family does not exist. */
int genl_find(struct genl_family *f, const char *name)
{
	struct request r;
	struct genl g = { .fd = -1 };
	int ret, error;

	ret = genl_open(&g, GENL_ID_CTRL);
	if (!ret) {
		genl_begin(&r, CTRL_CMD_GETFAMILY, false);
		genl_put(&r, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
		ret = genl_call(&g, &r, take_family, f);
	}
	error = errno;
	genl_close(&g);
	errno = error;
	return ret;
}
