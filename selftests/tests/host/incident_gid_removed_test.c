// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a rule joins to a GID that was removed, and what it does not: records made up,
 * with times of their own.
 */
#include "incident_records.h"

static const uint8_t ipv4[RDMAEV_GID_SIZE] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
static const uint8_t other[RDMAEV_GID_SIZE] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };

static struct rdmaev_record at_index(unsigned int index, struct rdmaev_record r)
{
	r.body.port.index = index;
	return r;
}

/* A failure of QP @number, whose peer is at this GID */
static struct rdmaev_record failed(unsigned int ms, uint32_t port, unsigned int kind,
				   unsigned int code, uint32_t number, const uint8_t *peer)
{
	struct rdmaev_record r = qp(ms, 2, port, kind, code, number, 0);

	if (peer) {
		r.body.info.known |= RDMAEV_KNOWN_PEER_GID;
		memcpy(r.body.qp.peer.gid, peer, RDMAEV_GID_SIZE);
	}
	r.severity = RDMAEV_SEVERITY_ERROR;
	return r;
}

#define FAILED(ms, number, peer) \
	failed(ms, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_QP_OP_ERR, number, peer)

/* An event of the connection of QP @number, between these addresses */
static struct rdmaev_record connection(unsigned int ms, unsigned int code, int status,
				       uint32_t number, const uint8_t *local,
				       const uint8_t *peer)
{
	struct rdmaev_record r = qp(ms, 2, 1, RDMAEV_KIND_CM, code, number, 0);

	r.body.info.known |= RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR;
	r.body.cm.status = status;
	memcpy(r.body.cm.local_addr, local, RDMAEV_GID_SIZE);
	memcpy(r.body.cm.peer_addr, peer, RDMAEV_GID_SIZE);
	return r;
}

/* A failed request for RTR, with a GID index and the GID there, if there is one */
static struct rdmaev_record refused(unsigned int ms, uint32_t number, unsigned int index,
				    const uint8_t *own)
{
	struct rdmaev_record r = qp(ms, 2, 1, RDMAEV_KIND_QP, RDMAEV_QP_RTR, number, 0);

	r.body.qp.result = -22;
	r.body.qp.gid_index = index;
	r.body.info.known |= RDMAEV_KNOWN_GID_INDEX | (own ? RDMAEV_KNOWN_GID : 0);
	if (own)
		memcpy(r.body.qp.origin.gid, own, RDMAEV_GID_SIZE);
	r.severity = RDMAEV_SEVERITY_WARNING;
	return r;
}

/* The address of both ends: what fails until it is back, at another index */
TEST_F(rules, gid_removed)
{
	struct incident incident;

	JOIN(event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, at_index(1, GID_REMOVED(1, IPV4))),
	     FAILED(100, 17, ipv4),
	     failed(200, 1, RDMAEV_KIND_QP, RDMAEV_QP_FAILED, 18, ipv4),
	     failed(300, 1, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL, 19, ipv4),
	     connection(400, RDMAEV_CM_UNREACHABLE, -110, 20, ipv4, other),
	     connection(500, RDMAEV_CM_DISCONNECTED, -110, 21, other, ipv4),
	     event(3000, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(8, at_index(3, GID_ADDED(3001, IPV4))),
	     FAILED(3100, 22, ipv4));
	EXPECT_JOINED(2, 1, "gid_removed");
	EXPECT_JOINED(3, 1, "gid_removed");
	EXPECT_JOINED(4, 1, "gid_removed");
	EXPECT_JOINED(5, 1, "gid_removed");
	EXPECT_JOINED(6, 1, "gid_removed");
	EXPECT_JOINED(7, 1, "gid_removed");
	EXPECT_ALONE(9);
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.records, 9);
	EXPECT_TRUE(is_incident(&self->log, 0));
	EXPECT_EQ(incident.end, 8);
	EXPECT_EQ(incident_ns(&self->log, &incident), 3001 * MS);
}

