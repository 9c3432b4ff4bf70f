/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Made from include/rdmaev.yaml: selftests/described --write */
#ifndef RDMAEV_ATTRIBUTE_TABLES_H
#define RDMAEV_ATTRIBUTE_TABLES_H

static const struct rdmaev_attr rdmaev_info_table[] = {
	RDMAEV_ATTR(INFO_ABI_VERSION, info, abi_version, 0),
	RDMAEV_ATTR(INFO_FEATURES, info, features, 0),
	RDMAEV_ATTR(INFO_INSTANCE, info, instance, 0),
	RDMAEV_ATTR(INFO_RECORD_SIZE, info, record_size, 0),
	RDMAEV_ATTR(INFO_RINGS, info, rings, 0),
	RDMAEV_ATTR(INFO_RING_RECORDS, info, ring_records, 0),
	RDMAEV_ATTR(INFO_OLDEST_SEQ, info, oldest_seq, 0),
	RDMAEV_ATTR(INFO_NEWEST_SEQ, info, newest_seq, 0),
	RDMAEV_ATTR(INFO_OBSERVER_OBSERVED, info, observer.observed, 0),
	RDMAEV_ATTR(INFO_OBSERVER_GAPS, info, observer.gaps, 0),
	RDMAEV_ATTR(INFO_OBSERVER_WAITING, info, observer.waiting, 0),
	RDMAEV_ATTR(INFO_OBSERVER_MISSING, info, observer.missing, 0),
	RDMAEV_ATTR(INFO_OBSERVER_BLIND, info, observer.blind, 0),
	RDMAEV_ATTR(INFO_OBSERVER_FAILED, info, observer.failed, 0),
	RDMAEV_ATTR(INFO_OBSERVER_OFF, info, observer.off, 0),
};

static const struct rdmaev_attr rdmaev_device_table[] = {
	RDMAEV_ATTR(DEVICE_INDEX, device, index, 0),
	RDMAEV_ATTR(DEVICE_GENERATION, device, generation, 0),
	RDMAEV_ATTR(DEVICE_PORTS, device, ports, 0),
	RDMAEV_ATTR(DEVICE_NODE_TYPE, device, node_type, 0),
	RDMAEV_ATTR(DEVICE_NODE_GUID, device, node_guid, 0),
	RDMAEV_ATTR(DEVICE_SINCE_NS, device, since_ns, 0),
	RDMAEV_ATTR(DEVICE_FLAGS, device, flags, 0),
	RDMAEV_ATTR(DEVICE_SOURCES, device, sources, 0),
	RDMAEV_ATTR(DEVICE_NAME, device, name, 0),
	RDMAEV_ATTR(DEVICE_DRIVER, device, driver, 0),
	RDMAEV_ATTR(DEVICE_LAST_SEQ, device, last_seq, 0),
	RDMAEV_ATTR(DEVICE_LAST_BOOTTIME_NS, device, last_boottime_ns, 0),
	RDMAEV_ATTR(DEVICE_LAST_REALTIME_NS, device, last_realtime_ns, 0),
	RDMAEV_ATTR_PORT(DEVICE_LAST_PORT, device, last_port),
	RDMAEV_ATTR(DEVICE_LAST_KIND, device, last_kind, 0),
	RDMAEV_ATTR(DEVICE_LAST_CODE, device, last_code, 0),
	RDMAEV_ATTR(DEVICE_MISSING, device, missing, 0),
	RDMAEV_ATTR(DEVICE_PREVIOUS, device, previous, 0),
	RDMAEV_ATTR(DEVICE_REMOVER_PID, device, remover_pid, 0),
	RDMAEV_ATTR(DEVICE_REMOVING_SINCE_NS, device, removing_since_ns, 0),
	RDMAEV_ATTR(DEVICE_REMOVER_COMM, device, remover_comm, 0),
	RDMAEV_ATTR(DEVICE_CONNECTING, device, connecting, 0),
};

