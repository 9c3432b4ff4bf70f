// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is joined where an owner connects again, and what is not: records made up, with
 * times of their own.
 */
#include "incident/incident_lost.h"
#include "incident_records.h"

#define TARGET	77

/* About a connection of a ULP to port 4420 of the target, through this QP */
static struct rdmaev_record cm(unsigned int ms, unsigned int code, uint32_t number)
{
	struct rdmaev_record r = qp(ms, 1, 1, RDMAEV_KIND_CM, code, number, 0);

	r.body.info.known |= RDMAEV_KNOWN_PEER_ADDR;
	strcpy(r.body.info.owner, "nvme_rdma");
	r.body.cm.peer_addr[15] = TARGET;
	r.body.cm.peer_port = 4420;
	r.severity = RDMAEV_SEVERITY_WARNING;
	if (code == RDMAEV_CM_DISCONNECTED || code == RDMAEV_CM_ESTABLISHED)
		r.severity = RDMAEV_SEVERITY_INFO;
	return r;
}

#define CM(ms, code, number)	cm(ms, RDMAEV_CM_##code, number)

/* A process has a ULP move its QP to ERR; 0: the ULP itself does. */
static struct rdmaev_record moved(unsigned int ms, uint32_t number, unsigned int before,
				  const char *owner, uint32_t caller)
{
	struct rdmaev_record r = qp(ms, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, number, 0);

	r.body.info.known |= RDMAEV_KNOWN_QP_STATE;
	r.body.info.qp_state = before;
	r.body.qp.caller_pid = caller;
	strcpy(r.body.info.owner, owner);
	r.severity = RDMAEV_SEVERITY_INFO;
	return r;
}

/* The peer closes the connection, and refuses others until it accepts one. */
TEST_F(rules, lost)
{
	struct incident incident;

	JOIN(CM(0, DISCONNECTED, 17),
	     CM(10000, REJECTED, 18),
	     CM(20000, UNREACHABLE, 19),
	     CM(79000, ADDR_ERROR, 20),
	     CM(80000, ESTABLISHED, 21),
	     CM(80001, ESTABLISHED, 22));
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 0, "connects_again");
	EXPECT_JOINED(2, 0, "connects_again");
	EXPECT_JOINED(3, 0, "connects_again");
	EXPECT_JOINED(4, 0, "connects_again");
	EXPECT_JOINED(5, 0, "connects_again");
	incident = summarize(&self->log, 0);
	EXPECT_TRUE(is_incident(&self->log, 0));
	EXPECT_EQ(incident.attempts, 5);
	EXPECT_EQ(incident.end, 5);
}

/* Several connections to the same peer: the end of one does not follow from another. */
TEST_F(rules, several_lost)
{
	JOIN(CM(0, DISCONNECTED, 17), CM(1, DISCONNECTED, 18), CM(1000, REJECTED, 19));
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 1, "connects_again");
}

/* All of it is info, but the owner lost a connection that it wants. */
TEST_F(rules, lost_and_back)
{
	struct incident incident;

	JOIN(CM(0, DISCONNECTED, 17), CM(10000, ESTABLISHED, 18));
	EXPECT_JOINED(1, 0, "connects_again");
	incident = summarize(&self->log, 0);
	EXPECT_TRUE(is_incident(&self->log, 0));
	EXPECT_EQ(incident.end, 1);
	EXPECT_EQ(incident.severity, RDMAEV_SEVERITY_INFO);
}

/* An attempt takes longer than the time within which the next one has to begin. */
TEST_F(rules, slow_attempts)
{
	struct rdmaev_record slow = CM(135000, UNREACHABLE, 18);
	struct rdmaev_record late = CM(270000, UNREACHABLE, 19);

	slow.body.cm.connecting_ns = 75000 * MS;
	late.body.cm.connecting_ns = 74999 * MS;
	JOIN(CM(0, DISCONNECTED, 17), slow, late);
	EXPECT_JOINED(1, 0, "connects_again");
	EXPECT_ALONE(2);
}

TEST_F(rules, refused_from_the_first)
{
	struct incident incident;

	JOIN(CM(0, REJECTED, 17), CM(1000, REJECTED, 18), CM(2000, CONNECT_ERROR, 19),
	     CM(3000, ROUTE_ERROR, 20));
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 0, "connects_again");
	EXPECT_JOINED(2, 0, "connects_again");
	EXPECT_JOINED(3, 0, "connects_again");
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.attempts, 3);
	EXPECT_EQ(incident.end, NONE);
}

/* Not resolved: the device is not known. */
TEST_F(rules, without_device)
{
	struct rdmaev_record r = CM(1000, ADDR_ERROR, 0);

	r.generation = 0;
	r.device = 0;
	r.port = RDMAEV_NO_PORT;
	r.body.info.known &= ~RDMAEV_KNOWN_OBJECT;
	JOIN(CM(0, DISCONNECTED, 17), r);
	EXPECT_JOINED(1, 0, "connects_again");
}

