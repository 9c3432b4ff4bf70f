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
	e.body.port.flaps = 2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e.body.port.previous_ns = cases[i].ns;
		snprintf(want, sizeof(want),
			 "1970-01-02 00:00:00.064Z dev3   PORT_STATE    ACTIVE -> DOWN after %s, flap 2  #41",
			 cases[i].text);
		EXPECT_STREQ(HUMAN(&e), want);
	}
	/* A return to ACTIVE is no outage. */
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

TEST_HARNESS_MAIN
