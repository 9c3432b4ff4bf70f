// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the attributes of the netlink family to the structures of the ABI. Both
 * have the same names and numbers, so tables say all: what has no place is for
 * others, and what does not come is zero.
 */
#include <rdma/rdmaev_netlink.h>
#include <string.h>

#include "genl.h"

/**
 * struct field - where the value of an attribute goes
 * @type: type of the attribute
 * @text: a string
 * @offset: in the structure
 * @size: there
 */
struct field {
	uint8_t type;
	bool text;
	uint16_t offset;
	uint16_t size;
};

#define NUMBER(attr, type, member) \
	{ attr, false, offsetof(type, member), sizeof(((type *)NULL)->member) }
#define TEXT(attr, type, member) \
	{ attr, true, offsetof(type, member), sizeof(((type *)NULL)->member) }

static const struct field info_fields[] = {
	NUMBER(RDMAEV_A_INFO_ABI_VERSION, struct rdmaev_info, abi_version),
	NUMBER(RDMAEV_A_INFO_FEATURES, struct rdmaev_info, features),
	NUMBER(RDMAEV_A_INFO_INSTANCE, struct rdmaev_info, instance),
	NUMBER(RDMAEV_A_INFO_RECORD_SIZE, struct rdmaev_info, record_size),
	NUMBER(RDMAEV_A_INFO_RINGS, struct rdmaev_info, rings),
	NUMBER(RDMAEV_A_INFO_RING_RECORDS, struct rdmaev_info, ring_records),
	NUMBER(RDMAEV_A_INFO_OLDEST_SEQ, struct rdmaev_info, oldest_seq),
	NUMBER(RDMAEV_A_INFO_NEWEST_SEQ, struct rdmaev_info, newest_seq),
};

static const struct field device_fields[] = {
	NUMBER(RDMAEV_A_DEVICE_INDEX, struct rdmaev_device, index),
	NUMBER(RDMAEV_A_DEVICE_GENERATION, struct rdmaev_device, generation),
	NUMBER(RDMAEV_A_DEVICE_PORTS, struct rdmaev_device, ports),
	NUMBER(RDMAEV_A_DEVICE_NODE_TYPE, struct rdmaev_device, node_type),
	NUMBER(RDMAEV_A_DEVICE_NODE_GUID, struct rdmaev_device, node_guid),
	NUMBER(RDMAEV_A_DEVICE_SINCE_NS, struct rdmaev_device, since_ns),
	NUMBER(RDMAEV_A_DEVICE_FLAGS, struct rdmaev_device, flags),
	NUMBER(RDMAEV_A_DEVICE_SOURCES, struct rdmaev_device, sources),
	TEXT(RDMAEV_A_DEVICE_NAME, struct rdmaev_device, name),
	TEXT(RDMAEV_A_DEVICE_DRIVER, struct rdmaev_device, driver),
	NUMBER(RDMAEV_A_DEVICE_LAST_SEQ, struct rdmaev_device, last_seq),
	NUMBER(RDMAEV_A_DEVICE_LAST_BOOTTIME_NS, struct rdmaev_device, last_boottime_ns),
	NUMBER(RDMAEV_A_DEVICE_LAST_REALTIME_NS, struct rdmaev_device, last_realtime_ns),
	NUMBER(RDMAEV_A_DEVICE_LAST_PORT, struct rdmaev_device, last_port),
	NUMBER(RDMAEV_A_DEVICE_LAST_KIND, struct rdmaev_device, last_kind),
	NUMBER(RDMAEV_A_DEVICE_LAST_CODE, struct rdmaev_device, last_code),
};

