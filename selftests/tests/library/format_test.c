// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of librdmaev as text and as JSON. The records are made up, so every kind
 * and every odd value is there.
 */
#include <limits.h>

#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

#define MS 1000000LL
#define SEC 1000000000LL

static struct rdmaev_record made_up(unsigned int kind, unsigned int code)
{
	struct rdmaev_record e = {
		.seq = 41,
		.boottime_ns = 12 * SEC + 3456789,
		.realtime_ns = 86400 * SEC + 64 * MS + 5,
		.kind = kind,
		.code = code,
		.device = 3,
		.generation = 7,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_HANDLER,
		.ring = RDMAEV_RING_INFO,
		.count = 1,
		.device_name = "dev3",
	};

	return e;
}

static const char *text(const struct rdmaev_record *e, unsigned int style)
{
	static char buf[4096];
	int n = rdmaev_format(e, style, buf, sizeof(buf));

	return n == (int)strlen(buf) ? buf : "wrong length";
}

#define HUMAN(e) text(e, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_UTC)
#define JSON(e) text(e, RDMAEV_STYLE_JSON)

/* As much of the end of a text as @end has */
static const char *end_of(const char *line, const char *end)
{
	size_t len = strlen(line), part = strlen(end);

	return line + (part < len ? len - part : 0);
}

#define EXPECT_HAS(text, part) EXPECT_NE(strstr(text, part), NULL)

#define JSON_HEAD "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\"," \
	"\"boottime_ns\":12003456789,"
#define JSON_DEVICE "\"severity\":\"info\",\"device\":\"dev3\",\"index\":3," \
	"\"generation\":7,\"port\":0,"
#define JSON_NOTHING "\"object\":null,\"object_id\":null,\"count\":1," \
	"\"cause\":0,\"pid\":0,\"comm\":null"
#define JSON_REST "\"cgroup\":null,\"qp_type\":null,\"qp_state\":null,\"peer_qpn\":null," \
	"\"peer_lid\":null,\"peer_gid\":null}"
#define JSON_ALONE ",\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null," \
	"\"srq\":null,\"source\":null,\"uid\":null," JSON_REST
#define JSON_TAIL ",\"source\":\"handler\",\"ring\":\"info\"}"

TEST(format_kinds_to_come)
{
	struct rdmaev_record e = made_up(7, 12);

	/* Its body is another: text in all places, and bits set in each number. */
	memset(&e.body, 'w', sizeof(e.body));
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":7,\"event\":\"KIND_7_12\",\"code\":12,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   KIND_7_12      #41");
	e = made_up(4711, 65535);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":4711,\"event\":\"KIND_4711_65535\",\"code\":65535,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   KIND_4711_65535  #41");
	e.object_type = RDMAEV_OBJECT_CQ;
	e.object = 5;
	e.count = 2;
	EXPECT_HAS(JSON(&e), "\"object\":\"cq\",\"object_id\":5,\"count\":2,");
	EXPECT_HAS(HUMAN(&e), " CQ 5 x2  #41");
}

TEST(format_unknown_numbers)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 77);

	e.severity = 9;
	e.object_type = 200;
	e.object = 4294967295;
	e.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.source = 8;
	e.ring = 100;
	e.count = 4294967295;
	e.pid = 4194304;
	e.cause = UINT64_MAX;
	e.port = 4294967295;
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"async\",\"event\":\"EVENT_77\",\"code\":77,\"severity\":9,\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":4294967295,\"object\":200,\"object_id\":4294967295,\"count\":4294967295,\"cause\":18446744073709551615,\"pid\":4194304,\"comm\":null"
		     JSON_ALONE ",\"source\":8,\"ring\":100}");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/4294967295 EVENT_77      object 200.4294967295 pid 4194304, 4294967295 more  #41 <- #18446744073709551615");

	e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	e.body.port.before.number = 4;
	e.body.port.after.number = 99;
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"state\",\"before\":\"ACTIVE\",\"after\":99,\"index\":0,\"previous_ns\":0,\"flaps\":0}");
	e.code = 88;
	EXPECT_HAS(JSON(&e), ",\"event\":\"PORT_88\",\"code\":88,");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":88,\"before\":4,\"after\":99,");
}

TEST(format_objects)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	e.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.pid = 4711;
	e.severity = RDMAEV_SEVERITY_ERROR;
	e.cause = 40;
	EXPECT_HAS(JSON(&e), "\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":40,\"pid\":4711,\"comm\":null,");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   QP_FATAL      QP 17 pid 4711  #41 <- #40");
	e.object_type = RDMAEV_OBJECT_PORT;
	EXPECT_HAS(JSON(&e), "\"object\":\"port\",\"object_id\":null,");
}

