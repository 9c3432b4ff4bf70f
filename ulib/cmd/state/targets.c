// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Devices and ports that the command line names */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "catalogue.h"
#include "renamed.h"
#include "targets.h"

void add_target(struct rdmaev_filter *f, const struct target *target)
{
	struct rdmaev_target *t = &f->target[f->targets++];

	memcpy(t->device, target->name, target->name_len);
	if (target->is_prefix)
		t->device[target->name_len] = '*';
	if (target->port != RDMAEV_ANY) {
		t->flags = RDMAEV_TARGET_PORT;
		t->port = target->port;
	}
}

/* Return true if a record in the log has this name. Keeps the read position. */
static bool is_in_log(struct rdmaev *h, const struct target *target)
{
	int64_t at = rdmaev_seek(h, 0, SEEK_CUR);
	struct target device = *target;
	struct rdmaev_record record;
	struct rdmaev_filter f;
	ssize_t n;

	device.port = RDMAEV_ANY;
	rdmaev_filter_init(&f);
	/* They have no device, and pass every target. */
	f.kinds = ((2U << RDMAEV_KIND_MAX) - 2) & ~(1U << RDMAEV_KIND_OBSERVER);
	add_target(&f, &device);
	if (at < 0 || rdmaev_set_filter(h, &f) < 0 ||
	    rdmaev_seek(h, 0, SEEK_SET) < 0)
		return false;
	do
		n = rdmaev_read(h, &record, 1);
	while (n < 0 ? errno == EINTR : record.kind == RDMAEV_KIND_LOST);
	return rdmaev_seek(h, at, SEEK_SET) >= 0 && n > 0;
}

/* No device has this name, and none had. */
static void complain_unknown(struct rdmaev *h, unsigned int flags,
			     const struct target *target,
			     const struct rdmaev_device *list, size_t n)
{
	char name[RDMAEV_DEVICE_NAME_SIZE];
	struct guess guess = { .name = name };
	unsigned int kind, code;
	size_t i;

	if (complain_other_name(h, target))
		return;
	memcpy(name, target->name, target->name_len);
	name[target->name_len] = '\0';
	for (i = 0; i < n; i++)
		consider(&guess, list[i].name);
	if (!guess.count && !strpbrk(name, "0123456789") &&
	    !rdmaev_event_parse(name, &kind, &code))
		complain("%s: is an event, not a device: %s -e %s", target->text,
			 flags & TARGETS_LOG ? "rdmaev log" : "use", target->text);
	else
		complain("%s: no such device, now or before%s (rdmaev devices --removed lists them)",
			 target->text, guess_text(&guess));
}

/* Those of a switch begin with 0. */
static bool has_port(const struct target *target, const struct rdmaev_device *device)
{
	uint32_t first = device->node_type == NODE_TYPE_SWITCH ? 0 : 1;

	return target->port == RDMAEV_ANY || target->port - first < device->ports;
}

static void note_missing(const struct target *target, const struct rdmaev_device *device)
{
	if (!device)
		complain("%s: no such device now; waiting for it", target->text);
	else if (!has_port(target, device))
		complain("%s: the device has %u port%s now; waiting anyway",
			 target->text, device->ports, device->ports == 1 ? "" : "s");
}

/**
 * struct known - what is known of a target
 * @now: a device that matches it, or NULL
 * @before: or there was one
 */
struct known {
	const struct rdmaev_device *now;
	bool before;
};

static struct known look_up(const struct target *target,
			    const struct rdmaev_device *list, size_t n)
{
	struct known known = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		if (!is_target(target, list[i].name))
			continue;
		known.before = true;
		/* Of several, one that has the port */
		if (!(list[i].flags & RDMAEV_DEVICE_FLAG_REMOVED) &&
		    (!known.now || known.now->ports < list[i].ports))
			known.now = &list[i];
	}
	return known;
}

/*
 * A removed device can be added again, and its records are in the log; a
 * misspelt name never matches. Only wait accepts a device that never existed.
 * Names with a `*` need not match, unless TARGETS_MATCH says so. Continue if the
 * list is not available.
 */
