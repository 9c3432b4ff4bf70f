// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* rdmaev why: print incidents, each with its root and what followed. */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "catalogue.h"
#include "cmd.h"
#include "format.h"
#include "incident/incident_parts.h"
#include "incident/incident_read.h"
#include "incident/incident_remedy.h"
#include "incident/incident_rules.h"
#include "option/arguments.h"
#include "output/open.h"
#include "output/output.h"
#include "state/owners.h"
#include "state/renamed.h"
#include "state/targets.h"

/* Incidents in the list, if -n does not say how many */
#define LIST_LENGTH	10

/* Deeper trees are cut. */
#define DEPTH_MAX	32

#define TIME_COLUMN	9
#define EVENT_COLUMN	18

/**
 * struct question - a run of why
 * @o: command line
 * @targets: devices and ports, @targets_count of them
 * @seq: or a record; 0: none
 * @log: the log as trees
 * @chosen: incidents to print, @chosen_count of them, in the order of the log
 */
struct question {
	const struct options *o;
	struct target *targets;
	size_t targets_count;
	uint64_t seq;
	struct incident_log log;
	struct incident *chosen;
	size_t chosen_count;
};

/* The name of an event in the colour of @severity, padded to @width */
static void put_event(struct text *t, const struct question *q,
		      const struct rdmaev_record *r, unsigned int severity, size_t width)
{
	const char *color = "";
	size_t start;

	if (output_color(q->o))
		color = severity == RDMAEV_SEVERITY_ERROR ? RED :
			severity == RDMAEV_SEVERITY_WARNING ? YELLOW : event_color(r);
	text_put(t, color);
	start = t->len;
	put_event_name(t, r->kind, r->code);
	text_pad(t, start, width);
	text_put(t, *color ? PLAIN : "");
}

/* "#1041 TIME rxe0/1 PORT_ERR" */
static void put_head(struct text *t, const struct question *q,
		     const struct incident *incident)
{
	const struct rdmaev_record *r = &q->log.nodes[incident->root].r;

	text_printf(t, "#%llu ", (unsigned long long)r->seq);
	text_time(t, r->realtime_ns, r->boottime_ns, time_style(q->o));
	text_put(t, " ");
	put_place(t, r);
	text_put(t, " ");
	put_event(t, q, r, incident->severity, 0);
}

/* "9 QPs of python3[1234] ended" */
static void put_ended(struct text *t, const struct question *q,
		      const struct incident *incident, const char *before)
{
	const struct rdmaev_record *r = &q->log.nodes[incident->root].r;

	if (incident->ended < 2)
		return;
	text_printf(t, "%s%llu QPs", before, (unsigned long long)incident->ended);
	put_owner(t, " ", "of ", r);
	text_put(t, " ended");
}

/* One line in the list of incidents */
static void put_line(struct text *t, const void *of, size_t item)
{
	const struct question *q = of;
	const struct incident *incident = &q->chosen[item];
	struct victims victims = find_victims(&q->log, incident->root);

	put_head(t, q, incident);
	text_printf(t, ": %zu record%s", incident->records,
		    incident->records == 1 ? "" : "s");
	put_ended(t, q, incident, ", ");
	if (incident->attempts)
		text_printf(t, ", %zu attempt%s to connect again", incident->attempts,
			    incident->attempts == 1 ? "" : "s");
	if (incident->end != NONE) {
		text_put(t, ", over after ");
		text_duration(t, incident_ns(&q->log, incident));
	}
	if (victims.count) {
		text_put(t, ", hit ");
		put_victims(t, &victims);
	}
}

static void put_node(struct text *t, const struct question *q, size_t root,
		     size_t i, unsigned int depth)
{
	const struct node *node = &q->log.nodes[i];
	const struct rdmaev_record *from = &q->log.nodes[root].r;
	size_t start = t->len;

	text_put(t, "  ");
	put_after(t, from, &node->r);
	text_pad(t, start, TIME_COLUMN);
	text_printf(t, " %*s", (int)(2 * depth), "");
	put_event(t, q, &node->r, node->r.severity, EVENT_COLUMN);
	text_put(t, " ");
	start = t->len;
	if (node->r.generation != from->generation ||
	    (node->r.port != RDMAEV_NO_PORT && node->r.port != from->port)) {
		put_place(t, &node->r);
		text_put(t, " ");
	}
	put_detail(t, &node->r);
	text_printf(t, "%s#%llu", t->len == start ? "" : "  ",
		    (unsigned long long)node->r.seq);
	if (node->rule)
		text_printf(t, " (%s)", node->rule->words);
}

