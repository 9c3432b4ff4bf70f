// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which records are one line of rdmaev watch and log, and what the line says:
 * records made up, with times of their own.
 */
#include "record_groups.h"

TEST(outage)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		PORT(5, 1, STATE, 4, 1),
		PORT(5, 1, PHYS_STATE, 5, 3),
		EVENT(300, 0, PORT_ACTIVE),
		PORT(305, 4, STATE, 1, 4),
		PORT(305, 4, PHYS_STATE, 3, 5),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "3 3");
	EXPECT_STREQ(r->lines[0],
		     "1970-01-02 00:00:00.000Z E dev3/1          DOWN                 "
		     "(was ACTIVE for 4s; outage 2; physical state LINK_UP -> DISABLED)  #1-#3 (3 records)");
	EXPECT_STREQ(r->lines[1],
		     "1970-01-02 00:00:00.300Z I dev3/1          ACTIVE               "
		     "(was DOWN for 4s; physical state DISABLED -> LINK_UP)  #4-#6 (3 records)");
}

/* Two within a second: the second return is no part of the first. */
TEST(outages_in_a_second)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		PORT(5, 1, STATE, 4, 1),
		EVENT(200, 0, PORT_ACTIVE),
		PORT(205, 3, STATE, 1, 4),
		EVENT(400, 0, PORT_ERR),
		PORT(405, 5, STATE, 4, 1),
		/* Late, but it follows from the first return */
		PORT(406, 3, LID, 5, 6),
		EVENT(600, 0, PORT_ACTIVE),
		PORT(605, 8, STATE, 1, 4),
		PORT(606, 8, LID, 6, 7),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "2 3 2 3");
	EXPECT_HAS(r->lines[0], " DOWN ");
	EXPECT_HAS(r->lines[1], " ACTIVE ");
	EXPECT_HAS(r->lines[1], " #3-#7 (3 records)");
	EXPECT_HAS(r->lines[2], " DOWN ");
	EXPECT_HAS(r->lines[3], " ACTIVE ");
	EXPECT_HAS(r->lines[3], " #8-#10 (3 records)");
}

/* An error within is a line of its own, in its order, and ends nothing. */
TEST(error_in_an_outage)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		{ 1, 1, 1, RDMAEV_KIND_WC, 12, 0, 0 },
		PORT(5, 1, STATE, 4, 1),
		{ 6, 0, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 0, 0 },
		PORT(7, 1, LID, 5, 0),
		EVENT(8, 0, PORT_ERR),
		EVENT(9, 0, DEVICE_FATAL),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "3 1 1 1 1");
	EXPECT_HAS(r->lines[0], " #1-#5 (3 records)");
	EXPECT_HAS(r->lines[1], " E dev3/1          RETRY_EXC_ERR ");
	EXPECT_HAS(r->lines[2], " I dev3/1          QP_ERR ");
	EXPECT_HAS(r->lines[3], " PORT_ERR              #6");
	EXPECT_HAS(r->lines[4], " DEVICE_FATAL ");
}

/* What was lost may have belonged to what was there before. */
TEST(loss_in_an_outage)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		{ 1, 0, 0, RDMAEV_KIND_LOST, 0, 0, 0 },
		PORT(5, 1, STATE, 4, 1),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "1 1 1");
	EXPECT_HAS(r->lines[0], " PORT_ERR              #1");
	EXPECT_HAS(r->lines[1], " E -               LOST ");
	EXPECT_HAS(r->lines[2], " DOWN                 (was ACTIVE for 4s; outage 2)  #3 <- #1");
}

