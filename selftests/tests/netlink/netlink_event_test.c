// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Records over generic netlink, of which multicast messages tell and that the history has:
 * the same as from the node, and only those that the receiver may see.
 */
#include "netlink.h"

#define TRACE "/sys/kernel/tracing/"

/* The node has returned the same records, one after the other. */
static int same(const struct nlmsghdr *nlh, int fd)
{
	struct rdmaev_record got, want;
	int missing;

	if (read(fd, &want, sizeof(want)) != sizeof(want)) {
		fprintf(stderr, "# the node has no more\n");
		return 0;
	}
	missing = genl_record(nlh, &got);
	/* A loss has the time of its report. */
	if (want.kind == RDMAEV_KIND_LOST && got.kind == want.kind) {
		want.boottime_ns = got.boottime_ns;
		want.realtime_ns = got.realtime_ns;
	}
	if (!missing && !memcmp(&got, &want, sizeof(got)))
		return 1;
	fprintf(stderr, "# seq %llu kind %u code %u, %d missing; from the node seq %llu kind %u code %u\n",
		(unsigned long long)got.seq, got.kind, got.code, missing,
		(unsigned long long)want.seq, want.kind, want.code);
	return 0;
}

/* Some of each kind that this kernel supports: see append_qp_record(). */
static int all_kinds(int fd)
{
	if (set(2, "lid", "1002") || event(LID_CHANGE, 2) ||
	    set(1, "gid", "3 fe80000000000001 1122334455667788") ||
	    event(GID_CHANGE, 1) || event(UNKNOWN, 1))
		return -1;
	/* A work item of its own reports each of them. */
	sleep_ms(100);
	return events(SRQ_ERR, 2) != 2 || append_qp_record(fd, "sim0") ||
	       append_cm_record(fd, "sim0") || append_note("sim0") || append_observer_record() ||
	       run("hold sim0 create created") || run("hold sim0 bad") ||
	       run("hold sim0 poll 16") ||
	       sim_create("sim1", 1) || sim_destroy("sim1");
}

/* The next record of a listener, which is that of the node; its kind, -1 if there is none */
static int next_kind(struct genl_listener *l, int fd)
{
	struct rdmaev_record rec, want;

	if (genl_read(l, &rec, 300) != 1)
		return -1;
	return read(fd, &want, sizeof(want)) == sizeof(want) && want.seq == rec.seq ?
		       (int)rec.kind : -1;
}

TEST_F(nl, listening)
{
	uint64_t first = get_info(self->fd).newest_seq + 1;
	struct genl_listener *l = malloc(sizeof(*l));
	const struct nlmsghdr *nlh;
	unsigned int kinds = 0;
	int kind;

	ASSERT_EQ(genl_listener_open(l, first, 1), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(lseek(self->fd, first, SEEK_SET), first);
	ASSERT_EQ(all_kinds(self->fd), 0);
	sleep_ms(300);

	/* The message names a record, which is read from the history. */
	nlh = genl_event(self->g, SOON_MS);
	ASSERT_NE(nlh, NULL);
	EXPECT_EQ(nlh->nlmsg_seq, 0);
	EXPECT_EQ(genl_news(nlh), first);
	while ((kind = next_kind(l, self->fd)) >= 0)
		kinds |= 1U << kind;
	EXPECT_EQ(l->next, get_info(self->fd).newest_seq + 1);
	EXPECT_EQ(kinds & ~(1U << RDMAEV_KIND_COMPLETION),
		  1U << RDMAEV_KIND_DEVICE | 1U << RDMAEV_KIND_PORT |
		  1U << RDMAEV_KIND_ASYNC | 1U << RDMAEV_KIND_WC |
		  1U << RDMAEV_KIND_OBSERVER | 1U << RDMAEV_KIND_NOTE |
		  (has_qp_records() ? 1U << RDMAEV_KIND_QP | 1U << RDMAEV_KIND_CM : 0));
	genl_listener_close(l);
	free(l);
}

/* A group is woken for its first record, wherever that is among those of the other one. */
TEST_F(nl, later_in_a_batch)
{
	const struct nlmsghdr *nlh;
	struct genl *device;
	unsigned int i;

	device = malloc(sizeof(*device));
	ASSERT_EQ(genl_open(device), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(genl_join(device, device->group_device), 0);
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3), 3);
		ASSERT_EQ(events(UNKNOWN, 1), 1);
		nlh = genl_event(device, SOON_MS);
		ASSERT_NE(nlh, NULL);
		ASSERT_EQ(genl_news(nlh), get_info(self->fd).newest_seq);
	}
	genl_close(device);
	free(device);
}

