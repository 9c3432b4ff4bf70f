// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RDMAEV_IOC_CQS: every completion is counted, whoever polls it, on all CPUs at
 * once and in any context; and the arguments of the ioctl.
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
	unsigned int flags;
	int is_polled;			/* by the ULP */
};

FIXTURE_VARIANT_ADD(kind, created) {
	.kind = "created",
	.is_polled = 1,
};

FIXTURE_VARIANT_ADD(kind, attached) {
	.kind = "attached",
	.flags = RDMAEV_CQ_ATTACHED,
};

FIXTURE_VARIANT_ADD(kind, direct) {
	.kind = "direct",
	.flags = RDMAEV_CQ_ATTACHED,
	.is_polled = 1,
};

#define THREADS	3
#define COUNT	(20000 / (int)slowness())

TEST_F_TIMEOUT(kind, under_load, 120)
{
	struct rdmaev_cq_stats stats, sum, sum2;

	ASSERT_EQ(run("load sim0 %s %d %d", variant->kind, THREADS, COUNT), 0);
	ASSERT_EQ(result("lost"), 0);
	ASSERT_EQ(result("overruns"), 0);
	EXPECT_GT(result("posted"), THREADS * COUNT);
	ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
	EXPECT_TRUE(same_counts(&stats));
	EXPECT_GT(stats.failures[LOC_QP_OP_ERR], THREADS * COUNT / 256 - THREADS);
	EXPECT_EQ(stats.failures[0], 0);

	EXPECT_EQ(stats.flags, RDMAEV_CQ_NUMBERED | variant->flags);
	EXPECT_EQ(stats.device, self->index);
	EXPECT_EQ(stats.generation, self->generation);
	EXPECT_EQ(stats.cqs, 1);
	EXPECT_EQ(stats.cqe, THREADS * 48);
	EXPECT_STREQ(stats.owner, CQTEST_NAME);
	EXPECT_GT(stats.last_ns, stats.since_ns);
	EXPECT_EQ(stats.pid, 0);
	EXPECT_EQ(stats.uid, 0);
	if (variant->is_polled) {
		EXPECT_EQ((long)stats.polls, result("polls"));
		EXPECT_EQ(stats.notifications, 0);
		EXPECT_EQ(stats.empty_polls, 0);
	}

	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.flags, RDMAEV_CQ_SUM);
	EXPECT_EQ(sum.id, self->generation);
	EXPECT_EQ(sum.generation, self->generation);
	EXPECT_EQ(sum.cqs, 1);
	EXPECT_EQ(sum.owner[0], '\0');
	EXPECT_TRUE(same_counts(&sum));

	/* The CQ is destroyed, and the sum keeps its counters. */
	sum2 = sum;
	ASSERT_EQ(run("drop sim0"), 0);
	EXPECT_FALSE(find_cq(self->fd, self->index, stats.cq, &stats));
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.cqs, 0);
	sum2.cqs = 0;
	/* To the tick, which comes late on a busy machine. */
	EXPECT_LT(llabs((long long)(sum.last_ns - sum2.last_ns)), 500000000);
	sum2.last_ns = sum.last_ns;
	EXPECT_EQ(memcmp(&sum, &sum2, sizeof(sum)), 0);
	ASSERT_EQ(run("load sim0 %s 1 1000", variant->kind), 0);
	ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
	EXPECT_TRUE(same_counts(&stats));
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.cqs, 1);
	EXPECT_EQ(successes(&sum), successes(&sum2) + successes(&stats));
	EXPECT_EQ(sum.failures[WR_FLUSH_ERR],
		  sum2.failures[WR_FLUSH_ERR] + stats.failures[WR_FLUSH_ERR]);
}

