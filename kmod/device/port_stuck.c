// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries of ports that do not return. A query calls the driver, which may wait
 * for firmware that has failed. Nothing can end such a call, and the removal of
 * the device waits for it; but it is on record as long as it lasts. The query
 * of another device has its own work.
 */
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#include "device.h"
#include "device_table.h"
#include "port_record.h"
#include "port_stuck.h"
#include "work.h"

static unsigned int stuck_ms = 5000;
module_param(stuck_ms, uint, 0644);
MODULE_PARM_DESC(stuck_ms, "milliseconds after which a query of a port that has not returned is recorded as PORT_QUERY_STUCK (default 5000, 0: never)");

/**
 * rdmaev_query_begin - begin to query the driver
 * @dev: device
 * @port: port that is queried
 *
 * Context: the work of the device: one query at a time.
 */
void rdmaev_query_begin(struct rdmaev_dev *dev, struct rdmaev_dev_port *port)
{
	unsigned int ms = READ_ONCE(stuck_ms);

	dev->query_since_ns = ktime_get_boot_fast_ns();
	/* Pairs with smp_load_acquire() in rdmaev_stuck_work(). */
	smp_store_release(&dev->queried_port, port);
	if (ms)
		queue_delayed_work(rdmaev_wq, &dev->stuck_work,
				   msecs_to_jiffies(ms));
}

/**
 * rdmaev_query_end - the driver has returned
 * @dev: device
 *
 * Context: as rdmaev_query_begin(), without devices_lock.
 */
void rdmaev_query_end(struct rdmaev_dev *dev)
{
	struct rdmaev_dev_port *port = dev->queried_port;

	/* Waits for it if it runs: it is not to take the next query for this. */
	cancel_delayed_work_sync(&dev->stuck_work);
	WRITE_ONCE(dev->queried_port, NULL);
	if (!READ_ONCE(dev->stuck_seq))
		return;
	rdmaev_state_lock();
	rdmaev_port_report_query(dev, port, RDMAEV_PORT_QUERY_RETURNED,
				 dev->stuck_seq,
				 ktime_get_boot_fast_ns() - dev->query_since_ns);
	WRITE_ONCE(dev->stuck_seq, 0);
	rdmaev_state_unlock();
}

/**
 * rdmaev_stuck_work - record a query that has not returned
 * @work: stuck_work in &struct rdmaev_dev
 *
 * rdmaev_query_end() cancels it, so it does not outlive the work of the device.
 */
void rdmaev_stuck_work(struct work_struct *work)
{
	struct rdmaev_dev *dev = container_of(to_delayed_work(work),
					      struct rdmaev_dev, stuck_work);
	u64 limit = (u64)READ_ONCE(stuck_ms) * NSEC_PER_MSEC;
	struct rdmaev_dev_port *port;
	u64 ns;

	rdmaev_state_lock();
	/* Pairs with smp_store_release() in rdmaev_query_begin(). */
	port = smp_load_acquire(&dev->queried_port);
	ns = ktime_get_boot_fast_ns() - dev->query_since_ns;
	/* Early: jiffies lag behind, then catch up by several at once. */
	if (port && ns < limit)
		queue_delayed_work(rdmaev_wq, &dev->stuck_work,
				   nsecs_to_jiffies(limit - ns) + 1);
	else if (port && !dev->stuck_seq)
		dev->stuck_seq =
			rdmaev_port_report_query(dev, port,
						 RDMAEV_PORT_QUERY_STUCK, 0,
						 ns);
	rdmaev_state_unlock();
}
