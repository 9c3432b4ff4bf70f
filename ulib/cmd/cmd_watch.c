// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev watch, log and wait: print matching events, from now or from a
 * position in the log. The three differ in where they start and end.
 *
 * The kernel filters all records, devices by their name at the time: an index
 * does not identify a device that is added later or again. Only if a device was
 * renamed, the command does that.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/recorded.h"
#include "base/status.h"
#include "cmd.h"
#include "internal.h"
#include "line/cursor.h"
#include "line/exec.h"
#include "line/happening.h"
#include "line/happening_line.h"
#include "line/pace.h"
#include "option/arguments.h"
#include "option/selecting.h"
#include "output/open.h"
#include "output/output.h"
#include "state/notify.h"
#include "state/owners.h"
#include "state/renamed.h"
#include "state/targets.h"
#include "state/wait_state.h"

#define BATCH	64

/* How often the cursor file is written, at most */
#define CURSOR_INTERVAL_NS	1000000000

/**
 * struct watch - a run of watch, log or wait
 * @o: command line
 * @is_log: log: starts in the past, ends with the log
 * @waits: wait: ends at the first match, prints losses on standard error
 * @h: reader
 * @signals: signalfd of the signals that end it
 * @style: of lines
 * @targets: selected devices, @targets_count of them
 * @renamed: names of devices, if the kernel's filter cannot select these
 * @deadline: CLOCK_MONOTONIC when to end, -1: never
 * @instance: instance of the log
 * @since: --since, unless the cursor file says where to start
 * @last: newest seq to print; 0: not known yet
 * @ending: @last is known: end after the records up to it
 * @now: CLOCK_MONOTONIC of the last read
 * @beyond: seq of the first record after --until, 0: none yet
 * @limit: end after so many lines; 0: do not
 * @printed: lines printed, without those of losses
 * @from_first: from the beginning of the log: records lost from the first one on
 *	were overwritten before
 * @overwritten: number of those that are not reported yet
 * @overwritten_last: seq of the newest of them
 * @lines: what was read and is not printed yet
 * @seen: seq of the first record that was not looked at
 * @next: seq of the first record that was not printed; the cursor
 * @kept: what the cursor file has
 * @kept_ns: CLOCK_MONOTONIC when it was written
 * @keep_failed: it could not be
 * @exec: --exec, or NULL
 * @pace: how fast a recording is replayed
 */
struct watch {
	const struct options *o;
	bool is_log;
	bool waits;
	struct rdmaev *h;
	int signals;
	unsigned int style;
	struct target *targets;
	size_t targets_count;
	struct renamed renamed;
	int64_t deadline;
	uint64_t instance;
	struct when since;
	uint64_t last;
	bool ending;
	int64_t now;
	uint64_t beyond;
	uint64_t limit;
	uint64_t printed;
	bool from_first;
	uint64_t overwritten;
	uint64_t overwritten_last;
	struct happenings lines;
	uint64_t seen;
	uint64_t next;
	uint64_t kept;
	int64_t kept_ns;
	bool keep_failed;
	struct exec *exec;
	struct pace pace;
};

/* Records of the past are wanted, when a device may have had another name. */
static bool begins_in_past(const struct watch *w)
{
	return w->is_log || w->o->since.type != WHEN_NONE || w->o->cursor_file;
}

static int set_filter(struct watch *w)
{
	struct rdmaev_filter f;
	size_t i;

	if (w->targets_count > RDMAEV_TARGETS) {
		complain("more than %d devices; use a * at the end of a name to match several",
			 RDMAEV_TARGETS);
		return -1;
	}
	if (begins_in_past(w) &&
	    find_renamed(w->h, &w->renamed, w->targets, w->targets_count) < 0)
		return -1;
	rdmaev_filter_init(&f);
	for (i = 0; i < w->targets_count && !w->renamed.count; i++)
		add_target(&f, &w->targets[i]);
	if (fill_filter(&f, &w->o->select) < 0) {
		complain("the options exclude every event: check -e, --kind and --severity");
		return -1;
	}
	if (rdmaev_set_filter(w->h, &f) < 0) {
		complain("cannot set the filter: %s", strerror(errno));
		return -1;
	}
	return 0;
}

/*
 * Start at 1, not at the oldest record, to get the number of overwritten ones.
 */
static int go_to_first(struct watch *w)
{
	w->from_first = true;
	if (rdmaev_seek(w->h, 1, SEEK_SET) >= 0)
		return 0;
	complain("cannot go to the beginning of the log: %s", strerror(errno));
	return -1;
}

