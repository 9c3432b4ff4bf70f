// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a record costs that one listener receives by generic netlink, beside network
 * namespaces without a listener. Counted is all that the machine does for it: sent by
 * the module, received by the listener. See bench.c for the clock.
 *
 * bench_netlink DEVICE: prints a table, and exits with 1 if a budget is exceeded.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "common.h"
#include "genl.h"

#define NS_PER_INSTRUCTION 2
#define EVENTS 2048
#define ROUNDS 4
#define NAMESPACES 1000

/* For each record and namespace without members. */
#define NAMESPACE_BUDGET 9.0

/* SRQ_LIMIT_REACHED: no port is queried for it, and verbs pass it over. */
#define QUIET_EVENT 15

static const char *device;
static struct genl_listener listener;

static void die(const char *what)
{
	fprintf(stderr, "bench_netlink: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* Time that the one CPU has not been idle. */
static double busy_ns(void)
{
	double now = now_ns(), up, idle;
	FILE *f = fopen("/proc/uptime", "r");

	if (!f || fscanf(f, "%lf %lf", &up, &idle) != 2)
		die("/proc/uptime");
	fclose(f);
	return now - idle * 1e9;
}

static void receive(unsigned int n)
{
	struct rdmaev_record rec;

	while (n) {
		if (genl_read(&listener, &rec, 10000) != 1)
			die("records are missing");
		n--;
	}
}

/* Instructions for a record; @at_once are appended before the listener has a turn. */
static double cost(unsigned int at_once)
{
	unsigned int i;
	double start;

	gen("process", device, QUIET_EVENT, 1, at_once);
	receive(at_once);
	start = busy_ns();
	for (i = 0; i < EVENTS * ROUNDS / at_once; i++) {
		gen("process", device, QUIET_EVENT, 1, at_once);
		receive(at_once);
	}
	return (busy_ns() - start) / NS_PER_INSTRUCTION / (EVENTS * ROUNDS);
}

static void add_namespaces(unsigned int n)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	while (n--) {
		if (unshare(CLONE_NEWNET) || open("/proc/self/ns/net", O_RDONLY) < 0)
			die("unshare");
	}
	if (here < 0 || setns(here, CLONE_NEWNET))
		die("setns");
}

int main(int argc, char **argv)
{
	struct rlimit files = { 2 * NAMESPACES, 2 * NAMESPACES };
	double alone, single, beside, each;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_netlink DEVICE\n");
		return 2;
	}
	device = argv[1];
	setlinebuf(stdout);
	/* Each event by itself. */
	if (setrlimit(RLIMIT_NOFILE, &files) || param("burst_ms", 0))
		die("limits");
	fd = open_node(0);
	if (fd < 0 || genl_listener_open(&listener, get_info(fd).newest_seq + 1, 1))
		die("netlink");
	close(fd);

	alone = cost(EVENTS);
	printf("%-58s %8.0f\n", "netlink: a record that wakes one listener, and is read", alone);
	single = cost(1);
	printf("%-58s %8.0f\n", "... one at a time", single);
	add_namespaces(50);
	printf("%-58s %8.0f\n", "... beside 50 namespaces without a listener", cost(EVENTS));
	add_namespaces(NAMESPACES - 50);
	beside = cost(EVENTS);
	printf("%-58s %8.0f   at most %.0f%s\n", "... beside 1000", beside, 2 * alone,
	       beside > 2 * alone ? "  EXCEEDED" : "");
	printf("%-58s %8.0f\n", "... beside 1000, one at a time", cost(1));
	each = (beside - alone) / NAMESPACES;
	printf("%-58s %8.1f   at most %.0f%s\n", "... each namespace without a listener", each,
	       NAMESPACE_BUDGET, each > NAMESPACE_BUDGET ? "  EXCEEDED" : "");
	return beside > 2 * alone || each > NAMESPACE_BUDGET;
}
