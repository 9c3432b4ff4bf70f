// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completions in a loop of librdmaev-verbs, with traffic on soft RoCE. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include <rdmaev_verbs.h>

#include "common.h"
#include "kselftest_harness.h"
#include "../observe/program.h"

#define DEV "lcq0"
#define SOON_NS (SOON_MS * 1000000LL)

/* Sanitizers find their errors in the first rounds. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ROUNDS 200
#else
#define ROUNDS 2000
#endif

FIXTURE(cq) {
	struct program p;
	struct rdmaev_loop *loop;
};

FIXTURE_SETUP(cq)
{
	int i;

	ASSERT_TRUE(!access("/sys/class/infiniband/" DEV, F_OK) || !rxe_add(DEV));
	ASSERT_TRUE(program_begin(&self->p, DEV, 1));
	self->loop = rdmaev_loop_open(0);
	ASSERT_NE(self->loop, NULL);
	ASSERT_EQ(rdmaev_loop_add_channel(self->loop, self->p.channel, NULL), 0);
	ASSERT_EQ(rdmaev_loop_add_cq(self->loop, self->p.cq, &self->p, 0), 0);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(connect_to(self->p.qp[i], self->p.qp[!i]->qp_num, &self->p.gid), 0);
		ASSERT_EQ(rdmaev_loop_add_qp(self->loop, self->p.qp[i], &self->p.qp[i]), 0);
	}
}

FIXTURE_TEARDOWN(cq)
{
	int i;

	EXPECT_EQ(rdmaev_loop_remove(self->loop, self->p.cq), 0);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, self->p.channel), 0);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(rdmaev_loop_remove(self->loop, self->p.qp[i]), 0);
	program_end(&self->p);
	rdmaev_loop_close(self->loop);
}

static int post_recv(struct ibv_qp *qp)
{
	struct ibv_recv_wr wr = { .wr_id = 2 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

/* An empty message, or one whose memory there is not */
static int post_send(struct ibv_qp *qp, int valid)
{
	static char buffer[8];
	struct ibv_sge sge = { (uintptr_t)buffer, sizeof(buffer), 0xdead };
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = valid ? 0 : 1,
	}, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

/* Completions, until there are @wanted; fewer if nothing comes any more */
static unsigned int get_wcs(struct rdmaev_loop *loop, struct ibv_cq *cq, struct ibv_wc *wc,
			    unsigned int wanted)
{
	struct rdmaev_verbs_event ev;
	unsigned int got = 0;
	int n;

	while (got < wanted) {
		if (rdmaev_loop_read(loop, &ev, 1, SOON_NS) != 1)
			break;
		if (ev.type != RDMAEV_VERBS_CQ || ev.object != cq)
			break;
		n = rdmaev_loop_poll_cq(loop, cq, (int)(wanted - got), wc + got);
		if (n < 0)
			break;
		got += n;
	}
	return got;
}

TEST_F(cq, budget_and_end)
{
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc[8];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(post_recv(self->p.qp[1]), 0);
		ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	}
	/* Added: reported once, whatever there is */
	EXPECT_EQ(get_wcs(self->loop, self->p.cq, wc, 4), 4);
	EXPECT_EQ(get_wcs(self->loop, self->p.cq, wc + 4, 2), 2);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(wc[i].status, IBV_WC_SUCCESS);
	/* As many as there was room for: not known to be empty yet */
	ASSERT_EQ(rdmaev_loop_read(self->loop, &ev, 1, SOON_NS), 1);
	EXPECT_EQ(ev.type, RDMAEV_VERBS_CQ);
	EXPECT_EQ(ev.user, &self->p);
	EXPECT_EQ(rdmaev_loop_read(self->loop, &ev, 1, 0), 0);
	EXPECT_EQ(rdmaev_loop_poll_cq(self->loop, self->p.cq, 8, wc), 0);
	/* A notification from before the poll may be there, not two */
	if (rdmaev_loop_read(self->loop, &ev, 1, 0) == 1)
		EXPECT_EQ(rdmaev_loop_poll_cq(self->loop, self->p.cq, 8, wc), 0);
	EXPECT_EQ(rdmaev_loop_read(self->loop, &ev, 1, 0), 0);
	EXPECT_EQ(rdmaev_loop_poll_cq(self->loop, self->p.cq, 0, wc), -1);
	EXPECT_EQ(rdmaev_loop_poll_cq(self->loop, (struct ibv_cq *)self, 1, wc), -1);
	EXPECT_EQ(errno, ENOENT);
}

/*
 * The first failure is marked, apart from the requests that it flushes. Which status soft RoCE
 * has for memory that there is not depends on the kernel.
 */
