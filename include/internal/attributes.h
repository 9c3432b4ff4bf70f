/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which attribute of the netlink family carries which field of the ABI: the one
 * table that the kernel encodes by, and library and tests decode by. Text is
 * sent as a string, an array of counters as a nest of those that are not 0,
 * another array as it is, everything else as a uint.
 */
#ifndef RDMAEV_ATTRIBUTES_H
#define RDMAEV_ATTRIBUTES_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>
#include <uapi/rdma/rdmaev_netlink.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <rdma/rdmaev.h>
#include <rdma/rdmaev_netlink.h>
#ifndef __maybe_unused
#define __maybe_unused	__attribute__((__unused__))
#endif
#endif

/**
 * struct rdmaev_attr - one attribute
 * @known: bits of rdmaev_body_known() with which it is sent, 0: always
 * @type: type of the attribute
 * @offset: offset of the field
 * @size: size of the field
 * @is_text: the field is a string, NUL-terminated
 * @is_counters: the field is an array of counters; number n has type n + 1 in the nest
 * @is_port: the field is a port, not sent if it is RDMAEV_NO_PORT
 */
struct rdmaev_attr {
	__u32 known;
	__u16 type;
	__u16 offset;
	__u16 size;
	bool is_text;
	bool is_counters;
	bool is_port;
};

/**
 * struct rdmaev_attr_set - the attributes of a structure
 * @attrs: attributes
 * @n: number of @attrs
 * @type: of the body of a record: the attribute that the body is nested in; of
 *	a record: that of the position after it; of an entry of a list: that of
 *	the seq that the list is true of
 */
struct rdmaev_attr_set {
	const struct rdmaev_attr *attrs;
	__u16 n;
	__u16 type;
};

#define RDMAEV_ATTR(attr, name, field, bits)	RDMAEV_ATTR_OF(attr, name, field, bits, false)
#define RDMAEV_ATTR_PORT(attr, name, field)	RDMAEV_ATTR_OF(attr, name, field, 0, true)
#define RDMAEV_ATTR_OF(attr, name, field, bits, with_port) {		\
	.known = bits,							\
	.type = RDMAEV_A_##attr,					\
	.offset = offsetof(struct rdmaev_##name, field),		\
	.size = sizeof(((struct rdmaev_##name *)0)->field),		\
	.is_text = __builtin_types_compatible_p(			\
		__typeof__(((struct rdmaev_##name *)0)->field),		\
		char [sizeof(((struct rdmaev_##name *)0)->field)]),	\
	.is_counters = __builtin_types_compatible_p(			\
		__typeof__(((struct rdmaev_##name *)0)->field),		\
		__u64 [sizeof(((struct rdmaev_##name *)0)->field) / sizeof(__u64)]), \
	.is_port = with_port,						\
}

#define RDMAEV_ATTR_ROWS(name)	(sizeof(name) / sizeof((name)[0]))

/* Each attribute of a set has its row in the table, but for so many others. */
#define RDMAEV_ATTR_COMPLETE(set, table, others)			\
	static_assert(RDMAEV_ATTR_ROWS(table) + (others) == RDMAEV_A_##set##_MAX)

#define RDMAEV_ATTR_SET(name, attr) {					\
	.attrs = name,							\
	.n = RDMAEV_ATTR_ROWS(name),					\
	.type = attr,							\
}

/* What a record about a port has, see rdmaev_body_known(). */
#define RDMAEV_PORT_NUMBERS	(1U << 0)
#define RDMAEV_PORT_GIDS	(1U << 1)
#define RDMAEV_PORT_OUTAGES	(1U << 2)

#include "attribute_tables.h"

/* Bodies that have the same begin with it, so that one function reads it of all of them. */
#define RDMAEV_FIRST(body)						\
	static_assert(!offsetof(struct body, info), #body " does not begin with info")
#define RDMAEV_SAME_PLACE(body, field)					\
	static_assert(offsetof(struct body, field) ==			\
		      offsetof(struct rdmaev_async_body, field), #field " is elsewhere")
RDMAEV_FIRST(rdmaev_async_body);
RDMAEV_FIRST(rdmaev_wc_body);
RDMAEV_FIRST(rdmaev_completion_body);
RDMAEV_FIRST(rdmaev_qp_body);
RDMAEV_FIRST(rdmaev_observer_body);
RDMAEV_FIRST(rdmaev_cm_body);
RDMAEV_FIRST(rdmaev_note_body);
RDMAEV_SAME_PLACE(rdmaev_wc_body, peer);
RDMAEV_SAME_PLACE(rdmaev_wc_body, queues);
RDMAEV_SAME_PLACE(rdmaev_qp_body, peer);

/* Which of the attributes of its body a record has, see struct rdmaev_attr. */
static inline __u32 rdmaev_body_known(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_PORT:
		if (rec->code == RDMAEV_PORT_GID)
			return RDMAEV_PORT_GIDS;
		return RDMAEV_PORT_NUMBERS |
		       (rec->body.port.down_since_ns ? RDMAEV_PORT_OUTAGES : 0);
	default:
		return RDMAEV_KINDS_WITH_KNOWN >> rec->kind & 1 ? rec->body.info.known : 0;
	}
}

#endif /* RDMAEV_ATTRIBUTES_H */
