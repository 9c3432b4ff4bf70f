/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects that exist already when the observer is loaded, and those of the trial */
#ifndef OBSERVE_EXISTING_H
#define OBSERVE_EXISTING_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/restrack.h>

struct ib_device;

/* What to report of them */
#define OBSERVE_EXISTING_STATES		BIT(0)	/* of QPs */
#define OBSERVE_EXISTING_QP_HANDLERS	BIT(1)	/* of ULPs */
#define OBSERVE_EXISTING_HANDLERS	BIT(2)	/* of their CQs and SRQs */
#define OBSERVE_EXISTING_OWNERS		BIT(3)	/* of objects of processes */

int observe_existing(unsigned int what, u32 try);
void observe_existing_again(bool all, s64 from, s64 try_from, u32 blind);
bool observe_existing_is_pending(void);
void observe_existing_stop(void);
void observe_existing_end(const struct ib_device *ib,
			  enum rdma_restrack_type type);

#endif /* OBSERVE_EXISTING_H */
