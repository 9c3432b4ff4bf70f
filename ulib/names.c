// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The name that a device had when an event happened.
 *
 * Records carry index and generation; a name belongs to a generation from some
 * seq on, until a rename. So names are kept by generation and seq: events can be
 * read in any order, backwards after a seek too, and each finds its name. Three
 * things tell names: device records that the caller reads, device records read
 * from a second reader where the caller's filter or position passes them
 * by, and the kernel's list of devices.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Beyond that the oldest generations are forgotten. */
#define NAMES_MAX	4096

/* A name in a record is cut to that; the whole is in the list of devices. */
#define CUT		(sizeof(((struct rdmaev_device_body *)0)->name) - 1)

/**
 * struct name - a name that came into force
 * @generation: whose
 * @renamed: by a rename: it did not have this name before
 * @seq: since when, or when it was first seen
 * @name: the name
 */
struct name {
	uint32_t generation;
	bool renamed;
	uint64_t seq;
	char name[64];
};

/* Index of the first entry after @seq of @generation. */
static size_t place(const struct names *names, uint32_t generation, uint64_t seq)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct name *name = &names->list[mid];

		if (name->generation < generation ||
		    (name->generation == generation && name->seq <= seq))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const char *lookup(const struct names *names, uint32_t generation,
			  uint64_t seq)
{
	size_t i = place(names, generation, seq);

	if (i && names->list[i - 1].generation == generation)
		return names->list[i - 1].name;
	/*
	 * It had its first known name before, unless that came by a rename, or
	 * one may be among what could not be read.
	 */
	if (i < names->count && names->list[i].generation == generation &&
	    !names->list[i].renamed && seq > names->known_from)
		return names->list[i].name;
	return NULL;
}

/* True if @cut is @whole, or what a record can hold of it. */
static bool same_name(const char *cut, const char *whole)
{
	size_t len = strlen(cut);

	return !strcmp(cut, whole) ||
	       (len == CUT && !strncmp(cut, whole, len));
}

static bool make_room(struct names *names)
{
	size_t room = names->room ? 2 * names->room : 16;
	struct name *list;

	if (names->count < names->room)
		return true;
	list = realloc(names->list, room * sizeof(*list));
	if (!list)
		return false;
	names->list = list;
	names->room = room;
	return true;
}

/* A rename to a name that is cut may look like none: it always counts. */
static void add(struct names *names, uint32_t generation, uint64_t seq,
		const char *text, bool renamed)
{
	size_t i = place(names, generation, seq);
	struct name *before, *name;

	before = i ? &names->list[i - 1] : NULL;
	if (before && before->generation == generation &&
	    (before->seq == seq ||
	     (!renamed && same_name(text, before->name))))
		return;

	if (names->count == NAMES_MAX) {
		if (!i)
			return;
		names->count--;
		memmove(names->list, names->list + 1,
			names->count * sizeof(*names->list));
		i--;
	} else if (!make_room(names)) {
		names->incomplete = true;
		return;
	}
	name = names->list + i;
	memmove(name + 1, name, (names->count - i) * sizeof(*name));
	names->count++;
	/* Events get all of its bytes. */
	memset(name, 0, sizeof(*name));
	name->generation = generation;
	name->seq = seq;
	name->renamed = renamed;
	snprintf(name->name, sizeof(name->name), "%s", text);
}

void names_learn(struct names *names, const struct rdmaev_record *record)
{
	char text[CUT + 1];

	if (record->kind == RDMAEV_KIND_LOST) {
		names->behind = true;
		names->incomplete = true;
	}
	if (record->kind != RDMAEV_KIND_DEVICE || !record->generation)
		return;
	memcpy(text, record->body.device.name, CUT);
	text[CUT] = '\0';
	if (!*text)
		return;
	if (strlen(text) == CUT)
		names->incomplete = true;
	add(names, record->generation, record->seq, text,
	    record->code == RDMAEV_DEVICE_RENAME);
}

