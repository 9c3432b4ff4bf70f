// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pages of rdmaev report, of scripted records: page NAME FILE.html FILE.json. The
 * second file has the records of the page, as rdmaev log -j prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "report/report.h"

#define SECOND		1000000000ULL
#define MINUTE		(60 * SECOND)
#define HOUR		(60 * MINUTE)

/* 2026-11-20 10:00:00 UTC, more than a day after boot */
#define REALTIME	(1795168800ULL * SECOND)
#define BOOTTIME	(100000 * SECOND)

/* Some that a page must not take for HTML */
#define EVIL_HOST	"host<script>alert(1)</script>"
#define EVIL_DEVICE	"x\"><img src=x onerror=alert(1)>"
#define EVIL_ULP	"<b>ulp</b>&amp;'\""
#define EVIL_NOTE	"</title></svg><script>alert('note')</script> & \"quoted\" <!--"

/**
 * struct script - records as they are made
 * @log: where they go
 * @room: of @log
 * @seq: newest record
 * @ns: time of the next one, from the beginning
 */
static struct {
	struct incident_log log;
	size_t room;
	uint64_t seq;
	uint64_t ns;
} script;

static struct rdmaev_device devices[] = {
	{ .index = 0, .generation = 1, .ports = 2, .since_ns = BOOTTIME - HOUR, .name = "mlx5_0" },
	{ .index = 1, .generation = 2, .ports = 1, .since_ns = BOOTTIME - HOUR, .name = "mlx5_1" },
	{ .index = 2, .generation = 3, .ports = 1, .since_ns = BOOTTIME + 2 * MINUTE,
	  .flags = RDMAEV_DEVICE_FLAG_REMOVED, .name = EVIL_DEVICE },
};

static void at(uint64_t ns)
{
	script.ns = ns;
}

/* Append it, with the time of the script; returns its seq. */
static uint64_t add(struct rdmaev_record r)
{
	r.seq = ++script.seq;
	r.boottime_ns = BOOTTIME + script.ns;
	r.realtime_ns = REALTIME + script.ns;
	r.count = r.count ? r.count : 1;
	if (r.generation)
		memcpy(r.device_name, devices[r.generation - 1].name, sizeof(r.device_name));
	if (add_records(&script.log, &script.room, &r, 1) < 0)
		exit(2);
	script.ns += 1000000;
	return r.seq;
}

static uint64_t async(uint32_t generation, uint32_t port, unsigned int code,
		      unsigned int severity)
{
	return add((struct rdmaev_record){
		.kind = RDMAEV_KIND_ASYNC, .code = (uint16_t)code, .severity = (uint8_t)severity,
		.generation = generation, .port = port, .source = RDMAEV_SOURCE_HANDLER,
		.object_type = port ? RDMAEV_OBJECT_PORT : RDMAEV_OBJECT_DEVICE,
	});
}

/* A record of a port; an outage if it began, @since, and lasted so long */
static uint64_t port(uint32_t generation, uint32_t number, unsigned int code,
		     unsigned int before, unsigned int after, uint64_t since,
		     uint64_t lasted, uint64_t cause)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_PORT, .code = (uint16_t)code, .generation = generation,
		.port = number, .cause = cause, .object_type = RDMAEV_OBJECT_PORT,
		.severity = after >= RDMAEV_STATE_ACTIVE ? RDMAEV_SEVERITY_INFO :
			    RDMAEV_SEVERITY_WARNING,
	};

	r.body.port.before.number = before;
	r.body.port.after.number = after;
	r.body.port.down_since_ns = since ? BOOTTIME + since : 0;
	r.body.port.down_ns = lasted;
	r.body.port.outages = 1;
	/* It was ACTIVE from before the script on. */
	r.body.port.previous_ns = lasted ? lasted : script.ns + HOUR;
	return add(r);
}

