// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which records watch, log, wait and report show. The kernel's filter passes no record
 * less than that, as what it rejects does not wake the command; what it cannot
 * express is checked here, record by record. LOST records pass both: what was
 * lost cannot be examined.
 */
#include <fnmatch.h>
#include <string.h>

#include "format.h"
#include "select.h"

static bool has_event(const struct event_list *list, const struct rdmaev_record *r)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->ids[i].kind == r->kind && list->ids[i].code == r->code)
			return true;
	return false;
}

static bool has_number(const struct number_list *list, uint32_t number)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->numbers[i] == number)
			return true;
	return false;
}

static bool mask_has(const struct mask *mask, unsigned int value)
{
	uint32_t bit = value < 32 ? 1U << value : 0;

	return (!mask->wanted || mask->wanted & bit) && !(mask->unwanted & bit);
}

/* One of the patterns, if there are any without a `!`, and none of the others */
static bool has_name(const struct pattern_list *list, const char *name)
{
	bool is_wanted = false, any_wanted = false;
	size_t i;

	for (i = 0; i < list->count; i++) {
		const char *pattern = list->patterns[i];

		if (*pattern != '!') {
			any_wanted = true;
			is_wanted |= *name && !fnmatch(pattern, name, 0);
		} else if (*name && !fnmatch(pattern + 1, name, 0)) {
			return false;
		}
	}
	return is_wanted || !any_wanted;
}

bool is_of_process(const struct rdmaev_record *r)
{
	return event_has_known(r) && r->body.info.known & RDMAEV_KNOWN_UID;
}

static bool owner_matches(const struct selection *s, const struct rdmaev_record *r)
{
	struct name owner;
	bool is_process;

	if (!s->comms.count && !s->ulps.count)
		return true;
	owner = owner_name(r);
	is_process = is_of_process(r);
	return (!s->comms.count || has_name(&s->comms, is_process ? owner.text : "")) &&
	       (!s->ulps.count || has_name(&s->ulps, is_process ? "" : owner.text));
}

static bool is_qp(const struct rdmaev_record *r)
{
	return r->object_type == RDMAEV_OBJECT_QP && event_has_object(r);
}

bool is_selected(const struct selection *s, const struct rdmaev_record *r)
{
	return mask_has(&s->kinds, r->kind) &&
	       mask_has(&s->severities, r->severity) &&
	       (!s->events.count || has_event(&s->events, r)) &&
	       !has_event(&s->not_events, r) &&
	       (!s->qps.count || (is_qp(r) && has_number(&s->qps, r->object))) &&
	       (!s->pids.count || has_number(&s->pids, r->pid)) &&
	       owner_matches(s, r);
}

/* The kernel has a single bit for codes from 63 on, see is_selected(). */
static uint64_t code_bit(unsigned int code)
{
	return 1ULL << (code < RDMAEV_CODE_BIT_OTHER ? code : RDMAEV_CODE_BIT_OTHER);
}

/* Codes of @kind that can pass */
static uint64_t wanted_codes(const struct selection *s, unsigned int kind)
{
	uint64_t codes = s->events.count ? 0 : UINT64_MAX;
	size_t i;

	if (!mask_has(&s->kinds, kind))
		return 0;
	for (i = 0; i < s->events.count; i++)
		if (s->events.ids[i].kind == kind)
			codes |= code_bit(s->events.ids[i].code);
	for (i = 0; i < s->not_events.count; i++)
		if (s->not_events.ids[i].kind == kind &&
		    s->not_events.ids[i].code < RDMAEV_CODE_BIT_OTHER)
			codes &= ~code_bit(s->not_events.ids[i].code);
	return codes;
}

static int fill_codes(struct rdmaev_filter *f, const struct selection *s)
{
	/* Kinds of a later kernel pass unless something else is asked for. */
	bool all_kinds = !s->events.count && !s->kinds.wanted && !s->kinds.unwanted;
	uint32_t kinds = 0;
	unsigned int kind;

	for (kind = RDMAEV_KIND_DEVICE; kind <= RDMAEV_KIND_MAX; kind++) {
		uint64_t codes = wanted_codes(s, kind);

		if (!codes) {
			all_kinds = false;
			continue;
		}
		kinds |= 1U << kind;
		f->codes[kind] = codes == UINT64_MAX ? 0 : codes;
	}
	f->kinds = all_kinds ? 0 : kinds;
	return kinds ? 0 : -1;
}

static int fill_severities(struct rdmaev_filter *f, const struct mask *severities)
{
	unsigned int severity;

	if (!severities->wanted && !severities->unwanted)
		return 0;
	for (severity = RDMAEV_SEVERITY_INFO; severity <= RDMAEV_SEVERITY_ERROR; severity++)
		if (mask_has(severities, severity))
			f->severities |= 1U << severity;
	return f->severities ? 0 : -1;
}

int fill_filter(struct rdmaev_filter *f, const struct selection *s)
{
	if (fill_codes(f, s) < 0 || fill_severities(f, &s->severities) < 0)
		return -1;
	if (s->qps.count)
		f->object_types = 1U << RDMAEV_OBJECT_QP;
	if (s->qps.count == 1) {
		f->flags |= RDMAEV_FILTER_OBJECT;
		f->object = s->qps.numbers[0];
	}
	if (s->pids.count == 1) {
		f->flags |= RDMAEV_FILTER_PID;
		f->pid = s->pids.numbers[0];
	}
	return 0;
}