static enum output print_node(const struct question *q, size_t root, size_t i,
			      unsigned int depth)
{
	char line[4096];
	struct text t = { .buf = line, .size = sizeof(line) };

	put_node(&t, q, root, i, depth);
	text_end(&t);
	return output_line(line);
}

static enum output print_more(const struct question *q, size_t root, const struct fold *fold,
			      unsigned int depth)
{
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	text_pad(&t, 0, TIME_COLUMN);
	text_printf(&t, " %*s%zu more: ", (int)(2 * depth), "",
		    fold->total - SHOWN);
	put_event_name(&t, fold->kind, fold->code);
	text_put(&t, ", the last ");
	put_after(&t, &q->log.nodes[root].r, &q->log.nodes[fold->last].r);
	text_end(&t);
	return output_line(line);
}

static enum output print_below(const struct question *q, size_t root,
			       size_t parent, unsigned int depth)
{
	const struct node *nodes = q->log.nodes;
	struct fold folds[FOLDS] = { 0 };
	enum output result = OUTPUT_DONE;
	size_t i;

	if (depth > DEPTH_MAX)
		return OUTPUT_DONE;
	count_children(&q->log, parent, folds);
	for (i = nodes[parent].child; i != NONE && result == OUTPUT_DONE;
	     i = nodes[i].sibling) {
		struct fold *fold = find_fold(folds, &nodes[i].r);
		/* One more line is no shorter than the record. */
		bool is_folded = fold && !q->o->verbose &&
				 fold->total > SHOWN + 1 && ++fold->seen > SHOWN;

		if (is_folded && fold->seen == SHOWN + 1)
			result = print_more(q, root, fold, depth);
		if (is_folded)
			continue;
		result = print_node(q, root, i, depth);
		if (result == OUTPUT_DONE)
			result = print_below(q, root, i, depth + 1);
	}
	return result;
}

/* Of the root */
static enum output print_advice(const struct rdmaev_record *r)
{
	const char *advice = incident_remedy(r);
	char line[1024];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (!advice)
		return OUTPUT_DONE;
	text_printf(&t, "  remedy: %s", advice);
	text_end(&t);
	return output_line(line);
}

static enum output print_end(const struct question *q,
			     const struct incident *incident)
{
	const struct node *nodes = q->log.nodes;
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (incident->end == NONE)
		return OUTPUT_DONE;
	text_put(&t, "  over after ");
	text_duration(&t, incident_ns(&q->log, incident));
	text_put(&t, ": ");
	put_event_name(&t, nodes[incident->end].r.kind, nodes[incident->end].r.code);
	text_printf(&t, " #%llu", (unsigned long long)nodes[incident->end].r.seq);
	text_end(&t);
	return output_line(line);
}

static enum output print_ended(const struct question *q, const struct incident *incident)
{
	char line[256];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (incident->ended < 2)
		return OUTPUT_DONE;
	put_ended(&t, q, incident, "  ");
	text_end(&t);
	return output_line(line);
}

static enum output print_victims(const struct question *q,
				 const struct incident *incident)
{
	struct victims victims = find_victims(&q->log, incident->root);
	char line[NAMES * (NAME_SIZE + 2) + 32];
	struct text t = { .buf = line, .size = sizeof(line) };

	if (!victims.count)
		return OUTPUT_DONE;
	text_put(&t, "  hit: ");
	put_victims(&t, &victims);
	text_end(&t);
	return output_line(line);
}

static enum output print_incident(const struct question *q, size_t item)
{
	const struct incident *incident = &q->chosen[item];
	const struct rdmaev_record *r = &q->log.nodes[incident->root].r;
	enum output result;
	char line[512];
	struct text t = { .buf = line, .size = sizeof(line) };

