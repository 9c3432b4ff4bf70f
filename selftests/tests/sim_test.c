// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * InfiniBand ports, simulated by rdmaev_sim: what subnet managers and drivers
 * change and report, with two ports, and devices that move between network
 * namespaces. Soft RoCE can do none of it.
 */
#include <poll.h>
#include <sched.h>

#include "common.h"
#include "kselftest_harness.h"

#define SIM "/sys/kernel/debug/rdmaev_sim/"

#define DEVICE_FATAL		8
#define PORT_ACTIVE		9
#define PORT_ERR		10
#define LID_CHANGE		11
#define PKEY_CHANGE		12
#define SM_CHANGE		13
#define CLIENT_REREGISTER	17
#define GID_CHANGE		18
#define DEVICE_SPEED_CHANGE	20
#define UNKNOWN			200

#define STATE_DOWN		1
#define STATE_INIT		2
#define STATE_ARMED		3
#define STATE_ACTIVE		4
#define STATE_ACTIVE_DEFER	5

#define PHYS_POLLING		2
#define PHYS_LINK_UP		5

#define SPEED_EDR		32
#define SPEED_HDR		64
#define WIDTH_1X		1
#define WIDTH_4X		2

/* What rdmaev_sim gives a new port. */
#define FIRST_LID(port)		(16 + (port))
#define FIRST_SM_LID		1
#define FIRST_PKEY		0xffff

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return ret;
}

static int sim_create(const char *name, unsigned int ports)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u ib", name, ports);
	return put(SIM "create", text);
}

static int sim_destroy(const char *name)
{
	return put(SIM "destroy", name);
}

static int sim_event(const char *name, unsigned int event, unsigned int port)
{
	char path[192], text[32];

	snprintf(path, sizeof(path), SIM "%s/event", name);
	snprintf(text, sizeof(text), "%u %u", event, port);
	return put(path, text);
}

/* Change an attribute of a port of sim0; nobody is told. */
__attribute__((format(printf, 3, 4)))
static int set(unsigned int port, const char *attr, const char *format, ...)
{
	char path[128], text[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), SIM "sim0/%u/%s", port, attr);
	return put(path, text);
}

static int event(unsigned int number, unsigned int port)
{
	return sim_event("sim0", number, port);
}

static int next(int fd, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 5000) == 1 &&
	       read(fd, rec, sizeof(*rec)) == sizeof(*rec);
}

/* Wait for @n records. True if these came, and no more. */
static int exactly(int fd, struct rdmaev_record *recs, int n)
{
	struct rdmaev_record rec;
	int i;

	memset(recs, 0, n * sizeof(*recs));
	for (i = 0; i < n; i++) {
		if (!next(fd, &recs[i])) {
			fprintf(stderr, "# %d records came, not %d\n", i, n);
			return 0;
		}
	}
	sleep_ms(150);
	if (read(fd, &rec, sizeof(rec)) < 0)
		return 1;
	fprintf(stderr, "# one more: seq %llu device %u kind %u code %u port %u\n",
		(unsigned long long)rec.seq, rec.device, rec.kind, rec.code,
		rec.port);
	return 0;
}

static int nothing(int fd)
{
	struct rdmaev_record rec;

	return exactly(fd, &rec, 0);
}

#define EXPECT_ASYNC(r, number, on_port) do {				\
	EXPECT_EQ((r).kind, RDMAEV_KIND_ASYNC);				\
	EXPECT_EQ((r).code, number);					\
	EXPECT_EQ((r).port, on_port);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_HANDLER);			\
	EXPECT_EQ((r).count, 1);					\
	EXPECT_EQ((r).cause, 0);					\
} while (0)

#define EXPECT_PORT(r, what, on_port, by)  do {				\
	EXPECT_EQ((r).kind, RDMAEV_KIND_PORT);				\
	EXPECT_EQ((r).code, what);					\
	EXPECT_EQ((r).port, on_port);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).object_type, RDMAEV_OBJECT_PORT);			\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_SELF);			\
	EXPECT_EQ((r).cause, (by).seq);					\
} while (0)

#define EXPECT_CHANGE(r, what, on_port, old, new, by) do {		\
	EXPECT_PORT(r, what, on_port, by);				\
	EXPECT_EQ((r).body.port.before.number, old);			\
	EXPECT_EQ((r).body.port.after.number, new);			\
} while (0)

