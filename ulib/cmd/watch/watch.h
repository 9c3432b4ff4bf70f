/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A run of rdmaev watch, log or wait */
#ifndef ULIB_WATCH_H
#define ULIB_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "line/exec.h"
#include "line/record_group.h"
#include "line/pace.h"
#include "option/arguments.h"
#include "option/options.h"
#include "state/renamed.h"
#include "watch/merge.h"

/* Records of one read */
#define WATCH_BATCH	64

/**
 * struct watch - a run of watch, log or wait
 * @o: command line
 * @is_log: log: starts in the past, ends with the log
 * @waits: wait: ends at the first match, prints losses on standard error
 * @h: reader
 * @signals: signalfd of the signals that end it
 * @style: of lines
 * @targets: selected devices, @targets_count of them
 * @renamed: names of devices, if the kernel's filter cannot select these
 * @deadline: CLOCK_MONOTONIC when to end, -1: never
 * @instance: instance of the log
 * @since: --since, unless the cursor file says where to start
 * @last: newest seq to print; 0: not known yet
 * @ending: @last is known: end after the records up to it
 * @now: CLOCK_MONOTONIC of the last read
 * @beyond: seq of the first record after --until, 0: none yet
 * @limit: end after so many lines; 0: do not
 * @printed: lines printed, without those of losses
 * @from_first: from the beginning of the log: records lost from the first one on
 *	were overwritten before
 * @overwritten: number of those that are not reported yet
 * @overwritten_last: seq of the newest of them
 * @lines: what was read and is not printed yet
 * @seen: seq of the first record that was not looked at
 * @next: seq of the first record that was not printed; the cursor
 * @kept: what the cursor file has
 * @kept_ns: CLOCK_MONOTONIC when it was written
 * @keep_failed: it could not be
 * @exec: --exec, or NULL
 * @pace: how fast a recording is replayed
 * @merge: its lines are added to these, not printed; NULL: printed
 */
struct watch {
	const struct options *o;
	bool is_log;
	bool waits;
	struct rdmaev *h;
	int signals;
	unsigned int style;
	struct target *targets;
	size_t targets_count;
	struct renamed renamed;
	int64_t deadline;
	uint64_t instance;
	struct when since;
	uint64_t last;
	bool ending;
	int64_t now;
	uint64_t beyond;
	uint64_t limit;
	uint64_t printed;
	bool from_first;
	uint64_t overwritten;
	uint64_t overwritten_last;
	struct record_groups lines;
	uint64_t seen;
	uint64_t next;
	uint64_t kept;
	int64_t kept_ns;
	bool keep_failed;
	struct exec *exec;
	struct pace pace;
	struct merge *merge;
};

/* Time says when the next record comes, not the reader. */
static inline bool watch_is_paced(const struct watch *w)
{
	return w->pace.factor > 0;
}

#endif /* ULIB_WATCH_H */
