// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ports: events of a soft RoCE link, results of port queries, and the snapshot
 * that belongs to them.
 */
#include <net/if.h>
#include <poll.h>
#include <arpa/inet.h>

#include "common.h"
#include "kselftest_harness.h"

#define PORT_ACTIVE 9
#define PORT_ERR 10
#define GID_CHANGE 18
#define SM_CHANGE 13

#define STATE_DOWN 1
#define STATE_ACTIVE 4

FIXTURE(dev) {
	int fd;
	uint32_t index;
};

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(rxe_add("port0"), 0);
	sleep_ms(500);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->index = device_index(self->fd, "port0");
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
	rxe_del("port0");
}

/* The next record of a kind and code; skips others. */
static int next(int fd, unsigned int kind, unsigned int code, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, SOON_MS) == 1) {
		if (read(fd, rec, sizeof(*rec)) != sizeof(*rec))
			return 0;
		if (rec->kind == kind && rec->code == code)
			return 1;
	}
	return 0;
}

/* Number of records of a kind and code until nothing else happens */
static int how_many(int fd, unsigned int kind, unsigned int code)
{
	struct rdmaev_record rec;
	int n = 0;

	sleep_ms(500);
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
		n += rec.kind == kind && rec.code == code;
	return n;
}

static struct rdmaev_port snapshot(int fd, uint32_t device, uint64_t *seq)
{
	struct rdmaev_port port = {};
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.entry_size = sizeof(port),
		.count = 1,
		.entries = (uintptr_t)&port,
		.device = device,
	};

	ioctl(fd, RDMAEV_IOC_PORTS, &req);
	if (seq)
		*seq = req.seq;
	return port;
}

TEST_F(dev, link_down_and_up)
{
	struct rdmaev_record err, state, phys, active;
	struct rdmaev_port port;
	uint64_t seq;

	port = snapshot(self->fd, self->index, NULL);
	ASSERT_EQ(port.state, STATE_ACTIVE);

	ASSERT_EQ(netdev_set("port0_d", 0), 0);
	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_ASYNC, PORT_ERR, &err));
	EXPECT_EQ(err.device, self->index);
	EXPECT_EQ(err.port, 1);
	EXPECT_EQ(err.object_type, RDMAEV_OBJECT_PORT);
	EXPECT_EQ(err.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(err.source, RDMAEV_SOURCE_HANDLER);
	EXPECT_EQ(err.ring, RDMAEV_RING_PORT);

	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE, &state));
	EXPECT_EQ(state.cause, err.seq);
	EXPECT_EQ(state.port, 1);
	EXPECT_EQ(state.device, self->index);
	EXPECT_EQ(state.generation, err.generation);
	EXPECT_EQ(state.source, RDMAEV_SOURCE_RDMAEV);
	EXPECT_EQ(state.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(state.ring, RDMAEV_RING_PORT);
	EXPECT_EQ(state.body.port.before.number, STATE_ACTIVE);
	EXPECT_EQ(state.body.port.after.number, STATE_DOWN);
	EXPECT_EQ(state.body.port.outages, 1);
	EXPECT_GE(state.body.port.previous_ns, 400000000);
	EXPECT_LE(state.body.port.previous_ns, 60000000000);
	EXPECT_EQ(state.body.port.index, 0);

	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_PHYS_STATE,
			 &phys));
	EXPECT_EQ(phys.cause, err.seq);
	EXPECT_EQ(phys.body.port.before.number, 5);

	port = snapshot(self->fd, self->index, &seq);
	EXPECT_EQ(port.state, STATE_DOWN);
	EXPECT_EQ(port.outages, 1);
	EXPECT_GE(seq, phys.seq);
	EXPECT_LE(port.state_since_ns, state.boottime_ns);

	sleep_ms(300);
	ASSERT_EQ(netdev_set("port0_d", 1), 0);
	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_ASYNC, PORT_ACTIVE, &active));
	EXPECT_EQ(active.severity, RDMAEV_SEVERITY_INFO);
	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE, &state));
	EXPECT_GE(state.cause, active.seq);
	EXPECT_EQ(state.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(state.body.port.before.number, STATE_DOWN);
	EXPECT_EQ(state.body.port.after.number, STATE_ACTIVE);
	EXPECT_EQ(state.body.port.outages, 1);
	EXPECT_GE(state.body.port.previous_ns, 250000000);
	port = snapshot(self->fd, self->index, NULL);
	EXPECT_EQ(port.state, STATE_ACTIVE);
}

