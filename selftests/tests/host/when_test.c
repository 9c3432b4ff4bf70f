// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Times and positions that --since and --until of the command take, with a fixed
 * time zone and a fixed time of day. Seconds come from date(1),
 * except for the first of the two times when the clock is set back.
 */
#include <stdlib.h>
#include <time.h>

#include "option/when.h"
#include "kselftest_harness.h"

#define SEC		1000000000ULL
#define HOUR		(3600 * SEC)

/* 2026-11-20 10:30:00 in Berlin, 09:30:00 UTC, 50 hours after the boot */
#define NOW		1795167000ULL
#define BOOTTIME	(50 * HOUR)
/* Midnight there */
#define MIDNIGHT	(NOW - 10 * 3600 - 1800)

static const struct now now = {
	.realtime_ns = NOW * SEC + 250000000,
	.boottime_ns = BOOTTIME,
};

FIXTURE(when)
{
	struct when when;
};

FIXTURE_SETUP(when)
{
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
}

FIXTURE_TEARDOWN(when)
{
}

static const struct {
	const char *text;
	uint64_t ns;
	uint64_t width_ns;
} clock_times[] = {
	{ "10:29", (NOW - 60) * SEC, 1 },
	{ "10:30", NOW * SEC, 1 },
	{ "10:31", (NOW + 60 - 86400) * SEC, 1 },
	{ "23:59:59", (MIDNIGHT - 1) * SEC, SEC },
	{ "00:00", MIDNIGHT * SEC, 1 },
	{ "08:29:59.5Z", (NOW - 3601) * SEC + SEC / 2, SEC / 10 },
	{ "09:31Z", (NOW + 60 - 86400) * SEC, 1 },
	{ "09:30 UTC", NOW * SEC, 1 },
	{ "yesterday", (MIDNIGHT - 86400) * SEC, 1 },
	{ "Yesterday 08:00", (MIDNIGHT - 57600) * SEC, 1 },
	{ "today", MIDNIGHT * SEC, 1 },
	{ "today  23:00", (MIDNIGHT + 82800) * SEC, 1 },
	{ "today Z", 1795132800 * SEC, 1 },
	{ "2026-11-20", MIDNIGHT * SEC, 1 },
	{ "2026-11-20 08:00", (MIDNIGHT + 28800) * SEC, 1 },
	{ "2026-11-20T08:00:00", (MIDNIGHT + 28800) * SEC, SEC },
	{ "2026-11-20 08:44:11.064", (MIDNIGHT + 31451) * SEC + 64000000, 1000000 },
	{ "2026-11-20 08:44:11,064", (MIDNIGHT + 31451) * SEC + 64000000, 1000000 },
	{ "2026-11-20 07:44:11.064Z", (MIDNIGHT + 31451) * SEC + 64000000, 1000000 },
	{ "2026-11-20T07:44:11.064123456Z", (MIDNIGHT + 31451) * SEC + 64123456, 1 },
	{ "2026-11-20T07:44:11.0641234569Z", (MIDNIGHT + 31451) * SEC + 64123456, 1 },
	{ "2026-11-20 08:00 +01:00", (MIDNIGHT + 28800) * SEC, 1 },
	{ "2026-11-20 13:30+0630", (MIDNIGHT + 28800) * SEC, 1 },
	{ "2026-11-19 23:00:00-08:00", (MIDNIGHT + 28800) * SEC, SEC },
	{ "2024-02-29", 1709161200 * SEC, 1 },
	/* The night in which the clock is set back: 02:30 comes twice */
	{ "2026-10-25 01:59", 1792886340 * SEC, 1 },
	{ "2026-10-25 02:30", 1792888200 * SEC, 1 },
	{ "2026-10-25 03:00", 1792893600 * SEC, 1 },
	/* ... and forward: there is no 02:30 */
	{ "2026-03-29 01:59", 1774745940 * SEC, 1 },
	{ "2026-03-29 02:30", 1774747800 * SEC, 1 },
	{ "2026-03-29 03:00", 1774746000 * SEC, 1 },
	/* Summer, as the offset is that of the date */
	{ "2026-07-01 12:00", 1782900000 * SEC, 1 },
	{ "@1795167000", NOW * SEC, SEC },
	{ "@1795167000.25", NOW * SEC + SEC / 4, SEC / 100 },
};

