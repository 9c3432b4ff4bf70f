// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What new records are like, for many readers at once: for most of them, that says that
 * none passes their filter.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "device/access.h"
#include "filter.h"
#include "log/log.h"
#include "log/log_read.h"
#include "stream.h"
#include "stream_ahead.h"
#include "stream_news.h"

/** rdmaev_stream_is_hit - check whether a reader wants one of these codes, by kind */
bool rdmaev_stream_is_hit(const struct rdmaev_stream *s, const u64 *hits)
{
	unsigned int i;

	for (i = 0; i < RDMAEV_KINDS; i++) {
		if (s->match.interest.codes[i] & hits[i])
			return true;
	}
	return false;
}

/*
 * Returns false if it may match every filter. It may be overwritten meanwhile: some
 * bits are too many then.
 */
static bool news_add(struct rdmaev_stream_news *news, const struct rdmaev_record *rec)
{
	unsigned int kind = READ_ONCE(rec->kind);

	if (kind == RDMAEV_KIND_LOST || kind >= RDMAEV_KINDS)
		return false;
	news->interest.codes[kind] |= BIT_ULL(rdmaev_code_bit(rec->code));
	news->interest.severities |= BIT(rec->severity);
	news->devices |= rdmaev_device_bit(rec->device_name);
	/* A filter may pass these for another reason than this name. */
	if (kind == RDMAEV_KIND_OBSERVER || kind == RDMAEV_KIND_DEVICE)
		news->devices = U64_MAX;
	news->owners |= rdmaev_record_owners(rec);
	return true;
}

/**
 * rdmaev_stream_news_read - read the new records once, in the log
 * @news: filled in
 * @lock: held, and dropped in between
 * @seen: seq of the last record that is not new
 */
void rdmaev_stream_news_read(struct rdmaev_stream_news *news,
			     spinlock_t *lock, u64 seen)
{
	static struct rdmaev_record loss;
	struct rdmaev_cursor *cur = &news->end;
	u64 newest = rdmaev_log_newest();
	struct rdmaev_run run;
	size_t i, n;

	memset(news, 0, sizeof(*news));
	cur->rings = RDMAEV_RING_MASK;
	rdmaev_log_seek(cur, seen + 1);
	while (cur->seen < newest) {
		n = rdmaev_log_next(cur, RDMAEV_AHEAD_MAX, &run, &loss);
		if (!n)
			break;
		for (i = 0; i < n; i++) {
			/* If it is overwritten, a loss follows. */
			if (!data_race(news_add(news, &run.recs[i])))
				news->may_match = true;
		}
		rdmaev_log_pass(cur, &run);
		cond_resched_lock(lock);
	}
	/* A loss that was found and is newer than that is not told to others. */
	for (i = 0; i < ARRAY_SIZE(cur->gap); i++) {
		if (cur->gap[i].count)
			news->may_match = true;
	}
	/* Who takes the position may follow other rings. */
	memset(cur->next, 0, sizeof(cur->next));
}

/**
 * rdmaev_stream_news_can_match - check whether one of the new records can match
 * @news: what they are like
 * @s: stream, with stream_armed_lock held
 */
bool rdmaev_stream_news_can_match(const struct rdmaev_stream_news *news,
				  const struct rdmaev_stream *s)
{
	const struct rdmaev_match *match = &s->match;

	return news->may_match ||
	       (rdmaev_stream_is_hit(s, news->interest.codes) &&
		match->interest.severities & news->interest.severities &&
		match->devices & news->devices &&
		rdmaev_cred_owners(&s->cred) & news->owners);
}
