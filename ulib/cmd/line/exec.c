// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev watch --exec: run a command for each event, some at the same time.
 *
 * No event is dropped here. While the queue is full, watch does not read, and the
 * log of the kernel is the rest of the queue. It reports exactly what it loses.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "catalogue.h"
#include "exec.h"
#include "internal.h"

#define QUEUE	128
#define LINE	4096
/* Seconds until a handler that could not be started is tried again */
#define RETRY	1

/**
 * struct job - an event and its handler
 * @r: the event
 * @pid: handler, 0: not started
 * @pidfd: readable when it has ended
 * @ended: it has ended
 */
struct job {
	struct rdmaev_record r;
	pid_t pid;
	int pidfd;
	bool ended;
};

/**
 * struct exec - events and their handlers
 * @o: command line
 * @instance: instance of the log
 * @epoll: has the descriptors of all handlers, and @timer
 * @timer: when to try again to start a handler
 * @is_short: the last one could not be started, for want of processes or memory
 * @jobs: ring of events: those from @first to @last - 1, modulo QUEUE. They leave it
 *	in their order, so the first is the oldest whose handler has not ended
 * @first: the oldest
 * @next: the next to start
 * @last: the next to be queued
 * @running: handlers that run
 */
struct exec {
	const struct options *o;
	uint64_t instance;
	int epoll;
	int timer;
	bool is_short;
	struct job jobs[QUEUE];
	uint64_t first;
	uint64_t next;
	uint64_t last;
	size_t running;
};

static int exec_watch(const struct exec *e, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(e->epoll, EPOLL_CTL_ADD, fd, &event);
}

struct exec *exec_open(const struct options *o, uint64_t instance)
{
	struct exec *e = calloc(1, sizeof(*e));

	if (!e) {
		complain("out of memory");
		return NULL;
	}
	/* A parent may have set it to be ignored: then no handler has a status. */
	signal(SIGCHLD, SIG_DFL);
	e->o = o;
	e->instance = instance;
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	e->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->epoll >= 0 && e->timer >= 0 && !exec_watch(e, e->timer))
		return e;
	complain("--exec: epoll: %s", strerror(errno));
	exec_close(e);
	return NULL;
}

void exec_close(struct exec *e)
{
	if (!e)
		return;
	for (; e->first < e->next; e->first++) {
		const struct job *job = &e->jobs[e->first % QUEUE];

		if (!job->ended)
			close(job->pidfd);
	}
	close(e->timer);
	close(e->epoll);
	free(e);
}

int exec_fd(const struct exec *e)
{
	return e ? e->epoll : -1;
}

bool exec_is_full(const struct exec *e, size_t n)
{
	return e && e->last - e->first + n > QUEUE;
}

void exec_add(struct exec *e, const struct rdmaev_record *r)
{
	e->jobs[e->last++ % QUEUE] = (struct job){ .r = *r, .pidfd = -1 };
}

uint64_t exec_position(const struct exec *e, uint64_t next)
{
	const struct rdmaev_record *r;

	if (!e || e->first == e->last)
		return next;
	r = &e->jobs[e->first % QUEUE].r;
	/* From its beginning a loss is found again. */
	return r->kind == RDMAEV_KIND_LOST ? r->body.lost.first : r->seq;
}

static void set_number(const char *name, unsigned long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", number);
	setenv(name, text, 1);
}

static void set_environment(const struct rdmaev_record *r)
{
	char name[64];
	struct text t = { .buf = name, .size = sizeof(name) };
	const char *kind = kind_name(r->kind), *severity = severity_name(r->severity);

	put_event_name(&t, r->kind, r->code);
	text_end(&t);
	setenv("RDMAEV_EVENT", name, 1);
	setenv("RDMAEV_KIND", kind ? kind : "", 1);
	setenv("RDMAEV_SEVERITY", severity ? severity : "", 1);
	setenv("RDMAEV_DEVICE", r->device_name, 1);
	if (r->port != RDMAEV_NO_PORT)
		set_number("RDMAEV_PORT", r->port);
	else
		setenv("RDMAEV_PORT", "", 1);
	set_number("RDMAEV_SEQ", r->seq);
	set_number("RDMAEV_CAUSE", r->cause);
	set_number("RDMAEV_COUNT", r->count);
}

