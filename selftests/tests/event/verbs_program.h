/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A program that uses libibverbs, whose objects get events of rdmaev_gen:
 * recorded by rdmaev_gen itself, or, if OBSERVED is defined, by rdmaev_observe.
 */
#ifndef VERBS_PROGRAM_H
#define VERBS_PROGRAM_H

#include <sys/stat.h>

#include "common.h"
#include "kselftest_harness.h"
#include "verbs.h"

#define DEV "inj0"

#ifdef OBSERVED
#define COMM "observe_event_t"
#else
#define COMM "inject_test"
#endif

/* A CQ is identified by its size: verbs have no number for it. */
#define SEND_CQE 31
#define RECV_CQE 63
#define IDLE_CQE 127

static int raise_event(const char *type, unsigned int number, unsigned int event,
		       unsigned int count)
{
	char text[128];
	int fd = open(GEN_RAISE, O_WRONLY | O_CLOEXEC);
	int n, ret;

	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), DEV " %s %u %u %u", type, number, event, count);
	ret = write(fd, text, n) == n ? 0 : -errno;
	close(fd);
	return ret;
}

/*
 * QP1 of port 1, as resources are numbered; it belongs to ib_mad. The port is
 * in the number since Linux 5.12.
 */
static unsigned int mad_qp(void)
{
	const unsigned int number = 1U << 24 | 1;

	return raise_event("qp", number, 0, 0) == -ENOENT ? 1 : number;
}

/* The modules and the device, once for all tests; run_tests removes them. */
static int ready(void)
{
#ifdef OBSERVED
	if (load_observer("states=0"))
		return 0;
#else
	if (load_owners() || put(GEN_REPORT, "1"))
		return 0;
#endif
	return access("/sys/class/infiniband/" DEV, F_OK) == 0 || !rxe_add(DEV);
}

static long field(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	long value;

	return at && sscanf(at + strlen(key), " %ld", &value) == 1 ? value : -1;
}

static struct ibv_context *open_context(void)
{
	struct ibv_context *ctx = verbs_open(DEV);

	if (ctx)
		fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	return ctx;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *send_cq,
				struct ibv_cq *recv_cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = send_cq,
		.recv_cq = recv_cq,
		.srq = srq,
		.cap = {
			.max_send_wr = 4,
			.max_recv_wr = srq ? 0 : 4,
			.max_send_sge = 1,
			.max_recv_sge = srq ? 0 : 1,
		},
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(pd, &attr);
}

/* The expected fields of @qp below */
struct numbers {
	uint32_t device, generation, qp, send_cq, recv_cq, srq;
};

#define NONE UINT32_MAX

/* Numbers of the program's objects, from the core's resource tracking */
static int get_numbers(struct numbers *n, uint32_t *idle_cq, const int cqe[3])
{
	uint32_t *cqn[3] = { &n->send_cq, &n->recv_cq, idle_cq };
	char line[512];
	FILE *f;
	int i;

	n->send_cq = NONE;
	n->recv_cq = NONE;
	n->srq = NONE;
	*idle_cq = NONE;
	f = popen("for t in cq srq qp; do rdma resource show $t; done", "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (field(line, " pid") != getpid())
			continue;
		for (i = 0; i < 3; i++) {
			if (field(line, " cqe") == cqe[i])
				*cqn[i] = field(line, " cqn");
		}
		if (field(line, " srqn") >= 0)
			n->srq = field(line, " srqn");
		/* The first of the two is @qp. */
		if (field(line, " lqpn") >= 0 && !n->qp)
			n->qp = field(line, " lqpn");
	}
	pclose(f);
	return n->send_cq != NONE && n->recv_cq != NONE && *idle_cq != NONE &&
	       (n->srq != NONE) == srqs_have_numbers();
}

/* A cgroup of the test: its id is the inode number of its folder. */
#define CGROUPS "/tmp/inject_cgroups"
static uint64_t cgroup_of_test(void)
{
	static struct stat st;

	if (!st.st_ino &&
	    (sh("[ -d " CGROUPS "/inject ] || { mkdir " CGROUPS
		" && mount -t cgroup2 none " CGROUPS " && mkdir " CGROUPS "/inject; }") ||
	     sh("echo %d >" CGROUPS "/inject/cgroup.procs", getpid()) ||
	     stat(CGROUPS "/inject", &st)))
		return 0;
	return st.st_ino;
}

/* @plain has no SRQ, and one CQ for both queues. */
FIXTURE(verbs) {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq, *recv_cq, *idle_cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp, *plain;
	struct numbers n;
	uint32_t idle_cqn;
	int fd;
};

FIXTURE_SETUP(verbs)
{
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = 8, .max_sge = 1 },
	};
	struct rdmaev_filter f = filter_all();
	struct rdmaev_device dev;

	ASSERT_TRUE(ready());
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_NE(cgroup_of_test(), 0);
	self->ctx = open_context();
	ASSERT_NE(self->ctx, NULL);
	self->pd = ibv_alloc_pd(self->ctx);
	ASSERT_NE(self->pd, NULL);
	self->send_cq = ibv_create_cq(self->ctx, SEND_CQE, NULL, NULL, 0);
	self->recv_cq = ibv_create_cq(self->ctx, RECV_CQE, NULL, NULL, 0);
	self->idle_cq = ibv_create_cq(self->ctx, IDLE_CQE, NULL, NULL, 0);
	ASSERT_TRUE(self->send_cq && self->recv_cq && self->idle_cq);
	self->srq = ibv_create_srq(self->pd, &srq_attr);
	ASSERT_NE(self->srq, NULL);
	self->qp = create_qp(self->pd, self->send_cq, self->recv_cq, self->srq);
	ASSERT_NE(self->qp, NULL);
	self->plain = create_qp(self->pd, self->idle_cq, self->idle_cq, NULL);
	ASSERT_NE(self->plain, NULL);

	ASSERT_TRUE(get_numbers(&self->n, &self->idle_cqn,
				(int []){ self->send_cq->cqe, self->recv_cq->cqe,
					  self->idle_cq->cqe }));
	ASSERT_EQ(self->n.qp, self->qp->qp_num);

	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &dev));
	self->n.device = dev.index;
	self->n.generation = dev.generation;
	f.object_types = 1U << RDMAEV_OBJECT_QP | 1U << RDMAEV_OBJECT_CQ |
			 1U << RDMAEV_OBJECT_SRQ;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
}

/* Waits for ever if an event was not acknowledged. */
FIXTURE_TEARDOWN(verbs)
{
	if (self->qp)
		EXPECT_EQ(ibv_destroy_qp(self->qp), 0);
	EXPECT_EQ(ibv_destroy_qp(self->plain), 0);
	EXPECT_EQ(ibv_destroy_srq(self->srq), 0);
	EXPECT_EQ(ibv_destroy_cq(self->send_cq), 0);
	EXPECT_EQ(ibv_destroy_cq(self->recv_cq), 0);
	EXPECT_EQ(ibv_destroy_cq(self->idle_cq), 0);
	EXPECT_EQ(ibv_dealloc_pd(self->pd), 0);
	EXPECT_EQ(ibv_close_device(self->ctx), 0);
	close(self->fd);
}

/* The next record; its seq, and the rest without seq and times */
static uint64_t next(int fd, struct rdmaev_record *rec)
{
	uint64_t seq;

	if (read(fd, rec, sizeof(*rec)) != sizeof(*rec))
		return 0;
	seq = rec->seq;
	rec->seq = 0;
	rec->boottime_ns = 0;
	rec->realtime_ns = 0;
	return seq;
}

#endif /* VERBS_PROGRAM_H */
