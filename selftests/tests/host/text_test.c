// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pieces of text that the library writes without the C library: the same as that does, in
 * buffers of any size; and the CRC of recordings, the same as of a bit at a time.
 */
#include <arpa/inet.h>
#include <limits.h>

#include "recording.h"
#undef ARRAY_SIZE
#include "format.h"
#include "kselftest_harness.h"

#define ROUNDS	20000

/* Numbers whose random bits are equal in all runs */
static uint64_t random_number(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The same by both, whole and cut anywhere */
#define EXPECT_PRINTED(...) do {						\
	char wanted[128], got[128];						\
	int len = snprintf(wanted, sizeof(wanted), __VA_ARGS__);		\
	size_t size;								\
										\
	for (size = 0; size <= (size_t)len + 1; size++) {			\
		struct text t = { .buf = got, .size = size };			\
										\
		memset(got, '#', sizeof(got));					\
		text_printf(&t, __VA_ARGS__);					\
		EXPECT_EQ(text_end(&t), len);					\
		EXPECT_EQ(got[size], '#');					\
		if (size)							\
			EXPECT_EQ(strncmp(got, wanted, size - 1) ||		\
				  got[size - 1], 0)				\
				TH_LOG("'%s' instead of '%s'", got, wanted);	\
	}									\
} while (0)

TEST(printed_as_by_the_c_library)
{
	EXPECT_PRINTED("%s", "");
	EXPECT_PRINTED("%s%u%s", "a", 0, "b");
	EXPECT_PRINTED("%u of %u: %s%%", UINT_MAX, 10, "all");
	EXPECT_PRINTED("%d %d %d %d", 0, -1, INT_MIN, INT_MAX);
	EXPECT_PRINTED("%04d %03d %02d", -5, 5, 12345);
	EXPECT_PRINTED("%llu %llx", ULLONG_MAX, ULLONG_MAX);
	EXPECT_PRINTED("%016llx %06llu %010llu", 0xabcULL, 7ULL, 12345678901ULL);
	EXPECT_PRINTED("%x %02x %04x %08x", 0xdeadbeef, 7, 0x10, 0);
	EXPECT_PRINTED("%03u %09u %020u", 7, 1234567890, 1);
	EXPECT_PRINTED("%zu", SIZE_MAX);
	/* What it leaves to the C library, also in the middle */
	EXPECT_PRINTED("%u %10u %-10s| %u", 1, 2, "left", 3);
	EXPECT_PRINTED("%s %.*s %c%c %5.1f %s", "a", 3, "bcdef", 'x', 'y', 2.25, "end");
	EXPECT_PRINTED("%025u %ld %hu %p", 5, LONG_MIN, (unsigned short)3, (void *)0x10);
}

TEST(gid_as_by_inet_ntop)
{
	unsigned int i, k;

	for (i = 0; i < ROUNDS; i++) {
		char wanted[INET6_ADDRSTRLEN], got[64];
		struct text t = { .buf = got, .size = sizeof(got) };
		uint64_t zeros = random_number(), ones = random_number();
		uint8_t gid[RDMAEV_GID_SIZE];

		for (k = 0; k < sizeof(gid); k++) {
			gid[k] = (uint8_t)random_number();
			/* Most have words of 0, many 0xffff, some leading zeros in words. */
			if (zeros >> k / 2 & 1 || zeros >> (k + 16) % 64 & 1)
				gid[k] = 0;
			else if ((ones >> k / 2 & 1) && ones & 0x100)
				gid[k] = 0xff;
		}
		text_gid(&t, gid);
		text_end(&t);
		EXPECT_STREQ(got, inet_ntop(AF_INET6, gid, wanted, sizeof(wanted)));
	}
}

TEST(mapped_addresses)
{
	static const struct {
		const char *text;
		uint8_t gid[RDMAEV_GID_SIZE];
	} cases[] = {
		{ "::", { 0 } },
		{ "::1", { [15] = 1 } },
		{ "::0.1.0.1", { [13] = 1, [15] = 1 } },
		{ "::ffff:10.9.0.77", { [10] = 0xff, 0xff, 10, 9, 0, 77 } },
		{ "::ffff:0.0.0.0", { [10] = 0xff, 0xff } },
		{ "fe80::1", { 0xfe, 0x80, [15] = 1 } },
		{ "1::", { [1] = 1 } },
		{ "0:1:0:1:0:1:0:1", { [3] = 1, [7] = 1, [11] = 1, [15] = 1 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char got[64];
		struct text t = { .buf = got, .size = sizeof(got) };

		text_gid(&t, cases[i].gid);
		text_end(&t);
		EXPECT_STREQ(got, cases[i].text);
	}
}

TEST(times)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		uint64_t ns = i ? random_number() : 0;
		time_t seconds = (time_t)(ns / SEC);
		char date[40], wanted[64], got[64];
		struct text t = { .buf = got, .size = sizeof(got) };
		struct text json = { .buf = got, .size = sizeof(got) };
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
		snprintf(wanted, sizeof(wanted), "%s.%03uZ", date,
			 (unsigned int)(ns / MS % 1000));
		text_time(&t, ns, 0, RDMAEV_STYLE_UTC);
		text_end(&t);
		EXPECT_STREQ(got, wanted);
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(wanted, sizeof(wanted), "\"%s.%09uZ\"", date, (unsigned int)(ns % SEC));
		text_json_time(&json, ns);
		text_end(&json);
		EXPECT_STREQ(got, wanted);
	}
}

static uint32_t crc_of_bits(uint32_t crc, const uint8_t *byte, size_t size)
{
	unsigned int bit;

	crc = ~crc;
	for (; size; size--, byte++) {
		crc ^= *byte;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

TEST(crc)
{
	uint8_t bytes[300];
	size_t i, from;

	/* The check value of CRC-32 */
	EXPECT_EQ(recording_crc(0, "123456789", 9), 0xcbf43926);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_number();
	for (from = 0; from < 9; from++)
		for (i = 0; i <= sizeof(bytes) - from; i++)
			EXPECT_EQ(recording_crc((uint32_t)i, bytes + from, i),
				  crc_of_bits((uint32_t)i, bytes + from, i));
}

/* Of which words are taken at a time, and some bytes are left */
TEST(crc_of_many_bytes)
{
	const uint32_t begin = (uint32_t)random_number();
	uint8_t bytes[10000];
	uint32_t wanted = begin;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)random_number();
		wanted = crc_of_bits(wanted, bytes + i, 1);
		EXPECT_EQ(recording_crc(begin, bytes, i + 1), wanted);
	}
}

TEST_HARNESS_MAIN
