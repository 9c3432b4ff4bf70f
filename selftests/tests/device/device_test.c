// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices that are added, removed, renamed and moved; readers that wait
 * meanwhile; access to their records.
 */
#include <grp.h>
#include <poll.h>
#include <sys/epoll.h>

#include "common.h"
#include "kselftest_harness.h"
#include "netns.h"

FIXTURE(node) {
	int fd;
};

FIXTURE_SETUP(node)
{
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_DEVICE), 0);
}

FIXTURE_TEARDOWN(node)
{
	close(self->fd);
	rdma_del("dev0");
	rdma_del("dev1");
	netdev_del("dev0_d");
	netns_undo();
}

static int next(int fd, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, SOON_MS) == 1 &&
	       read(fd, rec, sizeof(*rec)) == sizeof(*rec);
}

TEST_F(node, devices_and_ports)
{
	struct {
		struct rdmaev_device device;
		char more[24];
	} dev[8];
	struct rdmaev_devices devs = {
		.size = sizeof(devs),
		.entry_size = sizeof(dev[0]),
		.entries = (uintptr_t)dev,
	};
	struct rdmaev_port port[8];
	struct rdmaev_ports ports = {
		.size = sizeof(ports),
		.entry_size = sizeof(port[0]),
		.entries = (uintptr_t)port,
		.count = 8,
	};
	struct rdmaev_info info;

	ASSERT_EQ(rxe_add("dev0"), 0);
	/* Number of entries, without room for any */
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &devs), 0);
	ASSERT_EQ(devs.count, 1);

	/* Entries of a newer program: unknown fields are zero. */
	memset(dev, 0xff, sizeof(dev));
	devs.count = 8;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &devs), 0);
	ASSERT_EQ(devs.count, 1);
	info = get_info(self->fd);
	EXPECT_EQ(devs.seq, info.newest_seq);
	EXPECT_STREQ(dev[0].device.name, "dev0");
	EXPECT_EQ(dev[0].device.ports, 1);
	EXPECT_EQ(dev[0].device.node_type, 1);
	EXPECT_NE(dev[0].device.node_guid, 0);
	EXPECT_NE(dev[0].device.generation, 0);
	EXPECT_LE(dev[0].device.since_ns, now_ms() * 1000000 + 1000000);
	EXPECT_EQ(dev[0].device.flags, 0);
	EXPECT_EQ(dev[0].more[0], 0);
	EXPECT_EQ(dev[0].more[23], 0);
	EXPECT_EQ((unsigned char)dev[1].device.name[0], 0xff);

	ports.device = dev[0].device.index;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PORTS, &ports), 0);
	ASSERT_EQ(ports.count, 1);
	EXPECT_EQ(port[0].device, dev[0].device.index);
	EXPECT_EQ(port[0].generation, dev[0].device.generation);
	EXPECT_EQ(port[0].port, 1);
	EXPECT_EQ(port[0].link_layer, 2);
	EXPECT_EQ(port[0].protocols, RDMAEV_PROTOCOL_ROCE);
	EXPECT_EQ(port[0].state, 4);
	EXPECT_EQ(port[0].phys_state, 5);
	EXPECT_EQ(port[0].outages, 0);
	EXPECT_GT(port[0].gids, 0);
	EXPECT_GT(port[0].pkeys, 0);

	ASSERT_EQ(rxe_del("dev0"), 0);
	devs.count = 8;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &devs), 0);
	EXPECT_EQ(devs.count, 0);
	devs.count = 0;
	devs.flags = RDMAEV_DEVICES_REMOVED;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &devs), 0);
	EXPECT_GE(devs.count, 1);
}

