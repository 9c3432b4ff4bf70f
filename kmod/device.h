/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The devices that there are and that there lately were, and the state of
 * their ports.
 */
#ifndef RDMAEV_DEVICE_H
#define RDMAEV_DEVICE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdmaev.h>

#define RDMAEV_PORT_CODES	(RDMAEV_PORT_PKEY + 1)
#define RDMAEV_FLAP_MINUTES	60

/**
 * struct rdmaev_dev_port - one port as it was last seen
 * @num: port number
 * @value: by &enum rdmaev_port_code, those that are numbers
 * @since_ns: CLOCK_BOOTTIME since when each has this value
 * @flaps: how often the port left ACTIVE
 * @transitions: records of its state
 * @minute_flaps: flaps in each of the last minutes, by CLOCK_BOOTTIME,
 * @flap_minute: up to that of the last flap
 * @link_layer: enum rdma_link_layer
 * @protocols: RDMAEV_PROTOCOL_*
 * @ngids: entries of @gids
 * @gids: GID table
 * @npkeys: entries of @pkeys
 * @pkeys: P_Key table
 * @tries: looks that have failed in a row
 * @asked: look at the tables again
 * @asked_attr: and at what has to be asked of the driver
 * @up: ACTIVE, going by the events that came in since the last look
 * @up_since_ns: CLOCK_BOOTTIME since when it is
 * @up_shortest_ns: the shortest time that it was, 0: none has ended yet
 * @up_longest_ns: the longest
 * @drops: how often these took it out of ACTIVE
 * @cause: seq of the newest event about each &enum rdmaev_port_code since the
 *	last look; [0] about anything
 *
 * @num is constant and @tries the work's own. Those from @asked on belong to
 * the event handlers and the next look, under rdmaev_dev.events_lock; the rest
 * to the looks and snapshots, under devices_lock.
 */
struct rdmaev_dev_port {
	unsigned int num;
	u64 value[RDMAEV_PORT_CODES];
	u64 since_ns[RDMAEV_PORT_CODES];
	u32 flaps;
	u64 transitions;
	u32 minute_flaps[RDMAEV_FLAP_MINUTES];
	u64 flap_minute;
	u32 link_layer;
	u32 protocols;
	unsigned int ngids;
	union ib_gid *gids;
	unsigned int npkeys;
	u16 *pkeys;

	unsigned int tries;
	bool asked;
	bool asked_attr;
	bool up;
	u64 up_since_ns;
	u64 up_shortest_ns;
	u64 up_longest_ns;
	u32 drops;
	u64 cause[RDMAEV_PORT_CODES];
};

/**
 * struct rdmaev_dev - one registration of a device
 * @ib: the device, NULL when it is gone
 * @handler: registered with the device; its private data is this structure
 * @work: looks at the ports that were asked for
 * @next_look: jiffies before which it does not run again
 * @events_lock: see &struct rdmaev_dev_port. Raw: an event handler may be
 *	called in hard interrupt
 * @index: ib_device.index
 * @generation: key in the table
 * @node_type: enum rdma_node_type
 * @node_guid: in host byte order
 * @since_ns: CLOCK_BOOTTIME when it was added
 * @net: number of its network namespace; stays the same in a registration
 * @shared: gone while namespaces shared all devices
 * @removed: seq of its REMOVE record
 * @sources: bit n: &enum rdmaev_source n has told of it
 * @counts: what happened to it; NULL when it has long been gone
 * @driver: name of the module of its driver
 * @cq_sums: counters of CQs that were destroyed; under cqs_lock of cq_table.c
 * @name: as in ib_device, under devices_lock
 * @nports: entries of @ports
 * @ports: NULL when it has long been gone
 * @list: in the live or in the gone list, under devices_lock
 * @rcu: for freeing
 *
 * Made by the client's add(), which publishes it in the table. remove()
 * unregisters @handler, which waits for handlers that run, then cancels @work,
 * and then clears @ib and waits for RCU readers; so handlers and work may use
 * the ib_device without a reference, RCU readers while they read. After that
 * only the copies kept here are used. @ports and @counts stay with the last
 * RDMAEV_GONE_KEPT that went. It stays in the table as long as its
 * REMOVE record is in the log, so that this and older records can be told to
 * those who may see them, then it is freed after a grace period.
 */
