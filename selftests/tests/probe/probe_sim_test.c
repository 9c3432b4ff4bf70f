// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe of a simulated HCA: what completes, completes late or never, fails,
 * and calls of the driver that fail or hang.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cq.h"
#include "probe.h"

/* @at_destroy: called only after the probe was OK, and a request failed */
static const struct {
	const char *name;
	unsigned int call;
	int at_destroy;
} calls[] = {
	{ "alloc_pd", RDMAEV_PROBE_CALL_ALLOC_PD, 0 },
	{ "create_cq", RDMAEV_PROBE_CALL_CREATE_CQ, 0 },
	{ "create_qp", RDMAEV_PROBE_CALL_CREATE_QP, 0 },
	{ "modify_qp", RDMAEV_PROBE_CALL_MODIFY_QP, 0 },
	{ "req_notify", RDMAEV_PROBE_CALL_REQ_NOTIFY, 0 },
	{ "post_send", RDMAEV_PROBE_CALL_POST_SEND, 0 },
	{ "poll_cq", RDMAEV_PROBE_CALL_POLL_CQ, 0 },
	{ "destroy_qp", RDMAEV_PROBE_CALL_DESTROY_QP, 1 },
	{ "destroy_cq", RDMAEV_PROBE_CALL_DESTROY_CQ, 1 },
};

FIXTURE(hca) {
	int fd;
	uint32_t index;
	struct rdmaev_probe p;
};

FIXTURE_VARIANT(hca) {
	const char *link;
};

FIXTURE_VARIANT_ADD(hca, ib) {
	.link = "ib",
};

FIXTURE_VARIANT_ADD(hca, roce) {
	.link = "roce",
};

/* Records of port 1: failed completions, and those of the probe with @codes */
static int filter_probe(int fd, uint64_t codes)
{
	struct rdmaev_filter f = filter_all();

	f.kinds = 1U << RDMAEV_KIND_PROBE | 1U << RDMAEV_KIND_WC;
	filter_codes(&f, RDMAEV_KIND_PROBE, codes);
	filter_target(&f, "sim0", 1);
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

static int probe_limits(unsigned int late_ms, unsigned int lost_ms)
{
	return probe_param("probe_late_ms", late_ms) || probe_param("probe_lost_ms", lost_ms);
}

FIXTURE_SETUP(hca)
{
	struct rdmaev_device dev;

	sim_destroy("sim0");
	ASSERT_EQ(probe_load(), 0);
	/* On a busy machine any request may take long. */
	ASSERT_EQ(probe_limits(0, SOON_MS), 0);
	ASSERT_EQ(sim_create_probed(variant->link), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
	self->index = dev.index;
	/* Any call may take as long as one that is stuck. */
	ASSERT_EQ(filter_probe(self->fd, ~(1ULL << RDMAEV_PROBE_STUCK)), 0);
}

FIXTURE_TEARDOWN(hca)
{
	unsigned int i;

	/* Its removal waits for calls that hang. */
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		sim_fault(calls[i].name, 0);
	close(self->fd);
	sim_destroy("sim0");
}

/* Limits that hold for a request that is outstanding, too: any setting has it looked at. */
static int limit_now(int fd, uint32_t index, unsigned int late_ms, unsigned int lost_ms)
{
	return probe_limits(late_ms, lost_ms) || probe_set(fd, index, FAST_MS);
}

/* The probe of port 1 works. */
static int starts(int fd, uint32_t index, struct rdmaev_probe *p)
{
	return !probe_set(fd, index, FAST_MS) &&
	       probe_is(fd, index, 1, RDMAEV_PROBE_STATE_OK, p);
}

/* Its first request is outstanding: it is in the CQ only when that is not held any more. */
static int holds(int fd, uint32_t index, struct rdmaev_probe *p)
{
	if (sim_hold(1) || probe_set(fd, index, FAST_MS) ||
	    !probe_is(fd, index, 1, RDMAEV_PROBE_STATE_STARTING, p))
		return 0;
	while (!p->sent && probe_get(fd, index, 1, p))
		sleep_ms(5);
	return p->sent == 1;
}

#define EXPECT_PROBE(r, what, by) do {					\
	EXPECT_EQ((r).kind, RDMAEV_KIND_PROBE);				\
	EXPECT_EQ((r).code, what);					\
	EXPECT_EQ((r).port, 1);						\
	EXPECT_EQ((r).device, self->index);				\
	EXPECT_EQ((r).object_type, RDMAEV_OBJECT_PORT);			\
	EXPECT_EQ((r).source, RDMAEV_SOURCE_RDMAEV);			\
	EXPECT_EQ((r).cause, (by));					\
	EXPECT_EQ((r).body.probe.method, self->p.method);		\
} while (0)

TEST_F(hca, off_at_first)
{
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_OFF);
	EXPECT_EQ(self->p.interval_ms, 0);
	EXPECT_EQ(self->p.sent, 0);
	EXPECT_EQ(self->p.qp, 0);
	EXPECT_TRUE(probe_get(self->fd, self->index, 2, &self->p));
	EXPECT_FALSE(probe_get(self->fd, self->index, 3, &self->p));
}

