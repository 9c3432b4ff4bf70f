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

/* Put the owner of a failed object first. */
static void add_owner(struct history *history, const struct rdmaev_record *r)
{
	char owner[OWNER_SIZE];
	struct text t = { .buf = owner, .size = sizeof(owner) };
	size_t i;

	put_owner(&t, "", "", r);
	text_end(&t);
	if (!t.len)
		return;
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

static void add_to_ports(struct history *list, const struct snapshot *s,
			 const struct rdmaev_record *r)
{
	size_t p;

	if (r->kind == RDMAEV_KIND_LOST || r->seq > s->seq)
		return;
	for (p = 0; p < s->ports_count; p++) {
		const struct rdmaev_port *port = &s->ports[p];

		/* Before an address is resolved the device is not known. */
		if (r->kind == RDMAEV_KIND_CM &&
		    (!r->generation || r->generation == port->generation))
			list[p].connection_ns = r->boottime_ns;
		if (r->generation == port->generation &&
		    (r->port == RDMAEV_NO_PORT || r->port == port->port))
			add_record(&list[p], r);
	}
}

/* The ring of ports is overwritten from its oldest record on. */
static void note_kept(struct history *list, const struct snapshot *s,
		      const struct rdmaev_record *r)
{
	size_t p;

	if (r->ring != RDMAEV_RING_PORT || r->kind == RDMAEV_KIND_LOST)
		return;
	for (p = 0; p < s->ports_count; p++)
		if (list[p].known.kept_ns > r->boottime_ns)
			list[p].known.kept_ns = r->boottime_ns;
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

static int read_log(struct rdmaev *h, const struct snapshot *s,
		    struct history *list)
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
		for (i = 0; i < n; i++) {
			note_kept(list, s, &records[i]);
			add_to_ports(list, s, &records[i]);
		}
		if (records[n - 1].seq > s->seq)
			return 0;
	}
}

struct history *read_history(struct rdmaev *h, const struct snapshot *s)
{
	struct history *list = calloc(s->ports_count + 1, sizeof(*list));
	size_t p;

	if (!list) {
		complain("out of memory");
		return NULL;
	}
	know_outages(list, s);
	if (read_log(h, s, list) < 0) {
		complain("cannot read the log: %s", reader_error());
		free(list);
		return NULL;
	}
	for (p = 0; p < s->ports_count; p++)
		list[p].recent = recent_outages(&list[p].known);
	return list;
}
