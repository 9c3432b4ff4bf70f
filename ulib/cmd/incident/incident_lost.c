// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Connections that their owners try to have again, without success so far */
#include <stdlib.h>

#include "catalogue.h"
#include "format.h"
#include "incident_lost.h"
#include "incident_retry.h"
#include "incident_state.h"

/* Do attempts to have the connection of record @i again fail? */
static bool is_lost(const struct lost_list *lost, size_t i)
{
	const struct attempts attempts = attempts_after(&lost->log, i);
	const struct rdmaev_record *last;

	if (attempts.last == NONE)
		return false;
	last = &lost->log.nodes[attempts.last].r;
	return !is_accepted(last) && last->boottime_ns + TRYING_NS > lost->now;
}

int list_lost(struct lost_list *lost)
{
	size_t i, n = 0;

	for (i = 0; i < lost->log.count; i++)
		n += is_lost(lost, i);
	lost->list = malloc((n + 1) * sizeof(*lost->list));
	if (!lost->list)
		return -1;
	for (i = 0; i < lost->log.count; i++)
		if (is_lost(lost, i))
			lost->list[lost->count++] = i;
	return 0;
}

void free_lost(struct lost_list *lost)
{
	free_incidents(&lost->log);
	free(lost->list);
	*lost = (struct lost_list){ .now = 0 };
}

/* The record of the end of the connection, or of the first attempt */
static const struct rdmaev_record *end_of(const struct lost_list *lost, size_t item)
{
	return &lost->log.nodes[lost->list[item]].r;
}

bool is_lost_on(const struct lost_list *lost, size_t item, const struct rdmaev_port *port)
{
	const struct rdmaev_record *r = end_of(lost, item);

	return r->generation == port->generation && port_of(&lost->log, r) == port->port;
}

void put_lost_owner(struct text *t, const struct lost_list *lost, size_t item)
{
	put_owner(t, "", "", end_of(lost, item));
}

static uint64_t age_of(const struct lost_list *lost, const struct rdmaev_record *r)
{
	return lost->now > r->boottime_ns ? lost->now - r->boottime_ns : 0;
}

void put_lost(struct text *t, const struct lost_list *lost, size_t item)
{
	const struct attempts attempts = attempts_after(&lost->log, lost->list[item]);
	const struct rdmaev_record *r = end_of(lost, item);
	const struct rdmaev_record *last = &lost->log.nodes[attempts.last].r;

	put_lost_owner(t, lost, item);
	text_put(t, " is not connected");
	put_cm_peer(t, r);
	text_put(t, " for ");
	text_duration(t, age_of(lost, r));
	text_printf(t, ": %zu attempt%s failed, the last ", attempts.count,
		    attempts.count == 1 ? " has" : "s have");
	text_duration(t, age_of(lost, last));
	text_put(t, " ago (");
	put_event_name(t, last->kind, last->code);
	text_put(t, ")");
}

void json_lost(struct text *t, const struct lost_list *lost, size_t item)
{
	const struct attempts attempts = attempts_after(&lost->log, lost->list[item]);
	const struct rdmaev_record *r = end_of(lost, item);
	char owner[80], address[INET6_ADDRSTRLEN];
	struct text name = { .buf = owner, .size = sizeof(owner) };

	put_lost_owner(&name, lost, item);
	text_end(&name);
	text_put(t, "{\"owner\":");
	text_json(t, owner);
	text_put(t, ",\"peer_addr\":");
	text_json(t, cm_address(r->body.cm.family, r->body.cm.peer_addr, address));
	text_printf(t, ",\"peer_port\":%u,\"since_ns\":", r->body.cm.peer_port);
	text_json_ns(t, true, r->boottime_ns);
	text_printf(t, ",\"attempts\":%zu", attempts.count);
	text_key_number(t, "seq", true, r->seq);
	text_key_number(t, "last_seq", true, lost->log.nodes[attempts.last].r.seq);
	text_put(t, "}");
}