static const struct rdmaev_attr rdmaev_port_table[] = {
	RDMAEV_ATTR(PORT_DEVICE, port, device, 0),
	RDMAEV_ATTR(PORT_GENERATION, port, generation, 0),
	RDMAEV_ATTR(PORT_PORT, port, port, 0),
	RDMAEV_ATTR(PORT_LINK_LAYER, port, link_layer, 0),
	RDMAEV_ATTR(PORT_PROTOCOLS, port, protocols, 0),
	RDMAEV_ATTR(PORT_STATE, port, state, 0),
	RDMAEV_ATTR(PORT_PHYS_STATE, port, phys_state, 0),
	RDMAEV_ATTR(PORT_LID, port, lid, 0),
	RDMAEV_ATTR(PORT_SM_LID, port, sm_lid, 0),
	RDMAEV_ATTR(PORT_SPEED, port, speed, 0),
	RDMAEV_ATTR(PORT_WIDTH, port, width, 0),
	RDMAEV_ATTR(PORT_OUTAGES, port, outages, 0),
	RDMAEV_ATTR(PORT_GIDS, port, gids, 0),
	RDMAEV_ATTR(PORT_PKEYS, port, pkeys, 0),
	RDMAEV_ATTR(PORT_STATE_SINCE_NS, port, state_since_ns, 0),
	RDMAEV_ATTR(PORT_TRANSITIONS, port, transitions, 0),
	RDMAEV_ATTR(PORT_FLAGS, port, flags, 0),
	RDMAEV_ATTR(PORT_NETDEV, port, netdev, 0),
	RDMAEV_ATTR(PORT_BEST_SPEED, port, best_speed, 0),
	RDMAEV_ATTR(PORT_BEST_WIDTH, port, best_width, 0),
	RDMAEV_ATTR(PORT_GID_TYPE, port, gid_type, 0),
	RDMAEV_ATTR(PORT_GID, port, gid, 0),
	RDMAEV_ATTR(PORT_OUTAGE_FLAGS, port, outage_flags, 0),
	RDMAEV_ATTR(PORT_DOWN_SINCE_NS, port, down_since_ns, 0),
	RDMAEV_ATTR(PORT_DOWN_LAST_NS, port, down_last_ns, 0),
	RDMAEV_ATTR(PORT_DOWN_LONGEST_NS, port, down_longest_ns, 0),
	RDMAEV_ATTR(PORT_DOWN_TOTAL_NS, port, down_total_ns, 0),
	RDMAEV_ATTR(PORT_DOWN_ADMIN_NS, port, down_admin_ns, 0),
	RDMAEV_ATTR(PORT_MTU, port, mtu, 0),
	RDMAEV_ATTR(PORT_QUERY_ERROR, port, query_error, 0),
	RDMAEV_ATTR(PORT_QUERY_FAILED_SINCE_NS, port, query_failed_since_ns, 0),
};

static const struct rdmaev_attr rdmaev_counter_table[] = {
	RDMAEV_ATTR(COUNTER_DEVICE, counter, device, 0),
	RDMAEV_ATTR(COUNTER_GENERATION, counter, generation, 0),
	RDMAEV_ATTR_PORT(COUNTER_PORT, counter, port),
	RDMAEV_ATTR(COUNTER_KIND, counter, kind, 0),
	RDMAEV_ATTR(COUNTER_CODE, counter, code, 0),
	RDMAEV_ATTR(COUNTER_COUNT, counter, count, 0),
	RDMAEV_ATTR(COUNTER_LAST_SEQ, counter, last_seq, 0),
	RDMAEV_ATTR(COUNTER_LAST_BOOTTIME_NS, counter, last_boottime_ns, 0),
	RDMAEV_ATTR(COUNTER_LAST_REALTIME_NS, counter, last_realtime_ns, 0),
};

static const struct rdmaev_attr rdmaev_cq_table[] = {
	RDMAEV_ATTR(CQ_ID, cq_stats, id, 0),
	RDMAEV_ATTR(CQ_DEVICE, cq_stats, device, 0),
	RDMAEV_ATTR(CQ_GENERATION, cq_stats, generation, 0),
	RDMAEV_ATTR(CQ_CQ, cq_stats, cq, 0),
	RDMAEV_ATTR(CQ_FLAGS, cq_stats, flags, 0),
	RDMAEV_ATTR(CQ_CQS, cq_stats, cqs, 0),
	RDMAEV_ATTR(CQ_CQE, cq_stats, cqe, 0),
	RDMAEV_ATTR(CQ_PID, cq_stats, pid, 0),
	RDMAEV_ATTR(CQ_UID, cq_stats, uid, 0),
	RDMAEV_ATTR(CQ_SINCE_NS, cq_stats, since_ns, 0),
	RDMAEV_ATTR(CQ_LAST_NS, cq_stats, last_ns, 0),
	RDMAEV_ATTR(CQ_NOTIFICATIONS, cq_stats, notifications, 0),
	RDMAEV_ATTR(CQ_POLLS, cq_stats, polls, 0),
	RDMAEV_ATTR(CQ_EMPTY_POLLS, cq_stats, empty_polls, 0),
	RDMAEV_ATTR(CQ_COMPLETIONS, cq_stats, completions, 0),
	RDMAEV_ATTR(CQ_FAILURES, cq_stats, failures, 0),
	RDMAEV_ATTR(CQ_OWNER, cq_stats, owner, 0),
};

