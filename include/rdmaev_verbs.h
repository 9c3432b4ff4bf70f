/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * librdmaev-verbs: events, completions and QP states of a program that uses
 * libibverbs.
 *
 *	struct rdmaev_loop *loop = rdmaev_loop_open(0);
 *	struct rdmaev_verbs_event ev[16];
 *	ssize_t n, i;
 *
 *	rdmaev_loop_add_context(loop, context, NULL);
 *	rdmaev_loop_add_qp(loop, qp, my_connection);
 *	while ((n = rdmaev_loop_read(loop, ev, 16, -1)) >= 0) {
 *		for (i = 0; i < n; i++)
 *			printf("%s\n", ev[i].name);
 *	}
 *
 * Functions that fail return -1 (or NULL) and set errno. Several threads may
 * use a loop at once. librdmaev-verbs(3) has complete examples.
 */
#ifndef RDMAEV_VERBS_H
#define RDMAEV_VERBS_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include <rdmaev.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum rdmaev_qp_transport - what the rules for a QP depend on
 * @RDMAEV_QP_IB: InfiniBand
 * @RDMAEV_QP_ROCE: RoCE: no alternate path, addresses need a GRH
 * @RDMAEV_QP_IWARP: iWARP: librdmacm connects
 */
enum rdmaev_qp_transport {
	RDMAEV_QP_IB = 0,
	RDMAEV_QP_ROCE = 1,
	RDMAEV_QP_IWARP = 2,
};

/* flags of a transition */
#define RDMAEV_QP_BY_CM		(1U << 0)	/* only librdmacm can do it */
#define RDMAEV_QP_NEEDS_GRH	(1U << 1)	/* ah_attr.is_global must be 1 */

/**
 * struct rdmaev_qp_transition - what ibv_modify_qp() takes for a transition
 * @size: sizeof(struct rdmaev_qp_transition), set by the caller
 * @required: attributes that must be in the mask (IBV_QP_AV, ...), without
 *	IBV_QP_STATE
 * @optional: attributes that may be there
 * @ignored: attributes that the kernel accepts and does not use
 * @flags: RDMAEV_QP_BY_CM, RDMAEV_QP_NEEDS_GRH
 */
struct rdmaev_qp_transition {
	uint32_t size;
	uint32_t required;
	uint32_t optional;
	uint32_t ignored;
	uint32_t flags;
};

/* problems of &struct rdmaev_qp_check */
#define RDMAEV_QP_NO_TRANSITION	(1U << 0)	/* from here to there: never */
#define RDMAEV_QP_MISSING	(1U << 1)	/* attributes are missing */
#define RDMAEV_QP_UNWANTED	(1U << 2)	/* attributes that it cannot have */
#define RDMAEV_QP_ONLY_BY_CM	(1U << 3)	/* librdmacm does it, no program */
#define RDMAEV_QP_NO_GRH	(1U << 4)	/* RoCE, and ah_attr.is_global is 0 */
#define RDMAEV_QP_OTHER_PORT	(1U << 5)	/* ah_attr.port_num: not of the QP */

/**
 * struct rdmaev_qp_check - what is wrong with a call of ibv_modify_qp()
 * @size: sizeof(struct rdmaev_qp_check), set by the caller
 * @problems: RDMAEV_QP_NO_TRANSITION, ...; 0: nothing is wrong
 * @missing: attributes that must be added to the mask
 * @unwanted: attributes that must be taken out of it
 * @transport: &enum rdmaev_qp_transport
 * @type: enum ibv_qp_type
 * @from: enum ibv_qp_state: the state before
 * @to: enum ibv_qp_state: the state after
 */
struct rdmaev_qp_check {
	uint32_t size;
	uint32_t problems;
	uint32_t missing;
	uint32_t unwanted;
	uint32_t transport;
	uint32_t type;
	uint32_t from;
	uint32_t to;
};

/**
 * rdmaev_qp_transition - get what ibv_modify_qp() takes for a transition
 * @transport: &enum rdmaev_qp_transport
 * @type: enum ibv_qp_type
 * @from: enum ibv_qp_state: the state of the QP
 * @to: enum ibv_qp_state: the wanted state
 * @t: filled in, with @t->size bytes at most
 *
 * For InfiniBand and RoCE these are the rules of ib_modify_qp_is_ok() in the
 * kernel, to which nearly all drivers keep, and of ib_uverbs, which changes some
 * masks before. For iWARP these are the rules that the drivers siw, irdma and
 * cxgb4 have in common: there is no table in the kernel, the drivers ignore most
 * attributes, and a QP becomes RTS by librdmacm only. A driver may still refuse
 * a value, and what the device cannot do.
 *
 * Returns: 0, or -1 with errno: EINVAL: no such transition, or @t->size is too
 * small. ENOTSUP: a type of QP that only its driver knows (IBV_QPT_DRIVER).
 */
