// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: that there are records, one more reader of the log, in a work item.
 *
 * While no socket is in a group, an append only tests for that. The first
 * record with a listener sets where to begin, under the log's lock, and queues
 * the work: a socket that is in a group before a record is appended is woken
 * for the record. What it is, the history tells.
 *
 * The work reads a batch of records, and wakes one namespace after the other
 * for the first that its members may see. _allns functions do not help: visible
 * records differ between namespaces.
 *
 * Few namespaces have members in a group, and no kernel says which: the bitmap
 * behind genl_has_listeners() is that of all namespaces. Trying a namespace
 * without members costs a few hundred instructions. After a batch the work
 * rests for TRY_US for each of them. So batches are large under load, and all
 * namespaces without members together take about one percent of a CPU, however
 * many there are.
 */
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

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

static struct workqueue_struct *event_wq;

/*
 * Only the work uses these: position, whether there may be more records, the batch, and the
 * newest message of it, which is the same for many namespaces.
 */
static struct rdmaev_cursor event_cursor;
static bool event_is_behind;
static struct rdmaev_record event_records[BATCH];
static struct sk_buff *event_newest;
static u64 event_newest_seq;

/*
 * Return the next namespace that is not being destroyed, or NULL. A reference
 * keeps it and its place in the core's list until the next call.
 */
static struct net *event_net_next(struct net *previous)
{
	struct net *next = NULL, *net;

	rcu_read_lock();
	net = list_prepare_entry(previous, &net_namespace_list, list);
	list_for_each_entry_continue_rcu(net, &net_namespace_list, list) {
		next = maybe_get_net(net);
		if (next)
			break;
	}
	rcu_read_unlock();
	if (previous)
		put_net(previous);
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

/* Leave one of those that the same members may see, the first. Returns how many are left. */
static unsigned int event_reduce(unsigned int n)
{
	unsigned int i, left = 0;

	for (i = 0; i < n; i++) {
		if (!left || !event_is_alike(&event_records[i], &event_records[left - 1]))
			event_records[left++] = event_records[i];
	}
	return left;
}

static struct sk_buff *event_encode(u64 seq)
{
	struct sk_buff *skb = genlmsg_new(nla_total_size_64bit(sizeof(seq)), GFP_KERNEL);
	void *hdr;

	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, 0, 0, &rdmaev_nl_family, 0, RDMAEV_CMD_EVENT_NTF);
	if (!hdr || nla_put_uint(skb, RDMAEV_A_RECORD_SEQ, seq)) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, hdr);
	return skb;
}

/* Returns a message with a reference for the caller, or NULL. */
static struct sk_buff *event_message(u64 seq)
{
	if (!event_newest || event_newest_seq != seq) {
		nlmsg_free(event_newest);
		event_newest = event_encode(seq);
		event_newest_seq = seq;
	}
	return event_newest ? skb_get(event_newest) : NULL;
}

/* Wake the members of a group for a record. Returns false if no member got the message. */
static bool event_send(struct net *net, unsigned int group, u64 seq)
{
	struct sk_buff *skb = event_message(seq);

	if (skb)
		return genlmsg_multicast_netns(&rdmaev_nl_family, net, skb, 0, group,
					       GFP_KERNEL) != -ESRCH;
	/* Members then read the history, as after an overrun. */
	genl_set_err(&rdmaev_nl_family, net, 0, group, -ENOBUFS);
	return true;
}

/* Wake the members of a group for @n records. Returns false if it was tried, and has none. */
static bool event_wake_group(struct net *net, unsigned int group, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (event_is_visible(net, group, &event_records[i]))
			return event_send(net, group, event_records[i].seq);
	}
	return true;
}

/* That of administrators first: users may have many sockets in the other one. */
static bool event_wake_net(struct net *net, unsigned int groups, unsigned int n)
{
	unsigned int group = RDMAEV_NL_GROUPS;
	bool has_members = false;

	while (group--) {
		if (groups & BIT(group))
			has_members |= event_wake_group(net, group, n);
	}
	return has_members;
}

/* Wake for a batch of @n records. Returns how many namespaces had no members. */
static unsigned int event_wake_all(unsigned int n)
{
	unsigned int groups = 0, vain = 0, group;
	struct net *net = NULL;

	for (group = 0; group < RDMAEV_NL_GROUPS; group++) {
		if (event_has_listeners(group))
			groups |= BIT(group);
	}
	n = event_reduce(n);
	while (groups && (net = event_net_next(net))) {
		if (!event_wake_net(net, groups, n))
			vain++;
		cond_resched();
	}
	nlmsg_free(event_newest);
	event_newest = NULL;
	return vain;
}

static void event_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(event_work, event_fn);

static void event_fn(struct work_struct *work)
{
	u64 wanted = rdmaev_log_pop_wanted();
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
	rest = min(event_wake_all(n) * TRY_US, REST_MAX_US) * HZ / USEC_PER_SEC;
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
	event_wq = alloc_workqueue("rdmaev_event", WQ_UNBOUND, 0);
	if (!event_wq)
		return -ENOMEM;
	event_cursor.rings = RDMAEV_RING_MASK;
	rdmaev_log_seek_end(&event_cursor);
	return 0;
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
	destroy_workqueue(event_wq);
}
