// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdmaev cqs: CQs of kernel ULPs and what they have counted; rdmaev stats: the same
 * of each device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalogue.h"
#include "cmd.h"
#include "table.h"

/* Asked for at a time */
#define PAGE	256

/**
 * struct answer - what is printed
 * @devices: devices asked for, @devices_count of them
 * @list: their CQs, or one sum for each; @count of them
 * @seq: newest record such that all failures up to it were counted
 * @now: CLOCK_BOOTTIME
 */
struct answer {
	struct rdmaev_device *devices;
	size_t devices_count;
	struct rdmaev_cq_stats *list;
	size_t count;
	uint64_t seq;
	uint64_t now;
};

static int list_cqs(struct rdmaev *h, unsigned int flags, struct answer *a)
{
	uint64_t after = 0, seq;
	ssize_t n, i;

	do {
		struct rdmaev_cq_stats *larger;

		larger = realloc(a->list, (a->count + PAGE) * sizeof(*larger));
		if (!larger) {
			complain("out of memory");
			return -1;
		}
		a->list = larger;
		n = rdmaev_cqs(h, RDMAEV_ANY, flags, after, a->list + a->count,
			       PAGE, &seq);
		if (n < 0) {
			if (errno == ENOTTY)
				complain_old_module();
			else
				complain("cannot list the CQs: %s", strerror(errno));
			return -1;
		}
		/* That of the first part is true of the later ones, too. */
		if (!after)
			a->seq = seq;
		for (i = 0; i < n && i < PAGE; i++) {
			struct rdmaev_cq_stats *stats = &a->list[a->count++];

			stats->owner[sizeof(stats->owner) - 1] = '\0';
		}
		if (a->count)
			after = a->list[a->count - 1].id;
	} while (n > PAGE);
	return 0;
}

static const struct rdmaev_device *device_of(const struct answer *a,
					     const struct rdmaev_cq_stats *stats)
{
	size_t d;

	for (d = 0; d < a->devices_count; d++)
		if (stats->generation ?
		    a->devices[d].generation == stats->generation :
		    a->devices[d].index == stats->device)
			return &a->devices[d];
	return NULL;
}

static int ask(struct answer *a, const struct options *o, unsigned int flags,
	       int argc, char **argv)
{
	struct rdmaev *h = open_node(o, RDMAEV_NONBLOCK);
	size_t i, kept = 0;
	uint64_t seq;
	ssize_t n;

	if (!h)
		return -1;
	n = list_devices(h, &a->devices, &seq);
	if (n >= 0) {
		a->devices_count = (size_t)n;
		n = select_devices(a->devices, &a->devices_count, argc, argv);
	}
	if (n >= 0)
		n = list_cqs(h, flags, a);
	rdmaev_close(h);
	for (i = 0; i < a->count; i++)
		if (!argc || device_of(a, &a->list[i]))
			a->list[kept++] = a->list[i];
	a->count = kept;
	a->now = boottime();
	return n < 0 ? -1 : 0;
}

static uint64_t completions(const struct rdmaev_cq_stats *stats)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats->completions); i++)
		sum += stats->completions[i];
	return sum;
}

static uint64_t failures(const struct rdmaev_cq_stats *stats)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats->failures); i++)
		if (i != STATUS_FLUSHED)
			sum += stats->failures[i];
	return sum;
}

static const char *kind(const struct rdmaev_cq_stats *stats)
{
	if (stats->flags & RDMAEV_CQ_ATTACHED)
		return "attached";
	return stats->flags & RDMAEV_CQ_MANAGED ? "managed" : "created";
}

/* How the core arms and polls its CQs is not seen. */
static bool sees_arms(const struct rdmaev_cq_stats *stats)
{
	return !(stats->flags & RDMAEV_CQ_ATTACHED);
}

/* Unless their ULP polls them itself, and tells of it. */
static bool sees_polls(const struct rdmaev_cq_stats *stats)
{
	return sees_arms(stats) || stats->polls;
}

static void fill_count(struct table *table, bool is_seen, uint64_t count)
{
	struct text *t = table_cell(table);

	if (is_seen)
		text_printf(t, "%llu", (unsigned long long)count);
	else
		text_put(t, "-");
}

#define COUNTER_TITLES								\
	"NOTIFIED", "POLLS", "EMPTY", "ARMS", "MISSED", "COMPLETED", "FAILED",	\
	"FLUSHED", "BATCH", "LAST"