/* In the child. Signals are as they were before catch_signals(). */
static void become_handler(const struct exec *e, const struct rdmaev_record *r,
			   int input)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	set_environment(r);
	execl("/bin/sh", "sh", "-c", e->o->exec, (char *)NULL);
	_exit(127);
}

/* A pipe with the event in it. It has room for that, so nobody need read it. */
static int open_input(const struct exec *e, const struct rdmaev_record *r)
{
	char line[LINE];
	struct text t = { .buf = line, .size = sizeof(line) };
	ssize_t written;
	int fds[2], len;

	format_json(&t, r, &e->instance);
	text_put(&t, "\n");
	len = text_end(&t);
	if (len >= LINE)
		len = LINE - 1;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	written = write(fds[1], line, (size_t)len);
	close(fds[1]);
	if (written == len)
		return fds[0];
	close(fds[0]);
	errno = EIO;
	return -1;
}

static int exec_start(struct exec *e, struct job *job)
{
	int input = open_input(e, &job->r);

	if (input < 0)
		return -1;
	job->pid = fork();
	if (!job->pid)
		become_handler(e, &job->r, input);
	close(input);
	if (job->pid < 0)
		return -1;
	job->pidfd = (int)syscall(SYS_pidfd_open, job->pid, 0);
	if (job->pidfd < 0)
		return -1;
	if (exec_watch(e, job->pidfd) < 0) {
		close(job->pidfd);
		job->pidfd = -1;
		return -1;
	}
	e->running++;
	return 0;
}

static void note_end(const struct exec *e, const struct job *job, int status)
{
	unsigned long long seq = job->r.seq;

	if (e->o->quiet)
		return;
	if (WIFSIGNALED(status))
		complain("--exec: the handler of #%llu was killed by signal %d", seq,
			 WTERMSIG(status));
	else if (WEXITSTATUS(status))
		complain("--exec: the handler of #%llu ended with status %d", seq,
			 WEXITSTATUS(status));
}

static void exec_reap(struct exec *e)
{
	uint64_t i;

	for (i = e->first; i < e->next; i++) {
		struct job *job = &e->jobs[i % QUEUE];
		int status = 0;

		if (job->ended || waitpid(job->pid, &status, WNOHANG) == 0)
			continue;
		/* This also takes it out of the epoll set. */
		close(job->pidfd);
		job->ended = true;
		e->running--;
		note_end(e, job, status);
	}
	while (e->first < e->next && e->jobs[e->first % QUEUE].ended)
		e->first++;
}

/* The host, or this user, is short of something, which may change. */
static bool is_shortage(const struct job *job)
{
	return job->pid <= 0 && (errno == EAGAIN || errno == ENOMEM || errno == EMFILE ||
				 errno == ENFILE);
}

static void exec_retry_later(struct exec *e, const struct job *job)
{
	const struct itimerspec later = { .it_value.tv_sec = RETRY };

	if (!e->is_short)
		complain("--exec: cannot start the handler of #%llu: %s; trying again",
			 (unsigned long long)job->r.seq, strerror(errno));
	e->is_short = true;
	timerfd_settime(e->timer, 0, &later, NULL);
}

int exec_run(struct exec *e)
{
	uint64_t expirations;

	if (!e)
		return 0;
	/* Until the next attempt fails, it is not readable. */
	if (read(e->timer, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		complain("--exec: timer: %s", strerror(errno));
	exec_reap(e);
	while (e->next < e->last && e->running < e->o->exec_jobs) {
		struct job *job = &e->jobs[e->next % QUEUE];

		if (exec_start(e, job) < 0) {
			if (is_shortage(job)) {
				exec_retry_later(e, job);
				break;
			}
			complain("--exec: cannot start the handler of #%llu: %s",
				 (unsigned long long)job->r.seq, strerror(errno));
			return -1;
		}
		e->is_short = false;
		e->next++;
	}
	return 0;
}

int exec_finish(struct exec *e, int signals)
{
	if (!e)
		return 0;
	for (;;) {
		struct pollfd p[2] = {
			{ .fd = e->epoll, .events = POLLIN },
			{ .fd = signals, .events = POLLIN },
		};

		if (exec_run(e) < 0)
			return -1;
		if (e->first == e->last)
			return 0;
		poll(p, ARRAY_SIZE(p), -1);
		if (p[1].revents)
			return 0;
	}
}
