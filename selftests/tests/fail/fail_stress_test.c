// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocations that fail at random, in work items and in readers, under load:
 * records are in order and losses exact, and failed work is done later. See
 * fail.h.
 */
#include <poll.h>
#include <rdmaev.h>
#include <signal.h>

#include "fail.h"
#include "kselftest_harness.h"

#define ROUNDS		10		/* add and remove a device */
#define BURST		50		/* events of each */

/* GIDs of a simulated port */
#define GIDS		8

FIXTURE(fail) {
	int fd;
};

FIXTURE_SETUP(fail)
{
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	/* The query of a new device */
	sleep_ms(300);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(fail)
{
	fail_off();
	close(self->fd);
	sim_destroy("sim1");
	sim_destroy("sim0");
}

/*
 * The first query of a port failed, so its tables are allocated at the next
 * one; if memory is missing then, this is repeated until there is some.
 */
TEST_F_TIMEOUT(fail, look, 120)
{
	struct rdmaev_port ports[2];
	struct rdmaev_device dev;
	int tries;

	close(self->fd);
	ASSERT_EQ(sh("rmmod rdmaev"), 0);
	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(sh("insmod $RDMAEV_TOP/kmod/rdmaev.ko"), 0);
	/* Longer than queries are repeated */
	sleep_ms(1500);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	ASSERT_EQ(snapshot(self->fd, dev.index, ports, 2), 2);
	ASSERT_EQ(ports[0].gids, 0);

	ASSERT_EQ(fail_in_work("100"), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	sleep_ms(300);
	ASSERT_EQ(snapshot(self->fd, dev.index, ports, 2), 2);
	EXPECT_EQ(ports[0].gids, 0);
	fail_off();
	for (tries = 0; tries < 100 && !ports[0].gids; tries++) {
		sleep_ms(100);
		ASSERT_EQ(snapshot(self->fd, dev.index, ports, 2), 2);
	}
	EXPECT_EQ(ports[0].gids, GIDS);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE);
}

/**
 * struct account - the records that a reader has got
 * @first: seq of the first one
 * @last: seq of the last one
 * @count: records, delivered or reported lost
 */
struct account {
	uint64_t first;
	uint64_t last;
	uint64_t count;
};

static int take(struct account *a, const struct rdmaev_record *rec)
{
	uint64_t count = 1;

	if (rec->kind == RDMAEV_KIND_LOST)
		count = rec->body.lost.count;
	if (rec->seq <= a->last)
		return -1;
	a->last = rec->seq;
	a->count += count;
	return 0;
}

/*
 * Read up to the last record, whatever fails. Exit status 0: all records came,
 * each once and in order; an errno that read() must not return; or one of
 * these.
 */
enum { NO_READER = 200, NO_ORDER, NO_SUM };

static void reader(unsigned int flags, uint64_t first, int pipe_fd)
{
	struct account a = { .first = first, .last = first - 1 };
	struct rdmaev_record ev[32];
	struct rdmaev *h = NULL;
	uint64_t end = 0;
	ssize_t i, n;

	/* Failures begin later: the sweeps test opening. */
	h = rdmaev_open(NULL, RDMAEV_NONBLOCK | flags);
	if (!h || rdmaev_seek(h, first, SEEK_SET) != (int64_t)first)
		_exit(NO_READER);
	put("/proc/self/make-it-fail", "1");
	while (!end || a.last < end) {
		struct pollfd p = { .fd = rdmaev_fd(h), .events = POLLIN };

		if (!end && read(pipe_fd, &end, sizeof(end)) != sizeof(end))
			end = 0;
		errno = 0;
		n = rdmaev_read(h, ev, 32);
		if (n < 0 && errno == EAGAIN)
			poll(&p, 1, 100);
		else if (n < 0 && !is_shortage(errno))
			_exit(errno);
		for (i = 0; i < n; i++) {
			if (take(&a, &ev[i]))
				_exit(NO_ORDER);
		}
	}
	_exit(a.count == a.last - a.first + 1 ? 0 : NO_SUM);
}

static pid_t start_reader(unsigned int flags, uint64_t first, int *pipe_fd)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		alarm(600);
		reader(flags, first, fds[0]);
	}
	close(fds[0]);
	*pipe_fd = fds[1];
	return pid;
}

/*
 * Events on both CPUs until it is killed: straight to the handlers, and by the
 * core.
 */
static pid_t start_events(const char *mode)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	/* gen() prints a message when a file cannot be opened. */
	if (!freopen("/dev/null", "w", stderr))
		_exit(1);
	if (!strcmp(mode, "dispatch"))
		put("/proc/self/make-it-fail", "1");
	for (;;) {
		gen(mode, "sim0", TEST_EVENT, 1, BURST);
		sim_event("sim0", PORT_ERR, 1);
		sleep_ms(10);
	}
}

TEST_F_TIMEOUT(fail, stress, 600)
{
	unsigned int flags[] = { 0, RDMAEV_NETLINK, 0 };
	pid_t events[2], readers[3];
	unsigned int i, made = 0;
	uint64_t start, end;
	int pipes[3], status;

	start = get_info(self->fd).newest_seq + 1;
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		readers[i] = start_reader(flags[i], start, &pipes[i]);
	events[0] = start_events("process");
	events[1] = start_events("dispatch");
	ASSERT_EQ(fail_in_work("5"), 0);
	for (i = 0; i < ROUNDS; i++) {
		/*
		 * One allocation fails in each creation, a later one each time.
		 */
		fail_nth(50 * (i + 1));
		made += !sim_create("sim1", 2);
		fail_nth(0);
		set(1, "state", i & 1 ? "4" : "1");
		sim_event("sim1", PORT_ACTIVE, 1);
		sim_destroy("sim1");
	}
	fail_off();
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		kill(events[i], SIGKILL);
		waitpid(events[i], NULL, 0);
	}
	/* Wait for due queries of ports. */
	sleep_ms(1000);
	end = get_info(self->fd).newest_seq;
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		ASSERT_EQ(write(pipes[i], &end, sizeof(end)), sizeof(end));
		ASSERT_EQ(waitpid(readers[i], &status, 0), readers[i]);
		EXPECT_EQ(WTERMSIG(status), 0);
		EXPECT_EQ(WEXITSTATUS(status), 0);
	}
	printf("# %llu records, %u of %u devices made\n",
	       (unsigned long long)(end - start + 1), made, ROUNDS);
	fflush(stdout);
	EXPECT_GT(made, 0);
	EXPECT_GT(end - start, ROUNDS * BURST);
}

TEST_HARNESS_MAIN
