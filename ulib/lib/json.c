// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Format an event as one JSON object. The keys and their order are fixed. */
#include <arpa/inet.h>
#include <stdio.h>

#include "catalogue.h"
#include "format.h"
#include "internal.h"

/* A string in an array of a record, which may lack its NUL; null if empty. */
static void put_array(struct text *t, const char *array, size_t size)
{
	char string[RDMAEV_NOTE_SIZE + 1];

	snprintf(string, sizeof(string), "%.*s", (int)size, array);
	text_json(t, *string ? string : NULL);
}

static void put_head(struct text *t, const struct rdmaev_record *r,
		     const uint64_t *instance)
{
	const struct rdmaev_object_info *info = &r->body.info;

	text_put(t, "{\"seq\":");
	text_json_number(t, r->seq);
	if (instance)
		text_printf(t, ",\"instance\":\"%016llx\"",
			    (unsigned long long)*instance);
	text_put(t, ",\"time\":");
	text_json_time(t, r->realtime_ns);
	text_key_number(t, "boottime_ns", true, r->boottime_ns);
	text_key_name(t, "kind", kind_name(r->kind), r->kind);
	text_put(t, ",\"event\":\"");
	put_event_name(t, r->kind, r->code);
	text_printf(t, "\",\"code\":%u", r->code);
	text_key_name(t, "severity", severity_name(r->severity), r->severity);

	text_put(t, ",\"device\":");
	text_json(t, *r->device_name ? r->device_name : NULL);
	if (r->generation)
		text_printf(t, ",\"index\":%u", r->device);
	else
		text_put(t, ",\"index\":null");
	text_printf(t, ",\"generation\":%u,\"port\":%u", r->generation, r->port);

	text_put(t, ",\"object\":");
	if (r->object_type == RDMAEV_OBJECT_NONE)
		text_put(t, "null");
	else if (object_name(r->object_type))
		text_json(t, object_name(r->object_type));
	else
		text_printf(t, "%u", r->object_type);
	if (event_has_object(r))
		text_printf(t, ",\"object_id\":%u", r->object);
	else
		text_put(t, ",\"object_id\":null");

	text_printf(t, ",\"count\":%u", r->count);
	text_key_number(t, "cause", true, r->cause);
	text_printf(t, ",\"pid\":%u,\"comm\":", r->pid);
	if (event_has_queues(r))
		put_array(t, info->comm, sizeof(info->comm));
	else if (r->kind == RDMAEV_KIND_QP && info->known & RDMAEV_KNOWN_UID)
		put_array(t, r->body.qp.owner, sizeof(r->body.qp.owner));
	else if (r->kind == RDMAEV_KIND_CM && info->known & RDMAEV_KNOWN_UID)
		put_array(t, r->body.cm.owner, sizeof(r->body.cm.owner));
	else
		text_put(t, "null");
}

static const char *attribute_name(unsigned int code)
{
	static const char * const names[] = {
		[RDMAEV_PORT_STATE] = "state",
		[RDMAEV_PORT_PHYS_STATE] = "phys_state",
		[RDMAEV_PORT_LID] = "lid",
		[RDMAEV_PORT_SM_LID] = "sm_lid",
		[RDMAEV_PORT_SPEED] = "speed",
		[RDMAEV_PORT_WIDTH] = "width",
		[RDMAEV_PORT_GID] = "gid",
		[RDMAEV_PORT_PKEY] = "pkey",
		[RDMAEV_PORT_OUTAGE_UNSEEN] = "outages",
		[RDMAEV_PORT_OUTAGE] = "state",
		[RDMAEV_PORT_OUTAGE_END] = "state",
		[RDMAEV_PORT_QUERY_STUCK] = "query",
		[RDMAEV_PORT_QUERY_RETURNED] = "query",
	};

	return code < ARRAY_SIZE(names) ? names[code] : NULL;
}

