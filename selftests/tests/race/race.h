/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Helpers of the tests of races: threads that end in time, rounds for slow
 * kernels, loading and unloading.
 */
#ifndef RDMAEV_TEST_RACE_H
#define RDMAEV_TEST_RACE_H

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "genl.h"
#include "sim.h"

/* Nothing here takes that long unless it hangs. */
#define HANGS_S		(60 * slowness())

/* Fewer on kernels with checkers */
static inline unsigned int rounds(unsigned int n)
{
	n /= slowness();
	return n > 2 ? n : 2;
}

/*
 * A thread of a test. It must not use the assertions of the harness: it counts
 * errors, and prints them.
 */
struct runner {
	pthread_t id;
	pid_t tid;			/* 0: not running yet */
	int stop;			/* set by others, see is_stopped() */
	void (*fn)(struct runner *r);
	void *data;
	unsigned int number;
	unsigned long done;		/* times that it succeeded, */
	unsigned long refused;		/* was refused with a valid error, */
	unsigned long wrong;		/* or went wrong */
};

static inline int is_stopped(const struct runner *r)
{
	return __atomic_load_n(&r->stop, __ATOMIC_ACQUIRE);
}

/* Print the first few only. */
__attribute__((format(printf, 2, 3)))
static inline void wrong(struct runner *r, const char *format, ...)
{
	int error = errno;
	char text[160];
	va_list ap;

	if (r->wrong++ > 3)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fprintf(stderr, "# thread %u: %s (%s)\n", r->number, text, strerror(error));
}

static inline void *runner_main(void *data)
{
	struct runner *r = data;

	__atomic_store_n(&r->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	r->fn(r);
	return NULL;
}

static inline int start(struct runner *r, void (*fn)(struct runner *r), void *data)
{
	r->fn = fn;
	r->data = data;
	r->tid = 0;
	r->stop = 0;
	return pthread_create(&r->id, NULL, runner_main, r);
}

static inline void tell_stop(struct runner *r)
{
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
}

/* 0: it has ended without an error. */
static inline int ended(struct runner *r)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += HANGS_S;
	if (pthread_timedjoin_np(r->id, NULL, &until)) {
		fprintf(stderr, "# thread %u hangs\n", r->number);
		return -1;
	}
	return r->wrong ? 1 : 0;
}

static inline int stop(struct runner *r)
{
	tell_stop(r);
	return ended(r);
}

/* The state of a thread in the kernel: R, S, D */
static inline char state_of(pid_t tid)
{
	char path[64], line[256], state = '?', *at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f)) {
		at = strrchr(line, ')');
		if (at && at[1])
			state = at[2];
	}
	if (f)
		fclose(f);
	return state;
}

/* Wait until a thread sleeps; 0: it does. */
static inline int asleep(const struct runner *r)
{
	uint64_t end = now_ms() + SOON_MS;
	pid_t tid;

	do {
		tid = __atomic_load_n(&r->tid, __ATOMIC_ACQUIRE);
		if (tid && state_of(tid) == 'S')
			return 0;
		sched_yield();
	} while (now_ms() < end);
	return -1;
}

static inline unsigned int random_of(unsigned int *seed, unsigned int n)
{
	return rand_r(seed) / (RAND_MAX / n + 1);
}

/* The module, for load() and unload(); -1: the file is missing. */
static inline int open_module(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/kmod/rdmaev.ko", getenv("RDMAEV_TOP"));
	return open(path, O_RDONLY | O_CLOEXEC);
}

static inline int load(int module, const char *params)
{
	return syscall(SYS_finit_module, module, params, 0);
}

/* Once; errno has the reason. */
static inline int unload(void)
{
	return syscall(SYS_delete_module, "rdmaev", O_NONBLOCK);
}

static inline int is_loaded(void)
{
	return access("/sys/module/rdmaev", F_OK) == 0;
}

/* A close of a file may reach the module a little later. */
static inline int unload_in_time(void)
{
	uint64_t end = now_ms() + SOON_MS;

	while (unload()) {
		if ((errno != EAGAIN && errno != EBUSY) || now_ms() > end)
			return -1;
		usleep(1000);
	}
	return 0;
}

/* Wait for a record; 1, 0: none came, -1: errno. */
static inline int read_one(int fd, struct rdmaev_record *rec)
{
	ssize_t n = read(fd, rec, sizeof(*rec));

	if (n < 0)
		return -1;
	if (n != sizeof(*rec)) {
		errno = EPROTO;
		return -1;
	}
	return 1;
}

#endif /* RDMAEV_TEST_RACE_H */
