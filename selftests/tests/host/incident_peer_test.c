// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What rules join to the end of a peer or of a process, and what they do not: records
 * made up, with times of their own.
 */
#include "incident_records.h"

/* About a QP, whose peer is at a GID that ends so */
static struct rdmaev_record at(unsigned int ms, unsigned int kind, unsigned int code,
			       uint32_t number, uint32_t peer, unsigned int gid)
{
	struct rdmaev_record r = qp(ms, 1, 1, kind, code, number, peer);

	r.body.info.known |= RDMAEV_KNOWN_PEER_GID;
	r.body.qp.peer.gid[15] = gid;
	r.severity = RDMAEV_SEVERITY_ERROR;
	return r;
}

#define QP_RECORD(ms, code, ...)	at(ms, RDMAEV_KIND_QP, RDMAEV_QP_##code, __VA_ARGS__)
#define WC_RECORD(ms, code, ...)	at(ms, RDMAEV_KIND_WC, RDMAEV_WC_##code, __VA_ARGS__)
#define ASYNC_RECORD(ms, code, ...)	at(ms, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_##code, __VA_ARGS__)

/* One end is killed, fails or is closed: then the other one fails. */
TEST_F(rules, peer_qp)
{
	JOIN(QP_RECORD(0, DESTROY, 17, 18, 1),
	     QP_RECORD(100, FAILED, 18, 17, 1),
	     QP_RECORD(200, FAILED, 19, 20, 1),
	     WC_RECORD(300, RETRY_EXC_ERR, 20, 19, 1),
	     WC_RECORD(400, LOC_PROT_ERR, 21, 22, 1),
	     ASYNC_RECORD(500, QP_FATAL, 22, 21, 1),
	     ASYNC_RECORD(600, QP_ACCESS_ERR, 23, 24, 1),
	     WC_RECORD(700, REM_ACCESS_ERR, 24, 23, 1),
	     QP_RECORD(800, ERR, 25, 26, 1),
	     WC_RECORD(900, RNR_RETRY_EXC_ERR, 26, 25, 1),
	     WC_RECORD(60799, RNR_RETRY_EXC_ERR, 26, 25, 1));
	EXPECT_JOINED(1, 0, "peer_qp");
	EXPECT_JOINED(3, 2, "peer_qp");
	EXPECT_JOINED(5, 4, "peer_qp");
	EXPECT_JOINED(7, 6, "peer_qp");
	EXPECT_JOINED(9, 8, "peer_qp");
	EXPECT_JOINED(10, 8, "peer_qp");
}

TEST_F(rules, peer_qp_of_others)
{
	struct rdmaev_record device = QP_RECORD(100, FAILED, 18, 17, 1);
	struct rdmaev_record refused = QP_RECORD(700, ERR, 30, 31, 1);

	device.generation = 2;
	refused.body.qp.result = -22;
	JOIN(QP_RECORD(0, DESTROY, 17, 18, 1),
	     device,
	     /* The peer is at another address, another QP, or this one has another peer. */
	     QP_RECORD(200, FAILED, 18, 17, 2),
	     QP_RECORD(300, FAILED, 19, 17, 1),
	     QP_RECORD(400, FAILED, 18, 20, 1),
	     /* Not because of the peer */
	     WC_RECORD(500, LOC_PROT_ERR, 18, 17, 1),
	     /* Closed in order */
	     QP_RECORD(600, ERR, 40, 41, 1),
	     refused,
	     QP_RECORD(800, FAILED, 31, 30, 1),
	     /* A QP of another host that has the number of this one */
	     QP_RECORD(1100, FAILED, 34, 34, 1),
	     WC_RECORD(1200, RETRY_EXC_ERR, 34, 34, 1),
	     QP_RECORD(1300, DESTROY, 35, 36, 1),
	     WC_RECORD(61301, RETRY_EXC_ERR, 36, 35, 1));
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(3);
	EXPECT_ALONE(4);
	EXPECT_ALONE(5);
	EXPECT_ALONE(8);
	EXPECT_ALONE(10);
	EXPECT_ALONE(12);
}

