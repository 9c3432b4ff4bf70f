// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev devices: the devices and ports there are, as they were last seen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "cmd.h"
#include "table.h"

/**
 * struct snapshot - devices and ports at one time
 * @devices: devices, @devices_count of them
 * @ports: their ports, @ports_count of them
 * @seq: newest record that both take into account
 * @now: CLOCK_BOOTTIME
 */
struct snapshot {
	struct rdmaev_device *devices;
	size_t devices_count;
	struct rdmaev_port *ports;
	size_t ports_count;
	uint64_t seq;
	uint64_t now;
};

static ssize_t list_ports(struct rdmaev *h, struct rdmaev_port **list, uint64_t *seq)
{
	size_t room = 64;
	ssize_t n;

	*list = NULL;
	for (;;) {
		struct rdmaev_port *larger;

		larger = realloc(*list, room * sizeof(**list));
		if (!larger) {
			n = -1;
			break;
		}
		*list = larger;
		n = rdmaev_ports(h, RDMAEV_ANY, 0, *list, room, seq);
		if (n < 0 || (size_t)n <= room)
			break;
		room = (size_t)n + 16;
	}
	if (n < 0)
		complain("cannot list the ports: %s", strerror(errno));
	return n;
}

static void free_snapshot(struct snapshot *s)
{
	free(s->devices);
	free(s->ports);
	s->devices = NULL;
	s->ports = NULL;
}

static int take_snapshot(struct rdmaev *h, struct snapshot *s)
{
	uint64_t devices_seq, ports_seq;
	ssize_t n, m;
	int tries;

	/*
	 * Two questions, one answer each: if something happened in between ask
	 * again. Where it never stops, the older seq is true of both, because
	 * applying a record twice does no harm.
	 */
	for (tries = 0; tries < 8; tries++) {
		free_snapshot(s);
		n = list_devices(h, &s->devices, &devices_seq);
		if (n < 0)
			return -1;
		m = list_ports(h, &s->ports, &ports_seq);
		if (m < 0)
			return -1;
		s->devices_count = (size_t)n;
		s->ports_count = (size_t)m;
		s->seq = devices_seq < ports_seq ? devices_seq : ports_seq;
		if (devices_seq == ports_seq)
			break;
	}
	s->now = boottime();
	return 0;
}

static const char *protocol_name(uint32_t protocols)
{
	switch (protocols) {
	case RDMAEV_PROTOCOL_IB:
		return "IB";
	case RDMAEV_PROTOCOL_ROCE:
		return "RoCE";
	case RDMAEV_PROTOCOL_IWARP:
		return "iWARP";
	case 0:
		return "-";
	default:
		return NULL;
	}
}

static void put_known(struct text *t, const char *name, uint32_t number)
{
	if (name)
		text_put(t, name);
	else
		text_printf(t, "%u", number);
}

/* Data rate in tenths of Gb/s, 0: not known. */
static unsigned int rate(const struct rdmaev_port *port)
{
	return speed_rate(port->speed) * width_lanes(port->width);
}

static void put_rate(struct text *t, const struct rdmaev_port *port)
{
	unsigned int r = rate(port);

	put_known(t, width_name(port->width), port->width);
	text_put(t, " ");
	put_known(t, speed_name(port->speed), port->speed);
	if (r % 10)
		text_printf(t, " %u.%u Gb/s", r / 10, r % 10);
	else if (r)
		text_printf(t, " %u Gb/s", r / 10);
}

static void fill_device(struct table *table, const struct rdmaev_device *device)
{
	table_row(table);
	text_name(table_cell(table), device->name);
	text_printf(table_cell(table), "%u", device->index);
	text_printf(table_cell(table), "%u", device->generation);
	put_known(table_cell(table), node_type_name(device->node_type),
		  device->node_type);
	text_guid(table_cell(table), device->node_guid);
}

static void fill_port(struct table *table, const struct rdmaev_port *port,
		      uint64_t now)
{
	struct text *t;

	text_printf(table_cell(table), "%u", port->port);
	put_known(table_cell(table), link_layer_name(port->link_layer),
		  port->link_layer);
	t = table_cell(table);
	if (protocol_name(port->protocols))
		text_put(t, protocol_name(port->protocols));
	else
		text_printf(t, "0x%x", port->protocols);
	put_known(table_cell(table), state_name(port->state), port->state);
	put_known(table_cell(table), phys_state_name(port->phys_state),
		  port->phys_state);
	text_printf(table_cell(table), "%u", port->lid);
	put_rate(table_cell(table), port);
	t = table_cell(table);
	text_printf(t, "%u flap%s, ", port->flaps, port->flaps == 1 ? "" : "s");
	text_duration(t, now > port->state_since_ns ? now - port->state_since_ns : 0);
}

