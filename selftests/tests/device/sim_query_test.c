// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries of InfiniBand ports, simulated by rdmaev_sim: those that fail or come
 * before or long after the change that an event reports, and those without an
 * event.
 */
#include "sim_ib.h"

/* The core has the tables: a query of them does not call the driver. */
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

/* A query that fails for a while is repeated without another event. */
TEST_F(sim, query_is_made_again)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	/* Straight to the handlers: the core would drop this event. */
	ASSERT_EQ(gen("process", "sim0", LID_CHANGE, 1, 1), 1);
	sleep_ms(20);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
}

/* A failed query records nothing, and loses no event. */
TEST_F(sim, query_fails)
{
	struct rdmaev_record r[3], sm, *lid;
	bool is_late;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(set(1, "sm_lid", "7"), 0);
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &sm, 1));
	EXPECT_ASYNC(sm, SM_CHANGE, 1);
	/* The core cannot query the port either, so it drops this event. */
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(nothing(self->fd));
	/* The other port can be queried. */
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);

	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_EQ(event(CLIENT_REREGISTER, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	/* A query for SM_CHANGE may be repeated in between, and find both. */
	is_late = r[0].kind == RDMAEV_KIND_PORT;
	EXPECT_ASYNC(r[is_late ? 2 : 0], CLIENT_REREGISTER, 1);
	lid = &r[is_late ? 0 : 1];
	if (!is_late)
		EXPECT_CHANGE(*lid, RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
	EXPECT_CHANGE(lid[1], RDMAEV_PORT_SM_LID, 1, FIRST_SM_LID, 7, sm);
}

static unsigned int queries_of(unsigned int port)
{
	char path[128];
	unsigned int n;
	FILE *f;

	snprintf(path, sizeof(path), SIM "sim0/%u/queries", port);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

static uint64_t boottime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The list has the error, and since when; the other port is as ever. */
TEST_F(sim, failure_is_listed)
{
	uint64_t before, since, after;
	struct rdmaev_port ports[2];
	unsigned int n;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].query_error, 0);
	EXPECT_EQ(ports[0].query_failed_since_ns, 0);
	ASSERT_EQ(set(1, "fail", "1"), 0);
	before = boottime_ns();
	ASSERT_EQ(param("poll_ms", 50), 0);
	do {
		ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	} while (!(ports[0].flags & RDMAEV_PORT_FLAG_QUERY_FAILED));
	after = boottime_ns();
	since = ports[0].query_failed_since_ns;
	EXPECT_EQ(ports[0].query_error, -ENODEV);
	EXPECT_GE(since, before);
	EXPECT_LE(since, after);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE);
	/* Others have failed since. */
	n = queries_of(1);
	while (queries_of(1) < n + 3)
		sleep_ms(10);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].query_error, -ENODEV);
	EXPECT_EQ(ports[0].query_failed_since_ns, since);
	EXPECT_EQ(ports[1].flags, 0);
	EXPECT_EQ(ports[1].query_error, 0);
	EXPECT_EQ(ports[1].query_failed_since_ns, 0);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
	ASSERT_EQ(set(1, "fail", "0"), 0);
	do {
		ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	} while (ports[0].flags);
	EXPECT_EQ(ports[0].query_error, 0);
	EXPECT_EQ(ports[0].query_failed_since_ns, 0);
}

/* However many events come, a query that fails is repeated three times a second at most. */
TEST_F_TIMEOUT(sim, failed_query_backs_off, 60)
{
	unsigned int n, last, most;
	uint64_t since;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	/* The delay doubles with each failure, five times. */
	for (n = queries_of(1); queries_of(1) < n + 6; sleep_ms(5))
		ASSERT_EQ(gen("process", "sim0", SM_CHANGE, 1, 1), 1);
	last = queries_of(1);
	since = boottime_ns();
	for (n = 0; n < 400; n++) {
		ASSERT_EQ(gen("process", "sim0", SM_CHANGE, 1, 1), 1);
		sleep_ms(5);
	}
	most = (boottime_ns() - since) / 320000000 + 1;
	EXPECT_LE(queries_of(1) - last, most);
	EXPECT_GE(queries_of(1) - last, 1);
	/* An event of the other port has it queried at once. */
	last = queries_of(2);
	ASSERT_EQ(gen("process", "sim0", SM_CHANGE, 2, 1), 1);
	while (queries_of(2) == last)
		sleep_ms(1);
}

