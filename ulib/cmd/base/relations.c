// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Transitions of QP states, consequences of events, and faults */
#include <ctype.h>
#include <string.h>

#include "relations.h"
#include "text.h"

#define HOW_MODIFY	"modify"
#define HOW_AUTOMATIC	"automatic"

#define QP_TRANSITION(from_, to_, how_, meaning_)				\
	{ WORD_##from_, WORD_##to_, HOW_##how_, meaning_ },

const struct transition transitions[] = {
#include "internal/catalogue.def"
};

const size_t transitions_count = ARRAY_SIZE(transitions);

#define LEADS_TO(from_, to_, meaning_)	{ WORD_##from_, WORD_##to_, meaning_ },

const struct lead leads[] = {
#include "internal/catalogue.def"
};

const size_t leads_count = ARRAY_SIZE(leads);

#define FAULT(...)	{ __VA_ARGS__ },

const struct fault faults[] = {
#include "internal/catalogue.def"
};

const size_t faults_count = ARRAY_SIZE(faults);

const struct fact *word_fact(enum word word)
{
	int index = word;

	return index >= 0 && (size_t)index < facts_count ? &facts[index] : NULL;
}

const char *word_name(enum word word)
{
	const struct fact *fact = word_fact(word);

	if (word == WORD_ANY)
		return "ANY";
	return fact ? fact->name : qp_states[(size_t)word - facts_count].name;
}

enum word word_of_fact(const struct fact *fact)
{
	return (enum word)(fact - facts);
}

enum word word_of_state(const struct qp_state *state)
{
	return (enum word)((size_t)(state - qp_states) + facts_count);
}

/* @word takes a QP to the state @to. */
static bool relation_enters(enum word word, enum word to)
{
	const struct fact *fact = word_fact(word);
	size_t i;

	if (!fact)
		return false;
	switch (fact->effect) {
	case EFFECT_ERROR:
		return to == WORD_ERR;
	case EFFECT_ERROR_OR_SQE:
		return to == WORD_ERR || to == WORD_SQE;
	default:
		for (i = 0; i < leads_count; i++)
			if (leads[i].from == word && leads[i].to == to)
				return !word_fact(to);
		return false;
	}
}

bool lead_is_from(const struct lead *lead, enum word word)
{
	return lead->from == word || relation_enters(word, lead->from);
}

bool fault_shows(const struct fault *fault, enum word word)
{
	return fault->responder[0] == word || fault->responder[1] == word ||
	       fault->requester == word;
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