static const struct field port_fields[] = {
	NUMBER(RDMAEV_A_PORT_DEVICE, struct rdmaev_port, device),
	NUMBER(RDMAEV_A_PORT_GENERATION, struct rdmaev_port, generation),
	NUMBER(RDMAEV_A_PORT_PORT, struct rdmaev_port, port),
	NUMBER(RDMAEV_A_PORT_LINK_LAYER, struct rdmaev_port, link_layer),
	NUMBER(RDMAEV_A_PORT_PROTOCOLS, struct rdmaev_port, protocols),
	NUMBER(RDMAEV_A_PORT_STATE, struct rdmaev_port, state),
	NUMBER(RDMAEV_A_PORT_PHYS_STATE, struct rdmaev_port, phys_state),
	NUMBER(RDMAEV_A_PORT_LID, struct rdmaev_port, lid),
	NUMBER(RDMAEV_A_PORT_SM_LID, struct rdmaev_port, sm_lid),
	NUMBER(RDMAEV_A_PORT_SPEED, struct rdmaev_port, speed),
	NUMBER(RDMAEV_A_PORT_WIDTH, struct rdmaev_port, width),
	NUMBER(RDMAEV_A_PORT_FLAPS, struct rdmaev_port, flaps),
	NUMBER(RDMAEV_A_PORT_GIDS, struct rdmaev_port, gids),
	NUMBER(RDMAEV_A_PORT_PKEYS, struct rdmaev_port, pkeys),
	NUMBER(RDMAEV_A_PORT_STATE_SINCE_NS, struct rdmaev_port, state_since_ns),
	NUMBER(RDMAEV_A_PORT_TRANSITIONS, struct rdmaev_port, transitions),
	NUMBER(RDMAEV_A_PORT_UP_SHORTEST_NS, struct rdmaev_port, up_shortest_ns),
	NUMBER(RDMAEV_A_PORT_UP_LONGEST_NS, struct rdmaev_port, up_longest_ns),
	NUMBER(RDMAEV_A_PORT_FLAGS, struct rdmaev_port, flags),
};

static const struct field counter_fields[] = {
	NUMBER(RDMAEV_A_COUNTER_DEVICE, struct rdmaev_counter, device),
	NUMBER(RDMAEV_A_COUNTER_GENERATION, struct rdmaev_counter, generation),
	NUMBER(RDMAEV_A_COUNTER_PORT, struct rdmaev_counter, port),
	NUMBER(RDMAEV_A_COUNTER_KIND, struct rdmaev_counter, kind),
	NUMBER(RDMAEV_A_COUNTER_CODE, struct rdmaev_counter, code),
	NUMBER(RDMAEV_A_COUNTER_COUNT, struct rdmaev_counter, count),
	NUMBER(RDMAEV_A_COUNTER_LAST_SEQ, struct rdmaev_counter, last_seq),
	NUMBER(RDMAEV_A_COUNTER_LAST_BOOTTIME_NS, struct rdmaev_counter, last_boottime_ns),
	NUMBER(RDMAEV_A_COUNTER_LAST_REALTIME_NS, struct rdmaev_counter, last_realtime_ns),
};

static const struct field cq_fields[] = {
	NUMBER(RDMAEV_A_CQ_ID, struct rdmaev_cq_stats, id),
	NUMBER(RDMAEV_A_CQ_DEVICE, struct rdmaev_cq_stats, device),
	NUMBER(RDMAEV_A_CQ_GENERATION, struct rdmaev_cq_stats, generation),
	NUMBER(RDMAEV_A_CQ_CQ, struct rdmaev_cq_stats, cq),
	NUMBER(RDMAEV_A_CQ_FLAGS, struct rdmaev_cq_stats, flags),
	NUMBER(RDMAEV_A_CQ_CQS, struct rdmaev_cq_stats, cqs),
	NUMBER(RDMAEV_A_CQ_CQE, struct rdmaev_cq_stats, cqe),
	NUMBER(RDMAEV_A_CQ_LARGEST_BATCH, struct rdmaev_cq_stats, largest_batch),
	NUMBER(RDMAEV_A_CQ_MODERATION_COUNT, struct rdmaev_cq_stats, moderation_count),
	NUMBER(RDMAEV_A_CQ_MODERATION_US, struct rdmaev_cq_stats, moderation_us),
	NUMBER(RDMAEV_A_CQ_SINCE_NS, struct rdmaev_cq_stats, since_ns),
	NUMBER(RDMAEV_A_CQ_LAST_NS, struct rdmaev_cq_stats, last_ns),
	NUMBER(RDMAEV_A_CQ_NOTIFICATIONS, struct rdmaev_cq_stats, notifications),
	NUMBER(RDMAEV_A_CQ_POLLS, struct rdmaev_cq_stats, polls),
	NUMBER(RDMAEV_A_CQ_EMPTY_POLLS, struct rdmaev_cq_stats, empty_polls),
	NUMBER(RDMAEV_A_CQ_ARMS, struct rdmaev_cq_stats, arms),
	NUMBER(RDMAEV_A_CQ_MISSED_EVENTS, struct rdmaev_cq_stats, missed_events),
	NUMBER(RDMAEV_A_CQ_COMPLETIONS, struct rdmaev_cq_stats, completions),
	NUMBER(RDMAEV_A_CQ_FAILURES, struct rdmaev_cq_stats, failures),
	TEXT(RDMAEV_A_CQ_OWNER, struct rdmaev_cq_stats, owner),
};

