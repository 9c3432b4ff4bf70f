// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events in a loop of librdmaev-verbs: rdmaev_gen raises them on
 * objects of this program, on soft RoCE.
 */
#include <pthread.h>
#include <stdatomic.h>

#include <rdmaev_verbs.h>

#include "common.h"
#include "kselftest_harness.h"
#include "../observe/program.h"

#define DEV "lev0"
#define UNKNOWN 200
#define SOON_NS (SOON_MS * 1000000LL)

static int raise_qp(uint32_t qpn, unsigned int event, unsigned int count)
{
	char text[128];

	snprintf(text, sizeof(text), DEV " qp %u %u %u", qpn, event, count);
	return put(GEN_RAISE, text);
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(pd, &attr);
}

FIXTURE(loop) {
	struct program p;
	struct rdmaev_loop *loop;
	int users[2];
};

FIXTURE_SETUP(loop)
{
	int i;

	ASSERT_EQ(load_owners(), 0);
	ASSERT_EQ(put(GEN_REPORT, "1"), 0);
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_TRUE(!access("/sys/class/infiniband/" DEV, F_OK) || !rxe_add(DEV));
	ASSERT_TRUE(program_begin(&self->p, DEV, 0));
	self->loop = rdmaev_loop_open(0);
	ASSERT_NE(self->loop, NULL);
	ASSERT_EQ(rdmaev_loop_add_context(self->loop, self->p.ctx, self), 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(rdmaev_loop_add_qp(self->loop, self->p.qp[i], &self->users[i]), 0);
}

/* Waits for ever if an event was not acknowledged. */
FIXTURE_TEARDOWN(loop)
{
	int i;

	for (i = 0; i < 2; i++)
		EXPECT_EQ(rdmaev_loop_remove(self->loop, self->p.qp[i]), 0);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, self->p.ctx), 0);
	rdmaev_loop_close(self->loop);
	program_end(&self->p);
}

/* QPs of this process that the kernel has */
static int qps_there(void)
{
	char line[64] = "";
	char text[128];
	FILE *f;

	snprintf(text, sizeof(text), "rdma resource show qp | grep -c 'pid %d '", getpid());
	f = popen(text, "r");
	if (!f || !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		pclose(f);
	return atoi(line);
}

static atomic_int destroyed;

static void *destroy_it(void *qp)
{
	ibv_destroy_qp(qp);
	atomic_store(&destroyed, 1);
	return NULL;
}

/* What the loop is for, with libibverbs alone: an event that is not acknowledged */
TEST_F(loop, plain_verbs_hang)
{
	struct ibv_qp *qp = create_qp(self->p.pd, self->p.cq);
	struct ibv_async_event event;
	pthread_t thread;
	int i;

	ASSERT_EQ(raise_qp(qp->qp_num, IBV_EVENT_COMM_EST, 1), 0);
	ASSERT_EQ(ibv_get_async_event(self->p.ctx, &event), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, destroy_it, qp), 0);
	for (i = 0; i < 1000 && qps_there() > 2; i++)
		sleep_ms(10);
	EXPECT_EQ(qps_there(), 2);
	/* The kernel has destroyed it, the call does not return. */
	sleep_ms(200);
	EXPECT_EQ(atomic_load(&destroyed), 0);
	ibv_ack_async_event(&event);
	pthread_join(thread, NULL);
	EXPECT_EQ(atomic_load(&destroyed), 1);
}

