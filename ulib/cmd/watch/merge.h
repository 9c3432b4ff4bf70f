/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The lines of several recordings in one order of time */
#ifndef ULIB_WATCH_MERGE_H
#define ULIB_WATCH_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "option/options.h"
#include "output/output.h"

/**
 * struct merge_line - a line
 * @text: same
 * @realtime_ns: CLOCK_REALTIME of its first record
 * @instance: instance of the log
 */
struct merge_line {
	char *text;
	uint64_t realtime_ns;
	uint64_t instance;
};

/**
 * struct merge_source - the lines of a recording, in its order
 * @host: name of its host
 * @lines: lines, @count of them in @room
 * @count: same
 * @room: same
 * @next: first one that is not printed
 */
struct merge_source {
	char *host;
	struct merge_line *lines;
	size_t count;
	size_t room;
	size_t next;
};

/**
 * struct merge - lines to be printed in one order of time
 * @is_json: each is an object, and not for people
 * @sources: recordings, @count of them
 * @count: same
 */
struct merge {
	bool is_json;
	struct merge_source sources[FILES_MAX];
	size_t count;
};

/* Lines that follow are of another recording. 0, or -1 after a message */
int merge_begin(struct merge *m, const char *host);
/* Add a line: all members but its text, which is copied. */
enum output merge_add(struct merge *m, const struct merge_line *line, const char *text);
/*
 * Print them, each with its host: the newest @limit ones, or all for 0. The same line of
 * recordings of one log is printed once.
 */
enum output merge_print(struct merge *m, size_t limit);
void merge_free(struct merge *m);

#endif /* ULIB_WATCH_MERGE_H */
