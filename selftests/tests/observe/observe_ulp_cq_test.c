// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of a ULP that does not know rdmaev: their counters are exact, and
 * their failures are recorded.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "cq.h"

/* CQs that the core polls for a ULP, or that it polls itself */
FIXTURE(core) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

/* @core_polls: the core is notified, polls, and calls done(); 2: it calls done() alone */
FIXTURE_VARIANT(core) {
	const char *kind;
	int core_polls;
};

FIXTURE_VARIANT_ADD(core, softirq) {
	.kind = "softirq",
	.core_polls = 1,
};

FIXTURE_VARIANT_ADD(core, workqueue) {
	.kind = "workqueue",
	.core_polls = 1,
};

FIXTURE_VARIANT_ADD(core, processed) {
	.kind = "processed",
	.core_polls = 2,
};

FIXTURE_VARIANT_ADD(core, polled) {
	.kind = "polled",
};

FIXTURE_SETUP(core)
{
	ASSERT_EQ(load_observer("polls=1"), 0);
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
}

FIXTURE_TEARDOWN(core)
{
	close_sim0(self->fd);
}

#define THREADS	3
#define COUNT	(20000 / (int)slowness())

TEST_F_TIMEOUT(core, under_load, 120)
{
	struct rdmaev_cq_stats stats, sum, sum2;

	ASSERT_EQ(run("load sim0 %s %d %d", variant->kind, THREADS, COUNT), 0);
	ASSERT_EQ(result("lost"), 0);
	ASSERT_EQ(result("overruns"), 0);
	EXPECT_GT(result("posted"), THREADS * COUNT);
	ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
	EXPECT_TRUE(same_counts(&stats));
	EXPECT_GT(stats.failures[LOC_QP_OP_ERR], 0);
	EXPECT_EQ(stats.flags, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_OBSERVED);
	EXPECT_EQ(stats.generation, self->generation);
	EXPECT_EQ(stats.cqe, THREADS * 48);
	EXPECT_STREQ(stats.owner, "rdmaev_ulp");
	EXPECT_EQ(stats.pid, 0);
	EXPECT_EQ(stats.notifications > 0, variant->core_polls == 1);
	EXPECT_GT(stats.polls, 0);
	EXPECT_GT(stats.last_ns, 0);

	/* Its counters remain in the sum of its device. */
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.cqs, 1);
	EXPECT_TRUE(same_counts(&sum));
	ASSERT_EQ(run("drop sim0"), 0);
	EXPECT_FALSE(find_cq(self->fd, self->index, stats.cq, &stats));
	sum2 = sum;
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.cqs, 0);
	EXPECT_EQ(memcmp(sum.completions, sum2.completions, sizeof(sum.completions)), 0);
	EXPECT_EQ(memcmp(sum.failures, sum2.failures, sizeof(sum.failures)), 0);
	EXPECT_EQ(sum.notifications, sum2.notifications);
}

/* The next record of a kind that the ULP does not report itself */
static int next_wc(int fd, struct rdmaev_record *rec)
{
	while (read(fd, rec, sizeof(*rec)) == sizeof(*rec)) {
		if (rec->kind == RDMAEV_KIND_WC)
			return 1;
	}
	return 0;
}

TEST_F(core, failures)
{
	struct rdmaev_record rec;
	unsigned int n = 0;

	ASSERT_EQ(run("load sim0 %s 1 600", variant->kind), 0);
	while (next_wc(self->fd, &rec)) {
		const struct rdmaev_wc_body *body = &rec.body.wc;

		EXPECT_EQ(rec.source, RDMAEV_SOURCE_OBSERVER);
		EXPECT_EQ(rec.object_type, RDMAEV_OBJECT_QP);
		EXPECT_EQ(rec.generation, self->generation);
		EXPECT_EQ(rec.port, 1);
		EXPECT_STREQ(body->info.owner, "rdmaev_ulp");
		EXPECT_TRUE(body->info.known & RDMAEV_KNOWN_OBJECT);
		EXPECT_TRUE(body->info.known & RDMAEV_KNOWN_CQ);
		EXPECT_TRUE(body->info.known & RDMAEV_KNOWN_QP_TYPE);
		EXPECT_TRUE(body->info.known & RDMAEV_KNOWN_QP_STATE);
		EXPECT_FALSE(body->info.known & RDMAEV_KNOWN_WR_ID);
		EXPECT_EQ((long)body->cq, result("cq"));
		EXPECT_EQ(body->queues.send_cq, body->cq);
		EXPECT_TRUE(rec.code == WR_FLUSH_ERR ? rec.cause != 0 :
			    rec.code == LOC_QP_OP_ERR);
		n++;
	}
	EXPECT_GE(n, 2);
}

/* Those of ib_drain_qp() are no requests of the ULP. */
TEST_F(core, drain)
{
	struct rdmaev_cq_stats stats;
	long number;

	ASSERT_EQ(run("hold sim0 create %s 1 %s", variant->kind,
		      variant->core_polls ? "" : "cqe"), 0);
	number = result("cq");
	ASSERT_EQ(run("hold sim0 recv 10"), 0);
	ASSERT_EQ(run("hold sim0 drain"), 0);
	ASSERT_TRUE(find_cq(self->fd, self->index, number, &stats));
	/* Of a CQ that the ULP polls it is not known what wr_id is. */
	EXPECT_EQ(stats.failures[WR_FLUSH_ERR], variant->core_polls == 1 ? 10 : 12);
	EXPECT_EQ(successes(&stats), 0);
}

/* A ULP that attaches its CQ counts itself. */
TEST_F(core, attached)
{
	struct rdmaev_cq_stats stats, list[8];

	ASSERT_EQ(run("load sim0 attached 1 1000"), 0);
	ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
	EXPECT_TRUE(same_counts(&stats));
	EXPECT_EQ(stats.flags, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_ATTACHED);
	EXPECT_EQ(read_cqs(self->fd, 0, self->index, 0, list, 8, NULL), 1);
}

TEST_F(core, unloaded)
{
	struct rdmaev_cq_stats stats, sum;

	ASSERT_EQ(run("load sim0 %s 1 1000", variant->kind), 0);
	ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
	ASSERT_EQ(sh("rmmod rdmaev_observe"), 0);
	EXPECT_FALSE(find_cq(self->fd, self->index, result("cq"), &stats));
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_TRUE(same_counts(&sum));
	EXPECT_EQ(sum.cqs, 0);
}

TEST_HARNESS_MAIN