TEST(seven_ports)
{
	struct step steps[7 * 9];
	const struct result *r;
	unsigned int i, n = 0;

	/* Events of all ports first, and then what the queries find */
	for (i = 1; i <= 7; i++) {
		steps[n++] = (struct step){ i, 0, i, RDMAEV_KIND_ASYNC, 11, 0, 0 };
		steps[n++] = (struct step){ i, 0, i, RDMAEV_KIND_ASYNC, 13, 0, 0 };
		steps[n++] = (struct step){ i, 0, i, RDMAEV_KIND_ASYNC, 17, 0, 0 };
		steps[n++] = (struct step){ i, 0, i, RDMAEV_KIND_ASYNC, 9, 0, 0 };
	}
	for (i = 1; i <= 7; i++) {
		steps[n++] = (struct step){ 9, i * 4, i, RDMAEV_KIND_PORT, 1, 1, 2 };
		steps[n++] = (struct step){ 9, i * 4, i, RDMAEV_KIND_PORT, 3, 0, i };
		steps[n++] = (struct step){ 9, i * 4, i, RDMAEV_KIND_PORT, 4, 0, 9 };
		steps[n++] = (struct step){ 9, 0, i, RDMAEV_KIND_PORT, 1, 2, 3 };
		steps[n++] = (struct step){ 9, 0, i, RDMAEV_KIND_PORT, 1, 3, 4 };
	}
	ASSERT_EQ(n, 63);
	r = lines_of(steps, ARRAY_SIZE(steps));
	EXPECT_STREQ(r->counts, "9 9 9 9 9 9 9");
	EXPECT_HAS(r->lines[6], " I dev3/7          ACTIVE               (was DOWN for 4s, then INIT, ARMED; "
		   "LID 0 -> 7; SM LID 0 -> 9; CLIENT_REREGISTER)  #25-#63 (9 records)");
}

TEST(addresses)
{
	struct step steps[42] = { EVENT(0, 0, GID_CHANGE) };
	const struct result *r;
	unsigned int i;

	for (i = 1; i <= 20; i++)
		steps[i] = (struct step)PORT(5, 1, GID, 0, i);
	for (; i <= 40; i++)
		steps[i] = (struct step)PORT(5, 1, GID, i, i <= 38 ? 0 : 1);
	steps[41] = (struct step)EVENT(1200, 1, GID_CHANGE);
	r = lines_of(steps, ARRAY_SIZE(steps));
	EXPECT_STREQ(r->counts, "42");
	EXPECT_HAS(r->lines[0], " I dev3/1          GID_CHANGE           20 GIDs added (::1 ... ::14); "
		   "18 GIDs removed (::15 ... ::26); 2 GIDs changed (::1, ::1)  #1-#42 (42 records)");
	r = lines_of(steps, 2);
	EXPECT_HAS(r->lines[0], " GID_CHANGE           GID [0] empty -> ::1  #1-#2 (2 records)");
	r = lines_of(steps, 1);
	EXPECT_HAS(r->lines[0], " GID_CHANGE            #1");
}

/* Differences that a query finds without an event */
TEST(found_by_a_query)
{
	static const struct step steps[] = {
		PORT(0, 0, STATE, 4, 1),
		PORT(0, 0, LID, 5, 0),
		PORT(3000, 0, STATE, 1, 4),
		PORT(3000, 0, LID, 0, 5),
		PORT(3000, 0, SPEED, 1, 32),
		PORT(3000, 0, WIDTH, 1, 2),
		PORT(3000, 0, PKEY, 0, 0xffff),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "2 5");
	EXPECT_HAS(r->lines[0], " E dev3/1          DOWN                 (was ACTIVE for 4s; outage 2; LID 5 -> 0)");
	EXPECT_HAS(r->lines[1], " (was DOWN for 4s; LID 0 -> 5; speed SDR 2.5 Gb/s per lane -> EDR 25 Gb/s per lane; "
		   "width 1X -> 4X; P_Key [0] empty -> 0xffff)  #3-#7 (5 records)");
}

/* What must not join */
TEST(apart)
{
	static const struct step down_and_up[] = {
		EVENT(0, 0, PORT_ERR),
		PORT(1, 1, STATE, 4, 1),
		/* repeated query: the port is up */
		PORT(2, 1, STATE, 1, 4),
	};
	static const struct step unconfirmed[] = {
		EVENT(0, 0, PORT_ERR),
		EVENT(1, 0, PORT_ACTIVE),
		PORT(2, 1, OUTAGE_UNSEEN, 1, 2),
		EVENT(3, 0, GID_CHANGE),
	};
	static const struct step late[] = {
		EVENT(0, 0, PORT_ERR),
		PORT(5001, 1, STATE, 4, 1),
		EVENT(6000, 0, LID_CHANGE),
		EVENT(7001, 0, SM_CHANGE),
		EVENT(8001, 0, LID_CHANGE),
	};
	static const struct step removed[] = {
		EVENT(0, 0, LID_CHANGE),
		{ 1, 0, 0, RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE, 0, 0 },
		PORT(2, 1, LID, 1, 2),
		{ 3, 3, 2, RDMAEV_KIND_PORT, RDMAEV_PORT_LID, 1, 2 },
		{ 4, 0, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE, 4, 1 },
	};
	const struct result *r = lines_of(down_and_up, ARRAY_SIZE(down_and_up));

	EXPECT_STREQ(r->counts, "2 1");
	EXPECT_HAS(r->lines[1], " I dev3/1          ACTIVE               (was DOWN for 4s)  #3 <- #1");
	r = lines_of(unconfirmed, ARRAY_SIZE(unconfirmed));
	EXPECT_STREQ(r->counts, "2 2");
	EXPECT_HAS(r->lines[0], " E dev3/1          PORT_ERR             left ACTIVE once between two queries 5ms apart, outage 3  #1-#3 (2 records)");
	EXPECT_HAS(r->lines[1], " PORT_ACTIVE          GID_CHANGE  #2-#4 (2 records)");
	EXPECT_STREQ(lines_of(late, ARRAY_SIZE(late))->counts, "1 1 1 2");
	EXPECT_STREQ(lines_of(removed, ARRAY_SIZE(removed))->counts, "1 1 1 1 1");
}