	put_head(&t, q, incident);
	if (r->cause)
		text_printf(&t, ", which follows from #%llu, overwritten",
			    (unsigned long long)r->cause);
	text_end(&t);
	result = output_line(line);
	if (result == OUTPUT_DONE)
		result = print_node(q, incident->root, incident->root, 0);
	if (result == OUTPUT_DONE)
		result = print_below(q, incident->root, incident->root, 1);
	if (result == OUTPUT_DONE)
		result = print_ended(q, incident);
	if (result == OUTPUT_DONE)
		result = print_end(q, incident);
	if (result == OUTPUT_DONE)
		result = print_victims(q, incident);
	return result == OUTPUT_DONE ? print_advice(r) : result;
}

static void json_end(struct text *t, const struct question *q,
		     const struct incident *incident)
{
	const struct node *nodes = q->log.nodes;

	if (incident->end == NONE)
		return text_put(t, ",\"end\":null,\"duration_ns\":null");
	text_key_number(t, "end", true, nodes[incident->end].r.seq);
	text_key_ns(t, "duration_ns", true, incident_ns(&q->log, incident));
}

static void json_records(struct text *t, const struct question *q, size_t root)
{
	const struct node *nodes = q->log.nodes;
	const char *comma = "";
	size_t i;

	text_put(t, ",\"records\":[");
	for (i = root; i != NONE; i = next_in_tree(&q->log, root, i)) {
		const struct node *node = &nodes[i];

		text_printf(t, "%s{\"seq\":", comma);
		text_number(t, node->r.seq);
		text_put(t, ",\"event\":\"");
		put_event_name(t, node->r.kind, node->r.code);
		text_put(t, "\"");
		text_key_number(t, "parent", i != root,
				i == root ? 0 : nodes[node->parent].r.seq);
		text_put(t, ",\"by\":");
		text_json(t, i == root ? NULL : node->rule ? node->rule->name : "cause");
		text_printf(t, ",\"after_ns\":\"%s",
			    node->r.boottime_ns < nodes[root].r.boottime_ns ? "-" : "");
		text_number(t, node->r.boottime_ns < nodes[root].r.boottime_ns ?
			    after(&node->r, &nodes[root].r) : after(&nodes[root].r, &node->r));
		text_put(t, "\"}");
		comma = ",";
	}
	text_put(t, "]");
}

static void put_json(struct text *t, const void *of, size_t item)
{
	const struct question *q = of;
	const struct incident *incident = &q->chosen[item];
	const struct rdmaev_record *r = &q->log.nodes[incident->root].r;
	struct victims victims = find_victims(&q->log, incident->root);
	size_t i;

	text_put(t, "{\"seq\":");
	text_number(t, r->seq);
	text_printf(t, ",\"instance\":\"%016llx\",\"time\":",
		    (unsigned long long)q->log.instance);
	text_json_time(t, r->realtime_ns);
	text_put(t, ",\"device\":");
	text_json(t, *r->device_name ? r->device_name : NULL);
	text_key_number(t, "port", r->port != RDMAEV_NO_PORT, r->port);
	text_put(t, ",\"event\":\"");
	put_event_name(t, r->kind, r->code);
	text_put(t, "\"");
	text_key_name(t, "severity", severity_name(incident->severity),
		      incident->severity);
	text_key_number(t, "overwritten_cause", r->cause, r->cause);
	json_end(t, q, incident);
	text_key_number(t, "ended_qps", incident->ended, incident->ended);
	text_key_number(t, "attempts", true, incident->attempts);
	text_put(t, ",\"hit\":[");
	for (i = 0; i < victims.count; i++) {
		text_put(t, i ? "," : "");
		text_json(t, victims.names[i]);
	}
	text_printf(t, "],\"hit_others\":%s,\"advice\":",
		    victims.others ? "true" : "false");
	text_json(t, incident_remedy(r));
	json_records(t, q, incident->root);
	text_put(t, "}");
}

/* True if a record of the tree is what was asked for. */
static bool is_wanted(const struct question *q, size_t root)
{
	size_t i;

	for (i = root; i != NONE; i = next_in_tree(&q->log, root, i)) {
		const struct rdmaev_record *r = &q->log.nodes[i].r;
		const char *name = name_now(q->log.devices, q->log.devices_count,
					    r->generation);

		if (is_of_targets(q->targets, q->targets_count, r, name) &&
		    is_selected(&q->o->select, r))
			return true;
	}
	return false;
}

static bool is_specific(const struct question *q)
{
	const struct selection *select = &q->o->select;

	return q->seq || q->targets_count || select->qps.count ||
	       select->pids.count || select->comms.count || select->ulps.count;
}

