// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions as text and as JSON: unsuccessful ones, and the health of a CQ.
 */
#include "format.h"
#include "kselftest_harness.h"

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
		  " RETRY_EXC_ERR        QP 17 of nvme_rdma (send CQ 3, receive CQ 4): SEND from CQ 3, wr_id 0x2a, vendor error 0x81  #41 <- #30",
		  "\"event\":\"RETRY_EXC_ERR\",\"code\":12,\"severity\":\"error\",\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":null,\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":30,\"pid\":0,\"comm\":null,"
		  "\"wc\":{\"vendor_err\":129,\"opcode\":\"SEND\",\"wr_id\":\"0x2a\","
		  "\"wr_id_hash\":null,\"cq\":3,\"folded\":0,\"pid_ns\":null,\"send_cq\":3,\"recv_cq\":4,"
		  "\"srq\":null,\"owner\":\"nvme_rdma\",\"uid\":null," JSON_REST ","
		  "\"source\":\"ulp\"," },
		/* a hash does not look like a wr_id */
		{ 4, RDMAEV_SEVERITY_ERROR, 0x1f, 0, 0, 0, 0, 6, 0, 0, 1, 0x1f3a5b7c9d0e1f2a, 0, "nvmet",
		  " LOC_PROT_ERR         QP 17 of nvmet (CQ 0, SRQ 0): RECV, wr_id ~1f3a5b7c9d0e1f2a  #41",
		  "\"wc\":{\"vendor_err\":0,\"opcode\":\"RECV\",\"wr_id\":null,"
		  "\"wr_id_hash\":\"1f3a5b7c9d0e1f2a\",\"cq\":0,\"folded\":0,\"pid_ns\":null,\"send_cq\":0,"
		  "\"recv_cq\":0,\"srq\":0,\"owner\":\"nvmet\",\"uid\":null," JSON_REST "," },
		{ 4, RDMAEV_SEVERITY_ERROR, 8, 3, 3, 3, 0, 3, 3, 0, 1, 1, 0, "nvmet",
		  " LOC_PROT_ERR         QP 17 of nvmet: READ, wr_id ~0000000000000001  #41",
		  "\"opcode\":\"READ\",\"wr_id\":null,\"wr_id_hash\":\"0000000000000001\","
		  "\"cq\":null,\"folded\":0,\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null," },
		/* the QP is unknown, the CQ is known */
		{ 19, RDMAEV_SEVERITY_ERROR, 0x30, 0, 0, 0, UINT32_MAX, 7, 5, 0, 1, UINT64_MAX, 0, "",
		  " FATAL_ERR            QP ?: RECV_IMM from CQ 5, wr_id 0xffffffffffffffff, vendor error 0xffffffff  #41",
		  "\"object\":\"qp\",\"object_id\":null,\"count\":1,\"cause\":0,"
		  "\"pid\":0,\"comm\":null,\"wc\":{\"vendor_err\":4294967295,"
		  "\"opcode\":\"RECV_IMM\",\"wr_id\":\"0xffffffffffffffff\","
		  "\"wr_id_hash\":null,\"cq\":5,\"folded\":0,\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null,\"owner\":null,\"uid\":null," JSON_REST "," },
		/* flushed: with a cause, without one, with a forgotten one */
		{ 5, RDMAEV_SEVERITY_ERROR, 0x1b, 3, 4, 0, 0xf5, 1, 3, 2, 31, 7, 40, "iser",
		  " WR_FLUSH_ERR         QP 17 of iser (send CQ 3, receive CQ 4) x31: first request from CQ 3, wr_id ~0000000000000007, vendor error 0xf5, and 2 others failed  #41 <- #40",
		  "\"count\":31,\"cause\":40,\"pid\":0,\"comm\":null,"
		  "\"wc\":{\"vendor_err\":245,\"opcode\":\"SEND\",\"wr_id\":null,"
		  "\"wr_id_hash\":\"0000000000000007\",\"cq\":3,\"folded\":2,\"pid_ns\":null,\"send_cq\":3,\"recv_cq\":4,\"srq\":null,"
		  "\"owner\":\"iser\",\"uid\":null," JSON_REST "," },
		{ 5, RDMAEV_SEVERITY_INFO, 0x3b, 3, 3, 0, 0, 6, 3, 0, 31, 8, 0, "iser",
		  " WR_FLUSH_ERR         QP 17 of iser (CQ 3) x31: first request, wr_id 0x8, cause unknown  #41",
		  "\"severity\":\"info\"," },
		{ 5, RDMAEV_SEVERITY_INFO, 0x3b, 3, 3, 0, 0, 6, 4, 1, 1, 8, 0, "iser",
		  " WR_FLUSH_ERR         QP 17 of iser (CQ 3): request from CQ 4, wr_id 0x8, and 1 other failed, cause unknown  #41",
		  "\"folded\":1," },
		{ 5, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 6, 0, UINT32_MAX, UINT32_MAX, 0, 0, "iser",
		  " WR_FLUSH_ERR         QP 17 of iser x4294967295: first request, wr_id 0x0, and 4294967295 others failed, cause not on record  #41",
		  "\"folded\":4294967295," },
		/* unknown numbers */
		{ 99, RDMAEV_SEVERITY_ERROR, 0x28, 0, 0, 0, 0, 8, 0, 0, 1, 0, 0, "x",
		  " WC_99                QP 17 of x: opcode 8, wr_id 0x0  #41",
		  "\"event\":\"WC_99\",\"code\":99,\"severity\":\"error\"," },
		{ 65535, 77, 0xfffbe008, 3, 4, 5, 0, UINT32_MAX, 6, 0, 1, 0, 0, "x",
		  " WC_65535             QP 17 of x: opcode 4294967295, wr_id ~0000000000000000  #41",
		  "\"opcode\":4294967295,\"wr_id\":null,\"wr_id_hash\":\"0000000000000000\",\"cq\":null,"
		  "\"folded\":0,\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,\"srq\":null," },
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
		body->info.known = cases[i].known;
		body->queues.send_cq = cases[i].send;
		body->queues.recv_cq = cases[i].recv;
		body->queues.srq = cases[i].srq;
		body->wr_id = cases[i].wr_id;
		body->vendor_err = cases[i].vendor;
		body->opcode = cases[i].opcode;
		body->cq = cases[i].cq;
		body->folded = cases[i].folded;
		strcpy(body->info.owner, cases[i].name);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

