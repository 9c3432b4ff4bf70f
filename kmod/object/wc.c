// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Failed completions: which of them are the ULP's, and the contents of their
 * records. cause.c decides when to record one, and what it follows from.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/string.h>

#include "failure.h"
#include "cq.h"
#include "cq_table.h"
#include "log/catalogue.h"
#include "object.h"
#include "qp.h"
#include "symbol.h"
#include "ulp_table.h"
#include "wc.h"

static siphash_key_t wr_id_key;

/*
 * By enum ib_wc_opcode, which fits in a byte. All others are RDMAEV_OPCODE_OTHER,
 * which is 0.
 */
const u8 rdmaev_wc_opcodes[U8_MAX + 1] = {
	[IB_WC_SEND] = RDMAEV_OPCODE_SEND,
	[IB_WC_RDMA_WRITE] = RDMAEV_OPCODE_WRITE,
	[IB_WC_RDMA_READ] = RDMAEV_OPCODE_READ,
	[IB_WC_COMP_SWAP] = RDMAEV_OPCODE_ATOMIC,
	[IB_WC_FETCH_ADD] = RDMAEV_OPCODE_ATOMIC,
	[IB_WC_BIND_MW] = RDMAEV_OPCODE_MEMORY,
	[IB_WC_LOCAL_INV] = RDMAEV_OPCODE_MEMORY,
	[IB_WC_LSO] = RDMAEV_OPCODE_SEND,
	[IB_WC_REG_MR] = RDMAEV_OPCODE_MEMORY,
	[IB_WC_MASKED_COMP_SWAP] = RDMAEV_OPCODE_ATOMIC,
	[IB_WC_MASKED_FETCH_ADD] = RDMAEV_OPCODE_ATOMIC,
	[IB_WC_RECV] = RDMAEV_OPCODE_RECV,
	[IB_WC_RECV_RDMA_WITH_IMM] = RDMAEV_OPCODE_RECV_IMM,
};

/*
 * Verbs define no opcode for a failed completion, and no driver must provide a
 * vendor error: many leave the caller's array as it was. The drivers listed
 * here write the field in each completion (verified in the source of Linux 5.10
 * and 6.1); the field is not recorded for other drivers.
 */
static bool wc_has_opcode(enum rdma_driver_id driver)
{
	switch (driver) {
	case RDMA_DRIVER_BNXT_RE:
	case RDMA_DRIVER_CXGB4:
	case RDMA_DRIVER_HFI1:
	case RDMA_DRIVER_I40IW:		/* irdma, too */
	case RDMA_DRIVER_QIB:
	case RDMA_DRIVER_SIW:
	case RDMA_DRIVER_VMW_PVRDMA:
		return true;
	default:
		return false;
	}
}

static bool wc_has_vendor_err(enum rdma_driver_id driver)
{
	switch (driver) {
	case RDMA_DRIVER_BNXT_RE:
	case RDMA_DRIVER_CXGB4:
	case RDMA_DRIVER_HNS:
	case RDMA_DRIVER_I40IW:		/* irdma, too */
	case RDMA_DRIVER_MLX4:
	case RDMA_DRIVER_MLX5:
	case RDMA_DRIVER_MTHCA:
	case RDMA_DRIVER_VMW_PVRDMA:
		return true;
	default:
		return false;
	}
}

/*
 * Return the QP of a completion if the ULP guarantees that it exists
 * (RDMAEV_CQ_NAME_QP), else NULL. A failed completion in a CQ that no QP uses
 * shows that the ULP broke the guarantee.
 */
static const struct ib_qp *wc_qp(const struct rdmaev_cq_state *cq,
				 const struct ib_wc *wc)
{
	if (!(cq->flags & RDMAEV_CQ_NAME_QP))
		return NULL;
	if (likely(atomic_read(&cq->pub.cq->usecnt)))
		return wc->qp;
	pr_warn_once("%s: failed completion of a destroyed QP in a CQ of %*pE, which sets RDMAEV_CQ_NAME_QP and must drain QPs before destroying them\n",
		     dev_name(&cq->ib->dev),
		     (int)strnlen(cq->ulp->name, sizeof(cq->ulp->name)),
		     cq->ulp->name);
	return NULL;
}

/* A CQ that is only the receive CQ of its QP has completions of receives. */
static bool wc_is_recv(const struct rdmaev_cq_state *cq, const struct ib_qp *qp,
		       const struct rdmaev_wc_body *body)
{
	if (qp)
		return qp->recv_cq == cq->pub.cq && qp->send_cq != cq->pub.cq;
	return cq->has_number && body->info.known & RDMAEV_KNOWN_SEND_CQ &&
	       body->info.known & RDMAEV_KNOWN_RECV_CQ &&
	       body->queues.recv_cq == cq->number && body->queues.send_cq != cq->number;
}

static unsigned int wc_opcode(const struct rdmaev_cq_state *cq,
			      const struct ib_wc *wc, const struct ib_qp *qp,
			      const struct rdmaev_wc_body *body)
{
	if (wc_has_opcode(cq->pub.cq->device->ops.driver_id))
		return rdmaev_wc_opcode(wc);
	return wc_is_recv(cq, qp, body) ? RDMAEV_OPCODE_RECV : RDMAEV_OPCODE_OTHER;
}

