// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program with ten thousand QPs, of a user whose records are limited: each move and each
 * end is counted, and has a record or is in the number of those that have none. Each is in
 * the list once, while QPs of another user come and go.
 */
#include <fcntl.h>

#include "share.h"

#define QPS 10000

/* UD: they need no peer. */
static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_QKEY))
		return 0;
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		return 0;
	attr.qp_state = IBV_QPS_RTS;
	return !ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

/* Make @n QPs, when it is asked to move every second one to ERR, and end without destroying. */
static int use_qps(unsigned int n, int from, int to)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	static struct ibv_qp *qp[QPS];
	struct ibv_context *ctx = verbs_open(DEV);
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	unsigned int i;
	char byte;

	attr.send_cq = pd ? ibv_create_cq(ctx, 15, NULL, NULL, 0) : NULL;
	if (!attr.send_cq)
		return 3;
	attr.recv_cq = attr.send_cq;
	for (i = 0; i < n; i++) {
		qp[i] = ibv_create_qp(pd, &attr);
		if (!qp[i] || !to_rts(qp[i]))
			return 4;
	}
	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		return 5;
	for (i = 0; i < n; i += 2) {
		if (move(qp[i], IBV_QPS_ERR))
			return 6;
	}
	return write(to, &byte, 1) != 1 || read(from, &byte, 1) != 0;
}

static const unsigned int codes[] = {
	RDMAEV_QP_INIT, RDMAEV_QP_RTR, RDMAEV_QP_RTS, RDMAEV_QP_ERR, RDMAEV_QP_DESTROY,
	RDMAEV_QP_FAILED,
};

/* Counters of the device, in the order of codes */
static int get_counted(int fd, uint64_t *counted)
{
	static struct rdmaev_counter entry[512];
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.entry_size = sizeof(entry[0]),
		.port = RDMAEV_ANY,
		.count = ARRAY_SIZE(entry),
		.entries = (uintptr_t)entry,
	};
	struct rdmaev_device dev;
	unsigned int i, j;

	if (!find_device(fd, DEV, &dev))
		return 0;
	req.device = dev.index;
	if (ioctl(fd, RDMAEV_IOC_COUNTERS, &req))
		return 0;
	memset(counted, 0, ARRAY_SIZE(codes) * sizeof(*counted));
	for (i = 0; i < req.count; i++) {
		for (j = 0; j < ARRAY_SIZE(codes); j++) {
			if (entry[i].kind == RDMAEV_KIND_QP && entry[i].code == codes[j])
				counted[j] += entry[i].count;
		}
	}
	return 1;
}

/*
 * Occurrences of the records since @begin, and of those that have none, until there are @all;
 * and how many QPs were not asked for their state
 */
static uint64_t recorded(int fd, uint64_t begin, uint64_t all, uint64_t *not_asked)
{
	uint64_t count = 0;
	struct rdmaev_record r;
	unsigned int i;

	lseek(fd, begin, SEEK_SET);
	for (i = 0; i < 6000 && (count < all || !*not_asked); i++) {
		while (read(fd, &r, sizeof(r)) == sizeof(r)) {
			if (r.kind == RDMAEV_KIND_QP || (r.kind == RDMAEV_KIND_OBSERVER &&
							 r.code == RDMAEV_OBSERVER_SUPPRESSED))
				count += r.count;
			else if (r.kind == RDMAEV_KIND_OBSERVER &&
				 r.code == RDMAEV_OBSERVER_MISSED)
				*not_asked += r.count;
		}
		usleep(10000);
	}
	return count;
}

/* Make and destroy QPs until it is to end. */
static int churn(unsigned int n, int from, int to)
{
	struct ibv_qp *qp[8] = {};
	struct program p;
	unsigned int i;
	char byte;

	if (!program_begin(&p, DEV, 0) || read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1 ||
	    fcntl(from, F_SETFL, O_NONBLOCK))
		return 3;
	for (i = 0; read(from, &byte, 1); i = (i + 1) % n) {
		if (qp[i])
			ibv_destroy_qp(qp[i]);
		qp[i] = program_qp(&p, p.cq);
		if (!qp[i] || to_init(qp[i]))
			return 4;
	}
	/* Without a record of its end */
	for (i = 0; i < n && qp[i]; i++)
		ibv_destroy_qp(qp[i]);
	program_end(&p);
	return 0;
}

