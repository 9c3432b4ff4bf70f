// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The lines of several recordings in one order of time. Those of one recording keep their
 * order, also if its clock was set.
 */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "watch/merge.h"

int merge_begin(struct merge *m, const char *host)
{
	char *copy = strdup(host);

	if (!copy) {
		complain("out of memory");
		return -1;
	}
	m->sources[m->count++].host = copy;
	return 0;
}

static struct merge_line *merge_room(struct merge_source *source)
{
	size_t room = source->room ? 2 * source->room : 256;
	struct merge_line *lines;

	if (source->count < source->room)
		return &source->lines[source->count++];
	lines = reallocarray(source->lines, room, sizeof(*lines));
	if (!lines)
		return NULL;
	source->lines = lines;
	source->room = room;
	return &source->lines[source->count++];
}

enum output merge_add(struct merge *m, const struct merge_line *line, const char *text)
{
	struct merge_line *added = merge_room(&m->sources[m->count - 1]);

	if (added) {
		*added = *line;
		added->text = strdup(text);
	}
	if (added && added->text)
		return OUTPUT_DONE;
	complain("out of memory");
	return OUTPUT_FAILED;
}

static const struct merge_line *merge_head(const struct merge_source *source)
{
	return source->next < source->count ? &source->lines[source->next] : NULL;
}

/* The recording whose next line is the oldest one; NULL: all are printed */
static struct merge_source *merge_oldest(struct merge *m)
{
	const struct merge_line *first = NULL;
	struct merge_source *oldest = NULL;
	size_t i;

	for (i = 0; i < m->count; i++) {
		const struct merge_line *line = merge_head(&m->sources[i]);

		if (!line || (first && line->realtime_ns >= first->realtime_ns))
			continue;
		first = line;
		oldest = &m->sources[i];
	}
	return oldest;
}

/*
 * Take the next line, which there is, and theirs where others have the same. Not by the number
 * of the record: where one has a loss, or was cut, another can have more.
 */
static const struct merge_line *merge_take(struct merge *m, struct merge_source *source)
{
	const struct merge_line *line = &source->lines[source->next];
	size_t i;

	for (i = 0; i < m->count; i++) {
		const struct merge_line *other = merge_head(&m->sources[i]);

		if (other && other->instance == line->instance && !strcmp(other->text, line->text))
			m->sources[i].next++;
	}
	return line;
}

/* Lines to be printed: those that are taken, without printing any */
static size_t merge_count(struct merge *m)
{
	struct merge_source *source;
	size_t i, count = 0;

	while ((source = merge_oldest(m))) {
		merge_take(m, source);
		count++;
	}
	for (i = 0; i < m->count; i++)
		m->sources[i].next = 0;
	return count;
}

/* Characters of the longest name */
static size_t merge_width(const struct merge *m)
{
	size_t i, width = 0;

	for (i = 0; i < m->count; i++) {
		size_t len = strlen(m->sources[i].host);

		width = len > width ? len : width;
	}
	return width;
}

/**
 * struct merge_item - a line to print
 * @m: of these
 * @host: of this host
 * @text: same
 * @width: characters of the longest name
 */
struct merge_item {
	const struct merge *m;
	const char *host;
	const char *text;
	size_t width;
};

static void merge_put(struct text *t, const void *of, size_t index)
{
	const struct merge_item *item = of;

	(void)index;
	if (item->m->is_json) {
		text_put(t, "{\"host\":");
		text_json(t, item->host);
		text_printf(t, ",%s", item->text + 1);
		return;
	}
	text_name(t, item->host);
	text_pad(t, 0, item->width + 1);
	text_put(t, item->text);
}

enum output merge_print(struct merge *m, size_t limit)
{
	size_t left = merge_count(m);
	struct merge_item item = { .m = m, .width = merge_width(m) };
	enum output result = OUTPUT_DONE;
	struct merge_source *source;

	while (result == OUTPUT_DONE && (source = merge_oldest(m))) {
		item.host = source->host;
		item.text = merge_take(m, source)->text;
		if (!limit || left-- <= limit)
			result = output_item(merge_put, &item, 0);
	}
	return result;
}

void merge_free(struct merge *m)
{
	size_t i, n;

	for (i = 0; i < m->count; i++) {
		for (n = 0; n < m->sources[i].count; n++)
			free(m->sources[i].lines[n].text);
		free(m->sources[i].lines);
		free(m->sources[i].host);
	}
}
