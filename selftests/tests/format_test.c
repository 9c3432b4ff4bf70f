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

static struct rdmaev_event made_up(unsigned int kind, unsigned int code)
{
	struct rdmaev_event e = {
		.record = {
			.seq = 41,
			.boottime_ns = 12 * SEC + 3456789,
			.realtime_ns = 86400 * SEC + 64 * MS + 5,
			.kind = kind,
			.code = code,
			.device = 3,
			.generation = 7,
			.event_class = RDMAEV_CLASS_INFO,
			.source = RDMAEV_SOURCE_HANDLER,
			.lane = RDMAEV_LANE_INFO,
			.count = 1,
		},
		.device_name = "dev3",
	};

	return e;
}

static const char *text(const struct rdmaev_event *e, unsigned int style)
{
	static char buf[4096];
	int n = rdmaev_format(e, style, buf, sizeof(buf));

	return n == (int)strlen(buf) ? buf : "wrong length";
}

#define HUMAN(e) text(e, RDMAEV_STYLE_HUMAN | RDMAEV_STYLE_UTC)
#define JSON(e) text(e, RDMAEV_STYLE_JSON)

#define EXPECT_HAS(text, part) EXPECT_NE(strstr(text, part), NULL)

#define JSON_HEAD "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\"," \
	"\"boottime_ns\":12003456789,"
#define JSON_DEVICE "\"class\":\"info\",\"device\":\"dev3\",\"index\":3," \
	"\"generation\":7,\"port\":0,"
#define JSON_NOTHING "\"object\":null,\"object_id\":null,\"count\":1," \
	"\"cause\":0,\"pid\":0,\"comm\":null"
#define JSON_ALONE ",\"async\":{\"send_cq\":null,\"recv_cq\":null," \
	"\"srq\":null,\"source\":null}"
#define JSON_TAIL ",\"source\":\"handler\",\"lane\":\"info\"}"

TEST(format_kinds_to_come)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_WC, 12);

	/* Its body is another: text in all places, and bits set in each number. */
	memset(&e.record.body, 'w', sizeof(e.record.body));
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"wc\",\"event\":\"RETRY_EXC_ERR\",\"code\":12,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   RETRY_EXC_ERR  #41");
	e = made_up(RDMAEV_KIND_WC, 99);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"wc\",\"event\":\"WC_99\",\"code\":99,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   WC_99          #41");
	e = made_up(RDMAEV_KIND_COMPLETION, 9);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"completion\",\"event\":\"COMPLETION_9\",\"code\":9,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	e = made_up(4711, 65535);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":4711,\"event\":\"KIND_4711_65535\",\"code\":65535,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   KIND_4711_65535  #41");
}

TEST(format_unknown_numbers)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 77);

	e.record.event_class = 9;
	e.record.object_type = 200;
	e.record.object = 4294967295;
	e.record.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.record.source = 8;
	e.record.lane = 100;
	e.record.count = 4294967295;
	e.record.pid = 4194304;
	e.record.cause = UINT64_MAX;
	e.record.port = 4294967295;
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"async\",\"event\":\"EVENT_77\",\"code\":77,\"class\":9,\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":4294967295,\"object\":200,\"object_id\":4294967295,\"count\":4294967295,\"cause\":18446744073709551615,\"pid\":4194304,\"comm\":null"
		     JSON_ALONE ",\"source\":8,\"lane\":100}");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/4294967295 EVENT_77      object 200.4294967295 pid 4194304 x4294967295  #41 <- #18446744073709551615");

	e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	e.record.body.port.before.number = 4;
	e.record.body.port.after.number = 99;
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":\"state\",\"before\":\"ACTIVE\",\"after\":99,\"index\":0,\"previous_ns\":0,\"flaps\":0}");
	e.record.code = 88;
	EXPECT_HAS(JSON(&e), ",\"event\":\"PORT_88\",\"code\":88,");
	EXPECT_HAS(JSON(&e), ",\"change\":{\"attribute\":88,\"before\":4,\"after\":99,");
}

