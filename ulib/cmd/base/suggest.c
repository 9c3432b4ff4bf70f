// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Suggestions for names that do not exist. People misspell names, but they also
 * give a part of one (LIMIT), or leave a word out (PORT_CHANGE), so words count
 * before letters.
 */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "suggest.h"

#define LONGEST		48
#define UNLIKE		UINT_MAX

/* Capitals, with _ for - and blanks. False: too long to be a misspelt name. */
static bool suggest_fold(char to[LONGEST], const char *name)
{
	size_t i;

	if (strlen(name) >= LONGEST)
		return false;
	for (i = 0; name[i]; i++)
		to[i] = name[i] == '-' || name[i] == ' ' ? '_' :
			(char)toupper((unsigned char)name[i]);
	to[i] = '\0';
	return true;
}

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, drop, change or exchange with the next to get from @a to @b. */
static size_t suggest_distance(const char *a, const char *b)
{
	size_t rows[3][LONGEST], i, j;
	size_t len = strlen(b);

	for (j = 0; j <= len; j++)
		rows[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (j = 1; j <= len; j++) {
			row[j] = min_of(min_of(above[j], row[j - 1]) + 1,
					above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = min_of(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[strlen(a) % 3][len];
}

/* True if the first @len bytes of @word are one of the words of @name. */
static bool has_word(const char *name, const char *word, size_t len)
{
	while (*name) {
		size_t n = strcspn(name, "_");

		if (n == len && !strncmp(name, word, len))
			return true;
		name += n;
		name += strspn(name, "_");
	}
	return false;
}

/* True if @name has all words of @words, in any order. */
static bool has_words(const char *name, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, "_");

		if (!has_word(name, words, n))
			return false;
		words += n;
		words += strspn(words, "_");
	}
	return true;
}

/* Names that people use for another. */
static bool is_alias(const char *name, const char *candidate)
{
	static const char * const aliases[][2] = {
		{ "PORT_UP", "PORT_ACTIVE" },	{ "PORT_DOWN", "PORT_ERR" },
		{ "LINK_UP", "PORT_ACTIVE" },	{ "LINK_DOWN", "PORT_ERR" },
		{ "PORT_ERROR", "PORT_ERR" },	{ "QP_ERROR", "QP_FATAL" },
		{ "QP_ERROR", "QP_ERR" },	{ "TIMEOUT", "RETRY_EXC_ERR" },
		{ "FLUSH", "WR_FLUSH_ERR" },	{ "TAIL", "LOG" },
		{ "LIST", "DEVICES" },		{ "SHOW", "DEVICES" },
		{ "FOLLOW", "WATCH" },		{ "MONITOR", "WATCH" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i][0]) && !strcmp(candidate, aliases[i][1]))
			return true;
	return false;
}

/* How unlike two names are; @name is not empty. */
static unsigned int suggest_rate(const char *name, const char *candidate)
{
	size_t len = strlen(name), d = suggest_distance(name, candidate);

	if (!d)
		return 0;
	if (is_alias(name, candidate))
		return 1;
	if (d == 1 && len > 2)
		return 2;
	if (has_words(candidate, name))
		return 3;
	if (len > 2 && !strncmp(candidate, name, len))
		return 4;
	if (len > 3 && strstr(candidate, name))
		return 5;
	if (d == 2 && len > 4)
		return 6;
	if (strlen(candidate) > 3 && has_words(name, candidate))
		return 7;
	return d == 3 && len > 8 ? 8 : UNLIKE;
}

void consider(struct guess *g, const char *candidate)
{
	char name[LONGEST], other[LONGEST];
	unsigned int score;
	size_t i, at;

	if (!suggest_fold(name, g->name) || !suggest_fold(other, candidate) || !*name)
		return;
	score = suggest_rate(name, other);
	for (at = 0; at < g->count && g->score[at] <= score; at++)
		if (!strcmp(g->best[at], candidate))
			return;
	if (score == UNLIKE || at == GUESSES)
		return;
	if (g->count < GUESSES)
		g->count++;
	for (i = g->count - 1; i > at; i--) {
		g->best[i] = g->best[i - 1];
		g->score[i] = g->score[i - 1];
	}
	g->best[at] = candidate;
	g->score[at] = score;
}

void put_guess(struct text *t, const struct guess *g)
{
	size_t i, n;

	/* Those that are much worse than the best would only distract. */
	for (n = 0; n < g->count && g->score[n] <= g->score[0] + 1; n++)
		;
	for (i = 0; i < n; i++)
		text_printf(t, "%s%s", !i ? ", did you mean " :
				       i + 1 < n ? ", " : " or ", g->best[i]);
	if (n)
		text_put(t, "?");
}

const char *guess_text(const struct guess *g)
{
	static char buf[GUESSES * 80 + 32];
	struct text t = { .buf = buf, .size = sizeof(buf) };

	put_guess(&t, g);
	text_end(&t);
	return buf;
}
