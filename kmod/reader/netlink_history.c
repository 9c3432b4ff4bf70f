// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records in the log by netlink: a dump is one more reader of the log.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "compat.h"
#include "device/access.h"
#include "filter.h"
#include "log/log.h"
#include "log/log_read.h"
#include "netlink_history.h"
#include "netlink_msg.h"
#include "stream.h"
#include "stream_wake.h"

/* Records read before others may run */
#define READ_MAX	64

/**
 * struct history - a dump on its way
 * @s: reader
 * @end: seq of the last record of the dump
 * @ended: the last message, with the position, has been put
 */
struct history {
	struct rdmaev_stream *s;
	u64 end;
	bool ended;
};

static int history_seek(struct rdmaev_stream *s, u64 seq, const struct nlattr *attr,
			struct netlink_ext_ack *extack)
{
	int ret = 0;

	if (seq)
		ret = rdmaev_log_seek(&s->cursor, seq);
	else
		rdmaev_log_seek_oldest(&s->cursor);
	if (ret)
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "sequence number is past the end of the log");
	return ret;
}

static int history_put(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		       const struct rdmaev_record *rec, u64 position)
{
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, portid, seq, &rdmaev_nl_family, flags,
			  RDMAEV_CMD_HISTORY_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (rec)
		ret = rdmaev_nl_put_record(skb, rec);
	else
		ret = nla_put_uint(skb, RDMAEV_A_RECORD_POSITION, position);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static int history_reply(struct genl_info *info, const struct rdmaev_record *rec)
{
	struct sk_buff *skb;
	int ret;

	skb = genlmsg_new(RDMAEV_NL_RECORD_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	ret = history_put(skb, info->snd_portid, info->snd_seq, 0, rec, 0);
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	return genlmsg_reply(skb, info);
}

/** rdmaev_nl_history_doit - answer with one record */
int rdmaev_nl_history_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *filter = info->attrs[RDMAEV_A_RECORD_FILTER];
	const struct nlattr *attr = info->attrs[RDMAEV_A_RECORD_SEQ];
	struct rdmaev_cred cred;
	struct rdmaev_record rec;
	struct rdmaev_stream *s;
	u64 seq;
	int ret;

	if (filter) {
		NL_SET_ERR_MSG_ATTR(info->extack, filter, "a filter is for dumps");
		return -EINVAL;
	}
	if (GENL_REQ_ATTR_CHECK(info, RDMAEV_A_RECORD_SEQ))
		return -EINVAL;
	seq = nla_get_uint(attr);
	if (!seq) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "sequence numbers start at 1");
		return -EINVAL;
	}
	rdmaev_nl_cred(skb, &cred);
	s = rdmaev_stream_new(&cred);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = history_seek(s, seq, attr, info->extack);
	if (ret)
		goto out;
	if (rdmaev_log_read(&s->cursor, &rec, 1) &&
	    rec.kind != RDMAEV_KIND_LOST && rec.seq == seq &&
	    rdmaev_stream_accept(s, &rec)) {
		ret = history_reply(info, &rec);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "record is no longer kept, or not visible to this reader");
		ret = -ENOENT;
	}
out:
	rdmaev_stream_free(s);
	return ret;
}

/* The netlink core has checked nested attributes by the policy. */
static int filter_parse(struct nlattr **tb, int max, const struct nlattr *attr,
			struct netlink_ext_ack *extack)
{
	return nla_parse_nested(tb, max, attr, NULL, extack);
}

static int filter_target(struct rdmaev_filter *f, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMAEV_A_TARGET_MAX + 1];
	const struct nlattr *name, *port;
	struct rdmaev_target *t;
	int ret;

	if (f->targets == RDMAEV_TARGETS) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "at most "
				    __stringify(RDMAEV_TARGETS) " targets");
		return -EINVAL;
	}
	ret = filter_parse(tb, RDMAEV_A_TARGET_MAX, attr, extack);
	if (ret)
		return ret;
	t = &f->target[f->targets++];
	name = tb[RDMAEV_A_TARGET_DEVICE_NAME];
	port = tb[RDMAEV_A_TARGET_PORT];
	if (!name) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "target without device-name");
		return -EINVAL;
	}
	nla_memcpy(t->device, name, sizeof(t->device));
	if (!rdmaev_target_is_valid(t)) {
		NL_SET_ERR_MSG_ATTR(extack, name,
				    "device-name must not be empty, and may have * only at its end");
		return -EINVAL;
	}
	if (!port)
		return 0;
	t->flags = RDMAEV_TARGET_PORT;
	return rdmaev_nl_read_u32(port, &t->port, extack);
}

static int filter_codes(struct rdmaev_filter *f, const struct nlattr *attr,
			struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMAEV_A_KIND_CODE_MAX + 1];
	u32 kind;
	int ret;

	ret = filter_parse(tb, RDMAEV_A_KIND_CODE_MAX, attr, extack);
	if (ret)
		return ret;
	if (!tb[RDMAEV_A_KIND_CODE_KIND] || !tb[RDMAEV_A_KIND_CODE_CODES]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "kind-code without kind or codes");
		return -EINVAL;
	}
	kind = nla_get_u32(tb[RDMAEV_A_KIND_CODE_KIND]);
	/* The policy has checked it. */
	if (WARN_ON_ONCE(kind >= ARRAY_SIZE(f->codes)))
		return -ERANGE;
	if (f->codes[kind]) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "more than one kind-code for a kind");
		return -EINVAL;
	}
	f->codes[kind] = nla_get_u64(tb[RDMAEV_A_KIND_CODE_CODES]);
	return 0;
}