/* Completions in any context that a driver may have. */
TEST_F(kind, in_any_context)
{
	static const char * const contexts[] = {
		"process", "softirq", "hardirq"
	};
	struct rdmaev_cq_stats stats;
	unsigned int i, tries;
	long qp, number;

	ASSERT_EQ(run("hold sim0 create %s", variant->kind), 0);
	qp = result("qp");
	number = result("cq");
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		ASSERT_EQ(run("hold sim0 recv 50"), 0);
		ASSERT_EQ(sim_put("receive", "%ld 50 %s", qp, contexts[i]), 0);
	}
	for (tries = 0; tries < 100; tries++) {
		if (variant->is_polled)
			ASSERT_EQ(run("hold sim0 poll 16"), 0);
		ASSERT_TRUE(find_cq(self->fd, self->index, number, &stats));
		if (stats.completions[RDMAEV_OPCODE_RECV] == 150)
			break;
		sleep_ms(20);
	}
	EXPECT_EQ(successes(&stats), 150);
	EXPECT_EQ(stats.completions[RDMAEV_OPCODE_RECV], 150);
	EXPECT_EQ(result("overruns"), 0);
}

static struct rdmaev_cq_stats held(int fd, uint32_t device)
{
	struct rdmaev_cq_stats stats;

	if (!find_cq(fd, device, result("cq"), &stats))
		memset(&stats, 0xff, sizeof(stats));
	return stats;
}

#define EXPECT_STEP(_polls, _empty, _notifications) do {	\
	struct rdmaev_cq_stats s = held(self->fd, self->index);		\
	EXPECT_EQ(s.polls, _polls);					\
	EXPECT_EQ(s.empty_polls, _empty);				\
	EXPECT_EQ(s.notifications, _notifications);			\
} while (0)

TEST_F(cq, by_step)
{
	struct rdmaev_cq_stats stats;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	EXPECT_STEP(0, 0, 0);
	EXPECT_EQ(held(self->fd, self->index).last_ns, 0);
	run("hold sim0 poll 16");
	/* No wake-up was expected. */
	EXPECT_STEP(1, 0, 0);
	run("hold sim0 write 3");
	run("hold sim0 arm next");
	EXPECT_STEP(1, 0, 0);
	run("hold sim0 arm next missed");
	EXPECT_STEP(1, 0, 0);
	run("hold sim0 write 2");
	EXPECT_STEP(1, 0, 1);
	run("hold sim0 poll 3");
	run("hold sim0 poll 16");
	run("hold sim0 poll 16");
	EXPECT_STEP(4, 0, 1);
	stats = held(self->fd, self->index);
	EXPECT_EQ(stats.completions[RDMAEV_OPCODE_WRITE], 5);

	/* Between arm and poll: polled, and notified nevertheless. */
	run("hold sim0 arm next missed");
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	EXPECT_STEP(6, 0, 3);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 poll 1");
	run("hold sim0 arm next");
	EXPECT_EQ(sim_put("mute", "%ld 1", result("cq")), 0);
	run("hold sim0 write 1");
	EXPECT_EQ(sim_put("mute", "%ld 0", result("cq")), 0);
	run("hold sim0 poll 1");
	EXPECT_STEP(8, 0, 4);
	EXPECT_EQ(result("wakes"), 4);
}

/* A notification, but the completion was polled before. */
TEST_F(cq, empty_polls)
{
	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 steal");
	run("hold sim0 poll 16");
	EXPECT_STEP(1, 1, 1);
	run("hold sim0 poll 16");
	EXPECT_STEP(2, 1, 1);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	EXPECT_STEP(3, 1, 2);
	EXPECT_EQ(held(self->fd, self->index).completions[RDMAEV_OPCODE_WRITE], 1);
}

/* The counters of failed completions of a device. */
static unsigned int wc_counters(int fd, uint32_t index, struct rdmaev_counter *list,
				unsigned int room)
{
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.entry_size = sizeof(*list),
		.count = room,
		.entries = (uintptr_t)list,
		.device = index,
		.port = RDMAEV_ANY,
	};
	unsigned int i, n = 0;

	if (ioctl(fd, RDMAEV_IOC_COUNTERS, &req) || req.count > room)
		return 0;
	for (i = 0; i < req.count; i++) {
		if (list[i].kind == RDMAEV_KIND_WC)
			list[n++] = list[i];
	}
	return n;
}

/*
 * Statuses of any number, also of one that no table has. A status or opcode
 * that has no counter of its own is counted with the number for all others.
 */
