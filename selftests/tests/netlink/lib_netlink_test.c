// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * librdmaev over generic netlink: what differs from the node. The files
 * library/lib_*_test.c test what is the same over both.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include <rdmaev.h>

#include "cq.h"

#define MS 1000000LL

#define ENTRIES	64

FIXTURE(nl) {
	struct rdmaev *h;
	struct rdmaev *node;
	struct rdmaev_record ev[64];
};

FIXTURE_SETUP(nl)
{
	if (access("/sys/class/infiniband/sim0", F_OK))
		ASSERT_EQ(sim_create("sim0", 2), 0);
	self->h = rdmaev_open(NULL, RDMAEV_NETLINK | RDMAEV_NONBLOCK);
	self->node = rdmaev_open(RDMAEV_NODE, RDMAEV_NONBLOCK);
	ASSERT_NE(self->h, NULL);
	ASSERT_NE(self->node, NULL);
}

FIXTURE_TEARDOWN(nl)
{
	rdmaev_close(self->h);
	rdmaev_close(self->node);
}

static int test_events_only(struct rdmaev *h)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_BIT_OTHER);
	return rdmaev_set_filter(h, &f);
}

static long test_events(unsigned long count)
{
	return gen("process", "sim0", TEST_EVENT, 1, count);
}

static int is_readable(struct rdmaev *h, int timeout_ms)
{
	struct pollfd p = { .fd = rdmaev_fd(h), .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && p.revents == POLLIN;
}

/* Kinds of the records, one bit each, if all are the same in both */
static unsigned int same_records(struct rdmaev *a, struct rdmaev *b)
{
	static struct rdmaev_record from[2][512];
	unsigned int kinds = 0;
	ssize_t n, i;

	if (rdmaev_seek(a, 0, SEEK_SET) != rdmaev_seek(b, 0, SEEK_SET))
		return 0;
	n = rdmaev_read(a, from[0], ARRAY_SIZE(from[0]));
	if (n < 0 || n == ARRAY_SIZE(from[0]) ||
	    rdmaev_read(b, from[1], ARRAY_SIZE(from[1])) != n)
		return 0;
	for (i = 0; i < n; i++) {
		if (memcmp(&from[0][i], &from[1][i], sizeof(from[0][i]))) {
			fprintf(stderr, "# seq %llu of kind %u is not the same\n",
				(unsigned long long)from[0][i].seq,
				from[0][i].kind);
			return 0;
		}
		kinds |= 1U << from[0][i].kind;
	}
	return kinds;
}

/*
 * One of each sort: a device with a rename, a port with a change of its state
 * and of its GID table, an asynchronous event, failed completions and
 * notifications, a request for a QP, a connection, a note of a ULP, and calls
 * that the observer missed.
 */
TEST_F(nl, same_records)
{
	const unsigned int all = 1U << RDMAEV_KIND_DEVICE | 1U << RDMAEV_KIND_PORT |
				 1U << RDMAEV_KIND_ASYNC | 1U << RDMAEV_KIND_WC |
				 1U << RDMAEV_KIND_COMPLETION | 1U << RDMAEV_KIND_OBSERVER |
				 1U << RDMAEV_KIND_NOTE |
				 (has_qp_records() ? 1U << RDMAEV_KIND_QP |
						     1U << RDMAEV_KIND_CM : 0);
	struct rdmaev_device dev;
	struct rdmaev_filter f;

	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	ASSERT_EQ(rxe_add("nl1"), 0);
	ASSERT_EQ(sh("ip addr add 10.9.1.1/24 dev nl1_d && rdma dev set nl1 name nl2 &&"
		     " rdma link del nl2; ip link del nl1_d"), 0);
	ASSERT_EQ(set(1, "state", "1"), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_EQ(append_qp_record(rdmaev_fd(self->node), "sim0"), 0);
	ASSERT_EQ(append_cm_record(rdmaev_fd(self->node), "sim0"), 0);
	ASSERT_EQ(append_note("sim0"), 0);
	ASSERT_EQ(append_observer_record(), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(rdmaev_devices(self->h, &dev, 1, 0, NULL), 1);
	/*
	 * Only the node takes notification requests; both deliver the records.
	 */
	errno = 0;
	EXPECT_EQ(rdmaev_notify(self->h, dev.index, result("cq"), 1, 0), -1);
	EXPECT_EQ(errno, EOPNOTSUPP);
	ASSERT_EQ(rdmaev_notify(self->node, dev.index, result("cq"), 1, 0), 0);
	run("hold sim0 recv 3");
	run("hold sim0 arm next");
	run("hold sim0 send 2");
	run("hold sim0 poll 16");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	/* The query of the port */
	sleep_ms(300);

	EXPECT_EQ(same_records(self->node, self->h) & all, all);
	rdmaev_filter_init(&f);
	f.severities = 1U << RDMAEV_SEVERITY_ERROR;
	filter_target(&f, "sim*", 1);
	ASSERT_EQ(rdmaev_set_filter(self->h, &f), 0);
	ASSERT_EQ(rdmaev_set_filter(self->node, &f), 0);
	EXPECT_NE(same_records(self->node, self->h) & 1U << RDMAEV_KIND_WC, 0);
}

/* Compare whole entries, with the usual size and that of a later program. */
#define EXPECT_SAME_LIST(call, type) do {				\
	size_t sizes[] = { sizeof(type), sizeof(type) + 8 };		\
	uint64_t seqs[2] = { 1, 2 };					\
	unsigned int k;							\
									\
	for (k = 0; k < 2; k++) {					\
		struct rdmaev *of = self->node;				\
		size_t size = sizes[k];					\
		char *list = lists[0];					\
		uint64_t *seq = &seqs[0];				\
		ssize_t n;						\
									\
		memset(lists, 0xee, sizeof(lists));			\
		n = call;						\
		ASSERT_GT(n, 0);					\
		ASSERT_LT(n, ENTRIES);					\
		of = self->h;						\
		list = lists[1];					\
		seq = &seqs[1];						\
		EXPECT_EQ(call, n);					\
		EXPECT_EQ(seqs[0], seqs[1]);				\
		EXPECT_EQ(memcmp(lists[0], lists[1], sizeof(lists[0])), 0); \
	}								\
} while (0)

TEST_F(nl, same_lists)
{
	static char lists[2][ENTRIES * 544];
	struct rdmaev_device dev;
	struct rdmaev_cq_stats one;
	uint64_t after = 0, last = 0, seqs[2] = {};
	unsigned int seen = 0;
	ssize_t n;

	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 more 20"), 0);
	ASSERT_EQ(rdmaev_devices(self->h, &dev, 1, 0, NULL), 1);

	EXPECT_SAME_LIST(rdmaev_devices_sized(of, (void *)list, size, ENTRIES,
					      RDMAEV_DEVICES_REMOVED, seq),
			 struct rdmaev_device);
	EXPECT_SAME_LIST(rdmaev_ports_sized(of, RDMAEV_ANY, RDMAEV_PORTS_REMOVED,
					    (void *)list, size, ENTRIES, seq),
			 struct rdmaev_port);
	EXPECT_SAME_LIST(rdmaev_counters_sized(of, RDMAEV_ANY, RDMAEV_ANY,
					       RDMAEV_COUNTERS_REMOVED, (void *)list, size,
					       ENTRIES, seq),
			 struct rdmaev_counter);
	EXPECT_SAME_LIST(rdmaev_counters_sized(of, dev.index, RDMAEV_NO_PORT, 0,
					       (void *)list, size, ENTRIES, seq),
			 struct rdmaev_counter);
	EXPECT_SAME_LIST(rdmaev_cqs_sized(of, dev.index, 0, 0, (void *)list, size,
					  ENTRIES, seq),
			 struct rdmaev_cq_stats);
	EXPECT_SAME_LIST(rdmaev_cqs_sized(of, RDMAEV_ANY, RDMAEV_CQS_SUMS, 0,
					  (void *)list, size, ENTRIES, seq),
			 struct rdmaev_cq_stats);

	/* One at a time. */
	do {
		n = rdmaev_cqs(self->h, dev.index, 0, after, &one, 1, NULL);
		if (n < 1)
			break;
		seen++;
		ASSERT_GT(one.id, last);
		last = one.id;
		after = one.id;
	} while (n > 1);
	EXPECT_EQ(seen, 21);
	ASSERT_EQ(run("hold sim0 destroy"), 0);

	/* An empty list has a seq, too. */
	EXPECT_EQ(rdmaev_cqs(self->node, dev.index, 0, 0, NULL, 0, &seqs[0]), 0);
	EXPECT_EQ(rdmaev_cqs(self->h, dev.index, 0, 0, NULL, 0, &seqs[1]), 0);
	EXPECT_GT(seqs[0], 0);
	EXPECT_EQ(seqs[0], seqs[1]);
	errno = 0;
	EXPECT_EQ(rdmaev_devices_sized(self->h, &dev, 103, 1, 0, NULL), -1);
	EXPECT_EQ(errno, EINVAL);
	errno = 0;
	EXPECT_EQ(rdmaev_counters(self->h, 123456, RDMAEV_ANY, 0, NULL, 0, NULL), -1);
	EXPECT_EQ(errno, ENODEV);
}

/* Multicast messages that were dropped for this process */
static unsigned long drops(void)
{
	unsigned long sum = 0, count, inode;
	char line[256], name[64], path[64];
	int fd;
	FILE *f;

	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		memset(name, 0, sizeof(name));
		if (readlink(path, name, sizeof(name) - 1) < 0 ||
		    sscanf(name, "socket:[%lu]", &inode) != 1)
			continue;
		f = fopen("/proc/net/netlink", "r");
		while (f && fgets(line, sizeof(line), f)) {
			unsigned long its = 0;

			if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %lu %lu",
				   &count, &its) == 2 && its == inode)
				sum += count;
		}
		if (f)
			fclose(f);
	}
	return sum;
}

