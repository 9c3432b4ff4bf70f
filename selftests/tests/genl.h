/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The generic netlink family over a plain socket: requests, answers, dumps,
 * multicast messages, and attributes converted to the structures of the ABI
 */
#ifndef RDMAEV_TEST_GENL_H
#define RDMAEV_TEST_GENL_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <internal/attributes.h>

#include "common.h"

#define GENL_ATTRS	64

/* NLMSGERR_ATTR_MISS_TYPE, which the headers of Linux 5.10 lack */
#define GENL_MISS_TYPE	5

/**
 * struct genl - a socket
 * @fd: socket
 * @family: number of the family
 * @group_device: number of the group device
 * @group_all: number of the group all
 * @seq: of the last request
 * @error: result of the last answer, 0 or errno
 * @text: the kernel's message about the error
 * @offset: offset of the wrong attribute; 0: none
 * @missing: type of the missing attribute
 * @intr: a message of the dump had NLM_F_DUMP_INTR
 * @more: a dump has not ended
 * @req: the request
 * @len: bytes in @buf
 * @at: bytes already used
 * @buf: received messages
 */
struct genl {
	int fd;
	uint16_t family;
	uint32_t group_device;
	uint32_t group_all;
	uint32_t seq;
	int error;
	char text[128];
	uint32_t offset;
	uint32_t missing;
	int intr;
	int more;
	union {
		struct nlmsghdr hdr;
		char bytes[8192];
	} req;
	size_t len;
	size_t at;
	char buf[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
};

static inline void genl_begin_to(struct genl *g, uint16_t family, uint8_t cmd,
				 uint16_t flags)
{
	struct genlmsghdr *hdr = NLMSG_DATA(&g->req.hdr);

	memset(&g->req, 0, NLMSG_LENGTH(GENL_HDRLEN));
	g->req.hdr.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	g->req.hdr.nlmsg_type = family;
	g->req.hdr.nlmsg_flags = NLM_F_REQUEST | flags;
	g->req.hdr.nlmsg_seq = ++g->seq;
	hdr->cmd = cmd;
	hdr->version = 1;
}

/* Begin a request; @flags: NLM_F_ACK or NLM_F_DUMP. */
static inline void genl_begin(struct genl *g, uint8_t cmd, uint16_t flags)
{
	genl_begin_to(g, g->family, cmd, flags);
}

static inline void genl_put(struct genl *g, uint16_t type, const void *data,
			    size_t len)
{
	char *end = g->req.bytes + NLMSG_ALIGN(g->req.hdr.nlmsg_len);
	struct nlattr attr = {
		.nla_len = NLA_HDRLEN + len,
		.nla_type = type,
	};

	memset(end, 0, NLA_HDRLEN + NLA_ALIGN(len));
	memcpy(end, &attr, sizeof(attr));
	if (len)
		memcpy(end + NLA_HDRLEN, data, len);
	g->req.hdr.nlmsg_len = end + NLA_HDRLEN + NLA_ALIGN(len) - g->req.bytes;
}

static inline void genl_u32(struct genl *g, uint16_t type, uint32_t value)
{
	genl_put(g, type, &value, sizeof(value));
}

static inline void genl_u64(struct genl *g, uint16_t type, uint64_t value)
{
	genl_put(g, type, &value, sizeof(value));
}

static inline void genl_flag(struct genl *g, uint16_t type)
{
	genl_put(g, type, NULL, 0);
}

/* Attributes put until the end are nested. */
static inline uint32_t genl_nest(struct genl *g, uint16_t type)
{
	uint32_t nest = NLMSG_ALIGN(g->req.hdr.nlmsg_len);

	genl_put(g, type | NLA_F_NESTED, NULL, 0);
	return nest;
}

static inline void genl_nest_end(struct genl *g, uint32_t nest)
{
	((struct nlattr *)(g->req.bytes + nest))->nla_len = g->req.hdr.nlmsg_len - nest;
}

static inline void genl_target(struct genl *g, const char *device, uint32_t port)
{
	uint32_t nest = genl_nest(g, RDMAEV_A_FILTER_TARGET);

	genl_put(g, RDMAEV_A_TARGET_DEVICE_NAME, device, strlen(device) + 1);
	if (port != RDMAEV_ANY)
		genl_u32(g, RDMAEV_A_TARGET_PORT, port);
	genl_nest_end(g, nest);
}

static inline void genl_codes(struct genl *g, uint32_t kind, uint64_t codes)
{
	uint32_t nest = genl_nest(g, RDMAEV_A_FILTER_KIND_CODE);

	genl_u32(g, RDMAEV_A_KIND_CODE_KIND, kind);
	genl_u64(g, RDMAEV_A_KIND_CODE_CODES, codes);
	genl_nest_end(g, nest);
}

/* Put the attributes of a filter, within its nest. */
static inline void genl_filter(struct genl *g, const struct rdmaev_filter *f)
{
	unsigned int i;

	if (f->kinds)
		genl_u32(g, RDMAEV_A_FILTER_KINDS, f->kinds);
	if (f->severities)
		genl_u32(g, RDMAEV_A_FILTER_SEVERITIES, f->severities);
	if (f->object_types)
		genl_u32(g, RDMAEV_A_FILTER_OBJECT_TYPES, f->object_types);
	if (f->flags & RDMAEV_FILTER_OBJECT)
		genl_u32(g, RDMAEV_A_FILTER_OBJECT, f->object);
	if (f->flags & RDMAEV_FILTER_PID)
		genl_u32(g, RDMAEV_A_FILTER_PID, f->pid);
	if (f->flags & RDMAEV_FILTER_UID)
		genl_u32(g, RDMAEV_A_FILTER_UID, f->uid);
	if (f->flags & RDMAEV_FILTER_CGROUP)
		genl_u64(g, RDMAEV_A_FILTER_CGROUP, f->cgroup);
	for (i = 0; i < ARRAY_SIZE(f->codes); i++)
		if (f->codes[i])
			genl_codes(g, i, f->codes[i]);
	for (i = 0; i < f->targets; i++)
		genl_target(g, f->target[i].device, f->target[i].flags & RDMAEV_TARGET_PORT ?
			    f->target[i].port : RDMAEV_ANY);
}

/* @to: address of the kernel, or NULL, which means the same */
static inline int genl_send_to(struct genl *g, const struct sockaddr_nl *to)
{
	g->error = 0;
	g->text[0] = '\0';
	g->offset = 0;
	g->missing = 0;
	g->intr = 0;
	g->more = 1;
	g->len = 0;
	g->at = 0;
	return sendto(g->fd, &g->req, g->req.hdr.nlmsg_len, 0, (const void *)to,
		      to ? sizeof(*to) : 0) < 0 ? -1 : 0;
}

static inline int genl_send(struct genl *g)
{
	return genl_send_to(g, NULL);
}

/* Attributes by type; NULL: missing. */
static inline void genl_parse(const void *from, size_t len,
			      const struct nlattr *tb[GENL_ATTRS])
{
	const char *at = from, *end = at + len;

	memset(tb, 0, GENL_ATTRS * sizeof(tb[0]));
	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const struct nlattr *)at;
		unsigned int type = attr->nla_type & NLA_TYPE_MASK;

