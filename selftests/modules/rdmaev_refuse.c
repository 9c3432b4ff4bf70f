// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Has calls of a function of the kernel fail that modules of rdmaev make: a registration,
 * or the opposite.
 *
 *   insmod rdmaev_refuse.ko symbol=FUNCTION [error=-ERRNO] [nth=N]
 *
 * /sys/module/rdmaev_refuse/parameters/calls: calls of those modules so far
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/string.h>

static char *symbol = "";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function; it returns an int");

static int error = -ENOMEM;
module_param(error, int, 0444);
MODULE_PARM_DESC(error, "what it returns (default -ENOMEM)");

static int nth;
module_param(nth, int, 0444);
MODULE_PARM_DESC(nth, "only the nth call fails (default 0: all)");

static unsigned int calls;
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "number of calls");

/* In place of the function: called as that is, it returns to its caller. */
static int refuse(void)
{
	return error;
}

static bool refuse_is_called_by_rdmaev(const struct pt_regs *regs)
{
	/* At the entry of a function, that is the return address. */
	unsigned long caller = *(unsigned long *)kernel_stack_pointer((struct pt_regs *)regs);
	char text[80];

	snprintf(text, sizeof(text), "%ps", (void *)caller);
	/* A worker that changes a client goes on with the one that it has. */
	return strstr(text, "[rdmaev") && !strstarts(text, "herald_change");
}

static int refuse_entry(struct kprobe *probe, struct pt_regs *regs)
{
	if (!refuse_is_called_by_rdmaev(regs))
		return 0;
	/* Those modules are loaded and unloaded by one thread. */
	calls++;
	if (nth && calls != nth)
		return 0;
	instruction_pointer_set(regs, (unsigned long)refuse);
	return 1;
}

/* With it, the kprobe is not optimized, and may have the function go on elsewhere. */
static void refuse_post(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe refuse_probe = {
	.pre_handler = refuse_entry,
	.post_handler = refuse_post,
};

static int __init refuse_init(void)
{
	if (!IS_ENABLED(CONFIG_X86_64))
		return -EOPNOTSUPP;
	refuse_probe.symbol_name = symbol;
	return register_kprobe(&refuse_probe);
}

static void __exit refuse_exit(void)
{
	unregister_kprobe(&refuse_probe);
}

module_init(refuse_init);
module_exit(refuse_exit);

MODULE_DESCRIPTION("Failing functions of the kernel");
MODULE_AUTHOR("The rdmaev authors");
MODULE_LICENSE("Dual BSD/GPL");
