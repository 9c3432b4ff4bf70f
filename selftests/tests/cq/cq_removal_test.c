// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs, QPs and devices are destroyed while completions arrive. */
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
};

FIXTURE_VARIANT_ADD(kind, created) {
	.kind = "created",
};

FIXTURE_VARIANT_ADD(kind, attached) {
	.kind = "attached",
};

/* No handler is called for a CQ that is destroyed. */
TEST_F_TIMEOUT(kind, destroyed_in_use, 120)
{
	static struct rdmaev_cq_stats list[4], sum;

	ASSERT_EQ(run("churn sim0 %s 400", variant->kind), 0);
	EXPECT_EQ(result("rounds"), 400);
	EXPECT_EQ(result("lost"), 0);
	EXPECT_EQ(result("late"), 0);
	EXPECT_EQ(result("overruns"), 0);
	EXPECT_EQ(result("irqs_on"), 0);
	EXPECT_EQ(read_cqs(self->fd, 0, self->index, 0, list, 4, NULL), 0);
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	/* Two of each QP that failed, of every other one */
	EXPECT_GE(successes(&sum), 400);
	EXPECT_GT(sum.failures[WR_FLUSH_ERR], 0);
}

/*
 * Start a child that runs a command; it exits with 0 if the command succeeded.
 */
static pid_t child(const char *command)
{
	pid_t pid = fork();

	if (!pid)
		_exit(run("%s", command) ? 1 : 0);
	return pid;
}

/* Wait until a device has a CQ, so the child is at work. */
static int is_busy(int fd, uint32_t device)
{
	static struct rdmaev_cq_stats list[4];
	uint64_t end = now_ms() + SOON_MS;

	while (now_ms() < end) {
		if (read_cqs(fd, 0, device, 0, list, 4, NULL) > 0)
			return 1;
	}
	return 0;
}

/*
 * Check the records of a device from @seq on: none is about completions after
 * REMOVE.
 */
static int ends_in_order(int fd, uint32_t generation)
{
	struct rdmaev_record rec;
	int removed = 0;

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == RDMAEV_KIND_LOST)
			continue;
		if (rec.generation != generation || removed)
			return 0;
		removed = rec.kind == RDMAEV_KIND_DEVICE &&
			  rec.code == RDMAEV_DEVICE_REMOVE;
	}
	return removed;
}

TEST_F_TIMEOUT(kind, device_removed, 120)
{
	static const char * const commands[] = {
		"load sim0 %s 4 100000000", "wakeup sim0 %s 100000000",
		"churn sim0 %s 100000000", "fail sim0 100000000 10",
	};
	static struct rdmaev_cq_stats list[4];
	struct rdmaev_device dev;
	unsigned int i;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		uint64_t start;
		pid_t pid;
		int fd;

		snprintf(text, sizeof(text), commands[i], variant->kind);
		fd = open_node(O_NONBLOCK);
		ASSERT_GE(fd, 0);
		ASSERT_TRUE(find_device(fd, "sim0", &dev));
		ASSERT_EQ(filter_device(fd, "sim0"), 0);
		pid = child(text);
		sleep_ms(300);
		ASSERT_TRUE(is_busy(fd, dev.index));
		start = now_ms();
		ASSERT_EQ(sim_destroy("sim0"), 0);
		EXPECT_LT(now_ms() - start, SOON_MS);
		EXPECT_EQ(join_child(pid, SOON_MS), 0);
		EXPECT_EQ(result("gone"), 1);
		EXPECT_EQ(result("lost"), 0);
		EXPECT_EQ(result("late"), 0);
		EXPECT_EQ(result("overruns"), 0);
		EXPECT_EQ(read_cqs(fd, 0, RDMAEV_ANY, 0, list, 4, NULL), 0);
		EXPECT_EQ(read_cqs(fd, 0, dev.index, 0, list, 4, NULL), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_TRUE(ends_in_order(fd, dev.generation));
		close(fd);
		ASSERT_EQ(sim_create("sim0", 2), 0);
	}
}

