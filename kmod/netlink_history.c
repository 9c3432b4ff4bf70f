// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records that are kept, by netlink: a dump is one more reader of the log.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "compat.h"
#include "netlink.h"
#include "stream.h"

/* Records that are looked at in a step of a dump. */
#define LOOKS_MAX	1024

/**
 * struct history - a dump on its way
 * @s: who asks
 * @end: up to this seq
 * @told: with that the last message has been put
 */
struct history {
	struct rdmaev_stream *s;
	u64 end;
	bool told;
};

static int seek(struct rdmaev_stream *s, u64 seq, const struct nlattr *attr,
		struct netlink_ext_ack *extack)
{
	int ret = 0;

	if (seq)
		ret = rdmaev_log_seek(&s->cursor, seq);
	else
		rdmaev_log_seek_oldest(&s->cursor);
	if (ret)
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "this seq has not been given yet");
	return ret;
}

static int put(struct sk_buff *skb, u32 portid, u32 seq, int flags,
	       const struct rdmaev_record *rec, u64 position)
{
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, portid, seq, &rdmaev_nl_family, flags,
			  RDMAEV_CMD_HISTORY_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (rec)
		ret = rdmaev_nl_put_record(skb, rec, true);
	else
		ret = nla_put_uint(skb, RDMAEV_A_RECORD_POSITION, position);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static int reply(struct genl_info *info, const struct rdmaev_record *rec)
{
	struct sk_buff *skb;
	int ret;

	skb = genlmsg_new(RDMAEV_NL_RECORD_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	ret = put(skb, info->snd_portid, info->snd_seq, 0, rec, 0);
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	return genlmsg_reply(skb, info);
}

/** rdmaev_nl_history_doit - answer with one record */
int rdmaev_nl_history_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[RDMAEV_A_RECORD_SEQ];
	struct rdmaev_cred cred;
	struct rdmaev_record rec;
	struct rdmaev_stream *s;
	u64 seq;
	int ret;

	ret = rdmaev_nl_refuse(info->attrs[RDMAEV_A_RECORD_FILTER],
			       info->extack);
	if (ret)
		return ret;
	if (GENL_REQ_ATTR_CHECK(info, RDMAEV_A_RECORD_SEQ))
		return -EINVAL;
	seq = nla_get_uint(attr);
	if (!seq) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "records begin with seq 1");
		return -EINVAL;
	}
	rdmaev_nl_cred(skb, &cred);
	s = rdmaev_stream_new(&cred);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = seek(s, seq, attr, info->extack);
	if (ret)
		goto out;
	if (rdmaev_log_read(&s->cursor, &rec, 1) &&
	    rec.kind != RDMAEV_KIND_LOST && rec.seq == seq &&
	    rdmaev_stream_take(s, &rec)) {
		ret = reply(info, &rec);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "this record is not kept, or not for you");
		ret = -ENOENT;
	}
out:
	rdmaev_stream_free(s);
	return ret;
}

/* The core has checked nested attributes with the policy. */
static int nested(struct nlattr **tb, int max, const struct nlattr *attr,
		  struct netlink_ext_ack *extack)
{
	return nla_parse_nested(tb, max, attr, NULL, extack);
}

static int read_target(struct rdmaev_filter *f, const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMAEV_A_TARGET_MAX + 1];
	const struct nlattr *name, *port;
	struct rdmaev_target *t;
	int ret;

	if (f->targets == RDMAEV_TARGETS) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "there may be up to "
				    __stringify(RDMAEV_TARGETS) " targets");
		return -EINVAL;
	}
	ret = nested(tb, RDMAEV_A_TARGET_MAX, attr, extack);
	if (ret)
		return ret;
	t = &f->target[f->targets++];
	name = tb[RDMAEV_A_TARGET_DEVICE_NAME];
	port = tb[RDMAEV_A_TARGET_PORT];
	if (!name) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "a target needs a device-name");
		return -EINVAL;
	}
	nla_memcpy(t->device, name, sizeof(t->device));
	if (!rdmaev_target_is_valid(t)) {
		NL_SET_ERR_MSG_ATTR(extack, name,
				    "device-name must not be empty, and may have * at its end only");
		return -EINVAL;
	}
	return port ? rdmaev_nl_read_u32(port, &t->port, extack) : 0;
}

