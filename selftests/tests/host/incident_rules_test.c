// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which records a rule joins to an incident, and which it does not: records made
 * up, with times of their own.
 */
#include "incident_records.h"

TEST_F(rules, port_down)
{
	JOIN(state(0, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     UNREACHABLE(900, 2, 1, 17),
	     event(1000, 2, 1, RDMAEV_ASYNC_LID_CHANGE),
	     UNREACHABLE(1100, 2, 2, 18),
	     UNREACHABLE(1200, 2, 0, 19),
	     UNREACHABLE(1300, 1, 1, 20),
	     qp(1400, 2, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 17, 0),
	     UNREACHABLE(100000, 2, 1, 21),
	     state(100100, 2, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE),
	     UNREACHABLE(100200, 2, 1, 22));
	EXPECT_JOINED(1, 0, "port_down");
	EXPECT_JOINED(2, 0, "port_down");
	/* Another port, a QP of either port, another device, another failure */
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	/* As long as it is down, and not after that */
	EXPECT_JOINED(7, 0, "port_down");
	EXPECT_JOINED(8, 0, "port_down");
	EXPECT_ALONE(9);
}

/* The QP has no port, and the device has but one. */
TEST_F(rules, port_down_of_one)
{
	JOIN(state(0, 1, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     UNREACHABLE(900, 1, 0, 17));
	EXPECT_JOINED(1, 0, "port_down");
}

/* A PORT_ERR that no query confirms is no reason for what comes much later. */
TEST_F(rules, port_err_unconfirmed)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     UNREACHABLE(9900, 2, 1, 17),
	     UNREACHABLE(10000, 2, 1, 18),
	     event(20000, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     UNREACHABLE(29000, 2, 1, 19));
	EXPECT_JOINED(1, 0, "port_down");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_JOINED(4, 3, "port_down");
}

/* A query has confirmed it. */
TEST_F(rules, port_err_confirmed)
{
	JOIN(event(0, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     state(100, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     UNREACHABLE(60000, 2, 1, 17));
	EXPECT_JOINED(1, 0, "port_down");
	EXPECT_JOINED(2, 0, "port_down");
}

/* What fails before PORT_ERR, which ib_core has queued */
TEST_F(rules, before_port_down)
{
	JOIN(UNREACHABLE(0, 1, 1, 16),
	     UNREACHABLE(1, 1, 1, 17),
	     qp(1000, 1, 0, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL, 18, 0),
	     qp(1500, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_UNREACHABLE, 19, 0),
	     event(2001, 1, 1, RDMAEV_ASYNC_PORT_ERR),
	     UNREACHABLE(2100, 1, 1, 20));
	/* Too early */
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 4, "before_port_down");
	EXPECT_JOINED(2, 4, "before_port_down");
	EXPECT_JOINED(3, 4, "before_port_down");
	EXPECT_JOINED(5, 4, "port_down");
	EXPECT_EQ(summarize(&self->log, 4).records, 5);
}

/* Another port or device, requests, flushed requests, another failure, another outage */
TEST_F(rules, before_port_down_others)
{
	struct rdmaev_record found = state(1300, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN);

	found.cause = 9;
	JOIN(UNREACHABLE(0, 2, 2, 17),
	     UNREACHABLE(100, 1, 1, 18),
	     UNREACHABLE(200, 2, 0, 19),
	     qp(300, 2, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 20, 0),
	     qp(400, 2, 1, RDMAEV_KIND_WC, RDMAEV_WC_WR_FLUSH_ERR, 21, 0),
	     qp(500, 2, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 22, 0),
	     qp(600, 2, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 23, 0),
	     UNREACHABLE(700, 2, 1, 24),
	     event(800, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     found,
	     state(1400, 2, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE),
	     event(1500, 2, 1, RDMAEV_ASYNC_PORT_ERR));
	EXPECT_ALONE(0);
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_JOINED(7, 8, "before_port_down");
	EXPECT_ALONE(11);
}

/* What follows from something else stays there. */
TEST_F(rules, before_port_down_explained)
{
	struct rdmaev_record caused = UNREACHABLE(100, 2, 1, 17);
	struct rdmaev_record lost = UNREACHABLE(200, 2, 1, 18);

	caused.cause = 1;
	lost.cause = 4711;
	JOIN(event(0, 2, 0, RDMAEV_ASYNC_CQ_ERR), caused, lost,
	     event(300, 2, 1, RDMAEV_ASYNC_PORT_ERR));
	EXPECT_EQ(self->log.nodes[1].parent, 0);
	EXPECT_ALONE(2);
}

/* A query has found the port down: it says since when. */
TEST_F(rules, before_port_down_by_query)
{
	struct rdmaev_record found = state(9000, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN);

	found.body.port.down_since_ns = 3000 * MS;
	JOIN(UNREACHABLE(1, 2, 1, 17), found);
	EXPECT_JOINED(0, 1, "before_port_down");
}

TEST_F(rules, device_failed)
{
	JOIN(event(0, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     event(100, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     state(200, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     UNREACHABLE(300, 2, 1, 17),
	     UNREACHABLE(300, 1, 1, 18),
	     removal(400, 2, 400),
	     removal(500, 1, 500));
	EXPECT_JOINED(1, 0, "device_failed");
	EXPECT_JOINED(2, 0, "device_failed");
	EXPECT_JOINED(3, 0, "device_failed");
	EXPECT_ALONE(4);
	EXPECT_JOINED(5, 0, "device_failed");
	EXPECT_ALONE(6);
}

/* A link that outages an hour later has another reason; the reset may be late. */
TEST_F(rules, device_failed_long_ago)
{
	JOIN(event(0, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     UNREACHABLE(59900, 2, 1, 17),
	     UNREACHABLE(60000, 2, 1, 18),
	     event(63000, 2, 1, RDMAEV_ASYNC_PORT_ERR),
	     event(3600000, 2, 0, RDMAEV_ASYNC_DEVICE_FATAL),
	     removal(4000000, 2, 4000000));
	EXPECT_JOINED(1, 0, "device_failed");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_JOINED(5, 4, "device_failed");
}

TEST_F(rules, other_end)
{
	JOIN(qp(0, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 18),
	     qp(100, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 19, 20),
	     qp(200, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 17),
	     /* Its peer is not connected to it. */
	     qp(300, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 21, 19),
	     /* On another device */
	     qp(400, 2, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 20, 19),
	     /* Too late: the numbers may be of others */
	     qp(60200, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 20, 19));
	EXPECT_JOINED(2, 0, "other_end");
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
}

/* An end of a connection of iWARP is closed, of these ports of addresses that end so. */
static struct rdmaev_record closed_at(unsigned int ms, uint32_t generation, uint32_t number,
				      unsigned int local, unsigned int local_port,
				      unsigned int peer, unsigned int peer_port)
{
	struct rdmaev_record r = qp(ms, generation, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED,
				    number, 0);
	struct rdmaev_cm_body *body = &r.body.cm;

	body->info.known |= RDMAEV_KNOWN_LOCAL_ADDR | RDMAEV_KNOWN_PEER_ADDR;
	body->local_addr[15] = local;
	body->local_port = local_port;
	body->peer_addr[15] = peer;
	body->peer_port = peer_port;
	return r;
}

TEST_F(rules, other_end_by_address)
{
	struct rdmaev_record unknown = closed_at(800, 1, 25, 2, 8000, 1, 7000);

	unknown.body.info.known &= ~RDMAEV_KNOWN_PEER_ADDR;
	JOIN(closed_at(0, 1, 17, 1, 7000, 2, 8000),
	     closed_at(100, 1, 18, 2, 8000, 1, 7000),
	     /* Another port or address of either end, the same end, another device */
	     closed_at(200, 1, 19, 2, 8001, 1, 7000),
	     closed_at(300, 1, 20, 2, 8000, 1, 7001),
	     closed_at(400, 1, 21, 3, 8000, 1, 7000),
	     closed_at(500, 1, 22, 2, 8000, 3, 7000),
	     closed_at(600, 1, 23, 1, 7001, 2, 8002),
	     closed_at(700, 2, 24, 2, 8000, 1, 7000),
	     unknown,
	     /* Too late: the ports may be of others */
	     closed_at(60101, 1, 26, 1, 7000, 2, 8000));
	EXPECT_JOINED(1, 0, "other_end");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_ALONE(7);
	EXPECT_ALONE(8);
	EXPECT_ALONE(9);
}

/* A QP of a program is destroyed, whose peer is at an address that ends so. */
static struct rdmaev_record destroyed(unsigned int ms, uint32_t generation, uint32_t number,
				      uint32_t peer, unsigned int gid)
{
	struct rdmaev_record r = qp(ms, generation, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY,
				    number, peer);

	r.body.info.known |= RDMAEV_KNOWN_PEER_GID;
	r.body.qp.peer.gid[15] = gid;
	r.pid = 500;
	return r;
}

/* Its peer is closed: the QP of that number at that address, and no other. */
TEST_F(rules, other_end_by_gid)
{
	JOIN(destroyed(0, 1, 17, 18, 1),
	     closed_at(100, 1, 18, 1, 7000, 1, 8000),
	     closed_at(200, 1, 18, 2, 7001, 1, 8001),
	     closed_at(300, 1, 19, 1, 7002, 1, 8002),
	     closed_at(400, 2, 18, 1, 7003, 1, 8003),
	     /* Another host has QPs of these numbers, too. */
	     destroyed(500, 1, 20, 20, 1),
	     closed_at(600, 1, 20, 1, 7004, 1, 8004),
	     closed_at(60001, 1, 18, 1, 7005, 1, 8005));
	EXPECT_JOINED(1, 0, "other_end");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(6);
	EXPECT_ALONE(7);
}

/* A process exits, which destroys its QP and then closes the connection. */
TEST_F(rules, closed_by_exit)
{
	struct rdmaev_record own = closed_at(100, 1, 17, 1, 7000, 1, 8000);
	struct rdmaev_record other = closed_at(200, 1, 17, 1, 7001, 1, 8001);

	own.pid = 500;
	other.pid = 501;
	JOIN(destroyed(0, 1, 17, 18, 9), own, other);
	EXPECT_JOINED(1, 0, "same_qp");
	EXPECT_ALONE(2);
}

/* Of another process: the number is used again */
TEST_F(rules, closed_by_other_process)
{
	struct rdmaev_record other = closed_at(100, 1, 17, 1, 7000, 1, 8000);

	other.pid = 501;
	JOIN(destroyed(0, 1, 17, 18, 9), other);
	EXPECT_ALONE(1);
}

/* A request for a QP that is in this state, by its own process or by another thread */
static struct rdmaev_record request(unsigned int ms, unsigned int code, uint32_t number,
				    unsigned int before, int result, uint32_t owner,
				    uint32_t caller)
{
	struct rdmaev_record r = qp(ms, 1, 1, RDMAEV_KIND_QP, code, number, 0);

	r.body.info.known |= RDMAEV_KNOWN_QP_STATE;
	r.body.info.qp_state = before;
	r.body.qp.result = result;
	r.body.qp.caller_pid = caller;
	r.pid = owner;
	return r;
}

/* A process may close its QPs while a port is down: that says nothing of the port. */
TEST_F(rules, own_request_while_down)
{
	JOIN(state(0, 1, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     request(100, RDMAEV_QP_ERR, 17, RDMAEV_QP_RTS, 0, 500, 500),
	     request(200, RDMAEV_QP_ERR, 18, RDMAEV_QP_RTS, 0, 0, 0),
	     UNREACHABLE(300, 1, 1, 19),
	     request(400, RDMAEV_QP_ERR, 19, RDMAEV_QP_RTS, 0, 500, 500),
	     /* A person tells a kernel module to close its QP. */
	     request(500, RDMAEV_QP_ERR, 20, RDMAEV_QP_RTS, 0, 0, 500));
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 0, "port_down");
	EXPECT_JOINED(3, 0, "port_down");
	/* It had failed. */
	EXPECT_JOINED(4, 3, "same_qp");
	EXPECT_ALONE(5);
}

/* A connection that was closed in order while the port is down */
TEST_F(rules, closed_in_order_while_down)
{
	struct rdmaev_record unanswered = qp(200, 1, 1, RDMAEV_KIND_CM,
					     RDMAEV_CM_DISCONNECTED, 18, 0);

	unanswered.body.cm.status = -ETIMEDOUT;
	JOIN(state(0, 1, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     qp(100, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 17, 0),
	     unanswered);
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 0, "port_down");
}

/* The removal of its device ends an outage, and is no part of it. */
TEST_F(rules, removed_while_down)
{
	struct incident incident;

	JOIN(state(0, 1, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     removal(100, 2, 100),
	     removal(200, 1, 200),
	     state(300, 2, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE));
	EXPECT_ALONE(2);
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.records, 1);
	EXPECT_EQ(incident.end, 2);
	EXPECT_EQ(incident_ns(&self->log, &incident), 200000000ULL);
}

/* What is recorded after the removal of its device is not ended by that. */
TEST_F(rules, after_removal)
{
	JOIN(removal(0, 1, 0),
	     record(100, 1, 1, RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_STALLED));
	EXPECT_EQ(summarize(&self->log, 1).end, NONE);
}

/* A port that was down before: the record of its outage came later than it began. */
TEST_F(rules, outage_began_before)
{
	struct rdmaev_record begin = record(7000, 1, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE);
	struct rdmaev_record end = record(9000, 1, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END);
	struct incident incident;

	end.cause = 1;
	end.body.port.down_ns = 9000000000ULL;
	JOIN(begin, end);
	incident = summarize(&self->log, 0);
	ASSERT_EQ(incident.end, 1);
	EXPECT_EQ(incident_ns(&self->log, &incident), 9000000000ULL);
}

/* A process closes a connection while the port is down, and the peer does not answer. */
TEST_F(rules, unanswered_while_down)
{
	struct rdmaev_record answered, unanswered, later;

	answered = qp(900, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 17, 0);
	answered.cause = 2;
	unanswered = qp(1000, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 0);
	unanswered.cause = 3;
	unanswered.body.cm.status = -ETIMEDOUT;
	/* It was not down when this one was closed. */
	later = unanswered;
	later.cause = 5;
	JOIN(state(0, 1, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN),
	     request(100, RDMAEV_QP_ERR, 17, RDMAEV_QP_RTS, 0, 500, 500),
	     request(200, RDMAEV_QP_ERR, 18, RDMAEV_QP_RTS, 0, 500, 500),
	     state(300, 1, 1, RDMAEV_STATE_DOWN, RDMAEV_STATE_ACTIVE),
	     request(400, RDMAEV_QP_ERR, 19, RDMAEV_QP_RTS, 0, 500, 500),
	     answered, unanswered, later);
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 0, "port_down");
	EXPECT_ALONE(4);
}

/* A QP of a ULP, which leaves no record when it destroys it, and the next of that number */
TEST_F(rules, number_used_again_by_ulp)
{
	struct rdmaev_record closed = qp(100, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED,
					 17, 0);

	closed.cause = 1;
	JOIN(UNREACHABLE(0, 1, 1, 17),
	     closed,
	     request(200, RDMAEV_QP_ERR, 17, RDMAEV_QP_RTS, 0, 0, 0),
	     request(300, RDMAEV_QP_ERR, 17, RDMAEV_QP_ERR, 0, 0, 0),
	     /* A connection is closed once, and ERR does not become RTS. */
	     qp(6000, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 17, 0),
	     request(6100, RDMAEV_QP_ERR, 17, RDMAEV_QP_RTS, 0, 0, 0));
	EXPECT_JOINED(2, 0, "same_qp");
	EXPECT_JOINED(3, 0, "same_qp");
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
}

/* Closed again after its end is on record: another QP, which failed, too */
TEST_F(rules, closed_after_end)
{
	JOIN(qp(0, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 17, 0),
	     qp(100, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, 17, 0),
	     UNREACHABLE(200, 1, 1, 17),
	     qp(300, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 17, 0));
	EXPECT_JOINED(3, 2, "same_qp");
}

/* Another QP with the number of one that failed, and was destroyed without a record */
TEST_F(rules, number_used_again)
{
	JOIN(UNREACHABLE(0, 1, 1, 17),
	     request(100, RDMAEV_QP_RTR, 17, RDMAEV_QP_INIT, -22, 500, 500),
	     request(200, RDMAEV_QP_ERR, 17, RDMAEV_QP_INIT, 0, 500, 500),
	     request(300, RDMAEV_QP_ERR, 17, RDMAEV_QP_RTS, 0, 600, 600),
	     qp(400, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 18, 30),
	     qp(500, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 31),
	     qp(600, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 31));
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 1, "same_qp");
	/* Of another process */
	EXPECT_ALONE(3);
	/* With another peer */
	EXPECT_ALONE(5);
}

/* The record that ends what the root began, and those that do not */
TEST_F(rules, ends)
{
	static const struct {
		unsigned int kind, code, end_kind, end_code;
	} ends[] = {
		{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ERR,
		  RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_PORT_ACTIVE },
		{ RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_DEVICE_FATAL,
		  RDMAEV_KIND_DEVICE, RDMAEV_DEVICE_REMOVE },
		{ RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE,
		  RDMAEV_KIND_PORT, RDMAEV_PORT_OUTAGE_END },
		{ RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_STUCK,
		  RDMAEV_KIND_PORT, RDMAEV_PORT_QUERY_RETURNED },
		{ RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_STALLED,
		  RDMAEV_KIND_COMPLETION, RDMAEV_COMPLETION_RECOVERED },
		{ RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_BLIND,
		  RDMAEV_KIND_OBSERVER, RDMAEV_OBSERVER_SEEING },
		{ RDMAEV_KIND_PROBE, RDMAEV_PROBE_LOST, RDMAEV_KIND_PROBE, RDMAEV_PROBE_OK },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		for (j = 0; j < ARRAY_SIZE(ends); j++) {
			struct rdmaev_record root = record(0, 1, 1, ends[i].kind, ends[i].code);
			struct rdmaev_record end = record(100, 1, 1, ends[j].end_kind,
							  ends[j].end_code);

			EXPECT_EQ(is_end(&root, &end), i == j);
			end.port = 2;
			EXPECT_FALSE(is_end(&root, &end));
		}
	}
}

TEST_F(rules, same_qp)
{
	JOIN(UNREACHABLE(0, 1, 1, 17),
	     qp(100, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 0),
	     qp(150, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 18, 0),
	     qp(200, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, 17, 0),
	     /* Another QP of that number */
	     qp(300, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 0),
	     qp(400, 2, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 0),
	     qp(60301, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, 17, 0));
	EXPECT_JOINED(1, 0, "same_qp");
	EXPECT_ALONE(2);
	EXPECT_JOINED(3, 0, "same_qp");
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
}

/* The kernel knows the cause: no rule replaces it, though it was overwritten. */
TEST_F(rules, cause)
{
	struct rdmaev_record caused = UNREACHABLE(200, 2, 1, 17);
	struct rdmaev_record lost = UNREACHABLE(300, 2, 1, 18);
	struct rdmaev_record other = event(0, 1, 0, RDMAEV_ASYNC_DEVICE_FATAL);

	caused.cause = 1;
	lost.cause = 4711;
	JOIN(other, state(100, 2, 1, RDMAEV_STATE_ACTIVE, RDMAEV_STATE_DOWN), caused, lost);
	EXPECT_EQ(self->log.nodes[2].parent, 0);
	EXPECT_EQ(self->log.nodes[2].rule, NULL);
	EXPECT_ALONE(3);
}

TEST_HARNESS_MAIN
