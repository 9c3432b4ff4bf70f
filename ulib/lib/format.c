// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Format an event as one line for people. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalogue.h"
#include "format.h"
#include "internal.h"

#define STYLES_HUMAN	(RDMAEV_STYLE_UTC | RDMAEV_STYLE_MONO | RDMAEV_STYLE_COLOR)

/* Names of the bits that are set */
static void put_bits(struct text *t, uint32_t bits,
		     const char *(*bit_name)(unsigned int bit))
{
	const char *before = "";
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		if (!(bits >> bit & 1))
			continue;
		text_put(t, before);
		if (bit_name(bit))
			text_put(t, bit_name(bit));
		else
			text_printf(t, "bit %u", bit);
		before = ", ";
	}
	if (!bits)
		text_put(t, "nothing");
}

/* "after 2ms, network device d1 was deleted" */
static void put_netdev_change(struct text *t, const struct rdmaev_device_body *body)
{
	static const char * const how[] = {
		[RDMAEV_NETDEV_DELETED] = " was deleted",
		[RDMAEV_NETDEV_MOVED] = " moved to another network namespace",
	};

	text_put(t, ", network device ");
	text_name(t, *body->netdev ? body->netdev : "?");
	if (body->netdev_change < ARRAY_SIZE(how) && how[body->netdev_change])
		text_put(t, how[body->netdev_change]);
	else
		text_printf(t, ": change %u", body->netdev_change);
}

/* "after 5s, by rdma[1234]", or, of its end, "removal took 5s, by rdma[1234]" */
static void put_removal(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_device_body *body = &r->body.device;

	if (!body->removing_since_ns)
		return;
	text_put(t, r->code == RDMAEV_DEVICE_REMOVED ? "removal took " : "after ");
	text_duration(t, r->boottime_ns > body->removing_since_ns ?
		      r->boottime_ns - body->removing_since_ns : 0);
	if (body->netdev_change)
		put_netdev_change(t, body);
	if (!body->remover_pid)
		return;
	text_put(t, ", by ");
	text_name(t, body->remover_comm);
	text_printf(t, "[%u]", body->remover_pid);
}

static void put_device_detail(struct text *t, const struct rdmaev_record *r)
{
	switch (r->code) {
	case RDMAEV_DEVICE_RENAME:
		text_name(t, *r->body.device.old_name ? r->body.device.old_name : "?");
		text_put(t, " -> ");
		text_name(t, *r->device_name ? r->device_name : "?");
		break;
	case RDMAEV_DEVICE_REMOVE:
	case RDMAEV_DEVICE_REMOVED:
		put_removal(t, r);
		break;
	case RDMAEV_DEVICE_ADD:
	case RDMAEV_DEVICE_NETNS:
		text_put(t, "node guid ");
		text_guid(t, r->body.device.node_guid);
		if (!*r->body.device.old_name)
			break;
		text_put(t, ", before: ");
		text_name(t, r->body.device.old_name);
		break;
	case RDMAEV_DEVICE_INCOMPLETE:
		text_put(t, "missing device files: ");
		put_bits(t, r->body.device.missing, part_name);
		break;
	case RDMAEV_DEVICE_COMPLETE:
		text_put(t, "no device file is missing");
		break;
	}
}

static void put_lost_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_lost_body *body = &r->body.lost;
	const char *ring = ring_name(r->ring);

	if (r->ring == RDMAEV_RING_ANY)
		text_put(t, "several rings");
	else if (ring)
		text_printf(t, "%s ring", ring);
	else
		text_printf(t, "ring %u", r->ring);
	text_printf(t, ": %llu record%s lost (#%llu to #%llu)",
		    (unsigned long long)body->count, body->count == 1 ? "" : "s",
		    (unsigned long long)body->first,
		    (unsigned long long)body->last);
}

