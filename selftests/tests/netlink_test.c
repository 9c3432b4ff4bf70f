// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The generic netlink family: the same answers as from the node, and the same
 * records. The node says what is right.
 */
#include <sched.h>

#include "cq.h"
#include "genl.h"

#define TRACE "/sys/kernel/tracing/"

/* An affiliated number: it has nobody look at a port. */
#define SRQ_LIMIT_REACHED	15
#define SRQ_ERR			14

#define ENTRIES	64

FIXTURE(nl) {
	int fd;				/* a reader of everything */
	uint32_t index;
	struct genl *g;
};

FIXTURE_SETUP(nl)
{
	uint32_t generation;
	int fd;

	ASSERT_EQ(open_sim0(&fd, &self->index, &generation), 0);
	close(fd);
	/* Each event by itself. */
	ASSERT_EQ(put("/sys/module/rdmaev/parameters/burst_ms", "0"), 0);
	/* The look that is taken when a device is new. */
	sleep_ms(300);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->g = malloc(sizeof(*self->g));
	ASSERT_EQ(genl_open(self->g), 0);
}

FIXTURE_TEARDOWN(nl)
{
	genl_close(self->g);
	free(self->g);
	close_sim0(self->fd);
}

static long events(unsigned int number, unsigned long count)
{
	return gen("process", "sim0", number, 1, count);
}

/*
 * A list that was asked for: entries, at most ENTRIES, and the seq of the last message.
 * How many there are; -1: it failed, or not all fields were there.
 */
static int take_list(struct genl *g, const struct genl_field *fields, size_t n,
		     uint16_t seq_attr, void *entries, size_t size, uint64_t *seq)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	int count = 0;

	memset(entries, 0, ENTRIES * size);
	if (genl_send(g))
		return -1;
	while ((nlh = genl_next(g))) {
		genl_attrs(nlh, tb);
		if (!tb[seq_attr])
			return -1;
		*seq = genl_number(tb[seq_attr]);
		/* No entry: the seq alone. */
		if (!tb[fields[0].attr])
			continue;
		if (count == ENTRIES ||
		    genl_fill(tb, fields, n, (char *)entries + count++ * size))
			return -1;
	}
	return g->error ? -1 : count;
}

#define TAKE(g, set, name, entries, seq)				\
	take_list(g, genl_##name##_fields, ARRAY_SIZE(genl_##name##_fields), \
		  RDMAEV_A_##set##_SEQ, entries, sizeof((entries)[0]), seq)

TEST_F(nl, family)
{
	EXPECT_GT(self->g->family, GENL_ID_CTRL);
	EXPECT_GT(self->g->group_device, 0);
	EXPECT_GT(self->g->group_all, 0);
}

TEST_F(nl, info)
{
	struct rdmaev_info info = get_info(self->fd);
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;

	genl_begin(self->g, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
	ASSERT_EQ(genl_send(self->g), 0);
	nlh = genl_next(self->g);
	ASSERT_NE(nlh, NULL);
	genl_attrs(nlh, tb);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_ABI_VERSION]), info.abi_version);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_FEATURES]), info.features);
	EXPECT_TRUE(info.features & RDMAEV_FEATURE_NETLINK);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_INSTANCE]), info.instance);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_RECORD_SIZE]), info.record_size);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_LANES]), info.lanes);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_LANE_RECORDS]), info.lane_records);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_OLDEST_SEQ]), info.oldest_seq);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_NEWEST_SEQ]), info.newest_seq);
	EXPECT_EQ(genl_next(self->g), NULL);
	EXPECT_EQ(self->g->error, 0);
}

