/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Operations of devices that are replaced by functions of this module, which call the
 * driver's and look at the result.
 */
#ifndef OBSERVE_OPERATION_H
#define OBSERVE_OPERATION_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "entry.h"

/**
 * struct observe_operation - an operation
 * @name: its name
 * @offset: its place in struct ib_device
 * @wanted: module parameter that enables it
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @needs: status of what ends the entries that this one begins, as it was when the
 *	operations were replaced: not replaced unless that is armed; NULL: none
 * @missed: number of calls that could not be taken into account, NULL: none
 */
struct observe_operation {
	const char *name;
	size_t offset;
	const bool *wanted;
	u32 facts;
	const int *needs;
	u64 (*missed)(void);
};

/*
 * A function in place of an operation runs between observe_operation_enter() and
 * observe_operation_leave(); or under RCU, if it does not sleep.
 */
const struct ib_device_ops *observe_operation_enter(const struct ib_device *ib, bool *is_held);
void observe_operation_leave(bool is_held);
const struct ib_device_ops *observe_driver_ops(const struct ib_device *ib);
bool observe_device_is_leaving(const struct ib_device *ib);
u32 observe_device_tried(const struct ib_device *ib, u32 seen, u32 unseen);
u32 observe_device_unseen(const struct ib_device *ib);

int observe_operations_init(const struct ib_device_ops *ours,
			    const struct observe_operation *operations,
			    unsigned int count);
void observe_operations_exit(void);
s64 observe_operations_late(void);
bool observe_operations_check(void);
bool observe_ends_replaced(const struct ib_device *ib);
void observe_operations_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_OPERATION_H */
