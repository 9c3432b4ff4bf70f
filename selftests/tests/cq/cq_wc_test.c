// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records of completions that failed: one for each QP failure, one for the
 * requests that follow, and their causes.
 */
#include "cq.h"

#define QP_FATAL	1
#define QP_ACCESS_ERR	3
#define COMM_EST	4

#define KNOWN	(RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ |		\
		 RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ)

#define EXPECT_WC(r, status, on_port, number, how_many, by) do {	\
	EXPECT_EQ((r).kind, RDMAEV_KIND_WC);				\
	EXPECT_EQ((r).code, status);					\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).generation, self->generation);			\
	EXPECT_EQ((r).port, on_port);					\
	EXPECT_EQ((r).object_type, RDMAEV_OBJECT_QP);			\
	EXPECT_EQ((r).object, number);					\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_ULP);			\
	EXPECT_EQ((r).count, how_many);					\
	EXPECT_EQ((r).cause, by);					\
	EXPECT_EQ((r).pid, 0);						\
	EXPECT_STREQ((r).body.info.owner, CQTEST_NAME);		\
} while (0)

#define EXPECT_BODY(r, public, id, op, other) do {			\
	const struct rdmaev_wc_body *b = &(r).body.wc;			\
	EXPECT_EQ(b->info.known, KNOWN | (public));				\
	EXPECT_EQ(b->queues.send_cq, result("cq"));				\
	EXPECT_EQ(b->queues.recv_cq, result("cq"));				\
	EXPECT_EQ(b->cq, result("cq"));					\
	EXPECT_EQ(b->queues.srq, 0);						\
	EXPECT_EQ(b->wr_id, id);					\
	EXPECT_EQ(b->vendor_err, VENDOR_ERR + (r).code);		\
	EXPECT_EQ(b->opcode, op);					\
	EXPECT_EQ(b->folded, other);					\
} while (0)

