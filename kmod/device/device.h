/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Devices, present and recently removed, and the state of their ports. */
#ifndef RDMAEV_DEVICE_H
#define RDMAEV_DEVICE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#include "log/log.h"
#include "outage.h"
#include "ulp_share.h"

#define RDMAEV_PORT_CODES	(RDMAEV_PORT_MTU + 1)

/**
 * struct rdmaev_gid - an entry of a GID table
 * @gid: GID; zero: the entry is empty
 * @type: &enum rdmaev_gid_type
 * @netdev: index of its network device, 0: none
 */
struct rdmaev_gid {
	union ib_gid gid;
	u32 type;
	u32 netdev;
};

/**
 * struct rdmaev_dev_port - state of one port, from the last query
 * @num: port number
 * @value: numeric attributes, by &enum rdmaev_port_code
 * @since_ns: CLOCK_BOOTTIME of the last change of each attribute
 * @queried_ns: CLOCK_BOOTTIME of the last query that did not contradict an
 *	event
 * @best_speed: speed of the fastest link that a query found ACTIVE, 0: none
 * @best_width: its width
 * @was_active: a query has found it ACTIVE, in this generation or an earlier one
 * @outages: number of times the port left ACTIVE
 * @outage: its outage, and the sums of those that have ended
 * @transitions: number of records of its state
 * @link_layer: enum rdma_link_layer
 * @protocols: RDMAEV_PROTOCOL_*
 * @ngids: number of entries of @gids
 * @gids: GID table
 * @npkeys: number of entries of @pkeys
 * @pkeys: P_Key table
 * @failures: consecutive failed queries
 * @query_error: negative errno of the newest query, 0: it has succeeded
 * @query_failed_ns: CLOCK_BOOTTIME of the first query that failed since the last
 *	one that succeeded
 * @found_up_ns: CLOCK_BOOTTIME of the first query that found the port ACTIVE
 *	in spite of a PORT_ERR before it
 * @event_lock: protects all fields after it. Raw: an event handler may be
 *	called in hard interrupt
 * @query_pending: a query of the tables is pending,
 * @attr_pending: which includes a query of the driver,
 * @query_at: and is not due before this time, in jiffies
 * @backs_off: the newest query has failed: no other one
 * @retry_at: before this time, in jiffies
 * @reported: PORT_ACTIVE or PORT_ERR, the last of these events that no query
 *	has matched, 0: none
 * @reported_seq: its seq
 * @reported_at: its time, in jiffies
 * @up: the port is ACTIVE according to the last query and the events since
 * @reported_outages: outages reported by events since the last query
 * @history: when they began and ended
 * @cause: seq of the newest event about each &enum rdmaev_port_code since the
 *	last query; [0]: of the newest event
 *
 * @num is constant. Only the work uses @failures and @found_up_ns. The fields
 * after @event_lock belong to the event handlers and the next query, under that
 * lock; all others to queries and snapshots, under devices_lock.
 */
struct rdmaev_dev_port {
	unsigned int num;
	u64 value[RDMAEV_PORT_CODES];
	u64 since_ns[RDMAEV_PORT_CODES];
	u64 queried_ns;
	u32 best_speed;
	u32 best_width;
	bool was_active;
	u32 outages;
	struct rdmaev_outage outage;
	u64 transitions;
	u32 link_layer;
	u32 protocols;
	unsigned int ngids;
	struct rdmaev_gid *gids;
	unsigned int npkeys;
	u16 *pkeys;

	unsigned int failures;
	int query_error;
	u64 query_failed_ns;
	u64 found_up_ns;
	raw_spinlock_t event_lock;
	bool query_pending;
	bool attr_pending;
	bool up;
	unsigned long query_at;
	bool backs_off;
	unsigned long retry_at;
	unsigned int reported;
	u64 reported_seq;
	unsigned long reported_at;
	u32 reported_outages;
	struct rdmaev_outage_history history;
	u64 cause[RDMAEV_PORT_CODES];
};

