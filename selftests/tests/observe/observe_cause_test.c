// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Causes belong to owners: nothing that a user does, or claims, is the cause of a
 * record about an object of another user or of the kernel, or takes its cause away.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "program.h"
#include "ucm.h"
#include "victim.h"

#define DEV "obs0"
#define ADDRESS "10.9.7.1"

/* More CQs, with an error each, than there are entries for those of users */
#define CQS 1100

/* A number that soft RoCE gives to its last QP */
#define NOBODYS_QP 0x1ffff

/* The error of a queue is a cause for so long */
#define QUEUE_NS 5000000000ULL

FIXTURE(cause) {
	struct program p;
	int fd;
};

FIXTURE_SETUP(cause)
{
	ASSERT_TRUE(victim_ready(DEV, ADDRESS));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(program_begin(&self->p, DEV, 0));
}

FIXTURE_TEARDOWN(cause)
{
	program_end(&self->p);
	close(self->fd);
	rxe_del(DEV);
}

/* The newest record with this kind and code from the position on, with seq 0 if none */
static struct rdmaev_record newest(int fd, unsigned int kind, unsigned int code)
{
	struct rdmaev_record rec, found = {};

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == kind && rec.code == code)
			found = rec;
	}
	return found;
}

TEST_F_TIMEOUT(cause, claimed, 60)
{
	struct rdmaev_record rejected, moved;

	ASSERT_EQ(to_init(self->p.qp[0]), 0);
	ASSERT_EQ(to_init(self->p.qp[1]), 0);
	ASSERT_EQ(refused(ADDRESS, 60100, self->p.qp[0]->qp_num, 1), 0);
	rejected = newest(self->fd, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED);
	ASSERT_GT(rejected.seq, 0);
	ASSERT_EQ(rejected.body.info.uid, 60100);
	EXPECT_FALSE(rejected.body.info.known & RDMAEV_KNOWN_OBJECT);
	EXPECT_EQ(rejected.object, 0);
	ASSERT_EQ(move(self->p.qp[0], IBV_QPS_ERR), 0);
	moved = newest(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_ERR);
	ASSERT_EQ(moved.object, self->p.qp[0]->qp_num);
	EXPECT_EQ(moved.cause, 0);

	/* So is one of the owner, about a QP that is not there. */
	ASSERT_EQ(refused(ADDRESS, 0, NOBODYS_QP, 1), 0);
	rejected = newest(self->fd, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED);
	ASSERT_GT(rejected.seq, 0);
	EXPECT_FALSE(rejected.body.info.known & RDMAEV_KNOWN_OBJECT);

	/* Of the same owner it is. */
	ASSERT_EQ(refused(ADDRESS, 0, self->p.qp[1]->qp_num, 1), 0);
	rejected = newest(self->fd, RDMAEV_KIND_CM, RDMAEV_CM_REJECTED);
	ASSERT_EQ(rejected.object, self->p.qp[1]->qp_num);
	EXPECT_TRUE(rejected.body.info.known & RDMAEV_KNOWN_CLAIMED);
	ASSERT_EQ(move(self->p.qp[1], IBV_QPS_ERR), 0);
	moved = newest(self->fd, RDMAEV_KIND_QP, RDMAEV_QP_ERR);
	ASSERT_EQ(moved.object, self->p.qp[1]->qp_num);
	EXPECT_EQ(moved.cause, rejected.seq);
}

/* One that moves no QP: rdmaev has only its events, and its end. */
static int observe_without_states(void)
{
	return sh("rmmod rdmaev_observe && "
		  "insmod $RDMAEV_TOP/kmod/rdmaev_observe.ko states=0 && "
		  "modprobe siw && ip link add name siw_d type dummy && ip link set siw_d up && "
		  "rdma link add siw0 type siw netdev siw_d");
}

static int raise_qp_event(const struct program *p, int i, unsigned int event)
{
	char text[64];

	snprintf(text, sizeof(text), "siw0 qp %u %u", p->qp[i]->qp_num, event);
	return put(GEN_RAISE, text);
}

FIXTURE(without_states) {
	struct program p;
	int fd;
};

