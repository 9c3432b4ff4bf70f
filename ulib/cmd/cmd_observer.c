// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev observer: print what is observed, by which hooks, and what is not. */
#include <errno.h>
#include <stdlib.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "output/open.h"
#include "output/output.h"
#include "output/table.h"
#include "state/facts.h"

/* "kretprobe", by the first bit that is set */
static const char *hook_mechanism(const struct rdmaev_hook *hook)
{
	unsigned int bit = 0;

	if (hook->mechanism == RDMAEV_OBSERVES_BY_KPROBE &&
	    hook->flags & RDMAEV_HOOK_FLAG_RETURN)
		return "kretprobe";
	while (bit < 32 && !(hook->mechanism & 1U << bit))
		bit++;
	return observes_by_name(bit);
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
	if (hook_mechanism(hook))
		text_put(t, hook_mechanism(hook));
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
	text_key_name(t, "mechanism", hook_mechanism(hook), hook->mechanism);
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
	text_put(t, "]");
	text_key_number(t, "seq", true, o->seq);
	text_put(t, "}");
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
	if (list_hooks(h, &observer)) {
		complain("cannot list the hooks of the observer: %s",
			 errno == ENOTTY ?
			 "install the same version of command and module" :
			 reader_error());
	} else {
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
