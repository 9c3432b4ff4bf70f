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

/* The same, and the request is to have it. */
static int read_required(struct genl_info *info, int type, u32 *value)
{
	if (GENL_REQ_ATTR_CHECK(info, type))
		return -EINVAL;
	return rdmaev_nl_read_u32(info->attrs[type], value, info->extack);
}

static int read_device(struct genl_info *info, int type, u32 *device)
{
	int ret = read_required(info, type, device);

	if (!ret && *device == RDMAEV_ANY)
		ret = explain(-ENODEV, info->attrs[type], info->extack);
	return ret;
}

struct list;

/**
 * struct sort - what lists there are
 * @cmd: command of the answer
 * @size: of an entry
 * @put: puts an entry and the seq of the list
 * @begin: makes the list, with what else is in the request
 * @device_attr: the device that it is to be of, 0: there is no such attribute
 */
struct sort {
	u8 cmd;
	size_t size;
	int (*put)(struct sk_buff *skb, const void *entry, u64 seq);
	int (*begin)(struct list *list, struct nlattr **attrs,
		     struct netlink_ext_ack *extack);
	int device_attr;
};

static const struct sort device_list, port_list, counter_list, cq_list;

static int reply(struct genl_info *info, const struct sort *sort,
		 const void *entry, u64 seq)
{
	struct sk_buff *skb;
	void *hdr;
	int ret;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &rdmaev_nl_family, 0, sort->cmd);
	ret = hdr ? sort->put(skb, entry, seq) : -EMSGSIZE;
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static int put_info(struct sk_buff *skb, const void *entry, u64 seq)
{
	return rdmaev_nl_put_info(skb, entry);
}

static int info_doit(struct sk_buff *skb, struct genl_info *info)
{
	static const struct sort sort = {
		.cmd = RDMAEV_CMD_INFO_GET,
		.put = put_info,
	};
	struct rdmaev_info about;

	/* A command without a policy is not checked for any by the core. */
	if (nlmsg_attrlen(info->nlhdr, GENL_HDRLEN)) {
		NL_SET_ERR_MSG(info->extack, "info-get takes no attributes");
		return -EINVAL;
	}
	rdmaev_info_get(&about);
	return reply(info, &sort, &about, 0);
}

static int device_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[RDMAEV_A_DEVICE_INDEX];
	struct rdmaev_device *entries;
	struct rdmaev_cred cred;
	u32 device, count, i;
	u64 seq;
	int ret;

	ret = rdmaev_nl_refuse(info->attrs[RDMAEV_A_DEVICE_GONE],
			       info->extack);
	ret = ret ?: read_device(info, RDMAEV_A_DEVICE_INDEX, &device);
	if (ret)
		return ret;
	rdmaev_nl_cred(skb, &cred);
	entries = rdmaev_device_list(&cred, false, &count, &seq);
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	ret = -ENODEV;
	for (i = 0; i < count; i++) {
		if (entries[i].index == device) {
			ret = reply(info, &device_list, &entries[i], seq);
			break;
		}
	}
	kvfree(entries);
	return explain(ret, attr, info->extack);
}

static int port_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[RDMAEV_A_PORT_DEVICE];
	const struct nlattr *port = info->attrs[RDMAEV_A_PORT_PORT];
	struct rdmaev_port *entries;
	struct rdmaev_cred cred;
	u32 device, number, count, i;
	u64 seq;
	int ret;

	ret = rdmaev_nl_refuse(info->attrs[RDMAEV_A_PORT_GONE], info->extack);
	ret = ret ?: read_device(info, RDMAEV_A_PORT_DEVICE, &device);
	ret = ret ?: read_required(info, RDMAEV_A_PORT_PORT, &number);
	if (ret)
		return ret;
	rdmaev_nl_cred(skb, &cred);
	entries = rdmaev_port_list(&cred, device, false, &count, &seq);
	if (IS_ERR(entries))
		return explain(PTR_ERR(entries), attr, info->extack);
	ret = -ENOENT;
	for (i = 0; i < count; i++) {
		if (entries[i].port == number) {
			ret = reply(info, &port_list, &entries[i], seq);
			break;
		}
	}
	kvfree(entries);
	return explain(ret, port, info->extack);
}

