/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Devices and ports that the command line names, among those that there are */
#ifndef ULIB_TARGETS_H
#define ULIB_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmaev.h>

#include "option/arguments.h"
#include "option/options.h"
#include "snapshot.h"

/*
 * Say that no device of the list has the name, and why: it was removed or renamed, or the
 * name is another one. Changes filter and position of @h
 */
void complain_absent(struct rdmaev *h, const struct target *target,
		     const struct rdmaev_device *list, size_t n);

/*
 * Keep the selected devices and ports with all their data; all if none is
 * selected. Returns 0, or -1 after a message if one does not exist. With @again
 * it may have been removed; names with a `*` need not match.
 */
int select_targets(struct rdmaev *h, struct snapshot *s, const struct target *targets,
		   size_t count, bool again);

/* Add it to a filter that has room for it. */
void add_target(struct rdmaev_filter *f, const struct target *target);

#define TARGETS_LOG	(1U << 0)	/* only past records are wanted */
#define TARGETS_NEW	(1U << 1)	/* a device that never existed, too */
#define TARGETS_ANY_PORT (1U << 2)	/* the caller checks the port */
#define TARGETS_MATCH	(1U << 3)	/* a name with a `*` must match, too */
/* 0, or -1 after a message on targets that cannot be meant. May set a filter. */
int check_targets(struct rdmaev *h, const struct options *o, unsigned int flags,
		  const struct target *targets, size_t count);

#endif /* ULIB_TARGETS_H */
