// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* --watch: print repeatedly. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "output.h"
#include "refresh.h"

/* Why pause_until() ends */
enum pause {
	PAUSE_OVER,
	PAUSE_RESIZED,
	PAUSE_STOP,
	PAUSE_FAILED,
};

/* Get a descriptor that is readable after a change of the terminal size. */
static int catch_resize(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		complain("signalfd: %s", strerror(errno));
	return fd;
}

static enum pause pause_until(const struct rdmaev *h, int64_t deadline,
			      int signals, int resized)
{
	for (;;) {
		/* poll() reports POLLERR for a pipe without a reader. */
		struct pollfd p[4] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = STDOUT_FILENO },
			{ .fd = resized, .events = POLLIN },
			{ .fd = rdmaev_fd(h) },
		};
		struct signalfd_siginfo info;
		struct timespec ts;
		int n = ppoll(p, 4, time_until(deadline, &ts), NULL);

		if (!n)
			return PAUSE_OVER;
		if (n < 0 && errno != EINTR) {
			complain("cannot wait: %s", strerror(errno));
			return PAUSE_FAILED;
		}
		if (n < 0)
			continue;
		if (p[0].revents || p[1].revents & (POLLERR | POLLHUP))
			return PAUSE_STOP;
		if (p[2].revents && read(resized, &info, sizeof(info)) > 0)
			return PAUSE_RESIZED;
		/* Hung up: the next query reports it. */
		if (p[3].revents & POLLHUP)
			return PAUSE_OVER;
	}
}

static int show_frame(int (*show)(void *arg), void *arg, enum output *result)
{
	int status;

	output_frame();
	status = show(arg);
	*result = output_frame_end();
	return status;
}

static int show_block(int (*show)(void *arg), void *arg, enum output *result)
{
	int status = show(arg);

	*result = output_flush();
	return status;
}

static int refresh_run(const struct options *o, const struct rdmaev *h,
		       int (*show)(void *arg), void *arg, int signals, int resized)
{
	bool in_place = resized >= 0;
	int64_t next = monotonic();
	uint64_t shown = 0;

	for (;;) {
		enum pause reason;
		enum output result;
		int status;

		do {
			if (in_place)
				status = show_frame(show, arg, &result);
			else
				status = show_block(show, arg, &result);
			if (result != OUTPUT_DONE || status != STATUS_OK)
				return result == OUTPUT_FAILED ? STATUS_ERROR : status;
			if (o->limit && shown + 1 == o->limit)
				return STATUS_OK;
			reason = pause_until(h, next + o->watch_ns, signals, resized);
		} while (reason == PAUSE_RESIZED);
		if (reason != PAUSE_OVER)
			return reason == PAUSE_STOP ? STATUS_OK : STATUS_ERROR;

		shown++;
		/* After a stop (Ctrl-Z), skip the missed intervals. */
		next += o->watch_ns;
		if (monotonic() - next > o->watch_ns)
			next = monotonic();
		if (!in_place && !o->json)
			output_line("");
	}
}

int refresh(const struct options *o, struct rdmaev *h, int (*show)(void *arg),
	    void *arg)
{
	int status = STATUS_ERROR, signals, resized = -1;

	if (!o->watch_ns && !o->limit)
		return show(arg);
	if (!o->watch_ns) {
		complain("-n: needs --watch");
		return STATUS_ERROR;
	}
	signals = catch_signals();
	if (signals >= 0 && !o->json && output_is_terminal()) {
		resized = catch_resize();
		if (resized < 0)
			goto out;
	}
	if (signals >= 0)
		status = refresh_run(o, h, show, arg, signals, resized);
out:
	release_signals(signals);
	if (resized >= 0)
		close(resized);
	return status;
}
