/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Incidents: records of the log joined to trees, each with one root. A record
 * belongs to its cause; one without a cause to the record that a rule names.
 */
#ifndef ULIB_INCIDENT_H
#define ULIB_INCIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmaev.h>

#include "incident_tree.h"
#include "text.h"

/* No record */
#define NONE	UINT32_MAX

/* Newest records that are read */
#define INCIDENT_RECORDS	262144

struct incident_rule;

/**
 * struct node - a record and its place in a tree
 * @r: the record
 * @parent: record that it follows from, NONE: it is a root
 * @rule: rule that joined them; NULL: the cause of the record
 * @child: first child, or NONE
 * @sibling: next child of the same parent, or NONE
 * @end: of a removed GID: the record that adds it again, or NONE; while records are joined,
 *	of a failure: the one before it on the same port
 * @is_unanswered: request to close a connection, which the peer did not answer
 * @is_exit: a QP that was found to have failed as its process ended
 * @is_admin: of what took a port down: its network device was set down
 * @is_several: a GID_CHANGE event whose changes follow from different records
 */
struct node {
	struct rdmaev_record r;
	const struct incident_rule *rule;
	uint32_t parent;
	uint32_t child;
	uint32_t sibling;
	uint32_t end;
	bool is_unanswered;
	bool is_exit;
	bool is_admin;
	bool is_several;
};

/**
 * struct removal - the removal of a device
 * @generation: its generation
 * @record: the record of that
 */
struct removal {
	uint32_t generation;
	uint32_t record;
};

/**
 * struct own_gid - an address of a device of this host
 * @generation: generation of the device
 * @gid: the GID, or the address of this end of a connection
 */
struct own_gid {
	uint32_t generation;
	uint8_t gid[RDMAEV_GID_SIZE];
};

/**
 * struct incident_log - the log as trees
 * @nodes: records in the order of the log, @count of them
 * @losses: LOST records in the order of the log, @losses_count of them
 * @devices: present and removed devices, @devices_count of them
 * @ports: their ports, @ports_count of them
 * @removals: removals of devices, by generation, @removals_count of them
 * @own: addresses of devices, in order once records are joined, @own_count of them, with
 *	room for @own_room
 * @instance: of the log
 */
struct incident_log {
	struct node *nodes;
	size_t count;
	struct rdmaev_record *losses;
	size_t losses_count;
	struct rdmaev_device *devices;
	size_t devices_count;
	struct rdmaev_port *ports;
	size_t ports_count;
	struct removal *removals;
	size_t removals_count;
	struct own_gid *own;
	size_t own_count;
	size_t own_room;
	uint64_t instance;
};

/**
 * struct incident - summary of a tree
 * @root: its root
 * @records: number of records
 * @severity: highest severity of them
 * @last_ns: CLOCK_BOOTTIME of the last of them
 * @end: the record that says that it is over; NONE: there is none
 * @attempts: to connect again, after a connection was lost or refused
 * @ended: number of QPs that ended with the process of the root; 0: that did not end
 */
struct incident {
	size_t root;
	size_t records;
	unsigned int severity;
	uint64_t last_ns;
	size_t end;
	size_t attempts;
	uint64_t ended;
};

/* Free it, whether reading has failed or not. */
void free_incidents(struct incident_log *log);

/*
 * The steps of read_incidents(): append records, whose room is kept in @room, 0 at
 * first; then join all of them. 0, or -1 if memory is short.
 */
int add_records(struct incident_log *log, size_t *room,
		const struct rdmaev_record *records, size_t n);
int join_records(struct incident_log *log);

/*
 * True if the tree of a root is about a failure, not only about what somebody requested: an
 * error or a warning, or a connection whose owner connects again.
 */
bool is_incident(const struct incident_log *log, size_t root);

/* Summarize the tree of a root. */
struct incident summarize(const struct incident_log *log, size_t root);

#endif /* ULIB_INCIDENT_H */