		if (attr->nla_len < NLA_HDRLEN || at + attr->nla_len > end)
			return;
		if (type < GENL_ATTRS)
			tb[type] = attr;
		at += NLA_ALIGN(attr->nla_len);
	}
}

static inline const void *genl_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t genl_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

/* A number of any size; 0 if it is missing. */
static inline uint64_t genl_number(const struct nlattr *attr)
{
	uint64_t value = 0;

	if (attr && genl_len(attr) <= sizeof(value))
		memcpy(&value, genl_data(attr), genl_len(attr));
	return value;
}

static inline void genl_attrs(const struct nlmsghdr *nlh,
			      const struct nlattr *tb[GENL_ATTRS])
{
	genl_parse((const char *)NLMSG_DATA(nlh) + GENL_HDRLEN,
		   nlh->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), tb);
}

static inline void genl_ended(struct genl *g, const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	size_t skip = sizeof(int);

	g->more = 0;
	g->error = -err->error;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		skip = sizeof(*err);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
			skip += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	}
	genl_parse((const char *)err + skip, nlh->nlmsg_len - NLMSG_HDRLEN - skip, tb);
	if (tb[NLMSGERR_ATTR_MSG])
		snprintf(g->text, sizeof(g->text), "%s",
			 (const char *)genl_data(tb[NLMSGERR_ATTR_MSG]));
	g->offset = genl_number(tb[NLMSGERR_ATTR_OFFS]);
	g->missing = genl_number(tb[GENL_MISS_TYPE]);
}