static uint64_t wc(uint32_t generation, uint32_t number, uint32_t qp, unsigned int code,
		   const char *ulp, uint32_t count, uint64_t cause)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_WC, .code = (uint16_t)code, .generation = generation,
		.port = number, .cause = cause, .object_type = RDMAEV_OBJECT_QP, .object = qp,
		.severity = RDMAEV_SEVERITY_ERROR, .source = RDMAEV_SOURCE_ULP, .count = count,
	};

	r.body.wc.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ | RDMAEV_KNOWN_PEER_QPN;
	r.body.wc.peer.qpn = qp + 1000;
	r.body.wc.cq = qp / 2;
	r.body.wc.wr_id = 0x1234567890abcdefULL * qp;
	snprintf(r.body.info.owner, sizeof(r.body.info.owner), "%s", ulp);
	return add(r);
}

static uint64_t qp(uint32_t generation, uint32_t number, uint32_t object, unsigned int code,
		   uint32_t pid, const char *owner, unsigned int signal)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_QP, .code = (uint16_t)code, .generation = generation,
		.port = number, .object_type = RDMAEV_OBJECT_QP, .object = object, .pid = pid,
		.severity = signal ? RDMAEV_SEVERITY_WARNING : RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_OBSERVER,
	};

	r.body.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_STATE |
			  (pid ? RDMAEV_KNOWN_UID : 0);
	r.body.info.qp_state = RDMAEV_QP_RTS;
	r.body.qp.signal = (uint8_t)signal;
	snprintf(r.body.info.owner, sizeof(r.body.info.owner), "%s", owner);
	return add(r);
}

static uint64_t access_error(uint32_t generation, uint32_t number, uint32_t object,
			     uint32_t pid, const char *comm)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_ASYNC, .code = RDMAEV_ASYNC_QP_ACCESS_ERR,
		.generation = generation, .port = number, .object_type = RDMAEV_OBJECT_QP,
		.object = object, .pid = pid, .severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_OBSERVER,
	};

	r.body.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID;
	snprintf(r.body.info.owner, sizeof(r.body.info.owner), "%s", comm);
	return add(r);
}

static void note(uint32_t generation, const char *owner, const char *words)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_NOTE, .code = RDMAEV_NOTE_ERROR, .generation = generation,
		.port = 1, .object_type = RDMAEV_OBJECT_PORT, .severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_ULP, .ring = RDMAEV_RING_ERROR,
	};

	snprintf(r.body.info.owner, sizeof(r.body.info.owner), "%s", owner);
	snprintf(r.body.note.text, sizeof(r.body.note.text), "%s", words);
	add(r);
}

static uint64_t observer(unsigned int code, uint64_t cause, uint64_t ns)
{
	struct rdmaev_record r = {
		.kind = RDMAEV_KIND_OBSERVER, .code = (uint16_t)code, .cause = cause,
		.severity = code == RDMAEV_OBSERVER_BLIND ? RDMAEV_SEVERITY_ERROR :
			    RDMAEV_SEVERITY_WARNING,
		.source = RDMAEV_SOURCE_OBSERVER,
	};

	r.body.observer.facts = 7;
	r.body.observer.time_ns = ns;
	return add(r);
}

static void device(uint32_t generation, unsigned int code, unsigned int severity)
{
	add((struct rdmaev_record){
		.kind = RDMAEV_KIND_DEVICE, .code = (uint16_t)code, .severity = (uint8_t)severity,
		.generation = generation, .object_type = RDMAEV_OBJECT_DEVICE,
	});
}

/* The next @count records of a ring were overwritten. */
static void lose(unsigned int ring, uint32_t count)
{
	struct rdmaev_record r = {
		.seq = script.seq + count, .kind = RDMAEV_KIND_LOST, .ring = (uint8_t)ring,
		.severity = RDMAEV_SEVERITY_WARNING, .count = count,
	};

	r.body.lost.first = script.seq + 1;
	r.body.lost.last = script.seq + count;
	r.body.lost.count = count;
	script.seq += count;
	if (add_records(&script.log, &script.room, &r, 1) < 0)
		exit(2);
}

