// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: every public function, its errors, names over renames, threads. All
 * that a reader does is done over the node and over generic netlink.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

#define MS 1000000LL
#define SEC 1000000000LL

static int test_events_only(struct rdmaev *h)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_OTHER);
	return rdmaev_set_filter(h, &f);
}

static uint64_t newest(struct rdmaev *h)
{
	struct rdmaev_info info;

	return rdmaev_info(h, &info) ? 0 : info.newest_seq;
}

static int descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* What needs no device */

TEST(open_errors)
{
	int before = descriptors();

	errno = 0;
	EXPECT_EQ(rdmaev_open(NULL, 4), NULL);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_open(RDMAEV_NODE, RDMAEV_NETLINK), NULL);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_open(NULL, ~0U), NULL);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_open("/nowhere/rdmaev", 0), NULL);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(rdmaev_open("/dev/null", 0), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(rdmaev_open("/dev/zero", RDMAEV_NONBLOCK), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(rdmaev_open("/proc/self/status", 0), NULL);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(descriptors(), before);
}

TEST(open_not_allowed)
{
	int status;
	pid_t pid;

	ASSERT_EQ(chmod(RDMAEV_NODE, 0400), 0);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(9);
		_exit(rdmaev_open(NULL, 0) ? 8 : errno == EACCES ? 0 : 7);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	ASSERT_EQ(chmod(RDMAEV_NODE, 0444), 0);
}

/* The ways to come to records; the number of descriptors that a reader needs. */

FIXTURE(way) {
};

FIXTURE_VARIANT(way) {
	const char *path;
	unsigned int flags;
	int descriptors;
};

FIXTURE_VARIANT_ADD(way, node) {
	.path = RDMAEV_NODE,
	.descriptors = 1,
};

FIXTURE_VARIANT_ADD(way, netlink) {
	.flags = RDMAEV_NETLINK,
	.descriptors = 6,
};

FIXTURE_SETUP(way)
{
}

FIXTURE_TEARDOWN(way)
{
}

TEST_F(way, close_leaves_errno)
{
	int before = descriptors();
	struct rdmaev *h;

	errno = 1234;
	rdmaev_close(NULL);
	EXPECT_EQ(errno, 1234);
	h = rdmaev_open(variant->path, variant->flags);
	ASSERT_NE(h, NULL);
	errno = 1234;
	rdmaev_close(h);
	EXPECT_EQ(errno, 1234);
	EXPECT_EQ(descriptors(), before);
}

TEST_F(way, many_handles)
{
	struct rdmaev *h[100];
	int before = descriptors(), i, fd;

	for (i = 0; i < 100; i++) {
		h[i] = rdmaev_open(variant->path,
				   variant->flags | (i % 2 ? RDMAEV_NONBLOCK : 0));
		ASSERT_NE(h[i], NULL);
		fd = rdmaev_fd(h[i]);
		EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
		if (variant->flags)
			continue;
		EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
		EXPECT_EQ(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	}
	EXPECT_EQ(descriptors(), before + 100 * variant->descriptors);
	for (i = before; i < 1024; i++)
		if (fcntl(i, F_GETFD) >= 0)
			EXPECT_EQ(fcntl(i, F_GETFD), FD_CLOEXEC);
	for (i = 0; i < 100; i++)
		rdmaev_close(h[i]);
	EXPECT_EQ(descriptors(), before);
}

static int has_node_open(void)
{
	return !sh("readlink /proc/%d/fd/* | grep -qx " RDMAEV_NODE, getpid());
}

static int hang_up(void)
{
	return sh("echo 1 >/sys/module/rdmaev/parameters/release");
}

/* Each is the first call that finds it out. */
enum { BY_READ, BY_WAIT, BY_INFO, BY_DEVICES, BY_SEEK, BY_FILTER, BYS };

static int64_t call(struct rdmaev *h, int by)
{
	struct rdmaev_record ev;
	struct rdmaev_info info;
	uint64_t seq;

	switch (by) {
	case BY_READ:
		return rdmaev_read(h, &ev, 1);
	case BY_WAIT:
		return rdmaev_wait(h, -1);
	case BY_INFO:
		return rdmaev_info(h, &info);
	case BY_DEVICES:
		return rdmaev_devices(h, NULL, 0, 0, &seq);
	case BY_SEEK:
		return rdmaev_seek(h, 0, SEEK_SET);
	default:
		return rdmaev_set_filter(h, NULL);
	}
}

TEST(released)
{
	int before = descriptors(), by, then, fd;

	for (by = 0; by < BYS; by++) {
		struct rdmaev *h = rdmaev_open(RDMAEV_NODE, 0);
		struct pollfd p = { .events = POLLIN };

		ASSERT_NE(h, NULL);
		EXPECT_TRUE(has_node_open());
		fd = rdmaev_fd(h);
		ASSERT_EQ(hang_up(), 0);
		p.fd = fd;
		EXPECT_EQ(poll(&p, 1, 0), 1);
		EXPECT_EQ(call(h, by), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_FALSE(has_node_open());
		EXPECT_EQ(rdmaev_fd(h), fd);
		for (then = 0; then < BYS; then++) {
			EXPECT_EQ(call(h, then), -1);
			EXPECT_EQ(errno, ENODEV);
			EXPECT_EQ(poll(&p, 1, 0), 1);
			EXPECT_EQ(p.revents, POLLIN);
		}
		EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
		rdmaev_close(h);
		EXPECT_EQ(descriptors(), before);
	}
}

static void *wait_for_release(void *h)
{
	return (void *)(intptr_t)(rdmaev_wait(h, -1) < 0 ? errno : 0);
}

TEST(released_while_threads_wait)
{
	struct rdmaev *h = rdmaev_open(RDMAEV_NODE, 0);
	pthread_t thread[4];
	void *error;
	int i;

	ASSERT_NE(h, NULL);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, wait_for_release, h), 0);
	usleep(200000);
	ASSERT_EQ(hang_up(), 0);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(pthread_join(thread[i], &error), 0);
		EXPECT_EQ((intptr_t)error, ENODEV);
	}
	EXPECT_FALSE(has_node_open());
	rdmaev_close(h);
}

