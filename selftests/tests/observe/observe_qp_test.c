// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * States of QPs of programs that use libibverbs, and of a ULP, recorded
 * by rdmaev_observe without their help.
 */
#include <signal.h>

#include "common.h"
#include "kselftest_harness.h"
#include "cq.h"
#include "program.h"

#define DEV "obs0"

static int ready(void)
{
	if (load_observer(""))
		return 0;
	return access("/sys/class/infiniband/" DEV, F_OK) == 0 || !rxe_add(DEV);
}

static uint64_t counted(int fd, uint32_t device, unsigned int code)
{
	static struct rdmaev_counter entry[512];
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.entry_size = sizeof(entry[0]),
		.device = device,
		.port = RDMAEV_ANY,
		.count = ARRAY_SIZE(entry),
		.entries = (uintptr_t)entry,
	};
	uint64_t count = 0;
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_COUNTERS, &req))
		return ~0ull;
	for (i = 0; i < req.count; i++) {
		if (entry[i].kind == RDMAEV_KIND_QP && entry[i].code == code)
			count += entry[i].count;
	}
	return count;
}

FIXTURE(qp) {
	struct program p;
	struct rdmaev_device dev;
	int fd;
};

FIXTURE_SETUP(qp)
{
	ASSERT_TRUE(ready());
	ASSERT_TRUE(program_begin(&self->p, DEV, 0));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP), 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &self->dev));
}

FIXTURE_TEARDOWN(qp)
{
	struct rdmaev_record rec;

	/* Destroyed by a running program: no record */
	program_end(&self->p);
	EXPECT_EQ(next_record(self->fd, &rec), 0);
	close(self->fd);
}

/* INIT, RTR and RTS are only counted. */
TEST_F_TIMEOUT(qp, connecting_is_counted, 120)
{
	const unsigned int states[] = { RDMAEV_QP_INIT, RDMAEV_QP_RTR, RDMAEV_QP_RTS };
	uint64_t before[3];
	unsigned int i;
	struct rdmaev_record rec;

	for (i = 0; i < 3; i++)
		before[i] = counted(self->fd, self->dev.index, states[i]);
	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(connect_to(self->p.qp[1], self->p.qp[0]->qp_num, &self->p.gid), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(counted(self->fd, self->dev.index, states[i]), before[i] + 2);
	EXPECT_EQ(next_record(self->fd, &rec), 0);
}

TEST_F_TIMEOUT(qp, error_names_all, 120)
{
	struct rdmaev_record rec, want = {
		.device = self->dev.index,
		.generation = self->dev.generation,
		.port = 1,
		.kind = RDMAEV_KIND_QP,
		.code = RDMAEV_QP_ERR,
		.object_type = RDMAEV_OBJECT_QP,
		.severity = RDMAEV_SEVERITY_INFO,
		.source = RDMAEV_SOURCE_OBSERVER,
		.ring = RDMAEV_RING_USER,
		.object = self->p.qp[0]->qp_num,
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
			.info.qp_state = RDMAEV_QP_RTS,
			.info.owner = "observe_qp_test",
			.caller_comm = "observe_qp_test",
			.peer.qpn = self->p.qp[1]->qp_num,
		},
	};
	uint64_t count;

	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	want.seq = rec.seq;
	want.boottime_ns = rec.boottime_ns;
	want.realtime_ns = rec.realtime_ns;
	want.body.info.cgroup = rec.body.info.cgroup;
	memcpy(want.body.qp.peer.gid, self->p.gid.raw, sizeof(want.body.qp.peer.gid));
	EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0);

	/* A second time is only counted: the state was ERR. */
	count = counted(self->fd, self->dev.index, RDMAEV_QP_ERR);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	EXPECT_EQ(next_record(self->fd, &rec), 0);
	EXPECT_EQ(counted(self->fd, self->dev.index, RDMAEV_QP_ERR), count + 1);

	/* RESET ends the failure and forgets the peer. */
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_RESET), 0);
	ASSERT_EQ(to_init(self->p.qp[0]), 0);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.cause, 0);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_INIT);
	EXPECT_EQ(rec.body.info.known & (RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID), 0);
}

TEST_F_TIMEOUT(qp, refused_is_a_warning, 120)
{
	struct rdmaev_record rec;
	int ret;

	/* Nothing is known of the QP yet. */
	ret = move(self->p.qp[1], IBV_QPS_RTS);
	ASSERT_NE(ret, 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_RTS);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_EQ(rec.body.qp.result, -ret);
	EXPECT_EQ(rec.body.info.known & RDMAEV_KNOWN_QP_STATE, 0);

	ASSERT_EQ(to_init(self->p.qp[1]), 0);
	ret = move(self->p.qp[1], IBV_QPS_RTS);
	ASSERT_NE(ret, 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.body.qp.result, -ret);
	EXPECT_TRUE(rec.body.info.known & RDMAEV_KNOWN_QP_STATE);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_INIT);
}