/*
 * The next message of any kind; NULL and @error if none comes in @timeout_ms.
 * ENOBUFS: some did not fit.
 */
static inline const struct nlmsghdr *genl_receive(struct genl *g, int timeout_ms)
{
	struct pollfd p = { .fd = g->fd, .events = POLLIN };
	const struct nlmsghdr *nlh;
	ssize_t n;

	if (g->at >= g->len) {
		g->at = 0;
		g->len = 0;
		if (poll(&p, 1, timeout_ms) != 1) {
			g->error = EAGAIN;
			return NULL;
		}
		n = recv(g->fd, g->buf, sizeof(g->buf), MSG_DONTWAIT);
		if (n < 0) {
			g->error = errno;
			return NULL;
		}
		g->len = n;
	}
	nlh = (const struct nlmsghdr *)(g->buf + g->at);
	g->at += NLMSG_ALIGN(nlh->nlmsg_len);
	return nlh;
}

/* The next message of an answer; NULL at its end, which sets @error. */
static inline const struct nlmsghdr *genl_next(struct genl *g)
{
	const struct nlmsghdr *nlh;

	while (g->more) {
		nlh = genl_receive(g, SOON_MS);
		if (!nlh)
			break;
		if (nlh->nlmsg_seq != g->seq)
			continue;
		g->intr |= !!(nlh->nlmsg_flags & NLM_F_DUMP_INTR);
		if (nlh->nlmsg_type != NLMSG_ERROR && nlh->nlmsg_type != NLMSG_DONE)
			return nlh;
		genl_ended(g, nlh);
	}
	return NULL;
}

/* Send a request with NLM_F_ACK. 0, or the error from the kernel. */
static inline int genl_do(struct genl *g)
{
	if (genl_send(g))
		return errno;
	while (genl_next(g))
		;
	return g->error;
}

/* A multicast record; NULL: none came, see @error. */
static inline const struct nlmsghdr *genl_event(struct genl *g, int timeout_ms)
{
	const struct nlmsghdr *nlh;
	const struct genlmsghdr *hdr;

	while ((nlh = genl_receive(g, timeout_ms))) {
		hdr = NLMSG_DATA(nlh);
		if (nlh->nlmsg_type == g->family && hdr->cmd == RDMAEV_CMD_EVENT_NTF)
			return nlh;
	}
	return NULL;
}

static inline int genl_join(struct genl *g, uint32_t group)
{
	return setsockopt(g->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
			  sizeof(group));
}