static const struct field record_fields[] = {
	NUMBER(RDMAEV_A_RECORD_SEQ, struct rdmaev_record, seq),
	NUMBER(RDMAEV_A_RECORD_BOOTTIME_NS, struct rdmaev_record, boottime_ns),
	NUMBER(RDMAEV_A_RECORD_REALTIME_NS, struct rdmaev_record, realtime_ns),
	NUMBER(RDMAEV_A_RECORD_CAUSE, struct rdmaev_record, cause),
	NUMBER(RDMAEV_A_RECORD_DEVICE, struct rdmaev_record, device),
	NUMBER(RDMAEV_A_RECORD_GENERATION, struct rdmaev_record, generation),
	NUMBER(RDMAEV_A_RECORD_PORT, struct rdmaev_record, port),
	NUMBER(RDMAEV_A_RECORD_KIND, struct rdmaev_record, kind),
	NUMBER(RDMAEV_A_RECORD_CODE, struct rdmaev_record, code),
	NUMBER(RDMAEV_A_RECORD_OBJECT_TYPE, struct rdmaev_record, object_type),
	NUMBER(RDMAEV_A_RECORD_SEVERITY, struct rdmaev_record, severity),
	NUMBER(RDMAEV_A_RECORD_SOURCE, struct rdmaev_record, source),
	NUMBER(RDMAEV_A_RECORD_RING, struct rdmaev_record, ring),
	NUMBER(RDMAEV_A_RECORD_OBJECT, struct rdmaev_record, object),
	NUMBER(RDMAEV_A_RECORD_COUNT, struct rdmaev_record, count),
	NUMBER(RDMAEV_A_RECORD_PID, struct rdmaev_record, pid),
	TEXT(RDMAEV_A_RECORD_DEVICE_NAME, struct rdmaev_record, device_name),
};

static const struct field device_body_fields[] = {
	NUMBER(RDMAEV_A_DEVICE_BODY_NODE_GUID, struct rdmaev_device_body, node_guid),
	TEXT(RDMAEV_A_DEVICE_BODY_OLD_NAME, struct rdmaev_device_body, old_name),
};

static const struct field port_body_fields[] = {
	NUMBER(RDMAEV_A_PORT_BODY_PREVIOUS_NS, struct rdmaev_port_body, previous_ns),
	NUMBER(RDMAEV_A_PORT_BODY_FLAPS, struct rdmaev_port_body, flaps),
	NUMBER(RDMAEV_A_PORT_BODY_INDEX, struct rdmaev_port_body, index),
	NUMBER(RDMAEV_A_PORT_BODY_BEFORE, struct rdmaev_port_body, before.number),
	NUMBER(RDMAEV_A_PORT_BODY_AFTER, struct rdmaev_port_body, after.number),
	NUMBER(RDMAEV_A_PORT_BODY_GID_BEFORE, struct rdmaev_port_body, before.gid),
	NUMBER(RDMAEV_A_PORT_BODY_GID_AFTER, struct rdmaev_port_body, after.gid),
	NUMBER(RDMAEV_A_PORT_BODY_GID_TYPE_BEFORE, struct rdmaev_port_body, gid_type_before),
	NUMBER(RDMAEV_A_PORT_BODY_GID_TYPE_AFTER, struct rdmaev_port_body, gid_type_after),
	NUMBER(RDMAEV_A_PORT_BODY_NETDEV_BEFORE, struct rdmaev_port_body, netdev_before),
	NUMBER(RDMAEV_A_PORT_BODY_NETDEV_AFTER, struct rdmaev_port_body, netdev_after),
};

static const struct field async_body_fields[] = {
	NUMBER(RDMAEV_A_ASYNC_BODY_KNOWN, struct rdmaev_async_body, known),
	NUMBER(RDMAEV_A_ASYNC_BODY_SEND_CQ, struct rdmaev_async_body, send_cq),
	NUMBER(RDMAEV_A_ASYNC_BODY_RECV_CQ, struct rdmaev_async_body, recv_cq),
	NUMBER(RDMAEV_A_ASYNC_BODY_SRQ, struct rdmaev_async_body, srq),
	TEXT(RDMAEV_A_ASYNC_BODY_SOURCE_NAME, struct rdmaev_async_body, source_name),
	TEXT(RDMAEV_A_ASYNC_BODY_COMM, struct rdmaev_async_body, comm),
	NUMBER(RDMAEV_A_ASYNC_BODY_UID, struct rdmaev_async_body, uid),
	NUMBER(RDMAEV_A_ASYNC_BODY_QP_TYPE, struct rdmaev_async_body, qp_type),
	NUMBER(RDMAEV_A_ASYNC_BODY_QP_STATE, struct rdmaev_async_body, qp_state),
	NUMBER(RDMAEV_A_ASYNC_BODY_CGROUP, struct rdmaev_async_body, cgroup),
	NUMBER(RDMAEV_A_ASYNC_BODY_PEER_QPN, struct rdmaev_async_body, peer_qpn),
	NUMBER(RDMAEV_A_ASYNC_BODY_PEER_LID, struct rdmaev_async_body, peer_lid),
	NUMBER(RDMAEV_A_ASYNC_BODY_PEER_GID, struct rdmaev_async_body, peer_gid),
	NUMBER(RDMAEV_A_ASYNC_BODY_PID_NS, struct rdmaev_async_body, pid_ns),
};

