/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Made from include/rdmaev.yaml: selftests/described --write */
#ifndef ULIB_JSON_BODIES_H
#define ULIB_JSON_BODIES_H

static const struct json_key async_keys[] = {
	KEY("pid_ns", async_body, info.pid_ns, NUMBER, RDMAEV_KNOWN_PID_NS, NULL),
	KEY("send_cq", async_body, queues.send_cq, NUMBER, RDMAEV_KNOWN_SEND_CQ, NULL),
	KEY("recv_cq", async_body, queues.recv_cq, NUMBER, RDMAEV_KNOWN_RECV_CQ, NULL),
	KEY("srq", async_body, queues.srq, NUMBER, RDMAEV_KNOWN_SRQ, NULL),
	KEY("owner", async_body, info.owner, TEXT, 0, NULL),
	KEY("uid", async_body, info.uid, NUMBER, RDMAEV_KNOWN_UID, NULL),
	KEY("cgroup", async_body, info.cgroup, NUMBER, RDMAEV_KNOWN_CGROUP, NULL),
	KEY("qp_type", async_body, info.qp_type, NAME, RDMAEV_KNOWN_QP_TYPE, qp_type_name),
	KEY("qp_state", async_body, info.qp_state, NAME, RDMAEV_KNOWN_QP_STATE,
	    rdmaev_qp_state_name),
	KEY("peer_qpn", async_body, peer.qpn, NUMBER, RDMAEV_KNOWN_PEER_QPN, NULL),
	KEY("peer_lid", async_body, peer.lid, NUMBER, RDMAEV_KNOWN_PEER_LID, NULL),
	KEY("peer_gid", async_body, peer.gid, GID, RDMAEV_KNOWN_PEER_GID, NULL),
};

static const struct json_key wc_keys[] = {
	KEY("vendor_err", wc_body, vendor_err, NUMBER, 0, NULL),
	KEY("opcode", wc_body, opcode, NAME, 0, rdmaev_wc_opcode_name),
	KEY_BY_HAND("wr_id", json_wr_id),
	KEY("cq", wc_body, cq, NUMBER, RDMAEV_KNOWN_CQ, NULL),
	KEY("folded", wc_body, folded, NUMBER, 0, NULL),
	KEY("pid_ns", wc_body, info.pid_ns, NUMBER, RDMAEV_KNOWN_PID_NS, NULL),
	KEY("send_cq", wc_body, queues.send_cq, NUMBER, RDMAEV_KNOWN_SEND_CQ, NULL),
	KEY("recv_cq", wc_body, queues.recv_cq, NUMBER, RDMAEV_KNOWN_RECV_CQ, NULL),
	KEY("srq", wc_body, queues.srq, NUMBER, RDMAEV_KNOWN_SRQ, NULL),
	KEY("owner", wc_body, info.owner, TEXT, 0, NULL),
	KEY("uid", wc_body, info.uid, NUMBER, RDMAEV_KNOWN_UID, NULL),
	KEY("cgroup", wc_body, info.cgroup, NUMBER, RDMAEV_KNOWN_CGROUP, NULL),
	KEY("qp_type", wc_body, info.qp_type, NAME, RDMAEV_KNOWN_QP_TYPE, qp_type_name),
	KEY("qp_state", wc_body, info.qp_state, NAME, RDMAEV_KNOWN_QP_STATE, rdmaev_qp_state_name),
	KEY("peer_qpn", wc_body, peer.qpn, NUMBER, RDMAEV_KNOWN_PEER_QPN, NULL),
	KEY("peer_lid", wc_body, peer.lid, NUMBER, RDMAEV_KNOWN_PEER_LID, NULL),
	KEY("peer_gid", wc_body, peer.gid, GID, RDMAEV_KNOWN_PEER_GID, NULL),
};

static const struct json_key completion_keys[] = {
	KEY("time_ns", completion_body, time_ns, NS, 0, NULL),
	KEY("notifications", completion_body, notifications, NUMBER, 0, NULL),
	KEY("completions", completion_body, completions, NUMBER, 0, NULL),
	KEY("failures", completion_body, failures, NUMBER, 0, NULL),
	KEY("empty_polls", completion_body, empty_polls, NUMBER, 0, NULL),
	KEY("owner", completion_body, info.owner, TEXT, 0, NULL),
};

