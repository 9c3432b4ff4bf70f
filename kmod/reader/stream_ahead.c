// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading ahead of the position of a reader: what it gets, and when there is enough. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/workqueue.h>

#include "device/access.h"
#include "filter.h"
#include "log/log_read.h"
#include "stream.h"
#include "stream_ahead.h"
#include "work.h"

/** rdmaev_stream_matches - check whether a reader gets a record */
bool rdmaev_stream_matches(const struct rdmaev_stream *s,
			   const struct rdmaev_record *rec)
{
	if (rec->kind == RDMAEV_KIND_LOST)
		return true;
	if (!rdmaev_match(&s->match, rec))
		return false;
	return s->cred.all || rdmaev_record_visible(rec, &s->cred);
}

/* Note the first record that matches. */
static void stream_set_first(struct rdmaev_stream *s,
			     const struct rdmaev_record *rec)
{
	s->first_ns = rec->boottime_ns;
	s->first_seq = rec->kind == RDMAEV_KIND_LOST ? rec->body.lost.first :
						       rec->seq;
}

/**
 * rdmaev_stream_read_ahead - read ahead, and count the records that match
 * @s: stream, with stream_lock held
 * @max: number of records to read at most
 * @after: a seq: read on until a match after it
 *
 * Return: true if there may be more; false at the end of the log, or at the
 * watermark with a match after @after.
 */
bool rdmaev_stream_read_ahead(struct rdmaev_stream *s, size_t max, u64 after)
{
	size_t i, n, batch = 1;

	if (!s->is_ahead) {
		s->ahead = s->cursor;
		s->is_ahead = true;
	}
	while (s->matched < s->watermark || s->matched_seq <= after) {
		if (!max)
			return true;
		if (s->matched >= s->watermark && s->ahead.seen < after)
			rdmaev_log_seek(&s->ahead, after + 1);
		/* Usually the first record matches. */
		batch = min(batch, max);
		n = rdmaev_log_read(&s->ahead, s->ahead_rec, batch);
		for (i = 0; i < n; i++) {
			if (!rdmaev_stream_matches(s, &s->ahead_rec[i]))
				continue;
			s->matched_seq = s->ahead_rec[i].seq;
			if (!s->matched++)
				stream_set_first(s, &s->ahead_rec[i]);
		}
		/*
		 * No match yet: advance the position past these records, and
		 * past those of rings that it does not follow.
		 */
		if (!s->matched && s->cursor.seen != s->ahead.seen)
			s->cursor = s->ahead;
		if (n < batch)
			break;
		max -= n;
		batch = RDMAEV_AHEAD_BATCH;
	}
	return false;
}

/**
 * rdmaev_stream_is_due - check whether there are enough records to read
 * @s: stream, with stream_lock held; rdmaev_stream_read_ahead() has returned false
 *
 * If the delay has not passed yet, queues delay_work for that time.
 */
bool rdmaev_stream_is_due(struct rdmaev_stream *s)
{
	u64 now, due;

	if (s->matched >= s->watermark)
		return true;
	if (!s->matched || !s->delay_ns)
		return false;
	now = ktime_get_boot_fast_ns();
	due = s->first_ns + s->delay_ns;
	if (now >= due)
		return true;
	mod_delayed_work(rdmaev_wq, &s->delay_work,
			 nsecs_to_jiffies(due - now) + 1);
	return false;
}