/* Two faults at the same time, and what only looks like the same */
TEST_F(rules, of_another)
{
	struct rdmaev_record ulp = CM(200, REJECTED, 18), address = CM(300, REJECTED, 19);
	struct rdmaev_record port = CM(400, REJECTED, 20), pid = CM(500, REJECTED, 21);
	struct rdmaev_record unknown = CM(600, REJECTED, 22), family = CM(700, REJECTED, 23);
	struct rdmaev_record uid = CM(800, REJECTED, 24), pid_ns = CM(900, REJECTED, 25);
	size_t i;

	strcpy(ulp.body.info.owner, "ib_iser");
	address.body.cm.peer_addr[15] = TARGET + 1;
	port.body.cm.peer_port = 4421;
	pid.pid = 1234;
	unknown.body.info.known &= ~RDMAEV_KNOWN_PEER_ADDR;
	family.body.cm.family = RDMAEV_FAMILY_IB;
	uid.body.info.uid = 1000;
	pid_ns.body.info.pid_ns = 1;
	JOIN(CM(0, DISCONNECTED, 17), ulp, address, port, pid, unknown, family, uid, pid_ns);
	for (i = 0; i < 9; i++)
		EXPECT_ALONE(i);
}

TEST_F(rules, too_late)
{
	JOIN(CM(0, DISCONNECTED, 17), CM(60001, REJECTED, 18), CM(120000, REJECTED, 19),
	     CM(180001, REJECTED, 20));
	EXPECT_ALONE(1);
	EXPECT_JOINED(2, 1, "connects_again");
	EXPECT_ALONE(3);
}

/* Connected in between, and then refused: that is another connection. */
TEST_F(rules, connected_in_between)
{
	JOIN(CM(0, DISCONNECTED, 17), CM(1000, ESTABLISHED, 18), CM(2000, REJECTED, 19),
	     CM(100000, ESTABLISHED, 20), CM(101000, REJECTED, 21));
	EXPECT_JOINED(1, 0, "connects_again");
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_FALSE(is_incident(&self->log, 3));
}

/* Another part of what was lost is refused after that. */
TEST_F(rules, not_over)
{
	struct incident incident;

	JOIN(CM(0, REJECTED, 17), CM(1000, ESTABLISHED, 18), caused_by(1, CM(2000, REJECTED, 19)));
	self->log.nodes[2].rule = self->log.nodes[1].rule;
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.end, NONE);
}

/*
 * The owner closed the connection, because a process wanted it, and then connects: as a
 * person disconnects and connects again. If the owner had to close it, it was lost.
 */
