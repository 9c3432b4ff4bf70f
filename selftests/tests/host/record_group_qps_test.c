// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests for many QPs of one owner are one line of rdmaev watch and log: the number of QPs
 * is exact, and nothing is said that is not true of all of them.
 */
#include "record_groups.h"

#define QPS	200

static struct record_groups all;
static struct result result;
static uint64_t seq;

FIXTURE(qps) {
};

FIXTURE_SETUP(qps)
{
	all = (struct record_groups){ .joins = true };
	memset(&result, 0, sizeof(result));
	seq = 0;
}

FIXTURE_TEARDOWN(qps)
{
	record_group_free_all(&all);
}

/* A request for @qp of python3[1234], in RTS, @ms after the first */
static struct rdmaev_record request(unsigned int ms, unsigned int code, unsigned int qp)
{
	struct rdmaev_record r = made_up(RDMAEV_KIND_QP, code);

	r.seq = ++seq;
	r.boottime_ns = (1000 + ms) * MS;
	r.realtime_ns = (86400000 + ms) * MS;
	r.port = 1;
	r.pid = 1234;
	r.ring = RDMAEV_RING_USER;
	r.object_type = RDMAEV_OBJECT_QP;
	r.object = qp;
	r.body.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID | RDMAEV_KNOWN_QP_STATE |
			    RDMAEV_KNOWN_PEER_QPN;
	r.body.info.qp_state = RDMAEV_QP_RTS;
	r.body.qp.peer.qpn = 1000 + qp;
	r.body.qp.caller_pid = 1234;
	strcpy(r.body.qp.caller_comm, "python3");
	strcpy(r.body.info.owner, "python3");
	return r;
}

/* What the kernel makes of those of a burst that have no record of their own */
static struct rdmaev_record sum_of(const struct rdmaev_record *first, unsigned int ms,
				   unsigned int count)
{
	struct rdmaev_record r = request(ms, first->code, 0);

	r.severity = first->severity;
	r.count = count;
	r.cause = first->seq;
	r.body.info.known = RDMAEV_KNOWN_UID;
	r.body.info.qp_state = 0;
	memset(&r.body.qp.peer, 0, sizeof(r.body.qp.peer));
	r.body.qp.caller_pid = 0;
	memset(r.body.qp.caller_comm, 0, sizeof(r.body.qp.caller_comm));
	r.body.qp.result = first->body.qp.result;
	r.body.qp.signal = first->body.qp.signal;
	return r;
}

static int add(struct rdmaev_record r)
{
	return record_group_add(&all, &r, 0);
}

static const struct result *lines(void)
{
	record_group_close(&all);
	take_lines(&all, &result);
	return &result;
}

TEST_F(qps, one_program)
{
	unsigned int i;

	for (i = 0; i < QPS; i++)
		EXPECT_EQ(add(request(i, RDMAEV_QP_ERR, 17 + i)), 0);
	EXPECT_STREQ(lines()->counts, "200");
	EXPECT_STREQ(result.lines[0],
		     "1970-01-02 00:00:00.000Z I dev3/1          QP_ERR               "
		     "200 QPs of python3[1234]: RTS -> ERR (QP 17 ... QP 216)  #1-#200 (200 records)");
}

TEST_F(qps, two)
{
	EXPECT_EQ(add(request(0, RDMAEV_QP_ERR, 17)), 0);
	EXPECT_EQ(add(request(1, RDMAEV_QP_ERR, 20)), 0);
	EXPECT_EQ(add(request(1002, RDMAEV_QP_ERR, 21)), 0);
	EXPECT_STREQ(lines()->counts, "2 1");
	EXPECT_HAS(result.lines[0], " 2 QPs of python3[1234]: RTS -> ERR (QP 17, QP 20)  #1-#2 (2 records)");
	EXPECT_HAS(result.lines[1], " QP 21 of python3[1234], peer QP 1021: RTS -> ERR  #3");
}

/* A program is killed whose QPs had failed: each end follows from a record of its own. */
TEST_F(qps, ends)
{
	unsigned int i;

	for (i = 0; i < QPS; i++) {
		struct rdmaev_record r = request(i, RDMAEV_QP_FAILED, i);

		r.severity = RDMAEV_SEVERITY_ERROR;
		r.body.info.qp_state = RDMAEV_QP_ERR;
		EXPECT_EQ(add(r), 0);
		r.cause = r.seq;
		r.seq = ++seq;
		r.code = RDMAEV_QP_DESTROY;
		r.severity = RDMAEV_SEVERITY_WARNING;
		r.body.qp.signal = 9;
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_STREQ(lines()->counts, "200 200");
	EXPECT_HAS(result.lines[0], " E dev3/1          QP_FAILED            200 QPs of python3[1234]: "
		   "were in ERR, not asked for by their owner (QP 0 ... QP 199)  #1-#399 (200 records)");
	EXPECT_HAS(result.lines[1], " W dev3/1          QP_DESTROY           200 QPs of python3[1234]: "
		   "destroyed, process killed by signal 9 (SIGKILL) (QP 0 ... QP 199)  #2-#400 (200 records)");
	EXPECT_EQ(strstr(result.lines[1], "<-"), NULL);
}

/* All for the same reason, which the line names */
TEST_F(qps, same_cause)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct rdmaev_record r = request(i, RDMAEV_QP_ERR, i);

		r.cause = 4711;
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_STREQ(lines()->counts, "3");
	EXPECT_HAS(result.lines[0], "  #1-#3 (3 records) <- #4711");
}

