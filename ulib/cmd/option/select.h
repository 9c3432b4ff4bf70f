/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Which records watch, log, wait and report show */
#ifndef ULIB_SELECT_H
#define ULIB_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#define EVENTS_MAX	256

/**
 * struct event_id - an event selected with -e
 * @kind: enum rdmaev_kind
 * @code: code of that kind
 */
struct event_id {
	unsigned int kind;
	unsigned int code;
};

/**
 * struct event_list - some events
 * @ids: each once
 * @count: number of them
 */
struct event_list {
	struct event_id ids[EVENTS_MAX];
	size_t count;
};

#define VALUES_MAX	64

/**
 * struct number_list - numbers that an option has named
 * @numbers: the numbers
 * @count: how many
 */
struct number_list {
	uint32_t numbers[VALUES_MAX];
	size_t count;
};

/**
 * struct pattern_list - patterns of names that an option has named
 * @patterns: patterns, as in glob(7); after a `!` not these
 * @count: how many
 */
struct pattern_list {
	const char *patterns[VALUES_MAX];
	size_t count;
};

/**
 * struct mask - values of an enumeration that an option has named
 * @wanted: bit n: value n; 0: all
 * @unwanted: and not these
 */
struct mask {
	uint32_t wanted;
	uint32_t unwanted;
};

/**
 * struct selection - the options that select records; all must match
 * @events: -e, only these; empty: all
 * @not_events: -e !EVENT, not these
 * @kinds: --kind
 * @severities: --severity
 * @qps: --qp
 * @pids: --pid
 * @comms: --comm
 * @ulps: --ulp
 */
struct selection {
	struct event_list events;
	struct event_list not_events;
	struct mask kinds;
	struct mask severities;
	struct number_list qps;
	struct number_list pids;
	struct pattern_list comms;
	struct pattern_list ulps;
};

/*
 * Set the part of the filter that the kernel can apply, which passes all records
 * that match. -1 if none can.
 */
int fill_filter(struct rdmaev_filter *f, const struct selection *s);

/* True if a record that has passed this filter is selected. */
bool is_selected(const struct selection *s, const struct rdmaev_record *r);

/* True if the owner of the object is a process. */
bool is_of_process(const struct rdmaev_record *r);

#endif /* ULIB_SELECT_H */