static void fill_counters(struct table *table, const struct rdmaev_cq_stats *stats,
			  uint64_t now)
{
	bool arms = sees_arms(stats), polls = sees_polls(stats);
	struct text *t;

	fill_count(table, arms, stats->notifications);
	fill_count(table, polls, stats->polls);
	fill_count(table, arms, stats->empty_polls);
	fill_count(table, arms, stats->arms);
	fill_count(table, arms, stats->missed_events);
	fill_count(table, true, completions(stats));
	fill_count(table, true, failures(stats));
	fill_count(table, true, stats->failures[STATUS_FLUSHED]);
	fill_count(table, polls, stats->largest_batch);
	t = table_cell(table);
	if (stats->last_ns)
		text_duration(t, now > stats->last_ns ? now - stats->last_ns : 0);
	else
		text_put(t, "never");
}

static void fill_device(struct table *table, const struct answer *a,
			const struct rdmaev_cq_stats *stats)
{
	const struct rdmaev_device *device = device_of(a, stats);
	struct text *t = table_cell(table);

	if (device)
		text_name(t, device->name);
	else
		text_printf(t, "#%u", stats->device);
}

static void fill_flags(struct table *table, const struct rdmaev_cq_stats *stats)
{
	bool color = output_color();
	struct text *t;

	if (!(stats->flags & (RDMAEV_CQ_STALLED | RDMAEV_CQ_NOTIFIED)))
		return;
	/* The last cell of a row: colours need no room in it. */
	t = table_cell(table);
	if (stats->flags & RDMAEV_CQ_STALLED)
		text_printf(t, "%sSTALLED%s", color ? RED : "", color ? PLAIN : "");
	if (stats->flags & RDMAEV_CQ_NOTIFIED)
		text_printf(t, "%snotified", t->len ? "," : "");
}

static int print_cqs(const struct answer *a)
{
	static const char * const titles[] = {
		"DEVICE", "CQ", "OWNER", "KIND", "CQE", COUNTER_TITLES, "FLAGS",
	};
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < a->count; i++) {
		const struct rdmaev_cq_stats *stats = &a->list[i];

		table_row(&table);
		fill_device(&table, a, stats);
		fill_count(&table, stats->flags & RDMAEV_CQ_NUMBERED, stats->cq);
		text_name(table_cell(&table), stats->owner);
		text_put(table_cell(&table), kind(stats));
		fill_count(&table, true, stats->cqe);
		fill_counters(&table, stats, a->now);
		fill_flags(&table, stats);
	}
	return table_print(&table);
}

static int print_stats(const struct answer *a)
{
	static const char * const titles[] = { "DEVICE", "CQS", COUNTER_TITLES };
	struct table table;
	size_t i;

	table_start(&table, titles, ARRAY_SIZE(titles));
	for (i = 0; i < a->count; i++) {
		table_row(&table);
		fill_device(&table, a, &a->list[i]);
		fill_count(&table, true, a->list[i].cqs);
		fill_counters(&table, &a->list[i], a->now);
	}
	return table_print(&table);
}

static void key_count(struct text *t, const char *key, bool is_seen, uint64_t count)
{
	text_printf(t, ",\"%s\":", key);
	if (is_seen)
		text_printf(t, "%llu", (unsigned long long)count);
	else
		text_put(t, "null");
}

static void key_completions(struct text *t, const struct rdmaev_cq_stats *stats)
{
	const char *comma = "";
	unsigned int i;

	text_put(t, ",\"completions\":{");
	for (i = 0; i < ARRAY_SIZE(stats->completions); i++) {
		if (!stats->completions[i])
			continue;
		text_printf(t, "%s\"%s\":%llu", comma, rdmaev_wc_opcode_name(i),
			    (unsigned long long)stats->completions[i]);
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
		text_printf(t, ":%llu", (unsigned long long)stats->failures[i]);
		comma = ",";
	}
	text_put(t, "}");
}

static void key_counters(struct text *t, const struct rdmaev_cq_stats *stats)
{
	bool arms = sees_arms(stats), polls = sees_polls(stats);

	key_count(t, "since_ns", true, stats->since_ns);
	key_count(t, "last_ns", stats->last_ns, stats->last_ns);
	key_count(t, "notifications", arms, stats->notifications);
	key_count(t, "polls", polls, stats->polls);
	key_count(t, "empty_polls", arms, stats->empty_polls);
	key_count(t, "arms", arms, stats->arms);
	key_count(t, "missed_events", arms, stats->missed_events);
	key_count(t, "largest_batch", polls, stats->largest_batch);
	key_completions(t, stats);
	key_failures(t, stats);
}

