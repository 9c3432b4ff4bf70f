/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the parts of librdmaev share with each other and with nobody else. */
#ifndef ULIB_INTERNAL_H
#define ULIB_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything else is built with hidden visibility. */
#pragma GCC visibility push(default)
#include <rdmaev.h>
#pragma GCC visibility pop

#include "text.h"

/* Records taken from the kernel by one read(2). */
#define BATCH	64

/* Later versions only add to it: a part that is missing says ENOTTY. */
#define ABI_OLDEST	1

/**
 * struct names - the names that devices had, and when
 * @fd: a reader of its own for device records alone, or -1. The caller's filter
 *	and position must not decide which renames are known
 * @behind: device records may have passed that were not learnt
 * @incomplete: a name may be missing that no record will tell: ask the kernel
 * @known_from: names are complete for records with a seq above this
 * @asked: seq that the kernel's last list of devices was true of
 * @count: entries used
 * @room: entries allocated
 * @list: ascending by generation and seq
 */
struct names {
	int fd;
	bool behind;
	bool incomplete;
	uint64_t known_from;
	uint64_t asked;
	size_t count;
	size_t room;
	struct name *list;
};

int names_open(struct names *names, const char *path);
void names_close(struct names *names);

/* Learn what a record tells. */
void names_learn(struct names *names, const struct rdmaev_record *record);

/* Fill in the names of @n events, in any order. */
void names_fill(struct names *names, struct rdmaev_event *events, size_t n);

/**
 * struct rdmaev - an open reader
 * @fd: the node, always O_NONBLOCK: waiting is done in ppoll(2), where no lock
 *	is held
 * @nonblock: opened with RDMAEV_NONBLOCK
 * @lock: one read(2) and what is learnt from it at a time, so that names are
 *	learnt in the order of the log. Protects all below
 * @watermark: as set by rdmaev_set_wakeup()
 * @devices_pass: the filter lets every device record pass
 * @names: names of devices
 */
struct rdmaev {
	int fd;
	bool nonblock;
	pthread_mutex_t lock;
	uint32_t watermark;
	bool devices_pass;
	struct names names;
};

int node_open(const char *path);
ssize_t node_devices(int fd, struct rdmaev_device *list, size_t entry_size,
		     size_t n, unsigned int flags, uint64_t *seq);

/* Name of an event, made up from its number where there is none. */
void put_event_name(struct text *t, unsigned int kind, unsigned int code);

/* True if the name of the event's device is known. */
bool event_has_name(const struct rdmaev_event *event);

/* True if the number of the event's object is known. */
bool event_has_object(const struct rdmaev_record *r);

void format_json(struct text *t, const struct rdmaev_event *event);

#endif /* ULIB_INTERNAL_H */
