// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How many outages status finds in the last hour, if the log has their records or not */
#include "state/outages.h"
#include "kselftest_harness.h"

#define MINUTE	60000000000ULL
#define NOW	(1000 * MINUTE)
#define AGO(n)	(NOW - (n) * MINUTE)

#define EXPECT_OUTAGES(from, to, ...) do {				\
	struct outages_known known = { .hour_ns = AGO(60), __VA_ARGS__ };	\
	struct outages outages = recent_outages(&known);		\
									\
	EXPECT_EQ(outages.least, (uint64_t)(from));			\
	EXPECT_EQ(outages.most, (uint64_t)(to));			\
} while (0)

TEST(all_are_kept)
{
	EXPECT_OUTAGES(0, 0, .added_ns = AGO(900), .kept_ns = AGO(1));
	EXPECT_OUTAGES(2, 2, .total = 7, .kept = 7, .recent = 2, .added_ns = AGO(900),
		       .changed_ns = AGO(2), .kept_ns = AGO(5));
}

/* The lists of ports and of records are not of the same moment. */
TEST(more_are_kept_than_counted)
{
	EXPECT_OUTAGES(4, 4, .total = 3, .kept = 4, .recent = 4, .added_ns = AGO(900),
		       .changed_ns = AGO(0), .kept_ns = AGO(1));
}

TEST(added_in_this_hour)
{
	EXPECT_OUTAGES(8, 8, .total = 8, .kept = 0, .added_ns = AGO(60),
		       .changed_ns = AGO(30), .kept_ns = AGO(5));
}

TEST(overwritten_before_this_hour)
{
	EXPECT_OUTAGES(1, 1, .total = 9, .kept = 3, .recent = 1, .added_ns = AGO(900),
		       .changed_ns = AGO(10), .kept_ns = AGO(60));
}

TEST(overwritten_in_this_hour)
{
	EXPECT_OUTAGES(1, 7, .total = 9, .kept = 3, .recent = 1, .added_ns = AGO(900),
		       .changed_ns = AGO(10), .kept_ns = AGO(59));
	/* No record of any port is left. */
	EXPECT_OUTAGES(0, 9, .total = 9, .added_ns = AGO(900), .changed_ns = AGO(59),
		       .kept_ns = UINT64_MAX);
}

/* Whatever was overwritten: the port is what it was an hour ago. */
TEST(no_change_in_this_hour)
{
	EXPECT_OUTAGES(0, 0, .total = 9, .added_ns = AGO(900), .changed_ns = AGO(60),
		       .kept_ns = AGO(1));
}

TEST_HARNESS_MAIN
