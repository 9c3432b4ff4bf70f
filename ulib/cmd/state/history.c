// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read from the log what happened to ports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "format.h"
#include "history.h"
#include "output/open.h"

#define BATCH	64

static bool is_active(uint64_t state)
{
	return state >= RDMAEV_STATE_ACTIVE;
}

/* Outages that a record is about */
static uint64_t record_outages(const struct rdmaev_record *r)
{
	if (r->kind != RDMAEV_KIND_PORT)
		return 0;
	if (r->code == RDMAEV_PORT_OUTAGE_UNSEEN)
		return r->count;
	return r->code == RDMAEV_PORT_STATE &&
	       is_active(r->body.port.before.number) &&
	       !is_active(r->body.port.after.number);
}

/* Is it the owner that is first? There may be very many records of one. */
static bool is_first_owner(const struct history *history, const struct rdmaev_record *r)
{
	const struct rdmaev_record *last = &history->last_owned;

	return last->seq && last->kind == r->kind && last->pid == r->pid &&
	       last->object_type == r->object_type &&
	       (last->body.info.known & RDMAEV_KNOWN_UID) ==
	       (r->body.info.known & RDMAEV_KNOWN_UID) &&
	       !memcmp(last->body.info.owner, r->body.info.owner, RDMAEV_OWNER_SIZE);
}

/* Put the owner of a failed object first. */
static void add_owner(struct history *history, const struct rdmaev_record *r)
{
	char owner[OWNER_SIZE];
	struct text t = { .buf = owner, .size = sizeof(owner) };
	size_t i;

	if (is_first_owner(history, r))
		return;
	put_owner(&t, "", "", r);
	text_end(&t);
	if (!t.len)
		return;
	history->last_owned = *r;
	for (i = 0; i < history->owners_count; i++)
		if (!strcmp(history->owners[i], owner))
			break;
	if (i == history->owners_count && i < OWNERS)
		history->owners_count++;
	if (i == OWNERS)
		i--;
	memmove(history->owners[1], history->owners[0], i * OWNER_SIZE);
	memcpy(history->owners[0], owner, sizeof(owner));
}

static void add_record(struct history *history, const struct rdmaev_record *r)
{
	uint64_t outages = record_outages(r);

	history->known.kept += outages;
	if (r->boottime_ns >= history->known.hour_ns)
		history->known.recent += outages;
	if (r->severity != RDMAEV_SEVERITY_ERROR)
		return;
	add_owner(history, r);
	/* Flushed requests follow from another error. */
	if (r->kind == RDMAEV_KIND_WC && r->code == RDMAEV_WC_WR_FLUSH_ERR &&
	    history->last_error.seq)
		return;
	history->last_error = *r;
}

/**
 * struct place - where the history of a port is
 * @generation: generation of its device
 * @port: index in the lists of ports and histories
 */
struct place {
	uint32_t generation;
	uint32_t port;
};

/**
 * struct reading - the log as it is read
 * @s: the snapshot
 * @list: histories of its ports
 * @places: by generation, one for each port
 * @kept_ns: CLOCK_BOOTTIME of the oldest record in the ring of ports
 * @unbound_ns: that of the newest connection that failed before it was bound to a device
 */
struct reading {
	const struct snapshot *s;
	struct history *list;
	struct place *places;
	uint64_t kept_ns;
	uint64_t unbound_ns;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->generation < y->generation ? -1 : x->generation > y->generation;
}

/* Any place of the device, or NULL */
static const struct place *find_place(const struct reading *reading, uint32_t generation)
{
	const struct place key = { .generation = generation };

	return bsearch(&key, reading->places, reading->s->ports_count, sizeof(key),
		       compare_places);
}

static void add_to_port(const struct reading *reading, size_t p, const struct rdmaev_record *r)
{
	struct history *history = &reading->list[p];

	if (r->kind == RDMAEV_KIND_CM)
		history->connection_ns = r->boottime_ns;
	if (r->port == RDMAEV_NO_PORT || r->port == reading->s->ports[p].port)
		add_record(history, r);
}

