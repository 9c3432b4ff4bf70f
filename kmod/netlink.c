// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The generic netlink family: what is asked for. Answers come from the functions that
 * answer the ioctls, too.
 *
 * A dump keeps what it needs from its first step to done at args[0] of the callback.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <net/net_namespace.h>

#include <internal/attributes.h>

#include "catalogue.h"
#include "cdev.h"
#include "compat.h"
#include "cq.h"
#include "log.h"
#include "netlink.h"
#include "netlink_policy.h"

/**
 * rdmaev_nl_cred - who asks
 * @skb: what was asked
 * @cred: filled in
 *
 * Whoever opened the socket must have a capability, and whoever asks. They must be
 * of one user, or nothing is their own.
 */
void rdmaev_nl_cred(const struct sk_buff *skb, struct rdmaev_cred *cred)
{
	const struct file *file = NETLINK_CB(skb).sk->sk_socket->file;
	const struct net *net = sock_net(skb->sk);

	rdmaev_cred_init(cred, net);
	if (!uid_eq(file->f_cred->euid, current_euid()))
		cred->uid = U32_MAX;
	cred->net_admin = netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN);
	cred->host_admin = netlink_capable(skb, CAP_NET_ADMIN);
	cred->all = cred->host_admin && net_eq(net, &init_net);
}

/**
 * rdmaev_nl_refuse - do and dump share a policy, but not all attributes
 * @attr: one of the other, NULL if there is none
 * @extack: for what is wrong with it
 *
 * Return: 0 or -EINVAL.
 */
int rdmaev_nl_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "this attribute is not for this sort of request");
	return -EINVAL;
}

static int explain(int ret, const struct nlattr *attr,
		   struct netlink_ext_ack *extack)
{
	switch (ret) {
	case -ENODEV:
		NL_SET_ERR_MSG_ATTR(extack, attr, "there is no such device");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG_ATTR(extack, attr, "the device has none such");
		break;
	}
	return ret;
}

/**
 * rdmaev_nl_read_u32 - read a number that has to fit into 32 bits
 * @attr: attribute of type uint
 * @value: set to it
 * @extack: for what is wrong with it
 *
 * Return: 0 or -ERANGE.
 */
int rdmaev_nl_read_u32(const struct nlattr *attr, u32 *value,
		       struct netlink_ext_ack *extack)
{
	u64 number = nla_get_uint(attr);

	if (number > U32_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "this number is too large");
		return -ERANGE;
	}
	*value = number;
	return 0;
}

struct list;

/**
 * struct list_ops - one command that lists
 * @cmd: command
 * @size: size of an entry
 * @attrs: attributes of an entry
 * @begin: make the list, in list.entries or page by page; 0 or -errno
 * @device: attribute of the device whose entries are listed, 0: there is none
 * @key: attributes that name one entry of the device: a do needs them
 * @flag: flag for dumps
 */
struct list_ops {
	u8 cmd;
	size_t size;
	const struct rdmaev_attr_set *attrs;
	int (*begin)(struct list *list, bool flag);
	u8 device;
	u8 key[2];
	u8 flag;
};

/**
 * struct list - a list on its way to the reader that has asked for it
 * @ops: what it is a list of
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @port: of counters: number of the port, or RDMAEV_ANY
 * @entries: copy of the list; not of CQs
 * @page: part of the list; of CQs only
 * @count: number of entries there
 * @next: the first that has not been taken
 * @seq: seq that they are true of
 * @more: there may be more pages
 */
struct list {
	const struct list_ops *ops;
	struct rdmaev_cred cred;
	u32 device;
	u32 port;
	void *entries;
	struct rdmaev_cq_page *page;
	u32 count;
	u32 next;
	u64 seq;
	bool more;
};

/* 0 or -errno of what a function returned that makes an array. */
static int list_take(struct list *list, void *entries)
{
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	list->entries = entries;
	return 0;
}

static int begin_devices(struct list *list, bool gone)
{
	return list_take(list, rdmaev_device_list(&list->cred, gone, &list->count,
						  &list->seq));
}

static int begin_ports(struct list *list, bool gone)
{
	return list_take(list, rdmaev_port_list(&list->cred, list->device, gone,
						&list->count, &list->seq));
}

static int begin_counters(struct list *list, bool gone)
{
	return list_take(list, rdmaev_counter_list(&list->cred, list->device,
						   list->port, gone, &list->count,
						   &list->seq));
}