static const struct rdmaev_attr rdmaev_qp_table[] = {
	RDMAEV_ATTR(QP_ID, qp, id, 0),
	RDMAEV_ATTR(QP_DEVICE, qp, device, 0),
	RDMAEV_ATTR(QP_GENERATION, qp, generation, 0),
	RDMAEV_ATTR_PORT(QP_PORT, qp, port),
	RDMAEV_ATTR(QP_QP, qp, qp, 0),
	RDMAEV_ATTR(QP_PID, qp, pid, 0),
	RDMAEV_ATTR(QP_STARTED_NS, qp, started_ns, 0),
	RDMAEV_ATTR(QP_KNOWN, qp, info.known, 0),
	RDMAEV_ATTR(QP_PID_NS, qp, info.pid_ns, RDMAEV_KNOWN_PID_NS),
	RDMAEV_ATTR(QP_SEND_CQ, qp, queues.send_cq, RDMAEV_KNOWN_SEND_CQ),
	RDMAEV_ATTR(QP_RECV_CQ, qp, queues.recv_cq, RDMAEV_KNOWN_RECV_CQ),
	RDMAEV_ATTR(QP_SRQ, qp, queues.srq, RDMAEV_KNOWN_SRQ),
	RDMAEV_ATTR(QP_OWNER, qp, info.owner, 0),
	RDMAEV_ATTR(QP_UID, qp, info.uid, RDMAEV_KNOWN_UID),
	RDMAEV_ATTR(QP_CGROUP, qp, info.cgroup, RDMAEV_KNOWN_CGROUP),
	RDMAEV_ATTR(QP_QP_TYPE, qp, info.qp_type, RDMAEV_KNOWN_QP_TYPE),
	RDMAEV_ATTR(QP_QP_STATE, qp, info.qp_state, RDMAEV_KNOWN_QP_STATE),
	RDMAEV_ATTR(QP_PEER_QPN, qp, peer.qpn, RDMAEV_KNOWN_PEER_QPN),
	RDMAEV_ATTR(QP_PEER_LID, qp, peer.lid, RDMAEV_KNOWN_PEER_LID),
	RDMAEV_ATTR(QP_PEER_GID, qp, peer.gid, RDMAEV_KNOWN_PEER_GID),
};

static const struct rdmaev_attr rdmaev_probe_table[] = {
	RDMAEV_ATTR(PROBE_DEVICE, probe, device, 0),
	RDMAEV_ATTR(PROBE_GENERATION, probe, generation, 0),
	RDMAEV_ATTR(PROBE_PORT, probe, port, 0),
	RDMAEV_ATTR(PROBE_STATE, probe, state, 0),
	RDMAEV_ATTR(PROBE_METHOD, probe, method, 0),
	RDMAEV_ATTR(PROBE_INTERVAL_MS, probe, interval_ms, 0),
	RDMAEV_ATTR(PROBE_QP, probe, qp, 0),
	RDMAEV_ATTR(PROBE_CQ, probe, cq, 0),
	RDMAEV_ATTR(PROBE_CALL, probe, call, 0),
	RDMAEV_ATTR(PROBE_ERROR, probe, error, 0),
	RDMAEV_ATTR(PROBE_SINCE_NS, probe, since_ns, 0),
	RDMAEV_ATTR(PROBE_SENT, probe, sent, 0),
	RDMAEV_ATTR(PROBE_COMPLETED, probe, completed, 0),
	RDMAEV_ATTR(PROBE_FAILED, probe, failed, 0),
	RDMAEV_ATTR(PROBE_LATE, probe, late, 0),
	RDMAEV_ATTR(PROBE_LOST, probe, lost, 0),
	RDMAEV_ATTR(PROBE_REBUILT, probe, rebuilt, 0),
	RDMAEV_ATTR(PROBE_NEWEST_NS, probe, newest_ns, 0),
	RDMAEV_ATTR(PROBE_LONGEST_NS, probe, longest_ns, 0),
	RDMAEV_ATTR(PROBE_LATENCY, probe, latency, 0),
};

