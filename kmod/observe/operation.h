/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Operations of devices that are replaced by functions of this module, which call the
 * driver's and look at the result.
 */
#ifndef OBSERVE_OPERATION_H
#define OBSERVE_OPERATION_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "hook.h"

/**
 * struct observe_operation - an operation
 * @name: its name in struct ib_device_ops
 * @offset: its place there
 * @fn: the function in its place. It calls observe_operation_enter() first and
 *	observe_operation_leave() last, or is under RCU in between
 * @wanted: module parameter that enables it
 * @facts: RDMAEV_OBSERVED_*: what it observes
 * @missed: number of calls that could not be taken into account, NULL: none
 */
struct observe_operation {
	const char *name;
	size_t offset;
	void *fn;
	const bool *wanted;
	u32 facts;
	u64 (*missed)(void);
};

/* The function must have the type that the headers of the kernel say. */
#define OBSERVE_OPERATION(op, function)						\
	.name = #op,								\
	.offset = offsetof(struct ib_device_ops, op) +				\
		  BUILD_BUG_ON_ZERO(!__same_type(((struct ib_device_ops *)NULL)->op, \
						 &(function))),			\
	.fn = (function)

/**
 * struct observe_driver - operations of a driver that are replaced
 * @ops: all as they were when the device came
 * @is_leaving: the device is being removed, or moves to another network namespace
 */
struct observe_driver {
	struct ib_device_ops ops;
	bool is_leaving;
};

const struct observe_driver *observe_driver_of(const struct ib_device *ib);

/*
 * Get an operation of the driver, for the function that is in its place. Called under
 * RCU. A device has an entry before the operation is replaced, and until it is
 * restored: if there is none, the device has the driver's.
 */
#define observe_driver_op(ib, op, function) ({					\
	const struct observe_driver *driver_of_op;				\
	typeof((ib)->ops.op) driver_op;						\
										\
	do {									\
		driver_of_op = observe_driver_of(ib);				\
		/* Pairs with smp_store_release() in operation_replace(). */	\
		driver_op = driver_of_op ? driver_of_op->ops.op :		\
					   smp_load_acquire(&(ib)->ops.op);	\
	} while (driver_op == (function));					\
	driver_op;								\
})

int observe_operation_enter(void);
void observe_operation_leave(int key);

int observe_operations_init(const struct observe_operation *operations,
			    unsigned int count);
void observe_operations_exit(void);
void observe_operations_check(void);
bool observe_operations_replaced(const struct ib_device *ib);
void observe_operations_each(observe_visit_fn visit, void *data);

#endif /* OBSERVE_OPERATION_H */