#define EXPECT_SEVERITY(r, its_severity) do {					\
	EXPECT_EQ((r).severity, RDMAEV_SEVERITY_##its_severity);		\
	EXPECT_EQ((r).ring, RDMAEV_RING_##its_severity);			\
} while (0)

TEST_F(cq, fails_and_is_flushed)
{
	struct rdmaev_record r[2], rest;
	long qp;

	ASSERT_EQ(run("hold sim0 create created 2 public"), 0);
	qp = result("qp");
	run("hold sim0 recv 5");
	run("hold sim0 write 3");
	run("hold sim0 bad");
	run("hold sim0 write 2");
	EXPECT_TRUE(nothing(self->fd));
	run("hold sim0 poll 16");
	EXPECT_EQ(result("polled"), 11);
	/*
	 * The first is recorded when it is polled; the rest when their number
	 * is known.
	 */
	ASSERT_TRUE(next(self->fd, &r[0]));
	EXPECT_WC(r[0], LOC_QP_OP_ERR, 2, qp, 1, 0);
	EXPECT_BODY(r[0], RDMAEV_KNOWN_WR_ID, 1009, RDMAEV_OPCODE_SEND, 0);
	EXPECT_SEVERITY(r[0], ERROR);
	run("hold sim0 write 1");
	run("hold sim0 recv 1");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(next(self->fd, &r[1]));
	/* On a slow machine, a second has passed: then the number is in two records. */
	if (r[1].count == 7) {
		ASSERT_TRUE(next(self->fd, &rest));
		EXPECT_EQ(rest.cause, r[0].seq);
		r[1].count += rest.count;
	}
	EXPECT_WC(r[1], WR_FLUSH_ERR, 2, qp, 9, r[0].seq);
	EXPECT_BODY(r[1], RDMAEV_KNOWN_WR_ID, 1001, RDMAEV_OPCODE_RECV, 0);
	EXPECT_SEVERITY(r[1], ERROR);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	EXPECT_TRUE(nothing(self->fd));
}

/* Addresses do not leave the kernel, but equal ones have equal hashes. */
TEST_F(cq, wr_id)
{
	struct rdmaev_record r[2];
	uint64_t id;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 bad");
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	ASSERT_EQ(run("hold sim0 flushed"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_EQ(r[0].body.info.known, KNOWN);
	EXPECT_EQ(r[1].body.info.known, KNOWN);
	id = r[0].body.wc.wr_id;
	EXPECT_NE(id, 1001);
	EXPECT_NE(r[1].body.wc.wr_id, 1002);
	EXPECT_NE(r[1].body.wc.wr_id, id);
	ASSERT_EQ(run("hold sim0 destroy"), 0);

	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_EQ(r[0].body.wc.wr_id, id);
}

/* Failures of both queues: the first has a record, the other is folded. */
TEST_F(cq, folded)
{
	struct rdmaev_record r[2];
	long qp;

	ASSERT_EQ(run("hold sim0 create created 1 public"), 0);
	qp = result("qp");
	ASSERT_EQ(sim_put("fail", "%ld recv:%d", qp, LOC_PROT_ERR), 0);
	run("hold sim0 recv 3");
	run("hold sim0 send 1");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_WC(r[0], LOC_PROT_ERR, 1, qp, 1, 0);
	EXPECT_BODY(r[0], RDMAEV_KNOWN_WR_ID, 1001, RDMAEV_OPCODE_RECV, 0);
	EXPECT_WC(r[1], WR_FLUSH_ERR, 1, qp, 2, r[0].seq);
	EXPECT_BODY(r[1], RDMAEV_KNOWN_WR_ID, 1002, RDMAEV_OPCODE_RECV, 1);
	run("hold sim0 reset");

	/*
	 * Where no request is flushed, the number of other failures is
	 * recorded.
	 */
	ASSERT_EQ(sim_put("fail", "%ld %d 4", qp, REM_OP_ERR), 0);
	run("hold sim0 write 4");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_WC(r[0], REM_OP_ERR, 1, qp, 1, 0);
	EXPECT_BODY(r[0], RDMAEV_KNOWN_WR_ID, 1005, RDMAEV_OPCODE_WRITE, 0);
	EXPECT_WC(r[1], REM_OP_ERR, 1, qp, 3, r[0].seq);
	EXPECT_BODY(r[1], RDMAEV_KNOWN_WR_ID, 1006, RDMAEV_OPCODE_WRITE, 0);
}

/* The owner of the QP knows the cause. */
TEST_F(cq, moved_to_error)
{
	struct rdmaev_record r[1];
	long qp;

	ASSERT_EQ(run("hold sim0 create created 1 public"), 0);
	qp = result("qp");
	run("hold sim0 recv 4");
	run("hold sim0 error");
	run("hold sim0 write 2");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_WC(r[0], WR_FLUSH_ERR, 1, qp, 6, 0);
	EXPECT_BODY(r[0], RDMAEV_KNOWN_WR_ID, 1001, RDMAEV_OPCODE_RECV, 0);
	EXPECT_SEVERITY(r[0], INFO);
}

/*
 * Without a report of the end, the failure ends when nothing follows for a
 * second.
 */
TEST_F(cq, tells_in_the_end)
{
	struct rdmaev_record r[3];
	long qp;

	ASSERT_EQ(run("hold sim0 create created 1 public"), 0);
	qp = result("qp");
	run("hold sim0 recv 2");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	/* At once */
	ASSERT_EQ(read(self->fd, &r[0], sizeof(r[0])), sizeof(r[0]));
	ASSERT_TRUE(next(self->fd, &r[1]));
	EXPECT_GE(r[1].boottime_ns - r[0].boottime_ns, 500 * 1000000ULL);
	EXPECT_WC(r[1], WR_FLUSH_ERR, 1, qp, 2, r[0].seq);
	/* Later completions cause another record. */
	run("hold sim0 write 3");
	run("hold sim0 poll 16");
	ASSERT_TRUE(exactly(self->fd, &r[2], 1));
	EXPECT_WC(r[2], WR_FLUSH_ERR, 1, qp, 3, r[0].seq);
	EXPECT_BODY(r[2], RDMAEV_KNOWN_WR_ID, 1004, RDMAEV_OPCODE_WRITE, 0);
	/* Or it ends when the CQ is destroyed. */
	run("hold sim0 write 5");
	run("hold sim0 poll 16");
	ASSERT_EQ(run("hold sim0 destroy quiet"), 0);
	ASSERT_EQ(read(self->fd, &r[2], sizeof(r[2])), sizeof(r[2]));
	EXPECT_WC(r[2], WR_FLUSH_ERR, 1, qp, 5, r[0].seq);
	EXPECT_TRUE(nothing(self->fd));
}

/* Each time that a QP fails is a failure of its own. */
TEST_F(cq, fails_again)
{
	struct rdmaev_record r[2];
	int i;

	ASSERT_EQ(run("hold sim0 create created 1 public"), 0);
	for (i = 0; i < 5; i++) {
		run("hold sim0 recv %d", i);
		ASSERT_EQ(run("hold sim0 bad"), 0);
		run("hold sim0 poll 16");
		run("hold sim0 reset");
		ASSERT_TRUE(exactly(self->fd, r, i ? 2 : 1));
		EXPECT_WC(r[0], LOC_QP_OP_ERR, 1, result("qp"), 1, 0);
		if (i)
			EXPECT_WC(r[1], WR_FLUSH_ERR, 1, result("qp"), i, r[0].seq);
	}
}

/* An event that reports an error of the QP is a cause, too; others are not. */
TEST_F(cq, event_of_the_qp)
{
	static const struct {
		unsigned int event;
		int is_cause;
	} events[] = {
		{ QP_FATAL, 1 }, { QP_ACCESS_ERR, 1 }, { COMM_EST, 0 },
	};
	struct rdmaev_record r[2];
	unsigned int i;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ASSERT_EQ(sim_put("raise", "qp %ld %u", result("qp"), events[i].event), 0);
		run("hold sim0 error");
		run("hold sim0 write 3");
		run("hold sim0 poll 16");
		run("hold sim0 reset");
		ASSERT_TRUE(exactly(self->fd, r, 2));
		EXPECT_EQ(r[0].kind, RDMAEV_KIND_ASYNC);
		EXPECT_EQ(r[0].code, events[i].event);
		EXPECT_WC(r[1], WR_FLUSH_ERR, 1, result("qp"), 3,
			  events[i].is_cause ? r[0].seq : 0);
		EXPECT_EQ(r[1].severity, events[i].is_cause ?
			  RDMAEV_SEVERITY_ERROR : RDMAEV_SEVERITY_INFO);
	}
}

/* An event after the end of the last failure belongs to another one. */
TEST_F(cq, event_later)
{
	struct rdmaev_record r[3];

	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	run("hold sim0 recv 1");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	ASSERT_TRUE(next(self->fd, &r[0]));
	ASSERT_TRUE(next(self->fd, &r[1]));
	EXPECT_WC(r[1], WR_FLUSH_ERR, 1, result("qp"), 1, r[0].seq);
	ASSERT_EQ(sim_put("raise", "qp %ld %u", result("qp"), QP_FATAL), 0);
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_EQ(r[0].code, QP_FATAL);
	EXPECT_WC(r[1], WR_FLUSH_ERR, 1, result("qp"), 1, r[0].seq);
}

/*
 * The QP continues after this failure: it is recorded, and is the cause of no
 * later ones.
 */
TEST_F(cq, abandoned_message)
{
	struct rdmaev_record r[4];
	long qp;

	ASSERT_EQ(run("hold sim0 create created 1 public"), 0);
	qp = result("qp");
	ASSERT_EQ(sim_put("fail", "%ld %u 3", qp, REM_ABORT_ERR), 0);
	run("hold sim0 write 3");
	ASSERT_EQ(sim_put("fail", "%ld %u", qp, REM_OP_ERR), 0);
	run("hold sim0 write 2");
	run("hold sim0 poll 16");
	run("hold sim0 flushed");
	ASSERT_TRUE(exactly(self->fd, r, 4));
	EXPECT_WC(r[0], REM_ABORT_ERR, 1, qp, 1, 0);
	EXPECT_BODY(r[0], RDMAEV_KNOWN_WR_ID, 1001, RDMAEV_OPCODE_WRITE, 0);
	EXPECT_WC(r[1], REM_ABORT_ERR, 1, qp, 2, 0);
	EXPECT_BODY(r[1], RDMAEV_KNOWN_WR_ID, 1002, RDMAEV_OPCODE_WRITE, 0);
	EXPECT_SEVERITY(r[1], ERROR);
	EXPECT_WC(r[2], REM_OP_ERR, 1, qp, 1, 0);
	EXPECT_BODY(r[2], RDMAEV_KNOWN_WR_ID, 1004, RDMAEV_OPCODE_WRITE, 0);
	EXPECT_WC(r[3], WR_FLUSH_ERR, 1, qp, 1, r[2].seq);
	EXPECT_BODY(r[3], RDMAEV_KNOWN_WR_ID, 1005, RDMAEV_OPCODE_WRITE, 0);
}

/*
 * rdmaev does not access a QP that was destroyed before its completions were
 * polled: they are recorded for the CQ, unless the ULP promised otherwise.
 */
TEST_F(cq, destroyed_qp)
{
	struct rdmaev_record r[2];
	long cq;

	ASSERT_EQ(run("hold sim0 create created 1 unnamed"), 0);
	cq = result("cq");
	run("hold sim0 recv 3");
	run("hold sim0 bad");
	run("hold sim0 write 2");
	ASSERT_EQ(run("hold sim0 destroyqp"), 0);
	run("hold sim0 poll 16");
	EXPECT_EQ(result("polled"), 6);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 2));
	EXPECT_EQ(r[0].code, LOC_QP_OP_ERR);
	EXPECT_EQ(r[0].object_type, RDMAEV_OBJECT_CQ);
	EXPECT_EQ(r[0].object, cq);
	EXPECT_EQ(r[0].port, RDMAEV_NO_PORT);
	EXPECT_EQ(r[0].body.info.known, RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_CQ);
	EXPECT_EQ(r[0].body.async.queues.send_cq, 0);
	EXPECT_EQ(r[1].code, WR_FLUSH_ERR);
	EXPECT_EQ(r[1].object_type, RDMAEV_OBJECT_CQ);
	EXPECT_EQ(r[1].count, 5);
	EXPECT_EQ(r[1].cause, r[0].seq);
}

