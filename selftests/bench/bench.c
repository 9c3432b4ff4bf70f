// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an event costs, in guest instructions: run under an emulator whose
 * clock counts instructions (2 ns each), where two runs agree. On any other
 * machine the figures are time and mean nothing.
 *
 * bench DEVICE [cqs|observer|probe]: prints a table, all of it or what is about CQs, about
 * the observer, or about the probe, and exits with 1 if a budget is exceeded.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/rdmaev.h>

#define NODE "/dev/infiniband/rdmaev"
#define GEN "/sys/kernel/debug/rdmaev_gen/run"
#define ULP "/sys/kernel/debug/rdmaev_ulp/bench"
#define STALL_MS "/sys/module/rdmaev/parameters/stall_ms"
#define BURST_MS "/sys/module/rdmaev/parameters/burst_ms"
#define ASK_QPS "/sys/module/rdmaev_observe/parameters/ask_qps"
#define CQTEST "/sys/kernel/debug/rdmaev_cqtest"
#define SIM "/sys/kernel/debug/rdmaev_sim/create"
#define RAISE "/sys/kernel/debug/rdmaev_inject/raise"

#define NS_PER_INSTRUCTION 2
#define APPENDS 50000
#define EVENTS 4096
#define ROUNDS 8
#define COMPLETIONS 32000
#define MOVES		1000
#define PDS		100
/* The tree of ids gets another level there */
#define PDS_CHEAP	4096
#define QPS_CHEAP	64
#define ENDS		16
/* Nanoseconds of a round of the probe, and how often it sends meanwhile */
#define PROBE_NS 500000000ULL
#define PROBE_MS 1
/* So many events verbs keep before they are taken: they allocate memory for each. */
#define KEPT 64

#define HANDLER_BUDGET 390

/* SRQ_LIMIT_REACHED: no port is looked at for it, and verbs pass it over. */
#define QUIET_EVENT 15
/* QP_FATAL: each is recorded */
#define QP_EVENT 1
/* SM_CHANGE: verbs queue it for every open context. */
#define SEEN_EVENT 13

static const char *device;
static int over;

static void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Nanoseconds that the generator took. */
static uint64_t gen(const char *mode, unsigned int event, unsigned int count)
{
	unsigned long seen, ns;
	char buf[128];
	FILE *f;
	int fd, n;

	n = snprintf(buf, sizeof(buf), "%s %s %u 1 %u", mode, device, event,
		     count);
	fd = open(GEN, O_WRONLY);
	if (fd < 0 || write(fd, buf, n) != n)
		die(GEN);
	close(fd);
	f = fopen(GEN, "r");
	if (!f || fscanf(f, "delivered=%lu ns=%lu", &seen, &ns) != 2)
		die(GEN);
	fclose(f);
	return ns;
}

/* Budgets are those of 6.1; what other kernels do themselves may cost a tenth more. */
static int is_61(void)
{
	struct utsname name;

	return !uname(&name) && !strncmp(name.release, "6.1.", 4);
}

static void row(const char *what, uint64_t ns, uint64_t events, double budget)
{
	double cost = (double)ns / NS_PER_INSTRUCTION / events;
	int bad;

	budget *= is_61() ? 1 : 1.1;
	bad = budget && cost > budget;

	printf("%-58s %8.0f", what, cost);
	if (budget)
		printf("   at most %.0f%s", budget, bad ? "  EXCEEDED" : "");
	putchar('\n');
	fflush(stdout);
	over |= bad;
}

static int open_reader(int flags)
{
	int fd = open(NODE, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0)
		die(NODE);
	return fd;
}

static uint64_t handler_cost(const char *mode, unsigned int event,
			     unsigned int count)
{
	uint64_t loop = gen("none", event, count);

	return gen(mode, event, count) - loop;
}

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
			.target = { { .device = "bench9", .port = 0 } },
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
		.kind_codes = 1,
		.kind_code[0] = { RDMAEV_KIND_ASYNC, 0, 1 << SEEN_EVENT },
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

	f.kind_codes = 0;
	memset(f.kind_code, 0, sizeof(f.kind_code));
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

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
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

static void make(const char *sim)
{
	put(SIM, sim);
}

/* Not earlier than needed: to tell devices apart costs a little. */
static void make_sim(void)
{
	make("sim0 1");
}

