// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* One CQ: its counters, its records, and what lists say of it. */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "cq.h"
#include "device/access.h"
#include "device/count.h"
#include "device/device_table.h"
#include "log/catalogue.h"
#include "log/log.h"
#include "ulp_table.h"

/** rdmaev_cq_generation - get the generation of the device, 0 if unknown */
u32 rdmaev_cq_generation(struct rdmaev_cq_state *cq)
{
	u32 generation = READ_ONCE(cq->generation);

	/* The core may have added the device to the ULP before rdmaev. */
	if (unlikely(!generation && cq->ib)) {
		generation = rdmaev_device_generation(cq->ib);
		WRITE_ONCE(cq->generation, generation);
	}
	return generation;
}

/** rdmaev_cq_set_number - set the number in RDMA netlink; 0 if it has none */
void rdmaev_cq_set_number(struct rdmaev_cq_state *cq,
			  const struct ib_cq *ib_cq)
{
	const struct rdma_restrack_entry *res = &ib_cq->res;

	cq->has_number = res->valid && !rdmaev_is_hidden(res);
	cq->number = cq->has_number ? res->id : 0;
}

static void cq_sum_add(struct rdmaev_cq_counts *sum,
		       const struct rdmaev_cq_counts *counts)
{
	unsigned long last = READ_ONCE(counts->last);
	int i;

	for (i = 0; i < RDMAEV_OPCODES; i++)
		sum->completions[i] += READ_ONCE(counts->completions[i]);
	sum->polls += READ_ONCE(counts->polls);
	sum->empty_polls += READ_ONCE(counts->empty_polls);
	sum->notifications += READ_ONCE(counts->notifications);
	if (!sum->last || (last && time_after(last, sum->last)))
		sum->last = last;
}

/** rdmaev_cq_sum - sum up the counters of all CPUs; interrupts are on */
void rdmaev_cq_sum(const struct rdmaev_cq_state *cq,
		   struct rdmaev_cq_counts *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	if (cq->plain) {
		cq_sum_add(sum, &cq->plain->counts);
		sum->notifications = atomic64_read(&cq->plain->notifications);
		return;
	}
	for_each_possible_cpu(cpu)
		cq_sum_add(sum, per_cpu_ptr(cq->counts, cpu));
}

/** rdmaev_cq_successes - sum up the successful completions in counters */
u64 rdmaev_cq_successes(const struct rdmaev_cq_counts *sum)
{
	u64 successes = 0;
	int i;

	for (i = 0; i < RDMAEV_OPCODES; i++)
		successes += sum->completions[i];
	return successes;
}

/** rdmaev_cq_failures - sum up unsuccessful completions; in any context */
u64 rdmaev_cq_failures(const struct rdmaev_cq_state *cq)
{
	u64 failures = 0;
	int i;

	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		failures += atomic64_read(&cq->failures[i]);
	return failures;
}

/**
 * rdmaev_cq_append - append a record about a CQ
 * @cq: CQ
 * @code: &enum rdmaev_completion_code
 * @count: count of the record
 * @cause: seq of the record that it follows from
 * @body: body, complete except for the name of the ULP, which is filled in
 *
 * Context: any but NMI.
 *
 * Return: seq of the record, 0 if the ULP is not registered.
 */
u64 rdmaev_cq_append(struct rdmaev_cq_state *cq, u16 code, u32 count, u64 cause,
		     struct rdmaev_completion_body *body)
{
	struct rdmaev_record rec = {
		.cause = cause,
		.device = cq->device,
		.generation = rdmaev_cq_generation(cq),
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_COMPLETION,
		.source = cq->plain ? RDMAEV_SOURCE_OBSERVER :
				      RDMAEV_SOURCE_ULP,
		.object = cq->number,
		.count = count,
	};

	if (!rdmaev_ulp_is_registered(cq->ulp))
		return 0;
	rdmaev_record_set_code(&rec, code);
	body->info.known = cq->has_number ? RDMAEV_KNOWN_OBJECT : 0;
	memcpy(body->info.owner, cq->ulp->name, sizeof(body->info.owner));
	rec.body.completion = *body;
	return rdmaev_append_of(&rec);
}

/**
 * rdmaev_cq_fill - describe a CQ in a list
 * @entry: filled in
 * @cq: CQ, in the table, whose lock is held
 */
void rdmaev_cq_fill(struct rdmaev_cq_stats *entry, struct rdmaev_cq_state *cq)
{
	struct rdmaev_cq_counts sum;
	u64 now = ktime_get_boot_fast_ns();
	int i;

	memset(entry, 0, sizeof(*entry));
	entry->id = cq->id;
	entry->device = cq->device;
	entry->generation = rdmaev_cq_generation(cq);
	entry->cq = cq->number;
	if (cq->has_number)
		entry->flags |= RDMAEV_CQ_NUMBERED;
	if (cq->plain)
		entry->flags |= RDMAEV_CQ_OBSERVED;
	if (cq->owner) {
		entry->flags |= RDMAEV_CQ_USER;
		entry->pid = rdmaev_owner_pid(cq->owner);
		/* The overflow user, if it is unknown */
		entry->uid = from_kuid_munged(&init_user_ns,
					      KUIDT_INIT(cq->owner->uid));
	}
	if (cq->pub.kind == RDMAEV_CQ_KIND_ATTACHED)
		entry->flags |= RDMAEV_CQ_ATTACHED;
	if (test_bit(RDMAEV_POLL_STALLED, &cq->poll_flags))
		entry->flags |= RDMAEV_CQ_STALLED;
	if (READ_ONCE(cq->notify.every))
		entry->flags |= RDMAEV_CQ_NOTIFIED;
	entry->cqs = !READ_ONCE(cq->is_ended);
	entry->cqe = cq->plain ? READ_ONCE(cq->cqe) : cq->pub.cq->cqe;
	entry->since_ns = cq->since_ns;

	/* Failures newer than the seq of the list may be included: harmless. */
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		entry->failures[i] = atomic64_read(&cq->failures[i]);
	rdmaev_cq_sum(cq, &sum);
	if (sum.last)
		entry->last_ns = max(now - jiffies64_to_nsecs(jiffies - sum.last),
				     cq->since_ns);
	entry->notifications = sum.notifications;
	entry->polls = sum.polls;
	entry->empty_polls = sum.empty_polls;
	memcpy(entry->completions, sum.completions, sizeof(sum.completions));
	/* The name of CQs of the core's pool. The ULP of a shared one may be gone. */
	strscpy(entry->owner, cq->is_shared ? "ib_core" : cq->ulp->name,
		sizeof(entry->owner));
}

/** rdmaev_cq_stats_add - add the counters of an entry to a sum */
void rdmaev_cq_stats_add(struct rdmaev_cq_stats *sum,
			 const struct rdmaev_cq_stats *entry)
{
	int i;

	sum->cqs += entry->cqs;
	sum->last_ns = max(sum->last_ns, entry->last_ns);
	sum->notifications += entry->notifications;
	sum->polls += entry->polls;
	sum->empty_polls += entry->empty_polls;
	for (i = 0; i < RDMAEV_OPCODES; i++)
		sum->completions[i] += entry->completions[i];
	for (i = 0; i < RDMAEV_WC_STATUSES; i++)
		sum->failures[i] += entry->failures[i];
}
