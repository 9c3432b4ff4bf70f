// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transitions of QP states in librdmaev-verbs: compared with ib_core's
 * ib_modify_qp_is_ok(), and with what soft RoCE and siw do to ibv_modify_qp().
 */
#include <rdmaev_verbs.h>

#include "common.h"
#include "kselftest_harness.h"
#include "../observe/program.h"

#define ASK "/sys/kernel/debug/rdmaev_qpstate"
#define BATCH 1024
#define ATTRS 26	/* bits of enum ibv_qp_attr_mask, with reserved ones */

static const enum ibv_qp_type types[] = {
	IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND,
	IBV_QPT_XRC_RECV,
};

/* As in rdmaev_qpstate */
struct question {
	uint32_t from;
	uint32_t to;
	uint32_t type;
	uint32_t mask;
};

/* Masks to be compared */
struct batch {
	int fd;
	unsigned int count;
	unsigned long asked;
	unsigned long fine;
	unsigned long wrong;
	unsigned long limited;
	struct question question[BATCH];
	uint32_t mask[BATCH];	/* of the program, before ib_uverbs changed it */
};

/* What ib_uverbs makes of the mask of a program: modify_qp() in uverbs_cmd.c */
static uint32_t as_passed_on(const struct question *q, uint32_t mask)
{
	if (mask & IBV_QP_AV && !(mask & IBV_QP_STATE && q->to == IBV_QPS_RTR))
		mask |= IBV_QP_PORT;
	if (q->type == IBV_QPT_XRC_SEND)
		mask &= ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (q->type == IBV_QPT_XRC_RECV)
		mask &= ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static int ours_is_ok(const struct question *q, uint32_t mask)
{
	return !rdmaev_qp_transition_check(RDMAEV_QP_IB, q->type, q->from, q->to, mask, NULL);
}

/*
 * Newer kernels (7.3, not 6.1) take the rate limit in all transitions, and leave
 * it to the driver.
 */
static int only_rate_limit(const struct question *q, uint32_t mask)
{
	return mask & IBV_QP_RATE_LIMIT && !ours_is_ok(q, mask) &&
	       ours_is_ok(q, mask & ~IBV_QP_RATE_LIMIT);
}

static void compare(struct batch *b, uint8_t *fine)
{
	unsigned int i;

	for (i = 0; i < b->count; i++) {
		const struct question *q = &b->question[i];
		int ours = ours_is_ok(q, b->mask[i]);

		b->asked++;
		b->fine += fine[i];
		if (ours == fine[i])
			continue;
		if (fine[i] && kernel_version() > KERNEL(6, 12) &&
		    only_rate_limit(q, b->mask[i])) {
			b->limited++;
			continue;
		}
		if (b->wrong++ < 10)
			fprintf(stderr, "# %u -> %u, type %u, mask %#x: core %u, ours %d\n",
				q->from, q->to, q->type, b->mask[i], fine[i], ours);
	}
	b->count = 0;
}

static void flush(struct batch *b)
{
	ssize_t size = b->count * sizeof(b->question[0]);
	uint8_t fine[BATCH];

	if (!b->count)
		return;
	if (write(b->fd, b->question, size) != size ||
	    read(b->fd, fine, b->count) != (ssize_t)b->count)
		b->wrong++;
	else
		compare(b, fine);
	b->count = 0;
}

static void ask(struct batch *b, unsigned int from, unsigned int to, unsigned int type,
		uint32_t mask)
{
	struct question q = { from, to, type, 0 };

	q.mask = as_passed_on(&q, mask);
	b->mask[b->count] = mask;
	b->question[b->count++] = q;
	if (b->count == BATCH)
		flush(b);
}

/*
 * All subsets of the attributes that either takes, each alone and with each bit
 * that it does not. The core accepts what has all of one set and nothing outside
 * of another, so these masks find any difference in the sets.
 */
static void ask_all(struct batch *b, unsigned int from, unsigned int to, unsigned int type)
{
	struct rdmaev_qp_transition t = { .size = sizeof(t) };
	uint32_t taken, subset;
	unsigned int bit;

	rdmaev_qp_transition(RDMAEV_QP_IB, type, from, to, &t);
	taken = t.required | t.optional | t.ignored;
	for (subset = taken;; subset = (subset - 1) & taken) {
		ask(b, from, to, type, subset | IBV_QP_STATE);
		if (from == to)
			ask(b, from, to, type, subset);
		for (bit = 1; bit < ATTRS; bit++) {
			if (!(taken & 1U << bit))
				ask(b, from, to, type, subset | 1U << bit | IBV_QP_STATE);
		}
		if (!subset)
			return;
	}
}

TEST(table_is_that_of_the_core)
{
	static struct batch b;
	unsigned int from, to, i;

	if (load_module("rdmaev_qpstate"))
		ASSERT_EQ(access(ASK, F_OK), 0);
	b.fd = open(ASK, O_RDWR | O_CLOEXEC);
	ASSERT_GE(b.fd, 0);
	for (from = 0; from <= IBV_QPS_ERR; from++) {
		for (to = 0; to <= IBV_QPS_ERR; to++) {
			for (i = 0; i < ARRAY_SIZE(types); i++)
				ask_all(&b, from, to, types[i]);
		}
	}
	flush(&b);
	close(b.fd);
	fprintf(stderr, "# %lu masks compared, %lu fine, %lu by the rate limit, %lu differ\n",
		b.asked, b.fine, b.limited, b.wrong);
	EXPECT_EQ(b.wrong, 0);
	EXPECT_GT(b.fine, 1000);
}

/* What is missing with no attribute at all */
static unsigned int all_missing(unsigned int from, unsigned int to, unsigned int type)
{
	struct rdmaev_qp_check c = { .size = sizeof(c) };

	rdmaev_qp_transition_check(RDMAEV_QP_IB, type, from, to, 0, &c);
	return c.missing;
}

TEST(missing_and_unwanted_are_told)
{
	struct rdmaev_qp_check c = { .size = sizeof(c) };
	char text[256];

	EXPECT_EQ(all_missing(IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPT_UC),
		  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN);
	ASSERT_EQ(rdmaev_qp_transition_check(RDMAEV_QP_ROCE, IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR,
					     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN |
					     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
					     IBV_QP_PORT | IBV_QP_ALT_PATH, &c), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(c.problems, RDMAEV_QP_MISSING | RDMAEV_QP_UNWANTED);
	EXPECT_EQ(c.missing, IBV_QP_AV | IBV_QP_DEST_QPN);
	EXPECT_EQ(c.unwanted, IBV_QP_PORT | IBV_QP_ALT_PATH);
	EXPECT_EQ(c.size, sizeof(c));
	EXPECT_EQ(rdmaev_qp_check_text(&c, text, sizeof(text)), (int)strlen(text));
	EXPECT_STREQ(text, "INIT -> RTR of an RC QP on RoCE; missing: AV, DEST_QPN;"
		     " cannot be set: PORT, ALT_PATH");
	EXPECT_EQ(rdmaev_qp_check_text(&c, NULL, 0), (int)strlen(text));
	EXPECT_EQ(rdmaev_qp_check_text(&c, text, 8), 85);
	EXPECT_STREQ(text, "INIT ->");
	c.size--;
	EXPECT_EQ(rdmaev_qp_check_text(&c, text, sizeof(text)), -1);
}

TEST(what_is_unknown_fails)
{
	struct rdmaev_qp_transition t = { .size = sizeof(t) };
	struct rdmaev_qp_check c = { .size = sizeof(c) };

	EXPECT_EQ(rdmaev_qp_transition(RDMAEV_QP_IB, IBV_QPT_DRIVER, IBV_QPS_RESET,
				       IBV_QPS_INIT, &t), -1);
	EXPECT_EQ(errno, ENOTSUP);
	EXPECT_EQ(rdmaev_qp_transition(RDMAEV_QP_IB, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS, &t),
		  -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(rdmaev_qp_transition(RDMAEV_QP_IB, IBV_QPT_RC, 99, IBV_QPS_RTS, &t), -1);
	EXPECT_EQ(rdmaev_qp_transition(RDMAEV_QP_IB, IBV_QPT_RC, IBV_QPS_RTS, 99, &t), -1);
	EXPECT_EQ(rdmaev_qp_transition(99, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, &t), -1);
	t.size--;
	EXPECT_EQ(rdmaev_qp_transition(RDMAEV_QP_IB, IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, &t),
		  -1);
	EXPECT_EQ(rdmaev_qp_transition_check(RDMAEV_QP_IB, IBV_QPT_RC, IBV_QPS_ERR, IBV_QPS_RTS,
					     IBV_QP_STATE, &c), -1);
	EXPECT_EQ(c.problems, RDMAEV_QP_NO_TRANSITION);
	EXPECT_EQ(rdmaev_qp_transition_check(RDMAEV_QP_IB, IBV_QPT_RC, IBV_QPS_ERR, IBV_QPS_RESET,
					     IBV_QP_STATE | 1U << 31, &c), -1);
	EXPECT_EQ(c.unwanted, 1U << 31);
	EXPECT_STREQ(rdmaev_qp_attr_name(IBV_QP_QKEY), "QKEY");
	EXPECT_EQ(rdmaev_qp_attr_name(IBV_QP_QKEY | IBV_QP_AV), NULL);
	EXPECT_EQ(rdmaev_qp_attr_name(1U << 23), NULL);
}

/* The check before the call says what the call does. */
static int agrees(struct ibv_qp *qp, struct ibv_qp_attr *attr, unsigned int mask)
{
	struct rdmaev_qp_check c = { .size = sizeof(c) };
	int said = rdmaev_qp_modify_check(qp, attr, mask, &c);
	int done = ibv_modify_qp(qp, attr, (int)mask);
	char text[256];

	if (!said == !done)
		return 1;
	rdmaev_qp_check_text(&c, text, sizeof(text));
	fprintf(stderr, "# mask %#x: ibv_modify_qp %d, but: %s\n", mask, done, text);
	return 0;
}

/* First without each of its attributes, then with all */
static int step(struct ibv_qp *qp, struct ibv_qp_attr *attr, unsigned int mask)
{
	unsigned int bit;
	int fine = 1;

	for (bit = 0; bit < ATTRS; bit++) {
		if (mask & 1U << bit && bit)
			fine &= agrees(qp, attr, mask & ~(1U << bit));
	}
	fine &= agrees(qp, attr, mask | IBV_QP_CAP);
	return fine & agrees(qp, attr, mask);
}

#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR_MASK (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |	\
		  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK (IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |	\
		  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* Along the way of an RC QP, checks and calls agree. */
TEST(soft_roce_agrees)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.min_rnr_timer = 12,
		.timeout = 17,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } },
	};
	struct rdmaev_qp_check c = { .size = sizeof(c) };
	struct program p;
	struct ibv_qp *qp;

	ASSERT_EQ(rxe_add("qps0"), 0);
	ASSERT_TRUE(program_begin(&p, "qps0", 0));
	qp = p.qp[0];
	attr.dest_qp_num = p.qp[1]->qp_num;
	attr.ah_attr.grh.dgid = p.gid;
	EXPECT_TRUE(step(qp, &attr, INIT_MASK));
	attr.qp_state = IBV_QPS_RTS;
	EXPECT_TRUE(agrees(qp, &attr, RTS_MASK));
	attr.qp_state = IBV_QPS_RTR;
	attr.ah_attr.is_global = 0;
	EXPECT_TRUE(agrees(qp, &attr, RTR_MASK));
	ASSERT_EQ(rdmaev_qp_modify_check(qp, &attr, RTR_MASK, &c), -1);
	EXPECT_EQ(c.problems, RDMAEV_QP_NO_GRH);
	EXPECT_EQ(c.transport, RDMAEV_QP_ROCE);
	EXPECT_EQ(c.from, IBV_QPS_INIT);
	attr.ah_attr.is_global = 1;
	EXPECT_TRUE(step(qp, &attr, RTR_MASK));
	attr.qp_state = IBV_QPS_RTS;
	EXPECT_TRUE(step(qp, &attr, RTS_MASK));
	attr.qp_state = IBV_QPS_ERR;
	EXPECT_TRUE(step(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	EXPECT_TRUE(agrees(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RESET;
	EXPECT_TRUE(step(qp, &attr, IBV_QP_STATE));
	program_end(&p);
}

/* iWARP: librdmacm connects, most attributes are ignored. */
TEST(siw_agrees)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct rdmaev_qp_check c = { .size = sizeof(c) };
	struct program p;
	struct ibv_qp *qp;

	if (sh("ip link add qpsd type dummy && ip link set qpsd up &&"
	       " rdma link add qps1 type siw netdev qpsd"))
		SKIP(return, "no siw");
	ASSERT_TRUE(program_begin(&p, "qps1", 0));
	qp = p.qp[0];
	EXPECT_TRUE(agrees(qp, &attr, INIT_MASK));
	ASSERT_EQ(rdmaev_qp_transition_check(RDMAEV_QP_IWARP, IBV_QPT_RC, IBV_QPS_INIT,
					     IBV_QPS_RTS, IBV_QP_STATE, &c), -1);
	EXPECT_EQ(c.problems, RDMAEV_QP_ONLY_BY_CM);
	attr.qp_state = IBV_QPS_RTS;
	EXPECT_NE(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	ASSERT_EQ(rdmaev_qp_modify_check(qp, &attr, IBV_QP_STATE, &c), -1);
	EXPECT_EQ(c.transport, RDMAEV_QP_IWARP);
	attr.qp_state = IBV_QPS_ERR;
	EXPECT_TRUE(agrees(qp, &attr, IBV_QP_STATE));
	program_end(&p);
}

TEST_HARNESS_MAIN
