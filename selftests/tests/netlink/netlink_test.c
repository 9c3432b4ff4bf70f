// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The generic netlink family: valid and refused requests. The answers are those
 * of the node.
 */
#include "netlink.h"

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
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_INSTANCE]), info.instance);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_RECORD_SIZE]), info.record_size);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_RINGS]), info.rings);
	EXPECT_EQ(genl_number(tb[RDMAEV_A_INFO_RING_RECORDS]), info.ring_records);
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
		.flags = RDMAEV_DEVICES_REMOVED,
		.entry_size = sizeof(want[0]),
		.count = ENTRIES,
		.entries = (uintptr_t)want,
	};
	uint64_t seq;

	/* A removed device */
	ASSERT_EQ(sim_create("sim1", 1), 0);
	ASSERT_EQ(sim_destroy("sim1"), 0);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &req), 0);
	ASSERT_GT(req.count, 1);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	genl_flag(self->g, RDMAEV_A_DEVICE_REMOVED);
	ASSERT_EQ(TAKE(self->g, device, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	/* Existing devices only */
	memset(want, 0, sizeof(want));
	req.flags = 0;
	req.count = ENTRIES;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_DEVICES, &req), 0);
	genl_begin(self->g, RDMAEV_CMD_DEVICE_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, device, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
}

TEST_F(nl, ports)
{
	static struct rdmaev_port got[ENTRIES], want[ENTRIES];
	struct rdmaev_ports req = {
		.size = sizeof(req),
		.flags = RDMAEV_PORTS_REMOVED,
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
	genl_flag(self->g, RDMAEV_A_PORT_REMOVED);
	ASSERT_EQ(TAKE(self->g, port, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	ASSERT_EQ(snapshot(self->fd, self->index, want, ENTRIES), 2);
	genl_begin(self->g, RDMAEV_CMD_PORT_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_PORT_DEVICE, self->index);
	ASSERT_EQ(TAKE(self->g, port, got, &seq), 2);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
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

	ASSERT_EQ(gen("process", "sim0", UNKNOWN, 2, 1), 1);
	ASSERT_EQ(events(SRQ_LIMIT_REACHED, 7), 7);
	sleep_ms(200);
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	ASSERT_GT(req.count, 1);
	genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, counter, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
	EXPECT_EQ(seq, req.seq);

	memset(want, 0, sizeof(want));
	req.count = ENTRIES;
	req.flags = RDMAEV_COUNTERS_REMOVED;
	req.device = self->index;
	req.port = 2;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_COUNTERS, &req), 0);
	ASSERT_GT(req.count, 0);
	genl_begin(self->g, RDMAEV_CMD_COUNTER_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_COUNTER_DEVICE, self->index);
	genl_u32(self->g, RDMAEV_A_COUNTER_PORT, 2);
	genl_flag(self->g, RDMAEV_A_COUNTER_REMOVED);
	ASSERT_EQ(TAKE(self->g, counter, got, &seq), req.count);
	EXPECT_EQ(memcmp(got, want, sizeof(got)), 0);
}

/* Accurate to the tick, as it was read at another time. */
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

	/* An empty list has no message. */
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	ASSERT_EQ(genl_send(self->g), 0);
	EXPECT_EQ(genl_next(self->g), NULL);
	EXPECT_EQ(self->g->error, 0);

	/* More than a page */
	ASSERT_EQ(run("hold sim0 create created"), 0);
	run("hold sim0 write 3");
	run("hold sim0 bad");
	run("hold sim0 poll 16");
	ASSERT_EQ(run("hold sim0 more 50"), 0);
	memset(want, 0, sizeof(want));
	n = read_cqs(self->fd, 0, RDMAEV_ANY, 0, want, 51, &want_seq);
	ASSERT_EQ(n, 51);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	ASSERT_EQ(TAKE(self->g, cq, got, &seq), 51);
	EXPECT_EQ(self->g->intr, 0);
	EXPECT_EQ(seq, want_seq);
	forget_time(got, ENTRIES);
	forget_time(want, ENTRIES);
	EXPECT_EQ(memcmp(got, want, 51 * sizeof(got[0])), 0);
	EXPECT_GT(got[0].failures[LOC_QP_OP_ERR], 0);

	n = read_cqs(self->fd, RDMAEV_CQS_SUMS, self->index, 0, want, ENTRIES, &want_seq);
	ASSERT_EQ(n, 1);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, self->index);
	genl_flag(self->g, RDMAEV_A_CQ_SUMS);
	ASSERT_EQ(TAKE(self->g, cq, got, &seq), 1);
	EXPECT_EQ(got[0].cqs, 51);
	forget_time(got, 1);
	forget_time(want, 1);
	EXPECT_EQ(memcmp(&got[0], &want[0], sizeof(got[0])), 0);
	genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
	genl_u32(self->g, RDMAEV_A_CQ_DEVICE, 9999);
	EXPECT_EQ(genl_do(self->g), ENODEV);
}

