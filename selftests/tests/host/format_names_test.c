// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of devices, ULPs and processes in text and JSON: names of any bytes,
 * and names that fill their array.
 */
#include "format.h"
#include "kselftest_harness.h"

/* Names can have any bytes. */
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

/* Of all codes but DEVICE_REMOVE and DEVICE_REMOVED */
#define NOT_REMOVED	",\"removing_since_ns\":null,\"remover_pid\":null,\"remover_comm\":null" \
			",\"netdev\":null,\"netdev_change\":null}"

TEST(format_names)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_RENAME);
	char want[512];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(e.device_name, odd_names[i].name);
		strcpy(e.body.device.old_name, odd_names[i].name);
		snprintf(want, sizeof(want), " %s -> %s  #41", odd_names[i].human,
			 odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 ",\"node\":{\"name\":\"%s\",\"guid\":\"0000:0000:0000:0000\","
			 "\"old_name\":\"%s\",\"missing\":[]" NOT_REMOVED,
			 odd_names[i].json, odd_names[i].json);
		EXPECT_HAS(JSON(&e), want)
			TH_LOG("%s", JSON(&e));
	}
	/* 63 bytes, each with the longest representation */
	memset(e.device_name, 1, 63);
	memset(e.body.device.old_name, '"', 63);
	EXPECT_EQ(strlen(strstr(HUMAN(&e), " -> ")), 4 + 63 * 4 + 5);
	EXPECT_HAS(JSON(&e), "\\\"\\\"\",\"missing\":[]" NOT_REMOVED ",\"source\"");
	/* Unknown ones. */
	e.device_name[0] = '\0';
	e.body.device.old_name[0] = '\0';
	EXPECT_HAS(JSON(&e), "\"device\":null,\"index\":3,");
	EXPECT_HAS(JSON(&e), "\"name\":null,");
	EXPECT_HAS(JSON(&e), "\"old_name\":null,\"missing\":[]" NOT_REMOVED);
	EXPECT_HAS(HUMAN(&e), " #3              DEVICE_RENAME        ? -> ?  #41");
}

TEST(format_missing_parts)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_INCOMPLETE);

	e.body.device.missing = RDMAEV_PART_UMAD;
	EXPECT_HAS(HUMAN(&e), " DEVICE_INCOMPLETE    missing device files: umad  #41");
	EXPECT_HAS(JSON(&e), ",\"missing\":[\"umad\"]" NOT_REMOVED);
	e.body.device.missing |= RDMAEV_PART_UVERBS | 1U << 31;
	EXPECT_HAS(HUMAN(&e), " missing device files: uverbs, umad, bit 31  #41");
	EXPECT_HAS(JSON(&e), ",\"missing\":[\"uverbs\",\"umad\",31]" NOT_REMOVED);
	e.code = RDMAEV_DEVICE_COMPLETE;
	e.body.device.missing = 0;
	EXPECT_HAS(HUMAN(&e), " DEVICE_COMPLETE      no device file is missing  #41");
}

TEST(format_removal)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE);
	struct rdmaev_device_body *body = &e.body.device;

	body->removing_since_ns = e.boottime_ns - 5200000000ULL;
	EXPECT_HAS(HUMAN(&e), " DEVICE_REMOVE        after 5s  #41");
	EXPECT_HAS(JSON(&e), ",\"removing_since_ns\":\"6803456789\",\"remover_pid\":null,\"remover_comm\":null,");
	body->remover_pid = 1234;
	strcpy(body->remover_comm, "rd ma");
	EXPECT_HAS(HUMAN(&e), " DEVICE_REMOVE        after 5s, by rd\\x20ma[1234]  #41")
		TH_LOG("%s", HUMAN(&e));
	EXPECT_HAS(JSON(&e), ",\"remover_pid\":1234,\"remover_comm\":\"rd ma\",\"netdev\":null,\"netdev_change\":null}");
	body->remover_pid = 0;
	strcpy(body->netdev, "eth0");
	body->netdev_change = RDMAEV_NETDEV_DELETED;
	EXPECT_HAS(HUMAN(&e), " DEVICE_REMOVE        after 5s, network device eth0 was deleted  #41");
	EXPECT_HAS(JSON(&e), ",\"netdev\":\"eth0\",\"netdev_change\":\"deleted\"}");
	body->netdev_change = RDMAEV_NETDEV_MOVED;
	EXPECT_HAS(HUMAN(&e), " after 5s, network device eth0 moved to another network namespace  #41");
	EXPECT_HAS(JSON(&e), ",\"netdev_change\":\"moved\"}");
	body->netdev_change = 7;
	body->netdev[0] = '\0';
	EXPECT_HAS(HUMAN(&e), " after 5s, network device ?: change 7  #41");
	EXPECT_HAS(JSON(&e), ",\"netdev\":null,\"netdev_change\":7}");
	e.code = RDMAEV_DEVICE_REMOVED;
	EXPECT_HAS(HUMAN(&e), " DEVICE_REMOVED       removal took 5s, network device ?: change 7  #41");
	EXPECT_HAS(JSON(&e), ",\"removing_since_ns\":\"6803456789\",");
	e.code = RDMAEV_DEVICE_REMOVE;
	body->removing_since_ns = 0;
	EXPECT_HAS(HUMAN(&e), " DEVICE_REMOVE         #41")
		TH_LOG("%s", HUMAN(&e));
}