TEST_F(cq, statuses)
{
	struct rdmaev_counter list[256];
	struct rdmaev_cq_stats stats;
	struct rdmaev_device dev;
	unsigned int i, n;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 1; i < 40; i++) {
		ASSERT_EQ(sim_put("fail", "%ld %u", result("qp"), i), 0);
		ASSERT_EQ(run("hold sim0 write 1"), 0);
		ASSERT_EQ(run("hold sim0 poll 16"), 0);
		ASSERT_EQ(result("polled"), 1);
		ASSERT_EQ(run("hold sim0 reset"), 0);
	}
	stats = held(self->fd, self->index);
	EXPECT_TRUE(same_counts(&stats));
	EXPECT_EQ(stats.failures[0], 0);
	for (i = 1; i < 31; i++)
		EXPECT_EQ(stats.failures[i], 1);
	EXPECT_EQ(stats.failures[31], 9);
	EXPECT_EQ(successes(&stats), 0);

	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.last_kind, RDMAEV_KIND_WC);
	EXPECT_EQ(dev.last_code, RDMAEV_CODE_OTHER);
	n = wc_counters(self->fd, self->index, list, ARRAY_SIZE(list));
	ASSERT_GE(n, 25);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(list[i].code < 31 || list[i].code == RDMAEV_CODE_OTHER);
		EXPECT_EQ(list[i].count, i == n - 1 ? 9 : 1);
	}
	EXPECT_EQ(list[n - 2].code, 30);
	EXPECT_EQ(list[n - 1].code, RDMAEV_CODE_OTHER);
}

/* A failure that has a record has been counted. */
TEST_F(cq, seq)
{
	static struct rdmaev_cq_stats list[4];
	struct rdmaev_record rec;
	uint64_t seq;
	int i;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 0; i < 20; i++) {
		run("hold sim0 bad");
		run("hold sim0 poll 16");
		ASSERT_EQ(read_cqs(self->fd, 0, self->index, 0, list, 4, &seq), 1);
		ASSERT_TRUE(next(self->fd, &rec));
		EXPECT_GE(seq, rec.seq);
		EXPECT_EQ(list[0].failures[LOC_QP_OP_ERR], i + 1);
		run("hold sim0 reset");
	}
}

/*
 * On two CPUs at once, also of the same QP: the records add up to the counters.
 */
TEST_F_TIMEOUT(cq, records_under_load, 120)
{
	static struct rdmaev_record r[256];
	unsigned long failed = 0, flushed = 0;
	ssize_t got;
	int i;

	ASSERT_EQ(run("load sim0 created %d %d", THREADS, COUNT), 0);
	ASSERT_EQ(result("lost"), 0);
	while ((got = read(self->fd, r, sizeof(r))) > 0) {
		for (i = 0; i < got / (ssize_t)sizeof(r[0]); i++) {
			ASSERT_EQ(r[i].kind, RDMAEV_KIND_WC);
			if (r[i].code == WR_FLUSH_ERR) {
				flushed += r[i].count;
				failed += r[i].body.wc.folded;
			} else {
				failed += r[i].count;
			}
		}
	}
	EXPECT_GT(flushed, 0);
	EXPECT_EQ((long)flushed, result("failed_5"));
	EXPECT_EQ((long)failed, result("failed_2"));
}

FIXTURE(shared) {
	int fd;
	uint32_t index;
	uint32_t generation;
	uint32_t cq;
	struct rdmaev_cq_stats stats;	/* of the CQ, as last seen */
};

FIXTURE_SETUP(shared)
{
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
}

FIXTURE_TEARDOWN(shared)
{
	close_sim0(self->fd);
}

FIXTURE_VARIANT(shared) {
	const char *how;		/* the other attachment */
	const char *name;		/* ... its ULP */
	const char *owner;
	const char *first, *last;	/* to be detached */
};

FIXTURE_VARIANT_ADD(shared, by_one_ulp) {
	.how = "",
	.name = CQTEST_NAME,
	.owner = CQTEST_NAME,
	.first = "",
	.last = "other ",
};