static void read_record(struct reading *reading, const struct rdmaev_record *r)
{
	const struct place *end = reading->places + reading->s->ports_count, *place;

	if (r->kind == RDMAEV_KIND_LOST)
		return;
	/* The ring of ports is overwritten from its oldest record on. */
	if (r->ring == RDMAEV_RING_PORT && r->boottime_ns < reading->kept_ns)
		reading->kept_ns = r->boottime_ns;
	if (r->seq > reading->s->seq)
		return;
	/* Before an address is resolved the device is not known. */
	if (r->kind == RDMAEV_KIND_CM && !r->generation)
		reading->unbound_ns = r->boottime_ns;
	place = find_place(reading, r->generation);
	if (!place)
		return;
	while (place > reading->places && place[-1].generation == r->generation)
		place--;
	for (; place < end && place->generation == r->generation; place++)
		add_to_port(reading, place->port, r);
}

static uint64_t time_added(const struct snapshot *s, uint32_t generation)
{
	size_t d;

	for (d = 0; d < s->devices_count; d++)
		if (s->devices[d].generation == generation)
			return s->devices[d].since_ns;
	return 0;
}

static bool counts_changes(const struct rdmaev_counter *counter)
{
	return counter->kind == RDMAEV_KIND_PORT &&
	       (counter->code == RDMAEV_PORT_STATE ||
		counter->code == RDMAEV_PORT_OUTAGE_UNSEEN);
}

/* The newest change of the port, from counters */
static uint64_t time_changed(const struct snapshot *s, const struct rdmaev_port *port)
{
	uint64_t newest = 0;
	size_t i;

	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];

		if (counter->generation == port->generation &&
		    counter->port == port->port && counts_changes(counter) &&
		    counter->last_boottime_ns > newest)
			newest = counter->last_boottime_ns;
	}
	return newest;
}

/* All that is known of outages before the log is read */
static void know_outages(struct history *list, const struct snapshot *s)
{
	size_t p;

	for (p = 0; p < s->ports_count; p++)
		list[p].known = (struct outages_known){
			.total = s->ports[p].outages,
			.added_ns = time_added(s, s->ports[p].generation),
			.changed_ns = time_changed(s, &s->ports[p]),
			.kept_ns = UINT64_MAX,
			.hour_ns = s->now > RECENT_NS ? s->now - RECENT_NS : 0,
		};
}

static int read_log(struct rdmaev *h, struct reading *reading)
{
	struct rdmaev_record records[BATCH];
	struct rdmaev_filter filter;
	ssize_t n, i;

	rdmaev_filter_init(&filter);
	filter.severities = 1U << RDMAEV_SEVERITY_WARNING |
			    1U << RDMAEV_SEVERITY_ERROR;
	if (rdmaev_set_filter(h, &filter) < 0 || rdmaev_seek(h, 0, SEEK_SET) < 0)
		return -1;
	for (;;) {
		do
			n = rdmaev_read(h, records, BATCH);
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return recorded_all(errno) ? 0 : -1;
		for (i = 0; i < n; i++)
			read_record(reading, &records[i]);
		if (records[n - 1].seq > reading->s->seq)
			return 0;
	}
}

/* What is known of all ports, and what follows for each */
static void finish_histories(const struct reading *reading)
{
	size_t p;

	for (p = 0; p < reading->s->ports_count; p++) {
		struct history *history = &reading->list[p];

		if (history->connection_ns < reading->unbound_ns)
			history->connection_ns = reading->unbound_ns;
		history->known.kept_ns = reading->kept_ns;
		history->recent = recent_outages(&history->known);
	}
}

static struct place *list_places(const struct snapshot *s)
{
	struct place *places = calloc(s->ports_count + 1, sizeof(*places));
	size_t p;

	if (!places)
		return NULL;
	for (p = 0; p < s->ports_count; p++)
		places[p] = (struct place){
			.generation = s->ports[p].generation, .port = (uint32_t)p,
		};
	qsort(places, s->ports_count, sizeof(*places), compare_places);
	return places;
}

struct history *read_history(struct rdmaev *h, const struct snapshot *s)
{
	struct reading reading = {
		.s = s,
		.list = calloc(s->ports_count + 1, sizeof(*reading.list)),
		.places = list_places(s),
		.kept_ns = UINT64_MAX,
	};

	if (!reading.list || !reading.places) {
		complain("out of memory");
		goto failed;
	}
	know_outages(reading.list, s);
	if (read_log(h, &reading) < 0) {
		complain("cannot read the log: %s", reader_error());
		goto failed;
	}
	finish_histories(&reading);
	free(reading.places);
	return reading.list;
failed:
	free(reading.list);
	free(reading.places);
	return NULL;
}