static void put_device(struct text *t, const struct answer *a,
		       const struct rdmaev_cq_stats *stats)
{
	const struct rdmaev_device *device = device_of(a, stats);

	text_put(t, "{\"device\":");
	text_json(t, device ? device->name : NULL);
	text_printf(t, ",\"index\":%u,\"generation\":%u", stats->device,
		    stats->generation);
}

static void json_cq(struct text *t, const struct answer *a,
		    const struct rdmaev_cq_stats *stats)
{
	put_device(t, a, stats);
	key_count(t, "id", true, stats->id);
	key_count(t, "cq", stats->flags & RDMAEV_CQ_NUMBERED, stats->cq);
	text_put(t, ",\"owner\":");
	text_json(t, *stats->owner ? stats->owner : NULL);
	text_printf(t, ",\"kind\":\"%s\",\"cqe\":%u", kind(stats), stats->cqe);
	text_printf(t, ",\"moderation_count\":%u,\"moderation_us\":%u",
		    stats->moderation_count, stats->moderation_us);
	text_printf(t, ",\"stalled\":%s,\"notified\":%s",
		    stats->flags & RDMAEV_CQ_STALLED ? "true" : "false",
		    stats->flags & RDMAEV_CQ_NOTIFIED ? "true" : "false");
	key_counters(t, stats);
	text_printf(t, ",\"flags\":%u", stats->flags);
}

static void json_sum(struct text *t, const struct answer *a,
		     const struct rdmaev_cq_stats *stats)
{
	put_device(t, a, stats);
	text_printf(t, ",\"cqs\":{\"count\":%u", stats->cqs);
	key_counters(t, stats);
	text_put(t, "}");
}

static int print_json(const struct answer *a,
		      void (*put)(struct text *t, const struct answer *a,
				  const struct rdmaev_cq_stats *stats))
{
	enum output result = OUTPUT_DONE;
	size_t i;

	for (i = 0; i < a->count && result == OUTPUT_DONE; i++) {
		/* Longer than all keys, the longest numbers, and odd names are. */
		char line[8192];
		struct text t = { .buf = line, .size = sizeof(line) };

		put(&t, a, &a->list[i]);
		text_printf(&t, ",\"seq\":%llu}", (unsigned long long)a->seq);
		text_end(&t);
		result = output_line(line);
	}
	return result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}

static int end(struct answer *a, int status)
{
	free(a->devices);
	free(a->list);
	return output_finish(status);
}

static int run_cqs(struct options *o, int argc, char **argv)
{
	struct answer a = { .devices = NULL };
	int status = STATUS_OK;

	if (ask(&a, o, 0, argc, argv) < 0)
		return end(&a, STATUS_ERROR);
	if (o->json)
		status = print_json(&a, json_cq);
	else if (a.count)
		status = print_cqs(&a);
	/* Some may be there all the same. */
	if (!a.count && !o->quiet && geteuid())
		complain("no CQs of kernel ULPs are to be seen here; they are shown to administrators only");
	else if (!a.count && !o->quiet)
		complain("no CQs of kernel ULPs are to be seen here");
	return end(&a, status);
}

static int run_stats(struct options *o, int argc, char **argv)
{
	struct answer a = { .devices = NULL };
	int status = STATUS_OK;

	if (ask(&a, o, RDMAEV_CQS_SUMS, argc, argv) < 0)
		return end(&a, STATUS_ERROR);
	if (o->json)
		status = print_json(&a, json_sum);
	else if (a.count)
		status = print_stats(&a);
	if (!a.count && !o->quiet)
		complain("there are no RDMA devices here");
	return end(&a, status);
}

const struct command command_cqs = {
	.name = "cqs",
	.letters = "",
	.usage = "[DEV]...",
	.help =
	"Print the CQs of kernel ULPs that have them accounted for, and what was counted.\n"
	"\"-\" is what cannot be seen of a CQ.\n\n",
	.run = run_cqs,
};

const struct command command_stats = {
	.name = "stats",
	.letters = "",
	.usage = "[DEV]...",
	.help =
	"Print what each device has counted: all CQs of kernel ULPs that have them\n"
	"accounted for, those that are gone included.\n\n",
	.run = run_stats,
};