TEST_F(hca, completes)
{
	struct rdmaev_record rec;
	uint64_t sum = 0;
	unsigned int i;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_TRUE(probe_completes(self->fd, self->index, 1, 5, &self->p));
	EXPECT_EQ(self->p.method, RDMAEV_PROBE_BY_RC);
	EXPECT_EQ(self->p.interval_ms, FAST_MS);
	EXPECT_NE(self->p.qp, 0);
	EXPECT_EQ(self->p.failed + self->p.late + self->p.lost + self->p.rebuilt, 0);
	EXPECT_GE(self->p.completed + 1, self->p.sent);
	EXPECT_GE(self->p.longest_ns, self->p.newest_ns);
	for (i = 0; i < RDMAEV_PROBE_BUCKETS; i++)
		sum += self->p.latency[i];
	EXPECT_EQ(sum, self->p.completed);
	EXPECT_LT(read(self->fd, &rec, sizeof(rec)), 0);

	/* Off again, without objects */
	ASSERT_EQ(probe_set(self->fd, self->index, 0), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OFF, &self->p));
	EXPECT_EQ(self->p.qp, 0);
	EXPECT_GT(self->p.completed, 0);
}

TEST_F(hca, late)
{
	struct rdmaev_record late, ok;

	ASSERT_TRUE(holds(self->fd, self->index, &self->p));
	ASSERT_EQ(limit_now(self->fd, self->index, LATE_MS, SOON_MS), 0);
	ASSERT_TRUE(next(self->fd, &late));
	EXPECT_PROBE(late, RDMAEV_PROBE_LATE, 0);
	EXPECT_EQ(late.severity, RDMAEV_SEVERITY_WARNING);
	EXPECT_GE(late.body.probe.time_ns, LATE_MS * 1000000ULL);
	EXPECT_EQ(late.body.probe.qp, self->p.qp);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_LATE, &self->p));
	EXPECT_EQ(self->p.late, 1);
	EXPECT_EQ(late.body.probe.sent, self->p.sent);
	ASSERT_EQ(probe_limits(0, SOON_MS), 0);
	ASSERT_EQ(sim_hold(0), 0);
	ASSERT_TRUE(next(self->fd, &ok));
	EXPECT_PROBE(ok, RDMAEV_PROBE_OK, late.seq);
	EXPECT_EQ(ok.severity, RDMAEV_SEVERITY_INFO);
	EXPECT_GT(ok.body.probe.time_ns, 0);
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_OK);
	EXPECT_EQ(self->p.lost, 0);
	EXPECT_GE(self->p.longest_ns, LATE_MS * 1000000ULL);
}

TEST_F(hca, lost_once)
{
	struct rdmaev_record late, lost, ok;

	ASSERT_TRUE(holds(self->fd, self->index, &self->p));
	ASSERT_EQ(limit_now(self->fd, self->index, LATE_MS, SOON_MS), 0);
	ASSERT_TRUE(next(self->fd, &late));
	EXPECT_PROBE(late, RDMAEV_PROBE_LATE, 0);
	ASSERT_EQ(limit_now(self->fd, self->index, LATE_MS, LOST_MS), 0);
	ASSERT_TRUE(next(self->fd, &lost));
	EXPECT_PROBE(lost, RDMAEV_PROBE_LOST, late.seq);
	EXPECT_EQ(lost.severity, RDMAEV_SEVERITY_ERROR);
	EXPECT_EQ(lost.ring, RDMAEV_RING_ERROR);
	EXPECT_EQ(lost.body.probe.flags, 0);
	EXPECT_GE(lost.body.probe.time_ns, LOST_MS * 1000000ULL);
	/* The next ones are lost, too, and say nothing. */
	do {
		ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_LOST, &self->p));
		sleep_ms(20);
	} while (self->p.lost < 2);
	ASSERT_EQ(probe_limits(0, SOON_MS), 0);
	ASSERT_EQ(sim_hold(0), 0);
	ASSERT_TRUE(next(self->fd, &ok));
	EXPECT_PROBE(ok, RDMAEV_PROBE_OK, late.seq);
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_OK);
	EXPECT_GE(self->p.late, self->p.lost);
	EXPECT_GE(self->p.rebuilt, 2);
}