TEST_F(nl, devices)
{
	static struct rdmaev_device got[ENTRIES], want[ENTRIES];
	struct rdmaev_devices req = {
		.size = sizeof(req),
		.flags = RDMAEV_DEVICES_GONE,
		.entry_size = sizeof(want[0]),
		.count = ENTRIES,
		.entries = (uintptr_t)want,
	};
	uint64_t seq;

	/* One that is gone. */
	ASSERT_EQ(sim_create("sim1", 1), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &req), 0);
	ASSERT_GT(req.count, 1);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	genl_flag(self->g, RDMAEV_A_DEVICE_GONE);
	ASSERT_EQ(TAKE(self->g, DEVICE, device, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	/* Only those that are there. */
	memset(want, 0, sizeof(want));
	req.flags = 0;
	req.count = ENTRIES;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &req), 0);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, DEVICE, device, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);

	/* One of them. */
	memset(want, 0, sizeof(want));
	ASSERT_TRUE(find_device(self->fd, "sim0", &want[0]));
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_DEVICE_INDEX, self->index);
	ASSERT_EQ(TAKE(self->g, DEVICE, device, got, &seq), 1);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_DEVICE_INDEX, 9999);
	EXPECT_EQ(genl_do(self->g), ENODEV);
	EXPECT_STRNE(self->g->text, "");
	EXPECT_EQ(self->g->offset, NLMSG_LENGTH(GENL_HDRLEN));
}

TEST_F(nl, ports)
{
	static struct rdmaev_port got[ENTRIES], want[ENTRIES];
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.flags = RDMAEV_PORTS_GONE,
		.entry_size = sizeof(want[0]),
		.count = ENTRIES,
		.entries = (uintptr_t)want,
		.device = RDMAEV_ANY,
	};
	uint64_t seq;

	ASSERT_EQ(sim_create("sim1", 3), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_PORTS, &req), 0);
	ASSERT_GE(req.count, 5);
	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_DUMP);
	genl_flag(self->g, RDMAEV_A_PORT_GONE);
	ASSERT_EQ(TAKE(self->g, PORT, port, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	ASSERT_EQ(snapshot(self->fd, self->index, want, ENTRIES), 2);
	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_PORT_DEVICE, self->index);
	ASSERT_EQ(TAKE(self->g, PORT, port, got, &seq), 2);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_PORT_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_PORT_PORT, 2);
	ASSERT_EQ(TAKE(self->g, PORT, port, got, &seq), 1);
	EXPECT_EQ(memcmp(&got[0], &want[1], sizeof(got[0])), 0);

	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_PORT_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_PORT_PORT, 3);
	EXPECT_EQ(genl_do(self->g), ENOENT);
	EXPECT_STRNE(self->g->text, "");
	/* The second attribute: the port. */
	EXPECT_EQ(self->g->offset, NLMSG_LENGTH(GENL_HDRLEN) + 8);
	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_PORT_DEVICE, 9999);
	EXPECT_EQ(genl_do(self->g), ENODEV);
	EXPECT_STRNE(self->g->text, "");
}