/* Owner and queues of an object: what a line has between event and number */
TEST(format_async)
{
	static const struct {
		unsigned int type, pid, source, known, send, recv, srq, count;
		const char *name, *comm, *human, *json;
	} cases[] = {
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 15, 3, 4, 5, 1, "nvmet", "",
		  " QP 17 of nvmet (send CQ 3, receive CQ 4, SRQ 5)  #",
		  "\"pid\":0,\"comm\":null,\"async\":{\"pid_ns\":null,\"send_cq\":3,\"recv_cq\":4,"
		  "\"srq\":5,\"source\":\"nvmet\",\"uid\":null," JSON_REST ",\"source\":\"ulp\"" },
		{ RDMAEV_OBJECT_QP, 1234, RDMAEV_SOURCE_OBSERVER, 15, 3, 3, 5, 1,
		  "uverbs", "ib_write_bw",
		  " QP 17 of ib_write_bw[1234] (CQ 3, SRQ 5)  #",
		  "\"pid\":1234,\"comm\":\"ib_write_bw\",\"async\":{\"pid_ns\":null,\"send_cq\":3,"
		  "\"recv_cq\":3,\"srq\":5,\"source\":\"uverbs\",\"uid\":null," JSON_REST ","
		  "\"source\":\"observer\"" },
		/* 0 is a number like any other */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 11, 0, 0, 0, 3, "nvmet", "",
		  " QP 17 of nvmet (CQ 0) x3  #",
		  "\"send_cq\":0,\"recv_cq\":0,\"srq\":null,"
		  "\"source\":\"nvmet\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 13, 0, 9, 0, 1, "", "",
		  " QP 17 (send CQ 0, SRQ 0)  #",
		  "\"send_cq\":0,\"recv_cq\":null,\"srq\":0,"
		  "\"source\":null,\"uid\":null," JSON_REST },
		/* ... and without its bit it is none */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 8, 3, 4, 5, 1, "iser", "",
		  " QP 17 of iser  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
		  "\"source\":\"iser\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 10, 0, 9, 0, 1, "iser", "",
		  " QP 17 of iser (receive CQ 9)  #", "\"object_id\":17," },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0, 0, 0, 0, 1, "iser", "",
		  " SRQ ? of iser  #", "\"object\":\"srq\",\"object_id\":null," },
		{ RDMAEV_OBJECT_WQ, 0, RDMAEV_SOURCE_ULP, 10, 8, 4, 8, 1, "x", "",
		  " WQ 17 of x (CQ 4)  #",
		  "\"send_cq\":null,\"recv_cq\":4,\"srq\":null,"
		  "\"source\":\"x\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0xffffe078, 3, 4, 5, 1, "x", "",
		  " SRQ 17 of x  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
		  "\"source\":\"x\",\"uid\":0," JSON_REST },
		/* who saw it is not who owns it; an owner that has no pid here */
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 1, "uverbs", "",
		  " CQ 17  #",
		  "\"comm\":null,\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null,\"source\":\"uverbs\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 2, "uverbs", "app",
		  " CQ 17 of app x2  #", "\"pid\":0,\"comm\":\"app\"," },
		{ RDMAEV_OBJECT_CQ, 9, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 1, "uverbs", "",
		  " CQ 17 pid 9  #", "\"pid\":9,\"comm\":null," },
		{ RDMAEV_OBJECT_CQ, 9, RDMAEV_SOURCE_ULP, 8, 0, 0, 0, 1, "nvmet", "",
		  " CQ 17 pid 9  #", "\"source\":\"nvmet\",\"uid\":null," JSON_REST "," },
		{ RDMAEV_OBJECT_NONE, 9, RDMAEV_SOURCE_OBSERVER, 9, 2, 0, 0, 1, "", "app",
		  " of app[9] (send CQ 2)  #", "\"object\":null,\"object_id\":null," },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);
		struct rdmaev_async_body *body = &e.body.async;

		e.object_type = cases[i].type;
		e.object = 17;
		e.pid = cases[i].pid;
		e.source = cases[i].source;
		e.count = cases[i].count;
		body->known = cases[i].known;
		body->send_cq = cases[i].send;
		body->recv_cq = cases[i].recv;
		body->srq = cases[i].srq;
		strcpy(body->source_name, cases[i].name);
		strcpy(body->comm, cases[i].comm);
		EXPECT_HAS(HUMAN(&e), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

TEST(format_uid)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);

	/* 0 is root; without its bit it is nobody */
	e.body.async.uid = 1000;
	EXPECT_HAS(JSON(&e), "\"source\":null,\"uid\":null," JSON_REST);
	e.body.async.known = RDMAEV_KNOWN_UID;
	EXPECT_HAS(JSON(&e), "\"source\":null,\"uid\":1000," JSON_REST);
	e.body.async.uid = 0;
	EXPECT_HAS(JSON(&e), "\"source\":null,\"uid\":0," JSON_REST);
	e.body.async.uid = UINT32_MAX;
	EXPECT_HAS(JSON(&e), "\"uid\":4294967295," JSON_REST);
}

