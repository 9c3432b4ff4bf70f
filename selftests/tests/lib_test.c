// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: every public function, its errors, names over renames, threads.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

#define MS 1000000LL
#define SEC 1000000000LL

static int test_events_only(struct rdmaev *h)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	f.codes[RDMAEV_KIND_ASYNC] = 1ULL << 63;
	return rdmaev_set_filter(h, &f);
}

static uint64_t newest(struct rdmaev *h)
{
	struct rdmaev_info info;

	return rdmaev_info(h, &info) ? 0 : info.newest_seq;
}

static int descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* What needs no device */

TEST(open_errors)
{
	int before = descriptors();

	errno = 0;
	EXPECT_EQ(rdmaev_open(NULL, 2), NULL);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_open(NULL, ~0U), NULL);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_open("/nowhere/rdmaev", 0), NULL);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(rdmaev_open("/dev/null", 0), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(rdmaev_open("/dev/zero", RDMAEV_NONBLOCK), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(rdmaev_open("/proc/self/status", 0), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(descriptors(), before);
}

TEST(open_not_allowed)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(9);
		_exit(rdmaev_open(NULL, 0) ? 8 : errno == EACCES ? 0 : 7);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

TEST(close_leaves_errno)
{
	int before = descriptors();
	struct rdmaev *h;

	errno = 1234;
	rdmaev_close(NULL);
	EXPECT_EQ(errno, 1234);
	h = rdmaev_open(NULL, 0);
	ASSERT_NE(h, NULL);
	errno = 1234;
	rdmaev_close(h);
	EXPECT_EQ(errno, 1234);
	EXPECT_EQ(descriptors(), before);
}

TEST(many_handles)
{
	struct rdmaev *h[100];
	int before = descriptors(), i, fd;

	for (i = 0; i < 100; i++) {
		h[i] = rdmaev_open(RDMAEV_NODE, i % 2 ? RDMAEV_NONBLOCK : 0);
		ASSERT_NE(h[i], NULL);
		fd = rdmaev_fd(h[i]);
		EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
		EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
		EXPECT_EQ(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	}
	EXPECT_EQ(descriptors(), before + 200);
	for (i = before; i < 1024; i++)
		if (fcntl(i, F_GETFD) >= 0)
			EXPECT_EQ(fcntl(i, F_GETFD), FD_CLOEXEC);
	for (i = 0; i < 100; i++)
		rdmaev_close(h[i]);
	EXPECT_EQ(descriptors(), before);
}

TEST(parse)
{
	static const struct {
		const char *name;
		unsigned int kind, code;
	} good[] = {
		{ "PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "port_err", RDMAEV_KIND_ASYNC, 10 },
		{ "Port-Err", RDMAEV_KIND_ASYNC, 10 },
		{ "IB_EVENT_PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "ib_event_port_err", RDMAEV_KIND_ASYNC, 10 },
		{ "IBV_EVENT_PORT_ERR", RDMAEV_KIND_ASYNC, 10 },
		{ "ibv-event-port-err", RDMAEV_KIND_ASYNC, 10 },
		{ "10", RDMAEV_KIND_ASYNC, 10 },
		{ "0", RDMAEV_KIND_ASYNC, 0 },
		{ "77", RDMAEV_KIND_ASYNC, 77 },
		{ "EVENT_77", RDMAEV_KIND_ASYNC, 77 },
		{ "65535", RDMAEV_KIND_ASYNC, 65535 },
		{ "PORT_STATE", RDMAEV_KIND_PORT, RDMAEV_PORT_STATE },
		{ "port_gid", RDMAEV_KIND_PORT, RDMAEV_PORT_GID },
		{ "DEVICE_ADD", RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_ADD },
		{ "LOST", RDMAEV_KIND_LOST, 0 },
	};
	static const char * const bad[] = {
		"", "PORT", "PORT_ERRX", "PORT_ER", "65536", "-1", "+1", " 10",
		"10 ", "0x10", "99999999999999999999", "EVENT_", "EVENT_x",
		"IB_EVENT_", "IBV_EVENT_IB_EVENT_PORT_ERR", "PORT ERR",
	};
	unsigned int kind, code, i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		kind = 99;
		code = 99;
		ASSERT_EQ(rdmaev_event_parse(good[i].name, &kind, &code), 0)
			TH_LOG("%s", good[i].name);
		EXPECT_EQ(kind, good[i].kind);
		EXPECT_EQ(code, good[i].code);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		errno = 0;
		EXPECT_EQ(rdmaev_event_parse(bad[i], &kind, &code), -1)
			TH_LOG("'%s'", bad[i]);
		EXPECT_EQ(errno, ENOENT);
	}
}

/* All names there are lead back to themselves, and have their sentences. */
TEST(words)
{
	unsigned int kind, code, k, c, known[8] = { 0 };

	for (kind = 0; kind < 8; kind++) {
		for (code = 0; code < 300; code++) {
			const char *name = rdmaev_event_name(kind, code);
			const char *text = rdmaev_event_describe(kind, code);
			const char *advice = rdmaev_event_advice(kind, code);

			EXPECT_EQ(!name, !text);
			EXPECT_EQ(!name, !advice);
			if (!name)
				continue;
			known[kind]++;
			EXPECT_GT(strlen(text), 10);
			EXPECT_GT(strlen(advice), 5);
			EXPECT_EQ(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
				  strlen(name));
			k = 99;
			c = 99;
			EXPECT_EQ(rdmaev_event_parse(name, &k, &c), 0);
			EXPECT_EQ(k, kind);
			EXPECT_EQ(c, code);
		}
	}
	EXPECT_EQ(known[RDMAEV_KIND_ASYNC], 21);
	EXPECT_EQ(known[RDMAEV_KIND_DEVICE], 4);
	EXPECT_EQ(known[RDMAEV_KIND_PORT], 8);
	EXPECT_EQ(known[RDMAEV_KIND_LOST], 1);
	EXPECT_STREQ(rdmaev_event_name(RDMAEV_KIND_ASYNC, 10), "PORT_ERR");
	EXPECT_EQ(rdmaev_event_name(RDMAEV_KIND_ASYNC, 21), NULL);
	EXPECT_EQ(rdmaev_event_name(~0U, ~0U), NULL);
}

/* Text of records that are made up, so every kind and every odd value */

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
#define JSON_TAIL ",\"source\":\"handler\",\"lane\":\"info\"}"

TEST(format_kinds_to_come)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_WC, 12);

	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"wc\",\"event\":\"WC_12\",\"code\":12,"
		     JSON_DEVICE JSON_NOTHING JSON_TAIL);
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   WC_12          #41");
	e = made_up(RDMAEV_KIND_COMPLETION, 1);
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"completion\",\"event\":\"COMPLETION_1\",\"code\":1,"
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
	e.record.source = 8;
	e.record.lane = 100;
	e.record.count = 4294967295;
	e.record.pid = 4194304;
	e.record.cause = UINT64_MAX;
	e.record.port = 4294967295;
	EXPECT_STREQ(JSON(&e),
		     JSON_HEAD "\"kind\":\"async\",\"event\":\"EVENT_77\",\"code\":77,\"class\":9,\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":4294967295,\"object\":200,\"object_id\":4294967295,\"count\":4294967295,\"cause\":18446744073709551615,\"pid\":4194304,\"comm\":null,\"source\":8,\"lane\":100}");
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
	e.record.pid = 4711;
	e.record.event_class = RDMAEV_CLASS_ERROR;
	e.record.cause = 40;
	EXPECT_HAS(JSON(&e), "\"object\":\"qp\",\"object_id\":17,\"count\":1,\"cause\":40,\"pid\":4711,\"comm\":null,");
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3   QP_FATAL      QP 17 pid 4711  #41 <- #40");
	e.record.object_type = RDMAEV_OBJECT_PORT;
	EXPECT_HAS(JSON(&e), "\"object\":\"port\",\"object_id\":null,");
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
TEST(format_names)
{
	static const struct {
		const char *name, *human, *json;
	} cases[] = {
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
	struct rdmaev_event e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME);
	char want[512];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strcpy(e.device_name, cases[i].name);
		strcpy(e.old_name, cases[i].name);
		snprintf(want, sizeof(want), " %s -> %s  #41", cases[i].human,
			 cases[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 ",\"node\":{\"name\":\"%s\",\"guid\":\"0000:0000:0000:0000\",\"old_name\":\"%s\"}",
			 cases[i].json, cases[i].json);
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

TEST(format_styles)
{
	struct rdmaev_event e = made_up(RDMAEV_KIND_ASYNC, 10);
	char want[64];
	time_t day = 86400;
	struct tm tm;

	e.record.event_class = RDMAEV_CLASS_ERROR;
	setenv("TZ", "XXX-1:30", 1);
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
	struct rdmaev_event e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME);
	char whole[4096], buf[4096];
	unsigned int i;
	int len, n;

	strcpy(e.device_name, "\"\\\x01\xc3\xbc");
	strcpy(e.old_name, "\xff");
	for (i = 0; i < 3; i++) {
		len = rdmaev_format(&e, styles[i], whole, sizeof(whole));
		ASSERT_GT(len, 20);
		ASSERT_EQ(strlen(whole), len);
		EXPECT_EQ(rdmaev_format(&e, styles[i], NULL, 0), len);
		for (n = 1; n <= len + 2; n++) {
			memset(buf, 'Z', sizeof(buf));
			ASSERT_EQ(rdmaev_format(&e, styles[i], buf, n), len);
			ASSERT_EQ(strlen(buf), n <= len ? n - 1 : len);
			ASSERT_EQ(memcmp(buf, whole, strlen(buf)), 0);
			ASSERT_EQ(buf[n], 'Z');
		}
	}
}

/* A device and two readers: one that waits, one that does not */

FIXTURE(dev) {
	struct rdmaev *h;
	struct rdmaev *nonblock;
	struct rdmaev_event ev[64];
};

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(rxe_add("lib0"), 0);
	self->h = rdmaev_open(NULL, 0);
	self->nonblock = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ASSERT_NE(self->h, NULL);
	ASSERT_NE(self->nonblock, NULL);
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(test_events_only(self->nonblock), 0);
}

FIXTURE_TEARDOWN(dev)
{
	rdmaev_close(self->h);
	rdmaev_close(self->nonblock);
	sh("rdma link del lib0 2>/dev/null || rdma link del lib1; ip link del lib0_d");
}

TEST_F(dev, wait_and_read)
{
	uint64_t start;

	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	start = now_ms();
	EXPECT_EQ(rdmaev_wait(self->h, 200 * MS), 0);
	EXPECT_GE(now_ms() - start, 199);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 4), -1);
	EXPECT_EQ(errno, EAGAIN);

	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 6), 6);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
	EXPECT_EQ(rdmaev_wait(self->h, -1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, LLONG_MAX), 1);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 4), 4);
	EXPECT_EQ(rdmaev_read(self->h, self->ev + 4, 4), 2);
	EXPECT_EQ(self->ev[5].record.seq, self->ev[0].record.seq + 5);
	EXPECT_EQ(self->ev[5].record.code, TEST_EVENT);
	EXPECT_STREQ(self->ev[5].device_name, "lib0");
	EXPECT_STREQ(self->ev[5].old_name, "");
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), 6);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), -1);
	EXPECT_EQ(errno, EAGAIN);
}

