// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * InfiniBand ports, simulated by rdmaev_sim: changes and events of subnet
 * managers and drivers, with two ports. Soft RoCE supports none of them.
 */
#include "sim_ib.h"

TEST_F(sim, lid)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_PORT);
	EXPECT_EQ(r[0].ring, RDMAEV_RING_PORT);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, FIRST_LID(1), 1001, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[1].ring, RDMAEV_RING_PORT);
	EXPECT_EQ(r[1].generation, r[0].generation);
	EXPECT_EQ(r[1].body.port.outages, 0);

	sleep_ms(300);
	ASSERT_EQ(set(2, "lid", "65535"), 0);
	ASSERT_EQ(event(LID_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], LID_CHANGE, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 65535, r[0]);
	EXPECT_GE(r[1].body.port.previous_ns, 300000000);
	EXPECT_LE(r[1].body.port.previous_ns, 60000000000);
}

/* Both ports at once: the cause of each change is the event of its own port. */
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

/* An event is about one port: the other one is not queried. */
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
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
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
	EXPECT_EQ(r[1].ring, RDMAEV_RING_PORT);

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
	EXPECT_EQ(r[1].ring, RDMAEV_RING_INFO);
	EXPECT_EQ(r[1].body.port.index, 5);
	EXPECT_EQ(memcmp(r[1].body.port.before.gid, zero, 16), 0);
	EXPECT_EQ(memcmp(r[1].body.port.after.gid, gid, 16), 0);
	EXPECT_EQ(r[1].body.port.gid_type_before, RDMAEV_GID_NONE);
	EXPECT_EQ(r[1].body.port.gid_type_after, RDMAEV_GID_IB);
	EXPECT_EQ(r[1].body.port.netdev_after, 0);

	/*
	 * The core consumes a driver's GID_CHANGE: the changed entry is found
	 * at the next event.
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

/* All states of a link whose cable is pulled and plugged in. */
TEST_F(sim, states)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(1, "phys_state", "%u", PHYS_POLLING), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], PORT_ERR, 1);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN,
		      r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r[1].body.port.outages, 1);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 1, PHYS_LINK_UP,
		      PHYS_POLLING, r[0]);

	ASSERT_EQ(set(1, "state", "%u", STATE_INIT), 0);
	ASSERT_EQ(set(1, "phys_state", "%u", PHYS_LINK_UP), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_DOWN, STATE_INIT, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
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
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ARMED, STATE_ACTIVE,
		      r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[1].body.port.outages, 1);

	/* ACTIVE_DEFER counts as ACTIVE. */
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE_DEFER), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE,
		      STATE_ACTIVE_DEFER, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[1].body.port.outages, 1);

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].state, STATE_ACTIVE_DEFER);
	EXPECT_EQ(ports[0].outages, 1);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
	EXPECT_EQ(ports[1].outages, 0);
}

/*
 * DOWN without PORT_ERR, found by chance: an outage, too, recorded late and
 * once.
 */
TEST_F(sim, down_seen_before_it_is_told)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[2];

	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN,
		      r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r[1].body.port.outages, 1);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 1);
}

/* Each event is recorded, also without a difference. */
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

/*
 * The cause is the event that triggered the query, unless another event reports
 * exactly this change.
 */
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

TEST_F(sim, client_reregister)
{
	struct rdmaev_record r[1];

	ASSERT_EQ(event(CLIENT_REREGISTER, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], CLIENT_REREGISTER, 2);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_PORT);
}

/* About the device, whatever the port number is, and no reason to query it. */
TEST_F(sim, device_fatal)
{
	struct rdmaev_record r[1];

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(event(DEVICE_FATAL, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], DEVICE_FATAL, RDMAEV_NO_PORT);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_DEVICE);
	EXPECT_EQ(r[0].ring, RDMAEV_RING_PORT);
}

TEST_F(sim, unknown_number)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(UNKNOWN, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], UNKNOWN, 2);
	EXPECT_EQ(r[0].ring, RDMAEV_RING_INFO);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 2, FIRST_LID(2), 1002, r[0]);
}

/* No port, or one that does not exist: all ports are queried. */
TEST_F(sim, no_port)
{
	struct rdmaev_record r[3];
	int i;

	ASSERT_EQ(set(1, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(set(2, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(event(DEVICE_SPEED_CHANGE, 0), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], DEVICE_SPEED_CHANGE, RDMAEV_NO_PORT);
	for (i = 1; i <= 2; i++)
		EXPECT_CHANGE(r[i], RDMAEV_PORT_SPEED, i, SPEED_EDR, SPEED_HDR,
			      r[0]);

	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(2, "lid", "1002"), 0);
	ASSERT_EQ(event(SM_CHANGE, 3), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], SM_CHANGE, RDMAEV_NO_PORT);
	for (i = 1; i <= 2; i++)
		EXPECT_CHANGE(r[i], RDMAEV_PORT_LID, i, FIRST_LID(i), 1000 + i,
			      r[0]);
}

TEST_HARNESS_MAIN