/* The other end of a connection, in events and in completions */
TEST(peer)
{
	static const unsigned char gid[16] = { 0x20, 1, 0xd, 0xb8, [15] = 7 };
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);
	struct rdmaev_async_body *body = &e.body.async;

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	body->known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_QP_STATE |
		      RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_CGROUP;
	body->qp_type = 2;
	body->qp_state = 6;
	body->cgroup = 4242;
	body->peer_qpn = 77;
	body->peer_lid = 12;
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at LID 12  #41");
	EXPECT_HAS(JSON(&e), "\"cgroup\":4242,\"qp_type\":\"RC\",\"qp_state\":\"ERR\","
		   "\"peer_qpn\":77,\"peer_lid\":12,\"peer_gid\":null}");
	body->known |= RDMAEV_KNOWN_PEER_GID;
	memcpy(body->peer_gid, gid, sizeof(gid));
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at 2001:db8::7  #41");
	EXPECT_HAS(JSON(&e), "\"peer_gid\":\"2001:db8::7\"}");
	body->qp_type = 99;
	EXPECT_HAS(JSON(&e), "\"qp_type\":99,");
	e.kind = RDMAEV_KIND_WC;
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at 2001:db8::7: request");
	EXPECT_HAS(JSON(&e), "\"peer_qpn\":77,\"peer_lid\":12,\"peer_gid\":\"2001:db8::7\"},");
}

/* What an entry of a GID table is used for */
TEST(gid_type)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_GID);
	struct rdmaev_port_body *body = &e.body.port;

	body->index = 3;
	body->after.gid[15] = 1;
	EXPECT_HAS(HUMAN(&e), " [3] empty -> ::1  #41");
	EXPECT_HAS(JSON(&e), "\"gid_type_before\":null,\"netdev_before\":null,"
		   "\"gid_type_after\":null,\"netdev_after\":null}");
	body->gid_type_after = RDMAEV_GID_ROCE_V2;
	body->netdev_after = 5;
	EXPECT_HAS(HUMAN(&e), " [3] empty -> ::1 (RoCE v2, netdev 5)  #41");
	EXPECT_HAS(JSON(&e), "\"gid_type_before\":null,\"netdev_before\":null,"
		   "\"gid_type_after\":\"RoCE v2\",\"netdev_after\":5}");
	body->gid_type_after = 77;
	body->netdev_after = 0;
	EXPECT_HAS(HUMAN(&e), " ::1 (type 77)  #41");
	EXPECT_HAS(JSON(&e), "\"gid_type_after\":77,\"netdev_after\":null}");
}

/* What is folded follows from the first; what has no cause is a number of them. */
TEST(format_bursts)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 15);

	e.object_type = RDMAEV_OBJECT_SRQ;
	e.object = 5;
	e.count = 37;
	e.body.async.known = RDMAEV_KNOWN_OBJECT;
	strcpy(e.body.async.comm, "app");
	e.pid = 9;
	EXPECT_HAS(HUMAN(&e), " SRQ_LIMIT_REACHED SRQ 5 of app[9] x37  #41");
	e.cause = 40;
	EXPECT_HAS(HUMAN(&e), " SRQ_LIMIT_REACHED SRQ 5 of app[9], 37 more  #41 <- #40");
	EXPECT_HAS(JSON(&e), "\"count\":37,\"cause\":40,");
	e.count = 1;
	EXPECT_HAS(HUMAN(&e), " SRQ 5 of app[9]  #41 <- #40");

	e = made_up(RDMAEV_KIND_ASYNC, 18);
	e.object_type = RDMAEV_OBJECT_PORT;
	e.port = 1;
	e.count = 2;
	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/1 GID_CHANGE    2 more  #41 <- #40");
}

