// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several threads and programs with one open file: closed, changed and inherited
 * while it is read, with signals all the while. Each record goes to exactly one
 * of them.
 */
#include "account.h"

/* One thread reads or waits while another one closes the file. */
struct closing {
	int fd;
	int polls;
	struct rdmaev_record rec;
	int ret, error;
};

static void read_closed(struct runner *r)
{
	struct closing *c = r->data;
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	c->ret = c->polls ? poll(&p, 1, -1) : read_one(c->fd, &c->rec);
	c->error = errno;
}

/*
 * A file stays open while it is being read: closing it wakes nobody. A waiting
 * thread is woken by the next record or by a signal. poll() looks up its files
 * again when it is woken, so the number must not be that of another, not
 * readable file by then.
 */
TEST_F_TIMEOUT(dev, closed_while_it_is_read, 120)
{
	unsigned int i, n = rounds(64);

	ASSERT_EQ(handle_signal(SIGUSR1, 0), 0);
	for (i = 0; i < n; i++) {
		struct closing c = { .fd = open_node(0), .polls = i & 1 };
		struct runner r = { .number = i };
		int is_signalled = i % 8 < 2;
		int is_told_before = i % 8 >= 4;
		int is_sure_to_wait = i % 8 < 6;
		int other = -1;

		ASSERT_GE(c.fd, 0);
		ASSERT_EQ(filter_test_events(c.fd), 0);
		ASSERT_EQ(start(&r, read_closed, &c), 0);
		if (is_sure_to_wait)
			ASSERT_EQ(asleep(&r), 0);
		if (is_told_before)
			ASSERT_EQ(events(TEST_EVENT, 1), 0);
		ASSERT_EQ(close(c.fd), 0);
		/* The file that gets the number is not read. */
		if (!is_told_before || !c.polls) {
			other = open_node(0);
			ASSERT_EQ(other, c.fd);
		}
		if (!is_told_before)
			ASSERT_EQ(state_of(r.tid), 'S');
		/*
		 * A thread that was not waiting then may read the other file by
		 * now.
		 */
		if (is_signalled)
			pthread_kill(r.id, SIGUSR1);
		else if (!is_told_before || !is_sure_to_wait)
			ASSERT_EQ(events(TEST_EVENT, 1), 0);
		ASSERT_EQ(ended(&r), 0);
		if (is_signalled) {
			EXPECT_EQ(c.ret, -1);
			EXPECT_EQ(c.error, EINTR);
		} else if (c.ret == -1) {
			/* Between the two there was no file. */
			EXPECT_FALSE(is_sure_to_wait);
			EXPECT_EQ(c.error, EBADF);
		} else {
			EXPECT_EQ(c.ret, 1);
			if (!c.polls)
				EXPECT_EQ(c.rec.code, TEST_EVENT);
		}
		close(other);
	}
}

/* Read until a record of the other thread ends it. */
struct taker {
	int fd;
	struct account *account;
	int polls;
	unsigned long interrupted;
	uint64_t last;
};

static void take_on(struct runner *r)
{
	struct taker *t = r->data;
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	struct rdmaev_record recs[5];
	ssize_t n;
	int i;

	for (;;) {
		if (t->polls && poll(&p, 1, -1) < 0) {
			if (errno != EINTR)
				wrong(r, "poll");
			__atomic_add_fetch(&t->interrupted, 1, __ATOMIC_RELAXED);
		}
		n = read(t->fd, recs, sizeof(recs));
		if (n < 0) {
			if (errno == EINTR)
				__atomic_add_fetch(&t->interrupted, 1, __ATOMIC_RELAXED);
			else if (errno != EAGAIN)
				wrong(r, "read");
		}
		for (i = 0; i < n / (ssize_t)sizeof(recs[0]); i++) {
			if (recs[i].seq <= t->last)
				wrong(r, "not in order");
			t->last = recs[i].seq;
			if (recs[i].code != TEST_EVENT)
				return;
			if (enter_into(t->account, &recs[i]))
				wrong(r, "seq %llu twice",
				      (unsigned long long)recs[i].seq);
			else
				r->done++;
		}
	}
}

FIXTURE(waits) {
	int fd;
	struct account *account;
};

FIXTURE_VARIANT(waits) {
	int polls;
	int restarts;
};