TEST_F(when, clock_times)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clock_times); i++) {
		ASSERT_EQ(0, parse_when(&self->when, clock_times[i].text, &now))
			TH_LOG("%s", clock_times[i].text);
		EXPECT_EQ(WHEN_REALTIME, self->when.type)
			TH_LOG("%s", clock_times[i].text);
		EXPECT_EQ(clock_times[i].ns, self->when.ns)
			TH_LOG("%s", clock_times[i].text);
		EXPECT_EQ(clock_times[i].width_ns, self->when.width_ns)
			TH_LOG("%s", clock_times[i].text);
		EXPECT_EQ(clock_times[i].text, self->when.text);
	}
}

static const struct {
	const char *text;
	uint64_t ns;
	uint64_t width_ns;
} relative_times[] = {
	{ "now", BOOTTIME, 1 },
	{ "10 min ago", BOOTTIME - 600 * SEC, 1 },
	{ "10min ago", BOOTTIME - 600 * SEC, 1 },
	{ "10 MINUTES AGO", BOOTTIME - 600 * SEC, 1 },
	{ "-10m", BOOTTIME - 600 * SEC, 1 },
	{ "- 10 m", BOOTTIME - 600 * SEC, 1 },
	{ "-1h", BOOTTIME - HOUR, 1 },
	{ "-1h30m", BOOTTIME - HOUR - 1800 * SEC, 1 },
	{ "1 hour 30 minutes ago", BOOTTIME - HOUR - 1800 * SEC, 1 },
	{ "1.5h ago", BOOTTIME - HOUR - 1800 * SEC, 1 },
	{ "-.5s", BOOTTIME - SEC / 2, 1 },
	{ "-250ms", BOOTTIME - SEC / 4, 1 },
	{ "-20us", BOOTTIME - 20000, 1 },
	{ "2 days ago", 2 * HOUR, 1 },
	{ "-2d", 2 * HOUR, 1 },
	/* Before the boot */
	{ "-3d", 0, 1 },
	{ "1 week ago", 0, 1 },
	{ "-99999999999999999999w", 0, 1 },
	{ "boot", 0, 1 },
	{ "boot+10 min", 600 * SEC, 1 },
	{ "boot + 1h", HOUR, 1 },
	{ "boot+12.345678", 12345678000, 1000 },
	{ "boot+12", 12 * SEC, SEC },
};

TEST_F(when, relative_times_are_of_the_boot_clock)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(relative_times); i++) {
		ASSERT_EQ(0, parse_when(&self->when, relative_times[i].text, &now))
			TH_LOG("%s", relative_times[i].text);
		EXPECT_EQ(WHEN_BOOTTIME, self->when.type)
			TH_LOG("%s", relative_times[i].text);
		EXPECT_EQ(relative_times[i].ns, self->when.ns)
			TH_LOG("%s", relative_times[i].text);
		EXPECT_EQ(relative_times[i].width_ns, self->when.width_ns)
			TH_LOG("%s", relative_times[i].text);
	}
}

TEST_F(when, positions)
{
	ASSERT_EQ(0, parse_when(&self->when, "1041", &now));
	EXPECT_EQ(WHEN_SEQ, self->when.type);
	EXPECT_EQ(1041, self->when.seq);
	ASSERT_EQ(0, parse_when(&self->when, "#1041", &now));
	EXPECT_EQ(WHEN_SEQ, self->when.type);
	EXPECT_EQ(1041, self->when.seq);
	ASSERT_EQ(0, parse_when(&self->when, "0", &now));
	EXPECT_EQ(WHEN_SEQ, self->when.type);
	ASSERT_EQ(0, parse_when(&self->when, "9223372036854775807", &now));
	EXPECT_EQ(INT64_MAX, self->when.seq);
	ASSERT_EQ(0, parse_when(&self->when, "start", &now));
	EXPECT_EQ(WHEN_START, self->when.type);
	ASSERT_EQ(0, parse_when(&self->when, "5D0c3a66b1e2f974:1041", &now));
	EXPECT_EQ(WHEN_CURSOR, self->when.type);
	EXPECT_EQ(0x5d0c3a66b1e2f974, self->when.instance);
	EXPECT_EQ(1041, self->when.seq);
}