/* Unsuccessful completions: the first of a QP, and what follows it */
TEST(format_wc)
{
	static const struct {
		unsigned int code, severity, known, send, recv, srq, vendor, opcode, cq;
		unsigned int folded, count;
		uint64_t wr_id, cause;
		const char *name, *human, *json;
	} cases[] = {
		{ 12, RDMAEV_SEVERITY_ERROR, 0x3b, 3, 4, 5, 0x81, 1, 3, 0, 1, 42, 30, "nvme_rdma",
		  " RETRY_EXC_ERR QP 17 of nvme_rdma (send CQ 3, receive CQ 4): SEND from CQ 3, wr_id 0x2a, vendor error 0x81  #41 <- #30",
		  "\"event\":\"RETRY_EXC_ERR\",\"code\":12,\"severity\":\"error\",\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":0,\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":30,\"pid\":0,\"comm\":null,"
		  "\"wc\":{\"vendor_err\":129,\"opcode\":\"SEND\",\"wr_id\":42,"
		  "\"wr_id_hash\":null,\"cq\":3,\"folded\":0,\"send_cq\":3,\"recv_cq\":4,"
		  "\"srq\":null,\"source\":\"nvme_rdma\",\"uid\":null," JSON_REST ","
		  "\"source\":\"ulp\"," },
		/* nobody takes a number that stands for another for that one */
		{ 4, RDMAEV_SEVERITY_ERROR, 0x1f, 0, 0, 0, 0, 6, 0, 0, 1, 0x1f3a5b7c9d0e1f2a, 0, "nvmet",
		  " LOC_PROT_ERR  QP 17 of nvmet (CQ 0, SRQ 0): RECV, wr_id ~1f3a5b7c9d0e1f2a  #41",
		  "\"wc\":{\"vendor_err\":0,\"opcode\":\"RECV\",\"wr_id\":null,"
		  "\"wr_id_hash\":2250211554594004778,\"cq\":0,\"folded\":0,\"send_cq\":0,"
		  "\"recv_cq\":0,\"srq\":0,\"source\":\"nvmet\",\"uid\":null," JSON_REST "," },
		{ 4, RDMAEV_SEVERITY_ERROR, 8, 3, 3, 3, 0, 3, 3, 0, 1, 1, 0, "nvmet",
		  " LOC_PROT_ERR  QP 17 of nvmet: READ, wr_id ~0000000000000001  #41",
		  "\"opcode\":\"READ\",\"wr_id\":null,\"wr_id_hash\":1,"
		  "\"cq\":null,\"folded\":0,\"send_cq\":null,\"recv_cq\":null,\"srq\":null," },
		/* the QP is not known, the CQ is */
		{ 19, RDMAEV_SEVERITY_ERROR, 0x30, 0, 0, 0, UINT32_MAX, 7, 5, 0, 1, UINT64_MAX, 0, "",
		  " FATAL_ERR     QP ?: RECV_IMM from CQ 5, wr_id 0xffffffffffffffff, vendor error 0xffffffff  #41",
		  "\"object\":\"qp\",\"object_id\":null,\"count\":1,\"cause\":0,"
		  "\"pid\":0,\"comm\":null,\"wc\":{\"vendor_err\":4294967295,"
		  "\"opcode\":\"RECV_IMM\",\"wr_id\":18446744073709551615,"
		  "\"wr_id_hash\":null,\"cq\":5,\"folded\":0,\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null,\"source\":null,\"uid\":null," JSON_REST "," },
		/* flushed: after a cause, after none, after one that is forgotten */
		{ 5, RDMAEV_SEVERITY_ERROR, 0x1b, 3, 4, 0, 0xf5, 1, 3, 2, 31, 7, 40, "iser",
		  " WR_FLUSH_ERR  QP 17 of iser (send CQ 3, receive CQ 4) x31: first request from CQ 3, wr_id ~0000000000000007, vendor error 0xf5, and 2 others failed  #41 <- #40",
		  "\"count\":31,\"cause\":40,\"pid\":0,\"comm\":null,"
		  "\"wc\":{\"vendor_err\":245,\"opcode\":\"SEND\",\"wr_id\":null,"
		  "\"wr_id_hash\":7,\"cq\":3,\"folded\":2,\"send_cq\":3,\"recv_cq\":4,\"srq\":null,"
		  "\"source\":\"iser\",\"uid\":null," JSON_REST "," },
		{ 5, RDMAEV_SEVERITY_INFO, 0x3b, 3, 3, 0, 0, 6, 3, 0, 31, 8, 0, "iser",
		  " WR_FLUSH_ERR  QP 17 of iser (CQ 3) x31: first request, wr_id 0x8, cause unknown  #41",
		  "\"severity\":\"info\"," },
		{ 5, RDMAEV_SEVERITY_INFO, 0x3b, 3, 3, 0, 0, 6, 4, 1, 1, 8, 0, "iser",
		  " WR_FLUSH_ERR  QP 17 of iser (CQ 3): request from CQ 4, wr_id 0x8, and 1 other failed, cause unknown  #41",
		  "\"folded\":1," },
		{ 5, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 6, 0, UINT32_MAX, UINT32_MAX, 0, 0, "iser",
		  " WR_FLUSH_ERR  QP 17 of iser x4294967295: first request, wr_id 0x0, and 4294967295 others failed, cause forgotten  #41",
		  "\"folded\":4294967295," },
		/* numbers that nobody knows */
		{ 99, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 8, 0, 0, 1, 0, 0, "x",
		  " WC_99         QP 17 of x: opcode 8, wr_id 0x0  #41",
		  "\"event\":\"WC_99\",\"code\":99,\"severity\":\"error\"," },
		{ 65535, 77, 0xffffe008, 3, 4, 5, 0, UINT32_MAX, 6, 0, 1, 0, 0, "x",
		  " WC_65535      QP 17 of x: opcode 4294967295, wr_id ~0000000000000000  #41",
		  "\"opcode\":4294967295,\"wr_id\":null,\"wr_id_hash\":0,\"cq\":null,"
		  "\"folded\":0,\"send_cq\":null,\"recv_cq\":null,\"srq\":null," },
		{ 21, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 127, 0, 0, 1, 0, 0, "x",
		  ": opcode 127, wr_id 0x0  #41", "\"opcode\":127," },
		{ 21, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, "x",
		  ": request, wr_id 0x0  #41", "\"opcode\":\"OTHER\"," },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_record e = made_up(RDMAEV_KIND_WC, cases[i].code);
		struct rdmaev_wc_body *body = &e.body.wc;

		e.severity = cases[i].severity;
		e.object_type = RDMAEV_OBJECT_QP;
		e.object = 17;
		e.source = RDMAEV_SOURCE_ULP;
		e.count = cases[i].count;
		e.cause = cases[i].cause;
		body->known = cases[i].known;
		body->send_cq = cases[i].send;
		body->recv_cq = cases[i].recv;
		body->srq = cases[i].srq;
		body->wr_id = cases[i].wr_id;
		body->vendor_err = cases[i].vendor;
		body->opcode = cases[i].opcode;
		body->cq = cases[i].cq;
		body->folded = cases[i].folded;
		strcpy(body->source_name, cases[i].name);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

/* Where the driver does not name the QP the CQ stands for it. */
TEST(format_wc_of_cq)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_WC, 5);
	struct rdmaev_wc_body *body = &e.body.wc;

	e.object_type = RDMAEV_OBJECT_CQ;
	e.object = 5;
	e.count = 3;
	body->known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ | RDMAEV_KNOWN_WR_ID;
	body->cq = 5;
	strcpy(body->source_name, "nvmet");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   WR_FLUSH_ERR  CQ 5 of nvmet x3: first request, wr_id 0x0, cause unknown  #41");
	EXPECT_HAS(JSON(&e), "\"object\":\"cq\",\"object_id\":5,\"count\":3,");
	EXPECT_HAS(JSON(&e), "\"opcode\":\"OTHER\",\"wr_id\":0,\"wr_id_hash\":null,\"cq\":5,\"folded\":0,\"send_cq\":null,");
	/* Others than flushed ones, after a cause */
	e.code = 21;
	e.severity = RDMAEV_SEVERITY_ERROR;
	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   GENERAL_ERR   CQ 5 of nvmet x3: first request, wr_id 0x0  #41 <- #40");
}

