// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev watch, log and wait: print matching events, from now or from a
 * position in the log. The three differ in where they start and end.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "cmd.h"
#include "line/cursor.h"
#include "option/selecting.h"
#include "output/open.h"
#include "output/output.h"
#include "state/notify.h"
#include "state/owners.h"
#include "state/targets.h"
#include "state/wait_state.h"
#include "watch/show.h"
#include "watch/start.h"

/* How often the cursor file is written, at most */
#define CURSOR_INTERVAL_NS	1000000000

/* First record that was not printed, or that a handler is not done with */
static uint64_t watch_position(const struct watch *w)
{
	return exec_position(w->exec, w->next);
}

/*
 * Keep the position of what was printed: a command that is killed prints some
 * records again the next time, but leaves none out.
 */
static int keep_cursor(struct watch *w, bool now)
{
	const char *file = w->o->cursor_file;

	if (!file || w->kept == watch_position(w) || w->keep_failed ||
	    (!now && monotonic() - w->kept_ns < CURSOR_INTERVAL_NS))
		return 0;
	if (write_cursor_file(file, w->instance, watch_position(w)) < 0) {
		w->keep_failed = true;
		return -1;
	}
	w->kept = watch_position(w);
	w->kept_ns = monotonic();
	return 0;
}

/* A signal ends it: what was read is printed. */
static int end_by_signal(struct watch *w)
{
	if (w->waits)
		return STATUS_ERROR;
	if (!w->lines.limit && watch_show_rest(w) == SHOW_ERROR)
		return STATUS_ERROR;
	return STATUS_OK;
}

static const struct timespec *watch_remaining(const struct watch *w, struct timespec *ts)
{
	bool keeps = w->o->cursor_file && w->kept != watch_position(w);
	int64_t deadline = w->ending ? -1 : w->deadline;
	int64_t line = record_group_deadline(&w->lines);

	if (w->ending && !exec_is_full(w->exec, WATCH_BATCH))
		return time_until(0, ts);
	if (keeps && (deadline < 0 || deadline > w->kept_ns + CURSOR_INTERVAL_NS))
		deadline = w->kept_ns + CURSOR_INTERVAL_NS;
	if (line >= 0 && (deadline < 0 || deadline > line))
		deadline = line;
	if (watch_is_paced(w) && (deadline < 0 || deadline > pace_deadline(&w->pace)))
		deadline = pace_deadline(&w->pace);
	return deadline < 0 ? NULL : time_until(deadline, ts);
}

/* A line has waited long enough, or a record of a replay has. */
static bool is_due(const struct watch *w)
{
	int64_t line = record_group_deadline(&w->lines);

	if (watch_is_paced(w) && monotonic() >= pace_deadline(&w->pace))
		return true;
	return line >= 0 && monotonic() >= line;
}

static int run_loop(struct watch *w)
{
	for (;;) {
		/*
		 * poll() reports POLLERR for a pipe without a reader. For wait,
		 * only the exit status matters.
		 */
		bool full = exec_is_full(w->exec, WATCH_BATCH);
		struct pollfd p[4] = {
			{ .fd = full || watch_is_paced(w) ? -1 : rdmaev_fd(w->h),
			  .events = POLLIN },
			{ .fd = w->signals, .events = POLLIN },
			{ .fd = w->waits ? -1 : STDOUT_FILENO },
			{ .fd = exec_fd(w->exec), .events = POLLIN },
		};
		struct timespec ts;
		int n;

		n = ppoll(p, 4, watch_remaining(w, &ts), NULL);
		if (n < 0 && errno != EINTR) {
			complain("cannot wait: %s", strerror(errno));
			return STATUS_ERROR;
		}
		if (n < 0)
			continue;
		if (p[1].revents)
			return end_by_signal(w);
		if (p[2].revents & (POLLERR | POLLHUP))
			return STATUS_OK;
		if (exec_run(w->exec) < 0)
			return STATUS_ERROR;
		if (!w->ending && w->deadline >= 0 && monotonic() >= w->deadline) {
			/* What is to come of a replay is there already. */
			if (watch_is_paced(w))
				return end_by_signal(w);
			if (watch_end_here(w) < 0)
				return STATUS_ERROR;
		}
		if (keep_cursor(w, false) < 0)
			return STATUS_ERROR;
		if (full || (!p[0].revents && !w->ending && !is_due(w)))
			continue;
		if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL) &&
		    !(p[0].revents & POLLIN)) {
			watch_show_rest(w);
			complain("the node failed; open it again");
			return STATUS_ERROR;
		}
		switch (watch_show(w)) {
		case SHOW_MORE:
			if (exec_run(w->exec) < 0)
				return STATUS_ERROR;
			break;
		case SHOW_END:
			if (exec_finish(w->exec, w->signals) < 0)
				return STATUS_ERROR;
			return w->waits && !w->printed ? STATUS_TIMEOUT : STATUS_OK;
		case SHOW_ERROR:
			return STATUS_ERROR;
		}
	}
}