/* Numbers of the family and of its groups. */
static inline int genl_resolve(struct genl *g)
{
	const struct nlattr *tb[GENL_ATTRS], *group[GENL_ATTRS];
	const struct nlattr *groups[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int i;

	genl_begin_to(g, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	genl_put(g, CTRL_ATTR_FAMILY_NAME, RDMAEV_FAMILY_NAME,
		 sizeof(RDMAEV_FAMILY_NAME));
	if (genl_send(g))
		return -1;
	nlh = genl_next(g);
	if (!nlh) {
		errno = g->error;
		return -1;
	}
	genl_attrs(nlh, tb);
	g->family = genl_number(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_MCAST_GROUPS]) {
		genl_parse(genl_data(tb[CTRL_ATTR_MCAST_GROUPS]),
			   genl_len(tb[CTRL_ATTR_MCAST_GROUPS]), groups);
		for (i = 0; i < GENL_ATTRS; i++) {
			const char *name;
			uint32_t id;

			if (!groups[i])
				continue;
			genl_parse(genl_data(groups[i]), genl_len(groups[i]), group);
			name = genl_data(group[CTRL_ATTR_MCAST_GRP_NAME]);
			id = genl_number(group[CTRL_ATTR_MCAST_GRP_ID]);
			if (!strcmp(name, RDMAEV_MCGRP_DEVICE))
				g->group_device = id;
			else if (!strcmp(name, RDMAEV_MCGRP_ALL))
				g->group_all = id;
		}
	}
	while (genl_next(g))
		;
	return 0;
}

/* 0, or -1 and errno */
static inline int genl_open(struct genl *g)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int on = 1;

	memset(g, 0, offsetof(struct genl, buf));
	g->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (g->fd < 0)
		return -1;
	if (bind(g->fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(g->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(g->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on)) ||
	    genl_resolve(g)) {
		close(g->fd);
		return -1;
	}
	return 0;
}

static inline void genl_close(struct genl *g)
{
	close(g->fd);
}

/* 1: it is no number, or is smaller or larger than allowed. */
static inline int genl_fill_number(const struct nlattr *attr,
				   const struct rdmaev_attr *field, void *to)
{
	uint64_t value = genl_number(attr);
	size_t len = genl_len(attr);

	if (len != (value > UINT32_MAX ? 8 : 4) ||
	    (field->size < 8 && value >> 8 * field->size))
		return 1;
	memcpy((char *)to + field->offset, &value, field->size);
	return 0;
}

/* Number of counters in a nest that do not fit: those of 0 are not sent. */
static inline int genl_fill_counters(const struct nlattr *attr,
				     const struct rdmaev_attr *field, void *to)
{
	const struct nlattr *counter = genl_data(attr);
	const char *end = (const char *)counter + genl_len(attr);
	int wrong = 0;

	while ((const char *)counter < end) {
		struct rdmaev_attr one = {
			.offset = field->offset + ((counter->nla_type & NLA_TYPE_MASK) - 1) * 8,
			.size = 8,
		};

		wrong += one.offset >= field->offset + field->size || !genl_number(counter) ||
			 genl_fill_number(counter, &one, to);
		counter = (const void *)((const char *)counter + NLA_ALIGN(counter->nla_len));
	}
	return wrong;
}

/* Fill in the attributes. Number of attributes that do not fit. */
static inline int genl_fill(const struct nlattr *tb[GENL_ATTRS],
			    const struct rdmaev_attr_set *set, void *to)
{
	int wrong = 0;
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct rdmaev_attr *field = &set->attrs[i];
		const struct nlattr *attr = tb[field->type];

		if (!attr && field->is_port)
			*(uint32_t *)((char *)to + field->offset) = RDMAEV_NO_PORT;
		if (!attr)
			continue;
		if (field->size <= sizeof(uint64_t) && !field->is_text)
			wrong += genl_fill_number(attr, field, to);
		else if (field->is_counters)
			wrong += genl_fill_counters(attr, field, to);
		else if (genl_len(attr) <= field->size)
			memcpy((char *)to + field->offset, genl_data(attr),
			       genl_len(attr));
		else
			wrong++;
	}
	return wrong;
}