/* What is observed, with and without the observer, by both ways */
TEST_F(nl, observed)
{
	const uint32_t facts = RDMAEV_OBSERVED_POLLED_CQS * 2 - 1;
	const struct nlattr *tb[GENL_ATTRS];
	struct rdmaev_info got = {}, want;
	const struct nlmsghdr *nlh;
	int i;

	for (i = 0; i < 2; i++) {
		want = get_info(self->fd);
		genl_begin(self->g, RDMAEV_CMD_INFO_GET, NLM_F_ACK);
		ASSERT_EQ(genl_send(self->g), 0);
		nlh = genl_next(self->g);
		ASSERT_NE(nlh, NULL);
		genl_attrs(nlh, tb);
		ASSERT_EQ(genl_fill(tb, &rdmaev_info_attrs, &got), 0);
		EXPECT_EQ(genl_next(self->g), NULL);
		EXPECT_EQ(memcmp(&got.observer, &want.observer, sizeof(got.observer)), 0);
		/* Each fact in one place */
		EXPECT_EQ(want.observer.observed + want.observer.waiting + want.observer.missing +
			  want.observer.blind + want.observer.failed + want.observer.off,
			  i ? facts : 0);
		EXPECT_EQ(want.observer.gaps, 0);
		EXPECT_EQ(want.observer.off, i ? RDMAEV_OBSERVED_POLLED_CQS : 0);
		EXPECT_EQ(want.observer.observed & RDMAEV_OBSERVED_KERNEL_CQS,
			  i ? RDMAEV_OBSERVED_KERNEL_CQS : 0);
		if (!i && sh("insmod $RDMAEV_TOP/kmod/rdmaev_observe.ko"))
			SKIP(return, "the observer is built in, or not there");
	}
	EXPECT_EQ(sh("rmmod rdmaev_observe"), 0);
	want = get_info(self->fd);
	EXPECT_EQ(memcmp(&want.observer, &(struct rdmaev_observed){}, sizeof(want.observer)), 0);
}

/* CQs are created and destroyed during a dump. */
TEST_F(nl, cqs_that_change)
{
	const struct nlattr *tb[GENL_ATTRS];
	const struct nlmsghdr *nlh;
	uint64_t id, last = 0;
	int i, n;

	ASSERT_EQ(run("hold sim0 create created"), 0);
	ASSERT_EQ(run("hold sim0 more 700"), 0);
	for (i = 0; i < 3; i++) {
		genl_begin(self->g, RDMAEV_CMD_CQ_GET, NLM_F_DUMP);
		ASSERT_EQ(genl_send(self->g), 0);
		last = 0;
		for (n = 0; (nlh = genl_next(self->g)); n++) {
			genl_attrs(nlh, tb);
			id = genl_number(tb[RDMAEV_A_CQ_ID]);
			EXPECT_GT(id, last);
			last = id;
			/* The kernel has prepared some entries, not all. */
			if (n == 5 && i == 1)
				ASSERT_EQ(run("load sim0 attached 1 10"), 0);
			if (n == 5 && i == 2)
				ASSERT_EQ(run("drop sim0"), 0);
		}
		EXPECT_EQ(self->g->error, 0);
		EXPECT_GE(n, 701);
		EXPECT_EQ(self->g->intr, i > 0);
	}
}

/* A dump of ports with an attribute */
static int port_request(struct genl *g, uint16_t type, const void *data, size_t len)
{
	genl_begin(g, RDMAEV_CMD_PORT_GET, NLM_F_DUMP);
	genl_put(g, type, data, len);
	return genl_do(g);
}

