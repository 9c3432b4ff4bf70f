// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lists by netlink: devices, ports, counters, CQs, QPs, probes, made by the functions
 * that answer the ioctls; and the info of the log.
 *
 * A dump keeps its list from the first step to done in args[0] of the callback.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <internal/attributes.h>

#include "compat.h"
#include "device/access.h"
#include "device/snapshot.h"
#include "info.h"
#include "log/catalogue.h"
#include "netlink_list.h"
#include "netlink_msg.h"
#include "object/cq_list.h"
#include "object/qp_list.h"
#include "probe/prober.h"

struct nl_list;

/**
 * struct nl_list_ops - one command that lists
 * @cmd: command
 * @size: size of an entry
 * @attrs: attributes of an entry
 * @begin: make the list, in list.entries, or prepare its pages; 0 or -errno
 * @pages: of a list that is long
 * @device: attribute of the device whose entries are listed, 0: there is none
 * @flag: its flag, 0: there is none
 */
struct nl_list_ops {
	u8 cmd;
	size_t size;
	const struct rdmaev_attr_set *attrs;
	int (*begin)(struct nl_list *list, bool flag);
	const struct rdmaev_page_ops *pages;
	u8 device;
	u8 flag;
};

/**
 * struct nl_list - a list on its way to the reader that has asked for it
 * @ops: what it is a list of
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @port: of counters: number of the port, or RDMAEV_ANY
 * @entries: copy of the list, unless it has pages
 * @page: its page
 * @count: number of entries there
 * @next: the first that has not been taken
 * @seq: seq that they are true of
 * @more: there may be more pages
 */
struct nl_list {
	const struct nl_list_ops *ops;
	struct rdmaev_cred cred;
	u32 device;
	u32 port;
	void *entries;
	struct rdmaev_page *page;
	u32 count;
	u32 next;
	u64 seq;
	bool more;
};

/* Take the result of a function that returns an array or ERR_PTR. */
static int nl_list_set(struct nl_list *list, void *entries)
{
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	list->entries = entries;
	return 0;
}

static int nl_begin_devices(struct nl_list *list, bool removed)
{
	return nl_list_set(list, rdmaev_device_list(&list->cred, task_active_pid_ns(current),
						     removed, &list->count, &list->seq));
}

static int nl_begin_ports(struct nl_list *list, bool removed)
{
	return nl_list_set(list, rdmaev_port_list(&list->cred, list->device, removed,
						   &list->count, &list->seq));
}

static int nl_begin_counters(struct nl_list *list, bool removed)
{
	return nl_list_set(list, rdmaev_counter_list(&list->cred, list->device,
						   list->port, removed, &list->count,
						      &list->seq));
}

static int nl_begin_pages(struct nl_list *list, bool unused)
{
	if (list->device != RDMAEV_ANY &&
	    !rdmaev_device_exists(&list->cred, list->device))
		return -ENODEV;
	list->more = true;
	list->page = rdmaev_page_alloc(list->ops->pages);
	return list->page ? 0 : -ENOMEM;
}

static int nl_begin_cqs(struct nl_list *list, bool sums)
{
	if (!sums)
		return nl_begin_pages(list, false);
	return nl_list_set(list, rdmaev_cq_sums(&list->cred, list->device, 0,
						&list->count, &list->seq));
}

static int nl_begin_probes(struct nl_list *list, bool unused)
{
	return nl_list_set(list, rdmaev_probe_list(&list->cred, list->device,
						    &list->count, &list->seq));
}

static const struct nl_list_ops nl_device_ops = {
	.cmd = RDMAEV_CMD_DEVICE_GET,
	.size = sizeof(struct rdmaev_device),
	.attrs = &rdmaev_device_attrs,
	.begin = nl_begin_devices,
	.flag = RDMAEV_A_DEVICE_REMOVED,
};

static const struct nl_list_ops nl_port_ops = {
	.cmd = RDMAEV_CMD_PORT_GET,
	.size = sizeof(struct rdmaev_port),
	.attrs = &rdmaev_port_attrs,
	.begin = nl_begin_ports,
	.device = RDMAEV_A_PORT_DEVICE,
	.flag = RDMAEV_A_PORT_REMOVED,
};

static const struct nl_list_ops nl_counter_ops = {
	.cmd = RDMAEV_CMD_COUNTER_GET,
	.size = sizeof(struct rdmaev_counter),
	.attrs = &rdmaev_counter_attrs,
	.begin = nl_begin_counters,
	.device = RDMAEV_A_COUNTER_DEVICE,
	.flag = RDMAEV_A_COUNTER_REMOVED,
};

static const struct nl_list_ops nl_cq_ops = {
	.cmd = RDMAEV_CMD_CQ_GET,
	.size = sizeof(struct rdmaev_cq_stats),
	.attrs = &rdmaev_cq_attrs,
	.begin = nl_begin_cqs,
	.pages = &rdmaev_cq_pages,
	.device = RDMAEV_A_CQ_DEVICE,
	.flag = RDMAEV_A_CQ_SUMS,
};

/* These have no flag: no request has an attribute of type 0. */
static const struct nl_list_ops nl_qp_ops = {
	.cmd = RDMAEV_CMD_QP_GET,
	.size = sizeof(struct rdmaev_qp),
	.attrs = &rdmaev_qp_attrs,
	.begin = nl_begin_pages,
	.pages = &rdmaev_qp_pages,
	.device = RDMAEV_A_QP_DEVICE,
};

