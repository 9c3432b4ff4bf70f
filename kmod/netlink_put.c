// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Structures of the ABI as netlink attributes.
 */
#include "catalogue.h"
#include "compat.h"
#include "netlink.h"

static int put_uint(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_uint(skb, type, value);
}

/* By the name of a field: most attributes have the same. */
#define PUT_UINT(set, attr, value)					\
	put_uint(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_STRING(set, attr, value)					\
	nla_put_string(skb, RDMAEV_A_##set##_##attr, value)
#define PUT_BYTES(set, attr, value)					\
	nla_put(skb, RDMAEV_A_##set##_##attr, sizeof(value), value)

/** rdmaev_nl_put_info - put what there is to say of the log */
int rdmaev_nl_put_info(struct sk_buff *skb, const struct rdmaev_info *info)
{
	if (PUT_UINT(INFO, ABI_VERSION, info->abi_version) ||
	    PUT_UINT(INFO, FEATURES, info->features) ||
	    PUT_UINT(INFO, INSTANCE, info->instance) ||
	    PUT_UINT(INFO, RECORD_SIZE, info->record_size) ||
	    PUT_UINT(INFO, RINGS, info->rings) ||
	    PUT_UINT(INFO, RING_RECORDS, info->ring_records) ||
	    PUT_UINT(INFO, OLDEST_SEQ, info->oldest_seq) ||
	    PUT_UINT(INFO, NEWEST_SEQ, info->newest_seq))
		return -EMSGSIZE;
	return 0;
}

/** rdmaev_nl_put_device - put a &struct rdmaev_device and a seq */
int rdmaev_nl_put_device(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_device *dev = entry;

	if (PUT_UINT(DEVICE, INDEX, dev->index) ||
	    PUT_UINT(DEVICE, GENERATION, dev->generation) ||
	    PUT_UINT(DEVICE, PORTS, dev->ports) ||
	    PUT_UINT(DEVICE, NODE_TYPE, dev->node_type) ||
	    PUT_UINT(DEVICE, NODE_GUID, dev->node_guid) ||
	    PUT_UINT(DEVICE, SINCE_NS, dev->since_ns) ||
	    PUT_UINT(DEVICE, FLAGS, dev->flags) ||
	    PUT_UINT(DEVICE, SOURCES, dev->sources) ||
	    PUT_STRING(DEVICE, NAME, dev->name) ||
	    PUT_STRING(DEVICE, DRIVER, dev->driver) ||
	    PUT_UINT(DEVICE, LAST_SEQ, dev->last_seq) ||
	    PUT_UINT(DEVICE, LAST_BOOTTIME_NS, dev->last_boottime_ns) ||
	    PUT_UINT(DEVICE, LAST_REALTIME_NS, dev->last_realtime_ns) ||
	    PUT_UINT(DEVICE, LAST_PORT, dev->last_port) ||
	    PUT_UINT(DEVICE, LAST_KIND, dev->last_kind) ||
	    PUT_UINT(DEVICE, LAST_CODE, dev->last_code))
		return -EMSGSIZE;
	return PUT_UINT(DEVICE, SEQ, seq);
}

/** rdmaev_nl_put_port - put a &struct rdmaev_port and a seq */
int rdmaev_nl_put_port(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_port *port = entry;

	if (PUT_UINT(PORT, DEVICE, port->device) ||
	    PUT_UINT(PORT, GENERATION, port->generation) ||
	    PUT_UINT(PORT, PORT, port->port) ||
	    PUT_UINT(PORT, LINK_LAYER, port->link_layer) ||
	    PUT_UINT(PORT, PROTOCOLS, port->protocols) ||
	    PUT_UINT(PORT, STATE, port->state) ||
	    PUT_UINT(PORT, PHYS_STATE, port->phys_state) ||
	    PUT_UINT(PORT, LID, port->lid) ||
	    PUT_UINT(PORT, SM_LID, port->sm_lid) ||
	    PUT_UINT(PORT, SPEED, port->speed) ||
	    PUT_UINT(PORT, WIDTH, port->width) ||
	    PUT_UINT(PORT, FLAPS, port->flaps) ||
	    PUT_UINT(PORT, GIDS, port->gids) ||
	    PUT_UINT(PORT, PKEYS, port->pkeys) ||
	    PUT_UINT(PORT, STATE_SINCE_NS, port->state_since_ns) ||
	    PUT_UINT(PORT, TRANSITIONS, port->transitions) ||
	    PUT_UINT(PORT, UP_SHORTEST_NS, port->up_shortest_ns) ||
	    PUT_UINT(PORT, UP_LONGEST_NS, port->up_longest_ns) ||
	    PUT_UINT(PORT, FLAGS, port->flags))
		return -EMSGSIZE;
	return PUT_UINT(PORT, SEQ, seq);
}

/** rdmaev_nl_put_counter - put a &struct rdmaev_counter and a seq */
int rdmaev_nl_put_counter(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_counter *counter = entry;

	if (PUT_UINT(COUNTER, DEVICE, counter->device) ||
	    PUT_UINT(COUNTER, GENERATION, counter->generation) ||
	    PUT_UINT(COUNTER, PORT, counter->port) ||
	    PUT_UINT(COUNTER, KIND, counter->kind) ||
	    PUT_UINT(COUNTER, CODE, counter->code) ||
	    PUT_STRING(COUNTER, EVENT,
		       rdmaev_event_name(counter->kind, counter->code)) ||
	    PUT_UINT(COUNTER, COUNT, counter->count) ||
	    PUT_UINT(COUNTER, LAST_SEQ, counter->last_seq) ||
	    PUT_UINT(COUNTER, LAST_BOOTTIME_NS, counter->last_boottime_ns) ||
	    PUT_UINT(COUNTER, LAST_REALTIME_NS, counter->last_realtime_ns))
		return -EMSGSIZE;
	return PUT_UINT(COUNTER, SEQ, seq);
}

/** rdmaev_nl_put_cq - put a &struct rdmaev_cq_stats and a seq */
int rdmaev_nl_put_cq(struct sk_buff *skb, const void *entry, u64 seq)
{
	const struct rdmaev_cq_stats *cq = entry;

	if (PUT_UINT(CQ, ID, cq->id) ||
	    PUT_UINT(CQ, DEVICE, cq->device) ||
	    PUT_UINT(CQ, GENERATION, cq->generation) ||
	    PUT_UINT(CQ, CQ, cq->cq) ||
	    PUT_UINT(CQ, FLAGS, cq->flags) ||
	    PUT_UINT(CQ, CQS, cq->cqs) ||
	    PUT_UINT(CQ, CQE, cq->cqe) ||
	    PUT_UINT(CQ, LARGEST_BATCH, cq->largest_batch) ||
	    PUT_UINT(CQ, MODERATION_COUNT, cq->moderation_count) ||
	    PUT_UINT(CQ, MODERATION_US, cq->moderation_us) ||
	    PUT_UINT(CQ, SINCE_NS, cq->since_ns) ||
	    PUT_UINT(CQ, LAST_NS, cq->last_ns) ||
	    PUT_UINT(CQ, NOTIFICATIONS, cq->notifications) ||
	    PUT_UINT(CQ, POLLS, cq->polls) ||
	    PUT_UINT(CQ, EMPTY_POLLS, cq->empty_polls) ||
	    PUT_UINT(CQ, ARMS, cq->arms) ||
	    PUT_UINT(CQ, MISSED_EVENTS, cq->missed_events) ||
	    PUT_BYTES(CQ, COMPLETIONS, cq->completions) ||
	    PUT_BYTES(CQ, FAILURES, cq->failures) ||
	    PUT_STRING(CQ, OWNER, cq->owner))
		return -EMSGSIZE;
	return PUT_UINT(CQ, SEQ, seq);
}

static int put_device_body(struct sk_buff *skb,
			   const struct rdmaev_device_body *body)
{
	if (PUT_UINT(DEVICE_BODY, NODE_GUID, body->node_guid) ||
	    PUT_STRING(DEVICE_BODY, OLD_NAME, body->old_name))
		return -EMSGSIZE;
	return 0;
}

static int put_port_body(struct sk_buff *skb,
			 const struct rdmaev_port_body *body, u16 code)
{
	if (PUT_UINT(PORT_BODY, PREVIOUS_NS, body->previous_ns) ||
	    PUT_UINT(PORT_BODY, FLAPS, body->flaps) ||
	    PUT_UINT(PORT_BODY, INDEX, body->index))
		return -EMSGSIZE;
	if (code == RDMAEV_PORT_GID) {
		if (PUT_BYTES(PORT_BODY, GID_BEFORE, body->before.gid) ||
		    PUT_BYTES(PORT_BODY, GID_AFTER, body->after.gid) ||
		    PUT_UINT(PORT_BODY, GID_TYPE_BEFORE, body->gid_type_before) ||
		    PUT_UINT(PORT_BODY, GID_TYPE_AFTER, body->gid_type_after) ||
		    PUT_UINT(PORT_BODY, NETDEV_BEFORE, body->netdev_before) ||
		    PUT_UINT(PORT_BODY, NETDEV_AFTER, body->netdev_after))
			return -EMSGSIZE;
		return 0;
	}
	if (PUT_UINT(PORT_BODY, BEFORE, body->before.number) ||
	    PUT_UINT(PORT_BODY, AFTER, body->after.number))
		return -EMSGSIZE;
	return 0;
}

static int put_async_body(struct sk_buff *skb,
			  const struct rdmaev_async_body *body)
{
	if (PUT_UINT(ASYNC_BODY, KNOWN, body->known) ||
	    PUT_UINT(ASYNC_BODY, SEND_CQ, body->send_cq) ||
	    PUT_UINT(ASYNC_BODY, RECV_CQ, body->recv_cq) ||
	    PUT_UINT(ASYNC_BODY, SRQ, body->srq) ||
	    PUT_STRING(ASYNC_BODY, SOURCE_NAME, body->source_name) ||
	    PUT_STRING(ASYNC_BODY, COMM, body->comm) ||
	    (body->known & RDMAEV_KNOWN_UID &&
	     PUT_UINT(ASYNC_BODY, UID, body->uid)) ||
	    (body->known & RDMAEV_KNOWN_QP_TYPE &&
	     PUT_UINT(ASYNC_BODY, QP_TYPE, body->qp_type)) ||
	    (body->known & RDMAEV_KNOWN_QP_STATE &&
	     PUT_UINT(ASYNC_BODY, QP_STATE, body->qp_state)) ||
	    (body->known & RDMAEV_KNOWN_CGROUP &&
	     PUT_UINT(ASYNC_BODY, CGROUP, body->cgroup)) ||
	    (body->pid_ns && PUT_UINT(ASYNC_BODY, PID_NS, body->pid_ns)) ||
	    (body->known & RDMAEV_KNOWN_PEER_QPN &&
	     PUT_UINT(ASYNC_BODY, PEER_QPN, body->peer_qpn)) ||
	    (body->known & RDMAEV_KNOWN_PEER_LID &&
	     PUT_UINT(ASYNC_BODY, PEER_LID, body->peer_lid)) ||
	    (body->known & RDMAEV_KNOWN_PEER_GID &&
	     PUT_BYTES(ASYNC_BODY, PEER_GID, body->peer_gid)))
		return -EMSGSIZE;
	return 0;
}

static int put_wc_body(struct sk_buff *skb, const struct rdmaev_wc_body *body)
{
	if (PUT_UINT(WC_BODY, KNOWN, body->known) ||
	    PUT_UINT(WC_BODY, SEND_CQ, body->send_cq) ||
	    PUT_UINT(WC_BODY, RECV_CQ, body->recv_cq) ||
	    PUT_UINT(WC_BODY, SRQ, body->srq) ||
	    PUT_UINT(WC_BODY, WR_ID, body->wr_id) ||
	    PUT_UINT(WC_BODY, VENDOR_ERR, body->vendor_err) ||
	    PUT_UINT(WC_BODY, OPCODE, body->opcode) ||
	    PUT_UINT(WC_BODY, CQ, body->cq) ||
	    PUT_UINT(WC_BODY, FOLDED, body->folded) ||
	    PUT_STRING(WC_BODY, SOURCE_NAME, body->source_name) ||
	    PUT_STRING(WC_BODY, COMM, body->comm) ||
	    (body->known & RDMAEV_KNOWN_UID &&
	     PUT_UINT(WC_BODY, UID, body->uid)) ||
	    (body->known & RDMAEV_KNOWN_QP_TYPE &&
	     PUT_UINT(WC_BODY, QP_TYPE, body->qp_type)) ||
	    (body->known & RDMAEV_KNOWN_QP_STATE &&
	     PUT_UINT(WC_BODY, QP_STATE, body->qp_state)) ||
	    (body->known & RDMAEV_KNOWN_CGROUP &&
	     PUT_UINT(WC_BODY, CGROUP, body->cgroup)) ||
	    (body->known & RDMAEV_KNOWN_PEER_QPN &&
	     PUT_UINT(WC_BODY, PEER_QPN, body->peer_qpn)) ||
	    (body->known & RDMAEV_KNOWN_PEER_LID &&
	     PUT_UINT(WC_BODY, PEER_LID, body->peer_lid)) ||
	    (body->known & RDMAEV_KNOWN_PEER_GID &&
	     PUT_BYTES(WC_BODY, PEER_GID, body->peer_gid)))
		return -EMSGSIZE;
	return 0;
}

static int put_completion_body(struct sk_buff *skb,
			       const struct rdmaev_completion_body *body)
{
	if (PUT_UINT(COMPLETION_BODY, TIME_NS, body->time_ns) ||
	    PUT_UINT(COMPLETION_BODY, NOTIFICATIONS, body->notifications) ||
	    PUT_UINT(COMPLETION_BODY, COMPLETIONS, body->completions) ||
	    PUT_UINT(COMPLETION_BODY, FAILURES, body->failures) ||
	    PUT_UINT(COMPLETION_BODY, EMPTY_POLLS, body->empty_polls) ||
	    PUT_STRING(COMPLETION_BODY, SOURCE_NAME, body->source_name))
		return -EMSGSIZE;
	return 0;
}

static int put_lost_body(struct sk_buff *skb,
			 const struct rdmaev_lost_body *body)
{
	if (PUT_UINT(LOST_BODY, FIRST, body->first) ||
	    PUT_UINT(LOST_BODY, LAST, body->last) ||
	    PUT_UINT(LOST_BODY, COUNT, body->count))
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
	if (PUT_UINT(RECORD, SEQ, rec->seq) ||
	    PUT_UINT(RECORD, BOOTTIME_NS, rec->boottime_ns) ||
	    PUT_UINT(RECORD, REALTIME_NS, rec->realtime_ns) ||
	    PUT_UINT(RECORD, CAUSE, rec->cause) ||
	    PUT_UINT(RECORD, DEVICE, rec->device) ||
	    PUT_UINT(RECORD, GENERATION, rec->generation) ||
	    PUT_UINT(RECORD, PORT, rec->port) ||
	    PUT_UINT(RECORD, KIND, rec->kind) ||
	    PUT_UINT(RECORD, CODE, rec->code) ||
	    PUT_STRING(RECORD, EVENT,
		       rdmaev_event_name(rec->kind, rec->code)) ||
	    PUT_UINT(RECORD, OBJECT_TYPE, rec->object_type) ||
	    PUT_UINT(RECORD, SEVERITY, rec->severity) ||
	    PUT_UINT(RECORD, SOURCE, rec->source) ||
	    PUT_UINT(RECORD, RING, rec->ring) ||
	    PUT_UINT(RECORD, OBJECT, rec->object) ||
	    PUT_UINT(RECORD, COUNT, rec->count) ||
	    (with_pid && PUT_UINT(RECORD, PID, rec->pid)) ||
	    PUT_STRING(RECORD, DEVICE_NAME, rec->device_name))
		return -EMSGSIZE;
	return put_body(skb, rec);
}
