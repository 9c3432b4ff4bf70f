// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Look up events, completion statuses, QP states and reasons of CM_REJECTED by
 * name and number, in the catalogue.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "catalogue.h"
#include "internal.h"

#define TRAITS(...)		__VA_ARGS__
#define TEXT(...)		__VA_ARGS__
#define EVENT(kind_, code_, id, traits_, text_)					\
	{ .kind = RDMAEV_KIND_##kind_, .code = (code_), .name = #id, traits_, text_ },

const struct catalogue_entry catalogue[] = {
#include "internal/catalogue.def"
};

const size_t catalogue_count = ARRAY_SIZE(catalogue);

#define QP_STATE(number_, id, ...)	{ .number = (number_), .name = #id, __VA_ARGS__ },

const struct qp_state qp_states[] = {
#include "internal/catalogue.def"
};

const size_t qp_states_count = ARRAY_SIZE(qp_states);

#define CM_REJ(number_, id, ...)	{ .number = (number_), .name = #id, __VA_ARGS__ },

const struct cm_reason cm_reasons[] = {
#include "internal/catalogue.def"
};

const size_t cm_reasons_count = ARRAY_SIZE(cm_reasons);

/* Index of each entry */
enum place {
#define EVENT(kind_, code_, id, ...)	PLACE_##id,
#include "internal/catalogue.def"
	PLACES,
};

/* Codes of a kind are below. */
#define CODES_MAX	64

/* By kind and code: index of the entry plus one; 0: there is none */
static const uint8_t places[RDMAEV_KIND_MAX + 1][CODES_MAX] = {
#define EVENT(kind_, code_, id, ...) \
	[RDMAEV_KIND_##kind_][code_] = PLACE_##id + 1,
#include "internal/catalogue.def"
};

static_assert(PLACES <= UINT8_MAX, "more entries than an index has numbers");

const struct catalogue_entry *catalogue_find(unsigned int kind, unsigned int code)
{
	if (kind > RDMAEV_KIND_MAX || code >= CODES_MAX || !places[kind][code])
		return NULL;
	return &catalogue[places[kind][code] - 1];
}

/* First part of a generated event name */
static void put_kind(struct text *t, unsigned int kind)
{
	const char *name = kind_name(kind);

	if (kind == RDMAEV_KIND_ASYNC)
		text_put(t, "EVENT");
	else if (name)
		while (*name)
			text_printf(t, "%c", toupper((unsigned char)*name++));
	else
		text_printf(t, "KIND_%u", kind);
}

void put_event_name(struct text *t, unsigned int kind, unsigned int code)
{
	const struct catalogue_entry *entry = catalogue_find(kind, code);

	if (entry)
		return text_put(t, entry->name);
	put_kind(t, kind);
	text_printf(t, "_%u", code);
}

void put_other_name(struct text *t, unsigned int kind)
{
	put_kind(t, kind);
	text_put(t, "_OTHER");
}

const struct qp_state *qp_state_find(unsigned int number)
{
	size_t i;

	for (i = 0; i < qp_states_count; i++)
		if (qp_states[i].number == number)
			return &qp_states[i];
	return NULL;
}

const struct cm_reason *cm_reason_find(int number)
{
	size_t i;

	for (i = 0; i < cm_reasons_count; i++)
		if (cm_reasons[i].number == number)
			return &cm_reasons[i];
	return NULL;
}

const char *rdmaev_event_name(unsigned int kind, unsigned int code)
{
	const struct catalogue_entry *entry = catalogue_find(kind, code);

	return entry ? entry->name : NULL;
}

const char *rdmaev_event_describe(unsigned int kind, unsigned int code)
{
	const struct catalogue_entry *entry = catalogue_find(kind, code);

	return entry ? entry->meaning : NULL;
}

const char *rdmaev_event_advice(unsigned int kind, unsigned int code)
{
	const struct catalogue_entry *entry = catalogue_find(kind, code);

	return entry ? entry->advice : NULL;
}

const char *rdmaev_wc_status_name(unsigned int status)
{
	return rdmaev_event_name(RDMAEV_KIND_WC, status);
}

const char *rdmaev_wc_status_describe(unsigned int status)
{
	return rdmaev_event_describe(RDMAEV_KIND_WC, status);
}

const char *rdmaev_wc_status_advice(unsigned int status)
{
	return rdmaev_event_advice(RDMAEV_KIND_WC, status);
}

const char *rdmaev_qp_state_name(unsigned int state)
{
	const struct qp_state *s = qp_state_find(state);

	return s ? s->name : NULL;
}

const char *rdmaev_qp_state_describe(unsigned int state)
{
	const struct qp_state *s = qp_state_find(state);

	return s ? s->meaning : NULL;
}

const char *rdmaev_cm_reason_name(int reason)
{
	const struct cm_reason *r = cm_reason_find(reason);

	return r ? r->name : NULL;
}

const char *rdmaev_cm_reason_describe(int reason)
{
	const struct cm_reason *r = cm_reason_find(reason);

	return r ? r->meaning : NULL;
}

const char *rdmaev_cm_reason_advice(int reason)
{
	const struct cm_reason *r = cm_reason_find(reason);

	return r ? r->advice : NULL;
}

static int fold_char(char c)
{
	return c == '-' ? '_' : toupper((unsigned char)c);
}

const char *name_after_prefix(const char *name, const char *prefix)
{
	for (; *prefix; name++, prefix++)
		if (fold_char(*name) != fold_char(*prefix))
			return NULL;
	return name;
}

static bool is_word(const char *name, const char *word)
{
	const char *rest = name_after_prefix(name, word);

	return rest && !*rest;
}

/* Name prefixes of kernel and libibverbs; the last one precedes numbers. */
static const char * const event_prefixes[] = {
	"IB_EVENT_", "IBV_EVENT_", "EVENT_", NULL,
};

static const char * const wc_prefixes[] = {
	"IB_WC_", "IBV_WC_", "WC_", NULL,
};

static const char * const qp_prefixes[] = {
	"IB_QPS_", "IBV_QPS_", "QPS_", NULL,
};

static const char * const reason_prefixes[] = {
	"IB_CM_REJ_", "REJ_", NULL,
};

static const char *after_any(const char *name, const char * const *prefixes)
{
	const char *rest = NULL;

	while (*prefixes && !rest)
		rest = name_after_prefix(name, *prefixes++);
	return rest;
}

static int parse_number(const char *digits, unsigned int *number)
{
	unsigned int value = 0;
	const char *c;

	for (c = digits; *c >= '0' && *c <= '9' && value <= UINT16_MAX; c++)
		value = value * 10 + (unsigned int)(*c - '0');
	if (c == digits || *c || value > UINT16_MAX) {
		errno = ENOENT;
		return -1;
	}
	*number = value;
	return 0;
}

/* Name or number of @kind; with kind 0 any name, or number of an event. */
static int parse_code(const char *name, unsigned int *kind, unsigned int *code)
{
	size_t i;

	for (i = 0; i < catalogue_count; i++) {
		if ((!*kind || catalogue[i].kind == *kind) &&
		    is_word(name, catalogue[i].name)) {
			*kind = catalogue[i].kind;
			*code = catalogue[i].code;
			return 0;
		}
	}
	if (!*kind)
		*kind = RDMAEV_KIND_ASYNC;
	return parse_number(name, code);
}

int rdmaev_event_parse(const char *name, unsigned int *kind, unsigned int *code)
{
	const char *event = after_any(name, event_prefixes);
	const char *status = after_any(name, wc_prefixes);
	unsigned int found = 0;

	if (event) {
		name = event;
		found = RDMAEV_KIND_ASYNC;
	} else if (status) {
		name = status;
		found = RDMAEV_KIND_WC;
	}
	if (parse_code(name, &found, code) < 0)
		return -1;
	*kind = found;
	return 0;
}

int rdmaev_wc_status_parse(const char *name, unsigned int *status)
{
	const char *rest = after_any(name, wc_prefixes);
	unsigned int kind = RDMAEV_KIND_WC;

	return parse_code(rest ? rest : name, &kind, status);
}

int rdmaev_qp_state_parse(const char *name, unsigned int *state)
{
	const char *rest = after_any(name, qp_prefixes);
	size_t i;

	if (rest)
		name = rest;
	for (i = 0; i < qp_states_count; i++) {
		if (is_word(name, qp_states[i].name) ||
		    is_word(name, qp_states[i].title)) {
			*state = qp_states[i].number;
			return 0;
		}
	}
	return parse_number(name, state);
}

int rdmaev_cm_reason_parse(const char *name, int *reason)
{
	const char *rest = after_any(name, reason_prefixes);
	unsigned int number;
	size_t i;

	if (rest)
		name = rest;
	for (i = 0; i < cm_reasons_count; i++) {
		if (is_word(name, cm_reasons[i].name)) {
			*reason = cm_reasons[i].number;
			return 0;
		}
	}
	if (parse_number(name, &number) < 0)
		return -1;
	*reason = (int)number;
	return 0;
}
