// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bursts: a repeated event becomes two records, the sum of the counts is exact,
 * and a storm of one kind does not affect others.
 */
#include "sim_link.h"

#define COMM_EST 4
#define QP_FATAL 1
#define SRQ_LIMIT 15

/* Events that a test raises at once are in one window, if the machine is slow, too. */
#define BURST_MS 1500
#define TWO_WINDOWS_MS 3000

FIXTURE(burst) {
	int fd;
	uint32_t index;
	struct object qp[2], srq;
};

FIXTURE_SETUP(burst)
{
	struct object list[MAX_OBJECTS];
	int i, n, qps = 0;

	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 2), 0);
	ASSERT_EQ(load_ulp(), 0);
	ASSERT_EQ(ulp_create("sim0", 2), 0);
	ASSERT_EQ(param("burst_ms", BURST_MS), 0);
	sleep_ms(200);
	self->fd = open_node(O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	self->index = device_index(self->fd, "sim0");
	ASSERT_EQ(filter_device(self->fd, "sim0"), 0);
	n = ulp_objects("sim0", list);
	for (i = 0; i < n; i++) {
		if (!strcmp(list[i].type, "qp") && qps < 2)
			self->qp[qps++] = list[i];
		if (!strcmp(list[i].type, "srq"))
			self->srq = list[i];
	}
	ASSERT_EQ(qps, 2);
}

FIXTURE_TEARDOWN(burst)
{
	ulp_destroy("sim0");
	sim_destroy("sim0");
	param("burst_ms", 1000);
	close(self->fd);
}

/* Read all records; returns the sum of the counts of @code. */
static uint64_t drain(int fd, unsigned int code, unsigned int *records)
{
	struct rdmaev_record rec;
	uint64_t sum = 0;

	*records = 0;
	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == RDMAEV_KIND_LOST)
			return 0;
		if (rec.kind != RDMAEV_KIND_ASYNC || rec.code != code)
			continue;
		sum += rec.count;
		++*records;
	}
	return sum;
}

TEST_F(burst, two_records)
{
	static const char * const contexts[] = { "process", "softirq", "hardirq" };
	struct rdmaev_record rec[2], copy;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, contexts[i], 500), 0);
		/*
		 * The first is recorded at once, the other at the end of the
		 * window.
		 */
		ASSERT_TRUE(next(self->fd, &rec[0]));
		ASSERT_TRUE(next(self->fd, &rec[1]));
		EXPECT_EQ(rec[0].count, 1);
		EXPECT_EQ(rec[0].cause, 0);
		EXPECT_EQ(rec[1].count, 499);
		EXPECT_EQ(rec[1].cause, rec[0].seq);
		/* Jiffies may catch up with the clock in the middle. */
		EXPECT_GE(rec[1].boottime_ns - rec[0].boottime_ns,
			  BURST_MS / 2 * 1000000ULL);
		copy = rec[0];
		copy.seq = rec[1].seq;
		copy.cause = rec[1].cause;
		copy.count = rec[1].count;
		copy.boottime_ns = rec[1].boottime_ns;
		copy.realtime_ns = rec[1].realtime_ns;
		EXPECT_EQ(memcmp(&copy, &rec[1], sizeof(copy)), 0);
	}
	/* An event that is not repeated has no second record. */
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "process", 1), 0);
	ASSERT_TRUE(next(self->fd, &rec[0]));
	sleep_ms(TWO_WINDOWS_MS);
	EXPECT_EQ(read(self->fd, &rec[1], sizeof(rec[1])), -1);
}

/* Another object or another event is not the same. */
TEST_F(burst, others)
{
	struct rdmaev_record rec[4];

	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "process", 1), 0);
	ASSERT_EQ(sim_raise(&self->qp[1], COMM_EST, "process", 1), 0);
	ASSERT_EQ(sim_raise(&self->qp[0], 5, "process", 1), 0);
	ASSERT_EQ(sim_raise(&self->srq, SRQ_LIMIT, "process", 1), 0);
	ASSERT_TRUE(exactly(self->fd, rec, 4));
	EXPECT_EQ(rec[0].object, self->qp[0].number);
	EXPECT_EQ(rec[1].object, self->qp[1].number);
	EXPECT_EQ(rec[2].code, 5);
	EXPECT_EQ(rec[3].object_type, RDMAEV_OBJECT_SRQ);
	sleep_ms(TWO_WINDOWS_MS);
	EXPECT_EQ(read(self->fd, rec, sizeof(rec)), -1);
}