TEST_F(nl, counters)
{
	static struct rdmaev_counter got[ENTRIES], want[ENTRIES];
	struct rdmaev_counters req = {
		.size = sizeof(req),
		.entry_size = sizeof(want[0]),
		.count = ENTRIES,
		.entries = (uintptr_t)want,
		.device = RDMAEV_ANY,
		.port = RDMAEV_ANY,
	};
	uint64_t seq;
	uint32_t i;

	ASSERT_EQ(sim_event("sim0", UNKNOWN, 2), 0);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 7), 7);
	sleep_ms(200);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	ASSERT_GT(req.count, 1);
	genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, COUNTER, counter, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	/* Each of them by itself. */
	for (i = 0; i < req.count; i++) {
		if (want[i].device != self->index)
			continue;
		genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_ACK);
		genl_u32(self->g, RDMAEV_A_COUNTER_DEVICE, want[i].device);
		if (want[i].port)
			genl_u32(self->g, RDMAEV_A_COUNTER_PORT, want[i].port);
		genl_u16(self->g, RDMAEV_A_COUNTER_KIND, want[i].kind);
		genl_u16(self->g, RDMAEV_A_COUNTER_CODE, want[i].code);
		ASSERT_EQ(TAKE(self->g, COUNTER, counter, got, &seq), 1);
		EXPECT_EQ(memcmp(&got[0], &want[i], sizeof(got[0])), 0);
	}
	/* One that is 0. */
	genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_COUNTER_DEVICE, self->index);
	genl_u16(self->g, RDMAEV_A_COUNTER_KIND, RDMAEV_KIND_WC);
	genl_u16(self->g, RDMAEV_A_COUNTER_CODE, 30);
	EXPECT_EQ(genl_do(self->g), ENOENT);

	memset(want, 0, sizeof(want));
	req.count = ENTRIES;
	req.flags = RDMAEV_COUNTERS_GONE;
	req.device = self->index;
	req.port = 2;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	ASSERT_GT(req.count, 0);
	genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_COUNTER_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_COUNTER_PORT, 2);
	genl_flag(self->g, RDMAEV_A_COUNTER_GONE);
	ASSERT_EQ(TAKE(self->g, COUNTER, counter, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
}

/* Read at another time, it is to the tick. */
static void forget_time(struct rdmaev_cq_stats *list, int n)
{
	while (n--)
		list[n].last_ns = 0;
}

TEST_F(nl, cqs)
{
	static struct rdmaev_cq_stats got[ENTRIES], want[ENTRIES];
	uint64_t seq, want_seq;
	int n;

	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(self->g, CQ, cq, got, &seq), 0);
	EXPECT_EQ(seq, get_info(self->fd).newest_seq);

	/* More than a page. */
	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 write 3");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	ASSERT_EQ(run("hold sim0 more 50"), 0);
	memset(want, 0, sizeof(want));
	n = read_cqs(self->fd, 0, RDMAEV_ANY, 0, want, 51, &want_seq);
	ASSERT_EQ(n, 51);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, CQ, cq, got, &seq), 51);
	EXPECT_EQ(self->g->intr, 0);
	EXPECT_EQ(seq, want_seq);
	forget_time(got, ENTRIES);
	forget_time(want, ENTRIES);
	EXPECT_EQ(memcmp(got, want, 51 * sizeof(got[0])), 0);
	EXPECT_GT(got[0].failures[LOC_QP_OP_ERR], 0);

	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_CQ_CQ, want[50].cq);
	ASSERT_EQ(TAKE(self->g, CQ, cq, got, &seq), 1);
	forget_time(got, 1);
	EXPECT_EQ(memcmp(&got[0], &want[50], sizeof(got[0])), 0);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_ACK);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_CQ_CQ, 123456);
	EXPECT_EQ(genl_do(self->g), ENOENT);

	n = read_cqs(self->fd, RDMAEV_CQS_SUMS, self->index, 0, want, ENTRIES, &want_seq);
	ASSERT_EQ(n, 1);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, self->index);
	genl_flag(self->g, RDMAEV_A_CQ_SUMS);
	ASSERT_EQ(TAKE(self->g, CQ, cq, got, &seq), 1);
	EXPECT_EQ(got[0].cqs, 51);
	forget_time(got, 1);
	forget_time(want, 1);
	EXPECT_EQ(memcmp(&got[0], &want[0], sizeof(got[0])), 0);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, 9999);
	EXPECT_EQ(genl_do(self->g), ENODEV);
}

/* CQs that come or go while they are dumped. */
TEST_F(nl, cqs_that_change)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	uint64_t id, last = 0;
	int i, n;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 more 200"), 0);
	for (i = 0; i < 3; i++) {
		genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
		ASSERT_EQ(genl_send(self->g), 0);
		last = 0;
		for (n = 0; (nlh = genl_next(self->g)); n++) {
			genl_attrs(nlh, tb);
			id = genl_number(tb[RDMAEV_A_CQ_ID]);
			EXPECT_GT(id, last);
			last = id;
			/* The kernel has some ready, not all. */
			if (n == 5 && i == 1)
				ASSERT_EQ(run("load sim0 softirq 1 10"), 0);
			if (n == 5 && i == 2)
				ASSERT_EQ(run("drop sim0"), 0);
		}
		EXPECT_EQ(self->g->error, 0);
		EXPECT_GE(n, 201);
		EXPECT_EQ(self->g->intr, i > 0);
	}
}

static int device_request(struct genl *g, uint16_t type, const void *data, size_t len)
{
	genl_begin(g, RDMAEV_CMD_DEVICE_GET, NLM_F_ACK);
	genl_put(g, type, data, len);
	return genl_do(g);
}

