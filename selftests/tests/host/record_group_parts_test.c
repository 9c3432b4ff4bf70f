// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A line of rdmaev watch and log stands for any number of records: what is kept of them
 * does not grow, its counts are exact, and what it says is of the first and the last one.
 */
#include "record_groups.h"

TEST(any_number_of_records)
{
	const unsigned int n = 100000;
	struct record_groups all = { .joins = true };
	static struct result result;
	unsigned int i;

	for (i = 0; i <= n; i++) {
		struct step step = PORT(5, 1, GID, 0, 1 + i % 255);
		struct rdmaev_record r;

		if (!i)
			step = (struct step)EVENT(0, 0, GID_CHANGE);
		else if (i % 3 == 0)
			step = (struct step)PORT(5, 1, GID, 1 + i % 255, 0);
		r = record_of(&step, i + 1);
		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
	}
	EXPECT_NE(all.first->parts.next, NULL);
	EXPECT_NE(all.first->parts.next->next, NULL);
	EXPECT_EQ(all.first->parts.next->next->next, NULL);
	record_group_close(&all);
	take_lines(&all, &result);
	EXPECT_STREQ(result.counts, "100001");
	EXPECT_HAS(result.lines[0], " GID_CHANGE           66667 GIDs added (::2 ... ::29); "
		   "33333 GIDs removed (::4 ... ::28)  #1-#100001 (100001 records)");
}

/* A line names the first states; the last one is what it begins with. */
TEST(many_states)
{
	struct step steps[21] = { EVENT(0, 0, LID_CHANGE) };
	const struct result *r;
	unsigned int i;

	for (i = 1; i < ARRAY_SIZE(steps); i++)
		steps[i] = (struct step)PORT(i, 1, STATE, 2 + (i - 1) % 2, 2 + i % 2);
	r = lines_of(steps, 10);
	EXPECT_HAS(r->lines[0], " ARMED                (was INIT for 4s, then ARMED, INIT, ARMED, INIT, "
		   "ARMED, INIT, ARMED, INIT; LID_CHANGE)  #1-#10 (10 records)");
	r = lines_of(steps, ARRAY_SIZE(steps));
	EXPECT_HAS(r->lines[0], " INIT                 (was INIT for 4s, then ARMED, INIT, ARMED, INIT, "
		   "ARMED, INIT, ARMED, INIT, and 11 more; LID_CHANGE)  #1-#21 (21 records)");
}

/* A link that flaps faster than its port is queried: a late record finds the newest lines. */
TEST(flapping)
{
	struct step steps[11];
	unsigned int i;

	for (i = 0; i < 9; i++)
		steps[i] = (struct step)EVENT(i, 0, PORT_ERR);
	steps[9] = (struct step)PORT(20, 2, STATE, 4, 1);
	steps[10] = (struct step)PORT(21, 1, STATE, 4, 1);
	EXPECT_STREQ(lines_of(steps, ARRAY_SIZE(steps))->counts, "1 2 1 1 1 1 1 1 1 1");
}

/* The most severe record gives the mark, the first and the last one the change. */
TEST(severities)
{
	static const struct step steps[] = {
		EVENT(0, 0, LID_CHANGE),
		PORT(1, 1, WIDTH, 8, 4),
		PORT(2, 1, WIDTH, 4, 1),
		PORT(3, 1, WIDTH, 1, 2),
	};
	struct record_groups all = { .joins = true };
	static struct result result;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct rdmaev_record r = record_of(&steps[i], i + 1);

		if (i == 2)
			r.severity = RDMAEV_SEVERITY_WARNING;
		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
	}
	record_group_close(&all);
	take_lines(&all, &result);
	EXPECT_HAS(result.lines[0], " W dev3/1          PORT_WIDTH           width 12X -> 4X; LID_CHANGE"
		   "  #1-#4 (4 records)");
}

/* For five seconds, a record joins those that it follows from, or that have the same cause. */
TEST(causes)
{
	static const struct step same[] = {
		PORT(0, 77, LID, 1, 2),
		PORT(4999, 77, SM_LID, 1, 2),
		PORT(5001, 77, SM_LID, 2, 3),
	};
	static const struct step older[] = {
		EVENT(0, 0, SM_CHANGE),
		EVENT(1, 0, LID_CHANGE),
		EVENT(2, 0, PKEY_CHANGE),
		PORT(2000, 2, LID, 1, 2),
		PORT(4000, 1, SM_LID, 1, 2),
	};
	struct record_groups all = { .joins = true };
	struct rdmaev_record r;
	struct record_group *h;
	unsigned int i;

	EXPECT_STREQ(lines_of(same, ARRAY_SIZE(same))->counts, "2 1");
	EXPECT_STREQ(lines_of(older, ARRAY_SIZE(older))->counts, "5");
	/* Then a line comes out, though others that are later do not. */
	for (i = 0; i < 3; i += 2) {
		r = record_of(&same[i], i + 1);
		EXPECT_EQ(record_group_add(&all, &r, 0), 0);
	}
	h = record_group_pop(&all);
	ASSERT_NE(h, NULL);
	record_group_free(h);
	EXPECT_EQ(record_group_pop(&all), NULL);
	record_group_free_all(&all);
}

TEST_HARNESS_MAIN
