// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Format an event as one JSON object. The keys and their order are fixed. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "catalogue.h"
#include "format.h"
#include "internal.h"

/* A string in an array of a record, which may lack its NUL; null if empty. */
static void put_array(struct text *t, const char *array, size_t size)
{
	char string[RDMAEV_NOTE_SIZE + 1];
	size_t len = strnlen(array, size);

	memcpy(string, array, len);
	string[len] = '\0';
	text_json(t, len ? string : NULL);
}

static void put_head(struct text *t, const struct rdmaev_record *r,
		     const uint64_t *instance)
{
	const struct rdmaev_object_info *info = &r->body.info;

	text_put(t, "{\"seq\":");
	text_number(t, r->seq);
	if (instance)
		text_printf(t, ",\"instance\":\"%016llx\"",
			    (unsigned long long)*instance);
	text_put(t, ",\"time\":");
	text_json_time(t, r->realtime_ns);
	text_put(t, ",\"boottime_ns\":");
	text_json_ns(t, true, r->boottime_ns);
	text_put(t, ",\"kind\":");
	text_json_name(t, true, kind_name(r->kind), r->kind);
	text_put(t, ",\"event\":\"");
	put_event_name(t, r->kind, r->code);
	text_put(t, "\",\"code\":");
	text_number(t, r->code);
	text_put(t, ",\"severity\":");
	text_json_name(t, true, severity_name(r->severity), r->severity);

	text_put(t, ",\"device\":");
	text_json(t, *r->device_name ? r->device_name : NULL);
	text_put(t, ",\"index\":");
	text_json_name(t, r->generation, NULL, r->device);
	text_put(t, ",\"generation\":");
	text_number(t, r->generation);
	text_put(t, ",\"port\":");
	text_json_name(t, r->port != RDMAEV_NO_PORT, NULL, r->port);

	text_put(t, ",\"object\":");
	text_json_name(t, r->object_type != RDMAEV_OBJECT_NONE, object_name(r->object_type),
		       r->object_type);
	text_put(t, ",\"object_id\":");
	text_json_name(t, event_has_object(r), NULL, r->object);

	text_put(t, ",\"count\":");
	text_number(t, r->count);
	text_put(t, ",\"cause\":");
	text_number(t, r->cause);
	text_put(t, ",\"pid\":");
	text_number(t, r->pid);
	text_put(t, ",\"comm\":");
	put_array(t, info->owner, event_has_known(r) && info->known & RDMAEV_KNOWN_UID ?
				  sizeof(info->owner) : 0);
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
		[RDMAEV_PORT_MTU] = "mtu",
	};

	return code < ARRAY_SIZE(names) ? names[code] : NULL;
}

/* null if it is unknown */
static void json_gid_value(struct text *t, bool is_known, const uint8_t *gid)
{
	if (!is_known)
		return text_put(t, "null");
	text_put(t, "\"");
	text_gid(t, gid);
	text_put(t, "\"");
}

static void key_port_value(struct text *t, const char *key, unsigned int code,
			   const union rdmaev_port_value *value)
{
	const char *name = NULL;

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
		text_key(t, key);
		return json_gid_value(t, true, value->gid);
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
	text_json_ns(t, true, body->down_since_ns);
	text_key_ns(t, "ns", true, body->down_ns);
	text_key_ns(t, "admin_ns", true, body->down_admin_ns);
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
	text_key_ns(t, "previous_ns", true, body->previous_ns);
	text_printf(t, ",\"outages\":%u", body->outages);
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
	text_key_ns(t, "removing_since_ns", body->removing_since_ns,
		    body->removing_since_ns);
	text_key_number(t, "remover_pid", body->remover_pid, body->remover_pid);
	text_put(t, ",\"remover_comm\":");
	text_json(t, *body->remover_comm ? body->remover_comm : NULL);
	text_put(t, ",\"netdev\":");
	text_json(t, *body->netdev ? body->netdev : NULL);
	if (body->netdev_change)
		text_key_name(t, "netdev_change", netdev_change_name(body->netdev_change),
			      body->netdev_change);
	else
		text_put(t, ",\"netdev_change\":null");
	text_put(t, "}");
}

/*
 * As strings, written as they are for people: a program that keeps numbers as
 * floating point would not find the same request again.
 */
static void json_wr_id(struct text *t, const struct rdmaev_record *r)
{
	unsigned long long wr_id = r->body.wc.wr_id;

	if (r->body.wc.info.known & RDMAEV_KNOWN_WR_ID)
		text_printf(t, "\"0x%llx\",\"wr_id_hash\":null", wr_id);
	else
		text_printf(t, "null,\"wr_id_hash\":\"%016llx\"", wr_id);
}

static void json_cm_status(struct text *t, const struct rdmaev_record *r)
{
	int status = r->body.cm.status;

	text_printf(t, "%d,\"reason\":", status);
	text_json(t, r->code == RDMAEV_CM_REJECTED ? rdmaev_cm_reason_name(status) : NULL);
}

static void json_cm_claimed(struct text *t, const struct rdmaev_record *r)
{
	text_put(t, r->body.cm.info.known & RDMAEV_KNOWN_CLAIMED ? "true" : "false");
}

/* An address; null if unknown */
static void json_address(struct text *t, const struct rdmaev_cm_body *body, uint32_t known,
			 const uint8_t *addr)
{
	char name[INET6_ADDRSTRLEN];

	text_json(t, body->info.known & known ? cm_address(body->family, addr, name) : NULL);
}

