/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Records made up for the rules that join them to incidents, about two devices,
 * and the log that has them.
 */
#ifndef RDMAEV_TEST_INCIDENT_RECORDS_H
#define RDMAEV_TEST_INCIDENT_RECORDS_H

#include "incident/incident.h"
#include "incident/incident_end.h"
#include "incident/incident_own.h"
#include "incident/incident_parts.h"
#include "incident/incident_rules.h"
#undef ARRAY_SIZE
#include "format.h"
#include "kselftest_harness.h"

/* Device 1 has one port, device 2 has two. */
static struct rdmaev_device devices[] = {
	{ .index = 1, .generation = 1, .ports = 1 },
	{ .index = 2, .generation = 2, .ports = 2 },
};

/* Of device 1 no more is known than that it has the GID ::1. */
#define NETDEV	7
#define LID	17
static struct rdmaev_port ports[] = {
	{ .device = 2, .generation = 2, .port = 1, .netdev = NETDEV, .lid = LID },
	{ .device = 2, .generation = 2, .port = 2, .netdev = NETDEV + 1, .lid = LID + 1 },
};

static inline struct rdmaev_record record(unsigned int ms, uint32_t generation, uint32_t port,
					  unsigned int kind, unsigned int code)
{
	struct rdmaev_record r = made_up(kind, code);

	r.boottime_ns = (1000 + ms) * MS;
	r.device = generation;
	r.generation = generation;
	r.port = port ?: RDMAEV_NO_PORT;
	r.object_type = port ? RDMAEV_OBJECT_PORT : RDMAEV_OBJECT_NONE;
	r.cause = 0;
	return r;
}

static inline struct rdmaev_record event(unsigned int ms, uint32_t generation, uint32_t port,
					 unsigned int code)
{
	return record(ms, generation, port, RDMAEV_KIND_ASYNC, code);
}

static inline struct rdmaev_record state(unsigned int ms, uint32_t generation, uint32_t port,
					 unsigned int before, unsigned int after)
{
	struct rdmaev_record r = record(ms, generation, port, RDMAEV_KIND_PORT,
					RDMAEV_PORT_STATE);

	r.body.port.before.number = before;
	r.body.port.after.number = after;
	return r;
}

/* About a QP; of its peer, if that is not 0 */
static inline struct rdmaev_record qp(unsigned int ms, uint32_t generation, uint32_t port,
				      unsigned int kind, unsigned int code, uint32_t number,
				      uint32_t peer)
{
	struct rdmaev_record r = record(ms, generation, port, kind, code);
	uint32_t known = RDMAEV_KNOWN_OBJECT | (peer ? RDMAEV_KNOWN_PEER_QPN : 0);

	r.object_type = RDMAEV_OBJECT_QP;
	r.object = number;
	r.body.info.known = known;
	if (kind == RDMAEV_KIND_CM)
		r.body.cm.peer_qpn = peer;
	else
		r.body.qp.peer.qpn = peer;
	return r;
}

/* The removal of a device, which began earlier */
static inline struct rdmaev_record removal(unsigned int ms, uint32_t generation,
					   unsigned int since_ms)
{
	struct rdmaev_record r = record(ms, generation, 0, RDMAEV_KIND_DEVICE,
					RDMAEV_DEVICE_REMOVE);

	r.body.device.removing_since_ns = (1000 + since_ms) * MS;
	return r;
}

#define UNREACHABLE(ms, generation, port, number) \
	qp(ms, generation, port, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR, number, 0)

/* The port goes down, because its network device was set down. */
static inline struct rdmaev_record set_down(unsigned int ms, uint32_t port)
{
	struct rdmaev_record r = state(ms, 2, port, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN);

	r.body.port.outage_flags = RDMAEV_OUTAGE_ADMIN;
	return r;
}

enum gid_address { LINK_LOCAL, OTHER_IPV6, IPV4 };

/* The GID of an address of a network device is removed (or added). */
static inline struct rdmaev_record gid(unsigned int ms, uint32_t port, bool is_added,
				       enum gid_address address, unsigned int type, uint32_t netdev)
{
	static const uint8_t gids[][RDMAEV_GID_SIZE] = {
		[LINK_LOCAL] = { 0xfe, 0x80, [15] = 1 },
		[OTHER_IPV6] = { 0xfd, [15] = 1 },
		[IPV4] = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	};
	struct rdmaev_record r = record(ms, 2, port, RDMAEV_KIND_PORT, RDMAEV_PORT_GID);
	struct rdmaev_port_body *body = &r.body.port;

	memcpy(is_added ? body->after.gid : body->before.gid, gids[address], RDMAEV_GID_SIZE);
	*(is_added ? &body->gid_type_after : &body->gid_type_before) = type;
	*(is_added ? &body->netdev_after : &body->netdev_before) = netdev;
	return r;
}

#define GID_REMOVED(ms, address)	gid(ms, 1, false, address, RDMAEV_GID_ROCE_V2, NETDEV)
#define GID_ADDED(ms, address)		gid(ms, 1, true, address, RDMAEV_GID_ROCE_V2, NETDEV)

static inline struct rdmaev_record caused_by(uint64_t seq, struct rdmaev_record r)
{
	r.cause = seq;
	return r;
}

FIXTURE(rules)
{
	struct incident_log log;
	size_t room;
};

FIXTURE_SETUP(rules)
{
	self->log.devices = devices;
	self->log.devices_count = ARRAY_SIZE(devices);
	self->log.ports = ports;
	self->log.ports_count = ARRAY_SIZE(ports);
	ASSERT_EQ(add_own(&self->log, 1, (const uint8_t[RDMAEV_GID_SIZE]) { [15] = 1 }), 0);
}

FIXTURE_TEARDOWN(rules)
{
	self->log.devices = NULL;
	self->log.ports = NULL;
	free_incidents(&self->log);
}

/* Join these records, whose seqs are 1, 2 and so on. */
#define JOIN(...) do {							\
	struct rdmaev_record list[] = { __VA_ARGS__ };			\
	size_t n = ARRAY_SIZE(list), i;					\
									\
	for (i = 0; i < n; i++)						\
		list[i].seq = i + 1;					\
	ASSERT_EQ(add_records(&self->log, &self->room, list, n), 0);	\
	ASSERT_EQ(join_records(&self->log), 0);				\
} while (0)

/* A record, from 0, is joined to another one by a rule; or by none. */
#define EXPECT_JOINED(i, to, by) do {					\
	EXPECT_EQ(self->log.nodes[i].parent, (size_t)(to));		\
	ASSERT_NE(self->log.nodes[i].rule, NULL);			\
	EXPECT_STREQ(self->log.nodes[i].rule->name, by);		\
} while (0)
#define EXPECT_ALONE(i) do {						\
	EXPECT_EQ(self->log.nodes[i].parent, NONE);			\
	EXPECT_EQ(self->log.nodes[i].rule, NULL);			\
} while (0)

#endif /* RDMAEV_TEST_INCIDENT_RECORDS_H */
