// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How long ports of a simulated RoCE or InfiniBand device were down: by the
 * records of the events, so that no test depends on how long a step takes.
 */
#include "sim.h"

#define NEVER		0
#define SOON		200	/* outage_ms of tests that wait for a record */

FIXTURE(port) {
	int fd;
	uint32_t index;
};

/* Events and changes of the state, and outages */
static int filter_states(int fd)
{
	struct rdmaev_filter f = filter_all();

	f.kinds = 1 << RDMAEV_KIND_ASYNC | 1 << RDMAEV_KIND_PORT;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << PORT_ACTIVE | 1ULL << PORT_ERR);
	filter_codes(&f, RDMAEV_KIND_PORT, 1ULL << RDMAEV_PORT_STATE |
		     1ULL << RDMAEV_PORT_OUTAGE_UNSEEN | 1ULL << RDMAEV_PORT_OUTAGE |
		     1ULL << RDMAEV_PORT_OUTAGE_END);
	filter_target(&f, "sim0", 0);
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

FIXTURE_SETUP(port)
{
	sim_destroy("sim0");
	ASSERT_EQ(param("poll_ms", 0), 0);
	ASSERT_EQ(param("outage_ms", NEVER), 0);
	ASSERT_EQ(sim_create_link("sim0", 2, "roce"), 0);
	ASSERT_EQ(netdev_set("sim0_1", 1), 0);
	ASSERT_EQ(netdev_set("sim0_2", 1), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(device_index(self->fd, "sim0"), 0);
	self->index = device_index(self->fd, "sim0");
	ASSERT_EQ(filter_states(self->fd), 0);
	ASSERT_TRUE(nothing(self->fd));
}

FIXTURE_TEARDOWN(port)
{
	close(self->fd);
	sim_destroy("sim0");
	param("poll_ms", 30000);
	param("outage_ms", NEVER);
}

/* The next record, which has this kind and code */
static int next_is(int fd, unsigned int kind, unsigned int code, struct rdmaev_record *rec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	memset(rec, 0, sizeof(*rec));
	if (poll(&p, 1, SOON_MS) != 1 || read(fd, rec, sizeof(*rec)) != sizeof(*rec)) {
		fprintf(stderr, "# no record came\n");
		return 0;
	}
	if (rec->kind == kind && rec->code == code)
		return 1;
	fprintf(stderr, "# seq %llu kind %u code %u came\n", (unsigned long long)rec->seq,
		rec->kind, rec->code);
	return 0;
}

#define NEXT(kind, code, rec) \
	ASSERT_TRUE(next_is(self->fd, RDMAEV_KIND_##kind, code, rec))

/* The port leaves ACTIVE, with its event; it is back, with its event. */
#define GO_DOWN(port, err, state) do {					\
	ASSERT_EQ(set(port, "state", "%u", STATE_DOWN), 0);		\
	ASSERT_EQ(event(PORT_ERR, port), 0);				\
	NEXT(ASYNC, PORT_ERR, err);					\
	NEXT(PORT, RDMAEV_PORT_STATE, state);				\
} while (0)

#define COME_BACK(port, active, state) do {				\
	ASSERT_EQ(set(port, "state", "%u", STATE_ACTIVE), 0);		\
	ASSERT_EQ(event(PORT_ACTIVE, port), 0);				\
	NEXT(ASYNC, PORT_ACTIVE, active);				\
	NEXT(PORT, RDMAEV_PORT_STATE, state);				\
} while (0)

#define EXPECT_OUTAGE(rec, since, ns, admin_ns, flags) do {		\
	EXPECT_EQ((rec).body.port.down_since_ns, since);		\
	EXPECT_EQ((rec).body.port.down_ns, ns);				\
	EXPECT_EQ((rec).body.port.down_admin_ns, admin_ns);		\
	EXPECT_EQ((rec).body.port.outage_flags, flags);			\
} while (0)

#define EXPECT_SUMS(port, since, last, longest, total, admin) do {	\
	EXPECT_EQ((port).down_since_ns, since);				\
	EXPECT_EQ((port).down_last_ns, last);				\
	EXPECT_EQ((port).down_longest_ns, longest);			\
	EXPECT_EQ((port).down_total_ns, total);				\
	EXPECT_EQ((port).down_admin_ns, admin);				\
} while (0)

