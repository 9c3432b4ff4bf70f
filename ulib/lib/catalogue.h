/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Names of codes, for the library and the command. NULL: unknown. */
#ifndef ULIB_CATALOGUE_H
#define ULIB_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/**
 * enum effect - QP state after a failed completion
 * @EFFECT_NONE: it stays where it is
 * @EFFECT_ERROR: to ERR
 * @EFFECT_ERROR_OR_SQE: to ERR, but to SQE if a send of a UC or UD QP failed
 * @EFFECT_VARIES: the device decides
 */
enum effect {
	EFFECT_NONE,
	EFFECT_ERROR,
	EFFECT_ERROR_OR_SQE,
	EFFECT_VARIES,
};

/**
 * struct catalogue_entry - description of one code
 * @kind: enum rdmaev_kind
 * @code: code of that kind
 * @object_type: enum rdmaev_object_type
 * @severity: enum rdmaev_severity in the usual case
 * @ring: enum rdmaev_ring
 * @name: name in capitals
 * @protocols: where it can occur, or NULL
 * @services: transport services, or NULL
 * @side: for a completion status, the end that sees it, or NULL
 * @role: of a completion status "cause", "consequence" or "none", or NULL
 * @effect: of a completion status
 * @meaning: one sentence
 * @advice: recommended action
 */
struct catalogue_entry {
	unsigned int kind;
	unsigned int code;
	unsigned int object_type;
	unsigned int severity;
	unsigned int ring;
	const char *name;
	const char *protocols;
	const char *services;
	const char *side;
	const char *role;
	enum effect effect;
	const char *meaning;
	const char *advice;
};

extern const struct catalogue_entry catalogue[];
extern const size_t catalogue_count;

const struct catalogue_entry *catalogue_find(unsigned int kind, unsigned int code);

/* Name of an event, generated from its number if it has none. */
void put_event_name(struct text *t, unsigned int kind, unsigned int code);

/* The same for codes that share a counter (RDMAEV_CODE_OTHER). */
void put_other_name(struct text *t, unsigned int kind);

/**
 * struct qp_state - description of one QP state
 * @number: enum ibv_qp_state
 * @name: name in capitals
 * @title: spelling in texts
 * @iwarp: iWARP name, or "-"
 * @post_recv: receive requests can be posted
 * @post_send: send requests can be posted
 * @recv: processing of receive requests
 * @send: processing of send requests
 * @in: processing of incoming packets
 * @out: packets that it sends
 * @meaning: one sentence
 */
struct qp_state {
	unsigned int number;
	const char *name;
	const char *title;
	const char *iwarp;
	bool post_recv;
	bool post_send;
	const char *recv;
	const char *send;
	const char *in;
	const char *out;
	const char *meaning;
};

extern const struct qp_state qp_states[];
extern const size_t qp_states_count;

const struct qp_state *qp_state_find(unsigned int number);

/**
 * struct cm_reason - description of one reason of CM_REJECTED
 * @number: enum ib_cm_rej_reason
 * @name: name in capitals
 * @words: the same in a few words, for a line
 * @meaning: one sentence
 * @advice: recommended action
 */
struct cm_reason {
	int number;
	const char *name;
	const char *words;
	const char *meaning;
	const char *advice;
};

extern const struct cm_reason cm_reasons[];
extern const size_t cm_reasons_count;

const struct cm_reason *cm_reason_find(int number);

const char *kind_name(unsigned int kind);
const char *severity_name(unsigned int severity);
const char *object_name(unsigned int object);
const char *source_name(unsigned int source);
const char *ring_name(unsigned int ring);
const char *qp_type_name(unsigned int type);
const char *gid_type_name(unsigned int type);
const char *netdev_change_name(unsigned int change);
/* How the beginning of an outage is known, from RDMAEV_OUTAGE_*; never NULL */
const char *outage_begin_name(unsigned int flags);
const char *signal_name(unsigned int number);
const char *observes_by_name(unsigned int bit);
const char *observed_name(unsigned int bit);
const char *qp_flag_name(unsigned int bit);
const char *part_name(unsigned int bit);
const char *protocol_name(unsigned int bit);
const char *probe_state_name(unsigned int state);
const char *probe_method_name(unsigned int method);
const char *probe_call_name(unsigned int call);

const char *state_name(unsigned long long state);
const char *phys_state_name(unsigned long long state);
const char *speed_name(unsigned long long speed);
const char *width_name(unsigned long long width);
/* enum rdma_node_type: its ports begin with 0 */
#define NODE_TYPE_SWITCH 2

const char *node_type_name(unsigned int type);
const char *link_layer_name(unsigned int layer);

/* The rest of @name after @prefix in any spelling, or NULL if it has another. */
const char *name_after_prefix(const char *name, const char *prefix);

/* Nominal data rate of one lane in tenths of Gb/s; 0: not known. */
unsigned int speed_rate(unsigned long long speed);
/* Lanes of a width; 0: not known. */
unsigned int width_lanes(unsigned long long width);

#endif /* ULIB_CATALOGUE_H */