/* Number of trace lines of rdmaev's work item */
static long traced_work(void)
{
	char line[512];
	long n = 0;
	FILE *f = fopen(TRACE "trace", "r");

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "function=event_fn");
	if (f)
		fclose(f);
	return n;
}

TEST_F(nl, nobody_listens)
{
	struct rdmaev_record rec;

	ASSERT_EQ(put(TRACE "trace", "\n"), 0);
	ASSERT_EQ(put(TRACE "events/workqueue/workqueue_queue_work/enable", "1"), 0);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 50), 50);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	/* The core delivers it at some time. */
	do {
		ASSERT_TRUE(next(self->fd, &rec));
	} while (rec.code != SM_CHANGE);
	sleep_ms(100);
	EXPECT_EQ(traced_work(), 0);

	/* Including records that are not for the group */
	ASSERT_EQ(genl_join(self->g, self->g->group_device), 0);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 50), 50);
	sleep_ms(100);
	EXPECT_EQ(traced_work(), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_NE(genl_event(self->g, SOON_MS), NULL);
	EXPECT_GT(traced_work(), 0);
	put(TRACE "events/workqueue/workqueue_queue_work/enable", "0");
	put(TRACE "trace", "\n");
}

/* A user who is no administrator */
TEST_F(nl, not_an_administrator)
{
	int affiliated = 0, n = 0;
	struct rdmaev_record rec;
	const struct nlmsghdr *nlh;
	struct genl *g = self->g;

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3), 3);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	/*
	 * An administrator opened the socket: the user of the socket counts,
	 * too.
	 */
	ASSERT_EQ(seteuid(65534), 0);
	EXPECT_EQ(genl_join(g, g->group_all), -1);
	EXPECT_EQ(errno, EPERM);
	EXPECT_EQ(genl_join(g, g->group_device), 0);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	ASSERT_EQ(genl_send(g), 0);
	while ((nlh = genl_next(g))) {
		if (genl_position(nlh))
			continue;
		EXPECT_EQ(genl_record(nlh, &rec), 0);
		affiliated += rec.object_type >= RDMAEV_OBJECT_QP;
		n++;
	}
	EXPECT_EQ(g->error, 0);
	EXPECT_GT(n, 1);
	EXPECT_EQ(affiliated, 0);
	genl_begin(g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	ASSERT_EQ(genl_send(g), 0);
	EXPECT_EQ(genl_next(g), NULL);
	EXPECT_EQ(g->error, 0);
	ASSERT_EQ(seteuid(0), 0);
}

/* From @seq on. With an address of the kernel @to, if not NULL, which means the same */
static int begin_history_to(struct genl *g, uint64_t seq, const struct rdmaev_filter *f,
			    const struct sockaddr_nl *to)
{
	uint32_t nest;

	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, seq);
	nest = genl_nest(g, RDMAEV_A_RECORD_FILTER);
	if (f)
		genl_filter(g, f);
	genl_nest_end(g, nest);
	return genl_send_to(g, to);
}

static int begin_history(struct genl *g, uint64_t seq, const struct rdmaev_filter *f)
{
	return begin_history_to(g, seq, f, NULL);
}

/*
 * A user's dump begins when another process reads the answer, since there is no room
 * before. That is one of root, as when the socket is the input of a setuid program.
 */
