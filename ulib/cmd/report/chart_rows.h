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

/* A record that has no mark */
#define NO_ROW		UINT16_MAX

/**
 * struct port_row - the line of a port, or of what is about a device as a whole
 * @name: name of the device, "": about all devices
 * @generation: generation of the device, 0: about all devices
 * @port: number of the port, 0: the device
 * @now: entry in the list of ports, or NULL
 */
struct port_row {
	char name[RDMAEV_DEVICE_NAME_SIZE];
	uint32_t generation;
	uint32_t port;
	const struct rdmaev_port *now;
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
 */
struct owner_rows {
	char name[NAME_SIZE];
	struct object_row objects[ROW_OBJECTS];
	size_t count;
	size_t more;
};

/**
 * struct chart_rows - all lines
 * @ports: in the order of their names, @ports_count of them
 * @owners: in the order of their first failure, @owners_count of them
 * @on_port: for each record of the log, the index of its port, or NO_ROW
 * @on_object: the same of its object: ROW_OBJECTS + 1 for each owner
 */
struct chart_rows {
	struct port_row *ports;
	size_t ports_count;
	struct owner_rows *owners;
	size_t owners_count;
	uint16_t *on_port;
	uint16_t *on_object;
};

/* True if the record has a mark: it is on the page, and an error or a warning */
bool is_marked(const struct report *report, size_t i);

/* 0, or -1 after a message. Free it in either case. */
int find_rows(struct chart_rows *rows, const struct report *report);
void free_rows(struct chart_rows *rows);

#endif /* ULIB_CHART_ROWS_H */