/* Events without a difference are recorded, and nothing else. */
TEST_F(dev, repeat)
{
	EXPECT_EQ(gen("dispatch", "port0", PORT_ACTIVE, 1, 20), 20);
	EXPECT_EQ(how_many(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE), 0);
	EXPECT_EQ(gen("dispatch", "port0", SM_CHANGE, 1, 20), 20);
	sleep_ms(300);
	ASSERT_GE(lseek(self->fd, -20, SEEK_END), 0);
	EXPECT_EQ(how_many(self->fd, RDMAEV_KIND_ASYNC, SM_CHANGE), 20);
}

/* PORT_ERR, and the port is ACTIVE when it is queried: still an outage. */
TEST_F(dev, outage_that_nobody_saw)
{
	struct rdmaev_record rec;

	ASSERT_EQ(gen("process", "port0", PORT_ERR, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", PORT_ACTIVE, 1, 1), 1);
	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_UNSEEN, &rec));
	EXPECT_EQ(rec.body.port.before.number, 0);
	EXPECT_EQ(rec.body.port.after.number, 1);
	EXPECT_EQ(rec.body.port.outages, 1);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(how_many(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_STATE), 0);
}

TEST_F_TIMEOUT(dev, outages_are_counted, 60)
{
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(netdev_set("port0_d", 0), 0);
		sleep_ms(100);
		ASSERT_EQ(netdev_set("port0_d", 1), 0);
		sleep_ms(100);
	}
	sleep_ms(300);
	EXPECT_EQ(snapshot(self->fd, self->index, NULL).outages, 10);
}

TEST_F(dev, gid_table)
{
	unsigned char v4[16] = { [10] = 0xff, 0xff, 10, 99, 0, 1 };
	unsigned char zero[16] = {};
	struct rdmaev_record change, rec;
	uint32_t index;

	ASSERT_EQ(sh("ip addr add 10.99.0.1/24 dev port0_d"), 0);
	ASSERT_TRUE(next(self->fd, RDMAEV_KIND_ASYNC, GID_CHANGE, &change));
	EXPECT_EQ(change.ring, RDMAEV_RING_INFO);
	do {
		ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_GID,
				 &rec));
	} while (memcmp(rec.body.port.after.gid, v4, 16));
	EXPECT_EQ(memcmp(rec.body.port.before.gid, zero, 16), 0);
	EXPECT_EQ(rec.body.port.gid_type_before, RDMAEV_GID_NONE);
	EXPECT_EQ(rec.body.port.gid_type_after, RDMAEV_GID_ROCE_V2);
	EXPECT_EQ(rec.body.port.netdev_before, 0);
	EXPECT_EQ(rec.body.port.netdev_after, if_nametoindex("port0_d"));
	EXPECT_GE(rec.cause, change.seq);
	EXPECT_LT(rec.cause, rec.seq);
	EXPECT_EQ(rec.port, 1);
	index = rec.body.port.index;

	ASSERT_EQ(sh("ip addr del 10.99.0.1/24 dev port0_d"), 0);
	do {
		ASSERT_TRUE(next(self->fd, RDMAEV_KIND_PORT, RDMAEV_PORT_GID,
				 &rec));
	} while (memcmp(rec.body.port.before.gid, v4, 16));
	EXPECT_EQ(memcmp(rec.body.port.after.gid, zero, 16), 0);
	EXPECT_EQ(rec.body.port.gid_type_before, RDMAEV_GID_ROCE_V2);
	EXPECT_EQ(rec.body.port.gid_type_after, RDMAEV_GID_NONE);
	EXPECT_EQ(rec.body.port.netdev_before, if_nametoindex("port0_d"));
	EXPECT_EQ(rec.body.port.netdev_after, 0);
	EXPECT_EQ(rec.body.port.index, index);
}

/* A filter on a port passes records of that port and of the whole device. */
TEST_F(dev, target)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;

	filter_target(&f, "port0", 1);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(rxe_add("port1"), 0);
	ASSERT_EQ(gen("process", "port1", TEST_EVENT, 1, 3), 3);
	ASSERT_EQ(gen("process", "port0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", 8, 0, 1), 1);	/* DEVICE_FATAL */
	ASSERT_EQ(rxe_del("port1"), 0);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.device, self->index);
	EXPECT_EQ(rec.code, TEST_EVENT);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, 8);
	EXPECT_EQ(rec.port, RDMAEV_NO_PORT);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);

	f.target[0].flags = RDMAEV_TARGET_PORT;
	f.target[0].port = 2;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", TEST_EVENT, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
}