FIXTURE_VARIANT_ADD(waits, in_read) {
	.polls = 0,
};

FIXTURE_VARIANT_ADD(waits, in_read_restarted) {
	.restarts = 1,
};

FIXTURE_VARIANT_ADD(waits, in_poll) {
	.polls = 1,
};

FIXTURE_SETUP(waits)
{
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 1), 0);
	sleep_ms(30);
	self->fd = open_node(variant->polls ? O_NONBLOCK : 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_test_events(self->fd), 0);
	self->account = calloc(1, sizeof(*self->account));
	ASSERT_NE(self->account, NULL);
	self->account->base = get_info(self->fd).newest_seq + 1;
}

FIXTURE_TEARDOWN(waits)
{
	close(self->fd);
	free(self->account);
	sim_destroy("sim0");
}

/* No record is lost or delivered twice, over any number of signals. */
TEST_F_TIMEOUT(waits, under_signals, 120)
{
	struct taker t = {
		.fd = self->fd, .account = self->account, .polls = variant->polls,
	};
	struct runner reader = {}, signals = { .number = 1 };
	unsigned int i, n = rounds(200), sum = 0;
	struct sender sender = { .sig = SIGUSR1 };

	ASSERT_EQ(handle_signal(SIGUSR1, variant->restarts ? SA_RESTART : 0), 0);
	ASSERT_EQ(start(&reader, take_on, &t), 0);
	sender.to = reader.id;
	ASSERT_EQ(asleep(&reader), 0);
	ASSERT_EQ(start(&signals, signal_on, &sender), 0);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(events(TEST_EVENT, 1 + i % 9), 0);
		sum += 1 + i % 9;
		if (i % 4 == 0)
			usleep(1000);
	}
	EXPECT_EQ(take_all(self->account, sum), 0);
	/* The thread with the signals may not have run yet. */
	for (i = 0; i < SOON_MS && !variant->restarts; i++) {
		if (__atomic_load_n(&t.interrupted, __ATOMIC_RELAXED))
			break;
		usleep(1000);
	}
	EXPECT_EQ(stop(&signals), 0);
	ASSERT_EQ(events(TEST_EVENT + 1, 1), 0);
	ASSERT_EQ(ended(&reader), 0);
	fprintf(stderr, "# %u records, %lu signals, interrupted %lu times\n", sum,
		signals.done, t.interrupted);
	EXPECT_EQ(t.interrupted > 0, !variant->restarts);
}

/* Filters that all pass the events of the generator, in different rings */
static int change_filter(int fd, unsigned int i)
{
	struct rdmaev_filter f = filter_all();

	switch (i % 5) {
	case 0:
		return filter_test_events(fd);
	case 1:
		f.severities = 1U << RDMAEV_SEVERITY_INFO;
		break;
	case 2:
		f.kinds = 1U << RDMAEV_KIND_ASYNC;
		break;
	case 3:
		f.object_types = 1U << RDMAEV_OBJECT_NONE;
		break;
	}
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

static int change_wakeup(int fd, unsigned int watermark, unsigned int delay_us)
{
	struct rdmaev_wakeup w = {
		.size = sizeof(w),
		.watermark = watermark,
		.delay_us = delay_us,
	};

	return ioctl(fd, RDMAEV_IOC_WAKEUP, &w);
}

static void change_on(struct runner *r)
{
	const struct taker *t = r->data;
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		if (change_filter(t->fd, i))
			wrong(r, "filter");
		if (change_wakeup(t->fd, 1 + i % 7, i % 3 * 500))
			wrong(r, "wakeup");
		if (lseek(t->fd, 0, SEEK_CUR) < 1)
			wrong(r, "seek");
		r->done++;
		usleep(i % 4 * 100);
	}
	/* Available records are enough from now on, and no others match. */
	if (filter_test_events(t->fd) || change_wakeup(t->fd, 1, 0))
		wrong(r, "last change");
}

/* As above, but with records of others */
static void take_through(struct runner *r)
{
	struct taker *t = r->data;
	struct rdmaev_record recs[5];
	ssize_t n;
	int i;

	for (;;) {
		n = read(t->fd, recs, sizeof(recs));
		if (n <= 0)
			wrong(r, "read");
		for (i = 0; i < n / (ssize_t)sizeof(recs[0]); i++) {
			if (recs[i].seq <= t->last)
				wrong(r, "not in order");
			t->last = recs[i].seq;
			if (recs[i].kind != RDMAEV_KIND_ASYNC)
				continue;
			if (recs[i].code == TEST_EVENT + 1)
				return;
			if (recs[i].code == TEST_EVENT && enter_into(t->account, &recs[i]))
				wrong(r, "twice");
		}
	}
}

