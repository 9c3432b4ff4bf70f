// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Values of the options that select records. Each is a list; a `!` before a value
 * excludes it.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "catalogue.h"
#include "selecting.h"

/* Call @add for each part of "A,B"; 0, or -1 if it does not return 0. */
static int for_each(struct options *o, const char *list,
		    int (*add)(struct options *o, const char *value))
{
	char *copy, *rest, *value;
	int ret = 0;

	/* As of a shell variable that is not set: not all, where one was meant */
	if (!list[strspn(list, ",")]) {
		complain("\"%s\": an option that selects has nothing in its list", list);
		return -1;
	}
	copy = strdup(list);
	rest = copy;
	if (!copy) {
		complain("out of memory");
		return -1;
	}
	while (!ret && (value = strsep(&rest, ",")))
		if (*value)
			ret = add(o, value);
	free(copy);
	return ret;
}

static int add_id(struct event_list *list, unsigned int kind, unsigned int code)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->ids[i].kind == kind && list->ids[i].code == code)
			return 0;
	if (list->count == EVENTS_MAX) {
		complain("more than %d events; omit -e to select all", EVENTS_MAX);
		return -1;
	}
	list->ids[list->count++] = (struct event_id) { kind, code };
	return 0;
}

/* Events whose names match a pattern, in any spelling of letters and dashes */
static int add_matching(struct event_list *list, const char *pattern)
{
	char *folded = strdup(pattern), *c;
	bool any = false;
	int ret = folded ? 0 : -1;
	size_t i;

	for (c = folded; c && *c; c++)
		if (*c == '-' && !memchr(folded, '[', (size_t)(c - folded)))
			*c = '_';
	for (i = 0; !ret && i < catalogue_count; i++) {
		if (fnmatch(folded, catalogue[i].name, FNM_CASEFOLD))
			continue;
		any = true;
		ret = add_id(list, catalogue[i].kind, catalogue[i].code);
	}
	free(folded);
	if (!ret && !any) {
		complain("%s: matches no event (rdmaev explain lists them)", pattern);
		ret = -1;
	}
	return ret;
}

static int add_event(struct options *o, const char *name)
{
	struct event_list *list = &o->select.events;
	unsigned int kind, code;

	if (*name == '!') {
		list = &o->select.not_events;
		name++;
	}
	if (list == &o->select.not_events && !name[strspn(name, "*")]) {
		complain("-e '!%s': excludes every event", name);
		return -1;
	}
	if (strpbrk(name, "*?["))
		return add_matching(list, name);
	if (!rdmaev_event_parse(name, &kind, &code))
		return add_id(list, kind, code);
	complain_event(name);
	return -1;
}

int parse_events(struct options *o, const char *list)
{
	return for_each(o, list, add_event);
}

/* Value @max or less of an enumeration whose names @name_of() has */
static int add_to_mask(struct mask *mask, const char *option, const char *value,
		       unsigned int max, const char *(*name_of)(unsigned int number))
{
	uint32_t *bits = *value == '!' ? &mask->unwanted : &mask->wanted;
	const char *name = *value == '!' ? value + 1 : value;
	struct guess guess = { .name = name };
	char names[256];
	struct text t = { .buf = names, .size = sizeof(names) };
	unsigned int number;

	for (number = 1; number <= max; number++) {
		if (!strcasecmp(name, name_of(number))) {
			*bits |= 1U << number;
			return 0;
		}
		consider(&guess, name_of(number));
		text_printf(&t, "%s%s", number == 1 ? "" :
			    number == max ? " or " : ", ", name_of(number));
	}
	text_end(&t);
	complain("%s %s: must be %s%s", option, value, names, guess_text(&guess));
	return -1;
}

static int add_kind(struct options *o, const char *value)
{
	return add_to_mask(&o->select.kinds, "--kind", value, RDMAEV_KIND_MAX,
			   kind_name);
}

int add_kinds(struct options *o, const char *value)
{
	return for_each(o, value, add_kind);
}

static int add_severity(struct options *o, const char *value)
{
	return add_to_mask(&o->select.severities, "--severity", value,
			   RDMAEV_SEVERITY_ERROR, severity_name);
}

int add_severities(struct options *o, const char *value)
{
	return for_each(o, value, add_severity);
}

static int complain_full(const char *option)
{
	complain("%s: more than %d values", option, VALUES_MAX);
	return -1;
}

static int add_number(struct number_list *list, const char *option,
		      const char *value, unsigned long long min)
{
	char *end;
	unsigned long long number = strtoull(value, &end, 0);

	if (!strchr("0123456789", *value) || *end || number < min ||
	    number > UINT32_MAX) {
		complain("%s %s: must be a number, such as 17%s", option, value,
			 min ? "" : " or 0x11");
		return -1;
	}
	if (list->count == VALUES_MAX)
		return complain_full(option);
	list->numbers[list->count++] = (uint32_t)number;
	return 0;
}

static int add_qp(struct options *o, const char *value)
{
	return add_number(&o->select.qps, "--qp", value, 0);
}

int add_qps(struct options *o, const char *value)
{
	return for_each(o, value, add_qp);
}

static int add_pid(struct options *o, const char *value)
{
	return add_number(&o->select.pids, "--pid", value, 1);
}

int add_pids(struct options *o, const char *value)
{
	return for_each(o, value, add_pid);
}

/* A name can have commas, so there is one pattern in each option. */
static int add_pattern(struct pattern_list *list, const char *option,
		       const char *value)
{
	if (list->count == VALUES_MAX)
		return complain_full(option);
	if (!value[*value == '!']) {
		complain("%s: needs a name", option);
		return -1;
	}
	list->patterns[list->count++] = value;
	return 0;
}

int add_comm(struct options *o, const char *value)
{
	return add_pattern(&o->select.comms, "--comm", value);
}

int add_ulp(struct options *o, const char *value)
{
	return add_pattern(&o->select.ulps, "--ulp", value);
}
