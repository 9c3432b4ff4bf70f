// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters and statistics: which counter each record counts in, that each is
 * exact, and that an answer plus newer records is the current state, also under
 * load.
 */
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sim_link.h"

#define MAX_COUNTERS 1024
#define KINDS 8

struct counters {
	unsigned int n;
	uint64_t seq;
	struct rdmaev_counter list[MAX_COUNTERS];
};

/* Number of counters of a port, 0: of none; -1 if the request failed */
static int get(int fd, uint32_t device, uint32_t port, unsigned int flags,
	       struct counters *c)
{
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.flags = flags,
		.entry_size = sizeof(c->list[0]),
		.count = MAX_COUNTERS,
		.entries = (uintptr_t)c->list,
		.device = device,
		.port = port ?: RDMAEV_NO_PORT,
	};

	if (ioctl(fd, RDMAEV_IOC_COUNTERS, &req))
		return -1;
	c->n = req.count;
	c->seq = req.seq;
	return req.count;
}

static struct rdmaev_counter *find(struct counters *c, uint32_t generation,
				   uint32_t port, unsigned int kind,
				   unsigned int code)
{
	unsigned int i;

	port = port ?: RDMAEV_NO_PORT;
	for (i = 0; i < c->n; i++) {
		struct rdmaev_counter *counter = &c->list[i];

		if (counter->generation == generation && counter->port == port &&
		    counter->kind == kind && counter->code == code)
			return counter;
	}
	return NULL;
}

static uint64_t count_of(struct counters *c, uint32_t generation, uint32_t port,
			 unsigned int kind, unsigned int code)
{
	struct rdmaev_counter *counter = find(c, generation, port, kind, code);

	return counter ? counter->count : 0;
}

/* The port has this state, and rdmaev knows. */
static bool has_state(int fd, uint32_t device, unsigned int port, uint8_t state)
{
	struct rdmaev_port ports[2];
	int i;

	for (i = 0; i < SOON_MS; i++) {
		if (snapshot(fd, device, ports, 2) >= (int)port &&
		    ports[port - 1].state == state)
			return true;
		sleep_ms(1);
	}
	return false;
}

FIXTURE(count) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