/* A device and two readers: one that waits, one that does not */

FIXTURE(dev) {
	struct rdmaev *h;
	struct rdmaev *nonblock;
	struct rdmaev_record ev[64];
};

FIXTURE_VARIANT(dev) {
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(dev, node) {
};

FIXTURE_VARIANT_ADD(dev, netlink) {
	.flags = RDMAEV_NETLINK,
};

/* The device is there for all tests: to make one takes longer than most of them. */
static int lib0_ready(void)
{
	if (!access("/sys/class/infiniband/lib0", F_OK))
		return 0;
	sh("for d in /sys/class/infiniband/*; do rdma link del ${d##*/}; done 2>/dev/null");
	netdev_del("lib0_d");
	return rxe_add("lib0");
}

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(lib0_ready(), 0);
	self->h = rdmaev_open(NULL, variant->flags);
	self->nonblock = rdmaev_open(NULL, variant->flags | RDMAEV_NONBLOCK);
	ASSERT_NE(self->h, NULL);
	ASSERT_NE(self->nonblock, NULL);
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(test_events_only(self->nonblock), 0);
}

FIXTURE_TEARDOWN(dev)
{
	rdmaev_close(self->h);
	rdmaev_close(self->nonblock);
}

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

/* More than the library takes from the kernel at a time. */
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

static void *poke(void *arg)
{
	int i;

	for (i = 0; i < 20; i++) {
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
	main_thread = pthread_self();
	ASSERT_EQ(pthread_create(&thread, NULL, poke, NULL), 0);
	EXPECT_EQ(rdmaev_wait(self->h, -1), -1);
	EXPECT_EQ(errno, EINTR);
	errno = 0;
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), -1);
	EXPECT_EQ(errno, EINTR);
	/* What is there is taken first. */
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

TEST_F(dev, filter)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	EXPECT_EQ(f.size, sizeof(f));
	f.flags = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.size--;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.kinds = 1U << 31;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	rdmaev_filter_init(&f);
	f.targets = RDMAEV_TARGETS + 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);

	/* Each of those left the filter as it was. */
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);

	rdmaev_filter_init(&f);
	EXPECT_EQ(rdmaev_set_filter(self->h, &f), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 1);
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(gen("process", "lib0", 15, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 1);
	EXPECT_EQ(test_events_only(self->nonblock), 0);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 0);
}

#define EXPECT_BAD_FILTER(change) do {					\
	struct rdmaev_filter f;						\
									\
	rdmaev_filter_init(&f);						\
	change;								\
	errno = 0;							\
	EXPECT_EQ(rdmaev_set_filter(self->nonblock, &f), -1);		\
	EXPECT_EQ(errno, EINVAL);					\
} while (0)