TEST_F(hca, notification_lost)
{
	struct rdmaev_record lost, ok;
	char text[32];

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	snprintf(text, sizeof(text), "%u 1", self->p.cq);
	ASSERT_EQ(put(SIM "sim0/mute", text), 0);
	ASSERT_EQ(limit_now(self->fd, self->index, 0, LOST_MS), 0);
	ASSERT_TRUE(next(self->fd, &lost));
	EXPECT_PROBE(lost, RDMAEV_PROBE_LOST, 0);
	EXPECT_EQ(lost.body.probe.flags, RDMAEV_PROBE_IN_CQ);
	EXPECT_EQ(lost.body.probe.cq, self->p.cq);
	/* The new CQ is not muted. */
	ASSERT_TRUE(next(self->fd, &ok));
	EXPECT_PROBE(ok, RDMAEV_PROBE_OK, lost.seq);
}

/* Each enum ib_wc_status: the completion is a record, and the cause */
TEST_F_TIMEOUT(hca, fails_with_each_status, 120)
{
	struct rdmaev_record wc, failed, ok;
	unsigned int status;
	char text[32];

	for (status = RDMAEV_WC_LOC_LEN_ERR; status <= RDMAEV_WC_GENERAL_ERR; status++) {
		/* Requests that are flushed have a record later, if nothing else failed. */
		if (status == RDMAEV_WC_WR_FLUSH_ERR)
			continue;
		ASSERT_TRUE(starts(self->fd, self->index, &self->p));
		snprintf(text, sizeof(text), "%u %u", self->p.qp, status);
		ASSERT_EQ(put(SIM "sim0/fail", text), 0);
		ASSERT_TRUE(next(self->fd, &wc));
		EXPECT_EQ(wc.kind, RDMAEV_KIND_WC);
		EXPECT_EQ(wc.code, status);
		EXPECT_EQ(wc.object, self->p.qp);
		EXPECT_STREQ(wc.body.info.owner, "rdmaev_probe");
		ASSERT_TRUE(next(self->fd, &failed));
		/* A request that the peer aborts is no failure of the QP. */
		EXPECT_PROBE(failed, RDMAEV_PROBE_FAILED,
			     status == RDMAEV_WC_REM_ABORT_ERR ? 0 : wc.seq);
		EXPECT_EQ(failed.body.probe.call, RDMAEV_PROBE_CALL_NONE);
		EXPECT_EQ(failed.body.probe.error, (int)status);
		EXPECT_EQ(failed.body.probe.qp, wc.object);
		ASSERT_TRUE(next(self->fd, &ok));
		EXPECT_PROBE(ok, RDMAEV_PROBE_OK, failed.seq);
	}
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_EQ(self->p.failed, status - RDMAEV_WC_LOC_LEN_ERR - 1);
}

/* A request of a probe that is OK fails. */
static int fail_request(int fd, uint32_t index, struct rdmaev_probe *p)
{
	char text[32];

	if (!probe_is(fd, index, 1, RDMAEV_PROBE_STATE_OK, p))
		return -1;
	snprintf(text, sizeof(text), "%u 12", p->qp);
	return put(SIM "sim0/fail", text);
}

/* The next record of the probe. The failed request, too, has a record. */
static int next_probe(int fd, struct rdmaev_record *rec)
{
	do {
		if (!next(fd, rec))
			return 0;
	} while (rec->kind != RDMAEV_KIND_PROBE);
	return 1;
}