static int filter_read(struct rdmaev_filter *f, const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *part;
	int ret = 0, left;

	f->size = sizeof(*f);
	nla_for_each_nested(part, attr, left) {
		switch (nla_type(part)) {
		case RDMAEV_A_FILTER_KINDS:
			f->kinds = nla_get_u32(part);
			break;
		case RDMAEV_A_FILTER_SEVERITIES:
			f->severities = nla_get_u32(part);
			break;
		case RDMAEV_A_FILTER_OBJECT_TYPES:
			f->object_types = nla_get_u32(part);
			break;
		case RDMAEV_A_FILTER_OBJECT:
			f->flags |= RDMAEV_FILTER_OBJECT;
			ret = rdmaev_nl_read_u32(part, &f->object, extack);
			break;
		case RDMAEV_A_FILTER_PID:
			f->flags |= RDMAEV_FILTER_PID;
			ret = rdmaev_nl_read_u32(part, &f->pid, extack);
			break;
		case RDMAEV_A_FILTER_UID:
			f->flags |= RDMAEV_FILTER_UID;
			ret = rdmaev_nl_read_u32(part, &f->uid, extack);
			break;
		case RDMAEV_A_FILTER_CGROUP:
			f->flags |= RDMAEV_FILTER_CGROUP;
			f->cgroup = nla_get_uint(part);
			break;
		case RDMAEV_A_FILTER_KIND_CODE:
			ret = filter_codes(f, part, extack);
			break;
		case RDMAEV_A_FILTER_TARGET:
			ret = filter_target(f, part, extack);
			break;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* By the rules of RDMAEV_IOC_FILTER. */
static int history_set_filter(struct rdmaev_stream *s, const struct nlattr *attr,
			      struct netlink_ext_ack *extack)
{
	struct rdmaev_filter *filter;
	int ret;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return -ENOMEM;
	ret = filter_read(filter, attr, extack);
	ret = ret ?: rdmaev_stream_set_filter(s, filter);
	if (ret)
		kfree(filter);
	return ret;
}

/* In the first step of the dump and not in start, as lists do. */
static struct history *history_new(struct netlink_callback *cb)
{
	struct nlattr **attrs = rdmaev_dump_attrs(cb);
	const struct nlattr *seq = attrs[RDMAEV_A_RECORD_SEQ];
	const struct nlattr *filter = attrs[RDMAEV_A_RECORD_FILTER];
	struct rdmaev_cred cred;
	struct history *history;
	int ret = 0;

	history = kzalloc(sizeof(*history), GFP_KERNEL_ACCOUNT);
	if (!history)
		return ERR_PTR(-ENOMEM);
	rdmaev_nl_cred(cb->skb, &cred);
	history->s = rdmaev_stream_new(&cred);
	if (IS_ERR(history->s)) {
		ret = PTR_ERR(history->s);
		goto err;
	}
	/* Before seek, which counts the losses of these rings. */
	if (filter)
		ret = history_set_filter(history->s, filter, cb->extack);
	ret = ret ?: history_seek(history->s, seq ? nla_get_uint(seq) : 0, seq,
				  cb->extack);
	if (ret)
		goto err_stream;
	history->end = rdmaev_log_newest();
	return history;

err_stream:
	rdmaev_stream_free(history->s);
err:
	kfree(history);
	return ERR_PTR(ret);
}

/** rdmaev_nl_history_done - free a dump */
int rdmaev_nl_history_done(struct netlink_callback *cb)
{
	struct history *history = (struct history *)cb->args[0];

	if (history) {
		rdmaev_stream_free(history->s);
		kfree(history);
	}
	return 0;
}

/*
 * Is a record past the end of the dump? A loss that begins before the end is in
 * the dump as a whole: nothing says how much of it is on either side.
 */
static bool history_is_past(struct history *history, const struct rdmaev_cursor *cur,
			    const struct rdmaev_record *rec)
{
	int i;

	if (rec->seq <= history->end)
		return false;
	if (rec->kind == RDMAEV_KIND_LOST &&
	    rec->body.lost.first <= history->end)
		history->end = rec->seq;
	for (i = 0; i < ARRAY_SIZE(cur->gap); i++) {
		const struct rdmaev_gap *gap = &cur->gap[i];

		if (gap->count && gap->first <= history->end)
			history->end = max(history->end, gap->last);
	}
	return rec->seq > history->end;
}

/**
 * rdmaev_nl_history_dumpit - begin or continue a dump
 * @skb: message, which is full afterwards but for the last one: how many records were
 *	read that the reader does not get, no message tells
 * @cb: the dump
 *
 * In the reader's time, and under a lock of its socket.
 *
 * Return: length of the message, 0 at the end, or an error.
 */
int rdmaev_nl_history_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct history *history = (struct history *)cb->args[0];
	u32 portid = NETLINK_CB(cb->skb).portid;
	u32 seq = cb->nlh->nlmsg_seq;
	struct rdmaev_stream *s;
	unsigned int n = 0;

	if (!history) {
		history = history_new(cb);
		if (IS_ERR(history))
			return PTR_ERR(history);
		cb->args[0] = (long)history;
	}
	s = history->s;
	if (history->ended)
		return 0;
	for (;;) {
		struct rdmaev_cursor cur = s->cursor;
		struct rdmaev_record rec;

		if (!rdmaev_log_read(&cur, &rec, 1) ||
		    history_is_past(history, &cur, &rec))
			break;
		if (rdmaev_stream_accept(s, &rec) &&
		    history_put(skb, portid, seq, NLM_F_MULTI, &rec, 0))
			return skb->len ?: -EMSGSIZE;
		s->cursor = cur;
		if (++n % READ_MAX)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}

	if (!history_put(skb, portid, seq, NLM_F_MULTI, NULL, history->end + 1))
		history->ended = true;
	return skb->len ?: -EMSGSIZE;
}
