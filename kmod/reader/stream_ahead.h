/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Reading ahead of the position of a reader */
#ifndef RDMAEV_STREAM_AHEAD_H
#define RDMAEV_STREAM_AHEAD_H

#include <linux/types.h>

#include "log/log.h"
#include "stream.h"

/* Number of records to read with a lock held */
#define RDMAEV_AHEAD_MAX	64

bool rdmaev_stream_matches(const struct rdmaev_stream *s,
			   const struct rdmaev_record *rec);
bool rdmaev_stream_read_ahead(struct rdmaev_stream *s, size_t max, u64 after);
bool rdmaev_stream_is_due(struct rdmaev_stream *s);

/**
 * rdmaev_stream_restart_ahead - discard what was read ahead
 * @s: stream, with stream_lock held; its position or filter has changed
 */
static inline void rdmaev_stream_restart_ahead(struct rdmaev_stream *s)
{
	s->is_ahead = false;
	s->matched = 0;
	s->matched_seq = 0;
}

/** rdmaev_stream_has_next - check whether the log has a record after the position */
static inline bool rdmaev_stream_has_next(const struct rdmaev_stream *s)
{
	/* A concurrent seek that changes it wakes the waiting readers. */
	u64 seen = data_race(READ_ONCE(s->cursor.seen));

	/* It may change, too: then there was a record. */
	return data_race(READ_ONCE(s->cursor.limit)) > seen ||
	       rdmaev_log_newest() > seen;
}

#endif /* RDMAEV_STREAM_AHEAD_H */
