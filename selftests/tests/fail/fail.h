/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Failing allocations. A sweep makes a call repeatedly: first the first
 * allocation or copy from or to user space in it fails, then the second, until
 * none is left to fail. It needs a kernel with fault injection; on others the
 * test is skipped.
 *
 * An injected fault must fail the call with the matching error, or do no harm;
 * either way everything works as before.
 */
#ifndef RDMAEV_TEST_FAIL_H
#define RDMAEV_TEST_FAIL_H

#include "cq.h"

#define FAIL_NTH "/proc/thread-self/fail-nth"

/* More than any call here makes */
#define SWEEP_MAX	20000

static const char * const fail_kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

static inline int fail_set(const char *kind, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kind, name);
	return put(path, value);
}

/*
 * Stop all failures but those requested for a thread. This can fail, too; a
 * kernel without one of the kinds never has it on.
 */
static inline void fail_off(void)
{
	unsigned int i, tries;

	for (i = 0; i < ARRAY_SIZE(fail_kinds); i++) {
		for (tries = 0; tries < 1000; tries++) {
			if (!fail_set(fail_kinds[i], "probability", "0"))
				break;
		}
	}
}

/*
 * At random, and only in workers of unbound queues, which the module uses. (To
 * fail only in a module takes CONFIG_FAULT_INJECTION_STACKTRACE_FILTER, which
 * 6.1 does not have on x86.)
 */
static inline int fail_in_work(const char *probability)
{
	return sh("for c in /proc/[0-9]*/comm; do"
		  "  read -r name <$c; case $name in"
		  "  kworker/u*) echo 1 >${c%%/comm}/make-it-fail;;"
		  "  esac;"
		  " done") ||
	       fail_set("failslab", "space", "0") ||
	       fail_set("failslab", "probability", probability);
}

/*
 * A call that has memory for so many bytes; all later requests of this thread
 * fail, since the kernel tries again after a single failure. -1 and errno.
 */
static inline int fail_beyond(unsigned int bytes, int (*call)(void *data), void *data)
{
	int fd = open("/proc/thread-self/make-it-fail", O_WRONLY | O_CLOEXEC);
	int ret, error, bad;
	char text[16];

	snprintf(text, sizeof(text), "%u", bytes);
	bad = fd < 0 || fail_set("failslab", "space", text) ||
	      fail_set("failslab", "probability", "100") || write(fd, "1", 1) != 1;
	errno = 0;
	ret = call(data);
	error = errno;
	bad |= write(fd, "0", 1) != 1;
	fail_off();
	close(fd);
	errno = bad ? EIO : error;
	return bad ? -1 : ret;
}

/* Number of messages in /dev/kmsg, since the last call, that have this text */
static inline int kernel_said(int kmsg, const char *text)
{
	char line[1024];
	ssize_t len;
	int n = 0;

	for (;;) {
		len = read(kmsg, line, sizeof(line) - 1);
		/* EPIPE: messages were overwritten; there are more. */
		if (len < 0 && errno != EPIPE)
			return n;
		line[len < 0 ? 0 : len] = '\0';
		n += !!strstr(line, text);
	}
}

/* A test that ended with an error may have left failures on. */
static pid_t fail_parent;

static inline void fail_end(void)
{
	if (getpid() == fail_parent)
		fail_off();
}

/*
 * Before any test. Failures are not printed: run_tests searches the kernel log.
 */
static void __attribute__((constructor)) fail_begin(void)
{
	unsigned int i;

	if (access(FAIL_NTH, W_OK)) {
		printf("1..0 # SKIP needs a kernel with fault injection\n");
		exit(KSFT_SKIP);
	}
	fail_parent = getpid();
	atexit(fail_end);
	fail_off();
	for (i = 0; i < ARRAY_SIZE(fail_kinds); i++) {
		fail_set(fail_kinds[i], "verbose", "0");
		fail_set(fail_kinds[i], "interval", "1");
		fail_set(fail_kinds[i], "times", "-1");
		fail_set(fail_kinds[i], "task-filter", "Y");
	}
	fail_set("failslab", "ignore-gfp-wait", "N");
	fail_set("fail_page_alloc", "ignore-gfp-wait", "N");
	fail_set("fail_page_alloc", "min-order", "0");
}

static int fail_fd = -1;
static pid_t fail_owner;

/* The n-th call of this thread fails; 0: none. */
static inline void fail_nth(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (fail_owner != getpid()) {
		fail_fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
		fail_owner = getpid();
	}
	/*
	 * A write copies from user space, and this copy may be the one that
	 * fails.
	 */
	while (pwrite(fail_fd, text, len, 0) != len)
		;
}

