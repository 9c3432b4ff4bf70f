// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev observer: print what is observed, by which hooks, and what is not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "cmd.h"
#include "table.h"

/* Bits of facts */
#define FACTS_MAX	32

/* More than the observer has; asked again with more room if it has more. */
#define HOOKS_ROOM	32

/**
 * struct observer - the hooks of the observer
 * @hooks: hooks, @count of them
 * @seq: newest record when they were listed
 */
struct observer {
	struct rdmaev_hook *hooks;
	size_t count;
	uint64_t seq;
};

/**
 * struct fact_state - how a fact is observed
 * @bit: number of its bit RDMAEV_OBSERVED_*
 * @state: enum rdmaev_hook_state, that of @hook; RDMAEV_HOOK_ARMED: observed
 * @hook: the hook that decides on the state
 * @missed: calls that its hooks have missed
 */
struct fact_state {
	unsigned int bit;
	uint32_t state;
	const struct rdmaev_hook *hook;
	uint64_t missed;
};

static int list_hooks(struct rdmaev *h, struct observer *o)
{
	size_t room = HOOKS_ROOM, i;
	ssize_t n;

	for (;;) {
		struct rdmaev_hook *larger;

		larger = realloc(o->hooks, room * sizeof(*larger));
		if (!larger) {
			complain("out of memory");
			return -1;
		}
		o->hooks = larger;
		n = rdmaev_hooks(h, 0, larger, room, &o->seq);
		if (n < 0) {
			complain("cannot list the hooks of the observer: %s",
				 errno == ENOTTY ?
				 "install the same version of command and module" :
				 reader_error());
			return -1;
		}
		if ((size_t)n <= room)
			break;
		room = (size_t)n;
	}
	o->count = (size_t)n;
	for (i = 0; i < o->count; i++) {
		struct rdmaev_hook *hook = &o->hooks[i];

		hook->symbol[sizeof(hook->symbol) - 1] = '\0';
		hook->module[sizeof(hook->module) - 1] = '\0';
		hook->parameter[sizeof(hook->parameter) - 1] = '\0';
	}
	return 0;
}

/*
 * Which of the states of several hooks is that of the fact: the largest. A hook
 * that is off is so on purpose, whatever is wrong with others.
 */
static unsigned int weight(const struct rdmaev_hook *hook)
{
	static const unsigned char weights[] = {
		[RDMAEV_HOOK_ARMED] = 0,
		[RDMAEV_HOOK_WAITING] = 1,
		[RDMAEV_HOOK_BLIND] = 2,
		[RDMAEV_HOOK_MISSING] = 3,
		[RDMAEV_HOOK_FAILED] = 4,
		[RDMAEV_HOOK_OFF] = 5,
	};

	return hook->state && hook->state < ARRAY_SIZE(weights) ?
	       weights[hook->state] : ARRAY_SIZE(weights);
}

/* False if no hook observes the fact, in this version of the kernel module. */
static bool find_fact(const struct observer *o, unsigned int bit,
		      struct fact_state *fact)
{
	const struct rdmaev_hook *worst = NULL, *best = NULL, *hook;

	*fact = (struct fact_state){ .bit = bit };
	for (hook = o->hooks; hook < o->hooks + o->count; hook++) {
		if (!(hook->facts & 1U << bit))
			continue;
		fact->missed += hook->missed;
		if (hook->flags & RDMAEV_HOOK_FLAG_ALTERNATIVE) {
			if (!best || weight(hook) < weight(best))
				best = hook;
		} else if (!worst || weight(hook) > weight(worst)) {
			worst = hook;
		}
	}
	fact->hook = !worst || (best && weight(best) > weight(worst)) ? best : worst;
	if (fact->hook)
		fact->state = fact->hook->state;
	return fact->hook;
}

static void put_fact(struct text *t, unsigned int bit)
{
	if (observed_name(bit))
		text_put(t, observed_name(bit));
	else
		text_printf(t, "%u", bit);
}

static const char *fact_state_name(uint32_t state)
{
	return state == RDMAEV_HOOK_ARMED ? "observed" : hook_state_name(state);
}

