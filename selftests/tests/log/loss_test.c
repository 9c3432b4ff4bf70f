// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Loss is exact: for every reader, however fast, delivered and lost records add
 * up to all records, in order, and none is counted twice.
 */
#include <poll.h>
#include <sys/mman.h>

#include "common.h"
#include "kselftest_harness.h"

/* SRQ_LIMIT_REACHED, info ring, and SRQ_ERR, error ring; no port query */
#define INFO_EVENT 15
#define ERROR_EVENT 14

struct received {
	uint64_t delivered;
	uint64_t lost;
	uint64_t prev;		/* last seq */
	uint64_t disorder;	/* records out of order */
	uint64_t bad;		/* invalid lost records */
	uint64_t overlap;	/* delivered, and reported lost */
	uint64_t last_missing[RDMAEV_RINGS];
	uint64_t delivered_in[RDMAEV_RINGS];
};

/* Written by the readers, read by the test. */
struct shared {
	struct received received[3];
	int ready[3];
	int done;
};

static void count(struct received *t, const struct rdmaev_record *rec)
{
	if (rec->seq <= t->prev)
		t->disorder++;
	t->prev = rec->seq;
	if (rec->kind != RDMAEV_KIND_LOST) {
		t->delivered++;
		t->delivered_in[rec->ring]++;
		if (rec->seq <= t->last_missing[rec->ring])
			t->overlap++;
		return;
	}
	t->lost += rec->body.lost.count;
	if (rec->ring >= RDMAEV_RINGS || !rec->body.lost.count ||
	    rec->body.lost.first > rec->body.lost.last ||
	    rec->body.lost.last - rec->body.lost.first + 1 <
	    rec->body.lost.count)
		t->bad++;
	else
		t->last_missing[rec->ring] = rec->body.lost.last;
}

static size_t take(int fd, struct received *t, size_t max)
{
	struct rdmaev_record recs[256];
	ssize_t got, i;

	got = read(fd, recs, max * sizeof(struct rdmaev_record));
	for (i = 0; i < got / (ssize_t)sizeof(struct rdmaev_record); i++)
		count(t, &recs[i]);
	return got > 0 ? got / sizeof(struct rdmaev_record) : 0;
}

enum pace { SLEEPS, SLOW, KEEPS_UP };

/* Until records that it has not read are overwritten, or no more come */
static void fall_behind(int fd, const struct shared *s, const struct received *t)
{
	struct rdmaev_info info;

	do {
		usleep(1000);
		info = get_info(fd);
	} while (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE) &&
		 info.newest_seq < t->prev + 2 * info.ring_records);
}

static void reader(struct shared *s, enum pace pace)
{
	int fd = open_node(O_NONBLOCK);
	struct received *t = &s->received[pace];
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd < 0)
		_exit(1);
	t->prev = get_info(fd).newest_seq;
	__atomic_store_n(&s->ready[pace], 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		switch (pace) {
		case SLEEPS:
			usleep(10000);
			break;
		case SLOW:
			take(fd, t, 16);
			fall_behind(fd, s, t);
			break;
		case KEEPS_UP:
			if (poll(&p, 1, 10) > 0)
				take(fd, t, 256);
			break;
		}
	}
	while (take(fd, t, 256))
		;
	_exit(0);
}

#define EXPECT_EXACT(t, total) do {					\
	EXPECT_EQ((t).delivered + (t).lost, total);			\
	EXPECT_EQ((t).disorder, 0);					\
	EXPECT_EQ((t).bad, 0);						\
	EXPECT_EQ((t).overlap, 0);					\
} while (0)

FIXTURE(dev) {
	struct shared *s;
	int fd;
	uint64_t start;
};

FIXTURE_SETUP(dev)
{
	int i;

	ASSERT_EQ(rxe_add("loss0"), 0);
	self->s = mmap(NULL, sizeof(*self->s), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->s, MAP_FAILED);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	sleep_ms(500);
	self->start = get_info(self->fd).newest_seq;
	for (i = SLEEPS; i <= KEEPS_UP; i++) {
		if (!fork())
			reader(self->s, i);
		while (!__atomic_load_n(&self->s->ready[i], __ATOMIC_ACQUIRE))
			usleep(1000);
	}
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
	rxe_del("loss0");
}

/* Wait for the reader that has to keep up, however slow the machine is. */
static void let_keep_up(struct shared *s, int fd)
{
	uint64_t newest = get_info(fd).newest_seq;

	while (__atomic_load_n(&s->received[KEEPS_UP].prev, __ATOMIC_ACQUIRE) <
	       newest)
		usleep(500);
}

static int finish(struct shared *s)
{
	int status, i, bad = 0;

	__atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
	for (i = 0; i < 3; i++) {
		wait(&status);
		bad |= status;
	}
	return bad;
}

TEST_F_TIMEOUT(dev, hundred_thousand, 180)
{
	/*
	 * Fewer on kernels with checkers, but still more than there is room
	 * for.
	 */
	const uint64_t total = slowness() > 1 ? 40000 : 100000;
	uint64_t i;

	for (i = 0; i < total; i += 4000) {
		ASSERT_EQ(gen("dispatch", "loss0", INFO_EVENT, 1, 4000), 4000);
		let_keep_up(self->s, self->fd);
	}
	EXPECT_EQ(finish(self->s), 0);
	EXPECT_EQ(get_info(self->fd).newest_seq - self->start, total);
	for (i = SLEEPS; i <= KEEPS_UP; i++) {
		const struct received *t = &self->s->received[i];

		TH_LOG("reader %d: %lu delivered + %lu lost", (int)i,
		       t->delivered, t->lost);
		EXPECT_EXACT(*t, total);
		EXPECT_EQ(t->prev, self->start + total);
	}
	EXPECT_EQ(self->s->received[KEEPS_UP].lost, 0);
	EXPECT_EQ(self->s->received[SLEEPS].delivered,
		  get_info(self->fd).ring_records);
	EXPECT_GT(self->s->received[SLOW].lost, 0);
}

