// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists for readers: devices, ports, counters */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "access.h"
#include "count.h"
#include "device.h"
#include "device_table.h"
#include "log/log.h"
#include "removal.h"
#include "snapshot.h"
#include "turn.h"

/**
 * struct answer - a list that is being collected for a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @with_removed: include removed devices
 * @seq: newest seq before the list was made
 * @fill: fills in the entries of a device. Under RCU, with devices_lock held
 * @found: the device exists
 * @removed: the removal of the device that is visited has ended
 * @entries: array of entries
 * @room: size of the array, in entries
 * @n: number of entries needed
 * @pids: for devices: pid namespace of the reader, NULL: the initial one
 * @port: for counters: number of the port, or RDMAEV_ANY
 * @dev: for counters: their device
 */
struct answer {
	const struct rdmaev_cred *cred;
	u32 device;
	bool with_removed;
	u64 seq;
	void (*fill)(struct rdmaev_dev *dev, struct answer *answer);
	bool found;
	bool removed;
	void *entries;
	size_t room;
	size_t n;
	struct pid_namespace *pids;
	u32 port;
	const struct rdmaev_dev *dev;
};

static void snapshot_visit(struct rdmaev_dev *dev, void *data)
{
	struct answer *answer = data;

	answer->removed = !dev->ib && rdmaev_removal_has_ended(dev);
	if ((answer->removed && !answer->with_removed) ||
	    (answer->device != RDMAEV_ANY && answer->device != dev->index) ||
	    !rdmaev_may_access(dev, answer->cred))
		return;
	answer->found = true;
	answer->fill(dev, answer);
}

static void snapshot_walk(void *data)
{
	struct answer *answer = data;

	rdmaev_state_lock();
	rcu_read_lock();
	answer->seq = rdmaev_log_newest();
	rdmaev_devices_for_each(snapshot_visit, answer);
	rcu_read_unlock();
	rdmaev_state_unlock();
}

/*
 * Allocate before the lock is taken: an allocation may wait until a device is
 * removed. Retry with more room if it was too little.
 */
static void *snapshot_collect(struct answer *answer, size_t entry_size,
			      const struct rdmaev_cred *cred, u32 device,
			      bool with_removed, u32 *count, u64 *seq)
{
	answer->cred = cred;
	answer->device = device;
	answer->with_removed = with_removed;
	answer->room = 16;
	for (;;) {
		answer->n = 0;
		answer->found = false;
		/* Accounted: a dump keeps it as long as its reader likes. */
		answer->entries = kvcalloc(answer->room, entry_size,
					   GFP_KERNEL_ACCOUNT);
		if (!answer->entries)
			return ERR_PTR(-ENOMEM);
		if (rdmaev_turn(cred, snapshot_walk, answer)) {
			kvfree(answer->entries);
			return ERR_PTR(-EINTR);
		}
		if (answer->n <= answer->room)
			break;
		kvfree(answer->entries);
		answer->room = answer->n + 16;
	}
	*seq = answer->seq;
	if (!answer->found && device != RDMAEV_ANY) {
		kvfree(answer->entries);
		return ERR_PTR(-ENODEV);
	}
	*count = answer->n;
	return answer->entries;
}

static void snapshot_newest(const struct rdmaev_counter_id *id,
			    const struct rdmaev_log_counter *counter, void *data)
{
	struct rdmaev_device *entry = data;

	if (counter->seq < entry->last_seq)
		return;
	entry->last_seq = counter->seq;
	entry->last_boottime_ns = counter->boottime_ns;
	entry->last_realtime_ns = counter->realtime_ns;
	entry->last_port = id->port;
	entry->last_kind = id->kind;
	entry->last_code = id->code;
}

static void snapshot_removal(struct rdmaev_device *entry, const struct rdmaev_dev *dev,
			     struct pid_namespace *pids)
{
	entry->flags = RDMAEV_DEVICE_FLAG_REMOVING;
	entry->removing_since_ns = dev->removing_ns;
	entry->remover_pid = dev->remover_pid;
	if (pids && entry->remover_pid)
		entry->remover_pid = rdmaev_pid_of_reader(entry->remover_pid, dev->removing_ns,
							  pids);
	if (entry->remover_pid)
		memcpy(entry->remover_comm, dev->remover_comm, sizeof(entry->remover_comm));
}