/* The failed request, or the first flushed one */
static void put_request(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_wc_body *body = &r->body.wc;
	const char *opcode = rdmaev_wc_opcode_name(body->opcode);
	const uint32_t both = RDMAEV_KNOWN_SEND_CQ | RDMAEV_KNOWN_RECV_CQ;
	/* Redundant if the record names no other CQ. */
	bool is_told = r->object_type == RDMAEV_OBJECT_CQ ||
		       ((body->info.known & both) == both &&
			body->queues.send_cq == body->cq && body->queues.recv_cq == body->cq);

	if (r->count > 1)
		text_put(t, "first ");
	/* Drivers may leave the opcode of flushed requests 0, which is SEND. */
	if (body->opcode == RDMAEV_OPCODE_OTHER || r->code == RDMAEV_WC_WR_FLUSH_ERR)
		text_put(t, "request");
	else if (opcode)
		text_put(t, opcode);
	else
		text_printf(t, "opcode %u", body->opcode);
	if (body->info.known & RDMAEV_KNOWN_CQ && !is_told)
		text_printf(t, " from CQ %u", body->cq);
	/* The sum of several QPs has none. */
	if (r->count > 1 && r->object_type == RDMAEV_OBJECT_QP && !event_has_object(r))
		return;
	if (body->info.known & RDMAEV_KNOWN_WR_ID)
		text_printf(t, ", wr_id 0x%llx", (unsigned long long)body->wr_id);
	else
		text_printf(t, ", wr_id ~%016llx", (unsigned long long)body->wr_id);
	if (body->vendor_err)
		text_printf(t, ", vendor error 0x%x", body->vendor_err);
}

static void put_wc_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_wc_body *body = &r->body.wc;
	size_t start = t->len;

	put_object_detail(t, r);
	text_put(t, t->len == start ? "" : ": ");
	put_request(t, r);
	if (body->folded)
		text_printf(t, ", and %u other%s failed", body->folded,
			    body->folded == 1 ? "" : "s");
	if (r->code != RDMAEV_WC_WR_FLUSH_ERR || r->cause)
		return;
	if (r->severity == RDMAEV_SEVERITY_INFO)
		text_put(t, ", cause unknown");
	else
		text_put(t, ", cause not on record");
}

static void put_total(struct text *t, uint64_t count, const char *what)
{
	if (count)
		text_printf(t, ", %llu %s", (unsigned long long)count, what);
}

static void put_completion_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_completion_body *body = &r->body.completion;
	unsigned long long notifications = body->notifications;
	const char *plural = notifications == 1 ? "" : "s";
	size_t start = t->len;

	put_object_detail(t, r);
	text_put(t, t->len == start ? "" : ": ");
	if (r->code == RDMAEV_COMPLETION_STALLED) {
		text_put(t, "not polled for ");
		text_duration(t, body->time_ns);
		text_printf(t, " after %llu notification%s", notifications,
			    plural);
		return;
	}
	if (r->code == RDMAEV_COMPLETION_RECOVERED) {
		text_put(t, "polled again after ");
		text_duration(t, body->time_ns);
		return;
	}
	text_printf(t, "%llu notification%s in ", notifications, plural);
	text_duration(t, body->time_ns);
	put_total(t, body->completions, "completed");
	put_total(t, body->failures, "failed");
	put_total(t, body->empty_polls,
		  body->empty_polls == 1 ? "empty poll" : "empty polls");
}

static void put_user(struct text *t, const struct rdmaev_observer_body *body)
{
	if (body->info.known & RDMAEV_KNOWN_UID)
		text_printf(t, "uid %u", body->info.uid);
	else
		text_put(t, "several users");
}

/* "8972 events of processes of uid 1000 without a record, in 1s" */
static void put_suppressed(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_observer_body *body = &r->body.observer;

	text_printf(t, "%u event%s of processes of ", r->count, r->count == 1 ? "" : "s");
	put_user(t, body);
	text_put(t, " without a record, in ");
	text_duration(t, body->time_ns);
}

/*
 * "user events, QP ends: not observed for 2.1s",
 * "connection owners of uid 1000: 300 calls missed in 1s"
 */
static void put_observer_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_observer_body *body = &r->body.observer;

	if (r->code == RDMAEV_OBSERVER_SUPPRESSED) {
		put_suppressed(t, r);
		return;
	}
	put_bits(t, body->facts, observed_name);
	if (r->ring == RDMAEV_RING_USER) {
		text_put(t, " of ");
		put_user(t, body);
	}
	switch (r->code) {
	case RDMAEV_OBSERVER_STOPPED:
		text_put(t, ": observed for ");
		break;
	case RDMAEV_OBSERVER_BLIND:
		text_put(t, ": not observed for ");
		break;
	case RDMAEV_OBSERVER_SEEING:
		text_put(t, ": observed again after ");
		break;
	case RDMAEV_OBSERVER_MISSED:
		text_printf(t, ": %u call%s missed in ", r->count,
			    r->count == 1 ? "" : "s");
		break;
	default:
		return;
	}
	text_duration(t, body->time_ns);
}

