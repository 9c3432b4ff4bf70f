// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RDMAEV_IOC_RELEASE: hangs up all other readers, for administrators. */
#include <poll.h>
#include <sys/epoll.h>

#include "common.h"
#include "kselftest_harness.h"

FIXTURE(node) {
	int fd;
};

FIXTURE_SETUP(node)
{
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(node)
{
	close(self->fd);
}

/* All readers but the caller's are hung up, and every call fails. */
TEST_F(node, release)
{
	struct rdmaev_release release = { .size = sizeof(release) };
	struct rdmaev_info info = { .size = sizeof(info) };
	struct pollfd p = { .events = POLLIN };
	struct epoll_event event;
	struct rdmaev_record rec;
	int epoll, fd, i;

	fd = open_node(O_NONBLOCK);
	ASSERT_GE(fd, 0);
	epoll = epoll_create1(0);
	event.events = EPOLLET;
	ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
	release.flags = RDMAEV_RELEASE_QUERY;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &release), 0);
	EXPECT_EQ(release.readers, 0);
	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);

	release.flags = 0;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &release), 0);
	EXPECT_EQ(release.readers, 1);
	EXPECT_EQ(release.size, sizeof(release));
	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 1);
	EXPECT_EQ(event.events, EPOLLHUP | EPOLLERR);
	p.fd = fd;
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(p.revents, POLLIN | POLLHUP | POLLERR);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(read(fd, &rec, sizeof(rec)), -1);
		EXPECT_EQ(errno, ENODEV);
		ASSERT_EQ(fcntl(fd, F_SETFL, 0), 0);
	}
	EXPECT_EQ(lseek(fd, 0, SEEK_CUR), -1);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(ioctl(fd, RDMAEV_IOC_INFO, &info), -1);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(ioctl(fd, RDMAEV_IOC_RELEASE, &release), -1);
	EXPECT_EQ(errno, ENODEV);

	EXPECT_EQ(get_info(self->fd).size, sizeof(info));
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	EXPECT_EQ(errno, EAGAIN);
	close(epoll);
	close(fd);
	release.flags = RDMAEV_RELEASE_QUERY;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &release), 0);
	EXPECT_EQ(release.readers, 0);
}

TEST_F(node, bad_release)
{
	struct {
		struct rdmaev_release known;
		uint32_t more;
	} r;

#define EXPECT_BAD_RELEASE(error, change) do {				\
	memset(&r, 0, sizeof(r));					\
	r.known.size = sizeof(r.known);					\
	change;								\
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &r), -1);		\
	EXPECT_EQ(errno, error);					\
} while (0)
	EXPECT_BAD_RELEASE(EINVAL, r.known.size--);
	EXPECT_BAD_RELEASE(EINVAL, r.known.flags = 2);
	EXPECT_BAD_RELEASE(EINVAL, r.known.reserved = 1);
	EXPECT_BAD_RELEASE(E2BIG, r.known.size = sizeof(r); r.more = 1);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
}

/* The credentials of the caller count, and those of the open. */
TEST_F(node, release_is_for_administrators)
{
	struct rdmaev_release release = { .size = sizeof(release) };
	int fd;

	ASSERT_EQ(seteuid(65534), 0);
	fd = open_node(O_NONBLOCK);
	EXPECT_EQ(ioctl(fd, RDMAEV_IOC_RELEASE, &release), -1);
	EXPECT_EQ(errno, EPERM);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_RELEASE, &release), -1);
	EXPECT_EQ(errno, EPERM);
	ASSERT_EQ(seteuid(0), 0);
	EXPECT_EQ(ioctl(fd, RDMAEV_IOC_RELEASE, &release), -1);
	EXPECT_EQ(errno, EPERM);
	EXPECT_EQ(get_info(fd).size, sizeof(struct rdmaev_info));
	close(fd);
}

TEST_HARNESS_MAIN