static void key_port_value(struct text *t, const char *key, unsigned int code,
			   const union rdmaev_port_value *value)
{
	const char *name = NULL;
	char gid[INET6_ADDRSTRLEN];

	switch (code) {
	case RDMAEV_PORT_STATE:
	case RDMAEV_PORT_OUTAGE:
	case RDMAEV_PORT_OUTAGE_END:
		/* 0: before an outage of unknown beginning */
		if (!value->number)
			return text_printf(t, ",\"%s\":null", key);
		name = state_name(value->number);
		break;
	case RDMAEV_PORT_QUERY_STUCK:
	case RDMAEV_PORT_QUERY_RETURNED:
		return text_printf(t, ",\"%s\":null", key);
	case RDMAEV_PORT_PHYS_STATE:
		name = phys_state_name(value->number);
		break;
	case RDMAEV_PORT_SPEED:
		name = speed_name(value->number);
		break;
	case RDMAEV_PORT_WIDTH:
		name = width_name(value->number);
		break;
	case RDMAEV_PORT_GID:
		name = inet_ntop(AF_INET6, value->gid, gid, sizeof(gid));
		break;
	}
	text_key_name(t, key, name, value->number);
}

/* Attributes of a GID; null if unknown. */
static void key_gid_use(struct text *t, const char *when, unsigned int type,
			unsigned int netdev)
{
	text_printf(t, ",\"gid_type_%s\":", when);
	if (gid_type_name(type))
		text_json(t, gid_type_name(type));
	else if (type)
		text_printf(t, "%u", type);
	else
		text_put(t, "null");
	text_printf(t, ",\"netdev_%s\":", when);
	if (netdev)
		text_printf(t, "%u", netdev);
	else
		text_put(t, "null");
}

static bool is_over(const struct rdmaev_record *r)
{
	return r->code == RDMAEV_PORT_OUTAGE_END || r->code == RDMAEV_PORT_OUTAGE_UNSEEN ||
	       (r->code == RDMAEV_PORT_STATE &&
		r->body.port.after.number >= RDMAEV_STATE_ACTIVE);
}

static void key_outage(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;
	const char *end = "null";

	if (is_over(r))
		end = body->outage_flags & RDMAEV_OUTAGE_END_FOUND ? "\"query\"" :
								     "\"event\"";
	text_put(t, ",\"outage\":{\"since_ns\":");
	text_json_number(t, body->down_since_ns);
	text_key_number(t, "ns", true, body->down_ns);
	text_key_number(t, "admin_ns", true, body->down_admin_ns);
	text_printf(t, ",\"begin\":\"%s\",\"end\":%s,\"admin\":%s}",
		    outage_begin_name(body->outage_flags), end,
		    body->outage_flags & RDMAEV_OUTAGE_ADMIN ? "true" : "false");
}

static void put_change(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;
	const char *attribute = attribute_name(r->code);

	text_put(t, ",\"change\":{\"attribute\":");
	if (attribute)
		text_json(t, attribute);
	else
		text_printf(t, "%u", r->code);
	key_port_value(t, "before", r->code, &body->before);
	key_port_value(t, "after", r->code, &body->after);
	text_printf(t, ",\"index\":%u", body->index);
	text_key_number(t, "previous_ns", true, body->previous_ns);
	text_printf(t, ",\"flaps\":%u", body->flaps);
	if (r->code == RDMAEV_PORT_GID) {
		key_gid_use(t, "before", body->gid_type_before, body->netdev_before);
		key_gid_use(t, "after", body->gid_type_after, body->netdev_after);
	}
	if (body->down_since_ns)
		key_outage(t, r);
	text_put(t, "}");
}

static void put_node(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_device_body *body = &r->body.device;

	text_put(t, ",\"node\":{\"name\":");
	text_json(t, *r->device_name ? r->device_name : NULL);
	text_put(t, ",\"guid\":\"");
	text_guid(t, body->node_guid);
	text_put(t, "\",\"old_name\":");
	text_json(t, *body->old_name ? body->old_name : NULL);
	text_put(t, ",\"missing\":");
	text_json_bits(t, body->missing, part_name);
	text_put(t, "}");
}

