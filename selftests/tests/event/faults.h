/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers report of faults of a ULP. They do so differently, and often not
 * as the specification says (see `rdmaev explain --fault`). The table has what
 * was found in Linux 5.10, 6.1, 6.12 and 7.3, also where a driver reports
 * nothing, or where the fault cannot be made.
 */
#ifndef RDMAEV_TEST_FAULTS_H
#define RDMAEV_TEST_FAULTS_H

#include "sample.h"

/*
 * Soft RoCE reports QP_ACCESS_ERR since about this version, somewhere after
 * 6.12
 */
#define ACCESS_ERRS		KERNEL(7, 2)

/*
 * Soft RoCE answers all faults since about this version. That of 5.10 does not
 * answer most faults of the responder; only a timeout of the test ends these.
 */
#define ANSWERS			KERNEL(6, 1)

/* Sends that sq-drained has outstanding */
#define MANY_WR			8192

#define CQ_ERR			0
#define QP_FATAL		1
#define QP_REQ_ERR		2
#define QP_ACCESS_ERR		3
#define SQ_DRAINED		5
#define PORT_ERR		10
#define SRQ_LIMIT_REACHED	15
#define QP_LAST_WQE_REACHED	16

#define NODE_RNIC		4

#define LOC_QP_OP_ERR		2
#define WR_FLUSH_ERR		5
#define RETRY_EXC_ERR		12

#define QP	RDMAEV_OBJECT_QP
#define CQ	RDMAEV_OBJECT_CQ
#define SRQ	RDMAEV_OBJECT_SRQ

#define INFO	RDMAEV_SEVERITY_INFO
#define ERROR	RDMAEV_SEVERITY_ERROR

/* Maximum for one fault */
#define EVENTS	3

/*
 * @error: errno if the fault cannot be made
 * @wcs: all completions, in the format of the module; NULL: some sends were
 *	completed, the others flushed
 * @since, @before: kernels that behave like this, by KERNEL(); 0: all
 * @events: of an end, in this order
 */
struct fault {
	const struct sample_device *device;
	const char *name;
	const char *wcs;
	int error;
	int since, before;
	struct event {
		const char *end;
		unsigned int type;
		unsigned int code;
		unsigned int severity;
	} events[EVENTS];
};

#define ACTIVE(status, count)	"wc active send status=" #status " count=" #count "\n"
#define PASSIVE(status, count)	"wc passive recv status=" #status " count=" #count "\n"
/* The passive end may send messages, too. */
#define ANSWER(status, count)	"wc passive send status=" #status " count=" #count "\n"

