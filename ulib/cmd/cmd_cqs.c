// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev cqs: print CQs and their counters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "cmd.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "output/refresh.h"
#include "state/cqs.h"
#include "state/snapshot.h"
#include "state/targets.h"

/**
 * struct answer - what is printed
 * @o: command line
 * @names: devices given as arguments, @names_count of them
 * @h: reader
 * @again: not the first output
 * @devices: selected devices that exist, @devices_count of them
 * @list: their CQs, @count of them
 * @seq: newest record such that all failures up to it were counted
 * @now: CLOCK_BOOTTIME
 */
struct answer {
	const struct options *o;
	char **names;
	int names_count;
	struct rdmaev *h;
	bool again;
	struct rdmaev_device *devices;
	size_t devices_count;
	struct rdmaev_cq_stats *list;
	size_t count;
	uint64_t seq;
	uint64_t now;
};

static const struct rdmaev_device *device_of(const struct answer *a,
					     const struct rdmaev_cq_stats *stats)
{
	size_t d;

	for (d = 0; d < a->devices_count; d++)
		if (stats->generation ?
		    a->devices[d].generation == stats->generation :
		    a->devices[d].index == stats->device)
			return &a->devices[d];
	return NULL;
}

/* Ports cannot be selected here: a slash is part of the name. */
static struct target cq_target(const char *text)
{
	size_t len = strlen(text);
	bool is_prefix = len && text[len - 1] == '*';

	return (struct target){
		.text = text,
		.name = text,
		.name_len = is_prefix ? len - 1 : len,
		.is_prefix = is_prefix,
	};
}

static bool is_named(const char *text, const struct rdmaev_device *device)
{
	const struct target target = cq_target(text);

	return is_target(&target, device->name);
}

static void complain_cq_device(const struct answer *a, const char *name)
{
	const struct target target = cq_target(name);
	const char *slash = strrchr(name, '/');
	char device[RDMAEV_DEVICE_NAME_SIZE];
	size_t d;

	snprintf(device, sizeof(device), "%.*s", slash ? (int)(slash - name) : 0, name);
	for (d = 0; d < a->devices_count; d++)
		if (!strcmp(device, a->devices[d].name))
			break;
	if (d < a->devices_count)
		complain("%s: no such device (CQs belong to no port: rdmaev cqs %s)",
			 name, device);
	else
		complain_absent(a->h, &target, a->devices, a->devices_count);
}

/* Keep the named devices; one may have been removed meanwhile. */
static int select_devices(struct answer *a)
{
	size_t d, kept = 0;
	int i;

	for (i = 0; i < a->names_count && !a->again; i++) {
		for (d = 0; d < a->devices_count; d++)
			if (is_named(a->names[i], &a->devices[d]))
				break;
		if (d == a->devices_count && !strchr(a->names[i], '*')) {
			complain_cq_device(a, a->names[i]);
			return -1;
		}
	}
	for (d = 0; a->names_count && d < a->devices_count; d++) {
		for (i = 0; i < a->names_count; i++)
			if (is_named(a->names[i], &a->devices[d]))
				break;
		if (i < a->names_count)
			a->devices[kept++] = a->devices[d];
	}
	if (a->names_count)
		a->devices_count = kept;
	return 0;
}

static int cqs_ask(struct answer *a)
{
	size_t i, kept = 0;
	uint64_t seq;
	ssize_t n;

	n = list_devices(a->h, false, &a->devices, &seq);
	if (n < 0)
		return -1;
	a->devices_count = (size_t)n;
	if (select_devices(a) < 0 ||
	    list_cqs(a->h, 0, &a->list, &a->count, &a->seq) < 0)
		return -1;
	for (i = 0; i < a->count; i++)
		if (!a->names_count || device_of(a, &a->list[i]))
			a->list[kept++] = a->list[i];
	a->count = kept;
	a->now = boottime();
	return 0;
}

static const char *cq_kind(const struct rdmaev_cq_stats *stats)
{
	if (stats->flags & RDMAEV_CQ_OBSERVED)
		return "observed";
	return stats->flags & RDMAEV_CQ_ATTACHED ? "attached" : "created";
}

static void fill_device(struct table *table, const struct answer *a,
			const struct rdmaev_cq_stats *stats)
{
	const struct rdmaev_device *device = device_of(a, stats);
	struct text *t = table_cell(table);

	if (device)
		text_name(t, device->name);
	else
		text_printf(t, "#%u", stats->device);
}

