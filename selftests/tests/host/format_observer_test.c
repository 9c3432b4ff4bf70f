// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Records of RDMAEV_KIND_OBSERVER as text and as JSON, with odd values and cut. */
#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

static struct rdmaev_record made_up(unsigned int code)
{
	struct rdmaev_record e = {
		.seq = 41,
		.cause = 40,
		.kind = RDMAEV_KIND_OBSERVER,
		.code = code,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_OBSERVER,
		.count = 3,
		.body.observer = {
			.facts = RDMAEV_OBSERVED_KERNEL_EVENTS | RDMAEV_OBSERVED_QP_STATES,
			.time_ns = 3000000000,
		},
	};

	return e;
}

static const char *text(const struct rdmaev_record *e, unsigned int style)
{
	static char buf[4096];

	rdmaev_format(e, style, buf, sizeof(buf));
	return buf;
}

#define HUMAN(e) text(e, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_UTC)
#define COLOR(e) text(e, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_UTC | RDMAEV_STYLE_COLOR)
#define JSON(e) text(e, RDMAEV_STYLE_JSON)
#define EXPECT_HAS(text, part) EXPECT_NE(strstr(text, part), NULL)

TEST(codes)
{
	static const char * const human[] = {
		" OBSERVER_0           kernel events, QP states  #41 <- #40",
		" OBSERVER_STARTED     kernel events, QP states  #41",
		" OBSERVER_STOPPED     kernel events, QP states: observed for 3s  #41",
		" OBSERVER_BLIND       kernel events, QP states: not observed for 3s  #41",
		" OBSERVER_SEEING      kernel events, QP states: observed again after 3s  #41",
		" OBSERVER_MISSED      kernel events, QP states: 3 calls missed in 3s  #41",
		" OBSERVER_SUPPRESSED  3 events of processes of several users without a record, in 3s  #41",
		" OBSERVER_7           kernel events, QP states  #41",
	};
	unsigned int code;

	for (code = 0; code < ARRAY_SIZE(human); code++) {
		struct rdmaev_record e = made_up(code);

		EXPECT_HAS(HUMAN(&e), human[code]) TH_LOG("%s", HUMAN(&e));
		EXPECT_HAS(JSON(&e), ",\"observer\":{"
			   "\"facts\":[\"kernel events\",\"QP states\"],"
			   "\"time_ns\":\"3000000000\",\"uid\":null},\"source\":\"observer\",");
	}
}

TEST(suppressed)
{
	struct rdmaev_record e = made_up(RDMAEV_OBSERVER_SUPPRESSED);

	e.body.info.known = RDMAEV_KNOWN_UID;
	e.body.info.uid = 1000;
	e.count = 1;
	EXPECT_HAS(HUMAN(&e), " OBSERVER_SUPPRESSED  1 event of processes of uid 1000 without a record, in 3s  #41");
	EXPECT_HAS(JSON(&e), ",\"time_ns\":\"3000000000\",\"uid\":1000},\"source\"");
}

TEST(missed)
{
	struct rdmaev_record e = made_up(RDMAEV_OBSERVER_MISSED);

	e.ring = RDMAEV_RING_USER;
	EXPECT_HAS(HUMAN(&e), " kernel events, QP states of several users: 3 calls missed in 3s  #41");
	e.body.info.known = RDMAEV_KNOWN_UID;
	e.body.info.uid = 1000;
	EXPECT_HAS(HUMAN(&e), " kernel events, QP states of uid 1000: 3 calls missed in 3s  #41");
	EXPECT_HAS(JSON(&e), "{\"facts\":[\"kernel events\",\"QP states\"],"
		   "\"time_ns\":\"3000000000\",\"uid\":1000},\"source\"");
}

TEST(bits)
{
	struct rdmaev_record e = made_up(RDMAEV_OBSERVER_BLIND);

	e.body.observer.facts = 0;
	EXPECT_HAS(HUMAN(&e), " nothing: not");
	EXPECT_HAS(JSON(&e), "{\"facts\":[],");
	e.body.observer.facts = 1U << 30 | RDMAEV_OBSERVED_USER_EVENTS | RDMAEV_OBSERVED_QP_ENDS;
	EXPECT_HAS(HUMAN(&e), " user events, QP ends, bit 30: not");
	EXPECT_HAS(JSON(&e), "{\"facts\":[\"user events\",\"QP ends\",30],");
}

TEST(colors)
{
	struct rdmaev_record blind = made_up(RDMAEV_OBSERVER_BLIND);
	struct rdmaev_record seeing = made_up(RDMAEV_OBSERVER_SEEING);

	blind.severity = RDMAEV_SEVERITY_ERROR;
	EXPECT_HAS(COLOR(&blind), "\033[31mOBSERVER_BLIND");
	EXPECT_HAS(COLOR(&seeing), "\033[32mOBSERVER_SEEING");
}

/* As snprintf(): the length that it would have, and never a byte too many. */
TEST(cut)
{
	static const unsigned int styles[] = { RDMAEV_STYLE_JSON, RDMAEV_STYLE_HUMAN };
	struct rdmaev_record e = made_up(RDMAEV_OBSERVER_MISSED);
	char whole[4096], buf[4096];
	unsigned int i;
	int len, n;

	memset(&e.body, 0xff, sizeof(e.body));
	for (i = 0; i < ARRAY_SIZE(styles); i++) {
		len = rdmaev_format(&e, styles[i], whole, sizeof(whole));
		ASSERT_EQ(strlen(whole), len);
		for (n = 1; n <= len + 2; n++) {
			memset(buf, 'Z', sizeof(buf));
			ASSERT_EQ(rdmaev_format(&e, styles[i], buf, n), len);
			ASSERT_EQ(strlen(buf), n <= len ? n - 1 : len);
			ASSERT_EQ(memcmp(buf, whole, strlen(buf)), 0);
			ASSERT_EQ(buf[n], 'Z');
		}
	}
}

TEST_HARNESS_MAIN
