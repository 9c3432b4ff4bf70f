/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Devices and ports that the command line names, among those that there are */
#ifndef ULIB_TARGETS_H
#define ULIB_TARGETS_H

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

#endif /* ULIB_TARGETS_H */