#define EXPECT_REFUSED(ret, error) do {					\
	EXPECT_EQ(ret, error);						\
	EXPECT_STRNE(self->g->text, "");				\
} while (0)

/* Kernels before 6.1 do not report which. */
#define EXPECT_MISSING(ret, attr) do {					\
	EXPECT_EQ(ret, EINVAL);						\
	if (self->g->missing) {						\
		EXPECT_EQ(self->g->missing, attr);			\
	} else {							\
		EXPECT_STRNE(self->g->text, "");			\
	}								\
} while (0)

TEST_F(nl, refused)
{
	char bytes[16] = {};
	struct genl *g = self->g;

	/* Unknown, only in answers, or of another size */
	EXPECT_REFUSED(port_request(g, 60, bytes, 4), EINVAL);
	EXPECT_REFUSED(port_request(g, RDMAEV_A_PORT_PORT, bytes, 4), EINVAL);
	EXPECT_EQ(g->offset, NLMSG_LENGTH(GENL_HDRLEN));
	EXPECT_NE(port_request(g, RDMAEV_A_PORT_DEVICE, bytes, 2), 0);
	EXPECT_NE(port_request(g, RDMAEV_A_PORT_DEVICE, bytes, 12), 0);
	/*
	 * A number may have 8 bytes where 4 are enough, and may be too large.
	 */
	memcpy(bytes, &self->index, sizeof(self->index));
	EXPECT_EQ(port_request(g, RDMAEV_A_PORT_DEVICE, bytes, 8), 0);
	bytes[4] = 1;
	EXPECT_REFUSED(port_request(g, RDMAEV_A_PORT_DEVICE, bytes, 8), ERANGE);
	/* Invalid commands, or commands without a dump or do */
	genl_begin(g, RDMAEV_CMD_MAX + 1, NLM_F_ACK);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);
	genl_begin(g, RDMAEV_CMD_EVENT_NTF, NLM_F_ACK);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);
	genl_begin(g, RDMAEV_CMD_INFO_GET, NLM_F_DUMP);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);
	genl_begin(g, RDMAEV_CMD_PORT_GET, NLM_F_ACK);
	EXPECT_EQ(genl_do(g), EOPNOTSUPP);

	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_ACK);
	EXPECT_MISSING(genl_do(g), RDMAEV_A_RECORD_SEQ);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_ACK);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, 0);
	EXPECT_REFUSED(genl_do(g), EINVAL);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, get_info(self->fd).newest_seq + 2);
	EXPECT_REFUSED(genl_do(g), ENXIO);
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_u64(g, RDMAEV_A_RECORD_SEQ, UINT64_MAX);
	EXPECT_REFUSED(genl_do(g), ENXIO);
}

/*
 * A dump without records and with a filter; @put: the attributes in its nest.
 */
#define FILTERED(put) ({						\
	uint32_t _nest;							\
									\
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);		\
	genl_u64(g, RDMAEV_A_RECORD_SEQ, get_info(self->fd).newest_seq + 1); \
	_nest = genl_nest(g, RDMAEV_A_RECORD_FILTER);			\
	put;								\
	genl_nest_end(g, _nest);					\
	genl_do(g);							\
})

/* A target with these values, if not 0; @more: with an unknown attribute. */
static void odd_target(struct genl *g, const char *name, size_t len, uint64_t port, int more)
{
	uint32_t nest = genl_nest(g, RDMAEV_A_FILTER_TARGET);

	if (name)
		genl_put(g, RDMAEV_A_TARGET_DEVICE_NAME, name, len);
	if (port)
		genl_u64(g, RDMAEV_A_TARGET_PORT, port);
	if (more)
		genl_u32(g, RDMAEV_A_TARGET_MAX + 1, 0);
	genl_nest_end(g, nest);
}

/* The same for codes of a kind */
static void odd_codes(struct genl *g, uint32_t kind, uint64_t codes, int more)
{
	uint32_t nest = genl_nest(g, RDMAEV_A_FILTER_KIND_CODE);

	if (kind)
		genl_u32(g, RDMAEV_A_KIND_CODE_KIND, kind);
	if (codes)
		genl_u64(g, RDMAEV_A_KIND_CODE_CODES, codes);
	if (more)
		genl_u32(g, RDMAEV_A_KIND_CODE_MAX + 1, 0);
	genl_nest_end(g, nest);
}

