// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events as text and as JSON: the object, its owner, queues, peer,
 * and events folded into one record.
 */
#include "format.h"
#include "kselftest_harness.h"

TEST(format_objects)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	e.body.info.known = RDMAEV_KNOWN_OBJECT;
	e.pid = 4711;
	e.severity = RDMAEV_SEVERITY_ERROR;
	e.cause = 40;
	EXPECT_HAS(JSON(&e), "\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":40,\"pid\":4711,\"comm\":null,");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3            QP_FATAL             QP 17 pid 4711  #41 <- #40");
	e.object_type = RDMAEV_OBJECT_PORT;
	EXPECT_HAS(JSON(&e), "\"object\":\"port\",\"object_id\":null,");
}

/* Owner and queues of an object: the text between event and number */
TEST(format_async)
{
	static const struct {
		unsigned int type, pid, source, known, send, recv, srq, count;
		const char *owner, *human, *json;
	} cases[] = {
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 15, 3, 4, 5, 1, "nvmet",
		  " QP 17 of nvmet (send CQ 3, receive CQ 4, SRQ 5)  #",
		  "\"pid\":0,\"comm\":null,\"async\":{\"pid_ns\":null,\"send_cq\":3,\"recv_cq\":4,"
		  "\"srq\":5,\"owner\":\"nvmet\",\"uid\":null," JSON_REST ",\"source\":\"ulp\"" },
		{ RDMAEV_OBJECT_QP, 1234, RDMAEV_SOURCE_OBSERVER, 0x4f, 3, 3, 5, 1,
		  "ib_write_bw",
		  " QP 17 of ib_write_bw[1234] (CQ 3, SRQ 5)  #",
		  "\"pid\":1234,\"comm\":\"ib_write_bw\",\"async\":{\"pid_ns\":null,\"send_cq\":3,"
		  "\"recv_cq\":3,\"srq\":5,\"owner\":\"ib_write_bw\",\"uid\":0," JSON_REST ","
		  "\"source\":\"observer\"" },
		/* 0 is a valid number */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 11, 0, 0, 0, 3, "nvmet",
		  " QP 17 of nvmet (CQ 0) x3  #",
		  "\"send_cq\":0,\"recv_cq\":0,\"srq\":null,"
		  "\"owner\":\"nvmet\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 13, 0, 9, 0, 1, "",
		  " QP 17 (send CQ 0, SRQ 0)  #",
		  "\"send_cq\":0,\"recv_cq\":null,\"srq\":0,"
		  "\"owner\":null,\"uid\":null," JSON_REST },
		/* ... and without its bit there is none */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 8, 3, 4, 5, 1, "iser",
		  " QP 17 of iser  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
		  "\"owner\":\"iser\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 10, 0, 9, 0, 1, "iser",
		  " QP 17 of iser (receive CQ 9)  #", "\"object_id\":17," },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0, 0, 0, 0, 1, "iser",
		  " SRQ ? of iser  #", "\"object\":\"srq\",\"object_id\":null," },
		{ RDMAEV_OBJECT_WQ, 0, RDMAEV_SOURCE_ULP, 10, 8, 4, 8, 1, "x",
		  " WQ 17 of x (CQ 4)  #",
		  "\"send_cq\":null,\"recv_cq\":4,\"srq\":null,"
		  "\"owner\":\"x\",\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0xffffe078, 3, 4, 5, 1, "x",
		  " SRQ 17 of x  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
		  "\"owner\":\"x\",\"uid\":0," JSON_REST },
		/* an owner without a pid here, and one without a name */
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 1, "",
		  " CQ 17  #",
		  "\"comm\":null,\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null,\"owner\":null,\"uid\":null," JSON_REST },
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 0x48, 0, 0, 0, 2, "app",
		  " CQ 17 of app x2  #", "\"pid\":0,\"comm\":\"app\"," },
		{ RDMAEV_OBJECT_CQ, 9, RDMAEV_SOURCE_OBSERVER, 0x48, 0, 0, 0, 1, "",
		  " CQ 17 pid 9  #", "\"pid\":9,\"comm\":null," },
		{ RDMAEV_OBJECT_NONE, 9, RDMAEV_SOURCE_OBSERVER, 0x49, 2, 0, 0, 1, "app",
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
		body->info.known = cases[i].known;
		body->queues.send_cq = cases[i].send;
		body->queues.recv_cq = cases[i].recv;
		body->queues.srq = cases[i].srq;
		strcpy(body->info.owner, cases[i].owner);
		EXPECT_HAS(HUMAN(&e), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

TEST(format_uid)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);

	/* 0 is root; without its bit the uid is unknown */
	e.body.info.uid = 1000;
	EXPECT_HAS(JSON(&e), "\"owner\":null,\"uid\":null," JSON_REST);
	e.body.info.known = RDMAEV_KNOWN_UID;
	EXPECT_HAS(JSON(&e), "\"owner\":null,\"uid\":1000," JSON_REST);
	e.body.info.uid = 0;
	EXPECT_HAS(JSON(&e), "\"owner\":null,\"uid\":0," JSON_REST);
	e.body.info.uid = UINT32_MAX;
	EXPECT_HAS(JSON(&e), "\"uid\":4294967295," JSON_REST);
}

