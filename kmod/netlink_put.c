// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Structures of the ABI as netlink attributes.
 */
#include "catalogue.h"
#include "netlink.h"

/* By the name of a field: most attributes have the same. */
#define PUT_U64(set, attr, value)					\
	nla_put_u64_64bit(skb, RDMAEV_A_##set##_##attr, value,		\
			  RDMAEV_A_##set##_PAD)
#define PUT_U32(set, attr, value)					\
	nla_put_u32(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_U16(set, attr, value)					\
	nla_put_u16(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_U8(set, attr, value)					\
	nla_put_u8(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_STRING(set, attr, value)					\
	nla_put_string(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_BYTES(set, attr, value)					\
	nla_put(skb, RDMAEV_A_##set##_##attr, sizeof(value), value)

/** rdmaev_nl_put_info - put what there is to say of the log */
int rdmaev_nl_put_info(struct sk_buff *skb, const struct rdmaev_info *info)
{
	if (PUT_U32(INFO, ABI_VERSION, info->abi_version) ||
	    PUT_U64(INFO, FEATURES, info->features) ||
	    PUT_U64(INFO, INSTANCE, info->instance) ||
	    PUT_U32(INFO, RECORD_SIZE, info->record_size) ||
	    PUT_U32(INFO, RINGS, info->rings) ||
	    PUT_U32(INFO, RING_RECORDS, info->ring_records) ||
	    PUT_U64(INFO, OLDEST_SEQ, info->oldest_seq) ||
	    PUT_U64(INFO, NEWEST_SEQ, info->newest_seq))
		return -EMSGSIZE;
	return 0;
}

/** rdmaev_nl_put_device - put a &struct rdmaev_device, or NULL, and a seq */
int rdmaev_nl_put_device(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_device *dev = entry;

	if (dev &&
	    (PUT_U32(DEVICE, INDEX, dev->index) ||
	     PUT_U32(DEVICE, GENERATION, dev->generation) ||
	     PUT_U32(DEVICE, PORTS, dev->ports) ||
	     PUT_U32(DEVICE, NODE_TYPE, dev->node_type) ||
	     PUT_U64(DEVICE, NODE_GUID, dev->node_guid) ||
	     PUT_U64(DEVICE, SINCE_NS, dev->since_ns) ||
	     PUT_U32(DEVICE, FLAGS, dev->flags) ||
	     PUT_U32(DEVICE, SOURCES, dev->sources) ||
	     PUT_STRING(DEVICE, NAME, dev->name) ||
	     PUT_STRING(DEVICE, DRIVER, dev->driver) ||
	     PUT_U64(DEVICE, LAST_SEQ, dev->last_seq) ||
	     PUT_U64(DEVICE, LAST_BOOTTIME_NS, dev->last_boottime_ns) ||
	     PUT_U64(DEVICE, LAST_REALTIME_NS, dev->last_realtime_ns) ||
	     PUT_U32(DEVICE, LAST_PORT, dev->last_port) ||
	     PUT_U16(DEVICE, LAST_KIND, dev->last_kind) ||
	     PUT_U16(DEVICE, LAST_CODE, dev->last_code)))
		return -EMSGSIZE;
	return PUT_U64(DEVICE, SEQ, seq);
}

/** rdmaev_nl_put_port - put a &struct rdmaev_port, or NULL, and a seq */
int rdmaev_nl_put_port(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_port *port = entry;

	if (port &&
	    (PUT_U32(PORT, DEVICE, port->device) ||
	     PUT_U32(PORT, GENERATION, port->generation) ||
	     PUT_U32(PORT, PORT, port->port) ||
	     PUT_U32(PORT, LINK_LAYER, port->link_layer) ||
	     PUT_U32(PORT, PROTOCOLS, port->protocols) ||
	     PUT_U32(PORT, STATE, port->state) ||
	     PUT_U32(PORT, PHYS_STATE, port->phys_state) ||
	     PUT_U32(PORT, LID, port->lid) ||
	     PUT_U32(PORT, SM_LID, port->sm_lid) ||
	     PUT_U32(PORT, SPEED, port->speed) ||
	     PUT_U32(PORT, WIDTH, port->width) ||
	     PUT_U32(PORT, FLAPS, port->flaps) ||
	     PUT_U32(PORT, GIDS, port->gids) ||
	     PUT_U32(PORT, PKEYS, port->pkeys) ||
	     PUT_U64(PORT, STATE_SINCE_NS, port->state_since_ns) ||
	     PUT_U64(PORT, TRANSITIONS, port->transitions) ||
	     PUT_U64(PORT, UP_SHORTEST_NS, port->up_shortest_ns) ||
	     PUT_U64(PORT, UP_LONGEST_NS, port->up_longest_ns) ||
	     PUT_U32(PORT, FLAGS, port->flags)))
		return -EMSGSIZE;
	return PUT_U64(PORT, SEQ, seq);
}

/** rdmaev_nl_put_counter - put a &struct rdmaev_counter, or NULL, and a seq */
int rdmaev_nl_put_counter(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_counter *counter = entry;

	if (counter &&
	    (PUT_U32(COUNTER, DEVICE, counter->device) ||
	     PUT_U32(COUNTER, GENERATION, counter->generation) ||
	     PUT_U32(COUNTER, PORT, counter->port) ||
	     PUT_U16(COUNTER, KIND, counter->kind) ||
	     PUT_U16(COUNTER, CODE, counter->code) ||
	     PUT_STRING(COUNTER, EVENT,
			rdmaev_event_name(counter->kind, counter->code)) ||
	     PUT_U64(COUNTER, COUNT, counter->count) ||
	     PUT_U64(COUNTER, LAST_SEQ, counter->last_seq) ||
	     PUT_U64(COUNTER, LAST_BOOTTIME_NS, counter->last_boottime_ns) ||
	     PUT_U64(COUNTER, LAST_REALTIME_NS, counter->last_realtime_ns)))
		return -EMSGSIZE;
	return PUT_U64(COUNTER, SEQ, seq);
}

/** rdmaev_nl_put_cq - put a &struct rdmaev_cq_stats, or NULL, and a seq */
int rdmaev_nl_put_cq(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_cq_stats *cq = entry;

	if (cq &&
	    (PUT_U64(CQ, ID, cq->id) ||
	     PUT_U32(CQ, DEVICE, cq->device) ||
	     PUT_U32(CQ, GENERATION, cq->generation) ||
	     PUT_U32(CQ, CQ, cq->cq) ||
	     PUT_U32(CQ, FLAGS, cq->flags) ||
	     PUT_U32(CQ, CQS, cq->cqs) ||
	     PUT_U32(CQ, CQE, cq->cqe) ||
	     PUT_U32(CQ, LARGEST_BATCH, cq->largest_batch) ||
	     PUT_U32(CQ, MODERATION_COUNT, cq->moderation_count) ||
	     PUT_U32(CQ, MODERATION_US, cq->moderation_us) ||
	     PUT_U64(CQ, SINCE_NS, cq->since_ns) ||
	     PUT_U64(CQ, LAST_NS, cq->last_ns) ||
	     PUT_U64(CQ, NOTIFICATIONS, cq->notifications) ||
	     PUT_U64(CQ, POLLS, cq->polls) ||
	     PUT_U64(CQ, EMPTY_POLLS, cq->empty_polls) ||
	     PUT_U64(CQ, ARMS, cq->arms) ||
	     PUT_U64(CQ, MISSED_EVENTS, cq->missed_events) ||
	     PUT_BYTES(CQ, COMPLETIONS, cq->completions) ||
	     PUT_BYTES(CQ, FAILURES, cq->failures) ||
	     PUT_STRING(CQ, OWNER, cq->owner)))
		return -EMSGSIZE;
	return PUT_U64(CQ, SEQ, seq);
}

static int put_device_body(struct sk_buff *skb,
			   const struct rdmaev_device_body *body)
{
	if (PUT_U64(DEVICE_BODY, NODE_GUID, body->node_guid) ||
	    PUT_STRING(DEVICE_BODY, OLD_NAME, body->old_name))
		return -EMSGSIZE;
	return 0;
}

static int put_port_body(struct sk_buff *skb,
			 const struct rdmaev_port_body *body, u16 code)
{
	if (PUT_U64(PORT_BODY, PREVIOUS_NS, body->previous_ns) ||
	    PUT_U32(PORT_BODY, FLAPS, body->flaps) ||
	    PUT_U32(PORT_BODY, INDEX, body->index))
		return -EMSGSIZE;
	if (code == RDMAEV_PORT_GID) {
		if (PUT_BYTES(PORT_BODY, GID_BEFORE, body->before.gid) ||
		    PUT_BYTES(PORT_BODY, GID_AFTER, body->after.gid) ||
		    PUT_U32(PORT_BODY, GID_TYPE_BEFORE,
			    body->gid_type_before) ||
		    PUT_U32(PORT_BODY, GID_TYPE_AFTER, body->gid_type_after) ||
		    PUT_U32(PORT_BODY, NETDEV_BEFORE, body->netdev_before) ||
		    PUT_U32(PORT_BODY, NETDEV_AFTER, body->netdev_after))
			return -EMSGSIZE;
		return 0;
	}
	if (PUT_U64(PORT_BODY, BEFORE, body->before.number) ||
	    PUT_U64(PORT_BODY, AFTER, body->after.number))
		return -EMSGSIZE;
	return 0;
}

static int put_async_body(struct sk_buff *skb,
			  const struct rdmaev_async_body *body)
{
	if (PUT_U32(ASYNC_BODY, KNOWN, body->known) ||
	    PUT_U32(ASYNC_BODY, SEND_CQ, body->send_cq) ||
	    PUT_U32(ASYNC_BODY, RECV_CQ, body->recv_cq) ||
	    PUT_U32(ASYNC_BODY, SRQ, body->srq) ||
	    PUT_STRING(ASYNC_BODY, SOURCE_NAME, body->source_name) ||
	    PUT_STRING(ASYNC_BODY, COMM, body->comm) ||
	    (body->known & RDMAEV_KNOWN_UID &&
	     PUT_U32(ASYNC_BODY, UID, body->uid)) ||
	    (body->known & RDMAEV_KNOWN_QP_TYPE &&
	     PUT_U8(ASYNC_BODY, QP_TYPE, body->qp_type)) ||
	    (body->known & RDMAEV_KNOWN_QP_STATE &&
	     PUT_U8(ASYNC_BODY, QP_STATE, body->qp_state)) ||
	    (body->known & RDMAEV_KNOWN_CGROUP &&
	     PUT_U64(ASYNC_BODY, CGROUP, body->cgroup)) ||
	    (body->known & RDMAEV_KNOWN_PEER_QPN &&
	     PUT_U32(ASYNC_BODY, PEER_QPN, body->peer_qpn)) ||
	    (body->known & RDMAEV_KNOWN_PEER_LID &&
	     PUT_U32(ASYNC_BODY, PEER_LID, body->peer_lid)) ||
	    (body->known & RDMAEV_KNOWN_PEER_GID &&
	     PUT_BYTES(ASYNC_BODY, PEER_GID, body->peer_gid)))
		return -EMSGSIZE;
	return 0;
}

static int put_wc_body(struct sk_buff *skb, const struct rdmaev_wc_body *body)
{
	if (PUT_U32(WC_BODY, KNOWN, body->known) ||
	    PUT_U32(WC_BODY, SEND_CQ, body->send_cq) ||
	    PUT_U32(WC_BODY, RECV_CQ, body->recv_cq) ||
	    PUT_U32(WC_BODY, SRQ, body->srq) ||
	    PUT_U64(WC_BODY, WR_ID, body->wr_id) ||
	    PUT_U32(WC_BODY, VENDOR_ERR, body->vendor_err) ||
	    PUT_U32(WC_BODY, OPCODE, body->opcode) ||
	    PUT_U32(WC_BODY, CQ, body->cq) ||
	    PUT_U32(WC_BODY, FOLDED, body->folded) ||
	    PUT_STRING(WC_BODY, SOURCE_NAME, body->source_name) ||
	    PUT_STRING(WC_BODY, COMM, body->comm) ||
	    (body->known & RDMAEV_KNOWN_UID &&
	     PUT_U32(WC_BODY, UID, body->uid)) ||
	    (body->known & RDMAEV_KNOWN_QP_TYPE &&
	     PUT_U8(WC_BODY, QP_TYPE, body->qp_type)) ||
	    (body->known & RDMAEV_KNOWN_QP_STATE &&
	     PUT_U8(WC_BODY, QP_STATE, body->qp_state)) ||
	    (body->known & RDMAEV_KNOWN_CGROUP &&
	     PUT_U64(WC_BODY, CGROUP, body->cgroup)) ||
	    (body->known & RDMAEV_KNOWN_PEER_QPN &&
	     PUT_U32(WC_BODY, PEER_QPN, body->peer_qpn)) ||
	    (body->known & RDMAEV_KNOWN_PEER_LID &&
	     PUT_U32(WC_BODY, PEER_LID, body->peer_lid)) ||
	    (body->known & RDMAEV_KNOWN_PEER_GID &&
	     PUT_BYTES(WC_BODY, PEER_GID, body->peer_gid)))
		return -EMSGSIZE;
	return 0;
}

static int put_completion_body(struct sk_buff *skb,
			       const struct rdmaev_completion_body *body)
{
	if (PUT_U64(COMPLETION_BODY, TIME_NS, body->time_ns) ||
	    PUT_U64(COMPLETION_BODY, NOTIFICATIONS, body->notifications) ||
	    PUT_U64(COMPLETION_BODY, COMPLETIONS, body->completions) ||
	    PUT_U64(COMPLETION_BODY, FAILURES, body->failures) ||
	    PUT_U64(COMPLETION_BODY, EMPTY_POLLS, body->empty_polls) ||
	    PUT_STRING(COMPLETION_BODY, SOURCE_NAME, body->source_name))
		return -EMSGSIZE;
	return 0;
}

static int put_lost_body(struct sk_buff *skb,
			 const struct rdmaev_lost_body *body)
{
	if (PUT_U64(LOST_BODY, FIRST, body->first) ||
	    PUT_U64(LOST_BODY, LAST, body->last) ||
	    PUT_U64(LOST_BODY, COUNT, body->count))
		return -EMSGSIZE;
	return 0;
}

static int put_body(struct sk_buff *skb, const struct rdmaev_record *rec)
{
	static const u8 nests[] = {
		[RDMAEV_KIND_DEVICE] = RDMAEV_A_RECORD_DEVICE_BODY,
		[RDMAEV_KIND_PORT] = RDMAEV_A_RECORD_PORT_BODY,
		[RDMAEV_KIND_ASYNC] = RDMAEV_A_RECORD_ASYNC_BODY,
		[RDMAEV_KIND_WC] = RDMAEV_A_RECORD_WC_BODY,
		[RDMAEV_KIND_COMPLETION] = RDMAEV_A_RECORD_COMPLETION_BODY,
		[RDMAEV_KIND_LOST] = RDMAEV_A_RECORD_LOST_BODY,
	};
	struct nlattr *nest;
	int ret = 0;

	nest = nla_nest_start(skb, nests[rec->kind]);
	if (!nest)
		return -EMSGSIZE;
	switch (rec->kind) {
	case RDMAEV_KIND_DEVICE:
		ret = put_device_body(skb, &rec->body.device);
		break;
	case RDMAEV_KIND_PORT:
		ret = put_port_body(skb, &rec->body.port, rec->code);
		break;
	case RDMAEV_KIND_ASYNC:
		ret = put_async_body(skb, &rec->body.async);
		break;
	case RDMAEV_KIND_WC:
		ret = put_wc_body(skb, &rec->body.wc);
		break;
	case RDMAEV_KIND_COMPLETION:
		ret = put_completion_body(skb, &rec->body.completion);
		break;
	case RDMAEV_KIND_LOST:
		ret = put_lost_body(skb, &rec->body.lost);
		break;
	}
	nla_nest_end(skb, nest);
	return ret;
}

/**
 * rdmaev_nl_put_record - put a record
 * @skb: where to
 * @rec: record
 * @with_pid: with the pid, which is that of who gets it
 */
int rdmaev_nl_put_record(struct sk_buff *skb, const struct rdmaev_record *rec,
			 bool with_pid)
{
	if (PUT_U64(RECORD, SEQ, rec->seq) ||
	    PUT_U64(RECORD, BOOTTIME_NS, rec->boottime_ns) ||
	    PUT_U64(RECORD, REALTIME_NS, rec->realtime_ns) ||
	    PUT_U64(RECORD, CAUSE, rec->cause) ||
	    PUT_U32(RECORD, DEVICE, rec->device) ||
	    PUT_U32(RECORD, GENERATION, rec->generation) ||
	    PUT_U32(RECORD, PORT, rec->port) ||
	    PUT_U16(RECORD, KIND, rec->kind) ||
	    PUT_U16(RECORD, CODE, rec->code) ||
	    PUT_STRING(RECORD, EVENT,
		       rdmaev_event_name(rec->kind, rec->code)) ||
	    PUT_U8(RECORD, OBJECT_TYPE, rec->object_type) ||
	    PUT_U8(RECORD, SEVERITY, rec->severity) ||
	    PUT_U8(RECORD, SOURCE, rec->source) ||
	    PUT_U8(RECORD, RING, rec->ring) ||
	    PUT_U32(RECORD, OBJECT, rec->object) ||
	    PUT_U32(RECORD, COUNT, rec->count) ||
	    (with_pid && PUT_U32(RECORD, PID, rec->pid)) ||
	    PUT_STRING(RECORD, DEVICE_NAME, rec->device_name))
		return -EMSGSIZE;
	return put_body(skb, rec);
}