/* More than the library takes from the kernel at a time. */
TEST_F(dev, read_many)
{
	struct rdmaev_event *ev = calloc(1000, sizeof(*ev));
	unsigned int i;

	ASSERT_NE(ev, NULL);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 700), 700);
	EXPECT_EQ(rdmaev_read(self->h, ev, 65), 65);
	EXPECT_EQ(rdmaev_read(self->h, ev + 65, 935), 635);
	for (i = 1; i < 700; i++) {
		ASSERT_GT(ev[i].record.seq, ev[i - 1].record.seq);
		ASSERT_STREQ(ev[i].device_name, "lib0");
	}
	free(ev);
}

static pthread_t main_thread;

static void on_alarm(int sig)
{
}

static void *poke(void *arg)
{
	int i;

	for (i = 0; i < 20; i++) {
		sleep_ms(100);
		pthread_kill(main_thread, SIGUSR1);
	}
	return NULL;
}

TEST_F(dev, interrupted)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	pthread_t thread;

	sigaction(SIGUSR1, &sa, NULL);
	main_thread = pthread_self();
	ASSERT_EQ(pthread_create(&thread, NULL, poke, NULL), 0);
	EXPECT_EQ(rdmaev_wait(self->h, -1), -1);
	EXPECT_EQ(errno, EINTR);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), -1);
	EXPECT_EQ(errno, EINTR);
	/* What is there is taken first. */
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 2), 1);
	pthread_join(thread, NULL);
}

