// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lists through generic netlink, with the semantics of the ioctls. */
#include <errno.h>
#include <internal/attributes.h>
#include <string.h>

#include "genl.h"

/* Attempts to get a list that changes meanwhile */
#define LIST_TRIES	8

/* Attempts to find the seq of an empty list */
#define EMPTY_TRIES	4

/* Like the node: an entry is not smaller than in ABI version 1. */
#define ENTRY_SIZE_MAX		4096

/**
 * struct list - a list on its way to the program
 * @set: attributes of an entry
 * @size: size of an entry here
 * @least: size of an entry in ABI version 1
 * @entries: the program's
 * @entry_size: size of an entry there
 * @room: how many fit
 * @after: CQs or QPs up to this id are passed over
 * @count: how many there are
 * @seq: that the list is true of
 */
struct list {
	const struct rdmaev_attr_set *set;
	size_t size;
	size_t least;
	char *entries;
	size_t entry_size;
	size_t room;
	uint64_t after;
	size_t count;
	uint64_t seq;
};

static int take_entry(void *arg, struct attrs attrs)
{
	union {
		struct rdmaev_device device;
		struct rdmaev_port port;
		struct rdmaev_counter counter;
		struct rdmaev_cq_stats cq;
		struct rdmaev_probe probe;
		struct rdmaev_qp qp;
		uint64_t id;
	} entry;
	struct list *list = arg;
	size_t size = list->size;
	uint64_t seq = 0;
	bool is_one;
	char *dst;

	memset(&entry, 0, sizeof(entry));
	is_one = parse_entry(list->set, attrs, &entry, &seq);
	/* The first message is the oldest. */
	if (!list->seq)
		list->seq = seq;
	if (!is_one || (list->after && entry.id <= list->after))
		return 0;
	if (list->count++ >= list->room)
		return 0;
	if (!list->entries) {
		errno = EFAULT;
		return -1;
	}
	if (size > list->entry_size)
		size = list->entry_size;
	dst = list->entries + (list->count - 1) * list->entry_size;
	memcpy(dst, &entry, size);
	memset(dst + size, 0, list->entry_size - size);
	return 0;
}

static int ask_list(struct genl *g, const struct request *r, struct list *list)
{
	int try;

	for (try = 0; try < LIST_TRIES; try++) {
		list->count = 0;
		list->seq = 0;
		if (genl_call(g, r, take_entry, list) < 0) {
			/*
			 * Same error as the node: the kernel has no such list.
			 */
			if (errno == EOPNOTSUPP)
				errno = ENOTTY;
			return -1;
		}
		if (!g->interrupted)
			break;
	}
	return 0;
}

static int take_newest(void *arg, struct attrs attrs)
{
	struct rdmaev_info info = {};

	parse_entry(&rdmaev_info_attrs, attrs, &info, NULL);
	*(uint64_t *)arg = info.newest_seq;
	return 0;
}

static int get_newest(struct genl *g, uint64_t *seq)
{
	struct request r;

	genl_begin(&r, RDMAEV_CMD_INFO_GET, false);
	return genl_call(g, &r, take_newest, seq);
}

/*
 * An empty list has no entry that carries its seq. If nothing was recorded
 * during the query, the list includes the newest record. On a host that records
 * continuously, the older seq is safe: later records contain any change that
 * the list already has.
 */
