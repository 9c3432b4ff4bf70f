/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lines of the chart of a report, and which of them has the mark of a record */
#ifndef ULIB_CHART_ROWS_H
#define ULIB_CHART_ROWS_H

#include "incident/incident_parts.h"
#include "report.h"

/* Owners with lines of their own; the last one is for all others */
#define ROW_OWNERS	33
/* Objects of an owner with a line of their own; others share one more */
#define ROW_OBJECTS	8

/**
 * struct row_records - records of a line, in the order of the log
 * @first: the first one, or NONE. Arrays of struct chart_rows have those that follow
 * @last: and the last one
 */
struct row_records {
	uint32_t first;
	uint32_t last;
};

/**
 * struct port_row - the line of a port, or of what is about a device as a whole
 * @name: name of the device, "": about all devices
 * @generation: generation of the device, 0: about all devices
 * @port: number of the port, 0: the device
 * @now: entry in the list of ports, or NULL
 * @marks: those of its records that have a mark
 * @changes: those of kind PORT, on the page or not
 */
struct port_row {
	char name[RDMAEV_DEVICE_NAME_SIZE];
	uint32_t generation;
	uint32_t port;
	const struct rdmaev_port *now;
	struct row_records marks;
	struct row_records changes;
};

/**
 * struct object_row - the line of a QP or another object that failed
 * @generation: generation of its device
 * @type: enum rdmaev_object_type
 * @number: its number
 * @is_known: @number is known
 * @place: a record about it
 */
struct object_row {
	uint32_t generation;
	unsigned int type;
	uint32_t number;
	bool is_known;
	const struct rdmaev_record *place;
};

/**
 * struct owner_rows - the objects of a process or ULP that failed
 * @name: "NAME" or "NAME[PID]"; "": unknown
 * @objects: those with a line of their own, @count of them
 * @more: others, which share a line
 * @marks: records of each of @objects that have a mark, then those of the others
 */
struct owner_rows {
	char name[NAME_SIZE];
	struct object_row objects[ROW_OBJECTS];
	size_t count;
	size_t more;
	struct row_records marks[ROW_OBJECTS + 1];
};

/**
 * struct chart_rows - all lines
 * @ports: in the order of their names, @ports_count of them
 * @owners: in the order of their first failure, @owners_count of them
 * @next_on_port: for each record that is in marks of a port, the next one there, or NONE
 * @next_on_object: the same of marks of an object
 * @next_change: the same of changes of a port
 */
struct chart_rows {
	struct port_row *ports;
	size_t ports_count;
	struct owner_rows *owners;
	size_t owners_count;
	uint32_t *next_on_port;
	uint32_t *next_on_object;
	uint32_t *next_change;
};

/* 0, or -1 after a message. Free it in either case. */
int find_rows(struct chart_rows *rows, const struct report *report);
void free_rows(struct chart_rows *rows);

#endif /* ULIB_CHART_ROWS_H */