/* Number of attributes that are missing or unexpected */
static inline int genl_missing(const struct nlattr *tb[GENL_ATTRS],
			       const struct rdmaev_attr_set *set, uint32_t known)
{
	int wrong = 0;
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct rdmaev_attr *field = &set->attrs[i];
		int is_due = !field->known || field->known & known;

		wrong += is_due != !!tb[field->type] && !field->is_port;
	}
	return wrong;
}

/* Convert a message to a record; number of wrong attributes. */
static inline int genl_record(const struct nlmsghdr *nlh, struct rdmaev_record *rec)
{
	const struct nlattr *tb[GENL_ATTRS], *nested[GENL_ATTRS];
	const struct rdmaev_attr_set *body;
	int wrong;

	memset(rec, 0, sizeof(*rec));
	genl_attrs(nlh, tb);
	wrong = genl_fill(tb, &rdmaev_record_attrs, rec);
	/* Only some messages have the pid. */
	wrong += genl_missing(tb, &rdmaev_record_attrs, !!tb[RDMAEV_A_RECORD_PID]);
	if (!rec->kind || rec->kind > RDMAEV_KIND_MAX)
		return wrong + 1;
	body = &rdmaev_body_attrs[rec->kind];
	if (!tb[body->type])
		return wrong + 1;
	genl_parse(genl_data(tb[body->type]), genl_len(tb[body->type]), nested);
	wrong += genl_fill(nested, body, &rec->body);
	return wrong + genl_missing(nested, body, rdmaev_body_known(rec));
}

/* The seq to continue from, if a message of a dump has it; else 0 */
static inline uint64_t genl_position(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[GENL_ATTRS];

	genl_attrs(nlh, tb);
	return tb[RDMAEV_A_RECORD_SEQ] ? 0 : genl_number(tb[RDMAEV_A_RECORD_POSITION]);
}

/* The seq that a multicast message names */
static inline uint64_t genl_news(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[GENL_ATTRS];

	genl_attrs(nlh, tb);
	return genl_number(tb[RDMAEV_A_RECORD_SEQ]);
}

/**
 * struct genl_listener - reads the history when messages of a group wake it
 * @group: member of a group
 * @history: for dumps
 * @next: seq to read from
 */
struct genl_listener {
	struct genl group;
	struct genl history;
	uint64_t next;
};

static inline int genl_listener_open(struct genl_listener *l, uint64_t next, int to_all)
{
	l->next = next;
	l->history.more = 0;
	if (genl_open(&l->history) || genl_open(&l->group))
		return -1;
	return genl_join(&l->group, to_all ? l->group.group_all : l->group.group_device);
}

static inline void genl_listener_close(struct genl_listener *l)
{
	genl_close(&l->group);
	genl_close(&l->history);
}

/* The next record of a dump; 1, 0: it has ended, -1: errno */
static inline int genl_dumped(struct genl_listener *l, struct rdmaev_record *rec)
{
	const struct nlmsghdr *nlh;
	uint64_t position;

	while ((nlh = genl_next(&l->history))) {
		position = genl_position(nlh);
		if (!position)
			return genl_record(nlh, rec) ? -1 : 1;
		l->next = position;
	}
	errno = l->history.error;
	return errno ? -1 : 0;
}

/* The next record; 1, 0: none comes in @timeout_ms, -1: errno */
static inline int genl_read(struct genl_listener *l, struct rdmaev_record *rec,
			    int timeout_ms)
{
	int ret;

	for (;;) {
		if (!l->history.more) {
			/* What is appended from here on sends another one. */
			while (genl_event(&l->group, 0) || l->group.error == ENOBUFS)
				;
			genl_begin(&l->history, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
			genl_u64(&l->history, RDMAEV_A_RECORD_SEQ, l->next);
			if (genl_send(&l->history))
				return -1;
		}
		ret = genl_dumped(l, rec);
		if (ret)
			return ret;
		if (!genl_event(&l->group, timeout_ms) && l->group.error != ENOBUFS)
			return 0;
	}
}

#endif /* RDMAEV_TEST_GENL_H */
