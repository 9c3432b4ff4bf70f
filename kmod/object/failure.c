// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Failed completions of QPs: the first has a record, those that are flushed after it are
 * counted, see cause.c.
 */
#include <rdma/ib_verbs.h>

#include "cause.h"
#include "cause_table.h"
#include "device/burst.h"
#include "failure.h"

/* Keep the first completion that has no record of its own. */
static void cause_keep_first(struct cause *c, const struct rdmaev_record *rec,
			     bool is_flush)
{
	/* A flushed completion takes precedence over others. */
	if (cause_flushed(c) || (c->folded && !is_flush))
		return;
	c->source = rec->source;
	c->port = rec->port;
	c->code = rec->code;
	c->first = rec->body.wc;
}

static void cause_note_wc(struct rdmaev_record *rec, struct list_head *of_cq)
{
	bool is_flush = rec->code == IB_WC_WR_FLUSH_ERR;
	struct cause *c = cause_find_qp(rec);
	bool is_first;
	u64 seq;

	/* The previous failure was recorded and closed: this is a new one. */
	if (c && !is_flush && c->is_recorded && !c->is_open) {
		rdmaev_cause_drop(c);
		c = NULL;
	}
	if (!c)
		c = cause_begin_qp(rec, 0);
	is_first = !c->is_open;
	rdmaev_cause_reopen(c, of_cq);
	/* The QP continues after this status, so it rdmaev_causes no later failure. */
	if (rec->code == IB_WC_REM_ABORT_ERR && is_first) {
		rdmaev_burst_append_of(rec);
		return;
	}
	if (!is_flush && !c->is_recorded && rec->code != IB_WC_REM_ABORT_ERR) {
		/* Earlier REM_ABORT_ERRs do not follow from this one. */
		if (c->folded) {
			rdmaev_cause_close(c);
			rdmaev_cause_reopen(c, of_cq);
		}
		if (rec->code == IB_WC_RETRY_EXC_ERR)
			rec->cause = rdmaev_cause_of_port(rec);
		seq = rdmaev_burst_append_of(rec);
		if (seq || c->is_requested)
			c->seq = seq;
		c->is_counted = !c->seq;
		c->is_recorded = true;
		c->is_requested = false;
		return;
	}
	cause_keep_first(c, rec, is_flush);
	/*
	 * Pairs with atomic64_read_acquire() in rdmaev_cause_count_flush(),
	 * which counts the following ones without the lock.
	 */
	if (is_flush)
		atomic64_inc_return(&c->flow);
	else
		c->folded++;
	if (cause_flushed(c) == U32_MAX ||
	    time_after(jiffies, c->opened + CAUSE_LONG))
		rdmaev_cause_close(c);
}

/**
 * rdmaev_cause_wc - record a failed completion, or count it with its QP
 * @rec: record about the QP, or about the CQ if the QP is unknown
 * @of_cq: rdmaev_causes of the CQ that it was polled from, for rdmaev_cause_end_cq()
 *
 * A ULP must be, or have been, registered.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_wc(struct rdmaev_record *rec, struct list_head *of_cq)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
	cause_note_wc(rec, of_cq);
	raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
}

/**
 * rdmaev_cause_count_flush - count a flushed request of a QP, without a lock
 * @device: index of the device
 * @generation: generation of the device
 * @object_type: object type, as in its record
 * @object: number, as in its record
 *
 * A concurrent change may give an entry to another object. Closing an entry
 * changes the upper half of @flow, so the increment counts only if @flow has
 * not changed since before @key was read. Missing an entry is harmless:
 * rdmaev_cause_wc() finds it.
 *
 * Context: any but NMI.
 *
 * Return: false if this is the first request, or if it needs the lock for
 * another reason: call rdmaev_cause_wc() then.
 */
bool rdmaev_cause_count_flush(u32 device, u32 generation, u8 object_type,
			      u32 object)
{
	struct cause_key key = cause_key(device, generation, object_type,
					 object, true, 0);
	unsigned long now = jiffies;
	struct cause *c;
	s64 flow;

	/* Pairs with smp_store_release() in rdmaev_cause_begin(). */
	for (c = READ_ONCE(*cause_bucket(&key)); c;
	     c = READ_ONCE(c->next)) {
		/*
		 * Pairs with atomic64_inc_return() in cause_note_wc(): the key
		 * is read after the count.
		 */
		flow = atomic64_read_acquire(&c->flow);
		if (!cause_is_of(c, &key))
			continue;
		if (!(u32)flow || (u32)flow == U32_MAX ||
		    time_after(now, READ_ONCE(c->opened) + CAUSE_LONG))
			return false;
		if (READ_ONCE(c->last) != now)
			WRITE_ONCE(c->last, now);
		return atomic64_try_cmpxchg(&c->flow, &flow, flow + 1);
	}
	return false;
}

/**
 * rdmaev_cause_end_cq - record flushed requests before a CQ is destroyed
 * @of_cq: as of rdmaev_cause_wc()
 */
void rdmaev_cause_end_cq(struct list_head *of_cq)
{
	unsigned long flags;
	struct cause *c;

	/* One at a time: there may be many, and interrupts are off. */
	do {
		raw_spin_lock_irqsave(&rdmaev_cause_lock, flags);
		c = list_first_entry_or_null(of_cq, struct cause, of);
		if (c)
			rdmaev_cause_drop(c);
		raw_spin_unlock_irqrestore(&rdmaev_cause_lock, flags);
	} while (c);
}