/* Another GID, another port or device; a connection that was closed in order; requests */
TEST_F(rules, gid_removed_others)
{
	struct rdmaev_record device = FAILED(300, 19, ipv4);
	struct incident incident;

	device.generation = 1;
	JOIN(GID_REMOVED(0, IPV4),
	     FAILED(100, 17, other),
	     failed(200, 2, RDMAEV_KIND_WC, RDMAEV_WC_LOC_QP_OP_ERR, 18, ipv4),
	     device,
	     FAILED(400, 20, NULL),
	     connection(500, RDMAEV_CM_UNREACHABLE, -110, 21, other, other),
	     connection(600, RDMAEV_CM_DISCONNECTED, 0, 22, ipv4, ipv4),
	     failed(700, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 23, ipv4),
	     failed(800, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 24, ipv4),
	     failed(900, 1, RDMAEV_KIND_WC, RDMAEV_WC_WR_FLUSH_ERR, 25, ipv4));
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_ALONE(7);
	EXPECT_ALONE(8);
	EXPECT_ALONE(9);
	/* Nobody has used it. */
	incident = summarize(&self->log, 0);
	EXPECT_FALSE(is_incident(&self->log, 0));
	EXPECT_EQ(incident.end, NONE);
}

/* One GID takes the place of another. */
TEST_F(rules, gid_replaced)
{
	struct rdmaev_record replaced = GID_REMOVED(0, IPV4);

	replaced.body.port.after.gid[0] = 0xfd;
	JOIN(replaced, FAILED(100, 17, ipv4));
	EXPECT_JOINED(1, 0, "gid_removed");
}

/* Requests name the port's own GID, or an index that is empty. */
TEST_F(rules, gid_of_request)
{
	JOIN(at_index(1, GID_REMOVED(0, IPV4)),
	     at_index(2, GID_REMOVED(1, OTHER_IPV6)),
	     at_index(2, gid(2, 1, true, LINK_LOCAL, RDMAEV_GID_ROCE_V2, NETDEV)),
	     refused(100, 17, 1, NULL),
	     refused(200, 18, 1, ipv4),
	     refused(300, 19, 1, other),
	     refused(400, 20, 2, NULL),
	     refused(500, 21, 3, NULL));
	EXPECT_JOINED(3, 0, "gid_removed");
	EXPECT_JOINED(4, 0, "gid_removed");
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_ALONE(7);
}

/* One address has a GID for each version of RoCE: it is gone when both are. */
TEST_F(rules, gid_of_two_types)
{
	JOIN(at_index(1, gid(0, 1, true, IPV4, RDMAEV_GID_ROCE_V1, NETDEV)),
	     at_index(2, gid(1, 1, true, IPV4, RDMAEV_GID_ROCE_V2, NETDEV)),
	     at_index(1, gid(2, 1, false, IPV4, RDMAEV_GID_ROCE_V1, NETDEV)),
	     FAILED(100, 17, ipv4),
	     at_index(2, gid(200, 1, false, IPV4, RDMAEV_GID_ROCE_V2, NETDEV)),
	     FAILED(300, 18, ipv4));
	EXPECT_ALONE(3);
	EXPECT_JOINED(5, 4, "gid_removed");
}

/* ... and what fails follows from the last removal. */
TEST_F(rules, gid_of_two_types_removed)
{
	JOIN(at_index(1, gid(0, 1, true, IPV4, RDMAEV_GID_ROCE_V1, NETDEV)),
	     at_index(2, gid(1, 1, true, IPV4, RDMAEV_GID_ROCE_V2, NETDEV)),
	     at_index(2, gid(2, 1, false, IPV4, RDMAEV_GID_ROCE_V2, NETDEV)),
	     at_index(1, gid(3, 1, false, IPV4, RDMAEV_GID_ROCE_V1, NETDEV)),
	     FAILED(100, 17, ipv4));
	EXPECT_JOINED(4, 3, "gid_removed");
}

/* Every kind of failure, and what is none */
TEST_F(rules, gid_removed_kinds)
{
	struct rdmaev_record unknown = FAILED(500, 21, ipv4);
	struct rdmaev_record kept = failed(400, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, 20, ipv4);

	unknown.body.info.known &= ~RDMAEV_KNOWN_PEER_GID;
	kept.body.qp.result = -16;
	JOIN(GID_REMOVED(0, IPV4),
	     failed(100, 1, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR, 17, ipv4),
	     failed(200, 1, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PATH_MIG_ERR, 18, ipv4),
	     kept, unknown);
	EXPECT_JOINED(1, 0, "gid_removed");
	EXPECT_JOINED(2, 0, "gid_removed");
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
}

