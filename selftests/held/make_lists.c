// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists of the recording that is held: no two fields of an entry have the same value. */
#include <stdio.h>

#include "make_recording.h"

/* A number that no call before has returned */
static uint32_t number(void)
{
	static uint32_t last = 100;

	return ++last;
}

static const struct rdmaev_device devices[] = {
	{ .index = 7, .generation = 1, .ports = 8, .node_type = 1,
	  .node_guid = 0x0102030405060708ULL, .since_ns = SECOND, .sources = 3,
	  .name = "held0", .driver = "driver0", .last_seq = 11, .last_boottime_ns = 12,
	  .last_realtime_ns = 13, .last_port = 1, .last_kind = RDMAEV_KIND_ASYNC,
	  .last_code = RDMAEV_ASYNC_PORT_ERR },
	{ .index = 8, .generation = 2, .ports = 2, .node_type = 4,
	  .node_guid = 0x1112131415161718ULL, .since_ns = 2 * SECOND,
	  .flags = RDMAEV_DEVICE_FLAG_REMOVING, .sources = 15, .name = "held1",
	  .last_seq = 21, .last_boottime_ns = 22, .last_realtime_ns = 23, .previous = 1,
	  .last_port = RDMAEV_NO_PORT, .last_kind = RDMAEV_KIND_WC,
	  .last_code = RDMAEV_CODE_OTHER, .missing = RDMAEV_PART_UVERBS | RDMAEV_PART_UMAD,
	  .remover_pid = 24, .removing_since_ns = 25, .remover_comm = "remover" },
	{ .index = 9, .generation = 3, .ports = 1, .node_type = 77,
	  .node_guid = 0x2122232425262728ULL, .since_ns = 3 * SECOND,
	  .flags = RDMAEV_DEVICE_FLAG_REMOVED, .sources = 3, .name = "held2",
	  .driver = "driver2", .last_port = RDMAEV_NO_PORT,
	  .connecting = { [0] = 1, [10] = 1000, [31] = 2 } },
};

/* @state: of the port, from 0 on; the rest follows from it */
static struct rdmaev_port make_port(uint32_t device, uint32_t port, unsigned int state)
{
	return (struct rdmaev_port){
		.device = device + 6, .generation = device, .port = port,
		.link_layer = 1 + state % 2, .protocols = 1 + state % 7, .state = state,
		.phys_state = 1 + state, .lid = number(), .sm_lid = number(),
		.speed = 1U << state,
		.width = 1U << state % 5, .outages = number(),
		.gids = number(), .pkeys = number(), .state_since_ns = SECOND + number(),
		.transitions = number(), .flags = state == 6 ? 4 : state == 2 ? 8 : 0,
		.query_error = state == 2 ? -5 : 0,
		.query_failed_since_ns = state == 2 ? SECOND + number() : 0,
		.outage_flags = state < 4 ? 1U << state : 0,
		.down_since_ns = state < 4 ? SECOND + number() : 0, .down_last_ns = number(),
		.down_longest_ns = number(), .down_total_ns = number(), .down_admin_ns = number(),
		.netdev = number(), .best_speed = 128U << state % 2, .best_width = 2,
		.gid_type = state % 6, .mtu = 256U << state % 5,
		.gid = { 0xfe, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, (uint8_t)port },
	};
}

static void make_ports(struct rdmaev_port ports[11])
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		ports[i] = make_port(1, 1 + i, i == 0 ? 4 : i == 4 ? 0 : i);
	ports[8] = make_port(2, 1, 4);
	ports[9] = make_port(2, 2, 0);
	ports[9].flags = RDMAEV_PORT_FLAG_REMOVING;
	ports[10] = make_port(3, 1, 1);
	ports[10].flags = RDMAEV_PORT_FLAG_REMOVED;
}

static struct rdmaev_counter make_counter(uint32_t device, uint32_t port, unsigned int kind,
					  unsigned int code)
{
	return (struct rdmaev_counter){
		.device = device + 6, .generation = device, .port = port,
		.kind = (uint16_t)kind, .code = (uint16_t)code, .count = number(),
		.last_seq = number(), .last_boottime_ns = SECOND + number(),
		.last_realtime_ns = SECOND + number(),
	};
}

static struct rdmaev_cq_stats make_cq(uint64_t id, uint32_t device, uint32_t flags)
{
	const int is_sum = !!(flags & RDMAEV_CQ_SUM);
	struct rdmaev_cq_stats cq = {
		.id = id, .device = device + 6, .generation = device, .cq = is_sum ? 0 : number(),
		.flags = flags, .cqs = is_sum ? number() : 1, .cqe = number(),
		.pid = flags & RDMAEV_CQ_USER ? number() : 0,
		.uid = flags & RDMAEV_CQ_USER ? number() : 0, .since_ns = SECOND + number(),
		.last_ns = SECOND + number(), .notifications = number(), .polls = number(),
		.empty_polls = number(),
	};
	unsigned int i;

	if (!is_sum)
		snprintf(cq.owner, sizeof(cq.owner), "cq owner %u", number());
	for (i = 0; i < RDMAEV_OPCODES; i++)
		cq.completions[i] = number();
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		cq.failures[i] = number();
	return cq;
}

static struct rdmaev_probe make_probe(uint32_t device, uint32_t port, unsigned int state)
{
	struct rdmaev_probe probe = {
		.device = device + 6, .generation = device, .port = port, .state = state,
		.method = state % 5,
		.interval_ms = state ? number() : 0, .qp = state > 1 ? number() : 0,
		.cq = state > 1 ? number() : 0,
		.call = state >= RDMAEV_PROBE_STATE_FAILED ? state + 2 : 0,
		.error = state == RDMAEV_PROBE_STATE_FAILED ? -110 : 0,
		.since_ns = SECOND + number(), .sent = number(), .completed = number(),
		.failed = number(), .late = number(), .lost = number(), .rebuilt = number(),
		.newest_ns = number(), .longest_ns = number(),
	};
	unsigned int i;

