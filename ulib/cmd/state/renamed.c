// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A record has the name that its device had at that time. Who looks for a device
 * knows the name that it has now, and means all that happened to it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "option/arguments.h"
#include "ports.h"
#include "renamed.h"
#include "snapshot.h"

static const struct rdmaev_device *find_generation(const struct rdmaev_device *devices,
						   size_t count, uint32_t generation)
{
	size_t d;

	for (d = 0; d < count; d++)
		if (devices[d].generation == generation)
			return &devices[d];
	return NULL;
}

const char *name_now(const struct rdmaev_device *devices, size_t count,
		     uint32_t generation)
{
	const struct rdmaev_device *device = find_generation(devices, count, generation);

	return device ? device->name : NULL;
}

const struct rdmaev_device *device_before(const struct rdmaev_device *devices, size_t count,
					  const struct rdmaev_device *device)
{
	/* A recording can have any numbers. */
	if (!device->previous || device->previous >= device->generation)
		return NULL;
	return find_generation(devices, count, device->previous);
}

const char *name_before(const struct rdmaev_device *devices, size_t count,
			const struct rdmaev_device *device)
{
	const struct rdmaev_device *before = device;
	unsigned int i;

	/* A module remembers no more; a recording can have any number. */
	for (i = 0; i < RDMAEV_REMOVED_KEPT; i++) {
		before = device_before(devices, count, before);
		if (!before)
			return NULL;
		if (strcmp(before->name, device->name))
			return before->name;
	}
	return NULL;
}

static bool is_one_of(const struct target *targets, size_t count, const char *name)
{
	size_t i;

	for (i = 0; name && i < count; i++)
		if (is_target(&targets[i], name))
			return true;
	return false;
}

/* Counters remain when the record of a rename is overwritten. */
static bool was_renamed(const struct snapshot *s, const struct target *targets, size_t count)
{
	size_t i;

	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];

		if (counter->kind == RDMAEV_KIND_DEVICE &&
		    counter->code == RDMAEV_DEVICE_RENAME && counter->count &&
		    is_one_of(targets, count, name_now(s->devices, s->devices_count,
						       counter->generation)))
			return true;
	}
	return false;
}

int find_renamed(struct rdmaev *h, struct renamed *renamed,
		 const struct target *targets, size_t count)
{
	struct snapshot s = { .devices = NULL };

	memset(renamed, 0, sizeof(*renamed));
	if (!count)
		return 0;
	if (take_snapshot(h, &s, true, true) < 0)
		return -1;
	if (was_renamed(&s, targets, count)) {
		renamed->devices = s.devices;
		renamed->count = s.devices_count;
		renamed->seq = s.seq;
		s.devices = NULL;
	}
	free_snapshot(&s);
	return 0;
}

bool is_of_renamed(const struct renamed *renamed, const struct target *targets,
		   size_t count, const struct rdmaev_record *r)
{
	const char *name = NULL;

	if (!renamed->count || r->kind == RDMAEV_KIND_OBSERVER)
		return true;
	/* Later records have the new name, or another one. */
	if (r->seq <= renamed->seq)
		name = name_now(renamed->devices, renamed->count, r->generation);
	return is_of_targets(targets, count, r, name);
}

/* The record says that its device had this name before. */
static bool had_name(const struct rdmaev_record *r, const struct target *target)
{
	return r->kind == RDMAEV_KIND_DEVICE && *r->body.device.old_name &&
	       is_target(target, r->body.device.old_name);
}

/* Generation of the device that had this name last, before it got another; 0: none */
static uint32_t find_old_name(struct rdmaev *h, const struct target *target)
{
	struct rdmaev_record r;
	struct rdmaev_filter f;
	uint32_t generation = 0;
	ssize_t n;

	rdmaev_filter_init(&f);
	f.kinds = 1U << RDMAEV_KIND_DEVICE;
	if (rdmaev_set_filter(h, &f) < 0 || rdmaev_seek(h, 0, SEEK_SET) < 0)
		return 0;
	for (;;) {
		n = rdmaev_read(h, &r, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return generation;
		if (had_name(&r, target))
			generation = r.generation;
	}
}

static const struct rdmaev_port *find_by_netdev(const struct snapshot *s,
						const struct target *target)
{
	char buf[IF_NAMESIZE];
	size_t p;

	for (p = 0; p < s->ports_count; p++) {
		const char *name = netdev_name(&s->ports[p], buf);

		if (name && is_target(target, name))
			return &s->ports[p];
	}
	return NULL;
}

static bool complain_found(const struct snapshot *s, struct rdmaev *h,
			   const struct target *target)
{
	const struct rdmaev_port *port = find_by_netdev(s, target);
	const char *name = name_now(s->devices, s->devices_count,
				    port ? port->generation : find_old_name(h, target));

	if (name && port)
		complain("%s: is the network device of %s/%u: use that name", target->text,
			 name, port->port);
	else if (name)
		complain("%s: the device has another name now: %s", target->text, name);
	return name;
}

bool complain_other_name(struct rdmaev *h, const struct target *target)
{
	struct snapshot s = { .devices = NULL };
	bool found;

	if (target->is_prefix || take_snapshot(h, &s, false, false) < 0)
		return false;
	found = complain_found(&s, h, target);
	free_snapshot(&s);
	return found;
}