TEST_F(cq, failures_are_explained)
{
	struct rdmaev_verbs_event ev;
	struct ibv_wc wcs[2], *wc, *flushed;

	ASSERT_EQ(post_recv(self->p.qp[0]), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 0), 0);
	ASSERT_EQ(get_wcs(self->loop, self->p.cq, wcs, 2), 2);
	if (wcs[0].status == IBV_WC_WR_FLUSH_ERR && wcs[1].status == IBV_WC_WR_FLUSH_ERR) {
		ASSERT_EQ(rdmaev_loop_wc(self->loop, self->p.cq, &wcs[0], &ev), 0);
		EXPECT_EQ(ev.flags, RDMAEV_VERBS_FLUSHED | RDMAEV_VERBS_QP_STATE);
		EXPECT_EQ(ev.first_status, IBV_WC_SUCCESS);
		SKIP(return, "soft RoCE of this kernel has flushes alone");
	}
	wc = &wcs[wcs[0].status == IBV_WC_WR_FLUSH_ERR];
	flushed = &wcs[wc == wcs];
	ASSERT_NE(wc->status, IBV_WC_SUCCESS);
	ASSERT_EQ(rdmaev_loop_wc(self->loop, self->p.cq, wc, &ev), 0);
	EXPECT_EQ(ev.type, RDMAEV_VERBS_WC);
	EXPECT_EQ(ev.code, wc->status);
	EXPECT_EQ(ev.flags, RDMAEV_VERBS_FIRST | RDMAEV_VERBS_QP_STATE);
	EXPECT_EQ(ev.qp_state, IBV_QPS_ERR);
	EXPECT_EQ(ev.object, self->p.qp[0]);
	EXPECT_EQ(ev.user, &self->p.qp[0]);
	EXPECT_STREQ(ev.name, rdmaev_wc_status_name(wc->status));
	EXPECT_NE(ev.advice, NULL);
	ASSERT_EQ(flushed->status, IBV_WC_WR_FLUSH_ERR);
	ASSERT_EQ(rdmaev_loop_wc(self->loop, self->p.cq, flushed, &ev), 0);
	EXPECT_EQ(ev.flags, RDMAEV_VERBS_FLUSHED | RDMAEV_VERBS_QP_STATE);
	EXPECT_EQ(ev.first_status, wc->status);
	flushed->status = IBV_WC_SUCCESS;
	EXPECT_EQ(rdmaev_loop_wc(self->loop, self->p.cq, flushed, &ev), -1);
}

/* The state in struct ibv_qp is a wrong one here, by which a query is noticed. */
TEST_F(cq, states_are_asked_when_doubtful)
{
	struct ibv_qp *qp = self->p.qp[0];
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc;

	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, qp), IBV_QPS_RTS);
	qp->state = IBV_QPS_SQD;
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, qp), IBV_QPS_SQD);
	ASSERT_EQ(post_send(qp, 0), 0);
	ASSERT_EQ(get_wcs(self->loop, self->p.cq, &wc, 1), 1);
	ASSERT_NE(wc.status, IBV_WC_SUCCESS);
	ASSERT_EQ(rdmaev_loop_wc(self->loop, self->p.cq, &wc, &ev), 0);
	qp->state = IBV_QPS_SQD;
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, qp), IBV_QPS_ERR);
	qp->state = IBV_QPS_SQD;
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, qp), IBV_QPS_SQD);
	ASSERT_EQ(move(qp, IBV_QPS_RESET), 0);
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, qp), IBV_QPS_RESET);
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, (struct ibv_qp *)self), -1);
	EXPECT_EQ(errno, ENOENT);
}

#define HOUR_US 3600000000U

/* The CQ is empty and armed. */
static int is_idle(struct rdmaev_loop *loop, struct ibv_cq *cq)
{
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc;

	return rdmaev_loop_read(loop, &ev, 1, SOON_NS) == 1 &&
	       !rdmaev_loop_poll_cq(loop, cq, 1, &wc) && !rdmaev_loop_read(loop, &ev, 1, 0);
}