	for (i = 0; i < RDMAEV_PROBE_BUCKETS; i++)
		probe.latency[i] = number();
	return probe;
}

static void append_list(struct recording_writer *file, unsigned int type, uint64_t seq,
			const void *entries, size_t count)
{
	struct recording_list list = {
		.list = type, .seq = seq, .boottime_ns = SECOND, .realtime_ns = SECOND,
	};

	if (recording_append_list(file, &list, entries, count))
		fail("list");
}

static void append_cqs(struct recording_writer *file, uint64_t seq)
{
	const struct rdmaev_cq_stats cqs[] = {
		make_cq(31, 1, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_NOTIFIED),
		make_cq(32, 1, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_OBSERVED | RDMAEV_CQ_USER),
		make_cq(33, 2, RDMAEV_CQ_ATTACHED | RDMAEV_CQ_STALLED),
	};
	const struct rdmaev_cq_stats sums[] = {
		make_cq(1, 1, RDMAEV_CQ_SUM), make_cq(2, 2, RDMAEV_CQ_SUM),
	};

	append_list(file, RECORDING_CQS, seq, cqs, 3);
	append_list(file, RECORDING_CQ_SUMS, seq, sums, 2);
}

/* Two of a process, of which one has failed, and one of a ULP */
static void append_qps(struct recording_writer *file, uint64_t seq)
{
	const struct rdmaev_qp qps[] = {
		{
			.id = 41, .device = 1, .generation = 1, .port = 1, .qp = 17,
			.started_ns = SECOND, .pid = 1234, .queues = { 31, 31, 0 },
			.info = {
				.known = RDMAEV_KNOWN_UID | RDMAEV_KNOWN_QP_TYPE |
					 RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_CGROUP |
					 RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID |
					 RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ,
				.uid = 1000, .cgroup = 4242, .owner = "python3",
				.qp_type = RDMAEV_QPT_RC, .qp_state = RDMAEV_QP_RTS,
			},
			.peer = { .qpn = 18, .gid = { 0xfe, 0x80, [15] = 1 } },
		}, {
			.id = 42, .device = 2, .generation = 2, .port = RDMAEV_NO_PORT, .qp = 1,
			.info = {
				.known = RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_QP_STATE,
				.owner = "nvme_rdma",
				.qp_type = RDMAEV_QPT_UD, .qp_state = RDMAEV_QP_INIT,
			},
		}, {
			.id = 43, .device = 1, .generation = 1, .port = 1, .qp = 18,
			.started_ns = SECOND, .pid = 1234,
			.info = {
				.known = RDMAEV_KNOWN_UID | RDMAEV_KNOWN_QP_TYPE |
					 RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_CGROUP |
					 RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID,
				.uid = 1000, .cgroup = 4242, .owner = "worker",
				.qp_type = RDMAEV_QPT_RC, .qp_state = RDMAEV_QP_ERR,
			},
			.peer = { .qpn = 19, .lid = 7 },
		},
	};

	append_list(file, RECORDING_QPS, seq, qps, 3);
}

static void append_probes(struct recording_writer *file, uint64_t seq)
{
	struct rdmaev_probe probes[9];
	unsigned int i;

	for (i = 0; i < 8; i++)
		probes[i] = make_probe(1, 1 + i, i);
	/* Of the two that failed, this one has the status of a completion. */
	probes[8] = make_probe(2, 1, RDMAEV_PROBE_STATE_FAILED);
	probes[8].call = 0;
	probes[8].error = RDMAEV_WC_RETRY_EXC_ERR;
	append_list(file, RECORDING_PROBES, seq, probes, 9);
}

static void append_ports(struct recording_writer *file, uint64_t seq)
{
	struct recording_host_port hosts[11] = { 0 };
	struct rdmaev_port ports[11];
	unsigned int i;

	make_ports(ports);
	for (i = 0; i < 11; i++) {
		hosts[i] = (struct recording_host_port){
			.generation = ports[i].generation, .port = ports[i].port,
			.speed = 1000 + number(), .common = 2000 + number(),
			.supported = 3000 + number(), .missing = i % 4,
		};
		snprintf(hosts[i].netdev, sizeof(hosts[i].netdev), "netdev%u", i);
	}
	append_list(file, RECORDING_PORTS, seq, ports, 11);
	append_list(file, RECORDING_HOST_PORTS, seq, hosts, 11);
}

void append_lists(struct recording_writer *file, uint64_t seq)
{
	const struct rdmaev_observed observed = {
		.observed = 0x181, .gaps = 0x80, .waiting = 2, .missing = 4, .blind = 8,
		.failed = 0x30, .off = 0x40,
	};
	const struct rdmaev_counter counters[] = {
		make_counter(3, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE),
		make_counter(1, RDMAEV_NO_PORT, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_CQ_ERR),
		make_counter(1, RDMAEV_NO_PORT, RDMAEV_KIND_ASYNC, RDMAEV_CODE_OTHER),
		make_counter(1, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_GID),
		make_counter(1, 2, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR),
		make_counter(2, RDMAEV_NO_PORT, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL),
		make_counter(2, 2, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED),
	};

	append_list(file, RECORDING_DEVICES, seq, devices, 3);
	append_ports(file, seq);
	append_list(file, RECORDING_COUNTERS, seq, counters, 7);
	append_cqs(file, seq);
	append_list(file, RECORDING_OBSERVED, seq, &observed, 1);
	append_probes(file, seq);
	append_qps(file, seq);
}