int check_targets(struct rdmaev *h, const struct options *o, unsigned int flags,
		  const struct target *targets, size_t count)
{
	struct rdmaev_device *list = NULL;
	ssize_t n = 0;
	int ret = 0;
	uint64_t seq;
	size_t t;

	if (count)
		n = list_devices(h, true, &list, &seq);
	for (t = 0; n >= 0 && !ret && t < count; t++) {
		const struct target *target = &targets[t];
		struct known known = look_up(target, list, (size_t)n);

		if (!known.before)
			known.before = is_in_log(h, target);
		if (!known.before && target->is_prefix && flags & TARGETS_LOG) {
			if (!o->quiet || flags & TARGETS_MATCH)
				complain("%s: matches no device, now or before (rdmaev devices --removed lists them)",
					 target->text);
			if (flags & TARGETS_MATCH)
				ret = -1;
		} else if (!known.before && !target->is_prefix &&
			   !(flags & TARGETS_NEW)) {
			complain_unknown(h, flags, target, list, (size_t)n);
			ret = -1;
		} else if (!(flags & TARGETS_LOG) && !o->quiet) {
			note_missing(target, known.now);
		} else if (!(flags & TARGETS_ANY_PORT) && !o->quiet && known.now &&
			   !has_port(target, known.now)) {
			complain("%s: the device has %u port%s now", target->text,
				 known.now->ports, known.now->ports == 1 ? "" : "s");
		}
	}
	free(list);
	return ret;
}

static bool is_wanted(const struct target *targets, size_t count, const char *name,
		      uint32_t port)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (is_target(&targets[i], name) &&
		    (port == RDMAEV_NO_PORT || targets[i].port == RDMAEV_ANY ||
		     targets[i].port == port))
			return true;
	return !count;
}

static bool was_removed(struct rdmaev *h, const struct target *target)
{
	struct rdmaev_device *list = NULL;
	bool found = false;
	ssize_t n, d;
	uint64_t seq;

	n = list_devices(h, true, &list, &seq);
	for (d = 0; d < n; d++)
		found |= is_target(target, list[d].name);
	free(list);
	return found;
}

void complain_absent(struct rdmaev *h, const struct target *target,
		     const struct rdmaev_device *list, size_t n)
{
	if (complain_other_name(h, target))
		return;
	if (was_removed(h, target))
		complain("%s: the device was removed (rdmaev log %.*s has what happened)",
			 target->text, (int)target->name_len, target->name);
	else
		complain_device(target->text, target->name_len, list, n);
}

static int check_target(struct rdmaev *h, const struct snapshot *s,
			const struct target *target)
{
	const struct rdmaev_device *found = NULL;
	size_t d;

	/* No device may match at the moment. */
	if (target->is_prefix)
		return 0;
	for (d = 0; d < s->devices_count; d++) {
		if (!is_target(target, s->devices[d].name))
			continue;
		/* Of several, one that has the port */
		if (!found || found->ports < s->devices[d].ports)
			found = &s->devices[d];
	}
	if (!found)
		complain_absent(h, target, s->devices, s->devices_count);
	else if (!has_port(target, found))
		complain("%s: the device has %u port%s", target->text, found->ports,
			 found->ports == 1 ? "" : "s");
	return found && has_port(target, found) ? 0 : -1;
}

int select_targets(struct rdmaev *h, struct snapshot *s, const struct target *targets,
		   size_t count, bool again)
{
	size_t i, kept = 0;

	for (i = 0; i < count && !again; i++)
		if (check_target(h, s, &targets[i]) < 0)
			return -1;
	for (i = 0; i < s->devices_count; i++)
		if (is_wanted(targets, count, s->devices[i].name, RDMAEV_NO_PORT))
			s->devices[kept++] = s->devices[i];
	s->devices_count = kept;
	kept = 0;
	for (i = 0; i < s->ports_count; i++) {
		const struct rdmaev_port *port = &s->ports[i];
		const struct rdmaev_device *device = find_device(s, port->generation);

		if (device && is_wanted(targets, count, device->name, port->port))
			s->ports[kept++] = *port;
	}
	s->ports_count = kept;
	kept = 0;
	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];
		const struct rdmaev_device *device = find_device(s, counter->generation);

		if (device && is_wanted(targets, count, device->name, counter->port))
			s->counters[kept++] = *counter;
	}
	s->counters_count = kept;
	return 0;
}