/* Ports of a device; how many there are, -1 if it is not to be seen. */
static int snapshot(int fd, uint32_t device, struct rdmaev_port *ports,
		    unsigned int room)
{
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.entry_size = sizeof(*ports),
		.count = room,
		.entries = (uintptr_t)ports,
		.device = device,
	};

	memset(ports, 0, room * sizeof(*ports));
	return ioctl(fd, RDMAEV_IOC_PORTS, &req) ? -1 : (int)req.count;
}

static int filter_device(int fd, uint32_t index)
{
	struct rdmaev_filter f = filter_all();

	f.targets = 1;
	f.target[0].device = index;
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

FIXTURE(sim) {
	int fd;
	uint32_t index;
};

FIXTURE_SETUP(sim)
{
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(device_index(self->fd, "sim0"), 0);
	self->index = device_index(self->fd, "sim0");
	ASSERT_EQ(filter_device(self->fd, self->index), 0);
	/* The look that is taken when a device is new, before any change. */
	sleep_ms(200);
	ASSERT_TRUE(nothing(self->fd));
}

FIXTURE_TEARDOWN(sim)
{
	close(self->fd);
	sim_destroy("sim0");
	sh("ip netns del other 2>/dev/null;"
	   /* A namespace takes a while to go. */
	   "for i in $(seq 50); do"
	   " rdma system set netns shared 2>/dev/null && break; sleep 0.2; "
	   "done");
}

TEST_F(sim, lid)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_PORT);
	EXPECT_EQ(r[0].lane, RDMAEV_LANE_PORT);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[1].lane, RDMAEV_LANE_PORT);
	EXPECT_EQ(r[1].generation, r[0].generation);
	EXPECT_EQ(r[1].body.port.flaps, 0);

	sleep_ms(300);
	ASSERT_EQ(set(2, "lid", "65535"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 65535, r[0]);
	EXPECT_GE(r[1].body.port.previous_ns, 300000000);
	EXPECT_LE(r[1].body.port.previous_ns, 60000000000);
}

/* Both ports at once: each change has the event of its own port as cause. */
TEST_F(sim, two_ports)
{
	struct rdmaev_record r[4], *async[3] = {}, *change[3] = {};
	int i;

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 4));
	for (i = 0; i < 4; i++) {
		ASSERT_GE(r[i].port, 1);
		ASSERT_LE(r[i].port, 2);
		if (r[i].kind == RDMAEV_KIND_ASYNC)
			async[r[i].port] = &r[i];
		else
			change[r[i].port] = &r[i];
	}
	for (i = 1; i <= 2; i++) {
		ASSERT_NE(async[i], NULL);
		ASSERT_NE(change[i], NULL);
		EXPECT_ASYNC(*async[i], LID_CHANGE, i);
		EXPECT_CHANGE(*change[i], RDMAEV_PORT_LID, i, FIRST_LID(i),
			      1000 + i, *async[i]);
	}
}

/* An event is about its port: what changed on the other is not looked at. */
TEST_F(sim, other_port_is_left_alone)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
}

TEST_F(sim, sm_lid)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(2, "sm_lid", "7"), 0);
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], SM_CHANGE, 2);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_INFO);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_SM_LID, 2, FIRST_SM_LID, 7, r[0]);
}

TEST_F(sim, pkey_table)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "pkey", "3 0x8001"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], PKEY_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PKEY, 1, 0, 0x8001, r[0]);
	EXPECT_EQ(r[1].body.port.index, 3);
	EXPECT_EQ(r[1].body.port.previous_ns, 0);
	EXPECT_EQ(r[1].lane, RDMAEV_LANE_PORT);

	/* Two entries: two records, and one cause. */
	ASSERT_EQ(set(1, "pkey", "0 0x7fff"), 0);
	ASSERT_EQ(set(1, "pkey", "3 0"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PKEY, 1, FIRST_PKEY, 0x7fff, r[0]);
	EXPECT_EQ(r[1].body.port.index, 0);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PKEY, 1, 0x8001, 0, r[0]);
	EXPECT_EQ(r[2].body.port.index, 3);

	/* The last entry of the table. */
	ASSERT_EQ(set(2, "pkey", "7 0xffff"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PKEY, 2, 0, 0xffff, r[0]);
	EXPECT_EQ(r[1].body.port.index, 7);
}

