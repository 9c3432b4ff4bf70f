// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* lseek(): to a seq, to the oldest, to now; and the losses that it reports. */
#include <poll.h>

#include "common.h"
#include "kselftest_harness.h"

FIXTURE(dev) {
	int fd;
	uint64_t first;
	uint64_t last;
};

/* The newest records are 10, from first to last. */
FIXTURE_SETUP(dev)
{
	ASSERT_EQ(rxe_add("seek0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	sleep_ms(300);
	/* An affiliated event: it causes no port query. */
	ASSERT_EQ(gen("process", "seek0", 15, 1, 10), 10);
	self->last = get_info(self->fd).newest_seq;
	self->first = self->last - 9;
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
	rxe_del("seek0");
}

static uint64_t next_seq(int fd)
{
	struct rdmaev_record rec;

	return read(fd, &rec, sizeof(rec)) == sizeof(rec) ? rec.seq : 0;
}

TEST_F(dev, to_a_seq)
{
	EXPECT_EQ(lseek(self->fd, self->first + 3, SEEK_SET), self->first + 3);
	EXPECT_EQ(get_info(self->fd).position, self->first + 3);
	EXPECT_EQ(next_seq(self->fd), self->first + 3);
	EXPECT_EQ(next_seq(self->fd), self->first + 4);
	EXPECT_EQ(lseek(self->fd, self->last, SEEK_SET), self->last);
	EXPECT_EQ(next_seq(self->fd), self->last);
	EXPECT_EQ(next_seq(self->fd), 0);
}

TEST_F(dev, to_the_next)
{
	EXPECT_EQ(lseek(self->fd, self->last + 1, SEEK_SET), self->last + 1);
	EXPECT_EQ(next_seq(self->fd), 0);
	EXPECT_EQ(lseek(self->fd, self->last + 2, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
	EXPECT_EQ(lseek(self->fd, INT64_MAX, SEEK_SET), -1);
	EXPECT_EQ(errno, ENXIO);
}

TEST_F(dev, to_the_oldest)
{
	uint64_t oldest = get_info(self->fd).oldest_seq;

	EXPECT_EQ(lseek(self->fd, 0, SEEK_SET), oldest);
	EXPECT_EQ(next_seq(self->fd), oldest);
	EXPECT_EQ(get_info(self->fd).lost, 0);
}

TEST_F(dev, from_the_end)
{
	EXPECT_EQ(lseek(self->fd, 0, SEEK_SET),
		  get_info(self->fd).oldest_seq);
	EXPECT_EQ(lseek(self->fd, 0, SEEK_END), self->last + 1);
	EXPECT_EQ(next_seq(self->fd), 0);
	EXPECT_EQ(lseek(self->fd, -4, SEEK_END), self->last - 3);
	EXPECT_EQ(next_seq(self->fd), self->last - 3);
	EXPECT_EQ(lseek(self->fd, 1, SEEK_END), -1);
	EXPECT_EQ(errno, ENXIO);
	/* More than there ever were: from the first record on */
	EXPECT_EQ(lseek(self->fd, INT64_MIN, SEEK_END), 1);
}

TEST_F(dev, from_here)
{
	EXPECT_EQ(lseek(self->fd, self->first, SEEK_SET), self->first);
	EXPECT_EQ(lseek(self->fd, 0, SEEK_CUR), self->first);
	EXPECT_EQ(lseek(self->fd, 5, SEEK_CUR), self->first + 5);
	EXPECT_EQ(next_seq(self->fd), self->first + 5);
	EXPECT_EQ(lseek(self->fd, -6, SEEK_CUR), self->first);
	EXPECT_EQ(next_seq(self->fd), self->first);
	EXPECT_EQ(lseek(self->fd, INT64_MIN, SEEK_CUR), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(lseek(self->fd, INT64_MAX, SEEK_CUR), -1);
	EXPECT_EQ(errno, ENXIO);
	EXPECT_EQ(next_seq(self->fd), self->first + 1);
}

TEST_F(dev, refused)
{
	ASSERT_EQ(lseek(self->fd, self->first + 2, SEEK_SET), self->first + 2);
	EXPECT_EQ(lseek(self->fd, -1, SEEK_SET), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(lseek(self->fd, 0, SEEK_DATA), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(lseek(self->fd, 0, 99), -1);
	EXPECT_EQ(errno, EINVAL);
	/* A refused seek does not move the position. */
	EXPECT_EQ(lseek(self->fd, 0, SEEK_CUR), self->first + 2);
}

/* A query of the position and a new filter do not count as a seek. */
TEST_F(dev, tell)
{
	struct rdmaev_filter f = filter_all();
	uint64_t oldest, info_lost;
	struct rdmaev_info info = get_info(self->fd);
	unsigned long n = info.ring_records + 50;

	/* Some records of the info ring are evicted, none of the port ring. */
	ASSERT_EQ(gen("process", "seek0", 15, 1, n), n);
	oldest = get_info(self->fd).oldest_seq;
	ASSERT_EQ(lseek(self->fd, 0, SEEK_SET), oldest);
	EXPECT_EQ(lseek(self->fd, 0, SEEK_CUR), oldest);
	f.kinds = 1 << RDMAEV_KIND_DEVICE;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	EXPECT_EQ(lseek(self->fd, 0, SEEK_CUR), oldest);
	f.kinds = 0;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	while (next_seq(self->fd))
		;
	info_lost = get_info(self->fd).lost;
	EXPECT_EQ(info_lost, 0);
}

/* A reader that continues after its position was overwritten */
TEST_F(dev, to_what_is_gone)
{
	struct rdmaev_info info = get_info(self->fd);
	uint64_t delivered = 0, lost = 0, prev = self->first - 1;
	unsigned long n = info.ring_records + 1000;
	struct rdmaev_record rec;

	ASSERT_EQ(gen("process", "seek0", 15, 1, n), n);
	info = get_info(self->fd);
	ASSERT_EQ(lseek(self->fd, self->first, SEEK_SET), self->first);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
		ASSERT_GT(rec.seq, prev);
		prev = rec.seq;
		if (rec.kind != RDMAEV_KIND_LOST) {
			delivered++;
			continue;
		}
		EXPECT_EQ(rec.ring, RDMAEV_RING_INFO);
		EXPECT_EQ(rec.body.lost.first, self->first);
		EXPECT_EQ(rec.body.lost.last, rec.seq);
		EXPECT_EQ(rec.body.lost.count, rec.count);
		lost += rec.body.lost.count;
	}
	EXPECT_EQ(delivered, info.ring_records);
	EXPECT_EQ(delivered + lost, info.newest_seq - self->first + 1);
	EXPECT_EQ(get_info(self->fd).lost, lost);
}

/* The same with losses in two rings: the sum is exact, the shares unknown. */
TEST_F(dev, to_what_is_gone_in_two_rings)
{
	struct rdmaev_info info = get_info(self->fd);
	uint64_t delivered = 0, lost = 0;
	unsigned long n = info.ring_records + 10;
	struct rdmaev_record rec;

	ASSERT_EQ(gen("process", "seek0", 15, 1, n), n);	/* info */
	ASSERT_EQ(gen("process", "seek0", 14, 1, n), n);	/* error */
	info = get_info(self->fd);
	ASSERT_EQ(lseek(self->fd, self->first, SEEK_SET), self->first);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == RDMAEV_KIND_LOST) {
			EXPECT_EQ(rec.ring, RDMAEV_RING_ANY);
			lost += rec.body.lost.count;
		} else {
			delivered++;
		}
	}
	EXPECT_EQ(lost, 30);
	EXPECT_EQ(delivered + lost, info.newest_seq - self->first + 1);
}

/*
 * Where a reader without privilege is, that waits: records that it may not see do not
 * change it.
 */
TEST_F(dev, of_what_it_sees)
{
	enum { COMM_EST = 4, DEVICE_FATAL = 8, SRQ_LIMIT_REACHED = 15 };
	/* Of objects of others: the second kind passes its filter. */
	const int unseen[] = { COMM_EST, SRQ_LIMIT_REACHED, COMM_EST, COMM_EST };
	struct rdmaev_filter f = filter_all();
	struct pollfd p = { .events = POLLIN };
	uint64_t position;
	unsigned int i;

	ASSERT_EQ(seteuid(65534), 0);
	p.fd = open_node(O_NONBLOCK);
	ASSERT_EQ(seteuid(0), 0);
	ASSERT_GE(p.fd, 0);
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1 << SRQ_LIMIT_REACHED | 1 << DEVICE_FATAL);
	ASSERT_EQ(ioctl(p.fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(poll(&p, 1, 0), 0);
	for (i = 0; i < ARRAY_SIZE(unseen); i++) {
		ASSERT_EQ(gen("process", "seek0", unseen[i], 1, 1), 1);
		position = get_info(self->fd).newest_seq + 1;
		EXPECT_EQ(get_info(p.fd).position, position);
		EXPECT_EQ(lseek(p.fd, 0, SEEK_CUR), position);
	}
	for (i = 0; i < ARRAY_SIZE(unseen); i++)
		ASSERT_EQ(gen("process", "seek0", unseen[i], 1, 1), 1);
	ASSERT_EQ(gen("process", "seek0", DEVICE_FATAL, 1, 1), 1);
	position = lseek(p.fd, 0, SEEK_CUR);
	EXPECT_EQ(get_info(p.fd).position, position);
	/* Back from there, which rejects them again */
	EXPECT_EQ(lseek(p.fd, -3, SEEK_CUR), position - 3);
	EXPECT_EQ(get_info(p.fd).position, position);
	EXPECT_EQ(next_seq(p.fd), position);
	EXPECT_EQ(next_seq(p.fd), 0);
	close(p.fd);
}

TEST_HARNESS_MAIN