static const struct nl_list_ops nl_probe_ops = {
	.cmd = RDMAEV_CMD_PROBE_GET,
	.size = sizeof(struct rdmaev_probe),
	.attrs = &rdmaev_probe_attrs,
	.begin = nl_begin_probes,
	.device = RDMAEV_A_PROBE_DEVICE,
};

static void nl_list_free(struct nl_list *list)
{
	kvfree(list->entries);
	kvfree(list->page);
	kfree(list);
}

/* In the first step of the dump: older kernels have no extack in start. */
static struct nl_list *nl_list_begin(struct netlink_callback *cb,
				     const struct nl_list_ops *ops)
{
	struct nlattr **attrs = rdmaev_dump_attrs(cb);
	const struct nlattr *device = ops->device ? attrs[ops->device] : NULL;
	struct nl_list *list;
	int ret = 0;

	list = kzalloc(sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return ERR_PTR(-ENOMEM);
	list->ops = ops;
	list->device = RDMAEV_ANY;
	list->port = RDMAEV_ANY;
	rdmaev_nl_cred(cb->skb, &list->cred);
	if (device)
		ret = rdmaev_nl_read_u32(device, &list->device, cb->extack);
	if (!ret && ops == &nl_counter_ops && attrs[RDMAEV_A_COUNTER_PORT])
		ret = rdmaev_nl_read_u32(attrs[RDMAEV_A_COUNTER_PORT],
					 &list->port, cb->extack);
	if (!ret)
		ret = ops->begin(list, attrs[ops->flag]);
	if (!ret)
		return list;
	if (ret == -ENODEV)
		NL_SET_ERR_MSG_ATTR(cb->extack, device, "no such device");
	nl_list_free(list);
	return ERR_PTR(ret);
}

/*
 * Return the next entry, which stays the next until list.next is incremented;
 * NULL at the end, and when the reader is killed. A page may have none that the
 * reader may see; locks are held for one page at a time.
 */
static const void *nl_list_peek(struct nl_list *list)
{
	const void *entries = list->page ? list->page->entries : list->entries;
	const struct rdmaev_page_ops *pages = list->ops->pages;

	while (list->next == list->count) {
		if (!list->more || fatal_signal_pending(current))
			return NULL;
		list->more = pages->read(&list->cred, list->device, list->page) > 0;
		pages->translate(list->page->entries, list->page->count,
				 task_active_pid_ns(current), current_user_ns());
		list->next = 0;
		list->count = list->page->count;
		list->seq = list->page->seq;
		cond_resched();
	}
	return entries + list->next * list->ops->size;
}

static int nl_put_entry(struct sk_buff *skb, const struct nl_list *list,
			const void *entry)
{
	const struct rdmaev_attr_set *attrs = list->ops->attrs;
	const struct rdmaev_counter *counter = entry;
	const struct rdmaev_qp *qp = entry;

	if (rdmaev_nl_put(skb, attrs, entry, attrs == &rdmaev_qp_attrs ? qp->info.known : 0) ||
	    nla_put_uint(skb, attrs->type, list->seq))
		return -EMSGSIZE;
	if (list->ops != &nl_counter_ops)
		return 0;
	return nla_put_string(skb, RDMAEV_A_COUNTER_EVENT,
			      rdmaev_event_name(counter->kind, counter->code));
}

int rdmaev_nl_info_doit(struct sk_buff *request, struct genl_info *info)
{
	struct rdmaev_info about;
	struct sk_buff *skb;
	void *hdr;
	int ret;

	/* Without a policy the netlink core does not check attributes. */
	if (nlmsg_attrlen(info->nlhdr, GENL_HDRLEN)) {
		NL_SET_ERR_MSG(info->extack, "info-get takes no attributes");
		return -EINVAL;
	}
	rdmaev_info_get(&about);
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &rdmaev_nl_family, 0,
				RDMAEV_CMD_INFO_GET);
	ret = hdr ? rdmaev_nl_put(skb, &rdmaev_info_attrs, &about, 0) : -EMSGSIZE;
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

int rdmaev_nl_list_done(struct netlink_callback *cb)
{
	if (cb->args[0])
		nl_list_free((struct nl_list *)cb->args[0]);
	return 0;
}

static int nl_list_dumpit(struct sk_buff *skb, struct netlink_callback *cb,
			  const struct nl_list_ops *ops)
{
	struct nl_list *list = (struct nl_list *)cb->args[0];
	const void *entry;
	void *hdr;

	if (!list) {
		list = nl_list_begin(cb, ops);
		if (IS_ERR(list))
			return PTR_ERR(list);
		cb->args[0] = (long)list;
	}
	while ((entry = nl_list_peek(list))) {
		if (list->page)
			cb->seq = list->page->changes;
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, &rdmaev_nl_family,
				  NLM_F_MULTI, ops->cmd);
		if (!hdr)
			break;
		if (nl_put_entry(skb, list, entry)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genl_dump_check_consistent(cb, hdr);
		genlmsg_end(skb, hdr);
		list->next++;
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	/* A step without a message ends the dump. */
	return entry && !skb->len ? -EMSGSIZE : skb->len;
}

int rdmaev_nl_device_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_device_ops);
}

int rdmaev_nl_port_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_port_ops);
}

int rdmaev_nl_counter_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_counter_ops);
}

int rdmaev_nl_cq_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_cq_ops);
}

int rdmaev_nl_qp_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_qp_ops);
}

int rdmaev_nl_probe_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return nl_list_dumpit(skb, cb, &nl_probe_ops);
}