/* "kretprobe", by the first bit that is set */
static const char *mechanism(const struct rdmaev_hook *hook)
{
	unsigned int bit = 0;

	if (hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE &&
	    hook->flags & RDMAEV_HOOK_FLAG_RETURN)
		return "kretprobe";
	while (bit < 32 && !(hook->mechanism & 1U << bit))
		bit++;
	return observes_by_name(bit);
}

/* Nothing if the fact is observed without a gap. */
static void put_why(struct text *t, const struct fact_state *fact)
{
	const struct rdmaev_hook *hook = fact->hook;

	switch (fact->state) {
	case RDMAEV_HOOK_ARMED:
		if (fact->missed)
			text_printf(t, "%llu calls missed",
				    (unsigned long long)fact->missed);
		break;
	case RDMAEV_HOOK_WAITING:
		text_put(t, "module ");
		text_name(t, hook->module);
		text_put(t, " is not loaded");
		break;
	case RDMAEV_HOOK_MISSING:
		text_put(t, "this kernel has no ");
		text_name(t, hook->symbol);
		text_put(t, " that can be traced");
		break;
	case RDMAEV_HOOK_OFF:
		text_put(t, "parameter ");
		text_name(t, hook->parameter);
		text_put(t, " of rdmaev_observe is 0");
		break;
	case RDMAEV_HOOK_BLIND:
		if (hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE)
			text_put(t, "kprobes or ftrace are switched off, or have failed");
		else
			text_put(t, "ftrace is switched off, or has failed");
		break;
	case RDMAEV_HOOK_FAILED:
		text_name(t, hook->symbol);
		text_printf(t, " cannot be hooked: %s", strerror(-hook->error));
		break;
	}
}

/* Nothing if there is nothing to do, or nothing that helps. */
static void put_remedy(struct text *t, const struct fact_state *fact)
{
	switch (fact->state) {
	case RDMAEV_HOOK_ARMED:
		if (fact->missed)
			text_put(t, "rdmaev explain OBSERVER_MISSED");
		break;
	case RDMAEV_HOOK_WAITING:
		text_put(t, "none needed: observed once it is loaded");
		break;
	case RDMAEV_HOOK_MISSING:
		if (1U << fact->bit == RDMAEV_OBSERVED_KERNEL_EVENTS)
			text_put(t, "Linux 6.11 or later");
		break;
	case RDMAEV_HOOK_OFF:
		text_put(t, "rmmod rdmaev_observe; modprobe rdmaev_observe ");
		text_name(t, fact->hook->parameter);
		text_put(t, "=1");
		break;
	case RDMAEV_HOOK_BLIND:
		text_put(t, "sysctl kernel.ftrace_enabled=1");
		if (fact->hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE)
			text_put(t, "; echo 1 > /sys/kernel/debug/kprobes/enabled");
		break;
	case RDMAEV_HOOK_FAILED:
		text_put(t, "reload rdmaev_observe; the kernel log may say more");
		break;
	}
}

static void put_or_dash(struct table *table, const struct fact_state *fact,
			void (*put)(struct text *t, const struct fact_state *fact))
{
	struct text *t = table_cell(table);

	put(t, fact);
	if (!t->len)
		text_put(t, "-");
}

static int print_facts(const struct observer *o)
{
	static const char * const titles[] = { "FACT", "STATE", "WHY", "REMEDY" };
	struct fact_state fact;
	struct table table;
	unsigned int bit;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (bit = 0; bit < FACTS_MAX; bit++) {
		struct text *t;

		if (!find_fact(o, bit, &fact))
			continue;
		table_row(&table);
		put_fact(table_cell(&table), bit);
		t = table_cell(&table);
		if (fact_state_name(fact.state))
			text_put(t, fact_state_name(fact.state));
		else
			text_printf(t, "%u", fact.state);
		put_or_dash(&table, &fact, put_why);
		put_or_dash(&table, &fact, put_remedy);
	}
	return table_print(&table);
}