struct rdmaev_dev {
	struct ib_device __rcu *ib;
	struct ib_event_handler handler;
	struct delayed_work work;
	unsigned long next_look;
	raw_spinlock_t events_lock;
	u32 index;
	u32 generation;
	u32 node_type;
	u64 node_guid;
	u64 since_ns;
	u64 net;
	bool shared;
	u64 removed;
	atomic_t sources;
	struct rdmaev_counts __rcu *counts;
	char driver[56];
	struct rdmaev_cq_stats cq_sums;
	char name[IB_DEVICE_NAME_MAX];
	unsigned int nports;
	struct rdmaev_dev_port *ports;
	struct list_head list;
	struct rcu_head rcu;
};

/**
 * struct rdmaev_viewer - who looks
 * @net: number of the network namespace; the number, as a reference would keep
 *	the namespace from ending, and its devices in it
 * @net_admin: may administer that namespace
 * @host_admin: may administer the first namespace
 * @all: may see everything: @host_admin, and in the first namespace
 * @uid: user, as the first user namespace has it: events of its objects are its own
 */
struct rdmaev_viewer {
	u64 net;
	bool net_admin;
	bool host_admin;
	bool all;
	u32 uid;
};

struct net;

int rdmaev_device_init(void);
void rdmaev_device_exit(void);

u64 rdmaev_net_id(const struct net *net);
bool rdmaev_device_visible(u32 generation, const struct rdmaev_viewer *viewer,
			   bool affiliated);

bool rdmaev_record_visible(const struct rdmaev_record *rec,
			   const struct rdmaev_viewer *viewer);

struct rdmaev_dev *rdmaev_device_find(u32 generation);
struct rdmaev_dev *rdmaev_device_of(const struct ib_device *ib);
u32 rdmaev_device_generation(const struct ib_device *ib);
bool rdmaev_device_exists(const struct rdmaev_viewer *viewer, u32 index);
struct rdmaev_cq_stats *rdmaev_device_cq_sums(u32 generation);

void rdmaev_device_look(struct rdmaev_dev *dev, unsigned long delay);

void rdmaev_state_lock(void);
void rdmaev_state_unlock(void);

/*
 * Call a function for each device of an index, or for all with RDMAEV_ANY, that
 * somebody may see; those that are gone first, if these are asked for. Called with
 * devices_lock held and under RCU. Returns whether there was one.
 */
bool rdmaev_devices_for_each(const struct rdmaev_viewer *viewer, u32 device,
			     bool with_gone,
			     void (*fn)(struct rdmaev_dev *dev, bool is_gone,
					bool affiliated, void *data),
			     void *data, u64 *seq);

/* snapshot.c */
struct rdmaev_device *rdmaev_device_list(const struct rdmaev_viewer *viewer,
					 bool with_gone, u32 *count, u64 *seq);
struct rdmaev_port *rdmaev_port_list(const struct rdmaev_viewer *viewer,
				     u32 device, bool with_gone, u32 *count,
				     u64 *seq);
struct rdmaev_counter *rdmaev_counter_list(const struct rdmaev_viewer *viewer,
					   u32 device, u32 port, bool with_gone,
					   u32 *count, u64 *seq);

/* port.c */
int rdmaev_ports_init(struct rdmaev_dev *dev, struct ib_device *ib);
void rdmaev_ports_free_tables(struct rdmaev_dev *dev);
u32 rdmaev_port_flaps_hour(const struct rdmaev_dev_port *port);
void rdmaev_ports_ask(struct rdmaev_dev *dev, unsigned int port,
		      unsigned int event, u64 seq);
void rdmaev_ports_work(struct work_struct *work);

/* async.c */
void rdmaev_async_handler(struct ib_event_handler *handler,
			  struct ib_event *event);

#endif /* RDMAEV_DEVICE_H */