/* Two connections to another host, one with the numbers of the other exchanged */
TEST_F(rules, peer_qp_on_another_host)
{
	JOIN(QP_RECORD(0, FAILED, 17, 18, 2), QP_RECORD(100, FAILED, 18, 17, 2),
	     QP_RECORD(200, FAILED, 19, 20, 1), QP_RECORD(300, FAILED, 20, 19, 2),
	     QP_RECORD(400, FAILED, 21, 22, 2), QP_RECORD(500, FAILED, 22, 21, 1));
	EXPECT_ALONE(1);
	EXPECT_ALONE(3);
	EXPECT_ALONE(5);
}

/* The device has two addresses; a record that comes later shows the other one. */
TEST_F(rules, peer_qp_at_another_address)
{
	struct rdmaev_record gid = record(200, 1, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_GID);

	gid.body.port.before.gid[15] = 2;
	gid.body.port.after.gid[15] = 3;
	JOIN(QP_RECORD(0, FAILED, 17, 18, 1), QP_RECORD(100, FAILED, 18, 17, 2), gid,
	     QP_RECORD(300, FAILED, 19, 20, 3), QP_RECORD(400, FAILED, 20, 19, 3));
	EXPECT_JOINED(1, 0, "peer_qp");
	EXPECT_JOINED(4, 3, "peer_qp");
}

/* Both are on device 2, of which ports have these LIDs. */
static struct rdmaev_record at_lid(struct rdmaev_record r, uint32_t lid)
{
	r.generation = 2;
	r.body.info.known ^= RDMAEV_KNOWN_PEER_GID | RDMAEV_KNOWN_PEER_LID;
	r.body.qp.peer.lid = lid;
	return r;
}

TEST_F(rules, peer_qp_by_lid)
{
	struct rdmaev_record failed = at_lid(QP_RECORD(400, FAILED, 21, 22, 0), LID);
	struct rdmaev_record other = at_lid(QP_RECORD(500, FAILED, 22, 21, 0), LID);

	/* Device 1 does not have it. */
	failed.generation = 1;
	other.generation = 1;
	JOIN(at_lid(QP_RECORD(0, FAILED, 17, 18, 0), LID),
	     at_lid(QP_RECORD(100, FAILED, 18, 17, 0), LID + 1),
	     at_lid(QP_RECORD(200, FAILED, 19, 20, 0), 4711),
	     at_lid(QP_RECORD(300, FAILED, 20, 19, 0), 4711),
	     failed, other);
	EXPECT_JOINED(1, 0, "peer_qp");
	EXPECT_ALONE(3);
	EXPECT_ALONE(5);
}

/* The peer of a connection that is closed is on another host, unless it has an own address. */
TEST_F(rules, other_end_on_another_host)
{
	struct rdmaev_record closed = qp(100, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 17);
	struct rdmaev_record here = qp(300, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 20, 19);

	closed.body.info.known |= RDMAEV_KNOWN_PEER_ADDR;
	closed.body.cm.peer_addr[15] = 2;
	here.body.info.known |= RDMAEV_KNOWN_PEER_ADDR;
	here.body.cm.peer_addr[15] = 1;
	JOIN(QP_RECORD(0, ERR, 17, 18, 2), closed, QP_RECORD(200, ERR, 19, 20, 1), here);
	EXPECT_ALONE(1);
	EXPECT_JOINED(3, 2, "other_end");
}

static struct rdmaev_record of_process(uint32_t pid, struct rdmaev_record r)
{
	r.pid = pid;
	return r;
}

/* Not because of the peer, or of what is no end of the peer */
TEST_F(rules, peer_qp_of_another_reason)
{
	struct rdmaev_record info = ASYNC_RECORD(300, COMM_EST, 19, 20, 1);
	struct rdmaev_record number = QP_RECORD(600, FAILED, 22, 21, 1);

	info.severity = RDMAEV_SEVERITY_INFO;
	number.body.info.known &= ~RDMAEV_KNOWN_OBJECT;
	JOIN(QP_RECORD(0, DESTROY, 17, 18, 1),
	     WC_RECORD(100, LOC_PROT_ERR, 18, 17, 1),
	     WC_RECORD(200, LOC_LEN_ERR, 18, 17, 1),
	     info,
	     WC_RECORD(400, RETRY_EXC_ERR, 20, 19, 1),
	     QP_RECORD(500, DESTROY, 21, 22, 1),
	     number);
	EXPECT_ALONE(1);
	EXPECT_ALONE(2);
	EXPECT_ALONE(4);
	EXPECT_ALONE(6);
}