/* What is told of a CQ */
TEST(format_completion)
{
	static const struct {
		unsigned int code, severity, type, count;
		uint64_t ns, notifications, completions, failures, empty, cause;
		const char *name, *human, *json;
	} cases[] = {
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 100,
		  2300000, 100, 512, 1, 3, 0, "nvmet",
		  " CQ_NOTIFIED   CQ 5 of nvmet: 100 notifications in 2ms, 512 completed, 1 failed, 3 empty polls  #41",
		  "\"event\":\"CQ_NOTIFIED\",\"code\":1,\"severity\":\"info\",\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":0,\"object\":\"cq\",\"object_id\":5,\"count\":100,\"cause\":0,\"pid\":0,\"comm\":null,"
		  "\"completion\":{\"time_ns\":2300000,\"notifications\":100,"
		  "\"completions\":512,\"failures\":1,\"empty_polls\":3,"
		  "\"source\":\"nvmet\"},\"source\":\"ulp\"," },
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 1, 0, 1, 0, 0, 1, 0, "x",
		  " CQ_NOTIFIED   CQ 5 of x: 1 notification in 0us, 1 empty poll  #41",
		  "\"completion\":{\"time_ns\":0,\"notifications\":1,\"completions\":0,"
		  "\"failures\":0,\"empty_polls\":1,\"source\":\"x\"}," },
		{ 2, RDMAEV_SEVERITY_ERROR, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 0, 0, 0, 0, 0, "x",
		  " CQ_STALLED    CQ 5 of x: not polled for 10s after 0 notifications  #41",
		  "\"event\":\"CQ_STALLED\",\"code\":2,\"severity\":\"error\"," },
		{ 2, RDMAEV_SEVERITY_ERROR, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 1, 0, 0, 0, 0, "x",
		  " CQ 5 of x: not polled for 10s after 1 notification  #41",
		  "\"notifications\":1," },
		{ 2, RDMAEV_SEVERITY_ERROR, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 3, 0, 0, 0, 0, "",
		  " CQ_STALLED    CQ 5: not polled for 10s after 3 notifications  #41",
		  "\"notifications\":3,\"completions\":0,\"failures\":0,"
		  "\"empty_polls\":0,\"source\":null}," },
		/* Totals of a CQ are no matter of its stall. */
		{ 2, RDMAEV_SEVERITY_ERROR, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 0, 5, 6, 7, 0, "x",
		  " CQ 5 of x: not polled for 10s after 0 notifications  #41",
		  "\"notifications\":0,\"completions\":5,\"failures\":6,\"empty_polls\":7," },
		{ 3, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 1, 12 * SEC, 3, 5, 6, 7, 40, "x",
		  " CQ_RECOVERED  CQ 5 of x: polled again after 12s  #41 <- #40",
		  "\"event\":\"CQ_RECOVERED\",\"code\":3,\"severity\":\"info\"," },
		/* What nobody knows, and as much as there can be */
		{ 9, 77, RDMAEV_OBJECT_CQ, UINT32_MAX, UINT64_MAX, UINT64_MAX,
		  UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, "x",
		  " COMPLETION_9  CQ 5 of x: 18446744073709551615 notifications in 213503d23h, 18446744073709551615 completed, 18446744073709551615 failed, 18446744073709551615 empty polls  #41 <- #18446744073709551615",
		  "\"completion\":{\"time_ns\":18446744073709551615,"
		  "\"notifications\":18446744073709551615,"
		  "\"completions\":18446744073709551615,"
		  "\"failures\":18446744073709551615,"
		  "\"empty_polls\":18446744073709551615,\"source\":\"x\"}," },
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_NONE, 1, 0, 0, 0, 0, 0, 0, "",
		  " CQ_NOTIFIED   0 notifications in 0us  #41",
		  "\"object\":null,\"object_id\":null," },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_record e = made_up(RDMAEV_KIND_COMPLETION, cases[i].code);
		struct rdmaev_completion_body *body = &e.body.completion;

		e.severity = cases[i].severity;
		e.object_type = cases[i].type;
		e.object = 5;
		e.source = RDMAEV_SOURCE_ULP;
		e.count = cases[i].count;
		e.cause = cases[i].cause;
		body->time_ns = cases[i].ns;
		body->notifications = cases[i].notifications;
		body->completions = cases[i].completions;
		body->failures = cases[i].failures;
		body->empty_polls = cases[i].empty;
		strcpy(body->source_name, cases[i].name);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

