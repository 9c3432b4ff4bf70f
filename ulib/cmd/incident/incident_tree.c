// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ways through the log and its trees */
#include <stdlib.h>

#include "incident.h"
#include "incident_codes.h"
#include "incident_tree.h"

size_t find_from(const struct incident_log *log, uint64_t seq)
{
	size_t low = 0, high = log->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->nodes[middle].r.seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t find_seq(const struct incident_log *log, uint64_t seq)
{
	size_t i = find_from(log, seq);

	return i < log->count && log->nodes[i].r.seq == seq ? i : NONE;
}

static int compare_removals(const void *a, const void *b)
{
	const struct removal *x = a, *y = b;

	return (x->generation > y->generation) - (x->generation < y->generation);
}

int list_removals(struct incident_log *log)
{
	size_t i, n = 0;

	for (i = 0; i < log->count; i++)
		n += is_removal(&log->nodes[i].r);
	log->removals = calloc(n + 1, sizeof(*log->removals));
	if (!log->removals)
		return -1;
	for (i = 0; i < log->count; i++)
		if (is_removal(&log->nodes[i].r))
			log->removals[log->removals_count++] = (struct removal){
				.generation = log->nodes[i].r.generation,
				.record = (uint32_t)i,
			};
	qsort(log->removals, n, sizeof(*log->removals), compare_removals);
	return 0;
}

size_t find_removal(const struct incident_log *log, uint32_t generation)
{
	const struct removal key = { .generation = generation }, *removal;

	removal = log->removals_count ?
		  bsearch(&key, log->removals, log->removals_count, sizeof(key),
			  compare_removals) : NULL;
	return removal ? removal->record : NONE;
}

size_t root_of(const struct incident_log *log, size_t i)
{
	while (log->nodes[i].parent != NONE)
		i = log->nodes[i].parent;
	return i;
}

size_t next_in_tree(const struct incident_log *log, size_t root, size_t node)
{
	if (log->nodes[node].child != NONE)
		return log->nodes[node].child;
	while (node != root && log->nodes[node].sibling == NONE)
		node = log->nodes[node].parent;
	return node == root ? NONE : log->nodes[node].sibling;
}
