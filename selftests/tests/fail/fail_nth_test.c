// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Every call of the node with each of its allocations and copies failing in
 * turn: it succeeds or fails as a whole, no record is lost, and the open file
 * works as before. See fail.h.
 */
#include <sys/epoll.h>

#include "fail.h"
#include "kselftest_harness.h"

/* More than are copied at a time */
#define EVENTS	40

static uint32_t device, cq;
static int watcher = -1;		/* checks that the module still works */

static long test_events(unsigned long count)
{
	return gen("process", "sim0", TEST_EVENT, 1, count);
}

/*
 * True if a reader gets new events. Its position is at the end before and
 * after.
 */
static int works(int fd)
{
	struct rdmaev_record rec[2];

	if (test_events(1) == 1 && read(fd, rec, sizeof(rec)) == sizeof(rec[0]) &&
	    rec[0].code == TEST_EVENT && !get_info(fd).lost)
		return 1;
	fprintf(stderr, "# an event does not arrive\n");
	return 0;
}

/* References to the module: open files, and any leftover of them */
static int references(void)
{
	FILE *f = fopen("/sys/module/rdmaev/refcnt", "r");
	int n = -1;

	if (!f || fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

FIXTURE(fail) {
	int fd;
};

FIXTURE_SETUP(fail)
{
	uint32_t generation;
	int fd;

	ASSERT_EQ(open_sim0(&fd, &device, &generation), 0);
	close(fd);
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	/* The query of a new device */
	sleep_ms(300);
	watcher = open_node(O_NONBLOCK);
	ASSERT_GE(watcher, 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(works(watcher));
	ASSERT_EQ(lseek(self->fd, 0, SEEK_END), lseek(watcher, 0, SEEK_CUR));
}

FIXTURE_TEARDOWN(fail)
{
	close(self->fd);
	close(watcher);
	run("hold sim0 destroy");
	sim_destroy("sim0");
}

/* After a call that reads nothing */
static int still_works(void *data, int ret, int error)
{
	int fd = *(int *)data;

	return lseek(fd, 0, SEEK_END) < 0 || !works(fd) ||
	       lseek(watcher, 0, SEEK_END) < 0;
}

static int others;			/* other references */

static int do_open(void *data)
{
	int *fd = data;

	*fd = open_node(O_NONBLOCK);
	return *fd;
}

static int opened(void *data, int ret, int error)
{
	int *fd = data, bad = 0;

	if (ret >= 0) {
		bad = !works(*fd) || references() != others + 1;
		close(*fd);
	}
	return bad || references() != others;
}

TEST_F_TIMEOUT(fail, open, 120)
{
	const struct sweep s = { "open", do_open, opened, .least = 3 };
	int fd;

	others = references();
	EXPECT_EQ(sweep(&s, &fd), 0);
	EXPECT_EQ(still_works(&watcher, 0, 0), 0);
}

static int do_info(void *data)
{
	struct rdmaev_info info = { .size = sizeof(info) };

	return ioctl(*(int *)data, RDMAEV_IOC_INFO, &info);
}

static int do_wakeup(void *data)
{
	struct rdmaev_wakeup wakeup = { .size = sizeof(wakeup), .watermark = 1 };

	return ioctl(*(int *)data, RDMAEV_IOC_WAKEUP, &wakeup);
}

static int do_notify(void *data)
{
	struct rdmaev_notify n = {
		.size = sizeof(n),
		.device = device,
		.cq = cq,
		.every = 1,
	};

	return ioctl(*(int *)data, RDMAEV_IOC_NOTIFY, &n);
}

static int do_lseek(void *data)
{
	int fd = *(int *)data;

	return lseek(fd, 1, SEEK_SET) == 1 && lseek(fd, 0, SEEK_SET) == 1 &&
	       lseek(fd, -1, SEEK_END) > 1 ? 0 : -1;
}

static int do_poll(void *data)
{
	struct pollfd p = { .fd = *(int *)data, .events = POLLIN };

	return poll(&p, 1, 0);
}

TEST_F_TIMEOUT(fail, small_calls, 120)
{
	const struct sweep sweeps[] = {
		{ "ioctl INFO", do_info, still_works, .least = 2 },
		{ "ioctl WAKEUP", do_wakeup, still_works, .least = 1 },
		{ "ioctl NOTIFY", do_notify, still_works, .least = 1 },
		{ "lseek", do_lseek, still_works, .least = 0 },
		{ "poll", do_poll, still_works, .least = 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sweeps); i++)
		EXPECT_EQ(sweep(&sweeps[i], &self->fd), 0);
}

static int do_filter(void *data)
{
	return filter_kinds(*(int *)data, 1U << RDMAEV_KIND_DEVICE);
}

static int filtered(void *data, int ret, int error)
{
	int fd = *(int *)data;
	struct rdmaev_record rec;

	if (ret)
		return still_works(data, ret, error);
	return test_events(1) != 1 || read(fd, &rec, sizeof(rec)) != -1 ||
	       filter_kinds(fd, 0);
}

TEST_F_TIMEOUT(fail, filter, 120)
{
	const struct sweep s = { "ioctl FILTER", do_filter, filtered, .least = 1 };

	EXPECT_EQ(sweep(&s, &self->fd), 0);
}

/* Lists: all entries, or an error */

struct list {
	int fd;
	unsigned long cmd;
	int count;			/* minimum number of entries */
	union {
		struct rdmaev_devices head;
		struct rdmaev_ports ports;
		struct rdmaev_counters counters;
		struct rdmaev_cqs cqs;
		struct rdmaev_probes probes;
		struct rdmaev_qps qps;
	} req;
	char entries[64 * 512];
};

static int do_list(void *data)
{
	struct list *l = data;

	l->req.head.count = 64;
	l->req.head.entries = (uintptr_t)l->entries;
	return ioctl(l->fd, l->cmd, &l->req);
}

static int listed(void *data, int ret, int error)
{
	struct list *l = data;

	if (ret && do_list(l))
		return 1;
	return (int)l->req.head.count != l->count;
}

TEST_F_TIMEOUT(fail, lists, 120)
{
	const struct sweep sweeps[] = {
		/*
		 * vmalloc() is used where kmalloc() fails: only copies fail
		 * here.
		 */
		{ "ioctl DEVICES", do_list, listed, .least = 3 },
		{ "ioctl PORTS", do_list, listed, .least = 3 },
		{ "ioctl COUNTERS", do_list, listed, .least = 3 },
		{ "ioctl CQS", do_list, listed, .least = 3 },
		{ "ioctl CQS with sums", do_list, listed, .least = 3 },
		{ "ioctl PROBES", do_list, listed, .least = 2 },
		{ "ioctl QPS", do_list, listed, .least = 2 },
	};
	static struct list lists[] = {
		{ .cmd = RDMAEV_IOC_DEVICES, .count = 1, .req.head = {
			.size = sizeof(struct rdmaev_devices),
			.entry_size = sizeof(struct rdmaev_device) } },
		{ .cmd = RDMAEV_IOC_PORTS, .count = 2, .req.ports = {
			.size = sizeof(struct rdmaev_ports), .device = RDMAEV_ANY,
			.entry_size = sizeof(struct rdmaev_port) } },
		/* It was added, and had an event. */
		{ .cmd = RDMAEV_IOC_COUNTERS, .count = 2, .req.counters = {
			.size = sizeof(struct rdmaev_counters), .device = RDMAEV_ANY,
			.port = RDMAEV_ANY,
			.entry_size = sizeof(struct rdmaev_counter) } },
		{ .cmd = RDMAEV_IOC_CQS, .count = 1, .req.cqs = {
			.size = sizeof(struct rdmaev_cqs), .device = RDMAEV_ANY,
			.entry_size = sizeof(struct rdmaev_cq_stats) } },
		{ .cmd = RDMAEV_IOC_CQS, .count = 1, .req.cqs = {
			.size = sizeof(struct rdmaev_cqs), .device = RDMAEV_ANY,
			.flags = RDMAEV_CQS_SUMS,
			.entry_size = sizeof(struct rdmaev_cq_stats) } },
		/* rdmaev_probe is not loaded. */
		{ .cmd = RDMAEV_IOC_PROBES, .count = 0, .req.probes = {
			.size = sizeof(struct rdmaev_probes), .device = RDMAEV_ANY,
			.entry_size = sizeof(struct rdmaev_probe) } },
		/* Nor is rdmaev_observe. */
		{ .cmd = RDMAEV_IOC_QPS, .count = 0, .req.qps = {
			.size = sizeof(struct rdmaev_qps), .device = RDMAEV_ANY,
			.entry_size = sizeof(struct rdmaev_qp) } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sweeps); i++) {
		lists[i].fd = self->fd;
		EXPECT_EQ(sweep(&sweeps[i], &lists[i]), 0);
	}
	EXPECT_TRUE(works(watcher));
}

/* Each event exactly once, whatever the reads return */

struct reader {
	int fd;
	uint64_t seq;			/* of the newest that was read */
	int missing;			/* events still to be read */
	ssize_t got;
	struct rdmaev_record buf[EVENTS];
};

static int take(struct reader *r)
{
	ssize_t i, n = r->got / (ssize_t)sizeof(r->buf[0]);

	for (i = 0; i < n; i++) {
		if (r->buf[i].code != TEST_EVENT || r->buf[i].seq <= r->seq)
			return -1;
		r->seq = r->buf[i].seq;
		r->missing--;
	}
	return 0;
}

static int do_read(void *data)
{
	struct reader *r = data;

	r->got = read(r->fd, r->buf, sizeof(r->buf));
	return r->got < 0 ? -1 : 0;
}

static int was_read(void *data, int ret, int error)
{
	struct reader *r = data;

	if (ret < 0)
		r->got = 0;
	while (r->got) {
		if (take(r))
			return 1;
		r->got = r->missing > 0 ? read(r->fd, r->buf, sizeof(r->buf)) : 0;
		if (r->got < 0)
			return 1;
	}
	if (ret < 0)
		return !r->missing || do_read(r) || was_read(r, 0, 0);
	if (r->missing || get_info(r->fd).lost || get_info(r->fd).position != r->seq + 1)
		return 1;
	/* For the next call */
	r->missing = EVENTS;
	return test_events(EVENTS) != EVENTS;
}

TEST_F_TIMEOUT(fail, read, 120)
{
	/* The first copy fails the call, the second one makes it short. */
	const struct sweep s = { "read", do_read, was_read, .least = 1 };
	struct reader r = { .fd = self->fd, .missing = EVENTS };

	ASSERT_EQ(test_events(EVENTS), EVENTS);
	EXPECT_EQ(sweep(&s, &r), 0);
}

struct epoll {
	int fd;
	int epfd;
};

static int do_epoll(void *data)
{
	struct epoll *e = data;
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(e->epfd, EPOLL_CTL_ADD, e->fd, &event);
}

static int epolled(void *data, int ret, int error)
{
	struct epoll *e = data;
	struct epoll_event event;

	if (epoll_wait(e->epfd, &event, 1, 0))
		return 1;
	if (ret)
		return still_works(&e->fd, ret, error);
	/* Woken, too. */
	return test_events(1) != 1 || epoll_wait(e->epfd, &event, 1, 30000) != 1 ||
	       epoll_ctl(e->epfd, EPOLL_CTL_DEL, e->fd, NULL) ||
	       lseek(e->fd, 0, SEEK_END) < 0;
}

TEST_F_TIMEOUT(fail, epoll, 120)
{
	const struct sweep s = { "epoll_ctl", do_epoll, epolled, .least = 2 };
	struct epoll e = { .fd = self->fd, .epfd = epoll_create1(EPOLL_CLOEXEC) };

	ASSERT_GE(e.epfd, 0);
	EXPECT_EQ(sweep(&s, &e), 0);
	close(e.epfd);
}

/* At random, every second copy */
TEST_F_TIMEOUT(fail, usercopy, 120)
{
	struct reader r = { .fd = self->fd };
	struct rdmaev_record rec;
	unsigned int n, failed = 0;

	for (n = 0; n < 100; n++) {
		r.missing = EVENTS;
		ASSERT_EQ(test_events(EVENTS), EVENTS);
		ASSERT_EQ(put("/proc/self/make-it-fail", "1"), 0);
		ASSERT_EQ(fail_set("fail_usercopy", "probability", "50"), 0);
		while (r.missing > 0) {
			struct rdmaev_info info = { .size = sizeof(info) };

			errno = EFAULT;
			ioctl(self->fd, RDMAEV_IOC_INFO, &info);
			ASSERT_EQ(errno, EFAULT);
			ASSERT_EQ(info.lost, 0);
			if (do_read(&r)) {
				ASSERT_EQ(errno, EFAULT);
				failed++;
				continue;
			}
			ASSERT_EQ(take(&r), 0);
		}
		EXPECT_EQ(r.missing, 0);
		EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
		fail_off();
		EXPECT_EQ(put("/proc/self/make-it-fail", "0"), 0);
	}
	fprintf(stderr, "# read with fail_usercopy: %u of them failed\n", failed);
	EXPECT_GT(failed, 20);
	EXPECT_TRUE(works(self->fd));
}

TEST_HARNESS_MAIN
