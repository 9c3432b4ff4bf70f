// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records as text and as JSON: unknown kinds and numbers, lost records, styles,
 * and the size of the buffer. Records of each kind are in the files beside this
 * one.
 */
#include "format.h"
#include "kselftest_harness.h"

#define JSON_HEAD "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\"," \
	"\"boottime_ns\":\"12003456789\","
#define JSON_DEVICE "\"severity\":\"info\",\"device\":\"dev3\",\"index\":3," \
	"\"generation\":7,\"port\":null,"
#define JSON_NOTHING "\"object\":null,\"object_id\":null,\"count\":1," \
	"\"cause\":0,\"pid\":0,\"comm\":null"
#define JSON_ALONE ",\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null," \
	"\"srq\":null,\"owner\":null,\"uid\":null," JSON_REST
#define JSON_TAIL ",\"source\":\"handler\",\"ring\":\"info\"}"

TEST(format_kinds_to_come)
{
	struct rdmaev_record e = made_up(99, 12);

	/*
	 * The body has another layout: text in all places, bits set in each
	 * number.
	 */
	memset(&e.body, 'w', sizeof(e.body));
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":99,\"event\":\"KIND_99_12\",\"code\":12,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3            KIND_99_12            #41");
	e = made_up(4711, 65535);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":4711,\"event\":\"KIND_4711_65535\",\"code\":65535,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3            KIND_4711_65535       #41");
	e.object_type = RDMAEV_OBJECT_CQ;
	e.object = 5;
	e.count = 2;
	EXPECT_HAS(JSON(&e), "\"object\":\"cq\",\"object_id\":5,\"count\":2,");
	EXPECT_HAS(HUMAN(&e), " CQ 5 x2  #41");
}

/* Numbers, too, so that the type of a time is the same 104 days after boot */
TEST(format_large_numbers)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_LOST, 0);

	e.boottime_ns = (1ULL << 53) + 1;
	EXPECT_HAS(JSON(&e), ",\"boottime_ns\":\"9007199254740993\",");
	e.seq = UINT64_MAX;
	EXPECT_HAS(JSON(&e), "{\"seq\":18446744073709551615,");
	e.body.lost.count = UINT64_MAX - 1;
	EXPECT_HAS(JSON(&e), ",\"count\":18446744073709551614}");
}

TEST(format_unknown_numbers)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 77);

	e.severity = 9;
	e.object_type = 200;
	e.object = 4294967295;
	e.body.info.known = RDMAEV_KNOWN_OBJECT;
	e.source = 8;
	e.ring = 100;
	e.count = 4294967295;
	e.pid = 4194304;
	e.cause = UINT64_MAX;
	e.port = 4294967295;
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"async\",\"event\":\"EVENT_77\",\"code\":77,\"severity\":9,\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":4294967295,\"object\":200,\"object_id\":4294967295,\"count\":4294967295,\"cause\":18446744073709551615,\"pid\":4194304,\"comm\":null"
		     JSON_ALONE ",\"source\":8,\"ring\":100}");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/4294967295 EVENT_77             object 200.4294967295 pid 4194304, 4294967295 more  #41 <- #18446744073709551615");

	e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	e.body.port.before.number = 4;
	e.body.port.after.number = 99;
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"state\",\"before\":\"ACTIVE\",\"after\":99,\"index\":0,\"previous_ns\":\"0\",\"outages\":0}");
	e.code = 88;
	EXPECT_HAS(JSON(&e), ",\"event\":\"PORT_88\",\"code\":88,");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":88,\"before\":4,\"after\":99,");
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
	EXPECT_HAS(JSON(&e), "\"kind\":\"lost\",\"event\":\"LOST\",\"code\":0,\"severity\":\"info\",\"device\":null,\"index\":null,\"generation\":0,\"port\":null,");
	EXPECT_HAS(JSON(&e),
		   ",\"lost\":{\"ring\":\"any\",\"first\":1,\"last\":18446744073709551615,\"count\":18446744073709551615},");
	e.ring = RDMAEV_RING_ERROR;
	e.body.lost.last = 1;
	e.body.lost.count = 1;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z -               LOST                 error ring: 1 record lost (#1 to #1)  #41");
}

/* What follows is in the same column for any device and event. */
TEST(format_columns)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 0);
	unsigned int kind, code, names = 0;

	strcpy(e.device_name, "rocep1s0f1v12");
	e.port = 1;
	for (kind = RDMAEV_KIND_DEVICE; kind <= RDMAEV_KIND_MAX; kind++) {
		for (code = 0; code < 64; code++) {
			const char *name = rdmaev_event_name(kind, code);

			if (!name)
				continue;
			e.kind = kind;
			e.code = code;
			EXPECT_EQ(strncmp(HUMAN(&e) + 25, "rocep1s0f1v12/1 ", 16), 0);
			EXPECT_EQ(strncmp(HUMAN(&e) + 41, name, strlen(name)), 0);
			EXPECT_EQ(HUMAN(&e)[41 + 20], ' ')
				TH_LOG("%s", name);
			names++;
		}
	}
	EXPECT_GT(names, 80);
}

TEST(format_styles)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 10);
	char want[80];
	time_t day = 86400;
	struct tm tm;

	e.severity = RDMAEV_SEVERITY_ERROR;
	setenv("TZ", "ABC-1:30", 1);
	tzset();
	localtime_r(&day, &tm);
	strftime(want, sizeof(want), "%F %T.064 dev3            PORT_ERR              #41", &tm);
	EXPECT_STREQ(want, "1970-01-02 01:30:00.064 dev3            PORT_ERR              #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_HUMAN), want);
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO), "12.003456 dev3            PORT_ERR              #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR),
		     "12.003456 dev3            \033[31mPORT_ERR            \033[0m  \033[2m#41\033[0m");
	e = made_up(RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED);
	EXPECT_HAS(text(&e, RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR),
		   " \033[32mCQ_RECOVERED        \033[0m ");
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

/* As in snprintf(): the full length, and never a byte too many. */
TEST(format_cut)
{
	static const unsigned int styles[] = {
		RDMAEV_STYLE_JSON, RDMAEV_STYLE_HUMAN,
		RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR,
	};
	struct rdmaev_record events[5] = {
		made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME),
		made_up(RDMAEV_KIND_ASYNC, 1),
		made_up(RDMAEV_KIND_WC, 5),
		made_up(RDMAEV_KIND_COMPLETION, 2),
		made_up(RDMAEV_KIND_QP, 8),
	};
	char whole[4096], buf[4096];
	unsigned int i;
	int len, n;

	strcpy(events[0].device_name, "\"\\\x01\xc3\xbc");
	strcpy(events[0].body.device.old_name, "\xff");
	events[1].body.info.known = 15;
	memset(events[1].body.info.owner, 0x80, 24);
	memset(&events[2].body, 0xff, sizeof(events[2].body));
	memset(&events[3].body, 0xff, sizeof(events[3].body));
	memset(&events[4].body, 0xff, sizeof(events[4].body));
	for (i = 0; i < 15; i++) {
		const struct rdmaev_record *e = &events[i % 5];
		unsigned int style = styles[i / 5];

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