TEST_F(node, add_rename_remove)
{
	struct rdmaev_record add, ren, rem, again;

	ASSERT_EQ(rxe_add("dev0"), 0);
	ASSERT_TRUE(next(self->fd, &add));
	EXPECT_EQ(add.code, RDMAEV_DEVICE_ADD);
	EXPECT_EQ(add.port, RDMAEV_NO_PORT);
	EXPECT_EQ(add.object_type, RDMAEV_OBJECT_DEVICE);
	EXPECT_EQ(add.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(add.source, RDMAEV_SOURCE_RDMAEV);
	EXPECT_EQ(add.ring, RDMAEV_RING_PORT);
	EXPECT_EQ(add.device, device_index(self->fd, "dev0"));
	EXPECT_STREQ(add.device_name, "dev0");
	EXPECT_NE(add.body.device.node_guid, 0);

	ASSERT_EQ(sh("rdma dev set dev0 name dev1"), 0);
	ASSERT_TRUE(next(self->fd, &ren));
	EXPECT_EQ(ren.code, RDMAEV_DEVICE_RENAME);
	EXPECT_EQ(ren.device, add.device);
	EXPECT_EQ(ren.generation, add.generation);
	EXPECT_STREQ(ren.device_name, "dev1");
	EXPECT_EQ(device_index(self->fd, "dev1"), add.device);

	ASSERT_EQ(sh("rdma link del dev1"), 0);
	ASSERT_TRUE(next(self->fd, &rem));
	EXPECT_EQ(rem.code, RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(rem.generation, add.generation);
	EXPECT_STREQ(rem.device_name, "dev1");
	EXPECT_EQ(device_index(self->fd, "dev1"), -1);

	ASSERT_EQ(sh("rdma link add dev0 type rxe netdev dev0_d"), 0);
	ASSERT_TRUE(next(self->fd, &again));
	EXPECT_EQ(again.code, RDMAEV_DEVICE_ADD);
	EXPECT_GT(again.generation, add.generation);
}

/* A name of the maximum length is complete in the list and in the record. */
TEST_F(node, long_name)
{
	char name[64];
	struct rdmaev_record rec;

	memset(name, 'x', 63);
	name[63] = 0;
	ASSERT_EQ(rxe_add("dev0"), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	if (sh("rdma dev set dev0 name %s", name)) {
		/* The tool may accept shorter names than the kernel. */
		name[60] = 0;
		ASSERT_EQ(sh("rdma dev set dev0 name %s", name), 0);
	}
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_STREQ(rec.device_name, name);
	EXPECT_EQ(device_index(self->fd, name), rec.device);
	EXPECT_EQ(sh("rdma link del %s", name), 0);
}

/* Readers in read, poll and epoll keep waiting when a device is removed. */
TEST_F(node, removal_under_readers)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int i, status, bad = 0;
	char c;
	int p[2];

	ASSERT_EQ(rxe_add("dev0"), 0);
	ASSERT_EQ(pipe(p), 0);
	for (i = 0; i < 3; i++) {
		if (!fork()) {
			int fd = open_node(i ? O_NONBLOCK : 0);
			int ep = epoll_create1(0);
			struct pollfd pfd = { .fd = fd, .events = POLLIN };
			struct rdmaev_record rec;

			filter_test_events(fd);
			epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
			if (write(p[1], "x", 1) != 1)
				_exit(2);
			if (i == 1 && poll(&pfd, 1, SOON_MS) != 1)
				_exit(3);
			if (i == 2 && epoll_wait(ep, &ev, 1, SOON_MS) != 1)
				_exit(4);
			if (read(fd, &rec, sizeof(rec)) != sizeof(rec))
				_exit(5);
			_exit(rec.code != TEST_EVENT);
		}
		ASSERT_EQ(read(p[0], &c, 1), 1);
	}
	sleep_ms(300);
	/* Nothing that a reader does holds up the removal, which would not end. */
	ASSERT_EQ(sh("rdma link del dev0"), 0);
	sleep_ms(300);
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), 0);
	ASSERT_EQ(rdma_add("dev0", "rxe", "dev0_d"), 0);
	ASSERT_EQ(gen("process", "dev0", TEST_EVENT, 1, 1), 1);
	for (i = 0; i < 3; i++) {
		wait(&status);
		bad |= status;
	}
	EXPECT_EQ(bad, 0);
}