TEST(format_durations)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 1, "0us" }, { 999999, "999us" }, { MS, "1ms" },
		{ SEC - 1, "999ms" }, { SEC, "1s" }, { 59 * SEC, "59s" },
		{ 60 * SEC, "1m00s" }, { 3599 * SEC, "59m59s" },
		{ 3600 * SEC, "1h00m" }, { 11520 * SEC, "3h12m" },
		{ 86399 * SEC, "23h59m" }, { 86400 * SEC, "1d0h" },
		{ UINT64_MAX, "213503d23h" },
	};
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	unsigned int i;
	char want[128];

	e.body.port.before.number = 4;
	e.body.port.after.number = 1;
	e.body.port.flaps = 2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e.body.port.previous_ns = cases[i].ns;
		snprintf(want, sizeof(want),
			 "1970-01-02 00:00:00.064Z dev3   PORT_STATE    ACTIVE -> DOWN after %s, flap 2  #41",
			 cases[i].text);
		EXPECT_STREQ(HUMAN(&e), want);
	}
	/* Coming back is no flap. */
	e.body.port.before.number = 1;
	e.body.port.after.number = 4;
	e.body.port.previous_ns = SEC;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3   PORT_STATE    DOWN -> ACTIVE after 1s  #41");
}

TEST(format_unseen_outage)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN);

	e.severity = RDMAEV_SEVERITY_WARNING;
	e.body.port.previous_ns = 30 * SEC;
	e.body.port.before.number = 4;
	e.body.port.after.number = 5;
	e.body.port.flaps = 5;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3   PORT_OUTAGE_UNSEEN left ACTIVE once between two queries 30s apart, flap 5  #41");
	e.count = 2;
	e.body.port.before.number = 3;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3   PORT_OUTAGE_UNSEEN left ACTIVE 2 times between two queries 30s apart, flap 5  #41");
	EXPECT_HAS(JSON(&e), "\"event\":\"PORT_OUTAGE_UNSEEN\"");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"outages\",\"before\":3,\"after\":5,\"index\":0,\"previous_ns\":30000000000,\"flaps\":5}");
}

TEST(format_lost)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_LOST, 0);

	e.generation = 0;
	e.device = 0;
	e.device_name[0] = '\0';
	e.ring = RDMAEV_RING_ANY;
	e.body.lost.first = 1;
	e.body.lost.last = UINT64_MAX;
	e.body.lost.count = UINT64_MAX;
	EXPECT_HAS(JSON(&e), "\"kind\":\"lost\",\"event\":\"LOST\",\"code\":0,\"severity\":\"info\",\"device\":null,\"index\":null,\"generation\":0,\"port\":0,");
	EXPECT_HAS(JSON(&e),
		   ",\"lost\":{\"ring\":\"any\",\"first\":1,\"last\":18446744073709551615,\"count\":18446744073709551615},");
	e.ring = RDMAEV_RING_ERROR;
	e.body.lost.last = 1;
	e.body.lost.count = 1;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z -      LOST          error ring: 1 record lost (#1 to #1)  #41");
}