TEST_F(sim, gid_table)
{
	static const uint8_t gid[16] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 1, 0x11, 0x22, 0x33, 0x44,
		0x55, 0x66, 0x77, 0x88
	};
	static const uint8_t zero[16];
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "gid", "5 fe80000000000001 1122334455667788"), 0);
	ASSERT_EQ(event(CLIENT_REREGISTER, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], CLIENT_REREGISTER, 1);
	EXPECT_PORT(r[1], RDMAEV_PORT_GID, 1, r[0]);
	EXPECT_EQ(r[1].lane, RDMAEV_LANE_INFO);
	EXPECT_EQ(r[1].body.port.index, 5);
	EXPECT_EQ(memcmp(r[1].body.port.before.gid, zero, 16), 0);
	EXPECT_EQ(memcmp(r[1].body.port.after.gid, gid, 16), 0);

	/*
	 * The core keeps a driver's GID_CHANGE for itself: the entry is found
	 * changed when something else happens.
	 */
	ASSERT_EQ(set(1, "gid", "5 0 0"), 0);
	ASSERT_EQ(event(GID_CHANGE, 1), 0);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], SM_CHANGE, 1);
	EXPECT_PORT(r[1], RDMAEV_PORT_GID, 1, r[0]);
	EXPECT_EQ(r[1].body.port.index, 5);
	EXPECT_EQ(memcmp(r[1].body.port.before.gid, gid, 16), 0);
	EXPECT_EQ(memcmp(r[1].body.port.after.gid, zero, 16), 0);
}

TEST_F(sim, speed_and_width)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(2, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(set(2, "width", "%u", WIDTH_1X), 0);
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_SPEED, 2, SPEED_EDR, SPEED_HDR, r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_WIDTH, 2, WIDTH_4X, WIDTH_1X, r[0]);
}

/* All the way that a link goes when a cable is pulled and plugged in. */
TEST_F(sim, states)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(1, "phys_state", "%u", PHYS_POLLING), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], PORT_ERR, 1);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_ERROR);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN,
		      r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_ERROR);
	EXPECT_EQ(r[1].body.port.flaps, 1);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 1, PHYS_LINK_UP,
		      PHYS_POLLING, r[0]);

	ASSERT_EQ(set(1, "state", "%u", STATE_INIT), 0);
	ASSERT_EQ(set(1, "phys_state", "%u", PHYS_LINK_UP), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_DOWN, STATE_INIT, r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_INFO);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 1, PHYS_POLLING,
		      PHYS_LINK_UP, r[0]);

	ASSERT_EQ(set(1, "state", "%u", STATE_ARMED), 0);
	ASSERT_EQ(event(CLIENT_REREGISTER, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_INIT, STATE_ARMED,
		      r[0]);

	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], PORT_ACTIVE, 1);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_INFO);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ARMED, STATE_ACTIVE,
		      r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[1].body.port.flaps, 1);

	/* ACTIVE_DEFER has not left ACTIVE. */
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE_DEFER), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE,
		      STATE_ACTIVE_DEFER, r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[1].body.port.flaps, 1);

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE_DEFER);
	EXPECT_EQ(ports[0].flaps, 1);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
	EXPECT_EQ(ports[1].flaps, 0);
}

/* Down without PORT_ERR, seen by chance: a flap too, and told late, one. */
TEST_F(sim, down_seen_before_it_is_told)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN,
		      r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_ERROR);
	EXPECT_EQ(r[1].body.port.flaps, 1);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].flaps, 1);
}

/* Each event is on record, also without a difference. */
TEST_F(sim, repeat)
{
	static const unsigned int number[] = {
		PORT_ACTIVE, LID_CHANGE, PKEY_CHANGE, SM_CHANGE,
		CLIENT_REREGISTER
	};
	struct rdmaev_record r[2];
	unsigned int i;

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(event(number[i], 1), 0);
		ASSERT_TRUE(exactly(self->fd, r, 1));
		EXPECT_ASYNC(r[0], number[i], 1);
	}
}

/* Whatever made us look is the cause, if no event says that very thing. */
TEST_F(sim, seen_by_another_event)
{
	struct rdmaev_record r[6];

	ASSERT_EQ(set(2, "state", "%u", STATE_ARMED), 0);
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(set(2, "sm_lid", "7"), 0);
	ASSERT_EQ(event(CLIENT_REREGISTER, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 4));
	EXPECT_ASYNC(r[0], CLIENT_REREGISTER, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 2, STATE_ACTIVE, STATE_ARMED,
		      r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	EXPECT_CHANGE(r[3], RDMAEV_PORT_SM_LID, 2, FIRST_SM_LID, 7, r[0]);
}

/* The core has the tables: for them a driver that is stuck is not asked. */
TEST_F(sim, tables_without_driver)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(1, "pkey", "1 0x8001"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], PKEY_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PKEY, 1, 0, 0x8001, r[0]);
}