static int begin_cqs(struct list *list, bool sums)
{
	if (sums)
		return list_take(list, rdmaev_cq_sums(&list->cred, list->device,
						      0, &list->count,
						      &list->seq));
	if (list->device != RDMAEV_ANY &&
	    !rdmaev_device_exists(&list->cred, list->device))
		return -ENODEV;
	list->more = true;
	list->page = kvzalloc(sizeof(*list->page), GFP_KERNEL_ACCOUNT);
	return list->page ? 0 : -ENOMEM;
}

static const struct list_ops device_ops = {
	.cmd = RDMAEV_CMD_DEVICE_GET,
	.size = sizeof(struct rdmaev_device),
	.attrs = &rdmaev_device_attrs,
	.begin = begin_devices,
	.key = { RDMAEV_A_DEVICE_INDEX },
	.flag = RDMAEV_A_DEVICE_GONE,
};

static const struct list_ops port_ops = {
	.cmd = RDMAEV_CMD_PORT_GET,
	.size = sizeof(struct rdmaev_port),
	.attrs = &rdmaev_port_attrs,
	.begin = begin_ports,
	.device = RDMAEV_A_PORT_DEVICE,
	.key = { RDMAEV_A_PORT_PORT },
	.flag = RDMAEV_A_PORT_GONE,
};

static const struct list_ops counter_ops = {
	.cmd = RDMAEV_CMD_COUNTER_GET,
	.size = sizeof(struct rdmaev_counter),
	.attrs = &rdmaev_counter_attrs,
	.begin = begin_counters,
	.device = RDMAEV_A_COUNTER_DEVICE,
	.key = { RDMAEV_A_COUNTER_KIND, RDMAEV_A_COUNTER_CODE },
	.flag = RDMAEV_A_COUNTER_GONE,
};

static const struct list_ops cq_ops = {
	.cmd = RDMAEV_CMD_CQ_GET,
	.size = sizeof(struct rdmaev_cq_stats),
	.attrs = &rdmaev_cq_attrs,
	.begin = begin_cqs,
	.device = RDMAEV_A_CQ_DEVICE,
	.key = { RDMAEV_A_CQ_CQ },
	.flag = RDMAEV_A_CQ_SUMS,
};

static void list_free(struct list *list)
{
	kvfree(list->entries);
	kvfree(list->page);
	kfree(list);
}

/* @port: of counters, where the request names none. */
static struct list *list_new(const struct sk_buff *request,
			     const struct list_ops *ops, u32 port,
			     struct nlattr **attrs,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *device = ops->device ? attrs[ops->device] : NULL;
	struct list *list;
	int ret = 0;

	list = kzalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return ERR_PTR(-ENOMEM);
	list->ops = ops;
	list->device = RDMAEV_ANY;
	list->port = port;
	rdmaev_nl_cred(request, &list->cred);
	if (device)
		ret = rdmaev_nl_read_u32(device, &list->device, extack);
	if (!ret && ops == &counter_ops && attrs[RDMAEV_A_COUNTER_PORT])
		ret = rdmaev_nl_read_u32(attrs[RDMAEV_A_COUNTER_PORT],
					 &list->port, extack);
	if (!ret)
		ret = explain(ops->begin(list, attrs[ops->flag]), device, extack);
	if (!ret)
		return list;
	list_free(list);
	return ERR_PTR(ret);
}

/*
 * The next entry, which stays the next until list.next is moved past it; NULL at
 * the end, and when the reader is killed. A page of CQs may have none that this
 * reader may see; the lock of their table is held for one page at a time.
 */
static const void *list_peek(struct list *list)
{
	const void *entries = list->page ? list->page->entries : list->entries;

	while (list->next == list->count) {
		if (!list->more || fatal_signal_pending(current))
			return NULL;
		list->more = rdmaev_cq_page(&list->cred, list->device,
					    list->page);
		list->next = 0;
		list->count = list->page->count;
		list->seq = list->page->seq;
		cond_resched();
	}
	return entries + list->next * list->ops->size;
}

static int put_entry(struct sk_buff *skb, const struct list *list,
		     const void *entry)
{
	const struct rdmaev_attr_set *attrs = list->ops->attrs;
	const struct rdmaev_counter *counter = entry;

	if (rdmaev_nl_put(skb, attrs, entry, 0) ||
	    nla_put_uint(skb, attrs->type, list->seq))
		return -EMSGSIZE;
	if (list->ops != &counter_ops)
		return 0;
	return nla_put_string(skb, RDMAEV_A_COUNTER_EVENT,
			      rdmaev_event_name(counter->kind, counter->code));
}

