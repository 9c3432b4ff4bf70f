// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Find the lines that the chart of a report needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "format.h"
#include "chart_rows.h"
#include "incident/incident_chain.h"

/* A page with more ports is of no use. */
#define PORTS_MAX	4096

static const struct row_records no_records = { .first = NONE, .last = NONE };

/* True if the record has a mark: it is on the page, and an error or a warning */
static bool is_marked(const struct report *report, size_t i)
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

static int row_compare(const void *x, const void *y)
{
	const struct port_row *a = x, *b = y;
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

/* The line of the port, or NULL. @chain has all lines by generation and port. */
static struct port_row *port_of(const struct chart_rows *rows, const struct chain *chain,
				uint32_t generation, uint32_t port)
{
	size_t i = chain_newest(chain, key_of(generation, port));

	while (i != NONE && (rows->ports[i].generation != generation ||
			     rows->ports[i].port != port))
		i = chain_older(chain, i);
	return i == NONE ? NULL : &rows->ports[i];
}

/* Add the line, unless there is one; @name if nothing else is known. */
static int add_port(struct chart_rows *rows, struct chain *chain, const struct report *report,
		    uint32_t generation, uint32_t port, const char *name,
		    const struct rdmaev_port *now)
{
	struct port_row row = {
		.generation = generation, .port = port, .now = now,
		.marks = no_records, .changes = no_records,
	};
	const char *known;

	if (port_of(rows, chain, generation, port) || rows->ports_count == PORTS_MAX)
		return 0;
	if (!(rows->ports_count & (rows->ports_count + 1))) {
		size_t room = 2 * (rows->ports_count + 1);
		struct port_row *larger = realloc(rows->ports, room * sizeof(row));

		if (!larger)
			return -1;
		rows->ports = larger;
	}
	known = find_name(report->log, generation);
	snprintf(row.name, sizeof(row.name), "%s", known ? known : name);
	chain_add(chain, key_of(generation, port), rows->ports_count);
	rows->ports[rows->ports_count++] = row;
	return 0;
}

static int add_ports(struct chart_rows *rows, struct chain *chain, const struct report *report)
{
	size_t i;

	for (i = 0; i < report->ports_count; i++)
		if (add_port(rows, chain, report, report->ports[i].generation,
			     report->ports[i].port, "-", &report->ports[i]) < 0)
			return -1;
	for (i = 0; i < report->log->count; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;
		bool has_band = report->shown[i] && r->kind == RDMAEV_KIND_PORT;

		if ((has_band || is_marked(report, i)) &&
		    add_port(rows, chain, report, r->generation, r->port, r->device_name,
			     NULL) < 0)
			return -1;
	}
	return 0;
}

/* Find the lines of ports, in order, and put them into @chain. */
static int find_ports(struct chart_rows *rows, struct chain *chain, const struct report *report)
{
	size_t i;

	if (chain_init(chain, PORTS_MAX) < 0 || add_ports(rows, chain, report) < 0)
		return -1;
	if (rows->ports_count)
		qsort(rows->ports, rows->ports_count, sizeof(*rows->ports), row_compare);
	chain_clear(chain);
	for (i = 0; i < rows->ports_count; i++)
		chain_add(chain, key_of(rows->ports[i].generation, rows->ports[i].port), i);
	return 0;
}

/* The owner with this name; one more if there is room, else the last one */
static size_t owner_of(struct chart_rows *rows, const char *name)
{
	size_t i, k;

	for (i = 0; i < rows->owners_count; i++)
		if (!strcmp(rows->owners[i].name, name))
			return i;
	if (i == ROW_OWNERS - 1)
		name = "others";
	if (i == ROW_OWNERS)
		return ROW_OWNERS - 1;
	memcpy(rows->owners[i].name, name, strlen(name) + 1);
	for (k = 0; k <= ROW_OBJECTS; k++)
		rows->owners[i].marks[k] = no_records;
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

/* Records of the line of the owner and object that it is about; NULL: there is none */
static struct row_records *marks_of(struct chart_rows *rows, const struct rdmaev_record *r)
{
	char name[NAME_SIZE];
	struct text t = { .buf = name, .size = sizeof(name) };
	struct owner_rows *owner;

	put_owner(&t, "", "", r);
	text_end(&t);
	if (r->object_type < RDMAEV_OBJECT_QP && !t.len)
		return NULL;
	owner = &rows->owners[owner_of(rows, name)];
	return &owner->marks[object_of(owner, r)];
}

/* Append record @i; @next has the next one of each. */
static void append_record(struct row_records *records, uint32_t *next, size_t i)
{
	if (!records)
		return;
	next[i] = NONE;
	if (records->first == NONE)
		records->first = (uint32_t)i;
	else
		next[records->last] = (uint32_t)i;
	records->last = (uint32_t)i;
}

static void append_records(struct chart_rows *rows, const struct chain *chain,
			   const struct report *report)
{
	size_t i;

	for (i = 0; i < report->log->count; i++) {
		const struct rdmaev_record *r = &report->log->nodes[i].r;
		struct port_row *row = port_of(rows, chain, r->generation, r->port);

		if (row && r->kind == RDMAEV_KIND_PORT)
			append_record(&row->changes, rows->next_change, i);
		if (!is_marked(report, i))
			continue;
		if (row)
			append_record(&row->marks, rows->next_on_port, i);
		append_record(marks_of(rows, r), rows->next_on_object, i);
	}
}

int find_rows(struct chart_rows *rows, const struct report *report)
{
	size_t n = report->log->count;
	struct chain chain = { .bits = 0 };
	int ret = -1;

	memset(rows, 0, sizeof(*rows));
	rows->owners = calloc(ROW_OWNERS, sizeof(*rows->owners));
	rows->next_on_port = calloc(n + 1, sizeof(*rows->next_on_port));
	rows->next_on_object = calloc(n + 1, sizeof(*rows->next_on_object));
	rows->next_change = calloc(n + 1, sizeof(*rows->next_change));
	if (rows->owners && rows->next_on_port && rows->next_on_object &&
	    rows->next_change && !find_ports(rows, &chain, report)) {
		append_records(rows, &chain, report);
		ret = 0;
	} else {
		complain("out of memory");
	}
	chain_free(&chain);
	return ret;
}

void free_rows(struct chart_rows *rows)
{
	free(rows->ports);
	free(rows->owners);
	free(rows->next_on_port);
	free(rows->next_on_object);
	free(rows->next_change);
}
