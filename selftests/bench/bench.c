// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an event costs, in guest instructions: see bench.h.
 *
 * bench DEVICE [cqs]: prints a table, all of it or what is about CQs, and exits with 1 if a
 * budget is exceeded.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "bench.h"

#define ULP "/sys/kernel/debug/rdmaev_ulp/bench"
#define STALL_MS "/sys/module/rdmaev/parameters/stall_ms"

#define ROUNDS 8

/* SM_CHANGE: verbs queue it for every open context. */
#define SEEN_EVENT 13

/* A child that waits for a record that its filter lets pass. */
static pid_t waiting_reader(const struct rdmaev_filter *f)
{
	struct rdmaev_record rec;
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open_reader(0);
	if (f && ioctl(fd, RDMAEV_IOC_FILTER, f))
		die("filter");
	while (read(fd, &rec, sizeof(rec)) > 0)
		;
	_exit(1);
}

static void stop_readers(const pid_t *pid, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/* One event at a time, and all that runs until nobody has anything to do. */
static uint64_t one_by_one(unsigned int count)
{
	uint64_t start = now();
	unsigned int i;

	for (i = 0; i < count; i++) {
		gen("only=rdmaev_", QUIET_EVENT, 1);
		sched_yield();
	}
	return now() - start;
}

/* Wait until a reader has nothing before it. */
static void wait_for_passed(int fd)
{
	struct rdmaev_info info = { .size = sizeof(info) };

	for (;;) {
		if (ioctl(fd, RDMAEV_IOC_INFO, &info))
			die("info");
		if (info.position > info.newest_seq)
			return;
		sched_yield();
	}
}

/* Events that nobody of those who wait gets, as their kind is wanted */
static void passed_readers(void)
{
	uint64_t least = UINT64_MAX, start, ns;
	struct pollfd p[64];
	int fds[64], i;

	for (i = 0; i < 64; i++) {
		struct rdmaev_filter f = {
			.size = sizeof(f),
			.targets = 1,
			.target = { { .device = "bench9" } },
		};

		fds[i] = open_reader(O_NONBLOCK);
		if (ioctl(fds[i], RDMAEV_IOC_FILTER, &f))
			die("filter");
		p[i] = (struct pollfd) { .fd = fds[i], .events = POLLIN };
	}
	poll(p, 64, 0);
	/* How often this thread looks in vain is chance. */
	for (i = 0; i < 5; i++) {
		start = now();
		gen("only=rdmaev_", QUIET_EVENT, EVENTS);
		/* All are moved one after the other. */
		wait_for_passed(fds[0]);
		wait_for_passed(fds[63]);
		ns = now() - start;
		least = ns < least ? ns : least;
	}
	row("... 64 that wait for another device, everything counted", least, EVENTS,
	    500);
	for (i = 0; i < 64; i++)
		close(fds[i]);
}

static void waiting_readers(void)
{
	struct rdmaev_filter f = {
		.size = sizeof(f),
		.kinds = 1 << RDMAEV_KIND_ASYNC,
		.codes[RDMAEV_KIND_ASYNC] = 1 << SEEN_EVENT,
	};
	uint64_t event, alone;
	pid_t pid[64];
	int i;

	for (i = 0; i < 64; i++)
		pid[i] = waiting_reader(&f);
	sleep(1);
	row("... 64 readers waiting for another event",
	    handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS), APPENDS, 500);
	stop_readers(pid, 64);

	memset(f.codes, 0, sizeof(f.codes));
	f.severities = 1 << RDMAEV_SEVERITY_ERROR;
	for (i = 0; i < 64; i++)
		pid[i] = waiting_reader(&f);
	sleep(1);
	row("... 64 readers waiting for errors",
	    handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS), APPENDS, 500);
	stop_readers(pid, 64);
	passed_readers();

	event = handler_cost("only=rdmaev_", QUIET_EVENT, EVENTS);
	alone = one_by_one(EVENTS);
	pid[0] = waiting_reader(NULL);
	sleep(1);
	/* Most of it is the scheduler's, which takes more on later kernels. */
	row("event to one blocked reader, everything counted",
	    event + one_by_one(EVENTS) - alone, EVENTS, is_61() ? 8000 : 9400);
	stop_readers(pid, 1);
}

