// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Join records of the log to trees. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "incident.h"
#include "incident_codes.h"
#include "incident_end.h"
#include "incident_exit.h"
#include "incident_own.h"
#include "incident_retry.h"
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

/* A literal would be made elsewhere first, and copied. */
static void init_node(struct node *node, const struct rdmaev_record *r)
{
	memcpy(&node->r, r, sizeof(node->r));
	node->rule = NULL;
	node->parent = NONE;
	node->child = NONE;
	node->sibling = NONE;
	node->end = NONE;
	node->is_unanswered = false;
	node->is_exit = false;
	node->is_admin = false;
	node->is_several = false;
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
		if (records[i].kind != RDMAEV_KIND_LOST)
			init_node(&log->nodes[log->count++], &records[i]);
		else if (add_loss(log, &records[i]) < 0)
			return -1;
	}
	return 0;
}

/*
 * Note what only a later record shows: that the peer did not answer a request to close a
 * connection, and that a QP was found to have failed as its process ended.
 */
static void note_ahead(struct incident_log *log)
{
	size_t i, cause;

	for (i = 0; i < log->count; i++) {
		const struct rdmaev_record *r = &log->nodes[i].r;
		const bool is_unanswered = is_code(r, RDMAEV_KIND_CM, RDMAEV_CM_DISCONNECTED) &&
					   r->body.cm.status == -ETIMEDOUT;

		if (!is_unanswered && !is_destroyed_by_exit(r))
			continue;
		cause = find_seq(log, r->cause);
		if (cause == NONE)
			continue;
		if (is_unanswered)
			log->nodes[cause].is_unanswered = true;
		else if (is_code(&log->nodes[cause].r, RDMAEV_KIND_QP, RDMAEV_QP_FAILED))
			log->nodes[cause].is_exit = true;
	}
}

static void join_record(struct incident_log *log, struct rule_state *state, size_t i)
{
	struct node *node = &log->nodes[i];
	size_t parent = NONE;

	if (node->r.cause && node->r.cause < node->r.seq)
		parent = find_seq(log, node->r.cause);
	/* The cause may have been overwritten: then no rule replaces it. */
	if (!node->r.cause)
		node->rule = find_rule(log, state, i, &parent);
	node->parent = (uint32_t)parent;
	note_record(log, state, i);
}

/* Make lists of children, each in the order of the log. */
static void list_children(struct incident_log *log)
{
	size_t i = log->count;

	while (i--) {
		const uint32_t parent = log->nodes[i].parent;

		if (parent == NONE)
			continue;
		log->nodes[i].sibling = log->nodes[parent].child;
		log->nodes[parent].child = (uint32_t)i;
	}
}

int join_records(struct incident_log *log)
{
	struct rule_state state;
	size_t i;
	int ret;

	if (list_removals(log) < 0 || list_own(log) < 0)
		return -1;
	note_ahead(log);
	rule_state_init(&state, log);
	for (i = 0; i < log->count && !state.is_full; i++)
		join_record(log, &state, i);
	ret = state.is_full ? -1 : 0;
	rule_state_free(&state);
	list_children(log);
	return ret;
}

void free_incidents(struct incident_log *log)
{
	free(log->nodes);
	free(log->losses);
	free(log->devices);
	free(log->ports);
	free(log->removals);
	free(log->own);
}

/* A GID was removed: has anything followed, but changes of GIDs? */
static bool has_consequences(const struct incident_log *log, size_t i)
{
	size_t child = log->nodes[i].child;

	if (!is_code(&log->nodes[i].r, RDMAEV_KIND_PORT, RDMAEV_PORT_GID))
		return false;
	while (child != NONE && is_gid_change(&log->nodes[child].r))
		child = log->nodes[child].sibling;
	return child != NONE;
}

/* The record after which all GIDs are back that the incident is about, or NONE */
static size_t end_of_gids(const struct incident_log *log, size_t root)
{
	size_t end = NONE, i;

	if (!is_gid_change(&log->nodes[root].r))
		return NONE;
	for (i = root; i != NONE; i = next_in_tree(log, root, i)) {
		if (!has_consequences(log, i))
			continue;
		if (log->nodes[i].end == NONE)
			return NONE;
		if (end == NONE || log->nodes[i].end > end)
			end = log->nodes[i].end;
	}
	return end;
}

/* How many QPs the record says to have ended with this process */
static uint64_t count_ended(const struct rdmaev_record *r, uint32_t pid)
{
	return is_destroyed_by_exit(r) && r->pid == pid ? r->count : 0;
}

struct incident summarize(const struct incident_log *log, size_t root)
{
	struct incident incident = { .root = root, .end = NONE };
	const struct rdmaev_record *begin = &log->nodes[root].r;
	size_t connected = NONE, i;
	bool is_lost = false;

	for (i = root; i != NONE; i = next_in_tree(log, root, i)) {
		const struct rdmaev_record *r = &log->nodes[i].r;

		const struct attempts attempts = attempts_after(log, i);

		incident.records++;
		incident.attempts += attempts.count;
		if (attempts.last != NONE && !is_accepted(&log->nodes[attempts.last].r))
			is_lost = true;
		else if (attempts.last != NONE && (connected == NONE || attempts.last > connected))
			connected = attempts.last;
		if (log->nodes[root].is_exit || is_destroyed_by_exit(begin))
			incident.ended += count_ended(r, begin->pid);
		if (r->severity > incident.severity)
			incident.severity = r->severity;
		if (r->boottime_ns > incident.last_ns)
			incident.last_ns = r->boottime_ns;
		if (is_end(begin, r) &&
		    (incident.end == NONE || i < incident.end))
			incident.end = i;
	}
	if (incident.end == NONE)
		incident.end = end_of_gids(log, root);
	if (incident.end == NONE && ends_with_device(begin)) {
		i = find_removal(log, begin->generation);
		if (i != NONE && i > root)
			incident.end = i;
	} else if (incident.end == NONE && !is_lost) {
		incident.end = connected;
	}
	return incident;
}

bool is_incident(const struct incident_log *log, size_t root)
{
	size_t i;

	for (i = root; i != NONE; i = next_in_tree(log, root, i))
		if (log->nodes[i].r.severity >= RDMAEV_SEVERITY_WARNING ||
		    is_attempt(&log->nodes[i]))
			return true;
	return false;
}
