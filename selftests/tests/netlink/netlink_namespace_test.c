// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast messages of generic netlink in network namespaces: each is woken for what
 * it may see.
 */
#include "netlink.h"
#include "netns.h"

/* A listener in another network namespace, for records from now on */
static struct genl_listener *listen_at(int there, int fd, int to_all)
{
	struct genl_listener *l = malloc(sizeof(*l));
	uint64_t next = get_info(fd).newest_seq + 1;
	int here = netns_enter(there), ret;

	if (here < 0 || !l)
		return NULL;
	ret = genl_listener_open(l, next, to_all);
	netns_leave(here);
	return ret ? NULL : l;
}

static struct genl_listener *listen_in(const char *netns, int fd)
{
	int there = netns_open(netns);
	struct genl_listener *l = listen_at(there, fd, 1);

	close(there);
	return l;
}

static struct genl_listener *listen_here(int fd)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct genl_listener *l = listen_at(here, fd, 1);

	close(here);
	return l;
}

static void listen_no_more(struct genl_listener *l)
{
	genl_listener_close(l);
	free(l);
}

/*
 * Wait for @wanted records of a device, and whether there are more. Number of
 * affiliated ones in @affiliated
 */
static int count_events(struct genl_listener *l, uint32_t index, int wanted, int *affiliated)
{
	struct rdmaev_record rec;
	int n = 0;

	*affiliated = 0;
	while (genl_read(l, &rec, n < wanted ? SOON_MS : 400) == 1) {
		if (rec.device != index)
			continue;
		n++;
		*affiliated += rec.object_type >= RDMAEV_OBJECT_QP;
	}
	return n;
}

/* Number of messages that come without a pause, of which the first is named in @first */
static int count_messages(struct genl *g, uint64_t *first)
{
	const struct nlmsghdr *nlh;
	int n = 0;

	*first = 0;
	while ((nlh = genl_event(g, 400))) {
		if (!n++)
			*first = genl_news(nlh);
	}
	return n;
}

TEST_F_TIMEOUT(nl, namespaces_share, 60)
{
	uint64_t first, newest = get_info(self->fd).newest_seq;
	struct genl_listener *other;
	int affiliated;

	ASSERT_EQ(sh("ip netns add other"), 0);
	other = listen_in("other", self->fd);
	ASSERT_NE(other, NULL);
	/* This group is not woken for those of QPs, CQs, SRQs and WQs. */
	ASSERT_EQ(genl_join(self->g, self->g->group_device), 0);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	EXPECT_EQ(count_messages(self->g, &first), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_GT(count_messages(self->g, &first), 0);
	EXPECT_EQ(first, newest + 3);
	EXPECT_EQ(count_events(other, self->index, 3, &affiliated), 3);
	EXPECT_EQ(affiliated, 2);
	listen_no_more(other);
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
		struct genl_listener *l = malloc(sizeof(*l));
		uint64_t next = get_info(self->fd).newest_seq + 1;
		int n, affiliated;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || genl_listener_open(l, next, 1) ||
		    write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(100);
		n = count_events(l, self->index, 1, &affiliated);
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
	struct genl_listener *other, *here;
	uint64_t seq;
	int affiliated;

	ASSERT_EQ(netns_mode("exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	other = listen_in("other", self->fd);
	ASSERT_NE(other, NULL);
	here = listen_here(self->fd);
	ASSERT_NE(here, NULL);
	ASSERT_EQ(genl_join(&other->group, other->group.group_device), 0);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(here, self->index, 3, &affiliated), 3);
	EXPECT_EQ(count_messages(&other->group, &seq), 0);
	EXPECT_EQ(count_events(other, self->index, 0, &affiliated), 0);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(self->g, device, devices, &seq), 1);
	genl_begin(&other->history, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(&other->history, device, devices, &seq), 0);

	/*
	 * The device moves to the other namespace, which gets its events from
	 * then on.
	 */
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	EXPECT_EQ(count_events(here, self->index, 2, &affiliated), 2);
	EXPECT_EQ(count_events(other, self->index, 1, &affiliated), 1);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(here, self->index, 1, &affiliated), 1);
	EXPECT_EQ(count_events(other, self->index, 1, &affiliated), 1);
	genl_begin(&other->history, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(&other->history, device, devices, &seq), 1);
	EXPECT_EQ(devices[0].index, self->index);
	listen_no_more(other);
	/* The namespace ends: the device returns. */
	ASSERT_EQ(sh("ip netns del other"), 0);
	EXPECT_EQ(count_events(here, self->index, 2, &affiliated), 2);
	listen_no_more(here);
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
	struct genl_listener *here = listen_here(self->fd);
	struct rdmaev_record rec;
	uint64_t last, newest;
	int fds[MANY], i;

	ASSERT_NE(here, NULL);
	ASSERT_EQ(open_namespaces(fds, MANY), 0);
	last = here->next - 1;
	while (n < 2 * ring) {
		ASSERT_EQ(events(SRQ_LIMIT_REACHED, 2048), 2048);
		n += 2048;
		newest = get_info(self->fd).newest_seq;
		while (last < newest) {
			ASSERT_EQ(genl_read(here, &rec, SOON_MS), 1);
			ASSERT_NE(rec.kind, RDMAEV_KIND_LOST);
			ASSERT_EQ(rec.seq, last + 1);
			last = rec.seq;
		}
	}
	listen_no_more(here);
	for (i = 0; i < MANY; i++)
		close(fds[i]);
}

/* Where nobody listened before, and where nobody listens any more */
TEST_F_TIMEOUT(nl, namespace_is_joined, 60)
{
	struct genl_listener *here = listen_here(self->fd), *there;
	int fd, affiliated, i;

	ASSERT_NE(here, NULL);
	ASSERT_EQ(open_namespaces(&fd, 1), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(events(SRQ_ERR, 3), 3);
		EXPECT_EQ(count_events(here, self->index, 3, &affiliated), 3);
		there = listen_at(fd, self->fd, 1);
		ASSERT_NE(there, NULL);
		ASSERT_EQ(events(SRQ_ERR, 60), 60);
		EXPECT_EQ(count_events(there, self->index, 60, &affiliated), 60);
		EXPECT_EQ(count_events(here, self->index, 60, &affiliated), 60);
		listen_no_more(there);
	}
	listen_no_more(here);
	close(fd);
}

TEST_HARNESS_MAIN
