// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Notes of ULPs as text and as JSON */
#include "format.h"
#include "kselftest_harness.h"

/* A note about a QP of a ULP */
static struct rdmaev_record made_up_note(unsigned int severity)
{
	struct rdmaev_record e = made_up(RDMAEV_KIND_NOTE, severity);
	struct rdmaev_note_body *body = &e.body.note;

	e.severity = severity;
	e.source = RDMAEV_SOURCE_ULP;
	e.port = 1;
	e.object_type = RDMAEV_OBJECT_QP;
	e.object = 20;
	body->info.known = RDMAEV_KNOWN_OBJECT;
	strcpy(body->info.owner, "nvme_rdma");
	strcpy(body->text, "nvme0: keep-alive expired, reconnecting");
	return e;
}

/* The whole line, and the whole object */
TEST(whole)
{
	struct rdmaev_record e = made_up_note(RDMAEV_SEVERITY_ERROR);

	e.ring = RDMAEV_RING_ERROR;
	e.cause = 40;
	EXPECT_STREQ(HUMAN(&e), "1970-01-02 00:00:00.064Z dev3/1          NOTE_ERROR           "
		     "QP 20 of nvme_rdma: nvme0: keep-alive expired, reconnecting"
		     "  #41 <- #40");
	EXPECT_STREQ(JSON(&e),
		     "{\"seq\":41,\"time\":\"1970-01-02T00:00:00.064000005Z\",\"boottime_ns\":\"12003456789\","
		     "\"kind\":\"note\",\"event\":\"NOTE_ERROR\",\"code\":3,\"severity\":\"error\","
		     "\"device\":\"dev3\",\"index\":3,\"generation\":7,\"port\":1,\"object\":\"qp\","
		     "\"object_id\":20,\"count\":1,\"cause\":40,\"pid\":0,\"comm\":null,"
		     "\"note\":{\"suppressed\":0,\"owner\":\"nvme_rdma\","
		     "\"text\":\"nvme0: keep-alive expired, reconnecting\"},"
		     "\"source\":\"ulp\",\"ring\":\"error\"}");
	EXPECT_HAS(text(&e, RDMAEV_STYLE_COLOR), "\033[31mNOTE_ERROR");
	e = made_up_note(RDMAEV_SEVERITY_INFO);
	EXPECT_HAS(HUMAN(&e), " NOTE_INFO            QP 20 of nvme_rdma: nvme0: ");
	EXPECT_EQ(strstr(text(&e, RDMAEV_STYLE_COLOR), "\033[31m"), NULL);
	e = made_up_note(RDMAEV_SEVERITY_WARNING);
	EXPECT_HAS(HUMAN(&e), " NOTE_WARNING         QP 20 of nvme_rdma: nvme0: ");
	EXPECT_EQ(strstr(text(&e, RDMAEV_STYLE_COLOR), "\033[31m"), NULL);
	e = made_up_note(4);
	EXPECT_HAS(HUMAN(&e), " NOTE_4               QP 20 of nvme_rdma: nvme0: ");
}

