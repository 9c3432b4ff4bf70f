// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many QPs fail: each of them has a record, however many fail at a time, and
 * the module keeps no memory of them. What a ULP has above its share of a ring is
 * counted.
 */
#include "cq.h"
#include "sim_link.h"

#define QP_FATAL	1		/* an event */

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
	ASSERT_EQ(param("burst_ms", 0), 0);
}

FIXTURE_TEARDOWN(many)
{
	close_sim0(self->fd);
	param("burst_ms", 1000);
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

#define STORM	6000		/* QPs, more than a ring has room for with their ends */
#define PARTS	3		/* of the storm */

FIXTURE(share) {
	int fd;
	uint32_t index;
	uint32_t generation;
};

FIXTURE_SETUP(share)
{
	ASSERT_EQ(open_sim0(&self->fd, &self->index, &self->generation), 0);
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	ASSERT_EQ(load_ulp(), 0);
	ASSERT_EQ(ulp_create("sim0", 2), 0);
	ASSERT_EQ(param("burst_ms", 100), 0);
}

FIXTURE_TEARDOWN(share)
{
	ulp_destroy("sim0");
	close_sim0(self->fd);
	param("burst_ms", 1000);
}

struct sums {
	uint64_t failed, flushed, fatal, lost;
	unsigned int records;		/* of the storm */
	unsigned int sums;		/* of these, about several QPs */
	unsigned int strange;
};

static void add(struct sums *s, const struct rdmaev_record *rec)
{
	const bool is_sum = !(rec->body.wc.info.known & RDMAEV_KNOWN_OBJECT);

	if (rec->kind == RDMAEV_KIND_LOST)
		s->lost += rec->body.lost.count;
	if (rec->kind == RDMAEV_KIND_ASYNC && rec->code == QP_FATAL)
		s->fatal += rec->count;
	if (rec->kind != RDMAEV_KIND_WC)
		return;
	s->records++;
	s->sums += is_sum;
	s->failed += rec->code == LOC_QP_OP_ERR ? rec->count : 0;
	s->flushed += rec->code == WR_FLUSH_ERR ? rec->count : 0;
	s->strange += rec->severity != RDMAEV_SEVERITY_ERROR ||
		      (is_sum && (rec->object || rec->cause || rec->body.wc.wr_id)) ||
		      strcmp(rec->body.info.owner, CQTEST_NAME);
}

/* A ULP cannot help it: who reaches it through the network makes its QPs fail. */
TEST_F_TIMEOUT(share, storm, 120)
{
	struct object list[MAX_OBJECTS];
	struct rdmaev_info info = get_info(self->fd);
	struct sums s = {};
	struct rdmaev_record rec;
	int n = ulp_objects("sim0", list), i;

	ASSERT_GT(2 * STORM, info.ring_records);
	for (i = 0; i < n && strcmp(list[i].type, "qp"); i++)
		;
	ASSERT_LT(i, n);
	ASSERT_EQ(sim_raise(&list[i], QP_FATAL, "process", 1), 0);
	for (n = 0; n < PARTS; n++)
		ASSERT_EQ(run("fail sim0 %d %u", STORM / PARTS, STEP), 0);
	/* In a storm of a ULP, another ULP has its share. */
	ASSERT_EQ(sim_raise(&list[i], QP_FATAL, "process", 1), 0);
	do {
		ASSERT_TRUE(next(self->fd, &rec));
		add(&s, &rec);
	} while (s.failed < STORM || s.flushed < STORM * FLUSHED || s.fatal < 2);
	EXPECT_EQ(s.failed, STORM);
	EXPECT_EQ(s.flushed, STORM * FLUSHED);
	EXPECT_EQ(s.fatal, 2);
	EXPECT_EQ(s.lost, 0);
	EXPECT_EQ(s.strange, 0);
	EXPECT_GT(s.sums, 0);
	/* A quarter of the ring, and what its share has got meanwhile */
	EXPECT_GE(s.records, info.ring_records / 4);
	EXPECT_LT(s.records, info.ring_records / 2);
}

TEST_HARNESS_MAIN