TEST_F_TIMEOUT(hca, calls_fail, 120)
{
	static const int errors[] = { -ENOMEM, -EIO, -ENODEV };
	struct rdmaev_record failed, ok;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		int error = errors[i % ARRAY_SIZE(errors)];

		if (calls[i].at_destroy)
			continue;
		ASSERT_EQ(probe_set(self->fd, self->index, 0), 0);
		ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OFF, &self->p));
		ASSERT_EQ(sim_fault(calls[i].name, error), 0);
		ASSERT_EQ(probe_set(self->fd, self->index, FAST_MS), 0);
		ASSERT_TRUE(next(self->fd, &failed));
		ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
		EXPECT_PROBE(failed, RDMAEV_PROBE_FAILED, 0);
		EXPECT_EQ(failed.body.probe.call, calls[i].call);
		EXPECT_EQ(failed.body.probe.error, error);
		EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_FAILED);
		EXPECT_EQ(self->p.call, calls[i].call);
		EXPECT_EQ(self->p.error, error);
		ASSERT_EQ(sim_fault(calls[i].name, 0), 0);
		ASSERT_TRUE(next(self->fd, &ok));
		ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
		EXPECT_PROBE(ok, RDMAEV_PROBE_OK, failed.seq);
	}
}

/* A QP that the driver does not destroy is destroyed later. */
TEST_F(hca, destroy_fails)
{
	struct rdmaev_record failed, ok;
	uint32_t qp;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	qp = self->p.qp;
	ASSERT_EQ(sim_fault("destroy_qp", -EBUSY), 0);
	ASSERT_EQ(fail_request(self->fd, self->index, &self->p), 0);
	ASSERT_TRUE(next_probe(self->fd, &failed));
	do {
		ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_FAILED,
				     &self->p));
	} while (self->p.call != RDMAEV_PROBE_CALL_DESTROY_QP);
	EXPECT_EQ(self->p.error, -EBUSY);
	ASSERT_EQ(sim_fault("destroy_qp", 0), 0);
	ASSERT_TRUE(next_probe(self->fd, &ok));
	EXPECT_PROBE(ok, RDMAEV_PROBE_OK, failed.seq);
	EXPECT_NE(ok.body.probe.qp, qp);
}

/* The objects of a probe that is switched off stay in the list until they are destroyed. */
TEST_F(hca, destroy_fails_at_off)
{
	struct rdmaev_record failed;
	int i;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_EQ(sim_fault("destroy_qp", -EBUSY), 0);
	ASSERT_EQ(probe_set(self->fd, self->index, 0), 0);
	ASSERT_TRUE(next_probe(self->fd, &failed));
	EXPECT_PROBE(failed, RDMAEV_PROBE_FAILED, 0);
	EXPECT_EQ(failed.body.probe.call, RDMAEV_PROBE_CALL_DESTROY_QP);
	EXPECT_EQ(failed.body.probe.error, -EBUSY);
	EXPECT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_EQ(self->p.state, RDMAEV_PROBE_STATE_FAILED);
	ASSERT_EQ(sim_fault("destroy_qp", 0), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OFF, &self->p));
	EXPECT_EQ(self->p.qp, 0);
	/* That of the other port may be tried again later. */
	for (i = 0; !sh("rdma resource show qp | grep 'comm .rdmaev_probe'"); i++) {
		ASSERT_LT(i, SOON_MS / 100);
		sleep_ms(100);
	}
}

static int is_going(void)
{
	return !sh("grep -qx going /sys/module/rdmaev_probe/initstate");
}