FIXTURE_VARIANT_ADD(shared, by_one_ulp_in_order) {
	.how = "",
	.name = CQTEST_NAME,
	.owner = CQTEST_NAME,
	.first = "other ",
	.last = "",
};

FIXTURE_VARIANT_ADD(shared, by_two_ulps) {
	.how = " 1 second",
	.name = "cqtest2",
	.owner = "ib_core",
	.first = "",
	.last = "other ",
};

FIXTURE_VARIANT_ADD(shared, by_two_ulps_in_order) {
	.how = " 1 second",
	.name = "cqtest2",
	.owner = "ib_core",
	.first = "other ",
	.last = "",
};

/* Wait for so many completions of the only CQ, which ib_core polls; 1 if they come. */
static int has_counted(int fd, uint32_t device, struct rdmaev_cq_stats *stats,
		       uint64_t ok, uint64_t failed)
{
	struct rdmaev_cq_stats list[2];
	uint64_t end = now_ms() + SOON_MS;

	do {
		if (read_cqs(fd, 0, device, 0, list, 2, NULL) != 1)
			return 0;
		*stats = list[0];
		if (successes(stats) == ok && stats->failures[LOC_QP_OP_ERR] == failed)
			return 1;
		sleep_ms(1);
	} while (now_ms() < end);
	return 0;
}

/*
 * A CQ of the pool is one CQ, whoever attaches it how often, until the last is
 * detached. Failures are recorded for the ULP that counts them.
 */
TEST_F(shared, in_any_order)
{
	int other_first = variant->first[0] == 'o';
	struct rdmaev_cq_stats before, sum;
	struct rdmaev_record rec;

	ASSERT_EQ(run("hold sim0 create pool"), 0);
	self->cq = result("cq");
	ASSERT_TRUE(find_cq(self->fd, self->index, self->cq, &before));
	EXPECT_STREQ(before.owner, CQTEST_NAME);
	ASSERT_EQ(run("hold sim0 other create pool%s", variant->how), 0);
	ASSERT_EQ(result("cq"), self->cq);
	run("hold sim0 write 3");
	run("hold sim0 other write 4");
	ASSERT_TRUE(has_counted(self->fd, self->index, &self->stats, 7, 0));
	EXPECT_EQ(self->stats.id, before.id);
	EXPECT_EQ(self->stats.cq, self->cq);
	EXPECT_EQ(self->stats.flags, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_ATTACHED);
	EXPECT_STREQ(self->stats.owner, variant->owner);

	run("hold sim0 %sbad", variant->first);
	ASSERT_TRUE(has_counted(self->fd, self->index, &self->stats, 7, 1));
	ASSERT_EQ(run("hold sim0 %sdrain", variant->first), 0);
	ASSERT_EQ(run("hold sim0 %sdestroy", variant->first), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.code, LOC_QP_OP_ERR);
	EXPECT_STREQ(rec.body.info.owner, other_first ? variant->name : CQTEST_NAME);
	EXPECT_TRUE(nothing(self->fd));

	run("hold sim0 %swrite 2", variant->last);
	ASSERT_TRUE(has_counted(self->fd, self->index, &self->stats, 9, 1));
	EXPECT_EQ(self->stats.id, before.id);
	EXPECT_STREQ(self->stats.owner, variant->owner);
	run("hold sim0 %sbad", variant->last);
	ASSERT_TRUE(has_counted(self->fd, self->index, &self->stats, 9, 2));
	ASSERT_EQ(run("hold sim0 %sdrain", variant->last), 0);
	ASSERT_EQ(run("hold sim0 %sdestroy", variant->last), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.code, LOC_QP_OP_ERR);
	EXPECT_STREQ(rec.body.info.owner, other_first ? CQTEST_NAME : variant->name);
	EXPECT_TRUE(nothing(self->fd));

	EXPECT_FALSE(find_cq(self->fd, self->index, self->cq, &self->stats));
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_EQ(sum.cqs, 0);
	EXPECT_EQ(successes(&sum), 9);
	EXPECT_EQ(sum.failures[LOC_QP_OP_ERR], 2);
	/* Attached anew, it is another one. */
	ASSERT_EQ(run("hold sim0 create pool"), 0);
	ASSERT_TRUE(has_counted(self->fd, self->index, &self->stats, 0, 0));
	EXPECT_GT(self->stats.id, before.id);
	EXPECT_STREQ(self->stats.owner, CQTEST_NAME);
}

