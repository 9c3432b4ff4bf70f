/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Affiliated events of a program that uses libibverbs: rdmaev_gen raises
 * them on its objects. The program gets them as usual, and they are recorded
 * with the object, its queues and the process: by rdmaev_gen itself, or, if
 * OBSERVED is defined, by rdmaev_observe.
 */
#ifndef VERBS_EVENTS_H
#define VERBS_EVENTS_H

#include <pthread.h>
#include <sched.h>

#include "verbs_program.h"

#define UNKNOWN 200

/* The record of one of the objects, without the time */
static struct rdmaev_record expected(const struct numbers *n, unsigned int event,
				     unsigned int type, unsigned int severity)
{
	struct rdmaev_record rec = {
		.device = n->device,
		.generation = n->generation,
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_ASYNC,
		.code = event,
		.object_type = type,
		.severity = severity,
		.source = RDMAEV_SOURCE_OBSERVER,
		.ring = RDMAEV_RING_USER,
		.count = 1,
		.pid = getpid(),
		.device_name = DEV,
		.body.info = {
			.known = RDMAEV_KNOWN_OBJECT | RDMAEV_KNOWN_UID | RDMAEV_KNOWN_PID_NS |
				 RDMAEV_KNOWN_CGROUP,
			.cgroup = cgroup_of_test(),
			.owner = COMM,
		},
	};

	switch (type) {
	case RDMAEV_OBJECT_QP:
		rec.object = n->qp;
		rec.port = 1;
		rec.body.info.known |= RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ |
					RDMAEV_KNOWN_QP_TYPE;
		rec.body.info.qp_type = RDMAEV_QPT_RC;
		rec.body.async.queues.send_cq = n->send_cq;
		rec.body.async.queues.recv_cq = n->recv_cq;
		if (n->srq == NONE)
			break;
		rec.body.info.known |= RDMAEV_KNOWN_SRQ;
		rec.body.async.queues.srq = n->srq;
		break;
	case RDMAEV_OBJECT_CQ:
		rec.object = n->send_cq;
		break;
	default:
		rec.object = n->srq;
		break;
	}
	return rec;
}

/*
 * libibverbs takes an unknown event for one of a port. The kernel counts it for
 * the object, and ibv_ack_async_event() does not: destroying the object would
 * wait for ever.
 */
static int is_about(const struct ibv_async_event *event, const void *object)
{
	if (event->event_type == UNKNOWN)
		return event->element.port_num == (int)(uintptr_t)object;
	return event->element.qp == object;
}

static void ack(struct ibv_async_event *event, struct ibv_qp *qp)
{
	if (event->event_type != UNKNOWN)
		ibv_ack_async_event(event);
	else
		qp->events_completed++;
}

static const struct {
	unsigned int event;
	unsigned int type;
	unsigned int severity;
} events[] = {
	{ IBV_EVENT_CQ_ERR, RDMAEV_OBJECT_CQ, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_QP_FATAL, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_QP_REQ_ERR, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_QP_ACCESS_ERR, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_COMM_EST, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_INFO },
	{ IBV_EVENT_SQ_DRAINED, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_INFO },
	{ IBV_EVENT_PATH_MIG, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_INFO },
	{ IBV_EVENT_PATH_MIG_ERR, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_SRQ_ERR, RDMAEV_OBJECT_SRQ, RDMAEV_SEVERITY_ERROR },
	{ IBV_EVENT_SRQ_LIMIT_REACHED, RDMAEV_OBJECT_SRQ, RDMAEV_SEVERITY_INFO },
	{ IBV_EVENT_QP_LAST_WQE_REACHED, RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_INFO },
};

static const char *type_name(unsigned int type)
{
	return type == RDMAEV_OBJECT_QP ? "qp" : type == RDMAEV_OBJECT_CQ ? "cq" : "srq";
}

