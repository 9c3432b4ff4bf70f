// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of happenings, made from the catalogue */
#include "base/relations.h"
#include "happening_rules.h"

/**
 * struct rule - one HAPPENING row
 * @word: event or attribute of a port
 * @role: what its records do
 * @shown_by: attribute whose records show what the event says
 */
struct rule {
	enum word word;
	enum happening_role role;
	enum word shown_by;
};

#define HAPPENING(name_, role_, shown_by_)					\
	{ WORD_##name_, HAPPENING_##role_, WORD_##shown_by_ },

static const struct rule rules[] = {
#include "internal/catalogue.def"
};

static const struct rule *find_rule(const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct fact *fact = word_fact(rules[i].word);

		if (fact->kind == r->kind && fact->code == r->code)
			return &rules[i];
	}
	return NULL;
}

enum happening_role happening_role(const struct rdmaev_record *r)
{
	const struct rule *rule = r->port ? find_rule(r) : NULL;

	return rule ? rule->role : HAPPENING_NONE;
}

const struct fact *happening_shown_by(const struct rdmaev_record *r)
{
	const struct rule *rule = find_rule(r);

	return rule ? word_fact(rule->shown_by) : NULL;
}
