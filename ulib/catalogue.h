/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Names of numbers, for the library and the command. NULL: not known. */
#ifndef ULIB_CATALOGUE_H
#define ULIB_CATALOGUE_H

#include <stddef.h>

#include "namespace.h"

/**
 * struct fact - what is known about one code
 * @kind: enum rdmaev_kind
 * @code: code of that kind
 * @object: enum rdmaev_object_type
 * @class_: enum rdmaev_class in the usual case
 * @lane: enum rdmaev_lane
 * @name: name in capitals
 * @scope: "affiliated", "unaffiliated", or NULL where verbs know no such event
 * @protocols: where it can occur, or NULL
 * @services: transport services, or NULL
 * @meaning: one sentence
 * @advice: what to do about it
 */
struct fact {
	unsigned int kind;
	unsigned int code;
	unsigned int object;
	unsigned int class_;
	unsigned int lane;
	const char *name;
	const char *scope;
	const char *protocols;
	const char *services;
	const char *meaning;
	const char *advice;
};

extern const struct fact facts[];
extern const size_t facts_count;

const struct fact *fact_find(unsigned int kind, unsigned int code);

const char *kind_name(unsigned int kind);
const char *class_name(unsigned int class_);
const char *object_name(unsigned int object);
const char *source_name(unsigned int source);
const char *lane_name(unsigned int lane);

const char *state_name(unsigned long long state);
const char *phys_state_name(unsigned long long state);
const char *speed_name(unsigned long long speed);
const char *width_name(unsigned long long width);
const char *node_type_name(unsigned int type);
const char *link_layer_name(unsigned int layer);

/* Nominal data rate of one lane in tenths of Gb/s; 0: not known. */
unsigned int speed_rate(unsigned long long speed);
/* Lanes of a width; 0: not known. */
unsigned int width_lanes(unsigned long long width);

#endif /* ULIB_CATALOGUE_H */