/* "QP 20 of nvme_rdma: keep-alive expired (3 notes suppressed before)" */
static void put_note_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_note_body *body = &r->body.note;
	bool has_object = event_has_object(r);
	char words[sizeof(body->text) + 1];
	size_t start = t->len;

	if (has_object)
		text_printf(t, "QP %u", r->object);
	put_owner(t, has_object ? " " : "", has_object ? "of " : "", r);
	text_put(t, t->len == start ? "" : ": ");
	snprintf(words, sizeof(words), "%.*s", (int)sizeof(body->text), body->text);
	text_words(t, words);
	if (body->suppressed)
		text_printf(t, " (%llu note%s suppressed before)",
			    (unsigned long long)body->suppressed,
			    body->suppressed == 1 ? "" : "s");
}

const char *event_color(const struct rdmaev_record *r)
{
	if (r->kind == RDMAEV_KIND_LOST)
		return YELLOW;
	if (r->severity == RDMAEV_SEVERITY_ERROR)
		return RED;
	if ((r->kind == RDMAEV_KIND_ASYNC && r->code == RDMAEV_ASYNC_PORT_ACTIVE) ||
	    (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_STATE &&
	     r->body.port.after.number == RDMAEV_STATE_ACTIVE) ||
	    (r->kind == RDMAEV_KIND_PORT && r->code == RDMAEV_PORT_OUTAGE_END) ||
	    (r->kind == RDMAEV_KIND_COMPLETION &&
	     r->code == RDMAEV_COMPLETION_RECOVERED) ||
	    (r->kind == RDMAEV_KIND_PROBE && r->code == RDMAEV_PROBE_OK) ||
	    (r->kind == RDMAEV_KIND_OBSERVER &&
	     r->code == RDMAEV_OBSERVER_SEEING))
		return GREEN;
	return "";
}

RDMAEV_HAS_KINDS_UP_TO(PROBE);

void put_detail(struct text *t, const struct rdmaev_record *r)
{
	switch (r->kind) {
	case RDMAEV_KIND_DEVICE:
		put_device_detail(t, r);
		break;
	case RDMAEV_KIND_PORT:
		put_port_detail(t, r);
		break;
	case RDMAEV_KIND_WC:
		put_wc_detail(t, r);
		break;
	case RDMAEV_KIND_COMPLETION:
		put_completion_detail(t, r);
		break;
	case RDMAEV_KIND_LOST:
		put_lost_detail(t, r);
		break;
	case RDMAEV_KIND_QP:
		put_qp_detail(t, r);
		break;
	case RDMAEV_KIND_OBSERVER:
		put_observer_detail(t, r);
		break;
	case RDMAEV_KIND_CM:
		put_cm_detail(t, r);
		break;
	case RDMAEV_KIND_NOTE:
		put_note_detail(t, r);
		break;
	case RDMAEV_KIND_PROBE:
		put_probe_detail(t, r);
		break;
	default:
		put_object_detail(t, r);
	}
}

void put_where(struct text *t, const struct rdmaev_record *r)
{
	size_t column = t->len;

	if (*r->device_name)
		text_name(t, r->device_name);
	else if (r->generation)
		text_printf(t, "#%u", r->device);
	else
		text_put(t, "-");
	if (r->port != RDMAEV_NO_PORT)
		text_printf(t, "/%u", r->port);
	text_pad(t, column, COLUMN_DEVICE);
	text_put(t, " ");
}

static void format_human(struct text *t, const struct rdmaev_record *r,
			 unsigned int style)
{
	const char *color = style & RDMAEV_STYLE_COLOR ? event_color(r) : "";
	size_t column;

	text_time(t, r->realtime_ns, r->boottime_ns, style);
	text_put(t, " ");
	put_where(t, r);
	text_put(t, color);
	column = t->len;
	put_event_name(t, r->kind, r->code);
	text_pad(t, column, COLUMN_EVENT);
	if (*color)
		text_put(t, PLAIN);

	text_put(t, " ");
	column = t->len;
	put_detail(t, r);
	text_put(t, t->len == column ? " " : "  ");

	if (style & RDMAEV_STYLE_COLOR)
		text_put(t, DIM);
	text_printf(t, "#%llu", (unsigned long long)r->seq);
	if (r->cause)
		text_printf(t, " <- #%llu", (unsigned long long)r->cause);
	if (style & RDMAEV_STYLE_COLOR)
		text_put(t, PLAIN);
}

int rdmaev_format(const struct rdmaev_record *record, unsigned int style,
		  char *buf, size_t len)
{
	struct text t = { .buf = buf, .size = len };

	if (style == RDMAEV_STYLE_JSON) {
		format_json(&t, record, NULL);
	} else if (!(style & ~STYLES_HUMAN)) {
		format_human(&t, record, style);
	} else {
		errno = EINVAL;
		return -1;
	}
	return text_end(&t);
}