static int get_list(struct genl *g, const struct request *r, struct list *list)
{
	uint64_t before, after = 0;
	int try;

	if (list->entry_size < list->least || list->entry_size > ENTRY_SIZE_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (ask_list(g, r, list) < 0)
		return -1;
	for (try = 0; try < EMPTY_TRIES && !list->seq; try++) {
		if (get_newest(g, &before) < 0 || ask_list(g, r, list) < 0)
			return -1;
		if (list->seq)
			break;
		if (get_newest(g, &after) < 0)
			return -1;
		if (after == before)
			break;
	}
	if (!list->seq)
		list->seq = before;
	return 0;
}

static char *to_entries(uint64_t address)
{
	return (char *)(uintptr_t)address;
}

/* Lists have a single flag; the message has an attribute instead. */
static int put_flag(struct request *r, uint32_t flags, uint32_t known, uint16_t type)
{
	if (flags & ~known) {
		errno = EINVAL;
		return -1;
	}
	if (flags)
		genl_put(r, type, NULL, 0);
	return 0;
}

int nl_list_devices(struct genl *g, struct rdmaev_devices *devices)
{
	struct list list = {
		.set = &rdmaev_device_attrs,
		.size = sizeof(struct rdmaev_device),
		.least = RDMAEV_DEVICE_SIZE_VER0,
		.entries = to_entries(devices->entries),
		.entry_size = devices->entry_size,
		.room = devices->count,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_DEVICE_GET, true);
	if (put_flag(&r, devices->flags, RDMAEV_DEVICES_REMOVED,
		     RDMAEV_A_DEVICE_REMOVED) < 0 ||
	    get_list(g, &r, &list) < 0)
		return -1;
	devices->count = (uint32_t)list.count;
	devices->seq = list.seq;
	return 0;
}

int nl_list_ports(struct genl *g, struct rdmaev_ports *ports)
{
	struct list list = {
		.set = &rdmaev_port_attrs,
		.size = sizeof(struct rdmaev_port),
		.least = RDMAEV_PORT_SIZE_VER0,
		.entries = to_entries(ports->entries),
		.entry_size = ports->entry_size,
		.room = ports->count,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_PORT_GET, true);
	if (ports->device != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_PORT_DEVICE, ports->device);
	if (put_flag(&r, ports->flags, RDMAEV_PORTS_REMOVED, RDMAEV_A_PORT_REMOVED) < 0 ||
	    get_list(g, &r, &list) < 0)
		return -1;
	ports->count = (uint32_t)list.count;
	ports->seq = list.seq;
	return 0;
}

int nl_list_counters(struct genl *g, struct rdmaev_counters *counters)
{
	struct list list = {
		.set = &rdmaev_counter_attrs,
		.size = sizeof(struct rdmaev_counter),
		.least = RDMAEV_COUNTER_SIZE_VER0,
		.entries = to_entries(counters->entries),
		.entry_size = counters->entry_size,
		.room = counters->count,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_COUNTER_GET, true);
	if (counters->device != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_COUNTER_DEVICE, counters->device);
	if (counters->port != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_COUNTER_PORT, counters->port);
	if (put_flag(&r, counters->flags, RDMAEV_COUNTERS_REMOVED,
		     RDMAEV_A_COUNTER_REMOVED) < 0 ||
	    get_list(g, &r, &list) < 0)
		return -1;
	counters->count = (uint32_t)list.count;
	counters->seq = list.seq;
	return 0;
}

int nl_list_cqs(struct genl *g, struct rdmaev_cqs *cqs)
{
	struct list list = {
		.set = &rdmaev_cq_attrs,
		.size = sizeof(struct rdmaev_cq_stats),
		.least = RDMAEV_CQ_STATS_SIZE_VER0,
		.entries = to_entries(cqs->entries),
		.entry_size = cqs->entry_size,
		.room = cqs->count,
		.after = cqs->after,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_CQ_GET, true);
	if (cqs->device != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_CQ_DEVICE, cqs->device);
	if (put_flag(&r, cqs->flags, RDMAEV_CQS_SUMS, RDMAEV_A_CQ_SUMS) < 0 ||
	    get_list(g, &r, &list) < 0)
		return -1;
	cqs->count = (uint32_t)list.count;
	cqs->seq = list.seq;
	return 0;
}

int nl_list_qps(struct genl *g, struct rdmaev_qps *qps)
{
	struct list list = {
		.set = &rdmaev_qp_attrs,
		.size = sizeof(struct rdmaev_qp),
		.least = RDMAEV_QP_SIZE_VER0,
		.entries = to_entries(qps->entries),
		.entry_size = qps->entry_size,
		.room = qps->count,
		.after = qps->after,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_QP_GET, true);
	if (qps->device != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_QP_DEVICE, qps->device);
	if (put_flag(&r, qps->flags, 0, 0) < 0 || get_list(g, &r, &list) < 0)
		return -1;
	qps->count = (uint32_t)list.count;
	qps->seq = list.seq;
	return 0;
}

int nl_list_probes(struct genl *g, struct rdmaev_probes *probes)
{
	struct list list = {
		.set = &rdmaev_probe_attrs,
		.size = sizeof(struct rdmaev_probe),
		.least = RDMAEV_PROBE_SIZE_VER0,
		.entries = to_entries(probes->entries),
		.entry_size = probes->entry_size,
		.room = probes->count,
	};
	struct request r;

	genl_begin(&r, RDMAEV_CMD_PROBE_GET, true);
	if (probes->device != RDMAEV_ANY)
		genl_put_u32(&r, RDMAEV_A_PROBE_DEVICE, probes->device);
	if (put_flag(&r, probes->flags, 0, 0) < 0 || get_list(g, &r, &list) < 0)
		return -1;
	probes->count = (uint32_t)list.count;
	probes->seq = list.seq;
	return 0;
}
