// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: wait for records and read them, wakeup, seek, epoll, and threads
 * that share a handle.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include "lib.h"

#define MS 1000000LL

TEST_F(dev, wait_and_read)
{
	uint64_t start;

	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	start = now_ms();
	EXPECT_EQ(rdmaev_wait(self->h, 200 * MS), 0);
	EXPECT_GE(now_ms() - start, 199);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 4), -1);
	EXPECT_EQ(errno, EAGAIN);

	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 6), 6);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
	EXPECT_EQ(rdmaev_wait(self->h, -1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, LLONG_MAX), 1);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 4), 4);
	EXPECT_EQ(rdmaev_read(self->h, self->ev + 4, 4), 2);
	EXPECT_EQ(self->ev[5].seq, self->ev[0].seq + 5);
	EXPECT_EQ(self->ev[5].code, TEST_EVENT);
	EXPECT_STREQ(self->ev[5].device_name, "lib0");
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), 6);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), -1);
	EXPECT_EQ(errno, EAGAIN);
}

/* More than the library reads from the kernel at a time */
TEST_F(dev, read_many)
{
	struct rdmaev_record *ev = calloc(1000, sizeof(*ev));
	unsigned int i;

	ASSERT_NE(ev, NULL);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 700), 700);
	EXPECT_EQ(rdmaev_read(self->h, ev, 65), 65);
	EXPECT_EQ(rdmaev_read(self->h, ev + 65, 935), 635);
	for (i = 1; i < 700; i++) {
		ASSERT_GT(ev[i].seq, ev[i - 1].seq);
		ASSERT_STREQ(ev[i].device_name, "lib0");
	}
	free(ev);
}

static pthread_t main_thread;

static void on_alarm(int sig)
{
}

static bool is_poked;

/* Until both calls were interrupted */
static void *poke(void *arg)
{
	while (!__atomic_load_n(&is_poked, __ATOMIC_RELAXED)) {
		sleep_ms(100);
		pthread_kill(main_thread, SIGUSR1);
	}
	return NULL;
}

TEST_F(dev, interrupted)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	pthread_t thread;

	sigaction(SIGUSR1, &sa, NULL);
	is_poked = false;
	main_thread = pthread_self();
	ASSERT_EQ(pthread_create(&thread, NULL, poke, NULL), 0);
	EXPECT_EQ(rdmaev_wait(self->h, -1), -1);
	EXPECT_EQ(errno, EINTR);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), -1);
	EXPECT_EQ(errno, EINTR);
	__atomic_store_n(&is_poked, true, __ATOMIC_RELAXED);
	/* Available records are read first. */
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 2), 1);
	pthread_join(thread, NULL);
}

static void *later(void *arg)
{
	sleep_ms(300);
	return (void *)gen("process", "lib0", TEST_EVENT, 1, 1);
}

TEST_F(dev, read_waits)
{
	uint64_t start = now_ms();
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, later, NULL), 0);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_GE(now_ms() - start, 250);
	pthread_join(thread, NULL);
}

TEST_F(dev, wakeup)
{
	struct rdmaev_info info;
	uint64_t start;

	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 0, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, info.ring_records + 1, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_set_wakeup(self->h, 1, RDMAEV_DELAY_MAX_US + 1), -1);
	EXPECT_EQ(errno, EINVAL);

	/* Three at a time, or fewer after a while */
	ASSERT_EQ(rdmaev_set_wakeup(self->h, 3, 0), 0);
	ASSERT_EQ(rdmaev_set_wakeup(self->nonblock, 3, 0), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 2), 2);
	EXPECT_EQ(rdmaev_wait(self->h, 100 * MS), 0);
	EXPECT_EQ(rdmaev_read(self->nonblock, self->ev, 64), 2);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, -1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 3);

	ASSERT_EQ(rdmaev_set_wakeup(self->h, 3, 500000), 0);
	start = now_ms();
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_GE(now_ms() - start, 490);
	ASSERT_EQ(rdmaev_set_wakeup(self->h, 1, 0), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
}

TEST_F(dev, seek)
{
	int64_t next = newest(self->h) + 1, oldest;
	struct rdmaev_info info;

	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 10), 10);
	EXPECT_EQ(rdmaev_seek(self->h, next + 7, SEEK_SET), next + 7);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_CUR), next + 7);
	EXPECT_EQ(rdmaev_seek(self->h, -1, SEEK_CUR), next + 6);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 4);
	EXPECT_EQ((int64_t)self->ev[0].seq, next + 6);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_END), next + 10);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	EXPECT_EQ(rdmaev_seek(self->h, -3, SEEK_END), next + 7);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 3);

	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, next + 11, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, INT64_MAX, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, -1, SEEK_SET), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_seek(self->h, 0, 77), -1);
	EXPECT_EQ(errno, EINVAL);

	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.abi_version, RDMAEV_ABI_VERSION);
	EXPECT_EQ(info.record_size, sizeof(struct rdmaev_record));
	EXPECT_EQ(info.rings, RDMAEV_RINGS);
	EXPECT_EQ((int64_t)info.newest_seq, next + 9);
	EXPECT_EQ((int64_t)info.position, next + 10);
	EXPECT_EQ(info.lost, 0);
	oldest = rdmaev_seek(self->h, 0, SEEK_SET);
	EXPECT_EQ(oldest, (int64_t)info.oldest_seq);
}