/* A query that fails for a while is made again, without another event. */
TEST_F(sim, query_is_made_again)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	/* Straight to the handlers: the core would drop it. */
	ASSERT_EQ(gen("process", "sim0", LID_CHANGE, 1, 1), 1);
	sleep_ms(20);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
}

/* A look that fails tells nothing, and forgets nothing that it was told. */
TEST_F(sim, query_fails)
{
	struct rdmaev_record r[3], sm;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(set(1, "sm_lid", "7"), 0);
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &sm, 1));
	EXPECT_ASYNC(sm, SM_CHANGE, 1);
	/* The core cannot query either, so it drops this one. */
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(nothing(self->fd));
	/* The other port is well. */
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);

	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(CLIENT_REREGISTER, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], CLIENT_REREGISTER, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_SM_LID, 1, FIRST_SM_LID, 7, sm);
}

/* Up again before we could look: the flaps are counted all the same. */
TEST_F(sim, flaps_with_missed_looks)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2], last;
	int i;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	for (i = 0; i < 3; i++) {
		/* Straight to the handlers: the core would drop them. */
		ASSERT_EQ(gen("process", "sim0", PORT_ERR, 1, 1), 1);
		ASSERT_TRUE(exactly(self->fd, r, 1));
		ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 1, 1), 1);
		ASSERT_TRUE(exactly(self->fd, &last, 1));
	}
	/* A look at the other port has nothing to do with it. */
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].flaps, 0);

	ASSERT_EQ(set(1, "fail", "0"), 0);
	/* Of itself this one would not have the port queried. */
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_ACTIVE,
		      last);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_ERROR);
	EXPECT_EQ(r[1].body.port.flaps, 3);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].flaps, 3);
	EXPECT_EQ(ports[1].flaps, 0);
}

TEST_F(sim, client_reregister)
{
	struct rdmaev_record r[1];

	ASSERT_EQ(event(CLIENT_REREGISTER, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], CLIENT_REREGISTER, 2);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_PORT);
}

/* About the device whatever port is in it, and no reason to query it. */
TEST_F(sim, device_fatal)
{
	struct rdmaev_record r[1];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(DEVICE_FATAL, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], DEVICE_FATAL, 0);
	EXPECT_EQ(r[0].event_class, RDMAEV_CLASS_ERROR);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_DEVICE);
	EXPECT_EQ(r[0].lane, RDMAEV_LANE_PORT);
}

TEST_F(sim, unknown_number)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(UNKNOWN, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], UNKNOWN, 2);
	EXPECT_EQ(r[0].lane, RDMAEV_LANE_INFO);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
}

/* No port is named, or none that there is: all are looked at. */
TEST_F(sim, no_port)
{
	struct rdmaev_record r[3];
	int i;

	ASSERT_EQ(set(1, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(set(2, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(event(DEVICE_SPEED_CHANGE, 0), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], DEVICE_SPEED_CHANGE, 0);
	for (i = 1; i <= 2; i++)
		EXPECT_CHANGE(r[i], RDMAEV_PORT_SPEED, i, SPEED_EDR, SPEED_HDR,
			      r[0]);

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(SM_CHANGE, 3), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], SM_CHANGE, 0);
	for (i = 1; i <= 2; i++)
		EXPECT_CHANGE(r[i], RDMAEV_PORT_LID, i, FIRST_LID(i), 1000 + i,
			      r[0]);
}

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
		EXPECT_EQ(ports[i].flaps, 0);
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

/* A name as long as names get: whole in the list, cut in the record. */
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
	EXPECT_EQ(rec.body.device.name[55], 0);
	EXPECT_EQ(strlen(rec.body.device.name), 55);
	EXPECT_EQ(strncmp(rec.body.device.name, name, 55), 0);
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

/* Change and report until the device is gone, or this is enough of it. */
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
 * A device goes while events are on their way: all that is recorded of it
 * comes before REMOVE, and it does not take long.
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
		EXPECT_LE(now_ms() - start, 10000);
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

/* A reader in another network namespace, of all that is about a device. */
static int open_in(const char *netns, uint32_t index)
{
	int here, there, fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (setns(there, CLONE_NEWNET) == 0)
		fd = open_node(O_NONBLOCK);
	if (fd >= 0)
		filter_device(fd, index);
	if (setns(here, CLONE_NEWNET))
		perror("setns");
	close(here);
	close(there);
	return fd;
}

#define EXPECT_DEVICE(r, what) do {					\
	EXPECT_EQ((r).kind, RDMAEV_KIND_DEVICE);			\
	EXPECT_EQ((r).code, what);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).port, 0);						\
	EXPECT_STREQ((r).body.device.name, "sim0");			\
} while (0)