int rdmaev_qp_transition(enum rdmaev_qp_transport transport,
			 enum ibv_qp_type type, enum ibv_qp_state from,
			 enum ibv_qp_state to, struct rdmaev_qp_transition *t);

/**
 * rdmaev_qp_transition_check - check the mask of a transition
 * @transport: &enum rdmaev_qp_transport
 * @type: enum ibv_qp_type
 * @from: enum ibv_qp_state: the state of the QP
 * @to: enum ibv_qp_state: the wanted state
 * @mask: the third argument of ibv_modify_qp(): enum ibv_qp_attr_mask
 * @check: filled in, with @check->size bytes at most; may be NULL
 *
 * Without IBV_QP_STATE in @mask the state does not change: if @from and @to
 * differ, it is missing.
 *
 * Returns: 0: nothing is wrong. -1 with errno: EINVAL: @check->problems has the
 * errors, or @check->size is too small. ENOTSUP: see rdmaev_qp_transition().
 */
int rdmaev_qp_transition_check(enum rdmaev_qp_transport transport,
			       enum ibv_qp_type type, enum ibv_qp_state from,
			       enum ibv_qp_state to, unsigned int mask,
			       struct rdmaev_qp_check *check);

/**
 * rdmaev_qp_modify_check - check a call of ibv_modify_qp() before it is made
 * @qp: QP
 * @attr: second argument of ibv_modify_qp()
 * @mask: third argument of ibv_modify_qp()
 * @check: filled in, with @check->size bytes at most; may be NULL
 *
 * Asks the kernel for the state and port of the QP (ibv_query_qp()) and for the
 * link layer of the port (ibv_query_port()). Changes nothing, but @qp->state,
 * which libibverbs sets in each query. Not for each call of a fast path: it
 * costs two system calls. Values are checked as far as ib_uverbs and the RDMA
 * core check them for all drivers: port and GRH of the address.
 *
 * Returns: 0: nothing is wrong. -1 with errno: EINVAL: @check->problems has the
 * errors. ENOTSUP: see rdmaev_qp_transition(). Errors of ibv_query_qp() and
 * ibv_query_port(), with 0 in @check->problems.
 */
int rdmaev_qp_modify_check(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			   unsigned int mask, struct rdmaev_qp_check *check);

/**
 * rdmaev_qp_check_text - describe in a sentence what is wrong
 * @check: result of one of the checks
 * @buf: buffer, may be NULL if @len is 0
 * @len: size of @buf
 *
 * "INIT -> RTR of an RC QP on RoCE: missing AV, DEST_QPN; cannot be set: PORT"
 *
 * Returns: length of the text, as snprintf(3); if it is @len or more, the text
 * was truncated. -1 with EINVAL: @check->size is too small.
 */
int rdmaev_qp_check_text(const struct rdmaev_qp_check *check, char *buf,
			 size_t len);

/**
 * rdmaev_qp_attr_name - get the name of an attribute of a QP ("DEST_QPN")
 * @attr: one bit of enum ibv_qp_attr_mask
 *
 * Returns: a constant string, or NULL for a bit this library does not know.
 */
const char *rdmaev_qp_attr_name(unsigned int attr);

/** struct rdmaev_loop - a loop; close with rdmaev_loop_close() */
struct rdmaev_loop;

/**
 * enum rdmaev_verbs_type - type of an event of a loop
 * @RDMAEV_VERBS_ASYNC: asynchronous event of libibverbs; code: enum
 *	ibv_event_type
 * @RDMAEV_VERBS_CQ: a CQ may have completions: call rdmaev_loop_poll_cq()
 * @RDMAEV_VERBS_RECORD: a record of the host's log, from a reader that was added;
 *	code: that of the record
 * @RDMAEV_VERBS_WC: unsuccessful completion, filled in by rdmaev_loop_wc();
 *	code: enum ibv_wc_status
 * @RDMAEV_VERBS_HANGUP: nothing more comes from a context or channel, as its
 *	device was removed, or from a reader; code: errno. Drivers that cannot
 *	take a device from a program (soft RoCE, siw) wait for its end instead
 */
