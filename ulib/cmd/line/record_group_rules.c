// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of record_groups, made from the catalogue */
#include "base/relations.h"
#include "record_group_rules.h"

/**
 * struct rule - one RECORD_GROUP row
 * @role: what its records do
 * @shown_by: attribute whose records show what the event says
 */
struct rule {
	enum record_group_role role;
	enum term shown_by;
};

#define RECORD_GROUP(name_, role_, shown_by_)					\
	[TERM_##name_] = { RECORD_GROUP_##role_, TERM_##shown_by_ },

/* By the event or attribute; @role is 0 for those that have no row. */
static const struct rule rules[] = {
#include "internal/catalogue.def"
};

static const struct rule *find_rule(const struct rdmaev_record *r)
{
	const struct catalogue_entry *entry = catalogue_find(r->kind, r->code);
	size_t term = entry ? (size_t)term_of_entry(entry) : ARRAY_SIZE(rules);

	return term < ARRAY_SIZE(rules) && rules[term].role ? &rules[term] : NULL;
}

enum record_group_role record_group_role(const struct rdmaev_record *r)
{
	const struct rule *rule = find_rule(r);

	if (!rule || (rule->role != RECORD_GROUP_OWNER && r->port == RDMAEV_NO_PORT))
		return RECORD_GROUP_NONE;
	return rule->role;
}

const struct catalogue_entry *record_group_shown_by(const struct rdmaev_record *r)
{
	const struct rule *rule = find_rule(r);

	return rule ? term_entry(rule->shown_by) : NULL;
}