TEST(outage_ends)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ACTIVE),
		PORT(1, 1, STATE, 1, 4),
		PORT(1, 77, OUTAGE_END, 1, 4),
		EVENT(20, 0, CLIENT_REREGISTER),
		EVENT(21, 0, CLIENT_REREGISTER),
	};
	const struct result *r = lines_of(steps, ARRAY_SIZE(steps));

	EXPECT_STREQ(r->counts, "5");
	EXPECT_HAS(r->lines[0], " W dev3/1          ACTIVE               (was DOWN for 4s; end of an outage of 12.345s; "
		   "CLIENT_REREGISTER x2)  #1-#5 (5 records)");
}

/* A line of a terminal: what is bad is red, what is good again green. */
TEST(colors)
{
	static const struct step down[] = { EVENT(0, 0, PORT_ERR), PORT(1, 1, STATE, 4, 1) };
	static const struct step up[] = { EVENT(0, 0, PORT_ACTIVE), PORT(1, 1, STATE, 1, 4) };
	static const struct {
		const struct step *steps;
		const char *wanted;
	} cases[] = {
		{ down, "1970-01-02 00:00:00.000Z \033[31mE\033[0m dev3/1          \033[31mDOWN                \033[0m "
		  "(was ACTIVE for 4s; outage 2)  \033[2m#1-#2 (2 records)\033[0m" },
		{ up, "1970-01-02 00:00:00.000Z \033[32mI\033[0m dev3/1          \033[32mACTIVE              \033[0m "
		  "(was DOWN for 4s)  \033[2m#1-#2 (2 records)\033[0m" },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct record_groups all = { .joins = true };
		struct record_group *h;
		char line[256];
		struct text t = { .buf = line, .size = sizeof(line) };

		for (j = 0; j < 2; j++) {
			struct rdmaev_record r = record_of(&cases[i].steps[j], j + 1);

			EXPECT_EQ(record_group_add(&all, &r, 0), 0);
		}
		record_group_close(&all);
		h = record_group_pop(&all);
		ASSERT_NE(h, NULL);
		record_group_line(&t, h, RDMAEV_STYLE_UTC | RDMAEV_STYLE_COLOR);
		text_end(&t);
		EXPECT_STREQ(line, cases[i].wanted);
		record_group_free(h);
	}
}

/* A live line is held until it is quiet, and not for ever; then in order. */
TEST(live)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		{ 1, 0, 1, RDMAEV_KIND_WC, 12, 0, 0 },
		PORT(5, 1, STATE, 4, 1),
	};
	struct record_groups all = { .joins = true };
	struct rdmaev_record r;
	struct record_group *h;
	unsigned int i;

	EXPECT_EQ(record_group_deadline(&all), -1);
	EXPECT_EQ(record_group_oldest(&all), 0);
	for (i = 0; i < 3; i++) {
		r = record_of(&steps[i], i + 1);
		EXPECT_EQ(record_group_add(&all, &r, i * 100 * MS), 0);
		EXPECT_EQ(record_group_pop(&all), NULL);
	}
	EXPECT_EQ(record_group_oldest(&all), 1);
	EXPECT_EQ(record_group_deadline(&all), 200 * MS + RECORD_GROUP_QUIET_NS);
	record_group_expire(&all, record_group_deadline(&all) - 1);
	EXPECT_EQ(record_group_pop(&all), NULL);
	record_group_expire(&all, record_group_deadline(&all));
	h = record_group_pop(&all);
	ASSERT_NE(h, NULL);
	EXPECT_EQ(h->count, 2);
	record_group_free(h);
	EXPECT_EQ(record_group_oldest(&all), 2);
	h = record_group_pop(&all);
	ASSERT_NE(h, NULL);
	EXPECT_EQ(h->count, 1);
	record_group_free(h);
	EXPECT_EQ(record_group_pop(&all), NULL);

	/* Addresses without end */
	for (i = 0; i < 20; i++) {
		struct step step = EVENT(i, 0, GID_CHANGE);

		r = record_of(&step, 10 + i);
		EXPECT_EQ(record_group_add(&all, &r, i * 100 * MS), 0);
		EXPECT_LE(record_group_deadline(&all), RECORD_GROUP_HOLD_NS);
	}
	record_group_free_all(&all);
}