static int port_request(struct genl *g, uint16_t flags, int with_port, int gone)
{
	genl_begin(g, RDMAEV_CMD_PORT_GET, flags);
	if (with_port)
		genl_u32(g, RDMAEV_A_PORT_PORT, 1);
	if (gone)
		genl_flag(g, RDMAEV_A_PORT_GONE);
	return genl_do(g);
}

static int filtered(struct genl *g, int fd, const void *filter, size_t len)
{
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, get_info(fd).newest_seq + 1);
	genl_put(g, RDMAEV_A_RECORD_FILTER, filter, len);
	return genl_do(g);
}

#define EXPECT_REFUSED(ret, error) do {					\
	EXPECT_EQ(ret, error);						\
	EXPECT_STRNE(self->g->text, "");				\
} while (0)

TEST_F(nl, refused)
{
	struct {
		struct rdmaev_filter known;
		char more[64];
	} f = { .known = filter_all() };
	char bytes[16] = {};
	struct genl *g = self->g;

	/* Unknown, only in answers, and of another size. */
	EXPECT_REFUSED(device_request(g, 60, bytes, 4), EINVAL);
	EXPECT_REFUSED(device_request(g, RDMAEV_A_DEVICE_NAME, "sim0", 5), EINVAL);
	EXPECT_EQ(g->offset, NLMSG_LENGTH(GENL_HDRLEN));
	EXPECT_NE(device_request(g, RDMAEV_A_DEVICE_INDEX, bytes, 2), 0);
	EXPECT_NE(device_request(g, RDMAEV_A_DEVICE_INDEX, bytes, 8), 0);
	/* Missing, and for the other sort of request. */
	EXPECT_REFUSED(port_request(g, NLM_F_ACK, 1, 0), EINVAL);
	EXPECT_REFUSED(port_request(g, NLM_F_ACK, 1, 1), EINVAL);
	EXPECT_REFUSED(port_request(g, NLM_F_DUMP, 1, 0), EINVAL);
	EXPECT_EQ(port_request(g, NLM_F_DUMP, 0, 1), 0);
	/* Commands that there are not, or not so. */
	genl_begin(g, RDMAEV_CMD_MAX + 1, NLM_F_ACK);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);
	genl_begin(g, RDMAEV_CMD_EVENT_NTF, NLM_F_ACK);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);
	genl_begin(g, RDMAEV_CMD_INFO_GET, NLM_F_DUMP);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);

	/* Filters: as by ioctl. */
	EXPECT_EQ(filtered(g, self->fd, &f, sizeof(f.known)), 0);
	EXPECT_REFUSED(filtered(g, self->fd, &f, sizeof(f.known) - 4), EINVAL);
	f.known.size = sizeof(f.known) - 8;
	EXPECT_REFUSED(filtered(g, self->fd, &f, f.known.size), EINVAL);
	EXPECT_REFUSED(filtered(g, self->fd, &f, 2), EINVAL);
	f.known.size = sizeof(f);
	EXPECT_EQ(filtered(g, self->fd, &f, sizeof(f)), 0);
	f.more[63] = 1;
	EXPECT_REFUSED(filtered(g, self->fd, &f, sizeof(f)), E2BIG);
	f.known.size = sizeof(f.known);
	f.known.kinds = 1U << 31;
	EXPECT_REFUSED(filtered(g, self->fd, &f, sizeof(f.known)), EINVAL);

	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_ACK);
	EXPECT_REFUSED(genl_do(g), EINVAL);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, get_info(self->fd).newest_seq + 2);
	EXPECT_REFUSED(genl_do(g), ENXIO);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, UINT64_MAX);
	EXPECT_REFUSED(genl_do(g), ENXIO);
}

