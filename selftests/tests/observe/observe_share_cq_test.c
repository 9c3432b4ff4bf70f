// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Users have shares of the CQs that are known. Who needs more loses by it, and nobody
 * else does, and a list takes no memory for the CQs of others.
 */
#include "share.h"
#include "cq.h"

/* CQs of a user that are known */
#define CQ_SHARE 4096

/* Have each of MORE CQs notified once, all of them at the same time. */
static int notify(struct program *p, struct ibv_cq **cq)
{
	struct ibv_recv_wr recv = {}, *bad;
	struct ibv_qp *qp[MORE];
	struct ibv_cq *notified;
	struct ibv_wc wc;
	void *context;
	int i, ok = 1;

	for (i = 0; i < MORE; i++) {
		qp[i] = program_qp(p, cq[i]);
		if (!qp[i] || to_init(qp[i]) || ibv_req_notify_cq(cq[i], 0) ||
		    ibv_post_recv(qp[i], &recv, &bad))
			return 0;
	}
	for (i = 0; i < MORE; i++)
		ok &= !move(qp[i], IBV_QPS_ERR);
	for (i = 0; ok && i < MORE; i++) {
		ok &= !ibv_get_cq_event(p->channel, &notified, &context);
		ibv_ack_cq_events(notified, 1);
		ok &= ibv_poll_cq(notified, 1, &wc) == 1;
	}
	for (i = 0; i < MORE; i++)
		ok &= !ibv_destroy_qp(qp[i]);
	return ok;
}

/* Has @n CQs, and has each notified once each time that it is asked */
static int use_cqs(unsigned int n, int from, int to)
{
	static struct ibv_cq *cq[CQ_SHARE + 2 * MORE];
	struct program p = {};
	unsigned int i;
	char byte;

	if (!program_begin(&p, DEV, 1))
		return 3;
	for (i = 0; i < n; i++) {
		cq[i] = ibv_create_cq(p.ctx, 1, NULL, p.channel, 0);
		if (!cq[i])
			return 4;
	}
	while (read(from, &byte, 1) == 1) {
		for (i = 0; i < n; i += MORE) {
			if (!notify(&p, &cq[i]))
				return 5;
		}
		if (write(to, &byte, 1) != 1)
			return 6;
	}
	return 0;
}

/* CQs of a user, and the sum of their notifications */
static unsigned int cqs_of(int fd, uint32_t device, uid_t uid, uint64_t *notifications)
{
	static struct rdmaev_cq_stats list[64];
	unsigned int count = 0;
	uint64_t after = 0;
	int i, n;

	*notifications = 0;
	do {
		n = read_cqs(fd, 0, device, after, list, 64, NULL);
		for (i = 0; i < n && i < 64; i++) {
			after = list[i].id;
			if (!(list[i].flags & RDMAEV_CQ_USER) || list[i].uid != uid)
				continue;
			*notifications += list[i].notifications;
			count++;
		}
	} while (n > 64);
	return count;
}

TEST_F_TIMEOUT(share, cqs, 600)
{
	unsigned int n = CQ_SHARE / MORE * MORE + 2 * MORE, known;
	struct child greedy, other;
	struct rdmaev_device dev;
	uint64_t all = 0, counted;

	ASSERT_TRUE(find_device(self->fd, DEV, &dev));
	greedy = child_begin(GREEDY_UID, use_cqs, n);
	/* Entries are made by a work, as above: not all may be known at once. */
	do {
		ASSERT_TRUE(child_uses_all(&greedy));
		all += n;
		known = cqs_of(self->fd, dev.index, GREEDY_UID, &counted);
		ASSERT_LE(known, CQ_SHARE);
	} while (known < CQ_SHARE);
	/* All are, or were missed, which is on record within about two seconds. */
	do {
		sleep_ms(100);
		cqs_of(self->fd, dev.index, GREEDY_UID, &counted);
		ASSERT_EQ(lseek(self->fd, self->begin, SEEK_SET), (off_t)self->begin);
		counted += missed(self->fd, RDMAEV_OBSERVED_USER_CQS, UINT64_MAX);
	} while (counted < all);
	EXPECT_EQ(counted, all);

	other = child_begin(OTHER_UID, use_cqs, MORE);
	ASSERT_TRUE(child_uses_all(&other));
	EXPECT_EQ(cqs_of(self->fd, dev.index, OTHER_UID, &counted), MORE);
	EXPECT_EQ(counted, MORE);
	EXPECT_EQ(child_end(&other), 0);
	EXPECT_EQ(child_end(&greedy), 0);
}

/* Less memory than a list of the CQs of the greedy user takes */
#define LIST_CGROUP "/sys/fs/cgroup/rdmaev-list"
#define LIST_BYTES (CQ_SHARE / 4 * sizeof(struct rdmaev_cq_stats))

/* Lists its CQs, with room for those of all, each time that it is asked */
static int use_list(unsigned int n, int from, int to)
{
	static struct rdmaev_cq_stats list[2 * CQ_SHARE];
	char byte;
	int fd = open_node(O_NONBLOCK);

	memset(list, 0, sizeof(list));
	while (read(from, &byte, 1) == 1) {
		if (read_cqs(fd, 0, RDMAEV_ANY, 0, list, ARRAY_SIZE(list), NULL) != (int)n)
			return 3;
		if (write(to, &byte, 1) != 1)
			return 4;
	}
	return 0;
}

/* A list takes no memory for CQs that its reader does not see. */
TEST_F_TIMEOUT(share, list, 300)
{
	unsigned int n = CQ_SHARE / MORE * MORE;
	struct child greedy, reader;
	struct rdmaev_device dev;
	uint64_t notifications;

	if (sh("grep -qw memory /sys/fs/cgroup/cgroup.controllers"))
		SKIP(return, "the kernel has no limits of memory for cgroups");
	ASSERT_TRUE(find_device(self->fd, DEV, &dev));
	greedy = child_begin(GREEDY_UID, use_cqs, n);
	do {
		ASSERT_TRUE(child_uses_all(&greedy));
	} while (cqs_of(self->fd, dev.index, GREEDY_UID, &notifications) < CQ_SHARE / 2);
	reader = child_begin(OTHER_UID, use_list, 0);
	ASSERT_TRUE(child_uses_all(&reader));
	ASSERT_EQ(sh("echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir " LIST_CGROUP
		     " && echo %zu >" LIST_CGROUP "/memory.max && echo %d >" LIST_CGROUP
		     "/cgroup.procs", LIST_BYTES, reader.pid), 0);
	EXPECT_TRUE(child_uses_all(&reader));
	EXPECT_EQ(child_end(&reader), 0);
	EXPECT_EQ(sh("rmdir " LIST_CGROUP), 0);
	EXPECT_EQ(child_end(&greedy), 0);
}

TEST_HARNESS_MAIN