TEST(format_objects)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 1);

	e.record.object_type = RDMAEV_OBJECT_QP;
	e.record.object = 17;
	e.record.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.record.pid = 4711;
	e.record.event_class = RDMAEV_CLASS_ERROR;
	e.record.cause = 40;
	EXPECT_HAS(JSON(&e), "\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":40,\"pid\":4711,\"comm\":null,");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   QP_FATAL      QP 17 pid 4711  #41 <- #40");
	e.record.object_type = RDMAEV_OBJECT_PORT;
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
		  "\"pid\":0,\"comm\":null,\"async\":{\"send_cq\":3,\"recv_cq\":4,"
		  "\"srq\":5,\"source\":\"nvmet\"},\"source\":\"ulp\"" },
		{ RDMAEV_OBJECT_QP, 1234, RDMAEV_SOURCE_OBSERVER, 15, 3, 3, 5, 1,
		  "uverbs", "ib_write_bw",
		  " QP 17 of ib_write_bw[1234] (CQ 3, SRQ 5)  #",
		  "\"pid\":1234,\"comm\":\"ib_write_bw\",\"async\":{\"send_cq\":3,"
		  "\"recv_cq\":3,\"srq\":5,\"source\":\"uverbs\"},\"source\":\"observer\"" },
		/* 0 is a number like any other */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 11, 0, 0, 0, 3, "nvmet", "",
		  " QP 17 of nvmet (CQ 0) x3  #",
		  "\"send_cq\":0,\"recv_cq\":0,\"srq\":null,\"source\":\"nvmet\"}" },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 13, 0, 9, 0, 1, "", "",
		  " QP 17 (send CQ 0, SRQ 0)  #",
		  "\"send_cq\":0,\"recv_cq\":null,\"srq\":0,\"source\":null}" },
		/* ... and without its bit it is none */
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 8, 3, 4, 5, 1, "iser", "",
		  " QP 17 of iser  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,\"source\":\"iser\"}" },
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_SOURCE_ULP, 10, 0, 9, 0, 1, "iser", "",
		  " QP 17 of iser (receive CQ 9)  #", "\"object_id\":17," },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0, 0, 0, 0, 1, "iser", "",
		  " SRQ ? of iser  #", "\"object\":\"srq\",\"object_id\":null," },
		{ RDMAEV_OBJECT_WQ, 0, RDMAEV_SOURCE_ULP, 10, 8, 4, 8, 1, "x", "",
		  " WQ 17 of x (CQ 4)  #",
		  "\"send_cq\":null,\"recv_cq\":4,\"srq\":null,\"source\":\"x\"}" },
		{ RDMAEV_OBJECT_SRQ, 0, RDMAEV_SOURCE_ULP, 0xfffffff8, 3, 4, 5, 1, "x", "",
		  " SRQ 17 of x  #",
		  "\"send_cq\":null,\"recv_cq\":null,\"srq\":null,\"source\":\"x\"}" },
		/* who saw it is not who owns it; an owner that has no pid here */
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 1, "uverbs", "",
		  " CQ 17  #",
		  "\"comm\":null,\"async\":{\"send_cq\":null,\"recv_cq\":null,"
		  "\"srq\":null,\"source\":\"uverbs\"}" },
		{ RDMAEV_OBJECT_CQ, 0, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 2, "uverbs", "app",
		  " CQ 17 of app x2  #", "\"pid\":0,\"comm\":\"app\"," },
		{ RDMAEV_OBJECT_CQ, 9, RDMAEV_SOURCE_OBSERVER, 8, 0, 0, 0, 1, "uverbs", "",
		  " CQ 17 pid 9  #", "\"pid\":9,\"comm\":null," },
		{ RDMAEV_OBJECT_CQ, 9, RDMAEV_SOURCE_ULP, 8, 0, 0, 0, 1, "nvmet", "",
		  " CQ 17 pid 9  #", "\"source\":\"nvmet\"}," },
		{ RDMAEV_OBJECT_NONE, 9, RDMAEV_SOURCE_OBSERVER, 9, 2, 0, 0, 1, "", "app",
		  " of app[9] (send CQ 2)  #", "\"object\":null,\"object_id\":null," },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 1);
		struct rdmaev_async_body *body = &e.record.body.async;

		e.record.object_type = cases[i].type;
		e.record.object = 17;
		e.record.pid = cases[i].pid;
		e.record.source = cases[i].source;
		e.record.count = cases[i].count;
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
	struct rdmaev_event e = made_up(RDMAEV_KIND_PORT, RDMAEV_PORT_STATE);
	unsigned int i;
	char want[128];

	e.record.body.port.before.number = 4;
	e.record.body.port.after.number = 1;
	e.record.body.port.flaps = 2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e.record.body.port.previous_ns = cases[i].ns;
		snprintf(want, sizeof(want),
			 "1970-01-02 00:00:00.064Z dev3   PORT_STATE    ACTIVE -> DOWN after %s, flap 2  #41",
			 cases[i].text);
		EXPECT_STREQ(HUMAN(&e), want);
	}
	/* Coming back is no flap. */
	e.record.body.port.before.number = 1;
	e.record.body.port.after.number = 4;
	e.record.body.port.previous_ns = SEC;
	EXPECT_STREQ(HUMAN(&e),
		     "1970-01-02 00:00:00.064Z dev3   PORT_STATE    DOWN -> ACTIVE after 1s  #41");
}

