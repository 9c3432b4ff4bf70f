// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of programs that do not know rdmaev: their notifications are counted
 * exactly, whoever traces the same functions.
 */
#include <poll.h>
#include <pthread.h>

#include "common.h"
#include "kselftest_harness.h"
#include "bpf.h"
#include "cq.h"
#include "program.h"

#define DEV "obs0"
#define FTRACE "/proc/sys/kernel/ftrace_enabled"
#define TRACING "/sys/kernel/tracing/"

/* CQs of programs */
FIXTURE(user) {
	int fd;
	struct rdmaev_device dev;
};

FIXTURE_SETUP(user)
{
	ASSERT_EQ(load_observer("polls=1"), 0);
	if (access("/sys/class/infiniband/" DEV, F_OK))
		ASSERT_EQ(rxe_add(DEV), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, DEV, &self->dev));
}

FIXTURE_TEARDOWN(user)
{
	close(self->fd);
	/* If a test has failed before it has done this */
	put(FTRACE, "1");
	put(TRACING "current_tracer", "nop");
}

/* CQs of a process */
static int find_own(int fd, uint32_t device, uint32_t pid, struct rdmaev_cq_stats *found,
		    int room)
{
	static struct rdmaev_cq_stats list[512];
	int i, n = read_cqs(fd, 0, device, 0, list, 512, NULL), count = 0;

	for (i = 0; i < n && i < 512; i++) {
		if (list[i].pid == pid && list[i].flags & RDMAEV_CQ_USER && count < room)
			found[count++] = list[i];
	}
	return count;
}

/*
 * A thread that sends, and waits for each completion, @rounds times, or, if that is 0,
 * until @stop
 */
struct sender {
	pthread_t thread;
	struct program p;
	unsigned int rounds;
	int stop;
	uint64_t events;
	int ok;
};

static int send_one(struct program *p)
{
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_send_wr send = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad_send;

	return !ibv_post_recv(p->qp[1], &recv, &bad_recv) &&
	       !ibv_post_send(p->qp[0], &send, &bad_send);
}

/* Take the notifications that there are. */
static void read_events(struct sender *s)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(s->p.channel, &cq, &context)) {
		__atomic_fetch_add(&s->events, 1, __ATOMIC_RELAXED);
		ibv_ack_cq_events(cq, 1);
	}
}

static void *sender(void *arg)
{
	struct sender *s = arg;
	struct pollfd pfd = { .fd = s->p.channel->fd, .events = POLLIN };
	struct ibv_wc wc[4];
	unsigned int i;
	int n, k;

	fcntl(pfd.fd, F_SETFL, O_NONBLOCK);
	for (i = 0; s->rounds ? i < s->rounds : !__atomic_load_n(&s->stop, __ATOMIC_RELAXED);
	     i++) {
		int left = 2;

		/* The first one is notified of. */
		if (ibv_req_notify_cq(s->p.cq, 0) || !send_one(&s->p))
			return NULL;
		while (left) {
			n = ibv_poll_cq(s->p.cq, 4, wc);
			for (k = 0; k < n; k++) {
				if (wc[k].status)
					return NULL;
			}
			left -= n;
			if (!n && ibv_req_notify_cq(s->p.cq, 0))
				return NULL;
			/* Soft RoCE may miss a completion between both. */
			if (!n)
				poll(&pfd, 1, 100);
			read_events(s);
		}
	}
	s->ok = 1;
	return NULL;
}

/*
 * Take the notifications of @n senders until as many were taken as are counted: a
 * completion that was polled may be notified a moment later. Returns the number of CQs,
 * and @stats as of then, or after half a minute.
 */
static int take_counted(int fd, uint32_t device, struct sender *s, int n,
			struct rdmaev_cq_stats *stats, int room)
{
	uint64_t end = now_ms() + 30000 * slowness(), events, counted;
	int i, cqs;

