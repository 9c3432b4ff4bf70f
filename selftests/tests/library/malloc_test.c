// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The library without memory: each call repeatedly, the first time with its
 * first allocation failing, then the second, and so on; descriptors count as
 * allocations. A call fails as a whole, leaves nothing behind, and the handle
 * works as before. The Makefile makes the linker put the functions below before
 * those of libc.
 */
#include <rdmaev.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "common.h"
#include "kselftest_harness.h"

#define MAX_TRIES 200

static int countdown;			/* the call that fails; 0: none */
static long blocks;			/* allocated blocks */

static bool fails(int error)
{
	if (!countdown || --countdown)
		return false;
	errno = error;
	return true;
}

__typeof__(malloc) __real_malloc;
__typeof__(calloc) __real_calloc;
__typeof__(realloc) __real_realloc;
__typeof__(free) __real_free;
__typeof__(socket) __real_socket;
__typeof__(epoll_create1) __real_epoll_create1;
__typeof__(eventfd) __real_eventfd;
__typeof__(timerfd_create) __real_timerfd_create;

void *__wrap_malloc(size_t size)
{
	void *ptr = fails(ENOMEM) ? NULL : __real_malloc(size);

	blocks += !!ptr;
	return ptr;
}

void *__wrap_calloc(size_t n, size_t size)
{
	void *ptr = fails(ENOMEM) ? NULL : __real_calloc(n, size);

	blocks += !!ptr;
	return ptr;
}

void *__wrap_realloc(void *old, size_t size)
{
	void *ptr = fails(ENOMEM) ? NULL : __real_realloc(old, size);

	blocks += ptr && !old;
	return ptr;
}

void __wrap_free(void *ptr)
{
	blocks -= !!ptr;
	__real_free(ptr);
}

int __wrap_socket(int domain, int type, int protocol)
{
	return fails(EMFILE) ? -1 : __real_socket(domain, type, protocol);
}

int __wrap_epoll_create1(int flags)
{
	return fails(EMFILE) ? -1 : __real_epoll_create1(flags);
}

int __wrap_eventfd(unsigned int value, int flags)
{
	return fails(EMFILE) ? -1 : __real_eventfd(value, flags);
}

int __wrap_timerfd_create(int clock, int flags)
{
	return fails(EMFILE) ? -1 : __real_timerfd_create(clock, flags);
}

static int count_files(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE;
}

FIXTURE(lib) {
	unsigned int flags;
};

FIXTURE_VARIANT(lib) {
	unsigned int flags;
	int opens;			/* allocations in open, at least */
};

FIXTURE_VARIANT_ADD(lib, node) {
	.flags = RDMAEV_NONBLOCK,
	.opens = 2,
};

FIXTURE_VARIANT_ADD(lib, netlink) {
	.flags = RDMAEV_NONBLOCK | RDMAEV_NETLINK,
	.opens = 10,
};

FIXTURE_SETUP(lib)
{
	self->flags = variant->flags;
	ASSERT_EQ(rxe_add("mem0"), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	/* The query of a new device */
	sleep_ms(300);
}

FIXTURE_TEARDOWN(lib)
{
	rxe_del("mem0");
}

TEST_F(lib, open)
{
	int n, files = count_files(), failed = 0;
	long before = blocks;
	struct rdmaev *h;

	for (n = 1; n < MAX_TRIES; n++) {
		countdown = n;
		errno = 0;
		h = rdmaev_open(NULL, self->flags);
		if (countdown)
			break;
		if (!h) {
			failed++;
			ASSERT_TRUE(is_shortage(errno));
		}
		rdmaev_close(h);
		ASSERT_EQ(count_files(), files);
		ASSERT_EQ(blocks, before);
	}
	countdown = 0;
	ASSERT_NE(h, NULL);
	rdmaev_close(h);
	EXPECT_GE(failed, variant->opens);
	EXPECT_EQ(count_files(), files);
	EXPECT_EQ(blocks, before);
}

/* More names than there is room for at first, and records in several parts */
#define NAMES	20
#define EVENTS	200
#define ROOM	1024

/* Read all records from the last seek position on; returns how many. */
static ssize_t read_all(struct rdmaev *h, struct rdmaev_record *ev, int *failed)
{
	ssize_t got, n = 0;

	for (;;) {
		errno = 0;
		got = rdmaev_read(h, ev + n, ROOM - n);
		if (got < 0 && errno == EAGAIN)
			return n;
		if (got < 0 && (!is_shortage(errno) || ++*failed == MAX_TRIES))
			return -1;
		n += got < 0 ? 0 : got;
	}
}

TEST_F(lib, read)
{
	static struct rdmaev_record want[ROOM], got[ROOM];
	int n, hits = 0, failed = 0, files = count_files();
	long before = blocks;
	ssize_t i, records;
	struct rdmaev *h;

	for (i = 0; i < NAMES; i++)
		ASSERT_EQ(sh("rdma dev set mem%zd name mem%zd", i, i + 1), 0);
	ASSERT_GE(gen("process", "mem20", TEST_EVENT, 1, EVENTS), 0);
	sleep_ms(100);
	h = rdmaev_open(NULL, self->flags);
	ASSERT_NE(h, NULL);
	ASSERT_GT(rdmaev_seek(h, 0, SEEK_SET), 0);
	records = read_all(h, want, &failed);
	ASSERT_GT(records, NAMES + EVENTS);
	ASSERT_LT(records, ROOM);
	ASSERT_EQ(failed, 0);
	rdmaev_close(h);

	for (n = 1; n < MAX_TRIES; n++) {
		h = rdmaev_open(NULL, self->flags);
		ASSERT_NE(h, NULL);
		ASSERT_GT(rdmaev_seek(h, 0, SEEK_SET), 0);
		countdown = n;
		ASSERT_EQ(read_all(h, got, &failed), records);
		hits += !countdown;
		/* Each of them once */
		for (i = 0; i < records; i++)
			ASSERT_EQ(memcmp(&got[i], &want[i],
					 sizeof(got[i])), 0);
		rdmaev_close(h);
		ASSERT_EQ(count_files(), files);
		ASSERT_EQ(blocks, before);
		if (countdown)
			break;
	}
	countdown = 0;
	/* The node is read into the caller's memory. */
	EXPECT_EQ(hits > 0, !!(self->flags & RDMAEV_NETLINK));
	ASSERT_EQ(sh("rdma dev set mem20 name mem0"), 0);
}

/*
 * A seek drops a pending answer with its socket, and no new one can be opened.
 */
TEST_F(lib, seek)
{
	struct rdmaev_record ev[4];
	struct rdmaev *h = rdmaev_open(NULL, self->flags);
	int64_t end;

	ASSERT_NE(h, NULL);
	ASSERT_GE(gen("process", "mem0", TEST_EVENT, 1, EVENTS), 0);
	ASSERT_EQ(rdmaev_read(h, ev, 1), 1);
	countdown = 1;
	end = rdmaev_seek(h, 0, SEEK_END);
	if (self->flags & RDMAEV_NETLINK)
		EXPECT_EQ(countdown, 0);
	countdown = 0;
	ASSERT_GT(end, 0);
	ASSERT_GE(gen("process", "mem0", TEST_EVENT, 1, 1), 0);
	EXPECT_EQ(rdmaev_wait(h, 5000000000), 1);
	ASSERT_EQ(rdmaev_read(h, ev, 4), 1);
	EXPECT_EQ(ev[0].seq, end);
	rdmaev_close(h);
}

TEST_HARNESS_MAIN
