// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The two times of a record: correct right after the clock was set, and never
 * from two clocks.
 */
#include <sys/time.h>
#include <sys/timex.h>

#include "common.h"
#include "kselftest_harness.h"

/* Clocks of records may differ from those of programs by this */
#define NEAR_NS 1000000

FIXTURE(clock) {
	int fd;
	long moved;
};

FIXTURE_SETUP(clock)
{
	self->moved = 0;
	ASSERT_EQ(rxe_add("clock0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_test_events(self->fd), 0);
}

/* Move the clock by so many seconds. */
static int step(long seconds)
{
	struct timex tx = {
		.modes = ADJ_SETOFFSET,
		.time.tv_sec = seconds,
	};

	return adjtimex(&tx) < 0 ? -1 : 0;
}

FIXTURE_TEARDOWN(clock)
{
	step(-self->moved);
	close(self->fd);
	rxe_del("clock0");
}

static int64_t ns_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* An event has the current time of both clocks. */
static int is_right(int fd)
{
	int64_t real = ns_of(CLOCK_REALTIME), boot = ns_of(CLOCK_BOOTTIME);
	struct rdmaev_record rec;
	int64_t at_real, at_boot;

	if (gen("process", "clock0", TEST_EVENT, 1, 1) != 1 ||
	    read(fd, &rec, sizeof(rec)) != sizeof(rec))
		return 0;
	at_real = rec.realtime_ns;
	at_boot = rec.boottime_ns;
	return at_real >= real - NEAR_NS && at_boot >= boot - NEAR_NS &&
	       at_real <= ns_of(CLOCK_REALTIME) + NEAR_NS &&
	       at_boot <= ns_of(CLOCK_BOOTTIME) + NEAR_NS;
}

TEST_F(clock, right_after_steps)
{
	static const long steps[] = { 3600, -7200, 1, -1, 86400 * 365, 3600 };
	unsigned int i;

	EXPECT_TRUE(is_right(self->fd));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ASSERT_EQ(step(steps[i]), 0);
		self->moved += steps[i];
		EXPECT_TRUE(is_right(self->fd));
	}
}

TEST_F(clock, right_after_settimeofday)
{
	struct timeval tv;

	ASSERT_EQ(gettimeofday(&tv, NULL), 0);
	tv.tv_sec += 1000;
	ASSERT_EQ(settimeofday(&tv, NULL), 0);
	self->moved += 1000;
	EXPECT_TRUE(is_right(self->fd));
	ASSERT_EQ(gettimeofday(&tv, NULL), 0);
	tv.tv_sec -= 2000;
	ASSERT_EQ(settimeofday(&tv, NULL), 0);
	self->moved -= 2000;
	EXPECT_TRUE(is_right(self->fd));
}

/*
 * While the clock is set forward and back, each record is before or after a
 * change.
 */
TEST_F(clock, never_in_between)
{
	struct rdmaev_record rec[64];
	int64_t offset[2] = {};
	unsigned int i, seen[2] = {}, rounds = 200 / slowness();
	pid_t pid;

	ASSERT_EQ(gen("process", "clock0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(read(self->fd, rec, sizeof(rec)), (ssize_t)sizeof(rec[0]));
	offset[0] = rec[0].realtime_ns - rec[0].boottime_ns;
	offset[1] = offset[0] + 10000000000LL;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		for (i = 0; i < rounds; i++) {
			if (step(10))
				_exit(1);
			sleep_ms(2);
			if (step(-10))
				_exit(1);
			sleep_ms(2);
		}
		_exit(0);
	}
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		ASSERT_EQ(gen("process", "clock0", TEST_EVENT, 1, 64), 64);
		ASSERT_EQ(read(self->fd, rec, sizeof(rec)), (ssize_t)sizeof(rec));
		for (i = 0; i < 64; i++) {
			int64_t is = rec[i].realtime_ns - rec[i].boottime_ns;

			ASSERT_TRUE(is == offset[0] || is == offset[1]);
			seen[is == offset[1]]++;
		}
	}
	EXPECT_GT(seen[0], 0);
	EXPECT_GT(seen[1], 0);
	EXPECT_TRUE(is_right(self->fd));
}

TEST_HARNESS_MAIN
