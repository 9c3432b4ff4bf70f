// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast messages of generic netlink in network namespaces: each gets what
 * it may see, and only where somebody listens.
 */
#include <arpa/inet.h>
#include <linux/filter.h>

#include "netlink.h"
#include "netns.h"

/* A socket in another network namespace. */
static struct genl *open_at(int there)
{
	struct genl *g = malloc(sizeof(*g));
	int here = netns_enter(there), ret;

	if (here < 0)
		return NULL;
	ret = genl_open(g);
	netns_leave(here);
	return ret ? NULL : g;
}

static struct genl *open_in(const char *netns)
{
	int there = netns_open(netns);
	struct genl *g = open_at(there);

	close(there);
	return g;
}

/*
 * Wait for @wanted records of a device, and whether there are more. Number of
 * affiliated ones in @affiliated
 */
static int count_events(struct genl *g, uint32_t index, int wanted, int *affiliated, int *pids)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	int n = 0;

	*affiliated = 0;
	*pids = 0;
	while ((nlh = genl_event(g, n < wanted ? SOON_MS : 400))) {
		genl_record(nlh, &rec);
		genl_attrs(nlh, tb);
		if (rec.device != index)
			continue;
		n++;
		*affiliated += rec.object_type >= RDMAEV_OBJECT_QP;
		*pids += !!tb[RDMAEV_A_RECORD_PID];
	}
	return n;
}

TEST_F_TIMEOUT(nl, namespaces_share, 60)
{
	int affiliated, pids;
	struct genl *other;

	ASSERT_EQ(sh("ip netns add other"), 0);
	other = open_in("other");
	ASSERT_NE(other, NULL);
	ASSERT_EQ(genl_join(self->g, self->g->group_device), 0);
	ASSERT_EQ(genl_join(other, other->group_all), 0);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(self->g, self->index, 1, &affiliated, &pids), 1);
	EXPECT_EQ(affiliated, 0);
	EXPECT_EQ(pids, 1);
	EXPECT_EQ(count_events(other, self->index, 3, &affiliated, &pids), 3);
	EXPECT_EQ(affiliated, 2);
	EXPECT_EQ(pids, 0);
	genl_close(other);
	free(other);
	EXPECT_EQ(sh("ip netns del other"), 0);
}

/*
 * An administrator of its own user and network namespace, so in the group of
 * all records: but not those of the host.
 */
TEST_F_TIMEOUT(nl, administrator_of_its_own, 60)
{
	int ready[2], go[2], status;
	char c;
	pid_t pid;

	ASSERT_EQ(pipe(ready), 0);
	ASSERT_EQ(pipe(go), 0);
	pid = fork();
	if (!pid) {
		struct genl *g = malloc(sizeof(*g));
		int n, affiliated, pids;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || genl_open(g) ||
		    genl_join(g, g->group_all) || write(ready[1], "", 1) != 1 ||
		    read(go[0], &c, 1) != 1)
			_exit(100);
		n = count_events(g, self->index, 1, &affiliated, &pids);
		_exit(affiliated ? 50 + affiliated : n);
	}
	close(ready[1]);
	ASSERT_EQ(read(ready[0], &c, 1), 1);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_EQ(write(go[1], "", 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 1);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

TEST_F_TIMEOUT(nl, namespaces_exclude, 60)
{
	static struct rdmaev_device devices[ENTRIES];
	int affiliated, pids;
	struct genl *other;
	uint64_t seq;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	other = open_in("other");
	ASSERT_NE(other, NULL);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(genl_join(other, other->group_all), 0);
	ASSERT_EQ(genl_join(other, other->group_device), 0);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(self->g, self->index, 3, &affiliated, &pids), 3);
	EXPECT_EQ(count_events(other, self->index, 0, &affiliated, &pids), 0);
	genl_begin(other, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(other, device, devices, &seq), 0);

	/*
	 * The device moves to the other namespace, which gets its events from
	 * then on.
	 */
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	EXPECT_EQ(count_events(self->g, self->index, 2, &affiliated, &pids), 2);
	/* In both groups */
	EXPECT_EQ(count_events(other, self->index, 2, &affiliated, &pids), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(self->g, self->index, 1, &affiliated, &pids), 1);
	EXPECT_EQ(count_events(other, self->index, 2, &affiliated, &pids), 2);
	genl_begin(other, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(other, device, devices, &seq), 1);
	EXPECT_EQ(devices[0].index, self->index);
	genl_close(other);
	free(other);
	/* The namespace ends: the device returns. */
	ASSERT_EQ(sh("ip netns del other"), 0);
	EXPECT_EQ(count_events(self->g, self->index, 2, &affiliated, &pids), 2);
	EXPECT_EQ(netns_mode("shared"), 0);
}