static void *later(void *arg)
{
	sleep_ms(300);
	return (void *)gen("process", "lib0", TEST_EVENT, 1, 1);
}

TEST_F(dev, read_waits)
{
	uint64_t start = now_ms();
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, later, NULL), 0);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_GE(now_ms() - start, 250);
	pthread_join(thread, NULL);
}

TEST_F(dev, filter)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	EXPECT_EQ(f.size, sizeof(f));
	f.flags = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.size--;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.kinds = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.targets = RDMAEV_TARGETS + 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);

	/* Each of those left the filter as it was. */
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);

	rdmaev_filter_init(&f);
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 1);
	EXPECT_EQ(test_events_only(self->nonblock), 0);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 0);
}

/* A structure of a later header: what lies beyond must be zero. */
TEST_F(dev, filter_of_later_version)
{
	struct {
		struct rdmaev_filter f;
		uint64_t more;
	} later = { .more = 0 };

	rdmaev_filter_init(&later.f);
	later.f.size = sizeof(later);
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), 0);
	later.more = 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), -1);
	EXPECT_EQ(errno, E2BIG);
}

TEST_F(dev, wakeup)
{
	struct rdmaev_info info;
	uint64_t start;

	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 0, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, info.lane_records + 1, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 1, RDMAEV_DELAY_MAX_US + 1), -1);
	EXPECT_EQ(errno, EINVAL);

	/* Three at a time, or fewer after a while. */
	ASSERT_EQ(rdmaev_set_wakeup(self->h, 3, 0), 0);
	ASSERT_EQ(rdmaev_set_wakeup(self->nonblock, 3, 0), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 2), 2);
	EXPECT_EQ(rdmaev_wait(self->h, 100 * MS), 0);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), 2);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, -1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 3);

	ASSERT_EQ(rdmaev_set_wakeup(self->h, 3, 500000), 0);
	start = now_ms();
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_GE(now_ms() - start, 490);
	ASSERT_EQ(rdmaev_set_wakeup(self->h, 1, 0), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
}