#define STORM 2000

/*
 * Nobody reads while messages are dropped. The reader gets every record
 * nevertheless, and is readable as long as one is left.
 */
TEST_F(nl, dropped_messages)
{
	unsigned int got = 0;
	uint64_t next = 0;
	ssize_t n, i;

	ASSERT_EQ(test_events_only(self->h), 0);
	EXPECT_EQ(rdmaev_wait(self->h, 0), 0);
	ASSERT_EQ(test_events(STORM), STORM);
	for (i = 0; i < SOON_MS / 10 && !drops(); i++)
		sleep_ms(10);
	EXPECT_GT(drops(), 0);
	while (got < STORM) {
		ASSERT_TRUE(is_readable(self->h, SOON_MS));
		n = rdmaev_read(self->h, self->ev, 37);
		ASSERT_GT(n, 0);
		for (i = 0; i < n; i++) {
			ASSERT_EQ(self->ev[i].kind, RDMAEV_KIND_ASYNC);
			if (next)
				ASSERT_EQ(self->ev[i].seq, next);
			next = self->ev[i].seq + 1;
		}
		got += n;
	}
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), -1);
	EXPECT_EQ(errno, EAGAIN);
}

/* More than is kept: the loss is reported, and nothing else. */
TEST_F(nl, losses)
{
	uint64_t delivered = 0, lost = 0, total;
	struct rdmaev_info info;
	ssize_t n, i;

	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	total = info.ring_records + 100;
	ASSERT_EQ(test_events(10), 10);
	/*
	 * Some records are there, and a dump is in progress, when it happens.
	 */
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 3), 3);
	ASSERT_EQ(test_events(total - 10), total - 10);
	delivered = 3;
	while ((n = rdmaev_read(self->h, self->ev, 64)) > 0) {
		for (i = 0; i < n; i++) {
			if (self->ev[i].kind == RDMAEV_KIND_LOST)
				lost += self->ev[i].body.lost.count;
			else
				delivered++;
		}
	}
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_GT(lost, 0);
	EXPECT_EQ(delivered + lost, total);
	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	EXPECT_EQ(info.lost, lost);
	EXPECT_EQ(info.position, info.newest_seq + 1);
}

