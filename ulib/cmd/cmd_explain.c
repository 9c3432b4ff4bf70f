// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev explain: explain an event, a completion status, a QP state or the
 * reason of a refused connection and the remedy, and what both ends see of a
 * fault.
 */
#include <assert.h>
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "cmd.h"
#include "explain/explanation.h"

static const struct {
	unsigned int kind;
	const char *heading;
} kinds[] = {
#define KIND(kind_, heading_)	{ RDMAEV_KIND_##kind_, heading_ },
#include "internal/catalogue.def"
};

static_assert(ARRAY_SIZE(kinds) == RDMAEV_KIND_MAX, "each kind has its heading");

static void explain_kind(struct explanation *p, unsigned int kind)
{
	size_t i;

	for (i = 0; i < catalogue_count; i++)
		if (catalogue[i].kind == kind)
			explain_entry(p, &catalogue[i]);
}

static void explain_faults(struct explanation *p)
{
	size_t i;

	explain_heading(p, "FAULTS OF RELIABLE CONNECTIONS");
	for (i = 0; i < faults_count; i++)
		explain_fault(p, &faults[i]);
}

static void explain_all(struct explanation *p)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		explain_heading(p, kinds[i].heading);
		explain_kind(p, kinds[i].kind);
	}
	explain_heading(p, "QP STATES");
	for (i = 0; i < qp_states_count; i++)
		explain_state(p, &qp_states[i]);
	explain_heading(p, "PORT STATES");
	for (i = 0; i < port_states_count; i++)
		explain_port_state(p, &port_states[i]);
	explain_heading(p, "REASONS OF REFUSED CONNECTIONS");
	for (i = 0; i < cm_reasons_count; i++)
		explain_reason(p, &cm_reasons[i]);
	explain_faults(p);
}

/* A row of another meaning of a number; none if it has no name. */
static void put_meaning(struct explanation *p, const char **label, const char *what,
			const char *name)
{
	if (name)
		explain_item(p, label, what, name);
}

/* The same with what is typed for it: "completion status WC_10" */
static void put_typed_meaning(struct explanation *p, const char **label, const char *what,
			      const char *prefix, unsigned int number,
			      const char *name)
{
	char typed[64];
	struct text t = { .buf = typed, .size = sizeof(typed) };

	text_printf(&t, "%s %s%u", what, prefix, number);
	text_end(&t);
	put_meaning(p, label, typed, name);
}

static const char *entry_name(unsigned int kind, unsigned int code)
{
	const struct catalogue_entry *entry = catalogue_find(kind, code);

	return entry ? entry->name : NULL;
}

/*
 * A number alone is taken for an event, or for the first of these that has it:
 * name the others, as many tables of RDMA begin to count at 0.
 */
static void put_other_meanings(struct explanation *p, unsigned int number, bool is_event,
			       bool is_status)
{
	const char *label = "same number";

	if (is_event)
		put_typed_meaning(p, &label, "completion status", "WC_", number,
				  rdmaev_wc_status_name(number));
	put_typed_meaning(p, &label, "QP state", "QPS_", number,
			  rdmaev_qp_state_name(number));
	put_meaning(p, &label, "port state", state_name(number));
	put_meaning(p, &label, "physical port state", phys_state_name(number));
	put_meaning(p, &label, "change of a port", entry_name(RDMAEV_KIND_PORT, number));
	put_meaning(p, &label, "CM event", entry_name(RDMAEV_KIND_CM, number));
	if (is_event || is_status)
		put_typed_meaning(p, &label, "reason of CM_REJECTED", "REJ_", number,
				  rdmaev_cm_reason_name((int)number));
}

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

/* A name or number of an event or a status; a number can also be a reason. */
static bool explain_event(struct explanation *p, const char *name)
{
	const struct cm_reason *reason = NULL;
	const struct catalogue_entry *entry;
	unsigned int kind, code;

	if (rdmaev_event_parse(name, &kind, &code) < 0)
		return false;
	entry = catalogue_find(kind, code);
	/* There are more statuses than events, and more reasons. */
	if (!entry && is_number(name))
		entry = catalogue_find(RDMAEV_KIND_WC, code);
	if (!entry && is_number(name))
		reason = cm_reason_find((int)code);
	if (entry)
		explain_entry(p, entry);
	else if (reason)
		explain_reason(p, reason);
	else
		return false;
	if (!p->json && is_number(name))
		put_other_meanings(p, code, entry && entry->kind == RDMAEV_KIND_ASYNC,
				   entry);
	return true;
}

/* All that has this name: states of QPs and ports share some. */
static bool explain_others(struct explanation *p, const char *name)
{
	const struct cm_reason *reason = NULL;
	const struct qp_state *state = NULL;
	int number, attribute = port_attribute_code(name);
	bool found = false;
	unsigned int code;
	size_t i;

	if (!rdmaev_qp_state_parse(name, &code))
		state = qp_state_find(code);
	if (state)
		explain_state(p, state);
	for (i = 0; i < port_states_count; i++) {
		if (!is_port_state(&port_states[i], name))
			continue;
		explain_port_state(p, &port_states[i]);
		found = true;
	}
	if (!rdmaev_cm_reason_parse(name, &number))
		reason = cm_reason_find(number);
	if (reason)
		explain_reason(p, reason);
	if (attribute >= 0)
		explain_entry(p, catalogue_find(RDMAEV_KIND_PORT, (unsigned int)attribute));
	for (i = 0; i < faults_count; i++) {
		if (fault_matches(&faults[i], name) != 2)
			continue;
		explain_fault(p, &faults[i]);
		found = true;
	}
	return found || state || reason || attribute >= 0;
}

static int explain_name(struct explanation *p, const char *name)
{
	unsigned int kind, code;
	int number;

	if (explain_event(p, name) || (!is_number(name) && explain_others(p, name)))
		return STATUS_OK;
	if (!rdmaev_event_parse(name, &kind, &code) ||
	    !rdmaev_qp_state_parse(name, &code) ||
	    !rdmaev_cm_reason_parse(name, &number))
		complain("%s: unknown number", name);
	else
		complain_word(name);
	return STATUS_ERROR;
}

static int explain_fault_name(struct explanation *p, const char *name)
{
	char ids[512];
	struct text t = { .buf = ids, .size = sizeof(ids) };
	int best = 0, match;
	size_t i;

	for (i = 0; i < faults_count; i++) {
		match = fault_matches(&faults[i], name);
		if (match > best)
			best = match;
	}
	for (i = 0; i < faults_count; i++) {
		if (best && fault_matches(&faults[i], name) == best)
			explain_fault(p, &faults[i]);
		text_printf(&t, " %s", faults[i].id);
	}
	text_end(&t);
	if (best)
		return STATUS_OK;
	complain("%s: no such fault; there are:%s", name, ids);
	return STATUS_ERROR;
}

int run_explain(struct options *o, int argc, char **argv)
{
	struct explanation p = { .json = o->json, .result = OUTPUT_DONE };
	int status = STATUS_OK, i;

	if (!argc && o->fault)
		explain_faults(&p);
	else if (!argc)
		explain_all(&p);
	for (i = 0; i < argc; i++)
		if (o->fault ? explain_fault_name(&p, argv[i]) :
			       explain_name(&p, argv[i]))
			status = STATUS_ERROR;
	return output_finish(p.result == OUTPUT_FAILED ? STATUS_ERROR : status);
}