static void key_related(struct text *t, const char *key, bool known,
			unsigned long long number)
{
	text_printf(t, "\"%s\":", key);
	if (known)
		text_json_number(t, number);
	else
		text_put(t, "null");
	text_put(t, ",");
}

static void key_value(struct text *t, const char *key, bool known,
		      const char *name, unsigned int number)
{
	text_printf(t, "\"%s\":", key);
	if (known && name)
		text_json(t, name);
	else if (known)
		text_printf(t, "%u", number);
	else
		text_put(t, "null");
	text_put(t, ",");
}

/* Last keys of all bodies about an object */
static void put_peer(struct text *t, const struct rdmaev_object_info *info)
{
	const char *peer_gid = NULL;
	char gid[INET6_ADDRSTRLEN];

	if (info->known & RDMAEV_KNOWN_PEER_GID)
		peer_gid = inet_ntop(AF_INET6, info->peer_gid, gid, sizeof(gid));
	key_related(t, "peer_qpn", info->known & RDMAEV_KNOWN_PEER_QPN,
		    info->peer_qpn);
	key_related(t, "peer_lid", info->known & RDMAEV_KNOWN_PEER_LID,
		    info->peer_lid);
	text_put(t, "\"peer_gid\":");
	text_json(t, peer_gid);
	text_put(t, "}");
}

/* Common part of the bodies of events and completions */
static void put_object_info(struct text *t, const struct rdmaev_object_info *info)
{
	key_related(t, "pid_ns", info->known & RDMAEV_KNOWN_UID, info->pid_ns);
	key_related(t, "send_cq", info->known & RDMAEV_KNOWN_SEND_CQ,
		    info->send_cq);
	key_related(t, "recv_cq", info->known & RDMAEV_KNOWN_RECV_CQ,
		    info->recv_cq);
	key_related(t, "srq", info->known & RDMAEV_KNOWN_SRQ, info->srq);
	text_put(t, "\"source\":");
	put_array(t, info->source_name, sizeof(info->source_name));
	text_put(t, ",");
	key_related(t, "uid", info->known & RDMAEV_KNOWN_UID, info->uid);
	key_related(t, "cgroup", info->known & RDMAEV_KNOWN_CGROUP, info->cgroup);
	key_value(t, "qp_type", info->known & RDMAEV_KNOWN_QP_TYPE,
		  qp_type_name(info->qp_type), info->qp_type);
	key_value(t, "qp_state", info->known & RDMAEV_KNOWN_QP_STATE,
		  rdmaev_qp_state_name(info->qp_state), info->qp_state);
	put_peer(t, info);
}

/*
 * As strings, written as they are for people: a program that keeps numbers as
 * floating point would not find the same request again.
 */
static void key_wr_id(struct text *t, bool known, uint64_t wr_id)
{
	if (known)
		text_printf(t, ",\"wr_id\":\"0x%llx\",\"wr_id_hash\":null,",
			    (unsigned long long)wr_id);
	else
		text_printf(t, ",\"wr_id\":null,\"wr_id_hash\":\"%016llx\",",
			    (unsigned long long)wr_id);
}

/* The status is event and code. */
static void put_wc(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_wc_body *body = &r->body.wc;

	text_printf(t, ",\"wc\":{\"vendor_err\":%u", body->vendor_err);
	text_key_name(t, "opcode", rdmaev_wc_opcode_name(body->opcode),
		      body->opcode);
	key_wr_id(t, body->info.known & RDMAEV_KNOWN_WR_ID, body->wr_id);
	key_related(t, "cq", body->info.known & RDMAEV_KNOWN_CQ, body->cq);
	text_printf(t, "\"folded\":%u,", body->folded);
	put_object_info(t, &body->info);
}

static void put_completion(struct text *t,
			   const struct rdmaev_completion_body *body)
{
	text_put(t, ",\"completion\":{\"time_ns\":");
	text_json_number(t, body->time_ns);
	text_key_number(t, "notifications", true, body->notifications);
	text_key_number(t, "completions", true, body->completions);
	text_key_number(t, "failures", true, body->failures);
	text_key_number(t, "empty_polls", true, body->empty_polls);
	text_put(t, ",\"source\":");
	put_array(t, body->source_name, sizeof(body->source_name));
	text_put(t, "}");
}

