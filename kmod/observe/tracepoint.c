// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Probes of tracepoints of ib_core, registered while their module is
 * loaded, or always if they are in the kernel itself.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "entry.h"
#include "tracepoint.h"

static struct observe_tracepoint *tracepoint_table;
static unsigned int tracepoint_count;

/*
 * Those that need another one come last. Called by the notifiers of tracepoints, one at a
 * time, or before them.
 */
static void tracepoint_connect(struct tracepoint *tp, bool is_last)
{
	struct observe_tracepoint *t;
	int ret;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (!*t->wanted || t->tp || !t->needs == is_last || strcmp(t->name, tp->name))
			continue;
		if (t->needs && READ_ONCE(*t->needs) != OBSERVE_ARMED) {
			WRITE_ONCE(t->status, READ_ONCE(*t->needs));
			continue;
		}
		ret = tracepoint_probe_register(tp, t->probe, NULL);
		if (!ret)
			t->tp = tp;
		WRITE_ONCE(t->status, ret ?: OBSERVE_ARMED);
	}
}

static void tracepoint_connect_first(struct tracepoint *tp, void *unused)
{
	tracepoint_connect(tp, false);
}

static void tracepoint_connect_last(struct tracepoint *tp, void *unused)
{
	tracepoint_connect(tp, true);
}

/* Call a function for all tracepoints of a module. */
static void tracepoint_each_of(const struct module *mod,
			       void (*fn)(struct tracepoint *tp, void *unused))
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		fn(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), NULL);
}

/* Set the state of all tracepoints of a module, or of those that wait for it. */
static void tracepoint_set_status(const char *module, bool all, int status)
{
	struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (!strcmp(t->module, module) &&
		    (all || t->status == OBSERVE_WAITING))
			WRITE_ONCE(t->status, status);
	}
}

static void tracepoint_disconnect(struct tracepoint *tp, void *unused)
{
	struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (t->tp != tp)
			continue;
		tracepoint_probe_unregister(tp, t->probe, NULL);
		t->tp = NULL;
	}
}

/* Does the module have any of the tracepoints? */
static bool tracepoint_is_of(const struct module *mod)
{
	const struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (!strcmp(t->module, mod->name))
			return true;
	}
	return false;
}

static int tracepoint_module_notify(struct notifier_block *block,
				    unsigned long state, void *data)
{
	const struct tp_module *tp_mod = data;
	const struct module *mod = tp_mod->mod;

	if (!tracepoint_is_of(mod))
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING) {
		tracepoint_each_of(mod, tracepoint_connect_first);
		tracepoint_each_of(mod, tracepoint_connect_last);
		tracepoint_set_status(mod->name, false, OBSERVE_MISSING);
	}
	if (state != MODULE_STATE_GOING)
		return NOTIFY_OK;
	tracepoint_each_of(mod, tracepoint_disconnect);
	tracepoint_set_status(mod->name, true, OBSERVE_WAITING);
	tracepoint_synchronize_unregister();
	return NOTIFY_OK;
}

/* Told of modules that are loaded, too, when it is registered */
static struct notifier_block tracepoint_notifier = {
	.notifier_call = tracepoint_module_notify,
};

static void tracepoint_disconnect_all(void)
{
	struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (t->tp)
			tracepoint_probe_unregister(t->tp, t->probe, NULL);
		t->tp = NULL;
	}
	tracepoint_synchronize_unregister();
}

/**
 * observe_tracepoints_init - register probes, now or when their module is loaded
 * @tracepoints: tracepoints
 * @count: number of tracepoints
 *
 * Return: 0, or -errno: no probe is registered.
 */
int observe_tracepoints_init(struct observe_tracepoint *tracepoints,
			     unsigned int count)
{
	struct observe_tracepoint *t;
	int ret;

	tracepoint_table = tracepoints;
	tracepoint_count = count;
	for (t = tracepoints; t < tracepoints + count; t++)
		t->status = IS_BUILTIN(CONFIG_INFINIBAND) ?
				    OBSERVE_MISSING : OBSERVE_WAITING;
	if (IS_BUILTIN(CONFIG_INFINIBAND)) {
		for_each_kernel_tracepoint(tracepoint_connect_first, NULL);
		for_each_kernel_tracepoint(tracepoint_connect_last, NULL);
	}
	ret = register_tracepoint_module_notifier(&tracepoint_notifier);
	/* Those of the kernel itself */
	if (ret)
		tracepoint_disconnect_all();
	return ret;
}

/* Check whether a parameter is set, and all of its probes are registered. */
bool observe_tracepoints_registered(const bool *wanted)
{
	const struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		if (t->wanted == wanted && (!*wanted || !READ_ONCE(t->tp)))
			return false;
	}
	return true;
}

/**
 * observe_tracepoints_each - visit all tracepoints
 * @visit: called for each
 * @data: for @visit
 */
void observe_tracepoints_each(observe_visit_fn visit, void *data)
{
	const struct observe_tracepoint *t;

	for (t = tracepoint_table; t < tracepoint_table + tracepoint_count; t++) {
		const struct observe_entry entry = {
			.symbol = t->name,
			.module = t->module,
			.facts = t->facts,
			.mechanism = OBSERVES_BY_TRACEPOINT,
			.status = *t->wanted ? READ_ONCE(t->status) : OBSERVE_OFF,
			.missed = t->missed ? t->missed() : 0,
		};

		visit(&entry, data);
	}
}

/** observe_tracepoints_exit - unregister all; none of their probes runs then */
void observe_tracepoints_exit(void)
{
	/* Calls the notifier for each module as if that went. */
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
	tracepoint_disconnect_all();
}
