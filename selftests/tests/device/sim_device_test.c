// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * InfiniBand devices, simulated by rdmaev_sim: their description, and their
 * removal or move while events are on their way.
 */
#include "netns.h"
#include "sim_ib.h"

TEST_F(sim, ports)
{
	struct rdmaev_port ports[3];
	struct rdmaev_record r[3];
	int i;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 3), 2);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ports[i].device, self->index);
		EXPECT_EQ(ports[i].port, i + 1);
		EXPECT_EQ(ports[i].link_layer, 1);
		EXPECT_EQ(ports[i].protocols, RDMAEV_PROTOCOL_IB);
		EXPECT_EQ(ports[i].state, STATE_ACTIVE);
		EXPECT_EQ(ports[i].phys_state, PHYS_LINK_UP);
		EXPECT_EQ(ports[i].lid, FIRST_LID(i + 1));
		EXPECT_EQ(ports[i].sm_lid, FIRST_SM_LID);
		EXPECT_EQ(ports[i].speed, SPEED_EDR);
		EXPECT_EQ(ports[i].width, WIDTH_4X);
		EXPECT_EQ(ports[i].outages, 0);
		EXPECT_EQ(ports[i].gids, 8);
		EXPECT_EQ(ports[i].pkeys, 8);
	}

	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(set(2, "sm_lid", "7"), 0);
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].lid, FIRST_LID(1));
	EXPECT_EQ(ports[0].sm_lid, FIRST_SM_LID);
	EXPECT_EQ(ports[1].lid, 1002);
	EXPECT_EQ(ports[1].sm_lid, 7);
	EXPECT_EQ(ports[1].generation, r[0].generation);
}

/* A name of the maximum length is complete in the list and in the record. */
TEST_F(sim, long_name)
{
	struct rdmaev_device dev;
	char name[65];
	struct rdmaev_record rec;

	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_DEVICE), 0);
	memset(name, 'x', 64);
	name[64] = 0;
	EXPECT_EQ(sim_create(name, 1), -1);
	name[63] = 0;
	ASSERT_EQ(sim_create(name, 1), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.code, RDMAEV_DEVICE_ADD);
	EXPECT_STREQ(rec.device_name, name);
	ASSERT_TRUE(find_device(self->fd, name, &dev));
	EXPECT_EQ(dev.index, rec.device);
	EXPECT_EQ(dev.ports, 1);
	EXPECT_EQ(dev.node_type, 1);
	EXPECT_EQ(dev.node_guid, rec.body.device.node_guid);
	ASSERT_EQ(sim_destroy(name), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.code, RDMAEV_DEVICE_REMOVE);
	EXPECT_FALSE(find_device(self->fd, name, &dev));
}

#define INFO_EVENT	UNKNOWN

/* Each record has the name of its time, also where an older record was. */
TEST_F_TIMEOUT(sim, renamed_with_full_log, 60)
{
	unsigned long records, i, newer = 0;
	struct rdmaev_record rec;
	struct rdmaev_info info = { .size = sizeof(info) };

	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_INFO, &info), 0);
	records = info.ring_records;
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(gen("process", "sim0", INFO_EVENT, 1, records + 5), records + 5);
	ASSERT_EQ(sh("rdma dev set sim0 name sim0_new"), 0);
	ASSERT_EQ(gen("process", "sim0_new", INFO_EVENT, 1, records - 5), records - 5);
	EXPECT_EQ(sh("rdma dev set sim0_new name sim0"), 0);
	EXPECT_EQ(param("burst_ms", 1000), 0);
	ASSERT_EQ(filter_kinds(self->fd, 1 << RDMAEV_KIND_ASYNC), 0);
	ASSERT_GT(lseek(self->fd, 0, SEEK_SET), 0);
	for (i = 0; read(self->fd, &rec, sizeof(rec)) == sizeof(rec);) {
		if (rec.device != self->index || rec.code != INFO_EVENT)
			continue;
		EXPECT_STREQ(rec.device_name, i < 5 ? "sim0" : "sim0_new");
		newer += i++ >= 5;
	}
	EXPECT_EQ(newer, records - 5);
}

