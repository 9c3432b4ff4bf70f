// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Get devices, ports and counters, and print their JSON keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/complain.h"
#include "catalogue.h"
#include "cqs.h"
#include "format.h"
#include "output/open.h"
#include "snapshot.h"

/**
 * struct question - a list of the kernel
 * @what: its name
 * @entry: size of an entry
 * @ask: queries it
 */
struct question {
	const char *what;
	size_t entry;
	ssize_t (*ask)(struct rdmaev *h, bool removed, void *list, size_t n, uint64_t *seq);
};

static ssize_t ask_devices(struct rdmaev *h, bool removed, void *list, size_t n,
			   uint64_t *seq)
{
	return rdmaev_devices(h, list, n, removed ? RDMAEV_DEVICES_REMOVED : 0, seq);
}

static ssize_t ask_ports(struct rdmaev *h, bool removed, void *list, size_t n,
			 uint64_t *seq)
{
	return rdmaev_ports(h, RDMAEV_ANY, removed ? RDMAEV_PORTS_REMOVED : 0, list, n, seq);
}

static ssize_t ask_counters(struct rdmaev *h, bool removed, void *list, size_t n,
			    uint64_t *seq)
{
	return rdmaev_counters(h, RDMAEV_ANY, RDMAEV_ANY,
			       removed ? RDMAEV_COUNTERS_REMOVED : 0, list, n, seq);
}

static const struct question devices_question = {
	"devices", sizeof(struct rdmaev_device), ask_devices,
};

static const struct question ports_question = {
	"ports", sizeof(struct rdmaev_port), ask_ports,
};

static const struct question counters_question = {
	"counters", sizeof(struct rdmaev_counter), ask_counters,
};

/* Get a complete list; the caller frees it. NULL after a message. */
static void *list_all(struct rdmaev *h, const struct question *q, bool removed,
		      size_t *count, uint64_t *seq)
{
	size_t room = 64;
	void *list = NULL;
	ssize_t n;

	for (;;) {
		void *larger = realloc(list, room * q->entry);

		if (!larger) {
			complain("out of memory");
			break;
		}
		list = larger;
		n = q->ask(h, removed, list, room, seq);
		if (n >= 0 && (size_t)n <= room) {
			*count = (size_t)n;
			return list;
		}
		if (n < 0) {
			complain("cannot list the %s: %s", q->what,
				 reader_error());
			break;
		}
		room = (size_t)n + 16;
	}
	free(list);
	return NULL;
}

ssize_t list_devices(struct rdmaev *h, bool removed, struct rdmaev_device **list,
		     uint64_t *seq)
{
	size_t count;

	*list = list_all(h, &devices_question, removed, &count, seq);
	return *list ? (ssize_t)count : -1;
}

void free_snapshot(struct snapshot *s)
{
	free(s->devices);
	free(s->ports);
	free(s->counters);
	free(s->sums);
	memset(s, 0, sizeof(*s));
}

const struct rdmaev_device *find_device(const struct snapshot *s, uint32_t generation)
{
	size_t d;

	for (d = 0; d < s->devices_count; d++)
		if (s->devices[d].generation == generation)
			return &s->devices[d];
	return NULL;
}

/**
 * struct range - range of the seq of several lists
 * @oldest: smallest seq
 * @newest: largest seq
 */
struct range {
	uint64_t oldest;
	uint64_t newest;
};

static void range_extend(struct range *range, uint64_t seq)
{
	if (seq < range->oldest)
		range->oldest = seq;
	if (seq > range->newest)
		range->newest = seq;
}

static int ask_once(struct rdmaev *h, struct snapshot *s, bool removed, bool counters,
		    struct range *range)
{
	uint64_t seq;

	s->devices = list_all(h, &devices_question, removed, &s->devices_count, &seq);
	if (!s->devices)
		return -1;
	range_extend(range, seq);
	s->ports = list_all(h, &ports_question, removed, &s->ports_count, &seq);
	if (!s->ports)
		return -1;
	range_extend(range, seq);
	if (!counters)
		return 0;
	s->counters = list_all(h, &counters_question, removed, &s->counters_count, &seq);
	if (!s->counters)
		return -1;
	range_extend(range, seq);
	if (list_cqs(h, RDMAEV_CQS_SUMS, &s->sums, &s->sums_count, &seq) < 0)
		return -1;
	range_extend(range, seq);
	return 0;
}

int take_snapshot(struct rdmaev *h, struct snapshot *s, bool removed, bool counters)
{
	struct range range;
	int tries;

	/*
	 * Several queries: if a record is appended in between, query again. If
	 * this never stops, the oldest seq is valid for all: applying a record
	 * twice to a state does no harm, and counters have their own seq.
	 */
	for (tries = 0; tries < 8; tries++) {
		range = (struct range){ .oldest = UINT64_MAX };
		free_snapshot(s);
		if (ask_once(h, s, removed, counters, &range) < 0) {
			free_snapshot(s);
			return -1;
		}
		if (range.oldest == range.newest)
			break;
	}
	s->seq = range.oldest;
	s->now = boottime();
	return 0;
}

int take_before(struct rdmaev *h, const struct snapshot *s, struct snapshot *before)
{
	size_t d;

	for (d = 0; d < s->devices_count; d++)
		if (s->devices[d].previous)
			return take_snapshot(h, before, true, false);
	return 0;
}

uint64_t age(const struct snapshot *s, uint64_t then)
{
	return s->now > then ? s->now - then : 0;
}

void put_known(struct text *t, const char *name, uint32_t number)
{
	if (name)
		text_put(t, name);
	else
		text_printf(t, "%u", number);
}