static unsigned int device_index(int fd, const char *name)
{
	struct rdmaev_device all[8];
	struct rdmaev_devices req = {
		.size = sizeof(req),
		.entry_size = sizeof(all[0]),
		.count = 8,
		.entries = (uintptr_t)all,
	};
	unsigned int i;

	if (ioctl(fd, RDMAEV_IOC_DEVICES, &req))
		die("devices");
	for (i = 0; i < req.count && i < 8; i++) {
		if (!strcmp(all[i].name, name))
			return all[i].index;
	}
	die(name);
	return 0;
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

static unsigned long poll_once(const char *kind, unsigned int batch)
{
	unsigned long ns;
	FILE *f = fopen(CQTEST, "w");

	if (!f || fprintf(f, "%s sim0 %u %u", kind, COMPLETIONS, batch) < 0 || fclose(f))
		die(CQTEST);
	f = fopen(CQTEST, "r");
	if (!f || fscanf(f, "ns=%lu", &ns) != 1)
		die(CQTEST);
	fclose(f);
	return ns;
}

/* Without what else the guest had to do meanwhile */
static unsigned long polls(const char *kind, unsigned int batch)
{
	unsigned long least = ULONG_MAX, ns;
	int i;

	for (i = 0; i < 7; i++) {
		ns = poll_once(kind, batch);
		least = ns < least ? ns : least;
	}
	return least;
}

/* Nanoseconds that a program takes to move a QP to INIT and back, @count times */
static uint64_t moves(struct ibv_qp *qp, unsigned int count)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	uint64_t start = now();

	while (count--) {
		if (ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ||
		    ibv_modify_qp(qp, &reset, IBV_QP_STATE))
			die("ibv_modify_qp");
	}
	return now() - start;
}

/* Number of the only CQ of this program, as in the core's resource tracking */
static unsigned int cq_number(void)
{
	char command[80], line[256];
	unsigned int number;
	const char *at;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show cq | grep ' pid %d '", getpid());
	f = popen(command, "r");
	if (!f || !fgets(line, sizeof(line), f))
		die("rdma resource show cq");
	pclose(f);
	at = strstr(line, " cqn ");
	if (!at || sscanf(at, " cqn %u", &number) != 1)
		die(line);
	return number;
}

static void drain(struct ibv_context *ctx);

/* Nanoseconds that it takes to raise KEPT events of an object, which verbs keep. */
static uint64_t raised(struct ibv_context *ctx, struct ibv_comp_channel *channel,
		       const char *type, unsigned int number)
{
	uint64_t least = UINT64_MAX, start, ns;
	char text[128];
	void *context;
	struct ibv_cq *cq;
	int fd, n, i;

	for (i = 0; i < 15; i++) {
		fd = open(RAISE, O_WRONLY);
		n = snprintf(text, sizeof(text), "%s %s %u %u %u", device, type, number,
			     QP_EVENT, KEPT);
		start = now();
		if (write(fd, text, n) != n)
			die(RAISE);
		ns = now() - start;
		close(fd);
		least = ns < least ? ns : least;
		drain(ctx);
		while (!ibv_get_cq_event(channel, &cq, &context))
			ibv_ack_cq_events(cq, 1);
	}
	return least;
}

static struct ibv_context *open_context(void);

static void make_pds(struct ibv_context *ctx, int count)
{
	struct ibv_pd *pd;

	while (count--) {
		pd = ibv_alloc_pd(ctx);
		if (!pd || ibv_dealloc_pd(pd))
			die("ibv_alloc_pd");
	}
}

/*
 * Nanoseconds to make and destroy PDS PDs. The core gives each a new id, and the first
 * ids cost less than those from PDS_CHEAP on. Verbs free what they had for the PDs many
 * at a time, and most of the short rounds are without that.
 */
static uint64_t pds(struct ibv_context *ctx)
{
	uint64_t least = UINT64_MAX, start, ns;
	int i;

	make_pds(ctx, PDS_CHEAP);
	for (i = 0; i < 150; i++) {
		start = now();
		make_pds(ctx, PDS);
		ns = now() - start;
		least = ns < least ? ns : least;
	}
	return least;
}

/* A UD QP in RTS */
static struct ibv_qp *make_sender(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_QKEY))
		die("ibv_create_qp");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("ibv_modify_qp");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("ibv_modify_qp");
	return qp;
}

/* Nanoseconds to destroy ENDS QPs in RTS */
static uint64_t ends(struct ibv_pd *pd, struct ibv_cq *cq)
{
	uint64_t least = UINT64_MAX, start, ns;
	struct ibv_qp *qps[ENDS];
	int i, n;

	/* Numbers of one size, as for the ids of PDs */
	for (i = 0; i < QPS_CHEAP; i++)
		ibv_destroy_qp(make_sender(pd, cq));
	for (i = 0; i < 40; i++) {
		for (n = 0; n < ENDS; n++)
			qps[n] = make_sender(pd, cq);
		start = now();
		for (n = 0; n < ENDS; n++) {
			if (ibv_destroy_qp(qps[n]))
				die("ibv_destroy_qp");
		}
		ns = now() - start;
		least = ns < least ? ns : least;
	}
	return least;
}

