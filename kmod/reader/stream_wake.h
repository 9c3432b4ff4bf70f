/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a reader waits for, and how it is woken */
#ifndef RDMAEV_STREAM_WAKE_H
#define RDMAEV_STREAM_WAKE_H

#include <linux/types.h>
#include <linux/wait.h>

struct rdmaev_filter;
struct rdmaev_stream;

void rdmaev_stream_wake_init(struct rdmaev_stream *s);
void rdmaev_stream_wake_end(struct rdmaev_stream *s);

bool rdmaev_stream_ready(struct rdmaev_stream *s);
void rdmaev_stream_arm(struct rdmaev_stream *s);
int rdmaev_stream_wait(struct rdmaev_stream *s);
wait_queue_head_t *rdmaev_stream_shared_waitq(struct rdmaev_stream *s);
void rdmaev_stream_wake_shared(__poll_t events);
void rdmaev_stream_wake_others(struct rdmaev_stream *s);
void rdmaev_stream_wake_soon(unsigned int who);

int rdmaev_stream_set_filter(struct rdmaev_stream *s,
			     const struct rdmaev_filter *filter);

#endif /* RDMAEV_STREAM_WAKE_H */
