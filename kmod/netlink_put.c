// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Structures of the ABI as netlink attributes, by the table in attributes.h.
 */
#include <internal/attributes.h>

#include "catalogue.h"
#include "compat.h"
#include "netlink.h"

/* Each attribute has its row in the table, but for those named here. */
#define ASSERT_COMPLETE(set, table, others) \
	static_assert(ARRAY_SIZE(table) + (others) == RDMAEV_A_##set##_MAX)

ASSERT_COMPLETE(INFO, rdmaev_info_table, 0);
ASSERT_COMPLETE(DEVICE, rdmaev_device_table, 2);	/* gone, seq */
ASSERT_COMPLETE(PORT, rdmaev_port_table, 2);		/* gone, seq */
ASSERT_COMPLETE(COUNTER, rdmaev_counter_table, 3);	/* event, gone, seq */
ASSERT_COMPLETE(CQ, rdmaev_cq_table, 2);		/* sums, seq */
/* event, bodies, filter, position */
ASSERT_COMPLETE(RECORD, rdmaev_record_table, 3 + RDMAEV_KIND_LOST);
ASSERT_COMPLETE(DEVICE_BODY, rdmaev_device_body_table, 0);
ASSERT_COMPLETE(PORT_BODY, rdmaev_port_body_table, 0);
ASSERT_COMPLETE(ASYNC_BODY, rdmaev_async_body_table, 0);
ASSERT_COMPLETE(WC_BODY, rdmaev_wc_body_table, 0);
ASSERT_COMPLETE(COMPLETION_BODY, rdmaev_completion_body_table, 0);
ASSERT_COMPLETE(LOST_BODY, rdmaev_lost_body_table, 0);
static_assert(ARRAY_SIZE(rdmaev_body_attrs) == RDMAEV_KIND_LOST + 1);

/**
 * rdmaev_nl_field - value of a field that is a number
 * @attr: its attribute
 * @from: structure
 */
u64 rdmaev_nl_field(const struct rdmaev_attr *attr, const void *from)
{
	const void *field = from + attr->offset;

	switch (attr->size) {
	case sizeof(u8):
		return *(const u8 *)field;
	case sizeof(u16):
		return *(const u16 *)field;
	case sizeof(u32):
		return *(const u32 *)field;
	default:
		return *(const u64 *)field;
	}
}

/**
 * rdmaev_nl_put - put a structure
 * @skb: message
 * @set: attributes of the structure
 * @from: structure
 * @known: see &struct rdmaev_attr
 *
 * Return: 0 or -EMSGSIZE.
 */
int rdmaev_nl_put(struct sk_buff *skb, const struct rdmaev_attr_set *set,
		  const void *from, u32 known)
{
	const struct rdmaev_attr *attr;
	int ret = 0;

	for (attr = set->attrs; !ret && attr < set->attrs + set->n; attr++) {
		if (attr->known && !(attr->known & known))
			continue;
		if (attr->is_text)
			ret = nla_put_string(skb, attr->type,
					     from + attr->offset);
		else if (attr->size > sizeof(u64))
			ret = nla_put(skb, attr->type, attr->size,
				      from + attr->offset);
		else
			ret = nla_put_uint(skb, attr->type,
					   rdmaev_nl_field(attr, from));
	}
	return ret;
}

/**
 * rdmaev_nl_put_record - put a record
 * @skb: message
 * @rec: record
 * @with_pid: the pid is one in the pid namespace of the receiver
 *
 * Return: 0 or -EMSGSIZE.
 */
int rdmaev_nl_put_record(struct sk_buff *skb, const struct rdmaev_record *rec,
			 bool with_pid)
{
	const struct rdmaev_attr_set *set = &rdmaev_body_attrs[rec->kind];
	struct nlattr *nest;

	if (rdmaev_nl_put(skb, &rdmaev_record_attrs, rec, with_pid) ||
	    nla_put_string(skb, RDMAEV_A_RECORD_EVENT,
			   rdmaev_event_name(rec->kind, rec->code)))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, set->type);
	if (!nest || rdmaev_nl_put(skb, set, &rec->body, rdmaev_body_known(rec)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
