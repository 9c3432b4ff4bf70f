/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Does a device lack the nodes by which programs use it? */
#ifndef ULIB_PARTS_H
#define ULIB_PARTS_H

#include "snapshot.h"

/* Number of bits RDMAEV_PART_* */
#define PARTS		2

/**
 * struct port_parts - a port, and what it lacks
 * @generation: generation of its device
 * @port: its number
 * @missing: RDMAEV_PART_*
 */
struct port_parts {
	uint32_t generation;
	uint32_t port;
	uint32_t missing;
};

/**
 * struct parts - the ports that lack something
 * @list: ports, @count of them
 */
struct parts {
	struct port_parts *list;
	size_t count;
};

/*
 * Compare the ports of a host with each other. 0, or -1 after a message. Free
 * parts->list.
 */
int read_parts(struct parts *parts, const struct snapshot *s);

/* RDMAEV_PART_* that a port lacks */
uint32_t missing_parts(const struct parts *parts, const struct rdmaev_port *port);

#endif /* ULIB_PARTS_H */
