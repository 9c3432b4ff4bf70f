// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What is observed, and what is not and why: a few words for RDMAEV_IOC_INFO, and
 * hook by hook in debugfs.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/debugfs.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "handler.h"
#include "hook.h"
#include "operation.h"
#include "refusal.h"
#include "session.h"
#include "state.h"
#include "tracepoint.h"

#define STATE_FACTS	BITS_PER_TYPE(u32)

/* As of the last update: OBSERVES_BY_* and RDMAEV_OBSERVED_* that are blind */
static u32 state_blind;
static u32 state_blind_facts;
static struct dentry *state_dir;

/**
 * struct state_sum - states of the hooks of each fact
 * @worst: the largest of those that are needed, 0: there is none
 * @best: the smallest of those of which one suffices, 0: there is none
 * @gaps: facts with missed calls
 */
struct state_sum {
	u8 worst[STATE_FACTS];
	u8 best[STATE_FACTS];
	u32 gaps;
};

static unsigned int state_of(const struct observe_entry *entry)
{
	if (entry->status < 0)
		return OBSERVE_FAILED;
	if (entry->status == OBSERVE_ARMED &&
	    (entry->mechanism & READ_ONCE(state_blind) ||
	     entry->facts & READ_ONCE(state_blind_facts)))
		return OBSERVE_BLIND;
	return entry->status;
}

static void state_visit_all(observe_visit_fn visit, void *data)
{
	observe_hooks_each(visit, data);
	observe_tracepoints_each(visit, data);
	observe_refusals_each(visit, data);
	observe_operations_each(visit, data);
	observe_handlers_each(visit, data);
}

static void state_add(const struct observe_entry *entry, void *data)
{
	unsigned long facts = entry->facts;
	unsigned int state = state_of(entry);
	struct state_sum *sum = data;
	unsigned int bit;

	if (entry->missed)
		sum->gaps |= entry->facts;
	for_each_set_bit(bit, &facts, STATE_FACTS) {
		if (!entry->is_alternative)
			sum->worst[bit] = max_t(u8, sum->worst[bit], state);
		else if (!sum->best[bit] || state < sum->best[bit])
			sum->best[bit] = state;
	}
}

/**
 * observe_state_update - say what is observed now
 * @blind: OBSERVES_BY_*: mechanisms that are blind
 * @blind_facts: RDMAEV_OBSERVED_*: what is not seen although the mechanisms are not
 *
 * Context: process; one call at a time.
 */
void observe_state_update(u32 blind, u32 blind_facts)
{
	u32 facts[OBSERVE_STATES] = {};
	struct state_sum sum = {};
	struct rdmaev_observed observed;
	unsigned int bit;

	WRITE_ONCE(state_blind, blind);
	WRITE_ONCE(state_blind_facts, blind_facts);
	state_visit_all(state_add, &sum);
	for (bit = 0; bit < STATE_FACTS; bit++)
		facts[max(sum.worst[bit], sum.best[bit])] |= BIT(bit);
	observed = (struct rdmaev_observed) {
		.observed = facts[OBSERVE_ARMED],
		.gaps = sum.gaps & ~facts[OBSERVE_OFF],
		.waiting = facts[OBSERVE_WAITING],
		.missing = facts[OBSERVE_MISSING],
		.blind = facts[OBSERVE_BLIND],
		.failed = facts[OBSERVE_FAILED],
		.off = facts[OBSERVE_OFF],
	};
	rdmaev_observed_set(&observed);
}

static void state_show_hook(const struct observe_entry *entry, void *data)
{
	static const char * const states[OBSERVE_STATES] = {
		"unknown", "armed", "waiting", "missing", "blind", "failed", "off",
	};
	static const char * const mechanisms[] = {
		"ftrace", "kprobe", "tracepoint", "operation",
	};

	seq_printf(data, "%-26s  %-12s  %-10s  %-7s  %5d  %6llu  0x%03x\n",
		   entry->symbol, *entry->module ? entry->module : "-",
		   mechanisms[ilog2(entry->mechanism)],
		   states[state_of(entry)], min(entry->status, 0), entry->missed,
		   entry->facts);
}

static int state_hooks_show(struct seq_file *file, void *unused)
{
	seq_puts(file,
		 "HOOK                        MODULE        MECHANISM   STATE    ERROR  MISSED  FACTS\n");
	state_visit_all(state_show_hook, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state_hooks);

/** observe_state_start - say what is observed, and show the hooks; all are armed */
void observe_state_start(void)
{
	observe_state_update(0, 0);
	state_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("hooks", 0400, state_dir, NULL, &state_hooks_fops);
}

/** observe_state_stop - say that nothing is observed any more; no update runs or comes */
void observe_state_stop(void)
{
	static const struct rdmaev_observed nothing;

	debugfs_remove_recursive(state_dir);
	rdmaev_observed_set(&nothing);
}