/* @remedy: what to do if the log ends before @seq */
static int go_to(const struct watch *w, const char *option, const char *text,
		 uint64_t seq, const char *remedy)
{
	struct rdmaev_info info;

	if (rdmaev_seek(w->h, (int64_t)seq, SEEK_SET) >= 0)
		return 0;
	if (errno == ENXIO && !rdmaev_info(w->h, &info))
		complain("%s %s: the log ends at #%llu; %s", option, text,
			 (unsigned long long)info.newest_seq, remedy);
	else
		complain("%s %s: %s", option, text, strerror(errno));
	return -1;
}

static int go_to_cursor(struct watch *w, const char *option, const char *text,
			uint64_t instance, uint64_t seq, const char *remedy)
{
	if (instance == w->instance)
		return go_to(w, option, text, seq, remedy);
	if (!w->o->quiet)
		complain("%s %s: is of an earlier log: the module was reloaded, or the host rebooted; beginning with the first record of the new log",
			 option, text);
	return go_to_first(w);
}

static bool is_to_come(const struct when *when)
{
	return when->ns > (when->type == WHEN_REALTIME ? realtime() : boottime());
}

static int go_to_since(struct watch *w)
{
	const struct when *since = &w->since;

	switch (since->type) {
	case WHEN_NONE:
		return w->is_log ? go_to_first(w) : 0;
	case WHEN_START:
		if (w->is_log)
			return go_to_first(w);
		return go_to(w, "--since", since->text, 0, "");
	case WHEN_SEQ:
		if (w->is_log && !since->seq)
			return go_to_first(w);
		return go_to(w, "--since", since->text, since->seq,
			     "if the number is of an earlier log, try start");
	case WHEN_CURSOR:
		return go_to_cursor(w, "--since", since->text, since->instance,
				    since->seq, "try start");
	case WHEN_REALTIME:
	case WHEN_BOOTTIME:
		if (is_to_come(since) && !w->o->quiet)
			complain("--since %s: is in the future", since->text);
		break;
	}
	return go_to_first(w);
}

/* The cursor file, if there is one yet, else --since */
static int go_to_start(struct watch *w)
{
	const char *file = w->o->cursor_file;
	uint64_t instance, seq;
	int64_t next;
	int ret = 0;

	if (file)
		ret = read_cursor_file(file, &instance, &seq);
	if (!ret) {
		w->since = w->o->since;
		ret = go_to_since(w);
	} else if (ret > 0) {
		ret = go_to_cursor(w, "--cursor-file", file, instance, seq,
				   "name another file, or remove it");
	}
	if (ret < 0)
		return -1;
	next = rdmaev_seek(w->h, 0, SEEK_CUR);
	w->next = next > 0 ? (uint64_t)next : 1;
	w->seen = w->next;
	return 0;
}

static int get_info(const struct watch *w, struct rdmaev_info *info)
{
	if (!rdmaev_info(w->h, info))
		return 0;
	complain("cannot read the log's state: %s", strerror(errno));
	return -1;
}

/* Print the records in the log up to now, then end. */
static int end_here(struct watch *w)
{
	struct rdmaev_info info;

	if (get_info(w, &info) < 0)
		return -1;
	w->last = info.newest_seq;
	w->ending = true;
	return 0;
}

/* End with the log, or where --until says. */
static int end_log(struct watch *w)
{
	const struct when *until = &w->o->until;

	if (end_here(w) < 0)
		return -1;
	if (until->type == WHEN_CURSOR && until->instance != w->instance) {
		complain("--until %s: is of an earlier log: the module was reloaded, or the host rebooted",
			 until->text);
		return -1;
	}
	if (until->type == WHEN_START)
		w->last = 0;
	else if ((until->type == WHEN_SEQ || until->type == WHEN_CURSOR) &&
		 until->seq < w->last)
		w->last = until->seq;
	return 0;
}

/* @r is older than all lines to print: what was overwritten before, too. */
static void watch_drop(struct watch *w, uint64_t seq)
{
	if (w->overwritten_last < seq)
		w->overwritten = 0;
}

/* Before the first line, and at the end if there is none */
static void note_overwritten(struct watch *w)
{
	unsigned long long n = w->overwritten;

	w->overwritten = 0;
	if (n && !w->o->quiet)
		complain("%llu older record%s overwritten, the newest of them #%llu", n,
			 n == 1 ? " was" : "s were",
			 (unsigned long long)w->overwritten_last);
}

static void note_lost(const struct rdmaev_record *r)
{
	complain("%llu record%s lost (#%llu to #%llu); the event may be among them",
		 (unsigned long long)r->body.lost.count,
		 r->body.lost.count == 1 ? "" : "s",
		 (unsigned long long)r->body.lost.first,
		 (unsigned long long)r->body.lost.last);
}

static enum output print_line(struct watch *w, const struct happening *h)
{
	const struct rdmaev_record *r = &h->records[0];
	char line[4096];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (w->lines.joins) {
		happening_line(&t, h, w->style);
		text_end(&t);
	} else if (w->o->json) {
		format_json(&t, r, &w->instance);
		text_end(&t);
	} else {
		rdmaev_format(r, w->style, line, sizeof(line));
	}
	return output_line(line);
}

