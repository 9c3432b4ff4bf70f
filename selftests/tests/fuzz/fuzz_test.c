// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A fuzzer: valid calls, calls with one error, and calls with several errors,
 * in random order, during events. Each must return what the header says.
 *
 * The same seed makes the same calls. In the environment:
 *	RDMAEV_FUZZ_SEED	the seed, default 1
 *	RDMAEV_FUZZ_STEPS	number of steps
 *	RDMAEV_FUZZ_FIRST	first step, rounded down to the begin of an
 *				epoch: to get to a late failure sooner
 */
#include <signal.h>

#include "cq.h"
#include "fuzz.h"

/* Steps of an epoch; each reloads the module with rings of another size. */
#define EPOCH		2000
#define STEPS		4000
/* Devices of an epoch: counters of more would not be kept. */
#define NEW_DEVICES	40

static unsigned int devices_made;
static int may_arm;

static const char *device_name(unsigned int i)
{
	static char name[16];

	snprintf(name, sizeof(name), i ? "fuzz%u" : "sim0", i);
	return name;
}

static void add_device(struct reader *asks)
{
	const char *name = device_name(fuzz.nlive);

	if (sim_create(name, 1 + below(4)))
		return;
	fuzz.live[fuzz.nlive++] = device_index(asks->fd, name);
	devices_made++;
	log_catch_up();
	if (fuzz.has_gone && !log_remembers(fuzz.gone))
		fuzz.has_gone = 0;
}

static void remove_device(void)
{
	if (sim_destroy(device_name(fuzz.nlive - 1)))
		return;
	fuzz.gone = fuzz.live[--fuzz.nlive];
	fuzz.has_gone = 1;
}

static void make_cqs(struct reader *asks)
{
	static const char * const kinds[] = {
		"created", "direct", "attached",
	};
	static struct rdmaev_cq_stats list[CQS];
	const char *kind = kinds[below(ARRAY_SIZE(kinds))];
	int i, n;

	/* The core arms the others. */
	may_arm = !strcmp(kind, "created");
	run("hold sim0 create %s", kind);
	run("hold sim0 more %u", below(4));
	n = read_cqs(asks->fd, 0, fuzz.live[0], 0, list, CQS, NULL);
	fuzz.ncqs = 0;
	for (i = 0; i < n && i < CQS; i++) {
		if (list[i].flags & RDMAEV_CQ_NUMBERED)
			fuzz.cqs[fuzz.ncqs++] = (struct cq_known) {
				.number = list[i].cq,
				.attached = !!(list[i].flags & RDMAEV_CQ_ATTACHED),
			};
	}
}

static void open_reader(unsigned int i)
{
	if (reader_open(&fuzz.readers[i], i < 2, i == 0)) {
		perror(NODE);
		exit(1);
	}
}

static int log_fd = -1;

static void end_epoch(void)
{
	unsigned int i;

	if (log_fd < 0)
		return;
	for (i = 0; i < READERS; i++)
		reader_close(&fuzz.readers[i]);
	genl_end_epoch();
	close(log_fd);
	log_fd = -1;
	log_end();
	fuzz.ncqs = 0;
	fuzz.nlive = 0;
}

