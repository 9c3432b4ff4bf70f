// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion notifications: what triggers one, records of notifications on
 * request, and CQs that are not polled.
 */
#include "cq.h"

/* Reasons for which a completion handler is called */
#define EXPECT_WAKES(n)	EXPECT_EQ(result("wakes"), n)

/* The order of the driver, which rdmaev does not change */
TEST_F(cq, solicited_or_next)
{
	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 recv 20");
	run("hold sim0 arm solicited");
	run("hold sim0 send 2");
	run("hold sim0 write 2");
	EXPECT_WAKES(0);
	run("hold sim0 send 1 solicited");
	EXPECT_WAKES(1);
	run("hold sim0 send 1 solicited");
	EXPECT_WAKES(1);

	/* Any failure is solicited. */
	run("hold sim0 arm solicited");
	run("hold sim0 write 1");
	EXPECT_WAKES(1);
	run("hold sim0 bad");
	EXPECT_WAKES(2);
	run("hold sim0 reset");
	run("hold sim0 recv 20");

	/* The next completion has precedence, in either order. */
	run("hold sim0 arm solicited");
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	EXPECT_WAKES(3);
	run("hold sim0 arm next");
	run("hold sim0 arm solicited");
	run("hold sim0 arm solicited missed");
	run("hold sim0 write 1");
	EXPECT_WAKES(4);
	/* One notification for each request, however often the CQ was armed. */
	run("hold sim0 write 1");
	EXPECT_WAKES(4);

	/*
	 * Completions that are there already cause no notification: arming
	 * returns 1.
	 */
	run("hold sim0 arm next missed");
	EXPECT_EQ(result("armed"), 1);
	EXPECT_WAKES(4);
	do {
		run("hold sim0 poll 16");
	} while (result("polled"));
	run("hold sim0 arm next missed");
	EXPECT_EQ(result("armed"), 0);
	run("hold sim0 write 1");
	EXPECT_WAKES(5);
	EXPECT_EQ(result("irqs_on"), 0);
}

/* The handler is called with the driver's lock held and interrupts off. */
TEST_F(cq, in_any_context)
{
	static const char * const contexts[] = {
		"process", "softirq", "hardirq"
	};
	unsigned int i, j;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		for (j = 1; j <= 10; j++) {
			run("hold sim0 arm next");
			run("hold sim0 recv 1");
			ASSERT_EQ(sim_put("receive", "%ld 1 %s", result("qp"),
					  contexts[i]), 0);
			run("hold sim0 poll 16");
			EXPECT_WAKES(10 * i + j);
		}
	}
	EXPECT_EQ(result("irqs_on"), 0);
}

static int notify(int fd, uint32_t device, uint32_t cq, uint32_t every,
		  uint32_t delay_us)
{
	struct rdmaev_notify n = {
		.size = sizeof(n),
		.device = device,
		.cq = cq,
		.every = every,
		.delay_us = delay_us,
	};

	return ioctl(fd, RDMAEV_IOC_NOTIFY, &n) ? errno : 0;
}

/* @n notifications of so many completions each; all are polled. */
static void notifications(int n, int completions)
{
	while (n--) {
		run("hold sim0 arm next");
		run("hold sim0 write %d", completions);
		run("hold sim0 poll 16");
	}
}

/*
 * Sum up the records of notifications until there are as many notifications:
 * how many, and how many completions. A record is appended soon after its last
 * notification, so it may include a few more. 0 if the rest does not come.
 */
static int wait_notified(int fd, unsigned int n, unsigned int every,
			 unsigned int *completions)
{
	struct rdmaev_record rec;
	unsigned int sum = 0, done = 0;

	while (sum < n && next(fd, &rec)) {
		if (rec.kind != RDMAEV_KIND_COMPLETION ||
		    rec.code != RDMAEV_COMPLETION_NOTIFIED ||
		    rec.count < every ||
		    rec.count != rec.body.completion.notifications)
			return 0;
		sum += rec.count;
		done += rec.body.completion.completions;
	}
	if (completions)
		*completions = done;
	return sum;
}