/* The state after, or the destruction, is event and code. */
static void put_qp(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_qp_body *body = &r->body.qp;

	text_put(t, ",\"qp\":{");
	key_value(t, "before", body->known & RDMAEV_KNOWN_QP_STATE,
		  rdmaev_qp_state_name(body->before), body->before);
	text_printf(t, "\"result\":%d,", body->result);
	key_related(t, "signal", body->signal, body->signal);
	text_put(t, "\"owner\":");
	put_array(t, body->owner, sizeof(body->owner));
	text_put(t, ",");
	key_related(t, "uid", body->known & RDMAEV_KNOWN_UID, body->uid);
	key_related(t, "pid_ns", body->known & RDMAEV_KNOWN_UID, body->pid_ns);
	key_related(t, "cgroup", body->known & RDMAEV_KNOWN_CGROUP, body->cgroup);
	key_value(t, "qp_type", body->known & RDMAEV_KNOWN_QP_TYPE,
		  qp_type_name(body->qp_type), body->qp_type);
	text_put(t, "\"caller\":");
	put_array(t, body->caller, sizeof(body->caller));
	text_put(t, ",");
	key_related(t, "caller_pid", body->caller_pid, body->caller_pid);
	text_put(t, "\"caller_comm\":");
	put_array(t, body->caller_comm, sizeof(body->caller_comm));
	text_put(t, ",");
	key_related(t, "gid_index", body->known & RDMAEV_KNOWN_GID_INDEX, body->gid_index);
	key_related(t, "path_mtu", body->known & RDMAEV_KNOWN_PATH_MTU, body->path_mtu);
	put_peer(t, &r->body.info);
}

static void key_bits(struct text *t, const char *key, uint32_t bits,
		     const char *(*name)(unsigned int bit))
{
	text_printf(t, "\"%s\":", key);
	text_json_bits(t, bits, name);
	text_put(t, ",");
}

static void put_observer(struct text *t,
			 const struct rdmaev_observer_body *body)
{
	text_put(t, ",\"observer\":{");
	key_bits(t, "mechanisms", body->mechanisms, observes_by_name);
	key_bits(t, "facts", body->facts, observed_name);
	text_put(t, "\"time_ns\":");
	text_json_number(t, body->time_ns);
	text_key_number(t, "uid", body->known & RDMAEV_KNOWN_UID, body->uid);
	text_put(t, "}");
}

/* An address; null if unknown */
static void key_address(struct text *t, const char *key, bool known,
			unsigned int family, const uint8_t *addr)
{
	char name[INET6_ADDRSTRLEN];

	text_printf(t, "\"%s\":", key);
	text_json(t, known ? cm_address(family, addr, name) : NULL);
	text_put(t, ",");
}

static void put_cm(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;
	bool rejected = r->code == RDMAEV_CM_REJECTED;
	bool local = body->known & RDMAEV_KNOWN_LOCAL_ADDR;
	bool peer = body->known & RDMAEV_KNOWN_PEER_ADDR;

	text_printf(t, ",\"cm\":{\"status\":%d,\"reason\":", body->status);
	text_json(t, rejected ? rdmaev_cm_reason_name(body->status) : NULL);
	text_printf(t, ",\"family\":%u,\"port_space\":%u,", body->family,
		    body->port_space);
	key_address(t, "local_addr", local, body->family, body->local_addr);
	key_related(t, "local_port", local, body->local_port);
	key_address(t, "peer_addr", peer, body->family, body->peer_addr);
	key_related(t, "peer_port", peer, body->peer_port);
	text_put(t, "\"owner\":");
	put_array(t, body->owner, sizeof(body->owner));
	text_put(t, ",");
	key_related(t, "uid", body->known & RDMAEV_KNOWN_UID, body->uid);
	key_related(t, "pid_ns", body->known & RDMAEV_KNOWN_UID, body->pid_ns);
	key_related(t, "cgroup", body->known & RDMAEV_KNOWN_CGROUP, body->cgroup);
	key_value(t, "qp_type", body->known & RDMAEV_KNOWN_QP_TYPE,
		  qp_type_name(body->qp_type), body->qp_type);
	if (body->known & RDMAEV_KNOWN_PEER_QPN)
		text_printf(t, "\"peer_qpn\":%u}", body->peer_qpn);
	else
		text_put(t, "\"peer_qpn\":null}");
}