static void targets(struct genl *g, unsigned int n)
{
	while (n--)
		genl_target(g, "sim0", n);
}

static void kinds(struct genl *g, unsigned int n)
{
	while (n--)
		genl_codes(g, 1 + n % 5, 1);
}

TEST_F(nl, filters)
{
	char name[65] = "0123456789012345678901234567890123456789012345678901234567890123";
	struct rdmaev_filter f = filter_all();
	struct genl *g = self->g;

	EXPECT_EQ(FILTERED(), 0);
	EXPECT_EQ(FILTERED(genl_u32(g, RDMAEV_A_FILTER_KINDS, 0)), 0);
	f.kinds = 0xffe;
	f.severities = 0xe;
	f.object_types = 0x7f;
	f.flags = RDMAEV_FILTER_OBJECT | RDMAEV_FILTER_PID | RDMAEV_FILTER_UID |
		  RDMAEV_FILTER_CGROUP;
	f.pid = 1;
	f.uid = 1;
	f.cgroup = 1;
	filter_codes(&f, RDMAEV_KIND_ASYNC, 1ULL << 63);
	filter_codes(&f, RDMAEV_KIND_WC, UINT64_MAX);
	while (f.targets < RDMAEV_TARGETS)
		filter_target(&f, f.targets % 2 ? "sim*" : "sim0", f.targets);
	EXPECT_EQ(FILTERED(genl_filter(g, &f)), 0);
	EXPECT_EQ(FILTERED(genl_target(g, name + 1, UINT32_MAX)), 0);
	EXPECT_EQ(FILTERED(genl_target(g, "*", RDMAEV_ANY)), 0);
	EXPECT_EQ(FILTERED(genl_u64(g, RDMAEV_A_FILTER_OBJECT, 1)), 0);

	/* Unknown attributes, here and in nests */
	EXPECT_REFUSED(FILTERED(genl_u32(g, RDMAEV_A_FILTER_MAX + 1, 0)), EINVAL);
	EXPECT_EQ(FILTERED(odd_target(g, "sim0", 5, 1, 0)), 0);
	EXPECT_REFUSED(FILTERED(odd_target(g, "sim0", 5, 1, 1)), EINVAL);
	EXPECT_EQ(FILTERED(odd_codes(g, 1, 1, 0)), 0);
	EXPECT_REFUSED(FILTERED(odd_codes(g, 1, 1, 1)), EINVAL);
	/* The binary structure */
	genl_begin(g, RDMAEV_CMD_HISTORY_GET, NLM_F_DUMP);
	genl_put(g, RDMAEV_A_RECORD_FILTER, &f, sizeof(f));
	EXPECT_REFUSED(genl_do(g), EINVAL);

	/* Invalid bits and numbers */
	EXPECT_REFUSED(FILTERED(genl_u32(g, RDMAEV_A_FILTER_KINDS, 1)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_u32(g, RDMAEV_A_FILTER_KINDS, 1U << 31)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_u32(g, RDMAEV_A_FILTER_SEVERITIES, 1)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_u32(g, RDMAEV_A_FILTER_OBJECT_TYPES, 1U << 7)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_u64(g, RDMAEV_A_FILTER_OBJECT, 1ULL << 32)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_u64(g, RDMAEV_A_FILTER_PID, 1ULL << 32)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_u64(g, RDMAEV_A_FILTER_UID, 1ULL << 32)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_codes(g, 0, 1)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_codes(g, 12, 1)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_codes(g, 3, 0)), ERANGE);
	EXPECT_REFUSED(FILTERED(kinds(g, 6)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_codes(g, 1, 0, 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_codes(g, 0, 1, 0)), EINVAL);

	/* Targets */
	EXPECT_REFUSED(FILTERED(targets(g, RDMAEV_TARGETS + 1)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_target(g, NULL, 0, 0, 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_target(g, NULL, 0, 1, 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_target(g, "sim0", 5, 1ULL << 32, 0)), ERANGE);
	EXPECT_REFUSED(FILTERED(genl_target(g, "", 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_target(g, "s*0", 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_target(g, "*0", 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(genl_target(g, name, 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_target(g, "sim0\0x", 7, 0, 0)), EINVAL);
	EXPECT_REFUSED(FILTERED(odd_target(g, "sim0", 4, 0, 0)), EINVAL);
}

TEST_HARNESS_MAIN