enum rdmaev_verbs_type {
	RDMAEV_VERBS_ASYNC = 1,
	RDMAEV_VERBS_CQ = 2,
	RDMAEV_VERBS_RECORD = 3,
	RDMAEV_VERBS_WC = 4,
	RDMAEV_VERBS_HANGUP = 5,
};

/* flags of an event */
#define RDMAEV_VERBS_QP_STATE	(1U << 0)	/* qp_state is known */
#define RDMAEV_VERBS_FIRST	(1U << 1)	/* first failure of the QP */
#define RDMAEV_VERBS_FLUSHED	(1U << 2)	/* flushed: first_status is why */

/**
 * struct rdmaev_verbs_event - what happened
 * @type: &enum rdmaev_verbs_type
 * @code: see there
 * @flags: RDMAEV_VERBS_QP_STATE, ...
 * @object_type: &enum rdmaev_object_type
 * @number: number of a QP or WQ, as libibverbs has it; else 0
 * @port: port number of an event of a port; else 0
 * @qp_state: enum ibv_qp_state, asked by ibv_query_qp() when the event was read
 * @first_status: enum ibv_wc_status of the first failure of the QP, if it was
 *	passed to rdmaev_loop_wc(); else 0
 * @user: pointer that was given when the object, or else the context, was added
 * @object: the object: struct ibv_qp, ibv_cq, ibv_srq, ibv_wq, ibv_context,
 *	ibv_comp_channel or rdmaev
 * @context: context of the object; NULL for a record of no object that was added
 * @id: number of the event in this loop, from 1
 * @of: of a record that came after its event: the @id of that event; else 0
 * @boottime_ns: CLOCK_BOOTTIME when the loop read the event; 0 of
 *	RDMAEV_VERBS_CQ
 * @name: name of the code in the catalogue ("QP_FATAL"), or NULL
 * @text: what it means, or NULL
 * @advice: what to do, or NULL
 * @record: the record of the host's log; @record.seq is 0 if there is none, or
 *	if it has not come yet
 */
struct rdmaev_verbs_event {
	uint32_t type;
	uint32_t code;
	uint32_t flags;
	uint32_t object_type;
	uint32_t number;
	uint32_t port;
	uint32_t qp_state;
	uint32_t first_status;
	void *user;
	void *object;
	struct ibv_context *context;
	uint64_t id;
	uint64_t of;
	uint64_t boottime_ns;
	const char *name;
	const char *text;
	const char *advice;
	struct rdmaev_record record;
};

/**
 * rdmaev_loop_open - open a loop
 * @flags: 0
 *
 * A loop has no thread and calls no function of the program. Its descriptors are
 * close-on-exec. Do not use it, nor the verbs objects, in a child after fork(2).
 *
 * Errors: EINVAL: unknown flag. ENOMEM, and those of epoll_create1(2) and
 * eventfd(2).
 */
struct rdmaev_loop *rdmaev_loop_open(unsigned int flags);

/**
 * rdmaev_loop_close - close a loop; NULL is allowed. Does not change errno
 * @loop: loop, which no other thread uses
 *
 * Objects and readers that were added stay open.
 */
void rdmaev_loop_close(struct rdmaev_loop *loop);

/**
 * rdmaev_loop_fd - get the descriptor for poll(2), epoll(7) and event loops
 * @loop: loop
 *
 * Only for waiting: it is readable while there is an event, and until
 * rdmaev_loop_read() has found none.
 */
int rdmaev_loop_fd(const struct rdmaev_loop *loop);

/**
 * rdmaev_loop_add_context - add the asynchronous events of a context
 * @loop: loop
 * @context: context; no one else may call ibv_get_async_event() for it
 * @user: pointer for its events
 *
 * Makes the descriptor of the context O_NONBLOCK. Each event is acknowledged
 * before it is returned, so that no ibv_destroy_qp() and the like waits for the
 * program. Events of ports and of the device are returned, and those of objects
 * that were added; those of other objects are acknowledged and dropped, as the
 * object may not exist any more. Add an object before it can have events: a QP
 * while it is RESET.
 *
 * Errors, of all functions that add: EEXIST: it was added. ENOMEM, and those of
 * epoll_ctl(2) and fcntl(2).
 */
