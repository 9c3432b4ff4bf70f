// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev observer: print what is observed, what is not, and why. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/recorded.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "output/open.h"
#include "output/output.h"
#include "output/table.h"
#include "state/facts.h"
#include "state/snapshot.h"

/* By DEVX, programs on devices of this driver make objects past ib_core. */
#define DEVX_DRIVER	"mlx5_ib"
#define DEVX_FACT	"DEVX objects"
#define DEVX_WHY	"programs on mlx5 (DPDK, DOCA, UCX) make them past ib_core"

typedef void (*put_fact_fn)(struct text *t, const struct rdmaev_observed *o,
			    unsigned int bit);

static void put_or_dash(struct text *t, const struct rdmaev_observed *o,
			unsigned int bit, put_fact_fn put)
{
	put(t, o, bit);
	if (!t->len)
		text_put(t, "-");
}

static int print_facts(const struct rdmaev_observed *o, bool has_devx)
{
	static const char * const titles[] = { "FACT", "STATE", "WHY", "REMEDY" };
	struct table table;
	unsigned int bit;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (bit = 0; bit < FACTS_MAX; bit++) {
		enum fact_state state = fact_state(o, bit);

		if (state == FACT_NONE)
			continue;
		table_row(&table);
		put_fact(table_cell(&table), bit);
		text_put(table_cell(&table), fact_state_name(state));
		put_or_dash(table_cell(&table), o, bit, put_why);
		put_or_dash(table_cell(&table), o, bit, put_remedy);
	}
	if (has_devx) {
		table_row(&table);
		text_put(table_cell(&table), DEVX_FACT);
		text_put(table_cell(&table), fact_state_name(FACT_MISSING));
		text_put(table_cell(&table), DEVX_WHY);
		text_put(table_cell(&table), "-");
	}
	return table_print(&table);
}

/* ,"KEY": and a text, or null if @put puts nothing */
static void json_text(struct text *t, const char *key, const struct rdmaev_observed *o,
		      unsigned int bit, put_fact_fn put)
{
	char buf[512];
	struct text value = { .buf = buf, .size = sizeof(buf) };

	put(&value, o, bit);
	text_end(&value);
	text_printf(t, ",\"%s\":", key);
	text_json(t, value.len ? buf : NULL);
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct rdmaev_info *info = of;
	const struct rdmaev_observed *o = &info->observer;
	unsigned int bit = (unsigned int)item;

	text_put(t, "{\"fact\":");
	if (observed_name(bit))
		text_json(t, observed_name(bit));
	else
		text_printf(t, "%u", bit);
	text_put(t, ",\"state\":");
	text_json(t, fact_state_name(fact_state(o, bit)));
	json_text(t, "why", o, bit, put_why);
	json_text(t, "remedy", o, bit, put_remedy);
	text_printf(t, ",\"gaps\":%s", o->gaps & 1U << bit ? "true" : "false");
	text_key_number(t, "seq", true, info->newest_seq);
	text_put(t, "}");
}

static void put_json_devx(struct text *t, const void *of, size_t item)
{
	const struct rdmaev_info *info = of;

	(void)item;
	text_put(t, "{\"fact\":\"" DEVX_FACT "\",\"state\":");
	text_json(t, fact_state_name(FACT_MISSING));
	text_put(t, ",\"why\":\"" DEVX_WHY "\",\"remedy\":null,\"gaps\":false");
	text_key_number(t, "seq", true, info->newest_seq);
	text_put(t, "}");
}

static int print_json(const struct rdmaev_info *info, bool has_devx)
{
	enum output result = OUTPUT_DONE;
	unsigned int bit;

	for (bit = 0; bit < FACTS_MAX && result == OUTPUT_DONE; bit++) {
		if (fact_state(&info->observer, bit) != FACT_NONE)
			result = output_item(put_json, info, bit);
	}
	if (has_devx && result == OUTPUT_DONE)
		result = output_item(put_json_devx, info, 0);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* In a recording, it may not be there. 0, or -1 with errno */
static int read_info(struct rdmaev *h, struct rdmaev_info *info)
{
	const struct recording_file *file = recorded_file();

	if (!file || file->lists[RECORDING_OBSERVED].count)
		return rdmaev_info(h, info);
	errno = ENODATA;
	return -1;
}

/* 1: there is such a device, 0, or -1 after a message */
static int find_devx(struct rdmaev *h)
{
	struct rdmaev_device *list;
	ssize_t n = list_devices(h, false, &list, NULL), i;
	int found = 0;

	if (n < 0)
		return -1;
	for (i = 0; i < n; i++)
		found |= !strcmp(list[i].driver, DEVX_DRIVER);
	free(list);
	return found;
}

static int print_observer(struct rdmaev *h, const struct options *o,
			  const struct rdmaev_info *info)
{
	int has_devx = find_devx(h);

	if (has_devx < 0)
		return STATUS_ERROR;
	return o->json ? print_json(info, has_devx) : print_facts(&info->observer, has_devx);
}

int run_observer(struct options *o, int argc, char **argv)
{
	static const struct rdmaev_observed nothing;
	int status = STATUS_OK;
	struct rdmaev_info info;
	struct rdmaev *h;

	if (argc) {
		complain("%s: observer takes no arguments", argv[0]);
		return STATUS_ERROR;
	}
	h = open_node(o, RDMAEV_NONBLOCK);
	if (!h)
		return STATUS_ERROR;
	if (read_info(h, &info)) {
		complain("cannot read what is observed: %s", reader_error());
		status = STATUS_ERROR;
	} else if (!memcmp(&info.observer, &nothing, sizeof(nothing))) {
		if (!o->quiet)
			complain("the observer is not loaded; modprobe rdmaev_observe");
	} else {
		status = print_observer(h, o, &info);
	}
	close_node(h);
	return output_finish(status);
}