static int counter_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[RDMAEV_A_COUNTER_DEVICE];
	const struct nlattr *port = info->attrs[RDMAEV_A_COUNTER_PORT];
	const struct nlattr *code = info->attrs[RDMAEV_A_COUNTER_CODE];
	struct rdmaev_counter *entries;
	struct rdmaev_cred cred;
	u32 device, number = 0, kind, event, count, i;
	u64 seq;
	int ret;

	ret = rdmaev_nl_refuse(info->attrs[RDMAEV_A_COUNTER_GONE],
			       info->extack);
	ret = ret ?: read_device(info, RDMAEV_A_COUNTER_DEVICE, &device);
	ret = ret ?: read_required(info, RDMAEV_A_COUNTER_KIND, &kind);
	ret = ret ?: read_required(info, RDMAEV_A_COUNTER_CODE, &event);
	if (!ret && port)
		ret = rdmaev_nl_read_u32(port, &number, info->extack);
	if (ret)
		return ret;
	rdmaev_nl_cred(skb, &cred);
	entries = rdmaev_counter_list(&cred, device, number, false, &count,
				      &seq);
	if (IS_ERR(entries))
		return explain(PTR_ERR(entries), attr, info->extack);
	ret = -ENOENT;
	for (i = 0; i < count; i++) {
		if (entries[i].port == number && entries[i].kind == kind &&
		    entries[i].code == event) {
			ret = reply(info, &counter_list, &entries[i], seq);
			break;
		}
	}
	kvfree(entries);
	return explain(ret, code, info->extack);
}

/* The entry of a CQ in the page, or in those that follow. */
static const struct rdmaev_cq_stats *find_cq(const struct rdmaev_cred *cred,
					     u32 device, u32 number,
					     struct rdmaev_cq_page *page)
{
	bool more;
	u32 i;

	do {
		more = rdmaev_cq_page(cred, device, page);
		for (i = 0; i < page->count; i++) {
			if (page->entries[i].flags & RDMAEV_CQ_NUMBERED &&
			    page->entries[i].cq == number)
				return &page->entries[i];
		}
		cond_resched();
	} while (more && !fatal_signal_pending(current));
	return NULL;
}

static int cq_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[RDMAEV_A_CQ_DEVICE];
	const struct nlattr *number = info->attrs[RDMAEV_A_CQ_CQ];
	const struct rdmaev_cq_stats *entry;
	struct rdmaev_cred cred;
	struct rdmaev_cq_page *page;
	u32 device, cq;
	int ret;

	ret = rdmaev_nl_refuse(info->attrs[RDMAEV_A_CQ_SUMS], info->extack);
	ret = ret ?: read_device(info, RDMAEV_A_CQ_DEVICE, &device);
	ret = ret ?: read_required(info, RDMAEV_A_CQ_CQ, &cq);
	if (ret)
		return ret;
	rdmaev_nl_cred(skb, &cred);
	if (!rdmaev_device_exists(&cred, device))
		return explain(-ENODEV, attr, info->extack);
	page = kvzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	entry = find_cq(&cred, device, cq, page);
	ret = entry ? reply(info, &cq_list, entry, page->seq) : -ENOENT;
	kvfree(page);
	return explain(ret, number, info->extack);
}

/**
 * struct list - a list on its way to who asked
 * @sort: what it is a list of
 * @entries: a copy of it; not of CQs
 * @page: some of it; of CQs only
 * @count: entries
 * @next: the first that has not been put
 * @seq: seq that they are true of
 * @more: there may be more pages
 * @cred: who asks, and
 * @device: for which device
 */
struct list {
	const struct sort *sort;
	void *entries;
	struct rdmaev_cq_page *page;
	u32 count;
	u32 next;
	u64 seq;
	bool more;
	struct rdmaev_cred cred;
	u32 device;
};

/* Those that begin a list leave an array in entries, or ERR_PTR. */
static int begin_devices(struct list *list, struct nlattr **attrs,
			 struct netlink_ext_ack *extack)
{
	int ret;

	ret = rdmaev_nl_refuse(attrs[RDMAEV_A_DEVICE_INDEX], extack);
	if (!ret)
		list->entries = rdmaev_device_list(&list->cred,
						   attrs[RDMAEV_A_DEVICE_GONE],
						   &list->count, &list->seq);
	return ret;
}

static int begin_ports(struct list *list, struct nlattr **attrs,
		       struct netlink_ext_ack *extack)
{
	int ret;

	ret = rdmaev_nl_refuse(attrs[RDMAEV_A_PORT_PORT], extack);
	if (!ret)
		list->entries = rdmaev_port_list(&list->cred, list->device,
						 attrs[RDMAEV_A_PORT_GONE],
						 &list->count, &list->seq);
	return ret;
}

static int begin_counters(struct list *list, struct nlattr **attrs,
			  struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = attrs[RDMAEV_A_COUNTER_PORT];
	u32 port = RDMAEV_ANY;
	int ret;

	ret = rdmaev_nl_refuse(attrs[RDMAEV_A_COUNTER_KIND], extack);
	ret = ret ?: rdmaev_nl_refuse(attrs[RDMAEV_A_COUNTER_CODE], extack);
	if (!ret && attr)
		ret = rdmaev_nl_read_u32(attr, &port, extack);
	if (!ret)
		list->entries = rdmaev_counter_list(&list->cred, list->device,
						    port,
						    attrs[RDMAEV_A_COUNTER_GONE],
						    &list->count, &list->seq);
	return ret;
}

static int begin_cqs(struct list *list, struct nlattr **attrs,
		     struct netlink_ext_ack *extack)
{
	int ret;