/* A record after outage_ms, one at the end, and the times of the events */
TEST_F(port, long_outage_is_recorded)
{
	struct rdmaev_record err, state, outage, active, back, end;
	struct rdmaev_port ports[2];
	uint64_t ns;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], 0, 0, 0, 0, 0);
	EXPECT_EQ(ports[0].outage_flags, 0);
	ASSERT_EQ(param("outage_ms", SOON), 0);
	GO_DOWN(1, &err, &state);
	EXPECT_OUTAGE(state, err.boottime_ns, 0, 0, 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &outage);
	EXPECT_EQ(outage.cause, err.seq);
	EXPECT_EQ(outage.port, 1);
	EXPECT_EQ(outage.device, self->index);
	EXPECT_EQ(outage.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(outage.ring, RDMAEV_RING_PORT);
	EXPECT_EQ(outage.object_type, RDMAEV_OBJECT_PORT);
	EXPECT_EQ(outage.source, RDMAEV_SOURCE_RDMAEV);
	EXPECT_EQ(outage.body.port.outages, 1);
	EXPECT_EQ(outage.body.port.before.number, STATE_ACTIVE);
	EXPECT_EQ(outage.body.port.after.number, STATE_DOWN);
	EXPECT_EQ(outage.body.port.down_since_ns, err.boottime_ns);
	EXPECT_GE(outage.body.port.down_ns, SOON * 1000000ULL);
	EXPECT_LE(outage.body.port.down_ns, outage.boottime_ns - err.boottime_ns);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], err.boottime_ns, 0, 0, 0, 0);
	EXPECT_SUMS(ports[1], 0, 0, 0, 0, 0);
	/* Once */
	ASSERT_TRUE(nothing(self->fd));

	COME_BACK(1, &active, &back);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &end);
	ns = active.boottime_ns - err.boottime_ns;
	EXPECT_OUTAGE(back, err.boottime_ns, ns, 0, 0);
	EXPECT_OUTAGE(end, err.boottime_ns, ns, 0, 0);
	EXPECT_EQ(end.cause, outage.seq);
	EXPECT_EQ(end.severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_EQ(end.body.port.before.number, STATE_DOWN);
	EXPECT_EQ(end.body.port.after.number, STATE_ACTIVE);
	EXPECT_EQ(end.count, 1);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], 0, ns, ns, ns, 0);
	EXPECT_EQ(ports[0].outages, 1);
	EXPECT_EQ(ports[0].outage_flags, 0);
	EXPECT_SUMS(ports[1], 0, 0, 0, 0, 0);
}

/*
 * Ten short outages and one long one: which were recorded is right by their own
 * times, and the sums are those of the events.
 */
TEST_F_TIMEOUT(port, one_long_outage_among_ten_short_ones, 120)
{
	uint64_t last = 0, longest = 0, total = 0;
	struct rdmaev_record err, active = {}, rec;
	struct rdmaev_port ports[2];
	int i, recorded = 0;

	ASSERT_EQ(param("outage_ms", 1500), 0);
	for (i = 0; i < 11; i++) {
		int is_recorded = 0;

		GO_DOWN(2, &err, &rec);
		if (i == 4) {
			NEXT(PORT, RDMAEV_PORT_OUTAGE, &rec);
			is_recorded = 1;
		} else {
			sleep_ms(50);
		}
		ASSERT_EQ(set(2, "state", "%u", STATE_ACTIVE), 0);
		ASSERT_EQ(event(PORT_ACTIVE, 2), 0);
		do {
			ASSERT_TRUE(next(self->fd, &rec));
			if (rec.kind == RDMAEV_KIND_ASYNC)
				active = rec;
			else
				is_recorded |= rec.code == RDMAEV_PORT_OUTAGE;
		} while (rec.code != RDMAEV_PORT_STATE);
		last = active.boottime_ns - err.boottime_ns;
		EXPECT_OUTAGE(rec, err.boottime_ns, last, 0, 0);
		EXPECT_EQ(is_recorded, last >= 1500000000);
		if (is_recorded)
			NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &rec);
		recorded += is_recorded;
		longest = last > longest ? last : longest;
		total += last;
	}
	ASSERT_TRUE(nothing(self->fd));
	EXPECT_GE(recorded, 1);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].outages, 11);
	EXPECT_SUMS(ports[1], 0, last, longest, total, 0);
	EXPECT_SUMS(ports[0], 0, 0, 0, 0, 0);
}