/* Change the port and report events until the device is removed. */
static void torment(const char *name)
{
	static const unsigned int number[] = {
		LID_CHANGE, SM_CHANGE, PORT_ERR, DEVICE_SPEED_CHANGE,
		PORT_ACTIVE
	};
	char path[128], text[16];
	int i;

	for (i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), SIM "%s/%u/lid", name, 1 + i % 2);
		snprintf(text, sizeof(text), "%u", 100 + i);
		if (put(path, text) ||
		    sim_event(name, number[i % 5], 1 + i % 2))
			break;
	}
}

/*
 * A device is removed while events are on their way: all its records come
 * before REMOVE, and the removal does not take long.
 */
TEST_F_TIMEOUT(sim, removal_with_events_pending, 120)
{
	int asyncs = 0, changes = 0, i;
	struct rdmaev_record rec;

	ASSERT_EQ(filter_kinds(self->fd, 0), 0);
	for (i = 0; i < 50; i++) {
		int removed = 0, status = -1;
		uint32_t generation = 0;
		uint64_t start;
		pid_t pid;

		ASSERT_EQ(sim_create("sim1", 2), 0);
		pid = fork();
		if (!pid) {
			torment("sim1");
			_exit(0);
		}
		usleep(i * 500);
		start = now_ms();
		ASSERT_EQ(sim_destroy("sim1"), 0);
		EXPECT_LE(now_ms() - start, SOON_MS);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_EQ(status, 0);

		while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
			ASSERT_NE(rec.kind, RDMAEV_KIND_LOST);
			if (rec.kind == RDMAEV_KIND_DEVICE &&
			    rec.code == RDMAEV_DEVICE_ADD) {
				EXPECT_EQ(generation, 0);
				generation = rec.generation;
			}
			EXPECT_EQ(rec.generation, generation);
			EXPECT_FALSE(removed);
			removed |= rec.kind == RDMAEV_KIND_DEVICE &&
				   rec.code == RDMAEV_DEVICE_REMOVE;
			asyncs += rec.kind == RDMAEV_KIND_ASYNC;
			changes += rec.kind == RDMAEV_KIND_PORT;
		}
		EXPECT_TRUE(removed);
	}
	EXPECT_GT(asyncs, 50);
	EXPECT_GT(changes, 0);
}

/* A reader in another network namespace, of all records of a device */
static int open_in(const char *netns)
{
	int fd, there = netns_open(netns), here = netns_enter(there);

	close(there);
	if (here < 0)
		return -1;
	fd = open_node(O_NONBLOCK);
	if (fd >= 0)
		filter_device(fd, "sim0");
	netns_leave(here);
	return fd;
}

#define EXPECT_DEVICE(r, what) do {					\
	EXPECT_EQ((r).kind, RDMAEV_KIND_DEVICE);			\
	EXPECT_EQ((r).code, what);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).port, RDMAEV_NO_PORT);				\
	EXPECT_STREQ((r).device_name, "sim0");			\
} while (0)

