// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What librdmaev-verbs costs beside the calls of libibverbs that it stands for, in guest
 * instructions as in bench.c, on soft RoCE.
 *
 * bench_verbs DEVICE: prints a table, and exits with 1 if a budget is exceeded.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rdmaev_verbs.h>

#include "observe/program.h"

#define GEN "/sys/kernel/debug/rdmaev_gen/run"
#define NS_PER_INSTRUCTION 2
#define COMPLETIONS 1000
#define EVENTS 32
#define ROUNDS 8
#define BATCH_MAX 64
/* SM_CHANGE: nothing is queried for it */
#define EVENT 13
/* Soft RoCE does its work meanwhile; the clock jumps when there is none. */
#define SETTLE_US 100000

static const char *device;
static struct ibv_context *context;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct rdmaev_loop *loop;
static int over;

static void die(const char *what)
{
	fprintf(stderr, "bench_verbs: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* @limit: of the difference to @plain; 0: none */
static void row(const char *what, double cost, double plain, double limit)
{
	int bad = limit && cost - plain > limit;

	printf("%-58s %8.0f", what, cost);
	if (plain)
		printf("   %+.0f", cost - plain);
	if (limit)
		printf(", at most %+.0f%s", limit, bad ? "  EXCEEDED" : "");
	putchar('\n');
	fflush(stdout);
	over |= bad;
}

static void setup(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = COMPLETIONS, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr access = { .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	union ibv_gid gid;
	struct ibv_pd *pd;

	context = verbs_open(device);
	pd = context ? ibv_alloc_pd(context) : NULL;
	channel = pd ? ibv_create_comp_channel(context) : NULL;
	cq = channel ? ibv_create_cq(context, COMPLETIONS + 1, NULL, channel, 0) : NULL;
	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = cq ? ibv_create_qp(pd, &attr) : NULL;
	if (!qp || ibv_query_gid(context, 1, 0, &gid) || connect_to(qp, qp->qp_num, &gid) ||
	    ibv_modify_qp(qp, &access, IBV_QP_ACCESS_FLAGS))
		die(device);
}

/* So many completions, and a notification if the CQ is armed */
static void complete(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	int i;

	for (i = 0; i < COMPLETIONS; i++) {
		if (ibv_post_send(qp, &wr, &bad))
			die("ibv_post_send");
	}
	usleep(SETTLE_US);
}

static void check(int n, const struct ibv_wc *wc)
{
	if (n >= 0 && (!n || wc->status == IBV_WC_SUCCESS))
		return;
	fprintf(stderr, "bench_verbs: %s\n",
		n < 0 ? "a poll failed" : ibv_wc_status_str(wc->status));
	exit(2);
}

/* Returns the number of completions that a wake-up found. */
static unsigned int take_plain(int batch)
{
	struct ibv_wc wc[BATCH_MAX];
	unsigned int got = 0;
	struct ibv_cq *from;
	struct pollfd p = { .fd = channel->fd, .events = POLLIN };
	void *arg;
	int n;

	if (poll(&p, 1, -1) != 1 || ibv_get_cq_event(channel, &from, &arg))
		die("ibv_get_cq_event");
	ibv_ack_cq_events(from, 1);
	if (ibv_req_notify_cq(from, 0))
		die("ibv_req_notify_cq");
	do {
		n = ibv_poll_cq(from, batch, wc);
		check(n, wc);
		got += n;
	} while (n);
	return got;
}

static unsigned int take_loop(int batch)
{
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc[BATCH_MAX];
	unsigned int got = 0;
	int n;

	if (rdmaev_loop_read(loop, &ev, 1, -1) != 1 || ev.object != cq)
		die("rdmaev_loop_read");
	do {
		n = rdmaev_loop_poll_cq(loop, cq, batch, wc);
		check(n, wc);
		got += n;
	} while (n == batch);
	return got;
}

/* A read for each batch, as a program does that is fair to other CQs */
static unsigned int take_turns(int batch)
{
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc[BATCH_MAX];
	unsigned int got = 0;
	int n;

	do {
		if (rdmaev_loop_read(loop, &ev, 1, -1) != 1 || ev.object != cq)
			die("rdmaev_loop_read");
		n = rdmaev_loop_poll_cq(loop, cq, batch, wc);
		check(n, wc);
		got += n;
	} while (n == batch);
	return got;
}

/* Instructions per completion, in the round that was disturbed least */
static double wc_cost(unsigned int (*take)(int batch), int batch)
{
	uint64_t least = UINT64_MAX, start, took;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		complete();
		start = now();
		if (take(batch) != COMPLETIONS)
			die("not all completions came at once");
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / NS_PER_INSTRUCTION / COMPLETIONS;
}

static void raise_events(void)
{
	char line[128];
	int fd = open(GEN, O_WRONLY);
	int n = snprintf(line, sizeof(line), "process %s %d 1 %d", device, EVENT, EVENTS);

	if (fd < 0 || write(fd, line, n) != n)
		die(GEN);
	close(fd);
	usleep(SETTLE_US);
}

static void event_plain(void)
{
	struct pollfd p = { .fd = context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&p, 1, -1) != 1 || ibv_get_async_event(context, &event))
		die("ibv_get_async_event");
	ibv_ack_async_event(&event);
}

static void event_loop(void)
{
	struct rdmaev_verbs_event ev;

	if (rdmaev_loop_read(loop, &ev, 1, -1) != 1 || ev.type != RDMAEV_VERBS_ASYNC)
		die("rdmaev_loop_read");
}

/* Instructions per event, one at a time */
static double event_cost(void (*take)(void))
{
	uint64_t least = UINT64_MAX, start, took;
	int i, j;

	for (i = 0; i < ROUNDS; i++) {
		raise_events();
		start = now();
		for (j = 0; j < EVENTS; j++)
			take();
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / NS_PER_INSTRUCTION / EVENTS;
}

int main(int argc, char **argv)
{
	static const int batches[] = { 16, 32, 64 };
	double plain[3], plain_event;
	struct rdmaev_verbs_event ev;
	struct ibv_wc wc;
	char what[64];
	unsigned int i;

	if (argc != 2) {
		fprintf(stderr, "Usage: bench_verbs DEVICE\n");
		return 2;
	}
	device = argv[1];
	setup();
	if (ibv_req_notify_cq(cq, 0))
		die("ibv_req_notify_cq");
	for (i = 0; i < 3; i++)
		plain[i] = wc_cost(take_plain, batches[i]);
	plain_event = event_cost(event_plain);

	loop = rdmaev_loop_open(0);
	if (!loop || rdmaev_loop_add_context(loop, context, NULL) ||
	    rdmaev_loop_add_channel(loop, channel, NULL) ||
	    rdmaev_loop_add_cq(loop, cq, NULL, 0))
		die("rdmaev_loop_add");
	/* Returned once when it was added; from then on it is armed. */
	if (rdmaev_loop_read(loop, &ev, 1, 0) != 1 || rdmaev_loop_poll_cq(loop, cq, 1, &wc))
		die("the CQ was not empty");
	for (i = 0; i < 3; i++) {
		snprintf(what, sizeof(what), "verbs: a completion of 1000, %d a poll", batches[i]);
		row(what, plain[i], 0, 0);
		row("... rdmaev_loop_poll_cq()", wc_cost(take_loop, batches[i]), plain[i], 20);
		row("... and a read before each", wc_cost(take_turns, batches[i]), plain[i], 0);
	}
	row("verbs: poll(), ibv_get_async_event() and ack", plain_event, 0, 0);
	row("... rdmaev_loop_read() of one", event_cost(event_loop), plain_event, 0);
	return over;
}