#define MANY	300

/* More namespaces without listeners; they end with @fds. */
static int open_namespaces(int *fds, int n)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), i;

	for (i = 0; i < n; i++) {
		if (unshare(CLONE_NEWNET))
			return -1;
		fds[i] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			return -1;
	}
	i = setns(here, CLONE_NEWNET);
	close(here);
	return i;
}

/* One listener beside many namespaces gets all records, many more than are kept. */
TEST_F_TIMEOUT(nl, many_namespaces, 120)
{
	unsigned long n = 0, ring = get_info(self->fd).ring_records;
	int fds[MANY], size = 64 << 20, i;
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	uint64_t last;

	ASSERT_EQ(open_namespaces(fds, MANY), 0);
	ASSERT_EQ(setsockopt(self->g->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	last = get_info(self->fd).newest_seq;
	while (n < 2 * ring) {
		ASSERT_EQ(events(SRQ_LIMIT_REACHED, 2048), 2048);
		n += 2048;
		while (last < get_info(self->fd).newest_seq) {
			nlh = genl_event(self->g, SOON_MS);
			ASSERT_NE(nlh, NULL);
			EXPECT_EQ(genl_record(nlh, &rec), 0);
			ASSERT_NE(rec.kind, RDMAEV_KIND_LOST);
			ASSERT_EQ(rec.seq, last + 1);
			last = rec.seq;
		}
	}
	EXPECT_EQ(last, get_info(self->fd).newest_seq);
	for (i = 0; i < MANY; i++)
		close(fds[i]);
}

/* Where nobody listened before, and where nobody listens any more */
TEST_F_TIMEOUT(nl, namespace_is_joined, 60)
{
	int fd, affiliated, pids, i;
	struct genl *g;

	ASSERT_EQ(open_namespaces(&fd, 1), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(events(SRQ_ERR, 3), 3);
		EXPECT_EQ(count_events(self->g, self->index, 3, &affiliated, &pids), 3);
		g = open_at(fd);
		ASSERT_NE(g, NULL);
		ASSERT_EQ(genl_join(g, g->group_all), 0);
		/* As many as fit in a socket */
		ASSERT_EQ(events(SRQ_ERR, 60), 60);
		EXPECT_EQ(count_events(g, self->index, 60, &affiliated, &pids), 60);
		EXPECT_EQ(count_events(self->g, self->index, 60, &affiliated, &pids), 60);
		genl_close(g);
		free(g);
	}
	close(fd);
}

/*
 * The only member of a namespace reads one record, neither the first nor the
 * last.
 */
TEST_F_TIMEOUT(nl, socket_filter, 60)
{
	struct sock_filter code[] = {
		/* The value of the first attribute: the seq */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NLMSG_LENGTH(GENL_HDRLEN) + NLA_HDRLEN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	struct genl *g;
	uint64_t seq;
	int fd, i;

	ASSERT_EQ(open_namespaces(&fd, 1), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	g = open_at(fd);
	ASSERT_NE(g, NULL);
	ASSERT_EQ(genl_join(g, g->group_all), 0);
	for (i = 0; i < 3; i++) {
		seq = get_info(self->fd).newest_seq + 20;
		code[1].k = htonl(seq);
		ASSERT_EQ(setsockopt(g->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
				     sizeof(filter)), 0);
		ASSERT_EQ(events(SRQ_LIMIT_REACHED, 40), 40);
		nlh = genl_event(g, SOON_MS);
		ASSERT_NE(nlh, NULL);
		genl_record(nlh, &rec);
		EXPECT_EQ(rec.seq, seq);
		EXPECT_EQ(genl_event(g, 300), NULL);
	}
	genl_close(g);
	free(g);
	close(fd);
}

TEST_HARNESS_MAIN
