// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Hooks on functions of other modules, armed while their module is loaded
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "hook.h"

static DEFINE_MUTEX(hook_lock);		/* protects which hooks are armed */
static struct observe_hook *hook_table;
static unsigned int hook_count;

/* Called with hook_lock held. */
static void hook_arm(struct observe_hook *hook)
{
	int status;

	if (!*hook->wanted || hook->trace.is_armed)
		return;
	if (hook->unless && hook->unless->trace.is_armed)
		status = OBSERVE_OFF;
	else if (hook->needs && READ_ONCE(*hook->needs) != OBSERVE_ARMED)
		status = READ_ONCE(*hook->needs);
	else
		status = observe_ftrace_arm(&hook->trace, hook->fn, hook->symbol, 0);
	WRITE_ONCE(hook->status, status);
}

/*
 * Is the module loaded? rdmaev itself needs ib_core. Of others, modules cannot
 * ask the kernel; but one that is loaded has one of the functions at least.
 * Called with hook_lock held.
 */
static bool hook_module_is_loaded(const char *module)
{
	const struct observe_hook *hook;

	if (!strcmp(module, "ib_core"))
		return true;
	for (hook = hook_table; hook < hook_table + hook_count; hook++) {
		if (hook->trace.is_armed && !strcmp(hook->module, module))
			return true;
	}
	return false;
}

/* All hooks were tried. Called with hook_lock held. */
static void hook_find_waiting(void)
{
	struct observe_hook *hook;

	for (hook = hook_table; hook < hook_table + hook_count; hook++) {
		if (hook->status == OBSERVE_MISSING &&
		    !hook_module_is_loaded(hook->module))
			WRITE_ONCE(hook->status, OBSERVE_WAITING);
	}
}

static int hook_module_notify(struct notifier_block *block,
			      unsigned long state, void *data)
{
	const struct module *mod = data;
	struct observe_hook *hook;
	int ret;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&hook_lock);
	for (hook = hook_table; hook < hook_table + hook_count; hook++) {
		if (strcmp(hook->module, mod->name))
			continue;
		if (state == MODULE_STATE_COMING) {
			hook_arm(hook);
		} else {
			ret = observe_ftrace_disarm(&hook->trace);
			WRITE_ONCE(hook->status, ret ?: OBSERVE_WAITING);
		}
	}
	mutex_unlock(&hook_lock);
	return NOTIFY_OK;
}

static struct notifier_block hook_notifier = {
	.notifier_call = hook_module_notify,
};

/**
 * observe_hooks_init - arm hooks, now or when their module is loaded
 * @hooks: hooks
 * @count: number of hooks
 *
 * Return: 0 or -errno.
 */
int observe_hooks_init(struct observe_hook *hooks, unsigned int count)
{
	struct observe_hook *hook;
	int ret;

	mutex_lock(&hook_lock);
	hook_table = hooks;
	hook_count = count;
	mutex_unlock(&hook_lock);
	/* First, so that no module can come unseen in between. */
	ret = register_module_notifier(&hook_notifier);
	if (ret)
		return ret;
	mutex_lock(&hook_lock);
	for (hook = hooks; hook < hooks + count; hook++)
		hook_arm(hook);
	hook_find_waiting();
	mutex_unlock(&hook_lock);
	return 0;
}

/** observe_hooks_armed - check whether any hook of a parameter is armed */
bool observe_hooks_armed(const bool *wanted)
{
	const struct observe_hook *hook;
	bool is_armed = false;

	mutex_lock(&hook_lock);
	for (hook = hook_table; hook < hook_table + hook_count; hook++)
		is_armed |= hook->wanted == wanted && hook->trace.is_armed;
	mutex_unlock(&hook_lock);
	return is_armed;
}

/**
 * observe_hooks_each - visit all hooks
 * @visit: called for each; hook_lock is not taken, as it is held while functions
 *	are patched
 * @data: for @visit
 */
void observe_hooks_each(observe_visit_fn visit, void *data)
{
	const struct observe_hook *hook;

	for (hook = hook_table; hook < hook_table + hook_count; hook++) {
		const struct observe_entry entry = {
			.symbol = hook->symbol,
			.module = hook->module,
			.facts = hook->facts,
			.mechanism = OBSERVES_BY_FTRACE,
			.is_alternative = hook->is_alternative,
			.status = *hook->wanted ? READ_ONCE(hook->status) :
						  OBSERVE_OFF,
			.missed = hook->missed ? hook->missed() : 0,
		};

		visit(&entry, data);
	}
}

/* Returns -errno of those that ftrace has not let go of. */
static int hooks_disarm(void)
{
	struct observe_hook *hook;
	int ret = 0;

	mutex_lock(&hook_lock);
	for (hook = hook_table; hook < hook_table + hook_count; hook++)
		ret = observe_ftrace_disarm(&hook->trace) ?: ret;
	mutex_unlock(&hook_lock);
	return ret;
}

/**
 * observe_hooks_exit - disarm all hooks; none of their callbacks runs then
 *
 * Call observe_ftrace_end() when all of this module is disarmed.
 */
void observe_hooks_exit(void)
{
	observe_ftrace_keep_on();
	while (observe_ftrace_waits(hooks_disarm()))
		;
	/* Not before: a module that goes is not to leave a hook. */
	unregister_module_notifier(&hook_notifier);
}
