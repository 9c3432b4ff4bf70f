/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Reading ahead of the position of a reader */
#ifndef RDMAEV_STREAM_AHEAD_H
#define RDMAEV_STREAM_AHEAD_H

#include <linux/types.h>

struct rdmaev_record;
struct rdmaev_stream;

/* Number of records to read with a lock held */
#define RDMAEV_AHEAD_MAX	64

bool rdmaev_stream_matches(const struct rdmaev_stream *s,
			   const struct rdmaev_record *rec);
bool rdmaev_stream_read_ahead(struct rdmaev_stream *s, size_t max, u64 after);
void rdmaev_stream_restart_ahead(struct rdmaev_stream *s);
bool rdmaev_stream_is_due(struct rdmaev_stream *s);

#endif /* RDMAEV_STREAM_AHEAD_H */