/* An empty log, devices, CQs, readers */
static int begin_epoch(unsigned int records)
{
	struct rdmaev_info info;
	unsigned int i;

	end_epoch();
	/* Also those of an epoch that was not ended. */
	for (i = 0; i < DEVICES; i++)
		sim_destroy(device_name(i));
	if (sh("for m in rdmaev_ulp rdmaev; do ! test -d /sys/module/$m || rmmod $m; done;"
	       " insmod $RDMAEV_TOP/kmod/rdmaev.ko records=%u &&"
	       " insmod $RDMAEV_TOP/selftests/modules/rdmaev_ulp.ko", records))
		return -1;
	log_fd = open_node(O_NONBLOCK);
	if (log_fd < 0)
		return -1;
	lseek(log_fd, 0, SEEK_SET);
	info = get_info(log_fd);
	fuzz.features = info.features;
	fuzz.instance = info.instance;
	fuzz.records = records;
	fuzz.has_gone = 0;
	fuzz.gone = 0x7fffffff;
	log_begin(log_fd);
	for (i = 0; i < READERS; i++)
		open_reader(i);
	devices_made = 0;
	add_device(&fuzz.readers[0]);
	make_cqs(&fuzz.readers[0]);
	genl_begin_epoch();
	/* The time in which equal events are folded into one record */
	if (param("burst_ms", one_in(2) ? 0 : 20) || param("poll_ms", below(2) * 20))
		return -1;
	log_catch_up();
	return fuzz.nlive == 1 && fuzz.ncqs ? 0 : -1;
}

/* Events of drivers, in any context */
static void act_events(void)
{
	static const char * const modes[] = { "process", "softirq", "hardirq", "dispatch" };
	static const unsigned int events[] = {
		DEVICE_FATAL, PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, SM_CHANGE,
		14, 15, 15, 15, CLIENT_REREGISTER, GID_CHANGE, DEVICE_SPEED_CHANGE, UNKNOWN,
	};
	unsigned int most = one_in(6) ? fuzz.records / 2 : 8;
	const char *dev = device_name(below(fuzz.nlive));
	unsigned int mode = one_in(32) ? 3 : below(3);
	unsigned int number = one_in(4) ? below(1000) : events[below(ARRAY_SIZE(events))];

	/* In interrupt context, the device's own handlers must support this. */
	gen(modes[mode], dev, number, below(4), 1 + below(most < 200 ? most : 200));
}

static void act_port(void)
{
	static const char * const attrs[] = { "state", "phys_state", "lid", "sm_lid" };
	static const unsigned int events[] = { PORT_ACTIVE, PORT_ERR, LID_CHANGE, SM_CHANGE };
	unsigned int port = 1 + below(2);

	set(port, attrs[below(ARRAY_SIZE(attrs))], "%u", 1 + below(4));
	event(events[below(ARRAY_SIZE(events))], port);
}

static void act_completions(void)
{
	switch (below(8)) {
	case 0 ... 1:
		run("hold sim0 write %u", 1 + below(20));
		break;
	case 2:
		run("hold sim0 recv %u", 1 + below(8));
		run("hold sim0 send %u", 1 + below(8));
		break;
	case 3 ... 4:
		if (may_arm)
			run("hold sim0 arm next");
		break;
	case 5 ... 6:
		run("hold sim0 poll 16");
		break;
	default:
		run("hold sim0 %s", one_in(2) ? "bad" : one_in(2) ? "error" : "reset");
		break;
	}
}

static void act_world(void)
{
	struct reader *r = &fuzz.readers[1 + below(READERS - 1)];

	begin_call("event", 0, 0, 0);
	switch (below(32)) {
	case 0:
		if (fuzz.nlive < DEVICES && devices_made < NEW_DEVICES)
			add_device(&fuzz.readers[0]);
		break;
	case 1:
		if (fuzz.nlive > 1)
			remove_device();
		break;
	case 2 ... 4:
		reader_close(r);
		open_reader(r - fuzz.readers);
		break;
	case 5 ... 8:
		act_port();
		break;
	case 9 ... 14:
		act_completions();
		break;
	default:
		act_events();
		break;
	}
	log_catch_up();
	genl_listen(one_in(8));
}

static void step(uint64_t number)
{
	struct reader *r;

	fuzz_step(number);
	r = &fuzz.readers[below(READERS)];
	switch (below(16)) {
	case 0:
		act_world();
		break;
	case 1 ... 6:
		do_file(r);
		break;
	case 7 ... 9:
		do_genl();
		break;
	default:
		do_ioctl(r);
		break;
	}
}