static const struct field wc_body_fields[] = {
	NUMBER(RDMAEV_A_WC_BODY_KNOWN, struct rdmaev_wc_body, known),
	NUMBER(RDMAEV_A_WC_BODY_SEND_CQ, struct rdmaev_wc_body, send_cq),
	NUMBER(RDMAEV_A_WC_BODY_RECV_CQ, struct rdmaev_wc_body, recv_cq),
	NUMBER(RDMAEV_A_WC_BODY_SRQ, struct rdmaev_wc_body, srq),
	NUMBER(RDMAEV_A_WC_BODY_WR_ID, struct rdmaev_wc_body, wr_id),
	NUMBER(RDMAEV_A_WC_BODY_VENDOR_ERR, struct rdmaev_wc_body, vendor_err),
	NUMBER(RDMAEV_A_WC_BODY_OPCODE, struct rdmaev_wc_body, opcode),
	NUMBER(RDMAEV_A_WC_BODY_CQ, struct rdmaev_wc_body, cq),
	NUMBER(RDMAEV_A_WC_BODY_FOLDED, struct rdmaev_wc_body, folded),
	TEXT(RDMAEV_A_WC_BODY_SOURCE_NAME, struct rdmaev_wc_body, source_name),
	TEXT(RDMAEV_A_WC_BODY_COMM, struct rdmaev_wc_body, comm),
	NUMBER(RDMAEV_A_WC_BODY_UID, struct rdmaev_wc_body, uid),
	NUMBER(RDMAEV_A_WC_BODY_QP_TYPE, struct rdmaev_wc_body, qp_type),
	NUMBER(RDMAEV_A_WC_BODY_QP_STATE, struct rdmaev_wc_body, qp_state),
	NUMBER(RDMAEV_A_WC_BODY_CGROUP, struct rdmaev_wc_body, cgroup),
	NUMBER(RDMAEV_A_WC_BODY_PEER_QPN, struct rdmaev_wc_body, peer_qpn),
	NUMBER(RDMAEV_A_WC_BODY_PEER_LID, struct rdmaev_wc_body, peer_lid),
	NUMBER(RDMAEV_A_WC_BODY_PEER_GID, struct rdmaev_wc_body, peer_gid),
};

static const struct field completion_body_fields[] = {
	NUMBER(RDMAEV_A_COMPLETION_BODY_TIME_NS, struct rdmaev_completion_body, time_ns),
	NUMBER(RDMAEV_A_COMPLETION_BODY_NOTIFICATIONS, struct rdmaev_completion_body,
	       notifications),
	NUMBER(RDMAEV_A_COMPLETION_BODY_COMPLETIONS, struct rdmaev_completion_body, completions),
	NUMBER(RDMAEV_A_COMPLETION_BODY_FAILURES, struct rdmaev_completion_body, failures),
	NUMBER(RDMAEV_A_COMPLETION_BODY_EMPTY_POLLS, struct rdmaev_completion_body, empty_polls),
	TEXT(RDMAEV_A_COMPLETION_BODY_SOURCE_NAME, struct rdmaev_completion_body,
	     source_name),
};

static const struct field lost_body_fields[] = {
	NUMBER(RDMAEV_A_LOST_BODY_FIRST, struct rdmaev_lost_body, first),
	NUMBER(RDMAEV_A_LOST_BODY_LAST, struct rdmaev_lost_body, last),
	NUMBER(RDMAEV_A_LOST_BODY_COUNT, struct rdmaev_lost_body, count),
};

/* A number of 4 or 8 bytes. */
static bool number(const struct attr *attr, uint64_t *value)
{
	uint32_t small;

	if (attr->size == sizeof(*value)) {
		memcpy(value, attr->data, sizeof(*value));
		return true;
	}
	if (attr->size != sizeof(small))
		return false;
	memcpy(&small, attr->data, sizeof(small));
	*value = small;
	return true;
}

