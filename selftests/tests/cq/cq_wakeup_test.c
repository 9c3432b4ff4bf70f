// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * No wake-up is lost: a million times (fewer on kernels with checkers) a CQ is
 * armed, and notified of requests that are posted at any moment, on two CPUs.
 */
#include "cq.h"

FIXTURE(kind) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

FIXTURE_SETUP(kind)
{
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
}

FIXTURE_TEARDOWN(kind)
{
	close_sim0(self->fd);
}

FIXTURE_VARIANT(kind) {
	const char *kind;
	long rounds;
};

FIXTURE_VARIANT_ADD(kind, created) {
	.kind = "created",
	.rounds = 50000,
};

/*
 * The last notification may have been for a whole burst, so there are more
 * bursts.
 */
TEST_F_TIMEOUT(kind, none_is_lost, 150)
{
	struct rdmaev_cq_stats stats;
	const long n = 50000 / slowness();
	long rounds = 0, bursts = 0;

	while (rounds < variant->rounds / slowness()) {
		ASSERT_EQ(run("wakeup sim0 %s %ld", variant->kind, n), 0);
		bursts += n;
		if (result("lost"))
			fprintf(stderr, "# seed %ld\n", result("seed"));
		ASSERT_EQ(result("lost"), 0);
		ASSERT_EQ(result("overruns"), 0);
		ASSERT_EQ(result("irqs_on"), 0);
		ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
		ASSERT_TRUE(same_counts(&stats));
		EXPECT_EQ((long)successes(&stats), result("posted"));
		EXPECT_LE((long)stats.notifications, result("arms"));
		EXPECT_LE(stats.empty_polls, stats.notifications);
		EXPECT_EQ((long)stats.notifications, result("wakes"));
		EXPECT_EQ((long)stats.polls, result("polls"));
		rounds += stats.notifications;
	}
	fprintf(stderr, "# %ld notifications for %ld bursts\n", rounds, bursts);
	EXPECT_TRUE(nothing(self->fd));
}

TEST_HARNESS_MAIN