/* The node has read the same, one record after the other. */
static int same(const struct nlmsghdr *nlh, int fd)
{
	struct rdmaev_record got, want;
	int missing;

	if (read(fd, &want, sizeof(want)) != sizeof(want)) {
		fprintf(stderr, "# the node has no more\n");
		return 0;
	}
	missing = genl_record(nlh, &got);
	/* A loss has the time when it was told. */
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

/* Some of each kind. */
static int all_kinds(void)
{
	if (set(2, "lid", "1002") || event(LID_CHANGE, 2) ||
	    set(1, "gid", "3 fe80000000000001 1122334455667788") ||
	    event(GID_CHANGE, 1) || event(UNKNOWN, 1))
		return -1;
	/* They are told of by a work item, each of their own. */
	sleep_ms(100);
	return events(SRQ_ERR, 2) != 2 || run("hold sim0 create created") ||
	       run("hold sim0 bad") || run("hold sim0 poll 16") ||
	       sim_create("sim1", 1) || sim_destroy("sim1");
}

TEST_F(nl, listening)
{
	unsigned int kinds = 0;
	struct rdmaev_record rec;
	const struct nlmsghdr *nlh;
	struct genl *device;
	uint64_t last = 0;

	device = malloc(sizeof(*device));
	ASSERT_EQ(genl_open(device), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(genl_join(device, device->group_device), 0);
	ASSERT_EQ(all_kinds(), 0);
	sleep_ms(300);
	while ((nlh = genl_event(self->g, 300))) {
		ASSERT_TRUE(same(nlh, self->fd));
		genl_record(nlh, &rec);
		EXPECT_EQ(nlh->nlmsg_seq, 0);
		kinds |= 1U << rec.kind;
		last = rec.seq;
	}
	EXPECT_EQ(self->g->error, EAGAIN);
	EXPECT_EQ(last, get_info(self->fd).newest_seq);
	EXPECT_EQ(kinds & ~(1U << RDMAEV_KIND_COMPLETION),
		  1U << RDMAEV_KIND_DEVICE | 1U << RDMAEV_KIND_PORT |
		  1U << RDMAEV_KIND_ASYNC | 1U << RDMAEV_KIND_WC);

	/* The other group has the same but for what is affiliated. */
	ASSERT_GT(lseek(self->fd, last - 1, SEEK_SET), 0);
	last = 0;
	while ((nlh = genl_event(device, 300))) {
		EXPECT_EQ(genl_record(nlh, &rec), 0);
		EXPECT_LT(rec.object_type, RDMAEV_OBJECT_QP);
		EXPECT_GT(rec.seq, last);
		last = rec.seq;
	}
	EXPECT_EQ(last, get_info(self->fd).newest_seq);
	genl_close(device);
	free(device);
}

/* How many lines of the trace have our work in them. */
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
	ASSERT_EQ(put(TRACE "trace", "\n"), 0);
	ASSERT_EQ(put(TRACE "events/workqueue/workqueue_queue_work/enable", "1"), 0);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 50), 50);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	sleep_ms(100);
	EXPECT_EQ(traced_work(), 0);

	/* Of what is not for the group, too. */
	ASSERT_EQ(genl_join(self->g, self->g->group_device), 0);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 50), 50);
	sleep_ms(100);
	EXPECT_EQ(traced_work(), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_NE(genl_event(self->g, 2000), NULL);
	EXPECT_GT(traced_work(), 0);
	put(TRACE "events/workqueue/workqueue_queue_work/enable", "0");
	put(TRACE "trace", "\n");
}

/* A user who is no administrator. */
TEST_F(nl, not_an_administrator)
{
	int affiliated = 0, n = 0;
	struct rdmaev_record rec;
	const struct nlmsghdr *nlh;
	struct genl *g = self->g;
	uint32_t cq;

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3), 3);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_EQ(run("hold sim0 create created"), 0);
	/* The socket was opened by an administrator: who asks counts, too. */
	cq = result("cq");
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
	for (n = 0; (nlh = genl_next(g)); n++) {
		const struct nlattr *tb[GENL_ATTRS];

		genl_attrs(nlh, tb);
		EXPECT_EQ(tb[RDMAEV_A_CQ_ID], NULL);
	}
	EXPECT_EQ(g->error, 0);
	EXPECT_EQ(n, 1);
	genl_begin(g, RDMAEV_CMD_NOTIFY_SET, NLM_F_ACK);
	genl_u32(g, RDMAEV_A_CQ_DEVICE, self->index);
	genl_u32(g, RDMAEV_A_CQ_CQ, cq);
	genl_u32(g, RDMAEV_A_CQ_EVERY, 1);
	EXPECT_EQ(genl_do(g), ENOENT);
	ASSERT_EQ(seteuid(0), 0);
}