/**
 * struct rdmaev_dev - one registration of a device
 * @of_index: in the list of devices by index; read under RCU, written under
 *	devices_lock. First, as that makes a search a little faster
 * @ib: the device, NULL after it was removed
 * @handler: event handler registered with the device, member of this structure
 * @work: queries the ports with pending queries
 * @stuck_work: runs while a query takes too long
 * @queried_port: the port that @work queries, NULL: none; written by @work
 *	while @stuck_work does not run
 * @query_since_ns: CLOCK_BOOTTIME when that query began
 * @stuck_seq: seq of the record that it is stuck, 0: none; under devices_lock
 * @query_queued: an event has queued @work, which has not started since
 * @next_query: events do not run @work again before this time, in jiffies
 * @poll_at: time of the next query of all ports, in jiffies
 * @index: ib_device.index
 * @generation: key in the table
 * @node_type: enum rdma_node_type
 * @node_guid: in host byte order
 * @previous: generation of the device that it was before, 0: none is known
 * @shares_guid: another device had its node GUID at the same time: which of them
 *	a later one is cannot be known. Under devices_lock
 * @since_ns: CLOCK_BOOTTIME when it was added
 * @net: number of its network namespace; constant during a registration
 * @netns: pointer to that namespace, only for comparison: the namespace may no
 *	longer exist
 * @was_shared: all network namespaces shared it when it was removed; set before @ib
 *	is NULL
 * @removed_seq: seq of the record of its removal, 0: it is not removed
 * @is_leaving: ib_core has begun to remove it; this and the next eight under devices_lock
 * @heralds: bit n: client n of herald.c has it
 * @removing_ns: CLOCK_BOOTTIME when that was seen
 * @removal_is_long: it was seen to go on after five seconds
 * @remover_pid: process whose thread removes it, in the initial pid namespace; 0: a
 *	kernel thread does
 * @remover_comm: name of that thread
 * @netdev_change: &enum rdmaev_netdev_change: how its network device has left; after the
 *	removal has begun: and that is the reason
 * @netdev: name of that network device
 * @sysfs: when @ib is NULL: directory of that device in sysfs, which ib_core removes last
 * @sources: bit n: &enum rdmaev_source n has reported an event of it
 * @counts: counters of its events
 * @connecting: as in &struct rdmaev_device
 * @driver: name of the module of its driver
 * @lacks: RDMAEV_PART_* that the last poll did not find; of @work
 * @missing: those that are on record; written by @work under devices_lock
 * @missing_seq: seq of the record that says so, 0: none; likewise
 * @cq_sums: counters of destroyed CQs; under cqs_lock of cq_table.c
 * @ulp_shares: records of ULPs; under burst_lock of burst.c
 * @asked: QPs whose state was asked in the second @asked_at; under qp_ask_lock of
 *	qp_end.c
 * @asked_at: jiffies, in seconds
 * @name: as in ib_device; written under devices_lock, see rdmaev_device_name()
 * @name_gp: grace period that must pass before the other text of @name is
 *	written
 * @nports: number of entries of @ports
 * @ports: its ports
 * @list: in the list of live or of removed devices, under devices_lock
 * @rcu: for freeing
 *
 * client_add() allocates it and publishes it in the table. client_remove()
 * unregisters @handler, which waits for running handlers, then cancels @work,
 * whose end is that of @stuck_work, too, and then clears @ib under
 * devices_lock. So handlers, both works and all holders of devices_lock may use
 * the ib_device without a reference. After that only the data copied here is
 * used. The RDMAEV_REMOVED_KEPT devices removed last stay in the table; older
 * ones leave it and are freed after a grace period.
 */
struct rdmaev_dev {
	struct hlist_node of_index;
	struct ib_device *ib;
	struct ib_event_handler handler;
	struct delayed_work work;
	struct delayed_work stuck_work;
	struct rdmaev_dev_port *queried_port;
	u64 query_since_ns;
	u64 stuck_seq;
	atomic_t query_queued;
	unsigned long next_query;
	unsigned long poll_at;
	u32 index;
	u32 generation;
	u32 node_type;
	u64 node_guid;
	u32 previous;
	bool shares_guid;
	u64 since_ns;
	u64 net;
	const struct net *netns;
	bool was_shared;
	u64 removed_seq;
	bool is_leaving;
	u8 heralds;
	u64 removing_ns;
	bool removal_is_long;
	u32 remover_pid;
	char remover_comm[TASK_COMM_LEN];
	u8 netdev_change;
	char netdev[16];
	struct kernfs_node *sysfs;
	atomic_t sources;
	struct rdmaev_counts __rcu *counts;
	atomic64_t connecting[RDMAEV_CONNECTING_BUCKETS];
	char driver[56];
	u32 lacks;
	u32 missing;
	u64 missing_seq;
	struct rdmaev_cq_stats cq_sums;
	struct rdmaev_ulp_share ulp_shares[RDMAEV_ULP_SHARES];
	u32 asked;
	unsigned long asked_at;
	struct rdmaev_log_name name;
	unsigned long name_gp;
	unsigned int nports;
	struct rdmaev_dev_port *ports;
	struct list_head list;
	struct rcu_head rcu;
};

/* devices_lock is held. The log uses rdmaev_log_name_text() instead. */
static inline const char *rdmaev_device_name(const struct rdmaev_dev *dev)
{
	return dev->name.text[dev->name.now];
}

#endif /* RDMAEV_DEVICE_H */
