// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Get CQs, and print their counters as columns and keys. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "catalogue.h"
#include "cqs.h"
#include "output/open.h"

/* Entries per query */
#define PAGE	256

int list_cqs(struct rdmaev *h, unsigned int flags, struct rdmaev_cq_stats **list,
	     size_t *count, uint64_t *seq)
{
	uint64_t after = 0, part_seq;
	ssize_t n, i;

	*list = NULL;
	*count = 0;
	do {
		struct rdmaev_cq_stats *larger;

		larger = realloc(*list, (*count + PAGE) * sizeof(*larger));
		if (!larger) {
			complain("out of memory");
			return -1;
		}
		*list = larger;
		n = rdmaev_cqs(h, RDMAEV_ANY, flags, after, larger + *count, PAGE,
			       &part_seq);
		if (n < 0) {
			complain("cannot list the CQs: %s", reader_error());
			return -1;
		}
		/*
		 * The seq of the first part is valid for the later ones, too.
		 */
		if (!after)
			*seq = part_seq;
		for (i = 0; i < n && i < PAGE; i++) {
			struct rdmaev_cq_stats *stats = &larger[(*count)++];

			stats->owner[sizeof(stats->owner) - 1] = '\0';
			after = stats->id;
		}
	} while (n > PAGE);
	return 0;
}

static uint64_t cq_completions(const struct rdmaev_cq_stats *stats)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats->completions); i++)
		sum += stats->completions[i];
	return sum;
}

uint64_t failures(const struct rdmaev_cq_stats *stats)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats->failures); i++)
		if (i != RDMAEV_WC_WR_FLUSH_ERR)
			sum += stats->failures[i];
	return sum;
}

static bool sees_notifications(const struct rdmaev_cq_stats *stats)
{
	return !(stats->flags & RDMAEV_CQ_ATTACHED);
}

/* A process polls its CQs without the kernel. */
static bool sees_completions(const struct rdmaev_cq_stats *stats)
{
	return !(stats->flags & RDMAEV_CQ_USER);
}

/* Those of an attached CQ are seen if its ULP polls it and reports that. */
static bool sees_polls(const struct rdmaev_cq_stats *stats)
{
	return sees_completions(stats) &&
	       (sees_notifications(stats) || stats->polls);
}

void fill_counters(struct table *table, const struct rdmaev_cq_stats *stats,
		   uint64_t now)
{
	bool notifications = sees_notifications(stats);
	bool polls = sees_polls(stats), wcs = sees_completions(stats);
	struct text *t;

	table_count(table, notifications, stats->notifications);
	table_count(table, polls, stats->polls);
	table_count(table, polls && notifications, stats->empty_polls);
	table_count(table, wcs, cq_completions(stats));
	table_count(table, wcs, failures(stats));
	table_count(table, wcs, stats->failures[RDMAEV_WC_WR_FLUSH_ERR]);
	t = table_cell(table);
	if (stats->last_ns)
		text_duration(t, now > stats->last_ns ? now - stats->last_ns : 0);
	else
		text_put(t, "never");
}

static void key_completions(struct text *t, const struct rdmaev_cq_stats *stats)
{
	const char *comma = "";
	unsigned int i;

	text_put(t, ",\"completions\":{");
	for (i = 0; i < ARRAY_SIZE(stats->completions); i++) {
		if (!stats->completions[i])
			continue;
		text_printf(t, "%s\"%s\":", comma, rdmaev_wc_opcode_name(i));
		text_number(t, stats->completions[i]);
		comma = ",";
	}
	text_put(t, "}");
}

static void key_failures(struct text *t, const struct rdmaev_cq_stats *stats)
{
	const char *comma = "";
	unsigned int i;

	text_put(t, ",\"failures\":{");
	for (i = 0; i < ARRAY_SIZE(stats->failures); i++) {
		const char *name = rdmaev_wc_status_name(i);

		if (!stats->failures[i])
			continue;
		if (name)
			text_printf(t, "%s\"%s\"", comma, name);
		else
			text_printf(t, "%s\"%u%s\"", comma, i,
				    i == RDMAEV_WC_STATUSES - 1 ? "+" : "");
		text_put(t, ":");
		text_number(t, stats->failures[i]);
		comma = ",";
	}
	text_put(t, "}");
}

void key_counters(struct text *t, const struct rdmaev_cq_stats *stats)
{
	bool notifications = sees_notifications(stats);
	bool polls = sees_polls(stats);

	text_key_ns(t, "since_ns", true, stats->since_ns);
	text_key_ns(t, "last_ns", stats->last_ns, stats->last_ns);
	text_key_number(t, "notifications", notifications, stats->notifications);
	text_key_number(t, "polls", polls, stats->polls);
	text_key_number(t, "empty_polls", polls && notifications,
			stats->empty_polls);
	if (!sees_completions(stats)) {
		text_put(t, ",\"completions\":null,\"failures\":null");
		return;
	}
	key_completions(t, stats);
	key_failures(t, stats);
}
