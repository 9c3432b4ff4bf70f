// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a user without privilege does costs only himself: storms of records of
 * processes evict none of kernel ULPs and devices.
 */
#include <signal.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "cq.h"
#include "program.h"

#define DEV "obs0"
#define NOBODY 65534

/* More than a ring keeps */
#define MORE 100

static int ready(void)
{
	if (access("/sys/module/rdmaev_observe", F_OK) &&
	    sh("insmod $RDMAEV_TOP/kmod/rdmaev_observe.ko"))
		return 0;
	return access("/sys/class/infiniband/" DEV, F_OK) == 0 || !rxe_add(DEV);
}

/* Failed requests: as many records */
static int refused_requests(struct program *p, unsigned int n)
{
	while (n--) {
		if (!move(p->qp[0], IBV_QPS_RTS))
			return 1;
	}
	return 0;
}

/* Writes without a byte, whose completions nobody polls: each is a CQ_ERR. */
static int overflow(struct program *p, unsigned int n)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	int ret;

	if (connect_to(p->qp[0], p->qp[1]->qp_num, &p->gid) ||
	    connect_to(p->qp[1], p->qp[0]->qp_num, &p->gid))
		return 1;
	for (n += 2 * (p->cq->cqe + 1); n; n--) {
		do
			ret = ibv_post_send(p->qp[0], &wr, &bad);
		while (ret == ENOMEM);
		if (ret)
			return 1;
	}
	return 0;
}

/* Run a storm as a user without privilege. Returns 0. */
static int as_nobody(int (*storm)(struct program *p, unsigned int n), unsigned int n)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		struct program p = {};

		if (setgid(NOBODY) || setuid(NOBODY) || !program_begin(&p, DEV, 0))
			_exit(2);
		_exit(storm(&p, n));
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

FIXTURE(user) {
	struct rdmaev_record ulp[2];	/* of a kernel ULP: QP_ERR, and what follows */
	struct rdmaev_info info;
	uint64_t begin;
	int fd;
};

FIXTURE_SETUP(user)
{
	uint32_t index, generation;

	ASSERT_TRUE(ready());
	ASSERT_EQ(load_module("rdmaev_cqtest"), 0);
	ASSERT_EQ(open_sim0(&self->fd, &index, &generation), 0);
	self->begin = get_info(self->fd).newest_seq;
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_WC), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 recv 5"), 0);
	ASSERT_EQ(run("hold sim0 error"), 0);
	ASSERT_EQ(run("hold sim0 poll 16"), 0);
	ASSERT_EQ(run("hold sim0 flushed"), 0);
	ASSERT_EQ(read(self->fd, self->ulp, sizeof(self->ulp)), (ssize_t)sizeof(self->ulp));
	ASSERT_EQ(self->ulp[0].kind, RDMAEV_KIND_QP);
	ASSERT_EQ(self->ulp[0].ring, RDMAEV_RING_INFO);
	ASSERT_EQ(self->ulp[1].kind, RDMAEV_KIND_WC);
	ASSERT_EQ(self->ulp[1].cause, self->ulp[0].seq);
	ASSERT_EQ(run("hold sim0 destroy"), 0);
	self->info = get_info(self->fd);
}

FIXTURE_TEARDOWN(user)
{
	close_sim0(self->fd);
}

FIXTURE_VARIANT(user) {
	int (*storm)(struct program *p, unsigned int n);
	unsigned int kind, code, severity;
};

FIXTURE_VARIANT_ADD(user, requests) {
	.storm = refused_requests,
	.kind = RDMAEV_KIND_QP,
	.code = RDMAEV_QP_RTS,
	.severity = RDMAEV_SEVERITY_WARNING,
};

FIXTURE_VARIANT_ADD(user, overflow) {
	.storm = overflow,
	.kind = RDMAEV_KIND_ASYNC,
	.code = RDMAEV_ASYNC_CQ_ERR,
	.severity = RDMAEV_SEVERITY_ERROR,
};

TEST_F_TIMEOUT(user, evicts_only_users, 180)
{
	static struct rdmaev_record recs[64];
	uint64_t storm = 0, lost = 0, happened = 0;
	int seen[2] = {}, fd = open_node(O_NONBLOCK);
	ssize_t n;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(as_nobody(variant->storm, self->info.ring_records + MORE), 0);
	ASSERT_EQ(lseek(fd, self->begin + 1, SEEK_SET), (off_t)self->begin + 1);
	while ((n = read(fd, recs, sizeof(recs))) > 0) {
		const struct rdmaev_record *r;

		for (r = recs; r < recs + n / sizeof(*r); r++) {
			happened++;
			if (!memcmp(r, &self->ulp[0], sizeof(*r)))
				seen[0]++;
			if (!memcmp(r, &self->ulp[1], sizeof(*r)))
				seen[1]++;
			if (r->kind == RDMAEV_KIND_LOST) {
				EXPECT_EQ(r->ring, RDMAEV_RING_USER);
				lost += r->count;
				happened += r->count - 1;
			}
			if (r->kind != variant->kind || r->code != variant->code)
				continue;
			storm++;
			EXPECT_EQ(r->ring, RDMAEV_RING_USER);
			EXPECT_EQ(r->severity, variant->severity);
			EXPECT_EQ(r->body.info.uid, NOBODY);
		}
	}
	EXPECT_EQ(seen[0], 1);
	EXPECT_EQ(seen[1], 1);
	EXPECT_GT(lost, 0);
	EXPECT_GT(storm, self->info.ring_records / 2);
	EXPECT_EQ(happened, get_info(fd).newest_seq - self->begin);
	close(fd);
}

TEST_HARNESS_MAIN
