// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The object in the line of an event: its owner, queues and peer */
#include "catalogue.h"
#include "format.h"

static void put_queue(struct text *t, const char **before, const char *what,
		      unsigned int number)
{
	text_printf(t, "%s%s %u", *before, what, number);
	*before = ", ";
}

/*
 * Queues of an object: " (send CQ 3, receive CQ 4, SRQ 5)".
 */
static void put_queues(struct text *t, const struct rdmaev_record *r)
{
	const struct rdmaev_queues *queues = &r->body.async.queues;
	const uint32_t known = r->body.info.known;
	bool send = known & RDMAEV_KNOWN_SEND_CQ;
	bool recv = known & RDMAEV_KNOWN_RECV_CQ;
	/* Only a QP has two. */
	bool is_one = r->object_type != RDMAEV_OBJECT_QP ||
		      (send && recv && queues->send_cq == queues->recv_cq);
	const char *before = " (";

	if (send && !(recv && is_one))
		put_queue(t, &before, "send CQ", queues->send_cq);
	if (recv)
		put_queue(t, &before, is_one ? "CQ" : "receive CQ", queues->recv_cq);
	if (known & RDMAEV_KNOWN_SRQ)
		put_queue(t, &before, "SRQ", queues->srq);
	if (*before == ',')
		text_put(t, ")");
}

void put_peer(struct text *t, uint32_t known, const struct rdmaev_peer *peer)
{
	if (!(known & (RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID)))
		return;
	text_put(t, ", peer");
	if (known & RDMAEV_KNOWN_PEER_QPN)
		text_printf(t, " QP %u", peer->qpn);
	if (known & RDMAEV_KNOWN_PEER_GID) {
		text_put(t, " at ");
		text_gid(t, peer->gid);
	} else if (known & RDMAEV_KNOWN_PEER_LID) {
		text_printf(t, " at LID %u", peer->lid);
	}
}

void put_path(struct text *t, const struct rdmaev_qp_body *body)
{
	const uint32_t known = body->info.known;

	if (known & RDMAEV_KNOWN_GID_INDEX)
		text_printf(t, "%s from GID [%u]", known & RDMAEV_KNOWN_PEER_GID ? "" : ",",
			    body->gid_index);
	if (known & RDMAEV_KNOWN_GID) {
		text_put(t, " ");
		text_gid(t, body->origin.gid);
	}
	if (known & RDMAEV_KNOWN_PATH_MTU)
		text_printf(t, ", path MTU %u", body->path_mtu);
}

void put_object(struct text *t, const struct rdmaev_record *r)
{
	static const char * const names[] = {
		[RDMAEV_OBJECT_QP] = "QP",
		[RDMAEV_OBJECT_CQ] = "CQ",
		[RDMAEV_OBJECT_SRQ] = "SRQ",
		[RDMAEV_OBJECT_WQ] = "WQ",
	};

	if (r->object_type >= ARRAY_SIZE(names))
		text_printf(t, "object %u.%u", r->object_type, r->object);
	else if (names[r->object_type] && event_has_object(r))
		text_printf(t, "%s %u", names[r->object_type], r->object);
	else if (names[r->object_type])
		text_printf(t, "%s ?", names[r->object_type]);
}

void put_object_detail(struct text *t, const struct rdmaev_record *r)
{
	size_t start = t->len;

	put_object(t, r);
	put_owner(t, t->len == start ? "" : " ", "of ", r);
	if (event_has_queues(r))
		put_queues(t, r);
	if (event_has_peer(r))
		put_peer(t, r->body.info.known, &r->body.async.peer);
	if (r->kind == RDMAEV_KIND_QP)
		put_path(t, &r->body.qp);
	if (r->count < 2)
		return;
	/* The summary of a CQ tells what there was how many of. */
	if (r->cause && (r->kind == RDMAEV_KIND_ASYNC || r->ring == RDMAEV_RING_USER) &&
	    (r->severity != RDMAEV_SEVERITY_ERROR || r->ring == RDMAEV_RING_USER))
		text_printf(t, "%s%u more", t->len == start ? "" : ", ", r->count);
	else if (r->kind != RDMAEV_KIND_COMPLETION)
		text_printf(t, "%sx%u", t->len == start ? "" : " ", r->count);
}
