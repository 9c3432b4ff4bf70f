/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdmaev_faults: a ULP that has things go wrong on real devices.
 *
 *	faults_main.c	the file in debugfs, what came of the last fault
 *	faults_make.c	the faults
 *	faults_conn.c	the connection that they happen on
 */
#ifndef RDMAEV_FAULTS_H
#define RDMAEV_FAULTS_H

#include <linux/in.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rdmaev.h>

#define FAULTS_BUF_SIZE		4096
#define FAULTS_EVENTS		32
#define FAULTS_TIMEOUT_MS	10000

enum faults_queue {
	FAULTS_SEND,
	FAULTS_RECV,
	FAULTS_QUEUES,
};

/**
 * struct faults_setup - what a fault wants of its connection
 * @send_wr: send requests that the active end can have posted
 * @send_cqe: completions that the CQ of its send queue holds, at least
 * @srq: the passive end receives from an SRQ
 *
 * Zero is the usual.
 */
struct faults_setup {
	unsigned int send_wr;
	unsigned int send_cqe;
	bool srq;
};

/**
 * struct faults_end - one end of a connection: a QP and what it takes
 * @conn: connection
 * @name: active or passive
 * @id: its CM id; has the QP
 * @pd: its own, with an R_Key and an L_Key for all memory
 * @cq: CQs of the two work queues
 * @srq: NULL if it has none, stale after the end
 * @qp_object: what rdmaev knows of the QP; @cq_object and @srq_object likewise
 * @buf: memory to send, receive and reach remotely, FAULTS_BUF_SIZE
 * @addr: where the device sees it
 * @cm_events: bit n: &enum rdma_cm_event_type n came
 * @number: as `rdma resource show` has them; kept when all else is gone
 * @wcs: completions polled so far, by queue and status
 */
struct faults_end {
	struct faults_conn *conn;
	const char *name;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq[FAULTS_QUEUES];
	struct ib_srq *srq;
	struct rdmaev_object qp_object;
	struct rdmaev_object cq_object[FAULTS_QUEUES];
	struct rdmaev_object srq_object;
	void *buf;
	u64 addr;
	unsigned long cm_events;
	struct {
		u32 qp;
		u32 cq[FAULTS_QUEUES];
		u32 srq;
	} number;
	unsigned int wcs[FAULTS_QUEUES][IB_WC_GENERAL_ERR + 1];
};

struct faults_event {
	const struct faults_end *end;
	const char *object;
	u32 number;
	unsigned int code;
};

/**
 * struct faults_conn - a connection of a device with itself
 * @active: the end that asked for it, and sends
 * @passive: the end that is asked, and receives
 * @listener: CM id that finds @passive
 * @setup: how to make it
 * @wait: whoever waits for the CM
 * @cm_error: why the CM gave up, 0 or negative
 * @lock: protects @events and @event
 * @events: how many came, of which @event has the first FAULTS_EVENTS
 * @event: in the order in which they came
 *
 * Made by faults_connect(), taken apart by faults_disconnect(). The numbers,
 * the completions and the events stay to be looked at.
 */
struct faults_conn {
	struct faults_end active;
	struct faults_end passive;
	struct rdma_cm_id *listener;
	const struct faults_setup *setup;
	wait_queue_head_t wait;
	int cm_error;
	spinlock_t lock;	/* handlers of events take it in any context */
	unsigned int events;
	struct faults_event event[FAULTS_EVENTS];
};

/**
 * struct fault - something that can go wrong
 * @name: of the fault
 * @setup: connection that it needs
 * @make: does it, and waits until it has happened. Not for the events: which
 *	come is for the driver to say. 0 or -errno
 */
struct fault {
	const char *name;
	struct faults_setup setup;
	int (*make)(struct faults_conn *conn);
};

extern struct rdmaev_ulp faults_ulp;

int faults_connect(struct faults_conn *conn, const char *device,
		   __be32 address, const struct faults_setup *setup);
void faults_disconnect(struct faults_conn *conn);
unsigned int faults_poll(struct faults_end *end, enum faults_queue queue);

const struct fault *fault_find(const char *name);

#endif /* RDMAEV_FAULTS_H */