/* The count of a burst that ends after its line was printed makes no line. */
TEST(burst_ends_late)
{
	static const struct step steps[] = {
		EVENT(0, 0, GID_CHANGE),
		PORT(5, 1, GID, 0, 1),
		EVENT(1200, 1, GID_CHANGE),
		EVENT(1300, 0, LID_CHANGE),
		EVENT(2400, 4, LID_CHANGE),
	};
	struct record_groups all = { .joins = true };
	static struct result result;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct rdmaev_record r = record_of(&steps[i], i + 1);

		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
		if (i)
			record_group_expire(&all, RECORD_GROUP_HOLD_NS);
		take_lines(&all, &result);
	}
	/* What nothing shows is printed, the second time, too. */
	EXPECT_STREQ(result.counts, "2 1 1");
	EXPECT_HAS(result.lines[2], " LID_CHANGE            #5 <- #4");
}

/* log -n: the newest lines, with all of their records */
TEST(newest)
{
	static const struct step steps[] = {
		EVENT(0, 0, PORT_ERR),
		{ 1, 0, 1, RDMAEV_KIND_WC, 12, 0, 0 },
		{ 2, 0, 1, RDMAEV_KIND_WC, 11, 0, 0 },
		{ 3, 0, 1, RDMAEV_KIND_WC, 10, 0, 0 },
		PORT(5, 1, STATE, 4, 1),
	};
	static struct result result;
	unsigned int limit, i;

	for (limit = 1; limit <= 5; limit++) {
		static const char * const wanted[] = { "1", "1 1", "1 1 1", "2 1 1 1", "2 1 1 1" };
		struct record_groups all = { .joins = true, .limit = limit };

		memset(&result, 0, sizeof(result));
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			struct rdmaev_record r = record_of(&steps[i], i + 1);

			EXPECT_EQ(record_group_add(&all, &r, 0), 0);
			EXPECT_EQ(record_group_pop(&all), NULL);
		}
		record_group_close(&all);
		take_lines(&all, &result);
		EXPECT_STREQ(result.counts, wanted[limit - 1]);
		EXPECT_EQ(all.dropped, limit <= 3 ? 5 : 0)
			TH_LOG("%u", limit);
	}
}

/* Without joining, each record is a line at once. */
TEST(verbose)
{
	static const struct step steps[] = { EVENT(0, 0, PORT_ERR), PORT(1, 1, STATE, 4, 1) };
	struct record_groups all = { .joins = false };
	struct record_group *h;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct rdmaev_record r = record_of(&steps[i], i + 1);

		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
		h = record_group_pop(&all);
		ASSERT_NE(h, NULL);
		EXPECT_EQ(h->count, 1);
		EXPECT_EQ(memcmp(record_group_first(h), &r, sizeof(r)), 0);
		record_group_free(h);
	}
}

/* An open line holds back at most so many others, and all of them come out. */
TEST(storm)
{
	struct record_groups all = { .joins = true };
	struct step step = EVENT(0, 0, PORT_ERR);
	unsigned int i, taken = 0, first = 0;

	for (i = 0; i < 5000; i++) {
		struct rdmaev_record r = record_of(&step, i + 1);
		struct record_group *h;

		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
		while ((h = record_group_pop(&all))) {
			first = first ? first : i;
			EXPECT_EQ(record_group_first(h)->seq, ++taken);
			record_group_free(h);
		}
		step = (struct step){ 1, 0, 1, RDMAEV_KIND_WC, 12, 0, 0 };
	}
	EXPECT_EQ(first, 1024);
	EXPECT_EQ(taken, 5000);
}

TEST_HARNESS_MAIN
