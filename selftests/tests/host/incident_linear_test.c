// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As many records as rdmaev why reads, in logs that have the same again and again: a rule
 * that looks at many of them for each record would not end within the time of a test.
 */
#include "incident_records.h"

/* Record @i of a log; records of one log come within a minute. */
typedef struct rdmaev_record (*make_fn)(size_t i);

/* Join a log, summarize all trees, and return their number; 0: out of memory. */
static size_t trees_of(struct incident_log *log, size_t *room, make_fn make)
{
	size_t i, trees = 0, records = 0;

	for (i = 0; i < INCIDENT_RECORDS; i++) {
		struct rdmaev_record r = make(i);

		r.seq = i + 1;
		r.boottime_ns = 1000 * MS + i;
		if (add_records(log, room, &r, 1) < 0)
			return 0;
	}
	if (join_records(log) < 0)
		return 0;
	for (i = 0; i < log->count; i++) {
		if (log->nodes[i].parent != NONE)
			continue;
		trees++;
		records += summarize(log, i).records;
	}
	return records == log->count ? trees : 0;
}

/* A number is used again, by QPs that fail. */
static struct rdmaev_record of_one_qp(size_t i)
{
	return i % 2 ? qp(0, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, i / 2 + 1) :
		       qp(0, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR, 17, i / 2 + 1);
}

TEST_F(rules, of_one_qp)
{
	EXPECT_EQ(trees_of(&self->log, &self->room, of_one_qp), INCIDENT_RECORDS / 2);
}

/* All of the same peer; none of those that are closed is its other end. */
static struct rdmaev_record of_one_peer(size_t i)
{
	return i % 2 ? qp(0, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 100 + i, 17) :
		       qp(0, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 101 + i + INCIDENT_RECORDS);
}

TEST_F(rules, of_one_peer)
{
	/* Requests for one QP with another peer each */
	EXPECT_EQ(trees_of(&self->log, &self->room, of_one_peer), INCIDENT_RECORDS);
}

/* A connection with its addresses: ends of others, all at the same ones */
static struct rdmaev_record at_one_address(size_t i)
{
	struct rdmaev_record r = qp(0, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, i, 0);

	if (i % 2)
		r = qp(0, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, i, i);
	r.body.info.known |= i % 2 ? RDMAEV_KNOWN_PEER_GID :
			     RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR;
	return r;
}

TEST_F(rules, at_one_address)
{
	EXPECT_GT(trees_of(&self->log, &self->room, at_one_address), 0);
}

/* A port goes down, its GIDs with it, and comes back. */
static struct rdmaev_record of_flaps(size_t i)
{
	struct rdmaev_record r = record(0, 2, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_GID);

	switch (i % 8) {
	case 0:
		return event(0, 2, 1, RDMAEV_ASYNC_PORT_ERR);
	case 2:
	case 5:
		return event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE);
	case 4:
		return UNREACHABLE(0, 2, 1, i);
	case 7:
		return event(0, 2, 1, RDMAEV_ASYNC_PORT_ACTIVE);
	case 1:
		r = state(0, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN);
		r.body.port.outage_flags = RDMAEV_OUTAGE_ADMIN;
		r.cause = i;
		return r;
	case 3:
		r.body.port.before.gid[0] = 0xfe;
		r.body.port.gid_type_before = RDMAEV_GID_ROCE_V2;
		r.body.port.netdev_before = NETDEV;
		r.cause = i;
		return r;
	default:
		r.body.port.after.gid[0] = 0xfe;
		r.body.port.gid_type_after = RDMAEV_GID_ROCE_V2;
		r.body.port.netdev_after = NETDEV;
		r.cause = i;
		return r;
	}
}

TEST_F(rules, of_flaps)
{
	EXPECT_EQ(trees_of(&self->log, &self->room, of_flaps), INCIDENT_RECORDS / 8);
}

/* The same, but no query finds the state, so why the port was down is unknown. */
static struct rdmaev_record of_unconfirmed_flaps(size_t i)
{
	return i % 8 == 1 ? event(0, 1, 1, RDMAEV_ASYNC_SM_CHANGE) : of_flaps(i);
}

TEST_F(rules, of_unconfirmed_flaps)
{
	/* The port, another event, and a GID that is removed and added again */
	EXPECT_EQ(trees_of(&self->log, &self->room, of_unconfirmed_flaps),
		  INCIDENT_RECORDS / 8 * 3);
}

/* Devices that fail and are removed, one after the other */
static struct rdmaev_record of_devices(size_t i)
{
	const uint32_t generation = 10 + i / 4;

	switch (i % 4) {
	case 0:
		return event(0, generation, 0, RDMAEV_ASYNC_DEVICE_FATAL);
	case 1:
		return event(0, generation, 1, RDMAEV_ASYNC_PORT_ERR);
	case 2:
		return UNREACHABLE(0, generation, 1, i);
	default:
		return removal(0, generation, 0);
	}
}

TEST_F(rules, of_devices)
{
	EXPECT_EQ(trees_of(&self->log, &self->room, of_devices), INCIDENT_RECORDS / 4);
}

/* A device that never ends, and ports that never come back */
static struct rdmaev_record of_others(size_t i)
{
	return i % 2 ? event(0, 10 + i, 1, RDMAEV_ASYNC_PORT_ERR) :
		       record(0, 2, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE);
}

TEST_F(rules, of_others)
{
	EXPECT_EQ(trees_of(&self->log, &self->room, of_others), INCIDENT_RECORDS);
}

TEST_HARNESS_MAIN
