// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Addresses of this host's devices: a QP of the same number can be on another host. */
#include <stdlib.h>
#include <string.h>

#include "incident_codes.h"
#include "incident_own.h"

/* More than that, when there is room for no more */
#define MORE	64

/* How many of the last ones are not added again */
#define RECENT	8

static int compare_own(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct own_gid));
}

/* Is it one of those that were added last? Most connections have one of a few. */
static bool was_just_added(const struct incident_log *log, const struct own_gid *own)
{
	size_t i = log->own_count;

	while (i-- && i + RECENT >= log->own_count)
		if (!compare_own(&log->own[i], own))
			return true;
	return false;
}

int add_own(struct incident_log *log, uint32_t generation, const uint8_t gid[RDMAEV_GID_SIZE])
{
	static const uint8_t empty[RDMAEV_GID_SIZE];
	struct own_gid own = { .generation = generation };

	memcpy(own.gid, gid, sizeof(own.gid));
	if (!memcmp(gid, empty, sizeof(empty)) || was_just_added(log, &own))
		return 0;
	if (log->own_count == log->own_room) {
		const size_t room = 2 * log->own_room + MORE;
		struct own_gid *larger = realloc(log->own, room * sizeof(own));

		if (!larger)
			return -1;
		log->own = larger;
		log->own_room = room;
	}
	log->own[log->own_count++] = own;
	return 0;
}

static int add_of_record(struct incident_log *log, const struct rdmaev_record *r)
{
	const struct rdmaev_port_body *port = &r->body.port;

	if (is_code(r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID))
		return add_own(log, r->generation, port->before.gid) ?:
		       add_own(log, r->generation, port->after.gid);
	if (r->kind == RDMAEV_KIND_CM && r->generation &&
	    r->body.info.known & RDMAEV_KNOWN_LOCAL_ADDR)
		return add_own(log, r->generation, r->body.cm.local_addr);
	return 0;
}

/* Each once, to be found: there may be as many as records. */
static void sort_own(struct incident_log *log)
{
	size_t i, n = 0;

	if (!log->own_count)
		return;
	qsort(log->own, log->own_count, sizeof(*log->own), compare_own);
	for (i = 0; i < log->own_count; i++)
		if (!i || compare_own(&log->own[i], &log->own[n - 1]))
			log->own[n++] = log->own[i];
	log->own_count = n;
}

int list_own(struct incident_log *log)
{
	size_t i;

	for (i = 0; i < log->ports_count; i++)
		if (add_own(log, log->ports[i].generation, log->ports[i].gid) < 0)
			return -1;
	for (i = 0; i < log->count; i++)
		if (add_of_record(log, &log->nodes[i].r) < 0)
			return -1;
	sort_own(log);
	return 0;
}

bool is_own(const struct incident_log *log, uint32_t generation,
	    const uint8_t gid[RDMAEV_GID_SIZE])
{
	struct own_gid key = { .generation = generation };

	memcpy(key.gid, gid, sizeof(key.gid));
	return log->own_count && bsearch(&key, log->own, log->own_count, sizeof(key), compare_own);
}

bool is_own_lid(const struct incident_log *log, uint32_t generation, uint32_t lid)
{
	size_t i;

	for (i = 0; i < log->ports_count; i++)
		if (log->ports[i].generation == generation && log->ports[i].lid == lid)
			return true;
	return false;
}
