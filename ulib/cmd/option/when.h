/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Times and positions in the log, as --since and --until take them. */
#ifndef ULIB_WHEN_H
#define ULIB_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum when_type - what a &struct when is compared with
 * @WHEN_NONE: not given
 * @WHEN_START: the oldest record of the log
 * @WHEN_SEQ: a sequence number
 * @WHEN_CURSOR: a sequence number of an instance of the log
 * @WHEN_REALTIME: CLOCK_REALTIME, of times on the clock
 * @WHEN_BOOTTIME: CLOCK_BOOTTIME, of times relative to now or to the boot, which
 *	are right even if the clock was set meanwhile
 */
enum when_type {
	WHEN_NONE,
	WHEN_START,
	WHEN_SEQ,
	WHEN_CURSOR,
	WHEN_REALTIME,
	WHEN_BOOTTIME,
};

/**
 * struct when - a time, or a position in the log
 * @text: as given
 * @type: what it is
 * @instance: WHEN_CURSOR: instance of the log
 * @seq: WHEN_SEQ, WHEN_CURSOR: sequence number
 * @ns: WHEN_REALTIME, WHEN_BOOTTIME: nanoseconds of that clock
 * @width_ns: how long the time lasts: one unit of the last digit of the seconds,
 *	so that a time copied from a line includes that line; else 1
 */
struct when {
	const char *text;
	enum when_type type;
	uint64_t instance;
	uint64_t seq;
	uint64_t ns;
	uint64_t width_ns;
};

/**
 * struct now - the current time
 * @realtime_ns: CLOCK_REALTIME
 * @boottime_ns: CLOCK_BOOTTIME
 */
struct now {
	uint64_t realtime_ns;
	uint64_t boottime_ns;
};

/* What parse_when() accepts, for a message. */
#define WHEN_EXAMPLES								\
	"a time or a position, such as '10 min ago', -1h, 01:20, "		\
	"'2026-11-20 08:00', yesterday, boot, start, '#1041' or a cursor"

/* Parse @text, which must stay valid. 0, or -1 if it is no time or position. */
int parse_when(struct when *when, const char *text, const struct now *now);

/* "90min", "1d12h": 0, or -1 if it is no time or none at all. */
int parse_duration(const char *text, uint64_t *ns);

/* True if a record of these times is at or after the time. */
bool is_since(const struct when *when, uint64_t realtime_ns, uint64_t boottime_ns);
/* True if it is at or before the time. */
bool is_until(const struct when *when, uint64_t realtime_ns, uint64_t boottime_ns);

/* Room for a cursor as text */
#define CURSOR_SIZE	40

/* INSTANCE:SEQ, the position of a record in one instance of the log. */
void print_cursor(char text[CURSOR_SIZE], uint64_t instance, uint64_t seq);
int parse_cursor(const char *text, uint64_t *instance, uint64_t *seq);

#endif /* ULIB_WHEN_H */
