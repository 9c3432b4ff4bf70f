// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Records of probes as text and as JSON */
#include "format.h"
#include "kselftest_harness.h"

static struct rdmaev_record made_up_probe(unsigned int code)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PROBE, code);
	struct rdmaev_probe_body *body = &e.body.probe;

	e.severity = RDMAEV_SEVERITY_ERROR;
	e.source = RDMAEV_SOURCE_RDMAEV;
	e.ring = RDMAEV_RING_ERROR;
	e.port = 1;
	e.object_type = RDMAEV_OBJECT_PORT;
	body->time_ns = 5000000000;
	body->sent = 812;
	body->qp = 17;
	body->cq = 3;
	body->method = RDMAEV_PROBE_BY_RC;
	return e;
}

/* The whole line, and the whole object */
TEST(whole)
{
	struct rdmaev_record e = made_up_probe(RDMAEV_PROBE_LOST);

	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/1          PROBE_LOST           "
		     "not completed for 5s (request 812, QP 17, RC)  #41 <- #40");
	EXPECT_STREQ(JSON(&e),
		     "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\",\"boottime_ns\":\"12003456789\","
		     "\"kind\":\"probe\",\"event\":\"PROBE_LOST\",\"code\":2,\"severity\":\"error\","
		     "\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":1,\"object\":\"port\","
		     "\"object_id\":null,\"count\":1,\"cause\":40,\"pid\":0,\"comm\":null,"
		     "\"probe\":{\"time_ns\":\"5000000000\",\"sent\":812,\"qp\":17,\"cq\":3,"
		     "\"method\":\"RC\",\"call\":null,\"status\":null,\"errno\":null,\"in_cq\":false},"
		     "\"source\":\"rdmaev\",\"ring\":\"error\"}");
	EXPECT_HAS(text(&e, RDMAEV_STYLE_COLOR), "\033[31mPROBE_LOST");
	e.body.probe.flags = RDMAEV_PROBE_IN_CQ;
	EXPECT_HAS(HUMAN(&e), " completed without a notification for 5s (request 812, ");
	EXPECT_HAS(JSON(&e), "\"in_cq\":true}");
}

TEST(late_and_ok)
{
	struct rdmaev_record e = made_up_probe(RDMAEV_PROBE_LATE);

	e.severity = RDMAEV_SEVERITY_WARNING;
	e.body.probe.method = RDMAEV_PROBE_BY_CM;
	e.body.probe.time_ns = 102000000;
	EXPECT_HAS(HUMAN(&e), " PROBE_LATE           not completed for 102ms (request 812, QP 17, rdma_cm)");
	e = made_up_probe(RDMAEV_PROBE_OK);
	e.severity = RDMAEV_SEVERITY_INFO;
	EXPECT_HAS(HUMAN(&e), " PROBE_OK             completes again after 5s (request 812, QP 17, RC)");
	EXPECT_HAS(text(&e, RDMAEV_STYLE_COLOR), "\033[32mPROBE_OK");
}

/* Of a completion, or of a call */
TEST(failed)
{
	struct rdmaev_record e = made_up_probe(RDMAEV_PROBE_FAILED);

	e.body.probe.error = RDMAEV_WC_RETRY_EXC_ERR;
	EXPECT_HAS(HUMAN(&e), " PROBE_FAILED         a request failed: RETRY_EXC_ERR (request 812, QP 17, RC)");
	EXPECT_HAS(JSON(&e), "\"call\":null,\"status\":\"RETRY_EXC_ERR\",\"errno\":null,");
	e.body.probe.error = 77;
	EXPECT_HAS(HUMAN(&e), " a request failed: status 77 (");
	EXPECT_HAS(JSON(&e), "\"status\":77,");
	e.body.probe.call = RDMAEV_PROBE_CALL_CREATE_QP;
	e.body.probe.error = -12;
	e.body.probe.qp = 0;
	EXPECT_HAS(HUMAN(&e), " create_qp failed: Cannot allocate memory (-12) (request 812, RC)");
	EXPECT_HAS(JSON(&e), "\"qp\":null,\"cq\":null,\"method\":\"RC\",\"call\":\"create_qp\",\"status\":null,\"errno\":-12,");
	e.body.probe.call = 99;
	e.body.probe.method = 98;
	EXPECT_HAS(HUMAN(&e), " call 99 failed: Cannot allocate memory (-12) (request 812, method 98)");
	EXPECT_HAS(JSON(&e), "\"method\":98,\"call\":99,");
}

TEST(stuck)
{
	struct rdmaev_record e = made_up_probe(RDMAEV_PROBE_STUCK);

	e.body.probe.call = RDMAEV_PROBE_CALL_DESTROY_QP;
	EXPECT_HAS(HUMAN(&e), " PROBE_STUCK          destroy_qp has not returned for 5s (request 812, ");
	EXPECT_HAS(JSON(&e), "\"call\":\"destroy_qp\",\"status\":null,\"errno\":null,");
}

TEST_HARNESS_MAIN
