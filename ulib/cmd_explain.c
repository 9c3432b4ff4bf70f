// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev explain: what an event means and what to do about it. */
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "cmd.h"

#define LABEL	12

/* Print a labelled text, broken between words. */
static enum output print_wrapped(const char *label, const char *text)
{
	size_t columns = output_columns();
	enum output result = OUTPUT_DONE;
	char line[512];

	if (columns > sizeof(line))
		columns = sizeof(line);
	while (*text && result == OUTPUT_DONE) {
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
		result = output_line(line);
		text += len;
		text += strspn(text, " ");
		label = "";
	}
	return result;
}

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static enum output print_fact(const struct fact *fact)
{
	const struct {
		const char *label;
		const char *text;
	} rows[] = {
		{ "object", or_dash(object_name(fact->object)) },
		{ "scope", fact->scope },
		{ "class", class_name(fact->class_) },
		{ "protocols", fact->protocols },
		{ "services", fact->services && strcmp(fact->services, "-") ?
			      fact->services : NULL },
		{ "meaning", fact->meaning },
		{ "advice", fact->advice },
	};
	enum output result;
	char line[128];
	struct text t = { .buf = line, .size = sizeof(line) };
	size_t i;

	text_printf(&t, "%s (%s %u)", fact->name, kind_name(fact->kind), fact->code);
	text_end(&t);
	result = output_line(line);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (result == OUTPUT_DONE && rows[i].text)
			result = print_wrapped(rows[i].label, rows[i].text);
	return result;
}

static enum output print_json(const struct fact *fact)
{
	char line[4096];
	struct text t = { .buf = line, .size = sizeof(line) };
	const struct {
		const char *key;
		const char *text;
	} rows[] = {
		{ "object", object_name(fact->object) },
		{ "scope", fact->scope },
		{ "class", class_name(fact->class_) },
		{ "lane", lane_name(fact->lane) },
		{ "protocols", fact->protocols },
		{ "services", fact->services && strcmp(fact->services, "-") ?
			      fact->services : NULL },
		{ "meaning", fact->meaning },
		{ "advice", fact->advice },
	};
	size_t i;

	text_put(&t, "{\"event\":");
	text_json(&t, fact->name);
	text_put(&t, ",\"kind\":");
	text_json(&t, kind_name(fact->kind));
	text_printf(&t, ",\"code\":%u", fact->code);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		text_printf(&t, ",\"%s\":", rows[i].key);
		text_json(&t, rows[i].text);
	}
	text_put(&t, "}");
	text_end(&t);
	return output_line(line);
}

static int run_explain(struct options *o, int argc, char **argv)
{
	enum output result = OUTPUT_DONE;
	int status = STATUS_OK, i;
	bool first = true;
	size_t f;

	for (f = 0; !argc && f < facts_count && result == OUTPUT_DONE; f++) {
		if (!first && !o->json)
			result = output_line("");
		first = false;
		if (result == OUTPUT_DONE)
			result = o->json ? print_json(&facts[f]) :
					   print_fact(&facts[f]);
	}
	for (i = 0; i < argc && result == OUTPUT_DONE; i++) {
		const struct fact *fact;
		unsigned int kind, code;

		if (rdmaev_event_parse(argv[i], &kind, &code) < 0) {
			complain_event(argv[i]);
			status = STATUS_ERROR;
			continue;
		}
		fact = fact_find(kind, code);
		if (!fact) {
			complain("%s: nothing is known about this number", argv[i]);
			status = STATUS_ERROR;
			continue;
		}
		if (!first && !o->json)
			result = output_line("");
		first = false;
		if (result == OUTPUT_DONE)
			result = o->json ? print_json(fact) : print_fact(fact);
	}
	return output_finish(result == OUTPUT_FAILED ? STATUS_ERROR : status);
}

const struct command command_explain = {
	.name = "explain",
	.letters = "",
	.usage = "[NAME|NUMBER]...",
	.help =
	"Say what events mean and what to do about them; without a name, all of them.\n"
	"A number is that of an asynchronous event (enum ibv_event_type).\n\n",
	.run = run_explain,
};
