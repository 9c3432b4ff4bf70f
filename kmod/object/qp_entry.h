/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entries of QPs in the table of objects, for those who change them. Inline, as requests
 * to move QPs are frequent.
 */
#ifndef RDMAEV_QP_ENTRY_H
#define RDMAEV_QP_ENTRY_H

#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "object.h"
#include "object_table.h"

/**
 * struct qp_entry - what is known of a QP
 * @obj: its entry in the table. Another QP may have got the address: compare
 *	the number, see qp_find_by_cq() as well
 * @port: its port, RDMAEV_NO_PORT if unknown
 * @moves: number of successful requests, wraps
 * @is_found: the state is that of a query, not of a request
 * @is_asked: since that its driver was asked for its state, or it was counted as not asked
 * @is_ending: since that its end was recorded
 * @seen: SQE or ERR, in which its driver reported it since that to somebody who asked, else 0
 * @order: larger for those added later
 * @pid: process that has created it, in the initial pid namespace, 0: none is known
 * @started: when that process began, of &struct rdmaev_owner
 * @info: type, state and owner
 * @peer: other end, as far as @info says that it is known
 * @queues: CQs and SRQ, likewise
 *
 * From the first successful request to move the QP until its driver has destroyed it.
 */
struct qp_entry {
	struct rdmaev_object obj;
	u32 port;
	u32 moves;
	bool is_found;
	bool is_asked;
	bool is_ending;
	u8 seen;
	u32 pid;
	u64 order;
	u64 started;
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
	struct rdmaev_queues queues;
};

/**
 * struct qp_before - a QP as it was before a request
 * @info: as in &struct qp_entry
 * @peer: likewise
 */
struct qp_before {
	struct rdmaev_object_info info;
	struct rdmaev_peer peer;
};

#define QP_KNOWN_PEER							\
	(RDMAEV_KNOWN_PEER_QPN | RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID)

/* What requests to move a QP set */
#define QP_KNOWN_MOVED	(RDMAEV_KNOWN_QP_STATE | QP_KNOWN_PEER)

/*
 * Find the entry of an address, also if another QP had it. Called with
 * rdmaev_objects_lock held, as the next ones.
 */
static __always_inline struct qp_entry *qp_find_address(const struct ib_qp *qp)
{
	struct rdmaev_object *obj = rdmaev_object_find(RDMAEV_SHARE_QPS, qp);

	return obj ? container_of(obj, struct qp_entry, obj) : NULL;
}

static __always_inline struct qp_entry *qp_find(const struct ib_qp *qp)
{
	struct qp_entry *entry = qp_find_address(qp);

	return entry && entry->obj.number == qp->qp_num ? entry : NULL;
}

/* Returns @known, with what the request sets. */
static __always_inline u32 qp_set_peer(struct rdmaev_peer *peer, u32 known,
				       const struct ib_qp_attr *attr, int attr_mask)
{
	const struct rdma_ah_attr *ah = &attr->ah_attr;

	if (!(attr_mask & (IB_QP_DEST_QPN | IB_QP_AV)))
		return known;
	if (attr_mask & IB_QP_DEST_QPN) {
		peer->qpn = attr->dest_qp_num;
		known |= RDMAEV_KNOWN_PEER_QPN;
	}
	if (!(attr_mask & IB_QP_AV))
		return known;
	known &= ~(RDMAEV_KNOWN_PEER_LID | RDMAEV_KNOWN_PEER_GID);
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH) {
		memcpy(peer->gid, rdma_ah_read_grh(ah)->dgid.raw, sizeof(peer->gid));
		known |= RDMAEV_KNOWN_PEER_GID;
	}
	if (ah->type == RDMA_AH_ATTR_TYPE_IB) {
		peer->lid = rdma_ah_get_dlid(ah);
		known |= RDMAEV_KNOWN_PEER_LID;
	}
	return known;
}

/* Note a successful request. Called with rdmaev_objects_lock held. */
static __always_inline void qp_entry_set(struct qp_entry *entry, const struct ib_qp *qp,
					 const struct ib_qp_attr *attr, int attr_mask)
{
	struct rdmaev_object_info *info = &entry->info;
	enum ib_qp_state state = attr->qp_state;
	u32 known = info->known;

	/* With a state up to INIT a new connection begins. */
	if (state <= IB_QPS_INIT)
		known &= ~QP_KNOWN_PEER;
	known = qp_set_peer(&entry->peer, known, attr, attr_mask);
	info->known = known | RDMAEV_KNOWN_QP_STATE;
	info->qp_state = state;
	entry->is_found = false;
	entry->is_asked = false;
	entry->is_ending = false;
	entry->seen = 0;
	entry->moves++;
	/* The core sets it when the driver has answered. */
	entry->port = attr_mask & IB_QP_PORT ? attr->port_num : rdmaev_qp_port(qp);
}

static inline void qp_copy_peer(struct rdmaev_object_info *info, struct rdmaev_peer *peer,
				const struct qp_entry *entry)
{
	info->known |= entry->info.known & QP_KNOWN_PEER;
	*peer = entry->peer;
}

/*
 * Name of the ULP of a QP of the kernel: those of rdma_create_qp() are named
 * after rdma_cm, their PD is not.
 */
static inline void qp_name_ulp(char *name, size_t size, const struct ib_qp *qp)
{
	const struct ib_pd *pd = READ_ONCE(qp->pd);

	strscpy(name, pd && pd->res.kern_name ? pd->res.kern_name : "", size);
}

struct qp_entry *rdmaev_qp_add(const struct ib_qp *qp);
void rdmaev_qp_remove(const struct ib_qp *qp);
u32 rdmaev_qp_payer_who_asks(void);

#endif /* RDMAEV_QP_ENTRY_H */
