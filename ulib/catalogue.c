// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Events by name and by number, made from the one table of facts. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "catalogue.h"
#include "internal.h"

#define SCOPE_AFFILIATED	"affiliated"
#define SCOPE_UNAFFILIATED	"unaffiliated"

#define ASYNC(number, id, object_, scope_, cls, lane_, protocols_, services_,	\
	      meaning_, advice_)						\
	{									\
		.kind = RDMAEV_KIND_ASYNC, .code = (number), .name = #id,	\
		.object = RDMAEV_OBJECT_##object_,				\
		.class_ = RDMAEV_CLASS_##cls, .lane = RDMAEV_LANE_##lane_,	\
		.scope = SCOPE_##scope_, .protocols = (protocols_),		\
		.services = (services_), .meaning = (meaning_),			\
		.advice = (advice_),						\
	},
#define FACT(kind_, code_, id, object_, cls, lane_, meaning_, advice_)		\
	{									\
		.kind = RDMAEV_KIND_##kind_, .code = (code_), .name = #id,	\
		.object = RDMAEV_OBJECT_##object_,				\
		.class_ = RDMAEV_CLASS_##cls, .lane = RDMAEV_LANE_##lane_,	\
		.meaning = (meaning_), .advice = (advice_),			\
	},

const struct fact facts[] = {
#include "catalogue.def"
};

const size_t facts_count = ARRAY_SIZE(facts);

const struct fact *fact_find(unsigned int kind, unsigned int code)
{
	size_t i;

	for (i = 0; i < facts_count; i++)
		if (facts[i].kind == kind && facts[i].code == code)
			return &facts[i];
	return NULL;
}

const char *rdmaev_event_name(unsigned int kind, unsigned int code)
{
	const struct fact *fact = fact_find(kind, code);

	return fact ? fact->name : NULL;
}

const char *rdmaev_event_describe(unsigned int kind, unsigned int code)
{
	const struct fact *fact = fact_find(kind, code);

	return fact ? fact->meaning : NULL;
}

const char *rdmaev_event_advice(unsigned int kind, unsigned int code)
{
	const struct fact *fact = fact_find(kind, code);

	return fact ? fact->advice : NULL;
}

static int fold(char c)
{
	return c == '-' ? '_' : toupper((unsigned char)c);
}

/* The rest of @name after @prefix in any case, or NULL if it has another. */
static const char *after_prefix(const char *name, const char *prefix)
{
	for (; *prefix; name++, prefix++)
		if (fold(*name) != *prefix)
			return NULL;
	return name;
}

/* A decimal number that fits a code, or -1. */
static int parse_code(const char *digits)
{
	long value = 0;

	if (!*digits)
		return -1;
	for (; *digits; digits++) {
		if (*digits < '0' || *digits > '9')
			return -1;
		value = value * 10 + (*digits - '0');
		if (value > UINT16_MAX)
			return -1;
	}
	return (int)value;
}

int rdmaev_event_parse(const char *name, unsigned int *kind, unsigned int *code)
{
	static const char * const prefixes[] = { "IB_EVENT_", "IBV_EVENT_" };
	const char *rest, *digits;
	int number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		rest = after_prefix(name, prefixes[i]);
		if (rest) {
			name = rest;
			break;
		}
	}
	for (i = 0; i < facts_count; i++) {
		rest = after_prefix(name, facts[i].name);
		if (rest && !*rest) {
			*kind = facts[i].kind;
			*code = facts[i].code;
			return 0;
		}
	}
	/* EVENT_77 is how an event that has no name here is shown. */
	digits = after_prefix(name, "EVENT_");
	number = parse_code(digits ? digits : name);
	if (number < 0) {
		errno = ENOENT;
		return -1;
	}
	*kind = RDMAEV_KIND_ASYNC;
	*code = (unsigned int)number;
	return 0;
}