static const struct rdmaev_attr rdmaev_record_table[] = {
	RDMAEV_ATTR(RECORD_SEQ, record, seq, 0),
	RDMAEV_ATTR(RECORD_BOOTTIME_NS, record, boottime_ns, 0),
	RDMAEV_ATTR(RECORD_REALTIME_NS, record, realtime_ns, 0),
	RDMAEV_ATTR(RECORD_CAUSE, record, cause, 0),
	RDMAEV_ATTR(RECORD_DEVICE, record, device, 0),
	RDMAEV_ATTR(RECORD_GENERATION, record, generation, 0),
	RDMAEV_ATTR_PORT(RECORD_PORT, record, port),
	RDMAEV_ATTR(RECORD_KIND, record, kind, 0),
	RDMAEV_ATTR(RECORD_CODE, record, code, 0),
	RDMAEV_ATTR(RECORD_OBJECT_TYPE, record, object_type, 0),
	RDMAEV_ATTR(RECORD_SEVERITY, record, severity, 0),
	RDMAEV_ATTR(RECORD_SOURCE, record, source, 0),
	RDMAEV_ATTR(RECORD_RING, record, ring, 0),
	RDMAEV_ATTR(RECORD_OBJECT, record, object, 0),
	RDMAEV_ATTR(RECORD_COUNT, record, count, 0),
	RDMAEV_ATTR(RECORD_PID, record, pid, 0),
	RDMAEV_ATTR(RECORD_DEVICE_NAME, record, device_name, 0),
};

static const struct rdmaev_attr rdmaev_device_body_table[] = {
	RDMAEV_ATTR(DEVICE_BODY_NODE_GUID, device_body, node_guid, 0),
	RDMAEV_ATTR(DEVICE_BODY_OLD_NAME, device_body, old_name, 0),
	RDMAEV_ATTR(DEVICE_BODY_MISSING, device_body, missing, 0),
	RDMAEV_ATTR(DEVICE_BODY_REMOVER_PID, device_body, remover_pid, 0),
	RDMAEV_ATTR(DEVICE_BODY_REMOVING_SINCE_NS, device_body, removing_since_ns, 0),
	RDMAEV_ATTR(DEVICE_BODY_REMOVER_COMM, device_body, remover_comm, 0),
	RDMAEV_ATTR(DEVICE_BODY_NETDEV, device_body, netdev, 0),
	RDMAEV_ATTR(DEVICE_BODY_NETDEV_CHANGE, device_body, netdev_change, 0),
};

static const struct rdmaev_attr rdmaev_port_body_table[] = {
	RDMAEV_ATTR(PORT_BODY_PREVIOUS_NS, port_body, previous_ns, 0),
	RDMAEV_ATTR(PORT_BODY_OUTAGES, port_body, outages, 0),
	RDMAEV_ATTR(PORT_BODY_INDEX, port_body, index, 0),
	RDMAEV_ATTR(PORT_BODY_BEFORE, port_body, before.number, RDMAEV_PORT_NUMBERS),
	RDMAEV_ATTR(PORT_BODY_AFTER, port_body, after.number, RDMAEV_PORT_NUMBERS),
	RDMAEV_ATTR(PORT_BODY_GID_BEFORE, port_body, before.gid, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_GID_AFTER, port_body, after.gid, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_GID_TYPE_BEFORE, port_body, gid_type_before, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_GID_TYPE_AFTER, port_body, gid_type_after, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_NETDEV_BEFORE, port_body, netdev_before, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_NETDEV_AFTER, port_body, netdev_after, RDMAEV_PORT_GIDS),
	RDMAEV_ATTR(PORT_BODY_DOWN_SINCE_NS, port_body, down_since_ns, RDMAEV_PORT_OUTAGES),
	RDMAEV_ATTR(PORT_BODY_DOWN_NS, port_body, down_ns, RDMAEV_PORT_OUTAGES),
	RDMAEV_ATTR(PORT_BODY_DOWN_ADMIN_NS, port_body, down_admin_ns, RDMAEV_PORT_OUTAGES),
	RDMAEV_ATTR(PORT_BODY_OUTAGE_FLAGS, port_body, outage_flags, RDMAEV_PORT_OUTAGES),
};