/*
 * Messages may come late, also those of the previous test, and wake without a
 * record; a read takes them.
 */
static int becomes_quiet(struct rdmaev *h)
{
	uint64_t end = now_ms() + SOON_MS;

	while (now_ms() < end) {
		if (!is_readable(h, 100))
			return 1;
		if (rdmaev_wait(h, 0))
			return 0;
	}
	return 0;
}

/* The descriptor is readable for these reasons, besides multicast messages. */
TEST_F_TIMEOUT(nl, readable, 60)
{
	uint64_t start;
	int n;

	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(test_events(3), 3);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 3);
	EXPECT_TRUE(becomes_quiet(self->h));

	EXPECT_GT(rdmaev_seek(self->h, self->ev[1].seq, SEEK_SET), 0);
	EXPECT_TRUE(is_readable(self->h, 0));
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 1), 1);
	EXPECT_TRUE(is_readable(self->h, 0));
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_TRUE(becomes_quiet(self->h));

	/* A delay that is over, and one that is not */
	ASSERT_EQ(rdmaev_set_wakeup(self->h, 3, 400000), 0);
	start = now_ms();
	ASSERT_EQ(test_events(1), 1);
	EXPECT_TRUE(is_readable(self->h, SOON_MS));
	n = rdmaev_wait(self->h, 0);
	EXPECT_TRUE(!n || now_ms() - start >= 200);
	EXPECT_EQ(rdmaev_wait(self->h, SOON_MS * MS), 1);
	/* Jiffies may catch up with the clock in the middle. */
	EXPECT_GE(now_ms() - start, 200);
	EXPECT_TRUE(is_readable(self->h, 0));
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), 1);
	EXPECT_TRUE(becomes_quiet(self->h));
}