/* An event that repeats: its cause is the first of them. */
TEST_F(rules, gid_event_with_cause)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, GID_REMOVED(1, IPV4)),
	     caused_by(1, event(1000, 2, 1, RDMAEV_ASYNC_GID_CHANGE)),
	     caused_by(3, GID_ADDED(1001, IPV4)));
	EXPECT_EQ(self->log.nodes[2].parent, 0);
	EXPECT_EQ(self->log.nodes[2].rule, NULL);
	EXPECT_EQ(self->log.nodes[1].end, 3);
}

/* The GID moves: it is added at one index before it is removed at another. */
TEST_F(rules, gid_moves)
{
	JOIN(at_index(3, GID_ADDED(0, IPV4)),
	     at_index(1, GID_REMOVED(1, IPV4)),
	     FAILED(100, 17, ipv4));
	EXPECT_ALONE(2);
}

/* Another type of GID, or one of another network device, does not end it. */
TEST_F(rules, gid_returns_as_another)
{
	struct incident incident;

	JOIN(GID_REMOVED(0, IPV4),
	     FAILED(100, 17, ipv4),
	     gid(200, 1, true, IPV4, RDMAEV_GID_ROCE_V1, NETDEV),
	     gid(300, 1, true, IPV4, RDMAEV_GID_ROCE_V2, NETDEV + 1),
	     /* The address is there all the same. */
	     FAILED(400, 18, ipv4),
	     GID_ADDED(500, IPV4),
	     GID_ADDED(600, IPV4));
	EXPECT_JOINED(1, 0, "gid_removed");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_JOINED(5, 0, "gid_removed");
	EXPECT_ALONE(6);
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.end, 5);
}

/* Two GIDs in use are removed: it is over when both are back. */
TEST_F(rules, two_gids_removed)
{
	static const uint8_t ipv6[RDMAEV_GID_SIZE] = { 0xfd, [15] = 1 };
	struct incident incident;

	JOIN(event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, GID_REMOVED(1, IPV4)),
	     caused_by(1, GID_REMOVED(2, OTHER_IPV6)),
	     caused_by(1, GID_REMOVED(3, LINK_LOCAL)),
	     FAILED(100, 17, ipv4),
	     FAILED(200, 18, ipv6),
	     event(300, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(7, GID_ADDED(301, IPV4)),
	     caused_by(7, GID_ADDED(302, OTHER_IPV6)));
	EXPECT_JOINED(6, 1, "gid_removed");
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.end, 8);
	self->log.nodes[2].end = NONE;
	EXPECT_EQ(summarize(&self->log, 0).end, NONE);
}

/* One of them was not in use. */
TEST_F(rules, gid_in_use_returns)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, GID_REMOVED(1, IPV4)),
	     caused_by(1, GID_REMOVED(2, OTHER_IPV6)),
	     FAILED(100, 17, ipv4),
	     GID_ADDED(200, IPV4),
	     GID_ADDED(300, OTHER_IPV6));
	EXPECT_EQ(summarize(&self->log, 0).end, 4);
}

/* A change that is not of the incident, between two that are */
TEST_F(rules, gid_event_of_several)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(1, GID_REMOVED(1, IPV4)),
	     caused_by(1, GID_REMOVED(2, OTHER_IPV6)),
	     event(100, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(4, GID_ADDED(101, IPV4)),
	     caused_by(4, GID_ADDED(102, LINK_LOCAL)),
	     caused_by(4, GID_ADDED(103, OTHER_IPV6)));
	EXPECT_ALONE(3);
}

/* What adds GIDs of two incidents is part of neither, but ends both. */
TEST_F(rules, gids_of_two_incidents_return)
{
	static const uint8_t ipv6[RDMAEV_GID_SIZE] = { 0xfd, [15] = 1 };

	JOIN(GID_REMOVED(0, IPV4),
	     GID_REMOVED(1, OTHER_IPV6),
	     FAILED(100, 17, ipv4),
	     FAILED(200, 18, ipv6),
	     event(300, 2, 1, RDMAEV_ASYNC_GID_CHANGE),
	     caused_by(5, GID_ADDED(301, IPV4)),
	     caused_by(5, GID_ADDED(302, OTHER_IPV6)),
	     event(400, 2, 1, RDMAEV_ASYNC_GID_CHANGE));
	EXPECT_ALONE(4);
	EXPECT_ALONE(7);
	EXPECT_EQ(summarize(&self->log, 0).end, 5);
	EXPECT_EQ(summarize(&self->log, 1).end, 6);
}

