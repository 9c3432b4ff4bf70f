// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Transitions of QP states, consequences of events, and faults */
#include <ctype.h>
#include <string.h>

#include "relations.h"
#include "text.h"

#define HOW_MODIFY	"modify"
#define HOW_AUTOMATIC	"automatic"

#define QP_TRANSITION(from_, to_, how_, meaning_)				\
	{ TERM_##from_, TERM_##to_, HOW_##how_, meaning_ },

const struct transition transitions[] = {
#include "internal/catalogue.def"
};

const size_t transitions_count = ARRAY_SIZE(transitions);

#define LEADS_TO(from_, to_, meaning_)	{ TERM_##from_, TERM_##to_, meaning_ },

const struct lead leads[] = {
#include "internal/catalogue.def"
};

const size_t leads_count = ARRAY_SIZE(leads);

#define FAULT(...)	{ __VA_ARGS__ },

const struct fault faults[] = {
#include "internal/catalogue.def"
};

const size_t faults_count = ARRAY_SIZE(faults);

const struct catalogue_entry *term_entry(enum term term)
{
	int index = term;

	return index >= 0 && (size_t)index < catalogue_count ? &catalogue[index] : NULL;
}

const char *term_name(enum term term)
{
	const struct catalogue_entry *entry = term_entry(term);

	if (term == TERM_ANY)
		return "ANY";
	return entry ? entry->name : qp_states[(size_t)term - catalogue_count].name;
}

enum term term_of_entry(const struct catalogue_entry *entry)
{
	return (enum term)(entry - catalogue);
}

enum term term_of_state(const struct qp_state *state)
{
	return (enum term)((size_t)(state - qp_states) + catalogue_count);
}

/* @term takes a QP to the state @to. */
static bool relation_enters(enum term term, enum term to)
{
	const struct catalogue_entry *entry = term_entry(term);
	size_t i;

	if (!entry)
		return false;
	switch (entry->effect) {
	case EFFECT_ERROR:
		return to == TERM_ERR;
	case EFFECT_ERROR_OR_SQE:
		return to == TERM_ERR || to == TERM_SQE;
	default:
		for (i = 0; i < leads_count; i++)
			if (leads[i].from == term && leads[i].to == to)
				return !term_entry(to);
		return false;
	}
}

bool lead_is_from(const struct lead *lead, enum term term)
{
	return lead->from == term || relation_enters(term, lead->from);
}

bool fault_shows(const struct fault *fault, enum term term)
{
	return fault->responder[0] == term || fault->responder[1] == term ||
	       fault->requester == term;
}

static char next_letter(const char **s)
{
	while (**s == '-' || **s == '_')
		++*s;
	return **s ? (char)tolower((unsigned char)*(*s)++) : '\0';
}

/* 2 @s is @text, 1 it only begins with it, 0 it does not. */
static int begins_with(const char *s, const char *text)
{
	char c;

	while ((c = next_letter(&text)))
		if (next_letter(&s) != c)
			return 0;
	return next_letter(&s) ? 1 : 2;
}

int fault_matches(const struct fault *fault, const char *text)
{
	const char *part = fault->id;
	const char *rest = text;
	int match;

	if (!next_letter(&rest))
		return 0;
	match = begins_with(part, text);
	while (!match && *part++)
		match = !!begins_with(part, text);
	return match;
}