TEST_F_TIMEOUT(verbs, each_event, 120)
{
	struct ibv_async_event event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		struct rdmaev_record rec, want = expected(&self->n, events[i].event,
							  events[i].type,
							  events[i].severity);
		const void *object = events[i].type == RDMAEV_OBJECT_QP ? (void *)self->qp :
				     events[i].type == RDMAEV_OBJECT_CQ ? (void *)self->send_cq :
				     self->srq;

		/* Unknown, see srqs_have_numbers() */
		if (object == self->srq && self->n.srq == NONE) {
			EXPECT_EQ(raise_event("srq", 1, events[i].event, 1), -EOPNOTSUPP);
			continue;
		}
		ASSERT_EQ(raise_event(type_name(events[i].type), want.object,
				      events[i].event, 1), 0);
		ASSERT_EQ(ibv_get_async_event(self->ctx, &event), 0);
		EXPECT_EQ(event.event_type, events[i].event);
		EXPECT_TRUE(is_about(&event, object));
		ack(&event, self->qp);

		ASSERT_NE(next(self->fd, &rec), 0)
			TH_LOG("event %u", events[i].event);
		/* Causes are tested below. */
		rec.cause = 0;
		EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0)
			TH_LOG("event %u", events[i].event);
		EXPECT_EQ(next(self->fd, &rec), 0)
			TH_LOG("event %u, then %u", events[i].event, rec.code);
		EXPECT_EQ(ibv_get_async_event(self->ctx, &event), -1);
	}
}

TEST_F_TIMEOUT(verbs, without_srq, 120)
{
	struct rdmaev_record rec, want = expected(&self->n, IBV_EVENT_COMM_EST,
						  RDMAEV_OBJECT_QP, RDMAEV_SEVERITY_INFO);
	struct ibv_async_event event;

	want.object = self->plain->qp_num;
	want.body.info.known &= ~RDMAEV_KNOWN_SRQ;
	want.body.async.queues.srq = 0;
	want.body.async.queues.send_cq = self->idle_cqn;
	want.body.async.queues.recv_cq = self->idle_cqn;
	ASSERT_EQ(raise_event("qp", self->plain->qp_num, IBV_EVENT_COMM_EST, 1), 0);
	ASSERT_NE(next(self->fd, &rec), 0);
	EXPECT_EQ(memcmp(&rec, &want, sizeof(rec)), 0);
	ASSERT_EQ(ibv_get_async_event(self->ctx, &event), 0);
	EXPECT_EQ(event.element.qp, self->plain);
	ibv_ack_async_event(&event);
}

TEST_F_TIMEOUT(verbs, many, 120)
{
	struct ibv_async_event event;
	struct rdmaev_record rec;
	unsigned int n = 0;

	if (self->n.srq == NONE)
		SKIP(return, "this kernel keeps no list of SRQs");
	ASSERT_EQ(raise_event("srq", self->n.srq, IBV_EVENT_SRQ_LIMIT_REACHED, 500), 0);
	while (!ibv_get_async_event(self->ctx, &event)) {
		n += event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED &&
		     event.element.srq == self->srq;
		ibv_ack_async_event(&event);
	}
	EXPECT_EQ(n, 500);
	for (n = 0; next(self->fd, &rec); n++)
		EXPECT_EQ(rec.code, IBV_EVENT_SRQ_LIMIT_REACHED);
	EXPECT_EQ(n, 500);
}

/* Ignore the records: the test is about something else. */
static void take(struct ibv_context *ctx)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(ctx, &event))
		ibv_ack_async_event(&event);
}

/*
 * QP_FATAL follows from the error of a CQ or SRQ of the QP, and
 * LAST_WQE_REACHED from QP_FATAL.
 */
TEST_F_TIMEOUT(verbs, causes, 120)
{
	const struct {
		const char *type;
		unsigned int number, event;
	} errors[] = {
		{ "cq", self->n.send_cq, IBV_EVENT_CQ_ERR },
		{ "cq", self->n.recv_cq, IBV_EVENT_CQ_ERR },
		{ "srq", self->n.srq, IBV_EVENT_SRQ_ERR },
	};
	struct rdmaev_record rec;
	uint64_t error, fatal;
	unsigned int i;

	/* Fields known before anything fails */
	ASSERT_EQ(raise_event("qp", self->qp->qp_num, 0, 0), 0);
	ASSERT_EQ(raise_event("qp", self->plain->qp_num, 0, 0), 0);
	EXPECT_EQ(next(self->fd, &rec), 0);

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		if (errors[i].number == NONE)
			continue;
		ASSERT_EQ(raise_event(errors[i].type, errors[i].number, errors[i].event, 1), 0);
		error = next(self->fd, &rec);
		ASSERT_NE(error, 0);
		EXPECT_EQ(rec.object, errors[i].number);
		EXPECT_EQ(rec.cause, 0);
		ASSERT_EQ(raise_event("qp", self->qp->qp_num, IBV_EVENT_QP_FATAL, 1), 0);
		fatal = next(self->fd, &rec);
		ASSERT_NE(fatal, 0);
		EXPECT_EQ(rec.cause, error);
		ASSERT_EQ(raise_event("qp", self->qp->qp_num,
				      IBV_EVENT_QP_LAST_WQE_REACHED, 1), 0);
		ASSERT_NE(next(self->fd, &rec), 0);
		EXPECT_EQ(rec.cause, fatal);
		/* Nothing is recorded about the other QP. */
		ASSERT_EQ(raise_event("qp", self->plain->qp_num, IBV_EVENT_QP_FATAL, 1), 0);
		ASSERT_NE(next(self->fd, &rec), 0);
		EXPECT_EQ(rec.cause, 0);
	}
	take(self->ctx);
}