TEST_F_TIMEOUT(node, removal_under_events, 240)
{
	int i, j;

	for (i = 0; i < 6; i++) {
		pid_t pid;

		if (!i)
			ASSERT_EQ(netdev_add_dummy("dev0_d"), 0);
		ASSERT_EQ(netdev_set("dev0_d", 1), 0);
		ASSERT_EQ(rdma_add("dev0", "rxe", "dev0_d"), 0);
		pid = fork();
		if (!pid) {
			for (j = 1; j < 6; j++) {
				/* The interface keeps its addresses. */
				if (!i)
					sh("ip addr add 10.1.0.%d/24 dev dev0_d", j);
				netdev_set("dev0_d", 0);
				netdev_set("dev0_d", 1);
			}
			_exit(0);
		}
		usleep(i * 5000);
		EXPECT_EQ(sh("rdma link del dev0"), 0);
		waitpid(pid, NULL, 0);
	}
}

/* Open the node in another network namespace. */
static int open_as(int uid)
{
	int fd, err;

	if (setegid(uid) || seteuid(uid))
		return -2;
	fd = open_node(O_NONBLOCK);
	err = errno;
	if (seteuid(0) || setegid(0))
		return -2;
	errno = err;
	return fd;
}

static int open_in(const char *netns, int uid)
{
	int fd, there = netns_open(netns), here = netns_enter(there);

	close(there);
	if (here < 0)
		return -1;
	fd = open_as(uid);
	netns_leave(here);
	return fd;
}

static int count_device(int fd, long index)
{
	struct rdmaev_record rec;
	int n = 0;

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
		n += rec.device == (uint32_t)index && rec.generation;
	return n;
}

TEST_F(node, namespaces_share)
{
	long index;
	int fd;

	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other", 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(rxe_add("dev0"), 0);
	index = device_index(self->fd, "dev0");
	EXPECT_EQ(device_index(fd, "dev0"), index);
	sleep_ms(300);
	EXPECT_GT(count_device(fd, index), 0);
	close(fd);
}

TEST_F(node, namespaces_exclude)
{
	struct rdmaev_ports ports = {
		.size = sizeof(ports),
		.entry_size = sizeof(struct rdmaev_port),
	};
	struct rdmaev_record rec, rem;
	long index;
	int fd;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other", 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(rxe_add("dev0"), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	ASSERT_EQ(rec.code, RDMAEV_DEVICE_ADD);
	index = rec.device;
	ASSERT_EQ(gen("process", "dev0", TEST_EVENT, 1, 5), 5);
	EXPECT_EQ(device_index(fd, "dev0"), -1);
	ports.device = index;
	EXPECT_EQ(ioctl(fd, RDMAEV_IOC_PORTS, &ports), -1);
	EXPECT_EQ(errno, ENODEV);
	EXPECT_EQ(count_device(fd, index), 0);
	ASSERT_EQ(lseek(fd, rec.seq, SEEK_SET), rec.seq);
	EXPECT_EQ(count_device(fd, index), 0);

	/* A removed device is as invisible as it was there. */
	ASSERT_EQ(rxe_del("dev0"), 0);
	ASSERT_TRUE(next(self->fd, &rem));
	EXPECT_EQ(rem.code, RDMAEV_DEVICE_REMOVE);
	ASSERT_EQ(lseek(fd, rec.seq, SEEK_SET), rec.seq);
	EXPECT_EQ(count_device(fd, index), 0);
	close(fd);
}

/* A namespace ends and gives its devices back, also while it has readers. */
TEST_F(node, namespace_is_not_held)
{
	int fd;

	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other", 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(sh("ip netns del other"), 0);
	/* The kernel refuses while there is another namespace. */
	EXPECT_EQ(netns_mode("exclusive"), 0);
	EXPECT_EQ(rxe_add("dev0"), 0);
	EXPECT_EQ(device_index(fd, "dev0"), -1);
	close(fd);
}

