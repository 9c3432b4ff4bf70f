// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records that are multicast: one more reader of the log, in a work item.
 *
 * While nobody listens no append does more than test for that. The first record
 * that somebody listens for notes where to begin, under the log's lock, and queues
 * the work: a socket that is in a group before a record is appended gets the record.
 *
 * The work reads a batch of records and sends it to one namespace after the other.
 * _allns functions do not help: visible records differ between namespaces.
 *
 * Only few namespaces have members in a group, and no kernel says which: the
 * bitmap behind genl_has_listeners() is that of all namespaces. So a namespace is
 * tried with the first record of the batch that it may see, and passed over for the
 * rest of the batch if nobody is there. Nothing is lost by that: every record
 * of the batch was appended before, so one who joins later has no claim to it.
 *
 * A namespace that is tried in vain costs a few hundred instructions for a batch.
 * After a batch the work rests for TRY_US for each of them. So under load batches
 * are large, and all namespaces without members together take about one percent of
 * a CPU, however many there are.
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
#include "log.h"
#include "netlink.h"

/* Records that are read at a time. */
#define BATCH		128U

/* Rest for each namespace without members, and the longest rest in sum. */
#define TRY_US		10U
#define REST_MAX_US	20000U

/**
 * struct event_net - a network namespace
 * @list: in event_nets, as long as there can be sockets in the namespace
 * @net: the namespace
 * @members: bit n: the last message to group n was received by somebody; the
 *	work's own
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
 * The work's own: what it has read, whether it has not come to the end, and the
 * batch with its messages: [1] for the first namespace, [0] for all others.
 */
static struct rdmaev_cursor cursor;
static bool is_behind;
static struct rdmaev_record records[BATCH];
static struct sk_buff *messages[BATCH][2];

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
 * The next namespace that is not about to end, or NULL. A reference keeps it, and
 * its place in the list, until the next call.
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

/* Sockets of all namespaces count. Any context, under the log's lock too. */
static bool has_listeners(unsigned int group)
{
	return (RDMAEV_HAS_ADMIN_GROUP || group != RDMAEV_NL_GROUP_ALL) &&
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

/* May every member that a group of a namespace can have see a record? */
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

/* Is what is_visible() says of both records the same? */
static bool is_alike(const struct rdmaev_record *a,
		     const struct rdmaev_record *b)
{
	return a->generation == b->generation &&
	       is_affiliated(a) == is_affiliated(b) &&
	       (a->kind == RDMAEV_KIND_LOST) == (b->kind == RDMAEV_KIND_LOST);
}

static bool has_uid(const struct rdmaev_record *rec)
{
	return rec->kind == RDMAEV_KIND_ASYNC &&
	       rec->body.async.known & RDMAEV_KNOWN_UID;
}

/*
 * Give back the room that a message does not need. The core would do so for each
 * broadcast, and clone the message for that, as there is another reference; then
 * send_record() could not tell whether it was cloned for a member.
 */
static void trim_message(struct sk_buff *skb)
{
	int spare = skb_end_pointer(skb) - skb_tail_pointer(skb);

	/* If there is no memory for it, all namespaces count as having members. */
	pskb_expand_head(skb, 0, -spare, GFP_KERNEL);
}

static struct sk_buff *encode(const struct net *net,
			      const struct rdmaev_record *record)
{
	struct rdmaev_record rec = *record;
	struct sk_buff *skb;
	void *hdr;

	if (has_uid(&rec))
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
	trim_message(skb);
	return skb;
}

/*
 * The message for record @i in a namespace, with a reference for the caller. It is
 * the same in all namespaces but the first, where it has a pid, unless it names a
 * user. With @is_fresh it has never been cloned.
 */
static struct sk_buff *get_message(const struct net *net, unsigned int i,
				   bool is_fresh)
{
	struct sk_buff **message = &messages[i][net_eq(net, &init_net)];

	if (has_uid(&records[i]) && net->user_ns != &init_user_ns)
		return encode(net, &records[i]);
	if (is_fresh && *message && (*message)->cloned) {
		nlmsg_free(*message);
		*message = NULL;
	}
	if (!*message)
		*message = encode(net, &records[i]);
	return *message ? skb_get(*message) : NULL;
}

/*
 * Send record @i to a group. Returns false if the group has no members in this
 * namespace.
 *
 * -ESRCH says that nobody has received the message: a member may have no room for it,
 * or a socket filter against it. But a message of which there is another
 * reference is cloned for the first member, whatever comes of that.
 */
static bool send_record(struct event_net *event_net, unsigned int group,
			unsigned int i)
{
	bool is_fresh = !(event_net->members & BIT(group));
	struct sk_buff *message;
	bool has_members = true;

	message = get_message(event_net->net, i, is_fresh);
	if (!message) {
		/* Members read on in the history then, as if they had been slow. */
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

/*
 * Send a batch of @n records to the groups of a namespace that are in the mask
 * @groups. Returns false if nobody is there.
 */
static bool send_batch(struct event_net *event_net, unsigned int groups,
		       unsigned int n)
{
	unsigned int visible = 0, group, i;

	for (i = 0; i < n && groups; i++) {
		bool is_same = i && is_alike(&records[i], &records[i - 1]);

		for (group = 0; group < RDMAEV_NL_GROUPS; group++) {
			if (!(groups & BIT(group)))
				continue;
			if (!is_same) {
				visible &= ~BIT(group);
				if (is_visible(event_net->net, group, &records[i]))
					visible |= BIT(group);
			}
			if (visible & BIT(group) &&
			    !send_record(event_net, group, i))
				groups &= ~BIT(group);
		}
	}
	return groups;
}

/* Send a batch of @n records. Returns how many namespaces were tried in vain. */
static unsigned int send_to_all(unsigned int n)
{
	unsigned int groups = 0, vain = 0, group, i;
	struct event_net *event_net = NULL;

	for (group = 0; group < RDMAEV_NL_GROUPS; group++) {
		if (has_listeners(group))
			groups |= BIT(group);
	}
	while (groups && (event_net = event_net_next(event_net))) {
		if (!send_batch(event_net, groups, n))
			vain++;
		cond_resched();
	}
	for (i = 0; i < n; i++) {
		nlmsg_free(messages[i][0]);
		nlmsg_free(messages[i][1]);
		messages[i][0] = NULL;
		messages[i][1] = NULL;
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

	if (!is_behind) {
		if (!wanted)
			return;
		/*
		 * Nobody has listened to what is in between. One that has been sent
		 * already is the first of several, of which the others have not.
		 */
		if (wanted > cursor.seen)
			rdmaev_log_seek(&cursor, wanted);
	}
	n = rdmaev_log_read(&cursor, records, BATCH);
	is_behind = n == BATCH;
	if (!n)
		return;
	rest = min(send_to_all(n) * TRY_US, REST_MAX_US) * HZ / USEC_PER_SEC;
	if (is_behind || rest)
		queue_delayed_work(event_wq, &event_work, rest);
}

static void event_tell(void)
{
	/* Not at once if it rests. */
	queue_delayed_work(event_wq, &event_work, 0);
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
	cancel_delayed_work_sync(&event_work);
}

/** rdmaev_nl_event_exit - after the family is gone */
void rdmaev_nl_event_exit(void)
{
	unregister_pernet_subsys(&event_net_ops);
	destroy_workqueue(event_wq);
}