/* The handler is called, and the observer sees it. */
TEST_F_TIMEOUT(verbs, of_the_kernel, 120)
{
	struct rdmaev_record rec;
#ifdef OBSERVED
	int i;
#endif

	ASSERT_EQ(sh("dmesg -C"), 0);
#ifdef OBSERVED
	/* A work hooks the handler after the first QP was created. */
	for (i = 0; i < 600 && !next(self->fd, &rec); i++) {
		usleep(i ? 100000 : 0);
		ASSERT_EQ(raise_event("qp", mad_qp(), IBV_EVENT_COMM_EST, 1), 0);
	}
#else
	ASSERT_EQ(raise_event("qp", mad_qp(), IBV_EVENT_COMM_EST, 1), 0);
#endif
	EXPECT_EQ(sh("dmesg | grep -qF 'Fatal error (%d) on MAD QP (1)'", IBV_EVENT_COMM_EST), 0);
#ifdef OBSERVED
	EXPECT_EQ(rec.code, IBV_EVENT_COMM_EST);
	EXPECT_EQ(rec.source, RDMAEV_SOURCE_OBSERVER);
	EXPECT_EQ(rec.object, 1);
	EXPECT_EQ(rec.pid, 0);
	EXPECT_STREQ(rec.body.info.owner, "ib_core");
#endif
	EXPECT_EQ(next(self->fd, &rec), 0);
	EXPECT_EQ(read(self->ctx->async_fd, &rec, sizeof(rec)), -1);
}

TEST_F_TIMEOUT(verbs, refused, 120)
{
	struct rdmaev_record rec;

	EXPECT_EQ(raise_event("qp", 0xabcdef, IBV_EVENT_COMM_EST, 1), -ENOENT);
	EXPECT_EQ(raise_event("cq", 0xabcdef, IBV_EVENT_CQ_ERR, 1), -ENOENT);
	EXPECT_EQ(raise_event("wq", 1, IBV_EVENT_WQ_FATAL, 1), -EOPNOTSUPP);
	EXPECT_NE(sh("echo no-such-device qp 1 4 2>/dev/null >" GEN_RAISE), 0);
	EXPECT_EQ(next(self->fd, &rec), 0);
	EXPECT_EQ(read(self->ctx->async_fd, &rec, sizeof(rec)), -1);
}

/* The history of a device is removed with it. */
TEST_F_TIMEOUT(verbs, device_gone, 120)
{
	ASSERT_TRUE(ready());
	ASSERT_EQ(rxe_add("inj1"), 0);
	EXPECT_EQ(sh("echo inj1 qp %u 4 0 >" GEN_RAISE, mad_qp()), 0);
	EXPECT_EQ(put(GEN_REPORT, "0"), 0);
	ASSERT_TRUE(ready());
	EXPECT_EQ(sh("echo inj1 qp %u 4 0 >" GEN_RAISE, mad_qp()), 0);
	ASSERT_EQ(rxe_del("inj1"), 0);
	EXPECT_NE(sh("echo inj1 qp %u 4 0 2>/dev/null >" GEN_RAISE, mad_qp()), 0);
}

struct storm {
	unsigned int number;
	unsigned int raised;
	int ret;
};

static void *storm_fn(void *arg)
{
	struct storm *s = arg;

	for (;;) {
		s->ret = raise_event("qp", s->number, IBV_EVENT_COMM_EST, 10);
		if (s->ret)
			return NULL;
		__atomic_add_fetch(&s->raised, 10, __ATOMIC_RELAXED);
	}
}

/*
 * A QP is destroyed while events of it are raised: each has a record, then
 * none.
 */