/* Outages that no query found have the times of their events, too. */
TEST_F_TIMEOUT(port, unseen_outages_have_times, 60)
{
	uint64_t last = 0, longest = 0, total = 0;
	struct rdmaev_record err, active, rec;
	struct rdmaev_port ports[2];
	int i;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	for (i = 0; i < 3; i++) {
		/* Straight to the handlers: the core would drop these events. */
		ASSERT_EQ(gen("process", "sim0", PORT_ERR, 1, 1), 1);
		NEXT(ASYNC, PORT_ERR, &err);
		sleep_ms(i == 1 ? 100 : 1);
		ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 1, 1), 1);
		NEXT(ASYNC, PORT_ACTIVE, &active);
		last = active.boottime_ns - err.boottime_ns;
		longest = last > longest ? last : longest;
		total += last;
	}
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_UNSEEN, &rec);
	EXPECT_EQ(rec.count, 3);
	EXPECT_OUTAGE(rec, err.boottime_ns, total, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 3);
	EXPECT_SUMS(ports[0], 0, last, longest, total, 0);
}

/* Of three outages, a query finds the last one. */
TEST_F_TIMEOUT(port, outage_after_unseen_ones, 60)
{
	struct rdmaev_record err, active, unseen, state, back;
	uint64_t since = 0, ns = 0, last = 0, longest = 0;
	struct rdmaev_port ports[2];
	int i;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(gen("process", "sim0", PORT_ERR, 1, 1), 1);
		NEXT(ASYNC, PORT_ERR, &err);
		if (i == 2)
			break;
		sleep_ms(20);
		ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 1, 1), 1);
		NEXT(ASYNC, PORT_ACTIVE, &active);
		last = active.boottime_ns - err.boottime_ns;
		longest = last > longest ? last : longest;
		ns += last;
		since = err.boottime_ns;
	}
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_UNSEEN, &unseen);
	EXPECT_EQ(unseen.count, 2);
	EXPECT_OUTAGE(unseen, since, ns, 0, 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &state);
	EXPECT_OUTAGE(state, err.boottime_ns, 0, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 3);
	EXPECT_SUMS(ports[0], err.boottime_ns, last, longest, ns, 0);
	COME_BACK(1, &active, &back);
	last = active.boottime_ns - err.boottime_ns;
	EXPECT_OUTAGE(back, err.boottime_ns, last, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], 0, last, last > longest ? last : longest, ns + last, 0);
}

/* Between two queries the port came back, and went down again and came back. */
TEST_F_TIMEOUT(port, outage_after_a_seen_one, 60)
{
	struct rdmaev_record err, state, active[2], again, back, unseen;
	struct rdmaev_port ports[2];
	uint64_t first, second;
	int i;

	GO_DOWN(1, &err, &state);
	ASSERT_EQ(set(1, "fail", "1"), 0);
	for (i = 0; i < 2; i++) {
		if (i) {
			ASSERT_EQ(gen("process", "sim0", PORT_ERR, 1, 1), 1);
			NEXT(ASYNC, PORT_ERR, &again);
		}
		ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 1, 1), 1);
		NEXT(ASYNC, PORT_ACTIVE, &active[i]);
	}
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &back);
	first = active[0].boottime_ns - err.boottime_ns;
	EXPECT_OUTAGE(back, err.boottime_ns, first, 0, 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_UNSEEN, &unseen);
	second = active[1].boottime_ns - again.boottime_ns;
	EXPECT_OUTAGE(unseen, again.boottime_ns, second, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 2);
	EXPECT_SUMS(ports[0], 0, second, first > second ? first : second, first + second, 0);
}