/* A failed completion is no request that has closed the other end. */
TEST_F(rules, other_end_had_failed)
{
	struct rdmaev_record closed = qp(100, 1, 1, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED, 18, 17);

	JOIN(WC_RECORD(0, LOC_PROT_ERR, 17, 18, 1), closed);
	EXPECT_ALONE(1);
}

/* The numbers are used again, by another pair. */
TEST_F(rules, peer_qp_used_again)
{
	JOIN(of_process(500, QP_RECORD(0, DESTROY, 17, 18, 1)),
	     QP_RECORD(100, DESTROY, 18, 17, 1),
	     WC_RECORD(200, RETRY_EXC_ERR, 18, 17, 1),
	     of_process(500, QP_RECORD(300, DESTROY, 19, 20, 1)),
	     of_process(501, QP_RECORD(400, ERR, 19, 21, 1)),
	     WC_RECORD(500, RETRY_EXC_ERR, 20, 19, 1),
	     of_process(500, QP_RECORD(600, DESTROY, 22, 23, 1)),
	     of_process(600, QP_RECORD(700, RTR, 23, 22, 1)),
	     of_process(601, WC_RECORD(800, RETRY_EXC_ERR, 23, 22, 1)));
	EXPECT_ALONE(2);
	EXPECT_ALONE(5);
	EXPECT_ALONE(8);
}

/* A QP that is destroyed as its process ends, by a signal or 0 */
static struct rdmaev_record ended(unsigned int ms, uint32_t pid, uint32_t number,
				  unsigned int signal)
{
	struct rdmaev_record r = qp(ms, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_DESTROY, number, 0);

	r.pid = pid;
	r.body.qp.caller_pid = pid;
	r.body.qp.signal = signal;
	r.severity = signal ? RDMAEV_SEVERITY_WARNING : RDMAEV_SEVERITY_INFO;
	return r;
}

static struct rdmaev_record found(unsigned int ms, uint32_t pid, uint32_t number)
{
	struct rdmaev_record r = ended(ms, pid, number, 0);

	r.code = RDMAEV_QP_FAILED;
	r.severity = RDMAEV_SEVERITY_ERROR;
	return r;
}

static struct rdmaev_record caused_by_seq(uint64_t seq, struct rdmaev_record r)
{
	r.cause = seq;
	return r;
}

/* Three QPs, one of which had failed, and 20 more that share a record */
TEST_F(rules, same_exit)
{
	struct rdmaev_record shared = caused_by_seq(1, ended(1000, 500, 0, 9));
	struct rdmaev_record device = ended(400, 500, 17, 9);
	struct incident incident;

	shared.count = 20;
	device.generation = 2;
	JOIN(ended(0, 500, 17, 9),
	     found(100, 500, 18),
	     caused_by_seq(2, ended(100, 500, 18, 9)),
	     ended(200, 500, 19, 9),
	     device,
	     shared);
	EXPECT_JOINED(1, 0, "same_exit");
	EXPECT_EQ(self->log.nodes[2].parent, 1);
	EXPECT_JOINED(3, 0, "same_exit");
	EXPECT_JOINED(4, 0, "same_exit");
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.records, 6);
	EXPECT_EQ(incident.ended, 24);
}

/* The first one had failed. */
TEST_F(rules, same_exit_of_failed)
{
	JOIN(found(0, 500, 17),
	     caused_by_seq(1, ended(0, 500, 17, 0)),
	     ended(100, 500, 18, 0));
	EXPECT_JOINED(2, 0, "same_exit");
	EXPECT_EQ(summarize(&self->log, 0).ended, 2);
}