/* ACTIVE again before the port could be queried: the outages are counted. */
TEST_F_TIMEOUT(sim, outages_without_queries, 120)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2], last;
	int i;

	ASSERT_EQ(set(1, "fail", "1"), 0);
	for (i = 0; i < 3; i++) {
		/*
		 * Straight to the handlers: the core would drop these events.
		 */
		ASSERT_EQ(gen("process", "sim0", PORT_ERR, 1, 1), 1);
		ASSERT_TRUE(exactly(self->fd, &last, 1));
		ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 1, 1), 1);
		ASSERT_TRUE(exactly(self->fd, r, 1));
	}
	/* A query of the other port changes nothing here. */
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 0);

	ASSERT_EQ(set(1, "fail", "0"), 0);
	/* This event alone would not cause a query. */
	ASSERT_EQ(event(PKEY_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_OUTAGE_UNSEEN, 1, 0, 3, last);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_EQ(r[1].ring, RDMAEV_RING_PORT);
	EXPECT_EQ(r[1].count, 3);
	EXPECT_EQ(r[1].body.port.outages, 3);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 3);
	EXPECT_EQ(ports[0].transitions, 0);
	EXPECT_EQ(ports[1].outages, 0);
}

static const struct rdmaev_record nothing_known;

/* As irdma and erdma do it: the event first, the state some time later. */
TEST_F(sim, active_is_reported_before_it_is_true)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2], active;
	int i;

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &active, 1));
	/* Queries for other events do not use up the retries. */
	for (i = 0; i < 7; i++) {
		ASSERT_EQ(event(SM_CHANGE, 1), 0);
		ASSERT_TRUE(next(self->fd, r));
	}
	ASSERT_EQ(set(1, "state", "%u", STATE_INIT), 0);
	ASSERT_TRUE(next(self->fd, r));
	EXPECT_CHANGE(r[0], RDMAEV_PORT_STATE, 1, STATE_DOWN, STATE_INIT, active);
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_TRUE(next(self->fd, r));
	EXPECT_CHANGE(r[0], RDMAEV_PORT_STATE, 1, STATE_INIT, STATE_ACTIVE, active);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	ASSERT_TRUE(nothing(self->fd));

	/*
	 * The port is ACTIVE again: the next time it is DOWN is another outage.
	 */
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN, r[0]);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 2);
	EXPECT_EQ(ports[0].transitions, 4);
}

/* A port without a carrier is DOWN all the time, whatever its events are. */
TEST_F_TIMEOUT(sim, active_is_reported_and_never_true, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2];
	uint64_t since;
	int i;

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	since = ports[0].state_since_ns;
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
		/* The last query before it gives up */
		sleep_ms(i < 5 ? 50 : 7000);
		ASSERT_EQ(event(PORT_ERR, 1), 0);
		ASSERT_TRUE(exactly(self->fd, r, 2));
		EXPECT_ASYNC(r[0], PORT_ACTIVE, 1);
		EXPECT_ASYNC(r[1], PORT_ERR, 1);
	}
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_DOWN);
	EXPECT_EQ(ports[0].state_since_ns, since);
	EXPECT_EQ(ports[0].outages, 1);
	EXPECT_EQ(ports[0].transitions, 1);
}