static enum output watch_print(struct watch *w, const struct happening *h)
{
	const struct rdmaev_record *r = &h->records[0];
	bool is_lost = r->kind == RDMAEV_KIND_LOST;

	note_overwritten(w);
	w->printed += !is_lost;
	if (w->waits && is_lost && !w->o->quiet)
		note_lost(r);
	if (w->waits && (is_lost || w->o->quiet))
		return OUTPUT_DONE;
	if (w->exec)
		exec_add(w->exec, r);
	return print_line(w, h);
}

/* Result of show(): continue, end with success, or end with an error. */
enum show {
	SHOW_MORE,
	SHOW_END,
	SHOW_ERROR,
};

static enum show result_of(enum output result)
{
	switch (result) {
	case OUTPUT_DONE:
		break;
	case OUTPUT_STOP:
		return SHOW_END;
	case OUTPUT_FAILED:
		return SHOW_ERROR;
	}
	return SHOW_MORE;
}

/* Print the lines that no record can join any more. */
static enum show show_lines(struct watch *w)
{
	enum show result = SHOW_MORE;
	struct happening *h;

	while (result == SHOW_MORE && (h = happening_take(&w->lines))) {
		result = result_of(watch_print(w, h));
		happening_free(h);
		if (result == SHOW_MORE && w->limit && w->printed >= w->limit)
			result = SHOW_END;
	}
	return result;
}

/* Write what was printed, and advance the cursor past it. */
static enum show write_lines(struct watch *w)
{
	uint64_t oldest = happening_oldest(&w->lines);
	enum show result = result_of(output_flush());
	uint64_t next = oldest && oldest < w->seen ? oldest : w->seen;

	/* Lines of log -n are not printed yet. */
	if (result == SHOW_MORE && !w->lines.limit && next > w->next)
		w->next = next;
	return result;
}

/* Print all that was read: nothing follows, or it is not known what. */
static enum show show_rest(struct watch *w)
{
	enum show result, written;

	happening_close(&w->lines);
	watch_drop(w, w->lines.dropped);
	result = show_lines(w);
	written = write_lines(w);
	return written == SHOW_MORE ? result : written;
}

/* The records up to @last are shown: end, or go on with those that follow. */
static enum show end_of_log(struct watch *w)
{
	enum show result = show_rest(w);

	if (result != SHOW_MORE)
		return result;
	if (!w->is_log || !w->o->follow) {
		uint64_t next = w->beyond ? w->beyond : w->last + 1;

		/* --until can be before the beginning. */
		if (next > w->next)
			w->next = next;
		return SHOW_END;
	}
	w->ending = false;
	return SHOW_MORE;
}

/* Take note of what was overwritten before. False: another record. */
static bool is_overwritten(struct watch *w, const struct rdmaev_record *r)
{
	/*
	 * Losses of other rings since the first record can follow other
	 * records.
	 */
	if (r->kind != RDMAEV_KIND_LOST || !w->from_first || r->body.lost.first != 1)
		return false;
	w->overwritten += r->body.lost.count;
	w->overwritten_last = r->body.lost.last;
	if (w->printed)
		note_overwritten(w);
	return true;
}

static enum show show_one(struct watch *w, const struct rdmaev_record *r)
{
	const struct options *o = w->o;
	bool is_lost = r->kind == RDMAEV_KIND_LOST;
	enum show result;

	/* A loss has the seq of its end. */
	if (w->ending && (is_lost ? r->body.lost.first : r->seq) > w->last) {
		result = end_of_log(w);
		if (result != SHOW_MORE)
			return result;
	}
	if (is_overwritten(w, r))
		return SHOW_MORE;
	if (!is_lost) {
		if (!is_since(&w->since, r->realtime_ns, r->boottime_ns)) {
			watch_drop(w, r->seq);
			return SHOW_MORE;
		}
		if (!is_until(&o->until, r->realtime_ns, r->boottime_ns)) {
			if (!w->beyond)
				w->beyond = r->seq;
			return SHOW_MORE;
		}
		if (!is_of_renamed(&w->renamed, w->targets, w->targets_count, r) ||
		    !is_selected(&o->select, r))
			return SHOW_MORE;
	}
	if (happening_add(&w->lines, r, w->now) < 0) {
		complain("out of memory");
		return SHOW_ERROR;
	}
	watch_drop(w, w->lines.dropped);
	return show_lines(w);
}

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

/* All that is in the log now was looked at, also what the kernel's filter rejects. */
static void see_all(struct watch *w)
{
	int64_t next = rdmaev_seek(w->h, 0, SEEK_CUR);

	if (next > 0 && (uint64_t)next > w->seen && !w->beyond)
		w->seen = (uint64_t)next;
}

