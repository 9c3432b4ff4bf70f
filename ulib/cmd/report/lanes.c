// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Find the lines that the chart of a report needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "format.h"
#include "lanes.h"

/* A page with more ports is of no use. */
#define PORTS_MAX	4096

bool is_marked(const struct report *report, size_t i)
{
	return report->shown[i] &&
	       report->log->nodes[i].r.severity >= RDMAEV_SEVERITY_WARNING;
}

/* Last known name of a device */
static const char *find_name(const struct incident_log *log, uint32_t generation)
{
	size_t i;

	for (i = 0; i < log->devices_count; i++)
		if (log->devices[i].generation == generation)
			return log->devices[i].name;
	return NULL;
}

static int lane_compare(const struct port_lane *a, const struct port_lane *b)
{
	int order = strverscmp(a->name, b->name);

	if (!order)
		order = (a->generation > b->generation) - (a->generation < b->generation);
	return order ? order : (a->port > b->port) - (a->port < b->port);
}

/* Add the line, in order, unless there is one; @name if nothing else is known. */
static int add_port(struct lanes *lanes, const struct report *report,
		    uint32_t generation, uint32_t port, const char *name,
		    const struct rdmaev_port *now)
{
	struct port_lane lane = { .generation = generation, .port = port, .now = now };
	const char *known = find_name(report->log, generation);
	size_t i;

	for (i = 0; i < lanes->ports_count; i++)
		if (lanes->ports[i].generation == generation &&
		    lanes->ports[i].port == port)
			return 0;
	if (lanes->ports_count == PORTS_MAX)
		return 0;
	if (!(lanes->ports_count & (lanes->ports_count + 1))) {
		size_t room = 2 * (lanes->ports_count + 1);
		struct port_lane *larger = realloc(lanes->ports, room * sizeof(lane));

		if (!larger)
			return -1;
		lanes->ports = larger;
	}
	snprintf(lane.name, sizeof(lane.name), "%s", known ? known : name);
	for (i = lanes->ports_count++; i && lane_compare(&lane, &lanes->ports[i - 1]) < 0; i--)
		lanes->ports[i] = lanes->ports[i - 1];
	lanes->ports[i] = lane;
	return 0;
}

static int find_ports(struct lanes *lanes, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->ports_count; i++)
		if (add_port(lanes, report, report->ports[i].generation,
			     report->ports[i].port, "-", &report->ports[i]) < 0)
			return -1;
	for (i = 0; i < report->log->count; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;
		bool has_band = report->shown[i] && r->kind == RDMAEV_KIND_PORT;

		if ((has_band || is_marked(report, i)) &&
		    add_port(lanes, report, r->generation, r->port, r->device_name,
			     NULL) < 0)
			return -1;
	}
	return 0;
}

static uint16_t port_of(const struct lanes *lanes, const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < lanes->ports_count; i++)
		if (lanes->ports[i].generation == r->generation &&
		    lanes->ports[i].port == r->port)
			return (uint16_t)i;
	return NO_LANE;
}

/* The owner with this name; one more if there is room, else the last one */
static size_t owner_of(struct lanes *lanes, const char *name)
{
	size_t i;

	for (i = 0; i < lanes->owners_count; i++)
		if (!strcmp(lanes->owners[i].name, name))
			return i;
	if (i == LANE_OWNERS - 1)
		name = "others";
	if (i == LANE_OWNERS)
		return LANE_OWNERS - 1;
	memcpy(lanes->owners[i].name, name, strlen(name) + 1);
	lanes->owners_count++;
	return i;
}

static size_t object_of(struct owner_lanes *owner, const struct rdmaev_record *r)
{
	struct object_lane object = {
		.generation = r->generation,
		.type = r->object_type,
		.number = r->object,
		.is_known = event_has_object(r),
		.place = r,
	};
	size_t i;

	for (i = 0; i < owner->count; i++)
		if (owner->objects[i].generation == object.generation &&
		    owner->objects[i].type == object.type &&
		    owner->objects[i].number == object.number &&
		    owner->objects[i].is_known == object.is_known)
			return i;
	if (i == LANE_OBJECTS) {
		owner->more++;
		return i;
	}
	owner->objects[owner->count++] = object;
	return i;
}

static uint16_t object_lane_of(struct lanes *lanes, const struct rdmaev_record *r)
{
	char name[NAME_SIZE];
	struct text t = { .buf = name, .size = sizeof(name) };
	size_t i;

	put_owner(&t, "", "", r);
	text_end(&t);
	if (r->object_type < RDMAEV_OBJECT_QP && !t.len)
		return NO_LANE;
	i = owner_of(lanes, name);
	return (uint16_t)(i * (LANE_OBJECTS + 1) + object_of(&lanes->owners[i], r));
}

int find_lanes(struct lanes *lanes, const struct report *report)
{
	size_t n = report->log->count, i;

	memset(lanes, 0, sizeof(*lanes));
	lanes->owners = calloc(LANE_OWNERS, sizeof(*lanes->owners));
	lanes->on_port = calloc(n + 1, sizeof(*lanes->on_port));
	lanes->on_object = calloc(n + 1, sizeof(*lanes->on_object));
	if (!lanes->owners || !lanes->on_port || !lanes->on_object ||
	    find_ports(lanes, report) < 0) {
		complain("out of memory");
		return -1;
	}
	for (i = 0; i < n; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;

		lanes->on_port[i] = NO_LANE;
		lanes->on_object[i] = NO_LANE;
		if (!is_marked(report, i))
			continue;
		lanes->on_port[i] = port_of(lanes, r);
		lanes->on_object[i] = object_lane_of(lanes, r);
	}
	return 0;
}

void free_lanes(struct lanes *lanes)
{
	free(lanes->ports);
	free(lanes->owners);
	free(lanes->on_port);
	free(lanes->on_object);
}