TEST_F(rules, closed_by_owner)
{
	JOIN(moved(0, 17, RDMAEV_QP_RTS, "nvme_rdma", 1234),
	     caused_by(1, CM(10, DISCONNECTED, 17)),
	     CM(1000, ESTABLISHED, 18),
	     moved(2000, 19, RDMAEV_QP_RTS, "nvme_rdma", 0),
	     caused_by(4, CM(2010, DISCONNECTED, 19)),
	     CM(3000, ESTABLISHED, 20),
	     moved(4000, 21, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     caused_by(7, CM(4010, DISCONNECTED, 22)),
	     CM(5000, REJECTED, 23));
	EXPECT_ALONE(2);
	EXPECT_JOINED(5, 4, "connects_again");
	EXPECT_JOINED(8, 7, "connects_again");
	EXPECT_FALSE(is_incident(&self->log, 0));
}

/* The core moves the QP of an attempt that fails to ERR before the owner hears of it. */
TEST_F(rules, refused)
{
	struct rdmaev_record cause = caused_by(1, moved(6000, 25, RDMAEV_QP_INIT, "", 0));
	struct rdmaev_record unknown = moved(7000, 26, RDMAEV_QP_INIT, "", 0);

	struct rdmaev_record lost = caused_by(100, moved(8000, 27, RDMAEV_QP_INIT, "", 0));
	struct rdmaev_record not_known = CM(9001, REJECTED, 28);
	struct rdmaev_record rtr = moved(10000, 29, RDMAEV_QP_INIT, "", 0);

	unknown.body.info.known &= ~RDMAEV_KNOWN_QP_STATE;
	not_known.body.info.known &= ~RDMAEV_KNOWN_OBJECT;
	rtr.code = RDMAEV_QP_RTR;
	rtr.body.qp.result = -110;
	JOIN(moved(0, 17, RDMAEV_QP_INIT, "nvme_rdma", 0), CM(1, REJECTED, 17),
	     moved(2, 18, RDMAEV_QP_INIT, "nvme_rdma", 0), CM(1003, REJECTED, 18),
	     moved(2000, 19, RDMAEV_QP_RTS, "nvme_rdma", 0), CM(2001, REJECTED, 19),
	     moved(3000, 20, RDMAEV_QP_INIT, "nvme_rdma", 0), CM(3001, REJECTED, 21),
	     cause, CM(6001, REJECTED, 25), unknown, CM(7001, REJECTED, 26),
	     lost, CM(8001, REJECTED, 27),
	     moved(9000, 28, RDMAEV_QP_INIT, "nvme_rdma", 0), not_known,
	     rtr, CM(10001, CONNECT_ERROR, 29),
	     event(11000, 1, 1, RDMAEV_ASYNC_PORT_ERR),
	     moved(11001, 30, RDMAEV_QP_INIT, "nvme_rdma", 0), CM(11002, REJECTED, 30));
	EXPECT_JOINED(0, 1, "refused");
	EXPECT_ALONE(2);
	EXPECT_ALONE(4);
	EXPECT_ALONE(6);
	EXPECT_EQ(self->log.nodes[8].parent, 0);
	EXPECT_ALONE(10);
	EXPECT_ALONE(12);
	EXPECT_ALONE(14);
	EXPECT_ALONE(16);
	EXPECT_JOINED(19, 18, "port_down");
	EXPECT_EQ(summarize(&self->log, 1).records, 12);
}

/* What an attempt follows from does not follow from it: no circle. */
TEST_F(rules, no_circle)
{
	struct rdmaev_record qp = moved(0, 17, RDMAEV_QP_INIT, "nvmet_rdma", 0);
	struct rdmaev_record lost = CM(1, DISCONNECTED, 18);

	qp.body.info.known |= RDMAEV_KNOWN_PEER_QPN;
	qp.body.qp.peer.qpn = 18;
	lost.body.info.known |= RDMAEV_KNOWN_PEER_QPN;
	lost.body.cm.peer_qpn = 17;
	/* The target is on this host. */
	lost.body.info.known |= RDMAEV_KNOWN_LOCAL_ADDR;
	lost.body.cm.local_addr[15] = TARGET;
	JOIN(qp, lost, CM(2, REJECTED, 17));
	EXPECT_ALONE(0);
	EXPECT_JOINED(1, 0, "other_end");
	EXPECT_JOINED(2, 1, "connects_again");
}

/* Of a process, whatever thread has the connection; of nobody who is known */
TEST_F(rules, of_processes)
{
	struct rdmaev_record lost = CM(0, DISCONNECTED, 17), thread = CM(1, REJECTED, 18);
	struct rdmaev_record nobody = CM(2, DISCONNECTED, 19), other = CM(3, REJECTED, 20);

	lost.pid = 1234;
	thread.pid = 1234;
	strcpy(thread.body.info.owner, "worker");
	memset(nobody.body.info.owner, 0, sizeof(nobody.body.info.owner));
	memset(other.body.info.owner, 0, sizeof(other.body.info.owner));
	JOIN(lost, thread, nobody, other);
	EXPECT_JOINED(1, 0, "connects_again");
	EXPECT_ALONE(3);
}

/* A process has a ULP close all of its QPs, and then another one. */
TEST_F(rules, same_call)
{
	struct rdmaev_record comm = moved(200, 20, RDMAEV_QP_RTS, "nvmet_rdma", 1234);
	struct rdmaev_record device = moved(300, 21, RDMAEV_QP_RTS, "nvmet_rdma", 1234);
	struct rdmaev_record failed = moved(400, 22, RDMAEV_QP_RTS, "nvmet_rdma", 1234);
	struct rdmaev_record program = moved(500, 23, RDMAEV_QP_RTS, "nvmet_rdma", 1234);

	strcpy(comm.body.qp.caller_comm, "rm");
	device.generation = 2;
	failed.body.qp.result = -22;
	program.pid = 1234;
	JOIN(moved(0, 17, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     moved(1000, 18, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     moved(2000, 19, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     moved(3001, 24, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     comm, device, failed, program,
	     moved(3002, 25, RDMAEV_QP_RTS, "ib_isert", 1234),
	     moved(3003, 26, RDMAEV_QP_RTS, "nvmet_rdma", 1235),
	     moved(3004, 27, RDMAEV_QP_RTS, "nvmet_rdma", 0),
	     moved(3005, 28, RDMAEV_QP_RTS, "nvmet_rdma", 0));
	EXPECT_JOINED(1, 0, "same_call");
	EXPECT_JOINED(2, 0, "same_call");
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(6);
	EXPECT_ALONE(7);
	EXPECT_ALONE(8);
	EXPECT_ALONE(9);
	EXPECT_ALONE(10);
	EXPECT_ALONE(11);
}

/* What has a cause of its own is the first of nothing. */
TEST_F(rules, same_call_with_cause)
{
	JOIN(qp(0, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_RETRY_EXC_ERR, 17, 0),
	     moved(10, 17, RDMAEV_QP_ERR, "nvmet_rdma", 1234),
	     moved(20, 18, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     caused_by(100, moved(30, 19, RDMAEV_QP_RTS, "nvmet_rdma", 1235)),
	     moved(40, 20, RDMAEV_QP_RTS, "nvmet_rdma", 1235));
	EXPECT_JOINED(1, 0, "same_qp");
	EXPECT_ALONE(2);
	EXPECT_ALONE(4);
}

static struct rdmaev_record to_other_port(struct rdmaev_record r)
{
	r.body.cm.peer_port = 4421;
	return r;
}

/* Two connections end for one reason: it is not over while one of them is refused. */
TEST_F(rules, one_is_back)
{
	struct incident incident;

	JOIN(moved(0, 30, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     caused_by(1, to_other_port(CM(100, DISCONNECTED, 18))),
	     caused_by(1, CM(100, DISCONNECTED, 19)),
	     CM(300, ESTABLISHED, 21),
	     to_other_port(CM(400, REJECTED, 20)));
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.attempts, 2);
	EXPECT_EQ(incident.end, NONE);
}

TEST_F(rules, both_are_back)
{
	struct incident incident;

	JOIN(moved(0, 30, RDMAEV_QP_RTS, "nvmet_rdma", 1234),
	     caused_by(1, to_other_port(CM(100, DISCONNECTED, 18))),
	     caused_by(1, CM(100, DISCONNECTED, 19)),
	     to_other_port(CM(300, ESTABLISHED, 20)),
	     CM(400, ESTABLISHED, 21));
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.attempts, 2);
	EXPECT_EQ(incident.end, 4);
}

/* What status says of them, this long after the first record */
static const char *lost_after(struct incident_log *log, unsigned int ms)
{
	static char buf[1024];
	struct text t = { .buf = buf, .size = sizeof(buf) };
	struct lost_list lost = { .log = *log, .now = (1000 + ms) * MS };
	size_t i;

	if (list_lost(&lost) < 0)
		return "out of memory";
	for (i = 0; i < lost.count; i++) {
		text_put(&t, i ? "; " : "");
		put_lost(&t, &lost, i);
	}
	text_end(&t);
	free(lost.list);
	return buf;
}

TEST_F(rules, lost_now)
{
	JOIN(CM(0, DISCONNECTED, 17), CM(10000, REJECTED, 18), CM(12000, UNREACHABLE, 19),
	     to_other_port(CM(13000, REJECTED, 23)), to_other_port(CM(14000, REJECTED, 24)),
	     CM(130000, DISCONNECTED, 25));
	EXPECT_STREQ(lost_after(&self->log, 32000), "nvme_rdma is not connected to [::4d]:4420 "
		     "for 32s: 2 attempts have failed, the last 20s ago (CM_UNREACHABLE); "
		     "nvme_rdma is not connected to [::4d]:4421 for 19s: 1 attempt has failed, "
		     "the last 18s ago (CM_REJECTED)");
	/* It does not try any more. */
	EXPECT_STREQ(lost_after(&self->log, 132000), "nvme_rdma is not connected to [::4d]:4421 "
		     "for 1m59s: 1 attempt has failed, the last 1m58s ago (CM_REJECTED)");
	EXPECT_STREQ(lost_after(&self->log, 134000), "");
}

/* It is back, or nobody has tried. */
TEST_F(rules, not_lost_now)
{
	JOIN(CM(0, DISCONNECTED, 17), CM(100, REJECTED, 18), CM(200, ESTABLISHED, 19),
	     CM(300, DISCONNECTED, 20));
	EXPECT_STREQ(lost_after(&self->log, 1000), "");
}

/* Of each port those that were its own */
TEST_F(rules, lost_of_port)
{
	struct lost_list lost = { .now = 2000 * MS };
	struct rdmaev_port port = { .generation = 1, .port = 1 };

	JOIN(CM(0, REJECTED, 17), CM(100, REJECTED, 18));
	lost.log = self->log;
	ASSERT_EQ(list_lost(&lost), 0);
	ASSERT_EQ(lost.count, 1);
	EXPECT_TRUE(is_lost_on(&lost, 0, &port));
	port.port = 2;
	EXPECT_FALSE(is_lost_on(&lost, 0, &port));
	port.port = 1;
	port.generation = 2;
	EXPECT_FALSE(is_lost_on(&lost, 0, &port));
	free(lost.list);
}

TEST_HARNESS_MAIN