int rdmaev_loop_add_context(struct rdmaev_loop *loop,
			    struct ibv_context *context, void *user);

/** rdmaev_loop_add_qp - return events of a QP; see rdmaev_loop_add_context() */
int rdmaev_loop_add_qp(struct rdmaev_loop *loop, struct ibv_qp *qp, void *user);

/** rdmaev_loop_add_srq - return events of an SRQ */
int rdmaev_loop_add_srq(struct rdmaev_loop *loop, struct ibv_srq *srq,
			void *user);

/** rdmaev_loop_add_wq - return events of a WQ */
int rdmaev_loop_add_wq(struct rdmaev_loop *loop, struct ibv_wq *wq, void *user);

/**
 * rdmaev_loop_add_channel - add a completion channel
 * @loop: loop
 * @channel: channel, of one CQ or of several; no one else may call
 *	ibv_get_cq_event() for it
 * @user: pointer for an event of type RDMAEV_VERBS_HANGUP
 *
 * Makes its descriptor O_NONBLOCK. Notifications are acknowledged at once, all
 * of a CQ that are there by one call. Those of CQs that were not added are
 * acknowledged and dropped: add all CQs of a channel to the same loop.
 */
int rdmaev_loop_add_channel(struct rdmaev_loop *loop,
			    struct ibv_comp_channel *channel, void *user);

/* flags of rdmaev_loop_add_cq() */
#define RDMAEV_LOOP_SOLICITED	(1U << 0)	/* wake up for solicited ones only */

/**
 * rdmaev_loop_add_cq - return completions and events of a CQ
 * @loop: loop
 * @cq: CQ; if it has a channel, add that, too. Without one, it is reported once,
 *	and then only its asynchronous events are
 * @user: pointer for its events
 * @flags: 0, RDMAEV_LOOP_SOLICITED
 *
 * The loop arms the CQ: the program calls neither ibv_req_notify_cq() nor
 * ibv_poll_cq(). Errors: EINVAL: unknown flag.
 */
int rdmaev_loop_add_cq(struct rdmaev_loop *loop, struct ibv_cq *cq, void *user,
		       unsigned int flags);

/**
 * rdmaev_loop_add_reader - return the records of a reader of the host's log
 * @loop: loop
 * @reader: reader, with the filter that the program has set; close it after
 *	rdmaev_loop_remove() only
 * @user: pointer for records that are about no object that was added
 *
 * A record of the same event of a QP, WQ, port or device as one of libibverbs is
 * returned with that event, if both are there when the loop looks; else it is an
 * event of its own, with the id of the other one. (libibverbs knows no numbers
 * of CQs and SRQs, so their records are always events of their own.) Events of a
 * QP are in the log only with the module rdmaev_observe, see rdmaev_observe(4).
 */
int rdmaev_loop_add_reader(struct rdmaev_loop *loop, struct rdmaev *reader,
			   void *user);

/**
 * rdmaev_loop_remove - remove an object, context, channel or reader
 * @loop: loop
 * @object: what was added
 *
 * Drops its events. When it returns, no later call of rdmaev_loop_read() returns
 * one, in any thread. So call it before ibv_destroy_qp() and the like: the
 * kernel drops events that have not been read, those that have been read are
 * acknowledged, and this drops those that have not been returned. What another
 * thread was given before, it may still have.
 *
 * Returns: 0, or -1 with ENOENT: it was not added.
 */
int rdmaev_loop_remove(struct rdmaev_loop *loop, const void *object);

/**
 * rdmaev_loop_read_sized - get events; see rdmaev_loop_read()
 * @loop: loop
 * @events: array of the caller
 * @entry_size: size of an entry of @events
 * @n: length of @events, at least 1
 * @timeout_ns: nanoseconds; 0: do not wait; negative: no time limit
 *
 * Each event is returned to one thread. A CQ is not returned again before
 * rdmaev_loop_poll_cq() was called for it; CQs take turns, also with other
 * events.
 *
 * Returns: number of events; 0: timeout; -1 with errno: EINTR: a signal.
 * EINVAL: @n is 0, or @entry_size is less than in the first version or no
 * multiple of 8.
 */
ssize_t rdmaev_loop_read_sized(struct rdmaev_loop *loop,
			       struct rdmaev_verbs_event *events,
			       size_t entry_size, size_t n, int64_t timeout_ns);