/* An unsignalled request may have no wr_cqe; it is flushed, too. */
TEST_F(cq, without_wr_cqe)
{
	struct rdmaev_record r[1];

	ASSERT_EQ(run("hold sim0 create created 1 cqe"), 0);
	ASSERT_EQ(run("hold sim0 bare 3"), 0);
	ASSERT_EQ(run("hold sim0 error"), 0);
	run("hold sim0 poll 16");
	EXPECT_EQ(result("polled"), 3);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	ASSERT_TRUE(exactly(self->fd, r, 1));
	EXPECT_EQ(r[0].code, WR_FLUSH_ERR);
	EXPECT_EQ(r[0].count, 3);
}

/*
 * Fields that verbs leave undefined are recorded for drivers that are known to
 * set them.
 */
TEST_F(cq, opcode_and_vendor_error)
{
	static const struct {
		int driver, has_opcode, has_vendor_err;
	} drivers[] = {
		{ 4, 1, 1 },		/* cxgb4 */
		{ 1, 0, 1 },		/* mlx5 */
		{ 18, 1, 0 },		/* siw */
		{ 0, 0, 0 },		/* an unknown driver */
		{ 200, 0, 0 },
	};
	struct rdmaev_record r[1];
	unsigned int i;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		ASSERT_EQ(sim_put("driver", "%d", drivers[i].driver), 0);
		ASSERT_EQ(sim_put("fail", "%ld %u", result("qp"), REM_OP_ERR), 0);
		run("hold sim0 write 1");
		run("hold sim0 poll 16");
		run("hold sim0 reset");
		ASSERT_TRUE(exactly(self->fd, r, 1));
		EXPECT_EQ(r[0].body.wc.opcode, drivers[i].has_opcode ?
			  RDMAEV_OPCODE_WRITE : RDMAEV_OPCODE_OTHER);
		EXPECT_EQ(r[0].body.wc.vendor_err, drivers[i].has_vendor_err ?
			  VENDOR_ERR + REM_OP_ERR : 0);
	}
}

