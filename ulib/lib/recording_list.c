// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists out of a recording: the last ones in it */
#include <errno.h>
#include <string.h>

#include "recording.h"

/**
 * struct list_request - what a program asks for
 * @list: enum recording_list_type
 * @device: index of the device, or RDMAEV_ANY
 * @port: port of counters, or RDMAEV_ANY
 * @after: CQs or QPs with a larger id
 * @removed: list what belongs to removed devices, too
 * @entries: where to, @entry_size apart, @room of them
 * @entry_size: same
 * @room: same
 * @count: number of entries found
 */
struct list_request {
	unsigned int list;
	uint32_t device;
	uint32_t port;
	uint64_t after;
	bool removed;
	uint64_t entries;
	uint32_t entry_size;
	uint32_t room;
	uint32_t count;
};

/* What entries of all lists have in common; device: RDMAEV_ANY: of none */
struct list_key {
	uint32_t device;
	uint32_t generation;
	uint32_t port;
	uint64_t id;
};

static struct list_key key_of(unsigned int list, const void *entry)
{
	struct list_key key = { .device = RDMAEV_ANY };
	const struct rdmaev_device *device = entry;
	const struct rdmaev_counter *counter = entry;
	const struct rdmaev_cq_stats *cq = entry;
	const struct rdmaev_probe *probe = entry;
	const struct rdmaev_port *port = entry;
	const struct rdmaev_qp *qp = entry;

	switch (list) {
	case RECORDING_DEVICES:
		return (struct list_key){ device->index, device->generation, 0, 0 };
	case RECORDING_PORTS:
		return (struct list_key){ port->device, port->generation, port->port, 0 };
	case RECORDING_COUNTERS:
		return (struct list_key){ counter->device, counter->generation,
					  counter->port, 0 };
	case RECORDING_CQS:
	case RECORDING_CQ_SUMS:
		return (struct list_key){ cq->device, cq->generation, 0, cq->id };
	case RECORDING_QPS:
		return (struct list_key){ qp->device, qp->generation, 0, qp->id };
	case RECORDING_PROBES:
		return (struct list_key){ probe->device, probe->generation, probe->port, 0 };
	default:
		return key;
	}
}

static const struct rdmaev_device *devices_of(const struct recording_file *file,
					      uint32_t *count)
{
	*count = file->lists[RECORDING_DEVICES].count;
	return (const void *)file->lists[RECORDING_DEVICES].entries;
}

static bool is_removed(const struct recording_file *file, uint32_t generation)
{
	uint32_t count, i;
	const struct rdmaev_device *devices = devices_of(file, &count);

	for (i = 0; i < count; i++)
		if (devices[i].generation == generation)
			return devices[i].flags & RDMAEV_DEVICE_FLAG_REMOVED;
	return false;
}

static bool has_device(const struct recording_file *file, uint32_t index, bool removed)
{
	uint32_t count, i;
	const struct rdmaev_device *devices = devices_of(file, &count);

	for (i = 0; i < count; i++)
		if (devices[i].index == index &&
		    (removed || !(devices[i].flags & RDMAEV_DEVICE_FLAG_REMOVED)))
			return true;
	return false;
}

static bool is_wanted(const struct recording_file *file, const struct list_request *q,
		      const void *entry)
{
	struct list_key key = key_of(q->list, entry);

	return (q->device == RDMAEV_ANY || q->device == key.device) &&
	       (q->port == RDMAEV_ANY || q->port == key.port) &&
	       (!q->after || key.id > q->after) &&
	       (q->removed || key.device == RDMAEV_ANY || !is_removed(file, key.generation));
}

static int list_fill(const struct recording_file *file, struct list_request *q)
{
	const struct recording_entries *list = &file->lists[q->list];
	size_t size = recording_entry_size(q->list);
	size_t known = q->entry_size < size ? q->entry_size : size;
	char *to = (char *)(uintptr_t)q->entries;
	uint32_t i;

	if (q->entry_size < recording_entry_least(q->list)) {
		errno = EINVAL;
		return -1;
	}
	if (!list->entries) {
		errno = ENODATA;
		return -1;
	}
	if (q->device != RDMAEV_ANY && !has_device(file, q->device, q->removed)) {
		errno = ENODEV;
		return -1;
	}
	for (i = 0; i < list->count; i++) {
		const char *entry = list->entries + i * size;

		if (!is_wanted(file, q, entry))
			continue;
		if (q->count++ >= q->room)
			continue;
		memset(to, 0, q->entry_size);
		memcpy(to, entry, known);
		to += q->entry_size;
	}
	return 0;
}

