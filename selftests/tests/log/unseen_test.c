// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A reader without privilege that waits: records that it may not see do not wake it,
 * whatever else there is for it to read.
 */
#include <poll.h>
#include <sys/epoll.h>

#include "sleeper.h"
#include "kselftest_harness.h"

/* Events of objects of others, the second passes the filter; one that everybody sees */
enum { COMM_EST = 4, SRQ_LIMIT_REACHED = 15, DEVICE_FATAL = 8 };

/* More than are read ahead at a time */
#define MANY		200

/* With more armed readers than a few, new records are read once for all. */
#define OTHERS_MAX	8

FIXTURE(reader) {
	int fd;
	int ep;
	int others_ep;
	int others[OTHERS_MAX];
};

FIXTURE_VARIANT(reader) {
	int others;
};

FIXTURE_VARIANT_ADD(reader, alone) {
	.others = 0,
};

FIXTURE_VARIANT_ADD(reader, among_others) {
	.others = OTHERS_MAX,
};

static int open_as_user(void)
{
	struct rdmaev_filter f = filter_all();
	int fd;

	if (seteuid(65534))
		return -1;
	fd = open_node(O_NONBLOCK);
	if (seteuid(0))
		return -1;
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << SRQ_LIMIT_REACHED | 1 << DEVICE_FATAL);
	filter_target(&f, "unseen0", 0);
	return fd < 0 || ioctl(fd, RDMAEV_IOC_FILTER, &f) ? -1 : fd;
}

/* What an edge-triggered epoll reports within this time */
static bool is_woken(int ep, int ms)
{
	struct epoll_event ev = {};

	return epoll_wait(ep, &ev, 1, ms) == 1 && ev.events & EPOLLIN;
}

static bool add_edge(int ep, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	return !epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
}

static bool events(unsigned int event, unsigned int count)
{
	return gen("process", "unseen0", event, 1, count) == (long)count;
}

/* One passes the filter, after others, so that it takes long to find out. */
static bool unseen(unsigned int before)
{
	return events(COMM_EST, before) && events(SRQ_LIMIT_REACHED, 1);
}

FIXTURE_SETUP(reader)
{
	int i;

	ASSERT_EQ(rxe_add("unseen0"), 0);
	self->fd = open_as_user();
	ASSERT_GE(self->fd, 0);
	self->ep = epoll_create1(0);
	ASSERT_GE(self->ep, 0);
	self->others_ep = epoll_create1(0);
	ASSERT_GE(self->others_ep, 0);
	for (i = 0; i < variant->others; i++) {
		self->others[i] = open_as_user();
		ASSERT_GE(self->others[i], 0);
		ASSERT_TRUE(add_edge(self->others_ep, self->others[i]));
	}
}

FIXTURE_TEARDOWN(reader)
{
	int i;

	for (i = 0; i < variant->others; i++)
		close(self->others[i]);
	close(self->others_ep);
	close(self->ep);
	close(self->fd);
	rxe_del("unseen0");
}

/* It has nothing to read, but much to examine: it sleeps on. */
TEST_F(reader, sleeps_on)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	uint64_t first = get_info(self->fd).newest_seq + 1;
	int i, status;
	long before;
	pid_t pid;

	ASSERT_TRUE(unseen(MANY));
	ASSERT_EQ(lseek(self->fd, first, SEEK_SET), first);
	pid = fork();
	if (!pid)
		_exit(poll(&p, 1, -1) != 1);
	before = asleep(pid);
	EXPECT_GT(before, 0);
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(unseen(i * MANY));
		sleep_ms(200);
		EXPECT_EQ(switches(pid), before);
	}
	EXPECT_TRUE(unseen(MANY));
	EXPECT_TRUE(events(DEVICE_FATAL, 1));
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* It leaves what it may see unread. */
TEST_F(reader, gets_no_edge)
{
	struct rdmaev_record rec;
	int i;

	ASSERT_TRUE(events(DEVICE_FATAL, 5));
	ASSERT_TRUE(add_edge(self->ep, self->fd));
	EXPECT_TRUE(is_woken(self->ep, SOON_MS));
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(unseen(i & 1 ? MANY : 0));
		EXPECT_FALSE(is_woken(self->ep, 200));
		EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
		ASSERT_TRUE(unseen(i & 1 ? MANY : 0));
		EXPECT_FALSE(is_woken(self->ep, 200));
	}
	ASSERT_TRUE(events(DEVICE_FATAL, 1));
	EXPECT_TRUE(is_woken(self->ep, SOON_MS));
	ASSERT_TRUE(unseen(MANY));
	ASSERT_TRUE(events(DEVICE_FATAL, 1));
	EXPECT_TRUE(is_woken(self->ep, SOON_MS));
}

/* Others are woken for what everybody sees. */
TEST_F(reader, gets_what_others_get)
{
	int i;

	ASSERT_TRUE(add_edge(self->ep, self->fd));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(unseen(MANY));
		ASSERT_TRUE(events(DEVICE_FATAL, 1));
		ASSERT_TRUE(unseen(MANY));
		EXPECT_TRUE(is_woken(self->ep, SOON_MS));
		EXPECT_TRUE(!variant->others || is_woken(self->others_ep, SOON_MS));
	}
}

TEST_HARNESS_MAIN