/* A million requests may be flushed: each is counted, on whatever CPU. */
TEST_F_TIMEOUT(cq, flushes_are_counted, 60)
{
	struct rdmaev_record rec;
	unsigned int flushed = 0, i;
	uint64_t first = 0;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 bad");
	for (i = 0; i < 40; i++) {
		run("hold sim0 recv 30");
		run("hold sim0 poll 16");
		run("hold sim0 poll 16");
	}
	run("hold sim0 flushed");
	while (next(self->fd, &rec)) {
		if (rec.code == LOC_QP_OP_ERR) {
			first = rec.seq;
			continue;
		}
		EXPECT_EQ(rec.code, WR_FLUSH_ERR);
		EXPECT_EQ(rec.cause, first);
		flushed += rec.count;
	}
	EXPECT_EQ(flushed, 1200);
}

/* Completions of ib_drain_qp() that the core polls are not counted. */
TEST_F(cq, drain_requests)
{
	static const char * const kinds[] = { "attached", "direct" };
	struct rdmaev_cq_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_EQ(run("hold sim0 create %s", kinds[i]), 0);
		ASSERT_EQ(run("hold sim0 drain"), 0);
		ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
		EXPECT_EQ(stats.failures[WR_FLUSH_ERR], 0);
		EXPECT_EQ(stats.polls, 0);
		ASSERT_EQ(run("hold sim0 destroy"), 0);
	}
	EXPECT_TRUE(nothing(self->fd));
}

