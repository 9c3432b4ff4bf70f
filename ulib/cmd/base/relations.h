/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Relations between entries of the catalogue, for rdmaev explain. */
#ifndef ULIB_RELATIONS_H
#define ULIB_RELATIONS_H

#include "catalogue.h"

/*
 * A name of the catalogue: an index in catalogue[], and above that in qp_states[].
 * Relations are made of these, so a name that is none does not compile.
 */
enum term {
	TERM_ANY = -2,
	TERM_NOTHING = -1,
#define EVENT(kind, code, name, ...)	TERM_##name,
#include "internal/catalogue.def"
#define QP_STATE(number, name, ...)	TERM_##name,
#include "internal/catalogue.def"
};

/* Its name; "ANY" for any QP state. */
const char *term_name(enum term term);
/* Its entry, or NULL for a QP state and for none. */
const struct catalogue_entry *term_entry(enum term term);
enum term term_of_entry(const struct catalogue_entry *entry);
enum term term_of_state(const struct qp_state *state);

/**
 * struct transition - a step from one QP state to another
 * @from: state, or TERM_ANY
 * @to: state
 * @how: "modify" or "automatic"
 * @meaning: what it does, or what makes it happen
 */
struct transition {
	enum term from;
	enum term to;
	const char *how;
	const char *meaning;
};

extern const struct transition transitions[];
extern const size_t transitions_count;

/**
 * struct lead - one thing makes another happen
 * @from: event, status or QP state
 * @to: the one that follows
 * @meaning: when, or to whom
 */
struct lead {
	enum term from;
	enum term to;
	const char *meaning;
};

extern const struct lead leads[];
extern const size_t leads_count;

/* True if @lead is from @term, or from the QP state that @term leads to. */
bool lead_is_from(const struct lead *lead, enum term term);

/**
 * struct fault - report of a fault at both ends of a reliable connection
 * @id: name for the user
 * @request: request of the requester
 * @meaning: what is wrong
 * @responder: event or status at the responder, and with other devices
 * @requester: event or status at the requester
 * @note: additional note, or NULL
 */
struct fault {
	const char *id;
	const char *request;
	const char *meaning;
	enum term responder[2];
	enum term requester;
	const char *note;
};

extern const struct fault faults[];
extern const size_t faults_count;

/* True if one of the ends sees @term. */
bool fault_shows(const struct fault *fault, enum term term);

/*
 * How well @text names @fault: 2 it is the id, 1 a part of it, 0 not at all.
 * Capitals, - and _ make no difference.
 */
int fault_matches(const struct fault *fault, const char *text);

#endif /* ULIB_RELATIONS_H */
