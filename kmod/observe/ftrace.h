/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Functions that are called at the entry of others */
#ifndef OBSERVE_FTRACE_H
#define OBSERVE_FTRACE_H

#include <linux/types.h>

#include "compat_trace.h"

/**
 * struct observe_ftrace - a function at the entry of another one
 * @ops: its registration, by which it finds the structure that this one is in
 * @is_armed: it is registered
 *
 * By an ftrace_ops of its own for each: that costs a third of a kprobe, and a kprobe misses
 * calls while another one runs on its CPU. Who has it arms and disarms it, one at a time.
 */
struct observe_ftrace {
	struct ftrace_ops ops;
	bool is_armed;
};

int observe_ftrace_arm(struct observe_ftrace *trace, ftrace_func_t fn, const char *symbol,
		       unsigned long address);
int observe_ftrace_disarm(struct observe_ftrace *trace);

void observe_ftrace_keep_on(void);
bool observe_ftrace_waits(int ret);
void observe_ftrace_end(void);

#endif /* OBSERVE_FTRACE_H */
