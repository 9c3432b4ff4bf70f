/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Nodes by which programs use a device, and devices that lack them */
#ifndef ULIB_PARTS_H
#define ULIB_PARTS_H

#include "snapshot.h"

/* Number of bits RDMAEV_PART_* */
#define PARTS		2

/**
 * enum openable - can programs open a device by its node of ib_uverbs?
 * @OPENABLE_UNKNOWN: not known: it was just added and has none yet, sysfs does not have
 *	it, or the log was recorded
 * @OPENABLE_NO: it has no node
 * @OPENABLE_YES: it has
 */
enum openable {
	OPENABLE_UNKNOWN,
	OPENABLE_NO,
	OPENABLE_YES,
};

/**
 * struct port_parts - a port, and what it lacks
 * @generation: generation of its device
 * @port: its number
 * @missing: RDMAEV_PART_*
 * @openable: can programs open the device?
 */
struct port_parts {
	uint32_t generation;
	uint32_t port;
	uint32_t missing;
	enum openable openable;
};

/**
 * struct parts - what ports have and lack
 * @list: ports, @count of them
 * @is_unloaded: no device has a node of ib_uverbs, as that is not loaded
 */
struct parts {
	struct port_parts *list;
	size_t count;
	bool is_unloaded;
};

/*
 * Compare the ports of a host with each other. 0, or -1 after a message. Free
 * parts->list.
 */
int read_parts(struct parts *parts, const struct snapshot *s);

/* RDMAEV_PART_* that a port lacks */
uint32_t missing_parts(const struct parts *parts, const struct rdmaev_port *port);
/* Can programs open its device? */
enum openable openable_by_programs(const struct parts *parts, const struct rdmaev_port *port);

/*
 * Does sysfs have this device? Which ones it has depends on the network namespace in which
 * it was mounted, not on that of the reader: a device of this name may be another one. Its
 * GUID says so.
 */
bool is_in_sysfs(const struct rdmaev_device *device);

#endif /* ULIB_PARTS_H */