TEST_F(dev, seek)
{
	int64_t next = newest(self->h) + 1, oldest;
	struct rdmaev_info info;

	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 10), 10);
	EXPECT_EQ(rdmaev_seek(self->h, next + 7, SEEK_SET), next + 7);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_CUR), next + 7);
	EXPECT_EQ(rdmaev_seek(self->h, -1, SEEK_CUR), next + 6);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 4);
	EXPECT_EQ((int64_t)self->ev[0].record.seq, next + 6);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_END), next + 10);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	EXPECT_EQ(rdmaev_seek(self->h, -3, SEEK_END), next + 7);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 3);

	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, next + 11, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, INT64_MAX, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, -1, SEEK_SET), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, 0, 77), -1);
	EXPECT_EQ(errno, EINVAL);

	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.abi_version, RDMAEV_ABI_VERSION);
	EXPECT_EQ(info.record_size, sizeof(struct rdmaev_record));
	EXPECT_EQ(info.lanes, RDMAEV_LANES);
	EXPECT_EQ((int64_t)info.newest_seq, next + 9);
	EXPECT_EQ((int64_t)info.position, next + 10);
	EXPECT_EQ(info.lost, 0);
	oldest = rdmaev_seek(self->h, 0, SEEK_SET);
	EXPECT_EQ(oldest, (int64_t)info.oldest_seq);
}