static void fill_hook(struct table *table, const struct rdmaev_hook *hook)
{
	const char *comma = "";
	unsigned int bit;
	struct text *t;

	table_row(table);
	text_name(table_cell(table), hook->symbol);
	text_name(table_cell(table), hook->module);
	t = table_cell(table);
	if (mechanism(hook))
		text_put(t, mechanism(hook));
	else
		text_printf(t, "0x%x", hook->mechanism);
	t = table_cell(table);
	if (hook_state_name(hook->state))
		text_put(t, hook_state_name(hook->state));
	else
		text_printf(t, "%u", hook->state);
	table_count(table, true, hook->missed);
	t = table_cell(table);
	for (bit = 0; bit < FACTS_MAX; bit++) {
		if (!(hook->facts & 1U << bit))
			continue;
		text_put(t, comma);
		put_fact(t, bit);
		comma = ", ";
	}
}

static int print_hooks(const struct observer *o)
{
	static const char * const titles[] = {
		"HOOK", "MODULE", "MECHANISM", "STATE", "MISSED", "OBSERVES",
	};
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < o->count; i++)
		fill_hook(&table, &o->hooks[i]);
	return table_print_rows(&table);
}

/* ,"KEY": and a text, or null if @put puts nothing */
static void json_text(struct text *t, const char *key, const struct fact_state *fact,
		      void (*put)(struct text *t, const struct fact_state *fact))
{
	char buf[512];
	struct text value = { .buf = buf, .size = sizeof(buf) };

	put(&value, fact);
	text_end(&value);
	text_printf(t, ",\"%s\":", key);
	text_json(t, value.len ? buf : NULL);
}

static void json_hook(struct text *t, const struct rdmaev_hook *hook)
{
	text_put(t, "{\"symbol\":");
	text_json(t, hook->symbol);
	text_put(t, ",\"module\":");
	text_json(t, hook->module);
	text_key_name(t, "mechanism", mechanism(hook), hook->mechanism);
	text_key_name(t, "state", hook_state_name(hook->state), hook->state);
	text_put(t, ",\"parameter\":");
	text_json(t, *hook->parameter ? hook->parameter : NULL);
	text_printf(t, ",\"alternative\":%s",
		    hook->flags & RDMAEV_HOOK_FLAG_ALTERNATIVE ? "true" : "false");
	text_key_number(t, "missed", true, hook->missed);
	text_printf(t, ",\"error\":%d}", hook->error);
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct observer *o = of;
	const char *comma = "";
	struct fact_state fact;
	size_t i;

	find_fact(o, (unsigned int)item, &fact);
	text_put(t, "{\"fact\":");
	if (observed_name(fact.bit))
		text_json(t, observed_name(fact.bit));
	else
		text_printf(t, "%u", fact.bit);
	text_key_name(t, "state", fact_state_name(fact.state), fact.state);
	json_text(t, "why", &fact, put_why);
	json_text(t, "remedy", &fact, put_remedy);
	text_key_number(t, "missed", true, fact.missed);
	text_put(t, ",\"hooks\":[");
	for (i = 0; i < o->count; i++) {
		if (!(o->hooks[i].facts & 1U << fact.bit))
			continue;
		text_put(t, comma);
		json_hook(t, &o->hooks[i]);
		comma = ",";
	}
	text_printf(t, "],\"seq\":%llu}", (unsigned long long)o->seq);
}

static int print_json(const struct observer *o)
{
	enum output result = OUTPUT_DONE;
	struct fact_state fact;
	unsigned int bit;

	for (bit = 0; bit < FACTS_MAX && result == OUTPUT_DONE; bit++) {
		if (find_fact(o, bit, &fact))
			result = output_item(put_json, o, bit);
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

int run_observer(struct options *o, int argc, char **argv)
{
	struct observer observer = { .hooks = NULL };
	int status = STATUS_ERROR;
	struct rdmaev *h;

	if (argc) {
		complain("%s: observer takes no arguments", argv[0]);
		return STATUS_ERROR;
	}
	h = open_node(o, RDMAEV_NONBLOCK);
	if (!h)
		return STATUS_ERROR;
	if (!list_hooks(h, &observer)) {
		status = STATUS_OK;
		if (o->json)
			status = print_json(&observer);
		else if (observer.count)
			status = print_facts(&observer);
		if (!o->json && observer.count && status == STATUS_OK)
			status = print_hooks(&observer);
		if (!observer.count && !o->quiet)
			complain("the observer is not loaded; modprobe rdmaev_observe");
	}
	free(observer.hooks);
	close_node(h);
	return output_finish(status);
}