/* A long window does not delay the end of a shorter one that began later. */
TEST_F(burst, shorter_from_now_on)
{
	struct rdmaev_record rec[3];

	ASSERT_EQ(param("burst_ms", 60000), 0);
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "process", 2), 0);
	ASSERT_EQ(param("burst_ms", 1500), 0);
	ASSERT_EQ(sim_raise(&self->qp[1], COMM_EST, "process", 5), 0);
	ASSERT_TRUE(next(self->fd, &rec[0]));
	ASSERT_TRUE(next(self->fd, &rec[1]));
	ASSERT_TRUE(next(self->fd, &rec[2]));
	EXPECT_EQ(rec[2].object, self->qp[1].number);
	EXPECT_EQ(rec[2].count, 4);
	EXPECT_EQ(rec[2].cause, rec[1].seq);
}

TEST_F(burst, errors_and_ports_are_not_folded)
{
	struct rdmaev_record rec;
	unsigned int n;

	ASSERT_EQ(sim_raise(&self->qp[0], QP_FATAL, "hardirq", 20), 0);
	EXPECT_EQ(drain(self->fd, QP_FATAL, &n), 20);
	EXPECT_EQ(n, 20);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_TRUE(next(self->fd, &rec));
	ASSERT_TRUE(next(self->fd, &rec));

	/* Without a window nothing is folded. */
	ASSERT_EQ(param("burst_ms", 0), 0);
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "hardirq", 20), 0);
	EXPECT_EQ(drain(self->fd, COMM_EST, &n), 20);
	EXPECT_EQ(n, 20);
}

TEST_F(burst, gid_change)
{
	struct rdmaev_record rec;
	unsigned int n;

	ASSERT_EQ(gen("process", "sim0", GID_CHANGE, 1, 50), 50);
	ASSERT_EQ(gen("process", "sim0", GID_CHANGE, 2, 30), 30);
	/* The cause of the change is the first record. */
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.port, 1);
	EXPECT_EQ(rec.count, 1);
	ASSERT_TRUE(next(self->fd, &rec));
	EXPECT_EQ(rec.port, 2);
	sleep_ms(TWO_WINDOWS_MS);
	EXPECT_EQ(drain(self->fd, GID_CHANGE, &n), 78);
	EXPECT_EQ(n, 2);
}

/* The end of a device does not end bursts of others. */
TEST_F(burst, removal)
{
	struct rdmaev_record rec;
	uint64_t sum = 0;
	int removed = 0;

	ASSERT_EQ(param("burst_ms", 60000), 0);
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "process", 100), 0);
	ASSERT_EQ(gen("process", "sim0", GID_CHANGE, 1, 40), 40);
	ulp_destroy("sim0");
	ASSERT_EQ(sim_destroy("sim0"), 0);
	while (next(self->fd, &rec)) {
		if (rec.kind == RDMAEV_KIND_ASYNC)
			sum += rec.count;
		if (rec.kind == RDMAEV_KIND_DEVICE) {
			removed = 1;
			break;
		}
	}
	EXPECT_TRUE(removed);
	EXPECT_EQ(sum, 140);
	EXPECT_EQ(read(self->fd, &rec, sizeof(rec)), -1);
}

struct total {
	uint64_t count, unnamed;	/* events, and those about no known object */
	unsigned int records;
};

/* Of all asynchronous events that can be read */
static struct total total_of(int fd)
{
	struct total total = {};
	struct rdmaev_record rec;

	while (read(fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind != RDMAEV_KIND_ASYNC)
			continue;
		total.count += rec.count;
		total.records++;
		if (!(rec.body.async.info.known & RDMAEV_KNOWN_OBJECT) && !rec.object)
			total.unnamed += rec.count;
	}
	return total;
}