struct history {
	uint64_t position;		/* where to go on */
	uint64_t delivered;
	uint64_t lost;
	int positions;			/* messages that tell one */
};

static int begin_history(struct genl *g, uint64_t seq, const struct rdmaev_filter *f)
{
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, seq);
	if (f)
		genl_put(g, RDMAEV_A_RECORD_FILTER, f, sizeof(*f));
	return genl_send(g);
}

/*
 * The dump that has begun, to its end. If @fd is a reader, it is to have the same. -1:
 * it has not, or the order is wrong.
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

	ASSERT_EQ(all_kinds(), 0);
	sleep_ms(300);
	newest = get_info(self->fd).newest_seq;

	/* 0: from the oldest on. */
	ASSERT_EQ(lseek(self->fd, 0, SEEK_SET), oldest);
	ASSERT_EQ(begin_history(self->g, 0, NULL), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, newest - oldest + 1);
	EXPECT_EQ(h.position, newest + 1);
	EXPECT_EQ(h.positions, 1);

	/* From the next one on, and one alone. */
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

/* While records come, it ends where it was when it began. */
TEST_F_TIMEOUT(nl, history_under_load, 60)
{
	uint64_t from = get_info(self->fd).newest_seq + 1;
	struct history h = {};
	uint64_t newest = 0;
	int status, dumps = 0;
	pid_t pid, ended;

	pid = fork();
	if (!pid) {
		long n = 0;
		int i;

		for (i = 0; i < 20; i++) {
			n += events(SRQ_LIMIT_REACHED, 200);
			sleep_ms(10);
		}
		_exit(n != 4000);
	}
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	h.position = from;
	do {
		/* Once more when all have come. */
		ended = waitpid(pid, &status, WNOHANG);
		newest = get_info(self->fd).newest_seq;
		ASSERT_EQ(begin_history(self->g, h.position, NULL), 0);
		ASSERT_EQ(take_history(self->g, &h, self->fd), 0);
		EXPECT_GT(h.position, newest);
		EXPECT_EQ(h.delivered, h.position - from);
		dumps++;
	} while (!ended);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(h.delivered, 4000);
	EXPECT_GT(dumps, 2);
	EXPECT_EQ(h.lost, 0);
}

/* The log goes over what is being dumped, in two lanes. */
TEST_F_TIMEOUT(nl, history_overrun, 60)
{
	struct rdmaev_info info = get_info(self->fd);
	uint64_t from = info.newest_seq + 1;
	unsigned long n = info.lane_records + 500;
	struct history h = {}, all = {};

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 400), 400);
	ASSERT_EQ(events(SRQ_ERR, 400), 400);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 400), 400);
	ASSERT_EQ(begin_history(self->g, from, NULL), 0);
	/* Nothing is asked of the kernel any more until something is read. */
	ASSERT_EQ(events(SRQ_ERR, n), n);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, n), n);
	ASSERT_EQ(take_history(self->g, &h, -1), 0);
	EXPECT_GT(h.lost, 0);
	EXPECT_EQ(h.delivered + h.lost, h.position - from);
	EXPECT_GT(h.position, from + 1200);

	/* What follows fits to it, with nothing in between. */
	ASSERT_EQ(begin_history(self->g, h.position, NULL), 0);
	all = h;
	ASSERT_EQ(take_history(self->g, &all, -1), 0);
	EXPECT_EQ(all.position, get_info(self->fd).newest_seq + 1);
	EXPECT_EQ(all.delivered + all.lost, all.position - from);

	/* From the same seq again: as the node has it. */
	memset(&h, 0, sizeof(h));
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	ASSERT_EQ(begin_history(self->g, from, NULL), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, 2 * info.lane_records);
	EXPECT_EQ(h.delivered + h.lost, h.position - from);
}

