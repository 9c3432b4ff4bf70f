// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast of records: one more reader of the log, in a work item.
 *
 * While no socket is in a group, an append only tests for that. The first
 * record with a listener sets where to begin, under the log's lock, and queues
 * the work: a socket that is in a group before a record is appended gets the
 * record.
 *
 * The work reads a batch of records and sends it to one namespace after the
 * other. _allns functions do not help: visible records differ between
 * namespaces.
 *
 * Few namespaces have members in a group, and no kernel says which: the bitmap
 * behind genl_has_listeners() is that of all namespaces. So a namespace is
 * tried with the first record of the batch that it may see, and skipped for the
 * rest of the batch if it has no member. No member misses a record: every
 * record of the batch was appended before, and a socket that joins later gets
 * later records.
 *
 * Trying a namespace without members costs a few hundred instructions per
 * batch. After a batch the work rests for TRY_US for each of them. So batches
 * are large under load, and all namespaces without members together take about
 * one percent of a CPU, however many there are.
 */
#include <linux/list.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "compat.h"
#include "device/access.h"
#include "log/log.h"
#include "log/log_read.h"
#include "netlink_event.h"
#include "netlink_msg.h"

/* Records per batch */
#define BATCH		128U

/* Rest per namespace without members, and longest rest after a batch */
#define TRY_US		10U
#define REST_MAX_US	20000U

/**
 * struct event_net - a network namespace
 * @list: in event_nets, as long as there can be sockets in the namespace
 * @net: the namespace
 * @members: bit n: a socket received the last message to group n. Only the work
 *	uses it
 */
struct event_net {
	struct list_head list;
	struct net *net;
	unsigned int members;
};

static DEFINE_SPINLOCK(event_nets_lock);	/* protects the list */
static LIST_HEAD(event_nets);
static unsigned int event_net_slot;

static struct workqueue_struct *event_wq;

/*
 * Only the work uses these: position, whether there may be more records, and
 * the batch with its messages: [1] for the initial namespace, [0] for all
 * others.
 */
static struct rdmaev_cursor event_cursor;
static bool event_is_behind;
static struct rdmaev_record event_records[BATCH];
static struct sk_buff *event_messages[BATCH][2];

static int __net_init event_net_init(struct net *net)
{
	struct event_net *event_net = net_generic(net, event_net_slot);

	event_net->net = net;
	spin_lock(&event_nets_lock);
	list_add_tail(&event_net->list, &event_nets);
	spin_unlock(&event_nets_lock);
	return 0;
}

static void __net_exit event_net_exit(struct net *net)
{
	struct event_net *event_net = net_generic(net, event_net_slot);

	spin_lock(&event_nets_lock);
	list_del(&event_net->list);
	spin_unlock(&event_nets_lock);
}

static struct pernet_operations event_net_ops = {
	.init = event_net_init,
	.exit = event_net_exit,
	.id = &event_net_slot,
	.size = sizeof(struct event_net),
};

/*
 * Return the next namespace that is not being destroyed, or NULL. A reference
 * keeps it and its place in the list until the next call.
 */
static struct event_net *event_net_next(struct event_net *previous)
{
	struct event_net *next = NULL, *event_net;

	spin_lock(&event_nets_lock);
	event_net = list_prepare_entry(previous, &event_nets, list);
	list_for_each_entry_continue(event_net, &event_nets, list) {
		if (maybe_get_net(event_net->net)) {
			next = event_net;
			break;
		}
	}
	spin_unlock(&event_nets_lock);
	if (previous)
		put_net(previous->net);
	return next;
}

/* In any namespace. Called in any context, also with the log's lock held. */
static bool event_has_listeners(unsigned int group)
{
	return (RDMAEV_HAS_ADMIN_GROUP || group != RDMAEV_NL_GROUP_ALL) &&
	       genl_has_listeners(&rdmaev_nl_family, &init_net, group);
}

static bool event_is_wanted(const struct rdmaev_record *rec)
{
	return event_has_listeners(RDMAEV_NL_GROUP_ALL) ||
	       (!rdmaev_record_is_affiliated(rec) &&
		event_has_listeners(RDMAEV_NL_GROUP_DEVICE));
}