TEST_F_TIMEOUT(dev, changed_while_it_is_read, 120)
{
	struct taker t = { .fd = self->fd, .account = self->account };
	struct runner reader = {}, changes = { .number = 1 };
	unsigned int i, n = rounds(300), sum = 0;

	ASSERT_EQ(start(&reader, take_through, &t), 0);
	ASSERT_EQ(start(&changes, change_on, &t), 0);
	for (i = 0; i < n; i++) {
		/* One of each ring, which some filters do not pass */
		ASSERT_EQ(event(SM_CHANGE, 1), 0);
		/* Records of the other thread may be among those delivered. */
		ASSERT_GE(gen("process", "sim0", 7, 1, 1), 1);
		ASSERT_GE(gen("process", "sim0", TEST_EVENT, 1, 1 + i % 5), 1 + i % 5);
		sum += 1 + i % 5;
		if (i % 4 == 0)
			usleep(500);
		/* Changes among them, however slow they are */
		while (__atomic_load_n(&changes.done, __ATOMIC_RELAXED) < i / 10)
			usleep(500);
	}
	EXPECT_EQ(stop(&changes), 0);
	EXPECT_EQ(take_all(self->account, sum), 0);
	ASSERT_EQ(events(TEST_EVENT + 1, 1), 0);
	ASSERT_EQ(ended(&reader), 0);
	fprintf(stderr, "# %u records, %lu changes\n", sum, changes.done);
}

/* A sleeping thread is woken when a change makes available records match. */
TEST_F_TIMEOUT(dev, woken_by_changes, 120)
{
	struct taker t = { .fd = self->fd, .account = self->account };
	unsigned int i, n = rounds(40), sum = 0;
	struct runner reader = {};

	ASSERT_EQ(start(&reader, take_through, &t), 0);
	for (i = 0; i < n; i++) {
		/* Some records, not enough */
		ASSERT_EQ(change_wakeup(self->fd, 10, 0), 0);
		ASSERT_EQ(events(TEST_EVENT, 3), 0);
		if (i % 2)
			ASSERT_EQ(asleep(&reader), 0);
		ASSERT_EQ(change_wakeup(self->fd, 1, 0), 0);
		sum += 3;
		ASSERT_EQ(take_all(self->account, sum), 0);
		/* Records of another ring */
		ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_DEVICE), 0);
		if (i % 2)
			ASSERT_EQ(asleep(&reader), 0);
		ASSERT_EQ(filter_test_events(self->fd), 0);
		ASSERT_EQ(events(TEST_EVENT, 1), 0);
		ASSERT_EQ(take_all(self->account, ++sum), 0);
	}
	ASSERT_EQ(events(TEST_EVENT + 1, 1), 0);
	ASSERT_EQ(ended(&reader), 0);
}

/*
 * Of two records one after the other, at any distance, the second matches the
 * filter of a reader, and nothing comes afterwards that would wake the reader.
 */
TEST_F_TIMEOUT(dev, not_left_asleep, 120)
{
	struct taker t = { .fd = self->fd, .account = self->account };
	unsigned int i, n = rounds(600), seed = 1;
	struct runner reader = {};

	ASSERT_EQ(start(&reader, take_on, &t), 0);
	for (i = 1; i <= n; i++) {
		unsigned int spin = random_of(&seed, 20000);

		ASSERT_EQ(event(SM_CHANGE, 1), 0);
		while (spin--)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		ASSERT_GE(gen("process", "sim0", TEST_EVENT, 1, 1), 1);
		ASSERT_EQ(take_all(self->account, i), 0);
	}
	ASSERT_GE(gen("process", "sim0", TEST_EVENT + 1, 1, 1), 1);
	ASSERT_EQ(ended(&reader), 0);
}

#define BACK	20U	/* from the end: first those of the previous test */

/*
 * A thread seeks back and forth: records are complete, and no thread sleeps on.
 */