static const char * const invalid[] = {
	"", " ", "#", "#x", "-", "ago", "10 ", "-10", "10 ago", "10 min",
	"-10 min ago", "-10 parsecs", "10 min agone", "-1h30", "-0x10s", "-1e3s",
	"-1.2.3s", "1h ago 2", "9223372036854775808", "1041x", "#10 41",
	"24:00", "12:60", "12:30:60", "1:20", "01:2", "01:20pm", "01:20:", "01:20Zulu",
	"2026-11", "2026-13-01", "2026-00-10", "2026-02-29", "2026-11-31",
	"2026-11-00", "26-11-20", "2026-11-20T", "2026-11-20 8:00",
	"2026-11-20 08:00 +1", "2026-11-20 08:00+15:00", "2026-11-20 08:00 CET",
	"1969-12-31", "tomorrow", "yesterdays", "yesterday 25:00", "todayZ",
	"boot-1h", "boot+", "boot+x", "bootleg", "boots", "@", "@x", "@1.5x",
	"@99999999999999", "5d0c3a66b1e2f974:", "5d0c3a66b1e2f97:1",
	"5d0c3a66b1e2f974:#1", "5d0c3a66b1e2f974:1:2", "5d0c3a66b1e2f974",
	"starts", "nowhere", "banana",
};

TEST_F(when, invalid)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		EXPECT_EQ(-1, parse_when(&self->when, invalid[i], &now))
			TH_LOG("%s", invalid[i]);
		EXPECT_EQ(WHEN_NONE, self->when.type)
			TH_LOG("%s", invalid[i]);
	}
}

/* A time that was copied from a line includes it, as since and as until. */
TEST_F(when, records)
{
	const uint64_t ms = 1000000, at = NOW * SEC + 64 * ms;

	ASSERT_EQ(0, parse_when(&self->when, "2026-11-20 10:30:00.064", &now));
	EXPECT_FALSE(is_since(&self->when, at - 1, 0));
	EXPECT_TRUE(is_since(&self->when, at, 0));
	EXPECT_TRUE(is_since(&self->when, at + ms, 0));
	EXPECT_TRUE(is_until(&self->when, at - 1, 0));
	EXPECT_TRUE(is_until(&self->when, at + ms - 1, 0));
	EXPECT_FALSE(is_until(&self->when, at + ms, 0));

	ASSERT_EQ(0, parse_when(&self->when, "-1h", &now));
	EXPECT_FALSE(is_since(&self->when, UINT64_MAX, BOOTTIME - HOUR - 1));
	EXPECT_TRUE(is_since(&self->when, 0, BOOTTIME - HOUR));
	EXPECT_TRUE(is_until(&self->when, UINT64_MAX, BOOTTIME - HOUR));
	EXPECT_FALSE(is_until(&self->when, 0, BOOTTIME - HOUR + 1));

	ASSERT_EQ(0, parse_when(&self->when, "5", &now));
	EXPECT_TRUE(is_since(&self->when, 0, 0));
	EXPECT_TRUE(is_until(&self->when, UINT64_MAX, UINT64_MAX));
}

TEST_F(when, other_time_zones)
{
	/* Without daylight saving time, and half an hour off */
	setenv("TZ", "IST-5:30", 1);
	tzset();
	ASSERT_EQ(0, parse_when(&self->when, "2026-11-20 15:00", &now));
	EXPECT_EQ(NOW * SEC, self->when.ns);
	ASSERT_EQ(0, parse_when(&self->when, "15:01", &now));
	EXPECT_EQ((NOW + 60 - 86400) * SEC, self->when.ns);
	setenv("TZ", "UTC0", 1);
	tzset();
	ASSERT_EQ(0, parse_when(&self->when, "2026-07-01", &now));
	EXPECT_EQ(1782864000 * SEC, self->when.ns);
}

TEST_F(when, cursor_round_trip)
{
	char text[CURSOR_SIZE];
	uint64_t instance, seq;

	print_cursor(text, 0x1f, 1041);
	EXPECT_STREQ("000000000000001f:1041", text);
	ASSERT_EQ(0, parse_cursor(text, &instance, &seq));
	EXPECT_EQ(0x1f, instance);
	EXPECT_EQ(1041, seq);
	print_cursor(text, UINT64_MAX, INT64_MAX);
	ASSERT_EQ(0, parse_cursor(text, &instance, &seq));
	EXPECT_EQ(UINT64_MAX, instance);
	EXPECT_EQ(INT64_MAX, seq);
}

TEST_HARNESS_MAIN
