/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of the tests of completions: a simulated device sim0 with two ports,
 * rdmaev_ulp, which has CQs on it, and what can be read of these CQs.
 */
#ifndef RDMAEV_TEST_CQ_H
#define RDMAEV_TEST_CQ_H

#include "sim.h"

#define CQTEST "/sys/kernel/debug/rdmaev_ulp/run"
#define CQTEST_NAME "cqtest"

/* Completion statuses */
#define LOC_QP_OP_ERR		2
#define LOC_PROT_ERR		4
#define WR_FLUSH_ERR		5
#define REM_OP_ERR		11
#define RETRY_EXC_ERR		12
#define REM_ABORT_ERR		16

#define VENDOR_ERR		0x80	/* of sim0, plus the status */

/* Run a command of rdmaev_ulp. */
__attribute__((format(printf, 1, 2)))
static inline int run(const char *format, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	return put(CQTEST, text);
}

/* Result of the last command: the number of a key, 0 if it is missing. */
static inline long result(const char *key)
{
	char line[2048], with[32];
	long value = 0;
	FILE *f = fopen(CQTEST, "r");
	char *at;

	line[0] = ' ';
	if (f && fgets(line + 1, sizeof(line) - 1, f)) {
		snprintf(with, sizeof(with), " %s=", key);
		at = strstr(line, with);
		if (at)
			value = atol(at + strlen(with));
	}
	if (f)
		fclose(f);
	return value;
}

__attribute__((format(printf, 2, 3)))
static inline int sim_put(const char *name, const char *format, ...)
{
	char path[128], text[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), SIM "sim0/%s", name);
	return put(path, text);
}

/* One RDMAEV_IOC_CQS; returns the number of CQs, or -1 with errno set. */
static inline int read_cqs(int fd, unsigned int flags, uint32_t device, uint64_t after,
			   struct rdmaev_cq_stats *list, unsigned int room,
			   uint64_t *seq)
{
	struct rdmaev_cqs req = {
		.size = sizeof(req),
		.flags = flags,
		.entry_size = sizeof(*list),
		.count = room,
		.entries = (uintptr_t)list,
		.after = after,
		.device = device,
	};

	memset(list, 0xee, room * sizeof(*list));
	if (ioctl(fd, RDMAEV_IOC_CQS, &req))
		return -1;
	if (seq)
		*seq = req.seq;
	return req.count;
}

/* Find a CQ of a device by its number; 1 if it exists. */
static inline int find_cq(int fd, uint32_t device, uint32_t number,
			  struct rdmaev_cq_stats *found)
{
	static struct rdmaev_cq_stats list[512];
	int i, n = read_cqs(fd, 0, device, 0, list, 512, NULL);

	for (i = 0; i < n && i < 512; i++) {
		if (list[i].flags & RDMAEV_CQ_NUMBERED && list[i].cq == number) {
			*found = list[i];
			return 1;
		}
	}
	return 0;
}

/* Find the sum of a device; 1 if it exists. */
static inline int find_sum(int fd, uint32_t device, struct rdmaev_cq_stats *sum)
{
	return read_cqs(fd, RDMAEV_CQS_SUMS, device, 0, sum, 1, NULL) == 1;
}

/*
 * True if the last command counted the same; prints the difference otherwise.
 */
static inline int same_counts(const struct rdmaev_cq_stats *stats)
{
	char key[16];
	int i, same = 1;

	for (i = 0; i < RDMAEV_OPCODES; i++) {
		snprintf(key, sizeof(key), "ok_%d", i);
		if ((long)stats->completions[i] == result(key))
			continue;
		fprintf(stderr, "# %s: %llu, and %ld for the ULP\n", key,
			(unsigned long long)stats->completions[i], result(key));
		same = 0;
	}
	for (i = 0; i < RDMAEV_WC_STATUSES; i++) {
		snprintf(key, sizeof(key), "failed_%d", i);
		if ((long)stats->failures[i] == result(key))
			continue;
		fprintf(stderr, "# %s: %llu, and %ld for the ULP\n", key,
			(unsigned long long)stats->failures[i], result(key));
		same = 0;
	}
	return same;
}

static inline uint64_t successes(const struct rdmaev_cq_stats *stats)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < RDMAEV_OPCODES; i++)
		n += stats->completions[i];
	return n;
}

static inline int filter_completions(int fd, const char *name)
{
	struct rdmaev_filter f = filter_all();

	f.kinds = 1U << RDMAEV_KIND_WC | 1U << RDMAEV_KIND_COMPLETION;
	filter_target(&f, name, 0);
	return ioctl(fd, RDMAEV_IOC_FILTER, &f);
}

/*
 * Make a new sim0, and open a reader of records of its completions; 0 if done.
 */
static inline int open_sim0(int *fd, uint32_t *index, uint32_t *generation)
{
	struct rdmaev_device dev;

	sim_destroy("sim0");
	if (sim_create("sim0", 2) || load_module("rdmaev_ulp"))
		return -1;
	*fd = open_node(O_NONBLOCK);
	if (*fd < 0 || !find_device(*fd, "sim0", &dev))
		return -1;
	*index = dev.index;
	*generation = dev.generation;
	return filter_completions(*fd, "sim0");
}

static inline void close_sim0(int fd)
{
	close(fd);
	sim_destroy("sim0");
}

/* For tests without variants. */
FIXTURE(cq) {
	int fd;				/* reads kinds wc and completion */
	uint32_t index;
	uint32_t generation;
};

FIXTURE_SETUP(cq)
{
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
}

FIXTURE_TEARDOWN(cq)
{
	close_sim0(self->fd);
}

#endif /* RDMAEV_TEST_CQ_H */