/* Nor are those that the ULP polls itself, and only its own are recorded. */
TEST_F(cq, drain_requests_among_others)
{
	static const char * const kinds[] = { "created 1 cqe", "attached", "direct 1 cqe" };
	struct rdmaev_cq_stats stats;
	struct rdmaev_record rec;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_EQ(run("hold sim0 create %s", kinds[i]), 0);
		ASSERT_EQ(run("hold sim0 recv 20"), 0);
		ASSERT_EQ(run("hold sim0 drain"), 0);
		ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
		EXPECT_EQ(stats.failures[WR_FLUSH_ERR], 20)
			TH_LOG("%s", kinds[i]);
		ASSERT_EQ(run("hold sim0 destroy"), 0);
		ASSERT_EQ(next(self->fd, &rec), 1);
		EXPECT_EQ(rec.kind, RDMAEV_KIND_WC);
		EXPECT_EQ(rec.code, WR_FLUSH_ERR);
		EXPECT_EQ(rec.count, 20);
		EXPECT_TRUE(nothing(self->fd));
	}
}

/* A CQ that the ULP has created cannot be attached. cq_context belongs to its owner. */
TEST_F(cq, attached_again)
{
	static const char * const kinds[] = { "created", "attached", "direct" };
	struct rdmaev_cq_stats stats;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_EQ(run("hold sim0 create %s", kinds[i]), 0);
		EXPECT_EQ(run("hold sim0 attach"), i ? 0 : -1);
		if (!i)
			EXPECT_EQ(errno, EBUSY);
		EXPECT_EQ(result("own"), 1);
		ASSERT_TRUE(find_cq(self->fd, self->index, result("cq"), &stats));
		EXPECT_STREQ(stats.owner, CQTEST_NAME);
		ASSERT_EQ(run("hold sim0 destroy"), 0);
	}
}

#define SHORT_MS	100

/* The next record of a kind and code, or 0 */
static int next_of(int fd, unsigned int kind, unsigned int code, struct rdmaev_record *r)
{
	int ret;

	do {
		ret = next(fd, r);
	} while (ret && (r->kind != kind || r->code != code));
	return ret;
}

/*
 * Only the event tells that the port failed: its state stays the same. The
 * handler has noted the event when the other change is on record: the second
 * one is if another query found the first before the event.
 */
static uint64_t port_err(int fd, unsigned int port)
{
	static unsigned int lid = 3000;
	struct rdmaev_record r;
	uint64_t seq;

	set(port, "lid", "%u", ++lid);
	if (event(PORT_ERR, port) ||
	    !next_of(fd, RDMAEV_KIND_ASYNC, PORT_ERR, &r))
		return 0;
	set(port, "lid", "%u", ++lid);
	seq = r.port == port ? r.seq : 0;
	return next_of(fd, RDMAEV_KIND_PORT, RDMAEV_PORT_LID, &r) ? seq : 0;
}

/* Fail with a status, and take the record of it. */
static int fail_with(int fd, unsigned int status, struct rdmaev_record *r)
{
	int ret;

	sim_put("fail", "%ld %u", result("qp"), status);
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	do {
		ret = next(fd, r);
	} while (ret && r->kind != RDMAEV_KIND_WC);
	run("hold sim0 reset");
	return ret && r->code == status;
}

TEST_F(cq, port_error)
{
	struct rdmaev_record r;
	uint64_t seq;

	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	/* A periodic query would record the other change before the event. */
	ASSERT_EQ(param("poll_ms", 0), 0);
	ASSERT_EQ(run("hold sim0 create created 2"), 0);
	ASSERT_TRUE(fail_with(self->fd, RETRY_EXC_ERR, &r));
	EXPECT_EQ(r.cause, 0);
	EXPECT_EQ(r.port, 2);
	/* An event of another port is not the cause. */
	ASSERT_NE(port_err(self->fd, 1), 0);
	ASSERT_TRUE(fail_with(self->fd, RETRY_EXC_ERR, &r));
	EXPECT_EQ(r.cause, 0);

	seq = port_err(self->fd, 2);
	ASSERT_NE(seq, 0);
	ASSERT_TRUE(fail_with(self->fd, RETRY_EXC_ERR, &r));
	EXPECT_EQ(r.cause, seq);
	/* It is the cause of nothing else. */
	ASSERT_TRUE(fail_with(self->fd, REM_OP_ERR, &r));
	EXPECT_EQ(r.cause, 0);
	ASSERT_TRUE(fail_with(self->fd, RETRY_EXC_ERR, &r));
	EXPECT_EQ(r.cause, seq);
	ASSERT_EQ(param("port_err_ms", SHORT_MS), 0);
	sleep_ms(SHORT_MS);
	ASSERT_TRUE(fail_with(self->fd, RETRY_EXC_ERR, &r));
	EXPECT_EQ(r.cause, 0);
	param("port_err_ms", 30000);
	param("poll_ms", 30000);
}

TEST_HARNESS_MAIN
