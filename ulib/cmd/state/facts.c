// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What the observer observes, and what not and why: from the info of the log */
#include "catalogue.h"
#include "facts.h"

/*
 * Parameter of rdmaev_observe that disables a fact, and the module that has its
 * functions if that may be loaded later; by number of its bit RDMAEV_OBSERVED_*
 */
static const struct {
	const char *parameter;
	const char *module;
} fact_needs[] = {
	{ "user", "ib_uverbs" },		/* USER_EVENTS */
	{ "kernel", "ib_core" },		/* KERNEL_EVENTS */
	{ "states", "ib_core" },		/* QP_STATES */
	{ "states", "ib_core" },		/* QP_ENDS */
	{ "user", "ib_uverbs" },		/* USER_CQS */
	{ "kernel", "ib_core" },		/* KERNEL_CQS */
	{ "connections", "rdma_cm" },		/* CONNECTIONS */
	{ "connections", "rdma_cm" },		/* CONNECTION_OWNERS */
	{ "polls", "ib_core" },			/* POLLED_CQS */
};

enum fact_state fact_state(const struct rdmaev_observed *o, unsigned int bit)
{
	uint32_t mask = 1U << bit;

	if (o->observed & mask)
		return FACT_OBSERVED;
	if (o->waiting & mask)
		return FACT_WAITING;
	if (o->missing & mask)
		return FACT_MISSING;
	if (o->off & mask)
		return FACT_OFF;
	if (o->blind & mask)
		return FACT_BLIND;
	return o->failed & mask ? FACT_FAILED : FACT_NONE;
}

bool fact_needs_care(const struct rdmaev_observed *o, unsigned int bit)
{
	return (o->blind | o->failed | (o->observed & o->gaps)) & 1U << bit;
}

void put_fact(struct text *t, unsigned int bit)
{
	if (observed_name(bit))
		text_put(t, observed_name(bit));
	else
		text_printf(t, "%u", bit);
}

const char *fact_state_name(enum fact_state state)
{
	static const char * const names[] = {
		[FACT_OBSERVED] = "observed",
		[FACT_WAITING] = "waiting",
		[FACT_MISSING] = "missing",
		[FACT_OFF] = "off",
		[FACT_BLIND] = "blind",
		[FACT_FAILED] = "failed",
	};

	return names[state];
}

/*
 * Is it blind although tracing is not switched off? Some facts are not observed by tracing, or
 * others that are so are still observed.
 */
static bool is_untraced(const struct rdmaev_observed *o, unsigned int bit)
{
	uint32_t untraced = RDMAEV_OBSERVED_KERNEL_CQS | RDMAEV_OBSERVED_POLLED_CQS |
			    RDMAEV_OBSERVED_QP_ENDS;
	uint32_t traced = RDMAEV_OBSERVED_USER_EVENTS | RDMAEV_OBSERVED_USER_CQS |
			  RDMAEV_OBSERVED_CONNECTION_OWNERS;

	if (o->observed & traced)
		untraced |= RDMAEV_OBSERVED_KERNEL_EVENTS;
	if (o->blind & RDMAEV_OBSERVED_QP_ENDS)
		untraced |= RDMAEV_OBSERVED_QP_STATES;
	return untraced & 1U << bit;
}

void put_why(struct text *t, const struct rdmaev_observed *o, unsigned int bit)
{
	bool is_known = bit < ARRAY_SIZE(fact_needs);

	switch (fact_state(o, bit)) {
	case FACT_WAITING:
		text_printf(t, "module %s is not loaded",
			    is_known ? fact_needs[bit].module : "for it");
		break;
	case FACT_MISSING:
		text_put(t, "this kernel has no function for it that can be traced");
		break;
	case FACT_OFF:
		text_printf(t, "parameter %s of rdmaev_observe is 0",
			    is_known ? fact_needs[bit].parameter : "for it");
		break;
	case FACT_BLIND:
		if (is_untraced(o, bit))
			text_put(t, "ib_core does not call it as expected");
		else
			text_put(t, "tracing is switched off, or has failed");
		break;
	case FACT_FAILED:
		text_put(t, "functions cannot be hooked");
		break;
	default:
		if (o->gaps & 1U << bit)
			text_put(t, "calls were missed");
	}
}

void put_remedy(struct text *t, const struct rdmaev_observed *o, unsigned int bit)
{
	switch (fact_state(o, bit)) {
	case FACT_WAITING:
		text_put(t, "none needed: observed once it is loaded");
		break;
	case FACT_MISSING:
		break;
	case FACT_OFF:
		text_printf(t, "rmmod rdmaev_observe; modprobe rdmaev_observe %s=1",
			    bit < ARRAY_SIZE(fact_needs) ? fact_needs[bit].parameter : "...");
		break;
	case FACT_BLIND:
		if (is_untraced(o, bit)) {
			text_put(t, "dmesg | grep rdmaev_observe");
			break;
		}
		text_put(t, "sysctl kernel.ftrace_enabled=1; echo 1 > /sys/kernel/debug/kprobes/enabled");
		break;
	case FACT_FAILED:
		text_put(t, "reload rdmaev_observe; /sys/kernel/debug/rdmaev_observe/hooks has the errors");
		break;
	default:
		if (o->gaps & 1U << bit)
			text_put(t, "rdmaev explain OBSERVER_MISSED");
	}
}
