// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Waiting: poll, epoll level- and edge-triggered, watermark and delay, and no
 * wake-up without a reason.
 */
#include <poll.h>
#include <sys/epoll.h>

#include "sleeper.h"
#include "kselftest_harness.h"

FIXTURE(dev) {
	int fd;
	int ep;
};

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(rxe_add("poll0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_test_events(self->fd), 0);
	self->ep = epoll_create1(0);
	ASSERT_GE(self->ep, 0);
}

FIXTURE_TEARDOWN(dev)
{
	close(self->ep);
	close(self->fd);
	rxe_del("poll0");
}

static int events(unsigned int count)
{
	return gen("process", "poll0", TEST_EVENT, 1, count) == (long)count;
}

/* An event that does not pass the filter of the fixture */
static int other_events(unsigned int count)
{
	return gen("process", "poll0", 13, 1, count) == (long)count;
}

/*
 * At the end of the timeout the kernel checks again, and reports records
 * without a wake-up. So a full wait means that there was nothing.
 */
static int poll_in(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLRDNORM };
	uint64_t end = now_ms() + ms;
	int ret = poll(&p, 1, ms);

	if (ret == 1 && ms && now_ms() >= end)
		return 0;
	return ret == 1 ? p.revents : ret;
}

static int drain(int fd)
{
	struct rdmaev_record recs[64];
	int n = 0;
	ssize_t got;

	while ((got = read(fd, recs, sizeof(recs))) > 0)
		n += got / sizeof(struct rdmaev_record);
	return n;
}

TEST_F(dev, poll)
{
	EXPECT_EQ(poll_in(self->fd, 0), 0);
	EXPECT_EQ(poll_in(self->fd, 100), 0);
	ASSERT_TRUE(events(3));
	EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
	EXPECT_EQ(poll_in(self->fd, 0), POLLIN | POLLRDNORM);
	EXPECT_EQ(drain(self->fd), 3);
	EXPECT_EQ(poll_in(self->fd, 0), 0);
	ASSERT_TRUE(other_events(3));
	EXPECT_EQ(poll_in(self->fd, 100), 0);
}

/* From another process while this one waits, repeatedly */
TEST_F(dev, poll_wakes)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			usleep(i * 2000);
			_exit(!events(1));
		}
		EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
		EXPECT_EQ(drain(self->fd), 1);
		waitpid(pid, &status, 0);
		ASSERT_EQ(status, 0);
	}
}

static int epoll_in(int ep, int ms)
{
	struct epoll_event ev = {};
	uint64_t end = now_ms() + ms;
	int ret = epoll_wait(ep, &ev, 1, ms);

	if (ret == 1 && ms && now_ms() >= end)
		return 0;
	return ret == 1 ? (int)ev.events : ret;
}

TEST_F(dev, epoll_level)
{
	struct epoll_event ev = { .events = EPOLLIN };

	ASSERT_EQ(epoll_ctl(self->ep, EPOLL_CTL_ADD, self->fd, &ev), 0);
	EXPECT_EQ(epoll_in(self->ep, 100), 0);
	ASSERT_TRUE(events(2));
	EXPECT_EQ(epoll_in(self->ep, SOON_MS), EPOLLIN);
	EXPECT_EQ(epoll_in(self->ep, 0), EPOLLIN);
	EXPECT_EQ(drain(self->fd), 2);
	EXPECT_EQ(epoll_in(self->ep, 100), 0);
	ASSERT_TRUE(events(1));
	EXPECT_EQ(epoll_in(self->ep, SOON_MS), EPOLLIN);
}

TEST_F(dev, epoll_edge)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	struct rdmaev_record rec;
	int i;

	ASSERT_EQ(epoll_ctl(self->ep, EPOLL_CTL_ADD, self->fd, &ev), 0);
	EXPECT_EQ(epoll_in(self->ep, 100), 0);
	for (i = 0; i < 5; i++) {
		ASSERT_TRUE(events(2));
		EXPECT_EQ(epoll_in(self->ep, SOON_MS), EPOLLIN);
		/* Reported once, also while there is more to read */
		EXPECT_EQ(epoll_in(self->ep, 100), 0);
		EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
		EXPECT_EQ(epoll_in(self->ep, 100), 0);
		/* New records are reported, drained or not. */
		ASSERT_TRUE(events(1));
		EXPECT_EQ(epoll_in(self->ep, SOON_MS), EPOLLIN);
		EXPECT_EQ(drain(self->fd), 2);
		EXPECT_EQ(epoll_in(self->ep, 100), 0);
	}
	ASSERT_TRUE(other_events(3));
	EXPECT_EQ(epoll_in(self->ep, 100), 0);
}

static int set_wakeup(int fd, unsigned int watermark, unsigned int delay_us)
{
	struct rdmaev_wakeup w = {
		.size = sizeof(w),
		.watermark = watermark,
		.delay_us = delay_us,
	};

	return ioctl(fd, RDMAEV_IOC_WAKEUP, &w);
}

TEST_F(dev, watermark)
{
	struct rdmaev_record rec;

	ASSERT_EQ(set_wakeup(self->fd, 3, 0), 0);
	ASSERT_TRUE(events(2));
	EXPECT_EQ(poll_in(self->fd, 300), 0);
	ASSERT_TRUE(other_events(5));
	EXPECT_EQ(poll_in(self->fd, 300), 0);
	ASSERT_TRUE(events(1));
	EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
	/* Available records can be read whatever the watermark is. */
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(poll_in(self->fd, 0), 0);
	EXPECT_EQ(drain(self->fd), 2);
}

TEST_F(dev, delay)
{
	uint64_t start, took;

	ASSERT_EQ(set_wakeup(self->fd, 100, 500000), 0);
	EXPECT_EQ(poll_in(self->fd, 0), 0);
	start = now_ms();
	ASSERT_TRUE(events(2));
	EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
	took = now_ms() - start;
	EXPECT_GE(took, 500);
	EXPECT_EQ(drain(self->fd), 2);

	/* A change takes effect for current waiters. */
	ASSERT_EQ(set_wakeup(self->fd, 100, 0), 0);
	ASSERT_TRUE(events(1));
	if (!fork()) {
		usleep(300000);
		_exit(set_wakeup(self->fd, 1, 0));
	}
	EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
	wait(NULL);
}

TEST_F(dev, seek_wakes)
{
	ASSERT_TRUE(events(1));
	EXPECT_EQ(drain(self->fd), 1);
	if (!fork()) {
		usleep(300000);
		_exit(lseek(self->fd, 0, SEEK_SET) < 0);
	}
	EXPECT_EQ(poll_in(self->fd, SOON_MS), POLLIN | POLLRDNORM);
	wait(NULL);
}

/* A reader without a matching record continues to sleep. */
TEST_F(dev, not_woken_for_nothing)
{
	long before;
	pid_t pid;

	pid = fork();
	if (!pid) {
		struct rdmaev_record rec;

		fcntl(self->fd, F_SETFL, 0);
		_exit(read(self->fd, &rec, sizeof(rec)) != sizeof(rec));
	}
	before = asleep(pid);
	ASSERT_GT(before, 0);
	/* Of the same ring, and of another */
	ASSERT_EQ(gen("process", "poll0", 15, 1, 500), 500);
	ASSERT_TRUE(other_events(500));
	usleep(300000);
	EXPECT_EQ(switches(pid), before);
	ASSERT_TRUE(events(1));
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
}

TEST_HARNESS_MAIN