#define EXPECT_COMPLETION(r, its_code, how_many, by) do {		\
	EXPECT_EQ((r).kind, RDMAEV_KIND_COMPLETION);			\
	EXPECT_EQ((r).code, its_code);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).generation, self->generation);			\
	EXPECT_EQ((r).port, RDMAEV_NO_PORT);				\
	EXPECT_EQ((r).object_type, RDMAEV_OBJECT_CQ);			\
	EXPECT_EQ((r).object, result("cq"));				\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_ULP);			\
	EXPECT_EQ((r).count, how_many);					\
	EXPECT_EQ((r).cause, by);					\
	EXPECT_EQ((r).pid, 0);						\
	EXPECT_STREQ((r).body.info.owner, CQTEST_NAME);	\
} while (0)

#define EXPECT_NOTIFIED(r, how_many) do {				\
	EXPECT_COMPLETION(r, RDMAEV_COMPLETION_NOTIFIED, how_many, 0);	\
	EXPECT_EQ((r).severity, RDMAEV_SEVERITY_INFO);			\
	EXPECT_EQ((r).ring, RDMAEV_RING_INFO);				\
	EXPECT_EQ((r).body.completion.notifications, how_many);		\
} while (0)

static unsigned int flags_of(int fd, uint32_t device)
{
	struct rdmaev_cq_stats stats;

	return find_cq(fd, device, result("cq"), &stats) ? stats.flags : ~0U;
}

TEST_F(cq, by_count)
{
	struct rdmaev_record r[1];
	unsigned int sum, n = 0;
	long cq;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	notifications(3, 1);
	EXPECT_TRUE(nothing(self->fd));
	ASSERT_EQ(notify(self->fd, self->index, cq, 1, 0), 0);
	EXPECT_EQ(flags_of(self->fd, self->index),
		  RDMAEV_CQ_NUMBERED | RDMAEV_CQ_NOTIFIED);
	notifications(1, 1);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_NOTIFIED(r[0], 1);
	notifications(30, 1);
	EXPECT_EQ(wait_notified(self->fd, 30, 1, NULL), 30);
	/* A second request of the same reader replaces the number. */
	ASSERT_EQ(notify(self->fd, self->index, cq, 5, 0), 0);
	notifications(4, 2);
	EXPECT_TRUE(nothing(self->fd));
	notifications(1, 2);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_NOTIFIED(r[0], 5);
	/*
	 * The record is appended after the notification, before or after its
	 * poll.
	 */
	EXPECT_GE(r[0].body.completion.completions, 8);
	EXPECT_LE(r[0].body.completion.completions, 10);
	EXPECT_EQ(r[0].body.completion.failures, 0);
	EXPECT_EQ(r[0].body.completion.empty_polls, 0);
	EXPECT_GT(r[0].body.completion.time_ns, 0);
	sum = r[0].body.completion.completions;
	notifications(2, 2);
	EXPECT_TRUE(nothing(self->fd));
	/* A last record has the rest. */
	ASSERT_EQ(notify(self->fd, self->index, cq, 0, 0), 0);
	EXPECT_EQ(wait_notified(self->fd, 2, 2, &n), 2);
	EXPECT_EQ(sum + n, 14);
	EXPECT_TRUE(nothing(self->fd));
	EXPECT_EQ(flags_of(self->fd, self->index), RDMAEV_CQ_NUMBERED);
	notifications(3, 1);
	EXPECT_TRUE(nothing(self->fd));
}

/*
 * All of a part comes within that time, and nothing ends half of it early: jiffies may
 * catch up with the clock in the middle.
 */
#define DELAY_MS	3000