static struct sk_buff *reply_new(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (skb)
		*hdr = genlmsg_put_reply(skb, info, &rdmaev_nl_family, 0, cmd);
	return skb;
}

/* @ret: 0 if all has been put. */
static int reply_send(struct genl_info *info, struct sk_buff *skb, void *hdr,
		      int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static int info_doit(struct sk_buff *request, struct genl_info *info)
{
	struct rdmaev_info about;
	struct sk_buff *skb;
	void *hdr;

	/* A command without a policy is not checked for any by the core. */
	if (nlmsg_attrlen(info->nlhdr, GENL_HDRLEN)) {
		NL_SET_ERR_MSG(info->extack, "info-get takes no attributes");
		return -EINVAL;
	}
	rdmaev_info_get(&about);
	skb = reply_new(info, RDMAEV_CMD_INFO_GET, &hdr);
	if (!skb)
		return -ENOMEM;
	return reply_send(info, skb, hdr,
			  hdr ? rdmaev_nl_put(skb, &rdmaev_info_attrs, &about, 0) :
				-EMSGSIZE);
}

/* Has the entry the number in the attribute of that type? */
static bool has_number(const struct rdmaev_attr_set *attrs, const void *entry,
		       int type, u64 number)
{
	const struct rdmaev_attr *attr = attrs->attrs;

	while (attr->type != type)
		attr++;
	return rdmaev_nl_field(attr, entry) == number;
}

static bool is_asked_for(const struct list_ops *ops, struct nlattr **attrs,
			 const void *entry)
{
	const struct rdmaev_cq_stats *cq = entry;
	int i;

	if (ops == &cq_ops && !(cq->flags & RDMAEV_CQ_NUMBERED))
		return false;
	for (i = 0; i < ARRAY_SIZE(ops->key) && ops->key[i]; i++) {
		if (!has_number(ops->attrs, entry, ops->key[i],
				nla_get_uint(attrs[ops->key[i]])))
			return false;
	}
	return true;
}

/* What names one entry is in the request, and nothing else. */
static int check_one(const struct list_ops *ops, struct genl_info *info)
{
	u32 number;
	int ret, i;

	ret = rdmaev_nl_refuse(info->attrs[ops->flag], info->extack);
	if (ret)
		return ret;
	if (ops->device && GENL_REQ_ATTR_CHECK(info, ops->device))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(ops->key) && ops->key[i]; i++) {
		if (GENL_REQ_ATTR_CHECK(info, ops->key[i]))
			return -EINVAL;
		ret = rdmaev_nl_read_u32(info->attrs[ops->key[i]], &number,
					 info->extack);
		if (ret)
			return ret;
	}
	return 0;
}

/* The entry that is asked for is looked for in the list. */
static int list_doit(struct sk_buff *request, struct genl_info *info,
		     const struct list_ops *ops)
{
	const struct nlattr *key;
	struct sk_buff *skb;
	const void *entry;
	struct list *list;
	void *hdr;
	int ret;

	ret = check_one(ops, info);
	if (ret)
		return ret;
	list = list_new(request, ops, 0, info->attrs, info->extack);
	if (IS_ERR(list))
		return PTR_ERR(list);
	if (ops->device && list->device == RDMAEV_ANY) {
		ret = explain(-ENODEV, info->attrs[ops->device], info->extack);
		goto out;
	}
	while ((entry = list_peek(list)) &&
	       !is_asked_for(ops, info->attrs, entry))
		list->next++;
	if (!entry) {
		key = info->attrs[ops->key[1] ?: ops->key[0]];
		ret = explain(ops->device ? -ENOENT : -ENODEV, key, info->extack);
		goto out;
	}
	skb = reply_new(info, ops->cmd, &hdr);
	ret = -ENOMEM;
	if (skb)
		ret = reply_send(info, skb, hdr,
				 hdr ? put_entry(skb, list, entry) : -EMSGSIZE);
out:
	list_free(list);
	return ret;
}

static int list_done(struct netlink_callback *cb)
{
	if (cb->args[0])
		list_free((struct list *)cb->args[0]);
	return 0;
}