/* The QP has the module's functions: while the driver keeps it the module stays. */
TEST_F(hca, unload_waits_for_destroy)
{
	struct rdmaev_cq_stats list[4];
	int status = -1, i;
	pid_t pid;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_EQ(sim_fault("destroy_qp", -EBUSY), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(syscall(SYS_delete_module, "rdmaev_probe", O_NONBLOCK) ? 1 : 0);
	for (i = 0; i < 600 && !is_going(); i++)
		sleep_ms(50);
	/* Several tries */
	sleep_ms(500);
	EXPECT_TRUE(is_going());
	EXPECT_EQ(waitpid(pid, &status, WNOHANG), 0);
	/* One for each port */
	EXPECT_EQ(read_cqs(self->fd, 0, self->index, 0, list, 4, NULL), 2);
	EXPECT_EQ(sim_fault("destroy_qp", 0), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(access("/sys/module/rdmaev_probe", F_OK), -1);
	EXPECT_EQ(read_cqs(self->fd, 0, self->index, 0, list, 4, NULL), 0);
}

static int next_code(int fd, unsigned int code, struct rdmaev_record *rec)
{
	do {
		if (!next_probe(fd, rec))
			return 0;
	} while (rec->code != code);
	return 1;
}

/* Wait for that. On a busy machine another call may look stuck before. */
static int is_stuck_in(int fd, uint32_t index, unsigned int call)
{
	struct rdmaev_probe p = {};

	do {
		if (!probe_is(fd, index, 1, RDMAEV_PROBE_STATE_STUCK, &p))
			return 0;
	} while (p.call != call);
	return 1;
}

/* Another device is probed, and listed, and removed meanwhile. */
TEST_F_TIMEOUT(hca, calls_hang, 240)
{
	struct rdmaev_record stuck, ok;
	struct rdmaev_probe other;
	struct rdmaev_device dev;
	unsigned int i;

	ASSERT_EQ(filter_probe(self->fd, ~0ULL), 0);
	ASSERT_EQ(probe_limits(0, LOST_MS), 0);
	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		TH_LOG("%s", calls[i].name);
		ASSERT_EQ(sim_create_link("sim1", 1, "ib verbs"), 0);
		ASSERT_TRUE(find_device(self->fd, "sim1", &dev));
		ASSERT_EQ(sim_fault(calls[i].name, 1), 0);
		/*
		 * Those that make or destroy are called after a failure, as they are for
		 * a QP that is gone because its request was lost meanwhile.
		 */
		if (i < 4 || calls[i].at_destroy)
			ASSERT_TRUE(!fail_request(self->fd, self->index, &self->p) ||
				    self->p.state == RDMAEV_PROBE_STATE_OK);
		ASSERT_TRUE(is_stuck_in(self->fd, self->index, calls[i].call));
		ASSERT_TRUE(next_code(self->fd, RDMAEV_PROBE_STUCK, &stuck));
		EXPECT_EQ(stuck.severity, RDMAEV_SEVERITY_ERROR);
		EXPECT_NE(stuck.body.probe.call, RDMAEV_PROBE_CALL_NONE);
		EXPECT_GE(stuck.body.probe.time_ns, LOST_MS * 1000000ULL);
		ASSERT_EQ(probe_set(self->fd, dev.index, FAST_MS), 0);
		EXPECT_TRUE(probe_completes(self->fd, dev.index, 1, 3, &other));
		ASSERT_EQ(sim_destroy("sim1"), 0);
		ASSERT_EQ(sim_fault(calls[i].name, 0), 0);
		ASSERT_TRUE(next_code(self->fd, RDMAEV_PROBE_OK, &ok));
		EXPECT_NE(ok.cause, 0);
	}
}

static void *remove_sim0(void *unused)
{
	return (void *)(long)sim_destroy("sim0");
}

/* The device is removed while the driver is stuck: only that is waited for. */
TEST_F_TIMEOUT(hca, removed_at_each_call, 240)
{
	struct rdmaev_device dev;
	pthread_t thread;
	unsigned int i;
	void *ret;

	ASSERT_EQ(probe_limits(0, LOST_MS), 0);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		TH_LOG("%s", calls[i].name);
		ASSERT_TRUE(find_device(self->fd, "sim0", &dev));
		self->index = dev.index;
		if (calls[i].at_destroy)
			ASSERT_TRUE(starts(self->fd, self->index, &self->p));
		ASSERT_EQ(sim_fault(calls[i].name, 1), 0);
		ASSERT_EQ(probe_set(self->fd, self->index, calls[i].at_destroy ? 0 : FAST_MS), 0);
		ASSERT_TRUE(is_stuck_in(self->fd, self->index, calls[i].call));
		ASSERT_EQ(pthread_create(&thread, NULL, remove_sim0, NULL), 0);
		/* It leaves the list at once. */
		while (probe_get(self->fd, self->index, 1, &self->p))
			sleep_ms(5);
		ASSERT_EQ(sim_fault(calls[i].name, 0), 0);
		ASSERT_EQ(pthread_join(thread, &ret), 0);
		EXPECT_EQ((long)ret, 0);
		ASSERT_EQ(sim_create_probed(variant->link), 0);
	}
}

