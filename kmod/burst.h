/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bursts: one record for all repetitions of an asynchronous event */
#ifndef RDMAEV_BURST_H
#define RDMAEV_BURST_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "count.h"

int rdmaev_burst_init(void);
void rdmaev_burst_exit(void);

u64 rdmaev_burst_fold(struct rdmaev_dev *dev, struct rdmaev_record *rec);
void rdmaev_burst_end(u32 generation);

/* Module parameter burst_ms; 0: never fold */
extern unsigned int rdmaev_burst_ms;

/* Can repetitions be folded? The device's handler does not know the object. */
static inline bool rdmaev_is_foldable(const struct rdmaev_record *rec)
{
	if (rec->source == RDMAEV_SOURCE_HANDLER)
		return rec->code == IB_EVENT_GID_CHANGE;
	return rec->severity == RDMAEV_SEVERITY_INFO &&
	       rec->body.info.known & RDMAEV_KNOWN_OBJECT;
}

/**
 * rdmaev_burst_append - record an asynchronous event, or count it with its
 * burst
 * @dev: as for rdmaev_append()
 * @rec: as for rdmaev_append(), with a count of 1
 *
 * Context: as rdmaev_append().
 *
 * Return: seq of the record, or of the first record of the burst; also set in
 * @rec.
 */
static inline u64 rdmaev_burst_append(struct rdmaev_dev *dev,
				      struct rdmaev_record *rec)
{
	if (rdmaev_is_foldable(rec) && READ_ONCE(rdmaev_burst_ms))
		return rdmaev_burst_fold(dev, rec);
	return rdmaev_append(dev, rec);
}

#endif /* RDMAEV_BURST_H */
