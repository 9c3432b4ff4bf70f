/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Standard output, and the signals that end it */
#ifndef ULIB_OUTPUT_H
#define ULIB_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmaev.h>

#include "option/options.h"
#include "text.h"

/**
 * enum output - result of output
 * @OUTPUT_DONE: written
 * @OUTPUT_STOP: stop: the reader closed the pipe, or a signal arrived
 * @OUTPUT_FAILED: not written; a message was printed
 */
enum output {
	OUTPUT_DONE = 0,
	OUTPUT_STOP = 1,
	OUTPUT_FAILED = 2,
};

/*
 * Receive the terminating signals through a descriptor, so that none is missed
 * and no line is cut; a signal also ends a write that waits for a slow reader.
 * -1 after a message.
 */
int catch_signals(void);
/* Undo catch_signals(); @fd may be -1. */
void release_signals(int fd);
/* Set the open reader: it drops the module also while output waits. */
void output_set_reader(struct rdmaev *h);
enum output output_line(const char *line);
/* Print a line of any length: @put is called twice, first for the length. */
enum output output_item(void (*put)(struct text *t, const void *of, size_t item),
			const void *of, size_t item);
/* Lines up to the end of the frame replace the previous ones. */
void output_frame(void);
enum output output_frame_end(void);
enum output output_flush(void);
/* Flush and turn the result into an exit status. */
int output_finish(int status);
/* True if standard output is a terminal with cursor control. */
bool output_is_terminal(void);
/* True if output should be coloured. */
bool output_color(const struct options *o);
/* Columns of the terminal, or 80. */
size_t output_columns(void);

#endif /* ULIB_OUTPUT_H */
