/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which attribute of the netlink family carries which field of the ABI: the one
 * table that the kernel encodes by, and library and tests decode by. Text is
 * sent as a string, an array as it is, everything else as a uint.
 */
#ifndef RDMAEV_ATTRIBUTES_H
#define RDMAEV_ATTRIBUTES_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>
#include <uapi/rdma/rdmaev_netlink.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <rdma/rdmaev.h>
#include <rdma/rdmaev_netlink.h>
#ifndef __maybe_unused
#define __maybe_unused	__attribute__((__unused__))
#endif
#endif

/**
 * struct rdmaev_attr - one attribute
 * @known: bits of rdmaev_body_known() with which it is sent, 0: always
 * @type: type of the attribute
 * @offset: offset of the field
 * @size: size of the field
 * @is_text: the field is a string, NUL-terminated
 */
struct rdmaev_attr {
	__u32 known;
	__u16 type;
	__u16 offset;
	__u16 size;
	bool is_text;
};

/**
 * struct rdmaev_attr_set - the attributes of a structure
 * @attrs: attributes
 * @n: number of @attrs
 * @type: of the body of a record: the attribute that the body is nested in; of
 *	a record: that of the position after it; of an entry of a list: that of
 *	the seq that the list is true of
 */
struct rdmaev_attr_set {
	const struct rdmaev_attr *attrs;
	__u16 n;
	__u16 type;
};

#define RDMAEV_ATTR(attr, name, field, bits) {				\
	.known = bits,							\
	.type = attr,							\
	.offset = offsetof(struct name, field),				\
	.size = sizeof(((struct name *)0)->field),			\
	.is_text = __builtin_types_compatible_p(			\
		__typeof__(((struct name *)0)->field),			\
		char [sizeof(((struct name *)0)->field)]),		\
}

#define RDMAEV_ATTR_SET(name, attr) {					\
	.attrs = name,							\
	.n = sizeof(name) / sizeof((name)[0]),				\
	.type = attr,							\
}

/* What a record about a port has, see rdmaev_body_known(). */
#define RDMAEV_PORT_NUMBERS	(1U << 0)
#define RDMAEV_PORT_GIDS	(1U << 1)
#define RDMAEV_PORT_OUTAGES	(1U << 2)

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_INFO_##attr, rdmaev_info, field, 0)
static const struct rdmaev_attr rdmaev_info_table[] = {
	A(ABI_VERSION, abi_version), A(FEATURES, features),
	A(INSTANCE, instance), A(RECORD_SIZE, record_size), A(RINGS, rings),
	A(RING_RECORDS, ring_records), A(OLDEST_SEQ, oldest_seq),
	A(NEWEST_SEQ, newest_seq),
	A(OBSERVER_OBSERVED, observer.observed), A(OBSERVER_GAPS, observer.gaps),
	A(OBSERVER_WAITING, observer.waiting),
	A(OBSERVER_MISSING, observer.missing), A(OBSERVER_BLIND, observer.blind),
	A(OBSERVER_FAILED, observer.failed), A(OBSERVER_OFF, observer.off),
};

#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_DEVICE_##attr, rdmaev_device, field, 0)
static const struct rdmaev_attr rdmaev_device_table[] = {
	A(INDEX, index), A(GENERATION, generation), A(PORTS, ports),
	A(NODE_TYPE, node_type), A(NODE_GUID, node_guid), A(SINCE_NS, since_ns),
	A(FLAGS, flags), A(SOURCES, sources), A(NAME, name), A(DRIVER, driver),
	A(LAST_SEQ, last_seq), A(LAST_BOOTTIME_NS, last_boottime_ns),
	A(LAST_REALTIME_NS, last_realtime_ns), A(LAST_PORT, last_port),
	A(LAST_KIND, last_kind), A(LAST_CODE, last_code), A(MISSING, missing),
};

#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_PORT_##attr, rdmaev_port, field, 0)
static const struct rdmaev_attr rdmaev_port_table[] = {
	A(DEVICE, device), A(GENERATION, generation), A(PORT, port),
	A(LINK_LAYER, link_layer), A(PROTOCOLS, protocols), A(STATE, state),
	A(PHYS_STATE, phys_state), A(LID, lid), A(SM_LID, sm_lid),
	A(SPEED, speed), A(WIDTH, width), A(FLAPS, flaps), A(GIDS, gids),
	A(PKEYS, pkeys), A(STATE_SINCE_NS, state_since_ns),
	A(TRANSITIONS, transitions), A(FLAGS, flags),
	A(OUTAGE_FLAGS, outage_flags), A(DOWN_SINCE_NS, down_since_ns),
	A(DOWN_LAST_NS, down_last_ns), A(DOWN_LONGEST_NS, down_longest_ns),
	A(DOWN_TOTAL_NS, down_total_ns), A(DOWN_ADMIN_NS, down_admin_ns),
	A(NETDEV, netdev), A(BEST_SPEED, best_speed), A(BEST_WIDTH, best_width),
	A(GID_TYPE, gid_type), A(GID, gid),
};