FIXTURE_SETUP(without_states)
{
	ASSERT_TRUE(victim_ready(DEV, ADDRESS));
	ASSERT_EQ(observe_without_states(), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(program_begin(&self->p, "siw0", 0));
}

FIXTURE_TEARDOWN(without_states)
{
	program_end(&self->p);
	close(self->fd);
	EXPECT_EQ(sh("rdma link del siw0; ip link del siw_d; rmmod rdmaev_observe"), 0);
	rxe_del(DEV);
}

/* A QP that gets the number of one that failed has not failed. */
TEST_F_TIMEOUT(without_states, reused, 60)
{
	uint32_t qpn = self->p.qp[0]->qp_num;
	struct rdmaev_record failed, last;

	/* The second shows that one follows from the other, which is so once. */
	ASSERT_EQ(raise_qp_event(&self->p, 0, RDMAEV_ASYNC_QP_FATAL), 0);
	ASSERT_EQ(raise_qp_event(&self->p, 1, RDMAEV_ASYNC_QP_FATAL), 0);
	failed = newest(self->fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL);
	ASSERT_EQ(failed.object, self->p.qp[1]->qp_num);
	ASSERT_EQ(raise_qp_event(&self->p, 1, RDMAEV_ASYNC_QP_LAST_WQE_REACHED), 0);
	last = newest(self->fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_LAST_WQE_REACHED);
	ASSERT_EQ(last.object, self->p.qp[1]->qp_num);
	EXPECT_EQ(last.cause, failed.seq);
	program_end(&self->p);

	ASSERT_TRUE(program_begin(&self->p, "siw0", 0));
	ASSERT_EQ(self->p.qp[0]->qp_num, qpn);
	ASSERT_EQ(raise_qp_event(&self->p, 0, RDMAEV_ASYNC_QP_LAST_WQE_REACHED), 0);
	last = newest(self->fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_LAST_WQE_REACHED);
	ASSERT_EQ(last.object, qpn);
	EXPECT_EQ(last.cause, 0);
}

/*
 * More errors of queues of a process than there are entries evict none of the kernel,
 * and none of another user.
 */
TEST_F_TIMEOUT(cause, overflows, 120)
{
	struct rdmaev_record error, fatal, other, follows;
	struct victim victim = victim_begin(DEV, 60103);
	unsigned int number[CQS];
	struct ibv_cq *cq[CQS];
	int i, fd;

	ASSERT_GE(victim.fd, 0);
	for (i = 0; i < CQS; i++) {
		cq[i] = ibv_create_cq(self->p.ctx, 1, NULL, NULL, 0);
		ASSERT_TRUE(cq[i]);
	}
	ASSERT_EQ(cqs_of(DEV, getpid(), number, CQS), CQS);
	ASSERT_TRUE(ulp_begin());
	ASSERT_EQ(param("burst_ms", 0), 0);
	fd = open_node(O_NONBLOCK);
	ASSERT_GE(fd, 0);
	do {
		ASSERT_EQ(ulp_raise("cq", RDMAEV_ASYNC_CQ_ERR), 0);
		error = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_CQ_ERR);
		ASSERT_EQ(error.ring, RDMAEV_RING_ERROR);
		ASSERT_EQ(victim_raise(&victim, "cq", RDMAEV_ASYNC_CQ_ERR), 0);
		other = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_CQ_ERR);
		ASSERT_EQ(other.body.info.uid, 60103);
		for (i = 0; i < CQS; i++)
			ASSERT_EQ(raise_event(GEN_RAISE, DEV " cq", number[i],
					      RDMAEV_ASYNC_CQ_ERR), 0);
		ASSERT_EQ(ulp_raise("qp", RDMAEV_ASYNC_QP_FATAL), 0);
		fatal = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL);
		ASSERT_NE(fatal.seq, 0);
		ASSERT_EQ(victim_raise(&victim, "qp", RDMAEV_ASYNC_QP_FATAL), 0);
		follows = newest(fd, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_QP_FATAL);
		ASSERT_EQ(follows.object, victim.qpn);
		/* On a machine that is too slow for it, once more */
	} while (follows.boottime_ns - error.boottime_ns >= QUEUE_NS);
	EXPECT_EQ(fatal.cause, error.seq);
	EXPECT_EQ(follows.cause, other.seq);
	EXPECT_EQ(victim_end(&victim), 0);
	EXPECT_EQ(param("burst_ms", 1000), 0);
	EXPECT_TRUE(ulp_end());
	for (i = 0; i < CQS; i++)
		ibv_destroy_cq(cq[i]);
	close(fd);
}

TEST_HARNESS_MAIN