static void appends(void)
{
	int fds[64], i;
	pid_t pid[64];

	gen("only=rdmaev_", QUIET_EVENT, 1000);
	row("event handler and append, no reader",
	    handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS), APPENDS, HANDLER_BUDGET);

	for (i = 0; i < 64; i++)
		fds[i] = open_reader(O_NONBLOCK);
	row("... 64 readers open",
	    handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS), APPENDS, HANDLER_BUDGET);
	for (i = 0; i < 64; i++)
		close(fds[i]);

	for (i = 0; i < 64; i++) {
		struct rdmaev_filter f = {
			.size = sizeof(f),
			.kinds = 1 << RDMAEV_KIND_DEVICE,
		};
		struct rdmaev_record rec;

		pid[i] = fork();
		if (pid[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fds[i] = open_reader(0);
		if (ioctl(fds[i], RDMAEV_IOC_FILTER, &f))
			die("filter");
		_exit(read(fds[i], &rec, sizeof(rec)) < 0);
	}
	sleep(1);
	row("... 64 readers waiting for devices",
	    handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS), APPENDS, HANDLER_BUDGET);
	for (i = 0; i < 64; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	waiting_readers();
	row("... with the look at the port that an event asks for",
	    handler_cost("only=rdmaev_", SEEN_EVENT, APPENDS), APPENDS, 570);
}

static void ulp_feed(const char *burst_ms, const char *what, double budget)
{
	unsigned long ns;
	FILE *f;

	put(BURST_MS, burst_ms);
	f = fopen(ULP, "w");
	if (!f || fprintf(f, "%s %u", device, APPENDS) < 0 || fclose(f))
		die(ULP);
	f = fopen(ULP, "r");
	if (!f || fscanf(f, "ns=%lu", &ns) != 1)
		die(ULP);
	fclose(f);
	row(what, ns, APPENDS, budget);
}

static void completions(void)
{
	unsigned long poll16, poll1, count, flush;
	FILE *f;

	make_sim();
	f = fopen(CQTEST, "w");
	if (!f || fprintf(f, "bench sim0 %u", COMPLETIONS) < 0 || fclose(f))
		die(CQTEST);
	f = fopen(CQTEST, "r");
	if (!f || fscanf(f, "ns %lu %lu %lu %lu", &poll16, &poll1, &count, &flush) != 4)
		die(CQTEST);
	fclose(f);
	row("a completion accounted for, 16 at a time", poll16, COMPLETIONS, 13);
	row("... one at a time, with the poll", poll1, COMPLETIONS, 50);
	row("... polled by the core, counted in done()", count, COMPLETIONS, 16);
	row("a flushed completion of a QP that is known to have failed", flush, COMPLETIONS, 130);
}

static void cqtest_hold(const char *command)
{
	FILE *f = fopen(CQTEST, "w");

	if (!f || fprintf(f, "hold sim0 %s", command) < 0 || fclose(f))
		die(CQTEST);
}

static unsigned long held(const char *key)
{
	char line[2048], *at;
	FILE *f = fopen(CQTEST, "r");

	if (!f || !fgets(line, sizeof(line), f))
		die(CQTEST);
	fclose(f);
	at = strstr(line, key);
	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* The handler in all, in which there is little else. */
static void notifications(void)
{
	struct rdmaev_notify n = { .size = sizeof(n), .every = 1000 };
	int fd = open_reader(O_NONBLOCK);

	cqtest_hold("create created");
	cqtest_hold("notify 10000");
	row("a completion notification, but for the ULP's own handler", held("ns="), 10000, 0);
	n.device = device_index(fd, "sim0");
	n.cq = held(" cq=");
	if (ioctl(fd, RDMAEV_IOC_NOTIFY, &n))
		die("notify");
	cqtest_hold("notify 10000");
	row("... that a reader has recorded, 1000 a record", held("ns="), 10000, 100);
	close(fd);
	cqtest_hold("destroy");
}

/* The time of an event of the trace, of the work of the stall detector. */
static double when(const char *line, const char *event)
{
	const char *at = strstr(line, event);

	if (!at || !strstr(at, "stall_fn"))
		return 0;
	/* "  12.345678: workqueue_execute_start: ..." */
	while (at > line && at[-1] != '.')
		at--;
	while (at > line && at[-1] != ' ')
		at--;
	return strtod(at, NULL);
}

#define STALL_CQS 1000

static void stall_look(void)
{
	double start = 0, end = 0, t;
	char line[512], more[32];
	FILE *f;

	cqtest_hold("create created");
	snprintf(more, sizeof(more), "more %d", STALL_CQS);
	cqtest_hold(more);
	put(TRACE "events/workqueue/workqueue_execute_start/enable", "1");
	put(TRACE "events/workqueue/workqueue_execute_end/enable", "1");
	put(STALL_MS, "10000");
	usleep(200000);
	put(TRACE "events/workqueue/enable", "0");
	f = fopen(TRACE "trace", "r");
	while (f && fgets(line, sizeof(line), f)) {
		t = when(line, "workqueue_execute_start:");
		start = t ? t : start;
		t = when(line, "workqueue_execute_end:");
		end = t ? t : end;
	}
	if (!f || end <= start)
		die(TRACE "trace");
	fclose(f);
	row("the stall detector's look at a CQ", (end - start) * 1e9, STALL_CQS + 1, 90);
	cqtest_hold("destroy");
}

static void reads(unsigned int at_once, double budget)
{
	static struct rdmaev_record recs[256];
	int fd = open_reader(O_NONBLOCK);
	uint64_t start, total = 0;
	char what[64];
	unsigned int i, n;
	ssize_t got;

	for (i = 0; i < ROUNDS; i++) {
		gen("only=rdmaev_", QUIET_EVENT, EVENTS);
		start = now();
		n = 0;
		while ((got = read(fd, recs, at_once * sizeof(recs[0]))) > 0)
			n += got / sizeof(recs[0]);
		total += now() - start;
		if (n != EVENTS)
			die("events missing");
	}
	close(fd);
	snprintf(what, sizeof(what), "read() of %u at a time", at_once);
	row(what, total, EVENTS * ROUNDS, budget);
}

/* Of a reader that waits where there is nothing; here there is. */
static void blocking_reads(void)
{
	uint64_t start, total = 0;
	struct rdmaev_record rec;
	int fd = open_reader(0);
	unsigned int i, n;

	for (i = 0; i < ROUNDS; i++) {
		gen("only=rdmaev_", QUIET_EVENT, EVENTS);
		start = now();
		for (n = 0; n < EVENTS; n++) {
			if (read(fd, &rec, sizeof(rec)) != sizeof(rec))
				die("read");
		}
		total += now() - start;
	}
	close(fd);
	row("read() of one that may wait", total, EVENTS * ROUNDS, 1060);
}

static void poll_and_read(void)
{
	int fd = open_reader(O_NONBLOCK);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t start, total = 0;
	struct rdmaev_record rec;
	unsigned int i, n;

	for (i = 0; i < ROUNDS; i++) {
		gen("only=rdmaev_", QUIET_EVENT, EVENTS);
		start = now();
		for (n = 0; poll(&p, 1, 0) == 1; n++) {
			if (read(fd, &rec, sizeof(rec)) != sizeof(rec))
				die("read");
		}
		total += now() - start;
		if (n != EVENTS)
			die("events missing");
	}
	close(fd);
	row("poll() and read() of one", total, EVENTS * ROUNDS, 1940);
}

static void one_context(int with_poll)
{
	struct ibv_context *ctx = open_context();
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	uint64_t start, total = 0;
	struct ibv_async_event ev;
	unsigned int i, n;

	for (i = 0; i < EVENTS / KEPT; i++) {
		gen("only=ib_uverbs_", SEEN_EVENT, KEPT);
		start = now();
		for (n = 0; !with_poll || poll(&p, 1, 0) == 1; n++) {
			if (ibv_get_async_event(ctx, &ev))
				break;
			ibv_ack_async_event(&ev);
		}
		total += now() - start;
		if (n != KEPT)
			die("events missing");
	}
	row(with_poll ? "verbs: poll(), ibv_get_async_event() and ack" :
	    "verbs: ibv_get_async_event() and ack", total, EVENTS, 0);
	ibv_close_device(ctx);
}

/* What their handlers cost if each event is taken before the next. */
static void contexts(const char *what, int count)
{
	struct ibv_context *ctx[16];
	uint64_t total = 0;
	int i, k;

	for (k = 0; k < count; k++)
		ctx[k] = open_context();
	for (i = 0; i < EVENTS; i++) {
		total += handler_cost("only=ib_uverbs_", SEEN_EVENT, 1);
		for (k = 0; k < count; k++)
			drain(ctx[k]);
	}
	row(what, total, EVENTS, 0);
	for (k = 0; k < count; k++)
		ibv_close_device(ctx[k]);
}

int main(int argc, char **argv)
{
	if (argc != 2 && (argc != 3 || strcmp(argv[2], "cqs"))) {
		fprintf(stderr, "usage: bench DEVICE [cqs]\n");
		return 2;
	}
	device = argv[1];
	if (argc == 2) {
		appends();
		ulp_feed("0", "ULP feed: event of a QP reported", 550);
		ulp_feed("1000", "... the same again and again, folded", 335);
	}
	completions();
	notifications();
	stall_look();
	if (argc == 3)
		return over;
	reads(32, 90);
	reads(1, 1060);
	blocking_reads();
	poll_and_read();
	contexts("verbs: event handler, one open context", 1);
	one_context(0);
	one_context(1);
	contexts("verbs: event handlers, 16 open contexts", 16);
	return over;
}