/** rdmaev_loop_read - rdmaev_loop_read_sized() for a program in C */
static inline ssize_t rdmaev_loop_read(struct rdmaev_loop *loop,
				       struct rdmaev_verbs_event *events,
				       size_t n, int64_t timeout_ns)
{
	return rdmaev_loop_read_sized(loop, events, sizeof(*events), n,
				      timeout_ns);
}

/**
 * rdmaev_loop_poll_cq - get completions of a CQ that was added
 * @loop: loop
 * @cq: CQ
 * @n: length of @wc, which is the budget of this call
 * @wc: array of the caller
 *
 * As ibv_poll_cq(). If there are fewer than @n, the CQ is armed, and polled
 * again: only when it is empty after that does the loop wait for a notification,
 * so none is lost. Else rdmaev_loop_read() returns the CQ again, after others.
 *
 * Returns: number of completions, or -1 with errno: ENOENT: @cq was not added.
 * EINVAL: @n is below 1. EIO: ibv_poll_cq() failed. Errors of
 * ibv_req_notify_cq().
 */
int rdmaev_loop_poll_cq(struct rdmaev_loop *loop, struct ibv_cq *cq, int n,
			struct ibv_wc *wc);

/* Largest count of rdmaev_loop_moderate_cq() */
#define RDMAEV_LOOP_MODERATE_MAX 65535

/**
 * rdmaev_loop_moderate_cq - return a CQ less often
 * @loop: loop
 * @cq: CQ that was added, with its channel
 * @count: return it for so many completions, up to RDMAEV_LOOP_MODERATE_MAX;
 *	0 or 1: for each
 * @period_us: or so many microseconds after the first of them
 *
 * By the device (ibv_modify_cq()) if it can. Else the loop polls the CQ at each
 * notification and keeps the completions, 48 bytes each, until they are enough,
 * one of them has failed, or the time is over; rdmaev_loop_poll_cq() returns them
 * first. Those that are kept when @cq is removed from the loop are lost.
 *
 * Returns: 0, or -1 with errno: ENOENT: @cq was not added. EINVAL: @count is too
 * large, or above 1 without a time. EBUSY: completions are kept: call
 * rdmaev_loop_poll_cq() before. ENOMEM, and those of timerfd_create(2).
 */
int rdmaev_loop_moderate_cq(struct rdmaev_loop *loop, struct ibv_cq *cq,
			    uint32_t count, uint32_t period_us);

/**
 * rdmaev_loop_wc_sized - explain a failed completion; see rdmaev_loop_wc()
 * @loop: loop
 * @cq: CQ that it is from, which was added
 * @wc: completion
 * @ev: filled in: type RDMAEV_VERBS_WC
 * @entry_size: size of @ev
 *
 * Finds the QP among those that were added, asks for its state, and marks the
 * first failure of the QP, which is the cause, and those that it flushed. The
 * first failure is forgotten when a query finds the QP neither in ERR nor SQE.
 *
 * Returns: 0, or -1 with errno: ENOENT: @cq was not added. EINVAL: @wc was
 * successful, or @entry_size is less than in the first version.
 */
int rdmaev_loop_wc_sized(struct rdmaev_loop *loop, struct ibv_cq *cq,
			 const struct ibv_wc *wc, struct rdmaev_verbs_event *ev,
			 size_t entry_size);

/** rdmaev_loop_wc - rdmaev_loop_wc_sized() for a program in C */
static inline int rdmaev_loop_wc(struct rdmaev_loop *loop, struct ibv_cq *cq,
				 const struct ibv_wc *wc,
				 struct rdmaev_verbs_event *ev)
{
	return rdmaev_loop_wc_sized(loop, cq, wc, ev, sizeof(*ev));
}

/**
 * rdmaev_loop_qp_state - get the state of a QP that was added
 * @loop: loop
 * @qp: QP, which no other thread modifies now
 *
 * The state to which the program's own calls of ibv_modify_qp() have brought it,
 * a system call only after the loop has read an event of the QP, or
 * rdmaev_loop_wc() had a failed completion of it, since the last call: then the
 * state is doubtful, and the loop calls ibv_query_qp().
 *
 * Returns: enum ibv_qp_state, or -1 with errno: ENOENT: @qp was not added.
 * Errors of ibv_query_qp().
 */
int rdmaev_loop_qp_state(struct rdmaev_loop *loop, struct ibv_qp *qp);

#ifdef __cplusplus
}
#endif

#endif /* RDMAEV_VERBS_H */
