// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Port records as text and as JSON: GIDs, time in the previous state, outages.
 */
#include "format.h"
#include "kselftest_harness.h"

/* Type and network interface of a GID table entry */
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
	e.body.port.outages = 2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e.body.port.previous_ns = cases[i].ns;
		snprintf(want, sizeof(want),
			 "1970-01-02 00:00:00.064Z dev3            PORT_STATE           ACTIVE -> DOWN after %s, outage 2  #41",
			 cases[i].text);
		EXPECT_STREQ(HUMAN(&e), want);
	}
	/* A return to ACTIVE is no outage. */
	e.body.port.before.number = 1;
	e.body.port.after.number = 4;
	e.body.port.previous_ns = SEC;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3            PORT_STATE           DOWN -> ACTIVE after 1s  #41");
}

TEST(format_unseen_outage)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN);

	e.severity = RDMAEV_SEVERITY_WARNING;
	e.body.port.previous_ns = 30 * SEC;
	e.body.port.before.number = 4;
	e.body.port.after.number = 5;
	e.body.port.outages = 5;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3            PORT_OUTAGE_UNSEEN   left ACTIVE once between two queries 30s apart, outage 5  #41");
	e.count = 2;
	e.body.port.before.number = 3;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3            PORT_OUTAGE_UNSEEN   left ACTIVE 2 times between two queries 30s apart, outage 5  #41");
	EXPECT_HAS(JSON(&e), "\"event\":\"PORT_OUTAGE_UNSEEN\"");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"outages\",\"before\":3,\"after\":5,\"index\":0,\"previous_ns\":\"30000000000\",\"outages\":5}");
}

TEST(format_outage)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE);
	struct rdmaev_port_body *body = &e.body.port;

	body->before.number = 4;
	body->after.number = 2;
	body->outages = 3;
	body->down_since_ns = 77;
	body->down_ns = 7 * SEC + 4 * MS;
	EXPECT_HAS(HUMAN(&e), " PORT_OUTAGE          INIT for 7.004s, outage 3  #41");
	EXPECT_HAS(JSON(&e), "\"event\":\"PORT_OUTAGE\"");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"state\",\"before\":\"ACTIVE\",\"after\":\"INIT\",\"index\":0,\"previous_ns\":\"0\",\"outages\":3,"
		   "\"outage\":{\"since_ns\":\"77\",\"ns\":\"7004000000\",\"admin_ns\":\"0\",\"begin\":\"event\",\"end\":null,\"admin\":false}}");
	body->before.number = 0;
	body->outage_flags = RDMAEV_OUTAGE_AT_ADD | RDMAEV_OUTAGE_ADMIN;
	body->down_admin_ns = 2 * SEC;
	EXPECT_HAS(HUMAN(&e), " INIT for at least 7.004s, network device down for 2.000s, since before the device was added  #41");
	EXPECT_HAS(JSON(&e), ",\"before\":null,\"after\":\"INIT\"");
	EXPECT_HAS(JSON(&e), "\"admin_ns\":\"2000000000\",\"begin\":\"unknown\",\"end\":null,\"admin\":true}}");
}

TEST(format_outage_end)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END);
	struct rdmaev_port_body *body = &e.body.port;

	body->before.number = 1;
	body->after.number = 4;
	body->outages = 3;
	body->down_since_ns = 77;
	body->down_ns = 71 * SEC + 999999999;
	EXPECT_HAS(HUMAN(&e), " PORT_OUTAGE_END      ACTIVE after an outage of 71.999s, outage 3  #41");
	EXPECT_HAS(JSON(&e), "\"begin\":\"event\",\"end\":\"event\",\"admin\":false}}");
	body->outage_flags = RDMAEV_OUTAGE_BEGIN_FOUND;
	EXPECT_HAS(HUMAN(&e), " after an outage of at least 71.999s, outage 3  #41");
	EXPECT_HAS(JSON(&e), "\"begin\":\"query\",\"end\":\"event\",");
	body->outage_flags = RDMAEV_OUTAGE_END_FOUND;
	EXPECT_HAS(HUMAN(&e), " after an outage of at most 71.999s, outage 3  #41");
	EXPECT_HAS(JSON(&e), "\"begin\":\"event\",\"end\":\"query\",");
	body->outage_flags |= RDMAEV_OUTAGE_BEGIN_FOUND;
	EXPECT_HAS(HUMAN(&e), " after an outage of about 71.999s, outage 3  #41");
	/* A change of the state has it, too, where there is one. */
	e.code = RDMAEV_PORT_STATE;
	EXPECT_HAS(JSON(&e), "\"outage\":{\"since_ns\":\"77\",\"ns\":\"71999999999\",");
	EXPECT_HAS(HUMAN(&e), " DOWN -> ACTIVE  #41");
	body->down_since_ns = 0;
	EXPECT_HAS(JSON(&e), "\"outages\":3}");
}

TEST_HARNESS_MAIN
