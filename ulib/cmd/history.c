// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read from the log what happened to ports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "history.h"

#define BATCH	64

static bool is_active(uint64_t state)
{
	return state >= RDMAEV_STATE_ACTIVE;
}

/* Outages that a record is about */
static uint64_t outages(const struct rdmaev_record *r)
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

static void add_record(struct history *history, const struct snapshot *s,
		       const struct rdmaev_record *r)
{
	if (age(s, r->boottime_ns) < RECENT_NS)
		history->recent_outages += outages(r);
	if (r->severity != RDMAEV_SEVERITY_ERROR)
		return;
	add_owner(history, r);
	/* Flushed requests follow from another error. */
	if (r->kind == RDMAEV_KIND_WC && r->code == RDMAEV_STATUS_WR_FLUSH_ERR &&
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

		if (r->generation == port->generation &&
		    (!r->port || r->port == port->port))
			add_record(&list[p], s, r);
	}
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
			return errno == EAGAIN ? 0 : -1;
		for (i = 0; i < n; i++)
			add_to_ports(list, s, &records[i]);
		if (records[n - 1].seq > s->seq)
			return 0;
	}
}

struct history *read_history(struct rdmaev *h, const struct snapshot *s)
{
	struct history *list = calloc(s->ports_count + 1, sizeof(*list));

	if (!list) {
		complain("out of memory");
		return NULL;
	}
	if (read_log(h, s, list) < 0) {
		complain("cannot read the log: %s", reader_error());
		free(list);
		return NULL;
	}
	return list;
}
