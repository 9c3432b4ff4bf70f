// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Removed devices: how they are listed, and who sees their records.
 */
#include <sched.h>

#include "sim.h"

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
		.port = RDMAEV_NO_PORT,
	};

	ASSERT_EQ(churn(RDMAEV_REMOVED_KEPT + EVICTED), 0);
	EXPECT_EQ(listed(self->fd), RDMAEV_REMOVED_KEPT);
	/* ADD and REMOVE of each. */
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	EXPECT_EQ(req.count, 2 * RDMAEV_REMOVED_KEPT);
}

/*
 * The records of a removed device are visible to those who saw the device, as long as
 * it is kept.
 */
TEST_F_TIMEOUT(removed, records, 120)
{
	uint64_t seq = get_info(self->fd).newest_seq + 1, last;
	struct rdmaev_record rec;
	unsigned int n = 0;

	ASSERT_EQ(netns_mode("shared"), 0);
	ASSERT_EQ(churn(EVICTED), 0);
	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(churn(EVICTED), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED);
	ASSERT_EQ(netns_mode("shared"), 0);
	EXPECT_EQ(seen_elsewhere(seq, -1), EVICTED);
	last = get_info(self->fd).newest_seq;
	/* Each new one evicts an old one. */
	ASSERT_EQ(churn(RDMAEV_REMOVED_KEPT - EVICTED - EVICTED / 2), 0);
	EXPECT_EQ(seen_elsewhere(seq, last), EVICTED - EVICTED / 2);
	ASSERT_EQ(churn(EVICTED), 0);
	EXPECT_EQ(seen_elsewhere(seq, last), 0);

	/* An administrator of the host, in the first namespace, sees all. */
	ASSERT_GT(lseek(self->fd, seq, SEEK_SET), 0);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		n += rec.seq <= last && rec.kind == RDMAEV_KIND_DEVICE &&
		     rec.code == RDMAEV_DEVICE_REMOVE;
	EXPECT_EQ(n, 2 * EVICTED);
}

TEST_HARNESS_MAIN
