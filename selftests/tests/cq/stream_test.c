// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs under load, of each kind that a ULP can have: every polled completion is
 * counted, and without failures there is no record.
 */
#include "sample.h"
#include "kselftest_harness.h"

/* Requests of a stream; a multiple of 4 */
#define COUNT		2000U

#define MANY		64

/*
 * @flags: of the CQs
 * @notified: rdmaev sees their notifications
 * @polled: rdmaev sees who polls them
 */
static const struct kind {
	const char *name;
	unsigned int flags;
	int notified, polled;
} kinds[] = {
	{ "created", RDMAEV_CQ_NUMBERED, 1, 1 },
	{ "attached", RDMAEV_CQ_NUMBERED | RDMAEV_CQ_ATTACHED, 0, 0 },
	{ "direct", RDMAEV_CQ_NUMBERED | RDMAEV_CQ_ATTACHED, 0, 1 },
};

FIXTURE(stream) {
	int fd;
	struct rdmaev_device dev;
	uint64_t sent[RDMAEV_OPCODES];	/* by all streams so far */
};

FIXTURE_VARIANT(stream) {
	const struct sample_device *device;
	int has_ud;
};

FIXTURE_VARIANT_ADD(stream, rxe) {
	.device = &rxe,
	.has_ud = 1,
};

FIXTURE_VARIANT_ADD(stream, siw) {
	.device = &siw,
};

static unsigned int get_cqs(int fd, unsigned int device, struct rdmaev_cq_stats list[MANY])
{
	struct rdmaev_cqs req = {
		.size = sizeof(req),
		.entry_size = sizeof(list[0]),
		.count = MANY,
		.entries = (uintptr_t)list,
		.device = device,
	};

	return ioctl(fd, RDMAEV_IOC_CQS, &req) ? ~0U : req.count;
}

FIXTURE_SETUP(stream)
{
	struct rdmaev_filter f = filter_all();
	struct rdmaev_cq_stats sum;

	ASSERT_TRUE(sample_ready(variant->device));
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_TRUE(find_device(self->fd, variant->device->name, &self->dev));
	f.kinds = 1U << RDMAEV_KIND_WC | 1U << RDMAEV_KIND_COMPLETION;
	ASSERT_EQ(ioctl(self->fd, RDMAEV_IOC_FILTER, &f), 0);
	/* Requests used to find out that the device is ready */
	ASSERT_TRUE(sample_sums(self->fd, self->dev.index, &sum));
	memcpy(self->sent, sum.completions, sizeof(self->sent));
}

FIXTURE_TEARDOWN(stream)
{
	close(self->fd);
}

static const struct rdmaev_cq_stats *find_cq(const struct rdmaev_cq_stats *list,
					     unsigned int count, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (list[i].cq == number)
			return &list[i];
	}
	return NULL;
}

/* The CQ of one queue: its counters, and the @expected ones. */
static void check_cq(struct __test_metadata *_metadata, const struct kind *k,
		     const struct rdmaev_device *dev, const struct rdmaev_cq_stats *cq,
		     const struct sample *s, const char *end, const char *queue,
		     const unsigned int *expected)
{
	uint64_t total = 0;
	unsigned int i;

	EXPECT_EQ(cq->device, dev->index);
	EXPECT_EQ(cq->generation, dev->generation);
	EXPECT_EQ(cq->flags, k->flags);
	EXPECT_EQ(cq->cqs, 1);
	EXPECT_GE(cq->cqe, 32);
	EXPECT_STREQ(cq->owner, SAMPLE_OWNER);
	for (i = 0; i < RDMAEV_OPCODES; i++) {
		EXPECT_EQ(cq->completions[i], expected[i])
			TH_LOG("%s %s %s: opcode %u", k->name, end, queue, i);
		EXPECT_EQ(sample_count(s, "opcode", end, queue, "opcode", i), expected[i]);
		total += expected[i];
	}
	for (i = 0; i < RDMAEV_WC_STATUSES; i++) {
		EXPECT_EQ(cq->failures[i], 0)
			TH_LOG("%s %s %s: status %u", k->name, end, queue, i);
	}
	EXPECT_EQ(!!cq->notifications, k->notified && total);
	EXPECT_LE(cq->empty_polls, cq->notifications);
	/* A CQ that can be notified is not polled without a notification. */
	EXPECT_EQ(!!cq->polls, k->polled && (total || !k->notified))
		TH_LOG("%s %s %s: %llu polls", k->name, end, queue,
		       (unsigned long long)cq->polls);
	if (total)
		EXPECT_GT(cq->last_ns, cq->since_ns);
}

