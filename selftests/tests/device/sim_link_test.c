// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ports of each link type, simulated by rdmaev_sim: their attributes, and the
 * records of changes. sim_port_test.c has more about InfiniBand.
 */
#include "sim_link.h"

#define IB	RDMAEV_PROTOCOL_IB
#define ROCE	RDMAEV_PROTOCOL_ROCE
#define IWARP	RDMAEV_PROTOCOL_IWARP

static const uint8_t no_gid[16];

/* 192.0.2.1 and 192.0.2.2, reserved for documentation */
static const uint8_t mapped[2][16] = {
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1 },
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 2 },
};

/* Set the MAC address of a network interface; 0 if done. */
static int read_mac(const char *netdev, uint8_t *mac)
{
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/address", netdev);
	f = fopen(path, "r");
	if (!f)
		return -1;
	n = fscanf(f, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1],
		   &mac[2], &mac[3], &mac[4], &mac[5]);
	fclose(f);
	return n == 6 ? 0 : -1;
}

/* fe80::EUI-64, which the core derives from a MAC address */
static void default_gid(const uint8_t *mac, uint8_t *gid)
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	gid[8] = mac[0] ^ 2;
	gid[9] = mac[1];
	gid[10] = mac[2];
	gid[11] = 0xff;
	gid[12] = 0xfe;
	gid[13] = mac[3];
	gid[14] = mac[4];
	gid[15] = mac[5];
}

#define EXPECT_GID(r, on_port, at, old, new, by) do {			\
	EXPECT_PORT(r, RDMAEV_PORT_GID, on_port, by);			\
	EXPECT_EQ((r).ring, RDMAEV_RING_INFO);				\
	EXPECT_EQ((r).body.port.index, at);				\
	EXPECT_EQ(memcmp((r).body.port.before.gid, old, 16), 0);	\
	EXPECT_EQ(memcmp((r).body.port.after.gid, new, 16), 0);		\
} while (0)

TEST_F_TIMEOUT(link, ports, 120)
{
	struct rdmaev_port ports[3];
	int i;

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 3), 2);
	for (i = 0; i < 2; i++) {
		int is_ib = variant->protocol == IB;

		EXPECT_EQ(ports[i].device, self->index);
		EXPECT_EQ(ports[i].generation, self->generation);
		EXPECT_EQ(ports[i].port, i + 1);
		EXPECT_EQ(ports[i].link_layer, variant->link_layer);
		EXPECT_EQ(ports[i].protocols, variant->protocol);
		EXPECT_EQ(ports[i].state, STATE_ACTIVE);
		EXPECT_EQ(ports[i].phys_state, PHYS_LINK_UP);
		EXPECT_EQ(ports[i].lid, is_ib ? FIRST_LID(i + 1) : 0);
		EXPECT_EQ(ports[i].sm_lid, is_ib ? FIRST_SM_LID : 0);
		EXPECT_EQ(ports[i].speed, SPEED_EDR);
		EXPECT_EQ(ports[i].width, WIDTH_4X);
		EXPECT_EQ(ports[i].outages, 0);
		EXPECT_EQ(ports[i].gids, variant->gids);
		EXPECT_EQ(ports[i].pkeys, variant->pkeys);
	}
}

TEST_F_TIMEOUT(link, state, 120)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[3];

	ASSERT_EQ(set(2, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(2, "phys_state", "%u", PHYS_POLLING), 0);
	ASSERT_EQ(event(PORT_ERR, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], PORT_ERR, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 2, STATE_ACTIVE, STATE_DOWN,
		      r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(r[1].generation, self->generation);
	EXPECT_EQ(r[1].body.port.outages, 1);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 2, PHYS_LINK_UP,
		      PHYS_POLLING, r[0]);

	ASSERT_EQ(set(2, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_EQ(set(2, "phys_state", "%u", PHYS_LINK_UP), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], PORT_ACTIVE, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 2, STATE_DOWN, STATE_ACTIVE,
		      r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PHYS_STATE, 2, PHYS_POLLING,
		      PHYS_LINK_UP, r[0]);

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].outages, 0);
	EXPECT_EQ(ports[1].outages, 1);
	EXPECT_EQ(ports[1].state, STATE_ACTIVE);
}

