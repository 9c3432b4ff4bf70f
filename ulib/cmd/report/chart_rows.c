// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Find the lines that the chart of a report needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "format.h"
#include "chart_rows.h"

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

static int row_compare(const struct port_row *a, const struct port_row *b)
{
	int order = strverscmp(a->name, b->name);

	if (!order)
		order = (a->generation > b->generation) - (a->generation < b->generation);
	if (order || a->port == b->port)
		return order;
	/* The device as a whole first */
	if (a->port == RDMAEV_NO_PORT || b->port == RDMAEV_NO_PORT)
		return a->port == RDMAEV_NO_PORT ? -1 : 1;
	return a->port < b->port ? -1 : 1;
}

/* Add the line, in order, unless there is one; @name if nothing else is known. */
static int add_port(struct chart_rows *rows, const struct report *report,
		    uint32_t generation, uint32_t port, const char *name,
		    const struct rdmaev_port *now)
{
	struct port_row row = { .generation = generation, .port = port, .now = now };
	const char *known = find_name(report->log, generation);
	size_t i;

	for (i = 0; i < rows->ports_count; i++)
		if (rows->ports[i].generation == generation &&
		    rows->ports[i].port == port)
			return 0;
	if (rows->ports_count == PORTS_MAX)
		return 0;
	if (!(rows->ports_count & (rows->ports_count + 1))) {
		size_t room = 2 * (rows->ports_count + 1);
		struct port_row *larger = realloc(rows->ports, room * sizeof(row));

		if (!larger)
			return -1;
		rows->ports = larger;
	}
	snprintf(row.name, sizeof(row.name), "%s", known ? known : name);
	for (i = rows->ports_count++; i && row_compare(&row, &rows->ports[i - 1]) < 0; i--)
		rows->ports[i] = rows->ports[i - 1];
	rows->ports[i] = row;
	return 0;
}

static int find_ports(struct chart_rows *rows, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->ports_count; i++)
		if (add_port(rows, report, report->ports[i].generation,
			     report->ports[i].port, "-", &report->ports[i]) < 0)
			return -1;
	for (i = 0; i < report->log->count; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;
		bool has_band = report->shown[i] && r->kind == RDMAEV_KIND_PORT;

		if ((has_band || is_marked(report, i)) &&
		    add_port(rows, report, r->generation, r->port, r->device_name,
			     NULL) < 0)
			return -1;
	}
	return 0;
}

static uint16_t port_of(const struct chart_rows *rows, const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < rows->ports_count; i++)
		if (rows->ports[i].generation == r->generation &&
		    rows->ports[i].port == r->port)
			return (uint16_t)i;
	return NO_ROW;
}

/* The owner with this name; one more if there is room, else the last one */
static size_t owner_of(struct chart_rows *rows, const char *name)
{
	size_t i;

	for (i = 0; i < rows->owners_count; i++)
		if (!strcmp(rows->owners[i].name, name))
			return i;
	if (i == ROW_OWNERS - 1)
		name = "others";
	if (i == ROW_OWNERS)
		return ROW_OWNERS - 1;
	memcpy(rows->owners[i].name, name, strlen(name) + 1);
	rows->owners_count++;
	return i;
}

static size_t object_of(struct owner_rows *owner, const struct rdmaev_record *r)
{
	struct object_row object = {
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
	if (i == ROW_OBJECTS) {
		owner->more++;
		return i;
	}
	owner->objects[owner->count++] = object;
	return i;
}

static uint16_t object_row_of(struct chart_rows *rows, const struct rdmaev_record *r)
{
	char name[NAME_SIZE];
	struct text t = { .buf = name, .size = sizeof(name) };
	size_t i;

	put_owner(&t, "", "", r);
	text_end(&t);
	if (r->object_type < RDMAEV_OBJECT_QP && !t.len)
		return NO_ROW;
	i = owner_of(rows, name);
	return (uint16_t)(i * (ROW_OBJECTS + 1) + object_of(&rows->owners[i], r));
}

int find_rows(struct chart_rows *rows, const struct report *report)
{
	size_t n = report->log->count, i;

	memset(rows, 0, sizeof(*rows));
	rows->owners = calloc(ROW_OWNERS, sizeof(*rows->owners));
	rows->on_port = calloc(n + 1, sizeof(*rows->on_port));
	rows->on_object = calloc(n + 1, sizeof(*rows->on_object));
	if (!rows->owners || !rows->on_port || !rows->on_object ||
	    find_ports(rows, report) < 0) {
		complain("out of memory");
		return -1;
	}
	for (i = 0; i < n; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;

		rows->on_port[i] = NO_ROW;
		rows->on_object[i] = NO_ROW;
		if (!is_marked(report, i))
			continue;
		rows->on_port[i] = port_of(rows, r);
		rows->on_object[i] = object_row_of(rows, r);
	}
	return 0;
}

void free_rows(struct chart_rows *rows)
{
	free(rows->ports);
	free(rows->owners);
	free(rows->on_port);
	free(rows->on_object);
}