FIXTURE_SETUP(count)
{
	struct rdmaev_device dev;

	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_EQ(load_ulp(), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	sleep_ms(200);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	self->index = dev.index;
	self->generation = dev.generation;
}

FIXTURE_TEARDOWN(count)
{
	ulp_destroy("sim0");
	sim_destroy("sim0");
	param("burst_ms", 1000);
	close(self->fd);
}

TEST_F(count, what_is_counted_where)
{
	struct rdmaev_counter *counter;
	struct rdmaev_record rec[4];
	struct object list[MAX_OBJECTS];
	static struct counters c;
	int i, n;

	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	ASSERT_GE(get(self->fd, self->index, RDMAEV_ANY, 0, &c), 1);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_DEVICE,
			   RDMAEV_DEVICE_ADD), 1);

	/*
	 * Of a port, of the device, of a port that does not exist; known or
	 * unknown.
	 */
	for (i = 0; i < 4; i++) {
		static const unsigned int events[][2] = {
			{ SM_CHANGE, 2 }, { SM_CHANGE, 2 }, { DEVICE_FATAL, 1 }, { UNKNOWN, 1 },
		};

		/* Two simultaneous events may have either order. */
		ASSERT_EQ(event(events[i][0], events[i][1]), 0);
		ASSERT_TRUE(next(self->fd, &rec[i]));
	}
	ASSERT_EQ(get(self->fd, self->index, RDMAEV_ANY, 0, &c), 4);
	counter = find(&c, self->generation, 2, RDMAEV_KIND_ASYNC, SM_CHANGE);
	ASSERT_NE(counter, NULL);
	EXPECT_EQ(counter->device, self->index);
	EXPECT_EQ(counter->count, 2);
	EXPECT_EQ(counter->last_seq, rec[1].seq);
	EXPECT_EQ(counter->last_boottime_ns, rec[1].boottime_ns);
	EXPECT_EQ(counter->last_realtime_ns, rec[1].realtime_ns);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_ASYNC,
			   DEVICE_FATAL), 1);
	counter = find(&c, self->generation, 1, RDMAEV_KIND_ASYNC, RDMAEV_CODE_OTHER);
	ASSERT_NE(counter, NULL);
	EXPECT_EQ(counter->count, 1);
	EXPECT_EQ(counter->last_seq, rec[3].seq);
	for (i = 1; i < (int)c.n; i++) {
		struct rdmaev_counter *a = &c.list[i - 1], *b = &c.list[i];

		/* Those of no port first */
		EXPECT_TRUE(a->port - RDMAEV_NO_PORT < b->port - RDMAEV_NO_PORT ||
			    (a->port == b->port &&
			     (a->kind < b->kind ||
			      (a->kind == b->kind && a->code < b->code))));
	}

	/* Of an object: a QP has a port, an SRQ has none. */
	ASSERT_EQ(ulp_create("sim0", 2), 0);
	n = ulp_objects("sim0", list);
	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].type, "qp") || !strcmp(list[i].type, "srq"))
			ASSERT_EQ(sim_raise(&list[i], *list[i].type == 'q' ? 1 : 15,
					    "hardirq", 3), 0);
	}
	sleep_ms(100);
	ASSERT_GE(get(self->fd, self->index, 2, 0, &c), 2);
	EXPECT_EQ(count_of(&c, self->generation, 2, RDMAEV_KIND_ASYNC, 1) % 3, 0);
	EXPECT_GE(count_of(&c, self->generation, 2, RDMAEV_KIND_ASYNC, 1), 3);
	for (i = 0; i < (int)c.n; i++)
		EXPECT_EQ(c.list[i].port, 2);
	ASSERT_GE(get(self->fd, self->index, 0, 0, &c), 3);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_ASYNC, 15) % 3, 0);
	EXPECT_GE(count_of(&c, self->generation, 0, RDMAEV_KIND_ASYNC, 15), 3);
	EXPECT_EQ(get(self->fd, self->index, 77, 0, &c), 0);
}

TEST_F(count, rename_and_new_generation)
{
	static struct counters c;
	struct rdmaev_record rec;
	struct rdmaev_device dev;

	/* The core delivers it at some time. */
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_ASYNC), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	do {
		ASSERT_TRUE(next(self->fd, &rec));
	} while (rec.code != SM_CHANGE);
	ASSERT_EQ(sh("rdma dev set sim0 name renamed"), 0);
	ASSERT_GE(get(self->fd, self->index, RDMAEV_ANY, 0, &c), 1);
	EXPECT_EQ(count_of(&c, self->generation, 1, RDMAEV_KIND_ASYNC, SM_CHANGE), 1);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_DEVICE,
			   RDMAEV_DEVICE_RENAME), 1);
	ASSERT_EQ(sh("rdma dev set renamed name sim0"), 0);

	/* Counters of a removed device keep their last value. */
	sim_destroy("sim0");
	EXPECT_EQ(get(self->fd, self->index, RDMAEV_ANY, 0, &c), -1);
	EXPECT_EQ(errno, ENODEV);
	ASSERT_GE(get(self->fd, self->index, RDMAEV_ANY,
		      RDMAEV_COUNTERS_REMOVED, &c), 1);
	EXPECT_EQ(count_of(&c, self->generation, 1, RDMAEV_KIND_ASYNC, SM_CHANGE), 1);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_DEVICE,
			   RDMAEV_DEVICE_REMOVE), 1);

	/* Counters of the next device start at zero. */
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_GT(dev.generation, self->generation);
	ASSERT_EQ(get(self->fd, dev.index, RDMAEV_ANY, 0, &c), 1);
	EXPECT_EQ(c.list[0].kind, RDMAEV_KIND_DEVICE);
	EXPECT_EQ(c.list[0].code, RDMAEV_DEVICE_ADD);
	EXPECT_EQ(c.list[0].count, 1);
}