static int read_codes(struct rdmaev_filter *f, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RDMAEV_A_KIND_CODE_MAX + 1];
	struct rdmaev_filter_codes *c;
	int ret;

	if (f->kind_codes == RDMAEV_FILTER_CODES) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "there may be up to "
				    __stringify(RDMAEV_FILTER_CODES) " kind-codes");
		return -EINVAL;
	}
	ret = nested(tb, RDMAEV_A_KIND_CODE_MAX, attr, extack);
	if (ret)
		return ret;
	if (!tb[RDMAEV_A_KIND_CODE_KIND] || !tb[RDMAEV_A_KIND_CODE_CODES]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a kind-code needs a kind and codes");
		return -EINVAL;
	}
	c = &f->kind_code[f->kind_codes++];
	c->kind = nla_get_u32(tb[RDMAEV_A_KIND_CODE_KIND]);
	c->codes = nla_get_u64(tb[RDMAEV_A_KIND_CODE_CODES]);
	return 0;
}

static int read_filter(struct rdmaev_filter *f, const struct nlattr *attr,
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
		case RDMAEV_A_FILTER_KIND_CODE:
			ret = read_codes(f, part, extack);
			break;
		case RDMAEV_A_FILTER_TARGET:
			ret = read_target(f, part, extack);
			break;
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* The same rules as for RDMAEV_IOC_FILTER. */
static int set_filter(struct rdmaev_stream *s, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	struct rdmaev_filter *filter;
	int ret;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return -ENOMEM;
	ret = read_filter(filter, attr, extack);
	if (!ret) {
		ret = rdmaev_stream_set_filter(s, filter);
		/* All else has been looked at. */
		if (ret == -EINVAL)
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "a kind has more than one kind-code");
	}
	if (ret)
		kfree(filter);
	return ret;
}

/* Not in start, as for lists. */
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
	/* Before it seeks, as it looks at what is there for the filter then. */
	if (filter)
		ret = set_filter(history->s, filter, cb->extack);
	ret = ret ?: seek(history->s, seq ? nla_get_uint(seq) : 0, seq,
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

/** rdmaev_nl_history_done - a dump has ended, or its socket was closed */
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
 * Is a record beyond the end. A loss that began before goes to its end: where the
 * dump would part it, nobody could tell how much is in each half.
 */
static bool is_beyond(struct history *history, const struct rdmaev_cursor *cur,
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

/** rdmaev_nl_history_dumpit - begin a dump, or go on with it */
int rdmaev_nl_history_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct history *history = (struct history *)cb->args[0];
	u32 portid = NETLINK_CB(cb->skb).portid;
	u32 seq = cb->nlh->nlmsg_seq;
	struct rdmaev_stream *s;
	bool at_end = false;
	u64 position;
	int looks;

	if (!history) {
		history = history_new(cb);
		if (IS_ERR(history))
			return PTR_ERR(history);
		cb->args[0] = (long)history;
	}
	s = history->s;
	if (history->told)
		return 0;
	for (looks = 0; looks < LOOKS_MAX; looks++) {
		struct rdmaev_cursor cur = s->cursor;
		struct rdmaev_record rec;

		if (!rdmaev_log_read(&cur, &rec, 1) ||
		    is_beyond(history, &cur, &rec)) {
			at_end = true;
			break;
		}
		if (rdmaev_stream_take(s, &rec) &&
		    put(skb, portid, seq, NLM_F_MULTI, &rec, 0))
			return skb->len ?: -EMSGSIZE;
		s->cursor = cur;
	}
	if (!at_end && skb->len)
		return skb->len;

	position = s->cursor.seen + 1;
	if (at_end)
		position = max(position, history->end + 1);
	if (!put(skb, portid, seq, NLM_F_MULTI, NULL, position))
		history->told = at_end;
	return skb->len ?: -EMSGSIZE;
}
