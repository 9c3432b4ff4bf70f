// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records that are multicast: one more reader of the log, in a work item.
 *
 * While nobody listens no append does more than look for that. With the first
 * record that somebody listens for it notes where to begin, under the log's lock, and
 * has the work run: who listens before a record is appended gets it.
 *
 * The work begins there, unless it is still busy with older ones, and reads to the
 * end. It sends each record to each namespace that may see it. To have the kernel
 * send to all (_allns) would not do: what may be seen is not the same in them.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "compat.h"
#include "log.h"
#include "netlink.h"

/* Records that are sent before others have a turn. */
#define ROUND	64

/* A namespace, in the list as long as sockets can be in it. */
struct event_net {
	struct list_head list;
	struct net *net;
};

static DEFINE_MUTEX(nets_lock);		/* protects the list */
static LIST_HEAD(nets);
static unsigned int net_slot;

static struct workqueue_struct *event_wq;

/* The work's own: what it has read, and whether it has not come to the end. */
static struct rdmaev_cursor cursor;
static bool is_behind;

static int __net_init event_net_init(struct net *net)
{
	struct event_net *event_net = net_generic(net, net_slot);

	event_net->net = net;
	mutex_lock(&nets_lock);
	list_add_tail(&event_net->list, &nets);
	mutex_unlock(&nets_lock);
	return 0;
}

static void __net_exit event_net_exit(struct net *net)
{
	struct event_net *event_net = net_generic(net, net_slot);

	mutex_lock(&nets_lock);
	list_del(&event_net->list);
	mutex_unlock(&nets_lock);
}

static struct pernet_operations event_net_ops = {
	.init = event_net_init,
	.exit = event_net_exit,
	.id = &net_slot,
	.size = sizeof(struct event_net),
};

/* Sockets of all namespaces count. Any context, under the log's lock too. */
static bool has_listeners(unsigned int group)
{
	return group < rdmaev_nl_family.n_mcgrps &&
	       genl_has_listeners(&rdmaev_nl_family, &init_net, group);
}

static bool is_affiliated(const struct rdmaev_record *rec)
{
	return rec->object_type >= RDMAEV_OBJECT_QP;
}

static bool is_listened_for(const struct rdmaev_record *rec)
{
	return has_listeners(RDMAEV_NL_GROUP_ALL) ||
	       (!is_affiliated(rec) && has_listeners(RDMAEV_NL_GROUP_DEVICE));
}

/* May all that can be in a group of a namespace see a record? */
static bool is_visible(const struct net *net, unsigned int group,
		       const struct rdmaev_record *rec)
{
	struct rdmaev_cred cred = {
		.net = rdmaev_net_id(net),
		.uid = U32_MAX,
	};

	if (rec->kind == RDMAEV_KIND_LOST)
		return true;
	if (group == RDMAEV_NL_GROUP_ALL) {
		cred.net_admin = true;
		cred.host_admin = net->user_ns == &init_user_ns;
		cred.all = cred.host_admin && net_eq(net, &init_net);
	} else if (is_affiliated(rec)) {
		return false;
	}
	return rdmaev_record_visible(rec, &cred);
}

static struct sk_buff *encode(const struct net *net,
			      const struct rdmaev_record *record)
{
	struct rdmaev_record rec = *record;
	struct sk_buff *skb;
	void *hdr;

	if (rec.kind == RDMAEV_KIND_ASYNC &&
	    rec.body.async.known & RDMAEV_KNOWN_UID)
		rec.body.async.uid =
			from_kuid_munged(net->user_ns,
					 KUIDT_INIT(rec.body.async.uid));
	skb = genlmsg_new(RDMAEV_NL_RECORD_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &rdmaev_nl_family, 0,
			  RDMAEV_CMD_EVENT_NTF);
	/* Listeners in one network namespace need not be in one of pids. */
	if (!hdr || rdmaev_nl_put_record(skb, &rec, net_eq(net, &init_net))) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

static void send(struct net *net, unsigned int group,
		 const struct rdmaev_record *rec)
{
	struct sk_buff *skb;

	if (!has_listeners(group) || !is_visible(net, group, rec))
		return;
	skb = encode(net, rec);
	if (skb)
		genlmsg_multicast_netns(&rdmaev_nl_family, net, skb, 0, group,
					GFP_KERNEL);
	else
		/* They read on in the history then, as if they had been slow. */
		genl_set_err(&rdmaev_nl_family, net, 0, group, -ENOBUFS);
}

static void event_fn(struct work_struct *work);
static DECLARE_WORK(event_work, event_fn);

static void event_fn(struct work_struct *work)
{
	u64 wanted = rdmaev_log_take_wanted();
	struct event_net *event_net;
	struct rdmaev_record rec;
	int n;

	if (!is_behind) {
		if (!wanted)
			return;
		/*
		 * Nobody has listened to what is in between. One that has been sent
		 * already is the first of several, of which the others have not.
		 */
		if (wanted > cursor.seen)
			rdmaev_log_seek(&cursor, wanted);
		is_behind = true;
	}
	for (n = 0; n < ROUND; n++) {
		if (!rdmaev_log_read(&cursor, &rec, 1)) {
			is_behind = false;
			return;
		}
		mutex_lock(&nets_lock);
		list_for_each_entry(event_net, &nets, list) {
			send(event_net->net, RDMAEV_NL_GROUP_DEVICE, &rec);
			send(event_net->net, RDMAEV_NL_GROUP_ALL, &rec);
			cond_resched();
		}
		mutex_unlock(&nets_lock);
	}
	queue_work(event_wq, &event_work);
}

static void event_tell(void)
{
	queue_work(event_wq, &event_work);
}

static const struct rdmaev_listener listener = {
	.wants = is_listened_for,
	.tell = event_tell,
};

/** rdmaev_nl_event_init - before the family is registered; 0 or -errno */
int rdmaev_nl_event_init(void)
{
	int ret;

	event_wq = alloc_workqueue("rdmaev_event", WQ_UNBOUND, 0);
	if (!event_wq)
		return -ENOMEM;
	cursor.rings = RDMAEV_RING_MASK;
	rdmaev_log_seek_end(&cursor);
	ret = register_pernet_subsys(&event_net_ops);
	if (ret)
		destroy_workqueue(event_wq);
	return ret;
}

/** rdmaev_nl_event_start - when the family is registered, and can be listened to */
void rdmaev_nl_event_start(void)
{
	/* Some may listen already: what was appended meanwhile is for them. */
	is_behind = true;
	rdmaev_log_set_listener(&listener);
	event_tell();
}

/** rdmaev_nl_event_stop - send nothing any more */
void rdmaev_nl_event_stop(void)
{
	rdmaev_log_set_listener(NULL);
	cancel_work_sync(&event_work);
}

/** rdmaev_nl_event_exit - after the family is gone */
void rdmaev_nl_event_exit(void)
{
	unregister_pernet_subsys(&event_net_ops);
	destroy_workqueue(event_wq);
}