TEST_F(cq, by_time)
{
	struct rdmaev_record r[2];
	uint64_t start;
	long cq;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	ASSERT_EQ(notify(self->fd, self->index, cq, 1000, DELAY_MS * 1000), 0);
	EXPECT_TRUE(nothing(self->fd));
	start = now_ms();
	notifications(3, 1);
	run("hold sim0 arm next");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	run("hold sim0 reset");
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 steal");
	run("hold sim0 poll 1");
	/* The failure is recorded at once. */
	ASSERT_TRUE(next(self->fd, &r[0]));
	EXPECT_EQ(r[0].kind, RDMAEV_KIND_WC);
	ASSERT_TRUE(next(self->fd, &r[0]));
	EXPECT_GE(now_ms() - start, DELAY_MS / 2);
	EXPECT_NOTIFIED(r[0], 5);
	EXPECT_EQ(r[0].body.completion.completions, 3);
	EXPECT_EQ(r[0].body.completion.failures, 1);
	EXPECT_EQ(r[0].body.completion.empty_polls, 1);
	EXPECT_GE(r[0].body.completion.time_ns, DELAY_MS / 2 * 1000000ULL);
	/* Counting starts again with the first notification. */
	sleep_ms(DELAY_MS * 3 / 4);
	start = now_ms();
	notifications(1, 1);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_NOTIFIED(r[0], 1);
	EXPECT_GE(now_ms() - start, DELAY_MS / 2);
}

TEST_F(cq, is_asked_for_by_one)
{
	struct rdmaev_record r[1];
	int fd = open_node(O_NONBLOCK), i;
	long cq;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	ASSERT_EQ(notify(fd, self->index, cq, 2, 0), 0);
	EXPECT_EQ(notify(self->fd, self->index, cq, 1, 0), EBUSY);
	EXPECT_EQ(notify(self->fd, self->index, cq, 0, 0), EBUSY);
	notifications(2, 1);
	/* All readers get it. */
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_NOTIFIED(r[0], 2);
	close(fd);
	EXPECT_EQ(flags_of(self->fd, self->index), RDMAEV_CQ_NUMBERED);
	notifications(4, 1);
	EXPECT_TRUE(nothing(self->fd));
	ASSERT_EQ(notify(self->fd, self->index, cq, 2, 0), 0);
	notifications(2, 1);
	ASSERT_TRUE(exactly(self->fd, r, 1));

	/*
	 * The request ends with the CQ; another CQ of that number does not
	 * inherit it.
	 */
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	EXPECT_EQ(notify(self->fd, self->index, cq, 2, 0), ENOENT);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(run("hold sim0 create %s",
			      i == 1 ? "created" : "direct"), 0);
		EXPECT_EQ(notify(self->fd, self->index, result("cq"), 1, 0),
			  i == 1 ? 0 : EOPNOTSUPP);
		ASSERT_EQ(run("hold sim0 destroy"), 0);
	}
	EXPECT_EQ(notify(self->fd, 12345, 0, 1, 0), ENODEV);
}

#define STALL_MS	300
/* A stall would have been recorded by now. */
#define LONG_MS		(3 * STALL_MS)

static int no_stall(int fd, uint32_t device)
{
	sleep_ms(LONG_MS);
	return nothing(fd) && !(flags_of(fd, device) & RDMAEV_CQ_STALLED);
}

