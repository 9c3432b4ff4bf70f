/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Records made up, with times of their own, and the lines of watch and log that they make */
#ifndef RDMAEV_TEST_RECORD_GROUPS_H
#define RDMAEV_TEST_RECORD_GROUPS_H

#include "line/record_group.h"
#include "line/record_group_line.h"
#include "line/record_group_parts.h"
#undef ARRAY_SIZE
#include "format.h"
#include "kselftest_harness.h"

/**
 * struct step - a record to add
 * @ms: when
 * @cause: seq of its cause, which is 1 for the first record
 * @port: its port
 * @kind: its kind
 * @code: its code
 * @before: value before, for a port attribute
 * @after: value after
 */
struct step {
	unsigned int ms;
	uint64_t cause;
	unsigned int port;
	unsigned int kind;
	unsigned int code;
	unsigned int before;
	unsigned int after;
};

#define EVENT(ms, cause, name)	{ ms, cause, 1, RDMAEV_KIND_ASYNC, RDMAEV_ASYNC_##name, 0, 0 }
#define PORT(ms, cause, name, before, after) \
	{ ms, cause, 1, RDMAEV_KIND_PORT, RDMAEV_PORT_##name, before, after }

static inline struct rdmaev_record record_of(const struct step *step, uint64_t seq)
{
	struct rdmaev_record r = made_up(step->kind, step->code);

	r.seq = seq;
	r.boottime_ns = (1000 + step->ms) * MS;
	r.realtime_ns = (86400000 + step->ms) * MS;
	r.cause = step->cause;
	r.port = step->port ?: RDMAEV_NO_PORT;
	if (step->kind == RDMAEV_KIND_LOST) {
		r.generation = 0;
		r.device_name[0] = '\0';
		r.severity = RDMAEV_SEVERITY_ERROR;
		r.body.lost.first = seq - 2;
		r.body.lost.last = seq;
		r.body.lost.count = 3;
	}
	if (step->kind == RDMAEV_KIND_WC ||
	    (step->kind == RDMAEV_KIND_ASYNC && step->code == RDMAEV_ASYNC_PORT_ERR))
		r.severity = RDMAEV_SEVERITY_ERROR;
	if (step->kind != RDMAEV_KIND_PORT)
		return r;
	if (step->code == RDMAEV_PORT_GID) {
		r.body.port.before.gid[15] = (uint8_t)step->before;
		r.body.port.after.gid[15] = (uint8_t)step->after;
		return r;
	}
	r.body.port.before.number = step->before;
	r.body.port.after.number = step->after;
	if (step->code == RDMAEV_PORT_STATE) {
		r.body.port.previous_ns = 4 * SEC;
		r.body.port.outages = 2;
		if (step->before == RDMAEV_STATE_ACTIVE)
			r.severity = RDMAEV_SEVERITY_ERROR;
	}
	if (step->code == RDMAEV_PORT_OUTAGE_UNSEEN) {
		r.severity = RDMAEV_SEVERITY_WARNING;
		r.body.port.previous_ns = 5 * MS;
		r.body.port.outages = 3;
	}
	if (step->code == RDMAEV_PORT_OUTAGE_END) {
		r.severity = RDMAEV_SEVERITY_WARNING;
		r.body.port.down_ns = 12 * SEC + 345 * MS;
	}
	return r;
}

/* Number of records of each line, "3 1 2"; the lines are in @lines. */
struct result {
	char counts[1024];
	char lines[32][512];
	size_t n;
};

static inline void take_lines(struct record_groups *all, struct result *result)
{
	struct record_group *h;

	while ((h = record_group_pop(all))) {
		size_t len = strlen(result->counts);
		struct text t = { .buf = result->lines[result->n % 32], .size = 512 };

		record_group_line(&t, h, RDMAEV_STYLE_UTC);
		text_end(&t);
		snprintf(result->counts + len, sizeof(result->counts) - len, "%s%zu",
			 result->n++ ? " " : "", h->count);
		record_group_free(h);
	}
}

/* Lines of the records of a log, without the column of the time */
static inline const struct result *lines_of(const struct step *steps, size_t n)
{
	static struct result result;
	struct record_groups all = { .joins = true };
	size_t i;

	memset(&result, 0, sizeof(result));
	for (i = 0; i < n; i++) {
		struct rdmaev_record r = record_of(&steps[i], i + 1);

		if (record_group_add(&all, &r, 0) < 0)
			return NULL;
		take_lines(&all, &result);
	}
	record_group_close(&all);
	take_lines(&all, &result);
	return &result;
}

#endif /* RDMAEV_TEST_RECORD_GROUPS_H */