/*
 * Two rings at once, from several CPUs and contexts, without waiting for
 * readers.
 */
TEST_F_TIMEOUT(dev, rings_at_once, 180)
{
	static const char * const modes[] = { "process", "hardirq" };
	const uint64_t each = 20000;
	uint64_t total = 4 * each, i;
	int status, bad = 0;

	for (i = 0; i < 4; i++) {
		if (!fork())
			_exit(gen(modes[i & 1], "loss0",
				  i & 2 ? ERROR_EVENT : INFO_EVENT, 1, each) !=
			      (long)each);
	}
	for (i = 0; i < 4; i++) {
		wait(&status);
		bad |= status;
	}
	EXPECT_EQ(bad, 0);
	EXPECT_EQ(finish(self->s), 0);
	EXPECT_EQ(get_info(self->fd).newest_seq - self->start, total);
	for (i = SLEEPS; i <= KEEPS_UP; i++) {
		const struct received *t = &self->s->received[i];

		TH_LOG("reader %d: %lu delivered + %lu lost", (int)i,
		       t->delivered, t->lost);
		EXPECT_EXACT(*t, total);
	}
}

/* Many info records evict nothing from the other rings. */
TEST_F_TIMEOUT(dev, rings_are_apart, 180)
{
	struct rdmaev_info info = get_info(self->fd);
	struct received before = {}, after = {};

	EXPECT_EQ(finish(self->s), 0);
	ASSERT_GT(lseek(self->fd, 0, SEEK_SET), 0);
	while (take(self->fd, &before, 256))
		;
	ASSERT_GT(before.delivered_in[RDMAEV_RING_PORT], 0);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1,
		      2 * info.ring_records), 2 * info.ring_records);
	ASSERT_GT(lseek(self->fd, 0, SEEK_SET), 0);
	while (take(self->fd, &after, 256))
		;
	EXPECT_EQ(after.lost, 0);
	EXPECT_EQ(after.delivered_in[RDMAEV_RING_INFO], info.ring_records);
	EXPECT_EQ(after.delivered_in[RDMAEV_RING_PORT],
		  before.delivered_in[RDMAEV_RING_PORT]);
	EXPECT_EQ(after.delivered_in[RDMAEV_RING_ERROR],
		  before.delivered_in[RDMAEV_RING_ERROR]);
}

/* Losses in a ring that the filter excludes are not reported. */
TEST_F_TIMEOUT(dev, losses_of_other_rings, 180)
{
	struct rdmaev_info info = get_info(self->fd);
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;

	EXPECT_EQ(finish(self->s), 0);
	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_DEVICE), 0);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1,
		      info.ring_records + 7), info.ring_records + 7);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(get_info(self->fd).lost, 0);
	/* Of the records of ports, only changes of GIDs are in that ring. */
	f.kinds = 1 << RDMAEV_KIND_PORT;
	filter_codes(&f, RDMAEV_KIND_PORT, ~(1ULL << RDMAEV_PORT_GID));
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1,
		      info.ring_records + 7), info.ring_records + 7);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(get_info(self->fd).lost, 0);
	/* Included again, from the current position of the reader. */
	ASSERT_EQ(filter_kinds(self->fd, 0), 0);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.kind, RDMAEV_KIND_ASYNC);
	EXPECT_EQ(rec.seq, get_info(self->fd).newest_seq);
}

/* Records overwritten while they did not pass the filter are no loss. */
TEST_F_TIMEOUT(dev, filter_widened_too_late, 180)
{
	struct rdmaev_info info = get_info(self->fd);
	struct rdmaev_record rec;
	uint64_t delivered = 0;

	EXPECT_EQ(finish(self->s), 0);
	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_DEVICE), 0);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1,
		      info.ring_records + 7), info.ring_records + 7);
	ASSERT_EQ(filter_kinds(self->fd, 0), 0);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
		ASSERT_NE(rec.kind, RDMAEV_KIND_LOST);
		delivered++;
	}
	EXPECT_EQ(delivered, info.ring_records);
	EXPECT_EQ(get_info(self->fd).lost, 0);
}

/* A pending loss is kept by a query of the position and by a new filter. */
TEST_F_TIMEOUT(dev, untold_loss_is_kept, 180)
{
	struct rdmaev_info info = get_info(self->fd);
	struct received t = { .prev = self->start };
	uint64_t total = 2 * info.ring_records;
	struct rdmaev_record rec;

	EXPECT_EQ(finish(self->s), 0);
	/*
	 * Records of the error ring are in the middle of those lost in the info
	 * ring.
	 */
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1, 10), 10);
	ASSERT_EQ(gen("process", "loss0", ERROR_EVENT, 1, 20), 20);
	ASSERT_EQ(gen("process", "loss0", INFO_EVENT, 1, total), total);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
		count(&t, &rec);
		EXPECT_EQ(lseek(self->fd, 0, SEEK_CUR), rec.seq + 1);
		if (t.delivered < 40)
			ASSERT_EQ(filter_kinds(self->fd, t.delivered & 1 ? 0 :
					       1 << RDMAEV_KIND_ASYNC), 0);
	}
	EXPECT_EXACT(t, total + 30);
}

TEST_HARNESS_MAIN
