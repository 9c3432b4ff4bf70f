// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Anybody can switch tracing off, and no hook is told. So the observer calls
 * functions of its own regularly, which are hooked like those of other modules,
 * and reports when a call does not reach the hook, and when one does again. So it does
 * with what a trial has not seen although the calls reach it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "canary.h"
#include "cq_hook.h"
#include "existing.h"
#include "ftrace.h"
#include "handler.h"
#include "operation.h"
#include "qp_hook.h"
#include "refusal.h"
#include "session.h"
#include "state.h"
#include "trial.h"

#define CANARY_SEC	2
#define CANARY_TRIAL	4	/* checks from one trial to the next, until it sees all */

/*
 * Calls that reached the hooks. Only the work calls the functions, so only one
 * hook writes at a time; the compiler does not see that a call does.
 */
static unsigned int canary_traced;
static unsigned int canary_probed;

/*
 * The functions. Not empty, as the compiler drops calls of such a function, and
 * not alike, as it makes one of two that are.
 */
static noinline void rdmaev_canary_ftrace(void)
{
	barrier_data(&canary_traced);
}

static noinline void rdmaev_canary_kprobe(void)
{
	barrier_data(&canary_probed);
}

static RDMAEV_FTRACE_FN(canary_trace)
{
	WRITE_ONCE(canary_traced, canary_traced + 1);
}

static struct observe_ftrace canary_ftrace;

/* With an entry handler and data, as those of refusal.c */
static int canary_entry(struct kretprobe_instance *instance,
			struct pt_regs *regs)
{
	*(u32 *)instance->data = 1;
	return 0;
}

static int canary_return(struct kretprobe_instance *instance,
			 struct pt_regs *regs)
{
	WRITE_ONCE(canary_probed, canary_probed + *(u32 *)instance->data);
	return 0;
}

static struct kretprobe canary_probe = {
	.kp.symbol_name = "rdmaev_canary_kprobe",
	.entry_handler = canary_entry,
	.handler = canary_return,
	.data_size = sizeof(u32),
	.maxactive = 4,
};

/**
 * struct canary - a mechanism and its canary, or a fact that a trial shows
 * @mechanism: OBSERVES_BY_*
 * @facts: RDMAEV_OBSERVED_*: what the mechanism observes, 0: it is not used
 * @call: hooked function; NULL: the mechanism cannot be switched off
 * @hits: calls that reached the hook
 * @seen_ns: CLOCK_BOOTTIME when one last did
 * @blind: seq of its BLIND record, 0: it sees
 *
 * Used by the work, and before and after it.
 */
struct canary {
	u32 mechanism;
	u32 facts;
	void (*call)(void);
	const unsigned int *hits;
	u64 seen_ns;
	u64 blind;
};

static struct canary canaries[] = {
	{ .mechanism = OBSERVES_BY_FTRACE,
	  .call = rdmaev_canary_ftrace, .hits = &canary_traced },
	{ .mechanism = OBSERVES_BY_KPROBE,
	  .call = rdmaev_canary_kprobe, .hits = &canary_probed },
	{ .mechanism = OBSERVES_BY_TRACEPOINT },
	{ .mechanism = OBSERVES_BY_OPERATION },
};

/* What a trial shows */
static struct canary canary_tried[] = {
	{ .mechanism = OBSERVES_BY_FTRACE, .facts = RDMAEV_OBSERVED_KERNEL_EVENTS },
	{ .mechanism = OBSERVES_BY_TRACEPOINT, .facts = RDMAEV_OBSERVED_KERNEL_CQS },
	{ .mechanism = OBSERVES_BY_OPERATION, .facts = RDMAEV_OBSERVED_POLLED_CQS },
	{ .mechanism = OBSERVES_BY_OPERATION, .facts = RDMAEV_OBSERVED_QP_STATES },
	{ .mechanism = OBSERVES_BY_OPERATION, .facts = RDMAEV_OBSERVED_QP_ENDS },
};

static bool canary_probe_armed;
static u64 canary_started_ns;

static void canary_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(canary_work, canary_work_fn);

static u64 canary_report(unsigned int code, u32 facts, u64 time_ns, u64 count, u64 cause)
{
	struct rdmaev_observer_body body = {
		.facts = facts,
		.time_ns = time_ns,
	};

	return rdmaev_observer_report(code, &body, count, cause);
}

/*
 * While ftrace is off, the observer stays loaded, and rmmod says so: it would wait in
 * observe_ftrace_keep_on().
 */
static bool canary_is_held;

static void canary_hold(const struct canary *canary)
{
	/* Otherwise it could not be armed: that does not end. */
	if (canary->mechanism == OBSERVES_BY_FTRACE && canary_ftrace.is_armed)
		canary_is_held = try_module_get(THIS_MODULE);
}

