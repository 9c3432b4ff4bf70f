/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Relations between entries of the catalogue, for rdmaev explain. */
#ifndef ULIB_RELATIONS_H
#define ULIB_RELATIONS_H

#include "catalogue.h"

/*
 * A name of the catalogue: an index in facts[], and above that in qp_states[].
 * Relations are made of these, so a name that is none does not compile.
 */
enum word {
	WORD_ANY = -2,
	WORD_NOTHING = -1,
#define EVENT(kind, code, name, ...)	WORD_##name,
#include "internal/catalogue.def"
#define QP_STATE(number, name, ...)	WORD_##name,
#include "internal/catalogue.def"
};

/* Its name; "ANY" for any QP state. */
const char *word_name(enum word word);
/* Its fact, or NULL for a QP state and for none. */
const struct fact *word_fact(enum word word);
enum word word_of_fact(const struct fact *fact);
enum word word_of_state(const struct qp_state *state);

/**
 * struct transition - a step from one QP state to another
 * @from: state, or WORD_ANY
 * @to: state
 * @how: "modify" or "automatic"
 * @meaning: what it does, or what makes it happen
 */
struct transition {
	enum word from;
	enum word to;
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
	enum word from;
	enum word to;
	const char *meaning;
};

extern const struct lead leads[];
extern const size_t leads_count;

/* True if @lead is from @word, or from the QP state that @word leads to. */
bool lead_is_from(const struct lead *lead, enum word word);

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
	enum word responder[2];
	enum word requester;
	const char *note;
};

extern const struct fault faults[];
extern const size_t faults_count;

/* True if one of the ends sees @word. */
bool fault_shows(const struct fault *fault, enum word word);

/*
 * How well @text names @fault: 2 it is the id, 1 a part of it, 0 not at all.
 * Capitals, - and _ make no difference.
 */
int fault_matches(const struct fault *fault, const char *text);

#endif /* ULIB_RELATIONS_H */