TEST_F(dev, devices_and_ports)
{
	struct rdmaev_device list[8], one;
	struct rdmaev_port ports[8];
	uint64_t seq = 0, index;
	ssize_t n, i, found = -1;

	ASSERT_EQ(rxe_add("lib9"), 0);
	n = rdmaev_devices(self->h, list, 8, 0, &seq);
	EXPECT_EQ(n, 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 0, 0, NULL), 2);
	memset(&list[1], 0xaa, sizeof(list[1]));
	one = list[1];
	EXPECT_EQ(rdmaev_devices(self->h, list, 1, 0, &seq), 2);
	EXPECT_EQ(memcmp(&list[1], &one, sizeof(one)), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, NULL), 2);
	for (i = 0; i < 2; i++)
		if (!strcmp(list[i].name, "lib9"))
			found = i;
	ASSERT_GE(found, 0);
	EXPECT_EQ(list[found].ports, 1);
	EXPECT_EQ(list[found].node_type, 1);
	EXPECT_EQ(list[found].flags, 0);
	index = list[found].index;
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 1U << 31, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 8, 0, NULL), -1);
	EXPECT_EQ(errno, EFAULT);

	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, ports, 8, &seq), 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, NULL, 0, NULL), 2);
	EXPECT_EQ(rdmaev_ports(self->h, index, ports, 8, NULL), 1);
	EXPECT_EQ(ports[0].device, index);
	EXPECT_EQ(ports[0].generation, list[found].generation);
	EXPECT_EQ(ports[0].port, 1);
	EXPECT_EQ(ports[0].state, 4);
	EXPECT_EQ(ports[0].protocols, RDMAEV_PROTOCOL_ROCE);
	EXPECT_EQ(rdmaev_ports(self->h, index, NULL, 0, NULL), 1);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, 123456, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);

	ASSERT_EQ(rxe_del("lib9"), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, &seq), 1);
	n = rdmaev_devices(self->h, NULL, 0, RDMAEV_DEVICES_GONE, NULL);
	EXPECT_GE(n, 2);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, index, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);
}

/* Test events under three names, before and after a removal; read at the end. */
static int history(void)
{
	return gen("process", "lib0", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib0 name lib1") ||
	       gen("process", "lib1", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib1 name lib2") ||
	       sh("rdma link del lib2") ||
	       sh("rdma link add lib0 type rxe netdev lib0_d") ||
	       gen("process", "lib0", TEST_EVENT, 1, 1) != 1;
}

TEST_F(dev, names_of_their_time)
{
	struct rdmaev *late;

	ASSERT_EQ(history(), 0);
	/* The device records do not pass the filter of this reader. */
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 3);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, "lib1");
	EXPECT_STREQ(self->ev[2].device_name, "lib0");
	EXPECT_EQ(self->ev[0].record.generation, self->ev[1].record.generation);
	EXPECT_NE(self->ev[0].record.generation, self->ev[2].record.generation);

	/* Backwards, one at a time. */
	late = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ASSERT_NE(late, NULL);
	ASSERT_EQ(rdmaev_seek(late, self->ev[2].record.seq, SEEK_SET),
		  (int64_t)self->ev[2].record.seq);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	rdmaev_seek(late, self->ev[1].record.seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib1");
	/* The rename and the removal follow. */
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_EQ(self->ev[3].record.code, RDMAEV_DEVICE_RENAME);
	EXPECT_STREQ(self->ev[3].device_name, "lib2");
	EXPECT_STREQ(self->ev[3].old_name, "lib1");
	EXPECT_EQ(self->ev[4].record.code, RDMAEV_DEVICE_REMOVE);
	EXPECT_STREQ(self->ev[4].device_name, "lib2");
	EXPECT_STREQ(self->ev[4].old_name, "");
	rdmaev_seek(late, self->ev[0].record.seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	EXPECT_STREQ(self->ev[4].device_name, "lib1");
	EXPECT_STREQ(self->ev[4].old_name, "lib0");
	rdmaev_close(late);
}

TEST_F(dev, names_with_everything_read)
{
	struct rdmaev_event ev;
	char seen[256] = "";

	ASSERT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(rdmaev_seek(self->nonblock, 0, SEEK_END), (int64_t)newest(self->h) + 1);
	ASSERT_EQ(history(), 0);
	while (rdmaev_read(self->nonblock, &ev, 1) == 1) {
		if (ev.record.kind == RDMAEV_KIND_PORT ||
		    (ev.record.kind == RDMAEV_KIND_ASYNC &&
		     ev.record.code != TEST_EVENT))
			continue;
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 "%u.%u %s<%s ", ev.record.kind, ev.record.code,
			 ev.device_name, ev.old_name);
	}
	EXPECT_STREQ(seen, "3.77 lib0< 1.3 lib1<lib0 3.77 lib1< 1.3 lib2<lib1 1.2 lib2< 1.1 lib0< 3.77 lib0< ");
}

/* A rename that is never read, because the reader has gone past it. */
TEST_F(dev, names_jumped_over)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	ASSERT_EQ(sh("rdma dev set lib0 name lib1"), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib1", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib1");

	/* The same for one that a filter kept back. */
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(sh("rdma dev set lib1 name lib0"), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
}

#define LONG_NAME "n123456789012345678901234567890123456789012345678901234567890X"

/* A record holds 55 bytes of a name. */
TEST_F(dev, long_name)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	rdmaev_seek(self->h, 0, SEEK_END);
	ASSERT_EQ(sh("rdma dev set lib0 name " LONG_NAME), 0);
	ASSERT_EQ(gen("process", LONG_NAME, TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 2);
	EXPECT_STREQ(self->ev[0].device_name, LONG_NAME);
	EXPECT_STREQ(self->ev[0].old_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, LONG_NAME);
	ASSERT_EQ(sh("rdma dev set " LONG_NAME " name lib0"), 0);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[0].old_name, LONG_NAME);
}

