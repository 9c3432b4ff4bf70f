/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* States and attributes of ports, for rdmaev explain */
#ifndef ULIB_PORT_STATES_H
#define ULIB_PORT_STATES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct port_state - description of a state of a port
 * @is_physical: a state of its physical link
 * @number: enum ib_port_state, or enum ib_port_phys_state
 * @meaning: one sentence
 * @advice: recommended action
 *
 * The name is that of state_name() or phys_state_name().
 */
struct port_state {
	bool is_physical;
	unsigned int number;
	const char *meaning;
	const char *advice;
};

extern const struct port_state port_states[];
extern const size_t port_states_count;

const char *port_state_name(const struct port_state *state);
/* True if @name is its name, in any usual spelling. */
bool is_port_state(const struct port_state *state, const char *name);

/*
 * Code of the record of a change of this attribute ("gid", "sm_lid"), as the JSON of
 * such records names it; -1: no such attribute.
 */
int port_attribute_code(const char *name);

#endif /* ULIB_PORT_STATES_H */