static const struct json_key qp_keys[] = {
	KEY("before", qp_body, info.qp_state, NAME, RDMAEV_KNOWN_QP_STATE, rdmaev_qp_state_name),
	KEY("result", qp_body, result, SIGNED, 0, NULL),
	KEY("signal", qp_body, signal, NUMBER, NOT_0, NULL),
	KEY("owner", qp_body, info.owner, TEXT, 0, NULL),
	KEY("uid", qp_body, info.uid, NUMBER, RDMAEV_KNOWN_UID, NULL),
	KEY("pid_ns", qp_body, info.pid_ns, NUMBER, RDMAEV_KNOWN_PID_NS, NULL),
	KEY("cgroup", qp_body, info.cgroup, NUMBER, RDMAEV_KNOWN_CGROUP, NULL),
	KEY("qp_type", qp_body, info.qp_type, NAME, RDMAEV_KNOWN_QP_TYPE, qp_type_name),
	KEY("caller", qp_body, origin.caller, TEXT, RDMAEV_KNOWN_CALLER, NULL),
	KEY("caller_pid", qp_body, caller_pid, NUMBER, NOT_0, NULL),
	KEY("caller_comm", qp_body, caller_comm, TEXT, 0, NULL),
	KEY("gid_index", qp_body, gid_index, NUMBER, RDMAEV_KNOWN_GID_INDEX, NULL),
	KEY("gid", qp_body, origin.gid, GID, RDMAEV_KNOWN_GID, NULL),
	KEY("path_mtu", qp_body, path_mtu, NUMBER, RDMAEV_KNOWN_PATH_MTU, NULL),
	KEY("peer_qpn", qp_body, peer.qpn, NUMBER, RDMAEV_KNOWN_PEER_QPN, NULL),
	KEY("peer_lid", qp_body, peer.lid, NUMBER, RDMAEV_KNOWN_PEER_LID, NULL),
	KEY("peer_gid", qp_body, peer.gid, GID, RDMAEV_KNOWN_PEER_GID, NULL),
	KEY("flags", qp_body, flags, BITS, 0, qp_flag_name),
};

static const struct json_key observer_keys[] = {
	KEY("facts", observer_body, facts, BITS, 0, observed_name),
	KEY("time_ns", observer_body, time_ns, NS, 0, NULL),
	KEY("uid", observer_body, info.uid, NUMBER, RDMAEV_KNOWN_UID, NULL),
};

static const struct json_key cm_keys[] = {
	KEY_BY_HAND("claimed", json_cm_claimed),
	KEY_BY_HAND("status", json_cm_status),
	KEY("family", cm_body, family, NUMBER, 0, NULL),
	KEY("port_space", cm_body, port_space, NUMBER, 0, NULL),
	KEY_BY_HAND("local_addr", json_local_addr),
	KEY("local_port", cm_body, local_port, NUMBER, RDMAEV_KNOWN_LOCAL_ADDR, NULL),
	KEY_BY_HAND("peer_addr", json_peer_addr),
	KEY("peer_port", cm_body, peer_port, NUMBER, RDMAEV_KNOWN_PEER_ADDR, NULL),
	KEY("owner", cm_body, info.owner, TEXT, 0, NULL),
	KEY("uid", cm_body, info.uid, NUMBER, RDMAEV_KNOWN_UID, NULL),
	KEY("pid_ns", cm_body, info.pid_ns, NUMBER, RDMAEV_KNOWN_PID_NS, NULL),
	KEY("cgroup", cm_body, info.cgroup, NUMBER, RDMAEV_KNOWN_CGROUP, NULL),
	KEY("qp_type", cm_body, info.qp_type, NAME, RDMAEV_KNOWN_QP_TYPE, qp_type_name),
	KEY("peer_qpn", cm_body, peer_qpn, NUMBER, RDMAEV_KNOWN_PEER_QPN, NULL),
	KEY("connecting_ns", cm_body, connecting_ns, NS, 0, NULL),
};

static const struct json_key note_keys[] = {
	KEY("suppressed", note_body, suppressed, NUMBER, 0, NULL),
	KEY("owner", note_body, info.owner, TEXT, 0, NULL),
	KEY("text", note_body, text, TEXT, 0, NULL),
};

static const struct json_key probe_keys[] = {
	KEY("time_ns", probe_body, time_ns, NS, 0, NULL),
	KEY("sent", probe_body, sent, NUMBER, 0, NULL),
	KEY("qp", probe_body, qp, NUMBER, NOT_0, NULL),
	KEY_BY_HAND("cq", json_probe_cq),
	KEY("method", probe_body, method, NAME, NOT_0, probe_method_name),
	KEY_BY_HAND("call", json_probe_call),
	KEY_BY_HAND("in_cq", json_probe_in_cq),
};

static const struct json_body json_bodies[RDMAEV_KIND_MAX + 1] = {
	[RDMAEV_KIND_ASYNC] = { "async", async_keys, ARRAY_SIZE(async_keys) },
	[RDMAEV_KIND_WC] = { "wc", wc_keys, ARRAY_SIZE(wc_keys) },
	[RDMAEV_KIND_COMPLETION] = { "completion", completion_keys, ARRAY_SIZE(completion_keys) },
	[RDMAEV_KIND_QP] = { "qp", qp_keys, ARRAY_SIZE(qp_keys) },
	[RDMAEV_KIND_OBSERVER] = { "observer", observer_keys, ARRAY_SIZE(observer_keys) },
	[RDMAEV_KIND_CM] = { "cm", cm_keys, ARRAY_SIZE(cm_keys) },
	[RDMAEV_KIND_NOTE] = { "note", note_keys, ARRAY_SIZE(note_keys) },
	[RDMAEV_KIND_PROBE] = { "probe", probe_keys, ARRAY_SIZE(probe_keys) },
};

#endif /* ULIB_JSON_BODIES_H */