/* The peer, in events and in completions */
TEST(peer)
{
	static const unsigned char gid[16] = { 0x20, 1, 0xd, 0xb8, [15] = 7 };
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);
	struct rdmaev_async_body *body = &e.body.async;

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	body->info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_QP_STATE |
			   RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_CGROUP;
	body->info.qp_type = 2;
	body->info.qp_state = 6;
	body->info.cgroup = 4242;
	body->peer.qpn = 77;
	body->peer.lid = 12;
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at LID 12  #41");
	EXPECT_HAS(JSON(&e), "\"cgroup\":4242,\"qp_type\":\"RC\",\"qp_state\":\"ERR\","
		   "\"peer_qpn\":77,\"peer_lid\":12,\"peer_gid\":null}");
	body->info.known |= RDMAEV_KNOWN_PEER_GID;
	memcpy(body->peer.gid, gid, sizeof(gid));
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at 2001:db8::7  #41");
	EXPECT_HAS(JSON(&e), "\"peer_gid\":\"2001:db8::7\"}");
	body->info.qp_type = 99;
	EXPECT_HAS(JSON(&e), "\"qp_type\":99,");
	e.kind = RDMAEV_KIND_WC;
	EXPECT_HAS(HUMAN(&e), " QP 17, peer QP 77 at 2001:db8::7: request");
	EXPECT_HAS(JSON(&e), "\"peer_qpn\":77,\"peer_lid\":12,\"peer_gid\":\"2001:db8::7\"},");
}

/*
 * Folded events follow from the first one; without a cause, count is their
 * number.
 */
TEST(format_bursts)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 15);

	e.object_type = RDMAEV_OBJECT_SRQ;
	e.object = 5;
	e.count = 37;
	e.body.info.known = RDMAEV_KNOWN_OBJECT;
	strcpy(e.body.info.owner, "app");
	e.pid = 9;
	EXPECT_HAS(HUMAN(&e), " SRQ_LIMIT_REACHED    SRQ 5 of app[9] x37  #41");
	e.cause = 40;
	EXPECT_HAS(HUMAN(&e), " SRQ_LIMIT_REACHED    SRQ 5 of app[9], 37 more  #41 <- #40");
	EXPECT_HAS(JSON(&e), "\"count\":37,\"cause\":40,");
	e.count = 1;
	EXPECT_HAS(HUMAN(&e), " SRQ 5 of app[9]  #41 <- #40");

	e = made_up(RDMAEV_KIND_ASYNC, 18);
	e.object_type = RDMAEV_OBJECT_PORT;
	e.port = 1;
	e.count = 2;
	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/1          GID_CHANGE           2 more  #41 <- #40");
}

TEST_HARNESS_MAIN
