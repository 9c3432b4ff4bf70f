// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Removed devices, and devices while they are being removed: how they are
 * listed, and who sees the records of a removed device of which little is kept.
 */
#include <sched.h>

#include "sim.h"

/* Evicted devices for which the kernel still knows who may see them */
#define EVICTED_KEPT	2048

/* Removed devices beyond those that are kept completely */
#define EVICTED		20

FIXTURE(removed) {
	int fd;
};

FIXTURE_SETUP(removed)
{
	sim_destroy("sim0");
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(removed)
{
	close(self->fd);
	sim_destroy("sim0");
	netns_undo();
}

/* Add and remove it @n times. */
static int churn(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (sim_create("sim0", 1) || sim_destroy("sim0"))
			return -1;
	}
	return 0;
}

/* Number of removed devices in the list; -1: the list is wrong. */
static int listed(int fd)
{
	static struct rdmaev_device list[4 * RDMAEV_REMOVED_KEPT];
	struct rdmaev_devices req = {
		.size = sizeof(req),
		.flags = RDMAEV_DEVICES_REMOVED,
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
	};
	unsigned int i, n = 0;

	if (ioctl(fd, RDMAEV_IOC_DEVICES, &req) || req.count > ARRAY_SIZE(list))
		return -1;
	for (i = 0; i < req.count; i++) {
		if (list[i].flags != RDMAEV_DEVICE_FLAG_REMOVED)
			continue;
		n++;
		if (i && list[i].generation <= list[i - 1].generation)
			return -1;
	}
	return n;
}

/*
 * Number of REMOVE records from @seq to @last that an administrator of the host
 * gets in another network namespace; -1: something failed.
 */
static int seen_elsewhere(uint64_t seq, uint64_t last)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct rdmaev_record rec;
		unsigned int n = 0;
		int fd;

		if (unshare(CLONE_NEWNET))
			_exit(255);
		fd = open_node(O_NONBLOCK);
		if (fd < 0 || lseek(fd, seq, SEEK_SET) < 0)
			_exit(255);
		while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
			n += rec.seq <= last && rec.kind == RDMAEV_KIND_DEVICE &&
			     rec.code == RDMAEV_DEVICE_REMOVE;
		_exit(n < 255 ? n : 254);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 255)
		return -1;
	return WEXITSTATUS(status);
}

TEST_F_TIMEOUT(removed, only_the_last_are_kept, 120)
{
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.flags = RDMAEV_COUNTERS_REMOVED,
		.entry_size = sizeof(struct rdmaev_counter),
		.device = RDMAEV_ANY,
		.port = 0,
	};

	ASSERT_EQ(churn(RDMAEV_REMOVED_KEPT + EVICTED), 0);
	EXPECT_EQ(listed(self->fd), RDMAEV_REMOVED_KEPT);
	/* ADD and REMOVE of each. */
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	EXPECT_EQ(req.count, 2 * RDMAEV_REMOVED_KEPT);
}

/*
 * The records of a mostly evicted device are visible to those who saw the
 * device.
 */
TEST_F_TIMEOUT(removed, records_of_evicted_ones, 120)
{
	uint64_t seq = get_info(self->fd).newest_seq + 1;

	ASSERT_EQ(netns_mode("shared"), 0);
	ASSERT_EQ(churn(EVICTED), 0);
	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(churn(EVICTED), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED);
	ASSERT_EQ(netns_mode("shared"), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED);
	/* Now less is kept of it. */
	ASSERT_EQ(churn(RDMAEV_REMOVED_KEPT), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED + RDMAEV_REMOVED_KEPT);
	ASSERT_EQ(netns_mode("exclusive"), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED + RDMAEV_REMOVED_KEPT);
}

/*
 * Start a child that runs a command of the simulated device or the generator.
 */
static pid_t in_background(int destroy)
{
	pid_t pid = fork();

	if (!pid)
		_exit(destroy ? sim_destroy("sim0") :
		      gen("hold", "sim0", 0, 1, 100000) < 0);
	return pid;
}

/* Another client delays the removal: the device is not shown as ACTIVE. */
TEST_F_TIMEOUT(removed, not_active_while_it_is_being_removed, 60)
{
	struct rdmaev_device dev;
	struct rdmaev_port ports[2];
	pid_t hold, destroy;
	int i;

	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.flags, 0);
	ASSERT_EQ(snapshot(self->fd, dev.index, ports, 2), 2);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
	EXPECT_EQ(ports[1].flags, 0);

	hold = in_background(0);
	sleep_ms(1000);
	destroy = in_background(1);
	for (i = 0; i < 500 && !sh("rdma dev | grep -qw sim0"); i++)
		sleep_ms(10);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.flags, RDMAEV_DEVICE_FLAG_REMOVING);
	ASSERT_EQ(snapshot(self->fd, dev.index, ports, 2), 2);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ports[i].flags, RDMAEV_PORT_FLAG_REMOVING);
		EXPECT_EQ(ports[i].state, 0);
	}
	kill(hold, SIGKILL);
	waitpid(hold, NULL, 0);
	EXPECT_EQ(join_child(destroy, 30000), 0);
	EXPECT_FALSE(find_device(self->fd, "sim0", &dev));
}

/*
 * What is kept of evicted devices is bounded. This test is the last one because
 * it reloads rdmaev: the core then removes rdmaev from a device before other
 * clients.
 */
TEST_F_TIMEOUT(removed, forgotten_ones_are_hidden, 600)
{
	struct rdmaev_record rec;
	uint64_t seq, last, begin;
	unsigned int n = 0;

	if (slowness() > 1)
		SKIP(return, "takes too long on a kernel with checkers");
	if (!can_reload())
		SKIP(return, NO_RELOAD);
	/* A log that has room for all of them */
	close(self->fd);
	ASSERT_EQ(sh("rmmod rdmaev && insmod $RDMAEV_TOP/kmod/rdmaev.ko records=32768"), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);

	seq = get_info(self->fd).newest_seq + 1;
	ASSERT_EQ(churn(EVICTED), 0);
	last = get_info(self->fd).newest_seq;
	begin = now_ms();
	ASSERT_EQ(churn(EVICTED_KEPT - EVICTED), 0);
	fprintf(stderr, "# %llu ms for %u\n", (unsigned long long)(now_ms() - begin),
		EVICTED_KEPT - EVICTED);
	EXPECT_EQ(seen_elsewhere(seq, last), EVICTED);
	/* Each new one evicts an old one. */
	ASSERT_EQ(churn(EVICTED / 2), 0);
	EXPECT_EQ(seen_elsewhere(seq, last), EVICTED - EVICTED / 2);
	ASSERT_EQ(churn(EVICTED), 0);
	EXPECT_EQ(seen_elsewhere(seq, last), 0);
	EXPECT_EQ(listed(self->fd), RDMAEV_REMOVED_KEPT);

	/* An administrator of the host, in the first namespace, sees all. */
	ASSERT_GT(lseek(self->fd, seq, SEEK_SET), 0);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		n += rec.kind == RDMAEV_KIND_DEVICE && rec.code == RDMAEV_DEVICE_REMOVE;
	EXPECT_EQ(n, EVICTED_KEPT + EVICTED / 2 + EVICTED);
}

TEST_HARNESS_MAIN