/* May every possible member of a group in a namespace see the record? */
static bool event_is_visible(const struct net *net, unsigned int group,
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
	} else if (rdmaev_record_is_affiliated(rec)) {
		return false;
	}
	return rdmaev_record_visible(rec, &cred);
}

/* Is event_is_visible() the same for both records? */
static bool event_is_alike(const struct rdmaev_record *a,
			   const struct rdmaev_record *b)
{
	return a->generation == b->generation &&
	       rdmaev_record_is_affiliated(a) ==
		       rdmaev_record_is_affiliated(b) &&
	       (a->kind == RDMAEV_KIND_LOST) == (b->kind == RDMAEV_KIND_LOST) &&
	       (a->kind == RDMAEV_KIND_OBSERVER) ==
		       (b->kind == RDMAEV_KIND_OBSERVER);
}

/*
 * Free the unused room of a message. netlink_broadcast() would do so each time,
 * and clone the message for that, as there is another reference; then
 * event_send() could not tell whether it was cloned for a member.
 */
static void event_trim(struct sk_buff *skb)
{
	int spare = skb_end_pointer(skb) - skb_tail_pointer(skb);

	/* Without memory for it, every namespace counts as having members. */
	pskb_expand_head(skb, 0, -spare, GFP_KERNEL);
}

static struct sk_buff *event_encode(const struct net *net,
				    const struct rdmaev_record *record)
{
	/* Members in one namespace may be in different pid namespaces. */
	bool with_pid = net_eq(net, &init_net);
	struct rdmaev_record rec = *record;
	struct sk_buff *skb;
	void *hdr;

	if (rec.kind == RDMAEV_KIND_QP && !with_pid)
		rec.body.qp.caller_pid = 0;
	if (rdmaev_record_has_uid(&rec))
		rec.body.info.uid =
			from_kuid_munged(net->user_ns,
					 KUIDT_INIT(rec.body.info.uid));
	skb = genlmsg_new(RDMAEV_NL_RECORD_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &rdmaev_nl_family, 0,
			  RDMAEV_CMD_EVENT_NTF);
	if (!hdr || rdmaev_nl_put_record(skb, &rec, with_pid)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	event_trim(skb);
	return skb;
}

/*
 * Return the message for record @i in a namespace, with a reference for the
 * caller. It is the same in all namespaces but the initial one, where it has a
 * pid, unless it has a uid. With @is_fresh it has never been cloned.
 */
static struct sk_buff *event_message(const struct net *net, unsigned int i,
				     bool is_fresh)
{
	struct sk_buff **message = &event_messages[i][net_eq(net, &init_net)];

	if (rdmaev_record_has_uid(&event_records[i]) && net->user_ns != &init_user_ns)
		return event_encode(net, &event_records[i]);
	if (is_fresh && *message && (*message)->cloned) {
		nlmsg_free(*message);
		*message = NULL;
	}
	if (!*message)
		*message = event_encode(net, &event_records[i]);
	return *message ? skb_get(*message) : NULL;
}

/*
 * Send record @i to a group. Returns false if the group has no members in this
 * namespace.
 *
 * -ESRCH also means that no member received the message: a member may have no
 * room for it, or a socket filter that drops it. But a message with another
 * reference is cloned for the first member, whether that receives it or not.
 */
static bool event_send(struct event_net *event_net, unsigned int group,
		       unsigned int i)
{
	bool is_fresh = !(event_net->members & BIT(group));
	struct sk_buff *message;
	bool has_members = true;

	message = event_message(event_net->net, i, is_fresh);
	if (!message) {
		/* Members then read the history, as after an overrun. */
		genl_set_err(&rdmaev_nl_family, event_net->net, 0, group,
			     -ENOBUFS);
		return true;
	}
	if (genlmsg_multicast_netns(&rdmaev_nl_family, event_net->net,
				    skb_get(message), 0, group,
				    GFP_KERNEL) != -ESRCH) {
		event_net->members |= BIT(group);
	} else {
		event_net->members &= ~BIT(group);
		has_members = !is_fresh || message->cloned;
	}
	consume_skb(message);
	return has_members;
}

/* Send a batch of @n records to a group. Returns false if it has no members. */
static bool event_send_to_group(struct event_net *event_net, unsigned int group,
				unsigned int n)
{
	bool is_visible = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!i || !event_is_alike(&event_records[i], &event_records[i - 1]))
			is_visible = event_is_visible(event_net->net, group,
						      &event_records[i]);
		if (is_visible && !event_send(event_net, group, i))
			return false;
	}
	return true;
}

