// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages of the netlink family: who sent a request, attributes that are read,
 * and structures of the ABI that are put as attributes, by the table in
 * attributes.h.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uidgid.h>
#include <net/net_namespace.h>

#include <internal/attributes.h>

#include "compat.h"
#include "device/access.h"
#include "log/catalogue.h"
#include "netlink_msg.h"

/* Attributes that are not fields are named; of bodies, attribute_tables.h asserts the same. */
RDMAEV_ATTR_COMPLETE(INFO, rdmaev_info_table, 0);
RDMAEV_ATTR_COMPLETE(DEVICE, rdmaev_device_table, 2);	/* removed, seq */
RDMAEV_ATTR_COMPLETE(PORT, rdmaev_port_table, 2);		/* removed, seq */
RDMAEV_ATTR_COMPLETE(COUNTER, rdmaev_counter_table, 3);	/* event, removed, seq */
RDMAEV_ATTR_COMPLETE(CQ, rdmaev_cq_table, 2);		/* sums, seq */
RDMAEV_ATTR_COMPLETE(PROBE, rdmaev_probe_table, 1);		/* seq */
/* event, bodies, filter, position */
RDMAEV_ATTR_COMPLETE(RECORD, rdmaev_record_table, 3 + RDMAEV_KIND_MAX);

static const struct genl_multicast_group nl_groups[] = {
	[RDMAEV_NL_GROUP_DEVICE] = { .name = RDMAEV_MCGRP_DEVICE, },
	RDMAEV_ADMIN_GROUP(RDMAEV_NL_GROUP_ALL, RDMAEV_MCGRP_ALL)
};

/* Operations are added before it is registered, see rdmaev_netlink_init(). */
struct genl_family rdmaev_nl_family = {
	.name = RDMAEV_FAMILY_NAME,
	.version = RDMAEV_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.mcgrps = nl_groups,
	.n_mcgrps = ARRAY_SIZE(nl_groups),
};
MODULE_ALIAS_GENL_FAMILY(RDMAEV_FAMILY_NAME);

static bool nl_capable(const struct file *file, struct user_namespace *ns)
{
	return file_ns_capable(file, ns, CAP_NET_ADMIN) &&
	       ns_capable_noaudit(ns, CAP_NET_ADMIN);
}

/**
 * rdmaev_nl_cred - get the credentials for a request
 * @skb: request
 * @cred: filled in
 *
 * A capability counts if both the process that opened the socket and this one have
 * it: the one that sends a request, or, for a dump, may be one that reads the answer.
 * A user may have another program do that. netlink_capable() ignores who opened the
 * socket if the request has an address. If the two have different users, they own no
 * object.
 */
void rdmaev_nl_cred(const struct sk_buff *skb, struct rdmaev_cred *cred)
{
	const struct file *file = NETLINK_CB(skb).sk->sk_socket->file;
	const struct net *net = sock_net(skb->sk);

	rdmaev_cred_init(cred, net);
	if (!uid_eq(file->f_cred->euid, current_euid()))
		cred->uid = U32_MAX;
	cred->net_admin = nl_capable(file, net->user_ns);
	cred->host_admin = nl_capable(file, &init_user_ns);
	cred->all = cred->host_admin && net_eq(net, &init_net);
}

/**
 * rdmaev_nl_read_u32 - read a number that must fit in 32 bits
 * @attr: attribute of type uint
 * @value: set to it
 * @extack: set if the number is larger
 *
 * Return: 0 or -ERANGE.
 */
int rdmaev_nl_read_u32(const struct nlattr *attr, u32 *value,
		       struct netlink_ext_ack *extack)
{
	u64 number = nla_get_uint(attr);

	if (number > U32_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "number does not fit in 32 bits");
		return -ERANGE;
	}
	*value = number;
	return 0;
}

/* The value of a field that is a number */
static u64 nl_field(const struct rdmaev_attr *attr, const void *from)
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

static int nl_put_counters(struct sk_buff *skb, const struct rdmaev_attr *attr, const u64 *counter)
{
	struct nlattr *nest = nla_nest_start(skb, attr->type);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < attr->size / sizeof(*counter); i++)
		if (counter[i] && nla_put_uint(skb, i + 1, counter[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
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
		if (attr->is_port && nl_field(attr, from) == RDMAEV_NO_PORT)
			continue;
		if (attr->is_text)
			ret = nla_put_string(skb, attr->type,
					     from + attr->offset);
		else if (attr->is_counters)
			ret = nl_put_counters(skb, attr, from + attr->offset);
		else if (attr->size > sizeof(u64))
			ret = nla_put(skb, attr->type, attr->size,
				      from + attr->offset);
		else
			ret = nla_put_uint(skb, attr->type,
					   nl_field(attr, from));
	}
	return ret;
}

/**
 * rdmaev_nl_put_record - put a record
 * @skb: message
 * @rec: record
 *
 * Return: 0 or -EMSGSIZE.
 */
int rdmaev_nl_put_record(struct sk_buff *skb, const struct rdmaev_record *rec)
{
	const struct rdmaev_attr_set *set = &rdmaev_body_attrs[rec->kind];
	struct nlattr *nest;

	if (rdmaev_nl_put(skb, &rdmaev_record_attrs, rec, 0) ||
	    nla_put_string(skb, RDMAEV_A_RECORD_EVENT,
			   rdmaev_event_name(rec->kind, rec->code)))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, set->type);
	if (!nest || rdmaev_nl_put(skb, set, &rec->body, rdmaev_body_known(rec)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