/* True if the next event of a reader is of this device. */
static int is_of(int fd, const char *name)
{
	struct rdmaev_record rec;

	do {
		if (read(fd, &rec, sizeof(rec)) != sizeof(rec))
			return !*name;
	} while (rec.code != TEST_EVENT);
	return !strcmp(rec.device_name, name);
}

/*
 * One event of each device; returns which of them a reader with this target
 * gets.
 */
#define EXPECT_GETS(name, number, first, second) do {			\
	struct rdmaev_filter f = filter_all();				\
									\
	f.kinds = 1 << RDMAEV_KIND_ASYNC;				\
	filter_target(&f, name, number);				\
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);		\
	ASSERT_EQ(gen("process", "port0", TEST_EVENT, 1, 1), 1);	\
	ASSERT_EQ(gen("process", "port1", TEST_EVENT, 1, 1), 1);	\
	EXPECT_TRUE(is_of(self->fd, first));				\
	EXPECT_TRUE(is_of(self->fd, second));				\
	EXPECT_TRUE(is_of(self->fd, ""));				\
} while (0)

/* Names must be equal, but for what a `*` stands for. */
TEST_F(dev, target_names)
{
	struct rdmaev_filter f = filter_all();
	unsigned int i;

	ASSERT_EQ(rxe_add("port1"), 0);
	EXPECT_GETS("port0", 0, "port0", "");
	EXPECT_GETS("port1", 1, "port1", "");
	EXPECT_GETS("port", 0, "", "");
	EXPECT_GETS("port00", 0, "", "");
	EXPECT_GETS("port*", 0, "port0", "port1");
	EXPECT_GETS("port*", 1, "port0", "port1");
	EXPECT_GETS("port*", 2, "", "");
	EXPECT_GETS("port1*", 0, "port1", "");
	EXPECT_GETS("port00*", 0, "", "");
	EXPECT_GETS("qort*", 0, "", "");
	EXPECT_GETS("*", 0, "port0", "port1");

	/* The last target of the maximum number */
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	for (i = 1; i < RDMAEV_TARGETS; i++)
		filter_target(&f, "other*", 0);
	filter_target(&f, "port1", 0);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(gen("process", "port1", TEST_EVENT, 1, 1), 1);
	EXPECT_TRUE(is_of(self->fd, "port1"));
	EXPECT_TRUE(is_of(self->fd, ""));
	ASSERT_EQ(rxe_del("port1"), 0);
}

/* The next record of a device with the code @code. */
static int is_device_record(int fd, unsigned int code, const char *name, struct rdmaev_record *rec)
{
	return read(fd, rec, sizeof(*rec)) == sizeof(*rec) &&
	       rec->kind == RDMAEV_KIND_DEVICE && rec->code == code &&
	       !strcmp(rec->device_name, name);
}

/*
 * A device that is registered again has another index and the same name. A
 * filter on the old or on the new name passes the record of a rename; later
 * records have the new name only.
 */
TEST_F(dev, target_outlives_the_device)
{
	int old = open_node(O_NONBLOCK), new = open_node(O_NONBLOCK);
	struct rdmaev_filter f = filter_all();
	uint32_t generation, index;
	struct rdmaev_record rec;

	f.kinds = 1 << RDMAEV_KIND_DEVICE | 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << RDMAEV_CODE_BIT_OTHER);
	filter_target(&f, "port1", 1);
	/* Before the name exists */
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(ioctl(old, RDMAEV_IOC_FILTER, &f), 0);
	strcpy(f.target[0].device, "port2");
	ASSERT_EQ(ioctl(new, RDMAEV_IOC_FILTER, &f), 0);

	ASSERT_EQ(rxe_add("port1"), 0);
	ASSERT_TRUE(is_device_record(self->fd, RDMAEV_DEVICE_ADD, "port1", &rec));
	ASSERT_EQ(rxe_del("port1"), 0);
	ASSERT_EQ(rxe_add("port1"), 0);
	EXPECT_TRUE(is_device_record(self->fd, RDMAEV_DEVICE_REMOVE, "port1", &rec));
	/* Indexes are assigned in turn. */
	generation = rec.generation;
	index = rec.device;
	EXPECT_TRUE(is_device_record(self->fd, RDMAEV_DEVICE_ADD, "port1", &rec));
	EXPECT_NE(rec.device, index);
	EXPECT_NE(rec.generation, generation);
	ASSERT_EQ(gen("process", "port1", TEST_EVENT, 1, 1), 1);
	EXPECT_TRUE(is_of(self->fd, "port1"));

	ASSERT_GE(lseek(old, 0, SEEK_END), 0);
	ASSERT_GE(lseek(new, 0, SEEK_END), 0);
	ASSERT_EQ(sh("rdma dev set port1 name port2"), 0);
	ASSERT_EQ(gen("process", "port2", TEST_EVENT, 1, 1), 1);
	EXPECT_TRUE(is_device_record(old, RDMAEV_DEVICE_RENAME, "port2", &rec));
	EXPECT_STREQ(rec.body.device.old_name, "port1");
	EXPECT_EQ(read(old, &rec, sizeof(rec)), -1);
	EXPECT_TRUE(is_device_record(new, RDMAEV_DEVICE_RENAME, "port2", &rec));
	EXPECT_TRUE(is_of(new, "port2"));

	/* Its older records have the name of that time. */
	ASSERT_GE(lseek(old, 0, SEEK_SET), 0);
	EXPECT_TRUE(is_device_record(old, RDMAEV_DEVICE_ADD, "port1", &rec));
	ASSERT_EQ(sh("rdma dev set port2 name port1"), 0);
	ASSERT_EQ(rxe_del("port1"), 0);
	close(old);
	close(new);
}