static const struct fault faults[] = {
	{ &rxe, "nothing", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },
	{ &siw, "nothing", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },

	{ &rxe, "sq-drained", .events = { { "active", QP, SQ_DRAINED, INFO } } },
	/* siw has no SQD: the QP goes to Error. */
	{ &siw, "sq-drained", .events = { { "active", QP, SQ_DRAINED, INFO } } },

	{ &rxe, "srq-limit", .events = { { "passive", SRQ, SRQ_LIMIT_REACHED, INFO } },
	  .wcs = ACTIVE(0, 5) PASSIVE(0, 5), .before = KERNEL(6, 12) },
	/*
	 * QP_LAST_WQE_REACHED each time that a QP on an SRQ goes to Error, also
	 * again
	 */
	{ &rxe, "srq-limit", .wcs = ACTIVE(0, 5) PASSIVE(0, 5), .since = KERNEL(6, 12),
	  .events = { { "passive", SRQ, SRQ_LIMIT_REACHED, INFO },
		      { "passive", QP, QP_LAST_WQE_REACHED, INFO } } },
	{ &siw, "srq-limit", .events = { { "passive", SRQ, SRQ_LIMIT_REACHED, INFO } },
	  .wcs = ACTIVE(0, 5) PASSIVE(0, 5) },

	/*
	 * Both drivers: no QP_FATAL follows, and the CQ works again when it is
	 * polled.
	 */
	{ &rxe, "cq-overflow", .events = { { "active", CQ, CQ_ERR, ERROR } },
	  .wcs = ACTIVE(0, 7) },
	{ &siw, "cq-overflow", .events = { { "active", CQ, CQ_ERR, ERROR } },
	  .wcs = ACTIVE(0, 4) },

	{ &rxe, "last-wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1), .before = KERNEL(6, 12) },
	{ &rxe, "last-wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1), .since = KERNEL(6, 12),
	  .events = { { "passive", QP, QP_LAST_WQE_REACHED, INFO },
		      { "passive", QP, QP_LAST_WQE_REACHED, INFO } } },
	{ &siw, "last-wqe", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },

	/*
	 * rxe: LOC_QP_OP_ERR, siw: GENERAL_ERR and QP_ACCESS_ERR, for
	 * LOC_PROT_ERR.
	 */
	{ &rxe, "send-lkey", .wcs = ACTIVE(11, 1) PASSIVE(2, 1) },
	{ &siw, "send-lkey", .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } },
	  .wcs = ACTIVE(0, 1) PASSIVE(21, 1) },
	/*
	 * rxe: LOC_QP_OP_ERR and REM_OP_ERR, for LOC_LEN_ERR and
	 * REM_INV_REQ_ERR.
	 */
	{ &rxe, "send-length", .wcs = ACTIVE(11, 1) PASSIVE(2, 1) },
	/* siw: a message is completed when it is sent; also QP_FATAL. */
	{ &siw, "send-length", .events = { { "passive", QP, QP_FATAL, ERROR } },
	  .wcs = ACTIVE(0, 1) PASSIVE(1, 1) },
	/*
	 * rxe ignores max_msg_sz, the message arrives. The other completions
	 * are registrations of memory. Newer rxe: not posted.
	 */
	{ &rxe, "send-max-msg", .wcs = ACTIVE(0, 2) ANSWER(0, 1) PASSIVE(0, 1),
	  .before = KERNEL(6, 12) },
	{ &rxe, "send-max-msg", .error = EINVAL, .wcs = PASSIVE(5, 1),
	  .since = KERNEL(6, 12) },
	/*
	 * siw has no limit but 2^31 bytes, where its own arithmetic overflows.
	 */
	{ &siw, "send-max-msg", .events = { { "active", QP, QP_FATAL, ERROR } },
	  .wcs = ACTIVE(2, 1) PASSIVE(5, 1) },
	/*
	 * Both: REM_INV_REQ_ERR at the responder, and the requester is not
	 * notified.
	 */
	{ &rxe, "send-other", .wcs = ACTIVE(0, 1) PASSIVE(9, 1), .since = ANSWERS },
	{ &siw, "send-other", .wcs = ACTIVE(0, 1) PASSIVE(9, 1) },
	{ &rxe, "send-rnr", .wcs = ACTIVE(13, 1) },
	{ &siw, "send-rnr", .wcs = ACTIVE(0, 1) },

	/*
	 * rxe: REM_ACCESS_ERR, and QP_ACCESS_ERR in recent versions only, where
	 * no receive request can report it. This one is with an SRQ.
	 */
	{ &rxe, "write-rkey", .wcs = ACTIVE(10, 1), .since = ANSWERS, .before = KERNEL(6, 12) },
	{ &rxe, "write-rkey", .wcs = ACTIVE(10, 1), .since = KERNEL(6, 12), .before = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_LAST_WQE_REACHED, INFO },
		      { "passive", QP, QP_LAST_WQE_REACHED, INFO } } },
	{ &rxe, "write-rkey", .wcs = ACTIVE(10, 1), .since = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_ACCESS_ERR, ERROR },
		      { "passive", QP, QP_LAST_WQE_REACHED, INFO },
		      { "passive", QP, QP_LAST_WQE_REACHED, INFO } } },
	{ &rxe, "write-rkey-unknown", .wcs = ACTIVE(10, 1), .since = ANSWERS,
	  .before = ACCESS_ERRS },
	{ &rxe, "write-rkey-unknown", .wcs = ACTIVE(10, 1), .since = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } } },
	/*
	 * siw: a WRITE is completed when it is sent. An invalid STag: no event.
	 */
	{ &siw, "write-rkey", .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } },
	  .wcs = ACTIVE(0, 1) },
	{ &siw, "write-rkey-unknown", .wcs = ACTIVE(0, 1) },
	/*
	 * rxe: REM_ACCESS_ERR at both ends. siw has no immediate data: not
	 * posted.
	 */
	{ &rxe, "write-imm-rkey", .wcs = ACTIVE(10, 1) PASSIVE(10, 1) },
	{ &siw, "write-imm-rkey", .error = EINVAL, .wcs = PASSIVE(5, 1) },
	{ &rxe, "write-imm-rnr", .wcs = ACTIVE(13, 1) },
	{ &siw, "write-imm-rnr", .error = EINVAL },
	/* As with SEND. */
	{ &rxe, "write-max-msg", .wcs = ACTIVE(0, 2) ANSWER(0, 1), .before = KERNEL(6, 12) },
	{ &rxe, "write-max-msg", .error = EINVAL, .since = KERNEL(6, 12) },
	{ &siw, "write-max-msg", .events = { { "active", QP, QP_FATAL, ERROR } },
	  .wcs = ACTIVE(2, 1) },
	{ &rxe, "write-imm-max-msg", .wcs = ACTIVE(0, 2) ANSWER(0, 1) PASSIVE(0, 1),
	  .before = KERNEL(6, 12) },
	{ &rxe, "write-imm-max-msg", .error = EINVAL, .wcs = PASSIVE(5, 1),
	  .since = KERNEL(6, 12) },
	{ &siw, "write-imm-max-msg", .error = EINVAL, .wcs = PASSIVE(5, 1) },

	{ &rxe, "read-rkey", .wcs = ACTIVE(10, 1) PASSIVE(5, 1), .since = ANSWERS,
	  .before = ACCESS_ERRS },
	{ &rxe, "read-rkey", .wcs = ACTIVE(10, 1) PASSIVE(5, 1), .since = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } } },
	{ &rxe, "read-rkey-unknown", .wcs = ACTIVE(10, 1), .since = ANSWERS,
	  .before = ACCESS_ERRS },
	{ &rxe, "read-rkey-unknown", .wcs = ACTIVE(10, 1), .since = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } } },
	/* siw: QP_REQ_ERR in place of QP_ACCESS_ERR, and only a flush. */
	{ &siw, "read-rkey", .events = { { "passive", QP, QP_REQ_ERR, ERROR } },
	  .wcs = ACTIVE(5, 1) PASSIVE(5, 1) },
	{ &siw, "read-rkey-unknown", .events = { { "passive", QP, QP_REQ_ERR, ERROR } },
	  .wcs = ACTIVE(5, 1) },
	/*
	 * rxe accepts any number but 0: then REM_INV_REQ_ERR, no event. The
	 * event is for setting it. siw: the ends agree on 0, so it cannot be
	 * posted.
	 */
	{ &rxe, "read-depth", .events = { { "passive", QP, SQ_DRAINED, INFO } },
	  .wcs = ACTIVE(9, 1), .since = ANSWERS },
	{ &siw, "read-depth", .error = EINVAL },
	{ &rxe, "read-max-msg", .wcs = ACTIVE(0, 2) ANSWER(0, 1), .before = KERNEL(6, 12) },
	{ &rxe, "read-max-msg", .error = EINVAL, .since = KERNEL(6, 12) },
	{ &siw, "read-max-msg", .events = { { "passive", QP, QP_REQ_ERR, ERROR } },
	  .wcs = ACTIVE(5, 1) },

	/*
	 * siw has no atomics: not posted. rxe does not post a misaligned one.
	 */
	{ &rxe, "atomic-rkey", .wcs = ACTIVE(10, 1), .since = ANSWERS, .before = ACCESS_ERRS },
	{ &rxe, "atomic-rkey", .wcs = ACTIVE(10, 1), .since = ACCESS_ERRS,
	  .events = { { "passive", QP, QP_ACCESS_ERR, ERROR } } },
	{ &siw, "atomic-rkey", .error = EINVAL },
	{ &rxe, "atomic-depth", .events = { { "passive", QP, SQ_DRAINED, INFO } },
	  .wcs = ACTIVE(9, 1), .since = ANSWERS },
	{ &siw, "atomic-depth", .error = EINVAL },
	{ &rxe, "atomic-align", .error = EINVAL },
	{ &siw, "atomic-align", .error = EINVAL },

	/*
	 * rxe: REM_INV_REQ_ERR and no event, in place of REM_OP_ERR. siw does
	 * not check.
	 */
	{ &rxe, "other", .wcs = ACTIVE(9, 1), .since = ANSWERS },
	{ &siw, "other", .wcs = ACTIVE(0, 1) },

	{ &rxe, "local-lkey", .wcs = ACTIVE(4, 1) PASSIVE(5, 1), .before = ANSWERS },
	/* Both: LOC_QP_OP_ERR in place of LOC_PROT_ERR; siw: also QP_FATAL. */
	{ &rxe, "local-lkey", .wcs = ACTIVE(2, 1) PASSIVE(5, 1), .since = ANSWERS,
	  .before = KERNEL(6, 12) },
	/* Newer rxe: flushed without a reason. */
	{ &rxe, "local-lkey", .wcs = ACTIVE(5, 1) PASSIVE(5, 1), .since = KERNEL(6, 12) },
	{ &siw, "local-lkey", .events = { { "active", QP, QP_FATAL, ERROR } },
	  .wcs = ACTIVE(2, 1) PASSIVE(5, 1) },

	/*
	 * siw: the connection is closed, and requests posted then are flushed.
	 */
	{ &rxe, "peer-gone", .wcs = ACTIVE(12, 1) },
	{ &siw, "peer-gone", .wcs = ACTIVE(5, 1) },

	/*
	 * siw: no QP returns to Reset, so the message arrives; and all packets
	 * belong to connections.
	 */
	{ &rxe, "dropped-state", .wcs = ACTIVE(12, 1) },
	{ &siw, "dropped-state", .wcs = ACTIVE(0, 1) },
	{ &rxe, "dropped-number", .wcs = ACTIVE(12, 1) },
	{ &siw, "dropped-number", .error = EOPNOTSUPP },

	/*
	 * Flushed by the owner of the QP at the end: the message has not
	 * arrived.
	 */
	{ &rxe, "ud-nothing", .wcs = ACTIVE(0, 1) PASSIVE(0, 1) },
	{ &rxe, "ud-number", .wcs = ACTIVE(0, 1) PASSIVE(5, 1) },
	{ &rxe, "ud-qkey", .wcs = ACTIVE(0, 1) PASSIVE(5, 1) },
	/* rxe: LOC_QP_OP_ERR, and the QP goes to Error. Newer rxe: dropped. */
	{ &rxe, "ud-length", .wcs = ACTIVE(0, 1) PASSIVE(2, 1), .before = KERNEL(6, 12) },
	{ &rxe, "ud-length", .wcs = ACTIVE(0, 1) PASSIVE(5, 1), .since = KERNEL(6, 12) },
	{ &siw, "ud-nothing", .error = EOPNOTSUPP },
	{ &siw, "ud-number", .error = EOPNOTSUPP },
	{ &siw, "ud-qkey", .error = EOPNOTSUPP },
	{ &siw, "ud-length", .error = EOPNOTSUPP },
};

#endif /* RDMAEV_TEST_FAULTS_H */
