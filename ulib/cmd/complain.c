// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages on standard error, and suggestions for misspelt names. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "catalogue.h"
#include "cmd.h"

void complain(const char *format, ...)
{
	va_list args;

	fputs("rdmaev: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Number of letters to add, drop or change to get from @a to @b. */
static size_t distance(const char *a, const char *b)
{
	size_t row[48], i, j, above;

	if (strlen(a) >= 48 || strlen(b) >= 48)
		return SIZE_MAX;
	for (j = 0; j <= strlen(b); j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (j = 0; b[j]; j++) {
			int same = toupper((unsigned char)a[i]) == b[j];

			above = row[j + 1];
			row[j + 1] = min3(above + 1, row[j] + 1, corner + !same);
			corner = above;
		}
	}
	return row[strlen(b)];
}

/**
 * struct guess - suggestion for a misspelt name
 * @name: as given
 * @best: the nearest name so far
 * @distance: how far it is
 */
struct guess {
	const char *name;
	const char *best;
	size_t distance;
};

static void consider(struct guess *g, const char *candidate)
{
	size_t d = distance(g->name, candidate);

	if (d < g->distance) {
		g->best = candidate;
		g->distance = d;
	}
}

static void consider_events(struct guess *g)
{
	size_t i;

	for (i = 0; i < facts_count; i++)
		consider(g, facts[i].name);
}

static void complain_guess(const struct guess *g, const char *what)
{
	if (g->distance <= 3 && g->distance < strlen(g->name))
		complain("%s: no such %s, did you mean %s? (rdmaev explain lists them)",
			 g->name, what, g->best);
	else
		complain("%s: no such %s (rdmaev explain lists them)", g->name, what);
}

void complain_event(const char *name)
{
	struct guess g = { .name = name, .distance = SIZE_MAX };

	consider_events(&g);
	complain_guess(&g, "event");
}

void complain_word(const char *name)
{
	struct guess g = { .name = name, .distance = SIZE_MAX };
	size_t i;

	consider_events(&g);
	for (i = 0; i < qp_states_count; i++)
		consider(&g, qp_states[i].name);
	for (i = 0; i < cm_reasons_count; i++)
		consider(&g, cm_reasons[i].name);
	complain_guess(&g, "event, status, state or reason");
}
