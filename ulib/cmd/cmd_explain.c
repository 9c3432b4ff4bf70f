// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev explain: explain an event, a completion status, a QP state or the
 * reason of a refused connection and the remedy, and what both ends see of a
 * fault.
 */
#include <string.h>

#include "base/complain.h"
#include "base/port_states.h"
#include "base/relations.h"
#include "base/status.h"
#include "cmd.h"
#include "output/output.h"

#define LABEL	17

/**
 * struct page - what is printed
 * @json: for programs
 * @started: something was printed
 * @result: of the output so far
 */
struct page {
	bool json;
	bool started;
	enum output result;
};

static void put_line(struct page *p, const char *line)
{
	if (p->result == OUTPUT_DONE)
		p->result = output_line(line);
}

/* A labelled text, broken between words; none if it is NULL or "-". */
static void put_row(struct page *p, const char *label, const char *text)
{
	size_t columns = output_columns();
	char line[512];

	if (!text || !strcmp(text, "-"))
		return;
	if (columns > sizeof(line))
		columns = sizeof(line);
	while (*text) {
		struct text t = { .buf = line, .size = sizeof(line) };
		size_t width = columns - LABEL - 3, len = strlen(text), end;

		if (len > width) {
			for (end = width; end && text[end] != ' '; end--)
				;
			len = end ? end : width;
		}
		text_printf(&t, "  %s", label);
		text_pad(&t, 0, LABEL + 2);
		text_printf(&t, "%.*s", (int)len, text);
		text_end(&t);
		put_line(p, line);
		text += len;
		text += strspn(text, " ");
		label = "";
	}
}

/* A row of two texts; the label is printed in the first row only. */
static void put_item(struct page *p, const char **label, const char *name,
		     const char *meaning)
{
	char item[256];
	struct text t = { .buf = item, .size = sizeof(item) };

	text_printf(&t, "%s: %s", name, meaning);
	text_end(&t);
	put_row(p, *label, item);
	*label = "";
}

static void put_title(struct page *p, const char *title)
{
	if (p->started)
		put_line(p, "");
	p->started = true;
	put_line(p, title);
}

static void put_heading(struct page *p, const char *heading)
{
	if (!p->json)
		put_title(p, heading);
}

static void key_text(struct text *t, const char *key, const char *text)
{
	text_printf(t, ",\"%s\":", key);
	text_json(t, text && strcmp(text, "-") ? text : NULL);
}

/* A member of an array of objects; @n counts them. */
static void put_object(struct text *t, size_t *n, const char *key,
		       const char *name)
{
	text_printf(t, "%s{\"%s\":", (*n)++ ? "," : "", key);
	text_json(t, name);
}

static void put_name(struct text *t, size_t *n, const char *name)
{
	if ((*n)++)
		text_put(t, ",");
	text_json(t, name);
}

static void end_object(struct page *p, struct text *t)
{
	text_put(t, "}");
	text_end(t);
	put_line(p, t->buf);
}

static const char *effect_text(const struct fact *fact)
{
	static const char * const texts[] = {
		[EFFECT_NONE] = "none",
		[EFFECT_ERROR] = "QP to ERR",
		[EFFECT_ERROR_OR_SQE] = "QP to ERR; to SQE if a send of UC or UD failed",
		[EFFECT_VARIES] = "up to the device",
	};

	return fact->kind == RDMAEV_KIND_WC ? texts[fact->effect] : NULL;
}

static void put_leads(struct page *p, enum word word)
{
	const char *label = "leads to";
	size_t i;

	for (i = 0; i < leads_count; i++)
		if (lead_is_from(&leads[i], word))
			put_item(p, &label, word_name(leads[i].to), leads[i].meaning);
}

static void key_leads(struct text *t, enum word word)
{
	size_t i, n = 0;

	text_put(t, ",\"leads_to\":[");
	for (i = 0; i < leads_count; i++) {
		if (!lead_is_from(&leads[i], word))
			continue;
		put_object(t, &n, "name", word_name(leads[i].to));
		key_text(t, "meaning", leads[i].meaning);
		text_put(t, "}");
	}
	text_put(t, "]");
}

static void put_faults(struct page *p, enum word word)
{
	char ids[512];
	struct text t = { .buf = ids, .size = sizeof(ids) };
	size_t i;

	for (i = 0; i < faults_count; i++)
		if (fault_shows(&faults[i], word))
			text_printf(&t, "%s%s", t.len ? ", " : "", faults[i].id);
	text_end(&t);
	put_row(p, "faults", t.len ? ids : NULL);
}

