/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Between the files of rdmaev_probe */
#ifndef RDMAEV_PROBE_H
#define RDMAEV_PROBE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rdmaev_ulp.h>

struct probe_dev;

/**
 * struct probe_objects - what a request needs; NULL: it does not exist
 * @pd: PD
 * @rcq: CQ
 * @qp: QP that requests are posted on
 * @ah: of a UD QP, address of itself
 * @peer_qp: QP that the connection of rdma_cm ends at
 * @listener: its id that listens
 * @id: its id that connects, with @qp
 * @peer: its id that was connected to, with @peer_qp
 */
struct probe_objects {
	struct ib_pd *pd;
	struct rdmaev_cq *rcq;
	struct ib_qp *qp;
	struct ib_ah *ah;
	struct ib_qp *peer_qp;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *id;
	struct rdma_cm_id *peer;
};

/**
 * struct probe_port - the probe of a port
 * @dev: its device
 * @num: number of the port
 * @work: makes the objects, posts, polls: all calls of the driver
 * @watch: runs while @work takes too long
 * @is_leaving: the device is being removed: @work ends soon, and posts nothing
 * @obj: its objects
 * @is_up: @obj is complete; else the driver may have refused to destroy some
 * @posted_ns: CLOCK_BOOTTIME when the request was posted, 0: none is
 *	outstanding
 * @posted_at: the same in jiffies
 * @is_late: it is late
 * @next_at: time of the next request or of the next try to make the objects, in
 *	jiffies
 * @backoff_ms: time from the last failure to the next try, 0: there was none
 * @notified_ns: CLOCK_BOOTTIME when the completion handler was called, 0: not
 *	since the request was posted
 * @cm_wait: woken by events of rdma_cm, and when the device is removed
 * @cm_events: those that came, by bit
 * @cm_peer: id of the connection request that came
 * @cm_nonce: private data of that request, so that it is this port's own
 * @lock: protects the fields after it; not taken in the completion handler
 * @call: &enum rdmaev_probe_call that @work is in, 0: none
 * @call_ns: CLOCK_BOOTTIME since when @work runs
 * @troubles: bits of &enum rdmaev_probe_code: recorded since the last
 *	RDMAEV_PROBE_OK
 * @trouble_seq: seq of the first of them
 * @trouble_ns: its CLOCK_BOOTTIME
 * @calm_state: state before the call that is stuck
 * @info: its entry of the list
 *
 * Allocated with the device, and freed with it, after @work was cancelled. The
 * completion handler is not called after the CQ was destroyed, which @work does,
 * or probe_port_stop(). Fields without a lock belong to @work, or to
 * probe_port_stop() when it does not run.
 */
struct probe_port {
	struct probe_dev *dev;
	u32 num;
	struct delayed_work work;
	struct delayed_work watch;
	bool is_leaving;
	struct probe_objects obj;
	bool is_up;
	u64 posted_ns;
	unsigned long posted_at;
	bool is_late;
	unsigned long next_at;
	unsigned int backoff_ms;
	atomic64_t notified_ns;
	wait_queue_head_t cm_wait;
	unsigned long cm_events;
	struct rdma_cm_id *cm_peer;
	u64 cm_nonce;

	spinlock_t lock;		/* protects the fields after it */
	unsigned int call;
	u64 call_ns;
	u32 troubles;
	u64 trouble_seq;
	u64 trouble_ns;
	u32 calm_state;
	struct rdmaev_probe info;
};

/**
 * struct probe_dev - a device that can be probed
 * @ib: device
 * @list: in the list of devices
 * @interval_ms: from one request to the next, 0: it is not probed
 * @nports: number of @port
 * @port: its ports
 *
 * From add() to remove() of the ib_client. A function that finds it in the list
 * holds the lock of the list while it uses it.
 */
struct probe_dev {
	struct ib_device *ib;
	struct list_head list;
	unsigned int interval_ms;
	unsigned int nports;
	struct probe_port port[];
};

static inline struct ib_device *probe_ib(const struct probe_port *port)
{
	return port->dev->ib;
}

#endif /* RDMAEV_PROBE_H */
