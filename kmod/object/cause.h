/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The way of a record from its source, with its cause: failures of QPs, errors of CQs and
 * SRQs, ports that left ACTIVE.
 */
#ifndef RDMAEV_CAUSE_H
#define RDMAEV_CAUSE_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "device/burst.h"

struct rdmaev_dev;

/* What a record may follow from */
enum rdmaev_cause_from {
	CAUSE_FROM_NOTHING,
	CAUSE_FROM_QUEUE,	/* an error of the QP's CQs or SRQ */
	CAUSE_FROM_FAILURE,	/* the failure of the QP, once */
	CAUSE_FROM_END,		/* what ended the QP, or its connection, before */
	CAUSE_FROM_REMOVAL,	/* the removal of the device */
};

/* What may follow from a record */
enum rdmaev_cause_opens {
	CAUSE_OPENS_NOTHING,
	CAUSE_OPENS_QUEUE,	/* a CQ or SRQ has failed */
	CAUSE_OPENS_FAILURE,	/* the QP has failed */
	CAUSE_OPENS_MOVE,	/* the QP was moved to ERR */
	CAUSE_OPENS_CONNECTION,	/* the connection has ended */
};

/**
 * struct rdmaev_cause_rule - what a record may follow from, and what may follow from it
 * @from: &enum rdmaev_cause_from
 * @opens: &enum rdmaev_cause_opens
 * @known: severity if it is known what it follows from; 0: as it is
 */
struct rdmaev_cause_rule {
	u8 from;
	u8 opens;
	u8 known;
};

/* Up to the highest number with a rule, and one for all above */
#define RDMAEV_ASYNC_RULES	(IB_EVENT_QP_LAST_WQE_REACHED + 2)

extern const struct rdmaev_cause_rule rdmaev_async_rules[RDMAEV_ASYNC_RULES];

u64 rdmaev_record(struct rdmaev_dev *dev, struct rdmaev_record *rec, u32 payer);
void rdmaev_cause_find(const struct rdmaev_dev *dev, struct rdmaev_record *rec,
		       const struct rdmaev_cause_rule *rule);
void rdmaev_cause_open(const struct rdmaev_record *rec, enum rdmaev_cause_opens opens,
		       u32 payer);
void rdmaev_cause_open_port(const struct rdmaev_record *rec);
u64 rdmaev_cause_of_port(const struct rdmaev_record *rec);
u64 rdmaev_cause_of_end(const struct rdmaev_record *rec);
u32 rdmaev_cause_flush_begin(struct rdmaev_record *rec, const struct ib_qp *qp);
void rdmaev_cause_flush(const struct rdmaev_record *rec, u32 payer);

/**
 * rdmaev_record_event - record an asynchronous event of an object, as rdmaev_record() does
 * @dev: device of the record, NULL: unknown
 * @rec: record of kind ASYNC, with a body
 * @payer: as for rdmaev_record()
 *
 * Inline: most events have no cause, and are no cause.
 *
 * Context: any but NMI, under RCU.
 */
static __always_inline void rdmaev_record_event(struct rdmaev_dev *dev,
						struct rdmaev_record *rec, u32 payer)
{
	const struct rdmaev_cause_rule *rule =
		&rdmaev_async_rules[min_t(unsigned int, rec->code, RDMAEV_ASYNC_RULES - 1)];

	if (rule->from)
		rdmaev_cause_find(dev, rec, rule);
	rdmaev_burst_append(dev, rec, payer);
	if (rule->opens)
		rdmaev_cause_open(rec, rule->opens, payer);
}

/**
 * rdmaev_record_of_handler - record an event that a device reports to event handlers
 * @dev: device
 * @rec: record of kind ASYNC, without a body: it is about no object
 *
 * Context: any but NMI.
 */
static __always_inline void rdmaev_record_of_handler(struct rdmaev_dev *dev,
						     struct rdmaev_record *rec)
{
	rdmaev_burst_append(dev, rec, 0);
	if (rec->code == IB_EVENT_PORT_ERR)
		rdmaev_cause_open_port(rec);
}

#endif /* RDMAEV_CAUSE_H */
