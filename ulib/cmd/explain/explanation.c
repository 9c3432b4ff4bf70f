// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The text or the JSON of one event, QP state, reason, port state or fault, out
 * of the catalogue and the relations.
 */
#include <string.h>

#include "explain/explanation.h"
#include "output/output.h"

#define LABEL	17

static void put_line(struct explanation *p, const char *line)
{
	if (p->result == OUTPUT_DONE)
		p->result = output_line(line);
}

/* A labelled text, broken between words; none if it is NULL or "-". */
static void put_row(struct explanation *p, const char *label, const char *text)
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

void explain_item(struct explanation *p, const char **label, const char *name,
		  const char *meaning)
{
	char item[256];
	struct text t = { .buf = item, .size = sizeof(item) };

	text_printf(&t, "%s: %s", name, meaning);
	text_end(&t);
	put_row(p, *label, item);
	*label = "";
}

static void put_title(struct explanation *p, const char *title)
{
	if (p->started)
		put_line(p, "");
	p->started = true;
	put_line(p, title);
}

void explain_heading(struct explanation *p, const char *heading)
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

static void end_object(struct explanation *p, struct text *t)
{
	text_put(t, "}");
	text_end(t);
	put_line(p, t->buf);
}

static const char *scope_text(const struct catalogue_entry *entry)
{
	if (entry->kind != RDMAEV_KIND_ASYNC)
		return NULL;
	return entry->object_type >= RDMAEV_OBJECT_QP ? "affiliated" : "unaffiliated";
}

static const char *effect_text(const struct catalogue_entry *entry)
{
	static const char * const texts[] = {
		[EFFECT_NONE] = "none",
		[EFFECT_ERROR] = "QP to ERR",
		[EFFECT_ERROR_OR_SQE] = "QP to ERR; to SQE if a send of UC or UD failed",
		[EFFECT_VARIES] = "up to the device",
	};

	return entry->kind == RDMAEV_KIND_WC ? texts[entry->effect] : NULL;
}

static void put_leads(struct explanation *p, enum term term)
{
	const char *label = "leads to";
	size_t i;

	for (i = 0; i < leads_count; i++)
		if (lead_is_from(&leads[i], term))
			explain_item(p, &label, term_name(leads[i].to), leads[i].meaning);
}

static void key_leads(struct text *t, enum term term)
{
	size_t i, n = 0;

	text_put(t, ",\"leads_to\":[");
	for (i = 0; i < leads_count; i++) {
		if (!lead_is_from(&leads[i], term))
			continue;
		put_object(t, &n, "name", term_name(leads[i].to));
		key_text(t, "meaning", leads[i].meaning);
		text_put(t, "}");
	}
	text_put(t, "]");
}

static void put_faults(struct explanation *p, enum term term)
{
	char ids[512];
	struct text t = { .buf = ids, .size = sizeof(ids) };
	size_t i;

	for (i = 0; i < faults_count; i++)
		if (fault_shows(&faults[i], term))
			text_printf(&t, "%s%s", t.len ? ", " : "", faults[i].id);
	text_end(&t);
	put_row(p, "faults", t.len ? ids : NULL);
}

static void key_faults(struct text *t, enum term term)
{
	size_t i, n = 0;

	text_put(t, ",\"faults\":[");
	for (i = 0; i < faults_count; i++)
		if (fault_shows(&faults[i], term))
			put_name(t, &n, faults[i].id);
	text_put(t, "]");
}

void explain_entry(struct explanation *p, const struct catalogue_entry *entry)
{
	char line[8192];
	struct text t = { .buf = line, .size = sizeof(line) };
	const struct {
		const char *key;
		const char *label;
		const char *text;
	} rows[] = {
		{ "object", "object", object_name(entry->object_type) },
		{ "scope", "scope", scope_text(entry) },
		{ "severity", "severity", severity_name(entry->severity) },
		{ "ring", NULL, ring_name(entry->ring) },
		{ "protocols", "protocols", entry->protocols },
		{ "services", "services", entry->services },
		{ "side", "seen by", entry->side },
		{ "role", "role", entry->role },
		{ "effect", "effect", effect_text(entry) },
		{ "meaning", "meaning", entry->meaning },
		{ "advice", "advice", entry->advice },
	};
	size_t i;

	if (p->json) {
		text_put(&t, "{\"event\":");
		text_json(&t, entry->name);
		key_text(&t, "kind", kind_name(entry->kind));
		text_printf(&t, ",\"code\":%u", entry->code);
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			key_text(&t, rows[i].key, rows[i].text);
		key_leads(&t, term_of_entry(entry));
		key_faults(&t, term_of_entry(entry));
		end_object(p, &t);
		return;
	}
	text_printf(&t, "%s (%s %u)", entry->name, kind_name(entry->kind), entry->code);
	text_end(&t);
	put_title(p, line);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].label)
			put_row(p, rows[i].label, rows[i].text);
	put_leads(p, term_of_entry(entry));
	put_faults(p, term_of_entry(entry));
}

/* True if @step leads to @state (@in), or from it. */
static bool is_way(const struct transition *step, enum term state, bool in)
{
	if (in)
		return step->to == state;
	return (step->from == state || step->from == TERM_ANY) && step->to != state;
}

static void put_ways(struct explanation *p, enum term state, bool in)
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
			    term_name(in ? step->from : step->to), step->how);
		text_end(&t);
		explain_item(p, &label, name, step->meaning);
	}
}

static void key_ways(struct text *t, enum term state, bool in)
{
	size_t i, n = 0;

	text_printf(t, ",\"%s\":[", in ? "entered" : "left");
	for (i = 0; i < transitions_count; i++) {
		const struct transition *step = &transitions[i];

		if (!is_way(step, state, in))
			continue;
		put_object(t, &n, in ? "from" : "to",
			   term_name(in ? step->from : step->to));
		key_text(t, "how", step->how);
		key_text(t, "meaning", step->meaning);
		text_put(t, "}");
	}
	text_put(t, "]");
}

void explain_state(struct explanation *p, const struct qp_state *state)
{
	enum term term = term_of_state(state);
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
		key_ways(&t, term, true);
		key_ways(&t, term, false);
		key_leads(&t, term);
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
	put_ways(p, term, true);
	put_ways(p, term, false);
	put_leads(p, term);
}

void explain_reason(struct explanation *p, const struct cm_reason *reason)
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

void explain_port_state(struct explanation *p, const struct port_state *state)
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
static void put_sight(struct explanation *p, const char *label, const enum term *terms,
		      size_t n)
{
	char line[128];
	struct text t = { .buf = line, .size = sizeof(line) };
	size_t i;

	for (i = 0; i < n && terms[i] != TERM_NOTHING; i++)
		text_printf(&t, "%s%s %s", i ? ", or " : "", term_name(terms[i]),
			    term_entry(terms[i])->kind == RDMAEV_KIND_WC ?
			    "completion" : "event");
	text_end(&t);
	put_row(p, label, i ? line : "nothing");
}

void explain_fault(struct explanation *p, const struct fault *fault)
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
		for (i = 0; i < 2 && fault->responder[i] != TERM_NOTHING; i++)
			put_name(&t, &n, term_name(fault->responder[i]));
		text_put(&t, "]");
		key_text(&t, "requester", term_name(fault->requester));
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