static void canary_release(const struct canary *canary)
{
	if (canary->mechanism != OBSERVES_BY_FTRACE || !canary_is_held)
		return;
	canary_is_held = false;
	module_put(THIS_MODULE);
}

/* OBSERVES_BY_*: mechanisms that are blind */
static u32 canary_blind(void)
{
	u32 blind = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(canaries); i++) {
		if (canaries[i].blind)
			blind |= canaries[i].mechanism;
	}
	return blind;
}

/* RDMAEV_OBSERVED_*: facts that are blind although their mechanism is not */
static u32 canary_blind_facts(void)
{
	u32 blind = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(canary_tried); i++) {
		if (canary_tried[i].blind)
			blind |= canary_tried[i].facts;
	}
	return blind;
}

/* Returns true if the mechanism sees again. */
static bool canary_check(struct canary *canary)
{
	unsigned int before = READ_ONCE(*canary->hits);
	u64 now, time_ns, blind = canary->blind;

	canary->call();
	now = ktime_get_boottime_ns();
	time_ns = now - canary->seen_ns;
	if (READ_ONCE(*canary->hits) == before) {
		if (blind)
			return false;
		canary_hold(canary);
		/* First: who reads the record may ask at once. */
		observe_state_update(canary_blind() | canary->mechanism, canary_blind_facts());
		canary->blind = canary_report(RDMAEV_OBSERVER_BLIND, canary->facts,
					      time_ns, 1, 0);
		return false;
	}
	canary->seen_ns = now;
	if (!blind)
		return false;
	canary->blind = 0;
	observe_state_update(canary_blind(), canary_blind_facts());
	canary_report(RDMAEV_OBSERVER_SEEING, canary->facts, time_ns, 1, blind);
	canary_release(canary);
	return true;
}

/* Report what trials say of the fact. Returns true if that is seen again. */
static bool canary_check_tried(struct canary *canary)
{
	bool is_unseen = observe_trial_unseen() & canary->facts;
	u64 now = ktime_get_boottime_ns();
	u64 time_ns = now - canary->seen_ns;
	u64 blind = canary->blind;

	if (is_unseen) {
		if (blind || canary_blind() & canary->mechanism)
			return false;
		observe_state_update(canary_blind(), canary_blind_facts() | canary->facts);
		canary->blind = canary_report(RDMAEV_OBSERVER_BLIND, canary->facts, time_ns, 1, 0);
		return false;
	}
	canary->seen_ns = now;
	if (!blind)
		return false;
	canary->blind = 0;
	observe_state_update(canary_blind(), canary_blind_facts());
	canary_report(RDMAEV_OBSERVER_SEEING, canary->facts, time_ns, 1, blind);
	return true;
}

/* Returns true if a fact is blind, and it is time to try again. */
static bool canary_tries_again(void)
{
	static unsigned int checks;

	checks = canary_blind_facts() ? checks + 1 : 0;
	return checks && checks % CANARY_TRIAL == 0;
}

/**
 * struct canary_missed - calls that were missed, except those about objects of
 * processes, which are reported for each user
 * @facts: RDMAEV_OBSERVED_*: what the calls are about
 * @reported: calls as of the last record about them
 * @reported_ns: CLOCK_BOOTTIME of that
 */
struct canary_missed {
	u32 facts;
	u64 reported;
	u64 reported_ns;
};

static struct canary_missed canary_missed_qps = {
	.facts = RDMAEV_OBSERVED_QP_STATES,
};

static struct canary_missed canary_missed_kernel = {
	.facts = RDMAEV_OBSERVED_KERNEL_CQS,
};

static struct canary_missed canary_missed_handlers = {
	.facts = RDMAEV_OBSERVED_KERNEL_EVENTS,
};

static void canary_report_missed(struct canary_missed *missed, u64 calls)
{
	u64 now = ktime_get_boottime_ns();

	if (calls == missed->reported)
		return;
	canary_report(RDMAEV_OBSERVER_MISSED, missed->facts, now - missed->reported_ns,
		      calls - missed->reported, 0);
	missed->reported = calls;
	missed->reported_ns = now;
}

static void canary_check_missed(void)
{
	canary_report_missed(&canary_missed_qps,
			     observe_qps_missed() + observe_refusals_missed());
	canary_report_missed(&canary_missed_kernel,
			     observe_kernel_cqs_missed());
	canary_report_missed(&canary_missed_handlers,
			     observe_handlers_missed());
}

/*
 * Not deferrable: on an idle CPU, that would wait for as long as it is idle.
 * Rounded, so that the CPU wakes up once for several timers.
 */