/* Find the newest @limit incidents that are wanted. */
static int why_choose(struct question *q, size_t limit)
{
	size_t i = q->log.count, k;

	q->chosen = calloc(limit, sizeof(*q->chosen));
	if (!q->chosen) {
		complain("out of memory");
		return -1;
	}
	while (i-- && q->chosen_count < limit)
		if (q->log.nodes[i].parent == NONE && is_incident(&q->log, i) && is_wanted(q, i))
			q->chosen[q->chosen_count++] = summarize(&q->log, i);
	for (k = 0; k < q->chosen_count / 2; k++) {
		struct incident last = q->chosen[q->chosen_count - 1 - k];

		q->chosen[q->chosen_count - 1 - k] = q->chosen[k];
		q->chosen[k] = last;
	}
	return 0;
}

static int choose_seq(struct question *q)
{
	size_t i = find_seq(&q->log, q->seq);

	if (i == NONE) {
		complain("#%llu: no such record, or it was overwritten (rdmaev log lists them)",
			 (unsigned long long)q->seq);
		return -1;
	}
	q->chosen = calloc(1, sizeof(*q->chosen));
	if (!q->chosen) {
		complain("out of memory");
		return -1;
	}
	q->chosen[q->chosen_count++] = summarize(&q->log, root_of(&q->log, i));
	return 0;
}

static enum output print_all(const struct question *q)
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < q->chosen_count && result == OUTPUT_DONE; i++) {
		if (q->o->json) {
			result = output_item(put_json, q, i);
			continue;
		}
		if (!is_specific(q)) {
			result = output_item(put_line, q, i);
			continue;
		}
		if (i)
			result = output_line("");
		if (result == OUTPUT_DONE)
			result = print_incident(q, i);
	}
	return result;
}

/* A misspelt name must not look as if nothing had happened to it. */
static int why_check(const struct question *q, struct rdmaev *h)
{
	if (check_targets(h, q->o, TARGETS_LOG, q->targets, q->targets_count) < 0)
		return -1;
	if (!q->o->quiet)
		check_owners(h, &q->o->select);
	return rdmaev_set_filter(h, NULL);
}

static int why_answer(struct question *q, struct rdmaev *h)
{
	size_t limit = is_specific(q) ? 1 : LIST_LENGTH;

	if (why_check(q, h) < 0 || read_incidents(h, &q->log) < 0)
		return STATUS_ERROR;
	if (q->o->limit)
		limit = q->o->limit < q->log.count ? (size_t)q->o->limit : q->log.count;
	if (q->seq ? choose_seq(q) : why_choose(q, limit ? limit : 1))
		return STATUS_ERROR;
	if (!q->chosen_count && !q->o->quiet)
		complain(is_specific(q) ? "no such incident in the log" :
					  "no incident in the log");
	return print_all(q) == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

/* "#1041" or "1041", which is no name of a device */
static bool is_seq(const char *text)
{
	return *text == '#' || (*text && !text[strspn(text, "0123456789")]);
}

/* 0, or -1 after a message */
static int parse_seq(struct question *q, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && !is_seq(argv[i]); i++)
		;
	if (i == argc)
		return 0;
	if (argc > 1) {
		complain("%s: a record is asked for alone, without other arguments", argv[i]);
		return -1;
	}
	if (parse_number(argv[i] + (*argv[i] == '#'), UINT64_MAX, &q->seq) < 0 || !q->seq) {
		complain("%s: must be the number of a record, such as #1041", argv[i]);
		return -1;
	}
	return 0;
}

int run_why(struct options *o, int argc, char **argv)
{
	struct question q = { .o = o };
	int status = STATUS_ERROR;
	struct rdmaev *h = NULL;

	if (parse_seq(&q, argc, argv) < 0)
		return STATUS_ERROR;
	if (q.seq)
		argc = 0;
	q.targets = parse_targets(argc, argv);
	q.targets_count = (size_t)argc;
	if (q.targets)
		h = open_node(o, RDMAEV_NONBLOCK);
	if (h)
		status = why_answer(&q, h);
	free_incidents(&q.log);
	free(q.chosen);
	free(q.targets);
	close_node(h);
	return output_finish(status);
}
