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
	struct rdmaev_record lid = QP_RECORD(900, DESTROY, 32, 33, 1);
	struct rdmaev_record other_lid = QP_RECORD(1000, FAILED, 33, 32, 1);

	device.generation = 2;
	refused.body.qp.result = -22;
	lid.body.info.known |= RDMAEV_KNOWN_PEER_LID;
	other_lid.body.info.known |= RDMAEV_KNOWN_PEER_LID;
	other_lid.body.qp.peer.lid = 7;
	JOIN(QP_RECORD(0, DESTROY, 17, 18, 1),
	     device,
	     /* The peer is at another address, another QP, or this one has another peer. */
	     QP_RECORD(200, FAILED, 18, 17, 2),
	     QP_RECORD(300, FAILED, 19, 17, 1),
	     QP_RECORD(400, FAILED, 18, 20, 1),
	     /* Not because of the peer */
	     WC_RECORD(500, LOC_PROT_ERR, 18, 17, 1),
	     /* Closed in order */
	     QP_RECORD(600, ERR, 18, 17, 1),
	     refused,
	     QP_RECORD(800, FAILED, 31, 30, 1),
	     lid, other_lid,
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
	EXPECT_ALONE(14);
}

static struct rdmaev_record of_process(uint32_t pid, struct rdmaev_record r)
{
	r.pid = pid;
	return r;
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

TEST_HARNESS_MAIN