/* Names are made of any bytes. */
static const struct {
	const char *name, *human, *json;
} odd_names[] = {
	{ "a\"b", "a\\x22b", "a\\\"b" },
	{ "a\\b", "a\\x5cb", "a\\\\b" },
	{ "a b", "a\\x20b", "a b" },
	{ "\033[31m", "\\x1b[31m", "\\u001b[31m" },
	{ "\n\r\t\x7f", "\\x0a\\x0d\\x09\\x7f", "\\u000a\\u000d\\u0009\\u007f" },
	{ "\xc3\xbc\xe2\x82\xac", "\\xc3\\xbc\\xe2\\x82\\xac",
	  "\xc3\xbc\xe2\x82\xac" },
	{ "\xf0\x9f\x90\xa7", "\\xf0\\x9f\\x90\\xa7", "\xf0\x9f\x90\xa7" },
	{ "\xc2\x9b", "\\xc2\\x9b", "\\u009b" },
	{ "\xe2\x80\xae", "\\xe2\\x80\\xae", "\\u202e" },
	{ "\xff\x61", "\\xffa", "\\ufffda" },
	{ "\xc3", "\\xc3", "\\ufffd" },
	{ "\xc0\x80", "\\xc0\\x80", "\\ufffd\\ufffd" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	  "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ "\xe2\x82", "\\xe2\\x82", "\\ufffd\\ufffd" },
};

TEST(format_names)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME);
	char want[512];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(e.device_name, odd_names[i].name);
		strcpy(e.body.device.old_name, odd_names[i].name);
		snprintf(want, sizeof(want), " %s -> %s  #41", odd_names[i].human,
			 odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 ",\"node\":{\"name\":\"%s\",\"guid\":\"0000:0000:0000:0000\",\"old_name\":\"%s\"}",
			 odd_names[i].json, odd_names[i].json);
		EXPECT_HAS(JSON(&e), want)
			TH_LOG("%s", JSON(&e));
	}
	/* All of 63 bytes, each the longest there is. */
	memset(e.device_name, 1, 63);
	memset(e.body.device.old_name, '"', 63);
	EXPECT_EQ(strlen(strstr(HUMAN(&e), " -> ")), 4 + 63 * 4 + 5);
	EXPECT_HAS(JSON(&e), "\\\"\\\"\"},\"source\"");
	/* Unknown ones. */
	e.device_name[0] = '\0';
	e.body.device.old_name[0] = '\0';
	EXPECT_HAS(JSON(&e), "\"device\":null,\"index\":3,");
	EXPECT_HAS(JSON(&e), "\"name\":null,");
	EXPECT_HAS(JSON(&e), "\"old_name\":null}");
	EXPECT_HAS(HUMAN(&e), " #3     DEVICE_RENAME ? -> ?  #41");
}

/* ... and two of the arrays that they come in may be full to the last byte. */
TEST(format_async_names)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);
	struct rdmaev_async_body *body = &e.body.async;
	char want[512];
	unsigned int i;

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	e.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.pid = 5;
	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(body->source_name, odd_names[i].name);
		memset(body->comm, 0, sizeof(body->comm));
		e.pid = 0;
		snprintf(want, sizeof(want), " QP 17 of %s  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		strcpy(body->comm, odd_names[i].name);
		e.pid = 5;
		snprintf(want, sizeof(want), " QP 17 of %s[5]  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 "\"comm\":\"%s\",\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
			 "\"source\":\"%s\",\"uid\":null," JSON_REST ",",
			 odd_names[i].json, odd_names[i].json);
		EXPECT_HAS(JSON(&e), want)
			TH_LOG("%s", JSON(&e));
	}

	/* What follows each array is not zero, and not part of it. */
	memset(body->source_name, 's', sizeof(body->source_name));
	memset(body->comm, 'c', sizeof(body->comm));
	memset(&body->uid, 'u', sizeof(body->uid));
	memset(body->reserved, 'r', sizeof(body->reserved));
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccccc\",");
	EXPECT_HAS(JSON(&e), "\"source\":\"ssssssssssssssssssssssss\",\"uid\":null," JSON_REST ",");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccccc[5]  #41");
	body->comm[0] = '\0';
	EXPECT_HAS(JSON(&e), "\"comm\":null,");
	e.pid = 0;
	EXPECT_HAS(HUMAN(&e), " QP 17 of ssssssssssssssssssssssss  #41");
	/* A character that the end of the array cuts */
	memcpy(body->comm, "cccccccccccccc\xe2\x82", 16);
	body->reserved[0] = 0xac;
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccc\\ufffd\\ufffd\",");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccc\\xe2\\x82  #41");
}

