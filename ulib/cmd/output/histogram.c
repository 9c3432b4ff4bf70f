// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Numbers by the binary logarithm of a time, as bars. */
#include "histogram.h"

#define BAR_COLUMNS	40

static enum output print_bucket(const __u64 *counts, unsigned int bucket, uint64_t most,
				uint64_t unit_ns)
{
	uint64_t columns;
	char line[128];
	struct text t = { .buf = line, .size = sizeof(line) };
	size_t start;

	text_put(&t, bucket ? "  from " : "  up to ");
	start = t.len;
	text_duration(&t, (1ULL << (bucket ? bucket : 1)) * unit_ns);
	text_pad(&t, start, 8);
	text_printf(&t, " %10llu ", (unsigned long long)counts[bucket]);
	/* What there is one of is seen, too. */
	columns = (counts[bucket] * BAR_COLUMNS + most - 1) / most;
	while (columns--)
		text_put(&t, "#");
	text_end(&t);
	return output_line(line);
}

enum output print_histogram(const char *title, const __u64 counts[HISTOGRAM_BUCKETS],
			    uint64_t unit_ns)
{
	unsigned int first = HISTOGRAM_BUCKETS, last = 0, i;
	enum output result;
	uint64_t most = 0;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!counts[i])
			continue;
		if (first > i)
			first = i;
		last = i;
		if (most < counts[i])
			most = counts[i];
	}
	if (!most)
		return OUTPUT_DONE;
	result = output_line("");
	if (result == OUTPUT_DONE)
		result = output_line(title);
	for (i = first; i <= last && result == OUTPUT_DONE; i++)
		result = print_bucket(counts, i, most, unit_ns);
	return result;
}

void json_histogram(struct text *t, const __u64 counts[HISTOGRAM_BUCKETS])
{
	unsigned int i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		text_put(t, i ? "," : "[");
		text_number(t, counts[i]);
	}
	text_put(t, "]");
}
