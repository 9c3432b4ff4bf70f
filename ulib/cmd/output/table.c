// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tables for people. Cells are stored one after the other, each with its NUL,
 * so a table takes no more memory than its text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/status.h"
#include "output.h"
#include "table.h"

/* A name of 63 bytes, each written in four, and something to go with it */
#define CELL	272

/* Bytes of colours in a cell: they take no room on a terminal. */
static size_t color_bytes(const char *cell)
{
	const char *color = cell;
	size_t bytes = 0, len;

	while ((color = strchr(color, '\033'))) {
		len = strcspn(color, "m");
		bytes += len + 1;
		color += len;
	}
	return bytes;
}

static void end_cell(struct table *table)
{
	unsigned int column = (unsigned int)(table->cells % table->columns);
	size_t width;

	if (!table->open)
		return;
	table->open = false;
	text_end(&table->text);
	if (!table->text.size)
		return;
	/* Cut text that did not fit. */
	if (table->text.len >= CELL)
		table->text.len = CELL - 1;
	width = table->text.len - color_bytes(table->text.buf);
	if (width > table->width[column])
		table->width[column] = width;
	table->used += table->text.len + 1;
	table->cells++;
}

struct text *table_cell(struct table *table)
{
	end_cell(table);
	if (table->used + CELL > table->room && !table->failed) {
		size_t room = 2 * table->room + CELL;
		char *moved = realloc(table->buffer, room);

		if (moved) {
			table->buffer = moved;
			table->room = room;
		} else {
			table->failed = true;
		}
	}
	table->text = (struct text){ .size = 0 };
	if (!table->failed) {
		table->text.buf = table->buffer + table->used;
		table->text.size = CELL;
	}
	table->open = true;
	return &table->text;
}

void table_count(struct table *table, bool is_known, uint64_t number)
{
	struct text *t = table_cell(table);

	if (is_known)
		text_printf(t, "%llu", (unsigned long long)number);
	else
		text_put(t, "-");
}

void table_duration(struct table *table, bool is_known, uint64_t ns)
{
	struct text *t = table_cell(table);

	if (is_known)
		text_duration(t, ns);
	else
		text_put(t, "-");
}

void table_row(struct table *table)
{
	end_cell(table);
	while (table->cells % table->columns && !table->failed) {
		text_put(table_cell(table), "-");
		end_cell(table);
	}
}

void table_start(struct table *table, const char * const *titles,
		 unsigned int columns)
{
	unsigned int c;

	memset(table, 0, sizeof(*table));
	table->columns = columns;
	for (c = 0; c < columns; c++)
		text_put(table_cell(table), titles[c]);
}

int table_print_rows(struct table *table)
{
	table_row(table);
	if (table->failed || table->cells > table->columns) {
		if (output_line("") == OUTPUT_FAILED)
			table->failed = true;
		return table_print(table);
	}
	free(table->buffer);
	return STATUS_OK;
}

int table_print(struct table *table)
{
	char line[TABLE_COLUMNS * (CELL + 2)];
	enum output result = OUTPUT_DONE;
	const char *cell = table->buffer;
	bool failed;
	size_t i = 0;

	table_row(table);
	failed = table->failed;
	if (failed)
		complain("out of memory");
	while (!failed && i < table->cells && result == OUTPUT_DONE) {
		struct text t = { .buf = line, .size = sizeof(line) };
		unsigned int c;

		for (c = 0; c < table->columns; c++, i++) {
			size_t from = t.len + color_bytes(cell);

			text_put(&t, cell);
			if (c < table->columns - 1)
				text_pad(&t, from, table->width[c] + 2);
			cell += strlen(cell) + 1;
		}
		text_end(&t);
		result = output_line(line);
	}
	free(table->buffer);
	return failed || result == OUTPUT_FAILED ? STATUS_ERROR : STATUS_OK;
}