static void seek_on(struct runner *r)
{
	const struct taker *t = r->data;
	unsigned int i;

	for (i = 0; !is_stopped(r); i++) {
		if (lseek(t->fd, i % 3 ? -(long)(i % BACK) : 0, SEEK_END) < 1)
			wrong(r, "seek to the end");
		if (i % 5 == 0 && lseek(t->fd, t->account->base + i % 50, SEEK_SET) < 1 &&
		    errno != ENXIO)
			wrong(r, "seek to a place");
		r->done++;
		usleep(200);
	}
}

static void read_anything(struct runner *r)
{
	struct taker *t = r->data;
	struct rdmaev_record recs[9];
	ssize_t n;
	int i;

	while (!is_stopped(r)) {
		n = read(t->fd, recs, sizeof(recs));
		if (n <= 0)
			wrong(r, "read");
		for (i = 0; i < n / (ssize_t)sizeof(recs[0]); i++) {
			if (recs[i].seq + BACK < t->account->base ||
			    recs[i].code < TEST_EVENT ||
			    (i && recs[i].seq <= recs[i - 1].seq))
				wrong(r, "seq %llu code %u",
				      (unsigned long long)recs[i].seq, recs[i].code);
			r->done++;
		}
	}
}

/* Records that both have read */
static unsigned long have_done(const struct runner *r)
{
	return __atomic_load_n(&r[1].done, __ATOMIC_RELAXED) +
	       __atomic_load_n(&r[2].done, __ATOMIC_RELAXED);
}

TEST_F_TIMEOUT(dev, moved_while_it_is_read, 120)
{
	struct taker t = { .fd = self->fd, .account = self->account };
	struct runner r[3] = {};
	unsigned int i, n = rounds(300);

	for (i = 0; i < 3; i++) {
		r[i].number = i;
		ASSERT_EQ(start(&r[i], i ? read_anything : seek_on, &t), 0);
	}
	for (i = 0; i < n; i++)
		ASSERT_EQ(events(TEST_EVENT, 3), 0);
	/* On a busy machine they may hardly have run. */
	while (have_done(r) <= n && i++ < 100 * n) {
		usleep(1000);
		ASSERT_EQ(events(TEST_EVENT, 3), 0);
	}
	EXPECT_EQ(stop(&r[0]), 0);
	tell_stop(&r[1]);
	tell_stop(&r[2]);
	/* Both may wait: there is one for each. */
	ASSERT_EQ(events(TEST_EVENT + 1, 20), 0);
	EXPECT_EQ(ended(&r[1]), 0);
	EXPECT_EQ(ended(&r[2]), 0);
	EXPECT_GT(have_done(r), n);
}

/* Programs that inherit the file read from it; others have it and exit. */
static void inherit(int fd, struct account *account)
{
	struct taker t = { .fd = fd, .account = account };
	struct runner r = { .number = getpid(), .data = &t };

	take_on(&r);
	_exit(!!r.wrong);
}

TEST_F_TIMEOUT(dev, inherited, 120)
{
	unsigned int i, n = rounds(60), sum = 0;
	struct taker t = { .fd = self->fd, .account = self->account };
	struct runner reader = {};
	pid_t pid[3];
	int status;

	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (!pid[i])
			inherit(self->fd, self->account);
	}
	ASSERT_EQ(start(&reader, take_on, &t), 0);
	for (i = 0; i < n; i++) {
		pid_t other = fork();

		/* A file that is only closed */
		if (!other) {
			if (i % 2)
				close(self->fd);
			_exit(0);
		}
		/* More than they read at a time, so that they interleave */
		ASSERT_EQ(events(TEST_EVENT, 300), 0);
		sum += 300;
		ASSERT_EQ(take_all(self->account, sum), 0);
		ASSERT_EQ(waitpid(other, &status, 0), other);
	}
	/*
	 * One for each, however they share them: each ends with the first one.
	 */
	for (i = 0; i <= ARRAY_SIZE(pid); i++) {
		ASSERT_EQ(events(TEST_EVENT + 1, 5), 0);
		sleep_ms(20);
	}
	ASSERT_EQ(ended(&reader), 0);
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		ASSERT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		EXPECT_EQ(status, 0);
	}
	for (i = 0; i < EVENTS_MAX; i++)
		ASSERT_LE(self->account->seen[i], 1);
}

TEST_HARNESS_MAIN