#define NOBODY 65534
#define SIM "/sys/kernel/debug/rdmaev_sim"

TEST_F(node, permission)
{
	long index;
	int fd, ret;

	/* All users: device and port facts, no affiliated events of others. */
	fd = open_as(NOBODY);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(rxe_add("dev0"), 0);
	index = device_index(fd, "dev0");
	EXPECT_GE(index, 0);
	sleep_ms(300);
	EXPECT_GT(count_device(fd, index), 0);
	ret = gen("process", "dev0", 15, 1, 3);
	EXPECT_EQ(ret, 3);
	EXPECT_EQ(count_device(fd, index), 0);
	ret = gen("process", "dev0", 13, 1, 3);
	EXPECT_EQ(ret, 3);
	EXPECT_EQ(count_device(fd, index), 3);
	close(fd);
}

/* Every user is the administrator of a user namespace of their own. */
TEST_F(node, user_namespace)
{
	int ready[2], go[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(rxe_add("dev0"), 0);
	ASSERT_EQ(pipe(ready), 0);
	ASSERT_EQ(pipe(go), 0);
	pid = fork();
	if (!pid) {
		long index;
		int fd;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(100);
		fd = open_node(O_NONBLOCK);
		index = device_index(fd, "dev0");
		if (fd < 0 || index < 0)
			_exit(101);
		if (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(102);
		_exit(count_device(fd, index));
	}
	ASSERT_EQ(read(ready[0], &c, 1), 1);
	ASSERT_EQ(gen("process", "dev0", 15, 1, 3), 3);
	ASSERT_EQ(gen("process", "dev0", 8, 0, 2), 2);
	ASSERT_EQ(write(go[1], "x", 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	/* The device and its ports, but no objects of others */
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 2);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

/* Number of records of devices that can be read */
static int count_devices(int fd)
{
	struct rdmaev_record rec;
	int n = 0;

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
		n += rec.kind == RDMAEV_KIND_DEVICE;
	return n;
}

/*
 * More devices were removed than are kept: their records are still delivered to the
 * administrator; those of the kept ones to everybody.
 */
TEST_F_TIMEOUT(node, many_gone, 120)
{
	uint64_t start;
	int fd, all, i;

	fd = open_as(NOBODY);
	ASSERT_GE(fd, 0);
	all = open_node(O_NONBLOCK);
	ASSERT_GE(all, 0);
	start = get_info(fd).newest_seq;
	for (i = 0; i < RDMAEV_REMOVED_KEPT + 16; i++) {
		char text[16];

		snprintf(text, sizeof(text), "gone%d 1", i);
		ASSERT_EQ(put(SIM "/create", text), 0);
		*strchr(text, ' ') = '\0';
		ASSERT_EQ(put(SIM "/destroy", text), 0);
	}
	EXPECT_EQ(count_devices(fd), 2 * RDMAEV_REMOVED_KEPT);
	EXPECT_EQ(count_devices(all), 2 * (RDMAEV_REMOVED_KEPT + 16));
	EXPECT_EQ(get_info(fd).newest_seq - start, 2 * (RDMAEV_REMOVED_KEPT + 16));
	close(all);
	close(fd);
}

/* In exclusive mode, only devices of one's own namespace, without privileges */
TEST_F(node, permission_and_namespaces)
{
	long index;
	int in, out;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	in = open_as(NOBODY);
	out = open_in("other", NOBODY);
	ASSERT_GE(in, 0);
	ASSERT_GE(out, 0);
	ASSERT_EQ(rxe_add("dev0"), 0);
	index = device_index(self->fd, "dev0");
	EXPECT_EQ(device_index(in, "dev0"), index);
	EXPECT_EQ(device_index(out, "dev0"), -1);
	ASSERT_EQ(gen("process", "dev0", 13, 1, 3), 3);
	EXPECT_GT(count_device(in, index), 0);
	EXPECT_EQ(count_device(out, index), 0);
	close(in);
	close(out);
}

TEST_HARNESS_MAIN