static const struct rdmaev_attr rdmaev_async_body_table[] = {
	RDMAEV_ATTR(ASYNC_BODY_KNOWN, async_body, info.known, 0),
	RDMAEV_ATTR(ASYNC_BODY_PID_NS, async_body, info.pid_ns, RDMAEV_KNOWN_PID_NS),
	RDMAEV_ATTR(ASYNC_BODY_SEND_CQ, async_body, queues.send_cq, RDMAEV_KNOWN_SEND_CQ),
	RDMAEV_ATTR(ASYNC_BODY_RECV_CQ, async_body, queues.recv_cq, RDMAEV_KNOWN_RECV_CQ),
	RDMAEV_ATTR(ASYNC_BODY_SRQ, async_body, queues.srq, RDMAEV_KNOWN_SRQ),
	RDMAEV_ATTR(ASYNC_BODY_OWNER, async_body, info.owner, 0),
	RDMAEV_ATTR(ASYNC_BODY_UID, async_body, info.uid, RDMAEV_KNOWN_UID),
	RDMAEV_ATTR(ASYNC_BODY_CGROUP, async_body, info.cgroup, RDMAEV_KNOWN_CGROUP),
	RDMAEV_ATTR(ASYNC_BODY_QP_TYPE, async_body, info.qp_type, RDMAEV_KNOWN_QP_TYPE),
	RDMAEV_ATTR(ASYNC_BODY_QP_STATE, async_body, info.qp_state, RDMAEV_KNOWN_QP_STATE),
	RDMAEV_ATTR(ASYNC_BODY_PEER_QPN, async_body, peer.qpn, RDMAEV_KNOWN_PEER_QPN),
	RDMAEV_ATTR(ASYNC_BODY_PEER_LID, async_body, peer.lid, RDMAEV_KNOWN_PEER_LID),
	RDMAEV_ATTR(ASYNC_BODY_PEER_GID, async_body, peer.gid, RDMAEV_KNOWN_PEER_GID),
};

static const struct rdmaev_attr rdmaev_wc_body_table[] = {
	RDMAEV_ATTR(WC_BODY_KNOWN, wc_body, info.known, 0),
	RDMAEV_ATTR(WC_BODY_VENDOR_ERR, wc_body, vendor_err, 0),
	RDMAEV_ATTR(WC_BODY_OPCODE, wc_body, opcode, 0),
	RDMAEV_ATTR(WC_BODY_WR_ID, wc_body, wr_id, 0),
	RDMAEV_ATTR(WC_BODY_CQ, wc_body, cq, RDMAEV_KNOWN_CQ),
	RDMAEV_ATTR(WC_BODY_FOLDED, wc_body, folded, 0),
	RDMAEV_ATTR(WC_BODY_PID_NS, wc_body, info.pid_ns, RDMAEV_KNOWN_PID_NS),
	RDMAEV_ATTR(WC_BODY_SEND_CQ, wc_body, queues.send_cq, RDMAEV_KNOWN_SEND_CQ),
	RDMAEV_ATTR(WC_BODY_RECV_CQ, wc_body, queues.recv_cq, RDMAEV_KNOWN_RECV_CQ),
	RDMAEV_ATTR(WC_BODY_SRQ, wc_body, queues.srq, RDMAEV_KNOWN_SRQ),
	RDMAEV_ATTR(WC_BODY_OWNER, wc_body, info.owner, 0),
	RDMAEV_ATTR(WC_BODY_UID, wc_body, info.uid, RDMAEV_KNOWN_UID),
	RDMAEV_ATTR(WC_BODY_CGROUP, wc_body, info.cgroup, RDMAEV_KNOWN_CGROUP),
	RDMAEV_ATTR(WC_BODY_QP_TYPE, wc_body, info.qp_type, RDMAEV_KNOWN_QP_TYPE),
	RDMAEV_ATTR(WC_BODY_QP_STATE, wc_body, info.qp_state, RDMAEV_KNOWN_QP_STATE),
	RDMAEV_ATTR(WC_BODY_PEER_QPN, wc_body, peer.qpn, RDMAEV_KNOWN_PEER_QPN),
	RDMAEV_ATTR(WC_BODY_PEER_LID, wc_body, peer.lid, RDMAEV_KNOWN_PEER_LID),
	RDMAEV_ATTR(WC_BODY_PEER_GID, wc_body, peer.gid, RDMAEV_KNOWN_PEER_GID),
};