/* Whatever is wrong with it, and however it gets to the kernel. */
TEST_F(dev, bad_filters)
{
	static const char name64[] =
		"0123456789012345678901234567890123456789012345678901234567890123";

	EXPECT_BAD_FILTER(f.flags = 4);
	EXPECT_BAD_FILTER(f.reserved = 1);
	EXPECT_BAD_FILTER(f.object = 1);
	EXPECT_BAD_FILTER(f.pid = 1);
	EXPECT_BAD_FILTER(f.severities = 1);
	EXPECT_BAD_FILTER(f.object_types = 1U << 7);
	EXPECT_BAD_FILTER(f.kind_codes = RDMAEV_FILTER_CODES + 1);
	EXPECT_BAD_FILTER(filter_codes(&f, 7, 1));
	EXPECT_BAD_FILTER(filter_codes(&f, RDMAEV_KIND_ASYNC, 0));
	EXPECT_BAD_FILTER(filter_codes(&f, RDMAEV_KIND_ASYNC, 1);
			  filter_codes(&f, RDMAEV_KIND_ASYNC, 2));
	EXPECT_BAD_FILTER(filter_codes(&f, RDMAEV_KIND_ASYNC, 1);
			  f.kind_code[0].reserved = 1);
	EXPECT_BAD_FILTER(f.kind_code[RDMAEV_FILTER_CODES - 1].codes = 1);
	EXPECT_BAD_FILTER(f.target[RDMAEV_TARGETS - 1].port = 1);
	EXPECT_BAD_FILTER(f.target[0].device[63] = 1);
	EXPECT_BAD_FILTER(filter_target(&f, "", 1));
	EXPECT_BAD_FILTER(filter_target(&f, name64, 0));
	EXPECT_BAD_FILTER(filter_target(&f, "l*0", 0));
	EXPECT_BAD_FILTER(filter_target(&f, "lib0", 0); f.target[0].device[63] = 1);
	/* Each of those left the filter as it was. */
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_wait(self->nonblock, 0), 1);
}

TEST_F(dev, targets)
{
	struct rdmaev_record e[4];
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	while (f.targets < RDMAEV_TARGETS - 1)
		filter_target(&f, "other*", f.targets);
	filter_target(&f, "li*", 1);
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), 1);
	EXPECT_EQ(e[0].code, TEST_EVENT);
	f.target[RDMAEV_TARGETS - 1].port = 2;
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), -1);
	strcpy(f.target[RDMAEV_TARGETS - 1].device, "lib");
	f.target[RDMAEV_TARGETS - 1].port = 1;
	ASSERT_EQ(rdmaev_set_filter(self->nonblock, &f), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(rdmaev_read(self->nonblock, e, 4), -1);
	EXPECT_EQ(errno, EAGAIN);
}

/* A structure of a later header: what lies beyond must be zero. */
TEST_F(dev, filter_of_later_version)
{
	struct {
		struct rdmaev_filter f;
		uint64_t more;
	} later = { .more = 0 };

	rdmaev_filter_init(&later.f);
	later.f.size = sizeof(later);
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), 0);
	later.more = 1;
	errno = 0;
	EXPECT_EQ(rdmaev_set_filter(self->h, &later.f), -1);
	EXPECT_EQ(errno, E2BIG);
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

	/* Three at a time, or fewer after a while. */
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

/* Another thread goes back to what is there already. */
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

TEST_F(dev, devices_and_ports)
{
	struct rdmaev_device list[8], one;
	struct rdmaev_port ports[8];
	uint64_t seq = 0, index;
	ssize_t n, i, found = -1;

	ASSERT_EQ(rxe_add("lib9"), 0);
	n = rdmaev_devices(self->h, list, 8, 0, &seq);
	EXPECT_EQ(n, 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 0, 0, NULL), 2);
	memset(&list[1], 0xaa, sizeof(list[1]));
	one = list[1];
	EXPECT_EQ(rdmaev_devices(self->h, list, 1, 0, &seq), 2);
	EXPECT_EQ(memcmp(&list[1], &one, sizeof(one)), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, NULL), 2);
	for (i = 0; i < 2; i++)
		if (!strcmp(list[i].name, "lib9"))
			found = i;
	ASSERT_GE(found, 0);
	EXPECT_EQ(list[found].ports, 1);
	EXPECT_EQ(list[found].node_type, 1);
	EXPECT_EQ(list[found].flags, 0);
	index = list[found].index;
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 1U << 31, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_devices(self->h, NULL, 8, 0, NULL), -1);
	EXPECT_EQ(errno, EFAULT);

	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, 0, ports, 8, &seq), 2);
	EXPECT_EQ(seq, newest(self->h));
	EXPECT_EQ(rdmaev_ports(self->h, RDMAEV_ANY, 0, NULL, 0, NULL), 2);
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, ports, 8, NULL), 1);
	EXPECT_EQ(ports[0].device, index);
	EXPECT_EQ(ports[0].generation, list[found].generation);
	EXPECT_EQ(ports[0].port, 1);
	EXPECT_EQ(ports[0].state, 4);
	EXPECT_EQ(ports[0].protocols, RDMAEV_PROTOCOL_ROCE);
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, NULL, 0, NULL), 1);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, 123456, 0, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);

	ASSERT_EQ(rxe_del("lib9"), 0);
	EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, &seq), 1);
	n = rdmaev_devices(self->h, NULL, 0, RDMAEV_DEVICES_REMOVED, NULL);
	EXPECT_GE(n, 2);
	errno = 0;
	EXPECT_EQ(rdmaev_ports(self->h, index, 0, ports, 8, NULL), -1);
	EXPECT_EQ(errno, ENODEV);
}