static void snapshot_device(struct rdmaev_dev *dev, struct answer *answer)
{
	bool affiliated = rdmaev_may_administer(dev, answer->cred);
	const struct rdmaev_counts *counts = rcu_dereference(dev->counts);
	struct rdmaev_device *entry;
	unsigned int i;

	if (answer->n++ >= answer->room)
		return;
	entry = (struct rdmaev_device *)answer->entries + answer->n - 1;
	entry->index = dev->index;
	entry->generation = dev->generation;
	entry->ports = dev->nports;
	entry->node_type = dev->node_type;
	entry->node_guid = dev->node_guid;
	entry->since_ns = dev->since_ns;
	if (answer->removed)
		entry->flags = RDMAEV_DEVICE_FLAG_REMOVED;
	else if (dev->is_leaving)
		snapshot_removal(entry, dev, answer->pids);
	entry->sources = atomic_read(&dev->sources);
	/* Other sources report objects that have an owner. */
	if (!affiliated)
		entry->sources &= BIT(RDMAEV_SOURCE_RDMAEV) |
				  BIT(RDMAEV_SOURCE_HANDLER);
	strscpy(entry->name, rdmaev_device_name(dev), sizeof(entry->name));
	strscpy(entry->driver, dev->driver, sizeof(entry->driver));
	entry->missing = dev->missing;
	entry->previous = dev->previous;
	entry->last_port = RDMAEV_NO_PORT;
	for (i = 0; affiliated && i < RDMAEV_CONNECTING_BUCKETS; i++)
		entry->connecting[i] = atomic64_read(&dev->connecting[i]);
	if (counts)
		rdmaev_counts_for_each(counts, affiliated, snapshot_newest,
				       entry);
}

/**
 * rdmaev_device_list - list the devices visible to a reader
 * @cred: credentials of the reader
 * @pids: its pid namespace, NULL: the initial one
 * @with_removed: also list removed devices, first
 * @count: set to the number of entries
 * @seq: set to the newest seq that the list takes into account
 *
 * Return: array for kvfree(), or ERR_PTR(-ENOMEM).
 */
struct rdmaev_device *rdmaev_device_list(const struct rdmaev_cred *cred,
					 struct pid_namespace *pids,
					 bool with_removed, u32 *count, u64 *seq)
{
	struct answer answer = { .fill = snapshot_device, .pids = pids };

	return snapshot_collect(&answer, sizeof(struct rdmaev_device), cred,
				RDMAEV_ANY, with_removed, count, seq);
}

static void snapshot_gid(struct rdmaev_port *entry,
			 const struct rdmaev_dev_port *port)
{
	const struct rdmaev_gid *first = NULL;
	unsigned int i;

	/* A removed device has no tables any more, only their lengths. */
	if (!port->gids)
		return;
	for (i = 0; i < port->ngids && (!first || !entry->netdev); i++) {
		const struct rdmaev_gid *gid = &port->gids[i];

		if (!first && memchr_inv(&gid->gid, 0, sizeof(gid->gid)))
			first = gid;
		if (!entry->netdev)
			entry->netdev = gid->netdev;
	}
	if (!first)
		return;
	entry->gid_type = first->type;
	memcpy(entry->gid, first->gid.raw, sizeof(entry->gid));
}