/* PORT_ERR before the query: one outage, and no unseen one. */
TEST_F(sim, down_is_reported_before_it_is_true)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r, err;

	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &err, 1));
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_TRUE(next(self->fd, &r));
	EXPECT_CHANGE(r, RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN, err);
	EXPECT_EQ(r.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r.body.port.outages, 1);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 1);
}

/* PORT_ERR alone, and the port stays ACTIVE: accepted after some seconds. */
TEST_F_TIMEOUT(sim, outage_without_an_end, 60)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r, err;
	uint64_t since;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	since = ports[0].state_since_ns;
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, &err, 1));
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, &r, 1));
	ASSERT_TRUE(next(self->fd, &r));
	EXPECT_CHANGE(r, RDMAEV_PORT_OUTAGE_UNSEEN, 1, 0, 1, err);
	EXPECT_EQ(r.count, 1);
	EXPECT_GT(r.body.port.previous_ns, 2000000000);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE);
	EXPECT_GT(ports[0].state_since_ns, since);
	EXPECT_EQ(ports[0].transitions, 0);
	/* The port is ACTIVE: the next PORT_ERR counts again. */
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(next(self->fd, &r));
	ASSERT_TRUE(next(self->fd, &r));
	ASSERT_TRUE(next(self->fd, &r));
	EXPECT_EQ(r.code, RDMAEV_PORT_OUTAGE_UNSEEN);
	EXPECT_EQ(r.body.port.outages, 2);
}

/* An event without a port number is no outage of all ports. */
TEST_F(sim, outage_of_no_port)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2];

	ASSERT_EQ(gen("process", "sim0", PORT_ERR, 0, 1), 1);
	ASSERT_EQ(gen("process", "sim0", PORT_ACTIVE, 0, 1), 1);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], PORT_ERR, RDMAEV_NO_PORT);
	EXPECT_ASYNC(r[1], PORT_ACTIVE, RDMAEV_NO_PORT);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 0);
	EXPECT_EQ(ports[1].outages, 0);
}

/* A port that waits for a retry does not delay others. */
TEST_F(sim, retries_hold_up_nothing)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	/* Retries are more than a second apart by now. */
	sleep_ms(1500);
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(next(self->fd, &r[0]));
	ASSERT_TRUE(next(self->fd, &r[1]));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
	EXPECT_LT(r[1].boottime_ns - r[0].boottime_ns, 500000000);
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(next(self->fd, &r[0]));
	ASSERT_TRUE(next(self->fd, &r[1]));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
	EXPECT_LT(r[1].boottime_ns - r[0].boottime_ns, 500000000);
}

/* Changes without an event, as the core drops some: found, without a cause. */
TEST_F(sim, polled)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(2, "state", "%u", STATE_DOWN), 0);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(param("poll_ms", 100), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[0], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, nothing_known);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 2, STATE_ACTIVE, STATE_DOWN,
		      nothing_known);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r[1].body.port.outages, 1);
	/* The event is late, and counts nothing twice. */
	ASSERT_EQ(event(PORT_ERR, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], PORT_ERR, 2);
	/* Repeat it. */
	ASSERT_EQ(set(2, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_CHANGE(r[0], RDMAEV_PORT_STATE, 2, STATE_DOWN, STATE_ACTIVE,
		      nothing_known);
	/* A port that cannot be queried is queried again later. */
	ASSERT_EQ(set(1, "fail", "1"), 0);
	ASSERT_EQ(set(1, "lid", "1002"), 0);
	ASSERT_TRUE(nothing(self->fd));
	ASSERT_EQ(set(1, "fail", "0"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_CHANGE(r[0], RDMAEV_PORT_LID, 1, 1001, 1002, nothing_known);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[1].outages, 1);

	ASSERT_EQ(param("poll_ms", 0), 0);
	sleep_ms(300);
	ASSERT_EQ(set(1, "lid", "1003"), 0);
	sleep_ms(300);
	ASSERT_TRUE(nothing(self->fd));
}

TEST_HARNESS_MAIN
