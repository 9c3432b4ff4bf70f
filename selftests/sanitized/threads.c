// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several threads use one handle of librdmaev at once, under ThreadSanitizer: two
 * read, one waits, one asks and changes all that can be changed. Each event goes to
 * exactly one of those that read.
 */
#include <pthread.h>

#include <rdmaev.h>

#include "sim.h"

/* TSan stops at the first race, so that the test fails. */
const char *__tsan_default_options(void)
{
	return "halt_on_error=1:second_deadlock_stack=1";
}

#define ROUNDS		4
#define EVENTS		150
#define STOP_EVENT	(TEST_EVENT + 1)
#define MS		1000000LL

/**
 * struct shared - what all threads use
 * @h: the handle
 * @base: seq of the first event
 * @stop: all have been read
 * @readers: those that still read
 * @changed: rounds of changer()
 * @seen: how often each event came
 */
struct shared {
	struct rdmaev *h;
	uint64_t base;
	int stop;
	int readers;
	unsigned int changed;
	unsigned char seen[2 * ROUNDS * EVENTS];
};

FIXTURE(handle) {
	struct shared s;
};

FIXTURE_VARIANT(handle) {
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(handle, node) {
};

FIXTURE_VARIANT_ADD(handle, netlink) {
	.flags = RDMAEV_NETLINK,
};

/* One of two that let the same pass, as far as this test goes. */
static int filter(struct rdmaev *h, unsigned int which)
{
	struct rdmaev_filter f;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_ASYNC;
	f.codes[RDMAEV_KIND_ASYNC] = 1ULL << RDMAEV_CODE_BIT_OTHER;
	if (which)
		f.kinds |= 1U << RDMAEV_KIND_LOST;
	return rdmaev_set_filter(h, &f);
}

FIXTURE_SETUP(handle)
{
	struct rdmaev_info info;

	if (access("/sys/class/infiniband/sim0", F_OK))
		ASSERT_EQ(sim_create("sim0", 2), 0);
	self->s.h = rdmaev_open(NULL, variant->flags);
	ASSERT_NE(self->s.h, NULL);
	ASSERT_EQ(filter(self->s.h, 0), 0);
	ASSERT_EQ(rdmaev_info(self->s.h, &info), 0);
	self->s.base = info.newest_seq + 1;
	self->s.readers = 2;
}

FIXTURE_TEARDOWN(handle)
{
	rdmaev_close(self->s.h);
}

static int stopped(struct shared *s)
{
	return __atomic_load_n(&s->stop, __ATOMIC_RELAXED);
}

/* How many were there once and right; -1 for any other. */
static void *reader(void *arg)
{
	struct rdmaev_record ev[8];
	struct shared *s = arg;
	long got = 0;
	ssize_t n, i;

	for (;;) {
		n = rdmaev_read(s->h, ev, 8);
		if (n < 0)
			got = -1;
		for (i = 0; i < n; i++) {
			const struct rdmaev_record *r = &ev[i];
			uint64_t at = r->seq - s->base;

			if (r->code == STOP_EVENT || got < 0)
				continue;
			if (at >= sizeof(s->seen) || r->code != TEST_EVENT ||
			    strncmp(ev[i].device_name, "sim", 3) ||
			    __atomic_add_fetch(&s->seen[at], 1, __ATOMIC_RELAXED) != 1)
				got = -1;
			else
				got++;
		}
		if (n < 0 || ev[n - 1].code == STOP_EVENT)
			break;
	}
	__atomic_sub_fetch(&s->readers, 1, __ATOMIC_RELAXED);
	return (void *)got;
}

static void *waiter(void *arg)
{
	struct shared *s = arg;
	long wrong = 0;

	while (!stopped(s))
		wrong += rdmaev_wait(s->h, MS) < 0;
	return (void *)wrong;
}

static void *changer(void *arg)
{
	struct rdmaev_counter counter;
	struct rdmaev_device device;
	struct rdmaev_info info;
	struct rdmaev_port port;
	struct rdmaev *other;
	struct shared *s = arg;
	long wrong = 0;

	while (!stopped(s)) {
		wrong += filter(s->h, s->changed++ & 1) != 0;
		wrong += rdmaev_set_wakeup(s->h, 1, 0) != 0;
		wrong += rdmaev_info(s->h, &info) != 0;
		wrong += rdmaev_seek(s->h, 0, SEEK_CUR) < 0;
		wrong += rdmaev_devices(s->h, &device, 1, 0, NULL) < 1;
		wrong += rdmaev_ports(s->h, RDMAEV_ANY, 0, &port, 1, NULL) < 1;
		wrong += rdmaev_counters(s->h, RDMAEV_ANY, RDMAEV_ANY, 0, &counter, 1,
					 NULL) < 1;
		other = rdmaev_open(NULL, 0);
		wrong += !other || rdmaev_fd(other) == rdmaev_fd(s->h);
		rdmaev_close(other);
		sleep_ms(5);
	}
	return (void *)wrong;
}

TEST_F_TIMEOUT(handle, shared, 120)
{
	void *(*const start[])(void *) = { reader, reader, waiter, changer };
	pthread_t id[ARRAY_SIZE(start)];
	void *ret[ARRAY_SIZE(start)];
	unsigned int i;

	/* One is counted for the device before anybody asks. */
	ASSERT_EQ(gen("process", "sim0", TEST_EVENT, 1, 1), 1);
	for (i = 0; i < ARRAY_SIZE(start); i++)
		ASSERT_EQ(pthread_create(&id[i], NULL, start[i], &self->s), 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(gen("process", i & 1 ? "sim1" : "sim0", TEST_EVENT, 1, EVENTS),
			  EVENTS);
		/* Names are learnt while they are read. */
		ASSERT_EQ(sh("rdma dev set sim%u name sim%u", i & 1, !(i & 1)), 0);
		sleep_ms(20);
	}
	/* One may take several of these. */
	while (__atomic_load_n(&self->s.readers, __ATOMIC_RELAXED)) {
		ASSERT_EQ(gen("process", "sim0", STOP_EVENT, 1, 1), 1);
		sleep_ms(20);
	}
	__atomic_store_n(&self->s.stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(start); i++)
		pthread_join(id[i], &ret[i]);
	EXPECT_EQ((long)ret[0] + (long)ret[1], 1 + ROUNDS * EVENTS);
	EXPECT_GE((long)ret[0], 0);
	EXPECT_GE((long)ret[1], 0);
	EXPECT_EQ((long)ret[2], 0);
	EXPECT_EQ((long)ret[3], 0);
	EXPECT_GT(self->s.changed, 1);
}

TEST_HARNESS_MAIN