/* The kernel records the first, and how many followed. Of those, the state is not known. */
TEST_F(qps, folded)
{
	struct rdmaev_record first = request(0, RDMAEV_QP_ERR, 17);
	unsigned int i;

	EXPECT_EQ(add(first), 0);
	for (i = 1; i < 16; i++)
		EXPECT_EQ(add(request(i, RDMAEV_QP_ERR, 17 + i)), 0);
	EXPECT_EQ(add(sum_of(&first, 1100, 184)), 0);
	/* Of another burst, whose records were lost */
	first.seq = 4711;
	EXPECT_EQ(add(sum_of(&first, 1101, 5)), 0);
	EXPECT_STREQ(lines()->counts, "17 1");
	EXPECT_HAS(result.lines[0], " QP_ERR               16 QPs of python3[1234]: RTS -> ERR (QP 17 ... QP 32); "
		   "184 more: -> ERR  #1-#17 (17 records)");
	EXPECT_HAS(result.lines[1], " QP ? of python3[1234], 5 more: -> ERR  #18 <- #4711");
}

/* Causes of their own do not make the line forget with which record a burst began. */
TEST_F(qps, folded_with_causes)
{
	struct rdmaev_record first = request(0, RDMAEV_QP_DESTROY, 17);
	unsigned int i;

	for (i = 0; i < 30; i++) {
		struct rdmaev_record r = i ? request(i, RDMAEV_QP_DESTROY, 17 + i) : first;

		r.cause = 4000 + i;
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_EQ(add(sum_of(&first, 1000, 184)), 0);
	EXPECT_STREQ(lines()->counts, "31");
	EXPECT_HAS(result.lines[0], "30 QPs of python3[1234]: destroyed, process exited (QP 17 ... QP 46); "
		   "184 more: destroyed, process exited  #1-#31 (31 records)");
}

TEST_F(qps, folded_ends)
{
	struct rdmaev_record first = request(0, RDMAEV_QP_FAILED, 17);

	first.body.info.qp_state = RDMAEV_QP_SQE;
	EXPECT_EQ(add(first), 0);
	EXPECT_EQ(add(sum_of(&first, 1000, 184)), 0);
	EXPECT_STREQ(lines()->counts, "2");
	EXPECT_HAS(result.lines[0], " 1 QP of python3[1234]: was in SQE, not asked for by its owner (QP 17); "
		   "184 more: were in SQE or ERR, not asked for by their owner  #1-#2 (2 records)");
}

/* A number that comes again may be the same QP, or another one. */
TEST_F(qps, again)
{
	unsigned int i;

	for (i = 0; i < 9; i++)
		EXPECT_EQ(add(request(i, RDMAEV_QP_ERR, i % 3)), 0);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(add(request(i, RDMAEV_QP_RESET, 5)), 0);
	EXPECT_STREQ(lines()->counts, "9 2");
	EXPECT_HAS(result.lines[0], " 3 QPs of python3[1234], 9 times: RTS -> ERR (QP 0 ... QP 2)  #");
	EXPECT_HAS(result.lines[1], " 1 QP of python3[1234], 2 times: RTS -> RESET (QP 5)  #");
}

/* As some devices number them, and more than a table has room for at first */
TEST_F(qps, numbers)
{
	unsigned int i;

	for (i = 0; i < 20000; i++)
		EXPECT_EQ(add(request(0, RDMAEV_QP_ERR, i / 2 << 16)), 0);
	EXPECT_STREQ(lines()->counts, "20000");
	EXPECT_HAS(result.lines[0], " 10000 QPs of python3[1234], 20000 times: RTS -> ERR ");
}

/* With whom a request failed is part of what it says. */
TEST_F(qps, failed)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		struct rdmaev_record r = request(i, RDMAEV_QP_RTR, i);
		struct rdmaev_qp_body *body = &r.body.qp;

		r.severity = RDMAEV_SEVERITY_WARNING;
		body->info.known |= RDMAEV_KNOWN_PEER_GID | RDMAEV_KNOWN_GID_INDEX |
				    RDMAEV_KNOWN_GID | RDMAEV_KNOWN_PATH_MTU;
		body->info.qp_state = RDMAEV_QP_INIT;
		body->result = -110;
		body->peer.gid[15] = i < 3 ? 1 : 2;
		body->origin.gid[15] = 9;
		body->gid_index = 1;
		body->path_mtu = i < 5 ? 1024 : 2048;
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_STREQ(lines()->counts, "3 2 1");
	EXPECT_HAS(result.lines[0], " 3 QPs of python3[1234], peer at ::1 from GID [1] ::9, path MTU 1024: "
		   "INIT -> RTR failed: Connection timed out (-110) (QP 0 ... QP 2)  #1-#3 (3 records)");
}