static void key_faults(struct text *t, enum word word)
{
	size_t i, n = 0;

	text_put(t, ",\"faults\":[");
	for (i = 0; i < faults_count; i++)
		if (fault_shows(&faults[i], word))
			put_name(t, &n, faults[i].id);
	text_put(t, "]");
}

static void explain_fact(struct page *p, const struct fact *fact)
{
	char line[8192];
	struct text t = { .buf = line, .size = sizeof(line) };
	const struct {
		const char *key;
		const char *label;
		const char *text;
	} rows[] = {
		{ "object", "object", object_name(fact->object) },
		{ "scope", "scope", fact->scope },
		{ "severity", "severity", severity_name(fact->severity) },
		{ "ring", NULL, ring_name(fact->ring) },
		{ "protocols", "protocols", fact->protocols },
		{ "services", "services", fact->services },
		{ "side", "seen by", fact->side },
		{ "role", "role", fact->role },
		{ "effect", "effect", effect_text(fact) },
		{ "meaning", "meaning", fact->meaning },
		{ "advice", "advice", fact->advice },
	};
	size_t i;

	if (p->json) {
		text_put(&t, "{\"event\":");
		text_json(&t, fact->name);
		key_text(&t, "kind", kind_name(fact->kind));
		text_printf(&t, ",\"code\":%u", fact->code);
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			key_text(&t, rows[i].key, rows[i].text);
		key_leads(&t, word_of_fact(fact));
		key_faults(&t, word_of_fact(fact));
		end_object(p, &t);
		return;
	}
	text_printf(&t, "%s (%s %u)", fact->name, kind_name(fact->kind), fact->code);
	text_end(&t);
	put_title(p, line);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].label)
			put_row(p, rows[i].label, rows[i].text);
	put_leads(p, word_of_fact(fact));
	put_faults(p, word_of_fact(fact));
}

/* True if @step leads to @state (@in), or from it. */
static bool is_way(const struct transition *step, enum word state, bool in)
{
	if (in)
		return step->to == state;
	return (step->from == state || step->from == WORD_ANY) && step->to != state;
}

static void put_ways(struct page *p, enum word state, bool in)
{
	const char *label = in ? "entered" : "left";
	char name[64];
	size_t i;

	for (i = 0; i < transitions_count; i++) {
		const struct transition *step = &transitions[i];
		struct text t = { .buf = name, .size = sizeof(name) };

		if (!is_way(step, state, in))
			continue;
		text_printf(&t, "%s %s, %s", in ? "from" : "to",
			    word_name(in ? step->from : step->to), step->how);
		text_end(&t);
		put_item(p, &label, name, step->meaning);
	}
}

static void key_ways(struct text *t, enum word state, bool in)
{
	size_t i, n = 0;

	text_printf(t, ",\"%s\":[", in ? "entered" : "left");
	for (i = 0; i < transitions_count; i++) {
		const struct transition *step = &transitions[i];

		if (!is_way(step, state, in))
			continue;
		put_object(t, &n, in ? "from" : "to",
			   word_name(in ? step->from : step->to));
		key_text(t, "how", step->how);
		key_text(t, "meaning", step->meaning);
		text_put(t, "}");
	}
	text_put(t, "]");
}

static void explain_state(struct page *p, const struct qp_state *state)
{
	enum word word = word_of_state(state);
	char line[8192];
	struct text t = { .buf = line, .size = sizeof(line) };
	const struct {
		const char *key;
		const char *label;
		const char *text;
	} rows[] = {
		{ "receive_requests", "receive requests", state->recv },
		{ "send_requests", "send requests", state->send },
		{ "incoming_packets", "incoming packets", state->in },
		{ "outgoing_packets", "outgoing packets", state->out },
		{ "iwarp", "in iWARP", state->iwarp },
	};
	size_t i;

	if (p->json) {
		text_put(&t, "{\"state\":");
		text_json(&t, state->name);
		text_printf(&t, ",\"number\":%u", state->number);
		key_text(&t, "title", state->title);
		key_text(&t, "meaning", state->meaning);
		text_printf(&t, ",\"post_receive\":%s,\"post_send\":%s",
			    state->post_recv ? "true" : "false",
			    state->post_send ? "true" : "false");
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			key_text(&t, rows[i].key, rows[i].text);
		key_ways(&t, word, true);
		key_ways(&t, word, false);
		key_leads(&t, word);
		end_object(p, &t);
		return;
	}
	text_printf(&t, "%s (QP state %u)", state->name, state->number);
	text_end(&t);
	put_title(p, line);
	put_row(p, "meaning", state->meaning);
	put_row(p, "post receive", state->post_recv ? "yes" : "no");
	put_row(p, "post send", state->post_send ? "yes" : "no");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		put_row(p, rows[i].label, rows[i].text);
	put_ways(p, word, true);
	put_ways(p, word, false);
	put_leads(p, word);
}

