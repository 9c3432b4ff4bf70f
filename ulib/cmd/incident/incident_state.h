/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* State of ports and devices while records are joined, in the order of the log */
#ifndef ULIB_INCIDENT_STATE_H
#define ULIB_INCIDENT_STATE_H

#include "incident.h"

#define SECOND	1000000000ULL

/**
 * struct rule_port - a port that is or was down
 * @generation: generation of its device
 * @port: its number
 * @down: record that took it down, NONE: it is not down
 * @is_confirmed: its state was not ACTIVE
 */
struct rule_port {
	uint32_t generation;
	uint32_t port;
	size_t down;
	bool is_confirmed;
};

/**
 * struct rule_device - a device that failed
 * @generation: its generation
 * @record: the record of that
 */
struct rule_device {
	uint32_t generation;
	size_t record;
};

/**
 * struct rule_state - state of ports and devices while the log is read
 * @ports: ports that have been down, @ports_count of them
 * @failed: devices that failed, @failed_count of them
 * @is_full: out of memory
 */
struct rule_state {
	struct rule_port *ports;
	size_t ports_count;
	struct rule_device *failed;
	size_t failed_count;
	bool is_full;
};

/* The record that took the port of a record down, if it is down; else NONE */
size_t down_record(const struct incident_log *log, const struct rule_state *state,
		   const struct rdmaev_record *r);

/* Note what record @i says about its port and device, after it was joined. */
void note_record(const struct incident_log *log, struct rule_state *state, size_t i);
void free_rule_state(struct rule_state *state);

#endif /* ULIB_INCIDENT_STATE_H */
