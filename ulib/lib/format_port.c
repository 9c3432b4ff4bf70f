// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The line of a change of a port: the value before and after, and outages. */
#include <string.h>

#include "catalogue.h"
#include "format.h"

static void put_name_or_number(struct text *t, const char *name, uint64_t number)
{
	if (name)
		text_put(t, name);
	else
		text_printf(t, "%llu", (unsigned long long)number);
}

void put_port_value(struct text *t, unsigned int code,
		    const union rdmaev_port_value *value)
{
	static const union rdmaev_port_value empty;
	unsigned int rate;

	switch (code) {
	case RDMAEV_PORT_STATE:
		put_name_or_number(t, state_name(value->number), value->number);
		break;
	case RDMAEV_PORT_PHYS_STATE:
		put_name_or_number(t, phys_state_name(value->number),
				   value->number);
		break;
	case RDMAEV_PORT_SPEED:
		put_name_or_number(t, speed_name(value->number), value->number);
		rate = speed_rate(value->number);
		if (rate % 10)
			text_printf(t, " %u.%u Gb/s per lane", rate / 10, rate % 10);
		else if (rate)
			text_printf(t, " %u Gb/s per lane", rate / 10);
		break;
	case RDMAEV_PORT_WIDTH:
		put_name_or_number(t, width_name(value->number), value->number);
		break;
	case RDMAEV_PORT_GID:
		if (!memcmp(value, &empty, sizeof(empty)))
			text_put(t, "empty");
		else
			text_gid(t, value->gid);
		break;
	case RDMAEV_PORT_PKEY:
		if (value->number)
			text_printf(t, "0x%04llx", (unsigned long long)value->number);
		else
			text_put(t, "empty");
		break;
	default:
		put_name_or_number(t, NULL, value->number);
	}
}

/* GID attributes, if known: " (RoCE v2, netdev 3)". */
static void put_gid_use(struct text *t, unsigned int type, unsigned int netdev)
{
	const char *name = gid_type_name(type);

	if (name)
		text_printf(t, " (%s", name);
	else if (type)
		text_printf(t, " (type %u", type);
	else
		return;
	if (netdev)
		text_printf(t, ", netdev %u", netdev);
	text_put(t, ")");
}

void put_unseen_outages(struct text *t, const struct rdmaev_record *r)
{
	text_put(t, "left ACTIVE ");
	if (r->count == 1)
		text_put(t, "once");
	else
		text_printf(t, "%u times", r->count);
	text_put(t, " between two queries ");
	text_duration(t, r->body.port.previous_ns);
	text_printf(t, " apart, outage %u", r->body.port.outages);
}

static void put_seconds(struct text *t, uint64_t ns)
{
	text_printf(t, "%llu.%03us", (unsigned long long)(ns / 1000000000),
		    (unsigned int)(ns / 1000000 % 1000));
}

void put_outage_time(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;
	bool longer = body->outage_flags &
		      (RDMAEV_OUTAGE_BEGIN_FOUND | RDMAEV_OUTAGE_AT_ADD);
	bool shorter = body->outage_flags & RDMAEV_OUTAGE_END_FOUND;

	if (longer && shorter)
		text_put(t, "about ");
	else if (longer)
		text_put(t, "at least ");
	else if (shorter)
		text_put(t, "at most ");
	put_seconds(t, body->down_ns);
	if (body->outage_flags & RDMAEV_OUTAGE_ADMIN) {
		text_put(t, ", network device down for ");
		put_seconds(t, body->down_admin_ns);
	}
}

/* An outage that goes on or has ended, and how well its time is known */
static void put_outage(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;

	put_port_value(t, RDMAEV_PORT_STATE, &body->after);
	text_put(t, r->code == RDMAEV_PORT_OUTAGE ? " for " : " after an outage of ");
	put_outage_time(t, r);
	if (body->outage_flags & RDMAEV_OUTAGE_AT_ADD)
		text_put(t, ", since before the device was added");
	else
		text_printf(t, ", outage %u", body->outages);
}

void put_port_change(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;

	if (r->code == RDMAEV_PORT_GID || r->code == RDMAEV_PORT_PKEY)
		text_printf(t, "[%u] ", body->index);
	put_port_value(t, r->code, &body->before);
	put_gid_use(t, body->gid_type_before, body->netdev_before);
	text_put(t, " -> ");
	put_port_value(t, r->code, &body->after);
	put_gid_use(t, body->gid_type_after, body->netdev_after);
}

void put_port_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *body = &r->body.port;

	if (r->code == RDMAEV_PORT_OUTAGE || r->code == RDMAEV_PORT_OUTAGE_END) {
		put_outage(t, r);
		return;
	}
	if (r->code == RDMAEV_PORT_OUTAGE_UNSEEN) {
		put_unseen_outages(t, r);
		return;
	}
	if (r->code == RDMAEV_PORT_QUERY_STUCK || r->code == RDMAEV_PORT_QUERY_RETURNED) {
		text_put(t, r->code == RDMAEV_PORT_QUERY_STUCK ?
			 "the driver has not answered for " : "the driver has answered after ");
		put_seconds(t, body->previous_ns);
		return;
	}
	put_port_change(t, r);
	if (body->previous_ns) {
		text_put(t, " after ");
		text_duration(t, body->previous_ns);
	}
	/* The count changes only when the port leaves ACTIVE. */
	if (r->code == RDMAEV_PORT_STATE && body->outages &&
	    body->before.number == RDMAEV_STATE_ACTIVE)
		text_printf(t, ", outage %u", body->outages);
}