static unsigned int choose_style(const struct options *o)
{
	return time_style(o) | (output_color(o) ? RDMAEV_STYLE_COLOR : 0);
}

/* An empty log is like no answer. Numbers cannot be guessed. */
static void note_no_match(const struct watch *w)
{
	const struct selection *select = &w->o->select;

	if (!w->is_log || w->o->follow || w->o->quiet || w->printed || w->merge)
		return;
	if (w->next <= 1)
		return complain("the log is empty");
	if (!select->qps.count && !select->pids.count)
		return;
	complain("%s%s%s: no such record in the log (rdmaev log lists all)",
		 select->qps.count ? "--qp" : "",
		 select->qps.count && select->pids.count ? ", " : "",
		 select->pids.count ? "--pid" : "");
}

/* After the last line: what was overwritten if there was none, and the cursor */
static int watch_finish(struct watch *w, int status)
{
	char cursor[CURSOR_SIZE], line[CURSOR_SIZE + 20];
	struct text t = { .buf = line, .size = sizeof(line) };

	watch_note_overwritten(w);
	if (status == STATUS_OK)
		note_no_match(w);
	status = output_finish(status);
	if (keep_cursor(w, true) < 0)
		status = STATUS_ERROR;
	if (!w->o->show_cursor || status != STATUS_OK)
		return status;
	print_cursor(cursor, w->instance, watch_position(w));
	text_printf(&t, w->o->json ? "{\"cursor\":\"%s\"}" : "-- cursor: %s", cursor);
	text_end(&t);
	output_line(line);
	return output_finish(status);
}

static int watch_prepare(struct watch *w)
{
	unsigned int flags = w->is_log && !w->o->follow ? TARGETS_LOG :
			     w->waits ? TARGETS_NEW : 0;

	/* Not each host has the device. */
	if (w->merge)
		flags |= TARGETS_NEW;

	if (check_targets(w->h, w->o, flags, w->targets, w->targets_count) < 0)
		return -1;
	if (!w->waits && !w->o->quiet && !w->merge)
		check_owners(w->h, &w->o->select);
	if (watch_start(w) < 0 || ask_notify(w->h, w->o) < 0)
		return -1;
	/* log -f without -n has nothing to do at the end of the log. */
	if (w->is_log && (!w->o->follow || w->lines.limit) && watch_end_log(w) < 0)
		return -1;
	if (w->o->timeout_ns >= 0)
		w->deadline = monotonic() + w->o->timeout_ns;
	if (w->o->exec)
		w->exec = exec_open(w->o, w->instance);
	return w->o->exec && !w->exec ? -1 : 0;
}

static int watch_run(struct watch *w, int argc, char **argv)
{
	int status = STATUS_ERROR;

	w->style = choose_style(w->o);
	w->lines.joins = !w->waits && !w->o->json && !w->o->verbose && !w->o->exec;
	w->deadline = -1;
	w->signals = -1;
	w->targets = parse_targets(argc, argv);
	if (!w->targets)
		goto out;
	w->targets_count = (size_t)argc;
	w->h = open_node(w->o, RDMAEV_NONBLOCK);
	if (!w->h)
		goto out;
	w->signals = catch_signals();
	if (w->signals < 0 || watch_prepare(w) < 0)
		goto out;
	status = watch_finish(w, run_loop(w));
out:
	status = output_finish(status);
	release_signals(w->signals);
	close_node(w->h);
	exec_close(w->exec);
	record_group_free_all(&w->lines);
	free(w->renamed.devices);
	free(w->targets);
	return status;
}