/* Of a process: "name[pid]", as in records */
static void fill_owner(struct table *table, const struct rdmaev_cq_stats *stats)
{
	struct text *t = table_cell(table);

	text_name(t, stats->owner);
	if (stats->flags & RDMAEV_CQ_USER && stats->pid)
		text_printf(t, "[%u]", stats->pid);
}

static void fill_flags(struct table *table, const struct answer *a,
		       const struct rdmaev_cq_stats *stats)
{
	bool color = output_color(a->o);
	struct text *t;

	if (!(stats->flags & (RDMAEV_CQ_STALLED | RDMAEV_CQ_NOTIFIED)))
		return;
	t = table_cell(table);
	if (stats->flags & RDMAEV_CQ_STALLED)
		text_printf(t, "%sSTALLED%s", color ? RED : "", color ? PLAIN : "");
	if (stats->flags & RDMAEV_CQ_NOTIFIED)
		text_printf(t, "%snotified", t->len ? "," : "");
}

static int print_cqs(const struct answer *a)
{
	static const char * const titles[] = {
		"DEVICE", "CQ", "OWNER", "KIND", "CQE", COUNTER_TITLES, "FLAGS",
	};
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < a->count; i++) {
		const struct rdmaev_cq_stats *stats = &a->list[i];

		table_row(&table);
		fill_device(&table, a, stats);
		table_count(&table, stats->flags & RDMAEV_CQ_NUMBERED, stats->cq);
		fill_owner(&table, stats);
		text_put(table_cell(&table), cq_kind(stats));
		table_count(&table, true, stats->cqe);
		fill_counters(&table, stats, a->now);
		fill_flags(&table, a, stats);
	}
	return table_print(&table);
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct answer *a = of;
	const struct rdmaev_cq_stats *stats = &a->list[item];
	const struct rdmaev_device *device = device_of(a, stats);

	text_put(t, "{\"device\":");
	text_json(t, device ? device->name : NULL);
	text_printf(t, ",\"index\":%u,\"generation\":%u", stats->device,
		    stats->generation);
	text_key_number(t, "id", true, stats->id);
	text_key_number(t, "cq", stats->flags & RDMAEV_CQ_NUMBERED, stats->cq);
	text_put(t, ",\"owner\":");
	text_json(t, *stats->owner ? stats->owner : NULL);
	text_key_number(t, "pid", stats->flags & RDMAEV_CQ_USER && stats->pid,
			stats->pid);
	text_key_number(t, "uid", stats->flags & RDMAEV_CQ_USER, stats->uid);
	text_printf(t, ",\"kind\":\"%s\",\"cqe\":%u", cq_kind(stats), stats->cqe);
	text_printf(t, ",\"stalled\":%s,\"notified\":%s",
		    stats->flags & RDMAEV_CQ_STALLED ? "true" : "false",
		    stats->flags & RDMAEV_CQ_NOTIFIED ? "true" : "false");
	key_counters(t, stats);
	text_printf(t, ",\"flags\":%u", stats->flags);
	text_key_number(t, "seq", true, a->seq);
	text_put(t, "}");
}

static int print_json(const struct answer *a)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < a->count && result == OUTPUT_DONE; i++)
		result = output_item(put_json, a, i);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int cqs_show(void *arg)
{
	struct answer *a = arg;
	int status = STATUS_ERROR;

	if (!cqs_ask(a)) {
		status = STATUS_OK;
		if (a->o->json)
			status = print_json(a);
		else if (a->count || a->o->watch_ns)
			status = print_cqs(a);
		/* Without privileges, CQs may exist and be invisible. */
		if (!a->count && !a->o->quiet && !a->o->watch_ns)
			complain("no visible CQs%s", geteuid() ?
				 "; only administrators see those of others" : "");
	}
	free(a->devices);
	free(a->list);
	a->devices = NULL;
	a->list = NULL;
	a->again = true;
	return status;
}

int run_cqs(struct options *o, int argc, char **argv)
{
	struct answer a = { .o = o, .names = argv, .names_count = argc };
	int status;

	a.h = open_node(o, RDMAEV_NONBLOCK);
	if (!a.h)
		return STATUS_ERROR;
	status = refresh(o, a.h, cqs_show, &a);
	close_node(a.h);
	return output_finish(status);
}