	do {
		sleep_ms(200);
		events = 0;
		counted = 0;
		for (i = 0; i < n; i++) {
			read_events(&s[i]);
			events += s[i].events;
		}
		cqs = find_own(fd, device, getpid(), stats, room);
		for (i = 0; i < cqs; i++)
			counted += stats[i].notifications;
	} while ((cqs != n || counted != events) && now_ms() < end);
	return cqs;
}

static int connected(struct program *p)
{
	return program_begin(p, DEV, 1) && !connect_to(p->qp[0], p->qp[1]->qp_num, &p->gid) &&
	       !connect_to(p->qp[1], p->qp[0]->qp_num, &p->gid);
}

#define SENDERS	2
#define ROUNDS	(4000 / slowness())

TEST_F_TIMEOUT(user, notifications, 120)
{
	struct rdmaev_cq_stats stats[SENDERS + 1];
	struct sender s[SENDERS] = {};
	uint64_t events = 0, counted = 0;
	int i;

	for (i = 0; i < SENDERS; i++) {
		s[i].rounds = ROUNDS;
		ASSERT_TRUE(connected(&s[i].p));
	}
	for (i = 0; i < SENDERS; i++)
		ASSERT_EQ(pthread_create(&s[i].thread, NULL, sender, &s[i]), 0);
	for (i = 0; i < SENDERS; i++) {
		pthread_join(s[i].thread, NULL);
		ASSERT_TRUE(s[i].ok);
	}
	ASSERT_EQ(take_counted(self->fd, self->dev.index, s, SENDERS, stats, SENDERS + 1), SENDERS);
	for (i = 0; i < SENDERS; i++) {
		events += s[i].events;
		EXPECT_EQ(stats[i].flags,
			  RDMAEV_CQ_NUMBERED | RDMAEV_CQ_OBSERVED | RDMAEV_CQ_USER);
		EXPECT_STREQ(stats[i].owner, "observe_cq_test");
		EXPECT_EQ(stats[i].uid, getuid());
		EXPECT_GE(stats[i].cqe, 15);
		EXPECT_EQ(stats[i].polls, 0);
		EXPECT_EQ(successes(&stats[i]), 0);
		EXPECT_TRUE(stats[i].notifications == s[0].events ||
			    stats[i].notifications == s[1].events);
		counted += stats[i].notifications;
	}
	EXPECT_GT(events, 0);
	EXPECT_EQ(counted, events);
	for (i = 0; i < SENDERS; i++)
		program_end(&s[i].p);
	EXPECT_EQ(find_own(self->fd, self->dev.index, getpid(), stats, 1), 0);
}

/* Runs in a process without privileges: is its CQ all that it sees? */
static int sees_own(uint32_t device, uint32_t of_root)
{
	struct rdmaev_cq_stats list[8];
	struct sender s = { .rounds = 3 };
	int fd, n, i, own = 0;

	if (setgid(65534) || setuid(65534) || !connected(&s.p))
		return 10;
	sender(&s);
	fd = open(NODE, O_RDONLY | O_NONBLOCK);
	if (fd < 0 || !s.ok)
		return 11;
	n = read_cqs(fd, 0, device, 0, list, 8, NULL);
	for (i = 0; i < n; i++) {
		if (list[i].pid == of_root)
			return 12;
		own += list[i].pid == (uint32_t)getpid() && list[i].uid == 65534;
		/* That is, nothing of how many CQs others have created */
		if (list[i].id != list[i].since_ns / 1000)
			return 14;
	}
	return n == 1 && own == 1 ? 0 : 13;
}

TEST_F(user, of_another_user)
{
	struct rdmaev_cq_stats stats[2];
	struct sender s = { .rounds = 3 };
	int status;
	pid_t pid;

	ASSERT_TRUE(connected(&s.p));
	sender(&s);
	ASSERT_TRUE(s.ok);
	EXPECT_EQ(find_own(self->fd, self->dev.index, getpid(), stats, 2), 1);
	pid = fork();
	if (!pid)
		_exit(sees_own(self->dev.index, getppid()));
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	/* Nothing is left of it. */
	EXPECT_EQ(find_own(self->fd, self->dev.index, pid, stats, 2), 0);
	program_end(&s.p);
}