TEST_F_TIMEOUT(sim, moves_to_namespace, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_device dev;
	struct rdmaev_record r[2], seen;
	int fd;

	ASSERT_EQ(sh("rdma system set netns exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other", self->index);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(snapshot(fd, self->index, ports, 2), -1);
	EXPECT_EQ(errno, ENODEV);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));

	/* The first namespace's administrator sees all of it. */
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(r[0].generation, dev.generation);
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_NETNS);
	EXPECT_GT(r[1].generation, dev.generation);
	EXPECT_EQ(r[1].body.device.node_guid, dev.node_guid);

	/* The other sees it come, and not what was before. */
	ASSERT_TRUE(exactly(fd, &seen, 1));
	EXPECT_EQ(seen.seq, r[1].seq);
	EXPECT_DEVICE(seen, RDMAEV_DEVICE_NETNS);
	ASSERT_GT(lseek(fd, 0, SEEK_SET), 0);
	ASSERT_TRUE(exactly(fd, &seen, 1));
	EXPECT_EQ(seen.seq, r[1].seq);
	EXPECT_EQ(snapshot(fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].generation, r[1].generation);

	/* It goes on reporting, to both. */
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	close(fd);

	/* The namespace ends: the device comes back. */
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

/* It goes in a namespace, not into another: what it was stays hidden. */
TEST_F_TIMEOUT(sim, removed_in_namespace, 60)
{
	struct rdmaev_record r[3];
	int fd;

	ASSERT_EQ(sh("rdma system set netns exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	fd = open_in("other", self->index);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	ASSERT_EQ(sim_destroy("sim0"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_DEVICE(r[2], RDMAEV_DEVICE_REMOVE);
	EXPECT_EQ(r[2].generation, r[1].generation);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_NETNS);
	EXPECT_DEVICE(r[1], RDMAEV_DEVICE_REMOVE);
	ASSERT_GT(lseek(fd, 0, SEEK_SET), 0);
	ASSERT_TRUE(exactly(fd, r, 2));
	EXPECT_DEVICE(r[0], RDMAEV_DEVICE_NETNS);
	close(fd);
}

/* Ports that cannot be queried when a device is new: told when they can. */
TEST_F_TIMEOUT(sim, first_look_fails, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[9], *pkey = NULL, *gid = NULL;
	int i;

	ASSERT_EQ(sh("rdma system set netns exclusive"), 0);
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
	ASSERT_TRUE(exactly(self->fd, r, 9));
	EXPECT_ASYNC(r[0], SM_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, 0, STATE_ACTIVE, r[0]);
	EXPECT_EQ(r[1].event_class, RDMAEV_CLASS_INFO);
	EXPECT_EQ(r[1].body.port.flaps, 0);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 1, 0, PHYS_LINK_UP, r[0]);
	EXPECT_CHANGE(r[3], RDMAEV_PORT_LID, 1, 0, FIRST_LID(1), r[0]);
	EXPECT_CHANGE(r[4], RDMAEV_PORT_SM_LID, 1, 0, FIRST_SM_LID, r[0]);
	EXPECT_CHANGE(r[5], RDMAEV_PORT_SPEED, 1, 0, SPEED_EDR, r[0]);
	EXPECT_CHANGE(r[6], RDMAEV_PORT_WIDTH, 1, 0, WIDTH_4X, r[0]);
	for (i = 7; i < 9; i++) {
		if (r[i].code == RDMAEV_PORT_PKEY)
			pkey = &r[i];
		else
			gid = &r[i];
	}
	ASSERT_NE(pkey, NULL);
	EXPECT_CHANGE(*pkey, RDMAEV_PORT_PKEY, 1, 0, FIRST_PKEY, r[0]);
	ASSERT_NE(gid, NULL);
	EXPECT_PORT(*gid, RDMAEV_PORT_GID, 1, r[0]);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE);
	EXPECT_EQ(ports[0].pkeys, 8);
	EXPECT_EQ(ports[0].flaps, 0);
}

TEST_HARNESS_MAIN