/* ... and the array may be full. */
TEST(format_async_names)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_ASYNC, 1);
	struct rdmaev_object_info *body = &e.body.info;
	char want[512];
	unsigned int i;

	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 17;
	for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
		strcpy(body->owner, odd_names[i].name);
		body->known = RDMAEV_KNOWN_OBJECT;
		e.pid = 0;
		snprintf(want, sizeof(want), " QP 17 of %s  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		EXPECT_HAS(JSON(&e), "\"comm\":null,");
		body->known |= RDMAEV_KNOWN_UID;
		e.pid = 5;
		snprintf(want, sizeof(want), " QP 17 of %s[5]  #41", odd_names[i].human);
		EXPECT_HAS(HUMAN(&e), want)
			TH_LOG("%s", HUMAN(&e));
		snprintf(want, sizeof(want),
			 "\"comm\":\"%s\",\"async\":{\"pid_ns\":null,\"send_cq\":null,\"recv_cq\":null,\"srq\":null,"
			 "\"owner\":\"%s\",\"uid\":0," JSON_REST ",",
			 odd_names[i].json, odd_names[i].json);
		EXPECT_HAS(JSON(&e), want)
			TH_LOG("%s", JSON(&e));
	}

	/* Bytes after the array are not zero, and not part of the name. */
	memset(&e.body, 'c', sizeof(e.body));
	body->known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID;
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccccccccc\",");
	EXPECT_HAS(JSON(&e), "\"owner\":\"cccccccccccccccccccc\",\"uid\":");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccccccccc[5]  #41");
	/* A character that is cut by the end of the array */
	memcpy(body->owner + sizeof(body->owner) - 2, "\xe2\x82\xac", 3);
	EXPECT_HAS(JSON(&e), "\"comm\":\"cccccccccccccccccc\\ufffd\\ufffd\",");
	EXPECT_HAS(HUMAN(&e), " QP 17 of cccccccccccccccccc\\xe2\\x82[5]  #41");
}

/* The name of a ULP in the other bodies */
TEST(format_source_names)
{
	static const struct {
		unsigned int kind, code, object;
		const char *before, *after;
	} bodies[] = {
		{ RDMAEV_KIND_WC, 12, RDMAEV_OBJECT_QP, " QP 17 of ", ": request, " },
		{ RDMAEV_KIND_COMPLETION, 1, RDMAEV_OBJECT_CQ, " CQ 17 of ", ": 0 not" },
	};
	char human[512], json[512];
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(bodies); k++) {
		struct rdmaev_record e = made_up(bodies[k].kind, bodies[k].code);
		char *name = e.body.info.owner;

		e.object_type = bodies[k].object;
		e.object = 17;
		e.body.info.known = RDMAEV_KNOWN_OBJECT;
		for (i = 0; i < ARRAY_SIZE(odd_names); i++) {
			memset(name, 0, RDMAEV_OWNER_SIZE);
			strcpy(name, odd_names[i].name);
			snprintf(human, sizeof(human), "%s%s%s", bodies[k].before,
				 odd_names[i].human, bodies[k].after);
			EXPECT_HAS(HUMAN(&e), human)
				TH_LOG("%s", HUMAN(&e));
			snprintf(json, sizeof(json), ",\"owner\":\"%s\"",
				 odd_names[i].json);
			EXPECT_HAS(JSON(&e), json)
				TH_LOG("%s", JSON(&e));
		}
		/* Without a NUL */
		memset(name, 's', RDMAEV_OWNER_SIZE);
		snprintf(human, sizeof(human), "%s%.20s%s", bodies[k].before,
			 "ssssssssssssssssssss", bodies[k].after);
		EXPECT_HAS(HUMAN(&e), human)
			TH_LOG("%s", HUMAN(&e));
		EXPECT_HAS(JSON(&e), ",\"owner\":\"ssssssssssssssssssss\"");
		/*
		 * All bytes hostile: unknown bits, and bytes that a terminal
		 * interprets
		 */
		memset(&e.body, 0x9b, sizeof(e.body));
		EXPECT_EQ(strpbrk(HUMAN(&e), "\x9b\033"), NULL);
		EXPECT_EQ(strpbrk(JSON(&e), "\x9b\033"), NULL);
		EXPECT_HAS(JSON(&e), "\"owner\":\"\\ufffd\\ufffd");
		EXPECT_HAS(HUMAN(&e), "\\x9b\\x9b");
	}
}

TEST_HARNESS_MAIN