/* If the driver does not name the QP, the CQ is the object. */
TEST(format_wc_of_cq)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_WC, 5);
	struct rdmaev_wc_body *body = &e.body.wc;

	e.object_type = RDMAEV_OBJECT_CQ;
	e.object = 5;
	e.count = 3;
	body->info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ | RDMAEV_KNOWN_WR_ID;
	body->cq = 5;
	strcpy(body->info.owner, "nvmet");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3            WR_FLUSH_ERR         CQ 5 of nvmet x3: first request, wr_id 0x0, cause unknown  #41");
	EXPECT_HAS(JSON(&e), "\"object\":\"cq\",\"object_id\":5,\"count\":3,");
	EXPECT_HAS(JSON(&e), "\"opcode\":\"OTHER\",\"wr_id\":\"0x0\",\"wr_id_hash\":null,\"cq\":5,\"folded\":0,\"pid_ns\":null,\"send_cq\":null,");
	/* Other failures, after a cause */
	e.code = 21;
	e.severity = RDMAEV_SEVERITY_ERROR;
	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3            GENERAL_ERR          CQ 5 of nvmet x3: first request, wr_id 0x0  #41 <- #40");
}

/* Health of a CQ */
TEST(format_completion)
{
	static const struct {
		unsigned int code, severity, type, count;
		uint64_t ns, notifications, completions, failures, empty, cause;
		const char *name, *human, *json;
	} cases[] = {
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 100,
		  2300000, 100, 512, 1, 3, 0, "nvmet",
		  " CQ_NOTIFIED          CQ 5 of nvmet: 100 notifications in 2ms, 512 completed, 1 failed, 3 empty polls  #41",
		  "\"event\":\"CQ_NOTIFIED\",\"code\":1,\"severity\":\"info\",\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":null,\"object\":\"cq\",\"object_id\":5,\"count\":100,\"cause\":0,\"pid\":0,\"comm\":null,"
		  "\"completion\":{\"time_ns\":\"2300000\",\"notifications\":100,"
		  "\"completions\":512,\"failures\":1,\"empty_polls\":3,"
		  "\"owner\":\"nvmet\"},\"source\":\"ulp\"," },
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 1, 0, 1, 0, 0, 1, 0, "x",
		  " CQ_NOTIFIED          CQ 5 of x: 1 notification in 0us, 1 empty poll  #41",
		  "\"completion\":{\"time_ns\":\"0\",\"notifications\":1,\"completions\":0,"
		  "\"failures\":0,\"empty_polls\":1,\"owner\":\"x\"}," },
		{ 2, RDMAEV_SEVERITY_WARNING, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 0, 0, 0, 0, 0, "x",
		  " CQ_STALLED           CQ 5 of x: not polled for 10s after 0 notifications  #41",
		  "\"event\":\"CQ_STALLED\",\"code\":2,\"severity\":\"warning\"," },
		{ 2, RDMAEV_SEVERITY_WARNING, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 1, 0, 0, 0, 0, "x",
		  " CQ 5 of x: not polled for 10s after 1 notification  #41",
		  "\"notifications\":1," },
		{ 2, RDMAEV_SEVERITY_WARNING, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 3, 0, 0, 0, 0, "",
		  " CQ_STALLED           CQ 5: not polled for 10s after 3 notifications  #41",
		  "\"notifications\":3,\"completions\":0,\"failures\":0,"
		  "\"empty_polls\":0,\"owner\":null}," },
		/* Totals of a CQ are not part of its stall. */
		{ 2, RDMAEV_SEVERITY_WARNING, RDMAEV_OBJECT_CQ, 1, 10 * SEC, 0, 5, 6, 7, 0, "x",
		  " CQ 5 of x: not polled for 10s after 0 notifications  #41",
		  "\"notifications\":0,\"completions\":5,\"failures\":6,\"empty_polls\":7," },
		{ 3, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_CQ, 1, 12 * SEC, 3, 5, 6, 7, 40, "x",
		  " CQ_RECOVERED         CQ 5 of x: polled again after 12s  #41 <- #40",
		  "\"event\":\"CQ_RECOVERED\",\"code\":3,\"severity\":\"info\"," },
		/* Unknown and maximum numbers */
		{ 9, 77, RDMAEV_OBJECT_CQ, UINT32_MAX, UINT64_MAX, UINT64_MAX,
		  UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, "x",
		  " COMPLETION_9         CQ 5 of x: 18446744073709551615 notifications in 213503d23h, 18446744073709551615 completed, 18446744073709551615 failed, 18446744073709551615 empty polls  #41 <- #18446744073709551615",
		  "\"completion\":{\"time_ns\":\"18446744073709551615\","
		  "\"notifications\":18446744073709551615,"
		  "\"completions\":18446744073709551615,"
		  "\"failures\":18446744073709551615,"
		  "\"empty_polls\":18446744073709551615,\"owner\":\"x\"}," },
		{ 1, RDMAEV_SEVERITY_INFO, RDMAEV_OBJECT_NONE, 1, 0, 0, 0, 0, 0, 0, "",
		  " CQ_NOTIFIED          0 notifications in 0us  #41",
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
		body->info.known = RDMAEV_KNOWN_OBJECT;
		strcpy(body->info.owner, cases[i].name);
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

TEST_HARNESS_MAIN