TEST_F(nl, read_by_root)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int i, affiliated = 0, others = 0, room = 1;
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	struct genl *g = self->g;

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3), 3);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	genl_close(g);
	ASSERT_EQ(seteuid(65534), 0);
	ASSERT_EQ(genl_open(g), 0);
	ASSERT_EQ(setsockopt(g->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
	for (i = 0; i < 2; i++) {
		genl_begin_to(g, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
		genl_put(g, CTRL_ATTR_FAMILY_NAME, RDMAEV_FAMILY_NAME,
			 sizeof(RDMAEV_FAMILY_NAME));
		ASSERT_EQ(genl_send(g), 0);
	}
	ASSERT_EQ(begin_history_to(g, 0, NULL, &kernel), 0);
	ASSERT_EQ(seteuid(0), 0);
	do {
		nlh = genl_next(g);
		/* Of answers that did not fit */
		if (!nlh && g->error == ENOBUFS)
			continue;
		if (!nlh || genl_position(nlh))
			continue;
		ASSERT_EQ(genl_record(nlh, &rec), 0);
		if (rec.object_type >= RDMAEV_OBJECT_QP)
			affiliated++;
		else
			others++;
	} while (g->more && (nlh || g->error == ENOBUFS));
	EXPECT_EQ(affiliated, 0);
	EXPECT_GT(others, 0);
}

struct history {
	uint64_t position;		/* seq to continue from */
	uint64_t delivered;
	uint64_t lost;
	int positions;			/* messages with a position */
};

/*
 * Read a dump to its end. If @fd is a reader, its records must be the same. -1:
 * they are not, or the order is wrong.
 */
static int take_history(struct genl *g, struct history *h, int fd)
{
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	uint64_t position, last = 0;

	h->position = 0;
	while ((nlh = genl_next(g))) {
		position = genl_position(nlh);
		if (position) {
			h->position = position;
			h->positions++;
			continue;
		}
		if ((fd >= 0 && !same(nlh, fd)) || genl_record(nlh, &rec) ||
		    rec.seq <= last)
			return -1;
		last = rec.seq;
		if (rec.kind == RDMAEV_KIND_LOST)
			h->lost += rec.body.lost.count;
		else
			h->delivered++;
	}
	return g->error || h->position <= last ? -1 : 0;
}

TEST_F(nl, history)
{
	uint64_t newest, oldest = get_info(self->fd).oldest_seq;
	const struct nlmsghdr *nlh;
	struct history h = {};

	ASSERT_EQ(all_kinds(self->fd), 0);
	sleep_ms(300);
	newest = get_info(self->fd).newest_seq;

	/* 0: from the oldest on */
	ASSERT_EQ(lseek(self->fd, 0, SEEK_SET), oldest);
	ASSERT_EQ(begin_history(self->g, 0, NULL), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, newest - oldest + 1);
	EXPECT_EQ(h.position, newest + 1);
	EXPECT_EQ(h.positions, 1);

	/* From the next one on, and that one alone */
	memset(&h, 0, sizeof(h));
	ASSERT_EQ(begin_history(self->g, newest + 1, NULL), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, 0);
	EXPECT_EQ(h.position, newest + 1);
	ASSERT_EQ(lseek(self->fd, newest - 1, SEEK_SET), newest - 1);
	genl_begin(self->g, RDMAEV_CMD_HISTORY_GET, NLM_F_ACK);
	genl_u64(self->g, RDMAEV_A_RECORD_SEQ, newest - 1);
	ASSERT_EQ(genl_send(self->g), 0);
	nlh = genl_next(self->g);
	ASSERT_NE(nlh, NULL);
	EXPECT_TRUE(same(nlh, self->fd));
	EXPECT_EQ(genl_next(self->g), NULL);
	EXPECT_EQ(self->g->error, 0);
}

/*
 * With new records all the while, the dump ends where the log ended when it
 * began.
 */
TEST_F_TIMEOUT(nl, history_under_load, 60)
{
	uint64_t from = get_info(self->fd).newest_seq + 1;
	struct history h = {};
	uint64_t newest = 0;
	int status, dumps = 0, dumped[2];
	pid_t pid, ended;

	ASSERT_EQ(pipe2(dumped, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		long n = 0;
		char c;
		int i;

		for (i = 0; i < 20; i++) {
			n += events(SRQ_LIMIT_REACHED, 200);
			sleep_ms(10);
			/* With a dump in between */
			if (i % 7 == 6)
				n -= read(dumped[0], &c, 1) != 1;
		}
		_exit(n != 4000);
	}
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	h.position = from;
	do {
		/* Again when all have been appended */
		ended = waitpid(pid, &status, WNOHANG);
		newest = get_info(self->fd).newest_seq;
		ASSERT_EQ(begin_history(self->g, h.position, NULL), 0);
		ASSERT_EQ(take_history(self->g, &h, self->fd), 0);
		EXPECT_GT(h.position, newest);
		EXPECT_EQ(h.delivered, h.position - from);
		dumps++;
		EXPECT_EQ(write(dumped[1], "", 1), 1);
	} while (!ended);
	close(dumped[0]);
	close(dumped[1]);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(h.delivered, 4000);
	EXPECT_GT(dumps, 2);
	EXPECT_EQ(h.lost, 0);
}

/* The log overwrites records that are being dumped, in two rings. */
TEST_F_TIMEOUT(nl, history_overrun, 60)
{
	struct rdmaev_info info = get_info(self->fd);
	uint64_t from = info.newest_seq + 1;
	unsigned long n = info.ring_records + 500;
	struct history h = {}, all = {};

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 400), 400);
	ASSERT_EQ(events(SRQ_ERR, 400), 400);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 400), 400);
	ASSERT_EQ(begin_history(self->g, from, NULL), 0);
	/* The kernel is not queried again until messages are read. */
	ASSERT_EQ(events(SRQ_ERR, n), n);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, n), n);
	ASSERT_EQ(take_history(self->g, &h, -1), 0);
	EXPECT_GT(h.lost, 0);
	EXPECT_EQ(h.delivered + h.lost, h.position - from);
	EXPECT_GT(h.position, from + 1200);

	/* Later records follow without a gap. */
	ASSERT_EQ(begin_history(self->g, h.position, NULL), 0);
	all = h;
	ASSERT_EQ(take_history(self->g, &all, -1), 0);
	EXPECT_EQ(all.position, get_info(self->fd).newest_seq + 1);
	EXPECT_EQ(all.delivered + all.lost, all.position - from);

	/* From the same seq again: the same as from the node. */
	memset(&h, 0, sizeof(h));
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	ASSERT_EQ(begin_history(self->g, from, NULL), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, 2 * info.ring_records);
	EXPECT_EQ(h.delivered + h.lost, h.position - from);
}