/* What others pay while the observer is loaded */
static void observed(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_context *ctx = open_context();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	uint64_t alone, notified_alone, event_alone, pds_alone, ends_alone;
	unsigned long alone16, alone1, polled16, polled1;
	unsigned int cq;
	struct ibv_qp *qp;

	attr.send_cq = pd && channel ? ibv_create_cq(ctx, 4, NULL, channel, 0) : NULL;
	attr.recv_cq = attr.send_cq;
	qp = attr.send_cq ? ibv_create_qp(pd, &attr) : NULL;
	if (!qp)
		die("ibv_create_qp");
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	if (system("insmod selftests/modules/rdmaev_inject.ko report=0"))
		die("rdmaev_inject");
	cq = cq_number();
	notified_alone = raised(ctx, channel, "comp", cq);
	event_alone = raised(ctx, channel, "qp", qp->qp_num);
	alone16 = polls("softirq", 16);
	alone1 = polls("softirq", 1);
	polled16 = polls("polled", 16);
	polled1 = polls("polled", 1);
	alone = moves(qp, MOVES);
	pds_alone = pds(ctx);
	ends_alone = ends(pd, attr.send_cq);
	if (system("insmod kmod/rdmaev_observe.ko"))
		die("rdmaev_observe");
	/* The process that makes it is seen. */
	ibv_destroy_qp(qp);
	qp = ibv_create_qp(pd, &attr);
	if (!qp)
		die("ibv_create_qp");
	row("observer: a notification of a program's CQ",
	    raised(ctx, channel, "comp", cq) - notified_alone, KEPT, 90);
	put(BURST_MS, "0");
	row("... an event of a program's QP: owner, cause, record",
	    raised(ctx, channel, "qp", qp->qp_num) - event_alone, KEPT, 1180);
	put(BURST_MS, "1000");
	row("... the same again and again, folded",
	    raised(ctx, channel, "qp", qp->qp_num) - event_alone, KEPT, 720);
	/* A notification, a poll with the completions and often one without any */
	row("... a completion that the core polls, 16 at a time",
	    polls("softirq", 16) - alone16, COMPLETIONS, 30);
	row("... one at a time", polls("softirq", 1) - alone1, COMPLETIONS, 190);
	row("... a request that moves a QP", moves(qp, MOVES) - alone, 2 * MOVES, 575);
	row("... an object of a program made and destroyed", pds(ctx) - pds_alone, PDS, 900);
	put(ASK_QPS, "0");
	row("... the end of a program's QP", ends(pd, attr.send_cq) - ends_alone, ENDS, 1800);
	put(ASK_QPS, "1000000");
	row("... with the question for its state, and the driver's answer",
	    ends(pd, attr.send_cq) - ends_alone, ENDS, 2700);
	/* This makes each poll slower. */
	if (system("rmmod rdmaev_observe && insmod kmod/rdmaev_observe.ko polls=1"))
		die("rdmaev_observe");
	row("... a completion that its ULP polls, polls=1, 16 at a time",
	    polls("polled", 16) - polled16, COMPLETIONS, 25);
	row("... one at a time", polls("polled", 1) - polled1, COMPLETIONS, 180);
	ibv_destroy_qp(qp);
	ibv_destroy_cq(attr.send_cq);
	ibv_destroy_comp_channel(channel);
	ibv_dealloc_pd(pd);
	ibv_close_device(ctx);
	if (system("rmmod rdmaev_observe rdmaev_inject"))
		die("rdmaev_observe");
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

#define TRACE "/sys/kernel/tracing/"

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

static struct ibv_context *open_context(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;
	int i;

	for (i = 0; list && list[i]; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), device))
			break;
	}
	ctx = list && list[i] ? ibv_open_device(list[i]) : NULL;
	if (!ctx)
		die("ibv_open_device");
	fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	ibv_free_device_list(list);
	return ctx;
}

