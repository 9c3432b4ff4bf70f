/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Tables for people: rows of cells, in columns as wide as they need to be. */
#ifndef ULIB_TABLE_H
#define ULIB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define TABLE_COLUMNS	16

/**
 * struct table - a table being filled, cell by cell
 * @columns: number of columns, at most TABLE_COLUMNS
 * @cells: complete cells
 * @width: of each column, the widest cell
 * @buffer: text of the cells
 * @used: bytes used in @buffer
 * @room: bytes allocated
 * @text: cell being written
 * @open: there is one
 * @failed: out of memory
 */
struct table {
	unsigned int columns;
	size_t cells;
	size_t width[TABLE_COLUMNS];
	char *buffer;
	size_t used;
	size_t room;
	struct text text;
	bool open;
	bool failed;
};

/* Begin with a row of titles. */
void table_start(struct table *table, const char * const *titles,
		 unsigned int columns);
/* Begin another row; cells that the row before lacks become "-". */
void table_row(struct table *table);
/* The next cell of the row, to append to; the one before is complete then. */
struct text *table_cell(struct table *table);
/* A cell with a number, or with "-". */
void table_count(struct table *table, bool is_known, uint64_t number);
/* A cell with a length of time, or with "-". */
void table_duration(struct table *table, bool is_known, uint64_t ns);
/* Print it and free its memory; returns the exit status. */
int table_print(struct table *table);
/* The same after an empty line; nothing if there are no rows but the titles. */
int table_print_rows(struct table *table);

#endif /* ULIB_TABLE_H */