#define MORE	300
#define PAGE	7

TEST_F(cq, pages)
{
	static struct rdmaev_cq_stats list[PAGE], all[MORE + 20];
	uint64_t after = 0;
	int n, i, seen = 0;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 more %d", MORE), 0);
	ASSERT_EQ(run("load sim0 attached 1 10"), 0);
	for (;;) {
		n = read_cqs(self->fd, 0, self->index, after, list, PAGE, NULL);
		ASSERT_EQ(n, MORE + 2 - seen);
		for (i = 0; i < n && i < PAGE; i++) {
			EXPECT_GT(list[i].id, after);
			after = list[i].id;
			all[seen++] = list[i];
		}
		if (n <= PAGE)
			break;
	}
	EXPECT_EQ(seen, MORE + 2);
	EXPECT_EQ(all[0].cqe, 1024);
	for (i = 1; i <= MORE; i++)
		EXPECT_EQ(all[i].cqe, 1);
	EXPECT_EQ(all[MORE + 1].flags, RDMAEV_CQ_NUMBERED | RDMAEV_CQ_ATTACHED);
	EXPECT_EQ(read_cqs(self->fd, 0, self->index, after, list, PAGE, NULL), 0);
	/* Of all devices, and without room. */
	EXPECT_EQ(read_cqs(self->fd, 0, RDMAEV_ANY, 0, list, 0, NULL), MORE + 2);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	EXPECT_EQ(read_cqs(self->fd, 0, RDMAEV_ANY, 0, list, PAGE, NULL), 1);
	EXPECT_EQ(list[0].id, after);
	ASSERT_EQ(run("drop sim0"), 0);
	EXPECT_EQ(read_cqs(self->fd, 0, RDMAEV_ANY, 0, list, PAGE, NULL), 0);
}

/* Devices that never had a CQ are in the sums, too. */
TEST_F(cq, sums)
{
	static struct rdmaev_cq_stats list[8];
	struct rdmaev_device dev;
	uint64_t seq;
	int i, n, found = 0;

	ASSERT_EQ(sim_create("sim1", 1), 0);
	ASSERT_TRUE(find_device(self->fd, "sim1", &dev));
	ASSERT_EQ(run("load sim0 created 1 100"), 0);
	n = read_cqs(self->fd, RDMAEV_CQS_SUMS, RDMAEV_ANY, 0, list, 8, &seq);
	ASSERT_GE(n, 2);
	ASSERT_LE(n, 8);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(!i || list[i].id > list[i - 1].id);
		if (list[i].generation == self->generation) {
			EXPECT_TRUE(same_counts(&list[i]));
			found++;
		} else if (list[i].generation == dev.generation) {
			EXPECT_EQ(list[i].device, dev.index);
			EXPECT_EQ(list[i].cqs, 0);
			EXPECT_EQ(list[i].polls, 0);
			EXPECT_EQ(successes(&list[i]), 0);
			found++;
		}
	}
	EXPECT_EQ(found, 2);
	EXPECT_EQ(seq, get_info(self->fd).newest_seq);
	EXPECT_EQ(read_cqs(self->fd, RDMAEV_CQS_SUMS, dev.index, 0, list, 8, NULL), 1);
	EXPECT_EQ(list[0].generation, dev.generation);
	EXPECT_EQ(read_cqs(self->fd, RDMAEV_CQS_SUMS, RDMAEV_ANY, dev.generation, list, 8,
			   NULL), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	/* The counters of a new device start at zero. */
	ASSERT_EQ(sim_destroy("sim0"), 0);
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_TRUE(find_sum(self->fd, device_index(self->fd, "sim0"), &list[0]));
	EXPECT_EQ(successes(&list[0]), 0);
}

TEST_HARNESS_MAIN