static void drain(struct ibv_context *ctx)
{
	struct ibv_async_event ev;

	while (!ibv_get_async_event(ctx, &ev))
		ibv_ack_async_event(&ev);
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

static void probe_set(int fd, unsigned int index, unsigned int interval_ms)
{
	struct rdmaev_probe_set set = {
		.size = sizeof(set),
		.device = index,
		.interval_ms = interval_ms,
	};

	if (ioctl(fd, RDMAEV_IOC_PROBE, &set))
		die("probe");
}

/* Requests of the only port that have completed */
static uint64_t probe_completed(int fd, unsigned int index)
{
	struct rdmaev_probe probe;
	struct rdmaev_probes req = {
		.size = sizeof(req),
		.entry_size = sizeof(probe),
		.count = 1,
		.entries = (uintptr_t)&probe,
		.device = index,
	};

	if (ioctl(fd, RDMAEV_IOC_PROBES, &req) || req.count != 1)
		die("probes");
	return probe.completed;
}

/* How often a program that does nothing else, on the only CPU, asks for the time */
static uint64_t spin(void)
{
	uint64_t end = now() + PROBE_NS, n;

	for (n = 0; now() < end; n++)
		;
	return n;
}

/* Of several times, with the least that others did meanwhile */
static uint64_t spin_alone(void)
{
	uint64_t most = 0, n;
	int i;

	for (i = 0; i < 5; i++) {
		n = spin();
		most = n > most ? n : most;
	}
	return most;
}

/* Everything that a request makes the kernel do, by what is left to a program that spins */
static void probe_of(int fd, const char *name, const char *what, uint64_t alone, double budget)
{
	unsigned int index = device_index(fd, name);
	uint64_t least = UINT64_MAX, done, taken;
	int i;

	probe_set(fd, index, PROBE_MS);
	while (!probe_completed(fd, index))
		usleep(10000);
	for (i = 0; i < 5; i++) {
		done = probe_completed(fd, index);
		taken = alone - spin();
		done = probe_completed(fd, index) - done;
		/* Per 1000 requests */
		taken = taken * PROBE_NS / alone * 1000 / done;
		least = taken < least ? taken : least;
	}
	probe_set(fd, index, 0);
	row(what, least, 1000, budget);
}

/* How often code of rdmaev_probe is queued or called by a timer */
static unsigned int probe_runs(unsigned int seconds)
{
	unsigned int n = 0;
	char line[512];
	FILE *f;

	put(TRACE "trace", "");
	put(TRACE "events/workqueue/workqueue_queue_work/enable", "1");
	put(TRACE "events/timer/timer_expire_entry/enable", "1");
	sleep(seconds);
	put(TRACE "events/workqueue/enable", "0");
	put(TRACE "events/timer/enable", "0");
	f = fopen(TRACE "trace", "r");
	if (!f)
		die(TRACE "trace");
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, "rdmaev_probe");
	fclose(f);
	return n;
}

/* A probe, and what rdmaev_probe does while nothing is probed */
static void probed(void)
{
	int fd = open_reader(O_NONBLOCK);
	unsigned int index, n;
	uint64_t alone;

	make("sim1 1 ib verbs");
	if (system("insmod kmod/rdmaev_probe.ko"))
		die("rdmaev_probe");
	sleep(1);
	n = probe_runs(10);
	printf("%-58s %8u   at most 0\n", "probe off: its timers and work items in 10 seconds", n);
	over |= n != 0;
	index = device_index(fd, "sim1");
	probe_set(fd, index, PROBE_MS);
	if (!probe_runs(1))
		die("no trace of a probe");
	probe_set(fd, index, 0);
	alone = spin_alone();
	row("... event handler and append", handler_cost("only=rdmaev_", QUIET_EVENT, APPENDS),
	    APPENDS, HANDLER_BUDGET);
	probe_of(fd, "sim1", "probe: a request, everything counted", alone, 15000);
	probe_of(fd, device, "... over soft RoCE, with all that does", alone, 0);
	close(fd);
	if (system("rmmod rdmaev_probe"))
		die("rdmaev_probe");
}

int main(int argc, char **argv)
{
	if (argc != 2 && (argc != 3 || (strcmp(argv[2], "cqs") && strcmp(argv[2], "observer") &&
					strcmp(argv[2], "probe")))) {
		fprintf(stderr, "usage: bench DEVICE [cqs|observer|probe]\n");
		return 2;
	}
	device = argv[1];
	if (argc == 3 && !strcmp(argv[2], "observer")) {
		make_sim();
		observed();
		return over;
	}
	if (argc == 3 && !strcmp(argv[2], "probe")) {
		probed();
		return over;
	}
	if (argc == 3) {
		completions();
		notifications();
		stall_look();
		return over;
	}
	appends();
	ulp_feed("0", "ULP feed: event of a QP reported", 550);
	ulp_feed("1000", "... the same again and again, folded", 335);
	completions();
	notifications();
	stall_look();
	observed();
	reads(32, 90);
	reads(1, 1060);
	blocking_reads();
	poll_and_read();
	contexts("verbs: event handler, one open context", 1);
	one_context(0);
	one_context(1);
	contexts("verbs: event handlers, 16 open contexts", 16);
	probed();
	return over;
}