TEST_F_TIMEOUT(link, speed, 120)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(set(1, "speed", "%u", SPEED_HDR), 0);
	ASSERT_EQ(set(1, "width", "%u", WIDTH_1X), 0);
	ASSERT_EQ(event(DEVICE_SPEED_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], DEVICE_SPEED_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_SPEED, 1, SPEED_EDR, SPEED_HDR, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_WIDTH, 1, WIDTH_4X, WIDTH_1X, r[0]);
	EXPECT_EQ(r[2].severity, RDMAEV_SEVERITY_WARNING);

	/* Down, a port has no link to compare. */
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(1, "speed", "%u", SPEED_SDR), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN,
		      r[0]);

	/* It comes back slower than its last link. */
	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_EQ(set(1, "speed", "%u", SPEED_EDR), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_DOWN, STATE_ACTIVE,
		      r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_SPEED, 1, SPEED_HDR, SPEED_EDR, r[0]);
	EXPECT_EQ(r[2].severity, RDMAEV_SEVERITY_WARNING);

	ASSERT_EQ(set(1, "width", "%u", WIDTH_4X), 0);
	ASSERT_EQ(event(DEVICE_SPEED_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_WIDTH, 1, WIDTH_1X, WIDTH_4X, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_INFO);
}

/* No event reports the MTU: a query after any finds it, or the next one. */
TEST_F_TIMEOUT(link, mtu, 120)
{
	struct rdmaev_port ports[2];
	struct rdmaev_record r[3];

	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].mtu, 4096);
	ASSERT_EQ(set(1, "mtu", "%u", IB_MTU_1024), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], SM_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_MTU, 1, 4096, 1024, r[0]);
	EXPECT_EQ(r[1].severity, RDMAEV_SEVERITY_WARNING);

	/* Down, it has none to compare. */
	ASSERT_EQ(set(1, "state", "%u", STATE_DOWN), 0);
	ASSERT_EQ(set(1, "mtu", "%u", IB_MTU_256), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_ACTIVE, STATE_DOWN, r[0]);

	ASSERT_EQ(set(1, "state", "%u", STATE_ACTIVE), 0);
	ASSERT_EQ(set(1, "mtu", "%u", IB_MTU_4096), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_CHANGE(r[1], RDMAEV_PORT_STATE, 1, STATE_DOWN, STATE_ACTIVE, r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_MTU, 1, 1024, 4096, r[0]);
	EXPECT_EQ(r[2].severity, RDMAEV_SEVERITY_INFO);
	ASSERT_EQ(snapshot(self->fd, self->index, ports, 2), 2);
	EXPECT_EQ(ports[0].mtu, 4096);
}

/* siw reports LID_CHANGE; the driver sets the LID, here to another value. */
TEST_F_TIMEOUT(link, lid, 120)
{
	struct rdmaev_record r[3];
	int is_ib = variant->protocol == IB;

	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(set(1, "lid", "1001"), 0);
	ASSERT_EQ(set(1, "sm_lid", "7"), 0);
	ASSERT_EQ(event(LID_CHANGE, 1), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], LID_CHANGE, 1);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_LID, 1, is_ib ? FIRST_LID(1) : 0, 1001,
		      r[0]);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_SM_LID, 1, is_ib ? FIRST_SM_LID : 0, 7,
		      r[0]);
}

TEST_F_TIMEOUT(link, pkey, 120)
{
	struct rdmaev_record r[3];

	if (!variant->pkeys) {
		/* No P_Key table, so no change. */
		EXPECT_EQ(set(2, "pkey", "0 0x8001"), -1);
		ASSERT_EQ(event(PKEY_CHANGE, 2), 0);
		ASSERT_TRUE(exactly(self->fd, r, 1));
		EXPECT_ASYNC(r[0], PKEY_CHANGE, 2);
		return;
	}
	ASSERT_EQ(set(2, "pkey", "0 0x8001"), 0);
	ASSERT_EQ(set(2, "pkey", "7 0x7fff"), 0);
	ASSERT_EQ(event(PKEY_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 3));
	EXPECT_ASYNC(r[0], PKEY_CHANGE, 2);
	EXPECT_CHANGE(r[1], RDMAEV_PORT_PKEY, 2, FIRST_PKEY, 0x8001, r[0]);
	EXPECT_EQ(r[1].body.port.index, 0);
	EXPECT_CHANGE(r[2], RDMAEV_PORT_PKEY, 2, 0, 0x7fff, r[0]);
	EXPECT_EQ(r[2].body.port.index, 7);
}