static int gone_ports(int fd, uint32_t device, struct rdmaev_port *ports,
		      unsigned int room)
{
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.flags = RDMAEV_PORTS_REMOVED,
		.entry_size = sizeof(*ports),
		.count = room,
		.entries = (uintptr_t)ports,
		.device = device,
	};

	return ioctl(fd, RDMAEV_IOC_PORTS, &req) ? -1 : (int)req.count;
}

/*
 * The last RDMAEV_REMOVED_KEPT removed devices can be queried, and no others.
 */
TEST_F_TIMEOUT(count, gone_ones_are_bounded, 60)
{
	static struct rdmaev_port ports[4 * RDMAEV_REMOVED_KEPT];
	static struct counters c;
	uint32_t generation = 0;
	int i, n, gone = 0;

	ASSERT_EQ(set(2, "state", "%d", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 2), 0);
	ASSERT_TRUE(has_state(self->fd, self->index, 2, STATE_DOWN));
	sim_destroy("sim0");
	n = gone_ports(self->fd, self->index, ports, ARRAY_SIZE(ports));
	ASSERT_GE(n, 2);
	EXPECT_EQ(ports[n - 1].generation, self->generation);
	EXPECT_EQ(ports[n - 1].flags, RDMAEV_PORT_FLAG_REMOVED);
	EXPECT_EQ(ports[n - 1].state, STATE_DOWN);
	EXPECT_EQ(ports[n - 1].outages, 1);
	EXPECT_EQ(ports[n - 2].state, STATE_ACTIVE);

	for (i = 0; i < RDMAEV_REMOVED_KEPT; i++) {
		struct rdmaev_device dev;

		ASSERT_EQ(sim_create("sim0", 1), 0);
		ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
		generation = dev.generation;
		sim_destroy("sim0");
	}
	n = gone_ports(self->fd, RDMAEV_ANY, ports, ARRAY_SIZE(ports));
	ASSERT_LE(n, (int)ARRAY_SIZE(ports));
	for (i = 0; i < n; i++) {
		EXPECT_NE(ports[i].generation, self->generation);
		gone += !!(ports[i].flags & RDMAEV_PORT_FLAG_REMOVED);
	}
	EXPECT_EQ(gone, RDMAEV_REMOVED_KEPT);
	EXPECT_EQ(ports[n - 1].generation, generation);
	ASSERT_GE(get(self->fd, RDMAEV_ANY, RDMAEV_ANY, RDMAEV_COUNTERS_REMOVED, &c),
		  RDMAEV_REMOVED_KEPT);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_DEVICE,
			   RDMAEV_DEVICE_REMOVE), 0);
	EXPECT_EQ(count_of(&c, generation, 0, RDMAEV_KIND_DEVICE,
			   RDMAEV_DEVICE_REMOVE), 1);
	ASSERT_EQ(sim_create("sim0", 2), 0);
}

TEST_F(count, device)
{
	struct rdmaev_device dev;
	struct object list[MAX_OBJECTS];
	struct rdmaev_record rec;
	int i, n;

	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_STREQ(dev.driver, "rdmaev_sim");
	EXPECT_EQ(dev.sources, 1U << RDMAEV_SOURCE_RDMAEV | 1U << RDMAEV_SOURCE_HANDLER);
	EXPECT_EQ(dev.last_kind, RDMAEV_KIND_DEVICE);
	EXPECT_EQ(dev.last_code, RDMAEV_DEVICE_ADD);

	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	ASSERT_EQ(event(UNKNOWN, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &rec, 1));
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, &rec, 1));
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.last_seq, rec.seq);
	EXPECT_EQ(dev.last_boottime_ns, rec.boottime_ns);
	EXPECT_EQ(dev.last_realtime_ns, rec.realtime_ns);
	EXPECT_EQ(dev.last_port, 2);
	EXPECT_EQ(dev.last_kind, RDMAEV_KIND_ASYNC);
	EXPECT_EQ(dev.last_code, SM_CHANGE);

	ASSERT_EQ(ulp_create("sim0", 2), 0);
	n = ulp_objects("sim0", list);
	for (i = 0; i < n && strcmp(list[i].type, "qp"); i++)
		;
	ASSERT_LT(i, n);
	ASSERT_EQ(sim_raise(&list[i], 4, "process", 1), 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	EXPECT_EQ(dev.sources, 1U << RDMAEV_SOURCE_RDMAEV | 1U << RDMAEV_SOURCE_HANDLER |
		  1U << RDMAEV_SOURCE_ULP);
}

