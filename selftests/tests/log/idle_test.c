// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Readers without matching records: they are not woken, lose nothing, and
 * skipping records can be interrupted.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "common.h"
#include "kselftest_harness.h"

/* Events that have no port query; the first and the last: info ring */
#define COMM_EST 4
#define SRQ_ERR 14
#define SRQ_LIMIT_REACHED 15
#define READERS 64

FIXTURE(idle) {
	int fd;
	int ep;
	int idle[READERS];
};

/* Filters that do not pass SRQ_LIMIT_REACHED, each for another reason */
static struct rdmaev_filter other_filter(int i)
{
	struct rdmaev_filter f = filter_all();

	switch (i % 8) {
	case 0:
		f.kinds = 1 << RDMAEV_KIND_DEVICE;
		break;
	case 1:
		f.kinds = 1 << RDMAEV_KIND_DEVICE | 1 << RDMAEV_KIND_LOST;
		break;
	case 2:
		f.kinds = 1 << RDMAEV_KIND_WC | 1 << RDMAEV_KIND_COMPLETION |
			  1 << RDMAEV_KIND_QP | 1 << RDMAEV_KIND_OBSERVER | 1 << RDMAEV_KIND_CM |
			  1 << RDMAEV_KIND_NOTE;
		break;
	case 3:
		f.kinds = 1 << RDMAEV_KIND_ASYNC;
		filter_codes(&f, RDMAEV_KIND_ASYNC, ~(1ULL << SRQ_LIMIT_REACHED));
		break;
	case 4:
		f.severities = 1 << RDMAEV_SEVERITY_ERROR;
		break;
	case 5:
		filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_BIT_OTHER);
		break;
	case 6:
		f.kinds = 1 << RDMAEV_KIND_LOST;
		break;
	default:
		filter_target(&f, "idle9", 0);
		break;
	}
	return f;
}

/* Wait until there have been no records for a while. */
static int is_quiet(int fd)
{
	uint64_t newest;
	int ms;

	for (ms = 0; ms < SOON_MS; ms += 500) {
		newest = get_info(fd).newest_seq;
		sleep_ms(500);
		if (get_info(fd).newest_seq == newest)
			return 1;
	}
	return 0;
}