/* The connection says from which address the QP has sent what failed before. */
TEST_F(rules, gid_of_connection)
{
	struct rdmaev_record request = qp(200, 2, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 0);

	JOIN(GID_REMOVED(0, IPV4),
	     FAILED(100, 17, other),
	     caused_by(2, request),
	     GID_ADDED(300, IPV4),
	     caused_by(3, connection(400, RDMAEV_CM_DISCONNECTED, 0, 17, ipv4, other)),
	     /* It failed when the address was there. */
	     FAILED(500, 18, other),
	     caused_by(6, connection(600, RDMAEV_CM_DISCONNECTED, 0, 18, ipv4, other)),
	     /* The first one was joined; this one is joined to the port that goes down. */
	     event(700, 2, 1, RDMAEV_ASYNC_PORT_ERR));
	EXPECT_JOINED(1, 0, "gid_removed");
	EXPECT_JOINED(5, 7, "before_port_down");
}

/* ... but not of another QP, or of one that did not fail by itself. */
TEST_F(rules, gid_of_other_connection)
{
	JOIN(GID_REMOVED(0, IPV4),
	     FAILED(100, 17, other),
	     caused_by(2, connection(200, RDMAEV_CM_DISCONNECTED, 0, 18, ipv4, other)),
	     qp(300, 2, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 19, 0),
	     caused_by(4, connection(400, RDMAEV_CM_DISCONNECTED, 0, 19, ipv4, other)));
	EXPECT_ALONE(1);
	EXPECT_ALONE(3);
}

/* ... nor of one that failed before the removal, or from what is overwritten or known. */
TEST_F(rules, gid_of_explained_connection)
{
	JOIN(FAILED(0, 17, other),
	     FAILED(1, 19, other),
	     GID_REMOVED(100, IPV4),
	     caused_by(1, connection(200, RDMAEV_CM_DISCONNECTED, 0, 17, ipv4, other)),
	     caused_by(4711, FAILED(300, 18, other)),
	     caused_by(5, connection(400, RDMAEV_CM_DISCONNECTED, 0, 18, ipv4, other)),
	     event(5000, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     FAILED(5100, 20, other),
	     caused_by(8, connection(5200, RDMAEV_CM_DISCONNECTED, 0, 20, ipv4, other)));
	EXPECT_ALONE(0);
	EXPECT_ALONE(4);
	EXPECT_JOINED(7, 6, "port_down");
}

/* ... even if the port goes down just after that. */
TEST_F(rules, gid_of_connection_before_outage)
{
	JOIN(GID_REMOVED(0, IPV4),
	     FAILED(100, 17, other),
	     caused_by(2, connection(200, RDMAEV_CM_DISCONNECTED, 0, 17, ipv4, other)),
	     FAILED(300, 18, other),
	     event(400, 2, 1, RDMAEV_ASYNC_PORT_ERR));
	EXPECT_JOINED(1, 0, "gid_removed");
	EXPECT_JOINED(3, 4, "before_port_down");
}

/* A device fails, and is the root of all: a GID that is back does not end that. */
TEST_F(rules, gid_removed_by_outage_of_failed_device)
{
	static const uint8_t ipv6[RDMAEV_GID_SIZE] = { 0xfd, [15] = 1 };

	JOIN(event(0, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     set_down(1, 1),
	     GID_REMOVED(2, OTHER_IPV6),
	     state(100, 2, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE),
	     FAILED(70000, 17, ipv6),
	     GID_ADDED(80000, OTHER_IPV6));
	EXPECT_JOINED(4, 2, "gid_removed");
	EXPECT_EQ(self->log.nodes[2].end, 5);
	EXPECT_EQ(summarize(&self->log, 0).end, NONE);
}

/* The port is down, and takes the GID with it: what fails follows from that. */
TEST_F(rules, gid_removed_by_outage)
{
	static const uint8_t ipv6[RDMAEV_GID_SIZE] = { 0xfd, [15] = 1 };

	JOIN(set_down(0, 1),
	     GID_REMOVED(1, OTHER_IPV6),
	     FAILED(100, 17, ipv6),
	     state(200, 2, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE),
	     FAILED(300, 18, ipv6));
	EXPECT_JOINED(1, 0, "port_down");
	EXPECT_JOINED(2, 0, "port_down");
	/* It is up, but the address is not back. */
	EXPECT_JOINED(4, 1, "gid_removed");
	EXPECT_EQ(summarize(&self->log, 0).end, 3);
}

TEST_HARNESS_MAIN