static void explain_reason(struct page *p, const struct cm_reason *reason)
{
	char line[1024];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (p->json) {
		text_put(&t, "{\"reason\":");
		text_json(&t, reason->name);
		text_printf(&t, ",\"number\":%d", reason->number);
		key_text(&t, "words", reason->words);
		key_text(&t, "meaning", reason->meaning);
		key_text(&t, "advice", reason->advice);
		end_object(p, &t);
		return;
	}
	text_printf(&t, "%s (reason %d of CM_REJECTED)", reason->name,
		    reason->number);
	text_end(&t);
	put_title(p, line);
	put_row(p, "says", reason->words);
	put_row(p, "meaning", reason->meaning);
	put_row(p, "advice", reason->advice);
}

static void explain_port_state(struct page *p, const struct port_state *state)
{
	char line[1024];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (p->json) {
		text_printf(&t, "{\"%s\":", state->is_physical ?
			    "phys_state" : "port_state");
		text_json(&t, port_state_name(state));
		text_printf(&t, ",\"number\":%u", state->number);
		key_text(&t, "meaning", state->meaning);
		key_text(&t, "advice", state->advice);
		end_object(p, &t);
		return;
	}
	text_printf(&t, "%s (%s %u)", port_state_name(state),
		    state->is_physical ? "physical port state" : "port state",
		    state->number);
	text_end(&t);
	put_title(p, line);
	put_row(p, "meaning", state->meaning);
	put_row(p, "advice", state->advice);
}

/* The reports at one end, each with its kind */
static void put_sight(struct page *p, const char *label, const enum word *words,
		      size_t n)
{
	char line[128];
	struct text t = { .buf = line, .size = sizeof(line) };
	size_t i;

	for (i = 0; i < n && words[i] != WORD_NOTHING; i++)
		text_printf(&t, "%s%s %s", i ? ", or " : "", word_name(words[i]),
			    word_fact(words[i])->kind == RDMAEV_KIND_WC ?
			    "completion" : "event");
	text_end(&t);
	put_row(p, label, i ? line : "nothing");
}

static void explain_fault(struct page *p, const struct fault *fault)
{
	char line[2048];
	struct text t = { .buf = line, .size = sizeof(line) };
	size_t i, n = 0;

	if (p->json) {
		text_put(&t, "{\"fault\":");
		text_json(&t, fault->id);
		key_text(&t, "request", fault->request);
		key_text(&t, "meaning", fault->meaning);
		text_put(&t, ",\"responder\":[");
		for (i = 0; i < 2 && fault->responder[i] != WORD_NOTHING; i++)
			put_name(&t, &n, word_name(fault->responder[i]));
		text_put(&t, "]");
		key_text(&t, "requester", word_name(fault->requester));
		key_text(&t, "note", fault->note);
		end_object(p, &t);
		return;
	}
	put_title(p, fault->id);
	put_row(p, "request", fault->request);
	put_row(p, "fault", fault->meaning);
	put_sight(p, "responder sees", fault->responder, 2);
	put_sight(p, "requester sees", &fault->requester, 1);
	put_row(p, "note", fault->note);
}

static void explain_facts(struct page *p, const char *heading, unsigned int first,
			  unsigned int last)
{
	size_t i;

	put_heading(p, heading);
	for (i = 0; i < facts_count; i++)
		if (facts[i].kind >= first && facts[i].kind <= last)
			explain_fact(p, &facts[i]);
}

static void explain_faults(struct page *p)
{
	size_t i;

	put_heading(p, "FAULTS OF RELIABLE CONNECTIONS");
	for (i = 0; i < faults_count; i++)
		explain_fault(p, &faults[i]);
}