static int print_table(const struct snapshot *s)
{
	static const char * const titles[] = {
		"DEVICE", "INDEX", "GEN", "TYPE", "NODE GUID", "PORT", "LINK",
		"PROTO", "STATE", "PHYS", "LID", "RATE", "FLAPS, TIME IN STATE",
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
			fill_port(&table, &s->ports[p], s->now);
			alone = false;
		}
		if (alone)
			fill_device(&table, device);
	}
	return table_print(&table);
}

static void json_known(struct text *t, const char *key, const char *name,
		       uint32_t number)
{
	text_printf(t, ",\"%s\":", key);
	if (name)
		text_json(t, name);
	else
		text_printf(t, "%u", number);
}

static void json_port(struct text *t, const struct rdmaev_port *port, uint64_t now)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} protocols[] = {
		{ RDMAEV_PROTOCOL_IB, "IB" },
		{ RDMAEV_PROTOCOL_ROCE, "RoCE" },
		{ RDMAEV_PROTOCOL_IWARP, "iWARP" },
	};
	const char *comma = "";
	unsigned int r = rate(port);
	size_t i;

	text_printf(t, "{\"port\":%u", port->port);
	json_known(t, "link_layer", link_layer_name(port->link_layer),
		   port->link_layer);
	text_put(t, ",\"protocols\":[");
	for (i = 0; i < ARRAY_SIZE(protocols); i++) {
		if (!(port->protocols & protocols[i].bit))
			continue;
		text_put(t, comma);
		text_json(t, protocols[i].name);
		comma = ",";
	}
	text_put(t, "]");
	json_known(t, "state", state_name(port->state), port->state);
	json_known(t, "phys_state", phys_state_name(port->phys_state),
		   port->phys_state);
	text_printf(t, ",\"lid\":%u,\"sm_lid\":%u", port->lid, port->sm_lid);
	json_known(t, "speed", speed_name(port->speed), port->speed);
	json_known(t, "width", width_name(port->width), port->width);
	if (r)
		text_printf(t, ",\"rate_mbps\":%u", r * 100);
	else
		text_put(t, ",\"rate_mbps\":null");
	text_printf(t, ",\"flaps\":%u,\"gids\":%u,\"pkeys\":%u", port->flaps,
		    port->gids, port->pkeys);
	text_printf(t, ",\"state_since_ns\":%llu,\"state_ns\":%llu}",
		    (unsigned long long)port->state_since_ns,
		    (unsigned long long)(now > port->state_since_ns ?
					 now - port->state_since_ns : 0));
}

static void json_device(struct text *t, const struct snapshot *s,
			const struct rdmaev_device *device)
{
	const char *comma = "";
	size_t p;

	text_put(t, "{\"device\":");
	text_json(t, device->name);
	text_printf(t, ",\"index\":%u,\"generation\":%u", device->index,
		    device->generation);
	json_known(t, "node_type", node_type_name(device->node_type),
		   device->node_type);
	text_put(t, ",\"node_guid\":\"");
	text_guid(t, device->node_guid);
	text_printf(t, "\",\"since_ns\":%llu,\"ports\":[",
		    (unsigned long long)device->since_ns);
	for (p = 0; p < s->ports_count; p++) {
		if (s->ports[p].generation != device->generation)
			continue;
		text_put(t, comma);
		json_port(t, &s->ports[p], s->now);
		comma = ",";
	}
	text_printf(t, "],\"seq\":%llu}", (unsigned long long)s->seq);
}

static int print_json(const struct snapshot *s)
{
	size_t d;

	for (d = 0; d < s->devices_count; d++) {
		struct text t = { .size = 0 };
		enum output result;

		/* Once to learn the length, once to write. */
		json_device(&t, s, &s->devices[d]);
		t.size = t.len + 1;
		t.buf = malloc(t.size);
		if (!t.buf) {
			complain("out of memory");
			return STATUS_ERROR;
		}
		t.len = 0;
		json_device(&t, s, &s->devices[d]);
		text_end(&t);
		result = output_line(t.buf);
		free(t.buf);
		if (result != OUTPUT_DONE)
			return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
	}
	return STATUS_OK;
}

static int run_devices(struct options *o, int argc, char **argv)
{
	struct snapshot s = { .devices = NULL };
	int status = STATUS_ERROR;
	struct rdmaev *h;

	h = open_node(o, RDMAEV_NONBLOCK);
	if (!h)
		return STATUS_ERROR;
	if (!take_snapshot(h, &s) && !select_devices(s.devices, &s.devices_count, argc, argv)) {
		if (o->json)
			status = print_json(&s);
		else if (s.devices_count)
			status = print_table(&s);
		else
			status = STATUS_OK;
		if (!s.devices_count && !o->quiet)
			complain("there are no RDMA devices here");
	}
	free_snapshot(&s);
	rdmaev_close(h);
	return output_finish(status);
}

const struct command command_devices = {
	.name = "devices",
	.letters = "",
	.usage = "[DEV]...",
	.help = "Print the devices and their ports as they were last seen.\n\n",
	.run = run_devices,
};
