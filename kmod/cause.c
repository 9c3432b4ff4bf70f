// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What went wrong lately with CQs, SRQs and ports, that QPs may fail from.
 *
 * Every QP of a CQ or SRQ that failed follows with QP_FATAL, at once. So the
 * newest CAUSES such errors are enough, however many QPs there are. Where more
 * fail at a time, the QP_FATAL of those forgotten have no cause. Some drivers
 * go on after CQ_ERR (soft RoCE, siw): what fails much later has its own cause.
 *
 * Those of ports are kept apart: they are rare, and matter for longer.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "cause.h"

#define CAUSES		64
#define CAUSE_MAX_NS	(5 * NSEC_PER_SEC)

/*
 * @next: where the next one goes, over the oldest
 * @list: empty entries have seq 0
 */
struct causes {
	unsigned int next;
	struct cause {
		u64 seq;
		u64 boottime_ns;
		u32 generation;
		u32 object;
		u8 object_type;
	} list[CAUSES];
};

/* Protects both. Raw, and with interrupts off, as events come in hard interrupt. */
static DEFINE_RAW_SPINLOCK(lock);
static struct causes objects, ports;

static void note(struct causes *causes, const struct rdmaev_record *rec,
		 u32 object)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	causes->list[causes->next++ % CAUSES] = (struct cause) {
		.seq = rec->seq,
		.boottime_ns = rec->boottime_ns,
		.generation = rec->generation,
		.object = object,
		.object_type = rec->object_type,
	};
	raw_spin_unlock_irqrestore(&lock, flags);
}

/**
 * rdmaev_cause_note - keep the error of a CQ or SRQ in mind
 * @rec: its record, appended
 *
 * One of which number or device is not known is left out: it could be taken for
 * another.
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note(const struct rdmaev_record *rec)
{
	if (rec->generation && rec->body.async.known & RDMAEV_KNOWN_OBJECT)
		note(&objects, rec, rec->object);
}

/**
 * rdmaev_cause_note_port - keep in mind that a port left ACTIVE
 * @rec: record of the event, appended
 *
 * Context: any but NMI.
 */
void rdmaev_cause_note_port(const struct rdmaev_record *rec)
{
	if (rec->port)
		note(&ports, rec, rec->port);
}

static bool is_related(const struct cause *cause,
		       const struct rdmaev_record *rec)
{
	const struct rdmaev_async_body *body = &rec->body.async;

	if (cause->object_type == RDMAEV_OBJECT_PORT)
		return cause->object == rec->port;
	if (cause->object_type == RDMAEV_OBJECT_SRQ)
		return body->known & RDMAEV_KNOWN_SRQ &&
		       body->srq == cause->object;
	return (body->known & RDMAEV_KNOWN_SEND_CQ &&
		body->send_cq == cause->object) ||
	       (body->known & RDMAEV_KNOWN_RECV_CQ &&
		body->recv_cq == cause->object);
}

static u64 find(const struct causes *causes, const struct rdmaev_record *rec,
		u64 since, u64 max_ns)
{
	u64 oldest = ktime_get_boot_fast_ns() - max_ns;
	unsigned long flags;
	u64 seq = 0;
	int i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < CAUSES; i++) {
		const struct cause *cause = &causes->list[i];

		/* The clock may be younger than that. */
		if (cause->seq > since && cause->seq > seq &&
		    cause->generation == rec->generation &&
		    (s64)(cause->boottime_ns - oldest) > 0 &&
		    is_related(cause, rec))
			seq = cause->seq;
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return seq;
}

/**
 * rdmaev_cause_find - what a QP may have failed from
 * @rec: record about the QP, with the related numbers
 * @since: what has this seq or an older one was before the QP. Numbers are
 *	given again, but not while a QP uses what they stand for
 *
 * Context: any but NMI.
 *
 * Return: seq of the newest error of one of its CQs or its SRQ, not longer ago
 * than CAUSE_MAX_NS; 0 if there is none, or if it is being recorded.
 */
u64 rdmaev_cause_find(const struct rdmaev_record *rec, u64 since)
{
	return find(&objects, rec, since, CAUSE_MAX_NS);
}

/**
 * rdmaev_cause_find_port - when a port left ACTIVE
 * @rec: record about a QP, with the port
 * @max_ns: not longer ago than that
 *
 * Context: any but NMI.
 *
 * Return: seq of the newest PORT_ERR, 0 if there is none.
 */
u64 rdmaev_cause_find_port(const struct rdmaev_record *rec, u64 max_ns)
{
	return find(&ports, rec, 0, max_ns);
}
