// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Make the recording of a log that is full of one thing: make_log SORT RECORDS FILE. Each
 * record is a microsecond after the one before, so that all belong together that can.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/recording_write.h"

#define SECOND		1000000000ULL

/* 2026-11-20 10:00:00 UTC */
#define REALTIME	(1795168800ULL * SECOND)

/* Devices, of one port each; records are about the first, if nothing else is said */
#define DEVICES		256

/* Records that are appended at a time */
#define BATCH		256

static struct recording_writer file;

static void fail(const char *what)
{
	fprintf(stderr, "make_log: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set_event(struct rdmaev_record *r, unsigned int code, unsigned int severity)
{
	r->kind = RDMAEV_KIND_ASYNC;
	r->code = (uint16_t)code;
	r->severity = (uint8_t)severity;
	r->object_type = RDMAEV_OBJECT_PORT;
	r->ring = RDMAEV_RING_PORT;
}

static void set_port(struct rdmaev_record *r, unsigned int code, uint64_t before, uint64_t after)
{
	set_event(r, code, RDMAEV_SEVERITY_INFO);
	r->kind = RDMAEV_KIND_PORT;
	r->body.port.before.number = before;
	r->body.port.after.number = after;
	r->body.port.previous_ns = 1000;
}

static void set_device(struct rdmaev_record *r, uint64_t i)
{
	r->device = (uint32_t)(i % DEVICES);
	r->generation = r->device + 1;
}

/* The QP of a program, or of a ULP if @pid is 0 */
static void set_qp(struct rdmaev_record *r, unsigned int kind, unsigned int code, uint64_t qp,
		   unsigned int pid)
{
	r->kind = (uint16_t)kind;
	r->code = (uint16_t)code;
	r->object_type = RDMAEV_OBJECT_QP;
	r->object = (uint32_t)qp;
	r->pid = pid;
	r->severity = RDMAEV_SEVERITY_INFO;
	r->ring = pid ? RDMAEV_RING_USER : RDMAEV_RING_INFO;
	r->source = RDMAEV_SOURCE_OBSERVER;
	r->body.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_QP_TYPE |
			     RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID;
	if (pid)
		r->body.info.known |= RDMAEV_KNOWN_UID | RDMAEV_KNOWN_CGROUP;
	r->body.info.qp_type = 2;
	r->body.info.qp_state = RDMAEV_QP_RTS;
	strcpy(r->body.info.owner, pid ? "python3" : "nvme_rdma");
	memcpy(kind == RDMAEV_KIND_WC ? r->body.wc.peer.gid : r->body.qp.peer.gid,
	       (const uint8_t[RDMAEV_GID_SIZE]) { [10] = 0xff, 0xff, 10, 9, 0, 77 },
	       RDMAEV_GID_SIZE);
}

/* Functions below make record @i, from 0 on. It has the next seq and time already. */

/* One change, and all that was found follows from it */
static void make_joined(struct rdmaev_record *r, uint64_t i)
{
	set_event(r, RDMAEV_ASYNC_LID_CHANGE, RDMAEV_SEVERITY_INFO);
	if (!i)
		return;
	set_port(r, RDMAEV_PORT_LID, i, i + 1);
	r->cause = 1;
}

/* Differences whose causes were overwritten */
static void make_orphans(struct rdmaev_record *r, uint64_t i)
{
	set_port(r, RDMAEV_PORT_LID, i, i + 1);
	r->cause = r->seq++;
}

/* A link that flaps, beside others */
static void make_flaps(struct rdmaev_record *r, uint64_t i, bool is_one)
{
	bool is_down = i / 2 % 2 == 0;

	if (i % 2) {
		set_port(r, RDMAEV_PORT_STATE, is_down ? RDMAEV_STATE_ACTIVE : RDMAEV_STATE_DOWN,
			 is_down ? RDMAEV_STATE_DOWN : RDMAEV_STATE_ACTIVE);
		r->cause = r->seq - 1;
	} else {
		set_event(r, is_down ? RDMAEV_ASYNC_PORT_ERR : RDMAEV_ASYNC_PORT_ACTIVE,
			  RDMAEV_SEVERITY_INFO);
	}
	if (is_down)
		r->severity = RDMAEV_SEVERITY_ERROR;
	if (!is_one)
		set_device(r, i / 4);
}

static void make_flap(struct rdmaev_record *r, uint64_t i)
{
	make_flaps(r, i, true);
}

static void make_ports(struct rdmaev_record *r, uint64_t i)
{
	make_flaps(r, i, false);
}

/* Devices that are added with a port that is down, and removed */
static void make_devices(struct rdmaev_record *r, uint64_t i)
{
	if (i % 4 == 1 || i % 4 == 2) {
		set_port(r, i % 4 == 1 ? RDMAEV_PORT_STATE : RDMAEV_PORT_OUTAGE,
			 RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN);
		r->body.port.down_since_ns = r->boottime_ns;
		r->severity = RDMAEV_SEVERITY_WARNING;
	} else {
		set_event(r, i % 4 ? RDMAEV_DEVICE_REMOVE : RDMAEV_DEVICE_ADD,
			  RDMAEV_SEVERITY_INFO);
		r->kind = RDMAEV_KIND_DEVICE;
		r->object_type = RDMAEV_OBJECT_DEVICE;
		r->port = RDMAEV_NO_PORT;
	}
	r->device = (uint32_t)(i / 4 % DEVICES);
	r->generation = (uint32_t)(i / 4 + 1);
}

/* Addresses that are added, and then removed */
static void make_gids(struct rdmaev_record *r, uint64_t i)
{
	struct rdmaev_port_body *body = &r->body.port;
	uint8_t gid[RDMAEV_GID_SIZE] = {
		[10] = 0xff, [11] = 0xff, [12] = 10, [13] = (uint8_t)(i >> 16),
		[14] = (uint8_t)(i >> 8), [15] = (uint8_t)i,
	};

	if (i % 1024 == 0)
		return set_event(r, RDMAEV_ASYNC_GID_CHANGE, RDMAEV_SEVERITY_INFO);
	set_port(r, RDMAEV_PORT_GID, 0, 0);
	r->cause = r->seq - i % 1024;
	body->index = (uint32_t)(i % 1024);
	memcpy(i / 1024 % 2 ? body->before.gid : body->after.gid, gid, sizeof(gid));
	*(i / 1024 % 2 ? &body->gid_type_before : &body->gid_type_after) = RDMAEV_GID_ROCE_V2;
}

/* Failed requests of ULPs, each with one record of those that were flushed */
static void make_wc(struct rdmaev_record *r, uint64_t i)
{
	struct rdmaev_wc_body *body = &r->body.wc;

	set_qp(r, RDMAEV_KIND_WC, i % 2 ? RDMAEV_WC_WR_FLUSH_ERR : RDMAEV_WC_RETRY_EXC_ERR,
	       i / 2, 0);
	r->severity = i % 2 ? RDMAEV_SEVERITY_INFO : RDMAEV_SEVERITY_ERROR;
	r->ring = RDMAEV_RING_ERROR;
	r->cause = i % 2 ? r->seq - 1 : 0;
	r->count = i % 2 ? 128 : 1;
	body->info.known |= RDMAEV_KNOWN_CQ | RDMAEV_KNOWN_WR_ID;
	body->cq = (uint32_t)(i % 64);
	body->wr_id = 0x1000 + i;
	body->vendor_err = 129;
	body->peer.qpn = (uint32_t)i;
}

/* The same after a link that is down: they stand behind its line. */
static void make_behind(struct rdmaev_record *r, uint64_t i)
{
	if (i)
		return make_wc(r, i);
	set_event(r, RDMAEV_ASYNC_PORT_ERR, RDMAEV_SEVERITY_ERROR);
	set_device(r, 1);
}

/* One program moves its QPs to ERR. */
static void make_qps(struct rdmaev_record *r, uint64_t i)
{
	set_qp(r, RDMAEV_KIND_QP, RDMAEV_QP_ERR, i, 1234);
	r->body.qp.caller_pid = 1234;
	strcpy(r->body.qp.caller_comm, "python3");
}

/* Programs end, with 200 failed QPs each. */
static void make_ends(struct rdmaev_record *r, uint64_t i)
{
	set_qp(r, RDMAEV_KIND_QP, i % 2 ? RDMAEV_QP_DESTROY : RDMAEV_QP_FAILED, i / 2,
	       1000 + (unsigned int)(i / 400));
	r->severity = i % 2 ? RDMAEV_SEVERITY_WARNING : RDMAEV_SEVERITY_ERROR;
	r->cause = i % 2 ? r->seq - 1 : 0;
	r->body.info.qp_state = RDMAEV_QP_ERR;
	r->body.qp.signal = i % 2 ? 9 : 0;
	set_device(r, i / 400);
}

/* Connections that are refused, on all devices */
static void make_cm(struct rdmaev_record *r, uint64_t i)
{
	struct rdmaev_cm_body *body = &r->body.cm;

	set_qp(r, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED, i, 1234);
	set_device(r, i);
	r->severity = RDMAEV_SEVERITY_WARNING;
	body->status = 8;
	body->family = RDMAEV_FAMILY_INET;
	body->port_space = RDMAEV_PORT_SPACE_TCP;
}

static const struct sort {
	const char *name;
	void (*make)(struct rdmaev_record *r, uint64_t i);
} sorts[] = {
	{ "joined", make_joined },
	{ "orphans", make_orphans },
	{ "flap", make_flap },
	{ "ports", make_ports },
	{ "devices", make_devices },
	{ "gids", make_gids },
	{ "wc", make_wc },
	{ "behind", make_behind },
	{ "qps", make_qps },
	{ "ends", make_ends },
	{ "cm", make_cm },
};

static uint64_t append_records(const struct sort *sort, uint64_t n)
{
	struct rdmaev_record records[BATCH];
	uint64_t i, seq = 0;

	for (i = 0; i < n; i++) {
		struct rdmaev_record *r = &records[i % BATCH];

		*r = (struct rdmaev_record){
			.seq = seq + 1, .boottime_ns = SECOND + 1000 * i,
			.realtime_ns = REALTIME + 1000 * i, .count = 1, .port = 1,
			.source = RDMAEV_SOURCE_RDMAEV,
		};
		set_device(r, 0);
		sort->make(r, i);
		seq = r->seq;
		snprintf(r->device_name, sizeof(r->device_name), "bench%u", r->device);
		if ((i % BATCH == BATCH - 1 || i == n - 1) &&
		    recording_append_records(&file, records, i % BATCH + 1))
			fail("records");
	}
	return seq;
}

static void append_lists(uint64_t seq, uint64_t boottime_ns)
{
	static struct rdmaev_device devices[DEVICES];
	static struct rdmaev_port ports[DEVICES];
	struct recording_list list = {
		.list = RECORDING_DEVICES, .seq = seq, .boottime_ns = boottime_ns,
		.realtime_ns = REALTIME + boottime_ns - SECOND,
	};
	unsigned int i;

	for (i = 0; i < DEVICES; i++) {
		devices[i] = (struct rdmaev_device){
			.index = i, .generation = i + 1, .ports = 1, .node_type = 1,
			.since_ns = SECOND / 2,
		};
		snprintf(devices[i].name, sizeof(devices[i].name), "bench%u", i);
		ports[i] = (struct rdmaev_port){
			.device = i, .generation = i + 1, .port = 1, .state = RDMAEV_STATE_ACTIVE,
			.state_since_ns = SECOND / 2,
		};
	}
	if (recording_append_list(&file, &list, devices, DEVICES))
		fail("devices");
	list.list = RECORDING_PORTS;
	if (recording_append_list(&file, &list, ports, DEVICES))
		fail("ports");
	/* Those of which there is nothing */
	for (i = RECORDING_COUNTERS; i < RECORDING_LISTS; i++) {
		list.list = i;
		if (recording_append_list(&file, &list, NULL, 0))
			fail("empty lists");
	}
}

static const struct sort *find_sort(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(sorts) / sizeof(*sorts); i++)
		if (!strcmp(sorts[i].name, name))
			return &sorts[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct recording_header header = {
		.order = RECORDING_ORDER, .version = RECORDING_VERSION, .instance = 1,
		.boottime_ns = SECOND, .realtime_ns = REALTIME, .abi_version = 1, .rings = 4,
		.ring_records = 1048576, .boot_id = "boot", .host = "host", .kernel = "kernel",
	};
	const struct sort *sort = argc == 4 ? find_sort(argv[1]) : NULL;
	uint64_t n = sort ? strtoull(argv[2], NULL, 10) : 0;
	struct recording_end end = { SECOND + 1000 * n, REALTIME + 1000 * n };

	if (!n) {
		fprintf(stderr, "make_log SORT RECORDS FILE\n");
		return 2;
	}
	if (recording_create(&file, argv[3], &header))
		fail(argv[3]);
	append_lists(append_records(sort, n), end.boottime_ns);
	if (recording_append(&file, RECORDING_END, &end, sizeof(end), NULL, 0) ||
	    recording_finish(&file))
		fail("end");
	return 0;
}
