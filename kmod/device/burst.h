/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bursts: one record for all repetitions of an event */
#ifndef RDMAEV_BURST_H
#define RDMAEV_BURST_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "count.h"

int rdmaev_burst_init(void);
void rdmaev_burst_exit(void);

u64 rdmaev_burst_ulp(struct rdmaev_dev *dev, struct rdmaev_record *rec);
u64 rdmaev_burst_fold(struct rdmaev_dev *dev, struct rdmaev_record *rec);
u64 rdmaev_burst_process(struct rdmaev_dev *dev, struct rdmaev_record *rec,
			 u32 payer);
void rdmaev_burst_end(u32 generation);

/* Module parameter burst_ms; 0: never fold */
extern unsigned int rdmaev_burst_ms;

/*
 * Can repetitions of an event of the kernel be folded? The device's handler does
 * not know the object.
 */
static inline bool rdmaev_is_foldable(const struct rdmaev_record *rec)
{
	if (rec->source == RDMAEV_SOURCE_HANDLER)
		return rec->code == IB_EVENT_GID_CHANGE;
	return rec->kind == RDMAEV_KIND_ASYNC &&
	       rec->severity == RDMAEV_SEVERITY_INFO &&
	       rec->body.info.known & RDMAEV_KNOWN_OBJECT;
}

/*
 * Is it another event of an object of a ULP? It is not folded unless the ULP has used up
 * its share of records.
 */
static inline bool rdmaev_is_of_ulp(const struct rdmaev_record *rec)
{
	return rec->source != RDMAEV_SOURCE_HANDLER &&
	       rec->ring != RDMAEV_RING_USER && !rdmaev_is_foldable(rec);
}

/**
 * rdmaev_burst_append - record an event, or count it: with its burst, or above
 * what its payer, or the ULP, may cause
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(); with a count of 1, but for kind WC. An event of
 *	kind ASYNC, QP, CM or WC
 * @payer: of RDMAEV_RING_USER: who pays for the process, see &struct
 *	rdmaev_owner
 *
 * Context: as rdmaev_append().
 *
 * Return: seq of the record; of an event that is counted, that of the first record
 * of its burst, or 0. Also set in @rec.
 */
static inline u64 rdmaev_burst_append(struct rdmaev_dev *dev,
				      struct rdmaev_record *rec, u32 payer)
{
	/* The device's handler, which is compiled for its own, has none of these. */
	bool is_user = rec->source != RDMAEV_SOURCE_HANDLER &&
		       rec->ring == RDMAEV_RING_USER;

	if (is_user)
		return rdmaev_burst_process(dev, rec, payer);
	if (rdmaev_is_foldable(rec) && READ_ONCE(rdmaev_burst_ms))
		return rdmaev_burst_fold(dev, rec);
	if (rdmaev_is_of_ulp(rec))
		return rdmaev_burst_ulp(dev, rec);
	return rdmaev_append(dev, rec);
}

u64 rdmaev_burst_append_of(struct rdmaev_record *rec);

#endif /* RDMAEV_BURST_H */