/* More than the stock, one after the other and at a time */
TEST_F_TIMEOUT(user, many, 120)
{
	static struct rdmaev_cq_stats stats[301];
	static struct sender s[300];
	unsigned int i, n = ARRAY_SIZE(s) / slowness();

	for (i = 0; i < n; i++) {
		s[i].rounds = 1;
		ASSERT_TRUE(connected(&s[i].p));
		sender(&s[i]);
		ASSERT_TRUE(s[i].ok);
	}
	EXPECT_EQ((unsigned int)take_counted(self->fd, self->dev.index, s, n, stats,
					     ARRAY_SIZE(stats)), n);
	for (i = 0; i < n; i++)
		program_end(&s[i].p);
	EXPECT_EQ(find_own(self->fd, self->dev.index, getpid(), stats, 1), 0);
}

#define GUSTS	100
#define STORM	(10000 / slowness())

/* A storm of notifications costs counters only: no record, and no memory. */
TEST_F_TIMEOUT(user, storm, 120)
{
	struct sender s = { .rounds = 1 };
	struct rdmaev_cq_stats before, after;
	struct rdmaev_record rec;
	unsigned int records = 0, i;

	ASSERT_TRUE(connected(&s.p));
	sender(&s);
	ASSERT_TRUE(s.ok);
	ASSERT_EQ(take_counted(self->fd, self->dev.index, &s, 1, &before, 1), 1);
	s.events = 0;
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		;
	for (i = 0; i < GUSTS; i++) {
		ASSERT_EQ(sh("echo " DEV " comp %u 0 %u >" GEN_RAISE, before.cq, STORM), 0);
		read_events(&s);
	}
	ASSERT_EQ(find_own(self->fd, self->dev.index, getpid(), &after, 1), 1);
	EXPECT_EQ(s.events, GUSTS * STORM);
	EXPECT_EQ(after.notifications - before.notifications, s.events);
	/* How many QPs of the test before were not asked for their state is recorded later. */
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec))
		records += rec.source == RDMAEV_SOURCE_OBSERVER &&
			   (rec.kind != RDMAEV_KIND_OBSERVER ||
			    rec.body.observer.facts != RDMAEV_OBSERVED_QP_ENDS);
	EXPECT_EQ(records, 0);
	program_end(&s.p);
}

#define HANDLER "ib_uverbs_comp_handler"

/* Wait until the senders have got more notifications. */
static int go_on(struct sender *s, unsigned int more)
{
	uint64_t end = now_ms() + 30000 * slowness(), until[SENDERS];
	int i;

	for (i = 0; i < SENDERS; i++)
		until[i] = __atomic_load_n(&s[i].events, __ATOMIC_RELAXED) + more;
	for (i = 0; i < SENDERS; i++) {
		while (__atomic_load_n(&s[i].events, __ATOMIC_RELAXED) < until[i]) {
			if (now_ms() > end)
				return 0;
			sleep_ms(1);
		}
	}
	return 1;
}

/* True if a tracer, or no tracer, was begun, the senders went on, and it saw them */
static int traces(struct sender *s, const char *tracer)
{
	return !put(TRACING "trace", "") && !put(TRACING "current_tracer", tracer) &&
	       go_on(s, 20) &&
	       (!strcmp(tracer, "nop") || !sh("grep -q " HANDLER " " TRACING "trace"));
}

static int has_tracer(const char *tracer)
{
	return !sh("grep -qw %s " TRACING "available_tracers", tracer);
}