/* With or without CAP_NET_ADMIN */
static int administer(int on)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &hdr, data))
		return -1;
	data[0].effective &= ~(1U << CAP_NET_ADMIN);
	if (on)
		data[0].effective |= 1U << CAP_NET_ADMIN;
	return syscall(SYS_capset, &hdr, data);
}

/* An unknown number does not say whether it was about an object. */
TEST_F(count, unknown_of_an_object)
{
	struct object list[MAX_OBJECTS];
	struct rdmaev_device dev;
	static struct counters c;
	int i, n, fd;

	ASSERT_EQ(ulp_create("sim0", 2), 0);
	n = ulp_objects("sim0", list);
	for (i = 0; i < n && strcmp(list[i].type, "qp"); i++)
		;
	ASSERT_LT(i, n);
	ASSERT_EQ(sim_raise(&list[i], UNKNOWN, "process", 3), 0);
	ASSERT_GE(get(self->fd, self->index, RDMAEV_ANY, 0, &c), 1);
	/* In counters of the device: object and port are unknown. */
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_ASYNC, RDMAEV_CODE_OTHER), 3);

	ASSERT_EQ(administer(0), 0);
	fd = open_node(O_NONBLOCK);
	EXPECT_EQ(administer(1), 0);
	ASSERT_GE(fd, 0);
	ASSERT_GE(get(fd, self->index, RDMAEV_ANY, 0, &c), 1);
	EXPECT_EQ(count_of(&c, self->generation, 0, RDMAEV_KIND_ASYNC, RDMAEV_CODE_OTHER), 0);
	ASSERT_TRUE(find_device(fd, "sim0", &dev));
	EXPECT_EQ(dev.last_kind, RDMAEV_KIND_DEVICE);
	close(fd);
}

/* Down, and up */
static bool flap(int fd, uint32_t device, unsigned int port)
{
	return !set(port, "state", "%d", STATE_DOWN) && !event(PORT_ERR, port) &&
	       has_state(fd, device, port, STATE_DOWN) &&
	       !set(port, "state", "%d", STATE_ACTIVE) && !event(PORT_ACTIVE, port) &&
	       has_state(fd, device, port, STATE_ACTIVE);
}

TEST_F(count, port)
{
	struct rdmaev_port ports[2];
	uint64_t before;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].transitions, 0);
	before = ports[1].state_since_ns;

	ASSERT_TRUE(flap(self->fd, self->index, 2));
	ASSERT_TRUE(flap(self->fd, self->index, 2));
	ASSERT_TRUE(flap(self->fd, self->index, 2));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].transitions, 6);
	EXPECT_EQ(ports[1].outages, 3);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
	EXPECT_GT(ports[1].state_since_ns, before);

	/*
	 * Reported twice, it is one outage; nothing was reported of the other
	 * port.
	 */
	ASSERT_EQ(set(2, "state", "%d", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 2), 0);
	ASSERT_EQ(event(PORT_ERR, 2), 0);
	ASSERT_TRUE(has_state(self->fd, self->index, 2, STATE_DOWN));
	sleep_ms(100);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].outages, 4);
	EXPECT_EQ(ports[1].transitions, 7);
	EXPECT_EQ(ports[0].outages, 0);
	EXPECT_EQ(ports[0].transitions, 0);
}

/*
 * Events of device, port and objects from two processes, until they are killed
 */
