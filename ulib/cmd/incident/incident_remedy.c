// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Remedies. A request to connect a QP fails for one of few reasons, which the addresses in
 * it and the result tell apart.
 */
#include <errno.h>

#include "incident_gid_table.h"
#include "incident_remedy.h"

static const char empty_gid[] =
	"The port has no GID at the index in the request, or it could not be read: "
	"take the index of one that it has (/sys/class/infiniband/*/ports/*/gids).";
static const char other_family[] =
	"The own GID and that of the peer are not both of IPv4, or both of IPv6: "
	"take the index of an own GID of the peer's kind.";
static const char no_answer[] =
	"Nobody answered for the peer's address: check that it is right, that the peer is up, "
	"and VLAN and cabling between both.";
static const char no_route[] =
	"The own GID has no route to the peer's address: check that it is right, the routes "
	"(ip route get), and that the own GID is of the right network device.";

/* Of a request to connect a QP, NULL: nothing more is known than that it failed */
static const char *remedy_of_path(const struct rdmaev_qp_body *body)
{
	const uint32_t known = body->info.known;
	bool has_peer = known & RDMAEV_KNOWN_PEER_GID;

	if (known & RDMAEV_KNOWN_GID_INDEX && !(known & RDMAEV_KNOWN_GID) &&
	    (body->result == -EINVAL || body->result == -ENODATA))
		return empty_gid;
	if (known & RDMAEV_KNOWN_GID && has_peer &&
	    is_ipv4_gid(body->origin.gid) != is_ipv4_gid(body->peer.gid))
		return other_family;
	if (has_peer && body->result == -ETIMEDOUT)
		return no_answer;
	if (has_peer && (body->result == -ENETUNREACH || body->result == -EHOSTUNREACH))
		return no_route;
	return NULL;
}

const char *incident_remedy(const struct rdmaev_record *r)
{
	const char *remedy = NULL;

	if (r->kind == RDMAEV_KIND_QP && r->code == RDMAEV_QP_RTR && r->body.qp.result)
		remedy = remedy_of_path(&r->body.qp);
	return remedy ? remedy : rdmaev_event_advice(r->kind, r->code);
}
