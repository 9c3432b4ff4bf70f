// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs of programs that had failed by themselves, as their driver says before it destroys
 * them, and objects that it refused to make.
 */
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "cq.h"
#include "program.h"

#define DEV "obs0"
#define OBSERVE "/sys/module/rdmaev_observe/parameters/"
#define KPROBES "/sys/kernel/debug/kprobes/enabled"
#define BURST_MS "/sys/module/rdmaev/parameters/burst_ms"

static int ready(void)
{
	return !load_observer("") &&
	       (!access("/sys/class/infiniband/" DEV, F_OK) || !rxe_add(DEV));
}

static int query_qps(unsigned int n)
{
	return sh("echo %u >" OBSERVE "query_qps", n);
}

/* The state as the driver has it */
static int state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) ? -1 : (int)attr.qp_state;
}

/*
 * A request of a QP is flushed: so it is in ERR. Without asking for its state, which would say so
 * to the observer.
 */
static int wait_for_flush(const struct ibv_qp *qp)
{
	struct ibv_wc wc;
	int i, n;

	for (i = 0; i < 2000; i++) {
		n = ibv_poll_cq(qp->send_cq, 1, &wc);
		if (n < 0)
			return 0;
		/* The other QP has the same CQ. */
		if (n && wc.status == IBV_WC_WR_FLUSH_ERR && wc.qp_num == qp->qp_num)
			return 1;
		if (!n)
			usleep(10000);
	}
	return 0;
}

/* Connect both QPs, and have each send twice from memory that is not registered. */
static int make_fail(struct program *p)
{
	static char buf[64];
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf, .length = sizeof(buf), .lkey = 0xdead00,
	};
	struct ibv_send_wr *bad, next, wr = {
		.sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	};
	int i;

	next = wr;
	wr.next = &next;
	for (i = 0; i < 2; i++) {
		if (connect_to(p->qp[i], p->qp[!i]->qp_num, &p->gid) ||
		    ibv_post_send(p->qp[i], &wr, &bad) || !wait_for_flush(p->qp[i]))
			return 0;
	}
	return 1;
}

FIXTURE(end) {
	struct program p;
	struct rdmaev_device dev;
	int fd;
};

FIXTURE_SETUP(end)
{
	ASSERT_TRUE(ready());
	ASSERT_EQ(query_qps(100), 0);
	ASSERT_TRUE(program_begin(&self->p, DEV, 0));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP), 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &self->dev));
}

FIXTURE_TEARDOWN(end)
{
	struct rdmaev_record rec;

	EXPECT_EQ(next_record(self->fd, &rec), 0);
	close(self->fd);
}

TEST_F_TIMEOUT(end, failed_by_itself, 120)
{
	struct rdmaev_record rec, want = {
		.device = self->dev.index,
		.generation = self->dev.generation,
		.port = 1,
		.kind = RDMAEV_KIND_QP,
		.code = RDMAEV_QP_FAILED,
		.object_type = RDMAEV_OBJECT_QP,
		.severity = RDMAEV_SEVERITY_ERROR,
		.source = RDMAEV_SOURCE_OBSERVER,
		.ring = RDMAEV_RING_USER,
		.count = 1,
		.pid = getpid(),
		.device_name = DEV,
		.body.qp = {
			.info.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID |
				      RDMAEV_KNOWN_PID_NS | RDMAEV_KNOWN_CGROUP |
				      RDMAEV_KNOWN_QP_TYPE | RDMAEV_KNOWN_QP_STATE |
				      RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID,
			.caller_pid = getpid(),
			.info.qp_type = RDMAEV_QPT_RC,
			.info.qp_state = RDMAEV_QP_ERR,
			.info.owner = "observe_end_tes",
			.caller_comm = "observe_end_tes",
		},
	};
	uint32_t number[2] = { self->p.qp[0]->qp_num, self->p.qp[1]->qp_num };
	int i;

	memcpy(want.body.qp.peer.gid, self->p.gid.raw, sizeof(want.body.qp.peer.gid));
	ASSERT_TRUE(make_fail(&self->p));
	EXPECT_EQ(next_record(self->fd, &rec), 0);
	program_end(&self->p);
	for (i = 0; i < 2; i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		want.seq = rec.seq;
		want.boottime_ns = rec.boottime_ns;
		want.realtime_ns = rec.realtime_ns;
		want.object = number[i];
		want.body.info.cgroup = rec.body.info.cgroup;
		want.body.qp.peer.qpn = number[!i];
		EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0);
	}
}