TEST_F(hca, ud_without_rc)
{
	ASSERT_EQ(sim_fault("create_rc", -EOPNOTSUPP), 0);
	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	EXPECT_EQ(self->p.method, RDMAEV_PROBE_BY_UD);
	ASSERT_TRUE(probe_completes(self->fd, self->index, 1, 3, &self->p));
	EXPECT_EQ(self->p.failed, 0);
}

TEST_F(hca, no_qp_at_all)
{
	struct rdmaev_record failed, ok;

	ASSERT_EQ(sim_fault("create_qp", -EOPNOTSUPP), 0);
	ASSERT_EQ(probe_set(self->fd, self->index, FAST_MS), 0);
	ASSERT_TRUE(next(self->fd, &failed));
	ASSERT_TRUE(probe_get(self->fd, self->index, 1, &self->p));
	EXPECT_PROBE(failed, RDMAEV_PROBE_FAILED, 0);
	EXPECT_EQ(failed.body.probe.call, RDMAEV_PROBE_CALL_CREATE_QP);
	EXPECT_EQ(failed.body.probe.error, -EOPNOTSUPP);
	ASSERT_EQ(sim_fault("create_qp", 0), 0);
	ASSERT_TRUE(next(self->fd, &ok));
	EXPECT_EQ(ok.code, RDMAEV_PROBE_OK);
}

/* A port that is not ACTIVE is not probed, and has no records for that. */
TEST_F(hca, not_active)
{
	struct rdmaev_record rec;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_EQ(set(1, "state", "%d", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_INACTIVE, &self->p));
	EXPECT_EQ(self->p.qp, 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 2, RDMAEV_PROBE_STATE_OK, &self->p));
	ASSERT_EQ(set(1, "state", "%d", STATE_ACTIVE), 0);
	ASSERT_EQ(event(PORT_ACTIVE, 1), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_OK, &self->p));
	EXPECT_EQ(self->p.rebuilt, 1);
	EXPECT_EQ(self->p.failed + self->p.late + self->p.lost, 0);
	EXPECT_LT(read(self->fd, &rec, sizeof(rec)), 0);
}

/* A request that is outstanding when the port goes down is given up. */
TEST_F(hca, down_while_outstanding)
{
	struct rdmaev_record rec;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_EQ(sim_hold(1), 0);
	ASSERT_EQ(set(1, "state", "%d", STATE_DOWN), 0);
	ASSERT_EQ(event(PORT_ERR, 1), 0);
	ASSERT_TRUE(port_is_down(self->fd, self->index));
	/* Any request looks at the port again. */
	ASSERT_EQ(probe_set(self->fd, self->index, FAST_MS), 0);
	ASSERT_TRUE(probe_is(self->fd, self->index, 1, RDMAEV_PROBE_STATE_INACTIVE, &self->p));
	EXPECT_EQ(self->p.lost, 0);
	EXPECT_LT(read(self->fd, &rec, sizeof(rec)), 0);
}

/* A device without kernel verbs has no probe. */
TEST_F(hca, no_kernel_verbs)
{
	struct rdmaev_device dev;

	ASSERT_EQ(sim_create("sim1", 1), 0);
	ASSERT_TRUE(find_device(self->fd, "sim1", &dev));
	if (probe_get(self->fd, dev.index, 1, &self->p)) {
		sim_destroy("sim1");
		SKIP(return, "this kernel takes it for a device with kernel verbs");
	}
	EXPECT_EQ(probe_set(self->fd, dev.index, 1000), -1);
	EXPECT_EQ(errno, EOPNOTSUPP);
	EXPECT_EQ(sim_destroy("sim1"), 0);
}

/* Its events are those of the ULP rdmaev_probe, its CQ is in the list of CQs. */
TEST_F(hca, objects_are_its_own)
{
	struct rdmaev_cq_stats list[8];
	struct rdmaev_cqs req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = ARRAY_SIZE(list),
		.entries = (uintptr_t)list,
		.device = self->index,
	};
	unsigned int i, own = 0;

	ASSERT_TRUE(starts(self->fd, self->index, &self->p));
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_CQS, &req), 0);
	for (i = 0; i < req.count && i < ARRAY_SIZE(list); i++) {
		EXPECT_STREQ(list[i].owner, "rdmaev_probe");
		own += list[i].cq == self->p.cq;
	}
	EXPECT_EQ(own, 1);
}

TEST_HARNESS_MAIN
