/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RDMAEV_FILTER_H
#define RDMAEV_FILTER_H

#include <linux/types.h>
#include <uapi/rdma/rdmaev.h>

#include "log/log.h"

/**
 * struct rdmaev_match - a filter, prepared to be matched with records
 * @filter: filter; NULL: everything matches
 * @interest: what can match, for the log
 * @target_len: for each target in @filter the number of bytes of a name to
 *	compare
 * @devices: rdmaev_device_bit() of the names that can match
 * @pid: pid of @filter in the pid namespace of records
 * @users: user namespace of @filter; NULL: the initial one, as that of records
 */
struct rdmaev_match {
	const struct rdmaev_filter *filter;
	struct rdmaev_interest interest;
	u8 target_len[RDMAEV_TARGETS];
	u64 devices;
	u32 pid;
	struct user_namespace *users;
};

u64 rdmaev_device_bit(const char *name);

bool rdmaev_target_is_valid(const struct rdmaev_target *t);
bool rdmaev_filter_is_valid(const struct rdmaev_filter *f);
unsigned int rdmaev_match_set(struct rdmaev_match *m,
			      const struct rdmaev_filter *f, u32 pid,
			      struct user_namespace *users);
bool rdmaev_match(const struct rdmaev_match *m, const struct rdmaev_record *rec);

#endif /* RDMAEV_FILTER_H */