/* Changes without events: found by queries, which is said. */
TEST_F(port, polled_times_are_bounds)
{
	struct rdmaev_record state, outage, back, end;
	struct rdmaev_port ports[2];

	ASSERT_EQ(param("outage_ms", SOON), 0);
	ASSERT_EQ(param("poll_ms", 20), 0);
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &state);
	EXPECT_EQ(state.body.port.outage_flags, RDMAEV_OUTAGE_BEGIN_FOUND);
	EXPECT_LE(state.body.port.down_since_ns, state.boottime_ns);
	EXPECT_EQ(state.body.port.down_ns, 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &outage);
	/* No event: the change of the state took the port down. */
	EXPECT_EQ(outage.cause, state.seq);
	EXPECT_EQ(outage.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(outage.body.port.down_since_ns, state.body.port.down_since_ns);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outage_flags, RDMAEV_OUTAGE_BEGIN_FOUND);
	EXPECT_EQ(ports[0].down_since_ns, state.body.port.down_since_ns);
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &back);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &end);
	EXPECT_EQ(end.body.port.outage_flags,
		  RDMAEV_OUTAGE_BEGIN_FOUND | RDMAEV_OUTAGE_END_FOUND);
	EXPECT_GE(end.body.port.down_ns, outage.body.port.down_ns);
	EXPECT_LE(end.body.port.down_ns, end.boottime_ns - state.body.port.down_since_ns);
	EXPECT_EQ(end.body.port.down_ns, back.body.port.down_ns);
}

/* The event comes before it is true: the end is when a query finds it. */
TEST_F(port, early_active_is_not_the_end)
{
	struct rdmaev_record err, state, active, rec, back;

	GO_DOWN(1, &err, &state);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	NEXT(ASYNC, PORT_ACTIVE, &active);
	/* A query finds the port DOWN in spite of the event: INIT shows it. */
	ASSERT_EQ(set(1, "state", "%u", STATE_INIT), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &rec);
	EXPECT_OUTAGE(rec, 0, 0, 0, 0);
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &back);
	EXPECT_EQ(back.cause, active.seq);
	EXPECT_EQ(back.body.port.outage_flags, RDMAEV_OUTAGE_END_FOUND);
	EXPECT_GE(back.body.port.down_ns, rec.boottime_ns - err.boottime_ns);
	EXPECT_LE(back.body.port.down_ns, back.boottime_ns - err.boottime_ns);
}

/* PORT_ACTIVE and PORT_ERR, and each query finds it DOWN: one outage. */
TEST_F_TIMEOUT(port, events_that_are_not_true_do_not_divide_it, 60)
{
	struct rdmaev_record err, state, active, rec, back;
	struct rdmaev_port ports[2];
	int i;

	GO_DOWN(1, &err, &state);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
		NEXT(ASYNC, PORT_ACTIVE, &rec);
		sleep_ms(50);
		ASSERT_EQ(event(PORT_ERR, 1), 0);
		NEXT(ASYNC, PORT_ERR, &rec);
		sleep_ms(50);
	}
	COME_BACK(1, &active, &back);
	EXPECT_OUTAGE(back, err.boottime_ns, active.boottime_ns - err.boottime_ns, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 1);
	EXPECT_EQ(ports[0].down_total_ns, back.body.port.down_ns);
}

/* PORT_ERR alone, and the port stays ACTIVE: down until a query found it. */
TEST_F_TIMEOUT(port, outage_without_an_end, 60)
{
	struct rdmaev_record err, rec;
	struct rdmaev_port ports[2];

	ASSERT_EQ(event(PORT_ERR, 1), 0);
	NEXT(ASYNC, PORT_ERR, &err);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_UNSEEN, &rec);
	EXPECT_EQ(rec.body.port.down_since_ns, err.boottime_ns);
	EXPECT_EQ(rec.body.port.outage_flags, RDMAEV_OUTAGE_END_FOUND);
	EXPECT_GT(rec.body.port.down_ns, 0);
	/* The first of the queries that are repeated for five seconds */
	EXPECT_LT(rec.body.port.down_ns, (rec.boottime_ns - err.boottime_ns) / 2);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], 0, rec.body.port.down_ns, rec.body.port.down_ns,
		    rec.body.port.down_ns, 0);
}