/* Whom it asked for, which is no peer of the QP */
TEST_F_TIMEOUT(qp, refused_names_the_peer, 120)
{
	const uint32_t path = RDMAEV_KNOWN_GID_INDEX | RDMAEV_KNOWN_PATH_MTU;
	const uint32_t origin = RDMAEV_KNOWN_GID | RDMAEV_KNOWN_CALLER;
	struct rdmaev_record rec;
	int ret;

	/* There is no such GID. */
	ret = connect_to_by(self->p.qp[0], 0x123456, &self->p.gid, 200);
	ASSERT_NE(ret, 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_RTR);
	EXPECT_EQ(rec.body.qp.result, -ret);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_INIT);
	EXPECT_EQ(rec.body.info.known & RDMAEV_KNOWN_PEER_QPN, RDMAEV_KNOWN_PEER_QPN);
	EXPECT_EQ(rec.body.info.known & RDMAEV_KNOWN_PEER_GID, RDMAEV_KNOWN_PEER_GID);
	EXPECT_EQ(rec.body.qp.peer.qpn, 0x123456);
	EXPECT_EQ(rec.body.info.known & path, path);
	EXPECT_EQ(rec.body.qp.gid_index, 200);
	EXPECT_EQ(rec.body.info.known & origin, 0);
	EXPECT_EQ(rec.body.qp.path_mtu, 1024);
	EXPECT_EQ(memcmp(rec.body.qp.peer.gid, self->p.gid.raw, sizeof(rec.body.qp.peer.gid)), 0);

	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.body.info.known & (RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID | path), 0);
}

/* The GID of its port from which it would have been connected */
TEST_F_TIMEOUT(qp, refused_names_its_gid, 120)
{
	/* The table has a lock that may sleep on such kernels. */
	uint32_t want = access("/sys/kernel/realtime", F_OK) ? RDMAEV_KNOWN_GID : 0;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = self->p.gid, .hop_limit = 1 } },
	};
	uint8_t gid[RDMAEV_GID_SIZE] = {};
	struct rdmaev_record rec;

	if (want)
		memcpy(gid, self->p.gid.raw, sizeof(gid));
	ASSERT_EQ(to_init(self->p.qp[0]), 0);
	/* It is not all that the request needs. */
	ASSERT_NE(ibv_modify_qp(self->p.qp[0], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_RTR);
	EXPECT_EQ(rec.body.info.known & RDMAEV_KNOWN_GID_INDEX, RDMAEV_KNOWN_GID_INDEX);
	EXPECT_EQ(rec.body.qp.gid_index, 0);
	EXPECT_EQ(rec.body.info.known & (RDMAEV_KNOWN_GID | RDMAEV_KNOWN_CALLER), want);
	EXPECT_EQ(memcmp(rec.body.qp.origin.gid, gid, sizeof(gid)), 0);
}

/* Requests of a QP in use are dropped, and never complete. */
TEST_F_TIMEOUT(qp, reset_in_use, 120)
{
	const uint32_t peer = RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID;
	struct rdmaev_record rec;
	uint64_t count;

	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_RESET), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.code, RDMAEV_QP_RESET);
	EXPECT_EQ(rec.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(rec.ring, RDMAEV_RING_USER);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_RTS);
	EXPECT_EQ(rec.body.qp.result, 0);
	EXPECT_EQ(rec.body.info.known & peer, peer);
	EXPECT_EQ(rec.body.qp.peer.qpn, self->p.qp[1]->qp_num);

	/* Out of use it is only counted. */
	count = counted(self->fd, self->dev.index, RDMAEV_QP_RESET);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_RESET), 0);
	ASSERT_EQ(to_init(self->p.qp[0]), 0);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_RESET), 0);
	EXPECT_EQ(next_record(self->fd, &rec), 0);
	EXPECT_EQ(counted(self->fd, self->dev.index, RDMAEV_QP_RESET), count + 2);
}