/* Returns false if the number does not fit. */
static bool store_number(const struct field *field, uint64_t value, char *dst)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (field->size) {
	case sizeof(u8):
		*dst = (char)u8;
		return u8 == value;
	case sizeof(u16):
		memcpy(dst, &u16, sizeof(u16));
		return u16 == value;
	case sizeof(u32):
		memcpy(dst, &u32, sizeof(u32));
		return u32 == value;
	default:
		memcpy(dst, &value, sizeof(value));
		return true;
	}
}

/* An array may be longer or shorter than here. */
static bool store(const struct field *field, const struct attr *attr, char *dst)
{
	size_t size = attr->size < field->size ? attr->size : field->size;
	uint64_t value;

	if (field->size <= sizeof(value))
		return number(attr, &value) &&
		       store_number(field, value, dst + field->offset);
	memcpy(dst + field->offset, attr->data, size);
	if (field->text)
		dst[field->offset + field->size - 1] = '\0';
	return true;
}

/* Into @dst, which is zero. Returns how many were found. */
static unsigned int parse(const struct field *fields, size_t n, struct attrs attrs,
			  void *dst)
{
	unsigned int found = 0;
	struct attr attr;
	size_t i;

	while (attr_next(&attrs, &attr)) {
		for (i = 0; i < n; i++) {
			if (fields[i].type == attr.type)
				found += store(&fields[i], &attr, dst);
		}
	}
	return found;
}

#define PARSE(fields, attrs, dst) \
	parse(fields, ARRAY_SIZE(fields), attrs, dst)

static void parse_seq(unsigned int type, struct attrs attrs, uint64_t *seq)
{
	struct attr attr;

	while (attr_next(&attrs, &attr)) {
		if (attr.type == type)
			number(&attr, seq);
	}
}

bool parse_info(struct attrs attrs, struct rdmaev_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return PARSE(info_fields, attrs, info);
}

bool parse_device(struct attrs attrs, void *device, uint64_t *seq)
{
	memset(device, 0, sizeof(struct rdmaev_device));
	parse_seq(RDMAEV_A_DEVICE_SEQ, attrs, seq);
	return PARSE(device_fields, attrs, device);
}

bool parse_port(struct attrs attrs, void *port, uint64_t *seq)
{
	memset(port, 0, sizeof(struct rdmaev_port));
	parse_seq(RDMAEV_A_PORT_SEQ, attrs, seq);
	return PARSE(port_fields, attrs, port);
}

bool parse_counter(struct attrs attrs, void *counter, uint64_t *seq)
{
	memset(counter, 0, sizeof(struct rdmaev_counter));
	parse_seq(RDMAEV_A_COUNTER_SEQ, attrs, seq);
	return PARSE(counter_fields, attrs, counter);
}

bool parse_cq(struct attrs attrs, void *cq, uint64_t *seq)
{
	memset(cq, 0, sizeof(struct rdmaev_cq_stats));
	parse_seq(RDMAEV_A_CQ_SEQ, attrs, seq);
	return PARSE(cq_fields, attrs, cq);
}

static void parse_body(const struct attr *attr, struct rdmaev_record *record)
{
	struct attrs nested = { .at = attr->data, .left = attr->size };

	switch (attr->type) {
	case RDMAEV_A_RECORD_DEVICE_BODY:
		PARSE(device_body_fields, nested, &record->body);
		break;
	case RDMAEV_A_RECORD_PORT_BODY:
		PARSE(port_body_fields, nested, &record->body);
		break;
	case RDMAEV_A_RECORD_ASYNC_BODY:
		PARSE(async_body_fields, nested, &record->body);
		break;
	case RDMAEV_A_RECORD_WC_BODY:
		PARSE(wc_body_fields, nested, &record->body);
		break;
	case RDMAEV_A_RECORD_COMPLETION_BODY:
		PARSE(completion_body_fields, nested, &record->body);
		break;
	case RDMAEV_A_RECORD_LOST_BODY:
		PARSE(lost_body_fields, nested, &record->body);
		break;
	}
}

bool parse_record(struct attrs attrs, struct rdmaev_record *record,
		  uint64_t *position)
{
	struct attrs bodies = attrs;
	struct attr attr;

	memset(record, 0, sizeof(*record));
	parse_seq(RDMAEV_A_RECORD_POSITION, attrs, position);
	if (!PARSE(record_fields, attrs, record))
		return false;
	while (attr_next(&bodies, &attr))
		parse_body(&attr, record);
	return true;
}