/*
 * RoCE: the core derives GIDs from addresses, and reports each change itself.
 */
static void roce_gid(struct __test_metadata *_metadata,
		     struct _test_data_link *self)
{
	struct rdmaev_record r[2];

	ASSERT_EQ(sh("ip addr add 192.0.2.1/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], GID_CHANGE, 2);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_PORT);
	EXPECT_EQ(r[0].ring, RDMAEV_RING_INFO);
	EXPECT_EQ(r[0].severity, RDMAEV_SEVERITY_INFO);
	EXPECT_GID(r[1], 2, 1, no_gid, mapped[0], r[0]);
	ASSERT_EQ(sh("ip addr add 192.0.2.2/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_GID(r[1], 2, 2, no_gid, mapped[1], r[0]);
	/* The other interface belongs to the other port. */
	ASSERT_EQ(sh("ip addr add 192.0.2.1/32 dev sim0_1"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], GID_CHANGE, 1);
	EXPECT_GID(r[1], 1, 1, no_gid, mapped[0], r[0]);

	ASSERT_EQ(sh("ip addr del 192.0.2.1/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_ASYNC(r[0], GID_CHANGE, 2);
	EXPECT_GID(r[1], 2, 1, mapped[0], no_gid, r[0]);
}

/* Others: the driver has the table, and the core reads it after an event. */
static void driver_gid(struct __test_metadata *_metadata,
		       struct _test_data_link *self, const uint8_t *old,
		       unsigned int told_by)
{
	static const uint8_t new[16] = {
		0x02, 0x11, 0x22, 0x33, 0x44, 0x55
	};
	struct rdmaev_record r[2];

	ASSERT_EQ(set(2, "gid", "0 0211223344550000 0"), 0);
	ASSERT_EQ(event(told_by, 2), 0);
	if (told_by == GID_CHANGE) {
		/*
		 * The core consumes this event, so the change is found at the
		 * next one.
		 */
		ASSERT_TRUE(nothing(self->fd));
		ASSERT_EQ(event(PORT_ACTIVE, 2), 0);
	}
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_GID(r[1], 2, 0, old, new, r[0]);
}

TEST_F_TIMEOUT(link, gid, 120)
{
	uint8_t first[16] = {};

	if (variant->protocol == ROCE) {
		roce_gid(_metadata, self);
		return;
	}
	if (variant->protocol == IWARP) {
		ASSERT_EQ(read_mac("sim0_2", first), 0);
	} else {
		struct rdmaev_device dev;
		int i;

		ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
		first[0] = 0xfe;
		first[1] = 0x80;
		for (i = 0; i < 8; i++)
			first[15 - i] = (dev.node_guid + 2) >> 8 * i;
	}
	driver_gid(_metadata, self, first, variant->protocol == IWARP ?
		   GID_CHANGE : CLIENT_REREGISTER);
}

/*
 * The same address again, with another version of RoCE: a change, although the
 * GID is the same. A query that fails, as SM_CHANGE asks for it, keeps the empty
 * entry in between from being seen.
 */
TEST_F_TIMEOUT(link, gid_type, 120)
{
	struct rdmaev_record r[2], rec;

	if (variant->protocol != ROCE) {
		EXPECT_EQ(set(2, "roce_version", "1"), -1);
		return;
	}
	ASSERT_EQ(sh("ip addr add 192.0.2.1/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_GID(r[1], 2, 1, no_gid, mapped[0], r[0]);
	EXPECT_EQ(r[1].body.port.gid_type_before, RDMAEV_GID_NONE);
	EXPECT_EQ(r[1].body.port.gid_type_after, RDMAEV_GID_ROCE_V2);

	ASSERT_EQ(set(2, "fail", "1"), 0);
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	ASSERT_EQ(sh("ip addr del 192.0.2.1/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_ASYNC(r[0], GID_CHANGE, 2);
	ASSERT_EQ(set(2, "roce_version", "1"), 0);
	ASSERT_EQ(sh("ip addr add 192.0.2.1/32 dev sim0_2"), 0);
	ASSERT_TRUE(exactly(self->fd, &r[1], 1));
	EXPECT_ASYNC(r[1], GID_CHANGE, 2);
	ASSERT_EQ(set(2, "fail", "0"), 0);
	ASSERT_EQ(event(SM_CHANGE, 2), 0);
	do {
		ASSERT_TRUE(next(self->fd, &rec));
	} while (rec.kind != RDMAEV_KIND_PORT);
	EXPECT_GID(rec, 2, 1, mapped[0], mapped[0], r[1]);
	EXPECT_EQ(rec.body.port.gid_type_before, RDMAEV_GID_ROCE_V2);
	EXPECT_EQ(rec.body.port.gid_type_after, RDMAEV_GID_ROCE_V1);
	EXPECT_EQ(rec.body.port.netdev_before, rec.body.port.netdev_after);
}

/*
 * Another MAC address is another GID: the old one is removed, the new one
 * added.
 */
TEST_F_TIMEOUT(link, mac, 120)
{
	static const uint8_t mac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
	uint8_t old_mac[6], old[16], new[16], now[16];
	struct rdmaev_record rec;
	int events = 0, index = -1;

	if (variant->protocol == IB) {
		/* No network interface. */
		EXPECT_EQ(access("/sys/class/net/sim0_1", F_OK), -1);
		return;
	}
	ASSERT_EQ(read_mac("sim0_1", old_mac), 0);
	default_gid(old_mac, old);
	default_gid(mac, new);
	ASSERT_EQ(sh("ip link set sim0_1 address 02:11:22:33:44:55"), 0);
	if (variant->protocol == IWARP) {
		/* The driver does not follow the interface. */
		EXPECT_TRUE(nothing(self->fd));
		return;
	}
	/* One query finds both changes, or two queries find one each. */
	memcpy(now, old, sizeof(now));
	while (memcmp(now, new, sizeof(now))) {
		ASSERT_TRUE(next(self->fd, &rec));
		if (rec.kind == RDMAEV_KIND_ASYNC) {
			EXPECT_ASYNC(rec, GID_CHANGE, 1);
			events++;
			continue;
		}
		EXPECT_EQ(rec.code, RDMAEV_PORT_GID);
		EXPECT_EQ(rec.port, 1);
		if (index < 0)
			index = rec.body.port.index;
		EXPECT_EQ(rec.body.port.index, index);
		EXPECT_EQ(memcmp(rec.body.port.before.gid, now, 16), 0);
		memcpy(now, rec.body.port.after.gid, sizeof(now));
	}
	EXPECT_EQ(index, 0);
	EXPECT_GE(events, 1);
	EXPECT_TRUE(nothing(self->fd));
}

/* A failed registration leaves nothing behind. */
TEST_F_TIMEOUT(link, create_fails, 120)
{
	struct rdmaev_device dev;
	char name[40];

	EXPECT_EQ(sim_create_link("sim0", 1, variant->name), -1);
	EXPECT_EQ(errno, EEXIST);
	EXPECT_EQ(sim_create_link("sim1", 1, "token-ring"), -1);
	if (variant->protocol != IB) {
		/* The name of the second port's interface is taken. */
		ASSERT_EQ(sh("ip link add sim1_2 type dummy"), 0);
		EXPECT_EQ(sim_create_link("sim1", 2, variant->name), -1);
		EXPECT_EQ(access("/sys/class/net/sim1_1", F_OK), -1);
		ASSERT_EQ(sh("ip link del sim1_2"), 0);
		memset(name, 'x', 14);
		name[14] = 0;
		EXPECT_EQ(sim_create_link(name, 1, variant->name), -1);
		EXPECT_EQ(errno, EINVAL);
	}
	EXPECT_FALSE(find_device(self->fd, "sim1", &dev));
	ASSERT_EQ(sim_create_link("sim1", 2, variant->name), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	EXPECT_EQ(access("/sys/class/net/sim1_1", F_OK), -1);
}

TEST_HARNESS_MAIN