TEST_F(dev, severity_and_codes)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_record rec;

	f.severities = 1 << RDMAEV_SEVERITY_ERROR;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", SM_CHANGE, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", 14, 1, 1), 1);	/* SRQ_ERR */
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, 14);
	EXPECT_EQ(rec.ring, RDMAEV_RING_ERROR);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);

	f = filter_all();
	f.kinds = 1 << RDMAEV_KIND_ASYNC;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << SM_CHANGE);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", 14, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", TEST_EVENT, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", SM_CHANGE, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, SM_CHANGE);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);

	f = filter_all();
	f.object_types = 1 << RDMAEV_OBJECT_SRQ;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", SM_CHANGE, 1, 1), 1);
	ASSERT_EQ(gen("process", "port0", 15, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, 15);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);

	f = filter_all();
	f.flags = RDMAEV_FILTER_PID;
	f.pid = 1;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", 15, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);

	f = filter_all();
	f.flags = RDMAEV_FILTER_OBJECT;
	f.object = 17;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", 15, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
	f.object = 0;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(gen("process", "port0", 15, 1, 1), 1);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), sizeof(rec));
	EXPECT_EQ(rec.code, 15);
}

/* Apply a record with an outage that begins or has ended. */
static void apply_outage(struct rdmaev_port *port, const struct rdmaev_port_body *body)
{
	port->down_since_ns = body->down_ns ? 0 : body->down_since_ns;
	port->outage_flags = body->down_ns ? 0 : body->outage_flags;
	if (!body->down_ns)
		return;
	port->down_last_ns = body->down_ns;
	if (body->down_ns > port->down_longest_ns)
		port->down_longest_ns = body->down_ns;
	port->down_total_ns += body->down_ns;
	port->down_admin_ns += body->down_admin_ns;
}

/* Subscribe, get a snapshot, apply newer records: always the current state. */
TEST_F_TIMEOUT(dev, snapshot_and_records, 60)
{
	int i;

	for (i = 0; i < 20; i++) {
		struct rdmaev_port port, later;
		uint64_t seq, after;
		struct rdmaev_record rec;

		if (!fork()) {
			netdev_set("port0_d", i & 1);
			_exit(0);
		}
		usleep(i * 1500);
		port = snapshot(self->fd, self->index, &seq);
		wait(NULL);
		sleep_ms(100);
		later = snapshot(self->fd, self->index, &after);
		while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
			if (rec.seq <= seq || rec.seq > after ||
			    rec.kind != RDMAEV_KIND_PORT)
				continue;
			if (rec.code == RDMAEV_PORT_STATE) {
				port.state = rec.body.port.after.number;
				port.state_since_ns = later.state_since_ns;
				port.transitions++;
				apply_outage(&port, &rec.body.port);
			} else if (rec.code == RDMAEV_PORT_PHYS_STATE) {
				port.phys_state = rec.body.port.after.number;
			}
			if (rec.code == RDMAEV_PORT_OUTAGE_UNSEEN) {
				port.state_since_ns = later.state_since_ns;
				port.down_total_ns += rec.body.port.down_ns;
				/* It has the sum of several. */
				port.down_last_ns = later.down_last_ns;
				port.down_longest_ns = later.down_longest_ns;
			}
			port.outages = rec.body.port.outages;
		}
		EXPECT_EQ(memcmp(&port, &later, sizeof(port)), 0);
	}
}

TEST_HARNESS_MAIN