static pid_t load(int which)
{
	struct object list[MAX_OBJECTS];
	int i, n, qp;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	n = ulp_objects("sim0", list);
	for (qp = 0; qp < n - 1 && strcmp(list[qp].type, "qp"); qp++)
		;
	for (i = 0;; i++) {
		if (which) {
			sim_raise(&list[qp], i & 1 ? 4 : 1, "hardirq", 20);
		} else {
			event(i % 3 ? SM_CHANGE : UNKNOWN, 1 + i % 2);
			usleep(500);
		}
	}
}

/* Apply the records after a snapshot up to a seq. */
static void apply(struct counters *c, const struct rdmaev_record *rec, uint64_t to)
{
	unsigned int code = rec->kind == RDMAEV_KIND_ASYNC && rec->code > 62 ?
			    RDMAEV_CODE_OTHER : rec->code;
	struct rdmaev_counter *counter;

	if (rec->seq > to || rec->kind == RDMAEV_KIND_LOST || !rec->generation)
		return;
	counter = find(c, rec->generation, rec->port, rec->kind, code);
	if (!counter) {
		counter = &c->list[c->n++];
		*counter = (struct rdmaev_counter) {
			.device = rec->device,
			.generation = rec->generation,
			.port = rec->port,
			.kind = rec->kind,
			.code = code,
		};
	}
	if (rec->seq <= counter->last_seq)
		return;
	counter->count += rec->count;
	counter->last_seq = rec->seq;
	counter->last_boottime_ns = rec->boottime_ns;
	counter->last_realtime_ns = rec->realtime_ns;
}

/* Subscribe, get a snapshot, apply newer records: the state at a later seq. */
TEST_F_TIMEOUT(count, snapshot_and_records_under_load, 90)
{
	static struct counters c, later;
	static struct rdmaev_record recs[512];
	unsigned int round, i, slow = 0;
	uint64_t compared = 0;
	pid_t pid[2];

	ASSERT_EQ(ulp_create("sim0", 2), 0);
	/* With bursts, counts are larger than one. */
	ASSERT_EQ(param("burst_ms", 20), 0);
	for (i = 0; i < 2; i++)
		pid[i] = load(i);
	for (round = 0; round < 25; round++) {
		uint64_t lost = 0;
		ssize_t n;

		ASSERT_GE(lseek(self->fd, 0, SEEK_END), 0);
		ASSERT_GE(get(self->fd, RDMAEV_ANY, RDMAEV_ANY, 0, &c), 1);
		sleep_ms(5);
		ASSERT_GE(get(self->fd, RDMAEV_ANY, RDMAEV_ANY, 0, &later), 1);
		/* A counter of the later snapshot may be newer than its seq. */
		for (i = 0; i < later.n; i++)
			if (later.list[i].last_seq > later.seq)
				later.seq = later.list[i].last_seq;
		while ((n = read(self->fd, recs, sizeof(recs))) > 0) {
			for (i = 0; i < n / sizeof(recs[0]); i++) {
				if (recs[i].kind == RDMAEV_KIND_LOST)
					lost += recs[i].body.lost.count;
				apply(&c, &recs[i], later.seq);
			}
			if (recs[n / sizeof(recs[0]) - 1].seq >= later.seq)
				break;
		}
		/*
		 * On a busy machine newer events arrive first: such a
		 * comparison shows nothing.
		 */
		if (lost) {
			ASSERT_LT(++slow, 100);
			round--;
			continue;
		}
		for (i = 0; i < later.n; i++) {
			struct rdmaev_counter *want = &later.list[i], *got;

			got = find(&c, want->generation, want->port, want->kind,
				   want->code);
			ASSERT_NE(got, NULL);
			/*
			 * It may have been read before the seq of the snapshot.
			 */
			if (want->last_seq < got->last_seq)
				continue;
			ASSERT_EQ(memcmp(got, want, sizeof(*got)), 0);
			compared++;
		}
	}
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	EXPECT_GE(compared, 25 * 4);
}

TEST_HARNESS_MAIN