TEST_F(loop, each_event_of_a_qp)
{
	static const struct {
		unsigned int code;
		const char *name;
	} events[] = {
		{ IBV_EVENT_QP_FATAL, "QP_FATAL" },
		{ IBV_EVENT_QP_REQ_ERR, "QP_REQ_ERR" },
		{ IBV_EVENT_QP_ACCESS_ERR, "QP_ACCESS_ERR" },
		{ IBV_EVENT_COMM_EST, "COMM_EST" },
		{ IBV_EVENT_SQ_DRAINED, "SQ_DRAINED" },
		{ IBV_EVENT_PATH_MIG, "PATH_MIG" },
		{ IBV_EVENT_PATH_MIG_ERR, "PATH_MIG_ERR" },
		{ IBV_EVENT_QP_LAST_WQE_REACHED, "QP_LAST_WQE_REACHED" },
		/* Its acknowledgment is not that of libibverbs */
		{ UNKNOWN, NULL },
	};
	struct rdmaev_verbs_event ev[2];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		struct ibv_qp *qp = self->p.qp[i % 2];

		ASSERT_EQ(raise_qp(qp->qp_num, events[i].code, 1), 0);
		ASSERT_EQ(rdmaev_loop_read(self->loop, ev, 2, SOON_NS), 1);
		EXPECT_EQ(ev[0].type, RDMAEV_VERBS_ASYNC);
		EXPECT_EQ(ev[0].code, events[i].code);
		EXPECT_EQ(ev[0].object_type, RDMAEV_OBJECT_QP);
		EXPECT_EQ(ev[0].object, qp);
		EXPECT_EQ(ev[0].context, self->p.ctx);
		EXPECT_EQ(ev[0].user, &self->users[i % 2]);
		EXPECT_EQ(ev[0].number, qp->qp_num);
		EXPECT_EQ(ev[0].id, i + 1);
		EXPECT_EQ(qp->events_completed, i / 2 + 1);
		EXPECT_EQ(!ev[0].name, !events[i].name);
		if (events[i].name)
			EXPECT_STREQ(ev[0].name, events[i].name);
		EXPECT_EQ(!!(ev[0].flags & RDMAEV_VERBS_QP_STATE), i < 3 || i == 4 || i == 7);
		EXPECT_EQ(ev[0].qp_state, IBV_QPS_RESET);
		EXPECT_EQ(ev[0].record.seq, 0);
	}
	EXPECT_EQ(rdmaev_loop_read(self->loop, ev, 2, 0), 0);
	self->p.qp[0]->state = IBV_QPS_RTS;
	EXPECT_EQ(rdmaev_loop_qp_state(self->loop, self->p.qp[0]), IBV_QPS_RESET);
}

/* Of a QP that was not added: acknowledged and dropped */
TEST_F(loop, unknown_objects_do_not_hang)
{
	struct ibv_qp *qp = create_qp(self->p.pd, self->p.cq);
	struct rdmaev_verbs_event ev;

	ASSERT_EQ(raise_qp(qp->qp_num, IBV_EVENT_COMM_EST, 1000), 0);
	EXPECT_EQ(rdmaev_loop_read(self->loop, &ev, 1, 0), 0);
	EXPECT_EQ(qp->events_completed, 1000);
	EXPECT_EQ(ibv_destroy_qp(qp), 0);
}

TEST_F(loop, removed_objects_have_no_events)
{
	struct ibv_qp *qp = create_qp(self->p.pd, self->p.cq);
	struct rdmaev_verbs_event ev;

	ASSERT_EQ(rdmaev_loop_add_qp(self->loop, qp, NULL), 0);
	EXPECT_EQ(rdmaev_loop_add_qp(self->loop, qp, NULL), -1);
	EXPECT_EQ(errno, EEXIST);
	ASSERT_EQ(raise_qp(qp->qp_num, IBV_EVENT_COMM_EST, 3), 0);
	ASSERT_EQ(raise_qp(self->p.qp[0]->qp_num, IBV_EVENT_COMM_EST, 1), 0);
	/* All of them are queued */
	ASSERT_EQ(rdmaev_loop_read(self->loop, &ev, 1, SOON_NS), 1);
	EXPECT_EQ(ev.object, qp);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, qp), 0);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, qp), -1);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(ibv_destroy_qp(qp), 0);
	ASSERT_EQ(rdmaev_loop_read(self->loop, &ev, 1, SOON_NS), 1);
	EXPECT_EQ(ev.object, self->p.qp[0]);
	EXPECT_EQ(rdmaev_loop_read(self->loop, &ev, 1, 0), 0);
}

/* The event has its record, in the same call or as an event that names it. */
TEST_F(loop, records_are_joined)
{
	struct rdmaev *reader = rdmaev_open(NULL, RDMAEV_NONBLOCK);
	struct rdmaev_verbs_event ev[4] = { 0 };
	struct rdmaev_filter f;
	uint64_t seq;

	ASSERT_NE(reader, NULL);
	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	ASSERT_EQ(rdmaev_set_filter(reader, &f), 0);
	ASSERT_EQ(raise_qp(self->p.qp[1]->qp_num, IBV_EVENT_QP_ACCESS_ERR, 1), 0);
	/* The event first, without the reader; then its record */
	ASSERT_EQ(rdmaev_loop_read(self->loop, ev, 4, SOON_NS), 1);
	EXPECT_EQ(ev[0].record.seq, 0);
	ASSERT_EQ(rdmaev_loop_add_reader(self->loop, reader, self), 0);
	ASSERT_EQ(rdmaev_loop_read(self->loop, &ev[1], 3, SOON_NS), 1);
	EXPECT_EQ(ev[1].type, RDMAEV_VERBS_RECORD);
	EXPECT_EQ(ev[1].of, ev[0].id);
	EXPECT_EQ(ev[1].user, &self->users[1]);
	EXPECT_EQ(ev[1].object, self->p.qp[1]);
	seq = ev[1].record.seq;
	EXPECT_NE(seq, 0);
	/* Both at once */
	ASSERT_EQ(raise_qp(self->p.qp[0]->qp_num, IBV_EVENT_QP_FATAL, 1), 0);
	ASSERT_EQ(rdmaev_loop_read(self->loop, ev, 4, SOON_NS), 1);
	EXPECT_EQ(ev[0].type, RDMAEV_VERBS_ASYNC);
	EXPECT_EQ(ev[0].of, 0);
	EXPECT_GT(ev[0].record.seq, seq);
	EXPECT_EQ(ev[0].record.object, self->p.qp[0]->qp_num);
	EXPECT_EQ(ev[0].record.code, IBV_EVENT_QP_FATAL);
	EXPECT_EQ(rdmaev_loop_read(self->loop, ev, 4, 0), 0);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, reader), 0);
	rdmaev_close(reader);
}