/*
 * Fill in the QP of a completion, or else its CQ. Without a promise of the ULP
 * wc->qp is a key, see qp.c.
 */
static void wc_describe_object(struct rdmaev_record *rec,
			       const struct rdmaev_cq_state *cq,
			       const struct ib_wc *wc, const struct ib_qp *qp)
{
	if (qp) {
		rec->object_type = RDMAEV_OBJECT_QP;
		rdmaev_describe_qp(rec, qp);
		rdmaev_describe_qp_state(rec, qp);
	} else if (!cq->plain || !cq->has_number ||
		   !rdmaev_qp_describe_known(rec, wc->qp, cq->number)) {
		rec->object_type = RDMAEV_OBJECT_CQ;
		rec->object = cq->number;
		if (cq->has_number)
			rec->body.info.known |= RDMAEV_KNOWN_OBJECT;
	}
}

static void wc_describe(struct rdmaev_record *rec, struct rdmaev_cq_state *cq,
			const struct ib_wc *wc, const struct ib_qp *qp)
{
	struct rdmaev_wc_body *body = &rec->body.wc;

	wc_describe_object(rec, cq, wc, qp);
	body->cq = cq->number;
	if (cq->has_number)
		body->info.known |= RDMAEV_KNOWN_CQ;
	if (wc_has_vendor_err(cq->pub.cq->device->ops.driver_id))
		body->vendor_err = wc->vendor_err;
	body->opcode = wc_opcode(cq, wc, qp, body);
	body->wr_id = wc->wr_id;
	/*
	 * The wr_ids of ib_drain_qp() are addresses in any case: never show
	 * them.
	 */
	if (cq->flags & RDMAEV_CQ_PUBLIC_WR_ID && (s64)wc->wr_id >= 0)
		body->info.known |= RDMAEV_KNOWN_WR_ID;
	else
		body->wr_id = siphash_1u64(wc->wr_id, &wr_id_key);
	/* The PD of a QP names its ULP, better than the CQ, which may be shared. */
	if (!body->info.owner[0])
		memcpy(body->info.owner, cq->ulp->name, sizeof(body->info.owner));
}

static noinline void wc_record(struct rdmaev_cq_state *cq,
			       const struct ib_wc *wc, const struct ib_qp *qp)
{
	struct rdmaev_record rec = {
		.device = cq->device,
		.generation = rdmaev_cq_generation(cq),
		.port = RDMAEV_NO_PORT,
		.kind = RDMAEV_KIND_WC,
		.source = cq->plain ? RDMAEV_SOURCE_OBSERVER :
				      RDMAEV_SOURCE_ULP,
		.count = 1,
	};

	rdmaev_record_set_code(&rec, wc->status);
	wc_describe(&rec, cq, wc, qp);
	rdmaev_cause_wc(&rec, &cq->causes);
}

/*
 * Count a flushed request without a lock, except for that of the table of QPs
 * in an observed CQ: there can be a million at a time. Returns false if it was
 * not counted.
 */
static bool wc_count_flush(struct rdmaev_cq_state *cq, const struct ib_wc *wc,
			   const struct ib_qp *qp)
{
	u8 type = RDMAEV_OBJECT_QP;
	u32 number;

	if (qp) {
		number = qp->qp_num;
	} else if (!cq->plain || !cq->has_number ||
		   !rdmaev_qp_known_number(wc->qp, cq->device, cq->number, &number)) {
		type = RDMAEV_OBJECT_CQ;
		number = cq->number;
	}
	return rdmaev_cause_count_flush(cq->device, rdmaev_cq_generation(cq),
					type, number);
}

/*
 * A drain request is posted on the stack of the thread that waits for its
 * done(), so it exists as the ULP's own requests do.
 */
static bool wc_is_drain(struct rdmaev_cq_state *cq, const struct ib_wc *wc)
{
	return cq->flags & RDMAEV_CQ_WR_CQE && wc->wr_cqe &&
	       rdmaev_symbol_roles(wc->wr_cqe->done) & RDMAEV_SYMBOL_DRAIN;
}

/**
 * rdmaev_wc_failed - count a failed completion, and record it
 * @cq: where it was polled
 * @wc: completion; nothing happens if it is that of a drain request
 *
 * Context: any but NMI.
 */
void rdmaev_wc_failed(struct rdmaev_cq_state *cq, const struct ib_wc *wc)
{
	unsigned int status = wc->status;
	const struct ib_qp *qp;

	if (cq->counts)
		this_cpu_write(cq->counts->last, jiffies);
	if (wc_is_drain(cq, wc))
		return;
	/*
	 * Before the record is appended: its reader finds the failure counted.
	 */
	atomic64_inc(&(cq->first ?: cq)->failures[min_t(unsigned int, status,
							RDMAEV_WC_STATUSES - 1)]);
	if (!rdmaev_ulp_is_registered(cq->ulp))
		return;
	qp = wc_qp(cq, wc);
	if (status != IB_WC_WR_FLUSH_ERR || !wc_count_flush(cq, wc, qp))
		wc_record(cq, wc, qp);
}

/** rdmaev_wc_init - initialize; call before the first CQ is created */
void rdmaev_wc_init(void)
{
	get_random_bytes(&wr_id_key, sizeof(wr_id_key));
}
