// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many QPs fail: each of them has a record, however many fail at a time, and
 * the module keeps no memory of them.
 */
#include "cq.h"

#define QPS	10000
#define STEP	1000		/* so that no record is overwritten unread */
#define FLUSHED	5		/* of each QP */

/* Records of a QP */
struct story {
	uint64_t failed;		/* seq */
	unsigned int failures;
	unsigned int flushed;
};

struct tale {
	uint32_t first;			/* number of a QP */
	struct story of[STEP];
	unsigned int strange;
};

static void hear(int fd, struct tale *t)
{
	struct rdmaev_record rec;
	struct story *s;

	memset(t, 0, sizeof(*t));
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (!t->first)
			t->first = rec.object;
		if (rec.kind != RDMAEV_KIND_WC || rec.object < t->first ||
		    rec.object - t->first >= STEP) {
			t->strange++;
			continue;
		}
		s = &t->of[rec.object - t->first];
		if (rec.code == LOC_QP_OP_ERR && rec.count == 1 && !rec.cause) {
			s->failures++;
			s->failed = rec.seq;
			continue;
		}
		s->flushed += rec.count;
		t->strange += rec.code != WR_FLUSH_ERR || rec.body.wc.folded ||
			      rec.severity != RDMAEV_SEVERITY_ERROR ||
			      rec.cause != s->failed;
	}
}

/* Number of QPs that have the expected records */
static unsigned int complete(const struct tale *t)
{
	unsigned int i, good = 0;

	for (i = 0; i < STEP; i++)
		good += t->of[i].failures == 1 && t->of[i].flushed == FLUSHED;
	return good;
}

static struct tale tale;

FIXTURE(many) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

FIXTURE_SETUP(many)
{
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
}

FIXTURE_TEARDOWN(many)
{
	close_sim0(self->fd);
}

FIXTURE_VARIANT(many) {
	unsigned int burst;
};

FIXTURE_VARIANT_ADD(many, one_by_one) {
	.burst = 1,
};

FIXTURE_VARIANT_ADD(many, at_once) {
	.burst = STEP,
};

/* kB of what the kernel has allocated */
static long allocated(void)
{
	static const char * const keys[] = {
		"SUnreclaim:", "Percpu:", "VmallocUsed:",
	};
	char line[128], key[64];
	long sum = 0, kb;
	unsigned int i;
	FILE *f;

	/* Memory that RCU has to free is free afterwards. */
	sleep_ms(200);
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %ld", key, &kb) != 2)
			continue;
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			sum += strcmp(key, keys[i]) ? 0 : kb;
	}
	if (f)
		fclose(f);
	return sum;
}

/*
 * 64 bytes for each QP would be 625 kB. Other parts of the kernel allocate less
 * than half of that meanwhile.
 */
#define TOLERANCE_KB	400

TEST_F_TIMEOUT(many, qps, 120)
{
	long before, after;
	int i;

	/* Fill slabs and per-CPU lists. */
	ASSERT_EQ(run("fail sim0 %d %u", STEP, variant->burst), 0);
	hear(self->fd, &tale);
	before = allocated();
	for (i = 0; i < QPS / STEP / (int)slowness(); i++) {
		ASSERT_EQ(run("fail sim0 %d %u", STEP, variant->burst), 0);
		ASSERT_EQ(result("failed_2"), STEP);
		ASSERT_EQ(result("failed_5"), STEP * FLUSHED);
		hear(self->fd, &tale);
		ASSERT_EQ(complete(&tale), STEP);
		ASSERT_EQ(tale.strange, 0);
	}
	after = allocated();
	fprintf(stderr, "# %ld kB before, %ld kB after\n", before, after);
	/* Debug kernels keep freed memory for a while, and search for leaks. */
	if (access("/sys/kernel/debug/kmemleak", F_OK))
		EXPECT_LT(after - before, TOLERANCE_KB);
}

TEST_HARNESS_MAIN