TEST(format_lost)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_LOST, 0);

	e.record.generation = 0;
	e.record.device = 0;
	e.device_name[0] = '\0';
	e.record.lane = RDMAEV_LANE_ANY;
	e.record.body.lost.first = 1;
	e.record.body.lost.last = UINT64_MAX;
	e.record.body.lost.count = UINT64_MAX;
	EXPECT_HAS(JSON(&e), "\"kind\":\"lost\",\"event\":\"LOST\",\"code\":0,\"class\":\"info\",\"device\":null,\"index\":null,\"generation\":0,\"port\":0,");
	EXPECT_HAS(JSON(&e),
		   ",\"lost\":{\"lane\":\"any\",\"first\":1,\"last\":18446744073709551615,\"count\":18446744073709551615},");
	e.record.lane = RDMAEV_LANE_ERROR;
	e.record.body.lost.last = 1;
	e.record.body.lost.count = 1;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z -      LOST          error lane: 1 record lost (#1 to #1)  #41");
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
	struct rdmaev_event e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME);
	char want[512];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(e.device_name, odd_names[i].name);
		strcpy(e.old_name, odd_names[i].name);
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
	memset(e.old_name, '"', 63);
	EXPECT_EQ(strlen(strstr(HUMAN(&e), " -> ")), 4 + 63 * 4 + 5);
	EXPECT_HAS(JSON(&e), "\\\"\\\"\"},\"source\"");
	/* Unknown ones. */
	strcpy(e.device_name, "#3");
	e.old_name[0] = '\0';
	EXPECT_HAS(JSON(&e), "\"device\":null,\"index\":3,");
	EXPECT_HAS(JSON(&e), "\"name\":null,");
	EXPECT_HAS(JSON(&e), "\"old_name\":null}");
	EXPECT_HAS(HUMAN(&e), " #3     DEVICE_RENAME ? -> #3  #41");
}

/* ... and two of the arrays that they come in may be full to the last byte. */
TEST(format_async_names)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 1);
	struct rdmaev_async_body *body = &e.record.body.async;
	char want[512];
	unsigned int i;

	e.record.object_type = RDMAEV_OBJECT_QP;
	e.record.object = 17;
	e.record.body.async.known = RDMAEV_KNOWN_OBJECT;
	e.record.pid = 5;
	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(body->source_name, odd_names[i].name);
		memset(body->comm, 0, sizeof(body->comm));
		e.record.pid = 0;
		snprintf(want, sizeof(want), " QP 17 of %s  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		strcpy(body->comm, odd_names[i].name);
		e.record.pid = 5;
		snprintf(want, sizeof(want), " QP 17 of %s[5]  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 "\"comm\":\"%s\",\"async\":{\"send_cq\":null,\"recv_cq\":null,\"srq\":null,\"source\":\"%s\"},",
			 odd_names[i].json, odd_names[i].json);
		EXPECT_HAS(JSON(&e), want)
			TH_LOG("%s", JSON(&e));
	}

	/* What follows each array is not zero, and not part of it. */
	memset(body->source_name, 's', sizeof(body->source_name));
	memset(body->comm, 'c', sizeof(body->comm));
	memset(body->reserved, 'r', sizeof(body->reserved));
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccccc\",");
	EXPECT_HAS(JSON(&e), "\"source\":\"ssssssssssssssssssssssss\"},");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccccc[5]  #41");
	body->comm[0] = '\0';
	EXPECT_HAS(JSON(&e), "\"comm\":null,");
	e.record.pid = 0;
	EXPECT_HAS(HUMAN(&e), " QP 17 of ssssssssssssssssssssssss  #41");
	/* A character that the end of the array cuts */
	memcpy(body->comm, "cccccccccccccc\xe2\x82", 16);
	body->reserved[0] = 0xac;
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccc\\ufffd\\ufffd\",");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccc\\xe2\\x82  #41");
}

TEST(format_styles)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 10);
	char want[64];
	time_t day = 86400;
	struct tm tm;

	e.record.event_class = RDMAEV_CLASS_ERROR;
	setenv("TZ", "ABC-1:30", 1);
	tzset();
	localtime_r(&day, &tm);
	strftime(want, sizeof(want), "%F %T.064 dev3   PORT_ERR       #41", &tm);
	EXPECT_STREQ(want, "1970-01-02 01:30:00.064 dev3   PORT_ERR       #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_HUMAN), want);
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO), "12.003456 dev3   PORT_ERR       #41");
	EXPECT_STREQ(text(&e, RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR),
		     "12.003456 dev3   \033[31mPORT_ERR     \033[0m  \033[2m#41\033[0m");
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
	struct rdmaev_event events[2] = {
		made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME),
		made_up(RDMAEV_KIND_ASYNC, 1),
	};
	char whole[4096], buf[4096];
	unsigned int i;
	int len, n;

	strcpy(events[0].device_name, "\"\\\x01\xc3\xbc");
	strcpy(events[0].old_name, "\xff");
	events[1].record.body.async.known = 15;
	memset(events[1].record.body.async.comm, 0xff, 16);
	memset(events[1].record.body.async.source_name, 0x80, 24);
	for (i = 0; i < 6; i++) {
		const struct rdmaev_event *e = &events[i % 2];
		unsigned int style = styles[i / 2];

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
