// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev stats: print statistics of devices and ports. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "option/arguments.h"
#include "output/histogram.h"
#include "output/open.h"
#include "output/output.h"
#include "output/refresh.h"
#include "state/cqs.h"
#include "state/snapshot.h"
#include "state/targets.h"

/**
 * struct view - what is printed
 * @o: command line
 * @h: reader
 * @targets: devices and ports given as arguments, @targets_count of them
 * @again: not the first output
 * @s: devices, ports and counters
 */
struct view {
	const struct options *o;
	struct rdmaev *h;
	struct target *targets;
	size_t targets_count;
	bool again;
	struct snapshot s;
};

static const struct rdmaev_cq_stats *find_sum(const struct snapshot *s,
					      const struct rdmaev_device *device)
{
	size_t i;

	for (i = 0; i < s->sums_count; i++)
		if (s->sums[i].generation == device->generation)
			return &s->sums[i];
	return NULL;
}

/* True if monitored CQs exist or existed on the device. */
static bool has_had_cqs(const struct rdmaev_cq_stats *sum)
{
	return sum->cqs || sum->last_ns;
}

/* A snapshot is true at one time: print it. */
static enum output print_head(const struct view *v)
{
	char line[128];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_printf(&t, "As of #%llu, ", (unsigned long long)v->s.seq);
	text_time(&t, realtime(), v->s.now, time_style(v->o));
	text_end(&t);
	return output_line(line);
}

/* In the order of devices; @put fills the rows of one of them. */
static int print_rows(const struct snapshot *s, const char * const *titles,
		      unsigned int columns,
		      void (*put)(struct table *table, const struct snapshot *s,
				  const struct rdmaev_device *device))
{
	struct table table;
	size_t d;

	table_start(&table, titles, columns);
	for (d = 0; d < s->devices_count; d++)
		put(&table, s, &s->devices[d]);
	return table_print_rows(&table);
}

static void fill_ports(struct table *table, const struct snapshot *s,
		       const struct rdmaev_device *device)
{
	size_t p;

	for (p = 0; p < s->ports_count; p++) {
		const struct rdmaev_port *port = &s->ports[p];
		bool removed = port->flags & RDMAEV_PORT_FLAG_REMOVED;

		if (port->generation != device->generation)
			continue;
		table_row(table);
		text_name(table_cell(table), device->name);
		table_count(table, true, port->port);
		put_port_state(table_cell(table), port);
		table_duration(table, !removed, age(s, port->state_since_ns));
		table_count(table, true, port->transitions);
		table_count(table, true, port->outages);
		table_duration(table, port->down_last_ns, port->down_last_ns);
		table_duration(table, port->down_longest_ns, port->down_longest_ns);
		table_duration(table, port->down_total_ns, port->down_total_ns);
		table_duration(table, port->down_admin_ns, port->down_admin_ns);
	}
}

static int print_ports(const struct snapshot *s)
{
	static const char * const titles[] = {
		"DEVICE", "PORT", "STATE", "FOR", "TRANSITIONS", "OUTAGES",
		"DOWN LAST", "DOWN MAX", "DOWN SUM", "ADMIN",
	};

	return print_rows(s, titles, ARRAY_SIZE(titles), fill_ports);
}

/* Events that are only counted have no record. */
static void put_last_seq(struct text *t, const struct rdmaev_counter *counter)
{
	if (counter->last_seq)
		text_printf(t, "#%llu", (unsigned long long)counter->last_seq);
	else
		text_put(t, "-");
}

static void fill_event(struct table *table, const struct snapshot *s,
		       const struct rdmaev_device *device,
		       const struct rdmaev_counter *counter)
{
	if (counter->generation != device->generation)
		return;
	table_row(table);
	text_name(table_cell(table), device->name);
	table_count(table, counter->port != RDMAEV_NO_PORT, counter->port);
	put_counted_name(table_cell(table), counter->kind, counter->code);
	table_count(table, true, counter->count);
	table_duration(table, counter->last_seq, age(s, counter->last_boottime_ns));
	put_last_seq(table_cell(table), counter);
}

static void fill_events(struct table *table, const struct snapshot *s,
			const struct rdmaev_device *device)
{
	size_t i;

	for (i = 0; i < s->counters_count; i++)
		fill_event(table, s, device, &s->counters[i]);
}

static const char * const event_titles[] = {
	"DEVICE", "PORT", "EVENT", "COUNT", "LAST", "SEQ",
};

static int print_events(const struct snapshot *s)
{
	return print_rows(s, event_titles, ARRAY_SIZE(event_titles), fill_events);
}

static void fill_sum(struct table *table, const struct snapshot *s,
		     const struct rdmaev_device *device)
{
	const struct rdmaev_cq_stats *sum = find_sum(s, device);

	if (!sum || !has_had_cqs(sum))
		return;
	table_row(table);
	text_name(table_cell(table), device->name);
	table_count(table, true, sum->cqs);
	fill_counters(table, sum, s->now);
}