/* A kernel module that knows of none says ENOTTY, whatever is asked. */
TEST_F(dev, cqs)
{
	struct rdmaev_cq_stats list[8], one;
	struct rdmaev_device dev;
	uint64_t seq = 0;
	uint32_t index;
	int nl;

	ASSERT_EQ(rdmaev_devices(self->h, &dev, 1, 0, NULL), 1);
	index = dev.index;
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, RDMAEV_ANY, 1U << 31, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, 123456, 0, 0, list, 8, &seq), -1);
	EXPECT_EQ(errno, ENODEV);
	errno = 0;
	EXPECT_EQ(rdmaev_cqs(self->h, RDMAEV_ANY, RDMAEV_CQS_SUMS, 0, NULL, 8, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(seq, 0);
	nl = variant->flags & RDMAEV_NETLINK;
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, 123456, 0, 1, 0), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : ENODEV);
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, index, 123456, 1, 0), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : ENOENT);
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, index, 0, 1, RDMAEV_DELAY_MAX_US + 1), -1);
	EXPECT_EQ(errno, nl ? EOPNOTSUPP : EINVAL);

	/* No kernel ULP uses this device; its sum is there all the same. */
	EXPECT_EQ(rdmaev_cqs(self->h, index, 0, 0, list, 8, &seq), 0);
	EXPECT_EQ(seq, newest(self->h));
	memset(list, 0xaa, sizeof(list));
	one = list[1];
	EXPECT_EQ(rdmaev_cqs(self->h, index, RDMAEV_CQS_SUMS, 0, list, 8, NULL), 1);
	EXPECT_EQ(list[0].device, index);
	EXPECT_EQ(list[0].id, list[0].generation);
	EXPECT_EQ(list[0].flags, RDMAEV_CQ_SUM);
	EXPECT_EQ(list[0].cqs, 0);
	EXPECT_EQ(list[0].polls, 0);
	EXPECT_EQ(memcmp(&list[1], &one, sizeof(one)), 0);
	EXPECT_EQ(rdmaev_cqs(self->h, index, RDMAEV_CQS_SUMS, list[0].id, list, 8, NULL), 0);
}

/* Test events under three names, before and after a removal; read at the end. */
static int history(void)
{
	return gen("process", "lib0", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib0 name lib1") ||
	       gen("process", "lib1", TEST_EVENT, 1, 1) != 1 ||
	       sh("rdma dev set lib1 name lib2") ||
	       rdma_del("lib2") ||
	       rdma_add("lib0", "rxe", "lib0_d") ||
	       gen("process", "lib0", TEST_EVENT, 1, 1) != 1;
}

TEST_F(dev, names_of_their_time)
{
	struct rdmaev *late;

	ASSERT_EQ(history(), 0);
	/* The device records do not pass the filter of this reader. */
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 3);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, "lib1");
	EXPECT_STREQ(self->ev[2].device_name, "lib0");
	EXPECT_EQ(self->ev[0].generation, self->ev[1].generation);
	EXPECT_NE(self->ev[0].generation, self->ev[2].generation);

	/* Backwards, one at a time. */
	late = rdmaev_open(NULL, variant->flags | RDMAEV_NONBLOCK);
	ASSERT_NE(late, NULL);
	ASSERT_EQ(rdmaev_seek(late, self->ev[2].seq, SEEK_SET),
		  (int64_t)self->ev[2].seq);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	rdmaev_seek(late, self->ev[1].seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 1), 1);
	EXPECT_STREQ(self->ev[3].device_name, "lib1");
	/* The rename and the removal follow. */
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_EQ(self->ev[3].code, RDMAEV_DEVICE_RENAME);
	EXPECT_STREQ(self->ev[3].device_name, "lib2");
	EXPECT_STREQ(self->ev[3].body.device.old_name, "lib1");
	EXPECT_EQ(self->ev[4].code, RDMAEV_DEVICE_REMOVE);
	EXPECT_STREQ(self->ev[4].device_name, "lib2");
	EXPECT_STREQ(self->ev[4].body.device.old_name, "");
	rdmaev_seek(late, self->ev[0].seq, SEEK_SET);
	ASSERT_EQ(rdmaev_read(late, self->ev + 3, 2), 2);
	EXPECT_STREQ(self->ev[3].device_name, "lib0");
	EXPECT_STREQ(self->ev[4].device_name, "lib1");
	EXPECT_STREQ(self->ev[4].body.device.old_name, "lib0");
	rdmaev_close(late);
}