TEST_F_TIMEOUT(sim, moves_to_namespace, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_device dev;
	struct rdmaev_record r[2], seen;
	off_t from;
	int fd;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other");
	ASSERT_GE(fd, 0);
	/* Records of other devices that had this name are not hidden. */
	from = lseek(self->fd, 0, SEEK_CUR);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(snapshot(fd, self->index, ports, 2), -1);
	EXPECT_EQ(errno, ENODEV);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));

	/* An administrator of the first namespace gets all of them. */
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(r[0].generation, dev.generation);
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_NETNS);
	EXPECT_GT(r[1].generation, dev.generation);
	EXPECT_EQ(r[1].body.device.node_guid, dev.node_guid);

	/* The other reader gets ADD, and nothing from before. */
	ASSERT_TRUE(exactly(fd, &seen, 1));
	EXPECT_EQ(seen.seq, r[1].seq);
	EXPECT_DEVICE(seen, RDMAEV_DEVICE_NETNS);
	ASSERT_EQ(lseek(fd, from, SEEK_SET), from);
	ASSERT_TRUE(exactly(fd, &seen, 1));
	EXPECT_EQ(seen.seq, r[1].seq);
	EXPECT_EQ(snapshot(fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].generation, r[1].generation);

	/* Later events go to both. */
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	close(fd);

	/* The namespace ends: the device returns. */
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	ASSERT_EQ(sh("ip netns del other"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(r[0].generation, dev.generation);
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_NETNS);
	EXPECT_GT(r[1].generation, dev.generation);
	EXPECT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].lid, 1002);
}

/*
 * The device is removed in a namespace, not moved: its older records stay
 * hidden.
 */
TEST_F_TIMEOUT(sim, removed_in_namespace, 60)
{
	struct rdmaev_record r[3];
	off_t from;
	int fd;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other");
	ASSERT_GE(fd, 0);
	/* Records of other devices that had this name are not hidden. */
	from = lseek(self->fd, 0, SEEK_CUR);
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	ASSERT_EQ(sim_destroy("sim0"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_DEVICE(r[2], RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(r[2].generation, r[1].generation);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_NETNS);
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_REMOVE);
	ASSERT_EQ(lseek(fd, from, SEEK_SET), from);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_NETNS);
	close(fd);
}

/* Ports of a new device that cannot be queried are reported when they can. */
TEST_F_TIMEOUT(sim, first_look_fails, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[10], event_record = { 0 }, by = { 0 }, *pkey = NULL, *gid = NULL;
	int i, n = 0;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_NETNS);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, 0);
	EXPECT_EQ(ports[0].lid, 0);
	EXPECT_EQ(ports[0].pkeys, 0);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);

	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 10));
	/* A periodic query may have been faster than the event. */
	if (r[0].kind == RDMAEV_KIND_ASYNC)
		by = r[0];
	for (i = 0; i < 10; i++) {
		if (r[i].kind == RDMAEV_KIND_ASYNC)
			event_record = r[i];
		else
			r[n++] = r[i];
	}
	ASSERT_EQ(n, 9);
	EXPECT_ASYNC(event_record, SM_CHANGE, 1);
	EXPECT_CHANGE(r[0], RDMAEV_PORT_STATE, 1, 0, STATE_ACTIVE, by);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[0].body.port.outages, 0);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PHYS_STATE, 1, 0, PHYS_LINK_UP, by);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_LID, 1, 0, FIRST_LID(1), by);
	EXPECT_CHANGE(r[3], RDMAEV_PORT_SM_LID, 1, 0, FIRST_SM_LID, by);
	EXPECT_CHANGE(r[4], RDMAEV_PORT_SPEED, 1, 0, SPEED_EDR, by);
	EXPECT_CHANGE(r[5], RDMAEV_PORT_WIDTH, 1, 0, WIDTH_4X, by);
	EXPECT_CHANGE(r[6], RDMAEV_PORT_MTU, 1, 0, 4096, by);
	for (i = 7; i < 9; i++) {
		if (r[i].code == RDMAEV_PORT_PKEY)
			pkey = &r[i];
		else
			gid = &r[i];
	}
	ASSERT_NE(pkey, NULL);
	EXPECT_CHANGE(*pkey, RDMAEV_PORT_PKEY, 1, 0, FIRST_PKEY, by);
	ASSERT_NE(gid, NULL);
	EXPECT_PORT(*gid, RDMAEV_PORT_GID, 1, by);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE);
	EXPECT_EQ(ports[0].pkeys, 8);
	EXPECT_EQ(ports[0].outages, 0);
}

TEST_HARNESS_MAIN
