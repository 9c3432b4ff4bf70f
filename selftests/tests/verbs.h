/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Helpers of tests that use libibverbs */
#ifndef VERBS_H
#define VERBS_H

#include <string.h>

#include <infiniband/verbs.h>

/* Open a device by its name; NULL if there is none. */
static inline struct ibv_context *verbs_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i] && !ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

#endif /* VERBS_H */
