// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Read the log and join its records to trees. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "incident.h"
#include "incident_rules.h"
#include "snapshot.h"

#define BATCH	256

static int add_loss(struct incident_log *log, const struct rdmaev_record *r)
{
	struct rdmaev_record *losses;

	losses = realloc(log->losses, (log->losses_count + 1) * sizeof(*losses));
	if (!losses) {
		complain("out of memory");
		return -1;
	}
	log->losses = losses;
	losses[log->losses_count++] = *r;
	return 0;
}

int add_records(struct incident_log *log, size_t *room,
		const struct rdmaev_record *records, size_t n)
{
	size_t i;

	if (log->count + n > *room) {
		size_t larger = 2 * *room + BATCH;
		struct node *nodes = realloc(log->nodes, larger * sizeof(*nodes));

		if (!nodes) {
			complain("out of memory");
			return -1;
		}
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

/* Read the newest records, up to @newest. */
static int read_records(struct rdmaev *h, struct incident_log *log, uint64_t newest)
{
	struct rdmaev_record records[BATCH];
	size_t room = 0;
	ssize_t n;

	if (rdmaev_seek(h, -(int64_t)INCIDENT_RECORDS, SEEK_END) < 0) {
		complain("cannot read the log: %s", reader_error());
		return -1;
	}
	for (;;) {
		do
			n = rdmaev_read(h, records, BATCH);
		while (n < 0 && errno == EINTR);
		if (n <= 0 && errno == EAGAIN)
			return 0;
		if (n <= 0) {
			complain("cannot read the log: %s", reader_error());
			return -1;
		}
		if (add_records(log, &room, records, (size_t)n) < 0)
			return -1;
		if (records[n - 1].seq >= newest)
			return 0;
	}
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

int join_records(struct incident_log *log)
{
	struct rule_state state = { .ports = NULL };
	size_t i;

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
	if (state.is_full)
		complain("out of memory");
	return state.is_full ? -1 : 0;
}

int read_incidents(struct rdmaev *h, struct incident_log *log)
{
	struct rdmaev_info info;
	uint64_t seq;
	ssize_t n;

	memset(log, 0, sizeof(*log));
	if (rdmaev_info(h, &info) < 0) {
		complain("cannot read the log's state: %s", reader_error());
		return -1;
	}
	log->instance = info.instance;
	n = list_devices(h, true, &log->devices, &seq);
	if (n < 0)
		return -1;
	log->devices_count = (size_t)n;
	if (!info.newest_seq)
		return 0;
	if (read_records(h, log, info.newest_seq) < 0)
		return -1;
	return join_records(log);
}

void free_incidents(struct incident_log *log)
{
	free(log->nodes);
	free(log->losses);
	free(log->devices);
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
	return incident;
}

bool is_incident(const struct incident *incident)
{
	return incident->severity >= RDMAEV_SEVERITY_WARNING;
}