/* A long way to the next record: each step of the dump says how far it came. */
TEST_F_TIMEOUT(nl, history_filtered, 60)
{
	uint64_t from = get_info(self->fd).newest_seq + 1;
	struct rdmaev_filter f = filter_all();
	struct history h = {};

	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 3500), 3500);
	ASSERT_EQ(events(SRQ_ERR, 1), 1);
	f.codes[RDMAEV_KIND_ASYNC] = 1ULL << SRQ_ERR;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	ASSERT_EQ(lseek(self->fd, from, SEEK_SET), from);
	ASSERT_EQ(begin_history(self->g, from, &f), 0);
	EXPECT_EQ(take_history(self->g, &h, self->fd), 0);
	EXPECT_EQ(h.delivered, 1);
	EXPECT_EQ(h.position, from + 3501);
	EXPECT_GE(h.positions, 4);
}

/* A listener that was too slow has all of it after a dump. */
TEST_F_TIMEOUT(nl, too_slow, 60)
{
	uint64_t last = get_info(self->fd).newest_seq, first = last;
	const struct nlmsghdr *nlh;
	struct history h = {};
	struct rdmaev_record rec;
	int size = 20000, slow = 0;
	struct genl *g;

	g = malloc(sizeof(*g));
	ASSERT_EQ(genl_open(g), 0);
	ASSERT_EQ(setsockopt(self->g->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(lseek(self->fd, last + 1, SEEK_SET), last + 1);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 1000), 1000);
	sleep_ms(500);
	for (;;) {
		nlh = genl_event(self->g, 300);
		if (!nlh && self->g->error != ENOBUFS)
			break;
		if (!nlh) {
			slow++;
			continue;
		}
		EXPECT_EQ(genl_record(nlh, &rec), 0);
		if (rec.seq == last + 1) {
			ASSERT_TRUE(same(nlh, self->fd));
			last++;
			continue;
		}
		/* Something is missing: as far as it has come by now. */
		EXPECT_GT(slow, 0);
		break;
	}
	EXPECT_GT(slow, 0);
	EXPECT_LT(last, first + 1000);
	ASSERT_EQ(begin_history(g, last + 1, NULL), 0);
	EXPECT_EQ(take_history(g, &h, self->fd), 0);
	EXPECT_EQ(h.lost, 0);
	EXPECT_EQ(h.position, first + 1001);
	EXPECT_EQ(last + h.delivered, first + 1000);
	genl_close(g);
	free(g);
}

static int notify(struct genl *g, uint32_t device, uint32_t cq, uint32_t every)
{
	genl_begin(g, RDMAEV_CMD_NOTIFY_SET, NLM_F_ACK);
	genl_u32(g, RDMAEV_A_CQ_DEVICE, device);
	genl_u32(g, RDMAEV_A_CQ_CQ, cq);
	genl_u32(g, RDMAEV_A_CQ_EVERY, every);
	return genl_do(g);
}

TEST_F(nl, notifications)
{
	struct rdmaev_notify by_node = {
		.size = sizeof(by_node),
		.device = self->index,
		.every = 1,
	};
	struct rdmaev_cq_stats stats;
	struct rdmaev_record rec;
	struct genl *g;
	uint32_t cq;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	cq = result("cq");
	by_node.cq = cq;
	g = malloc(sizeof(*g));
	ASSERT_EQ(genl_open(g), 0);
	ASSERT_EQ(filter_completions(self->fd, self->index), 0);

	EXPECT_EQ(notify(g, 9999, cq, 1), ENODEV);
	EXPECT_EQ(notify(g, self->index, 123456, 1), ENOENT);
	ASSERT_EQ(notify(g, self->index, cq, 2), 0);
	ASSERT_EQ(notify(g, self->index, cq, 1), 0);
	EXPECT_EQ(notify(self->g, self->index, cq, 1), EBUSY);
	EXPECT_STRNE(self->g->text, "");
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_NOTIFY, &by_node), -1);
	EXPECT_EQ(errno, EBUSY);
	run("hold sim0 arm next");
	run("hold sim0 write 1");
	run("hold sim0 poll 16");
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.code, RDMAEV_COMPLETION_NOTIFIED);

	/* It ends with the socket. */
	ASSERT_TRUE(find_cq(self->fd, self->index, cq, &stats));
	EXPECT_TRUE(stats.flags & RDMAEV_CQ_NOTIFIED);
	genl_close(g);
	ASSERT_TRUE(find_cq(self->fd, self->index, cq, &stats));
	EXPECT_FALSE(stats.flags & RDMAEV_CQ_NOTIFIED);
	EXPECT_EQ(ioctl(self->fd, RDMAEV_IOC_NOTIFY, &by_node), 0);
	free(g);

	ASSERT_EQ(run("hold sim0 destroy"), 0);
	ASSERT_EQ(run("hold sim0 create attached"), 0);
	EXPECT_EQ(notify(self->g, self->index, result("cq"), 1), EOPNOTSUPP);
}