void put_port_state(struct text *t, const struct rdmaev_port *port)
{
	if (port->flags & RDMAEV_PORT_FLAG_REMOVING)
		return text_put(t, "REMOVING");
	if (!port->state)
		return text_put(t, "UNKNOWN");
	if (port->flags & (RDMAEV_PORT_FLAG_REMOVED | RDMAEV_PORT_FLAG_QUERY_FAILED))
		text_put(t, "was ");
	if (port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE)
		text_put(t, "never ACTIVE (");
	put_known(t, state_name(port->state), port->state);
	if (port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE)
		text_put(t, ")");
}

void put_query_failure(struct text *t, const struct rdmaev_port *port, uint64_t now)
{
	text_put(t, "queries of the port have failed for ");
	text_duration(t, now > port->query_failed_since_ns ?
		      now - port->query_failed_since_ns : 0);
	text_put(t, ": ");
	put_errno(t, port->query_error);
}

void put_counted_name(struct text *t, unsigned int kind, unsigned int code)
{
	if (code == RDMAEV_CODE_OTHER)
		put_other_name(t, kind);
	else
		put_event_name(t, kind, code);
}

void put_sources(struct text *t, const struct rdmaev_device *device,
		 void (*put)(struct text *t, const char *name), const char *between)
{
	const char *before = "";
	unsigned int source;

	for (source = 0; source < 32; source++) {
		char number[16];

		if (!(device->sources & 1U << source))
			continue;
		snprintf(number, sizeof(number), "%u", source);
		text_put(t, before);
		put(t, source_name(source) ? source_name(source) : number);
		before = between;
	}
}

static bool is_same_event(const struct rdmaev_counter *a,
			  const struct rdmaev_counter *b)
{
	return a->generation == b->generation && a->kind == b->kind &&
	       a->code == b->code;
}

void put_seen(struct text *t, const struct snapshot *s,
	      const struct rdmaev_device *device,
	      void (*put)(struct text *t, const char *name), const char *between)
{
	const char *before = "";
	size_t i, j;

	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];
		char name[64];
		struct text n = { .buf = name, .size = sizeof(name) };

		if (counter->generation != device->generation)
			continue;
		/* Once, even if several ports count it. */
		for (j = 0; j < i; j++)
			if (is_same_event(&s->counters[j], counter))
				break;
		if (j < i)
			continue;
		put_counted_name(&n, counter->kind, counter->code);
		text_end(&n);
		text_put(t, before);
		put(t, name);
		before = between;
	}
}

void json_device(struct text *t, const struct rdmaev_device *device)
{
	text_put(t, "{\"device\":");
	text_json(t, device->name);
	text_printf(t, ",\"index\":%u,\"generation\":%u", device->index,
		    device->generation);
}

void json_knowledge(struct text *t, const struct rdmaev_device *device)
{
	text_put(t, ",\"driver\":");
	text_json(t, *device->driver ? device->driver : NULL);
	text_printf(t, ",\"removed\":%s,\"removing\":%s",
		    device->flags & RDMAEV_DEVICE_FLAG_REMOVED ? "true" : "false",
		    device->flags & RDMAEV_DEVICE_FLAG_REMOVING ? "true" : "false");
	text_key_ns(t, "removing_since_ns", device->removing_since_ns,
		    device->removing_since_ns);
	text_key_number(t, "remover_pid", device->remover_pid, device->remover_pid);
	text_put(t, ",\"remover_comm\":");
	text_json(t, *device->remover_comm ? device->remover_comm : NULL);
	text_put(t, ",\"sources\":[");
	put_sources(t, device, text_json, ",");
	text_put(t, "],\"missing\":");
	text_json_bits(t, device->missing, part_name);
}

void json_state(struct text *t, const struct rdmaev_port *port)
{
	if (port->flags & RDMAEV_PORT_FLAG_REMOVING)
		text_put(t, ",\"state\":null");
	else
		text_key_name(t, "state", state_name(port->state), port->state);
	text_put(t, ",\"never_active\":");
	text_put(t, port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE ? "true" : "false");
}

void json_query(struct text *t, const struct rdmaev_port *port)
{
	bool has_failed = port->flags & RDMAEV_PORT_FLAG_QUERY_FAILED;

	text_put(t, ",\"query_error\":");
	if (has_failed)
		text_printf(t, "%d", port->query_error);
	else
		text_put(t, "null");
	text_key_ns(t, "query_failed_since_ns", has_failed, port->query_failed_since_ns);
}

void json_history(struct text *t, const struct snapshot *s,
		  const struct rdmaev_port *port)
{
	bool removed = port->flags & RDMAEV_PORT_FLAG_REMOVED;
	bool is_down = port->down_since_ns != 0;

	text_key_ns(t, "state_since_ns", true, port->state_since_ns);
	text_key_ns(t, "state_ns", !removed, age(s, port->state_since_ns));
	text_key_number(t, "transitions", true, port->transitions);
	text_key_ns(t, "down_since_ns", is_down, port->down_since_ns);
	text_key_ns(t, "down_ns", is_down && !removed,
		    age(s, port->down_since_ns));
	text_put(t, ",\"down_begin\":");
	text_json(t, is_down ? outage_begin_name(port->outage_flags) : NULL);
	text_put(t, ",\"down_admin\":");
	if (is_down)
		text_put(t, port->outage_flags & RDMAEV_OUTAGE_ADMIN ? "true" : "false");
	else
		text_put(t, "null");
	text_key_ns(t, "down_last_ns", port->down_last_ns != 0, port->down_last_ns);
	text_key_ns(t, "down_longest_ns", port->down_longest_ns != 0,
		    port->down_longest_ns);
	text_key_ns(t, "down_total_ns", true, port->down_total_ns);
	text_key_ns(t, "down_admin_ns", true, port->down_admin_ns);
}