static const struct rdmaev_attr rdmaev_completion_body_table[] = {
	RDMAEV_ATTR(COMPLETION_BODY_KNOWN, completion_body, info.known, 0),
	RDMAEV_ATTR(COMPLETION_BODY_TIME_NS, completion_body, time_ns, 0),
	RDMAEV_ATTR(COMPLETION_BODY_NOTIFICATIONS, completion_body, notifications, 0),
	RDMAEV_ATTR(COMPLETION_BODY_COMPLETIONS, completion_body, completions, 0),
	RDMAEV_ATTR(COMPLETION_BODY_FAILURES, completion_body, failures, 0),
	RDMAEV_ATTR(COMPLETION_BODY_EMPTY_POLLS, completion_body, empty_polls, 0),
	RDMAEV_ATTR(COMPLETION_BODY_OWNER, completion_body, info.owner, 0),
};

static const struct rdmaev_attr rdmaev_lost_body_table[] = {
	RDMAEV_ATTR(LOST_BODY_FIRST, lost_body, first, 0),
	RDMAEV_ATTR(LOST_BODY_LAST, lost_body, last, 0),
	RDMAEV_ATTR(LOST_BODY_COUNT, lost_body, count, 0),
};

static const struct rdmaev_attr rdmaev_qp_body_table[] = {
	RDMAEV_ATTR(QP_BODY_KNOWN, qp_body, info.known, 0),
	RDMAEV_ATTR(QP_BODY_BEFORE, qp_body, info.qp_state, RDMAEV_KNOWN_QP_STATE),
	RDMAEV_ATTR(QP_BODY_RESULT, qp_body, result, 0),
	RDMAEV_ATTR(QP_BODY_SIGNAL, qp_body, signal, 0),
	RDMAEV_ATTR(QP_BODY_OWNER, qp_body, info.owner, 0),
	RDMAEV_ATTR(QP_BODY_UID, qp_body, info.uid, RDMAEV_KNOWN_UID),
	RDMAEV_ATTR(QP_BODY_PID_NS, qp_body, info.pid_ns, RDMAEV_KNOWN_PID_NS),
	RDMAEV_ATTR(QP_BODY_CGROUP, qp_body, info.cgroup, RDMAEV_KNOWN_CGROUP),
	RDMAEV_ATTR(QP_BODY_QP_TYPE, qp_body, info.qp_type, RDMAEV_KNOWN_QP_TYPE),
	RDMAEV_ATTR(QP_BODY_CALLER, qp_body, origin.caller, RDMAEV_KNOWN_CALLER),
	RDMAEV_ATTR(QP_BODY_CALLER_PID, qp_body, caller_pid, 0),
	RDMAEV_ATTR(QP_BODY_CALLER_COMM, qp_body, caller_comm, 0),
	RDMAEV_ATTR(QP_BODY_GID_INDEX, qp_body, gid_index, RDMAEV_KNOWN_GID_INDEX),
	RDMAEV_ATTR(QP_BODY_GID, qp_body, origin.gid, RDMAEV_KNOWN_GID),
	RDMAEV_ATTR(QP_BODY_PATH_MTU, qp_body, path_mtu, RDMAEV_KNOWN_PATH_MTU),
	RDMAEV_ATTR(QP_BODY_PEER_QPN, qp_body, peer.qpn, RDMAEV_KNOWN_PEER_QPN),
	RDMAEV_ATTR(QP_BODY_PEER_LID, qp_body, peer.lid, RDMAEV_KNOWN_PEER_LID),
	RDMAEV_ATTR(QP_BODY_PEER_GID, qp_body, peer.gid, RDMAEV_KNOWN_PEER_GID),
	RDMAEV_ATTR(QP_BODY_FLAGS, qp_body, flags, 0),
};