/* An event of the QP has its state and its peer, too. */
TEST_F_TIMEOUT(qp, events_have_state_and_peer, 120)
{
	struct rdmaev_record rec;

	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_ASYNC), 0);
	ASSERT_EQ(connect_to(self->p.qp[0], self->p.qp[1]->qp_num, &self->p.gid), 0);
	ASSERT_EQ(sh("echo " DEV " qp %u %u >" GEN_RAISE,
		     self->p.qp[0]->qp_num, RDMAEV_ASYNC_PATH_MIG_ERR), 0);
	ASSERT_NE(next_record(self->fd, &rec), 0);
	EXPECT_EQ(rec.body.info.known & (RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_PEER_QPN |
					 RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID),
		  RDMAEV_KNOWN_QP_STATE | RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_GID);
	EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_RTS);
	EXPECT_EQ(rec.body.async.peer.qpn, self->p.qp[1]->qp_num);
	EXPECT_EQ(memcmp(rec.body.async.peer.gid, self->p.gid.raw, 16), 0);
	EXPECT_EQ(next_record(self->fd, &rec), 0);
	{
		struct ibv_async_event event;

		ASSERT_EQ(ibv_get_async_event(self->p.ctx, &event), 0);
		ibv_ack_async_event(&event);
	}
}

/* A program with two QPs exits or is killed by a signal. */
FIXTURE(end) {
	struct rdmaev_device dev;
	int fd;
};

FIXTURE_VARIANT(end) {
	int signal;
};

FIXTURE_VARIANT_ADD(end, exit) { .signal = 0 };
FIXTURE_VARIANT_ADD(end, sigkill) { .signal = SIGKILL };
FIXTURE_VARIANT_ADD(end, sigterm) { .signal = SIGTERM };
FIXTURE_VARIANT_ADD(end, sigsegv) { .signal = SIGSEGV };

FIXTURE_SETUP(end)
{
	ASSERT_TRUE(ready());
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP), 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &self->dev));
}

FIXTURE_TEARDOWN(end)
{
	close(self->fd);
}

TEST_F_TIMEOUT(end, is_recorded, 120)
{
	struct rdmaev_record rec;
	uint32_t qpn[2];
	int out[2], status, i;
	pid_t child;

	ASSERT_EQ(pipe(out), 0);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		struct program p = {};

		if (!program_begin(&p, DEV, 0) ||
		    connect_to(p.qp[0], p.qp[1]->qp_num, &p.gid))
			_exit(1);
		for (i = 0; i < 2; i++) {
			if (write(out[1], &p.qp[i]->qp_num, 4) != 4)
				_exit(1);
		}
		if (!variant->signal)
			_exit(0);
		for (;;)
			pause();
	}
	ASSERT_EQ(read(out[0], &qpn[0], 4), 4);
	ASSERT_EQ(read(out[0], &qpn[1], 4), 4);
	if (variant->signal)
		ASSERT_EQ(kill(child, variant->signal), 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	for (i = 0; i < 2; i++) {
		ASSERT_NE(next_record(self->fd, &rec), 0);
		EXPECT_EQ(rec.code, RDMAEV_QP_DESTROY);
		EXPECT_EQ(rec.pid, child);
		EXPECT_EQ(rec.body.qp.caller_pid, child);
		EXPECT_STREQ(rec.body.info.owner, "observe_qp_test");
		EXPECT_EQ(rec.body.qp.signal, variant->signal);
		EXPECT_EQ(rec.body.qp.result, 0);
		EXPECT_EQ(rec.severity, variant->signal ? RDMAEV_SEVERITY_WARNING :
							   RDMAEV_SEVERITY_INFO);
		if (rec.object != qpn[0]) {
			EXPECT_EQ(rec.object, qpn[1]);
			EXPECT_EQ(rec.body.info.known & RDMAEV_KNOWN_QP_STATE, 0);
			continue;
		}
		EXPECT_EQ(rec.body.info.qp_state, RDMAEV_QP_RTS);
		EXPECT_EQ(rec.body.qp.peer.qpn, qpn[1]);
	}
	EXPECT_EQ(next_record(self->fd, &rec), 0);
}

#define TRACING	"/sys/kernel/tracing/"
/* Makes entries when fewer than three quarters of 2048 are unused */
#define GROWS	"object_work_fn"

static int grows(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[256];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += *line != '#' && strstr(line, GROWS);
	if (f)
		fclose(f);
	return n;
}

#define BATCH	400
/* So many at a time need more than there is after twice a batch. */
#define MORE	1100
#define QPS	(10000 / slowness())

/* Number of QPs that were created, and moved to INIT, on the CQ of @p */
static int create_qps(const struct program *p, struct ibv_qp **qps, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		qps[i] = program_qp(p, p->cq);
		if (!qps[i] || to_init(qps[i]))
			break;
	}
	return i;
}

