// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev devices: print the last known state of devices and ports. */
#include <stdlib.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "output/table.h"
#include "state/ports.h"
#include "state/renamed.h"
#include "state/snapshot.h"
#include "state/targets.h"

/**
 * struct view - what is printed
 * @s: selected devices and ports
 * @before: those that they were before, too
 */
struct view {
	struct snapshot s;
	struct snapshot before;
};

static void fill_device(struct table *table, const struct rdmaev_device *device)
{
	table_row(table);
	text_name(table_cell(table), device->name);
}

static void fill_port(struct table *table, const struct rdmaev_port *port)
{
	text_printf(table_cell(table), "%u", port->port);
	put_netdev(table_cell(table), port);
	put_protocol(table_cell(table), port);
	put_port_state(table_cell(table), port);
	put_rate(table_cell(table), port->speed, port->width);
	table_count(table, port->mtu, port->mtu);
	table_count(table, port->lid, port->lid);
	text_printf(table_cell(table), "%u", port->outages);
}

/* A device without known ports */
static void fill_no_port(struct table *table)
{
	int i;

	for (i = 0; i < 8; i++)
		text_put(table_cell(table), "-");
}

static void fill_rest(struct table *table, const struct snapshot *s,
		      const struct rdmaev_device *device)
{
	struct text *t = table_cell(table);

	if (*device->driver)
		text_name(t, device->driver);
	else
		text_put(t, "-");
	text_guid(table_cell(table), device->node_guid);
	t = table_cell(table);
	if (!device->last_seq)
		return text_put(t, "-");
	put_counted_name(t, device->last_kind, device->last_code);
	text_put(t, " ");
	text_duration(t, age(s, device->last_boottime_ns));
}

/* A line below the table */
static enum output print_note(const char *line, bool *is_first)
{
	if (*is_first)
		output_line("");
	*is_first = false;
	return output_line(line);
}

/* "sim0/1: queries of the port have failed for 3s: No such device (-19)" */
static enum output print_failure(const struct snapshot *s, const struct rdmaev_device *device,
				 const struct rdmaev_port *port, bool *is_first)
{
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_name(&t, device->name);
	text_printf(&t, "/%u: ", port->port);
	put_query_failure(&t, port, s->now);
	text_end(&t);
	return print_note(line, is_first);
}

/* "roce0, before: rxe0 (same node GUID)" */
static enum output print_before(const struct view *v, const struct rdmaev_device *device,
				bool *is_first)
{
	const char *name = name_before(v->before.devices, v->before.devices_count, device);
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (!name)
		return OUTPUT_DONE;
	text_name(&t, device->name);
	text_put(&t, ", before: ");
	text_name(&t, name);
	text_put(&t, " (same node GUID)");
	text_end(&t);
	return print_note(line, is_first);
}

