/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Differences between kernels in function tracing, for the observer alone */
#ifndef RDMAEV_COMPAT_TRACE_H
#define RDMAEV_COMPAT_TRACE_H

#include <linux/ftrace.h>
#include <linux/ptrace.h>

/*
 * Define or declare a function for a struct ftrace_ops. RDMAEV_FTRACE_ARG(n) in
 * it is the nth argument of the traced function: since Linux 5.11 from a struct
 * ftrace_regs; where the architecture does not save the arguments for all
 * functions, all registers are requested. The functions that are traced are not
 * called by these, so no protection from recursion is needed.
 */
#define RDMAEV_FTRACE_FN(name)						\
void notrace name(unsigned long ip, unsigned long parent_ip,		\
		  struct ftrace_ops *ops, struct RDMAEV_FTRACE_REGS *regs)

#ifndef HAVE_FTRACE_REGS
#define RDMAEV_FTRACE_REGS	pt_regs
#define RDMAEV_FTRACE_FLAGS						\
	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#define RDMAEV_FTRACE_ARG(n)	regs_get_kernel_argument(regs, n)
#else
#define RDMAEV_FTRACE_REGS	ftrace_regs
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define RDMAEV_FTRACE_FLAGS	FTRACE_OPS_FL_SAVE_REGS
#define RDMAEV_FTRACE_ARG(n)						\
	regs_get_kernel_argument(ftrace_get_regs(regs), n)
#else
#define RDMAEV_FTRACE_FLAGS	0
#ifdef ftrace_regs_get_argument
#define RDMAEV_FTRACE_ARG(n)	ftrace_regs_get_argument(regs, n)
#else
#define RDMAEV_FTRACE_ARG(n)	regs_get_kernel_argument(&regs->regs, n)
#endif
#endif
#endif

/*
 * Free what ftrace_set_filter() has allocated. Linux 5.10 does not export the
 * function; there an empty filter of some bytes remains.
 */
static inline void rdmaev_ftrace_free_filter(struct ftrace_ops *ops)
{
#ifdef HAVE_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

#endif /* RDMAEV_COMPAT_TRACE_H */