/* Neither one that works, nor one that its program has moved to Error. */
TEST_F_TIMEOUT(end, did_not_fail, 120)
{
	struct rdmaev_record rec;

	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(connect_to(self->p.qp[1], self->p.qp[0]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(move(self->p.qp[1], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_ERR);
	program_end(&self->p);
}

/* One that has failed and is moved to Error afterwards is not asked. */
TEST_F_TIMEOUT(end, closed_after_it_failed, 120)
{
	struct rdmaev_record rec;

	ASSERT_TRUE(make_fail(&self->p));
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_ERR);
	EXPECT_EQ(rec.object, self->p.qp[0]->qp_num);
	program_end(&self->p);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
}

TEST_F_TIMEOUT(end, event_is_the_cause, 120)
{
	struct rdmaev_record rec;
	uint64_t event;

	ASSERT_TRUE(make_fail(&self->p));
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_ASYNC), 0);
	ASSERT_EQ(sh("echo " DEV " qp %u %u >" GEN_RAISE,
		     self->p.qp[0]->qp_num, RDMAEV_ASYNC_QP_FATAL), 0);
	event = next_record(self->fd, &rec);
	ASSERT_NE(event, 0);
	{
		struct ibv_async_event got;

		ASSERT_EQ(ibv_get_async_event(self->p.ctx, &got), 0);
		ibv_ack_async_event(&got);
	}
	program_end(&self->p);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(rec.cause, event);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(rec.cause, 0);
}

/* Somebody else has asked: then the driver is not asked again. */
TEST_F_TIMEOUT(end, asked_by_others, 120)
{
	struct rdmaev_record rec;
	int i;

	ASSERT_TRUE(make_fail(&self->p));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(state_of(self->p.qp[i]), IBV_QPS_ERR);
	/* One question a second, for two QPs */
	ASSERT_EQ(query_qps(1), 0);
	program_end(&self->p);
	for (i = 0; i < 2; i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
		EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_ERR);
		EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_ERROR);
	}
}

/* ... also if its owner moves it then, or begins anew */
TEST_F_TIMEOUT(end, asked_and_moved, 120)
{
	struct rdmaev_record rec;

	ASSERT_TRUE(make_fail(&self->p));
	ASSERT_EQ(state_of(self->p.qp[0]), IBV_QPS_ERR);
	ASSERT_EQ(state_of(self->p.qp[1]), IBV_QPS_ERR);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_ERR);
	ASSERT_EQ(move(self->p.qp[1], IBV_QPS_RESET), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_RESET);
	EXPECT_EQ(connect_to(self->p.qp[1], self->p.qp[0]->qp_num, &self->p.gid), 0);
	program_end(&self->p);
}

TEST_F_TIMEOUT(end, process_exits, 120)
{
	struct rdmaev_record rec;
	uint64_t failed;
	int status, i;
	pid_t child;

	program_end(&self->p);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		struct program p = {};

		_exit(!program_begin(&p, DEV, 0) || !make_fail(&p));
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_EQ(status, 0);
	for (i = 0; i < 2; i++) {
		failed = next_record(self->fd, &rec);
		ASSERT_NE(failed, 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
		EXPECT_EQ(rec.pid, child);
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_DESTROY);
		EXPECT_EQ(rec.cause, failed);
	}
}

/* The port left ACTIVE before the QPs ended, but after they had failed. */
TEST_F_TIMEOUT(end, port_is_not_the_cause, 120)
{
	struct rdmaev_record rec;
	uint64_t port = 0;
	int i;

	ASSERT_TRUE(make_fail(&self->p));
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_ASYNC), 0);
	ASSERT_EQ(sh("ip link set " DEV "_d down"), 0);
	for (i = 0; i < 2000 && !port; i++) {
		if (next_record(self->fd, &rec) && rec.code == RDMAEV_ASYNC_PORT_ERR)
			port = rec.seq;
		usleep(10000);
	}
	ASSERT_NE(port, 0);
	ASSERT_EQ(sh("ip link set " DEV "_d up"), 0);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP), 0);
	program_end(&self->p);
	for (i = 0; i < 2; i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
		EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_ERROR);
		EXPECT_EQ(rec.cause, 0);
	}
}

/* With kprobes off, as by `echo 0`, requests are seen all the same: nothing failed. */
TEST_F_TIMEOUT(end, kprobes_are_off, 120)
{
	struct rdmaev_record rec;

	if (access(KPROBES, F_OK))
		SKIP(goto out, "no " KPROBES);
	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(put(KPROBES, "0"), 0);
	EXPECT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	EXPECT_EQ(put(KPROBES, "1"), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_ERR);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_RTS);
out:
	program_end(&self->p);
}

static int wait_for_record(int fd, unsigned int code)
{
	struct rdmaev_record rec;
	int i;

	for (i = 0; i < 3000; i++) {
		if (next_record(fd, &rec) && rec.code == code)
			return 1;
		usleep(10000);
	}
	return 0;
}

/* Until the observer sees again what was switched off before */
static int wait_for_sight(int fd)
{
	int i;

	for (i = 0; i < 3000; i++) {
		if (!get_info(fd).observer.blind)
			return 1;
		usleep(10000);
	}
	return 0;
}