/* Two QPs that ended, and what is different with the second */
#define EXPECT_OTHER_EXIT(second) do {					\
	struct rdmaev_record list[] = { ended(0, 500, 17, 9), second };	\
									\
	list[0].seq = 1;						\
	list[1].seq = 2;						\
	self->log.count = 0;						\
	free(self->log.removals);					\
	self->log.removals = NULL;					\
	self->log.removals_count = 0;					\
	ASSERT_EQ(add_records(&self->log, &self->room, list, 2), 0);	\
	ASSERT_EQ(join_records(&self->log), 0);				\
	EXPECT_ALONE(1);						\
} while (0)

TEST_F(rules, same_exit_of_others)
{
	struct rdmaev_record user = ended(100, 500, 20, 9);
	struct rdmaev_record container = ended(100, 500, 21, 9);
	struct rdmaev_record caller = ended(100, 500, 22, 9);
	struct rdmaev_record kept = ended(100, 500, 23, 9);

	user.body.info.uid = 7;
	container.body.info.pid_ns = 7;
	caller.body.qp.caller_pid = 7;
	kept.body.qp.result = -16;
	EXPECT_OTHER_EXIT(ended(100, 501, 18, 9));
	EXPECT_OTHER_EXIT(ended(100, 500, 19, 15));
	EXPECT_OTHER_EXIT(user);
	EXPECT_OTHER_EXIT(container);
	EXPECT_OTHER_EXIT(caller);
	EXPECT_OTHER_EXIT(kept);
	/* Found to have failed, but not as the process ended */
	EXPECT_OTHER_EXIT(found(100, 500, 24));
}

TEST_F(rules, same_exit_of_unknown)
{
	JOIN(ended(0, 0, 25, 9), ended(100, 0, 26, 9));
	EXPECT_ALONE(1);
	EXPECT_EQ(summarize(&self->log, 0).ended, 0);
}

/* What is counted: QPs of the process of the root, if it ended */
TEST_F(rules, ended_with_others)
{
	struct rdmaev_record request = qp(0, 1, 1, RDMAEV_KIND_QP, RDMAEV_QP_ERR, 17, 0);

	request.pid = 500;
	JOIN(request,
	     caused_by_seq(1, ended(100, 500, 17, 9)),
	     caused_by_seq(1, ended(200, 500, 18, 9)),
	     found(300, 600, 19),
	     caused_by_seq(4, qp(400, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_WR_FLUSH_ERR, 19, 0)),
	     caused_by_seq(1, found(500, 600, 20)));
	EXPECT_EQ(summarize(&self->log, 0).ended, 0);
	EXPECT_ALONE(3);
}

/* Within a minute after the one before; the pid may be used again. */
TEST_F(rules, same_exit_late)
{
	JOIN(ended(0, 500, 17, 9),
	     ended(60000, 500, 18, 9),
	     ended(120000, 500, 19, 9),
	     ended(180001, 500, 20, 9),
	     ended(180002, 500, 21, 9));
	EXPECT_JOINED(1, 0, "same_exit");
	EXPECT_JOINED(2, 0, "same_exit");
	EXPECT_ALONE(3);
	EXPECT_JOINED(4, 3, "same_exit");
	EXPECT_EQ(summarize(&self->log, 0).ended, 3);
}

/* A QP that had failed long before belongs to that failure, others do not. */
TEST_F(rules, same_exit_after_failure)
{
	struct incident incident;

	JOIN(qp(0, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 17, 0),
	     caused_by_seq(1, ended(100, 500, 17, 9)),
	     qp(150, 1, 1, RDMAEV_KIND_WC, RDMAEV_WC_LOC_PROT_ERR, 18, 0),
	     ended(200, 500, 18, 9),
	     ended(300, 500, 19, 9),
	     ended(400, 500, 20, 9));
	EXPECT_JOINED(3, 2, "same_qp");
	EXPECT_ALONE(4);
	EXPECT_JOINED(5, 4, "same_exit");
	incident = summarize(&self->log, 0);
	EXPECT_EQ(incident.ended, 0);
}

TEST_HARNESS_MAIN