static const struct rdmaev_attr rdmaev_observer_body_table[] = {
	RDMAEV_ATTR(OBSERVER_BODY_KNOWN, observer_body, info.known, 0),
	RDMAEV_ATTR(OBSERVER_BODY_FACTS, observer_body, facts, 0),
	RDMAEV_ATTR(OBSERVER_BODY_TIME_NS, observer_body, time_ns, 0),
	RDMAEV_ATTR(OBSERVER_BODY_UID, observer_body, info.uid, RDMAEV_KNOWN_UID),
};

static const struct rdmaev_attr rdmaev_cm_body_table[] = {
	RDMAEV_ATTR(CM_BODY_KNOWN, cm_body, info.known, 0),
	RDMAEV_ATTR(CM_BODY_STATUS, cm_body, status, 0),
	RDMAEV_ATTR(CM_BODY_FAMILY, cm_body, family, 0),
	RDMAEV_ATTR(CM_BODY_PORT_SPACE, cm_body, port_space, 0),
	RDMAEV_ATTR(CM_BODY_LOCAL_ADDR, cm_body, local_addr, RDMAEV_KNOWN_LOCAL_ADDR),
	RDMAEV_ATTR(CM_BODY_LOCAL_PORT, cm_body, local_port, RDMAEV_KNOWN_LOCAL_ADDR),
	RDMAEV_ATTR(CM_BODY_PEER_ADDR, cm_body, peer_addr, RDMAEV_KNOWN_PEER_ADDR),
	RDMAEV_ATTR(CM_BODY_PEER_PORT, cm_body, peer_port, RDMAEV_KNOWN_PEER_ADDR),
	RDMAEV_ATTR(CM_BODY_OWNER, cm_body, info.owner, 0),
	RDMAEV_ATTR(CM_BODY_UID, cm_body, info.uid, RDMAEV_KNOWN_UID),
	RDMAEV_ATTR(CM_BODY_PID_NS, cm_body, info.pid_ns, RDMAEV_KNOWN_PID_NS),
	RDMAEV_ATTR(CM_BODY_CGROUP, cm_body, info.cgroup, RDMAEV_KNOWN_CGROUP),
	RDMAEV_ATTR(CM_BODY_QP_TYPE, cm_body, info.qp_type, RDMAEV_KNOWN_QP_TYPE),
	RDMAEV_ATTR(CM_BODY_PEER_QPN, cm_body, peer_qpn, RDMAEV_KNOWN_PEER_QPN),
	RDMAEV_ATTR(CM_BODY_CONNECTING_NS, cm_body, connecting_ns, 0),
};

static const struct rdmaev_attr rdmaev_note_body_table[] = {
	RDMAEV_ATTR(NOTE_BODY_KNOWN, note_body, info.known, 0),
	RDMAEV_ATTR(NOTE_BODY_SUPPRESSED, note_body, suppressed, 0),
	RDMAEV_ATTR(NOTE_BODY_OWNER, note_body, info.owner, 0),
	RDMAEV_ATTR(NOTE_BODY_TEXT, note_body, text, 0),
};