/* The flag that lists with removed devices have is the only one. */
static int check_flags(uint32_t flags, uint32_t known)
{
	if (!(flags & ~known))
		return 0;
	errno = EINVAL;
	return -1;
}

int recording_list_devices(const struct recording_file *file, struct rdmaev_devices *devices)
{
	struct list_request q = {
		.list = RECORDING_DEVICES,
		.device = RDMAEV_ANY,
		.port = RDMAEV_ANY,
		.removed = devices->flags,
		.entries = devices->entries,
		.entry_size = devices->entry_size,
		.room = devices->count,
	};

	if (check_flags(devices->flags, RDMAEV_DEVICES_REMOVED) < 0 || list_fill(file, &q) < 0)
		return -1;
	devices->count = q.count;
	devices->seq = file->lists[q.list].seq;
	return 0;
}

int recording_list_ports(const struct recording_file *file, struct rdmaev_ports *ports)
{
	struct list_request q = {
		.list = RECORDING_PORTS,
		.device = ports->device,
		.port = RDMAEV_ANY,
		.removed = ports->flags,
		.entries = ports->entries,
		.entry_size = ports->entry_size,
		.room = ports->count,
	};

	if (check_flags(ports->flags, RDMAEV_PORTS_REMOVED) < 0 || list_fill(file, &q) < 0)
		return -1;
	ports->count = q.count;
	ports->seq = file->lists[q.list].seq;
	return 0;
}

int recording_list_counters(const struct recording_file *file,
			    struct rdmaev_counters *counters)
{
	struct list_request q = {
		.list = RECORDING_COUNTERS,
		.device = counters->device,
		.port = counters->port,
		.removed = counters->flags,
		.entries = counters->entries,
		.entry_size = counters->entry_size,
		.room = counters->count,
	};

	if (check_flags(counters->flags, RDMAEV_COUNTERS_REMOVED) < 0 ||
	    list_fill(file, &q) < 0)
		return -1;
	counters->count = q.count;
	counters->seq = file->lists[q.list].seq;
	return 0;
}

int recording_list_cqs(const struct recording_file *file, struct rdmaev_cqs *cqs)
{
	struct list_request q = {
		.list = cqs->flags ? RECORDING_CQ_SUMS : RECORDING_CQS,
		.device = cqs->device,
		.port = RDMAEV_ANY,
		.after = cqs->after,
		.entries = cqs->entries,
		.entry_size = cqs->entry_size,
		.room = cqs->count,
	};

	if (check_flags(cqs->flags, RDMAEV_CQS_SUMS) < 0 || list_fill(file, &q) < 0)
		return -1;
	cqs->count = q.count;
	cqs->seq = file->lists[q.list].seq;
	return 0;
}

int recording_list_qps(const struct recording_file *file, struct rdmaev_qps *qps)
{
	struct list_request q = {
		.list = RECORDING_QPS,
		.device = qps->device,
		.port = RDMAEV_ANY,
		.after = qps->after,
		.entries = qps->entries,
		.entry_size = qps->entry_size,
		.room = qps->count,
	};

	if (check_flags(qps->flags, 0) < 0 || list_fill(file, &q) < 0)
		return -1;
	qps->count = q.count;
	qps->seq = file->lists[q.list].seq;
	return 0;
}

int recording_list_probes(const struct recording_file *file, struct rdmaev_probes *probes)
{
	struct list_request q = {
		.list = RECORDING_PROBES,
		.device = probes->device,
		.port = RDMAEV_ANY,
		.entries = probes->entries,
		.entry_size = probes->entry_size,
		.room = probes->count,
	};

	if (check_flags(probes->flags, 0) < 0 || list_fill(file, &q) < 0)
		return -1;
	probes->count = q.count;
	probes->seq = file->lists[q.list].seq;
	return 0;
}