#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_COUNTER_##attr, rdmaev_counter, field, 0)
static const struct rdmaev_attr rdmaev_counter_table[] = {
	A(DEVICE, device), A(GENERATION, generation), A(PORT, port),
	A(KIND, kind), A(CODE, code), A(COUNT, count), A(LAST_SEQ, last_seq),
	A(LAST_BOOTTIME_NS, last_boottime_ns),
	A(LAST_REALTIME_NS, last_realtime_ns),
};

#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_CQ_##attr, rdmaev_cq_stats, field, 0)
static const struct rdmaev_attr rdmaev_cq_table[] = {
	A(ID, id), A(DEVICE, device), A(GENERATION, generation), A(CQ, cq),
	A(FLAGS, flags), A(CQS, cqs), A(CQE, cqe), A(PID, pid), A(UID, uid),
	A(SINCE_NS, since_ns), A(LAST_NS, last_ns),
	A(NOTIFICATIONS, notifications), A(POLLS, polls),
	A(EMPTY_POLLS, empty_polls), A(COMPLETIONS, completions),
	A(FAILURES, failures), A(OWNER, owner),
};

#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_PROBE_##attr, rdmaev_probe, field, 0)
static const struct rdmaev_attr rdmaev_probe_table[] = {
	A(DEVICE, device), A(GENERATION, generation), A(PORT, port),
	A(STATE, state), A(METHOD, method), A(INTERVAL_MS, interval_ms),
	A(QP, qp), A(CQ, cq), A(CALL, call), A(ERROR, error),
	A(SINCE_NS, since_ns), A(SENT, sent), A(COMPLETED, completed),
	A(FAILED, failed), A(LATE, late), A(LOST, lost), A(REBUILT, rebuilt),
	A(NEWEST_NS, newest_ns), A(LONGEST_NS, longest_ns), A(LATENCY, latency),
};

#undef A

/* The pid is sent where it is that of the receiver. */
#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_RECORD_##attr, rdmaev_record, field, 0)
static const struct rdmaev_attr rdmaev_record_table[] = {
	A(SEQ, seq), A(BOOTTIME_NS, boottime_ns), A(REALTIME_NS, realtime_ns),
	A(CAUSE, cause), A(DEVICE, device), A(GENERATION, generation),
	A(PORT, port), A(KIND, kind), A(CODE, code),
	A(OBJECT_TYPE, object_type), A(SEVERITY, severity), A(SOURCE, source),
	A(RING, ring), A(OBJECT, object), A(COUNT, count), A(PID, pid),
	A(DEVICE_NAME, device_name),
};

#undef A