static const struct rdmaev_attr rdmaev_probe_body_table[] = {
	RDMAEV_ATTR(PROBE_BODY_TIME_NS, probe_body, time_ns, 0),
	RDMAEV_ATTR(PROBE_BODY_SENT, probe_body, sent, 0),
	RDMAEV_ATTR(PROBE_BODY_QP, probe_body, qp, 0),
	RDMAEV_ATTR(PROBE_BODY_CQ, probe_body, cq, 0),
	RDMAEV_ATTR(PROBE_BODY_METHOD, probe_body, method, 0),
	RDMAEV_ATTR(PROBE_BODY_CALL, probe_body, call, 0),
	RDMAEV_ATTR(PROBE_BODY_ERROR, probe_body, error, 0),
	RDMAEV_ATTR(PROBE_BODY_FLAGS, probe_body, flags, 0),
};

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
static const struct rdmaev_attr_set __maybe_unused rdmaev_qp_attrs =
	RDMAEV_ATTR_SET(rdmaev_qp_table, RDMAEV_A_QP_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_probe_attrs =
	RDMAEV_ATTR_SET(rdmaev_probe_table, RDMAEV_A_PROBE_SEQ);
static const struct rdmaev_attr_set __maybe_unused rdmaev_record_attrs =
	RDMAEV_ATTR_SET(rdmaev_record_table, RDMAEV_A_RECORD_POSITION);

/* Bodies of records, by enum rdmaev_kind */
static const struct rdmaev_attr_set __maybe_unused rdmaev_body_attrs[] = {
	[RDMAEV_KIND_DEVICE] =
		RDMAEV_ATTR_SET(rdmaev_device_body_table, RDMAEV_A_RECORD_DEVICE_BODY),
	[RDMAEV_KIND_PORT] =
		RDMAEV_ATTR_SET(rdmaev_port_body_table, RDMAEV_A_RECORD_PORT_BODY),
	[RDMAEV_KIND_ASYNC] =
		RDMAEV_ATTR_SET(rdmaev_async_body_table, RDMAEV_A_RECORD_ASYNC_BODY),
	[RDMAEV_KIND_WC] =
		RDMAEV_ATTR_SET(rdmaev_wc_body_table, RDMAEV_A_RECORD_WC_BODY),
	[RDMAEV_KIND_COMPLETION] =
		RDMAEV_ATTR_SET(rdmaev_completion_body_table, RDMAEV_A_RECORD_COMPLETION_BODY),
	[RDMAEV_KIND_LOST] =
		RDMAEV_ATTR_SET(rdmaev_lost_body_table, RDMAEV_A_RECORD_LOST_BODY),
	[RDMAEV_KIND_QP] =
		RDMAEV_ATTR_SET(rdmaev_qp_body_table, RDMAEV_A_RECORD_QP_BODY),
	[RDMAEV_KIND_OBSERVER] =
		RDMAEV_ATTR_SET(rdmaev_observer_body_table, RDMAEV_A_RECORD_OBSERVER_BODY),
	[RDMAEV_KIND_CM] =
		RDMAEV_ATTR_SET(rdmaev_cm_body_table, RDMAEV_A_RECORD_CM_BODY),
	[RDMAEV_KIND_NOTE] =
		RDMAEV_ATTR_SET(rdmaev_note_body_table, RDMAEV_A_RECORD_NOTE_BODY),
	[RDMAEV_KIND_PROBE] =
		RDMAEV_ATTR_SET(rdmaev_probe_body_table, RDMAEV_A_RECORD_PROBE_BODY),
};

static_assert(RDMAEV_ATTR_ROWS(rdmaev_body_attrs) == RDMAEV_KIND_MAX + 1);
RDMAEV_ATTR_COMPLETE(DEVICE_BODY, rdmaev_device_body_table, 0);
RDMAEV_ATTR_COMPLETE(PORT_BODY, rdmaev_port_body_table, 0);
RDMAEV_ATTR_COMPLETE(ASYNC_BODY, rdmaev_async_body_table, 0);
RDMAEV_ATTR_COMPLETE(WC_BODY, rdmaev_wc_body_table, 0);
RDMAEV_ATTR_COMPLETE(COMPLETION_BODY, rdmaev_completion_body_table, 0);
RDMAEV_ATTR_COMPLETE(LOST_BODY, rdmaev_lost_body_table, 0);
RDMAEV_ATTR_COMPLETE(QP_BODY, rdmaev_qp_body_table, 0);
RDMAEV_ATTR_COMPLETE(OBSERVER_BODY, rdmaev_observer_body_table, 0);
RDMAEV_ATTR_COMPLETE(CM_BODY, rdmaev_cm_body_table, 0);
RDMAEV_ATTR_COMPLETE(NOTE_BODY, rdmaev_note_body_table, 0);
RDMAEV_ATTR_COMPLETE(PROBE_BODY, rdmaev_probe_body_table, 0);

/* Kinds whose body begins with known */
#define RDMAEV_KINDS_WITH_KNOWN (1U << RDMAEV_KIND_ASYNC | \
	1U << RDMAEV_KIND_WC | \
	1U << RDMAEV_KIND_COMPLETION | \
	1U << RDMAEV_KIND_QP | \
	1U << RDMAEV_KIND_OBSERVER | \
	1U << RDMAEV_KIND_CM | \
	1U << RDMAEV_KIND_NOTE)

#endif /* RDMAEV_ATTRIBUTE_TABLES_H */
