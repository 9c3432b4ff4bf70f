// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Functions that are called at the entry of others, by ftrace.
 *
 * Lifetime: ftrace may call what it has not let go of, so this module stays until it has
 * let go of all. Anybody can switch ftrace off. On Linux 6.1, a kprobe that is removed
 * then leaves ftrace with an inconsistency, for which it disables itself when it is
 * switched on again; and the next kprobe that is removed crashes the kernel. So this
 * module keeps ftrace on while it goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "entry.h"
#include "ftrace.h"

static bool ftrace_is_ending;	/* nothing is armed any more; by who exits */
static atomic_t ftrace_armed = ATOMIC_INIT(0);	/* number of those that are armed */

/* Called with @flags beside those that all need; otherwise as observe_ftrace_arm(). */
static int ftrace_arm(struct observe_ftrace *trace, ftrace_func_t fn, const char *symbol,
		      unsigned long address, unsigned long flags)
{
	int ret;

	/*
	 * Begin with an empty one each time: up to Linux 6.12 a struct
	 * ftrace_ops whose filter was freed points to what it had.
	 */
	memset(&trace->ops, 0, sizeof(trace->ops));
	trace->ops.func = fn;
	trace->ops.flags = RDMAEV_FTRACE_FLAGS | flags;
	/* It fails if there is no such function. Without it, all are traced. */
	if (symbol)
		ret = ftrace_set_filter(&trace->ops, (unsigned char *)symbol, strlen(symbol), 1);
	else
		ret = ftrace_set_filter_ip(&trace->ops, address, 0, 1);
	if (ret)
		return ret == -EINVAL ? OBSERVE_MISSING : ret;
	ret = register_ftrace_function(&trace->ops);
	trace->is_armed = !ret;
	if (ret)
		rdmaev_ftrace_free_filter(&trace->ops);
	else
		atomic_inc(&ftrace_armed);
	return ret ?: OBSERVE_ARMED;
}

/**
 * observe_ftrace_arm - have a function called at the entry of another one
 * @trace: not armed
 * @fn: is called
 * @symbol: name of the function that is traced, NULL: by @address
 * @address: its address
 *
 * Return: OBSERVE_ARMED; OBSERVE_MISSING: there is no such function, or it cannot be traced;
 * or -errno.
 */
int observe_ftrace_arm(struct observe_ftrace *trace, ftrace_func_t fn, const char *symbol,
		       unsigned long address)
{
	if (READ_ONCE(ftrace_is_ending))
		return -ESHUTDOWN;
	return ftrace_arm(trace, fn, symbol, address, 0);
}

/**
 * observe_ftrace_disarm - the opposite
 * @trace: armed or not
 *
 * Waits for calls that run.
 *
 * Return: 0; or -errno: ftrace has not let go of it, it is armed.
 */
int observe_ftrace_disarm(struct observe_ftrace *trace)
{
	int ret;

	if (!trace->is_armed)
		return 0;
	ret = unregister_ftrace_function(&trace->ops);
	if (ret)
		return ret;
	rdmaev_ftrace_free_filter(&trace->ops);
	trace->is_armed = false;
	atomic_dec(&ftrace_armed);
	return 0;
}

/* It is traced so that ftrace cannot be switched off. */
static noinline __used void rdmaev_ftrace_pin(void)
{
	barrier();
}

static RDMAEV_FTRACE_FN(ftrace_pin_called)
{
}

static struct observe_ftrace ftrace_pin;

/**
 * observe_ftrace_waits - wait a second, if ftrace has not done what is necessary
 * @ret: of observe_ftrace_disarm()
 *
 * Call it without a lock: it may be called for ever.
 *
 * Return: false if @ret is 0.
 */
bool observe_ftrace_waits(int ret)
{
	if (!ret)
		return false;
	if (ret == -EBUSY)
		pr_warn_once("waiting to be unloaded: ftrace is off, see kernel.ftrace_enabled of sysctl\n");
	else
		pr_err_once("cannot be unloaded: ftrace has failed (%d) and may call this module\n",
			    ret);
	/* No load, and no hung task */
	schedule_timeout_idle(HZ);
	return true;
}

/**
 * observe_ftrace_keep_on - this module is about to exit
 *
 * Returns when ftrace is on; it stays on until observe_ftrace_end(). Before anything is
 * disarmed, or a kprobe removed; again is nothing. Where ftrace has failed before anything
 * was armed, there is nothing to wait for.
 */
void observe_ftrace_keep_on(void)
{
	int ret;

	if (ftrace_is_ending)
		return;
	WRITE_ONCE(ftrace_is_ending, true);
	if (!atomic_read(&ftrace_armed))
		return;
	do {
		ret = ftrace_arm(&ftrace_pin, ftrace_pin_called, "rdmaev_ftrace_pin", 0,
				 FTRACE_OPS_FL_PERMANENT);
	} while (ret < 0 && observe_ftrace_waits(ret));
}

/** observe_ftrace_end - all are disarmed, ftrace may be switched off */
void observe_ftrace_end(void)
{
	int ret;

	/* It fails if ftrace has failed meanwhile. */
	do {
		ret = observe_ftrace_disarm(&ftrace_pin);
	} while (observe_ftrace_waits(ret));
}
