// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Make the recording that selftests/held/hold keeps: make_recording FILE. It has a record of
 * every kind and code and every list. All values are made up, and no two fields of a
 * structure have the same one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make_recording.h"

/* 2026-11-20 10:00:00 UTC */
#define REALTIME	(1795168800ULL * SECOND)

/* All bits of known that this version has */
#define KNOWN_ALL	(RDMAEV_KNOWN_GID | (RDMAEV_KNOWN_GID - 1))

#define PICK(list, i)	((list)[(i) % (sizeof(list) / sizeof(*(list)))])

static const char * const device_names[] = { "", "held0", "held1", "held2" };

static uint64_t seq;
static struct recording_writer file;

void fail(const char *what)
{
	fprintf(stderr, "make_recording: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Bytes that differ from each other, and from those of the record before. None is 0. */
static void fill(void *to, size_t size)
{
	static unsigned int byte;
	unsigned char *bytes = to;
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (unsigned char)(1 + byte++ % 255);
	byte += 7;
}

static void fill_info(struct rdmaev_object_info *info, uint32_t known, unsigned int i)
{
	static const uint8_t types[] = { 0, 1, 2, 3, 4, 8, 9, 10, 255, 77 };

	info->known = known;
	memset(info->owner, 0, sizeof(info->owner));
	if (known)
		snprintf(info->owner, sizeof(info->owner), "owner %u", i);
	info->qp_type = PICK(types, i);
	info->qp_state = (uint8_t)(i % 8);
	memset(info->reserved, 0, sizeof(info->reserved));
}

#define CLEAR_RESERVED(body) memset((body)->reserved, 0, sizeof((body)->reserved))

static void fill_device(struct rdmaev_record *r)
{
	struct rdmaev_device_body *body = &r->body.device;

	memset(body->old_name, 0, sizeof(body->old_name));
	if (r->code == RDMAEV_DEVICE_RENAME)
		strcpy(body->old_name, "older0");
	body->missing = r->code == RDMAEV_DEVICE_INCOMPLETE ?
			RDMAEV_PART_UVERBS | RDMAEV_PART_UMAD : 0;
	memset(body->remover_comm, 0, sizeof(body->remover_comm));
	memset(body->netdev, 0, sizeof(body->netdev));
	body->netdev_change = RDMAEV_NETDEV_NONE;
	if (r->code == RDMAEV_DEVICE_REMOVE || r->code == RDMAEV_DEVICE_REMOVED) {
		strcpy(body->remover_comm, "remover");
		strcpy(body->netdev, "netdev");
		body->netdev_change = RDMAEV_NETDEV_MOVED;
		body->removing_since_ns = r->boottime_ns / 2 + 1;
	} else {
		body->remover_pid = 0;
		body->removing_since_ns = 0;
	}
	CLEAR_RESERVED(body);
}

static void fill_port(struct rdmaev_record *r)
{
	static const uint8_t before[] = {
		0, 4, 2, 17, 18, 4, 1, 0, 19, 20, 5, 1, 0, 0, 21,
	}, after[] = {
		0, 1, 5, 33, 34, 32, 2, 0, 35, 22, 2, 4, 0, 0, 36,
	};
	struct rdmaev_port_body *body = &r->body.port;

	if (r->code != RDMAEV_PORT_GID) {
		memset(&body->before, 0, sizeof(body->before));
		memset(&body->after, 0, sizeof(body->after));
		body->before.number = PICK(before, r->code);
		body->after.number = PICK(after, r->code);
		body->gid_type_before = 0;
		body->gid_type_after = 0;
		body->netdev_before = 0;
		body->netdev_after = 0;
	} else {
		body->gid_type_before = RDMAEV_GID_ROCE_V1;
		body->gid_type_after = RDMAEV_GID_ROCE_V2;
	}
	body->outages = 1000 + r->code;
	body->outage_flags = r->code % 16;
	if (r->code != RDMAEV_PORT_STATE &&
	    (r->code < RDMAEV_PORT_OUTAGE_UNSEEN || r->code > RDMAEV_PORT_OUTAGE_END)) {
		body->down_since_ns = 0;
		body->down_ns = 0;
		body->down_admin_ns = 0;
		body->outage_flags = 0;
	}
	CLEAR_RESERVED(body);
}

static void fill_qp(struct rdmaev_record *r, uint32_t known, unsigned int i)
{
	struct rdmaev_qp_body *body = &r->body.qp;

	memset(&body->origin, 0, sizeof(body->origin));
	memset(body->caller_comm, 0, sizeof(body->caller_comm));
	if (known & RDMAEV_KNOWN_CALLER)
		snprintf(body->origin.caller, sizeof(body->origin.caller), "caller_%u", i);
	if (known & RDMAEV_KNOWN_GID) {
		body->origin.gid[0] = 0xfe;
		body->origin.gid[1] = 0x80;
		body->origin.gid[15] = (uint8_t)i;
	}
	if (known) {
		snprintf(body->caller_comm, sizeof(body->caller_comm), "comm %u", i);
	} else {
		body->caller_pid = 0;
		body->signal = 0;
	}
	body->result = -(int)i;
	body->path_mtu = (uint16_t)(256 << i % 5);
	CLEAR_RESERVED(body);
}

static void fill_cm(struct rdmaev_record *r, unsigned int i)
{
	static const uint16_t families[] = { RDMAEV_FAMILY_INET, RDMAEV_FAMILY_INET6,
					     RDMAEV_FAMILY_IB, 99 };
	static const uint16_t spaces[] = { RDMAEV_PORT_SPACE_IPOIB, RDMAEV_PORT_SPACE_IB,
					   RDMAEV_PORT_SPACE_TCP, RDMAEV_PORT_SPACE_UDP, 98 };
	struct rdmaev_cm_body *body = &r->body.cm;

	body->status = r->code == RDMAEV_CM_REJECTED ? 8 + (int)i % 2 * 20 : -100 - (int)i;
	body->family = PICK(families, i);
	body->port_space = PICK(spaces, i);
	if (body->family == RDMAEV_FAMILY_INET) {
		memset(body->local_addr, 0, 10);
		memset(body->local_addr + 10, 0xff, 2);
		memcpy(body->peer_addr, body->local_addr, 12);
	}
	CLEAR_RESERVED(body);
}

static void fill_probe(struct rdmaev_record *r, uint32_t known, unsigned int i)
{
	struct rdmaev_probe_body *body = &r->body.probe;

	body->flags = r->code == RDMAEV_PROBE_LOST ? RDMAEV_PROBE_IN_CQ : 0;
	body->method = i % 5;
	if (!known)
		body->qp = 0;
	body->call = r->code == RDMAEV_PROBE_FAILED || r->code == RDMAEV_PROBE_STUCK ?
		     i % 15 : 0;
	body->error = body->call ? -1 - (int)i : 12;
	CLEAR_RESERVED(body);
}

/*
 * @i: a number that differs from record to record. Without a bit in @known, those fields
 * of which 0 means unknown are 0, and the others stay: nobody may look at them.
 */
static void fill_body(struct rdmaev_record *r, uint32_t known, unsigned int i)
{
	fill(&r->body, sizeof(r->body));
	switch (r->kind) {
	case RDMAEV_KIND_DEVICE:
		return fill_device(r);
	case RDMAEV_KIND_PORT:
		return fill_port(r);
	case RDMAEV_KIND_PROBE:
		return fill_probe(r, known, i);
	case RDMAEV_KIND_LOST:
		r->body.lost.first = r->seq - 3;
		r->body.lost.last = r->seq;
		r->body.lost.count = r->count;
		CLEAR_RESERVED(&r->body.lost);
		return;
	case RDMAEV_KIND_ASYNC:
		CLEAR_RESERVED(&r->body.async);
		break;
	case RDMAEV_KIND_WC:
		r->body.wc.opcode = i % 9;
		CLEAR_RESERVED(&r->body.wc);
		break;
	case RDMAEV_KIND_COMPLETION:
		CLEAR_RESERVED(&r->body.completion);
		break;
	case RDMAEV_KIND_QP:
		/* They have one place. */
		known &= ~(RDMAEV_KNOWN_GID | RDMAEV_KNOWN_CALLER);
		if (known)
			known |= i % 2 ? RDMAEV_KNOWN_CALLER : RDMAEV_KNOWN_GID;
		fill_qp(r, known, i);
		break;
	case RDMAEV_KIND_OBSERVER:
		r->body.observer.facts = 3U << i % 9;
		CLEAR_RESERVED(&r->body.observer);
		break;
	case RDMAEV_KIND_CM:
		fill_cm(r, i);
		break;
	case RDMAEV_KIND_NOTE:
		memset(r->body.note.text, 0, sizeof(r->body.note.text));
		snprintf(r->body.note.text, sizeof(r->body.note.text), "text \"%u\"", i);
		CLEAR_RESERVED(&r->body.note);
		break;
	}
	fill_info(&r->body.info, known, i);
}

static void append(const struct rdmaev_record *r)
{
	if (recording_append_records(&file, r, 1))
		fail("records");
}

/* A record, whose other fields follow from its number */
static void add(unsigned int kind, unsigned int code, uint32_t known)
{
	static unsigned int i;
	struct rdmaev_record r = {
		.kind = (uint16_t)kind, .code = (uint16_t)code,
		.object_type = (uint8_t)(kind == RDMAEV_KIND_PORT ? RDMAEV_OBJECT_PORT : i % 8),
		.severity = (uint8_t)(1 + i % 4), .source = (uint8_t)(i % 5),
		.ring = (uint8_t)(i % 5 == 4 ? RDMAEV_RING_ANY : i % 5),
		.port = i % 3 ? 1 + i % 2 : RDMAEV_NO_PORT,
		.object = 5000 + i, .count = 1 + i, .pid = i % 4 ? 300 + i : 0,
	};

	seq += kind == RDMAEV_KIND_LOST ? 4 : 1;
	r.seq = seq;
	r.boottime_ns = seq * SECOND;
	r.realtime_ns = REALTIME + seq * SECOND;
	r.cause = i % 3 == 1 ? seq - 1 : 0;
	if (kind != RDMAEV_KIND_OBSERVER && kind != RDMAEV_KIND_LOST) {
		r.generation = 1 + i % 3;
		r.device = 6 + r.generation;
		strcpy(r.device_name, device_names[r.generation]);
	}
	fill_body(&r, known, i++);
	append(&r);
}

/* Codes from @first to @last; the first with all bits of known, too */
static void add_codes(unsigned int kind, unsigned int first, unsigned int last)
{
	unsigned int code;

	add(kind, first, KNOWN_ALL);
	for (code = first; code <= last; code++)
		add(kind, code, code == first ? 0 : KNOWN_ALL >> code % 5);
}

static void add_records(void)
{
	add_codes(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_ADD, RDMAEV_DEVICE_REMOVED);
	add_codes(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE, RDMAEV_PORT_MTU + 1);
	add_codes(RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_CQ_ERR, RDMAEV_ASYNC_DEVICE_SPEED_CHANGE + 1);
	add_codes(RDMAEV_KIND_WC, RDMAEV_WC_SUCCESS, RDMAEV_WC_TM_RNDV_INCOMPLETE + 1);
	add_codes(RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_NOTIFIED,
		  RDMAEV_COMPLETION_RECOVERED);
	add_codes(RDMAEV_KIND_LOST, 0, 4);
	add_codes(RDMAEV_KIND_QP, RDMAEV_QP_RESET, RDMAEV_QP_ERR);
	add_codes(RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, RDMAEV_QP_CREATE_CONTEXT);
	add_codes(RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_STARTED, RDMAEV_OBSERVER_SUPPRESSED);
	add_codes(RDMAEV_KIND_CM, RDMAEV_CM_ADDR_RESOLVED, RDMAEV_CM_INTERNAL + 1);
	add_codes(RDMAEV_KIND_NOTE, RDMAEV_NOTE_INFO, RDMAEV_NOTE_ERROR);
	add_codes(RDMAEV_KIND_PROBE, RDMAEV_PROBE_LATE, RDMAEV_PROBE_OK);
	/* Of a later version */
	add(31, 65535, 0);
}

/* One that makes sense: a port leaves ACTIVE, a QP fails, the port is ACTIVE again. */
static void add_incident(void)
{
	struct rdmaev_record r = {
		.device = 7, .generation = 1, .port = 1, .count = 1, .device_name = "held0",
		.severity = RDMAEV_SEVERITY_ERROR, .object_type = RDMAEV_OBJECT_PORT,
	};
	static const struct {
		uint16_t kind, code;
		uint8_t before, after;
	} steps[] = {
		{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR, 0, 0 },
		{ RDMAEV_KIND_PORT, RDMAEV_PORT_STATE, 4, 1 },
		{ RDMAEV_KIND_PORT, RDMAEV_PORT_PHYS_STATE, 5, 3 },
		{ RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR, 0, 0 },
		{ RDMAEV_KIND_PORT, RDMAEV_PORT_STATE, 1, 4 },
	};
	const uint64_t first = seq + 1;
	unsigned int i;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		r.seq = ++seq;
		r.boottime_ns = seq * SECOND;
		r.realtime_ns = REALTIME + seq * SECOND;
		r.kind = steps[i].kind;
		r.code = steps[i].code;
		r.cause = i && i < 4 ? first : 0;
		memset(&r.body, 0, sizeof(r.body));
		r.object = 0;
		if (r.kind == RDMAEV_KIND_WC) {
			r.object_type = RDMAEV_OBJECT_QP;
			r.object = 4711;
			r.body.info.known = RDMAEV_KNOWN_OBJECT;
			strcpy(r.body.info.owner, "held_ulp");
		} else if (r.kind == RDMAEV_KIND_PORT) {
			r.object_type = RDMAEV_OBJECT_PORT;
			r.severity = RDMAEV_SEVERITY_WARNING;
			r.body.port.before.number = steps[i].before;
			r.body.port.after.number = steps[i].after;
			r.body.port.down_since_ns = first * SECOND;
			r.body.port.down_ns = (seq - first) * SECOND;
			r.body.port.outages = 3;
		}
		append(&r);
	}
}

int main(int argc, char **argv)
{
	struct recording_header header = {
		.order = RECORDING_ORDER, .version = RECORDING_VERSION,
		.instance = 0x0123456789abcdefULL, .boottime_ns = SECOND,
		.realtime_ns = REALTIME + SECOND, .abi_version = 1, .rings = 4,
		.ring_records = 8192, .boot_id = "held-boot", .host = "held-host",
		.kernel = "held-kernel",
	};
	struct recording_end end;

	if (argc != 2)
		return 2;
	if (recording_create(&file, argv[1], &header))
		fail(argv[1]);
	add_records();
	add_incident();
	end = (struct recording_end){ (seq + 60) * SECOND, REALTIME + (seq + 60) * SECOND };
	append_lists(&file, seq);
	if (recording_append(&file, RECORDING_END, &end, sizeof(end), NULL, 0) ||
	    recording_finish(&file))
		fail("end");
	return 0;
}