/* A dump is begun in its first step: older kernels have no extack in start. */
static struct list *list_begin(struct netlink_callback *cb,
			       const struct list_ops *ops)
{
	struct nlattr **attrs = rdmaev_dump_attrs(cb);
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(ops->key) && ops->key[i]; i++) {
		ret = rdmaev_nl_refuse(attrs[ops->key[i]], cb->extack);
		if (ret)
			return ERR_PTR(ret);
	}
	return list_new(cb->skb, ops, RDMAEV_ANY, attrs, cb->extack);
}

static int list_dumpit(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct list_ops *ops)
{
	struct list *list = (struct list *)cb->args[0];
	const void *entry;
	void *hdr;

	if (!list) {
		list = list_begin(cb, ops);
		if (IS_ERR(list))
			return PTR_ERR(list);
		cb->args[0] = (long)list;
	}
	while ((entry = list_peek(list))) {
		if (list->page)
			cb->seq = list->page->changes;
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, &rdmaev_nl_family,
				  NLM_F_MULTI, ops->cmd);
		if (!hdr)
			break;
		if (put_entry(skb, list, entry)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genl_dump_check_consistent(cb, hdr);
		genlmsg_end(skb, hdr);
		list->next++;
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	/* A step that puts nothing ends the dump. */
	return entry && !skb->len ? -EMSGSIZE : skb->len;
}

static int device_doit(struct sk_buff *skb, struct genl_info *info)
{
	return list_doit(skb, info, &device_ops);
}

static int device_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &device_ops);
}

static int port_doit(struct sk_buff *skb, struct genl_info *info)
{
	return list_doit(skb, info, &port_ops);
}

static int port_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &port_ops);
}

static int counter_doit(struct sk_buff *skb, struct genl_info *info)
{
	return list_doit(skb, info, &counter_ops);
}

static int counter_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &counter_ops);
}

static int cq_doit(struct sk_buff *skb, struct genl_info *info)
{
	return list_doit(skb, info, &cq_ops);
}

static int cq_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &cq_ops);
}

static const struct genl_ops ops[] = {
	{
		.cmd = RDMAEV_CMD_INFO_GET,
		.doit = info_doit,
	}, {
		.cmd = RDMAEV_CMD_DEVICE_GET,
		.doit = device_doit,
		.dumpit = device_dumpit,
		.done = list_done,
		.policy = rdmaev_device_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_device_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_PORT_GET,
		.doit = port_doit,
		.dumpit = port_dumpit,
		.done = list_done,
		.policy = rdmaev_port_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_port_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_COUNTER_GET,
		.doit = counter_doit,
		.dumpit = counter_dumpit,
		.done = list_done,
		.policy = rdmaev_counter_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_counter_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_CQ_GET,
		.doit = cq_doit,
		.dumpit = cq_dumpit,
		.done = list_done,
		.policy = rdmaev_cq_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_cq_get_policy) - 1,
	}, {
		.cmd = RDMAEV_CMD_HISTORY_GET,
		.doit = rdmaev_nl_history_doit,
		.dumpit = rdmaev_nl_history_dumpit,
		.done = rdmaev_nl_history_done,
		.policy = rdmaev_history_get_policy,
		.maxattr = ARRAY_SIZE(rdmaev_history_get_policy) - 1,
	},
};

static const struct genl_multicast_group groups[] = {
	[RDMAEV_NL_GROUP_DEVICE] = { .name = RDMAEV_MCGRP_DEVICE, },
	RDMAEV_ADMIN_GROUP(RDMAEV_NL_GROUP_ALL, RDMAEV_MCGRP_ALL)
};

struct genl_family rdmaev_nl_family = {
	.name = RDMAEV_FAMILY_NAME,
	.version = RDMAEV_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};
MODULE_ALIAS_GENL_FAMILY(RDMAEV_FAMILY_NAME);

/** rdmaev_netlink_init - register the family; all that it tells of must be there */
int rdmaev_netlink_init(void)
{
	int ret;

	ret = rdmaev_nl_event_init();
	if (ret)
		return ret;
	ret = genl_register_family(&rdmaev_nl_family);
	if (ret) {
		rdmaev_nl_event_exit();
		return ret;
	}
	rdmaev_nl_event_start();
	return 0;
}

/** rdmaev_netlink_exit - nobody is told anything any more */
void rdmaev_netlink_exit(void)
{
	rdmaev_nl_event_stop();
	genl_unregister_family(&rdmaev_nl_family);
	rdmaev_nl_event_exit();
}