/* A long way to the next record: no message says how long it was but for the last. */
TEST_F_TIMEOUT(nl, history_filtered, 60)
{
	uint64_t from = get_info(self->fd).newest_seq + 1;
	struct rdmaev_filter f = filter_all();
	struct history h = {};

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3500), 3500);
	ASSERT_EQ(events(SRQ_ERR, 1), 1);
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << SRQ_ERR);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	ASSERT_EQ(begin_history(self->g, from, &f), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, 1);
	EXPECT_EQ(h.position, from + 3501);
	EXPECT_EQ(h.positions, 1);
}

/* A listener that was too slow is told so, and gets all records from a dump. */
TEST_F_TIMEOUT(nl, too_slow, 60)
{
	uint64_t first = get_info(self->fd).newest_seq;
	int size = 1, i;
	struct history h = {};
	struct genl *g;

	g = malloc(sizeof(*g));
	ASSERT_EQ(genl_open(g), 0);
	ASSERT_EQ(setsockopt(self->g->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	/* More messages than have room, one for each record */
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(events(SRQ_LIMIT_REACHED, 1), 1);
		sleep_ms(2);
	}
	while (genl_event(self->g, 300))
		;
	EXPECT_EQ(self->g->error, ENOBUFS);
	ASSERT_EQ(begin_history(g, first + 1, NULL), 0);
	EXPECT_EQ(take_history(g, &h, -1), 0);
	EXPECT_EQ(h.lost, 0);
	EXPECT_EQ(h.position, first + 101);
	EXPECT_EQ(h.delivered, 100);
	genl_close(g);
	free(g);
}

TEST_HARNESS_MAIN