/* A port leaves ACTIVE for so long; what uses it fails. */
static void outage(uint32_t generation, uint32_t number, uint64_t ns, uint64_t lasts,
		   unsigned int qps, const char *ulp)
{
	uint64_t err, state, first, ended;
	unsigned int i;

	at(ns);
	err = async(generation, number, RDMAEV_ASYNC_PORT_ERR, RDMAEV_SEVERITY_ERROR);
	state = port(generation, number, RDMAEV_PORT_STATE, RDMAEV_STATE_ACTIVE,
		     RDMAEV_STATE_DOWN, ns, 0, err);
	for (i = 0; i < qps; i++) {
		at(ns + 2 * SECOND + i * 400000000ULL);
		first = wc(generation, number, 100 + i, RDMAEV_WC_RETRY_EXC_ERR, ulp, 1, err);
		wc(generation, number, 100 + i, RDMAEV_WC_WR_FLUSH_ERR, ulp, 127, first);
	}
	if (!lasts)
		return;
	if (lasts > 7 * SECOND) {
		at(ns + 7 * SECOND);
		state = port(generation, number, RDMAEV_PORT_OUTAGE, RDMAEV_STATE_ACTIVE,
			     RDMAEV_STATE_DOWN, ns, 7 * SECOND, state);
	}
	at(ns + lasts);
	ended = async(generation, number, RDMAEV_ASYNC_PORT_ACTIVE, RDMAEV_SEVERITY_INFO);
	port(generation, number, RDMAEV_PORT_STATE, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE, ns,
	     lasts, ended);
	if (lasts > 7 * SECOND)
		port(generation, number, RDMAEV_PORT_OUTAGE_END, RDMAEV_STATE_DOWN,
		     RDMAEV_STATE_ACTIVE, ns, lasts, state);
}

static void make_hour(void)
{
	uint64_t cause;
	unsigned int i;

	lose(RDMAEV_RING_ANY, 1200);
	at(2 * MINUTE);
	device(3, RDMAEV_DEVICE_ADD, RDMAEV_SEVERITY_INFO);
	outage(1, 1, 8 * MINUTE, 95 * SECOND, 12, "nvme_rdma");
	for (i = 0; i < 6; i++)
		outage(1, 2, 18 * MINUTE + i * 50 * SECOND, (1 + i % 3) * SECOND, 0, "");
	at(30 * MINUTE);
	access_error(1, 2, 4711, 31337, "ib_write_bw");
	at(31 * MINUTE);
	qp(1, 2, 4712, RDMAEV_QP_DESTROY, 31338, "a <b>comm</b>", 9);
	lose(RDMAEV_RING_ERROR, 345);
	at(38 * MINUTE);
	cause = observer(RDMAEV_OBSERVER_BLIND, 0, SECOND);
	at(40 * MINUTE);
	observer(RDMAEV_OBSERVER_SEEING, cause, 2 * MINUTE);
	outage(2, 1, 46 * MINUTE, 0, 3, EVIL_ULP);
	at(50 * MINUTE);
	port(2, 1, RDMAEV_PORT_STATE, RDMAEV_STATE_DOWN, RDMAEV_STATE_INIT, 0, 4 * MINUTE, 0);
	at(54 * MINUTE);
	note(1, EVIL_ULP, EVIL_NOTE);
	at(56 * MINUTE);
	async(3, 0, RDMAEV_ASYNC_DEVICE_FATAL, RDMAEV_SEVERITY_ERROR);
	device(3, RDMAEV_DEVICE_REMOVE, RDMAEV_SEVERITY_WARNING);
}