/* The list of devices tells whole names: complete those that were cut. */
static void learn_whole(struct names *names, const struct rdmaev_device *device,
			uint64_t seq)
{
	char text[sizeof(device->name)];
	size_t i;

	memcpy(text, device->name, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	if (!*text)
		return;
	for (i = place(names, device->generation, 0); i < names->count; i++) {
		struct name *name = &names->list[i];

		if (name->generation != device->generation)
			break;
		if (same_name(name->name, text))
			memcpy(name->name, text, sizeof(text));
	}
	add(names, device->generation, seq, text, false);
}

/* Ask the kernel for the devices that there are and were. */
static int ask(struct names *names)
{
	struct rdmaev_devices devices = {
		.size = sizeof(devices),
		.flags = RDMAEV_DEVICES_GONE,
		.entry_size = sizeof(struct rdmaev_device),
	};
	struct transport *t = names->transport;
	struct rdmaev_device *list = NULL;
	size_t room = 64, i;
	ssize_t n;

	for (;;) {
		struct rdmaev_device *larger;

		larger = realloc(list, room * sizeof(*list));
		if (!larger) {
			n = -1;
			break;
		}
		list = larger;
		devices.count = (uint32_t)room;
		devices.entries = (uintptr_t)list;
		n = t->ops->devices(t, &devices) ? -1 : (ssize_t)devices.count;
		if (n < 0 || (size_t)n <= room)
			break;
		room = (size_t)n + 16;
	}
	if (n >= 0)
		names->incomplete = false;
	for (i = 0; n > 0 && i < (size_t)n; i++)
		learn_whole(names, &list[i], devices.seq);
	free(list);
	if (n < 0)
		return -1;
	names->asked = devices.seq;
	return 0;
}

/* Read the device records that are there and were not looked at yet. */
static void catch_up(struct names *names)
{
	struct rdmaev_record records[BATCH];
	struct transport *t = names->transport;
	ssize_t n, i;

	for (;;) {
		n = t->ops->read(t, records, BATCH);
		if (n < 1)
			break;
		for (i = 0; i < n; i++) {
			/* A rename may be among them: the name before is not known. */
			if (records[i].kind == RDMAEV_KIND_LOST)
				names->overwritten = records[i].body.lost.last;
			names_learn(names, &records[i]);
		}
	}
	/* What could not be had is still there, and not behind us. */
	if (n < 0 && errno != EAGAIN)
		return;
	names->behind = false;
	names->known_from = names->overwritten;
}

int names_open(struct names *names, struct transport *transport)
{
	struct rdmaev_filter filter;
	int error;

	names->transport = transport;
	rdmaev_filter_init(&filter);
	filter.kinds = 1U << RDMAEV_KIND_DEVICE;
	if (transport->ops->set_filter(transport, &filter) < 0 ||
	    transport->ops->seek(transport, 1, SEEK_SET) < 0 || ask(names) < 0) {
		error = errno;
		names_close(names);
		errno = error;
		return -1;
	}
	names->known_from = names->asked;
	return 0;
}

void names_close(struct names *names)
{
	names->transport->ops->close(names->transport);
	free(names->list);
}

static const char *find(struct names *names, const struct rdmaev_record *record,
			uint64_t seq)
{
	const char *name = lookup(names, record->generation, seq);

	/* A list that is newer than the record and lacks it has no answer. */
	if (!name && record->seq > names->asked && !ask(names))
		name = lookup(names, record->generation, seq);
	return name;
}

static bool needs_catch_up(const struct names *names,
			   const struct rdmaev_event *events, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct rdmaev_record *record = &events[i].record;

		if (record->generation &&
		    (names->behind || record->seq <= names->known_from ||
		     !lookup(names, record->generation, record->seq)))
			return true;
	}
	return false;
}

void names_fill(struct names *names, struct rdmaev_event *events, size_t n)
{
	size_t i;

	/*
	 * Every device record before the newest event was in the log before
	 * that event could be read: reading them now misses none.
	 */
	if (needs_catch_up(names, events, n))
		catch_up(names);
	if (names->incomplete)
		ask(names);

	for (i = 0; i < n; i++) {
		struct rdmaev_event *event = &events[i];
		const struct rdmaev_record *record = &event->record;
		const char *name;

		if (!record->generation)
			continue;
		name = find(names, record, record->seq);
		if (name)
			memcpy(event->device_name, name, sizeof(event->device_name));
		else
			snprintf(event->device_name, sizeof(event->device_name),
				 "#%u", record->device);
		if (record->kind != RDMAEV_KIND_DEVICE ||
		    record->code != RDMAEV_DEVICE_RENAME)
			continue;
		name = lookup(names, record->generation, record->seq - 1);
		if (name)
			memcpy(event->old_name, name, sizeof(event->old_name));
	}
}

bool event_has_name(const struct rdmaev_event *event)
{
	char unknown[16];

	snprintf(unknown, sizeof(unknown), "#%u", event->record.device);
	return *event->device_name && strcmp(event->device_name, unknown);
}