/* Of a QP, port or device, or nothing, and of a ULP or nobody */
TEST(subjects)
{
	static const struct {
		unsigned int type, object;
		uint32_t known;
		const char *owner, *human, *json;
	} cases[] = {
		{ RDMAEV_OBJECT_QP, 0, RDMAEV_KNOWN_OBJECT, "u", " QP 0 of u: text  #41",
		  "\"object\":\"qp\",\"object_id\":0," },
		{ RDMAEV_OBJECT_QP, 7, RDMAEV_KNOWN_OBJECT, "", " QP 7: text  #41",
		  "\"owner\":null,\"text\":\"text\"" },
		{ RDMAEV_OBJECT_QP, 7, 0, "u", " NOTE_INFO            u: text  #41",
		  "\"object\":\"qp\",\"object_id\":null," },
		{ RDMAEV_OBJECT_PORT, 0, 0, "u", " NOTE_INFO            u: text  #41",
		  "\"object\":\"port\",\"object_id\":null," },
		{ RDMAEV_OBJECT_DEVICE, 0, 0, "u", " NOTE_INFO            u: text  #41",
		  "\"object\":\"device\",\"object_id\":null," },
		{ RDMAEV_OBJECT_NONE, 0, 0, "u", " NOTE_INFO            u: text  #41",
		  "\"object\":null,\"object_id\":null," },
		{ RDMAEV_OBJECT_NONE, 0, 0, "", " NOTE_INFO            text  #41",
		  "\"owner\":null," },
	};
	struct rdmaev_record e;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		e = made_up_note(RDMAEV_SEVERITY_INFO);
		e.object_type = cases[i].type;
		e.object = cases[i].object;
		e.body.info.known = cases[i].known;
		memset(e.body.info.owner, 0, sizeof(e.body.info.owner));
		strcpy(e.body.info.owner, cases[i].owner);
		strcpy(e.body.note.text, "text");
		EXPECT_STREQ(end_of(HUMAN(&e), cases[i].human), cases[i].human)
			TH_LOG("%u: %s", i, HUMAN(&e));
		EXPECT_HAS(JSON(&e), cases[i].json)
			TH_LOG("%u: %s", i, JSON(&e));
	}
}

TEST(suppressed)
{
	struct rdmaev_record e = made_up_note(RDMAEV_SEVERITY_INFO);

	e.body.note.suppressed = 1;
	EXPECT_HAS(HUMAN(&e), ", reconnecting (1 note suppressed before)  #41");
	EXPECT_HAS(JSON(&e), "\"note\":{\"suppressed\":1,");
	e.body.note.suppressed = UINT64_MAX;
	EXPECT_HAS(HUMAN(&e), " (18446744073709551615 notes suppressed before)  #41");
	EXPECT_HAS(JSON(&e), "\"note\":{\"suppressed\":18446744073709551615,");
}

/* Texts without a NUL, of no byte, and bytes that a terminal interprets */
TEST(any_bytes)
{
	struct rdmaev_record e = made_up_note(RDMAEV_SEVERITY_INFO);
	struct rdmaev_note_body *body = &e.body.note;
	char words[RDMAEV_NOTE_SIZE + 8];
	unsigned int byte;

	memset(body->text, 't', sizeof(body->text));
	memset(words, 't', sizeof(body->text));
	strcpy(words + sizeof(body->text), "  #41");
	EXPECT_STREQ(end_of(HUMAN(&e), words), words);
	memset(body->info.owner, 'o', sizeof(body->info.owner));
	EXPECT_HAS(HUMAN(&e), "QP 20 of oooooooooooooooooooo: ttt");
	EXPECT_HAS(JSON(&e), "\"owner\":\"oooooooooooooooooooo\",\"text\":\"ttt");

	memset(body->text, 0, sizeof(body->text));
	EXPECT_HAS(HUMAN(&e), "oo:   #41");
	EXPECT_HAS(JSON(&e), "\"text\":null}");
	for (byte = 1; byte < 256; byte++) {
		const char *line;

		body->text[0] = (char)byte;
		for (line = HUMAN(&e); *line; line++) {
			EXPECT_GE((unsigned char)*line, 0x20);
			EXPECT_LT((unsigned char)*line, 0x7f);
		}
		for (line = JSON(&e); *line; line++)
			EXPECT_GE((unsigned char)*line, 0x20);
	}
	strcpy(body->text, "a \"b\" 'c' \\ \033[31m");
	EXPECT_HAS(HUMAN(&e), ": a \"b\" 'c' \\x5c \\x1b[31m  #41");
	EXPECT_HAS(JSON(&e), "\"text\":\"a \\\"b\\\" 'c' \\\\ \\u001b[31m\"}");
}

TEST_HARNESS_MAIN