/* The reader has failed, which says why when it is used again. */
static enum show show_failure(struct watch *w)
{
	int error = errno;

	show_rest(w);
	errno = error;
	complain("cannot read: %s", reader_error());
	return SHOW_ERROR;
}

/* Time says when the next record comes, not the reader. */
static bool is_paced(const struct watch *w)
{
	return w->pace.factor > 0;
}

static ssize_t watch_read(struct watch *w, struct rdmaev_record events[BATCH])
{
	if (is_paced(w))
		return pace_read(&w->pace, w->h, &events[0]);
	return rdmaev_read(w->h, events, BATCH);
}

/* Print the records of one read. */
static enum show watch_show(struct watch *w)
{
	struct rdmaev_record events[BATCH];
	enum show result = SHOW_MORE, written;
	bool is_over;
	ssize_t n, i;

	n = watch_read(w, events);
	if (n < 0 && errno == EINTR)
		return SHOW_MORE;
	if (n < 0 && !recorded_all(errno))
		return show_failure(w);
	is_over = n < 0 && errno != EAGAIN;
	w->now = monotonic();
	if (n < 0 && !w->pace.has_next)
		see_all(w);
	if (is_over && !w->ending)
		return show_rest(w) == SHOW_ERROR ? SHOW_ERROR : SHOW_END;
	if (n < 0 && w->ending)
		return end_of_log(w);
	for (i = 0; i < n && result == SHOW_MORE; i++) {
		result = show_one(w, &events[i]);
		if ((!w->ending || events[i].seq <= w->last) && !w->beyond &&
		    events[i].seq >= w->seen)
			w->seen = events[i].seq + 1;
	}
	/* Nothing else has happened, so what has waited long enough is complete. */
	if (result == SHOW_MORE && n < BATCH && !w->ending) {
		happening_expire(&w->lines, w->now);
		result = show_lines(w);
	}
	if (result == SHOW_ERROR)
		return result;
	written = write_lines(w);
	return written == SHOW_MORE ? result : written;
}

/* A signal ends it: what was read is printed. */
static int end_by_signal(struct watch *w)
{
	if (w->waits)
		return STATUS_ERROR;
	if (!w->lines.limit && show_rest(w) == SHOW_ERROR)
		return STATUS_ERROR;
	return STATUS_OK;
}

static const struct timespec *watch_remaining(const struct watch *w, struct timespec *ts)
{
	bool keeps = w->o->cursor_file && w->kept != watch_position(w);
	int64_t deadline = w->ending ? -1 : w->deadline;
	int64_t line = happening_deadline(&w->lines);

	if (w->ending && !exec_is_full(w->exec, BATCH))
		return time_until(0, ts);
	if (keeps && (deadline < 0 || deadline > w->kept_ns + CURSOR_INTERVAL_NS))
		deadline = w->kept_ns + CURSOR_INTERVAL_NS;
	if (line >= 0 && (deadline < 0 || deadline > line))
		deadline = line;
	if (is_paced(w) && (deadline < 0 || deadline > pace_deadline(&w->pace)))
		deadline = pace_deadline(&w->pace);
	return deadline < 0 ? NULL : time_until(deadline, ts);
}

/* A line has waited long enough, or a record of a replay has. */
static bool is_due(const struct watch *w)
{
	int64_t line = happening_deadline(&w->lines);

	if (is_paced(w) && monotonic() >= pace_deadline(&w->pace))
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
		bool full = exec_is_full(w->exec, BATCH);
		struct pollfd p[4] = {
			{ .fd = full || is_paced(w) ? -1 : rdmaev_fd(w->h),
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
			if (is_paced(w))
				return end_by_signal(w);
			if (end_here(w) < 0)
				return STATUS_ERROR;
		}
		if (keep_cursor(w, false) < 0)
			return STATUS_ERROR;
		if (full || (!p[0].revents && !w->ending && !is_due(w)))
			continue;
		if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL) &&
		    !(p[0].revents & POLLIN)) {
			show_rest(w);
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

	if (!w->is_log || w->o->follow || w->o->quiet || w->printed)
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

	note_overwritten(w);
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
	struct rdmaev_info info;

	if (check_targets(w->h, w->o, flags, w->targets, w->targets_count) < 0)
		return -1;
	if (!w->waits && !w->o->quiet)
		check_owners(w->h, &w->o->select);
	if (set_filter(w) < 0 || get_info(w, &info) < 0)
		return -1;
	w->instance = info.instance;
	if (go_to_start(w) < 0 || ask_notify(w->h, w->o) < 0)
		return -1;
	/* log -f without -n has nothing to do at the end of the log. */
	if (w->is_log && (!w->o->follow || w->lines.limit) && end_log(w) < 0)
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
	happening_free_all(&w->lines);
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
	return watch_run(&w, argc, argv);
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