/* Another thread moves the position to an earlier record. */
static void *read_one(void *arg)
{
	static struct rdmaev_record ev;

	return rdmaev_read(arg, &ev, 1) == 1 ? &ev : NULL;
}

TEST_F(dev, seek_wakes)
{
	struct rdmaev_record *got;
	pthread_t thread;
	void *ret;

	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->nonblock, self->ev, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev + 1, 1), 1);
	ASSERT_EQ(pthread_create(&thread, NULL, read_one, self->h), 0);
	sleep_ms(200);
	ASSERT_EQ(rdmaev_seek(self->h, self->ev[0].seq, SEEK_SET),
		  (int64_t)self->ev[0].seq);
	ASSERT_EQ(pthread_join(thread, &ret), 0);
	got = ret;
	ASSERT_NE(got, NULL);
	EXPECT_EQ(memcmp(got, self->ev, sizeof(*got)), 0);
}

/*
 * True if the descriptor is not readable. Over netlink it may be readable
 * without a record until the next call.
 */
static int is_quiet(struct rdmaev *h, int ep, unsigned int flags)
{
	struct pollfd p = { .fd = rdmaev_fd(h), .events = POLLIN };
	uint64_t start = now_ms();
	struct epoll_event got;

	while (epoll_wait(ep, &got, 1, 0) || poll(&p, 1, 0)) {
		if (!(flags & RDMAEV_NETLINK) || now_ms() - start > SOON_MS ||
		    rdmaev_wait(h, 0))
			return 0;
	}
	return 1;
}

TEST_F(dev, in_epoll)
{
	struct epoll_event want = { .events = EPOLLIN }, got;
	struct pollfd p = { .fd = rdmaev_fd(self->h), .events = POLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_GE(ep, 0);
	ASSERT_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, rdmaev_fd(self->h), &want), 0);
	EXPECT_TRUE(is_quiet(self->h, ep, variant->flags));
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 2), 2);
	EXPECT_EQ(epoll_wait(ep, &got, 1, SOON_MS), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), 1);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 1);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_TRUE(is_quiet(self->h, ep, variant->flags));
	close(ep);
}

/* Two threads wait with one handle: each event goes to one of them. */

#define THREAD_EVENTS 4000

struct taker {
	struct rdmaev *h;
	uint64_t base;
	unsigned int got, wrong;
};

static unsigned char seen[THREAD_EVENTS + 1];
static int taken;

static void *take(void *arg)
{
	struct taker *t = arg;
	struct rdmaev_record ev[16];
	ssize_t n, i;

	while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < THREAD_EVENTS) {
		n = rdmaev_read(t->h, ev, 16);
		for (i = 0; i < n; i++) {
			uint64_t at = ev[i].seq - t->base;

			if (ev[i].code != TEST_EVENT)
				return NULL;
			if (at >= THREAD_EVENTS || strcmp(ev[i].device_name, "lib0") ||
			    __atomic_add_fetch(&seen[at], 1, __ATOMIC_RELAXED) != 1)
				t->wrong++;
			t->got++;
		}
		if (n < 0)
			return NULL;
		__atomic_add_fetch(&taken, (int)n, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(dev, two_threads)
{
	struct taker t[2] = { 0 };
	pthread_t id[2];
	int i;

	for (i = 0; i < 2; i++) {
		t[i].h = self->h;
		t[i].base = newest(self->h) + 1;
		ASSERT_EQ(pthread_create(&id[i], NULL, take, &t[i]), 0);
	}
	sleep_ms(100);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, THREAD_EVENTS), THREAD_EVENTS);
	while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < THREAD_EVENTS)
		sleep_ms(10);
	/*
	 * An event that does not count ends the wait of a thread; either may
	 * get it.
	 */
	for (i = 0; i < 2; i++) {
		while (pthread_tryjoin_np(id[i], NULL)) {
			ASSERT_EQ(gen("process", "lib0", TEST_EVENT + 1, 1, 1), 1);
			sleep_ms(10);
		}
	}
	EXPECT_EQ(t[0].got + t[1].got, THREAD_EVENTS);
	EXPECT_EQ(t[0].wrong + t[1].wrong, 0);
}

TEST_HARNESS_MAIN
