// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lines of watch, log and wait: records are read, selected, joined to lines
 * and printed.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/recorded.h"
#include "internal.h"
#include "line/record_group_line.h"
#include "line/record_group_parts.h"
#include "option/select.h"
#include "output/open.h"
#include "output/output.h"
#include "watch/show.h"

/* @r is older than all lines to print: what was overwritten before, too. */
static void watch_drop(struct watch *w, uint64_t seq)
{
	if (w->overwritten_last < seq)
		w->overwritten = 0;
}

void watch_note_overwritten(struct watch *w)
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

static enum output print_line(struct watch *w, const struct record_group *h)
{
	const struct rdmaev_record *r = record_group_first(h);
	const struct merge_line merged = {
		.realtime_ns = r->realtime_ns, .instance = w->instance,
	};
	char line[4096];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (w->lines.joins) {
		record_group_line(&t, h, w->style);
		text_end(&t);
	} else if (w->o->json) {
		format_json(&t, r, &w->instance);
		text_end(&t);
	} else {
		rdmaev_format(r, w->style, line, sizeof(line));
	}
	return w->merge ? merge_add(w->merge, &merged, line) : output_line(line);
}

static enum output watch_print(struct watch *w, const struct record_group *h)
{
	const struct rdmaev_record *r = record_group_first(h);
	bool is_lost = r->kind == RDMAEV_KIND_LOST;

	watch_note_overwritten(w);
	w->printed += !is_lost;
	if (w->waits && is_lost && !w->o->quiet)
		note_lost(r);
	if (w->waits && (is_lost || w->o->quiet))
		return OUTPUT_DONE;
	if (w->exec)
		exec_add(w->exec, r);
	return print_line(w, h);
}

static enum show_result result_of(enum output result)
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
static enum show_result show_lines(struct watch *w)
{
	enum show_result result = SHOW_MORE;
	struct record_group *h;

	while (result == SHOW_MORE && (h = record_group_pop(&w->lines))) {
		result = result_of(watch_print(w, h));
		record_group_free(h);
		if (result == SHOW_MORE && w->limit && w->printed >= w->limit)
			result = SHOW_END;
	}
	return result;
}

/* Write what was printed, and advance the cursor past it. */
static enum show_result write_lines(struct watch *w)
{
	uint64_t oldest = record_group_oldest(&w->lines);
	enum show_result result = result_of(output_flush());
	uint64_t next = oldest && oldest < w->seen ? oldest : w->seen;

	/* Lines of log -n are not printed yet. */
	if (result == SHOW_MORE && !w->lines.limit && next > w->next)
		w->next = next;
	return result;
}

enum show_result watch_show_rest(struct watch *w)
{
	enum show_result result, written;

	record_group_close(&w->lines);
	watch_drop(w, w->lines.dropped);
	result = show_lines(w);
	written = write_lines(w);
	return written == SHOW_MORE ? result : written;
}

/* The records up to @last are shown: end, or go on with those that follow. */
static enum show_result end_of_log(struct watch *w)
{
	enum show_result result = watch_show_rest(w);

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
		watch_note_overwritten(w);
	return true;
}

static enum show_result show_one(struct watch *w, const struct rdmaev_record *r)
{
	const struct options *o = w->o;
	bool is_lost = r->kind == RDMAEV_KIND_LOST;
	enum show_result result;

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
	if (record_group_add(&w->lines, r, w->now) < 0) {
		complain("out of memory");
		return SHOW_ERROR;
	}
	watch_drop(w, w->lines.dropped);
	return show_lines(w);
}

/* All that is in the log now was looked at, also what the kernel's filter rejects. */
static void see_all(struct watch *w)
{
	int64_t next = rdmaev_seek(w->h, 0, SEEK_CUR);

	if (next > 0 && (uint64_t)next > w->seen && !w->beyond)
		w->seen = (uint64_t)next;
}

/* The reader has failed, which says why when it is used again. */
static enum show_result show_failure(struct watch *w)
{
	int error = errno;

	watch_show_rest(w);
	errno = error;
	complain("cannot read: %s", reader_error());
	return SHOW_ERROR;
}

static ssize_t watch_read(struct watch *w, struct rdmaev_record events[WATCH_BATCH])
{
	if (watch_is_paced(w))
		return pace_read(&w->pace, w->h, &events[0]);
	return rdmaev_read(w->h, events, WATCH_BATCH);
}

enum show_result watch_show(struct watch *w)
{
	struct rdmaev_record events[WATCH_BATCH];
	enum show_result result = SHOW_MORE, written;
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
		return watch_show_rest(w) == SHOW_ERROR ? SHOW_ERROR : SHOW_END;
	if (n < 0 && w->ending)
		return end_of_log(w);
	for (i = 0; i < n && result == SHOW_MORE; i++) {
		result = show_one(w, &events[i]);
		if ((!w->ending || events[i].seq <= w->last) && !w->beyond &&
		    events[i].seq >= w->seen)
			w->seen = events[i].seq + 1;
	}
	/* Nothing else has happened, so what has waited long enough is complete. */
	if (result == SHOW_MORE && n < WATCH_BATCH && !w->ending) {
		record_group_expire(&w->lines, w->now);
		result = show_lines(w);
	}
	if (result == SHOW_ERROR)
		return result;
	written = write_lines(w);
	return written == SHOW_MORE ? result : written;
}