/*
 * A filter applies to records not delivered yet, including those in the
 * library.
 */
TEST_F(nl, filter_with_records_left)
{
	struct rdmaev_filter f;
	struct rdmaev_info info;

	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(test_events(20), 20);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 5), 5);
	ASSERT_EQ(rdmaev_info(self->h, &info), 0);
	EXPECT_EQ(info.position, self->ev[4].seq + 1);
	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_DEVICE;
	ASSERT_EQ(rdmaev_set_filter(self->h, &f), 0);
	EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_CUR),
		  (int64_t)self->ev[4].seq + 1);
	EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), -1);
	EXPECT_EQ(errno, EAGAIN);
	/* A refused filter changes nothing. */
	ASSERT_EQ(rdmaev_seek(self->h, -20, SEEK_END), info.newest_seq - 19);
	ASSERT_EQ(test_events_only(self->h), 0);
	ASSERT_EQ(rdmaev_read(self->h, self->ev, 5), 5);
	f.kinds = 1U << 31;
	ASSERT_EQ(rdmaev_set_filter(self->h, &f), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_read(self->h, self->ev + 5, 59), 15);
	EXPECT_EQ(self->ev[5].seq, self->ev[4].seq + 1);
}

/* As in a container: without the node */
TEST_F(nl, chosen_without_node)
{
	char path[64], name[64] = "";
	struct rdmaev *h;

	ASSERT_EQ(unshare(CLONE_NEWNS), 0);
	ASSERT_EQ(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	h = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ASSERT_NE(h, NULL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rdmaev_fd(h));
	ASSERT_GT(readlink(path, name, sizeof(name) - 1), 0);
	EXPECT_STREQ(name, RDMAEV_NODE);
	rdmaev_close(h);

	ASSERT_EQ(mount("none", "/dev/infiniband", "tmpfs", 0, NULL), 0);
	errno = 0;
	EXPECT_EQ(rdmaev_open(RDMAEV_NODE, RDMAEV_NONBLOCK), NULL);
	EXPECT_EQ(errno, ENOENT);
	h = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	ASSERT_NE(h, NULL);
	ASSERT_EQ(test_events_only(h), 0);
	ASSERT_EQ(test_events(2), 2);
	EXPECT_EQ(rdmaev_wait(h, SOON_MS * MS), 1);
	EXPECT_EQ(rdmaev_read(h, self->ev, 64), 2);
	EXPECT_STREQ(self->ev[1].device_name, "sim0");
	rdmaev_close(h);
}

/* An unprivileged user gets devices and ports, and is woken for them. */
static int watch_as_nobody(int ready)
{
	struct rdmaev_record ev[64];
	struct rdmaev *h;
	ssize_t n, i;

	if (setgid(65534) || setuid(65534))
		return 2;
	h = rdmaev_open(NULL, RDMAEV_NETLINK);
	if (!h)
		return 3;
	if (rdmaev_seek(h, 0, SEEK_SET) < 0)
		return 4;
	/* Records of QPs exist, and only some readers get them. */
	do {
		if (rdmaev_wait(h, 0) != 1)
			return 5;
		n = rdmaev_read(h, ev, 64);
		for (i = 0; i < n; i++) {
			if (ev[i].object_type >= RDMAEV_OBJECT_QP)
				return 6;
		}
	} while (n == 64);
	while (!rdmaev_wait(h, 100 * MS) && write(ready, "", 1) == 1) {
		if (!is_readable(h, SOON_MS))
			return 7;
		if (rdmaev_read(h, ev, 1) != 1)
			return 8;
		return ev[0].kind == RDMAEV_KIND_ASYNC &&
		       ev[0].code == TEST_EVENT ? 0 : 9;
	}
	return 10;
}

TEST_F(nl, unprivileged)
{
	int status, ready[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(pipe(ready), 0);
	ASSERT_EQ(rdmaev_seek(self->h, 0, SEEK_SET) > 0, 1);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		close(ready[0]);
		_exit(watch_as_nobody(ready[1]));
	}
	close(ready[1]);
	EXPECT_EQ(read(ready[0], &byte, 1), 1);
	EXPECT_EQ(test_events(1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_TRUE(WIFEXITED(status));
}

/*
 * An open handle does not keep the module loaded. A waiting reader gets an
 * error when it is unloaded, and the handle does not work with another
 * instance.
 */
static void *wait_for_end(void *arg)
{
	return (void *)(long)(rdmaev_wait(arg, -1) < 0 ? errno : 0);
}

TEST_F(nl, unloaded)
{
	struct rdmaev_device list[8];
	struct rdmaev_info info;
	pthread_t thread;
	void *error;
	int i;

	if (!can_reload())
		SKIP(return, NO_RELOAD);
	ASSERT_EQ(test_events_only(self->h), 0);
	rdmaev_close(self->node);
	self->node = NULL;
	sh("rmmod rdmaev_ulp 2>/dev/null");
	ASSERT_EQ(put(GEN_REPORT, "0"), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, wait_for_end, self->h), 0);
	sleep_ms(200);
	ASSERT_EQ(sh("rmmod rdmaev"), 0);
	ASSERT_EQ(pthread_join(thread, &error), 0);
	EXPECT_EQ((long)error, ENODEV);
	EXPECT_EQ(rdmaev_open(NULL, 0), NULL);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(rdmaev_open(NULL, RDMAEV_NETLINK), NULL);
	EXPECT_EQ(errno, ENOENT);
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(is_readable(self->h, 0));
		EXPECT_EQ(rdmaev_wait(self->h, -1), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_EQ(rdmaev_read(self->h, self->ev, 64), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_EQ(rdmaev_info(self->h, &info), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_EQ(rdmaev_devices(self->h, list, 8, 0, NULL), -1);
		EXPECT_EQ(errno, ENODEV);
		EXPECT_EQ(rdmaev_seek(self->h, 0, SEEK_SET), -1);
		EXPECT_EQ(errno, ENODEV);
		if (!i)
			ASSERT_EQ(sh("insmod $RDMAEV_TOP/kmod/rdmaev.ko"), 0);
	}
	self->node = rdmaev_open(NULL, RDMAEV_NETLINK | RDMAEV_NONBLOCK);
	ASSERT_NE(self->node, NULL);
	EXPECT_EQ(rdmaev_info(self->node, &info), 0);
}

TEST_HARNESS_MAIN