static void destroy_qps(struct ibv_qp **qps, int n)
{
	while (n--)
		ibv_destroy_qp(qps[n]);
}

static int nothing_missed(void)
{
	return !sh("awk 'NR > 1 { n++; missed += $6 } END { exit !n || missed }' "
		   "/sys/kernel/debug/rdmaev_observe/hooks");
}

static int has_grown_since(int before)
{
	uint64_t end = now_ms() + SOON_MS * slowness();

	while (grows() <= before && now_ms() < end)
		usleep(10000);
	return grows() > before;
}

/* The table of QPs grows with those that exist at a time, not with those that did. */
TEST_F_TIMEOUT(qp, many, 180)
{
	static struct ibv_qp *qps[MORE];
	int i, n, grown;

	sh("mountpoint -q " TRACING " || mount -t tracefs none " TRACING);
	if (put(TRACING "set_ftrace_filter", GROWS) || put(TRACING "current_tracer", "function"))
		SKIP(return, "this kernel does not trace functions of modules");
	n = create_qps(&self->p, qps, 2 * BATCH);
	ASSERT_EQ(n, 2 * BATCH);
	destroy_qps(qps, n);
	grown = grows();
	for (i = 0; i < (int)QPS; i += BATCH) {
		n = create_qps(&self->p, qps, BATCH);
		ASSERT_EQ(n, BATCH);
		destroy_qps(qps, n);
	}
	/* It may be late with what was asked for before: once as it ran, and once more. */
	EXPECT_LE(grows(), grown + 2);
	EXPECT_TRUE(nothing_missed());
	/* That is how it looks when it grows. */
	grown = grows();
	n = create_qps(&self->p, qps, MORE);
	EXPECT_EQ(n, MORE);
	EXPECT_TRUE(has_grown_since(grown));
	EXPECT_TRUE(nothing_missed());
	destroy_qps(qps, n);
	put(TRACING "current_tracer", "nop");
	put(TRACING "set_ftrace_filter", " ");
}

/* The cause of flushed requests is the ULP's own move to ERR. */
TEST(ulp)
{
	struct rdmaev_record move, wc;
	uint32_t index, generation;
	int fd = -1;

	ASSERT_TRUE(ready());
	ASSERT_EQ(load_module("rdmaev_ulp"), 0);
	ASSERT_EQ(open_sim0(&fd, &index, &generation), 0);
	ASSERT_EQ(filter_kinds(fd, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_WC), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 recv 5"), 0);
	ASSERT_EQ(run("hold sim0 error"), 0);
	ASSERT_NE(next_record(fd, &move), 0);
	EXPECT_EQ(move.kind, RDMAEV_KIND_QP);
	EXPECT_EQ(move.code, RDMAEV_QP_ERR);
	EXPECT_EQ(move.cause, 0);
	EXPECT_EQ(move.pid, 0);
	EXPECT_EQ(move.body.info.qp_state, RDMAEV_QP_RTS);
	EXPECT_EQ(move.body.info.known & RDMAEV_KNOWN_UID, 0);
	EXPECT_STREQ(move.body.info.owner, "rdmaev_ulp");
	EXPECT_EQ(move.body.info.known & RDMAEV_KNOWN_CALLER, RDMAEV_KNOWN_CALLER);
	EXPECT_NE(move.body.qp.origin.caller[0], 0);
	EXPECT_NE(move.body.qp.caller_pid, 0);
	ASSERT_EQ(run("hold sim0 poll 16"), 0);
	ASSERT_EQ(run("hold sim0 flushed"), 0);
	ASSERT_NE(next_record(fd, &wc), 0);
	EXPECT_EQ(wc.kind, RDMAEV_KIND_WC);
	EXPECT_EQ(wc.code, RDMAEV_WC_WR_FLUSH_ERR);
	EXPECT_EQ(wc.count, 5);
	EXPECT_EQ(wc.cause, move.seq);
	EXPECT_EQ(wc.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_EQ(wc.body.info.qp_state, RDMAEV_QP_ERR);
	ASSERT_EQ(run("hold sim0 destroy"), 0);

	/* ib_drain_qp() moves the QP, too. */
	ASSERT_EQ(run("hold sim0 create attached"), 0);
	ASSERT_EQ(run("hold sim0 drain"), 0);
	ASSERT_NE(next_record(fd, &move), 0);
	EXPECT_EQ(move.code, RDMAEV_QP_ERR);
	EXPECT_STREQ(move.body.info.owner, "rdmaev_ulp");
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	close_sim0(fd);
}

TEST_HARNESS_MAIN