#define A(attr, field) \
	RDMAEV_ATTR(RDMAEV_A_DEVICE_BODY_##attr, rdmaev_device_body, field, 0)
static const struct rdmaev_attr rdmaev_device_body_table[] = {
	A(NODE_GUID, node_guid), A(OLD_NAME, old_name), A(MISSING, missing),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_PORT_BODY_##attr, rdmaev_port_body, field, known)
static const struct rdmaev_attr rdmaev_port_body_table[] = {
	A(PREVIOUS_NS, previous_ns, 0), A(FLAPS, flaps, 0), A(INDEX, index, 0),
	A(BEFORE, before.number, RDMAEV_PORT_NUMBERS),
	A(AFTER, after.number, RDMAEV_PORT_NUMBERS),
	A(GID_BEFORE, before.gid, RDMAEV_PORT_GIDS),
	A(GID_AFTER, after.gid, RDMAEV_PORT_GIDS),
	A(GID_TYPE_BEFORE, gid_type_before, RDMAEV_PORT_GIDS),
	A(GID_TYPE_AFTER, gid_type_after, RDMAEV_PORT_GIDS),
	A(NETDEV_BEFORE, netdev_before, RDMAEV_PORT_GIDS),
	A(NETDEV_AFTER, netdev_after, RDMAEV_PORT_GIDS),
	A(DOWN_SINCE_NS, down_since_ns, RDMAEV_PORT_OUTAGES),
	A(DOWN_NS, down_ns, RDMAEV_PORT_OUTAGES),
	A(DOWN_ADMIN_NS, down_admin_ns, RDMAEV_PORT_OUTAGES),
	A(OUTAGE_FLAGS, outage_flags, RDMAEV_PORT_OUTAGES),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_ASYNC_BODY_##attr, rdmaev_object_info, field, known)
static const struct rdmaev_attr rdmaev_async_body_table[] = {
	A(KNOWN, known, 0), A(SEND_CQ, send_cq, 0), A(RECV_CQ, recv_cq, 0),
	A(SRQ, srq, 0), A(SOURCE_NAME, source_name, 0), A(COMM, comm, 0),
	A(UID, uid, RDMAEV_KNOWN_UID), A(PID_NS, pid_ns, RDMAEV_KNOWN_UID),
	A(QP_TYPE, qp_type, RDMAEV_KNOWN_QP_TYPE),
	A(QP_STATE, qp_state, RDMAEV_KNOWN_QP_STATE),
	A(CGROUP, cgroup, RDMAEV_KNOWN_CGROUP),
	A(PEER_QPN, peer_qpn, RDMAEV_KNOWN_PEER_QPN),
	A(PEER_LID, peer_lid, RDMAEV_KNOWN_PEER_LID),
	A(PEER_GID, peer_gid, RDMAEV_KNOWN_PEER_GID),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_WC_BODY_##attr, rdmaev_wc_body, field, known)
/* info comes first in the body. */
#define I(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_WC_BODY_##attr, rdmaev_object_info, field, known)
static const struct rdmaev_attr rdmaev_wc_body_table[] = {
	I(KNOWN, known, 0), I(SEND_CQ, send_cq, 0), I(RECV_CQ, recv_cq, 0),
	I(SRQ, srq, 0), I(SOURCE_NAME, source_name, 0), I(COMM, comm, 0),
	I(UID, uid, RDMAEV_KNOWN_UID),
	I(QP_TYPE, qp_type, RDMAEV_KNOWN_QP_TYPE),
	I(QP_STATE, qp_state, RDMAEV_KNOWN_QP_STATE),
	I(CGROUP, cgroup, RDMAEV_KNOWN_CGROUP),
	I(PEER_QPN, peer_qpn, RDMAEV_KNOWN_PEER_QPN),
	I(PEER_LID, peer_lid, RDMAEV_KNOWN_PEER_LID),
	I(PEER_GID, peer_gid, RDMAEV_KNOWN_PEER_GID),
	I(PID_NS, pid_ns, RDMAEV_KNOWN_UID),
	A(WR_ID, wr_id, 0), A(VENDOR_ERR, vendor_err, 0), A(OPCODE, opcode, 0),
	A(CQ, cq, 0), A(FOLDED, folded, 0),
};

#undef I
#undef A

#define A(attr, field) RDMAEV_ATTR(RDMAEV_A_COMPLETION_BODY_##attr, \
				   rdmaev_completion_body, field, 0)
static const struct rdmaev_attr rdmaev_completion_body_table[] = {
	A(TIME_NS, time_ns), A(NOTIFICATIONS, notifications),
	A(COMPLETIONS, completions), A(FAILURES, failures),
	A(EMPTY_POLLS, empty_polls), A(SOURCE_NAME, source_name),
};

#undef A

#define A(attr, field) \
	RDMAEV_ATTR(RDMAEV_A_LOST_BODY_##attr, rdmaev_lost_body, field, 0)
static const struct rdmaev_attr rdmaev_lost_body_table[] = {
	A(FIRST, first), A(LAST, last), A(COUNT, count),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_QP_BODY_##attr, rdmaev_qp_body, field, known)
static const struct rdmaev_attr rdmaev_qp_body_table[] = {
	A(KNOWN, known, 0), A(RESULT, result, 0), A(CALLER_PID, caller_pid, 0),
	A(SIGNAL, signal, 0), A(OWNER, owner, 0),
	A(CALLER_COMM, caller_comm, 0), A(CALLER, caller, 0),
	A(UID, uid, RDMAEV_KNOWN_UID), A(PID_NS, pid_ns, RDMAEV_KNOWN_UID),
	A(QP_TYPE, qp_type, RDMAEV_KNOWN_QP_TYPE),
	A(BEFORE, before, RDMAEV_KNOWN_QP_STATE),
	A(CGROUP, cgroup, RDMAEV_KNOWN_CGROUP),
	A(PEER_QPN, peer_qpn, RDMAEV_KNOWN_PEER_QPN),
	A(PEER_LID, peer_lid, RDMAEV_KNOWN_PEER_LID),
	A(PEER_GID, peer_gid, RDMAEV_KNOWN_PEER_GID),
	A(GID_INDEX, gid_index, RDMAEV_KNOWN_GID_INDEX),
	A(PATH_MTU, path_mtu, RDMAEV_KNOWN_PATH_MTU),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_OBSERVER_BODY_##attr, rdmaev_observer_body, field, known)
static const struct rdmaev_attr rdmaev_observer_body_table[] = {
	A(MECHANISMS, mechanisms, 0), A(FACTS, facts, 0),
	A(TIME_NS, time_ns, 0), A(KNOWN, known, 0),
	A(UID, uid, RDMAEV_KNOWN_UID),
};

#undef A

#define A(attr, field, known) \
	RDMAEV_ATTR(RDMAEV_A_CM_BODY_##attr, rdmaev_cm_body, field, known)
static const struct rdmaev_attr rdmaev_cm_body_table[] = {
	A(KNOWN, known, 0), A(STATUS, status, 0), A(FAMILY, family, 0),
	A(PORT_SPACE, port_space, 0), A(OWNER, owner, 0),
	A(LOCAL_PORT, local_port, RDMAEV_KNOWN_LOCAL_ADDR),
	A(LOCAL_ADDR, local_addr, RDMAEV_KNOWN_LOCAL_ADDR),
	A(PEER_PORT, peer_port, RDMAEV_KNOWN_PEER_ADDR),
	A(PEER_ADDR, peer_addr, RDMAEV_KNOWN_PEER_ADDR),
	A(UID, uid, RDMAEV_KNOWN_UID), A(PID_NS, pid_ns, RDMAEV_KNOWN_UID),
	A(QP_TYPE, qp_type, RDMAEV_KNOWN_QP_TYPE),
	A(CGROUP, cgroup, RDMAEV_KNOWN_CGROUP),
	A(PEER_QPN, peer_qpn, RDMAEV_KNOWN_PEER_QPN),
};

#undef A

#define A(attr, field) \
	RDMAEV_ATTR(RDMAEV_A_NOTE_BODY_##attr, rdmaev_note_body, field, 0)
static const struct rdmaev_attr rdmaev_note_body_table[] = {
	A(KNOWN, known), A(SUPPRESSED, suppressed), A(OWNER, owner),
	A(TEXT, text),
};

#undef A

#define A(attr, field) \
	RDMAEV_ATTR(RDMAEV_A_PROBE_BODY_##attr, rdmaev_probe_body, field, 0)
static const struct rdmaev_attr rdmaev_probe_body_table[] = {
	A(TIME_NS, time_ns), A(SENT, sent), A(QP, qp), A(CQ, cq),
	A(FLAGS, flags), A(METHOD, method), A(CALL, call), A(ERROR, error),
};

#undef A

static const struct rdmaev_attr_set __maybe_unused rdmaev_info_attrs =
	RDMAEV_ATTR_SET(rdmaev_info_table, 0);
static const struct rdmaev_attr_set __maybe_unused rdmaev_device_attrs =
	RDMAEV_ATTR_SET(rdmaev_device_table, RDMAEV_A_DEVICE_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_port_attrs =
	RDMAEV_ATTR_SET(rdmaev_port_table, RDMAEV_A_PORT_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_counter_attrs =
	RDMAEV_ATTR_SET(rdmaev_counter_table, RDMAEV_A_COUNTER_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_cq_attrs =
	RDMAEV_ATTR_SET(rdmaev_cq_table, RDMAEV_A_CQ_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_probe_attrs =
	RDMAEV_ATTR_SET(rdmaev_probe_table, RDMAEV_A_PROBE_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_record_attrs =
	RDMAEV_ATTR_SET(rdmaev_record_table, RDMAEV_A_RECORD_POSITION);

/* Bodies of records, by enum rdmaev_kind */
static const struct rdmaev_attr_set __maybe_unused rdmaev_body_attrs[] = {
	[RDMAEV_KIND_DEVICE] = RDMAEV_ATTR_SET(rdmaev_device_body_table,
					       RDMAEV_A_RECORD_DEVICE_BODY),
	[RDMAEV_KIND_PORT] = RDMAEV_ATTR_SET(rdmaev_port_body_table,
					     RDMAEV_A_RECORD_PORT_BODY),
	[RDMAEV_KIND_ASYNC] = RDMAEV_ATTR_SET(rdmaev_async_body_table,
					      RDMAEV_A_RECORD_ASYNC_BODY),
	[RDMAEV_KIND_WC] = RDMAEV_ATTR_SET(rdmaev_wc_body_table,
					   RDMAEV_A_RECORD_WC_BODY),
	[RDMAEV_KIND_COMPLETION] = RDMAEV_ATTR_SET(rdmaev_completion_body_table,
						   RDMAEV_A_RECORD_COMPLETION_BODY),
	[RDMAEV_KIND_LOST] = RDMAEV_ATTR_SET(rdmaev_lost_body_table,
					     RDMAEV_A_RECORD_LOST_BODY),
	[RDMAEV_KIND_QP] = RDMAEV_ATTR_SET(rdmaev_qp_body_table,
					   RDMAEV_A_RECORD_QP_BODY),
	[RDMAEV_KIND_OBSERVER] = RDMAEV_ATTR_SET(rdmaev_observer_body_table,
						 RDMAEV_A_RECORD_OBSERVER_BODY),
	[RDMAEV_KIND_CM] = RDMAEV_ATTR_SET(rdmaev_cm_body_table,
					   RDMAEV_A_RECORD_CM_BODY),
	[RDMAEV_KIND_NOTE] = RDMAEV_ATTR_SET(rdmaev_note_body_table,
					     RDMAEV_A_RECORD_NOTE_BODY),
	[RDMAEV_KIND_PROBE] = RDMAEV_ATTR_SET(rdmaev_probe_body_table,
					      RDMAEV_A_RECORD_PROBE_BODY),
};

/*
 * Fields of struct rdmaev_object_info that other bodies have in the same place,
 * so that one function reads them of all bodies about an object or its owner.
 */
#define RDMAEV_SAME_PLACE(body, its_field, field)			\
	static_assert(offsetof(struct body, its_field) ==		\
		      offsetof(struct rdmaev_object_info, field),	\
		      #its_field " is elsewhere")
RDMAEV_SAME_PLACE(rdmaev_qp_body, known, known);
RDMAEV_SAME_PLACE(rdmaev_qp_body, uid, uid);
RDMAEV_SAME_PLACE(rdmaev_qp_body, pid_ns, pid_ns);
RDMAEV_SAME_PLACE(rdmaev_qp_body, qp_type, qp_type);
RDMAEV_SAME_PLACE(rdmaev_qp_body, before, qp_state);
RDMAEV_SAME_PLACE(rdmaev_qp_body, cgroup, cgroup);
RDMAEV_SAME_PLACE(rdmaev_qp_body, peer_qpn, peer_qpn);
RDMAEV_SAME_PLACE(rdmaev_qp_body, peer_lid, peer_lid);
RDMAEV_SAME_PLACE(rdmaev_qp_body, peer_gid, peer_gid);
RDMAEV_SAME_PLACE(rdmaev_cm_body, known, known);
RDMAEV_SAME_PLACE(rdmaev_cm_body, uid, uid);
RDMAEV_SAME_PLACE(rdmaev_cm_body, pid_ns, pid_ns);
RDMAEV_SAME_PLACE(rdmaev_cm_body, qp_type, qp_type);
RDMAEV_SAME_PLACE(rdmaev_cm_body, cgroup, cgroup);
RDMAEV_SAME_PLACE(rdmaev_cm_body, peer_qpn, peer_qpn);
RDMAEV_SAME_PLACE(rdmaev_note_body, known, known);
RDMAEV_SAME_PLACE(rdmaev_observer_body, known, known);
RDMAEV_SAME_PLACE(rdmaev_observer_body, uid, uid);
RDMAEV_SAME_PLACE(rdmaev_observer_body, reserved2, pid_ns);

/* Which of the attributes of its body a record has, see struct rdmaev_attr. */
static inline __u32 rdmaev_body_known(const struct rdmaev_record *rec)
{
	switch (rec->kind) {
	case RDMAEV_KIND_PORT:
		if (rec->code == RDMAEV_PORT_GID)
			return RDMAEV_PORT_GIDS;
		return RDMAEV_PORT_NUMBERS |
		       (rec->body.port.down_since_ns ? RDMAEV_PORT_OUTAGES : 0);
	case RDMAEV_KIND_ASYNC:
	case RDMAEV_KIND_WC:
	case RDMAEV_KIND_QP:
	case RDMAEV_KIND_CM:
	case RDMAEV_KIND_NOTE:
	case RDMAEV_KIND_OBSERVER:
		return rec->body.info.known;
	default:
		return 0;
	}
}

#endif /* RDMAEV_ATTRIBUTES_H */