TEST_F(dev, names_with_everything_read)
{
	struct rdmaev_record ev;
	char seen[256] = "";

	ASSERT_EQ(rdmaev_set_filter(self->nonblock, NULL), 0);
	ASSERT_EQ(rdmaev_seek(self->nonblock, 0, SEEK_END), (int64_t)newest(self->h) + 1);
	ASSERT_EQ(history(), 0);
	while (rdmaev_read(self->nonblock, &ev, 1) == 1) {
		if (ev.kind == RDMAEV_KIND_PORT ||
		    (ev.kind == RDMAEV_KIND_ASYNC &&
		     ev.code != TEST_EVENT))
			continue;
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 "%u.%u %s<%s ", ev.kind, ev.code,
			 ev.device_name, ev.kind == RDMAEV_KIND_DEVICE ?
					 ev.body.device.old_name : "");
	}
	EXPECT_STREQ(seen, "3.77 lib0< 1.3 lib1<lib0 3.77 lib1< 1.3 lib2<lib1 1.2 lib2< 1.1 lib0< 3.77 lib0< ");
}

/* A rename that is never read, because the reader has gone past it. */
TEST_F(dev, names_jumped_over)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	ASSERT_EQ(sh("rdma dev set lib0 name lib1"), 0);
	ASSERT_GT(rdmaev_seek(self->h, 0, SEEK_END), 0);
	ASSERT_EQ(gen("process", "lib1", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib1");

	/* The same for one that a filter kept back. */
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(sh("rdma dev set lib1 name lib0"), 0);
	ASSERT_EQ(gen("process", "lib0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
}

#define LONG_NAME "n123456789012345678901234567890123456789012345678901234567890X"

TEST_F(dev, long_name)
{
	ASSERT_EQ(rdmaev_set_filter(self->h, NULL), 0);
	rdmaev_seek(self->h, 0, SEEK_END);
	ASSERT_EQ(sh("rdma dev set lib0 name " LONG_NAME), 0);
	ASSERT_EQ(gen("process", LONG_NAME, TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 2);
	EXPECT_STREQ(self->ev[0].device_name, LONG_NAME);
	EXPECT_STREQ(self->ev[0].body.device.old_name, "lib0");
	EXPECT_STREQ(self->ev[1].device_name, LONG_NAME);
	ASSERT_EQ(sh("rdma dev set " LONG_NAME " name lib0"), 0);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_STREQ(self->ev[0].device_name, "lib0");
	EXPECT_STREQ(self->ev[0].body.device.old_name, LONG_NAME);
}

/*
 * The descriptor is not readable. Over netlink it may be so for nothing, until
 * somebody has looked.
 */
static int is_quiet(struct rdmaev *h, int ep, unsigned int flags)
{
	struct pollfd p = { .fd = rdmaev_fd(h), .events = POLLIN };
	uint64_t start = now_ms();
	struct epoll_event got;

	while (epoll_wait(ep, &got, 1, 0) || poll(&p, 1, 0)) {
		if (!(flags & RDMAEV_NETLINK) || now_ms() - start > 5000 ||
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
	EXPECT_EQ(epoll_wait(ep, &got, 1, 5000), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), 1);
	EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 1);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_TRUE(is_quiet(self->h, ep, variant->flags));
	close(ep);
}

/* Two threads wait in one handle: each event goes to one of them. */

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
	/* Who waits still is let go by one that does not count; the other may take it. */
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