/*
 * The object of an unknown event is unknown: not folded until the ULP has its share of
 * the ring, and not lost.
 */
TEST_F_TIMEOUT(burst, unknown_events, 60)
{
	const unsigned int share = get_info(self->fd).ring_records / 4;
	struct total total;
	unsigned int i;

	ASSERT_LT(share, 4500);
	ASSERT_EQ(param("burst_ms", 60000), 0);
	for (i = 0; i < 1500; i++)
		ASSERT_EQ(sim_raise(&self->qp[0], 100 + i, "process", 3), 0);
	ulp_destroy("sim0");
	ASSERT_EQ(sim_destroy("sim0"), 0);
	total = total_of(self->fd);
	EXPECT_EQ(total.count, 4500);
	EXPECT_GE(total.records, share);
	EXPECT_LT(total.records, 4500);
}

/*
 * Each connection of a peer has an event of its own, of which none is a repetition: here
 * because a window is over. Above the share of the ULP they have one sum.
 */
TEST_F_TIMEOUT(burst, share, 120)
{
	const unsigned int share = get_info(self->fd).ring_records / 4;
	/* More than the share gets meanwhile, if a round takes a tenth of a second, too */
	const unsigned int rounds = share / 2 + 500;
	struct total total;
	unsigned int i;

	ASSERT_EQ(param("burst_ms", 1), 0);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "process", 1), 0);
		ASSERT_EQ(sim_raise(&self->qp[1], COMM_EST, "process", 1), 0);
		sleep_ms(5);
	}
	ulp_destroy("sim0");
	ASSERT_EQ(sim_destroy("sim0"), 0);
	total = total_of(self->fd);
	EXPECT_EQ(total.count, 2 * rounds);
	EXPECT_GE(total.records, share);
	EXPECT_GT(total.unnamed, 0);
}

/* A storm in the info ring evicts no port record and no error. */
TEST_F_TIMEOUT(burst, storm_stays_in_its_ring, 60)
{
	struct rdmaev_record rec;
	struct rdmaev_info info;
	uint64_t first, lost = 0, stormed = 0;
	unsigned int port = 0, error = 0, n, records = 0;
	uint64_t begin, sum = 0;

	ASSERT_EQ(param("burst_ms", 0), 0);
	info = get_info(self->fd);
	first = info.newest_seq + 1;
	ASSERT_EQ(event(SM_CHANGE, 1), 0);
	ASSERT_EQ(sim_raise(&self->qp[1], QP_FATAL, "process", 1), 0);
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "hardirq", 3 * info.ring_records), 0);
	ASSERT_GT(lseek(self->fd, first, SEEK_SET), 0);
	while (read(self->fd, &rec, sizeof(rec)) == sizeof(rec)) {
		if (rec.kind == RDMAEV_KIND_LOST) {
			lost += rec.body.lost.count;
			continue;
		}
		if (rec.kind != RDMAEV_KIND_ASYNC)
			continue;
		port += rec.code == SM_CHANGE;
		error += rec.code == QP_FATAL;
		stormed += rec.code == COMM_EST;
	}
	EXPECT_EQ(port, 1);
	EXPECT_EQ(error, 1);
	EXPECT_LE(stormed, info.ring_records);
	EXPECT_EQ(stormed + lost, 3 * info.ring_records);

	/* Folded, the storm does not even evict its own records. */
	ASSERT_EQ(param("burst_ms", 300), 0);
	ASSERT_GT(lseek(self->fd, 0, SEEK_END), 0);
	begin = now_ms();
	ASSERT_EQ(sim_raise(&self->qp[0], COMM_EST, "hardirq", 3 * info.ring_records), 0);
	while (sum < 3 * info.ring_records && now_ms() - begin < SOON_MS) {
		sleep_ms(50);
		sum += drain(self->fd, COMM_EST, &n);
		records += n;
	}
	EXPECT_EQ(sum, 3 * info.ring_records);
	/* The first one of each burst, and its end, while the storm lasts */
	EXPECT_LE(records, 4 + 2 * (now_ms() - begin) / 300);
}

TEST_HARNESS_MAIN