/* What was known of QPs before kprobes were off for a while still is. */
TEST_F_TIMEOUT(end, kprobes_were_off, 120)
{
	struct rdmaev_record rec;
	int i;

	if (access(KPROBES, F_OK))
		SKIP(goto out, "no " KPROBES);
	ASSERT_TRUE(make_fail(&self->p));
	/* The test before may have switched them off when they were checked. */
	ASSERT_TRUE(wait_for_sight(self->fd));
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_OBSERVER), 0);
	ASSERT_EQ(put(KPROBES, "0"), 0);
	EXPECT_TRUE(wait_for_record(self->fd, RDMAEV_OBSERVER_BLIND));
	ASSERT_EQ(put(KPROBES, "1"), 0);
	EXPECT_TRUE(wait_for_record(self->fd, RDMAEV_OBSERVER_SEEING));
	/* The record is a moment older than what the observer does then. */
	sleep(1);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP), 0);
out:
	program_end(&self->p);
	for (i = 0; i < 2 && !access(KPROBES, F_OK); i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_FAILED);
	}
}

#define PROGRAMS 10

/* Those that were asked, and those that were not, are all that ended. */
TEST_F_TIMEOUT(end, limit_is_exact, 240)
{
	const unsigned int max = 4;
	struct program p[PROGRAMS] = {};
	uint64_t failed = 0, missed = 0;
	struct rdmaev_record rec;
	unsigned int i;

	program_end(&self->p);
	/* Each has a record of its own. */
	ASSERT_EQ(sh("echo 0 >" BURST_MS), 0);
	for (i = 0; i < PROGRAMS; i++)
		ASSERT_TRUE(program_begin(&p[i], DEV, 0) && make_fail(&p[i]));
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_OBSERVER), 0);
	ASSERT_EQ(query_qps(max), 0);
	/* What was asked before is in an earlier second then. */
	sleep(1);
	for (i = 0; i < PROGRAMS; i++)
		program_end(&p[i]);
	/* Those of a user are reported a second later. */
	for (i = 0; i < 2000 && failed + missed < 2 * PROGRAMS; i++) {
		while (next_record(self->fd, &rec)) {
			if (rec.kind == RDMAEV_KIND_QP && rec.code == RDMAEV_QP_FAILED) {
				failed++;
			} else if (rec.code == RDMAEV_OBSERVER_MISSED) {
				missed += rec.count;
				EXPECT_EQ(rec.body.observer.facts, RDMAEV_OBSERVED_QP_ENDS);
				EXPECT_EQ(rec.body.info.uid, 0);
				EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_INFO);
			}
		}
		usleep(10000);
	}
	EXPECT_EQ(failed + missed, 2 * PROGRAMS);
	/* Half of them are for one user. */
	EXPECT_GE(failed, max / 2);
	EXPECT_NE(missed, 0);

	/* 0: none is asked, and none is missed. */
	ASSERT_EQ(query_qps(0), 0);
	ASSERT_TRUE(program_begin(&p[0], DEV, 0) && make_fail(&p[0]));
	program_end(&p[0]);
	sleep(2);
	EXPECT_EQ(sh("echo 1000 >" BURST_MS), 0);
}

/* Objects that a driver refuses to make */
TEST_F_TIMEOUT(end, creation_fails, 120)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = INT32_MAX, .max_sge = 1 } };
	struct ibv_qp_init_attr qp = {
		.send_cq = self->p.cq, .recv_cq = self->p.cq,
		.cap = { .max_send_wr = INT32_MAX, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	const struct {
		unsigned int code, type, known;
	} want[] = {
		{ RDMAEV_QP_CREATE, RDMAEV_OBJECT_QP, RDMAEV_KNOWN_QP_TYPE },
		{ RDMAEV_QP_CREATE_CQ, RDMAEV_OBJECT_CQ, 0 },
		{ RDMAEV_QP_CREATE_SRQ, RDMAEV_OBJECT_SRQ, 0 },
	};
	struct rdmaev_record rec;
	unsigned int i;
	int err[3];

	ASSERT_EQ(ibv_create_qp(self->p.pd, &qp), NULL);
	err[0] = errno;
	ASSERT_EQ(ibv_create_cq(self->p.ctx, INT32_MAX, NULL, NULL, 0), NULL);
	err[1] = errno;
	ASSERT_EQ(ibv_create_srq(self->p.pd, &srq), NULL);
	err[2] = errno;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, want[i].code);
		EXPECT_EQ(rec.object_type, want[i].type);
		EXPECT_EQ(rec.object, 0);
		EXPECT_EQ(rec.pid, getpid());
		EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_WARNING);
		EXPECT_EQ(rec.body.info.known, want[i].known | RDMAEV_KNOWN_UID |
			  RDMAEV_KNOWN_PID_NS | RDMAEV_KNOWN_CGROUP);
		EXPECT_EQ(rec.body.qp.result, -err[i]);
		EXPECT_STREQ(rec.body.info.owner, "observe_end_tes");
	}
	EXPECT_EQ(rec.body.qp.caller_pid, getpid());
	program_end(&self->p);
}

TEST_HARNESS_MAIN