static void snapshot_port(struct rdmaev_port *entry, struct rdmaev_dev *dev,
			  struct rdmaev_dev_port *port, bool removed)
{
	entry->device = dev->index;
	entry->generation = dev->generation;
	entry->port = port->num;
	entry->link_layer = port->link_layer;
	entry->protocols = port->protocols;
	entry->state = port->value[RDMAEV_PORT_STATE];
	entry->phys_state = port->value[RDMAEV_PORT_PHYS_STATE];
	entry->lid = port->value[RDMAEV_PORT_LID];
	entry->sm_lid = port->value[RDMAEV_PORT_SM_LID];
	entry->speed = port->value[RDMAEV_PORT_SPEED];
	entry->width = port->value[RDMAEV_PORT_WIDTH];
	entry->mtu = port->value[RDMAEV_PORT_MTU];
	entry->outages = port->outages;
	entry->gids = port->ngids;
	entry->pkeys = port->npkeys;
	entry->state_since_ns = port->since_ns[RDMAEV_PORT_STATE];
	entry->transitions = port->transitions;
	entry->outage_flags = port->outage.flags;
	entry->down_since_ns = port->outage.since_ns;
	entry->down_last_ns = port->outage.last_ns;
	entry->down_longest_ns = port->outage.longest_ns;
	entry->down_total_ns = port->outage.total_ns;
	entry->down_admin_ns = port->outage.total_admin_ns;
	entry->best_speed = port->best_speed;
	entry->best_width = port->best_width;
	snapshot_gid(entry, port);
	if (dev->stuck_seq && READ_ONCE(dev->queried_port) == port)
		entry->flags |= RDMAEV_PORT_FLAG_QUERY_STUCK;
	if (entry->state && !port->was_active)
		entry->flags |= RDMAEV_PORT_FLAG_NEVER_ACTIVE;
	if (port->query_error) {
		entry->flags |= RDMAEV_PORT_FLAG_QUERY_FAILED;
		entry->query_error = port->query_error;
		entry->query_failed_since_ns = port->query_failed_ns;
	}
	if (removed) {
		entry->flags |= RDMAEV_PORT_FLAG_REMOVED;
	} else if (dev->is_leaving) {
		entry->flags |= RDMAEV_PORT_FLAG_REMOVING;
		entry->state = 0;
	}
}

static void snapshot_ports(struct rdmaev_dev *dev, struct answer *answer)
{
	unsigned int i;

	for (i = 0; i < dev->nports; i++) {
		struct rdmaev_port *entry = answer->entries;

		if (answer->n < answer->room)
			snapshot_port(&entry[answer->n], dev, &dev->ports[i],
				      answer->removed);
		answer->n++;
	}
}

/**
 * rdmaev_port_list - list the ports visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @with_removed: also list ports of removed devices, first
 * @count: set to the number of entries
 * @seq: set to the newest seq that the list takes into account
 *
 * Return: array for kvfree(), or ERR_PTR: -ENOMEM; -ENODEV if the device does
 * not exist.
 */
struct rdmaev_port *rdmaev_port_list(const struct rdmaev_cred *cred,
				     u32 device, bool with_removed, u32 *count,
				     u64 *seq)
{
	struct answer answer = { .fill = snapshot_ports };

	return snapshot_collect(&answer, sizeof(struct rdmaev_port), cred,
				device, with_removed, count, seq);
}

static void snapshot_counter(const struct rdmaev_counter_id *id,
			     const struct rdmaev_log_counter *counter, void *data)
{
	struct answer *answer = data;
	struct rdmaev_counter *entry = answer->entries;

	if (answer->port != RDMAEV_ANY && answer->port != id->port)
		return;
	if (answer->n < answer->room)
		entry[answer->n] = (struct rdmaev_counter) {
			.device = answer->dev->index,
			.generation = answer->dev->generation,
			.port = id->port,
			.kind = id->kind,
			.code = id->code,
			.count = counter->count,
			.last_seq = counter->seq,
			.last_boottime_ns = counter->boottime_ns,
			.last_realtime_ns = counter->realtime_ns,
		};
	answer->n++;
}

static void snapshot_counters(struct rdmaev_dev *dev, struct answer *answer)
{
	const struct rdmaev_counts *counts = rcu_dereference(dev->counts);

	answer->dev = dev;
	if (counts)
		rdmaev_counts_for_each(counts,
				       rdmaev_may_administer(dev, answer->cred),
				       snapshot_counter, answer);
}

/**
 * rdmaev_counter_list - list the counters visible to a reader
 * @cred: credentials of the reader
 * @device: index of the device, or RDMAEV_ANY
 * @port: number of the port, 0, or RDMAEV_ANY
 * @with_removed: also list counters of removed devices, first
 * @count: set to the number of entries
 * @seq: set to the newest seq before the list was made
 *
 * Return: as rdmaev_port_list().
 */
struct rdmaev_counter *rdmaev_counter_list(const struct rdmaev_cred *cred,
					   u32 device, u32 port, bool with_removed,
					   u32 *count, u64 *seq)
{
	struct answer answer = { .fill = snapshot_counters, .port = port };

	return snapshot_collect(&answer, sizeof(struct rdmaev_counter), cred,
				device, with_removed, count, seq);
}
