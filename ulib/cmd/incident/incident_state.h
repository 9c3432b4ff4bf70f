/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the log has shown so far, while records are joined in its order */
#ifndef ULIB_INCIDENT_STATE_H
#define ULIB_INCIDENT_STATE_H

#include "incident.h"
#include "incident_chain.h"

#define SECOND	1000000000ULL

/**
 * struct rule_place - a port, a device, or a process
 * @generation: generation of the device; 0: a process
 * @port: number of the port; RDMAEV_NO_PORT: the device; pid of the process
 * @down: record that took the port down last, NONE: there is none
 * @up: record that brought it up since then, NONE: there is none
 * @failed: record of the last failure of the device, NONE: there is none
 * @first: first QP that ended with the process, NONE: there is none
 * @last: last QP that ended with it
 * @unasked: last failure on the port that follows from nothing, NONE: there is none since
 *	the port was down
 * @changed: first connection through the port whose network device has another hardware
 *	address since the last change, NONE: there was none
 * @is_confirmed: the state of the port was not ACTIVE since @down
 * @is_admin: while records are read backwards: the network device of the port was set
 *	down, as the PORT_STATE that was read last has it
 */
struct rule_place {
	uint32_t generation;
	uint32_t port;
	uint32_t down;
	uint32_t up;
	uint32_t failed;
	uint32_t first;
	uint32_t last;
	uint32_t unasked;
	uint32_t changed;
	bool is_confirmed;
	bool is_admin;
};

/**
 * struct rule_state - what the log has shown so far
 * @places: ports, devices and processes, @places_count of them
 * @by_place: index in @places by generation and port
 * @by_qp: records about a QP, by generation and number; added GIDs, by GID
 * @by_peer: what ends a QP, by its number and that of its peer; changes of GIDs, by index
 * @by_end: what closed a connection, by addresses; removed GIDs, by GID
 * @by_connection: attempts to connect and ends of connections, by owner and peer;
 *	requests that move QPs of a ULP to ERR, by the process that asked
 * @is_full: out of memory
 */
struct rule_state {
	struct rule_place *places;
	size_t places_count;
	struct chain by_place;
	struct chain by_qp;
	struct chain by_peer;
	struct chain by_end;
	struct chain by_connection;
	bool is_full;
};

/* Begin with the log before its first record. Free it, also if memory is short. */
void rule_state_init(struct rule_state *state, struct incident_log *log);
void rule_state_free(struct rule_state *state);

/* A place; NULL: there is none, and out of memory */
struct rule_place *find_place(const struct rule_state *state, uint32_t generation,
			      uint32_t port);
struct rule_place *make_place(struct rule_state *state, uint32_t generation, uint32_t port);

/* The port of a record. One of a QP may have none: it is that of a device with one. */
uint32_t port_of(const struct incident_log *log, const struct rdmaev_record *r);

/* The record that took the port of record @i down, if it was down at that time; else NONE */
size_t down_record(const struct incident_log *log, const struct rule_state *state, size_t i);

/* The last failure of the device, or NONE */
size_t failed_record(const struct rule_state *state, uint32_t generation);

/* Note what record @i says about its port and device, after it was joined. */
void note_place(const struct incident_log *log, struct rule_state *state, size_t i);

#endif /* ULIB_INCIDENT_STATE_H */
