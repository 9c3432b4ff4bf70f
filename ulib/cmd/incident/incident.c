// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Join records of the log to trees. */
#include <errno.h>
#include <stdlib.h>

#include "incident.h"
#include "incident_end.h"
#include "incident_rules.h"
#include "incident_state.h"

/* Room for more records, at least */
#define MORE	256

static int add_loss(struct incident_log *log, const struct rdmaev_record *r)
{
	struct rdmaev_record *losses;

	losses = realloc(log->losses, (log->losses_count + 1) * sizeof(*losses));
	if (!losses)
		return -1;
	log->losses = losses;
	losses[log->losses_count++] = *r;
	return 0;
}

int add_records(struct incident_log *log, size_t *room,
		const struct rdmaev_record *records, size_t n)
{
	size_t i;

	if (log->count + n > *room) {
		size_t larger = 2 * *room + MORE;
		struct node *nodes = realloc(log->nodes, larger * sizeof(*nodes));

		if (!nodes)
			return -1;
		log->nodes = nodes;
		*room = larger;
	}
	for (i = 0; i < n; i++) {
		if (records[i].kind == RDMAEV_KIND_LOST) {
			if (add_loss(log, &records[i]) < 0)
				return -1;
			continue;
		}
		log->nodes[log->count++] = (struct node){
			.r = records[i],
			.parent = NONE,
			.child = NONE,
			.last_child = NONE,
			.sibling = NONE,
		};
	}
	return 0;
}

size_t find_seq(const struct incident_log *log, uint64_t seq)
{
	size_t low = 0, high = log->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->nodes[middle].r.seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->count && log->nodes[low].r.seq == seq ? low : NONE;
}

static void add_child(struct incident_log *log, size_t parent, size_t child)
{
	struct node *node = &log->nodes[parent];

	log->nodes[child].parent = parent;
	log->nodes[child].root = node->root;
	if (node->last_child == NONE)
		node->child = child;
	else
		log->nodes[node->last_child].sibling = child;
	node->last_child = child;
}

/* Note which requests to close a connection the peer did not answer. */
static void note_unanswered(struct incident_log *log)
{
	size_t i, request;

	for (i = 0; i < log->count; i++) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		if (r->kind != RDMAEV_KIND_CM || r->code != RDMAEV_CM_DISCONNECTED ||
		    r->body.cm.status != -ETIMEDOUT)
			continue;
		request = find_seq(log, r->cause);
		if (request != NONE)
			log->nodes[request].is_unanswered = true;
	}
}

int join_records(struct incident_log *log)
{
	struct rule_state state = { .ports = NULL };
	size_t i;

	note_unanswered(log);
	for (i = 0; i < log->count; i++) {
		struct node *node = &log->nodes[i];
		size_t parent = NONE;

		node->root = i;
		if (node->r.cause && node->r.cause < node->r.seq)
			parent = find_seq(log, node->r.cause);
		/* The cause may have been overwritten: then no rule replaces it. */
		if (!node->r.cause)
			node->rule = find_rule(log, &state, i, &parent);
		if (parent != NONE)
			add_child(log, parent, i);
		note_record(log, &state, i);
	}
	free_rule_state(&state);
	return state.is_full ? -1 : 0;
}

void free_incidents(struct incident_log *log)
{
	free(log->nodes);
	free(log->losses);
	free(log->devices);
	free(log->ports);
}

size_t next_in_tree(const struct incident_log *log, size_t root, size_t node)
{
	if (log->nodes[node].child != NONE)
		return log->nodes[node].child;
	while (node != root && log->nodes[node].sibling == NONE)
		node = log->nodes[node].parent;
	return node == root ? NONE : log->nodes[node].sibling;
}

struct incident summarize(const struct incident_log *log, size_t root)
{
	struct incident incident = { .root = root, .end = NONE };
	size_t i;

	for (i = root; i != NONE; i = next_in_tree(log, root, i)) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		incident.records++;
		if (r->severity > incident.severity)
			incident.severity = r->severity;
		if (r->boottime_ns > incident.last_ns)
			incident.last_ns = r->boottime_ns;
		if (is_end(&log->nodes[root].r, r) &&
		    (incident.end == NONE || i < incident.end))
			incident.end = i;
	}
	for (i = root; i < log->count && incident.end == NONE; i++)
		if (is_end_of_device(&log->nodes[root].r, &log->nodes[i].r))
			incident.end = i;
	return incident;
}

bool is_incident(const struct incident *incident)
{
	return incident->severity >= RDMAEV_SEVERITY_WARNING;
}