/* The network device set down, and the carrier lost: both are outages. */
TEST_F(port, administrative_and_carrier)
{
	struct rdmaev_record err[2], state, outage, active, back, end;
	struct rdmaev_port ports[2];
	uint64_t admin, carrier;

	ASSERT_EQ(param("outage_ms", SOON), 0);
	ASSERT_EQ(netdev_set("sim0_1", 0), 0);
	GO_DOWN(1, &err[0], &state);
	EXPECT_OUTAGE(state, err[0].boottime_ns, 0, 0, RDMAEV_OUTAGE_ADMIN);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &outage);
	EXPECT_EQ(outage.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(outage.body.port.outage_flags, RDMAEV_OUTAGE_ADMIN);
	EXPECT_EQ(outage.body.port.down_admin_ns, outage.body.port.down_ns);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outage_flags, RDMAEV_OUTAGE_ADMIN);
	ASSERT_EQ(netdev_set("sim0_1", 1), 0);
	COME_BACK(1, &active, &back);
	admin = active.boottime_ns - err[0].boottime_ns;
	NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &end);
	EXPECT_OUTAGE(end, err[0].boottime_ns, admin, admin, RDMAEV_OUTAGE_ADMIN);

	GO_DOWN(2, &err[1], &state);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &outage);
	EXPECT_EQ(outage.body.port.outage_flags, 0);
	EXPECT_EQ(outage.body.port.down_admin_ns, 0);
	COME_BACK(2, &active, &back);
	carrier = active.boottime_ns - err[1].boottime_ns;
	NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &end);
	EXPECT_OUTAGE(end, err[1].boottime_ns, carrier, 0, 0);

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_SUMS(ports[0], 0, admin, admin, admin, admin);
	EXPECT_SUMS(ports[1], 0, carrier, carrier, carrier, 0);
}

/* The carrier is lost; later the network device is set down, for a while. */
TEST_F(port, partly_administrative)
{
	struct rdmaev_record err, state, down, up, active, back;
	struct rdmaev_port ports[2];
	uint64_t admin;

	GO_DOWN(1, &err, &state);
	EXPECT_EQ(state.body.port.outage_flags, 0);
	ASSERT_EQ(netdev_set("sim0_1", 0), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	NEXT(ASYNC, PORT_ERR, &down);
	do {
		ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	} while (!(ports[0].outage_flags & RDMAEV_OUTAGE_ADMIN));
	sleep_ms(50);
	ASSERT_EQ(netdev_set("sim0_1", 1), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	NEXT(ASYNC, PORT_ERR, &up);
	ASSERT_TRUE(nothing(self->fd));
	COME_BACK(1, &active, &back);
	admin = back.body.port.down_admin_ns;
	EXPECT_OUTAGE(back, err.boottime_ns, active.boottime_ns - err.boottime_ns, admin,
		      RDMAEV_OUTAGE_ADMIN);
	/* By queries, so up to the next one after each event */
	EXPECT_GE(admin, 50000000);
	EXPECT_LE(admin, active.boottime_ns - down.boottime_ns);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].down_admin_ns, admin);
	EXPECT_EQ(ports[0].down_total_ns, back.body.port.down_ns);
}

/* An InfiniBand port has no network device, and never tells why. */
TEST_F(port, infiniband_is_never_administrative)
{
	struct rdmaev_record err, state, active, back;
	struct rdmaev_port ports[2];

	ASSERT_EQ(sim_destroy("sim0"), 0);
	ASSERT_EQ(sim_create("sim0", 2), 0);
	self->index = device_index(self->fd, "sim0");
	/* The query of a new device */
	ASSERT_TRUE(nothing(self->fd));
	GO_DOWN(1, &err, &state);
	COME_BACK(1, &active, &back);
	EXPECT_OUTAGE(back, err.boottime_ns, active.boottime_ns - err.boottime_ns, 0, 0);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].down_total_ns, back.body.port.down_ns);
	EXPECT_EQ(ports[0].down_admin_ns, 0);
}

