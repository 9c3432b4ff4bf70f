// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of ULPs: polling, and its counters.
 *
 * Polling successful completions takes no lock, and writes only to memory of
 * this CPU.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "object/cq.h"
#include "object/cq_stall.h"
#include "object/wc.h"

/*
 * At most 15 instructions for a success, including its share of a poll of 16.
 */
static __always_inline void
cq_count_wc(struct rdmaev_cq_state *cq,
	    struct rdmaev_cq_counts __percpu *counts, const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		this_cpu_inc(counts->completions[rdmaev_wc_opcode(wc)]);
	else
		rdmaev_wc_failed(cq, wc);
}

static __always_inline void cq_count_poll(struct rdmaev_cq_state *cq,
					  const struct ib_wc *wc, int n)
{
	struct rdmaev_cq_counts __percpu *counts = cq->counts;
	int i;

	this_cpu_inc(counts->polls);
	this_cpu_write(counts->last, jiffies);
	for (i = 0; i < n; i++)
		cq_count_wc(cq, counts, &wc[i]);
}

int rdmaev_poll_cq(struct rdmaev_cq *rcq, int num_entries, struct ib_wc *wc)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	bool notified = unlikely(READ_ONCE(cq->poll_flags)) &&
			rdmaev_cq_begin_poll(cq);
	int n = ib_poll_cq(rcq->cq, num_entries, wc);

	cq_count_poll(cq, wc, n);
	if (unlikely(notified) && !n)
		this_cpu_inc(cq->counts->empty_polls);
	return n;
}
EXPORT_SYMBOL_GPL(rdmaev_poll_cq);

void rdmaev_count_wc(struct rdmaev_cq *rcq, const struct ib_wc *wc)
{
	struct rdmaev_cq_state *cq = rdmaev_to_state(rcq);
	struct rdmaev_cq_counts __percpu *counts = cq->counts;

	/* Same as cq_count_wc(), but shorter. */
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		rdmaev_wc_failed(cq, wc);
		return;
	}
	this_cpu_inc(counts->completions[rdmaev_wc_opcode(wc)]);
	this_cpu_write(counts->last, jiffies);
}
EXPORT_SYMBOL_GPL(rdmaev_count_wc);

void rdmaev_count_poll(struct rdmaev_cq *rcq, const struct ib_wc *wc, int n)
{
	cq_count_poll(rdmaev_to_state(rcq), wc, n);
}
EXPORT_SYMBOL_GPL(rdmaev_count_poll);