static void explain_all(struct page *p)
{
	size_t i;

	explain_facts(p, "ASYNCHRONOUS EVENTS", RDMAEV_KIND_ASYNC, RDMAEV_KIND_ASYNC);
	explain_facts(p, "RECORDS OF DEVICES AND PORTS", RDMAEV_KIND_DEVICE,
		      RDMAEV_KIND_PORT);
	explain_facts(p, "RECORDS OF COMPLETION QUEUES", RDMAEV_KIND_COMPLETION,
		      RDMAEV_KIND_COMPLETION);
	explain_facts(p, "RECORDS OF QUEUE PAIRS", RDMAEV_KIND_QP, RDMAEV_KIND_QP);
	explain_facts(p, "RECORDS OF THE OBSERVER", RDMAEV_KIND_OBSERVER,
		      RDMAEV_KIND_OBSERVER);
	explain_facts(p, "RECORDS OF CONNECTIONS", RDMAEV_KIND_CM, RDMAEV_KIND_CM);
	explain_facts(p, "NOTES OF KERNEL ULPS", RDMAEV_KIND_NOTE, RDMAEV_KIND_NOTE);
	explain_facts(p, "RECORDS OF PROBES", RDMAEV_KIND_PROBE, RDMAEV_KIND_PROBE);
	explain_facts(p, "LOSSES", RDMAEV_KIND_LOST, RDMAEV_KIND_LOST);
	explain_facts(p, "COMPLETION STATUSES", RDMAEV_KIND_WC, RDMAEV_KIND_WC);
	put_heading(p, "QP STATES");
	for (i = 0; i < qp_states_count; i++)
		explain_state(p, &qp_states[i]);
	put_heading(p, "PORT STATES");
	for (i = 0; i < port_states_count; i++)
		explain_port_state(p, &port_states[i]);
	put_heading(p, "REASONS OF REFUSED CONNECTIONS");
	for (i = 0; i < cm_reasons_count; i++)
		explain_reason(p, &cm_reasons[i]);
	explain_faults(p);
}

/* A row of another meaning of a number; none if it has no name. */
static void put_meaning(struct page *p, const char **label, const char *what,
			const char *name)
{
	if (name)
		put_item(p, label, what, name);
}

/* The same with what is typed for it: "completion status WC_10" */
static void put_typed_meaning(struct page *p, const char **label, const char *what,
			      const char *prefix, unsigned int number,
			      const char *name)
{
	char typed[64];
	struct text t = { .buf = typed, .size = sizeof(typed) };

	text_printf(&t, "%s %s%u", what, prefix, number);
	text_end(&t);
	put_meaning(p, label, typed, name);
}

static const char *fact_name(unsigned int kind, unsigned int code)
{
	const struct fact *fact = fact_find(kind, code);

	return fact ? fact->name : NULL;
}

/*
 * A number alone is taken for an event, or for the first of these that has it:
 * name the others, as many tables of RDMA begin to count at 0.
 */
static void put_other_meanings(struct page *p, unsigned int number, bool is_event,
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
	put_meaning(p, &label, "change of a port", fact_name(RDMAEV_KIND_PORT, number));
	put_meaning(p, &label, "CM event", fact_name(RDMAEV_KIND_CM, number));
	if (is_event || is_status)
		put_typed_meaning(p, &label, "reason of CM_REJECTED", "REJ_", number,
				  rdmaev_cm_reason_name((int)number));
}

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

/* A name or number of an event or a status; a number can also be a reason. */
static bool explain_event(struct page *p, const char *name)
{
	const struct cm_reason *reason = NULL;
	const struct fact *fact;
	unsigned int kind, code;

	if (rdmaev_event_parse(name, &kind, &code) < 0)
		return false;
	fact = fact_find(kind, code);
	/* There are more statuses than events, and more reasons. */
	if (!fact && is_number(name))
		fact = fact_find(RDMAEV_KIND_WC, code);
	if (!fact && is_number(name))
		reason = cm_reason_find((int)code);
	if (fact)
		explain_fact(p, fact);
	else if (reason)
		explain_reason(p, reason);
	else
		return false;
	if (!p->json && is_number(name))
		put_other_meanings(p, code, fact && fact->kind == RDMAEV_KIND_ASYNC,
				   fact);
	return true;
}

/* All that has this name: states of QPs and ports share some. */
static bool explain_others(struct page *p, const char *name)
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
		explain_fact(p, fact_find(RDMAEV_KIND_PORT, (unsigned int)attribute));
	for (i = 0; i < faults_count; i++) {
		if (fault_matches(&faults[i], name) != 2)
			continue;
		explain_fault(p, &faults[i]);
		found = true;
	}
	return found || state || reason || attribute >= 0;
}

static int explain_name(struct page *p, const char *name)
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

static int explain_fault_name(struct page *p, const char *name)
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
	struct page p = { .json = o->json, .result = OUTPUT_DONE };
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