/* Likewise with kprobe events on the same function, and on its return */
static int probes(struct sender *s, int on)
{
	if (on)
		return !put(TRACING "trace", "") &&
		       !sh("echo p:rdmaev_p " HANDLER " >" TRACING "kprobe_events &&"
			   "echo r:rdmaev_r " HANDLER " >>" TRACING "kprobe_events") &&
		       !put(TRACING "events/kprobes/enable", "1") && go_on(s, 20) &&
		       !sh("grep -q rdmaev_p: " TRACING "trace") &&
		       !sh("grep -q rdmaev_r: " TRACING "trace");
	return !put(TRACING "events/kprobes/enable", "0") && go_on(s, 20) &&
	       !sh("echo >" TRACING "kprobe_events");
}

/* Others trace the same function, begin and end in the middle: nothing is missed. */
TEST_F_TIMEOUT(user, other_tracers, 180)
{
	struct rdmaev_cq_stats stats[SENDERS + 1];
	struct sender s[SENDERS] = {};
	uint64_t events = 0, counted = 0;
	int graph, kprobes, fd, i;
	struct rdmaev_record rec;

	sh("mountpoint -q " TRACING " || mount -t tracefs none " TRACING);
	if (put(TRACING "set_ftrace_filter", HANDLER) || !has_tracer("function"))
		SKIP(return, "this kernel has no function tracer");
	graph = has_tracer("function_graph");
	kprobes = !access(TRACING "kprobe_events", F_OK);
	fd = open_node(O_NONBLOCK);
	ASSERT_EQ(filter_kinds(fd, 1U << RDMAEV_KIND_OBSERVER), 0);
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec))
		;
	for (i = 0; i < SENDERS; i++) {
		ASSERT_TRUE(connected(&s[i].p));
		ASSERT_EQ(pthread_create(&s[i].thread, NULL, sender, &s[i]), 0);
	}
	EXPECT_TRUE(traces(s, "function"));
	EXPECT_TRUE(traces(s, "nop"));
	if (graph)
		EXPECT_TRUE(traces(s, "function_graph"));
	if (kprobes)
		EXPECT_TRUE(probes(s, 1));
	/* In the place of the other tracer, with its probes still there */
	EXPECT_TRUE(traces(s, "function"));
	if (kprobes)
		EXPECT_TRUE(probes(s, 0));
	EXPECT_TRUE(traces(s, "nop"));
	for (i = 0; i < SENDERS; i++)
		__atomic_store_n(&s[i].stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < SENDERS; i++) {
		pthread_join(s[i].thread, NULL);
		EXPECT_TRUE(s[i].ok);
	}
	ASSERT_EQ(take_counted(self->fd, self->dev.index, s, SENDERS, stats, SENDERS + 1), SENDERS);
	for (i = 0; i < SENDERS; i++) {
		events += s[i].events;
		counted += stats[i].notifications;
	}
	EXPECT_EQ(counted, events);
	EXPECT_GE(events, SENDERS * 4 * 20);
	/* Neither blind nor anything missed */
	EXPECT_NE(read(fd, &rec, sizeof(rec)), sizeof(rec));
	close(fd);
	for (i = 0; i < SENDERS; i++)
		program_end(&s[i].p);
	put(TRACING "set_ftrace_filter", " ");
}

/* A BPF program on the same function counts the same calls. */
TEST_F_TIMEOUT(user, bpf, 120)
{
	struct rdmaev_cq_stats stats[2];
	struct bpf_counter counter;
	struct sender s = { .rounds = ROUNDS / 8 };
	int i;

	sh("mountpoint -q " TRACING " || mount -t tracefs none " TRACING);
	if (access(TRACING "kprobe_events", F_OK))
		SKIP(return, "this kernel has no kprobe events");
	if (access("/proc/sys/kernel/unprivileged_bpf_disabled", F_OK))
		SKIP(return, "this kernel has no BPF");
	ASSERT_EQ(bpf_attach(&counter, HANDLER), 0);
	ASSERT_TRUE(connected(&s.p));
	/* Soft RoCE notifies of fewer on a busy machine. */
	for (i = 0; i < 20 && s.events < s.rounds; i++) {
		s.ok = 0;
		sender(&s);
		ASSERT_TRUE(s.ok);
	}
	ASSERT_EQ(take_counted(self->fd, self->dev.index, &s, 1, stats, 2), 1);
	EXPECT_GE(s.events, s.rounds);
	EXPECT_EQ(stats[0].notifications, s.events);
	EXPECT_EQ(bpf_count(&counter), s.events);
	EXPECT_EQ(bpf_detach(&counter), 0);
	program_end(&s.p);
}