/* QPs that one thread makes and destroys while another reads */
struct victim {
	atomic_ulong removed;	/* epoch when it was removed; 0: not yet */
};

#define VICTIMS 200
static struct victim victims[VICTIMS];
static atomic_ulong epoch = 1;
static atomic_ulong violations, delivered;
static atomic_int stop;

static void *read_all(void *arg)
{
	struct rdmaev_verbs_event ev[8];

	while (!atomic_load(&stop)) {
		unsigned long before = atomic_load(&epoch);
		ssize_t n = rdmaev_loop_read(arg, ev, 8, 10000000), i;

		for (i = 0; i < n; i++) {
			struct victim *v = ev[i].user;
			unsigned long removed = atomic_load(&v->removed);

			atomic_fetch_add(&delivered, 1);
			if (removed && removed <= before)
				atomic_fetch_add(&violations, 1);
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(loop, storms_and_destroys_in_two_threads, 300)
{
	unsigned int i, rounds = VICTIMS / slowness();
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, read_all, self->loop), 0);
	for (i = 0; i < rounds; i++) {
		struct ibv_qp *qp = create_qp(self->p.pd, self->p.cq);

		ASSERT_NE(qp, NULL);
		ASSERT_EQ(rdmaev_loop_add_qp(self->loop, qp, &victims[i]), 0);
		ASSERT_EQ(raise_qp(qp->qp_num, IBV_EVENT_COMM_EST, 300), 0);
		ASSERT_EQ(rdmaev_loop_remove(self->loop, qp), 0);
		atomic_store(&victims[i].removed, atomic_fetch_add(&epoch, 1) + 1);
		/* Hangs if an event is not acknowledged */
		ASSERT_EQ(ibv_destroy_qp(qp), 0);
	}
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	fprintf(stderr, "# %u QPs destroyed, %lu events returned before\n", rounds,
		atomic_load(&delivered));
	EXPECT_EQ(atomic_load(&violations), 0);
}

/*
 * A removed device ends a context in the same way, but the drivers of the tests
 * keep it until the program has closed it.
 */
TEST_F(loop, hangup_of_a_reader)
{
	struct rdmaev *reader = rdmaev_open(RDMAEV_NODE, RDMAEV_NONBLOCK);
	struct rdmaev_verbs_event ev;

	ASSERT_NE(reader, NULL);
	ASSERT_EQ(rdmaev_loop_add_reader(self->loop, reader, &ev), 0);
	/* It waits for the reader in vain */
	sh("rdmaev release >/dev/null 2>&1");
	ASSERT_EQ(rdmaev_loop_read(self->loop, &ev, 1, SOON_NS), 1);
	EXPECT_EQ(ev.type, RDMAEV_VERBS_HANGUP);
	EXPECT_EQ(ev.code, ENODEV);
	EXPECT_EQ(ev.user, &ev);
	EXPECT_EQ(ev.object, reader);
	/* Only once */
	EXPECT_EQ(rdmaev_loop_read(self->loop, &ev, 1, 0), 0);
	EXPECT_EQ(rdmaev_loop_remove(self->loop, reader), 0);
	rdmaev_close(reader);
}

TEST(arguments)
{
	struct rdmaev_loop *loop = rdmaev_loop_open(0);
	struct rdmaev_verbs_event ev;

	EXPECT_EQ(rdmaev_loop_open(1), NULL);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_loop_read(loop, &ev, 0, 0), -1);
	EXPECT_EQ(rdmaev_loop_read_sized(loop, &ev, sizeof(ev) - 1, 1, 0), -1);
	EXPECT_EQ(rdmaev_loop_read(loop, &ev, 1, 1000000), 0);
	EXPECT_TRUE(fcntl(rdmaev_loop_fd(loop), F_GETFD) & FD_CLOEXEC);
	rdmaev_loop_close(loop);
	rdmaev_loop_close(NULL);
}

TEST_HARNESS_MAIN