/* The name of a ULP in the other bodies, which nothing follows */
TEST(format_source_names)
{
	static const struct {
		unsigned int kind, code, object;
		size_t at;
		const char *before, *after;
	} bodies[] = {
		{ RDMAEV_KIND_WC, 12, RDMAEV_OBJECT_QP,
		  offsetof(struct rdmaev_wc_body, source_name), " QP 17 of ", ": request, " },
		{ RDMAEV_KIND_COMPLETION, 1, RDMAEV_OBJECT_CQ,
		  offsetof(struct rdmaev_completion_body, source_name), " CQ 17 of ", ": 0 not" },
	};
	char human[512], json[512];
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(bodies); k++) {
		struct rdmaev_record e = made_up(bodies[k].kind, bodies[k].code);
		char *name = (char *)&e.body + bodies[k].at;

		e.object_type = bodies[k].object;
		e.object = 17;
		if (bodies[k].kind == RDMAEV_KIND_WC)
			e.body.wc.known = RDMAEV_KNOWN_OBJECT;
		for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
			memset(name, 0, RDMAEV_SOURCE_NAME_SIZE);
			strcpy(name, odd_names[i].name);
			snprintf(human, sizeof(human), "%s%s%s", bodies[k].before,
				 odd_names[i].human, bodies[k].after);
			EXPECT_HAS(HUMAN(&e), human)
				TH_LOG("%s", HUMAN(&e));
			snprintf(json, sizeof(json), ",\"source\":\"%s\"",
				 odd_names[i].json);
			EXPECT_HAS(JSON(&e), json)
				TH_LOG("%s", JSON(&e));
		}
		/* Without a NUL; the next field of the event is not part of it. */
		memset(name, 's', RDMAEV_SOURCE_NAME_SIZE);
		snprintf(human, sizeof(human), "%s%.24s%s", bodies[k].before,
			 "ssssssssssssssssssssssss", bodies[k].after);
		EXPECT_HAS(HUMAN(&e), human)
			TH_LOG("%s", HUMAN(&e));
		EXPECT_HAS(JSON(&e), ",\"source\":\"ssssssssssssssssssssssss\"");
		/* All of it hostile: bits that nobody knows, bytes that a terminal obeys */
		memset(&e.body, 0x9b, sizeof(e.body));
		EXPECT_EQ(strpbrk(HUMAN(&e), "\x9b\033"), NULL);
		EXPECT_EQ(strpbrk(JSON(&e), "\x9b\033"), NULL);
		EXPECT_HAS(JSON(&e), "\"source\":\"\\ufffd\\ufffd");
		EXPECT_HAS(HUMAN(&e), "\\x9b\\x9b");
	}
}

TEST(format_styles)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 10);
	char want[64];
	time_t day = 86400;
	struct tm tm;

	e.severity = RDMAEV_SEVERITY_ERROR;
	setenv("TZ", "ABC-1:30", 1);
	tzset();
	localtime_r(&day, &tm);
	strftime(want, sizeof(want), "%F %T.064 dev3   PORT_ERR       #41", &tm);
	EXPECT_STREQ(want, "1970-01-02 01:30:00.064 dev3   PORT_ERR       #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_HUMAN), want);
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO), "12.003456 dev3   PORT_ERR       #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR),
		     "12.003456 dev3   \033[31mPORT_ERR     \033[0m  \033[2m#41\033[0m");
	e = made_up(RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED);
	EXPECT_HAS(text(&e, RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR),
		   " \033[32mCQ_RECOVERED \033[0m ");
	errno = 0;
	EXPECT_EQ(rdmaev_format(&e, 2, NULL, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_format(&e, RDMAEV_STYLE_JSON | RDMAEV_STYLE_UTC, NULL, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_format(&e, 1U << 31, NULL, 0), -1);
	EXPECT_EQ(errno, EINVAL);
}

/* As snprintf(): the length that it would have, and never a byte too many. */
TEST(format_cut)
{
	static const unsigned int styles[] = {
		RDMAEV_STYLE_JSON, RDMAEV_STYLE_HUMAN,
		RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR,
	};
	struct rdmaev_record events[4] = {
		made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME),
		made_up(RDMAEV_KIND_ASYNC, 1),
		made_up(RDMAEV_KIND_WC, 5),
		made_up(RDMAEV_KIND_COMPLETION, 2),
	};
	char whole[4096], buf[4096];
	unsigned int i;
	int len, n;

	strcpy(events[0].device_name, "\"\\\x01\xc3\xbc");
	strcpy(events[0].body.device.old_name, "\xff");
	events[1].body.async.known = 15;
	memset(events[1].body.async.comm, 0xff, 16);
	memset(events[1].body.async.source_name, 0x80, 24);
	memset(&events[2].body, 0xff, sizeof(events[2].body));
	memset(&events[3].body, 0xff, sizeof(events[3].body));
	for (i = 0; i < 12; i++) {
		const struct rdmaev_record *e = &events[i % 4];
		unsigned int style = styles[i / 4];

		len = rdmaev_format(e, style, whole, sizeof(whole));
		ASSERT_GT(len, 20);
		ASSERT_EQ(strlen(whole), len);
		EXPECT_EQ(rdmaev_format(e, style, NULL, 0), len);
		for (n = 1; n <= len + 2; n++) {
			memset(buf, 'Z', sizeof(buf));
			ASSERT_EQ(rdmaev_format(e, style, buf, n), len);
			ASSERT_EQ(strlen(buf), n <= len ? n - 1 : len);
			ASSERT_EQ(memcmp(buf, whole, strlen(buf)), 0);
			ASSERT_EQ(buf[n], 'Z');
		}
	}
}

TEST_HARNESS_MAIN
