/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev_sample: how a ULP uses <rdma/rdmaev_ulp.h>, and a ULP that sends
 * messages and makes faults on real devices, for tests. To be read in this
 * order:
 *
 *	sample_cq.c	CQs, made and polled in every way
 *	sample_event.c	events, kept for reading
 *	sample_conn.c	a connection: QPs and their events, and how they end
 *	sample_post.c	requests
 *	sample_stream.c	many messages
 *	sample_make.c	faults
 *	sample_long.c	faults: messages that are too long
 *	sample_main.c	the files in debugfs, and the results
 */
#ifndef RDMAEV_SAMPLE_H
#define RDMAEV_SAMPLE_H

#include <linux/in.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rdmaev_ulp.h>

#define SAMPLE_BUF_SIZE		4096
#define SAMPLE_EVENTS		32
#define SAMPLE_TIMEOUT_MS	10000

/* Room for requests in a queue by default */
#define SAMPLE_SEND_WR		64
#define SAMPLE_RECV_WR		64

/*
 * Short enough for siw to send a message in one piece. It fails a longer one
 * that SQD interrupts.
 */
#define SAMPLE_MESSAGE		16

/* UD: the bytes before the message in the buffer of a receive request */
#define SAMPLE_GRH		40

enum sample_queue {
	SAMPLE_SEND,
	SAMPLE_RECV,
	SAMPLE_QUEUES,
};

/**
 * enum sample_kind - how a CQ is made and polled
 * @SAMPLE_CREATED: rdmaev_create_cq(), armed and polled by the ULP
 * @SAMPLE_ATTACHED: ib_alloc_cq() and rdmaev_attach_cq()
 * @SAMPLE_DIRECT: the same with IB_POLL_DIRECT: polled by the ULP, never armed
 * @SAMPLE_KINDS: number of kinds
 */
enum sample_kind {
	SAMPLE_CREATED,
	SAMPLE_ATTACHED,
	SAMPLE_DIRECT,
	SAMPLE_KINDS,
};

extern const char * const sample_kinds[SAMPLE_KINDS];

/**
 * struct sample_cq - the CQ of a work queue, and its polled completions
 * @end: the end that has the work queue
 * @queue: which of the end's work queues
 * @kind: how it is made and polled
 * @rcq: the CQ, NULL if there is none
 * @cqe: of every request of the work queue
 * @work: polls it, if it is SAMPLE_CREATED
 * @held: do not poll now
 * @number: as `rdma resource show` has it; kept after all else is destroyed
 * @posted: requests posted
 * @done: completions polled
 * @opcodes: those that succeeded, by &enum rdmaev_wc_opcode
 * @statuses: all, by status
 * @cause: the first that failed and was not flushed
 * @flush: the first that was flushed
 */
struct sample_cq {
	struct sample_end *end;
	enum sample_queue queue;
	enum sample_kind kind;
	struct rdmaev_cq *rcq;
	struct ib_cqe cqe;
	struct work_struct work;
	bool held;
	u32 number;
	unsigned int posted;
	unsigned int done;
	unsigned int opcodes[RDMAEV_OPCODES];
	unsigned int statuses[IB_WC_GENERAL_ERR + 1];
	struct ib_wc cause;
	struct ib_wc flush;
};

/**
 * struct sample_setup - properties of a connection
 * @send_wr: send requests that the active end can have posted; 0: as usual
 * @send_cqe: completions that the CQ of its send queue holds, at least; 0: all
 * @ud: UD instead of RC
 * @srq: the passive end receives from an SRQ
 * @hold: the CQ of the active end's send queue is not polled at first
 * @impatient: give up soon if there is no answer, or no receive request
 * @no_reads: iWARP agrees on no RDMA READ at all
 */
struct sample_setup {
	unsigned int send_wr;
	unsigned int send_cqe;
	bool ud;
	bool srq;
	bool hold;
	bool impatient;
	bool no_reads;
};

/**
 * struct sample_end - one end of a connection: a QP and its objects
 * @conn: connection
 * @name: active or passive
 * @id: its CM id; has the QP
 * @pd: its own, with an R_Key and an L_Key for all memory
 * @cq: CQs of the two work queues
 * @srq: NULL if it has none, invalid after the end
 * @ah: UD: address handle of the other end
 * @remote_qpn: UD: number of the other end's QP
 * @remote_qkey: UD: its Q_Key
 * @buf: memory to send, receive and reach remotely, SAMPLE_BUF_SIZE
 * @addr: DMA address of @buf
 * @cm_events: bit n: &enum rdma_cm_event_type n came
 * @qp_number: as `rdma resource show` has it; kept after all else is destroyed
 * @srq_number: likewise
 * @cq_failed: one of its CQs had an error, so completions may be missing
 */