/* The reader that was never moved has got everything. */
static void check_sum(void)
{
	struct reader *r = &fuzz.readers[0];
	static struct rdmaev_record recs[64];
	uint64_t newest;
	ssize_t n;

	begin_call("all", 0, 0, 0);
	do {
		log_catch_up();
		newest = get_info(r->fd).newest_seq;
		n = read(r->fd, recs, sizeof(recs)) / (ssize_t)sizeof(recs[0]);
		log_catch_up();
		reader_take(r, recs, n > 0 ? n : 0, ARRAY_SIZE(recs), r->pos - 1);
	} while (n > 0);
	if (r->delivered + r->lost != newest - r->start)
		bad("%llu delivered, %llu lost, and there were %llu",
		    (unsigned long long)r->delivered, (unsigned long long)r->lost,
		    (unsigned long long)(newest - r->start));
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static uint64_t steps(void)
{
	return number("RDMAEV_FUZZ_STEPS", STEPS);
}

/* run_tests ends a test that exceeds its time limit. */
FIXTURE(fuzz) {
	int fd;
};

FIXTURE_SETUP(fuzz)
{
	ASSERT_EQ(memory_init(), 0);
	fuzz_begin();
	printf("# seed 0x%llx\n", (unsigned long long)fuzz.seed);
	fflush(stdout);
}

FIXTURE_TEARDOWN(fuzz)
{
	end_epoch();
}

TEST_F_TIMEOUT(fuzz, calls, 86400)
{
	static const unsigned int sizes[] = { 64, 64, 256, 1024 };
	uint64_t first = number("RDMAEV_FUZZ_FIRST", 0) / EPOCH * EPOCH;
	uint64_t i, start = now_ms();

	for (i = first; i < steps(); i++) {
		if (i % EPOCH == 0) {
			if (i > first)
				check_sum();
			fuzz_step(~i);
			ASSERT_EQ(begin_epoch(sizes[below(ARRAY_SIZE(sizes))]), 0);
		}
		step(i);
	}
	check_sum();
	printf("# %llu steps in %llu ms, calls 0x%llx\n", (unsigned long long)(i - first),
	       (unsigned long long)(now_ms() - start), (unsigned long long)fuzz.hash);
	fflush(stdout);
	EXPECT_EQ(fuzz.failures, 0);
}

/* Runs until it is killed. Files must not stay open because of it. */
static void make_events(uint64_t number)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		close(fuzz.readers[i].fd);
		if (fuzz.readers[i].twin >= 0)
			close(fuzz.readers[i].twin);
	}
	genl_end_epoch();
	for (;;) {
		fuzz_step(number++);
		act_events();
	}
}

/*
 * With events at any time, records cannot be predicted; complete delivery can
 * be checked.
 */
TEST_F_TIMEOUT(fuzz, calls_while_events_come, 86400)
{
	uint64_t i, first = steps(), n = first / 4;
	pid_t pid;

	fuzz_step(first);
	ASSERT_EQ(begin_epoch(64), 0);
	fuzz.racing = 1;
	pid = fork();
	if (!pid)
		make_events(first + n);
	/* Longer, if events have not caused a loss yet. */
	for (i = first; i < first + n || (!fuzz.readers[0].lost && i < first + 50 * n); i++) {
		struct reader *r;

		fuzz_step(i);
		r = &fuzz.readers[below(READERS)];
		if (one_in(64) && !r->stays) {
			reader_close(r);
			open_reader(r - fuzz.readers);
		} else if (one_in(8)) {
			do_genl();
		} else if (one_in(2)) {
			do_file(r);
		} else {
			do_ioctl(r);
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check_sum();
	printf("# %llu delivered, %llu lost\n", (unsigned long long)fuzz.readers[0].delivered,
	       (unsigned long long)fuzz.readers[0].lost);
	fflush(stdout);
	EXPECT_GT(fuzz.readers[0].lost, 0);
	EXPECT_EQ(fuzz.failures, 0);
}

TEST_HARNESS_MAIN