int run_watch(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o, .limit = o->limit };

	if (o->pace > 0 && !o->file) {
		complain("--pace: needs a recording (--file)");
		return STATUS_ERROR;
	}
	if (o->file)
		w.pace.factor = o->pace > 0 ? o->pace : 1;
	return watch_run(&w, argc, argv);
}

static bool is_position(const struct when *when)
{
	return when->type == WHEN_SEQ || when->type == WHEN_CURSOR;
}

/* Options that mean a position in one log, or one host */
static int check_several(const struct options *o)
{
	const char *bad = o->cursor_file ? "--cursor-file" : o->show_cursor ? "--show-cursor" :
			  o->mono ? "--mono" : NULL;

	if (bad)
		complain("%s: is of one log, and these are several recordings", bad);
	else if (is_position(&o->since) || is_position(&o->until))
		complain("%s: is of one log, and these are several recordings; give a time, such as -1h",
			 is_position(&o->since) ? o->since.text : o->until.text);
	else
		return 0;
	return -1;
}

/* The lines of a recording, whose end may be before the present */
static int merge_file(struct options *o, struct merge *m, size_t file, int argc, char **argv)
{
	struct watch w = { .o = o, .is_log = true, .merge = m };

	open_use(file);
	if (o->since.text)
		set_since(o, o->since.text);
	if (o->until.text)
		set_until(o, o->until.text);
	if (merge_begin(m, open_host(o, file)) < 0)
		return STATUS_ERROR;
	return watch_run(&w, argc, argv);
}

/* Several recordings */
static int run_logs(struct options *o, int argc, char **argv)
{
	struct merge *m = calloc(1, sizeof(*m));
	int status = check_several(o) < 0 || !m ? STATUS_ERROR : STATUS_OK;
	size_t i;

	if (m)
		m->is_json = o->json;
	for (i = 0; i < o->files_count && status == STATUS_OK; i++) {
		complain_about(o->files[i]);
		status = merge_file(o, m, i, argc, argv);
	}
	complain_about(NULL);
	if (status == STATUS_OK && merge_print(m, o->limit) == OUTPUT_FAILED)
		status = STATUS_ERROR;
	if (m)
		merge_free(m);
	free(m);
	return output_finish(status);
}

int run_log(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o, .is_log = true, .lines.limit = o->limit };

	if (o->follow && o->until.type != WHEN_NONE) {
		complain("--follow and --until exclude each other");
		return STATUS_ERROR;
	}
	if (o->follow && o->file) {
		complain("--follow and --file exclude each other: nothing is appended to what is read; rdmaev watch --file replays it");
		return STATUS_ERROR;
	}
	return o->files_count > 1 ? run_logs(o, argc, argv) : watch_run(&w, argc, argv);
}

int run_wait(struct options *o, int argc, char **argv)
{
	struct watch w = { .o = o, .waits = true, .limit = 1 };
	unsigned int kind, code;

	if (argc != 2) {
		complain("wait needs a device and an event or a state: rdmaev wait rxe0/1 up");
		return STATUS_ERROR;
	}
	if (is_state_word(argv[1]))
		return wait_state(o, argv);
	if (is_state_word(argv[0])) {
		complain("%s: is a state; wait needs the device first: rdmaev wait %s %s",
			 argv[0], argv[1], argv[0]);
		return STATUS_ERROR;
	}
	if (!rdmaev_event_parse(argv[0], &kind, &code) &&
	    rdmaev_event_parse(argv[1], &kind, &code) < 0) {
		complain("%s: is an event; wait needs the device first: rdmaev wait %s %s",
			 argv[0], argv[1], argv[0]);
		return STATUS_ERROR;
	}
	if (!strpbrk(argv[1], ",!*?[") && rdmaev_event_parse(argv[1], &kind, &code) < 0) {
		complain_awaited(argv[1], state_words);
		return STATUS_ERROR;
	}
	if (parse_events(o, argv[1]) < 0)
		return STATUS_ERROR;
	if (!o->select.events.count && !o->select.not_events.count) {
		complain_event(argv[1]);
		return STATUS_ERROR;
	}
	return watch_run(&w, 1, argv);
}