	ret = rdmaev_nl_refuse(attrs[RDMAEV_A_CQ_CQ], extack);
	if (ret)
		return ret;
	if (attrs[RDMAEV_A_CQ_SUMS]) {
		list->entries = rdmaev_cq_sums(&list->cred, list->device, 0,
					       &list->count, &list->seq);
		return 0;
	}
	if (list->device != RDMAEV_ANY &&
	    !rdmaev_device_exists(&list->cred, list->device)) {
		list->entries = ERR_PTR(-ENODEV);
		return 0;
	}
	list->more = true;
	list->page = kvzalloc(sizeof(*list->page), GFP_KERNEL_ACCOUNT);
	return list->page ? 0 : -ENOMEM;
}

static const struct sort device_list = {
	RDMAEV_CMD_DEVICE_GET, sizeof(struct rdmaev_device),
	rdmaev_nl_put_device, begin_devices, 0,
};

static const struct sort port_list = {
	RDMAEV_CMD_PORT_GET, sizeof(struct rdmaev_port), rdmaev_nl_put_port,
	begin_ports, RDMAEV_A_PORT_DEVICE,
};

static const struct sort counter_list = {
	RDMAEV_CMD_COUNTER_GET, sizeof(struct rdmaev_counter),
	rdmaev_nl_put_counter, begin_counters, RDMAEV_A_COUNTER_DEVICE,
};

static const struct sort cq_list = {
	RDMAEV_CMD_CQ_GET, sizeof(struct rdmaev_cq_stats), rdmaev_nl_put_cq,
	begin_cqs, RDMAEV_A_CQ_DEVICE,
};

static void list_free(struct list *list)
{
	kvfree(list->entries);
	kvfree(list->page);
	kfree(list);
}

static struct list *list_new(struct netlink_callback *cb,
			     const struct sort *sort)
{
	struct nlattr **attrs = rdmaev_dump_attrs(cb);
	const struct nlattr *attr = NULL;
	struct list *list;
	int ret = 0;

	list = kzalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return ERR_PTR(-ENOMEM);
	list->sort = sort;
	if (sort->device_attr)
		attr = attrs[sort->device_attr];
	list->device = RDMAEV_ANY;
	if (attr)
		ret = rdmaev_nl_read_u32(attr, &list->device, cb->extack);
	rdmaev_nl_cred(cb->skb, &list->cred);
	ret = ret ?: sort->begin(list, attrs, cb->extack);
	if (IS_ERR(list->entries)) {
		ret = explain(PTR_ERR(list->entries), attr, cb->extack);
		list->entries = NULL;
	}
	if (!ret)
		return list;
	list_free(list);
	return ERR_PTR(ret);
}

static int list_done(struct netlink_callback *cb)
{
	if (cb->args[0])
		list_free((struct list *)cb->args[0]);
	return 0;
}

static int put_entry(struct sk_buff *skb, struct netlink_callback *cb,
		     struct list *list, const void *entry)
{
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &rdmaev_nl_family, NLM_F_MULTI, list->sort->cmd);
	if (!hdr)
		return -EMSGSIZE;
	ret = list->sort->put(skb, entry, list->seq);
	if (ret) {
		genlmsg_cancel(skb, hdr);
		return ret;
	}
	genl_dump_check_consistent(cb, hdr);
	genlmsg_end(skb, hdr);
	return 0;
}

/* False if there is no room any more. */
static bool put_entries(struct sk_buff *skb, struct netlink_callback *cb,
			struct list *list)
{
	const void *entries = list->page ? list->page->entries : list->entries;

	for (; list->next < list->count; list->next++) {
		if (put_entry(skb, cb, list,
			      entries + list->next * list->sort->size))
			return false;
	}
	return true;
}

/*
 * The list is made in the first step, not in start: there older kernels have no way
 * to say what is wrong.
 */
static int list_dumpit(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct sort *sort)
{
	struct list *list = (struct list *)cb->args[0];

	if (!list) {
		list = list_new(cb, sort);
		if (IS_ERR(list))
			return PTR_ERR(list);
		cb->args[0] = (long)list;
	}
	/*
	 * A step that puts nothing ends the dump. So it goes on over pages without a
	 * CQ for this reader, with the table's lock held for one page at a time.
	 */
	while (put_entries(skb, cb, list) && list->more) {
		if (fatal_signal_pending(current))
			return -EINTR;
		list->more = rdmaev_cq_page(&list->cred, list->device,
					    list->page);
		list->next = 0;
		list->count = list->page->count;
		list->seq = list->page->seq;
		cb->seq = list->page->changes;
		cond_resched();
	}
	if (!skb->len && list->next < list->count)
		return -EMSGSIZE;
	return skb->len;
}

static int device_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &device_list);
}

static int port_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &port_list);
}

static int counter_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &counter_list);
}

static int cq_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return list_dumpit(skb, cb, &cq_list);
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