/*
 * Returns how many calls were left, and stops failures. 0: the call has failed.
 */
static inline unsigned int fail_left(void)
{
	char text[16] = "1";

	/*
	 * Reading the number is a copy, too: the next one failed, and none
	 * before.
	 */
	if (pread(fail_fd, text, sizeof(text) - 1, 0) < 0)
		return 1;
	fail_nth(0);
	return strtoul(text, NULL, 10);
}

/*
 * Errors that a call may fail with. ENFILE is for a socket that cannot be made.
 */
static inline int is_shortage(int error)
{
	return error == ENOMEM || error == ENOBUFS || error == ENFILE || error == EFAULT;
}

/**
 * struct sweep - a call that is repeated
 * @name: for reports
 * @call: called with failures; 0 or more, or -1 and errno
 * @after: called without failures; result and errno of @call. 0: success
 * @least: number of failures that must have happened
 * @first: the first call that fails, 0: 1
 * @step: increment, 0: 1
 * @error: another errno that is allowed
 */
struct sweep {
	const char *name;
	int (*call)(void *data);
	int (*after)(void *data, int ret, int error);
	unsigned int least;
	unsigned int first;
	unsigned int step;
	int error;
};

/*
 * Ends after @misses calls in a row in which nothing was left to fail. Returns how many
 * calls failed, -1: not all is well.
 */
static inline int sweep_once(const struct sweep *s, void *data, unsigned int misses)
{
	unsigned int n, hits = 0, failed = 0, missed = 0;
	unsigned int step = s->step ? s->step : 1;
	uint64_t start = now_ms();
	int ret, error, hit;

	for (n = s->first ? s->first : 1; n < SWEEP_MAX; n += step) {
		fail_nth(n);
		errno = 0;
		ret = s->call(data);
		error = errno;
		hit = !fail_left();
		hits += hit;
		failed += ret < 0;
		if (ret < 0 && !(hit && (is_shortage(error) || error == s->error))) {
			fprintf(stderr, "# %s, %u: %s%s\n", s->name, n, strerror(error),
				hit ? "" : " though nothing failed");
			return -1;
		}
		if (s->after && s->after(data, ret, error)) {
			fprintf(stderr, "# %s, %u: returned %d (%s), and now not all is well\n",
				s->name, n, ret, ret < 0 ? strerror(error) : "no error");
			return -1;
		}
		missed = hit ? 0 : missed + 1;
		if (missed == misses)
			break;
	}
	printf("# %s: %u injected up to %u, %u calls failed of it, %llu ms\n", s->name,
	       hits, n, failed, (unsigned long long)(now_ms() - start));
	fflush(stdout);
	return n < SWEEP_MAX ? (int)failed : -1;
}

/*
 * 0: success. A page table or a stack depot may be allocated in one of the calls
 * and be there for the next one, whose own allocations then have other numbers:
 * one of them is passed over. So too few failures count only if they stay too few.
 * With KASAN, which delays the reuse of memory, each fourth call or so needs a new
 * page for the same object: each sweep makes one call more than the one before, so that
 * it is not always the same position.
 */
static inline int sweep(const struct sweep *s, void *data)
{
	unsigned int i;
	int failed = 0;

	for (i = 0; i < 6 && failed >= 0; i++) {
		failed = sweep_once(s, data, 1 + i);
		if (failed >= (int)s->least)
			return 0;
	}
	if (failed >= 0)
		fprintf(stderr, "# %s: %u were to fail at least\n", s->name, s->least);
	return -1;
}

/*
 * The same, but all calls fail from a position on that is a little later each
 * time: @first bytes, then @step more, and so on until no call has failed for
 * so many steps that there is room for all.
 */
static inline int sweep_beyond(const struct sweep *s, void *data)
{
	unsigned int bytes, failed = 0, well = 0;
	int ret, error;

	for (bytes = s->first; well < 8 && bytes < 1000000; bytes += s->step) {
		ret = fail_beyond(bytes, s->call, data);
		error = errno;
		well = ret < 0 ? 0 : well + 1;
		failed += ret < 0;
		if ((ret < 0 && !is_shortage(error)) || s->after(data, ret, error)) {
			fprintf(stderr, "# %s, all beyond %u bytes: returned %d (%s)\n", s->name,
				bytes, ret, strerror(error));
			return -1;
		}
	}
	printf("# %s: up to %u bytes, %u calls failed of it\n", s->name, bytes, failed);
	fflush(stdout);
	return failed < s->least;
}

#endif /* RDMAEV_TEST_FAIL_H */
