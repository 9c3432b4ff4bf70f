// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The line of the probe of a port: what its request or the driver did not do. */
#include "catalogue.h"
#include "format.h"

static void put_call(struct text *t, unsigned int call)
{
	if (probe_call_name(call))
		text_put(t, probe_call_name(call));
	else
		text_printf(t, "call %u", call);
}

void put_probe_failure(struct text *t, unsigned int call, int error)
{
	if (call) {
		put_call(t, call);
		text_put(t, " failed: ");
		put_errno(t, error);
		return;
	}
	text_put(t, "a request failed: ");
	if (error > 0 && rdmaev_wc_status_name((unsigned int)error))
		text_put(t, rdmaev_wc_status_name((unsigned int)error));
	else
		text_printf(t, "status %d", error);
}

/* " (request 812, QP 17, RC)" */
static void put_request(struct text *t, const struct rdmaev_probe_body *body)
{
	text_printf(t, " (request %llu", (unsigned long long)body->sent);
	if (body->qp)
		text_printf(t, ", QP %u", body->qp);
	if (probe_method_name(body->method))
		text_printf(t, ", %s", probe_method_name(body->method));
	else if (body->method)
		text_printf(t, ", method %u", body->method);
	text_put(t, ")");
}

void put_probe_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_probe_body *body = &r->body.probe;

	switch (r->code) {
	case RDMAEV_PROBE_FAILED:
		put_probe_failure(t, body->call, body->error);
		break;
	case RDMAEV_PROBE_STUCK:
		put_call(t, body->call);
		text_put(t, " has not returned for ");
		text_duration(t, body->time_ns);
		break;
	case RDMAEV_PROBE_OK:
		text_put(t, "completes again after ");
		text_duration(t, body->time_ns);
		break;
	default:
		text_put(t, body->flags & RDMAEV_PROBE_IN_CQ ?
			 "completed without a notification for " :
			 "not completed for ");
		text_duration(t, body->time_ns);
	}
	put_request(t, body);
}
