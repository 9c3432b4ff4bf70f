// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * 64 devices with the probe on: all complete, each with one QP, one CQ and one
 * PD, no more often than the interval says; and what that costs.
 */
#include <glob.h>

#include "probe.h"
#include "kselftest_harness.h"

#define DEVICES		64
#define INTERVAL_MS	100
#define REQUESTS	10	/* of each device, while it is measured */

/* Memory of the kernel for a port that is probed: its objects, and rdmaev's of them */
#define PORT_KB		64
/* Steps of the work for a request: one posts it, one takes its completion */
#define STEPS		4

FIXTURE(many) {
	int fd;
	unsigned int n;
	uint32_t index[DEVICES];
	struct rdmaev_probe list[DEVICES];
};

static int create(const char *name)
{
	return sim_create_link(name, 1, "ib verbs");
}

FIXTURE_SETUP(many)
{
	struct rdmaev_device dev;
	unsigned int i;
	char name[16];

	ASSERT_EQ(probe_load(), 0);
	ASSERT_EQ(probe_param("probe_late_ms", 0), 0);
	ASSERT_EQ(probe_param("probe_lost_ms", SOON_MS), 0);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->n = DEVICES / slowness();
	for (i = 0; i < self->n; i++) {
		snprintf(name, sizeof(name), "sim%u", i);
		ASSERT_EQ(create(name), 0);
		ASSERT_TRUE(find_device(self->fd, name, &dev));
		self->index[i] = dev.index;
	}
	ASSERT_EQ(filter_kinds(self->fd, 1U << RDMAEV_KIND_PROBE), 0);
}

FIXTURE_TEARDOWN(many)
{
	unsigned int i;
	char name[16];

	for (i = 0; i < self->n; i++) {
		snprintf(name, sizeof(name), "sim%u", i);
		sim_destroy(name);
	}
	close(self->fd);
}

/* What the kernel's allocators cannot give back, in KB */
static long memory(void)
{
	static const char * const of[] = { "SUnreclaim:", "Percpu:", "VmallocUsed:" };
	char line[128];
	unsigned int i;
	long sum = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		for (i = 0; i < ARRAY_SIZE(of); i++) {
			if (!strncmp(line, of[i], strlen(of[i])))
				sum += strtol(line + strlen(of[i]), NULL, 10);
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* CPU time of the workers of unbound queues, in ns, and how often they began to run */
static uint64_t worked(uint64_t *slices)
{
	unsigned long long ran, waited, times, sum = 0;
	char name[32];
	size_t i;
	glob_t g;
	FILE *f;

	*slices = 0;
	if (glob("/proc/[0-9]*/schedstat", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%.*s/comm", (int)(strrchr(g.gl_pathv[i], '/') -
							 g.gl_pathv[i]), g.gl_pathv[i]);
		f = fopen(path, "r");
		name[0] = '\0';
		if (!f || !fgets(name, sizeof(name), f))
			name[0] = '\0';
		if (f)
			fclose(f);
		if (strncmp(name, "kworker/u", 9))
			continue;
		f = fopen(g.gl_pathv[i], "r");
		if (f && fscanf(f, "%llu %llu %llu", &ran, &waited, &times) == 3) {
			sum += ran;
			*slices += times;
		}
		if (f)
			fclose(f);
	}
	globfree(&g);
	return sum;
}

/* Requests of all that have completed; 0 if one of them has not @least. */
static uint64_t completed(int fd, struct rdmaev_probe *list, unsigned int n, uint64_t least)
{
	uint64_t sum = 0;
	unsigned int i;

	if (probe_list(fd, list, n) != (int)n)
		return 0;
	for (i = 0; i < n; i++) {
		if (list[i].completed < least)
			return 0;
		sum += list[i].completed;
	}
	return sum;
}

static uint64_t wait_completed(int fd, struct rdmaev_probe *list, unsigned int n, uint64_t least)
{
	uint64_t end = now_ms() + SOON_MS * slowness(), sum;

	while (!(sum = completed(fd, list, n, least)) && now_ms() < end)
		sleep_ms(50);
	return sum;
}

static unsigned int objects(const char *type)
{
	unsigned int n = 0;
	char cmd[96];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "rdma resource show %s | grep -c 'comm .rdmaev_probe'", type);
	f = popen(cmd, "r");
	if (!f || fscanf(f, "%u", &n) != 1)
		n = 0;
	if (f)
		pclose(f);
	return n;
}

static int all_set(int fd, const uint32_t *index, unsigned int n, unsigned int ms)
{
	unsigned int i, bad = 0;

	for (i = 0; i < n; i++)
		bad |= probe_set(fd, index[i], ms);
	return bad;
}

TEST_F_TIMEOUT(many, cost_is_bounded, 120)
{
	uint64_t start, from, done, ns, slices, ran;
	long before, on, after;
	struct rdmaev_record rec;
	unsigned int i;

	before = memory();
	start = now_ms();
	ASSERT_EQ(all_set(self->fd, self->index, self->n, INTERVAL_MS), 0);
	from = wait_completed(self->fd, self->list, self->n, 1);
	ASSERT_NE(from, 0);
	EXPECT_EQ(objects("qp"), self->n);
	EXPECT_EQ(objects("cq"), self->n);
	EXPECT_EQ(objects("pd"), self->n);
	on = memory();

	ns = worked(&slices);
	from = completed(self->fd, self->list, self->n, 1);
	done = wait_completed(self->fd, self->list, self->n,
			      self->list[0].completed + REQUESTS);
	ASSERT_NE(done, 0);
	ns = worked(&ran) - ns;
	slices = ran - slices;
	after = memory();
	for (i = 0; i < self->n; i++) {
		EXPECT_EQ(self->list[i].state, RDMAEV_PROBE_STATE_OK);
		EXPECT_EQ(self->list[i].failed + self->list[i].lost + self->list[i].rebuilt, 0);
		/* One when it begins, and then one in each interval */
		EXPECT_LE(self->list[i].sent, (now_ms() - start) / INTERVAL_MS + 2);
	}
	printf("# %u devices: %ld KB a port, %ld KB more after %llu requests; "
	       "a request: %llu ns of CPU, a worker begins %.2f times\n",
	       self->n, (on - before) / (long)self->n, after - on,
	       (unsigned long long)(done - from), (unsigned long long)(ns / (done - from)),
	       (double)slices / (done - from));
	fflush(stdout);
	/* Checkers of memory keep what was freed. */
	if (slowness() == 1) {
		EXPECT_LE(on - before, PORT_KB * (long)self->n);
		EXPECT_LE(after - on, PORT_KB * (long)self->n / 8);
	}
	/* 0 on kernels that do not count it */
	EXPECT_LE(slices, STEPS * (done - from));
	EXPECT_LT(read(self->fd, &rec, sizeof(rec)), 0);

	/* Off: no work at all */
	ASSERT_EQ(all_set(self->fd, self->index, self->n, 0), 0);
	for (i = 0; i < self->n; i++)
		ASSERT_TRUE(probe_is(self->fd, self->index[i], 1, RDMAEV_PROBE_STATE_OFF,
				     &self->list[i]));
	EXPECT_EQ(objects("qp") + objects("cq") + objects("pd"), 0);
}

TEST_HARNESS_MAIN