/*
 * With a CQ that is stalled, has failures not yet recorded, and is in a
 * request.
 */
TEST_F_TIMEOUT(cq, removed_with_all_that_is_open, 60)
{
	static struct rdmaev_cq_stats list[4];
	struct rdmaev_notify n = {
		.size = sizeof(n),
		.device = self->index,
		.every = 1000,
		.delay_us = 200000,
	};
	struct rdmaev_record rec;
	unsigned int flushed = 0;

	ASSERT_EQ(param("stall_ms", 200), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	n.cq = result("cq");
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_NOTIFY, &n), 0);
	run("hold sim0 recv 3");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	run("hold sim0 arm next");
	run("hold sim0 write 2");
	do {
		ASSERT_TRUE(next(self->fd, &rec));
		flushed += rec.code == WR_FLUSH_ERR ? rec.count : 0;
	} while (rec.kind != RDMAEV_KIND_COMPLETION ||
		 rec.code != RDMAEV_COMPLETION_STALLED);
	run("hold sim0 recv 4");
	run("hold sim0 poll 16");
	ASSERT_EQ(sim_destroy("sim0"), 0);
	/* Flushed completions are recorded before the QP is destroyed. */
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		flushed += rec.code == WR_FLUSH_ERR ? rec.count : 0;
	EXPECT_EQ(flushed, 9);
	EXPECT_EQ(read_cqs(self->fd, 0, RDMAEV_ANY, 0, list, 4, NULL), 0);
	n.every = 0;
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_NOTIFY, &n), -1);
	EXPECT_EQ(errno, ENODEV);
	/* A second later, no record of it is appended any more. */
	sleep_ms(1500);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	param("stall_ms", 10000);
}

/* Reads the sum of a device until it is told to end. Has that ever become smaller? */
static int sum_reader(uint32_t device, int from, int to)
{
	static struct rdmaev_cq_stats sum;
	int fd = open_node(O_NONBLOCK), has_shrunk = 0;
	uint64_t last = 0;
	char byte;

	do {
		if (!find_sum(fd, device, &sum))
			return 1;
		has_shrunk |= successes(&sum) < last;
		if (!last && write(to, "", 1) != 1)
			return 1;
		last = successes(&sum);
	} while (read(from, &byte, 1) < 0);
	return has_shrunk;
}

/* Destroy the CQ of the last load while that runs. */
static int drop_while_summed(uint32_t device)
{
	int down[2], up[2];
	char byte;
	pid_t pid;

	if (pipe2(down, O_NONBLOCK) || pipe(up))
		return 0;
	pid = fork();
	if (!pid)
		_exit(sum_reader(device, down[0], up[1]));
	if (read(up[0], &byte, 1) != 1 || run("drop sim0") || write(down[1], "", 1) != 1)
		return 0;
	close(up[0]);
	close(up[1]);
	close(down[0]);
	close(down[1]);
	return !join_child(pid, SOON_MS);
}

/* A CQ counts in the sum once, also if it is removed while that is made. */
TEST_F_TIMEOUT(cq, summed_while_removed, 120)
{
	static struct rdmaev_cq_stats sum;
	int i;

	for (i = 0; i < 15; i++) {
		ASSERT_EQ(run("load sim0 attached 1 10"), 0);
		/* CQs are visited in order of creation: the first in each of these. */
		if (i % 5 == 0) {
			ASSERT_EQ(run("hold sim0 create created"), 0);
			ASSERT_EQ(run("hold sim0 more 300"), 0);
		}
		EXPECT_TRUE(drop_while_summed(self->index));
		if (i % 5 == 4)
			ASSERT_EQ(run("hold sim0 destroy"), 0);
	}
	ASSERT_TRUE(find_sum(self->fd, self->index, &sum));
	EXPECT_GT(successes(&sum), 0);
}

TEST_HARNESS_MAIN