static void canary_queue(unsigned long delay)
{
	queue_delayed_work(system_power_efficient_wq, &canary_work, delay);
}

/* Returns true if any of what trials show is seen again. */
static bool canary_check_all_tried(void)
{
	bool sees_again = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(canary_tried); i++)
		sees_again |= canary_check_tried(&canary_tried[i]);
	return sees_again;
}

static void canary_work_fn(struct work_struct *work)
{
	bool sees_again = false, is_changed;
	s64 late, try_from;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(canaries); i++) {
		if (!canaries[i].facts || !canaries[i].call || !canary_check(&canaries[i]))
			continue;
		/* By kprobes, only what changed nothing was missed. */
		sees_again |= canaries[i].mechanism != OBSERVES_BY_KPROBE;
	}
	late = observe_operations_late();
	is_changed = observe_operations_check();
	/* Otherwise a trial is to come that knows more. */
	if (!sees_again && !is_changed && late == S64_MAX && !observe_existing_is_pending())
		sees_again = canary_check_all_tried();
	/* Ends of objects may have been missed, moves of QPs, and new ones. */
	if (sees_again)
		rdmaev_observe_forget();
	try_from = sees_again || is_changed ? 0 : late;
	if (canary_tries_again() || try_from != S64_MAX)
		observe_existing_again(sees_again, late, try_from, canary_blind());
	canary_check_missed();
	observe_state_update(canary_blind(), canary_blind_facts());
	canary_queue(round_jiffies_relative(CANARY_SEC * HZ));
}

/* A canary that cannot be hooked does not count: its mechanism is blind. */
static void canary_arm(void)
{
	int ret;

	if (canaries[0].facts) {
		ret = observe_ftrace_arm(&canary_ftrace, canary_trace, "rdmaev_canary_ftrace", 0);
		if (ret != OBSERVE_ARMED)
			pr_warn("functions cannot be traced (%d)\n", ret);
	}
	if (canaries[1].facts) {
		ret = register_kretprobe(&canary_probe);
		canary_probe_armed = !ret;
		if (ret)
			pr_warn("functions cannot be probed (%d)\n", ret);
	}
}

static void canary_disarm(void)
{
	observe_ftrace_keep_on();
	while (observe_ftrace_waits(observe_ftrace_disarm(&canary_ftrace)))
		;
	if (canary_probe_armed)
		unregister_kretprobe(&canary_probe);
}

/* Append a record about all that is observed. */
static void canary_report_all(unsigned int code, u64 time_ns)
{
	unsigned int i;
	u32 facts = 0;

	for (i = 0; i < ARRAY_SIZE(canaries); i++)
		facts |= canaries[i].facts;
	canary_report(code, facts, time_ns, 1, 0);
}

/**
 * observe_canary_start - report that the observer observes, and check that
 * @traced: RDMAEV_OBSERVED_*: what is observed by ftrace
 * @probed: what is observed by kretprobes
 * @tracepoints: what is observed by tracepoints
 * @operations: what is observed by operations of devices
 *
 * All hooks are armed.
 */
void observe_canary_start(u32 traced, u32 probed, u32 tracepoints,
			  u32 operations)
{
	bool tracepoints_have_cqs = tracepoints & RDMAEV_OBSERVED_KERNEL_CQS;
	unsigned int i;

	canaries[0].facts = traced;
	canaries[1].facts = probed;
	canaries[2].facts = tracepoints;
	canaries[3].facts = operations;
	canary_arm();
	canary_started_ns = ktime_get_boottime_ns();
	canary_missed_qps.reported_ns = canary_started_ns;
	canary_missed_kernel.reported_ns = canary_started_ns;
	canary_missed_handlers.reported_ns = canary_started_ns;
	/* Both count for it: one of them may be off. */
	if (!tracepoints_have_cqs)
		canary_missed_kernel.facts = RDMAEV_OBSERVED_POLLED_CQS;
	for (i = 0; i < ARRAY_SIZE(canaries); i++)
		canaries[i].seen_ns = canary_started_ns;
	for (i = 0; i < ARRAY_SIZE(canary_tried); i++)
		canary_tried[i].seen_ns = canary_started_ns;
	canary_report_all(RDMAEV_OBSERVER_STARTED, 0);
	canary_queue(0);
}

/**
 * observe_canary_stop - report that the observer stops; all hooks are armed
 *
 * First of all, so that everything is observed up to that record.
 */
void observe_canary_stop(void)
{
	cancel_delayed_work_sync(&canary_work);
	observe_state_stop();
	canary_check_missed();
	canary_report_all(RDMAEV_OBSERVER_STOPPED,
			  ktime_get_boottime_ns() - canary_started_ns);
	canary_disarm();
}