#define LIST_ROOM 100

static int list_qps(int fd, uint64_t after, struct rdmaev_qp *list)
{
	struct rdmaev_qps req = {
		.size = sizeof(req),
		.entry_size = sizeof(*list),
		.count = LIST_ROOM,
		.entries = (uintptr_t)list,
		.after = after,
		.device = RDMAEV_ANY,
	};

	return ioctl(fd, RDMAEV_IOC_QPS, &req) ? -1 : (int)req.count;
}

/* Count those of a process in the list by state; -1 if one is there twice, or is wrong. */
static int list_all(int fd, const struct child *child, unsigned int *states)
{
	static unsigned char seen[1 << 24];
	struct rdmaev_qp list[LIST_ROOM];
	int count, i, of_child = 0;
	uint64_t after = 0;

	memset(seen, 0, sizeof(seen));
	memset(states, 0, (RDMAEV_QP_ERR + 1) * sizeof(*states));
	do {
		count = list_qps(fd, after, list);
		for (i = 0; i < count && i < LIST_ROOM; i++) {
			const struct rdmaev_qp *qp = &list[i];

			if (qp->id <= after)
				return -1;
			after = qp->id;
			if (qp->info.uid != GREEDY_UID)
				continue;
			if (qp->pid != (uint32_t)child->pid || !qp->started_ns ||
			    seen[qp->qp % sizeof(seen)]++ ||
			    qp->info.qp_type != RDMAEV_QPT_UD || qp->port != 1 ||
			    qp->info.qp_state > RDMAEV_QP_ERR)
				return -1;
			states[qp->info.qp_state]++;
			of_child++;
		}
	} while (count > LIST_ROOM);
	return count < 0 ? -1 : of_child;
}

TEST_F_TIMEOUT(share, ten_thousand_qps, 600)
{
	const unsigned int n = QPS / slowness();
	uint64_t before[ARRAY_SIZE(codes)], after[ARRAY_SIZE(codes)], not_asked = 0;
	unsigned int states[RDMAEV_QP_ERR + 1], i;
	struct child child, other;

	ASSERT_TRUE(get_counted(self->fd, before));
	child = child_begin(GREEDY_UID, use_qps, n);
	ASSERT_TRUE(child_uses_all(&child));
	ASSERT_TRUE(get_counted(self->fd, after));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(after[i] - before[i], n);
	other = child_begin(0, churn, 8);
	ASSERT_TRUE(child_uses_all(&other));
	EXPECT_EQ(list_all(self->fd, &child, states), n);
	EXPECT_EQ(states[RDMAEV_QP_RTS], n);
	ASSERT_TRUE(child_uses_all(&child));
	EXPECT_EQ(list_all(self->fd, &child, states), n);
	EXPECT_EQ(states[RDMAEV_QP_RTS], n / 2);
	EXPECT_EQ(states[RDMAEV_QP_ERR], n - n / 2);
	EXPECT_EQ(child_end(&other), 0);
	EXPECT_EQ(child_end(&child), 0);
	EXPECT_EQ(recorded(self->fd, self->begin, n + n / 2, &not_asked), n + n / 2);
	/* What is folded is counted with its record. */
	ASSERT_TRUE(get_counted(self->fd, after));
	EXPECT_EQ(after[3] - before[3], n / 2);
	EXPECT_EQ(after[4] - before[4], n);
	EXPECT_EQ(after[5] - before[5], 0);
	EXPECT_EQ(list_all(self->fd, &child, states), 0);
	/* Those that were not in ERR, but for those that were asked */
	EXPECT_LE(not_asked, n / 2);
	EXPECT_GT(not_asked, 0);
}

TEST_HARNESS_MAIN