/* What was not made has no number. */
TEST_F(qps, not_made)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct rdmaev_record r = request(i, RDMAEV_QP_CREATE, 0);

		r.body.info.known = RDMAEV_KNOWN_UID;
		r.body.qp.result = -12;
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_STREQ(lines()->counts, "3");
	EXPECT_HAS(result.lines[0], " CREATE_QP            QP ? of python3[1234], 3 times: "
		   "creation failed: Cannot allocate memory (-12)  #1-#3 (3 records)");
}

/* What a limit does not admit: the kernel records the first, and how many followed. */
TEST_F(qps, above_a_limit)
{
	struct rdmaev_record first = request(0, RDMAEV_QP_CREATE_OBJECT, 0);

	first.object_type = RDMAEV_OBJECT_NONE;
	first.severity = RDMAEV_SEVERITY_WARNING;
	first.body.info.known = RDMAEV_KNOWN_UID;
	first.body.qp.result = -11;
	EXPECT_EQ(add(first), 0);
	EXPECT_EQ(add(sum_of(&first, 1100, 199)), 0);
	EXPECT_STREQ(lines()->counts, "2");
	EXPECT_HAS(result.lines[0], ": creation of an object failed: Resource temporarily unavailable (-11), "
		   "limit hca_object of its rdma cgroup; 199 more: creation of an object failed: ");
}

/* What must not join: all that the line says, but for numbers and peers */
TEST_F(qps, apart)
{
	struct rdmaev_record r[14];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(r); i++)
		r[i] = request(i, RDMAEV_QP_ERR, i);
	/* In the same bucket */
	r[1].pid += RECORD_GROUP_BUCKETS;
	r[2].code = RDMAEV_QP_SQD;
	r[3].generation++;
	r[4].port = 2;
	r[5].body.info.qp_state = RDMAEV_QP_INIT;
	r[6].body.info.known &= ~RDMAEV_KNOWN_QP_STATE;
	r[7].body.qp.caller_pid = 1235;
	r[8].body.qp.caller_comm[0] = 'P';
	r[9].body.qp.result = -22;
	r[10].body.info.owner[0] = 'P';
	r[11].cause = 4711;
	r[12].body.info.known |= RDMAEV_KNOWN_CALLER;
	r[13].severity = RDMAEV_SEVERITY_WARNING;
	for (i = 0; i < ARRAY_SIZE(r); i++)
		EXPECT_EQ(add(r[i]), 0);
	EXPECT_STREQ(lines()->counts, "1 1 1 1 1 1 1 1 1 1 1 1 1 1");
}

/* Five seconds at most, and nothing joins what was before a loss. */
TEST_F(qps, until)
{
	const struct step loss = { 6001, 0, 0, RDMAEV_KIND_LOST, 0, 0, 0 };
	unsigned int i;

	for (i = 0; i <= 6; i++)
		EXPECT_EQ(add(request(1000 * i, RDMAEV_QP_ERR, i)), 0);
	EXPECT_EQ(add(record_of(&loss, ++seq)), 0);
	EXPECT_EQ(add(request(6002, RDMAEV_QP_ERR, i)), 0);
	EXPECT_STREQ(lines()->counts, "6 1 1 1");
}

/* Requests without an owner, and of a ULP without a port */
TEST_F(qps, of_ulps)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct rdmaev_record r = request(i, RDMAEV_QP_ERR, i);

		r.pid = 0;
		r.port = RDMAEV_NO_PORT;
		r.body.info.known &= ~RDMAEV_KNOWN_UID;
		r.body.info.known |= RDMAEV_KNOWN_CALLER;
		strcpy(r.body.info.owner, "nvme_rdma");
		strcpy(r.body.qp.caller_comm, "kworker/0:1");
		r.body.qp.caller_pid = 0;
		strcpy(r.body.qp.origin.caller, "nvme_rdma_stop_queue");
		EXPECT_EQ(add(r), 0);
	}
	EXPECT_STREQ(lines()->counts, "3");
	EXPECT_HAS(result.lines[0], " dev3            QP_ERR               3 QPs of nvme_rdma: RTS -> ERR by "
		   "kworker/0:1 in nvme_rdma_stop_queue (QP 0 ... QP 2)  #1-#3 (3 records)");
}

TEST_F(qps, verbose)
{
	all.joins = false;
	EXPECT_EQ(add(request(0, RDMAEV_QP_ERR, 1)), 0);
	EXPECT_EQ(add(request(0, RDMAEV_QP_ERR, 2)), 0);
	EXPECT_STREQ(lines()->counts, "1 1");
}

TEST_HARNESS_MAIN
