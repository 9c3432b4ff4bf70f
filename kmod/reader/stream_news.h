/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What new records are like, for many readers at once */
#ifndef RDMAEV_STREAM_NEWS_H
#define RDMAEV_STREAM_NEWS_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "filter.h"
#include "log/log_read.h"

struct rdmaev_stream;

/**
 * struct rdmaev_stream_news - what the new records are like, for all armed readers
 * @end: position after them
 * @interest: their kinds, codes and severities
 * @devices: rdmaev_device_bit() of their devices
 * @owners: bits of those who may see them, see rdmaev_cred_owners()
 * @may_match: nothing is known, so they may match every filter
 *
 * Of stream_wake_fn() alone.
 */
struct rdmaev_stream_news {
	struct rdmaev_cursor end;
	struct rdmaev_interest interest;
	u64 devices;
	u64 owners;
	bool may_match;
};

bool rdmaev_stream_is_hit(const struct rdmaev_stream *s, const u64 *hits);
void rdmaev_stream_news_read(struct rdmaev_stream_news *news,
			     spinlock_t *lock, u64 seen);
bool rdmaev_stream_news_can_match(const struct rdmaev_stream_news *news,
				  const struct rdmaev_stream *s);

#endif /* RDMAEV_STREAM_NEWS_H */
