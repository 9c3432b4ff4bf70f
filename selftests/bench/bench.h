/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What benchmarks have in common. The clock of the guest counts instructions, 2 ns each, so
 * that two runs agree. On any other machine the figures are time and mean nothing.
 */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/rdmaev.h>

#define NODE "/dev/infiniband/rdmaev"
#define BURST_MS "/sys/module/rdmaev/parameters/burst_ms"
#define GEN "/sys/kernel/debug/rdmaev_gen/run"
#define CQTEST "/sys/kernel/debug/rdmaev_ulp/run"
#define SIM "/sys/kernel/debug/rdmaev_sim/create"
#define TRACE "/sys/kernel/tracing/"

#define NS_PER_INSTRUCTION 2
#define COMPLETIONS 32000
#define APPENDS 50000
#define EVENTS 4096
/* So many events verbs keep before they are taken: they allocate memory for each. */
#define KEPT 64

#define HANDLER_BUDGET 390

/* SRQ_LIMIT_REACHED: no port is looked at for it, and verbs pass it over. */
#define QUIET_EVENT 15
/* QP_FATAL: each is recorded */
#define QP_EVENT 1

static const char *device;
static int over;	/* a budget is exceeded */

static inline void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(2);
}

static inline uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Budgets are those of 6.1; what other kernels do themselves may cost a tenth more. */
static inline int is_61(void)
{
	struct utsname name;

	return !uname(&name) && !strncmp(name.release, "6.1.", 4);
}

static inline void row(const char *what, uint64_t ns, uint64_t events, double budget)
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

static inline int open_reader(int flags)
{
	int fd = open(NODE, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0)
		die(NODE);
	return fd;
}

static inline void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
}

static inline unsigned int device_index(int fd, const char *name)
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

static inline struct ibv_context *open_context(void)
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

static inline void drain(struct ibv_context *ctx)
{
	struct ibv_async_event ev;

	while (!ibv_get_async_event(ctx, &ev))
		ibv_ack_async_event(&ev);
}

/* Nanoseconds that the generator took. */
static inline uint64_t gen(const char *mode, unsigned int event, unsigned int count)
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

static inline uint64_t handler_cost(const char *mode, unsigned int event,
				    unsigned int count)
{
	uint64_t loop = gen("none", event, count);

	return gen(mode, event, count) - loop;
}

static inline void make(const char *sim)
{
	put(SIM, sim);
}

/* Not earlier than needed: to tell devices apart costs a little. */
static inline void make_sim(void)
{
	if (access("/sys/class/infiniband/sim0", F_OK))
		make("sim0 1");
}

#endif /* BENCH_H */