/* Wait for so many records of a code. */
static int wait_records(int fd, unsigned int code, unsigned int n)
{
	uint64_t end = now_ms() + 30000 * slowness();
	struct rdmaev_record rec;

	while (n && now_ms() < end) {
		if (read(fd, &rec, sizeof(rec)) != sizeof(rec))
			sleep_ms(20);
		else if (rec.code == code)
			n--;
	}
	return !n;
}

/* Send, and take the notification; returns the id of the only CQ of this process. */
static uint64_t send_and_find(struct sender *s, int fd, uint32_t device)
{
	struct rdmaev_cq_stats stats[2];

	s->ok = 0;
	sender(s);
	return s->ok && find_own(fd, device, getpid(), stats, 2) == 1 ? stats[0].id : 0;
}

/*
 * A CQ that ended unseen, while the observer was blind, is forgotten when it sees again;
 * one that is used then is observed, and stays.
 */
TEST_F_TIMEOUT(user, seeing_forgets, 180)
{
	struct sender old = { .rounds = 3 }, new = { .rounds = 3 };
	uint64_t end = now_ms() + 30000 * slowness(), id, last;
	struct rdmaev_cq_stats stats[2];
	int fd, i, blind = 1;

	fd = open_node(O_NONBLOCK);
	ASSERT_EQ(filter_kinds(fd, 1U << RDMAEV_KIND_OBSERVER), 0);
	ASSERT_TRUE(connected(&old.p));
	id = send_and_find(&old, self->fd, self->dev.index);
	ASSERT_NE(id, 0);
	/* There, what is made unseen has no owner. */
	if (kernel_version() < KERNEL(5, 11))
		ASSERT_TRUE(connected(&new.p));
	if (put(FTRACE, "0"))
		SKIP(return, "this kernel refuses to switch ftrace off");
	/* Kprobes may use it, too. */
	if (!sh("grep -q 'rdmaev_canary_kprobe.*\\[FTRACE\\]' /sys/kernel/debug/kprobes/list"))
		blind = 2;
	ASSERT_TRUE(wait_records(fd, RDMAEV_OBSERVER_BLIND, blind));
	program_end(&old.p);
	EXPECT_EQ(find_own(self->fd, self->dev.index, getpid(), stats, 2), 1);
	EXPECT_EQ(stats[0].id, id);

	if (!new.p.ctx)
		ASSERT_TRUE(connected(&new.p));
	ASSERT_EQ(put(FTRACE, "1"), 0);
	ASSERT_TRUE(wait_records(fd, RDMAEV_OBSERVER_SEEING, blind));
	close(fd);
	do
		last = send_and_find(&new, self->fd, self->dev.index);
	while ((!last || last == id) && now_ms() < end);
	EXPECT_NE(last, 0);
	EXPECT_NE(last, id);
	/* The record of SEEING is a moment older than what is forgotten. */
	for (i = 0; i < 10; i++) {
		uint64_t found = send_and_find(&new, self->fd, self->dev.index);

		EXPECT_NE(found, id);
		EXPECT_TRUE(found == last || i == 0);
		last = found;
	}
	program_end(&new.p);
	EXPECT_EQ(find_own(self->fd, self->dev.index, getpid(), stats, 1), 0);
}

TEST_HARNESS_MAIN
