// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the probe costs, in guest instructions: see bench.h.
 *
 * bench_probe DEVICE: prints a table, and exits with 1 if a budget is exceeded.
 */
#include "bench.h"

/* Nanoseconds of a round of the probe, and how often it sends meanwhile */
#define PROBE_NS 500000000ULL
#define PROBE_MS 1

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
	if (argc != 2) {
		fprintf(stderr, "usage: bench_probe DEVICE\n");
		return 2;
	}
	device = argv[1];
	probed();
	return over;
}
