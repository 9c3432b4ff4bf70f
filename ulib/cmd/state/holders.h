/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Processes that have a device open which is being removed */
#ifndef ULIB_HOLDERS_H
#define ULIB_HOLDERS_H

#include <rdmaev.h>

#include "text.h"

/* Those that are named */
#define HOLDERS		8

/**
 * struct holders - processes with open files of a device
 * @list: their pids and names, @count of them
 * @others: number of others
 */
struct holders {
	struct {
		unsigned int pid;
		char comm[16];
	} list[HOLDERS];
	size_t count;
	size_t others;
};

/*
 * A removal waits until programs close the device, unless its driver can take it from
 * them. They have files of ib_uverbs open: of the node of the device or, once the removal
 * has taken that away, of any that is gone. Whose files the user may not see are left
 * out; so are all if the log was recorded.
 */
struct holders find_holders(const struct rdmaev_device *device);

/* ", held by python3[155], ibv_asyncwatch[160] and 3 others", or nothing */
void put_holders(struct text *t, const struct rdmaev_device *device);
void json_holders(struct text *t, const struct rdmaev_device *device);

#endif /* ULIB_HOLDERS_H */