/* INIT and ARMED are not ACTIVE; the record has the state at that time. */
TEST_F(port, outage_of_a_port_without_subnet_manager)
{
	struct rdmaev_record rec;

	ASSERT_EQ(set(1, "state", "%u", STATE_INIT), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	NEXT(ASYNC, PORT_ERR, &rec);
	NEXT(PORT, RDMAEV_PORT_STATE, &rec);
	/* The parameter counts at once. */
	ASSERT_EQ(param("outage_ms", 1), 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &rec);
	EXPECT_EQ(rec.body.port.after.number, STATE_INIT);
	ASSERT_EQ(param("outage_ms", NEVER), 0);
	/* A record of the end, though none would begin now */
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE_DEFER), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	NEXT(ASYNC, PORT_ACTIVE, &rec);
	NEXT(PORT, RDMAEV_PORT_STATE, &rec);
	NEXT(PORT, RDMAEV_PORT_OUTAGE_END, &rec);
	EXPECT_EQ(rec.body.port.after.number, STATE_ACTIVE_DEFER);
}

/* No record before its time, none with 0, and at most one. */
TEST_F(port, parameter)
{
	struct rdmaev_record err, state, rec;

	ASSERT_EQ(param("outage_ms", 4294967295U), 0);
	GO_DOWN(1, &err, &state);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(param("outage_ms", NEVER), 0);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(param("outage_ms", SOON), 0);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &rec);
	ASSERT_EQ(param("outage_ms", 1), 0);
	ASSERT_TRUE(nothing(self->fd));
}

/*
 * Before an outage is recorded, the port is queried: the core may have dropped
 * PORT_ACTIVE.
 */
TEST_F(port, outage_that_is_over_is_not_recorded)
{
	struct rdmaev_record err, state, back;

	GO_DOWN(1, &err, &state);
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_TRUE(nothing(self->fd));
	/* Longer than it takes to get here, so that it is not yet due */
	ASSERT_EQ(param("outage_ms", 3000), 0);
	NEXT(PORT, RDMAEV_PORT_STATE, &back);
	EXPECT_EQ(back.body.port.after.number, STATE_ACTIVE);
	EXPECT_EQ(back.body.port.outage_flags, RDMAEV_OUTAGE_END_FOUND);
}

/* The removal of the device ends an outage, without a record. */
TEST_F(port, removed_while_down)
{
	struct rdmaev_record err, state, outage, remove;
	struct rdmaev_port list[128];
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.flags = RDMAEV_PORTS_REMOVED,
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
		.device = self->index,
	};
	struct rdmaev_port *port = NULL;
	unsigned int i;
	uint64_t total;

	ASSERT_EQ(param("outage_ms", SOON), 0);
	GO_DOWN(1, &err, &state);
	NEXT(PORT, RDMAEV_PORT_OUTAGE, &outage);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	ASSERT_EQ(sim_destroy("sim0"), 0);
	do {
		ASSERT_TRUE(next(self->fd, &remove));
		EXPECT_FALSE(remove.kind == RDMAEV_KIND_PORT &&
			     remove.code == RDMAEV_PORT_OUTAGE_END);
	} while (remove.kind != RDMAEV_KIND_DEVICE);
	EXPECT_EQ(remove.code, RDMAEV_DEVICE_REMOVE);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PORTS, &req), 0);
	for (i = 0; i < req.count; i++)
		if (list[i].generation == err.generation && list[i].port == 1)
			port = &list[i];
	ASSERT_NE(port, NULL);
	EXPECT_EQ(port->down_since_ns, err.boottime_ns);
	EXPECT_GE(port->down_total_ns, remove.boottime_ns - err.boottime_ns);
	EXPECT_EQ(port->down_last_ns, port->down_total_ns);
	EXPECT_EQ(port->down_longest_ns, port->down_total_ns);
	EXPECT_EQ(port->down_admin_ns, 0);
	total = port->down_total_ns;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PORTS, &req), 0);
	EXPECT_EQ(port->down_total_ns, total);
}

TEST_HARNESS_MAIN