/* A socket in another network namespace. */
static struct genl *open_in(const char *netns)
{
	struct genl *g = malloc(sizeof(*g));
	int here, there, ret = -1;
	char path[64];

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (setns(there, CLONE_NEWNET) == 0)
		ret = genl_open(g);
	if (setns(here, CLONE_NEWNET))
		perror("setns");
	close(here);
	close(there);
	return ret ? NULL : g;
}

/* Records of a device that come; those that are affiliated in @affiliated. */
static int count_events(struct genl *g, uint32_t index, int *affiliated, int *pids)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	struct rdmaev_record rec;
	int n = 0;

	*affiliated = 0;
	*pids = 0;
	while ((nlh = genl_event(g, 400))) {
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
	EXPECT_EQ(count_events(self->g, self->index, &affiliated, &pids), 1);
	EXPECT_EQ(affiliated, 0);
	EXPECT_EQ(pids, 1);
	EXPECT_EQ(count_events(other, self->index, &affiliated, &pids), 3);
	EXPECT_EQ(affiliated, 2);
	EXPECT_EQ(pids, 0);
	genl_close(other);
	free(other);
	EXPECT_EQ(sh("ip netns del other"), 0);
}

TEST_F_TIMEOUT(nl, namespaces_exclude, 60)
{
	static struct rdmaev_device devices[ENTRIES];
	int affiliated, pids;
	struct genl *other;
	uint64_t seq;

	ASSERT_EQ(sh("rdma system set netns exclusive"), 0);
	ASSERT_EQ(sh("ip netns add other"), 0);
	other = open_in("other");
	ASSERT_NE(other, NULL);
	ASSERT_EQ(genl_join(self->g, self->g->group_all), 0);
	ASSERT_EQ(genl_join(other, other->group_all), 0);
	ASSERT_EQ(genl_join(other, other->group_device), 0);
	ASSERT_EQ(events(SRQ_ERR, 2), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(self->g, self->index, &affiliated, &pids), 3);
	EXPECT_EQ(count_events(other, self->index, &affiliated, &pids), 0);
	genl_begin(other, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(other, DEVICE, device, devices, &seq), 0);

	/* It comes to the other one, which has its events from then on. */
	ASSERT_EQ(sh("rdma dev set sim0 netns other"), 0);
	EXPECT_EQ(count_events(self->g, self->index, &affiliated, &pids), 2);
	/* Of both groups. */
	EXPECT_EQ(count_events(other, self->index, &affiliated, &pids), 2);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	EXPECT_EQ(count_events(self->g, self->index, &affiliated, &pids), 1);
	EXPECT_EQ(count_events(other, self->index, &affiliated, &pids), 2);
	genl_begin(other, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(TAKE(other, DEVICE, device, devices, &seq), 1);
	EXPECT_EQ(devices[0].index, self->index);
	genl_close(other);
	free(other);
	/* The namespace ends: the device comes back. */
	ASSERT_EQ(sh("ip netns del other"), 0);
	EXPECT_EQ(count_events(self->g, self->index, &affiliated, &pids), 2);
	EXPECT_EQ(sh("rdma system set netns shared"), 0);
}

TEST_HARNESS_MAIN