TEST_F(dev, in_epoll)
{
	struct epoll_event want = { .events = EPOLLIN }, got;
	struct pollfd p = { .fd = rdmaev_fd(self->h), .events = POLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_GE(ep, 0);
	ASSERT_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, rdmaev_fd(self->h), &want), 0);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 2), 2);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 5000), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), 1);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 1);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
	close(ep);
}

/* Two threads wait in one handle: each event goes to one of them. */

#define THREAD_EVENTS 4000

struct taker {
	struct rdmaev *h;
	uint64_t base;
	unsigned int got, wrong;
};

static unsigned char seen[THREAD_EVENTS + 1];
static int taken;

static void *take(void *arg)
{
	struct taker *t = arg;
	struct rdmaev_event ev[16];
	ssize_t n, i;

	while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < THREAD_EVENTS) {
		n = rdmaev_read(t->h, ev, 16);
		for (i = 0; i < n; i++) {
			uint64_t at = ev[i].record.seq - t->base;

			if (ev[i].record.code != TEST_EVENT)
				return NULL;
			if (at >= THREAD_EVENTS || strcmp(ev[i].device_name, "lib0") ||
			    __atomic_add_fetch(&seen[at], 1, __ATOMIC_RELAXED) != 1)
				t->wrong++;
			t->got++;
		}
		if (n < 0)
			return NULL;
		__atomic_add_fetch(&taken, (int)n, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(dev, two_threads)
{
	struct taker t[2] = { 0 };
	pthread_t id[2];
	int i;

	for (i = 0; i < 2; i++) {
		t[i].h = self->h;
		t[i].base = newest(self->h) + 1;
		ASSERT_EQ(pthread_create(&id[i], NULL, take, &t[i]), 0);
	}
	sleep_ms(100);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, THREAD_EVENTS), THREAD_EVENTS);
	while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < THREAD_EVENTS)
		sleep_ms(10);
	/* Whoever waits still is let go by one that does not count. */
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT + 1, 1, 2), 2);
	for (i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	EXPECT_EQ(t[0].got + t[1].got, THREAD_EVENTS);
	EXPECT_EQ(t[0].wrong + t[1].wrong, 0);
}

TEST_HARNESS_MAIN