FIXTURE_SETUP(idle)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int i;

	ASSERT_EQ(rxe_add("idle0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	/* Queries of the new device: without counts that come later */
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_TRUE(is_quiet(self->fd));
	self->ep = epoll_create1(0);
	ASSERT_GE(self->ep, 0);
	for (i = 0; i < READERS; i++) {
		struct rdmaev_filter f = other_filter(i);

		self->idle[i] = open_node(O_NONBLOCK);
		ASSERT_GE(self->idle[i], 0);
		ASSERT_EQ(ioctl(self->idle[i], RDMAEV_IOC_FILTER, &f), 0);
		ASSERT_EQ(epoll_ctl(self->ep, EPOLL_CTL_ADD, self->idle[i], &ev), 0);
	}
}

FIXTURE_TEARDOWN(idle)
{
	int i;

	for (i = 0; i < READERS; i++)
		close(self->idle[i]);
	close(self->ep);
	close(self->fd);
	EXPECT_EQ(param("burst_ms", 1000), 0);
	rxe_del("idle0");
}

static int events(unsigned int event, unsigned int count)
{
	return gen("process", "idle0", event, 1, count) == (long)count;
}

static int is_empty(int fd)
{
	struct rdmaev_record rec;

	return read(fd, &rec, sizeof(rec)) < 0 && errno == EAGAIN;
}

/*
 * Events of at least three rings, of which nobody gets any. Readers that wait are
 * moved ahead after each half, so these leave them the time for that. Returns 0 if
 * they are not.
 */
static int pass_by(int fd, int ep, const int *idle)
{
	unsigned int records = get_info(fd).ring_records, count;
	struct epoll_event ev;
	uint64_t newest, upto = 0;
	int i, ms;

	/* Readers that do not wait are not moved. */
	if (epoll_wait(ep, &ev, 1, 0))
		return 0;

	for (count = 0; count < 3 * records; count += records / 4) {
		if (!events(SRQ_LIMIT_REACHED, records / 4))
			return 0;
		/* After the last half; some may be in other rings. */
		newest = get_info(fd).newest_seq;
		if (newest > records * 5 / 8)
			upto = newest - records * 5 / 8;
		for (i = 0, ms = 0; i < READERS; i++) {
			for (; get_info(idle[i]).position <= upto; ms += 10) {
				if (ms > SOON_MS)
					return 0;
				sleep_ms(10);
			}
		}
	}
	return 1;
}

TEST_F_TIMEOUT(idle, lose_nothing, 120)
{
	struct epoll_event ev;
	int i, empty = 0;

	ASSERT_TRUE(pass_by(self->fd, self->ep, self->idle));
	EXPECT_EQ(epoll_wait(self->ep, &ev, 1, 200), 0);
	for (i = 0; i < READERS; i++) {
		empty += is_empty(self->idle[i]);
		EXPECT_EQ(get_info(self->idle[i]).lost, 0);
	}
	EXPECT_EQ(empty, READERS);
}

/*
 * A reader that does not wait is told what its rings have lost, whatever its filter:
 * what it is told must not tell of records that it cannot see.
 */
TEST_F(idle, lose_by_ring)
{
	unsigned int records = get_info(self->fd).ring_records;
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;
	int fd;

	fd = open_node(O_NONBLOCK);
	ASSERT_GE(fd, 0);
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << SRQ_ERR | 1 << COMM_EST);
	ASSERT_EQ(ioctl(fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_TRUE(events(SRQ_ERR, 1));
	/* unknown numbers, in the info ring */
	ASSERT_TRUE(events(SRQ_LIMIT_REACHED, records + 7));
	ASSERT_EQ(read(fd, &rec, sizeof(rec)), (ssize_t)sizeof(rec));
	EXPECT_EQ(rec.kind, RDMAEV_KIND_ASYNC);
	EXPECT_EQ(rec.code, SRQ_ERR);
	ASSERT_EQ(read(fd, &rec, sizeof(rec)), (ssize_t)sizeof(rec));
	EXPECT_EQ(rec.kind, RDMAEV_KIND_LOST);
	EXPECT_EQ(rec.ring, RDMAEV_RING_INFO);
	EXPECT_EQ(rec.count, 7);
	EXPECT_TRUE(is_empty(fd));
	EXPECT_EQ(get_info(fd).lost, 7);
	close(fd);
}

/* After a seek as well, whatever has passed or not */
TEST_F(idle, lose_the_same)
{
	unsigned int records = get_info(self->fd).ring_records, i, codes[] = {
		COMM_EST, SRQ_LIMIT_REACHED,
	};
	struct rdmaev_record rec[2];
	int fd;

	ASSERT_TRUE(events(SRQ_LIMIT_REACHED, records + 7));
	for (i = 0; i < 2; i++) {
		struct rdmaev_filter f = filter_all();

		fd = open_node(O_NONBLOCK);
		ASSERT_GE(fd, 0);
		f.kinds = 1 << RDMAEV_KIND_ASYNC;
		filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << codes[i]);
		ASSERT_EQ(ioctl(fd, RDMAEV_IOC_FILTER, &f), 0);
		ASSERT_EQ(lseek(fd, 1, SEEK_SET), 1);
		ASSERT_EQ(read(fd, &rec[i], sizeof(rec[i])), (ssize_t)sizeof(rec[i]));
		EXPECT_EQ(rec[i].kind, RDMAEV_KIND_LOST);
		close(fd);
	}
	EXPECT_EQ(rec[0].seq, rec[1].seq);
	EXPECT_EQ(memcmp(&rec[0].body, &rec[1].body, sizeof(rec[0].body)), 0);
}

/* What a reader was moved past is no loss afterwards. */
TEST_F_TIMEOUT(idle, change_their_mind, 120)
{
	unsigned int records = get_info(self->fd).ring_records;
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec = {}, next;
	int n = 0;

	ASSERT_TRUE(pass_by(self->fd, self->ep, self->idle));
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	ASSERT_EQ(ioctl(self->idle[3], RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_TRUE(events(SRQ_ERR, 1));
	while (read(self->idle[3], &next, sizeof(next)) == (ssize_t)sizeof(next)) {
		ASSERT_EQ(next.kind, RDMAEV_KIND_ASYNC);
		if (n++)
			ASSERT_EQ(next.seq, rec.seq + 1);
		rec = next;
	}
	EXPECT_EQ(rec.code, RDMAEV_ASYNC_SRQ_ERR);
	EXPECT_EQ(rec.seq, get_info(self->fd).newest_seq);
	EXPECT_LE(n, (int)records);
	EXPECT_EQ(get_info(self->idle[3]).lost, 0);
}

/* Readers are woken for matching records, among all others that are not. */
TEST_F(idle, wake)
{
	struct epoll_event ev[READERS];
	int i, n = 0;

	ASSERT_EQ(epoll_wait(self->ep, ev, READERS, 0), 0);
	ASSERT_TRUE(events(SRQ_LIMIT_REACHED, 100));
	ASSERT_EQ(epoll_wait(self->ep, ev, READERS, 100), 0);
	ASSERT_TRUE(events(SRQ_ERR, 1));
	/* cases 3 and 4, which may be woken one after the other */
	for (i = 0; i < SOON_MS / 10 && n < 2 * (READERS / 8); i++) {
		sleep_ms(10);
		n = epoll_wait(self->ep, ev, READERS, 0);
	}
	/* No others */
	sleep_ms(300);
	EXPECT_EQ(epoll_wait(self->ep, ev, READERS, 0), 2 * (READERS / 8));
	for (i = 0; i < READERS; i++)
		EXPECT_EQ(is_empty(self->idle[i]), i % 8 != 3 && i % 8 != 4);
}

/* With the longest possible way to the next record; shorter on slow kernels */
FIXTURE(long_way) {
	int fd;
};

static void on_alarm(int sig)
{
	(void)sig;
}

FIXTURE_SETUP(long_way)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct rdmaev_filter f = filter_all();
	unsigned int count = 1000000 / slowness(), records = 64;
	char command[96];

	/* The test reports it. */
	if (!can_reload())
		return;
	while (records < count)
		records *= 2;
	snprintf(command, sizeof(command),
		 "rmmod rdmaev && insmod $RDMAEV_TOP/kmod/rdmaev.ko records=%u", records);
	ASSERT_EQ(sh(command), 0);
	ASSERT_EQ(sigaction(SIGALRM, &sa, NULL), 0);
	ASSERT_EQ(rxe_add("idle0"), 0);
	sleep_ms(500);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(events(SRQ_LIMIT_REACHED, count));
	/* All records match by kind and code, and none is about this object. */
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	f.flags = RDMAEV_FILTER_OBJECT;
	f.object = 0xabcdef;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
}

FIXTURE_TEARDOWN(long_way)
{
	if (!can_reload())
		return;
	close(self->fd);
	rxe_del("idle0");
	sh("rmmod rdmaev && insmod $RDMAEV_TOP/kmod/rdmaev.ko");
}

/* Every millisecond, long before all records are skipped; 0: stop */
static void set_alarms(unsigned int us)
{
	struct itimerval it = { .it_interval.tv_usec = us, .it_value.tv_usec = us };

	setitimer(ITIMER_REAL, &it, NULL);
}

static int is_at_end(int fd)
{
	struct rdmaev_info info = get_info(fd);

	return info.position > info.newest_seq;
}

/* On a busy machine there may be no time between two signals, or a lot. */
#define TRIES 20

TEST_F_TIMEOUT(long_way, read_is_interrupted, 170)
{
	struct rdmaev_record rec;
	uint64_t before = 0;
	int i, stopped = 0;

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	set_alarms(1000);
	for (i = 0; i < TRIES && !stopped; i++) {
		before = lseek(self->fd, 0, SEEK_SET);
		errno = 0;
		EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
		stopped = errno == EINTR && !is_at_end(self->fd);
	}
	set_alarms(0);
	EXPECT_TRUE(stopped);
	EXPECT_GT(get_info(self->fd).position, before);
	/* and continues from there */
	EXPECT_TRUE(is_empty(self->fd));
	EXPECT_TRUE(is_at_end(self->fd));
}

TEST_F_TIMEOUT(long_way, poll_is_interrupted, 170)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	int i, stopped = 0;

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	set_alarms(1000);
	for (i = 0; i < TRIES && !stopped; i++) {
		lseek(self->fd, 0, SEEK_SET);
		errno = 0;
		EXPECT_EQ(poll(&p, 1, -1), -1);
		stopped = errno == EINTR && !is_at_end(self->fd);
	}
	set_alarms(0);
	EXPECT_TRUE(stopped);
	/*
	 * The kernel continues without the reader, and wakes it if a record
	 * matches.
	 */
	for (i = 0; i < 10000 && !is_at_end(self->fd); i++)
		sleep_ms(10);
	EXPECT_TRUE(is_at_end(self->fd));
}

TEST_HARNESS_MAIN