static int print_notes(const struct view *v)
{
	const struct snapshot *s = &v->s;
	enum output result = OUTPUT_DONE;
	bool is_first = true;
	size_t d, p;

	for (d = 0; d < s->devices_count && result == OUTPUT_DONE; d++) {
		result = print_before(v, &s->devices[d], &is_first);
		for (p = 0; p < s->ports_count && result == OUTPUT_DONE; p++) {
			if (s->ports[p].generation != s->devices[d].generation ||
			    !(s->ports[p].flags & RDMAEV_PORT_FLAG_QUERY_FAILED) ||
			    s->ports[p].flags & RDMAEV_PORT_FLAG_REMOVED)
				continue;
			result = print_failure(s, &s->devices[d], &s->ports[p], &is_first);
		}
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int print_table(const struct view *v)
{
	const struct snapshot *s = &v->s;
	static const char * const titles[] = {
		"DEVICE", "PORT", "NETDEV", "PROTO", "STATE", "RATE", "MTU", "LID",
		"OUTAGES", "DRIVER", "NODE GUID", "LAST EVENT, AGO",
	};
	struct table table;
	size_t d, p;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (d = 0; d < s->devices_count; d++) {
		const struct rdmaev_device *device = &s->devices[d];
		bool alone = true;

		for (p = 0; p < s->ports_count; p++) {
			if (s->ports[p].generation != device->generation)
				continue;
			fill_device(&table, device);
			fill_port(&table, &s->ports[p]);
			fill_rest(&table, s, device);
			alone = false;
		}
		if (alone) {
			fill_device(&table, device);
			fill_no_port(&table);
			fill_rest(&table, s, device);
		}
	}
	if (table_print(&table) != STATUS_OK)
		return STATUS_ERROR;
	return print_notes(v);
}

static void json_port(struct text *t, const struct snapshot *s,
		      const struct rdmaev_port *port)
{
	struct link_modes modes;

	text_printf(t, "{\"port\":%u", port->port);
	text_key_name(t, "link_layer", link_layer_name(port->link_layer),
		      port->link_layer);
	json_protocols(t, port);
	json_state(t, port);
	json_query(t, port);
	text_key_name(t, "phys_state", phys_state_name(port->phys_state),
		      port->phys_state);
	text_printf(t, ",\"lid\":%u,\"sm_lid\":%u", port->lid, port->sm_lid);
	text_key_name(t, "speed", speed_name(port->speed), port->speed);
	text_key_name(t, "width", width_name(port->width), port->width);
	json_rate(t, "rate_mbps", port->speed, port->width);
	json_rate(t, "best_rate_mbps", port->best_speed, port->best_width);
	text_printf(t, ",\"mtu\":%u", port->mtu);
	json_gid(t, port);
	json_netdev(t, port);
	modes = read_link_modes(port);
	json_link_modes(t, &modes);
	text_printf(t, ",\"outages\":%u,\"gids\":%u,\"pkeys\":%u", port->outages,
		    port->gids, port->pkeys);
	json_history(t, s, port);
	text_put(t, "}");
}

static void json_last(struct text *t, const struct rdmaev_device *device)
{
	text_put(t, ",\"last\":");
	if (!device->last_seq)
		return text_put(t, "null");
	text_put(t, "{\"seq\":");
	text_number(t, device->last_seq);
	text_put(t, ",\"time\":");
	text_json_time(t, device->last_realtime_ns);
	text_key_ns(t, "boottime_ns", true, device->last_boottime_ns);
	text_key_number(t, "port", device->last_port != RDMAEV_NO_PORT, device->last_port);
	text_key_name(t, "kind", kind_name(device->last_kind), device->last_kind);
	text_put(t, ",\"event\":\"");
	put_counted_name(t, device->last_kind, device->last_code);
	text_printf(t, "\",\"code\":%u}", device->last_code);
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct view *v = of;
	const struct snapshot *s = &v->s;
	const struct rdmaev_device *device = &s->devices[item];
	const char *comma = "";
	size_t p;

	json_device(t, device);
	text_key_name(t, "node_type", node_type_name(device->node_type),
		      device->node_type);
	text_put(t, ",\"node_guid\":\"");
	text_guid(t, device->node_guid);
	text_put(t, "\"");
	text_key_ns(t, "since_ns", true, device->since_ns);
	text_key_number(t, "previous", device->previous, device->previous);
	text_put(t, ",\"old_name\":");
	text_json(t, name_before(v->before.devices, v->before.devices_count, device));
	text_put(t, ",\"ports\":[");
	for (p = 0; p < s->ports_count; p++) {
		if (s->ports[p].generation != device->generation)
			continue;
		text_put(t, comma);
		json_port(t, s, &s->ports[p]);
		comma = ",";
	}
	text_put(t, "]");
	text_key_number(t, "seq", true, s->seq);
	json_knowledge(t, device);
	json_last(t, device);
	text_put(t, "}");
}

static int print_json(const struct view *v)
{
	const struct snapshot *s = &v->s;
	enum output result = OUTPUT_DONE;
	size_t d;

	for (d = 0; d < s->devices_count && result == OUTPUT_DONE; d++)
		result = output_item(put_json, v, d);
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

int run_devices(struct options *o, int argc, char **argv)
{
	struct target *targets = parse_targets(argc, argv);
	struct view v = { .s = { .devices = NULL } };
	int status = STATUS_ERROR;
	struct rdmaev *h = NULL;

	if (targets)
		h = open_node(o, RDMAEV_NONBLOCK);
	if (h && !take_snapshot(h, &v.s, o->removed, false) &&
	    !select_targets(h, &v.s, targets, (size_t)argc, false) &&
	    !take_before(h, &v.s, &v.before)) {
		status = STATUS_OK;
		if (o->json)
			status = print_json(&v);
		else if (v.s.devices_count)
			status = print_table(&v);
		if (!v.s.devices_count && !o->quiet)
			complain("%s", argc ? "no such device" :
				 "no RDMA devices");
	}
	free_snapshot(&v.before);
	free_snapshot(&v.s);
	close_node(h);
	free(targets);
	return output_finish(status);
}
