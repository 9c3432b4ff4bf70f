/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects of the observer's own, to see whether it sees them */
#ifndef OBSERVE_TRIAL_H
#define OBSERVE_TRIAL_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct ib_device;

/* What is to be seen of them */
#define OBSERVE_TRY_CREATE_CQ	BIT(0)	/* operation */
#define OBSERVE_TRY_CREATE_QP	BIT(1)	/* operation */
#define OBSERVE_TRY_MODIFY_QP	BIT(2)	/* operation */
#define OBSERVE_TRY_QUERY_QP	BIT(3)	/* operation */
#define OBSERVE_TRY_DESTROY_QP	BIT(4)	/* operation */
#define OBSERVE_TRY_POLL_CQ	BIT(5)	/* operation */
#define OBSERVE_TRY_NOTIFY	BIT(6)	/* tracepoint, of a CQ that the core polls */
#define OBSERVE_TRY_CORE_POLL	BIT(7)	/* tracepoint, likewise */
#define OBSERVE_TRY_CQ_HANDLER	BIT(8)	/* hook, before the handler of a CQ is known */
#define OBSERVE_TRY_QP_HANDLER	BIT(9)	/* hook, likewise of a QP */

/* OBSERVE_TRY_*: what was seen. Its address is the context of the objects. */
extern u32 observe_trial_seen;

/*
 * Is it an object of the trial? Then that was seen, and is nothing to report. By one thread
 * at a time, as the trial waits for each.
 */
static inline bool observe_is_trial(const void *context, u32 what)
{
	if (likely(context != &observe_trial_seen))
		return false;
	WRITE_ONCE(observe_trial_seen, READ_ONCE(observe_trial_seen) | what);
	return true;
}

void observe_trial(struct ib_device *ib, u32 what);
u32 observe_trial_unseen(void);

#endif /* OBSERVE_TRIAL_H */