TEST_F(cq, moderated_by_number)
{
	struct rdmaev_loop *loop = self->loop;
	struct ibv_cq *cq = self->p.cq;
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc[8];
	int i;

	ASSERT_TRUE(is_idle(loop, cq));
	ASSERT_EQ(post_recv(self->p.qp[1]), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	/* Kept as soon as the loop has read the notification */
	while (!rdmaev_loop_moderate_cq(loop, cq, 4, HOUR_US))
		ASSERT_EQ(rdmaev_loop_read(loop, &ev, 1, 10000000), 0);
	EXPECT_EQ(errno, EBUSY);
	ASSERT_EQ(post_recv(self->p.qp[1]), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	ASSERT_EQ(rdmaev_loop_read(loop, &ev, 1, SOON_NS), 1);
	EXPECT_EQ(ev.object, cq);
	/* In two calls, the second one with the last of those that were kept */
	EXPECT_EQ(rdmaev_loop_poll_cq(loop, cq, 3, wc), 3);
	EXPECT_EQ(rdmaev_loop_poll_cq(loop, cq, 5, wc + 3), 1);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(wc[i].status, IBV_WC_SUCCESS);
	/* One at a time again */
	ASSERT_EQ(rdmaev_loop_moderate_cq(loop, cq, 0, 0), 0);
	ASSERT_EQ(post_recv(self->p.qp[1]), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	EXPECT_EQ(get_wcs(loop, cq, wc, 2), 2);
	EXPECT_EQ(rdmaev_loop_moderate_cq(loop, cq, 2, 0), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_loop_moderate_cq(loop, cq, RDMAEV_LOOP_MODERATE_MAX + 1, 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_loop_moderate_cq(loop, (struct ibv_cq *)self, 2, 1), -1);
	EXPECT_EQ(errno, ENOENT);
}

TEST_F(cq, moderated_by_time)
{
	struct ibv_wc wc[2];

	ASSERT_TRUE(is_idle(self->loop, self->p.cq));
	ASSERT_EQ(rdmaev_loop_moderate_cq(self->loop, self->p.cq, 1000, 1000), 0);
	ASSERT_EQ(post_recv(self->p.qp[1]), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	EXPECT_EQ(get_wcs(self->loop, self->p.cq, wc, 2), 2);
}

TEST_F(cq, a_failure_is_not_kept)
{
	struct ibv_wc wc;

	ASSERT_TRUE(is_idle(self->loop, self->p.cq));
	ASSERT_EQ(rdmaev_loop_moderate_cq(self->loop, self->p.cq, 1000, HOUR_US), 0);
	ASSERT_EQ(post_send(self->p.qp[0], 0), 0);
	ASSERT_EQ(get_wcs(self->loop, self->p.cq, &wc, 1), 1);
	EXPECT_NE(wc.status, IBV_WC_SUCCESS);
}

/* Two CQs with more than fits each time: they take turns, with their budget. */
TEST_F(cq, cqs_take_turns)
{
	struct ibv_cq *other = ibv_create_cq(self->p.ctx, 15, NULL, self->p.channel, 0);
	const void *last = NULL;
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc;
	int i;

	ASSERT_NE(other, NULL);
	ASSERT_EQ(rdmaev_loop_add_cq(self->loop, other, NULL, 0), 0);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(post_recv(self->p.qp[1]), 0);
		ASSERT_EQ(post_send(self->p.qp[0], 1), 0);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(rdmaev_loop_read(self->loop, &ev, 1, SOON_NS), 1);
		EXPECT_NE(ev.object, last);
		last = ev.object;
		EXPECT_GE(rdmaev_loop_poll_cq(self->loop, (struct ibv_cq *)last, 1, &wc), 0);
	}
	EXPECT_EQ(rdmaev_loop_remove(self->loop, other), 0);
	EXPECT_EQ(ibv_destroy_cq(other), 0);
}

static atomic_ulong received;
static atomic_int failed;

struct consumer {
	struct rdmaev_loop *loop;
	struct ibv_cq *cq;
	unsigned long wanted;
};

static void *consume(void *arg)
{
	struct consumer *c = arg;
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc[4];

	while (atomic_load(&received) < c->wanted) {
		int n;

		if (rdmaev_loop_read(c->loop, &ev, 1, SOON_NS) != 1) {
			atomic_store(&failed, 1);
			break;
		}
		n = rdmaev_loop_poll_cq(c->loop, c->cq, 4, wc);
		if (n < 0)
			atomic_store(&failed, 1);
		atomic_fetch_add(&received, n > 0 ? n : 0);
	}
	return NULL;
}

/*
 * The next message is sent as soon as the last one was polled, which is when the
 * other thread arms the CQ and polls again. RDMAEV_ROUNDS sets their number.
 * Returns whether all completions have come.
 */
static int no_wakeup_is_lost(struct rdmaev_loop *loop, struct program *p, int default_rounds)
{
	const char *rounds = getenv("RDMAEV_ROUNDS");
	unsigned long i, n = rounds ? strtoul(rounds, NULL, 0) : default_rounds / slowness();
	struct consumer c = { loop, p->cq, 2 * n };
	pthread_t thread;

	if (pthread_create(&thread, NULL, consume, &c))
		return 0;
	for (i = 0; i < n && !atomic_load(&failed); i++) {
		while (atomic_load(&received) < 2 * i && !atomic_load(&failed))
			sched_yield();
		if (post_recv(p->qp[1]) || post_send(p->qp[0], 1))
			atomic_store(&failed, 1);
	}
	pthread_join(thread, NULL);
	fprintf(stderr, "# %lu rounds\n", i);
	return !atomic_load(&failed) && atomic_load(&received) == 2 * n;
}

TEST_F_TIMEOUT(cq, no_wakeup_is_lost, 600)
{
	EXPECT_TRUE(no_wakeup_is_lost(self->loop, &self->p, ROUNDS));
}

/* Messages have two completions each: by number, and some of them by time */
TEST_F_TIMEOUT(cq, no_wakeup_is_lost_moderated, 600)
{
	ASSERT_EQ(rdmaev_loop_moderate_cq(self->loop, self->p.cq, 2, 100), 0);
	EXPECT_TRUE(no_wakeup_is_lost(self->loop, &self->p, ROUNDS / 4));
}

TEST_F_TIMEOUT(cq, no_wakeup_is_lost_by_time, 600)
{
	ASSERT_EQ(rdmaev_loop_moderate_cq(self->loop, self->p.cq, 1000, 100), 0);
	EXPECT_TRUE(no_wakeup_is_lost(self->loop, &self->p, ROUNDS / 4));
}

TEST_HARNESS_MAIN