static void put_note(struct text *t, const struct rdmaev_note_body *body)
{
	text_put(t, ",\"note\":{\"suppressed\":");
	text_json_number(t, body->suppressed);
	text_put(t, ",\"owner\":");
	put_array(t, body->owner, sizeof(body->owner));
	text_put(t, ",\"text\":");
	put_array(t, body->text, sizeof(body->text));
	text_put(t, "}");
}

void json_probe_error(struct text *t, unsigned int call, int error)
{
	const char *status = NULL;

	key_value(t, "call", call, probe_call_name(call), call);
	if (call || !error) {
		text_put(t, "\"status\":null,");
	} else {
		status = rdmaev_wc_status_name((unsigned int)error);
		key_value(t, "status", true, status, (unsigned int)error);
	}
	text_put(t, "\"errno\":");
	if (call && error)
		text_printf(t, "%d", error);
	else
		text_put(t, "null");
}

static void put_probe(struct text *t, const struct rdmaev_probe_body *body)
{
	text_put(t, ",\"probe\":{\"time_ns\":");
	text_json_number(t, body->time_ns);
	text_key_number(t, "sent", true, body->sent);
	text_put(t, ",");
	key_related(t, "qp", body->qp, body->qp);
	key_related(t, "cq", body->qp, body->cq);
	key_value(t, "method", body->method, probe_method_name(body->method),
		  body->method);
	json_probe_error(t, body->call, body->error);
	text_printf(t, ",\"in_cq\":%s}",
		    body->flags & RDMAEV_PROBE_IN_CQ ? "true" : "false");
}

static void put_lost(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_lost_body *body = &r->body.lost;

	text_put(t, ",\"lost\":{\"ring\":");
	if (ring_name(r->ring))
		text_json(t, ring_name(r->ring));
	else
		text_printf(t, "%u", r->ring);
	text_key_number(t, "first", true, body->first);
	text_key_number(t, "last", true, body->last);
	text_key_number(t, "count", true, body->count);
	text_put(t, "}");
}

RDMAEV_HAS_KINDS_UP_TO(PROBE);

void format_json(struct text *t, const struct rdmaev_record *r,
		 const uint64_t *instance)
{
	put_head(t, r, instance);
	switch (r->kind) {
	case RDMAEV_KIND_DEVICE:
		put_node(t, r);
		break;
	case RDMAEV_KIND_PORT:
		put_change(t, r);
		break;
	case RDMAEV_KIND_ASYNC:
		text_put(t, ",\"async\":{");
		put_object_info(t, &r->body.info);
		break;
	case RDMAEV_KIND_WC:
		put_wc(t, r);
		break;
	case RDMAEV_KIND_COMPLETION:
		put_completion(t, &r->body.completion);
		break;
	case RDMAEV_KIND_LOST:
		put_lost(t, r);
		break;
	case RDMAEV_KIND_QP:
		put_qp(t, r);
		break;
	case RDMAEV_KIND_OBSERVER:
		put_observer(t, &r->body.observer);
		break;
	case RDMAEV_KIND_CM:
		put_cm(t, r);
		break;
	case RDMAEV_KIND_NOTE:
		put_note(t, &r->body.note);
		break;
	case RDMAEV_KIND_PROBE:
		put_probe(t, &r->body.probe);
		break;
	}
	text_key_name(t, "source", source_name(r->source), r->source);
	text_key_name(t, "ring", ring_name(r->ring), r->ring);
	text_put(t, "}");
}