struct sample_end {
	struct sample_conn *conn;
	const char *name;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct sample_cq cq[SAMPLE_QUEUES];
	struct ib_srq *srq;
	struct ib_ah *ah;
	u32 remote_qpn;
	u32 remote_qkey;
	void *buf;
	u64 addr;
	unsigned long cm_events;
	u32 qp_number;
	u32 srq_number;
	bool cq_failed;
};

struct sample_event {
	const struct sample_end *end;
	const char *object;
	u32 number;
	unsigned int code;
};

/**
 * struct sample_conn - a connection of a device with itself
 * @mutex: protects all members unless noted otherwise
 * @removal: takes the connection apart when the device is removed
 * @active: the end that requests the connection, and sends
 * @passive: the end that accepts the connection, and receives
 * @listener: CM id that finds @passive
 * @setup: how to make it
 * @kind: of its CQs
 * @wait: waiters for the CM, completions or events
 * @cm_error: why the CM gave up, 0 or negative
 * @lock: protects @events and @event
 * @events: number of events, of which @event has the first SAMPLE_EVENTS
 * @event: events in their order
 *
 * Made by sample_connect(), taken apart by sample_disconnect(). The numbers,
 * the completions and the events are kept for reading.
 */
struct sample_conn {
	struct mutex mutex;	/* held while it is made or taken apart */
	struct work_struct removal;
	struct sample_end active;
	struct sample_end passive;
	struct rdma_cm_id *listener;
	const struct sample_setup *setup;
	enum sample_kind kind;
	wait_queue_head_t wait;
	int cm_error;
	spinlock_t lock;	/* taken by event handlers in any context */
	unsigned int events;
	struct sample_event event[SAMPLE_EVENTS];
};

/**
 * struct sample_target - the device to connect with itself
 * @device: its name
 * @address: its IPv4 address
 * @kind: of the CQs
 */
struct sample_target {
	char device[IB_DEVICE_NAME_MAX];
	__be32 address;
	enum sample_kind kind;
};

/**
 * struct sample_fault - a fault that can be made
 * @name: name in `rdmaev explain --fault`, if that has the fault
 * @setup: connection that it needs
 * @make: does it, and waits until it has happened. Not for the events: which
 *	come is for the driver to say. 0 or -errno
 */
struct sample_fault {
	const char *name;
	struct sample_setup setup;
	int (*make)(struct sample_conn *conn);
};

/**
 * struct sample_request - a send request
 * @opcode: what to do
 * @addr: of the message, or destination of an RDMA READ or ATOMIC
 * @length: of the message
 * @lkey: for it
 * @remote_addr: remote address of RDMA and ATOMIC
 * @rkey: for it; SEND with invalidate: the R_Key to invalidate
 */
struct sample_request {
	enum ib_wr_opcode opcode;
	u64 addr;
	u32 length;
	u32 lkey;
	u64 remote_addr;
	u32 rkey;
};

extern struct rdmaev_ulp sample_ulp;

unsigned int sample_opcode(const struct ib_wc *wc);
int sample_cq_create(struct sample_cq *scq, unsigned int cqe);
void sample_cq_destroy(struct sample_cq *scq);
void sample_cq_release(struct sample_cq *scq);
void sample_cq_poll(struct sample_cq *scq);

void sample_note_event(struct sample_end *end, const char *object, u32 number,
		       unsigned int code);

void sample_conn_init(struct sample_conn *conn);
int sample_connect(struct sample_conn *conn, const struct sample_target *target,
		   const struct sample_setup *setup);
void sample_disconnect(struct sample_conn *conn);
void sample_destroy_qp(struct sample_end *end);
int sample_reset_qp(struct sample_end *end);
int sample_wait_cm(struct sample_end *end, enum rdma_cm_event_type event);
unsigned int sample_progress(struct sample_conn *conn);
bool sample_wait_progress(struct sample_conn *conn, unsigned int seen,
			  unsigned long until);
int sample_wait_done(struct sample_cq *scq, unsigned int done);

struct sample_request sample_good_request(struct sample_conn *conn,
					  enum ib_wr_opcode opcode);
int sample_post(struct sample_conn *conn, const struct sample_request *req,
		unsigned int count);
int sample_post_recvs(struct sample_end *end, u64 addr, u32 length, u32 lkey,
		      unsigned int count);
int sample_post_good_recvs(struct sample_end *end, unsigned int count);

int sample_stream(struct sample_conn *conn, unsigned int count);

const struct sample_fault *sample_find_fault(const char *name);

int sample_make_send_long(struct sample_conn *conn);
int sample_make_write_long(struct sample_conn *conn);
int sample_make_write_imm_long(struct sample_conn *conn);
int sample_make_read_long(struct sample_conn *conn);

#endif /* RDMAEV_SAMPLE_H */
