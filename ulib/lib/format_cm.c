// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The line of an event of rdma_cm: both ends of the connection, and why. */
#include <errno.h>

#include "catalogue.h"
#include "format.h"

/* Connecting takes milliseconds; a line says how long it took if it was more than this. */
#define LONG_NS	1000000000ULL

const char *cm_address(unsigned int family, const uint8_t *addr, char *buf)
{
	/* An IPv4 address is the last part of an IPv4-mapped one. */
	if (family == RDMAEV_FAMILY_INET)
		return inet_ntop(AF_INET, addr + 12, buf, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, addr, buf, INET6_ADDRSTRLEN);
}

/* "192.0.2.1:4420", "[2001:db8::1]:4420" */
static void put_end(struct text *t, const char *before, unsigned int family,
		    const uint8_t *addr, unsigned int port)
{
	char name[INET6_ADDRSTRLEN];

	text_put(t, before);
	cm_address(family, addr, name);
	if (family == RDMAEV_FAMILY_INET)
		text_printf(t, "%s:%u", name, port);
	else
		text_printf(t, "[%s]:%u", name, port);
}

void put_cm_peer(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;

	if (body->info.known & RDMAEV_KNOWN_PEER_ADDR)
		put_end(t, " to ", body->family, body->peer_addr, body->peer_port);
}

/*
 * " from 192.0.2.1:45678 to 192.0.2.2:4420": this end and the peer, whichever
 * requested the connection. An id without a peer listens, or is about to
 * connect.
 */
static void put_ends(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;
	bool local = body->info.known & RDMAEV_KNOWN_LOCAL_ADDR;
	bool peer = body->info.known & RDMAEV_KNOWN_PEER_ADDR;

	if (local)
		put_end(t, peer ? " from " : " at ", body->family,
			body->local_addr, body->local_port);
	put_cm_peer(t, r);
}

/* QP and owner; the QP may not be known, or not exist yet. */
static void put_subject(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;
	bool has_object = event_has_object(r);
	size_t start = t->len;

	if (has_object)
		text_printf(t, "QP %u", r->object);
	put_owner(t, has_object ? " " : "", has_object ? "of " : "", r);
	if (has_object && body->info.known & RDMAEV_KNOWN_PEER_QPN)
		text_printf(t, ", peer QP %u", body->peer_qpn);
	if (t->len != start)
		text_put(t, ": ");
}

/* ": nobody listens there (INVALID_SERVICE_ID)" */
static void put_reason(struct text *t, int status)
{
	const struct cm_reason *reason = cm_reason_find(status);

	if (reason)
		text_printf(t, ": %s (%s)", reason->words, reason->name);
	else if (status > 0)
		text_printf(t, ": reason %d", status);
}

/* A UD QP has no connection; the peer answers a request for its number. */
static void put_sidr_status(struct text *t, int status)
{
	static const char * const names[] = {
		[1] = "UNSUPPORTED", [2] = "REJECT", [3] = "NO_QP",
		[4] = "REDIRECT", [5] = "UNSUPPORTED_VERSION",
	};

	text_printf(t, " refused: SIDR status %d", status);
	if (status < (int)ARRAY_SIZE(names))
		text_printf(t, " (%s)", names[status]);
}

static void put_outcome(struct text *t, unsigned int code, int status)
{
	static const char * const outcomes[] = {
		[RDMAEV_CM_ADDR_ERROR] = " failed: address not resolved",
		[RDMAEV_CM_ROUTE_ERROR] = " failed: path not resolved",
		[RDMAEV_CM_CONNECT_ERROR] = " failed",
		[RDMAEV_CM_CONNECT_RESPONSE] = " accepted",
		[RDMAEV_CM_UNREACHABLE] = " failed",
		[RDMAEV_CM_REJECTED] = " refused",
		[RDMAEV_CM_ESTABLISHED] = " established",
		[RDMAEV_CM_DISCONNECTED] = " closed",
		[RDMAEV_CM_DEVICE_REMOVAL] = ": device is being removed",
		[RDMAEV_CM_MULTICAST_ERROR] = " failed",
		[RDMAEV_CM_ADDR_CHANGE] = ": hardware address has changed",
		[RDMAEV_CM_ADDRINFO_ERROR] = " failed: service name not resolved",
	};

	if (code == RDMAEV_CM_UNREACHABLE && status > 0)
		return put_sidr_status(t, status);
	if (code < ARRAY_SIZE(outcomes) && outcomes[code])
		text_put(t, outcomes[code]);
	if (code == RDMAEV_CM_REJECTED && status >= 0)
		return put_reason(t, status);
	/* The peer was asked to connect, or that it closes its end. */
	if (status == -ETIMEDOUT &&
	    (code == RDMAEV_CM_UNREACHABLE || code == RDMAEV_CM_DISCONNECTED)) {
		text_put(t, ": the peer did not answer");
	} else if (status) {
		text_put(t, status > 0 ? ": status " : ": ");
		put_errno(t, status);
	}
}

void put_cm_detail(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_cm_body *body = &r->body.cm;

	put_subject(t, r);
	if (r->code == RDMAEV_CM_MULTICAST_ERROR)
		text_put(t, "multicast join");
	else if (!(body->info.known & RDMAEV_KNOWN_PEER_ADDR) &&
		 body->info.known & RDMAEV_KNOWN_LOCAL_ADDR)
		text_put(t, "endpoint");
	else
		text_put(t, "connection");
	put_ends(t, r);
	put_outcome(t, r->code, body->status);
	if (body->connecting_ns > LONG_NS) {
		text_put(t, ", after ");
		text_duration(t, body->connecting_ns);
	}
	if (r->count > 1)
		text_printf(t, ", x%u", r->count);
}