/* Ten thousand records, most of them errors */
static void make_many(void)
{
	uint64_t err = 0;
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		unsigned int is_again = i % 10;

		at(i * 350000000ULL);
		if (!is_again)
			err = async(1, 1 + i / 10 % 2, RDMAEV_ASYNC_PORT_ERR,
				    RDMAEV_SEVERITY_ERROR);
		else
			wc(1, 1 + i / 10 % 2, 100 + i * 7919 % 500,
			   is_again % 2 ? RDMAEV_WC_RETRY_EXC_ERR :
			   RDMAEV_WC_WR_FLUSH_ERR, is_again % 3 ? "nvme_rdma" : "rpcrdma",
			   127, is_again % 2 ? err : script.seq);
	}
}

/* The ports at the end */
static void make_ports(struct report *report, bool is_hour)
{
	report->ports = calloc(4, sizeof(*report->ports));
	if (!report->ports)
		exit(2);
	report->ports[report->ports_count++] = (struct rdmaev_port){
		.generation = 1, .port = 1, .state = RDMAEV_STATE_ACTIVE,
		.state_since_ns = BOOTTIME + (is_hour ? 8 * MINUTE + 95 * SECOND : 0),
	};
	report->ports[report->ports_count++] = (struct rdmaev_port){
		.generation = 1, .port = 2, .state = RDMAEV_STATE_ACTIVE,
		.state_since_ns = BOOTTIME + (is_hour ? 23 * MINUTE : 0),
	};
	report->ports[report->ports_count++] = (struct rdmaev_port){
		.generation = 2, .port = 1,
		.state = is_hour ? RDMAEV_STATE_INIT : RDMAEV_STATE_ACTIVE,
		.state_since_ns = BOOTTIME + (is_hour ? 50 * MINUTE : 0),
		.down_since_ns = is_hour ? BOOTTIME + 46 * MINUTE : 0,
	};
	if (is_hour)
		report->ports[report->ports_count++] = (struct rdmaev_port){
			.generation = 3, .port = 1, .flags = RDMAEV_PORT_FLAG_REMOVED,
		};
}

static int write_json(const char *path, const struct report *report)
{
	FILE *out = fopen(path, "w");
	uint64_t instance = 1;
	char line[4096];
	size_t i;

	if (!out)
		return -1;
	for (i = 0; i < report->log->count; i++) {
		struct text t = { .buf = line, .size = sizeof(line) };

		if (!report->shown[i])
			continue;
		format_json(&t, &report->log->nodes[i].r, &instance);
		text_end(&t);
		fprintf(out, "%s\n", line);
	}
	return fclose(out);
}

static int write_files(const char *html, const char *json, struct report *report)
{
	FILE *out = fopen(html, "w");
	int ret;

	if (!out || prepare_report(report) < 0)
		return -1;
	ret = write_report(out, report);
	if (fclose(out) || write_json(json, report))
		ret = -1;
	return ret;
}

int main(int argc, char **argv)
{
	struct report report = {
		.host = EVIL_HOST, .kernel = "6.1.0", .log = &script.log,
		.now = { .boottime_ns = BOOTTIME + HOUR, .realtime_ns = REALTIME + HOUR },
		.style = RDMAEV_STYLE_UTC,
	};
	const char *name = argc == 4 ? argv[1] : "";
	int ret;

	if (!strcmp(name, "hour"))
		make_hour();
	else if (!strcmp(name, "many"))
		make_many();
	else if (strcmp(name, "empty"))
		return 2;
	if (join_records(&script.log) < 0)
		return 2;
	script.log.devices = devices;
	script.log.devices_count = sizeof(devices) / sizeof(*devices);
	report.shown = calloc(script.log.count + 1, 1);
	if (!report.shown)
		return 2;
	memset(report.shown, 1, script.log.count);
	report.shown_count = script.log.count;
	make_ports(&report, !strcmp(name, "hour"));
	ret = write_files(argv[2], argv[3], &report);
	free_report(&report);
	script.log.devices = NULL;
	free_incidents(&script.log);
	return ret < 0 ? 2 : 0;
}