/* Notified, and not polled: a stall */
TEST_F(cq, stall_is_recorded_once)
{
	struct rdmaev_record r[2];
	uint64_t start;

	ASSERT_EQ(param("stall_ms", STALL_MS), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	notifications(2, 3);
	run("hold sim0 arm next missed");
	start = now_ms();
	run("hold sim0 write 4");
	EXPECT_EQ(result("wakes"), 3);
	ASSERT_TRUE(next(self->fd, &r[0]));
	/* Jiffies may catch up with the clock in the middle. */
	EXPECT_GE(now_ms() - start, STALL_MS / 2);
	EXPECT_COMPLETION(r[0], RDMAEV_COMPLETION_STALLED, 1, 0);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_EQ(r[0].ring, RDMAEV_RING_ERROR);
	EXPECT_EQ(r[0].body.completion.notifications, 1);
	EXPECT_EQ(r[0].body.completion.completions, 6);
	EXPECT_EQ(r[0].body.completion.failures, 0);
	EXPECT_GE(r[0].body.completion.time_ns, STALL_MS / 2 * 1000000ULL);
	EXPECT_EQ(flags_of(self->fd, self->index),
		  RDMAEV_CQ_NUMBERED | RDMAEV_CQ_STALLED);
	/* More notifications and more time cause no second stall. */
	run("hold sim0 write 1");
	sleep_ms(LONG_MS);
	EXPECT_TRUE(nothing(self->fd));

	run("hold sim0 poll 16");
	EXPECT_EQ(result("polled"), 5);
	ASSERT_TRUE(exactly(self->fd, &r[1], 1));
	EXPECT_COMPLETION(r[1], RDMAEV_COMPLETION_RECOVERED, 1, r[0].seq);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_GT(r[1].body.completion.time_ns, r[0].body.completion.time_ns);
	EXPECT_EQ(r[1].body.completion.completions, 0);
	/*
	 * Nobody armed the CQ, so requests posted meanwhile caused no
	 * notification.
	 */
	EXPECT_EQ(result("wakes"), 3);
	EXPECT_TRUE(no_stall(self->fd, self->index));

	/* The next stall is another one. */
	run("hold sim0 arm next missed");
	run("hold sim0 write 1");
	ASSERT_TRUE(next(self->fd, &r[0]));
	EXPECT_COMPLETION(r[0], RDMAEV_COMPLETION_STALLED, 1, 0);
	/* When the CQ is destroyed, the stall ends without a record. */
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	EXPECT_TRUE(nothing(self->fd));
	param("stall_ms", 10000);
}

TEST_F(cq, no_stall)
{
	ASSERT_EQ(param("stall_ms", STALL_MS), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	/* No notification was requested. */
	run("hold sim0 write 2");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	/* No notification for a completion of this kind */
	run("hold sim0 poll 16");
	run("hold sim0 arm solicited");
	run("hold sim0 write 1");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	EXPECT_EQ(result("wakes"), 0);
	/* The CQ is still armed, for solicited completions only. */
	run("hold sim0 write 1");
	EXPECT_EQ(result("wakes"), 0);
	run("hold sim0 bad");
	EXPECT_EQ(result("wakes"), 1);
	run("hold sim0 poll 16");
	run("hold sim0 reset");
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_COMPLETION), 0);
	/* The CQ is empty, however long it is armed. */
	run("hold sim0 arm next");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	EXPECT_EQ(result("wakes"), 1);
	run("hold sim0 write 1");
	EXPECT_EQ(result("wakes"), 2);
	run("hold sim0 poll 16");
	/*
	 * A lost notification cannot be detected: rdmaev arms no CQ to find
	 * out.
	 */
	ASSERT_EQ(sim_put("mute", "%ld 1", result("cq")), 0);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	ASSERT_EQ(sim_put("mute", "%ld 0", result("cq")), 0);
	run("hold sim0 write 1");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	EXPECT_EQ(result("wakes"), 2);
	run("hold sim0 poll 16");
	/* Neither armed nor notified since. */
	EXPECT_TRUE(no_stall(self->fd, self->index));
	/* 0: stalls are not detected. */
	ASSERT_EQ(param("stall_ms", 0), 0);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	EXPECT_TRUE(no_stall(self->fd, self->index));
	param("stall_ms", 10000);
}

/* A CQ that is polled now and then is slow, not stalled. */
TEST_F(cq, slow)
{
	int i;

	/* On a busy machine it may be polled much later. */
	ASSERT_EQ(param("stall_ms", 3000), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 0; i < 5; i++) {
		run("hold sim0 arm next");
		run("hold sim0 write 3");
		sleep_ms(1000);
		run("hold sim0 poll 1");
	}
	EXPECT_TRUE(nothing(self->fd));
	param("stall_ms", 10000);
}

TEST_HARNESS_MAIN