static const char * const sum_titles[] = { "DEVICE", "CQS", COUNTER_TITLES };

static int print_sums(const struct snapshot *s)
{
	return print_rows(s, sum_titles, ARRAY_SIZE(sum_titles), fill_sum);
}

/* How many connections took how long */
static int print_connecting(const struct snapshot *s)
{
	enum output result = OUTPUT_DONE;
	size_t d;

	for (d = 0; d < s->devices_count && result == OUTPUT_DONE; d++) {
		char title[5 * RDMAEV_DEVICE_NAME_SIZE];
		struct text t = { .buf = title, .size = sizeof(title) };

		text_put(&t, "Time to connect on ");
		text_name(&t, s->devices[d].name);
		text_put(&t, ", number of connections");
		text_end(&t);
		result = print_histogram(title, s->devices[d].connecting, 1000);
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static void put_knowledge(struct text *t, const void *of, size_t item)
{
	const struct snapshot *s = of;
	const struct rdmaev_device *device = &s->devices[item];

	text_name(t, device->name);
	text_put(t, ": driver ");
	if (*device->driver)
		text_name(t, device->driver);
	else
		text_put(t, "-");
	text_put(t, "; reported by: ");
	put_sources(t, device, text_put, ", ");
	text_put(t, "; events seen: ");
	put_seen(t, s, device, text_put, ", ");
}

static int print_knowledge(const struct snapshot *s)
{
	enum output result = OUTPUT_DONE;
	size_t d;

	if (s->devices_count)
		result = output_line("");
	for (d = 0; d < s->devices_count && result == OUTPUT_DONE; d++)
		result = output_item(put_knowledge, s, d);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* True if a port has had an outage, or has one. */
static bool is_port_noted(const struct rdmaev_port *port)
{
	bool is_down = port->state < RDMAEV_STATE_ACTIVE &&
		       !(port->flags & RDMAEV_PORT_FLAG_NEVER_ACTIVE);

	return port->outages || is_down || port->flags & RDMAEV_PORT_FLAG_REMOVING;
}

/* True if it counts errors or warnings, or what has no name. */
static bool is_counter_noted(const struct rdmaev_counter *counter)
{
	const struct catalogue_entry *entry = catalogue_find(counter->kind, counter->code);

	return !entry || entry->severity != RDMAEV_SEVERITY_INFO;
}

static void fill_noted_ports(struct table *table, const struct snapshot *s,
			     const struct rdmaev_device *device)
{
	size_t p;

	for (p = 0; p < s->ports_count; p++) {
		const struct rdmaev_port *port = &s->ports[p];

		if (port->generation != device->generation || !is_port_noted(port))
			continue;
		table_row(table);
		text_name(table_cell(table), device->name);
		table_count(table, true, port->port);
		put_port_state(table_cell(table), port);
		table_duration(table, !(port->flags & RDMAEV_PORT_FLAG_REMOVED),
			       age(s, port->state_since_ns));
		table_count(table, true, port->outages);
		table_duration(table, port->down_last_ns, port->down_last_ns);
		table_duration(table, port->down_total_ns, port->down_total_ns);
	}
}

static int print_noted_ports(const struct snapshot *s)
{
	static const char * const titles[] = {
		"DEVICE", "PORT", "STATE", "FOR", "OUTAGES", "DOWN LAST", "DOWN SUM",
	};

	return print_rows(s, titles, ARRAY_SIZE(titles), fill_noted_ports);
}

static void fill_noted_events(struct table *table, const struct snapshot *s,
			      const struct rdmaev_device *device)
{
	size_t i;

	for (i = 0; i < s->counters_count; i++)
		if (is_counter_noted(&s->counters[i]))
			fill_event(table, s, device, &s->counters[i]);
}

static int print_noted_events(const struct snapshot *s)
{
	return print_rows(s, event_titles, ARRAY_SIZE(event_titles), fill_noted_events);
}

static void fill_noted_sum(struct table *table, const struct snapshot *s,
			   const struct rdmaev_device *device)
{
	const struct rdmaev_cq_stats *sum = find_sum(s, device);

	if (sum && failures(sum))
		fill_sum(table, s, device);
}

static int print_noted_sums(const struct snapshot *s)
{
	return print_rows(s, sum_titles, ARRAY_SIZE(sum_titles), fill_noted_sum);
}

/* What was left out, so that nobody takes it for nothing */
static int print_rest(const struct snapshot *s)
{
	size_t ports = 0, counters = 0, sums = 0, i;
	const char *between = "Not shown: ";
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	for (i = 0; i < s->ports_count; i++)
		ports += !is_port_noted(&s->ports[i]);
	for (i = 0; i < s->counters_count; i++)
		counters += !is_counter_noted(&s->counters[i]);
	for (i = 0; i < s->sums_count; i++)
		sums += has_had_cqs(&s->sums[i]) && !failures(&s->sums[i]);
	if (ports) {
		text_printf(&t, "%s%zu port%s without an outage", between, ports,
			    ports == 1 ? "" : "s");
		between = ", ";
	}
	if (counters) {
		text_printf(&t, "%s%zu counter%s of severity info",
			    between, counters, counters == 1 ? "" : "s");
		between = ", ";
	}
	if (sums)
		text_printf(&t, "%sCQs of %zu device%s without failures", between,
			    sums, sums == 1 ? "" : "s");
	if (!t.len)
		return STATUS_OK;
	text_put(&t, "; -v shows all");
	text_end(&t);
	if (output_line("") == OUTPUT_FAILED || output_line(line) == OUTPUT_FAILED)
		return STATUS_ERROR;
	return STATUS_OK;
}

static int print_tables(const struct view *v)
{
	static int (* const parts[][5])(const struct snapshot *s) = {
		{ print_noted_ports, print_noted_events, print_noted_sums, print_rest },
		{ print_ports, print_events, print_sums, print_connecting, print_knowledge },
	};
	int status = STATUS_OK;
	size_t i;

	if (print_head(v) == OUTPUT_FAILED)
		return STATUS_ERROR;
	for (i = 0; i < ARRAY_SIZE(parts[0]) && parts[v->o->verbose][i] && status == STATUS_OK; i++)
		status = parts[v->o->verbose][i](&v->s);
	return status;
}

static void json_counters(struct text *t, const struct snapshot *s,
			  uint32_t generation, uint32_t port)
{
	const char *comma = "";
	size_t i;

	text_put(t, ",\"counters\":[");
	for (i = 0; i < s->counters_count; i++) {
		const struct rdmaev_counter *counter = &s->counters[i];

		if (counter->generation != generation || counter->port != port)
			continue;
		text_printf(t, "%s{\"event\":\"", comma);
		put_counted_name(t, counter->kind, counter->code);
		text_put(t, "\"");
		text_key_name(t, "kind", kind_name(counter->kind), counter->kind);
		text_printf(t, ",\"code\":%u", counter->code);
		text_key_number(t, "count", true, counter->count);
		text_key_number(t, "last_seq", true, counter->last_seq);
		text_put(t, ",\"last_time\":");
		if (counter->last_seq)
			text_json_time(t, counter->last_realtime_ns);
		else
			text_put(t, "null");
		text_key_ns(t, "last_boottime_ns", counter->last_seq,
			    counter->last_boottime_ns);
		text_put(t, "}");
		comma = ",";
	}
	text_put(t, "]");
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct snapshot *s = of;
	const struct rdmaev_device *device = &s->devices[item];
	const struct rdmaev_cq_stats *sum = find_sum(s, device);
	const char *comma = "";
	size_t p;

	json_device(t, device);
	json_knowledge(t, device);
	text_key_number(t, "seq", true, s->seq);
	text_put(t, ",\"ports\":[");
	for (p = 0; p < s->ports_count; p++) {
		const struct rdmaev_port *port = &s->ports[p];

		if (port->generation != device->generation)
			continue;
		text_printf(t, "%s{\"port\":%u", comma, port->port);
		json_state(t, port);
		text_printf(t, ",\"outages\":%u", port->outages);
		json_history(t, s, port);
		json_counters(t, s, device->generation, port->port);
		text_put(t, "}");
		comma = ",";
	}
	text_put(t, "]");
	json_counters(t, s, device->generation, RDMAEV_NO_PORT);
	text_key(t, "connecting");
	json_histogram(t, device->connecting);
	text_put(t, ",\"cqs\":");
	if (sum) {
		text_printf(t, "{\"count\":%u", sum->cqs);
		key_counters(t, sum);
		text_put(t, "}");
	} else {
		text_put(t, "null");
	}
	text_put(t, "}");
}

static int print_json(const struct snapshot *s)
{
	enum output result = OUTPUT_DONE;
	size_t d;

	for (d = 0; d < s->devices_count && result == OUTPUT_DONE; d++)
		result = output_item(put_json, s, d);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int stats_show(void *arg)
{
	struct view *v = arg;
	int status = STATUS_ERROR;

	if (!take_snapshot(v->h, &v->s, v->o->removed, true) &&
	    !select_targets(v->h, &v->s, v->targets, v->targets_count, v->again)) {
		status = STATUS_OK;
		if (v->o->json)
			status = print_json(&v->s);
		else if (v->s.devices_count || v->o->watch_ns)
			status = print_tables(v);
		if (!v->s.devices_count && !v->o->quiet && !v->o->watch_ns)
			complain("%s", v->targets_count ? "no such device" :
				 "no RDMA devices");
	}
	free_snapshot(&v->s);
	v->again = true;
	return status;
}

int run_stats(struct options *o, int argc, char **argv)
{
	struct view v = { .o = o, .targets_count = (size_t)argc };
	int status = STATUS_ERROR;

	v.targets = parse_targets(argc, argv);
	if (v.targets)
		v.h = open_node(o, RDMAEV_NONBLOCK);
	if (v.h)
		status = refresh(o, v.h, stats_show, &v);
	close_node(v.h);
	free(v.targets);
	return output_finish(status);
}
