/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* rdmaev watch --exec: a command for each event */
#ifndef ULIB_EXEC_H
#define ULIB_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "option/options.h"

struct exec;

/* NULL after a message. @instance is that of the log. */
struct exec *exec_open(const struct options *o, uint64_t instance);
/* NULL is allowed. Handlers that run go on. */
void exec_close(struct exec *e);

/* Descriptor that is readable when a handler has ended; -1 if @e is NULL. */
int exec_fd(const struct exec *e);

/*
 * True if there may be no room for @n more events: do not read, the log keeps them.
 * What it cannot keep becomes a LOST record, which is an event as others are.
 */
bool exec_is_full(const struct exec *e, size_t n);
/* Queue an event. */
void exec_add(struct exec *e, const struct rdmaev_record *r);
/* Note the end of handlers, and start others. 0, or -1 after a message. */
int exec_run(struct exec *e);

/* Where to go on so that no event is left out: @next if all handlers have ended. */
uint64_t exec_position(const struct exec *e, uint64_t next);

/* Run the rest of the queue, up to a signal in @signals. 0, or -1 after a message. */
int exec_finish(struct exec *e, int signals);

#endif /* ULIB_EXEC_H */