TEST_F_TIMEOUT(verbs, destroyed_meanwhile, 120)
{
	struct storm s = { .number = self->qp->qp_num };
	struct rdmaev_info info;
	unsigned int seen = 0, i;
	struct rdmaev_record rec;
	pthread_t thread;

	if (kernel_version() < KERNEL(5, 11))
		SKIP(return, "this kernel destroys a QP that rdmaev_gen uses");
	ASSERT_EQ(pthread_create(&thread, NULL, storm_fn, &s), 0);
	for (i = 0; i < SOON_MS / 50 && !__atomic_load_n(&s.raised, __ATOMIC_RELAXED); i++)
		sleep_ms(50);
	take(self->ctx);
	ASSERT_EQ(ibv_destroy_qp(self->qp), 0);
	self->qp = NULL;
	pthread_join(thread, NULL);
	EXPECT_EQ(s.ret, -ENOENT);
	EXPECT_GT(s.raised, 0);
	while (next(self->fd, &rec))
		seen += rec.kind == RDMAEV_KIND_ASYNC;
	info = get_info(self->fd);
	EXPECT_EQ(seen + info.lost, s.raised);
}

/*
 * Process 1 of a pid namespace, with its own QP: writes its number to @out, and
 * reads when @in says so. Exits with the step that failed.
 */
static int process_1(int in, int out)
{
	struct rdmaev_filter f = filter_all();
	struct ibv_context *ctx = open_context();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 7, NULL, NULL, 0);
	struct ibv_qp *qp = create_qp(pd, cq, cq, NULL);
	struct rdmaev_record rec;
	int fd = open_node(O_NONBLOCK);
	char go;

	f.object_types = 1U << RDMAEV_OBJECT_QP;
	if (!qp || getpid() != 1 || ioctl(fd, RDMAEV_IOC_FILTER, &f))
		return 1;
	if (write(out, &qp->qp_num, sizeof(qp->qp_num)) != sizeof(qp->qp_num) ||
	    read(in, &go, 1) != 1)
		return 2;
	if (!next(fd, &rec) || rec.object != qp->qp_num || rec.pid != 1)
		return 3;
	/* Of a process outside of this pid namespace */
	if (!next(fd, &rec) || rec.object == qp->qp_num || rec.pid != 0)
		return 4;
	f.flags = RDMAEV_FILTER_PID;
	f.pid = 1;
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, -2, SEEK_END) < 0)
		return 5;
	if (!next(fd, &rec) || rec.object != qp->qp_num || next(fd, &rec))
		return 6;
	/*
	 * A pid that does not exist matches no record, not even those of
	 * unknown owner
	 */
	if (gen("process", DEV, IBV_EVENT_COMM_EST, 1, 1) != 1)
		return 7;
	f.pid = 4321;
	if (ioctl(fd, RDMAEV_IOC_FILTER, &f) || lseek(fd, -3, SEEK_END) < 0)
		return 7;
	return next(fd, &rec) ? 8 : 0;
}

TEST_F_TIMEOUT(verbs, pid_namespace, 120)
{
	struct ibv_async_event event;
	struct rdmaev_record rec;
	int down[2], up[2], status;
	uint32_t qpn;
	pid_t child;

	ASSERT_EQ(pipe(down) || pipe(up), 0);
	ASSERT_EQ(unshare(CLONE_NEWPID), 0);
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(process_1(down[0], up[1]));
	ASSERT_EQ(read(up[0], &qpn, sizeof(qpn)), sizeof(qpn));
	ASSERT_EQ(raise_event("qp", qpn, IBV_EVENT_COMM_EST, 1), 0);
	ASSERT_EQ(raise_event("qp", self->plain->qp_num, IBV_EVENT_COMM_EST, 1), 0);
	ASSERT_EQ(write(down[1], "", 1), 1);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0)
		TH_LOG("failed step: %d", WEXITSTATUS(status));

	ASSERT_NE(next(self->fd, &rec), 0);
	EXPECT_EQ(rec.object, qpn);
	EXPECT_EQ(rec.pid, child);
	ASSERT_NE(next(self->fd, &rec), 0);
	EXPECT_EQ(rec.object, self->plain->qp_num);
	EXPECT_EQ(rec.pid, getpid());
	ASSERT_EQ(ibv_get_async_event(self->ctx, &event), 0);
	ibv_ack_async_event(&event);
}

TEST_HARNESS_MAIN

#endif /* VERBS_EVENTS_H */