static void check_stream(struct __test_metadata *_metadata, int fd, const struct kind *k,
			 const struct rdmaev_device *dev, const struct sample *s, int ud)
{
	const unsigned int active_send[RDMAEV_OPCODES] = {
		[RDMAEV_OPCODE_SEND] = ud ? COUNT : COUNT / 2,
		[RDMAEV_OPCODE_WRITE] = ud ? 0 : COUNT / 4,
		[RDMAEV_OPCODE_READ] = ud ? 0 : COUNT / 4,
	};
	const unsigned int passive_recv[RDMAEV_OPCODES] = {
		[RDMAEV_OPCODE_RECV] = active_send[RDMAEV_OPCODE_SEND],
	};
	const unsigned int nothing[RDMAEV_OPCODES] = {};
	struct rdmaev_cq_stats list[MANY];
	struct sample_numbers a, p;
	const struct {
		const unsigned int *number;
		const char *end, *queue;
		const unsigned int *expected;
	} cqs[] = {
		{ &a.send_cq, "active", "send", active_send },
		{ &a.recv_cq, "active", "recv", nothing },
		{ &p.send_cq, "passive", "send", nothing },
		{ &p.recv_cq, "passive", "recv", passive_recv },
	};
	const struct rdmaev_cq_stats *cq;
	unsigned int i;

	ASSERT_TRUE(sample_numbers(s, "active", &a));
	ASSERT_TRUE(sample_numbers(s, "passive", &p));
	ASSERT_EQ(get_cqs(fd, dev->index, list), 4);
	for (i = 0; i < ARRAY_SIZE(cqs); i++) {
		cq = find_cq(list, 4, *cqs[i].number);
		ASSERT_NE(cq, NULL)
			TH_LOG("%s %s %s: CQ %u", k->name, cqs[i].end, cqs[i].queue,
			       *cqs[i].number);
		check_cq(_metadata, k, dev, cq, s, cqs[i].end, cqs[i].queue,
			 cqs[i].expected);
	}
}

/* All that was ever counted for the device is @sent. */
static void check_sum(struct __test_metadata *_metadata, int fd,
		      const struct rdmaev_device *dev, const uint64_t *sent)
{
	struct rdmaev_cq_stats list[MANY], sum;
	unsigned int i;

	ASSERT_EQ(get_cqs(fd, dev->index, list), 0);
	ASSERT_TRUE(sample_sums(fd, dev->index, &sum));
	EXPECT_EQ(sum.id, dev->generation);
	EXPECT_EQ(sum.flags, RDMAEV_CQ_SUM);
	EXPECT_EQ(sum.cqs, 0);
	for (i = 0; i < RDMAEV_OPCODES; i++)
		EXPECT_EQ(sum.completions[i], sent[i]);
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		EXPECT_EQ(sum.failures[i], 0);
}

static void check_log(struct __test_metadata *_metadata, int fd, const char *kind)
{
	struct rdmaev_record rec;

	EXPECT_EQ(read(fd, &rec, sizeof(rec)), -1)
		TH_LOG("%s: record of kind %u, code %u, object %u", kind, rec.kind, rec.code,
		       rec.object);
	EXPECT_EQ(errno, EAGAIN);
}

TEST_F_TIMEOUT(stream, rc, 120)
{
	struct sample s = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_TRUE(sample_do(&s, "stream", "%s %s %s rc %u", variant->device->name,
				      variant->device->address, kinds[i].name, COUNT));
		ASSERT_EQ(s.error, 0)
			TH_LOG("%s: %s", kinds[i].name, s.text);
		check_stream(_metadata, self->fd, &kinds[i], &self->dev, &s, 0);
		close(s.fd);
		self->sent[RDMAEV_OPCODE_SEND] += COUNT / 2;
		self->sent[RDMAEV_OPCODE_RECV] += COUNT / 2;
		self->sent[RDMAEV_OPCODE_WRITE] += COUNT / 4;
		self->sent[RDMAEV_OPCODE_READ] += COUNT / 4;
		check_sum(_metadata, self->fd, &self->dev, self->sent);
		check_log(_metadata, self->fd, kinds[i].name);
	}
}

TEST_F_TIMEOUT(stream, ud, 120)
{
	struct sample s = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_TRUE(sample_do(&s, "stream", "%s %s %s ud %u", variant->device->name,
				      variant->device->address, kinds[i].name, COUNT));
		/* iWARP has no datagrams. */
		ASSERT_EQ(s.error, variant->has_ud ? 0 : EOPNOTSUPP)
			TH_LOG("%s: %s", kinds[i].name, s.text);
		if (variant->has_ud) {
			check_stream(_metadata, self->fd, &kinds[i], &self->dev, &s, 1);
			self->sent[RDMAEV_OPCODE_SEND] += COUNT;
			self->sent[RDMAEV_OPCODE_RECV] += COUNT;
		}
		close(s.fd);
		check_sum(_metadata, self->fd, &self->dev, self->sent);
		check_log(_metadata, self->fd, kinds[i].name);
	}
}

/*
 * The device is removed while a ULP has a connection: the removal does not wait
 * for the file.
 */
TEST(removal)
{
	static const struct sample_device gone = { "rxe", "smp_gone", "10.7.3.1" };
	struct rdmaev_cq_stats list[MANY];
	struct sample s = {};
	int fd;

	ASSERT_TRUE(sample_ready(&gone));
	ASSERT_TRUE(sample_do(&s, "stream", "%s %s created rc 8", gone.name, gone.address));
	EXPECT_EQ(s.error, 0);
	fd = open_node(O_NONBLOCK);
	EXPECT_EQ(get_cqs(fd, RDMAEV_ANY, list), 4);
	EXPECT_EQ(sh("rdma link del %s", gone.name), 0);
	EXPECT_EQ(get_cqs(fd, RDMAEV_ANY, list), 0);
	close(fd);
	close(s.fd);
}

TEST_HARNESS_MAIN