static void json_local_addr(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;

	json_address(t, body, RDMAEV_KNOWN_LOCAL_ADDR, body->local_addr);
}

static void json_peer_addr(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;

	json_address(t, body, RDMAEV_KNOWN_PEER_ADDR, body->peer_addr);
}

static void json_probe_cq(struct text *t, const struct rdmaev_record *r)
{
	text_json_name(t, r->body.probe.qp, NULL, r->body.probe.cq);
}

void json_probe_error(struct text *t, unsigned int call, int error)
{
	bool is_status = !call && error;

	text_json_name(t, call, probe_call_name(call), call);
	text_put(t, ",\"status\":");
	text_json_name(t, is_status, rdmaev_wc_status_name((unsigned int)error),
		       (unsigned int)error);
	text_put(t, ",\"errno\":");
	if (call && error)
		text_printf(t, "%d", error);
	else
		text_put(t, "null");
}

static void json_probe_call(struct text *t, const struct rdmaev_record *r)
{
	json_probe_error(t, r->body.probe.call, r->body.probe.error);
}

static void json_probe_in_cq(struct text *t, const struct rdmaev_record *r)
{
	text_put(t, r->body.probe.flags & RDMAEV_PROBE_IN_CQ ? "true" : "false");
}

/* How a field is written */
enum json_type {
	JSON_NUMBER,
	JSON_NS,
	JSON_SIGNED,
	JSON_NAME,	/* name of a number, or the number if it has none */
	JSON_BITS,	/* names of bits */
	JSON_TEXT,	/* null if it is empty */
	JSON_GID,
	JSON_BY_HAND,	/* by a function, and more keys perhaps */
};

/* In place of bits in known: a number that is null if it is 0 */
#define NOT_0	UINT32_MAX

/**
 * struct json_key - a key of a body
 * @key: the key, quoted, between a comma and a colon
 * @len: length of that
 * @type: &enum json_type
 * @offset: where the field is in the body
 * @size: bytes of the field
 * @known: bit in known without which it is null, 0: it never is, NOT_0
 * @name: JSON_NAME, JSON_BITS: gives the name of a number or bit
 * @put: JSON_BY_HAND: appends the value, and other keys after it
 */
struct json_key {
	const char *key;
	uint16_t len;
	enum json_type type;
	uint16_t offset;
	uint16_t size;
	uint32_t known;
	const char *(*name)(unsigned int number);
	void (*put)(struct text *t, const struct rdmaev_record *r);
};

#define KEY_TEXT(_key)	.key = ",\"" _key "\":", .len = sizeof(",\"" _key "\":") - 1

#define KEY(_key, body, field, _type, _known, _name) {			\
	KEY_TEXT(_key),							\
	.type = JSON_##_type,						\
	.offset = offsetof(struct rdmaev_##body, field),		\
	.size = sizeof(((struct rdmaev_##body *)0)->field),		\
	.known = _known,						\
	.name = _name,							\
}

#define KEY_BY_HAND(_key, _put) { KEY_TEXT(_key), .type = JSON_BY_HAND, .put = _put }

struct json_body {
	const char *name;
	const struct json_key *keys;
	size_t n;
};

/* By enum rdmaev_kind; those of which this file chooses what to say have no name. */
#include "json_bodies.h"

/* Fields are of 1, 2, 4 or 8 bytes. */
static unsigned long long number_at(const char *at, size_t size)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (size) {
	case sizeof(u64):
		memcpy(&u64, at, sizeof(u64));
		return u64;
	case sizeof(u32):
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case sizeof(u16):
		memcpy(&u16, at, sizeof(u16));
		return u16;
	}
	return (uint8_t)*at;
}

static void json_value(struct text *t, const struct json_key *key, const struct rdmaev_record *r)
{
	const char *at = (const char *)&r->body + key->offset;
	bool is_known = !key->known || key->known & r->body.info.known;
	unsigned long long number;

	switch (key->type) {
	case JSON_BY_HAND:
		return key->put(t, r);
	case JSON_TEXT:
		return put_array(t, at, is_known ? key->size : 0);
	case JSON_GID:
		return json_gid_value(t, is_known, (const uint8_t *)at);
	case JSON_SIGNED:
		return text_printf(t, "%d", *(const int32_t *)at);
	case JSON_BITS:
		return text_json_bits(t, (uint32_t)number_at(at, key->size), key->name);
	default:
		break;
	}
	number = number_at(at, key->size);
	if (key->known == NOT_0)
		is_known = number;
	if (key->type == JSON_NAME)
		text_json_name(t, is_known, key->name(number), number);
	else if (key->type == JSON_NS)
		text_json_ns(t, is_known, number);
	else
		text_json_name(t, is_known, NULL, number);
}

/* Bodies that are in JSON as they are */
static void put_body(struct text *t, const struct rdmaev_record *r)
{
	const struct json_body *body = &json_bodies[r->kind];
	unsigned int i;

	text_key(t, body->name);
	text_put(t, "{");
	for (i = 0; i < body->n; i++) {
		const struct json_key *key = &body->keys[i];

		/* The first has no comma. */
		text_bytes(t, key->key + !i, key->len - !i);
		json_value(t, key, r);
	}
	text_put(t, "}");
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
	case RDMAEV_KIND_LOST:
		put_lost(t, r);
		break;
	default:
		if (r->kind <= RDMAEV_KIND_MAX && json_bodies[r->kind].name)
			put_body(t, r);
	}
	text_key_name(t, "source", source_name(r->source), r->source);
	text_key_name(t, "ring", ring_name(r->ring), r->ring);
	text_put(t, "}");
}