/*
 * Send a batch of @n records to the groups of a namespace in the mask @groups, first to
 * that of administrators: users may have many sockets in the other one. Returns false
 * if there are no members.
 */
static bool event_send_batch(struct event_net *event_net, unsigned int groups,
			     unsigned int n)
{
	unsigned int group = RDMAEV_NL_GROUPS;
	bool has_members = false;

	while (group--) {
		if (groups & BIT(group))
			has_members |= event_send_to_group(event_net, group, n);
	}
	return has_members;
}

/* Send a batch of @n records. Returns how many namespaces had no members. */
static unsigned int event_send_all(unsigned int n)
{
	unsigned int groups = 0, vain = 0, group, i;
	struct event_net *event_net = NULL;

	for (group = 0; group < RDMAEV_NL_GROUPS; group++) {
		if (event_has_listeners(group))
			groups |= BIT(group);
	}
	while (groups && (event_net = event_net_next(event_net))) {
		if (!event_send_batch(event_net, groups, n))
			vain++;
		cond_resched();
	}
	for (i = 0; i < n; i++) {
		nlmsg_free(event_messages[i][0]);
		nlmsg_free(event_messages[i][1]);
		event_messages[i][0] = NULL;
		event_messages[i][1] = NULL;
	}
	return vain;
}

static void event_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(event_work, event_fn);

static void event_fn(struct work_struct *work)
{
	u64 wanted = rdmaev_log_take_wanted();
	unsigned long rest;
	unsigned int n;

	if (!event_is_behind) {
		if (!wanted)
			return;
		/*
		 * No listener wanted the records in between. A record that was
		 * sent already is the first of several; the others were not
		 * sent.
		 */
		if (wanted > event_cursor.seen)
			rdmaev_log_seek(&event_cursor, wanted);
	}
	n = rdmaev_log_read(&event_cursor, event_records, BATCH);
	event_is_behind = n == BATCH;
	if (!n)
		return;
	rest = min(event_send_all(n) * TRY_US, REST_MAX_US) * HZ / USEC_PER_SEC;
	if (event_is_behind || rest)
		queue_delayed_work(event_wq, &event_work, rest);
}

static void event_notify(void)
{
	/* Has no effect while the work rests. */
	queue_delayed_work(event_wq, &event_work, 0);
}

static const struct rdmaev_listener event_listener = {
	.wants = event_is_wanted,
	.notify = event_notify,
};

/** rdmaev_nl_event_init - init, before the family is registered; 0 or -errno */
int rdmaev_nl_event_init(void)
{
	int ret;

	event_wq = alloc_workqueue("rdmaev_event", WQ_UNBOUND, 0);
	if (!event_wq)
		return -ENOMEM;
	event_cursor.rings = RDMAEV_RING_MASK;
	rdmaev_log_seek_end(&event_cursor);
	ret = register_pernet_subsys(&event_net_ops);
	if (ret)
		destroy_workqueue(event_wq);
	return ret;
}

/** rdmaev_nl_event_start - start to send; the family is registered */
void rdmaev_nl_event_start(void)
{
	/* Sockets may be members already, and get what was appended since. */
	event_is_behind = true;
	rdmaev_log_set_listener(&event_listener);
	event_notify();
}

/** rdmaev_nl_event_stop - stop sending */
void rdmaev_nl_event_stop(void)
{
	rdmaev_log_set_listener(NULL);
	cancel_delayed_work_sync(&event_work);
}

/** rdmaev_nl_event_exit - free everything; the family is unregistered */
void rdmaev_nl_event_exit(void)
{
	unregister_pernet_subsys(&event_net_ops);
	destroy_workqueue(event_wq);
}
