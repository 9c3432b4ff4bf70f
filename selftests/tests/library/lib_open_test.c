// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev: open and close a handle over the node and over generic netlink,
 * its file descriptors, and a handle that the release of the module has closed.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include <rdmaev.h>

#include "common.h"
#include "kselftest_harness.h"

static int descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Tests without a device */

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

/* The two transports, and the number of descriptors that a reader needs */

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
	struct rdmaev_release release = { .size = sizeof(release) };
	int fd = open_node(O_NONBLOCK), ret;

	ret = ioctl(fd, RDMAEV_IOC_RELEASE, &release);
	close(fd);
	return ret;
}

/* Each is the first call that notices the release. */
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
	/* Nobody writes notes, so there is nothing else to wake for. */
	struct rdmaev_filter notes = { .size = sizeof(notes), .kinds = 1U << RDMAEV_KIND_NOTE };
	struct rdmaev *h = rdmaev_open(RDMAEV_NODE, 0);
	pthread_t thread[4];
	void *error;
	int i;

	ASSERT_NE(h, NULL);
	ASSERT_EQ(rdmaev_set_filter(h, &notes), 0);
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

TEST_HARNESS_MAIN
