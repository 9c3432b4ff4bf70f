/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device with events for several readers, an account of which records they
 * got, and signals for them
 */
#ifndef RDMAEV_TEST_ACCOUNT_H
#define RDMAEV_TEST_ACCOUNT_H

#include <sys/mman.h>

#include "race.h"
#include "kselftest_harness.h"

#define EVENTS_MAX	20000

/*
 * Number of times that each record was delivered, by seq; shared with children
 */
struct account {
	uint64_t base;
	unsigned int taken;
	unsigned char seen[EVENTS_MAX];
};

FIXTURE(dev) {
	int fd;
	struct account *account;
};

FIXTURE_SETUP(dev)
{
	ASSERT_EQ(param("burst_ms", 0), 0);
	sim_destroy("sim0");
	ASSERT_EQ(sim_create("sim0", 1), 0);
	sleep_ms(30);
	self->fd = open_node(0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(filter_test_events(self->fd), 0);
	self->account = mmap(NULL, sizeof(*self->account), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->account, MAP_FAILED);
	self->account->base = get_info(self->fd).newest_seq + 1;
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
	munmap(self->account, sizeof(*self->account));
	sim_destroy("sim0");
}

static inline int events(unsigned int code, unsigned long n)
{
	return gen("process", "sim0", code, 1, n) == (long)n ? 0 : -1;
}

/* 0: it was not delivered before. */
static inline int enter_into(struct account *a, const struct rdmaev_record *rec)
{
	uint64_t at = rec->seq - a->base;

	if (rec->kind != RDMAEV_KIND_ASYNC || at >= EVENTS_MAX ||
	    __atomic_add_fetch(&a->seen[at], 1, __ATOMIC_RELAXED) != 1)
		return -1;
	__atomic_add_fetch(&a->taken, 1, __ATOMIC_RELAXED);
	return 0;
}

static inline unsigned int taken(const struct account *a)
{
	return __atomic_load_n(&a->taken, __ATOMIC_RELAXED);
}

/* Wait until so many were read; 0: they were. */
static inline int take_all(const struct account *a, unsigned int n)
{
	uint64_t end = now_ms() + HANGS_S * 1000;

	while (taken(a) < n && now_ms() < end)
		sched_yield();
	if (taken(a) != n)
		fprintf(stderr, "# %u of %u were taken\n", taken(a), n);
	return taken(a) == n ? 0 : -1;
}

static inline void on_signal(int sig)
{
}

static inline int handle_signal(int sig, int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	return sigaction(sig, &sa, NULL);
}

/* Send signals as fast as possible. */
struct sender {
	pthread_t to;
	int sig;
};

static inline void signal_on(struct runner *r)
{
	const struct sender *s = r->data;

	while (!is_stopped(r)) {
		pthread_kill(s->to, s->sig);
		r->done++;
		usleep(100);
	}
}

#endif /* RDMAEV_TEST_ACCOUNT_H */
